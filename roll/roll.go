// Package roll puts a scheme's stream and its draw together: seeds and a roll number
// become dice. There is no other derivation: server, tool and check all call this one.
package roll

import (
	"errors"
	"strconv"

	"veridice/game/dice"
	"veridice/scheme"
)

// A Place says which roll of a match is meant.
type Place struct {
	Number uint64 // of the roll, from 1
	Die    uint64 // number of its first die in the match, from 0
	Dice   int    // how many it has
}

// First is the place of a match's first roll.
func First(dice int) Place { return Place{Number: 1, Dice: dice} }

// Next is the place of the roll after p.
func (p Place) Next(dice int) Place {
	return Place{Number: p.Number + 1, Die: p.Die + uint64(p.Dice), Dice: dice}
}

// A Roll is a roll number and its dice, with what they were made from.
type Roll struct {
	Number uint64
	Dice   []uint32
	Blocks []scheme.Block
	Used   int // bytes taken from the blocks, rejected ones included
}

// A Roller derives the rolls of one match of tavli/1 or yayay/1.
type Roller struct{ opened *scheme.Opened }

// New makes a roller from a scheme that rolls dice and the parts of a match.
func New(s scheme.Scheme, in scheme.Inputs) (*Roller, error) {
	if s.Name != scheme.Tavli1 && s.Name != scheme.Yayay1 {
		return nil, errors.New("roll: " + s.Name + " has no rolls of dice")
	}
	opened, err := s.Open(in)
	if err != nil {
		return nil, err
	}
	return &Roller{opened}, nil
}

// Roll derives the roll at a place. It fails if the scheme has no such roll:
// tavli/1 has two dice a roll, yayay/1 has 1 to 100.
func (r *Roller) Roll(p Place) (Roll, error) {
	name := r.opened.Scheme().Name
	least, most, number := 1, dice.MaxThrow, p.Die
	if name == scheme.Tavli1 {
		least, most, number = 2, 2, p.Number
	}
	if p.Dice < least || p.Dice > most {
		return Roll{}, errors.New(name + ": a roll of " + strconv.Itoa(p.Dice) + " dice")
	}
	if last := r.opened.Scheme().Last; name == scheme.Yayay1 && p.Die+uint64(p.Dice)-1 > last {
		return Roll{}, errors.New(name + ": die " + strconv.FormatUint(p.Die+uint64(p.Dice)-1, 10) + " is after the last one")
	}
	stream, err := r.opened.Stream(number)
	if err != nil {
		return Roll{}, err
	}
	out := Roll{Number: p.Number}
	if name == scheme.Tavli1 {
		out.Dice = dice.Pair(stream)
	} else {
		out.Dice = dice.Throw(stream, p.Dice)
	}
	out.Blocks, out.Used = stream.Blocks(), stream.Used()
	return out, nil
}
