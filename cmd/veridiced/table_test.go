package main

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"veridice/internal/locale"
)

const (
	takeSeat = ".steps li:nth-child(1) button.primary"
	giveSeed = ".steps li:nth-child(2) button.primary"
)

// lost are complaints of the browser about a network that the test took away.
var lost = []string{"ERR_INTERNET_DISCONNECTED", "ERR_CONNECTION_REFUSED", "ERR_INCOMPLETE_CHUNKED_ENCODING", "ERR_CONNECTION_RESET", "ERR_EMPTY_RESPONSE", "ERR_NETWORK", "502"}

// sit opens a seat's link, takes the seat under a name and gives the phone's seed.
func (p *phone) sit(url, name string) {
	p.t.Helper()
	p.visit(url)
	p.do(chromedp.WaitVisible(chromedp.CSS("#name")), chromedp.SendKeys(chromedp.CSS("#name"), name))
	p.click(takeSeat)
	p.do(chromedp.WaitVisible(chromedp.CSS("#client")))
	p.click(giveSeed)
}

// choose sets a field of a form, as its reader would.
func (p *phone) choose(selector, value string) {
	p.t.Helper()
	eval[bool](p, fmt.Sprintf("(e => { e.value = %q; return e.dispatchEvent(new Event('input', {bubbles: true})) })(document.querySelector(%q))", value, selector))
}

// roll presses the button and waits for roll n.
func (p *phone) roll(n int) {
	p.t.Helper()
	p.click("#roll")
	p.has(n)
}

// has waits until the phone lists n rolls and no request is under way.
func (p *phone) has(n int) {
	p.t.Helper()
	p.until(fmt.Sprintf("document.querySelectorAll('.history li').length === %d && document.querySelector('#roll')?.ariaDisabled !== 'true'", n))
}

// listed gives the rolls that the phone lists in its second tab, "6-3" each.
func (p *phone) listed() string {
	p.t.Helper()
	return eval[string](p, "[...document.querySelectorAll('.plainrolls b')].map(b => b.textContent).join(' ')")
}

// fell gives the rolls that the server has, in the same form.
func (s *testServer) fell(id string) string {
	s.t.Helper()
	var rolls []string
	for _, r := range s.rolls(id) {
		rolls = append(rolls, fmt.Sprintf("%d-%d", r[0], r[1]))
	}
	return strings.Join(rolls, " ")
}

// running seats two phones at a new table, by way of an address; it gives the
// match and the address of its table page without a seat.
func running(t *testing.T, s *testServer, url string, a, b *phone) (id, table string) {
	t.Helper()
	id, tokens := s.open(2)
	table = url + "/en/table/#m=" + id
	a.sit(table+"&k="+tokens[0], "Anna")
	b.sit(table+"&k="+tokens[1], "Nikos")
	for _, p := range []*phone{a, b} {
		p.do(chromedp.WaitVisible(chromedp.CSS("#roll")))
	}
	return id, table
}

// TestTwoPhonesPlayAndVerify is the whole way: a table opened on the first page, the
// seal before the seeds, three games, the end, and the check by the phones' own
// browsers. One phone speaks Greek, the other German.
func TestTwoPhonesPlayAndVerify(t *testing.T) {
	t.Parallel()
	s := serve(t)
	base := browser(t)
	a, b := newPhone(t, base), newPhone(t, base)

	a.visit(s.url + "/el/")
	a.choose("#scheme", "tavli/1")
	a.click("#go")
	a.do(chromedp.WaitVisible(chromedp.CSS("#seatlinks a.primary")))
	links := eval[[]string](a, "[...document.querySelectorAll('#seatlinks a')].map(a => a.href)")
	if len(links) != 3 {
		t.Fatalf("the first page offers %q, want two seats and watching", links)
	}

	// The seal stands there before there is a seed, and is noted on the phone.
	a.click("#seatlinks a.primary")
	a.do(chromedp.WaitVisible(chromedp.CSS("#name")))
	seal := eval[string](a, "document.querySelector('.steps .hex').textContent.replaceAll(' ', '')")
	if len(seal) != 64 {
		t.Fatalf("the seal shown is %q", seal)
	}
	if got := eval[string](a, "Object.values(JSON.parse(localStorage.getItem('veridice.matches')))[0].seal"); got != seal {
		t.Errorf("noted %q, shown %q", got, seal)
	}
	if got := eval[string](a, "document.querySelector('#client').value"); got != "" {
		t.Error("a seed was made before the seal was acknowledged")
	}
	if got := eval[[]string](a, "[...document.querySelectorAll('.invite .hex')].map((i) => i.textContent)"); !slices.Equal(got, links[1:2]) {
		t.Errorf("the phone that opened the table invites to %q, want %q", got, links[1:2])
	}

	a.do(chromedp.SendKeys(chromedp.CSS("#name"), "Άννα"))
	a.click(takeSeat)
	a.do(chromedp.WaitVisible(chromedp.CSS("#client")))
	if got := eval[string](a, "document.querySelector('#client').value"); len(got) != 32 {
		t.Errorf("the seed drawn is %q, want 32 hex digits", got)
	}
	a.click(giveSeed)

	b.sit(strings.Replace(links[1], "/el/", "/de/", 1), "Nikos")
	for _, p := range []*phone{a, b} {
		p.do(chromedp.WaitVisible(chromedp.CSS("#roll")))
	}

	const rolls = 21
	n := 0
	for _, last := range []int{8, 15, rolls} {
		if n > 0 {
			a.click("#game")
			for _, p := range []*phone{a, b} {
				p.until("document.querySelector('#game').disabled")
			}
		}
		for n < last {
			n++
			[]*phone{a, b}[n%2].roll(n)
			a.has(n)
			b.has(n)
		}
	}
	words := eval[string](a, "document.querySelector('#said').innerText")
	if !strings.Contains(words, "ζαριά 21: ") || eval[string](a, "document.querySelector('#said').ariaLive") != "polite" {
		t.Errorf("the last roll is told as %q", words)
	}
	b.seen("#said", "Wurf 21: ")
	if got := a.text("#panel-dice") + b.text("#panel-dice"); strings.Contains(got, seal) {
		t.Error("the hidden tab is shown")
	}
	a.click("#tab-dice")
	a.seen("#panel-dice", locale.For("el").Text("table.dice.server.sealed"))
	a.click("#tab-table")

	// One asks, the other plays on; then one asks and the other agrees.
	a.click("#end")
	b.do(chromedp.WaitVisible(chromedp.CSS("#confirm")))
	if eval[bool](a, "document.querySelector('#confirm') !== null") {
		t.Error("who asked to end can confirm it alone")
	}
	b.click("#withdraw")
	a.do(chromedp.WaitVisible(chromedp.CSS("#end")))
	b.do(chromedp.WaitVisible(chromedp.CSS("#end")))
	b.click("#end")
	a.do(chromedp.WaitVisible(chromedp.CSS("#confirm")))
	a.click("#confirm")

	link := ""
	for _, p := range []*phone{a, b} {
		p.do(chromedp.WaitVisible(chromedp.CSS("#seal")))
		if got := eval[string](p, "document.querySelector('#seal').textContent.replaceAll(' ', '')"); got != seal {
			t.Errorf("the result shows the seal %q, want %q", got, seal)
		}
		p.click("#seal")
		p.do(chromedp.WaitVisible(chromedp.CSS("#verify")))
		link = eval[string](p, "document.querySelector('#verify').href")
		if !strings.HasSuffix(link, "&g=8,7,6") {
			t.Errorf("the link is %q", link)
		}
		p.click("#verify")
		p.until("location.pathname.endsWith('/check/') && document.title.startsWith('✓')")
	}
	a.seen("#line-yours", locale.For("el").Text("check.line.yours.kept"))
	b.seen("#line-yours", locale.For("de").Text("check.line.yours.kept"))
	a.shot("verified_el")

	// One die is changed: the phones name the roll, and so does a browser that saw nothing.
	before, after, _ := strings.Cut(link, "&r=")
	dice, rest, _ := strings.Cut(after, "&")
	die := dice[2*13]
	changed := fmt.Sprintf("%s&r=%s%c%s&%s", before, dice[:2*13], '1'+(die-'0')%6, dice[2*13+1:], rest)
	stranger := newPhone(t, base)
	for _, p := range []*phone{b, stranger} {
		p.visit(changed)
		p.until("document.title.startsWith('✕')")
		p.seen("#verdict", "14")
	}
	stranger.visit(link)
	stranger.until("document.title.startsWith('✓')")
	if got := stranger.text("#line-yours"); strings.Contains(got, locale.For("de").Text("check.line.yours.kept")) {
		t.Error("a browser that did not sit at the table says that it noted the seal")
	}

	// A table that has ended can be looked at, and nothing can be rolled.
	a.visit(links[0])
	a.do(chromedp.WaitVisible(chromedp.CSS("#seal")))
	if eval[bool](a, "document.querySelector('#roll').checkVisibility()") {
		t.Error("a match that has ended offers a roll")
	}
	for _, p := range []*phone{a, b, stranger} {
		p.calm()
	}
}

// TestAwayAndBack has a phone lose its network, ask for a roll, and come back.
func TestAwayAndBack(t *testing.T) {
	t.Parallel()
	s := serve(t)
	base := browser(t)
	a, b := newPhone(t, base), newPhone(t, base)
	id, _ := running(t, s, s.url, a, b)
	a.roll(1)
	b.has(1)

	b.offline(true)
	b.seen(".banner", locale.For("en").Text("table.lost", "roll", 1))
	b.click("#roll") // asked for without a network, and without another phone in between
	b.seen(".banner", locale.For("en").Text("table.lost.rolling"))
	b.shot("offline")
	if got := s.fell(id); strings.Contains(got, " ") {
		t.Fatalf("rolls without a network: %s", got)
	}
	b.offline(false)
	b.has(2)
	a.has(2)
	b.until("!document.querySelector('.banner').checkVisibility()")

	// Another phone is faster: the roll that was asked for after roll 2 is not made after roll 3.
	b.offline(true)
	b.seen(".banner", locale.For("en").Text("table.lost", "roll", 2))
	b.click("#roll")
	a.roll(3)
	b.offline(false)
	b.has(3)
	b.seen("#table > .out", locale.For("en").Text("table.behind", "last", 3))
	for _, p := range []*phone{a, b} {
		if got, want := p.listed(), s.fell(id); got != want || strings.Count(want, "-") != 3 {
			t.Errorf("listed %q, the server has %q", got, want)
		}
	}
	a.calm()
	b.calm(append(lost, "409")...)
}

// TestServerRestarts ends the server in mid-match and starts it again, with a 502 in
// between, which ends an event stream for good.
func TestServerRestarts(t *testing.T) {
	t.Parallel()
	s := serve(t)
	p := between(t, s)
	base := browser(t)
	a, b := newPhone(t, base), newPhone(t, base)
	id, _ := running(t, s, p.url, a, b)
	a.roll(1)
	b.roll(2)
	before := s.fell(id)
	p.set(func(p *proxy) { p.broken = true })
	s.stop()
	for _, ph := range []*phone{a, b} {
		ph.seen(".banner", locale.For("en").Text("table.lost", "roll", 2))
	}
	b.click("#roll") // while nobody answers
	b.seen(".banner", locale.For("en").Text("table.lost.rolling"))
	s.start()
	p.leads(s)
	p.set(func(p *proxy) { p.broken = false })
	a.has(3)
	b.has(3)
	a.roll(4)
	b.has(4)
	got := s.fell(id)
	if !strings.HasPrefix(got, before+" ") || strings.Count(got, "-") != 4 {
		t.Errorf("after the restart %q, before it %q", got, before)
	}
	for _, ph := range []*phone{a, b} {
		if listed := ph.listed(); listed != got {
			t.Errorf("listed %q, the server has %q", listed, got)
		}
		ph.until("!document.querySelector('.banner').checkVisibility()")
		ph.calm(lost...)
	}
}

// TestReloadAsksForTheSameRoll reloads the page between a tap and its answer.
func TestReloadAsksForTheSameRoll(t *testing.T) {
	t.Parallel()
	s := serve(t)
	p := between(t, s)
	base := browser(t)
	a, b := newPhone(t, base), newPhone(t, base)
	id, _ := running(t, s, p.url, a, b)

	held := make(chan struct{})
	p.set(func(p *proxy) { p.hold["/roll"] = held })
	a.click("#roll")
	b.has(1) // the roll fell; the phone that asked has no answer yet
	if got := eval[string](a, "String(localStorage.getItem('veridice.pending."+id+"'))"); !strings.Contains(got, p.posts("/roll")[0].key) {
		t.Errorf("the key of the roll that is under way is not kept: %s", got)
	}
	a.do(chromedp.Reload())
	p.set(func(p *proxy) { delete(p.hold, "/roll") })
	a.do(chromedp.WaitVisible(chromedp.CSS("#roll")))
	a.until("localStorage.getItem('veridice.pending." + id + "') === null")
	a.has(1)
	close(held)

	asked := p.posts("/roll")
	if len(asked) != 2 || asked[0] != asked[1] {
		t.Errorf("asked %q, want the same twice", asked)
	}
	if got := s.fell(id); strings.Count(got, "-") != 1 || a.listed() != got {
		t.Errorf("one tap made %q; listed %q", got, a.listed())
	}
	a.roll(2) // and the next roll is another
	if asked := p.posts("/roll"); len(asked) != 3 || asked[2].key == asked[0].key {
		t.Errorf("asked %q", asked)
	}
	a.calm(lost...)
}

// TestTwoTabsOfOneSeat taps in both before either has an answer.
func TestTwoTabsOfOneSeat(t *testing.T) {
	t.Parallel()
	s := serve(t)
	p := between(t, s)
	base := browser(t)
	a, b := newPhone(t, base), newPhone(t, base)
	id, _ := running(t, s, p.url, a, b)
	tab := a.newTab()
	tab.visit(eval[string](a, "location.href"))
	tab.do(chromedp.WaitVisible(chromedp.CSS("#roll")))
	tab.seen(".you", "Anna")

	held := make(chan struct{})
	p.set(func(p *proxy) { p.stall["/roll"] = held })
	for _, ph := range []*phone{a, tab} {
		eval[bool](ph, "document.querySelector('#roll').click(), document.querySelector('#roll').click(), true")
		ph.until("document.querySelector('#roll').ariaDisabled === 'true'")
	}
	p.set(func(p *proxy) { delete(p.stall, "/roll") })
	close(held)
	for _, ph := range []*phone{a, tab, b} {
		ph.has(1)
	}
	for _, asked := range p.posts("/roll") {
		if asked != p.posts("/roll")[0] {
			t.Errorf("asked %q, want the same request from both tabs", p.posts("/roll"))
		}
	}
	if got := s.fell(id); strings.Count(got, "-") != 1 {
		t.Errorf("a double tap in each of two tabs made %q", got)
	}
	tab.roll(2)
	a.has(2)
	if got := s.fell(id); a.listed() != got || tab.listed() != got {
		t.Errorf("the tabs list %q and %q, the server has %q", a.listed(), tab.listed(), got)
	}
	a.calm("409")
	tab.calm("409")
}

// TestWatching sees what the seats see and can do nothing.
func TestWatching(t *testing.T) {
	t.Parallel()
	s := serve(t)
	base := browser(t)
	a, b, watcher := newPhone(t, base), newPhone(t, base), newPhone(t, base)
	id, table := running(t, s, s.url, a, b)
	a.roll(1)
	watcher.visit(table)
	watcher.has(1)
	b.roll(2)
	watcher.has(2)
	if got, want := watcher.text("#said"), b.text("#said"); got != want || !strings.HasPrefix(got, "Nikos, roll 2: ") {
		t.Errorf("watching shows %q, the seat %q", got, want)
	}
	if n := eval[int](watcher, "[...document.querySelectorAll('#panel-table button, form')].filter(e => e.checkVisibility()).length"); n != 0 {
		t.Errorf("watching offers %d buttons and forms", n)
	}
	for _, authorization := range []string{"", "Bearer " + id, "Bearer AAAAAAAAAAAAAAAAAAAAAAAA"} {
		got := eval[int](watcher, fmt.Sprintf(`fetch('/v1/matches/%s/roll', {method: 'POST', body: '{"after":2}', headers: {'Content-Type': 'application/json', 'Idempotency-Key': 'k', ...(%q && {Authorization: %q})}}).then(r => r.status)`, id, authorization, authorization))
		if got != http.StatusForbidden {
			t.Errorf("a roll by %q is answered %d, want 403", authorization, got)
		}
	}
	if got := s.fell(id); strings.Count(got, "-") != 2 {
		t.Errorf("the server has %q", got)
	}
	// A seat that was taken on this phone is offered to whoever opens the link for watching.
	a.visit(table)
	a.click(".you a")
	a.do(chromedp.WaitVisible(chromedp.CSS("#roll")))
	a.seen(".you", "Anna")
	watcher.calm("403")
}

// TestStorageRefused plays on a browser that keeps nothing, which is said before
// the start.
func TestStorageRefused(t *testing.T) {
	t.Parallel()
	s := serve(t)
	a := newPhone(t, browser(t))
	_, err := chromedp.Call(a.ctx, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{
		Source: "Object.defineProperty(window, 'localStorage', {get() { throw new DOMException('denied', 'SecurityError') }})",
	})
	if err != nil {
		t.Fatal(err)
	}
	id, tokens := s.open(1)
	url := s.url + "/en/table/#m=" + id + "&k=" + tokens[0]
	a.visit(url)
	a.do(chromedp.WaitVisible(chromedp.CSS("#name")))
	a.seen(".warnings", locale.For("en").Text("table.storage.refused"))
	a.shot("storage_refused")
	a.sit(url, "")
	a.do(chromedp.WaitVisible(chromedp.CSS("#roll")))
	a.roll(1)
	a.do(chromedp.Reload()) // the seat is known from the link alone
	a.seen(".you", "Seat 1")
	a.roll(2)
	a.click("#end")
	a.do(chromedp.WaitVisible(chromedp.CSS("#confirm")))
	a.click("#confirm")
	a.do(chromedp.WaitVisible(chromedp.CSS("#seal")))
	a.click("#seal")
	a.do(chromedp.WaitVisible(chromedp.CSS("#verify")))
	a.click("#verify")
	a.until("document.title.startsWith('✓')")
	a.calm()
}

// TestNoRandomSource looks at a browser that cannot draw a seed: nothing takes its
// place, and the reason is said.
func TestNoRandomSource(t *testing.T) {
	t.Parallel()
	s := serve(t)
	a := newPhone(t, browser(t))
	_, err := chromedp.Call(a.ctx, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{
		Source: "delete Crypto.prototype.getRandomValues",
	})
	if err != nil {
		t.Fatal(err)
	}
	why := locale.For("en").Text("table.random.missing")
	id, tokens := s.open(1)
	a.visit(s.url + "/en/table/#m=" + id + "&k=" + tokens[0])
	a.do(chromedp.WaitVisible(chromedp.CSS("#name")))
	a.seen(".warnings", why)
	if !eval[bool](a, "document.querySelector('#name').form.querySelector('[type=submit]').disabled") {
		t.Error("the seat can be taken, though no seed can be drawn")
	}
	a.visit(s.url + "/en/")
	a.click("#go")
	a.seen("#out", why)
	a.calm()
}

// TestPlainHTTP plays from another host's address without https, where much of the
// browser is missing.
func TestPlainHTTP(t *testing.T) {
	t.Parallel()
	s := serve(t)
	a := newPhone(t, browser(t))
	_, port, _ := strings.Cut(s.addr, ":")
	id, tokens := s.open(1)
	url := "http://livingroom.test:" + port + "/en/table/#m=" + id + "&k=" + tokens[0]
	a.visit(url)
	a.do(chromedp.WaitVisible(chromedp.CSS("#name")))
	if eval[bool](a, "isSecureContext || crypto.subtle !== undefined") {
		t.Fatal("the page is in a secure context; the test needs one that is not")
	}
	a.seen(".warnings", locale.For("en").Text("table.plain"))
	a.sit(url, "Anna")
	a.do(chromedp.WaitVisible(chromedp.CSS("#roll")))
	a.roll(1)
	a.click("#end")
	a.do(chromedp.WaitVisible(chromedp.CSS("#confirm")))
	a.click("#confirm")
	a.do(chromedp.WaitVisible(chromedp.CSS("#seal")))
	a.click("#seal")
	a.do(chromedp.WaitVisible(chromedp.CSS("#verify")))
	a.click("#verify")
	a.until("document.title.startsWith('✓')")
	a.seen("#line-yours", locale.For("en").Text("check.line.yours.kept"))
	a.calm("Cross-Origin-Opener-Policy") // which means nothing on plain http
}

// TestServerThatChangesARoll has the server say other dice than a phone saw.
func TestServerThatChangesARoll(t *testing.T) {
	t.Parallel()
	s := serve(t)
	p := between(t, s)
	base := browser(t)
	a, b := newPhone(t, base), newPhone(t, base)
	id, _ := running(t, s, p.url, a, b)
	for n := 1; n <= 3; n++ {
		a.roll(n)
		b.has(n)
	}
	dice := s.rolls(id)[1]
	other := dice[0]%6 + 1
	p.set(func(p *proxy) {
		p.change = func(path string, body []byte) []byte {
			was := fmt.Sprintf(`{"roll":2,"seat":1,"dice":[%d,%d]`, dice[0], dice[1])
			is := fmt.Sprintf(`{"roll":2,"seat":1,"dice":[%d,%d]`, other, dice[1])
			return []byte(strings.Replace(string(body), was, is, 1))
		}
	})
	a.do(chromedp.Reload())
	want := fmt.Sprintf("Roll 2: this phone saw %d-%d, the server says %d-%d.", dice[0], dice[1], other, dice[1])
	a.seen(".verdict.bad", want)
	if got, want := a.listed(), s.fell(id); got != want {
		t.Errorf("the phone lists %q, it saw %q", got, want)
	}
	a.shot("server_differs")
	a.axe()
	a.click("#end")
	b.do(chromedp.WaitVisible(chromedp.CSS("#confirm")))
	b.click("#confirm")
	a.do(chromedp.WaitVisible(chromedp.CSS("#seal")))
	a.click("#seal")
	a.do(chromedp.WaitVisible(chromedp.CSS("#verify")))
	a.seen(".verdict.bad", want)
	a.click("#verify") // the link holds what the phone saw, and that is what the seeds give
	a.until("document.title.startsWith('✓')")
	if b.text(".verdict.bad") != "" {
		t.Error("the phone that was told no other dice complains")
	}
}

// TestNamesAndSeedsAsTyped types what does not belong there.
func TestNamesAndSeedsAsTyped(t *testing.T) {
	t.Parallel()
	s := serve(t)
	base := browser(t)
	a, b := newPhone(t, base), newPhone(t, base)
	id, tokens := s.open(2)
	table := s.url + "/en/table/#m=" + id
	a.visit(table + "&k=" + tokens[0])
	a.do(chromedp.WaitVisible(chromedp.CSS("#name")))
	typed := func(id, text string) {
		t.Helper()
		eval[bool](a, fmt.Sprintf("(e => { e.value = %q; return e.dispatchEvent(new Event('input', {bubbles: true})) })(document.querySelector(%q))", text, id))
	}
	typed("#name", "abc\u202egnp.exe")
	a.seen("#name-read", locale.For("en").Text("table.name.unfit", "max", 40))
	const name = `<img src=x onerror=alert(1)>`
	typed("#name", name)
	a.until("document.querySelector('#name-read').textContent === ''")
	a.click(takeSeat)
	a.do(chromedp.WaitVisible(chromedp.CSS("#client")))
	for _, c := range []struct {
		text, character string
		place           int
	}{{"blue heron", "U+0020", 5}, {"a:b", "':'", 2}, {"smart’quote", "U+2019", 6}} {
		typed("#client", c.text)
		a.seen("#client-read", locale.For("en").Text("table.seed.character", "place", c.place, "character", c.character))
		if !eval[bool](a, fmt.Sprintf("document.querySelector(%q).disabled", giveSeed)) {
			t.Errorf("%q can be sent", c.text)
		}
	}
	for attribute, want := range map[string]string{"autocorrect": "off", "autocapitalize": "none", "autocomplete": "off", "spellcheck": "false"} {
		if got := eval[string](a, fmt.Sprintf("document.querySelector('#client').getAttribute(%q)", attribute)); got != want {
			t.Errorf("%s is %q, want %q", attribute, got, want)
		}
	}
	typed("#client", "blue-heron--42")
	a.click(giveSeed)
	a.seen(".steps li:nth-child(2) .hex", "blue -her on-- 42")
	b.visit(table)
	b.seen(".seats", name)
	if eval[int](b, "document.querySelectorAll('#table img').length") != 0 {
		t.Error("a name became markup")
	}
	if got := eval[string](b, "document.querySelector('.seats bdi').textContent"); got != name {
		t.Errorf("the name stands as %q", got)
	}
	a.calm()
	b.calm()
}

// TestAddressesOfTables opens what is no table.
func TestAddressesOfTables(t *testing.T) {
	t.Parallel()
	s := serve(t)
	a := newPhone(t, browser(t))
	id, tokens := s.open(2)
	for fragment, key := range map[string]string{
		"":                                  "table.address.none",
		"#m=" + id[:31]:                     "table.address.cut",
		"#m=" + id + "&k=" + tokens[0][:20]: "table.address.cut",
		"#m=" + strings.Repeat("0", 32):     "table.address.unknown",
	} {
		a.visit(s.url + "/en/table/" + fragment)
		a.seen("#table", locale.For("en").Text(key))
	}
	a.calm("404")
}

// TestTableLooks takes the table through its states in every language, width and
// look: nothing scrolls sideways, nothing keeps people out.
func TestTableLooks(t *testing.T) {
	t.Parallel()
	inEveryLanguage(t, looks)
}

// inEveryLanguage gives two phones to each language, and wants no complaint of theirs.
func inEveryLanguage(t *testing.T, looks func(t *testing.T, s *testServer, lang string, a, b *phone)) {
	t.Helper()
	s := serve(t)
	base := browser(t)
	for _, l := range locale.Languages() {
		t.Run(l.Tag, func(t *testing.T) {
			t.Parallel()
			a, b := newPhone(t, base), newPhone(t, base)
			looks(t, s, l.Tag, a, b)
			a.calm()
			b.calm()
		})
	}
}

func looks(t *testing.T, s *testServer, lang string, a, b *phone) {
	look := func(state string) {
		t.Helper()
		for _, width := range []int64{320, 390, 1280} {
			a.do(chromedp.EmulateViewport(width, 844))
			a.narrow()
			a.shot(fmt.Sprintf("table_%s_%d_%s", lang, width, state))
		}
		a.do(chromedp.EmulateViewport(390, 844))
		if got := eval[string](a, "document.documentElement.lang"); got != lang {
			t.Errorf("lang is %q", got)
		}
		a.axe()
		for name, feature := range map[string]*emulation.MediaFeature{
			"dark": {Name: "prefers-color-scheme", Value: "dark"}, "forced": {Name: "forced-colors", Value: "active"},
		} {
			if lang != "en" {
				break // colours do not depend on the language
			}
			a.media(feature)
			a.shot(fmt.Sprintf("table_%s_%s_%s", lang, name, state))
			if name == "dark" {
				a.axe()
			}
			a.media()
		}
	}
	id, tokens := s.open(2)
	table := s.url + "/" + lang + "/table/#m=" + id
	a.visit(table + "&k=" + tokens[0])
	a.do(chromedp.WaitVisible(chromedp.CSS("#name")))
	look("seal")
	a.do(chromedp.SendKeys(chromedp.CSS("#name"), "Άννα-Μαρία"))
	a.click(takeSeat)
	a.do(chromedp.WaitVisible(chromedp.CSS("#client")))
	look("seed")
	a.click(giveSeed)
	a.do(chromedp.WaitNotVisible(chromedp.CSS("#client")))
	a.click("summary")
	look("waiting")
	b.sit(table+"&k="+tokens[1], "Nikos")
	a.do(chromedp.WaitVisible(chromedp.CSS("#roll")))
	look("first")
	for n := 1; n <= 7; n++ {
		[]*phone{a, b}[n%2].roll(n)
		a.has(n)
		b.has(n)
		if n == 3 {
			b.click("#game")
			b.until("document.querySelector('#game').disabled")
		}
	}
	b.click("#end")
	a.do(chromedp.WaitVisible(chromedp.CSS("#confirm")))
	look("end-asked")
	a.click("#tab-dice")
	look("dice")
	a.click("#tab-table")
	a.click("#confirm")
	a.until("document.activeElement.id === 'h-result'")
	a.click("#seal")
	a.do(chromedp.WaitVisible(chromedp.CSS("#verify")))
	look("result")
	a.click("#tab-dice")
	a.do(chromedp.WaitVisible(chromedp.CSS("#server")))
	look("revealed")
}
