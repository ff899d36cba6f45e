/**
 * SHA-256 (FIPS 180-4) and HMAC (RFC 2104), synchronous, because crypto.subtle is
 * missing on plain http and because whoever doubts a verdict must be able to read
 * everything that it rests on. Bytes in, bytes out; nothing here throws.
 */

// The first 32 bits of the fractional parts of the cube roots of the first 64 primes.
const K = new Int32Array([
  0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
  0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
  0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
  0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
  0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
  0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
  0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
  0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
]);

// The same of the square roots of the first eight primes: the state at the start.
const START = new Int32Array([
  0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
]);

const schedule = new Int32Array(64);

/**
 * Works the 64 bytes of `bytes` at `offset` into the state.
 * @param {Int32Array} state eight words, changed in place
 * @param {Uint8Array} bytes
 * @param {number} offset
 */
function compress(state, bytes, offset) {
  const w = schedule;
  for (let t = 0; t < 16; t++, offset += 4) {
    w[t] = (bytes[offset] << 24) | (bytes[offset + 1] << 16) | (bytes[offset + 2] << 8) | bytes[offset + 3];
  }
  for (let t = 16; t < 64; t++) {
    const x = w[t - 15], y = w[t - 2];
    const s0 = ((x >>> 7) | (x << 25)) ^ ((x >>> 18) | (x << 14)) ^ (x >>> 3);
    const s1 = ((y >>> 17) | (y << 15)) ^ ((y >>> 19) | (y << 13)) ^ (y >>> 10);
    w[t] = (w[t - 16] + s0 + w[t - 7] + s1) | 0;
  }
  let a = state[0], b = state[1], c = state[2], d = state[3];
  let e = state[4], f = state[5], g = state[6], h = state[7];
  for (let t = 0; t < 64; t++) {
    const s1 = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7));
    const t1 = (h + s1 + ((e & f) ^ (~e & g)) + K[t] + w[t]) | 0;
    const s0 = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10));
    const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    h = g; g = f; f = e; e = (d + t1) | 0; d = c; c = b; b = a; a = (t1 + t2) | 0;
  }
  state[0] += a; state[1] += b; state[2] += c; state[3] += d;
  state[4] += e; state[5] += f; state[6] += g; state[7] += h;
}

/**
 * A hash that has taken in some bytes. What it has taken in is kept, so that many
 * messages with one beginning cost only their ends.
 */
export class Sha256 {
  constructor() {
    this.state = START.slice();
    this.rest = new Uint8Array(0); // what does not fill a block of 64 bytes yet
    this.length = 0; // in bytes
  }

  /**
   * Takes in more bytes.
   * @param {Uint8Array} bytes
   * @returns {this}
   */
  add(bytes) {
    this.length += bytes.length;
    const all = new Uint8Array(this.rest.length + bytes.length);
    all.set(this.rest);
    all.set(bytes, this.rest.length);
    const whole = all.length - (all.length % 64);
    for (let offset = 0; offset < whole; offset += 64) compress(this.state, all, offset);
    this.rest = all.slice(whole);
    return this;
  }

  /**
   * The hash of everything taken in and `tail` after it. The kept state stays as it is.
   * @param {Uint8Array} [tail]
   * @returns {Uint8Array} 32 bytes
   */
  finish(tail = new Uint8Array(0)) {
    const state = this.state.slice();
    const length = this.length + tail.length;
    const used = this.rest.length + tail.length;
    // The message ends with a bit 1, bits 0, and its length in bits as eight bytes.
    const last = new Uint8Array(used + 9 + ((119 - (used % 64)) % 64));
    last.set(this.rest);
    last.set(tail, this.rest.length);
    last[used] = 0x80;
    const view = new DataView(last.buffer);
    view.setUint32(last.length - 8, Math.floor(length / 0x20000000));
    view.setUint32(last.length - 4, length << 3);
    for (let offset = 0; offset < last.length; offset += 64) compress(state, last, offset);
    const hash = new Uint8Array(32);
    const out = new DataView(hash.buffer);
    state.forEach((word, i) => out.setInt32(4 * i, word));
    return hash;
  }
}

/**
 * @param {Uint8Array} bytes
 * @returns {Uint8Array} 32 bytes
 */
export function sha256(bytes) {
  return new Sha256().finish(bytes);
}

/** HMAC-SHA-256 under one key, with the beginning of its messages kept as in Sha256. */
export class Hmac {
  /** @param {Uint8Array} key of any length; more than 64 bytes are hashed first */
  constructor(key) {
    const block = new Uint8Array(64);
    block.set(key.length > 64 ? sha256(key) : key);
    this.inner = new Sha256().add(block.map((byte) => byte ^ 0x36));
    this.outer = new Sha256().add(block.map((byte) => byte ^ 0x5c));
  }

  /**
   * Takes in the beginning of the messages.
   * @param {Uint8Array} bytes
   * @returns {this}
   */
  add(bytes) {
    this.inner.add(bytes);
    return this;
  }

  /**
   * The MAC of everything taken in and `tail` after it. The kept state stays as it is.
   * @param {Uint8Array} [tail]
   * @returns {Uint8Array} 32 bytes
   */
  finish(tail) {
    return this.outer.finish(this.inner.finish(tail));
  }
}

/**
 * @param {Uint8Array} key
 * @param {Uint8Array} message
 * @returns {Uint8Array} 32 bytes
 */
export function hmac(key, message) {
  return new Hmac(key).finish(message);
}
