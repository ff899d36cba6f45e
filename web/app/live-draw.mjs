// What fell, drawn and in words: dice of every kind, coins, cards.
import { shape } from './dice.mjs';
import { el } from './dom.mjs';
import { list, number, parts, say } from './words.mjs';
import { cardOf } from './live-notation.mjs';
import { who } from './live-parts.mjs';

/** @typedef {import('./live-model.mjs').Model} Model */
/** @typedef {Model['view']['rolls'][number]} Roll */

/**
 * The dice or cards of a roll.
 * @param {Model} model
 * @param {Roll} roll
 */
export function thrown({ kinds, cards }, roll) {
  if (kinds?.kind === 'deck') return cards[roll.roll - 1].map((item) => card(item, kinds.cards));
  return roll.dice.map((value, i) => shape(value, roll.faces[i]));
}

/**
 * The same in words: "3 and 1", "heads", "17 (d20) and 4 (d6)", "queen of hearts".
 * @param {Model} model
 * @param {Roll} roll
 */
export function told({ kinds, cards }, roll) {
  if (kinds?.kind === 'deck') return list(cards[roll.roll - 1].map((item) => cardName(item, kinds.cards)));
  const alike = roll.faces.every((faces) => faces === roll.faces[0]);
  if (alike && roll.faces[0] === 2) return sides(roll.dice);
  return list(roll.dice.map((value, i) => (alike ? value : `${number(value)} (d${roll.faces[i]})`)));
}

/** The sides of coins, in words. @param {number[]} values */
export const sides = (values) => list(values.map((side) => say(side === 1 ? 'table.coin.heads' : 'table.coin.tails')));

/**
 * A roll in words, "Nikos, roll 12: 3 and 1".
 * @param {Model} model
 * @param {Roll} roll
 */
export function rollWords(model, roll) {
  return parts('table.rolled', { who: who(model.view, roll.seat), roll: roll.roll, dice: told(model, roll) });
}

// Red suits are outlined and black ones filled: they differ without colour too.
function card(item, cards) {
  const read = cardOf(item, cards);
  if (read === null) return el('span', { class: 'card plain', 'aria-hidden': 'true' }, el('b', {}, number(item + 1)));
  const red = read.suit === 'hearts' || read.suit === 'diamonds';
  return el('span', { class: red ? 'card red' : 'card', 'aria-hidden': 'true' }, el('b', {}, rank(read.rank, 'short')),
    el('svg', { viewBox: '0 0 24 24' }, el('use', { href: '#u-' + read.suit })));
}

/** The name of a card, "queen of hearts"; "card 17" in a deck of other cards. */
export function cardName(item, cards) {
  const read = cardOf(item, cards);
  return read === null ? say('table.card', { card: item + 1 })
    : say('table.card.of', { rank: rank(read.rank, 'long'), suit: say('table.card.' + read.suit) });
}

const COURT = { 1: 'ace', 11: 'jack', 12: 'queen', 13: 'king' };

function rank(n, how) {
  const court = COURT[n];
  if (court === undefined) return String(n);
  return say((how === 'short' ? 'table.card.short.' : 'table.card.') + court);
}
