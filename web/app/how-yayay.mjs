// The chapter on yayay/1: a key, its fingerprint, a die, and the game checked at its end.
import { byId, copy, el, groups, show } from './dom.mjs';
import { die, icon } from './dice.mjs';
import { number, say } from './words.mjs';
import { recipes } from './recipes.mjs';
import { drawReport, looks } from './check-report.mjs';
import { deal, differing, flipBit, gameRecord } from './how-model.mjs';
import { change, draw, fill, fillHex, formula, hexField, marked, numberField, numbers, repaint, rove, watch } from './how-parts.mjs';
import { explain, recordOf, rollsOf, sealOf, verifyRecord } from '../verifier/veridice.mjs';

const mostDie = 0xffffffff;
const shownDice = 12;
let byte = 0; // whose bits are shown

hexField('key', (key) => change({ key }));
byId('new-key').addEventListener('click', () => change({ key: draw(32) }));
numberField('die', 0, mostDie, (die) => change({ die: die ?? -1 }));
rove(byId('bits-bytes'), () => (matchMedia('(min-width: 48rem)').matches ? 16 : 8));
rove(byId('bits-bits'), () => 8);
rove(byId('die-row'), () => 6);

byId('keys').replaceChildren(formula(say('how.f.keys'), '256^32', groupsOf3(String(256n ** 32n))));

/** @param {string} digits */
function groupsOf3(digits) {
  return digits.replace(/\B(?=(\d{3})+$)/g, ' ');
}

/**
 * A die of a key, and what it is made of.
 * @param {string} key
 * @param {number} n
 */
function dieOf(key, n) {
  const record = recordOf({ scheme: 'yayay/1', seed: key, seal: null, clients: [], rolls: [], games: [] });
  const made = explain(record, n + 1, 1); // throws of one die: throw n + 1 is die n
  return /** @type {import('../verifier/veridice.mjs').YayayRoll} */ (made).thrown[0];
}

/** Fingerprint, bits, block. @param {string} key */
function paintFingerprint(key) {
  const seal = sealOf(key);
  byId('fingerprint-made').replaceChildren(formula(say('how.f.fingerprint'), `SHA-256(${key})`, seal));
  const bytes = key.match(/../g) ?? [];
  repaint(byId('bits-bytes'), bytes.map((value, i) => el('button', {
    type: 'button', 'aria-pressed': String(i === byte), 'aria-label': say('how.bits.byte', { byte: i + 1, value }),
    on: { click: () => { byte = i; paintFingerprint(numbers.key); } },
  }, value)), byte);
  byId('bits-bits').setAttribute('aria-label', say('how.bits.bits', { byte: byte + 1 }));
  repaint(byId('bits-bits'), Array.from(parseInt(bytes[byte], 16).toString(2).padStart(8, '0'), (value, i) => el('button', {
    type: 'button', 'aria-label': say('how.bits.bit', { bit: i + 1, value }),
    on: { click: () => change({ key: flipBit(numbers.key, 8 * byte + i) }) },
  }, value)));
  paintBits(seal);
  byId('sha-block').replaceChildren(el('span', { class: 'hex' }, marked(groups(key + '80' + '00'.repeat(29) + '0100'), 40)));
}

/** The bits of the fingerprint that the last change of the key changed. @param {string} seal */
function paintBits(seal) {
  const { before } = numbers;
  show(byId('bits-picture'), before !== '');
  if (before === '') {
    byId('bits-out').textContent = say('how.bits.none');
    return;
  }
  const differ = differing(sealOf(before), seal);
  const square = (/** @type {number} */ bit) => `M${bit % 32} ${bit >> 5}h.86v.86h-.86z`;
  byId('bits-picture').replaceChildren(el('svg', { viewBox: '-.3 -.3 32.5 8.5', class: 'squares', 'aria-hidden': 'true' },
    el('path', { class: 'kept', d: differ.map((d, bit) => (d ? '' : square(bit))).join('') }),
    el('path', { class: 'changed', d: differ.map((d, bit) => (d ? square(bit) : '')).join('') })));
  byId('bits-out').textContent = say('how.bits.differ', { count: differ.filter(Boolean).length });
}

/** @param {string} key */
function paintDie(key) {
  const n = numbers.die;
  show(byId('die-made'), n >= 0);
  if (n >= 0) {
    const one = dieOf(key, n);
    byId('die-made').replaceChildren(
      formula(say('how.f.hash'), `SHA-256(${key} ${one.input})`, marked(one.hash, 4)),
      formula(say('how.f.word'), '0x' + one.hash.slice(0, 8), one.word),
      formula(say('how.f.die'), `${one.word} mod 6 + 1`, one.value, die(one.value)));
  }
  repaint(byId('die-row'), Array.from({ length: shownDice }, (_, i) => {
    const { value } = dieOf(key, i);
    return el('button', { type: 'button', 'aria-pressed': String(i === n), 'aria-label': say('how.die.one', { number: i, value }), on: { click: () => pick(i) } },
      el('span', { class: 'no' }, number(i)), die(value));
  }));
}

/** @param {number} n */
function pick(n) {
  change({ die: n });
  fill('die', n);
}

/** The end of the game: the fingerprint again, the check, and the same without us. @param {string} key */
function paintOpened(key) {
  const game = deal(key);
  const report = verifyRecord(gameRecord(game));
  const { sign, title, body } = drawReport(report, { typed: false, kept: false, seen: undefined, jump: () => {} });
  byId('opened-made').replaceChildren(formula(say('how.f.fingerprint'), `SHA-256(${key})`, game.seal));
  const box = byId('opened-verdict');
  box.className = 'verdict need-key' + looks[sign];
  box.replaceChildren(el('div', { class: 'vhead' }, icon(sign), el('h4', {}, title)), ...body.filter((b) => b));
  byId('opened-recipes').replaceChildren(...recipes(gameRecord(game), rollsOf(gameRecord(game)).length).map(({ name, text }) => {
    const button = el('button', { type: 'button', class: 'copy', 'aria-label': say('ui.copy') + ': ' + name }, say('ui.copy'));
    button.addEventListener('click', async () => { button.textContent = say((await copy(text)) ? 'ui.copied' : 'ui.copy.failed'); });
    return [el('h4', {}, say('check.without.' + name.toLowerCase())), el('p', { class: 'row' }, button), el('pre', { tabindex: '0', role: 'region', 'aria-label': name }, text)];
  }).flat());
}

watch(() => {
  const { key } = numbers;
  fillHex('key', key);
  if (numbers.die >= 0) fill('die', numbers.die);
  if (key === '') return;
  paintFingerprint(key);
  paintDie(key);
  paintOpened(key);
});
