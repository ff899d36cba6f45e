package bet

import (
	"math"
	"strings"

	"veridice/decimal"
	"veridice/game"
)

// readBack is how far a double may be off that a source read back from a drawn
// page (vectors/README.md, darts).
const readBack = 1e-12

// same compares a computed key with a recorded value that is readable: decimals as
// decimals, whatever their zeros, everything else exactly. Of a list that goes on in the
// stream a beginning is enough.
func same(own game.Key, want game.Value, b Bet) bool {
	if own.Open {
		own.Value.List = own.Value.List[:len(want.List)]
	}
	if b.Site == "stake" && b.Game == "darts" && (own.Name == "rotation" || own.Name == "distance") && param(b, "places") == "" {
		x, okX := number(own.Value)
		y, okY := number(want)
		return okX && okY && math.Abs(x.Float()-y.Float()) <= readBack
	}
	return equal(own.Value, want)
}

// readable reports whether what is recorded is a value of the key that was computed. What
// is not, such as 83.21%, an empty list, Spieler or more cards than were drawn, says
// nothing of the outcome.
func readable(own game.Key, want game.Value) bool {
	if own.Open && len(want.List) > len(own.Value.List) {
		return false
	}
	return alike(own.Value, want)
}

func alike(own, want game.Value) bool {
	switch own.Kind {
	case game.List:
		if want.Kind != game.List || len(want.List) == 0 && len(own.List) > 0 {
			return false
		}
		for i := range min(len(own.List), len(want.List)) {
			if !alike(own.List[i], want.List[i]) {
				return false
			}
		}
		return true
	case game.Decimal:
		_, ok := number(want)
		return ok
	case game.Text:
		return want.Kind == game.Text && possible(own.Text, want.Text)
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
	return want.Kind == game.Text && (own.Text == want.Text || isHex(own.Text) && strings.EqualFold(own.Text, want.Text))
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
