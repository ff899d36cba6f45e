// Elements without innerHTML, so that Trusted Types can forbid it.

const SVG = 'http://www.w3.org/2000/svg';
const DRAWN = new Set(['svg', 'use', 'path', 'circle', 'rect', 'g']);

/**
 * Makes an element. Attributes that are null or false are left out, true is the
 * empty attribute, and `on` holds listeners by event. Children are nodes, texts,
 * numbers, arrays of these, or null.
 * @param {string} name
 * @param {Record<string, any>} [attributes]
 * @param {...any} children
 * @returns {any}
 */
export function el(name, attributes = {}, ...children) {
  const e = DRAWN.has(name) ? document.createElementNS(SVG, name) : document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key === 'on') for (const [type, listener] of Object.entries(value)) e.addEventListener(type, listener);
    else if (value !== null && value !== undefined && value !== false) e.setAttribute(key, value === true ? '' : value);
  }
  e.append(...children.flat(Infinity).filter((c) => c !== null && c !== undefined && c !== false));
  return e;
}

/**
 * The element with an id; a page without it is a mistake in the page.
 * @param {string} id
 * @returns {any}
 */
export function byId(id) {
  const e = document.getElementById(id);
  if (!e) throw new Error('the page has no element ' + id);
  return e;
}

/**
 * Shows or hides an element.
 * @param {HTMLElement} element
 * @param {boolean} visible
 */
export function show(element, visible) {
  element.hidden = !visible;
}

/**
 * Copies a text, on plain http too, where the clipboard interface is missing.
 * @param {string} text
 * @returns {Promise<boolean>} whether it was copied
 */
export async function copy(text) {
  if (navigator.clipboard) {
    try {
      await navigator.clipboard.writeText(text);
      return true;
    } catch {
      // refused: the old way may still work
    }
  }
  const box = el('textarea', { readonly: true, class: 'offscreen', tabindex: '-1' });
  box.value = text;
  const before = /** @type {HTMLElement | null} */ (document.activeElement);
  // An open dialog makes everything outside it inert, and what is inert cannot be selected.
  (document.querySelector('dialog[open]') ?? document.body).append(box);
  box.select();
  const done = document.execCommand('copy');
  box.remove();
  before?.focus();
  return done;
}

/** Hex in groups of four digits, for reading. @param {string} hex */
export const groups = (hex) => hex.replace(/(.{4})(?=.)/g, '$1 ');

/**
 * Makes the links to the other languages carry the fragment along, which holds the
 * match. Call it again whenever history.replaceState changed the fragment.
 */
export function carryFragment() {
  for (const a of /** @type {NodeListOf<HTMLAnchorElement>} */ (document.querySelectorAll('.langs a'))) a.hash = location.hash;
}

addEventListener('hashchange', carryFragment);
carryFragment();
