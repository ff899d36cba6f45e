package verify

import (
	"crypto/ed25519"
	"slices"
	"strconv"

	"veridice/record"
	"veridice/seed"
)

// A Signer is somebody who signs notes, by the name that stands in the signature lines.
type Signer struct {
	Name string
	Key  [32]byte
}

// Role is the signer of a role of a match: <match in hex>/<role>.
func Role(match [16]byte, role uint8, key [32]byte) Signer {
	return Signer{seed.Hex(match[:]) + "/" + strconv.Itoa(int(role)), key}
}

// KeyID is what stands before a signature under this key.
func (s Signer) KeyID() [4]byte { return record.KeyID(s.Name, 1, s.Key) }

// Signed reports whether one of the signatures is this signer's on the text, and none
// of its own fails.
func (s Signer) Signed(text []byte, signatures []record.Signature) bool {
	good, bad := s.signed(text, signatures)
	return good && !bad
}

// signed looks at the signatures of this signer on a text: whether one verifies,
// and whether one fails. A signature under another name or key id is nobody's.
func (s Signer) signed(text []byte, signatures []record.Signature) (good, bad bool) {
	id := s.KeyID()
	for _, sig := range signatures {
		if sig.Name != s.Name || sig.KeyID != id {
			continue
		}
		if Signed(text, s.Key, sig.Bytes) {
			good = true
		} else {
			bad = true
		}
	}
	return good, bad
}

// Signed reports whether a signature on a text verifies under a key, by the rules
// on which all engines agree: the key is the one encoding of a point that has not
// a small order, S is below the order of the base point, and R is compared byte
// for byte, without the cofactor (docs/spec/veridice-1.md, "Signatures"). Of the last
// two [ed25519.Verify] takes care.
func Signed(text []byte, key [32]byte, signature []byte) bool {
	return usable(key) && len(signature) == ed25519.SignatureSize && ed25519.Verify(key[:], text, signature)
}

// smallOrder are the canonical encodings of the points of order 1, 2, 4 and 8
// without the sign of x: no signature under such a key means anything.
var smallOrder = [][32]byte{
	{1},
	{},
	{0xec, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
		0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f},
	{0x26, 0xe8, 0x95, 0x8f, 0xc2, 0xb2, 0x27, 0xb0, 0x45, 0xc3, 0xf4, 0x89, 0xf2, 0xef, 0x98, 0xf0,
		0xd5, 0xdf, 0xac, 0x05, 0xd3, 0xc6, 0x33, 0x39, 0xb1, 0x38, 0x02, 0x88, 0x6d, 0x53, 0xfc, 0x05},
	{0xc7, 0x17, 0x6a, 0x70, 0x3d, 0x4d, 0xd8, 0x4f, 0xba, 0x3c, 0x0b, 0x76, 0x0d, 0x10, 0x67, 0x0f,
		0x2a, 0x20, 0x53, 0xfa, 0x2c, 0x39, 0xcc, 0xc6, 0x4e, 0xc7, 0xfd, 0x77, 0x92, 0xac, 0x03, 0x7a},
}

// prime is 2^255 - 19, least significant byte first.
var prime = [32]byte{0xed, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
	0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f}

// usable reports whether signatures under a key may count. Whether there is such
// a point at all [ed25519.Verify] says.
func usable(key [32]byte) bool {
	y := key
	y[31] &= 0x7f
	if slices.Contains(smallOrder, y) {
		return false
	}
	for i := len(y) - 1; i >= 0; i-- {
		if y[i] != prime[i] {
			return y[i] < prime[i]
		}
	}
	return false
}

// A head is a HEAD text: what the server, or the reader's own phone, says of the
// transcript after a roll.
type head struct {
	match  string
	number int
	head   record.Head
}

// parseHead reads a HEAD text.
func parseHead(text []byte) (h head, ok bool) {
	r, err := record.ParseReceipt(text)
	if err != nil {
		return h, false
	}
	return head{seed.Hex(r.Match[:]), int(r.Number), r.Head}, true
}

// openHead reads a HEAD text or a note of one. It fails too if a signature under
// the name of role 0 is there and is not good.
func openHead(text []byte, server Signer) (h head, ok bool) {
	var signatures []record.Signature
	if note, err := record.ParseNote(text); err == nil {
		text, signatures = note.Text, note.Signatures
	}
	h, ok = parseHead(text)
	_, bad := server.signed(text, signatures)
	return h, ok && !bad
}
