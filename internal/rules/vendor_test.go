package rules

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestVendored holds the code by others to its README: it is what they publish, with
// its licence, imports nothing, and reaches nothing but its arguments.
func TestVendored(t *testing.T) {
	readme, err := os.ReadFile("../../web/vendor/README.md")
	if err != nil {
		t.Fatal(err)
	}
	licences, err := filepath.Glob("../../web/vendor/*/LICENSE")
	if err != nil || len(licences) == 0 {
		t.Fatalf("nothing with a licence below web/vendor: %v", err)
	}
	entries, err := os.ReadDir("../../web/vendor")
	if err != nil || len(entries) != len(licences)+1 {
		t.Errorf("web/vendor holds more than a README and folders with a licence: %v %v", entries, err)
	}
	for _, licence := range licences {
		folder := filepath.Dir(licence)
		name := filepath.Base(folder)
		if text, err := os.ReadFile(licence); err != nil || len(text) == 0 {
			t.Errorf("%s has no licence: %v", name, err)
		}
		scripts, err := filepath.Glob(filepath.Join(folder, "*.*js"))
		if err != nil || len(scripts) != 1 {
			t.Fatalf("%s: got scripts %q, want one", name, scripts)
		}
		code, err := os.ReadFile(scripts[0])
		if err != nil {
			t.Fatal(err)
		}
		sum := sha256.Sum256(code)
		row := "| " + name + " |"
		for line := range strings.Lines(string(readme)) {
			if strings.HasPrefix(line, row) && strings.Contains(line, "`"+hex.EncodeToString(sum[:])+"`") {
				row = ""
			}
		}
		if row != "" {
			t.Errorf("the README has no row with the hash of %s", scripts[0])
		}
		if m := specifier.Find(code); m != nil {
			t.Errorf("%s imports: %s", scripts[0], m)
		}
		bare := comment.ReplaceAll(code, nil)
		if bad := forbidden.Find(bare); bad != nil {
			t.Errorf("%s uses %s", scripts[0], bad)
		}
		if bad := guessable.Find(bare); bad != nil {
			t.Errorf("%s uses %s", scripts[0], bad)
		}
		if bad := pure.Find(bare); bad != nil {
			t.Errorf("%s uses %s", scripts[0], bad)
		}
	}
}
