package sqlite

import (
	"context"
	"time"

	"veridice/internal/store/group"
)

// lookEvery is how often the writer looks for what other processes wrote, while somebody
// watches and it has nothing else to do.
const lookEvery = 500 * time.Millisecond

// look makes the writer look: of its transactions each begins with that.
func (s *Store) look() {
	defer close(s.looked)
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			if len(s.Watched()) > 0 {
				s.queue.Submit(context.Background(), s.nothing) // what it cannot see now, it sees next time
			}
		case <-s.closing:
			return
		}
	}
}

// measured is the queue's commit: all but looks are commits to be measured.
func (s *Store) measured() func([]*group.Op) {
	commit := group.Measured(&s.Commits, s.writer.settle)
	return func(batch []*group.Op) {
		if len(batch) == 1 && batch[0] == s.nothing {
			s.writer.settle(batch)
		} else {
			commit(batch)
		}
	}
}

// others wakes all who watch: another process wrote, nobody knows what.
func (s *Store) others() {
	for _, id := range s.Watched() {
		s.Wake(id)
	}
}
