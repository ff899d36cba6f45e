// Before the first roll, in the order in which it has to happen: the rules and the server's anchor are shown whole; then
// each phone makes its chain, which it does by itself once its user is here; then all have one and the same opening.
import { icon } from './dice.mjs';
import { el, show } from './dom.mjs';
import { say } from './words.mjs';
import { fill, goTo, hexText } from './table-parts.mjs';
import { canDraw, canShare, canStayAwake, isPlain } from './table-phone.mjs';
import { LONGEST_NAME, nameFits } from './table-rules.mjs';
import { seatLink } from './table-invite.mjs';
import { step } from './table-lobby.mjs';
import { tableAddress } from './table-address.mjs';
import { careful, who } from './live-parts.mjs';
import { openingParts, termsParts } from './live-opening.mjs';
import { awaiting } from './live-awaited.mjs';

/** @typedef {import('./live-model.mjs').Model} Model */

/**
 * @param {import('./live-model.mjs').Given} given
 * @param {import('./live-model.mjs').Actions} actions
 */
export function lobby(given, actions) {
  const { match, lang, token, created } = given;
  const warnings = el('div', { class: 'warnings' });

  const rules = el('div');
  const anchor = el('div');
  const name = el('input', {
    id: 'name', name: 'name', maxlength: LONGEST_NAME * 2, autocomplete: 'nickname', spellcheck: 'false', 'aria-describedby': 'name-read',
    on: { input: readName },
  });
  const nameRead = el('p', { class: 'read', id: 'name-read', role: 'status' });
  const take = el('button', { class: 'primary', type: 'submit', id: 'here' }, say('table.here'));
  const form = el('form', { class: 'fields', novalidate: true, on: { submit: sendName } },
    el('div', { class: 'field' }, el('label', { for: 'name' }, say('table.name')), name, nameRead),
    el('p', { class: 'row' }, take));
  const rulesStep = step('table.rules.heading', el('p', { class: 'how' }, say('table.rules.how')), rules,
    el('h3', {}, say('table.anchor')), el('p', { class: 'small' }, say('table.anchor.how')), anchor, token === null ? null : form);

  const chain = el('p', { role: 'status' });
  const chainStep = step('table.chain.heading', el('p', { class: 'how' }, say('table.chain.how')), chain);

  const seats = el('ul', { class: 'seats' });
  const waiting = el('p', { role: 'status' });
  const late = awaiting(given, actions, 'abort-early');
  const links = el('div', { class: 'fields' });
  const close = careful({
    id: 'close', label: say('table.close'), question: say('table.close.how'), yes: say('table.close.confirm'), no: say('table.close.wait'), go: actions.abort,
  });
  const watch = el('details', {}, el('summary', {}, say('table.watch.summary')),
    ...seatLink(say('table.watch.title'), tableAddress(location.origin, lang, match, null)));
  const opening = el('div');
  const seatsStep = step('table.seats.heading', waiting, seats, late.node, opening, links, watch,
    token === null ? null : el('p', { class: 'row' }, close.button), close.place);

  const steps = token === null ? [rulesStep, seatsStep] : [rulesStep, chainStep, seatsStep];
  const node = el('section', { class: 'lobby live', 'aria-label': say('table.lobby') }, warnings, el('ol', { class: 'steps' }, steps.map((s) => s.node)));
  let current = -1;

  return { node, update };

  /** @param {Model} model */
  function update(model) {
    const { view, waiting: posted } = model;
    const own = view.me === null ? null : { here: view.here[view.me - 1], joined: view.joined[view.me - 1], ready: view.ready[view.me - 1] };
    warn(model);
    fill(rules, [view.terms, view.linksLeft], () => (view.terms ? termsParts(view.terms) : []));
    fill(anchor, model.seal, () => (model.seal ? [hexText(model.seal)] : []));
    show(form, token !== null && view.terms !== null && !own?.here); // whoever says so has seen them
    take.disabled = posted.has('acknowledge') || !canDraw || !model.kept;

    fill(chain, [own, view.phase, view.linksLeft, model.waiting.has('join')], () => [chainWords(own, view)]);

    const missing = { seats: view.here, offered: view.joined, joined: [], anchored: view.ready }[view.phase] ?? [];
    fill(waiting, [view.phase, missing], () => [phaseWords(view, missing.filter((there) => !there).length)]);
    late.update(model);
    fill(seats, [view.names, view.here, view.joined, view.ready, view.me, view.phase], () => Array.from({ length: view.seats }, (_, i) => seatLine(view, i + 1)));
    fill(opening, [view.opening, view.log], () => (view.opening ? openingParts(view.opening, view.log) : []));
    fill(links, view.here, () => invitations(view));
    show(close.button, view.opening === null && view.me !== null);

    steps.forEach((s, i) => s.mark(token === null ? 'now' : mark(i, own)));
    const at = token === null ? -1 : own?.joined ? 2 : own?.here ? 1 : 0;
    if (current >= 0 && at > current && !document.hidden) goTo(steps[at].heading);
    current = at;
  }

  function mark(i, own) {
    const done = [own?.here, own?.joined, false];
    if (done[i]) return 'done';
    return i === 0 || done[i - 1] ? 'now' : 'later';
  }

  function warn({ kept }) {
    fill(warnings, kept, () => [
      kept || token === null ? null : el('p', { class: 'askbox' }, say('table.live.storage')),
      canDraw ? null : el('p', { class: 'askbox' }, say('table.random.missing')),
      isPlain && !(canShare && canStayAwake) ? el('p', { class: 'small' }, say('table.plain')) : null,
    ]);
  }

  function invitations(view) {
    return Array.from({ length: view.seats }, (_, i) => i + 1)
      .filter((seat) => created[seat] && created[seat] !== token && !view.here[seat - 1])
      .map((seat) => el('div', { class: 'invite' }, el('h3', {}, say('table.send', { seat })),
        ...seatLink(say('table.seat', { seat }), tableAddress(location.origin, lang, match, created[seat]))));
  }

  function readName() {
    const fits = nameFits(name.value.trim());
    name.setAttribute('aria-invalid', String(!fits));
    nameRead.classList.toggle('wrong', !fits);
    nameRead.textContent = fits ? '' : say('table.name.unfit', { max: LONGEST_NAME });
  }

  function sendName(event) {
    event.preventDefault();
    readName();
    if (name.getAttribute('aria-invalid') === 'true') name.focus();
    else actions.acknowledge(name.value.trim());
  }
}

function chainWords(own, view) {
  if (!own?.here) return say('table.chain.later');
  if (view.phase === 'seats') return say('table.chain.wait');
  return own.joined ? say('table.chain.made', { count: view.linksLeft }) : say('table.chain.making');
}

function phaseWords(view, missing) {
  if (view.phase === 'seats') return say('table.missing.here', { count: missing });
  if (view.phase === 'offered') return say('table.missing.joined', { count: missing });
  if (view.phase === 'joined') return say('table.missing.opening');
  return view.phase === 'anchored' ? say('table.missing.ready', { count: missing }) : '';
}

function seatLine(view, seat) {
  const i = seat - 1;
  const done = view.ready[i] ? 'ready' : view.joined[i] ? 'joined' : view.here[i] ? 'here' : 'empty';
  return el('li', { class: done === 'ready' ? 'seeded' : done }, icon(done === 'ready' ? 'yes' : 'ask'),
    el('span', {}, el('b', {}, who(view, seat), seat === view.me ? ` (${say('table.you')})` : ''),
      el('span', { class: 'small' }, say('table.seats.live.' + done))));
}
