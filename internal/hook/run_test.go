package hook_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"veridice/internal/hook"
	"veridice/internal/ledger"
	"veridice/internal/store/memory"
)

// failing asks before each look at what is to be sent.
type failing struct {
	*memory.Store
	fail func() error
}

func (f failing) Books(ctx context.Context, kind, after string, limit int) ([]*ledger.Book, error) {
	if err := f.fail(); err != nil {
		return nil, err
	}
	return f.Store.Books(ctx, kind, after, limit)
}

// A store that is away for long is one line of the log, and another one when it was there
// meanwhile or when something else is wrong.
func TestFaultsAreLoggedOnce(t *testing.T) {
	f, log, tries := newFixture(t), new(bytes.Buffer), 0
	ctx, stop := context.WithCancel(t.Context())
	s, err := hook.New(hook.Options{
		Ledger: failing{f.store, func() error {
			switch tries++; {
			case tries <= 5:
				return errors.New("away")
			case tries <= 9, tries > 10 && tries <= 15:
				return errors.New("full")
			case tries > 15:
				stop()
			}
			return nil
		}},
		Matches: f.store, Vault: f.vault, Clock: f.clock, Entropy: rand.Reader, Logger: slog.New(slog.NewTextHandler(log, nil)), Poll: time.Millisecond,
	})
	if err != nil {
		t.Fatal(err)
	}
	s.Run(ctx)
	var said []string
	for line := range strings.Lines(log.String()) {
		said = append(said, line[strings.Index(line, "error=")+6:len(line)-1])
	}
	if got := strings.Join(said, " "); got != "away full full" {
		t.Errorf("after %d tries: got %s", tries, log)
	}
}
