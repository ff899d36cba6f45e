package game

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"veridice/decimal"
)

// An Arg is a parameter of a bet with its value as text: an integer in decimal
// digits, true or false, a decimal number, or a word.
type Arg struct{ Name, Value string }

// Params are the parameters of a bet, and the name of the version of the rule
// where versions differ.
type Params struct {
	Variant string
	Args    []Arg
}

// A Type says what a parameter may be.
type Type string

// Types of parameters.
const (
	TypeInteger Type = "integer"
	TypeChoice  Type = "choice"
	TypeDecimal Type = "decimal"
	TypeBoolean Type = "boolean"
)

// A Param describes a parameter of a game.
type Param struct {
	Name     string
	Type     Type
	Min, Max uint64   // of an integer
	List     []string // what may be chosen
	Optional bool     // without it the outcome has fewer keys
}

// Allowed writes what the parameter may be, such as "8 to 16".
func (p Param) Allowed() string {
	switch p.Type {
	case TypeInteger:
		if p.Min == p.Max {
			return strconv.FormatUint(p.Min, 10)
		}
		return strconv.FormatUint(p.Min, 10) + " to " + strconv.FormatUint(p.Max, 10)
	case TypeBoolean:
		return "true, false"
	case TypeDecimal:
		return "0, 0.01, 12.5 ..."
	}
	return strings.Join(p.List, ", ")
}

func (p Param) accepts(value string) bool {
	switch p.Type {
	case TypeInteger:
		n, err := strconv.ParseUint(value, 10, 64)
		return err == nil && p.Min <= n && n <= p.Max && (value == "0" || value[0] != '0')
	case TypeBoolean:
		return value == "true" || value == "false"
	case TypeDecimal:
		_, ok := decimal.Parse(value)
		return ok && value[0] != '-' && len(value) <= 40 && !strings.ContainsAny(value, "eE")
	}
	return slices.Contains(p.List, value)
}

// An Error says why a game refuses a bet: a code, and what it is about. It is no
// verdict on the bet.
type Error struct {
	Code    Code
	Site    string
	Game    string
	Param   string // the parameter, if it is about one
	Allowed string // what would be accepted, if that can be said
}

// A Code names why a game refuses.
type Code string

// Reasons to refuse.
const (
	SiteUnknown    Code = "site-unknown"
	GameUnknown    Code = "game-unknown"
	VariantMissing Code = "variant-missing"
	VariantUnknown Code = "variant-unknown"
	ParamMissing   Code = "param-missing"
	ParamUnknown   Code = "param-unknown"
	ParamTwice     Code = "param-twice"
	ParamValue     Code = "param-value"
	NotPublished   Code = "not-published" // the operator does not say the rule
	NotCovered     Code = "not-covered"   // a rule held then that is not known here
	Exhausted      Code = "exhausted"     // every word of a block was rejected
	NoNumber       Code = "no-number"     // the formula divides by zero
	NotSeekable    Code = "not-seekable"  // the source has no numbered blocks
)

var texts = map[Code]string{
	SiteUnknown: "the site is not known", GameUnknown: "the site has no such game here",
	VariantMissing: "the version of the rule must be named", VariantUnknown: "the rule has no such version",
	ParamMissing: "is missing", ParamUnknown: "is not a parameter of this game", ParamTwice: "is given twice", ParamValue: "has another range",
	NotPublished: "the rule is not published", NotCovered: "another rule held for this round",
	Exhausted: "every word of the block was rejected", NoNumber: "the formula divides by zero", NotSeekable: "the stream has no numbered blocks",
}

// Error says it in English, for developers.
func (e *Error) Error() string {
	text := "game: " + e.Site + " " + e.Game + ": "
	if e.Param != "" {
		text += e.Param + " "
	}
	text += texts[e.Code]
	if e.Allowed != "" {
		text += ": " + e.Allowed
	}
	return text
}

// CodeOf is the reason of an error of this package, or "".
func CodeOf(err error) Code {
	var e *Error
	if errors.As(err, &e) {
		return e.Code
	}
	return ""
}

// check refuses parameters that the game does not have, or not in this range.
func (g *Game) check(p Params) error {
	if !slices.Contains(g.Variants, p.Variant) {
		code := VariantUnknown
		if p.Variant == "" {
			code = VariantMissing
		}
		return &Error{Code: code, Site: g.Site, Game: g.Name, Allowed: strings.Join(g.Variants, ", ")}
	}
	for i, a := range p.Args {
		at := slices.IndexFunc(g.Params, func(q Param) bool { return q.Name == a.Name })
		if at < 0 {
			names := make([]string, len(g.Params))
			for i, q := range g.Params {
				names[i] = q.Name
			}
			return &Error{Code: ParamUnknown, Site: g.Site, Game: g.Name, Param: a.Name, Allowed: strings.Join(names, ", ")}
		}
		for _, b := range p.Args[:i] {
			if b.Name == a.Name {
				return &Error{Code: ParamTwice, Site: g.Site, Game: g.Name, Param: a.Name}
			}
		}
		if !g.Params[at].accepts(a.Value) {
			return &Error{Code: ParamValue, Site: g.Site, Game: g.Name, Param: a.Name, Allowed: g.Params[at].Allowed()}
		}
	}
	for _, q := range g.Params {
		if !q.Optional && !p.Has(q.Name) {
			return &Error{Code: ParamMissing, Site: g.Site, Game: g.Name, Param: q.Name, Allowed: q.Allowed()}
		}
	}
	return nil
}

// Get finds the value of a parameter, or "".
func (p Params) Get(name string) string {
	for _, a := range p.Args {
		if a.Name == name {
			return a.Value
		}
	}
	return ""
}

// Has reports whether a parameter is given.
func (p Params) Has(name string) bool { return p.Get(name) != "" }

// integer reads a parameter that was checked, or takes the other value.
func (p Params) integer(name string, otherwise int) int {
	n, err := strconv.Atoi(p.Get(name))
	if err != nil {
		return otherwise
	}
	return n
}

// large reads a parameter that was checked and may be beyond an int of 32 bits, or
// gives 0.
func (p Params) large(name string) uint64 {
	n, _ := strconv.ParseUint(p.Get(name), 10, 64)
	return n
}

// choice is the place of a parameter in a list, -1 if it is not given.
func (p Params) choice(name string, list []string) int { return slices.Index(list, p.Get(name)) }
