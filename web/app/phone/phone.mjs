// A phone at a table of veridice/1: docs/spec/veridice-1.md, sections 2 to 7. It takes the events of the match in order,
// checks each with its own copy, and gives its own part: it joins, says that it is ready, shows its link of each roll,
// hands the turn over, and signs the record. What it may do only once goes through the keeper before it is sent, so that
// a reload, a second tab or a repeated question gets the same bytes and never others.
import { chainTo } from '../../verifier/chain.mjs';
import { fromHex, toHex } from '../../verifier/seed.mjs';
import { Copy, expiresInTime, Fault } from './copy.mjs';
import { openReceipts } from './receipts.mjs';
import { joinText, moveText, noteOf, openNote, readHead, readMove, readRoll, readyText, signatureLine, signerOf, sumOf } from './texts.mjs';

/**
 * @typedef {{status: number, code: string, field: string, args: {[name: string]: any}}} Problem
 * @typedef {{ok: true, body?: any} | {ok: false, problem: Problem}} Answer
 * @typedef {(action: string, body: object) => Promise<Answer>} Post
 *
 * match is the id, token that of the seat or null for a spectator, serverKey the pinned one. post sends until it is
 * answered; record gives the record of a match that is over. random gives bytes of the operating system's generator,
 * now milliseconds since 1970. policy is the pinned one of the public log, '' without a log, and growth gives its proofs
 * (receipts.mjs). last is the number of the last event there was when the page was loaded: before it is
 * taken, the phone only looks on. onChange is called when there is a new view.
 * @typedef {{
 *   match: string, token: string | null, serverKey: string, keeper: import('./keeper.mjs').Keeper, post: Post,
 *   record: () => Promise<Answer>, signer: import('./signer.mjs').Signer, random: (length: number) => Uint8Array,
 *   now: () => number, last?: number, policy?: string,
 *   growth?: (earlier: number, later: number) => Promise<string[] | null>, onChange?: () => void,
 * }} Given
 *
 * Lists of seats are by seat, the first at 0. rolls are those that this phone has checked; items are cards. awaited are
 * the roles whose part is missing, since when the match last went on. logged: whether the opening is in a public log.
 * declined: a part of this phone that the server did not take.
 * @typedef {{
 *   phase: 'seats' | 'offered' | 'joined' | 'anchored' | 'running' | 'finished' | 'aborted' | 'refused', me: number | null, seats: number,
 *   terms: {dice: string, turn: string, wait: number, text: string} | null, opening: string | null, logged: boolean,
 *   log: import('../../verifier/receipt.mjs').Logged | null, names: string[],
 *   here: boolean[], joined: boolean[], ready: boolean[], rolls: import('./copy.mjs').Roll[], games: number[], holder: number,
 *   pending: {roll: number, seat: number, faces: number[], missing: number[], since: string} | null, asking: boolean,
 *   wish: number | null, wishSince: string, deck: number[] | null, linksLeft: number, endAsked: number | null, signed: number[],
 *   silent: number | null, next: string | null, awaited: number[], since: string, solo: boolean,
 *   fault: {code: string, roll?: number} | null, evidence: {code: string, roll?: number, notes: string[]}[],
 *   declined: {action: string, problem: Problem} | null,
 * }} View
 *
 * What a phone keeps of its join: link is the last of its chain, from which all others follow.
 * @typedef {{offer: string, role: number, anchor: string, link: string, key: string, secret: string}} Join
 */

/** Faults that accuse nobody: the phone looks on, and gives no part of its own. */
const lookOn = new Set(['lost-chain', 'no-storage', 'expiry', 'no-quorum', 'log-unproven', 'receipt-time']);

/** @param {string} code @returns {Answer} */
const no = (code) => ({ ok: false, problem: { status: 0, code, field: '', args: {} } });

/** @param {number} roll a key by which rolls are listed in order */
const place = (roll) => String(roll).padStart(6, '0');

/**
 * A keeper whose failures are faults of a phone.
 * @param {import('./keeper.mjs').Keeper} keeper
 */
function complaining(keeper) {
  const refuse = () => { throw new Fault('no-storage'); };
  return {
    once: (/** @type {string} */ key, /** @type {any} */ value) => keeper.once(key, value).catch(refuse),
    get: (/** @type {string} */ key) => keeper.get(key).catch(refuse),
    list: (/** @type {string} */ prefix) => keeper.list(prefix).catch(refuse),
  };
}

/** @param {Given} given */
export function openPhone({
  match, token, serverKey, keeper: given, post, record, signer, random, now, last = 0, policy = '', growth = async () => null,
  onChange = () => {},
}) {
  const keeper = complaining(given);
  // The token and not the seat: that is the server's word, and one word more must not be worth one join more.
  const base = `${match}/${token === null ? 'watch' : sumOf(token).slice(0, 32)}/`;
  /** @type {Map<number, import('./copy.mjs').Done>} */
  const done = new Map();
  const receiptsOf = openReceipts({ policy, keeper, now, verify: signer.verify, growth });
  const copy = new Copy({ match, serverKey, verify: signer.verify, done, log: policy === '' ? null : { check: holdReceipt } });
  /** @type {Join | undefined} */
  let join;
  /** @type {Uint8Array[] | null} */
  let chain = null;
  /** The opening that this phone signed READY for. @type {string | undefined} */
  let ready;
  /** @type {{code: string, roll?: number} | null} */
  let fault = null;
  /** @type {View['evidence']} */
  let evidence = [];
  /** @type {View['declined']} */
  let declined = null;
  let asking = false;
  let taken = 0; // number of the last event
  let waiting = 1; // what stands in the queue, the loading first
  /** @type {Map<string, Promise<void>>} */
  const duties = new Map();
  let queue = load().finally(() => { waiting--; });
  /** @type {View | null} */
  let view = null;

  return {
    get view() { return (view ??= look()); },
    /** The number of the last event that was taken. */
    get last() { return taken; },
    take, acknowledge, roll, newGame, handOver, wish, end, withdraw, abort, leave, next, evidence: receipts, idle,
  };

  async function load() {
    try {
      for (const { key, value } of await keeper.list(base + 'done/')) done.set(Number(key.slice(-6)), value);
      join = await keeper.get(base + 'join');
      copy.me = (await keeper.get(base + 'seat')) ?? join?.role ?? null;
      copy.left = (await keeper.get(base + 'left')) ?? false;
      evidence = (await keeper.list(base + 'evidence/')).map(({ value }) => value);
    } catch (error) {
      await stop(error);
    }
  }

  /**
   * Takes the next event, when those before it have been checked. One that was taken before changes nothing.
   * @param {any} event
   * @returns {Promise<boolean>} false if an event is missing before this one: it was not taken
   */
  function take(event) {
    waiting++;
    const taking = queue.then(async () => {
      if (event.event > taken + 1) return false;
      if (event.event === taken + 1) {
        await check(event);
        taken++;
      }
      return true;
    }).finally(() => {
      waiting--;
      if (waiting > 0) return;
      changed();
      work();
    });
    queue = taking.then(() => {});
    return taking;
  }

  /** @param {any} event */
  async function check(event) {
    if (fault !== null && !lookOn.has(fault.code)) {
      if (event.type === 'next') await copy.take(event);
      if (event.type === 'rolled') await hear(event.head).catch(stop);
      return;
    }
    const head = copy.transcript;
    try {
      if (event.type === 'rolled') await hear(event.head);
      await copy.take(event);
      if (event.type === 'joined' && event.seat === copy.me) await mine(event.note);
      if (event.type === 'anchored' && copy.me !== null) await mine(null);
      if (event.type === 'offered' && join !== undefined && join.offer !== openNote(event.note)?.text) throw new Fault('offer-differs');
      if (event.type === 'rolled') await keep(event.roll);
    } catch (error) {
      await stop(error);
    }
    if (copy.transcript !== head || copy.pending !== null) asking = false;
    if (copy.transcript !== head) declined = null;
  }

  /**
   * A receipt is of now when it is taken for the first time; afterwards it is the one that was kept then.
   * @param {string} entry @param {string} receipt
   */
  async function holdReceipt(entry, receipt) {
    const at = `${base}receipt/${sumOf(entry)}`;
    const kept = await keeper.get(at);
    const logged = await receiptsOf.check(entry, receipt, kept === undefined && token !== null);
    await keeper.once(at, receipt);
    return logged;
  }

  /** What was joined in this seat must be what this browser joined with. @param {string | null} note */
  async function mine(note) {
    join ??= await keeper.get(base + 'join');
    const own = copy.joins[/** @type {number} */ (copy.me)];
    if (join === undefined) throw new Fault('lost-chain');
    if (note !== null && openNote(note)?.text !== joinOf(join)) throw new Fault('own-anchor');
    if (own?.anchor !== join.anchor || own.key !== join.key || join.role !== copy.me) throw new Fault('own-anchor');
  }

  /** @param {Join} own */
  function joinOf({ offer, role, anchor, key }) {
    return joinText({ match, offer: sumOf(offer), role, anchor, key });
  }

  /**
   * Keeps a HEAD that the server signed, before anything is held against it: a wrong one is evidence once there is another
   * for the same roll.
   * @param {unknown} receipt
   */
  async function hear(receipt) {
    const note = openNote(receipt);
    const head = note && readHead(note.text);
    if (head === null || head.match !== match) return;
    const known = done.get(head.roll)?.head;
    if (openNote(known)?.text === note.text || !(await copy.isSigned(note, 0, serverKey))) return;
    const kept = known ?? await keeper.once(`${base}head/${place(head.roll)}`, receipt);
    if (openNote(kept)?.text !== note.text) throw new Fault('two-heads', { roll: head.roll, notes: [kept, String(receipt)] });
  }

  /** Keeps the receipts of a roll, from which a later telling of it must not differ. @param {number} roll */
  async function keep(roll) {
    await keeper.once(`${base}done/${place(roll)}`, done.get(roll));
  }

  /** @param {unknown} error anything but a Fault is a mistake in here, and goes on */
  async function stop(error) {
    if (!(error instanceof Fault)) throw error;
    const { code, roll, notes } = error;
    const found = roll === undefined ? { code } : { code, roll };
    if (fault === null || (lookOn.has(fault.code) && !lookOn.has(code))) fault = found;
    asking = false;
    if (notes.length === 0) return;
    const key = `${base}evidence/${sumOf(notes.map((note) => sumOf(openNote(note)?.text ?? '')).join())}`;
    if (evidence.some(({ notes: [first, second] }) => first === notes[0] && second === notes[1])) return;
    evidence = [...evidence, { ...found, notes }];
    await given.once(key, { ...found, notes }).catch(() => {}); // it is shown all the same
  }

  function changed() {
    view = null;
    onChange();
  }

  /** Resolves when all events are taken and this phone has nothing left to send. */
  async function idle() {
    for (;;) {
      await queue;
      if (duties.size === 0 && waiting === 0) return;
      await Promise.all(duties.values());
    }
  }

  // What the page does by itself.

  function mayAct() {
    return token !== null && fault === null;
  }

  function unable() {
    return fault?.code ?? 'no-seat';
  }

  /** Begins what is due and not under way. */
  function work() {
    if (!mayAct() || waiting > 0 || taken < last) return;
    const { phase, me, pending } = copy;
    if (me === null) {
      if (phase !== 'seats' && phase !== 'aborted') duty('acknowledge', () => acknowledge(''));
      return;
    }
    if (phase === 'offered' && copy.joins[me] === null) duty('join', sendJoin);
    // No READY without the receipt of the opening: from then on it is this match for everybody.
    if (phase === 'anchored' && !copy.readies[me] && (policy === '' || copy.logged !== null)) duty('ready', sendReady);
    if (phase === 'running' && pending !== null && pending.links[me] === null) {
      duty(`link ${pending.roll}`, () => sendLink(pending));
    }
    if (phase === 'running' && pending === null && copy.holder === me) duty(`turn ${copy.transcript} ${copy.wish}`, takeTurn);
    if ((phase === 'finished' || phase === 'aborted') && copy.opening !== null && !copy.signed.includes(me)) duty('sign', sendSignature);
  }

  /**
   * @param {string} name what it is about; only one at a time
   * @param {() => Promise<Answer>} send
   */
  function duty(name, send) {
    if (duties.has(name)) return;
    const action = name.split(' ')[0];
    duties.set(name, (async () => {
      try {
        const answer = await send();
        if (!answer.ok && answer.problem.status !== 0) declined = { action, problem: answer.problem };
      } catch (error) {
        await stop(error);
      }
      duties.delete(name);
      changed();
    })());
  }

  async function sendJoin() {
    const offer = /** @type {NonNullable<Copy['offer']>} */ (copy.offer);
    const role = /** @type {number} */ (copy.me);
    join ??= await keeper.get(base + 'join');
    if (join === undefined) {
      if (!given.kept) throw new Fault('no-storage');
      if (!expiresInTime(offer.expires, now())) throw new Fault('expiry');
      const link = toHex(random(32));
      const anchor = toHex(chainTo(match, role, offer.links, link)[0]);
      join = /** @type {Join} */ (await keeper.once(base + 'join', { offer: offer.text, role, anchor, link, ...(await signer.make()) }));
    }
    if (join.offer !== offer.text || join.role !== role) throw new Fault('offer-differs');
    return post('join', { note: await signed(joinOf(join)) });
  }

  async function sendReady() {
    const leaf = openLeaf();
    ready = await keeper.once(base + 'ready', leaf);
    if (ready !== leaf) throw new Fault('ready-differs');
    return post('ready', { note: await signed(readyText({ match, leaf, role: own().role })) });
  }

  /** @param {import('./copy.mjs').Pending} pending */
  async function sendLink({ roll, text, note }) {
    ready ??= await keeper.get(base + 'ready');
    if (ready !== openLeaf()) throw new Fault('lost-chain');
    await only(roll, text, note);
    const part = { roll, link: toHex(links()[roll]), note: await signed(text) };
    // What the server signed is kept as evidence; the link need not wait for it.
    const [answer] = await Promise.all([post('link', part), keeper.once(`${base}asked/${place(roll)}`, note)]);
    return answer;
  }

  /**
   * Fixes the one text that this phone ever signs for the number of a roll.
   * @param {number} roll @param {string} text @param {string | null} note as the server sent it, if it did
   */
  async function only(roll, text, note) {
    const kept = await keeper.once(`${base}roll/${place(roll)}`, text);
    if (kept === text) return;
    const before = (await keeper.get(`${base}asked/${place(roll)}`)) ?? await signed(kept);
    throw new Fault('two-rolls', { roll, notes: note === null ? [] : [before, note] });
  }

  /** What the holder of the turn signed before is sent again; else the turn goes to who wishes for it. */
  async function takeTurn() {
    const kept = await keeper.get(`${base}over/${copy.transcript}`);
    if (kept !== undefined) return send(kept);
    const { wish: seat, terms } = copy;
    return terms?.turn === 'free' && seat !== null ? handOver(seat) : { ok: /** @type {const} */ (true) };
  }

  async function sendSignature() {
    const text = copy.record();
    const answer = await record();
    if (!answer.ok) return answer;
    if (!(await copy.agrees(answer.body))) throw new Fault('record-differs');
    if (await keeper.once(base + 'record', text) !== text) throw new Fault('record-differs');
    return post('sign', { signature: await line(/** @type {string} */ (text)) });
  }

  /** @returns {Join} */
  function own() {
    if (join === undefined) throw new Fault('lost-chain');
    return join;
  }

  function openLeaf() {
    return /** @type {NonNullable<Copy['opening']>} */ (copy.opening).leaf;
  }

  function links() {
    const { role, link } = own();
    chain ??= chainTo(match, role, /** @type {NonNullable<Copy['opening']>} */ (copy.opening).links, link);
    return chain;
  }

  /** The line of this phone's signature on a text: made once, for some browsers never make the same one twice. @param {string} text */
  async function line(text) {
    const { role, secret, key } = own();
    const at = `${base}signed/${sumOf(text)}`;
    return (await keeper.get(at)) ?? keeper.once(at, signatureLine(signerOf(match, role, key), await signer.sign(secret, text)));
  }

  /** @param {string} text */
  async function signed(text) {
    return noteOf(text, await line(text));
  }

  // What its user wants.

  /**
   * I am here and saw the anchor. The answer says which seat this is.
   * @param {string} name may be empty
   * @returns {Promise<Answer>}
   */
  async function acknowledge(name) {
    if (token === null) return no('no-seat');
    await queue;
    let answer = await post('acknowledge', { seal: copy.anchor, name });
    if (!answer.ok && answer.problem.code === 'other-name') answer = await post('acknowledge', { seal: copy.anchor, name: '' });
    if (!answer.ok) return answer;
    try {
      const seat = answer.body.seat;
      copy.me = given.kept ? await keeper.once(base + 'seat', seat) : seat;
      if (copy.me !== seat) await stop(new Fault('offer-differs'));
      else if (copy.joins[seat]) await mine(null);
    } catch (error) {
      await stop(error);
    }
    changed();
    work();
    return answer;
  }

  /**
   * Asks for a roll of this phone's own.
   * @param {number[]} faces
   * @returns {Promise<Answer>}
   */
  async function roll(faces) {
    await queue;
    const code = whyNot() ?? (copy.allows(faces) ? null : 'not-these-dice');
    return code === null ? begin(copy.dueText(faces)) : no(code);
  }

  function newGame() {
    return move('game');
  }

  /** @param {number} seat */
  function handOver(seat) {
    return move(`turn ${seat}`);
  }

  /** @param {string} what @returns {Promise<Answer>} */
  async function move(what) {
    await queue;
    const code = whyNot() ?? (copy.allowsMove(what) ? null : 'not-this-move');
    return code === null ? begin(moveText({ match, role: copy.holder, head: copy.transcript, move: what })) : no(code);
  }

  /** Why this phone cannot begin anything now. */
  function whyNot() {
    if (!mayAct()) return unable();
    if (copy.phase !== 'running') return 'not-running';
    if (copy.pending !== null) return 'roll-pending';
    return copy.holder === copy.me ? null : 'not-your-turn';
  }

  /** Signs one thing over one T, and sends it. @param {string} text @returns {Promise<Answer>} */
  async function begin(text) {
    try {
      const kept = await keeper.once(`${base}over/${copy.transcript}`, text);
      const answer = await send(kept);
      return answer.ok && kept !== text ? no('asked-otherwise') : answer;
    } catch (error) {
      await stop(error);
      changed();
      return no(fault?.code ?? '');
    }
  }

  /** @param {string} text a roll or a move over the present T */
  async function send(text) {
    const ask = readRoll(text);
    const head = ask?.head ?? readMove(text)?.head;
    if (ask !== null) await only(ask.roll, text, null);
    const note = await signed(text);
    asking = copy.transcript === head && copy.pending === null;
    changed();
    const answer = await post(ask === null ? 'move' : 'ask', { note });
    if (!answer.ok) asking = false;
    changed();
    return answer;
  }

  function after() {
    return { after: copy.rolls.length };
  }

  /** Asks the holder for the turn. */
  async function wish() {
    return mayAct() ? post('wish', after()) : no(unable());
  }

  async function end() {
    return mayAct() ? post('end', after()) : no(unable());
  }

  async function withdraw() {
    return mayAct() ? post('end/withdraw', {}) : no(unable());
  }

  /** Ends the match as one that did not go on: also for a phone that cannot, or will not, go on itself. */
  async function abort() {
    return token === null ? no('no-seat') : post('abort', after());
  }

  /** Gives up: where nobody else is late, the record then names this seat. */
  async function leave() {
    if (token === null) return no('no-seat');
    await given.once(base + 'left', true).catch(() => {}); // without it this phone only does not sign
    copy.left = true;
    return post('abort', { ...after(), leave: true });
  }

  /** Opens another match with the same seats and terms. */
  async function next() {
    return token === null ? no('no-seat') : post('next', {});
  }

  /**
   * What proves to others what this phone saw: no secret, and no link that was not shown. Whoever holds a copy of it can
   * check the match, and cannot answer for this phone.
   */
  function receipts() {
    return {
      match, serverKey, opening: copy.opening?.text ?? null, receipts: copy.receipts,
      rolls: [...done].sort(([a], [b]) => a - b).map(([number, { note, head }]) => ({ roll: number, note, head })),
      evidence,
    };
  }

  /** @returns {View} */
  function look() {
    const { terms, opening, pending, seats } = copy;
    const bySeat = Array.from({ length: seats }, (_, i) => i + 1);
    return {
      phase: fault !== null && !lookOn.has(fault.code) ? 'refused' : copy.phase,
      me: copy.me,
      seats,
      terms: terms && { dice: terms.dice, turn: terms.turn, wait: terms.wait, text: terms.text },
      opening: opening?.leaf ?? null,
      logged: copy.logged !== null,
      log: copy.logged,
      names: bySeat.map((seat) => copy.names[seat]),
      here: bySeat.map((seat) => copy.here[seat]),
      joined: bySeat.map((seat) => copy.joins[seat] !== null),
      ready: bySeat.map((seat) => copy.readies[seat]),
      rolls: [...copy.rolls],
      games: [...copy.games],
      holder: copy.holder,
      pending: pending && {
        roll: pending.roll, seat: pending.actor, faces: pending.faces, missing: bySeat.filter((seat) => pending.links[seat] === null), since: pending.since,
      },
      asking,
      wish: copy.wish,
      wishSince: copy.wishSince,
      deck: copy.deck && [...copy.deck],
      linksLeft: (opening ?? copy.offer)?.links === undefined ? 0 : (opening ?? copy.offer).links - copy.rolls.length,
      endAsked: copy.endAsked,
      signed: [...copy.signed],
      silent: copy.silent,
      next: copy.next,
      awaited: copy.phase === 'finished' || copy.phase === 'aborted' ? [] : copy.awaited(),
      since: copy.since,
      solo: false,
      fault,
      evidence: [...evidence],
      declined,
    };
  }
}
