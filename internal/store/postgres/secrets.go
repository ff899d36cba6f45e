package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"veridice/internal/match"
	"veridice/seed"
)

// secrets has the statements of each place: one reads, one locks rows in the order in
// which writers of matches do, so that neither waits for the other, one replaces.
var secrets = map[match.Place]struct{ read, lock, replace string }{
	match.OfMatches: {
		"SELECT match, scheme, sealed FROM match WHERE match > $1 ORDER BY match LIMIT $2",
		"SELECT 1 FROM match WHERE match = ANY ($1::BYTEA[]) ORDER BY match FOR UPDATE",
		`UPDATE match AS m SET sealed = u.now FROM unnest($1::BYTEA[], $2::BYTEA[], $3::BYTEA[]) AS u (name, was, now)
			WHERE m.match = u.name AND m.sealed = u.was`,
	},
	match.OfCreations: {
		"SELECT key, '', body FROM creation WHERE key > $1 ORDER BY key LIMIT $2",
		"SELECT 1 FROM creation WHERE key = ANY ($1::TEXT[]) ORDER BY key FOR UPDATE",
		`UPDATE creation AS c SET body = u.now FROM unnest($1::TEXT[], $2::BYTEA[], $3::BYTEA[]) AS u (name, was, now)
			WHERE c.key = u.name AND c.body = u.was`,
	},
	match.OfOnce: {
		"SELECT name, '', value FROM once WHERE name > $1 ORDER BY name LIMIT $2",
		"SELECT 1 FROM once WHERE name = ANY ($1::TEXT[]) ORDER BY name FOR UPDATE",
		`UPDATE once AS o SET value = u.now FROM unnest($1::TEXT[], $2::BYTEA[], $3::BYTEA[]) AS u (name, was, now)
			WHERE o.name = u.name AND o.value = u.was`,
	},
}

const (
	selectReplies = "SELECT key, request, body FROM book_answer WHERE kind = $1 AND name = $2 AND key > $3 ORDER BY key LIMIT $4"
	updateReply   = "UPDATE book_answer SET body = $5 WHERE kind = $1 AND name = $2 AND key = $3 AND body = $4"
)

// Secrets is [match.Store].
func (s *Store) Secrets(ctx context.Context, place match.Place, after string, limit int) (found []match.Secret, err error) {
	var from any = after
	if place == match.OfMatches {
		k := []byte{} // before all
		if after != "" {
			if k, err = key(after); err != nil {
				return nil, err
			}
		}
		from = k
	}
	err = s.read(ctx, func(ctx context.Context, c *pgxpool.Conn) error {
		rows, err := c.Query(ctx, secrets[place].read, from, limit)
		if err != nil {
			return err
		}
		found = nil
		var x match.Secret
		var id []byte
		name := any(&x.Name)
		if place == match.OfMatches {
			name = &id
		}
		_, err = pgx.ForEachRow(rows, []any{name, &x.Scheme, &x.Sealed}, func() error {
			if place == match.OfMatches {
				x.Name = seed.Hex(id)
			}
			found = append(found, match.Secret{Name: x.Name, Scheme: x.Scheme, Sealed: blob(x.Sealed)})
			return nil
		})
		return err
	})
	return found, err
}

// Reseal is [match.Store]. Should it be repeated on another connection, what the first
// one did does not count.
func (s *Store) Reseal(ctx context.Context, place match.Place, list []match.Secret) (replaced int, err error) {
	var ids, was, now [][]byte
	var names []string
	for _, x := range list {
		if place == match.OfMatches {
			k, err := key(x.Name)
			if err != nil {
				continue // of no match
			}
			ids = append(ids, k)
		} else {
			names = append(names, x.Name)
		}
		was, now = append(was, x.Sealed), append(now, x.New)
	}
	var all any = names
	if place == match.OfMatches {
		all = ids
	}
	err = s.write(ctx, func(ctx context.Context, c *pgxpool.Conn) error {
		return pgx.BeginFunc(ctx, c, func(tx pgx.Tx) error {
			if _, err := tx.Exec(ctx, secrets[place].lock, all); err != nil {
				return err
			}
			tag, err := tx.Exec(ctx, secrets[place].replace, all, was, now)
			replaced = int(tag.RowsAffected())
			return err
		})
	})
	if err != nil {
		return 0, err
	}
	s.writer.resealed.Store(true)
	return replaced, nil
}

// Answers is [ledger.Store].
func (s *Store) Answers(ctx context.Context, kind, name, after string, limit int) (found []match.Answer, err error) {
	err = s.read(ctx, func(ctx context.Context, c *pgxpool.Conn) error {
		rows, err := c.Query(ctx, selectReplies, kind, []byte(name), after, limit)
		if err != nil {
			return err
		}
		found = nil
		var text string
		var request, body []byte
		_, err = pgx.ForEachRow(rows, []any{&text, &request, &body}, func() error {
			a := match.Answer{Key: text, Body: blob(body)}
			copy(a.Request[:], request)
			found = append(found, a)
			return nil
		})
		return err
	})
	return found, err
}

// Reanswer is [ledger.Store]. Should it be repeated on another connection, it gives a
// conflict though the first one did it.
func (s *Store) Reanswer(ctx context.Context, kind, name, key string, old, body []byte) error {
	return s.write(ctx, func(ctx context.Context, c *pgxpool.Conn) error {
		tag, err := c.Exec(ctx, updateReply, kind, []byte(name), key, old, blob(body))
		if err == nil && tag.RowsAffected() != 1 {
			err = match.ErrConflict
		}
		return err
	})
}
