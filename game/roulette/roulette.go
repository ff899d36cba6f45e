// Package roulette spins a wheel of pockets. docs/spec/games.md, sections 3.6
// and 4.5; foreign.md, section 1.
package roulette

import "veridice/draw"

// Spin gives a pocket, 0 to 36.
func Spin(src draw.Source) uint32 { return draw.Index(src, 37) }

// castle is the number of places of Duel's castle roulette.
const castle = 48

// Castle gives a place of Duel's castle roulette, 0 to 47, by a remainder: the
// places 0 to 15 come from one word more than the others.
func Castle(src draw.Source) uint32 { return draw.Modulo(src, castle) }

// Coin names what a place of castle roulette pays, as Duel writes it, and gives
// the multiplier.
func Coin(place uint32) (string, uint32) {
	switch {
	case place < 1:
		return "forty_eight", 48
	case place < 3:
		return "twenty_four", 24
	case place < 6:
		return "sixteen", 16
	case place < 12:
		return "eight", 8
	case place < 24:
		return "four", 4
	}
	return "two", 2
}
