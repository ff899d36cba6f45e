// The outcome page: recomputes a bet of another site. The Go core says what the game
// makes of the stream; the JavaScript engine computes the stream a second time. What is
// shown belongs to one input: it goes at the first edit.
import { byId, carryFragment, copy, el, show } from './dom.mjs';
import { data, has, say } from './words.mjs';
import { loadCore } from './core.mjs';
import { readBet, writeBet } from './outcomes-link.mjs';
import { drawing } from './outcomes-draw.mjs';
import { arithmetic, blocks, floats } from './outcomes-view.mjs';
import { keyName } from './outcomes-words.mjs';
import { sentence } from './check-words.mjs';
import { compareWithBrowser, selfTest } from '../verifier/veridice.mjs';
import { notStreamed, streamOf } from '../verifier/stream.mjs';

/**
 * @typedef {import('./outcomes-link.mjs').Bet} Bet
 * @typedef {{name: string, type: string, min: number, max: number, list: string[] | null, optional: boolean}} Param
 * @typedef {{site: string, game: string, grade: string, variants: string[], client: boolean, nonce: boolean, cursor: boolean, params: Param[]}} Game
 */

/** @type {Game[]} */
const games = data.games;
const names = /** @type {Record<string, string>} */ ({ liqd: 'LIQD', bcgame: 'BC.Game', bustabit: 'bustabit', zeroplay: 'zeroplay', rps: 'Rock-paper-scissors', hilo: 'HiLo' });
const sections = ['outcome', 'blocks', 'words', 'steps', 'share'];
const own = selfTest();

let run = 0;
/** @type {ReturnType<typeof setTimeout> | undefined} */
let timer;

/** A site's or game's name, which is the same in every language. @param {string} name */
const title = (name) => names[name] ?? (name[0].toUpperCase() + name.slice(1)).replaceAll('-', ' ');

/** @returns {Game | undefined} */
const chosen = () => games.find((g) => g.site === byId('site').value && g.game === byId('game').value);

// ---- the form ----

/** @param {string} id @param {[string, string][]} list values and what they are called */
function fillSelect(id, list) {
  byId(id).replaceChildren(...list.map(([value, text]) => el('option', { value }, text)));
}

function fillGames() {
  fillSelect('game', games.filter((g) => g.site === byId('site').value).map((g) => [g.game, title(g.game)]));
}

/** The fields of the chosen game. */
function fillGame() {
  const g = chosen();
  if (!g) return;
  show(byId('field-variant'), g.variants.length > 1);
  fillSelect('variant', g.variants.map((v) => [v, v === '' ? say('outcomes.variant.shown') : v]));
  show(byId('field-client'), g.client);
  show(byId('field-nonce'), g.nonce);
  show(byId('field-cursor'), g.cursor);
  const round = g.client && !g.nonce;
  byId('server-label').textContent = say(round ? 'outcomes.server.round' : 'outcomes.server');
  byId('client-label').textContent = say(round ? 'outcomes.client.round' : 'outcomes.client');
  fillSelect('key', []);
  byId('params').replaceChildren(...g.params.map((p) => {
    const id = 'p-' + p.name;
    const label = el('label', { for: id }, el('code', {}, p.name), p.optional ? el('span', { class: 'small' }, ' ' + say('outcomes.optional')) : null);
    const options = p.type === 'boolean' ? ['true', 'false'] : p.list;
    if (options) {
      return el('div', { class: 'field' }, label, el('select', { id }, p.optional ? el('option', { value: '' }, say('outcomes.none')) : null, options.map((o) => el('option', { value: o }, o))));
    }
    const allowed = p.type === 'integer' ? say('outcomes.allowed', { from: String(p.min), to: String(p.max) }) : '';
    const how = allowed === '' ? null : 'how-' + id;
    const box = el('input', { id, autocomplete: 'off', spellcheck: 'false', autocapitalize: 'off', autocorrect: 'off', inputmode: p.type === 'integer' ? 'numeric' : null, 'aria-describedby': how });
    if (p.type === 'integer' && !p.optional) box.value = String(p.min);
    return el('div', { class: 'field' }, label, box, how === null ? null : el('p', { class: 'small', id: how }, allowed));
  }));
}

/** The bet as the form has it. @returns {Bet} */
function readForm() {
  const g = /** @type {Game} */ (chosen());
  const number = (/** @type {string} */ id) => byId(id).value.trim() || null;
  const client = byId('empty').checked ? '' : byId('client').value || null;
  const said = byId('said').value;
  return {
    site: g.site, game: g.game, variant: byId('variant').value, seed: byId('server').value, sealed: byId('sealed').value.trim(),
    client: g.client ? client : null, nonce: g.nonce ? number('nonce') : null, cursor: g.cursor ? number('cursor') : null,
    params: g.params.map((p) => /** @type {[string, string]} */ ([p.name, byId('p-' + p.name).value.trim()])).filter(([, value]) => value !== ''),
    said: said.trim() === '' || byId('key').value === '' ? null : { key: byId('key').value, text: said },
  };
}

/** Puts a bet into the form. @param {Bet} bet @returns {string} what the form cannot hold, or "" */
function fillForm(bet) {
  if (!games.some((g) => g.site === bet.site)) return 'site';
  byId('site').value = bet.site;
  fillGames();
  if (!games.some((g) => g.site === bet.site && g.game === bet.game)) return 'game';
  byId('game').value = bet.game;
  fillGame();
  const g = /** @type {Game} */ (chosen());
  if (!g.variants.includes(bet.variant) && bet.variant !== '') return 'variant';
  byId('variant').value = bet.variant === '' ? g.variants[0] : bet.variant;
  byId('server').value = bet.seed;
  byId('client').value = bet.client ?? '';
  byId('empty').checked = bet.client === '';
  byId('nonce').value = bet.nonce ?? '';
  byId('cursor').value = bet.cursor ?? '';
  byId('sealed').value = bet.sealed;
  byId('said').value = bet.said?.text ?? '';
  if (bet.said) fillSelect('key', [[bet.said.key, keyName(bet.said.key)]]);
  for (const p of g.params) byId('p-' + p.name).value = bet.params.find(([name]) => name === p.name)?.[1] ?? '';
  // Whatever a field has changed, such as a line end, or has no place for, would be another bet.
  if (writeBet({ ...readForm(), variant: bet.variant }) === writeBet(sorted(bet, g))) return '';
  return bet.params.find(([name]) => !g.params.some((p) => p.name === name))?.[0] ?? 'server';
}

/** A bet with its parameters in the order of the game. @param {Bet} bet @param {Game} g @returns {Bet} */
function sorted(bet, g) {
  const place = (/** @type {string} */ name) => g.params.findIndex((p) => p.name === name);
  return { ...bet, params: [...bet.params].sort(([a], [b]) => place(a) - place(b)) };
}

// ---- the result ----

/** @param {Bet} bet */
async function compute(bet) {
  const mine = ++run;
  clearTimeout(timer);
  paintEngines('loading');
  const browser = await compareWithBrowser();
  let core;
  try {
    core = /** @type {any} */ (await loadCore());
  } catch (error) {
    if (mine === run) stop('missing', 'unsure', say('outcomes.missing'), say('outcomes.missing.how', { reason: String(error) }));
    return;
  }
  if (mine !== run) return;
  const failed = !own.ok || !browser.ok ? 'JavaScript: ' + [...own.failed, ...browser.failed].join(', ') : core.selftest();
  if (failed !== '') return stop('failed', 'unsure', say('outcomes.failed'), failed);
  const made = core.outcome(bet);
  if (made.code !== '') return refuse(bet, made);
  const second = compare(bet, made);
  if (second === 'differ') return stop('differ', 'unsure', say('outcomes.differ'), say('outcomes.differ.how'));
  paint(bet, made, second);
}

/**
 * Whether the JavaScript engine comes to the same key, messages, bytes and words.
 * @param {Bet} bet
 * @param {any} made by the core
 * @returns {'agree' | 'differ' | 'one'}
 */
function compare(bet, made) {
  if (notStreamed.includes(bet.site)) return 'one';
  const stream = streamOf(bet);
  const hex = (/** @type {Uint8Array} */ bytes) => Array.from(bytes, (b) => b.toString(16).padStart(2, '0')).join('');
  if (stream === null || hex(stream.key) !== made.key) return 'differ';
  /** @type {string} */
  let taken = '';
  for (const block of made.blocks) {
    const number = BigInt(block.number);
    const sum = hex(stream.block(number));
    if (hex(stream.message(number)) !== block.message || sum !== block.sum) return 'differ';
    taken += sum.slice(2 * block.from, 2 * block.to);
  }
  // The words must stand among the bytes taken, in this order.
  let at = 0;
  for (const word of made.words) {
    const found = taken.indexOf(word.toString(16).padStart(8, '0'), at);
    if (found < 0) return 'differ';
    at = found + 8;
  }
  return 'agree';
}

/** @param {Bet} bet @param {any} made */
function refuse(bet, made) {
  const about = made.about || bet.game;
  const word = 'outcomes.code.' + made.code;
  if (['no-client', 'no-nonce', 'param-missing', 'variant-missing'].includes(made.code)) { // most often they are not typed yet
    return stop(made.code, 'none', say('outcomes.unfinished'), say(word, { about, allowed: made.allowed }));
  }
  stop(made.code, 'unsure', say('outcomes.refused'), has(word) ? say(word, { about, allowed: made.allowed }) : made.code, say('outcomes.refused.how'));
}

/** No outcome: a verdict box with the reason, and nothing else. @param {string} code @param {string} look @param {string} heading @param {...string} reasons */
function stop(code, look, heading, ...reasons) {
  for (const id of sections) show(byId(id), false);
  byId('outcomes').classList.remove('stale');
  verdict(code, look, heading, reasons);
  paintEngines('none');
}

/** @param {string} code @param {string} look @param {string} heading @param {string[]} texts */
function verdict(code, look, heading, texts) {
  const box = byId('verdict');
  const sign = { bad: 'no', unsure: 'ask', good: 'yes' }[look];
  box.className = 'verdict ' + (look === 'good' ? '' : look === 'none' ? 'waiting' : look);
  box.dataset.code = code;
  box.replaceChildren(el('div', { class: 'vhead' }, sign ? el('svg', { viewBox: '0 0 32 32', 'aria-hidden': 'true' }, el('use', { href: '#i-' + sign })) : null, el('h1', {}, heading)),
    ...texts.map((text) => el('p', {}, text)));
  show(box, true);
  show(byId('intro'), false);
  document.title = ({ bad: '✕ ', unsure: '? ', good: '✓ ' }[look] ?? '') + heading + ' · Veridice';
}

/** @param {Bet} bet @param {any} made @param {'agree' | 'one'} second */
function paint(bet, made, second) {
  const { check } = made;
  const outcome = title(bet.site) + ', ' + title(bet.game);
  const values = { key: keyName(check.key), expected: check.expected, got: check.got };
  if (check.code === 'wrong-seal' || check.seal === 'no') verdict('wrong-seal', 'bad', say('outcomes.seal.no'), [say('outcomes.seal.no.how')]);
  else if (check.seal === 'unread') verdict('bad-seal', 'unsure', say('outcomes.seal.unreadable'), [say('outcomes.code.bad-seal')]);
  else if (bet.said === null) verdict('computed', 'none', say('outcomes.computed', { outcome }), [say('outcomes.computed.how')]);
  else if (!check.readable) verdict('not-comparable', 'unsure', say('outcomes.incomparable'), [say('outcomes.incomparable.how', { key: keyName(bet.said.key) })]);
  else if (check.verdict === 'proven') verdict('proven', 'good', say('outcomes.fits'), [say('outcomes.fits.how', { outcome, key: keyName(bet.said.key) })]);
  else if (check.verdict === 'broken') verdict('wrong-outcome', 'bad', say('outcomes.wrong'), [say('outcomes.wrong.how', values), say('outcomes.wrong.who')]);
  else verdict(check.code, 'unsure', say('outcomes.incomparable'), [say('outcomes.incomparable.how', { key: keyName(bet.said.key) })]);
  if (check.seal === 'no' && check.code === 'wrong-outcome') byId('verdict').append(el('p', {}, say('outcomes.wrong.how', values)));

  byId('drawn').replaceChildren(drawing(bet.game, bet.params, made.keys));
  const lines = [say('outcomes.grade.' + made.grade, { count: made.count })];
  for (const [label, key] of made.labels) lines.push(sentence(say('outcome.label.' + label, { key: keyName(key) })));
  if (check.seal === 'yes' || check.seal === 'absent') lines.push(say('outcomes.seal.' + check.seal));
  for (const finding of check.findings) lines.push(sentence(say('outcome.finding.' + finding)));
  byId('evidence').replaceChildren(...lines.map((line) => el('li', {}, line)));

  byId('block-list').replaceChildren(...blocks(made));
  byId('word-list').replaceChildren(...floats(made.words));
  byId('step-list').replaceChildren(...arithmetic(made.steps));
  const key = byId('key').value || prefer(made.keys);
  fillSelect('key', made.keys.map((/** @type {any} */ k) => [k.name, keyName(k.name)]));
  byId('key').value = made.keys.some((/** @type {any} */ k) => k.name === key) ? key : prefer(made.keys);

  const link = writeBet(bet);
  if (location.hash.slice(1) !== link) history.replaceState(null, '', '#' + link);
  carryFragment();
  byId('link').textContent = location.href.replace(/[?#].*$/, '') + '#' + link;
  byId('share-out').textContent = '';
  byId('outcomes').classList.remove('stale');
  for (const id of sections) show(byId(id), true);
  show(byId('words'), made.words.length > 0);
  show(byId('steps'), made.steps.length > 0);
  paintEngines(second);
}

/** The value that people look at first. @param {{name: string}[]} keys */
function prefer(keys) {
  const usual = ['roll', 'multiplier', 'path', 'cells', 'numbers', 'cards', 'multipliers'];
  return usual.find((name) => keys.some((k) => k.name === name)) ?? keys[0].name;
}

/** @param {'none' | 'loading' | 'agree' | 'one'} state */
function paintEngines(state) {
  const line = byId('engines');
  line.dataset.state = state;
  line.textContent = state === 'none' ? '' : say('outcomes.engines.' + state);
  show(line, state !== 'none');
}

/** Takes back what is shown. @param {boolean} keep whether its place stays, so that the page does not jump */
function clear(keep) {
  run++;
  clearTimeout(timer);
  const box = byId('verdict');
  box.dataset.code = '';
  if (keep && !byId('outcome').hidden) {
    byId('outcomes').classList.add('stale');
    box.className = 'verdict waiting';
    box.replaceChildren(el('p', {}, say('outcomes.edited')));
  } else {
    for (const id of sections) show(byId(id), false);
    show(box, false);
  }
  document.title = say('outcomes.title') + ' · Veridice';
  paintEngines('none');
}

// ---- what the reader does ----

function edited() {
  clear(true);
  if (byId('server').value === '') {
    clear(false);
    return;
  }
  timer = setTimeout(() => compute(readForm()), 250); // not at each key: a screen reader would read every result
}

byId('fields').addEventListener('input', (/** @type {any} */ event) => {
  if (event.target.id === 'site') fillGames();
  if (event.target.id === 'site' || event.target.id === 'game') {
    byId('said').value = '';
    fillGame();
  }
  if (event.target.id === 'client') byId('empty').checked = false;
  if (event.target.id === 'empty' && byId('empty').checked) byId('client').value = '';
  edited();
});
byId('fields').addEventListener('submit', (/** @type {Event} */ event) => event.preventDefault());
byId('copy-link').addEventListener('click', async () => {
  byId('share-out').textContent = say((await copy(byId('link').textContent)) ? 'ui.copied' : 'ui.copy.failed');
});

/** The bet in the address, if there is one. */
function open() {
  clear(false);
  show(byId('intro'), true);
  if (location.hash.length < 2) return;
  const { bet, fault } = readBet(location.hash.slice(1));
  const wrong = bet === null ? fault : fillForm(bet);
  if (wrong) stop('bad-link', 'unsure', say('outcomes.badlink'), say('outcomes.badlink.how', { key: wrong }));
  else if (bet) compute({ ...readForm(), said: bet.said });
}

fillSelect('site', [...new Set(games.map((g) => g.site))].map((site) => [site, title(site)]));
fillGames();
fillGame();
addEventListener('hashchange', open);
open();
