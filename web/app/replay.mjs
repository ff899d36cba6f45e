// The replay of a match that is over: forwards and backwards, roll by roll. Which roll is
// shown is a state of the page; the address says only which match.
import { byId, carryFragment, copy, el, groups, show } from './dom.mjs';
import { icon } from './dice.mjs';
import { drawReport, looks } from './check-report.mjs';
import { ownKey, range, sentence } from './check-words.mjs';
import { carry } from './carry.mjs';
import { data, has, lang, list, moment, number, say } from './words.mjs';
import { keptNote, seenRolls } from './kept.mjs';
import { clash, howMade } from './replay-how.mjs';
import { fromServer } from './replay-source.mjs';
import { idInPath, readAddress, toBase64url } from './replay-address.mjs';
import { matchOf, timeline } from './replay-model.mjs';
import { openChains } from './replay-chain.mjs';
import { openInput } from './replay-input.mjs';
import { openMatches } from './matches-store.mjs';
import { readTerms } from './phone/terms.mjs';
import { sha256 } from '../verifier/sha256.mjs';
import { toBytes, toHex } from '../verifier/seed.mjs';
import { openDrawing, told } from './replay-dice.mjs';
import { parseRecord, rollsOf, verify, verifyAsync, writeLink, writeRecord } from '../verifier/veridice.mjs';

/**
 * @typedef {import('../verifier/veridice.mjs').Report} Report
 * @typedef {import('./replay-model.mjs').Match} Match
 * @typedef {import('./replay-model.mjs').Roll} Roll
 *
 * @typedef {object} Shown
 * @property {string} text the record or link
 * @property {string} id of the match on this server, or ''
 * @property {Report} report
 * @property {any} record
 * @property {Match} match
 * @property {ReturnType<typeof openDrawing>} drawing
 * @property {ReturnType<typeof openChains> | null} chains
 * @property {any[]} events
 * @property {import('./kept.mjs').Note | null} note what this phone kept
 */

const mostCells = 500; // rolls of a game that are listed at once
const leastSwipe = 40; // px
const results = ['stage', 'beside', 'rolls', 'told', 'keep'];

/** @type {Shown | null} */
let current = null;
/** 0 is before the first roll, one more than there are rolls is after the last. */
let at = 0;
let run = 0;

// ---- what is shown ----

/** Nothing is shown. @param {string} words why, or '' @param {...any} more */
function nothing(words, ...more) {
  current = null;
  for (const id of results) show(byId(id), false);
  show(byId('intro'), words === '');
  byId('out').replaceChildren(words, ...more);
  byId('verdict').dataset.code = '';
  document.title = say('replay.title') + ' · Veridice';
}

/**
 * Takes a match as text.
 * @param {string} text
 * @param {{id?: string, events?: Promise<any[]>}} [from]
 */
async function take(text, { id = '', events } = {}) {
  const mine = ++run;
  const parsed = parseRecord(text).value;
  const chain = parsed !== null && 'roles' in parsed;
  const first = chain ? null : verify(text); // a long chain is not checked twice
  const read = first === null ? parsed : first.record;
  const note = read !== null && 'roles' in read ? await notedOpening(read.match) : first === null ? null : await keptNote(first);
  if (mine !== run) return;
  const trusted = text.startsWith('veridice proof ') ? { policy: data.policy ?? '' } : {}; // this server's own log
  const options = note === null ? trusted : { ...trusted, seal: note.seal, kept: !note.copy, rolls: seenRolls(note, read === null ? [] : rollsOf(read)) };
  const report = await verifyAsync(text, options);
  if (mine !== run) return;
  if (report.record === null || rollsOf(report.record).length === 0) return unreadable(report);
  const { record } = report;
  const chains = 'roles' in record ? openChains(record) : null;
  current = { text, id, report, record, chains, events: [], note, ...drawn(record, []) };
  at = 0;
  byId('out').replaceChildren();
  show(byId('intro'), false);
  for (const one of results) show(byId(one), true);
  paintVerdict();
  paintKeep();
  byId('h-rolls').textContent = say(ownKey('check.rolls', record.scheme));
  byId('h-sealed').textContent = say(ownKey('replay.sealed', record.scheme));
  paintGames();
  paintEvents();
  go(0, false);
  if (!events) return;
  const came = await events;
  if (mine !== run || came.length === 0) return;
  Object.assign(current, { events: came, ...drawn(record, came) });
  paintEvents();
  paintGames();
  paint();
}

/**
 * The match, and how its rolls are drawn.
 * @param {any} record
 * @param {any[]} events
 */
function drawn(record, events) {
  const match = matchOf(record, events, deckOf(record, events));
  return { match, drawing: openDrawing(match) };
}

/** Cards of the deck that the terms of this match deal from; 0 if the server says none that it was opened with. @param {any} record @param {any[]} events */
function deckOf(record, events) {
  const terms = readTerms(events.find(({ type }) => type === 'opened')?.terms);
  if (terms?.kinds.kind !== 'deck' || toHex(sha256(toBytes(terms.text))) !== record.rules) return 0;
  return terms.kinds.cards;
}

/**
 * The opening of a match of veridice/1 that this browser noted before the first roll.
 * @param {string} match
 */
async function notedOpening(match) {
  const kept = (await openMatches().list()).find((one) => one.own && one.match === match && one.seal !== '' && one.before === 0);
  return kept === undefined ? null : { ...kept, copy: false };
}

/** @param {Report} report */
function unreadable(report) {
  nothing('');
  show(byId('intro'), false);
  show(byId('beside'), true);
  show(byId('sealed'), false);
  const { title, body } = drawReport(report, { typed: false, kept: false, seen: undefined, jump: () => {} });
  fillVerdict('ask', report.record === null ? title : say('replay.no-rolls'), report.code || 'no-rolls', report.record === null ? body : []);
  byId('verdict').focus();
}

/** @param {'yes' | 'no' | 'ask'} sign @param {string} title @param {string} code @param {any[]} body */
function fillVerdict(sign, title, code, body) {
  const box = byId('verdict');
  box.className = 'verdict' + looks[sign];
  box.replaceChildren(el('div', { class: 'vhead' }, icon(sign), el('h2', {}, title)), ...body.filter((m) => m));
  box.dataset.code = code;
  document.title = { yes: '✓', no: '✕', ask: '?' }[sign] + ' ' + title + ' · Veridice';
}

function paintVerdict() {
  const { report, note, record } = /** @type {Shown} */ (current);
  show(byId('sealed'), true);
  const { sign, title, body } = drawReport(report, { typed: false, kept: note !== null && !note.copy, seen: undefined, jump: (roll) => go(roll, true) });
  const by = note?.copy ? 'copy' : 'kept';
  const kept = note !== null && (report.seal || report.opening || record.seal) === note.seal
    ? [el('p', {}, el('b', {}, sentence(say(ownKey(`check.line.yours.${by}`, report.scheme)))), ' ', note.at ? say(`check.line.yours.${by}.text`, { time: moment(note.at) }) : '')] : [];
  fillVerdict(sign, title, report.code || report.verdict, [...(report.verdict === 'proven' ? [] : body), ...kept, el('p', { class: 'small' }, say('replay.engine'))]);
}

/** The last position: after the last roll. */
const end = () => /** @type {Shown} */ (current).match.rolls.length + 1;

/**
 * Goes to a position.
 * @param {number} to
 * @param {boolean} tell whether to say it to those who hear the page
 */
function go(to, tell) {
  if (current === null) return;
  at = Math.max(0, Math.min(to, end()));
  paint();
  if (tell) byId('said').textContent = byId('h-stage').textContent + '. ' + (byId('cast').dataset.words ?? '');
}

function paint() {
  const { match } = /** @type {Shown} */ (current);
  const rolls = match.rolls.length;
  const roll = match.rolls[at - 1] ?? null;
  const key = (/** @type {string} */ k) => ownKey(k, match.scheme);
  byId('h-stage').textContent = at === 0 ? say(key('replay.start')) : roll ? say(key('replay.roll'), { roll: roll.roll, rolls }) : say(key('replay.end'));
  byId('where').replaceChildren(...(roll ? whereOf(roll) : []));
  byId('cast').replaceChildren(...(roll ? cast(roll) : at === 0 ? opening() : ending()));
  byId('number').value = String(Math.min(at, rolls));
  byId('number').setAttribute('aria-label', say('replay.number') + ', ' + say('replay.of', { rolls }));
  for (const id of ['first', 'back']) byId(id).disabled = at === 0;
  for (const id of ['forward', 'last']) byId(id).disabled = at === end();
  paintSeals();
  paintGrid();
}

/** @param {number} seat @returns {any} */
function who(seat) {
  if (seat === 0) return say('replay.server');
  const name = /** @type {Shown} */ (current).match.names[seat];
  return name ? el('bdi', {}, name) : say('replay.seat', { seat });
}

/** The same as text. @param {number} seat */
const whoText = (seat) => (seat === 0 ? say('replay.server') : /** @type {Shown} */ (current).match.names[seat] || say('replay.seat', { seat }));

const clock = new Intl.DateTimeFormat(lang, { dateStyle: 'medium', timeStyle: 'medium' });

/** A moment of the server in the reader's own time. @param {string} utc */
const time = (utc) => el('time', { datetime: utc }, clock.format(new Date(utc)));

/** @param {Roll} roll */
function whereOf(roll) {
  const { match } = /** @type {Shown} */ (current);
  const parts = [
    match.games.length > 1 ? say('check.game', { game: roll.game }) : null,
    roll.seat === null ? null : who(roll.seat), roll.at ? time(roll.at) : null,
  ].filter((part) => part !== null);
  return parts.flatMap((part, i) => (i === 0 ? [part] : [' · ', part]));
}

/** The dice of a roll, what the check says of it, and the way to how it was made. @param {Roll} roll */
function cast(roll) {
  const { report, match, drawing } = /** @type {Shown} */ (current);
  const compared = report.compared.find((c) => c.number === roll.roll) ?? null;
  const own = (/** @type {string} */ key) => ownKey(key, match.scheme);
  /** @type {'yes' | 'no' | 'ask'} */
  const sign = compared === null ? 'ask' : compared.fits ? 'yes' : 'no';
  const words = { yes: say(own('replay.fits')), no: sentence(off(compared?.computed ?? [], roll)), ask: say(own('replay.unreached')) }[sign];
  const read = drawing.told(roll);
  byId('cast').dataset.words = (roll.seat === null ? '' : whoText(roll.seat) + ': ') + read + '. ' + words;
  return [
    el('p', { class: roll.dice.length > 8 ? 'cast many' : 'cast' }, drawing.shown(roll, sign === 'no' ? compared?.computed ?? null : null), el('span', { class: 'visuallyhidden' }, read)),
    el('p', { class: 'fits ' + sign }, icon(sign), el('span', {}, words)),
    roll.moves.length > 0 ? moves(roll.moves, say('replay.moves')) : '',
    el('p', { class: 'row noprint' }, el('button', { type: 'button', id: 'open-how', 'aria-haspopup': 'dialog', on: { click: () => explainRoll(roll) } }, say(own('replay.how')))),
  ];
}

/** @param {number[]} computed @param {Roll} roll */
const off = (computed, roll) => (computed.length > 0
  ? say(ownKey('replay.off', /** @type {Shown} */ (current).match.scheme), { dice: told(computed, roll.faces) }) : say('check.rolls.off.none'));

/** @param {import('./replay-model.mjs').Move[]} list @param {string} title */
const moves = (list, title) => el('div', { class: 'moves' }, el('p', { class: 'small' }, title),
  el('ul', {}, list.map(({ role, move }) => el('li', {}, who(role), ': ', el('code', {}, move)))));

/** Before the first roll: what stood there for everybody to note. */
function opening() {
  const { match, events } = /** @type {Shown} */ (current);
  const when = timeline(events).find(({ type }) => type === 'opened')?.at;
  const text = say(ownKey('replay.start.text', match.scheme));
  byId('cast').dataset.words = text;
  return [el('p', {}, text), when ? el('p', { class: 'small' }, time(when)) : ''];
}

/** After the last roll. */
function ending() {
  const { match, report, record } = /** @type {Shown} */ (current);
  const texts = [say('replay.played', { count: match.rolls.length })];
  if (record.state === 'aborted') texts.push(sentence('roles' in record && record.role !== null ? say('verify.aborted.by', { role: whoText(record.role) }) : say('verify.state.aborted')));
  if ('roles' in record) {
    if (record.pending !== null) texts.push(sentence(say('verify.pending', { roll: record.pending.roll })));
    if (report.unchecked.length === 0) texts.push(report.signed.length === 0 ? sentence(say('verify.signed.nobody')) : sentence(say('verify.signed', { roles: list(report.signed.map(whoText)) })));
  }
  byId('cast').dataset.words = texts.join(' ');
  return [...texts.map((text) => el('p', {}, text)), match.rest.length > 0 ? moves(match.rest, say('replay.moves.after')) : ''];
}

/** @param {Roll} roll */
function explainRoll(roll) {
  const { match, record, chains } = /** @type {Shown} */ (current);
  const own = (/** @type {string} */ key) => ownKey(key, match.scheme);
  const made = howMade(match, record, chains, roll.roll);
  const dialog = byId('how');
  dialog.replaceChildren(
    el('h2', { id: 'how-title', tabindex: '-1', autofocus: true }, say(own('check.roll'), { roll: roll.roll })),
    made === null ? el('p', {}, say(own('replay.unmade'))) : made.body, made === null ? '' : clash(roll.dice, made.dice, roll.faces),
    el('form', { method: 'dialog' }, el('button', { class: 'primary' }, say('ui.close'))));
  dialog.showModal();
}

// ---- the seal and what opened it ----

/** @param {string} title @param {any} value @param {string} plain @param {...any} more */
function row(title, value, plain, ...more) {
  const button = el('button', { type: 'button', class: 'copy noprint', 'aria-label': say('ui.copy') + ': ' + title }, say('ui.copy'));
  button.addEventListener('click', async () => { button.textContent = say((await copy(plain)) ? 'ui.copied' : 'ui.copy.failed'); });
  return el('div', {}, el('dt', {}, title, plain === '' ? null : button), el('dd', {}, plain === '' ? value : el('span', { class: 'hex' }, value), more));
}

/** @param {'yes' | 'no' | 'ask'} sign @param {string} text */
const mark = (sign, text) => el('p', { class: 'fits ' + sign }, icon(sign), el('span', {}, text));

function paintSeals() {
  const { record, chains } = /** @type {Shown} */ (current);
  byId('seals').replaceChildren(chains === null ? classic(record) : anchors());
}

/** A seal, and after the last roll what it kept: never earlier. @param {any} record */
function classic(record) {
  const { report, match } = /** @type {Shown} */ (current);
  const own = (/** @type {string} */ key) => ownKey(key, match.scheme);
  const clients = record.clients ?? [];
  /** @type {any} */
  let opened;
  if (at < end()) {
    opened = row(say(own('check.field.server')), [
      el('p', {}, say(own('replay.closed'))),
      el('p', { class: 'row noprint' }, el('button', { type: 'button', on: { click: () => { go(end(), true); byId('h-stage').focus(); } } }, say('replay.open')))], '');
  } else if (record.seed === null) opened = row(say(own('check.field.server')), el('p', {}, say(own('replay.never'))), '');
  else {
    const sign = record.seal === null ? 'ask' : record.seal === report.seal ? 'yes' : 'no';
    opened = row(say(own('check.field.server')), groups(record.seed), record.seed,
      mark(sign, say(own({ ask: 'replay.opened.none', yes: 'replay.opened', no: 'replay.opened.off' }[sign]))));
  }
  return el('dl', { class: 'nums' },
    record.seal === null ? row(say(own('check.field.seal')), el('p', {}, say(own('replay.opened.none'))), '') : row(say(own('check.field.seal')), groups(record.seal), record.seal),
    opened,
    clients.length === 0 ? '' : row(say('check.field.clients'), clients.map((/** @type {string} */ c, /** @type {number} */ i) => [i > 0 ? el('br') : null, `${i + 1}  ${c}`]), clients.join('\n')));
}

/** The anchors, and of each chain the link of the roll that is shown. */
function anchors() {
  const { record, chains, match } = /** @type {any} */ (current);
  const n = Math.min(at, match.rolls.length);
  return el('dl', { class: 'nums' }, row(say('check.field.seal.veridice'), groups(chains.opening), chains.opening),
    record.roles.map((/** @type {{anchor: string}} */ { anchor }, /** @type {number} */ role) => {
      const link = n === 0 ? '' : chains.link(role, n);
      return el('div', {}, el('dt', {}, el('span', {}, who(role), ': ', say('replay.anchor'))), el('dd', {}, el('span', { class: 'hex' }, groups(anchor)),
        link === '' ? el('p', { class: 'small' }, say('replay.link.none')) : [
          el('p', { class: 'small' }, say('replay.link', { roll: n })), el('span', { class: 'hex' }, groups(link)),
          chains.holds(role) ? mark('yes', say('replay.link.fits', { count: n })) : mark('no', say('replay.link.off'))]));
    }));
}

// ---- the rolls of a game ----

/** Parts of the match that are listed at once. @type {{first: number, last: number}[]} */
let chunks = [];

function paintGames() {
  const { match } = /** @type {Shown} */ (current);
  chunks = match.games.flatMap(({ first, last }) => {
    const list = [];
    for (let from = first; from <= last; from += mostCells) list.push({ first: from, last: Math.min(from + mostCells - 1, last) });
    return list;
  });
  show(byId('choose'), chunks.length > 1);
  byId('game').replaceChildren(...chunks.map(({ first, last }, i) => {
    const rolls = say('check.game.rolls', { range: range(first, last), count: last - first + 1 });
    return el('option', { value: i }, match.games.length > 1 ? say('check.game', { game: match.rolls[first - 1].game }) + ': ' + rolls : rolls);
  }));
  listed = '';
}

let listed = ''; // what the grid shows now

function paintGrid() {
  const { match, report } = /** @type {Shown} */ (current);
  const n = Math.max(1, Math.min(at, match.rolls.length));
  const chunk = chunks.findIndex(({ first, last }) => n >= first && n <= last);
  const { first, last } = chunks[chunk];
  byId('game').value = String(chunk);
  if (listed !== `${run} ${chunk}`) {
    listed = `${run} ${chunk}`;
    const rolls = match.rolls.slice(first - 1, last);
    const fits = new Map(report.compared.map((c) => [c.number, c]));
    byId('grid').replaceChildren(el('ol', { class: 'rolls' + (rolls.some((r) => r.dice.length > 3) ? ' long' : ''), start: first }, rolls.map((r) => cell(r, fits.get(r.roll) ?? null))));
  }
  for (const button of byId('grid').querySelectorAll('button')) {
    const here = Number(button.value) === at;
    button.tabIndex = Number(button.value) === n ? 0 : -1;
    if (here) button.setAttribute('aria-current', 'true');
    else button.removeAttribute('aria-current');
  }
}

/** @param {Roll} roll @param {import('../verifier/veridice.mjs').Compared | null} compared */
function cell(roll, compared) {
  const odd = compared !== null && !compared.fits;
  const { drawing } = /** @type {Shown} */ (current);
  const label = `${number(roll.roll)}: ${drawing.told(roll)}` + (odd ? ', ' + off(compared.computed, roll) : '');
  return el('li', { class: odd ? 'off' : null }, el('button', { type: 'button', value: roll.roll, on: { click: () => go(roll.roll, true) } },
    el('span', { class: 'visuallyhidden' }, label),
    el('span', { class: 'no', 'aria-hidden': 'true' }, odd ? icon('no') : null, number(roll.roll)),
    el('span', { class: 'throw', 'aria-hidden': 'true' }, drawing.small(roll, odd ? compared.computed : null))));
}

byId('game').addEventListener('change', () => go(chunks[Number(byId('game').value)].first, true));

// ---- what happened ----

/** What a seat does; the other events are told by themselves. */
const acts = new Set(['acknowledged', 'seeded', 'joined', 'readied', 'game', 'end-asked', 'signed']);

function paintEvents() {
  const { events, match } = /** @type {Shown} */ (current);
  const zone = new Intl.DateTimeFormat().resolvedOptions().timeZone;
  byId('zone').textContent = events.length === 0 ? say('replay.told.none') : say('replay.told.zone', { zone });
  byId('events').replaceChildren(...timeline(events).filter(({ type }) => type === 'rolls' || has('replay.told.' + type)).map((e) => {
    const rolls = () => el('button', { type: 'button', class: 'link', on: { click: () => { go(e.from, true); byId('h-stage').focus(); } } }, say(ownKey('replay.told.rolls', match.scheme), { range: range(e.from, e.to), count: e.to - e.from + 1 }));
    const until = e.until && e.until !== e.at ? [' – ', el('time', { datetime: e.until }, new Intl.DateTimeFormat(lang, { timeStyle: 'medium' }).format(new Date(e.until)))] : null;
    return el('li', {}, e.at ? el('span', { class: 'when' }, time(e.at), until) : null,
      el('span', {}, e.type === 'rolls' ? rolls() : [acts.has(e.type) && e.seat > 0 ? [who(e.seat), ': '] : null, say(ownKey('replay.told.' + e.type, match.scheme))]));
  }));
}

// ---- to keep and pass on ----

/** The record or proof as a file: as it was given, if it is one. */
const recordText = () => {
  const { text, record } = /** @type {Shown} */ (current);
  return text.startsWith('veridice ') ? text : writeRecord(record);
};

/** The fragment by which another page is given this match; '' if it has to carry the text. */
function fragmentOf() {
  const { id, record } = /** @type {Shown} */ (current);
  if (id !== '') return '#m=' + id;
  const link = writeLink(record);
  return link === null ? '' : '#' + link;
}

function paintKeep() {
  const { id, record } = /** @type {Shown} */ (current);
  const link = writeLink(record);
  byId('check').href = `/${lang}/check/` + (link === null ? '' : '#' + link);
  const fragment = fragmentOf();
  byId('luck').href = `/${lang}/luck/` + (fragment || '#record=' + toBase64url(recordText()));
  show(byId('copy-link'), fragment !== '');
  show(byId('who-may'), id !== '');
  byId('keep-out').textContent = '';
  const file = byId('record');
  file.download = `veridice-${record.match ?? 'match'}.txt`;
  if (file.href.startsWith('blob:')) URL.revokeObjectURL(file.href);
  file.href = URL.createObjectURL(new Blob([recordText()], { type: 'text/plain' }));
}

byId('check').addEventListener('click', (/** @type {Event} */ event) => {
  if (current === null || writeLink(current.record) !== null || carry(recordText())) return;
  event.preventDefault();
  byId('keep-out').textContent = say('replay.check.save');
});
byId('copy-link').addEventListener('click', async () => {
  const done = await copy(location.origin + `/${lang}/match/` + fragmentOf());
  byId('keep-out').textContent = say(done ? 'ui.copied' : 'ui.copy.failed');
});

// ---- what the reader does ----

for (const [id, to] of /** @type {[string, () => number][]} */ ([['first', () => 0], ['back', () => at - 1], ['forward', () => at + 1], ['last', () => end()]])) {
  byId(id).addEventListener('click', () => {
    go(to(), true);
    if (byId(id).disabled) byId('h-stage').focus(); // else who tabs would be thrown to the top
  });
}

byId('number').addEventListener('change', () => {
  const text = byId('number').value.trim();
  if (/^[0-9]{1,6}$/.test(text)) go(Math.min(Number(text), end() - 1), true);
  else if (current !== null) paint();
});

addEventListener('keydown', (event) => {
  const target = /** @type {HTMLElement} */ (event.target);
  if (current === null || event.ctrlKey || event.altKey || event.metaKey || target.closest('input, textarea, select, dialog[open]')) return;
  /** @type {Record<string, () => number>} */
  const to = { ArrowRight: () => at + 1, ArrowLeft: () => at - 1, Home: () => 0, End: () => end() };
  if (!Object.hasOwn(to, event.key)) return;
  event.preventDefault();
  const inGrid = target.closest('#grid') !== null;
  go(to[event.key](), true);
  if (inGrid) byId('grid').querySelector('[tabindex="0"]')?.focus();
});

/** Where a finger came down. @type {{x: number, y: number} | null} */
let down = null;
byId('stage').addEventListener('touchstart', (/** @type {TouchEvent} */ event) => {
  const [finger] = event.touches;
  down = event.touches.length === 1 ? { x: finger.clientX, y: finger.clientY } : null;
}, { passive: true });
byId('stage').addEventListener('touchend', (/** @type {TouchEvent} */ event) => {
  const [finger] = event.changedTouches;
  if (down === null) return;
  const [x, y] = [finger.clientX - down.x, finger.clientY - down.y];
  down = null;
  if (Math.abs(x) >= leastSwipe && Math.abs(x) > 2 * Math.abs(y)) go(at + (x < 0 ? 1 : -1), true);
});

openInput((text) => {
  const report = verify(text);
  const link = report.record === null ? null : writeLink(report.record);
  history.pushState(null, '', `/${lang}/match/` + (link === null ? '' : '#' + link)); // what no address can hold stands under none
  carryFragment();
  take(text);
});

async function open() {
  const mine = ++run;
  const address = readAddress(location.hash);
  nothing('');
  if (address.kind === 'fault') return nothing(say('replay.cut'));
  if (address.kind === 'text') return take(address.text);
  if (address.kind === 'kept') {
    const text = await openMatches().textOf(address.id);
    if (mine !== run) return;
    return text === null ? nothing(say('replay.kept.none')) : take(text);
  }
  if (address.kind !== 'match') return;
  nothing(say('replay.loading'));
  const found = await fromServer(address.id, () => { if (mine === run) byId('out').textContent = say('replay.trouble'); });
  if (mine !== run) return;
  if ('text' in found) return take(found.text, found);
  const table = el('a', { href: `/${lang}/table/#m=${address.id}` }, say('replay.running.watch'));
  nothing(say('replay.' + found.fault, { status: found.status }), ...(found.fault === 'running' ? [' ', table] : []));
}

// An address that ends in the id has it in front of the #: it is put behind, where no server and no log sees it again.
const id = idInPath(location.pathname);
if (id !== '') history.replaceState(null, '', `/${lang}/match/#m=${id}`);
carryFragment();
addEventListener('hashchange', open);
open();
