// When the match has ended: what was played, the seal, and behind a tap on it the way to check every roll. The check is
// made from what this phone saw and not from what the server says now; if the two differ, that is said first.
import { icon } from './dice.mjs';
import { el, groups, show } from './dom.mjs';
import { parts, say } from './words.mjs';
import { copyButton, fill, goTo } from './table-parts.mjs';
import { canShare } from './table-phone.mjs';
import { carry } from './carry.mjs';
import { seenRecord, shareFragment } from './table-link.mjs';
import { writeRecord } from '../verifier/veridice.mjs';

/** @param {import('./table-model.mjs').Given} given */
export function result({ match, lang, word }) {
  const summary = el('p', { class: 'big' });
  const heading = el('h2', { tabindex: '-1', id: 'h-result' }, say('table.result'));
  const panel = el('div', { class: 'panel', id: 'sealpanel' });
  const seal = el('button', { type: 'button', class: 'hex', id: 'seal', 'aria-expanded': 'false', 'aria-controls': 'sealpanel', 'aria-describedby': 'sealhint', on: { click: open } });
  const node = el('section', { class: 'result', 'aria-labelledby': 'h-result' }, heading, summary,
    el('h3', {}, say(word('table.dice.seal'))), seal, el('p', { class: 'small', id: 'sealhint' }, say(word('table.result.tap'))), panel,
    el('p', { class: 'row' }, el('a', { class: 'btn', id: 'replay', href: `/${lang}/match/#m=${match}` }, say('table.replay')),
      el('a', { class: 'btn', id: 'record', href: `/v1/matches/${match}/record`, download: `veridice-${match}.txt` }, say('table.result.record'))));
  show(panel, false);
  let first = true; // a match that had ended when the page was opened is no news

  return { node, update };

  /** @param {import('./table-model.mjs').Model} model */
  function update({ state, note }) {
    const now = state.phase === 'finished';
    const shown = !node.hidden;
    show(node, now);
    if (!now || !note?.server) {
      first = false;
      return;
    }
    const games = state.games.filter((n) => n > 0).length;
    fill(summary, [note.rolls.length, games], () => parts('table.result.played', {
      rolls: say('table.game.rolls', { count: note.rolls.length }), games: say('table.result.games', { count: games }),
    }));
    fill(seal, note.seal, () => [groups(note.seal)]);
    const fragment = shareFragment(note);
    fill(panel, [fragment, note.rolls.length], () => checking(fragment, note));
    // Whoever ended the match stood on a button that is gone.
    if (!shown && !first && node.closest('[hidden]') === null) goTo(heading);
    first = false;
  }

  function open() {
    const opened = panel.hidden;
    show(panel, opened);
    seal.setAttribute('aria-expanded', String(opened));
  }

  function checking(fragment, note) {
    const address = `/${lang}/check/` + (fragment === null ? '' : '#' + fragment);
    const whole = location.origin + address;
    const share = () => navigator.share({ url: whole }).catch(() => {}); // a share that was called off is no error
    const take = () => { if (fragment === null) carry(writeRecord(seenRecord(note))); };
    const sharing = fragment !== null;
    return [
      el('p', { class: 'row' }, el('a', { class: 'btn primary', id: 'verify', href: address, on: { click: take } }, say('table.result.verify'))),
      el('p', { class: 'small' }, say(word('table.result.how'))),
      !sharing ? null : el('p', { class: 'row' },
        canShare ? el('button', { type: 'button', on: { click: share } }, say('table.result.share')) : null,
        copyButton(say('table.result.copy'), say('table.result'), () => whole)),
    ];
  }
}

/**
 * What the server says now and did not say before.
 * @param {import('./table-model.mjs').Given} given
 */
export function alarm({ word }) {
  const node = el('section', { class: 'verdict bad', role: 'alert' });
  return {
    node,
    /** @param {import('./table-model.mjs').Model} model */
    update({ note }) {
      const differs = note?.differs ?? [];
      show(node, differs.length > 0);
      fill(node, differs, () => (differs.length === 0 ? [] : [
        el('div', { class: 'vhead' }, icon('no'), el('h2', {}, say('table.differs'))),
        el('p', {}, say('table.differs.how')),
        el('ul', { class: 'findings' }, differs.map((d) => el('li', {}, parts(word('table.differs.' + d.what), {
          number: d.number, saw: value(d.saw), says: value(d.says),
        })))),
      ]));
    },
  };
}

const value = (text) => (text === '' ? say('table.differs.nothing') : el('code', {}, text));
