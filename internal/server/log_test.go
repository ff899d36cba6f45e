package server

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"veridice/internal/match"
	"veridice/internal/needs"
	"veridice/internal/store/memory"
)

// An outage begins once, and is over when nothing failed for a while and something works.
func TestOutage(t *testing.T) {
	start := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	type step struct {
		at     time.Duration
		works  bool
		said   bool
		failed int
		long   time.Duration
	}
	for name, steps := range map[string][]step{
		"nothing failed":    {{at: 0, works: true}, {at: time.Hour, works: true}},
		"it comes back":     {{at: 0, said: true}, {at: 1}, {at: 9 * time.Second}, {at: calm + 9*time.Second, works: true, said: true, failed: 3, long: 9 * time.Second}, {at: 2 * calm, works: true}},
		"it comes and goes": {{at: 0, said: true}, {at: 1, works: true}, {at: calm - 1}, {at: calm, works: true}, {at: 2*calm - 2, works: true}, {at: 2*calm - 1, works: true, said: true, failed: 2, long: calm - 1}},
		"nobody asks":       {{at: 0, said: true}, {at: time.Hour}, {at: 2 * time.Hour}},
		"two of them":       {{at: 0, said: true}, {at: calm, works: true, said: true, failed: 1}, {at: calm + 1, said: true}},
		"two, and nobody heard of the end of the first": {{at: 0, said: true}, {at: 1, works: true}, {at: time.Hour, said: true}, {at: 2 * time.Hour, works: true, said: true, failed: 1}},
	} {
		var o outages
		for i, s := range steps {
			now := start.Add(s.at)
			if !s.works {
				if began := o.fails("a", now); began != s.said {
					t.Errorf("%s, step %d: began %v", name, i, began)
				}
				continue
			}
			var ended outage
			over := o.works(now)
			if len(over) == 1 {
				ended = over[0]
			}
			if len(over) > 1 || (len(over) == 1) != s.said || ended.failed != s.failed || ended.last.Sub(ended.first) != s.long {
				t.Errorf("%s, step %d: got %+v", name, i, over)
			}
		}
	}
}

// Outages of several things are apart, and there is an end of what is kept of them.
func TestOutages(t *testing.T) {
	start := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	var o outages
	if !o.fails("a", start) || !o.fails("b", start) || o.fails("a", start.Add(calm)) {
		t.Error("two things are taken for one, or one for two")
	}
	if over := o.works(start.Add(calm)); len(over) != 1 || over[0].what != "b" || over[0].failed != 1 {
		t.Errorf("got %+v", over)
	}
	if over := o.works(start.Add(2 * calm)); len(over) != 1 || over[0].what != "a" || over[0].failed != 2 || over[0].last.Sub(over[0].first) != calm {
		t.Errorf("got %+v", over)
	}
	if o.some.Load() {
		t.Error("there is still one")
	}
	for i := range 3 * maxOutages {
		if !o.fails(strconv.Itoa(i), start) {
			t.Errorf("%d was not said", i)
		}
	}
	if len(o.on) != maxOutages || o.fails("0", start) {
		t.Errorf("%d are kept", len(o.on))
	}
}

// An absent store answers nothing while it is away, or says why.
type absent struct {
	*memory.Store
	away atomic.Bool
	why  error // or nil
}

func (a *absent) fault() error {
	switch {
	case !a.away.Load():
		return nil
	case a.why != nil:
		return a.why
	}
	return match.ErrBusy
}

func (a *absent) Create(ctx context.Context, m *match.Match) error {
	if err := a.fault(); err != nil {
		return err
	}
	return a.Store.Create(ctx, m)
}

func (a *absent) Match(ctx context.Context, id string) (*match.Match, error) {
	if err := a.fault(); err != nil {
		return nil, err
	}
	return a.Store.Match(ctx, id)
}

func (a *absent) Counts(ctx context.Context) ([]match.Count, error) {
	if err := a.fault(); err != nil {
		return nil, err
	}
	return a.Store.Counts(ctx)
}

func (a *absent) Ping(context.Context) error { return a.fault() }

// serverOver is a server on a store, which logs to log.
func serverOver(t *testing.T, store match.Store, log io.Writer) *Server {
	t.Helper()
	vault, err := match.NewVault(make([]byte, match.KeySize))
	if err != nil {
		t.Fatal(err)
	}
	s, err := New(Options{Match: match.New(store, vault, fixedClock{}, &counter{}), Log: slog.New(slog.NewTextHandler(log, nil))})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// While the store is away the log has one line of it, with the first request that failed;
// and one when it is back.
func TestOutageIsLoggedOnce(t *testing.T) {
	log, store := new(needs.Text), &absent{Store: memory.New()}
	s := serverOver(t, store, log)
	h, m := s.Handler(), s.Metrics()
	ask := func(h http.Handler, method, path, body string, status int) *httptest.ResponseRecorder {
		t.Helper()
		r := httptest.NewRequest(method, path, strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Idempotency-Key", "k")
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if w.Code != status {
			t.Errorf("%s %s: got %d %s, want %d", method, path, w.Code, w.Body, status)
		}
		return w
	}
	const unknown, creation = "/v1/matches/00000000000000000000000000000000", `{"scheme":"tavli/1","seats":1}`
	ask(h, "GET", "/readyz", "", 200)
	store.away.Store(true)
	first := ask(h, "GET", unknown, "", 503).Header().Get("X-Request-Id")
	for range 3 {
		ask(h, "GET", unknown, "", 503)
		ask(h, "GET", "/readyz", "", 503)
		ask(h, "POST", "/v1/matches", creation, 503)
	}
	if text := ask(m, "GET", "/metrics", "", 200).Body.String(); strings.Contains(text, "veridice_unrevealed_seals") || !strings.Contains(text, "veridice_requests_total") {
		t.Errorf("what cannot be counted has a number: %s", text)
	}
	if text := log.String(); strings.Count(text, "\n") != 1 || !strings.Contains(text, "the store does not answer") || !strings.Contains(text, "request="+first) {
		t.Errorf("got %s", text)
	}
	store.away.Store(false)
	ask(h, "POST", "/v1/matches", creation, 201)
	if n := strings.Count(log.String(), "\n"); n != 1 {
		t.Errorf("said to be over at once: %s", log)
	}
	s.outages.on[0].last = time.Now().Add(-calm)
	ask(h, "GET", unknown, "", 404) // says nothing of it
	ask(h, "GET", "/readyz", "", 200)
	ask(h, "POST", "/v1/matches", creation, 201)
	if text := log.String(); strings.Count(text, "\n") != 2 || !strings.Contains(text, "the store answers again") || !strings.Contains(text, "failed=11") {
		t.Errorf("got %s", text)
	}
	s.Close()
	ask(h, "GET", "/readyz", "", 503)
	if n := strings.Count(log.String(), "\n"); n != 2 {
		t.Errorf("that it ends is no failure: %s", log)
	}
}

// A disk that is full, or another fault that each request meets, is a line with the first
// of them and one when it is over.
func TestFaultIsLoggedOnce(t *testing.T) {
	log, store := new(needs.Text), &absent{Store: memory.New(), why: errors.New("sqlite: database or disk is full")}
	s := serverOver(t, store, log)
	h := s.Handler()
	create := func(status int) string {
		t.Helper()
		r := httptest.NewRequest("POST", "/v1/matches", strings.NewReader(`{"scheme":"tavli/1","seats":1}`))
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Idempotency-Key", "k")
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if w.Code != status {
			t.Errorf("got %d %s, want %d", w.Code, w.Body, status)
		}
		return w.Header().Get("X-Request-Id")
	}
	lines := func(want ...string) {
		t.Helper()
		got := strings.Split(strings.TrimSpace(log.String()), "\n")
		if len(got) != len(want) {
			t.Fatalf("got %s", log)
		}
		for i, line := range got {
			for part := range strings.SplitSeq(want[i], "|") {
				if !strings.Contains(line, part) {
					t.Errorf("line %d lacks %s: %s", i+1, part, line)
				}
			}
		}
	}
	store.away.Store(true)
	begins := `level=ERROR|msg="request failed"|route="POST /v1/matches"|error="sqlite: database or disk is full"|request=` + create(500)
	for range 3 {
		create(500)
	}
	lines(begins)
	store.away.Store(false)
	create(201)
	lines(begins)
	s.outages.on[0].first, s.outages.on[0].last = time.Now().Add(-3*calm), time.Now().Add(-calm)
	create(201)
	lines(begins, `level=WARN|msg="requests fail no more"|failed=4|after=1m0s|error="sqlite: database or disk is full"`)
}

// Whoever follows requests hears of each one's route and status, also of one that is cut
// off, and the log names the trace.
func TestTrace(t *testing.T) {
	log, store := new(needs.Text), &absent{Store: memory.New()}
	type key struct{}
	var ended []string
	s, err := New(Options{
		Match: match.New(store, nil, fixedClock{}, &counter{}), Log: slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug})),
		Trace: func(r *http.Request) (context.Context, string, func(string, int)) {
			return context.WithValue(r.Context(), key{}, true), "thetrace", func(route string, status int) {
				ended = append(ended, strings.TrimSpace(route+" "+http.StatusText(status)))
			}
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	inner := func(panics any) http.Handler {
		return s.watched(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Context().Value(key{}) != true {
				t.Error("another context")
			}
			panic(panics)
		}))
	}
	ask := func(h http.Handler) {
		defer func() { recover() }()
		h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/v1/matches/00000000000000000000000000000000", nil))
	}
	ask(s.Handler())
	ask(inner(http.ErrAbortHandler))
	ask(inner("a fault"))
	if got, want := strings.Join(ended, ", "), "GET /v1/matches/{match} Not Found, , Internal Server Error"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	lines := strings.Split(strings.TrimSpace(log.String()), "\n")
	if len(lines) != 3 { // of the first and the last request, and the fault
		t.Errorf("got %s", log)
	}
	for _, line := range lines {
		if !strings.Contains(line, "trace=thetrace") || !strings.Contains(line, " request=") {
			t.Errorf("got %s", line)
		}
	}
}
