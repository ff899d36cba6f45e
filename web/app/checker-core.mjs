// The Go core in the single-file checker, which has nothing to fetch: compressed, as
// text, behind the page. tools/checker puts this in the place of core.mjs.
import { data } from './words.mjs';
import { sha256 } from '../verifier/sha256.mjs';
import { toHex } from '../verifier/seed.mjs';

/** @type {Promise<import('./core.mjs').Core> | null} */
let loading = null;

/** @returns {Promise<import('./core.mjs').Core>} */
export const loadCore = () => (loading ??= load());

async function load() {
  if (document.readyState === 'loading') await new Promise((done) => addEventListener('DOMContentLoaded', done, { once: true }));
  const zipped = Uint8Array.from(atob(document.getElementById('core')?.textContent?.trim() ?? ''), (c) => c.charCodeAt(0));
  const stream = new Blob([zipped]).stream().pipeThrough(new DecompressionStream('gzip'));
  const plain = new Uint8Array(await new Response(stream).arrayBuffer());
  if (toHex(sha256(plain)) !== data.coreSum) throw new Error('SHA-256');
  const go = new /** @type {any} */ (globalThis).Go();
  const { instance } = await WebAssembly.instantiate(plain, go.importObject);
  go.run(instance); // runs until its main waits for calls; it never ends
  return /** @type {any} */ (globalThis).veridice;
}
