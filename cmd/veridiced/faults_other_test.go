//go:build !unix

package main

import (
	"os/exec"
	"testing"
)

func asNobody(t *testing.T, binary, folder string, args ...string) *exec.Cmd {
	t.Skip("files are closed by other means")
	return nil
}
