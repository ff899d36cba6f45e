package audit

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"unicode/utf16"
	"unicode/utf8"

	"veridice/game"
)

// Codes of lines that could not be read.
const (
	BadJSON       = "bad-json"       // another character was expected
	BadText       = "bad-text"       // a control character in a text
	BadEscape     = "bad-escape"     // a backslash with something else behind it
	LoneSurrogate = "lone-surrogate" // half a character, such as \ud800
	BadUTF8       = "bad-utf8"       // bytes that are no UTF-8
	BadNumber     = "bad-number"     // not a whole number from 0 to 2^63 - 1
	WrongType     = "wrong-type"     // a field holds another kind of value
	Duplicate     = "duplicate"      // a field is there twice
	TooDeep       = "too-deep"       // lists in lists in lists
	TooMany       = "too-many"       // fields
	MissingField  = "missing-field"
	TooLong       = "too-long" // longer than MaxLine
)

const (
	maxDepth  = 16
	maxFields = 64
)

// A decoder reads lines of NDJSON without reflection and without allocating, by
// the schema of vectors/README.md. It is stricter than encoding/json: a name
// stands once in an object and is taken letter by letter, text is UTF-8 without
// halves of surrogates, numbers of ours are whole.
type decoder struct {
	line    []byte
	i       int
	scratch []byte // texts with escapes; never grows while a line is read
	unknown [maxFields][]byte
	before  [fIgnored][]byte // texts of the lines before, which often come again
	shapes  [3][]shape       // of the object, its parameters and its outcome
	fault   *fault
}

// A shape is what stood between two values of the line before: a brace or comma,
// a name, a colon, blanks. The same bytes in the same place are read the same way.
type shape struct {
	text     []byte
	from, to int // the name in it
	field    int
}

// maxShape bounds what is kept of blanks and long names.
const maxShape = 128

// Objects whose shapes are kept.
const (
	ofBet = iota
	ofParams
	ofWant
)

// known takes the shape of the line before if it is there again.
func (d *decoder) known(of, n int) (field, start int, name []byte, ok bool) {
	if n >= len(d.shapes[of]) {
		return 0, d.i, nil, false
	}
	s := &d.shapes[of][n]
	end := d.i + len(s.text)
	if end > len(d.line) || string(d.line[d.i:end]) != string(s.text) {
		return 0, d.i, nil, false
	}
	start = d.i + s.from - 1
	name = d.line[d.i+s.from : d.i+s.to]
	d.i = end
	return s.field, start, name, true
}

// learn keeps the bytes from a place to here as a shape, with the name that was
// read from them if it has no escapes.
func (d *decoder) learn(of, n, from, start int, name []byte, field int) {
	if n > len(d.shapes[of]) || d.i-from > maxShape || start+1+len(name) >= d.i || d.line[start+1+len(name)] != '"' || !bytes.Equal(d.line[start+1:start+1+len(name)], name) {
		return
	}
	if n == len(d.shapes[of]) {
		d.shapes[of] = append(d.shapes[of], shape{})
	}
	s := &d.shapes[of][n]
	s.text = append(s.text[:0], d.line[from:d.i]...)
	s.from, s.to, s.field = start+1-from, start+1-from+len(name), field
}

// fail keeps the first fault.
func (d *decoder) fail(i int, code, about string) bool {
	if d.fault == nil {
		d.fault = at(d.line, i, code, about)
	}
	return false
}

// names of the fields that are looked at.
const (
	fSite = iota
	fGame
	fVariant
	fSeed
	fSealed
	fClient
	fNonce
	fCursor
	fParams
	fWant
	fNext
	fAt
	fRevealed
	fIgnored
)

var fieldNames = [...]string{"site", "game", "variant", "seed", "sealed_as", "client", "nonce", "cursor", "params", "want", "next_sealed_as", "at", "revealed_at"}

func fieldOf(name []byte) int {
	switch string(name) {
	case "site":
		return fSite
	case "game":
		return fGame
	case "variant":
		return fVariant
	case "seed":
		return fSeed
	case "sealed_as":
		return fSealed
	case "client":
		return fClient
	case "nonce":
		return fNonce
	case "cursor":
		return fCursor
	case "params":
		return fParams
	case "want":
		return fWant
	case "next_sealed_as":
		return fNext
	case "at":
		return fAt
	case "revealed_at":
		return fRevealed
	}
	return fIgnored
}

// text is where a field that holds text goes.
func (r *row) text(f int) *[]byte {
	switch f {
	case fSite:
		return &r.site
	case fGame:
		return &r.game
	case fVariant:
		return &r.variant
	case fSeed:
		return &r.seed
	case fSealed:
		return &r.sealed
	case fClient:
		return &r.client
	case fNext:
		return &r.next
	case fAt:
		return &r.at
	}
	return &r.revealed
}

// read takes one line. What it returns is nil if the row is whole.
func (d *decoder) read(line []byte, r *row) *fault {
	r.reset()
	d.line, d.i, d.fault = line, 0, nil
	if cap(d.scratch) < len(line) {
		d.scratch = make([]byte, 0, 2*len(line))
	}
	d.scratch = d.scratch[:0]
	if !d.object(r) {
		return d.fault
	}
	d.space()
	if d.i < len(line) {
		d.fail(d.i, BadJSON, "")
		return d.fault
	}
	return nil
}

func (d *decoder) object(r *row) bool {
	seen, others := uint32(0), 0
	for n := 0; ; n++ {
		from := d.i
		f, start, name, ok := d.known(ofBet, n)
		if !ok {
			if n == 0 && !d.expect('{') {
				return false
			}
			var more bool
			start, name, more = d.name(n == 0)
			if d.fault != nil {
				return false
			}
			if !more {
				break
			}
			if f = fieldOf(name); f != fIgnored {
				d.learn(ofBet, n, from, start, name, f)
			}
		}
		if f == fIgnored {
			for _, other := range d.unknown[:others] {
				if string(other) == string(name) {
					return d.fail(start, Duplicate, "")
				}
			}
			if others == maxFields {
				return d.fail(start, TooMany, "")
			}
			d.unknown[others] = name
			others++
			if !d.skip(0) {
				return false
			}
			continue
		}
		if seen&(1<<f) != 0 {
			return d.fail(start, Duplicate, fieldNames[f])
		}
		seen |= 1 << f
		if !d.member(r, f) {
			return false
		}
	}
	for _, f := range [...]int{fSite, fGame, fSeed, fWant} {
		if seen&(1<<f) == 0 {
			return d.fail(len(d.line), MissingField, fieldNames[f])
		}
	}
	return true
}

func (d *decoder) member(r *row, f int) (ok bool) {
	d.space()
	start := d.i
	switch f {
	case fNonce, fCursor:
		if d.null() {
			return true
		}
		if d.i < len(d.line) && (d.line[d.i] == '"' || d.line[d.i] == '[' || d.line[d.i] == '{') {
			return d.fail(start, WrongType, fieldNames[f])
		}
		n, ok := d.integer(fieldNames[f])
		if f == fNonce {
			r.nonce, r.hasNonce = n, ok
		} else {
			r.cursor, r.hasCursor = n, ok
		}
		return ok
	case fParams:
		r.params, ok = d.fields(r.params, ofParams, "params")
		return ok
	case fWant:
		r.want, ok = d.fields(r.want, ofWant, "want")
		return ok
	}
	if f != fSite && f != fGame && f != fSeed && d.null() {
		return true
	}
	if d.i >= len(d.line) || d.line[d.i] != '"' {
		return d.fail(start, WrongType, fieldNames[f])
	}
	*r.text(f), ok = d.again(f)
	r.hasClient = r.hasClient || f == fClient && ok
	return ok
}

// again reads the text of a field, which is often that of the line before.
func (d *decoder) again(f int) ([]byte, bool) {
	start, n := d.i+1, len(d.before[f])
	if n > 0 && start+n < len(d.line) && d.line[start+n] == '"' && string(d.line[start:start+n]) == string(d.before[f]) {
		d.i = start + n + 1
		return d.line[start : start+n], true
	}
	text, ok := d.string()
	if d.i == start+len(text)+1 { // there is no escape in it
		d.before[f] = append(d.before[f][:0], text...)
	}
	return text, ok
}

// fields reads an object of parameters or outcomes.
func (d *decoder) fields(list []field, of int, about string) ([]field, bool) {
	d.space()
	if d.i >= len(d.line) || d.line[d.i] != '{' {
		return list, d.fail(d.i, WrongType, about)
	}
	for n := 0; ; n++ {
		from := d.i
		_, start, name, ok := d.known(of, n)
		if !ok {
			if n == 0 {
				d.i++
			}
			var more bool
			if start, name, more = d.name(n == 0); !more {
				return list, d.fault == nil
			}
			d.learn(of, n, from, start, name, 0)
		}
		for _, other := range list {
			if string(other.name) == string(name) {
				return list, d.fail(start, Duplicate, about)
			}
		}
		if len(list) == maxFields {
			return list, d.fail(start, TooMany, about)
		}
		f := field{name: name}
		d.space()
		start = d.i
		switch d.peek() {
		case '"':
			f.text, _ = d.string()
		case 't', 'f':
			f.kind = boolKind
			d.literal()
		case '[':
			f.kind = listKind
			d.items(1, about)
		case '{', 'n':
			d.fail(start, WrongType, about)
		default:
			f.kind = intKind
			d.integer(about)
		}
		if d.fault != nil {
			return list, false
		}
		if f.kind != textKind {
			f.text = d.line[start:d.i]
		}
		list = append(list, f)
	}
}

// items passes over a list of outcomes.
func (d *decoder) items(depth int, about string) bool {
	if depth > maxDepth {
		return d.fail(d.i, TooDeep, about)
	}
	d.i++
	for first := true; ; first = false {
		more, ok := d.item(first)
		if !more {
			return ok
		}
		switch d.peek() {
		case '"':
			_, ok = d.string()
		case '[':
			ok = d.items(depth+1, about)
		case 't', 'f':
			ok = d.literal()
		case '{', 'n':
			ok = d.fail(d.i, WrongType, about)
		default:
			_, ok = d.integer(about)
		}
		if !ok {
			return false
		}
	}
}

// list is the value of a list that [decoder.items] has passed over.
func (d *decoder) list() game.Value {
	d.i++
	values := []game.Value{}
	for first := true; ; first = false {
		more, _ := d.item(first)
		if !more {
			return game.Value{Kind: game.List, List: values}
		}
		start := d.i
		switch d.peek() {
		case '"':
			text, _ := d.string()
			values = append(values, game.Str(string(text)))
		case '[':
			values = append(values, d.list())
		case 't', 'f':
			d.literal()
			values = append(values, game.Bool(d.line[start] == 't'))
		default:
			n, _ := d.integer("")
			values = append(values, game.Int(n))
		}
	}
}

// item goes to the next item of a list, past the comma before it.
func (d *decoder) item(first bool) (more, ok bool) {
	d.space()
	switch c := d.peek(); {
	case c == ']':
		d.i++
		return false, true
	case first:
		return true, true
	case c == ',':
		d.i++
		if d.space(); d.peek() == ']' {
			return false, d.fail(d.i, BadJSON, "")
		}
		return true, true
	}
	return false, d.fail(d.i, BadJSON, "")
}

// name reads the next name of an object and the colon, or its end.
func (d *decoder) name(first bool) (start int, name []byte, more bool) {
	d.space()
	switch c := d.peek(); {
	case c == '}':
		d.i++
		return d.i, nil, false
	case !first && c == ',':
		d.i++
		d.space()
	case !first:
		d.fail(d.i, BadJSON, "")
		return d.i, nil, false
	}
	start = d.i
	if d.peek() != '"' {
		d.fail(d.i, BadJSON, "")
		return start, nil, false
	}
	name, ok := d.string()
	if !ok {
		return start, nil, false
	}
	d.space()
	return start, name, d.expect(':')
}

// skip passes over a value of any kind.
func (d *decoder) skip(depth int) bool {
	if depth > maxDepth {
		return d.fail(d.i, TooDeep, "")
	}
	d.space()
	switch d.peek() {
	case '"':
		_, ok := d.string()
		return ok
	case '{':
		d.i++
		var names [][]byte
		for first := true; ; first = false {
			start, name, more := d.name(first)
			if !more {
				return d.fault == nil
			}
			for _, other := range names {
				if string(other) == string(name) {
					return d.fail(start, Duplicate, "")
				}
			}
			if len(names) == maxFields {
				return d.fail(start, TooMany, "")
			}
			names = append(names, name)
			if !d.skip(depth + 1) {
				return false
			}
		}
	case '[':
		d.i++
		for first := true; ; first = false {
			more, ok := d.item(first)
			if !more {
				return ok
			}
			if !d.skip(depth + 1) {
				return false
			}
		}
	case 't', 'f', 'n':
		return d.literal()
	}
	return d.number()
}

// number passes over a number of any form that JSON has.
func (d *decoder) number() bool {
	start := d.i
	if d.peek() == '-' {
		d.i++
	}
	run := func() bool {
		from := d.i
		for d.peek() >= '0' && d.peek() <= '9' {
			d.i++
		}
		return d.i > from
	}
	whole := d.i
	if !run() || d.line[whole] == '0' && d.i > whole+1 {
		return d.fail(start, BadJSON, "")
	}
	if d.peek() == '.' {
		if d.i++; !run() {
			return d.fail(start, BadJSON, "")
		}
	}
	if c := d.peek(); c == 'e' || c == 'E' {
		if d.i++; d.peek() == '+' || d.peek() == '-' {
			d.i++
		}
		if !run() {
			return d.fail(start, BadJSON, "")
		}
	}
	return true
}

// integer reads a number of ours.
func (d *decoder) integer(about string) (uint64, bool) {
	start := d.i
	n := uint64(0)
	for d.i < len(d.line) && d.line[d.i]-'0' <= 9 {
		n = 10*n + uint64(d.line[d.i]-'0')
		d.i++
		if d.i-start > 19 {
			return 0, d.fail(start, BadNumber, about)
		}
	}
	switch c := d.peek(); {
	case d.i == start && c != '-':
		return 0, d.fail(start, BadJSON, "")
	case d.i == start, n > maxInt, d.line[start] == '0' && d.i > start+1, c == '.', c == 'e', c == 'E':
		return 0, d.fail(start, BadNumber, about)
	}
	return n, true
}

func (d *decoder) literal() bool {
	for _, word := range [...]string{"true", "false", "null"} {
		if len(d.line)-d.i >= len(word) && string(d.line[d.i:d.i+len(word)]) == word {
			d.i += len(word)
			return true
		}
	}
	return d.fail(d.i, BadJSON, "")
}

func (d *decoder) null() bool { return d.peek() == 'n' && d.literal() }

// peek is the next byte, 0 at the end of the line.
func (d *decoder) peek() byte {
	if d.i < len(d.line) {
		return d.line[d.i]
	}
	return 0
}

func (d *decoder) space() {
	for d.i < len(d.line) && d.line[d.i] <= ' ' {
		if c := d.line[d.i]; c != ' ' && c != '\t' && c != '\r' && c != '\n' {
			return
		}
		d.i++
	}
}

func (d *decoder) expect(c byte) bool {
	d.space()
	if d.peek() != c {
		return d.fail(d.i, BadJSON, "")
	}
	d.i++
	return true
}

const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// special has the high bit of each byte that is a quote, a backslash, a control
// or not ASCII, and perhaps of bytes above the first such one.
func special(x uint64) uint64 {
	quote, slash := x^(ones*'"'), x^(ones*'\\')
	return ((quote-ones)&^quote | (slash-ones)&^slash | (x - ones*0x20) | x) & highs
}

// string reads a text. It is a part of the line unless there are escapes in it.
func (d *decoder) string() ([]byte, bool) {
	line, start := d.line, d.i+1
	i, plain := start, true
	for {
		for i+8 <= len(line) {
			if m := special(binary.LittleEndian.Uint64(line[i:])); m != 0 {
				i += bits.TrailingZeros64(m) / 8
				break
			}
			i += 8
		}
		if i >= len(line) {
			return nil, d.fail(i, BadJSON, "")
		}
		switch c := line[i]; {
		case c == '"':
			d.i = i + 1
			text := line[start:i]
			if !plain && !utf8.Valid(text) {
				return nil, d.badUTF8(start)
			}
			return text, true
		case c == '\\':
			return d.escaped(start, i)
		case c < 0x20:
			return nil, d.fail(i, BadText, "")
		case c >= 0x80:
			plain = false
		}
		i++
	}
}

func (d *decoder) badUTF8(i int) bool {
	if d.fault == nil {
		d.fault = notUTF8(d.line, i)
	}
	return false
}

// escaped reads a text with escapes, the first of them at i.
func (d *decoder) escaped(start, i int) ([]byte, bool) {
	line, from := d.line, len(d.scratch)
	d.scratch = append(d.scratch, line[start:i]...)
	for i < len(line) {
		c := line[i]
		switch {
		case c == '"':
			text := d.scratch[from:len(d.scratch):len(d.scratch)]
			if !utf8.Valid(text) {
				return nil, d.badUTF8(start)
			}
			d.i = i + 1
			return text, true
		case c < 0x20:
			return nil, d.fail(i, BadText, "")
		case c != '\\':
			d.scratch = append(d.scratch, c)
			i++
			continue
		}
		if i+1 >= len(line) {
			break
		}
		switch e := line[i+1]; e {
		case '"', '\\', '/':
			d.scratch = append(d.scratch, e)
		case 'b':
			d.scratch = append(d.scratch, '\b')
		case 'f':
			d.scratch = append(d.scratch, '\f')
		case 'n':
			d.scratch = append(d.scratch, '\n')
		case 'r':
			d.scratch = append(d.scratch, '\r')
		case 't':
			d.scratch = append(d.scratch, '\t')
		case 'u':
			r, ok := hex4(line, i+2)
			if !ok {
				return nil, d.fail(i, BadEscape, "")
			}
			if utf16.IsSurrogate(r) {
				low, ok := hex4(line, i+8)
				if !ok || line[i+6] != '\\' || line[i+7] != 'u' {
					return nil, d.fail(i, LoneSurrogate, "")
				}
				if r = utf16.DecodeRune(r, low); r == utf8.RuneError {
					return nil, d.fail(i, LoneSurrogate, "")
				}
				i += 6
			}
			d.scratch = utf8.AppendRune(d.scratch, r)
			i += 4
		default:
			return nil, d.fail(i, BadEscape, "")
		}
		i += 2
	}
	return nil, d.fail(len(line), BadJSON, "")
}

func hex4(line []byte, i int) (r rune, ok bool) {
	if i+4 > len(line) {
		return 0, false
	}
	for _, c := range line[i : i+4] {
		switch {
		case '0' <= c && c <= '9':
			c -= '0'
		case 'a' <= c && c <= 'f':
			c -= 'a' - 10
		case 'A' <= c && c <= 'F':
			c -= 'A' - 10
		default:
			return 0, false
		}
		r = r<<4 | rune(c)
	}
	return r, true
}
