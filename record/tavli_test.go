package record_test

import (
	"fmt"
	"strings"
	"testing"

	"veridice/record"
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
