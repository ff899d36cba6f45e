// The form: every part of a match, to be read, copied and changed by hand.
import { byId, copy, el, groups, show } from './dom.mjs';
import { say } from './words.mjs';
import { ownKey, whereOf } from './check-words.mjs';
import { readClients, readHex, readNumber, readRolls } from '../verifier/paste.mjs';
import { gamesOf, rollsOf } from '../verifier/record.mjs';

/** @typedef {import('../verifier/veridice.mjs').Report} Report */

const names = ['server', 'seal', 'clients', 'number', 'recorded'];
const box = (/** @type {string} */ name) => byId('f-' + name);

/** Rolls in each game, as the text that filled the form said. @type {number[]} */
let games = [];

/** @returns {import('../verifier/veridice.mjs').Fields} */
export function readFields() {
  const scheme = byId('f-scheme').value;
  return {
    scheme, server: box('server').value, seal: box('seal').value, clients: box('clients').value,
    number: box('number').value, rolls: box('recorded').value, games,
  };
}

/** Whether nothing at all stands in the form. */
export const isEmpty = () => names.every((name) => box(name).value.trim() === '');

/** Fills the form with what was read from a text. @param {Report} report */
export function fillFields(report) {
  const { record } = report;
  const rolls = record === null ? [] : rollsOf(record);
  const yayay = record?.scheme === 'yayay/1';
  games = record === null ? [] : gamesOf(record);
  byId('f-scheme').value = record?.scheme ?? 'tavli/1';
  box('server').value = groups(record?.seed ?? '');
  box('seal').value = groups(record?.seal ?? '');
  box('clients').value = (record?.clients ?? []).join('\n');
  box('number').value = report.show || '';
  const lines = [];
  for (let i = 0; i < rolls.length; i += yayay ? 1 : 5) {
    lines.push(rolls.slice(i, i + (yayay ? 1 : 5)).map(({ roll, dice }) => `${roll}. ${dice.join('-')}`).join('  '));
  }
  box('recorded').value = lines.join('\n');
  tellRead();
}

/** Says under each field what was understood of it. */
export function tellRead() {
  const scheme = byId('f-scheme').value;
  show(byId('field-clients'), scheme === 'tavli/1');
  /** @type {[string, {value: any, fault: any}, (value: any) => string][]} */
  const readings = [
    ['server', readHex(box('server').value, 's'), (hex) => (hex === '' ? '' : say('check.read.bytes', { count: hex.length / 2 }))],
    ['seal', readHex(box('seal').value, 'c'), sealRead],
    ['clients', readClients(box('clients').value), (clients) => (clients.length === 0 ? '' : say('check.read.clients', { count: clients.length }))],
    ['number', readNumber(box('number').value), (count) => (count === undefined ? '' : say('check.read.rolls', { count }))],
    ['recorded', readRolls(box('recorded').value, scheme), (rolls) => (rolls.length === 0 ? '' : say('check.read.rolls', { count: rolls.length }))],
  ];
  for (const [name, { value, fault }, tell] of readings) {
    const out = byId('read-' + name);
    out.textContent = fault === null ? tell(value) : say('check.read.fault', { where: fieldPlace(fault) });
    out.classList.toggle('wrong', fault !== null);
    if (fault === null) box(name).removeAttribute('aria-invalid');
    else box(name).setAttribute('aria-invalid', 'true');
    fit(box(name));
  }
}

/** @param {string} hex */
function sealRead(hex) {
  if (hex === '') return '';
  return hex.length === 64 ? say('check.read.whole') : say('check.read.short', { count: hex.length });
}

/** Inside a field the part need not be named. @param {import('../verifier/veridice.mjs').Fault} fault */
const fieldPlace = (fault) => whereOf({ ...fault, part: '', line: fault.line || 1 });

/** A box is as high as what stands in it. @param {HTMLTextAreaElement} area */
function fit(area) {
  area.style.height = 'auto';
  area.style.height = Math.min(area.scrollHeight + 4, 400) + 'px';
}

addEventListener('resize', () => names.forEach((name) => fit(box(name))));

/** The parts of a match to read and to copy, on the screen and on paper. @param {Report | null} report */
export function paintNumbers(report) {
  const record = report?.record ?? null;
  if (record === null) return byId('nums').replaceChildren();
  /** @param {string} field @param {string} plain @param {any} shown */
  const row = (field, plain, shown) => {
    const name = say(ownKey('check.field.' + field, record.scheme));
    const button = el('button', { type: 'button', class: 'copy', 'aria-label': say('ui.copy') + ': ' + name }, say('ui.copy'));
    button.addEventListener('click', async () => { button.textContent = say((await copy(plain)) ? 'ui.copied' : 'ui.copy.failed'); });
    return el('div', {}, el('dt', {}, name, button), el('dd', {}, el('span', { class: 'hex' }, shown)));
  };
  if ('roles' in record) return byId('nums').replaceChildren(row('seal', report.opening, groups(report.opening)));
  const clients = record.clients ?? [];
  byId('nums').replaceChildren(...[
    record.seed === null ? null : row('server', record.seed, groups(record.seed)),
    record.seal === null ? null : row('seal', record.seal, groups(record.seal)),
    clients.length === 0 ? null : row('clients', clients.join('\n'), clients.map((c, i) => [i > 0 ? el('br') : null, `${i + 1}  ${c}`])),
  ].filter((r) => r !== null));
}
