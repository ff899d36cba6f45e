// The part after # of a table's address: m is the match, k the token of a seat. Without k one watches.
// Nothing of it reaches a server by itself: the page sends the match in paths and the token in a header.
import { readDice } from './phone/terms.mjs';

/**
 * What the fragment says. `solo` is play alone on this phone; `fault` is 'none' if there is nothing, 'cut' if there is
 * something unusable.
 * @typedef {{dice: string, turn: 'alternate'|'free', seats: number}} Solo
 * @typedef {{match: string, token: string|null} | {solo: Solo} | {fault: 'none'|'cut'}} Address
 */

const MATCH = /^[0-9a-f]{32}$/;
const TOKEN = /^[A-Za-z0-9_-]{22,128}$/;

/**
 * Reads a fragment, with or without #. Chat programs percent-code it and glue punctuation to its end; both are
 * undone because no value can hold either. Anything else that is odd is a cut address: half a token must not watch.
 * @param {string} fragment
 * @returns {Address}
 */
export function readAddress(fragment) {
  let text = fragment.replace(/^#/, '').trim();
  if (text === '') return { fault: 'none' };
  if (text.includes('%')) {
    try {
      text = decodeURIComponent(text);
    } catch {
      return { fault: 'cut' };
    }
  }
  text = text.replaceAll('&amp;', '&').replace(/[.,;:!?)\]}>"'\u00bb\u201d\u2019]+$/, '');
  /** @type {Map<string, string>} */
  const parts = new Map();
  for (const part of text.split('&')) {
    const at = part.indexOf('=');
    if (at < 0 || parts.has(part.slice(0, at))) return { fault: 'cut' };
    parts.set(part.slice(0, at), part.slice(at + 1));
  }
  if (parts.has('solo')) return readSolo(parts);
  const match = parts.get('m') ?? '';
  const token = parts.get('k') ?? null;
  if (!MATCH.test(match) || (token !== null && !TOKEN.test(token))) return { fault: 'cut' };
  return { match, token };
}

/** @param {Map<string, string>} parts @returns {Address} */
function readSolo(parts) {
  const dice = parts.get('solo') ?? '';
  const turn = parts.get('turn') ?? 'alternate';
  const seats = Number(parts.get('seats') ?? '1');
  if (readDice(dice).value === null || (turn !== 'alternate' && turn !== 'free') || !(seats >= 1 && seats <= 8 && Number.isInteger(seats))) return { fault: 'cut' };
  return { solo: { dice, turn, seats } };
}

/**
 * The address of play alone, on this server.
 * @param {string} lang
 * @param {Solo} solo
 */
export const soloAddress = (lang, { dice, turn, seats }) => `/${lang}/table/#solo=${dice}&turn=${turn}&seats=${seats}`;

/**
 * The address of a seat, or of the table for watching when token is null.
 * @param {string} origin such as http://192.168.1.5:8080
 * @param {string} lang
 * @param {string} match
 * @param {string|null} token
 */
export function tableAddress(origin, lang, match, token) {
  return `${origin}/${lang}/table/#m=${match}` + (token === null ? '' : `&k=${token}`);
}
