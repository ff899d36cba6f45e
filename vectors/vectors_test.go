package vectors_test

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"veridice/vectors"
)

// TestNames checks what the account of "make test" relies on: a name stands for
// one vector of its file and has no blank in it.
func TestNames(t *testing.T) {
	files := vectors.Files()
	if len(files) == 0 {
		t.Fatal("no vectors")
	}
	for _, file := range files {
		lines, err := vectors.Lines(file)
		if err != nil {
			t.Error(err)
		}
		seen := map[string]bool{}
		for i, line := range lines {
			var v struct{ Name string }
			if err := json.Unmarshal(line, &v); err != nil {
				t.Errorf("%s: line %d: %v", file, i+1, err)
			}
			if v.Name == "" || seen[v.Name] || strings.ContainsAny(v.Name, " \t\n") {
				t.Errorf("%s: line %d: bad name %q", file, i+1, v.Name)
			}
			seen[v.Name] = true
		}
	}
}

func TestLinesRefusesWhatIsNotThere(t *testing.T) {
	if lines, err := vectors.Lines("nothing.ndjson"); err == nil || lines != nil {
		t.Errorf("got %d lines, %v", len(lines), err)
	}
}

// TestEveryFileHasReaders looks for tests that name each file. That they run
// every line of it is for "make test" to see.
func TestEveryFileHasReaders(t *testing.T) {
	inGo, inJS := sources(t, "_test.go"), sources(t, ".mjs")
	files := append(vectors.Files(), "invalid")
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if !strings.Contains(inGo, `"`+file) {
			t.Errorf("no Go test reads %s", file)
		}
		if name, found := strings.CutSuffix(file, ".ndjson"); found && !strings.Contains(inJS, name) {
			t.Errorf("no test of web/test reads %s", file)
		}
		if !strings.Contains(string(readme), file) {
			t.Errorf("README.md does not say what is in %s", file)
		}
	}
}

// sources joins the text of the files with this ending, except this one and the
// modules of npm.
func sources(t *testing.T, ending string) string {
	var all strings.Builder
	err := filepath.WalkDir("..", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "node_modules" || d.Name() == ".git") {
			return fs.SkipDir
		}
		if !strings.HasSuffix(name, ending) || name == filepath.Join("..", "vectors", "vectors_test.go") ||
			ending == ".mjs" && !strings.Contains(filepath.ToSlash(name), "web/test/") {
			return nil
		}
		text, err := os.ReadFile(name)
		all.Write(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all.String()
}
