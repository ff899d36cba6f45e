package draw_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"veridice/draw"
)

// dice calls f with every outcome of dice of these faces.
func dice(faces []uint32, f func([]uint32)) {
	one := make([]uint32, len(faces))
	var roll func(int)
	roll = func(i int) {
		if i == len(faces) {
			f(one)
			return
		}
		for one[i] = 1; one[i] <= faces[i]; one[i]++ {
			roll(i + 1)
		}
	}
	roll(0)
}

// TestSampleAll rolls all dice of every sample of up to five items: each order
// comes exactly once, since there are as many dice outcomes as orders.
func TestSampleAll(t *testing.T) {
	for n := 1; n <= 5; n++ {
		for m := 1; m <= n; m++ {
			faces, err := draw.SampleFaces(n, m)
			if err != nil {
				t.Fatal(err)
			}
			orders := 1
			for i := range m {
				orders *= n - i
			}
			seen := map[string]int{}
			dice(faces, func(d []uint32) {
				items, err := draw.Sample(n, m, d)
				if err != nil {
					t.Fatal(err)
				}
				different := map[uint32]bool{}
				for _, i := range items {
					if int(i) >= n {
						t.Fatalf("item %d of %d", i, n)
					}
					different[i] = true
				}
				if len(items) != m || len(different) != m {
					t.Fatalf("%d of %d: %v", m, n, items)
				}
				seen[fmt.Sprint(items)]++
			})
			if len(seen) != orders {
				t.Errorf("%d of %d: %d orders, not %d", m, n, len(seen), orders)
			}
			for order, times := range seen {
				if times != 1 {
					t.Errorf("%d of %d: %s came %d times", m, n, order, times)
				}
			}
		}
	}
}

func TestSampleRefuses(t *testing.T) {
	beyond := int64(1) << 32 // 0 on machines of 32 bits
	for _, c := range [][2]int{{0, 0}, {1, 0}, {3, 4}, {-1, 1}, {1026, 1026}, {int(beyond), 1}} {
		if faces, err := draw.SampleFaces(c[0], c[1]); err == nil {
			t.Errorf("%d of %d: %d dice", c[1], c[0], len(faces))
		}
	}
	// 1,025 items are 1,024 dice: the last item is what is left.
	if faces, err := draw.SampleFaces(1025, 1025); err != nil || len(faces) != 1024 {
		t.Errorf("1025 items: %d dice, %v", len(faces), err)
	}
	// A long list is never written out.
	if items, err := draw.Sample(math.MaxInt32, 3, []uint32{math.MaxInt32, 1, 1}); err != nil || !slices.Equal(items, []uint32{math.MaxInt32 - 1, 0, 1}) {
		t.Errorf("the last and the first two: got %d, %v", items, err)
	}
	for _, d := range [][]uint32{{}, {0, 1}, {4, 1}, {1, 3}, {1, 1, 1}} {
		if items, err := draw.Sample(3, 3, d); err == nil {
			t.Errorf("dice %v: %v", d, items)
		}
	}
}

// TestChoiceAll rolls every face: each item comes as often as its weight.
func TestChoiceAll(t *testing.T) {
	for _, weights := range [][]uint32{{1, 1}, {2}, {8, 6, 9}, {1, 5, 1}} {
		faces, err := draw.ChoiceFaces(weights)
		if err != nil {
			t.Fatal(err)
		}
		count := make([]uint32, len(weights))
		for die := uint32(1); die <= faces; die++ {
			item, err := draw.Choice(weights, die)
			if err != nil {
				t.Fatal(err)
			}
			count[item]++
		}
		for i := range weights {
			if count[i] != weights[i] {
				t.Errorf("weights %v: item %d came %d times", weights, i, count[i])
			}
		}
	}
	for _, weights := range [][]uint32{nil, {1}, {3, 0, 2}, {1<<32 - 1, 1}} {
		if faces, err := draw.ChoiceFaces(weights); err == nil {
			t.Errorf("weights %v: a die of %d faces", weights, faces)
		}
	}
	for _, die := range []uint32{0, 24} {
		if item, err := draw.Choice([]uint32{8, 6, 9}, die); err == nil {
			t.Errorf("die %d: item %d", die, item)
		}
	}
}

// TestUniformLimits takes the words on both sides of the limit, of the faces that
// docs/spec/veridice-1.md names; what is below maps to as many of each number.
func TestUniformLimits(t *testing.T) {
	for _, n := range []uint32{1, 2, 3, 6, 7, 100, 256, 10001, 1 << 31, 1<<31 + 1, 3_000_000_000, 1<<32 - 1} {
		limit := draw.Limit(n)
		if limit%uint64(n) != 0 || limit > 1<<32 || 1<<32-limit >= uint64(n) {
			t.Errorf("%d: limit %d", n, limit)
		}
		if got := draw.Uniform(ofWords(t, uint32(limit-1)), n); got != n-1 {
			t.Errorf("%d: the last word gives %d", n, got)
		}
		if limit < 1<<32 {
			if got := draw.Uniform(ofWords(t, uint32(limit), 1<<32-1, 0), n); got != 0 {
				t.Errorf("%d: after two rejected words and 0: %d", n, got)
			}
		}
	}
}
