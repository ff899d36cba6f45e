// The terms of a table of veridice/1: the rules text that an offer has the hash of, and what of it decides which dice
// may be rolled now. The text, LF-ended lines in exactly one encoding:
//
//   veridice table 1
//   dice 2d6            see readDice
//   turn alternate      after a roll the turn goes to the next seat; free: it stays
//   wait 120            seconds a party may take for its part, 10 to 86400
//   salt <32 hex digits>
import { decimal } from '../../verifier/lines.mjs';

/**
 * What may be rolled: always these dice; any number of dice up to `most` of these faces; cards of one deck without
 * replacement; or any list.
 * @typedef {{kind: 'fixed', faces: number[]}} Fixed
 * @typedef {{kind: 'some', faces: number, most: number}} Some
 * @typedef {{kind: 'deck', cards: number}} Deck
 * @typedef {{kind: 'any'}} Any
 * @typedef {Fixed | Some | Deck | Any} Dice
 *
 * @typedef {{dice: string, turn: 'alternate' | 'free', wait: number, salt: string, text: string, kinds: Dice}} Terms
 */

export const mostDice = 100;
export const mostFaces = 1_000_000;
export const mostCards = 416; // eight decks of 52
const shortest = 10;
const longest = 86_400;

/**
 * Reads the notation of dice:
 *
 *   3d6+1d20   exactly these, in this order; the count is always written
 *   1-6d6      one die to six dice, as the holder of the turn likes
 *   deck52     cards from a deck of 2 to 416
 *   any        any dice
 *
 * @param {string} text
 * @returns {{value: Dice, fault: null} | {value: null, fault: {code: string, part: string}}} code dice-form, dice-count
 *   (1 to 100 in all; the second number of 1-6d6 from 2), dice-faces (2 to 1,000,000), deck-size; part is the piece at fault, as written
 */
export function readDice(text) {
  const refuse = (/** @type {string} */ code, part = text) => ({ value: null, fault: { code, part } });
  const read = (/** @type {Dice} */ value) => ({ value, fault: null });
  if (text === 'any') return read({ kind: 'any' });
  const deck = /^deck([0-9]+)$/.exec(text);
  if (deck !== null) {
    const cards = decimal(deck[1], 2, mostCards);
    return cards === null ? refuse('deck-size') : read({ kind: 'deck', cards });
  }
  const some = /^1-([0-9]+)d([0-9]+)$/.exec(text);
  if (some !== null) {
    const most = decimal(some[1], 2, mostDice), faces = decimal(some[2], 2, mostFaces);
    if (most === null) return refuse('dice-count');
    return faces === null ? refuse('dice-faces') : read({ kind: 'some', faces, most });
  }
  const all = [];
  for (const part of text.split('+', mostDice + 1)) {
    const die = /^([0-9]+)d([0-9]+)$/.exec(part);
    if (die === null) return refuse('dice-form', part);
    const count = decimal(die[1], 1, mostDice), faces = decimal(die[2], 2, mostFaces);
    if (count === null || all.length + count > mostDice) return refuse('dice-count', part);
    if (faces === null) return refuse('dice-faces', part);
    all.push(...Array(count).fill(faces));
  }
  return read({ kind: 'fixed', faces: all });
}

/**
 * Reads terms. A server that sends others than this table knows is refused, not guessed at.
 * @param {unknown} text
 * @returns {Terms | null}
 */
export function readTerms(text) {
  const parts = typeof text === 'string'
    ? /^veridice table 1\ndice ([!-~]{1,1000})\nturn (alternate|free)\nwait ([0-9]+)\nsalt ([0-9a-f]{32})\n$/.exec(text) : null;
  if (parts === null) return null;
  const { value: kinds } = readDice(parts[1]);
  const wait = decimal(parts[3], shortest, longest);
  if (kinds === null || wait === null) return null;
  return { dice: parts[1], turn: /** @type {'alternate' | 'free'} */ (parts[2]), wait, salt: parts[4], text: parts[0], kinds };
}

/** @param {{dice: string, turn: string, wait: number, salt: string}} terms */
export function termsText({ dice, turn, wait, salt }) {
  return `veridice table 1\ndice ${dice}\nturn ${turn}\nwait ${wait}\nsalt ${salt}\n`;
}

/**
 * A deck before its first card.
 * @param {Dice} dice
 * @returns {number[] | null} the items left, from 0; null where nothing is dealt
 */
export function wholeDeck(dice) {
  return dice.kind === 'deck' ? Array.from({ length: dice.cards }, (_, i) => i) : null;
}

/**
 * Whether these dice may be rolled now.
 * @param {Dice} dice
 * @param {number[]} faces
 * @param {number[] | null} left of the deck
 */
export function mayRoll(dice, faces, left) {
  if (!Array.isArray(faces) || faces.length === 0 || faces.length > mostDice) return false;
  switch (dice.kind) {
    case 'fixed':
      return String(faces) === String(dice.faces);
    case 'some':
      return faces.length <= dice.most && faces.every((n) => n === dice.faces);
    case 'deck':
      return left !== null && faces.length < left.length && faces.every((n, i) => n === left.length - i);
    default:
      return faces.every((n) => Number.isInteger(n) && n >= 2 && n <= mostFaces);
  }
}

/**
 * The faces for dealing some cards: one die a card. The last card of a deck has nothing to be drawn against and stays;
 * more than 100 cards take several deals.
 * @param {number[]} left
 * @param {number} count
 */
export const dealFaces = (left, count) => Array.from({ length: count }, (_, i) => left.length - i);

/**
 * Deals: each die is a place in the list of items still there, which then closes up.
 * @param {number[]} left
 * @param {number[]} dice
 * @returns {{items: number[], left: number[]}}
 */
export function deal(left, dice) {
  const there = [...left];
  const items = dice.map((die) => there.splice(die - 1, 1)[0]);
  return { items, left: there };
}
