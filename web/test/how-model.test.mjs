// The page on how dice are made, without the page. Expected values are those of
// docs/spec/yayay.md and tavli.md, or computed here with Node's own SHA-256.
import assert from 'node:assert/strict';
import test from 'node:test';
import { begin, check, checkEarlier, deal, differing, flipBit, forge, gameRecord, nextSkipping, place, setDie, setKey, setSeal, tavliMatch, undo } from '../app/how-model.mjs';
import { verify, writeLink, writeRecord } from '../verifier/veridice.mjs';
import { example, hex, random, sha256, unhex } from './verifier-support.mjs';

const key = 'a9d223da0511d4e74a62e5bd9e47f44415e7c233954ec494fa2f91145d42de90';
const seal = '122df4f39ea20b9ed0b19014bf57dee834cdef790b8abd273c33047202a3082d';
const dealt = [[6, 1], [2, 1], [3, 2], [4, 1], [4, 1], [3, 5], [6, 5], [3, 6]];
const otherKey = '00'.repeat(31) + '01';

const number = (n) => Buffer.from([n >>> 24, n >>> 16, n >>> 8, n]);
/** Die n of a key, by Node. */
const die = (of, n) => (Buffer.from(sha256(Buffer.concat([unhex(of), number(n)]))).readUInt32BE() % 6) + 1;
const bare = ({ game }) => JSON.stringify(game);

test('a key gives its fingerprint and its throws', () => {
  assert.deepEqual(deal(key), { key, seal, rolls: dealt });
  assert.deepEqual(deal(otherKey).rolls.flat(), Array.from({ length: 16 }, (_, n) => die(otherKey, n)));
});

test('one bit of a key', () => {
  const below = random(6);
  for (let bit = 0; bit < 256; bit++) {
    const bytes = unhex(key);
    bytes[bit >> 3] ^= 128 >> (bit & 7);
    assert.equal(flipBit(key, bit), hex(bytes));
    assert.equal(flipBit(flipBit(key, bit), bit), key);
    assert.deepEqual(differing(key, hex(bytes)).map((d, i) => (d ? i : -1)).filter((i) => i >= 0), [bit]);
  }
  const a = below.bytes(32);
  const b = below.bytes(32);
  const differ = Array.from(a, (byte, i) => (byte ^ b[i]).toString(2).replaceAll('0', '').length).reduce((sum, n) => sum + n);
  assert.equal(differing(hex(a), hex(b)).filter(Boolean).length, differ);
});

test('a check needs a bet, and a bet is settled once', () => {
  const start = setDie(forge(key), 2, 0);
  assert.equal(check(start), start);
  assert.equal(start.report, null);
  const done = check(place(start, 3));
  assert.deepEqual(done.bets, [{ attempt: 1, bet: 3, named: 3 }]);
  assert.equal(done.bet, null);
  assert.equal(check(done), done);
  for (const next of [setDie(done, 0, 0), undo(done), begin(done, 2)]) assert.deepEqual([next.report, next.bets.length], [null, 1], 'a verdict goes with a change, a bet stays settled');
});

test('attempt 1: the first changed throw is named, whichever dice are changed', () => {
  const below = random(1);
  for (let i = 0; i < 300; i++) {
    let forgery = forge(key);
    for (let n = below(4); n >= 0; n--) forgery = setDie(forgery, below(8), below(2), 1 + below(6));
    const wrong = forgery.game.rolls.findIndex((dice, n) => String(dice) !== String(dealt[n]));
    const { bets: [{ named }], report } = check(place(forgery, 'nothing'));
    assert.equal(named, wrong < 0 ? 'nothing' : wrong + 1);
    assert.equal(report.verdict, wrong < 0 ? 'proven' : 'broken');
  }
});

test('attempt 1: with every throw changed the first is named all the same', () => {
  let forgery = forge(key);
  for (let roll = 0; roll < 8; roll++) forgery = setDie(forgery, roll, 1);
  const { report, bets } = check(place(forgery, 8));
  assert.deepEqual([report.verdict, report.code, bets[0].named], ['unknown', 'few-fit', 1]);
});

test('attempt 2: another key has another fingerprint', () => {
  assert.equal(setKey(forge(key), otherKey).game.key, key, 'in attempt 1 the key stays');
  const forgery = setKey(begin(forge(key), 2), otherKey);
  assert.equal(forgery.game.seal, seal);
  assert.deepEqual(forgery.game.rolls.flat(), Array.from({ length: 16 }, (_, n) => die(otherKey, n)));
  assert.equal(setSeal(forgery), forgery, 'in attempt 2 the fingerprint stays');
  const { report, bets } = check(place(forgery, 'nothing'));
  assert.deepEqual([report.verdict, report.code, bets[0].named], ['broken', 'wrong-seal', 'seal']);
});

test('attempt 3: key and fingerprint pass, and the earlier fingerprint tells', () => {
  const forgery = setSeal(setKey(begin(forge(key), 3), otherKey));
  assert.equal(forgery.game.seal, hex(sha256(unhex(otherKey))));
  const passed = check(place(forgery, 'nothing'));
  assert.deepEqual([passed.report.verdict, passed.earlier, passed.bets[0].named], ['proven', false, 'nothing']);
  const earlier = checkEarlier(passed);
  assert.deepEqual([earlier.report.verdict, earlier.report.code, earlier.earlier], ['broken', 'other-seal', true]);
  assert.equal(earlier.bets.length, 1, 'no second bet');
  // The true game passes with it.
  assert.deepEqual([checkEarlier(forge(key)).report.verdict, checkEarlier(forge(key)).report.source], ['proven', 'kept']);
  // A die changed on top of it is found.
  assert.equal(check(place(setDie(forgery, 4, 1), 5)).bets[0].named, 5);
});

test('every change is undone, in order, and takes the verdict away', () => {
  const states = [begin(forge(key), 3)];
  const step = (next) => states.push(next(states.at(-1)));
  step((s) => setDie(s, 7, 1));
  step((s) => setDie(s, 7, 1, 4));
  step((s) => setKey(s, otherKey));
  step((s) => setSeal(s));
  step((s) => setDie(s, 0, 0));
  let last = check(place(states.at(-1), 1));
  assert.notEqual(last.report, null);
  for (const state of states.slice(0, -1).reverse()) {
    last = undo(last);
    assert.equal(bare(last), bare(state));
    assert.equal(last.report, null);
  }
  assert.equal(undo(last), last);
  assert.equal(last.bets.length, 1, 'what was bet stays');
});

test('a die set to what it shows is no change', () => {
  const forgery = forge(key);
  assert.equal(setDie(forgery, 0, 0, 6), forgery);
  assert.equal(setDie(forgery, 0, 0).game.rolls[0][0], 1, 'after six comes one');
  assert.deepEqual(forgery.game.rolls, dealt);
});

test('an attempt begins with the game as it was', () => {
  const forgery = begin(check(place(setDie(forge(key), 0, 0), 1)), 2);
  assert.deepEqual([forgery.game, forgery.past, forgery.bet, forgery.report], [forgery.dealt, [], null, null]);
  assert.equal(forgery.bets.length, 1);
});

test('the record goes to the check page and says the same there', () => {
  const forged = setDie(forge(key), 5, 0);
  const report = verify(writeRecord(gameRecord(forged.game)));
  assert.deepEqual([report.code, report.place.number], ['wrong-dice', 6]);
  assert.equal(verify(writeRecord(gameRecord(forged.dealt))).verdict, 'proven');
});

test('tavli/1: the match of the example, and the roll that leaves a byte out', () => {
  const match = tavliMatch(example.server, example.clients, 12);
  assert.equal(writeLink(match), `v=1&s=${example.server}&c=${example.seal}&p=${example.clients}&r=${example.dice}&g=12`);
  assert.equal(verify(writeLink(match)).verdict, 'proven');
  // docs/spec/tavli.md: roll 87 leaves 253 out.
  assert.equal(nextSkipping(example.server, example.clients, 86), 87);
  const next = nextSkipping(example.server, example.clients, 87);
  assert.ok(next > 87);
});
