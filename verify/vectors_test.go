package verify_test

import (
	"encoding/hex"
	"slices"
	"strings"
	"testing"

	"veridice/seed"
	"veridice/vectors/vectortest"
	"veridice/verify"
)

// A want is what a report must say; what is nil is not compared.
type want struct {
	Verdict, Code string
	Place         *string
	Column        int
	Char          string
	Rolls, Fit    *int
	Source        *string
	Findings      *[][]string
	Games         *[]int
	Show          *int
	Ignored       *[]string
	Scheme, State *string
}

// given is what the reader has beside the text.
type given struct {
	Seal   string
	Kept   bool
	Noted  [][]uint32
	Number int
}

func (g given) options(t *testing.T) verify.Options {
	t.Helper()
	o := verify.Options{Kept: g.Kept, Rolls: g.Noted, Number: g.Number}
	if g.Seal != "" {
		seal, err := seed.ParseSeal(g.Seal)
		if err != nil {
			t.Fatal(err)
		}
		o.Seal = &seal
	}
	return o
}

func TestLinks(t *testing.T) {
	type vector struct {
		given
		Name, Text string
		Pad        int
		Want       want
	}
	vectortest.Each(t, "links.ndjson", func(t *testing.T, v vector) {
		compare(t, verify.Text([]byte(v.Text+strings.Repeat("x", v.Pad)), v.options(t)), v.Want)
	})
}

func TestRecords(t *testing.T) {
	type vector struct {
		given
		Name, Text, Hex string
		Want            want
	}
	vectortest.Each(t, "records.ndjson", func(t *testing.T, v vector) {
		text := []byte(v.Text)
		if v.Hex != "" {
			var err error
			if text, err = hex.DecodeString(v.Hex); err != nil {
				t.Fatal(err)
			}
		}
		compare(t, verify.Text(text, v.options(t)), v.Want)
	})
}

func compare(t *testing.T, got *verify.Report, w want) {
	t.Helper()
	same := func(what string, got, want any) {
		t.Helper()
		if got != want {
			t.Errorf("%s: got %v, want %v", what, got, want)
		}
	}
	same("verdict", string(got.Verdict), w.Verdict)
	same("code", string(got.Code), w.Code)
	if w.Place != nil {
		same("place", got.Place.String(), *w.Place)
	}
	if w.Column != 0 {
		same("column", got.Place.Column, w.Column)
		if got.Fault == nil {
			t.Fatal("no fault")
		}
		same("character", got.Fault.Char, w.Char)
	}
	if w.Rolls != nil {
		same("rolls", got.Rolls, *w.Rolls)
	}
	if w.Fit != nil {
		same("fit", got.Fit, *w.Fit)
	}
	if w.Source != nil && (got.Verdict == verify.Proven || *w.Source != "") {
		same("source", string(got.Source), *w.Source)
	}
	if w.Findings != nil {
		var findings, wanted []string
		for _, f := range got.Findings {
			findings = append(findings, strings.Join(append([]string{string(f.Code)}, f.Args...), " "))
		}
		for _, f := range *w.Findings {
			wanted = append(wanted, strings.Join(f, " "))
		}
		slices.Sort(findings)
		slices.Sort(wanted)
		same("findings", strings.Join(findings, ", "), strings.Join(wanted, ", "))
	}
	if w.Games != nil && got.Record != nil {
		if games := got.Record.Games(); !slices.Equal(games, *w.Games) {
			t.Errorf("games: got %v, want %v", games, *w.Games)
		}
	}
	if w.Show != nil {
		same("show", got.Show, *w.Show)
	}
	if w.Ignored != nil && !slices.Equal(got.Ignored, *w.Ignored) {
		t.Errorf("ignored: got %v, want %v", got.Ignored, *w.Ignored)
	}
	if w.Scheme != nil {
		same("scheme", got.Scheme, *w.Scheme)
	}
	if w.State != nil {
		same("state", string(got.State), *w.State)
	}
}
