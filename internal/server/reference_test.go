package server

import (
	"encoding/json"
	"fmt"
	"html"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"veridice/internal/apikey"
)

// The page has every address and every schema, loads nothing from elsewhere, and all its
// links lead somewhere.
func TestReference(t *testing.T) {
	s := startNew(t, nil)
	status, h, page := do(t, "GET", s.http.URL+"/v1/reference", "", nil)
	if status != 200 || !strings.HasPrefix(h.Get("Content-Type"), "text/html") || !strings.Contains(h.Get("Content-Security-Policy"), "default-src 'none'") {
		t.Fatalf("got %d, %v", status, h)
	}
	d, err := described()
	if err != nil {
		t.Fatal(err)
	}
	for path, methods := range d.Paths {
		for method := range methods {
			if want := fmt.Sprintf("<code>%s %s</code></h2>", strings.ToUpper(method), path); !strings.Contains(page, want) {
				t.Errorf("the page lacks %s", want)
			}
		}
	}
	ids := map[string]bool{}
	for _, m := range regexp.MustCompile(` id="([^"]*)"`).FindAllStringSubmatch(page, -1) {
		if ids[m[1]] {
			t.Errorf("the id %s is there twice", m[1])
		}
		ids[m[1]] = true
	}
	for code, title := range d.Codes {
		if want := fmt.Sprintf("<dt><code>%s</code></dt><dd>%s</dd>", code, html.EscapeString(title)); !strings.Contains(page, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
	for name := range d.Components.Schemas {
		if !ids["schema-"+name] {
			t.Errorf("the page lacks %s", name)
		}
	}
	links := regexp.MustCompile(`(?:href|src)="([^"]*)"`).FindAllStringSubmatch(page, -1)
	var outside []string
	for _, m := range links {
		if id, inside := strings.CutPrefix(m[1], "#"); !inside {
			outside = append(outside, m[1])
		} else if !ids[id] {
			t.Errorf("#%s leads nowhere", id)
		}
	}
	if !slices.Equal(outside, []string{"/v1/reference.css", "/v1/openapi.json"}) || len(links) < 50 {
		t.Errorf("the page leads to %v", outside)
	}
	if _, _, css := do(t, "GET", s.http.URL+"/v1/reference.css", "", nil); strings.Contains(css, "url(") || strings.Contains(css, "@import") || css == "" {
		t.Error("the style loads something")
	}
	text, err := os.ReadFile("../../docs/openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	if _, h, served := do(t, "GET", s.http.URL+"/v1/openapi.json", "", nil); served != string(text) || h.Get("Content-Type") != "application/json" || !json.Valid([]byte(served)) {
		t.Error("the description that is served is another")
	}
}

// What is measured has the routes by their patterns and nothing of the requests.
func TestMetrics(t *testing.T) {
	s := startNew(t, nil)
	m := httptest.NewServer(s.Metrics())
	t.Cleanup(m.Close)
	text, _ := operatorKey(t, s, apikey.Pairs)
	id, phones := sit(t, s.http.URL, 1, nil)
	phones[0].post("/v1/matches/"+id+"/roll", `{"after":0}`)
	phones[0].send("POST", "/v1/matches/"+id+"/roll", "seat1-3", `{"after":0}`) // the same one again
	other := &phone{t: t, base: s.http.URL, name: "other"}
	for range 2 {
		other.post("/v1/matches", `{"scheme":"tavli/1","seats":2}`)
	}
	h := map[string]string{"Authorization": "Bearer " + text, "Content-Type": "application/json", "Idempotency-Key": "a"}
	do(t, "POST", s.http.URL+"/v1/pairs", `{"user":"secretname"}`, h)
	do(t, "POST", s.http.URL+"/v1/pairs/secretname/client", `{"pair":1,"client":"c"}`, map[string]string{"Authorization": "Bearer " + text, "Content-Type": "application/json", "Idempotency-Key": "b"})
	do(t, "POST", s.http.URL+"/v1/pairs/secretname/draws", `{"game":"dice"}`, map[string]string{"Authorization": "Bearer " + text, "Content-Type": "application/json", "Idempotency-Key": "c"})
	do(t, "GET", s.http.URL+"/v1/pairs", "", nil)
	do(t, "GET", s.http.URL+"/nowhere/secretname", "", nil)
	status, header, got := do(t, "GET", m.URL+"/metrics", "", nil)
	if status != 200 || !strings.HasPrefix(header.Get("Content-Type"), "text/plain") {
		t.Fatalf("got %d %v", status, header)
	}
	for _, want := range []string{
		`veridice_requests_total{route="POST /v1/matches/{match}/roll",status="200"} 2`,
		`veridice_requests_total{route="GET /v1/pairs",status="401"} 1`,
		`veridice_request_seconds_count{route="POST /v1/pairs/{user}/draws"} 1`,
		"veridice_draws_total 1\n", "veridice_rolls_total 1\n", "veridice_streams 0\n", "process_resident_memory_bytes ",
		`veridice_unrevealed_seals{of="pairs"} 2`, `veridice_oldest_unrevealed_seal_seconds{of="pairs"} `,
		`veridice_unrevealed_seals{of="matches"} 3`, `veridice_oldest_unrevealed_seal_seconds{of="matches"} `,
		`veridice_open_matches{scheme="tavli/1",state="running"} 1`, `veridice_open_matches{scheme="tavli/1",state="open"} 2`,
		`veridice_oldest_open_match_seconds{scheme="tavli/1",state="running"} `, `veridice_commit_seconds_bucket{le="10"} `,
		`veridice_commit_changes_bucket{le="1"} `, "veridice_commit_changes_sum ",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("there is no %s", want)
		}
	}
	// docs/operator.md, "What to watch", has each of them and no other.
	page, err := os.ReadFile("../../docs/operator.md")
	if err != nil {
		t.Fatal(err)
	}
	names := func(in string) []string {
		found := regexp.MustCompile(`\bveridice_[a-z_]+`).FindAllString(in, -1)
		for i, name := range found {
			found[i] = regexp.MustCompile(`_(bucket|sum|count)$`).ReplaceAllString(name, "")
		}
		slices.Sort(found)
		return slices.Compact(found)
	}
	if served, written := names(got), names(string(page)); !slices.Equal(served, written) {
		t.Errorf("served are\n%v, written\n%v", served, written)
	}
	for _, secret := range []string{id, text, phones[0].token, "secretname"} {
		if strings.Contains(got, secret) {
			t.Errorf("%s is in the metrics", secret)
		}
	}
	if status, _, _ := do(t, "GET", m.URL+"/", "", nil); status != 404 {
		t.Errorf("got %d", status)
	}
	if status, _, _ := do(t, "GET", s.http.URL+"/metrics", "", nil); status != 404 {
		t.Errorf("the public gets %d", status)
	}
}

func TestReady(t *testing.T) {
	s := startNew(t, nil)
	if status, _, body := do(t, "GET", s.http.URL+"/readyz", "", nil); status != 200 || body != "{\"status\":\"ok\"}\n" {
		t.Errorf("got %d %s", status, body)
	}
	s.Close() // it is about to end, and answers others still
	if status, h, _ := do(t, "GET", s.http.URL+"/readyz", "", nil); status != 503 || h.Get("Retry-After") == "" {
		t.Errorf("got %d", status)
	}
	if status, _, _ := do(t, "GET", s.http.URL+"/healthz", "", nil); status != 200 {
		t.Errorf("got %d", status)
	}
	broken := startNew(t, nil)
	broken.store.Close()
	if status, _, body := do(t, "GET", broken.http.URL+"/readyz", "", nil); status != 503 {
		t.Errorf("got %d %s", status, body)
	}
}
