package server

import (
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"time"

	"veridice/internal/hook"
	"veridice/internal/match"
	"veridice/internal/pair"
	"veridice/protocol"
	"veridice/record"
)

type args = map[string]any

// A problem is a refusal with its public code. No part of it holds a value of the
// request: API libraries like to echo them, and a value may be a seed.
type problem struct {
	status int
	code   string
	field  string
	args   args
	retry  int // seconds after which to ask again, 0 for not at all
}

func (p *problem) Error() string { return "server: " + p.code }

// titles are the English words of every code. The page has its own, under the
// key "error.<code>".
var titles = map[string]string{
	"already-asked":         "This seat has already asked to end; another seat confirms",
	"already-joined":        "This seat has joined with another anchor or key",
	"already-ready":         "This seat is ready for the match already",
	"already-seeded":        "This seat gave another client seed before",
	"bad-api-key":           "The API key is missing or not one of this server",
	"bad-client-seed":       "A client seed has 1 to 128 characters",
	"bad-dice":              "There are no such dice at this table",
	"bad-field":             "The value of this field is of the wrong type or out of range",
	"bad-json":              "The body is not exactly one JSON object of the expected form",
	"bad-key":               "An Idempotency-Key has 1 to 64 characters of A-Z a-z 0-9 _ -",
	"bad-link":              "A link has 64 lower-case hex digits",
	"bad-links":             "A chain has 256 to 8192 links",
	"bad-message":           "The message is not one of the protocol",
	"bad-metadata":          "The metadata of a match has at most 512 bytes",
	"bad-move":              "There is no such move at this table",
	"bad-name":              "A name cannot hold control or invisible characters, nor begin or end with a blank",
	"bad-param":             "A parameter of the game is missing, given twice, of the wrong type or out of range",
	"bad-scheme":            "There is no such scheme to roll with",
	"bad-seal":              "A seal has 64 lower-case hex digits",
	"bad-seats":             "A table has 1 to 8 seats",
	"bad-signature":         "The signature is not the one of this seat on this text",
	"bad-text-client":       "A client seed is 1 to 1024 bytes of text without control characters",
	"bad-turn":              "The turn goes to the next seat (alternate) or stays (free)",
	"bad-url":               "The URL must be https and at most 1024 bytes",
	"bad-user":              "The id of a user has 1 to 64 characters of A-Z a-z 0-9 _ -",
	"bad-variant":           "The game has no such variant",
	"bad-wait":              "A party has 10 to 86400 seconds for its part",
	"behind":                "Another roll fell that the caller has not seen",
	"busy":                  "The server is busy; ask again with the same key",
	"chain-spent":           "The chains have no links left; a new match goes on",
	"client-seed-character": "A client seed has only the characters A-Z a-z 0-9 _ -",
	"client-seed-missing":   "The user has no client seed yet",
	"cross-origin":          "The request came from another site",
	"draw-not-open":         "The active pair has no such open draw",
	"duplicate-field":       "A field is in the body twice",
	"full":                  "The match has as many rolls as a record can hold; it can only be ended",
	"internal":              "Something went wrong in the server",
	"key-reused":            "The Idempotency-Key was used for another request before",
	"missing-field":         "A field is missing",
	"name-too-long":         "A name has at most 40 characters",
	"no-client-seeds":       "The scheme of this match has no client seeds",
	"no-key":                "The Idempotency-Key header is missing",
	"no-roll":               "No roll is going on",
	"no-rolls":              "The current game has no roll yet",
	"no-such-address":       "There is nothing at this path",
	"no-such-game":          "The user's site has no such game; GET /v1/games lists them",
	"no-such-hook":          "The operator has no such webhook",
	"no-such-match":         "There is no such match",
	"no-such-param":         "The game has no such parameter",
	"no-such-site":          "There is no such site",
	"no-such-user":          "The operator has no such user",
	"no-terms":              "Only a match of veridice/1 has these terms",
	"nonces-spent":          "All nonces of this pair are used; rotate it",
	"not-asked":             "Nobody has asked to end",
	"not-json":              "The Content-Type must be application/json",
	"not-offered":           "The server has not made its part of this step yet",
	"not-overdue":           "Nobody is late by the terms of the table",
	"not-running":           "The match is not running",
	"not-your-seat":         "The token is of no seat of this match",
	"not-your-turn":         "It is another seat's turn",
	"open-draws":            "Open draws must be closed first: the reveal would show their outcomes",
	"other-dice":            "The terms of the table allow other dice",
	"other-head":            "The message is for another place in the match",
	"other-match":           "The message is of another match",
	"other-name":            "The seat was taken under another name",
	"other-offer":           "The message is for another offer",
	"other-opening":         "The message is for another opening",
	"other-pair":            "Another pair is active",
	"other-roll":            "The text is not the one of the roll that is going on",
	"other-scheme":          "A match of this scheme has no such step",
	"other-seal":            "The seal is not the one of this match",
	"other-seat":            "The message is of another seat",
	"pair-in-use":           "The pair has been drawn with; a new client seed comes with a rotation",
	"roll-number":           "This is not the number of the roll that is due",
	"roll-pending":          "A roll is going on",
	"same-anchor":           "Another role has the same anchor",
	"same-client-seed":      "The server knew this client seed when it drew the pair's server seed: take another one",
	"same-key":              "Another role has the same key",
	"scope-missing":         "The API key may not do this",
	"seal-not-acknowledged": "The seat has not acknowledged the seal",
	"too-large":             "The body is too large",
	"too-many-hooks":        "The operator has as many webhooks as there can be",
	"too-many-open":         "Too many draws of this user are open",
	"too-many-requests":     "There were too many requests",
	"too-many-streams":      "Too many event streams are open from this address",
	"unknown-field":         "The body has a field that this request does not take",
	"user-exists":           "The user has pairs already",
	"wrong-link":            "The link is not the next one of this seat's chain",
	"wrong-method":          "This path does not take this method",
	"your-turn":             "It is this seat's turn",
}

// sentinels pairs the services' errors with what the public hears.
var sentinels = []struct {
	err    error
	status int
	code   string
	field  string
}{
	{match.ErrNotFound, 404, "no-such-match", ""},
	{match.ErrNotYourSeat, 403, "not-your-seat", ""},
	{match.ErrKeyReused, 409, "key-reused", ""},
	{match.ErrOtherSeal, 409, "other-seal", "seal"},
	{match.ErrOtherName, 409, "other-name", "name"},
	{match.ErrNotAcknowledged, 409, "seal-not-acknowledged", "client"},
	{match.ErrAlreadySeeded, 409, "already-seeded", "client"},
	{match.ErrNoSeeds, 409, "no-client-seeds", "client"},
	{match.ErrNoRolls, 409, "no-rolls", ""},
	{match.ErrAlreadyAsked, 409, "already-asked", ""},
	{match.ErrNotAsked, 409, "not-asked", ""},
	{match.ErrOtherScheme, 409, "other-scheme", ""},
	{match.ErrNotOffered, 409, "not-offered", ""},
	{match.ErrFull, 409, "full", ""},
	{pair.ErrNoUser, 404, "no-such-user", ""},
	{pair.ErrThere, 409, "user-exists", "user"},
	{pair.ErrNoClient, 409, "client-seed-missing", ""},
	{pair.ErrInUse, 409, "pair-in-use", "client"},
	{pair.ErrSameClient, 409, "same-client-seed", "client"},
	{pair.ErrNotOpen, 409, "draw-not-open", "nonce"},
	{pair.ErrManyOpen, 409, "too-many-open", "open"},
	{pair.ErrSpent, 409, "nonces-spent", ""},
	{hook.ErrNoHook, 404, "no-such-hook", ""},
	{hook.ErrMany, 409, "too-many-hooks", ""},
	{match.ErrConflict, 503, "busy", ""},
	{match.ErrBusy, 503, "busy", ""},
}

// problemOf decides what the public hears of an error. What is not listed here is
// the server's fault and stays inside.
func problemOf(err error) *problem {
	var p *problem
	if errors.As(err, &p) {
		return p
	}
	var state *match.StateError
	if errors.As(err, &state) {
		return &problem{status: 409, code: "not-running", args: args{"state": state.State}}
	}
	var behind *match.BehindError
	if errors.As(err, &behind) {
		return &problem{status: 409, code: "behind", field: "after", args: args{"last": behind.Last}}
	}
	var early *match.NotOverdueError
	if errors.As(err, &early) {
		p := &problem{status: 409, code: "not-overdue"}
		if !early.Until.IsZero() {
			p.args = args{"until": early.Until.UTC().Format(time.RFC3339)}
		}
		return p
	}
	var fault *protocol.Fault
	if errors.As(err, &fault) {
		return &problem{status: 409, code: fault.Code}
	}
	var syntax *record.SyntaxError
	if errors.As(err, &syntax) {
		return &problem{status: 400, code: "bad-message", args: args{"line": syntax.Line}}
	}
	var f *match.FieldError
	if errors.As(err, &f) {
		return &problem{status: 400, code: f.Code, field: f.Field, args: f.Args}
	}
	var large *http.MaxBytesError
	if errors.As(err, &large) {
		return &problem{status: 413, code: "too-large", args: args{"max": large.Limit}}
	}
	var other *pair.OtherPairError
	if errors.As(err, &other) {
		return &problem{status: 409, code: "other-pair", field: "pair", args: args{"active": other.Pair}}
	}
	var open *pair.OpenError
	if errors.As(err, &open) {
		return &problem{status: 409, code: "open-draws", args: args{"nonces": open.Nonces}}
	}
	for _, s := range sentinels {
		if errors.Is(err, s.err) {
			p := &problem{status: s.status, code: s.code, field: s.field}
			if s.status == 503 {
				p.retry = 1
			}
			return p
		}
	}
	return &problem{status: 500, code: "internal"}
}

// write sends the problem as RFC 9457 has it.
func (p *problem) write(w http.ResponseWriter) {
	title, ok := titles[p.code]
	if !ok {
		panic("veridice: internal error: the code " + p.code + " has no title")
	}
	body, err := json.Marshal(struct {
		Type   string `json:"type"`
		Title  string `json:"title"`
		Status int    `json:"status"`
		Code   string `json:"code"`
		Field  string `json:"field,omitempty"`
		Args   args   `json:"args,omitempty"`
	}{"about:blank", title, p.status, p.code, p.field, p.args})
	if err != nil {
		panic("veridice: internal error: " + err.Error())
	}
	h := w.Header()
	h.Set("Content-Type", "application/problem+json")
	h.Set("Cache-Control", "no-store")
	if p.retry > 0 {
		h.Set("Retry-After", strconv.Itoa(p.retry))
	}
	w.WriteHeader(p.status)
	w.Write(append(body, '\n')) // an error is the reader's going away
}
