// The Go core: the very code that the server ran, as WebAssembly. It is fetched when
// it is first needed and never before.
import { data } from './words.mjs';

/**
 * What cmd/veridice-wasm offers.
 * @typedef {object} Core
 * @property {() => string} selftest "" or what failed
 * @property {(text: string, options: object) => any} verify
 * @property {(secret: string) => string | null} makeKey the public key of 32 random bytes, all in hex
 * @property {(secret: string, text: string) => string | null} sign 128 hex digits
 * @property {(key: string, text: string, signature: string) => boolean} verifySignature
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
