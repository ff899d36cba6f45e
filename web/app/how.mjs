// The page on how dice are made. Its numbers are the reader's own: this browser draws
// them, and web/verifier works out everything that follows, at each keystroke.
import { byId, el, show } from './dom.mjs';
import { icon } from './dice.mjs';
import { say } from './words.mjs';
import { selfTest } from '../verifier/veridice.mjs';
import { change, draw } from './how-parts.mjs';
import './how-yayay.mjs';
import './how-tamper.mjs';
import './how-tavli.mjs';
import './how-veridice.mjs';
import { begin } from './how-steps.mjs';

/** Numbers of an engine that fails its self-test are not shown. */
function start() {
  if (!selfTest().ok) {
    const box = byId('trouble');
    box.replaceChildren(el('div', { class: 'vhead' }, icon('ask'), el('p', { class: 'big' }, say('check.engines.selftest'))));
    show(box, true);
    for (const part of document.querySelectorAll('.chapter, .contents')) show(/** @type {HTMLElement} */ (part), false);
    return;
  }
  change({ key: draw(32), phones: [draw(16), draw(16)], secret: draw(32) });
  begin();
}

start();
