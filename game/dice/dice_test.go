package dice_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"veridice/game/dice"
	"veridice/vectors/vectortest"
)

type list []byte

func (l *list) Byte() byte {
	b := (*l)[0]
	*l = (*l)[1:]
	return b
}

func word(k uint32) *list {
	l := list(binary.BigEndian.AppendUint32(nil, k))
	return &l
}

func TestPairKeepsTheOrder(t *testing.T) {
	for b := range byte(252) {
		src := list{b}
		got := dice.Pair(&src)
		if want := []uint32{uint32(b) % 36 / 6, uint32(b) % 6}; len(got) != 2 || got[0] != want[0]+1 || got[1] != want[1]+1 {
			t.Errorf("byte %d: got %v", b, got)
		}
	}
}

func TestThrow(t *testing.T) {
	for n := range dice.MaxThrow + 1 {
		src := list{}
		for i := range n {
			src = binary.BigEndian.AppendUint32(src, 4294967291+uint32(i%5)) // faces 6 1 2 3 4
		}
		got := dice.Throw(&src, n)
		if len(got) != n || len(src) != 0 {
			t.Fatalf("%d dice: got %d, %d bytes left", n, len(got), len(src))
		}
		for i, d := range got {
			if want := []uint32{6, 1, 2, 3, 4}[i%5]; d != want {
				t.Errorf("die %d of %d: got %d, want %d", i, n, d, want)
			}
		}
	}
}

// TestValues prints all values and reads them back.
func TestValues(t *testing.T) {
	seen := map[string]bool{}
	for v := range dice.Value(10001) {
		text := v.String()
		whole, cents, ok := strings.Cut(text, ".")
		if !ok || len(cents) != 2 || seen[text] || len(whole) > 1 && whole[0] == '0' {
			t.Fatalf("%d is shown as %q", uint32(v), text)
		}
		seen[text] = true
		back, err := strconv.ParseUint(whole+cents, 10, 32)
		if err != nil || dice.Value(back) != v {
			t.Fatalf("%q is read back as %d, %v", text, back, err)
		}
		if want := fmt.Sprintf("%d.%02d", uint32(v)/100, uint32(v)%100); text != want {
			t.Fatalf("%d is shown as %q, want %q", uint32(v), text, want)
		}
	}
}

// TestEveryValue finds the first and the last word of each value and counts them.
func TestEveryValue(t *testing.T) {
	counts := map[uint64]int{}
	for v := range uint64(10001) {
		first, next := (v<<32+10000)/10001, ((v+1)<<32+10000)/10001
		for _, k := range []uint64{first, next - 1} {
			if got := dice.Hundredths(word(uint32(k))); uint64(got) != v {
				t.Fatalf("word %d: got %d, want %d", k, got, v)
			}
		}
		counts[next-first]++
	}
	type vector struct {
		Name, Kind string
		Words      uint64
		Values     int
	}
	rows := 0
	vectortest.EachKind(t, "shuffle.ndjson", "counts", func(t *testing.T, v vector) {
		rows++
		if counts[v.Words] != v.Values {
			t.Errorf("%d values have %d words, want %d", counts[v.Words], v.Words, v.Values)
		}
	})
	if len(counts) != rows {
		t.Errorf("%d different counts, want %d", len(counts), rows)
	}
}

// TestCentsLost is why a value is an integer.
func TestCentsLost(t *testing.T) {
	type vector struct {
		Name, Kind string
		Values     []uint32
	}
	vectortest.EachKind(t, "shuffle.ndjson", "lost", func(t *testing.T, v vector) {
		var lost []uint32
		for n := range uint32(10001) {
			shown, err := strconv.ParseFloat(dice.Value(n).String(), 64)
			if err != nil {
				t.Fatal(err)
			}
			if uint32(math.Floor(shown*100)) != n {
				lost = append(lost, n)
			}
		}
		if !slices.Equal(lost, v.Values) {
			t.Errorf("%d values lose a cent in doubles, want %d", len(lost), len(v.Values))
		}
	})
}

func ExampleValue() {
	src := list{0x6e, 0x37, 0xd8, 0x5d}
	fmt.Println(dice.Hundredths(&src))
	// Output: 43.05
}
