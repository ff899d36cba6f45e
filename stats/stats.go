// Package stats counts exactly how often each outcome of a game or a scheme comes,
// given that every word of the stream is equally likely, and how likely the streaks are
// that people complain about. Everything is an integer over an integer; nothing is
// estimated, and what cannot be counted is refused. It is never part of a verdict. The
// rules are docs/spec/games.md and schemes.md.
package stats

import (
	"math/big"

	"veridice/draw"
	"veridice/game"
)

// A Distribution says in how many of Total equally likely cases each outcome
// comes. Its lines are in a fixed order, and none has a count of zero.
type Distribution struct {
	// Name says what is counted: a key of the outcome such as "slot" or "cells",
	// or "pattern", "bit", "reel 1" and the like.
	Name  string
	Lines []Line
	Total *big.Int

	// Each is how many of these a single bet has, such as the 20 throws of flip;
	// 0 if that differs from bet to bet. They are independent unless Together.
	Each int
	// Together says that the Each of one bet are drawn without replacement: a
	// line comes at most once in a bet, its count says in how many of Total
	// cases it is among them, and the counts sum to Each × Total. A test for
	// independent draws is then on the safe side: with n lines, its statistic is
	// too small by the factor (n - Each) / (n - 1).
	Together bool
	// Given names what is taken for granted: "" or [NotExhausted].
	Given string

	observe func(o *game.Outcome) []string
	place   map[string]int
	below   []uint64 // of ranges of multipliers: the hundredths where each begins
}

// NotExhausted takes for granted that not all eight words of a block are rejected:
// such a block has no outcome at this site, and its bets are left out.
const NotExhausted = "not-exhausted"

// A Line is an outcome, written as [game.Value.String] writes it, and its count.
// Ranges of multipliers are written 2.00-2.99, the last one 10000.00+.
type Line struct {
	Outcome string
	Count   *big.Int
}

// Observe finds the lines that an outcome falls on: one, or as many as the bet
// has of these. It has -1 for what is on no line, which a true outcome of the
// game and parameters of the distribution never is.
func (d *Distribution) Observe(o *game.Outcome) []int {
	var places []int
	for _, text := range d.observe(o) {
		at, ok := d.find(text)
		if !ok {
			at = -1
		}
		places = append(places, at)
	}
	return places
}

// Probability is the chance of a line, as a new number.
func (d *Distribution) Probability(line int) *big.Rat {
	return new(big.Rat).SetFrac(d.Lines[line].Count, d.Total)
}

// NotCounted is the code of the error of a game whose outcomes have no closed
// form here.
const NotCounted game.Code = "not-counted"

// Of gives the distributions of a game's outcome, the finest first. The error is
// a [*game.Error]: parameters that the game refuses, a rule that is not
// published, or [NotCounted].
func Of(site, name string, p game.Params) ([]*Distribution, error) {
	g, err := game.Lookup(site, name)
	if err != nil {
		return nil, err
	}
	// The game itself says what is wrong with its parameters.
	if _, err := g.Play(&even{}, p); err != nil {
		return nil, err
	}
	count := kinds[site+" "+name]
	if count == nil {
		return nil, &game.Error{Code: NotCounted, Site: site, Game: name}
	}
	list := count(params{p})
	if len(list) == 0 {
		return nil, &game.Error{Code: NotCounted, Site: site, Game: name}
	}
	for _, d := range list {
		d.finish()
	}
	return list, nil
}

// finish drops lines that never come and indexes the others.
func (d *Distribution) finish() *Distribution {
	kept := d.Lines[:0]
	for _, l := range d.Lines {
		if l.Count.Sign() > 0 {
			kept = append(kept, l)
		}
	}
	d.Lines = kept
	d.place = make(map[string]int, len(kept))
	for i, l := range kept {
		d.place[l.Outcome] = i
	}
	return d
}

// even is a source of middling bytes that no draw rejects. It has blocks.
type even struct{}

func (*even) Byte() byte  { return 0x40 }
func (*even) Seek(uint64) {}

// fixed is a source of the bytes given and then of middling ones.
type fixed struct{ bytes []byte }

func (f *fixed) Byte() byte {
	if len(f.bytes) == 0 {
		return 0x40
	}
	b := f.bytes[0]
	f.bytes = f.bytes[1:]
	return b
}

func (*fixed) Seek(uint64) {}

// ofWord is a source whose word number n, from 0, is k.
func ofWord(n int, k uint32) draw.Source {
	b := make([]byte, 4*n, 4*n+4)
	for i := range b {
		b[i] = 0x40
	}
	return &fixed{append(b, byte(k>>24), byte(k>>16), byte(k>>8), byte(k))}
}
