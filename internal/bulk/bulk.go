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
				dst[j] = t.Roll(from + uint64(j)) // the first byte is left out: 1 roll in 64
			}
		}
		dst, from = dst[lanes.N:], from+lanes.N
	}
	for i := range dst {
		dst[i] = t.Roll(from + uint64(i))
	}
}

// Roll derives one roll by the portable way, written as [Tavli.Rolls] does.
func (t *Tavli) Roll(number uint64) byte {
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

// Yayay derives dice of one game of yayay/1. It is not safe for concurrent use.
type Yayay struct {
	c      *lanes.Compressor
	saved  lanes.Saved  // the initial state
	start  lanes.States // the same in every lane
	blocks lanes.Blocks // all but the number of the die
	block  lanes.Block  // the same for one die

	states lanes.States // scratch
}

// NewYayay takes the server seed of a game.
func NewYayay(server [32]byte) *Yayay {
	y, initial := &Yayay{c: lanes.NewCompressor()}, lanes.Initial()
	y.saved = y.c.Save(&initial)
	y.start.Fill(&initial)
	copy(y.block[:], server[:])
	y.block[36] = 0x80
	binary.BigEndian.PutUint16(y.block[62:], 8*36)
	for i := range y.blocks {
		y.blocks.Fill(i, binary.BigEndian.Uint32(y.block[4*i:]))
	}
	return y
}

// Dice writes dice first, first+1, … to dst, each 1 to 6.
func (y *Yayay) Dice(dst []byte, first uint32) {
	for lanes.Wide() && len(dst) >= lanes.N {
		for j := range lanes.N {
			y.blocks[8][j] = first + uint32(j)
		}
		y.states = y.start
		y.c.Compress16(&y.states, &y.blocks)
		for j, word := range y.states[0] {
			dst[j] = byte(word%6) + 1
		}
		dst, first = dst[lanes.N:], first+lanes.N
	}
	for i := range dst {
		dst[i] = y.Die(first + uint32(i))
	}
}

// Die derives one die by the portable way.
func (y *Yayay) Die(number uint32) byte {
	binary.BigEndian.PutUint32(y.block[32:], number)
	var state lanes.State
	y.c.From(&y.saved, &y.block, &state)
	return byte(binary.BigEndian.Uint32(state[:])%6) + 1
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
