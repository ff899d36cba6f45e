// Package climb holds the games in which one goes on until a drawn cell: pump
// and chicken. docs/spec/games.md, section 4.11.
package climb

import (
	"slices"

	"veridice/draw"
)

// Difficulties are the games that a player chooses from.
var Difficulties = [...]string{"easy", "medium", "hard", "expert"}

var drawn = [len(Difficulties)]int{1, 3, 5, 10}

// Pump draws pops of 25 cells, in order, and gives the multiplier in hundredths
// of the cells before the first. Difficulty is an index of [Difficulties].
func Pump(src draw.Source, difficulty int) (cells []uint32, pays uint32) {
	_, cells = draw.Take(src, 25, drawn[difficulty])
	return cells, pumpPays[difficulty][slices.Min(cells)]
}

// Chicken is [Pump] with 20 cells and its own multipliers.
func Chicken(src draw.Source, difficulty int) (cells []uint32, pays uint32) {
	_, cells = draw.Take(src, 20, drawn[difficulty])
	return cells, chickenPays[difficulty][slices.Min(cells)]
}
