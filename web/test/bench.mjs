// Times of the JavaScript engine for veridice/1: node web/test/bench.mjs. The Go core has the same benchmarks in
// package protocol, which run as WebAssembly too (make bench-protocol), and those of proof files in package checkpoint.
import { readFileSync } from 'node:fs';
import { chainTo, openingText, rollOf, startOf } from '../verifier/chain.mjs';
import { fromHex, toHex } from '../verifier/seed.mjs';
import { verifyAsync } from '../verifier/veridice.mjs';
import { linkBefore } from '../app/phone/texts.mjs';

/** Milliseconds of one run, the least of several so that other work on the machine counts little. */
function time(run, rounds) {
  let least = Infinity;
  for (let round = 0; round < 7; round++) {
    const start = performance.now();
    for (let i = 0; i < rounds; i++) run(i);
    least = Math.min(least, (performance.now() - start) / rounds);
  }
  return least;
}

const match = '00112233445566778899aabbccddeeff';
const seats = 2;
const length = 512;
const last = (role) => toHex(new Uint8Array(32).fill(role + 1));
const chains = Array.from({ length: seats + 1 }, (_, role) => chainTo(match, role, length, last(role)));
const roles = chains.map(([anchor], role) => ({ anchor: toHex(anchor), key: toHex(new Uint8Array(32).fill(role + 9)) }));
const opening = startOf(new TextEncoder().encode(openingText({ match, seq: 1, rules: last(0), links: length, roles, expires: 0 })));
const links = chains.map((chain) => chain[1]);

const derive = () => rollOf(opening, opening, { roll: 1, actor: 1, faces: [6, 6] }, links);
const check = () => {
  links.forEach((link, role) => {
    if (toHex(linkBefore(match, role, 0, link)) !== roles[role].anchor) throw new Error('a link does not fit');
  });
  return derive();
};

if (toHex(fromHex(roles[0].anchor)) !== toHex(chains[0][0])) throw new Error('hex does not come back');
console.log(`roll of two dice, derived     ${(time(derive, 200) * 1000).toFixed(0)} us`);
console.log(`its ${seats + 1} links and the roll     ${(time(check, 200) * 1000).toFixed(0)} us, without signatures`);
for (const n of [512, 8192]) console.log(`chain of ${String(n).padStart(4)} links          ${time(() => chainTo(match, 1, n, last(1)), n > 1000 ? 1 : 10).toFixed(1)} ms`);

const vectors = readFileSync(new URL('../../vectors/log.ndjson', import.meta.url), 'utf8').trimEnd().split('\n').map((line) => JSON.parse(line));
for (const name of ['proof-whole', 'proof-tavli']) {
  const { text, policy, heads } = vectors.find((v) => v.name === name);
  let least = Infinity;
  for (let round = 0; round < 50; round++) {
    const start = performance.now();
    if ((await verifyAsync(text, { policy, heads })).verdict !== 'proven') throw new Error(name);
    least = Math.min(least, performance.now() - start);
  }
  console.log(`${name}, ${text.length} bytes       ${least.toFixed(1)} ms, signatures through WebCrypto`);
}
