// The fragment of the outcome page: one way to write a bet, and nothing else is read.
import assert from 'node:assert/strict';
import test from 'node:test';
import { decode, encode, readBet, writeBet } from '../app/outcomes-link.mjs';

const base = 'v=1&site=stake&game=plinko&server=ZGVm&client=YWJj&nonce=3&p.rows=8&p.risk=low';
const bet = {
  site: 'stake', game: 'plinko', variant: '', seed: 'def', sealed: '', client: 'abc', nonce: '3', cursor: null,
  params: [['rows', '8'], ['risk', 'low']], said: null,
};

test('a bet is read and written', () => {
  assert.deepEqual(readBet(base), { bet, fault: null });
  assert.equal(writeBet(bet), base);
  const full = { ...bet, variant: '2^24', sealed: 'aB', cursor: '0', client: '', said: { key: 'path', text: 'L R|ΛΡ' } };
  assert.deepEqual(readBet(writeBet(full)).bet, full);
  // Nothing and an empty client seed are two things.
  assert.ok(writeBet(full).includes('&client=&'));
  assert.ok(!writeBet({ ...bet, client: null }).includes('client'));
  assert.equal(readBet(writeBet({ ...bet, client: null })).bet.client, null);
});

test('free text comes back byte for byte', () => {
  for (const text of ['', ' a b ', 'a&b=c#d%2B+', '\u0000\r\n\t', '\ufeffx', 'ζάρια 🎲', 'e\u0301', 'é', '~'.repeat(4096)]) {
    assert.equal(decode(encode(text)), text);
    assert.match(encode(text), /^[A-Za-z0-9_-]*$/);
    assert.equal(Buffer.from(encode(text), 'base64url').toString('utf8'), text, 'as Node reads it');
    assert.equal(readBet(writeBet({ ...bet, seed: text })).bet.seed, text);
  }
});

test('what is not exactly so is refused, with its key', () => {
  for (const [fragment, fault] of [
    ['', ''], [base.replace('v=1', 'v=2'), 'v'], [base.replace('v=1&', ''), 'v'], [base.replace('v=1', 'v=01'), 'v'],
    [base.replace('site=stake&', ''), 'site'], [base.replace('game=plinko&', ''), 'game'], [base.replace('server=ZGVm&', ''), 'server'],
    [base.replace('stake', 'Stake'), 'site'], [base.replace('plinko', 'plin%6Bo'), 'game'], [base + '&site=stake', 'site'], [base + '&p.rows=9', 'p.rows'],
    [base.replace('nonce=3', 'nonce=03'), 'nonce'], [base.replace('nonce=3', 'nonce=-3'), 'nonce'], [base.replace('nonce=3', 'nonce=+3'), 'nonce'],
    [base.replace('nonce=3', 'nonce='), 'nonce'], [base.replace('nonce=3', 'nonce=18446744073709551616'), 'nonce'], [base.replace('nonce=3', 'nonce=3 '), 'nonce'],
    [base.replace('ZGVm', 'ZGVm='), 'server'], [base.replace('ZGVm', 'ZGV+'), 'server'], [base.replace('ZGVm', 'ZGVmZ'), 'server'], [base.replace('ZGVm', 'ZGVmZh'), 'server'],
    [base.replace('ZGVm', '_w'), 'server'], [base.replace('ZGVm', '7aCA'), 'server'],
    [base.replace('p.rows=8', 'p.rows='), 'p.rows'], [base.replace('p.rows=8', 'p.rows=8%20'), 'p.rows'], [base.replace('p.rows', 'p.'), 'p.'], [base.replace('p.rows', 'p.Rows'), 'p.Rows'],
    [base + '&said=ZGVm', 'key'], [base + '&key=path', 'said'], [base + '&key=&said=ZGVm', 'key'], [base + '&other=ZGVm', 'other'], [base + '&variant=', 'variant'], [base + '&sealed=', 'sealed'],
    [base + '&', ''], ['#' + base, '#v'], [base + '&p.x=' + 'a'.repeat(129), 'p.x'], [base + '&said=' + 'AAAA'.repeat(5000), 'v'], [base + '&__proto__=AA', '__proto__'],
  ]) {
    assert.deepEqual(readBet(fragment), { bet: null, fault: fault === '#v' ? 'v' : fault }, fragment);
  }
  assert.equal(readBet(base.replace('nonce=3', 'nonce=18446744073709551615')).bet.nonce, '18446744073709551615');
});

test('every cut link is refused, or is another bet only where a value is shorter', () => {
  const whole = readBet(base).bet;
  for (let n = 0; n < base.length; n++) {
    const { bet: cut } = readBet(base.slice(0, n));
    if (cut === null) continue;
    assert.notDeepEqual(cut, whole);
    assert.equal(writeBet(cut), base.slice(0, n), 'what is read is written the same');
  }
});
