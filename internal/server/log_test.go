package server

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"veridice/internal/match"
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
		var o outage
		for i, s := range steps {
			now := start.Add(s.at)
			if !s.works {
				if began := o.fails(now); began != s.said {
					t.Errorf("%s, step %d: began %v", name, i, began)
				}
				continue
			}
			failed, long, over := o.works(now)
			if over != s.said || failed != s.failed || long != s.long {
				t.Errorf("%s, step %d: got %d failures, %v, over %v", name, i, failed, long, over)
			}
		}
	}
}

// An absent store answers nothing while it is away.
type absent struct {
	*memory.Store
	away atomic.Bool
}

func (a *absent) fault() error {
	if a.away.Load() {
		return match.ErrBusy
	}
	return nil
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

// While the store is away the log has one line of it, with the first request that failed;
// and one when it is back.
func TestOutageIsLoggedOnce(t *testing.T) {
	log, store := new(lockedBuffer), &absent{Store: memory.New()}
	vault, err := match.NewVault(make([]byte, match.KeySize))
	if err != nil {
		t.Fatal(err)
	}
	s, err := New(Options{Match: match.New(store, vault, fixedClock{}, &counter{}), Log: slog.New(slog.NewTextHandler(log, nil))})
	if err != nil {
		t.Fatal(err)
	}
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
	s.outage.last = time.Now().Add(-calm)
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

// Whoever follows requests hears of each one's route and status, also of one that is cut
// off, and the log names the trace.
func TestTrace(t *testing.T) {
	log, store := new(lockedBuffer), &absent{Store: memory.New()}
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
