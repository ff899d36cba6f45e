// The terms of a table, and what may be rolled by them.
import assert from 'node:assert/strict';
import test from 'node:test';
import { deal, dealFaces, mayRoll, readDice, readTerms, termsText, wholeDeck } from '../app/phone/terms.mjs';
import { eachVector } from './verifier-support.mjs';

const text = 'veridice table 1\ndice 2d6\nturn alternate\nwait 120\nsalt 00112233445566778899aabbccddeeff\n';

test('terms have one text', () => {
  const terms = readTerms(text);
  assert.deepEqual({ ...terms, kinds: null }, {
    dice: '2d6', turn: 'alternate', wait: 120, salt: '00112233445566778899aabbccddeeff', text, kinds: null,
  });
  assert.equal(termsText(terms), text);
  for (const [from, to] of [
    ['table 1', 'table 2'], ['turn alternate', 'turn both'], ['wait 120', 'wait 9'], ['wait 120', 'wait 86401'], ['wait 120', 'wait 0120'],
    ['dice 2d6', 'dice 2d'], ['dice 2d6', 'dice  2d6'], ['eeff\n', 'eef\n'], ['eeff\n', 'eeff'], ['eeff\n', 'eeff\n\n'], ['\n', '\r\n'],
  ]) assert.equal(readTerms(text.replace(from, to)), null, to);
  for (const other of [null, 7, '', text.slice(0, -1)]) assert.equal(readTerms(other), null);
  for (const wait of [10, 86_400]) assert.notEqual(readTerms(text.replace('120', String(wait))), null);
});

test('the notation of dice', () => {
  for (const [notation, want] of [
    ['2d6', { kind: 'fixed', faces: [6, 6] }],
    ['3d6+1d20', { kind: 'fixed', faces: [6, 6, 6, 20] }],
    ['1d6+1d6', { kind: 'fixed', faces: [6, 6] }],
    ['1d2', { kind: 'fixed', faces: [2] }],
    ['1d1000000', { kind: 'fixed', faces: [1_000_000] }],
    ['1-6d6', { kind: 'some', faces: 6, most: 6 }],
    ['deck52', { kind: 'deck', cards: 52 }],
    ['any', { kind: 'any' }],
  ]) assert.deepEqual(readDice(notation), { value: want, fault: null }, notation);
  assert.equal(readDice('100d6').value.faces.length, 100);
  for (const [notation, code, part] of [
    ['', 'dice-form', ''], ['d6', 'dice-form', 'd6'], ['2d6+', 'dice-form', ''], ['2D6', 'dice-form', '2D6'], ['2 d6', 'dice-form', '2 d6'],
    ['2d6+x', 'dice-form', 'x'], ['2-6d6', 'dice-form', '2-6d6'], ['1-6d6+1d20', 'dice-form', '1-6d6'], ['0d6', 'dice-count', '0d6'],
    ['101d6', 'dice-count', '101d6'], ['02d6', 'dice-count', '02d6'], ['60d6+41d8', 'dice-count', '41d8'], ['1-101d6', 'dice-count', '1-101d6'],
    ['1-1d6', 'dice-count', '1-1d6'], ['2d1', 'dice-faces', '2d1'], ['2d1000001', 'dice-faces', '2d1000001'], ['2d06', 'dice-faces', '2d06'],
    ['1-6d1', 'dice-faces', '1-6d1'], ['deck1', 'deck-size', 'deck1'], ['deck417', 'deck-size', 'deck417'], ['deck', 'dice-form', 'deck'],
    ['ANY', 'dice-form', 'ANY'],
  ]) assert.deepEqual(readDice(notation), { value: null, fault: { code, part } }, notation);
});

test('what may be rolled now', () => {
  const may = (notation, faces, left = null) => mayRoll(readDice(notation).value, faces, left);
  assert.ok(may('2d6', [6, 6]));
  for (const faces of [[6], [6, 6, 6], [6, 5], [], null, '6,6']) assert.equal(may('2d6', faces), false, String(faces));
  for (const faces of [[6], Array(6).fill(6)]) assert.ok(may('1-6d6', faces));
  for (const faces of [[], Array(7).fill(6), [6, 5]]) assert.equal(may('1-6d6', faces), false);
  for (const faces of [[2], [1_000_000, 3], Array(100).fill(6)]) assert.ok(may('any', faces));
  for (const faces of [[1], [1_000_001], Array(101).fill(6), [2.5], ['6'], [NaN]]) assert.equal(may('any', faces), false);
  const left = wholeDeck(readDice('deck5').value);
  assert.deepEqual(left, [0, 1, 2, 3, 4]);
  for (const faces of [[5], [5, 4], [5, 4, 3, 2]]) assert.ok(may('deck5', faces, left));
  for (const faces of [[4], [5, 5], [5, 4, 3, 2, 1], [6]]) assert.equal(may('deck5', faces, left), false);
  assert.equal(may('deck5', [2], [3]), false, 'the last card has nothing to be drawn against');
  assert.deepEqual(dealFaces(left, 3), [5, 4, 3]);
  assert.equal(may('deck416', dealFaces(wholeDeck(readDice('deck416').value), 101), wholeDeck(readDice('deck416').value)), false);
});

test('cards are dealt as the vectors say', () => {
  // Known fields are those of the file; here only samples are looked at, and counted by the verifier's test.
  let deals = 0;
  eachVector('veridice1.ndjson', [
    'kind', 'tag', 'fields', 'frame', 'sha256', 'faces', 'words', 'face', 'used', 'items', 'take', 'dice', 'result', 'weights', 'die', 'item',
    'match', 'role', 'length', 'last', 'links', 'key', 'message', 'signature', 'valid', 'open', 'hash', 'start', 'entries', 'opening', 'head', 'roll',
    'actor', 'request', 'ctx', 'blocks', 'rejected', 'after', 'text', 'heads', 'want', 'view', 'notes', 'code', 'place', 'shown', 'sum',
  ], (v) => {
    if (v.kind !== 'sample' || v.result === null) return false;
    const whole = Array.from({ length: v.items }, (_, i) => i);
    const { items, left } = deal(whole, v.dice);
    assert.deepEqual(dealFaces(whole, v.dice.length), v.faces);
    assert.deepEqual([...items, ...left].slice(0, v.take), v.result);
    assert.equal(items.length + left.length, v.items);
    deals++;
    return false;
  });
  assert.ok(deals > 0);
});

test('the example of the specification: five of 52 cards', () => {
  const deck = wholeDeck(readDice('deck52').value);
  assert.deepEqual(dealFaces(deck, 5), [52, 51, 50, 49, 48]);
  assert.deepEqual(deal(deck, [45, 1, 24, 22, 13]).items, [44, 0, 24, 22, 13]);
});
