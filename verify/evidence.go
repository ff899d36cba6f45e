package verify

import (
	"bytes"
	"strconv"

	"veridice/record"
	"veridice/seed"
)

// Codes of evidence: what two notes under one key prove against its owner.
const (
	TwoRolls    record.Code = "two-rolls"
	TwoHeads    record.Code = "two-heads"
	DroppedRoll record.Code = "dropped-roll"
)

// Evidence compares two notes that were signed under one key, in either order. A
// code says what they prove, at the roll in place; "" that they prove nothing
// (docs/spec/veridice-1.md, section 7).
func Evidence(a, b []byte, key [32]byte) (record.Code, Place) {
	x, okX := readEvidence(a, key)
	y, okY := readEvidence(b, key)
	if !okX || !okY || x.signer != y.signer || x.match != y.match {
		return "", Place{}
	}
	switch {
	case x.kind == "roll" && y.kind == "roll":
		if x.number == y.number && !bytes.Equal(x.text, y.text) {
			return TwoRolls, Place{Kind: "roll", Number: x.number}
		}
	case x.kind == "head" && y.kind == "head":
		if x.number == y.number && x.head != y.head {
			return TwoHeads, Place{Kind: "roll", Number: x.number}
		}
	case x.kind == "head" && y.kind == "record":
		return headAndRecord(x, y)
	case x.kind == "record" && y.kind == "head":
		return headAndRecord(y, x)
	case x.kind == "record" && y.kind == "record":
		return twoRecords(x, y)
	}
	return "", Place{}
}

// evidence is a note with a good signature under the key.
type evidence struct {
	kind   string // roll, head or record
	text   []byte
	match  string
	signer string // name of the signer
	number int    // of the roll, or how many a record has
	head   record.Head
	heads  []record.Head // of a record, after each roll
	over   bool          // a record that is not running
}

func readEvidence(text []byte, key [32]byte) (evidence, bool) {
	note, err := record.ParseNote(text)
	if err != nil {
		return evidence{}, false
	}
	e := evidence{text: note.Text}
	if h, ok := parseHead(note.Text); ok {
		e.kind, e.match, e.number, e.head = "head", h.match, h.number, h.head
	} else if match, number, ok := parseRoll(note.Text); ok {
		e.kind, e.match, e.number = "roll", match, number
	} else if r, err := record.Parse(note.Text); err == nil && r.Chain != nil {
		c := &chainCheck{check: *newCheck(r, Options{}), chain: r.Chain, signers: signers(r.Chain)}
		for _, step := range []func() *fault{c.rolesDiffer, c.lastLinks, c.replay, c.tail} {
			if step() != nil {
				return evidence{}, false
			}
		}
		e.kind, e.match, e.number, e.heads = "record", r.Match, len(c.heads)-1, c.heads
		e.over = r.State != record.Running
	} else {
		return evidence{}, false
	}
	// Heads and records speak for the server; a roll text is anybody's word.
	roles := 1
	if e.kind == "roll" {
		roles = 17
	}
	for role := range roles {
		s := signer{e.match + "/" + strconv.Itoa(role), key}
		if good, _ := s.signed(note.Text, note.Signatures); good {
			e.signer = s.name
			return e, true
		}
	}
	return evidence{}, false
}

func headAndRecord(h, r evidence) (record.Code, Place) {
	switch {
	case h.number <= r.number && r.heads[h.number] != h.head:
		return TwoHeads, Place{Kind: "roll", Number: h.number}
	case h.number > r.number && r.over:
		return DroppedRoll, Place{Kind: "roll", Number: r.number + 1}
	}
	return "", Place{}
}

func twoRecords(x, y evidence) (record.Code, Place) {
	if x.number > y.number {
		x, y = y, x
	}
	for n := 1; n <= x.number; n++ {
		if x.heads[n] != y.heads[n] {
			return TwoHeads, Place{Kind: "roll", Number: n}
		}
	}
	if x.number < y.number && x.over {
		return DroppedRoll, Place{Kind: "roll", Number: x.number + 1}
	}
	return "", Place{}
}

// parseRoll reads as much of a ROLL text as evidence needs: its match and number.
func parseRoll(text []byte) (match string, number int, ok bool) {
	lines := bytes.Split(text, []byte("\n"))
	if len(lines) != 7 || string(lines[0]) != "veridice/1 roll" || len(lines[6]) != 0 {
		return "", 0, false
	}
	for i, name := range []string{"match ", "roll ", "actor ", "faces ", "head "} {
		if !bytes.HasPrefix(lines[i+1], []byte(name)) {
			return "", 0, false
		}
	}
	match = string(lines[1][len("match "):])
	digits := string(lines[2][len("roll "):])
	id, okMatch := seed.ParseHex(match)
	number, err := strconv.Atoi(digits)
	if !okMatch || len(id) != 16 || err != nil || number < 1 || strconv.Itoa(number) != digits {
		return "", 0, false
	}
	return match, number, true
}
