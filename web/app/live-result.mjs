// When the match is over: what was played, who signed the record, and the ways on: check, replay, keep, play again.
import { carry } from './carry.mjs';
import { icon } from './dice.mjs';
import { el, show } from './dom.mjs';
import { parts, say } from './words.mjs';
import { fill, goTo } from './table-parts.mjs';
import { recordFragment } from './table-link.mjs';
import { tableAddress } from './table-address.mjs';
import { all, who } from './live-parts.mjs';

/**
 * @param {import('./live-model.mjs').Given} given
 * @param {import('./live-model.mjs').Actions} actions
 */
export function result({ match, lang, token, solo }, actions) {
  const heading = el('h2', { tabindex: '-1', id: 'h-result' }, say('table.result'));
  const summary = el('p', { class: 'big' });
  const signed = el('ul', { class: 'signed', id: 'signed' });
  const ways = el('p', { class: 'row' });
  const on = el('div');
  const node = el('section', { class: 'result', 'aria-labelledby': 'h-result' }, heading, summary, signed, ways, on);
  let first = true; // a match that had ended when the page was opened is no news

  return { node, update };

  /** @param {import('./live-model.mjs').Model} model */
  function update({ view, record, waiting }) {
    const over = view.phase === 'finished' || view.phase === 'aborted';
    const shown = !node.hidden;
    show(node, over);
    if (!over) {
      first = false;
      return;
    }
    const games = view.games.filter((n) => n > 0).length;
    fill(summary, [view.phase, view.silent, view.rolls.length, games, view.names], () => [
      ...parts('table.result.played', { rolls: say('table.game.rolls', { count: view.rolls.length }), games: say('table.result.games', { count: games }) }), ' ',
      ...(view.phase === 'aborted' ? parts(view.silent === null ? 'table.aborted' : 'table.aborted.by', { who: view.silent === null ? '' : who(view, view.silent) }) : []),
    ]);
    fill(signed, [view.opening, view.signed, view.names, solo, record !== ''], () => (view.opening === null ? [] : signers(view)));
    fill(ways, [view.opening, view.log, record], () => (view.opening === null ? [] : wayOn(view, record)));
    fill(on, [view.next, waiting.has('next'), view.me, solo], () => another(view, waiting));
    if (!shown && !first && node.closest('[hidden]') === null) goTo(heading); // whoever ended the match stood on a button that is gone
    first = false;
  }

  function signers(view) {
    if (solo) return [el('li', {}, icon('ask'), el('span', {}, say('table.solo.result')))];
    const seats = Array.from({ length: view.seats }, (_, i) => i + 1);
    const without = seats.filter((seat) => !view.signed.includes(seat));
    return [
      el('li', { class: 'yes' }, icon('yes'), el('span', {}, say('table.signed', { who: all(view, [0, ...view.signed].sort((a, b) => a - b)) }))),
      without.length === 0 ? null : el('li', {}, icon('ask'), el('span', {}, say('table.unsigned', { who: all(view, without) }))),
    ];
  }

  function wayOn(view, record) {
    const fragment = record === '' ? null : recordFragment(record);
    const check = el('a', { class: 'btn primary', id: 'verify', href: `/${lang}/check/` + (fragment === null ? '' : '#' + fragment) }, say('table.result.verify'));
    // Too long for an address: it goes along in this tab.
    if (fragment === null) check.addEventListener('click', () => { if (record !== '') carry(record); });
    return [
      record === '' ? null : check,
      solo ? null : el('a', { class: 'btn', id: 'replay', href: `/${lang}/match/#m=${match}` }, say('table.replay')),
      solo ? el('button', { type: 'button', id: 'record', on: { click: () => save(record) } }, say('table.result.record'))
        : el('a', { class: 'btn', id: 'record', href: `/v1/matches/${match}/record`, download: `veridice-${match}.txt` }, say('table.result.record')),
      solo || view.log === null ? null : el('a', { class: 'btn', id: 'proof', href: `/v1/matches/${match}/proof`, download: `veridice-${match}.proof` }, say('table.result.proof')),
    ];
  }

  function save(record) {
    const address = URL.createObjectURL(new Blob([record], { type: 'text/plain' }));
    el('a', { href: address, download: 'veridice-alone.txt' }).click();
    setTimeout(() => URL.revokeObjectURL(address), 60000);
  }

  function another(view, waiting) {
    if (solo) return [el('p', { class: 'row' }, el('button', { type: 'button', id: 'next', on: { click: actions.next } }, say('table.solo.again')))];
    if (view.next !== null) {
      return [el('p', { class: 'askbox' }, say('table.next.open'), ' ', el('a', { id: 'follow', href: tableAddress('', lang, view.next, token) }, say(token === null ? 'table.next.watch' : 'table.next.go')))];
    }
    if (view.me === null) return [];
    return [el('p', { class: 'row' }, el('button', { type: 'button', id: 'next', disabled: waiting.has('next'), on: { click: actions.next } }, say('table.next'))),
      el('p', { class: 'small' }, say('table.next.how'))];
  }
}
