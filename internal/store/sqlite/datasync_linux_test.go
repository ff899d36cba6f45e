package sqlite

import (
	"os"
	"syscall"
)

// datasync is what SQLite's commits use here.
func datasync(f *os.File) error { return syscall.Fdatasync(int(f.Fd())) }
