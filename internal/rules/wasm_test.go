package rules

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestTwoBuilds builds the core for the pages a second time, in a copy of the
// module in another place and with a cache of its own, and wants the same bytes:
// who publishes its SHA-256 must not depend on one machine.
func TestTwoBuilds(t *testing.T) {
	if testing.Short() {
		t.Log("a build from nothing takes a minute: left to the long run")
		return
	}
	root, copied := "../..", t.TempDir()
	sources, err := exec.Command("go", "list", "-C", root, "-f", `{{range .GoFiles}}{{$.Dir}}/{{.}}
{{end}}{{range .EmbedFiles}}{{$.Dir}}/{{.}}
{{end}}`, "veridice/...").Output()
	if err != nil {
		t.Fatal(err)
	}
	top, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	files := strings.Fields(string(sources))
	wasm, err := filepath.Glob(filepath.Join(top, "cmd/veridice-wasm/*.go"))
	if err != nil || len(wasm) == 0 {
		t.Fatal("cmd/veridice-wasm has no files: ", err)
	}
	files = append(append(files, wasm...), filepath.Join(top, "go.mod"), filepath.Join(top, "go.sum"))
	for _, name := range files {
		rel, err := filepath.Rel(top, name)
		if err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		to := filepath.Join(copied, rel)
		if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(to, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	// The flags are those of .ci/wasm, which builds what is published.
	script, err := os.ReadFile("../../.ci/wasm")
	if err != nil {
		t.Fatal(err)
	}
	const flags = "GOOS=js GOARCH=wasm CGO_ENABLED=0 go build -trimpath -buildvcs=false -o"
	if !strings.Contains(string(script), flags) {
		t.Fatalf(".ci/wasm does not build with %q", flags)
	}
	build := func(dir, cache string) []byte {
		t.Helper()
		out := filepath.Join(t.TempDir(), "veridice.wasm")
		cmd := exec.CommandContext(t.Context(), "go", "build", "-trimpath", "-buildvcs=false", "-o", out, "./cmd/veridice-wasm")
		cmd.Dir = dir
		cmd.Env = append(cmd.Environ(), "GOOS=js", "GOARCH=wasm", "CGO_ENABLED=0")
		if cache != "" {
			cmd.Env = append(cmd.Env, "GOCACHE="+cache)
		}
		if text, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		b, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	a, b := build(top, ""), build(copied, t.TempDir())
	if !bytes.Equal(a, b) {
		t.Errorf("two builds differ: %d and %d bytes", len(a), len(b))
	}
	if bytes.Contains(a, []byte(top)) {
		t.Errorf("the build holds the path %s", top)
	}
}
