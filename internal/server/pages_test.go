package server

import (
	"io/fs"
	"net/http"
	"net/http/httptest"
	"path"
	"strings"
	"testing"
	"testing/fstest"

	"veridice/internal/locale"
	"veridice/web"
)

func testPages(t *testing.T) http.Handler {
	t.Helper()
	p, err := newPages(web.Files, about{})
	if err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	p.register(mux)
	return withHeaders(mux)
}

func get(t *testing.T, h http.Handler, path string, headers ...string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequest("GET", path, nil)
	for i := 0; i < len(headers); i += 2 {
		if headers[i] == "Host" {
			r.Host = headers[i+1]
		}
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

func TestFirstVisitFollowsTheBrowser(t *testing.T) {
	h := testPages(t)
	for _, c := range []struct{ accept, want string }{
		{"el-GR,el;q=0.9,en;q=0.8", "/el/"},
		{"de-AT", "/de/"},
		{"in", "/id/"},
		{"ms", "/id/"},
		{"fr,de;q=0.5", "/de/"},
		{"fr", "/en/"},
		{"", "/en/"},
		{"not a header;;;q=z", "/en/"},
	} {
		w := get(t, h, "/?next=//evil.example", "Accept-Language", c.accept)
		if got := w.Header().Get("Location"); w.Code != http.StatusFound || got != c.want {
			t.Errorf("%q: got %d to %q, want 302 to %q", c.accept, w.Code, got, c.want)
		}
		if got := w.Header().Get("Vary"); got != "Accept-Language" {
			t.Errorf("%q: got Vary %q", c.accept, got)
		}
	}
}

func TestUnknownAddresses(t *testing.T) {
	h := testPages(t)
	for _, c := range []struct{ path, accept, lang string }{
		{"/el/nothing", "de", "el"},
		{"/xx/check/", "de", "de"},
		{"/check/", "", "en"},
		{"/id/check/x", "", "id"},
	} {
		w := get(t, h, c.path, "Accept-Language", c.accept)
		want := `<html lang="` + c.lang + `">`
		if w.Code != http.StatusNotFound || !strings.Contains(body(t, w), want) {
			t.Errorf("%s: got %d, want 404 and %s", c.path, w.Code, want)
		}
		if !strings.Contains(w.Body.String(), locale.For(c.lang).Text("ui.notfound.title")) {
			t.Errorf("%s is not in %s", c.path, c.lang)
		}
	}
	if w := get(t, h, "/assets/../../etc/passwd"); w.Code == http.StatusOK {
		t.Error("a path outside the assets is served")
	}
}

func body(t *testing.T, w *httptest.ResponseRecorder) string {
	t.Helper()
	if w.Header().Get("Content-Encoding") != "gzip" {
		return w.Body.String()
	}
	plain, err := unzip(w.Body.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	return string(plain)
}

func TestCompression(t *testing.T) {
	h := testPages(t)
	plain := get(t, h, "/en/")
	zipped := get(t, h, "/en/", "Accept-Encoding", "br, gzip")
	if got := zipped.Header().Get("Content-Encoding"); got != "gzip" {
		t.Errorf("got encoding %q, want gzip", got)
	}
	if got, want := body(t, zipped), body(t, plain); got != want || want == "" {
		t.Error("compressed and plain page differ")
	}
	for header, want := range map[string]bool{"": false, "gzip": true, "br;q=1.0, gzip;q=0.8, *;q=0.1": true, "gzip;q=0": false, "identity": false, "*": true, "xgzip": false} {
		if got := takesGzip(header); got != want {
			t.Errorf("Accept-Encoding %q: got %v, want %v", header, got, want)
		}
	}
}

// TestPolicies compares the header of each kind of page, character by character,
// with what ui.md says of it.
func TestPolicies(t *testing.T) {
	p, err := newPages(web.Files, about{})
	if err != nil {
		t.Fatal(err)
	}
	p.assets.cores = map[string]coreFile{matchCore: {address: "/assets/veridice-0123456789abcdef.wasm"}, gamesCore: {address: "/assets/outcome-fedcba9876543210.wasm"}}
	const all = "default-src 'none'; style-src 'self'; img-src data:; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'; "
	for _, c := range []struct {
		kind       pageKind
		host, want string
	}{
		{textPage, "a.example", "script-src 'self'; form-action 'none'"},
		{checkPage, "a.example:8080", "script-src 'self' 'wasm-unsafe-eval'; connect-src a.example:8080/assets/veridice-0123456789abcdef.wasm; form-action 'none'"},
		{checkPage, "192.168.1.7:8080", "script-src 'self' 'wasm-unsafe-eval'; connect-src 192.168.1.7:8080/assets/veridice-0123456789abcdef.wasm; form-action 'none'"},
		{checkPage, "a.example; script-src *", "script-src 'self' 'wasm-unsafe-eval'; connect-src 'none'; form-action 'none'"},
		{checkPage, "a.example,b", "script-src 'self' 'wasm-unsafe-eval'; connect-src 'none'; form-action 'none'"},
		{checkPage, "*", "script-src 'self' 'wasm-unsafe-eval'; connect-src 'none'; form-action 'none'"},
		{tablePage, "a.example", "script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'; form-action 'self'"},
	} {
		r := httptest.NewRequest("GET", "/", nil)
		r.Host = c.host
		if got := p.policy(page{kind: c.kind, core: matchCore}, r); got != all+c.want {
			t.Errorf("%s at %q:\ngot  %s\nwant %s", c.kind, c.host, got, all+c.want)
		}
	}
	// Each page may fetch its own program and no other.
	for _, pg := range sitemap {
		want := map[string]string{"check": "connect-src example.com/assets/veridice-0123456789abcdef.wasm;", "outcomes": "connect-src example.com/assets/outcome-fedcba9876543210.wasm;"}[pg.name]
		if got := p.policy(pg, httptest.NewRequest("GET", "/", nil)); want != "" && !strings.Contains(got, want) {
			t.Errorf("%s: got %s, want %s", pg.name, got, want)
		}
	}
	p.origin = "https://dice.example"
	if got := p.policy(page{kind: checkPage, core: matchCore}, httptest.NewRequest("GET", "/", nil)); !strings.Contains(got, "connect-src https://dice.example/assets/veridice-") {
		t.Errorf("the configured origin is not used: %s", got)
	}
}

func TestHeaders(t *testing.T) {
	h := testPages(t)
	for _, path := range []string{"/", "/en/", "/el/nothing", "/assets/nothing"} {
		w := get(t, h, path)
		for name, want := range map[string]string{"Referrer-Policy": "no-referrer", "X-Content-Type-Options": "nosniff", "Cross-Origin-Opener-Policy": "same-origin"} {
			if got := w.Header().Get(name); got != want {
				t.Errorf("%s: %s is %q, want %q", path, name, got, want)
			}
		}
		if policy := w.Header().Get("Content-Security-Policy"); !strings.HasPrefix(policy, "default-src 'none'; ") {
			t.Errorf("%s: policy %q", path, policy)
		}
	}
	page := get(t, h, "/en/")
	if got := page.Header().Get("Cache-Control"); got != "no-cache" {
		t.Errorf("a page has Cache-Control %q", got)
	}
	_, rest, found := strings.Cut(page.Body.String(), `<link rel="stylesheet" href="`)
	style, _, _ := strings.Cut(rest, `"`)
	if !found {
		t.Fatal("the page has no style")
	}
	css := get(t, h, style)
	if got := css.Header().Get("Cache-Control"); css.Code != 200 || !strings.Contains(got, "immutable") {
		t.Errorf("%s: got %d, Cache-Control %q", style, css.Code, got)
	}
}

// TestPagesAreClean reads every page in every language for what the policy and the
// fragment forbid, and for keys without a message.
func TestPagesAreClean(t *testing.T) {
	p, err := newPages(web.Files, about{})
	if err != nil {
		t.Fatal(err)
	}
	for name, a := range p.rendered {
		html := string(a.plain)
		visible, _, _ := strings.Cut(html, `<script type="application/json"`)
		for _, bad := range []string{`<a href="#`, ` style="`, ` onclick=`, `javascript:`, `<script>`, `>home.`, `>check.`, `>outcomes.`, `>how.`, `>ui.`, `>table.`, `http://`, `https://`} {
			if strings.Contains(strings.ReplaceAll(visible, "xmlns='http://www.w3.org/2000/svg'", ""), bad) {
				t.Errorf("%s holds %s", name, bad)
			}
		}
	}
	if len(p.rendered) != len(locale.Languages())*(len(sitemap)+1) {
		t.Errorf("%d pages were read", len(p.rendered))
	}
}

// TestBudget adds up what the check page needs before its verdict, as it is sent. Rolls,
// recipes, codes to scan and the Go core come after it.
func TestBudget(t *testing.T) {
	const most = 100_000
	p, err := newPages(web.Files, about{contact: "somebody@dice.example"})
	if err != nil {
		t.Fatal(err)
	}
	modules, err := p.assets.modules("app/check.mjs")
	if err != nil {
		t.Fatal(err)
	}
	files := len(p.assets.files[p.assets.address("css/veridice.css")].zipped)
	for _, address := range modules {
		files += len(p.assets.files[address].zipped)
	}
	for _, l := range locale.Languages() {
		sum := files + len(p.rendered[l.Tag+"/check"].zipped)
		t.Logf("%s: %d bytes in %d files", l.Tag, sum, len(modules)+2)
		if sum > most || sum < most/4 {
			t.Errorf("%s: the check page needs %d bytes before its verdict, want at most %d", l.Tag, sum, most)
		}
	}
}

// TestDownloads wants the single files to be kept and not shown, with the sums that the
// check page names; a server without them does not speak of them.
func TestDownloads(t *testing.T) {
	const name = "veridice-check-full.html"
	html := []byte("<!doctype html><title>not the true one</title>")
	with, err := newPages(overlay{fstest.MapFS{"dist/" + name: {Data: html}}, withoutCheckers{web.Files}}, about{})
	if err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	with.register(mux)
	h := withHeaders(mux)
	w := get(t, h, "/"+name)
	if got := w.Header().Get("Content-Disposition"); w.Code != http.StatusOK || got != `attachment; filename="`+name+`"` || w.Body.String() != string(html) {
		t.Errorf("got %d, %q: %s", w.Code, got, w.Body)
	}
	if got := w.Header().Get("Content-Security-Policy"); got != nothing {
		t.Errorf("policy %q", got)
	}
	page := get(t, h, "/de/check/").Body.String()
	for _, want := range []string{`href="/` + name + `" download`, sha(html), "0 KB"} {
		if !strings.Contains(page, want) {
			t.Errorf("the check page does not hold %s", want)
		}
	}
	without, err := newPages(withoutCheckers{web.Files}, about{})
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(without.rendered["en/check"].plain), "veridice-check") {
		t.Error("the page of a server without the files speaks of them")
	}
}

// withoutCheckers is a server that was built without the single files.
type withoutCheckers struct{ fs.FS }

func (w withoutCheckers) Open(name string) (fs.File, error) {
	if path.Base(name) != "check.html" && strings.HasPrefix(path.Base(name), "veridice-check") {
		return nil, fs.ErrNotExist
	}
	return w.FS.Open(name)
}

// TestVerifierForOthers wants the engine under its version and without, so that another
// site can import it.
func TestVerifierForOthers(t *testing.T) {
	h := testPages(t)
	source, err := fs.ReadFile(web.Files, "verifier/veridice.mjs")
	if err != nil {
		t.Fatal(err)
	}
	version := string(verifierVersion.FindSubmatch(source)[1])
	for _, at := range []string{"/verifier/veridice.mjs", "/verifier/" + version + "/veridice.mjs"} {
		w := get(t, h, at)
		if w.Code != http.StatusOK || w.Body.String() != string(source) {
			t.Errorf("%s: got %d", at, w.Code)
		}
		for name, want := range map[string]string{"Content-Type": "text/javascript; charset=utf-8", "Access-Control-Allow-Origin": "*", "Cache-Control": "no-cache", "Cross-Origin-Resource-Policy": "cross-origin"} {
			if got := w.Header().Get(name); got != want {
				t.Errorf("%s: %s is %q, want %q", at, name, got, want)
			}
		}
		if again := get(t, h, at, "If-None-Match", w.Header().Get("ETag")); again.Code != http.StatusNotModified || again.Body.Len() > 0 {
			t.Errorf("%s, asked for again: %d", at, again.Code)
		}
		// Every module that it imports is there too.
		for _, m := range imported.FindAllSubmatch(source, -1) {
			if w := get(t, h, path.Join(path.Dir(at), string(m[1]))); w.Code != http.StatusOK {
				t.Errorf("%s beside %s: got %d", m[1], at, w.Code)
			}
		}
	}
	if w := get(t, h, "/verifier/veridice.d.mts"); w.Code != http.StatusOK || w.Header().Get("Content-Type") != "text/plain; charset=utf-8" {
		t.Errorf("the types: got %d %s", w.Code, w.Header().Get("Content-Type"))
	}
	for _, at := range []string{"/verifier/9.9.9/veridice.mjs", "/verifier/", "/verifier/../app/check.mjs", "/verifier/check.mjs"} {
		if w := get(t, h, at); w.Code == http.StatusOK {
			t.Errorf("%s is served", at)
		}
	}
}

func TestContacts(t *testing.T) {
	for text, want := range map[string]bool{
		"dice@example.org": true, "a.b+dice@mail.example.org": true, "https://dice.example/contact": true, "http://localhost:8080": true,
		"": false, "javascript:alert(1)": false, "dice@example": false, "mailto:dice@example.org": false, "https://dice.example/?q=1": false,
		"https://user@dice.example": false, "dice@example.org?cc=x@y.example": false, "dice@example.org\n": false, "//dice.example": false,
	} {
		if got := ValidContact(text); got != want {
			t.Errorf("%q: got %v, want %v", text, got, want)
		}
	}
}

// TestStyles wants every brace of a style to have its other: one too many takes along the
// first rule of what is put behind it in the single file.
func TestStyles(t *testing.T) {
	names, err := fs.Glob(web.Files, "css/*.css")
	if err != nil || len(names) == 0 {
		t.Fatalf("%d styles, %v", len(names), err)
	}
	for _, name := range names {
		text, err := fs.ReadFile(web.Files, name)
		if err != nil {
			t.Fatal(err)
		}
		depth := 0
		for i, line := range strings.Split(string(text), "\n") {
			for _, c := range line {
				switch c {
				case '{':
					depth++
				case '}':
					depth--
				}
			}
			if depth < 0 {
				t.Fatalf("%s:%d: a brace closes nothing", name, i+1)
			}
		}
		if depth != 0 {
			t.Errorf("%s: %d braces are open at its end", name, depth)
		}
	}
}
