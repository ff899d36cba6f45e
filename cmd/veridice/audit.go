package main

import (
	"errors"
	"io"
	"os"
	"strconv"

	"veridice/bet"
	"veridice/internal/audit"
	"veridice/internal/cli"
)

var auditCommand = &cli.Command{
	Verb: "audit", Arguments: "FILE...", Run: runAudit,
	Summary: "recomputes the bets of a file, millions if need be",
	Flags: []cli.Flag{
		jsonFlag,
		{Name: "html", Value: "FILE", Usage: "write a page with the counts and the frequencies; FILE must not exist", File: true},
		{Name: "workers", Value: "N", Usage: "how many bets are checked at a time; by default one for each processor"},
		cli.LangFlag,
	},
	Details: `
FILE has one bet a line, as JSON or as CSV with a header, plain or compressed with
gzip or zstd; - is standard input. docs/audit.md describes the fields. A line that
cannot be read is counted and skipped.

It also looks at all bets together: nonces used twice or left out, seals and seeds
that do not belong together. That, and the statistics of --html, changes no verdict.

Exit code: 1 if a bet is broken, else 3 if one could not be checked, else 0.

examples:
  veridice audit bets.ndjson
  veridice audit --html report.html 2025.csv.gz 2026.csv.zst
  veridice-parquet bets.parquet | veridice audit --json -`,
}

func runAudit(c *cli.Call) int {
	if len(c.Operands) == 0 {
		return c.Misuse("give a FILE with bets, or - for standard input")
	}
	o := audit.Options{Stats: c.Given("html")}
	if c.Given("workers") {
		n, err := strconv.Atoi(c.Value("workers"))
		if err != nil || n < 1 || n > 1024 {
			return c.Misuse("--workers: not a number from 1 to 1024: " + c.Value("workers"))
		}
		o.Workers = n
	}
	var page *os.File
	if c.Given("html") {
		var err error
		page, err = os.OpenFile(c.Value("html"), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
		if errors.Is(err, os.ErrExist) {
			return c.Misuse("--html: " + c.Value("html") + " exists already")
		}
		if err != nil {
			return c.Misuse("--html: " + c.Value("html") + ": " + cli.Reason(err))
		}
		defer page.Close()
	}
	inputs, size := auditInputs(c)
	stop := showProgress(c, &o, size)
	report := audit.Run(inputs, o)
	stop()
	if page != nil {
		err := audit.WriteHTML(page, report)
		if err = errors.Join(err, page.Close()); err != nil {
			os.Remove(c.Value("html"))
			return c.Fail(c.Value("html") + ": " + cli.Reason(err))
		}
	}
	if c.Given("json") {
		text, err := report.MarshalJSON()
		if err != nil {
			return c.Fail("json: " + err.Error())
		}
		c.Answer(string(text))
	} else {
		printAudit(c, report)
	}
	switch report.Verdict() {
	case bet.Broken:
		return cli.Broken
	case bet.Unknown:
		return cli.Unknown
	}
	return cli.Proven
}

// auditInputs names the files, and gives their size together, 0 if one of them
// cannot say.
func auditInputs(c *cli.Call) (inputs []audit.Input, size int64) {
	known, stdin := true, false
	for _, name := range c.Operands {
		if name == "-" {
			known = false
			inputs = append(inputs, audit.Input{Name: name, Open: func() (io.ReadCloser, error) {
				if stdin {
					return nil, errTwice
				}
				stdin = true
				return io.NopCloser(c.In), nil
			}})
			continue
		}
		if info, err := os.Stat(name); err == nil && info.Mode().IsRegular() {
			size += info.Size()
		} else {
			known = false
		}
		inputs = append(inputs, audit.Input{Name: name, Open: func() (io.ReadCloser, error) {
			f, err := os.Open(name)
			if err != nil {
				return nil, errors.New(cli.Reason(err))
			}
			if info, err := f.Stat(); err == nil && info.IsDir() {
				f.Close()
				return nil, errFolder
			}
			return f, nil
		}})
	}
	if !known {
		size = 0
	}
	return inputs, size
}

func printAudit(c *cli.Call, r *audit.Report) {
	p := c.Words()
	place := func(at audit.Place) string {
		switch {
		case at.Line == 0:
			return at.File
		case at.Column > 0:
			return p.Text("audit.place.column", "file", at.File, "line", at.Line, "column", at.Column)
		}
		return p.Text("audit.place", "file", at.File, "line", at.Line)
	}
	verdict := r.Verdict()
	count, total := r.Proven, r.Proven+r.Broken+r.Unknown
	switch verdict {
	case bet.Broken:
		count = r.Broken
	case bet.Unknown:
		count = r.Unknown
	}
	c.Answer(p.Text("verify.verdict."+string(verdict)) + ": " + p.Text("audit.verdict."+string(verdict), "count", count, "bets", total))
	c.Answer("  " + p.Text("audit.counts", "proven", r.Proven, "broken", r.Broken, "unknown", r.Unknown))
	if len(r.First) > 0 {
		c.Answer("  " + p.Text("audit.broken.first"))
	}
	for _, b := range r.First {
		key := "audit.broken.outcome"
		if b.Code == bet.WrongSeal {
			key = "audit.broken.seal"
		}
		c.Answer("  - " + p.Text(key, "place", place(b.Place), "game", b.Site+" "+b.Game, "key", b.Key, "expected", b.Expected, "got", b.Got))
	}
	if len(r.Reasons) > 0 {
		c.Answer("  " + p.Text("audit.unknown.why"))
	}
	for _, why := range r.Reasons {
		reason := p.Text("audit.reason."+why.Code, "about", why.About, "words", why.Words)
		if why.First.File == "" {
			c.Answer("  - " + reason)
			continue
		}
		c.Answer("  - " + p.Text("audit.unknown.line", "n", why.Count, "reason", reason, "place", place(why.First)))
	}
	if r.Seals.Fit+r.Seals.Not+r.Seals.None > 0 {
		c.Answer("  " + p.Text("audit.seals", "fit", r.Seals.Fit, "other", r.Seals.Not, "none", r.Seals.None))
		if r.Seals.None > 0 {
			c.Answer("  " + p.Text("audit.seals.limit"))
		}
	}
	var lines []string
	s := r.Set
	say := func(n uint64, key string, pairs ...any) {
		if n > 0 {
			lines = append(lines, p.Text(key, append(pairs, "count", n)...))
		}
	}
	if s.OtherAt != nil {
		say(s.OtherBet, "audit.set.other", "place", place(*s.OtherAt))
	}
	say(s.SameBet, "audit.set.same")
	say(uint64(s.PairsWithGap), "audit.set.gaps", "missing", s.Missing)
	say(s.WrongSeals, "audit.set.seal")
	say(uint64(s.TwoSeeds), "audit.set.two")
	say(uint64(s.NeverActive), "audit.set.next")
	say(uint64(s.AfterReveal), "audit.set.revealed")
	say(s.TimesNotRead, "audit.set.moments")
	say(s.NotChecked, "audit.set.beyond", "limit", audit.MaxStretches)
	if s.SeedsOut {
		lines = append(lines, p.Text("audit.set.out", "limit", audit.MaxPairs))
	}
	switch {
	case len(lines) > 0:
		c.Answer("  " + p.Text("audit.set.what"))
		for _, l := range lines {
			c.Answer("  - " + l)
		}
	case s.Pairs > 0:
		c.Answer("  " + p.Text("audit.set.clean", "count", s.Pairs))
	}
}
