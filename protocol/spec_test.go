package protocol_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"veridice/protocol"
)

// TestTableDocument holds docs/spec/table.md to the code: its example, its limits, and
// every notation that it has.
func TestTableDocument(t *testing.T) {
	text, err := os.ReadFile("../docs/spec/table.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "```terms\n")
	terms, _, ok := strings.Cut(rest, "```\n")
	if _, err := protocol.ParseTerms([]byte(terms)); !ok || err != nil {
		t.Errorf("its example is %v:\n%s", err, terms)
	}
	for limit, words := range map[int]string{
		protocol.MaxDice: "from 1 to 100", protocol.MaxFaces: "2 to 1000000", protocol.MaxDeck: "2 to 416 cards", protocol.MinWait: "10 to 86400", protocol.MaxWait: "10 to 86400",
	} {
		if !strings.Contains(string(text), words) {
			t.Errorf("it does not say %q, the limit is %d", words, limit)
		}
	}
	_, dice, _ := strings.Cut(string(text), "## Dice\n")
	dice, refused, _ := strings.Cut(dice, "Refused, among others: ")
	refused, _, _ = strings.Cut(refused, "\n")
	rows := regexp.MustCompile("(?m)^\\| `([^`]+)` \\|").FindAllStringSubmatch(dice, -1)
	if len(rows) != 5 {
		t.Errorf("%d notations, want 5", len(rows))
	}
	for _, row := range rows {
		if _, err := protocol.ParseDice(row[1]); err != nil {
			t.Errorf("it has the notation %s, which is refused", row[1])
		}
	}
	bad := regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(refused, -1)
	if len(bad) < 10 {
		t.Errorf("%d refused notations", len(bad))
	}
	for _, row := range bad {
		_, err := protocol.ParseDice(row[1])
		wantFault(t, row[1], err, "bad-dice")
	}
}
