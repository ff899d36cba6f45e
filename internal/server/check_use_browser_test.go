package server

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	goqr "github.com/piglig/go-qr"

	"veridice/internal/needs"
	"veridice/vectors"
	"veridice/web"
)

const code = "document.getElementById('verdict').dataset.code"

// page390 opens the check page with a fragment, in a browser of its own, and waits until
// both engines have spoken.
func page390(t *testing.T, s *site, fragment string) context.Context {
	t.Helper()
	return openCheck(t, browser(t), s, fragment)
}

func openCheck(t *testing.T, browse context.Context, s *site, fragment string) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(browse, 5*time.Minute)
	t.Cleanup(cancel)
	look(t, ctx, 390)
	load(t, ctx, s.URL+"/en/check/"+fragment)
	if fragment != "" {
		until(t, ctx, settled)
	}
	return ctx
}

// typeInto sets a field as a reader's typing does.
func typeInto(t *testing.T, ctx context.Context, id, text string) {
	t.Helper()
	eval[int](t, ctx, fmt.Sprintf(`{const f = document.getElementById(%q); f.value = %q; f.dispatchEvent(new Event('input', {bubbles: true}))}; 0`, id, text))
}

func click(t *testing.T, ctx context.Context, id string) {
	t.Helper()
	eval[int](t, ctx, fmt.Sprintf("document.getElementById(%q).click(), 0", id))
}

func TestKeyboardOnTheRolls(t *testing.T) {
	t.Parallel()
	s := serve(t, nil)
	fragment := newMatch().off().link()
	ctx := page390(t, s, "#"+fragment)
	if n := eval[int](t, ctx, "document.querySelectorAll('ol.rolls [tabindex=\"0\"]').length"); n != 1 {
		t.Errorf("the grid of rolls has %d tab stops, want 1", n)
	}
	if err := chromedp.Do(ctx, chromedp.Click(chromedp.CSS(".verdict button"))); err != nil {
		t.Fatal(err)
	}
	focused := func() string {
		return eval[string](t, ctx, "document.activeElement.getAttribute('aria-label') || ''")
	}
	until(t, ctx, `document.activeElement.getAttribute('aria-label') === "37: 3 and 1, does not fit: the seeds give 2 and 1"`)
	if got := eval[string](t, ctx, "location.hash.slice(1)"); got != fragment {
		t.Error("the jump to the roll changed the fragment")
	}
	// Roll 37 stands in column 2 of five; down leads into the next game, same column.
	for _, step := range []struct{ key, want string }{
		{kb.ArrowDown, "40: "}, {kb.ArrowUp, "37: "}, {kb.ArrowLeft, "36: "}, {kb.ArrowRight, "37: "},
		{kb.End, "100: "}, {kb.ArrowDown, "100: "}, {kb.Home, "1: "}, {kb.ArrowUp, "1: "},
	} {
		if err := chromedp.Do(ctx, chromedp.KeyEvent(step.key)); err != nil {
			t.Fatal(err)
		}
		if got := focused(); !strings.HasPrefix(got, step.want) {
			t.Errorf("%q: focus is on %q, want %q", step.key, got, step.want)
		}
	}
	if n := eval[int](t, ctx, "document.querySelectorAll('ol.rolls [tabindex=\"0\"]').length"); n != 1 {
		t.Errorf("after moving, the grid has %d tab stops", n)
	}
	if err := chromedp.Do(ctx, chromedp.KeyEvent("\r"), chromedp.WaitVisible(chromedp.CSS("dialog[open]"))); err != nil {
		t.Fatal(err)
	}
	text := eval[string](t, ctx, "document.querySelector('dialog').innerText")
	for _, want := range []string{"How roll 1 was made", "335c54f3b6061b0b8bb1e3fdff4c771c:1", "mod 36 =", "div 6 + 1 = 2", "mod 6 + 1 = 1"} {
		if !strings.Contains(text, want) {
			t.Errorf("the dialog does not hold %q: %s", want, text)
		}
	}
	axe(t, ctx)
	shot(t, ctx, "dialog", false)
	if err := chromedp.Do(ctx, chromedp.KeyEvent("\x1b")); err != nil {
		t.Fatal(err)
	}
	until(t, ctx, "!document.querySelector('dialog').open")
	if got := focused(); !strings.HasPrefix(got, "1: ") {
		t.Errorf("after the dialog the focus is on %q", got)
	}
	// The wrong roll's own dialog holds both pairs.
	eval[int](t, ctx, "document.querySelector('li.off button').click(), 0")
	text = eval[string](t, ctx, "document.querySelector('dialog').innerText")
	if !strings.Contains(text, "3 and 1") || !strings.Contains(text, "2 and 1") {
		t.Errorf("the dialog of the wrong roll: %s", text)
	}
	shot(t, ctx, "dialog_off", false)
}

// TestSkippedByte looks at a roll whose first byte is left out: docs/spec/tavli.md, roll 87.
func TestSkippedByte(t *testing.T) {
	t.Parallel()
	s := serve(t, nil)
	seed, clients := "c149c301f8134a320da3e36748bb70c14850c75fc8ab0dc1e36460fa89070300", "f24279610d6b8b1362d85c3ddec7f24e,d60062c1d2fe5d3f376829416b34be90"
	ctx := page390(t, s, "#v=1&s="+seed+"&p="+clients+"&g=90")
	if got := eval[string](t, ctx, code); got != "no-rolls" {
		t.Errorf("without rolls: %q", got)
	}
	eval[int](t, ctx, "document.querySelectorAll('ol.rolls button')[86].click(), 0")
	if got := eval[string](t, ctx, "document.querySelector('dialog s').textContent"); got != "fd" {
		t.Errorf("left out: %q, want fd", got)
	}
	text := eval[string](t, ctx, "document.querySelector('dialog').innerText")
	for _, want := range []string{"253 is left out", "215 mod 36 = 35", "35 div 6 + 1 = 6", "35 mod 6 + 1 = 6"} {
		if !strings.Contains(text, want) {
			t.Errorf("the dialog does not hold %q: %s", want, text)
		}
	}
}

// TestCoreExplains asks the Go core in the browser for the same roll.
func TestCoreExplains(t *testing.T) {
	t.Parallel()
	s := serve(t, nil)
	ctx := page390(t, s, "#"+newMatch().link())
	const link = "v=1&s=c149c301f8134a320da3e36748bb70c14850c75fc8ab0dc1e36460fa89070300&p=f24279610d6b8b1362d85c3ddec7f24e,d60062c1d2fe5d3f376829416b34be90"
	got := eval[string](t, ctx, "(({dice, used, blocks}) => [dice, used, ...blocks].join(' '))(veridice.explain('"+link+"', 87))")
	if want := "66 2 fdd76954d12ee5685e3ef72fef437882873552e18a198fb87cf47377448f082c"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got := eval[bool](t, ctx, "veridice.explain('no link', 1) === null && veridice.selftest() === ''"); !got {
		t.Error("the core explains a text that is no link, or fails its self-test")
	}
}

// TestVerdictBelongsToOneInput edits, goes back, opens a second link and switches the language.
func TestVerdictBelongsToOneInput(t *testing.T) {
	t.Parallel()
	s := serve(t, nil)
	m := newMatch()
	ctx := page390(t, s, "#"+m.link())
	if got := eval[string](t, ctx, code); got != "proven" {
		t.Fatalf("got %q", got)
	}
	// In the very turn of the edit the verdict is gone, and so is its mark in the title.
	gone := eval[string](t, ctx, `{
		const f = document.getElementById('f-recorded');
		f.value = f.value.replace('37. 2-1', '37. 3-1');
		f.dispatchEvent(new Event('input', {bubbles: true}));
	}; document.getElementById('verdict').className + '|' + document.title + '|' + getComputedStyle(document.getElementById('lines')).visibility`)
	if want := "verdict waiting|Check the dice of a match · Veridice|hidden"; gone != want {
		t.Errorf("after an edit: %q, want %q", gone, want)
	}
	until(t, ctx, code+" === 'wrong-dice' && "+settled)
	if got := eval[string](t, ctx, "location.hash"); got != "#"+m.off().link() {
		t.Errorf("the edited match is not in the address: %s", got)
	}
	// Back leads to the link as it came.
	eval[int](t, ctx, "history.back(), 0")
	until(t, ctx, code+" === 'proven' && "+settled)
	// A second link in the same tab is a hashchange and no load.
	eval[int](t, ctx, fmt.Sprintf("location.hash = %q, 0", m.off().link()))
	until(t, ctx, code+" === 'wrong-dice' && "+settled)
	// The other languages' links carry the match along, also what was edited.
	for _, a := range []string{"el", "de", "id"} {
		if got, want := eval[string](t, ctx, "document.querySelector('.langs a[lang="+a+"]').hash"), "#"+m.off().link(); got != want {
			t.Errorf("the link to %s has the fragment %q", a, got)
		}
	}
	eval[int](t, ctx, "document.querySelector('.langs a[lang=el]').click(), 0")
	until(t, ctx, "document.documentElement.lang === 'el' && document.title.startsWith('✕ Η ζαριά 37')")

	// Two inputs one right after the other: the late answer to the first must not count.
	load(t, ctx, s.URL+"/en/check/")
	eval[int](t, ctx, fmt.Sprintf(`location.hash = %q; setTimeout(() => { location.hash = %q }); 0`, m.off().link(), m.link()))
	until(t, ctx, code+" === 'proven' && "+settled)
	eval[int](t, ctx, "new Promise((done) => requestAnimationFrame(() => setTimeout(() => done(0))))")
	if got := eval[string](t, ctx, "document.title"); !strings.HasPrefix(got, "✓ All 100") {
		t.Errorf("the title is %q", got)
	}
}

func TestTypedFields(t *testing.T) {
	t.Parallel()
	s := serve(t, nil)
	m := newMatch()
	ctx := page390(t, s, "")
	colons := regexp.MustCompile("..").ReplaceAllString(m.seed, "$0:")
	typeInto(t, ctx, "f-server", " 0x"+strings.ToUpper(colons[:len(colons)-1])+"\n")
	until(t, ctx, code+" === 'missing-part'")
	if got := eval[string](t, ctx, "document.getElementById('read-server').textContent"); got != "32 bytes" {
		t.Errorf("of the server seed it says %q", got)
	}
	typeInto(t, ctx, "f-clients", strings.ReplaceAll(m.clients, ",", "  \r\n"))
	typeInto(t, ctx, "f-number", "3")
	until(t, ctx, code+" === 'no-rolls' && "+settled)
	if got := eval[int](t, ctx, "document.querySelectorAll('ol.rolls button').length"); got != 3 {
		t.Errorf("%d rolls are shown, want 3", got)
	}
	typeInto(t, ctx, "f-recorded", "2-1\n1-6\n5-6")
	until(t, ctx, code+" === 'no-seal' && "+settled)
	typeInto(t, ctx, "f-seal", "sha256:"+m.seal)
	until(t, ctx, code+" === 'proven' && "+settled)
	if got := eval[string](t, ctx, "document.getElementById('engines').dataset.state"); got != "agrees" {
		t.Errorf("the engines: %q", got)
	}
	typeInto(t, ctx, "f-number", "4")
	until(t, ctx, code+" === 'count-differs' && "+settled)
	typeInto(t, ctx, "f-number", "")
	typeInto(t, ctx, "f-clients", "Lucky 7")
	until(t, ctx, code+" === 'bad-part'")
	for js, want := range map[string]string{
		"document.getElementById('read-clients').textContent":               "Cannot be read: line 1, column 6: U+0020",
		"document.getElementById('f-clients').getAttribute('aria-invalid')": "true",
		"document.querySelector('.verdict h1').textContent":                 "Something is still missing",
	} {
		if got := eval[string](t, ctx, js); got != want {
			t.Errorf("%s is %q, want %q", js, got, want)
		}
	}
	typeInto(t, ctx, "f-clients", strings.ReplaceAll(m.clients, ",", "\n"))
	typeInto(t, ctx, "f-recorded", "1 6 3 2 4 4")
	until(t, ctx, code+" === 'bad-rolls'")
}

// TestPastedTexts pastes what chat apps make of a link, and records.
func TestPastedTexts(t *testing.T) {
	t.Parallel()
	s := serve(t, nil)
	m := newMatch()
	ctx := page390(t, s, "")
	paste := func(text, want string) {
		t.Helper()
		typeInto(t, ctx, "pasted", text)
		eval[int](t, ctx, "document.getElementById('paste').requestSubmit(), 0")
		until(t, ctx, code+" === "+strconv.Quote(want)+" && "+settled)
		if state := eval[string](t, ctx, "document.getElementById('engines').dataset.state"); state != "agrees" {
			t.Errorf("%.40q: the engines: %s", text, state)
		}
	}
	typeInto(t, ctx, "pasted", "Look: https://a.example/el/check/?fbclid=x#"+m.link()+" Nikos")
	if got, want := eval[string](t, ctx, "document.getElementById('understood').textContent"), "Found, tavli/1: server seed, seal, 2 players’ seeds, and 100 rolls."; got != want {
		t.Errorf("before the check it says %q, want %q", got, want)
	}
	if eval[bool](t, ctx, code+" !== undefined") {
		t.Error("there is a verdict before the check")
	}
	paste("Look: https://a.example/el/check/?fbclid=x#"+m.link()+" Nikos", "proven")
	if got := eval[string](t, ctx, "location.hash"); got != "#"+m.link() {
		t.Errorf("the pasted match is not in the address: %s", got)
	}
	paste(strings.ReplaceAll(m.off().link(), ",", "%2C"), "wrong-dice")
	paste(m.link()+"&utm_source=<img src=x onerror=alert(1)>", "proven")
	if text := eval[string](t, ctx, "document.getElementById('verdict').innerText"); !strings.Contains(text, "utm_source") {
		t.Errorf("the ignored key is not listed: %s", text)
	}
	paste("#"+m.link()+" "+s.URL+"/#"+m.link(), "two-links")
	if got := eval[string](t, ctx, "location.hash"); got != "" {
		t.Errorf("an unreadable text stands under the address of another match: %s", got)
	}
	paste("six-three", "not-a-link")
	// docs/spec/yayay.md: throws of 5, 1 and 5 dice. The sum is computed here.
	body := "veridice record 1\nscheme yayay/1\nmatch -\nseal 2c6a2d31ff85a5bd0f0a4ca56ff36ba0ddaab0e6ffa4eb7eb8aa1e84bb6bbc18\n"
	key := "3ccbede8757323fb62f038b8f53bfe35e06b6dcec081613f854bff489436249d"
	body = strings.Replace(body, "2c6a2d31ff85a5bd0f0a4ca56ff36ba0ddaab0e6ffa4eb7eb8aa1e84bb6bbc18", sha(unhex(t, key)), 1)
	body += "roll 1 3 3 1 5 5\nroll 2 1\nroll 3 6 6 6 3 4\nseed " + key + "\nrolls 3\nstate finished\n"
	paste(body+"sum "+sha([]byte(body))+"\n", "proven")
	if got := eval[string](t, ctx, "document.querySelector('.verdict h1').textContent"); got != "All 3 throws fit" {
		t.Errorf("of a game of yayay it says %q", got)
	}
	if over := eval[int](t, ctx, sideways); over != 0 {
		t.Errorf("the page of a game of yayay scrolls sideways by %d px", over)
	}
	shot(t, ctx, "yayay", true)
	axe(t, ctx)
	// A record has no place in the address; it goes to another language all the same.
	eval[int](t, ctx, "document.querySelector('.langs a[lang=de]').click(), 0")
	until(t, ctx, "document.title.startsWith('✓ Alle 3 Würfe')")
}

// chainTexts are the texts of the vectors of veridice/1 by name.
func chainTexts(t *testing.T) map[string]string {
	t.Helper()
	texts := map[string]string{}
	lines, err := vectors.Lines("veridice1.ndjson")
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range lines {
		var v struct{ Name, Text string }
		if err := json.Unmarshal(line, &v); err != nil {
			t.Fatal(err)
		}
		texts[v.Name] = v.Text
	}
	return texts
}

// TestChains gives the page records of veridice/1, whose signatures the browser
// checks in its own time.
func TestChains(t *testing.T) {
	t.Parallel()
	texts := chainTexts(t)
	s := serve(t, nil)
	ctx := page390(t, s, "")
	for name, want := range map[string]string{
		"record-signed-by-all": "proven", "record-aborted-by-a-seat": "proven", "record-running-and-signed": "proven",
		"record-unsigned": "not-signed", "record-die-changed": "wrong-dice", "record-link-too-few-1": "no-link",
		"record-seat-signed-another-text": "wrong-signature", "record-no-rolls": "no-rolls", "record-syntax-seq-0": "syntax",
	} {
		if texts[name] == "" {
			t.Fatalf("no vector %s", name)
		}
		typeInto(t, ctx, "pasted", texts[name])
		eval[int](t, ctx, "document.getElementById('paste').requestSubmit(), 0")
		until(t, ctx, code+" === "+strconv.Quote(want)+" && "+settled)
		if state := eval[string](t, ctx, "document.getElementById('engines').dataset.state"); state != "agrees" {
			t.Errorf("%s: the engines: %s", name, state)
		}
		if text := eval[string](t, ctx, "document.body.innerText"); strings.Contains(text, "{") || strings.Contains(text, "verify.") {
			t.Errorf("%s: a key or a placeholder on the page: %s", name, text)
		}
		if over := eval[int](t, ctx, sideways); over != 0 {
			t.Errorf("%s: the page scrolls sideways by %d px", name, over)
		}
		if title := eval[string](t, ctx, "document.title"); strings.HasPrefix(title, "✕") && strings.Contains(title, "cannot be checked") {
			t.Errorf("%s: broken, and the title is %q", name, title)
		}
		if text := eval[string](t, ctx, "document.getElementById('verdict').innerText"); want == "proven" && !strings.Contains(text, "Signed by: the server") {
			t.Errorf("%s: it does not say who signed: %s", name, text)
		}
	}
	axe(t, ctx)
}

// TestProofFile gives the page a proof file of a public log: nothing is proven before the
// reader says which logs and witnesses to trust.
func TestProofFile(t *testing.T) {
	t.Parallel()
	var proof struct{ Name, Kind, Text, Policy string }
	lines, err := vectors.Lines("log.ndjson")
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range lines {
		if bytes.Contains(line, []byte(`"name":"proof-whole"`)) {
			if err := json.Unmarshal(line, &proof); err != nil {
				t.Fatal(err)
			}
		}
	}
	s := serve(t, nil)
	ctx := page390(t, s, "")
	load(t, ctx, s.URL+"/en/check/#record="+base64.RawURLEncoding.EncodeToString([]byte(proof.Text)))
	for _, c := range []struct{ policy, code, says string }{
		{"", "no-policy", "no policy says which logs and witnesses you trust"},
		{"log x", "bad-policy", "The policy cannot be read"},
		{proof.Policy, "proven", "Entry "},
	} {
		if c.policy != "" {
			typeInto(t, ctx, "policy", c.policy)
			eval[int](t, ctx, "document.getElementById('policy-form').requestSubmit(), 0")
		}
		until(t, ctx, code+" === "+strconv.Quote(c.code)+" && "+settled)
		text := eval[string](t, ctx, "document.getElementById('verdict').innerText + document.getElementById('engines').dataset.state")
		if !strings.Contains(text, c.says) || !strings.HasSuffix(text, "agrees") || strings.Contains(text, "{") {
			t.Errorf("%s: the page says %s", c.code, text)
		}
	}
	axe(t, ctx)
	if over := eval[int](t, ctx, sideways); over != 0 {
		t.Errorf("scrolls sideways by %d px", over)
	}
	// A match without receipts asks for none.
	eval[int](t, ctx, fmt.Sprintf("location.hash = %q, 0", newMatch().link()))
	until(t, ctx, code+" === 'proven' && document.getElementById('policy-form').hidden && "+settled)
}

// TestRecordInAddress opens records that stand in the address in base64url, as other pages
// link to them, whole, cut and changed.
func TestRecordInAddress(t *testing.T) {
	t.Parallel()
	texts := chainTexts(t)
	s := serve(t, nil)
	whole := "#record=" + base64.RawURLEncoding.EncodeToString([]byte(texts["record-signed-by-all"]))
	ctx := page390(t, s, whole)
	open := func(fragment, want string) {
		t.Helper()
		eval[int](t, ctx, fmt.Sprintf("new Promise((done) => { addEventListener('hashchange', () => done(0), {once: true}); location.hash = %q })", fragment))
		until(t, ctx, code+" === "+strconv.Quote(want)+" && "+settled)
	}
	until(t, ctx, code+" === 'proven'")
	if got := eval[string](t, ctx, "document.querySelector('.langs a[lang=el]').hash"); got != whole {
		t.Errorf("the switch to Greek loses the record: %.40s", got)
	}
	m := newMatch()
	open("#record%3D"+base64.RawURLEncoding.EncodeToString([]byte(m.link())), "proven") // as some chat apps write it
	for _, bad := range []string{whole[:len(whole)-3], whole[:200], whole[:300] + "*" + whole[301:], "#record=", "#record=" + base64.StdEncoding.EncodeToString([]byte("\xff\xfe")), "#record=__8"} {
		want := "bad-part"
		if bad == whole[:len(whole)-3] || bad == whole[:200] { // some of it can be decoded, and is no whole record
			want = "syntax"
		}
		open(bad, want)
		text := eval[string](t, ctx, "document.title + document.getElementById('verdict').innerText")
		if !strings.HasPrefix(text, "? ") || !strings.Contains(text, "This says nothing about the dice.") {
			t.Errorf("%.30s: %s", bad, text)
		}
	}
	open("#"+m.off().link(), "wrong-dice")
	if eval[bool](t, ctx, "document.getElementById('report').hidden") {
		t.Error("nothing can be reported")
	}
	// Pasted, with words around it.
	typeInto(t, ctx, "pasted", "Look: "+s.URL+"/el/check/"+whole+" .")
	if got := eval[string](t, ctx, "document.getElementById('understood').textContent"); !strings.HasPrefix(got, "Found, veridice/1") {
		t.Errorf("before the check it says %q", got)
	}
	eval[int](t, ctx, "document.getElementById('paste').requestSubmit(), 0")
	until(t, ctx, code+" === 'proven' && "+settled)
}

// TestReport copies what was found of a mismatch, and looks for the operator's contact.
func TestReport(t *testing.T) {
	t.Parallel()
	files, err := core()
	if err != nil {
		t.Fatal(err)
	}
	ctx := page390(t, serve(t, nil), "")
	m := newMatch()
	for contact, href := range map[string]string{"": "", "dice@example.org": "mailto:dice@example.org?subject=Veridice&body=", "https://dice.example/contact": "https://dice.example/contact"} {
		p, err := newPages(overlay{files, web.Files}, about{contact: contact})
		if err != nil {
			t.Fatal(err)
		}
		s := servePages(t, p)
		load(t, ctx, s.URL+"/en/check/#"+m.link())
		until(t, ctx, settled)
		if !eval[bool](t, ctx, "document.getElementById('report').hidden") {
			t.Error("a match that fits can be reported")
		}
		load(t, ctx, s.URL+"/en/check/#"+m.off().link())
		until(t, ctx, settled)
		if got := eval[string](t, ctx, "document.querySelector('#report-contact a')?.href ?? ''"); !strings.HasPrefix(got, href) || href == "" && got != "" {
			t.Errorf("contact %q: %.80s", contact, got)
		}
		if got := eval[string](t, ctx, "document.getElementById('report-contact').textContent"); !strings.Contains(got, contact) || contact == "" && got != "" {
			t.Errorf("contact %q: it says %q", contact, got)
		}
		if contact != "" {
			continue
		}
		eval[int](t, ctx, "navigator.clipboard.writeText = (text) => { document.body.dataset.copied = text; return Promise.resolve() }; 0")
		click(t, ctx, "report-copy")
		until(t, ctx, "document.getElementById('report-out').textContent === 'Copied.'")
		got := eval[string](t, ctx, "document.body.dataset.copied")
		for _, want := range []string{"Roll 37 does not fit\n", "broken: wrong-dice, roll 37, tavli/1, 99/100, engines: agrees\n", "Z, page ", s.URL + "/en/check/#" + m.off().link()} {
			if !strings.Contains(got, want) {
				t.Errorf("what is copied does not hold %q: %s", want, got)
			}
		}
	}
}

// TestKeptOpening has a match of veridice/1 in which this phone has a seat.
func TestKeptOpening(t *testing.T) {
	t.Parallel()
	text := chainTexts(t)["record-signed-by-all"]
	name := regexp.MustCompile(`(?m)^match (\S+)$`).FindStringSubmatch(text)[1]
	s := serve(t, nil)
	ctx := page390(t, s, "")
	// The second is kept under a key that comes before the first: nothing that is kept changes.
	for _, c := range []struct{ seat, seal, want string }{{"1", strings.Repeat("ab", 32), "other-opening"}, {"0", "", "proven"}} {
		seal := strconv.Quote(c.seal)
		if c.seal == "" { // the opening of this very match
			seal = "document.querySelector('#nums .hex').textContent.replaceAll(' ', '')"
		}
		eval[int](t, ctx, `(async () => {
			const seal = `+seal+`;
			const { openKeeper } = await import(document.querySelector('script[type=module]').src.replace('check.mjs', 'phone/keeper.mjs'));
			const keeper = await openKeeper(() => indexedDB);
			await keeper.once('`+name+`/`+c.seat+`/ready', seal);
			return 0;
		})()`)
		load(t, ctx, s.URL+"/en/check/#record="+base64.RawURLEncoding.EncodeToString([]byte(text)))
		until(t, ctx, code+" === "+strconv.Quote(c.want)+" && "+settled)
		if got := eval[string](t, ctx, "document.getElementById('engines').dataset.state"); got != "agrees" {
			t.Errorf("%s: the engines: %s", c.want, got)
		}
		third := map[string]string{"other-opening": "no It is another opening", "proven": "yes It is the opening that this phone agreed to"}[c.want]
		if got := eval[string](t, ctx, "['', ...document.querySelectorAll('#lines li:not([hidden])')].reduce((s, li) => s + li.className + ' ' + li.querySelector('b').textContent)"); got != third {
			t.Errorf("%s: the lines: %q, want %q", c.want, got, third)
		}
		// No seeds can be typed, and the replay has what the cells do not open.
		way := map[string]string{"other-opening": "true", "proven": "true/en/match/#record="}[c.want]
		if got := eval[string](t, ctx, "document.getElementById('edit').hidden + (document.querySelector('#rolls-hint a')?.getAttribute('href') ?? '')"); !strings.HasPrefix(got, way) {
			t.Errorf("%s: the form and the way to the replay: %s", c.want, got)
		}
		if text := eval[string](t, ctx, "document.title + document.getElementById('verdict').innerText"); c.seal != "" && !strings.HasPrefix(text, "✕ This is another opening") || c.seal != "" && !strings.Contains(text, "This phone agreed to another opening") {
			t.Errorf("the page says %s", text)
		}
	}
}

// TestSeals gives the page the seal that the reader noted, and the one that the phone kept.
func TestSeals(t *testing.T) {
	t.Parallel()
	s := serve(t, nil)
	m := newMatch()
	ctx := page390(t, s, "#"+m.link())
	third := func(class, words string) {
		t.Helper()
		got := eval[string](t, ctx, "document.getElementById('line-yours').className + ': ' + document.getElementById('line-yours').innerText")
		if !strings.HasPrefix(got, class+": ") || !strings.Contains(got, words) {
			t.Errorf("the third line is %q, want %s and %q", got, class, words)
		}
	}
	compare := func(seal string) {
		t.Helper()
		typeInto(t, ctx, "noted", seal)
		eval[int](t, ctx, "document.getElementById('compare').requestSubmit(), 0")
	}
	third("ask", "One thing only you can check")
	compare(m.seal[:8])
	if got := eval[string](t, ctx, "document.getElementById('noted-out').textContent"); got != "It takes 64 digits, this has 8." {
		t.Errorf("of eight digits it says %q", got)
	}
	third("ask", "One thing")
	compare(strings.ToUpper(m.seal))
	until(t, ctx, settled+" && document.getElementById('line-yours').className === 'yes'")
	third("yes", "All 64 digits")
	// The first and last eight digits are the same, and it is another seal.
	compare(m.seal[:8] + strings.Repeat("0", 48) + m.seal[56:])
	until(t, ctx, code+" === 'other-seal' && "+settled)
	third("no", "another seal")

	keep := func(note string) {
		t.Helper()
		eval[int](t, ctx, fmt.Sprintf("localStorage.setItem('veridice.matches', JSON.stringify(%s)), 0", note))
		load(t, ctx, s.URL+"/en/check/#"+m.link())
		until(t, ctx, settled)
	}
	keep(fmt.Sprintf(`{x: {seal: %q, at: '2026-11-30T20:14:00Z', before: 0, rolls: [[1, 2, 1], [37, 2, 1]]}}`, m.seal))
	third("yes", "2026")
	if got := eval[string](t, ctx, code); got != "proven" {
		t.Errorf("with the kept seal: %q", got)
	}
	if eval[bool](t, ctx, "[...document.querySelectorAll('#limit-list li')].some((l) => l.textContent.includes('that only you can know'))") {
		t.Error("with the kept seal the page still says that only the reader can know")
	}
	keep(fmt.Sprintf(`{x: {seal: %q, at: '2026-11-30T20:14:00Z', rolls: [[1, 2, 1], [37, 4, 4]]}}`, m.seal))
	if got := eval[string](t, ctx, code); got != "other-rolls" {
		t.Errorf("a roll that this phone saw otherwise: %q", got)
	}
	if got := eval[string](t, ctx, "document.getElementById('verdict').innerText"); !strings.Contains(got, "As roll 37 this phone saw 4-4; the record says ") {
		t.Errorf("of a roll that this phone saw otherwise it says %q", got)
	}
	shot(t, ctx, "other_rolls", true)
	// The link lost its end, and the phone saw more.
	cut, _, _ := strings.Cut(m.link(), "&g=")
	cut = cut[:len(cut)-2]
	eval[int](t, ctx, fmt.Sprintf("localStorage.setItem('veridice.matches', JSON.stringify(%s)), 0",
		fmt.Sprintf(`{x: {seal: %q, at: '2026-11-30T20:14:00Z', rolls: [[%d, 1, 1]]}}`, m.seal, len(cut[strings.Index(cut, "&r=")+3:])/2+1)))
	load(t, ctx, s.URL+"/en/check/#"+cut)
	until(t, ctx, settled)
	if got := eval[string](t, ctx, code+" + ' ' + document.getElementById('verdict').innerText"); !strings.HasPrefix(got, "ends-early ") ||
		!strings.Contains(got, "probably cut on the way") {
		t.Errorf("of a link that was cut it says %q", got)
	}
	keep(fmt.Sprintf(`{x: {seal: %q, at: '2026-11-30T20:14:00Z', before: 3, rolls: []}}`, m.seal))
	third("ask", "One thing")
	// A record names its match, and the phone kept another seal of that match.
	body := "veridice record 1\nscheme tavli/1\nmatch m-1\nseal " + m.seal + "\nclient " + strings.ReplaceAll(m.clients, ",", "\nclient ") + "\nroll 1 2 1\nseed " + m.seed + "\nrolls 1\nstate finished\n"
	eval[int](t, ctx, fmt.Sprintf(`localStorage.setItem('veridice.matches', JSON.stringify({'m-1': {seal: %q, at: '2026-11-30T20:14:00Z', rolls: []}})), 0`, strings.Repeat("ab", 32)))
	typeInto(t, ctx, "pasted", body+"sum "+sha([]byte(body))+"\n")
	eval[int](t, ctx, "document.getElementById('paste').requestSubmit(), 0")
	until(t, ctx, code+" === 'other-seal' && "+settled)
	third("no", "this phone noted")
	for _, broken := range []string{"'{'", "'[1]'", "'{\"x\":null}'", "'null'"} {
		eval[int](t, ctx, "localStorage.setItem('veridice.matches', "+broken+"), 0")
		load(t, ctx, s.URL+"/en/check/#"+m.link())
		until(t, ctx, settled+" && "+code+" === 'proven'")
	}
}

// TestNothingIsSent uses everything on the page and asks the server what it saw.
func TestNothingIsSent(t *testing.T) {
	t.Parallel()
	s := serve(t, nil)
	m := newMatch()
	ctx := page390(t, s, "#"+m.link())
	c := complaining(t, ctx)
	until(t, ctx, "document.querySelector('#qr svg') !== null") // for print, after both engines
	loaded := s.take()
	for _, request := range loaded {
		if strings.Contains(request, "?") || strings.Contains(request, m.seed[:16]) || !strings.HasPrefix(request, "GET /") {
			t.Errorf("asked for: %s", request)
		}
	}
	if n := len(slices.Compact(slices.Sorted(slices.Values(loaded)))); n != len(loaded) || n < 5 {
		t.Errorf("%d requests, %d different ones: %q", len(loaded), n, loaded)
	}
	for _, text := range []string{m.off().link(), "#p=<img src=x onerror=alert(1)>", m.link() + `&"><svg onload=alert(1)>=1`, "https://evil.example/#" + m.link(), "veridice record 1\n", "\u202e{{7*7}}';alert(1)//"} {
		typeInto(t, ctx, "pasted", text)
		eval[int](t, ctx, "document.getElementById('paste').requestSubmit(), 0")
		until(t, ctx, settled)
	}
	click(t, ctx, "example")
	until(t, ctx, code+" === 'proven' && "+settled+" && document.title.includes('25')")
	for _, name := range []string{"server", "seal", "clients", "number", "recorded"} {
		typeInto(t, ctx, "f-"+name, "<img src=//evil.example/x>")
	}
	until(t, ctx, code+" === 'bad-part'")
	load(t, ctx, "about:blank")
	s.take()
	load(t, ctx, s.URL+"/en/check/#"+m.link())
	until(t, ctx, settled+" && document.querySelector('#qr svg') !== null")
	s.take()
	eval[int](t, ctx, `for (const b of document.querySelectorAll('button, summary')) if (b.checkVisibility() && !['print', 'save'].includes(b.id)) { b.click(); document.querySelector('dialog').close(); }; 0`)
	until(t, ctx, "document.querySelector('.qr svg') !== null")
	for _, request := range s.take() {
		t.Errorf("asked for after the page was loaded: %s", request)
	}
	if eval[int](t, ctx, "document.querySelectorAll('main img, main script, main svg[onload]').length") != 0 {
		t.Error("a pasted text became markup")
	}
	if got := c.take(); len(got) > 0 {
		t.Errorf("complaints: %q", got)
	}
}

// TestPlainHTTP opens the page under a host's name, where there is no secure context.
func TestPlainHTTP(t *testing.T) {
	t.Parallel()
	s := serve(t, nil)
	s.URL = strings.Replace(s.URL, "127.0.0.1", "dice.test", 1)
	m := newMatch()
	ctx := page390(t, s, "#"+m.off().link())
	if eval[bool](t, ctx, "isSecureContext || crypto.subtle !== undefined") {
		t.Fatal("this is a secure context; the test shows nothing")
	}
	if got := eval[string](t, ctx, code+" + ' ' + document.getElementById('engines').dataset.state"); got != "wrong-dice agrees" {
		t.Errorf("got %q", got)
	}
	if eval[bool](t, ctx, "!document.getElementById('share').hidden") {
		t.Error("a share button that cannot work is shown")
	}
	if err := chromedp.Do(ctx, chromedp.Click(chromedp.CSS("#copy-link"))); err != nil { // copying needs a true click
		t.Fatal(err)
	}
	until(t, ctx, "document.getElementById('keep-out').textContent === 'Copied.'")
	click(t, ctx, "example")
	until(t, ctx, code+" === 'proven' && "+settled)

	// Signatures cannot be checked here: nothing is proven by one, and what is broken without them stays so.
	texts := chainTexts(t)
	for name, want := range map[string]string{"record-signed-by-all": "signatures-not-checked", "record-die-changed": "wrong-dice"} {
		typeInto(t, ctx, "pasted", texts[name])
		eval[int](t, ctx, "document.getElementById('paste').requestSubmit(), 0")
		until(t, ctx, code+" === "+strconv.Quote(want)+" && "+settled)
		if state := eval[string](t, ctx, "document.getElementById('engines').dataset.state"); state != "agrees" {
			t.Errorf("%s: the engines: %s", name, state)
		}
	}
}

// fakeCore is a loader that brings an engine of its own.
func fakeCore(verify, selftest string) fstest.MapFS {
	return fstest.MapFS{"dist/wasm_exec.js": {Data: []byte(`globalThis.Go = class { importObject = { gojs: new Proxy({}, { get: () => () => 0 }), wasi_snapshot_preview1: {} };
		run() { globalThis.veridice = { selftest: () => ` + selftest + `, verify: (text, options) => (` + verify + `) } } };`)}}
}

// changed gives a script with one place changed; the place must be there.
func changed(t *testing.T, name, from, to string) fstest.MapFS {
	t.Helper()
	data, err := web.Files.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Count(string(data), from) != 1 {
		t.Fatalf("%s holds %q %d times", name, from, strings.Count(string(data), from))
	}
	return fstest.MapFS{name: {Data: []byte(strings.Replace(string(data), from, to, 1))}}
}

// TestFalsifiedEngines changes one engine or the other. There must be no verdict, and
// both reports.
func TestFalsifiedEngines(t *testing.T) {
	t.Parallel()
	m := newMatch()
	browse := browser(t)
	const same = "verdict: 'proven', code: '', place: '', scheme: 'tavli/1', rolls: 100, fit: 100, source: 'record'"
	for _, c := range []struct {
		name  string
		files fstest.MapFS
		want  string
	}{
		{"the core says broken", fakeCore("{verdict: 'broken', code: 'wrong-dice', place: 'roll 5', scheme: 'tavli/1', rolls: 100, fit: 99, source: '', computed: []}", "''"), "differ"},
		{"the core computes one die otherwise", fakeCore("{"+same+", computed: Array(100).fill('11')}", "''"), "differ"},
		{"the core fails its self-test", fakeCore("{"+same+", computed: []}", "'a wrong roll is not found'"), "selftest"},
		{"the core stops in the middle", fakeCore("(() => { throw new Error('Go program has already exited') })()", "''"), "selftest"},
		{"a constant of the JavaScript engine", changed(t, "verifier/sha256.mjs", "0x428a2f98", "0x428a2f99"), "selftest"},
		{"the JavaScript engine says proven to all", changed(t, "app/engines.mjs", "? verify(input.text, options) :", "? { ...verify(input.text, options), verdict: 'proven', code: '' } :"), "differ"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := serve(t, c.files)
			link := m.link()
			if strings.Contains(c.name, "proven to all") {
				link = m.off().link()
			}
			ctx := openCheck(t, browse, s, "#"+link)
			until(t, ctx, code+" === "+strconv.Quote(c.want))
			if got := eval[string](t, ctx, "document.getElementById('engines').dataset.state"); got != "doubt" {
				t.Errorf("the engines: %q", got)
			}
			if got := eval[string](t, ctx, "document.title"); !strings.HasPrefix(got, "? ") {
				t.Errorf("title %q", got)
			}
			if eval[bool](t, ctx, "['lines', 'rolls', 'limits', 'keep'].some((id) => !document.getElementById(id).hidden)") {
				t.Error("something of the verdict is still shown")
			}
			report := eval[string](t, ctx, "document.querySelector('.verdict pre').textContent")
			for _, want := range []string{`"javascript": {`, m.seal, `"go": `} {
				if !strings.Contains(report, want) {
					t.Errorf("the reports do not hold %s: %s", want, report)
				}
			}
			if mail := eval[string](t, ctx, "document.querySelector('.verdict a').href"); !strings.HasPrefix(mail, "mailto:") || !strings.Contains(mail, "%22javascript%22") {
				t.Errorf("the reports cannot be sent by %.60s", mail)
			}
			if over := eval[int](t, ctx, sideways); over != 0 {
				t.Errorf("scrolls sideways by %d px", over)
			}
			if c.want == "differ" {
				axe(t, ctx)
			}
			shot(t, ctx, "engines_"+c.want, false)
		})
	}
}

// TestOneEngine takes the core away: a server built without it, and one on which it got lost.
func TestOneEngine(t *testing.T) {
	t.Parallel()
	s := serve(t, fstest.MapFS{wasmFile(matchCore): {Data: zip([]byte("this is no core"))}})
	ctx := page390(t, s, "#"+newMatch().link())
	if got := eval[string](t, ctx, code+" + ' ' + document.getElementById('engines').dataset.state"); got != "proven missing" {
		t.Errorf("got %q", got)
	}
	if got := eval[string](t, ctx, "document.getElementById('engines').textContent"); !strings.HasPrefix(got, "One engine only") {
		t.Errorf("the page says %q", got)
	}
}

// TestNoEncoder takes the encoder of QR codes away: only the code is missing, and the page says so.
func TestNoEncoder(t *testing.T) {
	t.Parallel()
	s := serve(t, fstest.MapFS{"vendor/qr/index.js": {Data: []byte("throw new Error('lost')")}})
	ctx := page390(t, s, "#"+newMatch().link())
	click(t, ctx, "show-qr")
	until(t, ctx, "document.getElementById('keep-out').textContent.startsWith('The QR code could not be made')")
	if got := eval[string](t, ctx, code+" + ' ' + document.getElementById('engines').dataset.state"); got != "proven agrees" {
		t.Errorf("got %q", got)
	}
}

// TestRecipes runs what the page shows under "Check it without us".
func TestRecipes(t *testing.T) {
	t.Parallel()
	s := serve(t, nil)
	m := newMatch()
	want := m.seal + "\n"
	for n := 1; n <= 100; n++ {
		want += fmt.Sprintf("%d %c-%c\n", n, m.rolls[2*n-2], m.rolls[2*n-1])
	}
	ctx := page390(t, s, "#"+m.link())
	recipe := func(name string) string {
		return eval[string](t, ctx, "document.querySelector('#recipes pre[aria-label="+name+"]').textContent")
	}
	runRecipes(t, recipe, want)
	key := "3ccbede8757323fb62f038b8f53bfe35e06b6dcec081613f854bff489436249d"
	body := "veridice record 1\nscheme yayay/1\nmatch -\nseal -\nroll 1 3 3 1 5 5\nroll 2 1\nroll 3 6 6 6 3 4\nseed " + key + "\nrolls 3\nstate finished\n"
	typeInto(t, ctx, "pasted", body+"sum "+sha([]byte(body))+"\n")
	eval[int](t, ctx, "document.getElementById('paste').requestSubmit(), 0")
	until(t, ctx, code+" === 'no-seal' && "+settled)
	runRecipes(t, recipe, sha(unhex(t, key))+"\n1 3-3-1-5-5\n2 1\n3 6-6-6-3-4\n")
}

func runRecipes(t *testing.T, recipe func(name string) string, want string) {
	t.Helper()
	needs.Program(t, "openssl")
	dir := t.TempDir()
	for _, r := range []struct {
		name, file string
		command    []string
	}{
		{"Python", "check.py", []string{needs.Program(t, "python3")}},
		{"openssl", "check.sh", []string{"bash"}},
		{"Go", "main.go", []string{"go", "run"}},
	} {
		file := filepath.Join(dir, r.file)
		if err := os.WriteFile(file, []byte(recipe(r.name)), 0o600); err != nil {
			t.Fatal(err)
		}
		out, err := exec.Command(r.command[0], append(r.command[1:], file)...).CombinedOutput()
		if err != nil || string(out) != want {
			t.Errorf("%s: %v\n%s", r.name, err, out)
		}
	}
}

// readCode decodes a QR code that a page has drawn, with another library than the one that
// made it. It wants four light modules on each side, and black on white in every look.
func readCode(t *testing.T, ctx context.Context, selector string) string {
	t.Helper()
	svg := fmt.Sprintf("document.querySelector(%q)", selector)
	box := eval[string](t, ctx, svg+".getAttribute('viewBox')")
	path := eval[string](t, ctx, svg+".querySelector('path').getAttribute('d')")
	if got := eval[string](t, ctx, "getComputedStyle("+svg+").color + ' on ' + getComputedStyle("+svg+".parentElement).backgroundColor"); got != "rgb(0, 0, 0) on rgb(255, 255, 255)" {
		t.Errorf("the QR code is %s", got)
	}
	size, _ := strconv.Atoi(box[strings.LastIndex(box, " ")+1:])
	const scale, border = 4, 4
	img := image.NewGray(image.Rect(0, 0, size*scale, size*scale))
	for i := range img.Pix {
		img.Pix[i] = 255
	}
	for _, run := range regexp.MustCompile(`M(\d+) (\d+)h(\d+)v1h-\d+z`).FindAllStringSubmatch(path, -1) {
		x, _ := strconv.Atoi(run[1])
		y, _ := strconv.Atoi(run[2])
		w, _ := strconv.Atoi(run[3])
		if x < border || y < border || x+w > size-border || y >= size-border {
			t.Fatalf("a module at %d, %d is in the border of a code of %d", x, y, size)
		}
		for px := x * scale; px < (x+w)*scale; px++ {
			for py := y * scale; py < (y+1)*scale; py++ {
				img.SetGray(px, py, color.Gray{})
			}
		}
	}
	text, err := goqr.Decode(img)
	if err != nil {
		t.Errorf("the QR code cannot be read: %v", err)
	}
	return text
}

// TestPrintAndQR prints, and reads the QR code with another decoder than the eye.
func TestPrintAndQR(t *testing.T) {
	t.Parallel()
	s := serve(t, nil)
	m := newMatch()
	ctx := page390(t, s, "#"+m.link())
	until(t, ctx, "document.querySelector('#qr svg') !== null")
	if eval[bool](t, ctx, "document.querySelector('#qr svg').checkVisibility()") {
		t.Error("the QR code is on the screen before it was asked for")
	}
	click(t, ctx, "show-qr")
	until(t, ctx, "document.querySelector('#qr svg')?.checkVisibility()")
	if got, want := readCode(t, ctx, "#qr svg"), s.URL+"/en/check/#"+m.link(); got != want {
		t.Errorf("the QR code reads %q, want %q", got, want)
	}
	if got := eval[string](t, ctx, "document.getElementById('mail').href"); !strings.Contains(got, "%2Fen%2Fcheck%2F%23v%3D1") {
		t.Errorf("the address in a mail is not escaped: %.60s", got)
	}
	pdf, err := chromedp.Run(ctx, chromedp.PrintToPDF())
	if err != nil || len(pdf) < 10_000 {
		t.Fatalf("print: %d bytes, %v", len(pdf), err)
	}
	if pages := len(regexp.MustCompile(`/Type\s*/Page[^s]`).FindAll(pdf, -1)); pages != 2 {
		t.Errorf("100 rolls print on %d pages, want 2", pages)
	}
	if dir := os.Getenv("SHOTS"); dir != "" {
		if err := os.WriteFile(filepath.Join(dir, "print.pdf"), pdf, 0o644); err != nil {
			t.Error(err)
		}
	}
	if got := eval[string](t, ctx, "document.getElementById('printed').textContent"); !regexp.MustCompile(`Checked 20\d\d-\d\d-\d\dT[\d:]+Z\. .*: [0-9a-f]{64}\. .*: [0-9a-f]{64}\.`).MatchString(got) {
		t.Errorf("on paper it says %q", got)
	}
}
