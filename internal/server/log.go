package server

import (
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"net/http"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"veridice/internal/match"
)

// Log lines name a request by a number of its own and its route by the pattern,
// "GET /v1/matches/{match}". Addresses as asked for are never logged: they hold
// match ids.

// A request is what the log calls one.
type request struct {
	id    string
	trace string // "" if nobody follows it
}

type requestKey struct{}

// logged adds the request to what is logged in its context.
type logged struct{ slog.Handler }

// Handle is [slog.Handler].
func (l logged) Handle(ctx context.Context, r slog.Record) error {
	if of, ok := ctx.Value(requestKey{}).(request); ok {
		r.AddAttrs(slog.String("request", of.id))
		if of.trace != "" {
			r.AddAttrs(slog.String("trace", of.trace))
		}
	}
	return l.Handler.Handle(ctx, r)
}

// seen notes what was answered.
type seen struct {
	http.ResponseWriter
	status int
	bytes  int64
}

func (s *seen) WriteHeader(status int) {
	if s.status == 0 {
		s.status = status
	}
	s.ResponseWriter.WriteHeader(status)
}

func (s *seen) Write(b []byte) (int, error) {
	if s.status == 0 {
		s.status = http.StatusOK
	}
	n, err := s.ResponseWriter.Write(b)
	s.bytes += int64(n)
	return n, err
}

// Unwrap is for [http.ResponseController].
func (s *seen) Unwrap() http.ResponseWriter { return s.ResponseWriter }

// watched numbers requests, logs them, and turns a panic into an answer.
func (s *Server) watched(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		start, of, ctx := time.Now(), request{id: rand.Text()}, r.Context()
		out := &seen{ResponseWriter: w}
		if s.trace != nil {
			var end func(string, int)
			ctx, of.trace, end = s.trace(r)
			defer func() { end(r.Pattern, out.status) }()
		}
		r = r.WithContext(context.WithValue(ctx, requestKey{}, of))
		w.Header().Set("X-Request-Id", of.id)
		cut := false
		defer func() {
			if p := recover(); p != nil {
				if p == http.ErrAbortHandler {
					panic(p)
				}
				s.log.ErrorContext(r.Context(), "handler panicked", "route", r.Pattern, "panic", p, "stack", string(debug.Stack()))
				if cut = out.status != 0; !cut {
					problemOf(errors.New("panic")).write(out)
				}
			}
			s.counted.measure(r.Pattern, out.status, time.Since(start))
			s.log.LogAttrs(r.Context(), slog.LevelDebug, "request", slog.String("method", method(r)), slog.String("route", r.Pattern),
				slog.Int("status", out.status), slog.Int64("bytes", out.bytes), slog.Duration("took", time.Since(start)))
			if cut {
				panic(http.ErrAbortHandler) // half an answer must not look like a whole one
			}
		}()
		next.ServeHTTP(out, r)
	})
}

// method is the method as it may be logged: a sender can make up any word.
func method(r *http.Request) string {
	switch r.Method {
	case "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS":
		return r.Method
	}
	return "other"
}

// refuse answers with a problem. What is the server's fault goes to the log.
func (s *Server) refuse(w http.ResponseWriter, r *http.Request, err error) {
	p := problemOf(err)
	if p.status >= 500 && !errors.Is(err, errEnding) {
		s.failed(r, "request failed", err)
	}
	p.write(w)
}

// failed logs what is the server's fault. Of an outage of the store it is the first alone.
func (s *Server) failed(r *http.Request, what string, err error) {
	switch {
	case r.Context().Err() != nil: // the reader went away
	case errors.Is(err, match.ErrBusy):
		s.noStore(r.Context(), r.Pattern, err)
	default:
		s.log.ErrorContext(r.Context(), what, "route", r.Pattern, "error", err)
	}
}

func (s *Server) noStore(ctx context.Context, route string, err error) {
	if s.outage.fails(time.Now()) {
		s.log.ErrorContext(ctx, "the store does not answer; what else fails of it is not logged", "route", route, "error", err)
	}
}

// worked notes that the store did its part.
func (s *Server) worked(ctx context.Context) {
	if failed, long, over := s.outage.works(time.Now()); over {
		s.log.WarnContext(ctx, "the store answers again", "failed", failed, "after", long.Round(time.Second))
	}
}

// calm is how long nothing may have failed when an outage is over: a store that comes and
// goes, or can be read and not written, has one outage.
const calm = 30 * time.Second

// An outage is a time in which the store did not answer. The zero outage is none.
type outage struct {
	on          atomic.Bool // for those who only ask
	mu          sync.Mutex  // guards all below
	first, last time.Time   // when it failed
	failed      int         // how often
	worked      bool        // something did since the last time
}

// fails notes a failure and tells whether it begins an outage.
func (o *outage) fails(now time.Time) (begins bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if begins = !o.on.Swap(true) || o.worked && now.Sub(o.last) >= calm; begins {
		o.first, o.failed = now, 0
	}
	o.last, o.worked = now, false
	o.failed++
	return begins
}

// works notes that the store answered and tells whether that ends an outage.
func (o *outage) works(now time.Time) (failed int, long time.Duration, over bool) {
	if !o.on.Load() {
		return 0, 0, false
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.worked = true
	if now.Sub(o.last) < calm || !o.on.Swap(false) {
		return 0, 0, false
	}
	return o.failed, o.last.Sub(o.first), true
}

// quiet keeps net/http's own complaints, which may quote what a client sent, to
// the fact that there was one.
type quiet struct{ slog.Handler }

func (q quiet) Handle(ctx context.Context, r slog.Record) error {
	return q.Handler.Handle(ctx, slog.NewRecord(r.Time, r.Level, "connection failed", 0))
}
