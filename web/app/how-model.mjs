// What the page on how dice are made works out, without the page: bits of a key, a short
// game of yayay/1 that the reader forges, and rolls of tavli/1 that leave a byte out.
import { computeRolls, explain, recordOf, sealOf, verifyRecord } from '../verifier/veridice.mjs';

/** @typedef {import('../verifier/veridice.mjs').Report} Report */

// ---- bits ----

/** @param {string} hex @param {number} bit from 0, the highest of the first byte @returns {string} */
export function flipBit(hex, bit) {
  const at = bit >> 2;
  return hex.slice(0, at) + (parseInt(hex[at], 16) ^ (8 >> (bit & 3))).toString(16) + hex.slice(at + 1);
}

/** Which bits of two hex texts of one length differ. @param {string} a @param {string} b @returns {boolean[]} */
export function differing(a, b) {
  return Array.from({ length: 4 * a.length }, (_, bit) => ((parseInt(a[bit >> 2], 16) ^ parseInt(b[bit >> 2], 16)) & (8 >> (bit & 3))) !== 0);
}

// ---- the forged game ----

/** Throws in the game, and dice in a throw. */
export const throws = 8;
export const perThrow = 2;

/**
 * A game of yayay/1 as its record would have it.
 * @typedef {{key: string, seal: string, rolls: number[][]}} Game
 */

/**
 * What a check names: a throw, the fingerprint, or nothing, since all of it fits. It is
 * also what the reader bets on.
 * @typedef {number | 'seal' | 'nothing'} Named
 */

/**
 * A forgery under way. In attempt 1 only the dice may be changed, in attempt 2 the key too,
 * in attempt 3 the fingerprint as well.
 * @typedef {object} Forgery
 * @property {Game} dealt the game as it was
 * @property {Game} game as the forger has it now
 * @property {Game[]} past for undoing, the latest last
 * @property {1 | 2 | 3} attempt
 * @property {Named | null} bet placed and not yet settled
 * @property {Report | null} report of the check, null once something was changed after it
 * @property {boolean} earlier whether that check knew the fingerprint shown before the first throw
 * @property {{attempt: number, bet: Named, named: Named}[]} bets settled, the latest last
 */

/** The game that a key gives. @param {string} key 64 hex digits @returns {Game} */
export function deal(key) {
  const bare = recordOf({ scheme: 'yayay/1', seed: key, seal: null, clients: [], rolls: [], games: [] });
  return { key, seal: sealOf(key), rolls: computeRolls(bare, Array(throws).fill(perThrow)) };
}

/** @param {string} key @returns {Forgery} */
export function forge(key) {
  const dealt = deal(key);
  return { dealt, game: dealt, past: [], attempt: 1, bet: null, report: null, earlier: false, bets: [] };
}

/** The record that a game would be handed over as. @param {Game} game */
export const gameRecord = ({ key, seal, rolls }) => recordOf({ scheme: 'yayay/1', seed: key, seal, clients: [], rolls, games: [] });

/** @param {Forgery} forgery @param {'dice' | 'key' | 'seal'} part @returns {boolean} */
export const mayChange = ({ attempt }, part) => attempt >= { dice: 1, key: 2, seal: 3 }[part];

/** @param {Forgery} forgery @param {Game} game @returns {Forgery} */
function changed(forgery, game) {
  return { ...forgery, game, past: [...forgery.past, forgery.game], report: null, earlier: false };
}

/**
 * Changes a die.
 * @param {Forgery} forgery
 * @param {number} roll from 0
 * @param {number} die from 0
 * @param {number} [value] the next face unless given
 * @returns {Forgery}
 */
export function setDie(forgery, roll, die, value) {
  const old = forgery.game.rolls[roll][die];
  const face = value ?? (old % 6) + 1;
  if (face === old) return forgery;
  const rolls = forgery.game.rolls.map((dice, r) => (r === roll ? dice.map((one, d) => (d === die ? face : one)) : dice));
  return changed(forgery, { ...forgery.game, rolls });
}

/** Another key with its own throws, under the old fingerprint. @param {Forgery} forgery @param {string} key @returns {Forgery} */
export function setKey(forgery, key) {
  return mayChange(forgery, 'key') ? changed(forgery, { ...deal(key), seal: forgery.game.seal }) : forgery;
}

/** A fingerprint that fits the key. @param {Forgery} forgery @returns {Forgery} */
export function setSeal(forgery) {
  const seal = sealOf(forgery.game.key);
  return mayChange(forgery, 'seal') && seal !== forgery.game.seal ? changed(forgery, { ...forgery.game, seal }) : forgery;
}

/** Takes the last change back. @param {Forgery} forgery @returns {Forgery} */
export function undo(forgery) {
  const game = forgery.past.at(-1);
  return game === undefined ? forgery : { ...forgery, game, past: forgery.past.slice(0, -1), report: null, earlier: false };
}

/** Begins an attempt with the game as it was. @param {Forgery} forgery @param {1 | 2 | 3} attempt @returns {Forgery} */
export function begin(forgery, attempt) {
  return { ...forgery, game: forgery.dealt, past: [], attempt, bet: null, report: null, earlier: false };
}

/** @param {Forgery} forgery @param {Named | null} bet @returns {Forgery} */
export const place = (forgery, bet) => ({ ...forgery, bet });

/** Checks the game and settles the bet; without a bet there is no check. @param {Forgery} forgery @returns {Forgery} */
export function check(forgery) {
  const { bet, attempt } = forgery;
  if (bet === null) return forgery;
  const report = verifyRecord(gameRecord(forgery.game));
  return { ...forgery, report, earlier: false, bet: null, bets: [...forgery.bets, { attempt, bet, named: nameOf(report) }] };
}

/** Checks again, with the fingerprint that was shown before the first throw. @param {Forgery} forgery @returns {Forgery} */
export function checkEarlier(forgery) {
  return { ...forgery, report: verifyRecord(gameRecord(forgery.game), { seal: forgery.dealt.seal, kept: true }), earlier: true };
}

/** What a report of such a game names. @param {Report} report @returns {Named} */
export function nameOf({ verdict, place: { kind, number } }) {
  if (verdict === 'proven') return 'nothing';
  return kind === 'roll' ? number : 'seal';
}

// ---- tavli/1 ----

/** A match of tavli/1 without rolls. @param {string} seed @param {string[]} clients */
export const tavliRecord = (seed, clients) => recordOf({ seed, seal: sealOf(seed), clients, rolls: [], games: [] });

/** A match of tavli/1 of one game. @param {string} seed @param {string[]} clients @param {number} count of rolls */
export function tavliMatch(seed, clients, count) {
  const rolls = computeRolls(tavliRecord(seed, clients), Array(count).fill(2));
  return recordOf({ seed, seal: sealOf(seed), clients, rolls, games: [count] });
}

const farthest = 100000; // rolls looked at; one in 64 leaves a byte out

/**
 * The next roll that leaves a byte out.
 * @param {string} seed
 * @param {string[]} clients
 * @param {number} after the roll before the first that is looked at
 * @returns {number} 0 if there is none as far as anybody looks
 */
export function nextSkipping(seed, clients, after) {
  const record = tavliRecord(seed, clients);
  for (let roll = after + 1; roll <= after + farthest; roll++) {
    const made = explain(record, roll);
    if (made?.scheme === 'tavli/1' && made.blocks[0].skipped.length > 0) return roll;
  }
  return 0;
}
