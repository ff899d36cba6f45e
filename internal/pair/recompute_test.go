package pair_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"veridice/internal/ledger"
	"veridice/internal/match"
	"veridice/internal/pair"
	"veridice/internal/store/memory"
	"veridice/seed"
)

// A tampered store shows other texts than the ones that were written.
type tampered struct {
	ledger.Store
	state, news func(string) string               // nil to leave them
	line        func(shelf, text string) []string // instead of a line: none, it, or others
}

func (s *tampered) Books(ctx context.Context, kind, after string, limit int) ([]*ledger.Book, error) {
	books, err := s.Store.Books(ctx, kind, after, limit)
	for _, b := range books {
		if s.state != nil {
			b.State = []byte(s.state(string(b.State)))
		}
	}
	return books, err
}

func (s *tampered) Lines(ctx context.Context, kind, name, shelf string, after uint64, limit int) (shown []ledger.Line, err error) {
	lines, err := s.Store.Lines(ctx, kind, name, shelf, after, limit)
	if s.line == nil {
		return lines, err
	}
	for _, l := range lines {
		for _, text := range s.line(shelf, string(l.Text)) {
			shown = append(shown, ledger.Line{Shelf: shelf, Number: l.Number, Text: []byte(text)})
		}
	}
	return shown, err
}

func (s *tampered) News(ctx context.Context, after uint64, limit int) ([]ledger.News, error) {
	news, err := s.Store.News(ctx, after, limit)
	for i := range news {
		if s.news != nil {
			news[i].Text = []byte(s.news(string(news[i].Text)))
		}
	}
	return news, err
}

// edit alters what is on one line of a shelf: the one whose number is wanted.
func edit[T any](shelf string, which func(*T) bool, change func(*T)) *tampered {
	return &tampered{line: func(s, text string) []string {
		v := new(T)
		if s != shelf || json.Unmarshal([]byte(text), v) != nil || !which(v) {
			return []string{text}
		}
		change(v)
		b, _ := json.Marshal(v)
		return []string{string(b)}
	}}
}

func drop(shelf string, number int) *tampered {
	start := fmt.Sprintf(`{"%s":%d,`, map[string]string{"draw": "draw", "revealed": "pair"}[shelf], number)
	return &tampered{line: func(s, text string) []string {
		if s == shelf && strings.HasPrefix(text, start) {
			return nil
		}
		return []string{text}
	}}
}

func inState(pattern, to string) *tampered {
	return &tampered{state: func(text string) string { return regexp.MustCompile(pattern).ReplaceAllString(text, to) }}
}

func TestRecompute(t *testing.T) {
	store := memory.New()
	u := &user{t: t, s: service(t, store), name: "u"}
	u.create()
	u.client(1, `quotes " \ <b> & 🎲`)
	for _, w := range every("shuffle") { // draws of pair 1
		u.draw(w)
	}
	first := uint64(len(every("shuffle")))
	u.rotate(1, "two") // nobody draws with pair 2
	u.rotate(2, "three")
	for range 3 { // pair 3
		u.draw(dice)
	}
	u.rotate(3, "four")
	for range 3 { // pair 4, which is active
		u.draw(dice)
	}
	other := &user{t: t, s: u.s, name: "v", site: "stake"}
	other.create() // and has not drawn
	want := pair.Sum{Users: 2, Revealed: 3, Draws: first + 6}
	if sum, err := u.s.Recompute(t.Context()); err != nil || sum != want {
		t.Fatalf("got %+v, %v, want %+v", sum, err, want)
	}

	draw := func(number uint64, change func(*pair.Draw)) *tampered {
		return edit("draw", func(d *pair.Draw) bool { return d.Draw == number }, change)
	}
	life := func(number uint64, change func(*pair.Revealed)) *tampered {
		return edit("revealed", func(r *pair.Revealed) bool { return r.Pair == number }, change)
	}
	told := func(change func(*pair.Rotation)) *tampered {
		return &tampered{news: func(text string) string {
			var r pair.Rotation
			if json.Unmarshal([]byte(text), &r) != nil || r.Revealed.Pair != 2 {
				return text
			}
			change(&r)
			b, _ := json.Marshal(r)
			return string(b)
		}}
	}
	for name, c := range map[string]struct {
		store *tampered
		want  string
	}{
		"outcome":            {draw(first+2, func(d *pair.Draw) { d.Outcome = json.RawMessage(`{"roll":"0.00"}`) }), "does not follow from the seeds"},
		"outcome, active":    {draw(first+5, func(d *pair.Draw) { d.Outcome = json.RawMessage(`{"roll":"0.00"}`) }), "does not follow from the seeds"},
		"parameters":         {draw(1, func(d *pair.Draw) { d.Params = json.RawMessage(`{"x":1}`) }), "draw 1: it cannot be drawn"},
		"game":               {draw(first+1, func(d *pair.Draw) { d.Game, d.Variant = "limbo", "" }), fmt.Sprintf("draw %d: its outcome does not follow", first+1)},
		"site":               {draw(first+1, func(d *pair.Draw) { d.Site = "stake" }), "it is of another site"},
		"client seed":        {draw(first+1, func(d *pair.Draw) { d.Client = "x" }), "its client seed is not the one of pair 3"},
		"nonce":              {draw(first+2, func(d *pair.Draw) { d.Nonce++ }), fmt.Sprintf("says draw %d, pair 3, nonce 3, which should be %[1]d, 3, 2", first+2)},
		"another pair":       {draw(first+2, func(d *pair.Draw) { d.Pair++ }), "pair 4, nonce 2"},
		"seal":               {draw(first+2, func(d *pair.Draw) { d.Seal = seed.Seal{} }), "its seal is not the one of pair 3"},
		"announced":          {draw(first+2, func(d *pair.Draw) { d.NextSeal = seed.Seal{} }), "announces is not the one of pair 4"},
		"announced, active":  {draw(first+5, func(d *pair.Draw) { d.NextSeal = seed.Seal{} }), "announces is not the one of pair 5"},
		"a gap":              {drop("draw", int(first)+2), fmt.Sprintf("draw %d: draw %d stands there", first+2, first+3)},
		"the last is gone":   {drop("draw", int(first)+6), fmt.Sprintf("draw %d: it is missing", first+6)},
		"other text":         {&tampered{line: func(_, text string) []string { return []string{text + " "} }}, "not as draws are written"},
		"server seed":        {life(1, func(r *pair.Revealed) { r.Server = strings.Repeat("ab", 32) }), "the seed of pair 1 is not the one of its seal"},
		"a pair is gone":     {drop("revealed", 2), "pair 3 stands where pair 2 should be"},
		"last pair is gone":  {drop("revealed", 3), "pair 4 is active, and 2 are revealed"},
		"first draw":         {life(3, func(r *pair.Revealed) { r.First++ }), "pair 3 begins with draw"},
		"one draw less":      {life(1, func(r *pair.Revealed) { r.Draws-- }), "pair 2 begins with draw"},
		"a client seed less": {life(3, func(r *pair.Revealed) { r.Client = nil }), "pair 3 has draws and no client seed"},
		"client seed before": {inState(`"before":"three"`, `"before":"x"`), "the client seed of the pair before is not the one of pair 3"},
		"counts less":        {inState(`"nonce":3`, `"nonce":2`), fmt.Sprintf("draw %d is there, and its pairs count %d", first+6, first+5)},
		"counts more":        {inState(`"nonce":3`, `"nonce":4`), fmt.Sprintf("draw %d: it is missing", first+7)},
		"counts otherwise":   {inState(`"draws":\d+`, `"draws":7`), "it counts 7 draws"},
		"open":               {inState(`"open":null`, `"open":[4]`), "open are the nonces [4], and the last one is"},
		"active seal":        {inState(`"active":{"seal":"......`, `"active":{"seal":"000000`), "the active seed is not the one of its seal"},
		"next seal":          {inState(`"next":{"seal":"......`, `"next":{"seal":"000000`), "the next seed is not the one of its seal"},
		"unreadable":         {inState(`^`, `x`), "the state cannot be read"},
		"news of a reveal":   {told(func(r *pair.Rotation) { r.Revealed.RevealedAt = "" }), "tells otherwise of pair 2"},
		"news of a seal":     {told(func(r *pair.Rotation) { r.NextSeal.Seal = seed.Seal{} }), "announces is not the one of pair 4"},
		"news twice":         {told(func(r *pair.Rotation) { r.Revealed.Pair = 1 }), "tells of the reveal of pair 1, which should be 2"},
		"news of another":    {told(func(r *pair.Rotation) { r.Type = "x" }), "tells of the reveal of pair 3, which should be 2"},
	} {
		c.store.Store = store
		_, err := service(t, c.store).Recompute(t.Context())
		var fault *pair.Fault
		if !errors.As(err, &fault) || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "pairs of op/u: ") {
			t.Errorf("%s: got %v, want %q", name, err, c.want)
		}
	}
	// With another key nothing is known to be wrong.
	vault, err := match.NewVault(make([]byte, match.KeySize))
	if err != nil {
		t.Fatal(err)
	}
	var fault *pair.Fault
	if _, err := pair.New(store, vault, match.System{}, nil).Recompute(t.Context()); !errors.Is(err, match.ErrOtherKey) || errors.As(err, &fault) {
		t.Errorf("with another key: got %v", err)
	}
}
