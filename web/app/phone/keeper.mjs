// What a phone must never forget, because a second answer to one question would be a second try for the others: each
// value is put under its key once, durably, and never changed. docs/spec/veridice-1.md, sections 2 to 4.

/**
 * once puts a value where none is and resolves to the one that is kept, that or an earlier one, as soon as it would
 * survive a crash; of two tabs at the same moment one wins, and both are told which. Everything rejects where storage
 * fails. kept is false if what is put will not outlive the page.
 * @typedef {object} Keeper
 * @property {boolean} kept
 * @property {(key: string, value: any) => Promise<any>} once
 * @property {(key: string) => Promise<any>} get undefined if there is nothing
 * @property {(prefix: string) => Promise<{key: string, value: any}[]>} list by key, ascending
 */

const DATABASE = 'veridice.phone';
const SHELF = 'once';

/**
 * A keeper in memory, for play alone and for browsers that refuse to store.
 * @param {{kept?: boolean}} [given] kept may be said to be true where all parties live as long as the page
 * @returns {Keeper}
 */
export function mapKeeper({ kept = false } = {}) {
  /** @type {Map<string, string>} as text, so that nobody holds what is kept and changes it */
  const shelf = new Map();
  const read = (/** @type {string} */ key) => {
    const text = shelf.get(key);
    return text === undefined ? undefined : JSON.parse(text);
  };
  return {
    kept,
    async once(key, value) {
      if (!shelf.has(key)) shelf.set(key, JSON.stringify(value));
      return read(key);
    },
    get: async (key) => read(key),
    list: async (prefix) => [...shelf.keys()].filter((key) => key.startsWith(prefix)).sort().map((key) => ({ key, value: read(key) })),
  };
}

/**
 * The keeper of this browser. Where it refuses, one in memory with kept false: a phone does not join with that.
 * @param {() => IDBFactory | undefined} factory gives window.indexedDB; a browser may throw already there
 * @param {StorageManager} [storage] navigator.storage, on https: asked not to clear this away when space is short
 * @returns {Promise<Keeper>}
 */
export async function openKeeper(factory, storage) {
  try {
    const from = factory();
    if (!from) throw new Error('no IndexedDB');
    const database = await open(from);
    await done(database, 'readwrite', (shelf) => shelf.put(1, 'try'));
    await done(database, 'readwrite', (shelf) => shelf.delete('try'));
    storage?.persist?.().catch(() => {}); // a wish: what is kept is durable without it too, until space runs out
    return browserKeeper(database);
  } catch {
    return mapKeeper();
  }
}

/** @param {IDBFactory} factory @returns {Promise<IDBDatabase>} */
function open(factory) {
  return new Promise((resolve, reject) => {
    const request = factory.open(DATABASE, 1);
    request.onupgradeneeded = () => request.result.createObjectStore(SHELF);
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
    request.onblocked = () => reject(new Error('blocked'));
  });
}

/**
 * Runs a transaction and resolves to the result of the request it returns, when it is on the disk.
 * @param {IDBDatabase} database
 * @param {IDBTransactionMode} mode
 * @param {(shelf: IDBObjectStore) => IDBRequest | {result: any}} work
 * @returns {Promise<any>}
 */
function done(database, mode, work) {
  return new Promise((resolve, reject) => {
    const transaction = database.transaction(SHELF, mode, { durability: 'strict' });
    const request = work(transaction.objectStore(SHELF));
    transaction.oncomplete = () => resolve(request.result);
    transaction.onabort = () => reject(transaction.error ?? new Error('aborted'));
    transaction.onerror = () => reject(transaction.error);
  });
}

/** @param {IDBDatabase} database @returns {Keeper} */
function browserKeeper(database) {
  return {
    kept: true,
    once: (key, value) => done(database, 'readwrite', (shelf) => {
      const kept = { result: value };
      const request = shelf.get(key);
      // Transactions that write one store run one after the other, those of other tabs too.
      request.onsuccess = () => {
        if (request.result === undefined) shelf.add(value, key);
        else kept.result = request.result;
      };
      return kept;
    }),
    get: (key) => done(database, 'readonly', (shelf) => shelf.get(key)),
    async list(prefix) {
      const range = IDBKeyRange.bound(prefix, prefix + '\uffff');
      /** @type {{key: string, value: any}[]} */
      const all = [];
      await done(database, 'readonly', (shelf) => {
        const request = shelf.openCursor(range);
        request.onsuccess = () => {
          const cursor = request.result;
          if (cursor === null) return;
          all.push({ key: String(cursor.key), value: cursor.value });
          cursor.continue();
        };
        return request;
      });
      return all;
    },
  };
}
