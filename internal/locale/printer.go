package locale

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// A template is a message cut into texts and names: texts at even places, names
// of placeholders at odd ones.
type template []string

// parse cuts a message at its placeholders: a lower-case ASCII letter and then
// letters and digits, in braces. A brace may not stand anywhere else.
func parse(message string) (template, error) {
	var t template
	for {
		text, rest, open := strings.Cut(message, "{")
		if strings.Contains(text, "}") {
			return nil, errors.New("brace } without its opening one")
		}
		t = append(t, text)
		if !open {
			return t, nil
		}
		name, after, closed := strings.Cut(rest, "}")
		if !closed {
			return nil, errors.New("brace { without its closing one")
		}
		if !isName(name) {
			return nil, errors.New("placeholder " + strconv.Quote(name) + " is no name")
		}
		t, message = append(t, name), after
	}
}

func isName(s string) bool {
	for i := range len(s) {
		letter := 'a' <= s[i] && s[i] <= 'z' || 'A' <= s[i] && s[i] <= 'Z' && i > 0
		if !letter && (i == 0 || s[i] < '0' || s[i] > '9') {
			return false
		}
	}
	return s != ""
}

// String is the message that was parsed.
func (t template) String() string {
	var b strings.Builder
	for i, part := range t {
		if i%2 == 1 {
			part = "{" + part + "}"
		}
		b.WriteString(part)
	}
	return b.String()
}

// A Printer writes messages in one language.
type Printer struct {
	tag      string
	messages catalogue
}

// For gives the printer of a language. A tag without a catalogue is English; use
// [Has] to find out first.
func For(tag string) *Printer {
	if !Has(tag) {
		tag = Source
	}
	return &Printer{tag, load()[tag]}
}

// Tag is the printer's language.
func (p *Printer) Tag() string { return p.tag }

// Has reports whether there is a message with this key.
func (p *Printer) Has(key string) bool { return p.messages[key] != nil }

// Text gives the message of a key with its placeholders filled from pairs of name
// and value. A plural message takes the form of the whole number named count.
// Numbers get the language's separators from 10,000 on; other values are put in
// as they are and never read as placeholders. A key without a message gives the
// key itself, so that a fault in a catalogue shows and nothing is hidden.
func (p *Printer) Text(key string, pairs ...any) string {
	if len(pairs)%2 != 0 {
		panic("veridice: internal error: message " + key + " has a name without a value")
	}
	forms := p.messages[key]
	if forms == nil {
		return key
	}
	t, plain := forms[""]
	values := map[string]string{}
	for i := 0; i < len(pairs); i += 2 {
		name, ok := pairs[i].(string)
		if !ok {
			panic("veridice: internal error: message " + key + " has a value without a name")
		}
		n, isNumber := number(pairs[i+1])
		switch {
		case isNumber:
			values[name] = p.Number(n)
			if name == "count" && !plain {
				t = forms[plurals[p.tag].of(n)]
			}
		default:
			values[name] = fmt.Sprint(pairs[i+1])
		}
	}
	if t == nil {
		panic("veridice: internal error: message " + key + " needs a count")
	}
	var b strings.Builder
	for i, part := range t {
		if i%2 == 1 {
			value, ok := values[part]
			if !ok {
				panic("veridice: internal error: message " + key + " needs " + part)
			}
			part = value
		}
		b.WriteString(part)
	}
	return b.String()
}

// number takes whole numbers of the types that callers have.
func number(v any) (uint64, bool) {
	switch v := v.(type) {
	case int:
		return uint64(v), v >= 0
	case uint32:
		return uint64(v), true
	case uint64:
		return v, true
	}
	return 0, false
}

// Number writes a whole number with the language's separators. Numbers below
// 10,000 have none.
func (p *Printer) Number(n uint64) string {
	digits := strconv.FormatUint(n, 10)
	if n < 10_000 {
		return digits
	}
	head := (len(digits)-1)%3 + 1
	text := digits[:head]
	for i := head; i < len(digits); i += 3 {
		text += separators[p.tag] + digits[i:i+3]
	}
	return text
}
