// The chapter on veridice/1: a chain of secrets, one link of each party for a roll, and
// a guess at the next one.
import { byId, el, groups, show } from './dom.mjs';
import { dice, die, spoken } from './dice.mjs';
import { say } from './words.mjs';
import { fits, linkFrame, links, open, rolls } from './how-chain.mjs';
import { change, draw, fillHex, formula, hexField, numbers, tell, watch } from './how-parts.mjs';
import { readHex } from '../verifier/veridice.mjs';
import { fromHex, toHex } from '../verifier/seed.mjs';
import { chainTo } from '../verifier/chain.mjs';

const phone = 2; // the role whose link is changed and guessed
const day = 86400;

/** What the reader does not change. */
const rest = { match: draw(16), rules: draw(32), others: [draw(32), draw(32)], keys: [draw(32), draw(32), draw(32)], expires: Math.floor(Date.now() / 1000) + day };

/** @type {import('./how-chain.mjs').Match | null} */
let match = null;
let shown = 0; // rolls made
let given = ''; // the link of phone 2 for the last roll, as the reader has it
let guess = '';
let guesses = 0;

const name = (/** @type {number} */ role) => (role === 0 ? say('how.link.server') : say('how.link.phone', { seat: role }));

hexField('secret', (secret) => change({ secret }));

function paintChain() {
  const { chains } = /** @type {import('./how-chain.mjs').Match} */ (match);
  const own = chains[1].map(toHex);
  byId('chain-made').replaceChildren(
    el('ol', { class: 'chain' }, own.map((link, i) => el('li', {}, el('b', {}, i === 0 ? say('how.chain.anchor') : say('how.chain.link', { index: i })), el('span', { class: 'hex' }, groups(link)))).reverse()),
    formula(say('how.f.anchor'), `SHA-256(${rest.match}, 1, 0, ${own[1]})`, own[0]));
  byId('frame-made').replaceChildren(el('span', { class: 'hex' }, linkFrame(rest.match, 1, 0, own[1])));
}

function paintTable() {
  const envelope = (/** @type {number} */ index) => {
    const isOpen = index <= shown;
    return el('td', {}, el('svg', { class: 'scene', 'aria-hidden': 'true' }, el('use', { href: isOpen ? '#e-open' : '#e-closed' })), el('span', { class: 'visuallyhidden' }, say(isOpen ? 'how.link.open' : 'how.link.closed')));
  };
  const index = Array.from({ length: links }, (_, i) => i + 1);
  byId('link-table').replaceChildren(el('table', { class: 'parties' },
    el('caption', {}, say('how.link.table')),
    el('thead', {}, el('tr', {}, el('th', { scope: 'col' }, say('how.link.party')), index.map((i) => el('th', { scope: 'col' }, el('span', { class: 'visuallyhidden' }, say('how.chain.link', { index: i })), el('span', { 'aria-hidden': 'true' }, String(i)))))),
    el('tbody', {}, [0, 1, 2].map((role) => el('tr', {}, el('th', { scope: 'row' }, name(role)), index.map(envelope))))));
}

function paintRolls() {
  const whole = /** @type {import('./how-chain.mjs').Match} */ (match);
  const last = shown > 0 ? whole.chains.map((chain) => chain[shown]) : [];
  const good = shown === 0 || (given !== '' && fits(whole, phone, shown, given));
  if (shown > 0 && given !== '') last[phone] = fromHex(given);
  const made = rolls(whole, good ? shown : shown - 1);
  paintTable();
  byId('link-roll').textContent = say('how.link.ask', { roll: Math.min(shown + 1, links) });
  byId('link-roll').disabled = shown === links || !good;
  byId('link-again').disabled = shown === 0;
  byId('link-out').replaceChildren(...made.map((roll) => el('p', { class: 'made' }, say('how.link.roll', { roll: roll.roll }) + ' ', el('span', { class: 'throw', 'aria-hidden': 'true' }, dice(roll.dice)), el('span', { class: 'visuallyhidden' }, spoken(roll.dice)))),
    ...(shown === links ? [el('p', { class: 'small' }, say('how.link.spent'))] : []));
  show(byId('given'), shown > 0);
  show(byId('mix'), made.length > 0);
  byId('given-label').textContent = say('how.link.given', { index: shown });
  if (shown > 0 && given !== '') {
    tell('given', '');
    byId('read-given').textContent = say(good ? 'how.link.fits' : 'how.link.off');
    byId('read-given').classList.toggle('wrong', !good);
  }
  const roll = made[made.length - 1];
  if (roll) paintMix(roll);
  byId('opening').textContent = whole.text;
}

/** @param {import('./how-chain.mjs').Roll} roll */
function paintMix(roll) {
  const whole = /** @type {import('./how-chain.mjs').Match} */ (match);
  const [server, ...phones] = roll.links.map(toHex);
  const context = toHex(roll.context);
  byId('mix-made').replaceChildren(
    formula(say('how.f.context'), `SHA-256(${toHex(whole.opening)}, ${toHex(roll.head)}, ${roll.roll}, ${toHex(roll.request)})`, context),
    formula(say('how.f.mix'), `HMAC(${server}, ${context}, ${phones.join(', ')})`, toHex(roll.key)),
    formula(say('how.f.words'), `HMAC(${toHex(roll.key)}, 0) = ${toHex(roll.blocks[0])}`, roll.words.map(({ word }) => word).join(', ')),
    ...roll.words.filter(({ face }) => face !== null).map(({ word, face }) => formula(say('how.f.die'), `${word} mod 6 + 1`, face, die(/** @type {number} */ (face)))));
}

function paintAhead() {
  const whole = /** @type {import('./how-chain.mjs').Match} */ (match);
  const next = shown + 1;
  byId('ahead-go').disabled = shown === links;
  if (guess === '' || shown === links) {
    byId('ahead-out').textContent = shown === links ? say('how.link.spent') : '';
    return byId('ahead-made').replaceChildren();
  }
  const before = toHex(whole.chains[phone][shown]);
  const mine = toHex(chainTo(whole.match, phone, next, guess)[shown]);
  const tried = rolls(whole, next, whole.chains.map((chain, role) => (role === phone ? fromHex(guess) : chain[next])));
  byId('ahead-out').textContent = say('how.ahead.off', { guess: guesses, dice: spoken(tried[next - 1].dice) });
  byId('ahead-made').replaceChildren(
    formula(say('how.f.guess', { before: shown }), `SHA-256(${whole.match}, ${phone}, ${shown}, ${guess})`, mine),
    el('p', { class: 'small' }, say('how.ahead.needed')), el('span', { class: 'hex' }, groups(before)));
}

function paint() {
  paintRolls();
  paintAhead();
}

/** Shows so many rolls. @param {number} count */
function roll(count) {
  shown = count;
  given = shown === 0 || match === null ? '' : toHex(match.chains[phone][shown]);
  guess = '';
  guesses = 0;
  byId('f-given').value = groups(given);
  paint();
}

byId('link-roll').addEventListener('click', () => {
  roll(shown + 1);
  byId('link-said').textContent = [...byId('link-out').children].slice(shown - 1).map((p) => p.textContent).join('. ');
  if (shown === links) byId('link-again').focus(); // what is off may not hold the focus
});
byId('link-again').addEventListener('click', () => {
  roll(0);
  byId('link-said').textContent = '';
  byId('link-roll').focus();
});
byId('f-given').addEventListener('input', () => {
  const { value, fault } = readHex(byId('f-given').value, 's');
  given = fault === null && value?.length === 64 ? value : '';
  if (given === '') tell('given', fault === null ? say('how.hex.short', { count: value?.length ?? 0 }) : say('how.link.off'));
  paintRolls();
});
byId('ahead-go').addEventListener('click', () => {
  guess = draw(32);
  guesses++;
  paintAhead();
});

watch(() => {
  const { secret } = numbers;
  fillHex('secret', secret);
  if (secret === '') return;
  if (match !== null && toHex(match.chains[1][links]) === secret) return;
  match = open({ match: rest.match, rules: rest.rules, secrets: [rest.others[0], secret, rest.others[1]], keys: rest.keys, expires: rest.expires });
  paintChain();
  roll(0);
});
