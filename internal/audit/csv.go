package audit

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// Codes of files and lines of CSV.
const (
	BadHeader   = "bad-header"   // a column is there twice, or one that is needed is not
	BadQuote    = "bad-quote"    // a quotation mark where none may be, or without its other one
	FieldNumber = "field-number" // more or fewer fields than the header has
	NotEnded    = "not-ended"    // a last line without its end that does not fit: it may be cut
)

// A header says what the columns of a CSV file are: the fields of
// vectors/README.md, and params.NAME and want.NAME for what is in these.
type header struct {
	columns []column
}

type column struct {
	field int    // as in fieldNames, or fIgnored
	name  []byte // of a parameter or an outcome
}

// newHeader reads the first line. It is nil without a fault if the line is no
// header of bets.
func newHeader(line []byte) (*header, *fault) {
	var d csvReader
	var names []string
	d.start(line, true)
	for {
		text, _, more, fault := d.field()
		if fault != nil {
			return nil, nil
		}
		names = append(names, string(text))
		if !more {
			break
		}
	}
	h, seen := &header{}, map[string]bool{}
	for _, name := range names {
		c := column{field: fIgnored}
		if of, ok := strings.CutPrefix(name, "params."); ok {
			c = column{fParams, []byte(of)}
		} else if of, ok := strings.CutPrefix(name, "want."); ok {
			c = column{fWant, []byte(of)}
		} else if f := fieldOf([]byte(name)); f != fParams && f != fWant {
			c.field = f
		}
		if c.field != fIgnored && seen[name] {
			return nil, &fault{code: BadHeader, about: short([]byte(name))}
		}
		seen[name] = true
		h.columns = append(h.columns, c)
	}
	if !seen["seed"] && !seen["site"] {
		return nil, nil
	}
	for _, name := range []string{"site", "game", "seed"} {
		if !seen[name] {
			return nil, &fault{code: BadHeader, about: name}
		}
	}
	return h, nil
}

// A csvReader reads records of RFC 4180 without allocating.
type csvReader struct {
	line    []byte
	i       int
	scratch []byte
	quotes  bool     // there are some in the line
	before  [][]byte // texts of the line before by columns, which often come again
}

func (d *csvReader) start(line []byte, quotes bool) {
	d.line, d.i = line, 0
	if cap(d.scratch) < len(line) {
		d.scratch = make([]byte, 0, 2*len(line))
	}
	d.scratch = d.scratch[:0]
	d.quotes = quotes
}

// again reads a field that is that of the line before. It is in no quotes.
func (d *csvReader) again(n int) ([]byte, bool) {
	text := d.before[n]
	end := d.i + len(text)
	if len(text) == 0 || end >= len(d.line) || d.line[end] != ',' || string(d.line[d.i:end]) != string(text) {
		return nil, false
	}
	text = d.line[d.i:end]
	d.i = end + 1
	return text, true
}

// field reads the next field, and says whether it was in quotes and whether
// another one follows.
func (d *csvReader) field() (text []byte, quoted, more bool, f *fault) {
	line, start := d.line, d.i
	if start < len(line) && line[start] == '"' {
		from, i := len(d.scratch), start+1
		for {
			n := bytes.IndexByte(line[i:], '"')
			if n < 0 {
				return nil, true, false, at(line, start, BadQuote, "")
			}
			end := i + n
			if end+1 < len(line) && line[end+1] == '"' {
				d.scratch = append(d.scratch, line[i:end+1]...)
				i = end + 2
				continue
			}
			text = line[i:end]
			if len(d.scratch) > from {
				d.scratch = append(d.scratch, text...)
				text = d.scratch[from:]
			}
			d.i = end + 1
			break
		}
		if d.i < len(line) {
			if line[d.i] != ',' {
				return nil, true, false, at(line, d.i, BadQuote, "")
			}
			d.i++
			return text, true, true, nil
		}
		return text, true, false, nil
	}
	if !d.quotes {
		n := bytes.IndexByte(line[start:], ',')
		if n < 0 {
			d.i = len(line)
			return line[start:], false, false, nil
		}
		d.i = start + n + 1
		return line[start : start+n], false, true, nil
	}
	for i, c := range line[start:] {
		switch c {
		case ',':
			d.i = start + i + 1
			return line[start : start+i], false, true, nil
		case '"':
			return nil, false, false, at(line, start+i, BadQuote, "")
		}
	}
	d.i = len(line)
	return line[start:], false, false, nil
}

// read takes one record, without the line end. The caller may know that there are
// no quotes in it.
func (d *csvReader) read(h *header, line []byte, quotes bool, r *row) *fault {
	r.reset()
	d.start(line, quotes)
	if len(d.before) != len(h.columns) {
		d.before = make([][]byte, len(h.columns))
	}
	for n := range h.columns {
		c := &h.columns[n]
		start := d.i
		if n < len(h.columns)-1 && isText(c.field) {
			if text, ok := d.again(n); ok {
				*r.text(c.field) = text
				r.hasClient = r.hasClient || c.field == fClient
				continue
			}
		}
		text, quoted, more, f := d.field()
		if f != nil {
			return f
		}
		if !utf8.Valid(text) {
			return notUTF8(line, start)
		}
		if more != (n < len(h.columns)-1) {
			return &fault{code: FieldNumber}
		}
		if len(text) == 0 && (!quoted || c.field != fClient) {
			if c.field == fSite || c.field == fGame || c.field == fSeed {
				return at(line, start, MissingField, fieldNames[c.field])
			}
			continue // an empty field is none
		}
		switch c.field {
		case fIgnored:
		case fNonce, fCursor:
			number, ok := digits(text)
			if !ok {
				return at(line, start, BadNumber, fieldNames[c.field])
			}
			if c.field == fNonce {
				r.nonce, r.hasNonce = number, true
			} else {
				r.cursor, r.hasCursor = number, true
			}
		case fParams:
			r.params = append(r.params, field{name: c.name, text: text})
		case fWant:
			f := field{name: c.name, text: text, kind: typed(text)}
			if f.kind == listKind {
				// A list is JSON; how it fails is said of its own first character.
				d := decoder{line: text, scratch: make([]byte, 0, len(text))}
				if !d.items(1, "want") || d.i < len(text) {
					return at(line, start, BadJSON, "want")
				}
			}
			r.want = append(r.want, f)
		default:
			*r.text(c.field) = text
			r.hasClient = r.hasClient || c.field == fClient
			if !quoted {
				d.before[n] = append(d.before[n][:0], text...)
			}
		}
	}
	return nil
}

// notUTF8 finds the first bad byte from a place on.
func notUTF8(line []byte, i int) *fault {
	for i < len(line) {
		r, n := utf8.DecodeRune(line[i:])
		if r == utf8.RuneError && n == 1 {
			break
		}
		i += n
	}
	return at(line, i, BadUTF8, "")
}

func isText(f int) bool {
	return f != fNonce && f != fCursor && f != fParams && f != fWant && f != fIgnored
}

// typed is what a field of CSV is, which says it by its looks alone.
func typed(text []byte) kind {
	if _, ok := digits(text); ok {
		return intKind
	}
	switch {
	case string(text) == "true" || string(text) == "false":
		return boolKind
	case text[0] == '[':
		return listKind
	}
	return textKind
}

// maxRecord bounds a record that goes on over several lines.
const maxRecord = 64 << 10

// record finds the end of the first record of data, which begins a line. A
// record that cannot be read ends with its first line, so that a stray quotation
// mark swallows nothing. It gives the bytes to take, 0 if more of the file is
// needed to tell.
func record(data []byte, columns int, last bool) int {
	end := bytes.IndexByte(data, '\n')
	if end < 0 {
		if last {
			return len(data)
		}
		return 0
	}
	end++
	if bytes.IndexByte(data[:end], '"') < 0 {
		return end
	}
	// Within a window that does not depend on how much of the file is here.
	window := data[:min(len(data), maxRecord)]
	sure := last || len(window) == maxRecord
	for i, n := 0, 1; ; n++ {
		if i < len(window) && window[i] == '"' {
			i = closing(window, i+1)
		} else if i < len(window) {
			plain := bytes.IndexAny(window[i:], ",\"\n")
			switch {
			case plain < 0:
				i = len(window)
			case window[i+plain] == '"':
				return end
			default:
				i += plain
			}
		}
		if i < len(window) && window[i] == '\r' {
			i++
		}
		switch {
		case i >= len(window) && !sure:
			return 0
		case i == len(data) && last && n == columns:
			return i
		case i >= len(window):
			return end
		case window[i] == '\n' && (i < end || n == columns):
			return i + 1
		case window[i] != ',' || n > columns:
			return end
		}
		i++
	}
}

// closing finds the place behind the quotation mark that ends a field, which is
// beyond the text if it is not there. A mark at the very end may be the first of two.
func closing(text []byte, i int) int {
	for i < len(text) {
		q := bytes.IndexByte(text[i:], '"')
		if q < 0 {
			break
		}
		if i += q + 1; i >= len(text) || text[i] != '"' {
			return i
		}
		i++
	}
	return len(text) + 1
}
