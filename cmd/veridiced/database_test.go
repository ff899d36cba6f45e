package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"veridice/internal/audit"
	"veridice/internal/needs"
	"veridice/internal/pair"
)

// Check draws again what was drawn with seed pairs, and export writes what "veridice
// audit" proves, on both kinds of database.
func TestPairsCheckedAndExported(t *testing.T) {
	t.Parallel()
	// spoil alters a copy of the database with a statement and gives its address.
	for kind, make := range map[string]func(t *testing.T) (db string, spoil func(t *testing.T, n int, sql string) string){
		"SQLite": func(t *testing.T) (string, func(*testing.T, int, string) string) {
			db := filepath.Join(t.TempDir(), "veridice.db")
			return db, func(t *testing.T, n int, sql string) string {
				good, err := os.ReadFile(db)
				must(t, err)
				broken := fmt.Sprint(db, n)
				must(t, os.WriteFile(broken, good, 0o600))
				execute(t, broken, sql)
				return broken
			}
		},
		"PostgreSQL": func(t *testing.T) (string, func(*testing.T, int, string) string) {
			p := needs.Postgres(t)
			return p.Create("good"), func(t *testing.T, n int, sql string) string {
				broken := fmt.Sprint("broken", n)
				p.Run("postgres", "CREATE DATABASE "+broken+" TEMPLATE good")
				p.Run(broken, sql)
				return p.URL(broken)
			}
		},
	} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			db, spoil := make(t)
			key := filepath.Join(t.TempDir(), "veridice.key")
			command := func(verb, db string, more ...string) (int, string) {
				var out bytes.Buffer
				code := run(t.Context(), append([]string{verb, "-db", db, "-key-file", key}, more...), environment(), &out, &out)
				return code, out.String()
			}
			if code, said := command("init", db); code != 0 {
				t.Fatal(said)
			}
			p := &program{db: db, keyFile: key, stdout: io.Discard, stderr: io.Discard}
			store, _, pairs, err := p.stored(t.Context())
			must(t, err)
			drawn(t, pairs, "op", "Anna", 5, 0, 3)
			drawn(t, pairs, "op", "Nikos", 0, 2)
			must(t, store.Close())

			if code, said := command("check", db); code != 0 || !strings.HasSuffix(said, "users with seed pairs 2\nrevealed pairs 3\ndraws 10\n") {
				t.Errorf("a sound database: %d %s", code, said)
			}
			folder := filepath.Join(t.TempDir(), "export")
			for _, words := range []string{"written 1\nthere before 0\n", "written 0\nthere before 1\n"} {
				if code, said := command("export", db, folder); code != 0 || !strings.Contains(said, words) {
					t.Errorf("export: %d %s, want %s", code, said, words)
				}
			}
			file := filepath.Join(folder, "pairs", "op", "Anna", "1.ndjson")
			text, err := os.ReadFile(file)
			must(t, err)
			report := audit.Run([]audit.Input{{Name: file, Open: func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(text)), nil }}}, audit.Options{})
			if report.Proven != 5 || report.Broken+report.Unknown != 0 || report.Seals.Fit != 5 {
				t.Errorf("the export has %d proven draws, %d broken, %d unknown", report.Proven, report.Broken, report.Unknown)
			}
			must(t, os.WriteFile(file, append(text, '\n'), 0o600))
			if code, said := command("export", db, folder); code != 1 || !strings.Contains(said, "another record") {
				t.Errorf("over another file: %d %s", code, said)
			}
			if left, _ := filepath.Glob(filepath.Join(filepath.Dir(file), "*")); len(left) != 1 {
				t.Errorf("it leaves %q", left)
			}

			const anna = " AND kind = 'pair' AND number = "
			faults := []struct{ sql, words string }{
				{`UPDATE line SET text = replace(text, '"outcome":{"roll":"', '"outcome":{"roll":"1') WHERE shelf = 'draw'` + anna + "4", "pairs of op/Anna: draw 4: its outcome does not follow"},
				{`UPDATE line SET text = replace(text, '"outcome":{"roll":"', '"outcome":{"roll":"1') WHERE shelf = 'draw'` + anna + "7", "pairs of op/Anna: draw 7: its outcome does not follow"},
				{"DELETE FROM line WHERE shelf = 'draw'" + anna + "3", "pairs of op/Anna: draw 3: draw 4 stands there"},
				{"UPDATE line SET number = 9 WHERE shelf = 'draw'" + anna + "8", "pairs of op/Anna: draw 8: draw 9 stands there"},
				{"DELETE FROM line WHERE shelf = 'revealed'" + anna + "2", "pairs of op/Anna: pair 3 is active, and 1 are revealed"},
				{`UPDATE book SET state = replace(state, '"nonce":3', '"nonce":2') WHERE kind = 'pair'`, "pairs of op/Anna: draw 8 is there, and its pairs count 7"},
				{"DELETE FROM news WHERE number = 3", "pairs of op/Nikos: 1 pairs are revealed, and the news tell of 0"},
			}
			if kind == "PostgreSQL" { // where a copy takes its time, one of each table
				faults = slices.Delete(slices.Delete(faults, 3, 5), 0, 2)
			}
			for n, fault := range faults {
				if code, said := command("check", spoil(t, n, fault.sql)); code != 1 || !strings.Contains(said, fault.words) {
					t.Errorf("%s: got %d %s, want %q", fault.sql, code, said, fault.words)
				}
			}
		})
	}
}

// drawn makes a user with pairs that so many draws were made with; all but the last are
// revealed.
func drawn(t *testing.T, s *pair.Service, operator, user string, counts ...int) {
	t.Helper()
	calls := 0
	call := func() pair.Call {
		calls++
		return pair.Call{Operator: operator, User: user, Key: fmt.Sprint("key-", calls)}
	}
	ctx := context.Background()
	if _, err := s.Create(ctx, call(), "shuffle"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.SetClient(ctx, call(), 1, "client 1"); err != nil {
		t.Fatal(err)
	}
	for i, n := range counts {
		for range n {
			if _, err := s.Draw(ctx, call(), pair.Wish{Game: "dice"}); err != nil {
				t.Fatal(err)
			}
		}
		if i+1 < len(counts) {
			if _, err := s.Rotate(ctx, call(), uint64(i+1), fmt.Sprint("client ", i+2)); err != nil {
				t.Fatal(err)
			}
		}
	}
}
