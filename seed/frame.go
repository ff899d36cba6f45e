package seed

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
)

// Frame joins a tag and fields so that different ones never give the same bytes:
// the length of the tag in one byte, the tag, and each field after its length in
// four bytes (docs/spec/veridice-1.md, "Conventions").
func Frame(tag string, fields ...[]byte) []byte {
	if len(tag) > 255 {
		panic("veridice: internal error: a tag is longer than 255 bytes")
	}
	b := append([]byte{byte(len(tag))}, tag...)
	for _, f := range fields {
		b = binary.BigEndian.AppendUint32(b, uint32(len(f)))
		b = append(b, f...)
	}
	return b
}

// Hash is the SHA-256 of a frame.
func Hash(tag string, fields ...[]byte) [32]byte { return sha256.Sum256(Frame(tag, fields...)) }

// MAC is the HMAC-SHA-256 of a frame under a key of 32 bytes.
func MAC(key [32]byte, tag string, fields ...[]byte) (sum [32]byte) {
	h := hmac.New(sha256.New, key[:])
	h.Write(Frame(tag, fields...))
	h.Sum(sum[:0])
	return sum
}

// LeafHash is the hash of a text as an entry of a log: SHA-256 of a zero byte and
// the text (RFC 6962, section 2.1).
func LeafHash(text []byte) [32]byte {
	return sha256.Sum256(append([]byte{0}, text...))
}
