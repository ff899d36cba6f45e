package record

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"veridice/seed"
)

const veridice1 = "veridice/1"

// Limits of the lines of veridice/1 (docs/spec/record.md).
const (
	maxSeats = 16
	maxLinks = 8192
	maxDice  = 1024
	maxMove  = 1000
)

// A Chain holds the lines that only a record of veridice/1 has.
type Chain struct {
	ID      [16]byte // of the match
	Seq     uint64
	Rules   [32]byte
	Links   uint32 // length of the chains
	Roles   []Role // the server, then the seats in playing order
	Expires uint64
	Pending *Pending // a roll that the server signed and that is not complete
	Last    []Last   // one for each role
	Head    Head
	Silent  int // of an aborted match: the role that did not go on, or -1
}

// A Role is a party's anchor and its Ed25519 key, as the opening shows them.
type Role struct{ Anchor, Key [32]byte }

// A Pending is a roll that was asked for and not completed.
type Pending struct {
	Number uint64
	Actor  uint8
	Faces  []uint32
}

// A Last is how many of a role's links have been spent, and the last of them;
// index 0 is the anchor.
type Last struct {
	Index uint32
	Link  [32]byte
}

// Opening is the text of the opening that the record continues. Its leaf hash
// names the match in the log.
func (c *Chain) Opening() []byte {
	return append([]byte("veridice/1 open\n"), c.lines()...)
}

// OpeningHash is the leaf hash of the opening.
func (c *Chain) OpeningHash() [32]byte { return seed.LeafHash(c.Opening()) }

// lines are those of the opening without its first.
func (c *Chain) lines() []byte {
	var b bytes.Buffer
	line(&b, "match", seed.Hex(c.ID[:]))
	line(&b, "seq", strconv.FormatUint(c.Seq, 10))
	line(&b, "rules", seed.Hex(c.Rules[:]))
	line(&b, "links", strconv.FormatUint(uint64(c.Links), 10))
	for i, role := range c.Roles {
		line(&b, "role", strconv.Itoa(i), seed.Hex(role.Anchor[:]), seed.Hex(role.Key[:]))
	}
	line(&b, "expires", strconv.FormatUint(c.Expires, 10))
	return b.Bytes()
}

func line(b *bytes.Buffer, fields ...string) {
	b.WriteString(strings.Join(fields, " "))
	b.WriteByte('\n')
}

// chainBody writes the lines of a record of veridice/1 after the first two and
// before the sum.
func (r *Record) chainBody(b *bytes.Buffer) {
	c := r.Chain
	b.Write(c.lines())
	for _, e := range r.Entries {
		if e.Move != "" {
			line(b, "move", strconv.Itoa(int(e.Role)), e.Move)
		} else {
			line(b, "roll", strconv.FormatUint(e.Number, 10), strconv.Itoa(int(e.Role)), list(e.Faces), list(e.Dice))
		}
	}
	if p := c.Pending; p != nil {
		line(b, "pending", strconv.FormatUint(p.Number, 10), strconv.Itoa(int(p.Actor)), list(p.Faces))
	}
	for i, l := range c.Last {
		line(b, "last", strconv.Itoa(i), strconv.FormatUint(uint64(l.Index), 10), seed.Hex(l.Link[:]))
	}
	line(b, "rolls", strconv.FormatUint(r.Count, 10))
	line(b, "head", c.Head.String())
	line(b, "state", stateWords(r.State, c.Silent))
}

func list(numbers []uint32) string {
	var b []byte
	for i, n := range numbers {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendUint(b, uint64(n), 10)
	}
	return string(b)
}

// chain reads the lines after the first two.
func (p *parser) chain(r *Record) error {
	r.Chain = &Chain{Silent: -1}
	for _, step := range []func(*Record) error{p.opening, p.chainEntries, p.tail} {
		if err := step(r); err != nil {
			return err
		}
	}
	return p.sum(r, layout{})
}

// opening leaves the line after "expires" as the current one.
func (p *parser) opening(r *Record) error {
	c := r.Chain
	if err := p.next(); err != nil {
		return err
	}
	f := p.fields("match", 1)
	id := f.hex(16)
	copy(c.ID[:], id)
	r.Match = seed.Hex(id)
	if err := f.end(p); err != nil {
		return err
	}
	for _, one := range []struct {
		name string
		read func(*fields)
	}{
		{"seq", func(f *fields) { c.Seq = f.number(1, maxNumber) }},
		{"rules", func(f *fields) { copy(c.Rules[:], f.hex(32)) }},
		{"links", func(f *fields) { c.Links = uint32(f.number(1, maxLinks)) }},
	} {
		f := p.fields(one.name, 1)
		one.read(f)
		if err := f.end(p); err != nil {
			return err
		}
	}
	for len(c.Roles) < 2 || strings.HasPrefix(p.text, "role ") {
		f := p.fields("role", 3)
		f.number(uint64(len(c.Roles)), uint64(len(c.Roles)))
		if len(c.Roles) > maxSeats {
			f.fail("there are more than 16 seats")
		}
		var role Role
		f.role(&role)
		if err := f.end(p); err != nil {
			return err
		}
		c.Roles = append(c.Roles, role)
	}
	f = p.fields("expires", 1)
	c.Expires = f.number(0, maxNumber)
	if p.alone {
		return f.err
	}
	return f.end(p)
}

// chainEntries leaves the line after the last entry as the current one.
func (p *parser) chainEntries(r *Record) error {
	seats := uint64(len(r.Chain.Roles) - 1)
	rolls := 0
	for {
		var e Entry
		var f *fields
		switch {
		case strings.HasPrefix(p.text, "roll "):
			if rolls++; rolls > MaxRolls {
				return p.fail(1, "there are more than 100000 rolls")
			}
			f = p.fields("roll", 4)
			e.Number = f.number(1, MaxRolls)
			e.Role = uint8(f.number(0, seats))
			e.Faces = f.list(maxDice, 2)
			e.Dice = f.list(maxDice, 1)
			f.fit(e.Faces, e.Dice)
		case strings.HasPrefix(p.text, "move "):
			f = p.fields("move", 2)
			e.Role = uint8(f.number(0, seats))
			e.Move = f.move()
		default:
			return nil
		}
		if err := f.end(p); err != nil {
			return err
		}
		r.Entries = append(r.Entries, e)
	}
}

// tail reads from the current line to the state and leaves the sum line as the next.
func (p *parser) tail(r *Record) error {
	c := r.Chain
	if strings.HasPrefix(p.text, "pending ") {
		f := p.fields("pending", 3)
		c.Pending = &Pending{
			Number: f.number(1, MaxRolls), Actor: uint8(f.number(0, uint64(len(c.Roles)-1))), Faces: f.list(maxDice, 2),
		}
		if err := f.end(p); err != nil {
			return err
		}
	}
	for i := range c.Roles {
		if i == 0 && c.Pending == nil && !strings.HasPrefix(p.text, "last ") {
			return p.expected("roll, move, pending or last")
		}
		f := p.fields("last", 3)
		f.number(uint64(i), uint64(i))
		l := Last{Index: uint32(f.number(0, uint64(c.Links)))}
		copy(l.Link[:], f.hex(32))
		if err := f.end(p); err != nil {
			return err
		}
		c.Last = append(c.Last, l)
	}
	f := p.fields("rolls", 1)
	r.Count = f.number(0, MaxRolls)
	if err := f.end(p); err != nil {
		return err
	}
	f = p.fields("head", 1)
	copy(c.Head[:], f.hex(32))
	if err := f.end(p); err != nil {
		return err
	}
	state, err := p.value("state")
	if err != nil {
		return err
	}
	silent, aborted := strings.CutPrefix(state, "aborted ")
	switch {
	case state == string(Running), state == string(Finished) && c.Pending == nil:
		r.State = State(state)
	case aborted && silent == "-":
		r.State = Aborted
	case aborted:
		role, why := decimal(silent, uint64(len(c.Roles)-1))
		if why != "" {
			return p.fault("state aborted", silent, "role "+why)
		}
		r.State, c.Silent = Aborted, int(role)
	default:
		return p.fault("state", state, "state is not running, finished (without a pending roll) or aborted with a role or -")
	}
	return nil
}

// fields reads the values of one line, separated by single blanks, from the left.
// After the first fault it gives zero values.
type fields struct {
	name string
	text string
	at   int // where the current value begins
	left int // values to come, the current one included
	err  error
	p    *parser
}

// fields takes the current line, which must have this name. The last of its
// values is the rest of the line.
func (p *parser) fields(name string, values int) *fields {
	f := &fields{name: name, text: p.text, at: len(name) + 1, left: values, p: p}
	if !strings.HasPrefix(p.text, name+" ") {
		f.err = p.expected(name)
	}
	return f
}

func (f *fields) fail(words string) {
	if f.err == nil {
		f.err = f.p.fault(f.text[:max(f.at-1, 0)], f.text[f.at:], words)
	}
}

// value gives the next value; at then stands behind it and its blank.
func (f *fields) value() string {
	if f.err != nil {
		return ""
	}
	rest := f.text[f.at:]
	value, ok := rest, true
	if f.left > 1 {
		value, _, ok = strings.Cut(rest, " ")
	}
	f.left--
	if !ok || value == "" {
		f.fail(f.name + " has too few values")
		return ""
	}
	return value
}

func (f *fields) take(value string) { f.at = min(f.at+len(value)+1, len(f.text)) }

func (f *fields) number(least, most uint64) uint64 {
	value := f.value()
	if f.err != nil {
		return 0
	}
	n, why := decimal(value, most)
	if why == "" && n < least {
		why = "is below " + strconv.FormatUint(least, 10)
	}
	if why != "" {
		f.fail("number " + why)
		return 0
	}
	f.take(value)
	return n
}

func (f *fields) hex(length int) []byte {
	value := f.value()
	if f.err != nil {
		return make([]byte, length)
	}
	b, ok := seed.ParseHex(value)
	if !ok || len(b) != length {
		f.fail(strconv.Itoa(2*length) + " lower-case hex digits are wanted")
		return make([]byte, length)
	}
	f.take(value)
	return b
}

// list reads up to most numbers of at least least, joined by commas.
func (f *fields) list(most int, least uint64) []uint32 {
	value := f.value()
	if f.err != nil {
		return nil
	}
	if strings.Count(value, ",") >= most {
		f.fail("there are more than " + strconv.Itoa(most) + " dice")
		return nil
	}
	var numbers []uint32
	for text := range strings.SplitSeq(value, ",") {
		n, why := decimal(text, 1<<32-1)
		if why == "" && n < least {
			why = "is below " + strconv.FormatUint(least, 10)
		}
		if why != "" {
			f.fail("number in a list " + why)
			return nil
		}
		numbers = append(numbers, uint32(n))
	}
	f.take(value)
	return numbers
}

func (f *fields) fit(faces, dice []uint32) {
	if f.err != nil {
		return
	}
	if len(faces) != len(dice) {
		f.at = 0
		f.fail("there are not as many dice as faces")
		return
	}
	for i := range dice {
		if dice[i] > faces[i] {
			f.at = 0
			f.fail("a die shows more than its faces")
			return
		}
	}
}

func (f *fields) move() string {
	value := f.value()
	if f.err == nil {
		if why := badMove(value); why != "" {
			f.fail(why)
			return ""
		}
		f.take(value)
	}
	return strings.Clone(value)
}

// badMove says what is wrong with the text of a move, or nothing.
func badMove(text string) string {
	if text == "" || len(text) > maxMove {
		return "a move is not 1 to 1000 characters"
	}
	for i := range len(text) {
		if text[i] < ' ' || text[i] > '~' {
			return "a move has a character that is not printable ASCII"
		}
	}
	if text[0] == ' ' || text[len(text)-1] == ' ' {
		return "a move begins or ends with a blank"
	}
	return ""
}

// end is the fault of the line, if there is one, else it goes to the next line.
func (f *fields) end(p *parser) error {
	if f.err != nil {
		return f.err
	}
	return p.next()
}

// checkChain returns an error if no text can hold the lines of veridice/1.
func (r *Record) checkChain() error {
	// What a field holds must stay in its line; else one line could tell of two.
	for _, e := range r.Entries {
		if e.Move == "" {
			continue
		}
		if why := badMove(e.Move); why != "" {
			return &SyntaxError{Code: Syntax, Words: why}
		}
		if e.Game || e.Number != 0 || e.Faces != nil || e.Dice != nil {
			return &SyntaxError{Code: Syntax, Words: "an entry is both a move and something else"}
		}
	}
	if !slices.Contains([]State{Running, Finished, Aborted}, r.State) {
		return &SyntaxError{Code: Syntax, Words: "state is not running, finished or aborted"}
	}
	if len(r.Clients) > 0 || r.Seal != nil || !r.Server.IsZero() {
		return &SyntaxError{Code: Syntax, Words: "a record of " + veridice1 + " has no seeds and no seal"}
	}
	// A record of this scheme is made by few programs and has many limits: writing
	// it and reading it back holds the others, and states each once.
	text := append(r.body(), "sum "+seed.Hex(r.Sum[:])+"\n"...)
	back, err := Parse(text)
	if err != nil {
		return err
	}
	if !slices.Equal(back.body(), r.body()) {
		return &SyntaxError{Code: Syntax, Words: "a field holds what its line cannot"}
	}
	return nil
}
