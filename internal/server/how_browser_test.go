package server

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"veridice/internal/locale"
)

// The key of docs/spec/yayay.md, its fingerprint, and the throws of two dice.
const (
	howKey    = "a9d223da0511d4e74a62e5bd9e47f44415e7c233954ec494fa2f91145d42de90"
	howSeal   = "122df4f39ea20b9ed0b19014bf57dee834cdef790b8abd273c33047202a3082d"
	howThrows = "6121324141356536"
)

// how opens the page at a step, with the key of the document typed in.
func how(t *testing.T, browse context.Context, s *site, path string) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(browse, 5*time.Minute)
	t.Cleanup(cancel)
	look(t, ctx, 390)
	load(t, ctx, s.URL+path)
	until(t, ctx, "document.getElementById('how').classList.contains('ready')")
	typeInto(t, ctx, "f-key", howKey)
	return ctx
}

// forgedDice are the dice of the game as the page shows them.
const forgedDice = "[...document.querySelectorAll('#throws use')].map((u) => u.getAttribute('href').slice(2)).join('')"

func betOn(t *testing.T, ctx context.Context, on string) {
	t.Helper()
	eval[int](t, ctx, fmt.Sprintf("{const b = document.getElementById('bet'); b.value = %q; b.dispatchEvent(new Event('change'))}; 0", on))
}

// turn clicks on a die.
func turn(t *testing.T, ctx context.Context, throw, die int) {
	t.Helper()
	eval[int](t, ctx, fmt.Sprintf("document.querySelectorAll('#throws li')[%d].querySelectorAll('button')[%d].click(), 0", throw-1, die-1))
}

func text(t *testing.T, ctx context.Context, id string) string {
	t.Helper()
	return eval[string](t, ctx, fmt.Sprintf("document.getElementById(%q).innerText", id))
}

func holds(t *testing.T, ctx context.Context, id string, wants ...string) {
	t.Helper()
	got := text(t, ctx, id)
	for _, want := range wants {
		if !strings.Contains(got, want) {
			t.Errorf("%s does not hold %q:\n%s", id, want, got)
		}
	}
}

// TestForgery goes through the three attempts in German, as a reader does.
func TestForgery(t *testing.T) {
	t.Parallel()
	s := serve(t, nil)
	browse := browser(t)
	c := complaining(t, browse)
	ctx := how(t, browse, s, "/de/how/#tamper")
	if got := eval[string](t, ctx, "document.activeElement.id + ' ' + [...document.querySelectorAll('.step:not([hidden]) > .tell > :is(h2, h3)')].map((e) => e.id)"); got != "tamper key,fingerprint,die,opened,tamper" {
		t.Errorf("focus and open steps: %s", got)
	}
	shot(t, ctx, "de_390_forgery_begins", false)
	s.take()
	holds(t, ctx, "opened-verdict", "Alle 8 Würfe stimmen überein")
	if got := eval[string](t, ctx, forgedDice); got != howThrows {
		t.Errorf("the game is %s, want %s", got, howThrows)
	}

	// Dice, and a bet that is lost. Without a bet there is no check.
	turn(t, ctx, 5, 2)
	turn(t, ctx, 3, 1)
	if !eval[bool](t, ctx, "document.getElementById('go').disabled") {
		t.Error("the check can be started without a bet")
	}
	betOn(t, ctx, "5")
	click(t, ctx, "go")
	holds(t, ctx, "forged-verdict", "Wurf 3 stimmt nicht überein", "4 und 2", "Aus dem Schlüssel", "3 und 2", "Die übrigen 6 Würfe stimmen überein")
	if got := eval[string](t, ctx, "document.activeElement.id"); got != "forged-verdict" {
		t.Errorf("after the check the focus is on %q", got)
	}
	holds(t, ctx, "after", "Deine Wette: Wurf 5. Die Prüfung nennt: Wurf 3.", "Gewonnene Wetten: 0 von 1.")
	if got := eval[string](t, ctx, "[...document.querySelectorAll('#throws li.off')].map((e) => e.innerText.trim()).join()"); got != "3,5" {
		t.Errorf("marked throws: %s", got)
	}
	shot(t, ctx, "de_390_forgery_dice", true)

	// On the keyboard: the verdict leads to the die, digits set it, arrows move, Backspace undoes.
	eval[int](t, ctx, "document.querySelector('#forged-verdict button').click(), 0")
	focused := "document.activeElement.getAttribute('aria-label')"
	for _, step := range []struct{ key, want string }{
		{"3", "Wurf 3, Würfel 1: 3"}, {kb.ArrowDown, "Wurf 4, Würfel 1: 4"}, {kb.ArrowRight, "Wurf 4, Würfel 2: 1"},
		{"6", "Wurf 4, Würfel 2: 6 statt 1"}, {kb.Backspace, "Wurf 4, Würfel 2: 1"}, {kb.ArrowUp, "Wurf 3, Würfel 2: 2"}, {"\r", "Wurf 3, Würfel 2: 3 statt 2"}, {kb.Backspace, "Wurf 3, Würfel 2: 2"},
	} {
		if err := chromedp.Do(ctx, chromedp.KeyEvent(step.key)); err != nil {
			t.Fatal(err)
		}
		if got := eval[string](t, ctx, focused); got != step.want {
			t.Errorf("after %q the focus is on %q, want %q", step.key, got, step.want)
		}
		if eval[bool](t, ctx, "document.getElementById('forged-verdict').checkVisibility()") {
			t.Errorf("the verdict outlived %q", step.key)
		}
	}
	if n := eval[int](t, ctx, "document.querySelectorAll('#throws [tabindex=\"0\"]').length"); n != 1 {
		t.Errorf("the throws have %d tab stops", n)
	}
	betOn(t, ctx, "5")
	click(t, ctx, "go")
	holds(t, ctx, "after", "Wette gewonnen: Wurf 5.", "Gewonnene Wetten: 1 von 2.")

	// The key: its throws fit, and its fingerprint does not.
	click(t, ctx, "attempt")
	if got := eval[string](t, ctx, forgedDice); got != howThrows {
		t.Errorf("attempt 2 begins with %s", got)
	}
	betOn(t, ctx, "seal")
	click(t, ctx, "swap")
	click(t, ctx, "go")
	holds(t, ctx, "forged-verdict", "Der Fingerabdruck passt nicht")
	holds(t, ctx, "after", "Wette gewonnen: Der Fingerabdruck.")

	// Key and fingerprint: it passes, and the earlier fingerprint tells.
	click(t, ctx, "attempt")
	betOn(t, ctx, "nothing")
	click(t, ctx, "swap")
	click(t, ctx, "fit")
	forged := strings.Fields(strings.ReplaceAll(eval[string](t, ctx, "[...document.querySelectorAll('#forged .hex')].map((e) => e.textContent.replaceAll(' ', '')).join(' ')"), "\n", ""))
	if len(forged) != 2 || sha(unhex(t, forged[0])) != forged[1] || forged[1] == howSeal {
		t.Fatalf("key and fingerprint: %q", forged)
	}
	if got, want := eval[string](t, ctx, forgedDice), yayayDice(t, forged[0], 16); got != want {
		t.Errorf("the forged dice are %s, want %s", got, want)
	}
	click(t, ctx, "go")
	holds(t, ctx, "forged-verdict", "Alle 8 Würfe stimmen überein")
	holds(t, ctx, "after", "Wette gewonnen: Nichts", "Gewonnene Wetten: 3 von 4.")
	shot(t, ctx, "de_390_forgery_passes", true)
	click(t, ctx, "earlier")
	holds(t, ctx, "forged-verdict", "Das ist ein anderer Fingerabdruck")
	holds(t, ctx, "after", strings.TrimSpace(groups(howSeal)))
	shot(t, ctx, "de_390_forgery_earlier", true)
	if got := s.take(); len(got) > 0 {
		t.Errorf("asked for after the page was loaded: %q", got)
	}

	// The forged record says the same on the check page.
	click(t, ctx, "undo")
	turn(t, ctx, 2, 2)
	click(t, ctx, "fit")
	betOn(t, ctx, "2")
	click(t, ctx, "go")
	click(t, ctx, "send")
	until(t, ctx, "location.pathname === '/de/check/' && document.getElementById('verdict')?.dataset.code === 'wrong-dice'")
	holds(t, ctx, "verdict", "Wurf 2 stimmt nicht überein")
	if got := c.take(); len(got) > 0 {
		t.Errorf("complaints: %q", got)
	}
}

// groups puts a blank behind each four digits.
func groups(hex string) string {
	var b strings.Builder
	for i := 0; i < len(hex); i += 4 {
		b.WriteString(hex[i:i+4] + " ")
	}
	return b.String()
}

// yayayDice are the first dice of a key.
func yayayDice(t *testing.T, key string, count uint32) string {
	t.Helper()
	var dice []byte
	for i := range count {
		sum := sha256.Sum256(binary.BigEndian.AppendUint32(unhex(t, key), i))
		dice = append(dice, '1'+byte(binary.BigEndian.Uint32(sum[:])%6))
	}
	return string(dice)
}

// TestHowNumbers changes what can be changed and looks at what follows.
func TestHowNumbers(t *testing.T) {
	t.Parallel()
	s := serve(t, nil)
	browse := browser(t)
	c := complaining(t, browse)
	ctx := how(t, browse, s, "/en/how/")
	for range 3 {
		click(t, ctx, "pace-next")
	}
	if got := eval[string](t, ctx, "location.hash + ' ' + document.activeElement.id + ' ' + document.querySelector('.langs a[lang=el]').hash"); got != "#opened opened #opened" {
		t.Errorf("after three steps: %s", got)
	}
	click(t, ctx, "pace-back")
	if got := text(t, ctx, "pace-now"); got != "Step 3 of 13" {
		t.Errorf("the pace says %q", got)
	}
	click(t, ctx, "pace-end")
	s.take()

	// yayay/1: docs/spec/yayay.md.
	holds(t, ctx, "keys", "115 792 089 237 316 195 423 570 985 008 687 907 853 269 984 665 640 564 039 457 584 007 913 129 639 936")
	holds(t, ctx, "fingerprint-made", "SHA-256("+howKey+")", "= "+howSeal)
	holds(t, ctx, "die-made", "SHA-256("+howKey+" 00000000)", "46366061cbb6eb66a1413c225773c694af0620bc14d1f0b363892b43ee2e3ed7", "0x46366061", "1177968737 mod 6 + 1", "= 6")
	typeInto(t, ctx, "f-die", "1")
	holds(t, ctx, "die-made", "e5694718df11", "3848881944 mod 6 + 1", "= 1")
	typeInto(t, ctx, "f-die", "4294967296")
	holds(t, ctx, "read-die", "from 0 to 4,294,967,295")
	typeInto(t, ctx, "f-die", "65536")
	holds(t, ctx, "die-made", " 00010000)")

	// A bit is flipped and flipped back; a key that is none takes everything along.
	eval[int](t, ctx, "document.querySelectorAll('#bits-bytes button')[31].click(), document.querySelectorAll('#bits-bits button')[7].click(), 0")
	flipped := howKey[:63] + "1"
	holds(t, ctx, "fingerprint-made", "= "+sha(unhex(t, flipped)))
	differ := 0
	for i, b := range unhex(t, sha(unhex(t, flipped))) {
		for d := b ^ unhex(t, howSeal)[i]; d > 0; d &= d - 1 {
			differ++
		}
	}
	holds(t, ctx, "bits-out", fmt.Sprintf("%d of 256 bits of the fingerprint have changed", differ))
	if got := eval[string](t, ctx, "document.getElementById('f-server').value.replaceAll(' ', '')"); got != flipped {
		t.Errorf("the server seed of tavli/1 is %s", got)
	}
	typeInto(t, ctx, "f-key", howKey[:62])
	holds(t, ctx, "read-key", "these are 62")
	typeInto(t, ctx, "f-key", howKey[:62]+"xy")
	holds(t, ctx, "read-key", "Cannot be read", "'x'")
	if got := eval[string](t, ctx, "['fingerprint-made', 'die-made', 'forgery', 'roll-made', 'yours-link'].map((id) => getComputedStyle(document.getElementById(id)).visibility).join()"); got != "hidden,hidden,hidden,hidden,hidden" {
		t.Errorf("with half a key: %s", got)
	}

	// tavli/1: docs/spec/tavli.md, rolls 1 and 87.
	typeInto(t, ctx, "f-server", "c149c301f8134a320da3e36748bb70c14850c75fc8ab0dc1e36460fa89070300")
	typeInto(t, ctx, "f-phone1", "f24279610d6b8b1362d85c3ddec7f24e")
	typeInto(t, ctx, "f-phone2", "d60062c1d2fe5d3f376829416b34be90")
	typeInto(t, ctx, "f-roll", "86")
	click(t, ctx, "skip-find")
	holds(t, ctx, "roll-made", "f24279610d6b8b1362d85c3ddec7f24e:d60062c1d2fe5d3f376829416b34be90:87", "= 0xd7 = 215", "215 mod 36", "35 div 6 + 1", "= 6")
	holds(t, ctx, "skip-now", "253 is left out", "Roll 87 takes byte 215")
	mac := hmac.New(sha256.New, unhex(t, "c149c301f8134a320da3e36748bb70c14850c75fc8ab0dc1e36460fa89070300"))
	mac.Write([]byte("f24279610d6b8b1362d85c3ddec7f24e:d60062c1d2fe5d3f376829416b34be90:87"))
	eval[int](t, ctx, "document.querySelectorAll('details').forEach((d) => { d.open = true }), 0")
	holds(t, ctx, "hmac-made", fmt.Sprintf("= %x", mac.Sum(nil)))
	link := text(t, ctx, "yours-link")
	if want := s.URL + "/en/check/#v=1&s=c149c301f8134a320da3e36748bb70c14850c75fc8ab0dc1e36460fa89070300&c=76243eb20b5ad494780afead6d49b5f826775834b0b12ddafe12819ca4608a63&p=f24279610d6b8b1362d85c3ddec7f24e,d60062c1d2fe5d3f376829416b34be90&r=213216213333262333341666&g=12"; link != want {
		t.Errorf("the reader's match:\ngot  %s\nwant %s", link, want)
	}
	typeInto(t, ctx, "f-phone2", "two words")
	holds(t, ctx, "read-phone2", "1 to 128")
	typeInto(t, ctx, "f-phone2", "d60062c1d2fe5d3f376829416b34be90")

	// veridice/1: rolls, a link that is changed, and a guess.
	typeInto(t, ctx, "f-secret", howKey)
	holds(t, ctx, "chain-made", "Link 4", "Anchor")
	click(t, ctx, "link-roll")
	holds(t, ctx, "link-out", "Roll 1")
	holds(t, ctx, "read-given", "it fits")
	given := eval[string](t, ctx, "document.getElementById('f-given').value")
	typeInto(t, ctx, "f-given", strings.Repeat("0", 64))
	holds(t, ctx, "read-given", "Every phone refuses it")
	if got := eval[string](t, ctx, "document.getElementById('link-out').innerText + document.getElementById('link-roll').disabled"); got != "true" {
		t.Errorf("with a link that is refused: %q", got)
	}
	typeInto(t, ctx, "f-given", given)
	click(t, ctx, "ahead-go")
	click(t, ctx, "ahead-go")
	holds(t, ctx, "ahead-out", "Guess 2")
	for range 3 {
		click(t, ctx, "link-roll")
	}
	holds(t, ctx, "link-out", "Roll 4", "All four links are spent.")
	if got := eval[string](t, ctx, "['link-roll', 'ahead-go'].map((id) => document.getElementById(id).disabled).join()"); got != "true,true" {
		t.Errorf("with all links spent: %s", got)
	}
	if got := s.take(); len(got) > 0 {
		t.Errorf("asked for after the page was loaded: %q", got)
	}
	load(t, ctx, link)
	until(t, ctx, code+" === 'proven'")
	if got := c.take(); len(got) > 0 {
		t.Errorf("complaints: %q", got)
	}
}

// TestHowWithoutAnEngine spoils the hash: no number is shown at all.
func TestHowWithoutAnEngine(t *testing.T) {
	t.Parallel()
	s := serve(t, changed(t, "verifier/sha256.mjs", "0x428a2f98", "0x428a2f99"))
	ctx, cancel := context.WithTimeout(browser(t), 5*time.Minute)
	defer cancel()
	look(t, ctx, 390)
	load(t, ctx, s.URL+"/en/how/")
	until(t, ctx, "document.getElementById('trouble').checkVisibility()")
	holds(t, ctx, "trouble", "Do not use it")
	if eval[bool](t, ctx, "[...document.querySelectorAll('.chapter, #pace')].some((e) => e.checkVisibility())") {
		t.Error("the chapters are shown")
	}
}

func TestHowInEveryLook(t *testing.T) {
	t.Parallel()
	matrix{
		name: "how", path: "how/", keys: "how|check|ui|verify",
		states: []state{{name: "all", fragment: "#yours", heading: "how.title"}}, // which opens the steps before it
	}.run(t, serve(t, nil))
}

// TestHowInUse looks at the page once a forgery was caught, a roll made and every detail opened.
func TestHowInUse(t *testing.T) {
	t.Parallel()
	s := serve(t, nil)
	browse := browser(t)
	c := complaining(t, browse)
	for _, l := range locale.Languages() {
		t.Run(l.Tag, func(t *testing.T) {
			ctx := how(t, browse, s, "/"+l.Tag+"/how/")
			for _, id := range []string{"pace-end", "link-roll", "ahead-go", "new-key"} {
				click(t, ctx, id)
			}
			turn(t, ctx, 2, 1)
			turn(t, ctx, 7, 2)
			betOn(t, ctx, "7")
			click(t, ctx, "go")
			eval[int](t, ctx, "document.querySelectorAll('details').forEach((d) => { d.open = true }), 0")
			if got := eval[string](t, ctx, `(document.body.innerText.match(/\b(how|check|ui|verify)\.[a-z]+[.a-z-]*|\{[a-z]+\}/) ?? [''])[0]`); got != "" {
				t.Errorf("a key or placeholder is shown as text: %s", got)
			}
			for _, width := range []int64{1280, 320} {
				look(t, ctx, width)
				if over := eval[int](t, ctx, sideways); over != 0 {
					t.Errorf("at %d px it scrolls sideways by %d px", width, over)
				}
			}
			if l.Tag == "en" {
				axe(t, ctx)
			}
			if got := c.take(); len(got) > 0 {
				t.Errorf("complaints: %q", got)
			}
		})
	}
}
