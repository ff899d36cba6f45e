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
	selectBook  = "SELECT version, state FROM book WHERE kind = $1 AND name = $2"
	lockBook    = selectBook + " FOR UPDATE"
	loadReply   = "SELECT request, body FROM book_answer WHERE kind = $1 AND name = $2 AND key = $3"
	insertBook  = "INSERT INTO book (kind, name, version, state) VALUES ($1, $2, 1, $3)"
	updateBook  = "UPDATE book SET version = version + 1, state = $3 WHERE kind = $1 AND name = $2"
	insertLine  = "INSERT INTO line (kind, name, shelf, number, text) VALUES ($1, $2, $3, $4, $5)"
	insertReply = "INSERT INTO book_answer (kind, name, key, request, body) VALUES ($1, $2, $3, $4, $5)"
	takeNews    = "UPDATE news_last SET last = last + 1"
	insertNews  = "INSERT INTO news (number, text) SELECT last, $1 FROM news_last"
	selectBooks = "SELECT name, version, state FROM book WHERE kind = $1 AND name > $2 ORDER BY name LIMIT $3"
	selectLines = "SELECT number, text FROM line WHERE kind = $1 AND name = $2 AND shelf = $3 AND number > $4 ORDER BY number LIMIT $5"
	selectNews  = "SELECT number, text FROM news WHERE number > $1 ORDER BY number LIMIT $2"
)

// Amend is [ledger.Store]. It is not repeated on another connection: whether a commit
// that was under way happened, the caller finds out with the same key.
func (s *Store) Amend(ctx context.Context, kind, name, key string, change func(*ledger.Book) error) error {
	if s.closed.Load() {
		return group.ErrClosed
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	// A change that began is not left in the dark, whatever becomes of ctx.
	err := within(context.WithoutCancel(ctx), func(ctx context.Context) error {
		return s.pool.AcquireFunc(ctx, func(c *pgxpool.Conn) error {
			return pgx.BeginFunc(ctx, c, func(tx pgx.Tx) error { return amend(ctx, tx, kind, name, key, change) })
		})
	})
	var own *changeError
	if errors.As(err, &own) {
		return own.err
	}
	return storeError(err)
}

// A changeError is what a change said, and no fault of the store.
type changeError struct{ err error }

func (e *changeError) Error() string { return e.err.Error() }

func amend(ctx context.Context, tx pgx.Tx, kind, name, key string, change func(*ledger.Book) error) error {
	before := &ledger.Book{Kind: kind, Name: name}
	var earlier *match.Answer
	load := new(pgx.Batch)
	load.Queue(lockBook, kind, []byte(name)).QueryRow(func(row pgx.Row) error {
		if err := row.Scan(&before.Version, &before.State); !errors.Is(err, pgx.ErrNoRows) {
			return err
		}
		return nil
	})
	load.Queue(loadReply, kind, []byte(name), key).QueryRow(func(row pgx.Row) (err error) {
		earlier, err = scanAnswer(row, key)
		return err
	})
	if err := tx.SendBatch(ctx, load).Close(); err != nil {
		return err
	}
	b := before.Clone()
	b.Earlier = earlier
	if err := change(b); err != nil {
		return &changeError{err}
	}
	if !b.Changed(before) {
		return nil
	}
	if b.Version != before.Version {
		return match.ErrConflict
	}
	write := new(pgx.Batch)
	if b.Version == 0 {
		write.Queue(insertBook, kind, []byte(name), string(b.State))
	} else {
		write.Queue(updateBook, kind, []byte(name), string(b.State))
	}
	for _, l := range b.Lines {
		write.Queue(insertLine, kind, []byte(name), l.Shelf, l.Number, string(l.Text))
	}
	if a := b.Answer; a != nil {
		write.Queue(insertReply, kind, []byte(name), a.Key, a.Request[:], blob(a.Body))
	}
	for _, text := range b.News { // last: from here on all others wait
		write.Queue(takeNews)
		write.Queue(insertNews, string(text))
	}
	return tx.SendBatch(ctx, write).Close()
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
