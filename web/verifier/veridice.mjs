/**
 * Veridice's JavaScript verifier: checks dice matches of veridice/1, tavli/1 and
 * yayay/1.
 *
 * It is written from docs/spec/, independently of the Go core, to be read whole. It has
 * no dependencies, asks no network, reads no clock and touches no page: put this folder
 * on any site and import this file.
 *
 *   import { verify, selfTest } from './veridice.mjs';
 *
 *   if (selfTest().ok) {
 *     const report = verify(location.hash);
 *     report.verdict; // 'proven', 'broken' or 'unknown'
 *   }
 *
 * Signatures of veridice/1 are checked by the browser, which answers later and on https
 * only: await verifyAsync(text) where verify says signatures-not-checked.
 *
 * A proof file is checked under a policy of the reader's: verifyAsync(text, { policy }).
 *
 * verify never throws, whatever text it is given: what cannot be read is a report too.
 * Reports hold codes, numbers and texts of the input; show the latter as text, never as
 * markup.
 *
 * @typedef {import('./verify.mjs').Report} Report
 * @typedef {import('./verify.mjs').Options} Options
 * @typedef {import('./verify.mjs').Fields} Fields
 * @typedef {import('./verify.mjs').Place} Place
 * @typedef {import('./verify.mjs').Finding} Finding
 * @typedef {import('./verify.mjs').Compared} Compared
 * @typedef {import('./verify.mjs').Step} Step
 * @typedef {import('./record.mjs').Record} Record
 * @typedef {import('./chain.mjs').ChainRecord} ChainRecord
 * @typedef {import('./note.mjs').Signature} Signature
 * @typedef {import('./receipt.mjs').Logged} Logged
 * @typedef {import('./receipt.mjs').Policy} Policy
 * @typedef {import('./receipt.mjs').Checkpoint} Checkpoint
 * @typedef {import('./record.mjs').Entry} Entry
 * @typedef {import('./record.mjs').Fault} Fault
 * @typedef {import('./explain.mjs').TavliRoll} TavliRoll
 * @typedef {import('./explain.mjs').YayayRoll} YayayRoll
 * @typedef {import('./selftest.mjs').SelfTest} SelfTest
 */

/** The version of this engine. */
export const version = '0.1.0';

// Checking.
export { verify, verifyAsync, verifyRecord, verifyFields, placeText, computeRolls } from './verify.mjs';
export { evidence } from './chaincheck.mjs';
export { checkReceiptAsync, hasGrown, isEnough, readCheckpoint, readPolicy, readReceipt } from './receipt.mjs';
export { explain } from './explain.mjs';
export { selfTest, compareWithBrowser } from './selftest.mjs';

// Records and links.
export { parseRecord, parseSigned, writeRecord, rollsOf, gamesOf } from './record.mjs';
export { readView, writeView } from './view.mjs';
export { openingText } from './chain.mjs';
export { readLink, writeLink, recordOf } from './link.mjs';

// Fields of a form.
export { readHex, readClients, readNumber, readRolls } from './paste.mjs';
export { sealOf, clientFault, codePoint } from './seed.mjs';
