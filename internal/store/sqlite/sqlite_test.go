package sqlite

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ncruces/go-sqlite3"

	"veridice/internal/match"
	"veridice/internal/store/storetest"
	"veridice/seed"
)

func TestContract(t *testing.T) {
	storetest.Run(t, func(t *testing.T) (match.Store, func() match.Store) {
		path := filepath.Join(t.TempDir(), "veridice.db")
		s := create(t, path)
		return s, func() match.Store {
			// What a killed process leaves: the files as they are.
			copied := filepath.Join(t.TempDir(), "copy.db")
			for _, end := range []string{"", "-wal"} {
				copyFile(t, path+end, copied+end)
			}
			s, err := Open(copied)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { s.Close() })
			path = copied
			return s
		}
	})
}

func create(t testing.TB, path string) *Store {
	t.Helper()
	s, err := Create(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	in, err := os.Open(from)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	out, err := os.Create(to)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(out, in); err != nil {
		t.Fatal(err)
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
}

// newMatch is a match with little in it.
func newMatch(id byte) *match.Match {
	m := &match.Match{
		ID: seed.Hex(append(make([]byte, 15), id)), Scheme: "tavli/1", Sealed: []byte{1}, State: match.Open,
		Seats: []match.Seat{{}}, Events: 1, Created: time.UnixMilli(0).UTC(),
	}
	m.Added = []match.Event{{Number: 1, Type: match.Opened}}
	return m
}

func roll(m *match.Match) error {
	m.Rolls++
	m.Dice += 2
	m.Events++
	m.Added = append(m.Added, match.Event{Number: m.Events, Type: match.Rolled, Roll: m.Rolls, Game: 1, Seat: 1, Dice: []uint32{6, 3}})
	return nil
}

func TestFileIsPrivateAndOurs(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "veridice.db")
	if err := create(t, path).Close(); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if got := info.Mode().Perm(); got != 0o600 {
		t.Errorf("got mode %o, want 600", got)
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 1 {
		t.Errorf("a closed store leaves %d files, want 1", len(entries))
	}
	if _, err := Open(filepath.Join(dir, "missing.db")); err == nil {
		t.Error("Open made a database")
	}

	foreign := filepath.Join(dir, "foreign.db")
	c, err := sqlite3.Open(foreign)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Exec("CREATE TABLE accounts (n INTEGER)"); err != nil {
		t.Fatal(err)
	}
	c.Close()
	if _, err := Open(foreign); err == nil || !strings.Contains(err.Error(), "another program") {
		t.Errorf("another program's database: got %v", err)
	}
	text := filepath.Join(dir, "text.db")
	if err := os.WriteFile(text, []byte(strings.Repeat("not a database\n", 1000)), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(text); err == nil {
		t.Error("a text file was opened as a database")
	}
}

func TestLaterVersionIsRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "veridice.db")
	if err := create(t, path).Close(); err != nil {
		t.Fatal(err)
	}
	c, err := sqlite3.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Exec("INSERT INTO migration (number, name, at) VALUES (9999, '9999_later.sql', 0)"); err != nil {
		t.Fatal(err)
	}
	c.Close()
	if _, err := Open(path); err == nil || !strings.Contains(err.Error(), "later version") {
		t.Errorf("got %v, want that the database is of a later version", err)
	}
}

func TestTablesAreStrict(t *testing.T) {
	s := create(t, filepath.Join(t.TempDir(), "veridice.db"))
	err := s.read(t.Context(), func(c *conn) error {
		loose, err := integer(c.c, "SELECT count(*) FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite_%' AND NOT strict")
		if err != nil || loose != 0 {
			t.Errorf("%d tables are not strict, %v", loose, err)
		}
		if err := c.c.Exec("DELETE FROM migration"); err == nil {
			t.Error("a reader can write")
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestPanicInAChange(t *testing.T) {
	s := create(t, filepath.Join(t.TempDir(), "veridice.db"))
	m := newMatch(1)
	if err := s.Create(t.Context(), m); err != nil {
		t.Fatal(err)
	}
	err := s.Update(t.Context(), m.ID, "", func(*match.Match) error { panic("broken") })
	if err == nil || !strings.Contains(err.Error(), "panicked") {
		t.Errorf("got %v, want that it panicked", err)
	}
	if err := s.Update(t.Context(), m.ID, "", roll); err != nil {
		t.Errorf("after a panic: %v", err)
	}
}

// A disk that is full gives every change of the group an error, stores nothing of
// it, and the next roll has the next number.
func TestFullDisk(t *testing.T) {
	s := create(t, filepath.Join(t.TempDir(), "veridice.db"))
	m := newMatch(1)
	if err := s.Create(t.Context(), m); err != nil {
		t.Fatal(err)
	}
	limit := func(pages string) {
		t.Helper()
		err := s.submit(t.Context(), func(c *conn) error { return c.c.Exec("PRAGMA max_page_count = " + pages) })
		if err != nil {
			t.Fatal(err)
		}
	}
	limit("1") // no more than there are
	made, failed := 0, 0
	for range 500 {
		if err := s.Update(t.Context(), m.ID, "", roll); err != nil {
			if errors.Is(err, match.ErrConflict) || errors.Is(err, match.ErrNotFound) {
				t.Fatalf("a full disk reads as %v", err)
			}
			failed++
			break
		}
		made++
	}
	if failed == 0 {
		t.Fatal("the disk never got full")
	}
	got, err := s.Match(t.Context(), m.ID)
	if err != nil || got.Rolls != uint64(made) {
		t.Fatalf("got %v, %v, want %d rolls", got, err, made)
	}
	limit("1000000")
	if err := s.Update(t.Context(), m.ID, "", roll); err != nil {
		t.Fatal(err)
	}
	rolls, err := s.Entries(t.Context(), m.ID)
	if err != nil || len(rolls) != made+1 {
		t.Fatalf("got %d rolls, %v, want %d", len(rolls), err, made+1)
	}
	for i, e := range rolls {
		if e.Roll != uint64(i+1) {
			t.Errorf("roll %d has number %d", i+1, e.Roll)
		}
	}
}

// Two processes on one file: here two stores that know nothing of each other.
func TestTwoStoresOnOneFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "veridice.db")
	stores := []*Store{create(t, path), create(t, path)}
	m := newMatch(1)
	if err := stores[0].Create(t.Context(), m); err != nil {
		t.Fatal(err)
	}
	const each = 50
	var all sync.WaitGroup
	for _, s := range stores {
		all.Go(func() {
			for range each {
				if err := s.Update(context.Background(), m.ID, "", roll); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	for _, s := range stores {
		rolls, err := s.Entries(t.Context(), m.ID)
		if err != nil || len(rolls) != 2*each {
			t.Fatalf("got %d rolls, %v, want %d", len(rolls), err, 2*each)
		}
		for i, e := range rolls {
			if e.Roll != uint64(i+1) || e.Number != uint64(i+2) {
				t.Fatalf("roll %d has number %d as event %d", i+1, e.Roll, e.Number)
			}
		}
	}
}

// Changes that queue up while the writer is at work are committed together.
func TestGroupCommit(t *testing.T) {
	s := create(t, filepath.Join(t.TempDir(), "veridice.db"))
	const n = 40
	for i := range n {
		if err := s.Create(t.Context(), newMatch(byte(i))); err != nil {
			t.Fatal(err)
		}
	}
	commits := 0 // the writer's
	hold, held := make(chan struct{}), make(chan struct{})
	var all sync.WaitGroup
	all.Go(func() {
		s.submit(context.Background(), func(c *conn) error {
			c.c.CommitHook(func() bool { commits++; return true })
			close(held)
			<-hold
			return nil
		})
	})
	<-held
	for i := range n {
		all.Go(func() {
			if err := s.Update(context.Background(), newMatch(byte(i)).ID, "", roll); err != nil {
				t.Error(err)
			}
		})
	}
	for s.queue.Waiting() < n {
		time.Sleep(time.Millisecond) // the condition is the queue's length
	}
	close(hold)
	all.Wait()
	s.submit(t.Context(), func(c *conn) error { c.c.CommitHook(nil); return nil })
	if commits != 2 { // the one that set the hook, and one for all the others
		t.Errorf("got %d commits for 1 + %d waiting changes, want 2", commits, n)
	}
}
