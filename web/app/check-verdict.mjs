// The verdict and the three lines under it.
import { byId, el, show } from './dom.mjs';
import { dice, icon, spoken } from './dice.mjs';
import { has, moment, say } from './words.mjs';
import { accountTexts, findingText, ownKey, sentence, stateText, values } from './check-words.mjs';

/**
 * @typedef {import('../verifier/veridice.mjs').Report} Report
 * @typedef {'yes' | 'no' | 'ask'} Sign
 */

const looks = { yes: '', no: ' bad', ask: ' unsure' };
const marks = { yes: '✓', no: '✕', ask: '?' };
const box = byId('verdict');
const bare = document.title;

/** Faults that a chat app makes of a link. */
const cut = new Set(['link-cut', 'bad-percent', 'missing-part', 'repeated-part', 'bad-part', 'odd-rolls', 'games-differ']);
/** Codes of an unknown verdict that do say something about the dice. */
const telling = new Set(['few-fit', 'other-seed', 'no-seal', 'wrong-sum']);
/** Codes whose title says all that the sentence would. */
const titled = new Set(['', 'wrong-dice', 'wrong-seal', 'no-seal']);

/**
 * @param {Sign} sign
 * @param {string} title
 * @param {...any} more
 */
function paint(sign, title, ...more) {
  document.title = marks[sign] + ' ' + title + ' · Veridice';
  box.className = 'verdict' + looks[sign];
  box.replaceChildren(el('div', { class: 'vhead' }, icon(sign), el('h1', {}, title)), ...more.flat().filter((m) => m));
  show(box, true);
  show(byId('intro'), false);
}

/** No verdict stands here: nothing was given yet, or it is being edited. @param {boolean} editing */
export function clearVerdict(editing) {
  document.title = bare;
  show(box, editing);
  show(byId('intro'), !editing);
  box.className = 'verdict waiting';
  box.replaceChildren(...(editing ? [el('h1', {}, say('check.waiting'))] : []));
}

/** The fields of the form by their part of a link. @type {Record<string, string>} */
const fields = { s: 'server', c: 'seal', p: 'clients', number: 'number' };

/** @param {string} text */
const p = (text) => (text ? el('p', {}, text) : null);

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
  return say(report.code === 'syntax' ? 'check.verdict.record' : 'check.verdict.unknown');
}

/**
 * @param {Report} report
 * @param {{typed: boolean, kept: boolean, seen: number[][] | undefined, jump: (roll: number) => void}} context
 */
export function paintVerdict(report, context) {
  const v = values(report, context.seen);
  const sign = /** @type {const} */ ({ proven: 'yes', broken: 'no', unknown: 'ask' })[report.verdict];
  const more = [];
  if (report.verdict === 'proven') more.push(p(say(ownKey('check.proven', report.scheme))));
  if (report.verdict === 'unknown' && !telling.has(report.code)) more.push(p(say('check.unknown')));
  const unread = context.typed && report.fault !== null;
  if (unread) more.push(p(say('check.verdict.fields.text', { where: say('check.field.' + (fields[report.fault.part] ?? 'recorded')) })));
  else if (!titled.has(report.code)) more.push(p(sentence(say(ownKey('verify.' + report.code, report.scheme), v))));
  more.push(clash(report, context.seen), unread ? null : p(hint(report, context.kept, v)));
  if (report.code === 'wrong-dice' && report.rolls > 1) more.push(p(sentence(say(ownKey('verify.others-fit', report.scheme), { count: report.fit }))));
  more.push(...accountTexts(report).map(p));
  more.push(p(stateText(report)));
  if (report.findings.length > 0) more.push(el('ul', { class: 'findings' }, report.findings.map((f) => el('li', {}, findingText(f)))));
  if (report.ignored.length > 0) {
    more.push(el('p', { class: 'small' }, sentence(say('verify.ignored', { names: report.ignored.map((n) => '\u2068' + n + '\u2069').join(', ') }))));
  }
  if (report.place.kind === 'roll' && report.compared[report.place.number - 1]) {
    more.push(el('p', { class: 'row noprint' }, el('button', { type: 'button', on: { click: () => context.jump(report.place.number) } }, say(ownKey('check.show', report.scheme), v))));
  }
  paint(sign, titleOf(report, context.typed), more);
  box.dataset.code = report.code || report.verdict;
}

/** What to do about it. @param {Report} report @param {boolean} kept @param {any} v */
function hint(report, kept, v) {
  if (report.fault !== null && cut.has(report.code)) return say('check.unknown.cut');
  const given = report.code === 'few-fit' && report.verdict === 'broken' ? '.given' : '';
  const key = `verify.${report.code}${given}.hint`;
  if (report.code === 'wrong-dice') return say(ownKey('check.mean', report.scheme), v);
  if (report.code === 'other-seal' && kept) return say('check.other-seal.kept');
  return has(key) ? sentence(say(ownKey(key, report.scheme), v)) : '';
}

/**
 * The record's dice above the others, the odd die marked.
 * @param {Report} report
 * @param {number[][] | undefined} seen
 */
function clash(report, seen) {
  const at = report.place.number - 1;
  /** @param {string} label @param {number[]} values @param {number[] | null} other */
  const line = (label, values, other) => [el('dt', {}, label), el('dd', {}, dice(values, other), spoken(values))];
  if (report.code === 'wrong-dice') {
    const { recorded, computed } = report.compared[at];
    return el('dl', { class: 'clash' }, line(say('check.recorded'), recorded, computed), line(say('check.computed'), computed, null));
  }
  const recorded = report.record?.entries.filter((e) => e.type === 'roll')[at];
  if (report.code === 'other-rolls' && recorded?.type === 'roll' && seen?.[at]) {
    return el('dl', { class: 'clash' }, line(say('check.recorded'), recorded.dice, seen[at]), line(say('check.seen'), seen[at], null));
  }
  return null;
}

/**
 * No verdict, whatever an engine said: a self-test failed, or the engines differ.
 * @param {'selftest' | 'differ'} why
 * @param {string} reports both, to be sent
 * @param {(button: HTMLElement) => void} copyReports
 */
export function paintDoubt(why, reports, copyReports) {
  const mail = 'mailto:?subject=Veridice&body=' + encodeURIComponent(reports);
  paint('ask', say('check.doubt.' + why),
    p(say(`check.doubt.${why}.text`)),
    el('p', { class: 'row' },
      el('button', { type: 'button', on: { click: (/** @type {any} */ e) => copyReports(e.currentTarget) } }, say('check.doubt.copy')),
      el('a', { class: 'btn', href: mail }, say('check.keep.mail'))),
    el('pre', { tabindex: '0', role: 'region', 'aria-label': say('check.doubt.reports') }, reports));
  box.dataset.code = why;
}

/**
 * @param {'seal' | 'rolls' | 'yours'} name
 * @param {Sign} sign
 * @param {string} title
 * @param {string} text
 */
function line(name, sign, title, text) {
  const li = byId('line-' + name);
  li.className = sign;
  li.querySelector('.sign').replaceChildren(icon(sign));
  li.querySelector('b').textContent = title;
  li.querySelector('p').textContent = text;
}

/**
 * The seal fits the seed; so many rolls follow; and the one thing that only the reader can know.
 * @param {Report} report
 * @param {{noted: string, note: {seal: string, at: string} | null}} own what the reader or this phone brings
 */
export function paintLines(report, own) {
  const readable = report.record !== null && report.seal !== '';
  show(byId('lines'), readable);
  if (!readable) return;
  const key = (/** @type {string} */ k) => ownKey(k, report.scheme);
  const stated = report.record?.seal ?? '';
  const given = own.noted || own.note?.seal || '';

  if (stated === '') line('seal', 'ask', say(key('check.line.seal.none')), say(key('check.line.seal.none.text'), { seal: report.seal }));
  else if (stated === report.seal) line('seal', 'yes', say(key('check.line.seal')), say(key('check.line.seal.text')));
  else line('seal', 'no', say(key('check.line.seal.off')), say(key('check.line.seal.off.text')));

  const { rolls, fit } = report;
  const count = { count: rolls, fit, rolls };
  if (rolls === 0) line('rolls', 'ask', say(key('check.line.rolls.none')), say(key('check.line.rolls.none.text')));
  else if (report.compared.length === 0) line('rolls', 'ask', say(key('check.line.rolls.skipped')), say('check.line.rolls.skipped.text'));
  else if (fit === rolls) line('rolls', 'yes', say(key('check.line.rolls'), count), stated === report.seal ? say(key('check.line.rolls.text')) : '');
  else {
    const off = report.compared.findIndex((c) => !c.fits) + 1;
    line('rolls', 'no', say(key('check.line.rolls'), count), say(key('check.line.rolls.off'), { roll: off }));
  }

  const wanted = stated || report.seal;
  const by = own.noted ? 'noted' : 'kept';
  const time = own.note?.at ? moment(own.note.at) : '';
  if (given === '') line('yours', 'ask', say('check.line.yours'), say(key('check.line.yours.text')));
  else if (given === wanted) line('yours', 'yes', say(key('check.line.yours.' + by)), say(`check.line.yours.${by}.text`, { time }));
  else line('yours', 'no', say(key('check.line.yours.off')), say(`check.line.yours.off.${by}`, { time }));
  byId('noted-label').textContent = say(key('check.noted'));
  show(byId('compare'), !own.note || own.noted !== '');
}
