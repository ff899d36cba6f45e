/**
 * The share link of a match of tavli/1: docs/spec/tavli.md, "Reading". It is tolerant of
 * damage that loses nothing and refuses everything else. The steps below have the
 * numbers of that section.
 */
import { clientFault, clientLimits, codePoint, serverLength } from './seed.mjs';
import { mostRolls } from './game.mjs';
import { attempt, decimal, gamesOf, Refusal, rollsOf, sumOf, withoutEnd } from './record.mjs';

/** @typedef {import('./record.mjs').Fault} Fault */
/** @typedef {import('./record.mjs').Record} Record */
/** @typedef {import('./record.mjs').Entry} Entry */

/**
 * What a share link says.
 * @typedef {object} Link
 * @property {Record} record
 * @property {number} show rolls to compute and show though none are recorded
 * @property {string[]} ignored unknown keys
 */

const mostCharacters = 262144;
const decodings = 3;
const blanks = /[ \t\r\n\u00a0]/;

/**
 * Reads a link, or text around one. There are one or two readings, to be tried in order;
 * a fault of the text as a whole is the only reading.
 * @param {string} text
 * @returns {({value: Link, fault: null} | {value: null, fault: Fault})[]}
 */
export function readLink(text) {
  const found = attempt(() => findLink(text));
  if (found.fault !== null) return [found];
  // 4. Whole and short.
  const whole = found.value.replace(/(^|[\r\n])> ?/g, '$1').replace(/[ \t\r\n\u00a0]/g, '');
  const short = found.value.split(blanks, 1)[0];
  return (short === whole ? [whole] : [whole, short]).map((reading) => attempt(() => readParts(reading)));
}

/**
 * Steps 1 to 3: what follows the start of the link, without percent-coding.
 * @param {string} text
 * @returns {string}
 */
function findLink(text) {
  // 1.
  // A character is one or two UTF-16 units.
  if (text.length > 2 * mostCharacters || (text.length > mostCharacters && Array.from(text).length > mostCharacters)) {
    throw new Refusal({ code: 'too-long', words: 'more than 262,144 characters' });
  }
  // 2.
  text = text.replaceAll('&amp;', '&');
  let left = decodings;
  while (!/#[vscprg]=/.test(text) && text.includes('%') && left > 1) {
    text = percentDecoded(text);
    left--;
  }
  const starts = [...text.matchAll(/#(?=[vscprg]=)/g)];
  if (starts.length > 1) throw new Refusal({ code: 'two-links', words: 'more than one link' });
  let link;
  if (starts.length === 1) link = text.slice((starts[0].index ?? 0) + 1);
  else if (/^[ \t\r\n\u00a0]*[vscprg]=/.test(text)) link = text.replace(/^[ \t\r\n\u00a0]+/, '');
  else throw new Refusal({ code: 'not-a-link', words: 'no share link in this text' });
  // 3.
  while (link.includes('%') && left > 0) {
    link = percentDecoded(link);
    left--;
  }
  if (link.includes('%')) throw new Refusal({ code: 'bad-percent', words: 'percent-coding that is broken or too deep' });
  if (/\p{Surrogate}/u.test(link)) throw new Refusal({ code: 'bad-percent', words: 'bytes that are not UTF-8' });
  return link;
}

/**
 * Decodes percent-coding once. What is not coded bytes of UTF-8 stays, and with it its %.
 * @param {string} text
 * @returns {string}
 */
function percentDecoded(text) {
  const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  return text.replace(/(?:%[0-9A-Fa-f]{2})+/g, (run) => {
    const bytes = Uint8Array.from(run.slice(1).split('%'), (hex) => parseInt(hex, 16));
    try {
      return utf8.decode(bytes);
    } catch {
      return run;
    }
  });
}

/**
 * Steps 5 to 8.
 * @param {string} text
 * @returns {Link}
 */
function readParts(text) {
  // 5.
  if (/\.\.|\u2026/.test(text)) throw new Refusal({ code: 'link-cut', words: 'something was cut out of the link' });
  const clientsLast = text.slice(text.lastIndexOf('&') + 1).startsWith('p=');
  text = withoutEnd(text, `.;:!?)]}>"'\u00bb\u201d\u2019` + (clientsLast ? '' : ','));

  // 6.
  /** @type {Map<string, string>} */
  const parts = new Map();
  /** @type {string[]} */
  const bare = []; // parts without =
  for (const part of text.split('&')) {
    const equals = part.indexOf('=');
    if (equals < 0) {
      bare.push(part);
      continue;
    }
    const key = part.slice(0, equals);
    if (parts.has(key)) throw new Refusal({ code: 'repeated-part', part: known(key), words: 'part is there twice' });
    parts.set(key, part.slice(equals + 1));
  }
  const ignored = [...parts.keys()].filter((key) => known(key) === '');

  // 7.
  const version = needed(parts, 'v');
  if (version !== '1') {
    if (/^(0|[1-9][0-9]*)$/.test(version)) {
      throw new Refusal({ code: 'version', part: 'v', words: 'link of another version' });
    }
    throw new Refusal({ code: 'bad-part', part: 'v', column: 1, words: 'version is not a decimal' });
  }

  // 8.
  const server = needed(parts, 's');
  const clientList = needed(parts, 'p');
  // Only now: a link cut behind `&p` lacks its client seeds, which says more.
  if (bare.length > 0) throw new Refusal({ code: 'bad-part', part: known(bare[0]), words: 'part without =' });
  const seed = hexPart('s', server, ['0x'], serverLength['tavli/1']);
  const sealPart = parts.get('c');
  const seal = sealPart === undefined ? null : hexPart('c', sealPart, ['sha256:', '0x'], { least: 32, most: 32 });
  const clients = clientsPart(clientList);
  const rolls = rollsPart(parts.get('r') ?? '');
  const gamesText = parts.get('g');
  const games = gamesText === undefined ? [] : gamesPart(gamesText);
  const total = games.reduce((sum, rolled) => sum + rolled, 0);
  if (rolls.length > 0 && games.length > 0 && total !== rolls.length) {
    throw new Refusal({ code: 'games-differ', part: 'g', words: `${total} rolls in g, ${rolls.length} in r` });
  }
  if (total > mostRolls) throw new Refusal({ code: 'too-long', part: 'g', words: 'more than 100,000 rolls' });
  return {
    record: recordOf({ seed, seal, clients, rolls, games: rolls.length > 0 ? games : [] }),
    show: rolls.length > 0 ? 0 : total,
    ignored,
  };
}

/**
 * @param {string} key
 * @returns {string} the key if it is one of the six, else ''
 */
function known(key) {
  return /^[vscprg]$/.test(key) ? key : '';
}

/**
 * @param {Map<string, string>} parts
 * @param {string} key
 * @returns {string}
 */
function needed(parts, key) {
  const value = parts.get(key);
  if (value === undefined) throw new Refusal({ code: 'missing-part', part: key, words: 'part is missing' });
  return value;
}

/**
 * The value of `s` or `c`.
 * @param {string} part
 * @param {string} value
 * @param {string[]} prefixes
 * @param {{least: number, most: number}} length in bytes
 * @returns {string} lower-case hex
 */
function hexPart(part, value, prefixes, length) {
  const prefix = prefixes.find((text) => value.startsWith(text)) ?? '';
  const digits = Array.from(value.slice(prefix.length));
  const wrong = digits.findIndex((digit) => !/^[0-9A-Fa-f]$/.test(digit));
  /** @param {number} index @param {string} char @param {string} words */
  const refusal = (index, char, words) =>
    new Refusal({ code: 'bad-part', part, column: prefix.length + index + 1, char, words });
  if (wrong >= 0) throw refusal(wrong, codePoint(digits[wrong]), 'not a hex digit');
  if (digits.length > 2 * length.most) throw refusal(2 * length.most, '', 'too many hex digits');
  const last = Math.max(0, digits.length - 1);
  if (digits.length < 2 * length.least) throw refusal(last, '', 'too few hex digits');
  if (digits.length % 2 !== 0) throw refusal(last, '', 'odd number of hex digits');
  return digits.join('').toLowerCase();
}

/**
 * The value of `p`.
 * @param {string} value
 * @returns {string[]}
 */
function clientsPart(value) {
  const clients = value.split(',');
  let before = 0; // characters
  for (const [i, client] of clients.entries()) {
    const fault = clientFault(client);
    if (i >= clientLimits.most) {
      throw new Refusal({ code: 'bad-part', part: 'p', column: before + 1, words: 'more than 16 client seeds' });
    }
    if (fault !== null) {
      const { position, character, words } = fault;
      throw new Refusal({ code: 'bad-part', part: 'p', column: before + position, char: character, words });
    }
    before += client.length + 1;
  }
  return clients;
}

/**
 * The value of `r`.
 * @param {string} value
 * @returns {number[][]}
 */
function rollsPart(value) {
  const digits = Array.from(value);
  const wrong = digits.findIndex((digit) => !/^[1-6]$/.test(digit));
  if (wrong >= 0) {
    const char = codePoint(digits[wrong]);
    throw new Refusal({ code: 'bad-part', part: 'r', column: wrong + 1, char, words: 'not a digit 1 to 6' });
  }
  if (digits.length % 2 !== 0) {
    throw new Refusal({ code: 'odd-rolls', part: 'r', column: digits.length, words: 'odd number of dice' });
  }
  if (digits.length > 2 * mostRolls) {
    throw new Refusal({ code: 'too-long', part: 'r', column: 2 * mostRolls + 1, words: 'more than 100,000 rolls' });
  }
  const rolls = [];
  for (let i = 0; i < digits.length; i += 2) rolls.push([Number(digits[i]), Number(digits[i + 1])]);
  return rolls;
}

/**
 * The value of `g`.
 * @param {string} value
 * @returns {number[]}
 */
function gamesPart(value) {
  let before = 0; // characters
  return value.split(',').map((text) => {
    const rolled = decimal(text, 1, 999999999);
    if (rolled === null) {
      const characters = Array.from(text);
      const wrong = Math.max(0, characters.findIndex((c, i) => !(i === 0 ? /^[1-9]$/ : /^[0-9]$/).test(c) || i === 9));
      const char = wrong < characters.length && wrong < 9 ? codePoint(characters[wrong]) : '';
      const words = 'not a number of rolls from 1, of at most 9 digits';
      throw new Refusal({ code: 'bad-part', part: 'g', column: before + wrong + 1, char, words });
    }
    before += text.length + 1;
    return rolled;
  });
}

/**
 * The record that says the same as a link or a form.
 * @param {object} said
 * @param {string} [said.scheme] tavli/1 unless given
 * @param {string} said.seed hex
 * @param {string | null} said.seal hex
 * @param {string[]} said.clients left out of a record of yayay/1
 * @param {number[][]} said.rolls
 * @param {number[]} said.games how many rolls each game has; empty to mark none
 * @returns {Record}
 */
export function recordOf({ scheme = 'tavli/1', seed, seal, clients, rolls, games }) {
  const firsts = new Set();
  let first = 1;
  for (const rolled of games) {
    firsts.add(first);
    first += rolled;
  }
  /** @type {Entry[]} */
  const entries = rolls.flatMap((dice, i) => {
    /** @type {Entry} */
    const roll = { type: 'roll', roll: i + 1, dice };
    return firsts.has(i + 1) ? [{ type: 'game' }, roll] : [roll];
  });
  /** @type {Omit<Record, 'sum'>} */
  const record = {
    record: 1, scheme, match: null, seal, ...(scheme === 'tavli/1' ? { clients } : {}),
    entries, seed, rolls: rolls.length, state: 'finished',
  };
  return { ...record, sum: sumOf(record) };
}

/**
 * The share link of a record, without its #. A record without game lines is written as
 * one game, so that a link cut inside r is noticed.
 * @param {Record} record
 * @returns {string | null} null if no link can say it: another scheme than tavli/1, a server
 *   seed that was not revealed, rolls that are not numbered 1, 2, 3, ...
 */
export function writeLink(record) {
  const rolls = rollsOf(record);
  if (record.scheme !== 'tavli/1' || record.seed === null) return null;
  if (rolls.some(({ roll }, i) => roll !== i + 1)) return null;
  const parts = ['v=1', 's=' + record.seed];
  if (record.seal !== null) parts.push('c=' + record.seal);
  parts.push('p=' + (record.clients ?? []).join(','));
  if (rolls.length > 0) {
    const games = gamesOf(record);
    parts.push('r=' + rolls.map(({ dice }) => dice.join('')).join(''));
    parts.push('g=' + (games.length > 0 ? games : [rolls.length]).join(','));
  }
  return parts.join('&');
}
