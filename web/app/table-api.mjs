// Requests of the table. Every POST has an idempotency key that is stored before it is sent: whatever happens between
// the tap and the answer, asking again with the same key is asking for the same thing.

/**
 * @typedef {{status: number, code: string, field: string, args: {[name: string]: any}}} Problem
 * @typedef {{ok: true, body: any} | {ok: false, problem: Problem}} Answer
 */

const FIRST_PAUSE = 300;
const LONGEST_PAUSE = 10_000;
const PATIENCE = 15_000;

// Answers that say nothing about the request: it may have been carried out or not, so it is sent again.
const AGAIN = new Set([408, 425, 429]);

/**
 * @param {{
 *   match: string, token: string|null, storage: ReturnType<typeof import('./table-storage.mjs').openStorage>,
 *   fetch: typeof fetch, newKey: () => string, pause: (ms: number) => Promise<void>, onTrouble?: () => void,
 * }} given newKey gives 32 random hex digits; pause waits, or less when the network comes back
 */
export function openApi({ match, token, storage, fetch, newKey, pause, onTrouble = () => {} }) {
  const base = `/v1/matches/${match}`;
  /** @type {Map<string, Promise<Answer>>} */
  const running = new Map();

  return { base, snapshot, record, post, unanswered };

  /** @returns {Promise<Answer>} */
  function snapshot() {
    return patiently(() => ask(base, { headers: authorization() }));
  }

  /**
   * The server's record as text.
   * @returns {Promise<Answer>}
   */
  function record() {
    return patiently(() => ask(`${base}/record`, {}, (response) => response.text()));
  }

  /**
   * Sends a request until it is answered. The same action with the same body that is still unanswered, from an earlier
   * tap, before a reload, or in another tab of this seat, is the same request.
   * @param {string} action such as roll or end/withdraw
   * @param {object} body
   * @returns {Promise<Answer>}
   */
  function post(action, body) {
    const slot = `${action} ${JSON.stringify(body)}`;
    let request = running.get(slot);
    if (!request) {
      request = send(slot, action, body).finally(() => running.delete(slot));
      running.set(slot, request);
    }
    return request;
  }

  /** Requests that were begun before this page was loaded. */
  function unanswered() {
    return Object.values(storage.readSlots(match, token)).map(({ action, body }) => ({ action, body }));
  }

  async function send(slot, action, body) {
    const key = storage.readSlots(match, token)[slot]?.key ?? newKey();
    storage.writeSlot(match, token, slot, { key, action, body });
    const answer = await patiently(() => ask(`${base}/${action}`, {
      method: 'POST',
      headers: { ...authorization(), 'Content-Type': 'application/json', 'Idempotency-Key': key },
      body: JSON.stringify(body),
    }));
    storage.clearSlot(match, token, slot);
    return answer;
  }

  function authorization() {
    return token === null ? {} : { Authorization: `Bearer ${token}` };
  }

  async function patiently(attempt) {
    for (let wait = FIRST_PAUSE; ; wait = Math.min(wait * 2, LONGEST_PAUSE)) {
      const answer = await attempt();
      if (answer !== null) return answer;
      onTrouble();
      await pause(wait);
    }
  }

  /** One attempt; null if it has to be made again. */
  async function ask(path, init, read = (response) => response.json()) {
    const giveUp = new AbortController();
    const timer = setTimeout(() => giveUp.abort(), PATIENCE); // a socket that died in a tunnel answers never
    try {
      const response = await fetch(path, { ...init, cache: 'no-store', signal: giveUp.signal });
      if (response.status >= 500 || AGAIN.has(response.status)) return null;
      if (response.ok) return { ok: true, body: await read(response) };
      const problem = await response.json().catch(() => ({}));
      return {
        ok: false,
        problem: {
          status: response.status, code: problem.code ?? 'internal', field: problem.field ?? '', args: problem.args ?? {},
        },
      };
    } catch {
      return null; // no network, or an answer cut in the middle
    } finally {
      clearTimeout(timer);
    }
  }
}
