package postgres

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"veridice/internal/ledger"
	"veridice/internal/match"
	"veridice/internal/needs"
)

// hangs is a connection on which nothing comes any more, without an error. Each request is
// answered within the store's patience, however many wait; another process goes on; and
// afterwards the store does, on new connections, and has all that it said.
func hangs(t *testing.T, p *needs.PostgresServer) {
	const patience = 4 * time.Second
	direct := database(t, p)
	cable := p.Cable(t)
	through := cable.Postgres("postgres") + "&search_path=" + strings.Split(direct, "search_path=")[1]
	s, other := connect(t, through+"&patience=4s"), connect(t, direct)
	const matches = 20
	for n := range matches {
		if err := s.Create(t.Context(), newMatch(n)); err != nil {
			t.Fatal(err)
		}
	}
	said := make([]uint64, matches) // rolls that were answered
	for n := range matches {
		if err := s.Update(t.Context(), newMatch(n).ID, "", roll); err != nil {
			t.Fatal(err)
		}
		said[n]++
	}
	cable.Hang()
	var all sync.WaitGroup
	timed := func(what string, f func() error) {
		all.Go(func() {
			start := time.Now()
			if err := f(); !errors.Is(err, match.ErrBusy) {
				t.Errorf("%s: got %v", what, err)
			}
			if took := time.Since(start); took >= 2*patience-patience/8 { // nobody waits for the patience of another as well
				t.Errorf("%s took %v", what, took)
			}
		})
	}
	for n := range matches {
		id := newMatch(n).ID
		timed("a change", func() error { return s.Update(context.Background(), id, "", roll) }) // most are behind a batch that hangs
		timed("a read", func() error { _, err := s.Match(context.Background(), id); return err })
		timed("a draw", func() error {
			return s.Amend(context.Background(), "k", fmt.Sprint(n), "", func(b *ledger.Book) error { b.State = []byte("{}"); return nil })
		})
	}
	// The other process needs at most what a transaction that stands still may last.
	for n := range matches {
		if err := other.Update(t.Context(), newMatch(n).ID, "", roll); err != nil {
			t.Errorf("the other process: %v", err)
		}
		said[n]++
	}
	all.Wait()
	cable.Heal()
	for n := range matches {
		err := match.ErrBusy
		for end := time.Now().Add(time.Minute); errors.Is(err, match.ErrBusy) && time.Now().Before(end); {
			err = s.Update(t.Context(), newMatch(n).ID, "", roll)
		}
		if err != nil {
			t.Fatalf("afterwards: %v", err)
		}
		said[n]++
		m, err := s.Match(t.Context(), newMatch(n).ID)
		if err != nil || m.Rolls < said[n] || m.Rolls > said[n]+1 {
			t.Errorf("got %+v, %v; %d rolls were answered, and the fate of one is not known", m, err, said[n])
		}
	}
}

// hangingHost is the first of two hosts, where nobody answers any more: the other one gets
// its turn in time.
func hangingHost(t *testing.T, p *needs.PostgresServer) {
	cable := p.Cable(t)
	schema := strings.Split(database(t, p), "search_path=")[1]
	address := fmt.Sprintf("postgres:///postgres?user=veridice&sslmode=disable&host=127.0.0.1,%s&port=%d,5432&search_path=%s&patience=3s", p.Host(), cable.Port(), schema)
	s := connect(t, address)
	if err := s.Create(t.Context(), newMatch(1)); err != nil {
		t.Fatal(err)
	}
	cable.Hang()
	err := match.ErrBusy
	for tries := 0; errors.Is(err, match.ErrBusy) && tries < 3; tries++ {
		err = s.Update(t.Context(), newMatch(1).ID, "", roll)
	}
	if err != nil {
		t.Errorf("a change: %v", err)
	}
	if m, err := connect(t, address).Match(t.Context(), newMatch(1).ID); err != nil || m.Rolls == 0 {
		t.Errorf("a new process: %+v, %v", m, err)
	}
}

// fullDisk is what the database says when it has no room: nothing is stored, reading goes
// on, and with room the next roll has the next number.
func fullDisk(t *testing.T, p *needs.PostgresServer) {
	address := database(t, p)
	s := connect(t, address)
	if err := s.Create(t.Context(), newMatch(1)); err != nil {
		t.Fatal(err)
	}
	c := conn(t, address)
	exec(t, c, `CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
		RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = '53100'; END $$`)
	for _, table := range []string{"event", "line"} {
		exec(t, c, "CREATE TRIGGER full_disk BEFORE INSERT ON "+table+" FOR EACH ROW EXECUTE FUNCTION full_disk()")
	}
	refused := func(err error) {
		t.Helper()
		if err == nil || errors.Is(err, match.ErrBusy) || errors.Is(err, match.ErrConflict) || !strings.Contains(err.Error(), "No space left") {
			t.Errorf("got %v", err)
		}
	}
	draw := func(b *ledger.Book) error {
		b.State, b.Lines = []byte("{}"), []ledger.Line{{Shelf: "draw", Number: b.Version + 1, Text: []byte("{}")}}
		return nil
	}
	refused(s.Update(t.Context(), newMatch(1).ID, "key", roll))
	refused(s.Amend(t.Context(), "k", "n", "", draw))
	if m, err := s.Match(t.Context(), newMatch(1).ID); err != nil || m.Rolls != 0 {
		t.Errorf("got %+v, %v", m, err)
	}
	exec(t, c, "DROP TRIGGER full_disk ON event")
	exec(t, c, "DROP TRIGGER full_disk ON line")
	if err := errors.Join(s.Update(t.Context(), newMatch(1).ID, "key", roll), s.Amend(t.Context(), "k", "n", "", draw)); err != nil {
		t.Fatal(err)
	}
	rolls, err := s.Entries(t.Context(), newMatch(1).ID)
	if err != nil || len(rolls) != 1 || rolls[0].Roll != 1 {
		t.Errorf("got %+v, %v", rolls, err)
	}
	if lines, err := s.Lines(t.Context(), "k", "n", "draw", 0, 2); err != nil || len(lines) != 1 || lines[0].Number != 1 {
		t.Errorf("got %+v, %v", lines, err)
	}
}

// A database that only reads, as a standby does or a primary that was put to rest: changes
// are busy, reading goes on, and when it writes again so do they.
func TestReadOnly(t *testing.T) {
	needs.Long(t, "starts a server of its own")
	p := needs.Postgres(t)
	s := connect(t, database(t, p)+"&patience=4s")
	if err := s.Create(t.Context(), newMatch(1)); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Match(t.Context(), newMatch(1).ID); err != nil {
		t.Fatal(err)
	}
	set := func(value string) {
		t.Helper()
		p.Run("postgres", "ALTER SYSTEM SET default_transaction_read_only = "+value)
		p.Run("postgres", "SELECT pg_reload_conf()")
	}
	set("on")
	draw := func(b *ledger.Book) error { b.State = []byte("{}"); return nil }
	for n, err := uint64(0), error(nil); !errors.Is(err, match.ErrBusy); n++ { // until the server has read its settings
		if err = s.Update(t.Context(), newMatch(1).ID, "", roll); err != nil && !errors.Is(err, match.ErrBusy) || n > 1000 {
			t.Fatalf("got %v, want that it is busy", err)
		}
	}
	if err := s.Amend(t.Context(), "k", "n", "", draw); !errors.Is(err, match.ErrBusy) {
		t.Errorf("got %v", err)
	}
	before, err := s.Match(t.Context(), newMatch(1).ID)
	if err != nil {
		t.Fatalf("reading: %v", err)
	}
	set("off")
	err = match.ErrBusy
	for end := time.Now().Add(time.Minute); errors.Is(err, match.ErrBusy) && time.Now().Before(end); {
		err = s.Update(t.Context(), newMatch(1).ID, "", roll)
	}
	if m, failed := s.Match(t.Context(), newMatch(1).ID); err != nil || failed != nil || m.Rolls != before.Rolls+1 {
		t.Errorf("afterwards: %v; got %+v, %v", err, m, failed)
	}
}
