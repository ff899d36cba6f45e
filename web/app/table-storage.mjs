// What stays on this phone. One place decides where things lie and what happens when the browser refuses storage:
// then everything is kept in memory, `kept` is false, and the page says so before the start.

const NOTES = 'veridice.matches';
const PENDING = 'veridice.pending.';
const CREATED = 'veridice.created.';

/**
 * @param {() => Storage} open gives localStorage; a browser may throw already here
 */
export function openStorage(open) {
  /** @type {Map<string, string>} */
  const memory = new Map();
  /** @type {Storage|null} */
  let storage = null;
  try {
    storage = open();
    storage.setItem('veridice.try', '1');
    storage.removeItem('veridice.try');
  } catch {
    storage = null;
  }

  const shelf = {
    kept: storage !== null,
    readNote, writeNote, readSlots, writeSlot, clearSlot, readCreated,
  };
  return shelf;

  function get(key) {
    let text = memory.get(key) ?? null;
    try {
      if (text === null && storage) text = storage.getItem(key);
      const value = text === null ? {} : JSON.parse(text);
      return value !== null && typeof value === 'object' && !Array.isArray(value) ? value : {};
    } catch {
      return {}; // somebody else's text under our key: as good as nothing
    }
  }

  function put(key, value) {
    const text = Object.keys(value).length > 0 ? JSON.stringify(value) : null;
    try {
      if (!storage) throw new Error('no storage');
      if (text === null) storage.removeItem(key);
      else storage.setItem(key, text);
      memory.delete(key);
    } catch {
      shelf.kept = false; // full or taken away in mid-match: from here on memory is the truth for this key
      memory.set(key, text ?? '{}');
    }
  }

  /** What this phone saw of a match, or null. Another tab may have written since: always read again. */
  function readNote(match) {
    return get(NOTES)[match] ?? null;
  }

  function writeNote(match, note) {
    put(NOTES, { ...get(NOTES), [match]: note });
  }

  /**
   * Requests of one seat that were begun and not answered, by slot ("roll 12"): the key and the body they were sent with.
   * @returns {{[slot: string]: {key: string, action: string, body: object}}}
   */
  function readSlots(match, token) {
    return get(PENDING + match)[token] ?? {};
  }

  function writeSlot(match, token, slot, request) {
    put(PENDING + match, {
      ...get(PENDING + match), [token]: { ...readSlots(match, token), [slot]: request },
    });
  }

  function clearSlot(match, token, slot) {
    const { [slot]: _gone, ...rest } = readSlots(match, token);
    const { [token]: _seat, ...seats } = get(PENDING + match);
    put(PENDING + match, Object.keys(rest).length > 0 ? { ...seats, [token]: rest } : seats);
  }

  /** The seats' tokens, on the phone that created the table; the home page writes them. */
  function readCreated(match) {
    return get(CREATED + match);
  }
}
