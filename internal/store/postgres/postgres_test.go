package postgres

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"veridice/internal/match"
	"veridice/internal/needs"
	"veridice/internal/store/group"
	"veridice/internal/store/storetest"
	"veridice/seed"
)

var databases atomic.Int64

// database makes tables of our own for a test: in a schema, which is sooner there than
// a database.
func database(t testing.TB, p *needs.PostgresServer) string {
	t.Helper()
	schema := fmt.Sprint("v", databases.Add(1))
	p.Run("postgres", "CREATE SCHEMA "+schema)
	address := p.URL("postgres") + "&search_path=" + schema
	if _, err := Migrate(t.Context(), address); err != nil {
		t.Fatal(err)
	}
	return address
}

func connect(t testing.TB, address string) *Store {
	t.Helper()
	s, err := Open(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// One server serves the tests that do it no harm.
func TestStore(t *testing.T) {
	p := needs.Postgres(t)
	t.Run("Contract", func(t *testing.T) {
		storetest.Run(t, func(t *testing.T) (match.Store, func() match.Store) {
			address := database(t, p)
			// What a killed process leaves is what another one finds.
			return connect(t, address), func() match.Store { return connect(t, address) }
		})
	})
	for name, test := range map[string]func(*testing.T, *needs.PostgresServer){
		"Migrations": migrated, "OldData": oldData, "AnswersAlone": answersAlone, "Ledger": ledgered, "ThreeProcesses": processes, "Unread": unread, "LikeMemory": likeMemory, "GroupCommit": grouped, "HintsOfOthers": hinted, "NoNotifications": polled,
		"OneBadRow": badRow, "LostConnections": reconnected, "StandingStill": still, "Panic": panics, "Guards": guarded,
		"Plans": plans, "Hangs": hangs, "HostHangs": hangingHost, "FullDisk": fullDisk,
	} {
		t.Run(name, func(t *testing.T) { test(t, p) })
	}
}

// newMatch is a match with little in it.
func newMatch(id int) *match.Match {
	m := &match.Match{
		ID: seed.Hex(append(make([]byte, 14), byte(id>>8), byte(id))), Scheme: "tavli/1", Kind: "2d6", Sealed: []byte{1}, State: match.Open,
		Seats: []match.Seat{{}}, Events: 1, Created: time.UnixMilli(0).UTC(),
	}
	m.Added = []match.Event{{Number: 1, Type: match.Opened}}
	return m
}

func roll(m *match.Match) error {
	m.Rolls++
	m.Dice += 2
	m.Events++
	m.Added = append(m.Added, match.Event{Number: m.Events, Type: match.Rolled, Roll: m.Rolls, Game: 1, Seat: 1, Dice: []uint32{6, 3}})
	return nil
}

// conn is a connection of the test's own.
func conn(t *testing.T, address string) *pgx.Conn {
	t.Helper()
	c, err := pgx.Connect(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close(context.Background()) })
	return c
}

func exec(t *testing.T, c *pgx.Conn, sql string, args ...any) {
	t.Helper()
	if _, err := c.Exec(t.Context(), sql, args...); err != nil {
		t.Fatal(err)
	}
}

// Both stores take the same steps from version to version.
func TestSameMigrationsAsSQLite(t *testing.T) {
	theirs, err := fs.Glob(os.DirFS("../sqlite"), "migrations/*.sql")
	if err != nil || len(theirs) == 0 {
		t.Fatalf("got %v, %v", theirs, err)
	}
	for i, name := range theirs {
		theirs[i] = strings.TrimPrefix(name, "migrations/")
	}
	if diff := cmp.Diff(migrationFiles(), theirs); diff != "" {
		t.Errorf("ours - theirs +:\n%s", diff)
	}
}

func migrated(t *testing.T, p *needs.PostgresServer) {
	empty := p.Create("migrated")
	if _, err := Open(t.Context(), empty); err == nil || !strings.Contains(err.Error(), "veridiced migrate") {
		t.Errorf("an empty database: got %v, want what makes the tables", err)
	}
	// Several processes at once: each step is taken once.
	var all sync.WaitGroup
	var mu sync.Mutex
	taken := map[string]int{}
	for range 4 {
		all.Go(func() {
			applied, err := Migrate(context.Background(), empty)
			if err != nil {
				t.Error(err)
			}
			mu.Lock()
			defer mu.Unlock()
			for _, name := range applied {
				taken[name]++
			}
		})
	}
	all.Wait()
	for _, name := range migrationFiles() {
		if taken[name] != 1 {
			t.Errorf("%s was applied %d times", name, taken[name])
		}
	}
	connect(t, empty)
	c := conn(t, empty)
	exec(t, c, "INSERT INTO migration (number, name, at) VALUES (9999, '9999_later.sql', 0)")
	if _, err := Open(t.Context(), empty); err == nil || !strings.Contains(err.Error(), "later version") {
		t.Errorf("a later version: got %v", err)
	}
	if _, err := Migrate(t.Context(), empty); err == nil || !strings.Contains(err.Error(), "later version") {
		t.Errorf("migrating a later version: got %v", err)
	}
	exec(t, c, "DELETE FROM migration WHERE number > 1")
	if _, err := Open(t.Context(), empty); err == nil || !strings.Contains(err.Error(), "earlier version") {
		t.Errorf("an earlier version: got %v", err)
	}
	if _, err := Open(t.Context(), p.URL("missing")); err == nil || !strings.Contains(err.Error(), "missing") {
		t.Errorf("no such database: got %v", err)
	}
	for _, bad := range []string{"postgres://user:geheim@%zz/x", "postgres:///x?host=/nowhere&user=u&password=geheim", "postgres://u:geheim@127.0.0.1:1/x"} {
		if _, err := Open(t.Context(), bad); err == nil || strings.Contains(err.Error(), "geheim") || strings.Count(err.Error(), "refused") > 1 {
			t.Errorf("an address that does not work: got %v", err)
		}
	}
}

// Two that make a table at once meet in one of several ways, each seldom.
func TestAgain(t *testing.T) {
	for code, want := range map[string]int{"23505": 2, "42710": 2, "42P07": 2, "42501": 1} {
		tried := 0
		err := again(func() error {
			if tried++; tried == 1 {
				return &pgconn.PgError{Code: code}
			}
			return nil
		})
		if tried != want || (err == nil) != (want == 2) {
			t.Errorf("%s: tried %d times, %v", code, tried, err)
		}
	}
}

// What a database of an earlier version has is there in this one.
func oldData(t *testing.T, p *needs.PostgresServer) {
	const schema = "old_data"
	p.Run("postgres", "CREATE SCHEMA "+schema)
	address := p.URL("postgres") + "&search_path=" + schema
	c := conn(t, address)
	exec(t, c, "CREATE TABLE migration (number BIGINT NOT NULL PRIMARY KEY, name TEXT NOT NULL, at BIGINT NOT NULL)")
	for i, name := range migrationFiles()[:6] {
		text, err := migrations.ReadFile("migrations/" + name)
		if err != nil {
			t.Fatal(err)
		}
		if done, err := apply(t.Context(), c, i+1, name, string(text)); err != nil || !done {
			t.Fatal(done, err)
		}
	}
	// Two matches, 2 rolls each, an answer that came with a roll, one that came alone, and
	// one whose key is not ASCII.
	for _, sql := range []string{
		`INSERT INTO match (match, scheme, seal, sealed, state, seats, rolls, dice, game, marked, asked, events, version, created)
			SELECT decode(lpad(n::text, 32, '0'), 'hex'), 'tavli/1', decode(repeat('00', 32), 'hex'), '\x01', 'running', '[{"token":"' || repeat('0', 64) || '"}]',
				2, 4, 1, 0, 0, 3, 4, 0 FROM generate_series(1, 2) n`,
		"INSERT INTO event (match, event, type, at, seat, name, roll, game, dice) SELECT match, 1, 'opened', 0, 0, '', 0, 0, '' FROM match",
		"INSERT INTO event (match, event, type, at, seat, name, roll, game, dice) SELECT match, n + 1, 'rolled', 5, 1, '', n, 1, '6-3' FROM match, generate_series(1, 2) n",
		"INSERT INTO answer (match, key, request, body) SELECT match, k, decode(repeat('07', 32), 'hex'), convert_to(k || '!', 'UTF8') FROM match, unnest(ARRAY['one', 'two', 'τρία']) k",
	} {
		exec(t, c, sql)
	}
	if applied, err := Migrate(t.Context(), address); err != nil || len(applied) != len(migrationFiles())-6 {
		t.Fatalf("applied %v, %v", applied, err)
	}
	s := connect(t, address)
	for n := 1; n <= 2; n++ {
		id := newMatch(n).ID
		for _, k := range []string{"one", "two", "τρία", "alone"} {
			err := s.Update(t.Context(), id, k, func(m *match.Match) error {
				if m.Version != 4 || m.Rolls != 2 {
					t.Errorf("got %+v", m)
				}
				if k == "alone" {
					m.Answer = &match.Answer{Key: k, Body: []byte{}}
					return nil
				}
				if a := m.Earlier; a == nil || string(a.Body) != k+"!" || a.Request[31] != 7 {
					t.Errorf("the answer under %q: %+v", k, a)
				}
				return nil
			})
			if err != nil {
				t.Error(err)
			}
		}
		events, err := s.Events(t.Context(), id, 0, 9)
		if err != nil || len(events) != 3 || events[0].Type != match.Opened || events[2].Number != 3 || events[2].Roll != 2 || !slices.Equal(events[2].Dice, []uint32{6, 3}) {
			t.Errorf("got %+v, %v", events, err)
		}
	}
}

// Answers stand in the rows of events. There may be more of them than events in a commit,
// and fewer.
func answersAlone(t *testing.T, p *needs.PostgresServer) {
	address := database(t, p)
	s := connect(t, address)
	id := newMatch(1).ID
	if err := s.Create(t.Context(), newMatch(1)); err != nil {
		t.Fatal(err)
	}
	rounds, keys := [][]int{{0, 0, 2, 0}, {2, 0}, {0}, {0, 0}, {1, 1}}, 0 // events of changes that are committed together
	for round, changes := range rounds {
		held, hold := make(chan struct{}), make(chan struct{})
		var all sync.WaitGroup
		all.Go(func() {
			s.Update(context.Background(), newMatch(1).ID, "", func(*match.Match) error { close(held); <-hold; return nil })
		})
		<-held
		for _, events := range changes {
			key := fmt.Sprint("k", keys)
			keys++
			all.Go(func() {
				err := s.Update(context.Background(), id, key, func(m *match.Match) error {
					m.Answer = &match.Answer{Key: key, Request: [32]byte{9}, Body: []byte(key)}
					for range events {
						if err := roll(m); err != nil {
							return err
						}
					}
					return nil
				})
				if err != nil {
					t.Errorf("round %d: %v", round, err)
				}
			})
		}
		for s.writer.queue.Waiting() < len(changes) {
			time.Sleep(time.Millisecond) // the condition is the queue's length
		}
		close(hold)
		all.Wait()
	}
	var commits int
	err := conn(t, address).QueryRow(t.Context(), "SELECT count(DISTINCT xmin::text) FROM event WHERE key IS NOT NULL").Scan(&commits)
	if err != nil || commits != len(rounds) {
		t.Errorf("got %d commits, %v, want %d", commits, err, len(rounds))
	}
	s = connect(t, address)
	for n := range keys {
		key := fmt.Sprint("k", n)
		err := s.Update(t.Context(), id, key, func(m *match.Match) error {
			if a := m.Earlier; a == nil || string(a.Body) != key || a.Request != [32]byte{9} {
				t.Errorf("under %s: %+v", key, a)
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	}
	m, err := s.Match(t.Context(), id)
	if err != nil || m.Version != uint64(keys) || m.Rolls != 6 {
		t.Errorf("got %+v, %v", m, err)
	}
	rolls, err := s.Entries(t.Context(), id)
	events, failed := s.Events(t.Context(), id, 0, 99)
	if err != nil || failed != nil || len(rolls) != 6 || len(events) != 7 || events[6].Number != 7 {
		t.Errorf("got %+v, %v; %+v, %v", rolls, err, events, failed)
	}
}

// What three processes change in the same few matches stays in one line.
func processes(t *testing.T, p *needs.PostgresServer) {
	address := database(t, p)
	stores := []*Store{connect(t, address), connect(t, address), connect(t, address)}
	const matches, each = 3, 12
	for n := range matches {
		if err := stores[0].Create(t.Context(), newMatch(n)); err != nil {
			t.Fatal(err)
		}
	}
	var all sync.WaitGroup
	for i, s := range stores {
		for n := range matches {
			all.Go(func() {
				for k := range each {
					key := fmt.Sprint(i, "-", k)
					err := match.ErrConflict
					for range 16 {
						err = s.Update(context.Background(), newMatch(n).ID, key, func(m *match.Match) error {
							m.Answer = &match.Answer{Key: key, Body: []byte{}}
							next, err := m.Next()
							if err != nil {
								return err
							}
							m.Logged = [][]byte{fmt.Append(nil, n, " ", next.Index)}
							return roll(m)
						})
						if !errors.Is(err, match.ErrConflict) {
							break
						}
					}
					if err != nil {
						t.Error(err)
					}
				}
			})
		}
	}
	all.Wait()
	for n := range matches {
		for _, s := range stores {
			events, err := s.Events(t.Context(), newMatch(n).ID, 1, 1<<20)
			if err != nil || len(events) != 3*each {
				t.Fatalf("got %d events, %v, want %d", len(events), err, 3*each)
			}
			for i, e := range events {
				if e.Number != uint64(i+2) || e.Roll != uint64(i+1) {
					t.Fatalf("event %d, roll %d at place %d", e.Number, e.Roll, i)
				}
			}
		}
	}
	entries, err := stores[2].Log(t.Context(), 0, 1<<20)
	if err != nil || len(entries) != 3*matches*each {
		t.Fatalf("got %d entries of the log, %v, want %d", len(entries), err, 3*matches*each)
	}
	for i, text := range entries {
		if !strings.HasSuffix(string(text), fmt.Sprint(" ", i)) {
			t.Errorf("entry %d was written as %q", i, text)
		}
	}
}

// Changes that queue up while the writer is at work are committed together.
func grouped(t *testing.T, p *needs.PostgresServer) {
	address := database(t, p)
	s, err := Open(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	const n = 40
	for i := range n {
		if err := s.Create(t.Context(), newMatch(i)); err != nil {
			t.Fatal(err)
		}
	}
	c := conn(t, address)
	commits := func() (ids int) { // transactions that wrote those rows
		if err := c.QueryRow(t.Context(), "SELECT count(DISTINCT xmin::text) FROM event WHERE type = 'rolled'").Scan(&ids); err != nil {
			t.Fatal(err)
		}
		return ids
	}
	held, hold := make(chan struct{}), make(chan struct{})
	var all sync.WaitGroup
	all.Go(func() {
		s.Update(context.Background(), newMatch(0).ID, "", func(*match.Match) error { close(held); <-hold; return nil })
	})
	<-held
	for i := range n {
		all.Go(func() {
			if err := s.Update(context.Background(), newMatch(i).ID, "", roll); err != nil {
				t.Error(err)
			}
		})
	}
	for s.writer.queue.Waiting() < n {
		time.Sleep(time.Millisecond) // the condition is the queue's length
	}
	close(hold)
	all.Wait()
	if got := commits(); got != 1 {
		t.Errorf("%d waiting changes took %d commits, want 1", n, got)
	}
}

// A watcher of one process hears of what another one does, and soon.
func hinted(t *testing.T, p *needs.PostgresServer) {
	address := database(t, p)
	a, b := connect(t, address), connect(t, address)
	if err := a.Create(t.Context(), newMatch(1)); err != nil {
		t.Fatal(err)
	}
	hint, stop := b.Watch(newMatch(1).ID)
	defer stop()
	// b may not listen yet, and then looks by itself.
	if err := a.Update(t.Context(), newMatch(1).ID, "", roll); err != nil {
		t.Fatal(err)
	}
	wait(t, hint)
	c := conn(t, address)
	exec(t, c, "NOTIFY "+channel+", '"+newMatch(1).ID+"'")
	wait(t, hint)
}

func wait(t *testing.T, hint <-chan struct{}) {
	t.Helper()
	select {
	case <-hint:
	case <-time.After(time.Minute):
		t.Fatal("no hint")
	}
}

// Without notifications the store finds by itself what changed.
func polled(t *testing.T, p *needs.PostgresServer) {
	address := database(t, p)
	a, b := connect(t, address), connect(t, address)
	a.watch.close() // tells nobody
	if err := a.Create(t.Context(), newMatch(1)); err != nil {
		t.Fatal(err)
	}
	seen := map[string]uint64{}
	hint, stop := b.Watch(newMatch(1).ID)
	defer stop()
	b.watch.look(seen)
	wait(t, hint) // the first look cannot know what the watcher has seen
	b.watch.look(seen)
	select {
	case <-hint:
		t.Error("a hint without cause")
	default:
	}
	if err := a.Update(t.Context(), newMatch(1).ID, "", roll); err != nil {
		t.Fatal(err)
	}
	b.watch.look(seen)
	wait(t, hint)
	stop()
	b.watch.look(seen)
	if len(seen) != 0 {
		t.Errorf("remembers %v, though nobody watches", seen)
	}
}

// A row that the database refuses does not take the other changes of its commit along.
func badRow(t *testing.T, p *needs.PostgresServer) {
	s := connect(t, database(t, p))
	const n = 20
	for i := range n {
		if err := s.Create(t.Context(), newMatch(i)); err != nil {
			t.Fatal(err)
		}
	}
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() {
			err := s.Update(context.Background(), newMatch(i).ID, "", func(m *match.Match) error {
				if i%2 == 1 {
					m.Marked = 1 << 40 // more than there are rolls
				}
				return roll(m)
			})
			if (err == nil) != (i%2 == 0) || errors.Is(err, match.ErrConflict) || errors.Is(err, match.ErrBusy) {
				t.Errorf("match %d: got %v", i, err)
			}
		})
	}
	all.Wait()
	for i := range n {
		if m, err := s.Match(t.Context(), newMatch(i).ID); err != nil || m.Rolls != uint64(1-i%2) {
			t.Errorf("match %d: got %+v, %v", i, m, err)
		}
	}
}

// When the server ends all connections, the next request makes new ones.
func reconnected(t *testing.T, p *needs.PostgresServer) {
	address := database(t, p)
	s := connect(t, address)
	if err := s.Create(t.Context(), newMatch(1)); err != nil {
		t.Fatal(err)
	}
	c := conn(t, address)
	for n := range uint64(3) {
		exec(t, c, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()")
		if err := s.Update(t.Context(), newMatch(1).ID, "", roll); err != nil {
			t.Errorf("a change after the connections ended: %v", err)
		}
		exec(t, c, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()")
		if m, err := s.Match(t.Context(), newMatch(1).ID); err != nil || m.Rolls != n+1 {
			t.Errorf("after the connections ended: %+v, %v, want %d rolls", m, err, n+1)
		}
	}
}

// A process that stands still with the rows of a match locked holds nobody up for long.
func still(t *testing.T, p *needs.PostgresServer) {
	address := database(t, p)
	s := connect(t, address)
	for n := range 2 {
		if err := s.Create(t.Context(), newMatch(n)); err != nil {
			t.Fatal(err)
		}
	}
	c := conn(t, address)
	exec(t, c, "SET idle_in_transaction_session_timeout = '1s'") // ours is ten
	exec(t, c, "BEGIN")
	exec(t, c, "SELECT 1 FROM match WHERE match = $1 FOR UPDATE", make([]byte, 16))
	if err := s.Update(t.Context(), newMatch(0).ID, "", roll); err != nil {
		t.Error(err)
	}
	for _, want := range []string{"idle_in_transaction_session_timeout", "lock_timeout"} {
		err := s.read(t.Context(), func(ctx context.Context, c *pgxpool.Conn) error {
			value, err := show(ctx, c.Conn(), want)
			if value == "0" {
				t.Errorf("%s is not set", want)
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
	}
}

func panics(t *testing.T, p *needs.PostgresServer) {
	s := connect(t, database(t, p))
	if err := s.Create(t.Context(), newMatch(1)); err != nil {
		t.Fatal(err)
	}
	err := s.Update(t.Context(), newMatch(1).ID, "", func(*match.Match) error { panic("broken") })
	if err == nil || !strings.Contains(err.Error(), "panicked") {
		t.Errorf("got %v, want that it panicked", err)
	}
	if err := s.Update(t.Context(), newMatch(1).ID, "", roll); err != nil {
		t.Errorf("after a panic: %v", err)
	}
}

// A server that may lose what it committed is refused.
func TestNoFsync(t *testing.T) {
	p := needs.Postgres(t, "fsync=off")
	if _, err := Open(t.Context(), p.Create("unsafe")); err == nil || !strings.Contains(err.Error(), "fsync") {
		t.Errorf("got %v, want that fsync is off", err)
	}
	p.Run("unsafe", "ALTER SYSTEM SET synchronous_commit = off")
	p.Run("unsafe", "ALTER SYSTEM SET fsync = on")
	p.Run("unsafe", "SELECT pg_reload_conf()")
	s := connect(t, database(t, p))
	err := s.read(t.Context(), func(ctx context.Context, c *pgxpool.Conn) error {
		value, err := show(ctx, c.Conn(), "synchronous_commit")
		if value != "on" {
			t.Errorf("synchronous_commit is %q", value)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// Statements are looked up by index whatever the size of a table, in the order in which
// rows are locked, and are not compiled.
func plans(t *testing.T, p *needs.PostgresServer) {
	c := conn(t, database(t, p))
	if err := prepare(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	exec(t, c, "PREPARE matches AS "+loadMatches)
	exec(t, c, "PREPARE answers AS "+loadAnswers)
	exec(t, c, "PREPARE unread AS "+updateUnread)
	for statement, want := range map[string]string{
		"EXECUTE matches (ARRAY[''::BYTEA])":                        "Index Scan using match_pkey",
		"EXECUTE answers (ARRAY[''::BYTEA], ARRAY[''::BYTEA])":      "Index Scan using event_key",
		"EXECUTE unread (" + strings.Repeat("NULL, ", 19) + "NULL)": "Index Scan using match_pkey",
		loadNumbering: "numbering",
		selectTree:    "tree",
	} {
		rows, err := c.Query(t.Context(), "EXPLAIN "+statement)
		if err != nil {
			t.Fatal(err)
		}
		lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil {
			t.Fatal(err)
		}
		plan := strings.Join(lines, "\n")
		if !strings.Contains(plan, want) || strings.Contains(plan, "JIT") || strings.Contains(plan, "Sort") {
			t.Errorf("%s: got\n%s", statement, plan)
		}
	}
}

// Locks keep two processes apart; should they not, the guards end the transaction.
func guarded(t *testing.T, p *needs.PostgresServer) {
	address := database(t, p)
	s := connect(t, address)
	if err := s.Create(t.Context(), newMatch(1)); err != nil {
		t.Fatal(err)
	}
	m, err := s.Match(t.Context(), newMatch(1).ID)
	if err != nil {
		t.Fatal(err)
	}
	c := conn(t, address)
	k, _ := key(m.ID)
	for _, was := range []uint64{0, 1} {
		old := m.Clone()
		old.Version = was
		var u updates
		u.add(k, &group.Change{Old: old, New: m})
		_, err := c.Exec(t.Context(), updateMatches, u.match, u.was, u.rolls, u.dice, u.events, u.version, u.play, len(u.match))
		if (err == nil) != (was == 0) || was == 1 && !conflicts(err) {
			t.Errorf("a change of version %d of a match of version 0: got %v", was, err)
		}
	}
	for _, stale := range []struct {
		sql  string
		args []any
	}{{updateNumbering, []any{5, 5, 4, 0}}, {updateNumbering, []any{5, 5, 0, 4}}, {deleteFreed, []any{3}}} {
		if _, err := c.Exec(t.Context(), stale.sql, stale.args...); !conflicts(err) {
			t.Errorf("%s: got %v", stale.sql, err)
		}
	}
}
