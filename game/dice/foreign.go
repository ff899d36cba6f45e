package dice

import (
	"strconv"

	"veridice/draw"
)

// primedice are the limits of the old Primedice: a group of five hex digits
// counts if it is below a million, and 25 groups fit into a block of SHA-512.
const (
	primediceLimit  = 1_000_000
	primediceGroups = 25
)

// OldPrimedice gives hundredths, 0 to 9999, as Primedice did about 2015: of the
// first group of five hex digits below a million, mod 10,000. It reports false
// when all 25 groups are larger: the ports of that rule then differ.
func OldPrimedice(src draw.Source) (Value, bool) {
	var held, bits uint32 // bits read and not yet used
	for range primediceGroups {
		for bits < 20 {
			held, bits = held<<8|uint32(src.Byte()), bits+8
		}
		bits -= 20
		group := held >> bits & (1<<20 - 1)
		fits := group < primediceLimit
		draw.Note(src, func() draw.Step {
			s := draw.Step{Name: "group(5)", Values: strconv.FormatUint(uint64(group), 10) + " >= 1000000"}
			if fits {
				s.Values, s.Result = strconv.FormatUint(uint64(group), 10)+" mod 10000", strconv.FormatUint(uint64(group%10000), 10)
			}
			return s
		})
		if fits {
			return Value(group % 10000), true
		}
	}
	return 0, false
}

// Zeroplay rolls two dice of zeroplay's backgammon, n times: bytes below 252, mod
// 6. Each roll begins with the block of the next nonce that no roll has used. It
// returns the nonce of the roll that would follow, and false if src cannot seek.
func Zeroplay(src draw.Source, nonce uint64, n int) (rolls [][2]uint32, next uint64, ok bool) {
	const block = 32
	for range n {
		if !draw.Seek(src, nonce) {
			return nil, 0, false
		}
		a, first := draw.Small(src)
		b, second := draw.Small(src)
		rolls = append(rolls, [2]uint32{a, b})
		nonce += uint64((first + second + block - 1) / block)
	}
	return rolls, nonce, true
}
