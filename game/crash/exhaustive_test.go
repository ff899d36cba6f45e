//go:build exhaustive

package crash

import "testing"

// TestEveryWord counts for all words where doubles differ from the exact floor.
func TestEveryWord(t *testing.T) {
	for _, c := range []struct {
		name                   string
		edge                   float64
		thousandths, different uint64
	}{{"crash", StakeCrash, 990, 60}, {"slide", StakeSlide, 980, 57}, {"duel", DuelCrash, 999, 0}} {
		different := uint64(0)
		for n := uint64(1); n <= 1<<32; n++ {
			exact := max(100, (c.thousandths<<32)/(10*n))
			if got := ofWord(uint32(n-1), c.edge).Hundredths; got != exact {
				different++
				if got+1 != exact {
					t.Fatalf("%s, n = %d: got %d, exact %d", c.name, n, got, exact)
				}
			}
		}
		if different != c.different {
			t.Errorf("%s: %d words differ, want %d", c.name, different, c.different)
		}
	}
}
