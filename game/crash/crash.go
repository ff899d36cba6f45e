// Package crash makes the multiplier of a round that all players share from the first
// bits of its hash. Formulas are in doubles, in the order written: where they differ
// from exact arithmetic the double is the outcome, as it is on the sites.
// docs/spec/games.md, section 5; foreign.md.
package crash

import (
	"math"
	"math/bits"
	"strconv"

	"veridice/draw"
)

// A Point is where a round ended.
type Point struct {
	Raw        float64 // before it is cut, at least 1
	Hundredths uint64  // cut
}

// Edges of the sites whose round is one word, as the doubles they compute with.
var (
	StakeCrash = 1 - double(0.01)
	StakeSlide = 1 - double(0.02)
	DuelCrash  = double(0.999)
)

// double keeps Go from computing with exact constants.
func double(x float64) float64 { return x }

// Word gives 2^32 / (n + 1) × edge for the first word n.
func Word(src draw.Source, edge float64) Point {
	k := draw.Word(src)
	p := ofWord(k, edge)
	draw.Note(src, func() draw.Step {
		return draw.Step{Name: "hundredths", Values: "floor(2^32 / (" + strconv.FormatUint(uint64(k), 10) + " + 1) × " + strconv.FormatFloat(edge, 'f', -1, 64) + " × 100)",
			Result: strconv.FormatUint(p.Hundredths, 10)}
	})
	return p
}

func ofWord(k uint32, edge float64) Point {
	raw := max(1, float64(float64((1<<32)/float64(uint64(k)+1))*edge))
	return Point{raw, uint64(math.Floor(float64(raw * 100)))}
}

// Bustabit gives floor(99 / (1 - r / 2^52)) hundredths for the first 52 bits r,
// at least 100 (bustabit, and BC.Game's limbo).
func Bustabit(src draw.Source) uint64 {
	r := draw.Top52(src)
	h := ofBustabit(draw52(r))
	note52(src, "floor(99 / (1 - r / 2^52))", r, h)
	return h
}

func ofBustabit(x float64) uint64 { return max(100, uint64(math.Floor(99/float64(1-x)))) }

func draw52(r uint64) float64 { return float64(r) / (1 << 52) }

func note52(src draw.Source, formula string, r, h uint64) {
	draw.Note(src, func() draw.Step {
		return draw.Step{Name: "hundredths", Values: formula + ", r = " + strconv.FormatUint(r, 10), Result: strconv.FormatUint(h, 10)}
	})
}

// BCGame is [Bustabit] with r / 2^52 rounded to nine significant digits first. At the
// top of the range that gives 1 and a division by zero: then there is no outcome, and
// it reports false.
func BCGame(src draw.Source) (h uint64, ok bool) {
	r := draw.Top52(src)
	x := nine(r)
	if x >= 1 {
		return 0, false
	}
	h = ofBustabit(x)
	note52(src, "floor(99 / (1 - precision9(r / 2^52)))", r, h)
	return h, true
}

// nine rounds r / 2^52 to nine significant digits, an exact half upward, as
// toPrecision does, and reads that back as a double.
func nine(r uint64) float64 {
	if r == 0 {
		return 0
	}
	// n / 10^places with 10^8 <= n: r is multiplied by ten until it is.
	hi, lo, places := uint64(0), r, 0
	for hi>>52 == 0 && hi<<12|lo>>52 < 100_000_000 {
		carry, low := bits.Mul64(lo, 10)
		hi, lo = hi*10+carry, low
		places++
	}
	n := hi<<12 | lo>>52
	if lo>>51&1 == 1 {
		n++
	}
	x, err := strconv.ParseFloat(strconv.FormatUint(n, 10)+"e-"+strconv.Itoa(places), 64)
	if err != nil {
		panic("veridice: internal error: " + err.Error())
	}
	return x
}

// Roobet gives 100 hundredths if the first 32 bytes, read as one number, are
// divisible by divisor, else floor((100 × 2^52 - r) / (2^52 - r)) for their first
// 52 bits r, in doubles: the numerator is rounded, so integers would differ.
func Roobet(src draw.Source, divisor uint32) uint64 {
	var rest, r uint64
	for i := range 32 {
		b := src.Byte()
		if i < 7 {
			r = r<<8 | uint64(b)
		}
		rest = (rest<<8 | uint64(b)) % uint64(divisor)
	}
	r >>= 4
	draw.Note(src, func() draw.Step {
		return draw.Step{Name: "mod(" + strconv.FormatUint(uint64(divisor), 10) + ")", Values: "bits 0..255", Result: strconv.FormatUint(rest, 10)}
	})
	if rest == 0 {
		return 100
	}
	h := ofRoobet(r)
	note52(src, "floor((100 × 2^52 - r) / (2^52 - r))", r, h)
	return h
}

func ofRoobet(r uint64) uint64 {
	e := float64(uint64(1) << 52)
	return uint64(math.Floor(float64(float64(100*e)-float64(r)) / float64(e-float64(r))))
}
