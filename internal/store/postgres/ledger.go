package postgres

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"veridice/internal/ledger"
	"veridice/internal/match"
	"veridice/internal/store/group"
)

const (
	selectBook = "SELECT version, state FROM book WHERE kind = $1 AND name = $2"
	loadBooks  = `SELECT b.kind, b.name, b.version, b.state FROM unnest($1::TEXT[], $2::BYTEA[]) AS u (kind, name)
		JOIN book b ON b.kind = u.kind AND b.name = u.name ORDER BY b.kind, b.name FOR UPDATE OF b`
	loadReplies = `SELECT a.kind, a.name, a.key, a.request, a.body FROM unnest($1::TEXT[], $2::BYTEA[], $3::TEXT[]) AS u (kind, name, key)
		JOIN book_answer a ON a.kind = u.kind AND a.name = u.name AND a.key = u.key`
	selectReply = "SELECT request, body FROM book_answer WHERE kind = $1 AND name = $2 AND key = $3"
	insertBook  = "INSERT INTO book (kind, name, version, state) VALUES ($1, $2, $3, $4)"
	updateBooks = `WITH changed AS (
		UPDATE book AS b SET version = u.version, state = u.state
		FROM unnest($1::TEXT[], $2::BYTEA[], $3::BIGINT[], $4::BIGINT[], $5::TEXT[]) AS u (kind, name, was, version, state)
		WHERE b.kind = u.kind AND b.name = u.name AND b.version = u.was RETURNING 1)
		SELECT 1 / (CASE WHEN count(*) = $6::BIGINT THEN 1 ELSE 0 END) FROM changed`
	insertLines   = "INSERT INTO line (kind, name, shelf, number, text) SELECT * FROM unnest($1::TEXT[], $2::BYTEA[], $3::TEXT[], $4::BIGINT[], $5::TEXT[])"
	insertReplies = "INSERT INTO book_answer (kind, name, key, request, body) SELECT * FROM unnest($1::TEXT[], $2::BYTEA[], $3::TEXT[], $4::BYTEA[], $5::BYTEA[])"
	takeNews      = "UPDATE news_last SET last = last + $1"
	insertNews    = "INSERT INTO news (number, text) SELECT n.last - $3::BIGINT + u.i, u.text FROM news_last n, unnest($1::BIGINT[], $2::TEXT[]) AS u (i, text)"

	selectBooks = "SELECT name, version, state FROM book WHERE kind = $1 AND name > $2 ORDER BY name LIMIT $3"
	selectLines = "SELECT number, text FROM line WHERE kind = $1 AND name = $2 AND shelf = $3 AND number > $4 ORDER BY number LIMIT $5"
	selectNews  = "SELECT number, text FROM news WHERE number > $1 ORDER BY number LIMIT $2"
)

// Amend is [ledger.Store].
func (s *Store) Amend(ctx context.Context, kind, name, key string, change func(*ledger.Book) error) error {
	return s.submit(ctx, &group.Op{Kind: kind, Name: name, Key: key, Do: func(p *group.Plan) error { return p.Amend(kind, name, key, change) }})
}

type bookName struct{ kind, name string }

// books are those that one plan is about.
type books struct {
	kinds, keysOf []string // to be read: books, and the kinds of the answers
	names, keysAt [][]byte
	keys          []string

	stored  map[bookName]*ledger.Book
	answers map[bookName]map[string]match.Answer // by key
	asked   map[bookName]map[string]bool         // what was looked for
}

func (s *books) ask(o *group.Op) {
	if s.asked == nil {
		s.stored, s.answers, s.asked = make(map[bookName]*ledger.Book), make(map[bookName]map[string]match.Answer), make(map[bookName]map[string]bool)
	}
	n := bookName{o.Kind, o.Name}
	if s.asked[n] == nil {
		s.asked[n] = make(map[string]bool, 1)
		s.kinds, s.names = append(s.kinds, o.Kind), append(s.names, []byte(o.Name))
	}
	if !s.asked[n][o.Key] {
		s.asked[n][o.Key] = true
		s.keysOf, s.keysAt, s.keys = append(s.keysOf, o.Kind), append(s.keysAt, []byte(o.Name)), append(s.keys, o.Key)
	}
}

// load locks and reads what was asked for.
func (s *books) load(b *pgx.Batch) {
	if len(s.kinds) == 0 {
		return
	}
	b.Queue(loadBooks, s.kinds, s.names).Query(func(rows pgx.Rows) error {
		for rows.Next() {
			b, name := new(ledger.Book), []byte(nil)
			if err := rows.Scan(&b.Kind, &name, &b.Version, &b.State); err != nil {
				return err
			}
			b.Name = string(name)
			s.stored[bookName{b.Kind, b.Name}] = b
		}
		return rows.Err()
	})
	b.Queue(loadReplies, s.keysOf, s.keysAt, s.keys).Query(func(rows pgx.Rows) error {
		for rows.Next() {
			var kind string
			var name, request []byte
			var a match.Answer
			if err := rows.Scan(&kind, &name, &a.Key, &request, &a.Body); err != nil {
				return err
			}
			copy(a.Request[:], request)
			n := bookName{kind, string(name)}
			if s.answers[n] == nil {
				s.answers[n] = make(map[string]match.Answer, 1)
			}
			s.answers[n][a.Key] = a
		}
		return rows.Err()
	})
}

// Book is [group.BookSource].
func (s *source) Book(kind, name string) (*ledger.Book, error) {
	if b := s.books.stored[bookName{kind, name}]; b != nil {
		return b, nil
	}
	return &ledger.Book{Kind: kind, Name: name}, nil
}

// Reply is [group.BookSource].
func (s *source) Reply(kind, name, key string) (*match.Answer, error) {
	n := bookName{kind, name}
	if s.books.asked[n][key] {
		if a, ok := s.books.answers[n][key]; ok {
			return &a, nil
		}
		return nil, nil
	}
	a, err := scanAnswer(s.w.c.QueryRow(s.ctx, selectReply, kind, []byte(name), key), key)
	return a, s.fail(err)
}

// writeBooks writes the books of a plan, and the news last: from there on all other
// processes with news wait.
func writeBooks(b *pgx.Batch, p *group.Plan) {
	var kinds, states []string
	var names [][]byte
	var was, versions []int64
	var line struct {
		kind, shelf, text []string
		name              [][]byte
		number            []int64
	}
	var reply struct {
		kind, key           []string
		name, request, body [][]byte
	}
	for _, c := range p.Books {
		kind, name := c.New.Kind, []byte(c.New.Name)
		if c.Old.Version == 0 {
			b.Queue(insertBook, kind, name, c.New.Version, string(c.New.State))
		} else {
			kinds, names, states = append(kinds, kind), append(names, name), append(states, string(c.New.State))
			was, versions = append(was, int64(c.Old.Version)), append(versions, int64(c.New.Version))
		}
		for _, l := range c.Lines {
			line.kind, line.name, line.shelf = append(line.kind, kind), append(line.name, name), append(line.shelf, l.Shelf)
			line.number, line.text = append(line.number, int64(l.Number)), append(line.text, string(l.Text))
		}
		for i := range c.Answers {
			a := &c.Answers[i]
			reply.kind, reply.name, reply.key = append(reply.kind, kind), append(reply.name, name), append(reply.key, a.Key)
			reply.request, reply.body = append(reply.request, a.Request[:]), append(reply.body, blob(a.Body))
		}
	}
	if len(kinds) > 0 {
		b.Queue(updateBooks, kinds, names, was, versions, states, len(kinds))
	}
	if len(line.kind) > 0 {
		b.Queue(insertLines, line.kind, line.name, line.shelf, line.number, line.text)
	}
	if len(reply.kind) > 0 {
		b.Queue(insertReplies, reply.kind, reply.name, reply.key, reply.request, reply.body)
	}
	if n := len(p.News); n > 0 {
		places, texts := make([]int64, n), make([]string, n)
		for i, text := range p.News {
			places[i], texts[i] = int64(i+1), string(text)
		}
		b.Queue(takeNews, n)
		b.Queue(insertNews, places, texts, n)
	}
}

// Book is [ledger.Store].
func (s *Store) Book(ctx context.Context, kind, name string) (*ledger.Book, error) {
	b := &ledger.Book{Kind: kind, Name: name}
	err := s.read(ctx, func(ctx context.Context, c *pgxpool.Conn) error {
		err := c.QueryRow(ctx, selectBook, kind, []byte(name)).Scan(&b.Version, &b.State)
		if errors.Is(err, pgx.ErrNoRows) {
			return match.ErrNotFound
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return b, nil
}

// Books is [ledger.Store].
func (s *Store) Books(ctx context.Context, kind, after string, limit int) (found []*ledger.Book, err error) {
	err = s.read(ctx, func(ctx context.Context, c *pgxpool.Conn) error {
		rows, err := c.Query(ctx, selectBooks, kind, []byte(after), limit)
		if err != nil {
			return err
		}
		found, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (*ledger.Book, error) {
			b, name := &ledger.Book{Kind: kind}, []byte(nil)
			err := row.Scan(&name, &b.Version, &b.State)
			b.Name = string(name)
			return b, err
		})
		return err
	})
	return found, err
}

// Lines is [ledger.Store].
func (s *Store) Lines(ctx context.Context, kind, name, shelf string, after uint64, limit int) (lines []ledger.Line, err error) {
	if after > 1<<62 {
		return nil, nil
	}
	err = s.read(ctx, func(ctx context.Context, c *pgxpool.Conn) error {
		rows, err := c.Query(ctx, selectLines, kind, []byte(name), shelf, after, limit)
		if err != nil {
			return err
		}
		lines, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (ledger.Line, error) {
			l := ledger.Line{Shelf: shelf}
			err := row.Scan(&l.Number, &l.Text)
			return l, err
		})
		return err
	})
	return lines, err
}

// News is [ledger.Store].
func (s *Store) News(ctx context.Context, after uint64, limit int) (news []ledger.News, err error) {
	if after > 1<<62 {
		return nil, nil
	}
	err = s.read(ctx, func(ctx context.Context, c *pgxpool.Conn) error {
		rows, err := c.Query(ctx, selectNews, after, limit)
		if err != nil {
			return err
		}
		news, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (n ledger.News, err error) {
			err = row.Scan(&n.Number, &n.Text)
			return n, err
		})
		return err
	})
	return news, err
}
