package memory

import (
	"bytes"
	"context"
	"slices"
	"strings"

	"veridice/internal/match"
)

// secrets gives a way to each encrypted value of a place, by name.
func (s *Store) secrets(place match.Place) map[string]*match.Secret {
	all := make(map[string]*match.Secret)
	switch place {
	case match.OfMatches:
		for id, k := range s.matches {
			all[id] = &match.Secret{Name: id, Scheme: k.state.Scheme, Sealed: k.state.Sealed}
		}
	case match.OfCreations:
		for key, a := range s.created {
			all[key] = &match.Secret{Name: key, Sealed: a.Body}
		}
	case match.OfOnce:
		for name, value := range s.once {
			all[name] = &match.Secret{Name: name, Sealed: value}
		}
	}
	return all
}

// Secrets is [match.Store].
func (s *Store) Secrets(ctx context.Context, place match.Place, after string, limit int) (found []match.Secret, err error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.closed {
		return nil, errClosed
	}
	for name, x := range s.secrets(place) {
		if name > after {
			x.Sealed = bytes.Clone(x.Sealed)
			found = append(found, *x)
		}
	}
	slices.SortFunc(found, func(a, b match.Secret) int { return strings.Compare(a.Name, b.Name) })
	return found[:min(limit, len(found))], nil
}

// Reseal is [match.Store].
func (s *Store) Reseal(ctx context.Context, place match.Place, secrets []match.Secret) (replaced int, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return 0, errClosed
	}
	all := s.secrets(place)
	for _, x := range secrets {
		if now := all[x.Name]; now == nil || !bytes.Equal(now.Sealed, x.Sealed) {
			continue
		}
		fresh := bytes.Clone(x.New)
		switch place {
		case match.OfMatches:
			s.matches[x.Name].state.Sealed = fresh
		case match.OfCreations:
			a := s.created[x.Name]
			a.Body = fresh
			s.created[x.Name] = a
		case match.OfOnce:
			s.once[x.Name] = fresh
		}
		replaced++
	}
	return replaced, nil
}

// Answers is [ledger.Store].
func (s *Store) Answers(ctx context.Context, kind, name, after string, limit int) (found []match.Answer, err error) {
	if err := s.open(); err != nil {
		return nil, err
	}
	s.booksMu.RLock()
	defer s.booksMu.RUnlock()
	if k := s.byName[bookName{kind, name}]; k != nil {
		for key, a := range k.answers {
			if key > after {
				a.Body = bytes.Clone(a.Body)
				found = append(found, a)
			}
		}
	}
	slices.SortFunc(found, func(a, b match.Answer) int { return strings.Compare(a.Key, b.Key) })
	return found[:min(limit, len(found))], nil
}

// Reanswer is [ledger.Store].
func (s *Store) Reanswer(ctx context.Context, kind, name, key string, old, body []byte) error {
	if err := s.open(); err != nil {
		return err
	}
	s.booksMu.Lock()
	defer s.booksMu.Unlock()
	k := s.byName[bookName{kind, name}]
	if k == nil {
		return match.ErrConflict
	}
	a, ok := k.answers[key]
	if !ok || !bytes.Equal(a.Body, old) {
		return match.ErrConflict
	}
	a.Body = bytes.Clone(body)
	k.answers[key] = a
	return nil
}
