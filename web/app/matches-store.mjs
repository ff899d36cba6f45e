// The matches that this browser keeps: what it was shown before the first roll, the rolls it
// saw, its receipts. They lie where the table and the phone put them and are only read here.
//
// A file of them, and what is imported from one, is evidence and nothing else: neither seats,
// chains nor keys are in it, and no table reads it. So a copy never answers a roll.
import { openKeeper } from './phone/keeper.mjs';
import { clientFault, verifyAsync, writeRecord } from '../verifier/veridice.mjs';
import { sumOf } from '../verifier/record.mjs';

const NOTES = 'veridice.matches';
const COPIES = 'veridice.imported';
const WITH_MATCH = ['veridice.pending.', 'veridice.created.']; // keys that end in a match's id
const DATABASE = 'veridice.phone';
const SHELF = 'once';

const FORMAT = 'veridice matches 1';
const mostMatches = 10_000;
const mostRolls = 100_000;
const mostText = 16 * 1024 * 1024;

/**
 * A match as it was seen.
 * @typedef {object} Kept
 * @property {string} match
 * @property {string} scheme
 * @property {string} seal shown before the first roll; the opening's hash in veridice/1; '' if none came
 * @property {string} at this phone's clock at that moment, RFC 3339, or ''
 * @property {number} before rolls that had fallen by then
 * @property {number[][]} rolls number and dice of each
 * @property {string[]} clients
 * @property {number[]} games rolls in each
 * @property {string | null} server the seed, once revealed
 * @property {string} record of veridice/1 as this phone agreed to it, or ''
 * @property {{roll: string, head: string}[]} receipts signed texts of each roll
 * @property {{code: string, notes: string[]}[]} evidence notes that contradict each other
 * @property {boolean} differs whether the server once said something else than before
 * @property {number | null} seat this phone's own
 *
 * @typedef {Kept & {own: boolean}} Listed own is false for a copy
 */

/**
 * @param {{storage?: () => Storage, keeper?: () => Promise<{list: (prefix: string) => Promise<{key: string, value: any}[]>}>, factory?: () => IDBFactory}} [given]
 */
export function openMatches({
  storage = () => localStorage, factory = () => indexedDB, keeper = () => openKeeper(factory),
} = {}) {
  return { list, textOf, add, forget };

  /** Those of this browser and the copies, the latest first. @returns {Promise<Listed[]>} */
  async function list() {
    /** @type {Map<string, Kept>} */
    const own = new Map();
    for (const [match, note] of Object.entries(read(NOTES))) {
      const kept = ofNote(match, note);
      if (kept !== null) own.set(match, kept);
    }
    for (const [match, kept] of ofKeeper(await keeper().then((k) => k.list('')).catch(() => []), own)) own.set(match, kept);
    const copies = Object.values(read(COPIES)).map(checked).filter((kept) => kept !== null);
    const all = [...[...own.values()].map((kept) => ({ ...kept, own: true })), ...copies.map((kept) => ({ ...kept, own: false }))];
    return all.sort((a, b) => (a.at < b.at ? 1 : a.at > b.at ? -1 : 0));
  }

  /** The record of a match that is kept here, or null. @param {string} match */
  async function textOf(match) {
    const found = (await list()).filter((kept) => kept.match === match);
    return found.map(recordOf).find((text) => text !== null) ?? null;
  }

  /**
   * Adds copies. What is kept already stays as it is.
   * @param {Kept[]} matches
   * @returns {Promise<{added: number, known: number, differ: string[]}>} differ names matches of which another seal is
   *   kept here; throws where storage is refused or full
   */
  async function add(matches) {
    const here = new Map((await list()).map((kept) => [kept.match, kept]));
    const copies = read(COPIES);
    const result = { added: 0, known: 0, differ: /** @type {string[]} */ ([]) };
    for (const kept of matches) {
      const known = here.get(kept.match);
      if (known?.seal && kept.seal && known.seal !== kept.seal) result.differ.push(kept.match);
      if (Object.hasOwn(copies, kept.match) || known?.own) result.known++;
      else {
        copies[kept.match] = kept;
        result.added++;
      }
    }
    storage().setItem(COPIES, JSON.stringify(copies));
    return result;
  }

  /**
   * Forgets a match, or all, wherever something of it lies: the seat and the chain too.
   * @param {string | null} match null for all
   */
  async function forget(match) {
    const shelf = storage();
    for (const key of [NOTES, COPIES]) {
      const all = match === null ? {} : read(key);
      if (match !== null) delete all[match];
      if (Object.keys(all).length === 0) shelf.removeItem(key);
      else shelf.setItem(key, JSON.stringify(all));
    }
    const keys = Array.from({ length: shelf.length }, (_, i) => shelf.key(i) ?? '');
    for (const key of keys) if (WITH_MATCH.some((start) => key.startsWith(start) && (match === null || key === start + match))) shelf.removeItem(key);
    await forgetPhone(match);
  }

  /** @param {string} key @returns {{[match: string]: any}} */
  function read(key) {
    try {
      const value = JSON.parse(storage().getItem(key) ?? '{}');
      return value !== null && typeof value === 'object' && !Array.isArray(value) ? value : {};
    } catch {
      return {}; // storage refused, or not ours: as good as nothing
    }
  }

  /** The keeper of a phone never takes anything back; only its user does. @param {string | null} match @returns {Promise<void>} */
  function forgetPhone(match) {
    const idb = safely(factory);
    if (!idb) return Promise.resolve();
    return new Promise((resolve, reject) => {
      const request = idb.open(DATABASE, 1);
      request.onupgradeneeded = () => request.result.createObjectStore(SHELF);
      request.onerror = () => reject(request.error);
      request.onsuccess = () => {
        const database = request.result;
        const transaction = database.transaction(SHELF, 'readwrite');
        const store = transaction.objectStore(SHELF);
        if (match === null) store.clear();
        else store.delete(IDBKeyRange.bound(match + '/', match + '/\uffff'));
        transaction.oncomplete = () => {
          database.close();
          resolve();
        };
        transaction.onabort = () => reject(transaction.error);
      };
    });
  }
}

/** @param {() => IDBFactory} factory @returns {IDBFactory | undefined} */
function safely(factory) {
  try {
    return factory();
  } catch {
    return undefined; // no IndexedDB, or reading it is refused
  }
}

/** What the table notes: app/table-seen.mjs. @param {string} match @param {any} note @returns {Kept | null} */
function ofNote(match, note) {
  const seats = Object.keys(note?.seats ?? {}).map(Number);
  return checked({
    match, scheme: note?.scheme, seal: note?.seal, at: note?.at, before: note?.before, rolls: note?.rolls, clients: clientsOf(note), games: note?.games,
    server: note?.server ?? null, record: '', receipts: [], evidence: [], differs: (note?.differs ?? []).length > 0, seat: seats[0] ?? null,
  });
}

/** What this phone made itself counts more than what it was told. @param {any} note */
function clientsOf(note) {
  return Array.isArray(note?.clients) ? note.clients.map((/** @type {string} */ told, /** @type {number} */ i) => note.seats?.[i + 1]?.client || told) : [];
}

/**
 * What a phone of veridice/1 keeps: app/phone/phone.mjs. Secrets stay where they are.
 * @param {{key: string, value: any}[]} all
 * @param {Map<string, Kept>} noted what the table noted of the same matches
 */
function ofKeeper(all, noted) {
  /** @type {Map<string, any>} */
  const found = new Map();
  for (const { key, value } of all) {
    const [match, , what, name] = key.split('/');
    const kept = found.get(match) ?? {
      at: '', before: 0, rolls: [], clients: [], games: [], server: null, differs: false, seat: null, seal: '', ...noted.get(match),
      match, scheme: 'veridice/1', record: '', receipts: [], evidence: [],
    };
    if (what === 'ready' && typeof value === 'string') kept.seal = value;
    else if (what === 'seat') kept.seat = value;
    else if (what === 'record' && typeof value === 'string') kept.record = value;
    else if (what === 'done' && name) kept.receipts.push({ roll: value?.note, head: value?.head });
    else if (what === 'evidence') kept.evidence.push({ code: value?.code, notes: value?.notes });
    else if (what !== 'join') continue;
    found.set(match, kept);
  }
  return [...found].flatMap(([match, kept]) => {
    const good = checked(kept);
    return good === null ? [] : [/** @type {[string, Kept]} */ ([match, good])];
  });
}

const isText = (/** @type {any} */ value, most = mostText) => typeof value === 'string' && value.length <= most;
const isCount = (/** @type {any} */ value) => Number.isSafeInteger(value) && value >= 0;
const isHex = (/** @type {any} */ value) => typeof value === 'string' && /^[0-9a-f]{32,2048}$/.test(value);
const isList = (/** @type {any} */ value, /** @type {number} */ most, /** @type {(item: any) => boolean} */ each) => Array.isArray(value) && value.length <= most && value.every(each);

/**
 * The match if it has the form of one, with nothing else in it; else null.
 * @param {any} kept
 * @returns {Kept | null}
 */
function checked(kept) {
  if (kept === null || typeof kept !== 'object') return null;
  const { match, scheme, seal, at, before, rolls, clients, games, server, record, receipts, evidence, differs, seat } = kept;
  const good = isText(match, 64) && /^[A-Za-z0-9._-]+$/.test(match) && match !== '__proto__' && ['tavli/1', 'yayay/1', 'veridice/1'].includes(scheme) &&
    (seal === '' || (typeof seal === 'string' && /^[0-9a-f]{64}$/.test(seal))) && (at === '' || (isText(at, 40) && !Number.isNaN(Date.parse(at)))) &&
    isCount(before) && isList(rolls, mostRolls, (roll) => isList(roll, 101, isCount) && roll.length > 1) &&
    isList(clients, 16, (client) => client === '' || clientFault(client) === null) && isList(games, mostRolls, isCount) &&
    (server === null || isHex(server)) && isText(record) &&
    isList(receipts, mostRolls, (r) => isText(r?.roll) && isText(r?.head)) &&
    isList(evidence, 1000, (e) => isText(e?.code, 40) && isList(e?.notes, 2, (note) => isText(note))) &&
    typeof differs === 'boolean' && (seat === null || isCount(seat));
  if (!good) return null;
  return {
    match, scheme, seal, at, before, rolls, clients, games, server, record, differs, seat,
    receipts: receipts.map((/** @type {any} */ r) => ({ roll: r.roll, head: r.head })), evidence: evidence.map((/** @type {any} */ e) => ({ code: e.code, notes: e.notes })),
  };
}

/**
 * A file of matches.
 * @param {Kept[]} matches
 * @param {string} now RFC 3339
 */
export function writeFile(matches, now) {
  return JSON.stringify({ format: FORMAT, exported: now, matches: matches.map(checked) }, null, 1) + '\n';
}

/**
 * Reads a file of matches.
 * @param {string} text
 * @returns {{matches: Kept[], fault: null} | {matches: null, fault: {code: 'json' | 'format' | 'match', number: number}}}
 *   number of the match at fault, from 1
 */
export function readFile(text) {
  const refuse = (/** @type {'json' | 'format' | 'match'} */ code, number = 0) => ({ matches: null, fault: { code, number } });
  /** @type {any} */
  let file;
  try {
    file = JSON.parse(text);
  } catch {
    return refuse('json');
  }
  if (file?.format !== FORMAT || !isList(file.matches, mostMatches, () => true)) return refuse('format');
  const matches = file.matches.map(checked);
  const bad = matches.indexOf(null);
  return bad >= 0 ? refuse('match', bad + 1) : { matches, fault: null };
}

/**
 * The record of a match from what this phone saw of it.
 * @param {Kept} kept
 * @returns {string | null} null if nothing can be made of it yet
 */
export function recordOf({ match, scheme, seal, rolls, clients, games, server, record }) {
  if (record !== '') return record;
  const tavli = scheme === 'tavli/1';
  if (scheme === 'veridice/1' || rolls.length === 0 || (tavli && (clients.length === 0 || clients.includes('')))) return null;
  const begun = games.filter((count) => count > 0);
  /** @type {Set<number>} numbers of the rolls that begin a game */
  const firsts = new Set();
  let first = 1;
  for (const count of begun) {
    firsts.add(first);
    first += count;
  }
  const marked = tavli && first === rolls.length + 1;
  /** @type {any} */
  const made = {
    record: 1, scheme, match, seal: seal || null, ...(tavli ? { clients } : {}),
    entries: rolls.flatMap(([roll, ...dice], i) => [...(marked && firsts.has(i + 1) ? [{ type: 'game' }] : []), { type: 'roll', roll, dice }]),
    seed: server, rolls: rolls.length, state: server === null ? 'running' : 'finished',
  };
  return writeRecord({ ...made, sum: sumOf(made) });
}

/**
 * Checks a match by what was kept of it.
 * @param {Kept} kept
 * @returns {Promise<import('../verifier/veridice.mjs').Report | null>} null if there is nothing to check yet
 */
export async function check(kept) {
  const text = recordOf(kept);
  if (text === null) return null;
  const last = kept.receipts.at(-1);
  const seal = kept.before === 0 && kept.seal !== '' ? { seal: kept.seal, kept: true } : {};
  return verifyAsync(text, { ...seal, ...(kept.record !== '' && last ? { heads: [last.head] } : {}) });
}
