// What the chapters of the page on how dice are made are built from: the numbers that
// they share, fields that check what is typed, formulas in three lines.
import { byId, el, groups } from './dom.mjs';
import { say } from './words.mjs';
import { whereOf } from './check-words.mjs';
import { readHex } from '../verifier/veridice.mjs';

/**
 * The reader's numbers. A part that cannot be read is '' or 0 until it is mended.
 * @typedef {object} Numbers
 * @property {string} key of yayay/1, and the server seed of tavli/1: 64 hex digits
 * @property {string} before the key before the last change
 * @property {number} die its number, -1 if unreadable
 * @property {string[]} phones client seeds
 * @property {number} roll
 * @property {string} secret the last link of phone 1
 */

/** @type {Numbers} */
export const numbers = { key: '', before: '', die: 0, phones: ['', ''], roll: 1, secret: '' };

/** @type {(() => void)[]} */
const painters = [];

/** Has a chapter painted whenever a number changes. @param {() => void} paint */
export const watch = (paint) => painters.push(paint);

/** Changes numbers, and everything that follows from them. @param {Partial<Numbers>} changes */
export function change(changes) {
  const { key } = numbers;
  Object.assign(numbers, changes);
  if (numbers.key !== key && key !== '') numbers.before = key;
  const page = byId('how').classList;
  page.toggle('no-key', numbers.key === '');
  page.toggle('no-seeds', numbers.phones.includes('') || numbers.roll === 0);
  page.toggle('no-secret', numbers.secret === '');
  for (const paint of painters) paint();
}

/** Random bytes as hex. @param {number} count */
export const draw = (count) => Array.from(crypto.getRandomValues(new Uint8Array(count)), (b) => b.toString(16).padStart(2, '0')).join('');

/**
 * Says under a field what is wrong with it.
 * @param {string} name
 * @param {string} fault '' if nothing is
 */
export function tell(name, fault) {
  const box = byId('f-' + name);
  const out = byId('read-' + name);
  if (out.textContent !== fault) out.textContent = fault;
  out.classList.toggle('wrong', fault !== '');
  if (fault === '') box.removeAttribute('aria-invalid');
  else box.setAttribute('aria-invalid', 'true');
}

/**
 * A field of 32 bytes.
 * @param {string} name
 * @param {(hex: string) => void} take gets 64 digits, or '' for what is none
 */
export function hexField(name, take) {
  const box = byId('f-' + name);
  box.addEventListener('input', () => {
    const { value, fault } = readHex(box.value, 's');
    const whole = fault === null && value?.length === 64;
    if (fault !== null) tell(name, say('check.read.fault', { where: whereOf({ ...fault, part: '', line: fault.line || 1 }) }));
    else tell(name, whole ? '' : say('how.hex.short', { count: value?.length ?? 0 }));
    take(whole ? /** @type {string} */ (value) : '');
  });
}

/** Puts a value into a field of bytes, unless the reader is typing there. @param {string} name @param {string} hex */
export function fillHex(name, hex) {
  const box = byId('f-' + name);
  if (hex === '' || box === document.activeElement) return;
  box.value = groups(hex);
  tell(name, '');
}

/**
 * A field with a whole number.
 * @param {string} name
 * @param {number} least
 * @param {number} most
 * @param {(number: number | null) => void} take gets null for what is none
 */
export function numberField(name, least, most, take) {
  const box = byId('f-' + name);
  box.addEventListener('input', () => {
    const text = box.value.trim();
    const number = /^(0|[1-9][0-9]*)$/.test(text) ? Number(text) : NaN;
    const fits = number >= least && number <= most;
    tell(name, fits ? '' : say('how.number.off', { least, most }));
    take(fits ? number : null);
  });
}

/** Puts a value into a field, unless the reader is typing there. @param {string} name @param {string | number} value */
export function fill(name, value) {
  const box = byId('f-' + name);
  if (box === document.activeElement) return;
  box.value = value;
  tell(name, '');
}

/**
 * A formula in three lines: names, values, result.
 * @param {string} names
 * @param {any} values
 * @param {any} result
 * @param {any} [drawn] beside the result
 */
export function formula(names, values, result, drawn = null) {
  return el('div', { class: 'formula' }, el('code', { class: 'names' }, names), el('code', {}, values), el('code', { class: 'is' }, '= ', result), drawn);
}

/**
 * Bytes with the first ones marked.
 * @param {string} hex
 * @param {number} count
 */
export const marked = (hex, count) => [el('mark', {}, hex.slice(0, 2 * count)), hex.slice(2 * count)];

/**
 * Makes a group of buttons one tab stop, with arrows, Home and End between them.
 * @param {HTMLElement} group
 * @param {() => number} across how many stand in a row
 */
export function rove(group, across) {
  const all = () => /** @type {HTMLElement[]} */ ([...group.querySelectorAll('button')]);
  group.addEventListener('keydown', (event) => {
    const buttons = all();
    const at = buttons.indexOf(/** @type {HTMLElement} */ (document.activeElement));
    if (at < 0 || event.ctrlKey || event.altKey || event.metaKey) return;
    const last = buttons.length - 1;
    /** @type {Record<string, number>} */
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, ArrowDown: at + across(), ArrowUp: at - across(), Home: 0, End: last };
    if (!Object.hasOwn(to, event.key)) return;
    event.preventDefault();
    const next = buttons[to[event.key]];
    if (next === undefined) return;
    for (const button of buttons) button.tabIndex = -1;
    next.tabIndex = 0;
    next.focus();
  });
  group.addEventListener('focusin', (event) => {
    for (const button of all()) button.tabIndex = button === event.target ? 0 : -1;
  });
}

/**
 * Paints a group of buttons again and leaves focus and tab stop where they were.
 * @param {HTMLElement} group
 * @param {HTMLElement[]} items buttons, or what holds them
 * @param {number} [start] the tab stop of a group that had none
 */
export function repaint(group, items, start = 0) {
  const before = /** @type {HTMLElement[]} */ ([...group.querySelectorAll('button')]);
  const focused = before.indexOf(/** @type {HTMLElement} */ (document.activeElement));
  const stop = before.findIndex((button) => button.tabIndex === 0);
  group.replaceChildren(...items);
  const after = /** @type {HTMLElement[]} */ ([...group.querySelectorAll('button')]);
  const at = Math.min(stop < 0 ? start : stop, after.length - 1);
  after.forEach((button, i) => { button.tabIndex = i === at ? 0 : -1; });
  if (focused >= 0) after[Math.min(focused, after.length - 1)].focus();
}
