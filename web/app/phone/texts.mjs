// The texts that the parties of a match of veridice/1 sign, each in its one encoding: docs/spec/veridice-1.md, sections
// 1 to 5. What a reader accepts, its writer writes back byte for byte; everything else is null.
import { decimal } from '../../verifier/lines.mjs';
import { attempt } from '../../verifier/fault.mjs';
import { cannotHold, keyId, readNote } from '../../verifier/note.mjs';
import { fromHex, toBytes, toHex } from '../../verifier/seed.mjs';
import { frame, leafHash, openingText } from '../../verifier/chain.mjs';
import { sha256 } from '../../verifier/sha256.mjs';

/**
 * match has 32 hex digits; hashes, heads, anchors, links and keys have 64.
 * @typedef {{anchor: string, key: string}} Role
 * @typedef {{match: string, seq: number, rules: string, links: number, seats: number, server: Role, expires: number}} Offer
 * @typedef {{match: string, offer: string, role: number, anchor: string, key: string}} Join
 * @typedef {{match: string, seq: number, rules: string, links: number, roles: Role[], expires: number}} Opening
 * @typedef {{match: string, leaf: string, role: number}} Ready
 * @typedef {{match: string, roll: number, actor: number, faces: number[], head: string}} Ask a ROLL text
 * @typedef {{match: string, roll: number, head: string}} Head
 * @typedef {{match: string, role: number, head: string, move: string}} Move
 * @typedef {import('../../verifier/note.mjs').Note} Note
 */

export const mostSeats = 16;
export const mostRolls = 100_000;
const mostLinks = 8192;
const mostDice = 1024;
const mostFaces = 2 ** 32 - 1;
const mostMove = 1000;

// Readers of what stands behind the name of a line.

/** @param {number} length */
const hex = (length) => (/** @type {string} */ text) => (text.length === length && /^[0-9a-f]+$/.test(text) ? text : null);
const match = hex(32);
const digest = hex(64);

/** @param {number} least @param {number} most */
const number = (least, most) => (/** @type {string} */ text) => decimal(text, least, most);
const exact = number(0, Number.MAX_SAFE_INTEGER);
const counted = number(1, Number.MAX_SAFE_INTEGER);

/** @param {string} text */
function faces(text) {
  const all = text.split(',', mostDice + 1).map(number(2, mostFaces));
  return all.includes(null) || all.length > mostDice ? null : /** @type {number[]} */ (all);
}

/** @param {string} text */
function move(text) {
  return text.length <= mostMove && /^[!-~]([ -~]*[!-~])?$/.test(text) ? text : null;
}

/** @param {string} text */
function role(text) {
  const [place, anchor, key, ...more] = text.split(' ');
  const index = decimal(place, 0, mostSeats);
  if (index === null || more.length > 0 || digest(anchor ?? '') === null || digest(key ?? '') === null) return null;
  return { index, anchor, key };
}

/**
 * The values of the lines of a text, in order; null if one is not in its form or there are others.
 * @param {string} text
 * @param {string} kind the first line
 * @param {[string, (rest: string) => any][]} lines name and reader of each
 * @returns {any[] | null}
 */
function values(text, kind, lines) {
  const given = text.split('\n');
  if (given.length !== lines.length + 2 || given[0] !== `veridice/1 ${kind}` || given[given.length - 1] !== '') return null;
  const read = lines.map(([name, reader], i) => (given[i + 1].startsWith(name + ' ') ? reader(given[i + 1].slice(name.length + 1)) : null));
  return read.includes(null) ? null : read;
}

/** @param {string} kind @param {string[]} lines */
const text = (kind, ...lines) => [`veridice/1 ${kind}`, ...lines, ''].join('\n');

/** @param {Offer} o */
export function offerText(o) {
  return text('offer', `match ${o.match}`, `seq ${o.seq}`, `rules ${o.rules}`, `links ${o.links}`, `seats ${o.seats}`,
    `role 0 ${o.server.anchor} ${o.server.key}`, `expires ${o.expires}`);
}

/** @param {string} from @returns {Offer | null} */
export function readOffer(from) {
  const read = values(from, 'offer', [
    ['match', match], ['seq', counted], ['rules', digest], ['links', number(1, mostLinks)], ['seats', number(1, mostSeats)],
    ['role', role], ['expires', exact]]);
  if (read === null || read[5].index !== 0) return null;
  const [of, seq, rules, links, seats, { anchor, key }, expires] = read;
  return { match: of, seq, rules, links, seats, server: { anchor, key }, expires };
}

/** @param {Join} j */
export function joinText(j) {
  return text('join', `match ${j.match}`, `offer ${j.offer}`, `role ${j.role} ${j.anchor} ${j.key}`);
}

/** @param {string} from @returns {Join | null} */
export function readJoin(from) {
  const read = values(from, 'join', [['match', match], ['offer', digest], ['role', role]]);
  if (read === null || read[2].index === 0) return null;
  const [of, offer, { index, anchor, key }] = read;
  return { match: of, offer, role: index, anchor, key };
}

export { openingText };

/** @param {string} from @returns {Opening | null} */
export function readOpening(from) {
  const roles = from.split('\nrole ').length - 1;
  if (roles < 2 || roles > mostSeats + 1) return null;
  const read = values(from, 'open', [
    ['match', match], ['seq', counted], ['rules', digest], ['links', number(1, mostLinks)],
    ...Array(roles).fill(['role', role]), ['expires', exact]]);
  if (read === null || read.slice(4, 4 + roles).some(({ index }, i) => index !== i)) return null;
  const [of, seq, rules, links] = read;
  return { match: of, seq, rules, links, roles: read.slice(4, 4 + roles).map(({ anchor, key }) => ({ anchor, key })), expires: read[4 + roles] };
}

/** @param {Ready} r */
export function readyText(r) {
  return text('ready', `match ${r.match}`, `leaf ${r.leaf}`, `role ${r.role}`);
}

/** @param {string} from @returns {Ready | null} */
export function readReady(from) {
  const read = values(from, 'ready', [['match', match], ['leaf', digest], ['role', number(1, mostSeats)]]);
  return read && { match: read[0], leaf: read[1], role: read[2] };
}

/** @param {Ask} a */
export function rollText(a) {
  return text('roll', `match ${a.match}`, `roll ${a.roll}`, `actor ${a.actor}`, `faces ${a.faces}`, `head ${a.head}`);
}

/** @param {string} from @returns {Ask | null} */
export function readRoll(from) {
  const read = values(from, 'roll', [
    ['match', match], ['roll', number(1, mostRolls)], ['actor', number(0, mostSeats)], ['faces', faces], ['head', digest]]);
  return read && { match: read[0], roll: read[1], actor: read[2], faces: read[3], head: read[4] };
}

/** @param {Head} h */
export function headText(h) {
  return text('head', `match ${h.match}`, `roll ${h.roll}`, `head ${h.head}`);
}

/** @param {string} from @returns {Head | null} */
export function readHead(from) {
  const read = values(from, 'head', [['match', match], ['roll', number(1, mostRolls)], ['head', digest]]);
  return read && { match: read[0], roll: read[1], head: read[2] };
}

/** @param {Move} m */
export function moveText(m) {
  return text('move', `match ${m.match}`, `role ${m.role}`, `head ${m.head}`, `move ${m.move}`);
}

/** @param {string} from @returns {Move | null} */
export function readMove(from) {
  const read = values(from, 'move', [['match', match], ['role', number(0, mostSeats)], ['head', digest], ['move', move]]);
  return read && { match: read[0], role: read[1], head: read[2], move: read[3] };
}

// Hashes.

/** SHA-256 of a text as hex, which an offer has of the rules and a join of the offer. @param {string} from */
export const sumOf = (from) => toHex(sha256(toBytes(from)));

/** The leaf hash of a text as hex. @param {string} from */
export const leafOf = (from) => toHex(leafHash(from));

/**
 * The link before one that was shown: what a shown link is checked by.
 * @param {string} of the match
 * @param {number} party
 * @param {number} index of the link that is wanted
 * @param {Uint8Array} next
 */
export function linkBefore(of, party, index, next) {
  const place = new Uint8Array(4);
  new DataView(place.buffer).setUint32(0, index);
  return sha256(frame('link', [fromHex(of), Uint8Array.of(party), place, next]));
}

// Notes.

const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/** @param {Uint8Array} bytes */
function toBase64(bytes) {
  let out = '';
  for (let i = 0; i < bytes.length; i += 3) {
    const group = (bytes[i] << 16) | ((bytes[i + 1] ?? 0) << 8) | (bytes[i + 2] ?? 0);
    for (let k = 0; k < 4; k++) out += i + k - 1 < bytes.length || k < 2 ? digits[(group >> (18 - 6 * k)) & 63] : '=';
  }
  return out;
}

/**
 * A role's name and key in the notes of a match.
 * @param {string} of
 * @param {number} party
 * @param {string} key
 */
export const signerOf = (of, party, key) => ({ name: `${of}/${party}`, key });

/**
 * The line that a signature makes in a note, with its LF.
 * @param {import('../../verifier/note.mjs').Signer} signer
 * @param {Uint8Array} signature
 */
export function signatureLine(signer, signature) {
  const all = new Uint8Array(4 + signature.length);
  all.set(fromHex(keyId(signer)));
  all.set(signature, 4);
  return `\u2014 ${signer.name} ${toBase64(all)}\n`;
}

/**
 * @param {string} from
 * @param {string[]} lines of signatures
 */
export const noteOf = (from, ...lines) => `${from}\n${lines.join('')}`;

/** @param {unknown} from @returns {Note | null} */
export const openNote = (from) => (typeof from === 'string' ? attempt(() => readNote(from)).value : null);

/**
 * Whether a signer's signature stands on a note: at least one, and none that fails.
 * @param {Note} note
 * @param {import('../../verifier/note.mjs').Signer} signer
 * @param {(key: string, text: string, signature: Uint8Array) => Promise<boolean>} verify
 */
export async function isSigned(note, signer, verify) {
  const id = keyId(signer);
  const own = note.signatures.filter(({ name, keyId: of }) => name === signer.name && of === id);
  for (const { bytes } of own) {
    if (cannotHold(signer.key, bytes) || !(await verify(signer.key, note.text, bytes))) return false;
  }
  return own.length > 0;
}

const anything = new Uint8Array(64);

/** Whether a key is one under which no signature counts: of small order, or not in its one encoding. @param {string} key */
export const isBarred = (key) => cannotHold(key, anything);
