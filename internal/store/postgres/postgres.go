// Package postgres keeps matches in PostgreSQL, or in a database that speaks its
// language, for any number of processes at once.
//
// Each process has a writer with a connection of its own. It takes whatever queued up while its last commit ran: one
// round trip locks and reads the matches, the changes run in memory, a second one
// writes all of it and commits (package group). Between processes the row locks
// order the changes, and the version in each row proves the order. A match that
// no other process changes is not read again: one round trip writes its next roll.
//
// The SQL is plain: no functions in the server, no advisory locks, no sequences.
// LISTEN and NOTIFY are a hint for [Store.Watch]; where they do not work, or a hint
// is lost, the store looks by itself at what is watched.
package postgres

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"veridice/internal/match"
	"veridice/internal/store/group"
)

// usualPatience is how long the database may take for anything. What hangs longer
// is given up, and its connection with it.
const usualPatience = 10 * time.Second

// A Store is a [match.Store].
type Store struct {
	match.Hints
	match.Commits
	pool     *pgxpool.Pool
	config   *pgx.ConnConfig // for connections besides those of the pool
	patience time.Duration   // from the submission of a request to its answer
	writer   *writer
	closed   atomic.Bool
	watch    *watch
	doubt    atomic.Bool // a commit was given up, which may wait for a standby
}

// Open opens a database that has this program's tables, see [Migrate]. The address
// is a URL, or a list of "key=value", as libpq has them; it may name several hosts,
// and the one that can be written to is taken. "patience" in it, such as 5s, says how long
// the database may take for anything; ten seconds if it is not there.
func Open(ctx context.Context, address string) (*Store, error) {
	return OpenBatch(ctx, address, group.MaxBatch)
}

// OpenBatch is [Open] with at most batch changes in one commit, to measure what groups are
// worth.
func OpenBatch(ctx context.Context, address string, batch int) (*Store, error) {
	config, patience, err := parse(address)
	if err != nil {
		return nil, err
	}
	s := &Store{patience: patience, config: config.ConnConfig.Copy()}
	config.BeforeConnect = func(_ context.Context, c *pgx.ConnConfig) error {
		uncancelled(c)
		return nil
	}
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, connectError(err)
	}
	err = within(ctx, patience, func(ctx context.Context) error {
		return pool.AcquireFunc(ctx, func(c *pgxpool.Conn) error {
			if err := settings(ctx, c.Conn()); err != nil {
				return err
			}
			return version(ctx, c.Conn())
		})
	})
	if err != nil {
		pool.Close()
		return nil, connectError(err)
	}
	s.pool, s.writer = pool, &writer{store: s}
	s.writer.queue = group.NewQueue(batch, group.Measured(&s.Commits, s.writer.commit))
	s.watch = newWatch(s)
	return s, nil
}

// parse reads an address. No error holds it: it may have a password.
func parse(address string) (*pgxpool.Config, time.Duration, error) {
	config, err := pgxpool.ParseConfig(address)
	if err != nil {
		return nil, 0, errors.New("postgres: the address of the database cannot be read; it looks like postgres://user@host/database")
	}
	c, patience := config.ConnConfig, usualPatience
	if text, ok := c.RuntimeParams["patience"]; ok {
		delete(c.RuntimeParams, "patience")
		if patience, err = time.ParseDuration(text); err != nil || patience < 100*time.Millisecond || patience > time.Minute {
			return nil, 0, errors.New("postgres: patience in the address of the database is a time such as 5s, from 100ms to 1m")
		}
	}
	if c.ValidateConnect == nil {
		c.ValidateConnect = pgconn.ValidateConnectTargetSessionAttrsReadWrite
	}
	if c.ConnectTimeout == 0 {
		// A host that hangs leaves the others their share.
		hosts := map[string]bool{c.Host: true}
		for _, f := range c.Fallbacks {
			hosts[f.Host] = true
		}
		c.ConnectTimeout = patience / time.Duration(1+len(hosts))
	}
	if c.RuntimeParams["application_name"] == "" {
		c.RuntimeParams["application_name"] = "veridiced"
	}
	config.AfterConnect = prepare
	return config, patience, nil
}

// Place is an address without user, password and parameters, to be shown.
func Place(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Scheme == "" {
		return "postgres"
	}
	return u.Scheme + "://" + u.Host + u.Path
}

// Is reports whether an address is one of this package and not the path of a file.
func Is(address string) bool {
	return strings.HasPrefix(address, "postgres://") || strings.HasPrefix(address, "postgresql://")
}

// uncancelled lets a new connection end without a word when it is given up. A commit that
// waits for a standby would take it as leave to be seen at once, though the standby does not
// have it: whoever asked again would be answered what the next primary has never heard of.
// Left alone, it waits on, and so does who needs its rows.
func uncancelled(c *pgx.ConnConfig) {
	connected, dial := new(atomic.Bool), c.DialFunc
	c.AfterConnect = func(context.Context, *pgconn.PgConn) error {
		connected.Store(true)
		return nil
	}
	c.DialFunc = func(ctx context.Context, network, address string) (net.Conn, error) {
		if connected.Load() {
			return nil, errors.New("postgres: nothing is cancelled")
		}
		return dial(ctx, network, address)
	}
}

// settled finds out, after a commit was given up, whether others would wait for a standby too.
// Its own changes nothing and may be cancelled: so not every attempt leaves a connection behind
// that waits at the server.
func (s *Store) settled(ctx context.Context) error {
	if !s.doubt.Load() {
		return nil
	}
	c, err := pgx.ConnectConfig(ctx, s.config)
	if err != nil {
		return err
	}
	defer s.goodbye(c)
	if err := prepare(ctx, c); err != nil {
		return err
	}
	if _, err := c.Exec(ctx, "UPDATE migration SET at = at WHERE number = 1"); err != nil {
		return err
	}
	s.doubt.Store(false)
	return nil
}

// goodbye ends a connection.
func (s *Store) goodbye(c *pgx.Conn) {
	ctx, cancel := context.WithTimeout(context.Background(), min(s.patience, time.Second))
	defer cancel()
	c.Close(ctx)
}

// prepare makes a new connection ready. What a compatible database does not know of
// it is left out.
func prepare(ctx context.Context, c *pgx.Conn) error {
	for _, text := range []string{
		// A process that stands still must not hold the rows of others.
		"SET idle_in_transaction_session_timeout = '3s'",
		"SET lock_timeout = '1s'",
		// It would cancel a commit that waits for a standby, see uncancelled.
		"SET statement_timeout = 0",
		// A plan made while a table was small would read all of it when it is large.
		"SET plan_cache_mode = force_generic_plan",
		"SET enable_seqscan = off", "SET enable_bitmapscan = off", "SET enable_hashjoin = off", "SET enable_mergejoin = off",
		// What has no other plan, as of a table of one row, then looks so dear that it
		// would be compiled each time, which takes longer than anything else here.
		"SET jit = off",
	} {
		var refused *pgconn.PgError
		if _, err := c.Exec(ctx, text); err != nil && !errors.As(err, &refused) {
			return err
		}
	}
	mode, err := show(ctx, c, "synchronous_commit")
	if err == nil && mode == "off" {
		_, err = c.Exec(ctx, "SET synchronous_commit = on")
	}
	return err
}

// show reads a setting, "" if the database does not know it.
func show(ctx context.Context, c *pgx.Conn, name string) (value string, err error) {
	err = c.QueryRow(ctx, "SHOW "+name).Scan(&value)
	var refused *pgconn.PgError
	if errors.As(err, &refused) {
		return "", nil
	}
	return value, err
}

// settings refuses a server that does not keep what it has committed.
func settings(ctx context.Context, c *pgx.Conn) error {
	for _, name := range []string{"fsync", "full_page_writes"} {
		if value, err := show(ctx, c, name); err != nil {
			return err
		} else if value == "off" {
			return fmt.Errorf("postgres: the server runs with %s = off: what it commits may be lost in a crash", name)
		}
	}
	return nil
}

func within(ctx context.Context, patience time.Duration, f func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	return f(ctx)
}

// connectError keeps the password, which pgx leaves out already, and the address,
// which may be a secret too, out of what is told.
func connectError(err error) error {
	var refused *pgconn.PgError
	if errors.As(err, &refused) {
		return fmt.Errorf("postgres: %s", refused.Message)
	}
	var connect *pgconn.ConnectError
	if errors.As(err, &connect) {
		cause := errors.Unwrap(connect)
		for errors.Unwrap(cause) != nil {
			cause = errors.Unwrap(cause)
		}
		// A host is tried with TLS and without it, and may say the same both times.
		attempts := slices.Compact(strings.Split(cause.Error(), "\n"))
		return fmt.Errorf("postgres: no connection to the database: %s", strings.Join(attempts, "; "))
	}
	return err
}

// storeError puts the database's errors into the words of [match.Store].
func storeError(err error) error {
	switch {
	case err == nil || errors.Is(err, match.ErrNotFound) || errors.Is(err, match.ErrConflict) || errors.Is(err, match.ErrBusy):
		return err
	case code(err) == lockNotAvailable:
		return fmt.Errorf("%w: postgres: %v", match.ErrBusy, err)
	case conflicts(err):
		return fmt.Errorf("postgres: %w", match.ErrConflict)
	case lost(err):
		// Whether a commit that was under way happened, the caller finds out with
		// the same key: just what "busy" asks for.
		return fmt.Errorf("%w: postgres: %v", match.ErrBusy, connectError(err))
	}
	return fmt.Errorf("postgres: %v", err)
}

// A fault is something stored that cannot be read.
type fault string

func (f fault) Error() string { return string(f) }

// SQLSTATE codes, see PostgreSQL's appendix A.
const (
	uniqueViolation      = "23505"
	serializationFailure = "40001"
	deadlockDetected     = "40P01"
	duplicateObject      = "42710"
	duplicateTable       = "42P07"
	lockNotAvailable     = "55P03"
	divisionByZero       = "22012" // of a guard, see query.go
	readOnly             = "25006"
	undefinedTable       = "42P01"
	idleTooLong          = "25P03"
)

func code(err error) string {
	var refused *pgconn.PgError
	if errors.As(err, &refused) {
		return refused.Code
	}
	return ""
}

// conflicts reports whether a transaction failed because of another one, and
// nothing of it happened.
func conflicts(err error) bool {
	switch code(err) {
	case uniqueViolation, serializationFailure, deadlockDetected, lockNotAvailable, divisionByZero:
		return true
	}
	return false
}

// lost reports whether the connection or the server is gone, or is no primary any
// more.
func lost(err error) bool {
	var unread fault
	var scan pgx.ScanArgError
	switch c := code(err); {
	case errors.As(err, &unread), errors.As(err, &scan):
		return false
	case c == "":
		return true // what the server says is a PgError
	case c == readOnly, c == idleTooLong:
		return true
	default: // connection exceptions, shutdown and the like, no more resources but a full disk
		return strings.HasPrefix(c, "08") || strings.HasPrefix(c, "57P") || c == "53300"
	}
}

// read runs f on a connection, and on another if that is lost: when the server was started
// again, all that stand idle are.
func (s *Store) read(ctx context.Context, f func(context.Context, *pgxpool.Conn) error) error {
	if s.closed.Load() {
		return group.ErrClosed
	}
	err := within(ctx, s.patience, func(ctx context.Context) (err error) {
		for range s.pool.Stat().MaxConns() + 1 {
			err = s.on(ctx, f)
			if err == nil || errors.Is(err, match.ErrNotFound) || errors.Is(err, match.ErrConflict) || ctx.Err() != nil || !lost(err) {
				break
			}
		}
		return err
	})
	if err != nil && ctx.Err() != nil {
		return ctx.Err()
	}
	return storeError(err)
}

// write is read for what is stored by the way, beside the writer.
func (s *Store) write(ctx context.Context, f func(context.Context, *pgxpool.Conn) error) error {
	return s.read(ctx, func(ctx context.Context, c *pgxpool.Conn) error {
		if err := s.settled(ctx); err != nil {
			return err
		}
		err := f(ctx, c)
		if c.Conn().IsClosed() {
			s.doubt.Store(true)
		}
		return err
	})
}

func (s *Store) on(ctx context.Context, f func(context.Context, *pgxpool.Conn) error) error {
	c, err := s.pool.Acquire(ctx)
	if err != nil {
		return err
	}
	defer func() {
		if c.Conn().IsClosed() {
			// The pool would keep the place until the driver has said goodbye, which hangs
			// too.
			c.Hijack()
		} else {
			c.Release()
		}
	}()
	return f(ctx, c)
}

// submit hands a change to the writer.
func (s *Store) submit(ctx context.Context, o *group.Op) error {
	if err := s.writer.queue.Submit(ctx, o); err != nil {
		return err
	}
	if o.Kind == "" {
		s.Wake(o.Match)
		s.watch.tell(o.Match)
	}
	return nil
}

// Create is [match.Store].
func (s *Store) Create(ctx context.Context, m *match.Match) error {
	if _, err := key(m.ID); err != nil {
		return errors.New("postgres: a match with an id that is none")
	}
	return s.submit(ctx, &group.Op{Match: m.ID, Create: true, Do: func(p *group.Plan) error { return p.Create(m) }})
}

// Update is [match.Store].
func (s *Store) Update(ctx context.Context, id, name string, change func(*match.Match) error) error {
	if _, err := key(id); err != nil {
		return err
	}
	return s.submit(ctx, &group.Op{Match: id, Key: name, Do: func(p *group.Plan) error { return p.Update(id, name, change) }})
}

// Ping is [match.Store].
func (s *Store) Ping(ctx context.Context) error {
	return s.read(ctx, func(ctx context.Context, c *pgxpool.Conn) error { return version(ctx, c.Conn()) })
}

// Close is [match.Store].
func (s *Store) Close() error {
	if s.closed.Swap(true) {
		return group.ErrClosed
	}
	s.writer.queue.Close() // it was open: closed says so
	if s.writer.c != nil {
		s.goodbye(s.writer.c)
	}
	s.watch.close()
	s.pool.Close()
	return nil
}
