package memory

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"sync"

	"veridice/internal/ledger"
	"veridice/internal/match"
)

// books are the part of a [Store] that is a [ledger.Store].
type books struct {
	booksMu sync.RWMutex // guards all below
	byName  map[bookName]*keptBook
	news    []ledger.News
}

type bookName struct{ kind, name string }

type keptBook struct {
	state   *ledger.Book
	lines   map[string][]ledger.Line // by shelf, in order
	answers map[string]match.Answer  // by key
}

// open reports whether the store is not closed.
func (s *Store) open() error {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.closed {
		return errClosed
	}
	return nil
}

// Amend is [ledger.Store].
func (s *Store) Amend(ctx context.Context, kind, name, key string, change func(*ledger.Book) error) error {
	if err := s.open(); err != nil {
		return err
	}
	s.booksMu.Lock()
	defer s.booksMu.Unlock()
	k := s.byName[bookName{kind, name}]
	if k == nil {
		k = &keptBook{&ledger.Book{Kind: kind, Name: name}, make(map[string][]ledger.Line), make(map[string]match.Answer)}
	}
	b := k.state.Clone()
	if a, ok := k.answers[key]; ok {
		b.Earlier = &a
	}
	if err := change(b); err != nil {
		return err
	}
	if !b.Changed(k.state) {
		return nil
	}
	if b.Version != k.state.Version {
		return match.ErrConflict
	}
	if b.Answer != nil {
		if _, ok := k.answers[b.Answer.Key]; ok {
			return match.ErrConflict
		}
	}
	added := make(map[string][]ledger.Line)
	for _, l := range b.Lines {
		if added[l.Shelf] == nil {
			added[l.Shelf] = slices.Clone(k.lines[l.Shelf])
		}
		at, there := slices.BinarySearchFunc(added[l.Shelf], l.Number, byNumber)
		if there {
			return match.ErrConflict
		}
		l.Text = bytes.Clone(l.Text)
		added[l.Shelf] = slices.Insert(added[l.Shelf], at, l)
	}
	for shelf, lines := range added {
		k.lines[shelf] = lines
	}
	for _, text := range b.News {
		s.news = append(s.news, ledger.News{Number: uint64(len(s.news) + 1), Text: bytes.Clone(text)})
	}
	if b.Answer != nil {
		k.answers[b.Answer.Key] = *b.Answer
	}
	k.state = &ledger.Book{Kind: kind, Name: name, Version: b.Version + 1, State: bytes.Clone(b.State)}
	if s.byName == nil {
		s.byName = make(map[bookName]*keptBook)
	}
	s.byName[bookName{kind, name}] = k
	return nil
}

func byNumber(l ledger.Line, number uint64) int {
	switch {
	case l.Number < number:
		return -1
	case l.Number > number:
		return 1
	}
	return 0
}

// Book is [ledger.Store].
func (s *Store) Book(ctx context.Context, kind, name string) (*ledger.Book, error) {
	if err := s.open(); err != nil {
		return nil, err
	}
	s.booksMu.RLock()
	defer s.booksMu.RUnlock()
	k := s.byName[bookName{kind, name}]
	if k == nil {
		return nil, match.ErrNotFound
	}
	return k.state.Clone(), nil
}

// Books is [ledger.Store].
func (s *Store) Books(ctx context.Context, kind, after string, limit int) (found []*ledger.Book, err error) {
	if err := s.open(); err != nil {
		return nil, err
	}
	s.booksMu.RLock()
	defer s.booksMu.RUnlock()
	for n, k := range s.byName {
		if n.kind == kind && n.name > after {
			found = append(found, k.state.Clone())
		}
	}
	slices.SortFunc(found, func(a, b *ledger.Book) int { return strings.Compare(a.Name, b.Name) })
	return found[:min(limit, len(found))], nil
}

// Lines is [ledger.Store].
func (s *Store) Lines(ctx context.Context, kind, name, shelf string, after uint64, limit int) ([]ledger.Line, error) {
	if err := s.open(); err != nil {
		return nil, err
	}
	s.booksMu.RLock()
	defer s.booksMu.RUnlock()
	k := s.byName[bookName{kind, name}]
	if k == nil {
		return nil, nil
	}
	lines := k.lines[shelf]
	at, there := slices.BinarySearchFunc(lines, after, byNumber)
	if there {
		at++
	}
	lines = slices.Clone(lines[at:min(at+limit, len(lines))])
	for i := range lines {
		lines[i].Text = bytes.Clone(lines[i].Text)
	}
	return lines, nil
}

// News is [ledger.Store].
func (s *Store) News(ctx context.Context, after uint64, limit int) ([]ledger.News, error) {
	if err := s.open(); err != nil {
		return nil, err
	}
	s.booksMu.RLock()
	defer s.booksMu.RUnlock()
	if after >= uint64(len(s.news)) {
		return nil, nil
	}
	news := s.news[after:]
	return slices.Clone(news[:min(limit, len(news))]), nil
}
