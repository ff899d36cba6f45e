// What this phone's browser can do. Plain http leaves some of it out; then the page hides what cannot work.

/** Whether there is a source of random numbers. Without one no seed is made: there is no second best. */
export const canDraw = typeof globalThis.crypto?.getRandomValues === 'function';

/**
 * Bytes of the operating system's generator.
 * @param {number} length
 */
export const drawBytes = (length) => crypto.getRandomValues(new Uint8Array(length));

/** 16 random bytes as 32 hex digits: a client seed, or an idempotency key. */
export function drawHex() {
  return Array.from(drawBytes(16), (b) => b.toString(16).padStart(2, '0')).join('');
}

export const canShare = typeof navigator.share === 'function';

export const canStayAwake = 'wakeLock' in navigator;

/** Whether the page came in a way that leaves parts of the browser out. */
export const isPlain = !isSecureContext;

/**
 * Keeps the screen on while a match runs and the page is looked at. A browser that refuses does so silently: the phone
 * then sleeps as always.
 */
export function openWakeLock() {
  let wanted = false;
  /** @type {Promise<any>|null} */
  let lock = null;
  const hold = () => {
    if (!wanted || lock || document.visibilityState !== 'visible' || !canStayAwake) return;
    lock = navigator.wakeLock.request('screen').then((l) => {
      l.addEventListener('release', () => { lock = null; });
      return l;
    }).catch(() => { lock = null; });
  };
  document.addEventListener('visibilitychange', hold);
  return {
    /** @param {boolean} on */
    want(on) {
      wanted = on;
      if (on) hold();
      else lock?.then((l) => l?.release());
    },
  };
}
