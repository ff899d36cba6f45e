package sqlite

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/ncruces/go-sqlite3"

	"veridice/internal/match"
	"veridice/internal/store/group"
)

func TestChangesComeBack(t *testing.T) {
	events := []match.Event{
		{Number: 1 << 40, Type: match.Rolled, At: time.UnixMilli(-5).UTC(), Seat: 8, Name: "Νίκος", Roll: 7, Game: 3, Dice: []uint32{1, 1<<32 - 1}, Data: []byte{0}},
		{Number: 1<<40 + 1, Type: match.EndAsked, At: time.UnixMilli(0).UTC()},
	}
	answers := []match.Answer{{Key: "k", Request: [32]byte{1, 31: 2}, Body: []byte("{}")}, {Body: []byte{}}}
	var row []byte
	var made []change
	ends := map[int]bool{0: true}
	for i, n := range []group.Change{
		{New: &match.Match{Rolls: 7, Dice: 14, Game: 3, Marked: 1, Asked: 2, Events: 1<<63 - 1, Version: 9, Play: []byte(" {}")}, Events: events, Answers: answers},
		{New: &match.Match{Version: 1}},
		{New: &match.Match{Play: []byte{}}, Answers: answers[1:]},
	} {
		var c change
		row, c = appendChange(row, bytes.Repeat([]byte{byte(' ' + i)}, 16), &n)
		made = append(made, c)
		ends[len(row)] = true
	}
	got, err := parseRow(row)
	if diff := cmp.Diff(got, made, cmp.AllowUnexported(change{}, counters{}), cmpopts.EquateEmpty()); err != nil || diff != "" {
		t.Error(err, diff)
	}
	if want := (counters{7, 14, 3, 1, 2, 1<<63 - 1, 9, []byte(" {}")}); !reflect.DeepEqual(got[0].now, want) || got[1].now.play != nil || got[2].now.play == nil {
		t.Errorf("got %+v", got)
	}
	text := got[0].text
	gotEvents, gotAnswers, err := got[0].parse()
	if diff := cmp.Diff(gotEvents, events) + cmp.Diff(gotAnswers, answers); err != nil || diff != "" {
		t.Error(err, diff)
	}
	for n := range row {
		if cut, err := parseRow(row[:n]); (err == nil) != ends[n] {
			t.Errorf("cut at %d: got %v, %v", n, cut, err)
		}
	}
	for n := range text {
		e, a, err := (&change{text: text[:n]}).parse()
		if err == nil && len(e) == len(events) && len(a) == len(answers) {
			t.Errorf("cut at %d it reads as whole", n)
		}
	}
	for n := range row {
		for _, flip := range []byte{1, 0x80, 0xff} {
			mangled := bytes.Clone(row)
			mangled[n] ^= flip
			changes, _ := parseRow(mangled)
			for i := range changes {
				changes[i].parse() // must end, and without a panic
			}
		}
	}
}

// What moves from the journal to the tables is there all the time, once and in order; a
// second store on the file sees it too, and takes over.
func TestChangesMove(t *testing.T) {
	path := filepath.Join(t.TempDir(), "veridice.db")
	stores := []*Store{create(t, path), create(t, path)}
	if err := stores[0].Create(t.Context(), newMatch(1)); err != nil {
		t.Fatal(err)
	}
	id := newMatch(1).ID
	const rolls = 100
	body := func(n uint64) string { return fmt.Sprint("body ", n, strings.Repeat(" ", maxRecent/10)) }
	inTable := map[int64]bool{}
	for n := uint64(1); n <= rolls; n++ {
		s := stores[n/7%2]
		err := s.Update(t.Context(), id, fmt.Sprint("k", n), func(m *match.Match) error {
			m.Answer = &match.Answer{Key: fmt.Sprint("k", n), Body: []byte(body(n))}
			entries, err := m.Entries()
			if err != nil || uint64(len(entries)) != n-1 || m.Rolls != n-1 {
				t.Errorf("the change of roll %d sees %d of %d rolls, %v", n, len(entries), m.Rolls, err)
			}
			return roll(m)
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range stores {
			if m, err := s.Match(t.Context(), id); err != nil || m.Rolls != n || m.Version != n {
				t.Fatalf("after roll %d: %+v, %v", n, m, err)
			}
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
					if m.Earlier == nil || string(m.Earlier.Body) != body(old) {
						t.Errorf("after roll %d the answer %d is %+v", n, old, m.Earlier)
					}
					return nil
				})
				if err != nil {
					t.Fatal(err)
				}
			}
		}
		inTable[ask(t, path, "SELECT count(*) FROM event")] = true
	}
	if len(inTable) < 3 || len(inTable) > rolls/2 {
		t.Errorf("the table had %v events: they do not move together", inTable)
	}
	err := stores[0].Update(t.Context(), id, "", func(m *match.Match) error {
		m.State, m.Server = match.Finished, []byte{1}
		return roll(m)
	})
	if err != nil {
		t.Fatal(err)
	}
	if n := ask(t, path, "SELECT count(*) FROM event"); n != rolls+2 {
		t.Errorf("of a match that is over, the table has %d events", n)
	}
}

// The journal of many matches is kept short, a little with each commit, while a second
// store reads, and another changes now and then; closing leaves nothing in it that counts.
func TestJournalIsKeptShort(t *testing.T) {
	path := filepath.Join(t.TempDir(), "veridice.db")
	s, other := create(t, path), create(t, path)
	const matches, rounds = 200, 8
	body := strings.Repeat("x", maxRecent/4)
	var all sync.WaitGroup
	for i := range matches {
		if err := s.Create(t.Context(), newMatch(byte(i))); err != nil {
			t.Fatal(err)
		}
	}
	longest := 0
	limit := func(c *conn) error {
		longest = max(longest, s.writer.journal.size)
		return nil
	}
	for round := range rounds {
		for i := range matches {
			by := s
			if i%50 == 49 {
				by = other
			}
			all.Go(func() {
				err := by.Update(context.Background(), newMatch(byte(i)).ID, fmt.Sprint(round), func(m *match.Match) error {
					if m.Rolls != uint64(round) {
						t.Errorf("match %d has %d rolls, want %d", i, m.Rolls, round)
					}
					m.Play = fmt.Append(nil, round)
					m.Answer = &match.Answer{Key: fmt.Sprint(round), Body: []byte(body)}
					return roll(m)
				})
				if err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		if err := s.submit(t.Context(), limit); err != nil {
			t.Fatal(err)
		}
	}
	if longest <= maxJournal/2 || longest > 2*maxJournal {
		t.Errorf("the journal got %d bytes long; it is to have about %d", longest, maxJournal)
	}
	whole := func(s *Store) {
		t.Helper()
		for i := range matches {
			m, err := s.Match(t.Context(), newMatch(byte(i)).ID)
			if err != nil || m.Rolls != rounds || string(m.Play) != fmt.Sprint(rounds-1) {
				t.Fatalf("match %d: %+v, %v", i, m, err)
			}
			if rolls, err := s.Entries(t.Context(), m.ID); err != nil || len(rolls) != rounds {
				t.Fatalf("match %d: %d rolls, %v", i, len(rolls), err)
			}
		}
	}
	whole(s)
	whole(other)
	other.Close()
	whole(s)
	s.Close()
	got := ask(t, path, "SELECT count(*) FROM event")*1e6 + ask(t, path, "SELECT count(key) FROM event")
	if want := int64(matches*(rounds+1)*1e6 + matches*rounds); got != want {
		t.Errorf("a closed store has %d events and answers in its tables, want %d", got, want)
	}
	if rows := ask(t, path, "SELECT count(*) FROM journal"); rows != 1 {
		t.Errorf("a closed store has %d rows in its journal, want the newest", rows)
	}
	again, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	whole(again)
}

// What the tables would refuse is refused at once, and not when it moves; what waits of the
// match is not lost with it.
func TestRefusedChange(t *testing.T) {
	s := create(t, filepath.Join(t.TempDir(), "veridice.db"))
	id := newMatch(1).ID
	if err := errors.Join(s.Create(t.Context(), newMatch(1)), s.Update(t.Context(), id, "", roll)); err != nil {
		t.Fatal(err)
	}
	for name, spoil := range map[string]func(*match.Match){
		"more rolls than dice":   func(m *match.Match) { m.Dice = 0 },
		"more rolls than events": func(m *match.Match) { m.Rolls, m.Dice = m.Rolls+9, m.Dice+18 },
		"more marked than rolls": func(m *match.Match) { m.Marked = m.Rolls + 1 },
	} {
		err := s.Update(t.Context(), id, "", func(m *match.Match) error {
			roll(m)
			spoil(m)
			return nil
		})
		if err == nil {
			t.Errorf("%s: not refused", name)
		}
	}
	if err := s.Update(t.Context(), id, "", roll); err != nil {
		t.Fatal(err)
	}
	if rolls, err := s.Entries(t.Context(), id); err != nil || len(rolls) != 2 || rolls[1].Roll != 2 {
		t.Errorf("got %v, %v, want 2 rolls", rolls, err)
	}
}

// ask gives the number that a query asks a file for.
func ask(t *testing.T, path, query string) int64 {
	t.Helper()
	c, err := sqlite3.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	n, err := integer(c, query)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// reopen fills a database of an earlier version, of so many migrations, and opens it.
func reopen(t *testing.T, migrated int, rows string) *Store {
	t.Helper()
	path := filepath.Join(t.TempDir(), "veridice.db")
	c, err := sqlite3.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := claim(c); err != nil {
		t.Fatal(err)
	}
	files, err := migrations.ReadDir("migrations")
	if err != nil {
		t.Fatal(err)
	}
	for i, f := range files[:migrated] {
		text, err := migrations.ReadFile("migrations/" + f.Name())
		if err != nil {
			t.Fatal(err)
		}
		if err := apply(c, i+1, f.Name(), string(text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(c.Exec(rows), c.Close()); err != nil {
		t.Fatal(err)
	}
	s, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// A database of the first version, with matches in it, opens and keeps them.
func TestFirstVersion(t *testing.T) {
	s := reopen(t, 1, `
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
	// Its tail: 'e', number 2, "rolled", 1 s as a varint, seat 1, no name, roll 1, game 1, two dice, no data; 'a', key k, request, {}.
	s := reopen(t, 5, `
		INSERT INTO match VALUES (x'00000000000000000000000000000001', 'tavli/1', '2d6', zeroblob(32), x'05', NULL, 'running', 1, 2, 1, 0, 0, 2, 1, 1000, x'7b7d', 3);
		INSERT INTO seat VALUES (x'00000000000000000000000000000001', 1, zeroblob(32), 'Eleni', 1, 'abc');
		INSERT INTO event VALUES (x'00000000000000000000000000000001', 1, 'opened', 1000, 0, '', 0, 0, '', NULL);
		INSERT INTO tail VALUES (7, x'00000000000000000000000000000001',
			x'650206726f6c6c6564d00f010001010206030061016b`+strings.Repeat("00", 32)+`027b7d')`)
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
