import { test } from 'node:test';
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { asSeen, see, seeRecord, seenClients } from '../app/table-seen.mjs';
import { readRecord, shareFragment } from '../app/table-link.mjs';
import { nothingYet } from '../app/table-state.mjs';

const SEAL = '76243eb20b5ad494780afead6d49b5f826775834b0b12ddafe12819ca4608a63';
const SEED = 'c149c301f8134a320da3e36748bb70c14850c75fc8ab0dc1e36460fa89070300';
const CLIENTS = ['f24279610d6b8b1362d85c3ddec7f24e', 'd60062c1d2fe5d3f376829416b34be90'];
const DICE = '213216213333262333341666';
const LINK = `v=1&s=${SEED}&c=${SEAL}&p=${CLIENTS.join(',')}&r=${DICE}&g=7,5`; // docs/spec/tavli.md, "The share link"

const rolls = (digits) => digits.match(/../g).map((two, i) => (
  { roll: i + 1, seat: 1 + (i % 2), dice: [Number(two[0]), Number(two[1])], game: i < 7 ? 1 : 2 }));
const open = { ...nothingYet('m'), scheme: 'tavli/1', seal: SEAL };
const running = (n) => ({ ...open, phase: 'running', clients: CLIENTS, games: n < 7 ? [n] : [7, n - 7], rolls: rolls(DICE).slice(0, n) });
const finished = { ...running(12), phase: 'finished', server: SEED };

test('the seal is noted with the time and how many rolls had fallen', () => {
  const note = see(null, open, '2026-11-30T20:14:00Z');
  assert.equal(note.seal, SEAL);
  assert.equal(note.at, '2026-11-30T20:14:00Z');
  assert.equal(note.before, 0);
  assert.equal(see(note, running(3), '2026-11-30T20:15:00Z').at, '2026-11-30T20:14:00Z');
  assert.equal(see(null, running(3), '2026-11-30T20:15:00Z').before, 3);
});

test('the link is made from what was seen', () => {
  const note = [open, running(0), running(5), running(12), finished].reduce((n, s) => see(n, s, 'now'), null);
  assert.deepEqual(note.differs, []);
  assert.equal(shareFragment(note), LINK);
});

test('a link of a match without a roll has neither r nor g', () => {
  const note = see(null, { ...running(0), server: SEED }, 'now');
  assert.equal(shareFragment(note), `v=1&s=${SEED}&c=${SEAL}&p=${CLIENTS.join(',')}`);
});

test('a game that was marked and not begun is not in the link', () => {
  const note = see(null, { ...finished, games: [7, 5, 0] }, 'now');
  assert.equal(shareFragment(note), LINK);
});

test('games that do not add up are left out, or the link would count as cut', () => {
  const note = see(null, { ...finished, games: [7, 4] }, 'now');
  assert.equal(shareFragment(note), LINK.replace('g=7,5', 'g=12'));
});

test('a die that the server changes later does not reach the link', () => {
  const note = see(null, running(12), 'now');
  const changed = { ...finished, rolls: finished.rolls.map((r) => (r.roll === 9 ? { ...r, dice: [6, 6] } : r)) };
  const after = see(note, changed, 'later');
  assert.deepEqual(after.differs, [{ what: 'roll', number: 9, saw: '3-3', says: '6-6' }]);
  assert.equal(shareFragment(after), LINK);
  assert.deepEqual(asSeen(changed, after).rolls, finished.rolls, 'nor the screen');
  assert.deepEqual(see(after, finished, 'later still').differs, after.differs, 'taking it back is too late');
});

test('a forgotten roll, another seal and another client seed are differences', () => {
  const note = see(null, running(12), 'now');
  assert.deepEqual(see(note, running(11), 'x').differs, [{ what: 'roll', number: 12, saw: '6-6', says: '' }]);
  assert.deepEqual(see(note, { ...running(12), seal: SEED }, 'x').differs, [{ what: 'seal', number: 0, saw: SEAL, says: SEED }]);
  assert.deepEqual(see(note, { ...running(12), clients: [CLIENTS[0], 'z'] }, 'x').differs,
    [{ what: 'client', number: 2, saw: CLIENTS[1], says: 'z' }]);
});

test('the client seed that this phone made counts more than the one it is told', () => {
  const own = { ...see(null, open, 'now'), seats: { 2: { token: 't', name: '', client: 'mine' } } };
  const note = see(own, running(1), 'x');
  assert.deepEqual(note.differs, [{ what: 'client', number: 2, saw: 'mine', says: CLIENTS[1] }]);
  assert.deepEqual(seenClients(note), [CLIENTS[0], 'mine']);
});

test('the record that the server hands out is compared', () => {
  const note = see(see(null, running(12), 'now'), finished, 'now');
  const body = ['veridice record 1', 'scheme tavli/1', 'match m', `seal ${SEAL}`, ...CLIENTS.map((c) => `client ${c}`), 'game',
    ...rolls(DICE).map((r) => `roll ${r.roll} ${r.dice.join(' ')}`), `seed ${SEED}`, 'rolls 12', 'state finished', ''].join('\n');
  const read = (text) => readRecord(`${text}sum ${createHash('sha256').update(text).digest('hex')}\n`);
  assert.deepEqual(seeRecord(note, read(body)).differs, []);
  assert.deepEqual(seeRecord(note, read(body.replace('roll 3 1 6', 'roll 3 1 5'))).differs,
    [{ what: 'roll', number: 3, saw: '1-6', says: '1-5' }]);
  assert.deepEqual(seeRecord(note, read(body.replace('roll 12 6 6\n', '').replace('rolls 12', 'rolls 11'))).differs,
    [{ what: 'roll', number: 12, saw: '6-6', says: '' }]);
  assert.deepEqual(seeRecord(note, read(body.replace(`client ${CLIENTS[1]}`, 'client q'))).differs,
    [{ what: 'client', number: 2, saw: CLIENTS[1], says: 'q' }]);
  assert.equal(readRecord('<!doctype html>'), null);
});
