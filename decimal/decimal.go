// Package decimal holds exact decimal numbers, such as the multipliers and payouts that
// sites print. Its text form is the plain one: an optional minus, digits, and a point
// with more digits if the number is not whole; no exponent, no needless zeros.
// docs/spec/games.md says where a site rounds, and how.
package decimal

import (
	"math/bits"
	"strconv"
	"strings"
)

// Limits of what [Parse] reads.
const (
	MaxText = 400 // bytes of text
	maxExp  = 400 // of the power of ten
)

// A Decimal is digits × 10^-places, without zeros at either end, so that equal
// numbers are equal values. The zero Decimal is 0.
type Decimal struct {
	minus  bool
	digits string
	places int // may be negative
}

// New is n / 10^places.
func New(n uint64, places int) Decimal {
	return normal(false, strconv.FormatUint(n, 10), places)
}

// Parse reads a decimal number, also one with an exponent, such as 2.5e-7.
func Parse(text string) (Decimal, bool) {
	if len(text) > MaxText {
		return Decimal{}, false
	}
	rest, minus := strings.CutPrefix(text, "-")
	exp := 0
	if i := strings.IndexAny(rest, "eE"); i >= 0 {
		sign, digits := "", rest[i+1:]
		if digits != "" && (digits[0] == '+' || digits[0] == '-') {
			sign, digits = digits[:1], digits[1:]
		}
		e, err := strconv.Atoi(sign + digits)
		if err != nil || !areDigits(digits) || e > maxExp || e < -maxExp {
			return Decimal{}, false
		}
		rest, exp = rest[:i], e
	}
	whole, fraction, point := strings.Cut(rest, ".")
	if whole == "" || point && fraction == "" || !areDigits(whole) || !areDigits(fraction) {
		return Decimal{}, false
	}
	return normal(minus, whole+fraction, len(fraction)-exp), true
}

// FromFloat is the shortest decimal that reads as f, which must be finite.
func FromFloat(f float64) Decimal {
	d, ok := Parse(strconv.FormatFloat(f, 'e', -1, 64))
	if !ok {
		panic("veridice: internal error: a number is not finite")
	}
	return d
}

func areDigits(text string) bool {
	for i := range len(text) {
		if text[i] < '0' || text[i] > '9' {
			return false
		}
	}
	return true
}

func normal(minus bool, digits string, places int) Decimal {
	digits = strings.TrimLeft(digits, "0")
	short := strings.TrimRight(digits, "0")
	places -= len(digits) - len(short)
	if short == "" {
		return Decimal{}
	}
	return Decimal{minus, short, places}
}

// String gives the plain form.
func (d Decimal) String() string { return d.Fixed(0) }

// Fixed gives the plain form with at least as many places as wanted.
func (d Decimal) Fixed(places int) string {
	digits, have := d.digits, d.places
	if have < places {
		digits, have = digits+strings.Repeat("0", places-have), places
	}
	if have < 0 {
		digits, have = digits+strings.Repeat("0", -have), 0
	}
	if short := have + 1 - len(digits); short > 0 {
		digits = strings.Repeat("0", short) + digits
	}
	text := digits[:len(digits)-have]
	if have > 0 {
		text += "." + digits[len(digits)-have:]
	}
	if d.minus {
		text = "-" + text
	}
	return text
}

// Mul is the exact product.
func (d Decimal) Mul(e Decimal) Decimal {
	product := make([]byte, len(d.digits)+len(e.digits))
	for i := len(d.digits) - 1; i >= 0; i-- {
		carry := byte(0)
		for j := len(e.digits) - 1; j >= 0; j-- {
			x := product[i+j+1] + (d.digits[i]-'0')*(e.digits[j]-'0') + carry
			product[i+j+1], carry = x%10, x/10
		}
		product[i] += carry
	}
	for i := range product {
		product[i] += '0'
	}
	return normal(d.minus != e.minus, string(product), d.places+e.places)
}

// HalfEven rounds to a number of places, an exact half to the even digit.
func (d Decimal) HalfEven(places int) Decimal { return d.round(places, true) }

// HalfUp rounds to a number of places, an exact half away from zero.
func (d Decimal) HalfUp(places int) Decimal { return d.round(places, false) }

func (d Decimal) round(places int, even bool) Decimal {
	cut := d.places - places
	if cut <= 0 {
		return d
	}
	digits := d.digits
	if short := cut + 1 - len(digits); short > 0 {
		digits = strings.Repeat("0", short) + digits
	}
	kept, lost := digits[:len(digits)-cut], digits[len(digits)-cut:]
	half := "5" + strings.Repeat("0", cut-1)
	if lost > half || lost == half && (!even || (kept[len(kept)-1]-'0')%2 == 1) {
		kept = increment(kept)
	}
	return normal(d.minus, kept, places)
}

func increment(digits string) string {
	b := []byte("0" + digits)
	for i := len(b) - 1; ; i-- {
		if b[i] != '9' {
			b[i]++
			return string(b)
		}
		b[i] = '0'
	}
}

// Scaled is the number × 10^places if that is whole, not negative and of at most 18
// digits.
func (d Decimal) Scaled(places int) (uint64, bool) {
	if d.digits == "" {
		return 0, true
	}
	if d.minus || d.places > places || len(d.digits)+places-d.places > 18 {
		return 0, false
	}
	n, err := strconv.ParseUint(d.digits+strings.Repeat("0", places-d.places), 10, 64)
	return n, err == nil
}

// Float is the nearest double, infinite beyond the largest.
func (d Decimal) Float() float64 {
	if d.digits == "" {
		return 0
	}
	f, _ := strconv.ParseFloat(d.digits+"e"+strconv.Itoa(-d.places), 64) // which gives it with its error
	if d.minus {
		return -f
	}
	return f
}

// Quotient is a × b / c rounded to a number of places, an exact half away from zero.
// Without its fraction a × b / c must be below 2^64.
func Quotient(a, b, c uint64, places int) Decimal {
	hi, lo := bits.Mul64(a, b)
	if hi >= c {
		panic("veridice: internal error: a quotient is too large")
	}
	// Long division: the whole part, then one place at a time.
	q, r := bits.Div64(hi, lo, c)
	digits := strconv.FormatUint(q, 10)
	for range places + 1 {
		hi, lo := bits.Mul64(r, 10)
		q, r = bits.Div64(hi, lo, c)
		digits += strconv.FormatUint(q, 10)
	}
	// Whatever follows the last digit, that digit alone decides.
	return normal(false, digits, places+1).HalfUp(places)
}
