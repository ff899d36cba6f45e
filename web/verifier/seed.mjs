/**
 * What each party brings: server seeds, their seals, client seeds.
 * docs/spec/tavli.md and yayay.md, "Rules". A server seed is bytes here; elsewhere in
 * this engine it travels as lower-case hex.
 */
import { sha256 } from './sha256.mjs';

/** How many bytes a server seed has, by scheme. */
export const serverLength = {
  'tavli/1': { least: 16, most: 64 },
  'yayay/1': { least: 32, most: 32 },
};

/** How many client seeds a match of tavli/1 has, and how many characters each. */
export const clientLimits = { most: 16, characters: 128 };

/**
 * @param {Uint8Array} bytes
 * @returns {string} lower-case hex, two digits a byte
 */
export function toHex(bytes) {
  let hex = '';
  for (const byte of bytes) hex += (byte < 16 ? '0' : '') + byte.toString(16);
  return hex;
}

/**
 * @param {string} hex an even number of hex digits, either case
 * @returns {Uint8Array}
 */
export function fromHex(hex) {
  const bytes = new Uint8Array(hex.length / 2);
  for (let i = 0; i < bytes.length; i++) bytes[i] = parseInt(hex.slice(2 * i, 2 * i + 2), 16);
  return bytes;
}

/**
 * The bytes of a text in which every character is ASCII, as all texts that are hashed
 * in this engine are.
 * @param {string} text
 * @returns {Uint8Array}
 */
export function toBytes(text) {
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = text.charCodeAt(i);
  return bytes;
}

/**
 * The seal of a server seed, both as hex.
 * @param {string} server
 * @returns {string}
 */
export function sealOf(server) {
  return toHex(sha256(fromHex(server)));
}

/**
 * Whether a server seed has visibly little entropy: fewer than 9 different bytes.
 * @param {string} server hex
 * @returns {boolean}
 */
export function isWeak(server) {
  const bytes = fromHex(server);
  return bytes.length < 16 || new Set(bytes).size < 9;
}

/**
 * Finds what keeps a text from being a client seed.
 * @param {string} text
 * @returns {{position: number, character: string, words: string} | null} null if it is one;
 *   position from 1, in characters
 */
export function clientFault(text) {
  if (text === '') return { position: 1, character: '', words: 'empty client seed' };
  const characters = Array.from(text);
  for (const [i, character] of characters.entries()) {
    if (!/^[A-Za-z0-9_-]$/.test(character)) {
      return { position: i + 1, character: codePoint(character), words: 'not a character of a client seed' };
    }
  }
  if (characters.length > clientLimits.characters) {
    return { position: clientLimits.characters + 1, character: '', words: 'client seed longer than 128 characters' };
  }
  return null;
}

/**
 * Names the first character of a text: itself in quotes if it is printable ASCII and not the blank,
 * else U+ and at least four hex digits.
 * @param {string} text
 * @returns {string}
 */
export function codePoint(text) {
  const point = text.codePointAt(0) ?? 0;
  if (point > 0x20 && point < 0x7f) return `'${text[0]}'`;
  return 'U+' + point.toString(16).toUpperCase().padStart(4, '0');
}
