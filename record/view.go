package record

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"veridice/seed"
)

// maxView is the size in bytes of the largest view that is read. A view without
// blanks is never more than twice as long as 16 MiB.
const maxView = 2 * MaxSize

// MarshalView writes the record as JSON, its members in the order of the lines,
// without blanks; docs/spec/record.md, "JSON view". A view is for programs to
// look at: what is hashed is the text.
func (r *Record) MarshalView() ([]byte, error) {
	if _, err := r.MarshalText(); err != nil {
		return nil, err
	}
	// No string of a record that has a text needs an escape.
	var b []byte
	text := func(s string) { b = append(append(append(b, '"'), s...), '"') }
	member := func(name string) {
		b = append(b, ',')
		text(name)
		b = append(b, ':')
	}
	orNull := func(s string, none bool) {
		if none {
			b = append(b, "null"...)
		} else {
			text(s)
		}
	}
	b = append(b, `{"record":1`...)
	member("scheme")
	text(r.Scheme)
	if r.Chain != nil {
		return r.appendChainView(b), nil
	}
	member("match")
	orNull(r.Match, r.Match == "-")
	member("seal")
	if r.Seal == nil {
		orNull("", true)
	} else {
		text(r.Seal.String())
	}
	if layouts[r.Scheme].clients {
		member("clients")
		for i, c := range r.Clients {
			b = append(b, "[,"[min(i, 1)])
			text(string(c))
		}
		b = append(b, ']')
	}
	member("entries")
	b = append(b, '[')
	for i, e := range r.Entries {
		if i > 0 {
			b = append(b, ',')
		}
		if e.Game {
			b = append(b, `{"type":"game"}`...)
			continue
		}
		b = strconv.AppendUint(append(b, `{"type":"roll","roll":`...), e.Number, 10)
		b = append(b, `,"dice":`...)
		for k, d := range e.Dice {
			b = strconv.AppendUint(append(b, "[,"[min(k, 1)]), uint64(d), 10)
		}
		b = append(b, "]}"...)
	}
	b = append(b, ']')
	member("seed")
	orNull(seed.Hex(r.Server.Reveal()), r.Server.IsZero())
	member("rolls")
	b = strconv.AppendUint(b, r.Count, 10)
	member("state")
	text(string(r.State))
	member("sum")
	text(seed.Hex(r.Sum[:]))
	return append(b, '}'), nil
}

// ParseView reads a view of a record, with its members in any order, with
// blanks and with escapes. What could have two meanings is refused: unknown,
// repeated and missing members, numbers that are not plain decimals, text that
// is not UTF-8, halves of surrogate pairs. The error is a [*SyntaxError] with the
// line and column in the view.
func ParseView(view []byte) (*Record, error) {
	if len(view) > maxView {
		return nil, &SyntaxError{Code: TooLong, Words: "the view is larger than 32 MiB"}
	}
	v := &viewer{text: string(view)}
	r := v.record()
	if v.err != nil {
		return nil, v.err
	}
	if _, err := r.MarshalText(); err != nil {
		return nil, &SyntaxError{Code: Syntax, Words: strings.TrimPrefix(err.Error(), "record: ")}
	}
	return r, nil
}

// A viewer reads JSON of one shape. After the first fault it reads no more, and
// its methods give zero values.
type viewer struct {
	text string
	at   int
	err  *SyntaxError
}

func (v *viewer) record() *Record {
	if !utf8.ValidString(v.text) {
		v.fail("the view is not UTF-8")
	}
	r := &Record{}
	chain := &chainView{}
	seen := v.object(func(name string) bool {
		if v.chainMember(chain, name) {
			return true
		}
		switch name {
		case "record":
			if n := v.number(maxNumber); n != 1 {
				v.failAs(Version, "this program does not read version "+strconv.FormatUint(n, 10)+" of records")
			}
		case "scheme":
			r.Scheme = v.string()
			if _, ok := layouts[r.Scheme]; !ok && r.Scheme != veridice1 {
				if why := schemeName(r.Scheme); why != "" {
					v.fail(why)
				}
				v.failAs(UnknownName, "this program does not read records of scheme "+r.Scheme)
			}
		case "match":
			if r.Match = "-"; !v.null() {
				if r.Match = v.string(); r.Match == "-" {
					v.fail("a match without a name is null")
				}
			}
		case "seal":
			if !v.null() {
				seal := seed.Seal(v.digest())
				r.Seal = &seal
			}
		case "clients":
			v.array(func() { r.Clients = append(r.Clients, seed.Client(v.string())) })
		case "entries":
			v.array(func() { r.Entries = append(r.Entries, v.entry()) })
		case "seed":
			if !v.null() {
				r.Server = v.server()
			}
		case "rolls":
			r.Count = v.number(MaxRolls)
		case "state":
			r.State = State(v.string())
		case "sum":
			r.Sum = v.digest()
		default:
			return false
		}
		return true
	})
	want := []string{"record", "scheme", "match", "seal", "entries", "seed", "rolls", "state", "sum"}
	if r.Scheme == veridice1 {
		want = slices.Concat(chainMembers, []string{"record", "scheme", "match", "entries", "rolls", "state", "sum"})
		v.chain(r, chain)
	}
	if layouts[r.Scheme].clients {
		want = append(want, "clients")
	}
	v.members(seen, want)
	v.space()
	if v.at < len(v.text) {
		v.fail("there is text after the view")
	}
	return r
}

func (v *viewer) entry() Entry {
	e := Entry{}
	kind := ""
	seen := v.object(func(name string) bool {
		switch name {
		case "type":
			kind = v.string()
		case "roll":
			e.Number = v.number(MaxRolls)
		case "dice":
			e.Dice = v.numbers()
		case "actor", "role":
			e.Role = uint8(v.number(maxSeats))
		case "faces":
			e.Faces = v.numbers()
		case "move":
			e.Move = v.string()
		default:
			return false
		}
		return true
	})
	switch e.Game = kind == "game"; kind {
	case "game":
		v.members(seen, []string{"type"})
	case "roll":
		want := []string{"type", "roll", "dice"}
		if slices.Contains(seen, "actor") {
			want = append(want, "actor", "faces")
		}
		v.members(seen, want)
	case "move":
		v.members(seen, []string{"type", "role", "move"})
	default:
		v.fail("the type of an entry is not roll, move or game")
	}
	return e
}

// members fails if the names seen are not the wanted ones.
func (v *viewer) members(seen, want []string) {
	for _, name := range want {
		if !slices.Contains(seen, name) {
			v.fail("member " + name + " is missing")
		}
	}
	if len(seen) > len(want) {
		v.fail("there is a member that does not belong here")
	}
}

// object reads an object, calls member for each name, which reads the value or
// gives false if it knows no such name, and gives the names.
func (v *viewer) object(member func(name string) bool) (names []string) {
	v.want('{')
	for first := true; v.err == nil; first = false {
		if first && v.take('}') {
			return names
		}
		name := v.string()
		if slices.Contains(names, name) {
			v.fail("a member is there twice")
		}
		names = append(names, name)
		v.want(':')
		if v.err == nil && !member(name) {
			v.fail("there is an unknown member")
		}
		if v.take('}') {
			return names
		}
		v.want(',')
	}
	return names
}

func (v *viewer) array(item func()) {
	v.want('[')
	if v.take(']') {
		return
	}
	for v.err == nil {
		item()
		if v.take(']') {
			return
		}
		v.want(',')
	}
}

func (v *viewer) null() bool {
	v.space()
	if v.err != nil || !strings.HasPrefix(v.text[v.at:], "null") {
		return false
	}
	v.at += len("null")
	return true
}

// number reads a decimal without sign, fraction, exponent or leading zero.
func (v *viewer) number(most uint64) uint64 {
	v.space()
	end := v.at
	for end < len(v.text) && strings.IndexByte("0123456789+-.eE", v.text[end]) >= 0 {
		end++
	}
	n, why := decimal(v.text[v.at:end], most)
	if why != "" {
		v.fail("the number " + why)
		return 0
	}
	if v.err == nil {
		v.at = end
	}
	return n
}

// numbers reads a list of dice or of their faces.
func (v *viewer) numbers() (list []uint32) {
	v.array(func() { list = append(list, uint32(v.number(1<<32-1))) })
	return list
}

func (v *viewer) digest() [32]byte {
	s, err := seed.ParseSeal(v.string())
	if err != nil {
		v.fail("the value is not 64 lower-case hex digits")
	}
	return s
}

func (v *viewer) server() seed.Server {
	b, ok := seed.ParseHex(v.string())
	s, err := seed.NewServer(b)
	if !ok || err != nil {
		v.fail("the server seed is not hex of a seed")
	}
	return s
}

func (v *viewer) string() string {
	v.want('"')
	var b []byte
	for v.err == nil {
		if v.at == len(v.text) {
			v.fail("a string is not ended")
			break
		}
		c := v.text[v.at]
		switch {
		case c == '"':
			v.at++
			return string(b)
		case c < ' ':
			v.fail("there is a control character in a string")
		case c == '\\':
			b = utf8.AppendRune(b, v.escape())
		default:
			b = append(b, c)
			v.at++
		}
	}
	return ""
}

func (v *viewer) escape() rune {
	rest := v.text[v.at+1:]
	if rest != "" {
		if i := strings.IndexByte(`"\/bfnrt`, rest[0]); i >= 0 {
			v.at += 2
			return rune("\"\\/\b\f\n\r\t"[i])
		}
	}
	if len(rest) > 4 && rest[0] == 'u' {
		b, ok := seed.ParseHex(strings.ToLower(rest[1:5]))
		// No value of a record has a character that needs two of these.
		if ok && utf8.ValidRune(rune(b[0])<<8|rune(b[1])) {
			v.at += 6
			return rune(b[0])<<8 | rune(b[1])
		}
	}
	v.fail("there is an escape that is none, or half of a surrogate pair")
	return 0
}

func (v *viewer) space() {
	for v.at < len(v.text) && strings.IndexByte(" \t\r\n", v.text[v.at]) >= 0 {
		v.at++
	}
}

// take skips blanks and then a character, if it is there.
func (v *viewer) take(c byte) bool {
	v.space()
	if v.err != nil || v.at == len(v.text) || v.text[v.at] != c {
		return false
	}
	v.at++
	return true
}

func (v *viewer) want(c byte) {
	if !v.take(c) {
		v.fail("there is no " + seed.CodePoint(rune(c)) + " here")
	}
}

func (v *viewer) fail(words string) { v.failAs(Syntax, words) }

// failAs notes the first fault.
func (v *viewer) failAs(code Code, words string) {
	if v.err != nil {
		return
	}
	v.err = &SyntaxError{Code: code, Words: words}
	if code == Syntax {
		before := v.text[:v.at]
		v.err.Line = strings.Count(before, "\n") + 1
		v.err.Column = utf8.RuneCountInString(before[strings.LastIndexByte(before, '\n')+1:]) + 1
	}
}
