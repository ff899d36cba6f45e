package record_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"veridice/record"
	"veridice/seed"
)

// The example of docs/spec/tavli.md, "The share link".
const (
	exampleSeed = "c149c301f8134a320da3e36748bb70c14850c75fc8ab0dc1e36460fa89070300"
	exampleSeal = "76243eb20b5ad494780afead6d49b5f826775834b0b12ddafe12819ca4608a63"
	exampleLink = "/el/check/#v=1&s=" + exampleSeed + "&c=" + exampleSeal +
		"&p=f24279610d6b8b1362d85c3ddec7f24e,d60062c1d2fe5d3f376829416b34be90&r=213216213333262333341666&g=7,5"
)

var _, exampleFragment, _ = strings.Cut(exampleLink, "#")

// understood writes what a link was read as in the words of the specification.
func understood(l *record.Link) string {
	text := fmt.Sprintf("%d rolls", len(l.Record.Rolls()))
	if games := l.Record.Games(); games != nil {
		text += ", games " + strings.ReplaceAll(strings.Trim(fmt.Sprint(games), "[]"), " ", ",")
	}
	return text
}

func percentAll(text string) string {
	out := ""
	for _, c := range []byte(text) {
		if strings.IndexByte("=&,%#:/", c) >= 0 {
			out += fmt.Sprintf("%%%02X", c)
		} else {
			out += string(c)
		}
	}
	return out
}

func wrap(text string, columns int, before string) string {
	var lines []string
	for len(text) > columns {
		lines = append(lines, before+text[:columns])
		text = text[columns:]
	}
	return strings.Join(append(lines, before+text), "\n")
}

func replace(old, with string) string { return strings.Replace(exampleLink, old, with, 1) }

func TestReadLinkTable(t *testing.T) {
	const full = "12 rolls, games 7,5"
	order := "#g=7,5&r=213216213333262333341666&p=f24279610d6b8b1362d85c3ddec7f24e,d60062c1d2fe5d3f376829416b34be90&c=" +
		exampleSeal + "&s=" + exampleSeed + "&v=1"
	const phones = "p=f24279610d6b8b1362d85c3ddec7f24e,d60062c1d2fe5d3f376829416b34be90"
	for _, row := range []struct{ what, text, want string }{
		{"as it is", exampleLink, full},
		{"fragment only, with #", "#" + exampleFragment, full},
		{"fragment only, without #", exampleFragment, full},
		{"?fbclid before the #", replace("#", "?fbclid=IwAR0x#"), full},
		{"keys in another order", order, full},
		{"commas as %2C", strings.ReplaceAll(exampleLink, ",", "%2C"), full},
		{"fragment percent-coded", "/el/check/#v=1" + percentAll(strings.TrimPrefix(exampleFragment, "v=1")), full},
		{"fragment wholly percent-coded", "/el/check/#" + percentAll(exampleFragment), full},
		{"fragment percent-coded twice", "/el/check/#" + percentAll(percentAll(exampleFragment)), full},
		{"# as %23", replace("#", "%23"), full},
		{"&amp; for &", strings.ReplaceAll(exampleLink, "&", "&amp;"), full},
		{"< and > round it", "<" + exampleLink + ">", full},
		{"a full stop after it", exampleLink + ".", full},
		{"a comma after it", exampleLink + ",", full},
		{"text before and after", "Look: " + exampleLink + " was that fair?", full},
		{"wrapped at 76 columns", wrap(exampleLink, 76, ""), full},
		{"wrapped and quoted in a mail", wrap(exampleLink, 76, "> "), full},
		{"hex in upper case", strings.NewReplacer(exampleSeed, strings.ToUpper(exampleSeed), exampleSeal, strings.ToUpper(exampleSeal)).Replace(exampleLink), full},
		{"c=sha256:...", replace("c=", "c=sha256:"), full},
		{"s=0x...", replace("s=", "s=0x"), full},
		{"an unknown key at the end", exampleLink + "&utm_source=x", full},
		{"without g", replace("&g=7,5", ""), "12 rolls"},
		{"without c", replace("&c="+exampleSeal, ""), full},
		{"without r", replace("&r=213216213333262333341666", ""), "0 rolls"},
		{"r= empty", replace("r=213216213333262333341666", "r="), "0 rolls"},
		{"without p", replace("&"+phones, ""), "missing-part p"},
		{"without v", replace("v=1&", ""), "missing-part v"},
		{"v=2", replace("v=1", "v=2"), "version"},
		{"v=01", replace("v=1", "v=01"), "bad-part v"},
		{"p=a,", replace(phones, "p=a,"), "bad-part p"},
		{"p=,a", replace(phones, "p=,a"), "bad-part p"},
		{"p= empty", replace(phones, "p="), "bad-part p"},
		{"p last, a comma glued to it", "#v=1&s=" + exampleSeed + "&" + phones + ",", "bad-part p"},
		{"a colon in a client seed", replace("f242", "f2:2"), "bad-part p"},
		{"U+200B inside s", replace("c149", "c1\u200b49"), "bad-part s"},
		{"65 hex digits in s", replace(exampleSeed, exampleSeed+"0"), "bad-part s"},
		{"a 7 in r", replace("r=213", "r=713"), "bad-part r"},
		{"an odd number of digits in r", replace("r=213", "r=21"), "odd-rolls r"},
		{"g=7,6", replace("g=7,5", "g=7,6"), "games-differ g"},
		{"g=7,5,0", replace("g=7,5", "g=7,5,0"), "bad-part g"},
		{"g=+7,5", replace("g=7,5", "g=+7,5"), "bad-part g"},
		{"r twice", exampleLink + "&r=21", "repeated-part r"},
		{"cut with an ellipsis", exampleLink[:120] + "…", "link-cut"},
		{"cut with three full stops", exampleLink[:120] + "...", "link-cut"},
		{"cut after 150 characters", exampleLink[:150], "missing-part p"},
		{"cut after 150 characters, with a host", ("https://tavli.example" + exampleLink)[:150], "missing-part p"},
		{"two links", exampleLink + " " + exampleLink, "two-links"},
		{"no link at all", "It was 100% fair, I think.", "not-a-link"},
		{"%zz inside", replace("f242", "%zz2"), "bad-percent"},
		{"byte FF in p", replace("f242", "%FF"), "bad-percent"},
	} {
		t.Run(row.what, func(t *testing.T) {
			links, err := record.ReadLink(row.text)
			if err != nil {
				e := fault(t, err)
				if got := strings.TrimSpace(string(e.Code) + " " + e.Part); got != row.want {
					t.Errorf("%s: %v, want %s", got, err, row.want)
				}
				return
			}
			if len(links) != 1 || understood(links[0]) != row.want {
				t.Fatalf("%d readings, the first is %s, want %s", len(links), understood(links[0]), row.want)
			}
		})
	}
}

// TestReadLink holds everything that is understood of the example.
func TestReadLink(t *testing.T) {
	links, err := record.ReadLink(exampleLink + "&utm_source=x&fbclid=y")
	if err != nil || len(links) != 1 {
		t.Fatalf("%d readings, %v", len(links), err)
	}
	l := links[0]
	text, err := l.Record.MarshalText()
	if err != nil {
		t.Fatal(err)
	}
	// What the example says in the lines of a record.
	want := "veridice record 1\nscheme tavli/1\nmatch -\nseal " + exampleSeal + `
client f24279610d6b8b1362d85c3ddec7f24e
client d60062c1d2fe5d3f376829416b34be90
game
roll 1 2 1
roll 2 3 2
roll 3 1 6
roll 4 2 1
roll 5 3 3
roll 6 3 3
roll 7 2 6
game
roll 8 2 3
roll 9 3 3
roll 10 3 4
roll 11 1 6
roll 12 6 6
seed ` + exampleSeed + `
rolls 12
state finished
`
	got, _, _ := strings.Cut(string(text), "sum ")
	if diff := cmp.Diff(got, want); diff != "" {
		t.Error(diff)
	}
	if l.Record.Sum != l.Record.RightSum() {
		t.Error("the sum is not right")
	}
	if !l.HasRolls || l.Show != 0 {
		t.Errorf("has rolls %t, show %d", l.HasRolls, l.Show)
	}
	if diff := cmp.Diff(l.Ignored, []string{"utm_source", "fbclid"}); diff != "" {
		t.Error(diff)
	}

	links, err = record.ReadLink(replace("&r=213216213333262333341666", ""))
	if err != nil || len(links) != 1 {
		t.Fatalf("%d readings, %v", len(links), err)
	}
	if l := links[0]; l.HasRolls || l.Show != 12 || len(l.Record.Entries) != 0 || l.Record.Count != 0 {
		t.Errorf("without r: has rolls %t, show %d, entries %v", l.HasRolls, l.Show, l.Record.Entries)
	}
}

// TestReadLinkMore holds what the table has no row for.
func TestReadLinkMore(t *testing.T) {
	const full = "12 rolls, games 7,5"
	last := strings.LastIndex(exampleLink, "&r=")
	toP := exampleLink[:last]
	for _, row := range []struct{ what, text, want string }{
		{"coded three times", "/el/check/#v=1" + percentAll(percentAll(percentAll(strings.TrimPrefix(exampleFragment, "v=1")))), full},
		{"coded four times", "/el/check/#v=1" + percentAll(percentAll(percentAll(percentAll(strings.TrimPrefix(exampleFragment, "v=1"))))), "bad-percent"},
		{"fragment alone, wholly coded", percentAll(exampleFragment), full},
		{"fragment alone after blanks", " \t\r\n\u00a0" + exampleFragment, full},
		{"fragment alone, commas coded", strings.ReplaceAll(exampleFragment, ",", "%2c"), full},
		{"a percent sign in the text before", "100% fair: " + exampleLink, full},
		{"a percent sign in the text behind", exampleLink + " 100% fair", "bad-percent"},
		{"half a percent code at the end", exampleLink + "%2", "bad-percent"},
		{"a lone surrogate in percent codes", replace("f242", "%ED%A0%80"), "bad-percent"},
		{"not UTF-8", replace("f242", "\xff"), "bad-percent"},
		{"not UTF-8 in an unknown key", exampleLink + "&\xff=1", "bad-percent"},
		{"# with another key before", "see #x=1 " + exampleLink, full},
		{"# in an unknown part", exampleLink + "&x=#3", full},
		{"two starts, one in an unknown part", exampleLink + "&x=#v=", "two-links"},
		{"quoted twice", wrap(exampleLink, 76, "> > "), "bad-part s"},
		{"quoted without blanks", wrap(exampleLink, 76, ">"), full},
		{"wrapped with CRLF", strings.ReplaceAll(wrap(exampleLink, 76, "> "), "\n", "\r\n"), full},
		{"wrapped with CR", strings.ReplaceAll(wrap(exampleLink, 76, ">\t"), "\n", "\r"), full},
		{"wrapped with U+00A0", strings.ReplaceAll(wrap(exampleLink, 76, ""), "\n", "\u00a0"), full},
		{"wrapped with U+2003", strings.ReplaceAll(wrap(exampleLink, 76, ""), "\n", "\u2003"), "bad-part s"},
		{"a > that begins no line", replace("f242", "f2>42"), "bad-part p"},
		{"wrapped, in quotation marks", "«" + wrap(exampleLink, 76, "") + "»", full},
		{"everything that may be glued on", exampleLink + ".;:!?)]}>\"'»”’,", full},
		{"an opening bracket glued on", exampleLink + "(", "bad-part g"},
		{"a full stop twice", exampleLink + "..", "link-cut"},
		{"an ellipsis at the end", exampleLink + "…", "link-cut"},
		{"p last, a full stop behind", toP + ".", "0 rolls"},
		{"p last, a comma and a full stop behind", toP + ",.", "bad-part p"},
		{"p last, a full stop and a comma behind", toP + ".,", "bad-part p"},
		{"r last, a comma behind", replace("&g=7,5", ","), "12 rolls"},
		{"a part without =", replace("&g=", "&x&g="), "bad-part"},
		{"a known key without =", replace("&g=7,5", "&g"), "bad-part g"},
		{"& at the end", exampleLink + "&", "bad-part"},
		{"two &", replace("&g", "&&g"), "bad-part"},
		{"an unknown key twice", exampleLink + "&x=1&x=1", "repeated-part"},
		{"v twice", exampleLink + "&v=1", "repeated-part v"},
		{"S for s", replace("&s=", "&S="), "missing-part s"},
		{"two = in a part", replace("p=f242", "p==f242"), "bad-part p"},
		{"v=0", replace("v=1", "v=0"), "version"},
		{"v=1.0", replace("v=1", "v=1.0"), "bad-part v"},
		{"v=", replace("v=1", "v="), "bad-part v"},
		{"v of a hundred digits", replace("v=1", "v=1"+strings.Repeat("0", 99)), "version"},
		{"v of Arabic digits", replace("v=1", "v=١"), "bad-part v"},
		{"s with 0X", replace("s=", "s=0X"), "bad-part s"},
		{"s with sha256:", replace("s=", "s=sha256:"), "bad-part s"},
		{"s of 16 bytes", replace(exampleSeed, exampleSeed[:32]), full},
		{"s of 64 bytes", replace(exampleSeed, exampleSeed+exampleSeed), full},
		{"s of 15 bytes", replace(exampleSeed, exampleSeed[:30]), "bad-part s"},
		{"s of 65 bytes", replace(exampleSeed, exampleSeed+exampleSeed+"00"), "bad-part s"},
		{"s empty", replace(exampleSeed, ""), "bad-part s"},
		{"c with 0x", replace("c=", "c=0x"), full},
		{"c with both prefixes", replace("c=", "c=sha256:0x"), "bad-part c"},
		{"c empty", replace(exampleSeal, ""), "bad-part c"},
		{"c of 62 digits", replace(exampleSeal, exampleSeal[2:]), "bad-part c"},
		{"c of 66 digits", replace(exampleSeal, exampleSeal+"00"), "bad-part c"},
		{"16 client seeds", replace("p=", "p="+strings.Repeat("a,", 14)), full},
		{"17 client seeds", replace("p=", "p="+strings.Repeat("a,", 15)), "bad-part p"},
		{"a client seed of 128", replace("p=", "p="+strings.Repeat("_", 128)+","), full},
		{"a client seed of 129", replace("p=", "p="+strings.Repeat("_", 129)+","), "bad-part p"},
		{"an empty client seed inside", replace(",d600", ",,d600"), "bad-part p"},
		{"an en dash in a client seed", replace("f242", "f2–2"), "bad-part p"},
		{"a picture in a client seed", replace("f242", "f2🎲2"), "bad-part p"},
		{"r empty, without g", replace("r=213216213333262333341666&g=7,5", "r="), "0 rolls"},
		{"a hyphen in r", replace("r=213", "r=2-13"), "bad-part r"},
		{"r and g that disagree", replace("r=2132", "r="), "games-differ g"},
		{"g of one game", replace("g=7,5", "g=12"), "12 rolls, games 12"},
		{"g empty", replace("g=7,5", "g="), "bad-part g"},
		{"g of ten digits", replace("g=7,5", "g=1000000000"), "bad-part g"},
		{"g with 07", replace("g=7,5", "g=07,5"), "bad-part g"},
		{"g with 1e1", replace("g=7,5", "g=1e1,2"), "bad-part g"},
		{"g with a colon", replace("g=7,5", "g=7:5"), "bad-part g"},
		{"g beyond 32 bits", replace("g=7,5", "g=7"+strings.Repeat(",999999999", 30)), "games-differ g"},
		{"g of 100,000 without r", replace("r=213216213333262333341666&g=7,5", "g=99999,1"), "0 rolls"},
		{"g of 100,001 without r", replace("r=213216213333262333341666&g=7,5", "g=99999,2"), "too-long g"},
		{"markup", "#p=<img src=x onerror=alert(1)>", "missing-part v"},
	} {
		t.Run(row.what, func(t *testing.T) {
			links, err := record.ReadLink(row.text)
			if err != nil {
				e := fault(t, err)
				if got := strings.TrimSpace(string(e.Code) + " " + e.Part); got != row.want {
					t.Errorf("%s: %v, want %s", got, err, row.want)
				}
				return
			}
			if len(links) != 1 || understood(links[0]) != row.want {
				t.Fatalf("%d readings, the first is %s, want %s", len(links), understood(links[0]), row.want)
			}
		})
	}
}

// TestReadLinkTwice holds texts with two readings.
func TestReadLinkTwice(t *testing.T) {
	head := "#v=1&s=" + exampleSeed + "&"
	for _, row := range []struct {
		text string
		want []string // client seeds and rolls of each reading
	}{
		{head + "p=a,b hello", []string{"a,bhello ", "a,b "}},
		{head + "p=a,b\n> hello", []string{"a,bhello ", "a,b "}},
		{head + "p=a&r=21 34", []string{"a 2-1 3-4", "a 2-1"}},
		{head + "p=a&r=21\r\n34&g=2", []string{"a 2-1 3-4", "a 2-1"}},
		{head + "p=a&g=2&r=21\r\n34", []string{"a 2-1 3-4"}},  // the short one is a roll short
		{head + "p=a&r=21&g=1 34", []string{"a 2-1"}},         // the whole one has 134 rolls
		{head + "p=a&r=21\n&g=1", []string{"a 2-1", "a 2-1"}}, // one marks a game
		{head + "p=a&r=21 34?!", []string{"a 2-1 3-4", "a 2-1"}},
		{head + "p=a&r=21 , ", []string{"a 2-1"}}, // equal
		{head + "p=a&r=21, then 34...", []string{"a 2-1"}},
	} {
		links, err := record.ReadLink(row.text)
		var got []string
		for _, l := range links {
			var clients []string
			for _, c := range l.Record.Clients {
				clients = append(clients, string(c))
			}
			var rolls [][]uint32
			for _, e := range l.Record.Rolls() {
				rolls = append(rolls, e.Dice)
			}
			got = append(got, strings.Join(clients, ",")+" "+show(rolls))
		}
		if diff := cmp.Diff(got, row.want); diff != "" || err != nil {
			t.Errorf("%q: %v %s", row.text, err, diff)
		}
	}
}

// TestReadLinkPlace holds part, position, character and words of a refusal.
func TestReadLinkPlace(t *testing.T) {
	for _, row := range []struct{ old, with, want string }{
		{"c149", "c1\u200b49", "record: part s: position 3: U+200B: not a hex digit"},
		{"s=c149", "s=0xg149", "record: part s: position 3: 'g': not a hex digit"},
		{exampleSeed, exampleSeed + "0", "record: part s: position 65: an odd number of hex digits, 65"},
		{exampleSeal, exampleSeal[2:], "record: part c: position 62: fewer than 64 hex digits, 62"},
		{exampleSeal, "0x" + exampleSeal + "ab", "record: part c: position 67: more than 64 hex digits, 66"},
		{",d600", ",d\u00e9\U0001f3b200", "record: part p: position 35: U+00E9: not one of A-Z a-z 0-9 _ -"},
		{",d600", ",,d600", "record: part p: position 34: a client seed is empty"},
		{"r=213", "r=\u0662\u0661713", "record: part r: position 1: U+0662: not a digit 1 to 6"},
		{"r=213", "r=2\u00ad13", "record: part r: position 2: U+00AD: not a digit 1 to 6"},
		{"r=213", "r=21", "record: part r: position 23: an odd number of digits, 23"},
		{"g=7,5", "g=7,5,0", "record: part g: position 5: '0': not part of a decimal number from 1"},
		{"g=7,5", "g=7,,5", "record: part g: position 3: a number is empty"},
		{"g=7,5", "g=7,6", "record: part g: the games have 13 rolls, but 12 are recorded"},
		{"v=1", "v=01", "record: part v: position 1: version has a leading zero"},
	} {
		_, err := record.ReadLink(replace(row.old, row.with))
		if err == nil || err.Error() != row.want {
			t.Errorf("%q for %q: %v, want %s", row.with, row.old, err, row.want)
		}
	}
}

func TestReadLinkLimits(t *testing.T) {
	link := func(characters int) string {
		before := "#v=1&s=" + exampleSeed + "&p=a&x="
		return before + strings.Repeat("é", characters-len(before))
	}
	if links, err := record.ReadLink(link(record.MaxLink)); err != nil || len(links) != 1 {
		t.Errorf("262,144 characters: %v", err)
	}
	for _, text := range []string{link(record.MaxLink + 1), strings.Repeat("\xff", record.MaxLink+1), strings.Repeat("\U0001f3b2", record.MaxLink+1)} {
		if _, err := record.ReadLink(text); err == nil || fault(t, err).Code != record.TooLong {
			t.Errorf("262,145 characters: %v", err)
		}
	}
	rolls := func(n int) string {
		return "#v=1&s=" + exampleSeed + "&p=a&r=" + strings.Repeat("63", n) + "&g=" + strconv.Itoa(n)
	}
	links, err := record.ReadLink(rolls(record.MaxRolls))
	if err != nil || len(links[0].Record.Rolls()) != record.MaxRolls {
		t.Fatalf("100,000 rolls: %v", err)
	}
	if text, err := links[0].Record.Link(); err != nil || "#"+text != rolls(record.MaxRolls) {
		t.Errorf("100,000 rolls are not written as they were read: %v", err)
	}
	if _, err := record.ReadLink(rolls(record.MaxRolls + 1)); err == nil || place(fault(t, err)) != "too-long part r" {
		t.Errorf("100,001 rolls: %v", err)
	}
}

// TestReadLinkAllocates holds the work for hostile links of the largest size to
// a small multiple of their length.
func TestReadLinkAllocates(t *testing.T) {
	for name, text := range map[string]string{
		"percent signs": strings.Repeat("%25", record.MaxLink/3),
		"starts":        strings.Repeat("#v=", record.MaxLink/3),
		"ampersands":    "#" + exampleFragment + strings.Repeat("&", 200_000),
		"keys":          "#" + exampleFragment + "&" + strings.Repeat("a=&", 80_000),
		"blanks":        "#v=1" + strings.Repeat(" ", 200_000),
		"quotes":        "#v=1" + strings.Repeat("\n> ", 80_000),
		"full stops":    "#" + exampleFragment + strings.Repeat(";", 200_000) + "x",
		"rolls":         "#v=1&s=" + exampleSeed + "&p=a&r=" + strings.Repeat("63", record.MaxRolls),
		"games":         "#v=1&s=" + exampleSeed + "&p=a&g=" + strings.Repeat("1,", 100_000) + "1",
	} {
		if n := testing.AllocsPerRun(1, func() { _, _ = record.ReadLink(text) }); n > 500 {
			t.Errorf("%s cost %.0f allocations", name, n)
		}
	}
}

func TestLink(t *testing.T) {
	links, err := record.ReadLink(exampleLink)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := links[0].Record.Link(); err != nil || got != exampleFragment {
		t.Errorf("got %s, %v", got, err)
	}
	read := func(change ...string) *record.Record {
		r, err := record.Parse([]byte(strings.NewReplacer(change...).Replace(tavliText)))
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	const begin = "v=1&s=2d23a7916a1d0d6078c9f2068d7a7049de1e0f2f3faeb181a25e6798af6a8635"
	const seal = "&c=752be61eabe9ccd97644543b438cca1fa8cf52a8351f1e1f6c86a21bc8173269"
	const clients = "&p=bc541483be9f0ac9aa71379947c5a6c5,9ab7b939b5e2f6c1673f1483b8dc200b"
	for _, row := range []struct {
		what, want string
		r          *record.Record
	}{
		{"two games", begin + seal + clients + "&r=661532231666326124664346&g=7,5", read()},
		{"no game lines", begin + seal + clients + "&r=661532231666326124664346&g=12", read("game\n", "")},
		{"no seal", begin + clients + "&r=661532231666326124664346&g=7,5", read("seal 752be61eabe9ccd97644543b438cca1fa8cf52a8351f1e1f6c86a21bc8173269", "seal -")},
	} {
		if got, err := row.r.Link(); err != nil || got != row.want {
			t.Errorf("%s: got %s, %v, want %s", row.what, got, err, row.want)
		}
	}
	r := read()
	r.Entries = nil
	r.Complete()
	if got, err := r.Link(); err != nil || got != begin+seal+clients {
		t.Errorf("no rolls: got %s, %v", got, err)
	}
	for what, r := range map[string]*record.Record{
		"running":       read("state finished", "state running"),
		"aborted":       read("state finished", "state aborted"),
		"no seed":       read("seed 2d23a7916a1d0d6078c9f2068d7a7049de1e0f2f3faeb181a25e6798af6a8635", "seed -"),
		"a roll left":   read("roll 5 1 6\n", ""),
		"a roll twice":  read("roll 5 1 6", "roll 4 1 6"),
		"another count": read("rolls 12", "rolls 13"),
	} {
		if got, err := r.Link(); err == nil {
			t.Errorf("%s: got %s", what, got)
		}
	}
	if r, err := record.Parse([]byte(yayayText)); err != nil {
		t.Fatal(err)
	} else if got, err := r.Link(); err == nil {
		t.Errorf("yayay/1: got %s", got)
	}
	long := read()
	long.Entries = nil
	for n := range record.MaxRolls {
		long.Entries = append(long.Entries, record.Entry{Game: true}, record.Entry{Number: uint64(n + 1), Dice: []uint32{1, 2}})
	}
	long.Complete()
	if _, err := long.Link(); err == nil {
		t.Error("100,000 games have a link, which is too long to be read")
	}
}

// TestLinkChanged changes every character of a good link: it is refused, or read
// as another match, except for the letter g and for what stands before v.
func TestLinkChanged(t *testing.T) {
	for i := range exampleLink {
		for _, with := range []string{"", "0", "a", ",", "&", "=", "#", "%", " ", "\n", "\u200b"} {
			text := exampleLink[:i] + with + exampleLink[i+1:]
			links, err := record.ReadLink(text)
			if err != nil {
				fault(t, err)
				continue
			}
			for _, l := range links {
				back, err := l.Record.Link()
				if err != nil {
					t.Fatalf("%q: %v", text, err)
				}
				if back == exampleFragment && with != exampleLink[i:i+1] && i > len("/el/check/") && exampleLink[i] != 'g' {
					t.Errorf("%q is read as the good link", text)
				}
			}
		}
	}
}

func TestServerOfLink(t *testing.T) {
	links, err := record.ReadLink(strings.Replace(exampleLink, exampleSeed, strings.ToUpper(exampleSeed), 1))
	if err != nil {
		t.Fatal(err)
	}
	if got := seed.Hex(links[0].Record.Server.Reveal()); got != exampleSeed {
		t.Errorf("got server seed %s", got)
	}
}

func BenchmarkReadLink(b *testing.B) {
	text := "#v=1&s=" + exampleSeed + "&c=" + exampleSeal + "&p=a,b&r=" + strings.Repeat("63", 100) + "&g=100"
	b.ReportAllocs()
	for b.Loop() {
		if _, err := record.ReadLink(text); err != nil {
			b.Fatal(err)
		}
	}
}
