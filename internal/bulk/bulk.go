package bulk

import (
	"encoding/binary"
	"strconv"

	"veridice/draw"
	"veridice/internal/lanes"
	"veridice/scheme"
)

// Tavli derives rolls of one match of tavli/1.
type Tavli struct {
	mac    *MAC
	opened *scheme.Opened
}

// NewTavli takes the parts of a match, checked as [scheme.Scheme.Open] does.
func NewTavli(in scheme.Inputs) (*Tavli, error) {
	s, err := scheme.Lookup(scheme.Tavli1)
	if err != nil {
		return nil, err
	}
	opened, err := s.Open(in)
	if err != nil {
		return nil, err
	}
	var prefix []byte
	for i, c := range in.Clients {
		if i > 0 {
			prefix = append(prefix, ':')
		}
		prefix = append(prefix, c...)
	}
	t := &Tavli{NewMAC(in.Server.Reveal()), opened}
	t.mac.SetPrefix(append(prefix, ':'))
	return t, nil
}

// Rolls writes rolls from, from+1, … to dst, each as 6 × (first die - 1) + second
// die - 1. The numbers must be those of the scheme.
func (t *Tavli) Rolls(dst []byte, from uint64) {
	for lanes.Wide() && len(dst) >= lanes.N {
		sums := t.mac.sum16(func(lane int, to []byte) []byte {
			return strconv.AppendUint(to, from+uint64(lane), 10)
		})
		if sums == nil {
			break
		}
		for j, first := range sums[0] {
			if first < draw.PairLimit<<24 {
				dst[j] = byte(first>>24) % 36
			} else {
				dst[j] = t.roll(from + uint64(j)) // the first byte is left out: 1 roll in 64
			}
		}
		dst, from = dst[lanes.N:], from+lanes.N
	}
	for i := range dst {
		dst[i] = t.roll(from + uint64(i))
	}
}

func (t *Tavli) roll(number uint64) byte {
	var digits [20]byte
	sum := t.mac.Sum(strconv.AppendUint(digits[:0], number, 10))
	for _, b := range sum {
		if b < draw.PairLimit {
			return b % 36
		}
	}
	// No byte of the first block is used, 2^-192: the scheme goes on to the next.
	stream, err := t.opened.Stream(number)
	if err != nil {
		panic("veridice: internal error: " + err.Error())
	}
	a, b := draw.Pair(stream)
	return byte(6*(a-1) + b - 1)
}

// Yayay writes dice first, first+1, … of a game of yayay/1 to dst, each 1 to 6.
func Yayay(server [32]byte, dst []byte, first uint32) {
	c := lanes.NewCompressor()
	initial := lanes.Initial()
	if lanes.Wide() && len(dst) >= lanes.N {
		var blocks lanes.Blocks
		for i := range 8 {
			blocks.Fill(i, binary.BigEndian.Uint32(server[4*i:]))
		}
		blocks.Fill(9, 1<<31)
		blocks.Fill(15, 8*36)
		var states, start lanes.States
		start.Fill(&initial)
		for len(dst) >= lanes.N {
			for j := range lanes.N {
				blocks[8][j] = first + uint32(j)
			}
			states = start
			c.Compress16(&states, &blocks)
			for j, word := range states[0] {
				dst[j] = byte(word%6) + 1
			}
			dst, first = dst[lanes.N:], first+lanes.N
		}
	}
	var block lanes.Block
	copy(block[:], server[:])
	block[36] = 0x80
	binary.BigEndian.PutUint16(block[62:], 8*36)
	for i := range dst {
		binary.BigEndian.PutUint32(block[32:], first+uint32(i))
		state := initial
		c.Compress(&state, &block)
		dst[i] = byte(binary.BigEndian.Uint32(state[:])%6) + 1
	}
}

// Floats gives words of one seed pair of shuffle/1, or another scheme with the
// message client:nonce:block and a key of text.
type Floats struct{ mac *MAC }

// NewFloats takes the texts of a seed pair.
func NewFloats(server, client []byte) *Floats {
	f := &Floats{NewMAC(server)}
	f.mac.SetPrefix(append(append([]byte(nil), client...), ':'))
	return f
}

// FirstWords writes the first word of nonces from, from+1, … to dst.
func (f *Floats) FirstWords(dst []uint32, from uint64) {
	for lanes.Wide() && len(dst) >= lanes.N {
		sums := f.mac.sum16(func(lane int, to []byte) []byte {
			return append(strconv.AppendUint(to, from+uint64(lane), 10), ":0"...)
		})
		if sums == nil {
			break
		}
		copy(dst, sums[0][:])
		dst, from = dst[lanes.N:], from+lanes.N
	}
	for i := range dst {
		sum := f.Block(from+uint64(i), 0)
		dst[i] = binary.BigEndian.Uint32(sum[:])
	}
}

// Block gives one block of the stream of a nonce.
func (f *Floats) Block(nonce, block uint64) [32]byte {
	var tail [41]byte
	t := append(strconv.AppendUint(tail[:0], nonce, 10), ':')
	return f.mac.Sum(strconv.AppendUint(t, block, 10))
}
