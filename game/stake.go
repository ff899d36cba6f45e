package game

import (
	"slices"
	"strconv"

	"veridice/decimal"
	"veridice/draw"
	"veridice/game/cards"
	"veridice/game/climb"
	"veridice/game/crash"
	"veridice/game/darts"
	"veridice/game/drill"
	"veridice/game/flip"
	"veridice/game/gems"
	"veridice/game/keno"
	"veridice/game/limbo"
	"veridice/game/moles"
	"veridice/game/plinko"
	"veridice/game/samurai"
	"veridice/game/slots"
	"veridice/game/snakes"
	"veridice/game/tiers"
	"veridice/game/tower"
	"veridice/game/wheel"
	"veridice/game/zoo"
)

// Versions of rules.
const (
	Limbo24        = "2^24"   // Stake's limbo now
	Limbo8         = "1e8"    // Stake's limbo about 2020
	LimboPage      = "page"   // as Stake's page prints it
	BaccaratPlayed = "played" // hands after the third-card rule
	Primedice2015  = "2015"
)

// stake holds the games of Stake; docs/spec/games.md, section 4.
var stake = []Game{
	{"stake", "dice", one, nil, confirmed(65), playDice},
	{"stake", "primedice", one, nil, confirmed(10), playDice},
	{"stake", "limbo", []string{Limbo24, Limbo8, LimboPage}, nil, confirmed(65), playLimbo},
	{"stake", "plinko", one, []Param{rows, choice("risk", plinko.Risks[:]...).optional()}, confirmed(112), func(src draw.Source, p Params) (r result, err error) {
		path := dropped(&r, src, p)
		if risk := p.choice("risk", plinko.Risks[:]); risk >= 0 {
			r.add("multiplier", hundredths(uint64(plinko.Pays(len(path), risk, path.Slot()))))
		}
		return r, nil
	}},
	{"stake", "wheel", one, []Param{segments, choice("risk", wheel.Risks[:]...).optional()}, confirmed(55), func(src draw.Source, p Params) (r result, err error) {
		n := p.integer("segments", 0)
		segment := wheel.Spin(src, n)
		r.add("segment", Int(uint64(segment)))
		if risk := p.choice("risk", wheel.Risks[:]); risk >= 0 {
			r.add("multiplier", hundredths(uint64(wheel.Pays(n, risk, segment))))
		}
		return r, nil
	}},
	{"stake", "roulette", one, nil, confirmed(65), playRoulette},
	{"stake", "keno", one, nil, confirmed(65), func(src draw.Source, p Params) (r result, err error) {
		places, numbers := keno.Stake(src)
		drawn(&r, "numbers", places, numbers)
		return r, nil
	}},
	{"stake", "mines", one, []Param{minesHidden}, confirmed(79), playMines},
	{"stake", "video-poker", one, nil, confirmed(21), func(src draw.Source, p Params) (r result, err error) {
		hand, next := cards.Poker(src)
		r.add("draws", Ints(slices.Concat(hand, next)))
		r.add("hand", Strs(cards.A.Names(hand)))
		r.add("next", Strs(cards.A.Names(next)))
		return r, nil
	}},
	{"stake", "blackjack", one, []Param{number("count", 4, maxCards).optional()}, confirmed(24), func(src draw.Source, p Params) (r result, err error) {
		drawn := cards.Draw(src, p.integer("count", shown))
		open(&r, cards.A, drawn)
		r.add("player", Strs(cards.A.Names(drawn[:2])))
		r.add("dealer", Strs(cards.A.Names(drawn[2:4])))
		r.open("next", Strs(cards.A.Names(drawn[4:])))
		return r, nil
	}},
	{"stake", "hilo", one, []Param{cardCount}, confirmed(14), func(src draw.Source, p Params) (r result, err error) {
		open(&r, cards.A, cards.Draw(src, p.integer("count", shown)))
		return r, nil
	}},
	{"stake", "baccarat", []string{"", BaccaratPlayed}, nil, confirmed(20), func(src draw.Source, p Params) (r result, err error) {
		drawn := cards.Draw(src, cards.RoundCards)
		open(&r, cards.A, drawn)
		round := cards.Play(drawn, cards.Paired)
		if p.Variant == BaccaratPlayed {
			played(&r, cards.A, round)
			return r, nil
		}
		r.add("player", Strs(cards.A.Names(drawn[:2])))
		r.add("banker", Strs(cards.A.Names(drawn[2:4])))
		r.open("next", Strs(cards.A.Names(drawn[4:])))
		totals(&r, round)
		return r, nil
	}},
	{"stake", "diamonds", one, nil, confirmed(13), func(src draw.Source, p Params) (r result, err error) {
		r.add("gems", gemNames(&r, "gems", gems.Draw(src, gems.Diamonds)))
		return r, nil
	}},
	{"stake", "diamond-poker", one, nil, confirmed(49), func(src draw.Source, p Params) (r result, err error) {
		r.add("dealer", gemNames(&r, "dealer", gems.Draw(src, gems.Diamonds)))
		r.add("player", gemNames(&r, "player", gems.Draw(src, gems.Diamonds)))
		r.label(LabelStated, "dealer")
		return r, nil
	}},
	{"stake", "dragon-tower", one, []Param{difficulty(tower.Difficulties[:])}, confirmed(5), playTower},
	{"stake", "pump", one, []Param{difficulty(climb.Difficulties[:])}, confirmed(9), func(src draw.Source, p Params) (r result, err error) {
		level := p.choice("difficulty", climb.Difficulties[:])
		cells, pays := climb.Pump(src, level)
		climbed(&r, cells, pays)
		if climb.Difficulties[level] == "medium" && slices.Min(cells) == 4 {
			r.label(LabelOtherRecord, "multiplier")
		}
		return r, nil
	}},
	{"stake", "chicken", one, []Param{difficulty(climb.Difficulties[:])}, confirmed(10), func(src draw.Source, p Params) (r result, err error) {
		cells, pays := climb.Chicken(src, p.choice("difficulty", climb.Difficulties[:]))
		climbed(&r, cells, pays)
		return r, nil
	}},
	{"stake", "cases", one, []Param{difficulty(tiers.Difficulties[:])}, confirmed(10), func(src draw.Source, p Params) (r result, err error) {
		r.add("multiplier", hundredths(uint64(tiers.Cases(src, p.choice("difficulty", tiers.Difficulties[:])))))
		return r, nil
	}},
	{"stake", "bars", one, []Param{difficulty(tiers.Difficulties[:]), number("tiles", 1, tiers.MaxTiles)}, confirmed(10), func(src draw.Source, p Params) (r result, err error) {
		shown := tiers.BarsShown(src, p.choice("difficulty", tiers.Difficulties[:]), p.integer("tiles", 1))
		r.add("multipliers", multipliers(shown[:]))
		return r, nil
	}},
	{"stake", "tarot", one, []Param{difficulty(tiers.Difficulties[:])}, confirmed(10), func(src draw.Source, p Params) (r result, err error) {
		pays := tiers.Tarot(src, p.choice("difficulty", tiers.Difficulties[:]))
		r.add("multipliers", multipliers(pays[:]))
		product := decimal.New(1, 0)
		for _, h := range pays {
			product = product.Mul(decimal.New(uint64(h), 2))
		}
		r.add("multiplier", Dec(product.String()))
		return r, nil
	}},
	{"stake", "packs", one, nil, confirmed(10), func(src draw.Source, p Params) (r result, err error) {
		list, sum := tiers.Packs(src)
		r.add("numbers", Ints(list[:]))
		r.add("set", Ints(sorted(list[:])))
		r.add("multiplier", hundredths(uint64(sum)))
		r.label(LabelThirdParty, "multiplier")
		if slices.Contains(list[:], tiers.Doubtful) {
			r.label(LabelMisprint, "multiplier")
		}
		return r, nil
	}},
	{"stake", "drill", one, nil, confirmed(30), func(src draw.Source, p Params) (r result, err error) {
		pays := drill.Dig(src)
		r.add("multipliers", multipliers(pays[:]))
		if slices.Contains(pays[:], drill.Cap) {
			r.label(LabelThirdParty, "multipliers")
		}
		return r, nil
	}},
	{"stake", "darts", one, []Param{difficulty(darts.Difficulties[:]), number("places", 1, 15).optional()}, confirmed(810), func(src draw.Source, p Params) (r result, err error) {
		hit := darts.Throw(src)
		places := p.integer("places", -1)
		r.add("rotation", double(hit.Rotation, places))
		r.add("distance", double(hit.Distance, places))
		r.add("radius", double(hit.Radius, places))
		field, pays := hit.Field(p.choice("difficulty", darts.Difficulties[:]))
		r.add("field", Str(field))
		r.add("multiplier", hundredths(uint64(pays)))
		r.label(LabelThirdParty, "field")
		r.label(LabelThirdParty, "multiplier")
		return r, nil
	}},
	{"stake", "snakes", one, []Param{difficulty(snakes.Difficulties[:])}, confirmed(10), func(src draw.Source, p Params) (r result, err error) {
		var rolls, sums, pays []Value
		for _, roll := range snakes.Roll(src) {
			sum := roll[0] + roll[1]
			rolls = append(rolls, Ints(roll[:]))
			sums = append(sums, Int(uint64(sum)))
			pays = append(pays, hundredths(uint64(snakes.Pays(p.choice("difficulty", snakes.Difficulties[:]), sum))))
		}
		r.add("rolls", Vals(rolls...))
		r.add("sums", Vals(sums...))
		r.add("multipliers", Vals(pays...))
		r.label(LabelThirdParty, "multipliers")
		return r, nil
	}},
	{"stake", "flip", one, []Param{number("count", 1, flip.Count).optional()}, confirmed(10), func(src draw.Source, p Params) (r result, err error) {
		flips, half := flip.Coins(src, p.integer("count", flip.Count))
		r.add("flips", Str(flips))
		if half {
			r.label(LabelHalf, "flips")
		}
		return r, nil
	}},
	{"stake", "rps", one, []Param{number("count", 1, flip.Count).optional()}, confirmed(10), func(src draw.Source, p Params) (r result, err error) {
		r.add("throws", Str(flip.Hands(src, p.integer("count", flip.Count))))
		return r, nil
	}},
	{"stake", "moles", one, []Param{number("moles", 1, moles.Max)}, confirmed(36), func(src draw.Source, p Params) (r result, err error) {
		var rounds []Value
		for _, holes := range moles.Hide(src, p.integer("moles", 1)) {
			rounds = append(rounds, Ints(holes))
		}
		r.add("rounds", Vals(rounds...))
		return r, nil
	}},
	{"stake", "scarab-spin", one, spinParams, confirmed(62), playReels},
	{"stake", "tome-of-life", one, spinParams, confirmed(62), playReels},
	{"stake", "blue-samurai", one, nil, confirmed(2), func(src draw.Source, p Params) (r result, err error) {
		spin := samurai.Turn(src)
		var columns []Value
		for _, column := range spin {
			var symbols []Value
			for _, symbol := range column {
				symbols = append(symbols, Str(samurai.Symbols[symbol]))
			}
			columns = append(columns, Vals(symbols...))
		}
		r.add("columns", Vals(columns...))
		r.add("scatters", Int(uint64(spin.Scatters())))
		special, bonus := uint64(0), uint64(0)
		if spin.Special() {
			special = samurai.Specials
		}
		if spin.Scatters() >= 3 {
			bonus = samurai.Bonus
		}
		r.add("special_spins", Int(special))
		r.add("bonus_spins", Int(bonus))
		r.label(LabelStated, "special_spins")
		r.label(LabelStated, "bonus_spins")
		if special+bonus > 0 {
			r.label(LabelMoreFollows, "columns")
		}
		return r, nil
	}},
	{"stake", "crash", one, []Param{roundNumber("game")}, confirmed(27), func(src draw.Source, p Params) (r result, err error) {
		pointed(&r, crash.Word(src, crash.StakeCrash))
		return r, nil
	}},
	{"stake", "slide", one, []Param{roundNumber("game")}, confirmed(16), func(src draw.Source, p Params) (r result, err error) {
		pointed(&r, crash.Word(src, crash.StakeSlide))
		return r, nil
	}},
	{"stake", "zoo", one, nil, confirmed(10), func(src draw.Source, p Params) (r result, err error) {
		animals := zoo.Draw(src)
		r.add("animals", Strs(animals[:]))
		return r, nil
	}},
	{"stake", "floats", one, floatParams, confirmed(6), playFloats},
	{"stake", "bytes", one, byteParams, confirmed(6), playBytes},
}

var spinParams = []Param{number("from", 0, maxSpins-1).optional(), number("to", 0, maxSpins-1).optional()}

const maxSpins = 1000

func playLimbo(src draw.Source, p Params) (r result, err error) {
	switch p.Variant {
	case Limbo8:
		r.add("multiplier", fixed(limbo.Power8(src)))
	case LimboPage:
		h, ok := limbo.Page(src)
		if !ok {
			return r, refuse(NoNumber)
		}
		r.add("multiplier", fixed(h))
	default:
		h, exact := limbo.Power24(src)
		r.add("multiplier", fixed(h))
		r.add("exact", fixed(exact))
	}
	return r, nil
}

// playReels gives the spins from one to another as the stream has them, or the
// whole round with the bonus spins that follow from it.
func playReels(src draw.Source, p Params) (r result, err error) {
	var spins []slots.Spin
	capped := false
	switch from, to := p.integer("from", -1), p.integer("to", -1); {
	case from >= 0 && to >= from:
		for i := range to + 1 {
			if spin := slots.Turn(src); i >= from {
				spins = append(spins, spin)
			}
		}
	case from < 0 && to < 0:
		spins, capped = slots.Round(src)
	case from < 0:
		return r, &Error{Code: ParamMissing, Param: "from"}
	case to < 0:
		return r, &Error{Code: ParamMissing, Param: "to"}
	default:
		return r, &Error{Code: ParamValue, Param: "to", Allowed: "from <= to"}
	}
	var stops, windows []Value
	var scatters []uint32
	for _, s := range spins {
		stops = append(stops, Ints(s[:]))
		var window []Value
		for _, reel := range s.Window() {
			window = append(window, Strs(reel[:]))
		}
		windows = append(windows, Vals(window...))
		scatters = append(scatters, uint32(s.Scatters()))
	}
	r.add("stops", Vals(stops...))
	r.add("windows", Vals(windows...))
	r.add("scatters", Ints(scatters))
	if capped {
		r.label(LabelThirdParty, "stops")
	}
	return r, nil
}

func climbed(r *result, cells []uint32, pays uint32) {
	r.add("cells", Ints(cells))
	r.add("safe", Int(uint64(slices.Min(cells))))
	r.add("multiplier", hundredths(uint64(pays)))
}

func multipliers(list []uint32) Value {
	values := make([]Value, len(list))
	for i, h := range list {
		values[i] = hundredths(uint64(h))
	}
	return Vals(values...)
}

// gemNames writes gems and labels the one whose colour two sources write
// differently.
func gemNames(r *result, key string, list []uint32) Value {
	names := make([]string, len(list))
	for i, g := range list {
		names[i] = gems.Colours[g]
	}
	if slices.Contains(names, "pink") {
		r.label(LabelOtherRecord, key)
	}
	return Strs(names)
}

func pointed(r *result, p crash.Point) {
	r.add("multiplier", fixed(p.Hundredths))
	r.add("raw", Dec(decimal.FromFloat(p.Raw).String()))
}

func double(f float64, places int) Value {
	if places < 0 {
		return Dec(decimal.FromFloat(f).String())
	}
	return Dec(strconv.FormatFloat(f, 'f', places, 64))
}
