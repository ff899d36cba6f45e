package sqlite

import (
	"os"
	"path/filepath"
	"testing"
)

// A backup of a database at work is a database with all that was answered.
func TestBackup(t *testing.T) {
	dir := t.TempDir()
	path, to := filepath.Join(dir, "veridice.db"), filepath.Join(dir, "backup.db")
	s := create(t, path)
	if err := s.Create(t.Context(), newMatch(1)); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if err := s.Update(t.Context(), newMatch(1).ID, "", roll); err != nil {
			t.Fatal(err)
		}
	}
	if err := Backup(path, to); err != nil {
		t.Fatal(err)
	}
	if err := s.Update(t.Context(), newMatch(1).ID, "", roll); err != nil {
		t.Errorf("after the backup: %v", err)
	}
	info, err := os.Stat(to)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Fatalf("got %v, %v, want mode 600", info, err)
	}
	copied, err := Open(to)
	if err != nil {
		t.Fatal(err)
	}
	defer copied.Close()
	m, err := copied.Match(t.Context(), newMatch(1).ID)
	if err != nil || m.Rolls != 3 {
		t.Errorf("got %+v, %v, want 3 rolls", m, err)
	}
	if err := copied.Update(t.Context(), newMatch(1).ID, "", roll); err != nil {
		t.Errorf("a roll in the copy: %v", err)
	}
	if err := Backup(filepath.Join(dir, "missing.db"), filepath.Join(dir, "other.db")); err == nil {
		t.Error("a missing file was copied")
	}
	left, err := filepath.Glob(filepath.Join(dir, ".new-*"))
	if err != nil || len(left) != 0 {
		t.Errorf("left over: %v, %v", left, err)
	}
}
