package sqlite

import (
	"context"

	"veridice/internal/match"
)

// Counts is [match.Store]. Its statement is made each time: it is rare.
func (s *Store) Counts(ctx context.Context) (counts []match.Count, err error) {
	err = s.read(ctx, func(c *conn) error {
		st, _, err := c.c.Prepare("SELECT scheme, state, count(*), min(created) FROM match WHERE state NOT IN ('finished', 'aborted') GROUP BY scheme, state")
		if err != nil {
			return storeError(err)
		}
		defer st.Close()
		return each(st, func() {
			counts = append(counts, match.Count{
				Scheme: st.ColumnText(0), State: match.State(st.ColumnText(1)), Matches: st.ColumnInt(2), Oldest: at(st.ColumnInt64(3)),
			})
		})
	})
	return counts, err
}
