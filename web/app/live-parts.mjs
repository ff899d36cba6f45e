// Small parts that the views of a table of veridice/1 share.
import { el } from './dom.mjs';
import { list, say } from './words.mjs';

/**
 * Who has a role: the name, as text that keeps its direction to itself, or "Seat 2"; 0 is the server.
 * @param {{names: string[]}} view
 * @param {number} role
 */
export function who(view, role) {
  if (role === 0) return say('table.server');
  const name = view.names[role - 1];
  return name ? el('bdi', {}, name) : say('table.seat', { seat: role });
}

/**
 * Several roles as one text, "Anna and Seat 3".
 * @param {{names: string[]}} view
 * @param {number[]} roles
 */
export function all(view, roles) {
  return list(roles.map((role) => (role === 0 ? say('table.server') : view.names[role - 1] || say('table.seat', { seat: role }))));
}

/**
 * A button for what cannot be taken back: it asks first, in the place given beside it.
 * @param {{id: string, label: string, question: string, yes: string, no: string, go: () => void}} given
 */
export function careful({ id, label, question, yes, no, go }) {
  const place = el('div', { class: 'question' });
  const close = () => { place.replaceChildren(); button.focus(); };
  const button = el('button', { type: 'button', id, on: { click: ask } }, label);
  return { button, place };

  function ask() {
    const first = el('button', { type: 'button', class: 'primary', id: id + '-yes', on: { click: () => { close(); go(); } } }, yes);
    place.replaceChildren(el('div', { class: 'askbox' }, el('p', {}, question),
      el('p', { class: 'row' }, first, el('button', { type: 'button', on: { click: close } }, no))));
    first.focus();
  }
}
