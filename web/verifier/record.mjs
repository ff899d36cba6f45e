/**
 * The record of a match of tavli/1 or yayay/1 as text: veridice-1.md, section 8.1.
 * Every record has exactly one text. What this parser accepts, writeRecord writes back
 * byte for byte; everything else it refuses, with the line.
 *
 *   veridice record 1
 *   scheme tavli/1
 *   match m-1
 *   seal 752b...
 *   client bc54...
 *   client 9ab7...
 *   game
 *   roll 1 6 6
 *   ...
 *   seed 2d23...
 *   rolls 12
 *   state finished
 *   sum eadf...
 */
import { sha256 } from './sha256.mjs';
import { clientFault, clientLimits, codePoint, serverLength, toBytes, toHex } from './seed.mjs';
import { mostDice, mostRolls } from './game.mjs';

/**
 * What could not be read, and where. Lines, columns and positions count from 1, columns
 * and positions in characters; 0 means that the place is not known.
 * @typedef {object} Fault
 * @property {string} code
 * @property {string} part of a share link or form: v, s, c, p, r or g, else ''
 * @property {number} line of a record, a box or pasted rolls
 * @property {number} column in the line, or position in the part's value
 * @property {string} char the refused character, by code point unless printable ASCII
 * @property {string} words the reason in English, lower case, for logs and developers
 */

/**
 * A roll or the beginning of a game.
 * @typedef {{type: 'roll', roll: number, dice: number[]} | {type: 'game'}} Entry
 */

/**
 * A record in the form of its JSON view, veridice-1.md section 8.4.
 * @typedef {object} Record
 * @property {1} record
 * @property {string} scheme
 * @property {string | null} match
 * @property {string | null} seal 64 hex digits
 * @property {string[]} [clients] tavli/1 only
 * @property {Entry[]} entries
 * @property {string | null} seed hex
 * @property {number} rolls the count that the record states
 * @property {string} state running, finished or aborted
 * @property {string} sum 64 hex digits as they stand in the record, right or wrong
 */

/** A record with its signatures has at most this many bytes. */
export const mostBytes = 16 * 1024 * 1024;

const mostSignatures = 100;

/** Thrown inside a reader and caught where it begins; never leaves this engine. */
export class Refusal extends Error {
  /** @param {Partial<Fault> & {code: string, words: string}} fault */
  constructor(fault) {
    super(fault.words);
    /** @type {Fault} */
    this.fault = { part: '', line: 0, column: 0, char: '', ...fault };
  }
}

/**
 * Runs a reader and gives what it refused as a value.
 * @template T
 * @param {() => T} read
 * @returns {{value: T, fault: null} | {value: null, fault: Fault}}
 */
export function attempt(read) {
  try {
    return { value: read(), fault: null };
  } catch (error) {
    if (error instanceof Refusal) return { value: null, fault: error.fault };
    throw error;
  }
}

/**
 * Reads a decimal: ASCII digits without sign, blank or leading zero.
 * @param {string} text
 * @param {number} least
 * @param {number} most at most 2^53 - 1
 * @returns {number | null} null if it is not one or outside the limits
 */
export function decimal(text, least, most) {
  if (!/^(0|[1-9][0-9]{0,15})$/.test(text)) return null;
  const value = Number(text); // exact: at most 16 digits, and 2^53 to 10^16 is above every limit
  return value >= least && value <= most ? value : null;
}

/**
 * A text without any number of certain characters at its end. (A pattern that ends in +$
 * would take time that grows with the square of the text.)
 * @param {string} text
 * @param {string} characters each of one UTF-16 unit
 * @returns {string}
 */
export function withoutEnd(text, characters) {
  let end = text.length;
  while (end > 0 && characters.includes(text[end - 1])) end--;
  return text.slice(0, end);
}

/**
 * Reads a record, with or without signatures behind it. The signatures are not kept.
 * @param {string} text
 * @returns {{value: Record, fault: null} | {value: null, fault: Fault}}
 */
export function parseRecord(text) {
  return attempt(() => {
    if (byteLength(text) > mostBytes) throw new Refusal({ code: 'too-long', words: 'more than 16 MiB' });
    return readRecord(text);
  });
}

/**
 * @param {string} text
 * @returns {number} of its UTF-8 form
 */
function byteLength(text) {
  // A UTF-16 unit has at most three bytes: most texts need no counting.
  return 3 * text.length <= mostBytes ? text.length : new TextEncoder().encode(text).length;
}

/**
 * The lines of a text, each of which must be ended by LF.
 */
class Lines {
  /** @param {string} text */
  constructor(text) {
    this.text = text;
    this.start = 0; // of the line read last
    this.offset = 0; // of the line after it
    this.number = 0; // of the line read last
  }

  /** Goes to the next line, which must be there. */
  next() {
    this.number++;
    this.start = this.offset;
    const end = this.text.indexOf('\n', this.start);
    if (end < 0) throw this.refuse(this.start < this.text.length ? 'line is not ended by LF' : 'line is missing');
    this.offset = end + 1;
    return this.text.slice(this.start, end);
  }

  /**
   * @param {string} words
   * @returns {Refusal} of the line read last
   */
  refuse(words) {
    const end = this.text.indexOf('\n', this.start);
    const line = this.text.slice(this.start, end < 0 ? undefined : end);
    // Of a character that no record holds, say which and where: it may not be visible.
    const strange = line.search(/[^ -~]/);
    if (strange < 0) return new Refusal({ code: 'syntax', line: this.number, words });
    // All before it is ASCII, so that units and characters are the same.
    const char = codePoint(line.slice(strange));
    return new Refusal({ code: 'syntax', line: this.number, column: strange + 1, char, words });
  }

  /**
   * Reads the next line with the parser of its kind.
   * @template T
   * @param {string} name first word of the line
   * @param {(rest: string) => T | null} parse gets what follows the name and a blank
   * @returns {T}
   */
  field(name, parse) {
    return this.current(this.next(), name, parse);
  }

  /**
   * @template T
   * @param {string} line
   * @param {string} name
   * @param {(rest: string) => T | null} parse
   * @returns {T}
   */
  current(line, name, parse) {
    if (!line.startsWith(name + ' ')) throw this.refuse(`${name} line expected`);
    const value = parse(line.slice(name.length + 1));
    if (value === null) throw this.refuse(`${name} line is not in its form`);
    return value;
  }
}

/**
 * A value, or `-` for none.
 * @template T
 * @param {(text: string) => T | null} parse
 * @returns {(text: string) => {value: T | null} | null}
 */
function orNone(parse) {
  return (text) => {
    if (text === '-') return { value: null };
    const value = parse(text);
    return value === null ? null : { value };
  };
}

/** @param {string} text */
const seal = (text) => (/^[0-9a-f]{64}$/.test(text) ? text : null);

/** @param {string} text */
const matchName = (text) => (/^[A-Za-z0-9._-]{1,64}$/.test(text) ? text : null);

/** @param {string} text */
const client = (text) => (clientFault(text) === null ? text : null);

/** @param {string} text */
const state = (text) => (['running', 'finished', 'aborted'].includes(text) ? text : null);

/**
 * @param {'tavli/1' | 'yayay/1'} scheme
 * @returns {(text: string) => string | null}
 */
function seed(scheme) {
  const { least, most } = serverLength[scheme];
  return (text) => {
    if (text.length < 2 * least || text.length > 2 * most || text.length % 2 !== 0) return null;
    return /^[0-9a-f]+$/.test(text) ? text : null;
  };
}

/**
 * @param {string} scheme
 * @returns {(text: string) => Entry | null}
 */
function roll(scheme) {
  const form = scheme === 'tavli/1' ? /^[1-6] [1-6]$/ : /^[1-6]( [1-6])*$/;
  return (text) => {
    const blank = text.indexOf(' ');
    const number = decimal(text.slice(0, blank), 1, mostRolls);
    const dice = text.slice(blank + 1);
    if (blank < 0 || number === null || dice.length > 2 * mostDice - 1 || !form.test(dice)) return null;
    return { type: 'roll', roll: number, dice: dice.split(' ').map(Number) };
  };
}

/**
 * @param {string} text
 * @returns {Record}
 */
function readRecord(text) {
  const lines = new Lines(text);
  const version = lines.field('veridice record', (rest) => decimal(rest, 0, Number.MAX_SAFE_INTEGER));
  if (version !== 1) throw new Refusal({ code: 'version', line: 1, words: 'record of another version' });
  const scheme = lines.field('scheme', schemeName);
  if (scheme !== 'tavli/1' && scheme !== 'yayay/1') {
    throw new Refusal({ code: 'scheme', line: 2, words: 'scheme that this program does not know' });
  }

  const head = { match: lines.field('match', orNone(matchName)), seal: lines.field('seal', orNone(seal)) };
  /** @type {string[]} */
  const clients = [];
  let line = lines.next();
  if (scheme === 'tavli/1') {
    do {
      clients.push(lines.current(line, 'client', client));
      line = lines.next();
    } while (line.startsWith('client ') && clients.length < clientLimits.most);
  }

  /** @type {Entry[]} */
  const entries = [];
  const parseRoll = roll(scheme);
  let count = 0;
  let open = false; // a game line stands without a roll
  for (; ; line = lines.next()) {
    if (line === 'game' && scheme === 'tavli/1') {
      const marked = entries.length === 0 || entries[0].type === 'game';
      if (open || !marked) throw lines.refuse('game line in the wrong place');
      open = true;
      entries.push({ type: 'game' });
    } else if (line.startsWith('roll ')) {
      if (++count > mostRolls) throw lines.refuse('more than 100,000 rolls');
      open = false;
      entries.push(lines.current(line, 'roll', parseRoll));
    } else break;
  }
  if (open) throw lines.refuse('game without a roll');

  const revealed = lines.current(line, 'seed', orNone(seed(scheme)));
  const rolls = lines.field('rolls', (rest) => decimal(rest, 0, mostRolls));
  const ended = lines.field('state', state);
  const sum = lines.field('sum', seal);
  const rest = text.slice(lines.offset);
  if (rest === '\n' || /^\n\n?\u2014 /.test(rest)) checkSignatures(rest.slice(1));
  else if (rest !== '') {
    lines.number++;
    lines.start = lines.offset;
    throw lines.refuse('text after the record');
  }
  return {
    record: 1,
    scheme,
    match: head.match.value,
    seal: head.seal.value,
    ...(scheme === 'tavli/1' ? { clients } : {}),
    entries,
    seed: revealed.value,
    rolls,
    state: ended,
    sum,
  };
}

/**
 * Checks the form of the signatures behind a record that is a signed note: veridice-1.md,
 * sections 1 and 8.2. A record of these schemes names no keys, so that whose they are is
 * not known and none of them counts.
 * @param {string} text lines of a dash, a name, and base64 of at least five bytes
 */
function checkSignatures(text) {
  const refusal = new Refusal({ code: 'syntax', words: 'not the signatures of a note' });
  const signatures = text.split('\n');
  if (signatures.length < 2 || signatures.pop() !== '' || signatures.length > mostSignatures) throw refusal;
  for (const line of signatures) {
    const base64 = /^\u2014 [^\s+\0-\x1f\x85]+ ([A-Za-z0-9+/]+(=?)(=?))$/.exec(line);
    if (base64 === null || base64[1].length % 4 !== 0) throw refusal;
    const padding = base64[2].length + base64[3].length;
    const last = base64[1][base64[1].length - padding - 1]; // its bits beyond the bytes are 0
    if (padding > 0 && !(padding === 1 ? 'AEIMQUYcgkosw048' : 'AQgw').includes(last)) throw refusal;
    if ((base64[1].length / 4) * 3 - padding < 5) throw refusal;
  }
}

/**
 * @param {string} text
 * @returns {string | null}
 */
function schemeName(text) {
  const parts = /^[A-Za-z0-9-]{1,32}\/([0-9]+)$/.exec(text);
  if (parts === null || decimal(parts[1], 1, Number.MAX_SAFE_INTEGER) === null) return null;
  return text;
}

/**
 * The text of a record without its last line.
 * @param {Omit<Record, 'sum'>} record
 * @returns {string}
 */
function bodyOf(record) {
  const lines = ['veridice record 1', 'scheme ' + record.scheme, 'match ' + (record.match ?? '-')];
  lines.push('seal ' + (record.seal ?? '-'));
  for (const name of record.clients ?? []) lines.push('client ' + name);
  for (const entry of record.entries) {
    lines.push(entry.type === 'game' ? 'game' : `roll ${entry.roll} ${entry.dice.join(' ')}`);
  }
  lines.push('seed ' + (record.seed ?? '-'), 'rolls ' + record.rolls, 'state ' + record.state, '');
  return lines.join('\n');
}

/**
 * The right sum of a record.
 * @param {Omit<Record, 'sum'>} record
 * @returns {string} 64 hex digits
 */
export function sumOf(record) {
  return toHex(sha256(toBytes(bodyOf(record))));
}

/**
 * The text of a record, with the sum that it has.
 * @param {Record} record
 * @returns {string}
 */
export function writeRecord(record) {
  return bodyOf(record) + 'sum ' + record.sum + '\n';
}

/**
 * The rolls of a record, without its game lines.
 * @param {Record} record
 * @returns {{roll: number, dice: number[]}[]}
 */
export function rollsOf(record) {
  return record.entries.flatMap((entry) => (entry.type === 'roll' ? [entry] : []));
}

/**
 * How many rolls each game has, in order; empty if the record marks no games.
 * @param {Record} record
 * @returns {number[]}
 */
export function gamesOf(record) {
  /** @type {number[]} */
  const games = [];
  for (const entry of record.entries) {
    if (entry.type === 'game') games.push(0);
    else if (games.length > 0) games[games.length - 1]++;
  }
  return games;
}
