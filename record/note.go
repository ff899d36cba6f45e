package record

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"strconv"
	"strings"
	"unicode/utf8"
)

// maxSignatures is how many signatures a note may carry.
const maxSignatures = 100

// A Signature is one line of a signed note, as it stands there. Whether the key
// is known and the signature good is for package verify to say.
type Signature struct {
	Name  string
	KeyID [4]byte
	Bytes []byte // after the key id; 64 of Ed25519
}

// A Note is a text and the signatures over it, in the format of
// c2sp.org/signed-note: the text, an empty line, and one line a signature.
//
//	— <name> <base64 of key id and signature>
type Note struct {
	Text       []byte
	Signatures []Signature
}

const dash = "— "

// ParseNote splits a signed note. The text keeps its last line end, and is part of what
// was given, not a copy. The error is a [*SyntaxError] without a place.
func ParseNote(text []byte) (*Note, error) {
	bad := func(words string) (*Note, error) { return nil, &SyntaxError{Code: Syntax, Words: words} }
	if len(text) > MaxSize {
		return nil, &SyntaxError{Code: TooLong, Words: "the note is larger than 16 MiB"}
	}
	if !utf8.Valid(text) {
		return bad("the note is not UTF-8")
	}
	at := bytes.LastIndex(text, []byte("\n\n"))
	if at < 0 {
		return bad("the note has no empty line before its signatures")
	}
	n := &Note{Text: text[: at+1 : at+1]}
	rest := string(text[at+2:])
	if rest == "" || !strings.HasSuffix(rest, "\n") {
		return bad("the last signature line is not ended")
	}
	for line := range strings.Lines(rest) {
		if len(n.Signatures) == maxSignatures {
			return bad("the note has more than 100 signatures")
		}
		s, ok := parseSignature(strings.TrimSuffix(line, "\n"))
		if !ok {
			return bad("signature line " + strconv.Itoa(len(n.Signatures)+1) + " is not a dash, a name and base64")
		}
		n.Signatures = append(n.Signatures, s)
	}
	return n, nil
}

func parseSignature(line string) (s Signature, ok bool) {
	line, ok = strings.CutPrefix(line, dash)
	if !ok {
		return s, false
	}
	name, text, ok := strings.Cut(line, " ")
	if !ok || !NoteName(name) {
		return s, false
	}
	b, err := base64.StdEncoding.Strict().DecodeString(text)
	if err != nil || len(b) < len(s.KeyID)+1 || strings.ContainsAny(text, "\r\n") {
		return s, false
	}
	s.Name = strings.Clone(name)
	copy(s.KeyID[:], b)
	s.Bytes = b[len(s.KeyID):]
	return s, true
}

// NoteName reports whether a name may stand in a signature line: not empty, UTF-8,
// and neither blanks of any kind nor a plus sign.
func NoteName(name string) bool {
	return name != "" && utf8.ValidString(name) && !strings.ContainsFunc(name, func(c rune) bool {
		return c <= ' ' || c == '+' || c == 0x85 || c == 0xa0 || c == 0x1680 || 0x2000 <= c && c <= 0x200a ||
			c == 0x2028 || c == 0x2029 || c == 0x202f || c == 0x205f || c == 0x3000
	})
}

// KeyID is the key id of c2sp.org/signed-note: the first bytes of a hash of name,
// algorithm and public key. The algorithm of Ed25519 is 1.
func KeyID(name string, algorithm byte, key [32]byte) (id [4]byte) {
	sum := sha256.Sum256(append(append([]byte(name), '\n', algorithm), key[:]...))
	copy(id[:], sum[:])
	return id
}

// Marshal writes the note.
func (n *Note) Marshal() []byte {
	return append(append([]byte(nil), n.Text...), signatureLines(n.Signatures)...)
}

// signatureLines writes the empty line and the signatures, or nothing.
func signatureLines(signatures []Signature) []byte {
	if len(signatures) == 0 {
		return nil
	}
	b := []byte{'\n'}
	for _, s := range signatures {
		b = append(append(append(b, dash...), s.Name...), ' ')
		b = base64.StdEncoding.AppendEncode(b, append(append([]byte(nil), s.KeyID[:]...), s.Bytes...))
		b = append(b, '\n')
	}
	return b
}
