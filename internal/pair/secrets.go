package pair

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"

	"veridice/internal/ledger"
	"veridice/internal/match"
)

// Secrets shows a visitor the server seeds of all pairs that are not revealed yet, as they
// are stored. It gives how many it replaced.
func Secrets(ctx context.Context, s ledger.Store, visit match.Visit) (replaced int, err error) {
	const page = 256
	for after := ""; ; {
		books, err := s.Books(ctx, Kind, after, page)
		if err != nil {
			return replaced, err
		}
		for _, b := range books {
			after = b.Name
			n, err := reseal(ctx, s, b, visit)
			if replaced += n; err != nil {
				return replaced, err
			}
		}
		if len(books) < page {
			return replaced, nil
		}
	}
}

func reseal(ctx context.Context, s ledger.Store, b *ledger.Book, visit match.Visit) (replaced int, err error) {
	st, err := parse(b)
	if err != nil {
		return 0, err
	}
	now := make(map[string][]byte) // by what it replaces
	for i, h := range []hidden{st.Active, st.Next} {
		fresh, err := visit(ofPair, b.Name+" "+strconv.FormatUint(st.Pair+uint64(i), 10), h.Sealed)
		if err != nil {
			return 0, err
		}
		if fresh != nil {
			now[string(h.Sealed)] = fresh
		}
	}
	if len(now) == 0 {
		return 0, nil
	}
	// A rotation may have come between: what was next is active then, and stays the same.
	err = ledger.Amend(ctx, s, Kind, b.Name, "", func(b *ledger.Book) error {
		st, err := parse(b)
		if err != nil {
			return err
		}
		replaced = 0
		for _, h := range []*hidden{&st.Active, &st.Next} {
			if fresh := now[string(h.Sealed)]; fresh != nil {
				h.Sealed = fresh
				replaced++
			}
		}
		if replaced > 0 {
			b.State, err = json.Marshal(st)
		}
		return err
	})
	if err != nil {
		return 0, err
	}
	return replaced, nil
}

// parse reads a state, the zero one of a book that is not there.
func parse(b *ledger.Book) (*state, error) {
	st := new(state)
	if b.Version > 0 && json.Unmarshal(b.State, st) != nil {
		return nil, errors.New("pair: a stored state cannot be read")
	}
	return st, nil
}
