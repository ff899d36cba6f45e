package keyring

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"errors"
	"log/slog"
	"maps"
	"testing"

	"veridice/internal/hook"
	"veridice/internal/match"
	"veridice/internal/pair"
	"veridice/internal/store/memory"
	"veridice/scheme"
	"veridice/seed"
)

func vault(t *testing.T, keys ...byte) *match.Vault {
	t.Helper()
	var all [][]byte
	for _, k := range keys {
		all = append(all, bytes.Repeat([]byte{k}, match.KeySize))
	}
	return ok[*match.Vault](t)(match.NewVault(all...))
}

// A tired source gives a few numbers and then none.
type tired int

func (n *tired) Read(p []byte) (int, error) {
	if *n--; *n < 0 {
		return 0, errors.New("no more")
	}
	return rand.Read(p)
}

// A world has one of everything that is encrypted.
type world struct {
	t     *testing.T
	store *memory.Store
	ids   []string
	seals map[string]string // of a user's pairs
}

func (w *world) matches(v *match.Vault) *match.Service {
	return match.New(w.store, v, match.System{}, rand.Reader)
}

func (w *world) pairs(v *match.Vault) *pair.Service {
	return pair.New(w.store, v, match.System{}, rand.Reader)
}

func (w *world) hooks(v *match.Vault) *hook.Service {
	return ok[*hook.Service](w.t)(hook.New(hook.Options{
		Ledger: w.store, Matches: w.store, Vault: v, Clock: match.System{}, Entropy: rand.Reader, Logger: slog.New(slog.DiscardHandler), Private: true,
	}))
}

// ask opens the tables, or asks again for what was answered; so do the others.
func (w *world) ask(v *match.Vault) (answers []string) {
	w.t.Helper()
	ctx := w.t.Context()
	for _, table := range []match.Table{{Scheme: scheme.Tavli1, Seats: 2}, {Scheme: scheme.Veridice1, Seats: 2, Kind: "2d6"}} {
		answers = append(answers, string(ok[[]byte](w.t)(w.matches(v).Create(ctx, "home", table.Scheme, nil, table))))
	}
	log := ok[[32]byte](w.t)(w.matches(v).LogKeySecret(ctx))
	answers = append(answers, seed.Hex(log[:]))
	for _, op := range []string{"a", "b"} {
		answers = append(answers, string(ok[[]byte](w.t)(w.hooks(v).Create(ctx, hook.Call{Operator: op, Key: "key"}, "http://localhost/"))))
	}
	return answers
}

func newWorld(t *testing.T, v *match.Vault) (*world, []string) {
	w := &world{t: t, store: memory.New(), seals: map[string]string{}}
	ok[[]byte](t)(w.store.Once(t.Context(), "log name", []byte("dice.example/log: more than thirty-two bytes"))) // is not encrypted
	answers := w.ask(v)
	w.ids = ok[[]string](t)(w.store.Matches(t.Context(), "", 10))
	for _, user := range []string{"u1", "u2"} {
		ok[[]byte](t)(w.pairs(v).Create(t.Context(), pair.Call{Operator: "a", User: user, Key: "1"}, "shuffle"))
		body := ok[[]byte](t)(w.pairs(v).SetClient(t.Context(), pair.Call{Operator: "a", User: user, Key: "2"}, 1, "c"))
		var view pair.View
		if err := json.Unmarshal(body, &view); err != nil {
			t.Fatal(err)
		}
		w.seals[user] = seed.Hex(view.Seal[:])
	}
	return w, answers
}

var all = Use{"server seed": 1, "last link": 1, "answer": 2, "key": 1, "pair seed": 4, "webhook secret": 2, "webhook answer": 2}

const total = 13

func (w *world) counts(want map[match.KeyName]Use) {
	w.t.Helper()
	got := ok[map[match.KeyName]Use](w.t)(Count(w.t.Context(), w.store, w.store))
	if !maps.EqualFunc(got, want, maps.Equal[Use, Use]) {
		w.t.Errorf("got %v, want %v", got, want)
	}
}

func TestRewrap(t *testing.T) {
	old, both, fresh := vault(t, 1), vault(t, 2, 1), vault(t, 2)
	w, answers := newWorld(t, old)
	w.counts(map[match.KeyName]Use{old.Keys()[0]: all})

	// A key that is not there leaves everything as it is.
	if n, err := Rewrap(t.Context(), w.store, w.store, fresh, rand.Reader); n != 0 || err != nil {
		t.Errorf("without the old key: got %d, %v", n, err)
	}
	w.counts(map[match.KeyName]Use{old.Keys()[0]: all})

	// It goes on where it ended.
	replaced, times := 0, 0
	for numbers := 1; ; times++ {
		source := tired(numbers)
		n, err := Rewrap(t.Context(), w.store, w.store, both, &source)
		replaced += n
		if err == nil {
			break
		}
		if n == 0 {
			numbers++
		}
		if times > 3*total {
			t.Fatal("it does not come to an end")
		}
	}
	if replaced != total || times == 0 {
		t.Errorf("%d were rewrapped after %d failures, want %d", replaced, times, total)
	}
	w.counts(map[match.KeyName]Use{fresh.Keys()[0]: all})
	if n, err := Rewrap(t.Context(), w.store, w.store, both, rand.Reader); n != 0 || err != nil {
		t.Errorf("once more: got %d, %v", n, err)
	}

	// The old key opens nothing, and the new one everything.
	for _, c := range []struct {
		v    *match.Vault
		want int
	}{{old, 0}, {fresh, total}} {
		opened := 0
		ok[int](t)(walk(t.Context(), w.store, w.store, func(purpose, id string, sealed []byte) ([]byte, error) {
			if _, err := c.v.Open(purpose, id, sealed); err == nil {
				opened++
			}
			return nil, nil
		}))
		if opened != c.want {
			t.Errorf("%v opens %d, want %d", c.v.Keys(), opened, c.want)
		}
	}
	for i, again := range w.ask(fresh) {
		if again != answers[i] {
			t.Errorf("answered %s, before %s", again, answers[i])
		}
	}
	for _, id := range w.ids {
		m := ok[*match.Match](t)(w.store.Match(t.Context(), id))
		if err := w.matches(fresh).Recompute(m, nil); err != nil {
			t.Errorf("%s: %v", m.Scheme, err)
		}
		if err := w.matches(old).Recompute(m, nil); !errors.Is(err, match.ErrOtherKey) {
			t.Errorf("%s with the old key: %v", m.Scheme, err)
		}
	}
	for user, seal := range w.seals {
		ok[[]byte](t)(w.pairs(fresh).Draw(t.Context(), pair.Call{Operator: "a", User: user, Key: "3"}, pair.Wish{Game: "dice"}))
		var r pair.Rotated
		if err := json.Unmarshal(ok[[]byte](t)(w.pairs(fresh).Rotate(t.Context(), pair.Call{Operator: "a", User: user, Key: "4"}, 1, "d")), &r); err != nil {
			t.Fatal(err)
		}
		if seed.Hex(r.Revealed.Seal[:]) != seal {
			t.Errorf("revealed %v, want %s", r.Revealed, seal)
		}
	}
}

// A pair is rotated, and an address added, between the look and the change.
func TestRewrapMeetsOthers(t *testing.T) {
	old, both := vault(t, 1), vault(t, 2, 1)
	w, _ := newWorld(t, old)
	rotated := false
	n, err := pair.Secrets(t.Context(), w.store, func(purpose, id string, sealed []byte) ([]byte, error) {
		if id == "a/u1 2" && !rotated {
			rotated = true
			ok[[]byte](t)(w.pairs(old).Rotate(t.Context(), pair.Call{Operator: "a", User: "u1", Key: "3"}, 1, "d"))
		}
		return both.Rewrap(rand.Reader, purpose, id, sealed)
	})
	if n != 3 || err != nil || !rotated {
		t.Errorf("rewrapped %d, %v, want 3", n, err)
	}
	added := false
	n, err = hook.Secrets(t.Context(), w.store, func(purpose, id string, sealed []byte) ([]byte, error) {
		if !added {
			added = true
			ok[[]byte](t)(w.hooks(old).Create(t.Context(), hook.Call{Operator: "a", Key: "key-2"}, "http://localhost/2"))
		}
		return both.Rewrap(rand.Reader, purpose, id, sealed)
	})
	if n != 5 || err != nil { // the answer of the new one too
		t.Errorf("rewrapped %d, %v, want 5", n, err)
	}
	w.counts(map[match.KeyName]Use{
		both.Keys()[0]: {"pair seed": 3, "webhook secret": 2, "webhook answer": 3},
		old.Keys()[0]:  {"server seed": 1, "last link": 1, "answer": 2, "key": 1, "pair seed": 1, "webhook secret": 1},
	})
	for i, u := range []string{"u1", "u2"} { // they draw on, with what each of them has now
		call := pair.Call{Operator: "a", User: u, Key: "9"}
		if _, err := w.pairs(both).Draw(t.Context(), call, pair.Wish{Game: "dice", Pair: uint64(2 - i)}); err != nil {
			t.Errorf("%s: %v", u, err)
		}
	}
	if got := ok[[]hook.View](t)(w.hooks(both).List(t.Context(), "a")); len(got) != 2 {
		t.Errorf("the addresses are %v", got)
	}
}

func TestCountRefusesWhatIsNoSecret(t *testing.T) {
	w, _ := newWorld(t, vault(t, 1))
	list := ok[[]match.Secret](t)(w.store.Secrets(t.Context(), match.OfCreations, "", 1))
	list[0].New = []byte("short")
	ok[int](t)(w.store.Reseal(t.Context(), match.OfCreations, list))
	if _, err := Count(t.Context(), w.store, w.store); err == nil {
		t.Error("a secret of five bytes is counted")
	}
}
