package needs

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A spy is a test that is watched instead of ended.
type spy struct {
	testing.TB
	skipped, failed string
}

func (s *spy) Helper()           {}
func (s *spy) Name() string      { return "TestPage" }
func (s *spy) Skip(args ...any)  { s.skipped = args[0].(string) }
func (s *spy) Fatal(args ...any) { s.failed = args[0].(string) }
func (s *spy) Error(args ...any) { s.TB.Error(args...) }

func TestProgramThatIsThere(t *testing.T) {
	dir := t.TempDir()
	want := filepath.Join(dir, "openssl")
	if err := os.WriteFile(want, []byte("#!/bin/sh\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir)
	if got := Program(t, "openssl"); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// The newest version is taken of a program that is not in the path.
func TestProgramOutsideThePath(t *testing.T) {
	dir := t.TempDir()
	for _, version := range []string{"15", "17", "16"} {
		if err := os.Mkdir(filepath.Join(dir, version), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	got, ok := find(program{globs: []string{filepath.Join(dir, "*")}})
	if want := filepath.Join(dir, "17"); got != want || !ok {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestSkipIsAloud(t *testing.T) {
	file := filepath.Join(t.TempDir(), "skipped")
	t.Setenv("PATH", "")
	t.Setenv(Skipped, file)
	t.Setenv(All, "")
	s := &spy{TB: t}
	if path := Program(s, "gcc"); path != "" {
		t.Errorf("found %q in an empty path", path)
	}
	want := "needs: TestPage needs gcc: apt-get install gcc"
	if s.skipped != want || s.failed != "" {
		t.Errorf("got skip %q, failure %q, want skip %q", s.skipped, s.failed, want)
	}
	text, err := os.ReadFile(file)
	if err != nil || string(text) != want+"\n" {
		t.Errorf("the file holds %q (%v), want %q", text, err, want)
	}
}

func TestSkipFailsWhenAllMustRun(t *testing.T) {
	t.Setenv("PATH", "")
	t.Setenv(Skipped, "")
	t.Setenv(All, "1")
	s := &spy{TB: t}
	Program(s, "node")
	if !strings.Contains(s.failed, "apt-get install nodejs") {
		t.Errorf("got failure %q", s.failed)
	}
}
