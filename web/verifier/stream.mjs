/**
 * The blocks of other sites' bets, docs/spec/floats.md and foreign.md: which bytes the key
 * is and which the message of a block. What the games make of them is not here.
 *
 *   site                   key                         message of block c
 *   shuffle, stake         server seed as text         client:nonce:c
 *   stake, round           hash of the round as text   client
 *   duel                   32 bytes of the seed        client:nonce:c; dice client:nonce
 *   duel, round            32 bytes of the seed        signature read as UTF-8, then :0
 *   liqd                   16 bytes of the seed        client:nonce:c
 *   bustabit, bcgame crash salt as text                32 bytes of the hash of the round
 *   roobet                 hash of the round as text   salt
 *   bcgame                 server seed as text         client:nonce
 *   zeroplay               16 bytes of the seed        SHA-256 of both players, then c as four bytes
 */
import { hmac, sha256 } from './sha256.mjs';
import { toBytes } from './seed.mjs';

/**
 * A bet as far as its stream needs it. Texts count byte for byte; numbers are decimal
 * digits of up to 64 bits.
 * @typedef {object} StreamBet
 * @property {string} site
 * @property {string} game
 * @property {string} seed
 * @property {string | null} client
 * @property {string | null} nonce
 * @property {[string, string][]} params
 */

/**
 * A stream that can be computed.
 * @typedef {object} BetStream
 * @property {Uint8Array} key
 * @property {(c: bigint) => Uint8Array} message of a block
 * @property {(c: bigint) => Uint8Array} block HMAC of it
 */

/** Sites whose streams this engine does not compute. The list may only shrink. */
export const notStreamed = ['primedice']; // HMAC with SHA-512

const rounds = ['stake crash', 'stake slide', 'stake zoo', 'duel crash', 'duel castle-roulette'];

/** @param {string} text */
const utf8 = (text) => new TextEncoder().encode(text);

/**
 * Hex digits of either case as bytes, or null if they are not so many.
 * @param {string} text
 * @param {number} size in bytes
 */
function bytesOf(text, size) {
  if (text.length !== 2 * size || !/^[0-9a-fA-F]*$/.test(text)) return null;
  return Uint8Array.from({ length: size }, (_, i) => parseInt(text.slice(2 * i, 2 * i + 2), 16));
}

/** @param {...Uint8Array} pieces */
function joined(...pieces) {
  const all = new Uint8Array(pieces.reduce((n, p) => n + p.length, 0));
  let at = 0;
  for (const p of pieces) {
    all.set(p, at);
    at += p.length;
  }
  return all;
}

/**
 * The stream of a bet, or null if a part of it is missing or not one of the site.
 * @param {StreamBet} bet
 * @returns {BetStream | null}
 */
export function streamOf(bet) {
  const made = partsOf(bet);
  if (made === null || made.key === null || made.message === null) return null;
  const { key, message } = made;
  return { key, message, block: (c) => hmac(key, message(c)) };
}

/**
 * @param {StreamBet} bet
 * @returns {{key: Uint8Array | null, message: ((c: bigint) => Uint8Array) | null} | null}
 */
function partsOf({ site, game, seed, client, nonce, params }) {
  if (site === 'zeroplay') return { key: bytesOf(seed, 16), message: zeroplayMessage(params) };
  if (client === null || seed === '') return null;
  const text = utf8(seed);
  const part = utf8(client);
  if (site === 'roobet' || (site === 'stake' && rounds.includes('stake ' + game))) return { key: text, message: () => part };
  if (site === 'bustabit' || (site === 'bcgame' && game === 'crash')) {
    const hash = bytesOf(seed, 32);
    return { key: part.length === 0 ? null : part, message: hash === null ? null : () => hash };
  }
  if (site === 'duel' && rounds.includes('duel ' + game)) {
    const signature = bytesOf(client, 48);
    if (signature === null) return null;
    // A decoder puts U+FFFD in the place of each maximal part that is no character.
    const read = new TextDecoder('utf-8', { ignoreBOM: true }).decode(signature);
    return { key: bytesOf(seed, 32), message: () => utf8(read + ':0') };
  }
  if (nonce === null) return null;
  const single = (site === 'duel' && game === 'dice') || site === 'bcgame';
  /** @param {bigint} c */
  const message = (c) => joined(part, toBytes(':' + nonce + (single ? '' : ':' + c)));
  if (site === 'shuffle' || site === 'stake' || site === 'bcgame') return { key: text, message };
  if (site === 'duel') return { key: bytesOf(seed, 32), message };
  if (site === 'liqd') return { key: bytesOf(seed, 16), message };
  return null;
}

/**
 * Both players' numbers and seeds, the smaller number as text first, hashed; and the
 * nonce as four bytes.
 * @param {[string, string][]} params
 */
function zeroplayMessage(params) {
  const given = new Map(params);
  const players = [1, 2].map((i) => ({ uid: given.get('uid' + i) ?? '', client: bytesOf(given.get('client' + i) ?? '', 16) }));
  players.sort((a, b) => (a.uid < b.uid ? -1 : a.uid > b.uid ? 1 : 0));
  const [a, b] = players;
  if (a.client === null || b.client === null || a.uid === b.uid || !players.every((p) => /^(0|[1-9][0-9]{0,19})$/.test(p.uid))) return null;
  const colon = toBytes(':');
  const combined = sha256(joined(toBytes(a.uid + ':' + b.uid), colon, a.client, colon, b.client));
  /** @param {bigint} c */
  return (c) => {
    const number = new Uint8Array(4);
    new DataView(number.buffer).setUint32(0, Number(BigInt.asUintN(32, c)));
    return joined(combined, number);
  };
}
