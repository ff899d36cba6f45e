import { test } from 'node:test';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { check, openMatches, readFile, recordOf, writeFile } from '../app/matches-store.mjs';
import { mapKeeper } from '../app/phone/keeper.mjs';
import { verify, writeLink } from '../verifier/veridice.mjs';
import { example, fragment, path } from './verifier-support.mjs';

const note = {
  seal: example.seal, at: '2026-11-30T20:14:00.000Z', before: 0, scheme: 'tavli/1', rolls: example.dice.match(/../g).map((two, i) => [i + 1, ...[...two].map(Number)]),
  clients: example.clients, games: [7, 5], seats: { 2: { token: 'secret-token', name: 'Nikos', client: example.clients[1] } }, server: example.server, differs: [],
};

/** A localStorage. */
function shelf(start = {}) {
  const map = new Map(Object.entries(start));
  return {
    get length() { return map.size; }, key: (i) => [...map.keys()][i] ?? null, getItem: (k) => map.get(k) ?? null,
    setItem: (k, v) => { map.set(k, v); }, removeItem: (k) => { map.delete(k); }, map,
  };
}

function open(start, kept = {}) {
  const storage = shelf(start);
  const keeper = mapKeeper();
  const ready = Promise.all(Object.entries(kept).map(([key, value]) => keeper.once(key, value)));
  const noDatabase = () => { throw new Error('refused'); };
  return { storage, matches: openMatches({ storage: () => storage, factory: noDatabase, keeper: async () => { await ready; return keeper; } }) };
}

const chains = readFileSync(path('vectors/veridice1.ndjson'), 'utf8').split('\n').filter(Boolean).map((line) => JSON.parse(line));
const given = chains.find((v) => v.kind === 'record' && v.heads?.length === 1 && v.want.verdict === 'proven' && v.opening);

test('what the table noted is listed, and makes the record of the match', async () => {
  const { matches } = open({ 'veridice.matches': JSON.stringify({ 'm-1': note, broken: { seal: 7 }, 'm-2': { ...note, at: '2026-11-30T21:00:00.000Z', rolls: [], games: [0], clients: [], seats: {}, server: null } }) });
  const list = await matches.list();
  assert.deepEqual(list.map(({ match, own, seat }) => [match, own, seat]), [['m-2', true, null], ['m-1', true, 2]]);
  const text = await matches.textOf('m-1');
  const report = verify(text);
  assert.equal(report.verdict, 'proven');
  assert.equal(report.record.match, 'm-1');
  assert.equal(writeLink(report.record), fragment);
  assert.equal(await matches.textOf('m-2'), null);
  assert.equal(await matches.textOf('m-3'), null);
  assert.equal((await check(list[1])).source, 'kept');
  assert.equal(await check(list[0]), null);
  assert.equal((await check({ ...list[1], seal: '00'.repeat(32) })).code, 'wrong-seal');
});

test('a match that is not over is no proof yet', async () => {
  const [kept] = await open({ 'veridice.matches': JSON.stringify({ m: { ...note, server: null, rolls: note.rolls.slice(0, 3), games: [3] } }) }).matches.list();
  assert.equal(verify(recordOf(kept)).code, 'seed-not-revealed');
});

test('what a phone of veridice/1 kept is listed without its secrets', async () => {
  const id = 'ad1bdd8d5acf8199bfdc5782cb4b0fa6';
  const base = id + '/' + 'ab'.repeat(16);
  const { matches } = open({}, {
    [base + '/join']: { offer: 'o', role: 1, anchor: 'a', link: 'the-last-link', key: 'k', secret: 'the-secret' }, [base + '/seat']: 1,
    [base + '/ready']: given.opening, [base + '/done/000001']: { note: 'roll 1', head: 'head 1', after: 'x' }, [base + '/record']: given.text,
    [base + '/done/000002']: { note: 'roll 2', head: given.heads[0], after: 'x' }, [base + '/roll/000001']: 'text', [base + '/signed/ff']: 'line',
    [base + '/evidence/00']: { code: 'two-heads', roll: 1, notes: ['a', 'b'] },
  });
  const [kept, ...more] = await matches.list();
  assert.equal(more.length, 0);
  assert.deepEqual([kept.match, kept.scheme, kept.seal, kept.seat], [id, 'veridice/1', given.opening, 1]);
  assert.deepEqual(kept.receipts, [{ roll: 'roll 1', head: 'head 1' }, { roll: 'roll 2', head: given.heads[0] }]);
  assert.deepEqual(kept.evidence, [{ code: 'two-heads', notes: ['a', 'b'] }]);
  const file = writeFile([kept], '2026-12-01T00:00:00Z');
  assert.ok(!file.includes('the-last-link') && !file.includes('the-secret'));
  const report = await check(kept);
  assert.equal(report.verdict, 'proven');
  assert.equal(report.source, 'kept');
});

test('a file of matches is read back as it was written, and holds no seat', async () => {
  const { matches } = open({ 'veridice.matches': JSON.stringify({ 'm-1': note }) });
  const list = await matches.list();
  const file = writeFile(list, '2026-12-01T00:00:00Z');
  assert.ok(!file.includes('secret-token'));
  const { matches: read } = readFile(file);
  const { own, ...first } = list[0];
  assert.deepEqual(read, [first]);
});

test('the document names every member of a match', async () => {
  const [{ own, ...kept }] = await open({ 'veridice.matches': JSON.stringify({ 'm-1': note }) }).matches.list();
  const rows = [...readFileSync(path('docs/matches.md'), 'utf8').matchAll(/^\| ([a-z]+) \| (text|number|list|text or null|number or null|true or false) \|/gm)].map((row) => row[1]);
  assert.deepEqual(rows.sort(), Object.keys(kept).sort());
  assert.equal(JSON.parse(writeFile([kept], 'x')).format, readFileSync(path('docs/matches.md'), 'utf8').match(/"format": "(.*)"/)[1]);
});

test('an imported copy is kept apart from what this phone saw', async () => {
  const file = readFile(writeFile(await open({ 'veridice.matches': JSON.stringify({ 'm-1': note }) }).matches.list(), '')).matches;
  const other = open({});
  assert.deepEqual(await other.matches.add(file), { added: 1, known: 0, differ: [] });
  assert.deepEqual(await other.matches.add(file), { added: 0, known: 1, differ: [] });
  assert.equal(other.storage.getItem('veridice.matches'), null); // the table reads this
  const [copy] = await other.matches.list();
  assert.equal(copy.own, false);
  assert.equal(verify(await other.matches.textOf('m-1')).verdict, 'proven');

  const own = open({ 'veridice.matches': JSON.stringify({ 'm-1': { ...note, seal: '11'.repeat(32) } }) });
  assert.deepEqual(await own.matches.add(file), { added: 0, known: 1, differ: ['m-1'] });
  assert.equal((await own.matches.list())[0].seal, '11'.repeat(32));
});

test('what is no file of matches is refused, with the place', () => {
  const good = { match: 'm', scheme: 'tavli/1', seal: '', at: '', before: 0, rolls: [], clients: [], games: [], server: null, record: '', receipts: [], evidence: [], differs: false, seat: null };
  const file = (...matches) => JSON.stringify({ format: 'veridice matches 1', exported: '', matches });
  assert.deepEqual(readFile(file(good)).matches, [good]);
  assert.deepEqual(readFile('{').fault, { code: 'json', number: 0 });
  for (const text of ['null', '[]', '{}', '{"format":"veridice matches 2","matches":[]}', '{"format":"veridice matches 1"}']) assert.equal(readFile(text).fault.code, 'format', text);
  for (const wrong of [
    { match: '../m' }, { match: '__proto__' }, { match: '' }, { scheme: 'tavli/2' }, { seal: 'AB' }, { at: 'yesterday' }, { before: -1 }, { before: 0.5 }, { rolls: [[1]] }, { rolls: [[1, 'x']] },
    { clients: ['a:b'] }, { clients: Array(17).fill('a') }, { games: ['1'] }, { server: 'xyz' }, { record: 7 }, { receipts: [{}] }, { evidence: [{ code: 'c', notes: ['1', '2', '3'] }] }, { differs: 1 }, { seat: '1' },
  ]) assert.deepEqual(readFile(file(good, { ...good, ...wrong })).fault, { code: 'match', number: 2 }, JSON.stringify(wrong));
  assert.equal('token' in readFile(file({ ...good, token: 't' })).matches[0], false);
});

test('a match is forgotten wherever it lies', async () => {
  const start = {
    'veridice.matches': JSON.stringify({ a: note, b: note }), 'veridice.imported': '{}', 'veridice.pending.a': '{}', 'veridice.created.a': '{}', 'veridice.created.b': '{}', other: 'stays',
  };
  const { storage, matches } = open(start);
  await matches.forget('a');
  assert.deepEqual([...storage.map.keys()].sort(), ['other', 'veridice.created.b', 'veridice.matches']);
  assert.deepEqual(Object.keys(JSON.parse(storage.getItem('veridice.matches'))), ['b']);
  await matches.forget(null);
  assert.deepEqual([...storage.map.keys()], ['other']);
});

test('a browser that refuses storage keeps nothing and says so when it should keep', async () => {
  const refused = () => { throw new Error('refused'); };
  const matches = openMatches({ storage: refused, factory: refused, keeper: async () => { throw new Error('refused'); } });
  assert.deepEqual(await matches.list(), []);
  await assert.rejects(matches.add([]), /refused/);
});
