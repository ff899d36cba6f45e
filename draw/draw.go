// Package draw makes numbers of a stream of bytes. Each rule is one function;
// which scheme or game uses which is said there.
//
// A stream never ends, so a draw has no error. A draw that rejects bytes or
// words takes further ones; what it rejected is gone.
package draw

// A Source is an endless stream of bytes. The streams of package scheme are
// sources; so is anything a test injects.
type Source interface {
	// Byte gives the next byte of the stream.
	Byte() byte
}

// Word takes four bytes, most significant first.
func Word(src Source) uint32 {
	k := uint32(src.Byte()) << 24
	k |= uint32(src.Byte()) << 16
	k |= uint32(src.Byte()) << 8
	return k | uint32(src.Byte())
}
