package server

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/VictoriaMetrics/metrics"
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

// counted for a minute: it reads all users.
const seedsFor = time.Minute

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
	if s.pairs != nil {
		var mu sync.Mutex
		var at time.Time
		var seeds, age float64
		look := func(of *float64) func() float64 {
			return func() float64 {
				mu.Lock()
				defer mu.Unlock()
				if time.Since(at) >= seedsFor {
					ctx, cancel := context.WithTimeout(context.Background(), s.limits.request)
					defer cancel()
					n, oldest, err := s.pairs.Unrevealed(ctx)
					if err != nil {
						s.log.Error("unrevealed seeds cannot be counted", "error", err)
						return *of
					}
					at, seeds, age = time.Now(), float64(n), 0
					if !oldest.IsZero() {
						age = max(0, time.Since(oldest).Seconds())
					}
				}
				return *of
			}
		}
		set.NewGauge("veridice_unrevealed_seeds", look(&seeds))
		set.NewGauge("veridice_oldest_active_pair_seconds", look(&age))
	}
	s.counted.set.Store(set)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/metrics" || r.Method != http.MethodGet && r.Method != http.MethodHead {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
		w.Header().Set("X-Content-Type-Options", "nosniff")
		set.WritePrometheus(w)
		metrics.WriteProcessMetrics(w)
	})
}

// ready says whether requests should come here: not when the store cannot be read, nor
// when the server is about to end.
func (s *Server) ready(w http.ResponseWriter, r *http.Request) error {
	select {
	case <-s.closing:
		return &problem{status: http.StatusServiceUnavailable, code: "busy", retry: 10}
	default:
	}
	if err := s.match.Ping(r.Context()); err != nil {
		s.log.ErrorContext(r.Context(), "not ready", "request", r.Context().Value(requestID{}), "error", err)
		return &problem{status: http.StatusServiceUnavailable, code: "busy", retry: 1}
	}
	return send(w, http.StatusOK, []byte(`{"status":"ok"}`+"\n"))
}
