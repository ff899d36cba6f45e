// The chapter on tavli/1: seeds of all sides make a roll, bytes from 252 on are left out,
// and the reader's own match as a link.
import { byId, copy, el, show } from './dom.mjs';
import { bytes } from './bytes.mjs';
import { dice, die, spoken } from './dice.mjs';
import { number, say } from './words.mjs';
import { nextSkipping, tavliMatch, tavliRecord } from './how-model.mjs';
import { change, fill, fillHex, formula, hexField, numberField, numbers, repaint, rove, tell, watch } from './how-parts.mjs';
import { clientFault, explain, writeLink } from '../verifier/veridice.mjs';
import { Sha256, sha256 } from '../verifier/sha256.mjs';
import { fromHex, toBytes, toHex } from '../verifier/seed.mjs';

const mostRoll = 1000000;
const shownRolls = 12;

hexField('server', (key) => change({ key }));
numberField('roll', 1, mostRoll, (roll) => change({ roll: roll ?? 0 }));
for (const seat of [1, 2]) {
  const box = byId('f-phone' + seat);
  box.addEventListener('input', () => {
    const good = clientFault(box.value) === null;
    tell('phone' + seat, good ? '' : say('how.seeds.off'));
    change({ phones: numbers.phones.map((phone, i) => (i === seat - 1 ? (good ? box.value : '') : phone)) });
  });
}
rove(byId('roll-row'), () => (matchMedia('(min-width: 48rem)').matches ? 6 : 4));

/** @param {number} roll */
function made(roll) {
  return /** @type {import('../verifier/veridice.mjs').TavliRoll} */ (explain(tavliRecord(numbers.key, numbers.phones), roll));
}

function paintRoll() {
  const { key, roll } = numbers;
  const one = made(roll);
  const block = one.blocks[one.blocks.length - 1];
  const drawn = bytes(block.mac, block.skipped, one.position, 1);
  byId('roll-made').replaceChildren(
    formula(say('how.f.message'), [...numbers.phones, roll].join(' : '), block.message),
    formula(say('how.f.mac'), `HMAC(${key}, ${block.message})`, block.mac),
    el('div', { class: 'formula' }, el('code', { class: 'names' }, say('how.f.byte')), drawn, el('code', { class: 'is' }, `= 0x${block.mac.slice(2 * one.position, 2 * one.position + 2)} = ${one.byte}`)),
    formula('v = b mod 36', `${one.byte} mod 36`, one.v),
    formula(say('how.f.first'), `${one.v} div 6 + 1`, one.dice[0], die(one.dice[0])),
    formula(say('how.f.second'), `${one.v} mod 6 + 1`, one.dice[1], die(one.dice[1])));

  // The key fills one block of 64 bytes with zeros behind it.
  const mixed = (/** @type {number} */ constant) => Uint8Array.from({ length: 64 }, (_, i) => (fromHex(key)[i] ?? 0) ^ constant);
  const inner = new Sha256().add(mixed(0x36)).finish(toBytes(block.message));
  const outer = sha256(Uint8Array.from([...mixed(0x5c), ...inner]));
  byId('hmac-made').replaceChildren(
    formula(say('how.f.inner'), `SHA-256(${toHex(mixed(0x36))} ${toHex(toBytes(block.message))})`, toHex(inner)),
    formula(say('how.f.outer'), `SHA-256(${toHex(mixed(0x5c))} ${toHex(inner)})`, toHex(outer)));

  repaint(byId('roll-row'), Array.from({ length: shownRolls }, (_, i) => {
    const { dice: values } = made(i + 1);
    return el('button', { type: 'button', 'aria-pressed': String(i + 1 === roll), 'aria-label': say('how.seeds.one', { roll: i + 1, dice: spoken(values) }), on: { click: () => pick(i + 1) } },
      el('span', { class: 'no' }, number(i + 1)), el('span', { class: 'throw' }, dice(values)));
  }));
  paintSkip(one, block);
}

/** @param {number} roll */
function pick(roll) {
  change({ roll });
  fill('roll', roll);
}

/**
 * All 256 bytes by the roll that they give.
 * @param {import('../verifier/veridice.mjs').TavliRoll} one
 * @param {import('../verifier/explain.mjs').Block} block
 */
function paintSkip(one, block) {
  const square = (/** @type {number} */ byte) => `M${byte % 36} ${7 - Math.floor(byte / 36) + (byte < 252 ? 0.5 : 0)}h.84v.84h-.84z`;
  const path = (/** @type {number} */ from, /** @type {number} */ to) => Array.from({ length: to - from }, (_, i) => square(from + i)).join('');
  byId('skip-picture').replaceChildren(el('svg', { viewBox: '-.4 -.4 36.7 9.2', class: 'squares', 'aria-hidden': 'true' },
    el('path', { class: 'kept', d: path(0, 252) }), el('path', { class: 'left', d: path(252, 256) }), el('path', { class: 'changed', d: square(one.byte) })));
  const left = block.skipped.map((at) => say('check.roll.skipped', { byte: parseInt(block.mac.slice(2 * at, 2 * at + 2), 16) }));
  const text = [...left, say('how.skip.now', { roll: one.roll, byte: one.byte })].join(' ');
  if (byId('skip-now').textContent !== text) byId('skip-now').textContent = text;
  byId('skip-bytes').replaceChildren(bytes(block.mac, block.skipped, one.position, 1));
}

byId('skip-find').addEventListener('click', () => {
  const found = nextSkipping(numbers.key, numbers.phones, numbers.roll);
  pick(found > 0 && found <= mostRoll ? found : nextSkipping(numbers.key, numbers.phones, 0));
});

/** The reader's match as a link to the check page. */
function paintYours() {
  const link = writeLink(tavliMatch(numbers.key, numbers.phones, shownRolls)) ?? '';
  const address = new URL('../check/', location.href).href.replace(/[?#].*$/, '') + '#' + link;
  byId('yours-link').textContent = address;
  byId('yours-go').href = address;
}

byId('yours-copy').addEventListener('click', async () => {
  byId('yours-out').textContent = say((await copy(byId('yours-link').textContent)) ? 'ui.copied' : 'ui.copy.failed');
});

watch(() => {
  const { key, phones, roll } = numbers;
  fillHex('server', key);
  phones.forEach((phone, i) => { if (phone !== '') fill('phone' + (i + 1), phone); });
  if (roll > 0) fill('roll', roll);
  const whole = key !== '' && !phones.includes('') && roll > 0;
  show(byId('yours-go'), whole);
  if (!whole) return;
  byId('yours-out').textContent = '';
  paintRoll();
  paintYours();
});
