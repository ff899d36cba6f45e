// The engine's part of veridice/1: chains, rolls, notes, records, evidence, views.
import assert from 'node:assert/strict';
import test from 'node:test';
import { evidence, parseRecord, parseSigned, placeText, readView, rollsOf, verify, verifyAsync, verifyRecord, writeRecord, writeView } from '../verifier/veridice.mjs';
import { afterMove, chainTo, dieOf, frame, leafHash, openingText, rollOf, startOf } from '../verifier/chain.mjs';
import { cannotHold, checkAhead, keyId, notNow, readNote, signedBy } from '../verifier/note.mjs';
import { eachVector, hex, largeVectors, sha256, unhex } from './verifier-support.mjs';

const fields = [
  'kind', 'tag', 'fields', 'frame', 'sha256', 'faces', 'words', 'face', 'used', 'items', 'take', 'dice', 'result', 'weights', 'die', 'item',
  'match', 'role', 'length', 'last', 'links', 'key', 'message', 'signature', 'valid', 'open', 'hash', 'start', 'entries', 'opening', 'head', 'roll',
  'actor', 'request', 'ctx', 'blocks', 'rejected', 'after', 'text', 'heads', 'want', 'view', 'notes', 'code', 'place', 'shown', 'sum',
];
const records = new Map();
const later = []; // what WebCrypto answers later
const sayings = ({ verdict, code, place, rolls, source, signed, account }) => [verdict, code, placeText(place), rolls, source, signed, account];
const wanted = ({ verdict, code, place, rolls, source, signed, account }) => [verdict, code, place, rolls, source, signed, account];

const kinds = {
  frame(v) {
    const made = frame(v.tag.replace('veridice/1/', ''), v.fields.map(unhex));
    assert.equal(hex(made), v.frame);
    assert.equal(hex(sha256(made)), v.sha256);
  },
  die(v) {
    const left = [...v.words];
    const taken = [];
    assert.equal(dieOf(v.faces, () => left.shift(), taken), v.face);
    assert.equal(taken.length, v.used);
    assert.deepEqual(taken.map(({ face }) => face !== null), [...Array(v.used - 1).fill(false), true]);
  },
  // Draws by lists are no part of a check: here they are made by hand from the rules.
  sample(v) {
    const faces = Array.from({ length: Math.max(0, v.take) }, (_, i) => v.items - i).filter((n) => n > 1);
    if (v.result === null) return assert.ok(v.take < 1 || v.take > v.items || faces.length > 1024);
    assert.deepEqual(faces, v.faces);
    const there = Array.from({ length: v.items }, (_, i) => i);
    const taken = v.dice.map((die) => there.splice(die - 1, 1)[0]);
    assert.deepEqual([...taken, ...there].slice(0, v.take), v.result);
  },
  choice(v) {
    const total = v.weights.reduce((sum, weight) => sum + weight, 0);
    if (v.item === null) return assert.ok(v.weights.includes(0) || total < 2 || total >= 2 ** 32);
    assert.equal(total, v.faces);
    let sum = 0;
    assert.equal(v.weights.findIndex((weight) => (sum += weight) >= v.die), v.item);
  },
  chain(v) {
    const links = chainTo(v.match, v.role, v.length, v.last);
    assert.equal(links.length, v.length + 1);
    for (const { index, link } of v.links) assert.equal(hex(links[index]), link);
  },
  transcript(v) {
    assert.equal(hex(leafHash(v.open)), v.hash);
    let head = startOf(unhex(v.hash));
    assert.equal(hex(head), v.start);
    for (const entry of v.entries) {
      if (entry.move === undefined) head = unhex(entry.head);
      else assert.equal(hex((head = afterMove(head, entry))), entry.head);
    }
  },
  roll(v) {
    const made = rollOf(unhex(v.opening), unhex(v.head), v, v.links.map(unhex));
    assert.deepEqual(
      [made.request, made.context, made.key, ...made.blocks, made.after].map(hex), [v.request, v.ctx, v.key, ...v.blocks, v.after]);
    assert.deepEqual(made.dice, v.dice);
    assert.deepEqual(made.words.map(({ word }) => word), v.words);
    assert.equal(made.words.filter(({ face }) => face === null).length, v.rejected);
  },
  ed25519(v) {
    later.push(async () => {
      const signer = { name: 'm/0', key: v.key };
      const text = String.fromCharCode(...unhex(v.message));
      const note = { text, signatures: [{ name: signer.name, keyId: keyId(signer), bytes: unhex(v.signature) }] };
      const verifier = await checkAhead([{ note, signers: [signer] }]);
      assert.deepEqual(signedBy(note, signer, verifier), { good: v.valid, bad: !v.valid, unchecked: false }, v.name);
      const now = signedBy(note, signer, notNow);
      assert.equal(now.good, false);
      assert.equal(now.bad, cannotHold(v.key, unhex(v.signature)));
      if (v.valid) assert.equal(now.unchecked, true);
    });
  },
  record(v) {
    records.set(v.name, v);
    const options = { seal: v.opening, heads: v.heads };
    const now = verify(v.text, options);
    if (now.code === 'signatures-not-checked') {
      assert.deepEqual([now.verdict, now.signed, now.account], ['unknown', [], []]);
    } else {
      // What is said without looking at signatures must be what is said with them.
      assert.deepEqual(sayings(now).slice(0, 5), wanted(v.want).slice(0, 5));
      assert.ok(now.verdict !== 'proven' || v.heads.length > 0);
    }
    const { value, fault } = parseSigned(v.text);
    assert.equal(value === null, ['syntax', 'version', 'scheme'].includes(v.want.code), fault?.words);
    if (value !== null) {
      assert.equal(writeRecord(value.record), value.note.text);
      assert.deepEqual(readView(writeView(value.record)).value, value.record);
    }
    later.push(async () => {
      const report = await verifyAsync(v.text, options);
      assert.deepEqual(sayings(report), wanted(v.want), v.name);
      assert.deepEqual(report.unchecked, []);
      assert.deepEqual(await verifyAsync(new TextEncoder().encode(v.text), options), report);
    });
  },
  view(v) {
    assert.equal(writeView(parseRecord(v.text).value), v.view);
    assert.equal(writeRecord(readView(v.view).value), v.text);
  },
  evidence(v) {
    later.push(async () => {
      for (const [a, b] of [v.notes, [...v.notes].reverse()]) {
        const { code, place, unchecked } = await evidence(a, b, v.key);
        assert.deepEqual([code, placeText(place), unchecked], [v.code, v.place, false], v.name);
      }
    });
  },
  long(v) {
    const rolls = v.shown.length / 2;
    const lines = ['veridice record 1', 'scheme veridice/1', ...v.open.trimEnd().split('\n')];
    for (let n = 0; n < rolls; n++) lines.push(`roll ${n + 1} ${n % 17} 6,6 ${v.shown[2 * n]},${v.shown[2 * n + 1]}`);
    v.last.forEach((link, role) => lines.push(`last ${role} ${rolls} ${link}`));
    const text = [...lines, `rolls ${rolls}`, `head ${v.head}`, 'state finished', `sum ${v.sum}`, ''].join('\n');
    const match = /match (\w+)/.exec(v.open)[1];
    const from = process.hrtime.bigint();
    const report = verify(text, { heads: [`veridice/1 head\nmatch ${match}\nroll ${rolls}\nhead ${v.head}\n`] });
    const took = Number(process.hrtime.bigint() - from) / 1e9;
    assert.deepEqual([report.verdict, report.code, report.rolls, report.fit, report.account], ['proven', '', 8192, 8192, ['head']]);
    assert.ok(took < 30, `took ${took} s`); // a second or two on a machine with nothing else to do
  },
};

test('veridice1.ndjson', async () => {
  eachVector('veridice1.ndjson', fields, (v) => kinds[v.kind](v));
  assert.ok(later.length > 200);
  for (const run of later) await run();
});

test('without WebCrypto nothing is proven by a signature, and what is broken stays so', async () => {
  const { text } = records.get('record-signed-by-all');
  const crypto = Object.getOwnPropertyDescriptor(globalThis, 'crypto');
  Object.defineProperty(globalThis, 'crypto', { value: {}, configurable: true });
  try {
    // A fresh copy of the module has not asked yet.
    const engine = await import('../verifier/veridice.mjs');
    const report = engine.verify(text);
    assert.deepEqual([report.verdict, report.code, report.unchecked], ['unknown', 'signatures-not-checked', [0, 1, 2]]);
    const fresh = await import('../verifier/note.mjs?without');
    const { note } = parseSigned(text).value;
    assert.equal(await fresh.checkAhead([{ note, signers: [] }]), fresh.notNow);
  } finally {
    Object.defineProperty(globalThis, 'crypto', crypto);
  }
  const broken = records.get('record-die-changed');
  assert.equal(verify(broken.text).code, 'wrong-dice');
  assert.equal(verifyRecord(parseRecord(text).value).code, 'not-signed', 'a record alone has no signatures');
});

test('a browser whose Ed25519 multiplies by the cofactor checks nothing', async () => {
  const crypto = Object.getOwnPropertyDescriptor(globalThis, 'crypto');
  const subtle = { importKey: async () => ({}), verify: async () => true };
  Object.defineProperty(globalThis, 'crypto', { value: { subtle }, configurable: true });
  try {
    const fresh = await import('../verifier/note.mjs?cofactor');
    assert.equal(await fresh.checkAhead([]), fresh.notNow);
  } finally {
    Object.defineProperty(globalThis, 'crypto', crypto);
  }
});

test('every byte of a signed record: cut, changed, left out: never proven', async () => {
  const { text } = records.get('record-signed-by-the-server');
  const bytes = Buffer.from(text);
  assert.equal((await verifyAsync(text)).verdict, 'proven');
  let tried = 0;
  for (let i = 0; i < bytes.length; i++) {
    const variants = [bytes.subarray(0, i), Buffer.concat([bytes.subarray(0, i), bytes.subarray(i + 1)])];
    for (const bit of [1, 0x20, 0x80]) {
      const changed = Buffer.from(bytes);
      changed[i] ^= bit;
      variants.push(changed);
    }
    for (const variant of variants) {
      const report = await verifyAsync(new Uint8Array(variant));
      assert.notEqual(report.verdict, 'proven', `byte ${i}`);
      tried++;
    }
  }
  assert.ok(tried > 5000);
});

test('what the reader noted', async () => {
  const { text } = records.get('record-signed-by-the-server');
  const rolls = parseRecord(text).value.entries.filter(({ type }) => type === 'roll').map(({ dice }) => dice);
  assert.equal((await verifyAsync(text, { rolls })).verdict, 'proven');
  const short = await verifyAsync(text, { rolls: rolls.slice(0, 5) });
  assert.deepEqual([short.code, placeText(short.place)], ['count-differs', '']);
  const more = await verifyAsync(text, { rolls: [...rolls, [1]] });
  assert.deepEqual([more.verdict, more.code, more.place.number], ['broken', 'other-rolls', rolls.length + 1]);
  const running = records.get('record-running-and-signed').text;
  const seen = rollsOf(parseRecord(running).value).map(({ dice }) => dice);
  const early = await verifyAsync(running, { rolls: [...seen, [1]] });
  assert.deepEqual([early.verdict, early.code, early.place.number], ['unknown', 'ends-early', seen.length + 1]);
  assert.equal((await verifyAsync(text, { number: 7 })).code, 'count-differs');
  const none = await verifyAsync(records.get('record-no-rolls').text, { rolls });
  assert.deepEqual([none.verdict, none.rolls], ['broken', 0], 'noted rolls never stand in for rolls of the record');
  assert.deepEqual((await verifyAsync(text)).notProven.map(({ code, args }) => [code, ...args].join(' ')),
    ['not-logged', 'seal-shown-before', 'seats-unsigned 1 2', 'veto']);
});

test('views that could have two meanings are refused', () => {
  const view = writeView(parseRecord(records.get('record-running-and-signed').text).value);
  for (const [before, after] of [
    ['"seq":1,', ''], ['"seq":1', '"seq":1,"seq":1'], ['"seq":1', '"seq":1,"\\u0073eq":1'], ['"seq":1', '"seq":1.0'], ['"seq":1', '"seq":1e0'], ['"seq":1', '"seq":-0'],
    ['"seq":1', '"seq":"1"'], ['"seq":1', '"seq":1,"seal":null'], ['"role":null', '"role":1'], ['"state":"running"', '"state":"aborted -"'],
    ['"actor":2,"faces":[6,6]}', '"actor":2,"faces":"6,6"}'], ['"move":"24/19 8/7"', '"move":"a\\nmove 1 b"'], ['"type":"move"', '"type":"note"'],
    ['"scheme":"veridice/1"', '"scheme":"tavli/1"'], ['"roles":[', '"roles":[null,'], ['{"record":1', '[{"record":1'], ['"last":[', '"last":null,"x":['],
  ]) {
    assert.ok(view.includes(before), before);
    const { value, fault } = readView(view.replace(before, after));
    assert.equal(value, null, after);
    assert.ok(fault.code === 'syntax' || fault.code === 'scheme', after);
  }
  assert.notEqual(readView(view.replaceAll(',', ' ,\n ')).value, null);
  assert.notEqual(readView(JSON.stringify(JSON.parse(view, (_, value) => value), null, 2)).value, null);
});

test('notes', () => {
  const line = (name) => `a\n\n\u2014 ${name} AAAAAAA=\n`;
  for (const name of ['a', '\u03b1', 'a\ufeffb', 'a\x7fb', '/0']) assert.equal(readNote(line(name)).signatures[0].name, name);
  for (const name of ['', ' ', 'a b', 'a+b', 'a\tb', 'a\u00a0b', 'a\u2003b', 'a\x85b', 'a\u3000b']) {
    assert.throws(() => readNote(line(name)), JSON.stringify(name));
  }
  for (const text of ['', 'a', '\n\n', 'a\n\n', 'a\n\u2014 b AAAAAAA=\n', 'a\n\n\u2014 b AAAAAAA=', 'a\n\n\u2014 b AAAAAA==\n', 'a\n\n\u2014 b AAAAAAB=\n', 'a\n\n\u2014 b AAAAAAA\n']) {
    assert.throws(() => readNote(text), JSON.stringify(text));
  }
  assert.equal(readNote(`a\n\n${'\u2014 b AAAAAAA=\n'.repeat(100)}`).signatures.length, 100);
  assert.throws(() => readNote(`a\n\n${'\u2014 b AAAAAAA=\n'.repeat(101)}`));
});

test('too long is said before anything else is looked at', async () => {
  const { text } = records.get('record-signed-by-the-server');
  const report = await verifyAsync(text + 'x'.repeat(16 * 1024 * 1024 + 1 - Buffer.byteLength(text)));
  assert.deepEqual([report.verdict, report.code], ['unknown', 'too-long']);
});

test('the checks and the evidence of the large vectors', async (t) => {
  const vectors = largeVectors('veridice-1.json');
  if (vectors === null) return t.skip('../shared/vectors is not there');
  for (const { name, note, trusted, heads, verdict, code, at, rolls, source, signed, account } of vectors.checks) {
    const report = await verifyAsync(note, { seal: trusted, heads });
    assert.deepEqual(sayings(report), [verdict, code, at, rolls, source, signed, account], name);
  }
  assert.equal(vectors.checks.length, 161);
  for (const { name, notes, key, code, at } of vectors.evidence) {
    for (const [a, b] of [notes, [...notes].reverse()]) {
      const found = await evidence(a, b, key);
      assert.deepEqual([found.code, placeText(found.place), found.unchecked], [code, at, false], name);
    }
  }
  assert.equal(vectors.evidence.length, 22);
  let rolled = 0;
  for (const match of vectors.matches) {
    const text = match.record;
    const { value } = parseRecord(text);
    assert.deepEqual(value, match.view);
    assert.equal(writeRecord(match.view), text);
    assert.equal(openingText(value), match.open);
    assert.equal(hex(leafHash(match.open)), match.openHash);
    let head = startOf(unhex(match.openHash));
    const chains = match.chains.map(({ role, length, end }) => chainTo(value.match, role, length, end));
    match.chains.forEach(({ anchor }, role) => assert.equal(hex(chains[role][0]), anchor));
    let number = 0;
    for (const entry of match.entries) {
      if (entry.kind === 'move') head = afterMove(head, entry);
      else {
        number++;
        const made = rollOf(unhex(match.openHash), head, { roll: number, ...entry }, chains.map((links) => links[number]));
        assert.deepEqual([made.request, made.context, made.key].map(hex), [entry.request, entry.ctx, entry.prk]);
        assert.deepEqual(made.blocks.map(hex), entry.blocks);
        assert.deepEqual(made.dice, entry.dice);
        head = made.after;
        rolled++;
      }
      assert.equal(hex(head), entry.T);
    }
  }
  assert.equal(rolled, 388);
});
