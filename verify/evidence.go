package verify

import (
	"bytes"
	"strconv"

	"veridice/record"
	"veridice/seed"
)

// Evidence compares two notes that were signed under one key, in either order. A
// code says what they prove, at the roll in place; "" that they prove nothing
// (docs/spec/veridice-1.md, "Evidence").
func Evidence(a, b []byte, key [32]byte) (record.Code, Place) { return EvidenceUnder(a, b, key, nil) }

// EvidenceUnder is [Evidence] with a policy: beside a HEAD note a proof file counts
// as a signed record if its closing has a receipt that holds.
func EvidenceUnder(a, b []byte, key [32]byte, policy Policy) (record.Code, Place) {
	x, okX := readEvidence(a, key, policy)
	y, okY := readEvidence(b, key, policy)
	if !okX || !okY || x.match != y.match || (x.closed || y.closed) && x.kind == y.kind {
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
	number int // of the roll, or how many a record has
	head   record.Head
	heads  []record.Head // of a record, after each roll
	over   bool          // a record that is not running
	closed bool          // a record for which its closing in the log stands, not a signature
}

func readEvidence(text []byte, key [32]byte, policy Policy) (evidence, bool) {
	p, err := record.ParseProof(text)
	if err != nil {
		return readNote(text, key)
	}
	if e, ok := readNote(p.Part(record.PartRecord), key); ok {
		return e, true
	}
	return readClosed(p, key, policy)
}

// readNote takes a note of whichever kind, and no proof file: one in another has no end.
func readNote(text []byte, key [32]byte) (evidence, bool) {
	note, err := record.ParseNote(text)
	if err != nil {
		return evidence{}, false
	}
	e := evidence{text: note.Text}
	if h, ok := parseHead(note.Text); ok {
		e.kind, e.match, e.number, e.head = "head", h.match, h.number, h.head
	} else if a, err := record.ParseAsk(note.Text); err == nil {
		e.kind, e.match, e.number = "roll", seed.Hex(a.Match[:]), int(a.Number)
	} else if r, err := record.Parse(note.Text); err == nil && r.Chain != nil {
		var ok bool
		if e, ok = recordEvidence(r); !ok {
			return evidence{}, false
		}
		e.text = note.Text
	} else {
		return evidence{}, false
	}
	// Heads and records speak for the server; a roll text is anybody's word.
	roles := 1
	if e.kind == "roll" {
		roles = 17
	}
	for role := range roles {
		s := Signer{e.match + "/" + strconv.Itoa(role), key}
		if good, _ := s.signed(note.Text, note.Signatures); good {
			return e, true
		}
	}
	return evidence{}, false
}

// recordEvidence takes a record in which steps 4, 5 and 6 find no fault.
func recordEvidence(r *record.Record) (evidence, bool) {
	c := newChainCheck(r, Options{})
	for _, step := range []func() *fault{c.lastLinks, c.replay, c.tail} {
		if step() != nil {
			return evidence{}, false
		}
	}
	return evidence{
		kind: "record", match: r.Match, number: len(c.heads) - 1, heads: c.heads, over: r.State != record.Running,
	}, true
}

// readClosed takes the record of a proof file that is closed in the log.
func readClosed(p *record.Proof, key [32]byte, policy Policy) (evidence, bool) {
	r, err := record.Parse(p.Part(record.PartRecord))
	if err != nil || policy == nil || r.Chain == nil || r.Chain.Roles[0].Key != key {
		return evidence{}, false
	}
	c := &proofCheck{proof: p, policy: policy, record: r}
	for _, step := range []func() *fault{c.parts, c.policed, c.beginReceipt, c.endEntry} {
		if step() != nil {
			return evidence{}, false
		}
	}
	if c.end == nil {
		return evidence{}, false
	}
	e, ok := recordEvidence(r)
	e.closed = true
	return e, ok
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
	if x.number < y.number && x.over && x.heads[0] == y.heads[0] {
		return DroppedRoll, Place{Kind: "roll", Number: x.number + 1}
	}
	return "", Place{}
}
