package sqlite

import (
	"bytes"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ncruces/go-sqlite3"

	"veridice/internal/match"
	"veridice/internal/store/group"
	"veridice/seed"
)

// A conn is a connection with its statements. One goroutine uses it at a time.
type conn struct {
	c *sqlite3.Conn

	// latest is what has not moved from the journal of a match, nil for nothing. It is
	// asked before the tables are read: what moved there meanwhile is in both.
	latest func(k []byte) (*recent, error)

	begin, end, rollback, save, undo, release *sqlite3.Stmt

	matchByID, matchesAfter, answerByKey, creationByKey, unfinished, eventsAfter, entries, next, freed, dataVersion, matchExists, logFrom, onceByName *sqlite3.Stmt

	journalAfter, journalFirst, insertJournal, deleteJournal, versionByMatch, keysByMatch *sqlite3.Stmt

	tree, grow, hashByNumber, insertHash *sqlite3.Stmt

	insertEntry, takeLast, takeFreed, giveBack, insertOnce *sqlite3.Stmt

	insertMatch, insertSeat, insertEvent, insertAnswer, insertCreation, updateMatch, updateState, updateSeat *sqlite3.Stmt
}

func (c *conn) prepare() error {
	for _, s := range []struct {
		to  **sqlite3.Stmt
		sql string
	}{
		{&c.begin, "BEGIN IMMEDIATE"},
		{&c.end, "COMMIT"},
		{&c.rollback, "ROLLBACK"},
		{&c.save, "SAVEPOINT one"},
		{&c.undo, "ROLLBACK TO one"},
		{&c.release, "RELEASE one"},

		{&c.matchByID, `SELECT m.scheme, m.seal, m.sealed, m.server, m.state, m.rolls, m.dice, m.game, m.marked, m.asked, m.events,
			m.version, m.created, s.token, s.name, s.acknowledged, s.client, m.kind, m.play, m.seq
			FROM match m JOIN seat s USING (match) WHERE m.match = ? ORDER BY s.seat`},
		{&c.matchesAfter, "SELECT match FROM match WHERE match > ? ORDER BY match LIMIT ?"},
		{&c.answerByKey, "SELECT request, body FROM answer WHERE match = ?1 AND key = ?2 UNION ALL SELECT request, body FROM event WHERE match = ?1 AND key = ?2"},
		{&c.creationByKey, "SELECT request, body FROM creation WHERE key = ?"},
		{&c.unfinished, "SELECT match FROM match WHERE state NOT IN ('finished', 'aborted') LIMIT 1"},
		{&c.eventsAfter, "SELECT event, type, at, seat, name, roll, game, dice, data FROM event WHERE match = ? AND event > ? ORDER BY event LIMIT ?"},
		{&c.entries, "SELECT event, type, at, seat, name, roll, game, dice, data FROM event WHERE match = ? AND event > ? AND type IN ('rolled', 'moved') ORDER BY event LIMIT ?"},

		{&c.journalAfter, "SELECT number, body FROM journal WHERE number > ? ORDER BY number"},
		{&c.journalFirst, "SELECT coalesce(min(number), 0) FROM journal"},
		{&c.insertJournal, "INSERT INTO journal (number, body) VALUES (?, ?)"},
		{&c.deleteJournal, "DELETE FROM journal WHERE number < ?"},
		{&c.keysByMatch, "SELECT key FROM answer WHERE match = ?1 UNION ALL SELECT key FROM event WHERE match = ?1 AND key IS NOT NULL"},
		{&c.versionByMatch, "SELECT version FROM match WHERE match = ?"},
		{&c.dataVersion, "PRAGMA data_version"},
		{&c.matchExists, "SELECT 1 FROM match WHERE match = ?"},
		{&c.next, "SELECT (SELECT last FROM numbering), (SELECT coalesce(max(number) + 1, 0) FROM entry)"},
		{&c.freed, "SELECT seq FROM freed ORDER BY seq LIMIT ?"},
		{&c.logFrom, "SELECT text FROM entry WHERE number >= ? ORDER BY number LIMIT ?"},
		{&c.tree, "SELECT version, size, checkpoint, shown, shown_size, receipted FROM tree"},
		{&c.grow, "UPDATE tree SET version = ?, size = ?, checkpoint = ?, shown = ?, shown_size = ?, receipted = ? WHERE version = ?"},
		{&c.hashByNumber, "SELECT hash FROM hash WHERE number = ?"},
		{&c.insertHash, "INSERT INTO hash (number, hash) SELECT coalesce(max(number) + 1, 0), ? FROM hash"},
		{&c.onceByName, "SELECT value FROM once WHERE name = ?"},
		{&c.insertOnce, "INSERT INTO once (name, value) VALUES (?, ?) ON CONFLICT DO NOTHING"},
		{&c.insertEntry, "INSERT INTO entry (number, match, text) VALUES (?, ?, ?)"},
		{&c.takeLast, "UPDATE numbering SET last = ?"},
		{&c.takeFreed, "DELETE FROM freed WHERE seq = ?"},
		{&c.giveBack, "INSERT INTO freed (seq) VALUES (?)"},

		{&c.insertMatch, `INSERT INTO match (rolls, dice, game, marked, asked, events, version, play, match, server, state, seq, scheme, kind, seal, sealed, created)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`},
		// What the journal never has stands in a statement of its own: state has an index and
		// a check that cost more than all the rest.
		{&c.updateMatch, "UPDATE match SET rolls = ?, dice = ?, game = ?, marked = ?, asked = ?, events = ?, version = ?, play = ? WHERE match = ? AND version = ?"},
		{&c.updateState, "UPDATE match SET server = ?, state = ?, seq = ? WHERE match = ?"},
		{&c.insertSeat, "INSERT INTO seat (name, acknowledged, client, match, seat, token) VALUES (?, ?, ?, ?, ?, ?)"},
		{&c.updateSeat, "UPDATE seat SET name = ?, acknowledged = ?, client = ? WHERE match = ? AND seat = ?"},
		{&c.insertEvent, "INSERT INTO event (match, event, type, at, seat, name, roll, game, dice, data, key, request, body) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"},
		{&c.insertAnswer, "INSERT INTO answer (match, key, request, body) VALUES (?, ?, ?, ?)"},
		{&c.insertCreation, "INSERT INTO creation (match, key, request, body) VALUES (?, ?, ?, ?)"},
	} {
		st, tail, err := c.c.Prepare(s.sql)
		if err != nil {
			return errors.New("sqlite: " + err.Error())
		}
		if tail != "" {
			panic("veridice: internal error: two statements in one")
		}
		*s.to = st
	}
	return nil
}

// close gives the connection back to SQLite, which wants its statements first.
func (c *conn) close() error {
	var errs []error
	for _, st := range slices.Collect(c.c.Stmts()) {
		errs = append(errs, st.Close())
	}
	return errors.Join(append(errs, c.c.Close())...)
}

// bind binds parameters in order: nil (NULL), []byte (nil is NULL), string, int, int64, uint64, bool.
func bind(st *sqlite3.Stmt, values ...any) error {
	for i, v := range values {
		var err error
		switch v := v.(type) {
		case nil:
			err = st.BindNull(i + 1)
		case []byte:
			if v == nil {
				err = st.BindNull(i + 1)
			} else {
				err = st.BindBlob(i+1, v)
			}
		case string:
			err = st.BindText(i+1, v)
		case int:
			err = st.BindInt(i+1, v)
		case int64:
			err = st.BindInt64(i+1, v)
		case uint64:
			err = st.BindInt64(i+1, int64(v))
		case bool:
			err = st.BindBool(i+1, v)
		default:
			panic("veridice: internal error: a parameter of an unknown type")
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func exec(st *sqlite3.Stmt, values ...any) error {
	if err := bind(st, values...); err != nil {
		return err
	}
	return st.Exec()
}

// each calls f for every row.
func each(st *sqlite3.Stmt, f func(), values ...any) error {
	defer st.Reset() // also if f panics: a statement half way through cannot be used again
	err := bind(st, values...)
	if err == nil {
		for st.Step() {
			f()
		}
		err = st.Err()
	}
	if err != nil {
		return storeError(err)
	}
	return nil
}

// key is a match id as the tables have it. What is no id is of no match.
func key(id string) ([]byte, error) {
	b, ok := seed.ParseHex(id)
	if !ok || len(b) != 16 {
		return nil, match.ErrNotFound
	}
	return b, nil
}

func (c *conn) match(id string) (*match.Match, error) {
	k, err := key(id)
	if err != nil {
		return nil, err
	}
	r, err := c.latest(k)
	if err != nil {
		return nil, err
	}
	var m *match.Match
	st := c.matchByID
	err = each(st, func() {
		if m == nil {
			m = &match.Match{
				ID: id, Scheme: st.ColumnText(0), Sealed: st.ColumnBlob(2, nil), State: match.State(st.ColumnText(4)),
				Rolls: uint64(st.ColumnInt64(5)), Dice: uint64(st.ColumnInt64(6)), Game: st.ColumnInt(7), Marked: uint64(st.ColumnInt64(8)),
				Asked: st.ColumnInt(9), Events: uint64(st.ColumnInt64(10)), Version: uint64(st.ColumnInt64(11)), Created: at(st.ColumnInt64(12)),
			}
			copy(m.Seal[:], st.ColumnRawBlob(1))
			if st.ColumnType(3) != sqlite3.NULL {
				m.Server = st.ColumnBlob(3, nil)
			}
			m.Kind, m.Seq = st.ColumnText(17), uint64(st.ColumnInt64(19))
			if st.ColumnType(18) != sqlite3.NULL {
				m.Play = st.ColumnBlob(18, nil)
			}
		}
		s := match.Seat{Name: st.ColumnText(14), Acknowledged: st.ColumnBool(15), Client: seed.Client(st.ColumnText(16))}
		copy(s.Token[:], st.ColumnRawBlob(13))
		m.Seats = append(m.Seats, s)
	}, k)
	if err != nil {
		return nil, err
	}
	if m == nil {
		return nil, match.ErrNotFound
	}
	r.update(m)
	return m, nil
}

func at(ms int64) time.Time { return time.UnixMilli(ms).UTC() }

// answer gives nil if there is none.
func (c *conn) answer(k []byte, name string) (a *match.Answer, err error) {
	st := c.answerByKey
	err = each(st, func() { a = column(st, name) }, k, name)
	return a, err
}

func (c *conn) creation(name string) (a *match.Answer, err error) {
	st := c.creationByKey
	err = each(st, func() { a = column(st, name) }, name)
	if err == nil && a == nil {
		err = match.ErrNotFound
	}
	return a, err
}

// columns are what column reads.
func columns(a *match.Answer) (key, request, body any) {
	return a.Key, a.Request[:], append([]byte{}, a.Body...) // never NULL
}

func column(st *sqlite3.Stmt, name string) *match.Answer {
	a := &match.Answer{Key: name, Body: st.ColumnBlob(1, nil)}
	copy(a.Request[:], st.ColumnRawBlob(0))
	return a
}

// events reads the events of a match after a number, or of them the rolls and moves; a
// negative limit is none.
func (c *conn) events(st *sqlite3.Stmt, id string, after uint64, limit int) ([]match.Event, error) {
	k, err := key(id)
	if err != nil || after > 1<<62 {
		return nil, nil
	}
	r, err := c.latest(k)
	if err != nil {
		return nil, err
	}
	var events []match.Event
	err = each(st, func() {
		var data []byte
		if st.ColumnType(8) != sqlite3.NULL {
			data = st.ColumnBlob(8, nil)
		}
		events = append(events, match.Event{
			Number: uint64(st.ColumnInt64(0)), Type: match.EventType(st.ColumnText(1)), At: at(st.ColumnInt64(2)), Seat: st.ColumnInt(3),
			Name: st.ColumnText(4), Roll: uint64(st.ColumnInt64(5)), Game: st.ColumnInt(6), Dice: parseDice(st.ColumnText(7)), Data: data,
		})
	}, k, after, limit)
	if err != nil {
		return nil, err
	}
	return r.join(events, after, limit, func(e match.EventType) bool {
		return st != c.entries || e == match.Rolled || e == match.Moved
	})
}

// dice are stored as 6-3.
func dice(d []uint32) string {
	text := make([]byte, 0, 2*len(d))
	for i, n := range d {
		if i > 0 {
			text = append(text, '-')
		}
		text = strconv.AppendUint(text, uint64(n), 10)
	}
	return string(text)
}

func parseDice(text string) []uint32 {
	if text == "" {
		return nil
	}
	var d []uint32
	for part := range strings.SplitSeq(text, "-") {
		n, err := strconv.ParseUint(part, 10, 32)
		if err != nil {
			panic("veridice: internal error: stored dice that are not numbers")
		}
		d = append(d, uint32(n))
	}
	return d
}

// insert writes a new match.
func (c *conn) insert(k []byte, n *group.Change) error {
	m := n.New
	err := exec(c.insertMatch, m.Rolls, m.Dice, m.Game, m.Marked, m.Asked, m.Events, m.Version, m.Play, k, m.Server, string(m.State), m.Seq,
		m.Scheme, m.Kind, m.Seal[:], m.Sealed, m.Created.UnixMilli())
	if err != nil {
		return err
	}
	for i, s := range m.Seats {
		if err := exec(c.insertSeat, s.Name, s.Acknowledged, string(s.Client), k, i+1, s.Token[:]); err != nil {
			return err
		}
	}
	if n.Creation != nil {
		if err := exec(c.insertCreation, k, n.Creation.Key, n.Creation.Request[:], n.Creation.Body); err != nil {
			return err
		}
	}
	return c.append(k, n.Events, n.Answers)
}

// plain says whether a change is for the journal, which is for matches that go on. What
// the table would refuse is not: so it is refused before anybody hears of it.
func plain(n *group.Change) bool {
	m, old := n.New, n.Old
	return !m.State.Over() && m.State == old.State && m.Seq == old.Seq && bytes.Equal(m.Server, old.Server) && slices.Equal(m.Seats, old.Seats) &&
		m.Rolls <= min(m.Dice, m.Events) && m.Marked <= m.Rolls
}

// update writes what the journal never has of a match.
func (c *conn) update(k []byte, n *group.Change) error {
	m, old := n.New, n.Old
	if m.State != old.State || m.Seq != old.Seq || !bytes.Equal(m.Server, old.Server) {
		if err := exec(c.updateState, m.Server, string(m.State), m.Seq, k); err != nil {
			return err
		}
	}
	for i, s := range m.Seats {
		if s == old.Seats[i] {
			continue
		}
		if err := exec(c.updateSeat, s.Name, s.Acknowledged, string(s.Client), k, i+1); err != nil {
			return err
		}
	}
	return nil
}

// append writes events, and the answers with them as far as there are as many.
func (c *conn) append(k []byte, events []match.Event, answers []match.Answer) error {
	for i := range events {
		e := &events[i]
		var name, request, body any // NULL
		if len(answers) > 0 {
			name, request, body = columns(&answers[0])
			answers = answers[1:]
		}
		err := exec(c.insertEvent, k, e.Number, string(e.Type), e.At.UnixMilli(), e.Seat, e.Name, e.Roll, e.Game, dice(e.Dice), e.Data, name, request, body)
		if err != nil {
			return err
		}
	}
	for i := range answers {
		name, request, body := columns(&answers[i])
		if err := exec(c.insertAnswer, k, name, request, body); err != nil {
			return err
		}
	}
	return nil
}

// move writes what the journal has of a match to the tables, as far as nobody else has.
func (c *conn) move(j *journal, k string) error {
	r, name := j.recent[k], []byte(k)
	delete(j.recent, k)
	stored, there := uint64(0), false
	if err := each(c.versionByMatch, func() { stored, there = uint64(c.versionByMatch.ColumnInt64(0)), true }, name); err != nil {
		return err
	}
	for i := range r.changes {
		ch := &r.changes[i]
		if ch.now.version <= stored {
			continue
		}
		events, answers, err := ch.parse()
		if err != nil {
			return err
		}
		if err := c.append(name, events, answers); err != nil {
			return err
		}
	}
	n := &r.now
	if n.version <= stored {
		return nil
	}
	err := exec(c.updateMatch, n.rolls, n.dice, n.game, n.marked, n.asked, n.events, n.version, n.play, name, stored)
	if err == nil && (!there || c.c.Changes() != 1) {
		err = match.ErrConflict
	}
	return err
}
