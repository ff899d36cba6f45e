package main

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"veridice/internal/cli"
	"veridice/internal/locale"
	"veridice/record"
	"veridice/vectors"
)

// codes lists the constants of type Code of a file, by the words with which the
// comment of their block begins. A code that is added is found by itself.
func codes(t *testing.T, file string) map[string][]string {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string][]string{}
	for _, d := range f.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Tok != token.CONST {
			continue
		}
		kind, _, _ := strings.Cut(g.Doc.Text(), " ")
		for _, s := range g.Specs {
			for _, v := range s.(*ast.ValueSpec).Values {
				text, err := strconv.Unquote(v.(*ast.BasicLit).Value)
				if err != nil {
					t.Fatal(err)
				}
				found[kind] = append(found[kind], text)
			}
		}
	}
	return found
}

// all gives the codes of verdicts, of findings and of limits.
func all(t *testing.T) (verdicts, findings, limits []string) {
	t.Helper()
	check := codes(t, "../../verify/code.go")
	verdicts = append(codes(t, "../../record/error.go")["Codes"], check["Codes"]...)
	findings, limits = check["Diagnoses:"], check["Limits:"]
	if len(verdicts) < 40 || len(findings) < 15 || len(limits) < 11 {
		t.Fatalf("only %d, %d and %d codes found", len(verdicts), len(findings), len(limits))
	}
	return verdicts, findings, limits
}

// TestCodesHaveWords wants a sentence for every code in every language, and a
// hint for every code of a verdict.
func TestCodesHaveWords(t *testing.T) {
	verdicts, findings, limits := all(t)
	for _, l := range locale.Languages() {
		p := locale.For(l.Tag)
		want := func(key string) {
			if !p.Has(key) {
				t.Errorf("%s: no message %s", l.Tag, key)
			}
		}
		for _, code := range verdicts {
			want("verify." + code)
			if !slices.ContainsFunc(damaged, func(c record.Code) bool { return string(c) == code }) {
				want("verify." + code + ".hint")
			}
		}
		for _, code := range findings {
			if code == "case-of-client-seed" {
				want("verify.finding." + code + ".lower")
				want("verify.finding." + code + ".upper")
				continue
			}
			want("verify.finding." + code)
		}
		for _, code := range limits {
			want("verify.limit." + code)
		}
		for _, code := range codes(t, "../../verify/code.go")["Evidence:"] {
			want("verify." + code)
		}
	}
}

// TestEveryCode runs verify on vectors, which come from an independent
// computation, until every code was seen: verdict line on standard output, a
// hint on standard error, the exit code of the verdict. In every language.
func TestEveryCode(t *testing.T) {
	verdicts, findings, limits := all(t)
	seen := map[string]bool{}
	folder := t.TempDir()
	try := func(name, verdict string, args ...string) {
		t.Helper()
		wantExit := map[string]int{"proven": cli.Proven, "broken": cli.Broken, "unknown": cli.Unknown}[verdict]
		exit, out, errs := call(append([]string{"verify", "--json"}, args...)...)
		var v reportView
		if err := json.Unmarshal([]byte(out), &v); err != nil {
			t.Fatalf("%s: %v: %s%s", name, err, out, errs)
		}
		if exit != wantExit || string(v.Verdict) != verdict || errs != "" {
			t.Errorf("%s: exit %d, verdict %s, want %s; stderr %q", name, exit, v.Verdict, verdict, errs)
		}
		if v.Code != nil {
			seen[string(*v.Code)] = true
		}
		for _, f := range append(v.Findings, v.NotProven...) {
			seen[string(f.Code)] = true
		}
		for _, l := range locale.Languages() {
			exit, out, errs := call(append([]string{"verify", "--lang", l.Tag}, args...)...)
			p := locale.For(l.Tag)
			if exit != wantExit || !strings.HasPrefix(out, p.Text("verify.verdict."+verdict)+": ") {
				t.Errorf("%s: %s: exit %d, %q", name, l.Tag, exit, out)
			}
			if strings.Contains(out, "verify.") || strings.Contains(out, "{") {
				t.Errorf("%s: %s: a key or a placeholder in %q", name, l.Tag, out)
			}
			if verdict != "proven" && !strings.HasPrefix(errs, "veridice: hint: ") {
				t.Errorf("%s: %s: no hint: %q", name, l.Tag, errs)
			}
		}
	}
	write := func(name string, text []byte) string {
		file := filepath.Join(folder, name)
		if err := os.WriteFile(file, text, 0o666); err != nil {
			t.Fatal(err)
		}
		return file
	}
	for _, corpus := range []string{"links.ndjson", "records.ndjson", "veridice1.ndjson", "log.ndjson"} {
		lines, err := vectors.Lines(corpus)
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range lines {
			if kind := kinds[corpus]; kind != "" && !bytes.Contains(line, []byte(`"kind":"`+kind+`"`)) {
				continue
			}
			var v vector
			if err := json.Unmarshal(line, &v); err != nil {
				t.Fatal(err)
			}
			if v.Number > 0 || v.Kept { // only a page has these
				continue
			}
			args := []string{write("input", v.input(t))}
			if v.Seal != "" {
				args = append(args, "--seal", v.Seal)
			}
			if v.Opening != "" {
				args = append(args, "--opening", v.Opening)
			}
			for i, h := range v.Heads {
				args = append(args, "--head", write("head "+strconv.Itoa(i), []byte(h)))
			}
			if v.Policy != "" {
				args = append(args, "--policy", write("policy", []byte(v.Policy)))
			}
			if v.Noted != nil {
				var notes string
				for _, dice := range v.Noted {
					notes += written(dice) + "\n"
				}
				args = append(args, "--rolls", write("notes", []byte(notes)))
			}
			try(corpus+" "+v.Name, v.Want.Verdict, args...)
		}
	}
	try("bad rolls", "unknown", exampleLink, "--rolls", write("notes", []byte("6-3-2\n")))
	try("differing counts", "unknown", "#v=1&s="+exampleSeed+"&p=a&g=7", "--rolls", write("notes", []byte("2-1\n")))

	for _, code := range slices.Concat(verdicts, findings, limits) {
		if !seen[code] {
			t.Errorf("code %s was never seen", code)
		}
	}
}

// kinds are the vectors of a corpus that are texts to verify.
var kinds = map[string]string{"veridice1.ndjson": "record", "log.ndjson": "proof"}

// A vector is what a reader of the tool gives it, of links.ndjson and records.ndjson.
type vector struct {
	Name, Text, Hex, Seal string
	Policy                string   // of log.ndjson
	Opening               string   // of veridice1.ndjson
	Heads                 []string // of veridice1.ndjson
	Pad, Number           int
	Kept                  bool
	Noted                 [][]uint32
	Want                  struct{ Verdict string }
}

// input is the text that is checked.
func (v *vector) input(t *testing.T) []byte {
	t.Helper()
	b, err := hex.DecodeString(v.Hex)
	if err != nil {
		t.Fatal(err)
	}
	return append([]byte(v.Text+strings.Repeat("x", v.Pad)), b...)
}

// call runs one command line without an environment.
func call(args ...string) (exit int, out, errs string) {
	var stdout, stderr bytes.Buffer
	p := program(strings.NewReader(""), &stdout, &stderr, func(string) string { return "" })
	exit = p.Main(args)
	return exit, stdout.String(), stderr.String()
}
