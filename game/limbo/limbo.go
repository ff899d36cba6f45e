// Package limbo turns one word into a multiplier, cut to hundredths. Over sites and
// years there are four formulas that agree on nearly every bet; each has a name, and
// none is ever guessed. docs/spec/games.md, sections 3.3 and 4.2.
package limbo

import (
	"math"
	"strconv"

	"veridice/draw"
)

// Shuffle gives hundredths, 98 to 1,660,944,384: exactly (99 × 2^32) div (k + 256),
// which the published form in doubles equals for every word. Less than 100 is
// reported as it is; what the site then shows is not published.
func Shuffle(src draw.Source) uint64 {
	k := draw.Word(src)
	h := ofShuffle(k)
	note(src, "(99 × 2^32) div (", uint64(k), " + 256)", h)
	return h
}

func ofShuffle(k uint32) uint64 { return 99 << 32 / (uint64(k) + 256) }

// Power24 gives hundredths by Stake's formula "2^24", at least 100. In 44 of its
// 2^24 cases the doubles end one hundredth below the exact value; the site
// computes in doubles, so that is the outcome, and exact is the other.
func Power24(src draw.Source) (h, exact uint64) {
	k := draw.Word(src)
	m := k>>8 + 1
	h = ofPower24(m)
	note(src, "floor(16777216 / ", uint64(m), " × 0.99 × 100)", h)
	return h, max(100, 99<<24/uint64(m))
}

func ofPower24(m uint32) uint64 { return cut(float64(16777216/float64(m)) * 0.99) }

// Power8 gives hundredths by Stake's formula "1e8" of about 2020, at least 100.
func Power8(src draw.Source) uint64 {
	k := draw.Word(src)
	m := math.Floor(float64(draw.Float(k)*1e8)) + 1
	h := cut(float64(1e8/m) * 0.99)
	note(src, "floor(1e8 / ", uint64(m), " × 0.99 × 100)", h)
	return h
}

// Page gives hundredths by the formula on Stake's page, at least 100. It divides
// by zero for the word 0: then there is no outcome, and it reports false.
func Page(src draw.Source) (h uint64, ok bool) {
	k := draw.Word(src)
	if k == 0 {
		return 0, false
	}
	h = cut(float64(1e8/float64(draw.Float(k)*1e8)) * 0.99)
	note(src, "floor(1e8 / (", uint64(k), " / 2^32 × 1e8) × 0.99 × 100)", h)
	return h, true
}

// cut multiplies by 100 last, as the sites do, and never goes below 1.00.
func cut(x float64) uint64 { return max(100, uint64(math.Floor(float64(x)*100))) }

// note writes the formula down: the number n stands between two texts.
func note(src draw.Source, before string, n uint64, after string, h uint64) {
	draw.Note(src, func() draw.Step {
		return draw.Step{Name: "hundredths", Values: before + strconv.FormatUint(n, 10) + after, Result: strconv.FormatUint(h, 10)}
	})
}
