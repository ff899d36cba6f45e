//go:build !linux

package sqlite

import "os"

func datasync(f *os.File) error { return f.Sync() }
