// The engine's part of public logs: entries, policies, receipts, growth, proof files.
import assert from 'node:assert/strict';
import test from 'node:test';
import {
  checkReceiptAsync, evidence, hasGrown, isEnough, placeText, readCheckpoint, readPolicy, readReceipt, verify, verifyAsync,
} from '../verifier/veridice.mjs';
import { endingText, readSealEntry, splitProof } from '../verifier/proof.mjs';
import { checkReceipt, signaturesOf } from '../verifier/receipt.mjs';
import { checkAhead, notNow } from '../verifier/note.mjs';
import { eachVector, largeVectors } from './verifier-support.mjs';

const fields = [
  'kind', 'text', 'line', 'enough', 'policy', 'entry', 'receipt', 'want', 'old', 'new', 'oldRoot', 'newRoot', 'proof', 'valid', 'heads',
  'notes', 'key', 'code', 'place',
];
const proofs = new Map();
const receipts = new Map();
const later = []; // what WebCrypto answers later
const saying = (r) => [r.verdict, r.code, placeText(r.place), r.rolls, r.source, r.signed, r.account, r.began?.time ?? 0, r.closed !== null];
const wanted = (w) => [w.verdict, w.code, w.place, w.rolls, w.source, w.signed, w.account, w.before, w.closed];

const kinds = {
  policy(v) {
    const { value, fault } = readPolicy(v.text);
    if (v.line !== null) return assert.deepEqual([value, fault?.code, fault?.line], [null, 'bad-policy', v.line]);
    for (const [names, enough] of v.enough) assert.equal(isEnough(value, names), enough, names);
  },
  receipt(v) {
    receipts.set(v.name, v);
    later.push(async () => {
      const { code, logged } = await checkReceiptAsync(v.policy, v.entry, v.receipt);
      const { origin, ...numbers } = logged ?? { origin: '', index: 0, size: 0, witnesses: 0, time: 0 };
      assert.deepEqual({ code, ...numbers }, v.want, v.name);
      assert.equal(origin, code === '' ? 'log.example/table' : '');
      // Without signatures nothing holds, and what is said must be what is said with them.
      const now = checkReceipt(readPolicy(v.policy).value, v.entry, v.receipt, notNow).code;
      assert.ok(now === 'signatures-not-checked' || now === v.want.code, `${v.name}: ${now}`);
      assert.notEqual(now, '');
    });
  },
  growth(v) {
    assert.equal(hasGrown({ size: v.old, root: v.oldRoot }, { size: v.new, root: v.newRoot }, v.proof), v.valid);
  },
  entry(v) {
    // This engine reads seals alone; the others it makes, and compares.
    if (v.text.startsWith('veridice/1 seal\n')) assert.equal(readSealEntry(v.text) !== null, v.valid);
  },
  proof(v) {
    proofs.set(v.name, v);
    const options = { policy: v.policy, heads: v.heads };
    const now = verify(v.text, options);
    assert.notEqual(now.verdict, 'proven');
    if (now.code !== 'signatures-not-checked') assert.deepEqual(saying(now).slice(0, 5), wanted(v.want).slice(0, 5));
    later.push(async () => {
      const report = await verifyAsync(v.text, options);
      assert.deepEqual(saying(report), wanted(v.want), v.name);
      if (v.want.limits !== null) assert.deepEqual(report.notProven.map(({ code }) => code), v.want.limits, v.name);
      const failed = report.steps.filter(({ state }) => state === 'failed').length;
      if (report.steps.length > 0) assert.equal(failed === 0, report.verdict === 'proven', v.name);
      assert.deepEqual(await verifyAsync(new TextEncoder().encode(v.text), options), report);
    });
  },
  evidence(v) {
    later.push(async () => {
      for (const [a, b] of [v.notes, [...v.notes].reverse()]) {
        const { code, place, unchecked } = await evidence(a, b, v.key, v.policy);
        assert.deepEqual([code, placeText(place), unchecked], [v.code, v.place, false], v.name);
      }
    });
  },
};

test('log.ndjson', async () => {
  eachVector('log.ndjson', fields, (v) => kinds[v.kind](v));
  assert.ok(later.length > 100);
  for (const run of later) await run();
});

// Which byte has which of the five is another one in the Go engine, which tries all.
test('every byte of a proof file is changed, left out, or the last: never proven', async () => {
  const { text, policy } = proofs.get('proof-unsigned');
  const bytes = Buffer.from(text);
  assert.equal((await verifyAsync(text, { policy })).verdict, 'proven');
  let tried = 0;
  for (let i = 0; i < bytes.length; i++) {
    let variant = Buffer.from(bytes);
    if (i % 5 === 3) variant = bytes.subarray(0, i);
    else if (i % 5 === 4) variant = Buffer.concat([bytes.subarray(0, i), bytes.subarray(i + 1)]);
    else variant[i] ^= [1, 0x20, 0x80][i % 5];
    const report = await verifyAsync(new Uint8Array(variant), { policy });
    assert.notEqual(report.verdict, 'proven', `byte ${i}`);
    tried++;
  }
  assert.ok(tried > 2500);
});

test('without WebCrypto no receipt holds', async () => {
  const { text, policy } = proofs.get('proof-tavli');
  const crypto = Object.getOwnPropertyDescriptor(globalThis, 'crypto');
  Object.defineProperty(globalThis, 'crypto', { value: {}, configurable: true });
  try {
    const fresh = await import('../verifier/note.mjs?without-log');
    const { value } = readPolicy(policy);
    const { receipt, entry } = receipts.get('receipt-good');
    assert.equal(await fresh.checkAhead(signaturesOf(value, [receipt])), fresh.notNow);
    assert.equal(checkReceipt(value, entry, receipt, fresh.notNow).code, 'signatures-not-checked');
  } finally {
    Object.defineProperty(globalThis, 'crypto', crypto);
  }
  const report = verify(text, { policy });
  assert.deepEqual([report.verdict, report.code, placeText(report.place), report.began], ['unknown', 'signatures-not-checked', 'seal', null]);
});

test('checkpoints', () => {
  const root = 'iRgKBFm2EChLEbkx+pdkzOb7IK7lVTUMrGeMf4jnWRg=';
  assert.deepEqual(readCheckpoint(`o\n14\n${root}\n`), { origin: 'o', size: 14, root: '89180a0459b610284b11b931fa9764cce6fb20aee555350cac678c7f88e75918' });
  for (const text of ['', 'o\n', `\n14\n${root}\n`, `o\n014\n${root}\n`, `o\n14\n${root}`, `o\n14\n${root}\nmore\n`, `o\n-1\n${root}\n`, `o\n${2 ** 53}\n${root}\n`,
    `o\n14\n${root.replace('g=', 'h=')}\n`, `o\n14\nAAAA\n`]) {
    assert.equal(readCheckpoint(text), null, JSON.stringify(text));
  }
});

test('receipts, proofs and growth of the large vectors', async (t) => {
  const vectors = largeVectors('veridice-1.json');
  if (vectors === null) return t.skip('../shared/vectors is not there');
  const { log } = vectors;
  for (const [i, { leaf, receipt, ok, code, index, witnesses, latest }] of log.receipts.entries()) {
    const got = await checkReceiptAsync(log.policy, leaf, receipt);
    assert.equal(got.code, ok ? '' : code, i);
    if (ok) assert.deepEqual([got.logged.index, got.logged.witnesses, got.logged.time], [index, witnesses, latest]);
  }
  assert.equal(log.receipts.length, 31);
  for (const { old, oldRoot, new: size, newRoot, proof } of log.consistency) {
    assert.equal(hasGrown({ size: old, root: oldRoot }, { size, root: newRoot }, proof), true);
    if (old < size) assert.equal(hasGrown({ size: old, root: newRoot }, { size, root: oldRoot }, proof), false);
  }
  for (const p of vectors.proofs) {
    const report = await verifyAsync(p.proof, { policy: p.policy, seal: p.trusted, heads: p.heads });
    assert.deepEqual(saying(report), [p.verdict, p.code, p.at, p.rolls, p.source, p.signed, p.account, p.before, p.closed], p.name);
  }
  assert.equal(vectors.proofs.length, 70);
});

test('the parts of a file', async () => {
  const { text } = proofs.get('proof-whole');
  const parts = splitProof(new TextEncoder().encode(text)).value;
  assert.deepEqual(parts.map(({ name }) => name), ['record', 'open-receipt', 'close', 'close-receipt']);
  const again = parts.map(({ name, bytes }) => `${name} ${bytes.length}\n${new TextDecoder().decode(bytes)}`).join('');
  assert.equal('veridice proof 1\n' + again, text);
  const { record } = verify(new TextDecoder().decode(parts[0].bytes));
  assert.equal(endingText(record, 1, ''), new TextDecoder().decode(parts[2].bytes));
  const { index, path, checkpoint } = readReceipt(new TextDecoder().decode(parts[1].bytes)).value;
  assert.deepEqual([index, path.length, checkpoint.size], [1, 3, 5]);
  assert.equal(splitProof(new Uint8Array(5 * 2 ** 24 + 257)).fault.code, 'too-long');
  assert.equal(typeof (await checkAhead([])), 'function');
});
