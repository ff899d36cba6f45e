// The luck page: how unusual the rolls of a match were, or those of all matches that this
// browser kept, against the exact odds. It gives no verdict and changes none.
import { carry } from './carry.mjs';
import { byId, carryFragment, el, show } from './dom.mjs';
import { drawMeasure, percent } from './luck-plot.mjs';
import { fromServer } from './replay-source.mjs';
import { readAddress } from './replay-address.mjs';
import { lang, moment, say } from './words.mjs';
import { matchOf } from './replay-model.mjs';
import { measure, rarity } from './luck-model.mjs';
import { openInput } from './replay-input.mjs';
import { openMatches, recordOf } from './matches-store.mjs';
import { sentence } from './check-words.mjs';
import { rollsOf, verify, writeLink } from '../verifier/veridice.mjs';

/**
 * Rolls that are measured together.
 * @typedef {{title: any, scheme: string, matches: import('./luck-model.mjs').Roll[][]}} Group
 */

const matches = openMatches();
let run = 0;

/** @param {any} words @param {...any} more */
function tell(words, ...more) {
  byId('measures').replaceChildren();
  show(byId('read'), false);
  byId('out').replaceChildren(words, ...more);
}

/** Lets the page be painted before the next part of the work. */
const breath = () => new Promise((done) => setTimeout(done));

/**
 * @param {Group[]} groups
 * @param {any[]} head of the page: what is measured
 * @param {string} check address of the check page
 * @param {string} [carried] what no address can hold
 */
async function paint(groups, head, check, carried = '') {
  const mine = ++run;
  tell('');
  byId('measures').append(el('p', { class: 'big' }, head));
  let count = 0;
  let alarm = 0;
  for (const { title, scheme, matches } of groups) {
    await breath();
    if (mine !== run) return;
    const found = measure(scheme, matches).map(drawMeasure);
    if (found.length === 0) continue;
    count += found.length;
    alarm += found.reduce((sum, one) => sum + one.alarm, 0);
    byId('measures').append(el('section', {}, el('h2', {}, title), el('div', { class: 'plots' }, found.map(({ node }) => node))));
  }
  byId('lucky').dataset.done = String(mine);
  if (count === 0) return tell(say('luck.nothing'));
  byId('alarm').textContent = alarm === 0 ? say('luck.alarm.none', { count, rarity }) : say('luck.alarm', { count, rarity, percent: percent(Math.min(1, alarm)) });
  byId('check').href = check;
  byId('check').onclick = carried === '' ? null : () => { carry(carried); };
  show(byId('read'), true);
}

/** @param {string} text @param {any[]} events */
function showText(text, events) {
  const report = verify(text);
  const { record, fault } = report;
  if (record === null || rollsOf(record).length === 0) {
    return tell(fault === null ? say('luck.nothing') : sentence(say('verify.' + fault.code, { part: fault.part, where: '' })));
  }
  const match = matchOf(record, events);
  const seats = match.rolls.some(({ seat }) => seat === null) ? [] : [...new Set(match.rolls.map(({ seat }) => Number(seat)))].sort((a, b) => a - b);
  const who = (/** @type {number} */ seat) => (seat === 0 ? say('replay.server') : match.names[seat] ? el('bdi', {}, match.names[seat]) : say('replay.seat', { seat }));
  /** @type {Group[]} */
  const groups = [{ title: say('luck.all'), scheme: match.scheme, matches: [match.rolls] }];
  if (seats.length > 1) for (const seat of seats) groups.push({ title: who(seat), scheme: match.scheme, matches: [match.rolls.filter((roll) => roll.seat === seat)] });
  const link = writeLink(record);
  paint(groups, [say('luck.one', { count: match.rolls.length })], `/${lang}/check/` + (link === null ? '' : '#' + link), link === null ? text : '');
}

/** All matches that this browser kept: its own, not copies. */
async function showKept() {
  const mine = ++run;
  const own = (await matches.list()).filter((kept) => kept.own);
  if (mine !== run) return;
  const played = own.flatMap((kept) => {
    const text = recordOf(kept);
    const record = text === null ? null : verify(text).record;
    return record === null || rollsOf(record).length === 0 ? [] : [{ kept, match: matchOf(record) }];
  });
  if (played.length === 0) return tell('');
  /** @type {Group[]} */
  const groups = [];
  for (const scheme of ['', 'yayay/1']) { // dice of yayay/1 are not quite even
    const these = played.filter(({ match }) => (match.scheme === 'yayay/1') === (scheme === 'yayay/1'));
    if (these.length > 0) groups.push({ title: say(scheme === '' ? 'luck.all' : 'luck.all.yayay'), scheme, matches: these.map(({ match }) => match.rolls) });
    const mineOnly = these.map(({ kept, match }) => (kept.seat === null ? [] : match.rolls.filter(({ seat }) => seat === kept.seat))).filter((rolls) => rolls.length > 0);
    if (mineOnly.length > 0) groups.push({ title: say('luck.mine'), scheme, matches: mineOnly });
  }
  const first = played.map(({ kept }) => kept.at).filter((at) => at !== '').sort()[0];
  const head = [say('luck.kept', { count: played.length }), ' ', first ? say('luck.kept.since', { time: moment(first) }) : '', ' ', el('a', { href: `/${lang}/matches/` }, say('luck.kept.list'))];
  paint(groups, head, `/${lang}/matches/`);
}

async function open() {
  const mine = ++run;
  const address = readAddress(location.hash);
  show(byId('more'), address.kind !== 'none');
  tell('');
  if (address.kind === 'none') return showKept();
  if (address.kind === 'fault') return tell(say('replay.cut'));
  if (address.kind === 'text') return showText(address.text, []);
  if (address.kind === 'kept') {
    const text = await matches.textOf(address.id);
    if (mine !== run) return;
    return text === null ? tell(say('replay.kept.none')) : showText(text, []);
  }
  tell(say('replay.loading'));
  const found = await fromServer(address.id, () => { if (mine === run) byId('out').textContent = say('replay.trouble'); });
  if (mine !== run) return;
  if (!('text' in found)) return tell(say('replay.' + found.fault, { status: found.status }));
  const events = await found.events;
  if (mine === run) showText(found.text, events);
}

openInput((text) => {
  const report = verify(text);
  const link = report.record === null ? null : writeLink(report.record);
  history.pushState(null, '', `/${lang}/luck/` + (link === null ? '' : '#' + link));
  carryFragment();
  show(byId('more'), true);
  run++;
  showText(text, []);
});

addEventListener('hashchange', open);
open();
