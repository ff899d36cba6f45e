package record_test

import (
	"strconv"
	"strings"
	"testing"

	"veridice/record"
	"veridice/seed"
	"veridice/vectors/vectortest"
)

// show writes rolls as the table of the specification does.
func show(rolls [][]uint32) string {
	texts := make([]string, len(rolls))
	for i, dice := range rolls {
		for k, d := range dice {
			if k > 0 {
				texts[i] += "-"
			}
			texts[i] += strconv.Itoa(int(d))
		}
	}
	return strings.Join(texts, " ")
}

func TestReadRolls(t *testing.T) {
	// The table of "Typed and pasted fields", row by row; a number is the line of
	// the refusal.
	for _, row := range []struct {
		text, want string
	}{
		{"1. 6-3", "6-3"},
		{"1: 6 3", "6-3"},
		{"1) 63", "6-3"},
		{"#1 6-3", "6-3"},
		{"1\t6-3", "6-3"},
		{"1 6 3", "6-3"},
		{"1 63", "6-3"},
		{"6-3", "6-3"},
		{"6 3", "6-3"},
		{"6,3", "6-3"},
		{"63", "6-3"},
		{"6 – 3", "6-3"},
		{"6/3", "6-3"},
		{"6-3 4-4 1-2", "6-3 4-4 1-2"},
		{"63 44 12", "6-3 4-4 1-2"},
		{"63,44;12", "6-3 4-4 1-2"},
		{"634412", "6-3 4-4 1-2"},
		{"6-3\n4-4\n1-2", "6-3 4-4 1-2"},
		{"6 3\n4 4", "6-3 4-4"},
		{"1. 6-3 2. 4-4", "6-3 4-4"},
		{"1. 6-3\r\n2. 4-4\r\n", "6-3 4-4"},
		{"\uFEFF1. 6-3\n\n2. 4-4", "6-3 4-4"},
		{"12 44", "1-2 4-4"},
		{"1 63\n2 44", "6-3 4-4"},
		{" ", ""},
		{"12: 4 4", "line 1"},
		{"2. 6-3", "line 1"},
		{"1. 6-3\n3. 4-4", "line 2"},
		{"1. 6-3\n1. 4-4", "line 2"},
		{"6 3 4 4", "line 1"},
		{"1 6 3 2 4 4", "line 1"},
		{"6", "line 1"},
		{"634", "line 1"},
		{"6-3 4", "line 1"},
		{"7-1", "line 1"},
		{"0-3", "line 1"},
		{"6-3-2", "line 1"},
		{"6,3 4,4", "line 1"},
		{"1. 6-3\n4-4", "line 2"},
		{"Game 2\n6-3", "line 1"},
		{"six-three", "line 1"},
		{"٦-٣", "line 1"},
		{"6-\u200B3", "line 1"},
		{"6.3", "line 1"},
		{"1.63", "6-3"},
		{"01. 6-3", "line 1"},

		// What the table has no row for.
		{"", ""},
		{"\n\r\n \t\u00a0\r", ""},
		{"  1. 6-3  \n  2. 4-4  ", "6-3 4-4"},
		{"1 . 6-3", "6-3"},
		{"1  . 6-3", "line 1"},
		{"1.   6  3", "6-3"},
		{"1. 6,3, 2. 4,4", "6-3 4-4"},
		{"1. 6 3 2. 4 4", "6-3 4-4"},
		{"1. 6-3|2) 4/4 ; 3: 12", "6-3 4-4 1-2"},
		{"1. 6-3,, 2. 4-4", "line 1"},
		{"1. 6-3 ,", "line 1"},
		{"1. 6-3 2 4-4", "line 1"},
		{"#1. 6-3", "line 1"},
		{"#1 6-3\n2 44\n3: 12", "6-3 4-4 1-2"},
		{"#1 6-3 2. 4-4", "line 1"},
		{"##1 6-3", "line 1"},
		{"6 - 3 | 4\u20144", "6-3 4-4"},
		{"6\u22123", "6-3"},
		{"6\u20093\r4\u202f4", "6-3 4-4"},
		{"6\u00a03", "6-3"},
		{"6 , 3", "6-3"},
		{"6,,3", "line 1"},
		{"63-44", "line 1"},
		{"6--3", "line 1"},
		{"63\n6 3\n6-3 63", "6-3 6-3 6-3 6-3"},
		{"63\n1. 63", "line 2"},
		{"1. 6-3\n2. 4-4\n3 6 3", "6-3 4-4 6-3"},
		{"\uFEFF\uFEFF63", "line 1"},
		{"6-3\n\n\n7-1", "line 4"},
		{"\xff", "line 1"},
	} {
		rolls, err := record.ReadRolls(row.text, 2)
		if line, refused := strings.CutPrefix(row.want, "line "); refused {
			if err == nil {
				t.Errorf("%q is read as %s, want a refusal", row.text, show(rolls))
				continue
			}
			if e := fault(t, err); e.Code != record.BadRolls || strconv.Itoa(e.Line) != line || e.Column == 0 {
				t.Errorf("%q: %v (%s), want bad-rolls at line %s", row.text, err, e.Code, line)
			}
			if rolls != nil {
				t.Errorf("%q: refused, but gives rolls", row.text)
			}
			continue
		}
		if err != nil || show(rolls) != row.want {
			t.Errorf("%q is read as %q, %v, want %q", row.text, show(rolls), err, row.want)
		}
	}
}

func TestReadThrows(t *testing.T) {
	hundred := strings.Repeat("6", 100)
	for _, row := range []struct {
		text, want string
	}{
		{"3-3-1-5-5\n1\n6-6-6-3-4", "3-3-1-5-5 1 6-6-6-3-4"}, // the example of yayay/1
		{"1. 3-3-1-5-5\n2. 1\n3) 66634", "3-3-1-5-5 1 6-6-6-3-4"},
		{"1 6-3-2", "6-3-2"},
		{"1 6", "6"},
		{"6", "6"},
		{"632", "6-3-2"},
		{"1: 632\n\n2: 1", "6-3-2 1"},
		{hundred, strings.Join(strings.Split(hundred, ""), "-")},
		{"", ""},
		{hundred + "6", "line 1"},
		{"6 3", "line 1"},
		{"1 6 3", "line 1"},
		{"1. 6-3\n2. 4 4", "line 2"},
		{"1. 6\n3. 6", "line 2"},
		{"1. 6\n6", "line 2"},
		{"6-32", "line 1"},
		{"63-2", "line 1"},
		{"6-", "line 1"},
		{"-6", "line 1"},
		{"1.6", "line 1"}, // blanks follow the mark
		{"6-7", "line 1"},
		{"6,3", "line 1"},
	} {
		rolls, err := record.ReadRolls(row.text, 0)
		if line, refused := strings.CutPrefix(row.want, "line "); refused {
			if err == nil {
				t.Errorf("%q is read as %s, want a refusal", row.text, show(rolls))
			} else if e := fault(t, err); e.Code != record.BadRolls || strconv.Itoa(e.Line) != line {
				t.Errorf("%q: %v (%s), want bad-rolls at line %s", row.text, err, e.Code, line)
			}
			continue
		}
		if err != nil || show(rolls) != row.want {
			t.Errorf("%q is read as %q, %v, want %q", row.text, show(rolls), err, row.want)
		}
	}
}

// TestReadRollsPlace holds line, column, character and words of a refusal.
func TestReadRollsPlace(t *testing.T) {
	for _, row := range []struct {
		text string
		dice int
		want string
	}{
		{"1. 6-3\n3. 4-4", 2, "record: line 2: column 1: '3': the roll number is not the one that is due"},
		{"01. 6-3", 2, "record: line 1: column 1: '0': the roll number has a leading zero"},
		{"6-3-2", 2, "record: line 1: column 4: '-': the dice are not followed by a blank or one of , ; |"},
		{"6-\u200b3", 2, "record: line 1: column 3: U+200B: not a die"},
		{"\uFEFF  7-1", 2, "record: line 1: column 3: '7': the roll number is not the one that is due"},
		{"6-3\r\n\r\n6-", 2, "record: line 3: column 3: a die is missing"},
		{"6 3 4 4", 2, "record: line 1: column 4: U+0020: the line goes on after the dice"},
		{"six-three", 2, "record: line 1: column 1: 's': the roll number is empty"},
		{"1. 6-3\n2 4 4 1", 2, "record: line 2: column 6: U+0020: the line goes on after the dice"},
		{"6-32", 0, "record: line 1: column 4: '2': dice are joined by - or run together, not both"},
		{"1. 6\n3. 6", 0, "record: line 2: column 1: '3': the roll number is not the one that is due"},
		{strings.Repeat("6", 101), 0, "record: line 1: column 101: '6': a throw has more than 100 dice"},
	} {
		_, err := record.ReadRolls(row.text, row.dice)
		if err == nil || err.Error() != row.want {
			t.Errorf("%q: %v, want %s", row.text, err, row.want)
		}
	}
}

func TestReadRollsLimits(t *testing.T) {
	var numbered, throws strings.Builder
	for n := range record.MaxRolls + 1 {
		numbered.WriteString(strconv.Itoa(n+1) + ". 6-3\n")
		throws.WriteString("6\n")
	}
	last := len(strconv.Itoa(record.MaxRolls+1) + ". 6-3\n")
	for name, text := range map[string]struct {
		text string
		cut  int // bytes of one roll at the end
		dice int
	}{
		"numbered":     {numbered.String(), last, 2},
		"plain":        {strings.Repeat("6-3\n", record.MaxRolls+1), 4, 2},
		"blanks":       {strings.Repeat("6 3\n", record.MaxRolls+1), 4, 2},
		"run together": {strings.Repeat("63", record.MaxRolls+1), 2, 2},
		"one line":     {strings.Repeat("6-3 ", record.MaxRolls+1), 4, 2},
		"throws":       {throws.String(), 2, 0},
	} {
		rolls, err := record.ReadRolls(text.text[:len(text.text)-text.cut], text.dice)
		if err != nil || len(rolls) != record.MaxRolls {
			t.Errorf("%s: 100,000 rolls: %d, %v", name, len(rolls), err)
		}
		if _, err := record.ReadRolls(text.text, text.dice); err == nil || fault(t, err).Code != record.TooLong {
			t.Errorf("%s: 100,001 rolls: %v", name, err)
		}
	}
	if _, err := record.ReadRolls(strings.Repeat(" ", record.MaxSize+1), 2); err == nil || fault(t, err).Code != record.TooLong {
		t.Errorf("16 MiB + 1: %v", err)
	}
}

// TestReadRollsOneWay tries every short text of the characters that matter, and
// wants a text that is read to mean the same when each roll stands on a numbered
// line of its own.
func TestReadRollsOneWay(t *testing.T) {
	const alphabet = "126 -,.\n#"
	read := 0
	var try func(text string, left int)
	try = func(text string, left int) {
		rolls, err := record.ReadRolls(text, 2)
		if err == nil {
			read++
			lines := ""
			for i, dice := range rolls {
				if len(dice) != 2 {
					t.Fatalf("%q is read as %v", text, rolls)
				}
				lines += strconv.Itoa(i+1) + ": " + show([][]uint32{dice}) + "\n"
			}
			if again, err := record.ReadRolls(lines, 2); err != nil || show(again) != show(rolls) {
				t.Fatalf("%q is read as %v, and that as %v, %v", text, rolls, again, err)
			}
		} else if e := fault(t, err); e.Code != record.BadRolls || e.Line == 0 || e.Column == 0 {
			t.Fatalf("%q: %v", text, err)
		}
		if left > 0 {
			for _, c := range alphabet {
				try(text+string(c), left-1)
			}
		}
	}
	try("", 5)
	if read < 1000 {
		t.Errorf("only %d texts were read", read)
	}
}

func TestHexField(t *testing.T) {
	for _, row := range []struct{ text, want string }{
		{exampleSeal, exampleSeal},
		{strings.ToUpper(exampleSeal), exampleSeal},
		{"aBcD", "abcd"},
		{" \t\r\nabcd\r\n ", "abcd"},
		{"ab cd  ef", "abcdef"},
		{"ab:cd:ef", "abcdef"},
		{"ab: cd", "abcd"},
		{"0xabcd", "abcd"},
		{"sha256:abcd", "abcd"},
		{" sha256:ab cd ", "abcd"},
		{"sha256: abcd", "abcd"},
		{"0x", ""},
		{"", ""},
		{" \t\r\n", ""},
		{"abc", "record: position 3: an odd number of hex digits"},
		{"a bcd", "record: position 2: U+0020: not a hex digit"},
		{"ab\tcd", "record: position 3: U+0009: not a hex digit"},
		{"ab\ncd", "record: position 3: U+000A: not a hex digit"},
		{"ab-cd", "record: position 3: '-': not a hex digit"},
		{" 0xabxd", "record: position 6: 'x': not a hex digit"},
		{"ab0xcd", "record: position 4: 'x': not a hex digit"},
		{"0Xab", "record: position 2: 'X': not a hex digit"},
		{"sha256:0xab", "record: position 9: 'x': not a hex digit"},
		{"SHA256:ab", "record: position 1: 'S': not a hex digit"},
		{"ab\u200bcd", "record: position 3: U+200B: not a hex digit"},
		{"\uFEFFabcd", "record: position 1: U+FEFF: not a hex digit"},
		{"ab\u00a0cd", "record: position 3: U+00A0: not a hex digit"},
		{"éab", "record: position 1: U+00E9: not a hex digit"},
		{"ab\xff", "record: position 3: U+FFFD: not a hex digit"},
		{"٣٣", "record: position 1: U+0663: not a hex digit"},
	} {
		b, err := record.HexField(row.text)
		if err != nil {
			// Column of a field is a position in it.
			if got := strings.Replace(err.Error(), "column", "position", 1); got != row.want || fault(t, err).Code != record.BadPart {
				t.Errorf("%q: %v, want %s", row.text, err, row.want)
			}
			continue
		}
		if got := seed.Hex(b); got != row.want || (b == nil) != (row.want == "") {
			t.Errorf("%q is read as %q, want %q", row.text, got, row.want)
		}
	}
}

func TestRollsVectors(t *testing.T) {
	type vector struct {
		Name, Scheme, Text string
		Rolls              [][]uint32
		Line               int // of the refusal
	}
	vectortest.Each(t, "rolls.ndjson", func(t *testing.T, v vector) {
		dice, ok := map[string]int{"tavli/1": 2, "yayay/1": 0}[v.Scheme]
		if !ok {
			t.Fatalf("scheme %q", v.Scheme)
		}
		rolls, err := record.ReadRolls(v.Text, dice)
		if v.Line > 0 {
			if err == nil || fault(t, err).Code != record.BadRolls || fault(t, err).Line != v.Line {
				t.Errorf("%q: %s, %v, want bad-rolls at line %d", v.Text, show(rolls), err, v.Line)
			}
			return
		}
		if err != nil || show(rolls) != show(v.Rolls) {
			t.Errorf("%q is read as %s, %v, want %s", v.Text, show(rolls), err, show(v.Rolls))
		}
	})
}
