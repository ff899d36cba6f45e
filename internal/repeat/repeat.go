// Package repeat does a thing again and again, and says once what lasts.
package repeat

import (
	"context"
	"time"
)

// A Fault is what went wrong the last time. The zero Fault is nothing.
type Fault struct{ text string }

// News notes what went wrong this time, nil for nothing, and reports whether that is
// another than the last time.
func (f *Fault) News(err error) bool {
	text := ""
	if err != nil {
		text = err.Error()
	}
	news := text != f.text
	f.text = text
	return news
}

// Run takes a step at once, each time a period is over and each time it is woken, until
// ctx is done. tell hears of a fault once for as long as it lasts, and nil when it is over.
func Run(ctx context.Context, period time.Duration, wake <-chan struct{}, step func(context.Context) error, tell func(error)) {
	tick := time.NewTicker(period)
	defer tick.Stop()
	var last Fault
	for {
		if err := step(ctx); ctx.Err() == nil && last.News(err) {
			tell(err)
		}
		select {
		case <-ctx.Done():
			return
		case <-wake:
		case <-tick.C:
		}
	}
}
