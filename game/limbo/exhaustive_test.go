//go:build exhaustive

package limbo

import (
	"math"
	"testing"

	"veridice/draw"
)

// TestEveryWord runs through all words: the published form of Shuffle's limbo in
// doubles is the integer one, and Stake's differs from the exact floor 44 times.
func TestEveryWord(t *testing.T) {
	for k := uint64(0); k < 1<<32; k++ {
		f := draw.Float(uint32(k))
		x := float64(float64(0.99*16777216) / float64(float64(f*16777216)+1))
		if got := uint64(math.Floor(float64(x * 100))); got != ofShuffle(uint32(k)) {
			t.Fatalf("word %d: %d in doubles, %d in integers", k, got, ofShuffle(uint32(k)))
		}
	}
	differ := 0
	for m := uint64(1); m <= 1<<24; m++ {
		if exact := max(100, 99<<24/m); ofPower24(uint32(m)) != exact {
			differ++
		}
	}
	if differ != 44 {
		t.Errorf("%d values of m differ, want 44", differ)
	}
}
