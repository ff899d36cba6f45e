package server

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"time"

	"veridice/game"
	"veridice/internal/apikey"
	"veridice/internal/pair"
)

// pairRoutes lists what operators do with seed pairs.
func (s *Server) pairRoutes() []route {
	read, write := apikey.PairsRead, apikey.Pairs
	return []route{
		{"GET", "/v1/games", s.games},
		{"POST", "/v1/pairs", s.keyed(write, s.createPair)},
		{"GET", "/v1/pairs", s.keyed(read, s.listPairs)},
		{"GET", "/v1/pairs/{user}", s.keyed(read, s.showPair)},
		{"POST", "/v1/pairs/{user}/client", s.keyed(write, s.setClient)},
		{"POST", "/v1/pairs/{user}/draws", s.keyed(write, s.drawOutcome)},
		{"GET", "/v1/pairs/{user}/draws", s.keyed(read, s.listNumbered("draws", s.pairs.Draws))},
		{"POST", "/v1/pairs/{user}/close", s.keyed(write, s.closeDraw)},
		{"POST", "/v1/pairs/{user}/rotate", s.keyed(write, s.rotate)},
		{"GET", "/v1/pairs/{user}/revealed", s.keyed(read, s.listNumbered("revealed", s.pairs.Pairs))},
		{"GET", "/v1/pairs/{user}/export", s.keyed(read, s.exportDraws)},
	}
}

// A gameView says how a game is drawn.
type gameView struct {
	Site     string      `json:"site"`
	Game     string      `json:"game"`
	Variants []string    `json:"variants"` // the first is taken if none is named
	Params   []paramView `json:"params"`
	Grade    string      `json:"grade"`
}

type paramView struct {
	Name     string    `json:"name"`
	Type     game.Type `json:"type"`
	Min      *uint64   `json:"min,omitempty"`
	Max      *uint64   `json:"max,omitempty"`
	Choices  []string  `json:"choices,omitempty"`
	Optional bool      `json:"optional"`
}

// games lists what can be drawn.
func (s *Server) games(w http.ResponseWriter, r *http.Request) error {
	views := []gameView{}
	for _, g := range game.All() {
		if _, err := pair.Playable(g.Site, g.Name); err != nil {
			continue
		}
		v := gameView{Site: g.Site, Game: g.Name, Params: []paramView{}, Grade: g.Grade.String()}
		for _, name := range g.Variants {
			if name != game.LimboPage {
				v.Variants = append(v.Variants, name)
			}
		}
		for _, p := range g.Params {
			q := paramView{Name: p.Name, Type: p.Type, Choices: p.List, Optional: p.Optional}
			if p.Type == game.TypeInteger {
				q.Min, q.Max = &p.Min, &p.Max
			}
			v.Params = append(v.Params, q)
		}
		views = append(views, v)
	}
	return sendJSON(w, http.StatusOK, map[string]any{"games": views})
}

func sendJSON(w http.ResponseWriter, status int, v any) error {
	body, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return send(w, status, body)
}

// pairCall reads what every request has that changes a user's pairs.
func (s *Server) pairCall(w http.ResponseWriter, r *http.Request, k apikey.Key, fields ...field) (c pair.Call, err error) {
	c = pair.Call{Operator: k.Operator, User: r.PathValue("user")}
	if c.Key, err = key(r); err != nil {
		return c, err
	}
	c.Body, err = s.body(w, r, fields...)
	return c, err
}

func (s *Server) createPair(w http.ResponseWriter, r *http.Request, k apikey.Key) error {
	var user string
	site := "shuffle"
	c, err := s.pairCall(w, r, k, field{name: "user", to: &user}, field{name: "site", to: &site, optional: true})
	if err != nil {
		return err
	}
	c.User = user
	answer, err := s.pairs.Create(r.Context(), c, site)
	if err != nil {
		return err
	}
	return send(w, http.StatusCreated, answer)
}

func (s *Server) listPairs(w http.ResponseWriter, r *http.Request, k apikey.Key) error {
	after, limit, err := cursorOf(r, 100, 1000)
	if err != nil {
		return err
	}
	views, err := s.pairs.Users(r.Context(), k.Operator, after, limit)
	if err != nil {
		return err
	}
	next := ""
	if len(views) == limit {
		next = views[limit-1].User
	}
	return sendJSON(w, http.StatusOK, pageOf("pairs", views, next))
}

// pageOf is a page of a list; without "next" it is the last.
func pageOf(name string, items any, next string) map[string]any {
	m := map[string]any{name: items}
	if next != "" {
		m["next"] = next
	}
	return m
}

func (s *Server) showPair(w http.ResponseWriter, r *http.Request, k apikey.Key) error {
	view, err := s.pairs.Get(r.Context(), k.Operator, r.PathValue("user"))
	if err != nil {
		return err
	}
	return sendJSON(w, http.StatusOK, view)
}

func (s *Server) setClient(w http.ResponseWriter, r *http.Request, k apikey.Key) error {
	var n uint64
	var client string
	c, err := s.pairCall(w, r, k, field{name: "pair", to: &n}, field{name: "client", to: &client})
	if err != nil {
		return err
	}
	answer, err := s.pairs.SetClient(r.Context(), c, n, client)
	return done(w, answer, err)
}

func (s *Server) drawOutcome(w http.ResponseWriter, r *http.Request, k apikey.Key) error {
	var wish pair.Wish
	c, err := s.pairCall(w, r, k, field{name: "game", to: &wish.Game}, field{name: "variant", to: &wish.Variant, optional: true},
		field{name: "params", to: &wish.Params, optional: true}, field{name: "pair", to: &wish.Pair, optional: true},
		field{name: "open", to: &wish.Open, optional: true})
	if err != nil {
		return err
	}
	answer, err := s.pairs.Draw(r.Context(), c, wish)
	if err == nil {
		s.counted.draws.Add(1)
	}
	return done(w, answer, err)
}

// listNumbered answers with a list of a user's that is numbered without gaps.
func (s *Server) listNumbered(name string, read func(ctx context.Context, operator, user string, after uint64, limit int) ([]json.RawMessage, error)) operatorCall {
	return func(w http.ResponseWriter, r *http.Request, k apikey.Key) error {
		after, limit, err := numbered(r, 100, 1000)
		if err != nil {
			return err
		}
		list, err := read(r.Context(), k.Operator, r.PathValue("user"), after, limit)
		if err != nil {
			return err
		}
		next := ""
		if len(list) == limit {
			next = strconv.FormatUint(after+uint64(limit), 10)
		}
		return sendJSON(w, http.StatusOK, pageOf(name, list, next))
	}
}

func (s *Server) closeDraw(w http.ResponseWriter, r *http.Request, k apikey.Key) error {
	var n, nonce uint64
	c, err := s.pairCall(w, r, k, field{name: "pair", to: &n}, field{name: "nonce", to: &nonce})
	if err != nil {
		return err
	}
	answer, err := s.pairs.Close(r.Context(), c, n, nonce)
	return done(w, answer, err)
}

func (s *Server) rotate(w http.ResponseWriter, r *http.Request, k apikey.Key) error {
	var n uint64
	var client string
	c, err := s.pairCall(w, r, k, field{name: "pair", to: &n}, field{name: "client", to: &client})
	if err != nil {
		return err
	}
	answer, err := s.pairs.Rotate(r.Context(), c, n, client)
	if err == nil && s.hooks != nil {
		s.hooks.Wake()
	}
	return done(w, answer, err)
}

// exportDraws streams the draws of all revealed pairs. An export that breaks off ends
// without the end of the answer, so that nobody takes it for whole.
func (s *Server) exportDraws(w http.ResponseWriter, r *http.Request, k apikey.Key) error {
	user := r.PathValue("user")
	if _, err := s.pairs.Get(r.Context(), k.Operator, user); err != nil {
		return err
	}
	h := w.Header()
	h.Set("Content-Type", "application/x-ndjson")
	h.Set("Cache-Control", "no-store")
	if r.Method == http.MethodHead {
		return nil
	}
	out := bufio.NewWriterSize(&patient{w, http.NewResponseController(w), s.limits.flush}, 64<<10)
	err := s.pairs.Export(r.Context(), k.Operator, user, out)
	if err = errors.Join(err, out.Flush()); err != nil {
		s.failed(r, "export failed", err)
		panic(http.ErrAbortHandler)
	}
	return nil
}

// A patient writer gives a reader time for each piece, not for the whole.
type patient struct {
	w     http.ResponseWriter
	out   *http.ResponseController
	flush time.Duration
}

func (p *patient) Write(b []byte) (int, error) {
	// What has no deadline to move, such as a recorder in a test, goes on without.
	if err := p.out.SetWriteDeadline(time.Now().Add(p.flush)); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return 0, err
	}
	return p.w.Write(b)
}
