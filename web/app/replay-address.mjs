// Which match a page is to show. What stands behind # reaches no server, and no log of one:
//
//     #m=ID               a match on this server; who has the id may watch
//     #kept=ID            a match that this browser kept
//     #record=BASE64URL   a whole record
//     #v=1&s=…            a share link, or any other text that holds a match

const ID = /^[0-9a-f]{32}$/;
const NAME = /^[A-Za-z0-9._-]{1,64}$/;

/**
 * @typedef {{kind: 'none'} | {kind: 'fault'} | {kind: 'match', id: string} | {kind: 'kept', id: string}
 *   | {kind: 'text', text: string}} Address
 */

/**
 * Reads a fragment as chat apps and address bars leave it.
 * @param {string} fragment with or without its #
 * @returns {Address}
 */
export function readAddress(fragment) {
  const text = fragment.replace(/^#/, '').trim();
  if (text === '') return { kind: 'none' };
  const parts = /^(m|kept|record)(?:=|%3D)(.*)$/i.exec(text);
  if (parts === null) return { kind: 'text', text: '#' + text };
  const value = parts[2].replace(/[.,;:!?)\]}>"'\u00bb\u201d\u2019]+$/, '');
  switch (parts[1].toLowerCase()) {
    case 'm': return ID.test(value) ? { kind: 'match', id: value } : { kind: 'fault' };
    case 'kept': return NAME.test(value) ? { kind: 'kept', id: value } : { kind: 'fault' };
    default: {
      const record = fromBase64url(value);
      return record === null ? { kind: 'fault' } : { kind: 'text', text: record };
    }
  }
}

/**
 * The id in a path that ends in it, such as /en/match/ID, or ''.
 * @param {string} path
 */
export const idInPath = (path) => /\/([0-9a-f]{32})\/?$/.exec(path)?.[1] ?? '';

/** @param {string} text @returns {string} */
export function toBase64url(text) {
  let binary = '';
  for (const byte of new TextEncoder().encode(text)) binary += String.fromCharCode(byte);
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}

/** @param {string} text @returns {string | null} */
function fromBase64url(text) {
  if (!/^[A-Za-z0-9_-]+$/.test(text)) return null;
  try {
    const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Uint8Array.from(binary, (c) => c.charCodeAt(0)));
  } catch {
    return null;
  }
}
