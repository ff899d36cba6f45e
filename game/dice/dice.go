// Package dice turns draws into dice: the pair of backgammon, throws of one to a
// hundred dice, and the value of the game that Shuffle calls dice.
package dice

import (
	"strconv"

	"veridice/draw"
)

// MaxThrow is the number of dice in the largest throw.
const MaxThrow = 100

// Pair rolls two dice of six faces as tavli/1 does, in the order they are
// written: 6-3 is not 3-6.
func Pair(src draw.Source) []uint32 {
	a, b := draw.Pair(src)
	return []uint32{a, b}
}

// Throw rolls n dice of six faces as yayay/1 does, one word for each.
func Throw(src draw.Source, n int) []uint32 {
	dice := make([]uint32, n)
	for i := range dice {
		dice[i] = draw.Modulo(src, 6) + 1
	}
	return dice
}

// A Value is the outcome of Shuffle's dice: 0 to 10,000 hundredths. It stays an
// integer, since a decimal would not survive the way back in doubles.
type Value uint32

// Hundredths draws a value (docs/spec/floats.md, "Rules").
func Hundredths(src draw.Source) Value { return Value(draw.Index(src, 10001)) }

// String shows the value with two decimals: 4305 is 43.05.
func (v Value) String() string {
	cents := strconv.Itoa(int(v % 100))
	if v%100 < 10 {
		cents = "0" + cents
	}
	return strconv.Itoa(int(v/100)) + "." + cents
}
