package verify

import (
	"bytes"
	"cmp"
	"errors"
	"slices"

	"veridice/record"
	"veridice/scheme"
	"veridice/seed"
)

// A Policy says which log proofs count. Package checkpoint has one; it is an
// interface so that a record can be checked with the standard library alone.
type Policy interface {
	// Receipt must check that an entry is in a log that the policy knows, by the
	// steps of docs/spec/log.md. The error must be a [*record.SyntaxError] whose code
	// is [BadReceipt], or [NoQuorum] if only cosignatures are missing. It may be
	// called by several goroutines at once.
	Receipt(entry, receipt []byte) (Logged, error)
}

// Logged is what a receipt that holds says of its entry.
type Logged struct {
	Origin    string // the name of the log
	Index     uint64 // of the entry, from 0
	Size      uint64 // number of entries of the log when this was signed
	Witnesses int    // how many have cosigned
	Time      int64  // the latest of their times, in seconds since 1970; 0 without any
}

// proofSteps are the numbers at which the steps of a proof file begin: after those
// of its record.
const proofSteps = 11

// Proof checks a proof file: its record, then the log's part of it, by the steps of
// docs/spec/proof.md.
func Proof(p *record.Proof, o Options) *Report {
	r, err := record.Parse(p.Part(record.PartRecord))
	if err != nil {
		return unreadable(err)
	}
	policy, fault := o.Policy, o.PolicyFault
	o.Policy, o.PolicyFault = nil, nil
	return logged(counted(r, len(r.Rolls()), o), p, policy, fault)
}

// A proofCheck is the state of the check of a proof file whose record was checked.
type proofCheck struct {
	proof  *record.Proof
	policy Policy
	bad    *record.SyntaxError // why the policy cannot be read, or nil
	record *record.Record
	opened fault // what the check of the record came to

	begin Logged
	end   *Logged
	why   *record.SyntaxError // of a receipt that does not hold
}

// goOn are the verdicts on a record after which the log is still asked: it may
// vouch for the record, or for the seal.
var goOn = []record.Code{"", NotSigned, FewFit, OtherSeed}

// logged goes on with the report on the record of a proof file.
func logged(report *Report, p *record.Proof, policy Policy, bad *record.SyntaxError) *Report {
	if report.Record == nil || report.Verdict == Broken || !slices.Contains(goOn, report.Code) {
		return report
	}
	if len(p.Parts) == 1 && policy == nil && bad == nil {
		return report
	}
	c := &proofCheck{
		proof: p, policy: policy, bad: bad, record: report.Record,
		opened: fault{report.Verdict, report.Code, report.Place},
	}
	account := report.Account
	report.Verdict, report.Code, report.Place, report.Source = Proven, "", Place{}, ""
	report.Account, report.NotProven = nil, nil
	for _, s := range []step{
		{proofSteps, "parts", c.parts},
		{proofSteps + 1, "policy", c.policed},
		{proofSteps + 2, "seal-entry", c.sealEntry},
		{proofSteps + 3, "begin-receipt", c.beginReceipt},
		{proofSteps + 4, "end", c.endEntry},
		{proofSteps + 5, "logged", c.vouched},
	} {
		report.take(s)
	}
	report.Fault = cmp.Or(c.why, report.Fault)
	if report.Verdict != Proven {
		return report
	}
	report.Source, report.Began, report.Closed = FromLog, &c.begin, c.end
	if c.record.Chain == nil {
		report.NotProven = classicLimits(report)
		return report
	}
	if c.end != nil {
		account = append(account, "close")
	}
	report.Account = account
	report.NotProven = chainLimits(report)
	for i := range report.Steps {
		if report.Steps[i].ID == "vouched" { // by the closing, if by nobody else
			report.Steps[i].State = Passed
		}
	}
	return report
}

// names are the parts that a scheme has, in order, and what its entries are called.
func (c *proofCheck) names() (parts []string, begin, end string) {
	if c.record.Chain != nil {
		return []string{record.PartRecord, record.PartOpenReceipt, record.PartClose, record.PartCloseReceipt}, "open", "close"
	}
	return []string{
		record.PartRecord, record.PartSeal, record.PartSealReceipt, record.PartUnseal, record.PartUnsealReceipt,
	}, "seal", "unseal"
}

// entry places a fault at an entry of the log.
func (f *fault) entry(name string) *fault {
	f.place = Place{Kind: "entry", Part: name}
	return f
}

// parts wants those of the scheme, an entry with its receipt, an end only behind a
// beginning.
func (c *proofCheck) parts() *fault {
	names, _, _ := c.names()
	have := len(c.proof.Parts)
	for i, p := range c.proof.Parts {
		if i >= len(names) || p.Name != names[i] {
			c.why = &record.SyntaxError{Code: record.Syntax, Words: "part " + p.Name + " stands in the wrong place of a proof file of " + c.record.Scheme}
			return unknown(record.Syntax)
		}
	}
	if begins := len(names) - 2; have != 1 && have != begins && have != len(names) {
		c.why = &record.SyntaxError{Code: record.Syntax, Words: "part " + names[have] + " is missing"}
		return unknown(record.Syntax)
	}
	if have == len(names) && c.record.State == record.Running {
		c.why = &record.SyntaxError{Code: record.Syntax, Words: "a running match has no end"}
		return unknown(record.Syntax)
	}
	return nil
}

func (c *proofCheck) policed() *fault {
	_, begin, _ := c.names()
	switch {
	case c.bad != nil:
		c.why = c.bad
		return unknown(BadPolicy)
	case c.policy == nil:
		return unknown(NoPolicy)
	case len(c.proof.Parts) > 1:
		return nil
	case c.opened.code == FewFit, c.opened.code == OtherSeed:
		return &c.opened
	}
	return unknown(NoReceipt).entry(begin)
}

// sealEntry wants the seal of this very match in the log.
func (c *proofCheck) sealEntry() *fault {
	if c.record.Chain != nil {
		return nil
	}
	s, err := record.ParseSealing(c.proof.Part(record.PartSeal))
	if err != nil || s.Match != c.record.Match || s.Scheme != c.record.Scheme || c.record.Seal == nil || s.Seal != *c.record.Seal {
		return broken(SealDiffers)
	}
	return nil
}

// beginning is the entry that began the match.
func (c *proofCheck) beginning() (entry []byte) {
	if c.record.Chain != nil {
		return c.record.Chain.Opening()
	}
	return c.proof.Part(record.PartSeal)
}

func (c *proofCheck) beginReceipt() *fault {
	names, begin, _ := c.names()
	var f *fault
	c.begin, f = c.receipt(c.beginning(), names[len(names)-3], begin)
	return f
}

// receipt checks one of the file's receipts.
func (c *proofCheck) receipt(entry []byte, part, place string) (Logged, *fault) {
	l, err := c.policy.Receipt(entry, c.proof.Part(part))
	if err == nil {
		return l, nil
	}
	if errors.As(err, &c.why) && c.why.Code == NoQuorum {
		return l, unknown(NoQuorum).entry(place)
	}
	return l, broken(BadReceipt).entry(place)
}

// endEntry wants the end of this very match, behind its beginning in the same log.
func (c *proofCheck) endEntry() *fault {
	names, _, end := c.names()
	if len(c.proof.Parts) < len(names) {
		return nil
	}
	text := c.proof.Part(names[len(names)-2])
	made, differs := Ending(c.record, c.begin.Index, c.beginning()), UnsealDiffers
	if c.record.Chain != nil {
		differs = CloseDiffers
	}
	if !bytes.Equal(text, made) {
		return broken(differs)
	}
	l, f := c.receipt(text, names[len(names)-1], end)
	if f != nil {
		return f
	}
	if l.Origin != c.begin.Origin || l.Index <= c.begin.Index {
		return broken(BadOrder).entry(end)
	}
	c.end = &l
	return nil
}

// vouched is the last word on a record that was not proven by itself.
func (c *proofCheck) vouched() *fault {
	switch {
	case c.opened.code == NotSigned && c.end == nil:
		return &c.opened
	case c.opened.code == FewFit, c.opened.code == OtherSeed: // of this seal, which is dated
		return &fault{Broken, c.opened.code, c.opened.place}
	}
	return nil
}

// Ending makes the entry of the log that ends a match: the closing or the unsealing
// of a record that is over. The index is that of the opening or seal in the log; the
// entry there counts for a seal alone, as a record has its opening in it.
func Ending(r *record.Record, index uint64, entry []byte) []byte {
	if r.Chain == nil {
		u := record.Unsealing{
			Match: r.Match, Index: index, Sealed: seed.LeafHash(entry), State: r.State, Rolls: r.Count, Record: r.Sum,
		}
		return u.Marshal()
	}
	c := record.Closing{
		Match: r.Chain.ID, Index: index, Opening: r.Chain.OpeningHash(), State: r.State, Silent: r.Chain.Silent,
		Rolls: r.Count, Head: r.Chain.Head, Record: r.Sum,
	}
	if p := r.Chain.Pending; p != nil {
		context := scheme.Context(c.Opening, r.Chain.Head, uint32(p.Number), p.Actor, p.Faces)
		c.Pending = &record.PendingContext{Number: p.Number, Context: context}
	}
	return c.Marshal()
}

// logLimits lists what the log leaves open about a proven report.
func logLimits(r *Report) []Finding {
	if r.Began == nil {
		return []Finding{{Code: NotLogged}}
	}
	limits := []Finding{{Code: RolledLater}}
	if r.Began.Witnesses == 0 {
		limits[0].Code = OnlyLog
	}
	if r.Closed == nil && r.State != record.Running {
		limits = append(limits, Finding{Code: NotClosed})
	}
	return limits
}
