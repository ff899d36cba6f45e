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

// TestShared looks for a folder beside a repository, from a package and from another
// module in it, and skips aloud where it is missing.
func TestShared(t *testing.T) {
	dir := t.TempDir()
	pkg := filepath.Join(dir, "clone", "test", "interop")
	for _, folder := range []string{pkg, filepath.Join(dir, "clone", ".ci"), filepath.Join(dir, "shared", "spec")} {
		if err := os.MkdirAll(folder, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, file := range []string{filepath.Join(pkg, "go.mod"), filepath.Join(dir, "shared", "spec", "a.json")} {
		if err := os.WriteFile(file, []byte(`{"A": 5}`), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(pkg)
	t.Setenv(Skipped, "")
	t.Setenv(All, "")
	var v struct{ A int }
	SharedJSON(t, "spec/a.json", &v)
	if v.A != 5 {
		t.Errorf("read %+v", v)
	}
	s := &spy{TB: t}
	if path := Shared(s, "spec/b.json"); path != "" || !strings.Contains(s.skipped, "TestPage needs ../shared/spec/b.json") || s.failed != "" {
		t.Errorf("got %q, skip %q, failure %q", path, s.skipped, s.failed)
	}
	t.Setenv(All, "1")
	s = &spy{TB: t}
	if Shared(s, "spec/b.json"); !strings.Contains(s.failed, "../shared/spec/b.json") {
		t.Errorf("got failure %q", s.failed)
	}
}
