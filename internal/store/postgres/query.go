package postgres

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"veridice/internal/match"
	"veridice/internal/store/group"
	"veridice/seed"
)

const matchColumns = `match, scheme, kind, seal, sealed, server, state, seats, rolls, dice, game, marked, asked, events, version, created, play, seq`

// Each guard divides by zero, and so ends the transaction, when a row was not as it was
// read: plain SQL without a round trip in the middle of the transaction. Rows to be written
// are numbered, and their columns are elements of arrays: half the work of unnesting each.
const (
	loadMatches = "SELECT " + matchColumns + " FROM match WHERE match = ANY ($1::BYTEA[]) ORDER BY match FOR UPDATE"
	loadAnswers = `SELECT e.match, e.key, e.request, e.body FROM unnest($1::BYTEA[], $2::BYTEA[]) AS u (match, key)
		JOIN event e ON e.match = u.match AND e.key = u.key`
	updateMatches = `WITH changed AS (
		UPDATE match AS m SET rolls = ($3::BIGINT[])[n], dice = ($4::BIGINT[])[n], events = ($5::BIGINT[])[n], version = ($6::BIGINT[])[n], play = ($7::BYTEA[])[n]
		FROM unnest($1::BYTEA[]) WITH ORDINALITY AS u (match, n) WHERE m.match = u.match AND m.version = ($2::BIGINT[])[n] RETURNING 1)
		SELECT 1 / (CASE WHEN count(*) = $8::BIGINT THEN 1 ELSE 0 END) FROM changed`
	// What a roll leaves as it is.
	updateRest   = `UPDATE match SET server = $2, state = $3, seats = $4, game = $5, marked = $6, asked = $7, seq = $8 WHERE match = $1`
	insertMatch  = `INSERT INTO match (` + matchColumns + `) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18)`
	insertEvents = `INSERT INTO event (match, event, type, at, seat, name, roll, game, dice, data, key, request, body)
		SELECT match, ($2::BIGINT[])[n], ($3::TEXT[])[n], ($4::BIGINT[])[n], ($5::BIGINT[])[n], ($6::TEXT[])[n], ($7::BIGINT[])[n], ($8::BIGINT[])[n], ($9::TEXT[])[n],
			($10::BYTEA[])[n], ($11::BYTEA[])[n], ($12::BYTEA[])[n], ($13::BYTEA[])[n]
		FROM unnest($1::BYTEA[]) WITH ORDINALITY AS u (match, n)`
	// Of the matches that are as they were left, and of no others.
	updateUnread = `WITH changed AS (
		UPDATE match AS m SET rolls = ($3::BIGINT[])[n], dice = ($4::BIGINT[])[n], events = ($5::BIGINT[])[n], version = ($6::BIGINT[])[n], play = ($7::BYTEA[])[n]
		FROM unnest($1::BYTEA[]) WITH ORDINALITY AS u (match, n) WHERE m.match = u.match AND m.version = ($2::BIGINT[])[n] RETURNING u.match),
		added AS (INSERT INTO event (match, event, type, at, seat, name, roll, game, dice, data, key, request, body)
		SELECT match, ($9::BIGINT[])[n], ($10::TEXT[])[n], ($11::BIGINT[])[n], ($12::BIGINT[])[n], ($13::TEXT[])[n], ($14::BIGINT[])[n], ($15::BIGINT[])[n], ($16::TEXT[])[n],
			($17::BYTEA[])[n], ($18::BYTEA[])[n], ($19::BYTEA[])[n], ($20::BYTEA[])[n]
		FROM unnest($8::BYTEA[]) WITH ORDINALITY AS u (match, n) WHERE match = ANY (ARRAY(SELECT match FROM changed)))
		SELECT match FROM changed`
	insertCreation = `INSERT INTO creation (key, match, request, body) VALUES ($1, $2, $3, $4)`

	loadNumbering   = "SELECT last, entries FROM numbering FOR UPDATE"
	loadFreed       = "SELECT seq FROM freed ORDER BY seq LIMIT $1"
	updateNumbering = `WITH changed AS (UPDATE numbering SET last = $1, entries = $2 WHERE last = $3 AND entries = $4 RETURNING 1)
		SELECT 1 / (CASE WHEN count(*) = 1 THEN 1 ELSE 0 END) FROM changed`
	insertFreed = "INSERT INTO freed (seq) VALUES ($1)"
	deleteFreed = `WITH changed AS (DELETE FROM freed WHERE seq = $1 RETURNING 1)
		SELECT 1 / (CASE WHEN count(*) = 1 THEN 1 ELSE 0 END) FROM changed`
	insertEntry = "INSERT INTO entry (number, match, text) VALUES ($1, $2, $3)"

	selectMatch      = "SELECT " + matchColumns + " FROM match WHERE match = $1"
	selectUnfinished = "SELECT " + matchColumns + " FROM match WHERE state NOT IN ('finished', 'aborted') LIMIT 1"
	selectMatches    = "SELECT match FROM match WHERE match > $1 ORDER BY match LIMIT $2"
	selectCreation   = "SELECT request, body FROM creation WHERE key = $1"
	selectAnswer     = "SELECT request, body FROM event WHERE match = $1 AND key = $2"
	eventColumns     = "event, type, at, seat, name, roll, game, dice, data"
	selectEvents     = "SELECT " + eventColumns + " FROM event WHERE match = $1 AND event > $2 ORDER BY event LIMIT $3"
	selectEntries    = "SELECT " + eventColumns + " FROM event WHERE match = $1 AND type IN ('rolled', 'moved') ORDER BY event"
	selectLog        = "SELECT text FROM entry WHERE number >= $1 ORDER BY number LIMIT $2"
	selectTree       = "SELECT version, size, checkpoint, shown, shown_size, receipted FROM tree"
	selectHashes     = "SELECT number, hash FROM hash WHERE number = ANY ($1::BIGINT[])"
	growTree         = `UPDATE tree SET version = $1, size = $2, hashes = hashes + $3, checkpoint = $4, shown = $5, shown_size = $6, receipted = $7
		WHERE version = $8 RETURNING hashes - $3`
	insertHashes = "INSERT INTO hash (number, hash) SELECT * FROM unnest($1::BIGINT[], $2::BYTEA[])"
	insertOnce   = "INSERT INTO once (name, value) VALUES ($1, $2) ON CONFLICT DO NOTHING"
	selectOnce   = "SELECT value FROM once WHERE name = $1"
)

// key is a match id as the tables have it. What is no id is of no match.
func key(id string) ([]byte, error) {
	b, ok := seed.ParseHex(id)
	if !ok || len(b) != 16 {
		return nil, match.ErrNotFound
	}
	return b, nil
}

// A storedSeat is a seat as the column seats has it.
type storedSeat struct {
	Token        string      `json:"token"`
	Name         string      `json:"name"`
	Acknowledged bool        `json:"acknowledged"`
	Client       seed.Client `json:"client"`
}

func encodeSeats(seats []match.Seat) string {
	stored := make([]storedSeat, len(seats))
	for i, s := range seats {
		stored[i] = storedSeat{seed.Hex(s.Token[:]), s.Name, s.Acknowledged, s.Client}
	}
	b, err := json.Marshal(stored)
	if err != nil {
		panic("veridice: internal error: seats do not encode: " + err.Error())
	}
	return string(b)
}

func decodeSeats(text string) ([]match.Seat, error) {
	var stored []storedSeat
	if err := json.Unmarshal([]byte(text), &stored); err != nil {
		return nil, fault("stored seats that cannot be read")
	}
	seats := make([]match.Seat, len(stored))
	for i, s := range stored {
		token, ok := seed.ParseHex(s.Token)
		if !ok || len(token) != len(seats[i].Token) {
			return nil, fault("a stored token that cannot be read")
		}
		seats[i] = match.Seat{Token: [32]byte(token), Name: s.Name, Acknowledged: s.Acknowledged, Client: s.Client}
	}
	return seats, nil
}

// scanMatch reads a row of matchColumns, and the column seats as it is.
func scanMatch(row pgx.Row) (m *match.Match, seats string, err error) {
	m = new(match.Match)
	var id, seal []byte
	var state string
	var created int64
	err = row.Scan(&id, &m.Scheme, &m.Kind, &seal, &m.Sealed, &m.Server, &state, &seats, &m.Rolls, &m.Dice, &m.Game, &m.Marked, &m.Asked, &m.Events,
		&m.Version, &created, &m.Play, &m.Seq)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, "", match.ErrNotFound
	}
	if err != nil {
		return nil, "", err
	}
	m.ID, m.State, m.Created = seed.Hex(id), match.State(state), at(created)
	copy(m.Seal[:], seal)
	return m, seats, nil
}

func at(ms int64) time.Time { return time.UnixMilli(ms).UTC() }

func readMatch(row pgx.Row) (*match.Match, error) {
	m, seats, err := scanMatch(row)
	if err != nil {
		return nil, err
	}
	m.Seats, err = decodeSeats(seats)
	return m, err
}

// blob is never NULL.
func blob(b []byte) []byte { return append([]byte{}, b...) }

// queryer is a connection or a pool.
type queryer interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
}

func readEvents(ctx context.Context, c queryer, sql string, args ...any) ([]match.Event, error) {
	rows, err := c.Query(ctx, sql, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var events []match.Event
	for rows.Next() {
		var e match.Event
		var kind, dice string
		var ms int64
		if err := rows.Scan(&e.Number, &kind, &ms, &e.Seat, &e.Name, &e.Roll, &e.Game, &dice, &e.Data); err != nil {
			return nil, err
		}
		e.Type, e.At = match.EventType(kind), at(ms)
		if e.Dice, err = parseDice(dice); err != nil {
			return nil, err
		}
		events = append(events, e)
	}
	return events, rows.Err()
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

func parseDice(text string) ([]uint32, error) {
	if text == "" {
		return nil, nil
	}
	var d []uint32
	for part := range strings.SplitSeq(text, "-") {
		n, err := strconv.ParseUint(part, 10, 32)
		if err != nil {
			return nil, fault("stored dice that are not numbers")
		}
		d = append(d, uint32(n))
	}
	return d, nil
}

// Created is [match.Store].
func (s *Store) Created(ctx context.Context, name string) (a *match.Answer, err error) {
	err = s.read(ctx, func(ctx context.Context, c *pgxpool.Conn) error {
		a, err = scanAnswer(c.QueryRow(ctx, selectCreation, name), name)
		if err == nil && a == nil {
			err = match.ErrNotFound
		}
		return err
	})
	return a, err
}

// scanAnswer gives nil if there is none.
func scanAnswer(row pgx.Row, name string) (*match.Answer, error) {
	a := &match.Answer{Key: name}
	var request []byte
	err := row.Scan(&request, &a.Body)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil
	}
	copy(a.Request[:], request)
	return a, err
}

// Match is [match.Store].
func (s *Store) Match(ctx context.Context, id string) (m *match.Match, err error) {
	k, err := key(id)
	if err != nil {
		if s.closed.Load() {
			return nil, group.ErrClosed
		}
		return nil, err
	}
	err = s.read(ctx, func(ctx context.Context, c *pgxpool.Conn) error {
		m, err = readMatch(c.QueryRow(ctx, selectMatch, k))
		return err
	})
	return m, err
}

// Unfinished is [match.Store].
func (s *Store) Unfinished(ctx context.Context) (m *match.Match, err error) {
	err = s.read(ctx, func(ctx context.Context, c *pgxpool.Conn) error {
		m, err = readMatch(c.QueryRow(ctx, selectUnfinished))
		return err
	})
	return m, err
}

// Matches is [match.Store].
func (s *Store) Matches(ctx context.Context, after string, limit int) (ids []string, err error) {
	k := []byte{} // before all
	if after != "" {
		if k, err = key(after); err != nil {
			return nil, err
		}
	}
	err = s.read(ctx, func(ctx context.Context, c *pgxpool.Conn) error {
		rows, err := c.Query(ctx, selectMatches, k, limit)
		if err != nil {
			return err
		}
		ids = nil
		var found []byte
		_, err = pgx.ForEachRow(rows, []any{&found}, func() error {
			ids = append(ids, seed.Hex(found))
			return nil
		})
		return err
	})
	return ids, err
}

// Events is [match.Store].
func (s *Store) Events(ctx context.Context, id string, after uint64, limit int) (events []match.Event, err error) {
	k, err := key(id)
	if err != nil || after > 1<<62 {
		return nil, nil
	}
	err = s.read(ctx, func(ctx context.Context, c *pgxpool.Conn) error {
		events, err = readEvents(ctx, c, selectEvents, k, after, limit)
		return err
	})
	return events, err
}

// Entries is [match.Store].
func (s *Store) Entries(ctx context.Context, id string) (events []match.Event, err error) {
	k, err := key(id)
	if err != nil {
		return nil, nil
	}
	err = s.read(ctx, func(ctx context.Context, c *pgxpool.Conn) error {
		events, err = readEvents(ctx, c, selectEntries, k)
		return err
	})
	return events, err
}

// Log is [match.Store].
func (s *Store) Log(ctx context.Context, from uint64, limit int) (entries [][]byte, err error) {
	if from > 1<<62 {
		return nil, nil
	}
	err = s.read(ctx, func(ctx context.Context, c *pgxpool.Conn) error {
		rows, err := c.Query(ctx, selectLog, from, limit)
		if err != nil {
			return err
		}
		entries, err = pgx.CollectRows(rows, pgx.RowTo[[]byte])
		return err
	})
	if len(entries) == 0 {
		return nil, err
	}
	return entries, err
}

// Tree is [match.Store].
func (s *Store) Tree(ctx context.Context) (t match.Tree, err error) {
	err = s.read(ctx, func(ctx context.Context, c *pgxpool.Conn) error {
		return c.QueryRow(ctx, selectTree).Scan(&t.Version, &t.Size, &t.Checkpoint, &t.Shown, &t.ShownSize, &t.Receipted)
	})
	return t, err
}

// Grow is [match.Store].
func (s *Store) Grow(ctx context.Context, next match.Tree, hashes [][32]byte) error {
	return s.write(ctx, func(ctx context.Context, c *pgxpool.Conn) error {
		return pgx.BeginFunc(ctx, c, func(tx pgx.Tx) error {
			var first int64
			err := tx.QueryRow(ctx, growTree, next.Version, next.Size, len(hashes), blob(next.Checkpoint), blob(next.Shown), next.ShownSize, next.Receipted,
				int64(next.Version)-1).Scan(&first)
			if errors.Is(err, pgx.ErrNoRows) {
				return match.ErrConflict
			}
			if err != nil || len(hashes) == 0 {
				return err
			}
			numbers, values := make([]int64, len(hashes)), make([][]byte, len(hashes))
			for i := range hashes {
				numbers[i], values[i] = first+int64(i), hashes[i][:]
			}
			_, err = tx.Exec(ctx, insertHashes, numbers, values)
			return err
		})
	})
}

// Hashes is [match.Store].
func (s *Store) Hashes(ctx context.Context, numbers []int64) (hashes [][32]byte, err error) {
	err = s.read(ctx, func(ctx context.Context, c *pgxpool.Conn) error {
		rows, err := c.Query(ctx, selectHashes, numbers)
		if err != nil {
			return err
		}
		found := make(map[int64][32]byte, len(numbers))
		var n int64
		var hash []byte
		_, err = pgx.ForEachRow(rows, []any{&n, &hash}, func() error {
			found[n] = [32]byte(hash)
			return nil
		})
		if err != nil {
			return err
		}
		hashes = make([][32]byte, len(numbers))
		for i, n := range numbers {
			h, ok := found[n]
			if !ok {
				return match.ErrNotFound
			}
			hashes[i] = h
		}
		return nil
	})
	return hashes, err
}

// Once is [match.Store].
func (s *Store) Once(ctx context.Context, name string, value []byte) (kept []byte, err error) {
	err = s.write(ctx, func(ctx context.Context, c *pgxpool.Conn) error {
		if _, err := c.Exec(ctx, insertOnce, name, blob(value)); err != nil {
			return err
		}
		return c.QueryRow(ctx, selectOnce, name).Scan(&kept)
	})
	return kept, err
}
