// The dice tab: everything from which the dice come. The server's seed is not here until the match has ended, on
// purpose: with it, everybody could work out the rolls to come.
import { copy, el, groups } from './dom.mjs';
import { moment, number, parts, say } from './words.mjs';
import { copyButton, fill, hexText, who } from './table-parts.mjs';
import { seenClients } from './table-seen.mjs';

/** @param {import('./table-model.mjs').Given} given */
export function diceTab({ scheme, word }) {
  const seal = el('dd');
  const server = el('dd');
  const clients = el('dd');
  const rolls = el('ol', { class: 'plainrolls' });
  const rollsHead = el('p', { class: 'row' });
  const none = el('p', { class: 'small' }, say('table.roll.none'));
  const node = el('div', {},
    el('dl', { class: 'nums' },
      el('div', {}, el('dt', {}, say(word('table.dice.seal'))), seal),
      el('div', {}, el('dt', {}, say(word('table.dice.server'))), server),
      scheme === 'yayay' ? null : el('div', {}, el('dt', {}, say('table.dice.clients')), clients)),
    el('h2', {}, say('table.dice.rolls')), none, rollsHead, rolls);

  return { node, update };

  /** @param {import('./table-model.mjs').Model} model */
  function update({ state, note, me }) {
    fill(seal, [note?.seal, note?.at], () => [hexText(note.seal),
      el('p', { class: 'small' }, parts(word(note.before === 0 ? 'table.seal.noted' : 'table.seal.noted.late'), { time: moment(note.at), roll: note.before })),
      el('p', { class: 'row' }, copyButton(say('ui.copy'), say(word('table.dice.seal')), () => note.seal))]);
    fill(server, state.server, () => (state.server ? serverSeed(state.server, word) : [el('p', { class: 'small' }, say(word('table.dice.server.sealed')))]));
    fill(clients, [state.seats, note?.clients, note?.seats, me], () => [el('ol', { class: 'clients' }, state.seats.map((s) => clientLine(state, note, s, me)))]);
    none.hidden = state.rolls.length > 0;
    fill(rollsHead, state.rolls.length > 0, () => (state.rolls.length > 0
      ? copyButton(say('table.dice.rolls.copy'), say('table.dice.rolls'), () => listed(note)) : []));
    for (const roll of state.rolls.slice(rolls.children.length)) {
      rolls.append(el('li', {}, el('span', { class: 'no' }, number(roll.roll)), el('b', {}, roll.dice.join('-')), el('span', {}, who(state, roll.seat))));
    }
  }
}

/** The rolls as the check page takes them when they are pasted. */
const listed = (note) => note.rolls.map(([n, ...dice]) => `${n}. ${dice.join('-')}`).join('\n');

function serverSeed(hex, word) {
  const done = el('p', { class: 'small', role: 'status', id: 'server-tap' }, say(word('table.dice.server.tap')));
  const tell = async () => { done.textContent = say((await copy(hex)) ? 'ui.copied' : 'ui.copy.failed'); };
  return [el('button', { type: 'button', class: 'hex', id: 'server', 'aria-describedby': 'server-tap', on: { click: tell } }, groups(hex)), done];
}

function clientLine(state, note, seat, me) {
  const own = note?.seats[seat.seat]?.client;
  const known = seenClients(note ?? { clients: [], seats: {} })[seat.seat - 1] ?? (seat.seat === me ? own : undefined);
  return el('li', {}, el('span', {}, who(state, seat.seat), seat.seat === me ? ` (${say('table.you')})` : ''),
    known ? hexText(known) : el('p', { class: 'small' }, say(seat.seeded ? 'table.dice.client.hidden' : 'table.dice.client.missing')));
}
