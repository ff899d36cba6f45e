package draw

// Limit is the number of words that [Uniform] accepts for one of n numbers: the
// greatest multiple of n up to 2^32.
func Limit(n uint32) uint64 { return (1 << 32) / uint64(n) * uint64(n) }

// Uniform draws 0 to n-1, n at least 1, from the first word below [Limit]
// (veridice/1, docs/spec/veridice-1.md, "A roll"). Given uniform words, each
// number is exactly equally likely. Words that are rejected are gone.
func Uniform(src Source, n uint32) uint32 {
	limit := Limit(n)
	for {
		if k := Word(src); uint64(k) < limit {
			return k % n
		}
	}
}
