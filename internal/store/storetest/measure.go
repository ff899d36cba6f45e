package storetest

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"veridice/internal/match"
)

// counts: matches that are over are none, whatever their scheme.
func counts(t *testing.T, s match.Store, _ func() match.Store) {
	got := func() []match.Count {
		t.Helper()
		c, err := s.Counts(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		slices.SortFunc(c, func(a, b match.Count) int {
			return cmp.Or(cmp.Compare(a.Scheme, b.Scheme), cmp.Compare(a.State, b.State))
		})
		return c
	}
	if c := got(); len(c) != 0 {
		t.Errorf("of no matches: %+v", c)
	}
	for i, m := range []struct {
		scheme string
		state  match.State
		hours  int
	}{
		{"tavli/1", match.Open, 3}, {"tavli/1", match.Open, 2}, {"tavli/1", match.Open, 5}, {"tavli/1", match.Running, 1},
		{"veridice/1", match.Running, 7}, {"veridice/1", match.Running, 8}, {"tavli/1", match.Finished, 0}, {"yayay/1", match.Aborted, 0},
	} {
		n := newMatch(i)
		n.Scheme, n.Created = m.scheme, opened.Add(time.Duration(m.hours)*time.Hour)
		if err := s.Create(t.Context(), n); err != nil {
			t.Fatal(err)
		}
		if m.state == match.Open {
			continue
		}
		err := s.Update(t.Context(), n.ID, "", func(n *match.Match) error { n.State = m.state; roll(n); return nil })
		if err != nil {
			t.Fatal(err)
		}
	}
	equal(t, "counts", got(), []match.Count{
		{Scheme: "tavli/1", State: match.Open, Matches: 3, Oldest: opened.Add(2 * time.Hour)},
		{Scheme: "tavli/1", State: match.Running, Matches: 1, Oldest: opened.Add(time.Hour)},
		{Scheme: "veridice/1", State: match.Running, Matches: 2, Oldest: opened.Add(7 * time.Hour)},
	})
}

// commits: each change is in one commit, also one that is refused, and its caller hears
// of it after whoever measures.
func commits(t *testing.T, s match.Store, _ func() match.Store) {
	const n = 20
	for i := range n {
		create(t, s, i) // nobody measures yet
	}
	var mu sync.Mutex
	sum, most := 0, time.Duration(0)
	s.Observe(func(changes int, took time.Duration) {
		mu.Lock()
		defer mu.Unlock()
		if changes < 1 || took < 0 {
			t.Errorf("a commit of %d changes in %v", changes, took)
		}
		sum, most = sum+changes, max(most, took)
	})
	create(t, s, n)
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() {
			err := s.Update(context.Background(), newMatch(i).ID, "", func(m *match.Match) error {
				if i == 0 {
					return errBehind
				}
				roll(m)
				return nil
			})
			if err != nil && !errors.Is(err, errBehind) {
				t.Error(err)
			}
		})
	}
	all.Wait()
	mu.Lock()
	defer mu.Unlock()
	if sum != n+1 || most <= 0 {
		t.Errorf("told of %d changes, the longest commit took %v; want %d", sum, most, n+1)
	}
}
