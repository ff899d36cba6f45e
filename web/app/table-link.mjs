// The share link of a finished match, docs/spec/tavli.md: everything a check needs, in the fragment.

import { seenClients } from './table-seen.mjs';

/**
 * The fragment without #, made from what this phone saw and the server seed that was revealed.
 * @param {import('./table-seen.mjs').Note} note
 */
export function shareFragment(note) {
  const parts = [`v=1`, `s=${note.server}`, `c=${note.seal}`, `p=${seenClients(note).join(',')}`];
  if (note.rolls.length > 0) {
    parts.push(`r=${note.rolls.map(([, ...dice]) => dice.join('')).join('')}`);
    parts.push(`g=${gameCounts(note).join(',')}`);
  }
  return parts.join('&');
}

/**
 * The rolls in each game, as far as they were seen: a game that was marked and not begun has none and is left out, and
 * the counts always add up, else the link would be taken for a cut one.
 */
function gameCounts({ games, rolls }) {
  const counts = games.filter((count) => count > 0);
  const sum = counts.reduce((a, b) => a + b, 0);
  return sum === rolls.length ? counts : [rolls.length];
}

/**
 * Reads as much of a canonical record as there is to compare; null if this is none.
 * @param {string} text
 */
export function readRecord(text) {
  const lines = text.split('\n');
  if (lines[0] !== 'veridice record 1') return null;
  const record = { seal: '', clients: /** @type {string[]} */ ([]), rolls: /** @type {number[][]} */ ([]), server: '' };
  for (const line of lines.slice(1)) {
    const [name, ...fields] = line.split(' ');
    if (name === 'seal') record.seal = fields[0];
    if (name === 'client') record.clients.push(fields[0]);
    if (name === 'roll') record.rolls.push(fields.map(Number));
    if (name === 'seed') record.server = fields[0];
  }
  return record;
}
