// Dice of any kind and dealt cards, as they lie on the page and in words.
import { el } from './dom.mjs';
import { dice } from './dice.mjs';
import { sides, thrown, told as named } from './live-draw.mjs';
import { dealt } from './live-notation.mjs';
import { list, number, say } from './words.mjs';

/**
 * @param {number[]} values
 * @param {number[]} faces of each
 * @param {number[] | null} [other] dice to compare with; what differs is marked
 */
export const shown = (values, faces, other = null) => dice(values, other, faces);

/** The same in words: "3 and 1", "heads", "17 of 20 and 4 of 8". @param {number[]} values @param {number[]} faces */
export function told(values, faces) {
  if (faces.every((n) => n === 2)) return sides(values);
  return list(values.map((value, i) => (faces[i] === 6 ? value : say('replay.die', { value, faces: faces[i] }))));
}

/**
 * How the rolls of a match are drawn and said: as the cards that they dealt, where the terms
 * of the table are known and deal any.
 * @param {import('./replay-model.mjs').Match} match
 */
export function openDrawing({ rolls, deck }) {
  const cards = deck > 0 ? dealt(rolls, deck) : [];
  const kinds = deck > 0 ? { kind: 'deck', cards: deck } : null;
  return {
    /** @param {import('./replay-model.mjs').Roll} roll @param {number[] | null} [other] */
    shown: (roll, other = null) => drawn(roll, other),
    /** @param {import('./replay-model.mjs').Roll} roll */
    told: (roll) => (kinds === null ? told(roll.dice, roll.faces) : named(/** @type {any} */ ({ kinds, cards }), roll)),
    /** As it stands in a small cell. @param {import('./replay-model.mjs').Roll} roll @param {number[] | null} other */
    small: (roll, other) => (kinds !== null || roll.faces.every((n) => n === 6 || n === 2) ? drawn(roll, other)
      : el('span', { class: 'plain' }, roll.dice.map((value) => number(value)).join(' '))),
  };

  /** @param {import('./replay-model.mjs').Roll} roll @param {number[] | null} other */
  function drawn(roll, other) {
    return kinds === null || other !== null ? shown(roll.dice, roll.faces, other) : thrown(/** @type {any} */ ({ kinds, cards }), roll);
  }
}
