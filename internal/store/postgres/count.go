package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"veridice/internal/match"
)

const selectCounts = "SELECT scheme, state, count(*), min(created) FROM match WHERE state NOT IN ('finished', 'aborted') GROUP BY scheme, state"

// Counts is [match.Store].
func (s *Store) Counts(ctx context.Context) (counts []match.Count, err error) {
	err = s.read(ctx, func(ctx context.Context, c *pgxpool.Conn) error {
		rows, err := c.Query(ctx, selectCounts)
		if err != nil {
			return err
		}
		counts = nil
		var n match.Count
		var created int64
		_, err = pgx.ForEachRow(rows, []any{&n.Scheme, &n.State, &n.Matches, &created}, func() error {
			n.Oldest = time.UnixMilli(created).UTC()
			counts = append(counts, n)
			return nil
		})
		return err
	})
	return counts, err
}
