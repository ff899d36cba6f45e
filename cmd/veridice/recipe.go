package main

import (
	"encoding/binary"
	"fmt"
	"strings"

	"veridice/scheme"
	"veridice/seed"
)

// The recipes come to the dice of one roll with programs of others. A test runs
// them.

// openssl is a command for a POSIX shell.
func (e explanation) openssl() string {
	key := e.record.Server.Reveal()
	if e.record.Scheme == scheme.Tavli1 {
		message := e.roll.Blocks[len(e.roll.Blocks)-1].Message
		return fmt.Sprintf(`printf %%s '%s' |
openssl dgst -sha256 -mac HMAC -macopt hexkey:%s -binary |
od -An -v -tu1 | tr -s ' ' '\n' |
awk '$1 != "" && $1 < 252 { v = $1 %% 36; print int(v / 6) + 1 "-" v %% 6 + 1; exit }'`, message, seed.Hex(key))
	}
	// printf knows bytes in octal only, in the shells that can be expected.
	var numbers []string
	for _, b := range e.roll.Blocks {
		numbers = append(numbers, "'"+octal(b.Message)+"'")
	}
	return fmt.Sprintf(`key='%s'
for number in %s; do
  printf "$key$number" | openssl dgst -sha256 -binary | od -An -v -tu1 -N4 |
  awk '{ print ($1 * 16777216 + $2 * 65536 + $3 * 256 + $4) %% 6 + 1 }'
done | paste -s -d - -`, octal(key), strings.Join(numbers, " "))
}

func octal(bytes []byte) string {
	var b strings.Builder
	for _, x := range bytes {
		fmt.Fprintf(&b, `\%03o`, x)
	}
	return b.String()
}

// python is a script for Python 3 without packages.
func (e explanation) python() string {
	key := seed.Hex(e.record.Server.Reveal())
	if e.record.Scheme == scheme.Tavli1 {
		clients := make([]string, len(e.record.Clients))
		for i, c := range e.record.Clients {
			clients[i] = string(c)
		}
		return fmt.Sprintf(`import hashlib, hmac
key, clients, roll = bytes.fromhex("%s"), "%s", %d
usable = []
while not usable:
    mac = hmac.new(key, f"{clients}:{roll}".encode(), hashlib.sha256).digest()
    usable = [byte for byte in mac if byte < 252]
    clients += "+"
v = usable[0] %% 36
print(f"{v // 6 + 1}-{v %% 6 + 1}")`, key, strings.Join(clients, ":"), e.roll.Number)
	}
	first := binary.BigEndian.Uint32(e.roll.Blocks[0].Message)
	return fmt.Sprintf(`import hashlib
key = bytes.fromhex("%s")
hashes = [hashlib.sha256(key + die.to_bytes(4, "big")).digest() for die in range(%d, %d)]
print("-".join(str(int.from_bytes(h[:4], "big") %% 6 + 1) for h in hashes))`, key, first, uint64(first)+uint64(len(e.roll.Dice)))
}
