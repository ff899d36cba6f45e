// The evidence of a match, from what this phone saw: its share link. And what the server hands out, to compare with it.

import { parseRecord, recordOf, rollsOf, writeLink, writeRecord } from '../verifier/veridice.mjs';
import { seenClients } from './table-seen.mjs';

/**
 * The share link without #, made from what this phone saw and the server seed that was revealed: a tavli link, or the
 * record where the scheme has no links.
 * @param {import('./table-seen.mjs').Note} note
 */
export function shareFragment(note) {
  const record = seenRecord(note);
  return writeLink(record) ?? recordFragment(writeRecord(record));
}

/** What this phone saw, as a record. @param {import('./table-seen.mjs').Note} note */
export function seenRecord(note) {
  return recordOf({
    scheme: note.scheme, seed: note.server, seal: note.seal, clients: seenClients(note),
    rolls: note.rolls.map(([, ...dice]) => dice), games: note.scheme === 'yayay/1' ? [] : gameCounts(note), // it marks none
  });
}

/**
 * The rolls in each game, as far as they were seen: a game that was marked and not begun has none and is left out, and
 * the counts always add up, else the link would be taken for a cut one.
 */
function gameCounts({ games, rolls }) {
  const counts = games.filter((count) => count > 0);
  const sum = counts.reduce((a, b) => a + b, 0);
  return sum === rolls.length ? counts : [];
}

/**
 * What there is to compare in the record that the server hands out; null if it is none.
 * @param {string} text
 */
export function readRecord(text) {
  const { value } = parseRecord(text);
  if (value === null) return null;
  return {
    seal: value.seal ?? '', clients: value.clients ?? [], rolls: rollsOf(value).map(({ roll, dice }) => [roll, ...dice]),
  };
}

const LONGEST_FRAGMENT = 30_000; // longer ones are cut on their way, and a browser need not keep them

/**
 * A record as the check page takes it behind #; null if it is too long for an address.
 * @param {string} text
 */
export function recordFragment(text) {
  const bytes = new TextEncoder().encode(text);
  if (bytes.length > LONGEST_FRAGMENT) return null;
  const coded = btoa(Array.from(bytes, (b) => String.fromCharCode(b)).join('')).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
  return coded.length > LONGEST_FRAGMENT ? null : 'record=' + coded;
}
