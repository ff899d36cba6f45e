/**
 * The proof file: docs/spec/proof.md. A record, and what a public log says of its
 * beginning and end, each part behind a line with its name and its length in bytes:
 *
 *   veridice proof 1
 *   record 1880
 *   veridice record 1
 *   ...
 *   open-receipt 760
 *   c2sp.org/tlog-proof@v1
 *   ...
 */
import { fromHex, toHex } from './seed.mjs';
import { attempt, Refusal } from './fault.mjs';
import { decimal, Lines } from './lines.mjs';
import { contextOf, leafHash, openingText } from './chain.mjs';
import { checkReceipt } from './receipt.mjs';

/** @typedef {import('./fault.mjs').Fault} Fault */
/** @typedef {import('./record.mjs').Record} Record */
/** @typedef {import('./chain.mjs').ChainRecord} ChainRecord */
/** @typedef {import('./note.mjs').Verifier} Verifier */
/** @typedef {import('./receipt.mjs').Logged} Logged */
/** @typedef {import('./receipt.mjs').Policy} Policy */
/** @typedef {import('./verify.mjs').Place} Place */
/** @typedef {{name: string, bytes: Uint8Array}} Part */

const first = 'veridice proof 1\n';
const names = ['record', 'open-receipt', 'close', 'close-receipt', 'seal', 'seal-receipt', 'unseal', 'unseal-receipt'];
const mostPart = 16 * 1024 * 1024;
const mostFile = 5 * mostPart + 256;

/**
 * Splits a proof file.
 * @param {Uint8Array} bytes
 * @returns {{value: Part[], fault: null} | {value: null, fault: Fault}}
 */
export function splitProof(bytes) {
  return attempt(() => {
    /** @param {string} words @param {string} [code] */
    const refuse = (words, code = 'syntax') => new Refusal({ code, words });
    if (bytes.length > mostFile) throw refuse('more than five parts of 16 MiB', 'too-long');
    const text = (/** @type {number} */ from, /** @type {number} */ to) => String.fromCharCode(...bytes.subarray(from, to));
    if (text(0, first.length) !== first) throw refuse('does not begin with the line veridice proof 1');
    /** @type {Part[]} */
    const parts = [];
    for (let at = first.length; at < bytes.length; ) {
      const line = /^([a-z-]+) ([0-9]+)\n/.exec(text(at, at + 64));
      const length = decimal(line?.[2] ?? '', 1, mostPart);
      const where = `part ${parts.length + 1}`;
      if (line === null || length === null || !names.includes(line[1])) throw refuse(where + ' does not begin with a name and a length');
      if ((line[1] === 'record') !== (parts.length === 0)) throw refuse('the record is not the first part, or there are two');
      at += line[0].length;
      if (at + length > bytes.length || bytes[at + length - 1] !== 10) throw refuse(where + ' does not end with its length, at the end of a line');
      parts.push({ name: line[1], bytes: bytes.subarray(at, at + length) });
      at += length;
    }
    if (parts.length === 0) throw refuse('no record');
    return parts;
  });
}

/**
 * The entry that ends a match in the log, made from its record: the closing, or for a
 * classic scheme the unsealing.
 * @param {Record | ChainRecord} record
 * @param {number} index of the beginning
 * @param {string} beginning text of the seal's entry, of veridice/1 not needed
 */
export function endingText(record, index, beginning) {
  if (!('roles' in record)) {
    const { match, state, rolls, sum } = record;
    return `veridice/1 unseal\nmatch ${match}\nsealed ${index} ${toHex(leafHash(beginning))}\nstate ${state}\nrolls ${rolls}\nrecord ${sum}\n`;
  }
  const { match, state, role, rolls, head, pending, sum } = record;
  const opening = leafHash(openingText(record));
  const asked = pending === null ? '-' : `${pending.roll} ${toHex(contextOf(opening, fromHex(head), pending))}`;
  const ended = state === 'aborted' ? `aborted ${role ?? '-'}` : state;
  return `veridice/1 close\nmatch ${match}\nopen ${index} ${toHex(opening)}\nstate ${ended}\nrolls ${rolls}\nhead ${head}\npending ${asked}\nrecord ${sum}\n`;
}

/**
 * The entry that dates a seal.
 * @param {string} text
 * @returns {{match: string, scheme: string, seal: string} | null} null if it is not in its one encoding
 */
export function readSealEntry(text) {
  const hash = (/** @type {string} */ value) => (/^[0-9a-f]{64}$/.test(value) ? value : null);
  const number = (/** @type {number} */ least) => (/** @type {string} */ value) => decimal(value, least, Number.MAX_SAFE_INTEGER);
  return attempt(() => {
    const lines = new Lines(text);
    lines.field('veridice/1', (rest) => (rest === 'seal' ? rest : null));
    const match = lines.field('match', (rest) => (/^[A-Za-z0-9._-]{1,64}$/.test(rest) && rest !== '-' ? rest : null));
    lines.field('seq', number(1));
    const scheme = lines.field('scheme', (rest) => (rest === 'tavli/1' || rest === 'yayay/1' ? rest : null));
    const seal = lines.field('seal', hash);
    lines.field('rules', hash);
    lines.field('expires', number(0));
    if (lines.offset !== text.length) throw lines.refuse('text after the entry');
    return { match, scheme, seal };
  }).value;
}

/**
 * What the steps share.
 * @typedef {object} Check
 * @property {Record | ChainRecord} record
 * @property {Part[]} parts
 * @property {(part: string) => string} text of a part, '' if there is none
 * @property {Policy | null} policy
 * @property {Fault | null} fault why the policy cannot be read
 * @property {Verifier} verifier
 * @property {Ended | null} opened what the check of the record alone came to, null if proven
 * @property {Logged | null} began
 * @property {Logged | null} closed
 */

/** @typedef {{verdict: 'broken' | 'unknown', code: string, place: Place, words?: string}} Ended */

/** @returns {Place} */
const nowhere = () => ({ kind: '', number: 0, part: '', column: 0 });

/** An entry of the log. @param {string} part @returns {Place} */
const entry = (part) => ({ kind: 'entry', number: 0, part, column: 0 });

/** @param {string} code @param {Place} [place] @param {string} [words] @returns {Ended} */
const broken = (code, place = nowhere(), words = '') => ({ verdict: 'broken', code, place, words });

/** @param {string} code @param {Place} [place] @param {string} [words] @returns {Ended} */
const unknown = (code, place = nowhere(), words = '') => ({ verdict: 'unknown', code, place, words });

/** What the parts of a scheme are called, and its entries. @param {Record | ChainRecord} record */
export function namesOf(record) {
  return 'roles' in record
    ? { parts: ['record', 'open-receipt', 'close', 'close-receipt'], begin: 'open', end: 'close' }
    : { parts: ['record', 'seal', 'seal-receipt', 'unseal', 'unseal-receipt'], begin: 'seal', end: 'unseal' };
}

/** The text of the entry that began the match. @param {Check} c */
const beginning = ({ record, text }) => ('roles' in record ? openingText(record) : text('seal'));

/** @type {[number, string, (c: Check) => Ended | null][]} */
export const proofSteps = [
  [11, 'parts', partsFit],
  [12, 'policy', policyIsThere],
  [13, 'seal-entry', sealFits],
  [14, 'begin-receipt', (c) => receiptHolds(c, beginning(c), namesOf(c.record).begin, 'began')],
  [15, 'end', endFits],
  [16, 'logged', vouchedFor],
];

/** @type {(c: Check) => Ended | null} */
function partsFit({ record, parts }) {
  const wanted = namesOf(record).parts;
  const wrong = parts.find(({ name }, i) => name !== wanted[i]);
  if (wrong !== undefined) return unknown('syntax', nowhere(), `part ${wrong.name} stands in the wrong place`);
  if (![1, wanted.length - 2, wanted.length].includes(parts.length)) return unknown('syntax', nowhere(), `part ${wanted[parts.length]} is missing`);
  if (parts.length === wanted.length && record.state === 'running') return unknown('syntax', nowhere(), 'a running match has no end');
  return null;
}

/** @type {(c: Check) => Ended | null} */
function policyIsThere({ record, parts, policy, fault, opened }) {
  if (fault !== null) return unknown('bad-policy', nowhere(), fault.words);
  if (policy === null) return unknown('no-policy');
  if (parts.length > 1) return null;
  if (opened?.code === 'few-fit' || opened?.code === 'other-seed') return opened;
  return unknown('no-receipt', entry(namesOf(record).begin));
}

/** @type {(c: Check) => Ended | null} */
function sealFits({ record, text }) {
  if ('roles' in record) return null;
  const sealed = readSealEntry(text('seal'));
  const same = sealed !== null && sealed.match === record.match && sealed.scheme === record.scheme && sealed.seal === record.seal;
  return same ? null : broken('seal-differs');
}

/**
 * @param {Check} c
 * @param {string} logged text of the entry
 * @param {string} name of the entry
 * @param {'began' | 'closed'} as
 * @returns {Ended | null}
 */
function receiptHolds(c, logged, name, as) {
  const { code, words, logged: found } = checkReceipt(/** @type {Policy} */ (c.policy), logged, c.text(name + '-receipt'), c.verifier);
  if (code !== '') return code === 'bad-receipt' ? broken(code, entry(name), words) : unknown(code, entry(name), words);
  c[as] = found;
  return null;
}

/** @type {(c: Check) => Ended | null} */
function endFits(c) {
  const { parts, end } = namesOf(c.record);
  if (c.parts.length < parts.length) return null;
  const began = /** @type {Logged} */ (c.began);
  if (c.text(end) !== endingText(c.record, began.index, beginning(c))) return broken(end + '-differs');
  const stop = receiptHolds(c, c.text(end), end, 'closed');
  const closed = c.closed;
  if (stop !== null || closed === null) return stop;
  if (closed.origin === began.origin && closed.index > began.index) return null;
  return broken('bad-order', entry(end));
}

/** @type {(c: Check) => Ended | null} */
function vouchedFor({ opened, closed }) {
  if (opened?.code === 'not-signed') return closed === null ? opened : null;
  return opened === null ? null : { ...opened, verdict: 'broken' };
}

/**
 * Whether the end of a match is in a log: '', or a code.
 * @param {Check} c
 */
export function closingOf(c) {
  for (const [, , step] of proofSteps.slice(0, -1)) {
    const stop = step(c);
    if (stop !== null) return stop.code;
  }
  return c.closed === null ? 'not-closed' : '';
}

/**
 * What the log leaves open about a match that is proven.
 * @param {string} state
 * @param {Logged} began
 * @param {Logged | null} closed
 */
export function logLimits(state, began, closed) {
  const limits = [{ code: began.witnesses === 0 ? 'only-log' : 'rolled-later', args: /** @type {string[]} */ ([]) }];
  if (closed === null && state !== 'running') limits.push({ code: 'not-closed', args: [] });
  return limits;
}
