package sqlite

import (
	"encoding/binary"
	"errors"
	"slices"
	"strconv"
	"sync"
	"time"

	"veridice/internal/match"
	"veridice/internal/store/group"
)

const (
	// maxJournal is the length in bytes beyond which changes begin to move, those first
	// that wait longest, and maxRecent the same of one match: of what waits, none takes
	// long.
	maxJournal = 2 << 20
	maxRecent  = 16 << 10

	// pace is how much more moves in a commit than comes in.
	pace = 2
)

// A journal has what the latest commits changed of matches that go on, and nothing else can
// tell yet. A commit appends one row to its table, whatever the number of matches, and a
// match's changes move to the tables of matches, events and answers together. A change
// counts as long as its version is greater than that of its match's row: so it does not
// matter who moves it, when the row in the journal goes, and when somebody hears of that.
//
// The newest row stays, so that numbers are not used again.
type journal struct {
	rows   []row              // oldest first
	recent map[string]*recent // by match, as the tables have it
	last   int64              // number of the newest row
	size   int                // of the rows' texts, in bytes
}

type row struct {
	number  int64
	matches []string
	size    int
}

// A recent is what a journal has of one match.
type recent struct {
	now     counters
	changes []change // oldest first
	size    int
}

// counters are what a roll changes in the row of its match.
type counters struct {
	rolls, dice, game, marked, asked, events, version uint64
	play                                              []byte
}

// A change is what one commit added to a match.
type change struct {
	match   string
	now     counters
	events  []match.Event
	answers []match.Answer

	row  int64
	size int // of its text in bytes, in a recent without play
}

func newJournal() *journal { return &journal{recent: make(map[string]*recent)} }

// newChange keeps nothing that a caller may change.
func newChange(k []byte, n *group.Change) change {
	m := n.New
	c := change{match: string(k), now: counters{m.Rolls, m.Dice, uint64(m.Game), m.Marked, uint64(m.Asked), m.Events, m.Version, m.Play}}
	for _, e := range n.Events {
		c.events = append(c.events, cloneEvent(e))
	}
	for _, a := range n.Answers {
		c.answers = append(c.answers, cloneAnswer(a))
	}
	return c
}

// update brings what was read of a match's row up to date.
func (r *recent) update(m *match.Match) {
	if r != nil && r.now.version > m.Version {
		n := &r.now
		m.Rolls, m.Dice, m.Game, m.Marked, m.Asked, m.Events, m.Version = n.rolls, n.dice, int(n.game), n.marked, int(n.asked), n.events, n.version
		m.Play = slices.Clone(n.play)
	}
}

// join puts recent events behind those of the table, which were read after it.
func (r *recent) join(events []match.Event, after uint64, limit int, pick func(match.EventType) bool) []match.Event {
	if r == nil {
		return events
	}
	if len(events) > 0 {
		after = events[len(events)-1].Number
	}
	for i := range r.changes {
		for _, e := range r.changes[i].events {
			if e.Number > after && pick(e.Type) && (limit < 0 || len(events) < limit) {
				events = append(events, cloneEvent(e))
			}
		}
	}
	return events
}

func cloneEvent(e match.Event) match.Event {
	e.Dice, e.Data = slices.Clone(e.Dice), slices.Clone(e.Data)
	return e
}

func cloneAnswer(a match.Answer) match.Answer {
	a.Body = slices.Clone(a.Body)
	return a
}

func (r *recent) answer(key string) *match.Answer {
	if r == nil {
		return nil
	}
	for i := range r.changes {
		for k := range r.changes[i].answers {
			if a := &r.changes[i].answers[k]; a.Key == key {
				found := cloneAnswer(*a)
				return &found
			}
		}
	}
	return nil
}

// push adds a change to its match.
func (j *journal) push(c change) {
	r := j.recent[c.match]
	if r == nil {
		r = new(recent)
		j.recent[c.match] = r
	}
	r.now = c.now
	c.now.play, c.size = nil, c.size-len(c.now.play) // only the latest counts
	r.changes = append(r.changes, c)
	r.size += c.size
}

// add takes in the next row.
func (j *journal) add(number int64, changes []change) {
	w := row{number: number, matches: make([]string, len(changes))}
	for i, c := range changes {
		c.row = number
		w.matches[i], w.size = c.match, w.size+c.size
		j.push(c)
	}
	j.rows, j.last, j.size = append(j.rows, w), number, j.size+w.size
}

// drop forgets rows before a number.
func (j *journal) drop(before int64) {
	for len(j.rows) > 0 && j.rows[0].number < before {
		w := j.rows[0]
		for _, k := range w.matches {
			r := j.recent[k]
			if r == nil || r.changes[0].row != w.number {
				continue
			}
			r.size -= r.changes[0].size
			if r.changes = r.changes[1:]; len(r.changes) == 0 {
				delete(j.recent, k)
			}
		}
		j.size -= w.size
		j.rows = j.rows[1:]
	}
}

// catchUp takes in what was committed since the last time.
func (c *conn) catchUp(j *journal) error {
	before := j.last
	var broken error
	err := each(c.journalAfter, func() {
		changes, err := parseChanges(c.journalAfter.ColumnRawBlob(1))
		if err != nil {
			broken = err
		}
		j.add(c.journalAfter.ColumnInt64(0), changes)
	}, j.last)
	if err == nil && j.last > before {
		err = each(c.journalFirst, func() { j.drop(c.journalFirst.ColumnInt64(0)) })
	}
	return errors.Join(err, broken)
}

// A view is the journal as readers share it.
type view struct {
	mu      sync.Mutex
	journal *journal
}

// recent is what has not moved of a match, nil for nothing. Whoever reads the tables too
// does it afterwards: what moved there meanwhile is in both.
func (v *view) recent(c *conn, k []byte) (*recent, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if err := c.catchUp(v.journal); err != nil {
		v.journal = newJournal() // what is missing would not come again
		return nil, err
	}
	r := v.journal.recent[string(k)]
	if r != nil {
		r = &recent{now: r.now, changes: r.changes} // as of now: rows only come behind it
	}
	return r, nil
}

// appendTo appends a change as a row of the journal has it: the match; its counters and
// the length of play plus one, or 0 for none, as decimals with a space behind each; play;
// events and answers, each of them a letter and its fields; a dot. Numbers in fields are
// varints, strings have their length in front, and no data is length 0.
func (c *change) appendTo(b []byte) []byte {
	n, play := &c.now, uint64(0)
	if n.play != nil {
		play = uint64(len(n.play)) + 1
	}
	b = append(b, c.match...)
	for _, v := range [...]uint64{n.rolls, n.dice, n.game, n.marked, n.asked, n.events, n.version, play} {
		b = append(strconv.AppendUint(b, v, 10), ' ')
	}
	b = append(b, n.play...)
	text := func(s string) { b = append(binary.AppendUvarint(b, uint64(len(s))), s...) }
	for i := range c.events {
		e := &c.events[i]
		b = binary.AppendUvarint(append(b, 'e'), e.Number)
		text(string(e.Type))
		b = binary.AppendVarint(b, e.At.UnixMilli())
		b = binary.AppendUvarint(b, uint64(e.Seat))
		text(e.Name)
		b = binary.AppendUvarint(b, e.Roll)
		b = binary.AppendUvarint(b, uint64(e.Game))
		b = binary.AppendUvarint(b, uint64(len(e.Dice)))
		for _, d := range e.Dice {
			b = binary.AppendUvarint(b, uint64(d))
		}
		text(string(e.Data))
	}
	for i := range c.answers {
		a := &c.answers[i]
		b = append(b, 'a')
		text(a.Key)
		b = append(b, a.Request[:]...)
		text(string(a.Body))
	}
	return append(b, '.')
}

var errJournal = errors.New("sqlite: the journal cannot be read")

// parseChanges reads a row of the journal, and keeps nothing of it.
func parseChanges(b []byte) (changes []change, err error) {
	for f := (fields{rest: b}); len(f.rest) > 0; {
		before := len(f.rest)
		c := change{match: string(f.take(16))}
		n := &c.now
		for _, v := range []*uint64{&n.rolls, &n.dice, &n.game, &n.marked, &n.asked, &n.events, &n.version} {
			*v = f.decimal()
		}
		if play := f.decimal(); play > 0 {
			n.play = f.bytes(play - 1)
		}
	items:
		for {
			switch f.letter() {
			case 'e':
				c.events = append(c.events, f.event())
			case 'a':
				a := match.Answer{Key: string(f.take(f.number()))}
				copy(a.Request[:], f.take(uint64(len(a.Request))))
				a.Body = f.bytes(f.number())
				c.answers = append(c.answers, a)
			case '.':
				break items
			default:
				return nil, errJournal
			}
		}
		if f.bad {
			return nil, errJournal
		}
		c.size = before - len(f.rest)
		changes = append(changes, c)
	}
	return changes, nil
}

// fields takes apart what appendTo made. After what is none of that, all is empty.
type fields struct {
	rest []byte
	bad  bool
}

func (f *fields) take(n uint64) []byte {
	if n > uint64(len(f.rest)) {
		f.rest, f.bad = nil, true
		return nil
	}
	part := f.rest[:n]
	f.rest = f.rest[n:]
	return part
}

// bytes is a copy, never nil.
func (f *fields) bytes(n uint64) []byte { return append([]byte{}, f.take(n)...) }

func (f *fields) letter() byte {
	if b := f.take(1); b != nil {
		return b[0]
	}
	return 0
}

func (f *fields) number() uint64 {
	v, n := binary.Uvarint(f.rest)
	f.take(uint64(n)) // n is negative, and then too much, of a number that is too big
	f.bad = f.bad || n == 0
	return v
}

func (f *fields) signed() int64 {
	v, n := binary.Varint(f.rest)
	f.take(uint64(n))
	f.bad = f.bad || n == 0
	return v
}

func (f *fields) decimal() uint64 {
	end := max(slices.Index(f.rest, ' '), 0)
	v, err := strconv.ParseUint(string(f.take(uint64(end))), 10, 64)
	f.take(1)
	f.bad = f.bad || err != nil
	return v
}

func (f *fields) event() match.Event {
	e := match.Event{Number: f.number(), Type: match.EventType(f.take(f.number())), At: time.UnixMilli(f.signed()).UTC()}
	e.Seat, e.Name, e.Roll, e.Game = int(f.number()), string(f.take(f.number())), f.number(), int(f.number())
	if dice := f.number(); dice > uint64(len(f.rest)) {
		f.rest, f.bad = nil, true
	} else if dice > 0 {
		e.Dice = make([]uint32, dice)
		for i := range e.Dice {
			e.Dice[i] = uint32(f.number())
		}
	}
	if n := f.number(); n > 0 {
		e.Data = f.bytes(n)
	}
	return e
}
