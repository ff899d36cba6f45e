package sqlite

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/ncruces/go-sqlite3"

	"veridice/internal/match"
)

func TestTailComesBack(t *testing.T) {
	events := []match.Event{
		{Number: 1 << 40, Type: match.Rolled, At: time.UnixMilli(-5).UTC(), Seat: 8, Name: "Νίκος", Roll: 7, Game: 3, Dice: []uint32{1, 1<<32 - 1}, Data: []byte{0}},
		{Number: 1<<40 + 1, Type: match.EndAsked, At: time.UnixMilli(0).UTC()},
	}
	answers := []match.Answer{{Key: "k", Request: [32]byte{1, 31: 2}, Body: []byte("{}")}, {Body: []byte{}}}
	whole := new(tail).with(events[:1], answers[:1]).with(events[1:], answers[1:])
	got, err := parseTail(whole.text)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(got.events, events) + cmp.Diff(got.answers, answers); diff != "" {
		t.Error(diff)
	}
	for n := range whole.text {
		if cut, err := parseTail(whole.text[:n]); err == nil && len(cut.events) == len(events) && len(cut.answers) == len(answers) {
			t.Errorf("cut at %d it reads as whole", n)
		}
		for _, flip := range []byte{1, 0x80, 0xff} {
			mangled := append([]byte{}, whole.text...)
			mangled[n] ^= flip
			parseTail(mangled) // must end, and without a panic
		}
	}
}

// What moves from the tail to the tables is there all the time, once and in order; a
// second store on the file sees it too, and takes over.
func TestTailMoves(t *testing.T) {
	path := filepath.Join(t.TempDir(), "veridice.db")
	stores := []*Store{create(t, path), create(t, path)}
	if err := stores[0].Create(t.Context(), newMatch(1)); err != nil {
		t.Fatal(err)
	}
	id := newMatch(1).ID
	const rolls = 100
	inTail := map[int]bool{}
	for n := uint64(1); n <= rolls; n++ {
		s := stores[n/7%2]
		err := s.Update(t.Context(), id, fmt.Sprint("k", n), func(m *match.Match) error {
			m.Answer = &match.Answer{Key: fmt.Sprint("k", n), Body: fmt.Append(nil, "body ", n)}
			entries, err := m.Entries()
			if err != nil || uint64(len(entries)) != n-1 {
				t.Errorf("the change of roll %d sees %d rolls, %v", n, len(entries), err)
			}
			return roll(m)
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range stores {
			events, err := s.Events(t.Context(), id, 0, 1000)
			if err != nil || uint64(len(events)) != n+1 {
				t.Fatalf("after roll %d there are %d events, %v", n, len(events), err)
			}
			for i, e := range events {
				if e.Number != uint64(i+1) {
					t.Fatalf("event %d stands at place %d", e.Number, i+1)
				}
			}
			if page, err := s.Events(t.Context(), id, n-1, 1); err != nil || len(page) != 1 || page[0].Number != n {
				t.Fatalf("the event after %d: %v, %v", n-1, page, err)
			}
			for _, old := range []uint64{1, n/2 + 1, n} {
				err := s.Update(t.Context(), id, fmt.Sprint("k", old), func(m *match.Match) error {
					if m.Earlier == nil || string(m.Earlier.Body) != fmt.Sprint("body ", old) {
						t.Errorf("after roll %d the answer %d is %+v", n, old, m.Earlier)
					}
					return nil
				})
				if err != nil {
					t.Fatal(err)
				}
			}
		}
		inTail[tailEvents(t, path)] = true
	}
	if len(inTail) < 3 || len(inTail) > rolls/2 {
		t.Errorf("the tail had %v events: it does not move", inTail)
	}
	err := stores[0].Update(t.Context(), id, "", func(m *match.Match) error {
		m.State, m.Server = match.Finished, []byte{1}
		return roll(m)
	})
	if err != nil {
		t.Fatal(err)
	}
	if n := tailEvents(t, path); n != -1 {
		t.Errorf("a match that is over has a tail of %d events", n)
	}
}

// tailEvents counts the events in the only tail, -1 if there is none.
func tailEvents(t *testing.T, path string) (n int) {
	t.Helper()
	c, err := sqlite3.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	st, _, err := c.Prepare("SELECT tail FROM match WHERE tail IS NOT NULL")
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	if !st.Step() {
		return -1
	}
	b, err := parseTail(st.ColumnBlob(0, nil))
	if err != nil {
		t.Fatal(err)
	}
	return len(b.events)
}

// A database of the first version, with matches in it, opens and keeps them.
func TestFirstVersion(t *testing.T) {
	path := filepath.Join(t.TempDir(), "veridice.db")
	c, err := sqlite3.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := claim(c); err != nil {
		t.Fatal(err)
	}
	text, err := migrations.ReadFile("migrations/0001_matches.sql")
	if err != nil {
		t.Fatal(err)
	}
	if err := apply(c, 1, "0001_matches.sql", string(text)); err != nil {
		t.Fatal(err)
	}
	err = c.Exec(`
		INSERT INTO match VALUES (x'00000000000000000000000000000001', 'tavli/1', zeroblob(32), x'05', x'07', 'finished', 2, 4, 1, 0, 2, 4, 9, 1000);
		INSERT INTO match VALUES (x'00000000000000000000000000000002', 'tavli/1', zeroblob(32), x'06', NULL, 'open', 0, 0, 0, 0, 0, 1, 0, 2000);
		INSERT INTO seat VALUES (x'00000000000000000000000000000001', 1, zeroblob(32), 'Eleni', 1, 'abc');
		INSERT INTO seat VALUES (x'00000000000000000000000000000002', 1, zeroblob(32), '', 0, '');
		INSERT INTO event VALUES (x'00000000000000000000000000000001', 1, 'opened', 1000, 0, '', 0, 0, '');
		INSERT INTO event VALUES (x'00000000000000000000000000000001', 2, 'rolled', 1001, 1, '', 1, 1, '6-3');
		INSERT INTO event VALUES (x'00000000000000000000000000000001', 3, 'rolled', 1002, 1, '', 2, 1, '1-1');
		INSERT INTO event VALUES (x'00000000000000000000000000000001', 4, 'finished', 1003, 1, '', 0, 0, '');
		INSERT INTO event VALUES (x'00000000000000000000000000000002', 1, 'opened', 2000, 0, '', 0, 0, '');
		INSERT INTO answer VALUES (x'00000000000000000000000000000001', 'k', zeroblob(32), x'7b7d');
		INSERT INTO creation VALUES ('c', x'00000000000000000000000000000002', zeroblob(32), x'08')`)
	if err != nil {
		t.Fatal(err)
	}
	c.Close()
	s, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	want := &match.Match{
		ID: newMatch(1).ID, Scheme: "tavli/1", Kind: "2d6", Sealed: []byte{5}, Server: []byte{7}, State: match.Finished, Rolls: 2, Dice: 4, Game: 1,
		Asked: 2, Events: 4, Version: 9, Created: time.UnixMilli(1000).UTC(), Seats: []match.Seat{{Name: "Eleni", Acknowledged: true, Client: "abc"}},
	}
	got, err := s.Match(t.Context(), want.ID)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(got, want); diff != "" {
		t.Errorf("got - want +:\n%s", diff)
	}
	rolls, err := s.Entries(t.Context(), want.ID)
	if err != nil || len(rolls) != 2 || rolls[0].Dice[1] != 3 || rolls[1].Roll != 2 {
		t.Errorf("got %v, %v", rolls, err)
	}
	if a, err := s.Created(t.Context(), "c"); err != nil || len(a.Body) != 1 {
		t.Errorf("the answer of a creation: %v, %v", a, err)
	}
	err = s.Update(t.Context(), want.ID, "k", func(m *match.Match) error {
		if m.Earlier == nil || string(m.Earlier.Body) != "{}" {
			t.Errorf("the answer of before is %+v", m.Earlier)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Update(t.Context(), newMatch(2).ID, "new", roll); err != nil {
		t.Errorf("a match of before does not go on: %v", err)
	}
	if ids, err := s.Matches(t.Context(), "", 10); err != nil || len(ids) != 2 {
		t.Errorf("got %v, %v", ids, err)
	}
}

// A commit that fails leaves the writer with what is stored, not with what it meant to
// store.
func TestFailedCommit(t *testing.T) {
	s := create(t, filepath.Join(t.TempDir(), "veridice.db"))
	if err := s.Create(t.Context(), newMatch(1)); err != nil {
		t.Fatal(err)
	}
	commits := true
	hook := func(c *conn) error { c.c.CommitHook(func() bool { return commits }); return nil }
	if err := s.submit(t.Context(), hook); err != nil {
		t.Fatal(err)
	}
	for n := range 4 {
		if err := s.Update(t.Context(), newMatch(1).ID, "", roll); err != nil {
			t.Fatal(err)
		}
		commits = false // the writer waits: nobody else reads it
		if err := s.Update(t.Context(), newMatch(1).ID, "", roll); err == nil {
			t.Error("a commit that failed was answered")
		}
		commits = true
		if m, err := s.Match(t.Context(), newMatch(1).ID); err != nil || m.Rolls != uint64(n+1) {
			t.Fatalf("got %+v, %v, want %d rolls", m, err, n+1)
		}
	}
}

// A match of the fifth version, whose tail stood in a table of its own, goes on.
func TestTailOfTheFifthVersion(t *testing.T) {
	path := filepath.Join(t.TempDir(), "veridice.db")
	c, err := sqlite3.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := claim(c); err != nil {
		t.Fatal(err)
	}
	for i, name := range []string{"0001_matches.sql", "0002_protocol.sql", "0003_tree.sql", "0004_ledger.sql", "0005_tail.sql"} {
		text, err := migrations.ReadFile("migrations/" + name)
		if err != nil {
			t.Fatal(err)
		}
		if err := apply(c, i+1, name, string(text)); err != nil {
			t.Fatal(err)
		}
	}
	// Its tail: 'e', number 2, "rolled", 1 s as a varint, seat 1, no name, roll 1, game 1, two dice, no data; 'a', key k, request, {}.
	err = c.Exec(`
		INSERT INTO match VALUES (x'00000000000000000000000000000001', 'tavli/1', '2d6', zeroblob(32), x'05', NULL, 'running', 1, 2, 1, 0, 0, 2, 1, 1000, x'7b7d', 3);
		INSERT INTO seat VALUES (x'00000000000000000000000000000001', 1, zeroblob(32), 'Eleni', 1, 'abc');
		INSERT INTO event VALUES (x'00000000000000000000000000000001', 1, 'opened', 1000, 0, '', 0, 0, '', NULL);
		INSERT INTO tail VALUES (7, x'00000000000000000000000000000001',
			x'650206726f6c6c6564d00f010001010206030061016b` + strings.Repeat("00", 32) + `027b7d')`)
	if err != nil {
		t.Fatal(err)
	}
	c.Close()
	s, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	id := newMatch(1).ID
	m, err := s.Match(t.Context(), id)
	if err != nil || m.State != match.Running || m.Rolls != 1 || m.Events != 2 || m.Seq != 3 || string(m.Play) != "{}" {
		t.Fatalf("got %+v, %v", m, err)
	}
	events, err := s.Events(t.Context(), id, 0, 10)
	want := match.Event{Number: 2, Type: match.Rolled, At: time.UnixMilli(1000).UTC(), Seat: 1, Roll: 1, Game: 1, Dice: []uint32{6, 3}}
	if err != nil || len(events) != 2 {
		t.Fatalf("got %v, %v", events, err)
	}
	if diff := cmp.Diff(events[1], want); diff != "" {
		t.Errorf("got - want +:\n%s", diff)
	}
	err = s.Update(t.Context(), id, "k", func(m *match.Match) error {
		if m.Earlier == nil || string(m.Earlier.Body) != "{}" {
			t.Errorf("the answer of before is %+v", m.Earlier)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Update(t.Context(), id, "new", roll); err != nil {
		t.Errorf("it does not go on: %v", err)
	}
}
