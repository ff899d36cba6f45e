package server

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/ncruces/go-sqlite3"

	"veridice/internal/locale"
	"veridice/internal/match"
	"veridice/internal/needs"
	"veridice/internal/store/memory"
)

// A phone sends requests of one seat.
type phone struct {
	t     testing.TB
	base  string
	token string
	name  string // begins its keys
	keys  int
	heard *needs.Text // everything that was answered, or nil
}

func (p *phone) send(method, path, key, body string) (int, string) {
	p.t.Helper()
	r, err := http.NewRequest(method, p.base+path, strings.NewReader(body))
	if err != nil {
		p.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Idempotency-Key", key)
	r.Header.Set("Authorization", "Bearer "+p.token)
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		p.t.Fatal(err)
	}
	defer answer.Body.Close()
	b, err := io.ReadAll(answer.Body)
	if err != nil {
		p.t.Fatal(err)
	}
	if p.heard != nil {
		answer.Header.Write(p.heard)
		p.heard.Write(b)
	}
	return answer.StatusCode, string(b)
}

// post sends with a new key and must succeed.
func (p *phone) post(path, body string) map[string]any {
	p.t.Helper()
	p.keys++
	status, text := p.send("POST", path, fmt.Sprint(p.name, "-", p.keys), body)
	if status/100 != 2 {
		p.t.Fatalf("POST %s: got %d %s", path, status, text)
	}
	var v map[string]any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		p.t.Fatal(err)
	}
	return v
}

// sit opens a match and fills its seats.
func sit(t testing.TB, base string, seats int, heard *needs.Text) (id string, phones []*phone) {
	t.Helper()
	creator := &phone{t: t, base: base, name: "creator", heard: heard}
	made := creator.post("/v1/matches", fmt.Sprintf(`{"scheme":"tavli/1","seats":%d}`, seats))
	id = made["match"].(string)
	for i, s := range made["seats"].([]any) {
		p := &phone{t: t, base: base, token: s.(map[string]any)["token"].(string), name: fmt.Sprint("seat", i+1), heard: heard}
		p.post("/v1/matches/"+id+"/acknowledge", fmt.Sprintf(`{"seal":"%s","name":"P%d"}`, made["seal"], i+1))
		p.post("/v1/matches/"+id+"/seed", fmt.Sprintf(`{"client":"client-%d"}`, i+1))
		phones = append(phones, p)
	}
	return id, phones
}

func startNew(t testing.TB, change func(*limits)) *testServer {
	t.Helper()
	return start(t, filepath.Join(t.TempDir(), "veridice.db"), &counter{name: t.Name()}, change)
}

func TestEveryCodeHasWords(t *testing.T) {
	for _, l := range locale.Languages() {
		var words map[string]any
		if err := json.Unmarshal(locale.Catalogue(l.Tag, "error."), &words); err != nil {
			t.Fatal(err)
		}
		got, want := slices.Sorted(maps.Keys(words)), []string{}
		for code := range titles {
			want = append(want, "error."+code)
		}
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("%s: got words for\n%v\nwant\n%v", l.Tag, got, want)
		}
	}
	for _, s := range sentinels {
		if titles[s.code] == "" {
			t.Errorf("%s has no title", s.code)
		}
	}
}

// Every address, asked by those who only look, changes nothing.
func TestGetChangesNothing(t *testing.T) {
	s := startNew(t, nil)
	id, phones := sit(t, s.http.URL, 2, nil)
	phones[0].post("/v1/matches/"+id+"/roll", `{"after":0}`)
	before, rolls, err := s.match.Match(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	asked := 0
	reads := map[string]bool{}
	for _, route := range s.routes() {
		reads[route.path] = reads[route.path] || route.method == "GET"
	}
	for _, route := range s.routes() {
		path := strings.ReplaceAll(route.path, "{match}", id)
		for _, method := range []string{"GET", "HEAD", "OPTIONS", "PUT", "DELETE", "PATCH"} {
			if method == "GET" && strings.HasSuffix(path, "/events") {
				method = "HEAD"
			}
			for _, agent := range []string{"WhatsApp/2.23", "TelegramBot (like TwitterBot)", "facebookexternalhit/1.1", "Slackbot-LinkExpanding 1.0"} {
				r, err := http.NewRequest(method, s.http.URL+path+"?after=1&seal=x&k="+phones[0].token, strings.NewReader(`{"after":1}`))
				if err != nil {
					t.Fatal(err)
				}
				r.Header.Set("User-Agent", agent)
				r.Header.Set("Authorization", "Bearer "+phones[0].token)
				r.Header.Set("Idempotency-Key", fmt.Sprint("look", asked))
				r.Header.Set("Content-Type", "application/json")
				answer, err := http.DefaultClient.Do(r)
				if err != nil {
					t.Fatal(err)
				}
				answer.Body.Close()
				if read := method == "GET" || method == "HEAD"; !read && answer.StatusCode != 405 || read && !reads[route.path] && answer.StatusCode != 405 {
					t.Errorf("%s %s: got %d, want 405", method, route.path, answer.StatusCode)
				}
				asked++
			}
		}
	}
	after, rollsAfter, err := s.match.Match(t.Context(), id)
	if err != nil || asked < 200 {
		t.Fatalf("%d asked, %v", asked, err)
	}
	if after.Version != before.Version || len(rolls) != len(rollsAfter) {
		t.Errorf("version %d became %d, %d rolls %d", before.Version, after.Version, len(rolls), len(rollsAfter))
	}
}

// A hundred rolls, fifty at a time, from all seats, each with its own key.
func TestRollsAtOnce(t *testing.T) {
	s := startNew(t, nil)
	id, phones := sit(t, s.http.URL, 4, nil)
	const requests, atOnce = 100, 50
	var all sync.WaitGroup
	var mu sync.Mutex
	answers := map[uint64]string{}
	slots := make(chan struct{}, atOnce)
	for i := range requests {
		p := phones[i%len(phones)]
		all.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			after := uint64(0)
			for {
				status, text := p.send("POST", "/v1/matches/"+id+"/roll", fmt.Sprint("once-", i), fmt.Sprintf(`{"after":%d}`, after))
				var a struct {
					Roll uint64
					Args struct{ Last uint64 }
				}
				if err := json.Unmarshal([]byte(text), &a); err != nil {
					t.Error(err)
					return
				}
				switch status {
				case 200:
					mu.Lock()
					if answers[a.Roll] != "" {
						t.Errorf("roll %d fell twice", a.Roll)
					}
					answers[a.Roll] = text
					mu.Unlock()
					return
				case 409:
					after = a.Args.Last
				default:
					t.Errorf("got %d %s", status, text)
					return
				}
			}
		})
	}
	all.Wait()
	_, rolls, err := s.match.Match(t.Context(), id)
	if err != nil || len(rolls) != requests {
		t.Fatalf("got %d rolls, %v, want %d", len(rolls), err, requests)
	}
	for i, e := range rolls {
		want := fmt.Sprintf(`{"roll":%d,"dice":[%d,%d],"seat":%d,"game":1}`, i+1, e.Dice[0], e.Dice[1], e.Seat)
		if e.Roll != uint64(i+1) || answers[e.Roll] != want {
			t.Errorf("roll %d is stored as %s and was answered as %s", i+1, want, answers[uint64(i+1)])
		}
	}
}

// Two tabs with one key at once: one roll, one answer.
func TestOneKeyAtOnce(t *testing.T) {
	s := startNew(t, nil)
	id, phones := sit(t, s.http.URL, 1, nil)
	for round := range 10 {
		var all sync.WaitGroup
		texts := make([]string, 8)
		for i := range texts {
			all.Go(func() {
				_, texts[i] = phones[0].send("POST", "/v1/matches/"+id+"/roll", fmt.Sprint("double-", round), fmt.Sprintf(`{"after":%d}`, round))
			})
		}
		all.Wait()
		for _, text := range texts {
			if text != texts[0] || !strings.Contains(text, fmt.Sprintf(`"roll":%d,`, round+1)) {
				t.Errorf("got %s and %s, want one answer with roll %d", texts[0], text, round+1)
			}
		}
	}
}

// The same key for two creations at once makes one match.
func TestCreatedAtOnce(t *testing.T) {
	s := startNew(t, nil)
	var all sync.WaitGroup
	texts := make([]string, 16)
	for i := range texts {
		all.Go(func() {
			p := &phone{t: t, base: s.http.URL}
			_, texts[i] = p.send("POST", "/v1/matches", "same", `{"scheme":"tavli/1","seats":3}`)
		})
	}
	all.Wait()
	for _, text := range texts {
		if text != texts[0] || !strings.Contains(text, `"token"`) {
			t.Errorf("got %s and %s", texts[0], text)
		}
	}
}

func TestLargeBodies(t *testing.T) {
	s := startNew(t, nil)
	p := &phone{t: t, base: s.http.URL}
	for _, c := range []struct {
		what, body string
		status     int
	}{
		{"2 MB of brackets", strings.Repeat("[", 2<<20), 413},
		{"brackets within the limit", strings.Repeat("[", 4000), 400},
		{"objects within objects", strings.Repeat(`{"scheme":`, 400), 400},
		{"a name of 10 MB", `{"seal":"","name":"` + strings.Repeat("a", 10<<20) + `"}`, 413},
		{"a number of 3,000 digits", `{"scheme":"tavli/1","seats":` + strings.Repeat("9", 3000) + `}`, 400},
		{"nothing but blanks", strings.Repeat(" ", 16<<10), 400},
		{"16,385 bytes", strings.Repeat(" ", 16<<10+1), 413},
	} {
		status, text := p.send("POST", "/v1/matches", "k", c.body)
		if status != c.status || len(text) > 500 {
			t.Errorf("%s: got %d %.200s, want %d", c.what, status, text, c.status)
		}
	}
}

// No answer and no log line repeats what was sent.
func TestNothingIsRepeated(t *testing.T) {
	s := startNew(t, nil)
	heard := new(needs.Text)
	id, phones := sit(t, s.http.URL, 1, nil)
	p := phones[0]
	p.heard = heard
	const mark = "XKCD927"
	for _, body := range []string{
		`{"` + mark + `":1}`, `{"after":"` + mark + `"}`, mark, `{"client":"` + mark + `é"}`, `{"client":"` + mark + `"}`, `{"seal":"` + mark + `"}`,
		`{"scheme":"` + mark + `","seats":1}`, `{"seal":"` + strings.Repeat("0", 64) + `","name":"` + mark + `\u0000"}`, `{"after":0,"` + mark + `":"` + mark + `"}`,
	} {
		for _, path := range []string{"/v1/matches", "/acknowledge", "/seed", "/roll", "/game", "/end", "/end/withdraw", "/" + mark} {
			if path == "/v1/matches" {
				p.send("POST", path, mark, body)
				continue
			}
			status, text := p.send("POST", "/v1/matches/"+id+path, mark+"é", body)
			if status/100 == 2 {
				t.Errorf("%s %s: got %d %s", path, body, status, text)
			}
			p.send("POST", "/v1/matches/"+mark+path, mark, body)
			if status, text = p.send("POST", "/v1/matches/"+id+path, mark, body); status/100 == 2 {
				t.Errorf("%s %s: got %d %s", path, body, status, text)
			}
		}
	}
	for _, path := range []string{"/" + mark, "/v1/" + mark, "/v1/matches/" + mark, "/v1/matches/" + id + "/events?after=" + mark} {
		p.send("GET", path, mark, "")
	}
	logged := s.log.String()
	for what, text := range map[string]string{"the answers": heard.String(), "the log": logged} {
		if text == "" || strings.Contains(text, mark) {
			t.Errorf("%s repeat what was sent", what)
		}
	}
	for _, secret := range []string{id, p.token} {
		if strings.Contains(logged, secret) {
			t.Error("the log holds an id or a token")
		}
	}
	if !strings.Contains(logged, "{match}/seed") {
		t.Errorf("the log does not name routes: %s", logged)
	}
}

// failingStore fails to read matches.
type failingStore struct {
	match.Store
	fault func() error
}

func (f failingStore) Match(context.Context, string) (*match.Match, error) { return nil, f.fault() }

func TestFaultsStayInside(t *testing.T) {
	const detail = "detail-of-a-disk"
	for _, panics := range []bool{false, true} {
		log := new(needs.Text)
		s, err := New(Options{
			Match: match.New(failingStore{memory.New(), func() error {
				if panics {
					panic(detail)
				}
				return errors.New(detail)
			}}, nil, fixedClock{}, &counter{}),
			Log: slog.New(slog.NewTextHandler(log, nil)),
		})
		if err != nil {
			t.Fatal(err)
		}
		w := httptest.NewRecorder()
		s.Handler().ServeHTTP(w, httptest.NewRequest("GET", "/v1/matches/00000000000000000000000000000000", nil))
		if w.Code != 500 || !strings.Contains(w.Body.String(), `"internal"`) || strings.Contains(w.Body.String(), detail) {
			t.Errorf("panics %v: got %d %s", panics, w.Code, w.Body)
		}
		if !strings.Contains(log.String(), detail) || !strings.Contains(log.String(), w.Header().Get("X-Request-Id")) {
			t.Errorf("panics %v: the log lacks the detail or the request's number: %s", panics, log)
		}
	}
}

// Play a whole match and look everywhere for the server seed, in every way that it
// could be written: it is nowhere before the reveal, and the same search finds it
// after.
func TestTheSecretStaysSecret(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "veridice.db")
	source := &counter{name: t.Name()}
	known := make([]byte, 48)
	(&counter{name: t.Name()}).Read(known)
	secret := known[16:] // id first, then the seed
	s := start(t, path, source, nil)

	heard := new(needs.Text)
	id, phones := sit(t, s.http.URL, 2, heard)
	play := func(rolls int) {
		t.Helper()
		for range rolls {
			m, _, err := s.match.Match(t.Context(), id)
			if err != nil {
				t.Fatal(err)
			}
			phones[m.Rolls%2].post("/v1/matches/"+id+"/roll", fmt.Sprintf(`{"after":%d}`, m.Rolls))
		}
	}
	events := func() {
		t.Helper()
		m, _, err := s.match.Match(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		r, err := http.NewRequest("GET", s.http.URL+"/v1/matches/"+id+"/events", nil)
		if err != nil {
			t.Fatal(err)
		}
		stream := openStream(t, r)
		defer stream.close()
		for range m.Events {
			fmt.Fprintln(heard, stream.next())
		}
	}
	look := func() {
		for _, p := range []string{"", "/record", "/events?after=x", "/nothing"} {
			phones[0].send("GET", "/v1/matches/"+id+p, "x", "")
		}
		phones[0].send("GET", "/healthz", "x", "")
	}
	play(6)
	phones[0].post("/v1/matches/"+id+"/game", `{"after":6}`)
	play(4)
	// All kinds of refusals.
	for i, path := range []string{"acknowledge", "seed", "roll", "game", "end", "end/withdraw", "x"} {
		for j, body := range []string{"{", "{}", `{"after":0}`, `{"after":99}`, `{"client":"other"}`, `{"seal":"` + strings.Repeat("0", 64) + `"}`, `{"server":"x"}`} {
			phones[1].send("POST", "/v1/matches/"+id+"/"+path, fmt.Sprintf("bad-%d-%d", i, j), body)
		}
	}
	events()
	look()
	phones[0].post("/v1/matches/"+id+"/end", `{"after":10}`)
	look()

	forms := map[string][]byte{
		"raw": secret, "hex": []byte(hex.EncodeToString(secret)), "HEX": []byte(strings.ToUpper(hex.EncodeToString(secret))),
		"base64": []byte(base64.StdEncoding.EncodeToString(secret)), "base64url": []byte(base64.URLEncoding.EncodeToString(secret)),
		"decimal, blanks": decimal(secret, " "), "decimal, commas": decimal(secret, ","), "decimal, commas and blanks": decimal(secret, ", "),
		"half of it": secret[:16], "half of its hex": []byte(hex.EncodeToString(secret[16:])),
	}
	places := func() map[string][]byte {
		t.Helper()
		p := map[string][]byte{
			"log": []byte(s.log.String()), "answers and events": []byte(heard.String()),
			"arguments and environment": []byte(strings.Join(append(os.Args, os.Environ()...), "\n")),
			"columns":                   columns(t, path),
		}
		files, err := filepath.Glob(path + "*")
		if err != nil || len(files) < 2 {
			t.Fatalf("got files %v, %v", files, err)
		}
		for _, f := range files {
			b, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			p["file "+filepath.Base(f)] = b
		}
		for what, b := range p {
			if len(b) < 100 {
				t.Errorf("%s: there is nothing to search", what)
			}
		}
		return p
	}
	hits := func() (found []string) {
		t.Helper()
		for where, b := range places() {
			for form, bytesOf := range forms {
				if bytes.Contains(b, bytesOf) {
					found = append(found, form+" in "+where)
				}
			}
		}
		slices.Sort(found)
		return found
	}
	if found := hits(); len(found) > 0 {
		t.Errorf("before the reveal the seed is there as %v", found)
	}
	// The control: after the reveal the search finds it in the answers, the events,
	// the database's bytes and its columns; in the log it never comes.
	phones[1].post("/v1/matches/"+id+"/end", `{"after":10}`)
	events()
	found := strings.Join(hits(), "; ")
	for _, want := range []string{"hex in answers and events", "raw in file veridice.db-wal", "hex in columns"} {
		if !strings.Contains(found, want) {
			t.Errorf("after the reveal the search finds %s, want also %s", found, want)
		}
	}
	if strings.Contains(found, "in log") {
		t.Errorf("the log holds the seed: %s", found)
	}
}

func decimal(b []byte, separator string) []byte {
	var text []string
	for _, x := range b {
		text = append(text, strconv.Itoa(int(x)))
	}
	return []byte(strings.Join(text, separator))
}

// columns writes out every value of every table, blobs also in hex.
func columns(t *testing.T, path string) []byte {
	t.Helper()
	c, err := sqlite3.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	var out bytes.Buffer
	var tables []string
	st, _, err := c.Prepare("SELECT name FROM sqlite_schema WHERE type = 'table'")
	if err != nil {
		t.Fatal(err)
	}
	for st.Step() {
		tables = append(tables, st.ColumnText(0))
	}
	st.Close()
	for _, table := range tables {
		st, _, err := c.Prepare("SELECT * FROM " + table)
		if err != nil {
			t.Fatal(err)
		}
		for st.Step() {
			for i := range st.ColumnCount() {
				b := st.ColumnBlob(i, nil)
				fmt.Fprintf(&out, "%s.%s: %s %x\n", table, st.ColumnName(i), b, b)
			}
		}
		if err := st.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return out.Bytes()
}
