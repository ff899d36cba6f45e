package operator_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"veridice/internal/match"
	"veridice/internal/operator"
	"veridice/internal/store/memory"
)

func TestMatches(t *testing.T) {
	s, ctx, at := memory.New(), t.Context(), time.Unix(1e9, 0).UTC()
	for i := range 5 {
		for range 2 { // the second time changes nothing
			if err := operator.Adopt(ctx, s, "op", fmt.Sprint("m", i), fmt.Sprint("game ", i), at); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := operator.Adopt(ctx, s, "thief", "m0", "", at); err != nil {
		t.Fatal(err)
	}
	if o, err := operator.Of(ctx, s, "m0"); err != nil || o != (operator.Owner{Operator: "op", Metadata: "game 0"}) {
		t.Errorf("got %+v, %v", o, err)
	}
	if _, err := operator.Of(ctx, s, "m9"); !errors.Is(err, match.ErrNotFound) {
		t.Errorf("got %v", err)
	}
	var got []operator.Match
	for {
		page, err := operator.Matches(ctx, s, "op", uint64(len(got)), 2)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, page...)
		if len(page) < 2 {
			break
		}
	}
	if len(got) != 5 {
		t.Fatalf("got %+v", got)
	}
	for i, m := range got {
		if m != (operator.Match{Number: uint64(i + 1), Match: fmt.Sprint("m", i), Metadata: fmt.Sprint("game ", i), Created: at}) {
			t.Errorf("got %+v", m)
		}
	}
}
