// What may be typed: the alphabet of client seeds (docs/spec/tavli.md) and what a name may hold. The server decides;
// this says it at each key and not only after sending.

const MOST = 128;

/**
 * The first thing that is wrong with a client seed, or null.
 * @param {string} text
 * @returns {null | {fault: 'empty'|'long'} | {fault: 'character', place: number, character: string}}
 */
export function clientFault(text) {
  if (text === '') return { fault: 'empty' };
  const characters = [...text];
  const at = characters.findIndex((c) => !/^[A-Za-z0-9_-]$/.test(c));
  if (at >= 0) return { fault: 'character', place: at + 1, character: codePoint(characters[at]) };
  return characters.length > MOST ? { fault: 'long' } : null;
}

/** A character by itself if it is printable ASCII, else as U+ and its hex digits: what is odd is often invisible. */
export function codePoint(character) {
  const code = character.codePointAt(0);
  return code > 0x20 && code < 0x7f ? character : 'U+' + code.toString(16).toUpperCase().padStart(4, '0');
}

export const LONGEST_NAME = 40;

/**
 * Whether a name can be shown as it is: no control, format (bidi among them), private or line-breaking characters.
 * @param {string} name
 */
export function nameFits(name) {
  return [...name].length <= LONGEST_NAME && !/[\p{C}\p{Zl}\p{Zp}]|(?! )\p{Zs}/u.test(name);
}
