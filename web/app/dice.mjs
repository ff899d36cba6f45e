// Dice and signs, drawn: their characters are missing in many fonts.
import { el } from './dom.mjs';
import { list, number } from './words.mjs';

/** A die showing 1 to 6; any other value stands as a number in a box. @param {number} value */
export function die(value) {
  if (value >= 1 && value <= 6) return el('svg', { viewBox: '0 0 24 24', class: 'die', 'aria-hidden': 'true' }, el('use', { href: '#d' + value }));
  return el('span', { class: 'die number', 'aria-hidden': 'true' }, String(value));
}

/**
 * The dice of a roll, marked where they differ from those of another.
 * @param {number[]} values
 * @param {number[] | null} [other]
 * @param {number[]} [faces] of each, where they need not be six
 */
export const dice = (values, other = null, faces = undefined) => values.map((value, i) => {
  const one = faces === undefined ? die(value) : shape(value, faces[i]);
  one.classList.toggle('odd', other !== null && other[i] !== value);
  return one;
});

const drawn = new Set([4, 8, 10, 12, 20, 100]);

/**
 * A die of any kind: pips on six faces, the side of a coin, the outline of a die of 4, 8, 10, 12, 20 or 100 with its
 * number, and for all others the number in a box with the kind under it.
 * @param {number} value
 * @param {number} faces
 */
export function shape(value, faces) {
  if (faces === 6) return die(value);
  const outline = (/** @type {string} */ id) => el('svg', { viewBox: '0 0 24 24' }, el('use', { href: '#' + id }));
  if (faces === 2) return el('span', { class: 'shape', 'aria-hidden': 'true' }, outline('c' + value));
  if (drawn.has(faces)) return el('span', { class: `shape s${faces}`, 'aria-hidden': 'true' }, outline('s' + faces), el('b', {}, String(value)));
  return el('span', { class: 'shape other', 'aria-hidden': 'true' }, el('b', {}, number(value)), el('small', {}, 'd' + faces));
}

/** The same in words, "3 and 1", for people who do not see the dice. @param {number[]} values */
export const spoken = (values) => list(values);

/** A sign: yes (a ring with a tick), no (an octagon with a cross) or ask (a dashed square). @param {'yes' | 'no' | 'ask'} kind */
export const icon = (kind) => el('svg', { viewBox: '0 0 32 32', 'aria-hidden': 'true' }, el('use', { href: '#i-' + kind }));
