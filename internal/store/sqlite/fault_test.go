package sqlite

import (
	"errors"
	"path/filepath"
	"testing"

	"veridice/internal/ledger"
	"veridice/internal/match"
)

// A database that cannot be written any more, as after a disk fault, refuses changes, is
// read as before, and goes on when it can be written again.
func TestReadOnly(t *testing.T) {
	s := create(t, filepath.Join(t.TempDir(), "veridice.db"))
	m := newMatch(1)
	if err := errors.Join(s.Create(t.Context(), m), s.Update(t.Context(), m.ID, "", roll)); err != nil {
		t.Fatal(err)
	}
	// A reader's setting, at the writer, which has nothing to do now.
	set := func(value string) {
		t.Helper()
		if err := s.writer.c.Exec("PRAGMA query_only = " + value); err != nil {
			t.Fatal(err)
		}
	}
	draw := func(b *ledger.Book) error { b.State = []byte("{}"); return nil }
	set("ON")
	for _, err := range []error{s.Update(t.Context(), m.ID, "key", roll), s.Amend(t.Context(), "k", "n", "", draw)} {
		if err == nil || errors.Is(err, match.ErrBusy) || errors.Is(err, match.ErrConflict) || errors.Is(err, match.ErrNotFound) {
			t.Errorf("got %v", err)
		}
	}
	if got, err := s.Match(t.Context(), m.ID); err != nil || got.Rolls != 1 {
		t.Errorf("got %+v, %v", got, err)
	}
	set("OFF")
	if err := errors.Join(s.Update(t.Context(), m.ID, "key", roll), s.Amend(t.Context(), "k", "n", "", draw)); err != nil {
		t.Error(err)
	}
	if rolls, err := s.Entries(t.Context(), m.ID); err != nil || len(rolls) != 2 || rolls[1].Roll != 2 {
		t.Errorf("got %+v, %v", rolls, err)
	}
}
