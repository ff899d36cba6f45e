// The streams of other sites against facts printed in floats.md, games.md and foreign.md, and, where
// HMAC is all there is to it, against Node's own.
import assert from 'node:assert/strict';
import { createHash, createHmac } from 'node:crypto';
import test from 'node:test';
import { notStreamed, streamOf } from '../verifier/stream.mjs';
import { firstWord, words } from '../verifier/draw.mjs';
import { hex } from './verifier-support.mjs';

const bet = (site, game, seed, client, nonce, params = []) => ({ site, game, seed, client, nonce, params });
const first = (b) => firstWord(streamOf(b).block(0n));

test('the words of the examples', () => {
  // games.md, section 2: def / abc.
  for (const [nonce, want] of [
    ['0', [3573641002, 3664137897, 782859109, 3325527194, 800040410, 2582366663, 2611690336, 1976479029, 4163790248, 2304027224]],
    ['1', [1849153629, 2854391775, 749644737, 2461013250, 3650864612, 1127847100, 2880185152, 1005848485, 3182162376, 1749423277]],
  ]) {
    const stream = streamOf(bet('shuffle', 'dice', 'def', 'abc', nonce));
    assert.deepEqual(words((c) => stream.block(BigInt(c)), 0, 10), want);
  }
  // Sections 4.1, 4.2, 4.18, 4.19.
  assert.equal(first(bet('stake', 'dice', 'f2ac89b608eeb01312d115bce6741b32', '86ff027f15c48241af7f54a726690ee7', '0')), 1205650650);
  assert.equal(first(bet('stake', 'limbo', 'e8df2cc3b9ccb583ce5ea92336842387', '83e27f682128eb1852b048203dfd6931', '1942124')), 1079);
  assert.equal(first(bet('stake', 'crash', '9dd9a4ce539a7d11a36a96c71f3d939c46d972b2e56254bc85ea2c0681541dca', '23eb7069c6fc5b1369b92f5321af9f63', null)), 548810577);
  assert.equal(first(bet('stake', 'slide', 'a60e04bcba668c720ce7d3b70183653181d438a99aa64bb042bdeb23aa9e63bd', '015dcda675eb8ec18254ab6f18fd8f47', null)), 3027481237);
  assert.equal(first(bet('stake', 'zoo', '8c6ccd93221a2e055e669f1950128dd92ff088683ecf116d7d8276820d45b052', '1d947e6516c7f0fc10cd17931c69daa9', null)), 3146329524);
});

test('keys and messages', () => {
  const h32 = 'AB'.repeat(32);
  const h16 = '0f'.repeat(16);
  const key = (text) => Buffer.from(text, 'hex');
  const node = (k, m) => createHmac('sha256', k).update(m).digest('hex');
  // A byte that begins a character and does not go on, one that never begins one, and plain ones.
  const signature = 'e282' + 'ff' + '41'.repeat(45);
  const players = [['uid1', '20'], ['client1', h16], ['uid2', '100'], ['client2', 'aa'.repeat(16)]];
  const combined = createHash('sha256').update(Buffer.concat([Buffer.from('100:20:'), key('aa'.repeat(16)), Buffer.from(':'), key(h16)])).digest();
  for (const [b, c, want] of [
    [bet('stake', 'dice', 'ζ ', ' a:b', '7'), 2n, node('ζ ', ' a:b:7:2')],
    [bet('shuffle', 'mines', 'x', '', '18446744073709551615'), 0n, node('x', ':18446744073709551615:0')],
    [bet('duel', 'mines', h32, 'abc', '5'), 3n, node(key(h32), 'abc:5:3')],
    [bet('duel', 'dice', h32, 'abc', '5'), 0n, node(key(h32), 'abc:5')],
    [bet('duel', 'crash', h32, signature, null), 0n, node(key(h32), '\ufffd\ufffd' + 'A'.repeat(45) + ':0')],
    [bet('liqd', 'dice', h16, 'abc', '5'), 1n, node(key(h16), 'abc:5:1')],
    [bet('bustabit', 'crash', h32, 'salt', null), 0n, node('salt', key(h32))],
    [bet('bcgame', 'crash', h32, 'salt', null), 0n, node('salt', key(h32))],
    [bet('bcgame', 'dice', 'text', 'abc', '5'), 0n, node('text', 'abc:5')],
    [bet('roobet', 'crash', 'hash', '0x12', null), 0n, node('hash', '0x12')],
    [bet('zeroplay', 'backgammon', h16, null, '0', players), 258n, node(key(h16), Buffer.concat([combined, Buffer.from([0, 0, 1, 2])]))],
  ]) {
    assert.equal(hex(streamOf(b).block(c)), want, b.site + ' ' + b.game);
  }
});

test('a bet that lacks a part, or has one of another site, has no stream', () => {
  for (const b of [
    bet('stake', 'dice', 'a', null, '1'), bet('stake', 'dice', '', 'a', '1'), bet('stake', 'dice', 'a', 'b', null), bet('duel', 'mines', 'abc', 'a', '1'),
    bet('duel', 'crash', 'AB'.repeat(32), 'ff', null), bet('liqd', 'dice', 'AB'.repeat(32), 'a', '1'), bet('bustabit', 'crash', 'xy', 'a', null),
    bet('zeroplay', 'backgammon', '0f'.repeat(16), null, '0', [['uid1', '1'], ['uid2', '1'], ['client1', '0f'.repeat(16)], ['client2', '0f'.repeat(16)]]),
    bet('elsewhere', 'dice', 'a', 'b', '1'), bet('primedice', 'dice', 'a', 'b', '1'),
  ]) {
    assert.equal(streamOf(b), null, JSON.stringify(b));
  }
  assert.deepEqual(notStreamed, ['primedice'], 'this list may only shrink');
});
