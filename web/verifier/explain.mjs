/**
 * How a roll is made, with every value on the way: for a page to show, and for a reader
 * to follow with a pencil. docs/spec/tavli.md and yayay.md, "Rules".
 */
import { fromHex, toHex } from './seed.mjs';
import { tavliBlocks, tavliMessage, yayayBlocks, yayayNumber } from './scheme.mjs';
import { byteBelow252, firstWord } from './draw.mjs';
import { dieOfWord, pairOfDice } from './game.mjs';
import { rollsOf } from './record.mjs';

/** @typedef {import('./record.mjs').Record} Record */

/**
 * A block of tavli/1 that was looked at.
 * @typedef {object} Block
 * @property {string} message what HMAC was asked for
 * @property {string} mac 64 hex digits
 * @property {number[]} skipped positions of the bytes that were left out, all 252 to 255
 */

/**
 * A roll of tavli/1.
 * @typedef {object} TavliRoll
 * @property {'tavli/1'} scheme
 * @property {number} roll
 * @property {string} key the server seed, hex
 * @property {Block[]} blocks the byte is in the last one
 * @property {number} position of the byte used, from 0
 * @property {number} byte
 * @property {number} v byte mod 36
 * @property {string[]} arithmetic three lines
 * @property {number[]} dice
 * @property {number[] | null} recorded what the record says, if it says anything
 */

/**
 * A die of yayay/1.
 * @typedef {object} Die
 * @property {number} number from 0 through the whole match
 * @property {string} input the number as hashed, eight hex digits
 * @property {string} hash SHA-256 of key and input, 64 hex digits
 * @property {number} word its first four bytes
 * @property {string[]} arithmetic two lines
 * @property {number} value
 */

/**
 * A throw of yayay/1.
 * @typedef {object} YayayRoll
 * @property {'yayay/1'} scheme
 * @property {number} roll
 * @property {string} key hex
 * @property {Die[]} thrown
 * @property {number[]} dice
 * @property {number[] | null} recorded
 */

/**
 * Explains a roll of a record.
 * @param {Record | import('./chain.mjs').ChainRecord} record
 * @param {number} roll from 1
 * @param {number} [count] of dice in throws of yayay/1 that are not recorded
 * @returns {TavliRoll | YayayRoll | null} null if the server seed was not revealed or there
 *   is no such roll, and for veridice/1, whose rolls rollOf of chain.mjs takes apart
 */
export function explain(record, roll, count = 2) {
  if ('roles' in record || record.seed === null || !Number.isSafeInteger(roll) || roll < 1) return null;
  const recorded = rollsOf(record);
  const said = recorded.find((entry) => entry.roll === roll)?.dice ?? null;
  if (record.scheme === 'tavli/1') return explainTavli(record.seed, record.clients ?? [], roll, said);
  let first = 0; // die of this throw
  for (const { dice } of recorded.slice(0, roll - 1)) first += dice.length;
  first += count * Math.max(0, roll - 1 - recorded.length);
  const dice = said?.length ?? count;
  return first + dice - 1 > 0xffffffff ? null : explainYayay(record.seed, roll, first, dice, said);
}

/**
 * @param {string} key
 * @param {string[]} clients
 * @param {number} roll
 * @param {number[] | null} recorded
 * @returns {TavliRoll}
 */
function explainTavli(key, clients, roll, recorded) {
  const source = tavliBlocks(fromHex(key), clients);
  const draw = byteBelow252((c) => source(roll, c));
  const blocks = draw.blocks.map((bytes, c) => {
    const looked = c < draw.block ? bytes.length : draw.position;
    return {
      message: tavliMessage(clients, roll, c),
      mac: toHex(bytes),
      skipped: Array.from({ length: looked }, (_, position) => position),
    };
  });
  const byte = draw.value;
  const v = byte % 36;
  const dice = pairOfDice(byte);
  const arithmetic = [`${byte} mod 36 = ${v}`, `${v} div 6 + 1 = ${dice[0]}`, `${v} mod 6 + 1 = ${dice[1]}`];
  return { scheme: 'tavli/1', roll, key, blocks, position: draw.position, byte, v, arithmetic, dice, recorded };
}

/**
 * @param {string} key
 * @param {number} roll
 * @param {number} first
 * @param {number} count
 * @param {number[] | null} recorded
 * @returns {YayayRoll}
 */
function explainYayay(key, roll, first, count, recorded) {
  const blocks = yayayBlocks(key);
  const thrown = Array.from({ length: count }, (_, i) => {
    const number = first + i;
    const hash = blocks(number);
    const word = firstWord(hash);
    const value = dieOfWord(word);
    const arithmetic = [`${toHex(hash.slice(0, 4))} = ${word}`, `${word} mod 6 + 1 = ${value}`];
    return { number, input: toHex(yayayNumber(number)), hash: toHex(hash), word, arithmetic, value };
  });
  return { scheme: 'yayay/1', roll, key, thrown, dice: thrown.map(({ value }) => value), recorded };
}
