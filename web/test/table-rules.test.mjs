import { test } from 'node:test';
import assert from 'node:assert/strict';
import { clientFault, codePoint, nameFits } from '../app/table-rules.mjs';

test('a client seed holds 1 to 128 of A-Z a-z 0-9 _ -, and the first other character is named with its place', () => {
  for (const good of ['a', 'blue-heron--42', 'Il1O0', '_-', 'f24279610d6b8b1362d85c3ddec7f24e', 'x'.repeat(128)]) {
    assert.equal(clientFault(good), null, good);
  }
  assert.deepEqual(clientFault(''), { fault: 'empty' });
  assert.deepEqual(clientFault('x'.repeat(129)), { fault: 'long' });
  const faults = {
    'two  blanks': [4, 'U+0020'], 'a:b': [2, ':'], 'a+': [2, '+'], '‘smart’': [1, 'U+2018'], 'en–dash': [3, 'U+2013'],
    'σπόρος': [1, 'U+03C3'], 'a\u200bb': [2, 'U+200B'], 'ab😀c:': [3, 'U+1F600'], 'a\n': [2, 'U+000A'],
  };
  for (const [text, [place, character]] of Object.entries(faults)) {
    assert.deepEqual(clientFault(text), { fault: 'character', place, character }, text);
  }
});

test('a character is named by itself only if one can see which it is', () => {
  assert.equal(codePoint('~'), '~');
  assert.equal(codePoint('\u007f'), 'U+007F');
  assert.equal(codePoint('\u202e'), 'U+202E');
});

test('a name is text as it will be shown', () => {
  for (const good of ['', 'Nikos', 'Νίκος Π.', '<img src=x onerror=alert(1)>', 'शिव', '😀', '名前', 'x'.repeat(40), '😀'.repeat(40)]) {
    assert.equal(nameFits(good), true, good);
  }
  for (const bad of ['x'.repeat(41), 'a\u202eb', 'a\u200bb', 'a\nb', 'a\u0007', 'a\u2028b', 'a\u00a0b', '\ue000', '\u001b]0;x\u0007']) {
    assert.equal(nameFits(bad), false, JSON.stringify(bad));
  }
});
