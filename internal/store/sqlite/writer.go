package sqlite

import (
	"context"
	"errors"
	"fmt"

	"github.com/ncruces/go-sqlite3"

	"veridice/internal/match"
)

// maxBatch is the most changes in one commit.
const maxBatch = 512

// An op is one change on its way through the writer.
type op struct {
	match string
	run   func(*conn) error // in a transaction; the writer alone calls it
	err   error             // valid once done is closed
	done  chan struct{}
}

// Create is [match.Store].
func (s *Store) Create(ctx context.Context, m *match.Match) error {
	return s.submit(ctx, m.ID, func(c *conn) error {
		return c.savepoint(func() error { return c.insert(m) })
	})
}

// Update is [match.Store].
func (s *Store) Update(ctx context.Context, id, key string, change func(*match.Match) error) error {
	return s.submit(ctx, id, func(c *conn) error {
		before, err := c.match(id)
		if err != nil {
			return err
		}
		m := before.Clone()
		if m.Earlier, err = c.answer(id, key); err != nil {
			return err
		}
		m.Next = c.nextNumbers
		m.Entries = func() ([]match.Event, error) { return c.events(c.entries, id, 0, -1) }
		if err := change(m); err != nil {
			return err
		}
		if len(m.Added) == 0 && m.Answer == nil {
			return nil
		}
		return c.savepoint(func() error { return c.update(before, m) })
	})
}

// Grow is [match.Store].
func (s *Store) Grow(ctx context.Context, next match.Tree, hashes [][32]byte) error {
	blob := func(b []byte) []byte { return append([]byte{}, b...) } // never NULL
	return s.submit(ctx, "", func(c *conn) error {
		return c.savepoint(func() error {
			err := exec(c.grow, next.Version, next.Size, blob(next.Checkpoint), blob(next.Shown), next.ShownSize, next.Receipted, next.Version-1)
			if err != nil {
				return err
			}
			if c.c.Changes() != 1 {
				return match.ErrConflict
			}
			for i := range hashes {
				if err := exec(c.insertHash, hashes[i][:]); err != nil {
					return err
				}
			}
			return nil
		})
	})
}

// Once is [match.Store].
func (s *Store) Once(ctx context.Context, name string, value []byte) (kept []byte, err error) {
	err = s.submit(ctx, "", func(c *conn) error {
		return c.savepoint(func() error {
			if err := exec(c.insertOnce, name, value); err != nil {
				return err
			}
			st := c.onceByName
			return each(st, func() { kept = st.ColumnBlob(0, nil) }, name)
		})
	})
	return kept, err
}

// submit hands a change to the writer and waits for it, whatever becomes of ctx:
// a change that began is not left in the dark.
func (s *Store) submit(ctx context.Context, id string, run func(*conn) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	o := &op{match: id, run: run, done: make(chan struct{})}
	s.mu.RLock()
	if s.closed {
		s.mu.RUnlock()
		return errClosed
	}
	s.queue <- o
	s.mu.RUnlock()
	<-o.done
	return o.err
}

// write is the writer's goroutine; w belongs to it.
func (s *Store) write(w *conn) {
	defer close(s.written)
	defer w.close()
	batch := make([]*op, 0, s.batch)
	for first := range s.queue {
		batch = append(batch[:0], first)
	more:
		for len(batch) < s.batch {
			select {
			case o, ok := <-s.queue:
				if !ok {
					break more
				}
				batch = append(batch, o)
			default:
				break more
			}
		}
		if err := w.commit(batch); err != nil {
			// Nothing of it happened, and what a change saw of the others
			// never was: nobody may hear of it.
			for _, o := range batch {
				o.err = err
			}
		}
		for _, o := range batch {
			if o.err == nil {
				s.Wake(o.match)
			}
			close(o.done)
		}
	}
}

// commit runs changes in one transaction. An error of a single one is in its op;
// the returned one is of all of them.
func (c *conn) commit(batch []*op) error {
	if err := c.begin.Exec(); err != nil {
		return storeError(err)
	}
	for _, o := range batch {
		o.err = c.protect(o.run)
		if c.c.GetAutocommit() {
			// SQLite gave the whole transaction up, as for a full disk.
			return fmt.Errorf("sqlite: the transaction was given up: %v", o.err)
		}
	}
	if err := c.end.Exec(); err != nil {
		if !c.c.GetAutocommit() {
			err = errors.Join(err, c.rollback.Exec())
		}
		return storeError(err)
	}
	return nil
}

// protect keeps a panic in one change from taking the writer down, and with it
// every other match.
func (c *conn) protect(run func(*conn) error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("sqlite: a change panicked: %v", p)
		}
	}()
	return run(c)
}

// savepoint undoes what f wrote if it fails.
func (c *conn) savepoint(f func() error) (err error) {
	if err := c.save.Exec(); err != nil {
		return storeError(err)
	}
	ok := false
	defer func() {
		if ok || c.c.GetAutocommit() {
			return
		}
		if undo := errors.Join(c.undo.Exec(), c.release.Exec()); undo != nil {
			panic("veridice: internal error: a savepoint does not roll back: " + undo.Error())
		}
	}()
	if err := f(); err != nil {
		return storeError(err)
	}
	if err := c.release.Exec(); err != nil {
		return storeError(err)
	}
	ok = true
	return nil
}

// storeError puts SQLite's errors into the words of [match.Store].
func storeError(err error) error {
	if errors.Is(err, sqlite3.CONSTRAINT_PRIMARYKEY) || errors.Is(err, sqlite3.CONSTRAINT_UNIQUE) {
		return fmt.Errorf("sqlite: %w", match.ErrConflict)
	}
	if errors.Is(err, sqlite3.BUSY) {
		return fmt.Errorf("sqlite: %w", match.ErrBusy)
	}
	if errors.Is(err, match.ErrConflict) {
		return err
	}
	return fmt.Errorf("sqlite: %v", err)
}
