package server

import (
	"context"
	"encoding/json"
	"io"
	"mime"
	"net/http"
	"strings"

	"veridice/internal/apikey"
	"veridice/internal/match"
	"veridice/internal/operator"
	"veridice/scheme"
	"veridice/seed"
)

func send(w http.ResponseWriter, status int, body []byte) error {
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	w.Write(body) // an error is the reader's going away
	return nil
}

// health says whether the store can be read.
func (s *Server) health(w http.ResponseWriter, r *http.Request) error {
	if err := s.match.Ping(r.Context()); err != nil {
		return err
	}
	return send(w, http.StatusOK, []byte(`{"status":"ok"}`+"\n"))
}

// body reads a request's body within the limit. It must be JSON, which no form of
// another site's page can send; a request without fields may have none.
func (s *Server) body(w http.ResponseWriter, r *http.Request, fields ...field) ([]byte, error) {
	b, err := io.ReadAll(http.MaxBytesReader(w, r.Body, s.limits.body))
	if err != nil {
		if problemOf(err).status == http.StatusInternalServerError {
			return nil, &problem{status: 400, code: "bad-json", args: args{"position": len(b) + 1}} // cut off
		}
		return nil, err
	}
	if len(b) == 0 && len(fields) == 0 {
		return b, nil
	}
	if kind, params, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" ||
		params["charset"] != "" && !strings.EqualFold(params["charset"], "utf-8") {
		return nil, &problem{status: http.StatusUnsupportedMediaType, code: "not-json"}
	}
	return b, decode(b, fields...)
}

// key reads the Idempotency-Key, which every request that changes something has.
func key(r *http.Request) (string, error) {
	keys := r.Header.Values("Idempotency-Key")
	if len(keys) == 0 {
		return "", &problem{status: 400, code: "no-key"}
	}
	if len(keys) > 1 || len(keys[0]) < 1 || len(keys[0]) > 64 {
		return "", &problem{status: 400, code: "bad-key"}
	}
	for _, c := range keys[0] {
		if !seed.InClient(c) { // the same alphabet
			return "", &problem{status: 400, code: "bad-key"}
		}
	}
	return keys[0], nil
}

// call reads what every request of a seat has.
func (s *Server) call(w http.ResponseWriter, r *http.Request, fields ...field) (match.Call, error) {
	c := match.Call{Match: r.PathValue("match")}
	var err error
	if c.Key, err = key(r); err != nil {
		return c, err
	}
	c.Token = bearer(r)
	c.Body, err = s.body(w, r, fields...)
	return c, err
}

func (s *Server) create(w http.ResponseWriter, r *http.Request) error {
	k, err := key(r)
	if err != nil {
		return err
	}
	t := match.Table{}
	var seats, wait, links uint64
	var metadata string
	body, err := s.body(w, r, field{name: "scheme", to: &t.Scheme}, field{name: "seats", to: &seats},
		field{name: "dice", to: &t.Kind, optional: true}, field{name: "turn", to: &t.Turn, optional: true},
		field{name: "wait", to: &wait, optional: true}, field{name: "links", to: &links, optional: true},
		field{name: "metadata", to: &metadata, optional: true})
	if err != nil {
		return err
	}
	// What is too large for an int is too large for a table.
	t.Seats, t.Wait, t.Links = int(min(seats, 1<<30)), int(min(wait, 1<<30)), int(min(links, 1<<30))
	from, own := s.address(r), apikey.Key{}
	if s.keys != nil && bearer(r) != "" {
		// With a key the match is the operator's, wherever the request comes from.
		if own, err = s.operator(w, r, apikey.Matches); err != nil {
			return err
		}
		from = "operator " + own.Operator
	} else if metadata != "" {
		w.Header().Set("WWW-Authenticate", "Bearer")
		return &problem{status: http.StatusUnauthorized, code: "bad-api-key"}
	} else if err := s.mayOpen(r); err != nil {
		return err
	}
	if len(metadata) > operator.MaxMetadata {
		return &problem{status: 400, code: "bad-metadata", field: "metadata"}
	}
	answer, err := s.match.Create(r.Context(), from, k, body, t)
	if err != nil {
		return err
	}
	if own.Operator != "" {
		var made match.CreatedAnswer
		if err := json.Unmarshal(answer, &made); err != nil {
			return err
		}
		if err := s.adopt(r, own, made.Match, metadata); err != nil {
			return err
		}
	}
	return send(w, http.StatusCreated, answer)
}

// done sends what the service answered.
func done(w http.ResponseWriter, answer []byte, err error) error {
	if err != nil {
		return err
	}
	return send(w, http.StatusOK, answer)
}

func (s *Server) acknowledge(w http.ResponseWriter, r *http.Request) error {
	var text, name string
	c, err := s.call(w, r, field{name: "seal", to: &text}, field{name: "name", to: &name, optional: true})
	if err != nil {
		return err
	}
	seal, err := seed.ParseSeal(text)
	if err != nil {
		return &problem{status: 400, code: "bad-seal", field: "seal"}
	}
	answer, err := s.match.Acknowledge(r.Context(), c, seal, name)
	return done(w, answer, err)
}

func (s *Server) withdraw(w http.ResponseWriter, r *http.Request) error {
	c, err := s.call(w, r)
	if err != nil {
		return err
	}
	answer, err := s.match.Withdraw(r.Context(), c)
	return done(w, answer, err)
}

// afterStep answers a step whose body is the number of the last roll that the caller saw.
func (s *Server) afterStep(step func(context.Context, match.Call, uint64) ([]byte, error)) func(http.ResponseWriter, *http.Request) error {
	return func(w http.ResponseWriter, r *http.Request) error {
		var after uint64
		c, err := s.call(w, r, field{name: "after", to: &after})
		if err != nil {
			return err
		}
		answer, err := step(r.Context(), c, after)
		return done(w, answer, err)
	}
}

// textStep answers a step whose body is one text.
func (s *Server) textStep(name string, step func(context.Context, match.Call, string) ([]byte, error)) func(http.ResponseWriter, *http.Request) error {
	return func(w http.ResponseWriter, r *http.Request) error {
		var text string
		c, err := s.call(w, r, field{name: name, to: &text})
		if err != nil {
			return err
		}
		answer, err := step(r.Context(), c, text)
		return done(w, answer, err)
	}
}

func (s *Server) link(w http.ResponseWriter, r *http.Request) error {
	var number uint64
	var text, note string
	c, err := s.call(w, r, field{name: "roll", to: &number}, field{name: "link", to: &text}, field{name: "note", to: &note})
	if err != nil {
		return err
	}
	link, ok := seed.ParseHex(text)
	if !ok || len(link) != 32 {
		return &problem{status: 400, code: "bad-link", field: "link"}
	}
	answer, err := s.match.Link(r.Context(), c, number, [32]byte(link), note)
	return done(w, answer, err)
}

func (s *Server) abort(w http.ResponseWriter, r *http.Request) error {
	var after uint64
	var leave bool
	c, err := s.call(w, r, field{name: "after", to: &after}, field{name: "leave", to: &leave, optional: true})
	if err != nil {
		return err
	}
	answer, err := s.match.Abort(r.Context(), c, after, leave)
	return done(w, answer, err)
}

func (s *Server) goOn(w http.ResponseWriter, r *http.Request) error {
	c, err := s.call(w, r)
	if err != nil {
		return err
	}
	if err := s.mayGoOn(r, c.Match); err != nil {
		return err
	}
	answer, err := s.match.GoOn(r.Context(), c)
	if err != nil {
		return err
	}
	if s.ledger != nil {
		if err := s.inherit(r, c.Match, answer); err != nil {
			return err
		}
	}
	return send(w, http.StatusOK, answer)
}

// A snapshot is a match as everybody with its id may see it at this moment.
type snapshot struct {
	Match   string         `json:"match"`
	Scheme  string         `json:"scheme"`
	Dice    string         `json:"dice"` // the kind, docs/spec/table.md
	Seats   []seatView     `json:"seats"`
	Seal    seed.Seal      `json:"seal"`
	State   match.State    `json:"state"`
	Rolls   []rollView     `json:"rolls"`
	Games   []int          `json:"games"`             // rolls in each game; the last may be 0
	Clients []seed.Client  `json:"clients,omitempty"` // in the order of the seats, once running
	Server  string         `json:"server,omitempty"`  // hex, once finished
	End     map[string]any `json:"end"`               // {"asked": seat or null}
	Last    uint64         `json:"last"`              // number of the last event

	Play *match.PlayView `json:"play,omitempty"` // of veridice/1
}

type seatView struct {
	Seat         int    `json:"seat"`
	Name         string `json:"name"`
	Acknowledged bool   `json:"acknowledged"`
	Seeded       bool   `json:"seeded"`
	Joined       bool   `json:"joined,omitempty"`
	Ready        bool   `json:"ready,omitempty"`
}

type rollView struct {
	Roll uint64   `json:"roll"`
	Seat int      `json:"seat"`
	Dice []uint32 `json:"dice"`
	Game int      `json:"game"`
}

func (s *Server) snapshot(w http.ResponseWriter, r *http.Request) error {
	m, entries, err := s.match.Match(r.Context(), r.PathValue("match"))
	if err != nil {
		return err
	}
	view := snapshot{
		Match: m.ID, Scheme: m.Scheme, Dice: m.Kind, Seal: m.Seal, State: m.State, Seats: []seatView{}, Rolls: []rollView{},
		Games: match.Games(m, entries), Clients: m.Clients(), Server: seed.Hex(m.Server), End: map[string]any{"asked": nil}, Last: m.Events,
	}
	if m.Asked != 0 {
		view.End["asked"] = m.Asked
	}
	joined, ready := make([]bool, len(m.Seats)), make([]bool, len(m.Seats))
	if m.Scheme == scheme.Veridice1 {
		if view.Play, err = m.View(); err != nil {
			return err
		}
		if joined, ready, err = m.Joined(); err != nil {
			return err
		}
	}
	for i, seat := range m.Seats {
		view.Seats = append(view.Seats, seatView{i + 1, seat.Name, seat.Acknowledged, seat.Seeded(), joined[i], ready[i]})
	}
	for _, e := range entries {
		if e.Type == match.Rolled {
			view.Rolls = append(view.Rolls, rollView{e.Roll, e.Seat, e.Dice, e.Game})
		}
	}
	return sendJSON(w, http.StatusOK, view)
}

// record sends the match as a text that can be checked.
func (s *Server) record(w http.ResponseWriter, r *http.Request) error {
	return s.text(w, r, s.match.RecordText)
}

// proof sends the record with the receipts of the log.
func (s *Server) proof(w http.ResponseWriter, r *http.Request) error {
	return s.text(w, r, s.match.Proof)
}

func (s *Server) text(w http.ResponseWriter, r *http.Request, read func(context.Context, string) ([]byte, error)) error {
	text, err := read(r.Context(), r.PathValue("match"))
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.Write(text) // an error is the reader's going away
	return nil
}
