// Package moles hides moles in seven holes, round by round, from one continuous
// stream. docs/spec/games.md, section 4.15.
package moles

import "veridice/draw"

const (
	holes = 7
	// Max is the number of moles that a player can choose at most.
	Max = 6
)

// Hide gives the holes of each round, from 0 in the order drawn: eight rounds
// with one mole, nine with more.
func Hide(src draw.Source, moles int) [][]uint32 {
	rounds := make([][]uint32, 9)
	if moles == 1 {
		rounds = rounds[:8]
	}
	for i := range rounds {
		_, rounds[i] = draw.Take(src, holes, moles)
	}
	return rounds
}
