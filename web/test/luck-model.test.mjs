import { test } from 'node:test';
import assert from 'node:assert/strict';
import { bars, judge, measure } from '../app/luck-model.mjs';
import { binomial, share } from '../verifier/odds.mjs';

const pair = (a, b) => ({ faces: [6, 6], dice: [a, b] });
const roll = (...dice) => ({ faces: dice.map(() => 6), dice });

test('doubles, streaks and points of a match', () => {
  const rolls = [pair(1, 1), pair(2, 2), pair(3, 1), pair(6, 5), pair(4, 4), pair(1, 2)];
  const found = measure('tavli/1', [rolls]);
  assert.deepEqual(found.map(({ kind, rolls, value }) => [kind, rolls, value]), [['doubles', 6, 3], ['run', 6, 2], ['without', 6, 2], ['pips', 6, 4 + 8 + 4 + 11 + 16 + 3]]);
  for (const { distribution } of found) assert.equal(distribution.counts.reduce((a, b) => a + b), distribution.total);
});

test('a streak ends with its match, and all matches count together', () => {
  const found = measure('veridice/1', [[pair(1, 2), pair(1, 1)], [pair(5, 5), pair(6, 6), pair(1, 2)]]);
  assert.deepEqual(found.map(({ kind, value }) => [kind, value]), [['doubles', 3], ['run', 2], ['without', 1], ['pips', 3 + 4 + 20 + 24 + 3]]);
  assert.equal(found[0].distribution.total, 6n ** 5n);
});

test('other dice count by their sum, and dealt cards not at all', () => {
  const found = measure('veridice/1', [[{ faces: [20], dice: [17] }, { faces: [4, 4], dice: [1, 3] }]]);
  assert.deepEqual(found.map(({ kind, rolls, value }) => [kind, rolls, value]), [['sum', 2, 21]]);
  assert.equal(found[0].distribution.total, 320n);
  assert.deepEqual(measure('veridice/1', [[{ faces: [52, 51], dice: [1, 2] }, { faces: [50, 49], dice: [3, 4] }]]), []);
  assert.equal(measure('yayay/1', [[roll(1, 2, 3)]])[0].distribution.total, 2n ** 96n);
  assert.deepEqual(measure('tavli/1', []), []);
});

test('two of five dice that are thrown again are no doubles', () => {
  const turn = [roll(3, 3, 1, 3, 6), roll(1, 1), roll(5, 5)];
  const found = measure('veridice/1', [turn, [pair(2, 2), pair(1, 2)], [roll(1, 2, 2, 1, 6), roll(4, 4, 4, 4, 4)]]);
  assert.deepEqual(found.map(({ kind, rolls, value }) => [kind, rolls, value]), [['doubles', 2, 1], ['run', 2, 1], ['without', 2, 1], ['pips', 2, 11], ['alike', 3, 2], ['sum', 5, 16 + 2 + 10 + 12 + 20]]);
  // Of 7776 throws of five dice, 1500 have exactly three alike, 150 four and 6 five.
  const { counts, total } = found.find(({ kind }) => kind === 'alike').distribution;
  assert.equal(total, 7776n ** 3n);
  assert.equal(counts[3], 1656n ** 3n);
  // Dice of yayay/1 are a little less even, by less than a part in 10^8.
  const uneven = measure('yayay/1', [[roll(1, 1, 1, 2, 3)]])[0];
  assert.equal(uneven.kind, 'alike');
  assert.ok(Math.abs(share({ of: uneven.distribution.counts[1], all: uneven.distribution.total }) - 1656 / 7776) < 1e-8);
  assert.equal(uneven.distribution.total, 2n ** 160n);
});

test('a coin counts by its heads, which are side 1', () => {
  const coins = [1, 2, 2].map((side) => ({ faces: [2], dice: [side] }));
  const found = measure('veridice/1', [[...coins, { faces: [2, 2, 2], dice: [1, 2, 1] }, { faces: [20], dice: [9] }]]);
  assert.deepEqual(found.map(({ kind, rolls, value }) => [kind, rolls, value]), [['heads', 4, 3], ['sum', 1, 9]]);
  assert.deepEqual(found[0].distribution.counts, [1n, 6n, 15n, 20n, 15n, 6n, 1n]);
});

test('a judgement takes the rarer side', () => {
  const twelve = binomial(12, { of: 1n, all: 6n });
  const none = judge(twelve, 0);
  assert.equal(none.above, false);
  assert.ok(Math.abs(none.share - (5 / 6) ** 12) < 1e-12);
  assert.equal(none.mean, 2);
  const all = judge(twelve, 12);
  assert.deepEqual([all.above, all.rare], [true, true]);
  assert.ok(Math.abs(all.share - 6 ** -12) < 1e-20);
  assert.equal(judge(twelve, 2).rare, false);
  assert.ok(all.alarm > 0 && all.alarm <= 0.01);
});

test('a plot holds all that is likely, and the value', () => {
  const sixty = binomial(60, { of: 1n, all: 6n });
  const drawn = bars(sixty, 10);
  assert.equal(drawn.filter(({ here }) => here).length, 1);
  assert.ok(drawn.length <= 40 && drawn.reduce((all, bar) => all + bar.share, 0) > 0.999);
  const far = bars(sixty, 60);
  assert.ok(far.at(-1).here && far.at(-1).to === 60);
  const grouped = bars(sixty, 10, 8);
  assert.ok(grouped.length <= 8);
  assert.ok(Math.abs(grouped.find(({ here }) => here).share - share({ of: sixty.counts.slice(grouped.find(({ here }) => here).from, grouped.find(({ here }) => here).to + 1).reduce((a, b) => a + b), all: sixty.total })) < 1e-12);
});
