// Package ledgertest is the contract that every [ledger.Store] passes.
package ledgertest

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"testing"

	"veridice/internal/ledger"
	"veridice/internal/match"
)

// An Open opens an empty store for a test and gives a function that opens what would be
// there if the process were killed at this moment. Where a store has several processes,
// it is another of them.
type Open func(t *testing.T) (s ledger.Store, reopen func() ledger.Store)

// Run holds a kind of store to the contract.
func Run(t *testing.T, open Open) {
	for _, c := range []struct {
		name string
		run  func(*testing.T, ledger.Store, func() ledger.Store)
	}{
		{"EverythingComesBack", everything},
		{"WhatIsNotThere", notThere},
		{"ErrorsComeBackAndStoreNothing", rollback},
		{"NothingToStore", nothing},
		{"ConflictsStoreNothing", conflicts},
		{"Order", order},
		{"Pages", pages},
		{"NobodySharesMemory", memory},
		{"NobodyIsSooner", concurrent},
		{"Answers", answers},
		{"Cancelled", cancelled},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, reopen := open(t)
			c.run(t, s, reopen)
		})
	}
}

func amend(t *testing.T, s ledger.Store, kind, name, key string, change func(*ledger.Book)) {
	t.Helper()
	err := s.Amend(t.Context(), kind, name, key, func(b *ledger.Book) error {
		change(b)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func equal(t *testing.T, what string, got, want any) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s: got\n%+v, want\n%+v", what, got, want)
	}
}

func book(t *testing.T, s ledger.Store, kind, name string) *ledger.Book {
	t.Helper()
	b, err := s.Book(t.Context(), kind, name)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func lines(t *testing.T, s ledger.Store, kind, name, shelf string, after uint64, limit int) []ledger.Line {
	t.Helper()
	l, err := s.Lines(t.Context(), kind, name, shelf, after, limit)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func news(t *testing.T, s ledger.Store, after uint64, limit int) []ledger.News {
	t.Helper()
	n, err := s.News(t.Context(), after, limit)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

const strange = `{"text":"Νίκος 🎲 '; DROP TABLE book; -- \u0000"}`

func everything(t *testing.T, s ledger.Store, reopen func() ledger.Store) {
	amend(t, s, "k", "n", "one", func(b *ledger.Book) {
		if b.Version != 0 || len(b.State) != 0 || b.Earlier != nil || b.Kind != "k" || b.Name != "n" {
			t.Errorf("a new book is %+v", b)
		}
		b.State = []byte(strange)
		b.Lines = []ledger.Line{{Shelf: "a", Number: 1, Text: []byte(strange)}, {Shelf: "a", Number: 2, Text: []byte("2")}, {Shelf: "b", Number: 7, Text: []byte("b")}}
		b.News = [][]byte{[]byte(strange), []byte("{}")}
		b.Answer = &match.Answer{Key: "one", Request: [32]byte{9}, Body: []byte{0, 255}}
	})
	amend(t, s, "k", "n", "two", func(b *ledger.Book) {
		if b.Version != 1 || string(b.State) != strange || b.Earlier != nil {
			t.Errorf("the book is %+v", b)
		}
		b.State = []byte("{}")
		b.News = [][]byte{[]byte("3")}
		b.Answer = &match.Answer{Key: "two"} // without a body
	})
	for _, s := range []ledger.Store{s, reopen()} {
		equal(t, "the book", book(t, s, "k", "n"), &ledger.Book{Kind: "k", Name: "n", Version: 2, State: []byte("{}")})
		equal(t, "a shelf", lines(t, s, "k", "n", "a", 0, 10), []ledger.Line{{Shelf: "a", Number: 1, Text: []byte(strange)}, {Shelf: "a", Number: 2, Text: []byte("2")}})
		equal(t, "another", lines(t, s, "k", "n", "b", 0, 10), []ledger.Line{{Shelf: "b", Number: 7, Text: []byte("b")}})
		equal(t, "the news", news(t, s, 0, 10), []ledger.News{{Number: 1, Text: []byte(strange)}, {Number: 2, Text: []byte("{}")}, {Number: 3, Text: []byte("3")}})
		err := s.Amend(t.Context(), "k", "n", "one", func(b *ledger.Book) error {
			equal(t, "the earlier answer", b.Earlier, &match.Answer{Key: "one", Request: [32]byte{9}, Body: []byte{0, 255}})
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	}
}

func notThere(t *testing.T, s ledger.Store, _ func() ledger.Store) {
	amend(t, s, "k", "n", "", func(b *ledger.Book) { b.State = []byte("{}") })
	for _, c := range [][2]string{{"k", "m"}, {"j", "n"}, {"", ""}} {
		if _, err := s.Book(t.Context(), c[0], c[1]); !errors.Is(err, match.ErrNotFound) {
			t.Errorf("%v: got %v", c, err)
		}
		equal(t, "lines", len(lines(t, s, c[0], c[1], "a", 0, 10)), 0)
	}
	equal(t, "news", len(news(t, s, 0, 10)), 0)
	equal(t, "far news", len(news(t, s, 1<<63, 10)), 0)
	equal(t, "far lines", len(lines(t, s, "k", "n", "a", 1<<63, 10)), 0)
}

var errChange = errors.New("no")

func rollback(t *testing.T, s ledger.Store, reopen func() ledger.Store) {
	err := s.Amend(t.Context(), "k", "n", "one", func(b *ledger.Book) error {
		b.State, b.News = []byte("{}"), [][]byte{[]byte("{}")}
		return errChange
	})
	if err != errChange {
		t.Errorf("got %v", err)
	}
	// Also one that a store knows: it is the change's all the same.
	if err := s.Amend(t.Context(), "k", "n", "one", func(*ledger.Book) error { return match.ErrNotFound }); err != match.ErrNotFound {
		t.Errorf("got %v", err)
	}
	if _, err := reopen().Book(t.Context(), "k", "n"); !errors.Is(err, match.ErrNotFound) {
		t.Errorf("got %v", err)
	}
	equal(t, "news", len(news(t, s, 0, 10)), 0)
}

func nothing(t *testing.T, s ledger.Store, _ func() ledger.Store) {
	amend(t, s, "k", "n", "", func(*ledger.Book) {})
	if _, err := s.Book(t.Context(), "k", "n"); !errors.Is(err, match.ErrNotFound) {
		t.Errorf("got %v", err)
	}
	amend(t, s, "k", "n", "", func(b *ledger.Book) { b.State = []byte("{}") })
	amend(t, s, "k", "n", "", func(*ledger.Book) {})
	equal(t, "version", book(t, s, "k", "n").Version, uint64(1))
	amend(t, s, "k", "n", "", func(b *ledger.Book) { b.Lines = []ledger.Line{{Shelf: "a", Number: 1, Text: []byte("{}")}} })
	equal(t, "version", book(t, s, "k", "n").Version, uint64(2))
}

func conflicts(t *testing.T, s ledger.Store, _ func() ledger.Store) {
	amend(t, s, "k", "n", "", func(b *ledger.Book) {
		b.State = []byte("{}")
		b.Lines = []ledger.Line{{Shelf: "a", Number: 1, Text: []byte("first")}}
		b.Answer = &match.Answer{Key: "one", Body: []byte("first")}
	})
	for name, change := range map[string]func(*ledger.Book){
		"a line that is there":            func(b *ledger.Book) { b.Lines = []ledger.Line{{Shelf: "a", Number: 1, Text: []byte("second")}} },
		"an answer that is there":         func(b *ledger.Book) { b.Answer = &match.Answer{Key: "one", Body: []byte("second")} },
		"a change of another version":     func(b *ledger.Book) { b.Version++ },
		"two lines of one number at once": func(b *ledger.Book) { b.Lines = []ledger.Line{{Shelf: "c", Number: 1}, {Shelf: "c", Number: 1}} },
	} {
		err := s.Amend(t.Context(), "k", "n", "", func(b *ledger.Book) error {
			b.State, b.News = []byte("[]"), [][]byte{[]byte("{}")}
			change(b)
			return nil
		})
		if !errors.Is(err, match.ErrConflict) {
			t.Errorf("%s: got %v", name, err)
		}
		equal(t, name+": the book", book(t, s, "k", "n"), &ledger.Book{Kind: "k", Name: "n", Version: 1, State: []byte("{}")})
		equal(t, name+": the news", len(news(t, s, 0, 10)), 0)
		equal(t, name+": the lines", lines(t, s, "k", "n", "a", 0, 10), []ledger.Line{{Shelf: "a", Number: 1, Text: []byte("first")}})
		equal(t, name+": other lines", len(lines(t, s, "k", "n", "c", 0, 10)), 0)
	}
}

func order(t *testing.T, s ledger.Store, _ func() ledger.Store) {
	// By bytes, whatever the language of the database.
	names := []string{"B", "Z/", "Z/a", "Z0", "_", "a", "é"}
	for _, i := range []int{4, 2, 6, 0, 5, 3, 1} {
		amend(t, s, "k", names[i], "", func(b *ledger.Book) { b.State = []byte(names[i]) })
	}
	amend(t, s, "l", "C", "", func(b *ledger.Book) { b.State = []byte("{}") })
	var got []string
	for after := ""; ; {
		found, err := s.Books(t.Context(), "k", after, 3)
		if err != nil {
			t.Fatal(err)
		}
		for _, b := range found {
			equal(t, "state", string(b.State), b.Name)
			got = append(got, b.Name)
			after = b.Name
		}
		if len(found) < 3 {
			break
		}
	}
	equal(t, "names", got, names)
}

func pages(t *testing.T, s ledger.Store, _ func() ledger.Store) {
	for n := range uint64(5) {
		amend(t, s, "k", "n", "", func(b *ledger.Book) {
			b.Lines = []ledger.Line{{Shelf: "a", Number: 2*n + 2, Text: []byte("{}")}}
			b.News = [][]byte{[]byte("{}")}
		})
	}
	numbers := func(after uint64, limit int) (all []uint64) {
		for _, l := range lines(t, s, "k", "n", "a", after, limit) {
			all = append(all, l.Number)
		}
		return all
	}
	equal(t, "from the first", numbers(0, 2), []uint64{2, 4})
	equal(t, "after one", numbers(4, 2), []uint64{6, 8})
	equal(t, "between two", numbers(5, 2), []uint64{6, 8})
	equal(t, "the last", numbers(8, 2), []uint64{10})
	equal(t, "behind it", len(numbers(10, 2)), 0)
	equal(t, "news", news(t, s, 3, 1), []ledger.News{{Number: 4, Text: []byte("{}")}})
}

func memory(t *testing.T, s ledger.Store, _ func() ledger.Store) {
	text := []byte("abc")
	amend(t, s, "k", "n", "", func(b *ledger.Book) {
		b.State, b.Lines, b.News = text, []ledger.Line{{Shelf: "a", Number: 1, Text: text}}, [][]byte{text}
	})
	text[0] = 'x'
	book(t, s, "k", "n").State[1] = 'x'
	lines(t, s, "k", "n", "a", 0, 1)[0].Text[1] = 'x'
	equal(t, "state", string(book(t, s, "k", "n").State), "abc")
	equal(t, "line", string(lines(t, s, "k", "n", "a", 0, 1)[0].Text), "abc")
	equal(t, "news", string(news(t, s, 0, 1)[0].Text), "abc")
}

// Two processes count the same books up; each number is given once and none is missing.
func concurrent(t *testing.T, s ledger.Store, reopen func() ledger.Store) {
	amend(t, s, "k", "0", "", func(b *ledger.Book) {
		b.State = []byte("")
		b.Lines = []ledger.Line{{Shelf: "a", Number: 1, Text: []byte("{}")}}
	})
	stores := []ledger.Store{s}
	if other := reopen(); shared(t, s, other) {
		stores = append(stores, other)
	}
	const goroutines, each, names = 8, 10, 2
	var group sync.WaitGroup
	for g := range goroutines {
		group.Go(func() {
			for i := range each {
				s, name := stores[g%len(stores)], fmt.Sprint("book", (g/2+i)%names)
				err := ledger.Amend(t.Context(), s, "k", name, "", func(b *ledger.Book) error {
					b.State = append(b.State, 'x')
					n := uint64(len(b.State))
					b.Lines, b.News = []ledger.Line{{Shelf: "a", Number: n, Text: []byte("{}")}}, [][]byte{[]byte(name)}
					return nil
				})
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	total := 0
	for n := range names {
		name := fmt.Sprint("book", n)
		found := lines(t, s, "k", name, "a", 0, 1000)
		for i, l := range found {
			if l.Number != uint64(i+1) {
				t.Fatalf("%s: line %d has the number %d", name, i+1, l.Number)
			}
		}
		equal(t, "state", string(book(t, s, "k", name).State), strings.Repeat("x", len(found)))
		total += len(found)
	}
	equal(t, "changes", total, goroutines*each)
	for i, n := range news(t, s, 0, 1000) {
		if n.Number != uint64(i+1) {
			t.Fatalf("news %d has the number %d", i+1, n.Number)
		}
		total--
	}
	equal(t, "changes without news", total, 0)
}

// shared reports whether two stores are on one database.
func shared(t *testing.T, a, b ledger.Store) bool {
	t.Helper()
	amend(t, a, "shared", "n", "", func(b *ledger.Book) { b.State = []byte("{}") })
	_, err := b.Book(t.Context(), "shared", "n")
	return err == nil
}

func cancelled(t *testing.T, s ledger.Store, _ func() ledger.Store) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	// Stored or not, but a store that says no must not have stored it.
	err := s.Amend(ctx, "k", "n", "", func(b *ledger.Book) error {
		b.State = []byte("{}")
		return nil
	})
	if _, found := s.Book(t.Context(), "k", "n"); (err == nil) != (found == nil) {
		t.Errorf("Amend says %v, and Book %v", err, found)
	}
}
