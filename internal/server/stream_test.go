package server

import (
	"bufio"
	"context"
	"crypto/sha256"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
)

// counter is an endless stream of bytes: SHA-256 of the name and a counter.
type counter struct {
	mu   sync.Mutex
	name string
	n    int
	rest []byte
}

func (c *counter) Read(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for len(c.rest) < len(p) {
		sum := sha256.Sum256(fmt.Appendf(nil, "%s %d", c.name, c.n))
		c.n++
		c.rest = append(c.rest, sum[:]...)
	}
	n := copy(p, c.rest)
	c.rest = c.rest[n:]
	return n, nil
}

// A stream reads server-sent events.
type stream struct {
	t      testing.TB
	cancel context.CancelFunc
	answer *http.Response
	lines  *bufio.Scanner
	raw    []string // comments and retry lines seen
}

type sent struct{ id, data string }

func openStream(t testing.TB, r *http.Request) *stream {
	t.Helper()
	ctx, cancel := context.WithCancel(r.Context())
	answer, err := http.DefaultClient.Do(r.WithContext(ctx))
	if err != nil {
		cancel()
		t.Fatal(err)
	}
	if answer.StatusCode != http.StatusOK || answer.Header.Get("Content-Type") != "text/event-stream" {
		t.Fatalf("got %s, %s", answer.Status, answer.Header.Get("Content-Type"))
	}
	return &stream{t: t, cancel: cancel, answer: answer, lines: bufio.NewScanner(answer.Body)}
}

// read gives the next event, false at the end of the stream.
func (s *stream) read() (e sent, ok bool) {
	for s.lines.Scan() {
		line := s.lines.Text()
		name, value, _ := strings.Cut(line, ": ")
		switch {
		case line == "":
			if e.data == "" {
				continue
			}
			d, err := described()
			if err == nil {
				err = d.check(schema{Ref: "#/components/schemas/Event"}, []byte(e.data))
			}
			if err != nil {
				s.t.Errorf("%v, in the event %s", err, e.data)
			}
			return e, true
		case name == "id":
			e.id = value
		case name == "data":
			e.data = value
		default:
			s.raw = append(s.raw, line)
		}
	}
	return e, false
}

func (s *stream) next() sent {
	s.t.Helper()
	e, ok := s.read()
	if !ok {
		s.t.Fatalf("the stream ended: %v", s.lines.Err())
	}
	return e
}

func (s *stream) close() {
	s.cancel()
	s.answer.Body.Close()
}
