package draw

// Take draws m of the numbers 0 to n-1, m at most n, without replacement: each word
// gives a place in the list of those left, and the number there is deleted, so that
// the list closes up. Swapping it with the last one instead would give other outcomes.
// Take returns the places beside the numbers, both in the order drawn.
func Take(src Source, n, m int) (places, numbers []uint32) {
	places, numbers = make([]uint32, m), make([]uint32, m)
	left := upTo(n)
	for i := range m {
		k, size := Word(src), uint32(len(left))
		p := IndexOf(k, size)
		places[i], numbers[i] = p, left[p]
		left = append(left[:p], left[p+1:]...)
		Note(src, func() Step {
			return Step{"take(" + decimal(uint64(size)) + ")",
				decimal(uint64(k)) + " × " + decimal(uint64(size)) + " >> 32 = " + decimal(uint64(p)), decimal(uint64(numbers[i]))}
		})
	}
	return places, numbers
}

// CeilTake draws m of the numbers 1 to n as Shuffle's keno does: from a list that
// begins with a blank 0, at the place ceil(k / 2^32 × (n - i)). It equals [Take]
// over 1 to n except when the product is whole, where it is one place lower; a
// word 0 takes the blank itself, and the numbers after it shift.
func CeilTake(src Source, n, m int) (places, numbers []uint32) {
	places, numbers = make([]uint32, m), make([]uint32, m)
	left := upTo(n + 1)
	for i := range m {
		k, size := Word(src), uint32(n-i)
		p := uint32((uint64(k)*uint64(size) + 1<<32 - 1) >> 32)
		places[i], numbers[i] = p, left[p]
		left = append(left[:p], left[p+1:]...)
		Note(src, func() Step {
			return Step{"ceil-take(" + decimal(uint64(size)) + ")",
				"(" + decimal(uint64(k)) + " × " + decimal(uint64(size)) + " + 4294967295) >> 32 = " + decimal(uint64(p)), decimal(uint64(numbers[i]))}
		})
	}
	return places, numbers
}

func upTo(n int) []uint32 {
	list := make([]uint32, n)
	for i := range list {
		list[i] = uint32(i)
	}
	return list
}
