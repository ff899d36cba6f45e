// Why this phone does not go on, in words; and a part of its own that the server did not take.
import { icon } from './dice.mjs';
import { el, show } from './dom.mjs';
import { has, parts, say } from './words.mjs';
import { fill } from './table-parts.mjs';

// What accuses nobody: this phone looks on, and gives no part.
const LOOKS_ON = new Set(['lost-chain', 'no-storage', 'expiry']);

export function alarm() {
  const node = el('section', { role: 'alert' });
  return {
    node,
    /** @param {import('./live-model.mjs').Model} model */
    update({ view }) {
      const { fault } = view;
      show(node, fault !== null);
      if (fault === null) return;
      const mild = LOOKS_ON.has(fault.code);
      node.className = mild ? 'verdict unsure' : 'verdict bad';
      fill(node, fault, () => [
        el('div', { class: 'vhead' }, icon(mild ? 'ask' : 'no'), el('h2', {}, say(mild ? 'table.fault.watch' : 'table.fault'))),
        el('p', { id: 'fault' }, fault.roll === undefined ? null : [...parts('table.evidence.roll', { roll: fault.roll }), ' '], say('table.fault.' + fault.code)),
        el('p', {}, say(mild ? 'table.fault.watch.how' : 'table.fault.how')),
        el('p', { class: 'small' }, say('table.fault.code', { code: fault.code })),
      ]);
    },
  };
}

/**
 * Why something was not done: the server's reason, or this phone's own.
 * @param {import('./phone/phone.mjs').Problem} problem
 */
export function refusalWords({ code, args, status }) {
  for (const key of ['table.cannot.' + code, 'error.' + code]) if (has(key)) return say(key, args);
  // What stands in the alarm need not be said twice.
  return has('table.fault.' + code) ? '' : say('table.refused', { status });
}
