package protocol

import (
	"crypto/ed25519"

	"veridice/record"
	"veridice/verify"
)

// Sign signs a text with the private key of a signer.
func Sign(s verify.Signer, private ed25519.PrivateKey, text []byte) record.Signature {
	return record.Signature{Name: s.Name, KeyID: s.KeyID(), Bytes: ed25519.Sign(private, text)}
}

// Open splits a note that carries exactly one signature, of this signer, and gives
// its text. Fault: bad-signature.
func Open(s verify.Signer, note []byte) ([]byte, error) {
	n, err := record.ParseNote(note)
	if err != nil || len(n.Signatures) != 1 || !s.Signed(n.Text, n.Signatures) {
		return nil, fault("bad-signature")
	}
	return n.Text, nil
}

// Note writes a text with signatures.
func Note(text []byte, signatures ...record.Signature) []byte {
	return (&record.Note{Text: text, Signatures: signatures}).Marshal()
}
