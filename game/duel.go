package game

import (
	"veridice/decimal"
	"veridice/draw"
	"veridice/game/crash"
	"veridice/game/mines"
	"veridice/game/plinko"
	"veridice/game/roulette"
)

// duel holds the games of Duel; docs/spec/foreign.md, section 1.
var duel = []Game{
	{"duel", "dice", one, []Param{choice("side", "over").optional(), number("target", 0, duelFaces-2).optional(), amount}, confirmed(29), playDuelDice},
	{"duel", "mines", one, []Param{minesHidden, number("tiles", mines.Cells, mines.Cells).optional()}, confirmed(7), func(src draw.Source, p Params) (r result, err error) {
		cells, ok := mines.HideDuel(src, mines.Cells, p.integer("mines", 0))
		if !ok {
			return r, refuse(Exhausted)
		}
		r.add("set", Ints(cells))
		return r, nil
	}},
	{"duel", "beef", one, []Param{number("deaths", 1, beef-1), number("tiles", beef, beef).optional()}, confirmed(5), func(src draw.Source, p Params) (r result, err error) {
		cells, ok := mines.HideDuel(src, beef, p.integer("deaths", 0))
		if !ok {
			return r, refuse(Exhausted)
		}
		r.add("set", Ints(cells))
		return r, nil
	}},
	{"duel", "plinko", one, []Param{rows, choice("risk", plinko.Risks[:3]...).optional(), amount}, confirmed(256), func(src draw.Source, p Params) (r result, err error) {
		path, ok := plinko.DropLow(src, p.integer("rows", 0))
		if !ok {
			return r, refuse(NotSeekable)
		}
		r.add("path", Str(path.String()))
		r.add("slot", Int(uint64(path.Slot())))
		if risk := p.choice("risk", plinko.Risks[:]); risk >= 0 {
			pays := decimal.New(plinko.DuelPays(len(path), risk, path.Slot()), 8)
			r.add("multiplier", Dec(pays.Fixed(8)))
			paid(&r, p, pays, true)
			r.label(LabelReading, "multiplier")
			r.label(LabelFirstBand, "multiplier")
		}
		return r, nil
	}},
	{"duel", "crash", one, []Param{roundNumber("round"), roundNumber("drand_round")}, confirmed(8), func(src draw.Source, p Params) (r result, err error) {
		pointed(&r, crash.Word(src, crash.DuelCrash))
		return r, nil
	}},
	{"duel", "castle-roulette", one, []Param{roundNumber("round"), roundNumber("drand_round")}, confirmed(4), func(src draw.Source, p Params) (r result, err error) {
		pocket := roulette.Castle(src)
		coin, pays := roulette.Coin(pocket)
		r.add("pocket", Int(uint64(pocket)))
		r.add("coin", Str(coin))
		r.add("multiplier", Int(uint64(pays)))
		return r, nil
	}},
}

const (
	duelFaces  = 10001
	duelPlaces = 18 // of its decimals
	beef       = 20 // cells
)

var amount = Param{Name: "amount", Type: TypeDecimal, Optional: true}

// playDuelDice draws 0 to 10,000. Only bets over a target were published.
func playDuelDice(src draw.Source, p Params) (r result, err error) {
	v, ok := draw.Below(src, duelFaces, draw.DuelLimit(duelFaces))
	if !ok {
		return r, refuse(Exhausted)
	}
	r.add("result", Int(uint64(v)))
	if p.Has("side") != p.Has("target") {
		missing := "side"
		if p.Has("side") {
			missing = "target"
		}
		return r, &Error{Code: ParamMissing, Param: missing}
	}
	if !p.Has("target") {
		return r, nil
	}
	target := p.integer("target", 0)
	ways := uint64(duelFaces - 1 - target)
	win := v > uint32(target)
	pays := decimal.Quotient(999*duelFaces, 1, 1000*ways, duelPlaces)
	r.add("win", Bool(win))
	r.add("chance", Dec(decimal.Quotient(ways, 1, duelFaces, duelPlaces).Fixed(duelPlaces)))
	r.add("multiplier", Dec(pays.Fixed(duelPlaces)))
	paid(&r, p, pays, win)
	return r, nil
}

// paid adds what Duel pays for a bet with an amount: to 18 places, a half upward.
// How a half is rounded was never recorded.
func paid(r *result, p Params, pays decimal.Decimal, win bool) {
	stake, ok := decimal.Parse(p.Get("amount"))
	if !ok {
		return
	}
	if !win {
		stake = decimal.Decimal{}
	}
	r.add("paid", Dec(pays.Mul(stake).HalfUp(duelPlaces).String()))
}
