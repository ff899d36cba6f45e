package sqlite

import (
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"math"
	"slices"

	"github.com/ncruces/go-sqlite3"

	"veridice/internal/match"
	"veridice/internal/store/group"
)

// maxKnown is the most matches that the writer remembers.
const maxKnown = 4096

// A writer commits changes. One goroutine uses it.
type writer struct {
	*conn

	// known are matches as they were stored when version was what "PRAGMA data_version"
	// says: SQLite tells the holder of the write lock whether somebody else has written.
	// journal is what waits to move; nil if it is to be read anew.
	known   map[string]*known
	journal *journal
	version int64

	others func() // is called when somebody else has written
}

// A known is a match, and the hashes of the keys that it has answers under: a key that is
// none of them need not be looked for.
type known struct {
	m       *match.Match
	keys    []uint64
	version int64 // the writer's, when it was so
}

var hashSeed = maphash.MakeSeed()

func (k *known) add(answers []match.Answer) {
	for i := range answers {
		k.keys = append(k.keys, maphash.String(hashSeed, answers[i].Key))
	}
}

// Create is [match.Store].
func (s *Store) Create(ctx context.Context, m *match.Match) error {
	k, err := key(m.ID)
	if err != nil {
		return errors.New("sqlite: a match with an id that is none")
	}
	return s.change(ctx, &group.Op{Match: m.ID, Do: func(p *group.Plan) error {
		w := s.writer
		there := false
		if err := each(w.matchExists, func() { there = true }, k); err != nil {
			return err
		}
		if m.Answer != nil {
			if _, err := w.creation(m.Answer.Key); !errors.Is(err, match.ErrNotFound) {
				there = true
				if err != nil {
					return err
				}
			}
		}
		if there {
			return match.ErrConflict
		}
		return p.Create(m)
	}})
}

// Update is [match.Store].
func (s *Store) Update(ctx context.Context, id, key string, change func(*match.Match) error) error {
	return s.change(ctx, &group.Op{Match: id, Do: func(p *group.Plan) error { return p.Update(id, key, change) }})
}

// Grow is [match.Store].
func (s *Store) Grow(ctx context.Context, next match.Tree, hashes [][32]byte) error {
	blob := func(b []byte) []byte { return append([]byte{}, b...) } // never NULL
	return s.submit(ctx, func(c *conn) error {
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
	err = s.submit(ctx, func(c *conn) error {
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

// change hands a change to the writer, and wakes who waits for its match.
func (s *Store) change(ctx context.Context, o *group.Op) error {
	err := s.queue.Submit(ctx, o)
	if err == nil {
		s.Wake(o.Match)
	}
	return err
}

// submit hands what is no change of a match to the writer, which runs it in its
// transaction.
func (s *Store) submit(ctx context.Context, run func(*conn) error) error {
	return s.change(ctx, &group.Op{Do: func(*group.Plan) error { return s.writer.protect(run) }})
}

// settle commits changes, together if nothing is wrong with any of them.
func (w *writer) settle(batch []*group.Op) {
	err := w.commit(batch)
	if err == nil {
		return
	}
	w.known, w.journal = nil, nil
	if len(batch) > 1 && errors.Is(err, sqlite3.CONSTRAINT) {
		// A row that the tables refuse must not take the changes of other matches
		// with it.
		for i := range batch {
			w.settle(batch[i : i+1])
		}
		return
	}
	// Nothing of it happened, and what a change saw of the others never was: nobody may
	// hear of it.
	for _, o := range batch {
		o.Err = storeError(err)
	}
}

// commit runs changes in one transaction. An error of a single one is in its op;
// the returned one is of all of them.
func (w *writer) commit(batch []*group.Op) error {
	if err := w.begin.Exec(); err != nil {
		return err
	}
	version := int64(0)
	if err := each(w.dataVersion, func() { version = w.dataVersion.ColumnInt64(0) }); err != nil {
		return w.giveUp(err)
	}
	if version != w.version {
		w.others()
	}
	if w.known == nil || len(w.known) > maxKnown {
		w.known = make(map[string]*known)
	}
	if w.journal == nil {
		w.journal, w.version = newJournal(), unknown
	}
	if version != w.version {
		if err := w.catchUp(w.journal); err != nil {
			return w.giveUp(err)
		}
		w.version = version
	}
	plan := group.NewPlan(w)
	for _, o := range batch {
		o.Err = o.Do(plan)
		if w.c.GetAutocommit() {
			// SQLite gave the whole transaction up, as for a full disk.
			return fmt.Errorf("sqlite: the transaction was given up: %v", o.Err)
		}
	}
	if err := w.put(plan); err != nil {
		return w.giveUp(err)
	}
	if err := w.end.Exec(); err != nil {
		return w.giveUp(err)
	}
	return nil
}

// giveUp ends a transaction that is still there.
func (w *writer) giveUp(err error) error {
	if !w.c.GetAutocommit() {
		err = errors.Join(err, w.rollback.Exec())
	}
	return err
}

// put writes a plan, and remembers what will be stored.
func (w *writer) put(p *group.Plan) error {
	var text []byte
	var plains []change
	for _, c := range p.Changes {
		k, err := key(c.New.ID)
		if err != nil {
			return err
		}
		x := w.known[c.New.ID]
		if c.Old == nil {
			x = &known{version: w.version}
			w.known[c.New.ID] = x
		}
		x.m = c.New
		x.add(c.Answers)
		if c.Old == nil {
			if err := w.insert(k, c); err != nil {
				return err
			}
			continue
		}
		more, ch := appendChange(text, k, c)
		if plain(c) {
			text, plains = more, append(plains, ch)
			continue
		}
		w.journal.push(ch)
		if err := errors.Join(w.move(w.journal, ch.match), w.update(k, c)); err != nil {
			return err
		}
	}
	if err := w.keep(text, plains); err != nil {
		return err
	}
	if p.New == nil {
		return nil
	}
	if p.New.Last != p.Old.Last {
		if err := exec(w.takeLast, p.New.Last); err != nil {
			return err
		}
	}
	back, taken := p.Freed()
	for _, n := range back {
		if err := exec(w.giveBack, n); err != nil {
			return err
		}
	}
	for _, n := range taken {
		if err := exec(w.takeFreed, n); err != nil {
			return err
		}
	}
	for _, e := range p.Log {
		k, err := key(e.Match)
		if err != nil {
			return err
		}
		if err := exec(w.insertEntry, e.Index, k, e.Text); err != nil {
			return err
		}
	}
	return nil
}

// keep appends changes to the journal, and moves what is due.
func (w *writer) keep(text []byte, changes []change) error {
	j := w.journal
	if len(changes) > 0 {
		number := j.last + 1
		if err := exec(w.insertJournal, number, text); err != nil {
			return err
		}
		j.add(number, len(text), changes)
	}
	most := pace * len(text)
	for i := range changes {
		if r := j.recent[changes[i].match]; r.size > maxRecent && most > 0 {
			most -= r.size
			if err := w.move(j, changes[i].match); err != nil {
				return err
			}
		}
	}
	return w.clear(maxJournal, most, 16)
}

// clear moves what has waited longest, until the journal is no longer than limit, or about
// so much has moved, in bytes; and removes rows of which nothing waits any more, together
// if they are at least so many.
func (w *writer) clear(limit, most, together int) error {
	j := w.journal
	for len(j.rows) > 0 && j.size > limit {
		r := &j.rows[0]
		for len(r.matches) > 0 && most > 0 {
			k := r.matches[0]
			if waits := j.recent[k]; waits != nil && waits.changes[0].row == r.number {
				most -= waits.size
				if err := w.move(j, k); err != nil {
					return err
				}
			}
			r.matches = r.matches[1:]
		}
		if len(r.matches) > 0 || r.number == j.last {
			break
		}
		j.drop(r.number + 1)
	}
	if len(j.rows) == 0 || j.rows[0].number-j.first < int64(together) {
		return nil
	}
	j.first = j.rows[0].number
	return exec(w.deleteJournal, j.first)
}

// finish moves all that the journal has: a store that was closed has everything in its
// tables. What cannot move now is not lost, and moves another time.
func (w *writer) finish() {
	if w.begin.Exec() != nil {
		return
	}
	j := newJournal()
	err := w.catchUp(j)
	if w.journal = j; err == nil {
		err = w.clear(0, math.MaxInt, 1)
	}
	if err == nil {
		err = w.end.Exec()
	}
	if err != nil {
		w.giveUp(err)
	}
}

// Match is [group.Source].
func (w *writer) Match(id string) (*match.Match, error) {
	x := w.known[id]
	if x != nil && x.version == w.version {
		return x.m, nil
	}
	m, err := w.match(id)
	if err != nil {
		return nil, err
	}
	if x == nil || x.m.Version != m.Version {
		x = new(known)
		if err := w.readKeys(id, x); err != nil {
			return nil, err
		}
	}
	x.m, x.version = m, w.version
	w.known[id] = x
	return m, nil
}

// readKeys reads the keys of all answers of a match.
func (w *writer) readKeys(id string, x *known) error {
	k, err := key(id)
	if err != nil {
		return err
	}
	answers, err := w.journal.recent[string(k)].answers()
	if err != nil {
		return err
	}
	x.add(answers)
	return each(w.keysByMatch, func() {
		x.keys = append(x.keys, maphash.Bytes(hashSeed, w.keysByMatch.ColumnRawText(0)))
	}, k)
}

// Answer is [group.Source]. It is asked about a match that was read.
func (w *writer) Answer(id, name string) (*match.Answer, error) {
	if !slices.Contains(w.known[id].keys, maphash.String(hashSeed, name)) {
		return nil, nil
	}
	k, err := key(id)
	if err != nil {
		return nil, err
	}
	answers, err := w.journal.recent[string(k)].answers()
	if err != nil {
		return nil, err
	}
	for i := range answers {
		if answers[i].Key == name {
			return &answers[i], nil
		}
	}
	return w.answer(k, name)
}

// Entries is [group.Source].
func (w *writer) Entries(id string) ([]match.Event, error) { return w.events(w.entries, id, 0, -1) }

// Numbers is [group.Source].
func (w *writer) Numbers() (n group.Numbers, err error) {
	if err := each(w.next, func() { n.Last, n.Index = uint64(w.next.ColumnInt64(0)), uint64(w.next.ColumnInt64(1)) }); err != nil {
		return n, err
	}
	err = each(w.freed, func() { n.Free = append(n.Free, uint64(w.freed.ColumnInt64(0))) }, group.MaxBatch)
	return n, err
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
	if errors.Is(err, match.ErrConflict) || errors.Is(err, match.ErrNotFound) {
		return err
	}
	return fmt.Errorf("sqlite: %v", err)
}
