// The pace: one step after the other, back, or all at once. Nothing moves by itself. Which
// step is open stands in the address, so that a reload and another language keep it.
import { byId, carryFragment, show } from './dom.mjs';
import { say } from './words.mjs';

const steps = /** @type {HTMLElement[]} */ ([...document.querySelectorAll('.step')]);
const chapters = /** @type {HTMLElement[]} */ ([...document.querySelectorAll('.chapter')]);
let open = 1;

function paint() {
  steps.forEach((step, i) => show(step, i < open));
  for (const chapter of chapters) show(chapter, chapter.querySelector('.step:not([hidden])') !== null);
  byId('pace-now').textContent = say('how.step', { step: open, steps: steps.length });
  byId('pace-back').disabled = open === 1;
  byId('pace-next').disabled = byId('pace-end').disabled = open === steps.length;
}

/** The heading that a chapter or a step begins with: its name in an address. @param {Element} part */
const heading = (part) => /** @type {HTMLElement} */ (part.querySelector('h2, h3'));

/** The first step of a chapter leads to the chapter's own heading. @param {HTMLElement} step */
const place = (step) => (step.previousElementSibling?.matches('.step') ? step : /** @type {HTMLElement} */ (step.parentElement));

/** @param {HTMLElement} part */
function leadTo(part) {
  paint();
  part.scrollIntoView({ block: 'start' });
  heading(part).focus({ preventScroll: true });
}

/** @param {number} count of steps that are open */
function go(count) {
  open = Math.min(Math.max(count, 1), steps.length);
  const part = place(steps[open - 1]);
  history.replaceState(null, '', '#' + heading(part).id);
  carryFragment();
  leadTo(part);
}

byId('pace-back').addEventListener('click', () => go(open - 1));
byId('pace-next').addEventListener('click', () => go(open + 1));
// All steps are open then; the reader stays where the next one begins.
byId('pace-end').addEventListener('click', () => {
  const next = place(steps[open]);
  open = steps.length;
  leadTo(next);
});

/** The chapter or step in the address. */
function follow() {
  if (location.hash === '') return;
  const part = document.getElementById(location.hash.slice(1))?.closest('.step, .chapter');
  const step = part?.matches('.chapter') ? part.querySelector('.step') : part;
  const at = steps.indexOf(/** @type {HTMLElement} */ (step));
  if (at < 0) return;
  open = Math.max(open, at + 1);
  leadTo(place(steps[at]));
}

/** Begins, when everything that the steps show is there. */
export function begin() {
  paint();
  show(byId('pace'), true);
  byId('how').classList.add('ready');
  follow();
}

addEventListener('hashchange', follow);

// On paper, everything is open.
/** @type {HTMLDetailsElement[]} */
let opened = [];
addEventListener('beforeprint', () => {
  opened = /** @type {HTMLDetailsElement[]} */ ([...document.querySelectorAll('#how details:not([open])')]);
  for (const details of opened) details.open = true;
});
addEventListener('afterprint', () => {
  for (const details of opened) details.open = false;
});
