package client_test

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"veridice/internal/needs"
)

var update = flag.Bool("update", false, "write the answers into docs/api.md")

var (
	fence = regexp.MustCompile("(?ms)^```\n(.*?)^```$")
	aged  = regexp.MustCompile(`"(age":)[0-9]+|"(created":)"[^"]*"`)
)

// TestDocs runs the commands of docs/api.md, in order, against a server whose randomness
// and clock are the same each time, and wants what stands beneath each.
func TestDocs(t *testing.T) {
	needs.Program(t, "curl")
	page, err := os.ReadFile("../docs/api.md")
	if err != nil {
		t.Fatal(err)
	}
	bin := t.TempDir()
	program := filepath.Join(bin, "veridice")
	if runtime.GOOS == "windows" {
		program += ".exe"
	}
	if out, err := exec.Command("go", "build", "-o", program, "../cmd/veridice").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	w := newWorld(stands{}, &stream{name: "docs/api.md"})
	defer w.Close()
	env := append(os.Environ(), "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"),
		"API="+w.URL, "AUTH=Authorization: Bearer "+w.key, "JSON=Content-Type: application/json")
	ran := 0
	now := fence.ReplaceAllStringFunc(string(page), func(block string) string {
		text := new(strings.Builder)
		text.WriteString("```\n")
		for _, line := range strings.Split(block, "\n") {
			command, ok := strings.CutPrefix(line, "$ ")
			if !ok {
				continue
			}
			ran++
			cmd := exec.Command("bash", "-c", "set -o pipefail; "+command)
			cmd.Env = env
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Errorf("$ %s\n%v\n%s", command, err, out)
			}
			answer := strings.TrimSuffix(aged.ReplaceAllString(string(out), `"$1${2}…`), "\n")
			text.WriteString(line + "\n" + answer + "\n")
		}
		text.WriteString("```")
		return text.String()
	})
	if ran < 12 {
		t.Errorf("%d commands were run", ran)
	}
	if *update {
		if err := os.WriteFile("../docs/api.md", []byte(now), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(string(page), now); diff != "" {
		t.Errorf("the page is another (-page +now); go test ./client -run TestDocs -update\n%s", diff)
	}
}
