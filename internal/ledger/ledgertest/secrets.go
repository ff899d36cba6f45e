package ledgertest

import (
	"errors"
	"fmt"
	"testing"

	"veridice/internal/ledger"
	"veridice/internal/match"
)

// answers: those of a book are listed, and replaced where they still are what was read.
func answers(t *testing.T, s ledger.Store, reopen func() ledger.Store) {
	want := map[string]match.Answer{}
	for n := range 5 {
		a := match.Answer{Key: fmt.Sprintf("k é%d", n), Request: [32]byte{byte(n)}, Body: []byte{0, 255, byte(n)}}
		want[a.Key] = a
		amend(t, s, "k", "n", a.Key, func(b *ledger.Book) { b.State, b.Answer = []byte("{}"), &a })
	}
	amend(t, s, "k", "m", "k é0", func(b *ledger.Book) { b.Answer = &match.Answer{Key: "k é0", Body: []byte("of m")} })
	check := func(s ledger.Store) {
		t.Helper()
		for _, limit := range []int{1, 2, 5, 100} {
			got := map[string]match.Answer{}
			for after := ""; ; {
				list, err := s.Answers(t.Context(), "k", "n", after, limit)
				if err != nil {
					t.Fatal(err)
				}
				for _, a := range list {
					got[a.Key] = a
					after = a.Key
				}
				if len(list) < limit {
					break
				}
			}
			equal(t, "the answers", got, want)
		}
	}
	check(s)
	for _, c := range [][2]string{{"k", "o"}, {"j", "n"}} {
		if list, err := s.Answers(t.Context(), c[0], c[1], "", 10); err != nil || len(list) != 0 {
			t.Errorf("%v: got %v, %v", c, list, err)
		}
	}
	version := book(t, s, "k", "n").Version
	if err := s.Reanswer(t.Context(), "k", "n", "k é2", []byte{0, 255, 2}, []byte("new\x00")); err != nil {
		t.Fatal(err)
	}
	for _, c := range [][3]string{{"n", "k é2", "\x00\xff\x02"}, {"n", "k é9", "new\x00"}, {"o", "k é2", "new\x00"}} {
		if err := s.Reanswer(t.Context(), "k", c[0], c[1], []byte(c[2]), []byte("!")); !errors.Is(err, match.ErrConflict) {
			t.Errorf("%q: got %v, want %v", c, err, match.ErrConflict)
		}
	}
	want["k é2"] = match.Answer{Key: "k é2", Request: [32]byte{2}, Body: []byte("new\x00")}
	check(s)
	check(reopen())
	equal(t, "the book", book(t, s, "k", "n").Version, version)
	amend(t, s, "k", "n", "k é2", func(b *ledger.Book) { equal(t, "the earlier answer", string(b.Earlier.Body), "new\x00") })
}
