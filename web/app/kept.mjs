// The seals that this browser was shown at a table, in localStorage, and the openings of
// veridice/1 that it agreed to. app/table-seen.mjs and app/phone say what is kept of a match.

/**
 * A note of a seal, or of an opening: when, and the rolls that were seen under it. A copy was
 * imported: what another browser noted, of which nothing but the seal is taken.
 * @typedef {{seal: string, at: string, rolls: number[][], copy: boolean}} Note
 */

/**
 * Notes of matches by their id.
 * @param {'veridice.matches' | 'veridice.imported'} key
 * @returns {{[match: string]: any}}
 */
function read(key) {
  try {
    return JSON.parse(localStorage.getItem(key) ?? '{}') ?? {};
  } catch {
    return {}; // storage refused, or not ours: as good as nothing
  }
}

/** What can be taken of a note: nothing of one made after a roll had fallen. @param {any} note @param {boolean} copy @returns {Note | null} */
function usable(note, copy) {
  if (typeof note?.seal !== 'string' || !/^[0-9a-f]{64}$/.test(note.seal) || (note.before ?? 0) > 0) return null;
  return { seal: note.seal, at: String(note.at ?? ''), rolls: !copy && Array.isArray(note.rolls) ? note.rolls : [], copy };
}

/**
 * What this phone kept of a match, found by the match's name or by its seal; null if it
 * kept nothing, or saw the seal only after a roll had fallen.
 * @param {import('../verifier/veridice.mjs').Report} report
 * @returns {Note | null}
 */
export function keptNote(report) {
  const { record } = report;
  if (record === null || 'roles' in record) return null;
  const seals = [record.seal, report.seal].filter((seal) => seal);
  const find = (/** @type {{[match: string]: any}} */ notes) => (record.match !== null && Object.hasOwn(notes, record.match) ? notes[record.match]
    : Object.values(notes).find((note) => seals.includes(note?.seal)));
  return usable(find(read('veridice.matches')), false) ?? usable(find(read('veridice.imported')), true);
}

/**
 * The opening of a match of veridice/1 that this phone was ready for, which it says before
 * the first roll; or else the one of a copy; null if there is neither.
 * @param {import('../verifier/veridice.mjs').Report} report
 * @returns {Promise<Note | null>}
 */
export async function keptOpening({ record }) {
  if (record === null || !('roles' in record)) return null;
  const of = (/** @type {{[match: string]: any}} */ notes) => (Object.hasOwn(notes, record.match) ? notes[record.match] : null);
  try {
    const { openKeeper } = await import('./phone/keeper.mjs'); // few have a seat in what they check
    const keeper = await openKeeper(() => globalThis.indexedDB);
    for (const { key, value } of await keeper.list(record.match + '/')) {
      if (key.split('/')[2] !== 'ready') continue;
      const seen = usable(of(read('veridice.matches')), false);
      const note = usable({ seal: value, at: seen?.seal === value ? seen?.at : '' }, false);
      if (note !== null) return note;
    }
  } catch {
    // storage refused: as good as nothing
  }
  return usable(of(read('veridice.imported')), true);
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
