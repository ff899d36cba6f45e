package verify

import (
	"errors"

	"veridice/record"
	"veridice/roll"
	"veridice/scheme"
)

// A Chained roll is one of veridice/1 with all that it was made of.
type Chained struct {
	Opening [32]byte
	Before  record.Head // the head before the roll
	Actor   uint8
	Faces   []uint32
	Context [32]byte
	Links   []scheme.Link // of all roles, the server's first
	Key     [32]byte
	Roll    roll.Roll
}

// ExplainChain derives one roll of a record of veridice/1 again, going through
// everything before it. It fails if the record has no such roll, at its place and
// with its links. The record must be one that [record.Parse] gave.
func ExplainChain(r *record.Record, number uint64) (Chained, error) {
	if r.Chain == nil {
		return Chained{}, errors.New("verify: not a record of veridice/1")
	}
	c := newChainCheck(r, Options{})
	if f := c.lastLinks(); f != nil {
		return Chained{}, errors.New("verify: a link does not lead to its anchor")
	}
	opening := r.Chain.OpeningHash()
	head := record.Start(opening)
	due := uint64(1)
	for _, e := range r.Entries {
		if e.Move != "" {
			head = head.Move(e.Role, e.Move)
			continue
		}
		links, ok := c.linksOf(int(due))
		if e.Number != due || !ok {
			break
		}
		made, err := derive(opening, head, e, links)
		if err != nil {
			return Chained{}, err
		}
		if due == number {
			return made, nil
		}
		head = made.after()
		due++
	}
	return Chained{}, errors.New("verify: no such roll in the record")
}

// linksOf gives the links of all roles for a roll, or the first role without one.
func (c *chainCheck) linksOf(number int) (links []scheme.Link, ok bool) {
	for role := range c.links {
		if number >= len(c.links[role]) {
			return links, false
		}
		links = append(links, c.links[role][number])
	}
	return links, true
}

// derive makes the roll of an entry from what stands before it.
func derive(opening [32]byte, head record.Head, e record.Entry, links []scheme.Link) (Chained, error) {
	context := scheme.Context(opening, head, uint32(e.Number), e.Role, e.Faces)
	made, err := roll.Chain(e.Number, context, links, e.Faces)
	return Chained{
		Opening: opening, Before: head, Actor: e.Role, Faces: e.Faces,
		Context: context, Links: links, Key: scheme.Key(context, links), Roll: made,
	}, err
}

// after is the head after the roll.
func (m Chained) after() record.Head {
	links := make([][32]byte, len(m.Links))
	for i, l := range m.Links {
		links[i] = l
	}
	return m.Before.Rolled(m.Context, links, m.Roll.Dice)
}
