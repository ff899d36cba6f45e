//go:build !windows

package main

import (
	"fmt"
	"os"
	"time"

	"github.com/cheggaaa/pb/v3"

	"veridice/internal/audit"
	"veridice/internal/cli"
)

// showProgress draws a bar if a person sees standard error.
func showProgress(c *cli.Call, o *audit.Options, size int64) (stop func()) {
	info, err := os.Stderr.Stat()
	if err != nil || info.Mode()&os.ModeCharDevice == 0 || c.Getenv("TERM") == "dumb" {
		return func() {}
	}
	bar := pb.New64(size)
	bar.SetWriter(c.Err).Set(pb.Bytes, true).SetRefreshRate(200 * time.Millisecond)
	// The library takes only a file for a terminal. The bar goes when it is done.
	bar.Set(pb.Terminal, true).Set(pb.ReturnSymbol, "\r").Set(pb.CleanOnFinish, true)
	if bar.Width() <= 0 { // a terminal that does not know its own
		bar.SetWidth(79)
	}
	if size > 0 {
		bar.SetTemplateString(`{{bar . }} {{percent . }} {{string . "bets"}} {{rtime . "%s left"}}`)
	} else {
		bar.SetTemplateString(`{{counters . }} {{string . "bets"}} {{etime . }}`)
	}
	began := time.Now()
	bar.Start()
	o.Progress = func(stored int64, n uint64) {
		bar.SetCurrent(stored)
		rate := float64(n) / max(time.Since(began).Seconds(), 1e-3)
		bar.Set("bets", fmt.Sprintf("%d bets, %.0f/s", n, rate))
	}
	return func() { bar.Finish() }
}
