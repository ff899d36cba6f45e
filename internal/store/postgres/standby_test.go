package postgres

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"veridice/internal/match"
	"veridice/internal/needs"
)

// What a standby has not confirmed may be lost with the primary. So nobody sees it, not even
// whoever gave up waiting for it and asks again with the same key, until a standby is there.
func TestUnconfirmed(t *testing.T) {
	p := needs.Postgres(t)
	address := database(t, p)
	s, other := connect(t, address+"&patience=1s"), connect(t, address)
	id := newMatch(1).ID
	if err := other.Create(t.Context(), newMatch(1)); err != nil {
		t.Fatal(err)
	}
	standbys := func(names string) {
		p.Run("postgres", "ALTER SYSTEM SET synchronous_standby_names = '"+names+"'")
		p.Run("postgres", "SELECT pg_reload_conf()")
	}
	standbys("nobody")
	said, key := uint64(0), ""
	err := error(nil)
	for end := time.Now().Add(time.Minute); err == nil && time.Now().Before(end); said++ {
		key = fmt.Sprint("k", said)
		err = s.Update(t.Context(), id, key, answered(key)) // until the server has read its settings
	}
	said-- // the last one was not
	if !errors.Is(err, match.ErrBusy) {
		t.Fatalf("without a standby: got %v", err)
	}
	if err := connect(t, address+"&patience=1s").Grow(t.Context(), match.Tree{Version: 1, Checkpoint: []byte("x")}, nil); !errors.Is(err, match.ErrBusy) {
		t.Errorf("the log: got %v", err)
	}
	repeat := func() error { return s.Update(t.Context(), id, key, answered(key)) }
	if err := repeat(); !errors.Is(err, match.ErrBusy) {
		t.Errorf("asked again: got %v", err)
	}
	for n := range 3 {
		if err := s.Create(t.Context(), newMatch(n+2)); !errors.Is(err, match.ErrBusy) {
			t.Errorf("other matches: got %v", err)
		}
	}
	// The roll and the log, and not each attempt.
	if n := p.Run("postgres", "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep'"); n != "1" && n != "2" {
		t.Errorf("%s commits wait for a standby", n)
	}
	if m, err := other.Match(t.Context(), id); err != nil || m.Rolls != said {
		t.Errorf("%d rolls are on the standby; seen are %+v, %v", said, m, err)
	}
	if tree, err := other.Tree(t.Context()); err != nil || tree.Version != 0 {
		t.Errorf("the standby has no log; seen is %+v, %v", tree, err)
	}
	standbys("")
	for end := time.Now().Add(time.Minute); errors.Is(err, match.ErrBusy) && time.Now().Before(end); {
		err = repeat()
	}
	if m, failed := other.Match(t.Context(), id); err != nil || failed != nil || m.Rolls != said+1 {
		t.Errorf("afterwards: %v; %+v, %v; want %d rolls", err, m, failed, said+1)
	}
	if tree, err := other.Tree(t.Context()); err != nil || tree.Version != 1 {
		t.Errorf("afterwards: %+v, %v", tree, err)
	}
}
