// The messages of the page's language: keys and placeholders are those of internal/locale.
import { data } from './data.mjs';

export { data };

/** The tag of the page's language. */
export const lang = data.lang;

const plural = new Intl.PluralRules(lang);
const grouped = new Intl.NumberFormat(lang);

/** A whole number as the language writes it, with separators from 10,000 on. @param {number} n */
export const number = (n) => (Math.abs(n) < 10000 ? String(n) : grouped.format(n));

/** Whether there is a message with this key. @param {string} key */
export const has = (key) => Object.hasOwn(data.words, key);

/**
 * The parts of a message: texts, and in place of a placeholder what was given for
 * it. Values are never read as placeholders again.
 * @param {string} key
 * @param {Record<string, any>} [values] numbers, texts or nodes; `count` chooses the plural form
 * @returns {any[]}
 */
export function parts(key, values = {}) {
  let message = has(key) ? data.words[key] : key;
  if (typeof message !== 'string') message = message[plural.select(values.count)] ?? message.other;
  return message.split(/\{([a-z][A-Za-z0-9]*)\}/).map((part, i) => {
    if (i % 2 === 0) return part;
    const value = values[part];
    return typeof value === 'number' ? number(value) : value ?? '{' + part + '}';
  });
}

/**
 * A message as text.
 * @param {string} key
 * @param {Record<string, string | number>} [values]
 */
export const say = (key, values) => parts(key, values).join('');

/** A moment in the reader's own time, as the language writes it. @param {string | number | Date} at */
export const moment = (at) => new Intl.DateTimeFormat(lang, { dateStyle: 'long', timeStyle: 'short' }).format(new Date(at));

/** Items as the language lists them: "2, 5 and 7". @param {(string | number)[]} items */
export const list = (items) => new Intl.ListFormat(lang, { type: 'conjunction' }).format(items.map((i) => (typeof i === 'number' ? number(i) : i)));
