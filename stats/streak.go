package stats

import (
	"math/big"
	"strconv"
)

// Run is the probability that somewhere in n trials, each a success with
// probability p, at least k successes come in a row. Three doubles in a row
// somewhere in 60 rolls is Run(60, 3, 1/6), about 20.4 %. A streak without
// something is a run of its opposite. n and k are not negative.
func Run(n, k int, p *big.Rat) *big.Rat {
	if k == 0 {
		return big.NewRat(1, 1)
	}
	if k > n {
		return new(big.Rat)
	}
	// Over denominators q^i: none[i] counts the ways of i trials without such a
	// run. The first run ends at trial i if the k before are successes, the one
	// before those is a failure, and no run came before that.
	hit, all := p.Num(), p.Denom()
	miss := new(big.Int).Sub(all, hit)
	run := new(big.Int).Exp(hit, big.NewInt(int64(k)), nil)
	last := new(big.Int).Mul(miss, run)
	none := make([]*big.Int, n+1)
	none[0] = big.NewInt(1)
	for i := 1; i <= n; i++ {
		none[i] = new(big.Int).Mul(none[i-1], all)
		switch {
		case i == k:
			none[i].Sub(none[i], run)
		case i > k:
			none[i].Sub(none[i], new(big.Int).Mul(last, none[i-k-1]))
		}
	}
	whole := new(big.Int).Exp(all, big.NewInt(int64(n)), nil)
	return new(big.Rat).SetFrac(new(big.Int).Sub(whole, none[n]), whole)
}

// Binomial counts how many of n trials succeed, each with probability p.
func Binomial(name string, n int, p *big.Rat) *Distribution {
	hit, all := p.Num(), p.Denom()
	miss := new(big.Int).Sub(all, hit)
	d := &Distribution{Name: name, Total: new(big.Int).Exp(all, big.NewInt(int64(n)), nil), Each: 1}
	for k := range n + 1 {
		ways := new(big.Int).Binomial(int64(n), int64(k))
		ways.Mul(ways, new(big.Int).Exp(hit, big.NewInt(int64(k)), nil))
		ways.Mul(ways, new(big.Int).Exp(miss, big.NewInt(int64(n-k)), nil))
		d.Lines = append(d.Lines, Line{strconv.Itoa(k), ways})
	}
	return d.finish()
}

// Longest counts how long the longest run of successes in n trials is.
func Longest(name string, n int, p *big.Rat) *Distribution {
	whole := new(big.Int).Exp(p.Denom(), big.NewInt(int64(n)), nil)
	d := &Distribution{Name: name, Total: whole, Each: 1}
	reach := func(k int) *big.Int {
		r := Run(n, k, p)
		return new(big.Int).Mul(r.Num(), new(big.Int).Quo(whole, r.Denom()))
	}
	above := new(big.Int).Set(whole)
	for k := range n + 1 {
		next := reach(k + 1)
		d.Lines = append(d.Lines, Line{strconv.Itoa(k), new(big.Int).Sub(above, next)})
		above = next
	}
	return d.finish()
}

// Pips counts the points that n rolls of two fair dice move in backgammon, where
// doubles are moved twice: 3 to 20 a roll, never 1 or 2.
func Pips(n int) *Distribution {
	const most = 24
	var one [most + 1]int64
	for a := 1; a <= 6; a++ {
		for b := 1; b <= 6; b++ {
			if a == b {
				one[4*a]++
			} else {
				one[a+b]++
			}
		}
	}
	ways := []*big.Int{big.NewInt(1)}
	for range n {
		next := make([]*big.Int, len(ways)+most)
		for i := range next {
			next[i] = new(big.Int)
		}
		for i, w := range ways {
			for pips, c := range one {
				if c > 0 {
					next[i+pips].Add(next[i+pips], new(big.Int).Mul(w, big.NewInt(c)))
				}
			}
		}
		ways = next
	}
	d := &Distribution{Name: "pips", Total: new(big.Int).Exp(big.NewInt(36), big.NewInt(int64(n)), nil), Each: 1}
	for i, w := range ways {
		d.Lines = append(d.Lines, Line{strconv.Itoa(i), w})
	}
	return d.finish()
}
