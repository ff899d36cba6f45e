// Package keyring is the keys under which the server encrypts its secrets: it reads them
// from a file, which age may have encrypted, and brings all that is stored from older
// keys to the first one.
//
// The text of a key file is keys of 64 lower-case hex digits, one a line. The first one
// encrypts, all decrypt.
package keyring

import (
	"fmt"
	"strings"

	"veridice/internal/match"
	"veridice/seed"
)

// parse reads the text of a key file. No error holds a part of it.
func parse(text []byte, where string) (*match.Vault, error) {
	var keys [][]byte
	for i, line := range strings.Split(strings.TrimSpace(string(text)), "\n") {
		key, ok := seed.ParseHex(strings.TrimSpace(line))
		if !ok || len(key) != match.KeySize {
			return nil, fmt.Errorf("line %d of %s is not a key of 64 lower-case hex digits", i+1, where)
		}
		keys = append(keys, key)
	}
	return match.NewVault(keys...)
}
