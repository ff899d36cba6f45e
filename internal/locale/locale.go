// Package locale turns codes and keys into words, in English, Greek, German and
// Indonesian. The command line, the server and the pages read the same
// catalogues, messages/<tag>.json:
//
//	{
//	  "ui.roll": "Roll",
//	  "verify.proven": {"one": "{count} roll follows …", "other": "{count} rolls follow …"}
//	}
//
// They are flat. A value is a sentence, or an object of sentences by the
// language's plural categories, which the argument named count chooses from.
// A placeholder is a name in braces. English is the source; the others have the
// same keys and placeholders. How to add a language is docs/translate.md.
package locale

import (
	"embed"
	"encoding/json"
	"strings"
	"sync"
)

//go:embed messages/*.json
var files embed.FS

// A Language is one that has a catalogue. Tag stands in addresses and in the
// lang attribute; Name is the language's own name of itself.
type Language struct{ Tag, Name string }

var languages = []Language{{"en", "English"}, {"el", "Ελληνικά"}, {"de", "Deutsch"}, {"id", "Bahasa Indonesia"}}

// Source is the language that the others are translated from.
const Source = "en"

// Languages lists the languages in the order in which pages offer them.
func Languages() []Language { return append([]Language(nil), languages...) }

// Has reports whether there is a catalogue with this very tag.
func Has(tag string) bool {
	for _, l := range languages {
		if l.Tag == tag {
			return true
		}
	}
	return false
}

// Match finds a language for a value such as "el_GR.UTF-8", "de-AT", or a list of
// them joined by colons, as LC_ALL, LC_MESSAGES, LANG and LANGUAGE hold it. What
// it does not know, C and POSIX among them, is English.
func Match(preferences string) string {
	for _, p := range strings.Split(preferences, ":") {
		tag := strings.ToLower(strings.TrimSpace(p))
		if i := strings.IndexAny(tag, "_-.@"); i >= 0 {
			tag = tag[:i]
		}
		if tag == "in" { // the code of Indonesian until 1989, still in use
			tag = "id"
		}
		if Has(tag) {
			return tag
		}
	}
	return Source
}

// A catalogue maps a key to its forms by plural category; a plain sentence has
// the one form "".
type catalogue map[string]map[string]template

// load reads all catalogues once. They are part of the program and tested, so a
// fault in one is a broken invariant.
var load = sync.OnceValue(func() map[string]catalogue {
	all := map[string]catalogue{}
	for _, l := range languages {
		c, err := parseCatalogue(raw(l.Tag))
		if err != nil {
			panic("veridice: internal error: messages/" + l.Tag + ".json: " + err.Error())
		}
		all[l.Tag] = c
	}
	return all
})

func raw(tag string) []byte {
	data, err := files.ReadFile("messages/" + tag + ".json")
	if err != nil {
		panic("veridice: internal error: " + err.Error())
	}
	return data
}

func parseCatalogue(data []byte) (catalogue, error) {
	var values map[string]json.RawMessage
	if err := json.Unmarshal(data, &values); err != nil {
		return nil, err
	}
	c := catalogue{}
	for key, value := range values {
		forms := map[string]string{}
		if value[0] == '"' {
			var text string
			if err := json.Unmarshal(value, &text); err != nil {
				return nil, err
			}
			forms[""] = text
		} else if err := json.Unmarshal(value, &forms); err != nil {
			return nil, err
		}
		c[key] = map[string]template{}
		for category, text := range forms {
			t, err := parse(text)
			if err != nil {
				return nil, err
			}
			c[key][category] = t
		}
	}
	return c, nil
}

// Catalogue gives a language's messages as one JSON object for a page, those whose
// keys begin with one of the prefixes, or all if there is no prefix. It is safe
// inside a script element: <, > and & are escaped.
func Catalogue(tag string, prefixes ...string) []byte {
	var values map[string]json.RawMessage
	if err := json.Unmarshal(raw(tag), &values); err != nil {
		panic("veridice: internal error: messages/" + tag + ".json: " + err.Error())
	}
	for key := range values {
		keep := len(prefixes) == 0
		for _, p := range prefixes {
			keep = keep || strings.HasPrefix(key, p)
		}
		if !keep {
			delete(values, key)
		}
	}
	data, err := json.Marshal(values)
	if err != nil {
		panic("veridice: internal error: " + err.Error())
	}
	return data
}
