package main

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"veridice/vectors"
)

// A member is a row of docs/json.md.
type member struct {
	kind string // text, number, bool, list or object
	null bool
	seen map[string]bool // the types it was seen with
}

// described reads the table of one verb from docs/json.md.
func described(t *testing.T, verb string) map[string]*member {
	t.Helper()
	text, err := os.ReadFile("../../docs/json.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, found := strings.Cut(string(text), "\n## "+verb+"\n")
	if !found {
		t.Fatalf("docs/json.md says nothing of %s", verb)
	}
	section, _, _ = strings.Cut(section, "\n## ")
	members := map[string]*member{}
	for line := range strings.Lines(section) {
		cells := strings.Split(line, " | ")
		if name, row := strings.CutPrefix(cells[0], "| "); row && name != "member" && len(cells) == 3 {
			kind, null := strings.CutSuffix(cells[1], " or null")
			members[name] = &member{kind, null, map[string]bool{}}
		}
	}
	return members
}

// hold compares an object with the rows below a name: each is there, with its
// type, and there is nothing else.
func hold(t *testing.T, rows map[string]*member, under string, object map[string]any) {
	t.Helper()
	want := map[string]bool{}
	for name := range rows {
		if parent, child := split(name); parent == under {
			want[child] = true
		}
	}
	if got, want := slices.Sorted(maps.Keys(object)), slices.Sorted(maps.Keys(want)); !slices.Equal(got, want) {
		t.Errorf("%q has the members %v, want %v", under, got, want)
	}
	for child, value := range object {
		name := strings.TrimPrefix(under+"."+child, ".")
		row := rows[name]
		if row == nil {
			continue // said above
		}
		kind := ""
		switch v := value.(type) {
		case nil:
			kind = "null"
		case string:
			kind = "text"
		case float64:
			kind = "number"
		case bool:
			kind = "bool"
		case []any:
			kind = "list"
			for _, one := range v {
				if o, ok := one.(map[string]any); ok {
					hold(t, rows, name, o)
				}
			}
		case map[string]any:
			if kind = row.kind; kind != "map" { // the members of a map differ from game to game
				kind = "object"
				hold(t, rows, name, v)
			}
		}
		row.seen[kind] = true
		if kind != row.kind && !(kind == "null" && row.null) {
			t.Errorf("%s is %s, want %s", name, kind, row.kind)
		}
	}
}

func split(name string) (parent, child string) {
	if i := strings.LastIndexByte(name, '.'); i >= 0 {
		return name[:i], name[i+1:]
	}
	return "", name
}

// TestJSON holds docs/json.md and the program to each other: nothing undescribed
// is printed, and everything described is met, null too where it may be null.
func TestJSON(t *testing.T) {
	folder := t.TempDir()
	var inputs []string
	var evidence [][]byte
	for _, corpus := range []string{"links.ndjson", "records.ndjson", "veridice1.ndjson"} {
		lines, err := vectors.Lines(corpus)
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range lines {
			if bytes.Contains(line, []byte(`"kind":"evidence"`)) {
				evidence = append(evidence, line)
			}
			if corpus == "veridice1.ndjson" && !bytes.Contains(line, []byte(`"kind":"record"`)) {
				continue
			}
			var v vector
			if err := json.Unmarshal(line, &v); err != nil {
				t.Fatal(err)
			}
			file := filepath.Join(folder, corpus+" "+strings.ReplaceAll(v.Name, "/", "-"))
			if err := os.WriteFile(file, v.input(t), 0o666); err != nil {
				t.Fatal(err)
			}
			inputs = append(inputs, file)
		}
	}
	policies := map[string]string{} // of proof files
	lines, err := vectors.Lines("log.ndjson")
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range lines {
		var v vector
		if !bytes.Contains(line, []byte(`"kind":"proof"`)) {
			continue
		}
		if err := json.Unmarshal(line, &v); err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(folder, v.Name)
		for name, text := range map[string]string{file: v.Text, file + ".policy": v.Policy} {
			if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		policies[file] = file + ".policy"
		inputs = append(inputs, file)
	}
	inputs = append(inputs, folder, filepath.Join(folder, "missing"), exampleLink)

	verify, explain := described(t, "verify"), described(t, "explain")
	_, out, errs := call(append([]string{"verify", "--json"}, inputs...)...)
	said := strings.Split(strings.TrimSuffix(out, "\n"), "\n")
	if len(said) != len(inputs) || errs != "" {
		t.Errorf("%d lines for %d inputs; %s", len(said), len(inputs), errs)
	}
	for _, line := range said {
		hold(t, verify, "", object(t, line))
	}
	for file, policy := range policies {
		_, out, _ = call("verify", "--json", "--policy", policy, file)
		hold(t, verify, "", object(t, out))
	}
	_, out, _ = call("verify", "--json", "--seal", exampleSeal, exampleLink)
	hold(t, verify, "", object(t, out))
	for _, input := range inputs {
		_, out, _ := call("explain", "--json", input)
		if o := object(t, out); o["verdict"] == nil {
			hold(t, explain, "", o)
		} else {
			hold(t, verify, "", o)
		}
	}
	_, out, _ = call("explain", "--json", "--roll", "87", exampleLink)
	hold(t, explain, "", object(t, out))
	_, out, _ = call("explain", "--json", "--roll", "2", filepath.Join(folder, "veridice1.ndjson record-cards-and-large-dice"))
	hold(t, explain, "", object(t, out))
	notes := described(t, "evidence")
	for _, line := range evidence {
		var v struct {
			Key   string
			Notes []string
		}
		if err := json.Unmarshal(line, &v); err != nil {
			t.Fatal(err)
		}
		args := []string{"evidence", "--json", "--key", v.Key}
		for i, note := range v.Notes {
			file := filepath.Join(folder, "note "+strconv.Itoa(i))
			if err := os.WriteFile(file, []byte(note), 0o666); err != nil {
				t.Fatal(err)
			}
			args = append(args, file)
		}
		_, out, _ := call(args...)
		hold(t, notes, "", object(t, out))
	}
	selftest, version := described(t, "selftest"), described(t, "version")
	_, out, _ = call("selftest", "--json")
	hold(t, selftest, "", object(t, out))
	_, out, _ = call("version", "--json")
	hold(t, version, "", object(t, out))

	for verb, rows := range map[string]map[string]*member{"verify": verify, "explain": explain, "evidence": notes, "selftest": selftest, "version": version} {
		if len(rows) == 0 {
			t.Errorf("%s: no members described", verb)
		}
		for name, row := range rows {
			if !row.seen[row.kind] {
				t.Errorf("%s: %s was never %s", verb, name, row.kind)
			}
			if row.null && !row.seen["null"] {
				t.Errorf("%s: %s was never null", verb, name)
			}
		}
	}
}

// object decodes the one object that stands on one line.
func object(t *testing.T, line string) map[string]any {
	t.Helper()
	var o map[string]any
	if err := json.Unmarshal([]byte(line), &o); err != nil {
		t.Fatalf("%v: %.200s", err, line)
	}
	return o
}
