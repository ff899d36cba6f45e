/**
 * The record of a match as text: docs/spec/record.md; what only veridice/1 has is in
 * chain.mjs.
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
import { clientFault, clientLimits, serverLength, toBytes, toHex } from './seed.mjs';
import { mostDice, mostRolls } from './game.mjs';
import { attempt, Refusal } from './fault.mjs';
import { decimal, Lines } from './lines.mjs';
import { splitNote } from './note.mjs';
import { chainBody, readChain } from './chain.mjs';

export { attempt, decimal, Refusal };

/** @typedef {import('./fault.mjs').Fault} Fault */

/**
 * A roll or the beginning of a game.
 * @typedef {{type: 'roll', roll: number, dice: number[]} | {type: 'game'}} Entry
 */

/**
 * A record of a classic scheme in the form of its JSON view.
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

/** @typedef {import('./chain.mjs').ChainRecord} ChainRecord */
/** @typedef {import('./note.mjs').Note} Note */

/** A record with its signatures has at most this many bytes. */
export const mostBytes = 16 * 1024 * 1024;

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
 * @returns {{value: Record | ChainRecord, fault: null} | {value: null, fault: Fault}}
 */
export function parseRecord(text) {
  const { value, fault } = parseSigned(text);
  return value === null ? { value, fault } : { value: value.record, fault: null };
}

/**
 * Reads a record and the signatures on it.
 * @param {string} text
 * @returns {{value: {record: Record | ChainRecord, note: Note}, fault: null} | {value: null, fault: Fault}}
 */
export function parseSigned(text) {
  return attempt(() => {
    if (byteLength(text) > mostBytes) throw new Refusal({ code: 'too-long', words: 'more than 16 MiB' });
    const note = splitNote(text);
    return { record: readRecord(note.text), note };
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
 * @param {string} text without signatures
 * @returns {Record | ChainRecord}
 */
function readRecord(text) {
  const lines = new Lines(text);
  const version = lines.field('veridice record', (rest) => decimal(rest, 0, Number.MAX_SAFE_INTEGER));
  if (version !== 1) throw new Refusal({ code: 'version', line: 1, words: 'record of another version' });
  const scheme = lines.field('scheme', schemeName);
  if (scheme === 'veridice/1') {
    const record = readChain(lines);
    refuseMore(lines);
    return record;
  }
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
  refuseMore(lines);
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
 * Refuses text behind the sum line. One empty line begins signatures that do not come.
 * @param {Lines} lines
 */
function refuseMore(lines) {
  const rest = lines.text.slice(lines.offset);
  if (rest === '') return;
  if (rest === '\n') throw new Refusal({ code: 'syntax', words: 'an empty line, but no signatures' });
  lines.number++;
  lines.start = lines.offset;
  throw lines.refuse('text after the record');
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
 * @param {Omit<Record, 'sum'> | Omit<ChainRecord, 'sum'>} record
 * @returns {string}
 */
function bodyOf(record) {
  if ('roles' in record) return chainBody(record);
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
 * @param {Omit<Record, 'sum'> | Omit<ChainRecord, 'sum'>} record
 * @returns {string} 64 hex digits
 */
export function sumOf(record) {
  return toHex(sha256(toBytes(bodyOf(record))));
}

/**
 * The text of a record, with the sum that it has.
 * @param {Record | ChainRecord} record
 * @returns {string}
 */
export function writeRecord(record) {
  return bodyOf(record) + 'sum ' + record.sum + '\n';
}

/**
 * The rolls of a record, without its game lines and moves.
 * @param {Record | ChainRecord} record
 * @returns {{roll: number, dice: number[]}[]}
 */
export function rollsOf(record) {
  /** @type {{roll: number, dice: number[]}[]} */
  const rolls = [];
  for (const entry of record.entries) if (entry.type === 'roll') rolls.push(entry);
  return rolls;
}

/**
 * How many rolls each game has, in order; empty if the record marks no games.
 * @param {Record | ChainRecord} record
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
