package storetest

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"veridice/internal/match"
)

// listed reads all of a place, a few at a time, as name and value.
func listed(t *testing.T, s match.Store, place match.Place, limit int) map[string]string {
	t.Helper()
	all := map[string]string{}
	for after := ""; ; {
		list, err := s.Secrets(t.Context(), place, after, limit)
		if err != nil {
			t.Fatal(err)
		}
		if len(list) > limit {
			t.Fatalf("%d secrets, want at most %d", len(list), limit)
		}
		for _, x := range list {
			if _, again := all[x.Name]; again {
				t.Fatalf("%s came twice", x.Name)
			}
			if (x.Scheme == "tavli/1") != (place == match.OfMatches) || x.New != nil {
				t.Errorf("got %+v", x)
			}
			all[x.Name] = string(x.Sealed)
			after = x.Name
		}
		if len(list) < limit {
			return all
		}
	}
}

// secrets: what is encrypted is listed, and replaced where it still is what was read.
func secrets(t *testing.T, s match.Store, reopen func() match.Store) {
	reseal := func(place match.Place, want int, list ...match.Secret) {
		t.Helper()
		n, err := s.Reseal(t.Context(), place, list)
		if err != nil {
			t.Fatal(err)
		}
		equal(t, fmt.Sprint("replaced at ", place), n, want)
	}
	for _, place := range []match.Place{match.OfMatches, match.OfCreations, match.OfOnce} {
		equal(t, "of an empty store", listed(t, s, place, 2), map[string]string{})
		reseal(place, 0)
	}
	matches, creations := map[string]string{}, map[string]string{}
	for number := range 5 {
		m := create(t, s, number)
		matches[m.ID], creations[m.Answer.Key] = string(m.Sealed), string(m.Answer.Body)
	}
	own := map[string]string{"a": "1\x00", "é": "2", "b c": "3"}
	for name, value := range own {
		if _, err := s.Once(t.Context(), name, []byte(value)); err != nil {
			t.Fatal(err)
		}
	}
	check := func(s match.Store) {
		t.Helper()
		for _, limit := range []int{1, 2, 5, 100} {
			equal(t, "matches", listed(t, s, match.OfMatches, limit), matches)
			equal(t, "creations", listed(t, s, match.OfCreations, limit), creations)
			equal(t, "once", listed(t, s, match.OfOnce, limit), own)
		}
	}
	check(s)

	one, two, over := newMatch(1).ID, newMatch(2).ID, newMatch(3).ID
	finish(t, s, over)
	err := s.Update(t.Context(), one, "k", func(m *match.Match) error { roll(m); return nil })
	if err != nil {
		t.Fatal(err)
	}
	before := read(t, s, one)
	reseal(match.OfMatches, 2,
		match.Secret{Name: one, Sealed: []byte(matches[one]), New: []byte("new 1")},
		match.Secret{Name: two, Sealed: []byte("what it is not"), New: []byte("new 2")},
		match.Secret{Name: over, Sealed: []byte(matches[over]), New: []byte("new 3")},
		match.Secret{Name: strings.Repeat("f", 32), Sealed: []byte("?"), New: []byte("!")},
		match.Secret{Name: "no id", Sealed: []byte("?"), New: []byte("!")},
	)
	matches[one], matches[over] = "new 1", "new 3"
	reseal(match.OfCreations, 1,
		match.Secret{Name: "created-4", Sealed: []byte(creations["created-4"]), New: []byte("new 4")},
		match.Secret{Name: "created-2", Sealed: []byte(creations["created-3"]), New: []byte("new 2")},
		match.Secret{Name: "created-9", Sealed: []byte("?"), New: []byte("!")},
	)
	creations["created-4"] = "new 4"
	reseal(match.OfOnce, 1,
		match.Secret{Name: "é", Sealed: []byte("2"), New: []byte("new\x00")},
		match.Secret{Name: "e", Sealed: []byte("2"), New: []byte("!")},
	)
	own["é"] = "new\x00"
	check(s)
	if reopen != nil {
		check(reopen())
	}

	// Everybody reads the new ones, also a change of a match that the store remembers,
	// and nothing else is another.
	err = s.Update(t.Context(), one, "k2", func(m *match.Match) error {
		equal(t, "what a change sees", string(m.Sealed), "new 1")
		roll(m)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	after := read(t, s, one)
	equal(t, "its version", after.Version, before.Version+1)
	equal(t, "its rolls", after.Rolls, before.Rolls+1)
	equal(t, "its secret", string(after.Sealed), "new 1")
	a, err := s.Created(t.Context(), "created-4")
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "an answer", a, &match.Answer{Key: "created-4", Request: [32]byte{9}, Body: []byte("new 4")})
	kept, err := s.Once(t.Context(), "é", []byte("another"))
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "a key", string(kept), "new\x00")

	// Of two that replace the same, one does; and nobody who plays loses a roll.
	var all sync.WaitGroup
	var mu sync.Mutex
	replaced := 0
	for n := range 4 {
		all.Go(func() {
			got, err := s.Reseal(t.Context(), match.OfMatches, []match.Secret{
				{Name: two, Sealed: []byte(matches[two]), New: fmt.Append(nil, "by ", n)}, {Name: one, Sealed: []byte("new 1"), New: fmt.Append(nil, "by ", n)},
			})
			if err != nil {
				t.Error(err)
			}
			mu.Lock()
			defer mu.Unlock()
			replaced += got
		})
		all.Go(func() {
			for range 5 {
				if err := s.Update(t.Context(), two, fmt.Sprint("k", n), func(m *match.Match) error { roll(m); return nil }); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	equal(t, "replaced at once", replaced, 2)
	now := read(t, s, two)
	equal(t, "rolls meanwhile", now.Rolls, uint64(20))
	if got := string(now.Sealed); !strings.HasPrefix(got, "by ") || got != string(read(t, s, one).Sealed) {
		t.Errorf("the secrets are %q and %q, want both of one", got, read(t, s, one).Sealed)
	}
}
