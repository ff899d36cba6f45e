// What a phone asks of the public log before it says that it is ready. The log of these tests is made here, from the
// formats of C2SP: docs/spec/log.md.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { mapKeeper } from '../app/phone/keeper.mjs';
import { openReceipts } from '../app/phone/receipts.mjs';
import { browserSigner } from '../app/phone/signer.mjs';
import { sent, start, stream, table } from './phone-support.mjs';

const signer = browserSigner(stream('log'));
const sha = (...parts) => parts.reduce((hash, part) => hash.update(part), createHash('sha256')).digest();
const leaf = (text) => sha(Uint8Array.of(0), text);
const node = (left, right) => sha(Uint8Array.of(1), left, right);

/** A key of a log (kind 1) or a witness (kind 4). */
async function party(name, kind) {
  const made = await signer.make();
  const bytes = Buffer.from(made.key, 'hex');
  const id = sha(name, '\n', Uint8Array.of(kind), bytes).subarray(0, 4);
  return { ...made, name, id, text: `${name}+${id.toString('hex')}+${Buffer.concat([Uint8Array.of(kind), bytes]).toString('base64')}` };
}

const log = await party('log.example', 1);
const witness = await party('w.example', 4);
const policy = `log ${log.text}\nwitness w ${witness.text}\nquorum w\n`;

const line = ({ name, id }, ...bytes) => `\u2014 ${name} ${Buffer.concat([id, ...bytes]).toString('base64')}\n`;

/** A checkpoint's note; without a time the witness does not cosign. */
async function head(size, root, time, by = log) {
  const text = `log.example\n${size}\n${root.toString('base64')}\n`;
  let out = text + '\n' + line(log, await signer.sign(by.secret, text));
  if (time !== null) {
    const stamp = Buffer.alloc(8);
    stamp.writeBigUInt64BE(BigInt(time));
    out += line(witness, stamp, await signer.sign(witness.secret, `cosignature/v1\ntime ${time}\n${text}`));
  }
  return out;
}

const proof = (index, path, note) => ['c2sp.org/tlog-proof@v1', `index ${index}`, ...path.map((hash) => hash.toString('base64')), '', note].join('\n');
const seconds = start / 1000;

const open = (more = {}) => openReceipts({ policy, keeper: mapKeeper(), now: () => start, verify: signer.verify, growth: async () => null, ...more });

/** The code with which a check ends, '' if it holds. */
const code = (check) => check.then(() => '', (fault) => { assert.ok('notes' in fault, fault); return fault.code; });

test('a receipt holds for its text, now, with its witnesses', async () => {
  const one = proof(0, [], await head(1, leaf('text\n'), seconds));
  assert.deepEqual(await open().check('text\n', one, true), { origin: 'log.example', index: 0, size: 1, witnesses: 1, time: seconds });
  assert.equal(await code(open().check('other\n', one, true)), 'bad-receipt');
  assert.equal(await code(open().check('text\n', one.replace('index 0', 'index 1'), true)), 'bad-receipt');
  assert.equal(await code(open().check('text\n', proof(0, [], await head(1, leaf('text\n'), seconds, witness)), true)), 'bad-receipt');
  assert.equal(await code(open().check('text\n', proof(0, [], await head(1, leaf('text\n'), null)), true)), 'no-quorum');
  assert.equal(await code(open({ policy: 'quorum' }).check('text\n', one, true)), 'bad-receipt');
});

test('five minutes between the clocks, and no more', async () => {
  for (const [apart, want] of [[300, ''], [-300, ''], [301, 'receipt-time'], [-301, 'receipt-time']]) {
    const receipt = proof(0, [], await head(1, leaf('text\n'), seconds + apart));
    assert.equal(await code(open().check('text\n', receipt, true)), want, String(apart));
    assert.equal(await code(open().check('text\n', receipt, false)), '', 'one that was taken before is not of now');
  }
});

test('the log must have grown from what the phone saw', async () => {
  const [a, b, x] = ['a\n', 'b\n', 'x\n'].map(leaf);
  const first = proof(0, [], await head(1, a, seconds));
  const second = proof(1, [a], await head(2, node(a, b), seconds));
  const forked = proof(1, [x], await head(2, node(x, b), seconds));
  const growth = async (earlier, later) => { assert.deepEqual([earlier, later], [1, 2]); return [b.toString('hex')]; };
  const keeper = mapKeeper();
  const phone = open({ keeper, growth });
  assert.equal(await code(phone.check('a\n', first, true)), '');
  assert.equal(await code(phone.check('b\n', second, true)), '');
  assert.equal(await code(phone.check('a\n', first, false)), '', 'an older receipt again');
  assert.equal((await keeper.list('log/log.example/')).length, 2);

  const other = open({ growth });
  assert.equal(await code(other.check('a\n', first, true)), '');
  assert.equal(await code(other.check('b\n', forked, true)), 'log-unproven', 'nobody signed the proof that fails');
  assert.equal(await code(other.check('b\n', second, true)), '', 'the right one is taken after it');
  const silent = open();
  assert.equal(await code(silent.check('a\n', first, true)), '');
  assert.equal(await code(silent.check('b\n', second, true)), 'log-unproven');
  const twice = open({ growth });
  assert.equal(await code(twice.check('b\n', second, true)), '');
  await twice.check('b\n', forked, true).then(() => assert.fail('a fork is taken'), (fault) => {
    assert.equal(fault.code, 'log-forked', 'two roots of one size');
    assert.deepEqual(fault.notes.map((note) => note.split('\n')[1]), ['2', '2'], 'both checkpoints are kept');
  });
});

test('what was seen of a log does not speak for one whose name it continues', async () => {
  const keeper = mapKeeper();
  await keeper.once('log/log.example/2/0000000000000009', { size: 9, root: 'x', note: 'of log.example/2' });
  const receipt = proof(0, [], await head(1, leaf('text\n'), seconds));
  assert.equal(await code(open({ keeper }).check('text\n', receipt, true)), '');
});

test('no phone is ready before the receipt of its opening', async () => {
  const t = await table({ name: 'receipts', phone: { policy } });
  const [, one, two] = t.phones;
  assert.equal(one.view.phase, 'anchored');
  assert.equal(one.view.logged, false);
  assert.deepEqual(sent(t, 1, 'ready'), []);
  const { text } = t.events.find(({ type }) => type === 'anchored');
  const receipt = proof(0, [], await head(1, leaf(text), seconds));
  const other = proof(0, [], await head(1, leaf('another opening\n'), seconds));
  await t.feed(one, { type: 'logged', entry: 'begin', text, index: 0, receipt });
  assert.equal(one.view.logged, true);
  assert.equal(one.view.log.witnesses, 1);
  assert.equal(sent(t, 1, 'ready').length, 1);
  await t.idle();
  await t.feed(two, { type: 'logged', entry: 'begin', text, index: 0, receipt: other });
  assert.equal(two.view.fault.code, 'bad-receipt');
  assert.deepEqual(sent(t, 2, 'ready'), []);
});

/** A table that waits for the receipt of its opening; from then on phone 1 hears only what the test tells it. */
async function waiting(name) {
  let closing = '';
  const t = await table({ name, phone: { policy, growth: async () => [leaf(closing).toString('hex')] } });
  const { text } = t.events.find(({ type }) => type === 'anchored');
  let told = t.events.length;
  t.gate = () => false;
  return {
    t, text,
    begin: { type: 'logged', entry: 'begin', text, index: 0, receipt: proof(0, [], await head(1, leaf(text), seconds)) },
    end: async (closed) => {
      closing = closed;
      const root = node(leaf(text), leaf(closed));
      return { type: 'logged', entry: 'end', text: closed, index: 1, receipt: proof(1, [leaf(text)], await head(2, root, seconds)) };
    },
    tell: async () => {
      for (const { event, ...rest } of t.events.slice(told)) for (const phone of t.phones.slice(1)) await t.feed(phone, rest);
      told = t.events.length;
    },
  };
}

test('the end in the log is the one that the phone saw', async () => {
  for (const [change, fault] of [
    [(text) => text, undefined],
    [(text) => text.replace('state finished', 'state aborted 1'), 'bad-receipt'],
    [(text) => text.replace(/record .*/, 'record ' + '0'.repeat(64)), 'bad-receipt'],
    [() => 'another entry\n', 'bad-receipt'],
  ]) {
    const { t, text, begin, end, tell } = await waiting('end');
    const [, one, two] = t.phones;
    for (const phone of [one, two]) await t.feed(phone, begin);
    await tell();
    assert.equal(one.view.phase, 'running');
    await one.end();
    await two.end();
    await tell();
    assert.equal(one.view.phase, 'finished');
    const own = (await t.house.record()).body;
    const line = (name) => new RegExp(`^${name} (.*)$`, 'm').exec(own)?.[1];
    const closing = `veridice/1 close\nmatch ${t.match}\nopen 0 ${leaf(text).toString('hex')}\nstate finished\nrolls 0\n`
      + `head ${line('head')}\npending -\nrecord ${line('sum')}\n`;
    await t.feed(one, await end(change(closing)));
    assert.equal(one.view.fault?.code, fault, change(closing));
  }
});

test('a seat is not late while the log has not answered', async () => {
  const { t, begin } = await waiting('late');
  const [, one, two] = t.phones;
  assert.deepEqual(one.view.awaited, [0]);
  await t.feed(one, { type: 'aborted', role: 1, seat: 2 });
  assert.equal(one.view.fault?.code, 'record-differs');
  assert.equal(one.view.silent, null);
  await t.feed(two, begin);
  assert.deepEqual(two.view.awaited, [1, 2]);
  await t.feed(two, { type: 'aborted', role: 1, seat: 2 });
  assert.equal(two.view.silent, 1);
  // Whose own clock or policy is another is late, and accuses nobody.
  const late = await waiting('late');
  const [, three] = late.t.phones;
  await late.t.feed(three, { ...late.begin, receipt: proof(0, [], await head(1, leaf(late.text), null)) });
  assert.equal(three.view.fault?.code, 'no-quorum');
  await late.t.feed(three, { type: 'aborted', role: 1, seat: 2 });
  assert.equal(three.view.fault?.code, 'no-quorum');
});
