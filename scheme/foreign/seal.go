package foreign

import (
	"crypto/sha256"

	"veridice/seed"
)

// A Cover says what a site's seal, or its chain of hashes, is the SHA-256 of.
type Cover string

// What a seal covers.
const (
	OverText  Cover = "text"  // the text of the seed
	OverBytes Cover = "bytes" // the bytes that its hex digits spell
)

// Hash is SHA-256 of a seed as hex: of its text or of its bytes. It reports false
// if the bytes are wanted and the seed is not hex.
func (c Cover) Hash(text string) (string, bool) {
	if c == OverText {
		return seed.SealText(text).String(), true
	}
	b, ok := seed.ParseHex(text)
	if !ok || len(b) == 0 {
		return "", false
	}
	return seed.Seal(sha256.Sum256(b)).String(), true
}

// A Chain is a list of hashes that was made backwards: the hash of each round is
// the hash of the round after it, so that the first one commits to all.
type Chain struct {
	Cover Cover
	Last  string // the hash before the first round, if it was published
}

// Published chains. Slide's salt is not certain, so only its hashes are here.
var (
	StakeCrash = Chain{OverText, "78a9757d3be42b74a3f70239078ad9317125fe9ee630d5bdada46de963e56752"}
	StakeSlide = Chain{OverText, "8fdb3105bc0eee5ab95ebd3b94084a261422af67b53fca4d2ba480f32e3b7bae"}
	OfText     = Chain{Cover: OverText}  // Shuffle, Roobet
	OfBytes    = Chain{Cover: OverBytes} // bustabit since game 10,000,000, BC.Game
)

// Previous is the hash of the round before.
func (c Chain) Previous(hash string) (string, bool) { return c.Cover.Hash(hash) }

// Leads counts the steps from a later hash back to an earlier one. It reports
// false if most of them do not lead there.
func (c Chain) Leads(later, earlier string, most int) (steps int, ok bool) {
	for hash := later; ; steps++ {
		if hash == earlier {
			return steps, true
		}
		if steps == most {
			return steps, false
		}
		if hash, ok = c.Previous(hash); !ok {
			return steps, false
		}
	}
}

// BustabitOld is the last game whose hash is hashed as text.
const BustabitOld = 10_000_000

// BustabitChain is the chain as it holds for a game and those before it, down to
// where it changed.
func BustabitChain(game uint64) Chain {
	if game <= BustabitOld {
		return OfText
	}
	return OfBytes
}

// BustabitKeyed says that a game's key was another than a salt: a signature that
// is not covered here.
func BustabitKeyed(game uint64) bool { return game > BustabitOld && game <= 12_279_450 }
