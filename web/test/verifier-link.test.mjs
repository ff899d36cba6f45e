import assert from 'node:assert/strict';
import test from 'node:test';
import { gamesOf, parseRecord, placeText, readLink, recordOf, rollsOf, verify, writeLink, writeRecord } from '../verifier/veridice.mjs';
import { example, fragment, link, random } from './verifier-support.mjs';

/** What a link is read as, by docs/spec/tavli.md, "Reading". */
function readAs(text) {
  const { record, show, code, place } = verify(text);
  if (record === null) return [code, place.part].filter((word) => word !== '').join(' ');
  const rolls = rollsOf(record).length;
  const games = gamesOf(record);
  return `${rolls} rolls` + (games.length > 0 ? `, games ${games}` : '') + (show > 0 ? `, show ${show}` : '');
}

const coded = encodeURIComponent;
const fold = (text, columns) => text.replace(new RegExp(`.{${columns}}`, 'g'), '$&\n');
const whole = '12 rolls, games 7,5';

test('damage that is undone, and what is not', () => {
  const parts = fragment.split('&');
  const without = (key) => '/el/check/#' + parts.filter((part) => !part.startsWith(key + '=')).join('&');
  const clientsLast = '/el/check/#' + [...parts.filter((part) => !part.startsWith('p=')), parts[3]].join('&');
  const rows = [
    ['as it is', link, whole],
    ['fragment only, with #', '#' + fragment, whole],
    ['fragment only, without #', fragment, whole],
    ['?fbclid=IwAR0x before the #', link.replace('#', '?fbclid=IwAR0x#'), whole],
    ['keys in another order', '#' + parts.toReversed().join('&'), whole],
    ['commas as %2C', link.replaceAll(',', '%2C'), whole],
    ['fragment percent-coded', '/el/check/#' + coded(fragment), whole],
    ['fragment percent-coded twice', '/el/check/#' + coded(coded(fragment)), whole],
    ['# as %23', link.replace('#', '%23'), whole],
    ['&amp; for &', link.replaceAll('&', '&amp;'), whole],
    ['< and > round it', `<${link}>`, whole],
    ['a full stop after it', link + '.', whole],
    ['a comma after it', link + ',', whole],
    ['text before and after', `Look at ${link} and tell me`, whole],
    ['wrapped at 76 columns', fold(link, 76), whole],
    ['wrapped and quoted in a mail', '> ' + fold(link, 74).replaceAll('\n', '\n> '), whole],
    ['hex in upper case', link.replace(example.server, example.server.toUpperCase()), whole],
    ['c=sha256:...', link.replace('c=', 'c=sha256:'), whole],
    ['s=0x...', link.replace('s=', 's=0x'), whole],
    ['an unknown key at the end', link + '&utm_source=x', whole],
    ['without g', without('g'), '12 rolls'],
    ['without c', without('c'), whole],
    ['without r', without('r'), '0 rolls, show 12'],
    ['r= empty', link.replace(/r=\d+/, 'r='), '0 rolls, show 12'],
    ['without p', without('p'), 'missing-part p'],
    ['without v', without('v'), 'missing-part v'],
    ['v=2', link.replace('v=1', 'v=2'), 'version v'],
    ['v=01', link.replace('v=1', 'v=01'), 'bad-part v'],
    ['p=a,', link.replace(/p=[^&]+/, 'p=a,'), 'bad-part p'],
    ['p=,a', link.replace(/p=[^&]+/, 'p=,a'), 'bad-part p'],
    ['p= empty', link.replace(/p=[^&]+/, 'p='), 'bad-part p'],
    ['p last, a comma glued to it', clientsLast + ',', 'bad-part p'],
    ['p last, a full stop glued to it', clientsLast + '.', whole],
    ['a colon in a client seed', link.replace('p=f242', 'p=f2:42'), 'bad-part p'],
    ['U+200B inside s', link.replace('s=c149', 's=c1\u200b49'), 'bad-part s'],
    ['65 hex digits in s', link.replace('s=', 's=0'), 'bad-part s'],
    ['a 7 in r', link.replace('r=2', 'r=7'), 'bad-part r'],
    ['an odd number of digits in r', link.replace('r=2', 'r='), 'odd-rolls r'],
    ['g=7,6', link.replace('g=7,5', 'g=7,6'), 'games-differ g'],
    ['g=7,5,0', link.replace('g=7,5', 'g=7,5,0'), 'bad-part g'],
    ['g=+7,5', link.replace('g=7,5', 'g=+7,5'), 'bad-part g'],
    ['r twice', link + '&r=21', 'repeated-part r'],
    ['cut with an ellipsis', link.replace('3332623', '\u2026'), 'link-cut'],
    ['cut with full stops', link.slice(0, 100) + '...', 'link-cut'],
    ['cut after 150 characters', link.slice(0, 150), 'missing-part p'],
    ['two links', `${link} ${link}`, 'two-links'],
    ['no link at all', 'https://tavli.example/el/check/', 'not-a-link'],
    ['%zz inside', link.replace('p=', 'p=%zz'), 'bad-percent'],
    ['byte FF in p', link.replace('p=', 'p=%FF'), 'bad-percent'],
  ];
  for (const [name, text, want] of rows) {
    // The place of `version` is nowhere, whatever part it was read from.
    assert.equal(readAs(text), want === 'version v' ? 'version' : want, name);
    if (want === whole && name !== 'without c') assert.equal(verify(text).verdict, 'proven', name);
  }
});

test('where a refusal points to', () => {
  const rows = [
    [link.replace('s=c149', 's=c1\u200b49'), 's', 3, 'U+200B'],
    [link.replace('s=c149', 's=0xc1g9'), 's', 5, "'g'"],
    [link.replace('p=f242', 'p=f2:42'), 'p', 3, "':'"],
    [link.replace(',d600', ',d6\u{1f3b2}0'), 'p', 36, 'U+1F3B2'],
    [link.replace('r=213', 'r=21\u0663'), 'r', 3, 'U+0663'],
    [link.replace('g=7,5', 'g=7, 5'), '', 0, ''], // blanks are dropped
    [link.replace('g=7,5', 'g=7,x'), 'g', 3, "'x'"],
  ];
  for (const [text, part, column, char] of rows) {
    const { place, fault } = verify(text);
    assert.deepEqual([place.part, place.column, fault?.char ?? ''], [part, column, char], text);
  }
});

test('what stands before a coded link does not matter, a stray % neither', () => {
  for (const before of ['90% sure: ', '%FF ', '100%25 ', 'a%zz ']) {
    assert.equal(verify(before + coded('https://tavli.example' + link)).verdict, 'proven', before);
    assert.equal(verify(before + link).verdict, 'proven', before);
  }
});

test('three decodings in all, and not one more', () => {
  let text = fragment;
  for (let times = 1; times <= 3; times++) {
    text = coded(text);
    assert.equal(verify('#' + text).verdict, times <= 2 ? 'proven' : 'unknown', `${times} times`);
  }
  let commas = ',';
  for (const want of ['proven', 'proven', 'proven', 'unknown']) {
    commas = coded(commas);
    assert.equal(verify(link.replaceAll(',', commas)).verdict, want, commas);
  }
});

test('of two readings the one that is proven counts, then the one that can be read', () => {
  assert.equal(readLink(link).length, 1);
  assert.equal(readLink(link + ' ').length, 1); // both readings are the same
  assert.equal(readLink(link + ' is it').length, 2);
  // Whole would read the words after the link as a part of g.
  const report = verify(link + '\nis our match');
  assert.equal(report.verdict, 'proven');
  // Whole can be read and is broken, short lacks g and is proven.
  const shorter = verify(link.replace('&g=7,5', '') + '\n11');
  assert.deepEqual([shorter.verdict, shorter.rolls], ['proven', 12]);
  // Neither can be read: the fault of whole.
  assert.equal(readAs('#v=1&s=zz p=a'), 'missing-part p');
});

test('unknown keys are listed, not obeyed', () => {
  const report = verify(link + '&utm_source=x&V=2&constructor=1&__proto__=2');
  assert.equal(report.verdict, 'proven');
  assert.deepEqual(report.ignored, ['utm_source', 'V', 'constructor', '__proto__']);
});

test('too long is refused before anything is looked at', () => {
  const pad = 262144 - link.length;
  assert.equal(verify(link + ' '.repeat(pad)).verdict, 'proven');
  assert.equal(verify(link + ' '.repeat(pad + 1)).code, 'too-long');
  assert.equal(verify(link + ' \u{1f3b2}'.repeat(pad / 2)).verdict, 'proven'); // characters, not UTF-16 units
  const rolls = (count) => verify(link.replace(/&r=.*/, '') + '&r=' + '21'.repeat(count));
  assert.equal(rolls(100000).rolls, 100000);
  assert.equal(rolls(100001).code, 'too-long');
});

test('a record and the link of it say the same', () => {
  const { record } = verify(link);
  assert.equal(writeLink(record), fragment);
  assert.deepEqual(parseRecord(writeRecord(record)).value, record);
  assert.equal(verify(writeRecord(record)).verdict, 'proven');
  // Without game lines it is written as one game, read back with one game line.
  const plain = verify(link.replace('&g=7,5', '')).record;
  assert.equal(writeLink(plain), fragment.replace('g=7,5', 'g=12'));
  assert.deepEqual(gamesOf(verify(writeLink(plain)).record), [12]);
  // Neither r nor g without rolls, no c without a seal.
  const none = verify(link.replace(/&r=.*/, '')).record;
  assert.equal(writeLink(none), fragment.replace(/&r=.*/, ''));
  assert.equal(writeLink({ ...none, seal: null }), fragment.replace(/&c=[^&]*|&r=.*/g, ''));
});

test('what no link can say is not written', () => {
  const { record } = verify(link);
  assert.equal(writeLink({ ...record, seed: null }), null);
  assert.equal(writeLink({ ...record, scheme: 'yayay/1' }), null);
  const gap = record.entries.filter((entry) => entry.roll !== 6);
  assert.equal(writeLink({ ...record, entries: gap }), null);
});

test('random matches go through link and record and come back', () => {
  const below = random(5);
  const alphabet = 'ABCXYZabcxyz0189_-';
  for (let i = 0; i < 300; i++) {
    const seed = Buffer.from(below.bytes(16 + below(49))).toString('hex');
    const clients = Array.from({ length: 1 + below(16) }, () =>
      Array.from({ length: 1 + below(128) }, () => alphabet[below(alphabet.length)]).join(''));
    const games = Array.from({ length: below(4) }, () => 1 + below(9));
    const rolls = games.flatMap((count) => Array.from({ length: count }, () => [1 + below(6), 1 + below(6)]));
    const record = recordOf({ seed, seal: below(2) ? example.seal : null, clients, rolls, games });
    const [{ value }] = readLink(writeLink(record));
    assert.deepEqual(value.record, record);
    assert.deepEqual(parseRecord(writeRecord(record)).value, record);
  }
});

test('a good link with one character changed is proven only where the rules undo or ignore it', () => {
  const below = random(6);
  const others = Array.from('0123456789abcdefABCDEFghvscprgzZ_-&=#%.,;:!?)(]}>"\'+ \t\n\u00a0\u200b\u00e9\u2026\u{1f3b2}');
  const base = '#' + fragment;
  let proven = 0;
  for (let at = 0; at < base.length; at++) {
    for (const other of at < 12 || at > base.length - 12 ? others : Array.from({ length: 6 }, () => below.pick(others))) {
      if (other === base[at]) continue;
      const text = base.slice(0, at) + other + base.slice(at + 1);
      const report = verify(text);
      if (report.verdict !== 'proven') continue;
      proven++;
      const hexCase = other.toLowerCase() === base[at] && /[a-f]/.test(base[at]) && at < base.indexOf('&p=');
      const unknownKey = base.slice(at + 1).startsWith('=7,5'); // the letter g became a key that is ignored
      const before = at < base.indexOf('v=1'); // the # itself
      // A blank between two rolls ends the link for the short reading: a shorter list, named as such.
      const endsEarly = /[ \t\n\u00a0]/.test(other) && at > base.indexOf('&r=') && at < base.indexOf(',5') &&
        report.notProven.some(({ code }) => code === 'shorter-list');
      assert.ok(hexCase || unknownKey || before || endsEarly, `${JSON.stringify(other)} at ${at}`);
      assert.ok(endsEarly || report.rolls === 12);
    }
  }
  assert.ok(proven > 0, 'the undone changes were tried too');
});

test('a link cut at any place is never proven as the whole match', () => {
  for (let length = 0; length < fragment.length; length++) {
    const report = verify('#' + fragment.slice(0, length));
    if (report.verdict !== 'proven') continue;
    assert.ok(report.rolls < 12 || !fragment.slice(0, length).includes('&g='), fragment.slice(0, length));
    assert.ok(report.notProven.some(({ code }) => code === 'shorter-list'), fragment.slice(0, length));
  }
  assert.equal(placeText(verify('#' + fragment.slice(0, -1)).place), 'part g');
});
