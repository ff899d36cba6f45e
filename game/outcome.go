package game

import (
	"strconv"
	"strings"

	"veridice/decimal"
)

// A Kind says what a [Value] is.
type Kind int

// Kinds of values.
const (
	Integer Kind = iota
	Decimal      // decimal text
	Text
	Boolean
	List
)

// A Value is one thing that came out.
type Value struct {
	Kind Kind
	Int  uint64  // of an integer; 1 for true
	Text string  // of a decimal or a text
	List []Value // of a list
}

// Int is an integer.
func Int(n uint64) Value { return Value{Kind: Integer, Int: n} }

// Bool is true or false.
func Bool(b bool) Value {
	if b {
		return Value{Kind: Boolean, Int: 1}
	}
	return Value{Kind: Boolean}
}

// Str is a text.
func Str(text string) Value { return Value{Kind: Text, Text: text} }

// Dec is a decimal number in text form.
func Dec(text string) Value { return Value{Kind: Decimal, Text: text} }

// Ints is a list of integers.
func Ints(numbers []uint32) Value {
	list := make([]Value, len(numbers))
	for i, n := range numbers {
		list[i] = Int(uint64(n))
	}
	return Value{Kind: List, List: list}
}

// Strs is a list of texts.
func Strs(texts []string) Value {
	list := make([]Value, len(texts))
	for i, t := range texts {
		list[i] = Str(t)
	}
	return Value{Kind: List, List: list}
}

// Vals is a list of values.
func Vals(list ...Value) Value { return Value{Kind: List, List: list} }

// hundredths is a decimal with no more places than it needs, fixed one with two.
func hundredths(h uint64) Value { return Dec(decimal.New(h, 2).String()) }
func fixed(h uint64) Value      { return Dec(decimal.New(h, 2).Fixed(2)) }

// String writes a value for people: lists with blanks, lists of lists with bars.
func (v Value) String() string {
	switch v.Kind {
	case Integer:
		return strconv.FormatUint(v.Int, 10)
	case Boolean:
		return strconv.FormatBool(v.Int == 1)
	case List:
		between := " "
		if len(v.List) > 0 && v.List[0].Kind == List {
			between = " | "
		}
		parts := make([]string, len(v.List))
		for i, e := range v.List {
			parts[i] = e.String()
		}
		return strings.Join(parts, between)
	}
	return v.Text
}

// AppendJSON appends the value as JSON. Decimals are strings, so that no reader
// makes doubles of them.
func (v Value) AppendJSON(b []byte) []byte {
	switch v.Kind {
	case Integer:
		return strconv.AppendUint(b, v.Int, 10)
	case Boolean:
		return strconv.AppendBool(b, v.Int == 1)
	case List:
		b = append(b, '[')
		for i, e := range v.List {
			if i > 0 {
				b = append(b, ',')
			}
			b = e.AppendJSON(b)
		}
		return append(b, ']')
	}
	return AppendQuoted(b, v.Text)
}

// AppendQuoted appends text as a JSON string.
func AppendQuoted(b []byte, text string) []byte {
	const hex = "0123456789abcdef"
	b = append(b, '"')
	for _, r := range text {
		switch {
		case r == '"' || r == '\\':
			b = append(b, '\\', byte(r))
		case r < 0x20 || r == 0x7f:
			b = append(b, `\u00`...)
			b = append(b, hex[r>>4], hex[r&15])
		default:
			b = append(b, string(r)...)
		}
	}
	return append(b, '"')
}

// A Key is a named value of an outcome. The names are those of vectors/README.md.
type Key struct {
	Name  string
	Value Value

	// Open says that the list goes on in the stream: a shorter one is the same
	// outcome, read less far.
	Open bool
}

// A Grade says how well the rule of a game is known.
type Grade struct {
	Kind string // one of the constants below
	N    int    // outcomes of the operator that are reproduced
}

// Kinds of grades (docs/spec/games.md, section 1).
const (
	Confirmed  = "confirmed"
	Stated     = "stated"
	ThirdParty = "third-party"
	Unknown    = "unknown"
)

// String is "confirmed 65", "stated", "third-party" or "unknown".
func (g Grade) String() string {
	if g.Kind == Confirmed {
		return g.Kind + " " + strconv.Itoa(g.N)
	}
	return g.Kind
}

// A Label says what to know about one key of an outcome.
type Label struct {
	Code string
	Key  string
}

// Codes of labels.
const (
	LabelThirdParty  = "third-party"        // known only from other people's tools
	LabelStated      = "stated"             // said by the operator, never recorded
	LabelReading     = "our-reading"        // the operator does not say it
	LabelBelowOne    = "below-one"          // whether the site shows 1.00 is not stated
	LabelBlank       = "off-the-board"      // a cell 0; what the site does is not known
	LabelNoOrder     = "no-order-published" // which card goes to whom is not stated
	LabelSuits       = "suits-unsure"       // printed cards fit no order of suits
	LabelMisprint    = "probably-misprint"  // a table has a value that cannot be right
	LabelOtherRecord = "recorded-otherwise" // one recorded outcome differs
	LabelHalf        = "exactly-half"       // what the site does at 0.5 is not published
	LabelMoreFollows = "more-spins-follow"  // which are not derived here
	LabelFirstBand   = "lowest-band"        // of bets; larger ones pay less
)

// An Outcome is what a game's rule makes of the draws.
type Outcome struct {
	Site, Game string
	Params     Params
	Grade      Grade
	Keys       []Key
	Labels     []Label
}

// Key finds a value by its name.
func (o *Outcome) Key(name string) (Key, bool) {
	for _, k := range o.Keys {
		if k.Name == name {
			return k, true
		}
	}
	return Key{}, false
}

// AppendKeys appends the keys as one JSON object, in their order.
func (o *Outcome) AppendKeys(b []byte) []byte {
	b = append(b, '{')
	for i, k := range o.Keys {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(AppendQuoted(b, k.Name), ':')
		b = k.Value.AppendJSON(b)
	}
	return append(b, '}')
}

// AppendJSON appends the outcome as one JSON object, always with the same keys in
// the same order.
func (o *Outcome) AppendJSON(b []byte) []byte {
	b = append(b, `{"site":`...)
	b = AppendQuoted(b, o.Site)
	b = append(b, `,"game":`...)
	b = AppendQuoted(b, o.Game)
	b = append(b, `,"variant":`...)
	b = AppendQuoted(b, o.Params.Variant)
	b = append(b, `,"params":{`...)
	for i, a := range o.Params.Args {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(AppendQuoted(b, a.Name), ':')
		b = AppendQuoted(b, a.Value)
	}
	b = append(b, `},"grade":`...)
	b = AppendQuoted(b, o.Grade.String())
	b = append(b, `,"outcome":`...)
	b = o.AppendKeys(b)
	b = append(b, `,"labels":[`...)
	for i, l := range o.Labels {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, `{"code":`...)
		b = append(AppendQuoted(b, l.Code), `,"key":`...)
		b = append(AppendQuoted(b, l.Key), '}')
	}
	return append(b, "]}"...)
}
