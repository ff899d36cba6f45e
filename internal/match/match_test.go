package match_test

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"veridice/internal/match"
	"veridice/internal/store/memory"
	"veridice/record"
	"veridice/seed"
	"veridice/verify"
)

// A match of twelve rolls, computed elsewhere.
const (
	exampleSeed = "2358017a1aea6933ea34a45b4cf69015699b2a09a69b3d6156210bc45b8d69a7"
	exampleSeal = "32be00ad90c5f09b7f0a4e22da11124b2d20818dfff89f865e2107b6f1820b3a"
	exampleA    = "3d822ef5c3b81bd714d73a2aa91965e2"
	exampleB    = "22d9f50ff028aa01f5a4312ee6b25526"
	exampleDice = "132454416332566461661555"
)

// counter is an endless stream of bytes: SHA-256 of the name and a counter.
type counter struct {
	name string
	n    int
	rest []byte
}

func (c *counter) Read(p []byte) (int, error) {
	for len(c.rest) < len(p) {
		sum := sha256.Sum256(fmt.Appendf(nil, "%s %d", c.name, c.n))
		c.n++
		c.rest = append(c.rest, sum[:]...)
	}
	n := copy(p, c.rest)
	c.rest = c.rest[n:]
	return n, nil
}

// example gives the example's server seed to the first match: after the 16 bytes
// of its id.
func example(t testing.TB) match.Entropy {
	secret, ok := seed.ParseHex(exampleSeed)
	if !ok {
		t.Fatal("the example's seed is no hex")
	}
	return io.MultiReader(bytes.NewReader(append(bytes.Repeat([]byte{0xab}, 16), secret...)), &counter{name: t.Name()})
}

type fixed struct{ time time.Time }

func (f fixed) Now() time.Time { return f.time }

var noon = fixed{time.Date(2026, 6, 7, 12, 0, 0, 123456789, time.FixedZone("", 5*3600+45*60))}

func vault(t testing.TB) *match.Vault {
	t.Helper()
	v, err := match.NewVault(bytes.Repeat([]byte{7}, match.KeySize))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// A table is a service with a match on it.
type table struct {
	*match.Service
	t      testing.TB
	store  match.Store
	id     string
	seal   seed.Seal
	tokens []string
	keys   int
}

func open(t testing.TB, store match.Store, seats int) *table {
	t.Helper()
	return openAt(t, store, seats, noon)
}

func openAt(t testing.TB, store match.Store, seats int, clock match.Clock) *table {
	t.Helper()
	s := match.New(store, vault(t), clock, example(t))
	body, err := s.Create(t.Context(), "home", "creation", nil, match.Table{Scheme: "tavli/1", Seats: seats})
	if err != nil {
		t.Fatal(err)
	}
	var a match.CreatedAnswer
	if err := json.Unmarshal(body, &a); err != nil {
		t.Fatal(err)
	}
	tb := &table{Service: s, t: t, store: store, id: a.Match, seal: a.Seal}
	for _, seat := range a.Seats {
		tb.tokens = append(tb.tokens, seat.Token)
	}
	return tb
}

// call is a request of a seat with a key of its own.
func (tb *table) call(seat int) match.Call {
	tb.keys++
	return match.Call{Match: tb.id, Token: tb.tokens[seat-1], Key: fmt.Sprint("key-", tb.keys)}
}

// start gives every seat's seed; the first two are the example's.
func (tb *table) start() *table {
	tb.t.Helper()
	for i := range tb.tokens {
		_, err := tb.Acknowledge(tb.t.Context(), tb.call(i+1), tb.seal, "")
		if err != nil {
			tb.t.Fatal(err)
		}
		client := append([]string{exampleA, exampleB}, "c3", "c4", "c5", "c6", "c7", "c8")[i]
		if _, err := tb.Seed(tb.t.Context(), tb.call(i+1), client); err != nil {
			tb.t.Fatal(err)
		}
	}
	return tb
}

func (tb *table) roll(seat int, after uint64) match.RollAnswer {
	tb.t.Helper()
	body, err := tb.Roll(tb.t.Context(), tb.call(seat), after)
	if err != nil {
		tb.t.Fatal(err)
	}
	var a match.RollAnswer
	if err := json.Unmarshal(body, &a); err != nil {
		tb.t.Fatal(err)
	}
	return a
}

// jumping is a clock that is set back and forward between two looks at it.
type jumping struct{ looks int }

func (j *jumping) Now() time.Time {
	j.looks++
	return noon.time.Add([]time.Duration{0, -time.Hour, 24 * time.Hour, -5000 * time.Hour}[j.looks%4])
}

// No roll, no order and no record depends on what time it is.
func TestClockThatJumps(t *testing.T) {
	record := func(clock match.Clock) string {
		tb := openAt(t, memory.New(), 2, clock).start()
		for n := range uint64(12) {
			tb.roll(int(n%2)+1, n)
		}
		for seat := range 2 {
			if _, err := tb.End(t.Context(), tb.call(seat+1), 12); err != nil {
				t.Fatal(err)
			}
		}
		events, err := tb.Events(t.Context(), tb.id, 0, 100)
		if err != nil {
			t.Fatal(err)
		}
		for i, e := range events {
			if e.Number != uint64(i)+1 {
				t.Errorf("event %d has the number %d", i+1, e.Number)
			}
		}
		m, rolls, err := tb.Match(t.Context(), tb.id)
		if err != nil {
			t.Fatal(err)
		}
		r, err := match.Record(m, rolls)
		if err != nil {
			t.Fatal(err)
		}
		text, err := r.MarshalText()
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	steady, jumped := record(noon), record(&jumping{})
	if steady != jumped || verify.Text([]byte(jumped), verify.Options{}).Verdict != verify.Proven {
		t.Errorf("got\n%s, want\n%s", jumped, steady)
	}
}

func want(t testing.TB, what string, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("%s: got %v, want %v", what, err, want)
	}
}

func wantState(t testing.TB, what string, err error, state match.State) {
	t.Helper()
	var e *match.StateError
	if !errors.As(err, &e) || e.State != state {
		t.Errorf("%s: got %v, want that the match is %s", what, err, state)
	}
}

// The example's seeds give its rolls, and the record of the
// match is proven by the check that everybody has.
func TestTheExampleMatch(t *testing.T) {
	tb := open(t, memory.New(), 2)
	if tb.seal.String() != exampleSeal {
		t.Fatalf("got seal %s, want %s", tb.seal, exampleSeal)
	}
	tb.start()
	for i := range len(exampleDice) / 2 {
		if i == 7 {
			if _, err := tb.NewGame(t.Context(), tb.call(1), 7); err != nil {
				t.Fatal(err)
			}
		}
		a := tb.roll(i%2+1, uint64(i))
		if got := fmt.Sprint(a.Dice[0], a.Dice[1]); got != exampleDice[2*i:2*i+1]+" "+exampleDice[2*i+1:2*i+2] || a.Roll != uint64(i+1) {
			t.Errorf("roll %d: got %d, %s, want %s", i+1, a.Roll, got, exampleDice[2*i:2*i+2])
		}
	}
	check := func(state record.State, verdict verify.Verdict) {
		t.Helper()
		m, rolls, err := tb.Match(t.Context(), tb.id)
		if err != nil {
			t.Fatal(err)
		}
		if got := match.Games(m, rolls); !slices.Equal(got, []int{7, 5}) {
			t.Errorf("got games of %v rolls, want 7 and 5", got)
		}
		r, err := match.Record(m, rolls)
		if err != nil {
			t.Fatal(err)
		}
		text, err := r.MarshalText()
		if err != nil {
			t.Fatal(err)
		}
		report := verify.Text(text, verify.Options{Seal: &tb.seal})
		if r.State != state || report.Verdict != verdict || report.Rolls != 12 {
			t.Errorf("got a %s record with %d rolls that is %s, want %s, 12, %s", r.State, report.Rolls, report.Verdict, state, verdict)
		}
	}
	check(record.Running, verify.Unknown) // the seed is not there yet
	if _, err := tb.End(t.Context(), tb.call(1), 12); err != nil {
		t.Fatal(err)
	}
	body, err := tb.End(t.Context(), tb.call(2), 12)
	if err != nil {
		t.Fatal(err)
	}
	if want := `{"state":"finished","asked":1,"server":"` + exampleSeed + `"}`; string(body) != want {
		t.Errorf("got %s, want %s", body, want)
	}
	check(record.Finished, verify.Proven)
}

func TestOrderBeforeTheFirstRoll(t *testing.T) {
	tb := open(t, memory.New(), 2)
	ctx := t.Context()
	_, err := tb.Seed(ctx, tb.call(1), "early")
	want(t, "a seed before the seal", err, match.ErrNotAcknowledged)
	_, err = tb.Acknowledge(ctx, tb.call(1), seed.SealText("another"), "")
	want(t, "another seal", err, match.ErrOtherSeal)
	if _, err := tb.Acknowledge(ctx, tb.call(1), tb.seal, "Nikos"); err != nil {
		t.Fatal(err)
	}
	if _, err := tb.Acknowledge(ctx, tb.call(1), tb.seal, "Nikos"); err != nil {
		t.Errorf("acknowledged again: %v", err)
	}
	_, err = tb.Acknowledge(ctx, tb.call(1), tb.seal, "Maria")
	want(t, "another name", err, match.ErrOtherName)
	_, err = tb.Seed(ctx, tb.call(2), "early")
	want(t, "a seed before this seat's seal", err, match.ErrNotAcknowledged)
	if _, err := tb.Seed(ctx, tb.call(1), "first"); err != nil {
		t.Fatal(err)
	}
	if _, err := tb.Seed(ctx, tb.call(1), "first"); err != nil {
		t.Errorf("the same seed again: %v", err)
	}
	_, err = tb.Seed(ctx, tb.call(1), "second")
	want(t, "another seed", err, match.ErrAlreadySeeded)
	m, _, err := tb.Match(ctx, tb.id)
	if err != nil || m.State != match.Open || m.Clients() != nil {
		t.Errorf("with a seat missing: got %s with client seeds %v, %v", m.State, m.Clients(), err)
	}
	_, err = tb.Roll(ctx, tb.call(1), 0)
	wantState(t, "a roll with a seat missing", err, match.Open)
	_, err = tb.End(ctx, tb.call(1), 0)
	wantState(t, "an end with a seat missing", err, match.Open)
	if _, err := match.Record(m, nil); err == nil {
		t.Error("an open match has a record")
	}
	if _, err := tb.Acknowledge(ctx, tb.call(2), tb.seal, ""); err != nil {
		t.Fatal(err)
	}
	if _, err := tb.Seed(ctx, tb.call(2), "other"); err != nil {
		t.Fatal(err)
	}
	events, err := tb.Events(ctx, tb.id, 0, 100)
	if err != nil {
		t.Fatal(err)
	}
	var types []string
	for _, e := range events {
		types = append(types, string(e.Type))
		if got := e.At.Format(time.RFC3339Nano); got != "2026-06-07T06:15:00.123Z" {
			t.Errorf("event %d is at %s", e.Number, got)
		}
	}
	if got := strings.Join(types, " "); got != "opened acknowledged seeded acknowledged seeded started" {
		t.Errorf("got events %s", got)
	}
	if got := events[5].Clients; !slices.Equal(got, []seed.Client{"first", "other"}) {
		t.Errorf("started with %v", got)
	}
}

func TestRefusedValues(t *testing.T) {
	tb := open(t, memory.New(), 1)
	ctx := t.Context()
	field := func(what string, err error, name, code string) {
		t.Helper()
		var f *match.FieldError
		if !errors.As(err, &f) || f.Field != name || f.Code != code {
			t.Errorf("%s: got %v, want field %s: %s", what, err, name, code)
		}
	}
	for _, name := range []string{"a\x00", "a\nb", "a\tb", " a", "a ", " ", "\u202eevil", "a\u200bb", "a\u2028b", "\ufeffa", "a\u2066b", "\x1b]0;x\a", "a\xffb", "\u00a0", "\ue000"} {
		_, err := tb.Acknowledge(ctx, tb.call(1), tb.seal, name)
		field(fmt.Sprintf("name %q", name), err, "name", "bad-name")
	}
	_, err := tb.Acknowledge(ctx, tb.call(1), tb.seal, strings.Repeat("ν", 41))
	field("41 characters", err, "name", "name-too-long")
	if _, err := tb.Acknowledge(ctx, tb.call(1), tb.seal, "Ὀδυσσεύς <b>&\"'"+strings.Repeat("ν", 25)); err != nil {
		t.Errorf("a good name: %v", err)
	}
	for _, c := range []struct{ client, code string }{
		{"", "bad-client-seed"}, {"   ", "client-seed-character"}, {strings.Repeat("a", 129), "bad-client-seed"}, {"a,b", "client-seed-character"},
		{"a:b", "client-seed-character"}, {"a+b", "client-seed-character"}, {"café", "client-seed-character"}, {"a\n", "client-seed-character"},
	} {
		_, err := tb.Seed(ctx, tb.call(1), c.client)
		field(fmt.Sprintf("client seed %q", c.client), err, "client", c.code)
	}
	var f *match.FieldError
	if _, err := tb.Seed(ctx, tb.call(1), "abé"); !errors.As(err, &f) || f.Args["position"] != 3 {
		t.Errorf("got %v, want position 3", err)
	}
	for _, seats := range []int{-1, 0, 9, 1_000_000} {
		_, err := tb.Create(ctx, "", "k", nil, match.Table{Scheme: "tavli/1", Seats: seats})
		field(fmt.Sprint(seats, " seats"), err, "seats", "bad-seats")
	}
	for _, name := range []string{"", "tavli", "tavli/2", "TAVLI/1", "shuffle/1"} {
		_, err := tb.Create(ctx, "", "k", nil, match.Table{Scheme: name, Seats: 1})
		field("scheme "+name, err, "scheme", "bad-scheme")
	}
}

func TestRolls(t *testing.T) {
	tb := open(t, memory.New(), 2).start()
	ctx := t.Context()
	tb.roll(1, 0)
	var behind *match.BehindError
	for _, after := range []uint64{0, 2, 1 << 40} {
		if _, err := tb.Roll(ctx, tb.call(2), after); !errors.As(err, &behind) || behind.Last != 1 {
			t.Errorf("after %d: got %v, want behind 1", after, err)
		}
	}
	if _, err := tb.NewGame(ctx, tb.call(2), 1); err != nil {
		t.Fatal(err)
	}
	_, err := tb.NewGame(ctx, tb.call(2), 1)
	want(t, "a game after a game", err, match.ErrNoRolls)
	if got := tb.roll(2, 1).Game; got != 2 {
		t.Errorf("got game %d, want 2", got)
	}
}

func TestEnd(t *testing.T) {
	tb := open(t, memory.New(), 2).start()
	ctx := t.Context()
	tb.roll(1, 0)
	_, err := tb.Withdraw(ctx, tb.call(1))
	want(t, "withdrawn before it was asked", err, match.ErrNotAsked)
	if _, err := tb.End(ctx, tb.call(1), 0); err == nil {
		t.Error("ended by a phone that has not seen the last roll")
	}
	if _, err := tb.End(ctx, tb.call(1), 1); err != nil {
		t.Fatal(err)
	}
	_, err = tb.End(ctx, tb.call(1), 1)
	want(t, "confirmed by itself", err, match.ErrAlreadyAsked)
	if _, err := tb.Withdraw(ctx, tb.call(1)); err != nil {
		t.Fatal(err)
	}
	if body, err := tb.End(ctx, tb.call(2), 1); err != nil || strings.Contains(string(body), "server") {
		t.Errorf("asked anew: got %s, %v", body, err)
	}
	if m, _, _ := tb.Match(ctx, tb.id); m.Server != nil || m.State != match.Running || m.Asked != 2 {
		t.Errorf("got %+v, want it running and asked by 2", m)
	}
	tb.roll(2, 1) // play goes on meanwhile
	if _, err := tb.End(ctx, tb.call(1), 2); err != nil {
		t.Fatal(err)
	}
	for what, f := range map[string]func(match.Call) error{
		"roll":     func(c match.Call) error { _, err := tb.Roll(ctx, c, 2); return err },
		"game":     func(c match.Call) error { _, err := tb.NewGame(ctx, c, 2); return err },
		"end":      func(c match.Call) error { _, err := tb.End(ctx, c, 2); return err },
		"withdraw": func(c match.Call) error { _, err := tb.Withdraw(ctx, c); return err },
	} {
		for seat := range 2 {
			wantState(t, what+" after the end", f(tb.call(seat+1)), match.Finished)
		}
	}
	events, err := tb.Events(ctx, tb.id, 0, 100)
	if err != nil {
		t.Fatal(err)
	}
	reveals := 0
	for _, e := range events {
		if e.Server != nil {
			reveals++
		}
	}
	if reveals != 1 || seed.Hex(events[len(events)-1].Server) != exampleSeed {
		t.Errorf("got %d reveals, want 1, with the last event", reveals)
	}

	alone := open(t, memory.New(), 1).start()
	if _, err := alone.End(ctx, alone.call(1), 0); err != nil {
		t.Fatal(err)
	}
	if body, err := alone.End(ctx, alone.call(1), 0); err != nil || !strings.Contains(string(body), exampleSeed) {
		t.Errorf("alone: got %s, %v", body, err)
	}
}

func TestKeys(t *testing.T) {
	tb := open(t, memory.New(), 2).start()
	ctx := t.Context()
	c := match.Call{Match: tb.id, Token: tb.tokens[0], Key: "k", Body: []byte(`{"after":0}`)}
	first, err := tb.Roll(ctx, c, 0)
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if again, err := tb.Roll(ctx, c, 0); err != nil || !bytes.Equal(again, first) {
			t.Errorf("again: got %s, %v, want %s", again, err, first)
		}
	}
	other := c
	other.Body = []byte(`{"after":1}`)
	_, err = tb.Roll(ctx, other, 1)
	want(t, "another body", err, match.ErrKeyReused)
	_, err = tb.NewGame(ctx, c, 0)
	want(t, "another action", err, match.ErrKeyReused)
	other = c
	other.Token = tb.tokens[1]
	_, err = tb.Roll(ctx, other, 0)
	want(t, "another seat", err, match.ErrKeyReused)
	body, err := tb.Create(ctx, "home", "another match", nil, match.Table{Scheme: "tavli/1", Seats: 1})
	if err != nil {
		t.Fatal(err)
	}
	var another match.CreatedAnswer
	if err := json.Unmarshal(body, &another); err != nil {
		t.Fatal(err)
	}
	for _, token := range []string{"", "x", tb.tokens[0] + "x", tb.tokens[0][:10], another.Seats[0].Token} {
		other.Token = token
		_, err = tb.Roll(ctx, other, 0)
		want(t, "a wrong token", err, match.ErrNotYourSeat)
	}
	other = c
	other.Match = strings.Repeat("0", 32)
	_, err = tb.Roll(ctx, other, 0)
	want(t, "an unknown match", err, match.ErrNotYourSeat)

	again, err := tb.Create(ctx, "home", "creation", nil, match.Table{Scheme: "tavli/1", Seats: 2})
	if err != nil || !strings.Contains(string(again), tb.id) || !strings.Contains(string(again), tb.tokens[1]) {
		t.Errorf("created again: got %s, %v", again, err)
	}
	_, err = tb.Create(ctx, "home", "creation", []byte("{}"), match.Table{Scheme: "tavli/1", Seats: 2})
	want(t, "created with another body", err, match.ErrKeyReused)
	if elsewhere, err := tb.Create(ctx, "elsewhere", "creation", nil, match.Table{Scheme: "tavli/1", Seats: 2}); err != nil || strings.Contains(string(elsewhere), tb.id) {
		t.Errorf("the same key from elsewhere: got %s, %v, want another match", elsewhere, err)
	}
}

// failing fails reads from one on, or answers them short.
type failing struct {
	good  int
	short bool
	from  counter
}

func (f *failing) Read(p []byte) (int, error) {
	if f.good--; f.good >= 0 {
		return f.from.Read(p)
	}
	if f.short {
		return 1, io.EOF
	}
	return 0, errors.New("no entropy")
}

func TestFailingEntropy(t *testing.T) {
	for _, short := range []bool{false, true} {
		for good := 0; ; good++ {
			store := memory.New()
			s := match.New(store, vault(t), noon, &failing{good: good, short: short, from: counter{name: t.Name()}})
			body, err := s.Create(t.Context(), "", "creation", nil, match.Table{Scheme: "tavli/1", Seats: 2})
			_, unfinished := store.Unfinished(t.Context())
			if err == nil {
				if good < 6 { // id, seed, nonce, two tokens, nonce of the answer
					t.Errorf("a match was made of %d reads", good)
				}
				break
			}
			if body != nil || !errors.Is(unfinished, match.ErrNotFound) {
				t.Errorf("%d good reads: got %s, and a match is there: %v", good, body, unfinished)
			}
		}
	}
}

// broken is a store whose updates fail when told to.
type broken struct {
	match.Store
	before func() error // may stop an update
	after  func() error // may hide that it happened
}

func (b *broken) Update(ctx context.Context, id, key string, change func(*match.Match) error) error {
	if b.before != nil {
		if err := b.before(); err != nil {
			return err
		}
	}
	if err := b.Store.Update(ctx, id, key, change); err != nil || b.after == nil {
		return err
	}
	return b.after()
}

func TestStoreFailsOnTheFifthRoll(t *testing.T) {
	for _, happened := range []bool{false, true} {
		store := &broken{Store: memory.New()}
		tb := open(t, store, 2).start()
		for n := range uint64(4) {
			tb.roll(1, n)
		}
		full := errors.New("disk full")
		if happened {
			store.after = func() error { return full }
		} else {
			store.before = func() error { return full }
		}
		c := tb.call(2)
		if _, err := tb.Roll(t.Context(), c, 4); !errors.Is(err, full) {
			t.Fatalf("got %v, want %v", err, full)
		}
		store.before, store.after = nil, nil
		body, err := tb.Roll(t.Context(), c, 4) // again with the same key
		if err != nil || !strings.Contains(string(body), `{"roll":5,"dice":[6,3]`) {
			t.Errorf("happened %v: got %s, %v, want roll 5: 6-3", happened, body, err)
		}
		if got := tb.roll(1, 5); got.Roll != 6 {
			t.Errorf("got roll %d, want 6", got.Roll)
		}
		m, rolls, err := tb.Match(t.Context(), tb.id)
		if err != nil || m.Rolls != 6 || len(rolls) != 6 {
			t.Errorf("got %d rolls of %d, %v, want 6", len(rolls), m.Rolls, err)
		}
	}
}

func TestLostRaces(t *testing.T) {
	store := &broken{Store: memory.New()}
	tb := open(t, store, 2).start()
	lost := 0
	store.before = func() error {
		if lost++; lost <= 3 {
			return fmt.Errorf("lost: %w", match.ErrConflict)
		}
		return nil
	}
	if got := tb.roll(1, 0); got.Roll != 1 || lost != 4 {
		t.Errorf("got roll %d after %d tries, want 1 after 4", got.Roll, lost)
	}
	store.before = func() error { return match.ErrConflict }
	_, err := tb.Roll(t.Context(), tb.call(1), 1)
	want(t, "always lost", err, match.ErrConflict)
}

func TestLongMatch(t *testing.T) {
	store := memory.New()
	tb := open(t, store, 1).start()
	ctx := t.Context()
	jump := func(change func(*match.Match)) {
		t.Helper()
		m, err := store.Match(ctx, tb.id)
		if err != nil {
			t.Fatal(err)
		}
		change(m)
		m.Added = nil
		store = memory.New()
		m.Events = 0
		if err := store.Create(ctx, m); err != nil {
			t.Fatal(err)
		}
		tb.Service = match.New(store, vault(t), noon, &counter{name: "jump"})
	}
	jump(func(m *match.Match) { m.Rolls = record.MaxRolls - 1 })
	tb.roll(1, record.MaxRolls-1)
	_, err := tb.Roll(ctx, tb.call(1), record.MaxRolls)
	want(t, "roll 100,001", err, match.ErrFull)
	jump(func(m *match.Match) { m.Version = 4 * record.MaxRolls })
	_, err = tb.Acknowledge(ctx, tb.call(1), tb.seal, "")
	want(t, "endless changes", err, match.ErrFull)
	for range 2 {
		if _, err := tb.End(ctx, tb.call(1), record.MaxRolls); err != nil {
			t.Errorf("a full match cannot be ended: %v", err)
		}
	}
}

func TestOtherKeys(t *testing.T) {
	store := memory.New()
	tb := open(t, store, 1).start()
	key := func(b byte) []byte { return bytes.Repeat([]byte{b}, match.KeySize) }
	for _, c := range []struct {
		what string
		keys [][]byte
		err  error
	}{
		{"another key", [][]byte{key(8)}, match.ErrOtherKey},
		{"a new key with the old one", [][]byte{key(8), key(7)}, nil},
	} {
		v, err := match.NewVault(c.keys...)
		if err != nil {
			t.Fatal(err)
		}
		s := match.New(store, v, noon, &counter{name: c.what})
		want(t, c.what, s.CheckKey(t.Context()), c.err)
		_, err = s.Roll(t.Context(), tb.call(1), 0)
		want(t, c.what+": roll", err, c.err)
	}
	for _, keys := range [][][]byte{nil, {nil}, {key(7)[:31]}, {key(7), key(8)[:16]}} {
		if _, err := match.NewVault(keys...); err == nil {
			t.Errorf("a vault of %d keys was made", len(keys))
		}
	}
}

// A sealed seed is of one match, and any change to it is noticed before a roll is
// made of it.
func TestSealedSeedIsBound(t *testing.T) {
	store := memory.New()
	tb := open(t, store, 1).start()
	m, err := store.Match(t.Context(), tb.id)
	if err != nil {
		t.Fatal(err)
	}
	try := func(what string, change func(*match.Match)) {
		t.Helper()
		c := m.Clone()
		change(c)
		c.Events = 0
		s := memory.New()
		if err := s.Create(t.Context(), c); err != nil {
			t.Fatal(err)
		}
		call := tb.call(1)
		call.Match = c.ID
		if _, err := match.New(s, vault(t), noon, &counter{name: what}).Roll(t.Context(), call, 0); err == nil {
			t.Errorf("%s: a roll was made", what)
		}
	}
	try("another match's id", func(m *match.Match) { m.ID = strings.Repeat("1", 32) })
	try("another seal", func(m *match.Match) { m.Seal[5] ^= 1 })
	for i := range m.Sealed {
		try(fmt.Sprint("byte ", i), func(m *match.Match) { m.Sealed[i] ^= 0x10 })
		try(fmt.Sprint("cut at ", i), func(m *match.Match) { m.Sealed = m.Sealed[:i] })
	}
}

// Nothing that a spectator or a seat sees of a running match gives its next rolls
// away, whichever of it is taken as key and as message (NovaDrake76/KaniCasino#152
// had searched for the raw seed alone). The server seed itself is the control.
func TestPublicFieldsGiveNothingAway(t *testing.T) {
	tb := open(t, memory.New(), 2).start()
	m, _, err := tb.Match(t.Context(), tb.id)
	if err != nil {
		t.Fatal(err)
	}
	const rolls = 200
	next := make([][2]uint32, rolls)
	for n := range next {
		a := tb.roll(n%2+1, uint64(n))
		next[n] = [2]uint32{a.Dice[0], a.Dice[1]}
	}
	public := [][]byte{nil, m.Seal[:], []byte(m.Seal.String()), []byte(m.ID), m.Sealed, []byte(m.Scheme), []byte(exampleA), []byte(exampleB),
		[]byte(exampleA + ":" + exampleB), []byte(exampleB + ":" + exampleA), []byte(tb.tokens[0]), []byte(tb.tokens[1]),
		[]byte(m.Created.Format(time.RFC3339Nano)), []byte(fmt.Sprint(m.Created.Unix())), []byte(fmt.Sprint(m.Created.UnixMilli()))}
	for _, text := range []string{m.ID, exampleA, exampleB} {
		b, _ := seed.ParseHex(text)
		public = append(public, b)
	}
	for _, token := range tb.tokens {
		sum := sha256.Sum256([]byte(token))
		public = append(public, sum[:])
	}
	best := func(key, message []byte) int {
		most := 0
		for _, way := range []func(number string) [32]byte{
			func(number string) [32]byte {
				h := hmac.New(sha256.New, key)
				h.Write(message)
				h.Write([]byte(":" + number))
				return [32]byte(h.Sum(nil))
			},
			func(number string) [32]byte {
				return sha256.Sum256([]byte(string(key) + string(message) + ":" + number))
			},
			func(number string) [32]byte {
				return sha256.Sum256([]byte(string(key) + ":" + string(message) + ":" + number))
			},
		} {
			hits := 0
			for n := range next {
				for _, b := range way(fmt.Sprint(n + 1)) {
					if b < 252 {
						if next[n] == [2]uint32{uint32(b%36/6) + 1, uint32(b%36%6) + 1} {
							hits++
						}
						break
					}
				}
			}
			most = max(most, hits)
		}
		return most
	}
	secret, _ := seed.ParseHex(exampleSeed)
	if got := best(secret, []byte(exampleA+":"+exampleB)); got != rolls {
		t.Fatalf("the server seed gives %d of %d rolls: this test could not fail", got, rolls)
	}
	// 5.6 of 200 agree by chance; 28 or more do once in 10^11 tries.
	for i, key := range public {
		for j, message := range public {
			if got := best(key, message); got >= 28 {
				t.Errorf("field %d as key and %d as message give %d of %d rolls", i, j, got, rolls)
			}
		}
	}
}
