package game

import (
	"veridice/draw"
	"veridice/game/crash"
	"veridice/game/dice"
)

// others holds the games of sites with one or two; docs/spec/games.md, sections 5
// and 6, and foreign.md.
var others = []Game{
	{"bustabit", "crash", one, []Param{number("game", 1, 1<<53-1).optional()}, confirmed(500), func(src draw.Source, p Params) (r result, err error) {
		if n := p.large("game"); 10_000_000 < n && n <= 12_279_450 {
			return r, refuse(NotCovered)
		}
		r.add("multiplier", fixed(crash.Bustabit(src)))
		return r, nil
	}},
	{"bcgame", "limbo", one, nil, confirmed(1), func(src draw.Source, p Params) (r result, err error) {
		r.add("multiplier", fixed(crash.Bustabit(src)))
		return r, nil
	}},
	{"bcgame", "dice", one, nil, confirmed(1), playDice},
	{"bcgame", "crash", one, []Param{roundNumber("game")}, Grade{Kind: Stated}, func(src draw.Source, p Params) (r result, err error) {
		h, ok := crash.BCGame(src)
		if !ok {
			return r, refuse(NoNumber)
		}
		r.add("multiplier", fixed(h))
		return r, nil
	}},
	{"roobet", "crash", one, []Param{choice("divisor", "20", "25"), roundNumber("game")}, Grade{Kind: Stated}, func(src draw.Source, p Params) (r result, err error) {
		r.add("multiplier", fixed(crash.Roobet(src, uint32(p.integer("divisor", 0)))))
		return r, nil
	}},
	{"zeroplay", "backgammon", one, []Param{number("nonce", 0, 1<<32-1), number("rolls", 1, 10_000)}, Grade{Kind: Stated}, func(src draw.Source, p Params) (r result, err error) {
		rolls, next, ok := dice.Zeroplay(src, p.large("nonce"), p.integer("rolls", 1))
		if !ok {
			return r, refuse(NotSeekable)
		}
		var list []Value
		for _, roll := range rolls {
			list = append(list, Ints(roll[:]))
		}
		r.add("dice", Vals(list...))
		r.add("next_nonce", Int(next))
		return r, nil
	}},
	{"primedice", "dice", []string{Primedice2015}, nil, Grade{Kind: ThirdParty}, func(src draw.Source, p Params) (r result, err error) {
		v, ok := dice.OldPrimedice(src)
		if !ok {
			return r, refuse(Exhausted)
		}
		r.add("roll", Dec(v.String()))
		return r, nil
	}},
}
