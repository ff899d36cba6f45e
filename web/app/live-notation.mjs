// Dice as people type them, and what the dice of a deck stand for. How rules write dice is in phone/terms.mjs. Pure.
import { deal, mostDice, mostFaces, readTerms } from './phone/terms.mjs';

/**
 * Dice as somebody typed them: blanks, capitals, d20 for 1d20 and the German w are taken too.
 * @param {string} text
 * @returns {{notation: string, faces: number[]} | {fault: 'empty'|'form'|'many'|'faces'}}
 */
export function readTyped(text) {
  const typed = text.replace(/\s+/g, '').toLowerCase();
  if (typed === '') return { fault: 'empty' };
  /** @type {number[]} */
  const faces = [];
  /** @type {string[]} */
  const written = [];
  for (const part of typed.split('+')) {
    const read = /^(\d{0,9})[dw](\d{1,9})$/.exec(part);
    if (!read) return { fault: 'form' };
    const [count, sides] = [read[1] === '' ? 1 : Number(read[1]), Number(read[2])];
    if (count < 1) return { fault: 'form' };
    if (faces.length + count > mostDice) return { fault: 'many' };
    if (sides < 2 || sides > mostFaces) return { fault: 'faces' };
    for (let i = 0; i < count; i++) faces.push(sides);
    written.push(`${count}d${sides}`);
  }
  return { notation: written.join('+'), faces };
}

/**
 * A list of dice as notation, neighbours of a kind together: [6, 6, 20] is 2d6+1d20.
 * @param {number[]} faces
 */
export function writeDice(faces) {
  /** @type {[number, number][]} */
  const runs = [];
  for (const sides of faces) {
    const last = runs.at(-1);
    if (last?.[1] === sides) last[0]++;
    else runs.push([1, sides]);
  }
  return runs.map(([count, sides]) => `${count}d${sides}`).join('+');
}

/**
 * The cards of each deal, in order, as numbers 0 to cards - 1; a new game takes a whole deck.
 * @param {{game: number, dice: number[]}[]} rolls
 * @param {number} cards
 * @returns {number[][]}
 */
export function dealt(rolls, cards) {
  /** @type {number[]} */
  let left = [];
  let game = 0;
  return rolls.map((roll) => {
    if (roll.game !== game) {
      game = roll.game;
      left = Array.from({ length: cards }, (_, i) => i);
    }
    const drawn = deal(left, roll.dice);
    left = drawn.left;
    return drawn.items;
  });
}

const SUITS = /** @type {const} */ (['spades', 'hearts', 'diamonds', 'clubs']);

/**
 * What a number stands for in a deck of packs of 52: suit by suit, ace to king (1 to 13). Null for a deck of other
 * cards, whose numbers the players read as they like.
 * @param {number} item
 * @param {number} cards in the deck
 */
export function cardOf(item, cards) {
  if (cards % 52 !== 0) return null;
  const place = item % 52;
  return { suit: SUITS[Math.floor(place / 13)], rank: place % 13 + 1 };
}

/**
 * How long the chains of a table are unless somebody chooses: one link for each roll that it may make.
 * @param {string} dice in the notation of the rules
 */
export const chainLength = (dice) => (dice === 'any' || dice.includes('+') ? 2048 : 512);

/**
 * What the views need besides the phone's own: the kind of dice, and the cards that were dealt at each roll.
 * @param {import('./phone/phone.mjs').View} view
 */
export function withDice(view) {
  const kinds = (view.terms && readTerms(view.terms.text))?.kinds ?? null;
  return { view, kinds, cards: kinds?.kind === 'deck' ? dealt(view.rolls, kinds.cards) : [] };
}
