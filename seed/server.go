// Package seed holds what each party brings to a match: the server seed, the
// client seeds, and the seal that commits to a server seed before anyone plays.
//
// A server seed and a seal are written as lower-case hex, two digits a byte.
// A client seed is text and is used byte for byte. The rules are those of
// docs/spec/tavli.md, yayay.md and floats.md.
package seed

import (
	"crypto/sha256"
	"crypto/subtle"
	"errors"
)

// MaxServer is the length in bytes of the longest server seed of any scheme.
// Each scheme narrows the range further.
const MaxServer = 1024

// A Server is a server seed: the secret that a server seals before the first
// roll and shows when the match is over.
//
// It cannot be shown, marshalled or compared by accident: the bytes are behind
// a function, which no formatting verb and no encoder looks into and which ==
// does not accept. Only [Server.Reveal] gives them. The zero Server is no seed.
type Server struct{ reveal func() []byte }

// NewServer makes a server seed of 1 to [MaxServer] bytes. It keeps a copy.
// For a scheme whose seed is text (shuffle/1) the bytes are those of the text.
func NewServer(b []byte) (Server, error) {
	if len(b) == 0 {
		return Server{}, errors.New("server seed: is empty")
	}
	if len(b) > MaxServer {
		return Server{}, errors.New("server seed: is longer than 1024 bytes")
	}
	own := append([]byte(nil), b...)
	return Server{func() []byte { return own }}, nil
}

// ServerFromEntropy makes the seed of a new match from 32 bytes that the caller read
// from the operating system's generator.
func ServerFromEntropy(entropy [32]byte) Server {
	s, err := NewServer(entropy[:])
	if err != nil {
		panic("veridice: internal error: " + err.Error())
	}
	return s
}

// IsZero reports whether s is no seed at all.
func (s Server) IsZero() bool { return s.reveal == nil }

// Len is the length of the seed in bytes, 0 for no seed.
func (s Server) Len() int {
	if s.reveal == nil {
		return 0
	}
	return len(s.reveal())
}

// Reveal returns a copy of the secret bytes, nil for no seed. The caller answers for
// where they go.
func (s Server) Reveal() []byte {
	if s.reveal == nil {
		return nil
	}
	return append([]byte(nil), s.reveal()...)
}

// Seal commits to the seed: SHA-256 of its bytes.
func (s Server) Seal() Seal {
	if s.reveal == nil {
		panic("veridice: internal error: seal of no server seed")
	}
	return sha256.Sum256(s.reveal())
}

// Equal compares two seeds of the same length in constant time.
func (s Server) Equal(other Server) bool {
	return subtle.ConstantTimeCompare(s.Reveal(), other.Reveal()) == 1
}

// String never shows the seed.
func (s Server) String() string {
	if s.reveal == nil {
		return "seed(none)"
	}
	return "seed(sealed)"
}

// GoString never shows the seed.
func (s Server) GoString() string { return s.String() }

// MarshalText refuses: a seed is written only where [Server.Reveal] stands.
func (s Server) MarshalText() ([]byte, error) {
	return nil, errors.New("seed: a server seed is not marshalled; reveal it")
}

// MarshalBinary refuses, as [Server.MarshalText] does.
func (s Server) MarshalBinary() ([]byte, error) { return s.MarshalText() }

// visiblyWeak is the number of different byte values below which a seed of 16
// bytes or more was hardly drawn at random: 16 random bytes have fewer than 9
// different ones less than once in 10^9.
const visiblyWeak = 9

// Weak reports whether the seed plainly has too little entropy to be a secret: fewer
// than 16 bytes, or hardly any different ones. A seed that is not weak may still be a
// bad one.
func (s Server) Weak() bool {
	if s.Len() < 16 {
		return true
	}
	var seen [256]bool
	n := 0
	for _, b := range s.reveal() {
		if !seen[b] {
			seen[b] = true
			n++
		}
	}
	return n < visiblyWeak
}
