package record

import (
	"bytes"
	"strconv"
	"strings"

	"veridice/seed"
)

// The messages of veridice/1 (docs/spec/veridice-1.md, "Messages"): short
// texts of which each has exactly one encoding, so that a signature on one says one
// thing. A Parse function takes what the Marshal method of its type writes and
// refuses everything else with a [*SyntaxError].

// An Offer is what the server proposes to the phones at a table: its own anchor and
// the rules, before anybody joins.
type Offer struct {
	Match   [16]byte
	Seq     uint64   // number of the opening among all of the server key, from 1
	Rules   [32]byte // SHA-256 of the rules text
	Links   uint32   // length of each chain
	Seats   int      // 1 to 16
	Server  Role
	Expires uint64 // seconds since 1970
}

// A Join is a seat's answer to an offer: its anchor and key.
type Join struct {
	Match [16]byte
	Offer [32]byte // SHA-256 of the offer's text
	Seat  uint8    // 1 to 16
	Role  Role
}

// A Ready says that a seat plays the match of this opening and no other.
type Ready struct {
	Match   [16]byte
	Opening [32]byte // its leaf hash
	Seat    uint8
}

// An Ask is the text of a roll that every party signs before its link for it is used.
type Ask struct {
	Match  [16]byte
	Number uint64
	Actor  uint8 // the role that rolls
	Faces  []uint32
	Head   Head // before the roll
}

// A Receipt is the head after a roll, which the server signs.
type Receipt struct {
	Match  [16]byte
	Number uint64
	Head   Head
}

// A Step is a move of a role, at the place that Head fixes.
type Step struct {
	Match [16]byte
	Role  uint8
	Head  Head // before the move
	Move  string
}

// A Closing is the entry of the log that ends a match.
type Closing struct {
	Match   [16]byte
	Index   uint64   // of the opening in the log
	Opening [32]byte // its leaf hash
	State   State    // Finished or Aborted
	Silent  int      // of an aborted match: the role that did not go on, or -1
	Rolls   uint64
	Head    Head
	Pending *PendingContext
	Record  [32]byte // the record's sum
}

// A PendingContext names a roll that was signed by the server and never completed.
type PendingContext struct {
	Number  uint64
	Context [32]byte
}

func first(name string) *bytes.Buffer { return bytes.NewBufferString("veridice/1 " + name + "\n") }

func number(n uint64) string { return strconv.FormatUint(n, 10) }

// Marshal writes the offer.
func (o *Offer) Marshal() []byte {
	b := first("offer")
	line(b, "match", seed.Hex(o.Match[:]))
	line(b, "seq", number(o.Seq))
	line(b, "rules", seed.Hex(o.Rules[:]))
	line(b, "links", number(uint64(o.Links)))
	line(b, "seats", strconv.Itoa(o.Seats))
	line(b, "role", "0", seed.Hex(o.Server.Anchor[:]), seed.Hex(o.Server.Key[:]))
	line(b, "expires", number(o.Expires))
	return b.Bytes()
}

// Marshal writes the join.
func (j *Join) Marshal() []byte {
	b := first("join")
	line(b, "match", seed.Hex(j.Match[:]))
	line(b, "offer", seed.Hex(j.Offer[:]))
	line(b, "role", number(uint64(j.Seat)), seed.Hex(j.Role.Anchor[:]), seed.Hex(j.Role.Key[:]))
	return b.Bytes()
}

// Marshal writes the ready.
func (r *Ready) Marshal() []byte {
	b := first("ready")
	line(b, "match", seed.Hex(r.Match[:]))
	line(b, "leaf", seed.Hex(r.Opening[:]))
	line(b, "role", number(uint64(r.Seat)))
	return b.Bytes()
}

// Marshal writes the ROLL text.
func (a *Ask) Marshal() []byte {
	b := first("roll")
	line(b, "match", seed.Hex(a.Match[:]))
	line(b, "roll", number(a.Number))
	line(b, "actor", number(uint64(a.Actor)))
	line(b, "faces", list(a.Faces))
	line(b, "head", a.Head.String())
	return b.Bytes()
}

// Marshal writes the HEAD text.
func (r *Receipt) Marshal() []byte {
	b := first("head")
	line(b, "match", seed.Hex(r.Match[:]))
	line(b, "roll", number(r.Number))
	line(b, "head", r.Head.String())
	return b.Bytes()
}

// Marshal writes the move.
func (s *Step) Marshal() []byte {
	b := first("move")
	line(b, "match", seed.Hex(s.Match[:]))
	line(b, "role", number(uint64(s.Role)))
	line(b, "head", s.Head.String())
	line(b, "move", s.Move)
	return b.Bytes()
}

// Marshal writes the closing.
func (c *Closing) Marshal() []byte {
	b := first("close")
	line(b, "match", seed.Hex(c.Match[:]))
	line(b, "open", number(c.Index), seed.Hex(c.Opening[:]))
	line(b, "state", stateWords(c.State, c.Silent))
	line(b, "rolls", number(c.Rolls))
	line(b, "head", c.Head.String())
	if c.Pending == nil {
		line(b, "pending", "-")
	} else {
		line(b, "pending", number(c.Pending.Number), seed.Hex(c.Pending.Context[:]))
	}
	line(b, "record", seed.Hex(c.Record[:]))
	return b.Bytes()
}

// stateWords writes a state with the silent role of an abort.
func stateWords(s State, silent int) string {
	switch {
	case s != Aborted:
		return string(s)
	case silent < 0:
		return "aborted -"
	}
	return "aborted " + strconv.Itoa(silent)
}

// A reading goes through the lines of a message; the first fault ends it.
type reading struct {
	p   *parser
	err error
}

// message reads the first line of a message and begins with the second.
func message(text []byte, name, last string) *reading {
	r := &reading{p: &parser{rest: string(text), last: last}}
	if len(text) > MaxSize {
		r.err = &SyntaxError{Code: TooLong, Words: "the message is larger than 16 MiB"}
	} else if r.err = r.p.next(); r.err == nil && r.p.text != "veridice/1 "+name {
		r.err = r.p.expected("veridice/1 " + name)
	}
	return r
}

// line reads the next line: a name and this many values.
func (r *reading) line(name string, values int, read func(*fields)) {
	if r.err != nil {
		return
	}
	if r.err = r.p.next(); r.err == nil {
		f := r.p.fields(name, values)
		read(f)
		r.err = f.err
	}
}

func (r *reading) match(to *[16]byte) {
	r.line("match", 1, func(f *fields) { copy(to[:], f.hex(len(to))) })
}

func (r *reading) head(to *Head) {
	r.line("head", 1, func(f *fields) { copy(to[:], f.hex(len(to))) })
}

// end refuses what follows.
func (r *reading) end() error {
	if r.err == nil && r.p.rest != "" {
		r.err = &SyntaxError{Code: Syntax, Line: r.p.line + 1, Column: 1, Words: "there is text after the " + r.p.last + " line"}
	}
	return r.err
}

// whole gives a message that was read to its end, and nothing of one that was not.
func whole[T any](m *T, err error) (*T, error) {
	if err != nil {
		return nil, err
	}
	return m, nil
}

func (f *fields) role(to *Role) {
	copy(to.Anchor[:], f.hex(32))
	copy(to.Key[:], f.hex(32))
}

// ParseOffer reads an offer.
func ParseOffer(text []byte) (*Offer, error) {
	o := &Offer{}
	r := message(text, "offer", "expires")
	r.match(&o.Match)
	r.line("seq", 1, func(f *fields) { o.Seq = f.number(1, maxNumber) })
	r.line("rules", 1, func(f *fields) { copy(o.Rules[:], f.hex(32)) })
	r.line("links", 1, func(f *fields) { o.Links = uint32(f.number(1, maxLinks)) })
	r.line("seats", 1, func(f *fields) { o.Seats = int(f.number(1, maxSeats)) })
	r.line("role", 3, func(f *fields) {
		f.number(0, 0)
		f.role(&o.Server)
	})
	r.line("expires", 1, func(f *fields) { o.Expires = f.number(0, maxNumber) })
	return whole(o, r.end())
}

// ParseJoin reads a join.
func ParseJoin(text []byte) (*Join, error) {
	j := &Join{}
	r := message(text, "join", "role")
	r.match(&j.Match)
	r.line("offer", 1, func(f *fields) { copy(j.Offer[:], f.hex(32)) })
	r.line("role", 3, func(f *fields) {
		j.Seat = uint8(f.number(1, maxSeats))
		f.role(&j.Role)
	})
	return whole(j, r.end())
}

// ParseOpening reads an opening. Of the chain it gives only what an opening has.
func ParseOpening(text []byte) (*Chain, error) {
	r := message(text, "open", "expires")
	if r.err != nil {
		return nil, r.err
	}
	rec := &Record{Chain: &Chain{Silent: -1}}
	// The record goes on after these lines, an opening does not.
	r.p.alone = true
	if r.err = r.p.opening(rec); r.err != nil {
		return nil, r.err
	}
	return whole(rec.Chain, r.end())
}

// ParseReady reads a ready.
func ParseReady(text []byte) (*Ready, error) {
	m := &Ready{}
	r := message(text, "ready", "role")
	r.match(&m.Match)
	r.line("leaf", 1, func(f *fields) { copy(m.Opening[:], f.hex(32)) })
	r.line("role", 1, func(f *fields) { m.Seat = uint8(f.number(1, maxSeats)) })
	return whole(m, r.end())
}

// ParseAsk reads a ROLL text.
func ParseAsk(text []byte) (*Ask, error) {
	a := &Ask{}
	r := message(text, "roll", "head")
	r.match(&a.Match)
	r.line("roll", 1, func(f *fields) { a.Number = f.number(1, MaxRolls) })
	r.line("actor", 1, func(f *fields) { a.Actor = uint8(f.number(0, maxSeats)) })
	r.line("faces", 1, func(f *fields) { a.Faces = f.list(maxDice, 2) })
	r.head(&a.Head)
	return whole(a, r.end())
}

// ParseReceipt reads a HEAD text.
func ParseReceipt(text []byte) (*Receipt, error) {
	m := &Receipt{}
	r := message(text, "head", "head")
	r.match(&m.Match)
	r.line("roll", 1, func(f *fields) { m.Number = f.number(1, MaxRolls) })
	r.head(&m.Head)
	return whole(m, r.end())
}

// ParseStep reads a move.
func ParseStep(text []byte) (*Step, error) {
	m := &Step{}
	r := message(text, "move", "move")
	r.match(&m.Match)
	r.line("role", 1, func(f *fields) { m.Role = uint8(f.number(0, maxSeats)) })
	r.head(&m.Head)
	r.line("move", 1, func(f *fields) { m.Move = f.move() })
	return whole(m, r.end())
}

// ParseClosing reads a closing.
func ParseClosing(text []byte) (*Closing, error) {
	c := &Closing{Silent: -1}
	r := message(text, "close", "record")
	r.match(&c.Match)
	r.line("open", 2, func(f *fields) {
		c.Index = f.number(0, maxNumber)
		copy(c.Opening[:], f.hex(32))
	})
	r.line("state", 1, func(f *fields) {
		value := f.value()
		silent, aborted := strings.CutPrefix(value, "aborted ")
		role, why := decimal(silent, maxSeats)
		switch {
		case value == string(Finished):
			c.State = Finished
		case aborted && (silent == "-" || why == ""):
			c.State = Aborted
			if silent != "-" {
				c.Silent = int(role)
			}
		default:
			f.fail("state is not finished, or aborted with a role or -")
		}
	})
	r.line("rolls", 1, func(f *fields) { c.Rolls = f.number(0, MaxRolls) })
	r.head(&c.Head)
	if r.err == nil && strings.HasPrefix(r.p.rest, "pending -\n") {
		r.err = r.p.next()
	} else {
		r.line("pending", 2, func(f *fields) {
			c.Pending = &PendingContext{Number: f.number(1, MaxRolls)}
			copy(c.Pending.Context[:], f.hex(32))
		})
	}
	r.line("record", 1, func(f *fields) { copy(c.Record[:], f.hex(32)) })
	return whole(c, r.end())
}
