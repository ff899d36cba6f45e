// Package vectortest reads the vectors for Go tests and keeps account of what
// was read: "make test" fails when an engine left a vector out.
package vectortest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"testing"

	"veridice/vectors"
)

// Env names the file to which readers add a line "ENGINE FILE NAME" for each
// vector they have run. The engines are go, wasm and javascript.
const Env = "VERIDICE_VECTORS"

// Each runs f on every vector of a file as a subtest named after it. A field
// that T does not have is a failure, so that no expectation goes unseen. A short
// run, in a browser or under the race detector, leaves out what has more than
// 10,000 cases.
func Each[T any](t *testing.T, file string, f func(*testing.T, T)) {
	t.Helper()
	each(t, file, "", f)
}

// EachKind is [Each] for the vectors whose field "kind" has this value.
func EachKind[T any](t *testing.T, file, kind string, f func(*testing.T, T)) {
	t.Helper()
	each(t, file, kind, f)
}

func each[T any](t *testing.T, file, kind string, f func(*testing.T, T)) {
	t.Helper()
	lines, err := vectors.Lines(file)
	if err != nil {
		t.Fatal(err)
	}
	var read bytes.Buffer
	for _, line := range lines {
		var head struct {
			Name, Kind string
			Cases      int
		}
		if err := json.Unmarshal(line, &head); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		if kind != "" && head.Kind != kind || head.Cases > 10_000 && testing.Short() {
			continue
		}
		var v T
		d := json.NewDecoder(bytes.NewReader(line))
		d.DisallowUnknownFields()
		if err := d.Decode(&v); err != nil {
			t.Errorf("%s: %s: %v", file, head.Name, err)
			continue
		}
		t.Run(head.Name, func(t *testing.T) { f(t, v) })
		fmt.Fprintln(&read, engine(), file, head.Name)
	}
	if read.Len() == 0 {
		t.Errorf("%s: no vector of kind %q", file, kind)
	}
	account(t, read.Bytes())
}

func engine() string {
	if runtime.GOARCH == "wasm" {
		return "wasm"
	}
	return "go"
}

func account(t *testing.T, lines []byte) {
	name := os.Getenv(Env)
	if name == "" {
		return
	}
	f, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	// One write a file of vectors: tests of other packages add to the same account.
	if _, err := f.Write(lines); err != nil {
		t.Error(err)
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
}
