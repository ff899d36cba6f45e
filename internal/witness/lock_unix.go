//go:build unix

package witness

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
)

// Lock makes sure that one process alone serves from a folder. The lock ends with
// the process, however it ends; close it to end it before.
func Lock(folder string) (*os.File, error) {
	f, err := os.OpenFile(filepath.Join(folder, "lock"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		f.Close()
		return nil, errors.New("witness: another process serves from " + folder)
	}
	return f, nil
}
