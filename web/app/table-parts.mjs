// Small parts that the views of the table share.
import { copy, el, groups } from './dom.mjs';
import { spoken } from './dice.mjs';
import { has, parts, say } from './words.mjs';

/**
 * Who sits there: the name, as text that keeps its direction to itself, or "Seat 2".
 * @param {import('./table-state.mjs').State} state
 * @param {number} seat
 */
export function who(state, seat) {
  const name = state.seats[seat - 1]?.name;
  return name ? el('bdi', {}, name) : say('table.seat', { seat });
}

/**
 * A roll in words, "Nikos, roll 12: 3 and 1".
 * @param {import('./table-state.mjs').State} state
 * @param {import('./table-state.mjs').Roll} roll
 */
export function rollWords(state, roll) {
  return parts('table.rolled', { who: who(state, roll.seat), roll: roll.roll, dice: spoken(roll.dice) });
}

/**
 * Finds the words of a scheme that calls things by names of its own: "key" for seed, "fingerprint" for seal.
 * @param {string} scheme tavli or yayay
 * @returns {(key: string) => string}
 */
export const worded = (scheme) => (key) => (has(`${key}.${scheme}`) ? `${key}.${scheme}` : key);

/** Hex, whole and in groups of four; a tap on it selects it all. */
export const hexText = (hex) => el('span', { class: 'hex whole' }, groups(hex));

/**
 * A button that copies a text and says whether it did.
 * @param {string} label
 * @param {string} what what is copied, for those who hear the page
 * @param {() => string} text
 */
export function copyButton(label, what, text) {
  const done = el('span', { class: 'copied', role: 'status' });
  const tell = async () => { done.textContent = say((await copy(text())) ? 'ui.copied' : 'ui.copy.failed'); };
  return [el('button', { type: 'button', 'aria-label': `${label}: ${what}`, on: { click: tell } }, label), done];
}

const built = new WeakMap();

/**
 * Fills an element anew, but only if what it shows has changed: what did not change keeps its focus and is not
 * announced again.
 * @param {HTMLElement} element
 * @param {any} shown what the content depends on
 * @param {() => any[]} build
 */
export function fill(element, shown, build) {
  const key = JSON.stringify(shown);
  if (built.get(element) === key) return;
  built.set(element, key);
  element.replaceChildren(...build().flat(Infinity).filter((c) => c !== null));
}

/** Moves to a heading that has just come up, so that who listens or tabs goes on from there. */
export function goTo(heading) {
  heading.focus({ preventScroll: true });
  heading.scrollIntoView({ block: 'nearest' });
}
