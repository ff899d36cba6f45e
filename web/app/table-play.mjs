// The match itself: the last roll large and in words, the button, and every roll that fell, game by game.
import { dice, spoken } from './dice.mjs';
import { el, show } from './dom.mjs';
import { parts, say } from './words.mjs';
import { fill, rollWords, who } from './table-parts.mjs';

/**
 * @param {import('./table-model.mjs').Given} given
 * @param {import('./table-model.mjs').Actions} actions
 */
export function play({ token, word }, actions) {
  const thrown = el('div', { class: 'thrown' });
  const said = el('p', { class: 'big said', 'aria-live': 'polite', id: 'said' });
  const rollButton = el('button', { class: 'primary rollbutton', type: 'button', id: 'roll', on: { click: actions.roll } }, say('table.roll'));
  const gameButton = el('button', { type: 'button', id: 'game', on: { click: actions.game } }, say('table.game.new'));
  const endButton = el('button', { type: 'button', id: 'end', on: { click: actions.end } }, say('table.end'));
  const more = el('p', { class: 'row' }, gameButton, endButton);
  const buttons = el('div', { class: 'buttons' }, rollButton);
  const asked = el('div', { role: 'status' });
  const history = el('section', { class: 'history', 'aria-labelledby': 'h-history' }, el('h2', { id: 'h-history' }, say('table.history')));
  const games = el('div');
  history.append(games);
  /** @type {HTMLElement[]} one list of rolls for each game */
  const lists = [];

  const node = el('section', { class: 'play', 'aria-label': say('table.play') },
    el('div', { class: 'turn' }, thrown, said, token === null ? null : [buttons, asked, more]), history);

  return { node, update };

  /** @param {import('./table-model.mjs').Model} model */
  function update(model) {
    const { state, me, waiting } = model;
    const last = state.rolls.at(-1);
    fill(thrown, last?.dice, () => (last ? dice(last.dice) : []));
    thrown.className = (last?.dice.length ?? 0) < 3 ? 'thrown' : 'thrown several';
    fill(said, [last?.roll, last && state.seats[last.seat - 1]?.name], () => (last ? rollWords(state, last) : [say('table.roll.none')]));

    const running = state.phase === 'running';
    for (const part of [buttons, asked, more]) show(part, running);
    // A disabled button would lose the focus, and with it the place of who plays by keyboard.
    const rolling = waiting.has('roll');
    rollButton.setAttribute('aria-disabled', String(rolling));
    rollButton.textContent = say(rolling ? 'table.rolling' : 'table.roll');
    gameButton.disabled = waiting.has('game') || (state.games.at(-1) ?? 0) === 0;
    show(endButton, state.endAsked === null);
    endButton.disabled = waiting.has('end');
    fill(asked, [running && state.endAsked, me, state.seats[(state.endAsked ?? 0) - 1]?.name, waiting.has('end'), waiting.has('end/withdraw')],
      () => (running && state.endAsked !== null ? endCard(model) : []));

    list(state);
  }

  function endCard({ state, me, waiting }) {
    const own = state.endAsked === me;
    const alone = state.seats.length === 1;
    const text = own && !alone ? 'table.end.asked.you' : word(alone ? 'table.end.alone' : 'table.end.asked');
    return [el('div', { class: 'askbox' },
      el('p', {}, parts(text, { who: who(state, state.endAsked) })),
      el('p', { class: 'row' },
        own && !alone ? null : el('button', { class: 'primary', type: 'button', id: 'confirm', disabled: waiting.has('end'), on: { click: actions.end } }, say('table.end.confirm')),
        el('button', { type: 'button', id: 'withdraw', disabled: waiting.has('end/withdraw'), on: { click: actions.withdraw } }, say('table.end.withdraw'))))];
  }

  /** Adds what is new; a roll that stands is never touched again. */
  function list(state) {
    show(history, state.rolls.length > 0);
    const shown = lists.reduce((n, l) => n + l.children.length, 0);
    for (const roll of state.rolls.slice(shown)) {
      while (lists.length < roll.game) {
        const rolls = el('ol', { class: roll.dice.length < 3 ? 'rolls' : 'rolls long' });
        lists.push(rolls);
        games.prepend(el('section', { 'aria-label': say('table.game', { game: lists.length }) },
          el('div', { class: 'gamehead' }, el('h3', {}, say('table.game', { game: lists.length })), el('span')), rolls));
      }
      const name = state.seats[roll.seat - 1]?.name;
      lists[roll.game - 1].append(el('li', { class: 'cell' },
        el('span', { class: 'visuallyhidden' }, rollWords(state, roll)),
        el('span', { class: 'no', 'aria-hidden': 'true' }, String(roll.roll), ' ', name ? el('bdi', {}, name) : say('table.seat.short', { seat: roll.seat })),
        el('span', { class: 'throw', title: spoken(roll.dice), 'aria-hidden': 'true' }, dice(roll.dice))));
      lists[roll.game - 1].previousElementSibling.lastElementChild.textContent = say('table.game.rolls', { count: lists[roll.game - 1].children.length });
    }
  }
}
