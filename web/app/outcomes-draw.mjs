// Outcomes as pictures. A drawing is chosen by the keys that an outcome has, so that a
// game needs no code of its own; what has no drawing is a list of names and values.
import { el } from './dom.mjs';
import { say } from './words.mjs';
import { keyName, valueName } from './outcomes-words.mjs';

/**
 * @typedef {{name: string, value: any, text: string}} Key
 * @typedef {Record<string, Key>} Keys
 */

const cards = ['cards', 'hand', 'next', 'player', 'dealer', 'banker', 'gems', 'animals', 'multipliers', 'sums', 'flips', 'throws', 'bytes', 'floats'];
const big = ['roll', 'multiplier', 'pocket', 'result', 'value', 'slot', 'segment', 'field', 'coin', 'winner', 'win'];
const boards = /** @type {Record<string, [number, number]>} */ ({ mines: [25, 5], beef: [20, 5], pump: [25, 5], chicken: [20, 5] });
const towers = /** @type {Record<string, number>} */ ({ easy: 4, medium: 3, hard: 2, expert: 3, master: 4 });
const mostShown = 104; // items of one list; the arithmetic below has all of them

/**
 * @param {string} game
 * @param {[string, string][]} params
 * @param {Key[]} list
 */
export function drawing(game, params, list) {
  const keys = /** @type {Keys} */ (Object.fromEntries(list.map((k) => [k.name, k])));
  const given = Object.fromEntries(params);
  const drawn = [];
  /** @type {Set<string>} */
  const shown = new Set();
  const take = (/** @type {any} */ picture, /** @type {string[]} */ ...names) => {
    drawn.push(picture);
    for (const name of names) shown.add(name);
  };

  for (const name of big) if (keys[name]) take(el('p', { class: 'value' }, el('span', { class: 'small' }, keyName(name) + ' '), valueName(keys[name].text)), name);
  if (keys.path) take(plinko(keys.path.value, Number(keys.slot.value)), 'path');
  if (keys.roll && ['dice', 'primedice'].includes(game)) drawn.push(scale(Number(keys.roll.value) / 100));
  if (keys.result && game === 'dice') drawn.push(scale(Number(keys.result.value) / 10000));
  if (keys.segment) drawn.push(wheel(Number(keys.segment.value), Number(given.segments)));
  const cells = keys.cells ?? keys.set;
  if (cells && boards[game]) take(board(boards[game][0], boards[game][1], cells.value.map(Number), 0), 'cells', 'set');
  if (keys.numbers && game === 'keno') take(board(40, 8, keys.numbers.value.map(Number), 1), 'numbers', 'set');
  if (keys.sets && keys.rows) take(tower(keys.rows.value, towers[given.difficulty] ?? 4), 'rows', 'sets');
  if (keys.windows) take(keys.windows.value.map(reels), 'windows');
  if (keys.columns) take(reels(keys.columns.value), 'columns');
  if (keys.rounds) take(keys.rounds.value.map((/** @type {string[]} */ r) => chips(r)), 'rounds');
  for (const name of ['rolls', 'dice']) if (keys[name]) take(el('div', { class: 'named' }, title(name), pairs(keys[name].value)), name);
  for (const name of cards) {
    if (!keys[name]) continue;
    const { value } = keys[name];
    take(el('div', { class: 'named' }, title(name), chips(typeof value === 'string' ? [...value] : value)), name);
  }
  const rest = list.filter((k) => !shown.has(k.name));
  return el('div', { class: 'drawing' }, drawn, rest.length === 0 ? null
    : el('dl', { class: 'keys' }, rest.map((k) => el('div', {}, el('dt', {}, keyName(k.name)), el('dd', {}, shorten(k.text))))));
}

/** @param {string} text */
const shorten = (text) => (text.length > 1200 ? text.slice(0, 1200) + ' …' : text);

/** @param {string} name */
const title = (name) => el('p', { class: 'small' }, keyName(name));

/** @param {string[]} list */
function chips(list) {
  return el('ol', { class: 'chips' }, list.slice(0, mostShown).map((item) => el('li', {}, valueName(item))), list.length > mostShown ? el('li', {}, '… ' + list.length) : null);
}

/** @param {string[][]} list */
function pairs(list) {
  return el('ol', { class: 'chips' }, list.slice(0, mostShown).map((dice) => el('li', {}, dice.join('–'))));
}

/** A ball through rows of pegs. @param {string} path @param {number} slot */
function plinko(path, slot) {
  const rows = path.length;
  const wide = (rows + 2) * 20;
  const high = (rows + 2) * 20;
  const at = (/** @type {number} */ row, /** @type {number} */ right) => wide / 2 + (2 * right - row) * 10;
  const pegs = [];
  let line = `M${wide / 2} 4`;
  let right = 0;
  for (let row = 0; row < rows; row++) {
    for (let peg = 0; peg <= row; peg++) pegs.push(el('circle', { class: 'peg', cx: at(row, peg), cy: 20 + row * 20, r: 2.4 }));
    line += `L${at(row, right)} ${13 + row * 20}`;
    if (path[row] === 'R') right++;
  }
  line += `L${at(rows, right)} ${20 + rows * 20}`;
  const slots = Array.from({ length: rows + 1 }, (_, i) => el('rect', { class: i === slot ? 'slot hit' : 'slot', x: at(rows, i) - 8, y: 24 + (rows - 1) * 20, width: 16, height: 14, rx: 2 }));
  return el('figure', { class: 'plinko' },
    el('svg', { viewBox: `0 0 ${wide} ${high}`, role: 'img', 'aria-label': say('outcomes.draw.path', { path, slot }) }, pegs, slots, el('path', { class: 'ball', d: line })),
    el('figcaption', {}, say('outcomes.draw.path', { path, slot })));
}

/** A place between 0 and 1. @param {number} x */
function scale(x) {
  return el('svg', { viewBox: '0 0 300 24', 'aria-hidden': 'true' }, el('rect', { class: 'scale', x: 5, y: 8, width: 290, height: 8, rx: 4 }),
    el('rect', { class: 'mark', x: 3 + x * 290, y: 1, width: 4, height: 22, rx: 2 }));
}

/** @param {number} hit @param {number} segments */
function wheel(hit, segments) {
  const at = (/** @type {number} */ i, /** @type {number} */ r) => {
    const a = (i / segments) * 2 * Math.PI;
    return `${(60 + r * Math.sin(a)).toFixed(2)} ${(60 - r * Math.cos(a)).toFixed(2)}`;
  };
  const pieces = Array.from({ length: segments }, (_, i) => el('path', { class: i === hit ? 'slot hit' : 'slot', d: `M${at(i, 36)}L${at(i, 57)}A57 57 0 0 1 ${at(i + 1, 57)}L${at(i + 1, 36)}A36 36 0 0 0 ${at(i, 36)}z` }));
  const label = say('outcomes.draw.wheel', { segment: hit, segments });
  return el('figure', { class: 'wheel' }, el('svg', { viewBox: '0 0 120 120', role: 'img', 'aria-label': label }, pieces), el('figcaption', {}, label));
}

/**
 * Cells of a board, row by row; what was drawn stands out.
 * @param {number} count
 * @param {number} columns
 * @param {number[]} hit
 * @param {number} first number of the first cell
 */
function board(count, columns, hit, first) {
  return [el('ol', { class: 'board cols' + columns, 'aria-label': say('outcomes.draw.cells', { cells: hit.join(', ') }) },
    Array.from({ length: count }, (_, i) => el('li', { class: hit.includes(i + first) ? 'hit' : null }, hit.includes(i + first) ? '● ' + (i + first) : String(i + first)))),
  el('p', { class: 'small' }, say('outcomes.draw.cells', { cells: hit.join(', ') }))];
}

/** @param {string[][]} rows the first row is the lowest @param {number} columns */
function tower(rows, columns) {
  const lines = rows.map((row) => Array.from({ length: columns }, (_, i) => row.includes(String(i)))).reverse();
  return [el('ol', { class: 'board cols' + columns, 'aria-label': say('outcomes.draw.tower') },
    lines.flatMap((line) => line.map((hit, i) => el('li', { class: hit ? 'hit' : null }, hit ? '● ' + i : String(i))))),
  el('p', { class: 'small' }, say('outcomes.draw.tower'))];
}

/** @param {string[][]} columns */
function reels(columns) {
  return el('div', { class: 'reel' }, columns.map((column) => el('ol', {}, column.map((symbol) => el('li', {}, symbol)))));
}
