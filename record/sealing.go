package record

import (
	"strconv"
	"strings"

	"veridice/seed"
)

// The entries of the log for matches of the classic schemes, which have no opening
// and no closing (docs/spec/log.md).

// A Sealing is the entry that dates the seal of a match, before its first roll.
type Sealing struct {
	Match   string // as in the record, never none
	Seq     uint64 // number among all openings and seals of the server key, from 1
	Scheme  string // tavli/1 or yayay/1
	Seal    seed.Seal
	Rules   [32]byte // SHA-256 of the rules text
	Expires uint64   // seconds since 1970
}

// An Unsealing is the entry that ends such a match.
type Unsealing struct {
	Match  string
	Index  uint64   // of the seal's entry in the log
	Sealed [32]byte // its leaf hash
	State  State    // Finished or Aborted
	Rolls  uint64
	Record [32]byte // the record's sum
}

// Marshal writes the entry.
func (s *Sealing) Marshal() []byte {
	b := first("seal")
	line(b, "match", s.Match)
	line(b, "seq", number(s.Seq))
	line(b, "scheme", s.Scheme)
	line(b, "seal", s.Seal.String())
	line(b, "rules", seed.Hex(s.Rules[:]))
	line(b, "expires", number(s.Expires))
	return b.Bytes()
}

// Marshal writes the entry.
func (u *Unsealing) Marshal() []byte {
	b := first("unseal")
	line(b, "match", u.Match)
	line(b, "sealed", number(u.Index), seed.Hex(u.Sealed[:]))
	line(b, "state", string(u.State))
	line(b, "rolls", number(u.Rolls))
	line(b, "record", seed.Hex(u.Record[:]))
	return b.Bytes()
}

// ParseSealing reads the entry of a seal.
func ParseSealing(text []byte) (*Sealing, error) {
	s := &Sealing{}
	r := message(text, "seal", "expires")
	r.line("match", 1, func(f *fields) { s.Match = f.matchName() })
	r.line("seq", 1, func(f *fields) { s.Seq = f.number(1, maxNumber) })
	r.line("scheme", 1, func(f *fields) {
		s.Scheme = f.value()
		if _, ok := layouts[s.Scheme]; !ok {
			f.fail("a seal is of tavli/1 or yayay/1")
		}
	})
	r.line("seal", 1, func(f *fields) { copy(s.Seal[:], f.hex(len(s.Seal))) })
	r.line("rules", 1, func(f *fields) { copy(s.Rules[:], f.hex(len(s.Rules))) })
	r.line("expires", 1, func(f *fields) { s.Expires = f.number(0, maxNumber) })
	return whole(s, r.end())
}

// ParseUnsealing reads the entry that ends such a match.
func ParseUnsealing(text []byte) (*Unsealing, error) {
	u := &Unsealing{}
	r := message(text, "unseal", "record")
	r.line("match", 1, func(f *fields) { u.Match = f.matchName() })
	r.line("sealed", 2, func(f *fields) {
		u.Index = f.number(0, maxNumber)
		copy(u.Sealed[:], f.hex(len(u.Sealed)))
	})
	r.line("state", 1, func(f *fields) {
		u.State = State(f.value())
		if u.State != Finished && u.State != Aborted {
			f.fail("state is not finished or aborted")
		}
	})
	r.line("rolls", 1, func(f *fields) { u.Rolls = f.number(0, MaxRolls) })
	r.line("record", 1, func(f *fields) { copy(u.Record[:], f.hex(len(u.Record))) })
	return whole(u, r.end())
}

// matchName reads the name of a match, which here is never none.
func (f *fields) matchName() string {
	value := f.value()
	if f.err != nil {
		return ""
	}
	if why := matchName(value); why != "" {
		f.fail(why)
	} else if value == "-" {
		f.fail("the match has no name")
	}
	return value
}

// MaxEntry is the size in bytes of the largest entry of a log.
const MaxEntry = 65535

// A LogEntry is an entry of a log, read. Exactly one of its fields is not nil.
type LogEntry struct {
	Open   *Chain
	Close  *Closing
	Seal   *Sealing
	Unseal *Unsealing
}

// ParseEntry reads an entry of a log, of whichever kind.
func ParseEntry(text []byte) (LogEntry, error) {
	if len(text) > MaxEntry {
		return LogEntry{}, &SyntaxError{Code: TooLong, Words: "the entry is larger than " + strconv.Itoa(MaxEntry) + " bytes"}
	}
	var e LogEntry
	var err error
	first, _, _ := strings.Cut(string(text), "\n")
	switch first {
	case "veridice/1 open":
		e.Open, err = ParseOpening(text)
	case "veridice/1 close":
		e.Close, err = ParseClosing(text)
	case "veridice/1 seal":
		e.Seal, err = ParseSealing(text)
	case "veridice/1 unseal":
		e.Unseal, err = ParseUnsealing(text)
	default:
		err = &SyntaxError{Code: Syntax, Line: 1, Column: 1, Words: "this is no opening, closing, seal or unsealing"}
	}
	if err != nil {
		return LogEntry{}, err
	}
	return e, nil
}
