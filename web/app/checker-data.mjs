// What the single-file checker knows. tools/checker puts this in the place of data.mjs and
// writes in what it has built: the words of all languages, and the page.

/**
 * A part of the page: a text, a message, or an element with attributes and parts.
 * @typedef {string | {say: string} | [string, Record<string, string | true | {say: string}>, ...any[]]} Part
 *
 * @typedef {object} Built
 * @property {{tag: string, name: string, short: string}[]} languages
 * @property {Record<string, Record<string, string | Record<string, string>>>} words by language
 * @property {Part[]} page
 * @property {string} coreSum SHA-256 of the Go core in this file, hex, or ""
 */

/** @type {Built} */
const built = /** @type {any} */ (globalThis).VERIDICE_CHECKER;

export const { languages, page } = built;

/** The language that the reader chose here, or the first that the browser asks for. */
function chosen() {
  const known = languages.map(({ tag }) => tag);
  // "in" was the code of Indonesian; Malay is nearer to it than to English.
  const asked = navigator.languages.map((tag) => tag.toLowerCase().split('-')[0]).map((tag) => (tag === 'in' || tag === 'ms' ? 'id' : tag));
  return [history.state?.lang, ...asked].find((tag) => known.includes(tag)) ?? 'en';
}

/** SHA-256 of the script in this file, hex: the policy names it, and the browser has compared it. */
function scriptSum() {
  const policy = document.querySelector('meta[http-equiv]')?.getAttribute('content') ?? '';
  const sum = /script-src 'sha256-([^']+)'/.exec(policy)?.[1] ?? '';
  return Array.from(atob(sum), (c) => c.charCodeAt(0).toString(16).padStart(2, '0')).join('');
}

const lang = chosen();

/** As a page of the site has it. @type {typeof import('./data.mjs').data} */
export const data = { lang, words: built.words[lang], file: true, version: scriptSum(), core: built.coreSum && '#core', coreSum: built.coreSum, contact: '' };
