package record_test

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"veridice/record"
	"veridice/seed"
)

// drawRecord draws any record of a scheme. Of a match that a link can tell, it
// is finished, its rolls are numbered in order, and count and sum are right.
func drawRecord(t *rapid.T, scheme string, told bool) *record.Record {
	r := &record.Record{Scheme: scheme, Match: "-", State: record.Finished}
	least, most := 32, 32
	if scheme == "tavli/1" {
		least, most = 16, 64
		for _, c := range rapid.SliceOfN(rapid.StringMatching(`[A-Za-z0-9_-]{1,128}`), 1, 16).Draw(t, "clients") {
			r.Clients = append(r.Clients, seed.Client(c))
		}
	}
	if rapid.Bool().Draw(t, "sealed") {
		r.Seal = &seed.Seal{}
		copy(r.Seal[:], rapid.SliceOfN(rapid.Byte(), 32, 32).Draw(t, "seal"))
	}
	if told || rapid.Bool().Draw(t, "revealed") {
		server, err := seed.NewServer(rapid.SliceOfN(rapid.Byte(), least, most).Draw(t, "server"))
		if err != nil {
			t.Fatal(err)
		}
		r.Server = server
	}
	marked := scheme == "tavli/1" && rapid.Bool().Draw(t, "games")
	for n := range rapid.IntRange(0, 40).Draw(t, "rolls") {
		if marked && (n == 0 || rapid.IntRange(0, 4).Draw(t, "new") == 0) {
			r.Entries = append(r.Entries, record.Entry{Game: true})
		}
		dice := 2
		if scheme == "yayay/1" {
			dice = rapid.IntRange(1, 100).Draw(t, "dice")
		}
		e := record.Entry{Number: uint64(n + 1), Dice: rapid.SliceOfN(rapid.Uint32Range(1, 6), dice, dice).Draw(t, "roll")}
		if !told && rapid.IntRange(0, 9).Draw(t, "odd") == 0 {
			e.Number = rapid.Uint64Range(1, record.MaxRolls).Draw(t, "number")
		}
		r.Entries = append(r.Entries, e)
	}
	r.Complete()
	if !told {
		r.Match = rapid.StringMatching(`[A-Za-z0-9._-]{1,64}`).Draw(t, "match")
		r.State = rapid.SampledFrom([]record.State{record.Running, record.Finished, record.Aborted}).Draw(t, "state")
		r.Count = rapid.Uint64Range(0, record.MaxRolls).Draw(t, "count")
		copy(r.Sum[:], rapid.SliceOfN(rapid.Byte(), 32, 32).Draw(t, "sum"))
	}
	return r
}

// same fails unless two records are equal, field by field.
func same(t *rapid.T, what string, got, want *record.Record) {
	entries := func(r *record.Record) string { return fmt.Sprint(r.Entries) }
	seal := func(r *record.Record) string {
		if r.Seal == nil {
			return "-"
		}
		return r.Seal.String()
	}
	if got.Scheme != want.Scheme || got.Match != want.Match || seal(got) != seal(want) ||
		fmt.Sprintf("%q", got.Clients) != fmt.Sprintf("%q", want.Clients) || entries(got) != entries(want) ||
		got.Server.IsZero() != want.Server.IsZero() || !bytes.Equal(got.Server.Reveal(), want.Server.Reveal()) ||
		got.Count != want.Count || got.State != want.State || got.Sum != want.Sum {
		t.Fatalf("%s: got\n%+v, want\n%+v", what, got, want)
	}
}

func TestAnyRecord(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := drawRecord(t, rapid.SampledFrom([]string{"tavli/1", "yayay/1"}).Draw(t, "scheme"), false)
		text, err := r.MarshalText()
		if err != nil {
			t.Fatal(err)
		}
		if !inGrammar(text) {
			t.Fatalf("%s is not in the grammar", text)
		}
		back, err := record.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		same(t, "text", back, r)
		view, err := r.MarshalView()
		if err != nil {
			t.Fatal(err)
		}
		if back, err = record.ParseView(view); err != nil {
			t.Fatal(err)
		}
		same(t, "view", back, r)
	})
}

// manglings lose nothing: docs/spec/tavli.md says how each is undone.
var manglings = map[string]func(t *rapid.T, link string) string{
	"fragment alone": func(_ *rapid.T, link string) string { return strings.TrimPrefix(link, "#") },
	"whole address": func(t *rapid.T, link string) string {
		return rapid.SampledFrom([]string{"/el/check/", "https://tavli.example/de/check/", "x/?fbclid=IwAR0x"}).Draw(t, "before") + link
	},
	"other order": func(t *rapid.T, link string) string {
		parts := strings.Split(strings.TrimPrefix(link, "#"), "&")
		return "#" + strings.Join(rapid.Permutation(parts).Draw(t, "order"), "&")
	},
	"commas coded": func(_ *rapid.T, link string) string { return strings.ReplaceAll(link, ",", "%2c") },
	"coded": func(t *rapid.T, link string) string {
		for range rapid.IntRange(1, 2).Draw(t, "times") {
			link = percentAll(link)
		}
		return link
	},
	"every character coded": func(_ *rapid.T, link string) string {
		out := ""
		for _, c := range []byte(link) {
			out += fmt.Sprintf("%%%02x", c)
		}
		return out
	},
	"entities": func(_ *rapid.T, link string) string { return strings.ReplaceAll(link, "&", "&amp;") },
	"brackets": func(_ *rapid.T, link string) string { return "<" + link + ">" },
	"glued": func(t *rapid.T, link string) string {
		return link + rapid.SampledFrom([]string{".", ";", ":", "!", "?", ")", "]", "}", ">", "\"", "'", "»", "”", "’", "?!", ").", "»."}).Draw(t, "behind")
	},
	"text around": func(_ *rapid.T, link string) string { return "Look: " + link + "\tis it fair?" },
	"wrapped": func(t *rapid.T, link string) string {
		before := rapid.SampledFrom([]string{"", ">", "> ", ">\t"}).Draw(t, "quote")
		text := wrap(link, rapid.IntRange(20, 90).Draw(t, "columns"), before)
		return strings.ReplaceAll(text, "\n", rapid.SampledFrom([]string{"\n", "\r\n", "\r"}).Draw(t, "end"))
	},
	"blanks inside": func(t *rapid.T, link string) string {
		// Not between # and the first key, which are the start together.
		i := rapid.IntRange(4, len(link)).Draw(t, "place")
		return link[:i] + rapid.SampledFrom([]string{" ", "\t", "\u00a0", "\n", " \r\n "}).Draw(t, "blank") + link[i:]
	},
	"upper case": func(_ *rapid.T, link string) string {
		parts := strings.Split(link, "&")
		for i, part := range parts {
			if key, value, _ := strings.Cut(part, "="); key == "s" || key == "c" {
				parts[i] = key + "=" + strings.ToUpper(value)
			}
		}
		return strings.Join(parts, "&")
	},
	"prefixes": func(t *rapid.T, link string) string {
		return strings.NewReplacer("&s=", "&s=0x", "&c=", "&c="+rapid.SampledFrom([]string{"0x", "sha256:"}).Draw(t, "prefix")).Replace(link)
	},
	"unknown key": func(_ *rapid.T, link string) string { return link + "&utm_source=x" },
}

func TestAnyLink(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := drawRecord(t, "tavli/1", true)
		link, err := r.Link()
		if err != nil {
			t.Fatal(err)
		}
		want := *r
		if r.Games() == nil && len(r.Entries) > 0 {
			want.Entries = append([]record.Entry{{Game: true}}, r.Entries...)
			want.Complete()
		}
		read := func(what, text string) {
			links, err := record.ReadLink(text)
			if err != nil {
				t.Fatalf("%s: %q: %v", what, text, err)
			}
			// A blank gives two readings; which of them fits only the check can say.
			if len(links) > 2 {
				t.Fatalf("%s: %q has %d readings", what, text, len(links))
			}
			for _, l := range links {
				if l.Record.Sum == want.Sum {
					same(t, what, l.Record, &want)
					return
				}
			}
			t.Fatalf("%s: %q is read as another match", what, text)
		}
		read("as it is", "#"+link)
		for _, what := range slices.Sorted(maps.Keys(manglings)) { // draws must come in one order
			read(what, manglings[what](t, "#"+link))
		}
	})
}
