// How an outcome was made: blocks, words, steps. One view for every game, fed by what
// the core lists.
import { el, groups } from './dom.mjs';
import { say } from './words.mjs';

const first = 24; // items of a list before the button that shows all

/**
 * A list with its beginning, and a button for the rest.
 * @param {any[]} items
 * @param {(item: any, i: number) => any} draw
 * @param {string} kind
 */
function list(items, draw, kind) {
  const out = el(kind === 'block' ? 'div' : 'ol', { class: kind === 'block' ? null : 'arith' }, items.slice(0, first).map(draw));
  if (items.length <= first) return [out];
  const all = el('button', { type: 'button' }, say('outcomes.all', { count: items.length }));
  all.addEventListener('click', () => {
    out.append(...items.slice(first).map((item, i) => draw(item, first + i)));
    all.remove();
  });
  return [out, all];
}

/** Bytes in words of four. @param {string} hex */
const inWords = (hex) => hex.replace(/(.{8})(?=.)/g, '$1 ');

/** Text if the bytes are readable as one, else null. @param {string} hex */
function readable(hex) {
  const bytes = Uint8Array.from({ length: hex.length / 2 }, (_, i) => parseInt(hex.slice(2 * i, 2 * i + 2), 16));
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    return /[\p{C}\p{Z}]/u.test(text.replaceAll(' ', '')) ? null : text;
  } catch {
    return null;
  }
}

/**
 * @param {any} made
 */
export function blocks(made) {
  const key = made.textKey ? readable(made.key) : null;
  return [
    el('p', { class: 'small' }, say(key === null ? 'outcomes.key.bytes' : 'outcomes.key.text')),
    el('span', { class: 'hex' }, key ?? groups(made.key)),
    ...list(made.blocks, (block) => {
      const message = readable(block.message);
      return el('div', { class: 'block' }, el('h3', {}, say('outcomes.block', { block: block.number })),
        el('p', { class: 'small' }, say(message === null ? 'outcomes.message.bytes' : 'outcomes.message.text')),
        el('span', { class: 'hex' }, message ?? groups(block.message)),
        el('p', { class: 'small' }, say('outcomes.sum', { used: block.to - block.from })),
        el('span', { class: 'hex' }, inWords(block.sum.slice(0, 2 * block.from)), block.from > 0 ? ' ' : null,
          el('mark', {}, inWords(block.sum.slice(2 * block.from, 2 * block.to))), ' ', inWords(block.sum.slice(2 * block.to))));
    }, 'block'),
  ];
}

const powers = ['256', '256²', '256³', '256⁴'];

/** Each four bytes as a sum and as a float. @param {number[]} words */
export function floats(words) {
  return list(words, (word) => {
    const bytes = [word >>> 24, (word >>> 16) & 255, (word >>> 8) & 255, word & 255];
    return el('li', {}, el('code', { class: 'names' }, bytes.map((b) => b.toString(16).padStart(2, '0')).join(' ')),
      el('code', {}, bytes.map((b, i) => b + '/' + powers[i]).join(' + ')),
      el('code', { class: 'is' }, `= ${word}/2^32 = ${word / 2 ** 32}`));
  }, 'word');
}

/** Each draw in three lines: name, values, result. @param {[string, string, string][]} steps */
export function arithmetic(steps) {
  return list(steps, ([name, values, result]) => el('li', {}, el('code', { class: 'names' }, name), el('code', {}, values), el('code', { class: 'is' }, '= ' + result)), 'step');
}
