// All that a table of veridice/1 shows, put together; a model goes in, whether it comes from a server or from play alone.
import { byId, el, show } from './dom.mjs';
import { parts, say } from './words.mjs';
import { fill } from './table-parts.mjs';
import { tabs } from './table-tabs.mjs';
import { alarm, refusalWords } from './live-alarm.mjs';
import { lobby } from './live-lobby.mjs';
import { who } from './live-parts.mjs';
import { play } from './live-play.mjs';
import { evidence, proofs } from './live-proofs.mjs';
import { result } from './live-result.mjs';

/**
 * @param {import('./live-model.mjs').Given} given
 * @param {import('./live-model.mjs').Actions} actions
 */
export function openViews(given, actions) {
  const banner = el('p', { class: 'askbox banner', role: 'status' });
  const you = el('div', { class: 'small you' });
  const refusal = el('p', { class: 'out', role: 'status' });
  const alarmView = alarm();
  const evidenceView = evidence();
  const resultView = result(given, actions);
  const lobbyView = lobby(given, actions);
  const playView = play(given, actions);
  const proofView = proofs(given);
  const tabbed = tabs([
    { id: 'table', title: say('table.tab.table'), content: [resultView.node, lobbyView.node, playView.node] },
    { id: 'dice', title: say('table.tab.proofs'), content: [proofView.node] },
  ]);
  byId('table').replaceChildren(banner, alarmView.node, evidenceView.node, you, tabbed.node, refusal);

  return { render };

  /** @param {import('./live-model.mjs').Model} model */
  function render(model) {
    const { view, connected, trouble } = model;
    const last = view.rolls.length;
    show(banner, !connected || trouble);
    fill(banner, [connected, trouble, last], () => (connected && !trouble ? []
      : [say(last === 0 ? 'table.lost.before' : 'table.lost', { roll: last }), ' ', view.asking ? say('table.lost.rolling') : say('table.lost.parts')]));
    fill(you, [view.me, view.names, view.phase, view.fault, given.solo], () => [el('p', {}, given.solo ? say('table.solo') : sitting(view)),
      !given.solo && given.token !== null && view.phase === 'running' && view.fault === null ? el('p', {}, say('table.parts')) : null]);
    refusal.textContent = model.refusal || (view.declined === null ? '' : refusalWords(view.declined.problem));
    const begun = view.opening !== null && (view.phase === 'running' || view.phase === 'finished' || view.phase === 'aborted' || view.rolls.length > 0);
    const over = view.phase === 'finished' || view.phase === 'aborted';
    show(lobbyView.node, !begun && !over);
    show(playView.node, begun);
    for (const part of [alarmView, evidenceView, resultView, lobbyView, playView, proofView]) part.update(model);
    const head = over ? 'table.title.finished' : begun ? 'table.title.running' : 'table.title.open';
    byId('head').textContent = say(head, { game: view.games.length });
    document.title = `${say(head, { game: view.games.length })} · Veridice`;
  }

  function sitting(view) {
    if (given.token === null) return say('table.you.watch');
    return view.me === null ? say('table.you.seat') : parts('table.you.are', { who: who(view, view.me) });
  }
}
