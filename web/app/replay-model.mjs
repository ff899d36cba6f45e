// A match as it is played again: rolls with their games, seats and moves, made of a record
// and, where the match came from the server, of its events. Pure.

/**
 * @typedef {import('../verifier/veridice.mjs').Record} Record
 * @typedef {import('../verifier/veridice.mjs').ChainRecord} ChainRecord
 *
 * @typedef {{role: number, move: string}} Move
 * @typedef {object} Roll
 * @property {number} roll
 * @property {number[]} faces of each die
 * @property {number[]} dice
 * @property {number | null} seat who rolled, 0 for the server, if anything says so
 * @property {number} game
 * @property {string} at when the server noted it, in UTC, or ''
 * @property {Move[]} moves between the roll before and this one
 *
 * @typedef {{game: number, first: number, last: number}} Game numbers of rolls
 *
 * @typedef {object} Match
 * @property {string} scheme
 * @property {Roll[]} rolls
 * @property {Game[]} games
 * @property {Move[]} rest moves after the last roll
 * @property {string[]} names by seat, '' for none; place 0 is the server's
 * @property {number} seats 0 if nothing says how many
 * @property {number} deck cards that the terms deal from, 0 if they deal none or are not known
 */

/**
 * @param {Record | ChainRecord} record
 * @param {any[]} [events] of the server
 * @param {number} [deck]
 * @returns {Match}
 */
export function matchOf(record, events = [], deck = 0) {
  const fell = new Map(events.filter((e) => e.type === 'rolled').map((e) => [e.roll, e]));
  const chain = 'roles' in record;
  /** @type {Roll[]} */
  const rolls = [];
  /** @type {Move[]} */
  let moves = [];
  let game = 1;
  let fresh = true; // no roll yet in this game
  for (const entry of record.entries) {
    if (entry.type === 'move') moves.push({ role: entry.role, move: entry.move });
    if (entry.type === 'game' || (entry.type === 'move' && entry.move === 'game')) {
      if (!fresh) game++;
      fresh = true;
    }
    if (entry.type !== 'roll') continue;
    const event = fell.get(entry.roll);
    const seat = 'actor' in entry ? entry.actor : event?.seat;
    const faces = 'faces' in entry ? entry.faces : entry.dice.map(() => 6);
    rolls.push({ roll: entry.roll, faces, dice: entry.dice, seat: Number.isInteger(seat) ? seat : null, game, at: moment(event), moves });
    moves = [];
    fresh = false;
  }
  const seats = chain ? record.roles.length - 1 : record.clients?.length ?? 0;
  return { scheme: record.scheme, rolls, games: gamesIn(rolls), rest: moves, names: namesOf(events, seats), seats, deck };
}

/** @param {any} event @returns {string} in UTC, '' if it has none */
const moment = (event) => (typeof event?.at === 'string' && !Number.isNaN(Date.parse(event.at)) ? event.at : '');

/** @param {Roll[]} rolls @returns {Game[]} */
function gamesIn(rolls) {
  /** @type {Game[]} */
  const games = [];
  rolls.forEach(({ game }, i) => {
    const last = games.at(-1);
    if (last?.game === game) last.last = i + 1;
    else games.push({ game, first: i + 1, last: i + 1 });
  });
  return games;
}

/** @param {any[]} events @param {number} seats */
function namesOf(events, seats) {
  const names = Array(seats + 1).fill('');
  for (const e of events) {
    if (e.type === 'acknowledged' && Number.isInteger(e.seat) && e.seat >= 1 && e.seat <= 16 && typeof e.name === 'string') names[e.seat] = e.name;
  }
  return names;
}

/** Events that a reader is told; the others are parts of a roll. */
const told = new Set([
  'opened', 'acknowledged', 'seeded', 'offered', 'joined', 'anchored', 'readied', 'started', 'game', 'end-asked', 'end-withdrawn',
  'finished', 'aborted', 'signed', 'next',
]);

/**
 * What happened, in order; rolls without anything between them stand together.
 * @typedef {{type: string, seat: number, name: string, at: string, from: number, to: number, until: string}} Told
 *   of rolls, type `rolls`: their numbers, and when the first and the last fell
 * @param {any[]} events
 * @returns {Told[]}
 */
export function timeline(events) {
  /** @type {Told[]} */
  const list = [];
  for (const e of events) {
    const at = moment(e);
    const last = list.at(-1);
    if (e.type === 'rolled') {
      if (last?.type === 'rolls') Object.assign(last, { to: e.roll, until: at });
      else list.push({ type: 'rolls', seat: 0, name: '', at, from: e.roll, to: e.roll, until: at });
      continue;
    }
    const type = e.type === 'moved' && /\nmove game\n/.test(String(e.note)) ? 'game' : e.type;
    if (told.has(type)) list.push({ type, seat: e.seat ?? 0, name: e.name ?? '', at, from: 0, to: 0, until: '' });
  }
  return list;
}

/**
 * Whether the dice deal cards: each has one face less than the one before, as long as a
 * deck lasts.
 * @param {{faces: number[]}[]} rolls
 */
export function dealsCards(rolls) {
  const faces = rolls.flatMap((roll) => roll.faces);
  let down = 0;
  for (let i = 1; i < faces.length; i++) {
    if (faces[i] === faces[i - 1] - 1) down++;
    else if (faces[i] !== faces[0]) return false;
  }
  return down > 0 && 2 * down >= faces.length - 1;
}
