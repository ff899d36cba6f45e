package stats

import "math/big"

// Mapping gives the distribution of what a scheme's stream is mapped to when
// dice are rolled with it, over the words or bytes that it accepts:
//
//   - tavli/1: 36 ordered pairs from the 252 bytes below 252
//   - yayay/1: a face by a remainder of a word
//   - shuffle/1, stake/1: hundredths by index(10001)
//   - veridice/1: a face of a die with n faces, exactly uniform
//
// n is the number of faces of veridice/1, from 1 to 65536, and not looked at by
// the others. It reports false for a scheme that it does not know.
func Mapping(scheme string, n int) (*Distribution, bool) {
	switch scheme {
	case "tavli/1":
		return pairs("dice", 7, 1).finish(), true
	case "yayay/1":
		d := uniform("die", 1, 6, 1)
		d.Total = integer(words)
		for i, c := range Modulo(6) {
			d.Lines[i].Count = integer(c)
		}
		return d.finish(), true
	case "shuffle/1", "stake/1":
		return dice(params{})[0].finish(), true
	case "veridice/1":
		if n < 1 || n > maxFaces {
			return nil, false
		}
		return uniform("die", 1, n, words/uint64(n)).finish(), true
	}
	return nil, false
}

// Doubles is the probability that two dice of a scheme fall alike: 1/6, and for
// yayay/1 a little more, since not all faces are equally likely.
func Doubles(scheme string) (*big.Rat, bool) {
	switch scheme {
	case "tavli/1", "veridice/1":
		return big.NewRat(1, 6), true
	case "yayay/1":
		sum := new(big.Int)
		for _, c := range Modulo(6) {
			sum.Add(sum, times(integer(c), c))
		}
		return new(big.Rat).SetFrac(sum, power2(64)), true
	}
	return nil, false
}
