package draw

// PairLimit is the first byte value that [Pair] leaves out: 252 = 7 × 36, so
// each of the 36 ordered pairs comes from exactly seven byte values.
const PairLimit = 252

// Pair draws two dice, each 1 to 6, from the first byte below 252 (tavli/1,
// docs/spec/tavli.md). All 36 ordered pairs are equally likely.
func Pair(src Source) (a, b uint32) {
	for {
		if x := uint32(src.Byte()); x < PairLimit {
			v := x % 36
			return v/6 + 1, v%6 + 1
		}
	}
}
