package main

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"veridice/internal/cli"
	"veridice/internal/locale"
	"veridice/record"
	"veridice/seed"
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
	case verify.SameAnchor, verify.SameKey, verify.WrongLink, verify.LinksCount, verify.WrongSignature:
		return s.text(key, "role", s.role(r.Place.Number))
	case verify.NoLink:
		return s.text(key, "roll", r.Place.Number, "role", s.role(r.Place.Role))
	case verify.BadHead:
		return s.text(key, "number", r.Place.Number)
	case verify.WrongNumber, verify.OtherHead, verify.EndsEarly:
		return s.text(key, "roll", r.Place.Number)
	case verify.WrongCount:
		return s.text(key, "roll", r.Place.Number, "stated", r.Record.Count, "listed", len(r.Record.Rolls()))
	case verify.FewFit:
		if r.Verdict == verify.Broken && s.o.Seal != nil {
			key += ".given"
		} else if r.Verdict == verify.Broken {
			key += ".dated"
		} else if r.Record.Seal == nil {
			key += ".no-seal"
		}
		return s.text(key, "fit", r.Fit, "rolls", r.Rolls)
	case verify.NoReceipt, verify.BadReceipt, verify.NoQuorum, verify.BadOrder:
		return s.text(key, "entry", s.Text("verify.entry."+r.Place.Part))
	case verify.BadPolicy:
		where := s.Text("verify.place.text")
		if r.Fault.Line > 0 {
			where = s.Text("verify.place.line", "line", r.Fault.Line)
		}
		return s.text(key, "where", where)
	case verify.NoSeal:
		return s.text(key, "count", r.Rolls)
	case record.MissingPart, record.RepeatedPart, record.OddRolls:
		return s.text(key, "part", r.Place.Part)
	case record.Syntax, record.BadPart, record.BadRolls:
		return s.text(key, "where", s.place())
	}
	return s.text(key)
}

// role names a party of a match of veridice/1.
func (s sentences) role(role int) string {
	if role == 0 {
		return s.Text("verify.role.server")
	}
	return s.Text("verify.role.seat", "seat", role)
}

func (s sentences) roles(list []int) string {
	var names []string
	for _, role := range list {
		names = append(names, s.role(role))
	}
	return strings.Join(names, ", ")
}

// chain are the lines about a record of veridice/1: whose account it is, and who
// signed it, whatever the verdict.
func (s sentences) chain(r *record.Record) []string {
	opening := r.Chain.OpeningHash()
	lines := []string{s.Text("verify.opening", "opening", seed.Hex(opening[:]))}
	for _, by := range s.r.Account {
		lines = append(lines, s.Text("verify.account."+by))
	}
	if len(s.r.Signed) == 0 {
		lines = append(lines, s.Text("verify.signed.nobody"))
	} else {
		lines = append(lines, s.Text("verify.signed", "roles", s.roles(s.r.Signed)))
	}
	if p := r.Chain.Pending; p != nil {
		lines = append(lines, s.Text("verify.pending", "roll", strconv.FormatUint(p.Number, 10)))
	}
	return lines
}

// log says where in a public log the match stands, and since when.
func (s sentences) log() []string {
	begin, end := s.r.Began, s.r.Closed
	if begin == nil {
		return nil
	}
	lines := []string{s.Text("verify.logged.begin", "index", strconv.FormatUint(begin.Index, 10), "log", begin.Origin)}
	if begin.Witnesses == 0 {
		lines = append(lines, s.Text("verify.logged.nobody"))
	} else {
		moment := time.Unix(begin.Time, 0).UTC().Format("2006-01-02 15:04:05 UTC")
		lines = append(lines, s.Text("verify.logged.time", "time", moment, "count", begin.Witnesses))
	}
	if end != nil {
		lines = append(lines, s.Text("verify.logged.end", "index", strconv.FormatUint(end.Index, 10)))
	}
	return lines
}

// state says how far the match came.
func (s sentences) state() string {
	if r := s.r.Record; r != nil && r.Chain != nil && r.State == record.Aborted && r.Chain.Silent >= 0 {
		return s.Text("verify.aborted.by", "role", s.role(r.Chain.Silent))
	}
	return s.text("verify.state." + string(s.r.State))
}

func (s sentences) limit(f verify.Finding) string {
	key := "verify.limit." + string(f.Code)
	if f.Code != verify.SeatsUnsigned {
		return s.text(key)
	}
	var seats []int
	for _, arg := range f.Args {
		seat, err := strconv.Atoi(arg)
		if err != nil {
			panic("veridice: internal error: a seat is no number")
		}
		seats = append(seats, seat)
	}
	return s.text(key, "seats", s.roles(seats))
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
	if r.Record != nil && r.Record.Chain != nil {
		lines = append(lines, s.chain(r.Record)...)
	}
	if r.Verdict == verify.Proven {
		lines = append(lines, s.text("verify.source."+string(r.Source)))
		lines = append(lines, s.log()...)
	}
	if r.State == record.Running || r.State == record.Aborted {
		lines = append(lines, s.state())
	}
	if len(r.Ignored) > 0 {
		lines = append(lines, s.Text("verify.ignored", "names", strings.Join(r.Ignored, ", ")))
	}
	if len(r.NotProven) > 0 {
		lines = append(lines, s.Text("verify.not-proven"))
	}
	for _, f := range r.NotProven {
		lines = append(lines, "- "+s.limit(f))
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
var explained = []record.Code{record.Syntax, record.BadPart, record.BadRolls, record.OddRolls, record.GamesDiffer, verify.BadReceipt, verify.NoQuorum, verify.BadPolicy}

// damaged are the codes of links that lost something on the way: one hint for all.
var damaged = []record.Code{
	record.LinkCut, record.BadPercent, record.MissingPart, record.RepeatedPart,
	record.BadPart, record.OddRolls, record.GamesDiffer,
}

// hint says what to do about the verdict, "" if nothing is left to do.
func (s sentences) hint() string {
	switch {
	case s.r.Verdict == verify.Proven && s.r.Source == verify.FromRecord:
		return s.text("cli.hint.seal")
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
	case s.r.Code == verify.FewFit && s.r.Verdict == verify.Broken:
		return s.text("verify.few-fit.dated.hint")
	case s.r.Code == verify.WrongDice:
		return s.text("verify.wrong-dice.hint", "roll", s.r.Place.Number)
	}
	return s.text("verify." + string(s.r.Code) + ".hint")
}
