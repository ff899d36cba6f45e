import { test } from 'node:test';
import assert from 'node:assert/strict';
import { nameFits } from '../app/table-rules.mjs';

test('a name is text as it will be shown', () => {
  for (const good of ['', 'Nikos', 'Νίκος Π.', '<img src=x onerror=alert(1)>', 'शिव', '😀', '名前', 'x'.repeat(40), '😀'.repeat(40)]) {
    assert.equal(nameFits(good), true, good);
  }
  for (const bad of ['x'.repeat(41), 'a\u202eb', 'a\u200bb', 'a\nb', 'a\u0007', 'a\u2028b', 'a\u00a0b', '\ue000', '\u001b]0;x\u0007']) {
    assert.equal(nameFits(bad), false, JSON.stringify(bad));
  }
});
