// How long a phone may still take. The server says when something began, by its clock; this phone counts by its own,
// so the difference of the two is taken from the events that come as they happen. Pure, but for the time handed in.

/**
 * How far this phone's clock is ahead of the server's, in milliseconds, from events that have just come: the smallest
 * difference had the shortest way.
 * @param {number|null} known
 * @param {string} at the server's time of an event, RFC 3339
 * @param {number} now
 */
export function ahead(known, at, now) {
  const difference = now - Date.parse(at);
  if (Number.isNaN(difference)) return known;
  return known === null ? difference : Math.min(known, difference);
}

/**
 * The moment, by this phone's clock, until which a part may come.
 * @param {string} since the server's time
 * @param {number} wait seconds
 * @param {number|null} difference as `ahead` gives it
 */
export const deadline = (since, wait, difference) => Date.parse(since) + 1000 * wait + (difference ?? 0);

/**
 * The time left as it is shown, 1:05 or 2:00:00; 0:00 when it is over.
 * @param {number} ms
 */
export function left(ms) {
  const seconds = Math.max(0, Math.ceil(ms / 1000));
  const two = (/** @type {number} */ n) => String(n).padStart(2, '0');
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  return (hours > 0 ? `${hours}:${two(minutes)}` : String(minutes)) + ':' + two(seconds % 60);
}
