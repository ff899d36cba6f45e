// Package sqlite keeps matches in a SQLite file: write-ahead log, synced at every
// commit, strict tables, foreign keys.
//
// One goroutine writes. It takes whatever queued up while the last commit ran and
// commits it together (package group). Readers have connections of their own.
// Several processes may share a file; SQLite's lock orders their transactions.
package sqlite

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/ncruces/go-sqlite3"

	"veridice/internal/match"
	"veridice/internal/store/group"
	"veridice/seed"
)

// busyFor is how long a transaction waits for another process's.
const busyFor = 5 * time.Second

const readers = 4

// A Store is a [match.Store].
type Store struct {
	match.Hints
	match.Commits
	readers chan *conn // those that nobody uses
	view    view       // they share it

	queue  *group.Queue
	writer *writer // the queue's goroutine uses it

	nothing *group.Op     // a change that is none (watch.go)
	closing chan struct{} // closed to end the looks
	looked  chan struct{} // closed when they have ended
}

// Open opens a database file that exists and brings it to this version.
func Open(path string) (*Store, error) { return open(path, 0, group.MaxBatch) }

// OpenBatch is [Open] with at most batch changes in one commit, to measure what groups are
// worth.
func OpenBatch(path string, batch int) (*Store, error) { return open(path, 0, batch) }

// Create opens a database file and makes it, readable by its owner alone, if it
// does not exist.
func Create(path string) (*Store, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	if err := f.Close(); err != nil {
		return nil, err
	}
	return open(path, sqlite3.OPEN_CREATE, group.MaxBatch)
}

func open(path string, flag sqlite3.OpenFlag, batch int) (*Store, error) {
	w, err := connect(path, flag)
	if err != nil {
		return nil, err
	}
	if err := migrate(w.c); err != nil {
		w.close()
		return nil, fmt.Errorf("sqlite: %v", err)
	}
	if err := w.prepare(); err != nil {
		w.close()
		return nil, err
	}
	s := &Store{
		readers: make(chan *conn, readers), view: view{journal: newJournal()}, writer: &writer{conn: w}, closing: make(chan struct{}), looked: make(chan struct{}),
	}
	w.latest = func(k []byte) (*recent, error) { return s.writer.journal.recent[string(k)], nil }
	s.writer.others, s.nothing = s.others, &group.Op{Do: func(*group.Plan) error { return nil }}
	for range readers {
		r, err := connectReader(path)
		if err != nil {
			w.close()
			for len(s.readers) > 0 {
				(<-s.readers).close()
			}
			return nil, err
		}
		r.latest = func(k []byte) (*recent, error) { return s.view.recent(r, k) }
		s.readers <- r
	}
	s.queue = group.NewQueue(batch, s.measured())
	go s.look()
	return s, nil
}

// connect opens a connection with the settings that promises rest on.
func connect(path string, flag sqlite3.OpenFlag) (*conn, error) {
	// An absolute path is never taken for a URI.
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	c, err := sqlite3.OpenFlags(path, sqlite3.OPEN_READWRITE|flag)
	if err != nil {
		return nil, fmt.Errorf("sqlite: cannot open the database file: %v", err)
	}
	err = c.BusyTimeout(busyFor)
	if err == nil {
		err = c.Exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON;
			PRAGMA trusted_schema = OFF; PRAGMA wal_autocheckpoint = 4000; PRAGMA cache_size = -16000`)
	}
	if err == nil {
		err = settings(c)
	}
	if err != nil {
		c.Close()
		return nil, fmt.Errorf("sqlite: %v", err)
	}
	return &conn{c: c}, nil
}

// connectReader opens a connection that cannot write.
func connectReader(path string) (*conn, error) {
	r, err := connect(path, 0)
	if err != nil {
		return nil, err
	}
	if err := errors.Join(r.c.Exec("PRAGMA query_only = ON"), r.prepare()); err != nil {
		return nil, errors.Join(err, r.close())
	}
	return r, nil
}

// settings checks what SQLite made of the pragmas: it does not complain about
// those that it cannot follow.
func settings(c *sqlite3.Conn) error {
	st, _, err := c.Prepare("SELECT (SELECT journal_mode FROM pragma_journal_mode), (SELECT synchronous FROM pragma_synchronous), (SELECT foreign_keys FROM pragma_foreign_keys)")
	if err != nil {
		return err
	}
	defer st.Close()
	if !st.Step() {
		return st.Err()
	}
	if mode, sync, keys := st.ColumnText(0), st.ColumnInt(1), st.ColumnInt(2); mode != "wal" || sync != 2 || keys != 1 {
		return fmt.Errorf("journal mode %q, synchronous %d, foreign keys %d; the store needs wal, 2, 1", mode, sync, keys)
	}
	return nil
}

// read runs f on a reader's connection.
func (s *Store) read(ctx context.Context, f func(*conn) error) error {
	var r *conn
	select {
	case r = <-s.readers:
	case <-ctx.Done():
		return ctx.Err()
	}
	if r == nil {
		return group.ErrClosed // the channel is closed
	}
	defer func() { s.readers <- r }()
	return f(r)
}

// Created is [match.Store].
func (s *Store) Created(ctx context.Context, key string) (a *match.Answer, err error) {
	err = s.read(ctx, func(c *conn) error {
		a, err = c.creation(key)
		return err
	})
	return a, err
}

// Match is [match.Store].
func (s *Store) Match(ctx context.Context, id string) (m *match.Match, err error) {
	err = s.read(ctx, func(c *conn) error {
		m, err = c.match(id)
		return err
	})
	return m, err
}

// Unfinished is [match.Store].
func (s *Store) Unfinished(ctx context.Context) (m *match.Match, err error) {
	err = s.read(ctx, func(c *conn) error {
		id := ""
		if err := each(c.unfinished, func() { id = seed.Hex(c.unfinished.ColumnRawBlob(0)) }); err != nil {
			return err
		}
		m, err = c.match(id) // no id is of no match
		return err
	})
	return m, err
}

// Matches is [match.Store].
func (s *Store) Matches(ctx context.Context, after string, limit int) (ids []string, err error) {
	k := []byte{} // before all
	if after != "" {
		if k, err = key(after); err != nil {
			return nil, err
		}
	}
	err = s.read(ctx, func(c *conn) error {
		st := c.matchesAfter
		return each(st, func() { ids = append(ids, seed.Hex(st.ColumnRawBlob(0))) }, k, limit)
	})
	return ids, err
}

// Events is [match.Store].
func (s *Store) Events(ctx context.Context, id string, after uint64, limit int) (events []match.Event, err error) {
	err = s.read(ctx, func(c *conn) error {
		events, err = c.events(c.eventsAfter, id, after, limit)
		return err
	})
	return events, err
}

// Entries is [match.Store].
func (s *Store) Entries(ctx context.Context, id string) (events []match.Event, err error) {
	err = s.read(ctx, func(c *conn) error {
		events, err = c.events(c.entries, id, 0, -1)
		return err
	})
	return events, err
}

// Log is [match.Store].
func (s *Store) Log(ctx context.Context, from uint64, limit int) (entries [][]byte, err error) {
	if from > 1<<62 {
		return nil, nil
	}
	err = s.read(ctx, func(c *conn) error {
		st := c.logFrom
		return each(st, func() { entries = append(entries, st.ColumnBlob(0, nil)) }, from, limit)
	})
	return entries, err
}

// Ping is [match.Store].
func (s *Store) Ping(ctx context.Context) error {
	return s.read(ctx, func(c *conn) error {
		_, err := integer(c.c, "SELECT count(*) FROM migration")
		return err
	})
}

// Close is [match.Store].
func (s *Store) Close() error {
	if err := s.queue.Close(); err != nil {
		return err
	}
	close(s.closing)
	<-s.looked
	s.writer.finish()
	errs := []error{s.writer.close()}
	for range readers {
		errs = append(errs, (<-s.readers).close())
	}
	close(s.readers)
	return errors.Join(errs...)
}

// Tree is [match.Store].
func (s *Store) Tree(ctx context.Context) (t match.Tree, err error) {
	err = s.read(ctx, func(c *conn) error {
		st := c.tree
		return each(st, func() {
			t = match.Tree{
				Version: uint64(st.ColumnInt64(0)), Size: uint64(st.ColumnInt64(1)), Checkpoint: st.ColumnBlob(2, nil), Shown: st.ColumnBlob(3, nil),
				ShownSize: uint64(st.ColumnInt64(4)), Receipted: uint64(st.ColumnInt64(5)),
			}
		})
	})
	return t, err
}

// Hashes is [match.Store].
func (s *Store) Hashes(ctx context.Context, numbers []int64) (hashes [][32]byte, err error) {
	err = s.read(ctx, func(c *conn) error {
		hashes = make([][32]byte, len(numbers))
		st := c.hashByNumber
		for i, n := range numbers {
			found := false
			if err := each(st, func() { found = copy(hashes[i][:], st.ColumnRawBlob(0)) == len(hashes[i]) }, n); err != nil {
				return err
			}
			if !found {
				return match.ErrNotFound
			}
		}
		return nil
	})
	return hashes, err
}
