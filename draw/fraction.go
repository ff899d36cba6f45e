package draw

// Index takes one word k and returns floor(k / 2^32 × n), 0 to n-1, in integers
// (shuffle/1, docs/spec/floats.md). It is not k mod n.
func Index(src Source, n uint32) uint32 {
	k := Word(src)
	i := IndexOf(k, n)
	Note(src, func() Step {
		return Step{"index(" + decimal(uint64(n)) + ")", decimal(uint64(k)) + " × " + decimal(uint64(n)) + " >> 32", decimal(uint64(i))}
	})
	return i
}

// IndexOf is what [Index] makes of the word k.
func IndexOf(k, n uint32) uint32 { return uint32(uint64(k) * uint64(n) >> 32) }

// Float is the word as a number from 0 to 1 - 2^-32. The division is exact.
func Float(k uint32) float64 { return float64(k) / (1 << 32) }

// Die takes one word and returns 1 to n.
func Die(src Source, n uint32) uint32 { return Index(src, n) + 1 }

// Bit takes one word and returns its top bit.
func Bit(src Source) uint32 {
	k := Word(src)
	Note(src, func() Step { return Step{"bit", decimal(uint64(k)) + " >> 31", decimal(uint64(k >> 31))} })
	return k >> 31
}
