// Package apikey keeps the keys with which game servers call the API. A key is
//
//	vk_<16 hex digits>_<43 characters of base64url>
//
// its id and 256 random bits. What is stored is a hash of the whole; a key is shown once,
// when it is made. Each belongs to an operator, whose other keys see the same things, and
// has scopes.
package apikey

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"
	"time"

	"veridice/internal/ledger"
	"veridice/internal/match"
	"veridice/seed"
)

// A Scope is what a key may do.
type Scope string

// The scopes. One without ":read" includes the one with it.
const (
	Pairs       Scope = "pairs"
	PairsRead   Scope = "pairs:read"
	Matches     Scope = "matches"
	MatchesRead Scope = "matches:read"
	Hooks       Scope = "hooks"
)

// Scopes lists all of them.
var Scopes = []Scope{Pairs, PairsRead, Matches, MatchesRead, Hooks}

// MaxOperator is the length in characters of the longest name of an operator.
const MaxOperator = 64

var (
	// ErrRefused says that a key is wrong, unknown or revoked: which of them is nobody's
	// business.
	ErrRefused = errors.New("apikey: no such key")

	// ErrOperator and ErrScope say that a key cannot be made like that.
	ErrOperator = errors.New("apikey: an operator has 1 to 64 characters of A-Z a-z 0-9 _ -")
	ErrScope    = errors.New("apikey: the scopes are pairs, pairs:read, matches, matches:read and hooks")

	errUnread = errors.New("apikey: a stored key cannot be read")
)

// A Key is what is known of a key, without the key itself.
type Key struct {
	ID       string    `json:"id"`
	Operator string    `json:"operator"`
	Label    string    `json:"label,omitempty"` // for people
	Scopes   []Scope   `json:"scopes"`
	Created  time.Time `json:"created"`
	Revoked  time.Time `json:"revoked,omitzero"`
}

// May reports whether a key has a scope.
func (k Key) May(s Scope) bool {
	return slices.Contains(k.Scopes, s) || slices.Contains(k.Scopes, Scope(strings.TrimSuffix(string(s), ":read")))
}

// stored is what the book of a key holds.
type stored struct {
	Key
	Hash []byte `json:"hash"` // SHA-256 of the whole key
}

// kind is the kind of the books of this package; the name of one is the key's id.
const kind = "key"

// A Service keeps keys in a store.
type Service struct {
	store   ledger.Store
	clock   match.Clock
	entropy match.Entropy
}

// New makes a service.
func New(store ledger.Store, clock match.Clock, entropy match.Entropy) *Service {
	return &Service{store, clock, entropy}
}

// Create makes a key and gives it, which nobody can do again.
func (s *Service) Create(ctx context.Context, operator, label string, scopes []Scope) (text string, k Key, err error) {
	if operator == "" || len(operator) > MaxOperator || slices.ContainsFunc([]rune(operator), func(r rune) bool { return !seed.InClient(r) }) {
		return "", k, ErrOperator
	}
	if len(scopes) == 0 || slices.ContainsFunc(scopes, func(x Scope) bool { return !slices.Contains(Scopes, x) }) {
		return "", k, ErrScope
	}
	b := make([]byte, 8+32)
	if _, err := io.ReadFull(s.entropy, b); err != nil {
		return "", k, errors.New("apikey: the random source failed")
	}
	k = Key{ID: seed.Hex(b[:8]), Operator: operator, Label: label, Scopes: scopes, Created: s.clock.Now().UTC().Truncate(time.Second)}
	text = "vk_" + k.ID + "_" + base64.RawURLEncoding.EncodeToString(b[8:])
	sum := sha256.Sum256([]byte(text))
	state, err := json.Marshal(stored{k, sum[:]})
	if err != nil {
		return "", k, err
	}
	err = s.store.Amend(ctx, kind, k.ID, "", func(b *ledger.Book) error {
		if b.Version > 0 {
			return errors.New("apikey: the random source repeats itself")
		}
		b.State = state
		return nil
	})
	return text, k, err
}

// nobody's hash is compared when there is no key of an id, so that the answer takes as long.
var nobody = sha256.Sum256([]byte("nobody"))

// Check finds the key of a text, or gives [ErrRefused].
func (s *Service) Check(ctx context.Context, text string) (Key, error) {
	sum := sha256.Sum256([]byte(text))
	id := ""
	if parts := strings.SplitN(text, "_", 3); len(parts) == 3 && parts[0] == "vk" && len(parts[1]) == 16 {
		if b, ok := seed.ParseHex(parts[1]); ok && len(b) == 8 {
			id = parts[1]
		}
	}
	k := stored{Hash: nobody[:]}
	b, err := s.store.Book(ctx, kind, id)
	switch {
	case err == nil:
		if json.Unmarshal(b.State, &k) != nil {
			return Key{}, errUnread
		}
	case !errors.Is(err, match.ErrNotFound):
		return Key{}, err
	}
	same := subtle.ConstantTimeCompare(sum[:], k.Hash) == 1
	if !same || id == "" || !k.Revoked.IsZero() {
		return Key{}, ErrRefused
	}
	return k.Key, nil
}

// Revoke ends a key, from now on and on every server. Ending it again changes nothing. An
// unknown id gives [match.ErrNotFound].
func (s *Service) Revoke(ctx context.Context, id string) error {
	return ledger.Amend(ctx, s.store, kind, id, "", func(b *ledger.Book) error {
		if b.Version == 0 {
			return match.ErrNotFound
		}
		var k stored
		if json.Unmarshal(b.State, &k) != nil {
			return errUnread
		}
		if k.Revoked.IsZero() {
			k.Revoked = s.clock.Now().UTC().Truncate(time.Second)
		}
		state, err := json.Marshal(k)
		b.State = state
		return err
	})
}

// List lists all keys, in the order of their ids.
func (s *Service) List(ctx context.Context) (keys []Key, err error) {
	for after := ""; ; {
		books, err := s.store.Books(ctx, kind, after, 256)
		if err != nil {
			return nil, err
		}
		for _, b := range books {
			var k stored
			if json.Unmarshal(b.State, &k) != nil {
				return nil, errUnread
			}
			keys = append(keys, k.Key)
			after = b.Name
		}
		if len(books) < 256 {
			return keys, nil
		}
	}
}
