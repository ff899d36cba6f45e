package client_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"log/slog"
	"net/http/httptest"
	"sync"
	"time"

	"veridice/internal/apikey"
	"veridice/internal/hook"
	"veridice/internal/match"
	"veridice/internal/pair"
	"veridice/internal/server"
	"veridice/internal/store/memory"
)

// A world is a server with its store, for examples and tests.
type world struct {
	*httptest.Server
	key   string
	hooks *hook.Service
}

func (w world) Close() { w.Server.Close() }

// newWorld starts a server. With a clock that stands and a source that is no secret it
// answers the same each time.
func newWorld(clock match.Clock, entropy match.Entropy) world {
	must := func(err error) {
		if err != nil {
			panic(err)
		}
	}
	store := memory.New()
	vault, err := match.NewVault(bytes.Repeat([]byte{7}, match.KeySize))
	must(err)
	log := slog.New(slog.DiscardHandler)
	keys := apikey.New(store, clock, entropy)
	text, _, err := keys.Create(context.Background(), "game", "", []apikey.Scope{apikey.Pairs, apikey.Matches, apikey.Hooks})
	must(err)
	hooks, err := hook.New(hook.Options{Ledger: store, Matches: store, Vault: vault, Clock: clock, Entropy: entropy, Logger: log, Private: true})
	must(err)
	matches := match.New(store, vault, clock, entropy)
	matches.UseLog(func() {}) // closings are told from the log
	s, err := server.New(server.Options{
		Match: matches, Log: log, Ledger: store, Keys: keys, Pairs: pair.New(store, vault, clock, entropy), Hooks: hooks,
	})
	must(err)
	return world{httptest.NewServer(s.Handler()), text, hooks}
}

// stands is a clock that does.
type stands struct{}

func (stands) Now() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 6e6, time.UTC) }

// A stream is SHA-256 over its name and a count.
type stream struct {
	name string
	mu   sync.Mutex
	n    uint64
	rest []byte
}

func (s *stream) Read(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range p {
		if len(s.rest) == 0 {
			s.n++
			sum := sha256.Sum256(binary.BigEndian.AppendUint64([]byte(s.name), s.n))
			s.rest = sum[:]
		}
		p[i], s.rest = s.rest[0], s.rest[1:]
	}
	return len(p), nil
}

// fresh is a server as it is in use.
func fresh() world { return newWorld(match.System{}, rand.Reader) }
