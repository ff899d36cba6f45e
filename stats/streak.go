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
	hits, misses, sets := powers(hit, n), powers(miss, n), big.NewInt(1)
	for k := range n + 1 {
		ways := new(big.Int).Mul(hits[k], misses[n-k])
		d.Lines = append(d.Lines, Line{strconv.Itoa(k), ways.Mul(ways, sets)})
		sets.Mul(sets, big.NewInt(int64(n-k)))
		sets.Quo(sets, big.NewInt(int64(k+1)))
	}
	return d.finish()
}

// powers are those of x from 0 to n.
func powers(x *big.Int, n int) []*big.Int {
	list := []*big.Int{big.NewInt(1)}
	for i := range n {
		list = append(list, new(big.Int).Mul(list[i], x))
	}
	return list
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
	const least, most = 3, 24
	var one [most - least + 1]int64 // ways of one roll, by what is above the least
	for a := 1; a <= 6; a++ {
		for b := 1; b <= 6; b++ {
			if a == b {
				one[4*a-least]++
			} else {
				one[a+b-least]++
			}
		}
	}
	// Of p^n, p the polynomial with these coefficients, whose derivative times p is n p' p^n:
	// k p0 a(k) is the sum of ((n + 1) i - k) p(i) a(k - i) over i from 1.
	d := &Distribution{Name: "pips", Total: new(big.Int).Exp(big.NewInt(36), big.NewInt(int64(n)), nil), Each: 1}
	ways := []*big.Int{new(big.Int).Exp(big.NewInt(one[0]), big.NewInt(int64(n)), nil)}
	for k := range (most-least)*n + 1 {
		if k > 0 {
			sum := new(big.Int)
			for i := 1; i <= min(k, most-least); i++ {
				sum.Add(sum, new(big.Int).Mul(ways[k-i], big.NewInt(int64((n+1)*i-k)*one[i])))
			}
			ways = append(ways, sum.Quo(sum, big.NewInt(int64(k)*one[0])))
		}
		d.Lines = append(d.Lines, Line{strconv.Itoa(least*n + k), ways[k]})
	}
	return d.finish()
}
