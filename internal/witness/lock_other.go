//go:build !unix

package witness

import (
	"os"
	"path/filepath"
)

// Lock opens the lock of a folder. On this system it does not keep a second process
// out: see to it that there is none.
func Lock(folder string) (*os.File, error) {
	return os.OpenFile(filepath.Join(folder, "lock"), os.O_RDWR|os.O_CREATE, 0o600)
}
