package draw

// DuelLimit is M - (M mod n) with M = 2^32 - 1 (duel/1), where liqd/1 has [Limit].
// Both are multiples of n, so every number comes from as many words as any other;
// when n divides 2^32, this one leaves out n words more than it must.
func DuelLimit(n uint32) uint64 { const m = 1<<32 - 1; return uint64(m - m%n) }

// blockWords is how many words a block of 32 bytes has.
const blockWords = 8

// Below returns the first of eight words that is below limit, mod n. It reports
// false when all eight were rejected; what happens then is the site's rule.
func Below(src Source, n uint32, limit uint64) (uint32, bool) {
	for range blockWords {
		k := Word(src)
		if uint64(k) < limit {
			Note(src, func() Step {
				return Step{"below(" + decimal(limit) + ")", decimal(uint64(k)) + " mod " + decimal(uint64(n)), decimal(uint64(k % n))}
			})
			return k % n, true
		}
		Note(src, func() Step {
			return Step{"below(" + decimal(limit) + ")", decimal(uint64(k)) + " >= " + decimal(limit), ""}
		})
	}
	return 0, false
}

// Small draws a die of six faces from the first byte below 252, mod 6 (zeroplay/1),
// and counts the bytes taken.
func Small(src Source) (die uint32, taken int) {
	for {
		x := src.Byte()
		taken++
		if x < PairLimit {
			Note(src, func() Step { return Step{"byte < 252", decimal(uint64(x)) + " mod 6 + 1", decimal(uint64(x%6 + 1))} })
			return uint32(x%6) + 1, taken
		}
	}
}

// BelowAt draws 0 to n-1 from the block with this number, as liqd/1 does: the first
// word below [Limit], and if all eight are rejected, from the block a million later.
// It reports false if src cannot seek.
func BelowAt(src Source, block uint64, n uint32) (uint32, bool) {
	for {
		if !Seek(src, block) {
			return 0, false
		}
		if v, ok := Below(src, n, Limit(n)); ok {
			return v, true
		}
		block += 1_000_000
	}
}
