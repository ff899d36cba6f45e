package main

import (
	"encoding/json"

	"veridice/internal/cli"
	"veridice/internal/locale"
	"veridice/record"
	"veridice/seed"
	"veridice/verify"
)

// The views are what --json prints. docs/json.md describes them and a test holds
// the two together: members may be added, none changes its meaning or goes.

type versionView struct {
	Version string   `json:"version"`
	Schemes []string `json:"schemes"`
}

type reportView struct {
	Input     string         `json:"input"`
	Verdict   verify.Verdict `json:"verdict"`
	Code      *record.Code   `json:"code"`
	Message   string         `json:"message"`
	Hint      *string        `json:"hint"`
	Place     *placeView     `json:"place"`
	Fault     *faultView     `json:"fault"`
	Scheme    *string        `json:"scheme"`
	Match     *string        `json:"match"`
	State     *record.State  `json:"state"`
	Rolls     int            `json:"rolls"`
	Fit       int            `json:"fit"`
	Show      int            `json:"show"`
	Source    *verify.Source `json:"source"`
	Seal      *string        `json:"seal"`
	Compared  []comparedView `json:"compared"`
	Steps     []stepView     `json:"steps"`
	Findings  []findingView  `json:"findings"`
	NotProven []findingView  `json:"notProven"`
	Ignored   []string       `json:"ignored"`
	Chain     *chainView     `json:"chain"`
	Log       *logView       `json:"log"`
}

// A logView is what only a proof file has.
type logView struct {
	Origin string      `json:"origin"`
	Began  loggedView  `json:"began"`
	Closed *loggedView `json:"closed"`
}

type loggedView struct {
	Index     uint64 `json:"index"`
	Size      uint64 `json:"size"`
	Witnesses int    `json:"witnesses"`
	Time      *int64 `json:"time"`
}

func loggedOf(l *verify.Logged) loggedView {
	return loggedView{l.Index, l.Size, l.Witnesses, given(l.Time)}
}

// A chainView is what only a match of veridice/1 has.
type chainView struct {
	Opening string       `json:"opening"`
	Signed  []int        `json:"signed"`
	Account []string     `json:"account"`
	Seats   int          `json:"seats"`
	Silent  *int         `json:"silent"`
	Pending *pendingView `json:"pending"`
}

type pendingView struct {
	Roll  uint64   `json:"roll"`
	Actor int      `json:"actor"`
	Faces []uint32 `json:"faces"`
}

type placeView struct {
	Kind   string `json:"kind"`
	Number int    `json:"number"`
	Part   string `json:"part"`
	Column int    `json:"column"`
	Role   *int   `json:"role"`
}

func placeOf(p verify.Place) *placeView {
	v := &placeView{Kind: p.Kind, Number: p.Number, Part: p.Part, Column: p.Column}
	if p.HasRole {
		v.Role = &p.Role
	}
	return v
}

type faultView struct {
	Char  string `json:"char"`
	Words string `json:"words"`
}

type comparedView struct {
	Roll     uint64   `json:"roll"`
	Recorded []uint32 `json:"recorded"`
	Computed []uint32 `json:"computed"`
	Fits     bool     `json:"fits"`
}

type stepView struct {
	Step  int              `json:"step"`
	ID    string           `json:"id"`
	State verify.StepState `json:"state"`
}

type findingView struct {
	Code record.Code `json:"code"`
	Args []string    `json:"args"`
}

// answerJSON prints one view on one line.
func answerJSON(c *cli.Call, view any) int {
	text, err := json.Marshal(view)
	if err != nil {
		return c.Fail("json: " + err.Error())
	}
	c.Answer(string(text))
	return cli.Proven
}

// given is nil for the zero value, which JSON writes as null.
func given[T comparable](v T) *T {
	var zero T
	if v == zero {
		return nil
	}
	return &v
}

func viewOf(p *locale.Printer, in input, r *verify.Report, o verify.Options) reportView {
	words := sentences{p, in, r, o}
	v := reportView{
		Input: in.name, Verdict: r.Verdict, Code: given(r.Code), Message: words.verdict(), Hint: given(words.hint()),
		Scheme: given(r.Scheme), State: given(r.State), Rolls: r.Rolls, Fit: r.Fit, Show: r.Show, Source: given(r.Source),
		Compared: []comparedView{}, Steps: []stepView{}, Ignored: append([]string{}, r.Ignored...),
		Findings: findingsOf(r.Findings), NotProven: findingsOf(r.NotProven),
	}
	if r.Place.Kind != "" {
		v.Place = placeOf(r.Place)
	}
	if r.Fault != nil {
		v.Fault = &faultView{r.Fault.Char, r.Fault.Words}
	}
	if r.Record != nil && r.Record.Chain != nil {
		v.Chain = chainOf(r)
	}
	if r.Began != nil {
		v.Log = &logView{Origin: r.Began.Origin, Began: loggedOf(r.Began)}
		if r.Closed != nil {
			closed := loggedOf(r.Closed)
			v.Log.Closed = &closed
		}
	}
	if r.Record != nil && r.Record.Match != "-" {
		v.Match = given(r.Record.Match)
	}
	if r.Seal != nil {
		v.Seal = given(r.Seal.String())
	}
	for _, one := range r.Compared {
		v.Compared = append(v.Compared, comparedView{one.Number, one.Recorded, append([]uint32{}, one.Computed...), one.Fits})
	}
	for _, s := range r.Steps {
		v.Steps = append(v.Steps, stepView{s.Number, s.ID, s.State})
	}
	return v
}

func chainOf(r *verify.Report) *chainView {
	c := r.Record.Chain
	opening := c.OpeningHash()
	v := &chainView{
		Opening: seed.Hex(opening[:]), Signed: append([]int{}, r.Signed...), Account: append([]string{}, r.Account...), Seats: len(c.Roles) - 1,
	}
	if r.State == record.Aborted && c.Silent >= 0 {
		v.Silent = &c.Silent
	}
	if p := c.Pending; p != nil {
		v.Pending = &pendingView{p.Number, int(p.Actor), p.Faces}
	}
	return v
}

func findingsOf(findings []verify.Finding) []findingView {
	views := []findingView{}
	for _, f := range findings {
		views = append(views, findingView{f.Code, append([]string{}, f.Args...)})
	}
	return views
}
