package sqlite

import (
	"path/filepath"
	"testing"
	"time"

	"veridice/internal/match"
)

// Who watches hears of what another process wrote, and a look is no commit to be measured.
func TestWatchOfAnother(t *testing.T) {
	path := filepath.Join(t.TempDir(), "veridice.db")
	here, there := create(t, path), create(t, path)
	id := newMatch(1).ID
	if err := here.Create(t.Context(), newMatch(1)); err != nil {
		t.Fatal(err)
	}
	hint, stop := here.Watch(id)
	defer stop()
	commits := make(chan int, 100)
	here.Observe(func(changes int, _ time.Duration) { commits <- changes })
	none := func(*match.Match) error { return nil }
	if err := here.Update(t.Context(), id, "", none); err != nil { // from here on nothing has changed
		t.Fatal(err)
	}
	<-commits
	for len(hint) > 0 {
		<-hint
	}
	if err := there.Update(t.Context(), id, "", roll); err != nil {
		t.Fatal(err)
	}
	select {
	case <-hint:
	case <-time.After(time.Minute):
		t.Fatal("no hint of what another process wrote")
	}
	if len(commits) > 0 {
		t.Error("a look was measured as a commit")
	}
}
