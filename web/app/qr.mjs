// QR codes, made in the page: a fragment may go to no server. The encoder is loaded
// with the first code that is shown and never before.
import { el } from './dom.mjs';
import { say } from './words.mjs';

const quiet = 4; // modules of the border, as readers need it
const mostBytes = 2953; // of a text, in the largest code at the lowest level of correction

/**
 * The modules of a code as a path: one rectangle for each run of dark ones.
 * @param {boolean[][]} rows
 */
export function pathOf(rows) {
  let path = '';
  rows.forEach((row, y) => {
    for (let x = 0; x < row.length; x++) {
      const from = x;
      while (row[x]) x++;
      if (x > from) path += `M${from} ${y}h${x - from}v1h-${x - from}z`;
    }
  });
  return path;
}

/**
 * A QR code, always dark on white, or null if the text is too long for one.
 * @param {string} text
 * @param {string} label what it leads to
 */
export async function qrCode(text, label) {
  if (new TextEncoder().encode(text).length > mostBytes) return null;
  const { encodeQR } = await import('../vendor/qr/index.js');
  const rows = encodeQR(text, 'raw', { ecc: 'low', border: quiet });
  const box = `0 0 ${rows.length} ${rows.length}`;
  return el('div', { class: 'qr' }, el('svg', { viewBox: box, class: rows.length > 60 ? 'large' : null, role: 'img', 'aria-label': say('ui.qr') + ', ' + label, 'shape-rendering': 'crispEdges' },
    el('path', { d: pathOf(rows), fill: 'currentColor' })));
}
