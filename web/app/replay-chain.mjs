// The rolls of a record of veridice/1, each with all that it is made of.
import { afterMove, chainTo, leafHash, openingText, rollOf, startOf } from '../verifier/chain.mjs';
import { toHex } from '../verifier/seed.mjs';

/** @typedef {import('../verifier/veridice.mjs').ChainRecord} ChainRecord */

/**
 * @typedef {ReturnType<typeof rollOf> & {
 *   roll: number, opening: Uint8Array, head: Uint8Array, actor: number, faces: number[], links: Uint8Array[],
 * }} Made head is the one before the roll
 */

/**
 * The chains of a record, and its rolls, each made when it is first asked for. A roll for
 * which a party has no link is null, and so are all after it.
 * @param {ChainRecord} record
 */
export function openChains(record) {
  const opening = leafHash(openingText(record));
  const chains = record.last.map(({ role, index, link }) => chainTo(record.match, role, index, link));
  const holds = chains.map((links, role) => toHex(links[0]) === record.roles[role].anchor);
  /** @type {(Made | null)[]} by number */
  const made = [null];
  let head = startOf(opening);
  let next = 0; // of the entries

  return {
    opening: toHex(opening),
    /** Whether the last link of a role leads to its anchor. @param {number} role */
    holds: (role) => holds[role],
    /** A link as hex, or '' if the record has none of that index. @param {number} role @param {number} index */
    link: (role, index) => (chains[role][index] ? toHex(chains[role][index]) : ''),
    roll,
  };

  /** @param {number} n @returns {Made | null} */
  function roll(n) {
    while (made.length <= n && next < record.entries.length) {
      const entry = record.entries[next++];
      if (entry.type === 'move') {
        head = afterMove(head, entry);
        continue;
      }
      const number = made.length;
      const links = chains.map((chain) => chain[number]);
      if (entry.roll !== number || links.includes(/** @type {any} */ (undefined))) {
        next = record.entries.length;
        break;
      }
      const one = rollOf(opening, head, entry, links);
      made.push({ ...one, roll: number, opening, head, actor: entry.actor, faces: entry.faces, links });
      head = one.after;
    }
    return made[n] ?? null;
  }
}
