// Which dice the holder of the turn asks for: always these, some of these, cards, or any that are typed.
import { el, show } from './dom.mjs';
import { say } from './words.mjs';
import { fill } from './table-parts.mjs';
import { cardName } from './live-draw.mjs';
import { readTyped, writeDice } from './live-notation.mjs';
import { dealFaces } from './phone/terms.mjs';

const MOST_BUTTONS = 10; // as many numbers as a thumb can aim at
const MOST_CARDS = 13;

/**
 * @param {(faces: number[]) => void} roll
 */
export function asking(roll) {
  const button = el('button', { class: 'primary rollbutton', type: 'submit', id: 'roll' }, say('table.roll'));
  const choice = el('div');
  const node = el('form', { class: 'buttons', novalidate: true, on: { submit } }, choice, button);
  /** @type {() => number[]|null} what is chosen now */
  let faces = () => null;
  let busy = false;

  return { node, update };

  /**
   * @param {import('./live-model.mjs').Model} model
   */
  function update({ view, kinds, waiting }) {
    busy = view.asking || view.pending !== null || waiting.has('roll');
    const elsewhere = waiting.has('turn') || waiting.has('game');
    // A disabled button would lose the focus, and with it the place of who plays by keyboard.
    const spent = view.linksLeft === 0 || (kinds?.kind === 'deck' && (view.deck?.length ?? 0) < 2);
    button.setAttribute('aria-disabled', String(busy || elsewhere || spent));
    const coin = kinds?.kind === 'fixed' && kinds.faces.every((n) => n === 2);
    button.textContent = say(busy ? 'table.rolling' : kinds?.kind === 'deck' ? 'table.deal' : coin ? 'table.toss' : 'table.roll');
    if (kinds === null) return;
    switch (kinds.kind) {
      case 'fixed':
        faces = () => kinds.faces;
        break;
      case 'some':
        fill(choice, kinds, () => some(kinds));
        break;
      case 'deck':
        fill(choice, view.deck, () => cards(view.deck ?? [], kinds.cards));
        break;
      default:
        fill(choice, 'any', () => typed(view.rolls.at(-1)?.faces ?? [6, 6]));
    }
  }

  function submit(event) {
    event.preventDefault();
    if (button.ariaDisabled === 'true') return;
    const chosen = faces();
    if (chosen !== null) roll(chosen);
  }

  function some({ most, faces: sides }) {
    if (most > MOST_BUTTONS) return counted(say('table.count'), most, most, (n) => Array(n).fill(sides));
    const options = Array.from({ length: most }, (_, i) => el('label', {},
      el('input', { type: 'radio', name: 'count', value: String(i + 1), checked: i + 1 === most }), el('span', {}, String(i + 1))));
    faces = () => Array(Number(choice.querySelector('input:checked').value)).fill(sides);
    return [el('fieldset', { class: 'count' }, el('legend', {}, say('table.count')), el('div', { class: 'row' }, options))];
  }

  function cards(left, all) {
    if (left.length < 2) {
      faces = () => null;
      return [el('p', { class: 'small' }, say('table.deck.last', { card: cardName(left[0], all) }))];
    }
    return [...counted(say('table.deck.count'), 1, Math.min(left.length - 1, MOST_CARDS), (n) => dealFaces(left, n)),
      el('p', { class: 'small' }, say('table.deck.left', { count: left.length }))];
  }

  function counted(label, first, most, dice) {
    const select = el('select', { id: 'count' }, Array.from({ length: most }, (_, i) => el('option', { value: String(i + 1), selected: i + 1 === first }, String(i + 1))));
    faces = () => dice(Number(select.value));
    return [el('div', { class: 'field inline' }, el('label', { for: 'count' }, label), select)];
  }

  function typed(first) {
    const read = el('p', { class: 'read', id: 'dice-read', role: 'status' });
    const input = el('input', {
      id: 'dice', autocomplete: 'off', autocapitalize: 'none', autocorrect: 'off', spellcheck: 'false', 'aria-describedby': 'dice-read',
      value: writeDice(first), on: { input: look },
    });
    faces = () => {
      const now = look();
      if (now === null) input.focus();
      return now;
    };
    return [el('div', { class: 'field' }, el('label', { for: 'dice' }, say('table.dice.typed')), input, read)];

    function look() {
      const now = readTyped(input.value);
      const wrong = 'fault' in now;
      input.setAttribute('aria-invalid', String(wrong));
      read.classList.toggle('wrong', wrong);
      read.textContent = wrong ? say('table.notation.' + now.fault) : now.notation === input.value ? '' : now.notation;
      show(read, read.textContent !== '');
      return wrong ? null : now.faces;
    }
  }
}
