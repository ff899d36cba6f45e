package draw

// Modulo takes one word and returns its remainder, 0 to n-1 (yayay/1,
// docs/spec/yayay.md). The first 2^32 mod n values come from one word more than
// the others: for n = 6, the values 0 to 3, by one part in 715,827,882.
func Modulo(src Source, n uint32) uint32 { return Word(src) % n }
