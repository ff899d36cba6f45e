// A link for somebody else: to send, to copy, or to scan from this screen.
import { qrCode } from './qr.mjs';
import { el } from './dom.mjs';
import { say } from './words.mjs';
import { copyButton } from './table-parts.mjs';
import { canShare } from './table-phone.mjs';

/**
 * @param {string} title what the link is for
 * @param {string} address
 */
export function seatLink(title, address) {
  const code = el('div');
  const draw = async () => {
    try {
      const drawn = await qrCode(address, title);
      if (drawn) code.replaceChildren(drawn);
    } catch {
      code.replaceChildren(el('p', { class: 'small' }, say('ui.qr.failed')));
    }
  };
  // A share that was called off is no error.
  const share = () => navigator.share({ url: address }).catch(() => {});
  const named = (word) => ({ type: 'button', 'aria-label': `${word}: ${title}` });
  return [
    el('span', { class: 'hex whole' }, address),
    el('p', { class: 'row' },
      canShare ? el('button', { ...named(say('table.share')), on: { click: share } }, say('table.share')) : null,
      copyButton(say('ui.copy'), title, () => address),
      el('button', { ...named(say('ui.qr')), on: { click: draw } }, say('ui.qr'))),
    code,
  ];
}
