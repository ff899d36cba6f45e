/**
 * Dice out of numbers. Nothing here knows a seed or the number of a roll.
 */
import { index } from './draw.mjs';

/**
 * The two dice of a byte below 252: v = byte mod 36; v div 6 + 1 and v mod 6 + 1.
 * @param {number} byte
 * @returns {number[]} in the order thrown
 */
export function pairOfDice(byte) {
  const v = byte % 36;
  return [Math.floor(v / 6) + 1, (v % 6) + 1];
}

/**
 * The die of a word. 2^32 = 6 x 715827882 + 4, so each of the faces 1 to 4 comes from
 * one word more than 5 and 6: a bias of 1.4e-9, part of yayay/1.
 * @param {number} word 0 to 2^32 - 1
 * @returns {number}
 */
export function dieOfWord(word) {
  return (word % 6) + 1;
}

/**
 * The dice value of shuffle/1 in hundredths, kept whole: in doubles, 573 of the 10,001
 * values do not come back from value / 100.
 * @param {number} word
 * @returns {number} 0 to 10000
 */
export function diceValue(word) {
  return index(word, 10001);
}

/**
 * @param {number} value in hundredths
 * @returns {string} with two decimals
 */
export function hundredths(value) {
  return `${Math.floor(value / 100)}.${String(value % 100).padStart(2, '0')}`;
}

/** A throw of yayay/1 has 1 to this many dice. */
export const mostDice = 100;

/** A list has at most this many rolls. */
export const mostRolls = 100000;
