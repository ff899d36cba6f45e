package server

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

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
