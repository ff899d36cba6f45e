package sqlite

import (
	"context"

	"github.com/ncruces/go-sqlite3"

	"veridice/internal/ledger"
	"veridice/internal/match"
)

// query runs a statement that is prepared for this one time, and calls f for each row.
func (c *conn) query(sql string, f func(*sqlite3.Stmt), values ...any) error {
	st, _, err := c.c.Prepare(sql)
	if err != nil {
		return err
	}
	defer st.Close()
	return each(st, func() { f(st) }, values...)
}

func (c *conn) run(sql string, values ...any) error {
	st, _, err := c.c.Prepare(sql)
	if err != nil {
		return err
	}
	defer st.Close()
	return exec(st, values...)
}

// book gives one of version 0 if there is none.
func (c *conn) book(kind, name string) (*ledger.Book, error) {
	b := &ledger.Book{Kind: kind, Name: name}
	err := c.query("SELECT version, state FROM book WHERE kind = ? AND name = ?", func(st *sqlite3.Stmt) {
		b.Version, b.State = uint64(st.ColumnInt64(0)), []byte(st.ColumnText(1))
	}, kind, name)
	return b, err
}

// Amend is [ledger.Store].
func (s *Store) Amend(ctx context.Context, kind, name, key string, change func(*ledger.Book) error) error {
	return s.submit(ctx, func(c *conn) error {
		before, err := c.book(kind, name)
		if err != nil {
			return err
		}
		b := before.Clone()
		if key != "" {
			err := c.query("SELECT request, body FROM book_answer WHERE kind = ? AND name = ? AND key = ?", func(st *sqlite3.Stmt) {
				b.Earlier = column(st, key)
			}, kind, name, key)
			if err != nil {
				return err
			}
		}
		if err := change(b); err != nil {
			return err
		}
		if !b.Changed(before) {
			return nil
		}
		if b.Version != before.Version {
			return match.ErrConflict
		}
		return c.savepoint(func() error { return c.amend(b) })
	})
}

func (c *conn) amend(b *ledger.Book) error {
	text := "UPDATE book SET version = ?1, state = ?2 WHERE kind = ?3 AND name = ?4"
	if b.Version == 0 {
		text = "INSERT INTO book (version, state, kind, name) VALUES (?1, ?2, ?3, ?4)"
	}
	if err := c.run(text, b.Version+1, string(b.State), b.Kind, b.Name); err != nil {
		return err
	}
	for _, l := range b.Lines {
		if err := c.run("INSERT INTO line (kind, name, shelf, number, text) VALUES (?, ?, ?, ?, ?)", b.Kind, b.Name, l.Shelf, l.Number, string(l.Text)); err != nil {
			return err
		}
	}
	for _, text := range b.News {
		if err := c.run("INSERT INTO news (number, text) SELECT coalesce(max(number), 0) + 1, ? FROM news", string(text)); err != nil {
			return err
		}
	}
	if a := b.Answer; a != nil {
		return c.run("INSERT INTO book_answer (kind, name, key, request, body) VALUES (?, ?, ?, ?, ?)", b.Kind, b.Name, a.Key, a.Request[:], append([]byte{}, a.Body...)) // never NULL
	}
	return nil
}

// Book is [ledger.Store].
func (s *Store) Book(ctx context.Context, kind, name string) (b *ledger.Book, err error) {
	err = s.read(ctx, func(c *conn) error {
		if b, err = c.book(kind, name); err == nil && b.Version == 0 {
			b, err = nil, match.ErrNotFound
		}
		return err
	})
	return b, err
}

// Books is [ledger.Store].
func (s *Store) Books(ctx context.Context, kind, after string, limit int) (found []*ledger.Book, err error) {
	err = s.read(ctx, func(c *conn) error {
		return c.query("SELECT name, version, state FROM book WHERE kind = ? AND name > ? ORDER BY name LIMIT ?", func(st *sqlite3.Stmt) {
			found = append(found, &ledger.Book{Kind: kind, Name: st.ColumnText(0), Version: uint64(st.ColumnInt64(1)), State: []byte(st.ColumnText(2))})
		}, kind, after, limit)
	})
	return found, err
}

// Lines is [ledger.Store].
func (s *Store) Lines(ctx context.Context, kind, name, shelf string, after uint64, limit int) (lines []ledger.Line, err error) {
	if after > 1<<62 {
		return nil, nil
	}
	err = s.read(ctx, func(c *conn) error {
		return c.query("SELECT number, text FROM line WHERE kind = ? AND name = ? AND shelf = ? AND number > ? ORDER BY number LIMIT ?", func(st *sqlite3.Stmt) {
			lines = append(lines, ledger.Line{Shelf: shelf, Number: uint64(st.ColumnInt64(0)), Text: []byte(st.ColumnText(1))})
		}, kind, name, shelf, after, limit)
	})
	return lines, err
}

// News is [ledger.Store].
func (s *Store) News(ctx context.Context, after uint64, limit int) (news []ledger.News, err error) {
	if after > 1<<62 {
		return nil, nil
	}
	err = s.read(ctx, func(c *conn) error {
		return c.query("SELECT number, text FROM news WHERE number > ? ORDER BY number LIMIT ?", func(st *sqlite3.Stmt) {
			news = append(news, ledger.News{Number: uint64(st.ColumnInt64(0)), Text: []byte(st.ColumnText(1))})
		}, after, limit)
	})
	return news, err
}
