// What the tests of the verifier share: vectors, and randomness that is the same each time.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { appendFileSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = new URL('../../', import.meta.url);

/** Path of a file of the repository. */
export const path = (name) => fileURLToPath(new URL(name, root));

/** Names of the vector files, so that a new one nobody reads is noticed. */
export const vectorFiles = () => readdirSync(path('vectors')).filter((name) => name.endsWith('.ndjson'));

/**
 * Runs every vector of a file. A vector with a field that the test does not know fails,
 * since it would hold an expectation that nobody looks at. A test that leaves a vector
 * out gives false, and it does not count as read.
 */
export function eachVector(file, known, run) {
  const lines = readFileSync(path('vectors/' + file), 'utf8').split('\n').slice(0, -1);
  assert.ok(lines.length > 0, `${file} is empty`);
  const names = new Set();
  for (const line of lines) {
    const vector = JSON.parse(line);
    assert.ok(!names.has(vector.name), `${file} has ${vector.name} twice`);
    names.add(vector.name);
    const unknown = Object.keys(vector).filter((key) => key !== 'name' && !known.includes(key));
    assert.deepEqual(unknown, [], `${file} ${vector.name} has fields that this test does not know`);
    try {
      if (run(vector) !== false) countVector(file, vector.name);
    } catch (error) {
      error.message = `${file} ${vector.name}: ${error.message}`;
      throw error;
    }
  }
  assert.equal(names.size, lines.length);
}

/** Notes that a vector was read: vectors/README.md. */
export function countVector(file, name) {
  if (process.env.VERIDICE_VECTORS) {
    appendFileSync(process.env.VERIDICE_VECTORS, `javascript ${file} ${name}\n`);
  }
}

/** The large vectors beside the repository, or null where they are not. */
export function largeVectors(name) {
  const file = path('../shared/vectors/' + name);
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : null;
}

export const hex = (bytes) => Buffer.from(bytes).toString('hex');
export const unhex = (text) => new Uint8Array(Buffer.from(text, 'hex'));
export const utf8 = (text) => new TextEncoder().encode(text);
export const sha256 = (bytes) => new Uint8Array(createHash('sha256').update(bytes).digest());

/** Block i of the counter stream of a name: SHA-256(name, i as eight bytes). */
export function counterBlock(name, i) {
  const number = Buffer.alloc(8);
  number.writeBigUInt64BE(BigInt(i));
  return sha256(Buffer.concat([Buffer.from(name), number]));
}

/** A xorshift generator: the same numbers each time, below n at each call. */
export function random(seed) {
  let state = seed >>> 0 || 1;
  const below = (n) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % n;
  };
  below.pick = (list) => list[below(list.length)];
  below.bytes = (length) => Uint8Array.from({ length }, () => below(256));
  return below;
}

/** The example of docs/spec/tavli.md. */
export const example = {
  server: 'c149c301f8134a320da3e36748bb70c14850c75fc8ab0dc1e36460fa89070300',
  seal: '76243eb20b5ad494780afead6d49b5f826775834b0b12ddafe12819ca4608a63',
  clients: ['f24279610d6b8b1362d85c3ddec7f24e', 'd60062c1d2fe5d3f376829416b34be90'],
  dice: '213216213333262333341666',
};

/** Its share link, without the # and everything before it. */
export const fragment =
  `v=1&s=${example.server}&c=${example.seal}&p=${example.clients.join(',')}&r=${example.dice}&g=7,5`;

export const link = '/el/check/#' + fragment;
