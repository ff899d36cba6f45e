// Package group lets changes of several matches and books share one transaction. A [Plan]
// runs them one after the other in memory, each seeing what those before it did,
// and ends with what is to be written at once; a [Queue] gathers what waits while
// the last transaction is on its way. What the rules of [match.Store] refuse is
// refused here, so that a store which writes a plan meets nothing but other
// processes and broken disks.
package group

import (
	"fmt"
	"slices"

	"veridice/internal/match"
)

// MaxBatch is the most changes in one plan.
const MaxBatch = 512

// A Source reads what is stored, within the transaction in which the plan will be
// written.
type Source interface {
	// Match reads a match or gives [match.ErrNotFound]. The plan does not alter it.
	Match(id string) (*match.Match, error)

	// Answer reads the answer stored under a key of a match, nil for none.
	Answer(id, key string) (*match.Answer, error)

	// Entries is [match.Store.Entries].
	Entries(id string) ([]match.Event, error)

	// Numbers reads what is numbered over all matches.
	Numbers() (Numbers, error)
}

// Numbers are what is counted over all matches.
type Numbers struct {
	Last  uint64   // greatest number of an opening that was taken
	Free  []uint64 // of those given back the lowest [MaxBatch], in order
	Index uint64   // entries in the log
}

// A Plan is what several changes make of the store. Nothing of it may be told to
// anybody before it is durable.
type Plan struct {
	// Changes lists the matches that are to be written, in the order in which
	// they were first changed.
	Changes []*Change

	// Log is to be appended to the log of openings and closings.
	Log []Entry

	// Old and New are what is numbered, before and after; nil if no change asked.
	Old, New *Numbers

	// Books lists the books that are to be written, in the order in which they were
	// first changed, and News what is to be appended to the news.
	Books []*BookChange
	News  [][]byte

	src     Source
	matches map[string]*Change
	books   map[bookName]*BookChange
	created map[string]bool // keys of creations
	freed   map[uint64]int  // 1 for a number to be given back, -1 for one to be taken
}

// A Change is what becomes of one match.
type Change struct {
	Old     *match.Match // as stored, nil of a new match
	New     *match.Match
	Events  []match.Event
	Answers []match.Answer

	// Creation is the answer of [match.Store.Create] for a new match, or nil.
	Creation *match.Answer

	listed bool
}

// An Entry is one of the log.
type Entry struct {
	Index uint64
	Match string
	Text  []byte
}

// NewPlan begins a plan.
func NewPlan(src Source) *Plan {
	return &Plan{src: src, matches: make(map[string]*Change)}
}

// Create plans [match.Store.Create]. That neither the match nor the key is stored
// yet is for the store to see when it writes.
func (p *Plan) Create(m *match.Match) error {
	if p.matches[m.ID] != nil || m.Answer != nil && p.created[m.Answer.Key] {
		return match.ErrConflict
	}
	c := &Change{New: kept(m), Events: slices.Clone(m.Added)}
	if m.Answer != nil {
		if p.created == nil {
			p.created = make(map[string]bool)
		}
		p.created[m.Answer.Key] = true
		answer := *m.Answer
		c.Creation = &answer
	}
	p.matches[m.ID] = c
	p.list(c)
	return nil
}

// Update plans [match.Store.Update].
func (p *Plan) Update(id, key string, change func(*match.Match) error) error {
	c := p.matches[id]
	if c == nil {
		stored, err := p.src.Match(id)
		if err != nil {
			return err
		}
		c = &Change{Old: stored, New: stored}
		p.matches[id] = c
	}
	m := c.New.Clone()
	earlier, err := p.answer(c, id, key)
	if err != nil {
		return err
	}
	m.Earlier = earlier
	m.Next = func() (match.Next, error) {
		n, err := p.numbers()
		if err != nil {
			return match.Next{}, err
		}
		return match.Next{Seq: n.next(), Index: n.Index}, nil
	}
	m.Entries = func() ([]match.Event, error) {
		var entries []match.Event
		if c.Old != nil {
			if entries, err = p.src.Entries(id); err != nil {
				return nil, err
			}
		}
		return append(entries, Entries(c.Events)...), nil
	}
	if err := protect(change, m); err != nil {
		return err
	}
	if len(m.Added) == 0 && m.Answer == nil {
		return nil
	}
	if m.Version != c.New.Version {
		return match.ErrConflict
	}
	for i, e := range m.Added {
		if e.Number != c.New.Events+uint64(i)+1 {
			return match.ErrConflict
		}
	}
	if m.Answer != nil {
		if m.Answer.Key != key {
			if earlier, err = p.answer(c, id, m.Answer.Key); err != nil {
				return err
			}
		}
		if earlier != nil {
			return match.ErrConflict
		}
	}
	if err := p.log(id, c.New.Seq, m); err != nil {
		return err
	}
	c.Events = append(c.Events, m.Added...)
	if m.Answer != nil {
		c.Answers = append(c.Answers, *m.Answer)
	}
	c.New = kept(m)
	c.New.Version++
	p.list(c)
	return nil
}

// kept is a copy of a match without what is written elsewhere.
func kept(m *match.Match) *match.Match {
	m = m.Clone()
	m.Added, m.Answer, m.Earlier, m.Logged, m.Next, m.Entries = nil, nil, nil, nil, nil, nil
	return m
}

func (p *Plan) list(c *Change) {
	if !c.listed {
		c.listed = true
		p.Changes = append(p.Changes, c)
	}
}

// protect keeps a panic in one change from taking the writer down, and with it
// everything else.
func protect[T any](change func(T) error, v T) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("store: a change panicked: %v", p)
		}
	}()
	return change(v)
}

// Entries picks the rolls and moves of events.
func Entries(events []match.Event) (entries []match.Event) {
	for _, e := range events {
		if e.Type == match.Rolled || e.Type == match.Moved {
			entries = append(entries, e)
		}
	}
	return entries
}

func (p *Plan) answer(c *Change, id, key string) (*match.Answer, error) {
	for i := range c.Answers {
		if c.Answers[i].Key == key {
			a := c.Answers[i]
			return &a, nil
		}
	}
	if c.Old == nil {
		return nil, nil
	}
	return p.src.Answer(id, key)
}

func (n *Numbers) next() uint64 {
	if len(n.Free) > 0 {
		return n.Free[0]
	}
	return n.Last + 1
}

// numbers are those after the changes so far.
func (p *Plan) numbers() (*Numbers, error) {
	if p.New == nil {
		n, err := p.src.Numbers()
		if err != nil {
			return nil, err
		}
		p.Old = &n
		now := n
		now.Free = slices.Clone(n.Free)
		p.New = &now
	}
	return p.New, nil
}

// log takes a changed number of an opening or gives it back, and appends what the
// change logs.
func (p *Plan) log(id string, before uint64, m *match.Match) error {
	if m.Seq == before && len(m.Logged) == 0 {
		return nil
	}
	n, err := p.numbers()
	if err != nil {
		return err
	}
	switch {
	case m.Seq == before:
	case m.Seq == 0:
		at, _ := slices.BinarySearch(n.Free, before)
		n.Free = slices.Insert(n.Free, at, before)
		p.free(before, 1)
	case m.Seq != n.next() || before != 0:
		return match.ErrConflict
	case len(n.Free) > 0:
		n.Free = n.Free[1:]
		p.free(m.Seq, -1)
	default:
		n.Last++
	}
	for _, text := range m.Logged {
		p.Log = append(p.Log, Entry{n.Index, id, slices.Clone(text)})
		n.Index++
	}
	return nil
}

func (p *Plan) free(number uint64, by int) {
	if p.freed == nil {
		p.freed = make(map[uint64]int)
	}
	p.freed[number] += by
}

// Freed lists the numbers of openings that are to be given back, and those that
// were given back before and are to be taken.
func (p *Plan) Freed() (back, taken []uint64) {
	for n, by := range p.freed {
		switch {
		case by > 0:
			back = append(back, n)
		case by < 0:
			taken = append(taken, n)
		}
	}
	slices.Sort(back)
	slices.Sort(taken)
	return back, taken
}
