// A distribution as a small plot, and what it says in words.
import { el } from './dom.mjs';
import { lang, number, say } from './words.mjs';
import { bars, judge } from './luck-model.mjs';

const wide = 320;
const high = 72;
const foot = 12; // room for the mark under the bars
const usual = 0.25; // what comes in every fourth match is nothing to talk about

const rounded = new Intl.NumberFormat(lang, { maximumFractionDigits: 1 });

/** A part of all as percent, with two digits that count. @param {number} part */
export const percent = (part) => new Intl.NumberFormat(lang, { style: 'percent', maximumSignificantDigits: 2 }).format(part);

/**
 * A number that was measured: how many, how many are usual, a plot, and a sentence.
 * @param {import('./luck-model.mjs').Measure} measure
 * @returns {{node: any, alarm: number}} alarm is how often honest dice are called rare by this number
 */
export function drawMeasure({ kind, rolls, value, distribution }) {
  const head = el('h3', {}, say('luck.kind.' + kind));
  if (distribution === null) return { node: el('div', { class: 'measure' }, head, valueOf(kind, rolls, value, null), el('p', { class: 'small' }, say('luck.too-many'))), alarm: 0 };
  const { above, share, mean, rare, alarm } = judge(distribution, value);
  const node = el('div', { class: 'measure' + (rare ? ' rare' : '') }, head, valueOf(kind, rolls, value, mean), plot(distribution, value), el('p', {}, rare ? el('b', {}, say('luck.rare') + ' ') : null, sentence(share, above)));
  return { node, alarm };
}

/** @param {string} kind @param {number} rolls @param {number} value @param {number | null} mean */
function valueOf(kind, rolls, value, mean) {
  const key = kind === 'run' || kind === 'without' ? 'luck.value.longest' : 'luck.value';
  return el('p', { class: 'value' }, el('b', {}, number(value)), ' ', el('span', {}, say(key, { count: rolls }), mean === null ? '' : ' ' + say('luck.mean', { mean: rounded.format(mean) })));
}

/** @param {number} share @param {boolean} above */
function sentence(share, above) {
  const side = above ? 'up' : 'down';
  if (share >= usual) return say('luck.usual.' + side, { percent: percent(share) });
  if (share < 1e-6) return say('luck.hardly.' + side);
  return say('luck.nth.' + side, { count: Math.round(1 / share), percent: percent(share) });
}

/** @param {import('./luck-model.mjs').Distribution} distribution @param {number} value */
function plot(distribution, value) {
  const list = bars(distribution, value);
  const most = Math.max(...list.map(({ share }) => share));
  const step = wide / list.length;
  const gap = Math.min(2, step / 4);
  const here = list.findIndex((bar) => bar.here);
  const middle = (here + 0.5) * step;
  const height = (/** @type {number} */ share) => (share === 0 ? 0 : Math.max(1, (share / most) * high));
  const from = list[0].from;
  const to = list[list.length - 1].to;
  return el('figure', { class: 'plot' },
    el('svg', { viewBox: `0 0 ${wide} ${high + foot}`, role: 'img', 'aria-label': say('luck.plot', { from, to, value }) },
      list.map((bar, i) => el('rect', { class: bar.here ? 'bar here' : 'bar', x: (i * step + gap / 2).toFixed(2), y: (high - height(bar.share)).toFixed(2), width: (step - gap).toFixed(2), height: height(bar.share).toFixed(2) })),
      el('path', { class: 'ground', d: `M0 ${high}h${wide}` }),
      el('path', { class: 'arrow', d: `M${middle.toFixed(2)} ${high + 2}l6 9h-12z` })),
    el('figcaption', { class: 'small' }, el('span', {}, number(from)), el('span', {}, number(to) + (distribution.open ? '+' : ''))));
}
