package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"veridice/internal/locale"
)

// auditFiles have something for every member of the report.
func auditFiles(t *testing.T) []string {
	t.Helper()
	folder := t.TempDir()
	bets := filepath.Join(folder, "bets.ndjson")
	text := `{"site":"shuffle","game":"dice","seed":"def","client":"abc","nonce":1,"want":{"roll":"43.05"}}
{"site":"shuffle","game":"dice","seed":"def","client":"abc","nonce":1,"want":{"roll":"43.06"}}
{"site":"shuffle","game":"<script>alert(1)</script>","seed":"def","client":"abc","nonce":2,"want":{}}
not a bet
`
	if err := os.WriteFile(bets, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return []string{bets, filepath.Join(folder, "missing")}
}

// TestJSONOfAudit holds docs/json.md and the report to each other.
func TestJSONOfAudit(t *testing.T) {
	rows := described(t, "audit")
	_, out, errs := call(append([]string{"audit", "--json"}, auditFiles(t)...)...)
	hold(t, rows, "", object(t, out))
	_, out, _ = call("audit", "--json", os.DevNull)
	hold(t, rows, "", object(t, out))
	if errs != "" || len(rows) == 0 {
		t.Errorf("%d members; %s", len(rows), errs)
	}
	for name, row := range rows {
		if !row.seen[row.kind] || row.null && !row.seen["null"] {
			t.Errorf("%s was never %s, or never null", name, row.kind)
		}
	}
}

var codeLine = regexp.MustCompile(`(?m)^\t\w+\s+(?:Code +)?= "([a-z0-9-]+)"`)

// TestReasonsHaveWords: each code that a report may group by has a sentence in
// every language, with no placeholder that it does not get.
func TestReasonsHaveWords(t *testing.T) {
	found := 0
	for _, file := range []string{"bet/bet.go", "game/param.go", "internal/audit/ndjson.go", "internal/audit/csv.go", "internal/audit/source.go"} {
		text, err := os.ReadFile("../../" + file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range codeLine.FindAllStringSubmatch(string(text), -1) {
			switch m[1] {
			case "seal-over-bytes", "seal-over-text", "wrong-outcome", "wrong-seal", "integer", "choice", "decimal", "boolean":
				continue
			}
			found++
			for _, l := range locale.Languages() {
				key := "audit.reason." + m[1]
				if p := locale.For(l.Tag); !p.Has(key) || p.Text(key, "about", "x", "words", "y") == "" {
					t.Errorf("%s: no words for %s", l.Tag, m[1])
				}
			}
		}
	}
	if found < 35 {
		t.Errorf("only %d codes found", found)
	}
}

// TestAuditPage: what a file brings cannot become a part of the page.
func TestAuditPage(t *testing.T) {
	page := filepath.Join(t.TempDir(), "page.html")
	if code, _, errs := call(append([]string{"audit", "--html", page}, auditFiles(t)...)...); code != 1 || errs != "" {
		t.Errorf("exit %d: %s", code, errs)
	}
	b, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	text := string(b)
	for _, bad := range []string{"<script", "http:", "https:", "src=", "href=", "javascript:"} {
		if strings.Contains(text, bad) {
			t.Errorf("%s is in the page", bad)
		}
	}
	for _, want := range []string{"&lt;script&gt;", "<svg", "43.06", "<title>Veridice audit: broken</title>"} {
		if !strings.Contains(text, want) {
			t.Errorf("%s is not in the page", want)
		}
	}
}
