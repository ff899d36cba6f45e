// The public log: which matches are not closed yet, and the entries of any one with their receipts.
import { byId, copy, el, show } from './dom.mjs';
import { has, moment, number, say } from './words.mjs';

const day = 24 * 60 * 60 * 1000;

/** @param {string} path */
async function read(path) {
  const response = await fetch(path);
  if (!response.ok) throw Object.assign(new Error(), { status: response.status });
  return response.json();
}

async function paint() {
  const report = await read('/log/report');
  byId('out').textContent = '';
  byId('size').textContent = say('log.size', { count: report.size, open: number(report.opened), name: report.origin || report.key.split('+')[0] });
  byId('vouched').textContent = report.before ? say('log.before', { when: moment(report.before * 1000) }) : say('log.alone');
  byId('findings').replaceChildren(report.findings.length === 0 ? el('p', {}, say('log.fine'))
    : el('ul', {}, report.findings.map((/** @type {any} */ f) => el('li', {}, finding(f)))),
  report.aborts.map((/** @type {any} */ a) => el('p', {}, say('log.aborts', { count: a.matches, who: who(a.role), pending: a.pending }))));
  byId('open').replaceChildren(...report.open.map(unended));
  byId('key').textContent = 'log ' + report.key;
  for (const part of ['facts', 'own']) show(byId(part), true);
  show(byId('unended'), report.open.length > 0);
}

/** @param {number} role */
const who = (role) => say(role < 0 ? 'log.role.nobody' : role === 0 ? 'log.role.server' : 'log.role.seat', { seat: role });

/** @param {{kind: string, match?: string, seq?: number, index?: number}} f */
function finding({ kind, match, seq, index }) {
  const what = has('log.finding.' + kind) ? say('log.finding.' + kind, { seq: seq ?? 0 }) : kind;
  return [what, ' ', match ? el('span', { class: 'hex' }, match) : null, index === undefined ? null : ' ' + say('log.entry', { index })];
}

/** @param {{match: string, seq: number, expires: number}} one */
function unended({ match, seq, expires }) {
  const left = expires * 1000 - Date.now();
  return el('li', {},
    el('button', { type: 'button', class: 'hex', on: { click: () => find(match) } }, match), ' ',
    el('span', { class: 'small' }, say('log.seq', { seq }), ' · ',
      left < 0 ? say('log.overdue', { count: Math.ceil(-left / day) }) : say('log.due', { count: Math.ceil(left / day) })));
}

/** @param {string} match */
async function find(match) {
  byId('match').value = match;
  const found = byId('found');
  try {
    const { entries } = await read('/log/match/' + encodeURIComponent(match));
    found.replaceChildren(...entries.map(entry));
  } catch (error) {
    found.replaceChildren(el('p', {}, say(/** @type {any} */ (error).status === 404 ? 'log.find.none' : 'log.failed')));
  }
  found.scrollIntoView({ block: 'nearest' });
}

/** @param {{index: number, text: string, receipt: string}} one */
function entry({ index, text, receipt }) {
  const done = el('span', { class: 'out', role: 'status' });
  const take = async () => { done.textContent = say(await copy(receipt) ? 'ui.copied' : 'ui.copy.failed'); };
  return el('section', {}, el('h3', {}, say('log.entry', { index })), el('pre', { class: 'wraps' }, text),
    el('details', {}, el('summary', {}, say('log.receipt')), el('pre', { class: 'wraps' }, receipt)),
    el('p', { class: 'row' }, el('button', { type: 'button', on: { click: take } }, say('log.receipt.copy')), done));
}

byId('find').addEventListener('submit', (/** @type {Event} */ event) => {
  event.preventDefault();
  const match = byId('match').value.trim();
  if (match !== '') find(match);
});

paint().catch(() => { byId('out').textContent = say('log.failed'); });
