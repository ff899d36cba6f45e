// The rolls of a match in a grid by games, and the dialog that shows how one was made.
import { byId, el, groups, show } from './dom.mjs';
import { bytes } from './bytes.mjs';
import { dice, die, icon, spoken } from './dice.mjs';
import { data, lang, number, say } from './words.mjs';
import { ownKey, range } from './check-words.mjs';
import { computeRolls, explain, gamesOf, rollsOf } from '../verifier/veridice.mjs';

/** @typedef {import('../verifier/veridice.mjs').Report} Report */

const most = 1000; // cells that are made at once; 100,000 would hold up a phone for seconds
const grid = byId('grid');

/** @type {HTMLElement[]} */
let cells = [];
/** @type {Report | null} */
let shown = null;
let limit = most;

/**
 * @param {Report} report
 */
export function paintRolls(report) {
  shown = report;
  limit = most;
  paintCells();
}

/** @typedef {{number: number, dice: number[], computed: number[] | null, fits: boolean, faces?: number[]}} Cell faces are those of veridice/1 */

/** The rolls of a report: compared ones, or computed ones where nothing is recorded. @param {Report} report @returns {Cell[]} */
function cellsOf(report) {
  if (report.compared.length > 0) {
    const entries = report.record === null ? [] : rollsOf(report.record);
    return report.compared.map((c, i) => ({ number: c.number, dice: c.recorded, computed: c.computed, fits: c.fits, faces: entries[i]?.faces }));
  }
  if (report.show === 0 || report.record?.seed == null) return [];
  const made = computeRolls(report.record, Array(report.show).fill(2));
  return made.map((/** @type {number[]} */ values, /** @type {number} */ i) => ({ number: i + 1, dice: values, computed: null, fits: true }));
}

function paintCells() {
  const report = /** @type {Report} */ (shown);
  const rolls = cellsOf(report);
  show(byId('rolls'), rolls.length > 0);
  cells = [];
  if (report.record === null || rolls.length === 0) return grid.replaceChildren();
  byId('rolls-hint').replaceChildren(say(report.compared.length > 0 ? ownKey('check.rolls.hint', report.scheme) : 'check.rolls.only'), ...replayLink(report));
  byId('h-rolls').textContent = say(ownKey('check.rolls', report.scheme));
  const games = report.compared.length > 0 ? gamesIn(report.record) : [];
  const long = rolls.some((r) => r.dice.length > 3 || (r.dice.length > 1 && r.faces?.some((n) => n !== 6)));
  const parts = [];
  let from = 0;
  for (const [i, length] of (games.length > 0 ? games : [rolls.length]).entries()) {
    const game = rolls.slice(from, Math.min(from + length, limit));
    if (game.length === 0) break;
    if (games.length > 0) {
      parts.push(el('div', { class: 'gamehead' }, el('h3', {}, say('check.game', { game: i + 1 })), el('span', {}, say('check.game.rolls', { range: range(from + 1, from + length), count: length }))));
    }
    parts.push(el('ol', { class: 'rolls' + (long ? ' long' : ''), start: from + 1 }, game.map((r) => el('li', { class: r.fits ? null : 'off' }, cell(r)))));
    from += length;
  }
  if (rolls.length > limit) {
    parts.push(el('p', { class: 'row noprint' }, el('button', { type: 'button', on: { click: more } }, say('check.rolls.more', { count: Math.min(most, rolls.length - limit) }))));
  }
  grid.replaceChildren(...parts);
}

function more() {
  const at = cells.length;
  limit += most;
  paintCells();
  move(0, at);
}

/** The replay shows how a roll of veridice/1 was made. @param {Report} report */
function replayLink({ scheme }) {
  if (scheme !== 'veridice/1' || data.file || !location.hash.startsWith('#record=')) return [];
  return [' ', el('a', { href: `/${lang}/match/${location.hash}` }, say('check.rolls.replay'))];
}

/** Rolls in each game; none where a match is not divided. @param {any} record @returns {number[]} */
function gamesIn(record) {
  if (!('roles' in record)) return gamesOf(record);
  const games = [0];
  for (const entry of record.entries) {
    if (entry.type === 'roll') games[games.length - 1]++;
    else if (entry.move === 'game') games.push(0);
  }
  return games.length > 1 ? games : [];
}

/** @param {Cell} roll */
function cell(roll) {
  const off = roll.computed === null || roll.fits ? '' : ', ' + (roll.computed.length > 0 ? say('check.rolls.off', { dice: spoken(roll.computed) }) : say('check.rolls.off.none'));
  const label = `${number(roll.number)}: ${spoken(roll.dice)}${off}`;
  const at = cells.length;
  const b = el('button', { type: 'button', tabindex: at === 0 ? '0' : '-1', 'aria-label': label, on: { click: () => open(at + 1) } },
    el('span', { class: 'no' }, roll.fits ? null : icon('no'), number(roll.number)),
    el('span', { class: 'throw' }, dice(roll.dice, roll.fits ? null : roll.computed, roll.faces)));
  if (shown?.scheme === 'veridice/1') b.setAttribute('aria-disabled', 'true');
  else b.setAttribute('aria-haspopup', 'dialog');
  cells.push(b);
  return b;
}

/** Leads to a roll in the list. @param {number} roll */
export function jump(roll) {
  if (roll > limit) {
    limit = roll;
    paintCells();
  }
  const target = cells[roll - 1];
  target.scrollIntoView({ block: 'center' });
  move(cells.findIndex((c) => c.tabIndex === 0), roll - 1);
}

/** The grid is one tab stop, and this moves it. @param {number} from @param {number} to */
function move(from, to) {
  if (cells[from]) cells[from].tabIndex = -1;
  cells[to].tabIndex = 0;
  cells[to].focus();
}

// Left and right go by number; up and down by column, also from one game into the next.
grid.addEventListener('keydown', (/** @type {KeyboardEvent} */ event) => {
  const at = cells.indexOf(/** @type {HTMLElement} */ (document.activeElement));
  if (at < 0 || event.ctrlKey || event.altKey || event.metaKey) return;
  const last = cells.length - 1;
  /** @type {Record<string, () => number>} */
  const to = {
    ArrowRight: () => Math.min(at + 1, last), ArrowLeft: () => Math.max(at - 1, 0),
    ArrowDown: () => rowAway(at, 1), ArrowUp: () => rowAway(at, -1), Home: () => 0, End: () => last,
  };
  if (!Object.hasOwn(to, event.key)) return;
  event.preventDefault();
  move(at, to[event.key]());
});

/** The cell of the next row, or the one before, that stands nearest. @param {number} at @param {1 | -1} step */
function rowAway(at, step) {
  const box = (/** @type {number} */ i) => cells[i].getBoundingClientRect();
  const { top, left } = box(at);
  let row = NaN;
  let best = at;
  for (let i = at + step; i >= 0 && i < cells.length; i += step) {
    const b = box(i);
    if (Math.abs(b.top - top) < 2) continue;
    if (Number.isNaN(row)) row = b.top;
    else if (Math.abs(b.top - row) >= 2) break;
    if (best === at || Math.abs(b.left - left) < Math.abs(box(best).left - left)) best = i;
  }
  return best;
}

/** Shows how a roll was made. @param {number} n */
function open(n) {
  const report = /** @type {Report} */ (shown);
  if (report.record === null) return;
  const made = explain(report.record, n);
  if (made === null) return;
  const own = (/** @type {string} */ key) => ownKey(key, report.scheme);
  const dialog = byId('roll');
  const body = made.scheme === 'tavli/1' ? tavli(/** @type {any} */ (made)) : yayay(/** @type {any} */ (made));
  const recorded = report.compared[n - 1]?.recorded ?? null;
  const off = recorded !== null && String(recorded) !== String(made.dice);
  dialog.replaceChildren(
    el('h2', { id: 'roll-title' }, say(own('check.roll'), { roll: n })), body,
    off ? el('dl', { class: 'clash' },
      el('dt', {}, say('check.recorded')), el('dd', {}, dice(recorded, made.dice), spoken(recorded)),
      el('dt', {}, say(own('check.computed'))), el('dd', {}, dice(made.dice), spoken(made.dice))) : '',
    el('form', { method: 'dialog' }, el('button', { class: 'primary' }, say('ui.close'))));
  dialog.showModal();
}

/** @param {string} key */
const step = (key) => el('h3', {}, say('check.roll.' + key));

/** @param {import('../verifier/veridice.mjs').TavliRoll} made */
function tavli(made) {
  const last = made.blocks.length - 1;
  return el('div', {}, made.blocks.map((block, i) => [
    step('message'), el('p', { class: 'small' }, say('check.roll.message.text')), el('span', { class: 'hex' }, block.message),
    step('mac'), el('p', { class: 'small' }, say('check.roll.mac.text')), bytes(block.mac, block.skipped, i === last ? made.position : 99, 1),
    block.skipped.length > 0 ? el('p', { class: 'small' }, block.skipped.map((at) => say('check.roll.skipped', { byte: parseInt(block.mac.slice(2 * at, 2 * at + 2), 16) }) + ' ')) : null,
  ]), step('numbers'),
  el('dl', { class: 'clash sums' },
    el('dt', {}, el('code', {}, `0x${made.byte.toString(16).padStart(2, '0')} = ${made.byte}`)), el('dd', {}),
    el('dt', {}, el('code', {}, made.arithmetic[0])), el('dd', {}),
    made.dice.map((value, i) => [el('dt', {}, el('code', {}, made.arithmetic[i + 1])), el('dd', {}, die(value))])));
}

/** @param {import('../verifier/veridice.mjs').YayayRoll} made */
function yayay(made) {
  return el('div', {}, made.thrown.map((one) => [
    el('h3', {}, say('check.roll.die', { die: one.number })),
    el('p', { class: 'small' }, say('check.roll.die.text')), el('span', { class: 'hex' }, groups(made.key) + ' ' + one.input),
    bytes(one.hash, [], 0, 4),
    el('dl', { class: 'clash sums' }, el('dt', {}, el('code', {}, one.arithmetic[0])), el('dd', {}),
      el('dt', {}, el('code', {}, one.arithmetic[1])), el('dd', {}, die(one.value))),
  ]));
}
