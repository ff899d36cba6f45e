import { test } from 'node:test';
import assert from 'node:assert/strict';
import { applyEvent, lastRoll, nothingYet, takeSnapshot } from '../app/table-state.mjs';

const EVENTS = [
  { type: 'opened', scheme: 'tavli/1', seats: 2, seal: 'aa' },
  { type: 'acknowledged', seat: 2, name: 'Nikos' },
  { type: 'seeded', seat: 2 },
  { type: 'acknowledged', seat: 1, name: '' },
  { type: 'seeded', seat: 1 },
  { type: 'started', clients: ['x', 'y'] },
  { type: 'rolled', roll: 1, seat: 1, dice: [6, 3] },
  { type: 'rolled', roll: 2, seat: 2, dice: [1, 1] },
  { type: 'game' },
  { type: 'rolled', roll: 3, seat: 1, dice: [2, 5] },
  { type: 'end-asked', seat: 1 },
  { type: 'end-withdrawn', seat: 1 },
  { type: 'end-asked', seat: 2 },
  { type: 'finished', server: 'bb' },
].map((e, i) => ({ event: i + 1, at: '2026-11-30T04:00:00Z', ...e }));

const fold = (events, state = nothingYet('m')) => events.reduce((s, e) => applyEvent(s, e).state, state);

test('a match from its events', () => {
  assert.deepEqual(fold(EVENTS), {
    match: 'm', scheme: 'tavli/1', seal: 'aa', phase: 'finished',
    seats: [
      { seat: 1, name: '', acknowledged: true, seeded: true },
      { seat: 2, name: 'Nikos', acknowledged: true, seeded: true },
    ],
    rolls: [
      { roll: 1, seat: 1, dice: [6, 3], game: 1 },
      { roll: 2, seat: 2, dice: [1, 1], game: 1 },
      { roll: 3, seat: 1, dice: [2, 5], game: 2 },
    ],
    games: [2, 1], clients: ['x', 'y'], server: 'bb', endAsked: null, last: 14,
  });
  assert.equal(fold(EVENTS.slice(0, 11)).endAsked, 1);
  assert.equal(fold(EVENTS.slice(0, 12)).endAsked, null);
  assert.equal(fold(EVENTS.slice(0, 13)).endAsked, 2);
});

test('an event that comes again changes nothing', () => {
  const state = fold(EVENTS.slice(0, 8));
  for (const event of EVENTS.slice(0, 8)) {
    const again = applyEvent(state, { ...event, dice: [4, 4], seal: 'cc' });
    assert.equal(again.state, state);
    assert.equal(again.gap, false);
  }
});

test('an event that leaves a gap changes nothing and says so', () => {
  const state = fold(EVENTS.slice(0, 6));
  const { state: after, gap } = applyEvent(state, EVENTS[7]);
  assert.equal(gap, true);
  assert.equal(after, state);
  assert.equal(lastRoll(fold(EVENTS.slice(6), after)), 3);
});

test('an event of a type that is not known yet counts', () => {
  const { state, gap } = applyEvent(fold(EVENTS.slice(0, 6)), { event: 7, type: 'clock', seat: 1 });
  assert.equal(gap, false);
  assert.equal(state.last, 7);
  assert.equal(applyEvent(state, { event: 8, type: 'rolled', roll: 1, seat: 1, dice: [1, 2] }).state.rolls.length, 1);
});

test('a snapshot stands for the events up to its last, and an old one for nothing', () => {
  const snapshot = {
    match: 'm', scheme: 'tavli/1', seal: 'aa', state: 'running', last: 9, end: { asked: null }, games: [2, 0],
    seats: [
      { seat: 1, name: '', acknowledged: true, seeded: true },
      { seat: 2, name: 'Nikos', acknowledged: true, seeded: true },
    ],
    rolls: [{ roll: 1, seat: 1, dice: [6, 3], game: 1 }, { roll: 2, seat: 2, dice: [1, 1], game: 1 }],
    clients: ['x', 'y'],
  };
  const taken = takeSnapshot(nothingYet('m'), snapshot);
  assert.deepEqual(taken, fold(EVENTS.slice(0, 9)));
  assert.deepEqual(fold(EVENTS.slice(9), taken), fold(EVENTS));
  const further = fold(EVENTS.slice(0, 10));
  assert.equal(takeSnapshot(further, snapshot), further);
});
