package server

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// TestVerifierExample opens the page of docs/verifier.md on a site of its own, which has the
// engine from a server of Veridice.
func TestVerifierExample(t *testing.T) {
	t.Parallel()
	html, err := os.ReadFile("../../docs/verifier-example.html")
	if err != nil {
		t.Fatal(err)
	}
	ours := serve(t, nil)
	const from = "'./verifier/veridice.mjs'"
	if !strings.Contains(string(html), from) {
		t.Fatalf("the example does not import from %s", from)
	}
	theirs := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/" {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Write([]byte(strings.Replace(string(html), from, strconv.Quote(ours.URL+"/verifier/veridice.mjs"), 1)))
	}))
	t.Cleanup(theirs.Close)
	ctx, cancel := context.WithTimeout(browser(t), 5*time.Minute)
	defer cancel()
	m := newMatch()
	load(t, ctx, theirs.URL+"/#"+m.link())
	said := func(want string) {
		t.Helper()
		until(t, ctx, "document.getElementById('said').textContent === "+strconv.Quote(want))
	}
	said("All 100 rolls fit.")
	check := func(text string) {
		t.Helper()
		eval[int](t, ctx, "document.getElementById('text').value = "+strconv.Quote(text)+", 0")
		if err := chromedp.Do(ctx, chromedp.Click(chromedp.CSS("#check"))); err != nil {
			t.Fatal(err)
		}
	}
	check(m.off().link())
	said("This does not fit: wrong-dice, roll 37.")
	check(m.link()[:100])
	said("This cannot be checked: missing-part.")
	check(chainTexts(t)["record-signed-by-all"])
	said("All " + regexp.MustCompile(`(?m)^rolls (\d+)$`).FindStringSubmatch(chainTexts(t)["record-signed-by-all"])[1] + " rolls fit.")
}
