package postgres

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"veridice/internal/match"
	"veridice/internal/store/group"
	"veridice/seed"
)

// tries is how often a writer repeats a transaction that met another process's.
const tries = 8

// A writer commits changes. One goroutine uses it, with one connection: two made smaller
// groups and fewer rolls on two processors.
type writer struct {
	store *Store
	queue *group.Queue
	c     *pgx.Conn // nil when there is none
	seats map[string][]match.Seat
	own   own

	resealed atomic.Bool // what own has of secrets may be old
}

// commit makes changes durable, together if nothing is wrong with any of them. What waited
// too long already, because the database hung, is answered without another attempt.
func (w *writer) commit(batch []*group.Op) {
	end := time.Now().Add(w.store.patience)
	due := make([]*group.Op, 0, len(batch))
	for _, o := range batch {
		switch until := o.Since.Add(w.store.patience); {
		case !time.Now().Before(until):
			o.Err = fmt.Errorf("%w: postgres: the database takes too long", match.ErrBusy)
			continue
		case until.Before(end):
			end = until
		}
		due = append(due, o)
	}
	if len(due) > 0 {
		ctx, cancel := context.WithDeadline(context.Background(), end)
		defer cancel()
		if due = w.unread(ctx, due); len(due) > 0 {
			w.try(ctx, due)
		}
	}
}

func (w *writer) try(ctx context.Context, batch []*group.Op) {
	var err error
	for try := range tries {
		var written bool
		written, err = w.once(ctx, batch)
		if err == nil {
			return
		}
		if lost(err) {
			w.drop(written)
			if written || try > 0 {
				break // perhaps committed: nobody but the callers may repeat it
			}
			continue
		}
		if !conflicts(err) {
			break
		}
		if c := code(err); c == uniqueViolation || c == lockNotAvailable {
			if len(batch) > 1 {
				// One of them is new and there already, or another process stands still
				// with its match.
				for i := range batch {
					w.commit(batch[i : i+1])
				}
				return
			}
			if c == uniqueViolation && (batch[0].Create || batch[0].Kind != "") {
				break
			}
		}
	}
	for _, o := range batch {
		o.Err = storeError(err)
	}
	if len(batch) > 1 && !lost(err) && !conflicts(err) {
		// A row that the database refuses for a reason of its own must not take the
		// changes of other matches with it.
		for i := range batch {
			w.commit(batch[i : i+1])
		}
	}
}

// drop gives the connection up. committing says whether there may be a commit on its way.
func (w *writer) drop(committing bool) {
	if committing {
		w.store.doubt.Store(true)
	}
	if w.c != nil {
		w.c.PgConn().Conn().Close() // without a farewell, which could hang
		w.store.goodbye(w.c)
		w.c = nil
	}
	w.own = nil // the next connection may be to another server
}

// connect makes a connection if there is none.
func (w *writer) connect(ctx context.Context) error {
	if w.c != nil {
		return nil
	}
	if err := w.store.settled(ctx); err != nil {
		return err
	}
	config := w.store.config.Copy()
	uncancelled(config)
	c, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return err
	}
	if err := prepare(ctx, c); err != nil {
		w.store.goodbye(c) // what is not ready is not used
		return err
	}
	w.c, w.own = c, make(own)
	return nil
}

// once runs changes in one transaction. An error of a single one is in its op; the
// returned one is of all of them. written says whether the commit was sent.
func (w *writer) once(ctx context.Context, batch []*group.Op) (written bool, err error) {
	if err := w.connect(ctx); err != nil {
		return false, err
	}
	src := &source{w: w, ctx: ctx}
	if err := src.load(batch); err != nil {
		return false, w.rollback(ctx, err)
	}
	plan := group.NewPlan(src)
	for _, o := range batch {
		if o.Err = o.Do(plan); src.err != nil {
			return false, w.rollback(ctx, src.err)
		}
	}
	if len(plan.Changes) == 0 && len(plan.Books) == 0 {
		return false, w.rollback(ctx, nil)
	}
	if err := w.write(ctx, plan); err != nil {
		return true, w.rollback(ctx, err)
	}
	w.own.wrote(plan.Changes)
	return true, nil
}

// rollback ends a transaction that is still there. It gives err, or why it cannot.
func (w *writer) rollback(ctx context.Context, err error) error {
	if w.c.PgConn().TxStatus() != 'I' && !w.c.IsClosed() {
		if _, failed := w.c.Exec(ctx, "ROLLBACK"); failed != nil {
			w.drop(false)
		}
	}
	return err
}

// A source reads for one plan. It remembers an error that is of the whole
// transaction.
type source struct {
	w       *writer
	ctx     context.Context
	matches map[string]*match.Match     // nil for those that are not there
	answers map[answerName]match.Answer // of those that were looked for
	asked   map[answerName]bool
	books   books
	err     error
}

type answerName struct{ match, key string }

// load begins the transaction, and locks and reads what a batch is about, in one round
// trip. The locks are taken in the order of the ids, and those of the books after them, so
// that no two processes wait for each other.
func (s *source) load(batch []*group.Op) error {
	s.matches, s.answers, s.asked = make(map[string]*match.Match, len(batch)), make(map[answerName]match.Answer), make(map[answerName]bool, len(batch))
	var ids, withKey, keys bytesColumn
	for _, o := range batch {
		if o.Kind != "" {
			s.books.ask(o)
		}
		if o.Create || o.Kind != "" {
			continue
		}
		k, err := key(o.Match)
		if err != nil {
			continue
		}
		if _, again := s.matches[o.Match]; !again {
			s.matches[o.Match] = nil
			ids = append(ids, k)
		}
		if n := (answerName{o.Match, o.Key}); !s.asked[n] {
			s.asked[n] = true
			withKey, keys = append(withKey, k), append(keys, []byte(o.Key))
		}
	}
	b := new(pgx.Batch)
	b.Queue("BEGIN")
	if len(ids) > 0 {
		b.Queue(loadMatches, ids).Query(s.readMatches)
		b.Queue(loadAnswers, withKey, keys).Query(s.readAnswers)
	}
	s.books.load(b)
	return s.w.c.SendBatch(s.ctx, b).Close()
}

func (s *source) readMatches(rows pgx.Rows) error {
	for rows.Next() {
		m, seats, err := scanMatch(rows)
		if err != nil {
			return err
		}
		if m.Seats, err = s.w.decodeSeats(seats); err != nil {
			return err
		}
		s.matches[m.ID] = m
	}
	return rows.Err()
}

// decodeSeats remembers what it read: seats change rarely, and matches are read with
// each roll.
func (w *writer) decodeSeats(text string) ([]match.Seat, error) {
	if seats, ok := w.seats[text]; ok {
		return seats, nil
	}
	seats, err := decodeSeats(text)
	if err != nil {
		return nil, err
	}
	if w.seats == nil || len(w.seats) >= 4096 {
		w.seats = make(map[string][]match.Seat)
	}
	w.seats[text] = seats
	return seats, nil
}

func (s *source) readAnswers(rows pgx.Rows) error {
	for rows.Next() {
		var id, key, request []byte
		var a match.Answer
		if err := rows.Scan(&id, &key, &request, &a.Body); err != nil {
			return err
		}
		a.Key = string(key)
		copy(a.Request[:], request)
		s.answers[answerName{seed.Hex(id), a.Key}] = a
	}
	return rows.Err()
}

// Match is [group.Source].
func (s *source) Match(id string) (*match.Match, error) {
	if m := s.matches[id]; m != nil {
		return m, nil
	}
	return nil, match.ErrNotFound
}

// Answer is [group.Source].
func (s *source) Answer(id, name string) (*match.Answer, error) {
	if n := (answerName{id, name}); s.asked[n] {
		if a, ok := s.answers[n]; ok {
			return &a, nil
		}
		return nil, nil
	}
	k, err := key(id)
	if err != nil {
		return nil, err
	}
	a, err := scanAnswer(s.w.c.QueryRow(s.ctx, selectAnswer, k, []byte(name)), name)
	return a, s.fail(err)
}

func (s *source) fail(err error) error {
	if err != nil && s.err == nil {
		s.err = err
	}
	return storeError(err)
}

// Entries is [group.Source].
func (s *source) Entries(id string) ([]match.Event, error) {
	k, err := key(id)
	if err != nil {
		return nil, err
	}
	events, err := readEvents(s.ctx, s.w.c, selectEntries, k)
	return events, s.fail(err)
}

// Numbers is [group.Source]. It locks them: openings and closings of all processes wait
// for each other here.
func (s *source) Numbers() (n group.Numbers, err error) {
	b := new(pgx.Batch)
	b.Queue(loadNumbering).QueryRow(func(row pgx.Row) error { return row.Scan(&n.Last, &n.Index) })
	b.Queue(loadFreed, group.MaxBatch).Query(func(rows pgx.Rows) error {
		n.Free, err = pgx.CollectRows(rows, pgx.RowTo[uint64])
		return err
	})
	err = s.w.c.SendBatch(s.ctx, b).Close()
	return n, s.fail(err)
}

// write writes a plan and commits it, in one round trip.
func (w *writer) write(ctx context.Context, p *group.Plan) error {
	b := new(pgx.Batch)
	var u updates
	var e eventRows
	for _, c := range p.Changes {
		k, err := key(c.New.ID)
		if err != nil {
			return err
		}
		m := c.New
		if c.Old == nil {
			b.Queue(insertMatch, k, m.Scheme, m.Kind, m.Seal[:], blob(m.Sealed), m.Server, string(m.State), encodeSeats(m.Seats), m.Rolls, m.Dice, m.Game,
				m.Marked, m.Asked, m.Events, m.Version, m.Created.UnixMilli(), m.Play, m.Seq)
			if c.Creation != nil {
				b.Queue(insertCreation, c.Creation.Key, k, c.Creation.Request[:], blob(c.Creation.Body))
			}
		} else {
			u.add(k, c)
		}
		e.add(k, c)
	}
	if len(u.match) > 0 {
		b.Queue(updateMatches, u.match, u.was, u.rolls, u.dice, u.events, u.version, u.play, len(u.match))
	}
	for _, c := range p.Changes {
		if c.Old != nil && !sameRest(c.Old, c.New) {
			m := c.New
			k, err := key(m.ID)
			if err != nil {
				return err
			}
			b.Queue(updateRest, k, m.Server, string(m.State), encodeSeats(m.Seats), m.Game, m.Marked, m.Asked, m.Seq)
		}
	}
	if len(e.match) > 0 {
		b.Queue(insertEvents, e.match, e.event, e.kind, e.at, e.seat, e.name, e.roll, e.game, e.dice, e.data, e.key, e.request, e.body)
	}
	if p.New != nil && (p.New.Last != p.Old.Last || p.New.Index != p.Old.Index) {
		b.Queue(updateNumbering, p.New.Last, p.New.Index, p.Old.Last, p.Old.Index)
	}
	back, taken := p.Freed()
	for _, n := range back {
		b.Queue(insertFreed, n)
	}
	for _, n := range taken {
		b.Queue(deleteFreed, n)
	}
	for _, entry := range p.Log {
		k, err := key(entry.Match)
		if err != nil {
			return err
		}
		b.Queue(insertEntry, entry.Index, k, entry.Text)
	}
	writeBooks(b, p)
	b.Queue("COMMIT")
	results := w.c.SendBatch(ctx, b)
	for range b.Len() - 1 {
		if _, err := results.Exec(); err != nil {
			results.Close() // it says the same
			return err
		}
	}
	tag, err := results.Exec()
	if err := errors.Join(err, results.Close()); err != nil {
		return err
	}
	if tag.String() != "COMMIT" {
		return fault("the database answers " + tag.String() + " to COMMIT")
	}
	return nil
}

// A bytesColumn is a column of bytes. What is a plain [][]byte the driver reflects on.
type bytesColumn = pgtype.FlatArray[[]byte]

// Rows to be written at once are columns of arrays.
type (
	updates struct {
		match, play                       bytesColumn
		was, rolls, dice, events, version []int64
	}
	eventRows struct {
		match, data                 bytesColumn
		key, request, body          bytesColumn
		event, at, seat, roll, game []int64
		kind, name, dice            []string
	}
)

// sameRest reports whether two states of a match differ in nothing but what each roll
// changes.
func sameRest(a, b *match.Match) bool {
	return a.State == b.State && a.Game == b.Game && a.Marked == b.Marked && a.Asked == b.Asked && a.Seq == b.Seq &&
		bytes.Equal(a.Server, b.Server) && slices.Equal(a.Seats, b.Seats)
}

func (u *updates) add(k []byte, c *group.Change) {
	m := c.New
	u.match, u.play = append(u.match, k), append(u.play, m.Play)
	u.was, u.version = append(u.was, int64(c.Old.Version)), append(u.version, int64(m.Version))
	u.rolls, u.dice, u.events = append(u.rolls, int64(m.Rolls)), append(u.dice, int64(m.Dice)), append(u.events, int64(m.Events))
}

// add adds the events of a change, and its answers to their rows. Each of its versions
// has at most one answer, so that those for which there is no event have numbers of
// their own.
func (r *eventRows) add(k []byte, c *group.Change) {
	for i := range max(len(c.Events), len(c.Answers)) {
		e := &match.Event{}
		if i < len(c.Events) {
			e = &c.Events[i]
			r.event, r.at = append(r.event, int64(e.Number)), append(r.at, e.At.UnixMilli())
		} else {
			r.event, r.at = append(r.event, -int64(c.New.Version)+int64(i-len(c.Events))), append(r.at, 0)
		}
		r.match, r.data, r.seat = append(r.match, k), append(r.data, e.Data), append(r.seat, int64(e.Seat))
		r.roll, r.game = append(r.roll, int64(e.Roll)), append(r.game, int64(e.Game))
		r.kind, r.name, r.dice = append(r.kind, string(e.Type)), append(r.name, e.Name), append(r.dice, dice(e.Dice))
		if i < len(c.Answers) {
			a := &c.Answers[i]
			r.key, r.request, r.body = append(r.key, []byte(a.Key)), append(r.request, a.Request[:]), append(r.body, blob(a.Body))
		} else {
			r.key, r.request, r.body = append(r.key, nil), append(r.request, nil), append(r.body, nil)
		}
	}
}
