package protocol

import (
	"slices"
	"strconv"
	"strings"

	"veridice/record"
	"veridice/roll"
	"veridice/scheme"
	"veridice/seed"
)

// maxMoves is how many moves a match may have for each roll that its record can
// hold: with more the record could grow too long to be checked.
const maxMoves = record.MaxRolls

// A Transcript is what a party knows of a match after its opening: all that the next
// entry depends on. It is a value; an entry gives the next one.
type Transcript struct {
	Match   scheme.Match
	Opening [32]byte
	Terms   Terms
	Length  uint32        // of the chains
	Head    record.Head   // after the last entry
	Rolls   uint64        // complete ones
	Links   []scheme.Link // the last one shown of each role, the anchor before the first
	Turn    uint8         // the seat that may act
	Game    int           // number of the current game, from 1
	Fresh   bool          // the current game has no roll yet
	Left    int           // cards in the deck
	Moves   int           // so far
}

// Begin is the transcript after an opening.
func Begin(c *record.Chain, terms Terms) Transcript {
	t := Transcript{Match: c.ID, Opening: c.OpeningHash(), Terms: terms, Length: c.Links, Turn: 1, Game: 1, Fresh: true, Left: terms.Dice.Deck()}
	t.Head = record.Start(t.Opening)
	for _, role := range c.Roles {
		t.Links = append(t.Links, role.Anchor)
	}
	return t
}

// Seats is the number of seats.
func (t *Transcript) Seats() int { return len(t.Links) - 1 }

// Ask makes the text of the next roll, or gives the fault not-your-turn, other-dice
// or chain-spent.
func (t *Transcript) Ask(actor uint8, faces []uint32) (*record.Ask, error) {
	a := &record.Ask{Match: t.Match, Number: t.Rolls + 1, Actor: actor, Faces: slices.Clone(faces), Head: t.Head}
	return a, t.Check(a)
}

// Check reports whether a roll is the one that is due: over this head, by whose turn
// it is, with dice that the terms allow. Faults: other-match, roll-number, other-head,
// not-your-turn, other-dice, chain-spent.
func (t *Transcript) Check(a *record.Ask) error {
	switch {
	case a.Match != t.Match:
		return fault("other-match")
	case a.Number != t.Rolls+1:
		return fault("roll-number")
	case a.Head != t.Head:
		return fault("other-head")
	case a.Actor != t.Turn:
		return fault("not-your-turn")
	case !t.Terms.Dice.Allowed(a.Faces, t.Left):
		return fault("other-dice")
	case a.Number > uint64(t.Length) || a.Number > record.MaxRolls:
		return fault("chain-spent")
	}
	return nil
}

// CheckLink reports whether a link is the next of a role: one hash. Fault: wrong-link.
func (t *Transcript) CheckLink(role uint8, link scheme.Link) error {
	if int(role) >= len(t.Links) || scheme.Earlier(t.Match, role, uint32(t.Rolls)+1, link) != t.Links[role] {
		return fault("wrong-link")
	}
	return nil
}

// Context is what the links of a roll are given for.
func (t *Transcript) Context(a *record.Ask) [32]byte {
	return scheme.Context(t.Opening, a.Head, uint32(a.Number), a.Actor, a.Faces)
}

// Roll adds a roll: the text that all roles signed and their links, the server's
// first. It gives the dice and the transcript after it.
func (t *Transcript) Roll(a *record.Ask, links []scheme.Link) ([]uint32, Transcript, error) {
	if err := t.Check(a); err != nil {
		return nil, *t, err
	}
	if len(links) != len(t.Links) {
		return nil, *t, fault("wrong-link")
	}
	plain := make([][32]byte, len(links))
	for role, link := range links {
		if err := t.CheckLink(uint8(role), link); err != nil {
			return nil, *t, err
		}
		plain[role] = link
	}
	context := t.Context(a)
	made, err := roll.Chain(a.Number, context, links, a.Faces)
	if err != nil {
		return nil, *t, err
	}
	next := *t
	next.Head = t.Head.Rolled(context, plain, made.Dice)
	next.Rolls++
	next.Links = slices.Clone(links)
	next.Fresh = false
	if t.Terms.Dice.Deck() > 0 {
		next.Left -= len(a.Faces)
	}
	if t.Terms.Alternate {
		next.Turn = t.Turn%uint8(t.Seats()) + 1
	}
	return made.Dice, next, nil
}

// Record is the record of the match after an opening: with its rolls and moves so far, the
// roll that is going on or nil, and its state. silent is the role that did not go on or -1,
// and counts for an aborted match alone.
func (t *Transcript) Record(opening *record.Chain, entries []record.Entry, pending *record.Ask, state record.State, silent int) *record.Record {
	c := *opening
	c.Head, c.Silent, c.Pending, c.Last = t.Head, -1, nil, nil
	if state == record.Aborted {
		c.Silent = silent
	}
	if pending != nil {
		c.Pending = &record.Pending{Number: pending.Number, Actor: pending.Actor, Faces: pending.Faces}
	}
	for _, link := range t.Links {
		c.Last = append(c.Last, record.Last{Index: uint32(t.Rolls), Link: link})
	}
	r := &record.Record{Scheme: scheme.Veridice1, Match: seed.Hex(t.Match[:]), Chain: &c, State: state, Entries: entries}
	r.Complete()
	return r
}

// Moves of a table.
const (
	// NewGame begins another game.
	NewGame = "game"
	turnTo  = "turn "
)

// HandOver is the move that gives the turn to another seat.
func HandOver(seat uint8) string { return turnTo + strconv.Itoa(int(seat)) }

// Move adds a move and gives the transcript after it. Faults: other-match, other-head,
// not-your-turn, no-rolls (a game without one cannot be followed by another),
// bad-move, full.
func (t *Transcript) Move(s *record.Step) (Transcript, error) {
	next := *t
	switch {
	case s.Match != t.Match:
		return *t, fault("other-match")
	case s.Head != t.Head:
		return *t, fault("other-head")
	case s.Role != t.Turn:
		return *t, fault("not-your-turn")
	case t.Moves >= maxMoves:
		return *t, fault("full")
	}
	if to, ok := strings.CutPrefix(s.Move, turnTo); ok {
		seat, ok := whole(to, 1, uint64(t.Seats()))
		if !ok || uint8(seat) == t.Turn {
			return *t, fault("bad-move")
		}
		next.Turn = uint8(seat)
	} else if s.Move != NewGame {
		return *t, fault("bad-move")
	} else if t.Fresh {
		return *t, fault("no-rolls")
	} else {
		next.Game++
		next.Fresh = true
		next.Left = t.Terms.Dice.Deck()
	}
	next.Head = t.Head.Move(s.Role, s.Move)
	next.Moves++
	return next, nil
}
