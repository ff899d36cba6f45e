package server

import (
	"testing"
	"time"
)

// A clock that is set locks nobody out and gives nobody more than a full bucket.
func TestLimitsWithAClockThatJumps(t *testing.T) {
	now := time.Unix(1e9, 0)
	b, r := buckets{now: func() time.Time { return now }}, rate{1, 3}
	take := func(want bool) {
		t.Helper()
		if wait, ok := b.take("somebody", r); ok != want || !ok && wait != 1 {
			t.Errorf("at %v: got %v, wait %d s", now, ok, wait)
		}
	}
	empty := func() {
		t.Helper()
		for range 3 {
			take(true)
		}
		take(false)
	}
	empty()
	now = now.Add(-time.Hour)
	take(false)
	now = now.Add(time.Second)
	take(true)
	take(false)
	now = now.Add(2 * time.Hour)
	empty()
}
