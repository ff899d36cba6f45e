/**
 * The check: a text in, a report out. The numbered steps are those of
 * docs/spec/record.md, "The check"; the first fault in their order is the one reported. A report holds codes
 * and numbers; words for people are made from it elsewhere.
 */
import { sha256 } from './sha256.mjs';
import { fromHex, isWeak, sealOf, serverLength, toBytes, toHex } from './seed.mjs';
import { tavliBlocks, yayayBlocks } from './scheme.mjs';
import { byteBelow252, firstWord } from './draw.mjs';
import { dieOfWord, mostRolls, pairOfDice } from './game.mjs';
import { gamesOf, parseSigned, rollsOf, sumOf } from './record.mjs';
import { leafHash, openingText } from './chain.mjs';
import { chainLimits, checkChain, isWhole, otherLength, otherRoll, signaturesAhead, steps as chainSteps } from './chaincheck.mjs';
import { checkAhead, notNow } from './note.mjs';
import { logLimits, proofSteps, splitProof } from './proof.mjs';
import { readPolicy, signaturesOf } from './receipt.mjs';
import { readLink, recordOf } from './link.mjs';
import { readClients, readHex, readNumber, readRolls } from './paste.mjs';

/** @typedef {import('./record.mjs').Fault} Fault */
/** @typedef {import('./record.mjs').Record} Record */
/** @typedef {import('./chain.mjs').ChainRecord} ChainRecord */
/** @typedef {import('./note.mjs').Note} Note */
/** @typedef {import('./note.mjs').Verifier} Verifier */
/** @typedef {import('./proof.mjs').Part} Part */
/** @typedef {import('./receipt.mjs').Logged} Logged */

/**
 * What the reader gives beside the text.
 * @typedef {object} Options
 * @property {string} [seal] the seal that was shown before the first roll, of veridice/1 the hash of the opening, as a
 *   field of hex
 * @property {(string | Uint8Array)[]} [heads] of veridice/1: HEAD texts that the reader trusts, or notes of them
 * @property {boolean} [kept] that seal was kept by this phone, not typed or pasted
 * @property {number[][]} [rolls] the rolls that the reader or this phone saw
 * @property {number} [number] of rolls, from the page's field
 * @property {string} [policy] the logs and witnesses that the reader trusts, as c2sp.org/tlog-policy; '' is none
 */

/** @typedef {'proven' | 'broken' | 'unknown'} Verdict */

/**
 * Where a fault is. `kind` is 'roll', 'line', 'part', of veridice/1 also 'role' and 'head', of a proof file 'entry', or ''.
 * `part` is that of a link; of a roll of veridice/1 it may be the role that is meant, such as 'role 1'; of a proof file it is
 * the entry of the log: 'open', 'close', 'seal', 'unseal'.
 * @typedef {{kind: string, number: number, part: string, column: number}} Place
 */

/** @typedef {{code: string, args: string[]}} Finding */

/**
 * A recorded roll beside the computed one.
 * @typedef {{number: number, recorded: number[], computed: number[], fits: boolean}} Compared
 */

/** @typedef {{number: number, id: string, state: 'passed' | 'failed' | 'not-reached'}} Step */

/**
 * What a check comes to.
 * @typedef {object} Report
 * @property {Verdict} verdict
 * @property {string} code '' if proven
 * @property {Place} place
 * @property {string} scheme '' if nothing could be read
 * @property {string} state of the match: running, finished, aborted, or ''
 * @property {number} rolls how many are recorded
 * @property {number} fit how many of them follow from the seeds
 * @property {string} source of the seal if proven: given, kept, record or, of a log, receipt; else ''
 * @property {string} seal of the revealed server seed, hex, or ''
 * @property {number} show rolls to compute and show though none are recorded
 * @property {Compared[]} compared the recorded rolls, if the check got as far as computing
 * @property {Step[]} steps empty if nothing could be read
 * @property {Finding[]} findings diagnoses and warnings; they never change the verdict
 * @property {Finding[]} notProven what a proven report does not prove
 * @property {string[]} ignored unknown keys of a share link
 * @property {number[]} signed of veridice/1: the roles of which a signature on this very text verifies
 * @property {number[]} unchecked of veridice/1: the roles with a signature that could not be checked here and now
 * @property {string[]} account of veridice/1, if proven: what vouches for it, 'signature', 'head', 'close'
 * @property {Logged | null} began of a proof file, if proven: the opening or seal in the log
 * @property {Logged | null} closed the same of the closing or unsealing, if there is one
 * @property {string} opening of veridice/1: hash of the opening, hex, or ''
 * @property {Record | ChainRecord | null} record what was read
 * @property {Fault | null} fault what could not be read, or what contradicts itself
 */

const nowhere = { kind: '', number: 0, part: '', column: 0 };

/**
 * "roll 37", "line 8", "part s" or "".
 * @param {Place} place
 * @returns {string}
 */
export function placeText(place) {
  if (place.kind === '') return '';
  if (place.kind === 'part') return 'part ' + place.part;
  if (place.kind === 'entry') return place.part;
  return `${place.kind} ${place.number}` + (place.part === '' ? '' : ' ' + place.part);
}

/**
 * Checks a record, a proof file, a share link, or text around a link. Signatures are not
 * checked: where they decide, the verdict is unknown, `signatures-not-checked`.
 * @param {string | Uint8Array} input
 * @param {Options} [options]
 * @returns {Report}
 */
export function verify(input, options = {}) {
  return verifyWith(input, options, notNow);
}

/**
 * The same with the signatures of veridice/1 and of public logs, which the browser checks where it can: on
 * https and localhost. Never throws and never rejects.
 * @param {string | Uint8Array} input
 * @param {Options} [options]
 * @returns {Promise<Report>}
 */
export async function verifyAsync(input, options = {}) {
  const { text, parts } = opened(input);
  const { value } = isRecord(text) ? parseSigned(text) : { value: null };
  if (value === null) return verifyWith(input, options, notNow);
  const ahead = receiptsAhead(parts, options);
  if ('roles' in value.record) {
    ahead.push(...signaturesAhead({ record: value.record, note: value.note }, (options.heads ?? []).map(textOf)));
  }
  return verifyWith(input, options, ahead.length === 0 ? notNow : await checkAhead(ahead));
}

/**
 * The text that is checked: of a proof file that of its record.
 * @param {string | Uint8Array} input
 * @returns {{text: string, parts: Part[] | null, fault: Fault | null}}
 */
function opened(input) {
  const text = textOf(input);
  if (!beginsLike(text, 'veridice proof ')) return { text, parts: null, fault: null };
  const { value, fault } = splitProof(typeof input === 'string' ? new TextEncoder().encode(input) : input);
  return { text: value === null ? text : textOf(value[0].bytes), parts: value, fault };
}

/**
 * The signatures on the receipts of a proof file.
 * @param {Part[] | null} parts
 * @param {Options} options
 */
function receiptsAhead(parts, options) {
  const { value } = readPolicy(options.policy ?? '');
  if (parts === null || value === null) return [];
  return signaturesOf(value, parts.filter(({ name }) => name.endsWith('-receipt')).map(({ bytes }) => textOf(bytes)));
}

/**
 * Bytes as text. Those that are not UTF-8 become half a surrogate pair, which nobody takes for a
 * character; one that stands in a text is U+FFFD, as it is to every other reader.
 * @param {string | Uint8Array} input
 */
function textOf(input) {
  if (typeof input === 'string') return input.replace(/\p{Surrogate}/gu, '\ufffd');
  try {
    return new TextDecoder('utf-8', { ignoreBOM: true, fatal: true }).decode(input);
  } catch {
    return new TextDecoder('utf-8', { ignoreBOM: true }).decode(input).replaceAll('\ufffd', '\udc80');
  }
}

/**
 * @param {string | Uint8Array} input
 * @param {Options} options
 * @param {Verifier} verifier
 * @returns {Report}
 */
function verifyWith(input, options, verifier) {
  const { text, parts, fault } = opened(input);
  if (fault !== null) return unreadable(fault, textFindings(text));
  const report = parts === null ? verifyText(text, options, verifier) : verifyRecordText(text, options, verifier);
  return logReport(report, parts ?? [{ name: 'record', bytes: new Uint8Array(0) }], options, verifier);
}

/**
 * @param {string} text
 * @param {Options} options
 * @param {Verifier} verifier
 * @returns {Report}
 */
function verifyRecordText(text, options, verifier) {
  const { value, fault } = parseSigned(text);
  return value === null ? unreadable(fault) : checkEither(value, options, verifier);
}

/**
 * Goes on with the report on a record, or on a link: what a public log says of it.
 * @param {Report} report
 * @param {Part[]} parts of the proof file, or the record alone
 * @param {Options} options
 * @param {Verifier} verifier
 * @returns {Report}
 */
function logReport(report, parts, options, verifier) {
  const { record, verdict, code, place } = report;
  const goesOn = ['', 'not-signed', 'few-fit', 'other-seed'].includes(code) && verdict !== 'broken';
  const given = (options.policy ?? '') !== '';
  if (record === null || !goesOn || (parts.length === 1 && !given)) return report;
  const policy = given ? readPolicy(options.policy ?? '') : { value: null, fault: null };
  /** @type {import('./proof.mjs').Check} */
  const c = {
    record, parts, verifier, policy: policy.value, fault: policy.fault, began: null, closed: null,
    text: (part) => textOf(parts.find(({ name }) => name === part)?.bytes ?? ''),
    opened: verdict === 'unknown' ? { verdict, code, place } : null,
  };
  /** @type {import('./proof.mjs').Ended | null} */
  let stop = null;
  let passed = 0;
  for (const [, , step] of proofSteps) {
    stop = step(c);
    if (stop !== null) break;
    passed++;
  }
  const logged = proofSteps.map(([number, id], i) => ({ number, id, state: stepState(i, passed) }));
  const more = { steps: [...report.steps, ...logged], notProven: [], account: [], source: '' };
  if (stop !== null) {
    const { words = '', ...ended } = stop;
    const said = words === '' ? report.fault : { code: stop.code, part: '', line: 0, column: 0, char: '', words };
    const fault = stop.code === 'bad-policy' ? policy.fault : said;
    return { ...report, ...more, ...ended, fault };
  }
  const began = /** @type {Logged} */ (c.began);
  const limits = logLimits(record.state, began, c.closed);
  const account = [...report.account, ...(c.closed !== null && 'roles' in record ? ['close'] : [])];
  return {
    ...report, ...more, verdict: 'proven', code: '', place: nowhere, source: 'receipt', account, began, closed: c.closed,
    // The closing vouches, if nobody else did.
    steps: more.steps.map((step) => (step.id === 'vouched' ? { ...step, state: 'passed' } : step)),
    notProven: 'roles' in record ? chainLimits({ record, account, signed: report.signed }, limits) : [...limits, ...limitsOf(record)],
  };
}

/**
 * @param {string} text
 * @param {Options} options
 * @param {Verifier} verifier
 * @returns {Report}
 */
function verifyText(text, options, verifier) {
  const nothing = text.trim() === '' ? [finding('no-text')] : [];
  // An empty file is the beginning of a record.
  if (text === '' || isRecord(text)) {
    const { value, fault } = parseSigned(text);
    if (value === null) return unreadable(fault, text === '' ? nothing : textFindings(text));
    return checkEither(value, options, verifier);
  }
  const reports = readLink(text).map(({ value, fault }) =>
    value === null ? unreadable(fault, nothing) : check(value.record, options, value),
  );
  return (
    reports.find((report) => report.verdict === 'proven') ??
    reports.find((report) => report.record !== null) ??
    reports[0]
  );
}

/**
 * Checks a record that was read already, without the signatures on it.
 * @param {Record | ChainRecord} record
 * @param {Options} [options]
 * @returns {Report}
 */
export function verifyRecord(record, options = {}) {
  return checkEither({ record, note: { text: '', signatures: [] } }, options, notNow);
}

/**
 * @param {{record: Record | ChainRecord, note: Note}} signed
 * @param {Options} options
 * @param {Verifier} verifier
 * @returns {Report}
 */
function checkEither({ record, note }, options, verifier) {
  return 'roles' in record ? chainReport({ record, note }, options, verifier) : check(record, options, { show: 0, ignored: [] });
}

/**
 * @param {{record: ChainRecord, note: Note}} signed
 * @param {Options} options
 * @param {Verifier} verifier
 * @returns {Report}
 */
function chainReport(signed, options, verifier) {
  const { record } = signed;
  const opening = readHex(options.seal ?? '', 'c');
  if (opening.fault !== null) return unreadable(opening.fault);
  const wrongOption = optionFault(opening.value, options);
  if (wrongOption !== null) return unreadable(wrongOption);
  const rolls = options.rolls ?? [];
  const recorded = rollsOf(record).length;
  const counts = new Set([options.number ?? 0, recorded, recorded === 0 ? rolls.length : 0].filter((count) => count > 0));
  if (counts.size > 1) return countsDiffer(record, []);
  const heads = (options.heads ?? []).map(textOf);
  const { check: c, stop, passed } = checkChain(signed, { opening: opening.value, heads, rolls, verifier });
  const proven = stop === null;
  return {
    ...(stop ?? { verdict: 'proven', code: '', place: nowhere }),
    scheme: record.scheme,
    state: record.state,
    rolls: recorded,
    fit: c.compared.filter(({ fits }) => fits).length,
    source: proven ? sourceOf({ readersSeal: opening.value }, options) : '',
    seal: '',
    show: recorded > 0 ? 0 : Math.max(0, ...counts),
    compared: c.compared,
    steps: chainSteps.map(([number, id], i) => ({ number, id, state: stepState(i, passed) })),
    findings: [],
    notProven: proven ? chainLimits(c, unlogged(opening.value)) : [],
    ignored: [],
    signed: c.signed,
    unchecked: c.open,
    account: proven ? c.account : [],
    began: null,
    closed: null,
    opening: toHex(leafHash(openingText(record))),
    record,
    fault: null,
  };
}

/**
 * What is not proven about an opening for which there is no receipt.
 * @param {string} given hash that the reader noted, or ''
 */
function unlogged(given) {
  return ['not-logged', ...(given === '' ? ['seal-shown-before'] : [])].map((code) => finding(code));
}

/**
 * @param {Record | ChainRecord} record
 * @param {string[]} ignored
 * @returns {Report}
 */
function countsDiffer(record, ignored) {
  const words = 'number of rolls differs from what is listed';
  const fault = { code: 'count-differs', part: '', line: 0, column: 0, char: '', words };
  return { ...unreadable(fault), scheme: record.scheme, state: record.state, ignored, record };
}

/**
 * The fields of a form as they were typed or pasted.
 * @typedef {object} Fields
 * @property {'tavli/1' | 'yayay/1'} [scheme] tavli/1 unless given
 * @property {string} server
 * @property {string} [seal]
 * @property {string} [clients] one a line; not for yayay/1
 * @property {string} [number] of rolls
 * @property {string} [rolls] recorded ones
 * @property {number[]} [games] rolls in each game, if a link brought them; they count only
 *   if they still add up to the rolls
 */

/**
 * Checks the fields of a form. A part named in a fault is s, c, p, number, or '' for the rolls.
 * @param {Fields} fields
 * @param {Options} [options]
 * @returns {Report}
 */
export function verifyFields(fields, options = {}) {
  const scheme = fields.scheme ?? 'tavli/1';
  const server = readHex(fields.server, 's');
  const seal = readHex(fields.seal ?? '', 'c');
  const clients = readClients(scheme === 'tavli/1' ? (fields.clients ?? '') : '');
  const number = readNumber(fields.number ?? '');
  const rolls = readRolls(fields.rolls ?? '', scheme);
  for (const { fault } of [server, seal, clients, number, rolls]) if (fault !== null) return unreadable(fault);
  const games = fields.games ?? [];
  const total = games.reduce((sum, rolled) => sum + rolled, 0);
  const record = recordOf({
    scheme,
    seed: server.value ?? '',
    seal: seal.value || null,
    clients: clients.value ?? [],
    rolls: rolls.value ?? [],
    games: scheme === 'tavli/1' && total === rolls.value?.length ? games : [],
  });
  const wrong = lengthFault(record, serverLength[scheme]);
  if (wrong !== null) return unreadable(wrong);
  return check(record, { ...options, number: number.value ?? undefined }, { show: 0, ignored: [] });
}

/**
 * What is missing from fields or has a length outside the scheme's.
 * @param {Record} record
 * @param {{least: number, most: number}} server length in bytes
 * @returns {Fault | null}
 */
function lengthFault(record, server) {
  const length = (record.seed ?? '').length / 2;
  /** @param {string} part @param {string} code @param {string} words */
  const fault = (part, code, words) => ({ code, part, line: 0, column: 0, char: '', words });
  if (length === 0) return fault('s', 'missing-part', 'no server seed');
  if (length < server.least) return fault('s', 'bad-part', 'server seed is too short');
  if (length > server.most) return fault('s', 'bad-part', 'server seed is too long');
  if (record.seal !== null && record.seal.length !== 64) return fault('c', 'bad-part', 'seal is not 32 bytes');
  if (record.clients?.length === 0) return fault('p', 'missing-part', 'no client seed');
  return null;
}

/**
 * Whether a text is meant as a record, even if it is damaged in a way that textFindings knows.
 * @param {string} text
 */
function isRecord(text) {
  return beginsLike(text, 'veridice record ');
}

/** @param {string} text @param {string} words */
function beginsLike(text, words) {
  return text.slice(0, 1000).replace(/\0/g, '').replace(/^[\ufeff\ufffd\udc80\s]+/, '').startsWith(words);
}

/**
 * What an editor, a shell or a copy did to a record, so that it cannot be read.
 * @param {string} text
 * @returns {Finding[]}
 */
function textFindings(text) {
  if (text.slice(0, 1000).includes('\0')) return [finding('utf-16')];
  const findings = [];
  if (text.startsWith('\ufeff')) findings.push(finding('byte-order-mark'));
  if (text.includes('\r')) findings.push(finding('carriage-returns'));
  if (!/[\n\r]$/.test(text)) findings.push(finding('no-last-newline')); // cut there, or by an editor
  return findings;
}

/**
 * @param {string} code
 * @param {string[]} [args]
 * @returns {Finding}
 */
function finding(code, args = []) {
  return { code, args };
}

/**
 * The report on what could not be read.
 * @param {Fault} fault
 * @param {Finding[]} [findings]
 * @returns {Report}
 */
function unreadable(fault, findings = []) {
  let place = nowhere;
  if (fault.code !== 'version' && fault.code !== 'scheme') {
    const { part, line, column } = fault;
    if (part !== '') place = { kind: 'part', number: 0, part, column };
    else if (line > 0) place = { kind: 'line', number: line, part: '', column };
  }
  return {
    verdict: 'unknown', code: fault.code, place,
    scheme: '', state: '', rolls: 0, fit: 0, source: '', seal: '', show: 0,
    compared: [], steps: [], findings, notProven: [], ignored: [],
    signed: [], unchecked: [], account: [], began: null, closed: null, opening: '', record: null, fault,
  };
}

/**
 * What the steps of a check share.
 * @typedef {object} Check
 * @property {Record} record
 * @property {string} readersSeal hex, '' if none was given
 * @property {number[][]} readersRolls
 * @property {{roll: number, dice: number[]}[]} rolls to compare: the record's or, if it has none, the reader's
 * @property {Compared[]} compared
 */

/** @typedef {{verdict: Verdict, code: string, place: Place}} Stop */

/**
 * The steps. Each gives null if it passes, else the verdict, at which the check ends.
 * @type {[string, (check: Check) => Stop | null][]}
 */
const steps = [
  ['seed-revealed', seedRevealed],
  ['not-exchanged', notExchanged],
  ['same-seal', sameSeal],
  ['numbers', numbersRun],
  ['computed', computeAll],
  ['seal-fits', sealFits],
  ['rolls-fit', rollsFit],
  ['count', countAgrees],
  ['complete', complete],
];

/**
 * @param {number} i of the step, from 0
 * @param {number} passed how many steps passed
 * @returns {Step['state']}
 */
function stepState(i, passed) {
  if (i < passed) return 'passed';
  return i === passed ? 'failed' : 'not-reached';
}

/**
 * Runs the steps.
 * @param {Record} record
 * @param {Options} options
 * @param {{show: number, ignored: string[]}} link
 * @returns {Report}
 */
function check(record, options, link) {
  const readersSeal = readHex(options.seal ?? '', 'c');
  if (readersSeal.fault !== null) return unreadable(readersSeal.fault);
  const wrongOption = optionFault(readersSeal.value, options);
  if (wrongOption !== null) return unreadable(wrongOption);

  const readersRolls = options.rolls ?? [];
  const recorded = rollsOf(record);
  const rolls = recorded.length > 0 ? recorded : readersRolls.map((dice, i) => ({ roll: i + 1, dice }));
  /** @type {Check} */
  const c = { record, readersSeal: readersSeal.value, readersRolls, rolls, compared: [] };

  // The number field, the rolls and the games are claims about one thing: docs/spec/tavli.md, "Reading".
  const counts = [options.number ?? 0, rolls.length, link.show].filter((count) => count > 0);
  if (new Set(counts).size > 1) return countsDiffer(record, link.ignored);
  /** @type {Stop | null} */
  let stop = null;
  let passed = 0;
  for (const [, step] of steps) {
    stop = step(c);
    if (stop !== null) break;
    passed++;
  }
  const proven = stop === null;
  return {
    ...(stop ?? { verdict: 'proven', code: '', place: nowhere }),
    scheme: record.scheme,
    state: record.state,
    rolls: rolls.length,
    fit: c.compared.filter(({ fits }) => fits).length,
    source: proven ? sourceOf(c, options) : '',
    seal: record.seed === null ? '' : sealOf(record.seed),
    show: rolls.length > 0 ? 0 : Math.max(0, ...counts),
    compared: c.compared,
    steps: steps.map(([id], i) => ({ number: i + 1, id, state: stepState(i, passed) })),
    findings: findingsOf(c),
    notProven: proven ? [...(c.readersSeal === '' ? [finding('seal-shown-before')] : []), ...limitsOf(record)] : [],
    ignored: link.ignored,
    signed: [],
    unchecked: [],
    account: [],
    began: null,
    closed: null,
    opening: '',
    record,
    fault: null,
  };
}

/**
 * What is wrong with the options themselves.
 * @param {string} seal hex
 * @param {Options} options
 * @returns {Fault | null}
 */
function optionFault(seal, { rolls, number }) {
  const fault = { code: 'bad-part', part: '', line: 0, column: 0, char: '', words: '' };
  if (seal !== '' && seal.length !== 64) return { ...fault, part: 'c', words: 'seal is not 32 bytes' };
  if (number !== undefined && !(Number.isInteger(number) && number >= 1 && number <= mostRolls)) {
    return { ...fault, part: 'number', words: 'not a whole number from 1 to 100,000' };
  }
  const isDie = (/** @type {unknown} */ die) => Number.isInteger(die);
  if (rolls !== undefined && !(Array.isArray(rolls) && rolls.every((dice) => Array.isArray(dice) && dice.every(isDie)))) {
    return { ...fault, code: 'bad-rolls', words: 'not lists of dice' };
  }
  return null;
}

// 1. The server seed is there.
/** @type {(c: Check) => Stop | null} */
function seedRevealed({ record }) {
  return record.seed === null ? { verdict: 'unknown', code: 'seed-not-revealed', place: nowhere } : null;
}

// 2. No seal is the seed itself, nor the seed the seal of a seal.
/** @type {(c: Check) => Stop | null} */
function notExchanged({ record, readersSeal }) {
  for (const seal of [record.seal, readersSeal]) {
    if (!seal) continue;
    if (seal === record.seed) return { verdict: 'unknown', code: 'seal-as-seed', place: nowhere };
    if (sealOf(seal) === record.seed) return { verdict: 'unknown', code: 'seed-and-seal-exchanged', place: nowhere };
  }
  return null;
}

// 3. The record's seal is the reader's, and its rolls are those that the reader saw.
/** @type {(c: Check) => Stop | null} */
function sameSeal({ record, readersSeal, readersRolls, rolls }) {
  if (record.seal !== null && readersSeal !== '' && record.seal !== readersSeal) {
    return { verdict: 'broken', code: 'other-seal', place: nowhere };
  }
  const other = otherRoll(record, rolls, readersRolls);
  return other > 0 ? { verdict: 'broken', code: 'other-rolls', place: atRoll(other) } : null;
}

// 4. The numbers run 1, 2, 3, ...
/** @type {(c: Check) => Stop | null} */
function numbersRun({ rolls }) {
  const wrong = rolls.findIndex(({ roll }, i) => roll !== i + 1);
  return wrong < 0 ? null : { verdict: 'broken', code: 'wrong-number', place: atRoll(wrong + 1) };
}

// 5. Every roll is computed. This step cannot fail.
/** @type {(c: Check) => Stop | null} */
function computeAll(c) {
  const computed = computeRolls(c.record, c.rolls.map(({ dice }) => dice.length));
  c.compared = c.rolls.map(({ roll, dice }, i) => ({
    number: roll, recorded: dice, computed: computed[i], fits: same(dice, computed[i]),
  }));
  return null;
}

// 6. The seal is the seed's.
/** @type {(c: Check) => Stop | null} */
function sealFits(c) {
  const { record, readersSeal } = c;
  const seal = record.seal ?? readersSeal;
  if (seal === '' || seal === sealOf(record.seed ?? '')) return null;
  if (!hardlyFits(c)) return { verdict: 'broken', code: 'wrong-seal', place: nowhere };
  // Step 3 has found the two seals equal, if there are two.
  const sealed = record.seal !== null && readersSeal !== '';
  return { verdict: sealed ? 'broken' : 'unknown', code: 'other-seed', place: nowhere };
}

// 7. Every roll follows.
/** @type {(c: Check) => Stop | null} */
function rollsFit(c) {
  const wrong = c.compared.find(({ fits }) => !fits);
  if (wrong === undefined) return null;
  const place = atRoll(wrong.number);
  if (!hardlyFits(c)) return { verdict: 'broken', code: 'wrong-dice', place };
  // A seal that the reader knows fits the seed, so it is not a seed of another match.
  return { verdict: c.readersSeal !== '' && !cutBefore(c.record) ? 'broken' : 'unknown', code: 'few-fit', place };
}

// 8. The stated count is the number listed.
/** @type {(c: Check) => Stop | null} */
function countAgrees({ record }) {
  const listed = rollsOf(record).length;
  if (record.rolls === listed) return null;
  return { verdict: 'broken', code: 'wrong-count', place: atRoll(Math.min(record.rolls, listed) + 1) };
}

// 9. The sum is right, there was something to check and to check it against, and the list is as
// long as the reader's.
/** @type {(c: Check) => Stop | null} */
function complete({ record, readersSeal, readersRolls, rolls }) {
  let code = '';
  if (record.sum !== sumOf(record)) code = 'wrong-sum';
  else if (rolls.length === 0) code = 'no-rolls';
  else if (record.seal === null && readersSeal === '') code = 'no-seal';
  return code === '' ? otherLength(rolls.length, readersRolls.length) : { verdict: 'unknown', code, place: nowhere };
}

/**
 * Whether the reader's rolls stand in for those of a link that has none: it may have been cut in its client seeds.
 * @param {Record} record
 */
function cutBefore(record) {
  return record.scheme === 'tavli/1' && rollsOf(record).length === 0 && !isWhole(record);
}

/**
 * Whether hardly a roll fits: at least three are recorded and at most one in eight fits.
 * For yayay/1, whose throws have any number of dice, consecutive pairs of dice are counted.
 * @param {Check} c
 * @returns {boolean}
 */
function hardlyFits({ record, compared }) {
  let recorded = compared.length;
  let fit = compared.filter(({ fits }) => fits).length;
  if (recorded > 0 && cutBefore(record)) return 2 * fit <= recorded;
  if (record.scheme === 'yayay/1') {
    const dice = compared.flatMap((roll) => roll.recorded.map((die, i) => die === roll.computed[i]));
    recorded = Math.floor(dice.length / 2);
    fit = 0;
    for (let pair = 0; pair < recorded; pair++) if (dice[2 * pair] && dice[2 * pair + 1]) fit++;
  }
  return recorded >= 3 && 8 * fit <= recorded;
}

/**
 * The rolls that follow from a record's seeds.
 * @param {Record} record with its server seed revealed
 * @param {number[]} counts of dice in each roll, from roll 1
 * @returns {number[][]}
 */
export function computeRolls(record, counts) {
  const next = record.scheme === 'yayay/1' ? yayayRolls(record.seed ?? '') : tavliRolls(record.seed ?? '', record.clients ?? []);
  return counts.map((count, i) => next(i + 1, count));
}

/**
 * @param {string} server hex
 * @param {string[]} clients
 * @param {Uint8Array} [key] of another reading
 * @returns {(number: number) => number[]}
 */
function tavliRolls(server, clients, key = fromHex(server)) {
  const blocks = tavliBlocks(key, clients);
  return (number) => pairOfDice(byteBelow252((block) => blocks(number, block)).value);
}

/**
 * @param {string} server hex
 * @param {boolean} [littleNumber]
 * @param {boolean} [littleWord]
 * @returns {(number: number, count: number) => number[]} to be called for roll 1, 2, 3, ...
 */
function yayayRolls(server, littleNumber = false, littleWord = false) {
  const blocks = yayayBlocks(server, littleNumber);
  let die = 0;
  return (_, count) => Array.from({ length: count }, () => dieOfWord(firstWord(blocks(die++), littleWord)));
}

/**
 * Diagnoses, docs/spec/tavli.md and yayay.md, and warnings.
 * @param {Check} c
 * @returns {Finding[]}
 */
function findingsOf(c) {
  const { record, readersSeal, compared } = c;
  if (record.seed === null) return [];
  const findings = [];
  const seal = record.seal ?? readersSeal;
  if (seal !== '' && seal === sealOfText(record.seed)) findings.push(finding('seal-over-text'));
  // Fewer than four rolls fit another reading by chance too often.
  if (compared.length >= 4 && compared.some(({ fits }) => !fits)) {
    const inOrder = record.scheme === 'yayay/1';
    const readings = inOrder ? yayayReadings(record) : tavliReadings(c);
    // First a roll that does not fit as recorded: all those before it may fit under many readings.
    const tried = inOrder ? compared : [...compared.filter(({ fits }) => !fits), ...compared];
    const fitting = readings.find(({ read }) => {
      const reading = read();
      return tried.every(({ number, recorded }) => same(recorded, reading(number, recorded.length)));
    });
    if (fitting !== undefined) findings.push(fitting.finding);
  }
  if (isWeak(record.seed)) findings.push(finding('weak-seed'));
  return findings;
}

/** @param {string} server hex */
function sealOfText(server) {
  return toHex(sha256(toBytes(server)));
}

/**
 * Another reading of the rules, which may be the one that the rolls were made by.
 * @typedef {{finding: Finding, read: () => (number: number, count: number) => number[]}} Reading
 */

/**
 * @param {Check} c
 * @returns {Reading[]}
 */
function tavliReadings({ record, compared }) {
  const server = record.seed ?? '';
  const clients = record.clients ?? [];
  /** @type {Reading[]} */
  const readings = [{ finding: finding('key-is-text'), read: () => tavliRolls(server, clients, toBytes(server)) }];
  if (clients.length <= 4) {
    for (const order of orders(clients.length)) {
      const reordered = order.map((seat) => clients[seat - 1]);
      readings.push({ finding: finding('clients-reordered', order.map(String)), read: () => tavliRolls(server, reordered) });
    }
  }
  readings.push({
    finding: finding('numbers-from-0'),
    read: () => {
      const right = tavliRolls(server, clients);
      return (number) => right(number - 1);
    },
  });
  readings.push({
    finding: finding('dice-in-other-order'),
    read: () => (number) => {
      const { recorded, computed, fits } = compared[number - 1];
      return fits ? recorded : [computed[1], computed[0]];
    },
  });
  for (const [name, change] of /** @type {[string, (text: string) => string][]} */ ([
    ['lower', (text) => text.toLowerCase()],
    ['upper', (text) => text.toUpperCase()],
  ])) {
    readings.push({ finding: finding('case-of-client-seed', [name]), read: () => tavliRolls(server, clients.map(change)) });
  }
  return readings;
}

/**
 * All orders of the seats 1 to count but the right one, in lexical order.
 * @param {number} count
 * @returns {number[][]}
 */
function orders(count) {
  /** @param {number[]} left @returns {number[][]} */
  const of = (left) =>
    left.length === 0 ? [[]] : left.flatMap((seat) => of(left.filter((other) => other !== seat)).map((rest) => [seat, ...rest]));
  return of(Array.from({ length: count }, (_, i) => i + 1)).slice(1);
}

/**
 * @param {Record} record
 * @returns {Reading[]}
 */
function yayayReadings(record) {
  const server = record.seed ?? '';
  return [
    { finding: finding('little-endian-number'), read: () => yayayRolls(server, true, false) },
    { finding: finding('little-endian-word'), read: () => yayayRolls(server, false, true) },
    { finding: finding('little-endian-both'), read: () => yayayRolls(server, true, true) },
  ];
}

/**
 * Where the seal of a proven check came from.
 * @param {{readersSeal: string}} c
 * @param {Options} options
 */
function sourceOf({ readersSeal }, { kept }) {
  if (readersSeal === '') return 'record';
  return kept ? 'kept' : 'given';
}

/**
 * What a proven check does not prove, beside where its seal came from.
 * @param {Record} record
 * @returns {Finding[]}
 */
function limitsOf(record) {
  const tavli = record.scheme === 'tavli/1';
  const limits = ['server-knows'];
  if (tavli && (record.clients ?? []).length >= 2) limits.push('last-client-seed');
  if (!tavli) limits.push('server-chose');
  if (record.match === null) limits.push('who-played');
  // A link without g may have been cut between two rolls, and a form's list be short; a record states its count.
  if (record.match === null && gamesOf(record).length === 0) limits.push('shorter-list');
  return limits.map((code) => finding(code));
}

/**
 * @param {number} number
 * @returns {Place}
 */
function atRoll(number) {
  return { kind: 'roll', number, part: '', column: 0 };
}

/**
 * Whether two rolls are equal, die by die in order.
 * @param {number[]} a
 * @param {number[]} b
 */
function same(a, b) {
  return a.length === b.length && a.every((die, i) => die === b[i]);
}
