package audit

import (
	"unicode/utf8"

	"veridice/bet"
	"veridice/game"
)

// A row is one bet as its line has it. Its slices point into the line or into the
// reader's scratch and hold until the next line is read.
type row struct {
	site, game, variant, seed, sealed, client []byte
	next                                      []byte // the seal announced for the next seed
	at, revealed                              []byte // moments, RFC 3339
	nonce, cursor                             uint64
	hasClient, hasNonce, hasCursor            bool
	params, want                              []field
}

// A kind says what a field's text is.
type kind byte

const (
	textKind kind = iota
	intKind       // decimal digits
	boolKind      // true or false
	listKind      // a JSON list of texts, integers, booleans and lists
)

type field struct {
	name, text []byte
	kind       kind
}

func (r *row) reset() {
	*r = row{params: r.params[:0], want: r.want[:0]}
}

// bet is the row as package bet takes it.
func (r *row) bet() bet.Bet {
	b := bet.Bet{Site: string(r.site), Game: string(r.game), Variant: string(r.variant), Seed: string(r.seed), SealedAs: string(r.sealed)}
	if r.hasClient {
		client := string(r.client)
		b.Client = &client
	}
	if r.hasNonce {
		nonce := r.nonce
		b.Nonce = &nonce
	}
	if r.hasCursor {
		cursor := r.cursor
		b.Cursor = &cursor
	}
	for _, f := range r.params {
		b.Params = append(b.Params, game.Arg{Name: string(f.name), Value: f.value().String()})
	}
	for _, f := range r.want {
		b.Want = append(b.Want, game.Key{Name: string(f.name), Value: f.value()})
	}
	return b
}

func (f field) value() game.Value {
	switch f.kind {
	case intKind:
		n, _ := digits(f.text)
		return game.Int(n)
	case boolKind:
		return game.Bool(f.text[0] == 't')
	case listKind:
		d := decoder{line: f.text, scratch: make([]byte, 0, len(f.text))}
		return d.list()
	}
	return game.Str(string(f.text))
}

// maxInt is the largest number that a line may hold.
const maxInt = 1<<63 - 1

// digits reads a whole number: no sign, no leading zero, at most 2^63 - 1.
func digits(text []byte) (uint64, bool) {
	if len(text) == 0 || len(text) > 19 || text[0] == '0' && len(text) > 1 {
		return 0, false
	}
	n := uint64(0)
	for _, c := range text {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = 10*n + uint64(c-'0')
	}
	return n, n <= maxInt
}

// A fault says why a line could not be read, and at which character of it.
type fault struct {
	code   string
	about  string // the field, if it is about one
	column int    // in characters, from 1; 0 if it is about the whole line
}

// at makes a fault of a place in a line.
func at(line []byte, i int, code, about string) *fault {
	return &fault{code, about, utf8.RuneCount(line[:min(i, len(line))]) + 1}
}
