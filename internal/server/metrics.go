package server

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/VictoriaMetrics/metrics"

	"veridice/internal/match"
)

// counts are what the server did since it started.
type counts struct {
	set   atomic.Pointer[metrics.Set] // nil until somebody wants to know
	draws atomic.Uint64               // outcomes of seed pairs that were answered
}

// measure counts an answer. The route is its pattern: nothing of a request becomes a label.
func (c *counts) measure(route string, status int, took time.Duration) {
	set := c.set.Load()
	if set == nil {
		return
	}
	if route == "" {
		route = "other"
	}
	set.GetOrCreateCounter(fmt.Sprintf(`veridice_requests_total{route=%q,status="%d"}`, route, status)).Inc()
	set.GetOrCreatePrometheusHistogram(fmt.Sprintf(`veridice_request_seconds{route=%q}`, route)).Update(took.Seconds())
}

// Borders of the histograms of commits.
var (
	commitSeconds = []float64{0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10}
	commitChanges = []float64{1, 2, 4, 8, 16, 32, 64, 128, 256, 512}
)

// Metrics answers with what the server did, in the text form of Prometheus, and has it
// counted from now on. It belongs on an address of its own: it is not for the public.
func (s *Server) Metrics() http.Handler {
	set := metrics.NewSet()
	set.NewGauge("veridice_streams", func() float64 {
		s.streams.mu.Lock()
		defer s.streams.mu.Unlock()
		return float64(s.streams.total)
	})
	set.NewGauge("veridice_draws_total", func() float64 { return float64(s.counted.draws.Load()) })
	set.NewGauge("veridice_rolls_total", func() float64 { return float64(s.match.Rolls()) })
	seconds := set.NewPrometheusHistogramExt("veridice_commit_seconds", commitSeconds)
	changes := set.NewPrometheusHistogramExt("veridice_commit_changes", commitChanges)
	s.match.Observe(func(n int, took time.Duration) {
		seconds.Update(took.Seconds())
		changes.Update(float64(n))
	})
	s.counted.set.Store(set)
	sealed := &seals{server: s}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/metrics" || r.Method != http.MethodGet && r.Method != http.MethodHead {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
		w.Header().Set("X-Content-Type-Options", "nosniff")
		set.WritePrometheus(w)
		w.Write(sealed.text())
		metrics.WriteProcessMetrics(w)
	})
}

// A count reads all users and open matches, which takes long when they are many.
const (
	sealsFor   = time.Minute      // how long a count is good at least
	sealsShare = 20               // and how many times as long as it took
	sealsMost  = 10 * time.Minute // for a count
	sealsWait  = 5 * time.Second  // a scraper waits no longer than that for one
)

// seals counts what nobody can open yet.
type seals struct {
	server *Server

	mu       sync.Mutex    // guards all below
	due      time.Time     // when to count again
	counting chan struct{} // closed when the count that goes on ends, nil if none does
	last     []byte        // what the last one gave
}

// text is the latest count, and nothing if the store did not give one: no number is not 0.
func (c *seals) text() []byte {
	c.mu.Lock()
	if c.counting == nil && !time.Now().Before(c.due) {
		c.counting = make(chan struct{})
		go c.renew(c.counting)
	}
	counting := c.counting
	c.mu.Unlock()
	if counting != nil {
		select {
		case <-counting:
		case <-time.After(sealsWait):
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.last
}

func (c *seals) renew(done chan struct{}) {
	defer close(done)
	ctx, cancel := context.WithTimeout(context.Background(), sealsMost)
	defer cancel()
	began := time.Now()
	text, err := c.count(ctx, began)
	if err != nil {
		c.server.noStore(ctx, "metrics", err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.due, c.last, c.counting = time.Now().Add(max(sealsFor, sealsShare*time.Since(began))), text, nil
}

func (c *seals) count(ctx context.Context, now time.Time) ([]byte, error) {
	var b bytes.Buffer
	age := func(since time.Time) float64 {
		if since.IsZero() {
			return 0
		}
		return max(0, now.Sub(since).Seconds())
	}
	unrevealed := func(of string, n int, oldest time.Time) {
		fmt.Fprintf(&b, "veridice_unrevealed_seals{of=%q} %d\n", of, n)
		fmt.Fprintf(&b, "veridice_oldest_unrevealed_seal_seconds{of=%q} %.0f\n", of, age(oldest))
	}
	open, err := c.server.match.Counts(ctx)
	if err != nil {
		return nil, err
	}
	all := match.Count{}
	for _, m := range open {
		fmt.Fprintf(&b, "veridice_open_matches{scheme=%q,state=%q} %d\n", m.Scheme, m.State, m.Matches)
		fmt.Fprintf(&b, "veridice_oldest_open_match_seconds{scheme=%q,state=%q} %.0f\n", m.Scheme, m.State, age(m.Oldest))
		if all.Matches += m.Matches; all.Oldest.IsZero() || m.Oldest.Before(all.Oldest) {
			all.Oldest = m.Oldest
		}
	}
	unrevealed("matches", all.Matches, all.Oldest)
	if c.server.pairs != nil {
		n, oldest, err := c.server.pairs.Unrevealed(ctx)
		if err != nil {
			return nil, err
		}
		unrevealed("pairs", n, oldest)
	}
	return b.Bytes(), nil
}

// errEnding is what a server says that is about to end.
var errEnding = &problem{status: http.StatusServiceUnavailable, code: "busy", retry: 10}

// ready says whether requests should come here: not when the store cannot be read, nor
// when the server is about to end.
func (s *Server) ready(w http.ResponseWriter, r *http.Request) error {
	select {
	case <-s.closing:
		return errEnding
	default:
	}
	if err := s.match.Ping(r.Context()); err != nil {
		if !errors.Is(err, match.ErrBusy) {
			err = fmt.Errorf("%w: %v", match.ErrBusy, err)
		}
		return err
	}
	s.worked(r.Context())
	return send(w, http.StatusOK, []byte(`{"status":"ok"}`+"\n"))
}
