// Package bulk derives rolls by the million: the same outcomes as packages scheme
// and roll, which are its oracle, without an allocation a roll and without doing
// any work twice.
//
// The states that a key's pads and the constant beginning of the messages leave
// are kept, so that a roll of tavli/1 costs two compressions, and sixteen rolls
// are made at once where the processor can (package lanes).
package bulk

import (
	"crypto/sha256"
	"encoding/binary"

	"veridice/internal/lanes"
)

// oneBlock is the length of the longest tail of a message that leaves room for
// its padding in the same block.
const oneBlock = 64 - 1 - 8

// A MAC computes HMAC-SHA-256 under one key for messages that begin alike. It is
// not safe for concurrent use.
type MAC struct {
	c            *lanes.Compressor
	inner, outer lanes.State // after the key's pads
	after        lanes.State // after the whole blocks of the prefix
	rest         lanes.Block // beginning of the next block: what is left of the prefix
	left         int         // its length
	length       uint64      // of pad and prefix, in bytes

	// For a tail of one block: both states as they are taken up, the last block of
	// the message with the prefix in it, and that of the outer hash. Bytes of last
	// from left to dirty are of the message before.
	saved, outerSaved lanes.Saved
	last, outerLast   lanes.Block
	dirty             int

	// Scratch of Sum: on the stack it would escape through an interface.
	state lanes.State
	block lanes.Block

	lanes lanes16
}

// lanes16 is what sum16 keeps from call to call under one key and prefix.
type lanes16 struct {
	ready        bool
	after, outer lanes.States         // the states of MAC in every lane
	tails        [lanes.N]lanes.Block // the last block of each message
	filled       int                  // how many bytes of a tail may differ from rest
	blocks       lanes.Blocks         // the tails by words
	outerBlocks  lanes.Blocks         // the same for the outer hash
	sums         lanes.States
}

// NewMAC makes a MAC under a key of any length, with an empty prefix.
func NewMAC(key []byte) *MAC {
	m := &MAC{c: lanes.NewCompressor()}
	m.SetKey(key)
	return m
}

// SetKey takes another key and an empty prefix.
func (m *MAC) SetKey(key []byte) {
	var pad lanes.Block
	if len(key) > len(pad) {
		sum := sha256.Sum256(key)
		key = sum[:]
	}
	copy(pad[:], key)
	for i := range pad {
		pad[i] ^= 0x36
	}
	m.inner = lanes.Initial()
	m.c.Compress(&m.inner, &pad)
	for i := range pad {
		pad[i] ^= 0x36 ^ 0x5c
	}
	m.outer = lanes.Initial()
	m.c.Compress(&m.outer, &pad)
	m.outerSaved = m.c.Save(&m.outer)
	m.outerLast[32] = 0x80
	binary.BigEndian.PutUint16(m.outerLast[62:], 8*(64+32))
	m.SetPrefix(nil)
}

// SetPrefix takes another beginning of the messages.
func (m *MAC) SetPrefix(prefix []byte) {
	m.after = m.inner
	m.length = uint64(len(m.rest) + len(prefix))
	for len(prefix) >= len(m.rest) {
		m.c.Compress(&m.after, (*lanes.Block)(prefix))
		prefix = prefix[len(m.rest):]
	}
	clear(m.rest[:])
	m.left = copy(m.rest[:], prefix)
	m.saved = m.c.Save(&m.after)
	m.last, m.dirty = m.rest, m.left
	m.lanes.ready = false
}

// Sum is the MAC of the prefix followed by tail.
func (m *MAC) Sum(tail []byte) (sum [32]byte) {
	if n := m.left + len(tail); n <= oneBlock {
		copy(m.last[m.left:], tail)
		m.last[n] = 0x80
		if n+1 < m.dirty {
			clear(m.last[n+1 : m.dirty])
		}
		m.dirty = n + 1
		binary.BigEndian.PutUint64(m.last[56:], 8*(m.length+uint64(len(tail))))
		m.c.From(&m.saved, &m.last, (*lanes.State)(m.outerLast[:32]))
		m.c.From(&m.outerSaved, &m.outerLast, (*lanes.State)(&sum))
		return sum
	}
	return m.long(tail)
}

// long is Sum for a tail of more than one block.
func (m *MAC) long(tail []byte) [32]byte {
	state, block := &m.state, &m.block
	*state, *block = m.after, m.rest
	n := m.left
	length := 8 * (m.length + uint64(len(tail)))
	for n+len(tail) >= len(block) {
		tail = tail[copy(block[n:], tail):]
		m.c.Compress(state, block)
		clear(block[:])
		n = 0
	}
	n += copy(block[n:], tail)
	block[n] = 0x80
	if n > oneBlock {
		m.c.Compress(state, block)
		clear(block[:])
	}
	binary.BigEndian.PutUint64(block[56:], length)
	m.c.Compress(state, block)

	clear(block[copy(block[:], state[:]):])
	block[32] = 0x80
	binary.BigEndian.PutUint16(block[62:], 8*(64+32))
	*state = m.outer
	m.c.Compress(state, block)
	return *state
}

// sum16 computes sixteen MACs at once. For each lane, tail appends what follows
// the prefix. It returns nil if one of them needs more than a block.
func (m *MAC) sum16(tail func(lane int, to []byte) []byte) *lanes.States {
	l := &m.lanes
	if !l.ready {
		l.after.Fill(&m.after)
		l.outer.Fill(&m.outer)
		l.outerBlocks = lanes.Blocks{}
		l.outerBlocks.Fill(8, 1<<31)
		l.outerBlocks.Fill(15, 8*(64+32))
		for j := range l.tails {
			l.tails[j] = m.rest
		}
		for i := range l.blocks {
			l.blocks.Fill(i, binary.BigEndian.Uint32(m.rest[4*i:]))
		}
		l.filled = m.left
		l.ready = true
	}
	before := l.filled
	for j := range l.tails {
		t := &l.tails[j]
		clear(t[m.left:before])
		n := len(tail(j, t[:m.left]))
		if n > oneBlock {
			l.ready = false
			return nil
		}
		t[n] = 0x80
		l.blocks[15][j] = uint32(8 * (m.length + uint64(n-m.left)))
		l.filled = max(l.filled, n+1)
	}
	for i := m.left / 4; 4*i < l.filled; i++ {
		for j := range l.tails {
			l.blocks[i][j] = binary.BigEndian.Uint32(l.tails[j][4*i:])
		}
	}
	l.sums = l.after
	m.c.Compress16(&l.sums, &l.blocks)
	copy(l.outerBlocks[:8], l.sums[:])
	l.sums = l.outer
	m.c.Compress16(&l.sums, &l.outerBlocks)
	return &l.sums
}
