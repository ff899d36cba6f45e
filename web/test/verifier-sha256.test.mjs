import assert from 'node:assert/strict';
import { createHash, createHmac } from 'node:crypto';
import test from 'node:test';
import { Hmac, hmac, Sha256, sha256 } from '../verifier/sha256.mjs';
import { eachVector, hex, random, unhex, utf8 } from './verifier-support.mjs';

const nodeHash = (bytes) => createHash('sha256').update(bytes).digest('hex');
const nodeMac = (key, message) => createHmac('sha256', key).update(message).digest('hex');

test('SHA-256 gives the values that NIST publishes', () => {
  const published = [
    ['', 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'],
    ['abc', 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'],
    ['abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq',
      '248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1'],
    ['abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu',
      'cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1'],
    ['a'.repeat(1000000), 'cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0'],
  ];
  for (const [message, hash] of published) assert.equal(hex(sha256(utf8(message))), hash);
});

test('HMAC gives the values of RFC 4231', () => {
  const published = [
    ['0b'.repeat(20), hex(utf8('Hi There')), 'b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7'],
    [hex(utf8('Jefe')), hex(utf8('what do ya want for nothing?')),
      '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843'],
    ['aa'.repeat(20), 'dd'.repeat(50), '773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe'],
    ['0102030405060708090a0b0c0d0e0f10111213141516171819', 'cd'.repeat(50),
      '82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b'],
    ['0c'.repeat(20), hex(utf8('Test With Truncation')), 'a3b6167473100ee06e0c796c2955552b'],
    ['aa'.repeat(131), hex(utf8('Test Using Larger Than Block-Size Key - Hash Key First')),
      '60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54'],
    ['aa'.repeat(131), hex(utf8('This is a test using a larger than block-size key and a larger than block-size data. ' +
      'The key needs to be hashed before being used by the HMAC algorithm.')),
      '9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2'],
  ];
  for (const [key, message, mac] of published) {
    assert.equal(hex(hmac(unhex(key), unhex(message))).slice(0, mac.length), mac);
  }
});

test('HMAC takes key bytes from 80 hex up as they are', () => {
  const key = unhex('00'.repeat(15) + '80');
  assert.equal(hex(hmac(key, utf8('test'))), '82eb64f8f0732e166df7ffa088393fcea946233c8df3f76d7dc1dde0a055ae4e');
});

test('every length around the borders of a block agrees with node:crypto', () => {
  const below = random(1);
  for (let length = 0; length <= 300; length++) {
    const bytes = below.bytes(length);
    assert.equal(hex(sha256(bytes)), nodeHash(bytes), `${length} bytes`);
    assert.equal(hex(hmac(bytes, utf8('message'))), nodeMac(bytes, 'message'), `key of ${length} bytes`);
    assert.equal(hex(hmac(utf8('key'), bytes)), nodeMac('key', bytes), `message of ${length} bytes`);
  }
});

test('random keys and messages agree with node:crypto', () => {
  const below = random(2);
  for (let i = 0; i < 2000; i++) {
    const key = below.bytes(below(200));
    const message = below.bytes(below(400));
    assert.equal(hex(hmac(key, message)), nodeMac(key, message));
  }
});

test('a kept state is not changed by finishing, wherever the message is cut', () => {
  const below = random(3);
  const message = below.bytes(200);
  const key = below.bytes(32);
  for (let cut = 0; cut <= message.length; cut++) {
    const hash = new Sha256().add(message.slice(0, cut));
    const mac = new Hmac(key).add(message.slice(0, cut));
    for (let again = 0; again < 2; again++) {
      assert.equal(hex(hash.finish(message.slice(cut))), nodeHash(message));
      assert.equal(hex(mac.finish(message.slice(cut))), nodeMac(key, message));
    }
    assert.equal(hex(hash.finish()), nodeHash(message.slice(0, cut)));
    assert.equal(hex(hash.add(message.slice(cut)).finish()), nodeHash(message));
  }
});

test('sha256.ndjson', () => {
  eachVector('sha256.ndjson', ['message', 'hash'], ({ message, hash }) => {
    assert.equal(hex(sha256(unhex(message))), hash);
  });
});

test('hmac.ndjson', () => {
  eachVector('hmac.ndjson', ['key', 'message', 'mac', 'wrong'], ({ key, message, mac, wrong }) => {
    const got = hex(hmac(unhex(key), unhex(message))).slice(0, mac.length);
    assert.equal(got, mac);
    assert.notEqual(got, wrong);
  });
});
