// Package interop holds our log against filippo.io/torchwood: what one makes the other
// must accept.
package interop

import (
	"cmp"
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"filippo.io/torchwood"
	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"

	"veridice/checkpoint"
	"veridice/internal/match"
	"veridice/internal/needs"
	"veridice/internal/publog"
	"veridice/record"
)

// A keeper keeps a log in memory.
type keeper struct {
	entries [][]byte
	tree    match.Tree
	hashes  [][32]byte
}

func (k *keeper) Log(_ context.Context, from uint64, limit int) ([][]byte, error) {
	return k.entries[min(from, uint64(len(k.entries))):min(from+uint64(limit), uint64(len(k.entries)))], nil
}
func (k *keeper) Tree(context.Context) (match.Tree, error) { return k.tree, nil }
func (k *keeper) Grow(_ context.Context, next match.Tree, hashes [][32]byte) error {
	k.tree, k.hashes = next, append(k.hashes, hashes...)
	return nil
}
func (k *keeper) Hashes(_ context.Context, numbers []int64) ([][32]byte, error) {
	var out [][32]byte
	for _, n := range numbers {
		out = append(out, k.hashes[n])
	}
	return out, nil
}

func signer(t *testing.T, name string, algorithm checkpoint.Algorithm, secret byte) checkpoint.Signer {
	t.Helper()
	s, err := checkpoint.NewSigner(name, algorithm, [32]byte{secret})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestOurLog: torchwood verifies every receipt of a log of ours and reads the whole log
// from its files.
func TestOurLog(t *testing.T) {
	const size = 600
	k := &keeper{}
	for i := range size {
		k.entries = append(k.entries, fmt.Appendf(nil, "veridice/1 open\nmatch %d\n", i))
	}
	var mu sync.Mutex
	receipts := map[uint64][]byte{}
	log := signer(t, "log.example/veridice", checkpoint.Plain, 1)
	l, err := publog.New(t.Context(), publog.Options{
		Keeper: k, Signer: log, Logger: slog.New(slog.NewTextHandler(io.Discard, nil)),
		Receipt: func(_ context.Context, _ []byte, index uint64, receipt []byte) error {
			mu.Lock()
			defer mu.Unlock()
			receipts[index] = receipt
			return nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Publish(t.Context()); err != nil {
		t.Fatal(err)
	}
	policy, err := torchwood.ParsePolicy(l.Policy.Marshal())
	if err != nil {
		t.Fatal(err)
	}
	for i, entry := range k.entries {
		if err := torchwood.VerifyProof(policy, tlog.RecordHash(entry), receipts[uint64(i)]); err != nil {
			t.Fatalf("receipt %d: %v", i, err)
		}
		if err := torchwood.VerifyProof(policy, tlog.RecordHash(append(entry, '\n')), receipts[uint64(i)]); err == nil {
			t.Fatalf("receipt %d holds for another entry", i)
		}
	}

	dir := t.TempDir()
	err = l.Export(t.Context(), func(path string, content []byte) error {
		path = filepath.Join(dir, filepath.FromSlash(path))
		return errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, content, 0o600))
	})
	if err != nil {
		t.Fatal(err)
	}
	head, err := os.ReadFile(filepath.Join(dir, "checkpoint"))
	if err != nil {
		t.Fatal(err)
	}
	c, _, err := torchwood.VerifyCheckpoint(head, policy)
	if err != nil || c.N != size {
		t.Fatalf("checkpoint: %+v, %v", c, err)
	}
	tiles, err := torchwood.NewTileFS(os.DirFS(dir))
	if err != nil {
		t.Fatal(err)
	}
	client, err := torchwood.NewClient(tiles)
	if err != nil {
		t.Fatal(err)
	}
	read := 0
	for i, entry := range client.AllEntries(t.Context(), c.Tree, 0) {
		if string(entry) != string(k.entries[i]) {
			t.Fatalf("entry %d is %q", i, entry)
		}
		read++
	}
	if client.Err() != nil || read != size {
		t.Errorf("read %d entries: %v", read, client.Err())
	}
}

// TestCosignatures: each accepts the cosignatures and the proofs of the other.
func TestCosignatures(t *testing.T) {
	log := signer(t, "log.example", checkpoint.Plain, 1)
	entry := []byte("veridice/1 open\n")
	head := checkpoint.Checkpoint{Origin: "log.example", Size: 1, Root: tlog.RecordHash(entry)}
	theirs, err := torchwood.NewCosignatureSigner("w.example", ed25519.NewKeyFromSeed(make([]byte, 32)))
	if err != nil {
		t.Fatal(err)
	}
	text := "log " + log.Key().String() + "\nwitness a " + theirs.Verifier().String() + "\n"
	ours := signer(t, "v.example", checkpoint.Cosigning, 2)
	text += "witness b " + ours.Key().String() + "\ngroup both all a b\nquorum both\n"
	policy, err := checkpoint.ParsePolicy([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	other, err := torchwood.ParsePolicy([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	signed, err := note.Sign(&note.Note{Text: string(head.Marshal())}, theirs)
	if err != nil {
		t.Fatal(err)
	}
	_, cosignatures, err := checkpoint.Open(signed)
	if err != nil {
		t.Fatal(err)
	}
	full := head.Note(append([]record.Signature{log.Sign(head, 0), ours.Sign(head, 1_700_000_000)}, cosignatures...)...)
	if _, err := policy.Open(full); err != nil {
		t.Errorf("we refuse their cosignature: %v", err)
	}
	if _, _, err := torchwood.VerifyCheckpoint(full, other); err != nil {
		t.Errorf("they refuse our cosignature: %v", err)
	}
	proof := torchwood.FormatProof(0, nil, full)
	if logged, err := policy.Receipt(entry, proof); err != nil || logged.Witnesses != 2 {
		t.Errorf("we refuse their proof: %+v, %v", logged, err)
	}
}

// TestPublishedReceipts: the valid receipts of the neighbouring vectors, where they are,
// are valid there too. Of the invalid ones some have a fault of form alone, which only
// we refuse.
func TestPublishedReceipts(t *testing.T) {
	var all struct {
		Log struct {
			Policy   string
			Receipts []struct {
				Leaf, Receipt, Policy string
				OK                    bool
			}
		}
	}
	needs.SharedJSON(t, "vectors/veridice-1.json", &all)
	valid, refused := 0, 0
	for i, r := range all.Log.Receipts {
		policy, err := torchwood.ParsePolicy([]byte(cmp.Or(r.Policy, all.Log.Policy)))
		if err != nil {
			t.Fatal(err)
		}
		err = torchwood.VerifyProof(policy, tlog.RecordHash([]byte(r.Leaf)), []byte(r.Receipt))
		switch {
		case r.OK && err != nil:
			t.Errorf("receipt %d is valid: %v", i, err)
		case r.OK:
			valid++
		case err != nil:
			refused++
		}
	}
	if valid == 0 || refused == 0 {
		t.Errorf("%d valid, %d refused", valid, refused)
	}
}
