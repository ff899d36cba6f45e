// Package protocol holds what server and phones must both know to play a match of
// veridice/1: the terms of a table, whose turn it is, what may be rolled, the
// transcript as it grows, and who signed what. Messages are those of package
// record; how they travel is not its business.
//
// The rules are docs/spec/veridice-1.md, "Messages" to "Silence and the
// end", and docs/spec/table.md.
package protocol

import (
	"strconv"
	"strings"

	"veridice/seed"
)

// Limits of a table's terms.
const (
	MaxDice  = 100       // in one roll
	MaxFaces = 1_000_000 // of a die
	MaxDeck  = 416       // cards: eight packs of 52
	MinWait  = 10        // seconds
	MaxWait  = 86_400    // seconds
)

// A Fault says by a code why a message, or what a user asked for, is refused. Words
// are made from it elsewhere.
type Fault struct{ Code string }

func (f *Fault) Error() string { return "protocol: " + f.Code }

func fault(code string) error { return &Fault{code} }

// Terms are the rules of a table. Their text is hashed in the offer.
type Terms struct {
	Dice      Dice
	Alternate bool // after a roll the turn goes to the next seat; else it stays
	Wait      int  // seconds that a party may take for its part
	Salt      [16]byte
}

// Marshal writes the rules text.
func (t Terms) Marshal() []byte {
	turn := "free"
	if t.Alternate {
		turn = "alternate"
	}
	return []byte("veridice table 1\ndice " + t.Dice.text + "\nturn " + turn + "\nwait " + strconv.Itoa(t.Wait) + "\nsalt " + seed.Hex(t.Salt[:]) + "\n")
}

// ParseTerms reads a rules text in its one encoding, or gives the fault bad-terms.
func ParseTerms(text []byte) (Terms, error) {
	var t Terms
	lines := strings.SplitN(string(text), "\n", 7)
	if len(lines) != 6 {
		return t, fault("bad-terms")
	}
	var err error
	if t.Dice, err = ParseDice(strings.TrimPrefix(lines[1], "dice ")); err != nil {
		return t, fault("bad-terms")
	}
	t.Alternate = lines[2] == "turn alternate"
	t.Wait, _ = strconv.Atoi(strings.TrimPrefix(lines[3], "wait "))
	salt, ok := seed.ParseHex(strings.TrimPrefix(lines[4], "salt "))
	if !ok || len(salt) != len(t.Salt) || t.Wait < MinWait || t.Wait > MaxWait {
		return t, fault("bad-terms")
	}
	copy(t.Salt[:], salt)
	if string(t.Marshal()) != string(text) {
		return t, fault("bad-terms")
	}
	return t, nil
}

// A Dice is what may be rolled at a table, in the notation of docs/spec/table.md:
//
//	2d6, 3d6+1d20   these dice in each roll
//	1-6d6           from one to six dice of six faces
//	deck52          cards, dealt without replacement
//	any             any dice
type Dice struct {
	text  string
	fixed []uint32 // the dice of each roll
	most  int      // of one to this many dice of faces
	faces uint32
	deck  int // cards
}

// String gives the notation.
func (d Dice) String() string { return d.text }

// Deck is the number of cards, 0 if no cards are dealt.
func (d Dice) Deck() int { return d.deck }

// ParseDice reads a notation, or gives the fault bad-dice.
func ParseDice(text string) (Dice, error) {
	d := Dice{text: text}
	if text == "any" {
		return d, nil
	}
	if cards, ok := strings.CutPrefix(text, "deck"); ok {
		n, ok := whole(cards, 2, MaxDeck)
		if !ok {
			return d, fault("bad-dice")
		}
		d.deck = int(n)
		return d, nil
	}
	if rest, ok := strings.CutPrefix(text, "1-"); ok {
		count, faces, ok := strings.Cut(rest, "d")
		most, okCount := whole(count, 2, MaxDice)
		n, okFaces := whole(faces, 2, MaxFaces)
		if !ok || !okCount || !okFaces {
			return d, fault("bad-dice")
		}
		d.most, d.faces = int(most), uint32(n)
		return d, nil
	}
	for term := range strings.SplitSeq(text, "+") {
		count, faces, ok := strings.Cut(term, "d")
		many, okCount := whole(count, 1, MaxDice)
		n, okFaces := whole(faces, 2, MaxFaces)
		if !ok || !okCount || !okFaces || len(d.fixed)+int(many) > MaxDice {
			return d, fault("bad-dice")
		}
		for range many {
			d.fixed = append(d.fixed, uint32(n))
		}
	}
	return d, nil
}

// whole reads digits without sign or leading zero.
func whole(text string, least, most uint64) (uint64, bool) {
	n, err := strconv.ParseUint(text, 10, 32)
	return n, err == nil && least <= n && n <= most && strconv.FormatUint(n, 10) == text
}

// Allowed reports whether these faces may be rolled; left is the number of cards in
// the deck, of which each die deals one. The last card of a deck is never dealt: there
// is nothing to choose.
func (d Dice) Allowed(faces []uint32, left int) bool {
	if len(faces) < 1 || len(faces) > MaxDice {
		return false
	}
	for i, n := range faces {
		switch {
		case d.deck > 0:
			if int(n) != left-i || n < 2 {
				return false
			}
		case d.fixed != nil:
			if len(faces) != len(d.fixed) || n != d.fixed[i] {
				return false
			}
		case d.most > 0:
			if len(faces) > d.most || n != d.faces {
				return false
			}
		case n < 2 || n > MaxFaces:
			return false
		}
	}
	return true
}
