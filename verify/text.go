package verify

import (
	"bytes"
	"errors"
	"slices"
	"strings"

	"veridice/record"
	"veridice/roll"
	"veridice/scheme"
)

// Text checks what a reader pasted or a file holds: a record, a proof file, or a
// share link with whatever stands around it. What cannot be read is unknown, with
// the place and, where a cause is known, a finding that names it. Under a policy a
// record or link is a proof file without receipts.
func Text(text []byte, o Options) *Report {
	if like, findings := looksLike(text, "veridice proof "); like {
		p, err := record.ParseProof(text)
		if err != nil {
			report := unreadable(err)
			report.Findings = findings
			return report
		}
		return Proof(p, o)
	}
	report := recordOrLink(text, o)
	return logged(report, &record.Proof{Parts: []record.Part{{Name: record.PartRecord}}}, o.Policy, o.PolicyFault)
}

func recordOrLink(text []byte, o Options) *Report {
	if len(text) == 0 {
		_, err := record.Parse(nil) // an empty file is the beginning of a record
		report := unreadable(err)
		report.Findings = []Finding{{Code: NoText}}
		return report
	}
	if like, findings := looksLike(text, "veridice record "); like {
		r, err := record.Parse(text)
		if err != nil {
			report := unreadable(err)
			report.Findings = findings
			return report
		}
		return counted(r, len(r.Rolls()), o)
	}
	links, err := record.ReadLink(string(text))
	if err != nil {
		report := unreadable(err)
		switch {
		case len(bytes.TrimSpace(text)) == 0:
			report.Findings = []Finding{{Code: NoText}}
		case bytes.HasPrefix(text, []byte("\xff\xfe")), bytes.HasPrefix(text, []byte("\xfe\xff")):
			report.Findings = []Finding{{Code: UTF16}}
		}
		return report
	}
	return Links(links, o)
}

// Links checks the readings of one share link and returns the report of the first
// that is proven, else of the first (docs/spec/tavli.md, "Reading", step 4).
func Links(links []*record.Link, o Options) *Report {
	var first *Report
	for _, l := range links {
		show := l.Show
		if l.HasRolls {
			show = len(l.Record.Rolls())
		}
		report := counted(l.Record, show, o)
		report.Ignored = l.Ignored
		if report.Verdict == Proven {
			return report
		}
		if first == nil {
			first = report
		}
	}
	return first
}

// counted checks a record that states, or shows, a number of rolls, after that
// number was compared with the reader's: where given, all must be equal.
func counted(r *record.Record, show int, o Options) *Report {
	numbers := []int{show, o.Number}
	if len(r.Rolls()) == 0 {
		numbers = append(numbers, len(o.Rolls))
	}
	numbers = slices.DeleteFunc(numbers, func(n int) bool { return n == 0 })
	if len(numbers) > 0 && slices.Min(numbers) != slices.Max(numbers) {
		return &Report{Verdict: Unknown, Code: CountDiffers, Scheme: r.Scheme, State: r.State, Record: r}
	}
	report := Record(r, o)
	if report.Rolls == 0 && len(numbers) > 0 {
		report.Show = numbers[0]
	}
	return report
}

// unreadable makes a report of what the readers of package record refused.
func unreadable(err error) *Report {
	report := &Report{Verdict: Unknown, Code: record.Syntax}
	if fault := (*record.SyntaxError)(nil); errors.As(err, &fault) {
		report.Code, report.Fault = fault.Code, fault
		switch {
		case fault.Part != "":
			report.Place = Place{Kind: "part", Part: fault.Part, Column: fault.Column}
		case fault.Line > 0:
			report.Place = Place{Kind: "line", Number: fault.Line, Column: fault.Column}
		}
	}
	return report
}

// inFront are blanks of any kind and byte order marks. That of UTF-16 is no UTF-8, and
// is U+FFFD to whoever reads it as such.
const inFront = " \t\n\v\f\r\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a" +
	"\u2028\u2029\u202f\u205f\u3000\ufeff\ufffd"

// looksLike tells a record or a proof file by its first words, also where an editor or a
// program changed its encoding, and lists what was changed. Either has one encoding, so
// none of these is undone.
func looksLike(text []byte, first string) (bool, []Finding) {
	head := string(text[:min(len(text), 1000)])
	if !strings.HasPrefix(strings.TrimLeft(strings.ReplaceAll(head, "\x00", ""), inFront), first) {
		return false, nil
	}
	var findings []Finding
	add := func(holds bool, f Finding) {
		if holds {
			findings = append(findings, f)
		}
	}
	wide := strings.Contains(head, "\x00")
	add(wide, Finding{Code: UTF16})
	add(!wide && strings.HasPrefix(head, "\ufeff"), Finding{Code: ByteOrderMark})
	add(!wide && bytes.ContainsRune(text, '\r'), Finding{Code: CarriageReturns})
	add(!wide && !bytes.HasSuffix(text, []byte("\n")) && !bytes.HasSuffix(text, []byte("\r")), Finding{Code: NoLastNewline})
	return true, findings
}

// Explain derives one roll of a record again and keeps what it was made of. The
// record must have its seed; of yayay/1 only recorded rolls have a place.
func Explain(r *record.Record, number uint64) (roll.Roll, error) {
	s, err := scheme.Lookup(r.Scheme)
	if err != nil {
		return roll.Roll{}, err
	}
	roller, err := roll.New(s, scheme.Inputs{Server: r.Server, Clients: r.Clients})
	if err != nil {
		return roll.Roll{}, err
	}
	if s.Name == scheme.Tavli1 {
		return roller.Roll(roll.Place{Number: number, Dice: 2})
	}
	for _, place := range places(r.Rolls(), 1) {
		if place.Number == number {
			return roller.Roll(place)
		}
	}
	return roll.Roll{}, errors.New("verify: no such roll in the record")
}
