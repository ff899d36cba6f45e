// Package flip holds the games of one symbol a word: coins and
// rock-paper-scissors. Both are written as one letter a throw.
// docs/spec/games.md, section 4.15.
package flip

import (
	"strconv"

	"veridice/draw"
)

// Count is how many throws the site computes for a bet.
const Count = 20

// Coins flips coins: H is heads, T tails. Whether a float of exactly 0.5 is heads,
// as here, is not published: half says that there is one.
func Coins(src draw.Source, n int) (flips string, half bool) {
	b := make([]byte, n)
	for i := range b {
		k := draw.Word(src)
		half = half || k == 1<<31
		b[i] = "TH"[k>>31]
		draw.Note(src, func() draw.Step {
			return draw.Step{Name: "bit", Values: strconv.FormatUint(uint64(k), 10) + " >> 31", Result: string(b[i])}
		})
	}
	return string(b), half
}

// Hands throws rock, paper or scissors: R, P, S.
func Hands(src draw.Source, n int) string {
	throws := make([]byte, n)
	for i := range throws {
		throws[i] = "RPS"[draw.Index(src, 3)]
	}
	return string(throws)
}
