package server

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"

	"veridice/internal/locale"
)

// checkStates are links and what the page must make of them.
func checkStates() []struct{ name, fragment, title, code string } {
	m := newMatch()
	other := m
	other.seal = strings.Repeat("7d", 32)
	return []struct{ name, fragment, title, code string }{
		{"fits", "#" + m.link(), "✓ ", "proven"},
		{"roll", "#" + m.off().link(), "✕ ", "wrong-dice"},
		{"seal", "#" + other.link(), "✕ ", "wrong-seal"},
		{"cut", "#" + m.link()[:100], "? ", "missing-part"},
		{"empty", "", "", ""},
		{"differ", "#" + m.link(), "? ", "differ"},
	}
}

var dark = &emulation.MediaFeature{Name: "prefers-color-scheme", Value: "dark"}
var forced = &emulation.MediaFeature{Name: "forced-colors", Value: "active"}

func TestCheckPageInEveryLook(t *testing.T) {
	s := serve(t, nil)
	falsified := serve(t, fakeCore("{verdict: 'broken', code: 'wrong-dice', place: 'roll 5', rolls: 100, fit: 99}", "''"))
	browse := browser(t)
	c := complaining(t, browse)
	for _, l := range locale.Languages() {
		for _, width := range []int64{320, 390, 1280} {
			for _, features := range [][]*emulation.MediaFeature{nil, {dark}, {forced}} {
				for _, st := range checkStates() {
					name := fmt.Sprintf("%s_%d_%s", l.Tag, width, st.name)
					if features != nil {
						if width != 390 || st.name != "fits" && st.name != "roll" {
							continue
						}
						name += "_" + features[0].Value
					}
					t.Run(name, func(t *testing.T) {
						ctx, cancel := context.WithTimeout(browse, 30*time.Second)
						defer cancel()
						look(t, ctx, width, features...)
						from := s
						if st.name == "differ" {
							from = falsified
						}
						load(t, ctx, from.URL+"/"+l.Tag+"/check/"+st.fragment)
						if st.code != "" {
							until(t, ctx, settled)
						}
						if got := eval[string](t, ctx, "document.title"); !strings.HasPrefix(got, st.title) || !strings.HasSuffix(got, " · Veridice") {
							t.Errorf("title %q, want it to begin with %q", got, st.title)
						}
						if got := eval[string](t, ctx, "document.getElementById('verdict').dataset.code ?? ''"); got != st.code {
							t.Errorf("got %q, want %q", got, st.code)
						}
						if got := eval[string](t, ctx, "document.documentElement.lang"); got != l.Tag {
							t.Errorf("lang %q", got)
						}
						if over := eval[int](t, ctx, sideways); over != 0 {
							t.Errorf("scrolls sideways by %d px", over)
						}
						if got := eval[string](t, ctx, `(document.body.innerText.match(/\b(check|ui|verify|home)\.[a-z]+[.a-z-]*|\{[a-z]+\}/) ?? [''])[0]`); got != "" {
							t.Errorf("a key or placeholder is shown as text: %s", got)
						}
						shot(t, ctx, name, width != 320)
						if width == 390 && (features == nil || l.Tag == "en") { // two seconds each
							axe(t, ctx)
						}
						if got := c.take(); len(got) > 0 {
							t.Errorf("complaints: %q", got)
						}
					})
				}
			}
		}
	}
}
