// How to check a match without our code: the same few lines for everybody, with the
// values of this match in them. A test runs what the page shows.
import { rollsOf } from '../verifier/veridice.mjs';

/** @typedef {import('../verifier/veridice.mjs').Record} Record */

/**
 * @param {Record} record whose server seed is revealed
 * @param {number} count of rolls
 * @returns {{name: string, text: string}[]}
 */
export function recipes(record, count) {
  const seed = record.seed ?? '';
  if (record.scheme === 'yayay/1') {
    const throws = rollsOf(record).map(({ dice }) => dice.length);
    return [
      { name: 'Python', text: yayayPython(seed, throws) },
      { name: 'openssl', text: yayayShell(seed, throws) },
      { name: 'Go', text: yayayGo(seed, throws) },
    ];
  }
  const clients = (record.clients ?? []).join(':');
  return [
    { name: 'Python', text: tavliPython(seed, clients, count) },
    { name: 'openssl', text: tavliShell(seed, clients, count) },
    { name: 'Go', text: tavliGo(seed, clients, count) },
  ];
}

/** @param {string} seed @param {string} clients @param {number} count */
const tavliPython = (seed, clients, count) => `import hashlib, hmac

seed = bytes.fromhex("${seed}")
clients = "${clients}"
print(hashlib.sha256(seed).hexdigest())  # the seal
for n in range(1, ${count + 1}):
    mac = hmac.new(seed, f"{clients}:{n}".encode(), "sha256").digest()
    v = next(b for b in mac if b < 252) % 36
    print(n, f"{v // 6 + 1}-{v % 6 + 1}")
`;

/** @param {string} seed @param {string} clients @param {number} count */
const tavliShell = (seed, clients, count) => `#!/bin/bash
seed=${seed}
clients=${clients}
printf "$(sed 's/../\\\\x&/g' <<<$seed)" | openssl dgst -sha256 -r | cut -d' ' -f1  # the seal
for n in $(seq 1 ${count}); do
  mac=$(printf %s "$clients:$n" | openssl dgst -sha256 -mac HMAC -macopt hexkey:$seed -r)
  while b=$((16#\${mac:0:2})); [ $b -ge 252 ]; do mac=\${mac:2}; done
  v=$((b % 36))
  echo "$n $((v / 6 + 1))-$((v % 6 + 1))"
done
`;

/** @param {string} seed @param {string} clients @param {number} count */
const tavliGo = (seed, clients, count) => `package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
)

func main() {
	seed, _ := hex.DecodeString("${seed}")
	clients := "${clients}"
	fmt.Printf("%x\\n", sha256.Sum256(seed)) // the seal
	for n := 1; n <= ${count}; n++ {
		mac := hmac.New(sha256.New, seed)
		fmt.Fprintf(mac, "%s:%d", clients, n)
		for _, b := range mac.Sum(nil) {
			if b < 252 {
				v := b % 36
				fmt.Printf("%d %d-%d\\n", n, v/6+1, v%6+1)
				break
			}
		}
	}
}
`;

/** @param {string} seed @param {number[]} throws */
const yayayPython = (seed, throws) => `import hashlib

key = bytes.fromhex("${seed}")
throws = [${throws.join(', ')}]  # dice in each throw
print(hashlib.sha256(key).hexdigest())  # the fingerprint
i = 0
for n, count in enumerate(throws, 1):
    dice = []
    for i in range(i, i + count):
        word = hashlib.sha256(key + i.to_bytes(4, "big")).digest()[:4]
        dice.append(str(int.from_bytes(word, "big") % 6 + 1))
    i += 1
    print(n, "-".join(dice))
`;

/** @param {string} seed @param {number[]} throws */
const yayayShell = (seed, throws) => `#!/bin/bash
key=${seed}
throws="${throws.join(' ')}"  # dice in each throw
sha() { printf "$(sed 's/../\\\\x&/g' <<<$1)" | openssl dgst -sha256 -r; }
sha $key | cut -d' ' -f1  # the fingerprint
i=0 n=0
for count in $throws; do
  dice=
  for _ in $(seq $count); do
    word=$(sha $key$(printf %08x $i))
    dice=$dice-$((16#\${word:0:8} % 6 + 1))
    i=$((i + 1))
  done
  n=$((n + 1))
  echo "$n \${dice:1}"
done
`;

/** @param {string} seed @param {number[]} throws */
const yayayGo = (seed, throws) => `package main

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
)

func main() {
	key, _ := hex.DecodeString("${seed}")
	throws := []int{${throws.join(', ')}} // dice in each throw
	fmt.Printf("%x\\n", sha256.Sum256(key)) // the fingerprint
	i := uint32(0)
	for n, count := range throws {
		fmt.Print(n+1, " ")
		for d := range count {
			sum := sha256.Sum256(binary.BigEndian.AppendUint32(key[:len(key):len(key)], i))
			if d > 0 {
				fmt.Print("-")
			}
			fmt.Print(binary.BigEndian.Uint32(sum[:4])%6 + 1)
			i++
		}
		fmt.Println()
	}
}
`;
