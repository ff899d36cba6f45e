package foreign

import (
	"crypto/sha256"
	"encoding/binary"
)

// A Player is one of the two of a match at zeroplay: a number in decimal digits
// and a client seed of 16 bytes in hex.
type Player struct{ UID, Client string }

// zeroplaySeed is the length in bytes of every seed there.
const zeroplaySeed = 16

// Zeroplay has the bytes that the seed spells as key; the seal covers the bytes. The
// message is the SHA-256 of the players' numbers and seeds, joined by colons, and the
// nonce as four bytes; each nonce is one block. The player whose number sorts first as
// text comes first. Unlike the site's own verifier it refuses seeds of another length,
// and one number for both.
func Zeroplay(server string, players [2]Player) (*Stream, error) {
	key, err := hexKey("seed", server, zeroplaySeed)
	if err != nil {
		return nil, err
	}
	a, b := players[0], players[1]
	if a.UID == b.UID {
		return nil, &InputError{"uid", "is the same for both players"}
	}
	if b.UID < a.UID {
		a, b = b, a
	}
	joined := []byte(a.UID + ":" + b.UID)
	for _, p := range []Player{a, b} {
		if !decimalDigits(p.UID) {
			return nil, &InputError{"uid", "is not a decimal number"}
		}
		client, err := hexKey("client", p.Client, zeroplaySeed)
		if err != nil {
			return nil, err
		}
		joined = append(append(joined, ':'), client...)
	}
	combined := sha256.Sum256(joined)
	return open(Zeroplay1, key, false, sha256.New, func(nonce uint64) []byte {
		return binary.BigEndian.AppendUint32(combined[:len(combined):len(combined)], uint32(nonce))
	}), nil
}

func decimalDigits(text string) bool {
	if text == "" || len(text) > 20 || len(text) > 1 && text[0] == '0' {
		return false
	}
	for i := range len(text) {
		if text[i] < '0' || text[i] > '9' {
			return false
		}
	}
	return true
}
