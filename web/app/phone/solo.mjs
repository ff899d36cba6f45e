// Play alone, against oneself or a bot, without any server: the page plays all parties, each with its own chain and key,
// by the same rules and the same code. Whoever plays all parties may choose all dice: such a match proves nothing to
// others, and the view says so (solo).
import { toHex } from '../../verifier/seed.mjs';
import { openHouse } from './house.mjs';
import { mapKeeper } from './keeper.mjs';
import { openPhone } from './phone.mjs';
import { dealFaces, readDice, termsText } from './terms.mjs';

/** @typedef {import('./phone.mjs').View} View */
/** @typedef {import('./phone.mjs').Answer} Answer */

const WAIT = 86_400; // nobody is waited for

/**
 * names are those of the seats, in playing order; bots the seats that play by themselves. pause is awaited before a bot
 * plays, so that people see what happens.
 * @param {{
 *   dice: string, turn?: 'alternate' | 'free', names: string[], bots?: number[], links?: number,
 *   signer: import('./signer.mjs').Signer, random: (length: number) => Uint8Array, now: () => number,
 *   pause?: () => Promise<void>, onChange?: () => void,
 * }} given dice in the notation of readDice
 */
export async function openSolo({
  dice, turn = 'alternate', names, bots = [], links, signer, random, now, pause = async () => {}, onChange = () => {},
}) {
  const kinds = readDice(dice).value;
  if (kinds === null) throw new Error(`no dice: ${dice}`);
  const terms = termsText({ dice, turn, wait: WAIT, salt: toHex(random(16)) });
  /** @type {any[]} events that were told before there was anybody to hear them */
  const early = [];
  let tell = (/** @type {any} */ event) => { early.push(event); };
  const house = await openHouse({ seats: names.length, terms, links, signer, random, now, tell: (event) => tell(event) });
  const phones = names.map((_, i) => openPhone({
    match: house.match, token: `seat ${i + 1}`, serverKey: house.key, keeper: mapKeeper({ kept: true }),
    post: (action, body) => house.post(i + 1, action, body), record: house.record, signer, random, now, onChange: changed,
  }));
  const people = names.map((_, i) => i + 1).filter((seat) => !bots.includes(seat));
  /** @type {Promise<void> | null} */
  let playing = null;
  tell = (event) => { for (const phone of phones) phone.take(event); };
  early.forEach(tell);
  await Promise.all(phones.map((phone, i) => phone.acknowledge(names[i])));

  return {
    get view() { return look(); },
    roll: (/** @type {number[]} */ faces) => acting().roll(faces),
    newGame: () => acting().newGame(),
    handOver: (/** @type {number} */ seat) => acting().handOver(seat),
    end,
    evidence: () => phones[0].evidence(),
    record: house.record,
    idle,
  };

  /** Whoever sits at this device: who has the turn, unless that is a bot. */
  function seat() {
    const { holder } = phones[0].view;
    return people.includes(holder) ? holder : people[0] ?? 1;
  }

  function acting() {
    return phones[seat() - 1];
  }

  /** @returns {View} */
  function look() {
    return { ...acting().view, solo: true };
  }

  function changed() {
    onChange();
    const { phase, holder, pending } = phones[0].view;
    if (phase === 'running' && pending === null && bots.includes(holder) && playing === null) playing = play(holder);
  }

  /** A bot rolls once; where the turn stays with it, it hands it on. @param {number} bot */
  async function play(bot) {
    await pause();
    await settled();
    const phone = phones[bot - 1];
    const { rolls, deck } = phone.view;
    const rolled = turn === 'free' && rolls.at(-1)?.seat === bot;
    const dealt = deck !== null && deck.length < 2;
    const { ok } = await (rolled ? phone.handOver((bot % names.length) + 1) : dealt ? phone.newGame() : phone.roll(choose(phone.view)));
    await settled();
    playing = null;
    if (ok) changed();
  }

  /** What a bot rolls: all dice there may be, one card, or what was rolled last. @param {View} view */
  function choose({ rolls, deck }) {
    switch (kinds?.kind) {
      case 'fixed': return kinds.faces;
      case 'some': return Array(kinds.most).fill(kinds.faces);
      case 'deck': return dealFaces(deck ?? [], 1);
      default: return rolls.at(-1)?.faces ?? [6];
    }
  }

  /** Ends the match, for all who play. @returns {Promise<Answer>} */
  async function end() {
    await idle();
    const first = await phones[0].end();
    return first.ok && phones.length > 1 ? phones[1].end() : first;
  }

  /** Resolves when nobody has anything left to do by itself, bots included. */
  async function idle() {
    await settled();
    while (playing !== null) {
      await playing;
      await settled();
    }
  }

  async function settled() {
    for (let told = -1; told !== house.events.length;) {
      told = house.events.length;
      for (const phone of phones) await phone.idle();
    }
  }
}
