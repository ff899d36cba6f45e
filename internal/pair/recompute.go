package pair

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"veridice/game"
	"veridice/internal/ledger"
	"veridice/internal/match"
	"veridice/seed"
)

// A Sum counts what was recomputed.
type Sum struct{ Users, Revealed, Draws uint64 }

// A Fault is the first thing that is wrong with what is stored of pairs.
type Fault struct {
	Of   string // operator/user, or "" if it is of nobody in particular
	What string
}

func (f *Fault) Error() string {
	if f.Of == "" {
		return f.What
	}
	return "pairs of " + f.Of + ": " + f.What
}

// Recompute draws again all that was ever drawn, of revealed pairs from the shown server
// seed and of active ones from the encrypted one, and compares everything that is numbered
// or announced: draws, nonces, pairs, seals and the news of rotations. Nobody may write
// meanwhile. It ends at the first [*Fault]; another error says that it could not check.
func (s *Service) Recompute(ctx context.Context) (Sum, error) {
	c := &recompute{s: s, ctx: ctx, rotated: make(map[string]uint64)}
	for after := ""; ; {
		books, err := s.store.Books(ctx, Kind, after, 256)
		if err != nil {
			return c.Sum, err
		}
		for _, b := range books {
			if err := c.book(b); err != nil {
				return c.Sum, err
			}
			after = b.Name
		}
		if len(books) < 256 {
			return c.Sum, c.news()
		}
	}
}

type recompute struct {
	Sum
	s       *Service
	ctx     context.Context
	rotated map[string]uint64 // revealed pairs by book, of which no news was seen yet
}

// A life is a pair with all that is known of it.
type life struct {
	number uint64
	seal   seed.Seal
	server seed.Server
	client *string
	draws  uint64
}

// book goes through the pairs of one user.
func (c *recompute) book(b *ledger.Book) error {
	fault := func(format string, args ...any) error { return &Fault{b.Name, fmt.Sprintf(format, args...)} }
	st := new(state)
	if err := json.Unmarshal(b.State, st); err != nil {
		return fault("the state cannot be read")
	}
	var hidden [2]seed.Server
	for i, h := range []hiddenAs{{"active", st.Pair, st.Active}, {"next", st.Pair + 1, st.Next}} {
		var err error
		if hidden[i], err = c.s.show(b.Name, h.pair, h.hidden); errors.Is(err, match.ErrOtherKey) {
			return fmt.Errorf("pairs of %s: the %s seed: %w", b.Name, h.what, err)
		} else if err != nil {
			return fault("the %s seed is not the one of its seal", h.what)
		}
	}
	lives, err := c.revealed(b.Name, st)
	if err != nil {
		return err
	}
	lives = append(lives, life{st.Pair, st.Active.Seal, hidden[0], st.Client, st.Nonce}, life{number: st.Pair + 1, seal: st.Next.Seal})
	seals, draw := make(map[seed.Seal]uint64, len(lives)), uint64(0)
	for i, l := range lives {
		if other := seals[l.seal]; other != 0 {
			return fault("pair %d has the seed of pair %d", l.number, other)
		}
		seals[l.seal] = l.number
		if i+1 == len(lives) {
			break
		}
		if err := c.draws(b.Name, st.Site, l, lives[i+1].seal, draw); err != nil {
			return err
		}
		draw += l.draws
	}
	more, err := c.s.store.Lines(c.ctx, Kind, b.Name, draws, draw, 1)
	switch {
	case err != nil:
		return err
	case len(more) > 0:
		return fault("draw %d is there, and its pairs count %d", more[0].Number, draw)
	case st.Draws != draw:
		return fault("it counts %d draws, and its pairs %d", st.Draws, draw)
	case len(st.Open) > MaxOpen || !slices.IsSorted(st.Open) || len(slices.Compact(slices.Clone(st.Open))) != len(st.Open) ||
		len(st.Open) > 0 && (st.Open[0] == 0 || st.Open[len(st.Open)-1] > st.Nonce):
		return fault("open are the nonces %d, and the last one is %d", st.Open, st.Nonce)
	}
	if st.Pair > 1 {
		c.rotated[b.Name] = st.Pair - 1
	}
	c.Users++
	c.Draws += draw
	return nil
}

type hiddenAs struct {
	what string
	pair uint64
	hidden
}

// revealed reads the pairs that were rotated away.
func (c *recompute) revealed(name string, st *state) (lives []life, err error) {
	fault := func(format string, args ...any) error { return &Fault{name, fmt.Sprintf(format, args...)} }
	var last *string
	number, first := uint64(0), uint64(1)
	for {
		lines, err := c.s.store.Lines(c.ctx, Kind, name, revealed, number, batch)
		if err != nil {
			return nil, err
		}
		for _, line := range lines {
			number++
			var r Revealed
			if err := json.Unmarshal(line.Text, &r); err != nil {
				return nil, fault("pair %d cannot be read", line.Number)
			}
			if line.Number != number || r.Pair != number {
				return nil, fault("pair %d stands where pair %d should be", line.Number, number)
			}
			server, err := seed.NewServer([]byte(r.Server))
			if err == nil {
				_, err = seed.Open(r.Seal, server)
			}
			switch {
			case err != nil:
				return nil, fault("the seed of pair %d is not the one of its seal", number)
			case r.First != first:
				return nil, fault("pair %d begins with draw %d, which should be %d", number, r.First, first)
			case r.Client == nil && r.Draws > 0:
				return nil, fault("pair %d has draws and no client seed", number)
			}
			first, last = first+r.Draws, r.Client
			lives = append(lives, life{number, r.Seal, server, r.Client, r.Draws})
		}
		if len(lines) < batch {
			break
		}
	}
	switch {
	case number+1 != st.Pair:
		return nil, fault("pair %d is active, and %d are revealed", st.Pair, number)
	case (last == nil) != (st.Before == nil) || last != nil && *last != *st.Before:
		return nil, fault("the client seed of the pair before is not the one of pair %d", number)
	case st.Client == nil && st.Nonce > 0:
		return nil, fault("pair %d has draws and no client seed", st.Pair)
	}
	c.Revealed += number
	return lives, nil
}

// draws draws again what was drawn with one pair, the first of which comes after a draw.
func (c *recompute) draws(name, site string, l life, next seed.Seal, after uint64) error {
	fault := func(draw uint64, format string, args ...any) error {
		return &Fault{name, fmt.Sprintf("draw %d: ", draw) + fmt.Sprintf(format, args...)}
	}
	for nonce := uint64(0); nonce < l.draws; {
		lines, err := c.s.store.Lines(c.ctx, Kind, name, draws, after+nonce, int(min(batch, l.draws-nonce)))
		if err != nil {
			return err
		}
		if len(lines) == 0 {
			return fault(after+nonce+1, "it is missing")
		}
		for _, line := range lines {
			nonce++
			number := after + nonce
			if line.Number != number {
				return fault(number, "draw %d stands there", line.Number)
			}
			var d Draw
			if err := json.Unmarshal(line.Text, &d); err != nil {
				return fault(number, "it cannot be read")
			}
			if again, err := json.Marshal(d); err != nil || !bytes.Equal(again, line.Text) {
				return fault(number, "it is not as draws are written")
			}
			switch {
			case d.Draw != number || d.Pair != l.number || d.Nonce != nonce:
				return fault(number, "it says draw %d, pair %d, nonce %d, which should be %d, %d, %d", d.Draw, d.Pair, d.Nonce, number, l.number, nonce)
			case d.Seal != l.seal:
				return fault(number, "its seal is not the one of pair %d", l.number)
			case d.NextSeal != next:
				return fault(number, "the seal that it announces is not the one of pair %d", l.number+1)
			case d.Client != *l.client:
				return fault(number, "its client seed is not the one of pair %d", l.number)
			case d.Site != site:
				return fault(number, "it is of another site")
			}
			outcome, err := again(l.server, d)
			if err != nil {
				return fault(number, "it cannot be drawn: %v", err)
			}
			if !bytes.Equal(outcome, d.Outcome) {
				return fault(number, "its outcome does not follow from the seeds")
			}
		}
	}
	return nil
}

// again draws what a draw says.
func again(server seed.Server, d Draw) (json.RawMessage, error) {
	g, err := Playable(d.Site, d.Game)
	if err != nil {
		return nil, err
	}
	p := game.Params{Variant: d.Variant}
	text := json.NewDecoder(bytes.NewReader(d.Params))
	text.UseNumber()
	for {
		token, err := text.Token()
		if err != nil {
			break // the end: that it is an object, json.Marshal has seen
		}
		name, ok := token.(string)
		if !ok {
			continue // a brace
		}
		value, err := text.Token()
		if err != nil {
			return nil, err
		}
		p.Args = append(p.Args, game.Arg{Name: name, Value: fmt.Sprint(value)})
	}
	outcome, err := play(server, d.Client, d.Nonce, g, p)
	if err != nil {
		return nil, err
	}
	return json.Marshal(outcome) // as it stands in a line
}

// news holds the news of rotations to the pairs.
func (c *recompute) news() error {
	seen, number := make(map[string]uint64, len(c.rotated)), uint64(0)
	for {
		news, err := c.s.store.News(c.ctx, number, batch)
		if err != nil {
			return err
		}
		for _, n := range news {
			if number++; n.Number != number {
				return &Fault{What: fmt.Sprintf("news %d stands where news %d should be", n.Number, number)}
			}
			var r Rotation
			if err := json.Unmarshal(n.Text, &r); err != nil {
				return &Fault{What: fmt.Sprintf("news %d cannot be read", number)}
			}
			if r.Type != "pair.rotated" {
				continue
			}
			name := r.Operator + "/" + r.User
			if seen[name]++; r.Revealed.Pair != seen[name] {
				return &Fault{name, fmt.Sprintf("news %d tells of the reveal of pair %d, which should be %d", number, r.Revealed.Pair, seen[name])}
			}
			if err := c.rotation(name, number, &r); err != nil {
				return err
			}
		}
		if len(news) < batch {
			break
		}
	}
	for name, pairs := range c.rotated {
		if seen[name] != pairs {
			return &Fault{name, fmt.Sprintf("%d pairs are revealed, and the news tell of %d", pairs, seen[name])}
		}
	}
	return nil
}

// rotation compares what was told of a rotation with the pairs.
func (c *recompute) rotation(name string, number uint64, r *Rotation) error {
	lines, err := c.s.store.Lines(c.ctx, Kind, name, revealed, r.Revealed.Pair-1, 3)
	if err != nil {
		return err
	}
	text, err := json.Marshal(r.Revealed)
	if err != nil {
		return err
	}
	if len(lines) == 0 || !bytes.Equal(lines[0].Text, text) {
		return &Fault{name, fmt.Sprintf("news %d tells otherwise of pair %d", number, r.Revealed.Pair)}
	}
	next, want := r.Revealed.Pair+2, seed.Seal{}
	if len(lines) == 3 {
		var later Revealed
		if err := json.Unmarshal(lines[2].Text, &later); err != nil {
			return err
		}
		want = later.Seal
	} else {
		operator, user, _ := strings.Cut(name, "/")
		st, err := c.s.read(c.ctx, operator, user)
		if err != nil {
			return err
		}
		if want = st.Next.Seal; next == st.Pair {
			want = st.Active.Seal
		}
	}
	if r.NextSeal.Pair != next || r.NextSeal.Seal != want {
		return &Fault{name, fmt.Sprintf("the seal that news %d announces is not the one of pair %d", number, next)}
	}
	return nil
}

// EachRevealed calls f with every pair that was revealed, of all users.
func (s *Service) EachRevealed(ctx context.Context, f func(operator, user string, r Revealed) error) error {
	for after := ""; ; {
		books, err := s.store.Books(ctx, Kind, after, 256)
		if err != nil {
			return err
		}
		for _, b := range books {
			after = b.Name
			operator, user, _ := strings.Cut(b.Name, "/")
			if err := s.eachRevealed(ctx, b.Name, func(r Revealed) error { return f(operator, user, r) }); err != nil {
				return err
			}
		}
		if len(books) < 256 {
			return nil
		}
	}
}

func (s *Service) eachRevealed(ctx context.Context, name string, f func(Revealed) error) error {
	for after := uint64(0); ; {
		lines, err := s.store.Lines(ctx, Kind, name, revealed, after, batch)
		if err != nil {
			return err
		}
		for _, l := range lines {
			var r Revealed
			if err := json.Unmarshal(l.Text, &r); err != nil {
				return errors.New("pair: a stored pair cannot be read")
			}
			if err := f(r); err != nil {
				return err
			}
			after = l.Number
		}
		if len(lines) < batch {
			return nil
		}
	}
}
