// Package needs is for tests that need something of the machine: a browser, a
// database, another language, the specification's files beside the repository. A test
// that cannot run here skips, and says so in a file that "make test" prints at its end;
// the gate sets VERIDICE_TEST_ALL=1, under which such a skip is a failure. No other
// package skips a test.
package needs

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// Skipped names the file to which a skipped test adds a line.
const Skipped = "VERIDICE_SKIPPED"

// All makes a skip a failure when it is "1".
const All = "VERIDICE_TEST_ALL"

// A program has a Debian package that brings it, the names it may have in the
// path, and places outside the path in which it is known to be.
type program struct {
	pkg   string
	names []string
	globs []string
}

var programs = map[string]program{
	"chromium": {"chromium", []string{"chromium", "chromium-browser", "google-chrome", "chrome"}, nil},
	"curl":     {"curl", []string{"curl"}, nil},
	"gcc":      {"gcc", []string{"gcc", "cc", "clang"}, nil},
	"node":     {"nodejs", []string{"node", "nodejs"}, nil},
	"openssl":  {"openssl", []string{"openssl"}, nil},
	"postgres": {"postgresql", []string{"postgres"}, []string{"/usr/lib/postgresql/*/bin/postgres"}},
	"python3":  {"python3", []string{"python3"}, nil},
}

// Program returns the path of a program: chromium, curl, gcc, node, openssl, postgres
// or python3. Where it is missing the test skips aloud. A short run, which comes
// beside a long one, starts no browser.
func Program(t testing.TB, name string) string {
	t.Helper()
	p, known := programs[name]
	if !known {
		t.Fatalf("needs: unknown program %q", name)
	}
	if runtime.GOARCH == "wasm" {
		// No process can be started there; the native run of the same test counts.
		t.Skip("needs " + name)
	}
	if name == "chromium" {
		Long(t, "the race detector looks at the server, not at the pages it serves")
	}
	if path, ok := find(p); ok {
		return path
	}
	skip(t, p.pkg, "apt-get install "+p.pkg)
	return ""
}

func find(p program) (path string, ok bool) {
	for _, name := range p.names {
		if path, err := exec.LookPath(name); err == nil {
			return path, true
		}
	}
	for _, glob := range p.globs {
		found, err := filepath.Glob(glob)
		if err == nil && len(found) > 0 {
			slices.Sort(found)
			return found[len(found)-1], true
		}
	}
	return "", false
}

// Shared returns the path of a file or folder of the specification, which stands in
// ../shared as seen from the top of the repository. Where it is missing the test skips
// aloud.
func Shared(t testing.TB, path string) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(filepath.Dir(top(dir, ".ci")), "shared", filepath.FromSlash(path))
	if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) {
		skip(t, "../shared/"+path, "put it beside the repository")
		return ""
	} else if err != nil {
		t.Fatal(err)
	}
	return file
}

// SharedJSON reads a file of [Shared] into a value.
func SharedJSON(t testing.TB, path string, value any) {
	t.Helper()
	text, err := os.ReadFile(Shared(t, path))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, value); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}

// top is the nearest folder from dir up that holds something of this name, else dir.
func top(dir, name string) string {
	for up := dir; ; up = filepath.Dir(up) {
		if _, err := os.Stat(filepath.Join(up, name)); err == nil {
			return up
		}
		if up == filepath.Dir(up) {
			return dir
		}
	}
}

// Long leaves a test to the long run. A short run comes beside a long one, under the race
// detector or in another engine, and is no reason to fail.
func Long(t testing.TB, why string) {
	t.Helper()
	if testing.Short() {
		t.Skip("a short run leaves it to the long one: " + why)
	}
}

// Missing ends a test that needs something of the system which only the test itself can
// look for; how says what to do about it.
func Missing(t testing.TB, what, how string) {
	t.Helper()
	skip(t, what, how)
}

// skip ends the test. The line is "PACKAGE/TEST needs WHAT: HOW TO GET IT".
func skip(t testing.TB, what, how string) {
	t.Helper()
	line := folder() + ": " + t.Name() + " needs " + what + ": " + how
	if os.Getenv(All) == "1" {
		t.Fatal("skipped: " + line)
	}
	if err := note(line); err != nil {
		t.Error(err)
	}
	t.Skip(line)
}

func note(line string) error {
	name := os.Getenv(Skipped)
	if name == "" {
		return nil
	}
	f, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(f, line)
	return errors.Join(err, f.Close())
}

// folder is the package under test as a path from the top of the module; "go
// test" runs in its folder.
func folder() string {
	dir, err := os.Getwd()
	if err != nil {
		return "?"
	}
	up := top(dir, "go.mod")
	name, err := filepath.Rel(up, dir)
	if err != nil || up == dir {
		name = filepath.Base(dir)
	}
	return strings.TrimPrefix(filepath.ToSlash(name), "internal/")
}
