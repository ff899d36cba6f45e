// The short match of veridice/1 on the page on how dice are made, against Node's own
// SHA-256 and HMAC and the example of docs/spec/veridice-1.md.
import assert from 'node:assert/strict';
import { createHash, createHmac } from 'node:crypto';
import test from 'node:test';
import { fits, linkFrame, links, open, rolls } from '../app/how-chain.mjs';
import { hex, random, unhex } from './verifier-support.mjs';

const u32 = (n) => Buffer.from([n >>> 24, n >>> 16, n >>> 8, n]);
const frame = (tag, ...fields) => {
  const name = Buffer.from('veridice/1/' + tag);
  return Buffer.concat([Buffer.from([name.length]), name, ...fields.flatMap((f) => [u32(f.length), f])]);
};
const sha = (bytes) => createHash('sha256').update(bytes).digest();
const mac = (key, bytes) => createHmac('sha256', key).update(bytes).digest();

const below = random(11);
const text = (bytes) => hex(below.bytes(bytes));
const parts = { match: text(16), rules: text(32), secrets: [text(32), text(32), text(32)], keys: [text(32), text(32), text(32)], expires: 1800000000 };
const match = open(parts);

test('chains lead from the last link to the anchor', () => {
  for (const [role, secret] of parts.secrets.entries()) {
    let link = unhex(secret);
    for (let i = links; i >= 0; i--) {
      if (i < links) link = sha(frame('link', unhex(parts.match), Buffer.from([role]), u32(i), link));
      assert.equal(hex(match.chains[role][i]), hex(link));
      assert.ok(match.text.includes(` ${hex(match.chains[role][0])} ${parts.keys[role]}\n`));
    }
  }
  assert.equal(hex(match.opening), hex(sha(Buffer.concat([Buffer.from([0]), Buffer.from(match.text)]))));
});

test('a link is checked with one hash', () => {
  // docs/spec/veridice-1.md: the frame that gives the anchor of role 1.
  const link = 'bb5ab52da856b33fe2a84cb5eed4f88e716029ebfc2e27a1cff65d6717b7e312';
  assert.equal(hex(sha(unhex(linkFrame('ad1bdd8d5acf8199bfdc5782cb4b0fa6', 1, 0, link)))), 'fc127f9abe0315429cf590b100a7aa7d48e6448ec9d42a77a32c6b49917347af');
  for (let role = 0; role < 3; role++) {
    for (let index = 1; index <= links; index++) {
      const own = hex(match.chains[role][index]);
      assert.ok(fits(match, role, index, own));
      assert.ok(!fits(match, role, index, (own[0] === '0' ? '1' : '0') + own.slice(1)));
      assert.ok(!fits(match, role, index, hex(match.chains[(role + 1) % 3][index])), 'of another party');
      if (index > 1) assert.ok(!fits(match, role, index - 1, own), 'of another roll');
    }
  }
});

test('rolls follow from all links and all that came before', () => {
  let head = sha(frame('start', match.opening));
  for (const made of rolls(match, links)) {
    const given = match.chains.map((chain) => chain[made.roll]);
    const request = Buffer.concat([Buffer.from([made.roll % 2 === 1 ? 1 : 2, 0, 2]), u32(6), u32(6)]);
    const context = sha(frame('ctx', match.opening, head, u32(made.roll), request));
    const key = mac(given[0], frame('roll', context, given[1], given[2]));
    const block = mac(key, frame('stream', u32(0)));
    const dice = [block.readUInt32BE(0), block.readUInt32BE(4)].map((word) => (word % 6) + 1); // a word is left out once in a billion
    assert.equal(hex(made.key), hex(key));
    assert.deepEqual(made.dice, dice);
    head = sha(frame('rolled', head, context, ...given, Buffer.concat(dice.map(u32))));
  }
});

test('a guessed link gives other dice and is refused', () => {
  const true2 = rolls(match, 2)[1];
  const seen = new Set();
  for (let i = 0; i < 100; i++) {
    const guess = text(32);
    assert.ok(!fits(match, 2, 2, guess));
    const [before, made] = rolls(match, 2, [true2.links[0], true2.links[1], unhex(guess)]);
    assert.deepEqual(before, rolls(match, 1)[0]);
    seen.add(String(made.dice));
  }
  assert.ok(seen.size > 20, 'the dice of a guess say nothing about the roll');
});
