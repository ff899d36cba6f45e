package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"veridice/internal/locale"
)

// TestReplayOfALiveMatch plays veridice/1 on two phones and looks at it afterwards, as
// one of them and as somebody who has the link: the replay with names and times, the list
// of what the phone noted, and its luck.
func TestReplayOfALiveMatch(t *testing.T) {
	t.Parallel()
	s := serve(t)
	base := browser(t)
	a, b, other := newPhone(t, base), newPhone(t, base), newPhone(t, base)
	id, _ := live(t, s, s.url, `{"scheme":"veridice/1","seats":2}`, a, b)
	const rolls = 3
	for n := 1; n <= rolls; n++ {
		[]*phone{b, a}[n%2].asks()
		a.checked(n)
		b.checked(n)
	}
	ended(a, b)
	a.until("document.querySelectorAll('#signed li').length === 1")
	b.until("document.querySelectorAll('#signed li').length === 1")

	a.click("#replay")
	a.until("location.pathname === '/en/match/' && document.title.startsWith('✓ All 3 rolls fit') && document.querySelector('#events').textContent.includes('Nikos')")
	a.seen("#verdict", locale.For("en").Text("check.line.yours.kept.veridice"))
	other.visit(s.url + "/en/match/" + id)
	other.until("document.title.startsWith('✓ All 3 rolls fit') && document.querySelector('#events').textContent.includes('Nikos')")
	if got := other.text("#verdict"); strings.Contains(got, locale.For("en").Text("check.line.yours.kept.veridice")) {
		t.Error("a browser that did not sit there says that it noted the opening")
	}
	for n := 1; n <= rolls; n++ {
		other.click("#forward")
		other.seen("#stage", fmt.Sprintf("Roll %d of 3", n))
		other.seen("#where", []string{"Nikos", "Anna"}[n%2])
		other.seen("#stage", locale.For("en").Text("replay.fits.veridice"))
	}
	other.click("#last")
	other.seen("#stage", "Signed by: The server, Anna, and Nikos.")
	other.shot("replay_live")
	other.click("#check")
	other.until("location.pathname === '/en/check/' && document.title.startsWith('✓')")

	// A proof file holds by the log of this very server.
	other.visit(s.url + "/en/match/")
	eval[bool](other, `fetch('/v1/matches/`+id+`/proof').then((answer) => answer.text()).then((text) => {
		document.getElementById('pasted').value = text;
		document.getElementById('paste').requestSubmit();
		return true;
	})`)
	other.until("document.title.startsWith('✓ All 3 rolls fit')")

	a.visit(s.url + "/en/matches/")
	a.until("document.querySelector('#list .fits.yes') !== null")
	a.seen("#list", "veridice/1 · 3 rolls · Seat 1")
	a.seen("#list", locale.For("en").Text("matches.noted.veridice"))
	a.click("#list a[href*=luck]")
	a.do(chromedp.WaitVisible(chromedp.CSS("#read")))
	a.seen("#measures", "Seat 1")
	a.visit(s.url + "/en/luck/")
	a.do(chromedp.WaitVisible(chromedp.CSS("#read")))
	a.seen("#measures", locale.For("en").Text("luck.mine"))
	for _, p := range []*phone{a, b, other} {
		p.calm()
	}
}
