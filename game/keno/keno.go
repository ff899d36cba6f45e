// Package keno draws ten of the cells 1 to 40 without replacement.
// docs/spec/games.md, sections 3.4 and 4.6.
package keno

import "veridice/draw"

const (
	cells = 40
	drawn = 10
)

// Stake draws by [draw.Take]: it rounds down.
func Stake(src draw.Source) (places, numbers []uint32) {
	places, numbers = draw.Take(src, cells, drawn)
	for i := range numbers {
		numbers[i]++
	}
	return places, numbers
}

// Shuffle draws by [draw.CeilTake]: it rounds up, in a list that begins with a
// blank. A cell 0 is that blank, off the board; what the site does with it is
// not published.
func Shuffle(src draw.Source) (places, numbers []uint32) { return draw.CeilTake(src, cells, drawn) }
