// Package memory keeps matches in the memory of one process, for tests and for
// trying things out. Nothing survives the process.
package memory

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"veridice/internal/match"
)

var errClosed = errors.New("memory: the store is closed")

// A Store is a [match.Store]. New makes one.
type Store struct {
	match.Hints
	match.Commits
	books
	mu      sync.RWMutex // guards all below
	closed  bool
	matches map[string]*kept
	created map[string]match.Answer // by key
	log     [][]byte
	last    uint64   // greatest number of an opening
	free    []uint64 // numbers given back, in order
	once    map[string][]byte
	tree    match.Tree
	hashes  [][32]byte
}

type kept struct {
	state   *match.Match
	events  []match.Event
	answers map[string]match.Answer // by key
}

// New makes an empty store.
func New() *Store {
	return &Store{matches: make(map[string]*kept), created: make(map[string]match.Answer), once: make(map[string][]byte)}
}

// write puts a changed match, its new events and its answer in place.
func (k *kept) write(m *match.Match) {
	m = m.Clone()
	k.events = append(k.events, m.Added...)
	m.Added, m.Answer, m.Earlier, m.Logged, m.Next, m.Entries = nil, nil, nil, nil, nil, nil
	k.state = m
}

func (k *kept) entries() []match.Event {
	var entries []match.Event
	for _, e := range k.events {
		if e.Type == match.Rolled || e.Type == match.Moved {
			entries = append(entries, e)
		}
	}
	return entries
}

// next is what a change is told: the lowest number that is free.
func (s *Store) next() match.Next {
	n := match.Next{Seq: s.last + 1, Index: uint64(len(s.log))}
	if len(s.free) > 0 {
		n.Seq = s.free[0]
	}
	return n
}

// number takes a changed number or gives it back.
func (s *Store) number(before, m *match.Match) error {
	switch {
	case m.Seq == before.Seq:
	case m.Seq == 0:
		at, _ := slices.BinarySearch(s.free, before.Seq)
		s.free = slices.Insert(s.free, at, before.Seq)
	case m.Seq != s.next().Seq || before.Seq != 0:
		return match.ErrConflict
	case len(s.free) > 0:
		s.free = s.free[1:]
	default:
		s.last++
	}
	return nil
}

// Create is [match.Store].
func (s *Store) Create(ctx context.Context, m *match.Match) error {
	defer s.Committed(1, time.Now())
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return errClosed
	}
	if s.matches[m.ID] != nil {
		return match.ErrConflict
	}
	if m.Answer != nil {
		if _, ok := s.created[m.Answer.Key]; ok {
			return match.ErrConflict
		}
		s.created[m.Answer.Key] = *m.Answer
	}
	k := &kept{answers: make(map[string]match.Answer)}
	k.write(m)
	s.matches[m.ID] = k
	return nil
}

// Created is [match.Store].
func (s *Store) Created(ctx context.Context, key string) (*match.Answer, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.closed {
		return nil, errClosed
	}
	a, ok := s.created[key]
	if !ok {
		return nil, match.ErrNotFound
	}
	return &a, nil
}

// Update is [match.Store].
func (s *Store) Update(ctx context.Context, id, key string, change func(*match.Match) error) error {
	began := time.Now()
	err := s.update(id, key, change)
	s.Committed(1, began)
	if err != nil {
		return err
	}
	s.Wake(id)
	return nil
}

func (s *Store) update(id, key string, change func(*match.Match) error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return errClosed
	}
	k := s.matches[id]
	if k == nil {
		return match.ErrNotFound
	}
	m := k.state.Clone()
	m.Next = func() (match.Next, error) { return s.next(), nil }
	m.Entries = func() ([]match.Event, error) { return k.entries(), nil }
	if a, ok := k.answers[key]; ok {
		m.Earlier = &a
	}
	if err := change(m); err != nil {
		return err
	}
	if len(m.Added) == 0 && m.Answer == nil {
		return nil
	}
	if m.Version != k.state.Version {
		return match.ErrConflict
	}
	for i, e := range m.Added {
		if e.Number != uint64(len(k.events)+i+1) {
			return match.ErrConflict
		}
	}
	if m.Answer != nil {
		if _, ok := k.answers[m.Answer.Key]; ok {
			return match.ErrConflict
		}
	}
	if err := s.number(k.state, m); err != nil {
		return err
	}
	if m.Answer != nil {
		k.answers[m.Answer.Key] = *m.Answer
	}
	s.log = append(s.log, m.Logged...)
	m.Version++
	k.write(m)
	return nil
}

// Match is [match.Store].
func (s *Store) Match(ctx context.Context, id string) (*match.Match, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.closed {
		return nil, errClosed
	}
	k := s.matches[id]
	if k == nil {
		return nil, match.ErrNotFound
	}
	return k.state.Clone(), nil
}

// Unfinished is [match.Store].
func (s *Store) Unfinished(ctx context.Context) (*match.Match, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.closed {
		return nil, errClosed
	}
	for _, k := range s.matches {
		if !k.state.State.Over() {
			return k.state.Clone(), nil
		}
	}
	return nil, match.ErrNotFound
}

// Matches is [match.Store].
func (s *Store) Matches(ctx context.Context, after string, limit int) (ids []string, err error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.closed {
		return nil, errClosed
	}
	for id := range s.matches {
		if id > after {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids[:min(limit, len(ids))], nil
}

// Events is [match.Store].
func (s *Store) Events(ctx context.Context, id string, after uint64, limit int) ([]match.Event, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.closed {
		return nil, errClosed
	}
	k := s.matches[id]
	if k == nil || after >= uint64(len(k.events)) {
		return nil, nil
	}
	events := k.events[after:]
	return slices.Clone(events[:min(limit, len(events))]), nil
}

// Entries is [match.Store].
func (s *Store) Entries(ctx context.Context, id string) ([]match.Event, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.closed {
		return nil, errClosed
	}
	k := s.matches[id]
	if k == nil {
		return nil, nil
	}
	return k.entries(), nil
}

// Log is [match.Store].
func (s *Store) Log(ctx context.Context, from uint64, limit int) ([][]byte, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.closed {
		return nil, errClosed
	}
	if from >= uint64(len(s.log)) {
		return nil, nil
	}
	entries := s.log[from:]
	return slices.Clone(entries[:min(limit, len(entries))]), nil
}

// Tree is [match.Store].
func (s *Store) Tree(ctx context.Context) (match.Tree, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.closed {
		return match.Tree{}, errClosed
	}
	return s.tree, nil
}

// Grow is [match.Store].
func (s *Store) Grow(ctx context.Context, next match.Tree, hashes [][32]byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return errClosed
	}
	if next.Version != s.tree.Version+1 {
		return match.ErrConflict
	}
	next.Checkpoint, next.Shown = slices.Clone(next.Checkpoint), slices.Clone(next.Shown)
	s.tree = next
	s.hashes = append(s.hashes, hashes...)
	return nil
}

// Hashes is [match.Store].
func (s *Store) Hashes(ctx context.Context, numbers []int64) ([][32]byte, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.closed {
		return nil, errClosed
	}
	hashes := make([][32]byte, len(numbers))
	for i, n := range numbers {
		if n < 0 || n >= int64(len(s.hashes)) {
			return nil, match.ErrNotFound
		}
		hashes[i] = s.hashes[n]
	}
	return hashes, nil
}

// Once is [match.Store].
func (s *Store) Once(ctx context.Context, name string, value []byte) ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, errClosed
	}
	if _, ok := s.once[name]; !ok {
		s.once[name] = slices.Clone(value)
	}
	return slices.Clone(s.once[name]), nil
}

// Ping is [match.Store].
func (s *Store) Ping(ctx context.Context) error {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.closed {
		return errClosed
	}
	return nil
}

// Close is [match.Store].
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	return nil
}
