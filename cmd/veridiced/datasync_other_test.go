//go:build !linux

package main

import (
	"os"
	"time"
)

func datasync(f *os.File) error { return f.Sync() }

func processorTime() time.Duration { return 0 }
