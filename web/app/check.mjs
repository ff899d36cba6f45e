// The check page. A verdict belongs to one input: it goes at the first edit, and the
// late answer of an engine to an older input is thrown away.
import { byId, carryFragment, copy, el, show } from './dom.mjs';
import { data, say } from './words.mjs';
import { bothReports, first, firstWithSignatures, own, second, waiting } from './engines.mjs';
import { keptNote, keptOpening, seenRolls } from './kept.mjs';
import { clearVerdict, paintDoubt, paintLines, paintVerdict } from './check-verdict.mjs';
import { fillFields, isEmpty, paintNumbers, readFields, tellRead } from './check-fields.mjs';
import { limitText, sentence, understood } from './check-words.mjs';
import { inText, mangledReport } from './check-address.mjs';
import { contactLine, findingText } from './check-send.mjs';
import { carried, carry } from './carry.mjs';
import { recordOf, writeLink } from '../verifier/link.mjs';
import { readHex, readNumber } from '../verifier/paste.mjs';
import { rollsOf, writeRecord } from '../verifier/record.mjs';
import { computeRolls, verify } from '../verifier/verify.mjs';

/**
 * @typedef {import('./engines.mjs').Input} Input
 * @typedef {import('./engines.mjs').Options} Options
 * @typedef {import('./engines.mjs').Second} Second
 * @typedef {import('../verifier/veridice.mjs').Report} Report
 */

const mostFile = 17 * 1024 * 1024; // a byte more than a record may have is for the engines to refuse
const mostCode = 2000; // characters of a link that a QR code can hold and a phone can read

let run = 0;
/** The seal that the reader noted, 64 hex digits or "". */
let noted = '';
/** The logs and witnesses that the reader trusts, for proof files. */
let policy = '';
/** What stands on the page. @type {{input: Input, report: Report} | null} */
let current = null;

/**
 * Checks an input and shows what came of it.
 * @param {Input} input
 */
function check(input) {
  const mine = ++run;
  clearTimeout(timer);
  byId('check').classList.remove('stale', 'alone');
  placeInput(false);

  /** @type {Options} */
  let options = 'fields' in input ? { number: readNumber(input.fields.number ?? '').value ?? undefined } : {};
  const proof = 'text' in input && input.text.startsWith('veridice proof ');
  if (proof) options = { ...options, policy };
  show(byId('policy-form'), proof);
  let report = first(input, options);
  const note = keptNote(report);
  if (noted !== '') options = { ...options, seal: noted };
  else if (note !== null) options = { ...options, seal: note.seal, kept: !note.copy, rolls: seenRolls(note, report.record === null ? [] : rollsOf(report.record)) };
  if (options.seal) report = first(input, options);

  if (!own.ok) return doubt('selftest', input, report, null);
  if (report.scheme !== 'veridice/1' && !waiting(report)) return answer(mine, input, options, report, note);
  current = null;
  clearVerdict(true);
  withPhone(input, options, report).then((came) => {
    if (mine === run) answer(mine, input, came.options, came.report, came.note ?? note);
  });
}

/**
 * What comes in its own time: signatures, and what this phone kept of a match of veridice/1.
 * @param {Input} input
 * @param {Options} options
 * @param {Report} report
 */
async function withPhone(input, options, report) {
  const note = await keptOpening(report);
  if (note !== null && !options.seal) options = { ...options, seal: note.seal, kept: !note.copy };
  if (waiting(report)) report = await firstWithSignatures(input, options);
  else if (note !== null) report = first(input, options);
  return { options, report, note };
}

/**
 * An address that was to hold a record and does not: the engines have nothing to check.
 * @param {string} text
 */
function mangled(text) {
  run++;
  clearTimeout(timer);
  byId('check').classList.remove('stale', 'alone');
  placeInput(false);
  for (const id of [...results, 'policy-form']) show(byId(id), false);
  paintNumbers(null);
  show(byId('edit'), true);
  byId('edit').open = false;
  const report = mangledReport(text);
  current = { input: { text }, report };
  paintVerdict(report, { typed: false, kept: false, seen: undefined, jump });
  paintEngines('none', '');
  byId('check').dataset.painted = String(run);
}

/**
 * Shows a report, and what the second engine says to it.
 * @param {number} mine the run that it belongs to
 * @param {Input} input
 * @param {Options} options
 * @param {Report} report
 * @param {ReturnType<typeof keptNote>} note
 */
function answer(mine, input, options, report, note) {
  const typed = 'fields' in input;
  current = { input, report };
  let listed = (/** @type {Awaited<typeof list>} */ _rolls) => {};
  list = new Promise((done) => { listed = done; });
  paintVerdict(report, { typed, kept: options.kept === true, seen: options.rolls, jump });
  paintEngines('loading', '');
  afterPaint(async () => {
    if (mine !== run) return;
    const chain = report.scheme === 'veridice/1'; // which has no seeds to be typed
    show(byId('edit'), !chain);
    if (!typed && !chain) {
      fillFields(report);
      byId('edit').open = false;
    }
    paintLines(report, { noted, note });
    paintNumbers(report);
    paintLimits(report);
    paintKeep(report, typed);
    paintReport(report);
    listed(await paintRest(report, () => mine === run));
    if (mine !== run) return;
    byId('check').dataset.painted = String(mine);
    second(input, options, report).then((other) => {
      if (mine !== run) return;
      if (other.state === 'differs') doubt('differ', input, report, other);
      else if (other.state === 'failed') doubt('selftest', input, report, other);
      else {
        paintEngines(other.state, other.reason);
        paintCode(report, false);
      }
    });
  });
}

// What no verdict needs is asked for after it, so that the verdict comes sooner.
/** The list of rolls, once it shows those of the report on the page; null if it never will. @type {Promise<typeof import('./check-rolls.mjs') | null>} */
let list = Promise.resolve(null);

/** Leads to a roll in the list. @param {number} roll */
const jump = (roll) => list.then((shown) => shown?.jump(roll));

/**
 * The rolls one by one, and how to check them without us.
 * @param {Report} report
 * @param {() => boolean} current whether the report still is the one on the page
 */
async function paintRest(report, current) {
  try {
    const [rolls, { recipes }] = await Promise.all([import('./check-rolls.mjs'), import('./recipes.mjs')]);
    if (!current()) return null;
    rolls.paintRolls(report);
    paintRecipes(report, recipes);
    return rolls;
  } catch {
    show(byId('rolls'), false); // the network is gone; the verdict stands without them
    show(byId('without'), false);
    return null;
  }
}

/** Runs when what was painted is on the screen; a hidden page paints nothing and does not wait. @param {() => void} then */
function afterPaint(then) {
  if (document.hidden) setTimeout(then);
  else requestAnimationFrame(() => setTimeout(then));
}

const results = ['lines', 'rolls', 'limits', 'without', 'keep', 'report'];

/** Nothing is checked: the page as it opens. */
function nothing() {
  run++;
  current = null;
  for (const id of [...results, 'policy-form']) show(byId(id), false);
  byId('check').classList.add('alone');
  show(byId('edit'), true);
  byId('edit').open = true;
  paintNumbers(null);
  placeInput(true);
  clearVerdict(false);
  paintEngines(own.ok ? 'none' : 'selftest', '');
}

/**
 * @param {'selftest' | 'differ'} why
 * @param {Input} input
 * @param {Report} report
 * @param {Second | null} other
 */
function doubt(why, input, report, other) {
  for (const id of results) show(byId(id), false);
  paintNumbers(null);
  current = null;
  paintEngines('doubt', '');
  const reports = bothReports(input, report, other);
  paintDoubt(why, reports, async (button) => { button.textContent = say((await copy(reports)) ? 'ui.copied' : 'ui.copy.failed'); });
}

/** The paste box comes first on an empty page, and after everything that a match has to show. @param {boolean} alone */
function placeInput(alone) {
  if (alone) byId('numbers').before(byId('input'));
  else byId('keep').after(byId('input'));
  byId('h-paste').textContent = say(alone ? 'check.paste.first' : 'check.paste');
}

/** @param {string} state @param {string} reason */
function paintEngines(state, reason) {
  const line = byId('engines');
  show(line, state !== 'none');
  line.dataset.state = state;
  line.textContent = state === 'none' ? '' : say('check.engines.' + state, { reason });
}

/** @param {Report} report */
function paintLimits(report) {
  byId('limit-list').replaceChildren(...report.notProven.map((limit) => el('li', {}, limitText(limit, report.scheme))));
  show(byId('limits'), report.notProven.length > 0);
}

/** @param {Report} report @param {typeof import('./recipes.mjs').recipes} recipes */
function paintRecipes(report, recipes) {
  const { record } = report;
  const count = report.rolls || report.show;
  show(byId('without'), record !== null && report.seal !== '' && count > 0);
  if (record === null || report.seal === '') return;
  byId('recipes').replaceChildren(...recipes(record, count).map(({ name, text }) => {
    const button = el('button', { type: 'button', 'aria-label': say('ui.copy') + ': ' + name }, say('ui.copy'));
    button.addEventListener('click', async () => { button.textContent = say((await copy(text)) ? 'ui.copied' : 'ui.copy.failed'); });
    return el('details', {}, el('summary', {}, say('check.without.' + name.toLowerCase())),
      el('p', { class: 'row' }, button), el('pre', { tabindex: '0', role: 'region', 'aria-label': name }, text));
  }));
}

/** The address of this page with a match in it; where the single file lies is of no use to others. @param {string} link */
const address = (link) => (data.file ? '' : location.href.replace(/[?#].*$/, '')) + '#' + link;

/** @param {Report} report */
function paintReport(report) {
  const broken = report.verdict === 'broken';
  show(byId('report'), broken);
  byId('report-out').textContent = '';
  if (broken) byId('report-contact').replaceChildren(...contactLine(finding()));
}

/** What is copied of a mismatch: the match, and what was found. */
function finding() {
  if (current === null) return '';
  const { record } = current.report;
  const link = record === null ? null : writeLink(record);
  return findingText(current.report, 'fields' in current.input, link === null ? saved(current) : address(link), byId('engines').dataset.state ?? '');
}

/** @param {Report} report @param {boolean} typed */
function paintKeep(report, typed) {
  const { record } = report;
  const link = record === null ? null : writeLink(record);
  show(byId('keep'), record !== null);
  byId('keep-out').textContent = '';
  byId('qr').replaceChildren();
  byId('qr').className = 'printonly';
  if (record === null) return;
  for (const id of ['keep-how', 'link', 'copy-link', 'mail', 'show-qr']) show(byId(id), link !== null);
  show(byId('share'), link !== null && !data.file && 'share' in navigator);
  if (link === null) return;
  byId('link').textContent = address(link);
  byId('mail').href = 'mailto:?body=' + encodeURIComponent(address(link));
  if (typed) remember(link);
}

/** An edited match goes into the address, so that a reload and another language keep it. @param {string} link */
function remember(link) {
  if (location.hash.slice(1) === link) return;
  if (edited) history.replaceState(history.state, '', '#' + link);
  else history.pushState(history.state, '', '#' + link); // Back leads to what was there before the first edit
  edited = true;
  carryFragment();
}

/** @param {Report} report @param {boolean} wanted whether the reader asked for it, else only print shows it */
async function paintCode(report, wanted) {
  const mine = run;
  const link = report.record === null ? null : writeLink(report.record);
  const whole = link === null ? '' : address(link);
  let code = null;
  let said = '';
  if (whole === '' || whole.length > mostCode) said = say('check.keep.long');
  else {
    try {
      const { qrCode } = await import('./qr.mjs');
      code = await qrCode(whole, say('check.keep'));
    } catch {
      said = say('ui.qr.failed');
    }
  }
  if (mine !== run) return;
  if (code !== null) byId('qr').replaceChildren(code);
  if (!wanted) return;
  byId('qr').className = '';
  byId('keep-out').textContent = said;
}

// ---- what the reader does ----

/** @type {ReturnType<typeof setTimeout> | undefined} */
let timer;
let edited = false;

byId('fields').addEventListener('input', () => {
  run++;
  current = null;
  tellRead();
  if (isEmpty()) return nothing();
  clearVerdict(true);
  byId('check').classList.add('stale');
  paintEngines('none', '');
  clearTimeout(timer);
  timer = setTimeout(() => check({ fields: readFields() }), 250); // not at each key: a screen reader would read every verdict
});
byId('fields').addEventListener('submit', (/** @type {Event} */ event) => event.preventDefault());

byId('compare').addEventListener('submit', (/** @type {Event} */ event) => {
  event.preventDefault();
  const { value, fault } = readHex(byId('noted').value, 'c');
  if (current === null) return;
  if (fault !== null || value === null || value.length !== 64) {
    byId('noted-out').textContent = value === null ? say('check.noted.odd') : say('check.noted.short', { count: value.length });
    return;
  }
  byId('noted-out').textContent = '';
  noted = value;
  check(current.input);
});
byId('policy-form').addEventListener('submit', (/** @type {Event} */ event) => {
  event.preventDefault();
  policy = byId('policy').value;
  if (current !== null) check(current.input);
});
byId('noted').addEventListener('input', () => {
  byId('noted-out').textContent = '';
  if (noted === '' || current === null) return;
  noted = '';
  check(current.input);
});

byId('pasted').addEventListener('input', () => {
  const text = byId('pasted').value;
  byId('understood').textContent = text.trim() === '' ? '' : understood(verify(inText(text) ?? text));
});
byId('paste').addEventListener('submit', (/** @type {Event} */ event) => {
  event.preventDefault();
  const text = byId('pasted').value;
  if (text.trim() !== '') take(text);
});

/** Checks what a text or an address holds. @param {string} text */
function checkText(text) {
  const read = inText(text);
  if (read === null) mangled(text);
  else check({ text: read });
}

/** Takes a text that was pasted, chosen or dropped. @param {string} text */
function take(text) {
  noted = '';
  byId('noted').value = '';
  edited = false;
  checkText(text);
  const link = current?.report.record ? writeLink(current.report.record) : null;
  // A match that no link can hold must not stand under the address of another.
  if (location.hash.slice(1) !== (link ?? '')) history.pushState(history.state, '', link === null ? location.pathname : '#' + link);
  carryFragment();
  byId('verdict').focus();
}

/** @param {File} file */
async function takeFile(file) {
  if (file.size > mostFile) {
    byId('understood').textContent = sentence(say('verify.too-long.hint'));
    return;
  }
  take(new TextDecoder('utf-8', { ignoreBOM: true }).decode(await file.arrayBuffer()));
}

byId('file').addEventListener('change', () => {
  const [file] = byId('file').files;
  if (file) takeFile(file);
});
addEventListener('dragover', (event) => {
  event.preventDefault();
  byId('input').classList.add('dropping');
});
addEventListener('dragleave', () => byId('input').classList.remove('dropping'));
addEventListener('drop', (event) => {
  event.preventDefault();
  byId('input').classList.remove('dropping');
  const file = event.dataTransfer?.files[0];
  const text = event.dataTransfer?.getData('text/plain');
  if (file) takeFile(file);
  else if (text) take(text);
});

/** A match as two phones and a server would have made it, from the browser's own generator. */
byId('example').addEventListener('click', () => {
  if (!globalThis.crypto?.getRandomValues) {
    byId('understood').textContent = say('check.example.failed');
    return;
  }
  const random = (/** @type {number} */ bytes) => Array.from(crypto.getRandomValues(new Uint8Array(bytes)), (b) => b.toString(16).padStart(2, '0')).join('');
  const games = [14, 11];
  const parts = { seed: random(32), seal: /** @type {string | null} */ (null), clients: [random(16), random(16)], games };
  const bare = recordOf({ ...parts, rolls: [] });
  const rolls = computeRolls(bare, Array(games[0] + games[1]).fill(2));
  const seal = verify(writeRecord(bare)).seal;
  location.hash = writeLink(recordOf({ ...parts, seal, rolls })) ?? '';
});

byId('copy-link').addEventListener('click', async () => {
  byId('keep-out').textContent = say((await copy(byId('link').textContent)) ? 'ui.copied' : 'ui.copy.failed');
});
byId('report-copy').addEventListener('click', async () => {
  byId('report-out').textContent = say((await copy(finding())) ? 'ui.copied' : 'ui.copy.failed');
});
byId('share').addEventListener('click', () => navigator.share({ url: byId('link').textContent }).catch(() => {})); // closing the sheet is no failure
byId('print').addEventListener('click', () => print());
byId('show-qr').addEventListener('click', () => { if (current) paintCode(current.report, true); });
/** The record as a file: as it was given, if it carries signatures. @param {{input: Input, report: Report}} shown */
const saved = ({ input, report }) => (report.scheme === 'veridice/1' && 'text' in input ? input.text : writeRecord(report.record));

byId('save').addEventListener('click', () => {
  if (!current?.report.record) return;
  const { record } = current.report;
  const url = URL.createObjectURL(new Blob([saved(current)], { type: 'text/plain' }));
  el('a', { href: url, download: `veridice-${(record.match ?? current.report.seal.slice(0, 8)) || 'match'}.txt` }).click();
  setTimeout(() => URL.revokeObjectURL(url), 60000);
});
addEventListener('beforeprint', () => {
  byId('printed').textContent = say('check.printed', { date: new Date().toISOString().replace(/\.\d+/, ''), page: data.version, core: data.coreSum || '-' });
});

// A record has no place in the address: it goes along to another language by itself.
for (const a of document.querySelectorAll('.langs :is(a, button)')) {
  a.addEventListener('click', () => {
    if (current === null || !('text' in current.input) || location.hash.length > 1) return;
    carry(current.input.text);
  });
}

/** The match in the address, if there is one. */
function open() {
  noted = '';
  byId('noted').value = '';
  edited = false;
  if (location.hash.length > 1) checkText(location.hash);
  else {
    const text = carried();
    if (text) check({ text });
    else nothing();
  }
}

addEventListener('hashchange', open);
tellRead();
open();
