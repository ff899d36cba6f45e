package client_test

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"veridice/client"
	"veridice/internal/audit"
)

// A game server draws a thousand outcomes for a user and shows that they were fair.
func Example() {
	server := fresh() // https://dice.example in real life
	defer server.Close()
	ctx := context.Background()
	c := client.New(server.URL, server.key)

	// The user sees the seal before anything is drawn, and answers with a seed.
	p, err := c.CreatePair(ctx, "user-7", "shuffle")
	if err != nil {
		fmt.Println(err)
		return
	}
	if _, err := c.SetClient(ctx, "user-7", p.Pair, "typed by the user"); err != nil {
		fmt.Println(err)
		return
	}
	for range 1000 {
		d, err := c.Draw(ctx, "user-7", "plinko", client.Params{"rows": 16})
		if err != nil {
			fmt.Println(err)
			return
		}
		var outcome struct{ Slot int }
		if err := json.Unmarshal(d.Outcome, &outcome); err != nil {
			fmt.Println(err)
			return
		}
		// ... pay for outcome.Slot
	}
	// The reveal. The next pair is the one whose seal was announced.
	old, now, err := c.Rotate(ctx, "user-7", p.Pair, "another seed of the user")
	fmt.Println(old.Draws, now.Pair, now.Nonce, now.Seal == p.NextSeal, err)

	// Anybody can recompute it: veridice audit bets.ndjson
	var bets bytes.Buffer
	if err := c.Export(ctx, "user-7", &bets); err != nil {
		fmt.Println(err)
		return
	}
	r := audit.Run([]audit.Input{{Name: "bets.ndjson", Open: func() (io.ReadCloser, error) { return io.NopCloser(&bets), nil }}}, audit.Options{})
	fmt.Println(r.Verdict(), r.Proven, "of", r.Proven+r.Broken+r.Unknown, "seals that fit:", r.Seals.Fit)
	// Output:
	// 1000 2 0 true <nil>
	// proven 1000 of 1000 seals that fit: 1000
}

// A receiver of webhooks.
func ExampleReadWebhook() {
	secret := "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
	handled := map[string]bool{}
	receive := func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<20))
		if err != nil {
			http.Error(w, "too large", http.StatusRequestEntityTooLarge)
			return
		}
		e, err := client.ReadWebhook(secret, r.Header, body, time.Now())
		if err != nil {
			http.Error(w, err.Error(), http.StatusForbidden)
			return
		}
		if !handled[e.ID] {
			handled[e.ID] = true
			fmt.Println(e.Type, string(e.Data))
		}
		w.WriteHeader(http.StatusNoContent)
	}
	r := httptest.NewRequest("POST", "/hear", bytes.NewReader([]byte(`{"type":"match.finished","data":{}}`)))
	w := httptest.NewRecorder()
	receive(w, r)
	fmt.Print(w.Code, " ", w.Body)
	// Output: 403 veridice: the webhook is not signed with this secret
}

// The example of https://github.com/standard-webhooks/standard-webhooks.
func TestReadWebhook(t *testing.T) {
	const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
	body, at := []byte(`{"test": 2432232314}`), time.Unix(1614265330, 0)
	good := http.Header{
		"Webhook-Id": {"msg_p5jXN8AQM9LWM0D4loKWxJek"}, "Webhook-Timestamp": {"1614265330"},
		"Webhook-Signature": {"v1,AAAA v1a,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE= v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="},
	}
	if e, err := client.ReadWebhook(secret, good, body, at.Add(4*time.Minute)); err != nil || e.ID != "msg_p5jXN8AQM9LWM0D4loKWxJek" {
		t.Errorf("got %+v, %v", e, err)
	}
	for _, d := range []time.Duration{6 * time.Minute, -6 * time.Minute} {
		if _, err := client.ReadWebhook(secret, good, body, at.Add(d)); err != client.ErrTime {
			t.Errorf("%v: got %v", d, err)
		}
	}
	for name, value := range map[string]string{"Webhook-Id": "msg_x", "Webhook-Timestamp": "1614265331", "Webhook-Signature": "v2,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="} {
		changed := good.Clone()
		changed.Set(name, value)
		if _, err := client.ReadWebhook(secret, changed, body, at); err != client.ErrSignature {
			t.Errorf("%s: got %v", name, err)
		}
	}
	if _, err := client.ReadWebhook(secret, good, []byte(`{"test": 2432232315}`), at); err != client.ErrSignature {
		t.Errorf("got %v", err)
	}
	if _, err := client.ReadWebhook("whsec_AAAA", good, body, at); err != client.ErrSignature {
		t.Errorf("got %v", err)
	}
	// What anybody can sign: HMAC-SHA-256 under the empty key.
	mac := hmac.New(sha256.New, nil)
	fmt.Fprintf(mac, "x.%d.%s", at.Unix(), body)
	forged := http.Header{
		"Webhook-Id": {"x"}, "Webhook-Timestamp": {fmt.Sprint(at.Unix())},
		"Webhook-Signature": {"v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))},
	}
	for _, none := range []string{"", "whsec_", "whsec_%"} {
		if _, err := client.ReadWebhook(none, forged, body, at); err == nil || err == client.ErrSignature {
			t.Errorf("%q: got %v", none, err)
		}
	}
}

// Everything else that a client can do, over the whole way.
func TestCalls(t *testing.T) {
	w := fresh()
	defer w.Close()
	ctx := t.Context()
	c := client.New(w.URL, w.key)
	if _, err := c.Pair(ctx, "nobody"); !errors.Is(err, &client.Error{Code: "no-such-user"}) {
		t.Errorf("got %v", err)
	}
	if _, err := client.New(w.URL, "vk_wrong").Pair(ctx, "u"); !errors.Is(err, &client.Error{Code: "bad-api-key"}) {
		t.Errorf("got %v", err)
	}

	// A receiver of what happens.
	var heard []client.Event
	var h client.Hook
	receiver := httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		e, err := client.ReadWebhook(h.Secret, r.Header, body, time.Now())
		if err != nil {
			t.Error(err)
		}
		heard = append(heard, e)
	}))
	defer receiver.Close()
	h, err := c.CreateHook(ctx, receiver.URL)
	if err != nil {
		t.Fatal(err)
	}

	p, err := c.CreatePair(ctx, "u", "stake")
	if err != nil {
		t.Fatal(err)
	}
	if p, err = c.SetClient(ctx, "u", 1, "c"); err != nil || *p.Client != "c" {
		t.Fatal(p, err)
	}
	d, err := c.DrawOpen(ctx, "u", "mines", client.Params{"mines": 3})
	if err != nil || d.Nonce != 1 || d.Site != "stake" {
		t.Fatal(d, err)
	}
	if _, _, err := c.Rotate(ctx, "u", 1, "d"); !errors.Is(err, &client.Error{Code: "open-draws"}) {
		t.Errorf("got %v", err)
	}
	if p, err = c.Close(ctx, "u", 1, 1); err != nil || len(p.Open) != 0 {
		t.Error(p, err)
	}
	for range 600 {
		if _, err := c.Draw(ctx, "u", "dice", nil); err != nil {
			t.Fatal(err)
		}
	}
	r, _, err := c.Rotate(ctx, "u", 1, "d")
	if err != nil || r.Draws != 601 {
		t.Fatal(r, err)
	}
	n := uint64(0)
	for d, err := range c.Draws(ctx, "u") {
		if n++; err != nil || d.Draw != n {
			t.Fatal(d, err)
		}
	}
	if n != 601 {
		t.Errorf("there are %d draws", n)
	}
	for r, err := range c.Revealed(ctx, "u") {
		if err != nil || r.Pair != 1 {
			t.Error(r, err)
		}
	}
	m, err := c.Open(ctx, client.Table{Scheme: "tavli/1", Seats: 2, Metadata: "table 4"})
	if err != nil || len(m.Seats) != 2 {
		t.Fatal(m, err)
	}
	n = 0
	for own, err := range c.Matches(ctx, true) {
		if n++; err != nil || own.Match != m.Match || own.Metadata != "table 4" {
			t.Error(own, err)
		}
	}
	if err := w.hooks.Round(ctx); err != nil || n != 1 || len(heard) != 1 || heard[0].Type != "pair.rotated" {
		t.Errorf("%d matches, heard %+v, %v", n, heard, err)
	}
	if err := c.ResumeHook(ctx, h.Hook); err != nil {
		t.Error(err)
	}
	if list, err := c.Hooks(ctx); err != nil || len(list) != 1 || list[0].Secret != "" {
		t.Error(list, err)
	}
	if err := c.DeleteHook(ctx, h.Hook); err != nil {
		t.Error(err)
	}
}

// A call that is cut off, or that meets a busy server, is made again with the same key and
// happens once; one that is refused is not.
func TestAgain(t *testing.T) {
	w := fresh()
	defer w.Close()
	var asked, cut atomic.Int64
	cutting := httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		w.Config.Handler.ServeHTTP(&discard{http.Header{}}, r) // it happened
		if cut.Add(-1) >= 0 {
			panic(http.ErrAbortHandler) // and nobody hears of it
		}
		r2, _ := http.NewRequestWithContext(r.Context(), "GET", w.URL+"/v1/pairs/u", nil)
		r2.Header.Set("Authorization", "Bearer "+w.key)
		answer, err := http.DefaultClient.Do(r2)
		if err != nil {
			t.Error(err)
			return
		}
		defer answer.Body.Close()
		io.Copy(out, answer.Body)
	}))
	defer cutting.Close()
	c := client.New(cutting.URL, w.key)
	cut.Store(2)
	p, err := c.CreatePair(t.Context(), "u", "shuffle")
	if err != nil || p.Pair != 1 || asked.Load() != 3 {
		t.Errorf("got %+v, %v after %d requests", p, err, asked.Load())
	}

	asked.Store(0)
	busy := httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		if asked.Add(1) == 1 {
			out.Header().Set("Retry-After", "1")
			out.WriteHeader(503)
			return
		}
		out.Header().Set("Content-Type", "application/problem+json")
		out.WriteHeader(409)
		fmt.Fprint(out, `{"title":"No","status":409,"code":"user-exists"}`)
	}))
	defer busy.Close()
	if _, err := client.New(busy.URL, w.key).CreatePair(t.Context(), "u", ""); !errors.Is(err, &client.Error{Code: "user-exists"}) || asked.Load() != 2 {
		t.Errorf("got %v after %d requests", err, asked.Load())
	}
}

// discard is an answer that nobody reads.
type discard struct{ h http.Header }

func (d *discard) Header() http.Header         { return d.h }
func (d *discard) Write(b []byte) (int, error) { return len(b), nil }
func (d *discard) WriteHeader(int)             {}

// A roundTrip answers requests without a server.
type roundTrip func(*http.Request) *http.Response

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r), nil }

func answering(text string, seen func(*http.Request)) *client.Client {
	c := client.New("https://dice.example/", "key")
	c.HTTP.Transport = roundTrip(func(r *http.Request) *http.Response {
		seen(r)
		return &http.Response{StatusCode: 200, Header: http.Header{}, Body: io.NopCloser(bytes.NewReader([]byte(text))), Request: r}
	})
	return c
}

// TestExportTakesItsTime: the limit of a call is not that of an export.
func TestExportTakesItsTime(t *testing.T) {
	var limited bool
	c := answering("{}", func(r *http.Request) {
		_, limited = r.Context().Deadline()
		if r.URL.Host != "dice.example" || r.URL.Path[:4] != "/v1/" {
			t.Errorf("asks %s", r.URL)
		}
	})
	if _, err := c.Hooks(t.Context()); err != nil || !limited {
		t.Errorf("a call without a limit, %v", err)
	}
	var text bytes.Buffer
	if err := c.Export(t.Context(), "user", &text); err != nil || limited || text.String() != "{}" {
		t.Errorf("an export with a limit, %q, %v", text.String(), err)
	}
}

// TestLastPage: a list ends where the server names no next page, in whatever way.
func TestLastPage(t *testing.T) {
	for _, next := range []string{``, `,"next":null`, `,"next":""`} {
		asked, got := 0, 0
		c := answering(`{"draws":[{"nonce":1}]`+next+`}`, func(*http.Request) { asked++ })
		for _, err := range c.Draws(t.Context(), "user") {
			if got++; err != nil || got > 1 {
				t.Fatalf("%s: %d draws, %v", next, got, err)
			}
		}
		if asked != 1 || got != 1 {
			t.Errorf("%s: %d pages, %d draws", next, asked, got)
		}
	}
}

// TestTries: a call that never gets through is made as often as Tries says.
func TestTries(t *testing.T) {
	c := client.New("https://dice.example", "key")
	c.Tries = 2
	asked := 0
	c.HTTP.Transport = failing(func() { asked++ })
	if _, err := c.Hooks(t.Context()); err == nil || asked != 2 {
		t.Errorf("asked %d times, %v", asked, err)
	}
}

type failing func()

func (f failing) RoundTrip(*http.Request) (*http.Response, error) {
	f()
	return nil, errors.New("no connection")
}
