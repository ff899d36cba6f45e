package verify

import (
	"bytes"
	"strconv"
	"strings"

	"veridice/draw"
	"veridice/record"
	"veridice/scheme"
	"veridice/seed"
)

// Evidence compares two notes that were signed under one key, in either order. A
// code says what they prove, at the roll in place; "" that they prove nothing
// (docs/spec/veridice-1.md, section 7).
func Evidence(a, b []byte, key [32]byte) (record.Code, Place) {
	x, okX := readEvidence(a, key)
	y, okY := readEvidence(b, key)
	if !okX || !okY || x.match != y.match {
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
		c := newChainCheck(r, Options{})
		for _, step := range []func() *fault{c.lastLinks, c.replay, c.tail} {
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

// parseRoll reads the one encoding of a ROLL text.
func parseRoll(text []byte) (match string, number int, ok bool) {
	lines := strings.Split(string(text), "\n")
	if len(lines) != 7 || lines[0] != "veridice/1 roll" || lines[6] != "" {
		return "", 0, false
	}
	var values [5]string
	for i, name := range []string{"match ", "roll ", "actor ", "faces ", "head "} {
		if values[i], ok = strings.CutPrefix(lines[i+1], name); !ok {
			return "", 0, false
		}
	}
	id, okMatch := seed.ParseHex(values[0])
	n, okNumber := decimal(values[1], 1, record.MaxRolls)
	_, okActor := decimal(values[2], 0, scheme.MaxSeats)
	head, okHead := seed.ParseHex(values[4])
	faces := strings.Split(values[3], ",")
	okFaces := len(faces) <= draw.MaxDice
	for _, face := range faces {
		_, ok := decimal(face, 2, 1<<32-1)
		okFaces = okFaces && ok
	}
	ok = okMatch && len(id) == 16 && okNumber && okActor && okFaces && okHead && len(head) == 32
	return values[0], int(n), ok
}

// decimal reads digits without sign or leading zero.
func decimal(text string, least, most uint64) (n uint64, ok bool) {
	n, err := strconv.ParseUint(text, 10, 64)
	return n, err == nil && least <= n && n <= most && strconv.FormatUint(n, 10) == text
}
