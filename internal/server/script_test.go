package server

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"veridice/internal/apikey"
	"veridice/internal/hook"
	"veridice/internal/match"
	"veridice/internal/needs"
	"veridice/internal/pair"
	"veridice/internal/store/sqlite"
)

// Scripts of the API are testdata/*.txtar. Each line of the comment is a command:
//
//	get PATH [HEADER=VALUE ...]          ask
//	head PATH [HEADER=VALUE ...]
//	post PATH [HEADER=VALUE ...] [BODY]  BODY is what begins with { or [ or ", or @FILE
//	as SEAT                              the following requests bring the token $SEAT ("nobody": none)
//	STATUS BODY                          the answer: JSON, or @FILE for text, or - for none
//	STATUS CODE [FIELD] [ARGS]           the answer is a problem
//	header NAME VALUE                    the answer has this header
//	events PATH [HEADER=VALUE ...]       opens a stream; the following "event" lines are what comes
//	event NUMBER JSON
//	restart                              a new server on the same files
//	key NAME OPERATOR SCOPE ...          an API key, the token $NAME
//	bare                                 the following posts have no Content-Type and no key of their own
//
// $name in an answer keeps a value the first time and stands for it from then on.
// Every post has a key of its own unless it brings one. An answer that is not
// looked at fails the script.
func TestScripts(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("there are no scripts: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			a, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			newScript(t, a).run()
		})
	}
}

// A testServer is the server of a test, on files that outlive it.
type testServer struct {
	*Server
	store *sqlite.Store
	http  *httptest.Server
	log   *needs.Text
}

// start opens a server on a file that may be there already.
func start(t testing.TB, path string, entropy match.Entropy, change func(*limits)) *testServer {
	t.Helper()
	store, err := sqlite.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	vault, err := match.NewVault(bytes.Repeat([]byte{7}, match.KeySize))
	if err != nil {
		t.Fatal(err)
	}
	log := new(needs.Text)
	hooks, err := hook.New(hook.Options{Ledger: store, Matches: store, Vault: vault, Clock: fixedClock{}, Entropy: rand.Reader, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	s, err := New(Options{
		Ledger: store, Keys: apikey.New(store, fixedClock{}, entropy), Pairs: pair.New(store, vault, fixedClock{}, entropy), Hooks: hooks,
		Match: match.New(store, vault, fixedClock{}, entropy),
		Log:   slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug})),
	})
	if err != nil {
		t.Fatal(err)
	}
	if change != nil {
		change(&s.limits)
	}
	ts := &testServer{s, store, httptest.NewServer(s.Handler()), log}
	t.Cleanup(ts.stop)
	return ts
}

func (s *testServer) stop() {
	s.Close()
	s.http.Close()
	s.store.Close()
}

type fixedClock struct{}

func (fixedClock) Now() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 6e6, time.UTC) }

type script struct {
	t       *testing.T
	archive *txtar.Archive
	path    string
	random  match.Entropy
	server  *testServer
	vars    map[string]string
	seat    string
	bare    bool
	posts   int

	line   int
	asked  string // the request whose answer nobody has looked at yet
	status int
	header http.Header
	body   []byte
	stream *stream
}

func newScript(t *testing.T, a *txtar.Archive) *script {
	s := &script{t: t, archive: a, path: filepath.Join(t.TempDir(), "veridice.db"), random: &counter{name: t.Name()}, vars: map[string]string{}}
	s.server = start(t, s.path, s.random, nil)
	return s
}

func (s *script) fatalf(format string, args ...any) {
	s.t.Helper()
	s.t.Fatalf("line %d: %s", s.line, fmt.Sprintf(format, args...))
}

func (s *script) run() {
	looked := 0
	for i, line := range strings.Split(string(s.archive.Comment), "\n") {
		s.line = i + 1
		if line = strings.TrimSpace(line); line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		verb, rest, _ := strings.Cut(line, " ")
		if status, err := strconv.Atoi(verb); err == nil {
			s.answered(status, rest)
			looked++
			continue
		}
		if s.asked != "" && verb != "header" {
			s.fatalf("nobody looked at the answer to %q: %d %s", s.asked, s.status, s.body)
		}
		switch verb {
		case "get", "head", "post":
			s.ask(strings.ToUpper(verb), rest)
			s.asked = line
		case "as":
			s.seat = rest
		case "bare":
			s.bare = true
		case "key":
			words := strings.Fields(rest)
			var scopes []apikey.Scope
			for _, w := range words[2:] {
				scopes = append(scopes, apikey.Scope(w))
			}
			text, _, err := s.server.keys.Create(s.t.Context(), words[1], "", scopes)
			if err != nil {
				s.fatalf("%v", err)
			}
			s.vars[words[0]] = text
		case "header":
			name, want, _ := strings.Cut(rest, " ")
			if got := s.header.Get(name); got != want {
				s.fatalf("got %s: %q, want %q", name, got, want)
			}
		case "events":
			if s.stream != nil {
				s.stream.close()
			}
			req := s.request("GET", rest)
			s.stream = openStream(s.t, req)
		case "event":
			number, want, _ := strings.Cut(rest, " ")
			e := s.stream.next()
			if e.id != number {
				s.fatalf("got event %s: %s, want %s", e.id, e.data, number)
			}
			s.compare([]byte(e.data), want)
			d, err := described()
			if err == nil {
				err = d.check(schema{Ref: "#/components/schemas/Event"}, []byte(e.data))
			}
			if err != nil {
				s.fatalf("%v", err)
			}
			looked++
		case "restart":
			s.server.stop()
			s.server = start(s.t, s.path, s.random, nil)
		default:
			s.fatalf("unknown command %q", verb)
		}
	}
	if s.stream != nil {
		s.stream.close()
	}
	if s.asked != "" {
		s.fatalf("nobody looked at the answer to %q", s.asked)
	}
	if looked == 0 {
		s.fatalf("the script expects nothing")
	}
}

// expand puts values in the place of $name.
func (s *script) expand(text string) string {
	for name, value := range s.vars {
		text = strings.ReplaceAll(text, "$"+name, value)
	}
	return text
}

func (s *script) request(method, rest string) *http.Request {
	s.t.Helper()
	path, rest, _ := strings.Cut(rest, " ")
	var body io.Reader
	header := http.Header{}
	for rest = strings.TrimSpace(rest); rest != ""; rest = strings.TrimSpace(rest) {
		if strings.ContainsAny(rest[:1], "{[\"@") {
			body = strings.NewReader(s.expand(rest))
			if rest[0] == '@' {
				body = bytes.NewReader(s.file(rest[1:]))
			}
			break
		}
		var pair string
		pair, rest, _ = strings.Cut(rest, " ")
		name, value, _ := strings.Cut(pair, "=")
		if name == "key" {
			name = "Idempotency-Key"
		}
		header.Add(name, s.expand(strings.ReplaceAll(value, "%20", " ")))
	}
	r, err := http.NewRequestWithContext(s.t.Context(), method, s.server.http.URL+s.expand(path), body)
	if err != nil {
		s.fatalf("%v", err)
	}
	if method == "POST" && !s.bare {
		s.posts++
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Idempotency-Key", fmt.Sprintf("post-%d", s.posts))
	}
	if s.seat != "" && s.seat != "nobody" {
		token, ok := s.vars[s.seat]
		if !ok {
			s.fatalf("nobody has the token $%s", s.seat)
		}
		r.Header.Set("Authorization", "Bearer "+token)
	}
	for name, values := range header {
		r.Header[http.CanonicalHeaderKey(name)] = values
		if name == "Host" {
			r.Host = values[0]
		}
	}
	return r
}

func (s *script) file(name string) []byte {
	for _, f := range s.archive.Files {
		if f.Name == name {
			return f.Data
		}
	}
	s.fatalf("there is no file %s", name)
	return nil
}

func (s *script) ask(method, rest string) {
	s.t.Helper()
	r := s.request(method, rest)
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		s.fatalf("%v", err)
	}
	defer answer.Body.Close()
	if s.body, err = io.ReadAll(answer.Body); err != nil {
		s.fatalf("%v", err)
	}
	s.status, s.header = answer.StatusCode, answer.Header
	if err := conforms(r, s.status, s.header, s.body); err != nil {
		s.fatalf("%v", err)
	}
}

func (s *script) answered(status int, want string) {
	s.t.Helper()
	if s.asked == "" {
		s.fatalf("nothing was asked")
	}
	s.asked = ""
	if s.status != status {
		s.fatalf("got %d %s, want %d %s", s.status, s.body, status, want)
	}
	switch {
	case want == "":
		s.fatalf("a body without an expectation; \"-\" says that there is none")
	case want == "-":
		if len(s.body) != 0 {
			s.fatalf("got a body: %s", s.body)
		}
	case want[0] == '@':
		if want := s.expand(string(s.file(want[1:]))); string(s.body) != want {
			s.fatalf("got\n%swant\n%s", s.body, want)
		}
	case want[0] == '{':
		if got := s.header.Get("Content-Type"); got != "application/json" {
			s.fatalf("got Content-Type %q", got)
		}
		s.compare(s.body, want)
	default:
		s.problem(status, want)
	}
}

// problem compares a problem: its code, and its field and arguments, if any.
func (s *script) problem(status int, want string) {
	s.t.Helper()
	if got := s.header.Get("Content-Type"); got != "application/problem+json" {
		s.fatalf("got Content-Type %q: %s", got, s.body)
	}
	var args string
	if i := strings.IndexByte(want, '{'); i >= 0 {
		want, args = strings.TrimSpace(want[:i]), `,"args":`+want[i:]
	}
	code, field, _ := strings.Cut(want, " ")
	if field != "" {
		field = `,"field":"` + field + `"`
	}
	title, ok := titles[code]
	if !ok {
		s.fatalf("no code %q", code)
	}
	quoted, _ := json.Marshal(title)
	s.compare(s.body, fmt.Sprintf(`{"type":"about:blank","title":%s,"status":%d,"code":%q%s%s}`, quoted, status, code, field, args))
}

// compare compares JSON as values. "$name" in want takes what stands there.
func (s *script) compare(got []byte, want string) {
	s.t.Helper()
	var g, w any
	if err := json.Unmarshal(got, &g); err != nil {
		s.fatalf("got no JSON: %s", got)
	}
	if err := json.Unmarshal([]byte(want), &w); err != nil {
		s.fatalf("the expectation is no JSON: %v", err)
	}
	if !s.same(g, w) {
		s.fatalf("got\n%s\nwant\n%s", got, s.expand(want))
	}
}

func (s *script) same(got, want any) bool {
	switch want := want.(type) {
	case string:
		if name, ok := strings.CutPrefix(want, "$"); ok {
			text, isText := got.(string)
			if _, known := s.vars[name]; !known && isText {
				s.vars[name] = text
			}
			return isText && s.vars[name] == text
		}
	case map[string]any:
		g, ok := got.(map[string]any)
		if !ok || len(g) != len(want) {
			return false
		}
		for k := range want {
			if v, ok := g[k]; !ok || !s.same(v, want[k]) {
				return false
			}
		}
		return true
	case []any:
		g, ok := got.([]any)
		if !ok || len(g) != len(want) {
			return false
		}
		for i := range want {
			if !s.same(g[i], want[i]) {
				return false
			}
		}
		return true
	}
	return reflect.DeepEqual(got, want)
}
