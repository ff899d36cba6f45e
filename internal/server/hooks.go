package server

import (
	"crypto/sha256"
	"net/http"

	"veridice/internal/apikey"
	"veridice/internal/hook"
)

// hookRoutes lists what operators do with their matches and addresses.
func (s *Server) hookRoutes() []route {
	return []route{
		{"GET", "/v1/matches", s.keyed(apikey.MatchesRead, s.listMatches)},
		{"POST", "/v1/hooks", s.keyed(apikey.Hooks, s.createHook)},
		{"GET", "/v1/hooks", s.keyed(apikey.Hooks, s.listHooks)},
		{"POST", "/v1/hooks/{hook}/delete", s.keyed(apikey.Hooks, s.deleteHook)},
		{"POST", "/v1/hooks/{hook}/resume", s.keyed(apikey.Hooks, s.resumeHook)},
	}
}

// hookCall reads what every request has that changes an operator's addresses.
func (s *Server) hookCall(w http.ResponseWriter, r *http.Request, k apikey.Key, fields ...field) (c hook.Call, err error) {
	c = hook.Call{Operator: k.Operator}
	if c.Key, err = key(r); err != nil {
		return c, err
	}
	body, err := s.body(w, r, fields...)
	c.Request = sha256.Sum256([]byte(r.URL.Path + "\n" + string(body)))
	return c, err
}

func (s *Server) createHook(w http.ResponseWriter, r *http.Request, k apikey.Key) error {
	var address string
	c, err := s.hookCall(w, r, k, field{name: "url", to: &address})
	if err != nil {
		return err
	}
	answer, err := s.hooks.Create(r.Context(), c, address)
	if err != nil {
		return err
	}
	return send(w, http.StatusCreated, answer)
}

func (s *Server) listHooks(w http.ResponseWriter, r *http.Request, k apikey.Key) error {
	views, err := s.hooks.List(r.Context(), k.Operator)
	if err != nil {
		return err
	}
	return sendJSON(w, http.StatusOK, pageOf("hooks", views, ""))
}

func (s *Server) deleteHook(w http.ResponseWriter, r *http.Request, k apikey.Key) error {
	c, err := s.hookCall(w, r, k)
	if err != nil {
		return err
	}
	answer, err := s.hooks.Delete(r.Context(), c, r.PathValue("hook"))
	return done(w, answer, err)
}

func (s *Server) resumeHook(w http.ResponseWriter, r *http.Request, k apikey.Key) error {
	c, err := s.hookCall(w, r, k)
	if err != nil {
		return err
	}
	answer, err := s.hooks.Resume(r.Context(), c, r.PathValue("hook"))
	return done(w, answer, err)
}
