package lanes

import (
	"crypto/sha256"
	"encoding/binary"
	"testing"
)

// stream is the counter stream "veridice lanes": SHA-256 of the name and a number.
func stream(n int) [32]byte {
	return sha256.Sum256(binary.BigEndian.AppendUint32([]byte("veridice lanes"), uint32(n)))
}

// pad makes the one block of a message of up to 55 bytes.
func pad(message []byte) (b Block) {
	copy(b[:], message)
	b[len(message)] = 0x80
	binary.BigEndian.PutUint64(b[56:], uint64(8*len(message)))
	return b
}

// TestCompress takes every message that fits one block, and one of two blocks.
func TestCompress(t *testing.T) {
	c := NewCompressor()
	for n := range 56 {
		long := append(append([]byte(nil), sum(2*n)...), sum(2*n+1)...)
		state, block := Initial(), pad(long[:n])
		c.Compress(&state, &block)
		if got, want := [32]byte(state), sha256.Sum256(long[:n]); got != want {
			t.Errorf("%d bytes: got %x want %x", n, got, want)
		}
	}
	// Two blocks, as of a key pad and a message.
	first := Block(append(append([]byte(nil), sum(1)...), sum(2)...))
	second := pad([]byte("abc"))
	binary.BigEndian.PutUint64(second[56:], 8*67)
	state := Initial()
	c.Compress(&state, &first)
	c.Compress(&state, &second)
	if got, want := [32]byte(state), sha256.Sum256(append(first[:], "abc"...)); got != want {
		t.Errorf("two blocks: got %x want %x", got, want)
	}
}

func sum(n int) []byte { s := stream(n); return s[:] }

// TestCompress16 gives each lane another state and another block, and compares
// with crypto/sha256 by way of the one-block path.
func TestCompress16(t *testing.T) {
	c := NewCompressor()
	for round := range 200 {
		var s, portable States
		var b Blocks
		for j := range N {
			for i := range s {
				s[i][j] = binary.BigEndian.Uint32(sum(1000*round + 16*j + i))
			}
			for i := range b {
				b[i][j] = binary.BigEndian.Uint32(sum(-1000*round - 16*j - i))
			}
		}
		if round == 0 {
			s, b = States{}, Blocks{} // all zero
		}
		if round == 1 {
			for i := range b {
				b.Fill(i, 1<<32-1)
			}
		}
		portable = s
		c.Compress16(&s, &b)
		c.compress16Portable(&portable, &b)
		if s != portable {
			t.Fatalf("round %d: the lanes differ from the portable way", round)
		}
	}
	if !Wide() {
		t.Log("this processor has no AVX-512: only the portable way was run")
	}
}

func FuzzCompress16(f *testing.F) {
	f.Add([]byte("seed"))
	c := NewCompressor()
	f.Fuzz(func(t *testing.T, data []byte) {
		var s, portable States
		var b Blocks
		at := func(n int) uint32 {
			h := sha256.Sum256(append(binary.BigEndian.AppendUint32(nil, uint32(n)), data...))
			return binary.BigEndian.Uint32(h[:])
		}
		for j := range N {
			for i := range s {
				s[i][j] = at(16*i + j)
			}
			for i := range b {
				b[i][j] = at(256 + 16*i + j)
			}
		}
		portable = s
		c.Compress16(&s, &b)
		c.compress16Portable(&portable, &b)
		if s != portable {
			t.Fatal("the lanes differ from the portable way")
		}
	})
}

// BenchmarkBlock is b, the unit of every other figure: one block of
// crypto/sha256 on long input.
func BenchmarkBlock(b *testing.B) {
	data := make([]byte, 1<<20)
	for b.Loop() {
		sha256.Sum256(data)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(data)/64), "ns/block")
}

func BenchmarkCompress(b *testing.B) {
	c := NewCompressor()
	state, block := Initial(), Block{}
	for b.Loop() {
		c.Compress(&state, &block)
	}
}

func BenchmarkCompress16(b *testing.B) {
	c := NewCompressor()
	var s States
	var blocks Blocks
	for b.Loop() {
		c.Compress16(&s, &blocks)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/N, "ns/block")
}
