// Package draw makes numbers of a stream of bytes. Each rule is one function;
// which scheme or game uses which is said there. The rules of the games are
// docs/spec/games.md, section 2.
//
// A stream never ends, so a draw has no error. A draw that rejects bytes or
// words takes further ones; what it rejected is gone. The exception is [Below],
// for sites that look at eight words and no more.
package draw

// A Source is an endless stream of bytes. The streams of package scheme are
// sources; so is anything a test injects.
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
