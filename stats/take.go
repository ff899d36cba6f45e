package stats

import (
	"math/big"
	"math/bits"
	"strconv"
)

// A placing counts the words that give each place of a list, for draw i.
type placing func(i int) []uint64

// floored is take(list, m): index(length) each time.
func floored(n int) placing { return func(i int) []uint64 { return Index(uint32(n - i)) } }

// ceiled is Shuffle's keno: of a list with a blank in front, ceil(k/2^32 × (n - i)).
func ceiled(n int) placing {
	return func(i int) []uint64 {
		size := uint64(n - i)
		counts := make([]uint64, size+1)
		counts[0] = 1 // only the word 0
		for v := uint64(1); v <= size; v++ {
			counts[v] = v*words/size - (v-1)*words/size
		}
		counts[size]-- // there is no word 2^32
		return counts
	}
}

// members counts, over 2^(32 m) cases, in how many each element of a list of n is
// among the m that are taken. It follows one element: a draw of a place before it
// moves it one down.
func members(n, m int, places placing) []*big.Int {
	counts := make([]*big.Int, n)
	total := power2(32 * m)
	at := make([][]uint64, m) // words of the places below each
	for i := range at {
		sum := uint64(0)
		for _, c := range places(i) {
			at[i] = append(at[i], sum)
			sum += c
		}
		at[i] = append(at[i], sum)
	}
	for e := range counts {
		left := make([]*big.Int, n) // cases in which it is still there, by its place
		left[e] = big.NewInt(1)
		for i := range m {
			next := make([]*big.Int, n)
			for p, ways := range left {
				if ways == nil {
					continue
				}
				if p > 0 {
					add(next, p-1, times(ways, at[i][p]))
				}
				if after := words - at[i][p+1]; after > 0 { // 0 at the end of the list
					add(next, p, times(ways, after))
				}
			}
			left = next
		}
		counts[e] = new(big.Int).Set(total)
		for _, ways := range left {
			if ways != nil {
				counts[e].Sub(counts[e], ways)
			}
		}
	}
	return counts
}

func add(list []*big.Int, at int, n *big.Int) {
	if list[at] == nil {
		list[at] = new(big.Int)
	}
	list[at].Add(list[at], n)
}

// sets counts, over 2^(32 m) cases, how often each set of m of n elements is
// taken, whatever the order. Sets are lists in rising order.
func sets(n, m int) (names [][]int, counts []*big.Int) {
	ways := map[uint]*big.Int{0: big.NewInt(1)}
	for i := range m {
		places, next := Index(uint32(n-i)), map[uint]*big.Int{}
		for taken, w := range ways {
			for e := range n {
				if taken>>e&1 == 1 {
					continue
				}
				place := e - bits.OnesCount(taken&(1<<e-1))
				set := taken | 1<<e
				if next[set] == nil {
					next[set] = new(big.Int)
				}
				next[set].Add(next[set], times(w, places[place]))
			}
		}
		ways = next
	}
	// In the order of the lists: 0 1 2 before 0 1 3.
	var list func(from int, chosen []int, set uint)
	list = func(from int, chosen []int, set uint) {
		if len(chosen) == m {
			names = append(names, append([]int{}, chosen...))
			counts = append(counts, ways[set])
			return
		}
		for e := from; e < n; e++ {
			list(e+1, append(chosen, e), set|1<<e)
		}
	}
	list(0, nil, 0)
	return names, counts
}

// least counts, over 2^(32 m) cases, how often the smallest of m taken of n is
// each number 0 to n-m.
func least(n, m int) []*big.Int {
	reach := func(s int) *big.Int { // none of the first s is taken
		ways := big.NewInt(1)
		for i := range m {
			ways = times(ways, words-first(uint64(s), uint64(n-i)))
		}
		return ways
	}
	counts := make([]*big.Int, n-m+1)
	for s := range counts {
		counts[s] = reach(s)
		if s < n-m {
			counts[s].Sub(counts[s], reach(s+1))
		}
	}
	return counts
}

func joined(list []int) string {
	text := ""
	for i, n := range list {
		if i > 0 {
			text += " "
		}
		text += strconv.Itoa(n)
	}
	return text
}
