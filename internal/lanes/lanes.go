// Package lanes compresses many SHA-256 blocks, and starts from states that were
// kept, which the standard library's interface hides.
//
// [Compressor.Compress] takes one block; it goes through the saved state of
// crypto/sha256, a public format. [Compressor.Compress16] takes sixteen at once where the
// processor has AVX-512, and sixteen times one elsewhere. Both add to a state without padding:
// the caller pads the last block itself, as FIPS 180-4 section 5.1.1 says.
package lanes

import (
	"crypto/sha256"
	"encoding"
	"encoding/binary"
	"hash"
)

// N is the number of blocks that [Compressor.Compress16] takes.
const N = 16

// A State is what a SHA-256 computation holds between two blocks: eight words,
// most significant byte first, as a digest has them.
type State [32]byte

// Initial is the state before the first block (FIPS 180-4, section 5.3.3).
func Initial() State {
	return State{
		0x6a, 0x09, 0xe6, 0x67, 0xbb, 0x67, 0xae, 0x85, 0x3c, 0x6e, 0xf3, 0x72, 0xa5, 0x4f, 0xf5, 0x3a,
		0x51, 0x0e, 0x52, 0x7f, 0x9b, 0x05, 0x68, 0x8c, 0x1f, 0x83, 0xd9, 0xab, 0x5b, 0xe0, 0xcd, 0x19,
	}
}

// A Block is the input of one compression.
type Block [64]byte

// saved is the length of what crypto/sha256 saves: a mark, the state, a block
// that is being filled, and the number of bytes so far.
const saved = 4 + 32 + 64 + 8

// A Compressor compresses one block at a time. It is not safe for concurrent use.
type Compressor struct {
	hash interface {
		hash.Hash
		encoding.BinaryAppender
		encoding.BinaryUnmarshaler
	}
	text [saved]byte
}

// NewCompressor makes a compressor.
func NewCompressor() *Compressor {
	c := new(Compressor)
	c.hash = sha256.New().(interface {
		hash.Hash
		encoding.BinaryAppender
		encoding.BinaryUnmarshaler
	})
	text, err := c.hash.AppendBinary(c.text[:0])
	if err != nil || len(text) != saved {
		panic("veridice: internal error: crypto/sha256 saves its state in another format")
	}
	return c
}

// Compress adds one block to a state. It allocates nothing.
func (c *Compressor) Compress(s *State, b *Block) {
	// The number of bytes so far grows with each call; it stays a multiple of a
	// block and is never used, since the caller pads.
	copy(c.text[4:], s[:])
	if err := c.hash.UnmarshalBinary(c.text[:]); err != nil {
		panic("veridice: internal error: " + err.Error())
	}
	c.hash.Write(b[:])
	if _, err := c.hash.AppendBinary(c.text[:0]); err != nil {
		panic("veridice: internal error: " + err.Error())
	}
	copy(s[:], c.text[4:])
}

// A Saved is a state in the form in which crypto/sha256 takes it up again.
type Saved [saved]byte

// Save makes the form of a state from which [Compressor.From] starts.
func (c *Compressor) Save(s *State) Saved {
	text := Saved(c.text)
	copy(text[4:], s[:])
	return text
}

// From writes to s what the saved state becomes by one block. It is
// [Compressor.Compress] for a state that many blocks start from.
func (c *Compressor) From(start *Saved, b *Block, s *State) {
	if err := c.hash.UnmarshalBinary(start[:]); err != nil {
		panic("veridice: internal error: " + err.Error())
	}
	c.hash.Write(b[:])
	if _, err := c.hash.AppendBinary(c.text[:0]); err != nil {
		panic("veridice: internal error: " + err.Error())
	}
	copy(s[:], c.text[4:])
}

// States are sixteen states: word i of lane j is [i][j].
type States [8][N]uint32

// Blocks are sixteen blocks in the same order: word i of lane j is [i][j].
type Blocks [16][N]uint32

// Fill gives every lane the same state.
func (s *States) Fill(from *State) {
	for i := range s {
		w := binary.BigEndian.Uint32(from[4*i:])
		for j := range s[i] {
			s[i][j] = w
		}
	}
}

// Fill gives word i of every lane the same value.
func (b *Blocks) Fill(i int, w uint32) {
	for j := range b[i] {
		b[i][j] = w
	}
}

// Compress16 adds one block a lane to the state of that lane.
func (c *Compressor) Compress16(s *States, b *Blocks) {
	if Wide() {
		compress16((*[8][16]uint32)(s), (*[16][16]uint32)(b))
		return
	}
	c.compress16Portable(s, b)
}

// compress16Portable is the oracle of compress16.
func (c *Compressor) compress16Portable(s *States, b *Blocks) {
	var state State
	var block Block
	for j := range N {
		for i := range s {
			binary.BigEndian.PutUint32(state[4*i:], s[i][j])
		}
		for i := range b {
			binary.BigEndian.PutUint32(block[4*i:], b[i][j])
		}
		c.Compress(&state, &block)
		for i := range s {
			s[i][j] = binary.BigEndian.Uint32(state[4*i:])
		}
	}
}
