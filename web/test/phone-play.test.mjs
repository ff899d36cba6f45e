// Honest play, to the record that the independent verifier proves.
import assert from 'node:assert/strict';
import test from 'node:test';
import { verifyAsync } from '../verifier/veridice.mjs';
import { mapKeeper } from '../app/phone/keeper.mjs';
import { openSolo } from '../app/phone/solo.mjs';
import { dealFaces } from '../app/phone/terms.mjs';
import { rollOn, sent, start, stream, table } from './phone-support.mjs';

async function finish(t) {
  for (const phone of t.phones.slice(1)) if (t.phones[1].view.phase === 'running') await phone.end();
  await t.idle();
}

/** The record, proven by the verifier against the opening and the receipts that a phone kept. */
async function prove(t, state = 'finished') {
  const { body } = await t.house.record();
  const seen = t.phones[1].evidence();
  const report = await verifyAsync(body, { seal: t.phones[1].view.opening, heads: seen.rolls.map(({ head }) => head) });
  assert.deepEqual([report.verdict, report.code], ['proven', '']);
  assert.deepEqual(report.signed, [...t.phones.keys()]);
  assert.equal(report.record.state, state);
  assert.deepEqual(report.record.entries.filter(({ type }) => type === 'roll').map(({ dice }) => dice), t.phones[1].view.rolls.map(({ dice }) => dice));
  return report;
}

test('two phones play fifty rolls, and every seat signs what happened', async () => {
  const t = await table({ name: 'two' });
  const first = t.phones[1].view;
  assert.deepEqual([first.phase, first.me, first.holder, first.logged, first.solo, first.linksLeft], ['running', 1, 1, false, false, 256]);
  assert.deepEqual([first.names, first.joined, first.ready, first.awaited], [['player 1', 'player 2'], [true, true], [true, true], [1]]);
  for (let n = 1; n <= 50; n++) {
    if (n === 21) assert.ok((await t.phones[1].newGame()).ok);
    await t.idle();
    assert.deepEqual(await rollOn(t), { ok: true, body: {} });
    const { rolls } = t.phones[2].view;
    assert.equal(rolls.length, n);
    assert.deepEqual({ ...rolls[n - 1], dice: null }, {
      roll: n, seat: 2 - (n % 2), faces: [6, 6], dice: null, items: null, game: n <= 20 ? 1 : 2, checked: true,
    });
  }
  assert.deepEqual(t.phones[1].view.games, [20, 30]);
  assert.equal(t.phones[1].view.linksLeft, 206);
  assert.deepEqual(t.phones[1].view.rolls, t.phones[2].view.rolls);
  assert.ok(new Set(t.phones[1].view.rolls.map(({ dice }) => String(dice))).size > 15);
  await finish(t);
  assert.deepEqual(t.phones[1].view.signed.toSorted(), [1, 2]);
  const report = await prove(t);
  assert.equal(report.rolls, 50);
  assert.equal(report.record.entries.filter(({ type }) => type === 'move').length, 1);

  // What it took: one of each part for each phone and roll, and no link before its turn.
  for (const seat of [1, 2]) {
    assert.deepEqual(['join', 'ready', 'sign'].map((action) => sent(t, seat, action).length), [1, 1, 1]);
    assert.deepEqual(sent(t, seat, 'link').map(({ roll }) => roll), Array.from({ length: 50 }, (_, i) => i + 1));
    assert.equal(sent(t, seat, 'ask').length, 25);
  }
});

test('three phones play fifty rolls of any dice', async () => {
  const t = await table({ name: 'three', seats: 3, dice: 'any' });
  const wanted = [[2], [100], [1_000_000, 2, 3], Array(100).fill(6), [20, 6, 6, 6]];
  for (let n = 0; n < 50; n++) await rollOn(t, wanted[n % wanted.length]);
  const { rolls } = t.phones[3].view;
  assert.deepEqual(rolls.map(({ seat }) => seat), Array.from({ length: 50 }, (_, i) => (i % 3) + 1));
  assert.deepEqual(rolls.map(({ faces }) => faces), Array.from({ length: 50 }, (_, i) => wanted[i % wanted.length]));
  await finish(t);
  await prove(t);
});

test('cards from one deck: each once, and a new game takes a whole deck', async () => {
  const t = await table({ name: 'deck', dice: 'deck52', turn: 'free' });
  const phone = t.phones[1];
  const dealt = [];
  for (const count of [5, 1, 20, 25]) {
    await rollOn(t, dealFaces(phone.view.deck, count));
    dealt.push(...phone.view.rolls.at(-1).items);
  }
  assert.equal(new Set(dealt).size, 51);
  assert.deepEqual(phone.view.deck.concat(dealt).toSorted((a, b) => a - b), Array.from({ length: 52 }, (_, i) => i));
  assert.equal((await phone.roll([1])).problem.code, 'not-these-dice');
  assert.equal((await phone.roll([52])).problem.code, 'not-these-dice');
  assert.ok((await phone.newGame()).ok);
  await t.idle();
  assert.equal(phone.view.deck.length, 52);
  await rollOn(t, [52, 51]);
  assert.equal(phone.view.deck.length, 50);
  await finish(t);
  await prove(t);
});

test('one phone alone with the server, until its chain is spent', async () => {
  const t = await table({ name: 'spent', seats: 1, dice: '1-6d6' });
  for (let n = 0; n < 256; n++) await t.phones[1].roll(Array((n % 6) + 1).fill(6)).then(t.idle);
  assert.deepEqual([t.phones[1].view.rolls.length, t.phones[1].view.linksLeft], [256, 0]);
  assert.equal((await t.phones[1].roll([6])).problem.code, 'not-these-dice');
  await finish(t);
  await prove(t);
});

test('a spectator checks everything, and sends nothing', async () => {
  const t = await table({ name: 'watch' });
  for (let n = 0; n < 3; n++) await rollOn(t);
  await finish(t);
  const before = t.posts.length;
  const watching = t.open(null);
  await t.hear(watching);
  await watching.idle();
  assert.deepEqual([watching.view.phase, watching.view.me, watching.view.fault], ['finished', null, null]);
  assert.deepEqual(watching.view.rolls, t.phones[1].view.rolls);
  assert.equal((await watching.roll([6, 6])).problem.code, 'no-seat');
  assert.equal((await watching.wish()).problem.code, 'no-seat');
  assert.equal(t.posts.length, before);
});

test('where the turn stays, a wish brings it, and no roll that was asked for is overtaken', async () => {
  const t = await table({ name: 'free', turn: 'free', seats: 3 });
  await rollOn(t);
  assert.equal(t.phones[1].view.holder, 1);
  assert.ok((await t.phones[3].wish()).ok);
  await t.idle();
  assert.deepEqual([t.phones[2].view.holder, t.phones[2].view.wish], [3, null]);
  assert.equal((await t.phones[1].roll([6, 6])).problem.code, 'not-your-turn');
  // A roll that is signed and not confirmed yet comes first.
  t.stop = (seat, action) => action === 'ask';
  t.phones[3].roll([6, 6]);
  await t.phones[2].wish();
  t.stop = () => false;
  await t.idle();
  assert.equal(t.phones[3].view.rolls.length, 2);
  assert.equal(t.phones[1].view.rolls.at(-1).seat, 3);
  await t.phones[2].wish();
  await t.idle();
  assert.equal(t.phones[1].view.holder, 2);
  await finish(t);
  await prove(t);
});

test('the turn may be handed over; nothing else is a move', async () => {
  const t = await table({ name: 'hand' });
  assert.equal((await t.phones[1].newGame()).problem.code, 'not-this-move', 'no game before the first roll');
  assert.equal((await t.phones[1].handOver(1)).problem.code, 'not-this-move');
  assert.equal((await t.phones[1].handOver(3)).problem.code, 'not-this-move');
  assert.equal((await t.phones[2].handOver(1)).problem.code, 'not-your-turn');
  assert.ok((await t.phones[1].handOver(2)).ok);
  await t.idle();
  assert.equal(t.phones[1].view.holder, 2);
  for (const faces of [[6], [6, 6, 6], [6, 5]]) assert.equal((await t.phones[2].roll(faces)).problem.code, 'not-these-dice');
});

test('a phone is missing: it is named, nothing is rolled instead, and it goes on with the same link', async () => {
  const t = await table({ name: 'missing' });
  await rollOn(t);
  t.stop = (seat, action) => seat === 1 && action === 'link';
  await t.phones[2].roll([6, 6]);
  await t.idle();
  const { pending, awaited, rolls } = t.phones[2].view;
  assert.deepEqual([pending, awaited, rolls.length], [{ roll: 2, seat: 2, faces: [6, 6], missing: [1], since: new Date(start).toISOString() }, [1], 1]);
  assert.equal((await t.phones[2].roll([6, 6])).problem.code, 'roll-pending');
  assert.equal((await t.phones[2].handOver(1)).problem.code, 'roll-pending');
  t.stop = () => false;
  const back = t.open(1);
  await t.hear(back);
  await back.idle();
  await t.phones[2].idle();
  assert.equal(t.phones[2].view.rolls.length, 2);
  const [first, second] = sent(t, 1, 'link').slice(-2);
  assert.deepEqual(first, second);
});

test('a match that did not go on: the pending roll stands in the record that both sign', async () => {
  const t = await table({ name: 'aborted' });
  await rollOn(t);
  t.stop = (seat, action) => seat === 2 && action === 'link';
  await t.phones[1].roll([6, 6]); // not its turn
  await t.phones[2].roll([6, 6]);
  await t.idle();
  assert.deepEqual(t.phones[1].view.pending.missing, [2]);
  await t.phones[2].leave();
  await t.idle();
  t.stop = () => false;
  const back = t.open(2);
  await t.hear(back);
  await back.idle();
  assert.deepEqual([back.view.phase, back.view.silent, back.view.fault], ['aborted', 2, null]);
  await t.phones[1].idle();
  const report = await prove(t, 'aborted');
  assert.deepEqual(report.record.pending, { roll: 2, actor: 2, faces: [6, 6] });
  assert.equal(report.record.role, 2);
});

test('before its word is out, no phone shows a link, and none is shown for a look back', async () => {
  const t = await table({ name: 'late' });
  for (let n = 0; n < 4; n++) await rollOn(t);
  const before = t.posts.length;
  const again = t.open(2);
  await t.hear(again);
  await again.idle();
  assert.equal(again.view.rolls.length, 4);
  assert.equal(t.posts.length, before, 'all was said before');
});

test('alone, against oneself: the page plays all parties and says so', async () => {
  const random = stream('solo');
  const t = await table({ name: 'signer', join: false });
  const solo = await openSolo({ dice: '3d6+1d20', names: ['one', 'two'], signer: t.signer, random, now: () => start });
  await solo.idle();
  assert.deepEqual([solo.view.solo, solo.view.phase, solo.view.me, solo.view.logged], [true, 'running', 1, false]);
  for (let n = 1; n <= 6; n++) {
    assert.ok((await solo.roll([6, 6, 6, 20])).ok);
    await solo.idle();
    assert.equal(solo.view.rolls.length, n);
    assert.equal(solo.view.me, (n % 2) + 1);
  }
  assert.ok((await solo.end()).ok);
  await solo.idle();
  const report = await verifyAsync((await solo.record()).body);
  assert.deepEqual([report.verdict, report.rolls, report.signed], ['proven', 6, [0, 1, 2]]);
});

test('alone, against a bot, with dice, cards and hand-overs', async () => {
  const t = await table({ name: 'signer', join: false });
  for (const [dice, turn, faces] of [['2d6', 'alternate', [6, 6]], ['deck4', 'free', [4]], ['any', 'alternate', [20]], ['1-3d6', 'free', [6]]]) {
    const solo = await openSolo({ dice, turn, names: ['me', 'bot'], bots: [2], signer: t.signer, random: stream(dice), now: () => start });
    await solo.idle();
    assert.ok((await solo.roll(faces)).ok);
    if (turn === 'free') {
      await solo.idle();
      assert.ok((await solo.handOver(2)).ok);
    }
    await solo.idle();
    const { rolls, holder, me, fault } = solo.view;
    assert.deepEqual([rolls.map(({ seat }) => seat), holder, me, fault], [[1, 2], 1, 1, null], dice);
    assert.deepEqual(rolls[1].faces, { '2d6': [6, 6], deck4: [3], any: [20], '1-3d6': [6, 6, 6] }[dice]);
  }
});

test('a phone whose storage is refused does not join', async () => {
  const t = await table({ name: 'refused', join: false });
  const phone = t.phones[1] = t.open(1, { keeper: mapKeeper() });
  await t.hear(phone);
  await phone.acknowledge('one');
  await t.phones[2].acknowledge('two');
  await t.idle();
  assert.equal(phone.view.fault.code, 'no-storage');
  assert.equal(phone.view.phase, 'offered');
  assert.deepEqual(sent(t, 1, 'join'), [], 'it looks on');
});

test('a wish waits as long as the server counts: no longer for a second wish, and not while a roll is going on', async () => {
  const second = (s) => new Date(start + 1000 * s).toISOString();
  // What a spectator is told of one roll by seat 1: wishes by the number of events before them, and when each event came.
  const waits = async (given, wishes, times) => {
    const t = await table({ name: 'wait', ...given });
    await rollOn(t);
    const at = t.events.findIndex(({ type }) => type === 'asked');
    const events = t.events.slice(0, t.events.findIndex(({ type }) => type === 'rolled') + 1);
    for (const [before, seat] of wishes) events.splice(at + before, 0, { type: 'wished', seat });
    const came = { wished: [...times.wished], asked: [times.asked], rolled: [times.rolled] };
    const watching = t.open(null, { last: events.length });
    for (const [i, event] of events.entries()) await watching.take({ ...event, event: i + 1, at: second(came[event.type]?.shift() ?? 0) });
    await watching.idle();
    const { rolls, holder, wish, wishSince } = watching.view;
    assert.equal(rolls.length, 1);
    return [holder, wish, wishSince];
  };
  const free = { turn: 'free', seats: 2 };
  assert.deepEqual(await waits(free, [[0, 2]], { wished: [10], asked: 30, rolled: 50 }), [1, 2, second(30)]);
  assert.deepEqual(await waits(free, [[1, 2]], { wished: [40], asked: 30, rolled: 60 }), [1, 2, second(60)]);
  assert.deepEqual(await waits({ turn: 'free', seats: 3 }, [[0, 2], [1, 3]], { wished: [10, 20], asked: 30, rolled: 50 }), [1, 3, second(30)]);
  // The holder's time begins with the turn.
  assert.deepEqual(await waits({ seats: 3 }, [[0, 2], [1, 3]], { wished: [10, 20], asked: 30, rolled: 50 }), [2, 3, second(50)]);
});
