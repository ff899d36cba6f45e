// The first page: opens a table and shows a link for each seat.
import { qrCode } from './qr.mjs';
import { byId, copy, el, show } from './dom.mjs';
import { has, lang, say } from './words.mjs';
import { canDraw, canShare, drawHex } from './table-phone.mjs';
import { soloAddress, tableAddress } from './table-address.mjs';
import { chainLength, readTyped } from './live-notation.mjs';

const out = byId('out');
const form = byId('create');

// The key stays the same until the server has answered: asking again opens no second table.
let key = '';

form.addEventListener('input', (/** @type {Event} */ event) => {
  key = '';
  if (event.target === byId('kind')) {
    byId('turn').value = byId('kind').selectedOptions[0].dataset.turn;
    byId('length').value = String(chainLength(byId('kind').value === 'fixed' ? '+' : byId('kind').value));
  }
  arrange();
});
addEventListener('pageshow', arrange); // a browser that goes back fills the form in again
arrange();

form.addEventListener('submit', async (event) => {
  event.preventDefault();
  if (!canDraw) {
    out.textContent = say('table.random.missing');
    return;
  }
  if (!readNotation()) {
    byId('notation').focus();
    return;
  }
  key ||= drawHex();
  byId('go').disabled = true;
  out.textContent = say('home.creating');
  try {
    const answer = await fetch('/v1/matches', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'Idempotency-Key': key },
      body: JSON.stringify(wanted()),
    });
    if (answer.ok) opened(await answer.json());
    else out.textContent = await refusal(answer);
  } catch {
    out.textContent = say('home.failed');
  }
  byId('go').disabled = false;
});

byId('alone').addEventListener('click', () => {
  if (!readNotation()) byId('notation').focus();
  else location.href = soloAddress(lang, { dice: diceWanted(), turn: byId('turn').value, seats: Number(byId('seats').value) });
});

/** Shows what the chosen scheme and kind of dice ask for. */
function arrange() {
  const scheme = byId('scheme').value;
  const kind = byId('kind').value;
  for (const part of form.querySelectorAll('[data-scheme]')) show(part, part.dataset.scheme === scheme);
  for (const part of form.querySelectorAll('[data-kind]')) show(part, scheme === 'veridice/1' && part.dataset.kind === kind);
  readNotation();
}

/** Whether the dice that were typed, if any are asked for, can be read; says what is wrong. */
function readNotation() {
  const field = byId('notation');
  const read = field.closest('[hidden]') === null ? readTyped(field.value) : { notation: '' };
  const fault = 'fault' in read ? read.fault : '';
  field.setAttribute('aria-invalid', String(fault !== ''));
  const said = byId('notation-read');
  said.classList.toggle('wrong', fault !== '');
  said.textContent = fault === '' ? read.notation : say('table.notation.' + fault);
  return fault === '';
}

/** The dice in the notation of the rules. */
function diceWanted() {
  const kind = byId('kind').value;
  if (kind === 'die') return byId('die').value;
  return kind === 'fixed' ? readTyped(byId('notation').value).notation : kind;
}

function wanted() {
  const scheme = byId('scheme').value;
  const seats = Number(byId('seats').value);
  if (scheme === 'yayay/1') return { scheme, seats, dice: byId('throw').value };
  if (scheme === 'tavli/1') return { scheme, seats };
  return { scheme, seats, dice: diceWanted(), turn: byId('turn').value, wait: Number(byId('wait').value), links: Number(byId('length').value) };
}

/** What the server said against it, in words if its code has any. @param {Response} answer */
async function refusal(answer) {
  const problem = await answer.json().catch(() => ({}));
  const word = 'error.' + problem.code;
  return has(word) ? say(word, problem.args) : say('home.refused', { status: answer.status });
}

/**
 * @param {{match: string, seats: {seat: number, token: string}[]}} table
 */
function opened(table) {
  key = '';
  out.textContent = '';
  keep(table);
  const address = (/** @type {string | null} */ token) => tableAddress(location.origin, lang, table.match, token);
  const list = byId('seatlinks');
  list.replaceChildren(
    ...table.seats.map((s, i) => seatLink(say(i === 0 ? 'home.links.own' : 'table.send', { seat: s.seat }), address(s.token), say('home.links.open'), i === 0)),
    seatLink(say('home.links.watch'), address(null), say('home.links.watching'), false),
  );
  show(byId('links'), true);
  show(byId('new'), false);
  byId('h-links').focus();
}

/** The tokens stay with whoever opened the table, who may have to send a link again. @param {any} table */
function keep(table) {
  try {
    localStorage.setItem('veridice.created.' + table.match, JSON.stringify(Object.fromEntries(table.seats.map((/** @type {any} */ s) => [s.seat, s.token]))));
  } catch {
    // storage refused: the links on this page are all there is
  }
}

/**
 * @param {string} title
 * @param {string} link
 * @param {string} open
 * @param {boolean} own whether it is to be opened here: else it is to be sent first of all
 */
function seatLink(title, link, open, own) {
  const done = el('p', { class: 'out', role: 'status' });
  const code = el('div', {});
  const tell = async () => { done.textContent = say((await copy(link)) ? 'ui.copied' : 'ui.copy.failed'); };
  const draw = async () => {
    try {
      const drawn = await qrCode(link, title);
      if (drawn) code.replaceChildren(drawn);
    } catch {
      code.replaceChildren(el('p', {}, say('ui.qr.failed')));
    }
  };
  const named = (/** @type {string} */ word) => ({ 'aria-label': word + ': ' + title });
  const button = (/** @type {string} */ word, /** @type {() => void} */ press) => el('button', { type: 'button', on: { click: press }, ...named(word) }, word);
  const share = () => { navigator.share({ url: link }).catch(() => {}); }; // one that was called off is no error
  const go = el('a', { class: own ? 'btn primary' : '', href: link, ...named(open) }, open);
  return el('section', { class: 'seat' }, el('h3', {}, title), el('span', { class: 'hex' }, link),
    el('p', { class: 'row' }, own ? go : null,
      canShare ? button(say('home.links.share'), share) : null, button(say('ui.copy'), tell), button(say('ui.qr'), draw),
      own ? null : go),
    done, code);
}
