package postgres

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/jackc/pgx/v5"

	"veridice/internal/match"
	"veridice/internal/store/group"
	"veridice/seed"
)

// maxOwn is how many matches a writer remembers.
const maxOwn = 10_000

// own are matches as this process left them, by id. If nobody else changes one of them, its
// next change needs no lock and no look: it is decided on what is remembered, and written if
// the version in the row is still that. Nothing else is ever answered from here: what
// refuses, or has an answer from earlier, is decided again on what is stored.
type own map[string]owned

type owned struct {
	match *match.Match
	again bool // the change before the last was this process's, too
}

// wrote remembers changes that are stored.
func (o own) wrote(changes []*group.Change) {
	for _, c := range changes {
		id := c.New.ID
		before, known := o[id]
		switch {
		case c.New.State == match.Finished || c.New.State == match.Aborted:
			delete(o, id)
			continue
		case !known && len(o) >= maxOwn:
			for any := range o {
				delete(o, any)
				break
			}
		}
		o[id] = owned{c.New, c.Old == nil || known && before.match.Version == c.Old.Version}
	}
}

var errUnread = errors.New("postgres: not without reading")

// Match is [group.Source].
func (o own) Match(id string) (*match.Match, error) { return o[id].match, nil }

// Answer is [group.Source]. A key that was used before is refused by its index.
func (own) Answer(string, string) (*match.Answer, error) { return nil, nil }

// Entries is [group.Source].
func (own) Entries(string) ([]match.Event, error) { return nil, errUnread }

// Numbers is [group.Source].
func (own) Numbers() (group.Numbers, error) { return group.Numbers{}, errUnread }

// unread commits in one round trip those changes of a batch that need nothing but what is
// remembered: each answered under its key, and of counters and events alone. It gives the
// others back.
func (w *writer) unread(ctx context.Context, batch []*group.Op) []*group.Op {
	if w.resealed.Swap(false) {
		clear(w.own)
	}
	ops, n := make(map[string][]*group.Op, len(batch)), 0 // by match
	for _, o := range batch {
		if o.Key != "" && w.own[o.Match].again {
			ops[o.Match] = append(ops[o.Match], o)
			n++
		}
	}
	if 2*n <= len(batch) {
		return batch // one transaction for all costs less than two
	}
	plan := group.NewPlan(w.own)
	for _, of := range ops {
		for _, o := range of {
			o.Do(plan) // what it refuses changes nothing
		}
	}
	changes := slices.DeleteFunc(plan.Changes, func(c *group.Change) bool {
		each := slices.EqualFunc(c.Answers, ops[c.New.ID], func(a match.Answer, o *group.Op) bool { return a.Key == o.Key })
		return !each || !sameRest(c.Old, c.New)
	})
	if len(changes) == 0 {
		return batch
	}
	// Two processes that lock the same rows do so in the same order.
	slices.SortFunc(changes, func(a, b *group.Change) int { return cmp.Compare(a.New.ID, b.New.ID) })
	written, err := w.writeUnread(ctx, changes)
	if err != nil {
		if lost(err) { // perhaps committed: then the answers are found under their keys
			w.drop(true)
		}
		return batch
	}
	w.own.wrote(slices.DeleteFunc(changes, func(c *group.Change) bool { return !written[c.New.ID] }))
	return slices.DeleteFunc(batch, func(o *group.Op) bool {
		done := written[o.Match] && o.Key != ""
		if done {
			o.Err = nil
		}
		return done
	})
}

// writeUnread gives the ids of those matches that were still as they were remembered, and are
// changed.
func (w *writer) writeUnread(ctx context.Context, changes []*group.Change) (map[string]bool, error) {
	var u updates
	var e eventRows
	for _, c := range changes {
		k, err := key(c.New.ID)
		if err != nil {
			return nil, err
		}
		u.add(k, c)
		e.add(k, c)
	}
	rows, err := w.c.Query(ctx, updateUnread, u.match, u.was, u.rolls, u.dice, u.events, u.version, u.play,
		e.match, e.event, e.kind, e.at, e.seat, e.name, e.roll, e.game, e.dice, e.data, e.key, e.request, e.body)
	if err != nil {
		return nil, err
	}
	written := make(map[string]bool, len(changes))
	var k []byte
	_, err = pgx.ForEachRow(rows, []any{&k}, func() error {
		written[seed.Hex(k)] = true
		return nil
	})
	return written, err
}
