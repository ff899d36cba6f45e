// Reports in words. Codes and arguments come from an engine; sentences are those of
// the catalogue, which the command line has too.
import { has, list, moment, number, say } from './words.mjs';
import { rollsOf } from '../verifier/record.mjs';

/**
 * @typedef {import('../verifier/veridice.mjs').Report} Report
 * @typedef {import('../verifier/veridice.mjs').Fault} Fault
 */

/** A message of the command line as a sentence of its own. @param {string} text */
export function sentence(text) {
  const first = text.slice(0, 1).toLocaleUpperCase(document.documentElement.lang);
  return first + text.slice(1) + (/[.:;!?]$/.test(text) ? '' : '.');
}

/** The key, or the one with the scheme's own words. @param {string} key @param {string} scheme */
export function ownKey(key, scheme) {
  const own = key + '.' + scheme.split('/')[0];
  return has(own) ? own : key;
}

/** Dice as people write them, 6-3. @param {number[] | null | undefined} dice */
export const written = (dice) => (dice ?? []).join('-');

/** Where something could not be read. @param {Fault} fault */
export function whereOf(fault) {
  const { part, line, column, char } = fault;
  let where = say('verify.place.text');
  if (part && column) where = say('verify.place.position', { part, position: column });
  else if (part) where = say('verify.place.part', { part });
  else if (line && column) where = say('verify.place.column', { line, column });
  else if (line) where = say('verify.place.line', { line });
  return char ? say('verify.place.char', { where, char }) : where;
}

/**
 * Everything that a message about a report may name.
 * @param {Report} report
 * @param {number[][] | undefined} seen rolls that this phone or the reader saw
 */
export function values(report, seen) {
  const n = report.place.number;
  const compared = report.compared[n - 1];
  const rolls = report.record === null ? [] : rollsOf(report.record);
  return {
    count: report.rolls, rolls: report.rolls, fit: report.fit, roll: n, part: report.fault?.part || report.place.part,
    recorded: written(compared?.recorded ?? rolls[n - 1]?.dice) || say('verify.nothing'),
    computed: written(compared?.computed), noted: written(seen?.[n - 1]) || say('verify.nothing'),
    role: roleName(report.place.kind === 'role' ? n : Number(report.place.part.replace('role ', ''))), number: n,
    entry: report.place.kind === 'entry' ? say('verify.entry.' + report.place.part) : '',
    stated: report.record?.rolls ?? 0, listed: rolls.length, where: report.fault === null ? '' : whereOf(report.fault),
  };
}

/** A party of a match of veridice/1. @param {number} role */
export const roleName = (role) => (role === 0 ? say('verify.role.server') : say('verify.role.seat', { seat: role }));

/** What a proven report does not prove. @param {{code: string, args: string[]}} limit @param {string} scheme */
export function limitText({ code, args }, scheme) {
  return sentence(say(ownKey('verify.limit.' + code, scheme), { seats: list(args.map((seat) => roleName(Number(seat)))) }));
}

/** Whose account a record of veridice/1 is, who signed it, and how far it came. @param {Report} report @returns {string[]} */
export function accountTexts(report) {
  const { record, account, signed, unchecked } = report;
  if (record === null || !('roles' in record)) return [];
  const lines = account.map((by) => say('verify.account.' + by));
  if (unchecked.length === 0) {
    lines.push(signed.length === 0 ? say('verify.signed.nobody') : say('verify.signed', { roles: list(signed.map(roleName)) }));
  }
  if (record.pending !== null) lines.push(say('verify.pending', { roll: record.pending.roll }));
  return lines.map(sentence);
}

/** What a public log says of a match that is proven with its receipts. @param {Report} report @returns {string[]} */
export function loggedTexts({ began, closed }) {
  if (!began) return [];
  const when = began.witnesses === 0 ? say('verify.logged.nobody') : say('verify.logged.time', { count: began.witnesses, time: moment(began.time * 1000) });
  const end = closed ? [say('verify.logged.end', { index: closed.index })] : [];
  return [say('verify.logged.begin', { index: began.index, log: began.origin }), when, ...end].map(sentence);
}

/** How far a match came that did not end by itself, or "". @param {Report} report */
export function stateText({ state, scheme, record }) {
  if (state !== 'running' && state !== 'aborted') return '';
  if (record !== null && 'roles' in record && record.role !== null) return sentence(say('verify.aborted.by', { role: roleName(record.role) }));
  return sentence(say(ownKey('verify.state.' + state, scheme)));
}

/** A diagnosis. @param {{code: string, args: string[]}} finding */
export function findingText({ code, args }) {
  const key = 'verify.finding.' + code;
  if (has(key)) return sentence(say(key, { order: list(args) }));
  return sentence(say(key + '.' + args[0])); // such as lower or upper
}

/** What an input holds, in a few words: shown before it is checked. @param {Report} report */
export function understood(report) {
  const { record, fault } = report;
  if (record === null) return fault === null ? '' : sentence(say('verify.' + fault.code, { ...values(report, undefined) }));
  const found = [];
  if ('roles' in record) return sentence(say('check.read', { scheme: record.scheme, parts: say('check.read.rolls', { count: rollsOf(record).length }) }));
  if (record.seed !== null) found.push(say(ownKey('check.read.seed', record.scheme)));
  if (record.seal !== null) found.push(say(ownKey('check.read.seal', record.scheme)));
  if (record.clients) found.push(say('check.read.clients', { count: record.clients.length }));
  found.push(say(ownKey('check.read.rolls', record.scheme), { count: rollsOf(record).length || report.show }));
  return sentence(say('check.read', { scheme: record.scheme, parts: list(found) }));
}

/** A count and the largest number that is shown beside it. @param {number} from @param {number} to */
export const range = (from, to) => (from === to ? number(from) : number(from) + '–' + number(to));
