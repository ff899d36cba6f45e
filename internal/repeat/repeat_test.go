package repeat_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"veridice/internal/repeat"
)

// What lasts is told once; so is another fault, the end of one, and one that comes again.
// What fails because of the end is not told.
func TestRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		away, full := errors.New("away"), errors.New("full")
		steps := []error{nil, nil, away, away, away, full, full, nil, nil, full, errors.New("full"), away, errors.New("ended")}
		ctx, stop := context.WithCancel(t.Context())
		var told []string
		tries, start := 0, time.Now()
		repeat.Run(ctx, time.Second, nil, func(context.Context) error {
			if tries++; tries == len(steps) {
				stop()
			}
			return steps[tries-1]
		}, func(err error) {
			if err == nil {
				err = errors.New("over")
			}
			told = append(told, err.Error())
		})
		if want := []string{"away", "full", "over", "full", "away"}; !slices.Equal(told, want) {
			t.Errorf("got %q, want %q", told, want)
		}
		if took := time.Since(start); tries != len(steps) || took != time.Duration(len(steps)-1)*time.Second {
			t.Errorf("%d steps in %v", tries, took)
		}
	})
}

// Who is woken does not wait for the period.
func TestWake(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		wake, tries, start := make(chan struct{}, 1), 0, time.Now()
		repeat.Run(ctx, time.Hour, wake, func(context.Context) error {
			if tries++; tries < 3 {
				wake <- struct{}{}
			} else {
				stop()
			}
			return nil
		}, func(error) { t.Error("told of nothing") })
		if took := time.Since(start); tries != 3 || took != 0 {
			t.Errorf("%d steps in %v", tries, took)
		}
	})
}
