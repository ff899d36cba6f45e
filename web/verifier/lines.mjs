/** A text, line by line. */
import { Refusal } from './fault.mjs';
import { codePoint } from './seed.mjs';

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
 * The lines of a text, each of which must be ended by LF.
 */
export class Lines {
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
