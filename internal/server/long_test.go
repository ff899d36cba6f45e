package server

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"veridice/checkpoint"
	"veridice/internal/ledger"
	"veridice/internal/match"
	"veridice/internal/needs"
	"veridice/internal/pair"
	"veridice/internal/publog"
	"veridice/internal/store/memory"
)

// slow keeps readers of books and of the log waiting: until hold is closed, or their time is over.
type slow struct {
	*memory.Store
	hold chan struct{}
}

func (s slow) wait(ctx context.Context) error {
	select {
	case <-s.hold:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (s slow) Books(ctx context.Context, kind, after string, limit int) ([]*ledger.Book, error) {
	if err := s.wait(ctx); err != nil {
		return nil, err
	}
	return s.Store.Books(ctx, kind, after, limit)
}

func (s slow) Log(ctx context.Context, from uint64, limit int) ([][]byte, error) {
	if err := s.wait(ctx); err != nil {
		return nil, err
	}
	return s.Store.Log(ctx, from, limit)
}

// operated is a server with operators on a slow store.
func operated(t *testing.T, store slow) (*Server, *pair.Service) {
	t.Helper()
	vault, err := match.NewVault(make([]byte, match.KeySize))
	if err != nil {
		t.Fatal(err)
	}
	pairs := pair.New(store, vault, fixedClock{}, &counter{name: "pairs"})
	s, err := New(Options{
		Match: match.New(store, vault, fixedClock{}, &counter{}), Log: slog.New(slog.NewTextHandler(io.Discard, nil)), Pairs: pairs,
	})
	if err != nil {
		t.Fatal(err)
	}
	return s, pairs
}

// A count that takes long is made once, however many ask for it, and is no outage.
func TestLongCount(t *testing.T) {
	store := slow{memory.New(), make(chan struct{})}
	s, pairs := operated(t, store)
	log := new(needs.Text)
	s.log = slog.New(slog.NewTextHandler(log, nil))
	if _, err := pairs.Create(t.Context(), pair.Call{Operator: "op", User: "u", Key: "k"}, "shuffle"); err != nil {
		t.Fatal(err)
	}
	c := &seals{server: s}
	c.counting = make(chan struct{})
	counting := c.counting
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		c.renew(counting)
	}()
	texts := make(chan string)
	for range 2 {
		go func() { texts <- string(c.text()) }()
	}
	close(store.hold)
	<-ended
	for range 2 {
		if text := <-texts; !strings.Contains(text, `veridice_unrevealed_seals{of="pairs"} 2`) {
			t.Errorf("got %s", text)
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if wait := time.Until(c.due); wait < sealsFor/2 || c.counting != nil {
		t.Errorf("the next count is in %v", wait)
	}
	if log.String() != "" {
		t.Error(log)
	}
}

// Who asks for the log's report and leaves does not stop the reading of the log, and who
// comes meanwhile waits no longer than he wants.
func TestLongLog(t *testing.T) {
	store := slow{memory.New(), make(chan struct{})}
	signer, err := checkpoint.NewSigner("log.example", checkpoint.Plain, [32]byte{1})
	if err != nil {
		t.Fatal(err)
	}
	m := &match.Match{ID: strings.Repeat("0", 32), Scheme: "yayay/1", Kind: "1d6", State: match.Open, Seats: make([]match.Seat, 1), Events: 1, Added: []match.Event{{Number: 1, Type: match.Opened}}}
	if err := store.Create(t.Context(), m); err != nil {
		t.Fatal(err)
	}
	err = store.Update(t.Context(), m.ID, "", func(m *match.Match) error {
		m.Events++
		m.Added, m.Logged = []match.Event{{Number: m.Events, Type: match.SealLogged}}, [][]byte{[]byte("anything\n")}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	var reads atomic.Int64
	discard := slog.New(slog.DiscardHandler)
	receipt := func(context.Context, []byte, uint64, []byte) error { return nil }
	publish, err := publog.New(t.Context(), publog.Options{Keeper: store.Store, Signer: signer, Logger: discard, Receipt: receipt})
	if err != nil {
		t.Fatal(err)
	}
	if err := publish.Publish(t.Context()); err != nil {
		t.Fatal(err)
	}
	go func() { close(store.hold) }()
	public, err := publog.New(t.Context(), publog.Options{Keeper: store, Signer: signer, Logger: discard, Receipt: receipt})
	if err != nil {
		t.Fatal(err)
	}
	held := slow{store.Store, make(chan struct{})}
	public.Keeper = counted{held, &reads}
	w := newWatchedLog(public)
	ctx, leave := context.WithCancel(t.Context())
	first := make(chan error)
	go func() { first <- w.view(ctx, func(*watchedLog) {}) }()
	waitFor(t, "the first reader", func() bool { return reads.Load() == 1 })
	gone, leaveToo := context.WithCancel(t.Context())
	second := make(chan error)
	go func() { second <- w.view(gone, func(*watchedLog) {}) }()
	leaveToo()
	if err := <-second; err == nil {
		t.Error("the second one is answered")
	}
	leave()
	if err := <-first; err == nil {
		t.Error("the first one is answered")
	}
	close(held.hold)
	var size uint64
	if err := w.view(t.Context(), func(w *watchedLog) { size = w.report.Size }); err != nil || size != 1 {
		t.Errorf("got %d entries, %v", size, err)
	}
	if n := reads.Load(); n != 1 {
		t.Errorf("the log was read %d times", n)
	}
}

// counted counts who reads entries.
type counted struct {
	slow
	reads *atomic.Int64
}

func (c counted) Log(ctx context.Context, from uint64, limit int) ([][]byte, error) {
	c.reads.Add(1)
	return c.slow.Log(ctx, from, limit)
}

// A stream that was sent a long match does not hold it as long as nothing comes.
func TestIdleStreamIsSmall(t *testing.T) {
	store := memory.New()
	s := serverOver(t, store, io.Discard)
	m := &match.Match{ID: strings.Repeat("0", 32), Scheme: "yayay/1", State: match.Open, Seats: make([]match.Seat, 1)}
	for n := range uint64(200) {
		m.Added = append(m.Added, match.Event{Number: n + 1, Type: match.Linked, Data: fmt.Appendf(nil, `{"note":"%s"}`, bytes.Repeat([]byte("x"), 10_000))})
	}
	m.Events = 200
	if err := store.Create(t.Context(), m); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(s.Handler())
	t.Cleanup(func() { s.Close(); server.Close() })
	const many = 20 // with 2 MB each
	memoryUsed := func() uint64 {
		var stats runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&stats)
		return stats.HeapAlloc
	}
	before := memoryUsed()
	for range many {
		st := openStream(t, eventsRequest(t, server.URL, m.ID, ""))
		t.Cleanup(st.close)
		for e := st.next(); e.id != "200"; {
			e = st.next()
		}
	}
	if after := memoryUsed(); after > before+10<<20 {
		t.Errorf("%d streams hold %d bytes", many, after-before)
	}
}

// Callers who all wait for their next turn are not looked through again for each of them.
func TestManyCallers(t *testing.T) {
	now := time.Unix(1e9, 0)
	b := buckets{now: func() time.Time { return now }}
	began := time.Now()
	for i := range maxBuckets + 20_000 {
		b.take(fmt.Sprint(i), rate{1, 1})
	}
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("it took %v", took)
	}
	now = now.Add(time.Second)
	for i := range maxBuckets {
		b.take(fmt.Sprint("later ", i), rate{1, 1})
	}
	if n := len(b.by); n > 2*maxBuckets {
		t.Errorf("%d callers are remembered", n)
	}
}

// What a browser says of compression is read as RFC 9110 has it, and a file that it knows
// is not sent again, however it was compressed.
func TestAcceptEncoding(t *testing.T) {
	for header, want := range map[string]bool{
		"": false, "gzip": true, "GZIP": true, "br, gzip;q=0.5": true, "gzip;q=0": false, "gzip; Q=0.000": false, "*": true, "*;q=0": false,
		"*;q=0, gzip": true, "*, gzip;q=0": false, "identity": false, "gzip;q=x": false,
	} {
		if got := takesGzip(header); got != want {
			t.Errorf("%q: got %v", header, got)
		}
	}
	h := testPages(t)
	w := get(t, h, "/verifier/veridice.mjs")
	tag := w.Header().Get("ETag")
	if !strings.HasPrefix(tag, `W/"`) {
		t.Errorf("compressed or not, the tag is %s", tag)
	}
	for known, want := range map[string]int{tag: 304, strings.TrimPrefix(tag, "W/"): 304, `"x", ` + tag: 304, "*": 304, `"x"`: 200} {
		w := get(t, h, "/verifier/veridice.mjs", "If-None-Match", known)
		if w.Code != want || w.Header().Get("ETag") != tag || w.Header().Get("Vary") != "Accept-Encoding" {
			t.Errorf("%s: got %d %v", known, w.Code, w.Header())
		}
	}
}
