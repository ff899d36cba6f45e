// Package draw turns a stream of bytes into numbers. Each rule is one function, which
// names the schemes or games that use it. The rules of the games are
// docs/spec/games.md, section 2.
//
// A stream never ends, so a draw has no error. A draw that rejects bytes or words
// takes more; rejected ones are gone. The exception is [Below], for sites that look at
// eight words and no more. Sizes and bounds come from the rules and not from players:
// a draw of one of n numbers wants n to be at least 1.
package draw

// A Source is an endless stream of bytes, such as the streams of package scheme.
type Source interface {
	// Byte gives the next byte of the stream.
	Byte() byte
}

// Word takes four bytes, most significant first.
func Word(src Source) uint32 {
	t, traced := src.(*Trace)
	if traced {
		src = t.Source
	}
	k := uint32(src.Byte()) << 24
	k |= uint32(src.Byte()) << 16
	k |= uint32(src.Byte()) << 8
	k |= uint32(src.Byte())
	if traced {
		t.Words = append(t.Words, k)
	}
	return k
}

// Top52 takes seven bytes and returns the first 52 bits: 13 hex digits.
func Top52(src Source) uint64 {
	var r uint64
	for range 7 {
		r = r<<8 | uint64(src.Byte())
	}
	r >>= 4
	Note(src, func() Step { return Step{"top(52)", "bits 0..51", decimal(r)} })
	return r
}
