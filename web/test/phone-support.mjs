// What the tests of a phone share: a table whose server can be honest or not, as the test holds its key.
import assert from 'node:assert/strict';
import { openHouse } from '../app/phone/house.mjs';
import { mapKeeper } from '../app/phone/keeper.mjs';
import { openPhone } from '../app/phone/phone.mjs';
import { browserSigner } from '../app/phone/signer.mjs';
import { termsText } from '../app/phone/terms.mjs';
import { noteOf, signatureLine, signerOf } from '../app/phone/texts.mjs';
import { counterBlock } from './verifier-support.mjs';

export const start = Date.parse('2026-11-30T12:00:00Z');

/** Random bytes that are the same each time: the counter stream of a name. */
export function stream(name) {
  let at = 0;
  return (length) => {
    const bytes = new Uint8Array(length);
    for (let i = 0; i < length; i += 32) bytes.set(counterBlock(name, at++).subarray(0, length - i), i);
    return bytes;
  };
}

/**
 * A table with its server in the test and one phone for each seat, which hear all events but those that gate holds back.
 * Every request is noted in posts before it goes to the server; stop may refuse to send it.
 */
export async function table({
  seats = 2, dice = '2d6', turn = 'alternate', links = 256, name = 'table', gate = () => true, stop = () => false, random = stream(name), join = true, phone = {},
} = {}) {
  const plain = browserSigner(random);
  const server = await plain.make();
  const posts = [];
  const phones = []; // by seat
  const keepers = [];
  const waiting = []; // events by phone that did not get through yet
  const t = { posts, phones, keepers, server, signer: plain, gate, stop, events: [] };

  const told = [];
  let tell = (event) => { told.push(event); };
  const terms = termsText({ dice, turn, wait: 120, salt: '00112233445566778899aabbccddeeff' });
  const house = await openHouse({ seats, terms, links, signer: { ...plain, make: async () => server }, random, now: () => start, tell: (event) => tell(event) });
  t.house = house;
  t.match = house.match;
  t.events = house.events;

  t.post = (seat) => async (action, body) => {
    posts.push({ seat, action, body });
    if (t.stop(seat, action, body)) return { ok: false, problem: { status: 0, code: 'gone', field: '', args: {} } }; // and so will the page be
    return house.post(seat, action, body);
  };

  /** Another page for a seat: after a reload, or in a second tab. */
  t.open = (seat, more = {}) => openPhone({
    match: house.match, token: seat === null ? null : `token ${seat}`, serverKey: server.key, keeper: keepers[seat] ?? mapKeeper(), post: t.post(seat),
    record: house.record, signer: plain, random, now: () => start, last: house.events.length, ...more,
  });

  /** Lets a phone hear what it missed. */
  t.hear = async (phone) => {
    for (const event of house.events.slice(phone.last)) await phone.take(event);
    await t.idle();
  };

  /** Waits until nobody has anything to do. */
  t.idle = async () => {
    for (let before = -1; before !== house.events.length + posts.length;) {
      before = house.events.length + posts.length;
      for (const phone of phones.slice(1)) await phone.idle();
    }
  };

  /** A note of a text, signed by roles; a seat's secret comes from its keeper. */
  t.sign = async (text, ...roles) => {
    const lines = [];
    for (const role of roles) {
      const { secret, key } = role === 0 ? server : await t.own(role);
      lines.push(signatureLine(signerOf(house.match, role, key), await plain.sign(secret, text)));
    }
    return noteOf(text, ...lines);
  };

  /** What a seat keeps of its join. */
  t.own = async (seat) => (await keepers[seat].list('')).find(({ key }) => key.endsWith('/join')).value;

  /** Tells a phone something that the server never said. */
  t.feed = async (phone, event) => {
    await phone.take({ event: phone.last + 1, at: new Date(start).toISOString(), ...event });
    await phone.idle();
  };

  for (let seat = 1; seat <= seats; seat++) {
    keepers[seat] = mapKeeper({ kept: true });
    phones[seat] = t.open(seat, phone);
    waiting[seat] = [];
  }
  tell = (event) => {
    for (let seat = 1; seat <= seats; seat++) {
      if (waiting[seat].length > 0 || !t.gate(seat, event)) waiting[seat].push(event);
      else phones[seat].take(event);
    }
  };
  told.forEach(tell);
  if (join) {
    for (let seat = 1; seat <= seats; seat++) await phones[seat].acknowledge(`player ${seat}`);
    await t.idle();
  }
  return t;
}

/** Asserts that a phone stopped, why, and that it sends nothing more. */
export function refused(phone, code, roll) {
  assert.equal(phone.view.fault?.code, code);
  if (roll !== undefined) assert.equal(phone.view.fault.roll, roll);
  assert.equal(phone.view.phase, 'refused');
}

/** What a seat sent of an action. */
export const sent = (t, seat, action) => t.posts.filter((post) => post.seat === seat && post.action === action).map(({ body }) => body);

/** Rolls by whoever has the turn. */
export async function rollOn(t, faces = [6, 6]) {
  const { holder } = t.phones[1].view;
  const answer = await t.phones[holder].roll(faces);
  await t.idle();
  return answer;
}
