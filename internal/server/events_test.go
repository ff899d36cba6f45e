package server

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"veridice/internal/match"
)

func eventsRequest(t testing.TB, base, id, query string, header ...string) *http.Request {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), "GET", base+"/v1/matches/"+id+"/events"+query, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	return r
}

func TestStreamResumes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "veridice.db")
	source := &counter{name: t.Name()}
	s := start(t, path, source, nil)
	id, phones := sit(t, s.http.URL, 1, nil) // 4 events
	roll := func(after int) {
		t.Helper()
		phones[0].base = s.http.URL
		phones[0].post("/v1/matches/"+id+"/roll", fmt.Sprintf(`{"after":%d}`, after))
	}
	live := openStream(t, eventsRequest(t, s.http.URL, id, ""))
	defer live.close()
	for n := 1; n <= 4; n++ {
		if e := live.next(); e.id != fmt.Sprint(n) {
			t.Fatalf("got event %s, want %d", e.id, n)
		}
	}
	roll(0)
	if e := live.next(); e.id != "5" || !strings.Contains(e.data, `"type":"rolled"`) || !strings.HasPrefix(e.data, `{"event":5,`) {
		t.Errorf("got %v, want roll 1 as event 5", e)
	}
	for name, want := range map[string]string{"Cache-Control": "no-store", "X-Accel-Buffering": "no", "Content-Encoding": ""} {
		if got := live.answer.Header.Get(name); got != want {
			t.Errorf("got %s: %q, want %q", name, got, want)
		}
	}
	if len(live.raw) == 0 || live.raw[0] != "retry: 1000" {
		t.Errorf("got %v, want a retry line first", live.raw)
	}
	s.stop()
	if e, ok := live.read(); ok {
		t.Errorf("got %v from a server that ended", e)
	}
	s = start(t, path, source, nil)
	roll(1)
	for _, c := range []struct {
		query  string
		header []string
		first  string
	}{
		{"", []string{"Last-Event-ID", "5"}, "6"},
		{"?after=4", nil, "5"},
		{"?after=2", []string{"Last-Event-ID", "5"}, "6"}, // a reconnect repeats the old address
		{"?after=5", []string{"Last-Event-ID", "2"}, "6"},
		{"?after=", nil, "1"},
		{"?after=0", nil, "1"},
	} {
		st := openStream(t, eventsRequest(t, s.http.URL, id, c.query, c.header...))
		if e := st.next(); e.id != c.first {
			t.Errorf("%s %v: got event %s first, want %s", c.query, c.header, e.id, c.first)
		}
		st.close()
	}
}

// More events than are read at once come without a gap.
func TestStreamReadsOn(t *testing.T) {
	s := startNew(t, func(l *limits) { l.eventsPerBatch = 3 })
	id, phones := sit(t, s.http.URL, 1, nil)
	for n := range 16 {
		phones[0].post("/v1/matches/"+id+"/roll", fmt.Sprintf(`{"after":%d}`, n))
	}
	st := openStream(t, eventsRequest(t, s.http.URL, id, ""))
	defer st.close()
	for n := 1; n <= 20; n++ {
		if e := st.next(); e.id != fmt.Sprint(n) {
			t.Fatalf("got event %s, want %d", e.id, n)
		}
	}
}

// Two servers on one store: a roll at one is seen at the other.
func TestTwoServers(t *testing.T) {
	path := filepath.Join(t.TempDir(), "veridice.db")
	source := &counter{name: t.Name()}
	one, two := start(t, path, source, nil), start(t, path, source, nil)
	id, phones := sit(t, one.http.URL, 2, nil)
	st := openStream(t, eventsRequest(t, two.http.URL, id, "?after=6"))
	defer st.close()
	phones[0].post("/v1/matches/"+id+"/roll", `{"after":0}`)
	if e := st.next(); e.id != "7" {
		t.Errorf("got event %s, want 7", e.id)
	}
	phones[1].base = two.http.URL
	if got := phones[1].post("/v1/matches/"+id+"/roll", `{"after":1}`); got["roll"] != 2.0 {
		t.Errorf("got %v, want roll 2", got)
	}
	// One key at two servers is one roll.
	phones[0].keys--
	phones[0].base = two.http.URL
	if got := phones[0].post("/v1/matches/"+id+"/roll", `{"after":0}`); got["roll"] != 1.0 {
		t.Errorf("got %v, want roll 1 again", got)
	}
	for range 20 {
		a, _, err := one.match.Match(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		b, _, err := two.match.Match(t.Context(), id)
		if err != nil || a.Seal != b.Seal {
			t.Fatalf("the seal changed from %s to %s, %v", a.Seal, b.Seal, err)
		}
	}
}

func TestHeartbeat(t *testing.T) {
	s := startNew(t, func(l *limits) { l.heartbeat = 10 * time.Millisecond })
	id, phones := sit(t, s.http.URL, 1, nil)
	st := openStream(t, eventsRequest(t, s.http.URL, id, "?after=4"))
	defer st.close()
	for comments := 0; comments < 3; {
		if !st.lines.Scan() {
			t.Fatal("the stream ended")
		}
		if st.lines.Text() == ": still here" {
			comments++
		}
	}
	phones[0].post("/v1/matches/"+id+"/roll", `{"after":0}`)
	if e := st.next(); e.id != "5" {
		t.Errorf("got event %s, want 5", e.id)
	}
}

// A reader that takes nothing is cut off and does not hold a place.
func TestSlowReader(t *testing.T) {
	t.Parallel()
	s := startNew(t, func(l *limits) { l.flush = 500 * time.Millisecond; l.streams = 1 })
	id, phones := sit(t, s.http.URL, 1, nil)
	c, err := net.Dial("tcp", s.http.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	c.(*net.TCPConn).SetReadBuffer(1)
	fmt.Fprintf(c, "GET /v1/matches/%s/events HTTP/1.1\r\nHost: x\r\n\r\n", id)
	waitFor(t, "the stream", func() bool { return s.streams.open() == 1 })
	status, text := phones[0].send("GET", "/v1/matches/"+id+"/events", "x", "")
	if status != 429 || !strings.Contains(text, "too-many-streams") {
		t.Errorf("a second stream: got %d %s, want 429", status, text)
	}
	// 14 MB are more than the sockets of both ends hold.
	err = s.store.Update(t.Context(), id, "", func(m *match.Match) error {
		for range 40_000 {
			m.Events++
			m.Added = append(m.Added, match.Event{Number: m.Events, Type: match.Acknowledged, Seat: 1, Name: strings.Repeat("n", 250)})
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	waitFor(t, "the slow reader's end", func() bool { return s.streams.open() == 0 })
	st := openStream(t, eventsRequest(t, s.http.URL, id, ""))
	st.close()
}

func (s *streams) open() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.total
}

func waitFor(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !ok(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%s did not come", what)
		}
	}
}

// The real server: its deadlines end whoever dawdles over a request, but no
// stream; the end of the server ends the streams.
func TestDeadlines(t *testing.T) {
	s := startNew(t, func(l *limits) {
		l.header, l.request, l.answer = 100*time.Millisecond, 200*time.Millisecond, 200*time.Millisecond
		l.heartbeat = 50 * time.Millisecond
	})
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx, l, time.Minute) }()
	base := "http://" + l.Addr().String()
	id, phones := sit(t, s.http.URL, 1, nil) // by way of a server that gives them time
	st := openStream(t, eventsRequest(t, base, id, "?after=4"))
	defer st.close()

	for what, begin := range map[string]string{
		"half a header": "POST /v1/matches HTTP/1.1\r\nHost: x\r\n",
		"half a body":   "POST /v1/matches HTTP/1.1\r\nHost: x\r\nIdempotency-Key: k\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{",
	} {
		c, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprint(c, begin)
		c.SetReadDeadline(time.Now().Add(time.Minute))
		if answer, err := io.ReadAll(c); err != nil || strings.HasPrefix(string(answer), "HTTP/1.1 2") {
			t.Errorf("%s: got %s, %v, want that the server ends it", what, answer, err)
		}
		c.Close()
	}
	// By now the stream is older than every deadline.
	phones[0].post("/v1/matches/"+id+"/roll", `{"after":0}`)
	if e := st.next(); e.id != "5" {
		t.Errorf("got event %s, want 5", e.id)
	}
	cancel()
	if e, ok := st.read(); ok {
		t.Errorf("got %v from a server that ended", e)
	}
	if err := <-ended; err != nil && !errors.Is(err, http.ErrServerClosed) {
		t.Errorf("the server ended with %v", err)
	}
}
