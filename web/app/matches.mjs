// My matches: what this browser keeps of each, checked again on the spot. Nothing is sent.
import { byId, el, groups, show } from './dom.mjs';
import { icon } from './dice.mjs';
import { carry } from './carry.mjs';
import { lang, list as listed, moment, say } from './words.mjs';
import { ownKey } from './check-words.mjs';
import { titleOf } from './check-report.mjs';
import { check, openMatches, readFile, recordOf, writeFile } from './matches-store.mjs';
import { rollsOf, verify, writeLink } from '../verifier/veridice.mjs';

/** @typedef {import('./matches-store.mjs').Listed} Listed */

const mostFile = 64 * 1024 * 1024;
const matches = openMatches();

/** @type {Listed[]} */
let all = [];
let run = 0;

async function paint() {
  const mine = ++run;
  const found = await matches.list();
  if (mine !== run) return;
  all = found;
  show(byId('none'), all.length === 0);
  byId('save').disabled = byId('clear').disabled = all.length === 0;
  const items = all.map(item);
  byId('list').replaceChildren(...items.map(({ node }) => node));
  for (const { look } of items) {
    await look();
    if (mine !== run) return;
  }
  byId('matches').dataset.done = String(mine);
}

/** @param {Listed} kept */
function item(kept) {
  const { match, scheme, seal, at, before, rolls, own, seat, differs, evidence } = kept;
  const text = recordOf(kept);
  const said = el('div', { class: 'fits', role: 'status' });
  const words = (/** @type {string} */ key) => ownKey(key, scheme);
  const when = at === '' ? say('matches.no-time') : moment(at);
  const read = text === null ? null : verify(text).record;
  const count = read === null ? rolls.length : rollsOf(read).length;
  const facts = [scheme, say(words('matches.rolls'), { count }), seat === null ? null : say('replay.seat', { seat })].filter((fact) => fact !== null);
  const out = el('p', { class: 'out', role: 'status' });
  const node = el('li', { 'data-match': match },
    el('h2', {}, when, own ? null : el('span', { class: 'copy-mark' }, say('matches.copy'))),
    el('p', { class: 'small' }, facts.join(' · ')),
    said,
    differs || evidence.length > 0 ? el('div', { class: 'fits no' }, icon('no'), el('span', {}, say('matches.contradicts'))) : null,
    el('p', {}, seal === '' ? say('matches.no-seal') : before > 0 ? say(words('matches.late'), { roll: before }) : say(words(own ? 'matches.noted' : 'matches.noted.copy'))),
    seal === '' ? null : el('details', {}, el('summary', {}, say(words('check.field.seal'))), el('span', { class: 'hex' }, groups(seal))),
    el('p', { class: 'row noprint' },
      text === null ? null : checkLink(text, read, when, out),
      text === null ? null : el('a', { class: 'btn', href: `/${lang}/match/#kept=${match}`, 'aria-label': say('matches.replay') + ': ' + when }, say('matches.replay')),
      text === null ? null : el('a', { class: 'btn', href: `/${lang}/luck/#kept=${match}`, 'aria-label': say('matches.luck') + ': ' + when }, say('matches.luck')),
      el('button', { type: 'button', 'aria-label': say('matches.forget') + ': ' + when, on: { click: () => ask([kept]) } }, say('matches.forget'))),
    out);
  return { node, look };

  async function look() {
    const report = await check(kept);
    const sign = report === null ? 'ask' : /** @type {const} */ ({ proven: 'yes', broken: 'no', unknown: 'ask' })[report.verdict];
    said.className = 'fits ' + sign;
    said.dataset.code = report === null ? 'nothing' : report.code || report.verdict;
    said.replaceChildren(icon(sign), el('span', {}, report === null ? say('matches.not-yet') : titleOf(report, false)));
  }
}

/** @param {string} text @param {any} record @param {string} when @param {HTMLElement} out */
function checkLink(text, record, when, out) {
  const link = record === null ? null : writeLink(record);
  const go = (/** @type {Event} */ event) => {
    if (link !== null || carry(text)) return;
    event.preventDefault();
    out.textContent = say('replay.check.save');
  };
  return el('a', { class: 'btn primary', href: `/${lang}/check/` + (link === null ? '' : '#' + link), 'aria-label': say('matches.check') + ': ' + when, on: { click: go } }, say('matches.check'));
}

/** Asks before anything is forgotten, and says what is lost by it. @param {Listed[]} which */
function ask(which) {
  const one = which.length === 1 ? which[0] : null;
  const open = which.filter((kept) => kept.own && isOpen(kept)).length;
  const own = which.filter((kept) => kept.own).length;
  const dialog = byId('ask');
  const forget = async () => {
    dialog.close();
    try {
      await matches.forget(one === null ? null : one.match);
      byId('carry-out').textContent = say('matches.forgotten', { count: which.length });
    } catch {
      byId('carry-out').textContent = say('matches.refused');
    }
    await paint();
  };
  dialog.replaceChildren(
    el('h2', { id: 'ask-title' }, one === null ? say('matches.clear.title', { count: which.length }) : say('matches.forget.title')),
    own > 0 ? el('p', {}, say('matches.lost.seal')) : el('p', {}, say('matches.lost.copy')),
    open > 0 ? el('p', {}, el('b', {}, say('matches.lost.open', { count: open }))) : '',
    el('p', {}, say('matches.lost.save')),
    el('form', { method: 'dialog', class: 'row' }, el('button', { class: 'primary', autofocus: true }, say('matches.keep')),
      el('button', { type: 'button', id: 'really', on: { click: forget } }, say('matches.really'))));
  dialog.showModal();
}

/** Whether the match may still be played with what is kept here. @param {Listed} kept */
const isOpen = ({ scheme, server, record }) => (scheme === 'veridice/1' ? record === '' : server === null);

byId('clear').addEventListener('click', () => ask(all));

byId('save').addEventListener('click', () => {
  const now = new Date().toISOString();
  const url = URL.createObjectURL(new Blob([writeFile(all, now)], { type: 'application/json' }));
  el('a', { href: url, download: `veridice-matches-${now.slice(0, 10)}.json` }).click();
  setTimeout(() => URL.revokeObjectURL(url), 60000);
});

byId('file').addEventListener('change', async () => {
  const [file] = byId('file').files;
  byId('file').value = ''; // the same file again is a change too
  if (!file) return;
  const out = byId('carry-out');
  const read = file.size > mostFile ? { matches: null, fault: { code: 'format', number: 0 } } : readFile(await file.text());
  if (read.matches === null) {
    out.textContent = say('matches.fault.' + read.fault.code, { number: read.fault.number });
    return;
  }
  try {
    const { added, known, differ } = await matches.add(read.matches);
    const texts = [say('matches.added', { count: added })];
    if (known > 0) texts.push(say('matches.known', { count: known }));
    if (differ.length > 0) texts.push(say('matches.differ', { matches: listed(differ.map((match) => '\u2068' + match + '\u2069')) }));
    out.textContent = texts.join(' ');
  } catch {
    out.textContent = say('matches.full');
  }
  await paint();
});

paint();
