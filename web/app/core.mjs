// The Go core: the very code that the server ran, as WebAssembly. It is fetched when
// it is first needed and never before.
import { el } from './dom.mjs';
import { data, say } from './words.mjs';

/**
 * What cmd/veridice-wasm offers.
 * @typedef {object} Core
 * @property {() => string} selftest "" or what failed
 * @property {(text: string, options: object) => any} verify
 * @property {(text: string) => {size: number, path: string} | null} qr null if the text is too long
 */

/** @type {Promise<Core> | null} */
let loading = null;

/** Loads the core once; after a failure the next call tries again. @returns {Promise<Core>} */
export function loadCore() {
  loading ??= load().catch((reason) => {
    loading = null;
    throw reason;
  });
  return loading;
}

async function load() {
  if (!data.core) throw new Error('this server was built without it');
  await import(data.loader);
  const go = new /** @type {any} */ (globalThis).Go();
  const { instance } = await WebAssembly.instantiateStreaming(fetch(data.core), go.importObject);
  go.run(instance); // runs until its main waits for calls; it never ends
  return /** @type {any} */ (globalThis).veridice;
}

/**
 * A QR code, always dark on white, or null if the text is too long for one.
 * @param {string} text
 * @param {string} label what it leads to
 */
export async function qrCode(text, label) {
  const code = (await loadCore()).qr(text);
  if (!code) return null;
  const box = `0 0 ${code.size} ${code.size}`;
  return el('div', { class: 'qr' }, el('svg', { viewBox: box, class: code.size > 60 ? 'large' : null, role: 'img', 'aria-label': say('ui.qr') + ', ' + label, 'shape-rendering': 'crispEdges' },
    el('path', { d: code.path, fill: 'currentColor' })));
}
