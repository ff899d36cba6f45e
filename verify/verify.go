// Package verify checks a match again from its seeds and says what came of it:
// proven, broken with the place, or could not check with a diagnosis.
//
// [Record] is the numbered list of docs/spec/record.md. The first fault in that
// order is the one reported, so that every engine names the same. A report holds
// codes and evidence; words for people are made elsewhere. Nothing here reads a
// clock, a file or a socket, and no input makes it panic.
package verify

import (
	"bytes"
	"slices"

	"veridice/record"
	"veridice/roll"
	"veridice/scheme"
	"veridice/seed"
)

// Options are what the reader brings besides the text.
type Options struct {
	Seal   *seed.Seal // the seal that the reader noted, of veridice/1 the opening hash; or nil
	Kept   bool       // the seal was kept by this phone when it was shown
	Rolls  [][]uint32 // the rolls that the reader noted, or nil
	Number int        // the number of rolls that the reader states, or 0
	Heads  [][]byte   // veridice/1: HEAD texts that the reader trusts, or notes of them

	Policy      Policy              // what receipts are checked under, or nil
	PolicyFault *record.SyntaxError // of a policy that was given and cannot be read, or nil
}

// hardly reports whether so few of the recorded rolls fit that the seeds are
// probably those of another match: docs/spec/record.md, "The check".
func hardly(fit, recorded int) bool { return recorded >= 3 && 8*fit <= recorded }

// Record checks a record. It always returns a report; one that no text can hold is
// unknown.
func Record(r *record.Record, o Options) *Report {
	if r.Chain != nil {
		return chainRecord(r, o)
	}
	c := newCheck(r, o)
	c.run([]step{
		{1, "seed-revealed", c.seedRevealed},
		{2, "not-exchanged", c.notExchanged},
		{3, "same-seal", c.sameAsNoted},
		{4, "numbers", c.numbers},
		{5, "computed", c.computed},
		{6, "seal-fits", c.sealFits},
		{7, "rolls-fit", c.rollsFit},
		{8, "count", c.count},
		{9, "complete", c.complete},
	})
	if c.report.Verdict == Proven {
		c.report.NotProven = classicLimits(c.report)
	}
	c.report.Findings = append(c.report.Findings, c.diagnoses()...)
	return c.report
}

// A step returns nil or the fault that it found.
type step struct {
	number int
	id     string
	check  func() *fault
}

type fault struct {
	verdict Verdict
	code    record.Code
	place   Place
}

func unknown(code record.Code) *fault { return &fault{verdict: Unknown, code: code} }
func broken(code record.Code) *fault  { return &fault{verdict: Broken, code: code} }

// at places the fault at the n-th of a kind.
func (f *fault) at(kind string, n int) *fault {
	f.place = Place{Kind: kind, Number: n}
	return f
}

func (f *fault) atRoll(n int) *fault { return f.at("roll", n) }

// A check is the state of one run.
type check struct {
	record *record.Record
	given  Options
	report *Report

	rolls      []record.Entry // what is compared
	noted      bool           // they are the reader's; the record has none
	scheme     scheme.Scheme
	inputs     scheme.Inputs
	firstUnfit int // place in rolls, -1 if all fit
}

func newCheck(r *record.Record, o Options) *check {
	c := &check{record: r, given: o, rolls: r.Rolls(), firstUnfit: -1}
	if len(c.rolls) == 0 && len(o.Rolls) > 0 {
		c.noted = true
		for i, dice := range o.Rolls {
			c.rolls = append(c.rolls, record.Entry{Number: uint64(i) + 1, Dice: dice})
		}
	}
	c.inputs = scheme.Inputs{Server: r.Server, Clients: r.Clients}
	c.report = &Report{Scheme: r.Scheme, State: r.State, Rolls: len(c.rolls), Record: r}
	return c
}

// run takes the steps in order up to the first fault.
func (c *check) run(steps []step) {
	c.report.Verdict = Proven
	for _, s := range steps {
		c.report.take(s)
	}
	if c.report.Verdict == Proven {
		c.report.Source = c.source()
	}
}

// take takes a step, unless one before it found a fault.
func (r *Report) take(s step) {
	state := NotReached
	if r.Verdict == Proven {
		state = Passed
		if f := s.check(); f != nil {
			state = Failed
			r.Verdict, r.Code, r.Place = f.verdict, f.code, f.place
		}
	}
	r.Steps = append(r.Steps, Step{s.number, s.id, state})
}

// source says where the seal came from. There is one when this is asked.
func (c *check) source() Source {
	switch {
	case c.given.Seal == nil:
		return FromRecord
	case c.given.Kept:
		return FromPhone
	}
	return FromReader
}

// seal is the record's seal, else the reader's, else nil.
func (c *check) seal() *seed.Seal {
	if c.record.Seal != nil {
		return c.record.Seal
	}
	return c.given.Seal
}

func (c *check) seedRevealed() *fault {
	s, err := scheme.Lookup(c.record.Scheme)
	if err != nil {
		return unknown(record.UnknownName)
	}
	c.scheme = s
	if c.record.Server.IsZero() {
		return unknown(SeedNotRevealed)
	}
	seal := c.record.Server.Seal()
	c.report.Seal = &seal
	return nil
}

func (c *check) notExchanged() *fault {
	server := c.record.Server.Reveal()
	for _, seal := range []*seed.Seal{c.record.Seal, c.given.Seal} {
		if seal == nil {
			continue
		}
		if bytes.Equal(seal[:], server) {
			return unknown(SealAsSeed)
		}
		if exchanged, err := seed.NewServer(seal[:]); err == nil {
			if sum := exchanged.Seal(); bytes.Equal(sum[:], server) {
				return unknown(SeedAndSealExchanged)
			}
		}
	}
	return nil
}

// sameAsNoted compares the record with what the reader noted: the seal, then the rolls.
func (c *check) sameAsNoted() *fault {
	if c.record.Seal != nil && c.given.Seal != nil && *c.record.Seal != *c.given.Seal {
		return broken(OtherSeal)
	}
	return c.sameRolls()
}

// sameRolls compares with the rolls that the reader wrote down, as far as both go. One
// that he saw may be missing at the end of what is no whole match: sameLength asks for it.
func (c *check) sameRolls() *fault {
	for i := range min(len(c.rolls), len(c.given.Rolls)) {
		if !slices.Equal(c.rolls[i].Dice, c.given.Rolls[i]) {
			return broken(OtherRolls).atRoll(i + 1)
		}
	}
	if len(c.given.Rolls) > len(c.rolls) && c.whole() {
		return broken(OtherRolls).atRoll(len(c.rolls) + 1)
	}
	return nil
}

// whole reports whether the record claims to hold every roll of the match. A running
// one does not, and neither does a link without g, which may have been cut.
func (c *check) whole() bool {
	return c.record.State != record.Running && (c.record.Match != "-" || c.record.Games() != nil)
}

// sameLength compares the length with that of the reader's list, which has the same
// rolls as far as both go. It comes last: what is cut must not hide what is wrong.
func (c *check) sameLength() *fault {
	switch {
	case len(c.given.Rolls) > len(c.rolls):
		return unknown(EndsEarly).atRoll(len(c.rolls) + 1)
	case len(c.given.Rolls) > 0 && len(c.given.Rolls) < len(c.rolls):
		return unknown(CountDiffers)
	}
	return nil
}

func (c *check) numbers() *fault {
	for i, e := range c.rolls {
		if e.Number != uint64(i)+1 {
			return broken(WrongNumber).atRoll(i + 1)
		}
	}
	return nil
}

// computed derives every roll and remembers the first that does not fit.
func (c *check) computed() *fault {
	roller, err := roll.New(c.scheme, c.inputs)
	if err != nil {
		return unknown(record.Syntax) // a record that was parsed cannot come here
	}
	c.report.Compared = make([]Compared, 0, len(c.rolls))
	for i, place := range places(c.rolls, 1) {
		one := Compared{Number: place.Number, Recorded: c.rolls[i].Dice}
		if made, err := roller.Roll(place); err == nil {
			one.Computed = made.Dice
			one.Fits = slices.Equal(one.Computed, one.Recorded)
		}
		if one.Fits {
			c.report.Fit++
		} else if c.firstUnfit < 0 {
			c.firstUnfit = i
		}
		c.report.Compared = append(c.report.Compared, one)
	}
	return nil
}

func (c *check) sealFits() *fault {
	seal := c.seal()
	if seal == nil || *seal == *c.report.Seal {
		return nil
	}
	if !c.hardly() {
		return broken(WrongSeal)
	}
	if c.record.Seal != nil && c.given.Seal != nil {
		return broken(OtherSeed) // the seed shown for this match is not the sealed one
	}
	return unknown(OtherSeed)
}

func (c *check) rollsFit() *fault {
	if c.firstUnfit < 0 {
		return nil
	}
	f := broken(WrongDice)
	if c.hardly() {
		f = unknown(FewFit)
		if c.given.Seal != nil && !c.cutBefore() {
			f = broken(FewFit) // a server must not escape the word by making up every roll
		}
	}
	return f.atRoll(c.firstUnfit + 1)
}

// cutBefore reports whether the reader's rolls stand in for those of a link that has none
// and says nothing of a match: it may have been cut in its client seeds.
func (c *check) cutBefore() bool {
	return c.noted && !c.whole() && c.scheme.Name == scheme.Tavli1
}

// hardly counts rolls, or, of yayay/1, pairs of consecutive dice through the game.
func (c *check) hardly() bool {
	if c.cutBefore() {
		return 2*c.report.Fit <= len(c.rolls)
	}
	if c.scheme.Name != scheme.Yayay1 {
		return hardly(c.report.Fit, len(c.rolls))
	}
	var recorded, computed []uint32
	for _, one := range c.report.Compared {
		recorded = append(recorded, one.Recorded...)
		computed = append(computed, one.Computed...)
	}
	pairs, fit := len(recorded)/2, 0
	for i := range min(len(computed)/2, pairs) {
		if slices.Equal(recorded[2*i:2*i+2], computed[2*i:2*i+2]) {
			fit++
		}
	}
	return hardly(fit, pairs)
}

func (c *check) count() *fault {
	listed := uint64(len(c.record.Rolls())) // the reader's are not
	if c.record.Count == listed {
		return nil
	}
	return broken(WrongCount).atRoll(int(min(c.record.Count, listed)) + 1)
}

func (c *check) complete() *fault {
	switch {
	case c.record.Sum != c.record.RightSum():
		return unknown(WrongSum)
	case len(c.rolls) == 0:
		return unknown(NoRolls)
	case c.seal() == nil:
		return unknown(NoSeal)
	}
	return c.sameLength()
}

// classicLimits lists what a proven report on a match of a classic scheme does not
// prove.
func classicLimits(r *Report) []Finding {
	var limits []Finding
	add := func(holds bool, code record.Code) {
		if holds {
			limits = append(limits, Finding{Code: code})
		}
	}
	if r.Began != nil {
		limits = logLimits(r)
	}
	add(r.Source == FromRecord, SealShownBefore)
	add(true, ServerKnows)
	add(r.Scheme == scheme.Tavli1 && len(r.Record.Clients) > 1, LastClientSeed)
	add(r.Scheme == scheme.Yayay1, ServerChose)
	add(r.Record.Match == "-", WhoPlayed)
	// A link without g that was cut between two rolls is a shorter good link.
	add(r.Record.Match == "-" && r.Record.Games() == nil, ShorterList)
	return limits
}
