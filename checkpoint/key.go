package checkpoint

import (
	"crypto/ed25519"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"strconv"
	"strings"

	"veridice/record"
	"veridice/seed"
	"veridice/verify"
)

// An Algorithm is the first byte of a key in a policy: what is signed, and how.
type Algorithm byte

// Algorithms. Both are Ed25519.
const (
	Plain     Algorithm = 1 // a log: the checkpoint's lines
	Cosigning Algorithm = 4 // a witness: a time, and the lines
)

// A cosignature is eight bytes of a time up to 2^53 - 1, and a signature.
const (
	maxTime    = 1<<53 - 1
	timeLength = 8
)

// A Key is the public key of a log or a witness, under the name that stands in its
// signature lines. Its text is a verifier key of c2sp.org/signed-note:
//
//	log.example/veridice+cd54f9c1+AR1ArZGmDB/55RKnDc6j0jz2NuJUx7KewQeLTxNMwVUd
type Key struct {
	Name      string
	Algorithm Algorithm
	Public    [32]byte
}

// ParseKey reads the text of a key.
func ParseKey(text string) (Key, error) {
	parts := strings.SplitN(text, "+", 3)
	if len(parts) != 3 || !record.NoteName(parts[0]) {
		return Key{}, errors.New("checkpoint: a key is NAME+ID+BASE64")
	}
	b, ok := decode(parts[2])
	if !ok || len(b) != 1+len(Key{}.Public) {
		return Key{}, errors.New("checkpoint: key of " + parts[0] + ": is not 33 bytes of base64")
	}
	k := Key{Name: parts[0], Algorithm: Algorithm(b[0])}
	copy(k.Public[:], b[1:])
	if k.Algorithm != Plain && k.Algorithm != Cosigning {
		return Key{}, errors.New("checkpoint: key of " + parts[0] + ": algorithm " + strconv.Itoa(int(b[0])) + " is not known")
	}
	if id := k.ID(); parts[1] != seed.Hex(id[:]) {
		return Key{}, errors.New("checkpoint: key of " + parts[0] + ": the id is not that of name and key")
	}
	return k, nil
}

// String writes the text of the key.
func (k Key) String() string {
	id := k.ID()
	return k.Name + "+" + seed.Hex(id[:]) + "+" + base64.StdEncoding.EncodeToString(append([]byte{byte(k.Algorithm)}, k.Public[:]...))
}

// ID is the key id: what stands before a signature under this key.
func (k Key) ID() [4]byte { return record.KeyID(k.Name, byte(k.Algorithm), k.Public) }

// signs reports whether a signature claims to be of this key.
func (k Key) signs(s record.Signature) bool { return s.Name == k.Name && s.KeyID == k.ID() }

// holds checks a signature of this key on the lines of a checkpoint. The time is
// that of a witness, in seconds since 1970.
func (k Key) holds(lines []byte, s record.Signature) (time int64, ok bool) {
	if k.Algorithm == Plain {
		return 0, verify.Signed(lines, k.Public, s.Bytes)
	}
	if len(s.Bytes) != timeLength+ed25519.SignatureSize {
		return 0, false
	}
	stamp := binary.BigEndian.Uint64(s.Bytes)
	if stamp > maxTime || !verify.Signed(cosigned(lines, stamp), k.Public, s.Bytes[timeLength:]) {
		return 0, false
	}
	return int64(stamp), true
}

// cosigned is what a witness signs.
func cosigned(lines []byte, time uint64) []byte {
	return append([]byte("cosignature/v1\ntime "+strconv.FormatUint(time, 10)+"\n"), lines...)
}

// A Signer is the secret key of a log or a witness. Like a seed it cannot be printed
// by accident.
type Signer struct {
	key    Key
	secret func() ed25519.PrivateKey
}

// NewSigner makes the signer of a log (Plain) or a witness (Cosigning) from 32
// random bytes.
func NewSigner(name string, algorithm Algorithm, secret [32]byte) (Signer, error) {
	if !record.NoteName(name) {
		return Signer{}, errors.New("checkpoint: a name is not empty and has no blanks and no plus sign")
	}
	if algorithm != Plain && algorithm != Cosigning {
		return Signer{}, errors.New("checkpoint: algorithm " + strconv.Itoa(int(algorithm)) + " is not known")
	}
	private := ed25519.NewKeyFromSeed(secret[:])
	k := Key{Name: name, Algorithm: algorithm}
	copy(k.Public[:], private[ed25519.SeedSize:])
	return Signer{k, func() ed25519.PrivateKey { return private }}, nil
}

// Key gives the public key.
func (s Signer) Key() Key { return s.key }

// String never shows the secret.
func (s Signer) String() string { return "signer(" + s.key.Name + ")" }

// GoString never shows the secret.
func (s Signer) GoString() string { return s.String() }

// Sign signs a checkpoint. Only a witness signs the time, in seconds since 1970, 0 to
// 2^53 - 1. A log must sign no tree but its last one, or that one grown; the caller
// answers for it.
func (s Signer) Sign(c Checkpoint, time int64) record.Signature {
	lines := c.Marshal()
	out := record.Signature{Name: s.key.Name, KeyID: s.key.ID()}
	if s.key.Algorithm == Plain {
		out.Bytes = ed25519.Sign(s.secret(), lines)
		return out
	}
	if time < 0 || time > maxTime {
		panic("veridice: internal error: a witness at a time that no cosignature holds")
	}
	out.Bytes = binary.BigEndian.AppendUint64(nil, uint64(time))
	out.Bytes = append(out.Bytes, ed25519.Sign(s.secret(), cosigned(lines, uint64(time)))...)
	return out
}
