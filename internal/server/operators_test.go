package server

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"veridice/internal/apikey"
)

// do sends a request and gives status, header and body.
func do(t testing.TB, method, url, body string, header map[string]string) (int, http.Header, string) {
	t.Helper()
	r, err := http.NewRequest(method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range header {
		r.Header.Set(name, value)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, answer.Header, string(text)
}

func operatorKey(t testing.TB, s *testServer, scopes ...apikey.Scope) (string, apikey.Key) {
	t.Helper()
	text, k, err := s.keys.Create(t.Context(), "op", "", scopes)
	if err != nil {
		t.Fatal(err)
	}
	return text, k
}

// The matches of an operator in pages, and those that were sealed and are not over.
func TestOwnMatches(t *testing.T) {
	s := startNew(t, nil)
	text, _ := operatorKey(t, s, apikey.Matches)
	bearer := map[string]string{"Authorization": "Bearer " + text, "Content-Type": "application/json"}
	var ids []string
	for i := range 5 {
		bearer["Idempotency-Key"] = fmt.Sprint("k", i)
		status, _, body := do(t, "POST", s.http.URL+"/v1/matches", fmt.Sprintf(`{"scheme":"tavli/1","seats":1,"metadata":"game %d"}`, i), bearer)
		var made struct {
			Match, Seal string
			Seats       []struct{ Token string }
		}
		if json.Unmarshal([]byte(body), &made); status != 201 {
			t.Fatalf("got %d %s", status, body)
		}
		ids = append(ids, made.Match)
		if i == 1 || i == 3 {
			p := &phone{t: t, base: s.http.URL, token: made.Seats[0].Token, name: fmt.Sprint("p", i)}
			p.post("/v1/matches/"+made.Match+"/acknowledge", fmt.Sprintf(`{"seal":%q}`, made.Seal))
			p.post("/v1/matches/"+made.Match+"/seed", `{"client":"c"}`)
			p.post("/v1/matches/"+made.Match+"/end", `{"after":0}`)
			p.post("/v1/matches/"+made.Match+"/end", `{"after":0}`)
		}
	}
	sit(t, s.http.URL, 1, nil) // nobody's
	for query, want := range map[string][]int{"": {0, 1, 2, 3, 4}, "&state=unfinished": {0, 2, 4}} {
		for limit := 1; limit <= 6; limit++ {
			var got []string
			for cursor, pages := "", 0; pages < 20; pages++ {
				status, h, body := do(t, "GET", fmt.Sprintf("%s/v1/matches?limit=%d&cursor=%s%s", s.http.URL, limit, cursor, query), "", bearer)
				var page struct {
					Matches []struct {
						Match, Metadata, State, Created string
						Age                             int64
					}
					Next string
				}
				r, _ := http.NewRequest("GET", s.http.URL+"/v1/matches", nil)
				if err := conforms(r, status, h, []byte(body)); err != nil || status != 200 {
					t.Fatalf("%d %s %v", status, body, err)
				}
				json.Unmarshal([]byte(body), &page)
				for _, m := range page.Matches {
					if m.Age <= 0 || m.Metadata != fmt.Sprint("game ", slices.Index(ids, m.Match)) {
						t.Errorf("got %+v", m)
					}
					got = append(got, m.Match)
				}
				if cursor = page.Next; cursor == "" {
					break
				}
			}
			var wanted []string
			for _, i := range want {
				wanted = append(wanted, ids[i])
			}
			if fmt.Sprint(got) != fmt.Sprint(wanted) {
				t.Errorf("%q, limit %d: got %v, want %v", query, limit, got, wanted)
			}
		}
	}
}

// A limit is of each key and each address; whoever waits as long as it says gets in.
func TestRates(t *testing.T) {
	s := startNew(t, nil)
	s.proxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
	s.rates = rates{key: rate{1, 3}, address: rate{1, 1000}, wrong: rate{0.5, 2}, tables: rate{0.1, 2}}
	now := time.Unix(1e9, 0)
	for _, b := range []*buckets{&s.callers, &s.addresses, &s.wrongKeys, &s.tables} {
		b.now = func() time.Time { return now }
	}
	text, _ := operatorKey(t, s, apikey.PairsRead)
	other, _ := operatorKey(t, s, apikey.PairsRead)
	get := func(key, from string, want int, retry string) {
		t.Helper()
		status, h, body := do(t, "GET", s.http.URL+"/v1/pairs", "", map[string]string{"Authorization": "Bearer " + key, "X-Forwarded-For": from})
		if status != want || h.Get("Retry-After") != retry || want == 429 && !strings.Contains(body, `"code":"too-many-requests"`) {
			t.Errorf("got %d, Retry-After %q, %s; want %d, %q", status, h.Get("Retry-After"), body, want, retry)
		}
	}
	for range 3 {
		get(text, "192.0.2.1", 200, "")
	}
	get(text, "192.0.2.1", 429, "1")
	get(text, "192.0.2.2", 429, "1") // the key's, from anywhere
	get(other, "192.0.2.1", 200, "") // another key is not in the way
	now = now.Add(time.Second)
	get(text, "192.0.2.1", 200, "")
	get(text, "192.0.2.1", 429, "1")

	// Wrong keys: the address waits, also with a right one; others do not.
	get("vk_x", "192.0.2.3", 401, "")
	get("vk_x", "192.0.2.3", 401, "")
	get("vk_x", "192.0.2.3", 429, "2")
	get(other, "192.0.2.3", 429, "2")
	get(other, "192.0.2.4", 200, "")

	open := func(from, key string, want int, retry string) {
		t.Helper()
		h := map[string]string{"X-Forwarded-For": from, "Content-Type": "application/json", "Idempotency-Key": fmt.Sprint("t", now.UnixNano())}
		now = now.Add(1)
		if key != "" {
			h["Authorization"] = "Bearer " + key
		}
		status, header, body := do(t, "POST", s.http.URL+"/v1/matches", `{"scheme":"tavli/1","seats":1}`, h)
		if status != want || header.Get("Retry-After") != retry {
			t.Errorf("got %d, Retry-After %q, %s; want %d, %q", status, header.Get("Retry-After"), body, want, retry)
		}
	}
	open("192.0.2.5", "", 201, "")
	open("192.0.2.5", "", 201, "")
	open("192.0.2.5", "", 429, "10")
	open("192.0.2.6", "", 201, "")
	opener, _ := operatorKey(t, s, apikey.Matches)
	open("192.0.2.5", opener, 201, "") // an operator has its own limit
	now = now.Add(10 * time.Second)
	open("192.0.2.5", "", 201, "")

	// Whoever goes on from one match to the next opens tables, too; to go where another seat went opens none.
	opened := struct {
		Match string
		Seats []struct{ Token string }
	}{}
	call := func(path, body, token string) (int, string) {
		t.Helper()
		now = now.Add(1)
		h := map[string]string{"X-Forwarded-For": "192.0.2.7", "Content-Type": "application/json", "Idempotency-Key": fmt.Sprint("n", now.UnixNano())}
		if token != "" {
			h["Authorization"] = "Bearer " + token
		}
		status, _, answer := do(t, "POST", s.http.URL+"/v1/matches"+path, body, h)
		return status, answer
	}
	status, body := call("", `{"scheme":"veridice/1","seats":1}`, "")
	if err := json.Unmarshal([]byte(body), &opened); status != 201 || err != nil {
		t.Fatal(status, err)
	}
	id, token := opened.Match, opened.Seats[0].Token
	next := struct{ Match string }{}
	for n, want := range []int{200, 429} {
		if status, body := call("/"+id+"/abort", `{"after":0}`, token); status != 200 {
			t.Fatal(status, body)
		}
		status, body := call("/"+id+"/next", "", token)
		if status != want {
			t.Errorf("going on for the %d. time: %d %s, want %d", n+1, status, body, want)
		}
		if status == 200 {
			if again, _ := call("/"+id+"/next", "", token); again != 200 {
				t.Errorf("to where the match went: %d", again)
			}
			if err := json.Unmarshal([]byte(body), &next); err != nil {
				t.Fatal(err)
			}
			id = next.Match
		}
	}
}

func TestBucketsForget(t *testing.T) {
	now := time.Unix(1e9, 0)
	b := buckets{now: func() time.Time { return now }}
	for i := range maxBuckets {
		b.take(fmt.Sprint(i), rate{1, 1})
	}
	now = now.Add(time.Second)
	b.take("one more", rate{1, 1})
	if n := len(b.by); n != 1 {
		t.Errorf("%d callers are remembered", n)
	}
}

// Pages of other sites are let in if they are named, and get nothing else.
func TestCORS(t *testing.T) {
	s := startNew(t, nil)
	preflight := map[string]string{"Origin": "https://game.example", "Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "authorization"}
	if status, h, _ := do(t, "OPTIONS", s.http.URL+"/v1/pairs", "", preflight); status != 405 || h.Get("Access-Control-Allow-Origin") != "" {
		t.Errorf("without CORS: got %d, %v", status, h)
	}
	s.cors = []string{"https://game.example"}
	if err := s.cross.AddTrustedOrigin("https://game.example"); err != nil {
		t.Fatal(err)
	}
	h := httptest.NewServer(s.Handler())
	t.Cleanup(h.Close)
	server := h.URL
	for origin, want := range map[string]string{"https://game.example": "https://game.example", "https://evil.example": "", "null": ""} {
		preflight["Origin"] = origin
		status, h, _ := do(t, "OPTIONS", server+"/v1/pairs", "", preflight)
		if got := h.Get("Access-Control-Allow-Origin"); got != want || (status == 204) != (want != "") || h.Get("Access-Control-Allow-Credentials") != "" || h.Get("Vary") != "Origin" {
			t.Errorf("%s: got %d, %v", origin, status, h)
		}
		post := map[string]string{"Origin": origin, "Sec-Fetch-Site": "cross-site", "Content-Type": "application/json", "Idempotency-Key": "k"}
		status, h, body := do(t, "POST", server+"/v1/pairs", `{"user":"u"}`, post)
		if wanted := map[bool]int{true: 401, false: 403}[want != ""]; status != wanted || h.Get("Access-Control-Allow-Origin") != want {
			t.Errorf("%s: got %d %s %v", origin, status, body, h)
		}
		if _, h, _ := do(t, "GET", server+"/healthz", "", map[string]string{"Origin": origin}); h.Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("%s may read what is not the API", origin)
		}
	}
}
