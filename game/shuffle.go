package game

import (
	"slices"
	"strconv"

	"veridice/decimal"
	"veridice/draw"
	"veridice/game/cards"
	"veridice/game/dice"
	"veridice/game/keno"
	"veridice/game/limbo"
	"veridice/game/mines"
	"veridice/game/plinko"
	"veridice/game/roulette"
	"veridice/game/stream"
	"veridice/game/tower"
	"veridice/game/wheel"
)

// shuffle holds the games of Shuffle; docs/spec/games.md, section 3.
var shuffle = []Game{
	{"shuffle", "plinko", one, []Param{rows}, confirmed(1), func(src draw.Source, p Params) (r result, err error) {
		dropped(&r, src, p)
		return r, nil
	}},
	{"shuffle", "dice", one, nil, confirmed(1), playDice},
	{"shuffle", "limbo", one, nil, confirmed(1), func(src draw.Source, p Params) (r result, err error) {
		h := limbo.Shuffle(src)
		r.add("multiplier", fixed(h))
		if h < 100 {
			r.label(LabelBelowOne, "multiplier")
		}
		return r, nil
	}},
	{"shuffle", "keno", one, nil, confirmed(1), func(src draw.Source, p Params) (r result, err error) {
		places, numbers := keno.Shuffle(src)
		drawn(&r, "numbers", places, numbers)
		if slices.Contains(numbers, 0) {
			r.label(LabelBlank, "numbers")
		}
		return r, nil
	}},
	{"shuffle", "mines", one, []Param{minesHidden}, confirmed(1), playMines},
	{"shuffle", "roulette", one, nil, confirmed(1), playRoulette},
	{"shuffle", "wheel", one, []Param{segments}, confirmed(1), func(src draw.Source, p Params) (r result, err error) {
		r.add("segment", Int(uint64(wheel.Spin(src, p.integer("segments", 0)))))
		r.label(LabelReading, "segment")
		return r, nil
	}},
	{"shuffle", "tower", one, []Param{difficulty(tower.Difficulties[:])}, confirmed(1), playTower},
	{"shuffle", "blackjack", one, []Param{cardCount}, confirmed(1), func(src draw.Source, p Params) (r result, err error) {
		open(&r, cards.A, cards.Draw(src, p.integer("count", shown)))
		r.label(LabelNoOrder, "cards")
		return r, nil
	}},
	{"shuffle", "hilo", one, []Param{cardCount}, confirmed(1), func(src draw.Source, p Params) (r result, err error) {
		open(&r, cards.A, cards.Draw(src, p.integer("count", shown)))
		return r, nil
	}},
	{"shuffle", "baccarat", one, []Param{number("count", 1, cards.RoundCards).optional()}, confirmed(1), func(src draw.Source, p Params) (r result, err error) {
		drawn := cards.Draw(src, cards.RoundCards)
		open(&r, cards.B, drawn)
		played(&r, cards.B, cards.Play(drawn, cards.Alternating))
		for _, key := range []string{"cards", "player", "banker"} {
			r.label(LabelSuits, key)
		}
		return r, nil
	}},
	{"shuffle", "blitz", one, []Param{number("count", 1, shown)}, confirmed(1), func(src draw.Source, p Params) (r result, err error) {
		drawn := cards.Draw(src, p.integer("count", 1))
		open(&r, cards.C, drawn)
		r.add("win", Bool(cards.Different(drawn)))
		r.label(LabelSuits, "cards")
		r.label(LabelReading, "win")
		return r, nil
	}},
	{"shuffle", "crash", one, []Param{roundNumber("game")}, Grade{Kind: Unknown}, notPublished},
	{"shuffle", "slide", one, []Param{roundNumber("game")}, Grade{Kind: Unknown}, notPublished},
	{"shuffle", "floats", one, floatParams, confirmed(3), playFloats},
	{"shuffle", "bytes", one, byteParams, confirmed(3), playBytes},
}

// Parameters that several sites share.
var (
	rows        = number("rows", plinko.MinRows, plinko.MaxRows)
	minesHidden = number("mines", 1, mines.Cells-1)
	cardCount   = number("count", 1, maxCards).optional()
	segments    = choice("segments", numbers(wheel.Segments[:])...)
	floatParams = []Param{number("count", 1, maxShown), number("offset", 0, maxOffset).optional(), number("places", 1, 32).optional()}
	byteParams  = []Param{number("count", 1, maxShown), number("offset", 0, maxOffset).optional()}
)

const (
	shown     = 52 // cards that sites show of an endless deck
	maxCards  = 10_000
	maxShown  = 10_000 // bytes or floats
	maxOffset = 1_000_000
)

func difficulty(list []string) Param { return choice("difficulty", list...) }

// roundNumber is a parameter that says which round it was. It changes nothing.
func roundNumber(name string) Param { return number(name, 0, 1<<53-1).optional() }

func numbers(list []int) []string {
	texts := make([]string, len(list))
	for i, n := range list {
		texts[i] = strconv.Itoa(n)
	}
	return texts
}

func notPublished(draw.Source, Params) (result, error) { return result{}, refuse(NotPublished) }

func playDice(src draw.Source, _ Params) (r result, err error) {
	r.add("roll", Dec(dice.Hundredths(src).String()))
	return r, nil
}

func playRoulette(src draw.Source, _ Params) (r result, err error) {
	r.add("pocket", Int(uint64(roulette.Spin(src))))
	return r, nil
}

func playMines(src draw.Source, p Params) (r result, err error) {
	places, cells := mines.Hide(src, p.integer("mines", 0))
	drawn(&r, "cells", places, cells)
	return r, nil
}

func playTower(src draw.Source, p Params) (r result, err error) {
	built := tower.Build(src, p.choice("difficulty", tower.Difficulties[:]))
	var rows, sets []Value
	for _, row := range built {
		rows = append(rows, Ints(row))
		sets = append(sets, Ints(sorted(row)))
	}
	r.add("rows", Vals(rows...))
	r.add("sets", Vals(sets...))
	return r, nil
}

func playFloats(src draw.Source, p Params) (r result, err error) {
	var floats []Value
	for _, k := range stream.Words(src, p.integer("offset", 0), p.integer("count", 0)) {
		text := decimal.FromFloat(draw.Float(k)).String()
		if p.Has("places") {
			text = strconv.FormatFloat(draw.Float(k), 'f', p.integer("places", 0), 64)
		}
		floats = append(floats, Dec(text))
	}
	r.add("floats", Vals(floats...))
	return r, nil
}

func playBytes(src draw.Source, p Params) (r result, err error) {
	r.add("bytes", Ints(stream.Bytes(src, p.integer("offset", 0), p.integer("count", 0))))
	return r, nil
}

// dropped adds the path and slot of a ball.
func dropped(r *result, src draw.Source, p Params) plinko.Path {
	path := plinko.Drop(src, p.integer("rows", 0))
	r.add("path", Str(path.String()))
	r.add("slot", Int(uint64(path.Slot())))
	return path
}

// drawn adds a list in the order drawn, the places it came from, and the set.
func drawn(r *result, name string, places, list []uint32) {
	r.add("raw", Ints(places))
	r.add(name, Ints(list))
	r.add("set", Ints(sorted(list)))
}

func sorted(list []uint32) []uint32 {
	list = slices.Clone(list)
	slices.Sort(list)
	return list
}

// open adds cards that go on in the stream.
func open(r *result, deck cards.Deck, drawn []uint32) {
	r.open("draws", Ints(drawn))
	r.open("cards", Strs(deck.Names(drawn)))
}

// played adds a round of baccarat.
func played(r *result, deck cards.Deck, round cards.Round) {
	r.add("player", Strs(deck.Names(round.Player)))
	r.add("banker", Strs(deck.Names(round.Banker)))
	totals(r, round)
}

func totals(r *result, round cards.Round) {
	r.add("totals", Ints([]uint32{round.PlayerTotal, round.BankerTotal}))
	r.add("winner", Str(round.Winner))
}
