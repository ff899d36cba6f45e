package server

import (
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"veridice/internal/apikey"
)

// An operatorCall answers a request of an operator, whose key it has.
type operatorCall func(http.ResponseWriter, *http.Request, apikey.Key) error

// bearer is what a request brings as its key or token, "" for nothing.
func bearer(r *http.Request) string {
	if kind, token, ok := strings.Cut(r.Header.Get("Authorization"), " "); ok && strings.EqualFold(kind, "Bearer") {
		return strings.TrimLeft(token, " ")
	}
	return ""
}

// keyed answers requests whose API key has a scope. Wrong keys, unknown and revoked ones
// get the same answer, after the same work; an address that sends many of them has to wait.
func (s *Server) keyed(scope apikey.Scope, call operatorCall) func(http.ResponseWriter, *http.Request) error {
	return func(w http.ResponseWriter, r *http.Request) error {
		k, err := s.operator(w, r, scope)
		if err != nil {
			return err
		}
		return call(w, r, k)
	}
}

func (s *Server) operator(w http.ResponseWriter, r *http.Request, scope apikey.Scope) (k apikey.Key, err error) {
	from := s.address(r)
	if wait, spent := s.wrongKeys.spent(from, s.rates.wrong); spent {
		return k, tooMany(wait)
	}
	if wait, ok := s.addresses.take(from, s.rates.address); !ok {
		return k, tooMany(wait)
	}
	k, err = s.keys.Check(r.Context(), bearer(r))
	if errors.Is(err, apikey.ErrRefused) {
		s.wrongKeys.take(from, s.rates.wrong)
		w.Header().Set("WWW-Authenticate", "Bearer")
		return k, &problem{status: http.StatusUnauthorized, code: "bad-api-key"}
	}
	if err != nil {
		return k, err
	}
	if wait, ok := s.callers.take(k.ID, s.rates.key); !ok {
		return k, tooMany(wait)
	}
	if !k.May(scope) {
		return k, &problem{status: http.StatusForbidden, code: "scope-missing", args: args{"scope": string(scope)}}
	}
	return k, nil
}

// cursorOf reads cursor and limit of a list.
func cursorOf(r *http.Request, usual, most int) (cursor string, limit int, err error) {
	q, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return "", 0, &problem{status: 400, code: "bad-field"}
	}
	limit = usual
	if text := q.Get("limit"); text != "" {
		if limit, err = strconv.Atoi(text); err != nil || limit < 1 || limit > most {
			return "", 0, &problem{status: 400, code: "bad-field", field: "limit"}
		}
	}
	return q.Get("cursor"), limit, nil
}

// numbered is cursorOf for a list whose cursor is a number.
func numbered(r *http.Request, usual, most int) (after uint64, limit int, err error) {
	text, limit, err := cursorOf(r, usual, most)
	if err != nil || text == "" {
		return 0, limit, err
	}
	after, ok := whole(text)
	if !ok {
		return 0, 0, &problem{status: 400, code: "bad-field", field: "cursor"}
	}
	return after, limit, nil
}

// withCORS lets pages of other sites read answers of the API, if they are named.
func (s *Server) withCORS(next http.Handler) http.Handler {
	if len(s.cors) == 0 {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Add("Vary", "Origin")
		origin := r.Header.Get("Origin")
		if !slices.Contains(s.cors, origin) || !strings.HasPrefix(r.URL.Path, "/v1/") {
			next.ServeHTTP(w, r)
			return
		}
		h := w.Header()
		h.Set("Access-Control-Allow-Origin", origin)
		if r.Method != http.MethodOptions || r.Header.Get("Access-Control-Request-Method") == "" {
			h.Set("Access-Control-Expose-Headers", "Retry-After")
			next.ServeHTTP(w, r)
			return
		}
		h.Set("Access-Control-Allow-Methods", "GET, HEAD, POST")
		h.Set("Access-Control-Allow-Headers", "Authorization, Content-Type, Idempotency-Key, Last-Event-ID")
		h.Set("Access-Control-Max-Age", "600")
		w.WriteHeader(http.StatusNoContent)
	})
}
