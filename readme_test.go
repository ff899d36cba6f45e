//go:build !js

package veridice_test

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"veridice/internal/needs"
)

// documents are README.md, NEWS.md and whatever stands in docs.
func documents(t *testing.T) map[string]string {
	t.Helper()
	found := map[string]string{}
	read := func(name string) {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		found[name] = string(text)
	}
	read("README.md")
	read("NEWS.md")
	err := filepath.WalkDir("docs", func(name string, d fs.DirEntry, err error) error {
		if err == nil && filepath.Ext(name) == ".md" {
			read(name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

var (
	block = regexp.MustCompile("(?ms)^```[a-z]*\n(.*?)^```$")
	file  = regexp.MustCompile(`^(?:#|//) ([a-z]+\.[a-z]+)\n`)
	link  = regexp.MustCompile(`\]\(([^)#:]+)\)`)
)

// programs are the commands that are run; what begins with another word is there
// to be read.
var programs = []string{"veridice", "bash", "python3", "go"}

// TestCommands runs the commands of the documents, the lines "$ veridice …" and
// those of the other programs, and wants what stands beneath each, as a terminal
// shows it: answers and all else. A block whose first line is a comment with the
// name of a file is that file.
func TestCommands(t *testing.T) {
	bin := t.TempDir()
	program := filepath.Join(bin, "veridice")
	if runtime.GOOS == "windows" {
		program += ".exe"
	}
	if out, err := exec.Command("go", "build", "-o", program, "./cmd/veridice").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	env := []string{"PATH=" + bin + string(os.PathListSeparator) + os.Getenv("PATH")}
	for _, name := range []string{"HOME", "GOCACHE", "GOROOT", "GOTOOLCHAIN"} {
		if value, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+value)
		}
	}
	for name, text := range documents(t) {
		t.Run(name, func(t *testing.T) {
			folder, ran := t.TempDir(), 0
			for _, m := range block.FindAllStringSubmatch(strings.ReplaceAll(text, "\r\n", "\n"), -1) {
				if f := file.FindStringSubmatch(m[1]); f != nil {
					if err := os.WriteFile(filepath.Join(folder, f[1]), []byte(m[1]), 0o666); err != nil {
						t.Fatal(err)
					}
				}
				for _, c := range commands(m[1]) {
					first, _, _ := strings.Cut(c.command, " ")
					if !slices.Contains(programs, first) {
						continue
					}
					ran++
					t.Run(c.command, func(t *testing.T) {
						switch first {
						case "bash":
							needs.Program(t, "openssl")
						case "python3":
							needs.Program(t, "python3")
						}
						cmd := exec.CommandContext(t.Context(), "sh", "-c", c.command)
						cmd.Dir, cmd.Env = folder, env
						out, err := cmd.CombinedOutput()
						if _, exited := err.(*exec.ExitError); err != nil && !exited {
							t.Fatal(err)
						}
						if diff := cmp.Diff(c.want, string(out)); diff != "" {
							t.Errorf("$ %s\n(-want +got)\n%s", c.command, diff)
						}
					})
				}
			}
			if least := mustRun[filepath.ToSlash(name)]; ran < least {
				t.Errorf("%d commands were run, want at least %d", ran, least)
			}
		})
	}
}

// mustRun has the number of commands that some documents hold at least: none that
// is found is no pass.
var mustRun = map[string]int{"README.md": 2, "docs/json.md": 1, "docs/verify-by-hand.md": 10}

// A command has what it prints beneath it.
type command struct{ command, want string }

// commands finds the commands of a block. One may go on over lines that end in a
// backslash.
func commands(block string) (found []command) {
	lines := strings.Split(strings.TrimSuffix(block, "\n"), "\n")
	for i := 0; i < len(lines); {
		text, isCommand := strings.CutPrefix(lines[i], "$ ")
		if i++; !isCommand {
			continue
		}
		for strings.HasSuffix(text, `\`) && i < len(lines) {
			text = strings.TrimSuffix(text, `\`) + lines[i]
			i++
		}
		c := command{command: text}
		for ; i < len(lines) && !strings.HasPrefix(lines[i], "$ "); i++ {
			c.want += lines[i] + "\n"
		}
		found = append(found, c)
	}
	return found
}

// TestLinks wants what the documents point to in this tree to be there.
func TestLinks(t *testing.T) {
	n := 0
	for name, text := range documents(t) {
		for _, m := range link.FindAllStringSubmatch(text, -1) {
			n++
			if _, err := os.Stat(filepath.Join(filepath.Dir(name), m[1])); err != nil {
				t.Errorf("%s points to %s, which is not there", name, m[1])
			}
		}
	}
	if n == 0 {
		t.Error("no link was looked at")
	}
}

var (
	testName = regexp.MustCompile(`\bTest[A-Z][A-Za-z0-9]*\b`)
	testFunc = regexp.MustCompile(`(?m)^func (Test\w+)\(t \*testing\.T\)`)
)

// TestNamedTests wants the tests that the documents name to be there.
func TestNamedTests(t *testing.T) {
	there := map[string]bool{}
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(name, "_test.go") {
			return err
		}
		text, err := os.ReadFile(name)
		for _, m := range testFunc.FindAllSubmatch(text, -1) {
			there[string(m[1])] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for name, text := range documents(t) {
		for _, test := range testName.FindAllString(text, -1) {
			if n++; !there[test] {
				t.Errorf("%s names %s, which is not there", name, test)
			}
		}
	}
	if n == 0 {
		t.Error("no test was looked for")
	}
}
