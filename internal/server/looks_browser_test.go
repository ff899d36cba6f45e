package server

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"

	"veridice/internal/locale"
)

// A state is an address of a page and what the page must make of it.
type state struct {
	name, fragment string
	path           string // behind that of the page
	title, code    string // what the title begins with, and the code of the verdict
	heading        string // key of the message that is title and heading, if it is one
	from           *site  // another server than that of the other states
}

// A matrix is a page in every language, width and look, in each of its states.
type matrix struct {
	name, path string // of the page, below the language
	states     []state
	fewer      int    // how many of the states are looked at in languages other than English; 0 for all
	done       string // true when the page has said what it has to say of a fragment
	keys       string // prefixes of the page's messages, for a regular expression
}

var (
	dark   = &emulation.MediaFeature{Name: "prefers-color-scheme", Value: "dark"}
	forced = &emulation.MediaFeature{Name: "forced-colors", Value: "active"}
)

// Colours and widths change style alone, so that a page is loaded once for all of them.
var themes = []struct {
	name     string
	features []*emulation.MediaFeature
}{{"light", nil}, {"dark", []*emulation.MediaFeature{dark}}, {"forced", []*emulation.MediaFeature{forced}}}

var widths = []int64{320, 390, 1280}

// pseudo stands for languages to come: English, 40 % longer, from right to left.
const pseudo = "pseudo"

const lengthen = `{
	const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
	for (let n = walk.nextNode(); n; n = walk.nextNode()) {
		if (n.data.includes('ł') || n.parentElement.closest('script, pre, code, .hex, .no, .langs, .brand')) continue;
		n.data = n.data.replace(/[A-Za-z]+/g, (w) => w + 'łøñĝ'.slice(0, Math.ceil(w.length * 0.4)));
	}
	document.documentElement.dir = 'rtl';
}; 0`

// run looks at all of it: one load for a language, further fragments by hashchange, as a
// second link in the same tab. With SHOTS, pictures of everything go into that folder.
func (m matrix) run(t *testing.T, s *site) {
	for _, l := range append(locale.Languages(), locale.Language{Tag: pseudo}) {
		t.Run(l.Tag, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(browser(t), 5*time.Minute)
			defer cancel()
			c := complaining(t, ctx)
			at := ""
			for i, st := range m.states {
				if m.fewer > 0 && i >= m.fewer && l.Tag != "en" {
					break
				}
				from := s
				if st.from != nil {
					from = st.from
				}
				tag := l.Tag
				if tag == pseudo {
					tag = "en"
				}
				url := from.URL + "/" + tag + "/" + m.path + st.path
				name := fmt.Sprintf("%s %s %s", l.Tag, m.name, st.name)
				fresh := url != at || st.fragment == ""
				look(t, ctx, 390)
				if fresh {
					load(t, ctx, url+st.fragment)
				} else {
					eval[int](t, ctx, fmt.Sprintf("new Promise((done) => { addEventListener('hashchange', () => done(0), {once: true}); location.hash = %q })", st.fragment))
				}
				at = url
				if st.code != "" {
					until(t, ctx, m.done)
				}
				m.words(t, ctx, name, tag, st)
				if l.Tag == pseudo {
					eval[int](t, ctx, lengthen)
				} else {
					m.faults(t, ctx, name, l.Tag, fresh)
				}
				themes := themes
				if l.Tag != locale.Source && os.Getenv("SHOTS") == "" {
					themes = themes[:1] // no width depends on a colour and a language together
				}
				for _, width := range widths {
					look(t, ctx, width)
					for _, theme := range themes {
						media(t, ctx, theme.features...)
						if over := eval[int](t, ctx, "Math.abs("+sideways+")"); over != 0 {
							t.Errorf("%s at %d px, %s: scrolls sideways by %d px", name, width, theme.name, over)
						}
						shot(t, ctx, fmt.Sprintf("%s_%s_%s_%d_%s", m.name, st.name, l.Tag, width, theme.name), true)
					}
				}
				if got := c.take(); len(got) > 0 && st.path == "" { // that there is no such page is one
					t.Errorf("%s: complaints: %q", name, got)
				}
			}
		})
	}
}

// words looks at title, verdict and language, and for texts that should be no text.
func (m matrix) words(t *testing.T, ctx context.Context, name, tag string, st state) {
	t.Helper()
	seen := eval[[]string](t, ctx, `[document.title, document.getElementById('verdict')?.dataset.code ?? '', document.documentElement.lang,
		(document.body.innerText.match(/(?<![\w-])(`+m.keys+`)\.[a-z]+[.a-z-]*|\{[a-z]+\}/) ?? [''])[0], document.querySelector('h1').textContent]`)
	if st.heading != "" {
		st.title = locale.For(tag).Text(st.heading)
		if seen[4] != st.title || seen[0] != st.title+" · Veridice" {
			t.Errorf("%s: title %q, heading %q, want %q", name, seen[0], seen[4], st.title)
		}
	}
	if !strings.HasPrefix(seen[0], st.title) || !strings.HasSuffix(seen[0], " · Veridice") {
		t.Errorf("%s: title %q, want it to begin with %q", name, seen[0], st.title)
	}
	if seen[1] != st.code {
		t.Errorf("%s: got %q, want %q", name, seen[1], st.code)
	}
	if seen[2] != tag {
		t.Errorf("%s: lang %q", name, seen[2])
	}
	if seen[3] != "" {
		t.Errorf("%s: a key or placeholder is shown as text: %s", name, seen[3])
	}
}

// faults looks for faults of accessibility: in English for all of them, in every theme for
// those of colour; in other languages for those that depend on words and markup.
func (m matrix) faults(t *testing.T, ctx context.Context, name, tag string, fresh bool) {
	t.Helper()
	if fresh {
		putAxe(t, ctx)
	}
	if tag != "en" {
		runAxe(t, ctx, name, "rules: {'color-contrast': {enabled: false}}, runOnly: "+axeTags)
		return
	}
	runAxe(t, ctx, name, "runOnly: "+axeTags)
	for _, theme := range themes[1:] {
		media(t, ctx, theme.features...)
		runAxe(t, ctx, name+", "+theme.name, "runOnly: {type: 'rule', values: ['color-contrast', 'link-in-text-block']}")
	}
}

const axeTags = "['wcag2a','wcag2aa','wcag21a','wcag21aa','wcag22aa','best-practice']"

// putAxe puts the tool into the page through the debugging protocol, which the strictest
// policy does not stop.
func putAxe(t *testing.T, ctx context.Context) {
	t.Helper()
	script, err := os.ReadFile(filepath.Join("testdata", "axe", "axe.min.js"))
	if err != nil {
		t.Fatal(err)
	}
	eval[int](t, ctx, string(script)+";0")
}

func runAxe(t *testing.T, ctx context.Context, name, options string) {
	t.Helper()
	got := eval[string](t, ctx, `axe.run(document, {resultTypes: ['violations'], `+options+`})
		.then(r => r.violations.map(v => v.id + ' ' + v.impact + ': ' + v.nodes.map(n => n.target.join(' ')).join(', ')).join('\n'))`)
	if got != "" {
		t.Errorf("%s: axe: %s", name, got)
	}
}

// axe looks for faults of accessibility, once in a page as it stands.
func axe(t *testing.T, ctx context.Context) {
	t.Helper()
	putAxe(t, ctx)
	runAxe(t, ctx, t.Name(), "runOnly: "+axeTags)
}
