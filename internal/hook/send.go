package hook

import (
	"bytes"
	"cmp"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"sync"
	"syscall"
	"time"

	"veridice/internal/ledger"
	"veridice/internal/match"
	"veridice/internal/operator"
	"veridice/internal/repeat"
	"veridice/seed"
)

// Backoff is how long to wait after the first failure, the second, and so on. After the
// last of them the address is stopped: two days.
var Backoff = []time.Duration{
	5 * time.Second, 30 * time.Second, 2 * time.Minute, 10 * time.Minute, 30 * time.Minute, time.Hour, 2 * time.Hour, 4 * time.Hour,
	8 * time.Hour, 8 * time.Hour, 12 * time.Hour, 12 * time.Hour,
}

const (
	patience = 15 * time.Second // for a receiver to answer
	hold     = time.Minute      // longer than an attempt
	atOnce   = 8                // addresses that one process sends to at the same time
	batch    = 256              // read at once
)

// turn is how long an address that has far to go is sent one message after the other before
// the next one gets its place.
var turn = patience

// Matches is what is read of the matches: [match.Store] has it.
type Matches interface {
	Log(ctx context.Context, from uint64, limit int) ([][]byte, error)
	Match(ctx context.Context, id string) (*match.Match, error)
	Events(ctx context.Context, id string, after uint64, limit int) ([]match.Event, error)
}

// Options are what a service is made of.
type Options struct {
	Ledger  ledger.Store
	Matches Matches
	Vault   *match.Vault
	Clock   match.Clock
	Entropy match.Entropy
	Logger  *slog.Logger

	// Private lets addresses be of this machine and its network, and plain http.
	Private bool

	Poll    time.Duration   // how often to look without being told; 2 s if 0
	Backoff []time.Duration // [Backoff] if nil
}

// A Service keeps addresses and sends to them. It is safe for concurrent use; several
// processes on one store share the work.
type Service struct {
	o      Options
	client *http.Client
	name   string // of this process, among those on the store
	wake   chan struct{}

	places  chan struct{} // of addresses that are sent to
	sending sync.WaitGroup
	failed  chan error // the first of them that was not told of yet

	mu   sync.Mutex
	busy map[string]bool // those that are sent to, by id
}

// New makes a service.
func New(o Options) (*Service, error) {
	if o.Poll == 0 {
		o.Poll = 2 * time.Second
	}
	if o.Backoff == nil {
		o.Backoff = Backoff
	}
	b := make([]byte, 8)
	if _, err := io.ReadFull(o.Entropy, b); err != nil {
		return nil, errors.New("hook: the random source failed")
	}
	dialer := &net.Dialer{Timeout: patience}
	if !o.Private {
		// Also what a name resolves to: else the server would post to its own network.
		dialer.Control = func(_, address string, _ syscall.RawConn) error { return public(address) }
	}
	return &Service{o: o, name: seed.Hex(b), wake: make(chan struct{}, 1), places: make(chan struct{}, atOnce), failed: make(chan error, 1), busy: map[string]bool{}, client: &http.Client{
		Timeout:       patience,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport:     &http.Transport{DialContext: dialer.DialContext, TLSHandshakeTimeout: patience, MaxIdleConnsPerHost: 1, IdleConnTimeout: time.Minute},
	}}, nil
}

var errPrivate = errors.New("the address is not of the public internet")

// shared networks that netip does not call private.
var shared = []netip.Prefix{
	netip.MustParsePrefix("0.0.0.0/8"), netip.MustParsePrefix("100.64.0.0/10"), netip.MustParsePrefix("192.0.0.0/24"), netip.MustParsePrefix("198.18.0.0/15"),
	netip.MustParsePrefix("240.0.0.0/4"), netip.MustParsePrefix("64:ff9b::/96"), netip.MustParsePrefix("2002::/16"),
}

// public refuses addresses that only this machine or its network can reach.
func public(address string) error {
	at, err := netip.ParseAddrPort(address)
	if err != nil {
		return errPrivate
	}
	ip := at.Addr().Unmap().WithZone("")
	if !ip.IsGlobalUnicast() || ip.IsPrivate() {
		return errPrivate
	}
	for _, p := range shared {
		if p.Contains(ip) {
			return errPrivate
		}
	}
	return nil
}

// Wake says that there may be something to tell. It never waits.
func (s *Service) Wake() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// Run sends until ctx is done.
func (s *Service) Run(ctx context.Context) {
	repeat.Run(ctx, s.o.Poll, s.wake, s.begin, func(err error) {
		if err != nil {
			s.o.Logger.ErrorContext(ctx, "webhooks failed", "error", err)
		} else {
			s.o.Logger.WarnContext(ctx, "webhooks work again")
		}
	})
	s.sending.Wait()
}

// Round sends what is due at this moment, and returns when it was sent. A receiver that
// says no is no error.
func (s *Service) Round(ctx context.Context) error {
	err := s.begin(ctx)
	s.sending.Wait()
	return cmp.Or(err, s.failure())
}

// failure is what the store refused since it was asked last.
func (s *Service) failure() error {
	select {
	case err := <-s.failed:
		return err
	default:
		return nil
	}
}

// begin begins to send what is due at this moment. It waits for places, and not for
// receivers: one that is slow keeps nobody else waiting.
func (s *Service) begin(ctx context.Context) error {
	for after := ""; ; {
		books, err := s.o.Ledger.Books(ctx, kind, after, 100)
		if err != nil {
			return err
		}
		for _, b := range books {
			after = b.Name
			list, err := read(b)
			if err != nil {
				return err
			}
			for _, k := range list {
				now := s.o.Clock.Now()
				if k.Stopped || s.early(now, k) || k.Holder != s.name && held(now, k) || s.isBusy(k.ID) {
					continue
				}
				if waiting, err := s.waiting(ctx, k); err != nil || !waiting {
					if err != nil {
						return err
					}
					continue
				}
				select {
				case s.places <- struct{}{}:
				case <-ctx.Done():
					return ctx.Err()
				}
				s.setBusy(k.ID, true)
				s.sending.Go(func() {
					defer func() { <-s.places }()
					defer s.setBusy(k.ID, false)
					if err := s.send(ctx, b.Name, k.ID); err != nil {
						select {
						case s.failed <- err:
						default:
						}
					}
				})
			}
		}
		if len(books) < 100 {
			return s.failure()
		}
	}
}

func (s *Service) isBusy(id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.busy[id]
}

func (s *Service) setBusy(id string, busy bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if busy {
		s.busy[id] = true
	} else {
		delete(s.busy, id)
	}
}

// early reports whether an address still waits for its next attempt, held whether a
// process holds it. A time that is further off than it was ever set is of a clock that was
// set back since.
func (s *Service) early(now time.Time, k kept) bool {
	waits := s.o.Backoff[:min(k.Failures, len(s.o.Backoff))]
	return len(waits) > 0 && comes(now, k.Next, waits[len(waits)-1])
}

func held(now time.Time, k kept) bool { return comes(now, k.Until, hold) }

// skew is by how much the clocks of processes may differ.
const skew = time.Minute

func comes(now, at time.Time, most time.Duration) bool {
	return now.Before(at) && !now.Add(most+skew).Before(at)
}

// waiting reports whether there is anything that an address has not looked at.
func (s *Service) waiting(ctx context.Context, k kept) (bool, error) {
	entries, err := s.o.Matches.Log(ctx, k.Log, 1)
	if err != nil || len(entries) > 0 {
		return true, err
	}
	news, err := s.o.Ledger.News(ctx, k.News, 1)
	return len(news) > 0, err
}

// errHeld says that the address is another process's, or gone.
var errHeld = errors.New("hook: held by another process")

// update changes an address that this process holds, or takes it.
func (s *Service) update(ctx context.Context, operator, id string, take bool, change func(*kept)) (now kept, err error) {
	err = ledger.Amend(ctx, s.o.Ledger, kind, operator, "", func(b *ledger.Book) error {
		list, err := read(b)
		if err != nil {
			return err
		}
		for i := range list {
			k := &list[i]
			if k.ID != id {
				continue
			}
			at := s.o.Clock.Now()
			if k.Holder != s.name && (!take || held(at, *k)) || take && k.Stopped {
				return errHeld
			}
			k.Holder, k.Until = s.name, at.Add(hold).UTC()
			change(k)
			now = *k
			b.State, err = json.Marshal(list)
			return err
		}
		return errHeld
	})
	return now, err
}

// A message is one thing to tell.
type message struct {
	id   string
	body []byte
}

// send tells an address everything that it has not heard, until it says no or its turn is
// over.
func (s *Service) send(ctx context.Context, op, id string) error {
	began := time.Now()
	k, err := s.update(ctx, op, id, true, func(*kept) {})
	release := func(k *kept) { k.Until = time.Time{} }
	for err == nil {
		var m *message
		next := k
		if m, err = s.next(ctx, op, &next); err != nil {
			break
		}
		if m == nil {
			done := next.Log == k.Log && next.News == k.News
			k, err = s.update(ctx, op, id, false, func(k *kept) {
				k.Log, k.News = next.Log, next.News
				if done {
					release(k)
				}
			})
			if done {
				break
			}
			continue
		}
		if failed := s.post(ctx, k, *m); failed != nil {
			if ctx.Err() != nil { // not the receiver's fault
				_, err = s.update(context.WithoutCancel(ctx), op, id, false, release)
				break
			}
			_, err = s.update(ctx, op, id, false, func(k *kept) {
				release(k)
				k.Failures++
				k.Error = failed.Error()
				if k.Stopped = k.Failures > len(s.o.Backoff); !k.Stopped {
					k.Next = s.o.Clock.Now().Add(s.o.Backoff[k.Failures-1]).UTC()
				}
			})
			break
		}
		over := time.Since(began) >= turn
		k, err = s.update(context.WithoutCancel(ctx), op, id, false, func(k *kept) {
			k.Log, k.News, k.Failures, k.Error, k.Next = next.Log, next.News, 0, "", time.Time{}
			if over {
				release(k)
			}
		})
		if over {
			s.Wake() // there may be more
			break
		}
	}
	if errors.Is(err, errHeld) {
		return nil
	}
	return err
}

// next finds the next message of an address and moves its places behind it. Without a
// message the places move over what is no business of the operator.
func (s *Service) next(ctx context.Context, op string, k *kept) (*message, error) {
	news, err := s.o.Ledger.News(ctx, k.News, batch)
	if err != nil {
		return nil, err
	}
	for _, n := range news {
		k.News = n.Number
		var told struct{ Operator string }
		if json.Unmarshal(n.Text, &told) != nil {
			return nil, errors.New("hook: stored news cannot be read")
		}
		if told.Operator != op {
			continue
		}
		body, err := rotated(n.Text)
		return &message{fmt.Sprint("msg_news_", n.Number), body}, err
	}
	entries, err := s.o.Matches.Log(ctx, k.Log, batch)
	if err != nil {
		return nil, err
	}
	for _, entry := range entries {
		index := k.Log
		k.Log++
		id := closed(entry)
		if id == "" {
			continue
		}
		own, err := operator.Of(ctx, s.o.Ledger, id)
		if errors.Is(err, match.ErrNotFound) || err == nil && own.Operator != op {
			continue
		}
		if err != nil {
			return nil, err
		}
		body, err := s.ended(ctx, id, own.Metadata)
		return &message{fmt.Sprint("msg_log_", index), body}, err
	}
	return nil, nil
}

// A payload is what is posted.
type payload struct {
	Type      string `json:"type"`
	Timestamp string `json:"timestamp"` // when it happened
	Data      any    `json:"data"`
}

// rotated is the message of a rotation.
func rotated(news []byte) ([]byte, error) {
	var told struct {
		Type     string          `json:"type"`
		User     string          `json:"user"`
		Revealed json.RawMessage `json:"revealed"`
		Next     json.RawMessage `json:"next"`
	}
	if err := json.Unmarshal(news, &told); err != nil {
		return nil, err
	}
	var when struct {
		At string `json:"revealed_at"`
	}
	if err := json.Unmarshal(told.Revealed, &when); err != nil {
		return nil, err
	}
	return json.Marshal(payload{told.Type, when.At, map[string]any{"user": told.User, "revealed": told.Revealed, "next": told.Next}})
}

// ended is the message of a match that is over. It says the same at each attempt.
func (s *Service) ended(ctx context.Context, id, metadata string) ([]byte, error) {
	m, err := s.o.Matches.Match(ctx, id)
	if err != nil {
		return nil, err
	}
	const last = 128 // what may follow the end, such as signatures, is less
	events, err := s.o.Matches.Events(ctx, id, max(m.Events, last)-last, last)
	if err != nil {
		return nil, err
	}
	at := m.Created
	for _, e := range events {
		if e.Type == match.Ended || e.Type == match.GivenUp {
			at = e.At
		}
	}
	return json.Marshal(payload{"match." + string(m.State), at.UTC().Format("2006-01-02T15:04:05.000Z"), map[string]any{
		"match": m.ID, "scheme": m.Scheme, "state": m.State, "rolls": m.Rolls, "seats": len(m.Seats), "metadata": metadata,
	}})
}

// Sign is the signature of a message by Standard Webhooks: HMAC-SHA256 over id, time in
// seconds and body, with points between.
func Sign(secret []byte, id string, seconds int64, body []byte) string {
	mac := hmac.New(sha256.New, secret)
	fmt.Fprintf(mac, "%s.%d.", id, seconds)
	mac.Write(body)
	return "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
}

// post makes one attempt. The error is told to the operator: it holds nothing of ours.
func (s *Service) post(ctx context.Context, k kept, m message) error {
	secret, err := s.o.Vault.Open(ofSecret, k.ID, k.Secret)
	if err != nil {
		return errors.New("the secret cannot be read")
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, k.URL, bytes.NewReader(m.body))
	if err != nil {
		return errors.New("the address cannot be read")
	}
	now := s.o.Clock.Now().Unix()
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("User-Agent", "veridiced")
	r.Header.Set("Webhook-Id", m.id)
	r.Header.Set("Webhook-Timestamp", strconv.FormatInt(now, 10))
	r.Header.Set("Webhook-Signature", Sign(secret, m.id, now, m.body))
	answer, err := s.client.Do(r)
	if err != nil {
		var timeout net.Error
		switch {
		case errors.Is(err, errPrivate):
			return errPrivate
		case errors.As(err, &timeout) && timeout.Timeout():
			return errors.New("no answer in time")
		}
		return errors.New("no connection")
	}
	defer answer.Body.Close()
	io.CopyN(io.Discard, answer.Body, 4096) // so that the connection can be used again
	if answer.StatusCode/100 != 2 {
		return fmt.Errorf("the answer was %d", answer.StatusCode)
	}
	return nil
}
