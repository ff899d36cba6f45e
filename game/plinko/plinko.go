// Package plinko lets a ball fall through rows of pegs. A path is written as L
// and R from the top; the slot counts from the left, from 0 to rows.
// docs/spec/games.md, sections 3.1 and 4.3.
package plinko

import (
	"math/bits"

	"veridice/draw"
)

// MinRows and MaxRows are the sizes of the board.
const (
	MinRows = 8
	MaxRows = 16
)

// Risks are the tables of payouts that a player chooses from.
var Risks = [...]string{"low", "medium", "high", "expert"}

// A Path is the way of a ball: true is right.
type Path []bool

// Drop lets a ball fall: a bit each row, 1 goes right (Shuffle, Stake).
func Drop(src draw.Source, rows int) Path {
	p := make(Path, rows)
	for i := range p {
		p[i] = draw.Bit(src) == 1
	}
	return p
}

// DropLow lets a ball fall by the lowest bit of the first word of each block,
// from block 0, odd going right (Duel). It reports false if src cannot seek.
func DropLow(src draw.Source, rows int) (Path, bool) {
	p := make(Path, rows)
	for i := range p {
		if !draw.Seek(src, uint64(i)) {
			return nil, false
		}
		p[i] = draw.Modulo(src, 2) == 1
	}
	return p, true
}

// Slot is where the ball lands.
func (p Path) Slot() int {
	n := 0
	for _, right := range p {
		if right {
			n++
		}
	}
	return n
}

// String writes L and R from the top.
func (p Path) String() string {
	text := make([]byte, len(p))
	for i, right := range p {
		text[i] = 'L'
		if right {
			text[i] = 'R'
		}
	}
	return string(text)
}

// Pays is Stake's multiplier of a slot in hundredths. Risk is an index of [Risks].
func Pays(rows, risk, slot int) uint32 {
	half := pays[rows-MinRows][risk]
	// The distance from the centre: 0 1 2 3 4 for 8 rows, 0 0 1 1 ... for 9.
	d := 2*slot - rows
	if d < 0 {
		d = -d
	}
	return half[d/2]
}

// duelReturn is what Duel returns on average, in units of 10^-8 of the bet, in
// its lowest band of bets.
const duelReturn = 99_900_000

// DuelPays is Duel's multiplier of a slot in units of 10^-8, for the lowest band
// of bets: Stake's table scaled to a return of 0.999 and rounded to 8 places,
// and that once more, since rounding moved the return. Nobody states the rule;
// it gives the multiplier of all 68 slots that were recorded. Risk is low, medium
// or high.
func DuelPays(rows, risk, slot int) uint64 {
	row := make([]uint64, rows+1)
	for i := range row {
		row[i] = uint64(Pays(rows, risk, i))
	}
	for range 2 {
		var total uint64 // of the row, each slot as often as paths lead to it
		ways := uint64(1)
		for i, v := range row {
			total += ways * v
			ways = ways * uint64(rows-i) / uint64(i+1)
		}
		for i, v := range row {
			hi, lo := bits.Mul64(v, duelReturn<<rows)
			lo, carry := bits.Add64(lo, total/2, 0)
			row[i], _ = bits.Div64(hi+carry, lo, total)
		}
	}
	return row[slot]
}
