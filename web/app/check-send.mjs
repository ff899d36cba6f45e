// A mismatch to be reported: what is copied, and to whom it may be sent. Nothing is sent
// by the page itself.
import { el } from './dom.mjs';
import { titleOf } from './check-report.mjs';
import { data, parts, say } from './words.mjs';
import { placeText } from '../verifier/verify.mjs';

/** @typedef {import('../verifier/veridice.mjs').Report} Report */

const isMail = !data.contact?.includes('://');
const mostMail = 1800; // characters of a mail that programs take from a link

/** A mail to whoever runs this server, or to nobody yet. @param {string} body */
export const mailTo = (body) => `mailto:${isMail ? data.contact ?? '' : ''}?subject=Veridice&body=${encodeURIComponent(body)}`;

/**
 * What was found, for people and for whoever looks for the mistake.
 * @param {Report} report
 * @param {boolean} typed
 * @param {string} match its link, or its record
 * @param {string} engines what the second one said
 */
export function findingText(report, typed, match, engines) {
  return [
    titleOf(report, typed), '',
    `${report.verdict}: ${[report.code, placeText(report.place), report.scheme, report.fit + '/' + report.rolls, 'engines: ' + engines].filter((part) => part).join(', ')}`,
    `${new Date().toISOString().replace(/\.\d+/, '')}, page ${data.version}, core ${data.coreSum || '-'}`, '',
    match,
  ].join('\n');
}

/** The line that names the contact, if the operator gave one. @param {string} finding */
export function contactLine(finding) {
  if (!data.contact) return [];
  const href = isMail ? (finding.length <= mostMail ? mailTo(finding) : 'mailto:' + data.contact) : data.contact;
  return parts('check.report.contact', { contact: el('a', { href, rel: 'noreferrer' }, data.contact) });
}
