// What the tests of the table put in place of a browser.

/** A Storage; `full` makes every write fail. */
export function fakeStorage({ full = false } = {}) {
  const items = new Map();
  return {
    full,
    getItem: (key) => items.get(key) ?? null,
    setItem(key, value) {
      if (this.full) throw new DOMException('full', 'QuotaExceededError');
      items.set(key, String(value));
    },
    removeItem: (key) => { items.delete(key); },
  };
}

/** An EventTarget with the visibility of a document. */
export class FakePage extends EventTarget {
  visibilityState = 'visible';

  show(visible) {
    this.visibilityState = visible ? 'visible' : 'hidden';
    this.dispatchEvent(new Event('visibilitychange'));
  }
}

/** Makes an EventSource class that lists what was opened. */
export function fakeEventSource() {
  const opened = [];
  class Fake {
    static CLOSED = 2;

    readyState = 0;

    constructor(url) {
      this.url = url;
      opened.push(this);
    }

    close() { this.readyState = 2; }

    connect() { this.readyState = 1; this.onopen?.(); }

    send(event) { this.onmessage?.({ data: JSON.stringify(event) }); }

    fail(readyState) { this.readyState = readyState; this.onerror?.(); }
  }
  return { EventSource: Fake, opened };
}

/** Timers that run when told to. */
export function fakeTimers() {
  let waiting = [];
  return {
    setTimeout: (run, ms) => { const timer = { run, ms }; waiting.push(timer); return timer; },
    clearTimeout: (timer) => { waiting = waiting.filter((t) => t !== timer); },
    /** Runs the only timer there is and returns how long it would have waited. */
    tick() {
      if (waiting.length !== 1) throw new Error(`${waiting.length} timers wait, want 1`);
      const [{ run, ms }] = waiting.splice(0);
      run();
      return ms;
    },
    get waiting() { return waiting.length; },
  };
}
