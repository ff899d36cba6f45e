// A phone's own copy of a match of veridice/1, made from the events and nothing else: every text is read, every
// signature, link and die is checked before it counts. docs/spec/veridice-1.md, sections 3 to 6. What the server says
// of turns, games and heads beside the texts is not looked at: the copy knows them itself.
import { afterMove, chainBody, rollOf, startOf } from '../../verifier/chain.mjs';
import { decimal } from '../../verifier/lines.mjs';
import { endingText } from '../../verifier/proof.mjs';
import { fromHex, toHex } from '../../verifier/seed.mjs';
import { deal, mayRoll, readTerms, wholeDeck } from './terms.mjs';
import {
  headText, isBarred, isSigned, leafOf, linkBefore, mostRolls, openNote, readJoin, readMove, readOffer, readOpening, readReady, readRoll,
  rollText, signerOf, sumOf,
} from './texts.mjs';

/** @typedef {import('./texts.mjs').Note} Note */

/** What a phone will not go on from. notes are two that contradict each other, or none. */
export class Fault extends Error {
  /** @param {string} code @param {{roll?: number, notes?: string[]}} [more] */
  constructor(code, { roll, notes = [] } = {}) {
    super(code);
    this.code = code;
    this.roll = roll;
    this.notes = notes;
  }
}

/**
 * A roll that is signed by actor and server and not complete. links are the seats' by seat, null where missing.
 * @typedef {{roll: number, actor: number, faces: number[], text: string, note: string, links: (string | null)[], since: string}} Pending
 *
 * @typedef {{roll: number, seat: number, faces: number[], dice: number[], items: number[] | null, game: number, checked: true}} Roll
 *
 * What this phone kept of a complete roll: the ROLL and HEAD notes, and its own head after it.
 * @typedef {{note: string, head: string, after: string}} Done
 */

const fewestLinks = 256;
const mostLinks = 8192;
const longestDays = 90;
const mostMoves = 100_000; // with them, and all the links there may be, a record stays below its 16 MiB

/** @param {string} code @param {boolean} holds @param {{roll?: number, notes?: string[]}} [more] @returns {asserts holds} */
function must(code, holds, more) {
  if (!holds) throw new Fault(code, more);
}

const isDigest = (/** @type {unknown} */ text) => typeof text === 'string' && /^[0-9a-f]{64}$/.test(text);

/**
 * Whether a phone may join at this moment by this clock: the closing of a match must become overdue at some time.
 * @param {number} expires in seconds
 * @param {number} now in milliseconds
 */
export function expiresInTime(expires, now) {
  return expires * 1000 > now && expires * 1000 <= now + longestDays * 86_400_000;
}

export class Copy {
  /**
   * @param {{
   *   match: string, serverKey: string,
   *   verify: (key: string, text: string, signature: Uint8Array) => Promise<boolean>, done?: Map<number, Done>,
   *   log?: {check: (entry: string, receipt: string) => Promise<import('../../verifier/receipt.mjs').Logged>} | null,
   * }} given done holds the rolls that this phone has checked before, by number; log checks receipts, null without a
   * pinned policy
   */
  constructor({ match, serverKey, verify, done = new Map(), log = null }) {
    this.log = log;
    this.match = match;
    this.serverKey = serverKey;
    this.verify = verify;
    this.done = done;
    /** The seat of this phone, if it has one. @type {number | null} */
    this.me = null;
    this.left = false; // whether this phone gave up
    /** @type {'seats' | 'offered' | 'joined' | 'anchored' | 'running' | 'finished' | 'aborted'} */
    this.phase = 'seats';
    this.seats = 0;
    this.anchor = '';
    /** @type {import('./terms.mjs').Terms | null} */
    this.terms = null;
    /** @type {string[]} by seat, as all lists of seats here; place 0 is empty */
    this.names = [''];
    /** @type {boolean[]} */
    this.here = [false];
    /** @type {(import('./texts.mjs').Offer & {text: string, sum: string}) | null} */
    this.offer = null;
    /** @type {(import('./texts.mjs').Join | null)[]} */
    this.joins = [null];
    /** @type {(import('./texts.mjs').Opening & {text: string, leaf: string}) | null} */
    this.opening = null;
    /** What the receipt of the opening says; null until it is there. @type {import('../../verifier/receipt.mjs').Logged | null} */
    this.logged = null;
    this.answered = log === null; // whether the log has given a receipt of the opening, good or bad
    /** The receipts of this match's entries in the log. @type {{begin: string | null, end: string | null}} */
    this.receipts = { begin: null, end: null };
    /** @type {boolean[]} */
    this.readies = [false];
    this.head = new Uint8Array(32);
    /** The link shown last, of each role: the anchor before the first. @type {string[]} */
    this.last = [];
    /** @type {(import('../../verifier/chain.mjs').ChainRoll | import('../../verifier/chain.mjs').Move)[]} */
    this.entries = [];
    this.moves = 0;
    /** @type {Roll[]} */
    this.rolls = [];
    /** @type {number[]} rolls in each game */
    this.games = [0];
    /** @type {number[] | null} */
    this.deck = null;
    this.holder = 1;
    /** @type {Pending | null} */
    this.pending = null;
    /** @type {number | null} */
    this.wish = null;
    this.wishSince = '';
    /** @type {number | null} */
    this.endAsked = null;
    /** @type {number[]} */
    this.signed = [];
    /** @type {number | null} */
    this.silent = null;
    /** @type {string | null} */
    this.next = null;
    this.since = ''; // when the match last went on
  }

  /** T as hex. */
  get transcript() {
    return toHex(this.head);
  }

  /** @param {unknown} seat */
  isSeat(seat) {
    return Number.isInteger(seat) && Number(seat) >= 1 && Number(seat) <= this.seats;
  }

  /**
   * The roles whose part is awaited: whoever may be named as silent.
   * @returns {number[]}
   */
  awaited() {
    const without = (/** @type {(seat: number) => unknown} */ has) => Array.from({ length: this.seats }, (_, i) => i + 1).filter((seat) => !has(seat));
    const orServer = (/** @type {number[]} */ seats) => (seats.length === 0 ? [0] : seats);
    switch (this.phase) {
      case 'seats': return orServer(without((seat) => this.here[seat]));
      case 'offered': return orServer(without((seat) => this.joins[seat]));
      case 'joined': return [0];
      case 'anchored': return this.answered ? orServer(without((seat) => this.readies[seat])) : [0]; // without a receipt nobody is ready
      default: return this.pending === null ? [this.holder] : orServer(without((seat) => this.pending?.links[seat]));
    }
  }

  /**
   * Takes the next event. Throws a Fault for what must not be; the copy is then as it was before.
   * @param {any} event
   */
  async take(event) {
    const at = String(event.at ?? '');
    switch (event.type) {
      case 'opened': this.opened(event); break;
      case 'acknowledged': this.acknowledged(event); break;
      case 'offered': await this.offered(event); break;
      case 'joined': await this.joined(event); break;
      case 'anchored': this.anchored(event); break;
      case 'readied': await this.readied(event); break;
      case 'logged': await this.receipt(event); return;
      case 'started': must('ready-differs', this.phase === 'running'); break;
      case 'asked': await this.asked(event, at); break;
      case 'linked': this.linked(event); break;
      case 'rolled': await this.rolled(event, at); break;
      case 'moved': await this.moved(event, at); break;
      case 'wished': this.wished(event, at); return;
      case 'end-asked': if (this.isSeat(event.seat)) this.endAsked = event.seat; return;
      case 'end-withdrawn': this.endAsked = null; return;
      case 'finished': this.finished(); return;
      case 'aborted': this.aborted(event); return;
      case 'signed': if (this.isSeat(event.seat) && !this.signed.includes(event.seat)) this.signed.push(event.seat); return;
      case 'next': if (/^[0-9a-f]{32}$/.test(event.match)) this.next = event.match; return;
      default: return; // a later server may tell more
    }
    this.since = at;
  }

  /** @param {any} event */
  opened({ scheme, seats, seal, terms }) {
    const read = readTerms(terms);
    must('rules-differ', this.seats === 0 && scheme === 'veridice/1' && read !== null);
    must('offer-differs', Number.isInteger(seats) && seats >= 1 && seats <= 16 && isDigest(seal));
    this.seats = seats;
    this.anchor = seal;
    this.terms = read;
    for (let seat = 1; seat <= seats; seat++) {
      this.names[seat] = '';
      this.here[seat] = this.readies[seat] = false;
      this.joins[seat] = null;
    }
    this.deck = wholeDeck(read.kinds);
  }

  /** @param {any} event */
  acknowledged({ seat, name }) {
    if (!this.isSeat(seat)) return;
    this.here[seat] = true;
    this.names[seat] = typeof name === 'string' ? name : '';
  }

  /** @param {any} event */
  async offered({ note: from, rules }) {
    const note = openNote(from);
    must('offer-signature', note !== null && this.terms !== null);
    if (this.offer !== null) return must('offer-differs', note.text === this.offer.text);
    const offer = readOffer(note.text);
    const links = decimal(/\nlinks ([0-9]+)\n/.exec(note.text)?.[1] ?? '', 0, Number.MAX_SAFE_INTEGER);
    must('short-chains', links === null || (links >= fewestLinks && links <= mostLinks));
    must('offer-signature', offer !== null);
    must('other-match', offer.match === this.match);
    must('other-key', offer.server.key === this.serverKey && !isBarred(this.serverKey));
    must('rules-differ', rules === this.terms.text && sumOf(rules) === offer.rules);
    must('offer-differs', offer.seats === this.seats && offer.server.anchor === this.anchor);
    must('offer-signature', await this.isSigned(note, 0, this.serverKey));
    this.offer = { ...offer, text: note.text, sum: sumOf(note.text) };
    this.phase = 'offered';
  }

  /** @param {any} event */
  async joined({ seat, note: from }) {
    const note = openNote(from);
    const join = note && readJoin(note.text);
    must('join-signature', join !== null && this.offer !== null && this.isSeat(seat) && join.role === seat);
    must('other-match', join.match === this.match);
    must('join-signature', join.offer === this.offer.sum);
    must('join-signature', await this.isSigned(/** @type {Note} */ (note), seat, join.key));
    const before = this.joins[seat];
    must('offer-differs', before === null || (before.anchor === join.anchor && before.key === join.key));
    this.joins[seat] = join;
    if (this.phase === 'offered' && this.joins.every((one, i) => i === 0 || one !== null)) this.phase = 'joined';
  }

  /** @param {any} event */
  anchored({ text }) {
    const opening = typeof text === 'string' ? readOpening(text) : null;
    must('offer-differs', opening !== null && this.offer !== null);
    if (this.opening !== null) return must('ready-differs', this.opening.text === text);
    const { match, seq, rules, links, expires, seats, server } = this.offer;
    must('other-match', opening.match === match);
    must('offer-differs', opening.seq === seq && opening.rules === rules && opening.links === links && opening.expires === expires);
    must('offer-differs', opening.roles.length === seats + 1 && opening.roles[0].anchor === server.anchor);
    must('other-key', opening.roles[0].key === server.key);
    must('same-anchor', new Set(opening.roles.map(({ anchor }) => anchor)).size === opening.roles.length);
    must('same-key', new Set(opening.roles.map(({ key }) => key)).size === opening.roles.length);
    for (let seat = 1; seat <= seats; seat++) {
      const join = this.joins[seat];
      must('join-signature', join !== null);
      const { anchor, key } = opening.roles[seat];
      must(seat === this.me ? 'own-anchor' : 'offer-differs', join.anchor === anchor && join.key === key);
    }
    this.opening = { ...opening, text, leaf: leafOf(text) };
    this.head = startOf(fromHex(this.opening.leaf));
    this.last = opening.roles.map(({ anchor }) => anchor);
    this.phase = 'anchored';
  }

  /**
   * The receipt of an entry of this match. Where no policy is pinned there is nothing that it could be checked against.
   * @param {any} event
   */
  async receipt({ entry, text, receipt }) {
    if (this.log === null || (entry !== 'begin' && entry !== 'end')) return;
    const own = entry === 'begin' ? this.opening?.text : this.closing(text);
    must('bad-receipt', typeof receipt === 'string' && typeof own === 'string' && own === text);
    if (entry === 'begin') this.answered = true;
    const logged = await this.log.check(own, receipt);
    if (entry === 'begin') this.logged = logged;
    this.receipts[/** @type {'begin' | 'end'} */ (entry)] = receipt;
  }

  /** @param {any} event */
  async readied({ seat, note: from }) {
    const note = openNote(from);
    const ready = note && readReady(note.text);
    must('ready-differs', ready !== null && this.opening !== null && this.isSeat(seat) && ready.role === seat);
    must('other-match', ready.match === this.match);
    must('ready-differs', ready.leaf === this.opening.leaf);
    must('ready-differs', await this.isSigned(/** @type {Note} */ (note), seat, this.opening.roles[seat].key));
    this.readies[seat] = true;
    if (this.phase === 'anchored' && this.readies.every((one, i) => i === 0 || one)) this.phase = 'running';
  }

  /** @param {any} event @param {string} since */
  async asked({ roll: number, note: from }, since) {
    const note = openNote(from);
    const ask = note && readRoll(note.text);
    must('roll-signature', note !== null && ask !== null, { roll: number });
    const { roll, actor, faces, head } = ask;
    must('other-match', ask.match === this.match, { roll });
    const before = this.pending?.roll === roll ? this.pending.note : this.done.get(roll)?.note;
    if (before !== undefined) await this.twoRolls(roll, before, from);
    if (this.pending?.text === note.text) return; // said twice
    must('not-due', this.phase === 'running', { roll });
    must('roll-number', this.pending === null && roll === this.rolls.length + 1 && number === roll, { roll });
    must('other-head', head === this.transcript, { roll });
    must('not-due', actor === this.holder && this.allows(faces), { roll });
    // A roll that this phone has seen complete is not answered again, and its signatures are among those kept.
    if (openNote(this.done.get(roll)?.note)?.text !== note.text) {
      for (const role of [actor, 0]) must('roll-signature', await this.isSignedBy(note, role), { roll });
    }
    this.pending = { roll, actor, faces, text: note.text, note: from, links: Array(this.seats + 1).fill(null), since };
  }

  /**
   * Whether these dice may be rolled by the holder of the turn.
   * @param {number[]} faces
   */
  allows(faces) {
    return this.terms !== null && this.opening !== null && mayRoll(this.terms.kinds, faces, this.deck)
      && this.rolls.length < Math.min(this.opening.links, mostRolls);
  }

  /**
   * Whether the holder of the turn may make this move.
   * @param {string} move
   */
  allowsMove(move) {
    if (this.moves >= mostMoves) return false;
    if (move === 'game') return /** @type {number} */ (this.games.at(-1)) > 0;
    const to = decimal(/^turn ([0-9]+)$/.exec(move)?.[1] ?? '', 1, this.seats);
    return to !== null && to !== this.holder;
  }

  /** @param {any} event */
  linked({ roll, seat, link }) {
    const { pending } = this;
    must('roll-number', pending !== null && pending.roll === roll && this.isSeat(seat), { roll });
    this.mustFit(seat, roll, link);
    pending.links[seat] = link;
  }

  /** @param {number} role @param {number} roll @param {unknown} link */
  mustFit(role, roll, link) {
    must('wrong-link', isDigest(link) && toHex(linkBefore(this.match, role, roll - 1, fromHex(String(link)))) === this.last[role], { roll });
  }

  /** @param {any} event @param {string} at */
  async rolled({ roll: number, dice, note: from, links, head: receipt }, at) {
    const note = openNote(from);
    const ask = note && readRoll(note.text);
    must('roll-signature', note !== null && ask !== null, { roll: number });
    const { pending, opening } = this;
    must('other-match', ask.match === this.match, { roll: ask.roll });
    const before = pending?.roll === ask.roll ? pending.note : this.done.get(ask.roll)?.note;
    if (before !== undefined) await this.twoRolls(ask.roll, before, from);
    must('roll-number', opening !== null && pending !== null && pending.roll === ask.roll && number === ask.roll, { roll: ask.roll });
    const { roll, actor, faces, since } = pending;
    must('roll-signature', note.text === pending.text, { roll });
    must('wrong-link', Array.isArray(links) && links.length === opening.roles.length, { roll });
    links.forEach((link, role) => this.mustFit(role, roll, link));
    const made = rollOf(fromHex(opening.leaf), this.head, { roll, actor, faces }, links.map(fromHex));
    const after = toHex(made.after);
    const known = this.done.get(roll);
    // The head binds the text, the links and the dice: where it is the one kept, the signatures are those checked then.
    if (known?.after !== after) {
      for (const role of opening.roles.keys()) must('roll-signature', await this.isSignedBy(note, role), { roll });
    }
    must('wrong-dice', String(dice) === String(made.dice), { roll });
    await this.mustConfirm(roll, after, receipt);

    const game = this.games.length;
    const dealt = this.deck === null ? null : deal(this.deck, made.dice);
    this.done.set(roll, known ?? { note: from, head: receipt, after });
    this.head = made.after;
    this.last = links;
    this.entries.push({ type: 'roll', roll, actor, faces, dice: made.dice });
    this.rolls.push({ roll, seat: actor, faces, dice: made.dice, items: dealt?.items ?? null, game, checked: true });
    this.games[game - 1]++;
    if (dealt !== null) this.deck = dealt.left;
    this.pending = null;
    this.waitOn(since, at);
    this.pass(this.terms?.turn === 'free' ? actor : (actor % this.seats) + 1, at);
  }

  /** HEAD must be the server's word for the head that this phone computed. @param {number} roll @param {string} after @param {unknown} receipt */
  async mustConfirm(roll, after, receipt) {
    const note = openNote(receipt);
    must('head-differs', note !== null, { roll });
    const known = this.done.get(roll);
    if (known?.after === after && openNote(known.head)?.text === note.text) return;
    must('head-differs', note.text === headText({ match: this.match, roll, head: after }) && await this.isSignedBy(note, 0), { roll });
  }

  /**
   * Two ROLL texts for one number, with a signature of one role on both, are evidence; without it they are not.
   * @param {number} roll @param {string} first @param {string} second notes
   */
  async twoRolls(roll, first, second) {
    const [a, b] = [openNote(first), openNote(second)];
    if (a === null || b === null || a.text === b.text || this.opening === null) return;
    for (const role of this.opening.roles.keys()) {
      if (await this.isSignedBy(a, role) && await this.isSignedBy(b, role)) throw new Fault('two-rolls', { roll, notes: [first, second] });
    }
  }

  /** @param {any} event @param {string} at */
  async moved({ note: from }, at) {
    const note = openNote(from);
    const step = note && readMove(note.text);
    must('move-signature', note !== null && step !== null);
    must('other-match', step.match === this.match);
    must('not-due', this.phase === 'running' && this.pending === null);
    must('other-head', step.head === this.transcript);
    must('not-due', step.role === this.holder && this.allowsMove(step.move));
    must('move-signature', await this.isSignedBy(note, step.role));
    const { role, move } = step;
    this.head = afterMove(this.head, { type: 'move', role, move });
    this.entries.push({ type: 'move', role, move });
    this.moves++;
    if (move === 'game') {
      this.games.push(0);
      if (this.terms !== null) this.deck = wholeDeck(this.terms.kinds);
    } else this.pass(Number(move.slice('turn '.length)), at);
  }

  /** The time in which the holder of the turn may answer a wish begins with the turn. @param {number} seat @param {string} at */
  pass(seat, at) {
    if (this.holder !== seat) this.wishSince = at;
    this.holder = seat;
    if (this.wish === seat) this.wish = null;
  }

  /** While a roll was going on its actor could not answer a wish. @param {string} since @param {string} at when it was over */
  waitOn(since, at) {
    const [wished, asked, over] = [this.wishSince, since, at].map((time) => Date.parse(time));
    const moved = new Date(wished + Math.max(0, over - Math.max(asked, wished)));
    if (this.wish !== null && !Number.isNaN(moved.getTime())) this.wishSince = moved.toISOString();
  }

  /** @param {any} event @param {string} at */
  wished({ seat }, at) {
    if (!this.isSeat(seat) || seat === this.holder || seat === this.wish) return;
    if (this.wish === null) this.wishSince = at; // a second wish gives the holder no more time
    this.wish = seat;
  }

  finished() {
    must('record-differs', this.phase === 'running' && this.pending === null);
    this.phase = 'finished';
    this.endAsked = null;
  }

  /** @param {any} event */
  aborted({ role, seat }) {
    const named = role ?? null;
    if (this.phase === 'aborted') return must('record-differs', named === this.silent); // said twice
    // Who did not go on is the word of those who sign, and a phone signs nothing that it has seen otherwise. Of a seat
    // that gave up only its own phone knows better.
    const gaveUp = named === seat && (seat !== this.me || this.left);
    must('record-differs', named === null || this.opening === null || gaveUp || this.awaited().includes(named));
    must('record-differs', this.phase !== 'finished');
    this.silent = named;
    this.phase = 'aborted';
    this.endAsked = null;
  }

  /**
   * The record as it must be by this copy; null before there is an opening.
   * @returns {string | null}
   */
  record() {
    const account = this.account();
    return account && `${chainBody(account)}sum ${account.sum}\n`;
  }

  /**
   * The entry that ends this match in the log, by this copy: with the number that another text of it gives its beginning.
   * @param {unknown} text
   */
  closing(text) {
    const account = this.account();
    const index = decimal(/^open ([0-9]+) /m.exec(String(text))?.[1] ?? '', 0, Number.MAX_SAFE_INTEGER);
    return account === null || account.state === 'running' || index === null ? undefined : endingText(account, index, '');
  }

  /** @returns {import('../../verifier/chain.mjs').ChainRecord | null} */
  account() {
    const { opening, entries, pending, rolls } = this;
    if (opening === null) return null;
    const state = this.phase === 'finished' || this.phase === 'aborted' ? this.phase : 'running';
    /** @type {Omit<import('../../verifier/chain.mjs').ChainRecord, 'sum'>} */
    const account = {
      record: 1, scheme: 'veridice/1', match: this.match, seq: opening.seq, rules: opening.rules, links: opening.links, roles: opening.roles,
      expires: opening.expires, entries, pending: pending && { roll: pending.roll, actor: pending.actor, faces: pending.faces },
      last: this.last.map((link, role) => ({ role, index: rolls.length, link })), rolls: rolls.length, head: this.transcript, state, role: this.silent,
    };
    return { ...account, sum: sumOf(chainBody(account)) };
  }

  /**
   * Whether the server's record is this copy's, byte for byte, and signed by the server.
   * @param {unknown} from
   */
  async agrees(from) {
    const note = openNote(from);
    return note !== null && note.text === this.record() && this.isSignedBy(note, 0);
  }

  /** The ROLL text that is due with these faces, by the holder. @param {number[]} faces */
  dueText(faces) {
    return rollText({ match: this.match, roll: this.rolls.length + 1, actor: this.holder, faces, head: this.transcript });
  }

  /** @param {Note} note @param {number} role of the opening */
  isSignedBy(note, role) {
    const { key } = /** @type {import('./texts.mjs').Opening} */ (this.opening).roles[role];
    return this.isSigned(note, role, key);
  }

  /** @param {Note} note @param {number} role @param {string} key */
  isSigned(note, role, key) {
    return isSigned(note, signerOf(this.match, role, key), this.verify);
  }
}
