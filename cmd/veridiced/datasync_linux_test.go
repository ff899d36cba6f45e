package main

import (
	"os"
	"syscall"
	"time"
)

// datasync is what the commits of SQLite use here.
func datasync(f *os.File) error { return syscall.Fdatasync(int(f.Fd())) }

// processorTime is what this process has used so far; unlike the clock it says
// something on a busy machine too.
func processorTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
