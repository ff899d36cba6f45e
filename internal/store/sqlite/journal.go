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
	first  int64              // number of the oldest row in the table
	last   int64              // number of the newest row
	size   int                // of the texts of rows, in bytes
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
	size    int      // of their texts
}

// counters are what a roll changes in the row of its match.
type counters struct {
	rolls, dice, game, marked, asked, events, version uint64
	play                                              []byte
}

// A change is what one commit added to a match.
type change struct {
	match string
	now   counters
	text  []byte // events and answers
	row   int64
}

func newJournal() *journal { return &journal{recent: make(map[string]*recent)} }

// update brings what was read of a match's row up to date.
func (r *recent) update(m *match.Match) {
	if r != nil && r.now.version > m.Version {
		n := &r.now
		m.Rolls, m.Dice, m.Game, m.Marked, m.Asked, m.Events, m.Version = n.rolls, n.dice, int(n.game), n.marked, int(n.asked), n.events, n.version
		m.Play = slices.Clone(n.play)
	}
}

// join puts recent events behind those of the table, which were read after it.
func (r *recent) join(events []match.Event, after uint64, limit int, pick func(match.EventType) bool) ([]match.Event, error) {
	if r == nil {
		return events, nil
	}
	if len(events) > 0 {
		after = events[len(events)-1].Number
	}
	for i := range r.changes {
		if r.changes[i].now.events <= after {
			continue
		}
		more, _, err := r.changes[i].parse()
		if err != nil {
			return nil, err
		}
		for _, e := range more {
			if e.Number > after && pick(e.Type) && (limit < 0 || len(events) < limit) {
				events = append(events, e)
			}
		}
	}
	return events, nil
}

// answers are all that have not moved.
func (r *recent) answers() (all []match.Answer, err error) {
	if r == nil {
		return nil, nil
	}
	for i := range r.changes {
		_, answers, err := r.changes[i].parse()
		if err != nil {
			return nil, err
		}
		all = append(all, answers...)
	}
	return all, nil
}

// push adds a change to its match.
func (j *journal) push(c change) {
	r := j.recent[c.match]
	if r == nil {
		r = new(recent)
		j.recent[c.match] = r
	}
	r.now = c.now
	c.now.play = nil // only the latest counts
	r.changes = append(r.changes, c)
	r.size += len(c.text)
}

// add takes in the next row, with a text of so many bytes.
func (j *journal) add(number int64, size int, changes []change) {
	w := row{number, make([]string, len(changes)), size}
	for i, c := range changes {
		c.row, w.matches[i] = number, c.match
		j.push(c)
	}
	if j.first == 0 {
		j.first = number
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
			r.size -= len(r.changes[0].text)
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
		text := c.journalAfter.ColumnBlob(1, nil)
		changes, err := parseRow(text)
		if err != nil {
			broken = err
		}
		j.add(c.journalAfter.ColumnInt64(0), len(text), changes)
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

// appendChange appends a change to a row of the journal: the match's 16 bytes; its counters,
// the length of play plus one, or 0 for none, and the length of the rest, as decimals with a
// space behind each; play; events and answers, each of them a letter and its fields.
// Numbers in fields are varints, strings have their length in front, and no data is
// length 0.
func appendChange(row []byte, k []byte, n *group.Change) ([]byte, change) {
	m := n.New
	c := change{match: string(k), now: counters{m.Rolls, m.Dice, uint64(m.Game), m.Marked, uint64(m.Asked), m.Events, m.Version, m.Play}}
	c.text = appendAdded(nil, n.Events, n.Answers)
	play := uint64(0)
	if m.Play != nil {
		play = uint64(len(m.Play)) + 1
	}
	row = append(row, k...)
	for _, v := range [...]uint64{m.Rolls, m.Dice, uint64(m.Game), m.Marked, uint64(m.Asked), m.Events, m.Version, play, uint64(len(c.text))} {
		row = append(strconv.AppendUint(row, v, 10), ' ')
	}
	return append(append(row, m.Play...), c.text...), c
}

func appendAdded(b []byte, events []match.Event, answers []match.Answer) []byte {
	text := func(s string) { b = append(binary.AppendUvarint(b, uint64(len(s))), s...) }
	for i := range events {
		e := &events[i]
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
	for i := range answers {
		a := &answers[i]
		b = append(b, 'a')
		text(a.Key)
		b = append(b, a.Request[:]...)
		text(string(a.Body))
	}
	return b
}

var errJournal = errors.New("sqlite: the journal cannot be read")

// parseRow reads a row of the journal, which it keeps.
func parseRow(b []byte) (changes []change, err error) {
	for f := (fields{rest: b}); len(f.rest) > 0; {
		c := change{match: string(f.take(16))}
		n := &c.now
		for _, v := range []*uint64{&n.rolls, &n.dice, &n.game, &n.marked, &n.asked, &n.events, &n.version} {
			*v = f.decimal()
		}
		play, text := f.decimal(), f.decimal()
		if play > 0 {
			n.play = f.bytes(play - 1)
		}
		if c.text = f.take(text); f.bad {
			return nil, errJournal
		}
		changes = append(changes, c)
	}
	return changes, nil
}

// parse gives the events and answers of a change.
func (c *change) parse() (events []match.Event, answers []match.Answer, err error) {
	for f := (fields{rest: c.text}); len(f.rest) > 0; {
		switch f.take(1)[0] {
		case 'e':
			events = append(events, f.event())
		case 'a':
			a := match.Answer{Key: string(f.take(f.number()))}
			copy(a.Request[:], f.take(uint64(len(a.Request))))
			a.Body = f.bytes(f.number())
			answers = append(answers, a)
		default:
			f.bad = true
		}
		if f.bad {
			return nil, nil, errJournal
		}
	}
	return events, answers, nil
}

// fields takes apart what the append functions made. After what is none of that, all is
// empty.
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
