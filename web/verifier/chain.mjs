/**
 * Scheme veridice/1: the lines of its records, its chains and rolls. veridice-1.md,
 * "Conventions" to "The lines of the record". Whether a record fits is for
 * chaincheck.mjs to say.
 */
import { Hmac, Sha256, sha256 } from './sha256.mjs';
import { fromHex, toBytes, toHex } from './seed.mjs';
import { decimal } from './lines.mjs';

/** @typedef {import('./lines.mjs').Lines} Lines */
/** @typedef {{type: 'roll', roll: number, actor: number, faces: number[], dice: number[]}} ChainRoll */
/** @typedef {{type: 'move', role: number, move: string}} Move */

/**
 * A record of veridice/1 in the form of its JSON view.
 * @typedef {object} ChainRecord
 * @property {1} record
 * @property {'veridice/1'} scheme
 * @property {string} match 32 hex digits
 * @property {number} seq
 * @property {string} rules 64 hex digits, as all hashes, links and keys
 * @property {number} links
 * @property {{anchor: string, key: string}[]} roles the server, then the seats
 * @property {number} expires
 * @property {(ChainRoll | Move)[]} entries
 * @property {{roll: number, actor: number, faces: number[]} | null} pending
 * @property {{role: number, index: number, link: string}[]} last
 * @property {number} rolls the count that the record states
 * @property {string} head
 * @property {string} state running, finished or aborted
 * @property {number | null} role of an abort
 * @property {string} sum as it stands in the record, right or wrong
 */

const mostRoles = 17;
const mostLinks = 8192;
const mostRolls = 100_000;
const mostDice = 1024;
const mostFaces = 2 ** 32 - 1;
const mostMove = 1000;

// Reading. Each reader of a value gives null for what it refuses.

/** @param {number} length in hex digits */
const hex = (length) => (/** @type {string} */ text) => (text.length === length && /^[0-9a-f]+$/.test(text) ? text : null);
const digest = hex(64);

/** @param {number} least @param {number} most */
const number = (least, most) => (/** @type {string} */ text) => decimal(text, least, most);

/**
 * @param {string} text
 * @param {number} least
 * @returns {number[] | null}
 */
function list(text, least) {
  const numbers = [];
  for (const one of text.split(',', mostDice + 1)) {
    const value = decimal(one, least, mostFaces);
    if (value === null) return null;
    numbers.push(value);
  }
  return numbers.length <= mostDice ? numbers : null;
}

/**
 * Number, role and faces, as a roll and a pending roll begin.
 * @param {string[]} words
 * @param {number} roles
 */
function asked(words, roles) {
  const roll = decimal(words[0] ?? '', 1, mostRolls);
  const actor = decimal(words[1] ?? '', 0, roles - 1);
  const faces = list(words[2] ?? '', 2);
  return roll === null || actor === null || faces === null ? null : { roll, actor, faces };
}

/**
 * @param {number} roles
 * @returns {(text: string) => ChainRoll | null}
 */
function rollLine(roles) {
  return (text) => {
    const words = text.split(' ');
    const request = asked(words, roles);
    const dice = list(words[3] ?? '', 1);
    if (words.length !== 4 || request === null || dice === null || dice.length !== request.faces.length) return null;
    return dice.every((die, i) => die <= request.faces[i]) ? { type: 'roll', ...request, dice } : null;
  };
}

/**
 * @param {number} roles
 * @returns {(text: string) => Move | null}
 */
function moveLine(roles) {
  return (text) => {
    const blank = text.indexOf(' ');
    const role = decimal(text.slice(0, blank), 0, roles - 1);
    const move = text.slice(blank + 1);
    if (blank < 0 || role === null || move.length > mostMove || !/^[!-~]([ -~]*[!-~])?$/.test(move)) return null;
    return { type: 'move', role, move };
  };
}

/**
 * @param {number} index the line's place among the role lines
 * @returns {(text: string) => {anchor: string, key: string} | null}
 */
function roleLine(index) {
  return (text) => {
    const [role, anchor, key, ...more] = text.split(' ');
    if (role !== String(index) || index >= mostRoles || more.length > 0) return null;
    return digest(anchor ?? '') === null || digest(key ?? '') === null ? null : { anchor, key };
  };
}

/**
 * @param {number} role
 * @param {number} links
 * @returns {(text: string) => {role: number, index: number, link: string} | null}
 */
function lastLine(role, links) {
  return (text) => {
    const [of, index, link, ...more] = text.split(' ');
    const spent = decimal(index ?? '', 0, links);
    if (of !== String(role) || spent === null || digest(link ?? '') === null || more.length > 0) return null;
    return { role, index: spent, link };
  };
}

/**
 * @param {number} roles
 * @param {boolean} pending
 * @returns {(text: string) => {state: string, role: number | null} | null}
 */
function stateLine(roles, pending) {
  return (text) => {
    if (text === 'running' || (text === 'finished' && !pending)) return { state: text, role: null };
    const [state, role, ...more] = text.split(' ');
    if (state !== 'aborted' || role === undefined || more.length > 0) return null;
    if (role === '-') return { state, role: null };
    const silent = decimal(role, 0, roles - 1);
    return silent === null ? null : { state, role: silent };
  };
}

/**
 * Reads the lines after the first two.
 * @param {Lines} lines
 * @returns {ChainRecord}
 */
export function readChain(lines) {
  const match = lines.field('match', hex(32));
  const seq = lines.field('seq', number(1, Number.MAX_SAFE_INTEGER));
  const rules = lines.field('rules', digest);
  const links = lines.field('links', number(1, mostLinks));
  const roles = [lines.field('role', roleLine(0)), lines.field('role', roleLine(1))];
  let line = lines.next();
  for (; line.startsWith('role '); line = lines.next()) roles.push(lines.current(line, 'role', roleLine(roles.length)));
  const expires = lines.current(line, 'expires', number(0, Number.MAX_SAFE_INTEGER));

  /** @type {(ChainRoll | Move)[]} */
  const entries = [];
  const readRoll = rollLine(roles.length);
  const readMove = moveLine(roles.length);
  let rolled = 0;
  for (line = lines.next(); ; line = lines.next()) {
    if (line.startsWith('roll ')) {
      if (++rolled > mostRolls) throw lines.refuse('more than 100,000 rolls');
      entries.push(lines.current(line, 'roll', readRoll));
    } else if (line.startsWith('move ')) entries.push(lines.current(line, 'move', readMove));
    else break;
  }
  let pending = null;
  if (line.startsWith('pending ')) {
    pending = lines.current(line, 'pending', (text) => {
      const words = text.split(' ');
      return words.length === 3 ? asked(words, roles.length) : null;
    });
    line = lines.next();
  }
  const last = roles.map((_, role) => lines.current(role === 0 ? line : lines.next(), 'last', lastLine(role, links)));
  const rolls = lines.field('rolls', number(0, mostRolls));
  const head = lines.field('head', digest);
  const { state, role } = lines.field('state', stateLine(roles.length, pending !== null));
  const sum = lines.field('sum', digest);
  return { record: 1, scheme: 'veridice/1', match, seq, rules, links, roles, expires, entries, pending, last, rolls, head, state, role, sum };
}

// Writing.

/**
 * The lines that record and opening share.
 * @param {Omit<ChainRecord, 'sum'>} record
 */
function openingLines({ match, seq, rules, links, roles, expires }) {
  const named = roles.map(({ anchor, key }, role) => `role ${role} ${anchor} ${key}`);
  return [`match ${match}`, `seq ${seq}`, `rules ${rules}`, `links ${links}`, ...named, `expires ${expires}`];
}

/**
 * The text of the opening that a record continues.
 * @param {Omit<ChainRecord, 'sum'>} record
 */
export function openingText(record) {
  return ['veridice/1 open', ...openingLines(record), ''].join('\n');
}

/**
 * The text of a record without its last line.
 * @param {Omit<ChainRecord, 'sum'>} record
 */
export function chainBody(record) {
  const { entries, pending, last, rolls, head, state, role } = record;
  const lines = ['veridice record 1', 'scheme veridice/1', ...openingLines(record)];
  for (const entry of entries) {
    lines.push(entry.type === 'move' ? `move ${entry.role} ${entry.move}` : `roll ${entry.roll} ${entry.actor} ${entry.faces} ${entry.dice}`);
  }
  if (pending !== null) lines.push(`pending ${pending.roll} ${pending.actor} ${pending.faces}`);
  for (const { role: of, index, link } of last) lines.push(`last ${of} ${index} ${link}`);
  lines.push('rolls ' + rolls, 'head ' + head, 'state ' + (state === 'aborted' ? `aborted ${role ?? '-'}` : state), '');
  return lines.join('\n');
}

// Hashing.

/** @param {number} value 0 to 2^32 - 1 */
function four(value) {
  return Uint8Array.of(value >>> 24, value >>> 16, value >>> 8, value);
}

/**
 * @param {string} tag without the name of the scheme
 * @param {Uint8Array[]} fields
 * @returns {Uint8Array}
 */
export function frame(tag, fields) {
  const name = toBytes('veridice/1/' + tag);
  const parts = [Uint8Array.of(name.length), name];
  for (const field of fields) parts.push(four(field.length), field);
  const all = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/**
 * @param {string} tag
 * @param {Uint8Array[]} fields
 */
function framed(tag, ...fields) {
  return sha256(frame(tag, fields));
}

/** The leaf hash of a text. @param {string} text @returns {Uint8Array} */
export function leafHash(text) {
  return new Sha256().add(Uint8Array.of(0)).finish(toBytes(text));
}

/**
 * A chain from its anchor to the link at index: all that follows from that link.
 * @param {string} match
 * @param {number} role
 * @param {number} index
 * @param {string} link
 * @returns {Uint8Array[]}
 */
export function chainTo(match, role, index, link) {
  const links = Array(index + 1);
  links[index] = fromHex(link);
  // All frames of a chain are alike but for index and link, which stand at their end.
  const message = frame('link', [fromHex(match), Uint8Array.of(role), new Uint8Array(4), new Uint8Array(32)]);
  for (let i = index - 1; i >= 0; i--) {
    message.set(four(i), message.length - 40);
    message.set(links[i + 1], message.length - 32);
    links[i] = sha256(message);
  }
  return links;
}

/** @param {Uint8Array} opening */
export function startOf(opening) {
  return framed('start', opening);
}

/**
 * @param {Uint8Array} head
 * @param {Move} move
 */
export function afterMove(head, { role, move }) {
  return framed('move', head, Uint8Array.of(role), toBytes(move));
}

/**
 * A word of the stream, and the face that it gave a die, or null if it was passed over.
 * @typedef {{word: number, faces: number, face: number | null}} Word
 */

/**
 * A die of some faces, from the words that a function gives one by one.
 * @param {number} faces
 * @param {() => number} next
 * @param {Word[]} words where those that were taken are noted
 * @returns {number}
 */
export function dieOf(faces, next, words) {
  const limit = 2 ** 32 - (2 ** 32 % faces);
  for (;;) {
    const word = next();
    const face = word < limit ? (word % faces) + 1 : null;
    words.push({ word, faces, face });
    if (face !== null) return face;
  }
}

/** @param {{actor: number, faces: number[]}} request */
function requestOf({ actor, faces }) {
  const request = new Uint8Array(3 + 4 * faces.length);
  request.set([actor, faces.length >> 8, faces.length & 255]);
  faces.forEach((n, i) => request.set(four(n), 3 + 4 * i));
  return request;
}

/**
 * What the links of a roll are given for.
 * @param {Uint8Array} opening
 * @param {Uint8Array} head before the roll
 * @param {{roll: number, actor: number, faces: number[]}} asked
 */
export function contextOf(opening, head, asked) {
  return framed('ctx', opening, head, four(asked.roll), requestOf(asked));
}

/**
 * A roll and all that it is made of.
 * @param {Uint8Array} opening
 * @param {Uint8Array} head before the roll
 * @param {{roll: number, actor: number, faces: number[]}} asked
 * @param {Uint8Array[]} links of all roles, the server's first
 */
export function rollOf(opening, head, asked, links) {
  const { faces } = asked;
  const request = requestOf(asked);
  const context = contextOf(opening, head, asked);
  const key = new Hmac(links[0]).finish(frame('roll', [context, ...links.slice(1)]));
  const stream = new Hmac(key);
  /** @type {Uint8Array[]} */
  const blocks = [];
  let at = 32;
  const next = () => {
    if (at === 32) {
      blocks.push(stream.finish(frame('stream', [four(blocks.length)])));
      at = 0;
    }
    const block = blocks[blocks.length - 1];
    at += 4;
    return new DataView(block.buffer).getUint32(at - 4);
  };
  /** @type {Word[]} */
  const words = [];
  const dice = faces.map((n) => dieOf(n, next, words));
  const shown = new Uint8Array(4 * dice.length);
  dice.forEach((die, i) => shown.set(four(die), 4 * i));
  const after = framed('rolled', head, context, ...links, shown);
  return { request, context, key, blocks, words, dice, after };
}
