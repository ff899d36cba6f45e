// Package wheel spins a wheel of 10 to 50 segments, counted from 0.
// docs/spec/games.md, sections 3.7 and 4.4.
package wheel

import "veridice/draw"

// Segments are the sizes of the wheel, and Risks its tables.
var (
	Segments = [...]int{10, 20, 30, 40, 50}
	Risks    = [...]string{"low", "medium", "high"}
)

// Spin gives a segment.
func Spin(src draw.Source, segments int) uint32 { return draw.Index(src, uint32(segments)) }

// low repeats along the wheel at low risk, in hundredths.
var low = [10]uint32{150, 120, 120, 120, 0, 120, 120, 120, 120, 0}

// Pays is Stake's multiplier of a segment in hundredths. Risk is an index of
// [Risks].
func Pays(segments, risk int, segment uint32) uint32 {
	switch Risks[risk] {
	case "low":
		return low[segment%10]
	case "high":
		if int(segment) == segments-1 {
			return 99 * uint32(segments)
		}
		return 0
	}
	return medium[segments/10-1][segment]
}
