package publog

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"veridice/internal/match"
)

// failing is a keeper that is asked before each look at the log, once fail is set.
type failing struct {
	keeper
	fail func() error
}

func (f *failing) Tree(ctx context.Context) (match.Tree, error) {
	if f.fail != nil {
		if err := f.fail(); err != nil {
			return match.Tree{}, err
		}
	}
	return f.keeper.Tree(ctx)
}

// A store that is away for long is one line of the log, and another one when it was there
// meanwhile or when something else is wrong.
func TestFaultsAreLoggedOnce(t *testing.T) {
	k, log, tries := new(failing), new(bytes.Buffer), 0
	l := open(t, k, nil, new(given))
	l.Poll, l.Logger = time.Millisecond, slog.New(slog.NewTextHandler(log, nil))
	ctx, stop := context.WithCancel(t.Context())
	k.fail = func() error {
		switch tries++; {
		case tries <= 5:
			return errors.New("away")
		case tries <= 9, tries > 10 && tries <= 15:
			return errors.New("full")
		case tries > 15:
			stop()
		}
		return nil
	}
	l.Run(ctx)
	var said []string
	for line := range strings.Lines(log.String()) {
		said = append(said, line[strings.Index(line, "error=")+6:len(line)-1])
	}
	if got := strings.Join(said, " "); got != "away full full" {
		t.Errorf("after %d tries: got %s", tries, log)
	}
}
