// The second tab: what stands behind the dice. The opening that all phones have to share, the rules, the chains, and the
// rolls as this phone checked them.
import { el } from './dom.mjs';
import { number, parts, say } from './words.mjs';
import { copyButton, fill, hexText } from './table-parts.mjs';
import { told } from './live-draw.mjs';
import { openingParts, termsParts } from './live-opening.mjs';
import { who } from './live-parts.mjs';

/** @typedef {import('./live-model.mjs').Model} Model */

/** @param {import('./live-model.mjs').Given} given */
export function proofs({ serverKey, solo }) {
  const opening = el('dd');
  const anchor = el('dd');
  const chains = el('dd');
  const rules = el('dd');
  const whole = el('div');
  const rolls = el('ol', { class: 'plainrolls' });
  const rollsHead = el('p', { class: 'row' });
  const none = el('p', { class: 'small' }, say('table.roll.none'));
  const entry = (key, ...value) => el('div', {}, el('dt', {}, say(key)), ...value);
  const node = el('div', {},
    el('dl', { class: 'nums' },
      entry('table.opening', opening), entry('table.anchor', anchor), entry('table.chains', chains),
      solo ? null : entry('table.key', el('dd', {}, hexText(serverKey), el('p', { class: 'small' }, say('table.key.how')))),
      entry('table.rules', rules)),
    whole, el('h2', {}, say('table.dice.rolls')), none, rollsHead, rolls);

  return { node, update };

  /** @param {Model} model */
  function update(model) {
    const { view, seal, openingText } = model;
    fill(opening, [view.opening, view.log], () => (view.opening ? openingParts(view.opening, view.log, solo)
      : [el('p', { class: 'small' }, say('table.opening.later'))]));
    fill(anchor, seal, () => (seal ? [hexText(seal)] : []));
    fill(chains, [view.opening !== null, view.linksLeft], () => [el('p', { class: 'small' },
      view.opening === null ? say('table.chains.later') : say('table.chains.left', { count: view.linksLeft }))]);
    fill(rules, view.terms, () => (view.terms ? termsParts(view.terms) : []));
    fill(whole, openingText, () => (openingText ? [el('details', {}, el('summary', {}, say('table.opening.whole')),
      el('pre', { class: 'rules', tabindex: '0', 'aria-label': say('table.opening.whole') }, openingText))] : []));
    none.hidden = view.rolls.length > 0;
    fill(rollsHead, view.rolls.length > 0, () => (view.rolls.length > 0
      ? copyButton(say('table.dice.rolls.copy'), say('table.dice.rolls'), () => listed(model)) : []));
    for (const roll of view.rolls.slice(rolls.children.length)) {
      rolls.append(el('li', {}, el('span', { class: 'no' }, number(roll.roll)), el('b', {}, roll.dice.join('-')),
        el('span', {}, who(view, roll.seat), model.kinds?.kind === 'deck' ? [': ', told(model, roll)] : '')));
    }
  }

  /** @param {Model} model */
  function listed(model) {
    return model.view.rolls.map(({ roll, dice }) => `${roll}. ${dice.join('-')}`).join('\n');
  }
}

/** What proves to others that somebody broke the rules: two notes that contradict each other, to be kept. */
export function evidence() {
  const node = el('section', { class: 'verdict bad', role: 'alert' });
  return {
    node,
    /** @param {Model} model */
    update({ view }) {
      node.hidden = view.evidence.length === 0;
      fill(node, view.evidence, () => (view.evidence.length === 0 ? [] : [
        el('h2', {}, say('table.evidence')), el('p', {}, say('table.evidence.how')),
        view.evidence.map(({ code, roll, notes }) => el('div', { class: 'notes' },
          el('p', {}, roll === undefined ? null : [...parts('table.evidence.roll', { roll }), ' '], say('table.fault.' + code)),
          el('p', { class: 'row' }, copyButton(say('ui.copy'), say('table.evidence'), () => notes.join('\n'))),
          notes.map((text) => el('pre', { class: 'rules', tabindex: '0', 'aria-label': say('table.evidence') }, text)))),
      ]));
    },
  };
}
