// What the table knows: a fold over the numbered events of a match, or a snapshot that is worth as much as the
// events up to its `last`. Pure: no clock, no network, no storage.

/**
 * @typedef {{seat: number, name: string, acknowledged: boolean, seeded: boolean}} Seat
 * @typedef {{roll: number, seat: number, dice: number[], game: number}} Roll
 * @typedef {{
 *   match: string, scheme: string, seal: string, phase: 'open'|'running'|'finished',
 *   seats: Seat[], rolls: Roll[], games: number[], clients: string[], server: string|null,
 *   endAsked: number|null, last: number,
 * }} State games holds the number of rolls in each game, 0 in one that was only marked
 */

/** @returns {State} */
export function nothingYet(match) {
  return {
    match, scheme: '', seal: '', phase: 'open', seats: [], rolls: [], games: [], clients: [],
    server: null, endAsked: null, last: 0,
  };
}

/**
 * A snapshot replaces the state, unless the events have gone further already.
 * @param {State} state
 * @param {any} snapshot as GET /v1/matches/ID gives it
 * @returns {State}
 */
export function takeSnapshot(state, snapshot) {
  if (snapshot.last < state.last) return state;
  return {
    match: state.match,
    scheme: snapshot.scheme,
    seal: snapshot.seal,
    phase: snapshot.state,
    seats: snapshot.seats.map((s) => ({
      seat: s.seat, name: s.name ?? '', acknowledged: s.acknowledged, seeded: s.seeded,
    })),
    rolls: snapshot.rolls.map((r) => ({ roll: r.roll, seat: r.seat, dice: [...r.dice], game: r.game })),
    games: [...snapshot.games],
    clients: [...(snapshot.clients ?? [])],
    server: snapshot.server ?? null,
    endAsked: snapshot.end?.asked ?? null,
    last: snapshot.last,
  };
}

/**
 * Applies one event. An event that was applied before changes nothing; one that leaves a gap changes nothing either
 * and says so, and the caller asks for what is missing.
 * @param {State} state
 * @param {any} event
 * @returns {{state: State, gap: boolean}}
 */
export function applyEvent(state, event) {
  if (event.event <= state.last) return { state, gap: false };
  if (event.event !== state.last + 1) return { state, gap: true };
  return { state: { ...state, ...change(state, event), last: event.event }, gap: false };
}

/** @returns {Partial<State>} */
function change(state, event) {
  const seat = (known) => state.seats.map((s) => (s.seat === event.seat ? { ...s, ...known } : s));
  switch (event.type) {
    case 'opened':
      return {
        scheme: event.scheme,
        seal: event.seal,
        phase: 'open',
        seats: Array.from({ length: event.seats }, (_, i) => (
          { seat: i + 1, name: '', acknowledged: false, seeded: false })),
      };
    case 'acknowledged':
      return { seats: seat({ acknowledged: true, name: event.name ?? '' }) };
    case 'seeded':
      return { seats: seat({ seeded: true }) };
    case 'started':
      return { phase: 'running', clients: [...(event.clients ?? [])], games: [0] };
    case 'rolled':
      return {
        rolls: [...state.rolls, {
          roll: event.roll, seat: event.seat, dice: [...event.dice], game: state.games.length,
        }],
        games: state.games.with(-1, state.games.at(-1) + 1),
      };
    case 'game':
      return { games: [...state.games, 0] };
    case 'end-asked':
      return { endAsked: event.seat };
    case 'end-withdrawn':
      return { endAsked: null };
    case 'finished':
      return { phase: 'finished', endAsked: null, server: event.server };
    default:
      return {}; // a later server may tell more; the number counts all the same
  }
}

/** The number of the last roll, 0 before the first. */
export const lastRoll = (state) => state.rolls.length;
