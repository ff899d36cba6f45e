// The single-file checker: puts the check page in the place of the text that stands there
// as long as no script runs. It comes first; the script of the check page follows.
import { byId, el } from './dom.mjs';
import { say } from './words.mjs';
import { data, languages, page } from './checker-data.mjs';

/** @typedef {import('./checker-data.mjs').Part} Part */

/** @param {Part} part @returns {any} */
function build(part) {
  if (typeof part === 'string') return part;
  if (!Array.isArray(part)) return say(part.say);
  const [name, attributes, ...parts] = part;
  const texts = Object.entries(attributes).map(([key, value]) => [key, typeof value === 'object' ? say(value.say) : value]);
  return el(name, Object.fromEntries(texts), parts.map(build));
}

/** @param {typeof languages[number]} language */
function button({ tag, name, short }) {
  const current = tag === data.lang;
  return el('li', {}, el('button', { type: 'button', lang: tag, 'aria-label': short + ', ' + name, 'aria-current': current ? 'true' : null, on: { click: () => choose(tag) } }, short));
}

/** The page is made anew in another language. A match that is in no address is carried along by app/check.mjs. @param {string} lang */
function choose(lang) {
  history.replaceState({ ...history.state, lang }, '');
  location.reload();
}

document.documentElement.lang = data.lang;
document.title = say('check.title') + ' · Veridice';
byId('fallback').replaceWith(
  el('header', { class: 'top' }, el('div', { class: 'wrap' },
    el('span', { class: 'brand' }, el('svg', { class: 'die', viewBox: '0 0 24 24', 'aria-hidden': 'true' }, el('use', { href: '#d5' })), 'Veridice'),
    el('nav', { 'aria-label': say('ui.language') }, el('ul', { class: 'langs' }, languages.map(button))))),
  ...page.map(build),
  el('footer', {}, el('div', { class: 'wrap' }, el('p', {}, say(data.core ? 'checker.about.full' : 'checker.about')), el('p', {}, say('ui.footer')))),
);
