// The server's side of a match of veridice/1 for play without one: role 0, its chain and key, in the page. It speaks as
// the server does, with the same actions and events, and knows the match by the copy that phones have of it.
import { chainTo, rollOf } from '../../verifier/chain.mjs';
import { fromHex, toHex } from '../../verifier/seed.mjs';
import { Copy, Fault } from './copy.mjs';
import { headText, isSigned, noteOf, offerText, openingText, openNote, readRoll, signatureLine, signerOf, sumOf } from './texts.mjs';

/** @typedef {import('./phone.mjs').Answer} Answer */

const LINKS = 512;
const DAY = 86_400;

/** @param {string} code @param {number} [status] @returns {Answer} */
const no = (code, status = 409) => ({ ok: false, problem: { status, code, field: '', args: {} } });

/** @param {any} [body] @returns {Answer} */
const yes = (body = {}) => ({ ok: true, body });

/**
 * Opens a match. tell is called with each event, in order and after it is settled.
 * @param {{
 *   seats: number, terms: string, links?: number, signer: import('./signer.mjs').Signer, random: (length: number) => Uint8Array,
 *   now: () => number, tell?: (event: any) => void,
 * }} given
 */
export async function openHouse({ seats, terms, links = LINKS, signer, random, now, tell = () => {} }) {
  const match = toHex(random(16));
  const { secret, key } = await signer.make();
  const chain = chainTo(match, 0, links, toHex(random(32)));
  const anchor = toHex(chain[0]);
  const copy = new Copy({ match, serverKey: key, verify: signer.verify });
  const expires = Math.floor(now() / 1000) + 30 * DAY;
  /** @type {any[]} */
  const events = [];
  /** @type {Map<number, string>} by seat, the note of its last ROLL text; at the end, its line on the record */
  const parts = new Map();
  let queue = Promise.resolve();

  await settle({ type: 'opened', scheme: 'veridice/1', seats, seal: anchor, terms });
  return { match, key, events, record, post };

  /** Makes an event true: it is refused if a phone would refuse it. @param {any} event */
  async function settle(event) {
    const whole = { event: events.length + 1, at: new Date(now()).toISOString(), ...event };
    await copy.take(whole);
    events.push(whole);
    tell(whole);
  }

  /** @param {string} text */
  async function line(text) {
    return signatureLine(signerOf(match, 0, key), await signer.sign(secret, text));
  }

  /**
   * A request of a seat; one after the other.
   * @param {number} seat
   * @param {string} action
   * @param {any} body
   * @returns {Promise<Answer>}
   */
  function post(seat, action, body) {
    const answer = queue.then(() => perform(seat, action, body)).catch((error) => {
      if (error instanceof Fault) return no(error.code, 422);
      throw error;
    });
    queue = answer.then(() => {}, () => {});
    return answer;
  }

  /** @param {number} seat @param {string} action @param {any} body @returns {Promise<Answer>} */
  async function perform(seat, action, body) {
    const over = copy.phase === 'finished' || copy.phase === 'aborted';
    if (over && action !== 'sign') return no('closed');
    switch (action) {
      case 'acknowledge': return acknowledge(seat, body);
      case 'join': return join(seat, body.note);
      case 'ready': return ready(seat, body.note);
      case 'ask': return ask(seat, body.note);
      case 'link': return link(seat, body);
      case 'move': return move(seat, body.note);
      case 'wish':
        await settle({ type: 'wished', seat });
        return yes();
      case 'end': return end(seat);
      case 'end/withdraw':
        if (copy.endAsked === seat) await settle({ type: 'end-withdrawn', seat });
        return yes();
      case 'abort':
        await settle({ type: 'aborted', role: body.leave === true ? seat : null, seat });
        return yes();
      case 'sign': return sign(seat, body.signature);
      default: return no('not-found', 404);
    }
  }

  /** @param {number} seat @param {any} body */
  async function acknowledge(seat, { seal, name }) {
    if (seal !== anchor) return no('other-seal');
    if (!copy.here[seat]) await settle({ type: 'acknowledged', seat, name });
    if (copy.phase === 'seats' && copy.here.slice(1).every(Boolean)) {
      const offer = offerText({ match, seq: 1, rules: sumOf(terms), links, seats, server: { anchor, key }, expires });
      await settle({ type: 'offered', note: noteOf(offer, await line(offer)), rules: terms });
    }
    return yes({ seat, name: copy.names[seat] });
  }

  /** @param {number} seat @param {string} note */
  async function join(seat, note) {
    if (copy.joins[seat] === null) await settle({ type: 'joined', seat, note });
    else await copy.take({ type: 'joined', seat, note }); // the same again, or refused
    if (copy.phase === 'joined') {
      const roles = copy.joins.map((one) => ({ anchor: one?.anchor ?? anchor, key: one?.key ?? key }));
      await settle({ type: 'anchored', text: openingText(/** @type {any} */ ({ ...copy.offer, roles })), index: 0 });
    }
    return yes();
  }

  /** @param {number} seat @param {string} note */
  async function ready(seat, note) {
    if (copy.readies[seat]) return yes();
    await settle({ type: 'readied', seat, note });
    if (copy.phase === 'running') await settle({ type: 'started' });
    return yes();
  }

  /** @param {number} seat @param {string} from */
  async function ask(seat, from) {
    const note = openNote(from);
    const asked = note && readRoll(note.text);
    if (note === null || asked === null || asked.actor !== seat) return no('not-due');
    if (copy.pending?.text === note.text) return yes();
    await settle({ type: 'asked', roll: asked.roll, seat, faces: asked.faces, note: from + await line(note.text) });
    parts.clear();
    return yes();
  }

  /** @param {number} seat @param {any} body */
  async function link(seat, { roll, link: shown, note: from }) {
    const { pending, opening } = copy;
    const note = openNote(from);
    if (pending === null || opening === null || pending.roll !== roll) return roll === copy.rolls.length ? yes() : no('not-due');
    if (note?.text !== pending.text) return no('two-rolls');
    if (!(await isSigned(note, signerOf(match, seat, opening.roles[seat].key), signer.verify))) return no('roll-signature');
    if (pending.links[seat] === null) await settle({ type: 'linked', roll, seat, link: shown });
    else if (pending.links[seat] !== shown) return no('wrong-link');
    parts.set(seat, from.slice(pending.text.length + 1));
    if (parts.size < seats) return yes();

    const { actor, faces, text } = pending;
    const all = [toHex(chain[roll]), ...pending.links.slice(1)];
    const made = rollOf(fromHex(opening.leaf), copy.head, { roll, actor, faces }, all.map((one) => fromHex(String(one))));
    const head = headText({ match, roll, head: toHex(made.after) });
    const lines = Array.from({ length: seats }, (_, i) => String(parts.get(i + 1)));
    await settle({
      type: 'rolled', roll, seat: actor, dice: made.dice, faces, game: copy.games.length, note: noteOf(text, await line(text), ...lines), links: all,
      head: noteOf(head, await line(head)),
    });
    return yes();
  }

  /** @param {number} seat @param {string} note */
  async function move(seat, note) {
    await settle({ type: 'moved', seat, note });
    return yes();
  }

  /** @param {number} seat */
  async function end(seat) {
    if (copy.phase !== 'running' || copy.pending !== null) return no('roll-pending');
    if (seats === 1 || (copy.endAsked !== null && copy.endAsked !== seat)) await settle({ type: 'finished' });
    else if (copy.endAsked === null) await settle({ type: 'end-asked', seat });
    if (copy.phase === 'finished') parts.clear();
    return yes();
  }

  /** @param {number} seat @param {string} signature */
  async function sign(seat, signature) {
    const text = copy.record();
    const note = text === null ? null : openNote(noteOf(text, signature));
    const role = copy.opening?.roles[seat];
    if (note === null || role === undefined || !(await isSigned(note, signerOf(match, seat, role.key), signer.verify))) return no('record-differs');
    if (copy.signed.includes(seat)) return yes();
    parts.set(seat, signature);
    await settle({ type: 'signed', seat });
    return yes();
  }

  /** The record of a match that is over, with all signatures there are. @returns {Promise<Answer>} */
  async function record() {
    const text = copy.record();
    if (text === null) return no('not-found', 404);
    const lines = copy.signed.map((seat) => String(parts.get(seat)));
    return yes(noteOf(text, await line(text), ...lines));
  }
}
