import { test } from 'node:test';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { dealsCards, matchOf, timeline } from '../app/replay-model.mjs';
import { idInPath, readAddress, toBase64url } from '../app/replay-address.mjs';
import { parseRecord, recordOf } from '../verifier/veridice.mjs';
import { example, fragment, path } from './verifier-support.mjs';

const rolls = example.dice.match(/../g).map((two) => [...two].map(Number));
const tavli = recordOf({ seed: example.server, seal: example.seal, clients: example.clients, rolls, games: [7, 5] });
const chains = readFileSync(path('vectors/veridice1.ndjson'), 'utf8').split('\n').filter(Boolean).map((line) => JSON.parse(line)).filter((v) => v.kind === 'record');
const chain = (name) => parseRecord(chains.find((v) => v.name === name).text).value;

const events = [
  { event: 1, type: 'opened', at: '2026-11-30T20:14:00.000Z', scheme: 'tavli/1', seats: 2, seal: example.seal },
  { event: 2, type: 'acknowledged', at: '2026-11-30T20:14:10.000Z', seat: 1, name: 'Anna' },
  { event: 3, type: 'acknowledged', at: '2026-11-30T20:14:20.000Z', seat: 2, name: '' },
  { event: 4, type: 'started', at: '2026-11-30T20:15:00.000Z', clients: example.clients, game: 1 },
  { event: 5, type: 'rolled', at: '2026-11-30T20:15:30.000Z', roll: 1, seat: 2, dice: [2, 1], game: 1 },
  { event: 6, type: 'rolled', at: 'no time', roll: 2, seat: 1, dice: [3, 2], game: 1 },
  { event: 7, type: 'game', at: '2026-11-30T20:17:00.000Z', seat: 1, game: 2, after: 2 },
  { event: 8, type: 'rolled', at: '2026-11-30T20:18:00.000Z', roll: 3, seat: 1, dice: [1, 6], game: 2 },
  { event: 9, type: 'of-a-later-server', at: '2026-11-30T20:18:30.000Z' },
  { event: 10, type: 'finished', at: '2026-11-30T20:19:00.000Z', server: example.server },
];

test('a record alone says dice and games, and not who rolled or when', () => {
  const match = matchOf(tavli);
  assert.deepEqual(match.rolls.map(({ dice }) => dice), rolls);
  assert.deepEqual(match.games, [{ game: 1, first: 1, last: 7 }, { game: 2, first: 8, last: 12 }]);
  assert.deepEqual(match.rolls[0], { roll: 1, faces: [6, 6], dice: [2, 1], seat: null, game: 1, at: '', moves: [] });
  assert.deepEqual(match.names, ['', '', '']);
});

test('events add names, seats and times', () => {
  const match = matchOf(tavli, events);
  assert.deepEqual(match.names, ['', 'Anna', '']);
  assert.deepEqual([match.rolls[0].seat, match.rolls[0].at], [2, '2026-11-30T20:15:30.000Z']);
  assert.equal(match.rolls[1].at, '');
  assert.equal(match.rolls[5].seat, null);
});

test('rolls without anything between them are told together', () => {
  assert.deepEqual(timeline(events).map(({ type, from, to, until }) => [type, from, to, until]), [
    ['opened', 0, 0, ''], ['acknowledged', 0, 0, ''], ['acknowledged', 0, 0, ''], ['started', 0, 0, ''],
    ['rolls', 1, 2, ''], ['game', 0, 0, ''], ['rolls', 3, 3, '2026-11-30T20:18:00.000Z'], ['finished', 0, 0, ''],
  ]);
  const moved = (move) => ({ type: 'moved', at: '', seat: 1, note: `veridice/1 move\nmatch 00\nrole 1\nhead 00\nmove ${move}\n\n` });
  assert.deepEqual(timeline([moved('game'), moved('turn 2')]).map(({ type }) => type), ['game']);
});

test('a chain record says who rolled which dice, and the moves before', () => {
  const record = chain('record-signed-by-all');
  const match = matchOf(record);
  const entries = record.entries.filter((e) => e.type === 'roll');
  assert.deepEqual(match.rolls.map(({ seat, faces }) => [seat, faces]), entries.map(({ actor, faces }) => [actor, faces]));
  assert.equal(match.rolls.reduce((n, { moves }) => n + moves.length, match.rest.length), record.entries.length - entries.length);
  assert.equal(match.seats, record.roles.length - 1);
});

test('the move that begins a game begins one', () => {
  const record = { ...chain('record-signed-by-all'), entries: [
    { type: 'move', role: 1, move: 'game' }, { type: 'roll', roll: 1, actor: 1, faces: [6], dice: [2] }, { type: 'move', role: 1, move: 'turn 2' },
    { type: 'move', role: 2, move: 'game' }, { type: 'roll', roll: 2, actor: 2, faces: [20], dice: [17] }, { type: 'move', role: 2, move: 'game' },
  ] };
  const match = matchOf(record);
  assert.deepEqual(match.games, [{ game: 1, first: 1, last: 1 }, { game: 2, first: 2, last: 2 }]);
  assert.deepEqual(match.rolls[1].moves.map(({ move }) => move), ['turn 2', 'game']);
  assert.deepEqual(match.rest, [{ role: 2, move: 'game' }]);
});

test('cards are told from dice', () => {
  const deals = (...lists) => dealsCards(lists.map((faces) => ({ faces })));
  assert.ok(deals([52, 51, 50], [49, 48], [52, 51]));
  assert.ok(deals([52], [51]));
  for (const dice of [[[6, 6], [6, 6]], [[20], [20]], [[6, 5], [20]], [[6]], []]) assert.ok(!deals(...dice), JSON.stringify(dice));
});

test('which match an address names', () => {
  const id = '00112233445566778899aabbccddeeff';
  assert.deepEqual(readAddress(''), { kind: 'none' });
  assert.deepEqual(readAddress('#'), { kind: 'none' });
  assert.deepEqual(readAddress('#m=' + id), { kind: 'match', id });
  assert.deepEqual(readAddress('#m%3D' + id + '.'), { kind: 'match', id });
  assert.deepEqual(readAddress('#m=' + id.slice(1)), { kind: 'fault' });
  assert.deepEqual(readAddress('#kept=m-1'), { kind: 'kept', id: 'm-1' });
  assert.deepEqual(readAddress('#kept=../x'), { kind: 'fault' });
  assert.deepEqual(readAddress('#' + fragment), { kind: 'text', text: '#' + fragment });
  const text = 'veridice record 1\n\u2014 \u00e9';
  assert.deepEqual(readAddress('#record=' + toBase64url(text)), { kind: 'text', text });
  assert.deepEqual(readAddress('#record=' + toBase64url(text) + '!'), { kind: 'text', text });
  assert.deepEqual(readAddress('#record=_w'), { kind: 'fault' }); // 0xff is no UTF-8
  assert.deepEqual(readAddress('#record='), { kind: 'fault' });
  assert.equal(idInPath('/el/match/' + id), id);
  assert.equal(idInPath('/el/match/'), '');
});
