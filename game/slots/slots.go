// Package slots spins the five reels of scarab spin and tome of life.
// docs/spec/games.md, section 4.16.
package slots

import "veridice/draw"

const (
	// Bonus is how many spins three or more scatters add.
	Bonus = 15
	// Cap is the number of bonus spins at most. It is known only from other
	// people's tools.
	Cap = 180

	scatters = 3
)

// A Spin is the stop of each reel.
type Spin [5]uint32

// Turn spins the reels once.
func Turn(src draw.Source) Spin {
	var s Spin
	for i := range s {
		s[i] = draw.Index(src, uint32(len(reels[i])))
	}
	return s
}

// Window gives the three symbols that each reel shows: those at its stop, before
// and after it, round the end of the strip.
func (s Spin) Window() [5][3]string {
	var w [5][3]string
	for i, stop := range s {
		strip := reels[i]
		n := len(strip)
		for j := range w[i] {
			w[i][j] = strip[(int(stop)+j-1+n)%n]
		}
	}
	return w
}

// Scatters counts the scatters among the fifteen symbols shown.
func (s Spin) Scatters() int {
	n := 0
	for _, reel := range s.Window() {
		for _, symbol := range reel {
			if symbol == "scatter" {
				n++
			}
		}
	}
	return n
}

// Round spins the first spin and all bonus spins that follow from it. It reports
// whether [Cap] ended it.
func Round(src draw.Source) (spins []Spin, capped bool) {
	bonus := 0
	for left := 1; left > 0; left-- {
		s := Turn(src)
		spins = append(spins, s)
		if s.Scatters() >= scatters {
			more := min(Bonus, Cap-bonus)
			capped = capped || more < Bonus
			bonus += more
			left += more
		}
	}
	return spins, capped
}
