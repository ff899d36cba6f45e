package draw_test

import (
	"encoding/binary"
	"math/big"
	"slices"
	"strconv"
	"testing"

	"veridice/draw"
)

// words is a source of the words given, and of nothing more.
type words struct {
	t     testing.TB
	bytes []byte
	used  int
}

func ofWords(t testing.TB, list ...uint32) *words {
	w := &words{t: t}
	for _, k := range list {
		w.bytes = binary.BigEndian.AppendUint32(w.bytes, k)
	}
	return w
}

func (w *words) Byte() byte {
	if w.used == len(w.bytes) {
		w.t.Fatal("a draw takes more bytes than it should")
	}
	w.used++
	return w.bytes[w.used-1]
}

// ends fails unless everything was taken.
func (w *words) ends() {
	w.t.Helper()
	if w.used != len(w.bytes) {
		w.t.Errorf("took %d of %d bytes", w.used, len(w.bytes))
	}
}

// corners are the words that every draw must be tried with.
var corners = []uint32{0, 1, 1<<31 - 1, 1 << 31, 1<<32 - 1}

// least is the least word that index(n) makes i of: ceil(i × 2^32 / n).
func least(i, n uint32) uint32 {
	x := new(big.Int).Lsh(big.NewInt(int64(i)), 32)
	x.Add(x, big.NewInt(int64(n)-1))
	return uint32(x.Div(x, big.NewInt(int64(n))).Uint64())
}

func TestIndexAtEveryBorder(t *testing.T) {
	for _, n := range []uint32{1, 2, 3, 6, 7, 20, 25, 30, 37, 40, 41, 52, 416, 10001, 1 << 20, 1<<21 - 1, 1<<32 - 1} {
		step := max(1, n/5000)
		for i := uint32(0); i < n && i+step > i; i += step {
			k := least(i, n)
			if got := draw.IndexOf(k, n); got != i {
				t.Fatalf("index(%d) of %d: got %d, want %d", n, k, got, i)
			}
			if i > 0 {
				if got := draw.IndexOf(k-1, n); got != i-1 {
					t.Fatalf("index(%d) of %d: got %d, want %d", n, k-1, got, i-1)
				}
			}
		}
		if got := draw.IndexOf(1<<32-1, n); got != n-1 {
			t.Errorf("index(%d) of the last word: got %d", n, got)
		}
	}
}

// The examples of games.md, section 2.
func TestExamples(t *testing.T) {
	if got := draw.Index(ofWords(t, 1849153629), 37); got != 15 {
		t.Errorf("index(37): got %d, want 15", got)
	}
	if got := draw.Modulo(ofWords(t, 1849153629), 37); got != 4 {
		t.Errorf("mod 37: got %d, want 4", got)
	}
	src := ofWords(t, 1849153629, 2854391775, 749644737, 2461013250, 3650864612)
	places, numbers := draw.Take(src, 25, 5)
	if !slices.Equal(places, []uint32{10, 15, 4, 12, 17}) || !slices.Equal(numbers, []uint32{10, 16, 4, 14, 21}) {
		t.Errorf("take(25, 5): got places %d, numbers %d", places, numbers)
	}
	src.ends()
	if got := draw.From(98000001); got != 4209067994 {
		t.Errorf("threshold of 0.98000001: got %d", got)
	}
	if got := draw.From(98000000); got != 4209067951 {
		t.Errorf("threshold of 0.98: got %d", got)
	}
}

func TestCorners(t *testing.T) {
	for i, want := range []struct{ bit, die, index, modulo uint32 }{{0, 1, 0, 0}, {0, 1, 0, 1}, {0, 3, 4, 7}, {1, 4, 5, 8}, {1, 6, 9, 5}} {
		k := corners[i]
		if got := draw.Bit(ofWords(t, k)); got != want.bit {
			t.Errorf("bit of %d: got %d, want %d", k, got, want.bit)
		}
		if got := draw.Die(ofWords(t, k), 6); got != want.die {
			t.Errorf("die(6) of %d: got %d, want %d", k, got, want.die)
		}
		if got := draw.Index(ofWords(t, k), 10); got != want.index {
			t.Errorf("index(10) of %d: got %d, want %d", k, got, want.index)
		}
		if got := draw.Modulo(ofWords(t, k), 10); got != want.modulo {
			t.Errorf("mod 10 of %d: got %d, want %d", k, got, want.modulo)
		}
	}
}

// TestTakeGivesEveryOrderEquallyOften runs through one word of each place of each
// draw. The places of a list of n have the same number of words when n divides
// 2^32, and differ by one word otherwise, so one word stands for all.
func TestTakeGivesEveryOrderEquallyOften(t *testing.T) {
	for n, orders := range map[int]int{1: 1, 2: 2, 3: 6, 4: 24} {
		for m := 1; m <= n; m++ {
			seen := map[string]int{}
			var run func(list []uint32)
			run = func(list []uint32) {
				if len(list) == m {
					src := ofWords(t, list...)
					_, numbers := draw.Take(src, n, m)
					src.ends()
					key := ""
					for _, x := range numbers {
						key += strconv.Itoa(int(x)) + " "
					}
					seen[key]++
					return
				}
				size := uint32(n - len(list))
				for i := range size {
					run(append(list, least(i, size)))
				}
			}
			run(nil)
			want := orders
			for left := n - m; left > 1; left-- {
				want /= left
			}
			if len(seen) != want {
				t.Errorf("take(%d, %d) gives %d orders, want %d", n, m, len(seen), want)
			}
			for key, times := range seen {
				if times != 1 {
					t.Errorf("take(%d, %d) gives %s%d times", n, m, key, times)
				}
			}
		}
	}
}

// exchanged is the wrong reading of take: an exchange shuffle.
func exchanged(list []uint32, n int) []uint32 {
	board := make([]uint32, n)
	for i := range board {
		board[i] = uint32(i)
	}
	var numbers []uint32
	for i, k := range list {
		p := draw.IndexOf(k, uint32(n-i))
		numbers = append(numbers, board[p])
		board[p] = board[n-1-i]
	}
	return numbers
}

func TestTakeIsNoExchange(t *testing.T) {
	list := []uint32{1849153629, 2854391775, 749644737, 2461013250, 3650864612, 1127847100, 2880185152, 1005848485}
	_, numbers := draw.Take(ofWords(t, list...), 25, len(list))
	if slices.Equal(numbers, exchanged(list, 25)) {
		t.Error("take exchanges")
	}
}

func TestCeilTake(t *testing.T) {
	src := ofWords(t, 0, 1<<29, 1<<32-1)
	places, numbers := draw.CeilTake(src, 40, 3)
	if !slices.Equal(places, []uint32{0, 5, 38}) || !slices.Equal(numbers, []uint32{0, 6, 40}) {
		t.Errorf("got places %d, numbers %d", places, numbers)
	}
	src.ends()
}

// TestCeilTakeDiffers finds the pairs of draw and word in which rounding up is
// not one more than rounding down: the product is whole.
func TestCeilTakeDiffers(t *testing.T) {
	pairs := 0
	for i := range 10 {
		n := uint32(40 - i)
		// k × n is a multiple of 2^32 when k is one of 2^32 / gcd(n, 2^32).
		g := n & -n
		step := uint64(1<<32) / uint64(g)
		for k := uint64(0); k < 1<<32; k += step {
			pairs++
			places, _ := draw.CeilTake(ofWords(t, uint32(k)), int(n), 1)
			if want := uint32(k * uint64(n) >> 32); places[0] != want {
				t.Errorf("draw %d, word %d: got place %d, want %d", i, k, places[0], want)
			}
			for _, beside := range []uint64{k + 1, k + step - 1} {
				if beside%step == 0 {
					continue
				}
				places, _ := draw.CeilTake(ofWords(t, uint32(beside)), int(n), 1)
				if want := uint32(beside*uint64(n)>>32) + 1; places[0] != want {
					t.Errorf("draw %d, word %d: got place %d, want %d", i, beside, places[0], want)
				}
			}
		}
	}
	if pairs != 53 {
		t.Errorf("found %d pairs, games.md has 53", pairs)
	}
}

func TestTier(t *testing.T) {
	// Cases, easy: games.md, section 4.12.
	minimums := []uint32{99000001, 97000001, 93000001, 86000001, 76000001, 41000001, 0}
	for row, from := range []uint32{4252017666, 4166118321, 3994319629, 3693671918, 3264175188, 1760936635} {
		if got := draw.Tier(ofWords(t, from), minimums); got != row {
			t.Errorf("word %d: got row %d, want %d", from, got, row)
		}
		if got := draw.Tier(ofWords(t, from-1), minimums); got != row+1 {
			t.Errorf("word %d: got row %d, want %d", from-1, got, row+1)
		}
	}
	for i, want := range []int{6, 6, 5, 5, 0} {
		if got := draw.Tier(ofWords(t, corners[i]), minimums); got != want {
			t.Errorf("word %d: got row %d, want %d", corners[i], got, want)
		}
	}
}

func TestWeighted(t *testing.T) {
	weights := []uint32{90, 0, 910}
	// The first symbol ends where 1000 k reaches 90 × 2^32.
	border := uint32(new(big.Int).Div(new(big.Int).Add(new(big.Int).Lsh(big.NewInt(90), 32), big.NewInt(999)), big.NewInt(1000)).Uint64())
	for k, want := range map[uint32]int{0: 0, 1: 0, border - 1: 0, border: 2, 1<<31 - 1: 2, 1 << 31: 2, 1<<32 - 1: 2} {
		if got := draw.Weighted(ofWords(t, k), weights); got != want {
			t.Errorf("word %d: got %d, want %d", k, got, want)
		}
	}
}

func TestLimits(t *testing.T) {
	for _, c := range []struct {
		n          uint32
		duel, full uint64
	}{{10001, 4294959453, 4294959453}, {10000, 4294960000, 4294960000}, {2, 4294967294, 4294967296}, {25, 4294967275, 4294967275}, {1, 4294967295, 4294967296}, {20, 4294967280, 4294967280}, {3, 4294967295, 4294967295}, {16, 4294967280, 4294967296}} {
		if got := draw.DuelLimit(c.n); got != c.duel {
			t.Errorf("duel's limit for %d: got %d, want %d", c.n, got, c.duel)
		}
		if got := draw.Limit(c.n); got != c.full {
			t.Errorf("the full limit for %d: got %d, want %d", c.n, got, c.full)
		}
	}
}

func TestBelow(t *testing.T) {
	const n, limit = 10001, 4294959453
	src := ofWords(t, 4294963118, 849487719) // foreign.md, section 1
	if v, ok := draw.Below(src, n, limit); v != 2779 || !ok {
		t.Errorf("got %d %v, want 2779", v, ok)
	}
	src.ends()
	src = ofWords(t, limit, limit-1)
	if v, ok := draw.Below(src, n, limit); v != 10000 || !ok {
		t.Errorf("at the limit: got %d %v, want 10000", v, ok)
	}
	src = ofWords(t, slices.Repeat([]uint32{1<<32 - 1}, 8)...)
	if v, ok := draw.Below(src, n, limit); v != 0 || ok {
		t.Errorf("eight rejected words give %d %v", v, ok)
	}
	src.ends()
}

// numbered is a source with blocks of eight words each, all of them the number
// that the block is given for.
type numbered struct {
	*words
	blocks map[uint64]uint32
	sought []uint64
}

func (s *numbered) Seek(block uint64) {
	s.sought = append(s.sought, block)
	s.words = ofWords(s.t, slices.Repeat([]uint32{s.blocks[block]}, 8)...)
}

func TestBelowAt(t *testing.T) {
	src := &numbered{ofWords(t), map[uint64]uint32{5: 1<<32 - 1, 1000005: 1<<32 - 1, 2000005: 12345}, nil}
	if v, ok := draw.BelowAt(src, 5, 10000); v != 2345 || !ok {
		t.Errorf("got %d %v, want 2345", v, ok)
	}
	if !slices.Equal(src.sought, []uint64{5, 1000005, 2000005}) {
		t.Errorf("sought blocks %d", src.sought)
	}
	if _, ok := draw.BelowAt(ofWords(t, 1), 0, 2); ok {
		t.Error("a source without blocks is sought")
	}
}

func TestSmall(t *testing.T) {
	src := &words{t: t, bytes: []byte{255, 254, 253, 252, 251}}
	if die, taken := draw.Small(src); die != 6 || taken != 5 {
		t.Errorf("got %d of %d bytes, want 6 of 5", die, taken)
	}
	counts := [7]int{}
	for x := range draw.PairLimit {
		die, taken := draw.Small(&words{t: t, bytes: []byte{byte(x)}})
		if taken != 1 {
			t.Errorf("byte %d is rejected", x)
		}
		counts[die]++
	}
	if counts != [7]int{0, 42, 42, 42, 42, 42, 42} {
		t.Errorf("got %d of each face", counts)
	}
}

func TestTop52(t *testing.T) {
	src := &words{t: t, bytes: []byte{0x53, 0x57, 0x40, 0x71, 0xc0, 0xeb, 0xce}}
	if got := draw.Top52(src); got != 1466147335311036 { // foreign.md, section 3
		t.Errorf("got %d", got)
	}
	src.ends()
}

func TestTraceChangesNothing(t *testing.T) {
	list := []uint32{1849153629, 2854391775, 749644737, 2461013250, 3650864612, 1127847100, 2880185152}
	play := func(src draw.Source) []uint32 {
		_, taken := draw.Take(src, 25, 2)
		_, ceil := draw.CeilTake(src, 40, 1)
		return slices.Concat(taken, ceil, []uint32{draw.Index(src, 52), draw.Bit(src), draw.Modulo(src, 48), uint32(draw.Weighted(src, []uint32{500, 500}))})
	}
	trace := draw.NewTrace(ofWords(t, list...))
	if got, want := play(trace), play(ofWords(t, list...)); !slices.Equal(got, want) {
		t.Errorf("with a trace %d, without %d", got, want)
	}
	if !slices.Equal(trace.Words, list) {
		t.Errorf("the trace has the words %d", trace.Words)
	}
	if len(trace.Steps) != len(list) {
		t.Fatalf("the trace has %d steps", len(trace.Steps))
	}
	if want := (draw.Step{Name: "take(25)", Values: "1849153629 × 25 >> 32 = 10", Result: "10"}); trace.Steps[0] != want {
		t.Errorf("got %+v, want %+v", trace.Steps[0], want)
	}
}
