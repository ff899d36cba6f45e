package stats

import (
	"math/big"
	"slices"
)

// words is how many words there are.
const words = 1 << 32

// Index counts the words that index(n) makes each number 0 to n-1 of, n from 1
// to 2^31: they differ by one at most.
func Index(n uint32) []uint64 {
	counts := make([]uint64, n)
	for v := range counts {
		counts[v] = first(uint64(v)+1, uint64(n)) - first(uint64(v), uint64(n))
	}
	return counts
}

// first is the least word of which index(n) makes v: ceil(v × 2^32 / n).
func first(v, n uint64) uint64 { return (v*words + n - 1) / n }

// Modulo counts the words that have each remainder 0 to n-1: the first 2^32 mod n
// have one more than the others.
func Modulo(n uint32) []uint64 {
	counts := make([]uint64, n)
	for v := range counts {
		counts[v] = words / uint64(n)
		if uint64(v) < words%uint64(n) {
			counts[v]++
		}
	}
	return counts
}

// A step is the least input at which a monotone function has a value.
type step struct{ from, value uint64 }

// steps finds where a monotone function of the numbers below end changes, by
// halving: if it is the same at both ends of a stretch, it is so in between.
func steps(end uint64, f func(uint64) uint64) []step {
	list := []step{{0, f(0)}}
	var halve func(lo, hi, low, high uint64)
	halve = func(lo, hi, low, high uint64) {
		if low == high {
			return
		}
		if hi == lo+1 {
			list = append(list, step{hi, high})
			return
		}
		mid := lo + (hi-lo)/2
		middle := f(mid)
		halve(lo, mid, low, middle)
		halve(mid, hi, middle, high)
	}
	halve(0, end-1, list[0].value, f(end-1))
	return list
}

// atLeast is the least number below end for which a rising function reaches
// value, or end.
func atLeast(end, value uint64, f func(uint64) uint64) uint64 {
	lo, hi := uint64(0), end
	for lo < hi {
		if mid := lo + (hi-lo)/2; f(mid) >= value {
			hi = mid
		} else {
			lo = mid + 1
		}
	}
	return lo
}

// counted adds up the words of each value of a monotone function, in order of
// the values.
func counted(f func(k uint32) uint64) (values, counts []uint64) {
	list := steps(words, func(k uint64) uint64 { return f(uint32(k)) })
	sums := map[uint64]uint64{}
	for i, s := range list {
		end := uint64(words)
		if i+1 < len(list) {
			end = list[i+1].from
		}
		sums[s.value] += end - s.from
	}
	for v := range sums {
		values = append(values, v)
	}
	slices.Sort(values)
	for _, v := range values {
		counts = append(counts, sums[v])
	}
	return values, counts
}

func integer(n uint64) *big.Int { return new(big.Int).SetUint64(n) }

// power2 is 2^n.
func power2(n int) *big.Int { return new(big.Int).Lsh(big.NewInt(1), uint(n)) }

// times is the product of two of which the second is a word's count.
func times(x *big.Int, n uint64) *big.Int { return new(big.Int).Mul(x, integer(n)) }
