// Play alone: the page is the server and every seat, and nothing is sent anywhere. Who sits here has the turn of
// whichever seat holds it.
import { loadCore } from './core.mjs';
import { lang, say } from './words.mjs';
import { drawBytes } from './table-phone.mjs';
import { refusalWords } from './live-alarm.mjs';
import { openViews } from './live-views.mjs';
import { openSigner } from './phone/signer.mjs';
import { openSolo } from './phone/solo.mjs';
import { chainLength, withDice } from './live-notation.mjs';

/** @param {import('./table-address.mjs').Solo} wanted */
export async function playAlone({ dice, turn, seats }) {
  const names = Array.from({ length: seats }, (_, i) => say('table.seat', { seat: i + 1 }));
  const signer = await openSigner({ random: drawBytes, core: loadCore });
  let painting = false;
  /** @type {Awaited<ReturnType<typeof openSolo>>|null} */
  let solo = null;
  /** @type {import('./live-model.mjs').Model|null} */
  let model = null;
  /** @type {ReturnType<typeof openViews>|null} */
  let views = null;
  const without = () => {};
  const opened = await openSolo({ dice, turn, names, links: chainLength(dice), signer, random: drawBytes, now: Date.now, onChange: later });
  await opened.idle();
  solo = opened;
  model = {
    ...withDice(solo.view), seal: '', openingText: solo.evidence().opening ?? '', endSince: '', ahead: null, kept: true, connected: true,
    waiting: new Set(), trouble: false, refusal: '', record: '',
  };
  model.seal = /\nrole 0 ([0-9a-f]{64}) /.exec(model.openingText)?.[1] ?? '';
  views = openViews({ match: '', lang, token: null, created: {}, solo: true, serverKey: '' }, {
    acknowledge: without,
    roll: (faces) => ask('roll', () => opened.roll(faces)),
    game: () => ask('game', opened.newGame),
    handOver: (seat) => ask('turn', () => opened.handOver(seat)),
    wish: without,
    end: () => ask('end', opened.end),
    withdraw: without,
    abort: without,
    leave: without,
    next: () => location.reload(),
  });
  later();

  async function ask(action, act) {
    if (model === null || model.waiting.has(action)) return;
    model.waiting.add(action);
    model.refusal = '';
    later();
    const answer = await act();
    await opened.idle();
    model.waiting.delete(action);
    model.refusal = answer.ok ? '' : refusalWords(answer.problem);
    later();
  }

  function later() {
    if (painting || views === null) return;
    painting = true;
    queueMicrotask(async () => {
      painting = false;
      if (model === null || solo === null) return;
      Object.assign(model, withDice(solo.view));
      const over = model.view.phase === 'finished';
      if (over) {
        const answer = await solo.record();
        if (answer.ok) model.record = answer.body;
      }
      views?.render(model);
    });
  }
}
