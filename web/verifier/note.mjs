/**
 * Signed notes (c2sp.org/signed-note) and their Ed25519 signatures: veridice-1.md,
 * section 1. A note is a text, an empty line, and one line a signature:
 *
 *   (dash U+2014) NAME BASE64      base64 of four bytes key id and the signature
 *
 * Reading is done here. The arithmetic of Ed25519 is left to the browser (WebCrypto),
 * which has it on https and localhost only, and answers later; what must hold besides so
 * that all engines agree is checked here before.
 */
import { sha256 } from './sha256.mjs';
import { fromHex, toHex } from './seed.mjs';
import { Refusal } from './fault.mjs';

/**
 * One signature line, read.
 * @typedef {object} Signature
 * @property {string} name
 * @property {string} keyId 8 hex digits
 * @property {Uint8Array} bytes after the key id
 */

/** @typedef {{text: string, signatures: Signature[]}} Note */

/**
 * Who may sign: the name in signature lines and the key, 64 hex digits.
 * @typedef {{name: string, key: string}} Signer
 */

/**
 * Whether a signature on a text holds; null if it cannot be checked here and now.
 * @typedef {(text: string, key: string, signature: Uint8Array) => boolean | null} Verifier
 */

const mostSignatures = 100;

/**
 * Splits a text that carries signatures; one that does not has none.
 * @param {string} text
 * @returns {Note}
 */
export function splitNote(text) {
  if (!text.includes('\n\n\u2014 ')) return { text, signatures: [] };
  return readNote(text);
}

/**
 * Splits a note at its last empty line. What is no note is refused, without a place.
 * @param {string} text
 * @returns {Note}
 */
export function readNote(text) {
  const at = text.lastIndexOf('\n\n');
  const refusal = new Refusal({ code: 'syntax', words: 'not a text and the signatures of a note' });
  if (at < 0 || /\p{Surrogate}/u.test(text)) throw refusal; // half a pair stands for what is not UTF-8
  const lines = text.slice(at + 2).split('\n');
  if (lines.length < 2 || lines.pop() !== '' || lines.length > mostSignatures) throw refusal;
  const signatures = lines.map(readSignature);
  if (signatures.includes(null)) throw refusal;
  return { text: text.slice(0, at + 1), signatures: /** @type {Signature[]} */ (signatures) };
}

/**
 * @param {string} line
 * @returns {Signature | null}
 */
function readSignature(line) {
  const parts = /^\u2014 ([^ ]+) ([^ ]+)$/.exec(line);
  if (parts === null || !isName(parts[1])) return null;
  const bytes = fromBase64(parts[2]);
  if (bytes === null || bytes.length < 5) return null;
  return { name: parts[1], keyId: toHex(bytes.slice(0, 4)), bytes: bytes.slice(4) };
}

/**
 * Whether a name may stand in a signature line: it has no blank of any kind (which for
 * JavaScript has U+FEFF, and for Unicode U+0085) and no plus sign.
 * @param {string} name
 */
export const isName = (name) => /^(?:[^\s+\0-\x1f\x85]|\ufeff)+$/.test(name);

const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/**
 * Base64 in its one encoding: padded, and with no bits beyond the bytes.
 * @param {string} text
 * @returns {Uint8Array | null}
 */
export function fromBase64(text) {
  if (text.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(text)) return null;
  const padding = text.length - text.replace(/=+$/, '').length;
  const bytes = new Uint8Array((text.length / 4) * 3 - padding);
  for (let i = 0, at = 0; i < text.length; i += 4) {
    let group = 0;
    for (let k = 0; k < 4; k++) group = group * 64 + Math.max(0, digits.indexOf(text[i + k]));
    for (let k = 0; k < 3; k++) {
      const byte = (group >> (16 - 8 * k)) & 255;
      if (at < bytes.length) bytes[at++] = byte;
      else if (byte !== 0) return null;
    }
  }
  return bytes;
}

/**
 * The first four bytes of SHA-256 of name, LF, kind and key.
 * @param {Signer} signer
 * @param {number} [kind] 1: Ed25519 over the text
 * @returns {string} 8 hex digits
 */
export function keyId({ name, key }, kind = 1) {
  const head = new TextEncoder().encode(name + '\n' + String.fromCharCode(kind));
  const all = new Uint8Array(head.length + 32);
  all.set(head);
  all.set(fromHex(key), head.length);
  return toHex(sha256(all)).slice(0, 8);
}

/**
 * What the signatures of one signer on a text come to. Signatures under another name or
 * key id are nobody's.
 * @param {Note} note
 * @param {Signer} signer
 * @param {Verifier} verifier
 * @returns {{good: boolean, bad: boolean, unchecked: boolean}}
 */
export function signedBy(note, signer, verifier) {
  const result = { good: false, bad: false, unchecked: false };
  const id = keyId(signer);
  for (const { name, keyId: of, bytes } of note.signatures) {
    if (name !== signer.name || of !== id) continue;
    const holds = cannotHold(signer.key, bytes) ? false : verifier(note.text, signer.key, bytes);
    result.good ||= holds === true;
    result.bad ||= holds === false;
    result.unchecked ||= holds === null;
  }
  return result;
}

/** @type {Verifier} */
export const notNow = () => null;

const prime = 2n ** 255n - 19n;
const order = 2n ** 252n + 27742317777372353535851937790883648493n;

/** y of the points of order 1, 2, 4 and 8. @type {bigint[]} */
const smallOrder = [
  1n, prime - 1n, 0n,
  0x05fc536d880238b13933c6d305acdfd5f098eff289f4c345b027b2c28f95e826n,
  0x7a03ac9277fdc74ec6cc392cfa53202a0f67100d760b3cba4fd84d3d706a17c7n,
];

/** @param {Uint8Array} bytes least significant first */
function littleEndian(bytes) {
  return BigInt('0x' + toHex(Uint8Array.from(bytes).reverse()));
}

/**
 * Whether a signature fails already by its form: a key of small order or in another
 * encoding than its one, a signature of another length, S not below the order.
 * @param {string} key
 * @param {Uint8Array} signature
 */
export function cannotHold(key, signature) {
  const bytes = fromHex(key);
  bytes[31] &= 127; // the sign of x
  const y = littleEndian(bytes);
  return y >= prime || smallOrder.includes(y) || signature.length !== 64 || littleEndian(signature.subarray(32)) >= order;
}

/**
 * Checks the signatures of some notes by the signers ahead of time. On plain http, or in
 * a browser whose Ed25519 does not keep to the rules, none can be checked.
 * @param {{note: Note, signers: Signer[]}[]} all
 * @returns {Promise<Verifier>}
 */
export async function checkAhead(all) {
  if (!(await browserKeepsTheRules())) return notNow;
  /** @type {Map<string, Map<string, boolean>>} by the text, then by key and signature */
  const known = new Map();
  for (const { note, signers } of all) {
    const ofText = known.get(note.text) ?? new Map();
    known.set(note.text, ofText);
    for (const signer of signers) {
      const id = keyId(signer);
      for (const { name, keyId: of, bytes } of note.signatures) {
        if (name !== signer.name || of !== id || cannotHold(signer.key, bytes)) continue;
        ofText.set(signer.key + toHex(bytes), await holds(new TextEncoder().encode(note.text), signer.key, bytes));
      }
    }
  }
  return (text, key, signature) => known.get(text)?.get(key + toHex(signature)) ?? null;
}

/**
 * Whether a signature holds by the browser's Ed25519. What cannotHold refuses and what
 * browserKeepsTheRules finds must have been looked at before.
 * @param {Uint8Array} text
 * @param {string} key
 * @param {Uint8Array} signature
 * @returns {Promise<boolean>}
 */
export async function holds(text, key, signature) {
  try {
    const subtle = globalThis.crypto.subtle;
    const imported = await subtle.importKey('raw', Uint8Array.from(fromHex(key)), { name: 'Ed25519' }, false, ['verify']);
    return await subtle.verify({ name: 'Ed25519' }, imported, Uint8Array.from(signature), Uint8Array.from(text));
  } catch {
    return false; // the browser has Ed25519, as the tests below have shown: these 32 bytes are no point
  }
}

// Made by vectors/gen/veridice1.py: vectors ed25519-rfc-2, -other-message, -cofactor and -mixed-order-key. The third
// holds only if both sides are multiplied by the cofactor; the fourth without it too.
const rules = [
  {
    key: '3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c',
    message: '72',
    signature: '92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da' +
      '085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00',
    valid: true,
  },
  {
    key: 'f56812d85ca16395ee2e3e3eeb79a681e7db3e3639ab7003cc11ff87a9dd9d2f',
    message: '612074657874',
    signature: 'e13e22bf992fbbb9ed19a2c3a7e61f2aaebab27bd152eaa434cc2526c4e31519' +
      'ff944e5b28b860787df4feb978f8ad80d20e2a80a630d791a89ea4a68db84d07',
    valid: false,
  },
  {
    key: '199777c2a5cb491c8685b3d38d4daa9eb22147207782db4ef06f1e8fe008f064',
    message: '6120746578740a',
    signature: '8158c4c5ed493d6ecbcf5a6f3c6b9498e777bbf913219529f4cc5518cb4b4c70' +
      '9d6b2e3aeaf89921f785875605f05e8143cde875373e107cff786a1c988a7c0c',
    valid: false,
  },
  {
    key: '199777c2a5cb491c8685b3d38d4daa9eb22147207782db4ef06f1e8fe008f064',
    message: '6120746578740a',
    signature: '697e37556043950d97881fc998a5ea97035a223869e67ef9819da743ca450110' +
      '289a774c2aca146260e8572cf4bd7b38a65ea77511d1ae7c6e213deb31ca0d00',
    valid: true,
  },
];

/** @type {Promise<boolean> | null} */
let kept = null;

/** Whether there is an Ed25519 that answers the four vectors as the rules want. */
export function browserKeepsTheRules() {
  kept ??= (async () => {
    if (globalThis.crypto?.subtle === undefined) return false;
    for (const { key, message, signature, valid } of rules) {
      if ((await holds(fromHex(message), key, fromHex(signature))) !== valid) return false;
    }
    return true;
  })();
  return kept;
}
