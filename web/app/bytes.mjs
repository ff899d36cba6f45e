// The bytes of a block, drawn.
import { el } from './dom.mjs';

/**
 * Bytes with those struck through that are left out, and those underlined that count.
 * @param {string} hex
 * @param {number[]} skipped positions
 * @param {number} from the first that counts
 * @param {number} count
 */
export function bytes(hex, skipped, from, count) {
  return el('span', { class: 'hex' }, (hex.match(/../g) ?? []).map((byte, i) => {
    const sep = i === 0 ? '' : ' ';
    if (skipped.includes(i)) return [sep, el('s', {}, byte)];
    return i >= from && i < from + count ? [sep, el('mark', {}, byte)] : sep + byte;
  }));
}
