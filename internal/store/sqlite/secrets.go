package sqlite

import (
	"context"

	"github.com/ncruces/go-sqlite3"

	"veridice/internal/match"
	"veridice/seed"
)

// secrets has the statements of each place: one reads, the other replaces.
var secrets = map[match.Place]struct{ read, replace string }{
	match.OfMatches: {
		"SELECT match, scheme, sealed FROM match WHERE match > ? ORDER BY match LIMIT ?", "UPDATE match SET sealed = ? WHERE match = ? AND sealed = ?",
	},
	match.OfCreations: {
		"SELECT key, '', body FROM creation WHERE key > ? ORDER BY key LIMIT ?", "UPDATE creation SET body = ? WHERE key = ? AND body = ?",
	},
	match.OfOnce: {
		"SELECT name, '', value FROM once WHERE name > ? ORDER BY name LIMIT ?", "UPDATE once SET value = ? WHERE name = ? AND value = ?",
	},
}

// nameAt is a name as its table has it.
func nameAt(place match.Place, name string) (any, error) {
	switch {
	case place != match.OfMatches:
		return name, nil
	case name == "":
		return []byte{}, nil // before all
	}
	return key(name)
}

// Secrets is [match.Store].
func (s *Store) Secrets(ctx context.Context, place match.Place, after string, limit int) (found []match.Secret, err error) {
	from, err := nameAt(place, after)
	if err != nil {
		return nil, err
	}
	err = s.read(ctx, func(c *conn) error {
		return c.query(secrets[place].read, func(st *sqlite3.Stmt) {
			x := match.Secret{Name: st.ColumnText(0), Scheme: st.ColumnText(1), Sealed: st.ColumnBlob(2, nil)}
			if place == match.OfMatches {
				x.Name = seed.Hex(st.ColumnRawBlob(0))
			}
			found = append(found, x)
		}, from, limit)
	})
	return found, err
}

// Reseal is [match.Store].
func (s *Store) Reseal(ctx context.Context, place match.Place, list []match.Secret) (replaced int, err error) {
	err = s.submit(ctx, func(c *conn) error {
		replaced = 0
		if place == match.OfMatches {
			for _, x := range s.writer.known {
				x.version = unknown
			}
		}
		return c.savepoint(func() error {
			st, _, err := c.c.Prepare(secrets[place].replace)
			if err != nil {
				return err
			}
			defer st.Close()
			for _, x := range list {
				name, err := nameAt(place, x.Name)
				if err != nil {
					continue // of no match
				}
				if err := exec(st, x.New, name, x.Sealed); err != nil {
					return err
				}
				replaced += int(c.c.Changes())
			}
			return nil
		})
	})
	if err != nil {
		return 0, err
	}
	return replaced, nil
}

// unknown is no version that SQLite gives.
const unknown = -1

// Answers is [ledger.Store].
func (s *Store) Answers(ctx context.Context, kind, name, after string, limit int) (found []match.Answer, err error) {
	err = s.read(ctx, func(c *conn) error {
		return c.query("SELECT request, body, key FROM book_answer WHERE kind = ? AND name = ? AND key > ? ORDER BY key LIMIT ?", func(st *sqlite3.Stmt) {
			found = append(found, *column(st, st.ColumnText(2)))
		}, kind, name, after, limit)
	})
	return found, err
}

// Reanswer is [ledger.Store].
func (s *Store) Reanswer(ctx context.Context, kind, name, key string, old, body []byte) error {
	return s.submit(ctx, func(c *conn) error {
		err := c.run("UPDATE book_answer SET body = ? WHERE kind = ? AND name = ? AND key = ? AND body = ?", body, kind, name, key, old)
		if err == nil && c.c.Changes() != 1 {
			err = match.ErrConflict
		}
		return err
	})
}
