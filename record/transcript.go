package record

import (
	"encoding/binary"

	"veridice/seed"
)

// A Head is the running hash over the entries of a match of veridice/1. Whoever
// agrees on a head agrees on everything before it (docs/spec/veridice-1.md,
// "A roll").
type Head [32]byte

// Start is the head before the first entry of the match with this opening.
func Start(opening [32]byte) Head { return seed.Hash("veridice/1/start", opening[:]) }

// Move is the head after a move of a role.
func (h Head) Move(role uint8, text string) Head {
	return seed.Hash("veridice/1/move", h[:], []byte{role}, []byte(text))
}

// Rolled is the head after a roll: its context, the links of all roles, the
// server's first, and the dice.
func (h Head) Rolled(context [32]byte, links [][32]byte, dice []uint32) Head {
	fields := [][]byte{h[:], context[:]}
	for i := range links {
		fields = append(fields, links[i][:])
	}
	var faces []byte
	for _, d := range dice {
		faces = binary.BigEndian.AppendUint32(faces, d)
	}
	return seed.Hash("veridice/1/rolled", append(fields, faces)...)
}

// String gives 64 lower-case hex digits.
func (h Head) String() string { return seed.Hex(h[:]) }
