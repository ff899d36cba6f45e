package match

import (
	"context"
	"sync/atomic"
	"time"
)

// A Count is how many matches of one scheme are in one state.
type Count struct {
	Scheme  string
	State   State
	Matches int
	Oldest  time.Time // when the first of them was made
}

// Commits tells whoever measures of a store's commits. The zero Commits tells nobody.
// A store may use it for [Store.Observe].
type Commits struct {
	tell atomic.Pointer[func(changes int, took time.Duration)]
}

// Observe is [Store.Observe].
func (c *Commits) Observe(f func(changes int, took time.Duration)) { c.tell.Store(&f) }

// Committed tells of a commit that is over now.
func (c *Commits) Committed(changes int, began time.Time) {
	if f := c.tell.Load(); f != nil {
		(*f)(changes, time.Since(began))
	}
}

// Counts is [Store.Counts].
func (s *Service) Counts(ctx context.Context) ([]Count, error) { return s.store.Counts(ctx) }

// Observe is [Store.Observe].
func (s *Service) Observe(f func(changes int, took time.Duration)) { s.store.Observe(f) }

// Rolls is how many rolls fell since the service was made.
func (s *Service) Rolls() uint64 { return s.rolls.Load() }
