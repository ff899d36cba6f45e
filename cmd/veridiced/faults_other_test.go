//go:build !unix

package main

import (
	"os/exec"
	"testing"

	"veridice/internal/needs"
)

func asNobody(t *testing.T, binary, folder string, args ...string) *exec.Cmd {
	needs.Missing(t, "a user who may not write", "run it on a Unix")
	return nil
}
