// Package game is the table of the games that can be computed: for each site and game
// its parameters, its versions, how well its rule is known, and what it makes of a
// stream. A game sees draws and parameters and nothing else. A rule that is not
// published is refused; what is known only from others is labelled in the outcome. The
// rules are docs/spec/games.md.
package game

import (
	"slices"

	"veridice/draw"
)

// A Game is a value: a site, a name, and what is known of the rule.
type Game struct {
	Site, Name string

	// Variants names the versions of the rule. The empty name stands for a rule
	// with one version only, or for the way the site shows it.
	Variants []string
	Params   []Param
	Grade    Grade

	play func(src draw.Source, p Params) (result, error)
}

// A result is what a rule gives: keys, labels.
type result struct {
	keys   []Key
	labels []Label
}

func (r *result) add(name string, v Value) { r.keys = append(r.keys, Key{Name: name, Value: v}) }
func (r *result) open(name string, v Value) {
	r.keys = append(r.keys, Key{Name: name, Value: v, Open: true})
}
func (r *result) label(code, key string) { r.labels = append(r.labels, Label{code, key}) }

// refuse makes a rule's error; [Game.Play] says whose it is.
func refuse(code Code) error { return &Error{Code: code} }

// Play makes the outcome of a stream. It refuses, with an [*Error], parameters
// that are missing, unknown or out of range, and what the rule leaves open.
func (g *Game) Play(src draw.Source, p Params) (*Outcome, error) {
	if err := g.check(p); err != nil {
		return nil, err
	}
	r, err := g.play(src, p)
	if err != nil {
		if e, ok := err.(*Error); ok {
			e.Site, e.Game = g.Site, g.Name
		}
		return nil, err
	}
	return &Outcome{Site: g.Site, Game: g.Name, Params: p, Grade: g.Grade, Keys: r.keys, Labels: r.labels}, nil
}

var table = slices.Concat(shuffle, stake, duel, liqd, others)

// All lists every game.
func All() []*Game {
	list := make([]*Game, len(table))
	for i := range table {
		list[i] = &table[i]
	}
	return list
}

// Sites lists the sites that have games here.
func Sites() []string {
	var list []string
	for i := range table {
		if !slices.Contains(list, table[i].Site) {
			list = append(list, table[i].Site)
		}
	}
	return list
}

// Lookup finds a game, or says with an [*Error] whether it is the site or the
// game that is not known.
func Lookup(site, name string) (*Game, error) {
	code := SiteUnknown
	for i := range table {
		if table[i].Site == site {
			if table[i].Name == name {
				return &table[i], nil
			}
			code = GameUnknown
		}
	}
	return nil, &Error{Code: code, Site: site, Game: name}
}

// one is the list of variants of a rule that has only one.
var one = []string{""}

func confirmed(n int) Grade { return Grade{Confirmed, n} }

func number(name string, min, max uint64) Param {
	return Param{Name: name, Type: TypeInteger, Min: min, Max: max}
}

func choice(name string, list ...string) Param {
	return Param{Name: name, Type: TypeChoice, List: list}
}

func (p Param) optional() Param {
	p.Optional = true
	return p
}
