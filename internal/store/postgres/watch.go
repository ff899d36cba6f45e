package postgres

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"veridice/seed"
)

const (
	channel = "veridice_events"

	// pollEvery is how often the store looks at what is watched while it gets no
	// notifications, and checkEvery while it does: one can be lost.
	pollEvery  = 300 * time.Millisecond
	checkEvery = 5 * time.Second

	// tellEvery is how long the store waits after it has told others.
	tellEvery = 20 * time.Millisecond

	// perNotification is how many ids go into one notification; PostgreSQL takes
	// less than 8000 bytes.
	perNotification = 200
)

// A watch tells other processes of changed matches and hears of theirs. It tells after the
// commit, on a connection of its own, of all that changed meanwhile, and waits for no disk: a
// hint may be lost.
type watch struct {
	store  *Store
	ended  sync.WaitGroup
	ctx    context.Context // done when the store is closed
	cancel context.CancelFunc

	mu      sync.Mutex
	changed map[string]struct{} // ids to tell of

	waiting chan struct{} // has a value when changed is not empty
	lost    chan bool     // the latest of "no notifications come"
}

func newWatch(s *Store) *watch {
	w := &watch{store: s, changed: make(map[string]struct{}), waiting: make(chan struct{}, 1), lost: make(chan bool, 1)}
	w.ctx, w.cancel = context.WithCancel(context.Background())
	w.ended.Go(w.notify)
	w.ended.Go(w.listen)
	w.ended.Go(w.poll)
	return w
}

func (w *watch) close() {
	w.cancel()
	w.ended.Wait()
}

// tell lets other processes hear of a changed match, soon.
func (w *watch) tell(id string) {
	w.mu.Lock()
	w.changed[id] = struct{}{}
	w.mu.Unlock()
	select {
	case w.waiting <- struct{}{}:
	default:
	}
}

func (w *watch) notify() {
	for {
		select {
		case <-w.waiting:
		case <-w.ctx.Done():
			return
		}
		w.mu.Lock()
		ids := make([]string, 0, len(w.changed))
		for id := range w.changed {
			ids = append(ids, id)
		}
		clear(w.changed)
		w.mu.Unlock()
		// What cannot be told is found by those who look.
		w.store.read(w.ctx, func(ctx context.Context, c *pgxpool.Conn) error {
			for len(ids) > 0 {
				n := min(len(ids), perNotification)
				if _, err := c.Exec(ctx, "SET LOCAL synchronous_commit = off; NOTIFY "+channel+", '"+strings.Join(ids[:n], " ")+"'", pgx.QueryExecModeSimpleProtocol); err != nil {
					return err
				}
				ids = ids[n:]
			}
			return nil
		})
		select {
		case <-time.After(tellEvery):
		case <-w.ctx.Done():
			return
		}
	}
}

// listen wakes the watchers of what other processes tell of, as long as it can.
func (w *watch) listen() {
	for {
		err := w.listenOnce()
		w.say(true)
		pause := time.Second
		var refused *pgconn.PgError
		if errors.As(err, &refused) && !lost(err) {
			pause = time.Minute // a database without LISTEN
		}
		select {
		case <-time.After(pause):
		case <-w.ctx.Done():
			return
		}
	}
}

func (w *watch) say(lost bool) {
	select {
	case <-w.lost:
	default:
	}
	w.lost <- lost
}

func (w *watch) listenOnce() error {
	c, err := pgx.ConnectConfig(w.ctx, w.store.config)
	if err != nil {
		return err
	}
	defer w.store.goodbye(c)
	if _, err := c.Exec(w.ctx, "LISTEN "+channel); err != nil {
		return err
	}
	w.say(false)
	for {
		n, err := c.WaitForNotification(w.ctx)
		if err != nil {
			return err
		}
		for id := range strings.SplitSeq(n.Payload, " ") {
			w.store.Wake(id)
		}
	}
}

// poll looks at the watched matches: often without notifications, seldom with them.
func (w *watch) poll() {
	seen := map[string]uint64{} // events of watched matches
	every := pollEvery
	timer := time.NewTimer(every)
	defer timer.Stop()
	for {
		select {
		case lost := <-w.lost:
			every = checkEvery
			if lost {
				every = pollEvery
			}
			timer.Reset(0) // something may have been missed
		case <-timer.C:
			w.look(seen)
			timer.Reset(every)
		case <-w.ctx.Done():
			return
		}
	}
}

func (w *watch) look(seen map[string]uint64) {
	var keys [][]byte
	watched := map[string]bool{}
	for _, id := range w.store.Watched() {
		if k, err := key(id); err == nil {
			keys, watched[id] = append(keys, k), true
		}
	}
	for id := range seen {
		if !watched[id] {
			delete(seen, id)
		}
	}
	if len(keys) == 0 {
		return
	}
	// What cannot be read now is looked at next time.
	w.store.read(w.ctx, func(ctx context.Context, c *pgxpool.Conn) error {
		rows, err := c.Query(ctx, "SELECT match, events FROM match WHERE match = ANY ($1::BYTEA[])", keys)
		if err != nil {
			return err
		}
		var k []byte
		var events uint64
		_, err = pgx.ForEachRow(rows, []any{&k, &events}, func() error {
			id := seed.Hex(k)
			if before, ok := seen[id]; !ok || before != events {
				seen[id] = events
				w.store.Wake(id)
			}
			return nil
		})
		return err
	})
}
