// A table of veridice/1: hands the events to the phone, which checks them and gives its part, and shows what it says.
import { loadCore } from './core.mjs';
import { data } from './words.mjs';
import { drawBytes, openWakeLock } from './table-phone.mjs';
import { openStream } from './table-stream.mjs';
import { tableAddress } from './table-address.mjs';
import { ahead } from './live-clock.mjs';
import { refusalWords } from './live-alarm.mjs';
import { withDice } from './live-notation.mjs';
import { openViews } from './live-views.mjs';
import { openKeeper } from './phone/keeper.mjs';
import { openPhone } from './phone/phone.mjs';
import { openSigner } from './phone/signer.mjs';
import { toHex } from '../verifier/seed.mjs';

const SHORT_ABSENCE = 1500; // a stream that comes back sooner is not worth a word
const AGAIN = new Set(['acknowledge', 'end', 'end/withdraw', 'wish']); // begun before a reload; the rest the phone repeats by itself

/**
 * The proof that the public log has grown from one size to another, as hashes in hex; null if there is none now.
 * @param {number} earlier
 * @param {number} later
 */
async function readGrowth(earlier, later) {
  try {
    const response = await fetch(`/log/growth/${earlier}/${later}`);
    if (!response.ok) return null;
    return (await response.text()).split('\n').filter((line) => line !== '').map((line) => toHex(Uint8Array.from(atob(line), (c) => c.charCodeAt(0))));
  } catch {
    return null;
  }
}

/**
 * @param {{
 *   match: string, token: string|null, lang: string, last: number,
 *   api: ReturnType<typeof import('./table-api.mjs').openApi>, storage: ReturnType<typeof import('./table-storage.mjs').openStorage>,
 *   spread: () => number,
 * }} given last is the number of the last event there was; spread puts phones that connect again apart, 0 to 1
 */
export async function sitDown({ match, token, lang, last, api, storage, spread }) {
  const keeper = await openKeeper(() => indexedDB, navigator.storage);
  const signer = await openSigner({ random: drawBytes, core: loadCore });
  const wakeLock = openWakeLock();
  const phone = openPhone({
    match, token, serverKey: data.serverKey, keeper, post: api.post, record: api.record, signer, random: drawBytes, now: Date.now, last,
    policy: data.policy ?? '', growth: readGrowth, onChange: later,
  });
  let received = 0;
  let painting = false;
  let following = false; // who opens the next match goes there
  /** @type {any} */
  let absence;
  let recordSigned = -1; // signatures on the record when it was fetched
  /** @type {import('./live-model.mjs').Model} */
  const model = {
    ...withDice(phone.view), seal: '', openingText: '', endSince: '', ahead: null, kept: keeper.kept, connected: true, waiting: new Set(),
    trouble: false, refusal: '', record: '',
  };
  const views = openViews(
    { match, lang, token, created: storage.readCreated(match), solo: false, serverKey: data.serverKey },
    {
      acknowledge: (name) => ask('acknowledge', () => phone.acknowledge(name)),
      roll: (faces) => ask('roll', () => phone.roll(faces)),
      game: () => ask('game', phone.newGame),
      handOver: (seat) => ask('turn', () => phone.handOver(seat)),
      wish: () => ask('wish', phone.wish),
      end: () => ask('end', phone.end),
      withdraw: () => ask('end/withdraw', phone.withdraw),
      abort: () => ask('abort', phone.abort),
      leave: () => ask('leave', phone.leave),
      next: () => { following = true; return ask('next', phone.next); },
    },
  );
  render();
  for (const { action, body } of api.unanswered()) if (AGAIN.has(action)) api.post(action, body);
  openStream({
    address: (after) => `${api.base}/events?after=${after}`,
    last: () => received,
    always: true,
    onEvent,
    onConnected,
    EventSource, document, window, setTimeout: setTimeout.bind(window), clearTimeout: clearTimeout.bind(window), random: spread,
  });

  /** An attempt failed and is made again. */
  return { troubled: () => { model.trouble = true; later(); } };

  /** @param {any} event @returns {boolean} whether one is missing before it */
  function onEvent(event) {
    if (event.event <= received) return false;
    if (event.event > received + 1) return true;
    received = event.event;
    if (event.event > last) model.ahead = ahead(model.ahead, event.at, Date.now());
    if (event.type === 'opened') model.seal = event.seal;
    if (event.type === 'end-asked') model.endSince = event.at;
    model.trouble = false;
    phone.take(event);
    return false;
  }

  function onConnected(/** @type {boolean} */ connected) {
    clearTimeout(absence);
    if (connected) {
      model.connected = true;
      model.trouble = false;
      later();
    } else absence = setTimeout(() => { model.connected = false; later(); }, navigator.onLine ? SHORT_ABSENCE : 0);
  }

  /** @param {string} action @param {() => Promise<import('./phone/phone.mjs').Answer>} act */
  async function ask(action, act) {
    if (model.waiting.has(action)) return;
    model.waiting.add(action);
    model.refusal = '';
    later();
    const answer = await act();
    model.waiting.delete(action);
    model.trouble = false;
    model.refusal = answer.ok ? '' : refusalWords(answer.problem);
    later();
  }

  /** Many events may come at once: one picture of them is enough. */
  function later() {
    if (painting) return;
    painting = true;
    queueMicrotask(() => { painting = false; render(); });
  }

  function render() {
    const { view } = phone;
    Object.assign(model, withDice(view));
    const over = view.phase === 'finished' || view.phase === 'aborted';
    if (model.openingText === '' && view.opening !== null) model.openingText = phone.evidence().opening ?? '';
    note(view);
    wakeLock.want(view.phase === 'running' && token !== null);
    if (over && view.opening !== null && recordSigned !== view.signed.length) fetchRecord(view.signed.length);
    views.render(model);
    if (view.next !== null && following) location.assign(tableAddress('', lang, view.next, token));
  }

  async function fetchRecord(/** @type {number} */ signatures) {
    recordSigned = signatures;
    const answer = await api.record();
    if (answer.ok) model.record = answer.body;
    later();
  }

  /** What this phone saw, where the check page and the list of matches look for it. @param {import('./phone/phone.mjs').View} view */
  function note(view) {
    if (view.opening === null) return;
    const before = storage.readNote(match);
    const rolls = view.rolls.map(({ roll, dice }) => [roll, ...dice]);
    if (before !== null && before.rolls.length === rolls.length && (view.me === null || before.seats[view.me])) return;
    storage.writeNote(match, {
      seal: view.opening, at: new Date().toISOString(), before: rolls.length, scheme: 'veridice/1', clients: [], server: null, differs: [],
      ...before, rolls, games: view.games,
      seats: view.me === null ? before?.seats ?? {} : { [view.me]: { token, name: view.names[view.me - 1], client: '' } },
    });
  }
}
