package server

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"veridice/internal/needs"
	"veridice/web"
)

// chromium is one browser for all tests of this package: to start one takes longer than
// most tests. The first Do binds its life to its context, so that gets no timeout.
var chromium = sync.OnceValues(func() (context.Context, error) {
	opts := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(chromiumPath), chromedp.DisableGPU,
		chromedp.Flag("disable-component-update", true),
		// A renderer is dear to start: none is started in advance, and one serves all pages of a window.
		chromedp.Flag("disable-features", "Translate,BlinkGenPropertyTrees,SpareRendererForSitePerProcess"),
		chromedp.Flag("disable-site-isolation-trials", true), chromedp.Flag("renderer-process-limit", "1"),
		chromedp.Flag("host-resolver-rules", "MAP dice.test 127.0.0.1"), // a name that is not localhost has no secure context
		chromedp.Flag("force-prefers-reduced-motion", true))             // a click aimed during a smooth scroll misses
	if os.Geteuid() == 0 {
		opts = append(opts, chromedp.NoSandbox) // Chromium refuses its sandbox to root (containers)
	}
	actx, cancel := chromedp.NewExecAllocator(context.Background(), opts...)
	ctx, _ := chromedp.NewContext(actx)
	closeChromium = func() {
		chromedp.Cancel(ctx) // waits for the process; what it says has no reader any more
		cancel()
	}
	return ctx, chromedp.Do(ctx)
})

// Written before chromium starts.
var chromiumPath string
var closeChromium = func() {}
var chromiumOnce sync.Mutex

func TestMain(m *testing.M) {
	code := m.Run()
	closeChromium()
	os.Exit(code)
}

// browser gives a test a window of its own: storage, cache and cookies are those of no
// other test, and it counts as visible. Tests put their timeouts on top.
func browser(t *testing.T) context.Context {
	t.Helper()
	path := needs.Program(t, "chromium")
	chromiumOnce.Lock()
	chromiumPath = path
	shared, err := chromium()
	chromiumOnce.Unlock()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := chromedp.NewContext(shared, chromedp.WithNewBrowserContext())
	t.Cleanup(cancel)
	if err := chromedp.Do(ctx); err != nil {
		t.Fatal(err)
	}
	// One window of several has the focus; each believes that it is the one.
	if _, err := chromedp.Call(ctx, emulation.SetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{Enabled: true}); err != nil {
		t.Fatal(err)
	}
	return ctx
}

// complaints collects what a page complains about: refusals of its policy, errors, and
// exceptions nobody caught.
type complaints struct {
	mu    sync.Mutex
	texts []string
}

func complaining(t *testing.T, ctx context.Context) *complaints {
	t.Helper()
	c := new(complaints)
	err := chromedp.Listen(ctx, func(ev any) {
		c.mu.Lock()
		defer c.mu.Unlock()
		switch e := ev.(type) {
		case *log.EventEntryAdded:
			c.texts = append(c.texts, e.Entry.Text)
		case *runtime.EventConsoleAPICalled:
			c.texts = append(c.texts, fmt.Sprint("console: ", e.Type, e.Args))
		case *runtime.EventExceptionThrown:
			text := e.ExceptionDetails.Text
			if e.ExceptionDetails.Exception != nil {
				text += " " + e.ExceptionDetails.Exception.Description
			}
			c.texts = append(c.texts, "exception: "+text)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func (c *complaints) take() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	texts := c.texts
	c.texts = nil
	return texts
}

// eval runs JavaScript and returns its value; a promise is awaited.
func eval[T any](t *testing.T, ctx context.Context, js string) T {
	t.Helper()
	v, err := chromedp.Run(ctx, chromedp.Evaluate[T](js, chromedp.EvalAwaitPromise))
	if err != nil {
		t.Fatalf("%s: %v", js[:min(len(js), 80)], err)
	}
	return v
}

// until waits for a condition in the page, also across a navigation, which ends the
// script that was polling.
func until(t *testing.T, ctx context.Context, js string) {
	t.Helper()
	waiting, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	for {
		_, err := chromedp.Run(waiting, chromedp.Poll[bool](js))
		if err == nil {
			return
		}
		if waiting.Err() != nil {
			state := eval[string](t, ctx, `document.title + ' / ' + (document.getElementById('engines')?.outerHTML ?? '') + ' / ' + (document.getElementById('verdict')?.dataset.code ?? '')`)
			t.Fatalf("waiting for %s: %v; the page is at %q", js, err, state)
		}
	}
}

// site is the pages behind a server that remembers what it was asked for. It is the
// witness of what leaves a page, since the protocol announces requests that the policy
// then refuses.
type site struct {
	*httptest.Server
	mu    sync.Mutex
	asked []string
}

func (s *site) take() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	asked := s.asked
	s.asked = nil
	return asked
}

// unchangedPages are rendered once: they are read and never changed.
var unchangedPages = sync.OnceValues(func() (*pages, error) {
	files, err := core()
	if err != nil {
		return nil, err
	}
	return newPages(overlay{files, web.Files}, about{})
})

// serve serves the pages, with some of their files replaced.
func serve(t *testing.T, instead fstest.MapFS) *site {
	t.Helper()
	p, err := unchangedPages()
	if instead != nil {
		p, err = newPages(overlay{instead, withCore(t)}, about{})
	}
	if err != nil {
		t.Fatal(err)
	}
	return servePages(t, p)
}

func servePages(t *testing.T, p *pages) *site {
	t.Helper()
	mux := http.NewServeMux()
	p.register(mux)
	s := new(site)
	pages := withHeaders(mux)
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.asked = append(s.asked, r.Method+" "+r.URL.String())
		s.mu.Unlock()
		pages.ServeHTTP(w, r)
	}))
	t.Cleanup(s.Close)
	return s
}

// overlay is a file system with another one in front of it.
type overlay struct {
	front fstest.MapFS
	fs.FS
}

func (o overlay) Open(name string) (fs.File, error) {
	if f, err := o.front.Open(name); err == nil && o.front[name] != nil {
		return f, nil
	}
	return o.FS.Open(name)
}

func (o overlay) ReadFile(name string) ([]byte, error) {
	if f := o.front[name]; f != nil {
		return f.Data, nil
	}
	return fs.ReadFile(o.FS, name)
}

// ReadDir lists the folder of both.
func (o overlay) ReadDir(name string) ([]fs.DirEntry, error) {
	below, err := fs.ReadDir(o.FS, name)
	if err != nil {
		return nil, err
	}
	front, _ := o.front.ReadDir(name)
	seen := map[string]bool{}
	var all []fs.DirEntry
	for _, e := range append(front, below...) {
		if !seen[e.Name()] {
			seen[e.Name()], all = true, append(all, e)
		}
	}
	return all, nil
}

// core is the Go core and its loader. "make test" builds them before the tests; a
// plain "go test" has them built here.
var core = sync.OnceValues(func() (fstest.MapFS, error) {
	_, err := fs.Stat(web.Files, wasmFile(matchCore))
	if _, other := fs.Stat(web.Files, wasmFile(gamesCore)); err == nil && other == nil {
		return nil, nil
	}
	dir, err := os.MkdirTemp("", "veridice-core")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	if out, err := exec.Command("../../.ci/wasm", dir).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%v: %s", err, out)
	}
	files := fstest.MapFS{}
	for _, name := range []string{"veridice.wasm.gz", "outcome.wasm.gz", "wasm_exec.js"} {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			return nil, err
		}
		files["dist/"+name] = &fstest.MapFile{Data: data}
	}
	return files, nil
})

func withCore(t *testing.T) fs.FS {
	t.Helper()
	files, err := core()
	if err != nil {
		t.Fatal(err)
	}
	return overlay{files, web.Files}
}

// A testMatch is a match of tavli/1 made here, with Go's own HMAC and nothing of the
// product: a second opinion on both engines.
type testMatch struct {
	seed, seal, clients string
	rolls               []byte
	games               string
}

func newMatch() testMatch {
	seed := sha256.Sum256([]byte("veridice mock server seed 4"))
	m := testMatch{seed: hex.EncodeToString(seed[:]), games: "38,31,31"}
	sum := sha256.Sum256(seed[:])
	m.seal = hex.EncodeToString(sum[:])
	phones := make([]string, 2)
	for i, name := range []string{"anna", "nikos"} {
		h := sha256.Sum256([]byte(name))
		phones[i] = hex.EncodeToString(h[:16])
	}
	m.clients = strings.Join(phones, ",")
	for n := 1; n <= 100; n++ {
		mac := hmac.New(sha256.New, seed[:])
		fmt.Fprintf(mac, "%s:%d", strings.Join(phones, ":"), n)
		sum := mac.Sum(nil)
		b := sum[bytes.IndexFunc(sum, func(r rune) bool { return r < 252 })]
		for _, x := range sum { // IndexFunc reads runes; bytes are meant
			if x < 252 {
				b = x
				break
			}
		}
		m.rolls = append(m.rolls, '1'+b%36/6, '1'+b%36%6)
	}
	return m
}

func (m testMatch) link() string {
	return fmt.Sprintf("v=1&s=%s&c=%s&p=%s&r=%s&g=%s", m.seed, m.seal, m.clients, m.rolls, m.games)
}

// off is the match with a die of roll 37 changed.
func (m testMatch) off() testMatch {
	m.rolls = bytes.Clone(m.rolls)
	m.rolls[72] = '1' + (m.rolls[72]-'0')%6
	return m
}

// media sets colours, as a reader's system would.
func media(t *testing.T, ctx context.Context, features ...*emulation.MediaFeature) {
	t.Helper()
	if _, err := chromedp.Call(ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: features}); err != nil {
		t.Fatal(err)
	}
}

// look sets the width and the look of the page.
func look(t *testing.T, ctx context.Context, width int64, features ...*emulation.MediaFeature) {
	t.Helper()
	media(t, ctx, features...)
	view := chromedp.EmulateViewport(width, 844, chromedp.EmulateScale(1), chromedp.EmulateMobile)
	switch {
	case width > 600:
		view = chromedp.EmulateViewport(width, 900)
	case os.Getenv("SHOTS") != "":
		view = chromedp.EmulateViewport(width, 844, chromedp.EmulateScale(2), chromedp.EmulateMobile) // to be looked at
	}
	if err := chromedp.Do(ctx, view); err != nil {
		t.Fatal(err)
	}
}

// load opens an address as new. The same address with another fragment would be a
// hashchange and no load, so that one is opened by way of about:blank.
func load(t *testing.T, ctx context.Context, url string) {
	t.Helper()
	page, _, _ := strings.Cut(url, "#")
	if eval[string](t, ctx, "location.href.replace(/#.*/, '')") == page {
		url = "about:blank\n" + url
	}
	for at := range strings.SplitSeq(url, "\n") {
		if err := chromedp.Do(ctx, chromedp.Navigate(at)); err != nil {
			t.Fatal(err)
		}
	}
}

// shot writes a picture into the folder SHOTS, if that is set: all of the page, if whole is.
func shot(t *testing.T, ctx context.Context, name string, whole bool) {
	t.Helper()
	dir := os.Getenv("SHOTS")
	if dir == "" {
		return
	}
	take := chromedp.CaptureScreenshot()
	if whole {
		take = chromedp.FullScreenshot(90)
	}
	png, err := chromedp.Run(ctx, take)
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, name+".png"), png, 0o644)
	}
	if err != nil {
		t.Error(err)
	}
}

const sideways = "document.documentElement.scrollWidth - document.documentElement.clientWidth"

// settled is reached when the second engine has said what it has to say.
const settled = "!['loading', undefined].includes(document.getElementById('engines').dataset.state)"

func sha(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

func unhex(t *testing.T, text string) []byte {
	t.Helper()
	b, err := hex.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	return b
}
