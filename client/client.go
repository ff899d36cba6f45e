// Package client calls the API of a Veridice server from a game server in Go: seed pairs
// of users, outcomes, matches, and the webhooks that come back. docs/api.md tells what the
// calls mean; docs/openapi.json has every field.
//
// Every call that changes something has an idempotency key of its own and is repeated with
// it when the connection breaks or the server is busy, so that it happens once.
package client

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"mime"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// A Client calls one server. New makes one; it is safe for concurrent use.
type Client struct {
	base, key string

	// HTTP sends the requests; it may be replaced before the first call.
	HTTP *http.Client

	// Tries is how often a call is made before its error is given; 6 if New made the client.
	Tries int
}

// New makes a client for a server such as https://dice.example, with an API key that
// "veridiced key create" printed.
func New(base, key string) *Client {
	return &Client{base: strings.TrimRight(base, "/"), key: key, HTTP: &http.Client{Timeout: 30 * time.Second}, Tries: 6}
}

// An Error is a refusal of the server.
type Error struct {
	Status int            `json:"status"`
	Code   string         `json:"code"` // stable; docs/openapi.json lists them
	Title  string         `json:"title"`
	Field  string         `json:"field"` // of the request, or ""
	Args   map[string]any `json:"args"`

	wait time.Duration // after which to ask again, 0 for never
}

// Error says it in English, for developers.
func (e *Error) Error() string {
	return fmt.Sprintf("veridice: %s (%d %s)", e.Title, e.Status, e.Code)
}

// Is makes errors.Is(err, &Error{Code: "other-pair"}) compare codes.
func (e *Error) Is(target error) bool {
	t, ok := target.(*Error)
	return ok && t.Code == e.Code
}

// do makes a call, again and again if need be. body is of a POST, nil for none.
func (c *Client) do(ctx context.Context, method, path string, body any, answer any) error {
	var text []byte
	header := http.Header{"Authorization": {"Bearer " + c.key}}
	if method == http.MethodPost {
		var err error
		if body != nil {
			if text, err = json.Marshal(body); err != nil {
				return err
			}
			header.Set("Content-Type", "application/json")
		}
		header.Set("Idempotency-Key", rand.Text())
	}
	wait := 100 * time.Millisecond
	for try := 1; ; try++ {
		err := c.once(ctx, method, path, header, text, answer)
		if err == nil || ctx.Err() != nil || try >= c.Tries {
			return err
		}
		pause := wait
		var refused *Error
		if errors.As(err, &refused) {
			if refused.wait == 0 {
				return err
			}
			pause = refused.wait
		}
		wait *= 2
		select {
		case <-ctx.Done():
			return err
		case <-time.After(pause):
		}
	}
}

func (c *Client) once(ctx context.Context, method, path string, header http.Header, body []byte, answer any) error {
	r, err := http.NewRequestWithContext(ctx, method, c.base+path, bytes.NewReader(body))
	if err != nil {
		return err
	}
	r.Header = header.Clone()
	w, stream := answer.(io.Writer)
	sender := *c.HTTP
	if stream {
		sender.Timeout = 0 // it covers the reading of the body, however long that is
	}
	got, err := sender.Do(r)
	if err != nil {
		return err
	}
	defer got.Body.Close()
	if got.StatusCode/100 != 2 {
		return refusal(got)
	}
	if stream {
		_, err := io.Copy(w, got.Body)
		return err
	}
	text, err := io.ReadAll(got.Body)
	if err != nil {
		return err
	}
	return json.Unmarshal(text, answer)
}

// refusal reads a problem.
func refusal(r *http.Response) error {
	e := &Error{Status: r.StatusCode, Code: "unknown", Title: r.Status}
	text, err := io.ReadAll(io.LimitReader(r.Body, 1<<16))
	kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err == nil && kind == "application/problem+json" {
		if err := json.Unmarshal(text, e); err != nil {
			return err
		}
	}
	switch e.Status {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		seconds, err := strconv.Atoi(r.Header.Get("Retry-After"))
		e.wait = time.Duration(max(seconds, 1)) * time.Second
		if err != nil {
			e.wait = time.Second
		}
	}
	return e
}

// A Pair is a user's seed pairs: the active one, and the seal of the next.
type Pair struct {
	User     string    `json:"user"`
	Site     string    `json:"site"`
	Pair     uint64    `json:"pair"`      // number of the active one
	Seal     string    `json:"seal"`      // of its server seed
	NextSeal string    `json:"next_seal"` // of the next one
	Client   *string   `json:"client"`    // nil until it is set
	Nonce    uint64    `json:"nonce"`     // of the last draw
	Open     []uint64  `json:"open"`      // nonces whose games go on
	Draws    uint64    `json:"draws"`     // of all pairs
	Since    time.Time `json:"active_since"`
}

// A Draw is an outcome that was drawn.
type Draw struct {
	Draw     uint64          `json:"draw"` // its number over all pairs of the user
	Pair     uint64          `json:"pair"`
	Nonce    uint64          `json:"nonce"`
	Client   string          `json:"client"`
	Seal     string          `json:"seal"`
	NextSeal string          `json:"next_seal"`
	Site     string          `json:"site"`
	Game     string          `json:"game"`
	Variant  string          `json:"variant"`
	Params   map[string]any  `json:"params"`
	Outcome  json.RawMessage `json:"outcome"`
	At       time.Time       `json:"at"`
}

// A Revealed is a pair with its server seed.
type Revealed struct {
	Pair     uint64    `json:"pair"`
	Seal     string    `json:"seal"`
	Server   string    `json:"server"`
	Client   *string   `json:"client"`
	Draws    uint64    `json:"draws"`
	First    uint64    `json:"first"` // number of its first draw, if it has any
	Revealed time.Time `json:"revealed_at"`
}

// Params are the parameters of a game: whole numbers, truth values, and text for the rest.
type Params map[string]any

// CreatePair makes the pairs of a user, for the games of a site, "shuffle" or "stake".
func (c *Client) CreatePair(ctx context.Context, user, site string) (p Pair, err error) {
	err = c.do(ctx, "POST", "/v1/pairs", map[string]any{"user": user, "site": site}, &p)
	return p, err
}

// Pair reads a user's pairs.
func (c *Client) Pair(ctx context.Context, user string) (p Pair, err error) {
	err = c.do(ctx, "GET", c.of(user, ""), nil, &p)
	return p, err
}

func (c *Client) of(user, what string) string { return "/v1/pairs/" + url.PathEscape(user) + what }

// SetClient sets the client seed of the active pair, which the user made after seeing its
// seal.
func (c *Client) SetClient(ctx context.Context, user string, pair uint64, client string) (p Pair, err error) {
	err = c.do(ctx, "POST", c.of(user, "/client"), map[string]any{"pair": pair, "client": client}, &p)
	return p, err
}

// Draw draws an outcome of a game at the next nonce.
func (c *Client) Draw(ctx context.Context, user, game string, params Params) (Draw, error) {
	return c.draw(ctx, user, game, params, false)
}

// DrawOpen is Draw for a game that goes on after it. Its pair is not revealed before Close.
func (c *Client) DrawOpen(ctx context.Context, user, game string, params Params) (Draw, error) {
	return c.draw(ctx, user, game, params, true)
}

func (c *Client) draw(ctx context.Context, user, game string, params Params, open bool) (d Draw, err error) {
	body := map[string]any{"game": game, "open": open}
	if params != nil {
		body["params"] = params
	}
	err = c.do(ctx, "POST", c.of(user, "/draws"), body, &d)
	return d, err
}

// Close says that the game of an open draw is over.
func (c *Client) Close(ctx context.Context, user string, pair, nonce uint64) (p Pair, err error) {
	err = c.do(ctx, "POST", c.of(user, "/close"), map[string]any{"pair": pair, "nonce": nonce}, &p)
	return p, err
}

// Rotate reveals the active pair and goes on with the next one and another client seed.
func (c *Client) Rotate(ctx context.Context, user string, pair uint64, client string) (r Revealed, now Pair, err error) {
	var answer struct {
		Revealed Revealed
		Now      Pair
	}
	err = c.do(ctx, "POST", c.of(user, "/rotate"), map[string]any{"pair": pair, "client": client}, &answer)
	return answer.Revealed, answer.Now, err
}

// Draws reads all draws of a user, oldest first. It ends after the first error.
func (c *Client) Draws(ctx context.Context, user string) iter.Seq2[Draw, error] {
	return pages[Draw](ctx, c, c.of(user, "/draws?"), "draws")
}

// Revealed reads all revealed pairs of a user, oldest first.
func (c *Client) Revealed(ctx context.Context, user string) iter.Seq2[Revealed, error] {
	return pages[Revealed](ctx, c, c.of(user, "/revealed?"), "revealed")
}

// Export writes the draws of a user's revealed pairs as "veridice audit" reads them. It is
// made once, and takes as long as ctx lets it: what is written before an error is not whole.
func (c *Client) Export(ctx context.Context, user string, w io.Writer) error {
	return c.once(ctx, "GET", c.of(user, "/export"), http.Header{"Authorization": {"Bearer " + c.key}}, nil, w)
}

// A Match is a match of the operator.
type Match struct {
	Match    string    `json:"match"`
	Scheme   string    `json:"scheme"`
	Dice     string    `json:"dice"`
	Seats    int       `json:"seats"`
	State    string    `json:"state"`
	Rolls    uint64    `json:"rolls"`
	Created  time.Time `json:"created"`
	Age      int64     `json:"age"` // seconds since then
	Metadata string    `json:"metadata"`
}

// A Table says what match to open. Zero fields are left to the server.
type Table struct {
	Scheme   string `json:"scheme"` // tavli/1, yayay/1 or veridice/1
	Seats    int    `json:"seats"`
	Dice     string `json:"dice,omitempty"`
	Turn     string `json:"turn,omitempty"`
	Wait     int    `json:"wait,omitempty"`
	Links    int    `json:"links,omitempty"`
	Metadata string `json:"metadata,omitempty"`
}

// An Opened is a match that was opened, with a token for the phone of each seat.
type Opened struct {
	Match  string `json:"match"`
	Scheme string `json:"scheme"`
	Seal   string `json:"seal"`
	Seats  []struct {
		Seat  int    `json:"seat"`
		Token string `json:"token"`
	} `json:"seats"`
}

// Open opens a match.
func (c *Client) Open(ctx context.Context, t Table) (m Opened, err error) {
	err = c.do(ctx, "POST", "/v1/matches", t, &m)
	return m, err
}

// Matches reads the operator's matches, oldest first; with unfinished only those that are
// sealed and not over.
func (c *Client) Matches(ctx context.Context, unfinished bool) iter.Seq2[Match, error] {
	path := "/v1/matches?"
	if unfinished {
		path += "state=unfinished&"
	}
	return pages[Match](ctx, c, path, "matches")
}

// pages reads a list page by page.
func pages[T any](ctx context.Context, c *Client, path, name string) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var none T
		for cursor := ""; ; {
			var page map[string]json.RawMessage
			if err := c.do(ctx, "GET", path+"limit=500&cursor="+url.QueryEscape(cursor), nil, &page); err != nil {
				yield(none, err)
				return
			}
			var items []T
			if err := json.Unmarshal(page[name], &items); err != nil {
				yield(none, err)
				return
			}
			for _, item := range items {
				if !yield(item, nil) {
					return
				}
			}
			cursor = ""
			if next := page["next"]; next != nil {
				if err := json.Unmarshal(next, &cursor); err != nil {
					yield(none, err)
					return
				}
			}
			if cursor == "" {
				return
			}
		}
	}
}

// A Hook is an address of the operator that hears of ends and rotations.
type Hook struct {
	Hook     string `json:"hook"`
	URL      string `json:"url"`
	Failures int    `json:"failures"`
	Error    string `json:"error"`
	Stopped  bool   `json:"stopped"`
	Secret   string `json:"secret"` // only in the answer that makes it
}

// CreateHook adds an address; it hears of what happens from now on.
func (c *Client) CreateHook(ctx context.Context, address string) (h Hook, err error) {
	err = c.do(ctx, "POST", "/v1/hooks", map[string]any{"url": address}, &h)
	return h, err
}

// Hooks lists the addresses.
func (c *Client) Hooks(ctx context.Context) ([]Hook, error) {
	var answer struct{ Hooks []Hook }
	err := c.do(ctx, "GET", "/v1/hooks", nil, &answer)
	return answer.Hooks, err
}

// DeleteHook removes an address.
func (c *Client) DeleteHook(ctx context.Context, hook string) error {
	return c.do(ctx, "POST", "/v1/hooks/"+url.PathEscape(hook)+"/delete", nil, new(Hook))
}

// ResumeHook makes the next attempt at once, also of an address that was stopped.
func (c *Client) ResumeHook(ctx context.Context, hook string) error {
	return c.do(ctx, "POST", "/v1/hooks/"+url.PathEscape(hook)+"/resume", nil, new(Hook))
}
