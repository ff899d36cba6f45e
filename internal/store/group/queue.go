package group

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"time"
)

// ErrClosed is what a closed store says.
var ErrClosed = errors.New("store: is closed")

// An Op is one change on its way through a queue.
type Op struct {
	Match string // its id
	Key   string // the idempotency key of an update
	Do    func(*Plan) error

	// Create says that Do is [Plan.Create]: the match need not be read.
	Create bool

	// Kind and Name are those of a book, if Do is [Plan.Amend] and no match is changed.
	Kind, Name string

	// Since is when it was submitted; the queue sets it.
	Since time.Time

	// Err is what became of it; the queue's commit sets it.
	Err error

	done chan struct{}
}

// A Queue hands waiting changes to one goroutine, which commits them together: no
// timer, just what came while the last commit was on its way.
type Queue struct {
	commit func([]*Op)
	batch  int

	mu     sync.RWMutex // guards closed, and ops against being closed while one sends
	closed bool
	ops    chan *Op
	ended  chan struct{}
}

// NewQueue starts a queue. commit gets at most batch changes, makes them durable
// and sets each one's Err; one goroutine calls it.
func NewQueue(batch int, commit func([]*Op)) *Queue {
	q := &Queue{commit: commit, batch: batch, ops: make(chan *Op, MaxBatch), ended: make(chan struct{})}
	go q.run()
	return q
}

// Submit hands a change to the queue and waits for it, whatever becomes of ctx: a
// change that began is not left in the dark.
func (q *Queue) Submit(ctx context.Context, o *Op) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	o.done, o.Since = make(chan struct{}), time.Now()
	q.mu.RLock()
	if q.closed {
		q.mu.RUnlock()
		return ErrClosed
	}
	q.ops <- o
	q.mu.RUnlock()
	<-o.done
	return o.Err
}

// Waiting is the number of changes that wait.
func (q *Queue) Waiting() int { return len(q.ops) }

// Close waits for what was submitted. After it nothing else is taken.
func (q *Queue) Close() error {
	q.mu.Lock()
	if q.closed {
		q.mu.Unlock()
		return ErrClosed
	}
	q.closed = true
	close(q.ops)
	q.mu.Unlock()
	<-q.ended
	return nil
}

func (q *Queue) run() {
	defer close(q.ended)
	batch := make([]*Op, 0, q.batch)
	for first := range q.ops {
		batch = append(batch[:0], first)
		// Who is about to hand one in, having been answered just now, is in time for this
		// batch. Nobody is waited for: as soon as nothing comes, it goes.
		for n := -1; len(q.ops) > n; {
			n = len(q.ops)
			runtime.Gosched()
		}
	more:
		for len(batch) < q.batch {
			select {
			case o, ok := <-q.ops:
				if !ok {
					break more
				}
				batch = append(batch, o)
			default:
				break more
			}
		}
		q.commit(batch)
		for _, o := range batch {
			close(o.done)
		}
	}
}
