// The match itself: the last roll large and in words, with the mark of this phone's own check; whose turn it is, the
// button, and every roll that fell, game by game.
import { icon } from './dice.mjs';
import { el, show } from './dom.mjs';
import { parts, say } from './words.mjs';
import { fill } from './table-parts.mjs';
import { asking } from './live-ask.mjs';
import { awaiting } from './live-awaited.mjs';
import { rollWords, thrown, told } from './live-draw.mjs';
import { careful, who } from './live-parts.mjs';

/** @typedef {import('./live-model.mjs').Model} Model */

/**
 * @param {import('./live-model.mjs').Given} given
 * @param {import('./live-model.mjs').Actions} actions
 */
export function play(given, actions) {
  const { token, solo } = given;
  const seated = token !== null || solo;
  const dice = el('div', { class: 'thrown' });
  const said = el('p', { class: 'big said', 'aria-live': 'polite', id: 'said' });
  const mark = el('p', { class: 'mark', id: 'mark' });
  const turn = el('p', { class: 'whose', id: 'turn', role: 'status' });
  const ask = asking(actions.roll);
  const waiting = awaiting(given, actions, 'abort');
  const low = el('p', { class: 'askbox', role: 'status', id: 'low' });
  const wish = el('div', { role: 'status' });
  const over = el('div', { class: 'row over' });
  const asked = el('div', { role: 'status' });
  const gameButton = el('button', { type: 'button', id: 'game', on: { click: actions.game } }, say('table.game.new'));
  // At a table somebody else has to agree; alone, the page asks.
  const endAlone = careful({
    id: 'end', label: say('table.end'), question: say('table.live.end.alone'), yes: say('table.end.confirm'), no: say('table.end.withdraw'), go: actions.end,
  });
  const endButton = solo ? endAlone.button : el('button', { type: 'button', id: 'end', on: { click: actions.end } }, say('table.end'));
  const leave = careful({
    id: 'leave', label: say('table.leave'), question: say('table.leave.how'), yes: say('table.leave.confirm'), no: say('table.end.withdraw'), go: actions.leave,
  });
  const more = el('div', { class: 'row' }, gameButton, endButton, solo ? null : leave.button);
  const controls = [turn, ask.node, wish, asked, over, more, endAlone.place, leave.place];
  const history = el('section', { class: 'history', 'aria-labelledby': 'h-history' }, el('h2', { id: 'h-history' }, say('table.history')));
  const games = el('div');
  history.append(games);
  /** @type {HTMLElement[]} one list of rolls for each game */
  const lists = [];

  const node = el('section', { class: 'play', 'aria-label': say('table.play') },
    el('div', { class: 'turn' }, dice, said, mark, seated ? controls.slice(0, 2) : turn, waiting.node, low, seated ? controls.slice(2) : null), history);

  return { node, update };

  /** @param {Model} model */
  function update(model) {
    const { view, waiting: posted } = model;
    const { me, holder, pending } = view;
    const last = view.rolls.at(-1);
    fill(dice, last?.roll, () => (last ? thrown(model, last) : []));
    dice.className = 'thrown' + (last === undefined || last.dice.length < 3 ? '' : last.dice.length < 7 ? ' several' : ' many');
    fill(said, [last?.roll, last && view.names[last.seat - 1]], () => (last ? rollWords(model, last) : [say('table.roll.none')]));
    fill(mark, last?.roll, () => (last ? [icon('yes'), say('table.checked', { roll: last.roll })] : []));

    const running = view.phase === 'running';
    const able = running && view.fault === null; // else this phone looks on; all it can still do is give up
    const mine = able && seated && me === holder;
    fill(turn, [running, mine, holder, view.names[holder - 1], solo], () => {
      if (!running) return [];
      return mine && !solo ? [say('table.turn.you')] : parts('table.turn', { who: who(view, holder) });
    });
    waiting.update(model);
    for (const part of [turn, waiting.node]) show(part, running);
    show(ask.node, mine);
    ask.update(model);
    show(more, running || view.phase === 'refused');
    show(over, able && view.seats > 1);
    gameButton.disabled = !mine || pending !== null || posted.has('game') || (view.games.at(-1) ?? 0) === 0;
    show(gameButton, mine);
    show(endButton, able && view.endAsked === null);
    endButton.disabled = posted.has('end') || pending !== null;
    fill(wish, [running, mine, view.wish, me, view.names, view.terms?.turn], () => (running ? wishes(model, mine) : []));
    fill(over, [running, mine, holder, me, !mine && (view.wish === me || posted.has('wish')), view.names, mine && pending !== null], () => (running ? turns(model, mine) : []));
    fill(asked, [able && view.endAsked, me, view.names[(view.endAsked ?? 0) - 1], [...posted]], () => (able && view.endAsked !== null ? endCard(model) : []));
    fill(low, running && lowWords(view), () => [running ? lowWords(view) : '']);
    show(low, low.textContent !== '');
    if (more.hidden) for (const { place } of [leave, endAlone]) place.replaceChildren();
    list(model);
  }

  function wishes({ view }, mine) {
    if (view.wish === null || view.wish === view.holder) return [];
    if (view.wish === view.me) return [el('p', {}, say('table.wish.yours'))];
    return mine ? [el('p', { class: 'askbox' }, parts('table.wish', { who: who(view, view.wish) }))] : [];
  }

  function turns({ view, waiting: posted }, mine) {
    if (!mine) {
      return [el('button', { type: 'button', id: 'wish', disabled: view.wish === view.me || posted.has('wish'), on: { click: actions.wish } }, say('table.wish.ask'))];
    }
    const seats = Array.from({ length: view.seats }, (_, i) => i + 1).filter((seat) => seat !== view.holder);
    return seats.map((seat) => el('button', { type: 'button', class: 'hand', disabled: view.pending !== null, on: { click: () => actions.handOver(seat) } },
      el('span', {}, parts('table.hand', { who: who(view, seat) }))));
  }

  function endCard({ view, waiting: posted }) {
    const own = view.endAsked === view.me;
    const alone = view.seats === 1;
    const text = alone ? 'table.live.end.alone' : own ? 'table.end.asked.you' : 'table.live.end.asked';
    return [el('div', { class: 'askbox' },
      el('p', {}, parts(text, { who: who(view, view.endAsked) })),
      el('p', { class: 'row' },
        own && !alone ? null : el('button', { class: 'primary', type: 'button', id: 'confirm', disabled: posted.has('end'), on: { click: actions.end } }, say('table.end.confirm')),
        el('button', { type: 'button', id: 'withdraw', disabled: posted.has('end/withdraw'), on: { click: actions.withdraw } }, say('table.end.withdraw'))))];
  }

  /** Adds what is new; a roll that stands is never touched again. @param {Model} model */
  function list(model) {
    const { view, kinds } = model;
    show(history, view.rolls.length > 0);
    const long = kinds?.kind !== 'fixed' || kinds.faces.length > 2;
    const shown = lists.reduce((n, l) => n + l.children.length, 0);
    for (const roll of view.rolls.slice(shown)) {
      while (lists.length < roll.game) {
        const rolls = el('ol', { class: long ? 'rolls long' : 'rolls' });
        lists.push(rolls);
        games.prepend(el('section', { 'aria-label': say('table.game', { game: lists.length }) },
          el('div', { class: 'gamehead' }, el('h3', {}, say('table.game', { game: lists.length })), el('span')), rolls));
      }
      const name = view.names[roll.seat - 1];
      const rolls = lists[roll.game - 1];
      rolls.append(el('li', { class: 'cell' },
        el('span', { class: 'visuallyhidden' }, rollWords(model, roll), ', ', say('table.checked.short')),
        el('span', { class: 'no', 'aria-hidden': 'true' }, icon('yes'), el('span', {}, String(roll.roll), ' ', name ? el('bdi', {}, name) : say('table.seat.short', { seat: roll.seat }))),
        el('span', { class: 'throw', title: told(model, roll), 'aria-hidden': 'true' }, thrown(model, roll))));
      rolls.previousElementSibling.lastElementChild.textContent = say('table.game.rolls', { count: rolls.children.length });
    }
  }
}

const LOW = 24; // rolls: some minutes' warning in any game

/** @param {Model['view']} view */
function lowWords({ linksLeft, opening }) {
  if (opening === null || linksLeft > LOW) return '';
  return linksLeft === 0 ? say('table.chain.spent') : say('table.chain.low', { count: linksLeft });
}
