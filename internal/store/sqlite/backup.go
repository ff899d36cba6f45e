package sqlite

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// Backup copies a database file as it is at one moment, whoever works with it
// meanwhile, into a new file, which is there whole or not at all.
func Backup(path, to string) error {
	c, err := connect(path, 0)
	if err != nil {
		return err
	}
	defer c.close()
	dir, err := os.MkdirTemp(filepath.Dir(to), ".new-*") // readable by its owner alone
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	copied := filepath.Join(dir, "copy.db")
	st, _, err := c.c.Prepare("VACUUM INTO ?")
	if err != nil {
		return fmt.Errorf("sqlite: %v", err)
	}
	if err := errors.Join(st.BindText(1, copied), st.Exec()); err != nil {
		return fmt.Errorf("sqlite: %v", err)
	}
	f, err := os.OpenFile(copied, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	if err := errors.Join(f.Chmod(0o600), f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(copied, to)
}
