package checkpoint_test

import (
	"crypto/ed25519"
	"errors"
	"slices"
	"testing"

	"golang.org/x/mod/sumdb/tlog"

	"veridice/checkpoint"
	"veridice/record"
	"veridice/vectors/vectortest"
	"veridice/verify"
)

const logVectors = "log.ndjson"

func TestPolicies(t *testing.T) {
	type vector struct {
		Name, Kind, Text string
		Line             *int
		Enough           [][2]any
	}
	vectortest.EachKind(t, logVectors, "policy", func(t *testing.T, v vector) {
		p, err := checkpoint.ParsePolicy([]byte(v.Text))
		if v.Line != nil {
			fault := (*record.SyntaxError)(nil)
			if p != nil || !errors.As(err, &fault) || fault.Code != verify.BadPolicy || fault.Line != *v.Line {
				t.Fatalf("got %v, %v, want a fault in line %d", p, err, *v.Line)
			}
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, one := range v.Enough {
			have := map[string]bool{}
			for _, name := range one[0].([]any) {
				have[name.(string)] = true
			}
			if got := p.Satisfied(have); got != one[1].(bool) {
				t.Errorf("%v: got %t", one[0], got)
			}
		}
		again, err := checkpoint.ParsePolicy(p.Marshal())
		if err != nil || !slices.Equal(again.Marshal(), p.Marshal()) {
			t.Errorf("written again it is %q, %v", p.Marshal(), err)
		}
	})
}

func TestReceipts(t *testing.T) {
	type vector struct {
		Name, Kind, Policy, Entry, Receipt string
		Want                               struct {
			Code        string
			Index, Size uint64
			Witnesses   int
			Time        int64
		}
	}
	vectortest.EachKind(t, logVectors, "receipt", func(t *testing.T, v vector) {
		got, err := policyOf(t, v.Policy).Receipt([]byte(v.Entry), []byte(v.Receipt))
		w := v.Want
		if codeOf(err) != w.Code || got.Index != w.Index || got.Size != w.Size || got.Witnesses != w.Witnesses || got.Time != w.Time {
			t.Fatalf("got %+v, %v, want %+v", got, err, w)
		}
		if r, err := checkpoint.ParseReceipt([]byte(v.Receipt)); err == nil && string(r.Marshal()) != v.Receipt {
			t.Errorf("written again it is %q", r.Marshal())
		}
	})
}

func TestGrowth(t *testing.T) {
	type vector struct {
		Name, Kind       string
		Old, New         int64
		OldRoot, NewRoot string
		Proof            []string
		Valid            bool
	}
	vectortest.EachKind(t, logVectors, "growth", func(t *testing.T, v vector) {
		var proof []tlog.Hash
		for _, h := range v.Proof {
			proof = append(proof, hashOf(t, h))
		}
		older := checkpoint.Checkpoint{Origin: "o", Size: v.Old, Root: hashOf(t, v.OldRoot)}
		newer := checkpoint.Checkpoint{Origin: "o", Size: v.New, Root: hashOf(t, v.NewRoot)}
		if err := checkpoint.CheckGrowth(older, newer, proof); (err == nil) != v.Valid || err != nil && !errors.Is(err, checkpoint.ErrGrowth) {
			t.Errorf("got %v, want %t", err, v.Valid)
		}
	})
}

// proofVector is a proof file with what it must come to.
type proofVector struct {
	Name, Kind, Text, Policy string
	Heads                    []string
	Want                     struct {
		Verdict, Code, Place, Source string
		Rolls                        int
		Signed                       []int
		Account                      []string
		Before                       int64
		Closed                       bool
		Limits                       []string
	}
}

func (v proofVector) options(t testing.TB) verify.Options {
	t.Helper()
	var o verify.Options
	for _, h := range v.Heads {
		o.Heads = append(o.Heads, []byte(h))
	}
	if v.Policy == "" {
		return o
	}
	p, err := checkpoint.ParsePolicy([]byte(v.Policy))
	if err == nil {
		o.Policy = p
	} else if !errors.As(err, &o.PolicyFault) {
		t.Fatal(err)
	}
	return o
}

func TestProofs(t *testing.T) {
	vectortest.EachKind(t, logVectors, "proof", func(t *testing.T, v proofVector) {
		got, w := verify.Text([]byte(v.Text), v.options(t)), v.Want
		var before int64
		if got.Began != nil {
			before = got.Began.Time
		}
		if string(got.Verdict) != w.Verdict || string(got.Code) != w.Code || got.Place.String() != w.Place || got.Rolls != w.Rolls ||
			string(got.Source) != w.Source || !slices.Equal(got.Signed, w.Signed) || !slices.Equal(got.Account, w.Account) ||
			before != w.Before || (got.Closed != nil) != w.Closed {
			t.Fatalf("got %s %s %q, %d rolls, source %q, signed %v, account %v, before %d, closed %v; want %+v", got.Verdict, got.Code, got.Place,
				got.Rolls, got.Source, got.Signed, got.Account, before, got.Closed, w)
		}
		var limits []string
		for _, f := range got.NotProven {
			limits = append(limits, string(f.Code))
		}
		if w.Limits != nil && !slices.Equal(limits, w.Limits) {
			t.Errorf("not proven: got %v, want %v", limits, w.Limits)
		}
		failed := 0
		for _, s := range got.Steps {
			if s.State == verify.Failed {
				failed++
			}
		}
		if got.Steps != nil && (failed == 0) != (got.Verdict == verify.Proven) {
			t.Errorf("%d steps failed: %v", failed, got.Steps)
		}
		if p, err := record.ParseProof([]byte(v.Text)); err == nil && string(p.Marshal()) != v.Text {
			t.Errorf("written again it is %q", p.Marshal())
		}
	})
}

func TestLoggedEvidence(t *testing.T) {
	type vector struct {
		Name, Kind, Key, Policy, Code, Place string
		Notes                                []string
	}
	vectortest.EachKind(t, logVectors, "evidence", func(t *testing.T, v vector) {
		var p verify.Policy
		if v.Policy != "" {
			p = policyOf(t, v.Policy)
		}
		for _, order := range [][2]int{{0, 1}, {1, 0}} {
			code, place := verify.EvidenceUnder([]byte(v.Notes[order[0]]), []byte(v.Notes[order[1]]), hashOf(t, v.Key), p)
			if string(code) != v.Code || place.String() != v.Place {
				t.Errorf("got %q %q, want %q %q", code, place, v.Code, v.Place)
			}
		}
	})
}

// proofs runs f on each proof of a match that is closed in the log.
func proofs(t *testing.T, f func(text []byte, r *record.Record, p verify.Policy)) {
	t.Helper()
	n := 0
	vectortest.EachKind(t, logVectors, "proof", func(t *testing.T, v proofVector) {
		o := v.options(t)
		if report := verify.Text([]byte(v.Text), o); report.Closed != nil && report.Record.Chain != nil {
			n++
			f([]byte(v.Text), report.Record, o.Policy)
		}
	})
	if n == 0 {
		t.Error("no proof is closed")
	}
}

// frozen is a policy by which every entry stands where the first one did.
type frozen struct {
	verify.Policy
	first *verify.Logged
}

func (f *frozen) Receipt(entry, receipt []byte) (verify.Logged, error) {
	l, err := f.Policy.Receipt(entry, receipt)
	if f.first == nil {
		f.first = &l
	}
	return *f.first, err
}

// TestEndStandsBehind: an end is not where the beginning is.
func TestEndStandsBehind(t *testing.T) {
	proofs(t, func(text []byte, _ *record.Record, p verify.Policy) {
		if report := verify.Text(text, verify.Options{Policy: &frozen{Policy: p}}); report.Verdict != verify.Broken || report.Code != verify.BadOrder {
			t.Errorf("got %s %s", report.Verdict, report.Code)
		}
	})
}

// TestClosedUnderOneKey: a HEAD under a key of one's own and another server's closing are
// no evidence.
func TestClosedUnderOneKey(t *testing.T) {
	private := ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize))
	key := [32]byte(private.Public().(ed25519.PublicKey))
	proofs(t, func(text []byte, r *record.Record, p verify.Policy) {
		s := verify.Role(r.Chain.ID, 0, key)
		head := (&record.Receipt{Match: r.Chain.ID, Number: 1}).Marshal()
		line := record.Signature{Name: s.Name, KeyID: s.KeyID(), Bytes: ed25519.Sign(private, head)}
		note := (&record.Note{Text: head, Signatures: []record.Signature{line}}).Marshal()
		if code, _ := verify.EvidenceUnder(note, text, key, p); code != "" {
			t.Errorf("got %q", code)
		}
	})
}
