import assert from 'node:assert/strict';
import test from 'node:test';
import { readClients, readHex, readNumber, readRolls } from '../verifier/veridice.mjs';
import { eachVector } from './verifier-support.mjs';

const show = ({ value, fault }) =>
  fault === null ? value.map((dice) => dice.join('-')).join(' ') : `refused at line ${fault.line}`;

test('the table of record.md, pasted rolls', () => {
  const rows = [
    ['1. 6-3', '6-3'], ['1: 6 3', '6-3'], ['1) 63', '6-3'], ['#1 6-3', '6-3'], ['1\t6-3', '6-3'], ['1 6 3', '6-3'],
    ['1 63', '6-3'], ['6-3', '6-3'], ['6 3', '6-3'], ['6,3', '6-3'], ['63', '6-3'], ['6 \u2013 3', '6-3'], ['6/3', '6-3'],
    ['6-3 4-4 1-2', '6-3 4-4 1-2'], ['63 44 12', '6-3 4-4 1-2'], ['63,44;12', '6-3 4-4 1-2'], ['634412', '6-3 4-4 1-2'],
    ['6-3\n4-4\n1-2', '6-3 4-4 1-2'], ['6 3\n4 4', '6-3 4-4'], ['1. 6-3 2. 4-4', '6-3 4-4'],
    ['1. 6-3\r\n2. 4-4\r\n', '6-3 4-4'], ['\ufeff1. 6-3\n\n2. 4-4', '6-3 4-4'], ['12 44', '1-2 4-4'],
    ['1 63\n2 44', '6-3 4-4'], [' ', ''], ['12: 4 4', 'refused at line 1'], ['2. 6-3', 'refused at line 1'],
    ['1. 6-3\n3. 4-4', 'refused at line 2'], ['1. 6-3\n1. 4-4', 'refused at line 2'], ['6 3 4 4', 'refused at line 1'],
    ['1 6 3 2 4 4', 'refused at line 1'], ['6', 'refused at line 1'], ['634', 'refused at line 1'],
    ['6-3 4', 'refused at line 1'], ['7-1', 'refused at line 1'], ['0-3', 'refused at line 1'],
    ['6-3-2', 'refused at line 1'], ['6,3 4,4', 'refused at line 1'], ['1. 6-3\n4-4', 'refused at line 2'],
    ['Game 2\n6-3', 'refused at line 1'], ['six-three', 'refused at line 1'], ['\u0666-\u0663', 'refused at line 1'],
    ['6-\u200b3', 'refused at line 1'], ['6.3', 'refused at line 1'], ['1.63', '6-3'], ['01. 6-3', 'refused at line 1'],
  ];
  for (const [text, want] of rows) assert.equal(show(readRolls(text)), want, JSON.stringify(text));
});

test('a refusal names the place and the character where the reading that got further stops', () => {
  for (const [text, line, column, char] of [
    ['6-\u200b3', 1, 3, 'U+200B'], ['1. 6-3\n4-4', 2, 1, "'4'"], ['6-3\n\n6-3-2', 3, 4, "'-'"], ['634', 1, 4, ''],
    ['6 3 4 4', 1, 5, "'4'"], ['12: 4 4', 1, 3, "':'"],
  ]) {
    const { fault } = readRolls(text);
    assert.deepEqual([fault.code, fault.line, fault.column, fault.char], ['bad-rolls', line, column, char], JSON.stringify(text));
  }
});

test('a throw of yayay/1 has 1 to 100 dice, and blanks never join them', () => {
  const rows = [
    ['6-3-2', '6-3-2'], ['632', '6-3-2'], ['4', '4'], ['1. 6-3-2\n2. 4', '6-3-2 4'], ['1 632\n2 4', '6-3-2 4'],
    ['6-3\n4\n1-2-3', '6-3 4 1-2-3'], ['1 6 3', 'refused at line 1'], ['6 3', 'refused at line 1'],
    ['1. 6-3\n3. 4', 'refused at line 2'], ['7', 'refused at line 1'], ['6-', 'refused at line 1'],
    ['1'.repeat(101), 'refused at line 1'],
  ];
  for (const [text, want] of rows) assert.equal(show(readRolls(text, 'yayay/1')), want, JSON.stringify(text));
  assert.equal(readRolls('1'.repeat(100), 'yayay/1').value[0].length, 100);
});

test('a list of more than 100,000 rolls is refused', () => {
  assert.equal(readRolls('63\n'.repeat(100000)).value.length, 100000);
  assert.equal(readRolls('63\n'.repeat(100001)).fault.line, 100001);
});

test('rolls.ndjson', () => {
  eachVector('rolls.ndjson', ['scheme', 'text', 'rolls', 'line'], ({ scheme, text, rolls, line }) => {
    const { value, fault } = readRolls(text, scheme);
    if (line === undefined) assert.deepEqual(value, rolls);
    else assert.deepEqual([fault?.code, fault?.line], ['bad-rolls', line]);
  });
});

test('hex fields', () => {
  for (const [text, want] of [
    ['', ''], [' \t\r\n', ''], ['ABcd', 'abcd'], [' abcd\r\n', 'abcd'], ['0xabcd', 'abcd'], ['sha256:abcd', 'abcd'],
    ['sha256: ab cd', 'abcd'], ['ab:cd:ef', 'abcdef'], ['ab cd  ef', 'abcdef'],
  ]) assert.equal(readHex(text, 's').value, want, JSON.stringify(text));
  for (const [text, column, char] of [
    ['abc', 3, ''], ['a bcd', 2, 'U+0020'], ['abxd', 3, "'x'"], [' ab\u200bcd', 4, 'U+200B'], ['0x0xab', 4, "'x'"],
    ['ab\ncd', 3, 'U+000A'], ['ab-cd', 3, "'-'"], ['\u0391b', 1, 'U+0391'], ['sha512:ab', 1, "'s'"],
  ]) {
    const { fault } = readHex(text, 'c');
    assert.deepEqual([fault?.code, fault?.part, fault?.column, fault?.char], ['bad-part', 'c', column, char], JSON.stringify(text));
  }
});

test('the box of client seeds', () => {
  assert.deepEqual(readClients('a\r\n\n  Lucky_7\t\n-').value, ['a', 'Lucky_7', '-']);
  assert.deepEqual(readClients(' \n').value, []);
  for (const [text, line, column, char] of [
    ['a\n b c', 2, 3, 'U+0020'], ['a:b', 1, 2, "':'"], ['a\n\n\u2014', 3, 1, 'U+2014'], ['x'.repeat(129), 1, 129, ''],
    ['a\n'.repeat(17), 17, 0, ''],
  ]) {
    const { fault } = readClients(text);
    assert.deepEqual([fault.code, fault.part, fault.line, fault.column, fault.char], ['bad-part', 'p', line, column, char], text);
  }
});

test('the number of rolls', () => {
  for (const [text, want] of [['', undefined], [' ', undefined], ['1', 1], [' 12 ', 12], ['100000', 100000]]) {
    assert.equal(readNumber(text).value, want);
  }
  for (const text of ['0', '01', '+1', '1.0', '1e2', '-1', '100001', '9007199254740993', '18446744073709551616', '\u0661', 'x']) {
    assert.equal(readNumber(text).fault?.code, 'bad-part', text);
  }
});
