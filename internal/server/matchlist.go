package server

import (
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"time"

	"veridice/internal/apikey"
	"veridice/internal/match"
	"veridice/internal/operator"
	"veridice/scheme"
)

// A matchView is a match in an operator's list.
type matchView struct {
	Match    string      `json:"match"`
	Scheme   string      `json:"scheme"`
	Dice     string      `json:"dice"`
	Seats    int         `json:"seats"`
	State    match.State `json:"state"`
	Rolls    uint64      `json:"rolls"`
	Created  string      `json:"created"`
	Age      int64       `json:"age"` // seconds since then
	Metadata string      `json:"metadata"`
}

// scanned is how many matches of an operator are looked at for one page.
const scanned = 1000

// listMatches lists an operator's matches, oldest first; with state=unfinished only those
// that are sealed and not over. A page may be short, or empty, and still have a next one.
func (s *Server) listMatches(w http.ResponseWriter, r *http.Request, k apikey.Key) error {
	after, limit, err := numbered(r, 100, 500)
	if err != nil {
		return err
	}
	state := r.URL.Query().Get("state")
	if state != "" && state != "unfinished" {
		return &problem{status: 400, code: "bad-field", field: "state"}
	}
	views, now := []matchView{}, time.Now()
	for seen := 0; len(views) < limit && seen < scanned; {
		list, err := operator.Matches(r.Context(), s.ledger, k.Operator, after, limit)
		if err != nil {
			return err
		}
		for _, own := range list {
			if len(views) == limit {
				break
			}
			after = own.Number
			seen++
			m, err := s.match.State(r.Context(), own.Match)
			if err != nil {
				return err
			}
			if state == "unfinished" && m.State.Over() {
				continue
			}
			views = append(views, matchView{
				Match: m.ID, Scheme: m.Scheme, Dice: m.Kind, Seats: len(m.Seats), State: m.State, Rolls: m.Rolls,
				Created: m.Created.UTC().Format(time.RFC3339), Age: max(0, int64(now.Sub(m.Created)/time.Second)), Metadata: own.Metadata,
			})
		}
		if n := len(list); n < limit && (n == 0 || after == list[n-1].Number) {
			return sendJSON(w, http.StatusOK, pageOf("matches", views, ""))
		}
	}
	return sendJSON(w, http.StatusOK, pageOf("matches", views, strconv.FormatUint(after, 10)))
}

// adopt gives a match that was opened with an API key to its operator.
func (s *Server) adopt(r *http.Request, k apikey.Key, id, metadata string) error {
	return operator.Adopt(r.Context(), s.ledger, k.Operator, id, metadata, time.Now().UTC().Truncate(time.Second))
}

// mayGoOn is mayOpen where going on makes a table: the first time, and of a match that is no
// operator's.
func (s *Server) mayGoOn(r *http.Request, id string) error {
	m, err := s.match.State(r.Context(), id)
	if err != nil || m.Scheme != scheme.Veridice1 || !m.State.Over() {
		return nil // which the step itself refuses
	}
	if view, err := m.View(); err != nil || view.Next != "" {
		return nil
	}
	if s.ledger != nil {
		if _, err := operator.Of(r.Context(), s.ledger, id); !errors.Is(err, match.ErrNotFound) {
			return err
		}
	}
	return s.mayOpen(r)
}

// inherit gives the match that goes on from another one to the same operator.
func (s *Server) inherit(r *http.Request, before string, answer []byte) error {
	own, err := operator.Of(r.Context(), s.ledger, before)
	if errors.Is(err, match.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	var next struct{ Match string }
	if err := json.Unmarshal(answer, &next); err != nil {
		return err
	}
	return s.adopt(r, apikey.Key{Operator: own.Operator}, next.Match, own.Metadata)
}
