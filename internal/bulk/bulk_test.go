package bulk

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"veridice/draw"
	"veridice/internal/lanes"
	"veridice/roll"
	"veridice/scheme"
	"veridice/seed"
)

// counter is the stream "veridice bulk": SHA-256 of the name and a number.
func counter(n int) []byte {
	sum := sha256.Sum256(binary.BigEndian.AppendUint32([]byte("veridice bulk"), uint32(n)))
	return sum[:]
}

func long(n, length int) []byte {
	var b []byte
	for i := 0; len(b) < length; i++ {
		b = append(b, counter(1000*n+i)...)
	}
	return b[:length]
}

// TestMAC compares with crypto/hmac where blocks begin and end: keys, prefixes
// and tails of every length up to beyond two blocks.
func TestMAC(t *testing.T) {
	m := NewMAC(nil)
	for _, key := range []int{0, 1, 31, 32, 63, 64, 65, 128, 200} {
		m.SetKey(long(1, key))
		for prefix := range 131 {
			m.SetPrefix(long(2, prefix))
			for _, tail := range []int{0, 1, 2, 3, 22, 54, 55, 56, 57, 63, 64, 65, 119, 120, 121, 130} {
				h := hmac.New(sha256.New, long(1, key))
				h.Write(long(2, prefix))
				h.Write(long(3, tail))
				if got := m.Sum(long(3, tail)); !bytes.Equal(got[:], h.Sum(nil)) {
					t.Fatalf("key %d, prefix %d, tail %d bytes", key, prefix, tail)
				}
			}
		}
	}
}

// TestSum16 lets the tails of the lanes have different lengths, growing and
// shrinking from call to call.
func TestSum16(t *testing.T) {
	m := NewMAC(long(1, 32))
	for prefix := range 70 {
		m.SetPrefix(long(2, prefix))
		for _, lengths := range [][2]int{{1, 3}, {5, 9}, {2, 2}, {0, 15}, {0, 1}, {30, 2}, {0, 3}, {55, 1}, {1, 1}} {
			tail := func(lane int, to []byte) []byte {
				return append(to, long(lane, max(0, lengths[0]+lane%max(1, lengths[1])))...)
			}
			fits := true
			for j := range lanes.N {
				fits = fits && len(tail(j, make([]byte, prefix%64))) <= oneBlock
			}
			sums := m.sum16(tail)
			if (sums != nil) != fits {
				t.Fatalf("prefix %d, tails %v: taken %v", prefix, lengths, sums != nil)
			}
			if !fits {
				continue
			}
			for j := range lanes.N {
				want := m.Sum(tail(j, nil))
				for i := range 8 {
					if sums[i][j] != binary.BigEndian.Uint32(want[4*i:]) {
						t.Fatalf("prefix %d, tails %v, lane %d", prefix, lengths, j)
					}
				}
			}
		}
	}
}

func inputs(t testing.TB, server []byte, clients ...string) scheme.Inputs {
	s, err := seed.NewServer(server)
	if err != nil {
		t.Fatal(err)
	}
	in := scheme.Inputs{Server: s}
	for _, c := range clients {
		in.Clients = append(in.Clients, seed.Client(c))
	}
	return in
}

// TestTavli compares with package roll over many matches, among them prefixes
// that leave no room for the number in a block, and over the change from 9 to 10,
// 99 to 100 and so on inside a batch.
func TestTavli(t *testing.T) {
	s, err := scheme.Lookup(scheme.Tavli1)
	if err != nil {
		t.Fatal(err)
	}
	for _, clients := range [][]string{
		{"Lucky_7"}, {seed.Hex(long(1, 16)), seed.Hex(long(2, 16))}, {strings.Repeat("x", 50)}, {strings.Repeat("x", 54)},
		{strings.Repeat("y", 62)}, {strings.Repeat("y", 63)}, slices.Repeat([]string{strings.Repeat("z", 128)}, 16),
	} {
		in := inputs(t, long(len(clients), 32), clients...)
		fast, err := NewTavli(in)
		if err != nil {
			t.Fatal(err)
		}
		slow, err := roll.New(s, in)
		if err != nil {
			t.Fatal(err)
		}
		for _, from := range []uint64{1, 90, 990, 99_990, 1<<53 - 45} {
			got := make([]byte, 45)
			fast.Rolls(got, from)
			for i, v := range got {
				want, err := slow.Roll(roll.Place{Number: from + uint64(i), Dice: 2})
				if err != nil {
					t.Fatal(err)
				}
				if dice := []uint32{uint32(v)/6 + 1, uint32(v)%6 + 1}; !slices.Equal(dice, want.Dice) {
					t.Fatalf("%d client seeds, roll %d: got %v want %v", len(clients), want.Number, dice, want.Dice)
				}
			}
		}
	}
}

// TestTavliSkips takes the published rolls whose first bytes are left out: roll 87
// and roll 1417 of the first example of docs/spec/tavli.md.
func TestTavliSkips(t *testing.T) {
	server, _ := seed.ParseHex("c149c301f8134a320da3e36748bb70c14850c75fc8ab0dc1e36460fa89070300")
	fast, err := NewTavli(inputs(t, server, "f24279610d6b8b1362d85c3ddec7f24e", "d60062c1d2fe5d3f376829416b34be90"))
	if err != nil {
		t.Fatal(err)
	}
	all := make([]byte, 1424)
	fast.Rolls(all, 1)
	for number, want := range map[int]byte{1: 6, 87: 35, 1417: 7} {
		if got := all[number-1]; got != want {
			t.Errorf("roll %d: got %d want %d", number, got, want)
		}
	}
}

func TestYayay(t *testing.T) {
	s, err := scheme.Lookup(scheme.Yayay1)
	if err != nil {
		t.Fatal(err)
	}
	server := [32]byte(counter(7))
	slow, err := roll.New(s, inputs(t, server[:]))
	if err != nil {
		t.Fatal(err)
	}
	for _, first := range []uint32{0, 250, 1<<32 - 100} {
		got := make([]byte, 100)
		NewYayay(server).Dice(got, first)
		want, err := slow.Roll(roll.Place{Number: 1, Die: uint64(first), Dice: 100})
		if err != nil {
			t.Fatal(err)
		}
		for i := range got {
			if uint32(got[i]) != want.Dice[i] {
				t.Errorf("die %d: got %d want %d", uint64(first)+uint64(i), got[i], want.Dice[i])
			}
		}
	}
}

func TestFloats(t *testing.T) {
	s, err := scheme.Lookup(scheme.Shuffle1)
	if err != nil {
		t.Fatal(err)
	}
	for _, client := range []string{"", "abc", "καλή τύχη", strings.Repeat("c", 60), strings.Repeat("c", 1024)} {
		opened, err := s.Open(inputs(t, []byte(seed.Hex(counter(1))), client))
		if err != nil {
			t.Fatal(err)
		}
		fast := NewFloats([]byte(seed.Hex(counter(1))), []byte(client))
		got := make([]uint32, 37)
		fast.FirstWords(got, 90)
		for i, word := range got {
			stream, err := opened.Stream(90 + uint64(i))
			if err != nil {
				t.Fatal(err)
			}
			if want := draw.Word(stream); word != want {
				t.Errorf("client seed %q, nonce %d: got %d want %d", client, 90+i, word, want)
			}
		}
	}
}

func FuzzMAC(f *testing.F) {
	f.Add([]byte("key"), []byte("client:"), []byte("1"))
	f.Add(make([]byte, 65), make([]byte, 63), make([]byte, 56))
	m := NewMAC(nil)
	f.Fuzz(func(t *testing.T, key, prefix, tail []byte) {
		m.SetKey(key)
		m.SetPrefix(prefix)
		h := hmac.New(sha256.New, key)
		fmt.Fprintf(h, "%s%s", prefix, tail)
		if got := m.Sum(tail); !bytes.Equal(got[:], h.Sum(nil)) {
			t.Fatal("differs from crypto/hmac")
		}
	})
}

func TestNoAllocation(t *testing.T) {
	fast, err := NewTavli(inputs(t, long(1, 32), seed.Hex(long(1, 16)), seed.Hex(long(2, 16))))
	if err != nil {
		t.Fatal(err)
	}
	dst := make([]byte, 1000)
	if n := testing.AllocsPerRun(10, func() { fast.Rolls(dst, 1) }); n > 0 {
		t.Errorf("%v allocations for 1000 rolls", n)
	}
	floats := NewFloats([]byte("server"), []byte("client"))
	if n := testing.AllocsPerRun(10, func() { _ = floats.Block(1, 0) }); n > 0 {
		t.Errorf("%v allocations for a block", n)
	}
}

func benchmarkTavli(b *testing.B, rolls func(t *Tavli, dst []byte)) {
	fast, err := NewTavli(inputs(b, long(1, 32), seed.Hex(long(1, 16)), seed.Hex(long(2, 16))))
	if err != nil {
		b.Fatal(err)
	}
	dst := make([]byte, 1600)
	for b.Loop() {
		rolls(fast, dst)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(dst)), "ns/roll")
}

func BenchmarkTavli(b *testing.B) {
	benchmarkTavli(b, func(t *Tavli, dst []byte) { t.Rolls(dst, 1) })
}

func BenchmarkTavliOne(b *testing.B) {
	benchmarkTavli(b, func(t *Tavli, dst []byte) {
		for i := range dst {
			dst[i] = t.Roll(uint64(i) + 1)
		}
	})
}

func BenchmarkYayay(b *testing.B) {
	y, dst := NewYayay([32]byte{1}), make([]byte, 1600)
	for b.Loop() {
		y.Dice(dst, 0)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(dst)), "ns/die")
}

func BenchmarkYayayOne(b *testing.B) {
	y, n := NewYayay([32]byte{1}), uint32(0)
	for b.Loop() {
		y.Die(n)
		n++
	}
}

func BenchmarkFloat(b *testing.B) {
	floats := NewFloats([]byte(strconv.Itoa(1<<60)), long(1, 20))
	dst := make([]uint32, 1600)
	for b.Loop() {
		floats.FirstWords(dst, 1)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(dst)), "ns/word")
}

func BenchmarkFloatOne(b *testing.B) {
	floats := NewFloats([]byte(strconv.Itoa(1<<60)), long(1, 20))
	for b.Loop() {
		floats.Block(1, 0)
	}
}
