package draw

// Modulo takes one word and returns its remainder, 0 to n-1 (yayay/1,
// docs/spec/yayay.md). The first 2^32 mod n values come from one word more than
// the others: for n = 6, the values 0 to 3, by one part in 715,827,882.
func Modulo(src Source, n uint32) uint32 {
	k := Word(src)
	Note(src, func() Step {
		return Step{"modulo(" + decimal(uint64(n)) + ")", decimal(uint64(k)) + " mod " + decimal(uint64(n)), decimal(uint64(k % n))}
	})
	return k % n
}
