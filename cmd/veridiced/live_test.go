package main

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"veridice/internal/locale"
	"veridice/record"
	"veridice/verify"
)

// table opens a table as the body says and gives the match's id and the tokens of
// its seats.
func (s *testServer) table(body string) (id string, tokens []string) {
	s.t.Helper()
	r, err := http.NewRequest("POST", s.url+"/v1/matches", strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Idempotency-Key", rand.Text())
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	defer answer.Body.Close()
	var table struct {
		Match string
		Seats []struct{ Token string }
	}
	if err := json.NewDecoder(answer.Body).Decode(&table); err != nil || answer.StatusCode != http.StatusCreated {
		s.t.Fatalf("opening a table: %d, %v", answer.StatusCode, err)
	}
	for _, seat := range table.Seats {
		tokens = append(tokens, seat.Token)
	}
	return table.Match, tokens
}

// record is the record of a match that is over, as it is downloaded.
func (s *testServer) record(id string) []byte {
	s.t.Helper()
	answer, err := http.Get(s.url + "/v1/matches/" + id + "/record")
	if err != nil {
		s.t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != http.StatusOK {
		s.t.Fatalf("the record of %s: %d, %v", id, answer.StatusCode, err)
	}
	return text
}

// arrived waits until so many requests to paths with an end have come.
func (p *proxy) arrived(t *testing.T, end string, n int) {
	t.Helper()
	late := time.After(patience)
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for len(p.posts(end)) < n {
		select {
		case <-tick.C:
		case <-late:
			t.Fatalf("%d requests to %s, want %d", len(p.posts(end)), end, n)
		}
	}
}

// here opens a seat's link and says that its user is there.
func (p *phone) here(url, name string) {
	p.t.Helper()
	p.visit(url)
	p.do(chromedp.WaitVisible(chromedp.CSS("#name")), chromedp.SendKeys(chromedp.CSS("#name"), name))
	p.click("#here")
}

// plays waits until the first roll can be made.
func (p *phone) plays() {
	p.t.Helper()
	p.until("document.querySelector('#turn')?.checkVisibility() && document.querySelector('#turn').textContent !== ''")
}

// checked waits until the phone shows its mark on roll n, and lists as many.
func (p *phone) checked(n int) {
	p.t.Helper()
	p.until(fmt.Sprintf("document.querySelector('#mark').textContent.includes('%d') && document.querySelectorAll('.history li').length === %d", n, n))
}

// asks presses the button when it is this phone's turn.
func (p *phone) asks() {
	p.t.Helper()
	p.until("document.querySelector('#roll')?.checkVisibility() && document.querySelector('#roll').ariaDisabled !== 'true'")
	p.click("#roll")
}

// live seats phones at a table of veridice/1 and waits until all can play; it gives
// the match and the address of its table page without a seat.
func live(t *testing.T, s *testServer, url, body string, phones ...*phone) (id, table string) {
	t.Helper()
	id, tokens := s.table(body)
	table = url + "/en/table/#m=" + id
	for i, p := range phones {
		p.here(table+"&k="+tokens[i], []string{"Anna", "Nikos", "Ulla"}[i])
	}
	for _, p := range phones {
		p.plays()
	}
	return id, table
}

// ended has two phones end the match and waits for the result on all.
func ended(asks, agrees *phone, all ...*phone) {
	asks.t.Helper()
	asks.click("#end")
	agrees.click("#confirm")
	for _, p := range append([]*phone{asks, agrees}, all...) {
		p.do(chromedp.WaitVisible(chromedp.CSS("#h-result")))
	}
}

// proven checks a record as the offline tool does.
func proven(t *testing.T, text []byte, rolls int, signed string) {
	t.Helper()
	r := verify.Text(text, verify.Options{})
	if r.Verdict != verify.Proven || len(r.Compared) != rolls || fmt.Sprint(r.Signed) != signed {
		t.Errorf("the record is %v %v with %d rolls, signed by %v; want proven, %d rolls, %s:\n%s", r.Verdict, r.Code, len(r.Compared), r.Signed, rolls, signed, text)
	}
	if _, err := record.Parse(text); err != nil {
		t.Errorf("the record: %v", err)
	}
}

// TestLiveTwoPhones is the whole way of veridice/1: a table opened on the first page,
// the rules before the chains, a mark at every roll, a hand-over, a new game, the end,
// the signatures, the check, and the next match of the same seats.
func TestLiveTwoPhones(t *testing.T) {
	t.Parallel()
	s := serve(t)
	base := browser(t)
	a, b := newPhone(t, base), newPhone(t, base)

	a.visit(s.url + "/el/")
	a.click("#go")
	a.do(chromedp.WaitVisible(chromedp.CSS("#seatlinks a.primary")))
	links := eval[[]string](a, "[...document.querySelectorAll('#seatlinks a')].map(a => a.href)")
	id := regexp.MustCompile("[0-9a-f]{32}").FindString(links[0])
	a.click("#seatlinks a.primary")
	a.do(chromedp.WaitVisible(chromedp.CSS("#name")))
	// The rules stand there whole before anybody has joined, and so does the anchor.
	if got := eval[string](a, "document.querySelector('.lobby pre.rules').textContent"); !regexp.MustCompile(`^veridice table 1\ndice 2d6\nturn alternate\nwait 120\nsalt [0-9a-f]{32}\n$`).MatchString(got) {
		t.Errorf("the rules are shown as %q", got)
	}
	if got := eval[string](a, "document.querySelector('.lobby .hex').textContent.replaceAll(' ', '')"); len(got) != 64 {
		t.Errorf("the anchor is shown as %q", got)
	}
	// What is to be sent is the other seat's link, and not the own one.
	if got := eval[[]string](a, "[...document.querySelectorAll('.invite')].map((i) => i.querySelector('h3').textContent + ' ' + i.querySelector('.hex').textContent)"); len(got) != 1 || got[0] != "Θέση 2, για να τη στείλεις "+links[1] {
		t.Errorf("the phone that opened the table invites to %q", got)
	}
	a.do(chromedp.SendKeys(chromedp.CSS("#name"), "Άννα"))
	a.click("#here")
	a.seen(".steps > li:nth-child(2)", locale.For("el").Text("table.chain.wait"))
	b.here(strings.Replace(links[1], "/el/", "/de/", 1), "Nikos")
	for _, p := range []*phone{a, b} {
		p.plays()
	}
	a.seen("#turn", locale.For("el").Text("table.turn.you"))
	if eval[bool](b, "document.querySelector('#roll').checkVisibility()") {
		t.Error("who does not have the turn is offered a roll")
	}

	// Each roll has its mark on both phones; the turn goes to and fro.
	for n := 1; n <= 6; n++ {
		[]*phone{b, a}[n%2].asks()
		a.checked(n)
		b.checked(n)
	}
	a.seen("#mark", locale.For("el").Text("table.checked", "roll", 6))
	b.seen("#said", "Nikos, Wurf 6: ")
	said := [2]string{a.text("#said"), b.text("#said")}
	if said[0][strings.LastIndex(said[0], ": "):][:4] != said[1][strings.LastIndex(said[1], ": "):][:4] {
		t.Errorf("the phones tell the roll as %q", said)
	}

	// A new game, and the turn handed over by a wish.
	a.click("#game")
	b.seen("#head", locale.For("de").Text("table.title.running", "game", 2))
	b.click("#wish")
	a.seen(".turn p.askbox:not([hidden], #low)", "Nikos")
	a.click(".hand")
	b.asks()
	a.checked(7)
	b.checked(7)

	// Both phones have one opening, which they can compare.
	var opening [2]string
	for i, p := range []*phone{a, b} {
		p.click("#tab-dice")
		opening[i] = eval[string](p, "document.querySelector('#panel-dice .hex').textContent.replaceAll(' ', '')")
		p.click("#panel-dice .openingcode")
		p.do(chromedp.WaitVisible(chromedp.CSS("#panel-dice .qr svg")))
		p.click("#tab-table")
	}
	if opening[0] != opening[1] || len(opening[0]) != 64 {
		t.Errorf("the openings are %q", opening)
	}
	if got := eval[string](a, "JSON.parse(localStorage.getItem('veridice.matches'))['"+id+"'].seal"); got != opening[0] {
		t.Errorf("noted %q, shown %q", got, opening[0])
	}

	ended(b, a)
	for i, p := range []*phone{a, b} {
		p.seen("#signed", locale.For([]string{"el", "de"}[i]).Text("table.signed", "who", "")[:28])
		p.until("document.querySelectorAll('#signed li').length === 1 && document.querySelector('#verify')")
	}
	proven(t, s.record(id), 7, "[0 1 2]")
	a.shot("live_result_el")

	// Their own browsers check it, by what they noted before the first roll.
	for _, p := range []*phone{a, b} {
		p.click("#verify")
		p.until("location.pathname.endsWith('/check/') && document.title.startsWith('✓')")
	}

	// The next match has the same seats, tokens and terms.
	for i, p := range []*phone{a, b} {
		p.visit(links[i])
		p.do(chromedp.WaitVisible(chromedp.CSS("#h-result")))
	}
	a.click("#next")
	a.do(chromedp.WaitVisible(chromedp.CSS("#name")))
	b.click("#follow")
	b.do(chromedp.WaitVisible(chromedp.CSS("#name")))
	next := eval[string](b, "location.hash")
	if strings.Contains(next, id) || !strings.HasSuffix(next, links[1][strings.Index(links[1], "&k="):]) || eval[string](a, "location.hash")[:35] != next[:35] {
		t.Errorf("the next match is at %q", next)
	}
	for _, p := range []*phone{a, b} {
		p.click("#here")
	}
	for _, p := range []*phone{a, b} {
		p.plays()
	}
	a.asks()
	b.checked(1)
	for _, p := range []*phone{a, b} {
		p.calm()
	}
}

// TestLiveThreePhones has one phone lose its network while its part is awaited, and
// come back; it looks on at what was rolled, and the match goes on.
func TestLiveThreePhones(t *testing.T) {
	t.Parallel()
	s := serve(t)
	base := browser(t)
	a, b, c, watcher := newPhone(t, base), newPhone(t, base), newPhone(t, base), newPhone(t, base)
	id, table := live(t, s, s.url, `{"scheme":"veridice/1","seats":3,"dice":"1-6d6","turn":"free","links":256}`, a, b, c)
	watcher.visit(table)
	watcher.plays()

	a.click("fieldset.count label:nth-child(5)")
	a.asks()
	for _, p := range []*phone{a, b, c, watcher} {
		p.checked(1)
		if got := eval[int](p, "document.querySelectorAll('.thrown .die').length"); got != 5 {
			t.Errorf("%d dice, want 5", got)
		}
	}

	c.offline(true)
	c.seen(".banner", locale.For("en").Text("table.lost", "roll", 1))
	a.asks()
	for _, p := range []*phone{a, b, watcher} {
		p.seen(".awaited", locale.For("en").Text("table.awaited.link", "roll", 2, "who", "Ulla"))
	}
	if got := eval[bool](a, "document.querySelector('#abort').checkVisibility()"); got {
		t.Error("the match can be ended before the time of the table is over")
	}
	if got := len(s.rolls(id)); got != 1 {
		t.Errorf("%d rolls without the part of one phone", got)
	}
	c.offline(false)
	for _, p := range []*phone{a, b, c, watcher} {
		p.checked(2)
	}
	c.until("!document.querySelector('.banner').checkVisibility()")

	// Free turn: who wishes gets it, from the other's phone.
	c.click("#wish")
	c.seen("#turn", locale.For("en").Text("table.turn.you"))
	c.asks()
	for _, p := range []*phone{a, b, c, watcher} {
		p.checked(3)
	}
	if n := eval[int](watcher, "[...document.querySelectorAll('#panel-table button, #panel-table form')].filter(e => e.checkVisibility()).length"); n != 0 {
		t.Errorf("watching offers %d buttons and forms", n)
	}
	ended(a, c, b, watcher)
	a.until("document.querySelectorAll('#signed li').length === 1")
	proven(t, s.record(id), 3, "[0 1 2 3]")
	for _, p := range []*phone{a, b, watcher} {
		p.calm()
	}
	c.calm(lost...)
}

// TestLiveReloadAndTabs reloads a page while its part of a roll is under way, and opens
// a second tab: a phone gives one link and one signature for a roll, ever.
func TestLiveReloadAndTabs(t *testing.T) {
	t.Parallel()
	s := serve(t)
	p := between(t, s)
	base := browser(t)
	a, b := newPhone(t, base), newPhone(t, base)
	id, _ := live(t, s, p.url, `{"scheme":"veridice/1","seats":2,"dice":"3d6+1d20","links":256}`, a, b)
	a.asks()
	a.checked(1)
	b.checked(1)

	// The link is on its way, and its answer never comes: the page is loaded again.
	held := make(chan struct{})
	p.set(func(p *proxy) { p.stall["/link"] = held })
	b.asks()
	p.arrived(t, "/link", 4)
	b.do(chromedp.Reload())
	b.do(chromedp.WaitVisible(chromedp.CSS("#turn")))
	p.set(func(p *proxy) { delete(p.stall, "/link") })
	close(held)
	a.checked(2)
	b.checked(2)

	// Two tabs of one seat press at once.
	tab := a.newTab()
	tab.visit(eval[string](a, "location.href"))
	tab.checked(2)
	tab.seen(".you", "Anna")
	held = make(chan struct{})
	p.set(func(p *proxy) { p.stall["/ask"] = held })
	a.asks()
	tab.asks()
	p.set(func(p *proxy) { delete(p.stall, "/ask") })
	close(held)
	for _, ph := range []*phone{a, tab, b} {
		ph.checked(3)
	}
	for _, action := range []string{"/link", "/ask"} {
		bodies := map[string]bool{}
		for _, asked := range p.posts(action) {
			bodies[asked.body] = true
		}
		want := map[string]int{"/link": 6, "/ask": 3}[action]
		if len(bodies) != want {
			t.Errorf("%s was sent in %d forms, want %d: %q", action, len(bodies), want, slices.Sorted(maps.Keys(bodies)))
		}
	}
	ended(a, b, tab)
	a.until("document.querySelectorAll('#signed li').length === 1")
	proven(t, s.record(id), 3, "[0 1 2]")
	a.calm(lost...)
	b.calm(lost...)
	tab.calm(lost...)
}

// TestLiveSilent waits for a phone that does not come back: the seat is named, nothing
// is rolled again, and the next match is one tap away. The shortest time that rules may
// give is ten seconds, and both the page's clock and the server's have to be over it.
func TestLiveSilent(t *testing.T) {
	t.Parallel()
	s := serve(t)
	base := browser(t)
	a, b := newPhone(t, base), newPhone(t, base)
	id, _ := live(t, s, s.url, `{"scheme":"veridice/1","seats":2,"wait":10,"links":256}`, a, b)
	b.do(chromedp.Navigate("about:blank"))
	a.asks()
	a.seen(".awaited", "Nikos")
	a.until("document.querySelector('#abort')?.checkVisibility()")
	a.shot("live_late")
	a.axe()
	a.click("#abort")
	a.click("#abort-yes")
	a.do(chromedp.WaitVisible(chromedp.CSS("#h-result")))
	a.seen(".result", locale.For("en").Text("table.aborted.by", "who", "Nikos"))
	a.until("document.querySelectorAll('#signed li').length === 2 && document.querySelector('#signed').textContent.includes('Anna')")
	text := s.record(id)
	if !strings.Contains(string(text), "\npending 1 1 6,6\n") || !strings.Contains(string(text), "\nstate aborted 2\n") {
		t.Errorf("the record:\n%s", text)
	}
	a.click("#next")
	a.do(chromedp.WaitVisible(chromedp.CSS("#name")))
	a.calm()
}

// TestLiveWithoutStorage: a phone that would forget its chain does not play.
func TestLiveWithoutStorage(t *testing.T) {
	t.Parallel()
	s := serve(t)
	a := newPhone(t, browser(t))
	_, err := chromedp.Call(a.ctx, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{
		Source: "Object.defineProperty(window, 'indexedDB', {get() { throw new DOMException('denied', 'SecurityError') }})",
	})
	if err != nil {
		t.Fatal(err)
	}
	id, tokens := s.table(`{"scheme":"veridice/1","seats":1}`)
	a.visit(s.url + "/en/table/#m=" + id + "&k=" + tokens[0])
	a.seen(".warnings", locale.For("en").Text("table.live.storage"))
	if !eval[bool](a, "document.querySelector('#here').disabled") {
		t.Error("a phone that keeps nothing can sit down")
	}
	a.axe()
	a.calm()
}

// TestLivePlainHTTP plays from another host's address without https: there the Go core
// signs, and everything else is as it is elsewhere.
func TestLivePlainHTTP(t *testing.T) {
	t.Parallel()
	s := serve(t)
	a := newPhone(t, browser(t))
	_, port, _ := strings.Cut(s.addr, ":")
	url := "http://livingroom.test:" + port
	id, tokens := s.table(`{"scheme":"veridice/1","seats":1,"dice":"1d20","links":256}`)
	a.here(url+"/en/table/#m="+id+"&k="+tokens[0], "Anna")
	a.plays()
	if eval[bool](a, "isSecureContext || crypto.subtle !== undefined") {
		t.Fatal("the page is in a secure context; the test needs one that is not")
	}
	a.asks()
	a.checked(1)
	a.click("#end")
	a.click("#confirm")
	a.until("document.querySelectorAll('#signed li').length === 1 && document.querySelector('#verify')")
	proven(t, s.record(id), 1, "[0 1]")
	a.calm("Cross-Origin-Opener-Policy") // which means nothing on plain http
}

// TestLiveElsewhere opens the link of a seat in another browser, which has no chain for
// it: it says so, looks on, and shows the evidence that it keeps.
func TestLiveElsewhere(t *testing.T) {
	t.Parallel()
	s := serve(t)
	base := browser(t)
	a, other := newPhone(t, base), newPhone(t, base)
	id, _ := live(t, s, s.url, `{"scheme":"veridice/1","seats":1,"links":256}`, a)
	a.asks()
	a.checked(1)
	seat := eval[string](a, "location.href")
	other.visit(seat)
	other.seen("#fault", locale.For("en").Text("table.fault.lost-chain"))
	other.checked(1)
	if got := eval[string](other, "[...document.querySelectorAll('#panel-table button')].filter(e => e.checkVisibility()).map(e => e.id).join()"); got != "leave" {
		t.Errorf("a browser without the chain offers %s, want to give up alone", got)
	}
	a.asks()
	a.checked(2)
	other.checked(2)

	_, token, _ := strings.Cut(seat, "&k=")
	sum := sha256.Sum256([]byte(token))
	key := fmt.Sprintf("%s/%x/evidence/one", id, sum[:16])
	eval[bool](other, fmt.Sprintf(`new Promise((done, failed) => {
		const opening = indexedDB.open('veridice.phone');
		opening.onerror = failed;
		opening.onsuccess = () => {
			const change = opening.result.transaction('once', 'readwrite');
			change.objectStore('once').put({code: 'two-rolls', roll: 2, notes: ['one\n', 'another\n']}, %q);
			change.oncomplete = () => { opening.result.close(); done(true) };
		};
	})`, key))
	other.do(chromedp.Reload())
	other.seen("#table", locale.For("en").Text("table.evidence.how"))
	if got := eval[string](other, "[...document.querySelectorAll('.notes pre')].map(e => e.textContent).join()"); got != "one\n,another\n" {
		t.Errorf("the evidence is shown as %q", got)
	}
	other.shot("live_elsewhere")
	other.axe()
	a.calm()
	other.calm()
}

// TestLiveAlone plays without any server: after the page is loaded nothing is asked.
func TestLiveAlone(t *testing.T) {
	t.Parallel()
	s := serve(t)
	a := newPhone(t, browser(t))
	a.visit(s.url + "/en/")
	a.choose("#kind", "deck52")
	a.click("#alone")
	a.plays()
	a.offline(true)
	a.asks()
	a.checked(1)
	a.choose("#count", "5")
	a.asks()
	a.checked(2)
	if got := eval[int](a, "document.querySelectorAll('.thrown .card').length"); got != 5 {
		t.Errorf("%d cards, want 5", got)
	}
	a.seen("form.buttons", locale.For("en").Text("table.deck.left", "count", 46))
	a.seen(".you", locale.For("en").Text("table.solo"))
	a.shot("live_alone")
	a.click("#end")
	a.click("#end-yes")
	a.do(chromedp.WaitVisible(chromedp.CSS("#verify")))
	a.seen("#signed", locale.For("en").Text("table.solo.result"))
	a.offline(false)
	a.click("#verify")
	a.until("document.title.startsWith('✓') || document.title.startsWith('?')")
	for _, request := range a.requests {
		if strings.HasPrefix(request, "POST") {
			t.Errorf("play alone sent %s", request)
		}
	}
	a.calm()
}

// TestServerAlone plays yayay/1, where no phone has a part: key and fingerprint.
func TestServerAlone(t *testing.T) {
	t.Parallel()
	s := serve(t)
	base := browser(t)
	a, b := newPhone(t, base), newPhone(t, base)
	id, tokens := s.table(`{"scheme":"yayay/1","seats":2,"dice":"3d6"}`)
	table := s.url + "/en/table/#m=" + id
	for i, p := range []*phone{a, b} {
		p.visit(table + "&k=" + tokens[i])
		p.do(chromedp.WaitVisible(chromedp.CSS("#name")))
		p.seen(".steps", locale.For("en").Text("table.seal.how.yayay"))
		p.click(takeSeat)
	}
	for _, p := range []*phone{a, b} {
		p.do(chromedp.WaitVisible(chromedp.CSS("#roll")))
	}
	for n := 1; n <= 3; n++ {
		a.roll(n)
		b.has(n)
	}
	if got := eval[int](b, "document.querySelectorAll('.thrown .die').length"); got != 3 {
		t.Errorf("%d dice, want 3", got)
	}
	a.click("#tab-dice")
	a.seen("#panel-dice", locale.For("en").Text("table.dice.server.sealed.yayay"))
	a.click("#tab-table")
	a.click("#end")
	b.click("#confirm")
	for _, p := range []*phone{a, b} {
		p.do(chromedp.WaitVisible(chromedp.CSS("#seal")))
		p.click("#seal")
		p.click("#verify")
		p.until("location.pathname.endsWith('/check/') && document.title.startsWith('✓')")
		p.seen("#line-yours", locale.For("en").Text("check.line.yours.kept.yayay"))
	}
	proven(t, s.record(id), 3, "[]")
	a.calm()
	b.calm()
}

// TestLiveLooks takes the table through its states in every language and width:
// nothing scrolls sideways, nothing keeps people out.
func TestLiveLooks(t *testing.T) {
	t.Parallel()
	inEveryLanguage(t, liveLooks)
}

func liveLooks(t *testing.T, s *testServer, lang string, a, b *phone) {
	look := func(state string) {
		t.Helper()
		for _, width := range []int64{320, 1280, 390} {
			a.do(chromedp.EmulateViewport(width, 844))
			a.narrow()
			if width > 320 {
				a.shot(fmt.Sprintf("live_%s_%d_%s", lang, width, state))
			}
		}
		if got := eval[string](a, "document.documentElement.lang"); got != lang {
			t.Errorf("lang is %q", got)
		}
		if lang == locale.Source {
			a.axe() // the languages differ in words alone
		}
	}
	id, tokens := s.table(`{"scheme":"veridice/1","seats":2,"links":256}`)
	table := s.url + "/" + lang + "/table/#m=" + id
	a.visit(table + "&k=" + tokens[0])
	a.do(chromedp.WaitVisible(chromedp.CSS("#name")))
	look("rules")
	a.do(chromedp.SendKeys(chromedp.CSS("#name"), "Άννα-Μαρία"))
	a.click("#here")
	a.do(chromedp.WaitVisible(chromedp.CSS("#close")))
	a.click("#close")
	look("waiting")
	if lang != locale.Source && lang != "de" {
		return // the rest differs in words alone, and German has the longest
	}
	b.here(table+"&k="+tokens[1], "Nikos")
	for n := 1; n <= 3; n++ {
		[]*phone{b, a}[n%2].asks()
		a.checked(n)
		b.checked(n)
	}
	b.click("#end")
	a.do(chromedp.WaitVisible(chromedp.CSS("#confirm")))
	look("play")
	if lang != locale.Source {
		return // what follows has fewer words
	}
	a.click("#tab-dice")
	look("opening")
	a.click("#tab-table")
	a.click("#confirm")
	a.until("document.querySelectorAll('#signed li').length === 1 && document.querySelector('#verify')")
	look("result")

	// Dice of every kind.
	a.visit(s.url + "/" + lang + "/table/#solo=any&seats=1")
	a.plays()
	for n, dice := range []string{"d4+d6+d8+d10+d12+d20+d100+2d2+d7+d1000000", "w20", "2d2", "9d6"} {
		a.choose("#dice", dice)
		a.asks()
		a.checked(n + 1)
		if n == 0 {
			look("dice-all")
		}
	}
	a.choose("#dice", "7d")
	a.seen("#dice-read", locale.For(lang).Text("table.notation.form"))
	look("dice")
	a.visit(s.url + "/" + lang + "/table/#solo=deck52&turn=free&seats=2")
	a.plays()
	a.choose("#count", "7")
	a.asks()
	a.checked(1)
	look("cards")
}
