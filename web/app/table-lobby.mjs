// Before the first roll, in the order in which it has to happen: the seal is shown, then this phone makes its own part,
// then all wait for each other. A seed that was there before the seal would be worth nothing, so it is not made earlier.
import { clientFault } from '../verifier/veridice.mjs';
import { icon } from './dice.mjs';
import { el, show } from './dom.mjs';
import { moment, parts, say } from './words.mjs';
import { fill, goTo, hexText, who } from './table-parts.mjs';
import { canDraw, canShare, canStayAwake, drawHex, isPlain } from './table-phone.mjs';
import { LONGEST_NAME, nameFits } from './table-rules.mjs';
import { seatLink } from './table-invite.mjs';
import { tableAddress } from './table-address.mjs';

/**
 * @param {import('./table-model.mjs').Given} given
 * @param {import('./table-model.mjs').Actions} actions
 */
export function lobby({ match, lang, token, created, scheme, word }, actions) {
  const alone = scheme === 'yayay'; // the server makes the dice alone: phones have no part to give
  const warnings = el('div', { class: 'warnings' });

  const seal = el('div');
  const noted = el('p', { class: 'small' });
  const name = el('input', {
    id: 'name', name: 'name', maxlength: LONGEST_NAME * 2, autocomplete: 'nickname', spellcheck: 'false', 'aria-describedby': 'name-read',
    on: { input: readName },
  });
  const nameRead = el('p', { class: 'read', id: 'name-read', role: 'status' });
  const take = el('button', { class: 'primary', type: 'submit' }, say('table.seal.take'));
  const sealForm = el('form', { class: 'fields', novalidate: true, on: { submit: sendName } },
    el('div', { class: 'field' }, el('label', { for: 'name' }, say('table.name')), name, nameRead),
    el('p', { class: 'row' }, take));
  const sealStep = step(word('table.seal.heading'), el('p', { class: 'how' }, say(word('table.seal.how'))), seal, noted, token === null ? null : sealForm);

  const client = el('input', {
    id: 'client', name: 'client', autocomplete: 'off', autocapitalize: 'none', autocorrect: 'off', spellcheck: 'false',
    'aria-describedby': 'client-read', on: { input: readClient },
  });
  const clientRead = el('p', { class: 'read', id: 'client-read', role: 'status' });
  const send = el('button', { class: 'primary', type: 'submit' }, say('table.seed.send'));
  const seedForm = el('form', { class: 'fields', novalidate: true, on: { submit: sendClient } },
    el('div', { class: 'field' }, el('label', { for: 'client' }, say('table.seed.label')), client, clientRead),
    el('p', { class: 'row' }, send,
      el('button', { type: 'button', on: { click: drawClient } }, say('table.seed.another'))));
  const later = el('p', { class: 'small' }, say('table.seed.later'));
  const given = el('div');
  const seedStep = step('table.seed.heading', el('p', { class: 'how' }, say('table.seed.how')), later, seedForm, given);

  const seats = el('ul', { class: 'seats' });
  const waiting = el('p', { role: 'status' });
  const links = el('div', { class: 'fields' });
  const watch = el('details', {}, el('summary', {}, say('table.watch.summary')),
    ...seatLink(say('table.watch.title'), tableAddress(location.origin, lang, match, null)));
  const seatsStep = step('table.seats.heading', waiting, seats, links, watch);

  const steps = token === null || alone ? [sealStep, seatsStep] : [sealStep, seedStep, seatsStep];
  const node = el('section', { class: 'lobby', 'aria-label': say('table.lobby') }, warnings, el('ol', { class: 'steps' }, steps.map((s) => s.node)));
  let current = -1;

  return { node, update };

  /** @param {import('./table-model.mjs').Model} model */
  function update(model) {
    const { state, note, me, waiting: asked } = model;
    const own = me === null ? null : state.seats[me - 1];
    warn(model);

    fill(seal, note?.seal, () => [hexText(note.seal)]);
    fill(noted, [note?.at, note?.before], () => parts(word(note.before === 0 ? 'table.seal.noted' : 'table.seal.noted.late'),
      { time: moment(note.at), roll: note.before }));
    show(sealForm, !own?.acknowledged);
    take.disabled = asked.has('acknowledge') || !canDraw;

    show(later, !own?.acknowledged);
    show(seedForm, !alone && Boolean(own?.acknowledged) && !own?.seeded);
    const busy = asked.has('seed');
    client.readOnly = busy;
    send.disabled = busy || clientFault(client.value) !== null;
    if (!seedForm.hidden && client.value === '' && current < 1) drawClient();
    const mine = note?.seats[me ?? 0]?.client ?? '';
    fill(given, [own?.seeded, mine], () => (own?.seeded
      ? [el('p', {}, say('table.seed.given')), mine ? hexText(mine) : null] : []));

    fill(waiting, state.seats, () => {
      const missing = state.seats.filter((s) => !ready(s)).length;
      return [say(word('table.seats.missing'), { count: missing })];
    });
    fill(seats, [state.seats, me], () => state.seats.map((s) => seatLine(state, s, me, ready(s))));
    fill(links, state.seats.map((s) => s.acknowledged), () => invitations(state));

    steps.forEach((s, i) => s.mark(token === null ? 'now' : mark(i, own)));
    const at = token === null ? -1 : !alone && own?.seeded ? 2 : own?.acknowledged ? 1 : 0;
    if (current >= 0 && at > current && !document.hidden) goTo(steps[at].heading);
    current = at;
  }

  /** Whether a seat has done all that the first roll waits for. */
  function ready(seat) {
    return alone ? seat.acknowledged : seat.seeded;
  }

  function mark(i, own) {
    const done = [own?.acknowledged, !alone && own?.seeded, false];
    if (done[i]) return 'done';
    return i === 0 || done[i - 1] ? 'now' : 'later';
  }

  function warn({ kept }) {
    fill(warnings, kept, () => [
      kept ? null : el('p', { class: 'askbox' }, say('table.storage.refused')),
      canDraw ? null : el('p', { class: 'askbox' }, say('table.random.missing')),
      isPlain && !(canShare && canStayAwake) ? el('p', { class: 'small' }, say('table.plain')) : null,
    ]);
  }

  function invitations(state) {
    return state.seats
      .filter((s) => created[s.seat] && created[s.seat] !== token && !s.acknowledged)
      .map((s) => el('div', { class: 'invite' }, el('h3', {}, say('table.send', { seat: s.seat })),
        ...seatLink(say('table.seat', { seat: s.seat }), tableAddress(location.origin, lang, match, created[s.seat]))));
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

  function drawClient() {
    if (!canDraw) return;
    client.value = drawHex();
    readClient();
  }

  function readClient() {
    const fault = clientFault(client.value);
    client.setAttribute('aria-invalid', String(fault !== null));
    clientRead.classList.toggle('wrong', fault !== null);
    clientRead.textContent = say(...seedWords(client.value, fault));
    send.disabled = fault !== null;
  }

  function sendClient(event) {
    event.preventDefault();
    readClient();
    if (clientFault(client.value) !== null) client.focus();
    else actions.seed(client.value);
  }
}

function seedWords(text, fault) {
  if (fault === null) return ['table.seed.length', { count: text.length }];
  if (text === '') return ['table.seed.empty'];
  if (fault.character === '') return ['table.seed.long'];
  return ['table.seed.character', { place: fault.position, character: fault.character }];
}

function seatLine(state, seat, me, ready) {
  const done = ready ? 'seeded' : seat.acknowledged ? 'acknowledged' : 'empty';
  return el('li', { class: done }, icon(ready ? 'yes' : 'ask'),
    el('span', {}, el('b', {}, seat.name ? el('bdi', {}, seat.name) : who(state, seat.seat), seat.seat === me ? ` (${say('table.you')})` : ''),
      el('span', { class: 'small' }, say('table.seats.' + done))));
}

/** One step: a heading that can be gone to, and what belongs to it. */
export function step(key, ...content) {
  const heading = el('h2', { tabindex: '-1' }, say(key));
  const sign = el('span', { class: 'sign', 'aria-hidden': 'true' });
  const node = el('li', {}, el('div', { class: 'stephead' }, sign, heading), content);
  return {
    node,
    heading,
    /** @param {'done'|'now'|'later'} how */
    mark(how) {
      node.className = how;
      if (how === 'now') node.setAttribute('aria-current', 'step');
      else node.removeAttribute('aria-current');
      fill(sign, how, () => (how === 'done' ? [icon('yes')] : []));
    },
  };
}
