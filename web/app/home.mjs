// The first page: opens a table and shows a link for each seat.
import { qrCode } from './qr.mjs';
import { byId, copy, el, show } from './dom.mjs';
import { has, lang, say } from './words.mjs';
import { canDraw, canShare, drawHex } from './table-phone.mjs';
import { tableAddress } from './table-address.mjs';

const out = byId('out');
const form = byId('create');

// The key stays the same until the server has answered: asking again opens no second table.
let key = '';

form.addEventListener('input', () => { key = ''; });

form.addEventListener('submit', async (event) => {
  event.preventDefault();
  if (!canDraw) {
    out.textContent = say('table.random.missing');
    return;
  }
  key ||= drawHex();
  byId('go').disabled = true;
  out.textContent = say('home.creating');
  try {
    const answer = await fetch('/api/matches', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'Idempotency-Key': key },
      body: JSON.stringify({ scheme: byId('scheme').value, seats: Number(byId('seats').value) }),
    });
    if (answer.ok) opened(await answer.json());
    else out.textContent = await refusal(answer);
  } catch {
    out.textContent = say('home.failed');
  }
  byId('go').disabled = false;
});

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
    ...table.seats.map((s) => seatLink(say('home.links.seat', { seat: s.seat }), address(s.token), say('home.links.open'))),
    seatLink(say('home.links.watch'), address(null), say('home.links.watching')),
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
 */
function seatLink(title, link, open) {
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
  return el('section', { class: 'seat' }, el('h3', {}, title), el('span', { class: 'hex' }, link),
    el('p', { class: 'row' },
      el('a', { class: 'btn primary', href: link, ...named(open) }, open),
      el('button', { type: 'button', on: { click: tell }, ...named(say('ui.copy')) }, say('ui.copy')),
      canShare ? el('button', { type: 'button', on: { click: () => navigator.share({ url: link }).catch(() => {}) }, ...named(say('home.links.share')) }, say('home.links.share')) : null,
      el('button', { type: 'button', on: { click: draw }, ...named(say('ui.qr')) }, say('ui.qr'))),
    done, code);
}
