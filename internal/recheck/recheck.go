// Package recheck recomputes all that a store holds: each match with the check that a
// reader would make, and everything that is numbered: events, rolls, dice, openings,
// entries of the public log and the hashes of its tree; and each draw of seed pairs.
package recheck

import (
	"context"
	"errors"
	"fmt"

	"golang.org/x/mod/sumdb/tlog"

	"veridice/internal/match"
	"veridice/internal/pair"
)

// page is how much is read from the store at once.
const page = 256

// A Summary counts what was checked.
type Summary struct {
	Matches, Rolls, Openings, Entries, Hashes uint64
	pair.Sum
}

// A Fault is the first thing that is wrong with matches or the log.
type Fault struct {
	Match string // "" if it is of no single match
	What  string
}

func (f *Fault) Error() string {
	if f.Match == "" {
		return f.What
	}
	return "match " + f.Match + ": " + f.What
}

// Store checks a store that nobody writes to, with the services that can open its
// secrets. It ends at the first [*Fault] or [*pair.Fault]; another error says that it could
// not check.
func Store(ctx context.Context, s match.Store, service *match.Service, pairs *pair.Service) (sum Summary, err error) {
	c := &check{ctx: ctx, store: s, service: service, seqs: map[uint64]string{}, begins: map[uint64]string{}, ends: map[string]string{}}
	for _, step := range []func() error{c.matches, c.numbers, c.log, c.tree} {
		if err := step(); err != nil {
			return c.Summary, err
		}
	}
	c.Sum, err = pairs.Recompute(ctx)
	return c.Summary, err
}

type check struct {
	Summary
	ctx     context.Context
	store   match.Store
	service *match.Service

	last   string            // a match, "" if there is none
	seqs   map[uint64]string // who has which number of an opening
	begins map[uint64]string // entries of the log by index, as the matches have them
	ends   map[string]string // matches by the entry that ends them
}

func (c *check) matches() error {
	for after := ""; ; {
		ids, err := c.store.Matches(c.ctx, after, page)
		if err != nil {
			return err
		}
		for _, id := range ids {
			if err := c.match(id); err != nil {
				return err
			}
			after, c.last = id, id
		}
		if len(ids) < page {
			return nil
		}
	}
}

func (c *check) match(id string) error {
	fault := func(format string, args ...any) error { return &Fault{id, fmt.Sprintf(format, args...)} }
	m, err := c.store.Match(c.ctx, id)
	if err != nil {
		return err
	}
	var number, rolls, dice uint64
	for {
		events, err := c.store.Events(c.ctx, id, number, page)
		if err != nil {
			return err
		}
		for _, e := range events {
			if number++; e.Number != number {
				return fault("event %d stands where event %d should be", e.Number, number)
			}
			if e.Type == match.Rolled {
				if rolls++; e.Roll != rolls {
					return fault("roll %d stands where roll %d should be", e.Roll, rolls)
				}
				dice += uint64(len(e.Dice))
			}
		}
		if len(events) < page {
			break
		}
	}
	if m.Events != number || m.Rolls != rolls || m.Dice != dice {
		return fault("it counts %d events, %d rolls and %d dice; there are %d, %d and %d", m.Events, m.Rolls, m.Dice, number, rolls, dice)
	}
	entries, err := c.store.Entries(c.ctx, id)
	if err != nil {
		return err
	}
	if err := c.service.Recompute(m, entries); err != nil {
		if errors.Is(err, match.ErrOtherKey) {
			return err
		}
		return fault("%v", err)
	}
	if m.Seq != 0 {
		if other := c.seqs[m.Seq]; other != "" {
			return fault("its opening has number %d, like the one of match %s", m.Seq, other)
		}
		c.seqs[m.Seq] = id
	}
	begins, index, ends, err := m.InLog()
	if err != nil {
		return fault("%v", err)
	}
	if begins != "" {
		if c.begins[index] != "" {
			return fault("entry %d of the log is another match's too", index)
		}
		c.begins[index] = begins
	}
	if ends != "" {
		c.ends[ends] = id
	}
	c.Matches++
	c.Rolls += rolls
	return nil
}

// errSeen ends a change that only looks.
var errSeen = errors.New("seen")

// numbers holds the numbers of openings to what comes next: the lowest that is free.
func (c *check) numbers() error {
	c.Openings = uint64(len(c.seqs))
	if c.last == "" {
		return nil
	}
	var next match.Next
	err := c.store.Update(c.ctx, c.last, "", func(m *match.Match) (err error) {
		if next, err = m.Next(); err != nil {
			return err
		}
		return errSeen
	})
	if !errors.Is(err, errSeen) {
		return err
	}
	for seq := uint64(1); seq < next.Seq; seq++ {
		if c.seqs[seq] == "" {
			return &Fault{What: fmt.Sprintf("no opening has number %d, and the next one would get %d", seq, next.Seq)}
		}
	}
	if other := c.seqs[next.Seq]; other != "" {
		return &Fault{other, fmt.Sprintf("its opening has number %d, which the next one would get", next.Seq)}
	}
	c.Entries = next.Index
	return nil
}

// log compares the entries with what the matches have of them.
func (c *check) log() error {
	number := uint64(0)
	for {
		texts, err := c.store.Log(c.ctx, number, page)
		if err != nil {
			return err
		}
		for _, text := range texts {
			switch begins := c.begins[number]; {
			case begins == string(text):
				delete(c.begins, number)
			case begins == "" && c.ends[string(text)] != "":
				delete(c.ends, string(text))
			default:
				return &Fault{What: fmt.Sprintf("entry %d of the log is not the one of its match", number)}
			}
			number++
		}
		if len(texts) < page {
			break
		}
	}
	if number != c.Entries {
		return &Fault{What: fmt.Sprintf("the log has %d entries, and the next one would get index %d", number, c.Entries)}
	}
	for index := range c.begins {
		return &Fault{What: fmt.Sprintf("entry %d of the log is missing", index)}
	}
	for _, id := range c.ends {
		return &Fault{id, "the entry of the log that ends it is missing"}
	}
	return nil
}

// tree makes the hashes of the published log again.
func (c *check) tree() error {
	tree, err := c.store.Tree(c.ctx)
	if err != nil {
		return err
	}
	logs, err := match.Logs(c.ctx, c.store)
	if err != nil {
		return err
	}
	var start match.LogStart // of the log in use; those that were given up are left alone
	if len(logs) > 0 {
		start = logs[len(logs)-1]
	}
	if start.Entries+tree.Size > c.Entries {
		return &Fault{What: fmt.Sprintf("%d entries of the log are published, and there are %d", start.Entries+tree.Size, c.Entries)}
	}
	kept := func(indexes []int64) ([][32]byte, error) {
		numbers := make([]int64, len(indexes))
		for i, n := range indexes {
			numbers[i] = int64(start.Hashes) + n
		}
		return c.store.Hashes(c.ctx, numbers)
	}
	stored := tlog.HashReaderFunc(func(indexes []int64) ([]tlog.Hash, error) {
		hashes, err := kept(indexes)
		if err != nil {
			return nil, err
		}
		all := make([]tlog.Hash, len(hashes))
		for i := range hashes {
			all[i] = tlog.Hash(hashes[i])
		}
		return all, nil
	})
	var texts [][]byte
	for n := int64(0); n < int64(tree.Size); n++ {
		if len(texts) == 0 {
			if texts, err = c.store.Log(c.ctx, start.Entries+uint64(n), page); err != nil {
				return err
			}
			if len(texts) == 0 {
				return &Fault{What: fmt.Sprintf("entry %d of the log is missing", n)}
			}
		}
		want, err := tlog.StoredHashes(n, texts[0], stored)
		if err != nil {
			return err
		}
		texts = texts[1:]
		indexes := make([]int64, len(want))
		for i := range indexes {
			indexes[i] = int64(c.Hashes) + int64(i)
		}
		got, err := kept(indexes)
		if errors.Is(err, match.ErrNotFound) {
			return &Fault{What: fmt.Sprintf("a hash of entry %d of the log is missing", n)}
		}
		if err != nil {
			return err
		}
		for i := range want {
			if tlog.Hash(got[i]) != want[i] {
				return &Fault{What: fmt.Sprintf("hash %d of the log's tree is not the one of its entries", indexes[i])}
			}
		}
		c.Hashes += uint64(len(want))
	}
	return nil
}
