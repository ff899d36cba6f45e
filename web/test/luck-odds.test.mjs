import { test } from 'node:test';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { binomial, doubleOf, facesOf, flagged, longest, mean, otherwise, pips, runOf, share, sums, tail } from '../verifier/odds.mjs';
import { path } from './verifier-support.mjs';

// Made by vectors/gen/odds.py, and the same that package stats is held to.
const vectors = readFileSync(path('vectors/games/odds.ndjson'), 'utf8').split('\n').filter(Boolean).map((line) => JSON.parse(line));
const ofKind = (kind) => vectors.filter((v) => v.kind === kind);
const chance = ([of, all]) => ({ of: BigInt(of), all: BigInt(all) });

/** Lines of a distribution that come at all, and its total. */
const lines = ({ first, counts }) => counts.map((count, i) => [String(first + i), String(count)]).filter(([, count]) => count !== '0');

test('a streak in so many rolls', () => {
  assert.ok(ofKind('run').length >= 7);
  for (const v of ofKind('run')) {
    const { of, all } = runOf([v.rolls], v.row, chance(v.of));
    assert.equal(of * BigInt(v.total), all * BigInt(v.count), v.name);
  }
});

test('how many, how long and how many points', () => {
  for (const [kind, count] of [['binomial', (v) => binomial(v.rolls, chance(v.of))], ['longest', (v) => longest([v.rolls], chance(v.of), v.rolls)], ['pips', (v) => pips(v.rolls)]]) {
    assert.ok(ofKind(kind).length >= 3);
    for (const v of ofKind(kind)) {
      const made = count(v);
      assert.equal(String(made.total), v.total, v.name);
      assert.deepEqual(lines(made), v.lines, v.name);
    }
  }
});

/** Every case of some trials, one by one. */
function* cases(n, faces) {
  if (n === 0) yield [];
  else for (const rest of cases(n - 1, faces)) for (let face = 1; face <= faces; face++) yield [...rest, face];
}

const longestRun = (trials) => trials.reduce(({ now, most }, hit) => ({ now: hit ? now + 1 : 0, most: Math.max(most, hit ? now + 1 : 0) }), { now: 0, most: 0 }).most;

test('a streak in one of several matches, by going through all cases', () => {
  for (const k of [0, 1, 2, 3, 4]) {
    let count = 0n;
    for (const trials of cases(7, 3)) {
      const hits = trials.map((face) => face === 1);
      if (Math.max(longestRun(hits.slice(0, 4)), longestRun(hits.slice(4))) >= k) count++;
    }
    const { of, all } = runOf([4, 3], k, { of: 1n, all: 3n });
    assert.equal(of * 2187n, count * all, `run of ${k}`);
  }
});

test('the longest run of several matches has the runs as its tails', () => {
  const p = { of: 1n, all: 6n };
  const made = longest([20, 12, 0], p, 3);
  assert.ok(made.open);
  assert.equal(made.counts.reduce((a, b) => a + b), made.total);
  for (let k = 0; k < made.counts.length; k++) {
    const { of, all } = tail(made, k, true);
    const want = runOf([20, 12], k, p);
    assert.equal(of * want.all, all * want.of, `from ${k}`);
  }
  assert.ok(tail(made, made.counts.length - 1, true).of * 1000n < made.total);
  assert.deepEqual(longest([], p, 0), { first: 0, counts: [1n], total: 1n, open: false });
});

test('the sum of mixed dice, by going through all cases', () => {
  /** @type {Map<number, bigint>} */
  const want = new Map();
  for (let a = 1; a <= 4; a++) for (let b = 1; b <= 4; b++) for (let c = 1; c <= 20; c++) want.set(a + b + c, (want.get(a + b + c) ?? 0n) + 1n);
  const made = sums([4, 20, 4]);
  assert.equal(made.total, 320n);
  assert.deepEqual(lines(made), [...want].sort((x, y) => x[0] - y[0]).map(([sum, count]) => [String(sum), String(count)]));
});

test('dice of yayay/1 are those of its words', () => {
  const count = Array(6).fill(0n);
  for (let face = 0; face < 6; face++) count[face] = BigInt(Math.floor((2 ** 32 - 1 - face) / 6) + 1);
  assert.deepEqual(facesOf('yayay/1', 6), count);
  assert.equal(doubleOf('yayay/1').all, count.reduce((sum, n) => sum + n, 0n) ** 2n);
  assert.equal(doubleOf('yayay/1').of, count.reduce((sum, n) => sum + n * n, 0n));
  assert.equal(pips(1, count).counts[pips(1, count).counts.length - 1], count[5] ** 2n);
  assert.equal(pips(3, count).total, 2n ** 192n);
  assert.equal(sums([6, 6, 6], 'yayay/1').total, 2n ** 96n);
});

test('tails, averages and chances', () => {
  const twelve = binomial(12, doubleOf('tavli/1'));
  assert.deepEqual(tail(twelve, 0, false), { of: 244140625n, all: 2176782336n });
  assert.equal(tail(twelve, 0, true).of, twelve.total);
  assert.equal(tail(twelve, -1, false).of, 0n);
  assert.equal(tail(twelve, 13, true).of, 0n);
  assert.equal(mean(twelve), 2);
  assert.equal(mean(pips(60)), 490); // 49/6 a roll
  assert.equal(share({ of: 1n, all: 3n }), 1 / 3);
  assert.equal(share({ of: 0n, all: 3n }), 0);
  assert.equal(share({ of: 1n, all: 2n ** 3000n }), 0);
  assert.equal(share({ of: 3n, all: 4n * 2n ** 500n }), 0.75 * 2 ** -500);
  assert.deepEqual(otherwise({ of: 1n, all: 6n }), { of: 5n, all: 6n });
});

test('what is called rare is at most as rare as said, and nothing less rare', () => {
  const made = binomial(60, doubleOf('veridice/1')); // 10 expected
  const { of, all } = flagged(made, 200n);
  let want = 0n;
  for (let k = 0; k <= 60; k++) {
    const least = [true, false].map((above) => tail(made, k, above).of).reduce((a, b) => (a < b ? a : b));
    if (least * 200n <= all) want += made.counts[k];
  }
  assert.equal(of, want);
  assert.ok(of > 0n && of * 100n <= all);
  assert.equal(flagged({ first: 0, counts: [1n, 1n], total: 2n, open: false }, 200n).of, 0n);
});

test('what would take too long is not counted', () => {
  for (const made of [
    pips(5000), sums([1_000_000, 1_000_000]), sums(Array(5000).fill(6)), binomial(100_000, doubleOf('tavli/1')),
    longest([100_000], doubleOf('tavli/1'), 3), longest([3000], doubleOf('yayay/1'), 3),
  ]) assert.ok(made === null);
  assert.ok(pips(300) !== null && binomial(3000, doubleOf('tavli/1')) !== null && longest([1000], doubleOf('tavli/1'), 3) !== null);
});
