/**
 * Receipts of a public log (c2sp.org/tlog-proof), and the policy (c2sp.org/tlog-policy)
 * that says whose signatures count: docs/spec/log.md.
 *
 *   c2sp.org/tlog-proof@v1
 *   index 3
 *   BASE64                     the path, a hash a line
 *
 *   log.example/veridice       the checkpoint: origin, size, root
 *   14
 *   BASE64
 *
 *   (dash U+2014) log.example/veridice BASE64
 *   (dash U+2014) w1.example BASE64
 */
import { sha256 } from './sha256.mjs';
import { fromHex, toHex } from './seed.mjs';
import { attempt, Refusal } from './fault.mjs';
import { decimal } from './lines.mjs';
import { leafHash } from './chain.mjs';
import { cannotHold, checkAhead, fromBase64, isName, keyId, notNow, readNote } from './note.mjs';

/** @typedef {import('./fault.mjs').Fault} Fault */
/** @typedef {import('./note.mjs').Note} Note */
/** @typedef {import('./note.mjs').Signature} Signature */
/** @typedef {import('./note.mjs').Verifier} Verifier */
/** @typedef {{origin: string, size: number, root: string}} Checkpoint */
/** @typedef {{name: string, id: string, key: string, kind: number}} Key */
/** @typedef {{name: string, key: Key, url: string}} Named */
/** @typedef {{logs: Named[], witnesses: Named[], groups: {name: string, least: number, members: string[]}[], quorum: string}} Policy */

/**
 * What a receipt that holds says of its entry. `time` is the latest of the witnesses',
 * Unix time, 0 without a witness.
 * @typedef {{origin: string, index: number, size: number, witnesses: number, time: number}} Logged
 */

/**
 * What a receipt comes to: code '' if it holds, else 'bad-receipt', 'no-quorum' or
 * 'signatures-not-checked'.
 * @typedef {{code: string, words: string, logged: Logged | null, checkpoint: Checkpoint | null}} Result
 */

const mostSize = Number.MAX_SAFE_INTEGER;
const mostPath = 63;
const mostPolicy = 2 ** 20;
const signing = 1; // kind of a log's key
const cosigning = 4; // kind of a witness's

/** @param {string} text */
const utf8 = (text) => new TextEncoder().encode(text);

/** @param {string} words @param {number} [line] */
const badPolicy = (words, line = 0) => new Refusal({ code: 'bad-policy', line, words });

/** 32 bytes of base64, as hex. @param {string} text */
function readHash(text) {
  const bytes = text.length === 44 ? fromBase64(text) : null;
  return bytes === null || bytes.length !== 32 ? null : toHex(bytes);
}

/**
 * The text of a key: NAME+ID+BASE64 of a byte that says its kind, and 32 of the key.
 * @param {string} text
 * @param {number} kind
 * @returns {Key | string} what is wrong with it
 */
function readKey(text, kind) {
  const parts = /^([^+]*)\+([^+]*)\+(.*)$/.exec(text);
  if (parts === null || !isName(parts[1])) return 'a key is NAME+ID+BASE64';
  const [, name, id, base64] = parts;
  const bytes = fromBase64(base64);
  if (bytes === null || bytes.length !== 33) return 'key is not 33 bytes of base64';
  if (bytes[0] !== kind) return 'key of another kind';
  const key = toHex(bytes.slice(1));
  return keyId({ name, key }, kind) === id ? { name, id, key, kind } : 'the id is not that of name and key';
}

/**
 * Reads a policy. The line of a fault is that of the policy.
 * @param {string} text
 * @returns {{value: Policy, fault: null} | {value: null, fault: Fault}}
 */
export function readPolicy(text) {
  return attempt(() => {
    if (utf8(text).length > mostPolicy) throw badPolicy('more than 1 MiB');
    /** @type {Policy} */
    const policy = { logs: [], witnesses: [], groups: [], quorum: '' };
    const names = new Set(['none']);
    const keys = new Set();
    const members = new Set(['none']); // of some group
    for (const [i, line] of text.split('\n').entries()) {
      const wrong = policyLine(line, policy, names, keys, members);
      if (wrong !== '') throw badPolicy(wrong, i + 1);
    }
    if (policy.quorum === '') throw badPolicy('no quorum line');
    return policy;
  });
}

/**
 * @param {string} line
 * @param {Policy} policy gets what the line says
 * @param {Set<string>} names of witnesses and groups
 * @param {Set<string>} keys
 * @param {Set<string>} members
 * @returns {string} what is wrong with it, or ''
 */
function policyLine(line, policy, names, keys, members) {
  if (/[\0-\x08\x0a-\x1f\x7f]/.test(line)) return 'control character; lines end with LF alone';
  const words = line.split(/[ \t]+/).filter((word) => word !== '');
  const [what, name, ...rest] = words;
  if (what === undefined || what.startsWith('#')) return '';
  if (what === 'log' && (words.length === 2 || words.length === 3)) return addKey(policy.logs, '', name, rest[0], signing, keys);
  if (what === 'witness' && (words.length === 3 || words.length === 4)) {
    if (names.has(name)) return 'the name is taken';
    names.add(name);
    return addKey(policy.witnesses, name, rest[0], rest[1], cosigning, keys);
  }
  if (what === 'group' && words.length >= 4) {
    const [least, ...listed] = rest;
    for (const member of listed) {
      if (!names.has(member) || member === 'none') return 'member that is not defined above';
      if (members.has(member)) return 'member of two groups, or twice of one';
      members.add(member);
    }
    const k = least === 'any' ? 1 : least === 'all' ? listed.length : decimal(least, 1, listed.length);
    if (k === null) return 'number of members that must cosign is not any, all or 1 to all';
    if (names.has(name)) return 'the name is taken';
    names.add(name);
    policy.groups.push({ name, least: k, members: listed });
    return '';
  }
  if (what !== 'quorum' || words.length !== 2) return 'not a line log, witness, group or quorum';
  if (policy.quorum !== '') return 'two quorum lines';
  if (!names.has(name)) return 'quorum that is not defined above';
  policy.quorum = name;
  return '';
}

/**
 * @param {Named[]} to
 * @param {string} name
 * @param {string} text
 * @param {string} url
 * @param {number} kind
 * @param {Set<string>} keys
 */
function addKey(to, name, text, url = '', kind, keys) {
  const key = readKey(text, kind);
  if (typeof key === 'string') return key;
  if (keys.has(key.key)) return 'key that was given above';
  keys.add(key.key);
  to.push({ name, key, url });
  return '';
}

/**
 * Whether these witnesses are enough.
 * @param {Policy} policy
 * @param {Iterable<string>} witnesses names in the policy
 */
export function isEnough({ groups, quorum }, witnesses) {
  const have = new Set(['none', ...witnesses]);
  for (const { name, least, members } of groups) {
    if (members.filter((member) => have.has(member)).length >= least) have.add(name);
  }
  return have.has(quorum);
}

/**
 * A receipt in its one encoding.
 * @typedef {{index: number, path: string[], note: Note, checkpoint: Checkpoint}} Receipt
 */

/**
 * @param {string} text
 * @returns {{value: Receipt, fault: null} | {value: null, fault: Fault}}
 */
export function readReceipt(text) {
  return attempt(() => {
    /** @param {string} words */
    const refuse = (words) => new Refusal({ code: 'bad-receipt', words });
    const gap = text.indexOf('\n\n');
    if (gap < 0) throw refuse('no empty line before the checkpoint');
    const lines = text.slice(0, gap).split('\n');
    if (lines.shift() !== 'c2sp.org/tlog-proof@v1') throw refuse('not a log proof of version 1');
    if (lines[0]?.startsWith('extra ')) {
      const extra = fromBase64(/** @type {string} */ (lines.shift()).slice(6));
      if (extra === null || extra.length === 0) throw refuse('extra line is not base64');
    }
    const line = lines.shift() ?? '';
    const index = line.startsWith('index ') ? decimal(line.slice(6), 0, mostSize) : null;
    if (index === null) throw refuse('no index');
    const path = lines.map(readHash);
    if (path.length > mostPath || path.includes(null)) throw refuse('path is not up to 63 lines of 32 bytes of base64');
    const note = readNote(text.slice(gap + 2));
    const checkpoint = readCheckpoint(note.text);
    if (checkpoint === null) throw refuse('not the three lines of a checkpoint');
    return { index, path: /** @type {string[]} */ (path), note, checkpoint };
  });
}

/**
 * The three lines of a checkpoint.
 * @param {string} text
 * @returns {Checkpoint | null}
 */
export function readCheckpoint(text) {
  const [origin, digits, base64, end, ...more] = text.split('\n');
  const size = decimal(digits ?? '', 0, mostSize);
  const root = readHash(base64 ?? '');
  return origin === '' || size === null || root === null || end !== '' || more.length > 0 ? null : { origin, size, root };
}

/**
 * What a signature of a key signs, and its 64 bytes, with the time of a witness; null if
 * it has not the form.
 * @param {Note} note
 * @param {Key} key
 * @param {Signature} signature
 */
function taken({ text }, { kind }, { bytes }) {
  if (kind === signing) return { text, bytes, time: 0 };
  if (bytes.length !== 72) return null;
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  const time = view.getUint32(0) * 2 ** 32 + view.getUint32(4);
  if (time > Number.MAX_SAFE_INTEGER) return null;
  return { text: `cosignature/v1\ntime ${time}\n${text}`, bytes: bytes.slice(8), time };
}

/** Signatures that claim to be of a key. @param {Note} note @param {Key} key */
const claimed = (note, key) => note.signatures.filter(({ name, keyId: id }) => name === key.name && id === key.id);

/**
 * What checkAhead is to check, so that the signatures of these receipts are known.
 * @param {Policy} policy
 * @param {string[]} receipts
 * @returns {{note: Note, signers: {name: string, key: string}[]}[]}
 */
export function signaturesOf(policy, receipts) {
  /** @type {{note: Note, signers: {name: string, key: string}[]}[]} */
  const all = [];
  for (const text of receipts) {
    const { value } = readReceipt(text);
    if (value === null) continue;
    for (const { key } of [...policy.logs, ...policy.witnesses]) {
      for (const signature of claimed(value.note, key)) {
        const one = taken(value.note, key, signature);
        if (one === null) continue;
        const signer = { name: key.name, key: key.key };
        all.push({ note: { text: one.text, signatures: [{ name: key.name, keyId: keyId(signer), bytes: one.bytes }] }, signers: [signer] });
      }
    }
  }
  return all;
}

/**
 * Checks that an entry is in a log. The numbers are those of the page.
 * @param {Policy} policy
 * @param {string} entry
 * @param {string} receipt
 * @param {Verifier} verifier
 * @returns {Result}
 */
export function checkReceipt(policy, entry, receipt, verifier) {
  /** @param {string} words @param {string} [code] @returns {Result} */
  const stop = (words, code = 'bad-receipt') => ({ code, words, logged: null, checkpoint: null });
  // 1 and 2.
  const { value, fault } = readReceipt(receipt);
  if (value === null) return stop(fault.words);
  const { index, path, note, checkpoint } = value;
  // 3 and 4.
  let byLog = false;
  let open = false; // a signature cannot be checked here and now
  /** @type {Map<string, number>} */
  const times = new Map();
  for (const { name, key } of [...policy.logs, ...policy.witnesses]) {
    for (const signature of claimed(note, key)) {
      const one = taken(note, key, signature);
      const holds = one === null || cannotHold(key.key, one.bytes) ? false : verifier(one.text, key.key, one.bytes);
      if (one === null || holds === false) return stop('a signature of ' + key.name + ' does not hold');
      if (holds === null) open = true;
      if (key.kind === cosigning) times.set(name, Math.max(one.time, times.get(name) ?? 0));
      else if (key.name === checkpoint.origin) byLog = true;
    }
  }
  if (!byLog) return stop('no log of the policy has signed');
  // 5.
  const notChecked = () => stop('signatures cannot be checked here', 'signatures-not-checked');
  if (!isEnough(policy, times.keys())) return open ? notChecked() : stop('too few witnesses of the policy have cosigned: ' + times.size, 'no-quorum');
  // 6.
  if (index >= checkpoint.size) return stop('the index is not below the size of the log');
  if (climb(toHex(leafHash(entry)), index, checkpoint.size, path) !== checkpoint.root) return stop('the path does not lead from the entry to the root');
  if (open) return notChecked();
  const { origin, size } = checkpoint;
  return { code: '', words: '', logged: { origin, index, size, witnesses: times.size, time: Math.max(0, ...times.values()) }, checkpoint };
}

/** The hash of an inner node. @param {string} left @param {string} right */
const node = (left, right) => toHex(sha256(fromHex('01' + left + right)));

/**
 * The root that a path leads to, or '' if it has not the right length.
 * @param {string} hash
 * @param {number} index
 * @param {number} size
 * @param {string[]} path
 */
function climb(hash, index, size, path) {
  let used = 0;
  for (let at = index, width = size; width > 1; at = Math.floor(at / 2), width = Math.ceil(width / 2)) {
    if (at % 2 === 0 && at === width - 1) continue; // no sibling
    if (used === path.length) return '';
    hash = at % 2 === 1 ? node(path[used], hash) : node(hash, path[used]);
    used++;
  }
  return used === path.length ? hash : '';
}

/**
 * The same with all signatures, which the browser checks where it can: for a phone that
 * is given the receipt of its opening.
 * @param {string} policy
 * @param {string} entry
 * @param {string} receipt
 * @returns {Promise<Result>} code 'bad-policy' if the policy cannot be read
 */
export async function checkReceiptAsync(policy, entry, receipt) {
  const { value, fault } = readPolicy(policy);
  if (value === null) return { code: 'bad-policy', words: fault.words, logged: null, checkpoint: null };
  const ahead = signaturesOf(value, [receipt]);
  return checkReceipt(value, entry, receipt, ahead.length === 0 ? notNow : await checkAhead(ahead));
}

/** SHA-256 of nothing. */
const emptyRoot = toHex(sha256(new Uint8Array(0)));

/**
 * Whether a tree begins with an earlier one: RFC 9162, section 2.1.4.2. From the empty
 * tree everything grew, without proof.
 * @param {{size: number, root: string}} earlier
 * @param {{size: number, root: string}} later
 * @param {string[]} proof hashes, hex
 */
export function hasGrown(earlier, later, proof) {
  if (earlier.size === later.size) return proof.length === 0 && earlier.root === later.root && (later.size > 0 || later.root === emptyRoot);
  if (earlier.size === 0) return proof.length === 0 && earlier.root === emptyRoot;
  if (earlier.size > later.size || proof.length === 0) return false;
  let at = earlier.size - 1;
  let last = later.size - 1;
  for (; at % 2 === 1; at = (at - 1) / 2) last = Math.floor(last / 2);
  // A whole subtree at the left is the earlier tree itself.
  const hashes = at === 0 ? [earlier.root, ...proof] : proof;
  let [before, now] = [hashes[0], hashes[0]];
  for (const hash of hashes.slice(1)) {
    if (last === 0) return false;
    if (at % 2 === 1 || at === last) {
      [before, now] = [node(hash, before), node(hash, now)];
      for (; at % 2 === 0 && at !== 0; at /= 2) last = Math.floor(last / 2);
    } else now = node(now, hash);
    at = Math.floor(at / 2);
    last = Math.floor(last / 2);
  }
  return last === 0 && before === earlier.root && now === later.root;
}
