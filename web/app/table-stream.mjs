// The events of a match, as they happen. A browser reconnects by itself after most failures, but not after a bad
// answer such as a 502, and not when a phone slept: then a new stream is opened from the last event that was seen.

const FIRST_PAUSE = 250;
const LONGEST_PAUSE = 15_000;

/**
 * @param {{
 *   address: (after: number) => string, last: () => number, onEvent: (event: any) => boolean,
 *   onConnected: (connected: boolean) => void, always?: boolean,
 *   EventSource: typeof EventSource, document: Document, window: Window,
 *   setTimeout: typeof setTimeout, clearTimeout: typeof clearTimeout, random: () => number,
 * }} given onEvent returns true if an event is missing before this one; onConnected hears once
 *   of a connection that is lost, however often an attempt to get it back fails; always keeps the stream of a hidden tab, for a
 *   phone whose part is awaited whether anybody looks at it or not
 */
export function openStream({
  address, last, onEvent, onConnected, always = false, EventSource, document, window, setTimeout, clearTimeout, random,
}) {
  /** @type {EventSource|null} */
  let source = null;
  let pause = FIRST_PAUSE;
  let timer;
  let closed = false;
  let missed = false; // the connection, and whoever asked knows

  window.addEventListener('online', reopen);
  window.addEventListener('offline', lost);
  window.addEventListener('pageshow', shown);
  document.addEventListener('visibilitychange', visible);
  if (!idle()) open();

  return { close };

  function open() {
    stop();
    const opened = new EventSource(address(last()));
    source = opened;
    opened.onopen = () => {
      missed = false;
      onConnected(true);
    };
    opened.onmessage = (message) => {
      if (opened !== source) return;
      if (onEvent(JSON.parse(message.data))) later(); // a gap: ask again from the last one seen
      else pause = FIRST_PAUSE;
    };
    opened.onerror = () => {
      if (opened !== source) return;
      miss();
      if (opened.readyState === EventSource.CLOSED) later();
    };
  }

  function later() {
    stop();
    timer = setTimeout(open, pause + random() * pause);
    pause = Math.min(pause * 2, LONGEST_PAUSE);
  }

  function stop() {
    clearTimeout(timer);
    source?.close();
    source = null;
  }

  function reopen() {
    if (closed || idle()) return;
    pause = FIRST_PAUSE;
    open();
  }

  function lost() {
    miss();
    stop();
  }

  function miss() {
    if (!missed) onConnected(false);
    missed = true;
  }

  function shown(event) {
    if (event.persisted) reopen();
  }

  // Six connections to a host is all HTTP/1.1 allows, for all tabs together: a tab nobody looks at gives its one back.
  function visible() {
    if (idle()) stop();
    else if (document.visibilityState === 'visible') reopen(); // a socket that died while the phone slept tells nobody
  }

  function idle() {
    return !always && document.visibilityState === 'hidden';
  }

  function close() {
    closed = true;
    stop();
    window.removeEventListener('online', reopen);
    window.removeEventListener('offline', lost);
    window.removeEventListener('pageshow', shown);
    document.removeEventListener('visibilitychange', visible);
  }
}
