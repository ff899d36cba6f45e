package hook

import (
	"context"
	"encoding/json"
	"errors"

	"veridice/internal/ledger"
	"veridice/internal/match"
)

// Secrets shows a visitor the secrets of all addresses as they are stored, and the answers
// that hold one. It gives how many it replaced.
func Secrets(ctx context.Context, s ledger.Store, visit match.Visit) (replaced int, err error) {
	for after := ""; ; {
		books, err := s.Books(ctx, kind, after, page)
		if err != nil {
			return replaced, err
		}
		for _, b := range books {
			after = b.Name
			for _, step := range []func(context.Context, ledger.Store, *ledger.Book, match.Visit) (int, error){resealHooks, resealAnswers} {
				n, err := step(ctx, s, b, visit)
				if replaced += n; err != nil {
					return replaced, err
				}
			}
		}
		if len(books) < page {
			return replaced, nil
		}
	}
}

const page = 256

func resealHooks(ctx context.Context, s ledger.Store, b *ledger.Book, visit match.Visit) (replaced int, err error) {
	list, err := read(b)
	if err != nil {
		return 0, err
	}
	now := make(map[string][]byte) // by what it replaces
	for _, k := range list {
		fresh, err := visit(ofSecret, k.ID, k.Secret)
		if err != nil {
			return 0, err
		}
		if fresh != nil {
			now[string(k.Secret)] = fresh
		}
	}
	if len(now) == 0 {
		return 0, nil
	}
	err = ledger.Amend(ctx, s, kind, b.Name, "", func(b *ledger.Book) error {
		list, err := read(b)
		if err != nil {
			return err
		}
		replaced = 0
		for i := range list {
			if fresh := now[string(list[i].Secret)]; fresh != nil {
				list[i].Secret = fresh
				replaced++
			}
		}
		if replaced > 0 {
			b.State, err = json.Marshal(list)
		}
		return err
	})
	if err != nil {
		return 0, err
	}
	return replaced, nil
}

func resealAnswers(ctx context.Context, s ledger.Store, b *ledger.Book, visit match.Visit) (replaced int, err error) {
	for after := ""; ; {
		list, err := s.Answers(ctx, kind, b.Name, after, page)
		if err != nil {
			return replaced, err
		}
		for _, a := range list {
			after = a.Key
			fresh, err := visit(ofAnswer, b.Name+" "+a.Key, a.Body)
			if err == nil && fresh != nil {
				err = s.Reanswer(ctx, kind, b.Name, a.Key, a.Body, fresh)
				if errors.Is(err, match.ErrConflict) {
					continue // somebody else did it
				}
				replaced++
			}
			if err != nil {
				return replaced, err
			}
		}
		if len(list) < page {
			return replaced, nil
		}
	}
}
