// A short match of veridice/1 for the page on how dice are made: three chains of four
// links. Nobody signs here, since the reader plays all parties.
import { chainTo, frame, leafHash, openingText, rollOf, startOf } from '../verifier/chain.mjs';
import { fromHex, toHex } from '../verifier/seed.mjs';

/** Links of each chain. Real ones have at least 256. */
export const links = 4;

/**
 * What a match is made of, all in hex.
 * @typedef {object} Parts
 * @property {string} match 32 digits
 * @property {string} rules 64 digits, as the rest
 * @property {string[]} secrets the last link of each role, the server's first
 * @property {string[]} keys of the roles, which would sign
 * @property {number} expires in seconds since 1970
 */

/**
 * @typedef {object} Match
 * @property {string} match
 * @property {Uint8Array[][]} chains of each role, the anchor at 0
 * @property {string} text of the opening
 * @property {Uint8Array} opening its hash
 */

/** @param {Parts} parts @returns {Match} */
export function open({ match, rules, secrets, keys, expires }) {
  const chains = secrets.map((secret, role) => chainTo(match, role, links, secret));
  const roles = chains.map(([anchor], role) => ({ anchor: toHex(anchor), key: keys[role] }));
  const text = openingText(/** @type {any} */ ({ match, seq: 1, rules, links, roles, expires }));
  return { match, chains, text, opening: leafHash(text) };
}

/**
 * A roll of two dice with all that it is made of.
 * @typedef {ReturnType<typeof rollOf> & {roll: number, links: Uint8Array[], head: Uint8Array}} Roll
 */

/**
 * The first rolls of a match.
 * @param {Match} match
 * @param {number} count up to links
 * @param {Uint8Array[]} [last] links of all roles for the last of them, in the place of the true ones
 * @returns {Roll[]}
 */
export function rolls({ opening, chains }, count, last) {
  /** @type {Roll[]} */
  const made = [];
  let head = startOf(opening);
  for (let roll = 1; roll <= count; roll++) {
    const given = roll === count && last ? last : chains.map((chain) => chain[roll]);
    const one = rollOf(opening, head, { roll, actor: 1 + ((roll - 1) % 2), faces: [6, 6] }, given);
    made.push({ roll, links: given, head, ...one });
    head = one.after;
  }
  return made;
}

/** What is hashed to check a link: the link before it comes out. @param {string} match @param {number} role @param {number} index of the link before @param {string} link hex */
export function linkFrame(match, role, index, link) {
  return toHex(frame('link', [fromHex(match), Uint8Array.of(role), Uint8Array.of(0, 0, index >> 8, index & 255), fromHex(link)]));
}

/**
 * Whether a link gives the one before it.
 * @param {Match} match
 * @param {number} role
 * @param {number} index of the link
 * @param {string} link hex
 */
export function fits({ match, chains }, role, index, link) {
  return toHex(chainTo(match, role, index, link)[index - 1]) === toHex(chains[role][index - 1]);
}
