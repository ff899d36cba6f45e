// What the views of a table of veridice/1 are told, and what they may ask for.

/**
 * Fixed as long as the page is open. token is null for who watches; created holds the seats' tokens by seat, on the
 * phone that opened the table; links is the length of the chains, serverKey the pinned key.
 * @typedef {{
 *   match: string, lang: string, token: string|null, created: {[seat: string]: string}, solo: boolean, serverKey: string,
 * }} Given
 *
 * view is the phone's. seal: the server's anchor; openingText: the opening itself, '' until it is there; kinds: the dice
 * of the terms; cards: what was dealt at each roll of a deck. endSince: since when somebody asks to end. ahead: how far
 * this phone's clock is ahead of the server's, in milliseconds. kept: whether this browser keeps what it is told to;
 * waiting: actions asked for and not answered; trouble: an attempt failed and is made again. record: the record of a
 * match that is over, '' until it is there.
 * @typedef {{
 *   view: import('./phone/phone.mjs').View, seal: string, openingText: string, kinds: import('./phone/terms.mjs').Dice|null,
 *   cards: number[][], endSince: string, ahead: number|null, kept: boolean, connected: boolean, waiting: Set<string>,
 *   trouble: boolean, refusal: string, record: string,
 * }} Model
 *
 * @typedef {{
 *   acknowledge: (name: string) => void, roll: (faces: number[]) => void, game: () => void, handOver: (seat: number) => void,
 *   wish: () => void, end: () => void, withdraw: () => void, abort: () => void, leave: () => void, next: () => void,
 * }} Actions
 */
export {};
