// Dice and signs, drawn: their characters are missing in many fonts.
import { el } from './dom.mjs';
import { list } from './words.mjs';

/**
 * A die showing 1 to 6; any other value stands as a number in a box.
 * @param {number} value
 * @param {boolean} [odd] marks the die that does not fit
 */
export function die(value, odd = false) {
  const mark = odd ? ' odd' : '';
  if (value >= 1 && value <= 6) return el('svg', { viewBox: '0 0 24 24', class: 'die' + mark, 'aria-hidden': 'true' }, el('use', { href: '#d' + value }));
  return el('span', { class: 'die number' + mark, 'aria-hidden': 'true' }, String(value));
}

/**
 * The dice of a roll, marked where they differ from those of another.
 * @param {number[]} values
 * @param {number[] | null} [other]
 */
export const dice = (values, other = null) => values.map((v, i) => die(v, other !== null && other[i] !== v));

/** The same in words, "3 and 1", for people who do not see the dice. @param {number[]} values */
export const spoken = (values) => list(values);

/** A sign: yes (a ring with a tick), no (an octagon with a cross) or ask (a dashed square). @param {'yes' | 'no' | 'ask'} kind */
export const icon = (kind) => el('svg', { viewBox: '0 0 32 32', 'aria-hidden': 'true' }, el('use', { href: '#i-' + kind }));
