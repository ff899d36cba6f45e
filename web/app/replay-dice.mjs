// Dice of any kind as they lie on the page. Six faces are drawn; other dice stand as their
// number, with the kind of die under it.
import { el } from './dom.mjs';
import { die } from './dice.mjs';
import { list, number, say } from './words.mjs';

/**
 * @param {number[]} values
 * @param {number[]} faces of each
 * @param {number[] | null} [other] dice to compare with; what differs is marked
 */
export function shown(values, faces, other = null) {
  return values.map((value, i) => {
    const odd = other !== null && other[i] !== value;
    if (faces[i] === 6) return die(value, odd);
    return el('span', { class: 'die number kind' + (odd ? ' odd' : '') + (value > 9999 ? ' wide' : ''), 'aria-hidden': 'true' }, number(value), el('small', {}, 'd' + faces[i]));
  });
}

/** The same in words: "3 and 1", "17 of 20 and 4 of 8". @param {number[]} values @param {number[]} faces */
export function told(values, faces) {
  return list(values.map((value, i) => (faces[i] === 6 ? value : say('replay.die', { value, faces: faces[i] }))));
}
