package seed

import (
	"crypto/sha256"
	"crypto/subtle"
	"errors"
)

// A Seal commits to a server seed: the 32 bytes of a SHA-256, written as 64 lower-case
// hex digits. Whether it covers the seed's bytes or its text depends on the scheme; for
// schemes one can roll with it is [Server.Seal].
type Seal [32]byte

// ErrSeal says that a seed is not the one that was sealed.
var ErrSeal = errors.New("seed: the seal is not of this server seed")

// SealText is the seal of the text of a seed, such as its hex digits.
func SealText(text string) Seal { return sha256.Sum256([]byte(text)) }

// ParseSeal reads the one written form of a seal.
func ParseSeal(text string) (Seal, error) {
	var s Seal
	b, ok := ParseHex(text)
	if !ok || len(b) != len(s) {
		return Seal{}, errors.New("seal: is not 64 lower-case hex digits")
	}
	copy(s[:], b)
	return s, nil
}

// String gives 64 lower-case hex digits.
func (s Seal) String() string { return Hex(s[:]) }

// MarshalText gives what String gives.
func (s Seal) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads what [Seal.MarshalText] wrote.
func (s *Seal) UnmarshalText(text []byte) error {
	parsed, err := ParseSeal(string(text))
	if err == nil {
		*s = parsed
	}
	return err
}

// Open returns the seed if it is the sealed one, else [ErrSeal].
func Open(seal Seal, s Server) (Server, error) {
	own := s.Seal()
	if subtle.ConstantTimeCompare(seal[:], own[:]) != 1 {
		return Server{}, ErrSeal
	}
	return s, nil
}
