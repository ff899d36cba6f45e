// What the verifier is as a folder: self-contained, silent, readable, typed.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync, cpSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { pathToFileURL } from 'node:url';
import * as veridice from '../verifier/veridice.mjs';
import { path, vectorFiles } from './verifier-support.mjs';

const folder = path('web/verifier');
const files = readdirSync(folder).filter((name) => name.endsWith('.mjs'));

test('the self-test passes, and so does the comparison with WebCrypto', async () => {
  const self = veridice.selfTest();
  assert.deepEqual([self.ok, self.failed], [true, []]);
  assert.ok(self.checked >= 15);
  const browser = await veridice.compareWithBrowser();
  assert.deepEqual([browser.ok, browser.failed], [true, []]);
  assert.ok(browser.checked > 0);
});

test('one falsified character in the engine makes the self-test fail', async () => {
  const falsifications = [
    ['sha256.mjs', '0x428a2f98', '0x428a2f99'], ['sha256.mjs', '0x6a09e667', '0x6a09e666'], ['sha256.mjs', '> 64 ?', '> 640 ?'],
    ['sha256.mjs', '0x5c', '0x5d'], ['sha256.mjs', '119 -', '118 -'], ['scheme.mjs', "':' + number", "';' + number"],
    ['game.mjs', 'v / 6', 'v / 7'], ['draw.mjs', '< 252', '< 200'], ['verify.mjs', "'no-seal'", "''"],
    ['chain.mjs', 'message.length - 40', 'message.length - 36'], ['chain.mjs', "framed('move'", "framed('ctx'"], ['chain.mjs', 'links.slice(1)', 'links'],
    ['chain.mjs', '% faces) + 1', '% faces) + 2'], ['chaincheck.mjs', "broken('wrong-link'", "unknown('wrong-link'"], ['chaincheck.mjs', "unknown('not-signed')", 'null'],
    ['receipt.mjs', "fromHex('01'", "fromHex('00'"], ['receipt.mjs', 'at % 2 === 1 ? node', 'at % 2 === 0 ? node'], ['receipt.mjs', 'if (!byLog)', 'if (false)'],
    ['verify.mjs', "rolls.length === 0) code = 'no-rolls'", "rolls.length < 0) code = 'no-rolls'"],
  ];
  for (const [name, before, after] of falsifications) {
    const copy = mkdtempSync(join(tmpdir(), 'veridice-'));
    try {
      cpSync(folder, copy, { recursive: true });
      const source = readFileSync(join(copy, name), 'utf8');
      assert.ok(source.includes(before), `${name} has ${before}`);
      writeFileSync(join(copy, name), source.replace(before, after));
      const engine = await import(pathToFileURL(join(copy, 'veridice.mjs')).href);
      let failed = ['it threw'];
      try {
        failed = engine.selfTest().failed;
      } catch {
        // a page takes that for a failure too
      }
      assert.notEqual(failed.length, 0, `${before} became ${after} in ${name}`);
    } finally {
      rmSync(copy, { recursive: true });
    }
  }
});

test('the declarations for TypeScript have what it exports', () => {
  const text = readFileSync(join(folder, 'veridice.d.mts'), 'utf8');
  const declared = [...text.matchAll(/^export (?:const|function) (\w+)/gm)].map(([, name]) => name);
  assert.deepEqual(declared.sort(), Object.keys(veridice).sort());
  // And a type has the members that there are.
  const report = /^export interface Report \{\n(.*?)^\}/ms.exec(text)?.[1] ?? '';
  const members = [...report.matchAll(/^  (\w+): /gm)].map(([, name]) => name);
  assert.deepEqual(members.sort(), Object.keys(veridice.verify('')).sort());
});

test('it imports only itself, and touches no page, network, clock or chance', () => {
  assert.ok(files.length >= 9);
  const forbidden =
    /innerHTML|outerHTML|insertAdjacent|\beval\b|\bFunction\(|URLSearchParams|\bDate\b|performance|Math\.random|getRandomValues|\bfetch\b|XMLHttpRequest|WebSocket|EventSource|sendBeacon|\bdocument\.|\bwindow\b|localStorage|sessionStorage|navigator|\bprocess\b|require\(|setTimeout|import\((?!')/;
  for (const name of files) {
    const source = readFileSync(join(folder, name), 'utf8');
    for (const [, from] of source.matchAll(/\bfrom\s+['"]([^'"]+)['"]/g)) assert.match(from, /^\.\/[a-z0-9]+\.mjs$/, name);
    const found = forbidden.exec(source.replace(/\/\*\*[\s\S]*?\*\/|\/\/.*/g, ''));
    assert.equal(found, null, `${name} has ${found?.[0]}`);
    assert.ok(!/[^\x00-\x7f]/.test(source), `${name} is ASCII, so that nothing in it is invisible`);
  }
});

test('every file of vectors is read by a test of this engine', () => {
  const tests = readdirSync(path('web/test')).filter((name) => /^verifier-.*\.test\.mjs$/.test(name));
  const text = tests.map((name) => readFileSync(path('web/test/' + name), 'utf8')).join('\n');
  assert.ok(vectorFiles().length > 0);
  for (const name of vectorFiles()) assert.ok(text.includes(`eachVector('${name}'`), `${name} is read by no test`);
});

test('docs/verifier.md names its version, and everything that it exports', () => {
  const page = readFileSync(path('docs/verifier.md'), 'utf8');
  assert.ok(page.includes(`/verifier/${veridice.version}/veridice.mjs`));
  const code = [...page.matchAll(/`([A-Za-z]+)(?:\(([^)`]*)\))?`/g)];
  for (const [name, value] of Object.entries(veridice)) {
    const said = code.filter((found) => found[1] === name);
    assert.ok(said.length > 0, `${name} is not in docs/verifier.md`);
    if (typeof value !== 'function') continue;
    const given = /\(([^]*?)\)\s*\{/.exec(String(value))?.[1].replace(/\s*=\s*(?:\{[^}]*\}|'[^']*'|\d+)/g, '') ?? '';
    const wanted = given.startsWith('{') ? said[0][2] : given; // an object's own members have no place there
    assert.ok(said.some((found) => found[2] === wanted), `${name}(${given}) is ${said.map((found) => found[2])} in docs/verifier.md`);
  }
});

test('the JSDoc types hold', (t) => {
  const tsc = [
    process.env.VERIDICE_TSC ?? '',
    path('node_modules/@typescript/typescript-linux-x64/lib/tsc'),
  ].find((name) => name !== '' && existsSync(name));
  if (tsc === undefined) {
    const why = 'the JSDoc types need tsc: npm install @typescript/typescript-linux-x64@7.0.2, or set VERIDICE_TSC';
    if (process.env.VERIDICE_SKIPPED) appendFileSync(process.env.VERIDICE_SKIPPED, why + '\n'); // make test ends with it
    return t.skip(why);
  }
  const run = spawnSync(tsc, ['-p', path('web/test/tsconfig.json')], { encoding: 'utf8' });
  assert.equal(run.stdout + run.stderr, '');
  assert.equal(run.status, 0);
});
