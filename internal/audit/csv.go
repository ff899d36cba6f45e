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
	d.start(line)
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
			return nil, &fault{code: BadHeader, about: name}
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
}

func (d *csvReader) start(line []byte) {
	d.line, d.i = line, 0
	if cap(d.scratch) < len(line) {
		d.scratch = make([]byte, 0, 2*len(line))
	}
	d.scratch = d.scratch[:0]
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

// read takes one record, without the line end.
func (d *csvReader) read(h *header, line []byte, r *row) *fault {
	r.reset()
	d.start(line)
	if !utf8.Valid(line) {
		i := 0
		for {
			if c, n := utf8.DecodeRune(line[i:]); c == utf8.RuneError && n == 1 {
				return at(line, i, BadUTF8, "")
			} else {
				i += n
			}
		}
	}
	for n, c := range h.columns {
		start := d.i
		text, quoted, more, f := d.field()
		if f != nil {
			return f
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
		}
	}
	return nil
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
	var i int
	for n := 1; ; n++ {
		if i < len(data) && data[i] == '"' {
			for i++; ; i += 2 {
				q := bytes.IndexByte(data[i:min(len(data), maxRecord)], '"')
				if q < 0 {
					if !last && len(data) < maxRecord {
						return 0
					}
					return end
				}
				if i += q; i+1 >= len(data) && !last {
					return 0
				} else if i+1 >= len(data) || data[i+1] != '"' {
					break
				}
			}
			i++
		} else {
			q := bytes.IndexAny(data[i:min(len(data), maxRecord)], ",\"\n")
			if q < 0 || data[i+q] == '"' {
				return end
			}
			i += q
		}
		if i < len(data) && data[i] == '\r' {
			i++
		}
		switch {
		case i >= len(data) && !last:
			return 0
		case i >= len(data) && n == columns:
			return i
		case i >= len(data):
			return end
		case data[i] == '\n' && (i < end || n == columns):
			return i + 1
		case data[i] != ',' || n > columns:
			return end
		}
		i++
		if i > maxRecord {
			return end
		}
	}
}
