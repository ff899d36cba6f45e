package game

import (
	"veridice/decimal"
	"veridice/draw"
	"veridice/game/cards"
	"veridice/game/mines"
	"veridice/game/plinko"
)

// liqd holds the games of LIQD; docs/spec/foreign.md, section 2.
var liqd = []Game{
	{"liqd", "dice", one, []Param{cursor, {Name: "lower", Type: TypeDecimal, Optional: true}, {Name: "upper", Type: TypeDecimal, Optional: true},
		{Name: "inverted", Type: TypeBoolean, Optional: true}, amount}, confirmed(36), playLIQDDice},
	{"liqd", "mines", one, []Param{cursor, minesHidden}, confirmed(1), func(src draw.Source, p Params) (r result, err error) {
		cells, ok := mines.HideLIQD(src, p.integer("mines", 0))
		if !ok {
			return r, refuse(NotSeekable)
		}
		r.add("cells", Ints(cells))
		r.add("set", Ints(sorted(cells)))
		return r, nil
	}},
	{"liqd", "plinko", one, []Param{cursor, rows}, confirmed(1), func(src draw.Source, p Params) (r result, err error) {
		path := make(plinko.Path, p.integer("rows", 0))
		for i := range path {
			v, ok := draw.BelowAt(src, uint64(i+1), 2)
			if !ok {
				return r, refuse(NotSeekable)
			}
			path[i] = v == 1
		}
		r.add("path", Str(path.String()))
		r.add("slot", Int(uint64(path.Slot())))
		return r, nil
	}},
	{"liqd", "blackjack", one, []Param{cursor, number("decks", cards.Decks, cards.Decks), number("count", 4, 52*cards.Decks).optional()}, confirmed(3), func(src draw.Source, p Params) (r result, err error) {
		shoe, ok := cards.Shoe(src, p.integer("count", shown))
		if !ok {
			return r, refuse(NotSeekable)
		}
		r.open("cards", Strs(shoe))
		return r, nil
	}},
	{"liqd", "draw", one, []Param{cursor, number("range", 1, 1<<32-1)}, confirmed(1), func(src draw.Source, p Params) (r result, err error) {
		v, ok := draw.BelowAt(src, p.large("cursor"), uint32(p.large("range")))
		if !ok {
			return r, refuse(NotSeekable)
		}
		r.add("value", Int(uint64(v)))
		return r, nil
	}},
}

// cursor is the number of the block that dice and single draws are taken from.
var cursor = number("cursor", 0, 1<<53-1).optional()

const (
	liqdFaces  = 10000
	liqdPlaces = 8 // of what it pays
)

// playLIQDDice draws 0.00 to 99.99. A bet wins from lower on and below upper,
// or, inverted, everywhere else.
func playLIQDDice(src draw.Source, p Params) (r result, err error) {
	v, ok := draw.BelowAt(src, p.large("cursor"), liqdFaces)
	if !ok {
		return r, refuse(NotSeekable)
	}
	r.add("roll", fixed(uint64(v)))
	if !p.Has("lower") && !p.Has("upper") && !p.Has("inverted") {
		return r, nil
	}
	var bounds [2]uint64
	for i, name := range [...]string{"lower", "upper"} {
		if !p.Has(name) {
			return r, &Error{Code: ParamMissing, Param: name}
		}
		d, _ := decimal.Parse(p.Get(name))
		if bounds[i], ok = d.Scaled(2); !ok || bounds[i] > liqdFaces {
			return r, &Error{Code: ParamValue, Param: name, Allowed: "0.00 to 100.00"}
		}
	}
	lower, upper, inverted := bounds[0], bounds[1], p.Get("inverted") == "true"
	if lower > upper {
		return r, &Error{Code: ParamValue, Param: "upper", Allowed: "lower <= upper"}
	}
	width, win := upper-lower, lower <= uint64(v) && uint64(v) < upper
	if inverted {
		width, win = liqdFaces-width, !win
	}
	if width == 0 {
		return r, &Error{Code: ParamValue, Param: "upper", Allowed: "lower < upper"}
	}
	// 99 / width in doubles, one rounding; paid rounds the exact quotient.
	multiplier, pays := decimal.Decimal{}, decimal.Decimal{}
	if win {
		const returned = 99 * liqdFaces / 100
		multiplier = decimal.FromFloat(returned / float64(width))
		pays = halfEvenQuotient(returned, width)
	}
	r.add("win", Bool(win))
	r.add("multiplier", Dec(multiplier.String()))
	if stake, ok := decimal.Parse(p.Get("amount")); ok {
		r.add("paid", Dec(pays.Mul(stake).HalfEven(liqdPlaces).String()))
	}
	return r, nil
}

// halfEvenQuotient is a / b to 8 places, an exact half to the even digit.
func halfEvenQuotient(a, b uint64) decimal.Decimal {
	const unit = 100_000_000
	q, rest := a*unit/b, a*unit%b
	if 2*rest > b || 2*rest == b && q%2 == 1 {
		q++
	}
	return decimal.New(q, liqdPlaces)
}
