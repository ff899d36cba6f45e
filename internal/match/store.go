package match

import (
	"context"
	"io"
	"maps"
	"slices"
	"sync"
	"time"
)

// A Store keeps matches. It must be safe for concurrent use, also by several
// processes on one database. Every error that is not one of this package's must
// be taken as "may or may not have happened"; whoever repeats the call with the
// same idempotency key finds out.
type Store interface {
	// Create stores a new match with the events in Added and the answer in
	// Answer, all or nothing, and must not return before they are durable. It
	// gives [ErrConflict] if the match or the answer's key is there already.
	Create(ctx context.Context, m *Match) error

	// Created gives the answer that [Store.Create] stored under a key, or
	// [ErrNotFound].
	Created(ctx context.Context, key string) (*Answer, error)

	// Update loads a match, with the answer stored under key in Earlier, lets
	// change alter it and stores it with the events in Added and the answer in
	// Answer: in one transaction, durable before Update returns. It gives
	// [ErrNotFound]; the error of change as it is, and then nothing is stored;
	// or [ErrConflict] if the match was changed meanwhile, and then the caller
	// retries. A change that leaves Added and Answer empty stores nothing. Texts in
	// Logged go to the log and a changed Seq is taken or given back in the same
	// transaction.
	//
	// change may be called several times and must not call the store. Nothing
	// that it saw, errors included, may be told to anybody before it is durable:
	// Update must not return earlier.
	Update(ctx context.Context, id, key string, change func(*Match) error) error

	// Match reads the state of a match, or gives [ErrNotFound].
	Match(ctx context.Context, id string) (*Match, error)

	// Unfinished reads any one match that is not over, or gives [ErrNotFound].
	Unfinished(ctx context.Context) (*Match, error)

	// Matches reads ids of matches after one, in their order, at most limit of them;
	// "" is before all.
	Matches(ctx context.Context, after string, limit int) ([]string, error)

	// Events reads the events of a match after a number, in order, at most limit
	// of them; for an unknown match none.
	Events(ctx context.Context, id string, after uint64, limit int) ([]Event, error)

	// Entries reads the events of a match that are rolls or moves, in order.
	Entries(ctx context.Context, id string) ([]Event, error)

	// Log reads entries of the log of openings and closings from an index on, in
	// order, at most limit of them.
	Log(ctx context.Context, from uint64, limit int) ([][]byte, error)

	// Tree reads how far the log is published; the zero Tree before the first time.
	Tree(ctx context.Context) (Tree, error)

	// Grow stores the next state of the published log and the hashes that it adds, all
	// or nothing and durable before it returns. It gives [ErrConflict] if the stored
	// state does not have the version before next's.
	Grow(ctx context.Context, next Tree, hashes [][32]byte) error

	// Hashes reads stored hashes by their numbers, which count in the order in which
	// [Store.Grow] added them, from 0. One that is not there gives [ErrNotFound].
	Hashes(ctx context.Context, numbers []int64) ([][32]byte, error)

	// Once keeps a value under a name if there is none yet, and gives the one that
	// is kept; durable before it returns.
	Once(ctx context.Context, name string, value []byte) ([]byte, error)

	// Secrets reads what is kept encrypted at a place, of names after one, at most limit
	// of it. The order of names is the store's own; "" is before all.
	Secrets(ctx context.Context, place Place, after string, limit int) ([]Secret, error)

	// Reseal replaces secrets by their New, each that still is as its Sealed has it, in
	// one transaction and durable before it returns. It gives how many. Nothing else
	// changes, no version either: nobody who plays meanwhile notices. [ErrConflict] says
	// that nothing was replaced; the caller retries.
	Reseal(ctx context.Context, place Place, secrets []Secret) (int, error)

	// Watch returns a channel that gets a value when the match may have new
	// events, within seconds also of those that another process made, and a function
	// that ends the watch. It is a hint: it may come without cause or, when something is
	// wrong, not at all, so that a reader also looks from time to time.
	Watch(id string) (hint <-chan struct{}, stop func())

	// Counts counts the matches that are not over by scheme and state, in no order. It
	// reads all of them: not for a request.
	Counts(ctx context.Context) ([]Count, error)

	// Observe lets f hear of each commit of changes of matches, also of one that failed:
	// how many there were in it, and how long it took. It may be told of other commits
	// too. f must not wait, and replaces the one before.
	Observe(f func(changes int, took time.Duration))

	// Ping reports whether the store can be read.
	Ping(ctx context.Context) error

	// Close waits for what was begun and gives the store's files back. After it
	// every call fails.
	Close() error
}

// A Tree is the published state of the log: a Merkle tree over its first entries.
type Tree struct {
	Version    uint64 // counts the changes
	Size       uint64 // entries in the tree
	Checkpoint []byte // of this size, signed by the log alone
	Shown      []byte // the latest one that its policy lets be shown, with cosignatures
	ShownSize  uint64 // entries in that one
	Receipted  uint64 // entries whose matches have their receipts
}

// A Clock tells the time. No verdict and no roll depends on it.
type Clock interface{ Now() time.Time }

// Entropy is the source of secrets. A read that fails or returns short stops
// what needed it.
type Entropy interface{ io.Reader }

// System is the clock of the machine.
type System struct{}

// Now is the time of the machine's clock.
func (System) Now() time.Time { return time.Now() }

// Hints wakes the watchers of matches within one process. A store may use it for
// [Store.Watch]. The zero Hints is ready.
type Hints struct {
	mu       sync.Mutex
	watchers map[string]map[chan struct{}]struct{} // by match
}

// Watch is [Store.Watch].
func (h *Hints) Watch(id string) (<-chan struct{}, func()) {
	hint := make(chan struct{}, 1)
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.watchers == nil {
		h.watchers = make(map[string]map[chan struct{}]struct{})
	}
	if h.watchers[id] == nil {
		h.watchers[id] = make(map[chan struct{}]struct{})
	}
	h.watchers[id][hint] = struct{}{}
	return hint, func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		delete(h.watchers[id], hint)
		if len(h.watchers[id]) == 0 {
			delete(h.watchers, id)
		}
	}
}

// Watched lists the matches that somebody watches.
func (h *Hints) Watched() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Collect(maps.Keys(h.watchers))
}

// Wake hints at new events of a match. It never waits.
func (h *Hints) Wake(id string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for hint := range h.watchers[id] {
		select {
		case hint <- struct{}{}:
		default: // a hint is waiting already
		}
	}
}
