package postgres

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"veridice/internal/match"
	"veridice/internal/needs"
	"veridice/internal/store/group"
	"veridice/internal/store/memory"
)

var errAgain = errors.New("no")

// answered is a roll that is answered under a key, once.
func answered(key string) func(*match.Match) error {
	return func(m *match.Match) error {
		if m.Earlier != nil {
			return nil
		}
		m.Answer = &match.Answer{Key: key, Body: fmt.Append(nil, m.Rolls+1)}
		return roll(m)
	}
}

// A process that alone changes a match does not read it; whatever it does not change, it
// reads. A row with seats that cannot be read tells which.
func unread(t *testing.T, p *needs.PostgresServer) {
	address := database(t, p)
	a, b := connect(t, address), connect(t, address)
	c, id := conn(t, address), newMatch(1).ID
	if err := a.Create(t.Context(), newMatch(1)); err != nil {
		t.Fatal(err)
	}
	keys := 0
	rolls := func(s *Store, reads bool) {
		t.Helper()
		exec(t, c, "UPDATE match SET seats = 'x' || seats")
		keys++
		key := fmt.Sprint("k", keys)
		err := s.Update(t.Context(), id, key, answered(key))
		if (err != nil) != reads {
			t.Errorf("roll %d: got %v", keys, err)
		}
		exec(t, c, "UPDATE match SET seats = substr(seats, 2)")
		if reads {
			err = s.Update(t.Context(), id, key, answered(key))
		}
		if err != nil {
			t.Error(err)
		}
		if m, err := b.Match(t.Context(), id); err != nil || m.Rolls != uint64(keys) || m.Version != m.Rolls || m.Events != m.Rolls+1 || m.Dice != 2*m.Rolls {
			t.Errorf("after roll %d: got %+v, %v", keys, m, err)
		}
	}
	rolls(a, false) // it made the match
	rolls(a, false)
	rolls(b, true)
	rolls(b, true) // the one before it was not its own
	rolls(b, false)
	rolls(a, true)
	rolls(a, true)
	rolls(a, false)

	// What changes nothing is decided on what is stored.
	refused := func(s *Store, key string, change func(*match.Match) error, want error) {
		t.Helper()
		exec(t, c, "UPDATE match SET seats = 'x' || seats")
		if err := s.Update(t.Context(), id, key, change); err == nil || errors.Is(err, errAgain) {
			t.Errorf("under %s on a row that cannot be read: got %v", key, err)
		}
		exec(t, c, "UPDATE match SET seats = substr(seats, 2)")
		if err := s.Update(t.Context(), id, key, change); !errors.Is(err, want) {
			t.Errorf("under %s: got %v, want %v", key, err, want)
		}
	}
	refused(a, "n", func(*match.Match) error { return errAgain }, errAgain)
	refused(a, "n", func(*match.Match) error { return nil }, nil)
	refused(a, "k3", func(m *match.Match) error {
		if m.Earlier == nil || string(m.Earlier.Body) != "3" {
			return errAgain
		}
		return nil
	}, nil)
	// So is a key that was used, whatever the change makes of it.
	refused(a, "k3", func(m *match.Match) error {
		m.Answer = &match.Answer{Key: "k3", Body: []byte{}}
		return roll(m)
	}, match.ErrConflict)
	refused(a, "k3", answered("k3"), nil)
	rolls(a, false) // and none of it made it forget

	// What needs more than the counters is read.
	refused(a, "s", func(m *match.Match) error {
		m.Answer, m.Game = &match.Answer{Key: "s", Body: []byte{}}, m.Game+1
		return roll(m)
	}, nil)
	keys++

	// A secret that another process encrypted anew is seen when the old one does not serve.
	replaced, err := b.Reseal(t.Context(), match.OfMatches, []match.Secret{{Name: id, Sealed: []byte{1}, New: []byte{2}}})
	if err != nil || replaced != 1 {
		t.Fatalf("%d, %v", replaced, err)
	}
	err = a.Update(t.Context(), id, "r", func(m *match.Match) error {
		if m.Sealed[0] != 2 {
			return errAgain
		}
		return answered("r")(m)
	})
	if err != nil {
		t.Error(err)
	}
	keys++

	// A connection that ended costs nobody an answer.
	rolls(a, false)
	exec(t, c, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()")
	keys++
	if err := a.Update(t.Context(), id, "ended", answered("ended")); err != nil {
		t.Error(err)
	}
	rolls(a, true) // another server may be there now
}

// A writer does not remember without end, nor what is over.
func TestOwn(t *testing.T) {
	o := make(own)
	for n := range maxOwn + 5 {
		o.wrote([]*group.Change{{New: newMatch(n)}})
	}
	if last := newMatch(maxOwn + 4).ID; len(o) != maxOwn || o[last].match == nil {
		t.Errorf("remembers %d matches, want %d, and the last", len(o), maxOwn)
	}
	o = make(own)
	for _, state := range []match.State{match.Running, match.Finished, match.Running, match.Aborted} {
		m := newMatch(1)
		m.State = state
		o.wrote([]*group.Change{{New: m}})
		if want := state == match.Running; (len(o) == 1) != want {
			t.Errorf("%s: remembers %d", state, len(o))
		}
	}
}

// Two processes, in any order, do what one store without a memory does.
func likeMemory(t *testing.T, p *needs.PostgresServer) {
	address := database(t, p)
	stores, want := []match.Store{connect(t, address), connect(t, address)}, match.Store(memory.New())
	r := rand.New(rand.NewPCG(1, 2))
	const matches = 3
	for n := range matches {
		if err := errors.Join(stores[n%2].Create(t.Context(), newMatch(n)), want.Create(t.Context(), newMatch(n))); err != nil {
			t.Fatal(err)
		}
	}
	for step := range 600 {
		id, by := newMatch(r.IntN(matches)).ID, stores[0]
		if r.IntN(4) == 0 {
			by = stores[1]
		}
		key := fmt.Sprint("k", r.IntN(step+5)) // often one that was used
		kind, seen := r.IntN(12), [2]string{}
		change := func(i int) func(*match.Match) error {
			return func(m *match.Match) error {
				seen[i] = fmt.Sprintf("%d %d %d %v", m.Version, m.Rolls, m.Game, m.Earlier)
				switch kind {
				case 0:
					return errAgain
				case 1:
					return nil
				case 2: // an answer alone
					m.Answer = &match.Answer{Key: key, Body: []byte{}}
					return nil
				case 3: // no answer
					return roll(m)
				case 4: // two events
					return errors.Join(answered(key)(m), roll(m))
				case 5: // under another key, which it does not look for
					return answered(key + "'")(m)
				case 6:
					m.Game++
					return answered(key)(m)
				case 7:
					m.Answer = &match.Answer{Key: key, Body: []byte{7}}
					return roll(m)
				}
				return answered(key)(m)
			}
		}
		got, expected := by.Update(t.Context(), id, key, change(0)), want.Update(t.Context(), id, key, change(1))
		if !errors.Is(got, expected) || seen[0] != seen[1] {
			t.Fatalf("step %d, kind %d: got %v after %s, want %v after %s", step, kind, got, seen[0], expected, seen[1])
		}
	}
	for n := range matches {
		id := newMatch(n).ID
		got, err := stores[1].Match(t.Context(), id)
		expected, failed := want.Match(t.Context(), id)
		events, err2 := stores[0].Events(t.Context(), id, 0, 1<<20)
		others, failed2 := want.Events(t.Context(), id, 0, 1<<20)
		if err := errors.Join(err, failed, err2, failed2); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]any{got, events}, []any{expected, others}, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("match %d: got - want +:\n%s", n, diff)
		}
	}
}
