/**
 * The JSON view of a record: docs/spec/record.md, "JSON view". A view is never hashed or
 * checked; the text of it is.
 */
import { attempt, parseRecord, Refusal, writeRecord } from './record.mjs';

/** @typedef {import('./fault.mjs').Fault} Fault */
/** @typedef {import('./record.mjs').Record} Record */
/** @typedef {import('./chain.mjs').ChainRecord} ChainRecord */

const mostCharacters = 32 * 1024 * 1024;

/**
 * The view, its members in the order of the lines.
 * @param {Record | ChainRecord} record
 * @returns {string}
 */
export function writeView(record) {
  const { value } = parseRecord(writeRecord(record));
  if (value === null) throw new RangeError('no text can hold this record');
  return JSON.stringify(value);
}

/**
 * Reads a view with its members in any order. What JSON.parse does not notice, members
 * that are there twice and numbers that are not plain decimals, is refused too.
 * @param {string} view
 * @returns {{value: Record | ChainRecord, fault: null} | {value: null, fault: Fault}}
 */
export function readView(view) {
  return attempt(() => {
    const refuse = (/** @type {string} */ words) => new Refusal({ code: 'syntax', words });
    if (view.length > mostCharacters) throw new Refusal({ code: 'too-long', words: 'more than 32 MiB' });
    const tree = parse(view);
    if (tree === undefined) throw refuse('not JSON');
    const { names, odd } = tokens(view);
    if (odd) throw refuse('a number that is not a plain decimal');
    if (names !== members(tree)) throw refuse('a member is there twice');
    const { value, fault } = parseRecord(textOf(tree));
    if (value === null) throw new Refusal({ ...fault, line: 0, column: 0 });
    if (!equal(tree, value)) throw refuse('a member is unknown or missing, or is not what it should be');
    return value;
  });
}

/** @param {string} view @returns {unknown} undefined if it is not JSON */
function parse(view) {
  try {
    return JSON.parse(view);
  } catch {
    return undefined;
  }
}

/**
 * The text that a tree would have if it is a view; whatever else it is, it has another
 * text or none, which the caller finds out by reading it back.
 * @param {any} tree
 * @returns {string}
 */
function textOf(tree) {
  try {
    return writeRecord(tree);
  } catch {
    return '';
  }
}

/**
 * Names of members in a JSON text, and whether it has a number in another form.
 * @param {string} view
 */
function tokens(view) {
  let names = 0;
  let odd = false;
  for (const [, string, colon, number] of view.matchAll(/("(?:[^"\\]|\\.)*")\s*(:?)|(-?[0-9][0-9.eE+-]*)/g)) {
    if (string !== undefined && colon === ':') names++;
    if (number !== undefined && !/^(0|[1-9][0-9]*)$/.test(number)) odd = true;
  }
  return { names, odd };
}

/** @param {unknown} tree @returns {number} of members, at any depth */
function members(tree) {
  if (tree === null || typeof tree !== 'object') return 0;
  const values = Object.values(tree);
  return (Array.isArray(tree) ? 0 : values.length) + values.reduce((sum, value) => sum + members(value), 0);
}

/** @param {any} a @param {any} b @returns {boolean} */
function equal(a, b) {
  if (a === null || b === null || typeof a !== 'object' || typeof b !== 'object') return a === b;
  const names = Object.keys(a);
  return Array.isArray(a) === Array.isArray(b) && names.length === Object.keys(b).length &&
    names.every((name) => Object.hasOwn(b, name) && equal(a[name], b[name]));
}
