/**
 * The check of a match of veridice/1: veridice-1.md, "The check" and "Evidence". The
 * steps are those of that page; the first fault in their order is the one reported.
 */
import { toHex } from './seed.mjs';
import { attempt, gamesOf, parseSigned, rollsOf, sumOf } from './record.mjs';
import { decimal } from './lines.mjs';
import { afterMove, chainTo, leafHash, openingText, rollOf, startOf } from './chain.mjs';
import { checkAhead, notNow, readNote, signedBy } from './note.mjs';
import { closingOf, splitProof } from './proof.mjs';
import { readPolicy, signaturesOf } from './receipt.mjs';

/** @typedef {import('./chain.mjs').ChainRecord} ChainRecord */
/** @typedef {import('./note.mjs').Note} Note */
/** @typedef {import('./note.mjs').Signer} Signer */
/** @typedef {import('./note.mjs').Verifier} Verifier */
/** @typedef {import('./verify.mjs').Place} Place */
/** @typedef {import('./verify.mjs').Compared} Compared */
/** @typedef {{verdict: 'broken' | 'unknown', code: string, place: Place}} Stop */
/** @typedef {{roll: number, head: string, match: string}} Head */

/** @returns {Place} */
const nowhere = () => ({ kind: '', number: 0, part: '', column: 0 });

/** @param {string} kind @param {number} number @returns {Place} */
const at = (kind, number) => ({ kind, number, part: '', column: 0 });

/** @param {string} code @param {Place} [place] @returns {Stop} */
const broken = (code, place = nowhere()) => ({ verdict: 'broken', code, place });

/** @param {string} code @param {Place} [place] @returns {Stop} */
const unknown = (code, place = nowhere()) => ({ verdict: 'unknown', code, place });

/** What a record cannot be judged by, as long as its signatures were not checked. */
const unchecked = () => unknown('signatures-not-checked');

/**
 * What the steps share.
 * @typedef {object} Check
 * @property {ChainRecord} record
 * @property {Note} note
 * @property {string} opening hash that the reader trusts, or ''
 * @property {string[]} heads texts or notes that the reader trusts
 * @property {number[][]} rolls that the reader wrote down
 * @property {Verifier} verifier
 * @property {Head[]} trusted
 * @property {Uint8Array[][]} links
 * @property {Uint8Array[]} after heads after each roll, the start at 0
 * @property {Uint8Array} head after the last entry
 * @property {Compared[]} compared
 * @property {number[]} signed roles
 * @property {number[]} failing roles
 * @property {number[]} open roles with a signature that cannot be checked now
 * @property {string[]} account
 */

/**
 * @param {ChainRecord} record
 * @returns {Signer[]}
 */
export function signersOf({ match, roles }) {
  return roles.map(({ key }, role) => ({ name: `${match}/${role}`, key }));
}

/** @param {string} text @param {Partial<Check>} given @returns {Check} */
function begin(text, given) {
  const { value } = parseSigned(text);
  return of(/** @type {{record: ChainRecord, note: Note}} */ (value), given);
}

/**
 * @param {{record: ChainRecord, note: Note}} signed
 * @param {Partial<Check>} given
 * @returns {Check}
 */
function of({ record, note }, given) {
  return {
    record, note, opening: '', heads: [], rolls: [], verifier: notNow, trusted: [], links: [], after: [], head: new Uint8Array(32),
    compared: [], signed: [], failing: [], open: [], account: [], ...given,
  };
}

/** @type {[number, string, (c: Check) => Stop | null][]} */
export const steps = [
  [2, 'roles-differ', rolesDiffer],
  [3, 'as-noted', asNoted],
  [4, 'links', lastLinks],
  [5, 'replay', replay],
  [6, 'tail', tail],
  [7, 'heads', givenHeads],
  [8, 'signatures', signaturesGood],
  [9, 'complete', complete],
  [10, 'vouched', vouched],
];

/** @type {(c: Check) => Stop | null} */
function rolesDiffer({ record: { roles } }) {
  for (const [what, code] of /** @type {['anchor' | 'key', string][]} */ ([['anchor', 'same-anchor'], ['key', 'same-key']])) {
    const later = roles.findIndex((role, i) => roles.findIndex((other) => other[what] === role[what]) < i);
    if (later >= 0) return broken(code, at('role', later));
  }
  return null;
}

/**
 * Whether a record claims to hold every roll of its match: one of a match that goes on does not,
 * nor a link without `g`, which may have been cut.
 * @param {import('./record.mjs').Record | ChainRecord} record
 */
export const isWhole = (record) => record.state !== 'running' && (record.match !== null || gamesOf(record).length > 0);

/**
 * The first roll that the reader saw otherwise, or that a whole record lacks; 0 if there is none.
 * @param {import('./record.mjs').Record | ChainRecord} record of either kind
 * @param {{dice: number[]}[]} rolls its rolls, or those that stand in for them
 * @param {number[][]} seen
 */
export function otherRoll(record, rolls, seen) {
  return 1 + seen.findIndex((dice, i) => (i < rolls.length ? String(dice) !== String(rolls[i].dice) : isWhole(record)));
}

/**
 * What is missing at the end of a list that is the reader's as far as both go. It comes last:
 * what is cut must not hide what is wrong.
 * @param {number} listed
 * @param {number} seen 0 if the reader has no list
 * @returns {Stop | null}
 */
export function otherLength(listed, seen) {
  if (seen > listed) return unknown('ends-early', at('roll', listed + 1));
  return seen > 0 && seen < listed ? unknown('count-differs') : null;
}

/** @type {(c: Check) => Stop | null} */
function asNoted(c) {
  const { record, opening, heads, rolls, verifier } = c;
  if (opening !== '' && opening !== toHex(leafHash(openingText(record)))) return broken('other-opening');
  const [server] = signersOf(record);
  for (const [i, text] of heads.entries()) {
    const note = asNote(text);
    const head = readHead(note.text);
    const { bad, unchecked: later } = signedBy(note, server, verifier);
    if (head === null || head.match !== record.match || bad) return unknown('bad-head', at('head', i + 1));
    if (later) return unchecked();
    c.trusted.push(head);
  }
  const other = otherRoll(record, rollsOf(record), rolls);
  return other > 0 ? broken('other-rolls', at('roll', other)) : null;
}

/** @param {string} text @returns {Note} itself without signatures if it is no note */
function asNote(text) {
  return attempt(() => readNote(text)).value ?? { text, signatures: [] };
}

/**
 * The one encoding of a HEAD text.
 * @param {string} text
 * @returns {Head | null}
 */
function readHead(text) {
  const parts = /^veridice\/1 head\nmatch ([0-9a-f]{32})\nroll ([0-9]+)\nhead ([0-9a-f]{64})\n$/.exec(text);
  const roll = decimal(parts?.[2] ?? '', 1, 100_000);
  return parts === null || roll === null ? null : { match: parts[1], roll, head: parts[3] };
}

/** @type {(c: Check) => Stop | null} */
function lastLinks(c) {
  const { match, roles, last } = c.record;
  for (const { role, index, link } of last) {
    const links = chainTo(match, role, index, link);
    if (toHex(links[0]) !== roles[role].anchor) return broken('wrong-link', at('role', role));
    c.links.push(links);
  }
  return null;
}

/** @type {(c: Check) => Stop | null} */
function replay(c) {
  const opening = leafHash(openingText(c.record));
  c.head = startOf(opening);
  c.after.push(c.head);
  for (const entry of c.record.entries) {
    if (entry.type === 'move') {
      c.head = afterMove(c.head, entry);
      continue;
    }
    const due = c.after.length;
    if (entry.roll !== due) return broken('wrong-number', at('roll', due));
    const without = c.links.findIndex((links) => links.length <= due);
    if (without >= 0) return broken('no-link', { ...at('roll', due), part: `role ${without}` });
    const made = rollOf(opening, c.head, entry, c.links.map((links) => links[due]));
    const fits = String(made.dice) === String(entry.dice);
    c.compared.push({ number: due, recorded: entry.dice, computed: made.dice, fits });
    if (!fits) return broken('wrong-dice', at('roll', due));
    c.head = made.after;
    c.after.push(c.head);
  }
  return null;
}

/** @type {(c: Check) => Stop | null} */
function tail({ record, after, head }) {
  const rolls = after.length - 1;
  if (record.pending !== null && record.pending.roll !== rolls + 1) return broken('wrong-number', at('roll', rolls + 1));
  if (record.rolls !== rolls) return broken('wrong-count', at('roll', Math.min(record.rolls, rolls) + 1));
  const other = record.last.find(({ index }) => index !== rolls);
  if (other !== undefined) return broken('links-count', at('role', other.role));
  return toHex(head) === record.head ? null : broken('wrong-head');
}

/** @type {(c: Check) => Stop | null} */
function givenHeads({ record, trusted, after }) {
  const rolls = after.length - 1;
  const wrong = trusted.flatMap(({ roll, head }) => {
    if (roll <= rolls) return toHex(after[roll]) === head ? [] : [roll];
    return record.state === 'running' ? [] : [rolls + 1];
  });
  return wrong.length === 0 ? null : broken('other-head', at('roll', Math.min(...wrong)));
}

/** @type {(c: Check) => Stop | null} */
function signaturesGood({ failing, open }) {
  // One that cannot be checked may be at fault too; only above the first known fault it does not matter.
  if (open.length > 0 && !(failing[0] < open[0])) return unchecked();
  return failing.length === 0 ? null : broken('wrong-signature', at('role', failing[0]));
}

/** @type {(c: Check) => Stop | null} */
function complete({ record, rolls }) {
  if (record.sum !== sumOf(record)) return unknown('wrong-sum');
  const listed = rollsOf(record).length;
  return listed === 0 ? unknown('no-rolls') : otherLength(listed, rolls.length);
}

/** @type {(c: Check) => Stop | null} */
function vouched(c) {
  if (c.signed.includes(0)) c.account.push('signature');
  if (c.trusted.some(({ roll }) => roll === c.after.length - 1)) c.account.push('head');
  return c.account.length === 0 ? unknown('not-signed') : null;
}

/**
 * Runs the steps.
 * @param {{record: ChainRecord, note: Note}} signed
 * @param {{opening: string, heads: string[], rolls: number[][], verifier: Verifier}} given
 */
export function checkChain(signed, given) {
  const c = of(signed, given);
  for (const [role, signer] of signersOf(c.record).entries()) {
    const { good, bad, unchecked: later } = signedBy(c.note, signer, c.verifier);
    if (good) c.signed.push(role);
    if (bad) c.failing.push(role);
    if (later) c.open.push(role);
  }
  /** @type {Stop | null} */
  let stop = null;
  let passed = 0;
  for (const [, , step] of steps) {
    stop = step(c);
    if (stop !== null) break;
    passed++;
  }
  return { check: c, stop, passed };
}

/**
 * What a proven check does not prove.
 * @param {Pick<Check, 'record' | 'account' | 'signed'>} c
 * @param {{code: string, args: string[]}[]} limits those about the opening
 * @returns {{code: string, args: string[]}[]}
 */
export function chainLimits({ record, account, signed }, limits) {
  if (record.state === 'running') limits.push({ code: 'not-finished', args: [] });
  if (String(account) === 'head') limits.push({ code: 'only-head', args: [] });
  const silent = record.roles.map((_, role) => role).filter((role) => role > 0 && !signed.includes(role));
  if (silent.length > 0) limits.push({ code: 'seats-unsigned', args: silent.map(String) });
  limits.push({ code: 'veto', args: [] });
  return limits;
}

/**
 * The signatures that a check will ask for.
 * @param {{record: ChainRecord, note: Note}} signed
 * @param {string[]} heads
 * @returns {{note: Note, signers: Signer[]}[]}
 */
export function signaturesAhead({ record, note }, heads) {
  const signers = signersOf(record);
  return [{ note, signers }, ...heads.map((text) => ({ note: asNote(text), signers: signers.slice(0, 1) }))];
}

/**
 * What a note can be evidence of.
 * @typedef {object} Witness
 * @property {'roll' | 'head' | 'record'} kind
 * @property {string} text
 * @property {string} match
 * @property {number} roll of the text or head, or the number of rolls of a record
 * @property {string} head
 * @property {string[]} heads of a record, after each roll
 * @property {boolean} over a record that is not running
 */

/**
 * Compares two notes signed under one key, in either order. Beside a HEAD note a proof file
 * counts as a signed record if its closing has a receipt that holds under the policy.
 * @param {string} first
 * @param {string} second
 * @param {string} key 64 hex digits
 * @param {string} [policy] as c2sp.org/tlog-policy; '' is none
 * @returns {Promise<{code: string, place: Place, unchecked: boolean}>} code '' if they prove nothing
 *   (or, with `unchecked`, if this browser cannot check signatures)
 */
export async function evidence(first, second, key, policy = '') {
  const nothing = { code: '', place: nowhere(), unchecked: false };
  const files = [first, second].map(fileOf);
  const [a, b] = files.map(({ text }) => witness(text));
  if (a === null || b === null || a.match !== b.match) return nothing;
  for (const [i, one] of [a, b].entries()) {
    const note = asNote(files[i].text);
    const roles = one.kind === 'roll' ? 17 : 1; // heads and records speak for the server
    const signers = Array.from({ length: roles }, (_, role) => ({ name: `${one.match}/${role}`, key }));
    const verifier = await checkAhead([{ note, signers }]);
    const results = signers.map((signer) => signedBy(note, signer, verifier));
    if (results.some(({ good }) => good)) continue;
    let unchecked = results.some((result) => result.unchecked);
    if (one.kind === 'record' && [a, b][1 - i].kind === 'head') {
      const closed = await isClosed(files[i], key, policy);
      if (closed === '') continue;
      unchecked ||= closed === 'signatures-not-checked';
    }
    return { ...nothing, unchecked };
  }
  const [code, roll] = contradiction(a, b) ?? contradiction(b, a) ?? ['', 0];
  return code === '' ? nothing : { code, place: at('roll', roll), unchecked: false };
}

/** @typedef {{text: string, parts: import('./proof.mjs').Part[] | null}} File */

/** A note, or the record of a proof file and its parts. @param {string} text @returns {File} */
function fileOf(text) {
  const { value } = splitProof(new TextEncoder().encode(text));
  return value === null ? { text, parts: null } : { text: new TextDecoder().decode(value[0].bytes), parts: value };
}

/**
 * Whether the record of a proof file is closed in a log.
 * @param {File} file
 * @param {string} key of the server
 * @param {string} policy
 * @returns {Promise<string>} '' if it is, else a code
 */
async function isClosed({ text, parts }, key, policy) {
  const { value } = parseSigned(text);
  const known = readPolicy(policy).value;
  if (parts === null || known === null || value === null || !('roles' in value.record) || value.record.roles[0].key !== key) return 'not-closed';
  const decode = (/** @type {Uint8Array} */ bytes) => new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
  const receipts = parts.filter(({ name }) => name.endsWith('-receipt')).map(({ bytes }) => decode(bytes));
  const verifier = await checkAhead(signaturesOf(known, receipts));
  return closingOf({
    record: value.record, parts, verifier, policy: known, fault: null, opened: null, began: null, closed: null,
    text: (part) => decode(parts.find(({ name }) => name === part)?.bytes ?? new Uint8Array(0)),
  });
}

/**
 * @param {Witness} a
 * @param {Witness} b
 * @returns {[string, number] | null}
 */
function contradiction(a, b) {
  if (a.kind === 'roll' && b.kind === 'roll') return a.roll === b.roll && a.text !== b.text ? ['two-rolls', a.roll] : null;
  if (a.kind === 'head' && b.kind === 'head') return a.roll === b.roll && a.head !== b.head ? ['two-heads', a.roll] : null;
  if (a.kind === 'head' && b.kind === 'record') {
    if (a.roll <= b.roll) return b.heads[a.roll] !== a.head ? ['two-heads', a.roll] : null;
    return b.over ? ['dropped-roll', b.roll + 1] : null;
  }
  if (a.kind !== 'record' || b.kind !== 'record' || a.roll > b.roll) return null;
  // What stands at 0 is no roll's: of two openings all that follows is another.
  const differs = a.heads.findIndex((head, n) => n > 0 && head !== b.heads[n]);
  if (differs > 0) return ['two-heads', differs];
  return a.over && a.roll < b.roll && a.heads[0] === b.heads[0] ? ['dropped-roll', a.roll + 1] : null;
}

/**
 * @param {string} note
 * @returns {Witness | null}
 */
function witness(note) {
  const { text } = asNote(note);
  const base = { text, head: '', heads: /** @type {string[]} */ ([]), over: false };
  const head = readHead(text);
  if (head !== null) return { kind: 'head', ...base, ...head };
  const roll = readRollText(text);
  if (roll !== null) return { kind: 'roll', ...base, ...roll };
  const { value } = parseSigned(note);
  if (value === null || !('roles' in value.record)) return null;
  const c = begin(note, {});
  for (const step of [lastLinks, replay, tail]) if (step(c) !== null) return null;
  return { kind: 'record', ...base, match: c.record.match, roll: c.after.length - 1, heads: c.after.map(toHex), over: c.record.state !== 'running' };
}

/**
 * The one encoding of a ROLL text.
 * @param {string} text
 * @returns {{match: string, roll: number} | null}
 */
function readRollText(text) {
  const parts = /^veridice\/1 roll\nmatch ([0-9a-f]{32})\nroll ([0-9]+)\nactor ([0-9]+)\nfaces ([0-9,]+)\nhead [0-9a-f]{64}\n$/.exec(text);
  if (parts === null) return null;
  const roll = decimal(parts[2], 1, 100_000);
  const faces = parts[4].split(',').map((n) => decimal(n, 2, 2 ** 32 - 1));
  if (roll === null || decimal(parts[3], 0, 16) === null || faces.includes(null) || faces.length > 1024) return null;
  return { match: parts[1], roll };
}
