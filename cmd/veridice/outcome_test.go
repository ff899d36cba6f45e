package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"sort"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"veridice/bet"
	"veridice/game"
	"veridice/internal/locale"
	"veridice/internal/needs"
)

// A oneBet is a line of vectors/games/bets.ndjson, which come from an
// independent computation.
type oneBet struct {
	Name, Site, Game, Variant, Seed string
	SealedAs                        string `json:"sealed_as"`
	Client                          *string
	Nonce, Cursor                   *uint64
	Params                          map[string]any
	Want                            map[string]any
}

func bets(t *testing.T) []oneBet {
	t.Helper()
	f, err := os.Open("../../vectors/games/bets.ndjson")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var list []oneBet
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var r oneBet
		d := json.NewDecoder(strings.NewReader(lines.Text()))
		d.UseNumber()
		if err := d.Decode(&r); err != nil {
			t.Fatal(err)
		}
		list = append(list, r)
	}
	if len(list) < 400 {
		t.Fatalf("only %d bets", len(list))
	}
	return list
}

// typed writes a wanted value as people type it.
func typed(v any) string {
	list, ok := v.([]any)
	if !ok {
		return fmt.Sprint(v)
	}
	between, parts := " ", []string{}
	for _, one := range list {
		if _, nested := one.([]any); nested {
			between = " | "
		}
		parts = append(parts, typed(one))
	}
	return strings.Join(parts, between)
}

func (r oneBet) args() []string {
	args := []string{"--site", r.Site, "--game", r.Game, "--server-seed", r.Seed}
	if r.Client != nil {
		args = append(args, "--client-seed="+*r.Client)
	}
	if g, err := game.Lookup(r.Site, r.Game); err == nil && bet.PartsOf(g).Nonce {
		args = append(args, "--nonce", strconv.FormatUint(*r.Nonce, 10))
	}
	if r.Cursor != nil {
		args = append(args, "--cursor", strconv.FormatUint(*r.Cursor, 10))
	}
	if r.Variant != "" {
		args = append(args, "--param", "formula="+r.Variant)
	}
	for name, value := range r.Params {
		args = append(args, "--param", name+"="+fmt.Sprint(value))
	}
	return args
}

// flat reports whether a value can be typed: a list of lists of lists cannot.
func flat(v any) bool { return !strings.Contains(fmt.Sprint(v), "[[[") }

// TestOutcomes has the command find every bet's outcome, say it in every language
// and find it broken when it is another.
func TestOutcomes(t *testing.T) {
	games := map[string]bool{}
	for _, r := range bets(t) {
		args := append([]string{"outcome"}, r.args()...)
		if (r.SealedAs) != "" {
			args = append(args, "--seal", r.SealedAs)
		}
		for name, value := range r.Want {
			if flat(value) {
				args = append(args, "--want", name+"="+typed(value))
			}
		}
		exit, out, errs := call(append(slices.Clone(args), "--json")...)
		if out == "" {
			t.Errorf("%s: exit %d, %s", r.Name, exit, errs)
			continue
		}
		v := object(t, out)
		if exit != 0 || errs != "" || v["verdict"] != "proven" {
			t.Errorf("%s: exit %d, %s%s", r.Name, exit, out, errs)
			continue
		}
		if games[r.Site+" "+r.Game] {
			continue
		}
		games[r.Site+" "+r.Game] = true
		for _, l := range locale.Languages() {
			exit, out, errs := call(append(slices.Clone(args), "--lang", l.Tag)...)
			if exit != 0 || errs != "" || strings.Contains(out, "outcome.") || strings.Contains(out, "{") {
				t.Errorf("%s: %s: exit %d, %s%s", r.Name, l.Tag, exit, out, errs)
			}
			if exit, out, _ := call(append(append([]string{"explain"}, r.args()...), "--lang", l.Tag)...); exit != 0 || strings.Contains(out, "outcome.") {
				t.Errorf("%s: %s: explain: exit %d, %s", r.Name, l.Tag, exit, out)
			}
		}
		if r.Site == "zeroplay" || !slices.Contains(args, "--nonce") { // whose nonce says where a game begins
			continue
		}
		changed := slices.Clone(args)
		changed[slices.Index(changed, "--nonce")+1] = strconv.FormatUint(*r.Nonce+1, 10)
		if exit, out, _ := call(append(changed, "--json")...); exit != 1 || object(t, out)["code"] != string(bet.WrongOutcome) {
			if len(r.Want) > 1 || exit != 0 { // one key of few values may be the same by chance
				t.Errorf("%s with another nonce: exit %d, %s", r.Name, exit, out)
			}
		}
	}
	for _, g := range game.All() {
		if name := g.Site + " " + g.Name; g.Grade.Kind != game.Unknown && g.Name != "floats" && g.Name != "bytes" && !games[name] {
			t.Errorf("%s was never computed", name)
		}
	}
}

// TestWordsOfCodes wants a sentence for every label, refusal, grade and key.
func TestWordsOfCodes(t *testing.T) {
	labels := codesOf(t, "../../game/outcome.go", "Label")
	if len(labels) < 12 {
		t.Fatalf("only %d labels", len(labels))
	}
	keys := map[string]bool{}
	for _, r := range bets(t) {
		for name := range r.Want {
			keys[name] = true
		}
	}
	delete(keys, "hmac")     // of the stream, not of the outcome
	delete(keys, "previous") // of the chain
	for _, l := range locale.Languages() {
		p := locale.For(l.Tag)
		want := func(key string) {
			if !p.Has(key) {
				t.Errorf("%s: no message %s", l.Tag, key)
			}
		}
		for _, code := range labels {
			want("outcome.label." + code)
		}
		for _, code := range []game.Code{game.SiteUnknown, game.GameUnknown, game.NotPublished, game.NotCovered, game.Exhausted, game.NoNumber, "not-counted"} {
			want("outcome.refused." + string(code))
		}
		for _, kind := range []string{game.Confirmed, game.Stated, game.ThirdParty} {
			want("outcome.grade." + kind)
		}
		for key := range keys {
			want("outcome.key." + strings.ReplaceAll(key, "_", "-"))
		}
	}
}

// codesOf lists the texts of the constants whose names begin so.
func codesOf(t *testing.T, file, prefix string) []string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for line := range strings.Lines(string(text)) {
		name, rest, ok := strings.Cut(strings.TrimSpace(line), " ")
		if ok && strings.HasPrefix(name, prefix) && strings.Contains(rest, `= "`) {
			_, rest, _ = strings.Cut(rest, `"`)
			code, _, _ := strings.Cut(rest, `"`)
			found = append(found, code)
		}
	}
	return found
}

// TestBetRecipes has openssl and Python come to the words of a bet of every
// scheme and way of taking bytes.
func TestBetRecipes(t *testing.T) {
	needs.Program(t, "openssl")
	python := needs.Program(t, "python3")
	var want, inShell, inPython []string
	seen := map[string]bool{}
	for _, r := range bets(t) {
		if seen[r.Site+" "+r.Game] || r.Game == "blackjack" && r.Site == "liqd" { // 415 blocks
			continue
		}
		seen[r.Site+" "+r.Game] = true
		b := bet.Bet{Site: r.Site, Game: r.Game, Variant: r.Variant, Seed: r.Seed, Client: r.Client, Nonce: r.Nonce, Cursor: r.Cursor}
		for name, value := range r.Params {
			b.Params = append(b.Params, game.Arg{Name: name, Value: fmt.Sprint(value)})
		}
		sort.Slice(b.Params, func(i, j int) bool { return b.Params[i].Name < b.Params[j].Name })
		made, err := bet.Explain(b)
		if err != nil {
			t.Fatalf("%s: %v", r.Name, err)
		}
		e := betExplanation{made}
		if e.inWords() {
			for _, k := range e.Words {
				want = append(want, strconv.FormatUint(uint64(k), 10))
			}
		} else {
			for _, x := range e.taken() {
				want = append(want, strconv.Itoa(int(x)))
			}
		}
		inShell = append(inShell, e.openssl())
		inPython = append(inPython, e.python())
	}
	if len(seen) < 50 {
		t.Errorf("only %d games", len(seen))
	}
	if diff := cmp.Diff(want, strings.Fields(run(t, strings.Join(inShell, "\n"), "sh"))); diff != "" {
		t.Errorf("openssl (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(want, strings.Fields(run(t, strings.Join(inPython, "\n"), python, "-"))); diff != "" {
		t.Errorf("python (-want +got):\n%s", diff)
	}
}

// TestJSONOfBets holds docs/json.md and what outcome, explain and odds print to
// each other.
func TestJSONOfBets(t *testing.T) {
	abc := []string{"--server-seed", "def", "--client-seed", "abc", "--nonce", "1"}
	dice := append([]string{"--site", "shuffle", "--game", "dice"}, abc...)
	sections := map[string][][]string{
		"outcome": {
			append([]string{"outcome", "--said", "43.05"}, dice...), append([]string{"outcome", "--said", "43.06"}, dice...), append([]string{"outcome"}, dice...),
			append([]string{"outcome", "--site", "shuffle", "--game", "baccarat"}, abc...), {"outcome", "--site", "shuffle", "--game", "crash"},
			append([]string{"outcome", "--seal", strings.Repeat("0", 64)}, dice...),
			append([]string{"outcome", "--site", "shuffle", "--game", "plinko", "--param", "rows=8"}, abc...),
		},
		"outcome --list": {{"outcome", "--list"}},
		"explain of a bet": {
			append([]string{"explain"}, dice...), append([]string{"explain", "--site", "shuffle", "--game", "keno"}, abc...),
			{"explain", "--site", "duel", "--game", "dice", "--nonce", "0", "--client-seed", "a", "--server-seed", strings.Repeat("0", 64)},
		},
		"odds":        {{"odds", "yayay"}, {"odds", "--site", "stake", "--game", "mines", "--param", "mines=3"}, {"odds", "--site", "duel", "--game", "mines", "--param", "mines=3"}},
		"odds streak": {{"odds", "streak", "--rolls", "60", "--doubles", "3"}, {"odds", "--site", "stake", "--game", "crash", "--at-least", "2"}},
	}
	for section, commands := range sections {
		rows := described(t, section)
		if section == "explain of a bet" {
			for name, row := range described(t, "outcome") {
				row.null = true // seen in the other section
				rows["made."+name] = row
			}
		}
		for _, args := range commands {
			_, out, errs := call(append(slices.Clone(args), "--json")...)
			if out == "" {
				t.Errorf("%v: %s", args, errs)
			}
			for line := range strings.Lines(out) {
				hold(t, rows, "", object(t, line))
			}
		}
		for name, row := range rows {
			if strings.HasPrefix(name, "made.") {
				continue
			}
			if !row.seen[row.kind] || row.null && !row.seen["null"] {
				t.Errorf("%s: %s was seen as %v only", section, name, row.seen)
			}
		}
	}
}

// TestNotUTF8: bytes that are no text are refused with their place.
func TestNotUTF8(t *testing.T) {
	for text, want := range map[string]string{"ab\xffc": "byte 3", "\xc3": "byte 1", "né\x80": "byte 4"} {
		exit, out, errs := call("outcome", "--site", "shuffle", "--game", "dice", "--server-seed", "def", "--client-seed", text, "--nonce", "1")
		if exit != 2 || out != "" || !strings.Contains(errs, "--client-seed: is not UTF-8 from "+want+" on") {
			t.Errorf("%q: exit %d, %s%s", text, exit, out, errs)
		}
	}
	// A replacement character that was typed is a character like any other.
	if exit, _, errs := call("outcome", "--site", "shuffle", "--game", "dice", "--server-seed", "def", "--client-seed", "\ufffd", "--nonce", "1"); exit != 0 {
		t.Errorf("exit %d, %s", exit, errs)
	}
}
