package server

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"veridice/game"
	"veridice/internal/pair"
)

// Bodies of requests are flat JSON objects of strings, whole numbers and truth values, and are
// read by the grammar of RFC 8259 and nothing wider: encoding/json takes SEED for
// seed, the last of two equal names and half a surrogate pair, and passes over
// what it does not know. Names are compared as they are.

// maxWhole is the greatest whole number that every JSON reader keeps, 2^53 - 1.
const maxWhole = 1<<53 - 1

// A field is one that a request may have. to is a *string, a *bool, a *uint64, or for a
// flat object of such values a *[]pair.Param.
type field struct {
	name     string
	to       any
	optional bool
}

// decode reads a body into fields. It gives a [*problem].
func decode(body []byte, fields ...field) error {
	p := parser{text: body}
	seen := make([]bool, len(fields))
	p.blanks()
	if !p.take('{') {
		return p.refuse()
	}
	p.blanks()
	for first := true; !p.take('}'); first = false {
		if !first {
			if !p.take(',') {
				return p.refuse()
			}
			p.blanks()
		}
		start := p.at
		name, ok := p.quoted()
		if !ok {
			return p.refuse()
		}
		at := -1
		for i, f := range fields {
			if f.name == name {
				at = i
			}
		}
		switch {
		case at < 0:
			// The name is the sender's and is not sent back.
			return &problem{status: 400, code: "unknown-field", args: args{"position": start + 1}}
		case seen[at]:
			return &problem{status: 400, code: "duplicate-field", field: fields[at].name}
		}
		seen[at] = true
		p.blanks()
		if !p.take(':') {
			return p.refuse()
		}
		p.blanks()
		if !p.value(fields[at].to) {
			if p.at == len(p.text) {
				return p.refuse()
			}
			refused := &problem{status: 400, code: "bad-field", field: fields[at].name}
			if _, nested := fields[at].to.(*[]pair.Param); nested {
				refused.args = args{"position": p.at + 1} // which of its members
			}
			return refused
		}
		p.blanks()
	}
	p.blanks()
	if p.at != len(p.text) {
		return p.refuse()
	}
	for i, f := range fields {
		if !seen[i] && !f.optional {
			return &problem{status: 400, code: "missing-field", field: f.name}
		}
	}
	return nil
}

type parser struct {
	text []byte
	at   int // place of the next byte
}

// refuse says where the text stops being one that could be read.
func (p *parser) refuse() error {
	return &problem{status: 400, code: "bad-json", args: args{"position": p.at + 1}}
}

// back goes to the start of what is refused, unless the text ends within it.
func (p *parser) back(start int) bool {
	if p.at < len(p.text) {
		p.at = start
	}
	return false
}

func (p *parser) blanks() {
	for p.at < len(p.text) && (p.text[p.at] == ' ' || p.text[p.at] == '\t' || p.text[p.at] == '\n' || p.text[p.at] == '\r') {
		p.at++
	}
}

func (p *parser) take(c byte) bool {
	if p.at < len(p.text) && p.text[p.at] == c {
		p.at++
		return true
	}
	return false
}

func (p *parser) value(to any) bool {
	switch to := to.(type) {
	case *string:
		text, ok := p.quoted()
		*to = text
		return ok
	case *[]pair.Param:
		return p.members(to)
	case *bool:
		for text, value := range map[string]bool{"true": true, "false": false} {
			if strings.HasPrefix(string(p.text[p.at:]), text) {
				p.at += len(text)
				*to = value
				return true
			}
		}
		return false
	case *uint64:
		start := p.at
		for p.at < len(p.text) && '0' <= p.text[p.at] && p.text[p.at] <= '9' {
			p.at++
		}
		n, ok := whole(string(p.text[start:p.at]))
		*to = n
		// 1.0 and 1e0 are other numbers than 1 to somebody.
		return ok && p.at < len(p.text) && (p.text[p.at] == ',' || p.text[p.at] == '}' || p.text[p.at] <= ' ')
	}
	panic("veridice: internal error: a field of an unknown type")
}

// maxMembers is the most parameters that a game is given.
const maxMembers = 16

// members reads a flat object. It fails at the byte that cannot be read.
func (p *parser) members(to *[]pair.Param) bool {
	if !p.take('{') {
		return false
	}
	p.blanks()
	for first := true; !p.take('}'); first = false {
		if !first {
			if !p.take(',') {
				return false
			}
			p.blanks()
		}
		start := p.at
		name, ok := p.quoted()
		if !ok || len(*to) == maxMembers || slices.ContainsFunc(*to, func(a pair.Param) bool { return a.Name == name }) {
			return p.back(start)
		}
		p.blanks()
		if !p.take(':') {
			return false
		}
		p.blanks()
		start = p.at
		a := pair.Param{Arg: game.Arg{Name: name}, Bare: true}
		switch c := p.next(); {
		case c == '"':
			a.Bare = false
			ok = p.value(&a.Value)
		case c == 't' || c == 'f':
			var b bool
			ok = p.value(&b)
			a.Value = strconv.FormatBool(b)
		default:
			var n uint64
			ok = p.value(&n)
			a.Value = strconv.FormatUint(n, 10)
		}
		if !ok {
			return p.back(start)
		}
		*to = append(*to, a)
		p.blanks()
	}
	return true
}

// next is the next byte, 0 at the end.
func (p *parser) next() byte {
	if p.at < len(p.text) {
		return p.text[p.at]
	}
	return 0
}

// whole reads digits without sign or leading zero, up to maxWhole.
func whole(text string) (uint64, bool) {
	if text == "" || len(text) > 1 && text[0] == '0' || text[0] < '0' || text[0] > '9' {
		return 0, false
	}
	n, err := strconv.ParseUint(text, 10, 64)
	return n, err == nil && n <= maxWhole
}

// quoted reads a string. It fails at the byte that cannot be read.
func (p *parser) quoted() (string, bool) {
	if !p.take('"') {
		return "", false
	}
	var out []byte
	for p.at < len(p.text) {
		switch c := p.text[p.at]; {
		case c == '"':
			p.at++
			return string(out), true
		case c < 0x20:
			return "", false
		case c == '\\':
			r, ok := p.escape()
			if !ok {
				return "", false
			}
			out = utf8.AppendRune(out, r)
		default:
			r, n := utf8.DecodeRune(p.text[p.at:])
			if r == utf8.RuneError && n == 1 {
				return "", false
			}
			out = append(out, p.text[p.at:p.at+n]...)
			p.at += n
		}
	}
	return "", false
}

func (p *parser) escape() (rune, bool) {
	if p.at+1 >= len(p.text) {
		return 0, false
	}
	c := p.text[p.at+1]
	if c == 'u' {
		r, ok := p.unit()
		if !ok || !utf16.IsSurrogate(r) {
			return r, ok
		}
		low, ok := p.unit()
		r = utf16.DecodeRune(r, low)
		return r, ok && r != utf8.RuneError // half a pair is no character
	}
	const from, to = `"\/bfnrt`, "\"\\/\b\f\n\r\t"
	for i := range from {
		if from[i] == c {
			p.at += 2
			return rune(to[i]), true
		}
	}
	return 0, false
}

// unit reads one \uXXXX.
func (p *parser) unit() (rune, bool) {
	if p.at+6 > len(p.text) || p.text[p.at] != '\\' || p.text[p.at+1] != 'u' {
		return 0, false
	}
	n, err := strconv.ParseUint(string(p.text[p.at+2:p.at+6]), 16, 16)
	if err != nil {
		return 0, false
	}
	p.at += 6
	return rune(n), true
}
