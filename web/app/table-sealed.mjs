// A table of tavli/1 or yayay/1, whose dice come from a seed that the server has sealed: keeps the state, talks to the
// server and hands everything to the views.
import { byId, el, show } from './dom.mjs';
import { has, lang, parts, say } from './words.mjs';
import { alarm, result } from './table-result.mjs';
import { applyEvent, lastRoll, nothingYet, takeSnapshot } from './table-state.mjs';
import { diceTab } from './table-dice.mjs';
import { openWakeLock } from './table-phone.mjs';
import { fill, who, worded } from './table-parts.mjs';
import { lobby } from './table-lobby.mjs';
import { openStream } from './table-stream.mjs';
import { play } from './table-play.mjs';
import { readRecord } from './table-link.mjs';
import { asSeen, see, seeRecord } from './table-seen.mjs';
import { tabs } from './table-tabs.mjs';

const SHORT_ABSENCE = 1500; // a stream that comes back sooner is not worth a word
const EVENT_DELAY = 700; // an answer's event follows it; after this long it is asked for

/**
 * @param {{
 *   match: string, token: string|null, snapshot: any,
 *   api: ReturnType<typeof import('./table-api.mjs').openApi>, storage: ReturnType<typeof import('./table-storage.mjs').openStorage>,
 *   spread: () => number,
 * }} given snapshot is what the server said of the match when the page was loaded; spread puts phones that connect again
 *   apart, 0 to 1
 */
export function sitDown({ match, token, snapshot, api, storage, spread }) {
  const scheme = snapshot.scheme === 'yayay/1' ? 'yayay' : 'tavli';
  const word = worded(scheme);
  const given = { match, lang, token, created: storage.readCreated(match), scheme, word };
  const wakeLock = openWakeLock();

  /** @type {any} */
  let absence;
  /** @type {import('./table-model.mjs').Model} */
  const model = {
    state: nothingYet(match), note: storage.readNote(match), me: null, kept: storage.kept,
    connected: true, waiting: new Set(), trouble: false, refusal: '',
  };

  const actions = {
    acknowledge: (name) => ask('acknowledge', { seal: model.note.seal, name }),
    seed: (client) => ask('seed', { client }),
    roll: () => ask('roll', { after: lastRoll(model.state) }),
    game: () => ask('game', { after: lastRoll(model.state) }),
    end: () => ask('end', { after: lastRoll(model.state) }),
    withdraw: () => ask('end/withdraw', {}),
  };

  const banner = el('p', { class: 'askbox banner', role: 'status' });
  const you = el('div', { class: 'small you' });
  const refusal = el('p', { class: 'out', role: 'status' });
  const views = [alarm(given), result(given), lobby(given, actions), play(given, actions)];
  const [alarmView, resultView, lobbyView, playView] = views;
  const numbers = diceTab(given);
  views.push(numbers);
  const tabbed = tabs([
    { id: 'table', title: say('table.tab.table'), content: [resultView.node, lobbyView.node, playView.node] },
    { id: 'dice', title: say(word('table.tab.dice')), content: [numbers.node] },
  ]);
  show(banner, false);

  byId('table').replaceChildren(banner, alarmView.node, you, tabbed.node, refusal);
  take(takeSnapshot(model.state, snapshot));
  openStream({
    address: (after) => `${api.base}/events?after=${after}`,
    last: () => model.state.last,
    onEvent,
    onConnected,
    EventSource, document, window, setTimeout: setTimeout.bind(window), clearTimeout: clearTimeout.bind(window), random: spread,
  });
  for (const { action, body } of api.unanswered()) ask(action, body);
  // A phone that has lost its notes learns its seat again. In a match that has started this changes nothing.
  if (token !== null && model.me === null && model.state.phase !== 'open') ask('acknowledge', { seal: model.note.seal, name: '' });

  /** An attempt failed and is made again. */
  return { troubled: () => { model.trouble = true; render(); } };

  /** A new state: what is in it for the first time is noted before anything is shown. */
  function take(state) {
    const before = model.state.phase;
    keep(see(storage.readNote(match), state, new Date().toISOString()));
    model.state = asSeen(state, model.note);
    wakeLock.want(state.phase === 'running' && token !== null);
    render();
    if (state.phase === 'finished' && before !== 'finished') compare();
  }

  function keep(note) {
    storage.writeNote(match, note);
    model.note = note;
    model.kept = storage.kept;
    model.me = Number(Object.keys(note.seats).find((seat) => note.seats[seat].token === token) ?? 0) || null;
  }

  function onEvent(event) {
    const { state, gap } = applyEvent(model.state, event);
    if (state !== model.state) take(state);
    return gap;
  }

  function onConnected(connected) {
    clearTimeout(absence);
    if (!connected) {
      absence = setTimeout(() => { model.connected = false; render(); }, navigator.onLine ? SHORT_ABSENCE : 0);
      return;
    }
    if (!model.connected) refresh();
    model.connected = true;
    render();
  }

  /** Asks for everything: a server that has forgotten something would send no event about it. */
  async function refresh() {
    const known = model.state.last;
    const answer = await api.snapshot();
    if (!answer.ok) return;
    if (answer.body.last < known) keep(see(storage.readNote(match), takeSnapshot(nothingYet(match), answer.body), ''));
    else if (answer.body.last > model.state.last) take(takeSnapshot(model.state, answer.body));
    render();
  }

  async function compare() {
    const answer = await api.record();
    const record = answer.ok ? readRecord(answer.body) : null;
    if (record) keep(seeRecord(storage.readNote(match), record));
    render();
  }

  async function ask(action, body) {
    if (model.waiting.has(action)) return;
    model.waiting.add(action);
    model.refusal = '';
    render();
    const answer = await api.post(action, body);
    if (answer.ok) {
      answered(action, body, answer.body);
      await caughtUp(action, answer.body);
    } else if (answer.problem.code === 'other-name') {
      model.waiting.delete(action);
      ask(action, { ...body, name: '' }); // the seat has its name, from before this phone lost its notes
      return;
    } else {
      model.refusal = refusalWords(action, answer.problem);
      if (answer.problem.code === 'behind') refresh();
    }
    model.waiting.delete(action);
    model.trouble = false;
    render();
  }

  function answered(action, body, answer) {
    const note = storage.readNote(match);
    if (action === 'acknowledge' || action === 'seed') {
      const own = note.seats[answer.seat] ?? { token, name: '', client: '' };
      const client = action === 'seed' ? body.client : own.client;
      keep({ ...note, seats: { ...note.seats, [answer.seat]: { ...own, token, name: answer.name, client } } });
    }
    if (action === 'roll') keep(see(note, withRoll(model.state, answer), ''));
  }

  /** The state as the answer to a roll has it, to be compared with what the events will say. */
  function withRoll(state, { roll, dice, seat }) {
    if (roll !== state.rolls.length + 1) return state;
    return { ...state, rolls: [...state.rolls, { roll, dice, seat, game: state.games.length }] };
  }

  /** Waits until the state shows what the answer says, and asks for it if no event comes. */
  async function caughtUp(action, answer) {
    const there = () => {
      const { state } = model;
      const own = state.seats[(answer.seat ?? 0) - 1];
      if (action === 'roll') return state.rolls.length >= answer.roll;
      if (action === 'acknowledge') return own?.acknowledged;
      if (action === 'seed') return own?.seeded;
      if (action === 'game') return state.games.length >= answer.game;
      return state.phase === answer.state && state.endAsked === (answer.asked ?? null);
    };
    if (there()) return;
    await new Promise((done) => setTimeout(done, EVENT_DELAY));
    if (!there()) await refresh();
  }

  function refusalWords(action, { code, args, status }) {
    if (code === 'behind' && action === 'roll') return say('table.behind', { last: args.last });
    return has('error.' + code) ? say('error.' + code, args) : say('table.refused', { status });
  }

  function render() {
    const { state, note, me } = model;
    if (note === null) return;
    show(banner, !model.connected || model.trouble);
    fill(banner, [model.connected, model.trouble, lastRoll(state), [...model.waiting]], () => {
      if (model.connected && !model.trouble) return [];
      const last = lastRoll(state);
      return [say(last === 0 ? 'table.lost.before' : 'table.lost', { roll: last }), ' ', model.waiting.has('roll') ? say('table.lost.rolling') : ''];
    });
    fill(you, [state.seats, me, Object.keys(note.seats)], () => (token === null ? watching(note) : [el('p', {}, me === null ? say('table.you.seat') : parts('table.you.are', { who: who(state, me), seat: me }))]));
    refusal.textContent = model.refusal;
    show(lobbyView.node, state.phase === 'open');
    show(playView.node, state.phase !== 'open');
    for (const view of views) view.update(model);
    const head = { open: 'table.title.open', running: 'table.title.running', finished: 'table.title.finished' }[state.phase];
    byId('head').textContent = say(head, { game: state.games.length });
    document.title = `${say(head, { game: state.games.length })} · Veridice`;
  }

  function watching(note) {
    return [el('p', {}, say('table.you.watch')), Object.entries(note.seats).map(([seat, own]) => el('p', {},
      el('a', { href: `/${lang}/table/#m=${match}&k=${own.token}` }, say('table.you.own', { seat: Number(seat) }))))];
  }
}
