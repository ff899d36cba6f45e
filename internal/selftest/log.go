package selftest

import (
	"errors"
	"slices"

	"golang.org/x/mod/sumdb/tlog"

	"veridice/checkpoint"
	"veridice/record"
	"veridice/verify"
)

// logFields are those that only vectors of the public log have.
type logFields struct {
	Policy, Entry, Receipt, OldRoot, NewRoot string
	Old, New                                 int64
	Proof                                    []string
	Enough                                   [][2]any
}

// checkLog runs what a program that checks and makes receipts relies on.
func checkLog(v *vector) outcome {
	switch v.Kind {
	case "policy":
		p, err := checkpoint.ParsePolicy([]byte(v.Text))
		if len(v.Enough) == 0 {
			return is(err != nil)
		}
		fits := err == nil
		for _, one := range v.Enough {
			names, _ := one[0].([]any)
			have := map[string]bool{}
			for _, name := range names {
				if text, ok := name.(string); ok {
					have[text] = true
				}
			}
			fits = fits && p.Satisfied(have) == one[1]
		}
		return is(fits)
	case "receipt":
		p, err := checkpoint.ParsePolicy([]byte(v.Policy))
		if err != nil {
			return failed
		}
		got, err := p.Receipt([]byte(v.Entry), []byte(v.Receipt))
		var fault *record.SyntaxError
		if errors.As(err, &fault) {
			return is(fault.Code == v.Want.Code)
		}
		w := v.Want
		return is(err == nil && w.Code == "" && got.Index == w.Index && got.Size == w.Size && got.Witnesses == w.Witnesses && got.Time == w.Time)
	case "growth":
		var proof []tlog.Hash
		for _, h := range v.Proof {
			proof = append(proof, digest(h))
		}
		older := checkpoint.Checkpoint{Size: v.Old, Root: digest(v.OldRoot)}
		newer := checkpoint.Checkpoint{Size: v.New, Root: digest(v.NewRoot)}
		return is((checkpoint.CheckGrowth(older, newer, proof) == nil) == v.Valid)
	case "entry":
		_, err := record.ParseEntry([]byte(v.Text))
		return is((err == nil) == v.Valid)
	case "proof":
		return checkProof(v)
	}
	return skipped
}

func checkProof(v *vector) outcome {
	var o verify.Options
	for _, h := range v.Heads {
		o.Heads = append(o.Heads, []byte(h))
	}
	if v.Policy != "" {
		p, err := checkpoint.ParsePolicy([]byte(v.Policy))
		if err == nil {
			o.Policy = p
		} else if !errors.As(err, &o.PolicyFault) {
			return failed
		}
	}
	got, w := verify.Text([]byte(v.Text), o), v.Want
	var before int64
	if got.Began != nil {
		before = got.Began.Time
	}
	return is(got.Verdict == w.Verdict && got.Code == w.Code && got.Place.String() == w.Place && slices.Equal(got.Signed, w.Signed) &&
		slices.Equal(got.Account, w.Account) && before == w.Before && (got.Closed != nil) == w.Closed)
}
