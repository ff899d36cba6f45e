// Package bet checks one bet: it puts a site's stream and a game's rule together
// and compares what came out with what was recorded. A bet is proven when its
// outcome follows from its seeds; whether the seal fits is said beside it, since
// without one nobody can tell that the seed was fixed before the bet.
// docs/spec/games.md and docs/spec/foreign.md.
package bet

import (
	"strings"

	"veridice/game"
	"veridice/scheme/foreign"
)

// A Bet is a bet as it was recorded. The fields are those of vectors/README.md.
type Bet struct {
	Site, Game string
	Variant    string  // version of the rule; "" if every version gives this outcome
	Seed       string  // as published; for crash-like games the hash of the round
	SealedAs   string  // the hash that was published for the seed, or ""
	Client     *string // byte for byte; nil if there is none
	Nonce      *uint64 // as the site counts
	Cursor     *uint64 // where the site's message has one that the game does not imply
	Params     []game.Arg
	Want       []game.Key // what came out; may have fewer keys than the game
}

// A Verdict is what a check comes to.
type Verdict string

// The three verdicts. Unknown says nothing about the bet.
const (
	Proven  Verdict = "proven"
	Broken  Verdict = "broken"
	Unknown Verdict = "unknown"
)

// A Fit says whether a seal is of the seed.
type Fit string

// Fits of a seal.
const (
	Fits   Fit = "yes"
	Differ Fit = "no"
	Absent Fit = "absent" // no seal is recorded, or what it covers is not known
	Unread Fit = "unread" // what is recorded is no hash: cut, say, or with something in front
)

// A Code names the reason for a verdict other than proven: one of these, or one of
// package game.
type Code = game.Code

// Codes of a bet.
const (
	WrongOutcome Code = "wrong-outcome" // broken: a key differs
	WrongSeal    Code = "wrong-seal"    // broken: the outcome follows, but the seal is of another seed
	BadSeal      Code = "bad-seal"      // the outcome follows, but the recorded seal is not 64 hex digits
	BadValue     Code = "bad-value"     // what is recorded of a key is none of its values
	BadSeed      Code = "bad-seed"      // the seed is not one of this site
	BadClient    Code = "bad-client"    // the client seed is not one of this site
	NoClient     Code = "no-client"     // the client seed is missing
	NoNonce      Code = "no-nonce"      // the nonce is missing
	BadNonce     Code = "bad-nonce"     // the nonce or cursor is out of range
	NothingToSee Code = "no-outcome"    // no outcome is recorded
	KeyUnknown   Code = "key-unknown"   // a recorded key cannot be computed
	VersionsPart Code = "versions-part" // the versions of the rule give different outcomes
)

// Findings: diagnoses that never change a verdict.
const (
	SealOverBytes = "seal-over-bytes" // the seal is that of the seed's bytes, not of its text
	SealOverText  = "seal-over-text"  // the seal is that of the seed's text, not of its bytes
)

// A Result is the outcome of a check, in codes.
type Result struct {
	Verdict  Verdict
	Code     Code   // "" if proven
	Key      string // the key or parameter it is about
	Expected string // what was computed
	Got      string // what was recorded
	Allowed  string // what a parameter may be

	Seal     Fit
	Grade    game.Grade
	Findings []string
	Outcome  *game.Outcome // what was computed, or nil
}

// Check recomputes a bet.
func Check(b Bet) Result {
	r := check(b)
	r.Seal, r.Findings = fit(b)
	if r.Verdict == Proven && r.Seal == Unread {
		r.Verdict, r.Code, r.Key, r.Got = Unknown, BadSeal, "sealed_as", b.SealedAs
	}
	if r.Verdict == Proven && r.Seal == Differ {
		r.Verdict, r.Code, r.Got = Broken, WrongSeal, b.SealedAs
		r.Expected, _ = Seal(b.Site, b.Seed)
	}
	return r
}

// check compares by one version of the rule, or by all if none is named: the
// record says then that they agree, or means the way the site shows it.
func check(b Bet) Result {
	if b.Game == "seal" || b.Game == "chain" {
		return checkHash(b)
	}
	g, err := game.Lookup(b.Site, b.Game)
	if err != nil {
		return refused(err)
	}
	variants := []string{b.Variant}
	if b.Variant == "" {
		variants = g.Variants
	}
	var first Result
	for i, v := range variants {
		r := checkVersion(b, g, v)
		switch {
		case i == 0:
			if first = r; v == "" && r.Verdict == Proven {
				return first
			}
		case r.Verdict == Unknown:
			// This version has no such outcome, so it cannot differ.
		case r.Verdict != first.Verdict:
			return Result{Verdict: Unknown, Code: VersionsPart, Key: "variant", Allowed: strings.Join(g.Variants, ", "), Grade: g.Grade}
		}
	}
	return first
}

func checkVersion(b Bet, g *game.Game, variant string) Result {
	made, err := compute(b, g, variant, false)
	if err != nil {
		r := refused(err)
		r.Grade = g.Grade
		return r
	}
	r := Result{Verdict: Proven, Grade: g.Grade, Outcome: made.Outcome}
	if len(b.Want) == 0 {
		r.Verdict, r.Code = Unknown, NothingToSee
	}
	for _, want := range b.Want {
		key, ok := made.key(b, want.Name)
		if !ok {
			if r.Verdict == Proven {
				r.Verdict, r.Code, r.Key, r.Got = Unknown, KeyUnknown, want.Name, want.Value.String()
			}
			continue
		}
		if !readable(key, want.Value) {
			if r.Verdict == Proven {
				r.Verdict, r.Code, r.Key, r.Got = Unknown, BadValue, want.Name, want.Value.String()
			}
			continue
		}
		if !same(key, want.Value, b) {
			// A difference counts more than a key that could not be compared.
			r.Verdict, r.Code, r.Key = Broken, WrongOutcome, want.Name
			r.Expected, r.Got = key.Value.String(), want.Value.String()
			return r
		}
	}
	return r
}

func refused(err error) Result {
	switch e := err.(type) {
	case *game.Error:
		key := e.Param
		switch e.Code {
		case game.SiteUnknown:
			key = e.Site
		case game.GameUnknown:
			key = e.Game
		}
		return Result{Verdict: Unknown, Code: e.Code, Key: key, Allowed: e.Allowed, Seal: Absent}
	case *foreign.InputError:
		code := game.ParamValue
		switch e.Part {
		case "seed":
			code = BadSeed
		case "client":
			code = BadClient
		case "nonce", "cursor":
			code = BadNonce
		}
		return Result{Verdict: Unknown, Code: code, Key: e.Part, Allowed: e.Text, Seal: Absent}
	case *missing:
		return Result{Verdict: Unknown, Code: e.code, Key: e.part, Seal: Absent}
	}
	panic("veridice: internal error: " + err.Error())
}
