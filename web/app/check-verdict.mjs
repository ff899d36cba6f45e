// The verdict and the three lines under it.
import { byId, el, show } from './dom.mjs';
import { icon } from './dice.mjs';
import { moment, say } from './words.mjs';
import { ownKey } from './check-words.mjs';
import { drawReport, looks, p } from './check-report.mjs';
import { mailTo } from './check-send.mjs';

/**
 * @typedef {import('../verifier/veridice.mjs').Report} Report
 * @typedef {'yes' | 'no' | 'ask'} Sign
 * @typedef {{noted: string, note: import('./kept.mjs').Note | null}} Own what the reader or this phone brings
 */

const marks = { yes: '✓', no: '✕', ask: '?' };
const box = byId('verdict');
const bare = document.title;

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
  delete box.dataset.code;
  show(box, editing);
  show(byId('intro'), !editing);
  box.className = 'verdict waiting';
  box.replaceChildren(...(editing ? [el('h1', {}, say('check.waiting'))] : []));
}

/**
 * @param {Report} report
 * @param {import('./check-report.mjs').Context} context
 */
export function paintVerdict(report, context) {
  const { sign, title, body } = drawReport(report, context);
  paint(sign, title, body);
  box.dataset.code = report.code || report.verdict;
}

/**
 * No verdict, whatever an engine said: a self-test failed, or the engines differ.
 * @param {'selftest' | 'differ'} why
 * @param {string} reports both, to be sent
 * @param {(button: HTMLElement) => void} copyReports
 */
export function paintDoubt(why, reports, copyReports) {
  paint('ask', say('check.doubt.' + why),
    p(say(`check.doubt.${why}.text`)),
    el('p', { class: 'row' },
      el('button', { type: 'button', on: { click: (/** @type {any} */ e) => copyReports(e.currentTarget) } }, say('check.doubt.copy')),
      el('a', { class: 'btn', href: mailTo(reports) }, say('check.keep.mail'))),
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
 * @param {Own} own
 */
export function paintLines(report, own) {
  const fits = report.record !== null && report.seal !== '';
  const wanted = report.record?.seal || report.seal || report.opening;
  show(byId('lines'), report.record !== null && wanted !== '');
  for (const name of ['seal', 'rolls']) show(byId('line-' + name), fits);
  if (report.record === null || wanted === '') return;
  paintYours(report.scheme, wanted, own);
  if (!fits) return;
  const key = (/** @type {string} */ k) => ownKey(k, report.scheme);
  const stated = report.record.seal ?? '';

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
}

/**
 * Whether this is the seal, or the opening of veridice/1, that was there before the first roll.
 * @param {string} scheme
 * @param {string} wanted
 * @param {Own} own
 */
function paintYours(scheme, wanted, own) {
  const key = (/** @type {string} */ k) => ownKey(k, scheme);
  const given = own.noted || own.note?.seal || '';
  const by = own.noted ? 'noted' : own.note?.copy ? 'copy' : 'kept';
  const time = own.note?.at ? moment(own.note.at) : '';
  const text = time === '' ? 'noted' : by;
  if (given === '') line('yours', 'ask', say('check.line.yours'), say(key('check.line.yours.text')));
  else if (given === wanted) line('yours', 'yes', say(key('check.line.yours.' + by)), say(`check.line.yours.${text}.text`, { time }));
  else line('yours', 'no', say(key('check.line.yours.off')), say(key(`check.line.yours.off.${text}`), { time }));
  byId('noted-label').textContent = say(key('check.noted'));
  show(byId('compare'), !own.note || own.noted !== '');
}
