// The forgery: the reader bets, changes dice, key or fingerprint, and the check names
// what does not fit. The check is that of the check page.
import { byId, el, groups, show } from './dom.mjs';
import { die, icon } from './dice.mjs';
import { say } from './words.mjs';
import { carry } from './carry.mjs';
import { drawReport, looks } from './check-report.mjs';
import { begin, check, checkEarlier, forge, gameRecord, mayChange, perThrow, place, setDie, setKey, setSeal, throws, undo } from './how-model.mjs';
import { draw, numbers, repaint, rove, watch } from './how-parts.mjs';
import { writeRecord } from '../verifier/veridice.mjs';

/** @typedef {import('./how-model.mjs').Forgery} Forgery */
/** @typedef {import('./how-model.mjs').Named} Named */

/** @type {Forgery | null} */
let forgery = null;

const attempts = /** @type {const} */ ([1, 2, 3]);
const names = { 1: 'how.tamper.1', 2: 'how.tamper.2', 3: 'how.tamper.3' };
const tasks = { 1: 'how.tamper.1.task', 2: 'how.tamper.2.task', 3: 'how.tamper.3.task' };

const list = byId('throws');
rove(list, () => perThrow);

/** @param {Named} named */
function word(named) {
  if (typeof named === 'number') return say('how.tamper.throw', { roll: named });
  return say(named === 'seal' ? 'how.tamper.seal' : 'how.tamper.nothing');
}

/** @param {Forgery} next */
function set(next) {
  if (next === forgery) return;
  forgery = next;
  paint();
}

/** @param {(forgery: Forgery) => Forgery} step */
function step(step) {
  if (forgery !== null) set(step(forgery));
}

function paint() {
  if (forgery === null) return;
  const { attempt, game, dealt, bet, past, report } = forgery;
  repaint(byId('attempts'), attempts.map((n) => el('button', { type: 'button', 'aria-pressed': String(n === attempt), on: { click: () => step((f) => begin(f, n)) } }, say(names[n]))));
  for (const button of byId('attempts').children) button.tabIndex = 0;
  byId('task').textContent = say(tasks[attempt]);
  byId('bet').value = bet === null ? '' : String(bet);

  repaint(list, game.rolls.map((dice, r) => {
    const odd = report?.compared[r]?.fits === false;
    return el('li', { class: odd ? 'off' : null }, el('span', { class: 'no', id: `no-${r}` }, odd ? icon('no') : null, String(r + 1)),
      dice.map((value, d) => {
        const was = dealt.rolls[r][d];
        const words = { roll: r + 1, die: d + 1, value, was };
        return el('button', {
          type: 'button', class: value === was ? null : 'turned', 'aria-label': say(value === was ? 'how.tamper.die' : 'how.tamper.die.was', words),
          on: { click: () => step((f) => setDie(f, r, d)) },
        }, die(value));
      }));
  }));

  const row = (/** @type {string} */ label, /** @type {string} */ hex, /** @type {boolean} */ other) =>
    el('div', {}, el('dt', {}, label), el('dd', {}, el('span', { class: other ? 'hex turned' : 'hex' }, groups(hex))));
  byId('forged').replaceChildren(row(say('how.key.label'), game.key, game.key !== dealt.key), row(say('check.field.seal.yayay'), game.seal, game.seal !== dealt.seal));
  show(byId('swap'), mayChange(forgery, 'key'));
  show(byId('fit'), mayChange(forgery, 'seal'));
  // Nothing that is off may hold the focus.
  if (past.length === 0 && document.activeElement === byId('undo')) /** @type {HTMLElement} */ (list.querySelector('[tabindex="0"]')).focus();
  byId('undo').disabled = past.length === 0;
  byId('go').disabled = bet === null;
  show(byId('first'), bet === null);
  paintReport();
}

/** The verdict, what came of the bet, and why. */
function paintReport() {
  const { report, earlier, attempt, bets, dealt } = /** @type {Forgery} */ (forgery);
  const box = byId('forged-verdict');
  show(box, report !== null);
  show(byId('send'), report !== null && !earlier);
  const caught = report !== null && (attempt < 3 || earlier);
  show(byId('earlier'), report?.verdict === 'proven' && !earlier && report.seal !== dealt.seal);
  show(byId('attempt'), caught && attempt < 3);
  byId('attempt').textContent = say('how.tamper.next', { attempt: attempt + 1 });
  if (report === null) {
    box.replaceChildren();
    return byId('after').replaceChildren();
  }
  const { sign, title, body } = drawReport(report, { typed: false, kept: earlier, seen: undefined, jump });
  box.className = 'verdict' + looks[sign];
  box.dataset.code = report.code || report.verdict;
  box.replaceChildren(el('div', { class: 'vhead' }, icon(sign), el('h3', {}, title)), ...body.filter((b) => b));
  const last = bets[bets.length - 1];
  const won = last.bet === last.named;
  byId('after').replaceChildren(
    earlier ? el('p', { class: 'small' }, say('how.tamper.noted') + ': ', el('code', {}, groups(dealt.seal)))
      : el('p', { class: 'big' }, el('strong', {}, say(won ? 'how.tamper.won' : 'how.tamper.lost', { bet: word(last.bet), named: word(last.named) }))),
    el('p', {}, why()),
    el('p', { class: 'small' }, say('how.tamper.score', { won: bets.filter((b) => b.bet === b.named).length, bets: bets.length })));
}

/** What there is to learn from a report. */
function why() {
  const { report, earlier, game, dealt, bets } = /** @type {Forgery} */ (forgery);
  if (earlier) return say('how.tamper.why.earlier');
  const { named } = bets[bets.length - 1];
  if (named === 'nothing') return say(game.seal === dealt.seal ? 'how.tamper.why.none' : 'how.tamper.why.both');
  if (named !== 'seal') return say('how.tamper.why.dice', { dice: throws * perThrow });
  return say(report?.code === 'wrong-seal' ? 'how.tamper.why.key' : 'how.tamper.why.pair');
}

/** Leads to a throw. @param {number} roll */
function jump(roll) {
  const button = /** @type {HTMLElement} */ (list.children[roll - 1].querySelector('button'));
  button.scrollIntoView({ block: 'center' });
  button.focus();
}

// ---- what the reader does ----

byId('bet').addEventListener('change', () => {
  const { value } = byId('bet');
  step((f) => place(f, value === '' ? null : value === 'seal' || value === 'nothing' ? value : Number(value)));
});
byId('swap').addEventListener('click', () => step((f) => setKey(f, draw(32))));
byId('fit').addEventListener('click', () => step(setSeal));
byId('undo').addEventListener('click', () => step(undo));
byId('go').addEventListener('click', () => {
  step(check);
  byId('forged-verdict').focus(); // the button is off again, until there is another bet
});
byId('earlier').addEventListener('click', () => {
  step(checkEarlier);
  byId('forged-verdict').scrollIntoView({ block: 'nearest' });
});
byId('attempt').addEventListener('click', () => {
  step((f) => begin(f, f.attempt === 1 ? 2 : 3));
  byId('tamper').scrollIntoView({ block: 'start' });
  byId('tamper').focus({ preventScroll: true });
});
byId('send').addEventListener('click', () => {
  if (forgery === null) return;
  if (carry(writeRecord(gameRecord(forgery.game)))) location.href = new URL('../check/', location.href).pathname;
  else byId('after').replaceChildren(el('p', {}, say('how.tamper.refused')), el('pre', { tabindex: '0', role: 'region', 'aria-label': say('how.tamper.title') }, writeRecord(gameRecord(forgery.game))));
});
byId('forgery').addEventListener('keydown', (/** @type {KeyboardEvent} */ event) => {
  const { key, ctrlKey, altKey, metaKey } = event;
  if (altKey) return;
  if ((key === 'Backspace' && !ctrlKey && !metaKey) || (event.code === 'KeyZ' && (ctrlKey || metaKey))) {
    event.preventDefault();
    step(undo);
    return;
  }
  const at = [...list.querySelectorAll('button')].indexOf(/** @type {HTMLButtonElement} */ (document.activeElement));
  if (at < 0 || !/^[1-6]$/.test(key) || ctrlKey || metaKey) return;
  event.preventDefault();
  step((f) => setDie(f, Math.floor(at / perThrow), at % perThrow, Number(key)));
});

byId('bet').replaceChildren(...[
  el('option', { value: '' }, say('how.tamper.choose')),
  Array.from({ length: throws }, (_, i) => el('option', { value: i + 1 }, word(i + 1))),
  el('option', { value: 'seal' }, word('seal')), el('option', { value: 'nothing' }, word('nothing')),
].flat());

watch(() => {
  const { key } = numbers;
  if (key === '' || key === forgery?.dealt.key) return;
  set(forge(key));
});
