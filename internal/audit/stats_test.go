package audit

import (
	"math/big"
	"math/rand/v2"
	"testing"

	"veridice/game"
)

// honest has the kinds of bets of one simulated report, and how many of each.
func honest(t *testing.T) []*group {
	t.Helper()
	args := func(pairs ...string) (p game.Params) {
		for i := 0; i < len(pairs); i += 2 {
			p.Args = append(p.Args, game.Arg{Name: pairs[i], Value: pairs[i+1]})
		}
		return p
	}
	list := []*group{
		newGroup("stake", "roulette", args()),
		newGroup("stake", "plinko", args("rows", "8", "risk", "low")),
		newGroup("stake", "wheel", args("segments", "10", "risk", "medium")),
		newGroup("shuffle", "wheel", args("segments", "20")),
	}
	for _, n := range list {
		if n.d == nil {
			t.Fatalf("%s %s has no distribution", n.site, n.game)
		}
	}
	return list
}

// fill gives a group a number of outcomes of its exact distribution.
func fill(n *group, shares []float64, bets int, r *rand.Rand) {
	clear(n.counts)
	for range bets {
		u, line := r.Float64(), 0
		for line < len(shares)-1 && u >= shares[line] {
			u -= shares[line]
			line++
		}
		n.counts[line]++
	}
}

func shares(n *group) []float64 {
	weight := new(big.Int)
	for _, l := range n.d.Lines {
		weight.Add(weight, l.Count)
	}
	var list []float64
	for _, l := range n.d.Lines {
		f, _ := new(big.Rat).SetFrac(l.Count, weight).Float64()
		list = append(list, f)
	}
	return list
}

// TestHonestDataIsNotAccused makes 10,000 reports of honest data, of four kinds of
// bets each, and counts those that say something of any. The stated rate allows
// 100; more than 150 come less than once in 10^6.
func TestHonestDataIsNotAccused(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2)) // a fixed stream: PCG of 1 and 2
	list := honest(t)
	var odds [][]float64
	for _, n := range list {
		odds = append(odds, shares(n))
	}
	accused, tested := 0, 0
	for set := range 10_000 {
		var games []Game
		for i, n := range list {
			fill(n, odds[i], 900+set%300, r)
			games = append(games, n.report())
		}
		flag(games)
		said := false
		for _, g := range games {
			said = said || g.Flag != ""
			if g.Tested {
				tested++
			}
		}
		if said {
			accused++
		}
	}
	if tested < 30_000 {
		t.Errorf("only %d tests were made", tested)
	}
	if accused > 150 {
		t.Errorf("%d of 10,000 honest reports say something; the stated rate is %v", accused, FalseAlarms)
	}
	t.Logf("%d of 10,000 honest reports say something", accused)
}

// TestForgedDataIsFlagged: outcomes that are exactly as often as expected are too
// even, and a wheel on which one segment comes twice as often is too uneven. Neither
// flags the honest game beside it.
func TestForgedDataIsFlagged(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, c := range []struct {
		name string
		fill func(n *group)
		want string
	}{
		{"exactly even", func(n *group) {
			for i := range n.counts {
				n.counts[i] = 100
			}
		}, TooEven},
		{"one favoured", func(n *group) {
			for i := range n.counts {
				n.counts[i] = 300
			}
			n.counts[3] = 600
		}, TooUneven},
	} {
		list := honest(t)
		wheel, roulette := list[3], list[0]
		c.fill(wheel)
		fill(roulette, shares(roulette), 3700, r)
		games := []Game{wheel.report(), roulette.report()}
		flag(games)
		if games[0].Flag != c.want || games[1].Flag != "" {
			t.Errorf("%s: got %q and %q beside it, want %q", c.name, games[0].Flag, games[1].Flag, c.want)
		}
	}
}

// TestHonestKinds does the same for outcomes that are pooled, such as the 10,001 of
// dice, and for those that are drawn without replacement, such as the ten of keno.
// Of 1,000 reports 10 are allowed; more than 30 come less than once in 10^6.
func TestHonestKinds(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	dice, keno, flips := newGroup("stake", "dice", game.Params{}), newGroup("stake", "keno", game.Params{}), newGroup("stake", "flip", game.Params{})
	accused, least := 0, 3
	for set := range 1000 {
		clear(dice.counts)
		clear(keno.counts)
		clear(flips.counts)
		for range 1500 + set%500 {
			dice.counts[uint64(r.Uint32())*10001>>32]++
		}
		for range 110 + set%50 {
			for _, cell := range r.Perm(40)[:10] {
				keno.counts[cell]++
			}
		}
		for range 60 + 2*set {
			flips.counts[r.IntN(2)]++
		}
		games := []Game{dice.report(), keno.report(), flips.report()}
		tested := 0
		for _, g := range games {
			if g.Tested {
				tested++
			}
		}
		least = min(least, tested)
		flag(games)
		for _, g := range games {
			if g.Flag != "" {
				accused++
				break
			}
		}
	}
	if least < 3 {
		t.Errorf("a report has only %d tests", least)
	}
	if accused > 30 {
		t.Errorf("%d of 1,000 honest reports say something", accused)
	}
}
