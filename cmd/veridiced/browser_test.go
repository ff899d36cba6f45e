package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"veridice/internal/needs"
	"veridice/vectors"
)

// patience is how long anything may take that a test waits for; on a machine with much else
// to do it does.
const patience = time.Minute

// A testServer is the program on a port of its own, with its database in a
// folder of the test.
type testServer struct {
	t    *testing.T
	dir  string
	addr string // host and port; after a restart the port is another
	url  string
	stop func()
}

// serve starts the program and ends it with the test.
func serve(t *testing.T) *testServer {
	t.Helper()
	s := &testServer{t: t, dir: t.TempDir()}
	s.start()
	t.Cleanup(func() { s.stop() })
	return s
}

func (s *testServer) start() {
	s.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	ready, ended := make(chan net.Addr, 1), make(chan error, 1)
	p := &program{addr: "127.0.0.1:0", data: s.dir, level: "info", stdout: io.Discard, stderr: io.Discard, vectors: vectors.Lines, ready: func(a net.Addr) { ready <- a }}
	go func() { ended <- p.serve(ctx) }()
	select {
	case a := <-ready:
		s.addr, s.url = a.String(), "http://"+a.String()
	case err := <-ended:
		s.t.Fatal(err)
	}
	s.stop = sync.OnceFunc(func() {
		cancel()
		if err := <-ended; err != nil {
			s.t.Error(err)
		}
	})
}

// open makes a table of tavli/1 and gives the match's id and the tokens of its seats.
func (s *testServer) open(seats int) (id string, tokens []string) {
	s.t.Helper()
	return s.table(fmt.Sprintf(`{"scheme":"tavli/1","seats":%d}`, seats))
}

// rolls asks the server which rolls fell.
func (s *testServer) rolls(id string) [][]int {
	s.t.Helper()
	answer, err := http.Get(s.url + "/v1/matches/" + id)
	if err != nil {
		s.t.Fatal(err)
	}
	defer answer.Body.Close()
	var match struct{ Rolls []struct{ Dice []int } }
	if err := json.NewDecoder(answer.Body).Decode(&match); err != nil {
		s.t.Fatal(err)
	}
	var rolls [][]int
	for _, r := range match.Rolls {
		rolls = append(rolls, r.Dice)
	}
	return rolls
}

// theBrowser is the one browser of all tests, and what ends it.
var theBrowser struct {
	sync.Mutex
	ctx context.Context
	end []context.CancelFunc
}

func TestMain(m *testing.M) {
	code := m.Run()
	for _, end := range slices.Backward(theBrowser.end) {
		end()
	}
	os.Exit(code)
}

// browser gives the browser, and starts it for the first who asks. The first Do
// binds the browser's life to its context, so it gets the context without a timeout.
func browser(t *testing.T) context.Context {
	t.Helper()
	path := needs.Program(t, "chromium")
	theBrowser.Lock()
	defer theBrowser.Unlock()
	if theBrowser.ctx != nil {
		return theBrowser.ctx
	}
	opts := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.DisableGPU,
		chromedp.Flag("disable-component-update", true),
		// A renderer is dear to start: none is started in advance, and one serves all pages of a phone.
		chromedp.Flag("disable-features", "Translate,BlinkGenPropertyTrees,SpareRendererForSitePerProcess"),
		chromedp.Flag("disable-site-isolation-trials", true), chromedp.Flag("renderer-process-limit", "1"),
		chromedp.Flag("host-resolver-rules", "MAP livingroom.test 127.0.0.1"), // a name that is not localhost has no secure context
		chromedp.Flag("force-prefers-reduced-motion", true))                   // a click aimed during a smooth scroll misses
	if os.Geteuid() == 0 {
		opts = append(opts, chromedp.NoSandbox) // Chromium refuses its sandbox to root
	}
	actx, end := chromedp.NewExecAllocator(context.Background(), opts...)
	theBrowser.end = append(theBrowser.end, end)
	ctx, end := chromedp.NewContext(actx)
	theBrowser.end = append(theBrowser.end, end)
	if err := chromedp.Do(ctx); err != nil {
		t.Fatal(err)
	}
	theBrowser.ctx = ctx
	return ctx
}

// A phone is a tab and what it complains about.
type phone struct {
	t   *testing.T
	ctx context.Context

	mu         sync.Mutex
	complaints []string
	requests   []string
}

// newPhone gives a phone of its own: other storage, other connections.
func newPhone(t *testing.T, base context.Context) *phone {
	t.Helper()
	return open(t, base, chromedp.WithNewBrowserContext())
}

// newTab gives another tab of a phone.
func (p *phone) newTab() *phone {
	p.t.Helper()
	return open(p.t, p.ctx)
}

func open(t *testing.T, base context.Context, options ...chromedp.ContextOption) *phone {
	t.Helper()
	ctx, cancel := chromedp.NewContext(base, options...)
	t.Cleanup(cancel)
	p := &phone{t: t, ctx: ctx}
	// Listen calls the function in the reading loop: it must not run commands.
	err := chromedp.Listen(ctx, func(ev any) {
		p.mu.Lock()
		defer p.mu.Unlock()
		switch e := ev.(type) {
		case *network.EventRequestWillBeSent:
			p.requests = append(p.requests, e.Request.Method+" "+e.Request.URL)
		case *log.EventEntryAdded: // refusals by the policy come here
			p.complaints = append(p.complaints, e.Entry.Text)
		case *runtime.EventExceptionThrown:
			text := e.ExceptionDetails.Text
			if x := e.ExceptionDetails.Exception; x != nil {
				text += " " + x.Description
			}
			p.complaints = append(p.complaints, text)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	p.do(chromedp.EmulateViewport(390, 844))
	// One window of several has the focus; each believes that it is the one.
	if _, err := chromedp.Call(ctx, emulation.SetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{Enabled: true}); err != nil {
		t.Fatal(err)
	}
	return p
}

func (p *phone) do(actions ...chromedp.Action[chromedp.Void]) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	if err := chromedp.Do(ctx, actions...); err != nil {
		p.t.Fatalf("%v; the page shows:\n%s", err, p.text("body"))
	}
}

// visit loads an address, by way of about:blank, since the same address with
// another fragment would be no load.
func (p *phone) visit(url string) {
	p.t.Helper()
	p.do(chromedp.Navigate("about:blank"), chromedp.Navigate(url))
}

// eval runs JavaScript and gives its value; a promise is awaited.
func eval[T any](p *phone, js string) T {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	v, err := chromedp.Run(ctx, chromedp.Evaluate[T](js, chromedp.EvalAwaitPromise))
	if err != nil {
		p.t.Fatalf("%s: %v", js[:min(len(js), 80)], err)
	}
	return v
}

// until waits for a condition, also across the loading of another page.
func (p *phone) until(js string) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		// An error is a page that is going, or not there yet.
		if is, err := chromedp.Run(ctx, chromedp.Evaluate[bool]("Boolean("+js+")")); err == nil && is {
			return
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			p.t.Fatalf("waited for %s; the page shows:\n%s", js, p.text("body"))
		}
	}
}

// text is what a reader sees of an element, "" if there is none.
func (p *phone) text(selector string) string {
	p.t.Helper()
	return eval[string](p, fmt.Sprintf("document.querySelector(%q)?.innerText ?? ''", selector))
}

// seen waits until the visible text of an element holds some words.
func (p *phone) seen(selector, words string) {
	p.t.Helper()
	p.until(fmt.Sprintf("(document.querySelector(%q)?.innerText ?? '').includes(%q)", selector, words))
}

// click waits until a button can be pressed: while an answer to the same action is
// on its way it is there, but disabled, and a click on it would be lost.
func (p *phone) click(selector string) {
	p.t.Helper()
	p.do(chromedp.Click(chromedp.CSS(selector + ":not([disabled])")))
}

// offline takes the network away from this phone, or gives it back: the requests,
// and what the page is told of it.
func (p *phone) offline(off bool) {
	p.t.Helper()
	conditions := []*network.Conditions{}
	if off {
		conditions = append(conditions, &network.Conditions{Offline: true, DownloadThroughput: -1, UploadThroughput: -1})
	}
	_, err := chromedp.Call(p.ctx, network.EmulateNetworkConditionsByRule, network.EmulateNetworkConditionsByRuleParams{MatchedNetworkConditions: conditions})
	if err == nil {
		_, err = chromedp.Call(p.ctx, network.OverrideNetworkState, network.OverrideNetworkStateParams{Offline: off, DownloadThroughput: -1, UploadThroughput: -1})
	}
	if err != nil {
		p.t.Fatal(err)
	}
}

// media sets what the reader prefers, such as a dark page.
func (p *phone) media(features ...*emulation.MediaFeature) {
	p.t.Helper()
	if _, err := chromedp.Call(p.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: features}); err != nil {
		p.t.Fatal(err)
	}
}

// calm fails if the page complained about anything but what is expected.
func (p *phone) calm(expected ...string) {
	p.t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
complaints:
	for _, c := range p.complaints {
		for _, e := range expected {
			if strings.Contains(c, e) {
				continue complaints
			}
		}
		p.t.Errorf("the page complains: %s", c)
	}
	p.complaints = nil
}

// narrow fails if the page scrolls sideways.
func (p *phone) narrow() {
	p.t.Helper()
	if over := eval[int](p, "document.documentElement.scrollWidth - document.documentElement.clientWidth"); over > 0 {
		p.t.Errorf("scrolls sideways by %d px", over)
	}
}

// axe looks for what keeps people out. It comes through the debugging protocol,
// so that the strictest policy lets it run.
func (p *phone) axe() {
	p.t.Helper()
	script, err := os.ReadFile(filepath.FromSlash("../../internal/server/testdata/axe/axe.min.js"))
	if err != nil {
		p.t.Fatal(err)
	}
	if !eval[bool](p, "typeof axe !== 'undefined'") { // it stays until the next page
		eval[int](p, string(script)+";0")
	}
	got := eval[string](p, `axe.run(document, {resultTypes: ['violations'], runOnly: ['wcag2a','wcag2aa','wcag21a','wcag21aa','wcag22aa','best-practice']})
		.then(r => r.violations.map(v => v.id + ' ' + v.impact + ': ' + v.nodes.map(n => n.target.join(' ')).join(', ')).join('\n'))`)
	if got != "" {
		p.t.Error("axe:", got)
	}
}

// shot writes a picture of the page into the folder SHOTS, if that is set.
func (p *phone) shot(name string) {
	p.t.Helper()
	dir := os.Getenv("SHOTS")
	if dir == "" {
		return
	}
	png, err := chromedp.Run(p.ctx, chromedp.FullScreenshot(100))
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, name+".png"), bytes.Clone(png), 0o644)
	}
	if err != nil {
		p.t.Error(err)
	}
}
