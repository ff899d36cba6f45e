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

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"veridice/internal/locale"
)

func TestHomeInEveryLook(t *testing.T) {
	s := serve(t, nil)
	browse := browser(t)
	c := complaining(t, browse)
	for _, l := range locale.Languages() {
		for _, at := range []struct {
			width    int64
			path     string
			features []*emulation.MediaFeature
		}{{320, "", nil}, {390, "", nil}, {1280, "", nil}, {390, "", []*emulation.MediaFeature{dark}}, {390, "", []*emulation.MediaFeature{forced}}, {320, "nothing/", nil}} {
			name := fmt.Sprintf("%s_%d_home%s", l.Tag, at.width, at.path)
			if at.features != nil {
				name += "_" + at.features[0].Value
			}
			t.Run(name, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(browse, 30*time.Second)
				defer cancel()
				look(t, ctx, at.width, at.features...)
				load(t, ctx, s.URL+"/"+l.Tag+"/"+at.path)
				if over := eval[int](t, ctx, sideways); over != 0 {
					t.Errorf("scrolls sideways by %d px", over)
				}
				want := locale.For(l.Tag).Text("home.title")
				if at.path != "" {
					want = locale.For(l.Tag).Text("ui.notfound.title")
				}
				if got := eval[string](t, ctx, "document.documentElement.lang + document.title + document.querySelector('h1').textContent"); got != l.Tag+want+" · Veridice"+want {
					t.Errorf("lang, title and heading: %q", got)
				}
				shot(t, ctx, strings.ReplaceAll(name, "/", ""), true)
				if at.width == 390 && at.features == nil {
					axe(t, ctx)
				}
				if got := c.take(); len(got) > 0 && at.path == "" {
					t.Errorf("complaints: %q", got)
				}
			})
		}
	}
}

// TestOpenATable opens one on a server that fails first: asking again must carry the same key.
func TestOpenATable(t *testing.T) {
	s := serve(t, nil)
	pages := s.Config.Handler
	var asked []string
	s.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/api/matches" {
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
	ctx, cancel := context.WithTimeout(browser(t), 60*time.Second)
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
	if want := ` {"scheme":"tavli/1","seats":3}`; !strings.HasSuffix(asked[0], want) || len(asked[0]) != len("POST ")+32+len(want) {
		t.Errorf("asked %q", asked[0])
	}
	links := eval[[]string](t, ctx, "[...document.querySelectorAll('#seatlinks a')].map((a) => a.href)")
	at := s.URL + "/de/table/#m=00112233445566778899aabbccddeeff"
	if want := fmt.Sprint([]string{at + "&k=one", at + "&k=two", at + "&k=three", at}); fmt.Sprint(links) != want {
		t.Errorf("links %q, want %s", links, want)
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
			ctx, cancel := context.WithTimeout(browser(t), 60*time.Second)
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
		ctx, cancel := context.WithTimeout(browser(t), 60*time.Second)
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

// TestLongerWords shows every text 40 % longer, and from right to left: languages to come.
func TestLongerWords(t *testing.T) {
	s := serve(t, nil)
	ctx, cancel := context.WithTimeout(browser(t), 60*time.Second)
	defer cancel()
	look(t, ctx, 320)
	for _, path := range []string{"/en/", "/en/check/", "/en/check/#" + newMatch().off().link()} {
		load(t, ctx, s.URL+path)
		if strings.Contains(path, "#") {
			until(t, ctx, settled)
		}
		over := eval[int](t, ctx, `{
			const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
			for (let n = walk.nextNode(); n; n = walk.nextNode()) {
				if (n.parentElement.closest('script, pre, code, .hex, .no, .langs, .brand')) continue;
				n.data = n.data.replace(/[A-Za-z]+/g, (w) => w + 'łøñĝ'.slice(0, Math.ceil(w.length * 0.4)));
			}
			document.documentElement.dir = 'rtl';
		}; Math.abs(`+sideways+`)`)
		if over != 0 {
			t.Errorf("%.20s scrolls sideways by %d px", path, over)
		}
	}
	shot(t, ctx, "pseudo", false)
}
