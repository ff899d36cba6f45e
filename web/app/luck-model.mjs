// What a match is measured by on the luck page. Only rolls that were played are counted,
// and nothing here is part of a verdict. Pure.
import { binomial, doubleOf, facesOf, flagged, longest, mean, otherwise, pips, share, sums, tail } from '../verifier/odds.mjs';
import { dealsCards } from './replay-model.mjs';

/**
 * @typedef {import('../verifier/odds.mjs').Distribution} Distribution
 * @typedef {import('../verifier/odds.mjs').Chance} Chance
 *
 * A number that was counted, and how it is distributed with honest dice.
 * @typedef {object} Measure
 * @property {'doubles' | 'run' | 'without' | 'pips' | 'alike' | 'heads' | 'sum'} kind
 * @property {number} rolls of which it was counted
 * @property {number} value
 * @property {Distribution | null} distribution null if that is too much to count
 *
 * How unusual it is: `share` of all such matches have as many or more (above), or as few or fewer.
 * @typedef {{above: boolean, share: number, mean: number, rare: boolean, alarm: number}} Judgement
 */

/** One in so many on either side is called rare. */
export const rarity = 200;

/** @typedef {{faces: number[], dice: number[]}} Roll */

const isPair = (/** @type {Roll} */ { faces }) => faces.length === 2 && faces[0] === 6 && faces[1] === 6;

const isFive = (/** @type {Roll} */ { faces }) => faces.length === 5 && faces.every((n) => n === 6);

const isCoin = (/** @type {Roll} */ { faces }) => faces.every((n) => n === 2);

/** Whether at least three dice show the same. @param {number[]} dice */
const alike = (dice) => dice.some((one) => dice.filter((other) => other === one).length >= 3);

/** That it happens with five dice of six faces. @param {string} scheme @returns {Chance} */
function alikeOf(scheme) {
  const faces = facesOf(scheme, 6);
  let of = 0n;
  let all = 0n;
  for (let cast = 0; cast < 6 ** 5; cast++) {
    const dice = [0, 1, 2, 3, 4].map((i) => Math.floor(cast / 6 ** i) % 6);
    const cases = dice.reduce((product, die) => product * faces[die], 1n);
    all += cases;
    if (alike(dice)) of += cases;
  }
  return { of, all };
}

/**
 * Measures the rolls of some matches, those of one player or of all. Doubles count where two
 * dice are thrown each time: of five dice, of which some are thrown again, two that are alike
 * mean nothing. Streaks do not go on from one match to the next.
 * @param {string} scheme of all of them; those that count alike are one
 * @param {Roll[][]} matches
 * @returns {Measure[]}
 */
export function measure(scheme, matches) {
  const played = matches.filter((rolls) => !dealsCards(rolls));
  const pairs = played.filter((rolls) => rolls.length > 0 && rolls.every(isPair));
  const others = played.filter((rolls) => !rolls.every(isPair)).flat();
  const fives = others.filter(isFive);
  const [coins, numbers] = [true, false].map((wanted) => others.filter((roll) => isCoin(roll) === wanted));
  /** @type {Measure[]} */
  const list = [];
  if (pairs.length > 0) {
    const lengths = pairs.map((rolls) => rolls.length);
    const all = pairs.flat();
    const rolls = all.length;
    const double = doubleOf(scheme);
    const doubles = pairs.map((one) => one.map(({ dice }) => dice[0] === dice[1]));
    const runs = (/** @type {boolean} */ wanted) => Math.max(...doubles.map((trials) => longestRun(trials, wanted)));
    list.push({ kind: 'doubles', rolls, value: doubles.flat().filter(Boolean).length, distribution: binomial(rolls, double) });
    list.push({ kind: 'run', rolls, value: runs(true), distribution: longest(lengths, double, runs(true)) });
    list.push({ kind: 'without', rolls, value: runs(false), distribution: longest(lengths, otherwise(double), runs(false)) });
    list.push({ kind: 'pips', rolls, value: sum(all.map(({ dice: [a, b] }) => (a === b ? 4 * a : a + b))), distribution: pips(rolls, facesOf(scheme, 6)) });
  }
  if (fives.length > 0) {
    list.push({ kind: 'alike', rolls: fives.length, value: fives.filter(({ dice }) => alike(dice)).length, distribution: binomial(fives.length, alikeOf(scheme)) });
  }
  if (coins.length > 0) {
    const sides = coins.flatMap(({ dice }) => dice);
    list.push({ kind: 'heads', rolls: coins.length, value: sides.filter((side) => side === 1).length, distribution: binomial(sides.length, { of: 1n, all: 2n }) });
  }
  if (numbers.length > 0) {
    list.push({ kind: 'sum', rolls: numbers.length, value: sum(numbers.flatMap(({ dice }) => dice)), distribution: sums(numbers.flatMap(({ faces }) => faces), scheme) });
  }
  return list;
}

/** @param {number[]} numbers */
const sum = (numbers) => numbers.reduce((total, n) => total + n, 0);

/** @param {boolean[]} trials @param {boolean} wanted */
function longestRun(trials, wanted) {
  let most = 0;
  let now = 0;
  for (const trial of trials) {
    now = trial === wanted ? now + 1 : 0;
    most = Math.max(most, now);
  }
  return most;
}

/**
 * @param {Distribution} distribution
 * @param {number} value
 * @returns {Judgement}
 */
export function judge(distribution, value) {
  const up = share(tail(distribution, value, true));
  const down = share(tail(distribution, value, false));
  const above = up <= down;
  const part = Math.min(up, down);
  return { above, share: part, mean: mean(distribution), rare: part * rarity <= 1, alarm: share(flagged(distribution, BigInt(rarity))) };
}

/**
 * Bars of a plot: numbers that stand together, with their part of all cases. The plot is as
 * wide as what is likely, and as the value wants.
 * @typedef {{from: number, to: number, share: number, here: boolean}} Bar
 * @param {Distribution} distribution
 * @param {number} value
 * @param {number} [most] bars
 * @returns {Bar[]}
 */
export function bars(distribution, value, most = 40) {
  const { first, counts, total } = distribution;
  const shares = counts.map((count) => share({ of: count, all: total }));
  let low = 0;
  let high = counts.length - 1;
  while (low < high && shares[low] < 1e-4 && first + low < value) low++;
  while (high > low && shares[high] < 1e-4 && first + high > value) high--;
  const width = Math.ceil((high - low + 1) / most);
  const list = [];
  for (let i = low; i <= high; i += width) {
    const end = Math.min(i + width - 1, high);
    list.push({ from: first + i, to: first + end, share: sum(shares.slice(i, end + 1)), here: value >= first + i && value <= first + end });
  }
  return list;
}
