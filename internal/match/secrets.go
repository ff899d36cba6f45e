package match

import (
	"context"
	"errors"
	"strings"

	"veridice/scheme"
)

// A Place is where a store keeps what it cannot read.
type Place int

// Places of a store.
const (
	OfMatches   Place = iota // server seeds and last links, by the ids of their matches
	OfCreations              // what [Store.Create] answered, by the keys of the answers
	OfOnce                   // what [Store.Once] keeps, by name; not all of it is encrypted
)

var places = []Place{OfMatches, OfCreations, OfOnce}

// A Secret is something encrypted as a store keeps it.
type Secret struct {
	Name   string
	Scheme string // of its match, for [OfMatches]
	Sealed []byte
	New    []byte // for [Store.Reseal], what comes in the place of Sealed
}

// A Visit looks at something encrypted, with what it is bound to, and gives what is to
// come in its place, or nil to leave it.
type Visit func(purpose, id string, sealed []byte) ([]byte, error)

// Secrets shows a visitor all that the matches of a store keep encrypted, of matches that
// are over too, and the server's own keys. It gives how many it replaced. Each page is
// durable before the next one is read.
func Secrets(ctx context.Context, s Store, visit Visit) (replaced int, err error) {
	const page = 256
	for _, place := range places {
		for after := ""; ; {
			list, err := s.Secrets(ctx, place, after, page)
			if err != nil {
				return replaced, err
			}
			var changed []Secret
			for _, x := range list {
				after = x.Name
				purpose := purposeOf(place, x)
				if purpose == "" {
					continue
				}
				if x.New, err = visit(purpose, x.Name, x.Sealed); err != nil {
					return replaced, err
				}
				if x.New != nil {
					changed = append(changed, x)
				}
			}
			n, err := reseal(ctx, s, place, changed)
			if replaced += n; err != nil {
				return replaced, err
			}
			if len(list) < page {
				break
			}
		}
	}
	return replaced, nil
}

func reseal(ctx context.Context, s Store, place Place, changed []Secret) (n int, err error) {
	if len(changed) == 0 {
		return 0, nil
	}
	for range tries {
		if n, err = s.Reseal(ctx, place, changed); !errors.Is(err, ErrConflict) {
			break
		}
	}
	return n, err
}

// purposeOf is what a secret was encrypted for, "" if it is not encrypted.
func purposeOf(place Place, x Secret) string {
	switch {
	case place == OfMatches && x.Scheme == scheme.Veridice1:
		return ofChain
	case place == OfMatches:
		return ofSeed
	case place == OfCreations:
		return ofAnswer
	case x.Name == serverKeyName, x.Name == logKeyName, strings.HasPrefix(x.Name, logKeyName+" "):
		return ofKey
	}
	return ""
}
