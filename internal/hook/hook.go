// Package hook tells operators what happened: their matches that ended, and the rotations
// of their users' pairs, by POST to an address of theirs, signed as
// https://www.standardwebhooks.com says.
//
// Nothing is queued, so nothing can be lost or made up: what ended stands in the log of
// openings and closings, what was rotated in the news of package ledger, each written in
// the transaction of the thing itself and numbered. An address has a place in both, and
// goes on from there until its receiver has said yes to each message, in order. A message
// may come twice, with the same id, when a server dies between the yes and the next place.
package hook

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"net/url"
	"slices"
	"strings"
	"time"

	"veridice/internal/ledger"
	"veridice/internal/match"
	"veridice/seed"
)

// MaxHooks is the number of addresses of an operator.
const MaxHooks = 8

const maxURL = 1024

// Reasons to refuse a step.
var (
	ErrNoHook = errors.New("hook: no such address")
	ErrMany   = errors.New("hook: the operator has too many addresses")

	errUnread = errors.New("hook: a stored address cannot be read")
)

// kind is the kind of the books of this package; the name of one is the operator's.
const kind = "hooks"

// ofSecret is the purpose of secrets in the vault, ofAnswer that of answers that hold one.
const (
	ofSecret = "webhook secret"
	ofAnswer = "webhook answer"
)

// A kept is an address as it is stored.
type kept struct {
	ID      string    `json:"id"`
	URL     string    `json:"url"`
	Secret  []byte    `json:"secret"` // 32 bytes, encrypted
	Created time.Time `json:"created"`
	Log     uint64    `json:"log"`  // index of the next entry of the log
	News    uint64    `json:"news"` // number of the last news that was told

	Failures int       `json:"failures"` // since the last yes
	Next     time.Time `json:"next"`     // no attempt before this time
	Error    string    `json:"error"`    // of the last attempt
	Stopped  bool      `json:"stopped"`  // after the last attempt of all

	Holder string    `json:"holder"` // the process that is sending
	Until  time.Time `json:"until"`  // it holds it
}

// A View is an address as its operator sees it.
type View struct {
	Hook     string `json:"hook"`
	URL      string `json:"url"`
	Created  string `json:"created"`
	Failures int    `json:"failures"`        // attempts since the last yes
	Error    string `json:"error,omitempty"` // of the last of them
	Stopped  bool   `json:"stopped"`         // no more attempts until it is resumed
	Secret   string `json:"secret,omitempty"`
}

func (k *kept) view() View {
	return View{Hook: k.ID, URL: k.URL, Created: k.Created.UTC().Format(time.RFC3339), Failures: k.Failures, Error: k.Error, Stopped: k.Stopped}
}

// A Call is what a request that changes something brings besides its fields.
type Call struct {
	Operator string
	Key      string   // the idempotency key
	Request  [32]byte // SHA-256 of what is asked
}

// checkURL refuses what is no address to post to.
func (s *Service) checkURL(text string) error {
	bad := &match.FieldError{Field: "url", Code: "bad-url"}
	u, err := url.Parse(text)
	if err != nil || len(text) > maxURL || u.Host == "" || u.User != nil || u.Fragment != "" {
		return bad
	}
	if u.Scheme != "https" && !(u.Scheme == "http" && s.o.Private) {
		return bad
	}
	return nil
}

// change runs a step on an operator's addresses under its idempotency key. The answer is
// kept encrypted: it may hold a secret.
func (s *Service) change(ctx context.Context, c Call, step func(list *[]kept) (any, error)) (body []byte, err error) {
	err = ledger.Amend(ctx, s.o.Ledger, kind, c.Operator, c.Key, func(b *ledger.Book) error {
		if e := b.Earlier; e != nil {
			if e.Request != c.Request {
				return match.ErrKeyReused
			}
			body, err = s.o.Vault.Open(ofAnswer, c.Operator+" "+c.Key, e.Body)
			return err
		}
		list, err := read(b)
		if err != nil {
			return err
		}
		answer, err := step(&list)
		if err != nil {
			return err
		}
		if body, err = json.Marshal(answer); err != nil {
			return err
		}
		sealed, err := s.o.Vault.Seal(s.o.Entropy, ofAnswer, c.Operator+" "+c.Key, body)
		if err != nil {
			return err
		}
		b.Answer = &match.Answer{Key: c.Key, Request: c.Request, Body: sealed}
		b.State, err = json.Marshal(list)
		return err
	})
	if err != nil {
		return nil, err
	}
	return body, nil
}

func read(b *ledger.Book) (list []kept, err error) {
	if b.Version > 0 && json.Unmarshal(b.State, &list) != nil {
		return nil, errUnread
	}
	return list, nil
}

// Create adds an address; it hears of what happens from now on. It answers a [View] with
// the secret, which is not shown again.
func (s *Service) Create(ctx context.Context, c Call, address string) ([]byte, error) {
	if err := s.checkURL(address); err != nil {
		return nil, err
	}
	b := make([]byte, 8+32)
	if _, err := io.ReadFull(s.o.Entropy, b); err != nil {
		return nil, errors.New("hook: the random source failed")
	}
	k := kept{ID: seed.Hex(b[:8]), URL: address, Created: s.o.Clock.Now().UTC().Truncate(time.Second)}
	var err error
	if k.Secret, err = s.o.Vault.Seal(s.o.Entropy, ofSecret, k.ID, b[8:]); err != nil {
		return nil, err
	}
	if k.Log, err = end(func(n uint64) (bool, error) {
		entries, err := s.o.Matches.Log(ctx, n, 1)
		return len(entries) > 0, err
	}); err != nil {
		return nil, err
	}
	if k.News, err = end(func(n uint64) (bool, error) {
		news, err := s.o.Ledger.News(ctx, n, 1)
		return len(news) > 0, err
	}); err != nil {
		return nil, err
	}
	return s.change(ctx, c, func(list *[]kept) (any, error) {
		if len(*list) >= MaxHooks {
			return nil, ErrMany
		}
		*list = append(*list, k)
		v := k.view()
		v.Secret = secretText(b[8:])
		return v, nil
	})
}

// secretText is a secret as Standard Webhooks writes it.
func secretText(b []byte) string { return "whsec_" + base64.StdEncoding.EncodeToString(b) }

// end finds the least number at which there is nothing any more.
func end(there func(n uint64) (bool, error)) (uint64, error) {
	low, high := uint64(0), uint64(1) // below low there is something
	for {
		ok, err := there(high - 1)
		if err != nil {
			return 0, err
		}
		if !ok {
			break
		}
		low, high = high, 2*high
	}
	high-- // at high there is nothing
	for low < high {
		middle := low + (high-low)/2
		ok, err := there(middle)
		if err != nil {
			return 0, err
		}
		if ok {
			low = middle + 1
		} else {
			high = middle
		}
	}
	return low, nil
}

// List lists an operator's addresses.
func (s *Service) List(ctx context.Context, operator string) ([]View, error) {
	views := []View{}
	b, err := s.o.Ledger.Book(ctx, kind, operator)
	if errors.Is(err, match.ErrNotFound) {
		return views, nil
	}
	if err != nil {
		return nil, err
	}
	list, err := read(b)
	for i := range list {
		views = append(views, list[i].view())
	}
	return views, err
}

// Delete ends an address. It answers the [View] of what it was.
func (s *Service) Delete(ctx context.Context, c Call, id string) ([]byte, error) {
	return s.change(ctx, c, func(list *[]kept) (any, error) {
		at := slices.IndexFunc(*list, func(k kept) bool { return k.ID == id })
		if at < 0 {
			return nil, ErrNoHook
		}
		v := (*list)[at].view()
		*list = slices.Delete(*list, at, at+1)
		return v, nil
	})
}

// Resume makes the next attempt at once, also of an address that was stopped: it goes on
// with the message that it stopped at. It answers a [View].
func (s *Service) Resume(ctx context.Context, c Call, id string) ([]byte, error) {
	body, err := s.change(ctx, c, func(list *[]kept) (any, error) {
		at := slices.IndexFunc(*list, func(k kept) bool { return k.ID == id })
		if at < 0 {
			return nil, ErrNoHook
		}
		k := &(*list)[at]
		k.Stopped, k.Failures, k.Next = false, 0, time.Time{}
		return k.view(), nil
	})
	s.Wake()
	return body, err
}

// closed reads whose end an entry of the log tells of, "" if it is a beginning.
func closed(entry []byte) (id string) {
	lines := strings.SplitN(string(entry), "\n", 3)
	if len(lines) < 3 || lines[0] != "veridice/1 close" && lines[0] != "veridice/1 unseal" {
		return ""
	}
	return strings.TrimPrefix(lines[1], "match ")
}
