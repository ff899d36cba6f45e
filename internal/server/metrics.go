package server

import "sync/atomic"

// counts are what the server did since it started.
type counts struct {
	draws atomic.Uint64 // outcomes of seed pairs that were answered
}
