package foreign

import (
	"crypto/sha256"
	"strings"

	"veridice/seed"
)

// A Cover says what a site's seal, or its chain of hashes, is the SHA-256 of.
type Cover string

// What a seal covers.
const (
	OverText  Cover = "text"  // the text of the seed
	OverBytes Cover = "bytes" // the bytes that its hex digits spell
)

// Hash is SHA-256 of a seed as hex: of its text, or of the bytes that hex digits of
// either case spell. It reports false if there is no seed or the bytes are wanted and it
// is not hex.
func (c Cover) Hash(text string) (string, bool) {
	b, ok := []byte(text), true
	if c == OverBytes {
		b, ok = seed.ParseHex(strings.ToLower(text))
	}
	if !ok || len(b) == 0 {
		return "", false
	}
	return seed.Seal(sha256.Sum256(b)).String(), true
}

// BustabitOld is the last game whose hash is hashed as text.
const BustabitOld = 10_000_000

// BustabitCover says what the hash of the game before this one covers.
func BustabitCover(game uint64) Cover {
	if game <= BustabitOld {
		return OverText
	}
	return OverBytes
}
