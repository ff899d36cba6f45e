//go:build !js

package veridice_test

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
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
	link  = regexp.MustCompile(`\]\(([^)#:]+)\)`)
)

// TestCommands runs every "$ veridice" of the documents and wants what stands
// beneath it, as a terminal shows it: answers and all else.
func TestCommands(t *testing.T) {
	folder := t.TempDir()
	program := filepath.Join(folder, "veridice")
	if runtime.GOOS == "windows" {
		program += ".exe"
	}
	if out, err := exec.Command("go", "build", "-o", program, "./cmd/veridice").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	ran := map[string]int{}
	for name, text := range documents(t) {
		for _, m := range block.FindAllStringSubmatch(strings.ReplaceAll(text, "\r\n", "\n"), -1) {
			// A command may go on over lines that end in a backslash.
			lines := strings.Split(strings.TrimSuffix(m[1], "\n"), "\n")
			for i := 0; i < len(lines); {
				command, isCommand := strings.CutPrefix(lines[i], "$ ")
				if i++; !isCommand || !strings.HasPrefix(command, "veridice ") {
					continue
				}
				for strings.HasSuffix(command, `\`) && i < len(lines) {
					command = strings.TrimSuffix(command, `\`) + lines[i]
					i++
				}
				want := ""
				for ; i < len(lines) && !strings.HasPrefix(lines[i], "$ "); i++ {
					want += lines[i] + "\n"
				}
				ran[name]++
				cmd := exec.CommandContext(t.Context(), "sh", "-c", command)
				cmd.Dir = folder
				cmd.Env = []string{"PATH=" + folder + string(os.PathListSeparator) + os.Getenv("PATH")}
				out, err := cmd.CombinedOutput()
				if _, exited := err.(*exec.ExitError); err != nil && !exited {
					t.Fatal(err)
				}
				if diff := cmp.Diff(want, string(out)); diff != "" {
					t.Errorf("%s: $ %s\n(-want +got)\n%s", name, command, diff)
				}
			}
		}
	}
	for _, name := range []string{"README.md", "docs/json.md"} {
		if ran[filepath.FromSlash(name)] == 0 {
			t.Errorf("no command of %s was run", name)
		}
	}
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
