package sqlite

import (
	"encoding/binary"
	"errors"
	"slices"
	"time"

	"veridice/internal/match"
)

// maxTail is the length in bytes beyond which a tail goes to the tables.
const maxTail = 1200

// A tail is the latest events of a match, with the answers that came with them, in the
// row of the match: a roll writes one page instead of three, and what it wrote moves to the
// tables of events and answers together with others. A match that is over has none.
//
// Its text is a list of events and answers, each of them a letter and its fields; numbers
// are varints, strings have their length in front, and no data is length 0.
type tail struct {
	text    []byte
	events  []match.Event
	answers []match.Answer
}

// with is the tail with more behind it. It takes over what t has: only one of the two may
// grow any more.
func (t *tail) with(events []match.Event, answers []match.Answer) *tail {
	n := &tail{text: t.text, events: append(t.events, events...), answers: append(t.answers, answers...)}
	text := func(s string) {
		n.text = append(binary.AppendUvarint(n.text, uint64(len(s))), s...)
	}
	for i := range events {
		e := &n.events[len(t.events)+i]
		e.Dice, e.Data = slices.Clone(e.Dice), slices.Clone(e.Data) // the caller's may change
		n.text = binary.AppendUvarint(append(n.text, 'e'), e.Number)
		text(string(e.Type))
		n.text = binary.AppendVarint(n.text, e.At.UnixMilli())
		n.text = binary.AppendUvarint(n.text, uint64(e.Seat))
		text(e.Name)
		n.text = binary.AppendUvarint(n.text, e.Roll)
		n.text = binary.AppendUvarint(n.text, uint64(e.Game))
		n.text = binary.AppendUvarint(n.text, uint64(len(e.Dice)))
		for _, d := range e.Dice {
			n.text = binary.AppendUvarint(n.text, uint64(d))
		}
		text(string(e.Data))
	}
	for i := range answers {
		a := &n.answers[len(t.answers)+i]
		a.Body = slices.Clone(a.Body)
		n.text = append(n.text, 'a')
		text(a.Key)
		n.text = append(n.text, a.Request[:]...)
		text(string(a.Body))
	}
	return n
}

var errTail = errors.New("sqlite: a stored tail cannot be read")

// parseTail reads a tail, which it keeps.
func parseTail(b []byte) (*tail, error) {
	t := &tail{text: b}
	bad := false
	number := func() uint64 {
		v, n := binary.Uvarint(b)
		if n <= 0 {
			bad, b = true, nil
			return 0
		}
		b = b[n:]
		return v
	}
	take := func(n uint64) []byte {
		if n > uint64(len(b)) {
			bad, b = true, nil
			return nil
		}
		part := b[:n:n]
		b = b[n:]
		return part
	}
	for len(b) > 0 && !bad {
		switch kind := take(1)[0]; kind {
		case 'e':
			e := match.Event{Number: number(), Type: match.EventType(take(number()))}
			ms, n := binary.Varint(b)
			if n <= 0 {
				return nil, errTail
			}
			b = b[n:]
			e.At = time.UnixMilli(ms).UTC()
			e.Seat, e.Name, e.Roll, e.Game = int(number()), string(take(number())), number(), int(number())
			if dice := number(); dice > uint64(len(b)) {
				return nil, errTail
			} else if dice > 0 {
				e.Dice = make([]uint32, dice)
				for i := range e.Dice {
					e.Dice[i] = uint32(number())
				}
			}
			if data := take(number()); len(data) > 0 {
				e.Data = data
			}
			t.events = append(t.events, e)
		case 'a':
			a := match.Answer{Key: string(take(number()))}
			copy(a.Request[:], take(uint64(len(a.Request))))
			a.Body = take(number())
			t.answers = append(t.answers, a)
		default:
			bad = true
		}
	}
	if bad {
		return nil, errTail
	}
	return t, nil
}

// tailOf reads a match's tail; one that is not there is empty. Whoever reads the tables
// too does it afterwards: what moved there meanwhile is in both.
func (c *conn) tailOf(k []byte) (t *tail, err error) {
	t = new(tail)
	var broken error
	err = each(c.tailByMatch, func() { t, broken = parseTail(c.tailByMatch.ColumnBlob(0, nil)) }, k)
	return t, errors.Join(err, broken)
}

// join puts the events of a tail behind those of the table that were read after it.
func (t *tail) join(events []match.Event, after uint64, limit int, pick func(match.EventType) bool) []match.Event {
	if len(events) > 0 {
		after = events[len(events)-1].Number
	}
	for _, e := range t.events {
		if e.Number > after && pick(e.Type) && (limit < 0 || len(events) < limit) {
			events = append(events, e)
		}
	}
	return events
}

// add is the tail of a match with more behind it, and what is stored of it: nothing, if
// it is long or the match is over; then all of it is to move to the tables.
func (t *tail) add(m *match.Match, events []match.Event, answers []match.Answer) (now *tail, stored []byte) {
	now = t.with(events, answers)
	switch {
	case m.State.Over():
		return now, nil
	case len(now.text) > maxTail:
		return now, []byte{}
	}
	return now, now.text
}

// move writes all of a tail to the tables.
func (c *conn) move(k []byte, t *tail) error {
	for i := range t.answers {
		a := &t.answers[i]
		if err := exec(c.insertAnswer, k, a.Key, a.Request[:], a.Body); err != nil {
			return err
		}
	}
	return c.append(k, t.events)
}
