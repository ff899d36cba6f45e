// The seals that this browser was shown at a table, in localStorage, and the openings of
// veridice/1 that it agreed to. app/table-seen.mjs and app/phone say what is kept of a match.

/**
 * @typedef {{seal: string, at: string, rolls: number[][]}} Note
 */

/**
 * What this phone kept of a match, found by the match's name or by its seal; null if it
 * kept nothing, or saw the seal only after a roll had fallen.
 * @param {import('../verifier/veridice.mjs').Report} report
 * @returns {Note | null}
 */
export function keptNote(report) {
  let notes;
  try {
    notes = JSON.parse(localStorage.getItem('veridice.matches') ?? '{}');
  } catch {
    return null; // storage refused, or not ours: as good as nothing
  }
  const { record } = report;
  if (record === null || 'roles' in record || typeof notes !== 'object' || notes === null) return null;
  const named = record.match !== null && Object.hasOwn(notes, record.match) ? notes[record.match] : null;
  const seals = [record.seal, report.seal].filter((seal) => seal);
  const note = named ?? Object.values(notes).find((n) => seals.includes(n?.seal));
  if (typeof note?.seal !== 'string' || !/^[0-9a-f]{64}$/.test(note.seal) || (note.before ?? 0) > 0) return null;
  return { seal: note.seal, at: String(note.at ?? ''), rolls: Array.isArray(note.rolls) ? note.rolls : [] };
}

/**
 * The opening of a match of veridice/1 that this phone was ready for, which it says before
 * the first roll; null if it has no seat in that match.
 * @param {import('../verifier/veridice.mjs').Report} report
 * @returns {Promise<Note | null>}
 */
export async function keptOpening({ record }) {
  if (record === null || !('roles' in record)) return null;
  try {
    const { openKeeper } = await import('./phone/keeper.mjs'); // few have a seat in what they check
    const keeper = await openKeeper(() => globalThis.indexedDB);
    for (const { key, value } of await keeper.list(record.match + '/')) {
      if (key.split('/')[2] === 'ready' && typeof value === 'string' && /^[0-9a-f]{64}$/.test(value)) return { seal: value, at: '', rolls: [] };
    }
  } catch {
    // storage refused: as good as nothing
  }
  return null;
}

/**
 * The rolls as this phone saw them, in the places of those that the record lists. Rolls
 * that it did not see stand as recorded, so that only what it saw can differ.
 * @param {Note} note
 * @param {{roll: number, dice: number[]}[]} recorded
 * @returns {number[][] | undefined} undefined if it saw none
 */
export function seenRolls(note, recorded) {
  /** @type {Map<number, number[]>} */
  const seen = new Map();
  for (const roll of note.rolls) if (Array.isArray(roll) && roll.length > 1) seen.set(roll[0], roll.slice(1));
  if (seen.size === 0) return undefined;
  const rolls = recorded.map(({ dice }, i) => seen.get(i + 1) ?? dice);
  for (let n = rolls.length + 1; seen.has(n); n++) rolls.push(/** @type {number[]} */ (seen.get(n)));
  return rolls;
}
