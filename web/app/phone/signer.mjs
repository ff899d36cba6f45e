// The phone's signatures: by the browser where it has Ed25519 and a secure context, else by the Go core, which must
// then be loaded before the phone joins. Both keep to the rules of docs/spec/veridice-1.md, section 1.
import { browserKeepsTheRules, cannotHold, holds } from '../../verifier/note.mjs';
import { fromHex, toBytes, toHex } from '../../verifier/seed.mjs';

/**
 * Secrets and keys are 64 hex digits; texts are ASCII.
 * @typedef {object} Signer
 * @property {'browser' | 'core'} by
 * @property {() => Promise<{secret: string, key: string}>} make
 * @property {(secret: string, text: string) => Promise<Uint8Array>} sign
 * @property {(key: string, text: string, signature: Uint8Array) => Promise<boolean>} verify
 */

// A private key of RFC 8410 is these bytes and the secret.
const wrapping = '302e020100300506032b657004220420';

// RFC 8032, section 7.1, test 2.
const known = {
  secret: '4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb',
  key: '3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c',
};

/**
 * @param {{random: (length: number) => Uint8Array, core: () => Promise<import('../core.mjs').Core>}} given random
 *   gives bytes of the operating system's generator; core loads the Go core and is asked only if it is needed
 * @returns {Promise<Signer>} rejects if neither can sign
 */
export async function openSigner({ random, core }) {
  const signer = browserSigner(random);
  try {
    if (await fits(signer, await keyOf(known.secret))) return signer;
  } catch {
    // a browser without Ed25519, or with half of it
  }
  const go = await core();
  const other = coreSigner(go, random);
  if (!(await fits(other, go.makeKey(known.secret)))) throw new Error('the Go core does not sign as it should');
  return other;
}

/** @param {Signer} signer @param {string | null} key as it makes it */
async function fits(signer, key) {
  if (signer.by === 'browser' && !(await browserKeepsTheRules())) return false;
  return key === known.key && signer.verify(key, 'a text\n', await signer.sign(known.secret, 'a text\n'));
}

/** @param {string} secret @param {boolean} [extractable] */
function imported(secret, extractable = false) {
  return crypto.subtle.importKey('pkcs8', Uint8Array.from(fromHex(wrapping + secret)), { name: 'Ed25519' }, extractable, ['sign']);
}

/** @param {string} secret */
async function keyOf(secret) {
  const { x } = await crypto.subtle.exportKey('jwk', await imported(secret, true));
  const text = atob(/** @type {string} */ (x).replaceAll('-', '+').replaceAll('_', '/'));
  return toHex(toBytes(text));
}

/** @param {(length: number) => Uint8Array} random @returns {Signer} */
export function browserSigner(random) {
  return {
    by: 'browser',
    async make() {
      const secret = toHex(random(32));
      return { secret, key: await keyOf(secret) };
    },
    async sign(secret, text) {
      return new Uint8Array(await crypto.subtle.sign({ name: 'Ed25519' }, await imported(secret), Uint8Array.from(toBytes(text))));
    },
    verify: async (key, text, signature) => !cannotHold(key, signature) && holds(toBytes(text), key, signature),
  };
}

/**
 * @param {import('../core.mjs').Core} core
 * @param {(length: number) => Uint8Array} random
 * @returns {Signer}
 */
export function coreSigner(core, random) {
  const must = (/** @type {string | null} */ hex) => {
    if (hex === null) throw new Error('not a secret');
    return hex;
  };
  return {
    by: 'core',
    async make() {
      const secret = toHex(random(32));
      return { secret, key: must(core.makeKey(secret)) };
    },
    sign: async (secret, text) => fromHex(must(core.sign(secret, text))),
    verify: async (key, text, signature) => core.verifySignature(key, text, toHex(signature)),
  };
}
