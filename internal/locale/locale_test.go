package locale

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"maps"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
)

func TestText(t *testing.T) {
	for _, c := range []struct{ tag, want string }{
		{"en", "100 rolls follow from the seeds"},
		{"el", "100 ζαριές βγαίνουν από τους σπόρους"},
		{"de", "100 Würfe folgen aus den Seeds"},
		{"id", "100 lemparan berasal dari seed yang diberikan"},
		{"xx", "100 rolls follow from the seeds"},
	} {
		if got := For(c.tag).Text("verify.proven", "count", 100); got != c.want {
			t.Errorf("%s: got %q, want %q", c.tag, got, c.want)
		}
	}
	if got, want := For("de").Text("verify.proven", "count", 1), "1 Wurf folgt aus den Seeds"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := For("en").Text("no.such.key"), "no.such.key"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	// A value is never read as a message.
	if got, want := For("en").Text("verify.ignored", "names", "{names} {7*7}"), "ignored, not a part of such a link: {names} {7*7}"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestMisuse: a caller that leaves something out is a fault of ours, not a text
// with a hole in it.
func TestMisuse(t *testing.T) {
	lonely := []any{"names"}
	for name, call := range map[string]func(p *Printer){
		"no count":       func(p *Printer) { p.Text("verify.proven") },
		"no value":       func(p *Printer) { p.Text("verify.ignored") },
		"a lonely name":  func(p *Printer) { p.Text("verify.ignored", lonely...) },
		"a name of type": func(p *Printer) { p.Text("verify.ignored", 1, 2) },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			call(For("en"))
		})
	}
}

func TestMatch(t *testing.T) {
	for _, c := range []struct{ preferences, want string }{
		{"el_GR.UTF-8", "el"}, {"de", "de"}, {"de_AT", "de"}, {"de-CH", "de"}, {"id_ID@euro", "id"}, {"in_ID", "id"},
		{"fr_FR:el_GR:de", "el"}, {"C", "en"}, {"C.UTF-8", "en"}, {"POSIX", "en"}, {"", "en"}, {"xx", "en"}, {"EL", "el"},
		{"ελ", "en"}, {"enormous", "en"},
	} {
		if got := Match(c.preferences); got != c.want {
			t.Errorf("Match(%q) = %q, want %q", c.preferences, got, c.want)
		}
	}
}

// same lists the messages that are the same in a language as in English: names,
// short words that are the same, and words that the language has taken over.
var same = map[string]bool{
	"de table.card.short.ace":   true,
	"de table.card.short.king":  true,
	"de table.result.played":    true,
	"el check.read.bytes":       true,
	"el cli.explain.bytes":      true,
	"id check.field.server":     true,
	"id check.read.bytes":       true,
	"id check.read.seed":        true,
	"id table.card.jack":        true,
	"id table.card.short.ace":   true,
	"id table.card.short.jack":  true,
	"id table.card.short.king":  true,
	"id table.card.short.queen": true,
}

// bidi and other characters that nobody sees; a soft hyphen and a no-break space
// may stand in a message.
var hidden = regexp.MustCompile(`[\x00-\x08\x0b-\x1f\x7f\x{61c}\x{200b}-\x{200f}\x{2028}-\x{202e}\x{2060}-\x{2069}\x{feff}]`)

var mixed = regexp.MustCompile(`\p{Greek}[A-Za-z]|[A-Za-z]\p{Greek}`)

// TestCatalogues holds each language to English, and each to its own rules.
func TestCatalogues(t *testing.T) {
	all := load()
	source, met := all[Source], map[string]bool{}
	if len(source) < 100 {
		t.Fatalf("only %d messages", len(source))
	}
	for _, l := range Languages() {
		catalogue := all[l.Tag]
		for key := range source {
			if catalogue[key] == nil {
				t.Errorf("%s: no message %s", l.Tag, key)
			}
		}
		for key, forms := range catalogue {
			if source[key] == nil {
				t.Errorf("%s: %s is not in the source", l.Tag, key)
				continue
			}
			if _, plain := forms[""]; !plain {
				got, want := slices.Sorted(maps.Keys(forms)), slices.Clone(plurals[l.Tag].categories)
				slices.Sort(want)
				if !slices.Equal(got, want) {
					t.Errorf("%s: %s has the forms %v, want %v", l.Tag, key, got, want)
				}
			} else if len(forms) != 1 {
				t.Errorf("%s: %s is both a sentence and forms", l.Tag, key)
			}
			if _, plain := source[key][""]; plain != (forms[""] != nil) {
				t.Errorf("%s: %s has plural forms in one language and not in the other", l.Tag, key)
			}
			if got, want := names(forms), names(source[key]); !maps.Equal(got, want) {
				t.Errorf("%s: %s has the placeholders %v, want %v", l.Tag, key, got, want)
			}
			for _, form := range forms {
				text := form.String()
				switch {
				case strings.TrimSpace(text) == "" || strings.TrimSpace(text) != text:
					t.Errorf("%s: %s is empty or has blanks at its ends", l.Tag, key)
				case hidden.MatchString(text):
					t.Errorf("%s: %s holds a character that nobody sees", l.Tag, key)
				case mixed.MatchString(text):
					t.Errorf("%s: %s mixes Greek and Latin letters in a word: %q", l.Tag, key, mixed.FindString(text))
				case l.Tag == "el" && strings.Contains(text, "?"):
					t.Errorf("el: %s asks with a Latin question mark", key)
				}
				if l.Tag != Source && !ownWords(text, source[key]) {
					if entry := l.Tag + " " + key; same[entry] {
						met[entry] = true
					} else {
						t.Errorf("%s: %s is the English text: %q", l.Tag, key, text)
					}
				}
			}
		}
	}
	for entry := range same {
		if !met[entry] {
			t.Errorf("%s is allowed to be the English text, and is not", entry)
		}
	}
}

// ownWords reports whether a text is none of the English forms, or has no words.
func ownWords(text string, english map[string]template) bool {
	plain := regexp.MustCompile(`\{\w+\}`).ReplaceAllString(text, "")
	if strings.IndexFunc(plain, unicode.IsLetter) < 0 {
		return true
	}
	for _, form := range english {
		if form.String() == text {
			return false
		}
	}
	return true
}

func names(forms map[string]template) map[string]bool {
	names := map[string]bool{}
	for _, t := range forms {
		for i := 1; i < len(t); i += 2 {
			names[t[i]] = true
		}
	}
	return names
}

// TestFiles wants the keys sorted and each once, so that two people's changes
// meet in one place, and nothing is lost to a second value.
func TestFiles(t *testing.T) {
	for _, l := range Languages() {
		var keys []string
		d := json.NewDecoder(bytes.NewReader(raw(l.Tag)))
		for depth := 0; ; {
			token, err := d.Token()
			if err != nil {
				break
			}
			switch token := token.(type) {
			case json.Delim:
				if token == '{' {
					depth++
				} else {
					depth--
				}
			case string:
				if depth == 1 {
					keys = append(keys, token)
					value, err := d.Token()
					if err != nil {
						t.Fatal(err)
					}
					if value == json.Delim('{') {
						depth++
					}
				}
			}
		}
		for i := range keys[1:] {
			if keys[i] >= keys[i+1] {
				t.Errorf("%s: %s stands before %s", l.Tag, keys[i], keys[i+1])
			}
		}
		if len(keys) != len(load()[l.Tag]) {
			t.Errorf("%s: %d keys, %d of them different", l.Tag, len(keys), len(load()[l.Tag]))
		}
	}
}

func TestCatalogue(t *testing.T) {
	var some map[string]any
	if err := json.Unmarshal(Catalogue("el", "verify.place.", "verify.nothing"), &some); err != nil {
		t.Fatal(err)
	}
	if len(some) < 5 || some["verify.nothing"] != "τίποτα" {
		t.Errorf("got %v", some)
	}
	for key := range some {
		if !strings.HasPrefix(key, "verify.place.") && key != "verify.nothing" {
			t.Errorf("%s was not asked for", key)
		}
	}
	for _, l := range Languages() {
		if whole := Catalogue(l.Tag); bytes.ContainsAny(whole, "<>&") || !json.Valid(whole) {
			t.Errorf("%s: not safe in a script element", l.Tag)
		}
	}
}

var literal = regexp.MustCompile("[\"'`]([a-z][a-z0-9-]*(?:\\.[a-zA-Z0-9_-]+)*\\.?)[\"'`]")

// TestKeysAreUsed looks for each key in the sources: as it stands, or as a
// beginning that ends in a point and, elsewhere, the rest.
func TestKeysAreUsed(t *testing.T) {
	words := map[string]bool{}
	root := os.DirFS("../..")
	err := fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && slices.Contains([]string{"testdata", "node_modules", ".git", "messages", "test"}, d.Name()) {
			return fs.SkipDir
		}
		if !slices.Contains([]string{".go", ".mjs", ".html", ".js"}, path.Ext(name)) || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		text, err := fs.ReadFile(root, name)
		for _, m := range literal.FindAllSubmatch(text, -1) {
			words[string(m[1])] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for key := range load()[Source] {
		if !used(key, words) {
			t.Errorf("nothing uses %s", key)
		}
	}
	if used("no.such.key", words) {
		t.Error("a key that is nowhere counts as used")
	}
}

func used(key string, words map[string]bool) bool {
	base := key
	for _, scheme := range []string{".tavli", ".yayay", ".shuffle", ".veridice"} {
		base = strings.TrimSuffix(base, scheme)
	}
	for _, k := range []string{key, base} {
		if words[k] {
			return true
		}
		for i := range k {
			if k[i] != '.' || !words[k[:i+1]] {
				continue
			}
			rest := k[i+1:]
			first, _, _ := strings.Cut(rest, ".")
			if words[rest] || words[first] {
				return true
			}
		}
	}
	return false
}

// FuzzParse: what is parsed comes out as the same bytes, and a fault gives nothing.
func FuzzParse(f *testing.F) {
	n := 0
	for _, catalogue := range load() {
		for _, forms := range catalogue {
			for _, form := range forms {
				f.Add(form.String())
				n++
			}
		}
	}
	if n == 0 {
		f.Fatal("no seeds")
	}
	for _, text := range []string{"", "{", "}", "{}", "{a", "a}", "{a{b}}", "{7*7}", "{A}", "{a b}", "{a}{b}", "{é}"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		parsed, err := parse(text)
		switch {
		case err != nil && parsed != nil:
			t.Errorf("%q: both a template and an error", text)
		case err == nil && parsed.String() != text:
			t.Errorf("%q came out as %q", text, parsed.String())
		case err == nil && strings.Count(text, "{") != len(parsed)/2:
			t.Errorf("%q: %d placeholders", text, len(parsed)/2)
		}
	})
}
