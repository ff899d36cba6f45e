package bet

import (
	"math"

	"veridice/decimal"
	"veridice/game"
)

// readBack is how far a double may be off that a source read back from a drawn
// page (vectors/README.md, darts).
const readBack = 1e-12

// same compares a computed key with a recorded value: decimals as decimals,
// whatever their zeros, everything else exactly. Of a list that goes on in the
// stream a beginning is enough, but not nothing.
func same(own game.Key, want game.Value, b Bet) bool {
	if own.Value.Kind == game.List && want.Kind == game.List && own.Open {
		if n := len(want.List); n == 0 || n > len(own.Value.List) {
			return false
		}
		own.Value.List = own.Value.List[:len(want.List)]
	}
	if b.Site == "stake" && b.Game == "darts" && (own.Name == "rotation" || own.Name == "distance") && param(b, "places") == "" {
		x, okX := number(own.Value)
		y, okY := number(want)
		return okX && okY && math.Abs(x.Float()-y.Float()) <= readBack
	}
	return equal(own.Value, want)
}

// readable reports whether what is recorded is a value of the kind that was computed. What
// is not, such as 83.21% or a number with a blank behind it, says nothing of the outcome.
func readable(own, want game.Value) bool {
	switch own.Kind {
	case game.List:
		if want.Kind != game.List {
			return false
		}
		for i := range min(len(own.List), len(want.List)) {
			if !readable(own.List[i], want.List[i]) {
				return false
			}
		}
		return true
	case game.Decimal:
		_, ok := number(want)
		return ok
	}
	return own.Kind == want.Kind
}

func equal(own, want game.Value) bool {
	switch own.Kind {
	case game.List:
		if want.Kind != game.List || len(own.List) != len(want.List) {
			return false
		}
		for i := range own.List {
			if !equal(own.List[i], want.List[i]) {
				return false
			}
		}
		return true
	case game.Decimal:
		x, okX := number(own)
		y, okY := number(want)
		return okX && okY && x == y
	case game.Integer:
		return want.Kind == game.Integer && own.Int == want.Int
	case game.Boolean:
		return want.Kind == game.Boolean && own.Int == want.Int
	}
	return want.Kind == game.Text && own.Text == want.Text
}

// number reads a recorded number, written as text or as an integer.
func number(v game.Value) (decimal.Decimal, bool) {
	switch v.Kind {
	case game.Decimal, game.Text:
		return decimal.Parse(v.Text)
	case game.Integer:
		return decimal.New(v.Int, 0), true
	}
	return decimal.Decimal{}, false
}
