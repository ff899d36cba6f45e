import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import test from 'node:test';
import { gamesOf, parseRecord, placeText, readLink, readRolls, rollsOf, verify, writeRecord } from '../verifier/veridice.mjs';
import { sumOf } from '../verifier/record.mjs';
import { countVector, example, largeVectors, link, path, random } from './verifier-support.mjs';

const good = writeRecord(verify(link).record);

/** The record with lines changed and its sum made new. */
function changed(change) {
  const { value } = parseRecord(good);
  const record = change({ ...value });
  return writeRecord({ ...record, sum: sumOf(record) });
}

test('a record is parsed and written back byte for byte', () => {
  const { value } = parseRecord(good);
  assert.equal(writeRecord(value), good);
  assert.deepEqual(Object.keys(value), ['record', 'scheme', 'match', 'seal', 'clients', 'entries', 'seed', 'rolls', 'state', 'sum']);
  assert.deepEqual(gamesOf(value), [7, 5]);
  assert.equal(rollsOf(value).length, 12);
});

test('the text that is hashed is everything before the sum line', async () => {
  const { createHash } = await import('node:crypto');
  const [body, sum] = good.split('sum ');
  assert.equal(createHash('sha256').update(body).digest('hex'), sum.trim());
});

test('the first line at which a text stops being the beginning of a record', () => {
  const lines = good.split('\n').slice(0, -1);
  const from = (edit) => {
    const copy = [...lines];
    edit(copy);
    return copy.join('\n') + '\n';
  };
  const at = (start) => lines.findIndex((line) => line.startsWith(start)) + 1;
  const put = (start, text) => [from((copy) => copy.splice(at(start) - 1, 1, text)), at(start)];
  const rows = [
    ['', 1], ['\n', 1], ['veridice record 1', 1], ['veridice record 01\n', 1], ['veridice record 1 \n', 1],
    ['veridice  record 1\n', 1], ['Veridice record 1\n', 1], ['veridice record 9007199254740992\n', 1],
    ['veridice record 1\n', 2], ['veridice record 1\nscheme\n', 2], ['veridice record 1\nscheme tavli/01\n', 2],
    ['veridice record 1\nscheme tavli/0\n', 2], ['veridice record 1\nscheme ta_vli/1\n', 2],
    [`veridice record 1\nscheme ${'a'.repeat(33)}/1\n`, 2],
    put('match', 'match'), put('match', 'match '), put('match', 'match a b'), put('match', `match ${'m'.repeat(65)}`),
    put('match', 'match \u03b1'), put('match', 'match m/1'),
    put('seal', `seal ${example.seal.toUpperCase()}`), put('seal', 'seal'), put('seal', `seal 0x${example.seal}`),
    put('client', 'client '), put('client', `client ${'x'.repeat(129)}`), put('client', 'client a:b'), put('client', 'client a '),
    [from((copy) => copy.splice(at('client') - 1, 2)), at('client')],
    [from((copy) => copy.splice(at('client') - 1, 0, ...Array(15).fill('client a'))), at('client') + 16],
    [from((copy) => copy.splice(at('game'), 0, 'game')), at('game') + 1],
    [from((copy) => copy.splice(at('game') - 1, 1)), at('roll 8') - 2], // the second game line, one line up, is then out of place
    [from((copy) => copy.splice(at('seed') - 1, 0, 'game')), at('seed') + 1],
    put('roll 3 ', 'roll 3 1 7'), put('roll 3 ', 'roll 3 1'), put('roll 3 ', 'roll 3 1 6 6'), put('roll 3 ', 'roll 3 1  6'),
    put('roll 3 ', 'roll 03 1 6'), put('roll 3 ', 'roll +3 1 6'), put('roll 3 ', 'roll 0 1 6'), put('roll 3 ', 'roll 100001 1 6'),
    put('roll 3 ', 'roll  3 1 6'), put('roll 3 ', 'roll 3 1 6 '), put('roll 3 ', 'roll 3.0 1 6'), put('roll 3 ', 'Roll 3 1 6'),
    put('roll 3 ', 'roll 9007199254740993 1 6'), put('roll 3 ', 'move 1 x'), put('roll 3 ', 'roll 3 1 6\r'),
    put('seed', 'seed'), put('seed', `seed ${example.server.slice(1)}`), put('seed', `seed ${'ab'.repeat(15)}`),
    put('seed', `seed ${'ab'.repeat(65)}`), put('seed', `seed ${example.server.toUpperCase()}`),
    put('rolls', 'rolls 012'), put('rolls', 'rolls -1'), put('rolls', 'rolls 100001'), put('rolls', 'rolls'),
    put('rolls', 'rolls 18446744073709551616'),
    put('state', 'state Finished'), put('state', 'state'), put('state', 'state aborted 1'), put('state', 'state aborted -'),
    put('sum', 'sum -'), put('sum', 'sum'),
    [good + 'x', lines.length + 1], [good + good, lines.length + 1],
    [good.slice(0, -1), lines.length],
    [from((copy) => copy.pop()), lines.length],
    [from((copy) => copy.splice(3, 0, 'client a')), 4], // a client before the seal
    ['\ufeff' + good, 1], [good.replaceAll('\n', '\r\n'), 1], [good.replaceAll('\n', '\r'), 1],
  ];
  for (const [text, line] of rows) {
    const { fault } = parseRecord(text);
    assert.deepEqual([fault?.code, fault?.line], ['syntax', line], JSON.stringify(text.split('\n')[line - 1]));
  }
});

test('a record may be a signed note, whose signatures are of unknown keys here', () => {
  const signature = '\u2014 ad1bdd8d5acf8199bfdc5782cb4b0fa6/1 i8T/Y4pw+17oWS+oJMFdMijyfrhVCO1UtN15hO9n5j7AjOzlEbvEyY4n2uHRskuTehGm3BsDJknQkPOJ5lyv0FKDwAM=\n';
  for (const behind of [signature, signature.repeat(2), signature.repeat(100), '\u2014 \u03b1 AAAAAAA=\n']) {
    assert.equal(verify(`${good}\n${behind}`).verdict, 'proven', behind);
    assert.equal(verify(`${good.replace('roll 3 1', 'roll 3 2')}\n${behind}`).code, 'wrong-dice');
    assert.equal(placeText(verify(`${good.replace('roll 3', 'roll 03')}\n${behind}`).place), 'line 10');
  }
  const malformed = [
    '', signature.slice(0, -1), signature.repeat(101), signature + 'x\n', signature + '\n', '\n' + signature, '\u2014 a\n',
    '\u2014 a AAAAAA==\n', '\u2014 a AAAAAAB=\n', '\u2014 a AAAAAAA\n', '\u2014 a AAAA_-A=\n', '\u2014 a b AAAAAAA=\n',
    '\u2014 a+b AAAAAAA=\n', '\u2014  AAAAAAA=\n', '\u2014 a AAAAAAA= \n', '\u2014 a AAAAAAA=\r\n', '\u2014 a\x01 AAAAAAA=\n',
  ];
  for (const behind of malformed) {
    const report = verify(`${good}\n${behind}`);
    assert.deepEqual([report.verdict, report.code, placeText(report.place)], ['unknown', 'syntax', ''], behind);
  }
  for (const behind of ['x\n', '- a AAAAAAA=\n', '\n']) {
    assert.equal(placeText(verify(`${good}\n${behind}`).place), `line ${good.split('\n').length}`, behind);
  }
});

test('later versions and schemes are no syntax errors', () => {
  const rows = [
    ['veridice record 2\nwhatever', 'version'], ['veridice record 0\n', 'version'],
    ['veridice record 9007199254740991\n', 'version'], ['veridice record 1\nscheme veridice/2\n', 'scheme'],
    ['veridice record 1\nscheme tavli/2\n\u03b1', 'scheme'], ['veridice record 1\nscheme Tavli/1\n', 'scheme'],
    [`veridice record 1\nscheme ${'a'.repeat(32)}/9007199254740991\n`, 'scheme'],
  ];
  for (const [text, code] of rows) {
    const report = verify(text);
    assert.deepEqual([report.verdict, report.code, placeText(report.place)], ['unknown', code, ''], text);
  }
});

test('a record of yayay/1 has neither clients nor games', () => {
  const text = (body) => `veridice record 1\nscheme yayay/1\nmatch -\nseal -\n${body}seed -\nrolls 1\nstate running\nsum ${example.seal}\n`;
  assert.equal(parseRecord(text('roll 1 6\n')).fault, null);
  assert.equal(parseRecord(text(`roll 1${' 6'.repeat(100)}\n`)).fault, null);
  for (const body of ['client a\n', 'game\nroll 1 6\n', 'roll 1\n', `roll 1${' 6'.repeat(101)}\n`, 'roll 1 6-6\n']) {
    assert.equal(parseRecord(text(body)).fault?.line, 5, body);
  }
  assert.equal('clients' in parseRecord(text('')).value, false);
});

test('limits of size', () => {
  const rolls = 'roll 1 1 1\n'.repeat(100001);
  const head = good.slice(0, good.indexOf('game'));
  assert.equal(parseRecord(head + rolls).fault.line, 100007);
  const pad = 'x'.repeat(16 * 1024 * 1024 - good.length);
  assert.equal(parseRecord(good + pad).fault.code, 'syntax');
  assert.equal(parseRecord(good + pad + 'x').fault.code, 'too-long');
  assert.equal(parseRecord(good + '\u03b1'.repeat(8 * 1024 * 1024)).fault.code, 'too-long');
});

test('a character that no record holds is named with its place', () => {
  const { fault } = parseRecord(good.replace('client f242', 'client f2\u200b42'));
  assert.deepEqual([fault.line, fault.column, fault.char], [5, 10, 'U+200B']);
});

test('every changed, lost or added byte of a record makes it not proven', () => {
  const below = random(7);
  assert.equal(verify(good).verdict, 'proven');
  for (let at = 0; at < good.length; at++) {
    assert.notEqual(verify(good.slice(0, at)).verdict, 'proven', `cut at ${at}`);
    assert.notEqual(verify(good.slice(0, at) + good.slice(at + 1)).verdict, 'proven', `without ${at}`);
    for (const bit of [1, 2, 32]) {
      const other = String.fromCharCode(good.charCodeAt(at) ^ bit);
      assert.notEqual(verify(good.slice(0, at) + other + good.slice(at + 1)).verdict, 'proven', `changed at ${at}`);
    }
    const more = String.fromCharCode(below(128));
    assert.notEqual(verify(good.slice(0, at) + more + good.slice(at)).verdict, 'proven', `added at ${at}`);
  }
});

test('whatever parses is written back byte for byte', () => {
  const below = random(8);
  const lines = good.split('\n').slice(0, -1);
  let parsed = 0;
  for (let i = 0; i < 5000; i++) {
    const copy = [...lines];
    for (let edits = 1 + below(2); edits > 0; edits--) {
      const at = below(copy.length);
      copy.splice(at, below(2), ...(below(2) ? [below.pick(lines)] : []));
    }
    const text = copy.join('\n') + '\n';
    const { value, fault } = parseRecord(text);
    if (fault !== null) {
      assert.equal(value, null);
      continue;
    }
    parsed++;
    assert.equal(writeRecord(value), text);
  }
  assert.ok(parsed > 100, `${parsed} of 5000 parsed`);
});

test('a record in which everything is new but nothing fits is not proven either', () => {
  assert.equal(verify(changed((record) => record)).verdict, 'proven');
  const other = changed((record) => ({ ...record, clients: ['a', 'b'] }));
  assert.equal(verify(other).code, 'few-fit');
});

test('invalid/*.txt', () => {
  const files = readdirSync(path('vectors/invalid')).filter((name) => name.endsWith('.txt'));
  assert.ok(files.length > 0);
  for (const name of files) {
    const { kind, scheme, expect, text } = invalid(readFileSync(path('vectors/invalid/' + name)));
    if (kind === 'rolls') {
      const { fault } = readRolls(text, scheme);
      assert.equal(fault && `${fault.code} line ${fault.line}`, expect, name);
    } else {
      // A text that does not begin like a record is taken for a link by verify.
      const { fault } = kind === 'record' ? parseRecord(text) : verify(text);
      assert.notEqual(fault, null, name);
      const place = kind === 'record' && fault.line > 0 && fault.code === 'syntax' ? `line ${fault.line}` : placeText(verify(text).place);
      assert.equal([fault.code, place].filter((word) => word !== '').join(' '), expect, name);
      assert.equal(verify(text).verdict, 'unknown', name);
    }
    countVector('invalid', name);
  }
});

/** A file of vectors/invalid: fields, a line ---, the text to its last byte. */
function invalid(bytes) {
  const file = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
  const [, kind, scheme, expect, text] =
    /^kind: (record|link|rolls)\n(?:scheme: (\S+)\n)?expect: ([^\n]+)\n---\n([^]*)$/.exec(file);
  return { kind, scheme, expect, text };
}

test('classicViews of the large vectors', (t) => {
  const vectors = largeVectors('veridice-1.json');
  if (vectors === null) return t.skip('../shared/vectors is not there');
  assert.ok(vectors.classicViews.length > 0);
  for (const { record, view } of vectors.classicViews) {
    assert.deepEqual(parseRecord(record).value, view);
    assert.equal(writeRecord(view), record);
  }
});
