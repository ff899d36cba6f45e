/**
 * The self-test that runs when a page loads: published values of SHA-256 and HMAC, and
 * matches with their verdicts. If one of them differs, the page gives no verdict at all.
 */
import { hmac, sha256 } from './sha256.mjs';
import { fromHex, toBytes, toHex } from './seed.mjs';
import { placeText, verify } from './verify.mjs';
import { notNow } from './note.mjs';
import { checkReceipt, readPolicy } from './receipt.mjs';

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

// The record of vectors/veridice1.ndjson, record-aborted-by-a-seat, without its signature.
const chain = [
  'veridice record 1',
  'scheme veridice/1',
  'match 6ff5401a91fc582758f5e83edbe36e0a',
  'seq 1',
  'rules 30a191bdc44993af72356fd5008a288278db2d815a2cc9369b41ff60ea29a459',
  'links 64',
  'role 0 45e0d8dcb0b8fd527503a4e4b859d38ed40c199856fbcd6a3bdee67e3f76bd68 f768b81c8968a4d4e97281135f00eb5ea7173e2c5d116e65322f0ba57424f173',
  'role 1 8a95ab7bf2063607ef9c4f8bce9a5909e21c8cc20237f11e9dccfe9adacf8d0b 77b9e03bc5d39a274084e65156c4ec891c32582fad1b1e547a1f1a6cf96365ae',
  'role 2 8639a4ac09f3c40c7d2916202c8467f4e57d576e48eb6ce23da9c2e3c07c43cf c8b13f24fd6c7b679ff0122e0b9c05cabda8a146563bcff073d1e16bbf06d9f7',
  'expires 1790000000',
  'roll 1 1 6,6 5,3',
  'move 1 24/19 8/7',
  'roll 2 2 6,6 6,5',
  'pending 3 1 6,6',
  'last 0 2 a89466d3edc88a718eb51b07dd97a115ae50475fe08e4e117870b78b9960aa24',
  'last 1 2 76f0bb8264667d1a3e6df020af31011f2be3b88fbff59f78e64d7358397a6af9',
  'last 2 2 a024305418b9e517ff504d6234c28b17e00c8e1eb698f92f050911e50011f86e',
  'rolls 2',
  'head 77d6d970b8b56c615711ba94028e35e876c116db01c5175936926eb4cc5a7a3f',
  'state aborted 2',
  'sum 376b651b5d6eda515b60330d6417e83c41287103b846688398a296d2c34a61d2',
  '',
].join('\n');
const receipt = 'veridice/1 head\nmatch 6ff5401a91fc582758f5e83edbe36e0a\nroll 2\nhead 77d6d970b8b56c615711ba94028e35e876c116db01c5175936926eb4cc5a7a3f\n';

/** @type {{name: string, text: string, heads?: string[], want: string}[]} */
const matches = [
  { name: 'a match that fits', text: link, want: 'proven' },
  { name: 'a match in which roll 3 is changed', text: link.replace('r=213216', 'r=213261'), want: 'broken wrong-dice roll 3' },
  { name: 'a match with another seal', text: link.replace('c=7624', 'c=7625'), want: 'broken wrong-seal' },
  { name: 'a match without a seal', text: link.replace(/&c=[0-9a-f]+/, ''), want: 'unknown no-seal' },
  { name: 'a match of veridice/1 and a receipt', text: chain, heads: [receipt], want: 'proven' },
  { name: 'a match of veridice/1 that nobody vouches for', text: chain, want: 'unknown not-signed' },
  { name: 'a match of veridice/1 in which roll 2 is changed', text: chain.replace('roll 2 2 6,6 6,5', 'roll 2 2 6,6 6,6'), want: 'broken wrong-dice roll 2' },
  { name: 'a match of veridice/1 with a link of another index', text: chain.replace('last 1 2 ', 'last 1 1 '), want: 'broken wrong-link role 1' },
  { name: 'a match without rolls', text: link.replace(/&r=.*/, ''), want: 'unknown no-rolls' },
];

// Made by vectors/gen/log.py: receipt-good.
const policy = [
  'log log.example/table+6517ce86+AdJxbTmd9MecItxdmySr2c1TSAd+45NoY76awLB9xh42',
  'witness w1 w1.example+778a3266+BGQGft8dpWIww6CIA5OTQ/mOFBw/6cOU+hNm2OKFzDdg',
  'witness w2 w2.example+f2f54856+BLFbyHpGQbpR+EPPZy1JqDhf8yFpcTkyfZWlhsTlQBSo',
  'witness w3 w3.example+4abf98ab+BBy4P8dcKhkWxogLqXFbrVVdND500ZdKm03C4qRA+962',
  'witness w4 w4.example+26390529+BFGmgKIA0M/9Y+sOIWNSgI4wZ6+eSdMYcKPBbERnCdxZ',
  'group three 3 w1 w2 w3 w4',
  'quorum three',
  '',
].join('\n');
const logged = [
  'veridice/1 open',
  'match 4de56de6f2f6dcb744a4928e245b906e',
  'seq 1',
  'rules b559c96655c7a2ff36b443f9c682e48a2db7dd15c439b326573e2ff15d9309ab',
  'links 64',
  'role 0 94b6a2af157b45b81a1d63ebaecd29c701e2536399c10103fe0bfeb8586997ac f768b81c8968a4d4e97281135f00eb5ea7173e2c5d116e65322f0ba57424f173',
  'role 1 6384ad316fd50271cf34a228c2ef32282beb2c023e01b3c7c02a2018d1edac98 6ffe12c45bad300f6e9e2d9cc665d28db3039043f3dc50350c5416f451ee9c32',
  'role 2 94cfe9ebe858e668ecde46dd36683b935e8a2aa90d4ab4602b4d50c7cfd2231d 27c5ebd37a7b4b1627c5843d70198b2a5f1af351a03e1e277c8330c82660c228',
  'expires 1790000000',
  '',
].join('\n');
const logProof = [
  'c2sp.org/tlog-proof@v1',
  'index 1',
  '3iCzd6jFrDC9SelLMysftULyZhyVwQaCenKCBzQOHew=',
  'iaQBTgR7JQMNO+nAK8IXBdC/g62GhNL/trTMDvB0QN8=',
  'fGDFYJIRWrzPRB4W5p9uVzqjQVehbktbWNgzVpLnyFQ=',
  '',
  'log.example/table',
  '5',
  'MnAma8ufBOQl6Mk+kFWizj+vxxqOLofpWd6Nd3Q8CzA=',
  '',
  '\u2014 log.example/table ZRfOhjy8BLPZ29Po7du+jXpei0Zv5CvUGO99/WNlejQ8ga1xmcIyC7woF+8lsqBnfLCxJImgydZirMZWNQgSJRYyYgw=',
  '\u2014 w1.example d4oyZgAAAABqsTuAz1bvk4BwMek1ZPCauvVd3QvlHhewx9wdgHZKJTaG6DPRkJQviZMBH2VTAiLiZPhbV8IjY/dZ1bhHl7sRvIGyBw==',
  '\u2014 w2.example 8vVIVgAAAABqsTuB8QfgGGQX0w85vf/j7/NjuGPiGtvAnvfWWxUtJa5CKUtKV/TEHsERLjt9AnZSOm1kd8DE0WSE1M/XAyGOyTafAQ==',
  '\u2014 w3.example Sr+YqwAAAABqsTuCor1YxUNUoouR2TGDzaILsBUGrY5Z3hxEUG3ymFdn2HFSPCKpISRcd4CZy4F26WQq3Hi6uOFjeLm/whn9HQqYBw==',
  '',
].join('\n');

/** Receipts, as far as they can be checked without signatures. @type {[string, string, string][]} */
const receipts = [
  ['a receipt of a public log', logProof, 'signatures-not-checked'],
  ['a receipt of another place', logProof.replace('index 1', 'index 0'), 'bad-receipt'],
  ['a receipt that its log has not signed', logProof.replace('\u2014 log.example', '\u2014 lag.example'), 'bad-receipt'],
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
    ...receipts.map(([name, text, want]) => /** @type {[string, string, string]} */ ([name, receiptCode(text), want])),
    ...matches.map(({ name, text, heads, want }) => /** @type {[string, string, string]} */ ([name, summary(text, heads), want])),
  ];
  const failed = results.filter(([, got, want]) => got !== want).map(([name]) => name);
  return { ok: failed.length === 0, checked: results.length, failed };
}

/** @param {string} text */
function receiptCode(text) {
  const { value } = readPolicy(policy);
  return value === null ? 'bad-policy' : checkReceipt(value, logged, text, notNow).code;
}

/** @param {string} text @param {string[]} [heads] */
function summary(text, heads) {
  const { verdict, code, place } = verify(text, { heads });
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
