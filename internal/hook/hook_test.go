package hook_test

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"veridice/docs"
	"veridice/internal/hook"
	"veridice/internal/ledger"
	"veridice/internal/match"
	"veridice/internal/operator"
	"veridice/internal/store/memory"
)

// A clock stands until it is moved.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) move(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// A receiver keeps what it said yes to.
type receiver struct {
	*httptest.Server
	mu       sync.Mutex
	answer   int
	attempts int
	ids      []string
	bodies   map[string]string
	faults   []string
	secret   []byte
	hang     func(*http.Request) // instead of the next answer, or nil
}

func newReceiver(t *testing.T) *receiver {
	r := &receiver{answer: 204, bodies: map[string]string{}}
	r.Server = httptest.NewServer(r)
	t.Cleanup(r.Server.Close)
	return r
}

func (r *receiver) say(status int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.answer = status
}

// ServeHTTP checks a signature as the standard's own text has it.
func (r *receiver) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	body, _ := io.ReadAll(q.Body)
	if hang := r.take(q, body); hang != nil {
		hang(q)
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	w.WriteHeader(r.answer)
}

// take notes a request, and gives what to do instead of answering.
func (r *receiver) take(q *http.Request, body []byte) (hang func(*http.Request)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	id := q.Header.Get("webhook-id")
	mac := hmac.New(sha256.New, r.secret)
	mac.Write([]byte(id + "." + q.Header.Get("webhook-timestamp") + "." + string(body)))
	if want := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil)); q.Header.Get("webhook-signature") != want {
		r.faults = append(r.faults, "the signature of "+id+" is wrong")
	}
	if before, ok := r.bodies[id]; ok && before != string(body) {
		r.faults = append(r.faults, id+" came with two bodies")
	}
	r.bodies[id] = string(body)
	r.attempts++
	if r.answer/100 == 2 {
		r.ids = append(r.ids, id)
	}
	hang, r.hang = r.hang, nil
	return hang
}

type fixture struct {
	t     *testing.T
	store *memory.Store
	clock *clock
	vault *match.Vault
	s     *hook.Service
	keys  int
	ended int
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	vault, err := match.NewVault(bytes.Repeat([]byte{7}, match.KeySize))
	if err != nil {
		t.Fatal(err)
	}
	f := &fixture{t: t, store: memory.New(), clock: &clock{now: time.Unix(1.7e9, 0)}, vault: vault}
	f.s = f.process(true)
	return f
}

// process is another process on the same store.
func (f *fixture) process(private bool) *hook.Service {
	f.t.Helper()
	s, err := hook.New(hook.Options{
		Ledger: f.store, Matches: f.store, Vault: f.vault, Clock: f.clock, Entropy: rand.Reader,
		Logger: slog.New(slog.NewTextHandler(f.t.Output(), nil)), Private: private,
	})
	if err != nil {
		f.t.Fatal(err)
	}
	return s
}

func (f *fixture) call(what string) hook.Call {
	f.keys++
	return hook.Call{Operator: "op", Key: fmt.Sprint("key-", f.keys), Request: sha256.Sum256([]byte(what))}
}

func (f *fixture) register(r *receiver) hook.View {
	f.t.Helper()
	body, err := f.s.Create(f.t.Context(), f.call(r.URL), r.URL+"/hear")
	if err != nil {
		f.t.Fatal(err)
	}
	var v hook.View
	if err := json.Unmarshal(body, &v); err != nil {
		f.t.Fatal(err)
	}
	secret, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(v.Secret, "whsec_"))
	if err != nil || len(secret) != 32 {
		f.t.Fatalf("the secret is %q", v.Secret)
	}
	r.secret = secret
	return v
}

func (f *fixture) round(s *hook.Service) {
	f.t.Helper()
	if err := s.Round(f.t.Context()); err != nil {
		f.t.Fatal(err)
	}
}

// rotate adds the news of a rotation.
func (f *fixture) rotate(op, user string) {
	f.t.Helper()
	err := f.store.Amend(f.t.Context(), "test", op+user, "", func(b *ledger.Book) error {
		b.State = append(b.State, 'x')
		b.News = [][]byte{[]byte(fmt.Sprintf(`{"type":"pair.rotated","operator":%q,"user":%q,"revealed":{"pair":1,"revealed_at":"2026-01-02T03:04:05.006Z"},"next":{"pair":3}}`, op, user))}
		return nil
	})
	if err != nil {
		f.t.Fatal(err)
	}
}

// end makes a match that is over, with its closing in the log.
func (f *fixture) end(op string, state match.State) (id string) {
	f.t.Helper()
	f.ended++
	id = fmt.Sprintf("%032x", f.ended)
	m := &match.Match{ID: id, Scheme: "tavli/1", Kind: "2d6", State: match.Open, Seats: make([]match.Seat, 2), Events: 1, Created: f.clock.Now(), Added: []match.Event{{Number: 1, Type: match.Opened, At: f.clock.Now()}}}
	if err := f.store.Create(f.t.Context(), m); err != nil {
		f.t.Fatal(err)
	}
	if op != "" {
		if err := operator.Adopt(f.t.Context(), f.store, op, id, "ours "+id[30:], f.clock.Now()); err != nil {
			f.t.Fatal(err)
		}
	}
	for _, change := range []func(*match.Match){
		func(m *match.Match) { m.Logged = [][]byte{[]byte("veridice/1 seal\nmatch " + id + "\n")} },
		func(m *match.Match) {
			m.State = state
			m.Logged = [][]byte{[]byte("veridice/1 unseal\nmatch " + id + "\nstate x\n")}
		},
	} {
		err := f.store.Update(f.t.Context(), id, "", func(m *match.Match) error {
			change(m)
			m.Events++
			m.Added = []match.Event{{Number: m.Events, Type: match.Ended, At: f.clock.Now()}}
			return nil
		})
		if err != nil {
			f.t.Fatal(err)
		}
	}
	return id
}

func (r *receiver) heard(t *testing.T, want ...string) {
	t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	if !slices.Equal(r.ids, want) {
		t.Errorf("it heard %v, want %v", r.ids, want)
	}
	for _, f := range r.faults {
		t.Error(f)
	}
}

// Everything of the operator, once, in order, and nothing else.
func TestEverythingOnce(t *testing.T) {
	f, r := newFixture(t), newReceiver(t)
	f.rotate("op", "before")
	f.end("op", match.Finished)
	f.register(r)
	f.round(f.s)
	r.heard(t) // what was before is not told
	f.rotate("op", "u")
	f.rotate("other", "u")
	id := f.end("op", match.Finished)
	f.end("other", match.Finished)
	f.end("", match.Finished)
	f.end("op", match.Aborted)
	f.rotate("op", "v")
	f.round(f.s)
	f.round(f.s)
	r.heard(t, "msg_news_2", "msg_news_4", "msg_log_3", "msg_log_9")
	for id, want := range map[string]string{
		"msg_news_2": `{"type":"pair.rotated","timestamp":"2026-01-02T03:04:05.006Z","data":{"next":{"pair":3},"revealed":{"pair":1,"revealed_at":"2026-01-02T03:04:05.006Z"},"user":"u"}}`,
		"msg_log_3":  `{"type":"match.finished","timestamp":"2023-11-14T22:13:20.000Z","data":{"match":"` + id + `","metadata":"ours 02","rolls":0,"scheme":"tavli/1","seats":2,"state":"finished"}}`,
	} {
		if r.bodies[id] != want {
			t.Errorf("%s is\n%s, want\n%s", id, r.bodies[id], want)
		}
	}
	if !strings.Contains(r.bodies["msg_log_9"], `"type":"match.aborted"`) {
		t.Errorf("got %s", r.bodies["msg_log_9"])
	}
	for id, name := range map[string]string{"msg_news_2": "RotatedEvent", "msg_log_3": "Ended", "msg_log_9": "Ended"} {
		described(t, name, r.bodies[id])
	}
}

// described holds a message against its schema in docs/openapi.json: the members, and the
// type.
func described(t *testing.T, name, body string) {
	t.Helper()
	type schema struct {
		Properties map[string]struct {
			Enum     []string
			Required []string
		}
		Required []string
	}
	var api struct {
		Components struct{ Schemas map[string]schema }
	}
	var message, data map[string]json.RawMessage
	if err := errors.Join(json.Unmarshal(docs.OpenAPI, &api), json.Unmarshal([]byte(body), &message), json.Unmarshal(message["data"], &data)); err != nil {
		t.Fatal(err)
	}
	s := api.Components.Schemas[name]
	for _, of := range []struct {
		got  map[string]json.RawMessage
		want []string
	}{{message, s.Required}, {data, s.Properties["data"].Required}} {
		if got, want := slices.Sorted(maps.Keys(of.got)), slices.Sorted(slices.Values(of.want)); !slices.Equal(got, want) {
			t.Errorf("%s has the members %v, described are %v", body, got, want)
		}
	}
	if kind, err := strconv.Unquote(string(message["type"])); err != nil || !slices.Contains(s.Properties["type"].Enum, kind) {
		t.Errorf("the type of %s is not one of %v", body, s.Properties["type"].Enum)
	}
}

// A receiver that says no hears it again later, from where it was, and at last no more
// until its operator wants it.
func TestAgainLater(t *testing.T) {
	f, r := newFixture(t), newReceiver(t)
	v := f.register(r)
	r.say(500)
	f.rotate("op", "u")
	f.rotate("op", "v")
	for i, wait := range hook.Backoff {
		f.round(f.s)
		f.round(f.s) // too early for another attempt
		if r.attempts != i+1 {
			t.Fatalf("after %d waits there were %d attempts", i, r.attempts)
		}
		f.clock.move(wait - time.Second)
		f.round(f.s)
		f.clock.move(time.Second)
	}
	f.round(f.s)
	f.clock.move(1000 * time.Hour)
	f.round(f.s)
	if r.attempts != len(hook.Backoff)+1 {
		t.Errorf("there were %d attempts", r.attempts)
	}
	list, err := f.s.List(t.Context(), "op")
	if err != nil || len(list) != 1 || !list[0].Stopped || list[0].Error != "the answer was 500" || list[0].Secret != "" {
		t.Errorf("got %+v, %v", list, err)
	}
	r.say(200)
	if _, err := f.s.Resume(t.Context(), f.call("resume"), v.Hook); err != nil {
		t.Fatal(err)
	}
	f.round(f.s)
	r.heard(t, "msg_news_1", "msg_news_2")
	// A redirect is no yes.
	r.say(302)
	f.rotate("op", "w")
	f.round(f.s)
	r.heard(t, "msg_news_1", "msg_news_2")
}

// A clock that is set back makes nobody wait for the time that it had before, longer than
// clocks differ: neither for the next attempt nor for a process that died.
func TestClockSetBack(t *testing.T) {
	f, r := newFixture(t), newReceiver(t)
	f.register(r)
	r.say(500)
	f.rotate("op", "u")
	attempts := 0
	round := func(what string, more int) {
		t.Helper()
		f.round(f.s)
		f.round(f.s)
		if attempts += more; r.attempts != attempts {
			t.Fatalf("%s: %d attempts, want %d", what, r.attempts, attempts)
		}
	}
	round("the first", 1)
	f.clock.move(-30 * time.Second)
	round("set back a little", 0)
	f.clock.move(34 * time.Second)
	round("a second before its time", 0)
	f.clock.move(time.Second)
	round("in time", 1)
	f.clock.move(-time.Hour)
	round("set back an hour", 1)
	f.clock.move(2*time.Minute - time.Second)
	round("not yet after the third", 0)
	f.clock.move(time.Second)
	round("after the third", 1)

	r.say(204)
	ctx, kill := context.WithCancel(t.Context())
	r.hang = func(q *http.Request) {
		kill()
		<-q.Context().Done()
	}
	f.clock.move(10 * time.Minute)
	f.process(true).Round(ctx)
	attempts++
	f.clock.move(-time.Hour)
	round("a process died", 1)
	r.heard(t, "msg_news_1", "msg_news_1")
}

// What the store refuses while it is sent ends a round with an error, and nothing is lost.
func TestStoreRefuses(t *testing.T) {
	f, r := newFixture(t), newReceiver(t)
	f.register(r)
	f.rotate("op", "u")
	full := errors.New("full")
	s, err := hook.New(hook.Options{
		Ledger: refusing{f.store, full}, Matches: f.store, Vault: f.vault, Clock: f.clock, Entropy: rand.Reader,
		Logger: slog.New(slog.NewTextHandler(f.t.Output(), nil)), Private: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Round(t.Context()); !errors.Is(err, full) {
		t.Errorf("got %v", err)
	}
	r.heard(t)
	f.round(f.s)
	r.heard(t, "msg_news_1")
}

// refusing stores nothing more.
type refusing struct {
	*memory.Store
	err error
}

func (r refusing) Amend(context.Context, string, string, string, func(*ledger.Book) error) error {
	return r.err
}

// A receiver that does not answer keeps no other one waiting, nor does one that has far to
// go keep its place.
func TestSlowReceiver(t *testing.T) {
	f, slow, quick := newFixture(t), newReceiver(t), newReceiver(t)
	f.register(slow)
	second := f.register(quick).Hook
	released := make(chan struct{})
	release := sync.OnceFunc(func() { close(released) })
	t.Cleanup(release)
	slow.hang = func(*http.Request) { <-released }
	ctx, end := context.WithCancel(t.Context())
	defer end()
	var running sync.WaitGroup
	running.Go(func() { f.s.Run(ctx) })
	waitFor := func(r *receiver, many int) {
		t.Helper()
		for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
			r.mu.Lock()
			heard := len(r.ids)
			r.mu.Unlock()
			if heard == many && (r == slow || !f.s.Busy(second)) {
				return
			}
		}
		t.Fatalf("it did not hear %d messages", many)
	}
	f.rotate("op", "u")
	f.s.Wake()
	waitFor(slow, 1)
	waitFor(quick, 1)
	f.rotate("op", "v")
	f.s.Wake()
	waitFor(quick, 2)
	slow.heard(t, "msg_news_1")
	release()
	waitFor(slow, 2)
	end()
	running.Wait()

	defer hook.SetTurn(0)()
	f.rotate("op", "w")
	f.rotate("op", "x")
	f.round(f.process(true))
	quick.heard(t, "msg_news_1", "msg_news_2", "msg_news_3")
	f.round(f.process(true)) // another one: the place was given back
	quick.heard(t, "msg_news_1", "msg_news_2", "msg_news_3", "msg_news_4")
}

// Several processes share an address: no message twice, none left out.
func TestProcesses(t *testing.T) {
	f, r := newFixture(t), newReceiver(t)
	f.register(r)
	processes := []*hook.Service{f.s, f.process(true), f.process(true)}
	var want []string
	for i := range 30 {
		f.rotate("op", fmt.Sprint("u", i))
		want = append(want, fmt.Sprint("msg_news_", i+1))
	}
	var all sync.WaitGroup
	for _, p := range processes {
		all.Go(func() {
			for range 10 {
				if err := p.Round(t.Context()); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	for _, p := range processes {
		f.round(p)
	}
	r.heard(t, want...)
}

// A process that dies with an address in its hands lets go of it after a minute.
func TestDeadProcess(t *testing.T) {
	f, r := newFixture(t), newReceiver(t)
	f.register(r)
	f.rotate("op", "u")
	ctx, kill := context.WithCancel(t.Context())
	dying := f.process(true)
	r.hang = func(q *http.Request) {
		// It took the message, and the process dies before it knows.
		kill()
		<-q.Context().Done()
	}
	dying.Round(ctx)
	f.clock.move(2 * time.Minute)
	f.round(f.s)
	r.heard(t, "msg_news_1", "msg_news_1") // the same id: the receiver knows it
}

func TestAddresses(t *testing.T) {
	f := newFixture(t)
	strict := f.process(false)
	for _, u := range []string{"", "x", "http://dice.example/h", "ftp://dice.example", "https://", "https://u:p@dice.example", "https://dice.example/#x", "https://dice.example/" + strings.Repeat("x", 1024)} {
		_, err := strict.Create(t.Context(), f.call(u), u)
		var bad *match.FieldError
		if !errors.As(err, &bad) || bad.Code != "bad-url" {
			t.Errorf("%q: got %v", u, err)
		}
	}
	// A name that leads into the server's own network is not posted to.
	r := newReceiver(t)
	secure := httptest.NewTLSServer(r)
	t.Cleanup(secure.Close)
	if _, err := strict.Create(t.Context(), f.call("x"), secure.URL); err != nil {
		t.Fatal(err)
	}
	f.rotate("op", "u")
	f.round(strict)
	list, err := strict.List(t.Context(), "op")
	if err != nil || len(list) != 1 || list[0].Error != "the address is not of the public internet" || r.attempts != 0 {
		t.Errorf("got %+v, %v", list, err)
	}
}

func TestSteps(t *testing.T) {
	f, r := newFixture(t), newReceiver(t)
	c := f.call("x")
	first, err := f.s.Create(t.Context(), c, r.URL)
	if err != nil {
		t.Fatal(err)
	}
	again, err := f.s.Create(t.Context(), c, r.URL)
	if err != nil || !bytes.Equal(first, again) {
		t.Errorf("got %s, %v, want %s", again, err, first)
	}
	c.Request[0]++
	if _, err := f.s.Create(t.Context(), c, r.URL); !errors.Is(err, match.ErrKeyReused) {
		t.Errorf("got %v", err)
	}
	var v hook.View
	json.Unmarshal(first, &v)
	b, err := f.store.Book(t.Context(), "hooks", "op")
	if err != nil || bytes.Contains(b.State, []byte(strings.TrimPrefix(v.Secret, "whsec_"))) {
		t.Errorf("stored is %s, %v", b.State, err)
	}
	for range hook.MaxHooks - 1 {
		f.register(r)
	}
	if _, err := f.s.Create(t.Context(), f.call("x"), r.URL); !errors.Is(err, hook.ErrMany) {
		t.Errorf("got %v", err)
	}
	if _, err := f.s.Delete(t.Context(), f.call("x"), v.Hook); err != nil {
		t.Error(err)
	}
	if _, err := f.s.Delete(t.Context(), f.call("x"), v.Hook); !errors.Is(err, hook.ErrNoHook) {
		t.Errorf("got %v", err)
	}
	if _, err := f.s.Resume(t.Context(), hook.Call{Operator: "thief", Key: "k"}, v.Hook); !errors.Is(err, hook.ErrNoHook) {
		t.Errorf("got %v", err)
	}
}

// The example of https://github.com/standard-webhooks/standard-webhooks.
func TestSign(t *testing.T) {
	secret, err := base64.StdEncoding.DecodeString("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
	if err != nil {
		t.Fatal(err)
	}
	got := hook.Sign(secret, "msg_p5jXN8AQM9LWM0D4loKWxJek", 1614265330, []byte(`{"test": 2432232314}`))
	if want := "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
