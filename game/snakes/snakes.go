// Package snakes rolls two dice five times. docs/spec/games.md, section 4.15.
package snakes

import "veridice/draw"

// Difficulties are the boards that a player chooses from.
var Difficulties = [...]string{"easy", "medium", "hard", "expert", "master"}

// Rolls is how many rolls a bet has at most.
const Rolls = 5

// pays holds the multiplier in hundredths of the sums 2 to 12. They are known
// only from other people's tools, as is the rule for chaining rolls. Another copy
// has other values for easy, which cannot be right: they return 1.26 a roll.
var pays = [len(Difficulties)][11]uint32{
	{200, 130, 120, 110, 101, 0, 101, 110, 120, 130, 200},
	{400, 250, 140, 111, 0, 0, 0, 111, 140, 250, 400},
	{750, 300, 138, 0, 0, 0, 0, 0, 138, 300, 750},
	{1000, 382, 0, 0, 0, 0, 0, 0, 0, 382, 1000},
	{1764, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1764},
}

// Roll gives the two dice of each roll.
func Roll(src draw.Source) [Rolls][2]uint32 {
	var rolls [Rolls][2]uint32
	for i := range rolls {
		rolls[i] = [2]uint32{draw.Die(src, 6), draw.Die(src, 6)}
	}
	return rolls
}

// Pays is the multiplier of a sum of two dice in hundredths. Difficulty is an
// index of [Difficulties].
func Pays(difficulty int, sum uint32) uint32 { return pays[difficulty][sum-2] }
