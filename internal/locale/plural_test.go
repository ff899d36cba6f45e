package locale

import (
	"encoding/json"
	"os/exec"
	"strings"
	"testing"

	"veridice/internal/needs"
)

// TestIntl compares our plural table and separators with those of the JavaScript
// engine that pages run in.
func TestIntl(t *testing.T) {
	node := needs.Program(t, "node")
	const script = `
		const out = {};
		for (const tag of process.argv.slice(1)) {
			const rules = new Intl.PluralRules(tag), format = new Intl.NumberFormat(tag, { useGrouping: 'min2' });
			const numbers = [...Array(1001).keys(), 9999, 10000, 12345, 999999, 1000000, 1234567, 9007199254740991];
			out[tag] = {
				categories: rules.resolvedOptions().pluralCategories,
				of: numbers.map((n) => [n, rules.select(n), format.format(n)]),
			};
		}
		console.log(JSON.stringify(out));`
	args := []string{"-e", script, "--"}
	for _, l := range Languages() {
		args = append(args, l.Tag)
	}
	text, err := exec.CommandContext(t.Context(), node, args...).Output()
	if err != nil {
		t.Fatal(err)
	}
	var intl map[string]struct {
		Categories []string
		Of         [][3]any
	}
	d := json.NewDecoder(strings.NewReader(string(text)))
	d.UseNumber()
	if err := d.Decode(&intl); err != nil {
		t.Fatal(err)
	}
	for _, l := range Languages() {
		theirs, ours := intl[l.Tag], plurals[l.Tag]
		if len(theirs.Of) < 1001 {
			t.Fatalf("%s: only %d numbers", l.Tag, len(theirs.Of))
		}
		if len(theirs.Categories) != len(ours.categories) {
			t.Errorf("%s: categories %v, want %v", l.Tag, ours.categories, theirs.Categories)
		}
		for _, one := range theirs.Of {
			n, err := one[0].(json.Number).Int64()
			if err != nil {
				t.Fatal(err)
			}
			if got := ours.of(uint64(n)); got != one[1] {
				t.Errorf("%s: %d is %s, want %s", l.Tag, n, got, one[1])
			}
			if got := For(l.Tag).Number(uint64(n)); got != one[2] {
				t.Errorf("%s: %d is written %s, want %s", l.Tag, n, got, one[2])
			}
		}
	}
}
