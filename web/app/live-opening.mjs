// What all phones of a table of veridice/1 share before the first roll: the terms, and the opening.
import { qrCode } from './qr.mjs';
import { el } from './dom.mjs';
import { lang, moment, say } from './words.mjs';
import { copyButton, hexText } from './table-parts.mjs';

/**
 * The opening's hash, to be compared by two phones in one room: all of it, by the camera.
 * @param {string} opening
 * @param {import('./phone/phone.mjs').View['log']} log what the receipt of the public log says, if there is one
 * @param {boolean} [solo]
 */
export function openingParts(opening, log, solo = false) {
  const code = el('div');
  const draw = async () => {
    try {
      const drawn = await qrCode(opening, say('table.opening'));
      if (drawn) code.replaceChildren(drawn);
    } catch {
      code.replaceChildren(el('p', { class: 'small' }, say('ui.qr.failed')));
    }
  };
  return [
    hexText(opening),
    el('p', { class: 'row' }, copyButton(say('ui.copy'), say('table.opening'), () => opening),
      el('button', { type: 'button', class: 'openingcode', 'aria-label': `${say('ui.qr')}: ${say('table.opening')}`, on: { click: draw } }, say('ui.qr'))),
    code,
    solo ? null : el('p', { class: 'small' }, say('table.opening.how')),
    solo ? null : el('p', { class: 'small', 'data-logged': log !== null }, loggedWords(log), ' ',
      log === null ? null : el('a', { href: `/${lang}/log/` }, say('table.opening.log'))),
  ];
}

/** @param {import('./phone/phone.mjs').View['log']} log */
function loggedWords(log) {
  if (log === null) return say('table.opening.unlogged');
  if (log.time === 0) return say('table.opening.logged', { index: log.index });
  return say('table.opening.witnessed', { index: log.index, count: log.witnesses, when: moment(log.time * 1000) });
}

/**
 * The terms in words, and under them the very text that is hashed.
 * @param {NonNullable<import('./phone/phone.mjs').View['terms']>} terms
 */
export function termsParts({ dice, turn, wait, text }) {
  return [
    el('ul', { class: 'terms' },
      el('li', {}, diceWords(dice)),
      el('li', {}, say(turn === 'free' ? 'table.terms.free' : 'table.terms.alternate')),
      el('li', {}, say('table.terms.wait', { time: span(wait) })),
      el('li', {}, say('table.terms.abort'))),
    el('details', {}, el('summary', {}, say('table.rules.text')),
      el('pre', { class: 'rules', tabindex: '0', 'aria-label': say('table.rules.text') }, text)),
  ];
}

/** A span of time in words, in the largest unit that fits. @param {number} seconds */
function span(seconds) {
  const [unit, length] = seconds % 3600 === 0 ? ['hour', 3600] : seconds % 60 === 0 ? ['minute', 60] : ['second', 1];
  return new Intl.NumberFormat(lang, { style: 'unit', unit, unitDisplay: 'long' }).format(seconds / length);
}

function diceWords(dice) {
  if (dice === 'any') return say('table.terms.any');
  if (dice.startsWith('deck')) return say('table.terms.deck', { cards: dice.slice(4) });
  if (dice === '1d2') return say('table.terms.coin');
  const some = /^1-(\d+)(d\d+)$/.exec(dice);
  if (some) return say('table.terms.some', { most: some[1], die: some[2] });
  const six = /^(\d+)d6$/.exec(dice);
  return six ? say('table.terms.six', { count: Number(six[1]), dice }) : say('table.terms.dice', { dice });
}
