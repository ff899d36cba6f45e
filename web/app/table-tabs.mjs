// Tabs by the usual rules: one tab stop, arrow keys, Home and End.
import { el, show } from './dom.mjs';

/** @param {{id: string, title: string, content: any[]}[]} pages */
export function tabs(pages) {
  const buttons = pages.map(({ id, title }) => el('button', {
    type: 'button', role: 'tab', id: `tab-${id}`, 'aria-controls': `panel-${id}`, on: { click: () => choose(id), keydown: key },
  }, title));
  const panels = pages.map(({ id, content }) => el('div', { role: 'tabpanel', id: `panel-${id}`, 'aria-labelledby': `tab-${id}`, class: 'tabpanel' }, content));
  const node = el('div', { class: 'tabs' }, el('div', { role: 'tablist', class: 'tablist' }, buttons), panels);
  choose(pages[0].id);
  return { node, choose };

  /** @param {string} id */
  function choose(id) {
    pages.forEach((page, i) => {
      const on = page.id === id;
      buttons[i].setAttribute('aria-selected', String(on));
      buttons[i].tabIndex = on ? 0 : -1;
      show(panels[i], on);
    });
  }

  function key(event) {
    const at = buttons.indexOf(event.target);
    const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: pages.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    const i = (to + pages.length) % pages.length;
    choose(pages[i].id);
    buttons[i].focus();
  }
}
