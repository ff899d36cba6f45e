package server

import (
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"net/http"
	"runtime/debug"
	"time"
)

// Log lines name a request by a number of its own and its route by the pattern,
// "GET /v1/matches/{match}". Addresses as asked for are never logged: they hold
// match ids.

type requestID struct{}

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
		start, id := time.Now(), rand.Text()
		r = r.WithContext(context.WithValue(r.Context(), requestID{}, id))
		w.Header().Set("X-Request-Id", id)
		out := &seen{ResponseWriter: w}
		cut := false
		defer func() {
			if p := recover(); p != nil {
				if p == http.ErrAbortHandler {
					panic(p)
				}
				s.log.ErrorContext(r.Context(), "handler panicked", "request", id, "route", r.Pattern, "panic", p, "stack", string(debug.Stack()))
				if cut = out.status != 0; !cut {
					problemOf(errors.New("panic")).write(out)
				}
			}
			s.counted.measure(r.Pattern, out.status, time.Since(start))
			s.log.LogAttrs(r.Context(), slog.LevelDebug, "request", slog.String("request", id), slog.String("method", method(r)),
				slog.String("route", r.Pattern), slog.Int("status", out.status), slog.Int64("bytes", out.bytes), slog.Duration("took", time.Since(start)))
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
	if p.status >= 500 && r.Context().Err() == nil {
		s.log.ErrorContext(r.Context(), "request failed", "request", r.Context().Value(requestID{}), "route", r.Pattern, "code", p.code, "error", err)
	}
	p.write(w)
}

// quiet keeps net/http's own complaints, which may quote what a client sent, to
// the fact that there was one.
type quiet struct{ slog.Handler }

func (q quiet) Handle(ctx context.Context, r slog.Record) error {
	return q.Handler.Handle(ctx, slog.NewRecord(r.Time, r.Level, "connection failed", 0))
}
