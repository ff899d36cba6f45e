// Whose part is awaited, and until when by the terms of the table. Afterwards any seat may end the match as aborted;
// nothing is ever put in the place of what is missing, and nothing is rolled again.
import { el, show } from './dom.mjs';
import { parts, say } from './words.mjs';
import { fill } from './table-parts.mjs';
import { deadline, left } from './live-clock.mjs';
import { all, careful } from './live-parts.mjs';

/** @typedef {import('./live-model.mjs').Model} Model */

/**
 * What the table waits for now: the roles, since when by the server's clock, and what for. Null while nothing is under
 * way, and where nobody is late in any time (a seat may take as long as it likes to sit down or to roll).
 * @param {Model} model
 * @returns {{roles: number[], since: string, what: string}|null}
 */
export function awaitedNow({ view, endSince }) {
  const { phase, pending, awaited, since, wish, wishSince, holder, endAsked } = view;
  if (phase === 'anchored') return { roles: awaited, since, what: 'ready' };
  if (phase !== 'running') return null;
  if (pending !== null) return { roles: pending.missing.length > 0 ? pending.missing : [0], since: pending.since, what: 'link' };
  if (wish !== null) return { roles: [holder], since: wishSince, what: 'wish' };
  return endAsked === null ? null : { roles: [], since: endSince, what: 'end' };
}

/**
 * @param {import('./live-model.mjs').Given} given
 * @param {import('./live-model.mjs').Actions} actions
 * @param {string} id of the button
 */
export function awaiting({ token, solo }, actions, id) {
  const text = el('p', { class: 'awaited' });
  const clock = el('span', { class: 'clock', 'aria-hidden': 'true' });
  const late = el('div', { role: 'status' });
  const abort = careful({
    id, label: say('table.abort'), question: say('table.abort.how'), yes: say('table.abort.confirm'), no: say('table.abort.wait'), go: actions.abort,
  });
  const lateText = el('p', {});
  const card = el('div', { class: 'askbox' }, lateText, el('p', { class: 'row' }, abort.button), abort.place);
  const node = el('div', { class: 'waiting' }, text, late, card);
  show(card, false);
  /** @type {Model|null} */
  let shown = null;
  let now = 0;
  const ticking = setInterval(tick, 1000);

  return { node, update, close: () => clearInterval(ticking) };

  /** @param {Model} model */
  function update(model) {
    shown = model;
    const asked = solo ? null : awaitedNow(model);
    const { view } = model;
    if (asked === null) {
      fill(text, null, () => []);
      show(card, false);
      fill(late, null, () => []);
      now = 0;
      return;
    }
    now = deadline(asked.since, view.terms?.wait ?? 0, model.ahead);
    const names = all(view, asked.roles);
    const key = asked.what === 'link' && asked.roles[0] === 0 ? 'table.awaited.server' : 'table.awaited.' + asked.what;
    fill(text, [key, names, view.pending?.roll, now], () => [...parts(key, { who: names, roll: view.pending?.roll ?? 0 }), ' ',
      ...parts('table.awaited.until', { time: new Intl.DateTimeFormat(document.documentElement.lang, { timeStyle: 'medium' }).format(now) }), ' ', clock]);
    fill(lateText, names, () => [say(asked.roles.length > 0 ? 'table.late' : 'table.late.nobody', { who: names })]);
    tick();
  }

  // Only words about the time change here. Whether a roll stands does not depend on a clock.
  function tick() {
    if (shown === null || now === 0) return;
    const over = Date.now() >= now;
    clock.textContent = over ? '' : `(${left(now - Date.now())})`;
    const may = over && token !== null && shown.view.me !== null;
    if (may === !card.hidden) return;
    show(card, may);
    fill(late, may, () => (may ? [el('span', { class: 'visuallyhidden' }, lateText.textContent)] : []));
  }
}
