// Package storetest is the contract that every [match.Store] passes.
package storetest

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"veridice/internal/match"
	"veridice/seed"
)

// An Open opens an empty store for a test and gives a function that opens what
// would be there if the process were killed at this moment.
type Open func(t *testing.T) (s match.Store, reopen func() match.Store)

// Run holds a kind of store to the contract.
func Run(t *testing.T, open Open) {
	for _, c := range []struct {
		name string
		run  func(*testing.T, match.Store, func() match.Store)
	}{
		{"EveryFieldComesBack", everyField},
		{"WhatIsNotThere", notThere},
		{"CreateOnce", createOnce},
		{"ErrorsComeBackAndStoreNothing", rollback},
		{"StaleChangesConflict", conflict},
		{"NothingToStore", nothing},
		{"AnswersAreKept", answers},
		{"OneFailureHurtsNobody", neighbours},
		{"FiftyGoroutines", fifty},
		{"ManyMatches", many},
		{"Pages", pages},
		{"Lists", lists},
		{"NobodySharesMemory", memory},
		{"Hints", hints},
		{"Cancelled", cancelled},
		{"KillAndReopen", kill},
		{"Openings", openings},
		{"Numbers", numbers},
		{"Once", once},
		{"Tree", tree},
		{"Secrets", secrets},
		{"Counts", counts},
		{"Commits", commits},
		{"Closed", closed},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, reopen := open(t)
			c.run(t, s, reopen)
		})
	}
}

var opened = time.Date(2026, 1, 2, 3, 4, 5, 678e6, time.UTC)

// newMatch makes a match of two seats, different for each number.
func newMatch(number int) *match.Match {
	server, err := seed.NewServer([]byte(fmt.Sprintf("a server seed for store tests %03d", number)))
	if err != nil {
		panic(err)
	}
	m := &match.Match{
		ID: fmt.Sprintf("%032x", number+1), Scheme: "tavli/1", Kind: "2d6", Seal: server.Seal(), Sealed: []byte{0, 1, 2, byte(number)},
		State: match.Open, Seats: []match.Seat{{Token: [32]byte{1, byte(number)}}, {Token: [32]byte{2, byte(number)}}}, Events: 1, Created: opened,
		Added:  []match.Event{{Number: 1, Type: match.Opened, At: opened}},
		Answer: &match.Answer{Key: fmt.Sprintf("created-%d", number), Request: [32]byte{9}, Body: []byte{0, 255, byte(number)}},
	}
	return m
}

func create(t *testing.T, s match.Store, number int) *match.Match {
	t.Helper()
	m := newMatch(number)
	if err := s.Create(t.Context(), m); err != nil {
		t.Fatal(err)
	}
	return m
}

// roll appends the next roll, as the service does.
func roll(m *match.Match) {
	m.Rolls++
	m.Dice += 2
	m.Events++
	m.Added = append(m.Added, match.Event{
		Number: m.Events, Type: match.Rolled, At: opened, Seat: 1, Roll: m.Rolls, Game: 1, Dice: []uint32{uint32(m.Rolls%6) + 1, 6},
	})
}

func read(t *testing.T, s match.Store, id string) *match.Match {
	t.Helper()
	m, err := s.Match(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func events(t *testing.T, s match.Store, id string) []match.Event {
	t.Helper()
	e, err := s.Events(t.Context(), id, 0, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func equal(t *testing.T, what string, got, want any) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s: got\n%+v, want\n%+v", what, got, want)
	}
}

func everyField(t *testing.T, s match.Store, _ func() match.Store) {
	m := create(t, s, 0)
	want := m.Clone()
	want.Added, want.Answer = nil, nil
	equal(t, "created", read(t, s, m.ID), want)
	equal(t, "its events", events(t, s, m.ID), m.Added)
	a, err := s.Created(t.Context(), "created-0")
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "its answer", a, m.Answer)

	added := []match.Event{
		{Number: 2, Type: match.Acknowledged, At: opened.Add(time.Hour), Seat: 2, Name: "Νίκος 🎲 '; DROP TABLE match; --"},
		{Number: 3, Type: match.Started, At: opened.Add(-time.Hour), Game: 1}, // a clock may go back
		{Number: 4, Type: match.Rolled, At: opened, Seat: 1, Roll: 1, Game: 1, Dice: []uint32{6, 1}},
		{Number: 5, Type: match.Rolled, At: opened, Seat: 2, Roll: 2, Game: 1, Dice: []uint32{1, 2, 3, 4, 5, 6, 20, 100, 1<<32 - 1}},
		{Number: 6, Type: match.NewGame, At: opened, Seat: 2, Roll: 2, Game: 2},
	}
	err = s.Update(t.Context(), m.ID, "k", func(m *match.Match) error {
		m.State, m.Rolls, m.Dice, m.Game, m.Marked, m.Asked, m.Events = match.Finished, 2, 11, 2, 2, 2, 6
		m.Server = []byte{0, 255, 7}
		m.Seats[1].Name, m.Seats[1].Acknowledged, m.Seats[1].Client = added[0].Name, true, "Il1O0_-"
		m.Added = append(m.Added, added...)
		m.Answer = &match.Answer{Key: "k", Request: [32]byte{31: 1}, Body: []byte("{}")}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	want.State, want.Rolls, want.Dice, want.Game, want.Marked, want.Asked, want.Events, want.Version = match.Finished, 2, 11, 2, 2, 2, 6, 1
	want.Server = []byte{0, 255, 7}
	want.Seats[1].Name, want.Seats[1].Acknowledged, want.Seats[1].Client = added[0].Name, true, "Il1O0_-"
	equal(t, "changed", read(t, s, m.ID), want)
	equal(t, "events", events(t, s, m.ID), append(m.Added, added...))
	rolls, err := s.Entries(t.Context(), m.ID)
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "rolls", rolls, added[2:4])
}

func notThere(t *testing.T, s match.Store, _ func() match.Store) {
	m := create(t, s, 0)
	for _, id := range []string{strings.Repeat("0", 32), strings.Repeat("f", 32), "", "x", m.ID[1:], m.ID + "0", strings.ToUpper(m.ID[:31] + "a"), "' OR 1=1 --"} {
		if _, err := s.Match(t.Context(), id); !errors.Is(err, match.ErrNotFound) {
			t.Errorf("Match(%q): got %v, want %v", id, err, match.ErrNotFound)
		}
		err := s.Update(t.Context(), id, "k", func(*match.Match) error {
			t.Errorf("Update(%q) found a match", id)
			return nil
		})
		if !errors.Is(err, match.ErrNotFound) {
			t.Errorf("Update(%q): got %v, want %v", id, err, match.ErrNotFound)
		}
		if e, err := s.Events(t.Context(), id, 0, 10); err != nil || len(e) != 0 {
			t.Errorf("Events(%q): got %v, %v, want none", id, e, err)
		}
		if e, err := s.Entries(t.Context(), id); err != nil || len(e) != 0 {
			t.Errorf("Rolls(%q): got %v, %v, want none", id, e, err)
		}
	}
	if _, err := s.Created(t.Context(), "created-1"); !errors.Is(err, match.ErrNotFound) {
		t.Errorf("Created: got %v, want %v", err, match.ErrNotFound)
	}
	if u, err := s.Unfinished(t.Context()); err != nil || u.ID != m.ID {
		t.Errorf("Unfinished: got %v, %v, want the match", u, err)
	}
	finish(t, s, m.ID)
	if u, err := s.Unfinished(t.Context()); !errors.Is(err, match.ErrNotFound) {
		t.Errorf("Unfinished: got %v, %v, want %v", u, err, match.ErrNotFound)
	}
	if err := s.Ping(t.Context()); err != nil {
		t.Error(err)
	}
}

func finish(t *testing.T, s match.Store, id string) {
	t.Helper()
	err := s.Update(t.Context(), id, "finish", func(m *match.Match) error {
		m.State, m.Server = match.Finished, []byte("revealed")
		m.Events++
		m.Added = append(m.Added, match.Event{Number: m.Events, Type: match.Ended, At: opened})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func createOnce(t *testing.T, s match.Store, _ func() match.Store) {
	m := create(t, s, 0)
	sameID := newMatch(1)
	sameID.ID = m.ID
	if err := s.Create(t.Context(), sameID); !errors.Is(err, match.ErrConflict) {
		t.Errorf("same id: got %v, want %v", err, match.ErrConflict)
	}
	if _, err := s.Created(t.Context(), "created-1"); !errors.Is(err, match.ErrNotFound) {
		t.Errorf("the refused match left its answer: %v", err)
	}
	sameKey := newMatch(2)
	sameKey.Answer.Key = m.Answer.Key
	if err := s.Create(t.Context(), sameKey); !errors.Is(err, match.ErrConflict) {
		t.Errorf("same key: got %v, want %v", err, match.ErrConflict)
	}
	if _, err := s.Match(t.Context(), sameKey.ID); !errors.Is(err, match.ErrNotFound) {
		t.Errorf("the refused match is there: %v", err)
	}
	equal(t, "the first one's events", events(t, s, m.ID), m.Added)
}

func rollback(t *testing.T, s match.Store, _ func() match.Store) {
	m := create(t, s, 0)
	before := read(t, s, m.ID)
	cause := &match.BehindError{Last: 7}
	for _, want := range []error{match.ErrAlreadySeeded, fmt.Errorf("wrapped: %w", match.ErrNotYourSeat), cause} {
		err := s.Update(t.Context(), m.ID, "k", func(m *match.Match) error {
			roll(m)
			m.Seats[0].Client = "lost"
			m.Answer = &match.Answer{Key: "k", Body: []byte("lost")}
			return want
		})
		if !errors.Is(err, want) {
			t.Errorf("got %v, want %v", err, want)
		}
		var behind *match.BehindError
		if want == error(cause) && (!errors.As(err, &behind) || behind.Last != 7) {
			t.Errorf("got %v, want a BehindError of 7", err)
		}
	}
	equal(t, "match", read(t, s, m.ID), before)
	equal(t, "events", events(t, s, m.ID), m.Added)
	err := s.Update(t.Context(), m.ID, "k", func(m *match.Match) error {
		if m.Earlier != nil {
			t.Errorf("the answer of a refused change is there: %q", m.Earlier.Body)
		}
		roll(m)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := read(t, s, m.ID); got.Rolls != 1 || got.Events != 2 {
		t.Errorf("got roll %d, event %d after refused changes, want 1, 2", got.Rolls, got.Events)
	}
}

func conflict(t *testing.T, s match.Store, _ func() match.Store) {
	m := create(t, s, 0)
	stale := read(t, s, m.ID)
	advance := func(m *match.Match) error { roll(m); return nil }
	if err := s.Update(t.Context(), m.ID, "", advance); err != nil {
		t.Fatal(err)
	}
	err := s.Update(t.Context(), m.ID, "k", func(m *match.Match) error {
		*m = *stale.Clone() // what somebody sees who read too early
		roll(m)
		m.Seats[0].Name = "stale"
		m.Answer = &match.Answer{Key: "k", Body: []byte("stale")}
		return nil
	})
	if !errors.Is(err, match.ErrConflict) {
		t.Errorf("stale version: got %v, want %v", err, match.ErrConflict)
	}
	err = s.Update(t.Context(), m.ID, "", func(m *match.Match) error {
		m.Events--
		roll(m) // under the number of an event that is there
		return nil
	})
	if !errors.Is(err, match.ErrConflict) {
		t.Errorf("event number used before: got %v, want %v", err, match.ErrConflict)
	}
	for _, other := range []uint64{1<<64 - 1, 1} { // one version less, one more
		err = s.Update(t.Context(), m.ID, "", func(m *match.Match) error {
			m.Version += other
			roll(m)
			return nil
		})
		if !errors.Is(err, match.ErrConflict) {
			t.Errorf("another version, everything else right: got %v, want %v", err, match.ErrConflict)
		}
	}
	answer := func(m *match.Match) error {
		roll(m)
		m.Answer = &match.Answer{Key: "twice", Body: []byte("x")}
		return nil
	}
	if err := s.Update(t.Context(), m.ID, "twice", answer); err != nil {
		t.Fatal(err)
	}
	if err := s.Update(t.Context(), m.ID, "twice", answer); !errors.Is(err, match.ErrConflict) {
		t.Errorf("key used before: got %v, want %v", err, match.ErrConflict)
	}
	got := read(t, s, m.ID)
	if got.Rolls != 2 || got.Events != 3 || got.Version != 2 || got.Seats[0].Name != "" {
		t.Errorf("got %+v, want 2 rolls, 3 events, version 2 and no name", got)
	}
	numbered(t, s, m.ID, 2)
}

// numbered fails unless events and rolls are numbered from 1 without a gap.
func numbered(t *testing.T, s match.Store, id string, rolls int) {
	t.Helper()
	next := uint64(1)
	all := events(t, s, id)
	for i, e := range all {
		if e.Number != uint64(i+1) {
			t.Fatalf("event %d has number %d", i+1, e.Number)
		}
		if e.Type == match.Rolled {
			if e.Roll != next {
				t.Fatalf("event %d is roll %d, want %d", e.Number, e.Roll, next)
			}
			next++
		}
	}
	m := read(t, s, id)
	if m.Events != uint64(len(all)) || m.Rolls != next-1 || next-1 != uint64(rolls) {
		t.Errorf("the match has %d events and %d rolls, its list %d and %d; want %d rolls", m.Events, m.Rolls, len(all), next-1, rolls)
	}
}

func nothing(t *testing.T, s match.Store, _ func() match.Store) {
	m := create(t, s, 0)
	err := s.Update(t.Context(), m.ID, "k", func(m *match.Match) error {
		m.Seats[0].Name = "nobody"
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := read(t, s, m.ID); got.Version != 0 || got.Seats[0].Name != "" {
		t.Errorf("got version %d and name %q, want nothing stored", got.Version, got.Seats[0].Name)
	}
}

func answers(t *testing.T, s match.Store, _ func() match.Store) {
	m, other := create(t, s, 0), create(t, s, 1)
	want := match.Answer{Key: "k", Request: [32]byte{5}, Body: []byte(`{"roll":1}`)}
	err := s.Update(t.Context(), m.ID, "k", func(m *match.Match) error {
		answer := want
		m.Answer = &answer
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	look := func(id, key string) (got *match.Answer) {
		err := s.Update(t.Context(), id, key, func(m *match.Match) error { got = m.Earlier; return nil })
		if err != nil {
			t.Error(err)
		}
		return got
	}
	equal(t, "answer", look(m.ID, "k"), &want)
	for _, c := range []struct{ id, key string }{{m.ID, "K"}, {m.ID, ""}, {other.ID, "k"}, {m.ID, "created-0"}} {
		if got := look(c.id, c.key); got != nil {
			t.Errorf("match %s, key %q: got the answer %q of another", c.id, c.key, got.Body)
		}
	}
}

func neighbours(t *testing.T, s match.Store, _ func() match.Store) {
	const n = 60
	for i := range n {
		create(t, s, i)
	}
	var all sync.WaitGroup
	errs := make([]error, n)
	for i := range n {
		all.Go(func() {
			errs[i] = s.Update(context.Background(), newMatch(i).ID, "", func(m *match.Match) error {
				switch i % 3 {
				case 1:
					return match.ErrNoRolls
				case 2:
					m.Events-- // fails in the store
				}
				m.Seats[0].Name = "changed"
				roll(m)
				return nil
			})
		})
	}
	all.Wait()
	for i := range n {
		want := []error{nil, match.ErrNoRolls, match.ErrConflict}[i%3]
		if !errors.Is(errs[i], want) {
			t.Errorf("match %d: got %v, want %v", i, errs[i], want)
		}
		m := read(t, s, newMatch(i).ID)
		if changed := m.Rolls == 1 && m.Seats[0].Name == "changed"; changed != (i%3 == 0) {
			t.Errorf("match %d: got %d rolls, name %q", i, m.Rolls, m.Seats[0].Name)
		}
	}
}

var errBehind = errors.New("another roll fell")

func fifty(t *testing.T, s match.Store, _ func() match.Store) {
	m := create(t, s, 0)
	const goroutines, each = 50, 6
	var all sync.WaitGroup
	var mu sync.Mutex
	fell := map[uint64]int{} // who made which roll
	for range goroutines {
		all.Go(func() {
			for made := 0; made < each; {
				seen, err := s.Match(context.Background(), m.ID)
				if err != nil {
					t.Error(err)
					return
				}
				var number uint64
				err = s.Update(context.Background(), m.ID, "", func(m *match.Match) error {
					if m.Rolls != seen.Rolls {
						return errBehind
					}
					roll(m)
					number = m.Rolls
					return nil
				})
				switch {
				case err == nil:
					made++
					mu.Lock()
					fell[number]++
					mu.Unlock()
				case !errors.Is(err, errBehind) && !errors.Is(err, match.ErrConflict):
					t.Error(err)
					return
				default:
					// Nobody hears of what is not there: the roll that made this
					// one fail must be readable.
					if now, err := s.Match(context.Background(), m.ID); err != nil || now.Rolls <= seen.Rolls {
						t.Errorf("refused after roll %d, but the last is %v, %v", seen.Rolls, now, err)
						return
					}
				}
			}
		})
	}
	all.Wait()
	numbered(t, s, m.ID, goroutines*each)
	for n := range uint64(goroutines * each) {
		if fell[n+1] != 1 {
			t.Errorf("roll %d was made %d times", n+1, fell[n+1])
		}
	}
}

func many(t *testing.T, s match.Store, _ func() match.Store) {
	const matches, rolls = 20, 10
	var all sync.WaitGroup
	for i := range matches {
		create(t, s, i)
		all.Go(func() {
			for range rolls {
				if err := s.Update(context.Background(), newMatch(i).ID, "", func(m *match.Match) error { roll(m); return nil }); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	for i := range matches {
		numbered(t, s, newMatch(i).ID, rolls)
	}
}

func pages(t *testing.T, s match.Store, _ func() match.Store) {
	m := create(t, s, 0)
	err := s.Update(t.Context(), m.ID, "", func(m *match.Match) error {
		for range 9 {
			roll(m)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		after uint64
		limit int
		want  []uint64
	}{
		{0, 3, []uint64{1, 2, 3}}, {3, 3, []uint64{4, 5, 6}}, {8, 3, []uint64{9, 10}}, {9, 1, []uint64{10}}, {10, 3, nil}, {11, 3, nil},
		{1<<53 - 1, 3, nil}, {1<<63 - 1, 3, nil}, {1<<64 - 1, 3, nil},
	} {
		e, err := s.Events(t.Context(), m.ID, c.after, c.limit)
		if err != nil {
			t.Error(err)
		}
		var got []uint64
		for _, e := range e {
			got = append(got, e.Number)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("after %d, at most %d: got %v, want %v", c.after, c.limit, got, c.want)
		}
	}
}

// lists: every match once, in the order of the ids, whatever the size of a page.
func lists(t *testing.T, s match.Store, _ func() match.Store) {
	const n = 7
	var want []string
	for i := range n {
		want = append(want, create(t, s, i).ID)
	}
	for _, size := range []int{1, 3, n, n + 1} {
		var got []string
		for after := ""; ; {
			ids, err := s.Matches(t.Context(), after, size)
			if err != nil {
				t.Fatal(err)
			}
			if got = append(got, ids...); len(ids) < size {
				break
			}
			after = got[len(got)-1]
		}
		equal(t, fmt.Sprint("pages of ", size), got, want)
	}
}

func memory(t *testing.T, s match.Store, _ func() match.Store) {
	m := create(t, s, 0)
	m.Seats[0].Name, m.Sealed[0] = "changed later", 99
	var kept *match.Match
	if err := s.Update(t.Context(), m.ID, "", func(m *match.Match) error { kept = m; roll(m); return nil }); err != nil {
		t.Fatal(err)
	}
	kept.Rolls, kept.Seats[1].Name = 77, "changed later"
	got := read(t, s, m.ID)
	if got.Rolls != 1 || got.Seats[0].Name != "" || got.Seats[1].Name != "" || got.Sealed[0] != 0 {
		t.Errorf("what is stored changed without a store: %+v", got)
	}
	got.Seats[0].Name = "changed by a reader"
	if again := read(t, s, m.ID); again.Seats[0].Name != "" {
		t.Error("a reader changed what is stored")
	}
}

func hints(t *testing.T, s match.Store, _ func() match.Store) {
	m := create(t, s, 0)
	hint, stop := s.Watch(m.ID)
	if err := s.Update(t.Context(), m.ID, "", func(m *match.Match) error { roll(m); return nil }); err != nil {
		t.Fatal(err)
	}
	select {
	case <-hint:
	case <-time.After(time.Minute):
		t.Fatal("no hint")
	}
	stop()
	stop() // harmless
	if err := s.Update(t.Context(), m.ID, "", func(m *match.Match) error { roll(m); return nil }); err != nil {
		t.Fatal(err)
	}
	select {
	case <-hint:
		t.Error("a hint after the end of the watch")
	default:
	}
}

func cancelled(t *testing.T, s match.Store, _ func() match.Store) {
	m := create(t, s, 0)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	err := s.Update(ctx, m.ID, "", func(m *match.Match) error { roll(m); return nil })
	if got := read(t, s, m.ID); (err == nil) != (got.Rolls == 1) {
		t.Errorf("a cancelled change gave %v, and there are %d rolls", err, got.Rolls)
	}
	ctx, cancel = context.WithCancel(t.Context())
	err = s.Update(ctx, m.ID, "", func(m *match.Match) error { cancel(); roll(m); return nil })
	if got := read(t, s, m.ID); err == nil && got.Rolls == 0 {
		t.Errorf("a change that was answered is not there")
	}
}

func kill(t *testing.T, s match.Store, reopen func() match.Store) {
	m := create(t, s, 0)
	for i := range 20 {
		err := s.Update(t.Context(), m.ID, "", func(m *match.Match) error {
			roll(m)
			m.Answer = &match.Answer{Key: fmt.Sprint("k", i), Body: fmt.Append(nil, "body ", i)}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	want, wantEvents := read(t, s, m.ID), events(t, s, m.ID)
	for range 2 { // twice in a row
		s = reopen()
		equal(t, "match after the kill", read(t, s, m.ID), want)
		equal(t, "events after the kill", events(t, s, m.ID), wantEvents)
		a, err := s.Created(t.Context(), "created-0")
		if err != nil {
			t.Fatal(err)
		}
		equal(t, "answer of creation after the kill", a, newMatch(0).Answer)
		err = s.Update(t.Context(), m.ID, "k19", func(m *match.Match) error {
			if m.Earlier == nil || string(m.Earlier.Body) != "body 19" {
				t.Errorf("answer after the kill: got %+v", m.Earlier)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Update(t.Context(), m.ID, "", func(m *match.Match) error { roll(m); return nil }); err != nil {
		t.Fatal(err)
	}
	numbered(t, s, m.ID, 21)
}

func closed(t *testing.T, s match.Store, _ func() match.Store) {
	m := create(t, s, 0)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	ctx := t.Context()
	for name, err := range map[string]error{
		"Create":     s.Create(ctx, newMatch(1)),
		"Update":     s.Update(ctx, m.ID, "", func(m *match.Match) error { roll(m); return nil }),
		"Match":      second(s.Match(ctx, m.ID)),
		"Created":    second(s.Created(ctx, "created-0")),
		"Unfinished": second(s.Unfinished(ctx)),
		"Matches":    second(s.Matches(ctx, "", 1)),
		"Events":     second(s.Events(ctx, m.ID, 0, 1)),
		"Entries":    second(s.Entries(ctx, m.ID)),
		"Log":        second(s.Log(ctx, 0, 1)),
		"Once":       second(s.Once(ctx, "a", nil)),
		"Tree":       second(s.Tree(ctx)),
		"Grow":       s.Grow(ctx, match.Tree{Version: 1}, nil),
		"Hashes":     second(s.Hashes(ctx, []int64{0})),
		"Counts":     second(s.Counts(ctx)),
		"Secrets":    second(s.Secrets(ctx, match.OfMatches, "", 1)),
		"Reseal":     second(s.Reseal(ctx, match.OfOnce, []match.Secret{{Name: "a", New: []byte("b")}})),
		"Ping":       s.Ping(ctx),
	} {
		if err == nil || errors.Is(err, match.ErrNotFound) {
			t.Errorf("%s on a closed store: got %v, want its own error", name, err)
		}
	}
}

// newPlay makes a match of veridice/1.
func newPlay(number int) *match.Match {
	m := newMatch(number)
	m.Scheme, m.Play = "veridice/1", []byte(`{"terms":"é"}`)
	m.Added[0].Data = []byte(`{"a":"\n"}`)
	return m
}

// openings: the log gets its texts in the transaction of the change, in order and
// without gaps, and a change reads the entries of its own match.
func openings(t *testing.T, s match.Store, _ func() match.Store) {
	log := func() (texts []string) {
		t.Helper()
		for from := uint64(0); ; from += 2 {
			entries, err := s.Log(t.Context(), from, 2)
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range entries {
				texts = append(texts, string(e))
			}
			if len(entries) < 2 {
				return texts
			}
		}
	}
	a, b := newPlay(0), newPlay(1)
	for _, m := range []*match.Match{a, b} {
		if err := s.Create(t.Context(), m); err != nil {
			t.Fatal(err)
		}
	}
	equal(t, "an empty log", log(), []string(nil))
	want := a.Clone()
	want.Added, want.Answer = nil, nil
	equal(t, "created", read(t, s, a.ID), want)
	equal(t, "its event", events(t, s, a.ID), a.Added)

	logged := func(m *match.Match, key string, fail error, texts ...string) (index uint64) {
		t.Helper()
		err := s.Update(t.Context(), m.ID, key, func(m *match.Match) error {
			next, err := m.Next()
			if err != nil {
				return err
			}
			index = next.Index
			for _, text := range texts {
				m.Logged = append(m.Logged, []byte(text))
			}
			m.Play = []byte(`{"index":` + fmt.Sprint(index) + `}`)
			m.Events++
			m.Added = []match.Event{{Number: m.Events, Type: match.Moved, At: opened, Seat: 2, Game: 1, Data: []byte(`{"move":"game"}`)}}
			return fail
		})
		if !errors.Is(err, fail) {
			t.Fatalf("got %v, want %v", err, fail)
		}
		return index
	}
	equal(t, "first index", logged(a, "1", nil, "one\n"), uint64(0))
	refused := errors.New("refused")
	equal(t, "index of a change that fails", logged(b, "2", refused, "never\n"), uint64(1))
	equal(t, "second index", logged(b, "3", nil, "two\n", "three \x00\n"), uint64(1))
	equal(t, "third index", logged(a, "4", nil, "four\n"), uint64(3))
	equal(t, "the log", log(), []string{"one\n", "two\n", "three \x00\n", "four\n"})
	equal(t, "the state", string(read(t, s, a.ID).Play), `{"index":3}`)

	var seen []match.Event
	err := s.Update(t.Context(), a.ID, "5", func(m *match.Match) (err error) {
		roll(m)
		m.Added[0].Data = []byte("{}")
		seen, err = m.Entries()
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	entries, err := s.Entries(t.Context(), a.ID)
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "entries that the change saw", seen, entries[:2])
	equal(t, "entries", entries, events(t, s, a.ID)[1:])
}

// numbers: each number of an opening is taken once, those given back first.
func numbers(t *testing.T, s match.Store, _ func() match.Store) {
	take := func(number int, seq uint64) error {
		return s.Update(t.Context(), newPlay(number).ID, fmt.Sprintf("take %d %d", number, seq), func(m *match.Match) error {
			next, err := m.Next()
			if err != nil {
				return err
			}
			m.Seq = next.Seq
			if seq > 0 {
				m.Seq = seq
			}
			roll(m)
			return nil
		})
	}
	back := func(number int) {
		t.Helper()
		err := s.Update(t.Context(), newPlay(number).ID, "back", func(m *match.Match) error {
			m.Seq, m.State = 0, match.Aborted
			roll(m)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for number := range 6 {
		if err := s.Create(t.Context(), newPlay(number)); err != nil {
			t.Fatal(err)
		}
	}
	var taken sync.WaitGroup
	for number := range 4 {
		taken.Go(func() {
			var err error
			for range 100 {
				if err = take(number, 0); !errors.Is(err, match.ErrConflict) {
					break
				}
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
	taken.Wait()
	holder := map[uint64]int{}
	for number := range 4 {
		holder[read(t, s, newPlay(number).ID).Seq] = number
	}
	for seq := uint64(1); seq <= 4; seq++ {
		if _, ok := holder[seq]; !ok {
			t.Fatalf("number %d was given to nobody: %v", seq, holder)
		}
	}
	if err := take(4, 3); !errors.Is(err, match.ErrConflict) {
		t.Errorf("a number that is taken: got %v, want %v", err, match.ErrConflict)
	}
	if err := take(4, 7); !errors.Is(err, match.ErrConflict) {
		t.Errorf("a number that is not due: got %v, want %v", err, match.ErrConflict)
	}
	equal(t, "after conflicts", read(t, s, newPlay(4).ID).Seq, uint64(0))
	back(holder[3])
	back(holder[2])
	for number, want := range map[int]uint64{4: 2} {
		if err := take(number, 0); err != nil {
			t.Fatal(err)
		}
		equal(t, "a number that was given back", read(t, s, newPlay(number).ID).Seq, want)
	}
	if err := take(5, 0); err != nil {
		t.Fatal(err)
	}
	equal(t, "the other one", read(t, s, newPlay(5).ID).Seq, uint64(3))
	if err := s.Create(t.Context(), newPlay(6)); err != nil {
		t.Fatal(err)
	}
	if err := take(6, 0); err != nil {
		t.Fatal(err)
	}
	equal(t, "a new one", read(t, s, newPlay(6).ID).Seq, uint64(5))
}

// once: the first value stays, whoever else comes.
func once(t *testing.T, s match.Store, reopen func() match.Store) {
	for _, c := range []struct{ name, value, want string }{{"a", "1\x00", "1\x00"}, {"b", "2", "2"}, {"a", "3", "1\x00"}} {
		got, err := s.Once(t.Context(), c.name, []byte(c.value))
		if err != nil {
			t.Fatal(err)
		}
		equal(t, c.name, string(got), c.want)
	}
	if reopen == nil {
		return
	}
	got, err := reopen().Once(t.Context(), "a", []byte("4"))
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "after a crash", string(got), "1\x00")
}

// tree: the published log grows by one version at a time, with its hashes.
func tree(t *testing.T, s match.Store, reopen func() match.Store) {
	state := func(s match.Store) match.Tree {
		t.Helper()
		tree, err := s.Tree(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return tree
	}
	if got := state(s); got.Version != 0 || got.Size != 0 || len(got.Shown) != 0 {
		t.Errorf("before the first time: %+v", got)
	}
	first := match.Tree{Version: 1, Size: 2, Checkpoint: []byte("two\x00"), Shown: []byte("one"), ShownSize: 1}
	if err := s.Grow(t.Context(), first, [][32]byte{{1}, {2}, {31: 3}}); err != nil {
		t.Fatal(err)
	}
	equal(t, "first", state(s), first)
	for _, version := range []uint64{1, 3, 0} {
		stale := first
		stale.Version = version
		if err := s.Grow(t.Context(), stale, [][32]byte{{9}}); !errors.Is(err, match.ErrConflict) {
			t.Errorf("version %d after 1: got %v, want %v", version, err, match.ErrConflict)
		}
	}
	second := match.Tree{Version: 2, Size: 3, Checkpoint: []byte("three"), Shown: []byte("three"), ShownSize: 3, Receipted: 1}
	if err := s.Grow(t.Context(), second, [][32]byte{{4}}); err != nil {
		t.Fatal(err)
	}
	if reopen != nil {
		s = reopen()
	}
	equal(t, "second", state(s), second)
	hashes, err := s.Hashes(t.Context(), []int64{3, 0, 2})
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "hashes", hashes, [][32]byte{{4}, {1}, {31: 3}})
	for _, n := range []int64{4, -1} {
		if _, err := s.Hashes(t.Context(), []int64{0, n}); !errors.Is(err, match.ErrNotFound) {
			t.Errorf("hash %d: got %v, want %v", n, err, match.ErrNotFound)
		}
	}
}

func second[T any](_ T, err error) error { return err }
