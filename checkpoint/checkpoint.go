// Package checkpoint checks and makes what ties a match to a public log: signed tree
// heads, log proofs with witnesses' signatures, and the policy that says whose
// signatures count.
//
//	log.example/veridice
//	14
//	iRgKBFm2EChLEbkx+pdkzOb7IK7lVTUMrGeMf4jnWRg=
//
//	— log.example/veridice zVT5wTJ6SKdL...
//	— w1.example yiUICgAAAABlBDkn...
//
// The formats are those of C2SP: signed-note, tlog-checkpoint, tlog-cosignature,
// tlog-proof, tlog-policy; the tree is that of RFC 6962. How they are used is
// docs/spec/log.md. A [Policy] is what [veridice/verify.Options] takes to check the
// receipts of a proof file. Nothing here reads a clock or a network.
package checkpoint

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/tlog"

	"veridice/record"
)

// MaxSize is the number of entries of the largest log: 2^53 - 1, which every engine
// reads exactly.
const MaxSize = 1<<53 - 1

// A Checkpoint is the head of a log: what its key and the witnesses sign.
type Checkpoint struct {
	Origin string // the name of the log
	Size   int64  // number of entries
	Root   tlog.Hash
}

// Marshal writes the three lines that are signed.
func (c Checkpoint) Marshal() []byte {
	return []byte(c.Origin + "\n" + strconv.FormatInt(c.Size, 10) + "\n" + base64.StdEncoding.EncodeToString(c.Root[:]) + "\n")
}

// ParseCheckpoint reads exactly three lines, in their one encoding.
func ParseCheckpoint(text []byte) (Checkpoint, error) {
	lines := strings.SplitN(string(text), "\n", 5)
	if len(lines) != 4 || lines[3] != "" {
		return Checkpoint{}, errors.New("checkpoint: does not have three lines")
	}
	if lines[0] == "" {
		return Checkpoint{}, errors.New("checkpoint: the origin is empty")
	}
	size, ok := decimal(lines[1])
	if !ok {
		return Checkpoint{}, errors.New("checkpoint: the size is not a decimal up to 2^53 - 1")
	}
	root, ok := ParseHash(lines[2])
	if !ok {
		return Checkpoint{}, errors.New("checkpoint: the root is not 32 bytes of base64")
	}
	return Checkpoint{lines[0], size, root}, nil
}

// Open splits a note and reads the checkpoint in it. Its signatures are not looked
// at: [Policy.Open] does that.
func Open(note []byte) (Checkpoint, []record.Signature, error) {
	n, err := record.ParseNote(note)
	if err != nil {
		return Checkpoint{}, nil, errors.New("checkpoint: " + reason(err))
	}
	c, err := ParseCheckpoint(n.Text)
	if err != nil {
		return Checkpoint{}, nil, err
	}
	return c, n.Signatures, nil
}

// Note writes the checkpoint with signatures on it.
func (c Checkpoint) Note(signatures ...record.Signature) []byte {
	return (&record.Note{Text: c.Marshal(), Signatures: signatures}).Marshal()
}

// ErrGrowth says that of two checkpoints of a log the later is not the earlier, grown.
var ErrGrowth = errors.New("checkpoint: the later tree is not the earlier one, grown")

// CheckGrowth checks by a proof of RFC 6962, section 2.1.2, that the tree of later
// begins with that of earlier. It returns [ErrGrowth] if not. The empty tree needs no
// proof: every tree grew from it.
func CheckGrowth(earlier, later Checkpoint, proof []tlog.Hash) error {
	if earlier.Size == 0 && len(proof) == 0 && earlier.Root == empty && (later.Size > 0 || later.Root == empty) {
		return nil
	}
	if earlier.Size < 1 || earlier.Size > later.Size || tlog.CheckTree(proof, later.Size, later.Root, earlier.Size, earlier.Root) != nil {
		return ErrGrowth
	}
	return nil
}

// ProveGrowth makes the proof for [CheckGrowth] between two sizes from stored hashes.
func ProveGrowth(earlier, later int64, hashes tlog.HashReader) ([]tlog.Hash, error) {
	if earlier == 0 {
		return nil, nil
	}
	return tlog.ProveTree(later, earlier, hashes)
}

// empty is the root of a tree without entries: SHA-256 of nothing.
var empty = tlog.Hash(sha256.Sum256(nil))

// decimal reads digits without sign or leading zero, up to [MaxSize].
func decimal(text string) (int64, bool) {
	n, err := strconv.ParseInt(text, 10, 64)
	return n, err == nil && 0 <= n && n <= MaxSize && strconv.FormatInt(n, 10) == text
}

// ParseHash reads 32 bytes of base64 in their one encoding: a line of a path or of a proof
// of growth.
func ParseHash(text string) (h tlog.Hash, ok bool) {
	b, ok := decode(text)
	if !ok || len(b) != len(h) {
		return h, false
	}
	return tlog.Hash(b), true
}

// decode reads base64 with its padding and without bits to spare.
func decode(text string) ([]byte, bool) {
	if strings.ContainsAny(text, "\r\n") { // which the library passes over
		return nil, false
	}
	b, err := base64.StdEncoding.Strict().DecodeString(text)
	return b, err == nil
}

// reason is what package record says was wrong, without its name and place.
func reason(err error) string {
	if fault := (*record.SyntaxError)(nil); errors.As(err, &fault) {
		return fault.Words
	}
	return err.Error()
}

// trimLine takes one line from the front of a text, without its LF.
func trimLine(text []byte) (line string, rest []byte, ok bool) {
	before, rest, ok := bytes.Cut(text, []byte("\n"))
	return string(before), rest, ok
}
