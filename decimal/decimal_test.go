package decimal_test

import (
	"math"
	"strings"
	"testing"

	"veridice/decimal"
)

func parse(t *testing.T, text string) decimal.Decimal {
	t.Helper()
	d, ok := decimal.Parse(text)
	if !ok {
		t.Fatalf("%q is not read", text)
	}
	return d
}

func TestParse(t *testing.T) {
	for text, want := range map[string]string{
		"0": "0", "-0": "0", "000": "0", "0.00": "0", "1": "1", "01.50": "1.5", "100": "100", "1e2": "100", "1E+2": "100",
		"-12.30": "-12.3", "2.5122426450252533e-7": "0.00000025122426450252533", "0.05": "0.05", "1200e-2": "12",
	} {
		if got := parse(t, text).String(); got != want {
			t.Errorf("%s: got %s, want %s", text, got, want)
		}
	}
	for _, text := range []string{"", "-", ".", ".5", "1.", "1.2.3", "+1", "1e", "1e1.0", "1e401", " 1", "1 ", "0x1", "1,5", "NaN", "∞", "--1", "1e--1", "1e+-1", "1e++1", "1e+", strings.Repeat("1", 401)} {
		if d, ok := decimal.Parse(text); ok || d != (decimal.Decimal{}) {
			t.Errorf("%q is read as %s", text, d)
		}
	}
}

func TestEqualNumbersAreEqualValues(t *testing.T) {
	for _, group := range [][]string{{"43.05", "43.050", "0043.05", "4305e-2"}, {"0", "0.0", "-0", "0e5"}, {"1", "1.00", "10e-1", "0.1e1"}} {
		for _, text := range group {
			if parse(t, text) != parse(t, group[0]) {
				t.Errorf("%s is not %s", text, group[0])
			}
		}
	}
	if parse(t, "43.05") == parse(t, "-43.05") || parse(t, "43.05") == parse(t, "43.06") || parse(t, "1") == parse(t, "10") {
		t.Error("different numbers are equal")
	}
}

func TestFixed(t *testing.T) {
	for _, c := range []struct {
		text   string
		places int
		want   string
	}{{"0", 2, "0.00"}, {"43.5", 2, "43.50"}, {"100", 2, "100.00"}, {"1.234", 2, "1.234"}, {"0.05", 1, "0.05"}, {"-3", 1, "-3.0"}} {
		if got := parse(t, c.text).Fixed(c.places); got != c.want {
			t.Errorf("%s with %d places: got %s, want %s", c.text, c.places, got, c.want)
		}
	}
}

func TestRound(t *testing.T) {
	for _, c := range []struct {
		text     string
		places   int
		even, up string
	}{
		{"0.125", 2, "0.12", "0.13"}, {"0.135", 2, "0.14", "0.14"}, {"0.1251", 2, "0.13", "0.13"}, {"0.1249", 2, "0.12", "0.12"},
		{"9.995", 2, "10", "10"}, {"0.5", 0, "0", "1"}, {"1.5", 0, "2", "2"}, {"0.004", 2, "0", "0"}, {"0.005", 2, "0", "0.01"},
		{"0.006", 2, "0.01", "0.01"}, {"-0.125", 2, "-0.12", "-0.13"}, {"12", 2, "12", "12"}, {"150", -2, "200", "200"}, {"250", -2, "200", "300"},
	} {
		if got := parse(t, c.text).HalfEven(c.places).String(); got != c.even {
			t.Errorf("%s to %d places, half to even: got %s, want %s", c.text, c.places, got, c.even)
		}
		if got := parse(t, c.text).HalfUp(c.places).String(); got != c.up {
			t.Errorf("%s to %d places, half up: got %s, want %s", c.text, c.places, got, c.up)
		}
	}
}

func TestMul(t *testing.T) {
	for _, c := range [][3]string{
		{"0", "17", "0"}, {"1.5", "2", "3"}, {"-1.5", "0.2", "-0.3"}, {"99999999999999999999", "99999999999999999999", "9999999999999999999800000000000000000001"},
		{"1.738472072385592483", "0.01", "0.01738472072385592483"},
	} {
		if got := parse(t, c[0]).Mul(parse(t, c[1])); got != parse(t, c[2]) {
			t.Errorf("%s × %s: got %s, want %s", c[0], c[1], got, c[2])
		}
	}
}

// The quotients were computed with Python's fractions.
func TestQuotient(t *testing.T) {
	for _, c := range []struct {
		a, b, c uint64
		places  int
		want    string
	}{
		{9990999, 1, 5747000, 18, "1.738472072385592483"}, {5747, 1, 10001, 18, "0.574642535746425357"}, {1, 1, 8, 2, "0.13"}, {1, 1, 3, 0, "0"}, {2, 1, 3, 0, "1"},
		{math.MaxUint64, math.MaxUint64, math.MaxUint64, 0, "18446744073709551615"}, {7, 0, 3, 5, "0"}, {999999, 1, 1000000, 3, "1"},
	} {
		if got := decimal.Quotient(c.a, c.b, c.c, c.places).String(); got != c.want {
			t.Errorf("%d × %d / %d: got %s, want %s", c.a, c.b, c.c, got, c.want)
		}
	}
}

func TestScaledAndFloat(t *testing.T) {
	for _, c := range []struct {
		text   string
		places int
		want   uint64
		ok     bool
	}{{"92.37", 2, 9237, true}, {"0", 2, 0, true}, {"100", 2, 10000, true}, {"1.005", 2, 0, false}, {"-1", 2, 0, false}, {"1e15", 2, 1e17, true}, {"1e16", 2, 0, false}, {"0", -1, 0, true}} {
		if got, ok := parse(t, c.text).Scaled(c.places); got != c.want || ok != c.ok {
			t.Errorf("%s × 10^%d: got %d %v, want %d %v", c.text, c.places, got, ok, c.want, c.ok)
		}
	}
	for _, f := range []float64{0, 0.1, 1.0 / 3, 2.5122426450252533e-7, 1e300, 5e-324, -2.5} {
		if got := decimal.FromFloat(f).Float(); got != f {
			t.Errorf("%g comes back as %g", f, got)
		}
	}
	for text, want := range map[string]float64{"1e309": math.Inf(1), "-1e309": math.Inf(-1), "1e-400": 0} {
		if got := parse(t, text).Float(); got != want {
			t.Errorf("%s is %g", text, got)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, text := range []string{"0", "-12.30", "1e-7", "1.", "99999999999999999999.5"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		d, ok := decimal.Parse(text)
		if !ok {
			if d != (decimal.Decimal{}) {
				t.Errorf("%q is refused but gives %s", text, d)
			}
			return
		}
		plain := d.String()
		if len(plain) > decimal.MaxText {
			return
		}
		if again, ok := decimal.Parse(plain); !ok || again != d {
			t.Errorf("%q: %s is read as %s", text, plain, again)
		}
		if one, _ := decimal.Parse("1"); d.Mul(one) != d {
			t.Errorf("%q × 1 is %s", text, d.Mul(one))
		}
	})
}
