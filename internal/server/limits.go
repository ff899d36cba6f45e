package server

import (
	"math"
	"net/http"
	"net/netip"
	"sync"
	"time"
)

// A rate is how often something may be done: at once up to burst times, and then each
// second perSecond times.
type rate struct {
	perSecond float64
	burst     float64
}

// Rates of a server. Each process counts for itself.
type rates struct {
	key     rate // requests of an API key
	address rate // requests with an API key, from one address
	wrong   rate // requests with a wrong key, from one address
	tables  rate // tables opened without a key, from one address
}

var usualRates = rates{
	key:     rate{500, 1000},
	address: rate{1000, 2000},
	wrong:   rate{0.2, 20},
	tables:  rate{0.1, 60},
}

// maxBuckets is how many callers are remembered before those that have waited long enough
// are forgotten.
const maxBuckets = 1 << 16

// buckets count what callers did. The zero value has seen nobody.
type buckets struct {
	mu   sync.Mutex
	by   map[string]bucket
	left int              // after the last look for those who can be forgotten
	now  func() time.Time // nil for the machine's clock, which does not go back
}

type bucket struct {
	left float64
	at   time.Time
}

// take uses one, or tells after how many seconds there is one again.
func (b *buckets) take(who string, r rate) (wait int, ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := time.Now()
	if b.now != nil {
		now = b.now()
	}
	c := b.filled(who, r, now)
	if c.left < 1 {
		b.by[who] = c // it was there: who is new has something left
		return int(math.Ceil((1 - c.left) / r.perSecond)), false
	}
	c.left--
	if b.by == nil {
		b.by = make(map[string]bucket)
	}
	if len(b.by) >= max(maxBuckets, 2*b.left) { // else each of many callers would look at all the others
		for other := range b.by {
			if b.filled(other, r, now).left >= r.burst {
				delete(b.by, other)
			}
		}
		b.left = len(b.by)
	}
	b.by[who] = c
	return 0, true
}

// spent reports whether nothing is left, without using any.
func (b *buckets) spent(who string, r rate) (wait int, spent bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := time.Now()
	if b.now != nil {
		now = b.now()
	}
	if c := b.filled(who, r, now); c.left < 1 {
		return int(math.Ceil((1 - c.left) / r.perSecond)), true
	}
	return 0, false
}

func (b *buckets) filled(who string, r rate, now time.Time) bucket {
	c, ok := b.by[who]
	if !ok {
		return bucket{r.burst, now}
	}
	c.left = min(r.burst, c.left+r.perSecond*max(0, now.Sub(c.at).Seconds()))
	c.at = now
	return c
}

func tooMany(wait int) error {
	return &problem{status: http.StatusTooManyRequests, code: "too-many-requests", retry: max(1, wait)}
}

// mayOpen limits how many tables an address opens without a key. The machine's own address
// is not limited: behind a proxy that -trusted-proxy does not name, it is everybody's.
func (s *Server) mayOpen(r *http.Request) error {
	from := s.address(r)
	if ip, err := netip.ParseAddr(from); err == nil && ip.IsLoopback() {
		return nil
	}
	if wait, ok := s.tables.take(from, s.rates.tables); !ok {
		return tooMany(wait)
	}
	return nil
}
