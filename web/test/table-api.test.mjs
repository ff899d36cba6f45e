import { test } from 'node:test';
import assert from 'node:assert/strict';
import { openApi } from '../app/table-api.mjs';
import { openStorage } from '../app/table-storage.mjs';
import { fakeStorage } from './table-fakes.mjs';

const answer = (status, body) => () => new Response(typeof body === 'string' ? body : JSON.stringify(body), { status });
const noNetwork = () => { throw new TypeError('failed to fetch'); };

/** An api whose requests are answered from a list, the last answer again and again; the last pause never ends. */
function opened(answers, { local = fakeStorage(), token = 'tok', patience = Infinity } = {}) {
  const sent = [];
  const pauses = [];
  let keys = 0;
  const api = openApi({
    match: 'm', token, storage: openStorage(() => local), newKey: () => `key-${++keys}`,
    pause: (ms) => { pauses.push(ms); return pauses.length < patience ? Promise.resolve() : new Promise(() => {}); },
    fetch: async (path, init) => {
      sent.push({ path, ...init, stored: local.getItem('veridice.pending.m') });
      return (answers.length > 1 ? answers.shift() : answers[0])();
    },
  });
  return { api, sent, pauses };
}

test('the key is stored before the request leaves, and goes when the answer is here', async () => {
  const local = fakeStorage();
  const { api, sent } = opened([answer(200, { roll: 1, dice: [6, 3] })], { local });
  assert.deepEqual(await api.post('roll', { after: 0 }), { ok: true, body: { roll: 1, dice: [6, 3] } });
  assert.equal(sent.length, 1);
  assert.equal(sent[0].path, '/v1/matches/m/roll');
  assert.equal(sent[0].method, 'POST');
  assert.equal(sent[0].body, '{"after":0}');
  assert.equal(sent[0].headers['Idempotency-Key'], 'key-1');
  assert.equal(sent[0].headers.Authorization, 'Bearer tok');
  assert.match(sent[0].stored, /key-1/);
  assert.equal(local.getItem('veridice.pending.m'), null);
});

test('no network, a bad gateway and a cut answer: again with the same key, with growing pauses', async () => {
  const { api, sent, pauses } = opened([
    noNetwork, answer(502, 'bad gateway'), answer(429, {}), answer(200, '{"roll":1'), answer(200, { roll: 1 })]);
  assert.deepEqual(await api.post('roll', { after: 0 }), { ok: true, body: { roll: 1 } });
  assert.deepEqual(sent.map((s) => s.headers['Idempotency-Key']), Array(5).fill('key-1'));
  assert.deepEqual(sent.map((s) => s.body), Array(5).fill('{"after":0}'));
  assert.equal(pauses.length, 4);
  for (let i = 1; i < pauses.length; i++) assert.ok(pauses[i] > pauses[i - 1], 'pauses grow');
});

test('a reload asks for the same roll', async () => {
  const local = fakeStorage();
  const before = opened([noNetwork], { local, patience: 3 });
  before.api.post('roll', { after: 4 });
  await new Promise(setImmediate);
  assert.equal(before.sent.length, 3);

  const after = opened([answer(200, { roll: 5 })], { local });
  const waiting = after.api.unanswered();
  assert.deepEqual(waiting, [{ action: 'roll', body: { after: 4 } }]);
  const got = await after.api.post(waiting[0].action, waiting[0].body);
  assert.equal(got.body.roll, 5);
  assert.equal(after.sent[0].headers['Idempotency-Key'], before.sent[0].headers['Idempotency-Key']);
  assert.deepEqual(after.api.unanswered(), []);
});

test('two taps, and two tabs of one seat, are one request', async () => {
  const local = fakeStorage();
  let release;
  const held = new Promise((ok) => { release = ok; });
  const tabs = [1, 2].map(() => opened([() => held.then(() => new Response('{"roll":1}'))], { local }));
  const taps = [tabs[0].api.post('roll', { after: 0 }), tabs[0].api.post('roll', { after: 0 }), tabs[1].api.post('roll', { after: 0 })];
  release();
  await Promise.all(taps);
  assert.equal(tabs[0].sent.length, 1);
  assert.equal(tabs[1].sent.length, 1);
  assert.equal(tabs[1].sent[0].headers['Idempotency-Key'], tabs[0].sent[0].headers['Idempotency-Key']);
});

test('a later roll is another request', async () => {
  const { api, sent } = opened([answer(200, {})]);
  await api.post('roll', { after: 0 });
  await api.post('roll', { after: 1 });
  await api.post('roll', { after: 1 });
  assert.deepEqual(sent.map((s) => s.headers['Idempotency-Key']), ['key-1', 'key-2', 'key-3']);
});

test('a refusal is an answer: it is not repeated, and says which', async () => {
  const local = fakeStorage();
  const { api, sent } = opened([answer(409, { code: 'behind', args: { last: 7 } })], { local });
  assert.deepEqual(await api.post('roll', { after: 3 }), {
    ok: false, problem: { status: 409, code: 'behind', field: '', args: { last: 7 } },
  });
  assert.equal(sent.length, 1);
  assert.equal(local.getItem('veridice.pending.m'), null);
});

test('a refusal from something that is not our server still is one', async () => {
  const { api } = opened([answer(403, '<h1>Forbidden</h1>')]);
  assert.deepEqual(await api.post('roll', { after: 0 }), {
    ok: false, problem: { status: 403, code: 'internal', field: '', args: {} },
  });
});

test('who watches sends no token', async () => {
  const { api, sent } = opened([answer(404, { code: 'unknown-match' })], { token: null });
  assert.equal((await api.snapshot()).problem.code, 'unknown-match');
  assert.equal('Authorization' in sent[0].headers, false);
});

test('the record is text', async () => {
  const { api, sent } = opened([answer(200, 'veridice record 1\n')]);
  assert.deepEqual(await api.record(), { ok: true, body: 'veridice record 1\n' });
  assert.equal(sent[0].path, '/v1/matches/m/record');
});
