package server

import (
	"context"
	"encoding/base64"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"
)

// b64 is free text in a fragment of the outcome page.
func b64(text string) string { return base64.RawURLEncoding.EncodeToString([]byte(text)) }

// Bets of docs/spec/games.md as fragments of the outcome page.
var (
	plinkoBet = "v=1&site=stake&game=plinko&server=" + b64("0c8f48139d81447799a5310edb9e5aac") + "&client=" + b64("0beeaafc2e5364be411d4b7279923662") + "&nonce=0&p.rows=8&p.risk=low"
	diceBet   = "v=1&site=shuffle&game=dice&server=" + b64("def") + "&client=" + b64("abc") + "&nonce=1"
	crashBet  = "v=1&site=shuffle&game=crash&server=" + b64("c4b0c1394a9212cb3fc53674e756abba00973a970a4371c322463e8311e6e3e0")
)

// outcomeDone is reached when the page has said what it has to say of a link.
const outcomeDone = "(document.getElementById('verdict').dataset.code ?? '') !== ''"

func TestOutcomesInEveryLook(t *testing.T) {
	t.Parallel()
	differs := serve(t, changed(t, "verifier/stream.mjs", "(single ? '' : ':' + c)", "''"))
	matrix{
		name: "outcomes", path: "outcomes/", done: outcomeDone, keys: "outcomes|check|ui|home",
		fewer: 7, // the words of the other languages stand in these; the rest are drawings
		states: []state{
			{name: "empty"},
			{name: "plinko", fragment: "#" + plinkoBet + "&key=path&said=" + b64("LRLLRLRL"), title: "✓ ", code: "proven"},
			{name: "dice", fragment: "#" + diceBet + "&key=roll&said=" + b64("43.06"), title: "✕ ", code: "wrong-outcome"},
			{name: "seal", fragment: "#" + diceBet + "&sealed=" + b64(strings.Repeat("7d", 32)), title: "✕ ", code: "wrong-seal"},
			{name: "crash", fragment: "#" + crashBet, title: "? ", code: "not-published"},
			{name: "cut", fragment: "#" + plinkoBet[:60], title: "? ", code: "bad-link"},
			{name: "differ", fragment: "#" + diceBet, title: "? ", code: "differ", from: differs},
			{name: "cards", fragment: "#v=1&site=stake&game=blackjack&server=" + b64("28ca8b5734401f5236ccb305e4526d07") + "&client=" + b64("b42fa130a68dfe8133fa268d5fb34cbe") + "&nonce=0", code: "computed"},
			{name: "reels", fragment: "#v=1&site=stake&game=scarab-spin&server=" + b64("a1c0b94f9a5e5ab9c0f08f2982537bd8") + "&client=" + b64("d99174a86f29ac19c0b512e04b99461b") + "&nonce=0", code: "computed"},
			{name: "keno", fragment: "#v=1&site=shuffle&game=keno&server=" + b64("def") + "&client=" + b64("abc") + "&nonce=1", code: "computed"},
			{name: "tower", fragment: "#v=1&site=shuffle&game=tower&server=" + b64("def") + "&client=" + b64("abc") + "&nonce=1&p.difficulty=easy", code: "computed"},
			{name: "wheel", fragment: "#v=1&site=shuffle&game=wheel&server=" + b64("def") + "&client=" + b64("abc") + "&nonce=1&p.segments=20", code: "computed"},
			{name: "mines", fragment: "#v=1&site=shuffle&game=mines&server=" + b64("def") + "&client=" + b64("abc") + "&nonce=0&p.mines=3", code: "computed"},
		},
	}.run(t, serve(t, nil))
}

// outcomes opens the outcome page with a bet.
func outcomes(t *testing.T, s *site, fragment string) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(browser(t), 5*time.Minute)
	t.Cleanup(cancel)
	look(t, ctx, 390)
	load(t, ctx, s.URL+"/en/outcomes/#"+fragment)
	until(t, ctx, outcomeDone)
	return ctx
}

// TestOutcomeStepByStep looks at a bet of Stake's plinko: what the site recorded, and every step.
func TestOutcomeStepByStep(t *testing.T) {
	t.Parallel()
	s := serve(t, nil)
	ctx := outcomes(t, s, plinkoBet+"&key=path&said="+b64("LRLLRLRL"))
	c := complaining(t, ctx)
	for _, request := range s.take() {
		path := strings.TrimPrefix(request, "GET ")
		if path != "/en/outcomes/" && (!strings.HasPrefix(path, "/assets/") || strings.ContainsAny(path, "?#")) {
			t.Errorf("asked for: %s", request)
		}
	}
	text := eval[string](t, ctx, "document.querySelector('main').innerText")
	for _, want := range []string{
		"What the site said fits",
		"Path LRLLRLRL, slot 3 from the left",
		"it gives 112 outcomes",                // games.md, section 4.3
		"0c8f48139d81447799a5310edb9e5aac",     // the key, as text
		"0beeaafc2e5364be411d4b7279923662:0:0", // the message of block 0
		"Both engines, the Go core and",        // the independent engine agrees
		"No seal to compare with",              // which proves nothing about the time
		"/256 + ", "/256⁴", "/2^32 = 0.",       // each number as a sum, a fraction, a float
		"HMAC; bytes used: 32", // eight words of block 0
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the page does not hold %q:\n%s", want, text)
		}
	}
	// Eight draws, each of three lines, and eight numbers.
	if got := eval[string](t, ctx, "['step', 'word'].map((k) => document.querySelectorAll('#' + k + '-list li').length + '×' + document.querySelectorAll('#' + k + '-list li:first-child code').length).join()"); got != "8×3,8×3" {
		t.Errorf("steps and numbers: %s, want 8×3,8×3", got)
	}
	if got := eval[string](t, ctx, "document.querySelector('#block-list mark').textContent.replaceAll(' ', '')"); len(got) != 64 {
		t.Errorf("used bytes: %s", got)
	}
	if got := eval[int](t, ctx, "[...document.querySelectorAll('.plinko .slot')].findIndex((e) => e.classList.contains('hit'))"); got != 3 {
		t.Errorf("the ball falls into slot %d", got)
	}
	// What the site said is changed: the old verdict goes at once, a new one comes.
	if got := eval[string](t, ctx, `{const f = document.getElementById('said'); f.value = 'LRLLRLRR'; f.dispatchEvent(new Event('input', {bubbles: true}))}; `+code+" + getComputedStyle(document.getElementById('outcome')).visibility"); got != "hidden" {
		t.Errorf("right after an edit: %q", got)
	}
	until(t, ctx, code+" === 'wrong-outcome'")
	if got := eval[string](t, ctx, "document.getElementById('verdict').innerText"); !strings.Contains(got, "The seeds give path = LRLLRLRL; the site said LRLLRLRR.") {
		t.Errorf("the verdict says %q", got)
	}
	// The link holds the edit, and opens as the same bet.
	link := eval[string](t, ctx, "document.getElementById('link').textContent")
	if want := s.URL + "/en/outcomes/#" + plinkoBet + "&key=path&said=" + b64("LRLLRLRR"); link != want {
		t.Errorf("the link is %s, want %s", link, want)
	}
	typeInto(t, ctx, "said", "LR?")
	until(t, ctx, code+" === 'bad-value'")
	typeInto(t, ctx, "p-rows", "17")
	until(t, ctx, code+" === 'param-value'")
	if got := eval[string](t, ctx, "document.getElementById('verdict').innerText"); !strings.Contains(got, "8 to 16") {
		t.Errorf("the refusal says %q", got)
	}
	if got := s.take(); len(got) > 0 {
		t.Errorf("asked for after the page was loaded: %q", got)
	}
	if got := c.take(); len(got) > 0 {
		t.Errorf("complaints: %q", got)
	}
}

// TestOutcomeOfDice types a bet of Shuffle's dice in, as a player does.
func TestOutcomeOfDice(t *testing.T) {
	t.Parallel()
	s := serve(t, nil)
	ctx := outcomes(t, s, diceBet)
	if got := eval[string](t, ctx, "document.querySelector('#drawn .value').innerText"); !strings.Contains(got, "43.05") {
		t.Errorf("the outcome is %q", got)
	}
	text := eval[string](t, ctx, "document.querySelector('main').innerText")
	for _, want := range []string{"1849153629/2^32 = 0.430", "abc:1:0", "index(10001)", "= 4305", "it gives 1 outcome recorded"} {
		if !strings.Contains(text, want) {
			t.Errorf("the page does not hold %q:\n%s", want, text)
		}
	}
	typeInto(t, ctx, "said", "43.05")
	until(t, ctx, code+" === 'proven'")
	typeInto(t, ctx, "said", "43,05")
	until(t, ctx, code+" === 'not-comparable'")
	typeInto(t, ctx, "said", "")
	typeInto(t, ctx, "sealed", strings.Repeat("7d", 32))
	until(t, ctx, code+" === 'wrong-seal'")
	typeInto(t, ctx, "sealed", "")
	// An empty client seed is one that was said to be empty; nothing is not the same.
	typeInto(t, ctx, "client", "")
	until(t, ctx, code+" === 'no-client'")
	if got := eval[string](t, ctx, "document.title + document.getElementById('verdict').className"); !strings.HasPrefix(got, "Something is still missing") || !strings.HasSuffix(got, "verdict waiting") {
		t.Errorf("while the client seed is not typed yet: %q", got)
	}
	eval[int](t, ctx, "document.getElementById('empty').click(), 0")
	until(t, ctx, code+" === 'computed'")
	if got := eval[string](t, ctx, "document.getElementById('link').textContent"); !strings.Contains(got, "&client=&nonce=1") {
		t.Errorf("the link is %s", got)
	}
	// A blank at the end counts: HMAC-SHA-256 of "abc :1:0" under "def", by openssl, begins 0f57bee6.
	typeInto(t, ctx, "client", "abc ")
	until(t, ctx, code+" === 'computed'")
	if got := eval[string](t, ctx, "document.querySelector('#block-list mark').textContent"); got != "0f57bee6" {
		t.Errorf("with a blank at the end: %s", got)
	}
	// The language switch takes the bet along.
	if got, want := eval[string](t, ctx, "[...document.querySelectorAll('.langs a')].find((a) => a.lang === 'el').href"), eval[string](t, ctx, "location.hash"); want == "" || !strings.HasSuffix(got, "/el/outcomes/"+want) {
		t.Errorf("to Greek: %s, want %s", got, want)
	}
}

// TestOutcomeExample opens the bet that the page offers, which vectors/games/recorded.ndjson
// holds: Stake paid 6.
func TestOutcomeExample(t *testing.T) {
	t.Parallel()
	s := serve(t, nil)
	ctx, cancel := context.WithTimeout(browser(t), 5*time.Minute)
	t.Cleanup(cancel)
	look(t, ctx, 390)
	load(t, ctx, s.URL+"/en/outcomes/")
	click(t, ctx, "example")
	until(t, ctx, code+" === 'proven'")
	text := eval[string](t, ctx, "document.querySelector('main').innerText")
	for _, want := range []string{"What the site said fits", "Stake, Plinko: multiplier"} {
		if !strings.Contains(text, want) {
			t.Errorf("the page does not hold %q:\n%s", want, text)
		}
	}
	if got := eval[string](t, ctx, "['nonce', 'p-rows', 'p-risk', 'said'].map((id) => document.getElementById(id).value).join(' ')"); got != "14 13 medium 6" {
		t.Errorf("the form holds %q", got)
	}
}

// TestOutcomeRefused looks at a rule that is not published.
func TestOutcomeRefused(t *testing.T) {
	t.Parallel()
	ctx := outcomes(t, serve(t, nil), crashBet)
	text := eval[string](t, ctx, "document.getElementById('verdict').innerText")
	for _, want := range []string{"This bet cannot be computed", "does not publish", "neither for it nor against it"} {
		if !strings.Contains(text, want) {
			t.Errorf("the page does not say %q: %s", want, text)
		}
	}
	if eval[bool](t, ctx, "document.getElementById('outcome').checkVisibility()") {
		t.Error("an outcome is shown")
	}
}

// TestOutcomeEngines falsifies one engine or takes the core away: no outcome is shown.
func TestOutcomeEngines(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, want string
		instead    fstest.MapFS
	}{
		{"stream", "differ", changed(t, "verifier/stream.mjs", "(single ? '' : ':' + c)", "''")},
		{"selftest", "failed", changed(t, "verifier/sha256.mjs", "0x428a2f98", "0x428a2f99")},
		{"core", "missing", fstest.MapFS{wasmFile(gamesCore): {Data: zip([]byte("this is no core"))}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			ctx := outcomes(t, serve(t, c.instead), diceBet)
			if got := eval[string](t, ctx, code); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
			if eval[bool](t, ctx, "document.getElementById('outcome').checkVisibility() || document.body.innerText.includes('43.05')") {
				t.Error("an outcome is shown")
			}
		})
	}
}

// TestOutcomeCoreIsItsOwn wants the games on the outcome page and nowhere else.
func TestOutcomeCoreIsItsOwn(t *testing.T) {
	t.Parallel()
	s := serve(t, nil)
	ctx := outcomes(t, s, diceBet)
	load(t, ctx, s.URL+"/en/check/#"+newMatch().link())
	until(t, ctx, settled)
	var cores []string
	for _, request := range s.take() {
		if name, ok := strings.CutSuffix(request, ".wasm"); ok {
			name, _, _ = strings.Cut(strings.TrimPrefix(name, "GET /assets/"), "-")
			cores = append(cores, name)
		}
	}
	if !slices.Equal(cores, []string{"outcome", "veridice"}) {
		t.Errorf("the two pages fetched %q", cores)
	}
}
