package memory

import (
	"context"

	"veridice/internal/match"
)

// Counts is [match.Store].
func (s *Store) Counts(ctx context.Context) ([]match.Count, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.closed {
		return nil, errClosed
	}
	type kind struct {
		scheme string
		state  match.State
	}
	at := map[kind]int{}
	var counts []match.Count
	for _, k := range s.matches {
		m := k.state
		if m.State.Over() {
			continue
		}
		i, ok := at[kind{m.Scheme, m.State}]
		if !ok {
			i = len(counts)
			at[kind{m.Scheme, m.State}] = i
			counts = append(counts, match.Count{Scheme: m.Scheme, State: m.State, Oldest: m.Created})
		}
		c := &counts[i]
		if c.Matches++; m.Created.Before(c.Oldest) {
			c.Oldest = m.Created
		}
	}
	return counts, nil
}
