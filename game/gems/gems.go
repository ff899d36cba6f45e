// Package gems draws gems of seven colours. docs/spec/games.md, section 4.9.
package gems

import "veridice/draw"

// Colours are the gems by number. Stake's page calls number 5 orange, its
// calculator pink.
var Colours = [...]string{"green", "purple", "yellow", "red", "cyan", "pink", "blue"}

// Diamonds is how many gems a bet of diamonds has, and each hand of diamond poker.
const Diamonds = 5

// Draw gives n gems with replacement.
func Draw(src draw.Source, n int) []uint32 {
	gems := make([]uint32, n)
	for i := range gems {
		gems[i] = draw.Index(src, uint32(len(Colours)))
	}
	return gems
}
