//go:build unix

package main

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
)

// asNobody prepares a run of the binary by a user to whom files can be closed: who runs
// the tests, or another one if that is root, who then owns the folder.
func asNobody(t *testing.T, binary, folder string, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(binary, args...)
	if os.Getuid() != 0 {
		return cmd
	}
	const nobody = 65534
	for _, path := range []string{filepath.Dir(binary), binary} {
		must(t, os.Chmod(path, 0o755))
	}
	must(t, filepath.WalkDir(folder, func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Lchown(path, nobody, nobody)
	}))
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	return cmd
}
