package main

import (
	"errors"
	"slices"
	"strings"

	"veridice/internal/cli"
	"veridice/internal/locale"
	"veridice/record"
	"veridice/verify"
)

// printReport prints the verdict and what stands behind it, and the hint.
func printReport(c *cli.Call, in input, r *verify.Report, o verify.Options, named bool) {
	w := sentences{c.Words(), in, r, o}
	verdict := w.Text("verify.verdict."+string(r.Verdict)) + ": " + w.verdict()
	if named {
		verdict = in.name + ": " + verdict
	}
	c.Answer(verdict)
	for _, line := range w.details() {
		c.Answer("  " + line)
	}
	if hint := w.hint(); hint != "" {
		c.Hint(hint)
	}
}

// sentences puts one report into words.
type sentences struct {
	*locale.Printer
	in input
	r  *verify.Report
	o  verify.Options
}

// text takes the words of the report's scheme where its own are different.
func (s sentences) text(key string, pairs ...any) string {
	if own := key + "." + short(s.r.Scheme); s.Has(own) {
		key = own
	}
	return s.Text(key, pairs...)
}

// verdict is the sentence behind the verdict.
func (s sentences) verdict() string {
	r := s.r
	key := "verify." + string(r.Code)
	if s.empty() {
		return s.Text("verify.not-a-link")
	}
	switch r.Code {
	case "":
		return s.text("verify.proven", "count", r.Rolls)
	case unreadable:
		if errors.Is(s.in.err, errNeither) {
			return s.Text("cli.no-such-input", "name", s.in.name)
		}
		return s.Text("cli.unreadable", "name", s.in.name, "reason", cli.Reason(s.in.err))
	case verify.WrongDice:
		one := r.Compared[r.Place.Number-1]
		return s.text(key, "roll", r.Place.Number, "recorded", s.dice(one.Recorded), "computed", s.dice(one.Computed))
	case verify.OtherRolls:
		return s.text(key, "roll", r.Place.Number,
			"recorded", s.dice(recorded(r.Record, r.Place.Number)), "noted", s.dice(noted(s.o, r.Place.Number)))
	case verify.WrongNumber:
		return s.text(key, "roll", r.Place.Number)
	case verify.WrongCount:
		return s.text(key, "roll", r.Place.Number, "stated", r.Record.Count, "listed", len(r.Record.Rolls()))
	case verify.FewFit:
		if s.o.Seal != nil {
			key += ".given"
		} else if r.Record.Seal == nil {
			key += ".no-seal"
		}
		return s.text(key, "fit", r.Fit, "rolls", r.Rolls)
	case verify.NoSeal:
		return s.text(key, "count", r.Rolls)
	case record.MissingPart, record.RepeatedPart, record.OddRolls:
		return s.text(key, "part", r.Place.Part)
	case record.Syntax, record.BadPart, record.BadRolls:
		return s.text(key, "where", s.place())
	}
	return s.text(key)
}

// empty says that there was nothing to read, whatever it should have been.
func (s sentences) empty() bool {
	return len(s.r.Findings) > 0 && s.r.Findings[0].Code == verify.NoText
}

func recorded(r *record.Record, number int) []uint32 {
	if rolls := r.Rolls(); number <= len(rolls) {
		return rolls[number-1].Dice
	}
	return nil
}

func noted(o verify.Options, number int) []uint32 {
	if number <= len(o.Rolls) {
		return o.Rolls[number-1]
	}
	return nil
}

func (s sentences) dice(dice []uint32) string {
	if dice == nil {
		return s.Text("verify.nothing")
	}
	return written(dice)
}

// place says where a text could not be read, and at which character.
func (s sentences) place() string {
	p := s.r.Place
	where := s.Text("verify.place.text")
	switch {
	case p.Kind == "part" && p.Column > 0:
		where = s.Text("verify.place.position", "part", p.Part, "position", p.Column)
	case p.Kind == "part":
		where = s.Text("verify.place.part", "part", p.Part)
	case p.Kind == "line" && p.Column > 0:
		where = s.Text("verify.place.column", "line", p.Number, "column", p.Column)
	case p.Kind == "line":
		where = s.Text("verify.place.line", "line", p.Number)
	}
	if s.r.Fault != nil && s.r.Fault.Char != "" {
		return s.Text("verify.place.char", "where", where, "char", s.r.Fault.Char)
	}
	return where
}

// details are the lines beneath the verdict.
func (s sentences) details() []string {
	var lines []string
	r := s.r
	if r.Fault != nil && slices.Contains(explained, r.Code) && !s.empty() {
		lines = append(lines, reason(r.Fault))
	}
	switch {
	case r.Code == verify.WrongDice:
		lines = append(lines, s.text("verify.others-fit", "count", r.Fit))
	case r.Code == verify.WrongSeal && r.Rolls > 0:
		lines = append(lines, s.text("verify.some-fit", "count", r.Fit, "rolls", r.Rolls))
	}
	for _, f := range r.Findings {
		lines = append(lines, s.finding(f))
	}
	if r.Seal != nil && slices.Contains([]record.Code{"", verify.NoSeal, verify.WrongSeal, verify.OtherSeal, verify.NoRolls}, r.Code) {
		lines = append(lines, s.text("verify.seal-of-seed", "seal", r.Seal.String()))
	}
	if r.Verdict == verify.Proven {
		lines = append(lines, s.text("verify.source."+string(r.Source)))
	}
	if r.State == record.Running || r.State == record.Aborted {
		lines = append(lines, s.Text("verify.state."+string(r.State)))
	}
	if len(r.Ignored) > 0 {
		lines = append(lines, s.Text("verify.ignored", "names", strings.Join(r.Ignored, ", ")))
	}
	if len(r.NotProven) > 0 {
		lines = append(lines, s.Text("verify.not-proven"))
	}
	for _, f := range r.NotProven {
		lines = append(lines, "- "+s.text("verify.limit."+string(f.Code)))
	}
	return lines
}

func (s sentences) finding(f verify.Finding) string {
	key := "verify.finding." + string(f.Code)
	switch f.Code {
	case verify.ClientsReordered:
		return s.text(key, "order", strings.Join(f.Args, ", "))
	case verify.CaseOfClientSeed:
		key += "." + f.Args[0]
	}
	return s.text(key)
}

// explained are the codes behind which many reasons may stand: the core's own
// words say which. They are English.
var explained = []record.Code{record.Syntax, record.BadPart, record.BadRolls, record.OddRolls, record.GamesDiffer}

// damaged are the codes of links that lost something on the way: one hint for all.
var damaged = []record.Code{
	record.LinkCut, record.BadPercent, record.MissingPart, record.RepeatedPart,
	record.BadPart, record.OddRolls, record.GamesDiffer,
}

// hint says what to do about the verdict, "" if nothing is left to do.
func (s sentences) hint() string {
	switch {
	case s.r.Verdict == verify.Proven && s.r.Source == verify.FromRecord:
		return s.Text("cli.hint.seal")
	case s.r.Verdict == verify.Proven:
		return ""
	case s.r.Code == unreadable:
		return s.Text("cli.unreadable.hint")
	case s.empty():
		return s.Text("verify.not-a-link.hint")
	case slices.Contains(damaged, s.r.Code):
		return s.Text("verify.link.hint")
	case s.r.Code == verify.FewFit && s.o.Seal != nil:
		return s.text("verify.few-fit.given.hint")
	case s.r.Code == verify.WrongDice:
		return s.text("verify.wrong-dice.hint", "roll", s.r.Place.Number)
	}
	return s.text("verify." + string(s.r.Code) + ".hint")
}
