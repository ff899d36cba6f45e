// Package samurai spins the five columns of blue samurai.
// docs/spec/games.md, section 4.17.
package samurai

import "veridice/draw"

// Symbols are the symbols by number.
var Symbols = [...]string{"s1", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "samurai", "scatter", "wild"}

const (
	samurai = 9
	scatter = 10

	// Specials is how many special spins a column full of samurais starts, and
	// Bonus how many spins three scatters add. They are stated, not recorded.
	Specials = 5
	Bonus    = 10
)

// Weights in thousandths, in the order of [Symbols]; outer is for the first and
// the last column.
var (
	inner = []uint32{90, 90, 70, 60, 90, 80, 80, 65, 150, 120, 40, 65}
	outer = []uint32{75, 75, 80, 80, 80, 80, 80, 80, 150, 170, 0, 50}
)

// A Spin holds the symbols of each column, left to right, top to bottom.
type Spin [5][]int

var sizes = [5]int{3, 4, 4, 4, 3}

// Turn spins all columns.
func Turn(src draw.Source) Spin {
	var s Spin
	for i := range s {
		weights := inner
		if i == 0 || i == len(s)-1 {
			weights = outer
		}
		s[i] = make([]int, sizes[i])
		for j := range s[i] {
			s[i][j] = draw.Weighted(src, weights)
		}
	}
	return s
}

// Special reports whether special spins follow: the left or the right column is
// full of samurais.
func (s Spin) Special() bool { return full(s[0]) || full(s[4]) }

func full(column []int) bool {
	for _, symbol := range column {
		if symbol != samurai {
			return false
		}
	}
	return true
}

// Scatters counts the scatters shown.
func (s Spin) Scatters() int {
	n := 0
	for _, column := range s {
		for _, symbol := range column {
			if symbol == scatter {
				n++
			}
		}
	}
	return n
}
