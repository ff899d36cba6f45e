// Bad play of the server and of other seats, each refused by a phone that sees it: docs/spec/veridice-1.md, section 13.
// The test holds all keys and says whatever a cheat could.
import assert from 'node:assert/strict';
import test from 'node:test';
import { chainTo } from '../verifier/chain.mjs';
import { mapKeeper } from '../app/phone/keeper.mjs';
import { evidence } from '../verifier/veridice.mjs';
import {
  headText, joinText, moveText, noteOf, offerText, openingText, openNote, readJoin, readOffer, readOpening, readRoll, readyText, rollText, signatureLine,
  signerOf, sumOf,
} from '../app/phone/texts.mjs';
import { hex } from './verifier-support.mjs';
import { refused, rollOn, sent, start, table } from './phone-support.mjs';

const day = 86_400;
const small = '01' + '00'.repeat(31); // a key of order 1: every signature of a certain form holds under it
const event = (t, type, n = 0) => t.house.events.filter((e) => e.type === type).at(n);
const text = (t, type, n) => openNote(event(t, type, n).note).text;
const by = (t, type, seat) => t.house.events.find((e) => e.type === type && e.seat === seat); // whoever was faster
const joinOf = (t, seat) => readJoin(openNote(by(t, 'joined', seat).note).text);

/** A table at which nobody hears of an event of this kind, nor of what follows. */
async function before(type, more = {}) {
  const t = await table({ name: `before ${type}`, ...more, gate: (_, e) => e.type !== type, join: false });
  for (const phone of t.phones.slice(1)) await phone.acknowledge('');
  await t.idle();
  return t;
}

/** A table that is running, with some rolls done; from then on phone 1 hears only what the test tells it. */
async function running(rolls = 2, more = {}) {
  const t = await table({ name: 'running', ...more });
  for (let n = 0; n < rolls; n++) await rollOn(t);
  return t;
}

const deaf = (t, seat = 1) => { t.gate = (of) => of !== seat; };

// Before the first roll.

/** Tells phone 1 an offer that differs from the server's, signed by the server unless said otherwise. */
async function offered(change, { by = [0], rules } = {}) {
  const t = await before('offered');
  const offer = readOffer(text(t, 'offered'));
  const note = await t.sign(offerText({ ...offer, ...change(offer) }), ...by);
  await t.feed(t.phones[1], { type: 'offered', note, rules: rules ?? event(t, 'offered').rules });
  assert.deepEqual(sent(t, 1, 'join'), [], 'it does not join');
  return t.phones[1];
}

test('an offer that is not the server\'s', async () => {
  refused(await offered(() => ({}), { by: [] }), 'offer-signature');
  const t = await before('offered');
  const stranger = await t.signer.make();
  const note = noteOf(text(t, 'offered'), signatureLine(signerOf(t.match, 0, t.server.key), await t.signer.sign(stranger.secret, text(t, 'offered'))));
  await t.feed(t.phones[1], { ...event(t, 'offered'), event: t.phones[1].last + 1, note });
  refused(t.phones[1], 'offer-signature');
});

test('an offer of another match', async () => {
  const t = await before('offered');
  const other = { ...readOffer(text(t, 'offered')), match: '00'.repeat(16) };
  const line = signatureLine(signerOf(other.match, 0, t.server.key), await t.signer.sign(t.server.secret, offerText(other)));
  await t.feed(t.phones[1], { type: 'offered', note: noteOf(offerText(other), line), rules: event(t, 'offered').rules });
  refused(t.phones[1], 'other-match');
});

test('chains of 255 or 8193 links', async () => {
  refused(await offered(() => ({ links: 255 })), 'short-chains');
  refused(await offered(() => ({ links: 8193 })), 'short-chains');
});

test('an end that is past, now, or 91 days ahead', async () => {
  const now = start / 1000;
  for (const [expires, fault] of [[now - 1, 'expiry'], [now, 'expiry'], [now + 91 * day, 'expiry'], [now + 90 * day + 1, 'expiry']]) {
    const phone = await offered(() => ({ expires }));
    assert.equal(phone.view.fault?.code, fault, String(expires - now));
    assert.equal(phone.view.phase, 'offered');
  }
  for (const expires of [now + 1, now + 90 * day]) {
    const t = await before('offered');
    const note = await t.sign(offerText({ ...readOffer(text(t, 'offered')), expires }), 0);
    await t.feed(t.phones[1], { type: 'offered', note, rules: event(t, 'offered').rules });
    assert.equal(t.phones[1].view.fault, null);
    assert.equal(sent(t, 1, 'join').length, 1);
  }
});

test('other rules than those shown', async () => {
  refused(await offered(() => ({ rules: '00'.repeat(32) })), 'rules-differ');
  const t = await before('offered');
  const rules = event(t, 'offered').rules.replace('2d6', '3d6');
  refused(await offered(() => ({ rules: sumOf(rules) }), { rules }), 'rules-differ');
});

test('another key of the server than the pinned one, or one of small order', async () => {
  const other = '488489c52d4a01facfd20f468928fcd0fece0400ac1624f32f570a96de91c69a';
  refused(await offered(({ server }) => ({ server: { ...server, key: other } })), 'other-key');
  const t = await before('offered');
  const phone = t.open(1, { serverKey: small, last: 0 });
  const offer = readOffer(text(t, 'offered'));
  await phone.take(t.house.events[0]);
  await t.feed(phone, { type: 'offered', note: await t.sign(offerText({ ...offer, server: { ...offer.server, key: small } }), 0), rules: event(t, 'offered').rules });
  refused(phone, 'other-key');
});

test('an offer for another number of seats or with another anchor', async () => {
  refused(await offered(() => ({ seats: 3 })), 'offer-differs');
  refused(await offered(({ server }) => ({ server: { ...server, anchor: '00'.repeat(32) } })), 'offer-differs');
});

test('an offer with a match id seen before', async () => {
  const t = await before('joined');
  const note = await t.sign(offerText({ ...readOffer(text(t, 'offered')), seq: 2 }), 0);
  const rules = event(t, 'offered').rules;
  await t.feed(t.phones[1], { type: 'offered', note: event(t, 'offered').note, rules });
  assert.equal(t.phones[1].view.fault, null, 'the same again is no other');
  await t.feed(t.phones[1], { type: 'offered', note, rules });
  refused(t.phones[1], 'offer-differs');
  const watching = t.open(null);
  for (const e of t.house.events.slice(0, 4)) await watching.take(e);
  await t.feed(watching, { type: 'offered', note, rules });
  refused(watching, 'offer-differs');
  // After a restart of the browser, too: the join is kept, and there is no second.
  const again = t.open(2, { last: 0 });
  await again.take(t.house.events[0]);
  await t.feed(again, { type: 'offered', note, rules });
  refused(again, 'offer-differs');
  assert.equal(sent(t, 2, 'join').length, 1);
});

/** Tells phone 1 a JOIN of seat 2. */
async function joined(change, more = {}) {
  const t = await before('joined', more);
  const join = joinOf(t, 2);
  const changed = { ...join, ...change(join, t) };
  await t.feed(t.phones[1], { type: 'joined', seat: 2, note: await t.sign(joinText(changed), more.by ?? 2) });
  return t.phones[1];
}

test('a JOIN for another offer, or signed by somebody else', async () => {
  refused(await joined(() => ({ offer: '00'.repeat(32) })), 'join-signature');
  refused(await joined(() => ({}), { by: 1 }), 'join-signature');
  refused(await joined(() => ({ match: '00'.repeat(16) })), 'other-match');
  refused(await joined(() => ({ role: 1 })), 'join-signature');
});

test('a JOIN with a key of small order', async () => {
  const t = await before('joined');
  const join = { ...joinOf(t, 2), key: small };
  // R the neutral point and S zero: [S]B - [k]A is R whatever the text is.
  const note = noteOf(joinText(join), signatureLine(signerOf(t.match, 2, small), Uint8Array.from({ length: 64 }, (_, i) => (i === 0 ? 1 : 0))));
  await t.feed(t.phones[1], { type: 'joined', seat: 2, note });
  refused(t.phones[1], 'join-signature');
});

test('a second JOIN of a seat', async () => {
  const t = await before('anchored');
  const note = await t.sign(joinText({ ...joinOf(t, 2), anchor: '00'.repeat(32) }), 2);
  await t.feed(t.phones[1], { type: 'joined', seat: 2, note });
  refused(t.phones[1], 'offer-differs');
});

/** Tells phone 1 of a table of two another opening. */
async function opened(change) {
  const t = await before('anchored');
  const opening = readOpening(event(t, 'anchored').text);
  await t.feed(t.phones[1], { type: 'anchored', text: openingText({ ...opening, ...change(opening) }), index: 7 });
  assert.deepEqual(sent(t, 1, 'ready'), [], 'it signs no READY');
  return t.phones[1];
}

const role = ({ roles }, n, change) => ({ roles: roles.map((one, i) => (i === n ? { ...one, ...change } : one)) });

test('an opening that differs from the offer', async () => {
  for (const change of [{ seq: 2 }, { rules: '00'.repeat(32) }, { links: 257 }, { expires: 1 }]) refused(await opened(() => change), 'offer-differs');
  refused(await opened(() => ({ match: '00'.repeat(16) })), 'other-match');
  refused(await opened((o) => role(o, 0, { anchor: '00'.repeat(32) })), 'offer-differs');
  refused(await opened((o) => role(o, 0, { key: '00'.repeat(32) })), 'other-key');
  refused(await opened(({ roles }) => ({ roles: [...roles, { anchor: '11'.repeat(32), key: '22'.repeat(32) }] })), 'offer-differs');
  refused(await opened(({ roles }) => ({ roles: roles.slice(0, 2) })), 'offer-differs');
});

test('an opening without this phone\'s own anchor and key, or with others than a seat joined with', async () => {
  for (const change of [{ anchor: '00'.repeat(32) }, { key: '33'.repeat(32) }]) {
    refused(await opened((o) => role(o, 1, change)), 'own-anchor');
    refused(await opened((o) => role(o, 2, change)), 'offer-differs');
  }
});

test('an anchor copied from another role, and a key copied', async () => {
  for (const from of [0, 1]) {
    refused(await opened((o) => role(o, 2, { anchor: o.roles[from].anchor })), 'same-anchor');
    refused(await opened((o) => role(o, 2, { key: o.roles[from].key })), 'same-key');
  }
  // Joined with and all: a seat that copies the other's anchor.
  const t = await before('joined');
  const [one, two] = [joinOf(t, 1), joinOf(t, 2)];
  two.anchor = one.anchor;
  await t.feed(t.phones[1], { type: 'joined', seat: 1, note: by(t, 'joined', 1).note });
  await t.feed(t.phones[1], { type: 'joined', seat: 2, note: await t.sign(joinText(two), 2) });
  const opening = readOpening(event(t, 'anchored').text);
  await t.feed(t.phones[1], { type: 'anchored', text: openingText(opening.roles.length === 3 ? { ...opening, roles: [opening.roles[0], one, two] } : opening) });
  refused(t.phones[1], 'same-anchor');
  assert.deepEqual(sent(t, 1, 'ready'), []);
});

test('a second opening over one join', async () => {
  const t = await before('readied');
  const opening = readOpening(event(t, 'anchored').text);
  assert.equal(sent(t, 1, 'ready').length, 1);
  // Its accomplice in seat 2 joins once more with another key, and the server opens again over the same anchor of seat
  // 1. After a restart the phone has only what it kept: the opening that it signed READY for.
  const { secret, key } = await t.signer.make();
  const join = joinText({ ...joinOf(t, 2), key });
  const line = signatureLine(signerOf(t.match, 2, key), await t.signer.sign(secret, join));
  const other = openingText({ ...opening, ...role(opening, 2, { key }) });
  const again = t.open(1, { last: 0 });
  for (const e of t.house.events.filter(({ type }) => ['opened', 'acknowledged', 'offered'].includes(type))) await t.feed(again, { ...e, event: again.last + 1 });
  await t.feed(again, { type: 'joined', seat: 1, note: by(t, 'joined', 1).note });
  await t.feed(again, { type: 'joined', seat: 2, note: noteOf(join, line) });
  await t.feed(again, { type: 'anchored', text: other });
  refused(again, 'ready-differs');
  assert.equal(sent(t, 1, 'ready').length, 1, 'READY for one opening, ever');
  // And without a restart.
  await t.feed(t.phones[1], { type: 'anchored', text: other });
  refused(t.phones[1], 'ready-differs');
});

test('a READY for another opening, or signed by somebody else', async () => {
  const leafOf = (t) => t.phones[1].view.opening;
  for (const [change, by, code] of [
    [{ leaf: '00'.repeat(32) }, 2, 'ready-differs'], [{}, 1, 'ready-differs'], [{ match: '00'.repeat(16) }, 2, 'other-match'], [{ role: 1 }, 2, 'ready-differs'],
  ]) {
    const t = await before('readied');
    const note = await t.sign(readyText({ match: t.match, leaf: leafOf(t), role: 2, ...change }), by);
    await t.feed(t.phones[1], { type: 'readied', seat: 2, note });
    refused(t.phones[1], code);
  }
});

test('a roll before every seat is ready: no link leaves', async () => {
  const t = await before('readied', { name: 'early' });
  await t.feed(t.phones[1], { type: 'readied', seat: 1, note: by(t, 'readied', 1).note });
  const ask = rollText({ match: t.match, roll: 1, actor: 1, faces: [6, 6], head: '00'.repeat(32) });
  const twin = t.open(1, { last: 0 });
  for (const e of t.house.events.filter(({ type }) => !['readied', 'started'].includes(type))) await t.feed(twin, { ...e, event: twin.last + 1 });
  await t.feed(twin, { type: 'started' });
  refused(twin, 'ready-differs');
  await t.feed(t.phones[1], { type: 'asked', roll: 1, seat: 1, faces: [6, 6], note: await t.sign(ask, 1, 0) });
  refused(t.phones[1], 'not-due', 1);
  assert.deepEqual(sent(t, 1, 'link'), []);
});

// Rolls.

/** The ROLL text that is due, with changes. */
function due(t, change = {}) {
  const head = lastHead(t);
  const { rolls, holder } = t.phones[2].view;
  return rollText({ match: t.match, roll: rolls.length + 1, actor: holder, faces: [6, 6], head, ...change });
}

/** The head after the last roll, as the server signed it. */
const lastHead = (t) => openNote(event(t, 'rolled', -1).head).text.match(/head ([0-9a-f]{64})\n$/)[1];

async function asked(t, changed, roles, seat = 1) {
  const { roll, actor, faces } = readRoll(changed);
  await t.feed(t.phones[seat], { type: 'asked', roll, seat: actor, faces, note: await t.sign(changed, ...roles) });
  return t.phones[seat];
}

/** Asks phone 2 at a table where two rolls are done and seat 1 has the turn; it must refuse, and show no link. */
async function unasked(change, roles, code) {
  const t = await running();
  deaf(t, 2);
  const phone = await asked(t, due(t, change(t)), roles, 2);
  refused(phone, code);
  assert.deepEqual(sent(t, 2, 'link').map(({ roll }) => roll), [1, 2], code);
  return phone;
}

test('a roll number skipped or repeated', async () => {
  await unasked(() => ({ roll: 4 }), [1, 0], 'roll-number');
  await unasked(() => ({ roll: 2 }), [1, 0], 'two-rolls'); // signed by two who signed another text for it
  const t = await running();
  await t.feed(t.phones[2], { type: 'asked', ...pick(event(t, 'asked', -1)) });
  refused(t.phones[2], 'roll-number', 2);
});

const pick = ({ roll, seat, faces, note }) => ({ roll, seat, faces, note });

test('a roll over another head, or of another match', async () => {
  await unasked(() => ({ head: '00'.repeat(32) }), [1, 0], 'other-head');
  await unasked((t) => ({ head: openNote(event(t, 'rolled', 0).head).text.slice(-65, -1) }), [1, 0], 'other-head');
  await unasked(() => ({ match: '00'.repeat(16) }), [1, 0], 'other-match');
});

test('a roll by a seat whose turn it is not, by the house, or with other dice', async () => {
  await unasked(() => ({ actor: 2 }), [1, 2, 0], 'not-due');
  await unasked(() => ({ actor: 0 }), [0], 'not-due');
  for (const faces of [[6], [6, 6, 6], [6, 5]]) await unasked(() => ({ faces }), [1, 0], 'not-due');
});

test('a roll that the actor did not ask for', async () => {
  await unasked(() => ({}), [0], 'roll-signature');
  await unasked(() => ({}), [2, 0], 'roll-signature');
  // In the name of this very phone.
  const t = await running();
  deaf(t);
  refused(await asked(t, due(t), [0]), 'roll-signature', 3);
  assert.equal(sent(t, 1, 'link').length, 2);
});

test('a roll that the server did not sign: no link, the actor\'s phone too waits', async () => {
  await unasked(() => ({}), [1], 'roll-signature');
  const t = await running();
  deaf(t);
  t.stop = (_, action) => action === 'ask';
  await t.phones[1].roll([6, 6]);
  await t.phones[1].idle();
  assert.equal(sent(t, 1, 'link').length, 2, 'it asked and gives no link yet');
  refused(await asked(t, due(t), [1]), 'roll-signature', 3);
  assert.equal(sent(t, 1, 'link').length, 2);
});

test('a forged signature', async () => {
  const t = await running();
  deaf(t, 2);
  const ask = due(t);
  const stranger = await t.signer.make();
  const forged = signatureLine(signerOf(t.match, 1, (await t.own(1)).key), await t.signer.sign(stranger.secret, ask));
  const good = await t.sign(ask, 1, 0);
  for (const note of [noteOf(ask, forged) + good.split('\n').at(-2) + '\n', good + forged]) {
    const phone = t.open(2);
    await t.hear(phone);
    await t.feed(phone, { type: 'asked', roll: 3, seat: 1, faces: [6, 6], note });
    refused(phone, 'roll-signature', 3);
  }
  assert.equal(sent(t, 2, 'link').length, 2);
});

test('two texts for one roll: one link, both notes kept, and they are evidence', async () => {
  for (const again of [false, true]) {
    const t = await running(2, { dice: 'any' });
    deaf(t, 2);
    t.stop = (_, action) => action === 'link'; // the server says that it never got it
    let phone = await asked(t, due(t), [1, 0], 2);
    assert.equal(phone.view.fault, null);
    const links = sent(t, 2, 'link').length;
    if (again) {
      phone = t.phones[2] = t.open(2);
      await t.hear(phone);
    }
    await asked(t, due(t, { faces: [20] }), [1, 0], 2);
    refused(phone, 'two-rolls', 3);
    const { code, roll, notes } = phone.view.evidence[0];
    assert.deepEqual([code, roll, notes.length, phone.view.evidence.length], ['two-rolls', 3, 2, 1]);
    for (const key of [t.server.key, (await t.own(1)).key]) {
      const proof = await evidence(notes[0], notes[1], key);
      assert.deepEqual([proof.code, proof.place.number], ['two-rolls', 3]);
    }
    assert.deepEqual([sent(t, 2, 'link').length, new Set(sent(t, 2, 'link').slice(links - 1).map(({ note }) => note)).size], [links, 1]);
    const later = t.open(2);
    await later.idle();
    assert.equal(later.view.evidence.length, 1, 'kept for good');
  }
});

test('the context changed after the link was sent: another text is completed', async () => {
  const t = await running(2, { dice: 'any', seats: 3, turn: 'free' });
  // The server shows one text to phone 2 and another to phone 3, and has both links.
  for (const seat of [2, 3]) deaf(t, seat);
  t.gate = (seat) => seat === 1;
  t.stop = () => true;
  const texts = [due(t), due(t, { faces: [20] })];
  await asked(t, texts[0], [1, 0], 2);
  await asked(t, texts[1], [1, 0], 3);
  for (const seat of [2, 3]) assert.equal(t.phones[seat].view.fault, null);
  const links = [1, 2, 3].map((seat) => sent(t, seat, 'link').at(-1).link);
  // Whichever it completes, one of them sees that it is not what it signed, and neither has a result.
  for (const [seat, other, roles] of [[2, texts[1], [0, 1, 3]], [3, texts[0], [0, 1, 2]]]) {
    const note = await t.sign(other, ...roles);
    await t.feed(t.phones[seat], { type: 'rolled', roll: 3, seat: 1, faces: readRoll(other).faces, dice: [1], note, links: [links[0], ...links], head: '' });
    refused(t.phones[seat], 'two-rolls', 3);
    assert.equal(t.phones[seat].view.rolls.length, 2);
    assert.equal((await evidence(...t.phones[seat].view.evidence[0].notes, t.server.key)).code, 'two-rolls');
  }
});

/** Lets a roll fall, and tells phone 2 of it otherwise. */
async function rolled(change, more = {}) {
  const t = await table({ name: 'rolled', ...more });
  await rollOn(t);
  await rollOn(t);
  t.gate = (seat, e) => seat !== 2 || e.type !== 'rolled';
  await rollOn(t);
  const honest = event(t, 'rolled', -1);
  const changed = { ...honest, ...(await change(honest, t)) };
  await t.feed(t.phones[2], { ...changed, event: t.phones[2].last + 1 });
  return { t, phone: t.phones[2] };
}

test('what the honest server says is taken', async () => {
  const { phone } = await rolled(() => ({}));
  assert.deepEqual([phone.view.fault, phone.view.rolls.length], [null, 3]);
});

test('a wrong link: of another match, role or index, a skipped one, one shown twice', async () => {
  const changes = {
    'another role': (links) => links.with(0, links[1]),
    'swapped seats': ([server, one, two]) => [server, two, one],
    'shown twice': (links, t) => links.with(0, event(t, 'rolled', 1).links[0]),
    'one left out': (links) => links.slice(1),
    'the last left out': (links) => links.slice(0, -1),
    'one too many': (links) => [...links, links[0]],
    'another match': async (links, t) => links.with(1, hex(chainTo('00'.repeat(16), 1, 256, (await t.own(1)).link)[3])),
    'another role\'s chain': async (links, t) => links.with(1, hex(chainTo(t.match, 2, 256, (await t.own(1)).link)[3])),
    'the link after it': async (links, t) => links.with(1, hex(chainTo(t.match, 1, 256, (await t.own(1)).link)[4])),
    'not a link': (links) => links.with(2, 'x'),
    'none': () => null,
  };
  for (const [what, change] of Object.entries(changes)) {
    const { phone } = await rolled(async ({ links }, t) => ({ links: await change(links, t) }));
    assert.deepEqual([phone.view.fault, phone.view.rolls.length], [{ code: 'wrong-link', roll: 3 }, 2], what);
  }
  const t = await running();
  t.gate = (seat, e) => seat !== 2 || e.type !== 'linked';
  await t.phones[1].roll([6, 6]);
  await t.idle();
  await t.feed(t.phones[2], { type: 'linked', roll: 3, seat: 1, link: event(t, 'rolled', 1).links[1] });
  refused(t.phones[2], 'wrong-link', 3);
});

test('wrong dice', async () => {
  for (const change of [({ dice: [a, b] }) => [a === 6 ? 1 : a + 1, b], ({ dice: [a] }) => [a], ({ dice }) => [...dice, 1], () => null]) {
    const { phone } = await rolled((honest) => ({ dice: change(honest) }));
    refused(phone, 'wrong-dice', 3);
  }
});

test('a roll without the signature of every role on its text', async () => {
  for (const left of [0, 1, 2]) {
    const { phone } = await rolled(async (honest, t) => ({ note: await t.sign(openNote(honest.note).text, ...[0, 1, 2].filter((n) => n !== left)) }));
    refused(phone, 'roll-signature', 3);
  }
  const { phone } = await rolled((_, t) => ({ note: event(t, 'rolled', 1).note, roll: 2 }));
  refused(phone, 'roll-number', 2); // replayed
});

test('a roll that falls unasked', async () => {
  const t = await running(2);
  deaf(t, 2);
  await t.phones[1].roll([6, 6]);
  await t.idle(); // the events that the test makes up have the numbers of none that is under way
  await t.feed(t.phones[2], { type: 'rolled', roll: 3, seat: 1, faces: [6, 6], dice: [1, 1], note: await t.sign(due(t), 0, 1), links: [], head: '' });
  refused(t.phones[2], 'roll-number', 3);
  await t.feed(t.phones[1], { type: 'linked', roll: 4, seat: 2, link: '00'.repeat(32) });
  refused(t.phones[1], 'roll-number', 4);
});

test('a HEAD of another head, roll or match, or not the server\'s', async () => {
  const heads = {
    'another head': (t) => t.sign(headText({ match: t.match, roll: 3, head: '00'.repeat(32) }), 0),
    'another roll': (t, head) => t.sign(headText({ match: t.match, roll: 4, head }), 0),
    'another match': (t, head) => t.sign(headText({ match: '00'.repeat(16), roll: 3, head }), 0),
    'a seat\'s': (t, head) => t.sign(headText({ match: t.match, roll: 3, head }), 1),
    'nobody\'s': (t, head) => t.sign(headText({ match: t.match, roll: 3, head })),
    'a replayed one': (t) => event(t, 'rolled', 1).head,
    'none': () => '',
  };
  for (const [what, make] of Object.entries(heads)) {
    const { phone } = await rolled(async (honest, t) => ({ head: await make(t, openNote(honest.head).text.slice(-65, -1)) }));
    assert.deepEqual([phone.view.fault, phone.view.rolls.length], [{ code: 'head-differs', roll: 3 }, 2], what);
  }
});

test('two heads for one roll: a server that was set back tells the roll otherwise', async () => {
  const t = await running(1, { dice: 'any' });
  const kept = event(t, 'rolled', -1);
  const head = await t.sign(headText({ match: t.match, roll: 1, head: '00'.repeat(32) }), 0);
  const older = mapKeeper({ kept: true }); // of a page that kept a HEAD with its roll alone
  for (const { key, value } of await t.keepers[2].list('')) if (!key.includes('/head/')) await older.once(key, value);
  for (const keeper of [t.keepers[2], older]) {
    const phone = t.open(2, { keeper });
    for (const e of t.house.events.slice(0, -1)) await phone.take(e);
    await t.feed(phone, { ...kept, event: phone.last + 1, head });
    refused(phone, 'two-heads', 1);
    const [{ notes }] = phone.view.evidence;
    assert.equal((await evidence(...notes, t.server.key)).code, 'two-heads');
  }
});

test('a wrong HEAD of the server is kept, so that the right one proves it, also after a reload', async () => {
  const wrong = (t) => t.sign(headText({ match: t.match, roll: 3, head: '00'.repeat(32) }), 0);
  for (const change of [async (_, t) => ({ head: await wrong(t) }), async (_, t) => ({ head: await wrong(t), links: [] })]) {
    const { t, phone } = await rolled(change);
    assert.deepEqual(phone.view.evidence, []);
    const right = event(t, 'rolled', -1);
    const reloaded = t.open(2);
    for (const e of t.house.events) await reloaded.take(e);
    refused(reloaded, 'two-heads', 3);
    await t.feed(phone, { ...right, event: phone.last + 1 });
    for (const { view } of [phone, reloaded]) {
      assert.equal(view.evidence.length, 1);
      const proof = await evidence(...view.evidence[0].notes, t.server.key);
      assert.deepEqual([proof.code, proof.place.number], ['two-heads', 3]);
    }
  }
});

test('a roll that was complete is told with another text after a reload', async () => {
  const t = await running(1, { dice: 'any' });
  const phone = t.open(2, { last: 0 });
  const until = t.house.events.findIndex(({ type }) => type === 'asked');
  for (const e of t.house.events.slice(0, until)) await phone.take(e);
  const before = sent(t, 2, 'link').length;
  const { match, roll, actor, head } = readRoll(text(t, 'asked'));
  const other = rollText({ match, roll, actor, head, faces: [20] });
  await t.feed(phone, { type: 'asked', roll, seat: actor, faces: [20], note: await t.sign(other, 1, 0) });
  refused(phone, 'two-rolls', 1);
  assert.equal(sent(t, 2, 'link').length, before);
});

// Moves.

/** Tells phone 2 a move at a table with two rolls, where seat 1 has the turn. */
async function moved(change, by, code, more = {}) {
  const t = await running(2, more);
  const head = lastHead(t);
  const note = await t.sign(moveText({ match: t.match, role: 1, head, move: 'game', ...change(t) }), ...by);
  await t.feed(t.phones[2], { type: 'moved', seat: 1, note });
  if (code === null) assert.equal(t.phones[2].view.fault, null);
  else refused(t.phones[2], code);
}

test('a move signed by somebody else', async () => {
  await moved(() => ({}), [1], null);
  await moved(() => ({}), [2], 'move-signature');
  await moved(() => ({}), [0], 'move-signature');
  await moved(() => ({}), [], 'move-signature');
});

test('a move by a seat whose turn it is not, or that the table does not know', async () => {
  await moved(() => ({ role: 2 }), [2], 'not-due');
  for (const move of ['turn 1', 'turn 3', 'turn 0', 'turn 02', 'game 2', 'Game', '24/20 13/11']) await moved(() => ({ move }), [1], 'not-due');
});

test('a move over another head, of another match, or replayed', async () => {
  await moved(() => ({ head: '00'.repeat(32) }), [1], 'other-head');
  await moved((t) => ({ head: openNote(event(t, 'rolled', 0).head).text.slice(-65, -1) }), [1], 'other-head');
  await moved(() => ({ match: '00'.repeat(16) }), [1], 'other-match');
  const t = await running(2);
  await t.phones[1].newGame();
  await t.idle();
  await t.feed(t.phones[2], { type: 'moved', seat: 1, note: event(t, 'moved').note });
  refused(t.phones[2], 'other-head');
});

test('a move while a roll is going on', async () => {
  const t = await running(2);
  const move = await t.sign(moveText({ match: t.match, role: 1, head: lastHead(t), move: 'turn 2' }), 1);
  t.gate = (seat, e) => seat !== 2 || e.type !== 'rolled';
  await rollOn(t);
  await t.feed(t.phones[2], { type: 'moved', seat: 1, note: move });
  refused(t.phones[2], 'not-due');
});

// The end.

/** Ends a match otherwise for phone 1, and asserts that it signs nothing. */
async function unsigned(run, code = 'record-differs') {
  const t = await running(2);
  const before = t.house.record;
  const phone = t.phones[1] = t.open(1, { record: async () => t.record() });
  await t.hear(phone);
  t.record = before;
  await run(t, phone);
  await t.idle();
  await phone.idle();
  assert.equal(phone.view.fault?.code, code);
  assert.deepEqual(sent(t, 1, 'sign'), []);
}

async function endHonestly(t) {
  await t.phones[1].end();
  await t.phones[2].end();
}

test('a record that is not this phone\'s own is not signed', async () => {
  const changed = (change) => async (t) => {
    t.record = async () => {
      const { body } = await t.house.record();
      const own = change(openNote(body).text);
      const whole = own.slice(0, own.indexOf('sum '));
      return { ok: true, body: await t.sign(`${whole}sum ${sumOf(whole)}\n`, 0) };
    };
    await endHonestly(t);
  };
  await unsigned(changed((own) => own.replace('state finished', 'state aborted 2')));
  await unsigned(changed((own) => own.replace(/roll 2 2 6,6 (\d),(\d)/, 'roll 2 2 6,6 6,6').replace(/roll 1 1 6,6 (\d),(\d)/, 'roll 1 1 6,6 1,1')));
  await unsigned(changed((own) => own.replace(/roll 2 .*\n/, '').replace('rolls 2', 'rolls 1')));
  await unsigned(changed((own) => own.replace('seq 1', 'seq 2')));
});

test('a record that the server did not sign is not signed', async () => {
  await unsigned(async (t) => {
    t.record = async () => ({ ok: true, body: await t.sign(openNote((await t.house.record()).body).text, 2) });
    await endHonestly(t);
  });
  await unsigned(async (t) => {
    t.record = async () => ({ ok: true, body: openNote((await t.house.record()).body).text });
    await endHonestly(t);
  });
});

/** The server's record with another state, signed by it: a phone that believed the state would agree to all else. */
const withState = (t, state) => async () => {
  const text = openNote((await t.house.record()).body).text.replace('state running', `state ${state}`);
  const body = text.slice(0, text.indexOf('sum '));
  return { ok: true, body: await t.sign(`${body}sum ${sumOf(body)}\n`, 0) };
};

test('a match that ends while a roll is going on', async () => {
  await unsigned(async (t, phone) => {
    t.stop = (seat, action) => seat === 2 && action === 'link';
    await t.phones[1].roll([6, 6]);
    await t.idle();
    t.record = withState(t, 'finished');
    await t.feed(phone, { type: 'finished', seat: 1 });
  });
});

test('an end that names a seat as silent which is not', async () => {
  await unsigned(async (t, phone) => {
    t.gate = (_, e) => e.type !== 'rolled';
    await t.phones[1].roll([6, 6]);
    await t.idle();
    assert.deepEqual(phone.view.pending.missing, []);
    t.record = withState(t, 'aborted 1');
    await t.feed(phone, { type: 'aborted', role: 1, seat: 2 });
  });
  await unsigned(async (t, phone) => {
    t.record = withState(t, 'aborted 2'); // it is seat 1's turn
    await t.feed(phone, { type: 'aborted', role: 2, seat: 1 });
  });
  await unsigned(async (t, phone) => {
    await t.phones[1].handOver(2);
    await t.idle();
    t.record = withState(t, 'aborted 1'); // as if it had given up
    await t.feed(phone, { type: 'aborted', role: 1, seat: 1 });
  });
});

test('an end that is told twice, once of another seat', async () => {
  const t = await running(2);
  const phone = t.phones[1] = t.open(1, { record: withState(t, 'aborted 2') });
  await t.hear(phone);
  t.gate = () => false;
  for (let n = 0; n < 2; n++) await t.feed(phone, { type: 'aborted', role: 2, seat: 2 }); // it gave up
  assert.deepEqual([phone.view.fault, phone.view.silent, sent(t, 1, 'sign').length > 0], [null, 2, true]);
  await t.feed(phone, { type: 'aborted', role: null, seat: 2 });
  refused(phone, 'record-differs');
  assert.equal(phone.view.silent, 2);
});

test('a phone that stopped goes on with nothing, and may still leave or go on elsewhere', async () => {
  const t = await running(2);
  deaf(t);
  await asked(t, due(t, { roll: 4 }), [1, 0]);
  refused(t.phones[1], 'roll-number', 4);
  const before = t.posts.length;
  await t.feed(t.phones[1], { type: 'asked', roll: 3, seat: 1, faces: [6, 6], note: await t.sign(due(t), 1, 0) });
  for (const act of [() => t.phones[1].roll([6, 6]), () => t.phones[1].newGame(), () => t.phones[1].handOver(2), t.phones[1].wish, t.phones[1].end]) {
    assert.deepEqual((await act()).problem?.code, 'roll-number');
  }
  assert.equal(t.posts.length, before);
  await t.feed(t.phones[1], { type: 'next', match: 'ab'.repeat(16) });
  assert.equal(t.phones[1].view.next, 'ab'.repeat(16));
  assert.ok((await t.phones[1].abort()).ok);
});
