/**
 * Uniform numbers out of blocks. Nothing here knows a seed.
 */

/**
 * A byte below 252 and how it was found.
 * @typedef {object} Draw
 * @property {number} value the byte
 * @property {number} block that holds it, from 0
 * @property {number} position in the block, from 0
 * @property {Uint8Array[]} blocks all that were looked at
 */

/**
 * The first byte below 252 = 7 x 36, by position, of block 0; if there is none, of
 * block 1, and so on. Each of the 36 remainders comes from exactly 7 of the bytes kept.
 * @param {(c: number) => Uint8Array} blockOf
 * @returns {Draw}
 */
export function byteBelow252(blockOf) {
  const blocks = [];
  for (let block = 0; ; block++) {
    const bytes = blockOf(block);
    blocks.push(bytes);
    for (let position = 0; position < bytes.length; position++) {
      if (bytes[position] < 252) return { value: bytes[position], block, position, blocks };
    }
  }
}

/**
 * The first four bytes of a block as one number.
 * @param {Uint8Array} block
 * @param {boolean} [littleEndian] the other reading, for a diagnosis
 * @returns {number} 0 to 2^32 - 1
 */
export function firstWord(block, littleEndian = false) {
  return new DataView(block.buffer, block.byteOffset, 4).getUint32(0, littleEndian);
}

/**
 * Words of a stream of blocks, from a byte on.
 * @param {(c: number) => Uint8Array} blockOf
 * @param {number} cursor of the first byte
 * @param {number} count
 * @returns {number[]}
 */
export function words(blockOf, cursor, count) {
  /** @type {number[]} */
  const bytes = [];
  for (let c = Math.floor(cursor / 32); bytes.length < (cursor % 32) + 4 * count; c++) bytes.push(...blockOf(c));
  const used = Uint8Array.from(bytes.slice(cursor % 32));
  return Array.from({ length: count }, (_, i) => firstWord(used.subarray(4 * i)));
}

/**
 * floor(word x n / 2^32), the index 0 to n - 1 that a word of a stream stands for.
 * @param {number} word
 * @param {number} n 1 to 2^32
 * @returns {number}
 */
export function index(word, n) {
  return Number((BigInt(word) * BigInt(n)) >> 32n); // the product has up to 64 bits
}
