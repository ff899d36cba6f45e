package group

import (
	"time"

	"veridice/internal/match"
)

// Measured is a queue's commit that tells of itself.
func Measured(c *match.Commits, commit func([]*Op)) func([]*Op) {
	return func(batch []*Op) {
		began := time.Now()
		commit(batch)
		c.Committed(len(batch), began)
	}
}
