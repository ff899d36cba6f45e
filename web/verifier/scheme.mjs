/**
 * Seeds and a number make blocks of 32 bytes. docs/spec/schemes.md,
 * "Four rules make a scheme".
 *
 *   scheme    seal covers   block c of number n
 *   tavli/1   seed bytes    HMAC(seed bytes, client seeds joined by ":", c times "+", ":", n)
 *   yayay/1   seed bytes    SHA-256(seed bytes, n as four bytes, most significant first);
 *                           there is only block 0
 *   shuffle/1 seed text     HMAC(seed text, client seed, ":", n, ":", c)
 *
 * tavli/1 numbers rolls from 1, yayay/1 numbers dice from 0, shuffle/1 takes any nonce.
 * Matches are of the first two; the blocks of shuffle/1 are for pages that explain it.
 */
import { Hmac, Sha256 } from './sha256.mjs';
import { fromHex, toBytes } from './seed.mjs';

/**
 * A source gives block c of a number.
 * @typedef {(number: number, c: number) => Uint8Array} Source
 */

/**
 * What tavli/1 asks HMAC for.
 * @param {string[]} clients
 * @param {number} number of the roll, 1 to 2^53 - 1
 * @param {number} c of the block
 * @returns {string}
 */
export function tavliMessage(clients, number, c) {
  return clients.join(':') + tavliTail(number, c);
}

/**
 * @param {number} number
 * @param {number} c
 * @returns {string}
 */
function tavliTail(number, c) {
  // 0 is no roll, but the reading numbers-from-0 asks for it.
  if (!Number.isSafeInteger(number) || number < 0) throw new RangeError('roll number outside 0 to 2^53 - 1');
  return '+'.repeat(c) + ':' + number;
}

/**
 * The blocks of tavli/1. The states after the key and after the client seeds are kept:
 * a roll costs two compressions.
 * @param {Uint8Array} key
 * @param {string[]} clients
 * @returns {Source}
 */
export function tavliBlocks(key, clients) {
  const mac = new Hmac(key).add(toBytes(clients.join(':')));
  return (number, c) => mac.finish(toBytes(tavliTail(number, c)));
}

/**
 * The blocks of tavli/1 with another function in the place of HMAC, for tests of
 * what chance never reaches.
 * @param {(key: Uint8Array, message: Uint8Array) => Uint8Array} mac
 * @param {Uint8Array} key
 * @param {string[]} clients
 * @returns {Source}
 */
export function tavliBlocksWith(mac, key, clients) {
  return (number, c) => mac(key, toBytes(tavliMessage(clients, number, c)));
}

/**
 * The number of a die of yayay/1 as it is hashed.
 * @param {number} die 0 to 2^32 - 1
 * @param {boolean} [littleEndian] the other reading, for a diagnosis
 * @returns {Uint8Array} four bytes
 */
export function yayayNumber(die, littleEndian = false) {
  if (!Number.isInteger(die) || die < 0 || die > 0xffffffff) throw new RangeError('die number outside 0 to 2^32 - 1');
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setUint32(0, die, littleEndian);
  return bytes;
}

/**
 * The blocks of yayay/1.
 * @param {string} server hex
 * @param {boolean} [littleEndian] the other reading of the number
 * @returns {(die: number) => Uint8Array}
 */
export function yayayBlocks(server, littleEndian = false) {
  const hash = new Sha256().add(fromHex(server));
  return (die) => hash.finish(yayayNumber(die, littleEndian));
}

/**
 * The blocks of shuffle/1. Both seeds are texts and count byte for byte; the server seed
 * is the key as it stands, never decoded.
 * @param {string} server 1 to 1,024 bytes
 * @param {string} client 0 to 1,024 bytes
 * @returns {Source} for nonces 0 to 2^53 - 1
 */
export function floatBlocks(server, client) {
  const utf8 = new TextEncoder();
  const key = utf8.encode(server);
  const part = utf8.encode(client);
  if (key.length < 1 || key.length > 1024) throw new RangeError('server seed outside 1 to 1,024 bytes');
  if (part.length > 1024) throw new RangeError('client seed longer than 1,024 bytes');
  const mac = new Hmac(key).add(part);
  return (nonce, c) => {
    if (!Number.isSafeInteger(nonce) || nonce < 0) throw new RangeError('nonce outside 0 to 2^53 - 1');
    return mac.finish(toBytes(`:${nonce}:${c}`));
  };
}
