// What the views of the table are told, and what they may ask for.

/**
 * Fixed as long as the page is open. created holds the seats' tokens by seat, on the phone that opened the table; word
 * gives the message key in the words of the scheme.
 * @typedef {{
 *   match: string, lang: string, token: string|null, created: {[seat: string]: string}, scheme: 'tavli'|'yayay',
 *   word: (key: string) => string,
 * }} Given
 *
 * The state of the match, what this phone noted of it, the seat this phone has, and how things are with the network.
 * waiting: actions that were asked for and not answered; trouble: an attempt failed and is made again.
 * @typedef {{
 *   state: import('./table-state.mjs').State, note: import('./table-seen.mjs').Note|null, me: number|null,
 *   kept: boolean, connected: boolean, waiting: Set<string>, trouble: boolean, refusal: string,
 * }} Model
 *
 * @typedef {{
 *   acknowledge: (name: string) => void, seed: (client: string) => void, roll: () => void, game: () => void,
 *   end: () => void, withdraw: () => void,
 * }} Actions
 */
export {};
