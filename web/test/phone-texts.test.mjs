// The texts of veridice/1 in their one encoding.
import assert from 'node:assert/strict';
import test from 'node:test';
import * as texts from '../app/phone/texts.mjs';
import { chainTo } from '../verifier/chain.mjs';
import { browserSigner } from '../app/phone/signer.mjs';
import { hex, largeVectors, random, unhex } from './verifier-support.mjs';

const kinds = {
  offer: [texts.readOffer, texts.offerText],
  join: [texts.readJoin, texts.joinText],
  open: [texts.readOpening, texts.openingText],
  ready: [texts.readReady, texts.readyText],
  roll: [texts.readRoll, texts.rollText],
  head: [texts.readHead, texts.headText],
  move: [texts.readMove, texts.moveText],
};

// The examples of docs/spec/veridice-1.md.
const match = 'ad1bdd8d5acf8199bfdc5782cb4b0fa6';
const keys = [
  '0e7dd59838443bd1e4429edc4be48a35208c55fa67d50596029434484ea945ad',
  '488489c52d4a01facfd20f468928fcd0fece0400ac1624f32f570a96de91c69a',
  'bde828cffa8d513277ffaa22cbdb9a2d22f6c15370a663ac7e52c2e02a5509d7',
];
const anchors = [
  'ae1d5c274194dc220141c880d7896f3ca793d38b9785ca06f6b7484d38566ed0',
  'fc127f9abe0315429cf590b100a7aa7d48e6448ec9d42a77a32c6b49917347af',
  'bf1927df57e3b8b9ee15e6aa19df15f15908176505bde59b216edb6328d55d4c',
];
const rules = 'e5506e35a12fa87c99cc29aaf24d5b017c0948a58391f7bee30c927c51c27f20';
const head = 'f5bd3530b4448e985d1f1e0bcdce73bada918a636a8fa9804d7df283afd6c718';
const after = '2e119a20c8056c0ea70933a1c720d529c0f18e47400e3bbd7b2ae96dfba9b2f3';
const role = (n) => `role ${n} ${anchors[n]} ${keys[n]}\n`;
const examples = {
  offer: `veridice/1 offer\nmatch ${match}\nseq 1\nrules ${rules}\nlinks 64\nseats 2\n${role(0)}expires 1694865590\n`,
  join: `veridice/1 join\nmatch ${match}\noffer bf7593b068e6689e31d86e8b55039729f196ae6beacfb26d1ac0711abb755b84\n${role(1)}`,
  open: `veridice/1 open\nmatch ${match}\nseq 1\nrules ${rules}\nlinks 64\n${role(0)}${role(1)}${role(2)}expires 1694865590\n`,
  ready: `veridice/1 ready\nmatch ${match}\nleaf 2ff77ac73d8d34e151f39627091c9f072ec482d653d133337e3b15d68950658a\nrole 2\n`,
  roll: `veridice/1 roll\nmatch ${match}\nroll 1\nactor 1\nfaces 6,6\nhead ${head}\n`,
  head: `veridice/1 head\nmatch ${match}\nroll 1\nhead ${after}\n`,
  move: `veridice/1 move\nmatch ${match}\nrole 1\nhead ${after}\nmove 24/20 13/11\n`,
};
const rollNote = examples.roll +
  `\n\u2014 ${match}/1 i8T/Y10MPUpoj47TDaN0h7Hovp9LjOb01SUFLvC/WSS7NvLXI4OuqfkvHt4yAdmtlUwpjz3kl33f40V9db8c9RLPIwU=\n` +
  `\u2014 ${match}/0 30tYO6YWx7tXn6AcQ7uMudFzeD3NEMDn2/mw7eu1UxmeUYjcjzXr5pyN6gHRdogbv68zLQZrqwKnq3J772xmufaNUQc=\n` +
  `\u2014 ${match}/2 6CXwo++CzCqAn9HR/P7+W3HJ4G9BeLi0p0+wBF4p1Mb3nT5zG9DlUSQU9/3xL9MiAKqr7M9BwKIDtuI5FxxtC2o06g0=\n`;

test('the examples of the specification are read and written back', () => {
  for (const [kind, text] of Object.entries(examples)) {
    const [read, write] = kinds[kind];
    assert.notEqual(read(text), null, kind);
    assert.equal(write(read(text)), text, kind);
  }
  assert.deepEqual(texts.readRoll(examples.roll), { match, roll: 1, actor: 1, faces: [6, 6], head });
  assert.deepEqual(texts.readMove(examples.move), { match, role: 1, head: after, move: '24/20 13/11' });
  assert.equal(texts.leafOf(examples.open), '2ff77ac73d8d34e151f39627091c9f072ec482d653d133337e3b15d68950658a');
  assert.equal(texts.sumOf(examples.offer), 'bf7593b068e6689e31d86e8b55039729f196ae6beacfb26d1ac0711abb755b84');
});

test('the signatures of the example are read, written back and hold', async () => {
  const note = texts.openNote(rollNote);
  const { verify } = browserSigner(() => { throw new Error('nothing is drawn'); });
  const lines = note.signatures.map(({ name, bytes }) => texts.signatureLine({ name, key: keys[name.slice(-1)] }, bytes));
  assert.equal(texts.noteOf(note.text, ...lines), rollNote);
  for (const n of [0, 1, 2]) assert.ok(await texts.isSigned(note, texts.signerOf(match, n, keys[n]), verify), `role ${n}`);
  assert.equal(await texts.isSigned(note, texts.signerOf(match, 3, keys[1]), verify), false);
  assert.equal(await texts.isSigned(note, texts.signerOf(match, 1, keys[2]), verify), false, 'another key id is nobody\'s');

  // One signature that holds does not make up for one that does not.
  const spoilt = Uint8Array.from(note.signatures[0].bytes);
  spoilt[0] ^= 1;
  const both = texts.openNote(texts.noteOf(note.text, lines[0], texts.signatureLine(texts.signerOf(match, 1, keys[1]), spoilt)));
  assert.equal(await texts.isSigned(both, texts.signerOf(match, 1, keys[1]), verify), false);
  const moved = texts.openNote(rollNote.replace('actor 1', 'actor 2'));
  assert.equal(await texts.isSigned(moved, texts.signerOf(match, 1, keys[1]), verify), false);
});

test('a text has one encoding: no changed byte is read as the same, no other form is read at all', () => {
  const next = random(4);
  for (const [kind, text] of Object.entries(examples)) {
    const [read, write] = kinds[kind];
    for (let i = 0; i < text.length; i++) {
      for (const other of [String.fromCharCode(text.charCodeAt(i) ^ (1 << next(7))), '', ' ', '\r', '\n', '0', '\u0661']) {
        const changed = text.slice(0, i) + other + text.slice(i + 1);
        if (changed === text) continue;
        const value = read(changed);
        if (value !== null) assert.equal(write(value), changed, `${kind} at ${i}`);
      }
      assert.equal(read(text.slice(0, i)), null, `${kind} cut at ${i}`);
    }
    for (const other of [text + '\n', text + 'role 3\n', '\ufeff' + text, text.replaceAll('\n', '\r\n'), text.replace('match ', 'match  '), text.toUpperCase(), '']) {
      assert.equal(read(other), null, `${kind}: ${JSON.stringify(other)}`);
    }
  }
});

test('numbers outside their limits are refused', () => {
  const tries = [
    ['offer', 'links 64', ['links 0', 'links 8193', 'links 064', 'links -1', 'links 1e3']],
    ['offer', 'seats 2', ['seats 0', 'seats 17']],
    ['offer', 'seq 1', ['seq 0', 'seq 9007199254740992']],
    ['offer', 'role 0', ['role 1', 'role 00']],
    ['join', 'role 1', ['role 0', 'role 17']],
    ['ready', 'role 2', ['role 0', 'role 17']],
    ['open', 'role 1', ['role 2', 'role 0']],
    ['open', role(1) + role(2), ['']],
    ['roll', 'roll 1\n', ['roll 0\n', 'roll 100001\n']],
    ['roll', 'actor 1', ['actor 17']],
    ['roll', 'faces 6,6', ['faces 1', 'faces 6,', 'faces 4294967296', 'faces 6 6', `faces ${Array(1025).fill(6)}`]],
    ['head', 'roll 1\n', ['roll 0\n', 'roll 100001\n']],
    ['move', 'move 24', ['move  24']],
    ['move', '13/11', ['13/11 ', '1'.repeat(1000)]],
  ];
  for (const [kind, from, all] of tries) {
    for (const to of all) {
      const changed = examples[kind].replace(from, to);
      assert.notEqual(changed, examples[kind]);
      assert.equal(kinds[kind][0](changed), null, `${kind}: ${to.slice(0, 40)}`);
    }
  }
  assert.notEqual(texts.readMove(examples.move.replace('24/20 13/11', '1'.repeat(1000))), null);
  assert.notEqual(texts.readRoll(examples.roll.replace('6,6', String(Array(1024).fill(6)))), null);
  assert.notEqual(texts.readMove(examples.move.replace('24/20 13', '24/20   13')), null, 'blanks inside may stand together');
});

test('a link is checked by one hash', () => {
  const link = unhex('bb5ab52da856b33fe2a84cb5eed4f88e716029ebfc2e27a1cff65d6717b7e312');
  assert.equal(hex(texts.linkBefore(match, 1, 0, link)), anchors[1]);
  for (const [of, party, index] of [[match, 2, 0], [match, 1, 1], ['0' + match.slice(1), 1, 0]]) {
    assert.notEqual(hex(texts.linkBefore(of, party, index, link)), anchors[1]);
  }
  const chain = chainTo(match, 1, 5, hex(link));
  for (let i = 0; i < 5; i++) assert.equal(hex(texts.linkBefore(match, 1, i, chain[i + 1])), hex(chain[i]));
});

test('keys under which no signature counts', () => {
  for (const key of ['00'.repeat(32), '01' + '00'.repeat(31), 'ec' + 'ff'.repeat(30) + '7f', 'ed' + 'ff'.repeat(30) + '7f', 'ff'.repeat(32)]) {
    assert.ok(texts.isBarred(key), key);
  }
  for (const key of keys) assert.equal(texts.isBarred(key), false);
});

test('the notes of the large vectors', { skip: largeVectors('veridice-1.json') === null }, async () => {
  const { verify } = browserSigner(() => { throw new Error('nothing is drawn'); });
  let notes = 0;
  for (const m of largeVectors('veridice-1.json').matches) {
    assert.equal(texts.openingText(texts.readOpening(m.open)), m.open);
    assert.equal(texts.leafOf(m.open), m.openHash);
    assert.equal(texts.sumOf(m.offer), m.offerHash);
    assert.equal(texts.readOffer(m.offer).rules, texts.sumOf(m.rules));
    const { roles } = texts.readOpening(m.open);
    for (const { what, note: from, text } of m.notes) {
      const [read, write] = kinds[what.split(' ')[0]];
      const note = texts.openNote(from);
      assert.equal(note.text, text);
      assert.equal(write(read(text)), text);
      const by = note.signatures.map(({ name }) => Number(name.split('/')[1]));
      assert.equal(texts.noteOf(text, ...note.signatures.map(({ name, bytes }, i) => texts.signatureLine({ name, key: roles[by[i]].key }, bytes))), from);
      for (const n of by) assert.ok(await texts.isSigned(note, texts.signerOf(read(text).match, n, roles[n].key), verify), what);
      notes++;
    }
  }
  assert.ok(notes > 90);
});
