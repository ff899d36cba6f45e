// What a phone does once and never otherwise: over reloads, crashes, tabs and repeated questions.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import test from 'node:test';
import { mapKeeper, openKeeper } from '../app/phone/keeper.mjs';
import { coreSigner, openSigner } from '../app/phone/signer.mjs';
import { openNote, readOffer, readRoll } from '../app/phone/texts.mjs';
import { eachVector, hex, path, unhex, utf8 } from './verifier-support.mjs';
import { rollOn, sent, stream, table } from './phone-support.mjs';

const unique = (bodies) => new Set(bodies.map((body) => JSON.stringify(body))).size;

/** A keeper that fails from some moment on. */
function failing(keeper, when) {
  const or = (run) => (...given) => (when(...given) ? Promise.reject(new DOMException('full', 'QuotaExceededError')) : run(...given));
  return { ...keeper, once: or(keeper.once), get: or(keeper.get), list: or(keeper.list) };
}

/** A table at which one part of seat 1 is stored and never sent: then the page is gone. */
async function crash(action, rolls = 2) {
  const t = await table({ name: `crash ${action}`, join: false });
  const act = async () => {
    for (const phone of t.phones.slice(1)) await phone.acknowledge('');
    await t.idle();
    for (let n = 0; n < rolls; n++) await rollOn(t);
    await t.phones[1].roll([6, 6]);
    await t.idle();
  };
  t.stop = (seat, of) => seat === 1 && of === action;
  await act();
  t.stop = () => false;
  const before = sent(t, 1, action);
  t.phones[1] = t.open(1);
  await t.hear(t.phones[1]);
  return { t, before, after: sent(t, 1, action).slice(before.length) };
}

for (const [action, rolls] of [['join', 0], ['ready', 0], ['ask', 0], ['link', 0]]) {
  test(`reload between storing and sending: ${action}`, async () => {
    const { t, before, after } = await crash(action, rolls);
    assert.ok(before.length > 0 && after.length > 0);
    assert.equal(unique([...before, after[0]]), 1, 'the same bytes');
    assert.equal(t.phones[1].view.fault, null);
    assert.equal(t.phones[1].view.rolls.length, action === 'ask' || action === 'link' ? 1 : 0);
    assert.equal(t.phones[1].view.phase, 'running');
  });
}

test('reload after sending, while the roll is going on: nothing new is said', async () => {
  const t = await table({ name: 'after' });
  t.stop = (seat, action) => seat === 2 && action === 'link';
  await t.phones[1].roll([6, 6]);
  await t.idle();
  const before = t.posts.length;
  t.phones[1] = t.open(1);
  await t.hear(t.phones[1]);
  assert.equal(t.posts.length, before);
  assert.deepEqual(t.phones[1].view.pending.missing, [2]);
  // And where the page does not know yet that its link is in, the same bytes.
  t.phones[1] = t.open(1, { last: 0 });
  await t.hear(t.phones[1]);
  assert.equal(unique(sent(t, 1, 'link')), 1);
});

test('a crash before anything of a part is stored: it is made once, then', async () => {
  for (const part of ['join', 'ready', 'roll/', 'signed/']) {
    const t = await table({ name: `crash at ${part}`, join: false });
    let down = true;
    const own = t.keepers[1];
    t.phones[1] = t.open(1, { last: 0, keeper: failing(own, (key) => down && key.includes(`/${part}`)) });
    await t.hear(t.phones[1]);
    for (const phone of t.phones.slice(1)) await phone.acknowledge('');
    await t.idle();
    await t.phones[1].roll([6, 6]);
    await t.idle();
    assert.deepEqual([t.phones[1].view.fault, sent(t, 1, 'link')], [{ code: 'no-storage' }, []], part);
    down = false;
    t.phones[1] = t.open(1);
    await t.hear(t.phones[1]);
    await t.phones[1].roll([6, 6]);
    await t.idle();
    assert.deepEqual([t.phones[1].view.fault, t.phones[1].view.rolls.length], [null, 1], part);
  }
});

test('a second tab: the same join, READY, texts and links, whoever is faster', async () => {
  const t = await table({ name: 'tabs', join: false });
  const twin = t.open(1, { last: 0 });
  const feed = () => t.hear(twin);
  await feed();
  await Promise.all([t.phones[1].acknowledge('one'), twin.acknowledge('one'), t.phones[2].acknowledge('two')]);
  for (let n = 0; n < 4; n++) {
    await Promise.all([feed(), t.idle()]);
    await twin.idle();
  }
  for (let n = 1; n <= 4; n++) {
    const mine = n % 2 === 1;
    await (mine ? Promise.all([t.phones[1].roll([6, 6]), twin.roll([6, 6])]) : t.phones[2].roll([6, 6]));
    for (let i = 0; i < 3; i++) await Promise.all([feed(), t.idle()]);
    assert.equal(twin.view.rolls.length, n);
    assert.deepEqual([twin.view.fault, t.phones[1].view.fault], [null, null]);
  }
  for (const action of ['join', 'ready']) {
    assert.ok(sent(t, 1, action).length >= 2, `both tabs send ${action}`); // once more where the answer is faster than the event
    assert.equal(unique(sent(t, 1, action)), 1, action);
  }
  for (let n = 1; n <= 4; n++) assert.equal(unique(sent(t, 1, 'link').filter(({ roll }) => roll === n)), 1, `link ${n}`);
  assert.ok(sent(t, 1, 'link').length >= 8);
});

test('two tabs that want different things over one T: one of them is signed', async () => {
  const t = await table({ name: 'wants', dice: 'any' });
  const twin = t.open(1);
  await t.hear(twin);
  const [first, second] = await Promise.all([t.phones[1].roll([6, 6]), twin.roll([20])]);
  assert.deepEqual([first.ok, second.ok].toSorted(), [false, true]);
  assert.equal((first.ok ? second : first).problem.code, 'asked-otherwise');
  await t.idle();
  await t.hear(twin);
  assert.equal(unique(sent(t, 1, 'ask')), 1);
  assert.equal(twin.view.rolls.length, 1);
  // A move and a roll, just as well.
  await rollOn(t, [2]);
  await t.hear(twin);
  await Promise.all([t.phones[1].newGame(), twin.roll([20])]);
  await t.idle();
  await t.hear(twin);
  const texts = [...sent(t, 1, 'ask'), ...sent(t, 1, 'move')].map(({ note }) => openNote(note).text);
  const heads = new Set([...new Set(texts)].map((text) => /head ([0-9a-f]{64})/.exec(text)[1]));
  assert.equal(heads.size, new Set(texts).size, 'one text over one head');
  assert.deepEqual([twin.view.fault, t.phones[1].view.fault], [null, null]);
});

test('what was signed over a head and never arrived comes again, and nothing else can be asked', async () => {
  const t = await table({ name: 'again', dice: 'any' });
  t.stop = (_, action) => action === 'ask';
  await t.phones[1].roll([6, 6]);
  const phone = t.phones[1] = t.open(1);
  await t.hear(phone);
  assert.equal((await phone.roll([20])).ok, false);
  assert.deepEqual(sent(t, 1, 'ask').map(({ note }) => readRoll(openNote(note).text).faces), Array(sent(t, 1, 'ask').length).fill([6, 6]));
  t.stop = () => false;
  assert.equal((await phone.roll([20])).problem.code, 'asked-otherwise');
  await t.idle();
  assert.deepEqual(phone.view.rolls[0].faces, [6, 6]);
});

test('asking is seen until the server confirms', async () => {
  const t = await table({ name: 'asking' });
  const seen = [];
  const phone = t.phones[1] = t.open(1, { onChange: () => seen.push([phone?.view.asking, phone?.view.pending !== null]) });
  await t.hear(phone);
  seen.length = 0;
  await phone.roll([6, 6]);
  await t.idle();
  assert.deepEqual(seen[0], [true, false]);
  assert.deepEqual(seen.at(-1), [false, false]);
  const confirmed = seen.findIndex(([, pending]) => pending);
  assert.ok(seen.slice(0, confirmed).every(([asking]) => asking) && seen.slice(confirmed).every(([asking]) => !asking));
});

test('a browser that never makes the same signature twice sends one', async () => {
  let made = 0;
  const t = await table({ name: 'random signatures', join: false });
  const signer = {
    ...t.signer,
    // Another signature of the same length under the same key would need the scalar: here it is only noted how often one is made.
    async sign(secret, text) { made++; return t.signer.sign(secret, text); },
  };
  t.phones[1] = t.open(1, { last: 0, signer });
  await t.hear(t.phones[1]);
  for (const phone of t.phones.slice(1)) await phone.acknowledge('');
  await t.idle();
  t.stop = (seat, action) => seat === 1 && action === 'link';
  await t.phones[1].roll([6, 6]);
  await t.idle();
  assert.equal(made, 3, 'JOIN, READY, ROLL');
  t.stop = () => false;
  t.phones[1] = t.open(1, { signer });
  await t.hear(t.phones[1]);
  assert.equal(t.phones[1].view.rolls.length, 1);
  assert.equal(made, 3);
});

test('a lost chain: the phone looks on, and answers nothing', async () => {
  const t = await table({ name: 'lost' });
  await rollOn(t);
  const [asks, links] = ['ask', 'link'].map((action) => sent(t, 1, action).length);
  t.keepers[1] = mapKeeper({ kept: true });
  const phone = t.phones[1] = t.open(1);
  await t.hear(phone);
  assert.deepEqual([phone.view.fault, phone.view.phase, phone.view.me], [{ code: 'lost-chain' }, 'running', 1]);
  await rollOn(t);
  assert.equal(phone.view.pending.roll, 2, 'seat 2 asked');
  assert.deepEqual(phone.view.pending.missing, [1]);
  assert.equal((await phone.roll([6, 6])).problem.code, 'lost-chain');
  assert.deepEqual([sent(t, 1, 'ask').length, sent(t, 1, 'link').length, sent(t, 1, 'join').length], [asks, links, 1]);
  assert.ok((await phone.leave()).ok);
  await t.idle();
  assert.equal(phone.view.phase, 'aborted');
  assert.deepEqual(sent(t, 1, 'sign'), []);
});

test('storage with the join and without what was answered since: READY is missing, so no link', async () => {
  const t = await table({ name: 'half' });
  const half = mapKeeper({ kept: true });
  for (const { key, value } of await t.keepers[1].list('')) if (!key.endsWith('/ready')) await half.once(key, value);
  t.keepers[1] = half;
  t.phones[1] = t.open(1);
  await t.hear(t.phones[1]);
  await t.phones[1].roll([6, 6]);
  await t.idle();
  assert.deepEqual([t.phones[1].view.fault, sent(t, 1, 'link')], [{ code: 'lost-chain' }, []]);
});

test('an exported copy holds no secret, and never answers', async () => {
  const t = await table({ name: 'export' });
  for (let n = 0; n < 3; n++) await rollOn(t);
  const own = await t.own(1);
  const base = (await t.keepers[1].list('')).find(({ key }) => key.endsWith('/join')).key.slice(0, -'join'.length);
  const copy = t.phones[1].evidence();
  assert.deepEqual(copy.rolls.map(({ roll }) => roll), [1, 2, 3]);
  assert.equal(copy.opening, t.house.events.find(({ type }) => type === 'anchored').text);
  const text = JSON.stringify(copy);
  for (const secret of [own.secret, own.link]) assert.ok(!text.includes(secret));
  for (const { link } of sent(t, 1, 'link')) assert.ok(!text.includes(link), 'links are not even among the receipts');
  // A phone that has nothing else than the copy: its storage as far as the copy can fill it.
  t.keepers[1] = mapKeeper({ kept: true });
  for (const { roll, note, head } of copy.rolls) await t.keepers[1].once(`${base}done/00000${roll}`, { note, head, after: openNote(head).text.slice(-65, -1) });
  const phone = t.phones[1] = t.open(1);
  await t.hear(phone);
  await t.phones[2].roll([6, 6]);
  await t.idle();
  assert.equal(phone.view.fault.code, 'lost-chain');
  assert.equal(sent(t, 1, 'link').length, 3);
});

test('joins once with one chain, and the server\'s word on the seat does not make it two', async () => {
  const t = await table({ name: 'seat', gate: (_, e) => e.type !== 'joined' });
  const join = await t.own(1);
  const phone = t.open(1, { post: async (action, body) => (action === 'acknowledge' ? { ok: true, body: { seat: 2, name: '' } } : t.post(1)(action, body)) });
  for (const e of t.house.events.slice(0, 4)) await phone.take(e);
  await phone.acknowledge('');
  await phone.idle();
  assert.deepEqual([phone.view.fault, phone.view.phase], [{ code: 'offer-differs' }, 'refused']);
  assert.deepEqual(await t.own(1), join);
  assert.equal(unique(sent(t, 1, 'join')), 1);
  assert.equal(readOffer(join.offer).match, t.match);
});

test('events that are missing or come again', async () => {
  const t = await table({ name: 'gaps' });
  await rollOn(t);
  const phone = t.open(null);
  const [first, second, third] = t.house.events;
  assert.equal(await phone.take(first), true);
  assert.equal(await phone.take(third), false);
  assert.equal(phone.last, 1);
  assert.equal(await phone.take(second), true);
  assert.equal(await phone.take(first), true);
  assert.equal(phone.last, 2);
  await t.hear(phone);
  assert.deepEqual([phone.view.fault, phone.view.rolls.length], [null, 1]);
});

// The keeper.

/** As much of IndexedDB as the keeper asks for: transactions on one store run one after the other. */
function fakeIndexedDB({ refuse = false, full = () => false, durabilities = [] } = {}) {
  const kept = new Map();
  let last = Promise.resolve();
  const later = (run) => { last = last.then(() => new Promise((done) => { setImmediate(() => run(done)); })); };
  const request = () => ({ result: undefined, onsuccess: null });
  const database = {
    createObjectStore: () => {},
    transaction(_, mode, { durability }) {
      durabilities.push(mode === 'readwrite' ? durability : 'none needed');
      const transaction = { objectStore: () => store, oncomplete: null, onabort: null, error: null };
      const asked = [];
      const written = new Map();
      const ask = (answer) => { const one = request(); asked.push([one, answer]); return one; };
      const read = (key) => structuredClone(written.has(key) ? written.get(key) : kept.get(key));
      const store = {
        get: (key) => ask(() => read(key)),
        put: (value, key) => ask(() => { written.set(key, structuredClone(value)); }),
        add: (value, key) => ask(() => {
          if (kept.has(key)) throw new DOMException('', 'ConstraintError');
          written.set(key, structuredClone(value));
        }),
        delete: (key) => ask(() => { written.set(key, undefined); }),
        openCursor({ from, to }) {
          const keys = [...kept.keys()].filter((key) => key >= from && key <= to).sort();
          const one = request();
          const step = () => {
            const key = keys.shift();
            return key === undefined ? null : { key, value: structuredClone(kept.get(key)), continue: () => asked.push([one, step]) };
          };
          asked.push([one, step]);
          return one;
        },
      };
      later((done) => {
        try {
          while (asked.length > 0) {
            const [one, answer] = asked.shift();
            one.result = answer();
            one.onsuccess?.();
          }
          if (written.size > 0 && full(written)) throw new DOMException('', 'QuotaExceededError');
          for (const [key, value] of written) if (value === undefined) kept.delete(key); else kept.set(key, value);
          transaction.oncomplete();
        } catch (error) {
          transaction.error = error;
          transaction.onabort();
        }
        done();
      });
      return transaction;
    },
  };
  return {
    kept,
    open() {
      if (refuse) throw new DOMException('', 'SecurityError');
      const one = { result: database, onupgradeneeded: null, onsuccess: null, error: null };
      setImmediate(() => { one.onupgradeneeded?.(); one.onsuccess(); });
      return one;
    },
  };
}

globalThis.IDBKeyRange ??= { bound: (from, to) => ({ from, to }) };

for (const [name, open] of [['in memory', async () => mapKeeper({ kept: true })], ['in the browser', () => openKeeper(() => fakeIndexedDB())]]) {
  test(`a keeper ${name} puts a value once, and two tabs are told the same`, async () => {
    const keeper = await open();
    assert.equal(keeper.kept, true);
    assert.equal(await keeper.get('a/1'), undefined);
    const told = await Promise.all(['one', 'two', 'three'].map((value) => keeper.once('a/1', value)));
    assert.deepEqual(told, ['one', 'one', 'one']);
    const value = { list: [1, 2] };
    const kept = await keeper.once('a/2', value);
    value.list.push(3);
    kept.list.push(4);
    assert.deepEqual(await keeper.get('a/2'), { list: [1, 2] });
    await keeper.once('b/1', true);
    assert.deepEqual(await keeper.list('a/'), [{ key: 'a/1', value: 'one' }, { key: 'a/2', value: { list: [1, 2] } }]);
    assert.deepEqual(await keeper.list('c/'), []);
  });
}

test('two tabs share one browser, and nothing is said before it is on the disk', async () => {
  const durabilities = [];
  const browser = fakeIndexedDB({ durabilities });
  const [one, two] = await Promise.all([openKeeper(() => browser), openKeeper(() => browser)]);
  const told = await Promise.all([one.once('k', 1), two.once('k', 2)]);
  assert.equal(told[0], told[1]);
  assert.deepEqual(browser.kept, new Map([['k', told[0]]]));
  assert.ok(durabilities.every((how) => how === 'strict' || how === 'none needed'));
});

test('a browser that refuses storage, has none, or is full', async () => {
  for (const factory of [() => undefined, () => { throw new DOMException('', 'SecurityError'); }, () => fakeIndexedDB({ refuse: true }), () => fakeIndexedDB({ full: () => true })]) {
    const keeper = await openKeeper(factory);
    assert.equal(keeper.kept, false);
    assert.equal(await keeper.once('k', 1), 1);
  }
  const keeper = await openKeeper(() => fakeIndexedDB({ full: (written) => written.has('big') }));
  assert.equal(keeper.kept, true);
  await assert.rejects(keeper.once('big', 1), { name: 'QuotaExceededError' });
  assert.equal(await keeper.get('big'), undefined);
  assert.equal(await keeper.once('small', 1), 1);
});

// Signers.

/** RFC 8032, section 7.1, tests 1 to 3: secret, key, message, signature. */
const rfc = [
  ['9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60', 'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a', '',
    'e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b'],
  ['4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb', '3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c', 'r',
    '92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00'],
];

async function holdsToTheRules(signer) {
  for (const [secret, key, text, signature] of rfc) {
    assert.equal(hex(await signer.sign(secret, text)), signature);
    assert.equal(await signer.verify(key, text, unhex(signature)), true);
    assert.equal(await signer.verify(key, text + 'x', unhex(signature)), false);
  }
  const waiting = [];
  eachVector('veridice1.ndjson', Object.keys(Object.assign({}, ...everyField())), (v) => {
    const message = v.kind === 'ed25519' ? Buffer.from(v.message, 'hex').toString('latin1') : '\x80';
    if (/^[\0-\x7f]*$/.test(message)) waiting.push([v, message]);
    return false;
  });
  assert.ok(waiting.length > 10);
  for (const [v, message] of waiting) assert.equal(await signer.verify(v.key, message, unhex(v.signature)), v.valid, v.name);
  const { secret, key } = await signer.make();
  assert.equal(await signer.verify(key, 'a text\n', await signer.sign(secret, 'a text\n')), true);
  assert.equal(utf8(key).length, 64);
}

/** The fields of all vectors, which are looked at elsewhere: here are only signatures. */
function everyField() {
  return readFileSync(path('vectors/veridice1.ndjson'), 'utf8').split('\n').slice(0, -1).map((line) => JSON.parse(line));
}

test('the browser signs and verifies by the rules, and is asked first', async () => {
  const signer = await openSigner({ random: stream('browser'), core: () => { throw new Error('not needed'); } });
  assert.equal(signer.by, 'browser');
  await holdsToTheRules(signer);
});

const core = await loadCore();

/** The Go core, if it is built here and can sign. */
async function loadCore() {
  if (!existsSync(path('web/dist/veridice.wasm')) || !existsSync(path('web/dist/wasm_exec.js'))) return null;
  await import(path('web/dist/wasm_exec.js'));
  const go = new globalThis.Go();
  const { instance } = await WebAssembly.instantiate(readFileSync(path('web/dist/veridice.wasm')), go.importObject);
  go.run(instance);
  return globalThis.veridice.makeKey ? globalThis.veridice : null;
}

test('the Go core signs and verifies by the same rules, where the browser cannot', { skip: core === null }, async () => {
  const signer = coreSigner(core, stream('core'));
  await holdsToTheRules(signer);
  for (const [secret, key] of rfc) assert.equal(core.makeKey(secret), key);
  for (const bad of ['', '00', 'x'.repeat(64), rfc[0][0] + '00']) {
    assert.equal(core.makeKey(bad), null);
    assert.equal(core.sign(bad, 'text'), null);
    assert.equal(core.verifySignature(bad, 'text', '00'.repeat(64)), false);
  }
  assert.equal(core.verifySignature(rfc[0][1], '', 'zz'), false);
  const { subtle } = globalThis.crypto;
  const without = Object.getOwnPropertyDescriptor(globalThis, 'crypto');
  Object.defineProperty(globalThis, 'crypto', { value: {}, configurable: true });
  try {
    assert.equal((await openSigner({ random: stream('plain http'), core: async () => core })).by, 'core');
  } finally {
    Object.defineProperty(globalThis, 'crypto', without);
  }
  assert.equal(globalThis.crypto.subtle, subtle);
});

test('a core that does not sign as it should is not used', async () => {
  const without = Object.getOwnPropertyDescriptor(globalThis, 'crypto');
  Object.defineProperty(globalThis, 'crypto', { value: {}, configurable: true });
  try {
    const wrong = { makeKey: () => '00'.repeat(32), sign: () => '00'.repeat(64), verifySignature: () => true };
    await assert.rejects(openSigner({ random: stream('wrong'), core: async () => wrong }));
    await assert.rejects(openSigner({ random: stream('none'), core: async () => { throw new Error('not built in'); } }), /not built in/);
  } finally {
    Object.defineProperty(globalThis, 'crypto', without);
  }
});
