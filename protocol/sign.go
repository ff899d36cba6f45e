package protocol

import (
	"crypto/ed25519"
	"crypto/sha256"
	"strconv"

	"veridice/record"
	"veridice/seed"
	"veridice/verify"
)

// A Signer is a role's name and key in the notes of one match.
type Signer struct {
	Match [16]byte
	Role  uint8
	Key   [32]byte
}

// Name is the one in signature lines.
func (s Signer) Name() string { return seed.Hex(s.Match[:]) + "/" + strconv.Itoa(int(s.Role)) }

// KeyID is that of c2sp.org/signed-note for Ed25519.
func (s Signer) KeyID() (id [4]byte) {
	sum := sha256.Sum256(append([]byte(s.Name()+"\n\x01"), s.Key[:]...))
	copy(id[:], sum[:])
	return id
}

// Sign signs a text with the private key of this signer.
func (s Signer) Sign(private ed25519.PrivateKey, text []byte) record.Signature {
	return record.Signature{Name: s.Name(), KeyID: s.KeyID(), Bytes: ed25519.Sign(private, text)}
}

// Signed reports whether one of the signatures is this signer's on the text, and none
// of its own fails.
func (s Signer) Signed(text []byte, signatures []record.Signature) bool {
	name, id, good := s.Name(), s.KeyID(), false
	for _, sig := range signatures {
		if sig.Name != name || sig.KeyID != id {
			continue
		}
		if !verify.Signed(text, s.Key, sig.Bytes) {
			return false
		}
		good = true
	}
	return good
}

// Open splits a note that carries exactly one signature, of this signer, and gives
// its text. Fault: bad-signature.
func (s Signer) Open(note []byte) ([]byte, record.Signature, error) {
	n, err := record.ParseNote(note)
	if err != nil || len(n.Signatures) != 1 || !s.Signed(n.Text, n.Signatures) {
		return nil, record.Signature{}, fault("bad-signature")
	}
	return n.Text, n.Signatures[0], nil
}

// Note writes a text with signatures.
func Note(text []byte, signatures ...record.Signature) []byte {
	return (&record.Note{Text: text, Signatures: signatures}).Marshal()
}
