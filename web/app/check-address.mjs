// What a text or an address holds: a record in base64url behind #record=, as other pages
// write it, or whatever else the engines are to read.
import { readAddress } from './replay-address.mjs';
import { verify } from '../verifier/verify.mjs';

const behind = /#record(?:=|%3D)\S*/gi;

/**
 * The text that is to be checked.
 * @param {string} text
 * @returns {string | null} null if it names a record that cannot be read any more
 */
export function inText(text) {
  const found = text.startsWith('veridice ') ? [] : text.match(behind) ?? [];
  if (found.length !== 1) return text;
  const address = readAddress(found[0]);
  return address.kind === 'text' ? address.text : null;
}

/**
 * The report on such an address: part "record" of a link that was cut or changed.
 * @param {string} text
 * @returns {import('../verifier/veridice.mjs').Report}
 */
export function mangledReport(text) {
  return { ...verify(text), verdict: 'unknown', code: 'bad-part', fault: { code: 'bad-part', words: '', part: 'record', line: 0, column: 0, char: '' } };
}
