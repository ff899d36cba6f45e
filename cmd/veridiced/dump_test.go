package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/ncruces/go-sqlite3"

	api "veridice/client"
	"veridice/internal/needs"
	"veridice/scheme"
	"veridice/seed"
	"veridice/vectors"
)

// A recorder is the source of secrets and remembers what it gave.
type recorder struct {
	mu    sync.Mutex
	given [][]byte
}

func (r *recorder) Read(p []byte) (int, error) {
	rand.Read(p) // never fails
	r.mu.Lock()
	defer r.mu.Unlock()
	r.given = append(r.given, bytes.Clone(p))
	return len(p), nil
}

// dumped is all that the tables of a SQLite database hold, as text.
func dumped(t *testing.T, path string) string {
	t.Helper()
	c, err := sqlite3.OpenFlags(path, sqlite3.OPEN_READONLY)
	must(t, err)
	defer c.Close()
	rows := func(sql string) (all []string) {
		t.Helper()
		st, _, err := c.Prepare(sql)
		must(t, err)
		defer st.Close()
		for st.Step() {
			line := ""
			for i := range st.ColumnCount() {
				if st.ColumnType(i) == sqlite3.BLOB {
					line += fmt.Sprintf("%x|", st.ColumnRawBlob(i))
				} else {
					line += st.ColumnText(i) + "|"
				}
			}
			all = append(all, line)
		}
		must(t, st.Err())
		return all
	}
	out := ""
	for _, table := range rows("SELECT name FROM sqlite_master WHERE type = 'table'") {
		table = strings.TrimSuffix(table, "|")
		out += table + ":\n" + strings.Join(rows(`SELECT * FROM "`+table+`"`), "\n") + "\n"
	}
	return out
}

// dumpedPostgres is the same of a PostgreSQL database.
func dumpedPostgres(p *needs.PostgresServer, database string) string {
	all := ""
	for _, table := range strings.Fields(p.Run(database, "SELECT table_name FROM information_schema.tables WHERE table_schema = 'public'")) {
		all += "COPY " + table + " TO STDOUT;"
	}
	return p.Run(database, all)
}

// forms are the ways in which a secret may be written, as short as they can be told from
// chance.
func forms(secret []byte) []string {
	digits := seed.Hex(secret)
	all := []string{string(secret), digits, strings.ToUpper(digits), seed.Hex([]byte(digits))}
	for _, b := range [][]byte{secret, []byte(digits)} {
		n := len(b) / 3 * 4 // the last characters depend on what follows
		all = append(all, base64.StdEncoding.EncodeToString(b)[:n], base64.URLEncoding.EncodeToString(b)[:n])
	}
	return all
}

// found reports whether a text holds a secret in any form.
func found(text string, secret []byte) bool {
	return slices.ContainsFunc(forms(secret), func(form string) bool { return strings.Contains(text, form) })
}

// files is the content of a file, or of all files of a folder.
func files(t *testing.T, path string) (all string) {
	t.Helper()
	must(t, filepath.WalkDir(path, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		all += string(b)
		return err
	}))
	return all
}

// Whoever has the database alone, or may run the commands, learns no server seed, link,
// token or key before its time.
func noSecrets(t *testing.T, dir, db string, dump func() string) {
	keyFile := filepath.Join(dir, "veridice.key")
	flags := []string{"-db", db, "-key-file", keyFile}
	told := "" // by all commands and by the server
	command := func(want int, verb string, args ...string) (out string) {
		t.Helper()
		var o, e bytes.Buffer
		all := slices.Concat([]string{verb}, flags, args)
		if verb == "monitor" {
			all = append([]string{verb}, args...)
		}
		if code := run(t.Context(), all, environment(), &o, &e); code != want {
			t.Fatalf("%s %v: got %d: %s", verb, args, code, &e)
		}
		told += o.String() + e.String()
		return o.String()
	}
	command(0, "init")
	told = ""
	key := strings.TrimSpace(command(0, "key", "create", "op", "pairs", "hooks", "matches"))
	told = ""

	source := new(recorder)
	said := new(needs.Text)
	ready, ended := make(chan net.Addr, 1), make(chan error, 1)
	p := &program{
		addr: "localhost:0", db: db, keyFile: keyFile, webhooks: "private", level: "debug", stdout: said, stderr: said, vectors: vectors.Lines, entropy: source,
		ready: func(a net.Addr) { ready <- a },
	}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	go func() { ended <- p.serve(ctx) }()
	var base string
	select {
	case a := <-ready:
		base = "http://" + a.String()
	case err := <-ended:
		t.Fatal(err)
	}
	c := &cluster{t: t, h: &http.Client{}, nodes: []*process{{base: base}}}
	running, over := c.open(0, 2), c.open(1, 2)
	for _, tb := range []*table{running, over} {
		tb.firstRoll()
	}
	var revealed struct{ Server string }
	c.must(over.path("end"), over.tokens[0], "end-0", `{"after":1}`, nil)
	c.must(over.path("end"), over.tokens[1], "end-1", `{"after":1}`, &revealed)
	var chain struct {
		Match, Seal string
		Seats       []struct{ Token string }
	}
	c.must("/v1/matches", "", "chain", `{"scheme":"veridice/1","seats":2,"links":256}`, &chain)
	heard := make(chan struct{})
	once := sync.OnceFunc(func() { close(heard) }) // a slow answer brings the same once more
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		once()
	}))
	defer receiver.Close()
	game := api.New(base, key)
	hook, err := game.CreateHook(ctx, receiver.URL)
	must(t, err)
	_, err = game.CreatePair(ctx, "u", "shuffle")
	must(t, err)
	_, err = game.SetClient(ctx, "u", 1, "c")
	must(t, err)
	_, err = game.Draw(ctx, "u", "dice", nil)
	must(t, err)
	rotated, _, err := game.Rotate(ctx, "u", 1, "d")
	must(t, err)
	_, err = game.Draw(ctx, "u", "dice", nil)
	must(t, err)
	<-heard // it was signed

	// What nobody may know: of all that the source gave, what is no id, salt or nonce.
	keys, err := os.ReadFile(keyFile)
	must(t, err)
	text := strings.TrimSpace(string(keys))
	b, _ := seed.ParseHex(text)
	secrets := [][]byte{b}
	apiKey, err := base64.RawURLEncoding.DecodeString(key[len(key)-43:])
	must(t, err)
	webhook, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(hook.Secret, "whsec_"))
	must(t, err)
	secrets = append(secrets, apiKey, webhook)
	tokens := len(secrets)
	for _, token := range slices.Concat(running.tokens, over.tokens, []string{chain.Seats[0].Token, chain.Seats[1].Token}) {
		b, err := base64.RawURLEncoding.DecodeString(token)
		must(t, err)
		secrets = append(secrets, b)
	}
	if tokens += 6; len(secrets) != tokens {
		t.Fatalf("%d secrets", len(secrets))
	}
	public := 0
	match, _ := seed.ParseHex(chain.Match)
	links := 0
	for _, b := range source.given {
		if len(b) != 32 {
			continue
		}
		if s := seed.Hex(b); s == revealed.Server || s == rotated.Server {
			public++
			continue
		}
		secrets = append(secrets, b)
		if ch, err := scheme.NewChain(scheme.Match(match), 0, scheme.Link(b), 256); err == nil && fmt.Sprintf("%x", ch.Anchor()) == chain.Seal {
			for _, n := range []uint32{1, 2, 3, 128, 255} {
				link := ch.Link(n)
				secrets = append(secrets, link[:])
				links++
			}
		}
	}
	if public != 2 || links != 5 || len(secrets) < tokens+links+6 {
		t.Fatalf("%d revealed, %d links, %d secrets: the test does not know what is secret", public, links, len(secrets))
	}
	search := func(where, text string) {
		t.Helper()
		for i, secret := range secrets {
			if found(text, secret) {
				t.Errorf("%s: secret %d of %d is in it", where, i, len(secrets))
			}
		}
	}
	before := dump()
	search("the database while it is served", before)
	for _, s := range []string{revealed.Server, rotated.Server} {
		if b, _ := seed.ParseHex(s); !found(before, b) {
			t.Error("a revealed seed is not found: this test could not fail")
		}
	}
	records, log, copied := filepath.Join(dir, "records"), filepath.Join(dir, "log"), filepath.Join(dir, "backup.db")
	command(0, "key", "list")
	command(0, "key", "status")
	command(0, "key", "rewrap")
	command(0, "log", "key")
	command(0, "log", "export", log)
	command(0, "export", records)
	if !strings.Contains(db, "://") {
		command(0, "backup", copied)
		search("a backup", files(t, copied)+dumped(t, copied))
	}
	stop()
	must(t, <-ended)
	command(0, "check")
	command(0, "migrate")
	command(0, "monitor", log)
	command(0, "monitor", "-json", "-html", filepath.Join(dir, "page.html"), "-records", records, log)
	search("what commands say", told)
	search("what the server says", said.String())
	search("the exported log and records, and a page about them", files(t, log)+files(t, records)+files(t, filepath.Join(dir, "page.html")))
	search("the database", dump())
	if out, _ := json.Marshal(told); len(out) < 500 || !strings.Contains(told, "pair seed 2") {
		t.Errorf("the commands say only %s", out)
	}
}
