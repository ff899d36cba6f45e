package scheme

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"strconv"

	"veridice/seed"
)

// Veridice1 is the scheme in which no seed is sealed for a whole match. Each role
// holds a chain of links, each the hash of the next; the first, the anchor, is
// published before any other is shown, and each roll takes one link of every role.
// The key of a roll's stream is a MAC of its context and the seats' links under the
// server's link; dice are drawn by [veridice/draw.Uniform], with no bias.
// docs/spec/veridice-1.md
const Veridice1 = "veridice/1"

// Limits of a match of veridice/1.
const (
	MaxSeats = 16
	MaxLinks = 8192 // of a chain
	MinOffer = 256  // links that an offer must have at least
)

// A Match is the name of a match of veridice/1, drawn by the server.
type Match [16]byte

// A Link is one value of a chain, or its anchor.
type Link [32]byte

// Earlier gives the link before the one at index, which is at least 1.
func Earlier(match Match, role uint8, index uint32, link Link) Link {
	return seed.Hash("veridice/1/link", match[:], []byte{role}, u32(index-1), link[:])
}

// Anchor gives the anchor of the chain that has link at index, by that many hashes.
func Anchor(match Match, role uint8, index uint32, link Link) Link {
	for ; index > 0; index-- {
		link = Earlier(match, role, index, link)
	}
	return link
}

// Links gives a chain from its anchor, at 0, to the link at index, at most
// [MaxLinks]: all that follows from that one link.
func Links(match Match, role uint8, index uint32, link Link) []Link {
	links := make([]Link, index+1)
	links[index] = link
	for ; index > 0; index-- {
		links[index-1] = Earlier(match, role, index, links[index])
	}
	return links
}

// A Chain is a party's secret: the links that it will show one by one. Like a
// server seed it cannot be printed or compared by accident.
type Chain struct{ link func(uint32) Link }

// NewChain makes the chain of a role from its last link, which is 32 bytes from the
// operating system's generator. It has 1 to [MaxLinks] links beside the anchor.
func NewChain(match Match, role uint8, last Link, length uint32) (Chain, error) {
	if length < 1 || length > MaxLinks {
		return Chain{}, errors.New("veridice/1: a chain of " + strconv.FormatUint(uint64(length), 10) + " links")
	}
	links := Links(match, role, length, last)
	return Chain{func(index uint32) Link { return links[index] }}, nil
}

// Anchor is public from the beginning.
func (c Chain) Anchor() Link { return c.link(0) }

// Link reveals the link at index, at most the chain's length. The caller answers for
// where it goes.
func (c Chain) Link(index uint32) Link { return c.link(index) }

// String never shows a link.
func (c Chain) String() string { return "chain(secret)" }

// GoString never shows a link.
func (c Chain) GoString() string { return c.String() }

// MarshalText refuses.
func (c Chain) MarshalText() ([]byte, error) {
	return nil, errors.New("scheme: a chain is not marshalled")
}

// Context is what the links of a roll are given for: the opening, the transcript
// head before the roll, its number, and who rolls which dice.
func Context(opening, head [32]byte, number uint32, actor uint8, faces []uint32) [32]byte {
	return seed.Hash("veridice/1/ctx", opening[:], head[:], u32(number), Request(actor, faces))
}

// Request is the encoding of an actor and the faces of its dice, at most 65535.
func Request(actor uint8, faces []uint32) []byte {
	b := append([]byte{actor}, byte(len(faces)>>8), byte(len(faces)))
	for _, n := range faces {
		b = append(b, u32(n)...)
	}
	return b
}

// Key is the key of a roll's stream. The links are those of all roles, the
// server's first; there is at least that one.
func Key(context [32]byte, links []Link) [32]byte {
	fields := [][]byte{context[:]}
	for i := range links[1:] {
		fields = append(fields, links[1+i][:])
	}
	return seed.MAC(links[0], "veridice/1/roll", fields...)
}

// chainStream makes the blocks of a roll under its key.
var chainStream = Scheme{
	Name: Veridice1, width: sha256.Size, mac: hmacSHA256,
	message: func(_ []seed.Client, _ uint64, block uint32) []byte {
		return seed.Frame("veridice/1/stream", u32(block))
	},
}

// ChainStream gives the stream of a roll of veridice/1 under its [Key].
func ChainStream(key [32]byte) *Stream {
	return &Stream{opened: &Opened{scheme: chainStream, key: key[:]}}
}

func u32(n uint32) []byte { return binary.BigEndian.AppendUint32(nil, n) }
