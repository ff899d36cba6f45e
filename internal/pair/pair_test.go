package pair_test

import (
	"bytes"
	"cmp"
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"veridice/game"
	"veridice/internal/audit"
	"veridice/internal/ledger"
	"veridice/internal/match"
	"veridice/internal/needs"
	"veridice/internal/pair"
	"veridice/internal/store/memory"
	"veridice/internal/store/postgres"
	"veridice/internal/store/sqlite"
)

func service(t testing.TB, s ledger.Store) *pair.Service {
	t.Helper()
	vault, err := match.NewVault(bytes.Repeat([]byte{7}, match.KeySize))
	if err != nil {
		t.Fatal(err)
	}
	return pair.New(s, vault, match.System{}, rand.Reader)
}

// A user is one user of an operator in a test.
type user struct {
	t    testing.TB
	s    *pair.Service
	name string
	site string // "" for shuffle
	keys int
}

func (u *user) call(body string) pair.Call {
	u.keys++
	return pair.Call{Operator: "op", User: u.name, Key: fmt.Sprint("key-", u.keys), Body: []byte(body)}
}

func into[T any](t testing.TB, body []byte, err error) (v T) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(body, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

func (u *user) create() pair.View {
	u.t.Helper()
	body, err := u.s.Create(context.Background(), u.call("create"), cmp.Or(u.site, "shuffle"))
	return into[pair.View](u.t, body, err)
}

func (u *user) client(n uint64, text string) pair.View {
	u.t.Helper()
	body, err := u.s.SetClient(context.Background(), u.call(text), n, text)
	return into[pair.View](u.t, body, err)
}

func (u *user) draw(w pair.Wish) pair.Draw {
	u.t.Helper()
	body, err := u.s.Draw(context.Background(), u.call("draw"), w)
	return into[pair.Draw](u.t, body, err)
}

func (u *user) rotate(n uint64, client string) pair.Rotated {
	u.t.Helper()
	body, err := u.s.Rotate(context.Background(), u.call(client), n, client)
	return into[pair.Rotated](u.t, body, err)
}

func (u *user) history() (all []pair.Draw) {
	u.t.Helper()
	for {
		lines, err := u.s.Draws(context.Background(), "op", u.name, uint64(len(all)), 7)
		if err != nil {
			u.t.Fatal(err)
		}
		for _, l := range lines {
			all = append(all, into[pair.Draw](u.t, l, nil))
		}
		if len(lines) < 7 {
			return all
		}
	}
}

var dice = pair.Wish{Game: "dice"}

// rolled computes dice as the operator's article does, with nothing of ours.
func rolled(server, client string, nonce uint64) string {
	mac := hmac.New(sha256.New, []byte(server))
	fmt.Fprintf(mac, "%s:%d:0", client, nonce)
	n := uint64(binary.BigEndian.Uint32(mac.Sum(nil))) * 10001 >> 32
	text := fmt.Sprintf("%d.%02d", n/100, n%100)
	return fmt.Sprintf(`{"roll":%q}`, text)
}

func sealOf(server string) string {
	sum := sha256.Sum256([]byte(server))
	return hex.EncodeToString(sum[:])
}

func TestLifeOfAPair(t *testing.T) {
	u := &user{t: t, s: service(t, memory.New()), name: "u"}
	first := u.create()
	if first.Pair != 1 || first.Nonce != 0 || first.Client != nil || first.Seal == first.NextSeal {
		t.Errorf("a new pair is %+v", first)
	}
	u.client(1, "one")
	set := u.client(1, "καλή τύχη: one") // free until the first draw
	if set.Seal != first.Seal || set.NextSeal != first.NextSeal || *set.Client != "καλή τύχη: one" {
		t.Errorf("after the client seed it is %+v", set)
	}
	var drawn []pair.Draw
	for range 12 {
		drawn = append(drawn, u.draw(dice))
	}
	got := u.rotate(1, "two")
	if r := got.Revealed; r.Pair != 1 || r.Seal != first.Seal || sealOf(r.Server) != r.Seal.String() || r.Draws != 12 || r.First != 1 {
		t.Errorf("revealed is %+v", r)
	}
	if n := got.Now; n.Pair != 2 || n.Seal != first.NextSeal || n.NextSeal == n.Seal || n.Nonce != 0 || *n.Client != "two" || n.Draws != 12 {
		t.Errorf("now active is %+v", n)
	}
	for i, d := range drawn {
		if d.Nonce != uint64(i+1) || d.Draw != uint64(i+1) || d.Pair != 1 || string(d.Outcome) != rolled(got.Revealed.Server, "καλή τύχη: one", d.Nonce) {
			t.Errorf("draw %d is %+v", i+1, d)
		}
	}
	// The next life: nonces from 1, the announced seed, and never the old one.
	d := u.draw(dice)
	again := u.rotate(2, "three")
	if d.Nonce != 1 || d.Draw != 13 || d.Seal != first.NextSeal || string(d.Outcome) != rolled(again.Revealed.Server, "two", 1) {
		t.Errorf("the first draw of the second pair is %+v", d)
	}
	if again.Revealed.Server == got.Revealed.Server || again.Revealed.First != 13 || again.Now.Seal != got.Now.NextSeal {
		t.Errorf("the second reveal is %+v", again)
	}
	if none := u.rotate(3, "four"); none.Revealed.Draws != 0 || none.Now.Pair != 4 {
		t.Errorf("a pair that nobody drew with: %+v", none)
	}
	if all := u.history(); len(all) != 13 || string(all[12].Outcome) != string(d.Outcome) {
		t.Errorf("the history has %d draws", len(all))
	}
	pairs, err := u.s.Pairs(t.Context(), "op", "u", 0, 10)
	if err != nil || len(pairs) != 3 {
		t.Errorf("there are %d revealed pairs, %v", len(pairs), err)
	}
}

func TestRefused(t *testing.T) {
	u := &user{t: t, s: service(t, memory.New()), name: "u"}
	ctx := t.Context()
	refused := func(what string, err, want error) {
		t.Helper()
		if !errors.Is(err, want) {
			t.Errorf("%s: got %v, want %v", what, err, want)
		}
	}
	field := func(what string, err error, code string) {
		t.Helper()
		var f *match.FieldError
		if !errors.As(err, &f) || f.Code != code {
			t.Errorf("%s: got %v, want %s", what, err, code)
		}
	}
	_, err := u.s.Draw(ctx, u.call(""), dice)
	refused("a draw of nobody", err, pair.ErrNoUser)
	_, err = u.s.Get(ctx, "op", "u")
	refused("nobody", err, pair.ErrNoUser)
	_, err = u.s.Create(ctx, pair.Call{Operator: "op", User: "a/b", Key: "k"}, "shuffle")
	field("an id with a slash", err, "bad-user")
	u.create()
	_, err = u.s.Create(ctx, u.call(""), "shuffle")
	refused("a second time", err, pair.ErrThere)
	_, err = u.s.Get(ctx, "other", "u")
	refused("another operator", err, pair.ErrNoUser)
	_, err = u.s.Draw(ctx, u.call(""), dice)
	refused("without a client seed", err, pair.ErrNoClient)
	for _, client := range []string{"", "a\nb", "\x00", strings.Repeat("x", 1025), "\xff"} {
		_, err = u.s.SetClient(ctx, u.call(""), 1, client)
		field(fmt.Sprintf("client seed %q", client), err, "bad-text-client")
	}
	var other *pair.OtherPairError
	if _, err = u.s.SetClient(ctx, u.call(""), 2, "c"); !errors.As(err, &other) || other.Pair != 1 {
		t.Errorf("another pair: got %v", err)
	}
	u.client(1, "c")
	_, err = u.s.Create(ctx, u.call(""), "duel")
	field("a site that is only checked", err, "no-such-site")
	of := &user{t: t, s: u.s, name: "of-stake", site: "stake"}
	of.create()
	of.client(1, "c")
	_, err = u.s.Draw(ctx, of.call(""), pair.Wish{Game: "crash"})
	field("a round that all share", err, "no-such-game")
	_, err = u.s.Draw(ctx, of.call(""), pair.Wish{Game: "limbo", Variant: "page"})
	field("a version that may have no outcome", err, "bad-variant")
	for what, c := range map[string]struct {
		wish pair.Wish
		code string
	}{
		"game":          {pair.Wish{Game: "tavli"}, "no-such-game"},
		"not published": {pair.Wish{Game: "crash"}, "no-such-game"},
		"missing":       {pair.Wish{Game: "plinko"}, "bad-param"},
		"range":         {pair.Wish{Game: "plinko", Params: []pair.Param{{Arg: game.Arg{Name: "rows", Value: "7"}, Bare: true}}}, "bad-param"},
		"as text":       {pair.Wish{Game: "plinko", Params: []pair.Param{{Arg: game.Arg{Name: "rows", Value: "8"}}}}, "bad-param"},
		"another name":  {pair.Wish{Game: "dice", Params: []pair.Param{{Arg: game.Arg{Name: "rows", Value: "8"}, Bare: true}}}, "no-such-param"},
		"variant":       {pair.Wish{Game: "limbo", Variant: "x"}, "bad-variant"},
	} {
		_, err := u.s.Draw(ctx, u.call(""), c.wish)
		field(what, err, c.code)
	}
	if d := u.draw(dice); d.Nonce != 1 {
		t.Errorf("what was refused took nonces: %+v", d)
	}
	_, err = u.s.SetClient(ctx, u.call(""), 1, "d")
	refused("after the first draw", err, pair.ErrInUse)
	_, err = u.s.Rotate(ctx, u.call(""), 1, "c")
	refused("the same client seed", err, pair.ErrSameClient)

	d := u.draw(pair.Wish{Game: "mines", Params: []pair.Param{{Arg: game.Arg{Name: "mines", Value: "3"}, Bare: true}}, Open: true})
	var open *pair.OpenError
	if _, err = u.s.Rotate(ctx, u.call(""), 1, "d"); !errors.As(err, &open) || !slices.Equal(open.Nonces, []uint64{2}) {
		t.Errorf("a rotation under an open game: got %v", err)
	}
	_, err = u.s.Close(ctx, u.call(""), 1, 1)
	refused("a draw that is not open", err, pair.ErrNotOpen)
	if _, err := u.s.Close(ctx, u.call(""), 1, d.Nonce); err != nil {
		t.Error(err)
	}
	u.rotate(1, "d")
	_, err = u.s.SetClient(ctx, u.call(""), 2, "c")
	refused("the client seed that the next seed's maker knew", err, pair.ErrSameClient)
	if _, err = u.s.Draw(ctx, u.call(""), pair.Wish{Game: "dice", Pair: 1}); !errors.As(err, &other) || other.Pair != 2 {
		t.Errorf("a draw that meant the pair before: got %v", err)
	}
}

func TestSameKeySameBytes(t *testing.T) {
	u := &user{t: t, s: service(t, memory.New()), name: "u"}
	u.create()
	u.client(1, "c")
	c := u.call("body")
	first, err := u.s.Draw(t.Context(), c, dice)
	if err != nil {
		t.Fatal(err)
	}
	u.draw(dice)
	u.rotate(1, "d") // and also when another pair is active
	again, err := u.s.Draw(t.Context(), c, dice)
	if err != nil || !bytes.Equal(first, again) {
		t.Errorf("got %s, %v, want %s", again, err, first)
	}
	c.Body = []byte("another")
	if _, err := u.s.Draw(t.Context(), c, dice); !errors.Is(err, match.ErrKeyReused) {
		t.Errorf("got %v", err)
	}
	if n := len(u.history()); n != 2 {
		t.Errorf("there are %d draws, not 2", n)
	}
}

// Two servers, many clients, rotations between: every nonce of every pair once, in order,
// under the seed that was announced for it, and each request answered once.
func TestConcurrent(t *testing.T) {
	kinds := map[string]func(*testing.T) []ledger.Store{
		"memory": func(*testing.T) []ledger.Store { return []ledger.Store{memory.New()} },
		"sqlite": func(t *testing.T) (nodes []ledger.Store) {
			path := filepath.Join(t.TempDir(), "veridice.db")
			for range 2 {
				s, err := sqlite.Create(path)
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { s.Close() })
				nodes = append(nodes, s)
			}
			return nodes
		},
		"postgres": func(t *testing.T) (nodes []ledger.Store) {
			address := needs.Postgres(t).URL("postgres")
			if _, err := postgres.Migrate(t.Context(), address); err != nil {
				t.Fatal(err)
			}
			for range 2 {
				s, err := postgres.Open(t.Context(), address)
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { s.Close() })
				nodes = append(nodes, s)
			}
			return nodes
		},
	}
	for kind, open := range kinds {
		t.Run(kind, func(t *testing.T) { concurrent(t, open(t)) })
	}
}

func concurrent(t *testing.T, stores []ledger.Store) {
	var nodes []*pair.Service
	for _, s := range stores {
		nodes = append(nodes, service(t, s))
	}
	u := &user{t: t, s: nodes[0], name: "u"}
	u.create()
	u.client(1, "c")
	const clients, each, rotations = 6, 12, 4
	var group sync.WaitGroup
	var mu sync.Mutex
	answered := map[uint64]string{} // by number of the draw
	for n := range clients {
		group.Go(func() {
			for i := range each {
				c := pair.Call{Operator: "op", User: "u", Key: fmt.Sprintf("draw-%d-%d", n, i)}
				var bodies [2][]byte
				var twice sync.WaitGroup
				for k := range bodies { // one request, at two servers at once
					twice.Go(func() {
						body, err := nodes[(n+k)%len(nodes)].Draw(t.Context(), c, dice)
						for errors.Is(err, match.ErrConflict) || errors.Is(err, match.ErrBusy) {
							body, err = nodes[(n+k)%len(nodes)].Draw(t.Context(), c, dice)
						}
						if err != nil {
							t.Error(err)
						}
						bodies[k] = body
					})
				}
				twice.Wait()
				if !bytes.Equal(bodies[0], bodies[1]) {
					t.Errorf("one request, two answers: %s %s", bodies[0], bodies[1])
				}
				d := into[pair.Draw](t, bodies[0], nil)
				mu.Lock()
				if _, there := answered[d.Draw]; there {
					t.Errorf("draw %d was given twice", d.Draw)
				}
				answered[d.Draw] = string(bodies[0])
				mu.Unlock()
			}
		})
	}
	servers := map[uint64]pair.Revealed{}
	group.Go(func() {
		for n := range uint64(rotations) {
			body, err := nodes[n%uint64(len(nodes))].Rotate(t.Context(), pair.Call{Operator: "op", User: "u", Key: fmt.Sprint("rotate-", n)}, n+1, fmt.Sprint("client-", n))
			for errors.Is(err, match.ErrConflict) || errors.Is(err, match.ErrBusy) {
				body, err = nodes[0].Rotate(t.Context(), pair.Call{Operator: "op", User: "u", Key: fmt.Sprint("rotate-", n)}, n+1, fmt.Sprint("client-", n))
			}
			servers[n+1] = into[pair.Rotated](t, body, err).Revealed
		}
	})
	group.Wait()
	servers[rotations+1] = u.rotate(rotations+1, "last").Revealed

	all := u.history()
	if len(all) != clients*each || len(answered) != len(all) {
		t.Fatalf("%d draws are stored and %d answered, not %d", len(all), len(answered), clients*each)
	}
	nonce, now := uint64(0), uint64(1)
	for i, d := range all {
		if d.Pair != now {
			if d.Pair < now {
				t.Fatalf("draw %d is of pair %d after pair %d was revealed", i+1, d.Pair, now)
			}
			nonce, now = 0, d.Pair
		}
		nonce++
		if d.Draw != uint64(i+1) || d.Nonce != nonce {
			t.Fatalf("draw %d has the number %d and nonce %d of pair %d, not %d", i+1, d.Draw, d.Nonce, d.Pair, nonce)
		}
		if r := servers[d.Pair]; d.Seal != r.Seal || string(d.Outcome) != rolled(r.Server, *r.Client, d.Nonce) {
			t.Errorf("draw %d does not follow from its seeds", i+1)
		}
		text, _ := json.Marshal(d)
		if answered[d.Draw] != string(text) {
			t.Errorf("draw %d was answered %s and is stored as %s", d.Draw, answered[d.Draw], text)
		}
	}
	for n := uint64(1); n <= rotations; n++ {
		if servers[n+1].Seal == servers[n].Seal {
			t.Errorf("the seal of pair %d came again", n)
		}
	}
}

// every is a wish for each game that can be drawn, with parameters at both ends.
func every(site string) (all []pair.Wish) {
	for _, g := range game.All() {
		if _, err := pair.Playable(site, g.Name); err != nil || g.Site != site {
			continue
		}
		for _, variant := range g.Variants {
			if variant == game.LimboPage {
				continue
			}
			for _, last := range []bool{false, true} {
				w := pair.Wish{Game: g.Name, Variant: variant}
				for _, p := range g.Params {
					if p.Optional && !last {
						continue
					}
					a := pair.Param{Arg: game.Arg{Name: p.Name}, Bare: p.Type == game.TypeInteger || p.Type == game.TypeBoolean}
					switch p.Type {
					case game.TypeInteger:
						a.Value = fmt.Sprint(p.Min)
						if last {
							a.Value = fmt.Sprint(min(p.Max, p.Min+20))
						}
					case game.TypeBoolean:
						a.Value = fmt.Sprint(last)
					case game.TypeDecimal:
						a.Value = "12.5"
					case game.TypeChoice:
						a.Value = p.List[0]
						if last {
							a.Value = p.List[len(p.List)-1]
						}
					}
					w.Params = append(w.Params, a)
				}
				all = append(all, w)
			}
		}
	}
	return all
}

// What is exported is what "veridice audit" reads and proves, for every game.
func TestExportIsProven(t *testing.T) {
	store := memory.New()
	var out bytes.Buffer
	want := 0
	for _, site := range []string{"shuffle", "stake"} {
		u := &user{t: t, s: service(t, store), name: "u-" + site, site: site}
		u.create()
		u.client(1, `quotes " \ <b> & 🎲`)
		for n := range 2 {
			for _, w := range every(site) {
				u.draw(w)
				want++
			}
			for range 200 {
				u.draw(dice)
				want++
			}
			u.rotate(uint64(n+1), fmt.Sprint("next ", n))
		}
		u.draw(dice) // of the active pair: nothing to see yet
		if err := u.s.Export(t.Context(), "op", u.name, &out); err != nil {
			t.Fatal(err)
		}
	}
	read := func(text []byte) *audit.Report {
		return audit.Run([]audit.Input{{Name: "export", Open: func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(text)), nil }}}, audit.Options{})
	}
	r := read(out.Bytes())
	if want < 900 || int(r.Proven) != want || r.Broken != 0 || r.Unknown != 0 || int(r.Seals.Fit) != want {
		t.Errorf("of %d draws %d are proven, %d broken, %d unknown, %d seals fit: %+v", want, r.Proven, r.Broken, r.Unknown, r.Seals.Fit, r.Reasons)
	}
	// One announced seal of each user is yet to come.
	if s := r.Set; s.OtherBet != 0 || s.SameBet != 0 || s.PairsWithGap != 0 || s.TwoSeeds != 0 || s.AfterReveal != 0 || s.Pairs != 4 || s.NeverActive != 2 {
		t.Errorf("the set: %+v", s)
	}
	// One changed outcome is found.
	changed := bytes.Replace(out.Bytes(), []byte(`"want":{"roll":"`), []byte(`"want":{"roll":"1`), 1)
	if r := read(changed); r.Broken != 1 {
		t.Errorf("after a change %d are broken", r.Broken)
	}
}

// Neither the files of the store nor what is answered hold a server seed before its time.
func TestNoSeedAtRest(t *testing.T) {
	folder := t.TempDir()
	s, err := sqlite.Create(filepath.Join(folder, "veridice.db"))
	if err != nil {
		t.Fatal(err)
	}
	u := &user{t: t, s: service(t, s), name: "u"}
	var heard bytes.Buffer
	tell := func(v any) {
		b, _ := json.Marshal(v)
		heard.Write(b)
	}
	tell(u.create())
	tell(u.client(1, "c"))
	for range 5 {
		tell(u.draw(dice))
	}
	tell(u.history())
	files := func() []byte {
		var all []byte
		for _, end := range []string{"", "-wal"} {
			b, err := os.ReadFile(filepath.Join(folder, "veridice.db"+end))
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, b...)
		}
		return all
	}
	before := files()
	first := u.rotate(1, "d").Revealed.Server
	second := u.rotate(2, "e").Revealed.Server
	for _, server := range []string{first, second} {
		raw, err := hex.DecodeString(server)
		if err != nil {
			t.Fatal(err)
		}
		for _, form := range [][]byte{[]byte(server), raw, []byte(base64.StdEncoding.EncodeToString(raw)), []byte(base64.StdEncoding.EncodeToString([]byte(server)))} {
			if bytes.Contains(before, form) || bytes.Contains(heard.Bytes(), form) {
				t.Error("a server seed was there before the reveal")
			}
		}
	}
	if !bytes.Contains(files(), []byte(first)) {
		t.Error("the test does not find a seed that is there")
	}
	s.Close()
}

// A clock that is set back between a draw and the reveal, or that differs between two
// servers, makes no draw later than its reveal.
func TestClockSetBack(t *testing.T) {
	store, clock := memory.New(), new(setClock)
	vault, err := match.NewVault(bytes.Repeat([]byte{7}, match.KeySize))
	if err != nil {
		t.Fatal(err)
	}
	u := &user{t: t, s: pair.New(store, vault, clock, rand.Reader), name: "u"}
	noon := time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)
	clock.now = noon
	u.create()
	u.client(1, "c")
	u.draw(dice)
	clock.now = noon.Add(-time.Hour)
	u.draw(dice)
	r := u.rotate(1, "d").Revealed
	clock.now = noon.Add(time.Hour)
	late := u.draw(dice)
	clock.now = noon
	last := u.rotate(2, "e").Revealed
	if r.RevealedAt != "2026-01-02T12:00:00.000Z" || late.At != "2026-01-02T13:00:00.000Z" || last.RevealedAt != late.At || last.ActiveSince != r.RevealedAt {
		t.Errorf("revealed %s, drawn %s, revealed %s", r.RevealedAt, late.At, last.RevealedAt)
	}
	var out bytes.Buffer
	if err := u.s.Export(t.Context(), "op", "u", &out); err != nil {
		t.Fatal(err)
	}
	report := audit.Run([]audit.Input{{Name: "export", Open: func() (io.ReadCloser, error) { return io.NopCloser(&out), nil }}}, audit.Options{})
	if report.Proven != 3 || report.Set.AfterReveal != 0 {
		t.Errorf("%d draws are proven, %d made after their reveal", report.Proven, report.Set.AfterReveal)
	}
}

type setClock struct{ now time.Time }

func (c *setClock) Now() time.Time { return c.now }
