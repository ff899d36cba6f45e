package record_test

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"testing"

	"veridice/record"
)

func FuzzParse(f *testing.F) {
	for _, text := range []string{
		tavliText, yayayText, openText, "",
		strings.ReplaceAll(tavliText, "\n", "\r\n"),
		strings.Replace(tavliText, "tavli/1", "veridice/1", 1),
		strings.Replace(tavliText, "record 1", "record 2", 1),
		strings.Replace(tavliText, "game\n", "", 1),
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) { checkParse(t, text) })
}

func FuzzReadLink(f *testing.F) {
	for _, text := range []string{
		exampleLink, exampleFragment, percentAll(percentAll(exampleFragment)),
		wrap(exampleLink, 76, "> "), exampleLink + " and " + exampleLink, exampleLink[:150], exampleLink[:120] + "…",
		"#v=1&s=" + exampleSeed + "&p=a&r=21 34", "&amp;#p=%2525", "",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		links, err := record.ReadLink(text)
		if err != nil {
			if links != nil {
				t.Fatal("an error and a link")
			}
			fault(t, err)
			return
		}
		if len(links) < 1 || len(links) > 2 {
			t.Fatalf("%d readings", len(links))
		}
		for _, l := range links {
			checkLink(t, l)
		}
	})
}

// checkLink holds what was read of a link to what every link says, and writes it
// and reads it again.
func checkLink(t testing.TB, l *record.Link) {
	t.Helper()
	text, err := l.Record.MarshalText()
	if err != nil {
		t.Fatal(err)
	}
	if l.Record.Match != "-" || l.Record.State != record.Finished || l.Record.Sum != l.Record.RightSum() ||
		l.Record.Count != uint64(len(l.Record.Rolls())) || l.HasRolls != (l.Record.Count > 0) {
		t.Fatalf("%s is not the record of a link", text)
	}
	written, err := l.Record.Link()
	if err != nil {
		t.Fatal(err)
	}
	again, err := record.ReadLink("#" + written)
	if err != nil || len(again) != 1 {
		t.Fatalf("%s: %d readings, %v", written, len(again), err)
	}
	back, err := again[0].Record.MarshalText()
	if err != nil {
		t.Fatal(err)
	}
	if l.HasRolls && l.Record.Games() == nil {
		// Written as one game.
		text = bytes.Replace(text, []byte("\nroll 1 "), []byte("\ngame\nroll 1 "), 1)
		text, back = text[:len(text)-69], back[:len(back)-69]
	}
	if !bytes.Equal(back, text) {
		t.Fatalf("%s gives\n%s, and back\n%s", written, text, back)
	}
}

func FuzzReadRolls(f *testing.F) {
	for _, text := range []string{
		"1. 6-3\r\n2. 4-4", "#1 6 3", "6-3 4-4, 12", "634412", "6 3\n4 4", "1.63 2) 4/4", "\uFEFF1: 6,3;2: 12",
		"6-3-2", "1 632\n2 1-1", "12: 4 4", "6\u20093", "",
	} {
		f.Add(text, false)
		f.Add(text, true)
	}
	f.Fuzz(func(t *testing.T, text string, throws bool) {
		dice := 2
		if throws {
			dice = 0
		}
		rolls, err := record.ReadRolls(text, dice)
		if err != nil {
			e := fault(t, err)
			if rolls != nil || e.Code != record.TooLong && (e.Code != record.BadRolls || e.Line < 1 || e.Column < 1) {
				t.Fatalf("%q: %v", text, err)
			}
			return
		}
		var numbered strings.Builder
		for i, r := range rolls {
			if len(r) < 1 || len(r) > 100 || !throws && len(r) != 2 {
				t.Fatalf("%q: a roll of %d dice", text, len(r))
			}
			numbered.WriteString(strconv.Itoa(i+1) + ". " + show([][]uint32{r}) + "\n")
		}
		for _, again := range []string{numbered.String(), strings.ReplaceAll(show(rolls), " ", "\n")} {
			if got, err := record.ReadRolls(again, dice); err != nil || show(got) != show(rolls) {
				t.Fatalf("%q is read as %s, and that as %s, %v", text, show(rolls), show(got), err)
			}
		}
	})
}

func FuzzView(f *testing.F) {
	for _, text := range []string{tavliText, yayayText, openText} {
		r, err := record.Parse([]byte(text))
		if err != nil {
			f.Fatal(err)
		}
		view, err := r.MarshalView()
		if err != nil {
			f.Fatal(err)
		}
		f.Add(view)
	}
	f.Add([]byte(strings.Replace(openView, "null", `"\u0041\/"`, 1)))
	f.Add([]byte(strings.Replace(openView, "null", `"\ud800"`, 1)))
	f.Fuzz(func(t *testing.T, view []byte) {
		r, err := record.ParseView(view)
		if err != nil {
			if r != nil {
				t.Fatal("an error and a record")
			}
			fault(t, err)
			return
		}
		if !json.Valid(view) {
			t.Fatalf("%q is read, but is not JSON", view)
		}
		text, err := r.MarshalText()
		if err != nil {
			t.Fatal(err)
		}
		again, e := checkParse(t, text)
		if e != nil {
			t.Fatal(e)
		}
		one, err := r.MarshalView()
		if err != nil {
			t.Fatal(err)
		}
		if two, err := again.MarshalView(); err != nil || !bytes.Equal(one, two) {
			t.Fatalf("the views %s and %s differ, %v", one, two, err)
		}
	})
}
