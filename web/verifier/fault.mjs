/** How the readers of this engine say what they could not read. */

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
