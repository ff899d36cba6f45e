package server

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"

	"veridice/internal/locale"
)

// checkerFiles builds the single-file checkers twice, each time in a folder of its own,
// and gives their bytes by name.
var checkerFiles = sync.OnceValues(func() (map[string][]byte, error) {
	files, err := core()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "veridice-checker")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	program := filepath.Join(dir, "checker")
	if out, err := exec.Command("go", "-C", "../../tools", "build", "-o", program, "./checker").CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%v: %s", err, out)
	}
	from := overlay{files, os.DirFS("../../web")}
	zipped, err := from.ReadFile(wasmFile(matchCore))
	if err != nil {
		return nil, err
	}
	wasm, err := unzip(zipped)
	if err != nil {
		return nil, err
	}
	loader, err := from.ReadFile("dist/wasm_exec.js")
	if err != nil {
		return nil, err
	}
	built := map[string][]byte{}
	for i := range 2 {
		to := filepath.Join(dir, strconv.Itoa(i))
		if err := os.Mkdir(to, 0o700); err != nil {
			return nil, err
		}
		for name, data := range map[string][]byte{"veridice.wasm": wasm, "wasm_exec.js": loader} {
			if err := os.WriteFile(filepath.Join(to, name), data, 0o600); err != nil {
				return nil, err
			}
		}
		run := exec.Command(program, to)
		run.Dir = "../../tools"
		said, err := run.CombinedOutput()
		if err != nil {
			return nil, fmt.Errorf("%v: %s", err, said)
		}
		for _, name := range []string{"veridice-check.html", "veridice-check-full.html"} {
			html, err := os.ReadFile(filepath.Join(to, name))
			if err != nil {
				return nil, err
			}
			if !strings.Contains(string(said), sha(html)+"  "+name+"\n") {
				return nil, fmt.Errorf("the build says %q of %s, whose SHA-256 is %s", said, name, sha(html))
			}
			if built[name] != nil && !bytes.Equal(built[name], html) {
				return nil, fmt.Errorf("two builds of %s differ", name)
			}
			built[name] = html
		}
	}
	return built, nil
})

func checkerFile(t *testing.T, name string) []byte {
	t.Helper()
	files, err := checkerFiles()
	if err != nil {
		t.Fatal(err)
	}
	return files[name]
}

// saved puts a file on the disk and a browser without a network before it.
func saved(t *testing.T, html []byte) (ctx context.Context, url string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "a saved file.html")
	if err := os.WriteFile(file, html, 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(browser(t), 5*time.Minute)
	t.Cleanup(cancel)
	if _, err := chromedp.Call(ctx, network.OverrideNetworkState, network.OverrideNetworkStateParams{Offline: true}); err != nil {
		t.Fatal(err)
	}
	look(t, ctx, 390)
	return ctx, "file://" + strings.ReplaceAll(file, " ", "%20")
}

func languageButton(tag string) string {
	return fmt.Sprintf("document.querySelector('.langs button[lang=%s]').click(), 0", tag)
}

// TestCheckerFile uses the saved file with the network off, in every language.
func TestCheckerFile(t *testing.T) {
	t.Parallel()
	html := checkerFile(t, "veridice-check.html")
	for _, bad := range []string{"http://", "https://", "fetch(", "new Worker", " style=", "eval("} {
		if strings.Contains(strings.ReplaceAll(string(html), "http://www.w3.org/2000/svg", ""), bad) {
			t.Errorf("the file holds %s", bad)
		}
	}
	ctx, url := saved(t, html)
	c := complaining(t, ctx)
	m := newMatch()
	load(t, ctx, url+"#"+m.link())
	until(t, ctx, settled)
	for _, l := range locale.Languages() {
		p := locale.For(l.Tag)
		if l.Tag != "en" {
			eval[int](t, ctx, languageButton(l.Tag))
			until(t, ctx, "document.documentElement.lang === '"+l.Tag+"' && "+settled)
		}
		if got := eval[string](t, ctx, "document.querySelector('.langs [aria-current]').getAttribute('aria-label')"); got != p.Text("ui.language.short")+", "+l.Name {
			t.Errorf("%s: the language shown is %q", l.Tag, got)
		}
		for _, want := range []struct{ fragment, code, sign string }{
			{m.off().link(), "wrong-dice", "✕ "}, {m.link()[:100], "missing-part", "? "}, {m.link(), "proven", "✓ "},
		} {
			eval[int](t, ctx, fmt.Sprintf("new Promise((done) => { if (location.hash === %[1]q) return done(0); addEventListener('hashchange', () => done(0), {once: true}); location.hash = %[1]q })", "#"+want.fragment))
			until(t, ctx, code+" === "+strconv.Quote(want.code)+" && "+settled)
			if got := eval[string](t, ctx, "document.title"); !strings.HasPrefix(got, want.sign) {
				t.Errorf("%s: title %q, want %q", l.Tag, got, want.sign)
			}
			if over := eval[int](t, ctx, sideways); over != 0 {
				t.Errorf("%s, %s: scrolls sideways by %d px", l.Tag, want.code, over)
			}
		}
		text := eval[string](t, ctx, "document.body.innerText")
		for _, key := range []string{"check.engines.alone", "checker.about", "check.keep.copy"} {
			if !strings.Contains(text, p.Text(key)) {
				t.Errorf("%s: the page does not say %s", l.Tag, key)
			}
		}
		if key := regexp.MustCompile(`\b(check|checker|ui|verify)\.[a-z]+[.a-z-]*|\{[a-z]+\}`).FindString(text); key != "" {
			t.Errorf("%s: a key or placeholder is shown as text: %s", l.Tag, key)
		}
		shot(t, ctx, "file_"+l.Tag, true)
	}
	axe(t, ctx)
	eval[int](t, ctx, languageButton("en"))
	until(t, ctx, "document.documentElement.lang === 'en' && "+settled)

	// A record that was chosen, and one that was dropped.
	record := filepath.Join(t.TempDir(), "record.txt")
	texts := chainTexts(t)
	if err := os.WriteFile(record, []byte(texts["record-signed-by-all"]), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := chromedp.Do(ctx, chromedp.SetUploadFiles(chromedp.CSS("#file"), []string{record})); err != nil {
		t.Fatal(err)
	}
	until(t, ctx, code+" === 'proven' && document.getElementById('verdict').innerText.includes('Signed by')")
	// It goes along to another language, though no address holds it.
	eval[int](t, ctx, languageButton("de"))
	until(t, ctx, "document.documentElement.lang === 'de' && "+code+" === 'proven'")
	eval[int](t, ctx, fmt.Sprintf("{const d = new DataTransfer(); d.items.add(new File([%q], 'r.txt')); document.body.dispatchEvent(new DragEvent('drop', {bubbles: true, cancelable: true, dataTransfer: d}))}; 0", texts["record-die-changed"]))
	until(t, ctx, code+" === 'wrong-dice'")

	// Rolls that were typed or pasted into the form.
	load(t, ctx, url)
	for field, text := range map[string]string{"server": m.seed, "seal": m.seal, "clients": strings.ReplaceAll(m.clients, ",", "\n"), "recorded": "2-1\n1-6\n5-6"} {
		typeInto(t, ctx, "f-"+field, text)
	}
	until(t, ctx, code+" === 'proven' && "+settled)
	// What it keeps is of use elsewhere: no path of this machine.
	if got := eval[string](t, ctx, "document.getElementById('link').textContent"); !strings.HasPrefix(got, "#v=1&") {
		t.Errorf("the link is %.40s", got)
	}
	click(t, ctx, "example")
	until(t, ctx, "document.title.includes('25') && "+code+" === 'proven'")
	if got := c.take(); len(got) > 0 {
		t.Errorf("complaints: %q", got)
	}
}

// TestFullCheckerFile has the Go core in the file, also where a byte of it is another one.
func TestFullCheckerFile(t *testing.T) {
	t.Parallel()
	html := checkerFile(t, "veridice-check-full.html")
	m := newMatch()
	ctx, url := saved(t, html)
	c := complaining(t, ctx)
	for _, want := range []struct{ fragment, code string }{{m.link(), "proven agrees"}, {m.off().link(), "wrong-dice agrees"}} {
		load(t, ctx, url+"#"+want.fragment)
		until(t, ctx, settled)
		if got := eval[string](t, ctx, code+" + ' ' + document.getElementById('engines').dataset.state"); got != want.code {
			t.Errorf("got %q, want %q", got, want.code)
		}
	}
	if got := c.take(); len(got) > 0 {
		t.Errorf("complaints: %q", got)
	}
	at := bytes.Index(html, []byte(`id="core">`)) + 5000
	ctx, url = saved(t, flipped(html, at))
	load(t, ctx, url+"#"+m.link())
	until(t, ctx, settled)
	if got := eval[string](t, ctx, code+" + ' ' + document.getElementById('engines').dataset.state"); got != "proven missing" {
		t.Errorf("with another byte in the core: %q", got)
	}
}

// flipped is a file with a letter or digit at or after a place replaced by its neighbour.
func flipped(html []byte, at int) []byte {
	html = bytes.Clone(html)
	for !('a' <= html[at] && html[at] < 'z' || '0' <= html[at] && html[at] < '9') {
		at++
	}
	html[at]++
	return html
}

// TestChangedCheckerFile changes one byte of the script, or the style: the file must not
// run, or not look like itself, and say so.
func TestChangedCheckerFile(t *testing.T) {
	t.Parallel()
	html := checkerFile(t, "veridice-check.html")
	link := newMatch().link()
	begin, end := bytes.Index(html, []byte("<script>")), bytes.Index(html, []byte("</script>"))
	ctx, url := saved(t, html)
	file := strings.ReplaceAll(strings.TrimPrefix(url, "file://"), "%20", " ")
	for _, at := range []int{begin + 10, begin + (end-begin)/2, end - 40} {
		if err := os.WriteFile(file, flipped(html, at), 0o600); err != nil {
			t.Fatal(err)
		}
		load(t, ctx, url+"#"+link)
		if got := eval[string](t, ctx, "document.title + (document.getElementById('verdict') ? ' has run' : '')"); got != "Veridice" {
			t.Errorf("byte %d: %q", at, got)
		}
		for _, l := range locale.Languages() {
			if want := locale.For(l.Tag).Text("checker.fallback"); !strings.Contains(eval[string](t, ctx, "document.body.innerText"), want) {
				t.Errorf("byte %d: the page does not say in %s that it was changed", at, l.Tag)
			}
		}
	}
	shot(t, ctx, "file_changed", true)
}
