// Words of outcomes, shared with the command line: what a key and a value are called.
import { has, say } from './words.mjs';

/** What a key of an outcome is called. @param {string} name */
export function keyName(name) {
  const word = 'outcome.key.' + name.replaceAll('_', '-');
  return has(word) ? say(word) : name;
}

/** A value that is a word, such as a colour, in the language. @param {string} text */
export function valueName(text) {
  const word = 'outcome.value.' + text;
  return has(word) ? say(word) : text;
}
