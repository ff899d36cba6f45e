// The live table: reads the address, asks what is played there, and hands over to the page of that scheme.
import { byId, el } from './dom.mjs';
import { lang, say } from './words.mjs';
import { playAlone } from './live-solo.mjs';
import { sitDown as sitDownLive } from './live-table.mjs';
import { readAddress } from './table-address.mjs';
import { openApi } from './table-api.mjs';
import { canDraw, drawHex } from './table-phone.mjs';
import { sitDown as sitDownSealed } from './table-sealed.mjs';
import { openStorage } from './table-storage.mjs';

const storage = openStorage(() => localStorage);
const address = readAddress(location.hash);
addEventListener('hashchange', () => location.reload()); // another table, or another seat at this one

if ('fault' in address) refuse(say('table.address.' + address.fault));
else if ('match' in address) sitDown(address);
else if (!canDraw) refuse(say('table.random.missing'));
else playAlone(address.solo).catch(cannotSign);

/** @param {string} words */
function refuse(words) {
  byId('table').replaceChildren(el('p', { class: 'big' }, words),
    el('p', { class: 'row' }, el('a', { class: 'btn', href: `/${lang}/` }, say('table.home'))));
}

/** Neither the browser nor the Go core signs: without signatures there is no match. */
function cannotSign(reason) {
  refuse(say('table.signer'));
  throw reason;
}

/** @param {{match: string, token: string|null}} address */
async function sitDown({ match, token }) {
  /** @type {Set<() => void>} */
  const impatient = new Set();
  addEventListener('online', () => impatient.forEach((go) => go()));
  /** @type {{troubled: () => void}|null} */
  let table = null;
  const api = openApi({
    match, token, storage, fetch: (path, init) => fetch(path, init), newKey: drawHex,
    pause: (ms) => new Promise((done) => {
      const go = () => { clearTimeout(timer); impatient.delete(go); done(); };
      const timer = setTimeout(go, ms + Math.random() * ms);
      impatient.add(go);
    }),
    onTrouble: () => table?.troubled(),
  });
  const answer = await api.snapshot();
  if (!answer.ok) {
    const { status } = answer.problem;
    refuse(status === 404 ? say('table.address.unknown') : say('table.refused', { status }));
    return;
  }
  if (answer.body.scheme === 'veridice/1') {
    if (canDraw) table = await sitDownLive({ match, token, lang, last: answer.body.last, api, storage, spread: Math.random }).catch(cannotSign);
    else refuse(say('table.random.missing'));
  } else table = sitDownSealed({ match, token, snapshot: answer.body, api, storage, spread: Math.random });
}
