// How a roll was made, step by step, for each scheme.
import { el, groups } from './dom.mjs';
import { bytes } from './bytes.mjs';
import { shown, told } from './replay-dice.mjs';
import { number, say } from './words.mjs';
import { roleName } from './check-words.mjs';
import { explain } from '../verifier/veridice.mjs';
import { toHex } from '../verifier/seed.mjs';

/**
 * @param {import('./replay-model.mjs').Match} match
 * @param {import('../verifier/veridice.mjs').Record | import('../verifier/veridice.mjs').ChainRecord} record
 * @param {ReturnType<typeof import('./replay-chain.mjs').openChains> | null} chains of veridice/1
 * @param {number} n
 * @returns {{body: any, dice: number[]} | null} null if the roll cannot be made from this record
 */
export function howMade(match, record, chains, n) {
  if (chains !== null) {
    const made = chains.roll(n);
    return made === null ? null : { body: chained(made), dice: made.dice };
  }
  const made = explain(record, n);
  if (made === null) return null;
  return { body: made.scheme === 'tavli/1' ? tavli(/** @type {any} */ (made)) : yayay(/** @type {any} */ (made)), dice: made.dice };
}

/** Whether a roll that is recorded differs from the one that was made. @param {number[]} recorded @param {number[]} made @param {number[]} faces */
export function clash(recorded, made, faces) {
  if (String(recorded) === String(made)) return '';
  return el('dl', { class: 'clash' },
    el('dt', {}, say('check.recorded')), el('dd', {}, shown(recorded, faces, made), told(recorded, faces)),
    el('dt', {}, say('check.computed')), el('dd', {}, shown(made, faces), told(made, faces)));
}

/** @param {string} key */
const step = (key) => [el('h3', {}, say(key)), el('p', { class: 'small' }, say(key + '.text'))];

/** Three lines: what is computed, the values in it, the result. @param {[string, string, any][]} lines */
const sums = (lines) => el('ol', { class: 'arith' }, lines.map(([names, values, result]) => el('li', {},
  el('code', { class: 'names' }, names), el('code', {}, values), el('code', { class: 'is' }, '= ', result))));

/** @param {import('../verifier/veridice.mjs').TavliRoll} made */
function tavli(made) {
  const last = made.blocks.length - 1;
  const [v, first, second] = made.arithmetic.map((line) => line.split(' = ')[0]);
  return el('div', {}, made.blocks.map((block, i) => [
    step('check.roll.message'), el('span', { class: 'hex' }, block.message),
    step('check.roll.mac'), bytes(block.mac, block.skipped, i === last ? made.position : 99, 1),
    block.skipped.map((at) => el('p', { class: 'small' }, say('check.roll.skipped', { byte: parseInt(block.mac.slice(2 * at, 2 * at + 2), 16) }))),
  ]), el('h3', {}, say('check.roll.numbers')), sums([
    ['v = byte mod 36', v, made.v], ['v div 6 + 1', first, made.dice[0]], ['v mod 6 + 1', second, made.dice[1]],
  ]));
}

/** @param {import('../verifier/veridice.mjs').YayayRoll} made */
function yayay(made) {
  return el('div', {}, made.thrown.map((one) => [
    el('h3', {}, say('check.roll.die', { die: one.number })),
    el('p', { class: 'small' }, say('check.roll.die.text')), el('span', { class: 'hex' }, groups(made.key) + ' ' + one.input),
    bytes(one.hash, [], 0, 4), sums([['word mod 6 + 1', `${one.word} mod 6 + 1`, one.value]]),
  ]));
}

/** @param {import('./replay-chain.mjs').Made} made */
function chained(made) {
  const line = (/** @type {string} */ key, /** @type {any} */ value) => el('div', {}, el('dt', {}, say('replay.how.' + key)), el('dd', {}, el('span', { class: 'hex' }, value)));
  const party = (/** @type {number} */ role, /** @type {any} */ value) => el('div', {}, el('dt', {}, roleName(role)), el('dd', {}, el('span', { class: 'hex' }, value)));
  const hex = (/** @type {Uint8Array} */ value) => groups(toHex(value));
  const request = made.faces.length > 12 ? made.faces.slice(0, 12).join(', ') + ', …' : made.faces.join(', ');
  const passed = made.words.filter(({ face }) => face === null);
  let at = 0;
  return el('div', {},
    step('replay.how.context'),
    el('dl', { class: 'nums' }, line('opening', hex(made.opening)), line('head', hex(made.head)), line('number', number(made.roll)),
      line('request', [`${roleName(made.actor)}: ${request}`, el('br'), groups(toHex(made.request))]), line('result', hex(made.context))),
    step('replay.how.links'), el('dl', { class: 'nums' }, made.links.map((link, role) => party(role, hex(link)))),
    step('replay.how.key'), el('span', { class: 'hex' }, hex(made.key)),
    step('replay.how.words'), made.blocks.map((block) => el('span', { class: 'hex' }, Array.from({ length: 8 }, (_, i) => {
      const word = made.words[at++];
      const text = toHex(block.slice(4 * i, 4 * i + 4));
      return [i === 0 ? '' : ' ', word === undefined ? text : el(word.face === null ? 's' : 'mark', {}, text)];
    }))),
    passed.slice(0, 20).map(({ word, faces }) => el('p', { class: 'small' }, say('replay.how.passed', { word: String(word), limit: String(2 ** 32 - (2 ** 32 % faces)), faces }))),
    step('replay.how.dice'),
    sums(made.words.filter(({ face }) => face !== null).map(({ word, faces, face }) => ['word mod faces + 1', `${word} mod ${faces} + 1`, face])),
    el('p', { class: 'throw' }, shown(made.dice, made.faces)),
    step('replay.how.after'), el('span', { class: 'hex' }, hex(made.after)));
}
