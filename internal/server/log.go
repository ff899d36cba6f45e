package server

import (
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"net/http"
	"runtime/debug"
	"slices"
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

// failed logs what is the server's fault. Of an outage it is the first alone.
func (s *Server) failed(r *http.Request, what string, err error) {
	switch {
	case r.Context().Err() != nil: // the reader went away
	case errors.Is(err, match.ErrBusy):
		s.noStore(r.Context(), r.Pattern, err)
	case s.outages.fails(err.Error(), time.Now()):
		s.log.ErrorContext(r.Context(), what, "route", r.Pattern, "error", err)
	}
}

func (s *Server) noStore(ctx context.Context, route string, err error) {
	if s.outages.fails(storeAway, time.Now()) {
		s.log.ErrorContext(ctx, "the store does not answer; what else fails of it is not logged", "route", route, "error", err)
	}
}

// worked notes that the store did its part.
func (s *Server) worked(ctx context.Context) {
	for _, o := range s.outages.works(time.Now()) {
		failed, after := slog.Int("failed", o.failed), slog.Duration("after", o.last.Sub(o.first).Round(time.Second))
		switch {
		case o.what == storeAway:
			s.log.WarnContext(ctx, "the store answers again", failed, after)
		case o.failed > 1: // of one that was alone there is a line
			s.log.WarnContext(ctx, "requests fail no more", failed, after, "error", o.what)
		}
	}
}

// storeAway is what fails when the store does not answer, whatever it says then.
const storeAway = ""

// calm is how long nothing may have failed when an outage is over: a store that comes and
// goes, or can be read and not written, has one outage.
const calm = 30 * time.Second

// maxOutages is how many there can be at a time; what more there is, is none.
const maxOutages = 64

// Outages are the times in which something failed, by the text of its error. The zero
// outages are none.
type outages struct {
	some atomic.Bool // for those who only ask
	mu   sync.Mutex  // guards all below
	on   []outage    // few
}

type outage struct {
	what        string
	first, last time.Time // when it failed
	failed      int       // how often
	worked      bool      // something did since the last time
}

// fails notes a failure and tells whether it begins an outage.
func (o *outages) fails(what string, now time.Time) (begins bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	at := slices.IndexFunc(o.on, func(a outage) bool { return a.what == what })
	if at < 0 {
		if len(o.on) == maxOutages {
			return true
		}
		o.some.Store(true)
		at = len(o.on)
		o.on = append(o.on, outage{what: what})
	}
	a := &o.on[at]
	if begins = a.failed == 0 || a.worked && now.Sub(a.last) >= calm; begins {
		a.first, a.failed = now, 0
	}
	a.last, a.worked = now, false
	a.failed++
	return begins
}

// works notes that the store did its part, and gives the outages that this ends.
func (o *outages) works(now time.Time) (over []outage) {
	if !o.some.Load() {
		return nil
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.on = slices.DeleteFunc(o.on, func(a outage) bool {
		if now.Sub(a.last) < calm {
			return false
		}
		over = append(over, a)
		return true
	})
	for i := range o.on {
		o.on[i].worked = true
	}
	o.some.Store(len(o.on) > 0)
	return over
}

// quiet keeps net/http's own complaints, which may quote what a client sent, to
// the fact that there was one.
type quiet struct{ slog.Handler }

func (q quiet) Handle(ctx context.Context, r slog.Record) error {
	return q.Handler.Handle(ctx, slog.NewRecord(r.Time, r.Level, "connection failed", 0))
}
