// The receipts of the public log that a phone asks for before it goes on: docs/spec/log.md and veridice-1.md, section 3.
// A receipt must hold for the very text under the policy that is pinned in the page, it must be of now, and the log must
// have grown from what this phone saw of it before: a phone is a witness too.
import { checkReceipt, hasGrown, readPolicy, readReceipt, signaturesOf } from '../../verifier/receipt.mjs';
import { toHex } from '../../verifier/seed.mjs';
import { Fault } from './copy.mjs';

const longestDrift = 5 * 60; // seconds between a witness's clock and this phone's

/**
 * policy is the text of the pinned one. verify checks a signature. growth gives the proof that a log of one size has
 * grown from another, as hashes in hex, or null if the server gives none.
 * @param {{
 *   policy: string, keeper: Pick<import('./keeper.mjs').Keeper, 'once' | 'list'>, now: () => number,
 *   verify: (key: string, text: string, signature: Uint8Array) => Promise<boolean>,
 *   growth: (earlier: number, later: number) => Promise<string[] | null>,
 * }} given
 */
export function openReceipts({ policy: text, keeper, now, verify, growth }) {
  const { value: policy } = readPolicy(text);

  return { check };

  /**
   * Checks the receipt of a text. Throws a Fault: bad-receipt, no-quorum, receipt-time, log-unproven, log-forked.
   * @param {string} entry
   * @param {string} receipt
   * @param {boolean} fresh whether it comes at the time that it speaks of; one that was taken before is not of now
   * @returns {Promise<import('../../verifier/receipt.mjs').Logged>}
   */
  async function check(entry, receipt, fresh) {
    if (policy === null) throw new Fault('bad-receipt');
    const known = new Map();
    const name = (/** @type {string} */ of, /** @type {string} */ key, /** @type {Uint8Array} */ bytes) => `${key} ${toHex(bytes)} ${of}`;
    for (const { note, signers: [signer] } of signaturesOf(policy, [receipt])) {
      const { bytes } = note.signatures[0];
      known.set(name(note.text, signer.key, bytes), await verify(signer.key, note.text, bytes));
    }
    const { code, logged, checkpoint } = checkReceipt(policy, entry, receipt, (of, key, bytes) => known.get(name(of, key, bytes)) ?? false);
    if (logged === null || checkpoint === null) throw new Fault(code);
    if (fresh && timesOf(receipt).some((time) => Math.abs(time - now() / 1000) > longestDrift)) throw new Fault('receipt-time');
    await grown(checkpoint, receipt);
    return logged;
  }

  /** When the witnesses of the policy cosigned. @param {string} receipt */
  function timesOf(receipt) {
    const { signatures } = /** @type {import('../../verifier/receipt.mjs').Receipt} */ (readReceipt(receipt).value).note;
    return /** @type {import('../../verifier/receipt.mjs').Policy} */ (policy).witnesses.flatMap(({ key }) => signatures
      .filter((signature) => signature.name === key.name && signature.keyId === key.id)
      .map(({ bytes }) => { const view = new DataView(bytes.buffer, bytes.byteOffset); return view.getUint32(0) * 2 ** 32 + view.getUint32(4); }));
  }

  /**
   * Holds a checkpoint to the largest that this phone has seen of the log, and keeps it.
   * @param {import('../../verifier/receipt.mjs').Checkpoint} checkpoint
   * @param {string} receipt
   */
  async function grown({ origin, size, root }, receipt) {
    const note = receipt.slice(receipt.indexOf('\n\n') + 2);
    const own = `log/${origin}/`; // with which the names of other logs may begin
    const last = (await keeper.list(own)).filter(({ key }) => !key.slice(own.length).includes('/')).at(-1)?.value;
    if (last !== undefined) {
      const [earlier, later] = last.size <= size ? [last, { size, root }] : [{ size, root }, last];
      const proof = earlier.size === later.size || earlier.size === 0 ? [] : await growth(earlier.size, later.size);
      if (proof === null || !hasGrown(earlier, later, proof)) {
        if (last.size === size) throw new Fault('log-forked', { notes: [last.note, note] });
        throw new Fault('log-unproven'); // nobody signed the proof
      }
    }
    const kept = await keeper.once(`log/${origin}/${String(size).padStart(16, '0')}`, { size, root, note });
    if (kept.root !== root) throw new Fault('log-forked', { notes: [kept.note, note] });
  }
}
