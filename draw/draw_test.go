package draw_test

import (
	"encoding/binary"
	"math"
	"strconv"
	"testing"

	"veridice/draw"
	"veridice/vectors/vectortest"
)

// A list is a source of the bytes it holds; it panics when they are used up.
type list []byte

func (l *list) Byte() byte {
	b := (*l)[0]
	*l = (*l)[1:]
	return b
}

func bytesOf(ks ...uint32) *list {
	var l list
	for _, k := range ks {
		l = binary.BigEndian.AppendUint32(l, k)
	}
	return &l
}

// TestPair runs the whole domain: each byte alone, with a byte after it that
// would give other dice.
func TestPair(t *testing.T) {
	count := map[[2]uint32]int{}
	type vector struct {
		Name string
		Byte byte
		Dice []uint32
	}
	vectortest.Each(t, "pair.ndjson", func(t *testing.T, v vector) {
		next := byte(35)
		if v.Byte == 35 {
			next = 0
		}
		src := list{v.Byte, next, 255}
		a, b := draw.Pair(&src)
		if v.Dice == nil {
			if v.Byte < draw.PairLimit || len(src) != 1 || a != 6 || b != 6 {
				t.Errorf("byte %d is not skipped: %d-%d", v.Byte, a, b)
			}
			return
		}
		if a != v.Dice[0] || b != v.Dice[1] || len(src) != 2 {
			t.Errorf("got %d-%d, want %v", a, b, v.Dice)
		}
		count[[2]uint32{a, b}]++
	})
	if len(count) != 36 {
		t.Errorf("%d pairs occur, want 36", len(count))
	}
	for dice, n := range count {
		if n != 7 || dice[0] < 1 || dice[0] > 6 || dice[1] < 1 || dice[1] > 6 {
			t.Errorf("%v comes from %d bytes, want 7", dice, n)
		}
	}
}

// TestPairSkipsAny: however many bytes are rejected, the next good one counts.
func TestPairSkipsAny(t *testing.T) {
	for n := range 200 {
		src := list{}
		for i := range n {
			src = append(src, byte(252+i%4))
		}
		src = append(src, 6, 0)
		if a, b := draw.Pair(&src); a != 2 || b != 1 || len(src) != 1 {
			t.Errorf("after %d rejected bytes: %d-%d", n, a, b)
		}
	}
}

func TestWord(t *testing.T) {
	src := list{0x6e, 0x37, 0xd8, 0x5d, 0, 0, 0, 1, 255, 255, 255, 255, 9}
	for _, want := range []uint32{1849153629, 1, 1<<32 - 1} {
		if got := draw.Word(&src); got != want {
			t.Errorf("got %d, want %d", got, want)
		}
	}
	if len(src) != 1 {
		t.Errorf("%d bytes are left, want 1", len(src))
	}
}

func TestModulo(t *testing.T) {
	type vector struct {
		Name, Kind string
		Word, Face uint32
	}
	vectortest.EachKind(t, "yayay.ndjson", "word", func(t *testing.T, v vector) {
		src := bytesOf(v.Word)
		if got := draw.Modulo(src, 6) + 1; got != v.Face || len(*src) != 0 {
			t.Errorf("got %d, want %d", got, v.Face)
		}
	})
}

// TestModuloBias holds the exact number of words behind each face against the
// ends of its series: words face-1, face+5, ... up to 2^32 - 1.
func TestModuloBias(t *testing.T) {
	var total uint64
	type vector struct {
		Name, Kind string
		Face       uint32
		Words      uint64
	}
	vectortest.EachKind(t, "yayay.ndjson", "bias", func(t *testing.T, v vector) {
		last := uint64(v.Face-1) + 6*(v.Words-1)
		if last >= 1<<32 || last+6 < 1<<32 {
			t.Errorf("the last word of face %d would be %d", v.Face, last)
		}
		for _, k := range []uint64{uint64(v.Face - 1), last, last - 6} {
			if got := draw.Modulo(bytesOf(uint32(k)), 6) + 1; got != v.Face {
				t.Errorf("word %d: got %d, want %d", k, got, v.Face)
			}
		}
		total += v.Words
	})
	if total != 1<<32 {
		t.Errorf("the faces have %d words together, want 2^32", total)
	}
}

func TestIndex(t *testing.T) {
	type vector struct {
		Name, Kind     string
		Word, N, Index uint32
	}
	vectortest.EachKind(t, "shuffle.ndjson", "index", func(t *testing.T, v vector) {
		src := bytesOf(v.Word)
		if got := draw.Index(src, v.N); got != v.Index || len(*src) != 0 {
			t.Errorf("got %d, want %d", got, v.Index)
		}
		if got := draw.IndexOf(v.Word, v.N); got != v.Index || got >= v.N {
			t.Errorf("of the word: got %d, want %d", got, v.Index)
		}
	})
}

// TestIndexBorders finds, for many n, the first and the last word of each value
// and that no word is left over: uniform but for one word.
func TestIndexBorders(t *testing.T) {
	for _, n := range []uint32{1, 2, 3, 6, 7, 8, 36, 37, 52, 100, 1000, 10001} {
		least, most := uint64(math.MaxUint64), uint64(0)
		for v := range uint64(n) {
			first := (v<<32 + uint64(n) - 1) / uint64(n)
			next := ((v+1)<<32 + uint64(n) - 1) / uint64(n)
			if got := draw.IndexOf(uint32(first), n); uint64(got) != v {
				t.Fatalf("n %d: word %d gives %d, want %d", n, first, got, v)
			}
			if got := draw.IndexOf(uint32(next-1), n); uint64(got) != v {
				t.Fatalf("n %d: word %d gives %d, want %d", n, next-1, got, v)
			}
			least, most = min(least, next-first), max(most, next-first)
		}
		if most-least > 1 {
			t.Errorf("n %d: a value has %d words, another %d", n, least, most)
		}
	}
}

func TestFloat(t *testing.T) {
	type vector struct {
		Name, Kind, Fraction, Float, Shown string
		Bytes                              []int
		Word, Value                        uint32
	}
	vectortest.EachKind(t, "shuffle.ndjson", "bytes", func(t *testing.T, v vector) {
		src := list{}
		for _, b := range v.Bytes {
			src = append(src, byte(b))
		}
		k := draw.Word(&src)
		if k != v.Word {
			t.Errorf("word: got %d, want %d", k, v.Word)
		}
		if want := strconv.FormatUint(uint64(k), 10) + "/4294967296"; v.Fraction != want {
			t.Errorf("fraction: got %s, want %s", want, v.Fraction)
		}
		want, err := strconv.ParseFloat(v.Float, 64)
		if err != nil {
			t.Fatal(err)
		}
		if got := draw.Float(k); got != want {
			t.Errorf("float: got %v, want %v", got, want)
		}
		// The published sum over powers of 256 is the same double.
		sum, unit := 0.0, 1.0
		for _, b := range v.Bytes {
			unit *= 256
			sum += float64(b) / unit
		}
		if sum != want {
			t.Errorf("the sum is %v, want %v", sum, want)
		}
		if got := draw.IndexOf(k, 10001); got != v.Value {
			t.Errorf("value: got %d, want %d", got, v.Value)
		}
	})
}

// TestUniform: the words it rejects are exactly those that would make the numbers
// unequal, and the rest is shared out equally.
func TestUniform(t *testing.T) {
	for _, n := range []uint32{1, 2, 3, 6, 7, 36, 52, 100, 1 << 16, 1<<16 + 1, 1 << 31, 1<<31 + 1, 1<<32 - 1} {
		limit := draw.Limit(n)
		if limit%uint64(n) != 0 || limit > 1<<32 || 1<<32-limit >= uint64(n) {
			t.Errorf("n %d: the limit is %d", n, limit)
		}
		last := uint32(limit - 1)
		src := bytesOf(last, 7)
		if got := draw.Uniform(src, n); got != last%n || got != n-1 || len(*src) != 4 {
			t.Errorf("n %d: the last good word %d gives %d", n, last, got)
		}
		if limit == 1<<32 {
			continue
		}
		src = bytesOf(uint32(limit), 1<<32-1, uint32(limit), n-1)
		if got := draw.Uniform(src, n); got != n-1 || len(*src) != 0 {
			t.Errorf("n %d: after three rejected words got %d, %d bytes left", n, got, len(*src))
		}
	}
}

// TestTraceTakesTheSameBytes: written down or not, the same numbers and bytes.
func TestTraceTakesTheSameBytes(t *testing.T) {
	draws := map[string]func(draw.Source) uint32{
		"word":    draw.Word,
		"index":   func(s draw.Source) uint32 { return draw.Index(s, 10001) },
		"modulo":  func(s draw.Source) uint32 { return draw.Modulo(s, 6) },
		"uniform": func(s draw.Source) uint32 { return draw.Uniform(s, 1<<31+1) },
		"pair":    func(s draw.Source) uint32 { a, b := draw.Pair(s); return 10*a + b },
	}
	for name, f := range draws {
		a := bytesOf(1<<32-1, 1<<32-2, 429453, 6, 5)
		b := draw.NewTrace(bytesOf(1<<32-1, 1<<32-2, 429453, 6, 5))
		if x, y := f(a), f(b); x != y || len(*a) != len(*b.Source.(*list)) {
			t.Errorf("%s: %d, traced %d", name, x, y)
		}
		if name == "index" && (len(b.Words) != 1 || len(b.Steps) != 1 || b.Steps[0].Result != "10000") {
			t.Errorf("index: words %v, steps %v", b.Words, b.Steps)
		}
	}
}

// TestCeilTakeBorder: the place is the product over 2^32, rounded up: 39 × 1431655765 is
// 13 × 2^32 - 13, and 39 × 2532929431 is 1 more than 23 × 2^32.
func TestCeilTakeBorder(t *testing.T) {
	for k, want := range map[uint32]uint32{1431655765: 13, 2532929431: 24, 0: 0, 1: 1, 1<<32 - 1: 39} {
		src := list(binary.BigEndian.AppendUint32(nil, k))
		if places, _ := draw.CeilTake(&src, 39, 1); places[0] != want {
			t.Errorf("word %d: place %d, want %d", k, places[0], want)
		}
	}
}
