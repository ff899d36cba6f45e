/**
 * How likely the luck of a match was, counted exactly: whole numbers of equally likely
 * cases, never a float before the last step. The same numbers as `veridice odds`. No
 * verdict looks at them: honest dice are lucky and unlucky too.
 */

/** In `of` of `all` equally likely cases. @typedef {{of: bigint, all: bigint}} Chance */

/**
 * In counts[i] of total equally likely cases a number is first + i. With `open` the last
 * line stands for that number and all above it.
 * @typedef {{first: number, counts: bigint[], total: bigint, open: boolean}} Distribution
 */

/** Counted numbers have at most so many bits together, which is a second's work. */
const mostBits = 2 ** 25;

/** Words that give each face of a die of yayay/1, which are not quite as many. */
const yayayFaces = [715827883n, 715827883n, 715827883n, 715827883n, 715827882n, 715827882n];

/**
 * In how many equally likely cases a die of a scheme shows each face, the first being 1.
 * @param {string} scheme
 * @param {number} faces
 * @returns {bigint[]}
 */
export function facesOf(scheme, faces) {
  return scheme === 'yayay/1' ? yayayFaces : Array(faces).fill(1n);
}

/** That two dice of six faces show the same. @param {string} scheme @returns {Chance} */
export function doubleOf(scheme) {
  if (scheme !== 'yayay/1') return { of: 1n, all: 6n };
  return { of: yayayFaces.reduce((sum, count) => sum + count * count, 0n), all: 2n ** 64n };
}

/** That it does not happen. @param {Chance} chance @returns {Chance} */
export const otherwise = ({ of, all }) => ({ of: all - of, all });

/** @param {bigint} number */
const bitsOf = (number) => number.toString(16).length * 4;

/**
 * Cases of n trials without k successes in a row, of all^n. For k = 0 there are none.
 * @param {number} n
 * @param {number} k
 * @param {Chance} chance
 */
function without(n, k, { of, all }) {
  if (k === 0) return 0n;
  if (k > n) return all ** BigInt(n);
  // The first such run ends at trial i if the k before are successes, the one before
  // those is none, and no run came earlier.
  const run = of ** BigInt(k);
  const last = (all - of) * run;
  const none = [1n];
  for (let i = 1; i <= n; i++) {
    let ways = none[i - 1] * all;
    if (i === k) ways -= run;
    if (i > k) ways -= last * none[i - k - 1];
    none.push(ways);
  }
  return none[n];
}

/**
 * That in at least one of some matches, of so many trials each, k successes come in a row.
 * @param {number[]} lengths
 * @param {number} k
 * @param {Chance} chance
 * @returns {Chance}
 */
export function runOf(lengths, k, chance) {
  let none = 1n;
  let all = 1n;
  for (const n of lengths) {
    none *= without(n, k, chance);
    all *= chance.all ** BigInt(n);
  }
  return { of: all - none, all };
}

/**
 * How long the longest run of successes in some matches is. What is longer than `least`
 * and comes in fewer than one of a thousand cases stands together in the last line.
 * @param {number[]} lengths
 * @param {Chance} chance
 * @param {number} least
 * @returns {Distribution | null} null if that is too much to count
 */
export function longest(lengths, chance, least) {
  const trials = lengths.reduce((sum, n) => sum + n, 0);
  if (trials * trials * bitsOf(chance.all) > 8 * mostBits) return null;
  const most = Math.max(0, ...lengths);
  const counts = [];
  const { all: total } = runOf(lengths, 0, chance);
  let above = total; // a run of none is always there
  for (let k = 0; ; k++) {
    const next = k >= most ? 0n : runOf(lengths, k + 1, chance).of;
    if (next === 0n) return { first: 0, counts: [...counts, above], total, open: false };
    counts.push(above - next);
    above = next;
    if (k >= least && above * 1000n < total) return { first: 0, counts: [...counts, above], total, open: true };
  }
}

/**
 * How many of n trials succeed.
 * @param {number} n
 * @param {Chance} chance
 * @returns {Distribution | null} null if that is too much to count
 */
export function binomial(n, { of, all }) {
  if (n * n * bitsOf(all) > 8 * mostBits) return null;
  const miss = all - of;
  let ways = miss ** BigInt(n);
  const counts = [ways];
  for (let k = 0; k < n; k++) {
    ways = (ways * BigInt(n - k) * of) / (BigInt(k + 1) * miss); // without a remainder
    counts.push(ways);
  }
  return { first: 0, counts, total: all ** BigInt(n), open: false };
}

/**
 * Sums of independent numbers. Each number's counts become one whole number with room
 * between them, so that the product of these holds the counts of the sum side by side.
 * @param {{counts: bigint[], times: number}[]} parts counts[i] cases are i
 * @returns {Distribution | null} null if that is too much to count
 */
function convolved(parts) {
  let total = 1n;
  let slots = 1;
  for (const { counts, times } of parts) {
    const bits = bitsOf(counts.reduce((sum, c) => sum + c, 0n));
    slots += (counts.length - 1) * times;
    if (slots * bits * times > mostBits * 2) return null; // before the power is raised
    total *= counts.reduce((sum, c) => sum + c, 0n) ** BigInt(times);
  }
  const digits = total.toString(16).length; // of a slot
  if (slots * digits * 4 > mostBits) return null;
  const room = BigInt(digits * 4);
  let all = 1n;
  for (const { counts, times } of parts) {
    const packed = counts.reduceRight((sum, c) => (sum << room) | c, 0n);
    all *= packed ** BigInt(times);
  }
  const text = all.toString(16).padStart(slots * digits, '0');
  const counts = [];
  for (let end = text.length; end > 0; end -= digits) counts.push(BigInt('0x' + text.slice(end - digits, end)));
  const first = counts.findIndex((c) => c > 0n);
  return { first, counts: counts.slice(first), total, open: false };
}

/**
 * The points that n rolls of two dice move in backgammon, where doubles move twice.
 * @param {number} n
 * @param {bigint[]} [faces] cases of each face
 * @returns {Distribution | null} null if that is too much to count
 */
export function pips(n, faces = facesOf('', 6)) {
  const counts = Array(25).fill(0n);
  faces.forEach((one, i) => faces.forEach((other, j) => { counts[i === j ? 4 * (i + 1) : i + j + 2] += one * other; }));
  return convolved([{ counts, times: n }]);
}

/**
 * The sum of dice of any kinds.
 * @param {number[]} dice faces of each
 * @param {string} [scheme]
 * @returns {Distribution | null} null if that is too much to count
 */
export function sums(dice, scheme = '') {
  /** @type {Map<number, number>} */
  const kinds = new Map();
  for (const faces of dice) kinds.set(faces, (kinds.get(faces) ?? 0) + 1);
  if (dice.reduce((sum, faces) => sum + faces, 0) > mostBits / 8) return null;
  return convolved(Array.from(kinds, ([faces, times]) => ({ counts: [0n, ...facesOf(scheme, faces)], times })));
}

/**
 * That a number is at least a value, or not above it.
 * @param {Distribution} distribution
 * @param {number} value
 * @param {boolean} above
 * @returns {Chance}
 */
export function tail({ first, counts, total }, value, above) {
  const at = value - first;
  const lines = above ? counts.slice(Math.max(0, at)) : counts.slice(0, Math.max(0, at + 1));
  return { of: lines.reduce((sum, count) => sum + count, 0n), all: total };
}

/**
 * That a number is so far up, or so far down, that at most one of `rarity` cases is there:
 * how often an honest match is called rare by such a rule.
 * @param {Distribution} distribution
 * @param {bigint} rarity
 * @returns {Chance}
 */
export function flagged({ counts, total }, rarity) {
  let of = 0n;
  for (const lines of [counts, [...counts].reverse()]) {
    let sum = 0n;
    for (const count of lines) {
      if ((sum + count) * rarity > total) break;
      sum += count;
    }
    of += sum;
  }
  return { of, all: total };
}

/** A chance as a number from 0 to 1, to twelve digits and more. @param {Chance} chance */
export function share({ of, all }) {
  if (of === 0n) return 0;
  const more = BigInt(Math.max(0, bitsOf(all) - bitsOf(of) + 64));
  return Number((of << more) / all) / 2 ** Number(more);
}

/** The average of a distribution. @param {Distribution} distribution */
export function mean({ first, counts, total }) {
  return first + share({ of: counts.reduce((sum, count, i) => sum + count * BigInt(i), 0n), all: total });
}
