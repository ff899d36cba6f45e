package selftest

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"veridice/vectors"
)

// TestRun runs everything that is built in, and names what was changed.
func TestRun(t *testing.T) {
	full, err := Run(vectors.Lines, Full)
	if err != nil || full.Failed != nil || full.Vectors < 1000 {
		t.Fatalf("got %+v, %v; want more than 1000 vectors, all passed", full, err)
	}
	start, err := Run(vectors.Lines, Start)
	// Of each of three schemes the accumulated vector of 10,000 cases is left out.
	if err != nil || start.Failed != nil || start.Vectors != full.Vectors-3 {
		t.Errorf("got %+v, %v; want three vectors fewer than %d, all passed", start, err, full.Vectors)
	}

	changed := func(file string) ([][]byte, error) {
		lines, err := vectors.Lines(file)
		if file == "tavli.ndjson" {
			lines[0] = bytes.Replace(lines[0], []byte(`"dice":[2,1]`), []byte(`"dice":[1,2]`), 1)
		}
		return lines, err
	}
	var first struct{ Name string }
	lines, _ := vectors.Lines("tavli.ndjson")
	if err := json.Unmarshal(lines[0], &first); err != nil {
		t.Fatal(err)
	}
	got, err := Run(changed, Start)
	if want := []string{"tavli " + first.Name}; err != nil || !slices.Equal(got.Failed, want) {
		t.Errorf("got %q, %v; want %q", got.Failed, err, want)
	}
}

// TestUnreadable: vectors that are not there, or are no JSON, are no pass.
func TestUnreadable(t *testing.T) {
	for _, content := range [][][]byte{nil, {[]byte("{")}, {[]byte(`{"name":1}`)}} {
		got, err := Run(func(string) ([][]byte, error) { return content, nil }, Start)
		if err == nil || got.Vectors != 0 {
			t.Errorf("%q: got %+v and no error", content, got)
		}
	}
}

// TestChecks: a self-test that cannot fail proves nothing. Each check must refuse
// a vector that says something else.
func TestChecks(t *testing.T) {
	for file, change := range map[string]func(*vector){
		"sha256.ndjson":         func(v *vector) { v.Hash = strings.Repeat("0", 64) },
		"hmac.ndjson":           func(v *vector) { v.Mac = strings.Repeat("0", 64) },
		"seal.ndjson":           func(v *vector) { v.Seal = v.Other },
		"pair.ndjson":           func(v *vector) { v.Dice = []uint32{7, 7} },
		"tavli.ndjson":          func(v *vector) { v.Dice = []uint32{7, 7} },
		"unlucky.ndjson":        func(v *vector) { v.Messages = nil },
		"yayay.ndjson":          func(v *vector) { v.Face = 7 },
		"shuffle.ndjson":        func(v *vector) { v.Value++ },
		"wrong-readings.ndjson": func(v *vector) { v.Right = [][]uint32{{7, 7}} },
		"accumulated.ndjson":    func(v *vector) { v.Sha256 = "" },
		"rolls.ndjson":          func(v *vector) { v.Rolls = nil },
		"links.ndjson":          func(v *vector) { v.Want.Verdict = "broken" },
		"records.ndjson":        func(v *vector) { v.Want.Verdict = "broken" },
		"log.ndjson":            func(v *vector) { v.Enough[0][1] = v.Enough[0][1] != true },
	} {
		lines, err := vectors.Lines(file)
		if err != nil {
			t.Fatal(err)
		}
		var v vector
		if err := json.Unmarshal(lines[0], &v); err != nil {
			t.Fatal(err)
		}
		if checks[file](&v) != passed {
			t.Errorf("%s: the vector does not pass as it is", file)
		}
		change(&v)
		if checks[file](&v) != failed {
			t.Errorf("%s: a changed vector passes", file)
		}
	}
	lines, err := vectors.Lines("veridice1.ndjson")
	if err != nil {
		t.Fatal(err)
	}
	changes := map[string]func(*vector){
		"chain":    func(v *vector) { v.Role++ },
		"roll":     func(v *vector) { v.Actor++ },
		"ed25519":  func(v *vector) { v.Valid = !v.Valid },
		"record":   func(v *vector) { v.Want.Signed = append(v.Want.Signed, 17) },
		"evidence": func(v *vector) { v.Place = "roll 99" },
	}
	done := map[string]bool{}
	for _, line := range lines {
		var v vector
		if err := json.Unmarshal(line, &v); err != nil {
			t.Fatal(err)
		}
		change := changes[v.Kind]
		if change == nil || done[v.Kind] {
			continue
		}
		done[v.Kind] = true
		if checkVeridice1(&v) != passed {
			t.Errorf("%s: the vector does not pass as it is", v.Name)
		}
		change(&v)
		if checkVeridice1(&v) != failed {
			t.Errorf("%s: a changed vector passes", v.Name)
		}
	}
	if len(done) != len(changes) {
		t.Errorf("only vectors of the kinds %v", done)
	}
	for _, file := range vectors.Files() {
		if checks[file] == nil {
			t.Errorf("the self-test does not read %s", file)
		}
	}
}
