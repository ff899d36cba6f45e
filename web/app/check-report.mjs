// A report in words and dice: what every page says about one.
import { el } from './dom.mjs';
import { dice, spoken } from './dice.mjs';
import { has, say } from './words.mjs';
import { accountTexts, findingText, loggedTexts, ownKey, sentence, stateText, values } from './check-words.mjs';
import { rollsOf } from '../verifier/record.mjs';

/**
 * @typedef {import('../verifier/veridice.mjs').Report} Report
 * @typedef {object} Context
 * @property {boolean} typed whether the report is of the form and not of a text
 * @property {boolean} kept whether this phone noted the seal by itself
 * @property {number[][] | undefined} seen rolls that this phone or the reader saw
 * @property {(roll: number) => void} jump leads to a roll on the page
 */

/** The class of a verdict's box, by its sign. */
export const looks = { yes: '', no: ' bad', ask: ' unsure' };
/** Faults that a chat app makes of a link. */
const cut = new Set(['link-cut', 'bad-percent', 'missing-part', 'repeated-part', 'bad-part', 'odd-rolls', 'games-differ']);
/** Codes of an unknown verdict that do say something about the dice. */
const telling = new Set(['few-fit', 'other-seed', 'no-seal', 'wrong-sum', 'ends-early']);
/** Codes whose title says all that the sentence would. */
const titled = new Set(['', 'wrong-dice', 'wrong-seal', 'no-seal']);

/** The fields of the form by their part of a link. @type {Record<string, string>} */
const fields = { s: 'server', c: 'seal', p: 'clients', number: 'number' };

/** @param {string} text */
export const p = (text) => (text ? el('p', {}, text) : null);

/**
 * The title of a report.
 * @param {Report} report
 * @param {boolean} typed whether it is of the form and not of a text
 */
export function titleOf(report, typed) {
  const key = 'check.verdict.' + (report.code || 'proven');
  const v = values(report, undefined);
  if (typed && report.fault !== null) return say('check.verdict.fields');
  if (has(key)) return say(ownKey(key, report.scheme), v);
  if (report.verdict === 'broken') return say('check.verdict.broken');
  return say(report.code === 'syntax' || report.scheme === 'veridice/1' ? 'check.verdict.record' : 'check.verdict.unknown');
}

/**
 * A report as a page shows it.
 * @param {Report} report
 * @param {Context} context
 * @returns {{sign: 'yes' | 'no' | 'ask', title: string, body: any[]}} body may hold null
 */
export function drawReport(report, context) {
  const v = values(report, context.seen);
  const sign = /** @type {const} */ ({ proven: 'yes', broken: 'no', unknown: 'ask' })[report.verdict];
  const more = [];
  if (report.verdict === 'proven') more.push(p(say(ownKey('check.proven', report.scheme))));
  if (report.verdict === 'unknown' && !telling.has(report.code)) more.push(p(say('check.unknown')));
  const unread = context.typed && report.fault !== null;
  if (unread) more.push(p(say('check.verdict.fields.text', { where: say('check.field.' + (fields[report.fault.part] ?? 'recorded')) })));
  else if (report.code === 'other-rolls' && context.kept) more.push(p(say('check.other-rolls.kept', v)));
  else if (!titled.has(report.code)) more.push(p(sentence(say(ownKey('verify.' + report.code, report.scheme), v))));
  more.push(clash(report, context.seen), unread ? null : p(hint(report, context.kept, v)));
  if (report.code === 'wrong-dice' && report.rolls > 1) more.push(p(sentence(say(ownKey('verify.others-fit', report.scheme), { count: report.fit }))));
  more.push(...accountTexts(report).map(p), ...loggedTexts(report).map(p));
  more.push(p(stateText(report)));
  if (report.findings.length > 0) more.push(el('ul', { class: 'findings' }, report.findings.map((f) => el('li', {}, findingText(f)))));
  if (report.ignored.length > 0) {
    more.push(el('p', { class: 'small' }, sentence(say('verify.ignored', { names: report.ignored.map((n) => '\u2068' + n + '\u2069').join(', ') }))));
  }
  if (report.place.kind === 'roll' && report.compared[report.place.number - 1]) {
    more.push(el('p', { class: 'row noprint' }, el('button', { type: 'button', on: { click: () => context.jump(report.place.number) } }, say(ownKey('check.show', report.scheme), v))));
  }
  return { sign, title: titleOf(report, context.typed), body: more };
}

/** What to do about it. @param {Report} report @param {boolean} kept @param {any} v */
function hint(report, kept, v) {
  if (report.code === 'no-policy') return ''; // the box for it says what to do
  if (report.fault !== null && cut.has(report.code)) return say('check.unknown.cut');
  const given = report.code === 'few-fit' && report.verdict === 'broken' ? '.given' : '';
  const key = `verify.${report.code}${given}.hint`;
  if (report.code === 'wrong-dice') return say(ownKey('check.mean', report.scheme), v);
  if (report.code === 'other-seal' && kept) return say(ownKey('check.other-seal.kept', report.scheme));
  if (report.code === 'other-opening' && kept) return say('check.other-opening.kept');
  return has(key) ? sentence(say(ownKey(key, report.scheme), v)) : '';
}

/**
 * The record's dice above the others, the odd die marked.
 * @param {Report} report
 * @param {number[][] | undefined} seen
 */
function clash(report, seen) {
  const at = report.place.number - 1;
  const roll = report.record === null ? undefined : rollsOf(report.record)[at];
  /** @param {string} label @param {number[]} values @param {number[] | null} other */
  const line = (label, values, other) => [el('dt', {}, label), el('dd', {}, dice(values, other, roll?.faces), spoken(values))];
  if (report.code === 'wrong-dice') {
    const { recorded, computed } = report.compared[at];
    return el('dl', { class: 'clash' }, line(say('check.recorded'), recorded, computed), line(say(ownKey('check.computed', report.scheme)), computed, null));
  }
  if (report.code === 'other-rolls' && roll && seen?.[at]) {
    return el('dl', { class: 'clash' }, line(say('check.recorded'), roll.dice, seen[at]), line(say('check.seen'), seen[at], null));
  }
  return null;
}
