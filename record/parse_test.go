package record_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"veridice/internal/needs"
	"veridice/record"
	"veridice/seed"
)

// The two examples of docs/spec/record.md.
const (
	tavliText = `veridice record 1
scheme tavli/1
match m-1
seal 752be61eabe9ccd97644543b438cca1fa8cf52a8351f1e1f6c86a21bc8173269
client bc541483be9f0ac9aa71379947c5a6c5
client 9ab7b939b5e2f6c1673f1483b8dc200b
game
roll 1 6 6
roll 2 1 5
roll 3 3 2
roll 4 2 3
roll 5 1 6
roll 6 6 6
roll 7 3 2
game
roll 8 6 1
roll 9 2 4
roll 10 6 6
roll 11 4 3
roll 12 4 6
seed 2d23a7916a1d0d6078c9f2068d7a7049de1e0f2f3faeb181a25e6798af6a8635
rolls 12
state finished
sum eadf0b31b1dc29395eefeeff74573e66dbaf340a00ebe0ad44f9efb3e57674d2
`
	yayayText = `veridice record 1
scheme yayay/1
match y-1
seal 752be61eabe9ccd97644543b438cca1fa8cf52a8351f1e1f6c86a21bc8173269
roll 1 5 2
roll 2 2 6
roll 3 6 1
roll 4 4
roll 5 4 5
roll 6 4 6
roll 7 4 6
roll 8 4 6
roll 9 6
roll 10 1 6
seed 2d23a7916a1d0d6078c9f2068d7a7049de1e0f2f3faeb181a25e6798af6a8635
rolls 10
state finished
sum db97ecea8f66f332a9abd0ebd79bc1f764c58cc4ecdf42ef7ff756b4d8e99743
`
	// The shortest record: nothing has happened yet.
	openText = `veridice record 1
scheme tavli/1
match -
seal -
client a
seed -
rolls 0
state running
sum 0000000000000000000000000000000000000000000000000000000000000000
`
)

// grammar is section "Lines" of docs/spec/record.md once more, as expressions:
// what they match is a record, and nothing else is, up to the limits of length;
// clients are counted by [inGrammar].
var grammar = regexp.MustCompile(`\A(?:veridice record 1
scheme tavli/1
match [A-Za-z0-9._-]{1,64}
seal (?:-|[0-9a-f]{64})
((?:client [A-Za-z0-9_-]+
)+)(?:(?:roll (?:100000|[1-9][0-9]{0,4}) [1-6] [1-6]
)*|(?:game
(?:roll (?:100000|[1-9][0-9]{0,4}) [1-6] [1-6]
)+)+)seed (?:-|(?:[0-9a-f]{2}){16,64})
|veridice record 1
scheme yayay/1
match [A-Za-z0-9._-]{1,64}
seal (?:-|[0-9a-f]{64})
(?:roll (?:100000|[1-9][0-9]{0,4})(?: [1-6]){1,100}
)*seed (?:-|[0-9a-f]{64})
)rolls (?:0|100000|[1-9][0-9]{0,4})
state (?:running|finished|aborted)
sum [0-9a-f]{64}
\z`)

func inGrammar(text []byte) bool {
	text, ok := bare(text)
	if !ok {
		return false
	}
	m := grammar.FindSubmatch(text)
	if m == nil {
		return chainInGrammar(string(text))
	}
	clients := bytes.SplitAfter(m[1], []byte("\n"))
	for _, line := range clients {
		if len(line) > len("client \n")+128 {
			return false
		}
	}
	return len(clients) <= 17 // the last one is empty
}

// fault gives the *SyntaxError of a refusal, or fails.
func fault(t *testing.T, err error) *record.SyntaxError {
	t.Helper()
	var e *record.SyntaxError
	if !errors.As(err, &e) {
		t.Fatalf("error is %v, want a *SyntaxError", err)
	}
	if e.Words == "" || e.Code == "" {
		t.Errorf("the refusal %v has no words or no code", err)
	}
	return e
}

// place writes the code and the place of a refusal as vectors/invalid does.
func place(e *record.SyntaxError) string {
	switch {
	case e.Part != "":
		return string(e.Code) + " part " + e.Part
	case e.Line > 0:
		return string(e.Code) + " line " + strconv.Itoa(e.Line)
	}
	return string(e.Code)
}

// checkParse parses a text and holds the outcome to the grammar and to the rule
// that what parses marshals to the same bytes.
func checkParse(t *testing.T, text []byte) (*record.Record, *record.SyntaxError) {
	t.Helper()
	r, err := record.Parse(text)
	if good := inGrammar(text); good != (err == nil) {
		t.Fatalf("%q: Parse says %v, the grammar says %t", text, err, good)
	}
	if err != nil {
		if r != nil {
			t.Fatalf("%q: an error and a record", text)
		}
		e := fault(t, err)
		if lines := bytes.Count(text, []byte("\n")) + 1; e.Line > lines {
			t.Fatalf("%q: %v, but there are %d lines", text, err, lines)
		}
		if e.Code == record.Syntax && (e.Line == 0 || e.Column == 0) && !bytes.Contains(text, []byte("\n\n")) {
			t.Fatalf("%q: %v without a place", text, err)
		}
		return nil, e
	}
	got, err := r.MarshalText()
	if err != nil || !bytes.Equal(got, text) {
		t.Fatalf("%q marshals to %q, %v", text, got, err)
	}
	return r, nil
}

func TestParse(t *testing.T) {
	r, e := checkParse(t, []byte(tavliText))
	if e != nil {
		t.Fatal(e)
	}
	if r.Scheme != "tavli/1" || r.Match != "m-1" || r.State != record.Finished || r.Count != 12 {
		t.Errorf("got %s, match %s, state %s, count %d", r.Scheme, r.Match, r.State, r.Count)
	}
	if r.Seal == nil || r.Seal.String() != "752be61eabe9ccd97644543b438cca1fa8cf52a8351f1e1f6c86a21bc8173269" {
		t.Errorf("got seal %v", r.Seal)
	}
	if got := seed.Hex(r.Server.Reveal()); got != "2d23a7916a1d0d6078c9f2068d7a7049de1e0f2f3faeb181a25e6798af6a8635" {
		t.Errorf("got server seed %s", got)
	}
	want := []seed.Client{"bc541483be9f0ac9aa71379947c5a6c5", "9ab7b939b5e2f6c1673f1483b8dc200b"}
	if diff := cmp.Diff(r.Clients, want); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(r.Games(), []int{7, 5}); diff != "" {
		t.Error(diff)
	}
	if got := len(r.Entries); got != 14 || !r.Entries[0].Game || !r.Entries[8].Game {
		t.Errorf("got %d entries", got)
	}
	if diff := cmp.Diff(r.Rolls()[10], record.Entry{Number: 11, Dice: []uint32{4, 3}}); diff != "" {
		t.Error(diff)
	}
	if r.Sum != r.RightSum() {
		t.Error("the sum of the example is not right")
	}

	if r, e = checkParse(t, []byte(yayayText)); e != nil {
		t.Fatal(e)
	}
	if r.Clients != nil || r.Games() != nil || r.Sum != r.RightSum() {
		t.Errorf("got clients %v, games %v", r.Clients, r.Games())
	}
	if diff := cmp.Diff(r.Rolls()[3], record.Entry{Number: 4, Dice: []uint32{4}}); diff != "" {
		t.Error(diff)
	}

	if r, e = checkParse(t, []byte(openText)); e != nil {
		t.Fatal(e)
	}
	if r.Match != "-" || r.Seal != nil || !r.Server.IsZero() || len(r.Entries) != 0 || r.State != record.Running {
		t.Errorf("got match %s, seal %v, server %v, %d entries", r.Match, r.Seal, r.Server, len(r.Entries))
	}
	if r.Sum == r.RightSum() {
		t.Error("a wrong sum is not kept as it was written")
	}
}

// TestParseAccepts holds what the syntax leaves to the check.
func TestParseAccepts(t *testing.T) {
	for _, change := range [][2]string{
		{"roll 12 ", "roll 100000 "},
		{"roll 12 ", "roll 11 "},
		{"rolls 12", "rolls 0"},
		{"rolls 12", "rolls 100000"},
		{"state finished", "state running"},
		{"state finished", "state aborted"},
		{"match m-1", "match " + strings.Repeat("._-Z", 16)},
		{"client bc54", "client _-9Z"},
		{"client bc541483be9f0ac9aa71379947c5a6c5", "client " + strings.Repeat("x", 128)},
		{"seed 2d23a7916a1d0d6078c9f2068d7a7049de1e0f2f3faeb181a25e6798af6a8635", "seed -"},
		{"seed 2d23a7916a1d0d6078c9f2068d7a7049de1e0f2f3faeb181a25e6798af6a8635", "seed " + strings.Repeat("00", 16)},
		{"seed 2d23a7916a1d0d6078c9f2068d7a7049de1e0f2f3faeb181a25e6798af6a8635", "seed " + strings.Repeat("ff", 64)},
	} {
		text := strings.Replace(tavliText, change[0], change[1], 1)
		if text == tavliText {
			t.Fatalf("%q is not in the text", change[0])
		}
		if _, e := checkParse(t, []byte(text)); e != nil {
			t.Errorf("%q for %q: %v", change[1], change[0], e)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	const seedLine = "seed 2d23a7916a1d0d6078c9f2068d7a7049de1e0f2f3faeb181a25e6798af6a8635"
	for _, row := range []struct{ old, with, want string }{
		{"veridice record 1", "veridice record 2", "version"},
		{"veridice record 1", "veridice record 0", "version"},
		{"veridice record 1", "veridice record 9007199254740991", "version"},
		{"veridice record 1", "veridice record 9007199254740992", "syntax line 1"},
		{"veridice record 1", "veridice record 01", "syntax line 1"},
		{"veridice record 1", "veridice record 1.0", "syntax line 1"},
		{"veridice record 1", "veridice record +1", "syntax line 1"},
		{"veridice record 1", "veridice record -0", "syntax line 1"},
		{"veridice record 1", "veridice record null", "syntax line 1"},
		{"veridice record 1", "veridice record ", "syntax line 1"},
		{"veridice record 1", "veridice record", "syntax line 1"},
		{"veridice record 1", "Veridice record 1", "syntax line 1"},
		{"veridice record 1", "\uFEFFveridice record 1", "syntax line 1"},
		{"veridice record 1", "veridice record 1 ", "syntax line 1"},
		{"veridice record 1\n", "", "syntax line 1"},
		{"veridice", "\nveridice", "syntax line 1"},
		{"scheme tavli/1", "scheme tavli/2", "scheme"},
		{"scheme tavli/1", "scheme veridice/9", "scheme"},
		{"scheme tavli/1", "scheme Tavli/1", "scheme"},
		{"scheme tavli/1", "scheme a-9/9007199254740991", "scheme"},
		{"scheme tavli/1", "scheme " + strings.Repeat("a", 32) + "/1", "scheme"},
		{"scheme tavli/1", "scheme " + strings.Repeat("a", 33) + "/1", "syntax line 2"},
		{"scheme tavli/1", "scheme tavli/9007199254740992", "syntax line 2"},
		{"scheme tavli/1", "scheme tavli/0", "syntax line 2"},
		{"scheme tavli/1", "scheme tavli/01", "syntax line 2"},
		{"scheme tavli/1", "scheme tavli/", "syntax line 2"},
		{"scheme tavli/1", "scheme tavli", "syntax line 2"},
		{"scheme tavli/1", "scheme /1", "syntax line 2"},
		{"scheme tavli/1", "scheme tav_li/1", "syntax line 2"},
		{"scheme tavli/1", "scheme tavli/1/1", "syntax line 2"},
		{"scheme tavli/1", "scheme τάβλι/1", "syntax line 2"},
		{"match m-1\n", "", "syntax line 3"},
		{"match m-1", "match ", "syntax line 3"},
		{"match m-1", "match m 1", "syntax line 3"},
		{"match m-1", "match m/1", "syntax line 3"},
		{"match m-1", "match " + strings.Repeat("m", 65), "syntax line 3"},
		{"match m-1", "match  m-1", "syntax line 3"},
		{"match m-1", "match m-1\r", "syntax line 3"},
		{"seal 752b", "seal 752B", "syntax line 4"},
		{"seal 752b", "seal 0x752b", "syntax line 4"},
		{"seal 752b", "seal 752", "syntax line 4"},
		{"seal 752b", "seal 0752b", "syntax line 4"},
		{"seal 752b", "seal \u200b752b", "syntax line 4"},
		{"client bc541483be9f0ac9aa71379947c5a6c5\nclient 9ab7b939b5e2f6c1673f1483b8dc200b\n", "", "syntax line 5"},
		{"client bc54", "client bc:54", "syntax line 5"},
		{"client bc54", "client bc 54", "syntax line 5"},
		{"client bc54", "client bcé54", "syntax line 5"},
		{"client bc541483be9f0ac9aa71379947c5a6c5", "client ", "syntax line 5"},
		{"client bc541483be9f0ac9aa71379947c5a6c5", "client", "syntax line 5"},
		{"client bc541483be9f0ac9aa71379947c5a6c5", "client " + strings.Repeat("x", 129), "syntax line 5"},
		{"client bc54", strings.Repeat("client a\n", 15) + "client bc54", "syntax line 21"},
		{"game\nroll 1", "roll 1", "syntax line 14"}, // the first game is not marked
		{"game\nroll 8", "game\ngame\nroll 8", "syntax line 16"},
		{"roll 12 4 6\n", "roll 12 4 6\ngame\n", "syntax line 22"},
		{"game\nroll 1", "game 1\nroll 1", "syntax line 7"},
		{"roll 7 ", "roll 07 ", "syntax line 14"},
		{"roll 7 ", "roll 0 ", "syntax line 14"},
		{"roll 7 ", "roll -7 ", "syntax line 14"},
		{"roll 7 ", "roll 7.0 ", "syntax line 14"},
		{"roll 7 ", "roll 7e0 ", "syntax line 14"},
		{"roll 7 ", `roll "7" `, "syntax line 14"},
		{"roll 7 ", "roll null ", "syntax line 14"},
		{"roll 7 ", "roll  7 ", "syntax line 14"},
		{"roll 7 ", "roll 7  ", "syntax line 14"},
		{"roll 7 ", "roll 100001 ", "syntax line 14"},
		{"roll 7 ", "roll 18446744073709551623 ", "syntax line 14"},
		{"roll 7 3 2", "roll 7 3 7", "syntax line 14"},
		{"roll 7 3 2", "roll 7 0 2", "syntax line 14"},
		{"roll 7 3 2", "roll 7 3", "syntax line 14"},
		{"roll 7 3 2", "roll 7", "syntax line 14"},
		{"roll 7 3 2", "roll 7 ", "syntax line 14"},
		{"roll 7 3 2", "roll ", "syntax line 14"},
		{"roll 7 3 2", "roll 7 3 2 1", "syntax line 14"},
		{"roll 7 3 2", "roll 7 3 2 ", "syntax line 14"},
		{"roll 7 3 2", "roll 7 32", "syntax line 14"},
		{"roll 7 3 2", "roll 7 3-2", "syntax line 14"},
		{"roll 7 3 2", "roll 7 3 2\r", "syntax line 14"},
		{"roll 7 3 2", "roll 7\t3 2", "syntax line 14"},
		{"roll 7 3 2", "move 1 8/5 6/4", "syntax line 14"},
		{"roll 7 3 2", "", "syntax line 14"},
		{seedLine, seedLine + "0", "syntax line 21"},
		{seedLine, "seed " + strings.Repeat("0", 30), "syntax line 21"},
		{seedLine, "seed " + strings.Repeat("0", 130), "syntax line 21"},
		{seedLine, strings.ToUpper(seedLine), "syntax line 21"},
		{seedLine, "seed " + strings.ToUpper(seedLine[5:]), "syntax line 21"},
		{seedLine, "seed ", "syntax line 21"},
		{seedLine + "\n", "", "syntax line 21"},
		{"rolls 12", "rolls 012", "syntax line 22"},
		{"rolls 12", "rolls 100001", "syntax line 22"},
		{"rolls 12", "rolls -1", "syntax line 22"},
		{"rolls 12", "rolls ١٢", "syntax line 22"},
		{"state finished", "state done", "syntax line 23"},
		{"state finished", "state aborted 1", "syntax line 23"},
		{"state finished", "state Finished", "syntax line 23"},
		{"sum ead", "sum EAD", "syntax line 24"},
		{"sum ead", "sum eeaad", "syntax line 24"},
		{"d2\n", "d2", "syntax line 24"},
		{"d2\n", "d2\n\n", "syntax"},
		{"d2\n", "d2\nx", "syntax line 25"},
		{"d2\n", "d2\r\n", "syntax line 24"},
		{"rolls 12\nstate finished", "state finished\nrolls 12", "syntax line 22"},
		{seedLine, "client a\n" + seedLine, "syntax line 21"},
	} {
		text := strings.Replace(tavliText, row.old, row.with, 1)
		if text == tavliText {
			t.Fatalf("%q is not in the text", row.old)
		}
		_, e := checkParse(t, []byte(text))
		if e == nil {
			t.Errorf("%q for %q is read, want %s", row.with, row.old, row.want)
		} else if place(e) != row.want {
			t.Errorf("%q for %q: %s: %v, want %s", row.with, row.old, place(e), e, row.want)
		}
	}
	for _, row := range []struct{ old, with, want string }{
		{"roll 1 5 2", "client a\nroll 1 5 2", "syntax line 5"},
		{"roll 1 5 2", "game\nroll 1 5 2", "syntax line 5"},
		{"roll 9 6", "roll 9", "syntax line 13"},
		{"roll 9 6", "roll 9" + strings.Repeat(" 6", 101), "syntax line 13"},
		{"8635\n", "86\n", "syntax line 15"},
		{"8635\n", "863500\n", "syntax line 15"},
	} {
		text := strings.Replace(yayayText, row.old, row.with, 1)
		if _, e := checkParse(t, []byte(text)); e == nil || place(e) != row.want {
			t.Errorf("%q for %q: %v, want %s", row.with, row.old, e, row.want)
		}
	}
	for text, want := range map[string]string{
		"":  "syntax line 1",
		"x": "syntax line 1",
		strings.ReplaceAll(tavliText, "\n", "\r\n"): "syntax line 1",
		strings.ReplaceAll(tavliText, "\n", "\r"):   "syntax line 1",
	} {
		if _, e := checkParse(t, []byte(text)); e == nil || place(e) != want {
			t.Errorf("%q: %v, want %s", text, e, want)
		}
	}
}

// TestParsePlace holds column, character and words of a refusal.
func TestParsePlace(t *testing.T) {
	for _, row := range []struct{ old, with, want string }{
		{"roll 7 ", "roll 07 ", "record: line 14: column 6: roll number has a leading zero"},
		{"roll 7 3 2", "roll 7 3 7", "record: line 14: column 10: '7': die is not 1 to 6"},
		{"roll 7 3 2", "roll 7 3", "record: line 14: column 9: roll has too few dice"},
		{"roll 7 3 2", "roll 7 3 2 1", "record: line 14: column 11: roll has more than 2 dice"},
		{"client bc54", "client bcé\u200b4", "record: line 5: column 10: U+00E9: client seed has a character other than A-Z a-z 0-9 _ -"},
		{"match m-1", "mätch m-1", "record: line 3: column 1: this is not a match line"},
		{"veridice", "\uFEFFveridice", "record: line 1: column 1: U+FEFF: a byte order mark stands before the text"},
		{"rolls 12", "rolls 12\r", "record: line 22: column 9: U+000D: number of rolls is not a decimal number"},
		{"roll 12 4 6\n", "roll 12 4 6\n\n", "record: line 21: column 1: this is not a game, roll or seed line"},
		{"scheme tavli/1", "scheme dicey/3", "record: this program does not read records of scheme dicey/3"},
		{"seal 752be", "seal 752BE", "record: line 4: column 9: 'B': seal is not 64 lower-case hex digits or -"},
	} {
		_, err := record.Parse([]byte(strings.Replace(tavliText, row.old, row.with, 1)))
		if err == nil || err.Error() != row.want {
			t.Errorf("%q: %v, want %s", row.with, err, row.want)
		}
	}
}

// TestParseMangled cuts and changes good records everywhere. What is cut off is
// the beginning of a valid record up to the line that is not ended, so that the
// right fault line is known; a change cannot be noticed before its own line.
func TestParseMangled(t *testing.T) {
	for _, good := range []string{tavliText, yayayText, openText} {
		lines := func(text string) int { return strings.Count(text, "\n") + 1 }
		for i := range good {
			_, e := checkParse(t, []byte(good[:i]))
			if e == nil || e.Code != record.Syntax || e.Line != lines(good[:i]) {
				t.Fatalf("cut after %d bytes: %v, want syntax at line %d", i, e, lines(good[:i]))
			}
			changed := []string{good[:i] + good[i+1:], good[:i] + good[i:i+1] + good[i:], good[:i] + "\n" + good[i:]}
			for _, bit := range []byte{1, 4, 32, 128} {
				changed = append(changed, good[:i]+string([]byte{good[i] ^ bit})+good[i+1:])
			}
			for _, text := range changed {
				r, e := checkParse(t, []byte(text))
				switch {
				case e == nil && text != good && r.Sum == r.RightSum():
					t.Fatalf("%q: the sum does not show the change at byte %d", text, i)
				case e != nil && e.Code == record.Syntax && e.Line < lines(good[:i]) && text != good+"\n":
					t.Fatalf("%q: %v, but the change is in line %d", text, e, lines(good[:i]))
				}
			}
		}
	}
}

func TestParseLimits(t *testing.T) {
	head, tail, _ := strings.Cut(openText, "seed -")
	tail = "seed -" + tail
	many := func(n int) []byte {
		return []byte(head + strings.Repeat("roll 1 1 1\n", n) + tail)
	}
	r, err := record.Parse(many(record.MaxRolls))
	if err != nil || len(r.Entries) != record.MaxRolls {
		t.Fatalf("100,000 rolls: %v", err)
	}
	if text, err := r.MarshalText(); err != nil || !bytes.Equal(text, many(record.MaxRolls)) {
		t.Errorf("100,000 rolls do not marshal: %v", err)
	}
	if _, err := record.Parse(many(record.MaxRolls + 1)); err == nil || place(fault(t, err)) != "syntax line 100006" {
		t.Errorf("100,001 rolls: %v", err)
	}
	// A game must be followed by a roll, for which there is no room.
	full := []byte(head + "game\n" + strings.Repeat("roll 1 1 1\n", record.MaxRolls) + "game\n" + tail)
	if _, err := record.Parse(full); err == nil || place(fault(t, err)) != "syntax line 100007" {
		t.Errorf("a game after 100,000 rolls: %v", err)
	}
	if !testing.Short() {
		if _, e := checkParse(t, sized(record.MaxSize)); e != nil {
			t.Errorf("16 MiB: %v", e)
		}
	}
	if _, err := record.Parse(sized(record.MaxSize + 1)); err == nil || place(fault(t, err)) != "too-long" {
		t.Errorf("16 MiB + 1: %v", err)
	}
	if r, err := record.Parse(make([]byte, record.MaxSize+1)); r != nil || place(fault(t, err)) != "too-long" {
		t.Errorf("16 MiB + 1 zero bytes: %v", err)
	}
}

// sized makes a record of exactly n bytes: as many rolls of a hundred dice as
// there is room for, and a shorter roll or a longer name of the match.
func sized(n int) []byte {
	line := func(dice int) string { return "roll 1" + strings.Repeat(" 6", dice) + "\n" }
	head, tail, _ := strings.Cut(strings.Replace(yayayText, "match y-1", "match y", 1), "roll 1 5 2\n")
	left := n - len(head) - len(tail)
	rolls := strings.Repeat(line(100), left/len(line(100)))
	left %= len(line(100))
	if left > 63 {
		dice := (left - len(line(0))) / 2
		rolls += line(dice)
		left -= len(line(dice))
	}
	return []byte(strings.Replace(head, "match y", "match y"+strings.Repeat("y", left), 1) + rolls + tail)
}

// TestParseAllocates holds reading to a few allocations, however long the text.
func TestParseAllocates(t *testing.T) {
	head, tail, _ := strings.Cut(openText, "seed -")
	text := []byte(head + strings.Repeat("roll 1 1 1\n", record.MaxRolls) + "seed -" + tail)
	if n := testing.AllocsPerRun(1, func() {
		if _, err := record.Parse(text); err != nil {
			t.Fatal(err)
		}
	}); n > 500 {
		t.Errorf("100,000 rolls cost %.0f allocations", n)
	}
}

// shared reads the vectors of the neighbouring folder.
func shared(t *testing.T) *sharedVectors {
	t.Helper()
	v := &sharedVectors{}
	needs.SharedJSON(t, "vectors/veridice-1.json", v)
	return v
}

type sharedVectors struct {
	Checks []struct {
		Name, Note, Code, At string
	}
	ClassicViews []struct {
		Record string
		View   json.RawMessage
	}
}

func TestSharedChecks(t *testing.T) {
	v := shared(t)
	read, refused := 0, 0
	for _, c := range v.Checks {
		if !strings.HasPrefix(c.Note, "veridice record 1\nscheme tavli/1\n") && !strings.HasPrefix(c.Note, "veridice record 1\nscheme yayay/1\n") {
			continue
		}
		want := strings.TrimSpace(c.Code + " " + c.At)
		_, e := checkParse(t, []byte(c.Note))
		switch c.Code {
		case "syntax", "version", "scheme", "too-long":
			refused++
			if e == nil || place(e) != want {
				t.Errorf("%s: %v, want %s", c.Name, e, want)
			}
		default:
			read++
			if e != nil {
				t.Errorf("%s: %v", c.Name, e)
			}
		}
	}
	if read < 38 || refused < 6 {
		t.Errorf("%d records read, %d refused: the vectors have more", read, refused)
	}
}

func TestMarshalRefuses(t *testing.T) {
	good := func() *record.Record {
		r, err := record.Parse([]byte(tavliText))
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	server := func(n int) seed.Server {
		s, err := seed.NewServer(make([]byte, n))
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	for name, change := range map[string]func(*record.Record){
		"no scheme":             func(r *record.Record) { r.Scheme = "" },
		"unknown scheme":        func(r *record.Record) { r.Scheme = "tavli/2" },
		"other scheme":          func(r *record.Record) { r.Scheme = "yayay/1" },
		"match":                 func(r *record.Record) { r.Match = "" },
		"line end in the match": func(r *record.Record) { r.Match = "m\nseal -" },
		"no clients":            func(r *record.Record) { r.Clients = nil },
		"17 clients":            func(r *record.Record) { r.Clients = make([]seed.Client, 17) },
		"empty client":          func(r *record.Record) { r.Clients[1] = "" },
		"line end in a client":  func(r *record.Record) { r.Clients[1] = "a\nclient b" },
		"roll 0":                func(r *record.Record) { r.Entries[1].Number = 0 },
		"roll 100001":           func(r *record.Record) { r.Entries[1].Number = record.MaxRolls + 1 },
		"die 0":                 func(r *record.Record) { r.Entries[1].Dice[0] = 0 },
		"die 7":                 func(r *record.Record) { r.Entries[1].Dice[1] = 7 },
		"three dice":            func(r *record.Record) { r.Entries[1].Dice = []uint32{1, 2, 3} },
		"no dice":               func(r *record.Record) { r.Entries[1].Dice = nil },
		"game with dice":        func(r *record.Record) { r.Entries[0].Dice = []uint32{1, 2} },
		"game with a number":    func(r *record.Record) { r.Entries[0].Number = 1 },
		"two games together":    func(r *record.Record) { r.Entries[1] = record.Entry{Game: true} },
		"late first game":       func(r *record.Record) { r.Entries = r.Entries[1:] },
		"game without rolls":    func(r *record.Record) { r.Entries = r.Entries[:9] },
		"seed of 15 bytes":      func(r *record.Record) { r.Server = server(15) },
		"seed of 65 bytes":      func(r *record.Record) { r.Server = server(65) },
		"count":                 func(r *record.Record) { r.Count = record.MaxRolls + 1 },
		"no state":              func(r *record.Record) { r.State = "" },
		"too many rolls": func(r *record.Record) {
			r.Entries = make([]record.Entry, record.MaxRolls+1)
			for i := range r.Entries {
				r.Entries[i] = record.Entry{Number: 1, Dice: []uint32{1, 1}}
			}
		},
	} {
		r := good()
		change(r)
		if text, err := r.MarshalText(); err == nil || text != nil {
			t.Errorf("%s: marshals to %q", name, text)
		}
		if _, err := r.MarshalView(); err == nil {
			t.Errorf("%s: has a view", name)
		}
		if _, err := r.Link(); err == nil {
			t.Errorf("%s: has a link", name)
		}
	}
	if _, err := good().MarshalText(); err != nil {
		t.Error(err)
	}
	long := &record.Record{Scheme: "yayay/1", Match: "-", State: record.Running}
	for range 90_000 {
		long.Entries = append(long.Entries, record.Entry{Number: 1, Dice: bytes32(100)})
	}
	if _, err := long.MarshalText(); err == nil {
		t.Error("a record larger than 16 MiB marshals")
	}
}

// bytes32 is a throw of n ones.
func bytes32(n int) []uint32 {
	dice := make([]uint32, n)
	for i := range dice {
		dice[i] = 1
	}
	return dice
}

func BenchmarkParse(b *testing.B) {
	head, tail, _ := strings.Cut(openText, "seed -")
	var lines strings.Builder
	for n := range 100 {
		lines.WriteString("roll " + strconv.Itoa(n+1) + " 6 3\n")
	}
	text := []byte(head + lines.String() + "seed -" + tail)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := record.Parse(text); err != nil {
			b.Fatal(err)
		}
	}
}
