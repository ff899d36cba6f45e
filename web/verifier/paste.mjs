/**
 * What people type and paste into the fields of a page: docs/spec/record.md,
 * "Pasted rolls". Every reader returns what it understood, to be shown before it is checked, or the fault
 * with its line and column.
 */
import { clientFault, clientLimits, codePoint } from './seed.mjs';
import { mostDice, mostRolls } from './game.mjs';
import { attempt, decimal, Refusal, withoutEnd } from './record.mjs';

/** @typedef {import('./record.mjs').Fault} Fault */
/**
 * @template T
 * @typedef {{value: T, fault: null} | {value: null, fault: Fault}} Reading
 */

/**
 * Reads a field of hex digits. Blanks, tabs and line ends around them, blanks or colons
 * between pairs, and the prefixes `0x` and `sha256:` are dropped.
 * @param {string} text
 * @param {string} part name of the field in a fault: s or c
 * @returns {Reading<string>} lower-case hex, '' for an empty field
 */
export function readHex(text, part) {
  return attempt(() => {
    const front = /^[ \t\r\n]*(?:sha256:|0x)?/.exec(text)?.[0].length ?? 0;
    const digits = Array.from(withoutEnd(text.slice(front), ' \t\r\n'));
    let hex = '';
    for (const [i, digit] of digits.entries()) {
      if (/^[0-9A-Fa-f]$/.test(digit)) hex += digit;
      else if (hex.length % 2 !== 0 || !/^[ :]$/.test(digit)) {
        const char = codePoint(digit);
        throw new Refusal({ code: 'bad-part', part, column: front + i + 1, char, words: 'not a hex digit' });
      }
    }
    if (hex.length % 2 !== 0) {
      const column = front + digits.length;
      throw new Refusal({ code: 'bad-part', part, column, words: 'odd number of hex digits' });
    }
    return hex.toLowerCase();
  });
}

/**
 * Reads the box of client seeds: one a line, blanks around it dropped.
 * @param {string} text
 * @returns {Reading<string[]>}
 */
export function readClients(text) {
  return attempt(() => {
    /** @type {string[]} */
    const clients = [];
    for (const [i, raw] of text.split(/\r?\n|\r$/).entries()) {
      const before = /^[ \t]*/.exec(raw)?.[0].length ?? 0;
      const client = withoutEnd(raw.slice(before), ' \t');
      if (client === '') continue;
      const fault = clientFault(client);
      if (fault !== null) {
        const { position, character, words } = fault;
        throw new Refusal({ code: 'bad-part', part: 'p', line: i + 1, column: before + position, char: character, words });
      }
      if (clients.length >= clientLimits.most) {
        throw new Refusal({ code: 'bad-part', part: 'p', line: i + 1, words: 'more than 16 client seeds' });
      }
      clients.push(client);
    }
    return clients;
  });
}

/**
 * Reads the field for the number of rolls.
 * @param {string} text
 * @returns {Reading<number | undefined>} undefined for an empty field
 */
export function readNumber(text) {
  return attempt(() => {
    const digits = withoutEnd(text.replace(/^[ \t\r\n]+/, ''), ' \t\r\n');
    if (digits === '') return undefined;
    const number = decimal(digits, 1, mostRolls);
    if (number === null) {
      throw new Refusal({ code: 'bad-part', part: 'number', column: 1, words: 'not a decimal from 1 to 100,000' });
    }
    return number;
  });
}

/**
 * Reads recorded rolls, numbered or plain, by the rules of a scheme.
 * @param {string} text
 * @param {string} [scheme] tavli/1 unless given
 * @returns {Reading<number[][]>} empty if the text holds nothing
 */
export function readRolls(text, scheme = 'tavli/1') {
  const lines = text
    .replace(/^\ufeff/, '')
    .replace(/\r\n?/g, '\n')
    .replace(/[\t\u00a0\u2009\u202f]/g, ' ')
    .split('\n');
  const kinds = scheme === 'yayay/1' ? [numberedThrows, plainThrows] : [numberedRolls, plainRolls];
  const [numbered, plain] = kinds.map((kind) => attempt(() => readLines(lines, kind)));
  if (numbered.fault === null) return numbered;
  if (plain.fault === null) return plain;
  // Of two faults, that of the reading that got further.
  const a = numbered.fault;
  const b = plain.fault;
  return a.line > b.line || (a.line === b.line && a.column > b.column) ? numbered : plain;
}

/**
 * @param {string[]} lines
 * @param {(line: Line) => void} readLine
 * @returns {number[][]}
 */
function readLines(lines, readLine) {
  /** @type {number[][]} */
  const rolls = [];
  for (const [i, text] of lines.entries()) {
    const line = new Line(text, i + 1, rolls);
    line.take(/ */y);
    if (line.atEnd()) continue;
    readLine(line);
    line.take(/ */y);
    if (!line.atEnd()) throw line.refuse();
  }
  return rolls;
}

/** A line of pasted rolls and how far it was read. */
class Line {
  /** @param {string} text @param {number} number @param {number[][]} rolls */
  constructor(text, number, rolls) {
    this.text = text;
    this.number = number;
    this.rolls = rolls; // everything read so far
    this.at = 0;
    this.reached = 0; // by a form that was given up
  }

  /** Only blanks are left. */
  atEnd() {
    return /^ *$/.test(this.text.slice(this.at));
  }

  /**
   * Takes what the pattern matches here.
   * @param {RegExp} pattern with the flag y
   * @returns {RegExpExecArray | null} null if it matches nothing here
   */
  take(pattern) {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text);
    if (found !== null) this.at += found[0].length;
    return found;
  }

  /**
   * Takes what the pattern matches here, or refuses the line here.
   * @param {RegExp} pattern with the flag y
   * @param {string} [words]
   */
  must(pattern, words) {
    const found = this.take(pattern);
    if (found === null) throw this.refuse(words);
    return found;
  }

  /** Takes the number of the next roll. */
  due() {
    const start = this.at;
    const number = this.must(/[1-9][0-9]*/y, 'number of a roll expected')[0];
    if (number !== String(this.rolls.length + 1)) {
      this.at = start;
      throw this.refuse('not the number that is due');
    }
  }

  /** @param {string} digits of the dice of a roll */
  add(digits) {
    if (this.rolls.length >= mostRolls) throw this.refuse('more than 100,000 rolls');
    this.rolls.push(Array.from(digits, Number));
  }

  /** @param {string} [words] */
  refuse(words = 'not a roll in this form') {
    this.at = Math.max(this.at, this.reached);
    const rest = Array.from(this.text.slice(this.at));
    return new Refusal({
      code: 'bad-rolls',
      line: this.number,
      column: Array.from(this.text.slice(0, this.at)).length + 1,
      char: rest.length > 0 ? codePoint(rest[0]) : '',
      words,
    });
  }
}

const separator = / *[,;|] *| +/y;

/**
 * Two dice joined by nothing, blanks, or a mark with or without blanks round it.
 * @param {Line} line
 */
function looseDice(line) {
  const first = line.must(/[1-6]/y)[0];
  line.take(/ *[-\u2013\u2014\u2212/,] *| */y);
  line.add(first + line.must(/[1-6]/y)[0]);
}

/**
 * `1 6-3`, or entries with a mark after the number: `1. 6-3 2. 4-4`.
 * @param {Line} line
 */
function numberedRolls(line) {
  const marked = / ?[.:)] */y;
  const hash = line.take(/#/y) !== null;
  line.due();
  if (hash || line.take(marked) === null) {
    line.must(/ +/y);
    looseDice(line);
    return;
  }
  looseDice(line);
  while (!line.atEnd()) {
    line.must(separator);
    line.due();
    line.must(marked);
    looseDice(line);
  }
}

/**
 * Two single dice, or rolls in which something joins the dice.
 * @param {Line} line
 */
function plainRolls(line) {
  const start = line.at;
  const pair = line.take(/([1-6])(?: *, *| +)([1-6]) */y);
  if (pair !== null && line.atEnd()) {
    line.add(pair[1] + pair[2]);
    return;
  }
  line.reached = line.at;
  line.at = start;
  for (;;) {
    const digits = line.must(/[1-6]+/y)[0];
    if (digits.length === 1) {
      line.must(/ *[-\u2013\u2014\u2212/] */y);
      line.add(digits + line.must(/[1-6]/y)[0]);
    } else if (digits.length % 2 === 0) {
      for (let i = 0; i < digits.length; i += 2) line.add(digits.slice(i, i + 2));
    } else throw line.refuse('odd number of dice');
    if (line.atEnd()) return;
    line.must(separator);
  }
}

/**
 * A throw of 1 to 100 dice with its number, with or without a mark, and blanks before it.
 * @param {Line} line
 */
function numberedThrows(line) {
  line.due();
  line.take(/ ?[.:)]/y);
  line.must(/ +/y);
  plainThrows(line);
}

/**
 * A throw of 1 to 100 dice, run together or joined by -.
 * @param {Line} line
 */
function plainThrows(line) {
  const dice = line.must(/[1-6](?:-[1-6]){1,100}(?![1-6])|[1-6]{1,101}/y)[0].replaceAll('-', '');
  if (dice.length > mostDice) throw line.refuse('more than 100 dice');
  line.add(dice);
}
