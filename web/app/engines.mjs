// The two engines. The independent JavaScript engine answers at once; the Go core,
// the very code that the server ran, comes after it and must agree.
import { readNumber } from '../verifier/paste.mjs';
import { writeRecord } from '../verifier/record.mjs';
import { compareWithBrowser, selfTest } from '../verifier/selftest.mjs';
import { placeText, verify, verifyAsync, verifyFields } from '../verifier/verify.mjs';
import { loadCore } from './core.mjs';
import { data } from './words.mjs';

/**
 * What is checked: a text that holds a link or a record, or the fields of the form.
 * @typedef {{text: string} | {fields: import('../verifier/veridice.mjs').Fields}} Input
 * @typedef {import('../verifier/veridice.mjs').Options} Options
 * @typedef {import('../verifier/veridice.mjs').Report} Report
 */

/** The self-test of the JavaScript engine, made once when the page loads. */
export const own = selfTest();

/**
 * The first engine.
 * @param {Input} input
 * @param {Options} options
 * @returns {Report}
 */
export function first(input, options) {
  return 'text' in input ? verify(input.text, options) : verifyFields(input.fields, options);
}

/** Whether signatures were not looked at, which may decide. @param {Report} report */
export const waiting = (report) => report.unchecked.length > 0 || report.code === 'signatures-not-checked';

/**
 * The first engine again, with the signatures of veridice/1, which the browser checks in
 * its own time. On plain http it cannot, and the report stays as it is.
 * @param {Input} input
 * @param {Options} options
 * @returns {Promise<Report>}
 */
export async function firstWithSignatures(input, options) {
  return 'text' in input ? verifyAsync(input.text, options) : first(input, options);
}

/**
 * What the second engine came to. state is "agrees", "differs", "failed" (a self-test),
 * "missing" (it did not load), "alone" (the single file has no other) or "unread" (the form
 * holds nothing that it could be given).
 * @typedef {{state: 'agrees' | 'differs' | 'failed' | 'missing' | 'alone' | 'unread', reason: string, report: any}} Second
 */

/**
 * The second engine, on the same input.
 * @param {Input} input
 * @param {Options} options
 * @param {Report} report of the first
 * @returns {Promise<Second>}
 */
export async function second(input, options, report) {
  const browser = await compareWithBrowser();
  if (!browser.ok) return { state: 'failed', reason: 'JavaScript: ' + browser.failed.join(', '), report: null };
  if (data.file && !data.core) return { state: 'alone', reason: '', report: null };
  let core;
  try {
    core = await loadCore();
  } catch (error) {
    return { state: 'missing', reason: String(error), report: null };
  }
  try {
    const failed = core.selftest();
    if (failed !== '') return { state: 'failed', reason: 'Go: ' + failed, report: null };
    const given = 'text' in input ? { text: input.text, number: options.number } : fromFields(input.fields, report);
    if (given === null) return { state: 'unread', reason: '', report: null };
    const other = core.verify(given.text, { ...options, number: given.number });
    const what = waiting(report) ? unsigned(report) : comparable;
    const same = JSON.stringify(what(report)) === JSON.stringify(what(other));
    return { state: same ? 'agrees' : 'differs', reason: '', report: other };
  } catch (error) {
    return { state: 'failed', reason: 'Go: ' + error, report: null }; // an engine that stops in the middle is not to be trusted
  }
}

/**
 * The record that the fields make, as text.
 * @param {import('../verifier/veridice.mjs').Fields} fields
 * @param {Report} report
 */
function fromFields(fields, report) {
  if (report.record === null) return null;
  return { text: writeRecord(report.record), number: readNumber(fields.number ?? '').value ?? undefined };
}

/**
 * What both engines must say alike: verdict, code, place, counts, and every computed die.
 * @param {any} report of either engine
 */
export function comparable(report) {
  return {
    verdict: report.verdict,
    code: report.code,
    place: typeof report.place === 'string' ? report.place : placeText(report.place),
    scheme: report.scheme,
    rolls: report.rolls,
    fit: report.fit,
    source: report.source,
    computed: report.computed ?? report.compared?.map((/** @type {any} */ c) => c.computed.join('')),
    signed: report.signed ?? [],
    account: report.account ?? [],
    logged: [report.began, report.closed].map((l) => (l ? [l.origin, l.index, l.size, l.witnesses, l.time].join(' ') : '')),
    began: logged(report.began),
    closed: logged(report.closed),
  };
}

/** What a receipt says, in one order. @param {any} of */
function logged(of) {
  return of ? [of.origin, of.index, of.size, of.witnesses, of.time] : null;
}

/**
 * What is left to compare where the first engine could not check signatures: all but who
 * signed, if it found a fault without them, else what it read.
 * @param {Report} report of the first
 * @returns {(report: any) => object}
 */
function unsigned(report) {
  if (report.code === 'signatures-not-checked') return ({ scheme, rolls }) => ({ scheme, rolls });
  return (either) => ({ ...comparable(either), signed: null, account: null, logged: null });
}

/**
 * Both reports as one text, to be sent to whoever can find the mistake.
 * @param {Input} input
 * @param {Report} report
 * @param {Second | null} other
 */
export function bothReports(input, report, other) {
  return JSON.stringify({
    page: data.version, core: data.coreSum, input, selftest: own, reason: other?.reason ?? '',
    javascript: comparable(report), go: other?.report ? comparable(other.report) : null,
  }, null, 1);
}
