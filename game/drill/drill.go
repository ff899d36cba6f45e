// Package drill makes three multipliers of three words. docs/spec/games.md,
// section 4.13.
package drill

import (
	"math"
	"strconv"

	"veridice/draw"
)

// Cap is the highest multiplier in hundredths. It is known only from other
// people's tools.
const Cap = 200_000_000

// Dig gives three multipliers in hundredths, computed in doubles as the site
// does: for 21 words one hundredth below the exact value.
func Dig(src draw.Source) [3]uint32 {
	var pays [3]uint32
	for i := range pays {
		k := draw.Word(src)
		pays[i] = of(k)
		draw.Note(src, func() draw.Step {
			return draw.Step{Name: "hundredths", Values: "floor(0.98 / (1 - " + strconv.FormatUint(uint64(k), 10) + " / 2^32) × 100)",
				Result: strconv.FormatUint(uint64(pays[i]), 10)}
		})
	}
	return pays
}

func of(k uint32) uint32 {
	u := draw.Float(k)
	if u < 0.02 {
		return 100
	}
	return uint32(math.Floor(float64(min(float64(0.98/float64(1-u)), Cap/100)) * 100))
}
