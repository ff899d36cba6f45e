// What veridice.mjs exports, for TypeScript. The comments of the code say more.

export const version: string;

export type Verdict = 'proven' | 'broken' | 'unknown';

/** What was read, or where and why it could not be. */
export type Reading<T> = { value: T; fault: null } | { value: null; fault: Fault };

/** What could not be read: the part of the input, where in it, and why. */
export interface Fault {
  code: string;
  /** Of a share link or form: v, s, c, p, r or g; else ''. */
  part: string;
  /** Of a record, a box or pasted rolls. */
  line: number;
  /** In the line, or the position in the value of the part. */
  column: number;
  /** The refused character, by code point unless printable ASCII. */
  char: string;
  /** The reason in English, for logs and developers. */
  words: string;
}

/** What the reader gives beside the text. */
export interface Options {
  /** The seal that was shown before the first roll, of veridice/1 the hash of the opening: hex. */
  seal?: string;
  /** Of veridice/1: HEAD texts that the reader trusts, or notes of them. */
  heads?: (string | Uint8Array)[];
  /** That seal was kept by this phone, not typed or pasted. */
  kept?: boolean;
  /** The rolls that the reader or this phone saw. */
  rolls?: number[][];
  /** How many rolls the match had. */
  number?: number;
  /** The logs and witnesses that the reader trusts, as c2sp.org/tlog-policy; '' is none. */
  policy?: string;
}

/** The fields of a form, as people type them. */
export interface Fields {
  scheme?: 'tavli/1' | 'yayay/1';
  server: string;
  seal?: string;
  clients?: string;
  number?: string;
  rolls?: string;
  games?: number[];
}

export interface Place {
  /** 'roll', 'line', 'part', 'role', 'head', 'entry' or ''. */
  kind: string;
  number: number;
  part: string;
  column: number;
}

export interface Finding {
  code: string;
  args: string[];
}

/** A recorded roll beside the computed one. */
export interface Compared {
  number: number;
  recorded: number[];
  computed: number[];
  fits: boolean;
}

export interface Step {
  number: number;
  id: string;
  state: 'passed' | 'failed' | 'not-reached';
}

/** What a check comes to. */
export interface Report {
  verdict: Verdict;
  /** '' if proven. */
  code: string;
  place: Place;
  /** '' if nothing could be read. */
  scheme: string;
  /** Of the match: 'running', 'finished', 'aborted' or ''. */
  state: string;
  /** How many rolls are recorded. */
  rolls: number;
  /** How many of them follow from the seeds. */
  fit: number;
  /** Of the seal, if proven: 'given', 'kept', 'record' or, of a log, 'receipt'; else ''. */
  source: string;
  /** Of the revealed server seed: hex, or ''. */
  seal: string;
  /** How many rolls to compute and show though none are recorded. */
  show: number;
  compared: Compared[];
  steps: Step[];
  /** Diagnoses and warnings; they never change the verdict. */
  findings: Finding[];
  /** What a proven report does not prove. */
  notProven: Finding[];
  /** Unknown keys of a share link. */
  ignored: string[];
  /** Of veridice/1: the roles of which a signature on this very text verifies. */
  signed: number[];
  /** Of veridice/1: the roles with a signature that could not be checked here and now. */
  unchecked: number[];
  /** Of veridice/1, if proven: what vouches for it, 'signature', 'head', 'close'. */
  account: string[];
  /** Of a proof file, if proven: the opening or seal in the log. */
  began: Logged | null;
  /** The same of the closing or unsealing, if there is one. */
  closed: Logged | null;
  /** Of veridice/1: hash of the opening, hex, or ''. */
  opening: string;
  record: Record | ChainRecord | null;
  fault: Fault | null;
}

export type Entry = { type: 'roll'; roll: number; dice: number[] } | { type: 'game' };

/** A record of tavli/1 or yayay/1. */
export interface Record {
  record: 1;
  scheme: string;
  match: string | null;
  /** Hex. */
  seal: string | null;
  /** In the order of the seats; missing where the scheme has none. */
  clients?: string[];
  entries: Entry[];
  /** Hex, if it is revealed. */
  seed: string | null;
  rolls: number;
  state: string;
  /** SHA-256 of all lines before it, hex. */
  sum: string;
}

export interface ChainRoll {
  type: 'roll';
  roll: number;
  actor: number;
  faces: number[];
  dice: number[];
}

export interface Move {
  type: 'move';
  role: number;
  move: string;
}

/** A record of veridice/1. Hashes, anchors, keys and links are hex. */
export interface ChainRecord {
  record: 1;
  scheme: 'veridice/1';
  match: string;
  seq: number;
  rules: string;
  links: number;
  /** By role, the server first. */
  roles: { anchor: string; key: string }[];
  /** Unix time in seconds. */
  expires: number;
  entries: (ChainRoll | Move)[];
  /** A roll that was asked for and never fell. */
  pending: { roll: number; actor: number; faces: number[] } | null;
  /** The last link that each role showed. */
  last: { role: number; index: number; link: string }[];
  rolls: number;
  head: string;
  state: string;
  /** Of an aborted match: the role that was silent. */
  role: number | null;
  sum: string;
}

export interface Signature {
  name: string;
  /** 8 hex digits. */
  keyId: string;
  /** The signature itself, without the key's id. */
  bytes: Uint8Array;
}

/** A signed note: c2sp.org/signed-note. */
export interface Note {
  text: string;
  signatures: Signature[];
}

/** What a receipt says of an entry of a public log. */
export interface Logged {
  origin: string;
  /** The entry's number in the log. */
  index: number;
  /** Entries of the log at the checkpoint. */
  size: number;
  /** How many witnesses of the policy cosigned. */
  witnesses: number;
  /** The latest of the witnesses': Unix time in seconds, 0 without a witness. */
  time: number;
}

export interface Checkpoint {
  origin: string;
  size: number;
  /** Hex. */
  root: string;
}

export interface Key {
  name: string;
  id: string;
  key: string;
  kind: number;
}

export interface Named {
  name: string;
  key: Key;
  url: string;
}

/** c2sp.org/tlog-policy. */
export interface Policy {
  logs: Named[];
  witnesses: Named[];
  groups: { name: string; least: number; members: string[] }[];
  quorum: string;
}

export interface Receipt {
  index: number;
  path: string[];
  note: Note;
  checkpoint: Checkpoint;
}

export interface Block {
  message: string;
  mac: string;
  skipped: number[];
}

/** How a roll of tavli/1 was made. */
export interface TavliRoll {
  scheme: 'tavli/1';
  roll: number;
  key: string;
  blocks: Block[];
  position: number;
  byte: number;
  v: number;
  arithmetic: string[];
  dice: number[];
  recorded: number[] | null;
}

export interface Die {
  number: number;
  input: string;
  hash: string;
  word: number;
  arithmetic: string[];
  value: number;
}

/** How a throw of yayay/1 was made. */
export interface YayayRoll {
  scheme: 'yayay/1';
  roll: number;
  key: string;
  thrown: Die[];
  dice: number[];
  recorded: number[] | null;
}

export interface SelfTest {
  ok: boolean;
  checked: number;
  failed: string[];
}

export interface Link {
  record: Record;
  show: number;
  ignored: string[];
}

// Checking.
export function verify(input: string | Uint8Array, options?: Options): Report;
export function verifyAsync(input: string | Uint8Array, options?: Options): Promise<Report>;
export function verifyRecord(record: Record | ChainRecord, options?: Options): Report;
export function verifyFields(fields: Fields, options?: Options): Report;
export function placeText(place: Place): string;
export function computeRolls(record: Record, counts: number[]): number[][];
export function evidence(
  first: string, second: string, key: string, policy?: string,
): Promise<{ code: string; place: Place; unchecked: boolean }>;
export function checkReceiptAsync(
  policy: string, entry: string, receipt: string,
): Promise<{ code: string; words: string; logged: Logged | null; checkpoint: Checkpoint | null }>;
export function hasGrown(
  earlier: { size: number; root: string }, later: { size: number; root: string }, proof: string[],
): boolean;
export function isEnough(policy: Policy, witnesses: Iterable<string>): boolean;
export function readCheckpoint(text: string): Checkpoint | null;
export function readPolicy(text: string): Reading<Policy>;
export function readReceipt(text: string): Reading<Receipt>;
export function explain(record: Record | ChainRecord, roll: number, count?: number): TavliRoll | YayayRoll | null;
export function selfTest(): SelfTest;
export function compareWithBrowser(): Promise<SelfTest>;

// Records and links.
export function parseRecord(text: string): Reading<Record | ChainRecord>;
export function parseSigned(text: string): Reading<{ record: Record | ChainRecord; note: Note }>;
export function writeRecord(record: Record | ChainRecord): string;
export function rollsOf(record: Record | ChainRecord): { roll: number; dice: number[] }[];
export function gamesOf(record: Record | ChainRecord): number[];
export function readView(view: string): Reading<Record | ChainRecord>;
export function writeView(record: Record | ChainRecord): string;
export function openingText(record: Omit<ChainRecord, 'sum'>): string;
export function readLink(text: string): Reading<Link>[];
export function writeLink(record: Record): string | null;
export function recordOf(parts: {
  scheme?: string; seed: string; seal: string | null; clients: string[]; rolls: number[][]; games: number[];
}): Record;

// Fields of a form.
export function readHex(text: string, part: string): Reading<string>;
export function readClients(text: string): Reading<string[]>;
export function readNumber(text: string): Reading<number | undefined>;
export function readRolls(text: string, scheme?: string): Reading<number[][]>;
export function sealOf(server: string): string;
export function clientFault(text: string): { position: number; character: string; words: string } | null;
export function codePoint(text: string): string;
