package draw

// tierUnit is 1 in the unit of the minimums that [Tier] is given: 10^-8.
const tierUnit = 100_000_000

// From is the least word k with k / 2^32 >= min / 10^8.
func From(min uint32) uint64 { return (uint64(min)<<32 + tierUnit - 1) / tierUnit }

// Tier takes one word and returns the first row, from the top, whose minimum it
// reaches. Minimums are in units of 10^-8, falling; the last must be 0.
func Tier(src Source, minimums []uint32) int {
	k := Word(src)
	for row, min := range minimums {
		if from := From(min); uint64(k) >= from {
			Note(src, func() Step {
				return Step{"tier(" + decimal(uint64(len(minimums))) + ")", decimal(uint64(k)) + " >= " + decimal(from), decimal(uint64(row))}
			})
			return row
		}
	}
	panic("veridice: internal error: a tier table has no row for 0")
}

// Weighted takes one word and returns the first symbol whose cumulative weight
// exceeds it. Weights are in thousandths and add up to 1000.
func Weighted(src Source, weights []uint32) int {
	k := Word(src)
	var sum uint64
	for i, w := range weights {
		sum += uint64(w)
		if 1000*uint64(k) < sum<<32 {
			Note(src, func() Step {
				return Step{"weighted(" + decimal(uint64(len(weights))) + ")", "1000 × " + decimal(uint64(k)) + " < " + decimal(sum) + " << 32", decimal(uint64(i))}
			})
			return i
		}
	}
	panic("veridice: internal error: weights do not add up to 1000")
}
