package stats

import (
	"math/big"
	"slices"
	"strconv"

	"veridice/draw"
	"veridice/game"
	"veridice/game/crash"
	"veridice/game/drill"
	"veridice/game/limbo"
)

// borders are the multipliers in hundredths at which the ranges of limbo and
// crash games begin, beside the lowest one that comes.
var borders = []uint64{100, 101, 110, 125, 150, 200, 300, 500, 1000, 2000, 5000, 10_000, 100_000, 1_000_000}

// A rising is a multiplier in hundredths that never falls as a number below end
// rises; beyond counts the cases from a number on, of total.
type rising struct {
	end    uint64
	of     func(uint64) uint64
	beyond func(uint64) *big.Int
	total  *big.Int
}

// each takes words of which the multiplier falls, or rises.
func ofFalling(f func(k uint32) uint64) *rising {
	return &rising{words, func(x uint64) uint64 { return f(uint32(words - 1 - x)) }, func(x uint64) *big.Int { return integer(words - x) }, integer(words)}
}

func ofRising(f func(k uint32) uint64) *rising {
	return &rising{words, func(x uint64) uint64 { return f(uint32(x)) }, func(x uint64) *big.Int { return integer(words - x) }, integer(words)}
}

// of52 takes the first 52 bits, read by the game from seven bytes.
func of52(f func(src draw.Source) uint64) *rising {
	const end = 1 << 52
	return &rising{end, func(r uint64) uint64 { return f(&fixed{bytes52(r)}) }, func(x uint64) *big.Int { return integer(end - x) }, integer(end)}
}

func bytes52(r uint64) []byte {
	b := make([]byte, 7)
	for i := range b {
		b[i] = byte(r << 12 >> (56 - 8*i))
	}
	return b
}

// ofRoobet counts hashes of 256 bits: those that are divisible give 1.00, all
// others what their first 52 bits make.
func ofRoobet(divisor uint64) *rising {
	const end = 1 << 52
	multiplier := func(r uint64) uint64 {
		high := uint64(0)
		for last := byte(1); last <= 2; last++ { // not both are divisible
			b := append(bytes52(r), make([]byte, 25)...)
			b[31] = last
			high = max(high, crash.Roobet(&fixed{b}, uint32(divisor)))
		}
		return high
	}
	beyond := func(x uint64) *big.Int {
		if x == 0 { // 1.00, which divisible hashes have too
			return power2(256)
		}
		all, from := power2(256), new(big.Int).Lsh(integer(x), 204)
		// Multiples below n: ceil(n / divisor).
		d := integer(divisor)
		upTo := func(n *big.Int) *big.Int {
			q, r := new(big.Int).QuoRem(n, d, new(big.Int))
			if r.Sign() > 0 {
				q.Add(q, big.NewInt(1))
			}
			return q
		}
		divisible := new(big.Int).Sub(upTo(all), upTo(from))
		return new(big.Int).Sub(new(big.Int).Sub(all, from), divisible)
	}
	return &rising{end, multiplier, beyond, power2(256)}
}

// reach counts the cases with at least so many hundredths.
func (r *rising) reach(hundredths uint64) *big.Int {
	return r.beyond(atLeast(r.end, hundredths, r.of))
}

// ranges divides the multipliers at [borders].
func (r *rising) ranges(key string, each int) *Distribution {
	lowest := r.of(0)
	begins := []uint64{lowest}
	for _, b := range borders {
		if b > lowest {
			begins = append(begins, b)
		}
	}
	d := &Distribution{Name: key, Total: r.total, Each: each, observe: values(key)}
	above := r.total
	for i, from := range begins {
		name := written(from) + "+"
		next := new(big.Int)
		if i+1 < len(begins) {
			name = written(from)
			if last := begins[i+1] - 1; last > from {
				name += "-" + written(last)
			}
			next = r.reach(begins[i+1])
		}
		d.Lines = append(d.Lines, Line{name, new(big.Int).Sub(above, next)})
		if next.Cmp(above) != 0 {
			d.below = append(d.below, from)
		}
		above = next
	}
	return d
}

// written is hundredths with two places.
func written(h uint64) string {
	text := strconv.FormatUint(h/100, 10) + "."
	if h%100 < 10 {
		text += "0"
	}
	return text + strconv.FormatUint(h%100, 10)
}

// find is the line of a text; of ranges, the one that a multiplier falls into.
func (d *Distribution) find(text string) (int, bool) {
	if d.below == nil {
		at, ok := d.place[text]
		return at, ok
	}
	h, ok := hundredths(text)
	if !ok || h < d.below[0] {
		return 0, false
	}
	at, exact := slices.BinarySearch(d.below, h)
	if !exact {
		at--
	}
	return at, true
}

// rise is how the multiplier of a limbo or crash game comes about, or nil.
func rise(key string, p params) *rising {
	word := func(f func(src draw.Source) uint64) *rising {
		return ofFalling(func(k uint32) uint64 { return f(ofWord(0, k)) })
	}
	point := func(edge float64) *rising {
		return word(func(src draw.Source) uint64 { return crash.Word(src, edge).Hundredths })
	}
	switch key {
	case "shuffle limbo":
		return word(limbo.Shuffle)
	case "stake limbo":
		switch p.Variant {
		case game.Limbo8:
			return word(limbo.Power8)
		case game.LimboPage: // without an outcome for the word 0
			r := word(func(src draw.Source) uint64 { h, _ := limbo.Page(src); return h })
			r.end--
			r.total = integer(words - 1)
			r.beyond = func(x uint64) *big.Int { return integer(words - 1 - x) }
			return r
		}
		return word(func(src draw.Source) uint64 { h, _ := limbo.Power24(src); return h })
	case "stake crash":
		return point(crash.StakeCrash)
	case "stake slide":
		return point(crash.StakeSlide)
	case "duel crash":
		return point(crash.DuelCrash)
	case "bustabit crash", "bcgame limbo":
		return of52(crash.Bustabit)
	case "bcgame crash":
		r := of52(func(src draw.Source) uint64 { h, _ := crash.BCGame(src); return h })
		// At the top nine digits round to 1, and there is no outcome.
		top := atLeast(r.end, 1, func(x uint64) uint64 {
			if _, ok := crash.BCGame(&fixed{bytes52(x)}); ok {
				return 0
			}
			return 1
		})
		r.end, r.total = top, integer(top)
		r.beyond = func(x uint64) *big.Int { return integer(top - x) }
		return r
	case "roobet crash":
		return ofRoobet(uint64(p.integer("divisor")))
	case "stake drill":
		return ofRising(func(k uint32) uint64 { return uint64(drill.Dig(ofWord(0, k))[0]) })
	}
	return nil
}

// AtLeast counts in how many of total cases a game of multipliers gives at least
// so many hundredths: limbo, the crash games, one of the three of drill. The
// error is that of [Of].
func AtLeast(site, name string, p game.Params, hundredths uint64) (count, total *big.Int, err error) {
	g, err := game.Lookup(site, name)
	if err != nil {
		return nil, nil, err
	}
	if _, err := g.Play(&even{}, p); err != nil {
		return nil, nil, err
	}
	r := rise(site+" "+name, params{p})
	if r == nil {
		return nil, nil, &game.Error{Code: NotCounted, Site: site, Game: name}
	}
	return r.reach(hundredths), r.total, nil
}
