//go:build exhaustive

package drill

import "testing"

// TestEveryWord counts for all words where doubles differ from the exact floor.
func TestEveryWord(t *testing.T) {
	different := 0
	for k := uint64(0); k < 1<<32; k++ {
		exact := min(98<<32/(1<<32-k), Cap)
		if k < 85899346 { // u < 0.02
			exact = 100
		}
		if got := uint64(of(uint32(k))); got != exact {
			different++
			if got+1 != exact {
				t.Fatalf("word %d: got %d, exact %d", k, got, exact)
			}
		}
	}
	if different != 21 {
		t.Errorf("%d words differ, want 21", different)
	}
}
