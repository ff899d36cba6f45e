/**
 * The self-test that runs when a page loads: published values of SHA-256 and HMAC, and
 * matches with their verdicts. If one of them differs, the page gives no verdict at all.
 */
import { hmac, sha256 } from './sha256.mjs';
import { fromHex, toBytes, toHex } from './seed.mjs';
import { placeText, verify } from './verify.mjs';

/**
 * What a self-test comes to.
 * @typedef {object} SelfTest
 * @property {boolean} ok
 * @property {number} checked how many values were compared
 * @property {string[]} failed names of the tests that failed
 */

// FIPS 180-4: the examples published with the standard.
const hashes = [
  { name: 'SHA-256 of nothing', message: '', hash: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855' },
  { name: 'SHA-256 of abc', message: 'abc', hash: 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad' },
  {
    name: 'SHA-256 of two blocks',
    message: 'abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq',
    hash: '248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1',
  },
];

// RFC 4231; case 5 is about cutting the MAC, which nobody does here. The last is a key
// with bytes from 80 hex, where others have failed.
const macs = [
  {
    name: 'RFC 4231 case 1', key: '0b'.repeat(20), message: toHex(toBytes('Hi There')),
    mac: 'b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7',
  },
  {
    name: 'RFC 4231 case 2', key: toHex(toBytes('Jefe')), message: toHex(toBytes('what do ya want for nothing?')),
    mac: '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
  },
  {
    name: 'RFC 4231 case 3', key: 'aa'.repeat(20), message: 'dd'.repeat(50),
    mac: '773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe',
  },
  {
    name: 'RFC 4231 case 4', key: '0102030405060708090a0b0c0d0e0f10111213141516171819', message: 'cd'.repeat(50),
    mac: '82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b',
  },
  {
    name: 'RFC 4231 case 6', key: 'aa'.repeat(131),
    message: toHex(toBytes('Test Using Larger Than Block-Size Key - Hash Key First')),
    mac: '60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54',
  },
  {
    name: 'RFC 4231 case 7', key: 'aa'.repeat(131),
    message: toHex(toBytes(
      'This is a test using a larger than block-size key and a larger than block-size data. ' +
      'The key needs to be hashed before being used by the HMAC algorithm.',
    )),
    mac: '9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2',
  },
  {
    name: 'HMAC with a high key byte', key: '00'.repeat(15) + '80', message: toHex(toBytes('test')),
    mac: '82eb64f8f0732e166df7ffa088393fcea946233c8df3f76d7dc1dde0a055ae4e',
  },
];

// The example of docs/spec/tavli.md, "The share link".
const link =
  'v=1&s=c149c301f8134a320da3e36748bb70c14850c75fc8ab0dc1e36460fa89070300' +
  '&c=76243eb20b5ad494780afead6d49b5f826775834b0b12ddafe12819ca4608a63' +
  '&p=f24279610d6b8b1362d85c3ddec7f24e,d60062c1d2fe5d3f376829416b34be90' +
  '&r=213216213333262333341666&g=7,5';

const matches = [
  { name: 'a match that fits', text: link, want: 'proven' },
  { name: 'a match in which roll 3 is changed', text: link.replace('r=213216', 'r=213261'), want: 'broken wrong-dice roll 3' },
  { name: 'a match with another seal', text: link.replace('c=7624', 'c=7625'), want: 'broken wrong-seal' },
  { name: 'a match without a seal', text: link.replace(/&c=[0-9a-f]+/, ''), want: 'unknown no-seal' },
  { name: 'a match without rolls', text: link.replace(/&r=.*/, ''), want: 'unknown no-rolls' },
];

/**
 * Runs the self-test. It takes a few milliseconds.
 * @returns {SelfTest}
 */
export function selfTest() {
  /** @type {[string, string, string][]} */
  const results = [
    ...hashes.map(({ name, message, hash }) => /** @type {[string, string, string]} */ ([
      name, toHex(sha256(toBytes(message))), hash,
    ])),
    ...macs.map(({ name, key, message, mac }) => /** @type {[string, string, string]} */ ([
      name, toHex(hmac(fromHex(key), fromHex(message))), mac,
    ])),
    ...matches.map(({ name, text, want }) => /** @type {[string, string, string]} */ ([name, summary(text), want])),
  ];
  const failed = results.filter(([, got, want]) => got !== want).map(([name]) => name);
  return { ok: failed.length === 0, checked: results.length, failed };
}

/** @param {string} text */
function summary(text) {
  const { verdict, code, place } = verify(text);
  return [verdict, code, placeText(place)].filter((word) => word !== '').join(' ');
}

/**
 * Compares SHA-256 and HMAC with the browser's own, where it has them: on plain http it has not.
 * @returns {Promise<SelfTest>} with `checked` 0 if there is nothing to compare with
 */
export async function compareWithBrowser() {
  const subtle = globalThis.crypto?.subtle;
  if (subtle === undefined) return { ok: true, checked: 0, failed: [] };
  const failed = [];
  let checked = 0;
  for (const length of [0, 1, 55, 56, 63, 64, 65, 119, 120, 200]) {
    const bytes = Uint8Array.from({ length }, (_, i) => (i * 167 + length) & 255);
    const hash = new Uint8Array(await subtle.digest('SHA-256', bytes));
    checked++;
    if (toHex(hash) !== toHex(sha256(bytes))) failed.push(`SHA-256 of ${length} bytes`);
    if (length === 0) continue; // WebCrypto takes no empty key
    const key = await subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
    const mac = new Uint8Array(await subtle.sign('HMAC', key, hash));
    checked++;
    if (toHex(mac) !== toHex(hmac(bytes, hash))) failed.push(`HMAC with a key of ${length} bytes`);
  }
  return { ok: failed.length === 0, checked, failed };
}
