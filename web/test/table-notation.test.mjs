import { test } from 'node:test';
import assert from 'node:assert/strict';
import { cardOf, chainLength, dealt, readTyped, writeDice } from '../app/live-notation.mjs';
import { ahead, deadline, left } from '../app/live-clock.mjs';

test('dice as they are typed', () => {
  for (const [typed, notation] of [['2d6', '2d6'], [' 3 D6 + d20 ', '3d6+1d20'], ['W6', '1d6'], ['d1000000', '1d1000000'], ['02d06', '2d6']]) {
    assert.equal(readTyped(typed).notation, notation, typed);
  }
  assert.deepEqual(readTyped('2d6+1d4').faces, [6, 6, 4]);
  assert.equal(readTyped('100d6').faces.length, 100);
  for (const [typed, fault] of [['', 'empty'], [' ', 'empty'], ['six', 'form'], ['2d6+', 'form'], ['0d6', 'form'], ['2d6-1', 'form'], ['d', 'form'], ['101d6', 'many'], ['60d6+41d4', 'many'],
    ['d1', 'faces'], ['d0', 'faces'], ['d1000001', 'faces'], ['999999999d6', 'many'], ['9999999999d6', 'form']]) {
    assert.equal(readTyped(typed).fault, fault, typed);
  }
});

test('a list of dice is written as it can be read', () => {
  assert.equal(writeDice([6, 6, 20]), '2d6+1d20');
  assert.equal(writeDice([6, 20, 6]), '1d6+1d20+1d6');
  assert.deepEqual(readTyped(writeDice([4, 4, 8, 4])).faces, [4, 4, 8, 4]);
});

// The deal is the example of docs/spec/veridice-1.md, section 10.
test('cards are dealt without replacement', () => {
  assert.deepEqual(dealt([{ game: 1, dice: [45, 1, 24, 22, 13] }], 52), [[44, 0, 24, 22, 13]]);
  // Place 1 twice is two cards; a new game has the whole deck again.
  assert.deepEqual(dealt([{ game: 1, dice: [1] }, { game: 1, dice: [1] }, { game: 2, dice: [1, 51] }], 52), [[0], [1], [0, 51]]);
});

test('every card of a pack has a name of its own', () => {
  const names = new Set(Array.from({ length: 52 }, (_, i) => JSON.stringify(cardOf(i, 52))));
  assert.equal(names.size, 52);
  assert.deepEqual(cardOf(0, 52), { suit: 'spades', rank: 1 });
  assert.deepEqual(cardOf(51, 52), { suit: 'clubs', rank: 13 });
  assert.deepEqual(cardOf(52 + 13, 104), { suit: 'hearts', rank: 1 });
  assert.equal(cardOf(3, 32), null);
});

test('chains are as long as the kind of game needs', () => {
  assert.deepEqual(['2d6', '1-6d6', 'deck52', 'any', '3d6+1d20'].map(chainLength), [512, 512, 512, 2048, 2048]);
});

test('time is counted by this phone’s clock, from the server’s moments', () => {
  const at = '2026-11-30T10:00:00Z';
  const moment = Date.parse(at);
  assert.equal(ahead(null, at, moment + 5200), 5200);
  assert.equal(ahead(5200, at, moment + 5050), 5050); // came faster
  assert.equal(ahead(5050, at, moment + 9000), 5050);
  assert.equal(ahead(-300, at, moment), -300);
  assert.equal(ahead(7, 'no time', moment), 7);
  assert.equal(deadline(at, 120, 5050), moment + 125_050);
  assert.equal(deadline(at, 120, null), moment + 120_000);
});

test('the time left', () => {
  assert.deepEqual([0, -5, 1, 1000, 65_000, 3_599_001, 7_200_000, 86_400_000].map(left), ['0:00', '0:00', '0:01', '0:01', '1:05', '1:00:00', '2:00:00', '24:00:00']);
});
