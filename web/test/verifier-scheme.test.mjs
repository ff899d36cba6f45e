import assert from 'node:assert/strict';
import { createHash, createHmac } from 'node:crypto';
import test from 'node:test';
import { byteBelow252, firstWord, index, words } from '../verifier/draw.mjs';
import { diceValue, dieOfWord, hundredths, pairOfDice } from '../verifier/game.mjs';
import { floatBlocks, tavliBlocks, tavliBlocksWith, tavliMessage, yayayBlocks, yayayNumber } from '../verifier/scheme.mjs';
import { clientFault, codePoint, fromHex, isWeak, sealOf, toHex } from '../verifier/seed.mjs';
import { sha256 } from '../verifier/sha256.mjs';
import { computeRolls, explain, parseRecord, readRolls, recordOf, verify, verifyFields } from '../verifier/veridice.mjs';
import { counterBlock, eachVector, example, hex, random, unhex, utf8 } from './verifier-support.mjs';

/** The dice of roll n of tavli/1. */
const tavliDice = (key, clients, n) => {
  const blocks = tavliBlocks(key, clients);
  return pairOfDice(byteBelow252((c) => blocks(n, c)).value);
};

/** Dice `first` to `first + count - 1` of yayay/1. */
const yayayDice = (server, first, count, littleNumber, littleWord) => {
  const blocks = yayayBlocks(server, littleNumber);
  return Array.from({ length: count }, (_, i) => dieOfWord(firstWord(blocks(first + i), littleWord)));
};

const dice = (text) => text.split(' ').map((pair) => pair.split('-').map(Number));

/** A record of tavli/1 without rolls. */
const bare = (server, clients) => recordOf({ seed: server, seal: null, clients, rolls: [], games: [] });

test('tavli/1: the opening example', () => {
  assert.equal(sealOf(example.server), example.seal);
  const key = fromHex(example.server);
  assert.equal(
    hex(tavliBlocks(key, example.clients)(1, 0)),
    'de24033c9634a32120545c888114d8d55f637d986e68ab5952396d70a27cbca8',
  );
  const want = dice('2-1 3-2 1-6 2-1 3-3 3-3 2-6 2-3 3-3 3-4 1-6 6-6');
  assert.deepEqual(want.map((_, i) => tavliDice(key, example.clients, i + 1)), want);
});

test('tavli/1: the shortest seed, a single client seed', () => {
  const server = 'a6b89e5b0ba9e784755dde1d8d3b9003';
  assert.equal(sealOf(server), 'c0f7862f090ffea11939ded5f3636480888127d88b808d7cfd82e38c7873d5ff');
  const rolls = [1, 2, 3].map((n) => explain(bare(server, ['Lucky_7']), n));
  assert.deepEqual(rolls.map(({ blocks }) => blocks[0].message), ['Lucky_7:1', 'Lucky_7:2', 'Lucky_7:3']);
  assert.deepEqual(
    rolls.map(({ blocks }) => blocks[0].mac.slice(0, 16)),
    ['ee543d4819191682', '780c00bdec5e72f2', '84793403b75b6148'],
  );
  assert.deepEqual(rolls.map(({ byte }) => byte), [238, 120, 132]);
  assert.deepEqual(rolls.map((roll) => roll.dice), dice('4-5 3-1 5-1'));
});

test('tavli/1: skipped bytes', () => {
  const record = bare(example.server, example.clients);
  const one = explain(record, 87);
  assert.equal(one.blocks[0].mac, 'fdd76954d12ee5685e3ef72fef437882873552e18a198fb87cf47377448f082c');
  assert.deepEqual([one.blocks[0].skipped, one.byte, one.position, one.v, one.dice], [[0], 215, 1, 35, [6, 6]]);
  assert.deepEqual(pairOfDice(253), [1, 2]); // what keeping byte 253 would give
  const two = explain(record, 1417);
  assert.equal(two.blocks[0].mac, 'fcfe4f73723d18f9ceeb5cf52a48a9a45af88bc787850115d1a9f503a92a4705');
  assert.deepEqual([two.blocks[0].skipped, two.byte, two.position, two.v, two.dice], [[0, 1], 79, 2, 7, [2, 2]]);
  assert.deepEqual(pairOfDice(252), [1, 1]);
});

test('tavli/1: the longest fields', () => {
  const server =
    'c65679235b999482dcf9ddccae8300ddc827b22b4d636110ccaa8a1c5aa5a6a6' +
    'd10b7f72b9cd6485a6fb031f585141c99c20a82e981d3b4e2031b952e5353a60';
  assert.equal(sealOf(server), '71ca81ddcd74140b5cc8ed09f7dfc8387762cfb69f2f8950b440d7cff70a0f16');
  const roll = explain(bare(server, ['a', 'B-2', '_'.repeat(128)]), 7);
  assert.equal(roll.blocks[0].mac, '2453db6b52a0be710b13623545ac5dee3e8aa5bf8d6b050754f5dcc4016dd6d7');
  assert.deepEqual(roll.dice, [1, 1]);
});

/** Plays injected MACs and gives the messages asked for and the draw. */
function injected(macs, clients, roll) {
  const messages = [];
  const mac = (key, message) => {
    messages.push(Buffer.from(message).toString());
    return macs[messages.length - 1];
  };
  const source = tavliBlocksWith(mac, new Uint8Array(32), clients);
  return { messages, draw: byteBelow252((c) => source(roll, c)) };
}

test('tavli/1: injected MACs reach the retries that chance never reaches', () => {
  const full = (...tail) => Uint8Array.from({ length: 32 }, (_, i) => tail[i - (32 - tail.length)] ?? 255);
  const front = (...head) => Uint8Array.from({ length: 32 }, (_, i) => head[i] ?? 0);
  const cases = [
    { macs: [full(), front(255, 254, 35)], messages: ['a:b:5', 'a:b+:5'], byte: 35, position: 2, dice: [6, 6] },
    { macs: [full(), full(), front(251)], messages: ['a:b:5', 'a:b+:5', 'a:b++:5'], byte: 251, position: 0, dice: [6, 6] },
    { macs: [full(36)], messages: ['a:b:5'], byte: 36, position: 31, dice: [1, 1] },
  ];
  for (const { macs, messages, byte, position, dice } of cases) {
    const got = injected(macs, ['a', 'b'], 5);
    assert.deepEqual(got.messages, messages);
    assert.deepEqual([got.draw.value, got.draw.position, pairOfDice(got.draw.value)], [byte, position, dice]);
  }
});

test('tavli/1: of the bytes kept, each of the 36 rolls comes from exactly seven', () => {
  const counts = new Map();
  for (let byte = 0; byte < 256; byte++) {
    const { value, position } = byteBelow252(() => Uint8Array.of(byte, 0));
    if (position === 1) {
      assert.ok(byte >= 252);
      continue;
    }
    const roll = pairOfDice(value).join('-');
    counts.set(roll, (counts.get(roll) ?? 0) + 1);
  }
  assert.equal(counts.size, 36);
  assert.deepEqual(new Set(counts.values()), new Set([7]));
});

test('tavli/1: no wrong reading of the rules gives the right rolls, and this engine gives none of theirs', () => {
  const mac = (key, message) => createHmac('sha256', key).update(message).digest();
  const key = unhex(example.server);
  const joined = example.clients.join(':');
  const usable = (block) => block.find((byte) => byte < 252);
  const singles = (block) => Array.from(block.filter((byte) => byte < 252).slice(0, 2), (byte) => (byte % 6) + 1);
  const readings = {
    'key = the hex text of the seed':
      ['3-3 5-6 1-5 1-6 6-3 3-6 4-4 5-6', (n) => pairOfDice(usable(mac(example.server, `${joined}:${n}`)))],
    'client seeds exchanged': [
      '5-3 4-3 1-4 1-4 2-6 1-4 1-4 5-2',
      (n) => pairOfDice(usable(mac(key, `${example.clients[1]}:${example.clients[0]}:${n}`))),
    ],
    'numbers from 0': ['6-1 2-1 3-2 1-6 2-1 3-3 3-3 2-6', (n) => pairOfDice(usable(mac(key, `${joined}:${n - 1}`)))],
    'no colon before the number':
      ['4-5 2-5 2-4 1-6 4-4 5-5 4-4 4-6', (n) => pairOfDice(usable(mac(key, `${joined}${n}`)))],
    'key and message exchanged':
      ['4-2 1-1 3-2 4-5 3-4 2-1 6-2 6-1', (n) => pairOfDice(usable(mac(`${joined}:${n}`, key)))],
    'one byte for each die': ['1-1 2-2 6-2 1-4 3-5 3-3 6-2 3-4', (n) => singles(mac(key, `${joined}:${n}`))],
    'SHA-256 of key and message joined': [
      '3-3 6-4 6-1 2-3 1-5 4-6 2-1 4-5',
      (n) => pairOfDice(usable(createHash('sha256').update(key).update(`${joined}:${n}`).digest())),
    ],
  };
  const numbers = [1, 2, 3, 4, 5, 6, 7, 8];
  const right = numbers.map((n) => tavliDice(fromHex(example.server), example.clients, n));
  for (const [name, [rolls, read]] of Object.entries(readings)) {
    assert.deepEqual(numbers.map(read), dice(rolls), name);
    assert.notDeepEqual(right, dice(rolls), name);
    const text = `v=1&s=${example.server}&c=${example.seal}&p=${example.clients}&r=${rolls.replace(/[- ]/g, '')}&g=8`;
    assert.notEqual(verify(text).verdict, 'proven', name);
  }
});

test('tavli/1: roll numbers up to 2^53 - 1, and none beyond', () => {
  const key = fromHex(example.server);
  for (const n of [1, 9, 10, 99, 100, 2 ** 31, Number.MAX_SAFE_INTEGER]) {
    const mac = createHmac('sha256', unhex(example.server)).update(`1:2:${n}`).digest('hex');
    assert.equal(hex(tavliBlocks(key, ['1', '2'])(n, 0)), mac);
  }
  for (const n of [2 ** 53, -1, 1.5, NaN, Infinity]) {
    assert.throws(() => tavliBlocks(key, ['a'])(n, 0), RangeError);
    assert.equal(explain(bare(example.server, ['a']), n), null);
  }
  assert.equal(explain(bare(example.server, ['a']), 0), null);
});

test('tavli/1: client seeds of digits stay apart from the number', () => {
  assert.equal(tavliMessage(['1', '2'], 3, 0), '1:2:3');
  assert.equal(tavliMessage(['1'], 23, 0), '1:23');
  assert.equal(tavliMessage(['1'], 3, 2), '1++:3');
});

test('tavli.ndjson', () => {
  const known = ['server', 'clients', 'roll', 'blocks', 'rejected', 'byte', 'position', 'v', 'dice', 'refused'];
  eachVector('tavli.ndjson', known, (want) => {
    const { server, clients, roll, refused } = want;
    if (refused !== undefined) {
      if (refused === 'number') {
        const n = Number(roll);
        if (n !== 0) assert.throws(() => tavliBlocks(fromHex(server), clients)(n, 0), RangeError);
        assert.equal(explain(bare(server, clients), n), null);
        return;
      }
      if (refused === 'client') assert.ok(clients.some((client) => clientFault(client) !== null));
      const head = `veridice record 1\nscheme tavli/1\nmatch -\nseal -\n${clients.map((c) => `client ${c}\n`).join('')}`;
      const text = `${head}seed ${server}\nrolls 0\nstate finished\nsum ${example.seal}\n`;
      assert.equal(parseRecord(text).fault?.code, 'syntax');
      return;
    }
    const got = explain(bare(server, clients), roll);
    assert.deepEqual(got.blocks.map(({ message, mac }) => ({ message, mac })), want.blocks);
    const skipped = got.blocks.flatMap((block) => block.skipped.map((at) => unhex(block.mac)[at]));
    assert.deepEqual(skipped, want.rejected);
    assert.deepEqual([got.byte, got.position, got.v, got.dice], [want.byte, want.position, want.v, want.dice]);
    assert.deepEqual(got.arithmetic, [
      `${want.byte} mod 36 = ${want.v}`, `${want.v} div 6 + 1 = ${want.dice[0]}`, `${want.v} mod 6 + 1 = ${want.dice[1]}`,
    ]);
  });
});

test('unlucky.ndjson', () => {
  const known = ['clients', 'roll', 'macs', 'messages', 'rejected', 'byte', 'position', 'v', 'dice'];
  eachVector('unlucky.ndjson', known, (want) => {
    const { messages, draw } = injected(want.macs.map(unhex), want.clients, want.roll);
    assert.deepEqual(messages, want.messages);
    assert.equal(messages.length, want.macs.length);
    assert.equal(32 * draw.block + draw.position, want.rejected);
    assert.deepEqual([draw.value, draw.position, draw.value % 36], [want.byte, want.position, want.v]);
    assert.deepEqual(pairOfDice(draw.value), want.dice);
  });
});

test('pair.ndjson', () => {
  eachVector('pair.ndjson', ['byte', 'dice'], ({ byte, dice }) => {
    const { position } = byteBelow252(() => Uint8Array.of(byte, 0));
    assert.deepEqual(position === 0 ? pairOfDice(byte) : null, dice);
  });
});

test('yayay/1: the examples', () => {
  const key = 'a9d223da0511d4e74a62e5bd9e47f44415e7c233954ec494fa2f91145d42de90';
  assert.equal(sealOf(key), '122df4f39ea20b9ed0b19014bf57dee834cdef790b8abd273c33047202a3082d');
  const blocks = yayayBlocks(key);
  assert.equal(hex(blocks(0)), '46366061cbb6eb66a1413c225773c694af0620bc14d1f0b363892b43ee2e3ed7');
  assert.equal(hex(blocks(1)), 'e5694718df1149852318753e21b4fa01ffc87b49da53633b34be6b3ee45d6c6a');
  assert.deepEqual([0, 1].map((i) => firstWord(blocks(i))), [1177968737, 3848881944]);
  assert.deepEqual(yayayDice(key, 0, 16), [6, 1, 2, 1, 3, 2, 4, 1, 4, 1, 3, 5, 6, 5, 3, 6]);

  const zero = '00'.repeat(32);
  assert.equal(sealOf(zero), '66687aadf862bd776c8fc18b8e9f8e20089714856ee233b3902a591d0d5f2925');
  for (const [die, input, first, word, face] of [
    [0, '00000000', '6db65fd5', 1840668629, 6],
    [255, '000000ff', '01c103e4', 29426660, 3],
    [256, '00000100', 'f368cf90', 4083732368, 3],
    [65536, '00010000', 'a6957508', 2794812680, 3],
  ]) {
    assert.equal(hex(yayayNumber(die)), input);
    const block = yayayBlocks(zero)(die);
    assert.deepEqual([hex(block).slice(0, 8), firstWord(block), dieOfWord(firstWord(block))], [first, word, face]);
  }

  const third = '3ccbede8757323fb62f038b8f53bfe35e06b6dcec081613f854bff489436249d';
  const game = recordOf({ scheme: 'yayay/1', seed: third, seal: null, clients: [], rolls: [], games: [] });
  assert.deepEqual(computeRolls(game, [5, 1, 5]), [[3, 3, 1, 5, 5], [1], [6, 6, 6, 3, 4]]);
});

test('yayay/1: the other byte orders give other dice', () => {
  const key = 'a9d223da0511d4e74a62e5bd9e47f44415e7c233954ec494fa2f91145d42de90';
  const row = (text) => text.split(' ').map(Number);
  assert.deepEqual(yayayDice(key, 0, 12, false, false), row('6 1 2 1 3 2 4 1 4 1 3 5'));
  assert.deepEqual(yayayDice(key, 0, 12, true, false), row('6 6 3 6 5 5 2 2 6 4 1 1'));
  assert.deepEqual(yayayDice(key, 0, 12, false, true), row('3 4 2 1 3 2 4 4 1 4 3 5'));
  assert.deepEqual(yayayDice(key, 0, 12, true, true), row('3 6 6 6 5 2 2 2 3 1 4 4'));
});

test('yayay/1: the ends of the mapping, and its exact bias', () => {
  const ends = [[0, 1], [5, 6], [6, 1], [4294967291, 6], [4294967292, 1], [4294967293, 2], [4294967294, 3], [4294967295, 4]];
  for (const [word, face] of ends) assert.equal(dieOfWord(word), face);
  // Words 0 to 6 x 715827882 - 1 give each face equally often; the four left give 1 to 4.
  assert.equal(6 * 715827882 + 4, 2 ** 32);
  const left = [0, 1, 2, 3].map((i) => dieOfWord(6 * 715827882 + i));
  assert.deepEqual(left, [1, 2, 3, 4]);
});

test('yayay.ndjson', () => {
  const known = ['kind', 'server', 'die', 'input', 'hash', 'word', 'face', 'throws', 'words', 'size'];
  const game = (server, rolls = []) => recordOf({ scheme: 'yayay/1', seed: server, seal: null, clients: [], rolls, games: [] });
  eachVector('yayay.ndjson', known, (want) => {
    switch (want.kind) {
      case 'die': {
        const block = yayayBlocks(want.server)(want.die);
        assert.equal(want.server + hex(yayayNumber(want.die)), want.input);
        assert.deepEqual([hex(block), firstWord(block), dieOfWord(firstWord(block))], [want.hash, want.word, want.face]);
        return;
      }
      case 'throws': {
        const record = game(want.server, want.throws);
        assert.deepEqual(computeRolls(record, want.throws.map(({ length }) => length)), want.throws);
        want.throws.forEach((thrown, i) => assert.deepEqual(explain(record, i + 1).dice, thrown));
        return;
      }
      case 'word':
        assert.equal(dieOfWord(want.word), want.face);
        return;
      case 'bias':
        assert.equal(715827882 + (dieOfWord(6 * 715827882 + want.face - 1) === want.face && want.face <= 4 ? 1 : 0), want.words);
        return;
      case 'refused':
        if (want.server.length !== 64) {
          assert.equal(verifyFields({ scheme: 'yayay/1', server: want.server }).place.part, 's');
        } else if (want.size < 1 || want.size > 100) {
          const text = want.size === 0 ? '1.' : '6'.repeat(want.size);
          assert.equal(readRolls(text, 'yayay/1').fault.code, 'bad-rolls');
        } else {
          assert.throws(() => yayayDice(want.server, want.die, want.size), RangeError);
        }
        return;
      default:
        assert.fail(`kind ${want.kind}`);
    }
  });
});

test('wrong-readings.ndjson', () => {
  eachVector('wrong-readings.ndjson', ['scheme', 'reading', 'server', 'clients', 'right', 'wrong'], (want) => {
    let got;
    if (want.scheme === 'tavli/1') {
      got = want.right.map((_, i) => tavliDice(fromHex(want.server), want.clients, i + 1));
    } else if (want.scheme === 'yayay/1') {
      got = yayayDice(want.server, 0, want.right.length).map((die) => [die]);
    } else {
      const blocks = floatBlocks(want.server, want.clients[0]);
      got = want.right.map((_, i) => [diceValue(words((c) => blocks(i + 1, c), 0, 1)[0])]);
    }
    assert.deepEqual(got, want.right);
    assert.notDeepEqual(got, want.wrong);
  });
});

test('seal.ndjson', () => {
  eachVector('seal.ndjson', ['scheme', 'covers', 'seed', 'seal', 'other'], ({ covers, seed, seal, other }) => {
    const got = covers === 'bytes' ? sealOf(seed) : toHex(sha256(utf8(seed)));
    assert.equal(got, seal);
    assert.notEqual(got, other);
  });
});

test('shuffle.ndjson', () => {
  const known = [
    'kind', 'server', 'client', 'nonce', 'cursor', 'blocks', 'words', 'fractions', 'floats', 'value', 'shown',
    'bytes', 'word', 'fraction', 'float', 'n', 'index', 'values',
  ];
  eachVector('shuffle.ndjson', known, (want) => {
    switch (want.kind) {
      case 'stream': {
        const blocks = floatBlocks(want.server, want.client);
        for (const { block, message, mac } of want.blocks) {
          assert.equal(hex(utf8(`${want.client}:${want.nonce}:${block}`)), message);
          assert.equal(hex(blocks(want.nonce, block)), mac);
        }
        const got = words((c) => blocks(want.nonce, c), want.cursor, want.words.length);
        assert.deepEqual(got, want.words);
        assert.deepEqual(got.map((word) => `${word}/4294967296`), want.fractions);
        assert.deepEqual(got.map((word) => word / 2 ** 32), want.floats.map(Number));
        assert.equal(diceValue(got[0]), want.value);
        assert.equal(hundredths(want.value), want.shown);
        return;
      }
      case 'bytes': {
        const word = firstWord(Uint8Array.from(want.bytes));
        assert.equal(word, want.word);
        assert.equal(`${word}/4294967296`, want.fraction);
        assert.equal(word / 2 ** 32, Number(want.float));
        assert.deepEqual([diceValue(word), hundredths(diceValue(word))], [want.value, want.shown]);
        return;
      }
      case 'index':
        assert.equal(index(want.word, want.n), want.index);
        return;
      case 'counts': {
        // Value v comes from the words from ceil(v x 2^32 / 10001) on.
        const first = (v) => Number((BigInt(v) * 2n ** 32n + 10000n) / 10001n);
        let count = 0;
        for (let v = 0; v <= 10000; v++) {
          assert.equal(diceValue(first(v)), v);
          if (first(v + 1) - first(v) === want.words) count++;
        }
        assert.equal(count, want.values);
        return;
      }
      case 'lost':
        for (const value of want.values) {
          assert.notEqual(Math.floor((value / 100) * 100), value);
          assert.equal(hundredths(value).replace('.', ''), String(value).padStart(3, '0'));
        }
        return;
      case 'refused':
        assert.throws(() => floatBlocks(want.server, want.client)(Number(want.nonce), 0), RangeError);
        return;
      default:
        assert.fail(`kind ${want.kind}`);
    }
  });
});

test('accumulated.ndjson', (t) => {
  // A million cases take half a minute.
  const all = Boolean(process.env.VERIDICE_TEST_ALL);
  if (!all) t.diagnostic('skipped: the lines of 1,000,000 cases; set VERIDICE_TEST_ALL=1');
  /** The bytes that a case adds. */
  const outcome = {
    'tavli/1': (b, view) => {
      const clients = [hex(b.subarray(0, 16)), hex(b.subarray(16))];
      return tavliDice(b, clients, (view.getUint32(0) % 100000) + 1);
    },
    'yayay/1': (b, view) => yayayDice(hex(b), view.getUint32(0), 1),
    'shuffle/1': (b, view) => {
      const blocks = floatBlocks(hex(b), hex(b.subarray(0, 8)));
      const nonce = Number(view.getBigUint64(0) >> 11n);
      const [word] = words((c) => blocks(nonce, c), b[31] % 64, 1);
      const value = diceValue(word);
      return [word >>> 24, (word >>> 16) & 255, (word >>> 8) & 255, word & 255, value >> 8, value & 255];
    },
  };
  eachVector('accumulated.ndjson', ['scheme', 'stream', 'cases', 'sha256'], (want) => {
    if (want.cases > 10000 && !all) return false;
    const fold = createHash('sha256');
    for (let k = 0; k < want.cases; k++) {
      const b = counterBlock(want.stream, k);
      fold.update(Uint8Array.from(outcome[want.scheme](b, new DataView(b.buffer))));
    }
    assert.equal(fold.digest('hex'), want.sha256);
    return true;
  });
});

test('client seeds: what is refused, and where', () => {
  for (const good of ['a', 'Lucky_7', '_', '-', '1', 'A'.repeat(128)]) assert.equal(clientFault(good), null);
  for (const [bad, position, character] of [
    ['', 1, ''], ['a'.repeat(129), 129, ''], ['a:b', 2, "':'"], ['a b', 2, 'U+0020'], ['a+', 2, "'+'"],
    ['ab\u200b', 3, 'U+200B'], ['\u{1f3b2}', 1, 'U+1F3B2'], ['x\u{1f3b2}\u03b1', 2, 'U+1F3B2'], ['a\n', 2, 'U+000A'],
  ]) {
    const fault = clientFault(bad);
    assert.deepEqual([fault.position, fault.character], [position, character], JSON.stringify(bad));
  }
  assert.equal(codePoint('~'), "'~'");
  assert.equal(codePoint('\x7f'), 'U+007F');
});

test('a weak server seed has fewer than nine different bytes', () => {
  assert.equal(isWeak('00'.repeat(32)), true);
  assert.equal(isWeak('0102030405060708'.repeat(4)), true);
  assert.equal(isWeak('010203040506070809'.repeat(4)), false);
  assert.equal(isWeak(example.server), false);
});

test('random rolls agree with node:crypto', () => {
  const below = random(4);
  for (let i = 0; i < 2000; i++) {
    const key = below.bytes(16 + below(49));
    const clients = Array.from({ length: 1 + below(16) }, () => hex(below.bytes(1 + below(64))));
    const roll = 1 + below(100000);
    const block = createHmac('sha256', key).update(`${clients.join(':')}:${roll}`).digest();
    const v = block.find((byte) => byte < 252) % 36;
    assert.deepEqual(tavliDice(key, clients, roll), [Math.floor(v / 6) + 1, (v % 6) + 1]);
  }
});
