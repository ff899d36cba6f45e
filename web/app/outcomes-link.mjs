// A bet in the fragment of an address:
//
//   v=1&site=stake&game=plinko&server=BASE64URL&client=BASE64URL&nonce=3&p.rows=8&p.risk=low
//
// Each key stands at most once. Free text (server, client, variant, sealed, said) is
// base64url of UTF-8 without padding, since a client seed may hold blanks, + and &.
// Nothing is guessed: what does not have exactly this form is refused, with its key.

/**
 * A bet as the page holds it; null is a part that is not given, which is not the same
 * as an empty one.
 * @typedef {object} Bet
 * @property {string} site
 * @property {string} game
 * @property {string} variant
 * @property {string} seed
 * @property {string} sealed the hash shown for it, or ""
 * @property {string | null} client
 * @property {string | null} nonce decimal digits
 * @property {string | null} cursor decimal digits
 * @property {[string, string][]} params in the order of the game
 * @property {{key: string, text: string} | null} said
 */

/**
 * @typedef {{bet: Bet, fault: null} | {bet: null, fault: string}} Read fault is the key that is wrong, or "v"
 */

const most = 16384; // characters of a fragment
const word = /^[a-z0-9][a-z0-9-]{0,31}$/;
const name = /^[a-z][a-z0-9_]{0,31}$/;
const plain = /^[A-Za-z0-9.,-]{1,128}$/;
const digits = /^(0|[1-9][0-9]{0,19})$/;
const largest = (1n << 64n) - 1n;

/** @param {string} text */
export function encode(text) {
  const bytes = new TextEncoder().encode(text);
  let binary = '';
  for (const b of bytes) binary += String.fromCharCode(b);
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}

/** The text, or null unless it is exactly what encode makes. @param {string} coded */
export function decode(coded) {
  if (!/^[A-Za-z0-9_-]*$/.test(coded) || coded.length % 4 === 1) return null;
  const binary = atob(coded.replaceAll('-', '+').replaceAll('_', '/'));
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Uint8Array.from(binary, (c) => c.charCodeAt(0)));
    return encode(text) === coded ? text : null;
  } catch {
    return null;
  }
}

/** @param {string} text */
const isNumber = (text) => digits.test(text) && BigInt(text) <= largest;

/**
 * Reads a fragment without its #.
 * @param {string} fragment
 * @returns {Read}
 */
export function readBet(fragment) {
  const no = (/** @type {string} */ fault) => ({ bet: null, fault });
  if (fragment.length > most) return no('v');
  /** @type {Map<string, string>} */
  const given = new Map();
  for (const pair of fragment.split('&')) {
    const at = pair.indexOf('=');
    const key = at < 0 ? pair : pair.slice(0, at);
    if (at < 1 || given.has(key)) return no(key);
    given.set(key, pair.slice(at + 1));
  }
  if (given.get('v') !== '1') return no('v');
  /** @type {Bet} */
  const bet = { site: '', game: '', variant: '', seed: '', sealed: '', client: null, nonce: null, cursor: null, params: [], said: null };
  let key = '';
  for (const [name_, value] of given) {
    if (name_ === 'v') continue;
    if (name_ === 'site' || name_ === 'game') {
      if (!word.test(value)) return no(name_);
      bet[name_] = value;
    } else if (name_ === 'nonce' || name_ === 'cursor') {
      if (!isNumber(value)) return no(name_);
      bet[name_] = value;
    } else if (name_ === 'key') {
      if (!name.test(value)) return no(name_);
      key = value;
    } else if (name_.startsWith('p.')) {
      if (!name.test(name_.slice(2)) || !plain.test(value)) return no(name_);
      bet.params.push([name_.slice(2), value]);
    } else {
      const text = decode(value);
      if (text === null) return no(name_);
      if (name_ === 'server') bet.seed = text;
      else if (name_ === 'client') bet.client = text;
      else if (name_ === 'variant' && text !== '') bet.variant = text;
      else if (name_ === 'sealed' && text !== '') bet.sealed = text;
      else if (name_ === 'said') bet.said = { key: '', text };
      else return no(name_);
    }
  }
  for (const needed of ['site', 'game', 'server']) if (!given.has(needed)) return no(needed);
  if ((key === '') !== (bet.said === null)) return no(key === '' ? 'key' : 'said');
  if (bet.said) bet.said.key = key;
  return { bet, fault: null };
}

/**
 * Writes a bet as a fragment without its #, in one way only.
 * @param {Bet} bet
 */
export function writeBet(bet) {
  const pairs = [['v', '1'], ['site', bet.site], ['game', bet.game]];
  if (bet.variant !== '') pairs.push(['variant', encode(bet.variant)]);
  pairs.push(['server', encode(bet.seed)]);
  if (bet.client !== null) pairs.push(['client', encode(bet.client)]);
  if (bet.nonce !== null) pairs.push(['nonce', bet.nonce]);
  if (bet.cursor !== null) pairs.push(['cursor', bet.cursor]);
  for (const [key, value] of bet.params) pairs.push(['p.' + key, value]);
  if (bet.sealed !== '') pairs.push(['sealed', encode(bet.sealed)]);
  if (bet.said !== null) pairs.push(['key', bet.said.key], ['said', encode(bet.said.text)]);
  return pairs.map(([key, value]) => key + '=' + value).join('&');
}
