// What this phone saw with its own eyes: the seal before the first roll, each roll when it fell, the client seed it
// made. The first thing seen stays; what the server says later is compared with it, never written over it. The match
// is checked from this, not from the list that the server sends at the end.

/**
 * @typedef {{what: 'seal'|'client'|'roll', number: number, saw: string, says: string}} Difference
 * @typedef {{
 *   seal: string, at: string, before: number, scheme: string, rolls: number[][], clients: string[], games: number[],
 *   seats: {[seat: string]: {token: string, name: string, client: string}}, server: string|null, differs: Difference[],
 * }} Note at: this phone's clock, RFC 3339, when the seal was noted; before: rolls that had fallen by then; rolls:
 * number and dice of each
 */

/**
 * Adds to the note what the state shows for the first time, and to `differs` what is not as it was.
 * @param {Note|null} note
 * @param {import('./table-state.mjs').State} state
 * @param {string} at
 * @returns {Note}
 */
export function see(note, state, at) {
  const next = note ? { ...note } : {
    seal: state.seal, at, before: state.rolls.length, scheme: state.scheme, rolls: [], clients: [], games: [],
    seats: {}, server: null, differs: [],
  };
  /** @type {Difference[]} */
  const found = [];
  differ(found, 'seal', 0, next.seal, state.seal);

  if (next.clients.length === 0) next.clients = [...state.clients];
  for (const [i, says] of state.clients.entries()) {
    differ(found, 'client', i + 1, next.seats[i + 1]?.client || next.clients[i], says);
  }

  const rolls = [...next.rolls];
  for (const { roll, dice } of state.rolls) {
    rolls[roll - 1] ??= [roll, ...dice];
    differ(found, 'roll', roll, faces(rolls[roll - 1]), dice.join('-'));
  }
  // A roll that fell stays in the record: a server that forgot one must not go unnoticed.
  for (const roll of rolls.slice(state.rolls.length)) differ(found, 'roll', roll[0], faces(roll), '');

  next.rolls = rolls;
  if (state.games.length >= next.games.length) next.games = [...state.games];
  next.server ??= state.server;
  next.differs = add(next.differs, found);
  return next;
}

/**
 * Compares a record that the server hands out with the note.
 * @param {Note} note
 * @param {{seal: string, clients: string[], rolls: number[][]}} record
 * @returns {Note}
 */
export function seeRecord(note, record) {
  /** @type {Difference[]} */
  const found = [];
  differ(found, 'seal', 0, note.seal, record.seal);
  const clients = seenClients(note);
  for (let i = 0; i < Math.max(clients.length, record.clients.length); i++) {
    differ(found, 'client', i + 1, clients[i] ?? '', record.clients[i] ?? '');
  }
  for (let i = 0; i < Math.max(note.rolls.length, record.rolls.length); i++) {
    differ(found, 'roll', i + 1, faces(note.rolls[i]), faces(record.rolls[i]));
  }
  return { ...note, differs: add(note.differs, found) };
}

/**
 * The state with the dice that this phone saw: they stay on its screen, whatever the server says later.
 * @param {import('./table-state.mjs').State} state
 * @param {Note} note
 * @returns {import('./table-state.mjs').State}
 */
export function asSeen(state, note) {
  return { ...state, rolls: state.rolls.map((r) => ({ ...r, dice: note.rolls[r.roll - 1].slice(1) })) };
}

/** The client seeds as this phone knows them: what it made itself counts more than what it was told. */
export function seenClients(note) {
  return note.clients.map((told, i) => note.seats[i + 1]?.client || told);
}

const faces = (roll) => (roll ?? []).slice(1).join('-');

function differ(found, what, number, saw, says) {
  if (saw !== says) found.push({ what, number, saw, says });
}

/** Once a difference, always a difference: a server that goes back to what it said first changes nothing. */
function add(differs, found) {
  const known = new Set(differs.map((d) => JSON.stringify(d)));
  return [...differs, ...found.filter((d) => !known.has(JSON.stringify(d)))];
}
