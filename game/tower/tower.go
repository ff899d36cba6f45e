// Package tower draws columns in nine rows from one continuous stream: the safe
// ones of Shuffle's tower, the eggs of Stake's dragon tower.
// docs/spec/games.md, sections 3.8 and 4.10.
package tower

import "veridice/draw"

// Rows is the height of the tower.
const Rows = 9

// Difficulties are the towers that a player chooses from.
var Difficulties = [...]string{"easy", "medium", "hard", "expert", "master"}

// levels says how many columns are drawn, of how many.
var levels = [len(Difficulties)]struct{ drawn, columns int }{{3, 4}, {2, 3}, {1, 2}, {1, 3}, {1, 4}}

// Build draws the rows, first row first, columns from 0 in the order drawn.
// Difficulty is an index of [Difficulties].
func Build(src draw.Source, difficulty int) [Rows][]uint32 {
	var rows [Rows][]uint32
	for i := range rows {
		_, rows[i] = draw.Take(src, levels[difficulty].columns, levels[difficulty].drawn)
	}
	return rows
}
