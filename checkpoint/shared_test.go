package checkpoint_test

import (
	"errors"
	"slices"
	"testing"

	"golang.org/x/mod/sumdb/tlog"

	"veridice/checkpoint"
	"veridice/internal/needs"
	"veridice/record"
	"veridice/seed"
	"veridice/verify"
)

// sharedVectors are those of the specification, which stand beside the repository.
type sharedVectors struct {
	Log struct {
		Checkpoint, Checkpoint1, Policy, Root, Root1 string
		Leaves                                       []string
		Size1                                        int64
		Receipts                                     []sharedReceipt
		Consistency                                  []struct {
			Old, New         int64
			OldRoot, NewRoot string
			Proof            []string
		}
	}
	Proofs []struct {
		Name, Proof, Policy, Trusted, Verdict, Code, At, Source string
		Heads, Account                                          []string
		Rolls                                                   int
		Signed                                                  []int
		Before                                                  int64
		Closed                                                  bool
	}
}

type sharedReceipt struct {
	Index          uint64
	Latest         int64
	Leaf, LeafHash string
	Ok             bool
	Code, Receipt  string
	Witnesses      int
}

func shared(t *testing.T) *sharedVectors {
	t.Helper()
	v := &sharedVectors{}
	needs.SharedJSON(t, "vectors/veridice-1.json", v)
	return v
}

func policyOf(t testing.TB, text string) *checkpoint.Policy {
	t.Helper()
	p, err := checkpoint.ParsePolicy([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestSharedReceipts(t *testing.T) {
	v := shared(t)
	p := policyOf(t, v.Log.Policy)
	for i, r := range v.Log.Receipts {
		got, err := p.Receipt([]byte(r.Leaf), []byte(r.Receipt))
		if !r.Ok {
			if code := codeOf(err); code != r.Code {
				t.Errorf("receipt %d: got %q (%v), want %s", i, code, err, r.Code)
			}
			continue
		}
		if err != nil || got.Index != r.Index || got.Witnesses != r.Witnesses || got.Time != r.Latest || got.Origin != "log.example/veridice" {
			t.Errorf("receipt %d: got %+v, %v, want %+v", i, got, err, r)
		}
	}
	if len(v.Log.Receipts) != 31 {
		t.Errorf("%d receipts", len(v.Log.Receipts))
	}
}

func codeOf(err error) string {
	if fault := (*record.SyntaxError)(nil); errors.As(err, &fault) {
		return string(fault.Code)
	}
	return ""
}

// TestSharedTree makes the receipts and the consistency proofs from the leaves.
func TestSharedTree(t *testing.T) {
	v := shared(t)
	var leaves [][]byte
	for _, l := range v.Log.Leaves {
		leaves = append(leaves, []byte(l))
	}
	hashes := stored(t, leaves)
	for size, note := range map[int64]string{v.Log.Size1: v.Log.Checkpoint1, int64(len(leaves)): v.Log.Checkpoint} {
		root, err := tlog.TreeHash(size, hashes)
		c, signatures, e := checkpoint.Open([]byte(note))
		if err != nil || e != nil || c.Root != root || c.Size != size || string(c.Note(signatures...)) != note {
			t.Errorf("size %d: got %+v, %v, %v", size, c, err, e)
		}
	}
	for i, r := range v.Log.Receipts {
		if !r.Ok {
			continue
		}
		parsed, err := checkpoint.ParseReceipt([]byte(r.Receipt))
		if err != nil {
			t.Fatal(err)
		}
		made, err := checkpoint.Prove(int64(r.Index), parsed.Note, hashes)
		if err != nil || string(made.Marshal()) != r.Receipt {
			t.Errorf("receipt %d: made %q, %v", i, made.Marshal(), err)
		}
	}
	for _, one := range v.Log.Consistency {
		older := checkpoint.Checkpoint{Origin: "o", Size: one.Old, Root: hashOf(t, one.OldRoot)}
		newer := checkpoint.Checkpoint{Origin: "o", Size: one.New, Root: hashOf(t, one.NewRoot)}
		var proof []tlog.Hash
		for _, h := range one.Proof {
			proof = append(proof, hashOf(t, h))
		}
		made, err := checkpoint.ProveGrowth(one.Old, one.New, hashes)
		if err != nil || !slices.Equal(made, proof) {
			t.Errorf("%d to %d: made %v, %v", one.Old, one.New, made, err)
		}
		if err := checkpoint.CheckGrowth(older, newer, proof); err != nil {
			t.Errorf("%d to %d: %v", one.Old, one.New, err)
		}
	}
}

func hashOf(t testing.TB, text string) tlog.Hash {
	t.Helper()
	b, ok := seed.ParseHex(text)
	if !ok || len(b) != 32 {
		t.Fatalf("%q is no hash", text)
	}
	return tlog.Hash(b)
}

// stored are the hashes of a log with these entries, as a store keeps them.
func stored(t testing.TB, entries [][]byte) tlog.HashReaderFunc {
	t.Helper()
	var all []tlog.Hash
	reader := tlog.HashReaderFunc(func(indexes []int64) ([]tlog.Hash, error) {
		out := make([]tlog.Hash, len(indexes))
		for i, at := range indexes {
			out[i] = all[at]
		}
		return out, nil
	})
	for i, e := range entries {
		more, err := tlog.StoredHashes(int64(i), e, reader)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, more...)
	}
	return reader
}

func TestSharedProofs(t *testing.T) {
	v := shared(t)
	for _, p := range v.Proofs {
		o := verify.Options{}
		for _, h := range p.Heads {
			o.Heads = append(o.Heads, []byte(h))
		}
		if p.Trusted != "" {
			trusted := seed.Seal(hashOf(t, p.Trusted))
			o.Seal = &trusted
		}
		if p.Policy != "" {
			policy, err := checkpoint.ParsePolicy([]byte(p.Policy))
			if err != nil {
				errors.As(err, &o.PolicyFault)
			} else {
				o.Policy = policy
			}
		}
		got := verify.Text([]byte(p.Proof), o)
		var before int64
		if got.Began != nil {
			before = got.Began.Time
		}
		if string(got.Verdict) != p.Verdict || string(got.Code) != p.Code || got.Place.String() != p.At || got.Rolls != p.Rolls ||
			string(got.Source) != p.Source || !slices.Equal(got.Signed, p.Signed) || !slices.Equal(got.Account, p.Account) ||
			before != p.Before || (got.Closed != nil) != p.Closed {
			t.Errorf("%s: got %s %s %q, %d rolls, source %q, signed %v, account %v, before %d, closed %v; want %s %s %q, %d, %q, %v, %v, %d, %t", p.Name,
				got.Verdict, got.Code, got.Place, got.Rolls, got.Source, got.Signed, got.Account, before, got.Closed,
				p.Verdict, p.Code, p.At, p.Rolls, p.Source, p.Signed, p.Account, p.Before, p.Closed)
		}
		if n := len(got.Steps); n > 6 && got.Steps[n-1].ID == "logged" {
			for i, s := range got.Steps[n-6:] {
				if s.Number != 11+i {
					t.Errorf("%s: step %s has the number %d", p.Name, s.ID, s.Number)
				}
			}
		}
		if file, err := record.ParseProof([]byte(p.Proof)); err == nil && got.Closed != nil {
			file.Parts = append(file.Parts, file.Parts[1])
			if more := verify.Proof(file, o); more.Verdict != verify.Unknown || more.Code != record.Syntax {
				t.Errorf("%s, with one part more: %s %s", p.Name, more.Verdict, more.Code)
			}
		}
	}
	if len(v.Proofs) != 70 {
		t.Errorf("%d proof files", len(v.Proofs))
	}
}
