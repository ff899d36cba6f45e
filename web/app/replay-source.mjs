// Where a match comes from: the server, this browser, an address, a file, a paste.
import { openApi } from './table-api.mjs';
import { openStorage } from './table-storage.mjs';

/**
 * @typedef {{text: string, id: string, events: Promise<any[]>}} Found
 *   the record or link; the match's id on this server or ''; the server's events, [] if there are none
 * @typedef {{fault: 'running' | 'unknown' | 'refused' | 'nothing', id: string, status: number}} Missing
 */

/**
 * Asks the server for a match that is over. It asks until it is answered.
 * @param {string} id
 * @param {() => void} onTrouble
 * @returns {Promise<Found | Missing>}
 */
export async function fromServer(id, onTrouble) {
  const api = openApi({
    match: id, token: null, storage: openStorage(() => localStorage), fetch: (path, init) => fetch(path, init), newKey: () => '',
    pause: (ms) => new Promise((done) => setTimeout(done, ms)), onTrouble,
  });
  const snapshot = await api.snapshot();
  if (!snapshot.ok) return { fault: snapshot.problem.status === 404 ? 'unknown' : 'refused', id, status: snapshot.problem.status };
  if (!['finished', 'aborted'].includes(snapshot.body.state)) return { fault: 'running', id, status: 0 };
  const record = await api.record();
  if (!record.ok) return { fault: 'nothing', id, status: record.problem.status }; // given up before there was anything to record
  return { text: record.body, id, events: eventsOf(`${api.base}/events?after=0`, snapshot.body.last) };
}

/**
 * The events of a match that is over, as many as come. Times and names are all that is lost without them.
 * @param {string} address
 * @param {number} last
 * @returns {Promise<any[]>}
 */
function eventsOf(address, last) {
  return new Promise((done) => {
    /** @type {any[]} */
    const events = [];
    const source = new EventSource(address);
    const end = () => {
      source.close();
      done(events);
    };
    source.onmessage = (message) => {
      const event = JSON.parse(message.data);
      if (event.event === events.length + 1) events.push(event);
      if (event.event >= last) end();
    };
    source.onerror = end;
  });
}
