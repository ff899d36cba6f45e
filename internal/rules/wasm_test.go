package rules

import (
	"bytes"
	"compress/gzip"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// programs are what the pages get of the core.
var programs = []string{"veridice-wasm", "veridice-outcome-wasm"}

// buildFlags are those of .ci/wasm, which builds what is published.
var buildFlags = []string{"build", "-trimpath", "-buildvcs=false", "-ldflags=-s", "-o"}

// buildWasm builds a program in a copy of the module, with a cache of its own unless
// that is "".
func buildWasm(t *testing.T, program, dir, cache string) []byte {
	t.Helper()
	out := filepath.Join(t.TempDir(), "core.wasm")
	cmd := exec.CommandContext(t.Context(), "go", append(buildFlags[:len(buildFlags):len(buildFlags)], out, "./cmd/"+program)...)
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

// built are the programs as this machine's cache makes them, for both tests.
var built = map[string][]byte{}

func buildHere(t *testing.T, program string) []byte {
	t.Helper()
	if built[program] == nil {
		built[program] = buildWasm(t, program, "../..", "")
	}
	return built[program]
}

// TestSmall holds what a page fetches to a size, as it is sent. A phone pays for it
// each time the core changes.
func TestSmall(t *testing.T) {
	const most = 1_000_000
	for _, program := range programs {
		var zipped bytes.Buffer
		w, err := gzip.NewWriterLevel(&zipped, gzip.BestCompression)
		if err != nil {
			t.Fatal(err)
		}
		w.Write(buildHere(t, program)) // a Buffer never fails
		w.Close()
		t.Logf("%s: %d bytes", program, zipped.Len())
		if zipped.Len() > most || zipped.Len() < most/10 {
			t.Errorf("%s has %d bytes when compressed, want at most %d", program, zipped.Len(), most)
		}
	}
}

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
	for _, program := range programs {
		sources, err := filepath.Glob(filepath.Join(top, "cmd", program, "*.go"))
		if err != nil || len(sources) == 0 {
			t.Fatalf("cmd/%s has no files: %v", program, err)
		}
		files = append(files, sources...)
	}
	files = append(files, filepath.Join(top, "go.mod"), filepath.Join(top, "go.sum"))
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
	script, err := os.ReadFile("../../.ci/wasm")
	if err != nil {
		t.Fatal(err)
	}
	flags := "GOOS=js GOARCH=wasm CGO_ENABLED=0 go " + strings.Join(buildFlags, " ")
	if !strings.Contains(string(script), flags) {
		t.Fatalf(".ci/wasm does not build with %q", flags)
	}
	cache := t.TempDir()
	for _, program := range programs {
		if !strings.Contains(string(script), program) {
			t.Errorf(".ci/wasm does not build %s", program)
		}
		a, b := buildHere(t, program), buildWasm(t, program, copied, cache)
		if !bytes.Equal(a, b) {
			t.Errorf("%s: two builds differ: %d and %d bytes", program, len(a), len(b))
		}
		if bytes.Contains(a, []byte(top)) {
			t.Errorf("%s holds the path %s", program, top)
		}
	}
}
