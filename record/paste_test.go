package record_test

import (
	"strconv"
	"strings"
	"testing"

	"veridice/record"
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
