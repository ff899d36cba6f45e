package server

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/chromedp/chromedp"
)

func TestHomeInEveryLook(t *testing.T) {
	t.Parallel()
	matrix{name: "home", keys: "home|ui|table", states: []state{{name: "home", heading: "home.title"}, {name: "notfound", path: "nothing/", heading: "ui.notfound.title"}}}.run(t, serve(t, nil))
}

// TestOpenATable opens one on a server that fails first: asking again must carry the same key.
func TestOpenATable(t *testing.T) {
	t.Parallel()
	s := serve(t, nil)
	pages := s.Config.Handler
	var asked []string
	s.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/v1/matches" {
			pages.ServeHTTP(w, r)
			return
		}
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		asked = append(asked, r.Method+" "+r.Header.Get("Idempotency-Key")+" "+string(body))
		if len(asked) == 1 {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusCreated)
		fmt.Fprint(w, `{"match":"00112233445566778899aabbccddeeff","scheme":"tavli/1","seats":[{"seat":1,"token":"one"},{"seat":2,"token":"two"},{"seat":3,"token":"three"}],"seal":"`+strings.Repeat("ab", 32)+`"}`)
	})
	ctx, cancel := context.WithTimeout(browser(t), 5*time.Minute)
	defer cancel()
	look(t, ctx, 390)
	load(t, ctx, s.URL+"/de/")
	eval[int](t, ctx, `{const f = document.getElementById('seats'); f.value = '3'; f.dispatchEvent(new Event('input', {bubbles: true}))}; 0`)
	if err := chromedp.Do(ctx, chromedp.Click(chromedp.CSS("#go"))); err != nil {
		t.Fatal(err)
	}
	until(t, ctx, "document.getElementById('out').textContent.includes('502')")
	if err := chromedp.Do(ctx, chromedp.Click(chromedp.CSS("#go"))); err != nil {
		t.Fatal(err)
	}
	until(t, ctx, "!document.getElementById('links').hidden")
	if len(asked) != 2 || asked[0] != asked[1] {
		t.Errorf("asked %q, want twice the same", asked)
	}
	if want := ` {"scheme":"veridice/1","seats":3,"dice":"2d6","turn":"alternate","wait":120,"links":512}`; !strings.HasSuffix(asked[0], want) || len(asked[0]) != len("POST ")+32+len(want) {
		t.Errorf("asked %q", asked[0])
	}
	links := eval[[]string](t, ctx, "[...document.querySelectorAll('#seatlinks a')].map((a) => a.href)")
	at := s.URL + "/de/table/#m=00112233445566778899aabbccddeeff"
	if want := fmt.Sprint([]string{at + "&k=one", at + "&k=two", at + "&k=three", at}); fmt.Sprint(links) != want {
		t.Errorf("links %q, want %s", links, want)
	}
	// One seat is the own one, and to be opened here; the others' links are to be sent.
	if got := eval[[]string](t, ctx, "[...document.querySelectorAll('#seatlinks .primary')].map((a) => a.href ?? a.textContent)"); fmt.Sprint(got) != fmt.Sprint(links[:1]) {
		t.Errorf("the first things to do are %q", got)
	}
	if got := eval[string](t, ctx, "[...document.querySelectorAll('#seatlinks h3')].map((h) => h.textContent).join('; ')"); got != "Platz 1, dein eigener; Platz 2, zum Verschicken; Platz 3, zum Verschicken; Nur zum Zuschauen" {
		t.Errorf("the links are for %s", got)
	}
	if got := eval[string](t, ctx, "localStorage.getItem('veridice.created.00112233445566778899aabbccddeeff')"); got != `{"1":"one","2":"two","3":"three"}` {
		t.Errorf("kept: %s", got)
	}
	eval[int](t, ctx, "document.querySelectorAll('#seatlinks section:first-child button').forEach((b) => { if (b.textContent === 'QR-Code') b.click() }), 0")
	until(t, ctx, "document.querySelector('#seatlinks .qr svg')?.checkVisibility()")
	if got := readCode(t, ctx, "#seatlinks .qr svg"); got != links[0] {
		t.Errorf("the QR code of the first seat reads %q, want %q", got, links[0])
	}
	if over := eval[int](t, ctx, sideways); over != 0 {
		t.Errorf("scrolls sideways by %d px", over)
	}
	axe(t, ctx)
	shot(t, ctx, "de_390_home_opened", true)
}

// TestPolicyHolds asks the browser, for each kind of page, whether the policy does what
// we say of it. A script that tries everything takes the place of the page's own.
func TestPolicyHolds(t *testing.T) {
	t.Parallel()
	const attempts = `
		const out = [];
		const attempt = async (name, f) => { try { out.push(name + ' ' + await f()) } catch { out.push(name + ' refused') } };
		await attempt('innerHTML', () => { document.createElement('div').innerHTML = '<b>x</b>'; return 'worked' });
		await attempt('eval', () => eval('"worked"'));
		await attempt('wasm', () => WebAssembly.compile(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0])).then(() => 'worked'));
		await attempt('worker', () => { new Worker('/w.js'); return 'worked' });
		await attempt('fetch', () => fetch('/fetched').then(() => 'worked'));
		await attempt('socket', () => new Promise((ok, no) => { const w = new WebSocket('ws://' + location.host + '/socket'); w.onopen = () => ok('worked'); w.onerror = no; w.onclose = no }));
		await attempt('events', () => new Promise((ok, no) => { const s = new EventSource('/events'); s.onopen = () => ok('worked'); s.onerror = () => { s.close(); no() } }));
		await attempt('image', () => new Promise((ok, no) => { const i = new Image(); i.onload = () => ok('worked'); i.onerror = no; i.src = '/image.png' }));
		await attempt('foreign', () => fetch('http://dice.test:' + location.port + '/foreign').then(() => 'worked'));
		await attempt('style', () => { const d = document.createElement('div'); d.setAttribute('style', 'width: 7px'); document.body.append(d); return getComputedStyle(d).width === '7px' ? 'worked' : 'refused' });
		navigator.sendBeacon('/beacon', 'x'); // returns true even though it is refused: the server is the witness
		document.body.dataset.done = out.join('\n');`
	for _, c := range []struct {
		kind, path, script, want string
		reach                    []string
	}{
		{"checking", "/en/check/", "app/check.mjs", "innerHTML refused\neval refused\nwasm worked\nworker refused\nfetch refused\nsocket refused\nevents refused\nimage refused\nforeign refused\nstyle refused", nil},
		{"table", "/en/", "app/home.mjs", "innerHTML refused\neval refused\nwasm worked\nworker refused\nfetch worked\nsocket refused\nevents refused\nimage refused\nforeign refused\nstyle refused", []string{"GET /fetched", "GET /socket", "GET /events", "POST /beacon"}},
	} {
		t.Run(c.kind, func(t *testing.T) {
			s := serve(t, fstest.MapFS{c.script: {Data: []byte(attempts)}})
			ctx, cancel := context.WithTimeout(browser(t), 5*time.Minute)
			defer cancel()
			load(t, ctx, s.URL+c.path)
			until(t, ctx, "document.body.dataset.done !== undefined")
			if got := eval[string](t, ctx, "document.body.dataset.done"); got != c.want {
				t.Errorf("got:\n%s\nwant:\n%s", got, c.want)
			}
			for _, request := range s.take() {
				_, path, _ := strings.Cut(request, " ")
				if path == c.path || strings.HasPrefix(path, "/assets/") || path == "/favicon.ico" {
					continue
				}
				allowed := false
				for _, r := range c.reach {
					allowed = allowed || r == request
				}
				if !allowed {
					t.Errorf("%s reached the server", request)
				}
			}
		})
	}
	t.Run("text", func(t *testing.T) {
		s := serve(t, nil)
		ctx, cancel := context.WithTimeout(browser(t), 5*time.Minute)
		defer cancel()
		load(t, ctx, s.URL+"/en/nothing/")
		s.take()
		for attempt, want := range map[string]string{
			"fetch('/fetched').catch(() => {})": "connect-src",
			"{const f = document.createElement('form'); f.action = '/posted'; f.method = 'post'; document.body.append(f); f.submit()}": "form-action",
			"document.head.append(Object.assign(document.createElement('base'), {href: '/other/'}))":                                   "base-uri",
		} {
			got := eval[string](t, ctx, "new Promise((done) => { document.addEventListener('securitypolicyviolation', (e) => done(e.effectiveDirective), {once: true}); "+attempt+" })")
			if got != want {
				t.Errorf("%s: refused by %q, want %s", attempt, got, want)
			}
		}
		if got := s.take(); len(got) > 0 {
			t.Errorf("reached the server: %q", got)
		}
		// The page cannot be framed.
		load(t, ctx, s.URL+"/en/")
		if got := eval[int](t, ctx, "new Promise((done) => { const f = document.createElement('iframe'); f.onload = () => done(f.contentDocument === null ? 0 : f.contentDocument.querySelectorAll('h1').length); f.src = '/en/check/'; document.body.append(f) })"); got != 0 {
			t.Error("a page shows itself in a frame")
		}
	})
}
