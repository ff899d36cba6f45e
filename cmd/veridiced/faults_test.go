package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ncruces/go-sqlite3"

	"veridice/internal/needs"
	"veridice/record"
	"veridice/seed"
	"veridice/verify"
)

// faultsFor is how long the load of these tests lasts: VERIDICE_FAULTS=1m, as "make
// faults" sets it, for a long time; else until there was enough to go wrong.
func faultsFor(t *testing.T) (long time.Duration) {
	if text := os.Getenv("VERIDICE_FAULTS"); text != "" {
		d, err := time.ParseDuration(text)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	return 0
}

// A cluster is several processes of the real binary on one database.
type cluster struct {
	t      *testing.T
	binary string
	args   []string
	h      *http.Client

	tables []*table // those of load

	mu    sync.Mutex
	nodes []*process
}

func newCluster(t *testing.T, nodes int, args ...string) *cluster {
	t.Helper()
	c := &cluster{t: t, binary: build(t), args: args, h: &http.Client{Timeout: 20 * time.Second, Transport: &http.Transport{MaxIdleConnsPerHost: 100}}}
	for range nodes {
		c.nodes = append(c.nodes, launchWith(t, c.binary, c.args...))
	}
	return c
}

// node is the address of one of the nodes.
func (c *cluster) node() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.nodes[rand.IntN(len(c.nodes))].base
}

// kill ends a random node and starts another in its place.
func (c *cluster) kill() {
	c.t.Helper()
	c.mu.Lock()
	n := rand.IntN(len(c.nodes))
	old := c.nodes[n]
	c.mu.Unlock()
	old.kill()
	fresh := launchWith(c.t, c.binary, c.args...)
	c.mu.Lock()
	c.nodes[n] = fresh
	c.mu.Unlock()
}

// command runs the binary for something else than serving.
func (c *cluster) command(verb string, args ...string) string {
	c.t.Helper()
	cmd := exec.Command(c.binary, append(append([]string{verb}, c.args...), args...)...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		c.t.Fatalf("veridiced %s: %v\n%s", verb, err, out)
	}
	return string(out)
}

// ask sends a request to one node after the other until one answers for good, always
// with the same key.
func (c *cluster) ask(path, token, key, body string) (status int, text string) {
	var err error
	for end := time.Now().Add(90 * time.Second); time.Now().Before(end); time.Sleep(time.Duration(rand.IntN(20)) * time.Millisecond) {
		status, text, err = post(c.h, c.node()+path, token, key, body)
		if err == nil && status < 500 {
			return status, text
		}
	}
	c.t.Errorf("%s: no answer: %d %s, %v", path, status, text, err)
	return status, text
}

func (c *cluster) must(path, token, key, body string, answer any) {
	c.t.Helper()
	status, text := c.ask(path, token, key, body)
	if status/100 != 2 {
		c.t.Fatalf("%s: got %d %s", path, status, text)
	}
	if answer != nil {
		if err := json.Unmarshal([]byte(text), answer); err != nil {
			c.t.Fatal(err)
		}
	}
}

// A table is a match with what all its phones have seen.
type table struct {
	c      *cluster
	id     string
	seal   string
	tokens []string

	mu       sync.Mutex
	answered map[string]string // by seat, key and body, what was said
	events   []string          // as the listener got them
}

func (c *cluster) open(n, seats int) *table {
	c.t.Helper()
	var made struct {
		Match, Seal string
		Seats       []struct{ Token string }
	}
	c.must("/v1/matches", "", fmt.Sprint("creation-", n), fmt.Sprintf(`{"scheme":"tavli/1","seats":%d}`, seats), &made)
	t := &table{c: c, id: made.Match, seal: made.Seal, answered: map[string]string{}}
	for i, s := range made.Seats {
		t.tokens = append(t.tokens, s.Token)
		c.must(t.path("acknowledge"), s.Token, fmt.Sprint("ack-", i), fmt.Sprintf(`{"seal":"%s"}`, t.seal), nil)
		c.must(t.path("seed"), s.Token, fmt.Sprint("seed-", i), fmt.Sprintf(`{"client":"c%d"}`, i+1), nil)
	}
	return t
}

func (t *table) path(what string) string { return "/v1/matches/" + t.id + "/" + what }

// play rolls from one seat until ctx is done, each time at another node.
func (t *table) play(ctx context.Context, seat int, fell *atomic.Int64) {
	after := uint64(0)
	for n := 0; ctx.Err() == nil; n++ {
		key, body := fmt.Sprint("seat", seat, "-", n), fmt.Sprintf(`{"after":%d}`, after)
		status, text := t.c.ask(t.path("roll"), t.tokens[seat], key, body)
		var a struct {
			Roll uint64
			Args struct{ Last uint64 }
		}
		if err := json.Unmarshal([]byte(text), &a); err != nil {
			t.c.t.Errorf("got %d %s", status, text)
			return
		}
		switch status {
		case 200:
			t.mu.Lock()
			t.answered[fmt.Sprint(seat, " ", key, " ", body)] = text
			t.mu.Unlock()
			fell.Add(1)
			after = a.Roll
		case 409: // the other seat was faster, or the match has not begun; a refused key is free
			after = a.Args.Last
		default:
			t.c.t.Errorf("got %d %s", status, text)
			return
		}
	}
}

// eventually waits for what other processes do, and looks again every few milliseconds.
func eventually(t testing.TB, what string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(2 * time.Minute); !is(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("waited in vain until " + what)
		}
	}
}

// firstRoll has the first seat roll as soon as the match has begun: when the log has its
// seal.
func (t *table) firstRoll() {
	t.c.t.Helper()
	eventually(t.c.t, "the first roll falls", func() bool {
		status, _ := t.c.ask(t.path("roll"), t.tokens[0], "first", `{"after":0}`)
		return status == 200
	})
}

func (t *table) begun() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.answered) > 0
}

// listen follows the events at one node after the other until the match is over.
func (t *table) listen(ctx context.Context) {
	for ctx.Err() == nil {
		r, err := http.NewRequestWithContext(ctx, "GET", fmt.Sprintf("%s%s?after=%d", t.c.node(), t.path("events"), len(t.events)), nil)
		if err != nil {
			t.c.t.Error(err)
			return
		}
		answer, err := http.DefaultTransport.RoundTrip(r)
		if err != nil {
			continue // that node is gone
		}
		lines := bufio.NewScanner(answer.Body)
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			text, ok := strings.CutPrefix(lines.Text(), "data: ")
			if !ok {
				continue
			}
			var e struct {
				Event uint64
				Type  string
			}
			if err := json.Unmarshal([]byte(text), &e); err != nil {
				t.c.t.Errorf("event %q: %v", text, err)
			}
			if e.Event != uint64(len(t.events)+1) {
				t.c.t.Errorf("event %d came after event %d", e.Event, len(t.events))
			}
			t.events = append(t.events, text)
			if e.Type == "finished" {
				answer.Body.Close()
				return
			}
			if rand.IntN(40) == 0 {
				break // to another node
			}
		}
		answer.Body.Close()
	}
}

func (t *table) get(what string) []byte {
	t.c.t.Helper()
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		answer, err := t.c.h.Get(t.c.node() + "/v1/matches/" + t.id + what)
		if err != nil {
			continue
		}
		text, err := io.ReadAll(answer.Body)
		answer.Body.Close()
		if err == nil && answer.StatusCode == 200 {
			return text
		}
	}
	t.c.t.Fatalf("%s cannot be read", what)
	return nil
}

// finish ends the match, and holds what is stored to all that was seen of it: the
// answers, the events, the seal, and the check that anybody can make.
func (t *table) finish(ended <-chan struct{}) {
	t.c.t.Helper()
	var s struct {
		Seal  string
		Rolls []struct {
			Roll uint64
			Seat int
			Dice [2]int
		}
	}
	if err := json.Unmarshal(t.get(""), &s); err != nil {
		t.c.t.Fatal(err)
	}
	if s.Seal != t.seal {
		t.c.t.Errorf("the seal was %s and is %s", t.seal, s.Seal)
	}
	after := fmt.Sprintf(`{"after":%d}`, len(s.Rolls))
	t.c.must(t.path("end"), t.tokens[0], "end-0", after, nil)
	t.c.must(t.path("end"), t.tokens[1], "end-1", after, nil)
	<-ended

	stored := map[uint64]string{}
	for i, r := range s.Rolls {
		if r.Roll != uint64(i+1) {
			t.c.t.Fatalf("roll %d stands at place %d", r.Roll, i+1)
		}
		stored[r.Roll] = fmt.Sprintf(`{"roll":%d,"dice":[%d,%d],"seat":%d,"game":1}`, r.Roll, r.Dice[0], r.Dice[1], r.Seat)
	}
	seen := map[uint64]bool{}
	again := 0
	for request, text := range t.answered {
		var a struct{ Roll uint64 }
		if err := json.Unmarshal([]byte(text), &a); err != nil {
			t.c.t.Fatal(err)
		}
		if stored[a.Roll] != text || seen[a.Roll] {
			t.c.t.Errorf("answered %s, twice: %v; stored is %s", text, seen[a.Roll], stored[a.Roll])
		}
		seen[a.Roll] = true
		if again++; again <= 20 {
			part := strings.SplitN(request, " ", 3)
			if _, now := t.c.ask(t.path("roll"), t.tokens[part[0][0]-'0'], part[1], part[2]); now != text {
				t.c.t.Errorf("the same key: got %s, want %s", now, text)
			}
		}
	}
	heard := 0
	for _, text := range t.events {
		var e struct {
			Type string
			Roll uint64
			Seat int
			Game int
			Dice [2]int
		}
		if err := json.Unmarshal([]byte(text), &e); err != nil || e.Type != "rolled" {
			continue
		}
		heard++
		if got := fmt.Sprintf(`{"roll":%d,"dice":[%d,%d],"seat":%d,"game":%d}`, e.Roll, e.Dice[0], e.Dice[1], e.Seat, e.Game); got != stored[e.Roll] {
			t.c.t.Errorf("the listener heard %s, stored is %s", got, stored[e.Roll])
		}
	}
	if heard != len(stored) {
		t.c.t.Errorf("the listener heard of %d rolls, stored are %d", heard, len(stored))
	}
	r, err := record.Parse(t.get("/record"))
	if err != nil {
		t.c.t.Fatal(err)
	}
	b, _ := seed.ParseHex(t.seal)
	seal := seed.Seal(b)
	if report := verify.Record(r, verify.Options{Seal: &seal}); report.Verdict != verify.Proven || report.Rolls != len(stored) {
		t.c.t.Errorf("the record is %s %s with %d rolls, want proven with %d", report.Verdict, report.Code, report.Rolls, len(stored))
	}
}

// load plays at several tables while faults happen, and compares everything in the end.
// enough is the number of rolls that there are at least; fault is called after about
// every between rolls, or each second of a long test, times times.
func (c *cluster) load(tables, enough, times int, fault func()) {
	c.t.Helper()
	long := faultsFor(c.t)
	ctx, cancel := context.WithCancel(c.t.Context())
	defer cancel()
	var players, listeners sync.WaitGroup
	var fell atomic.Int64
	ended := map[*table]chan struct{}{}
	for n := range tables {
		t := c.open(n, 2)
		c.tables, ended[t] = append(c.tables, t), make(chan struct{})
		listeners.Go(func() { t.listen(c.t.Context()); close(ended[t]) })
		for seat := range t.tokens {
			players.Go(func() { t.play(ctx, seat, &fell) })
		}
	}
	reach := func(rolls int64) {
		c.t.Helper()
		eventually(c.t, "enough rolls fall", func() bool { return fell.Load() >= rolls || c.t.Failed() })
		if c.t.Failed() {
			c.t.FailNow()
		}
	}
	for _, t := range c.tables { // a match begins when the log has its seal
		eventually(c.t, "a match begins", t.begun)
	}
	start := time.Now()
	faults := 0
	for faults < times || time.Since(start) < long {
		reach(fell.Load() + int64(cmp.Or(enough/(times+1), 1)))
		if long > 0 {
			<-time.After(time.Until(start.Add(time.Duration(faults+1) * time.Second))) // one each second
		}
		fault()
		faults++
	}
	reach(fell.Load() + int64(enough/(times+1)))
	cancel()
	players.Wait()
	for _, t := range c.tables {
		t.finish(ended[t])
	}
	listeners.Wait()
	for _, n := range c.nodes {
		n.kill()
	}
	if out := c.command("check"); !strings.Contains(out, fmt.Sprintf("matches %d\n", tables)) {
		c.t.Errorf("veridiced check said\n%s", out)
	}
	folder := filepath.Join(c.t.TempDir(), "records")
	c.command("export", folder)
	if files, err := filepath.Glob(filepath.Join(folder, "*.txt")); err != nil || len(files) != tables {
		c.t.Errorf("%d records were exported, %v, want %d", len(files), err, tables)
	}
	c.t.Logf("%d rolls were answered, %d faults in %v", fell.Load(), faults, time.Since(start).Round(time.Millisecond))
}

// Two nodes on one SQLite file, killed in turn under load.
func TestFaultsOnSQLite(t *testing.T) {
	t.Parallel()
	data := filepath.Join(t.TempDir(), "data")
	var out, errs bytes.Buffer
	args := []string{"-db", filepath.Join(data, "veridice.db"), "-key-file", filepath.Join(data, "veridice.key")}
	if code := run(t.Context(), append([]string{"init"}, args...), environment(), &out, &errs); code != 0 {
		t.Fatal(errs.String())
	}
	c := newCluster(t, 2, args...)
	c.load(2, 60, 2, c.kill)
}

// Three nodes on one PostgreSQL, killed in turn under load. Each request may go to
// another node, and the listeners are elsewhere.
func TestFaultsOnPostgres(t *testing.T) {
	t.Parallel()
	c := onPostgres(t, 3, needs.Postgres(t).Create("veridice"))
	c.load(3, 90, 3, c.kill)
}

func onPostgres(t *testing.T, nodes int, address string) *cluster {
	t.Helper()
	args := []string{"-db", address, "-key-file", filepath.Join(t.TempDir(), "veridice.key")}
	var out, errs bytes.Buffer
	if code := run(t.Context(), append([]string{"init"}, args...), environment(), &out, &errs); code != 0 {
		t.Fatal(errs.String())
	}
	return newCluster(t, nodes, args...)
}

// The primary is killed under load and its synchronous standby promoted: nothing that
// was answered is lost, and everybody goes on by themselves.
func TestFailover(t *testing.T) {
	t.Parallel()
	primary := needs.Postgres(t)
	standby := primary.Standby()
	primary.Create("veridice")
	c := onPostgres(t, 2, "postgres:///veridice?user=veridice&host="+primary.Host()+","+standby.Host())
	once := false
	c.load(2, 40, 1, func() {
		if !once {
			once = true
			primary.Kill()
			standby.Promote()
		}
	})
}

// A check says what is wrong with a database, and ends with 1.
func TestCheckFindsFaults(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	db, key := filepath.Join(dir, "veridice.db"), filepath.Join(dir, "veridice.key")
	args := []string{"-db", db, "-key-file", key}
	command := func(verb string, more ...string) (int, string) {
		t.Helper()
		var out bytes.Buffer
		code := run(t.Context(), slices.Concat([]string{verb}, args, more), environment(), &out, &out)
		return code, out.String()
	}
	if code, said := command("init"); code != 0 {
		t.Fatal(said)
	}
	s := startWith(t, environment(), append(args, "-addr", "localhost:0")...)
	c := &cluster{t: t, h: http.DefaultClient, nodes: []*process{{base: s.base}}}
	tb := c.open(0, 2)
	tb.firstRoll()
	c.must(tb.path("roll"), tb.tokens[0], "second", `{"after":1}`, nil)
	c.open(1, 2) // goes on
	c.must(tb.path("end"), tb.tokens[0], "end-0", `{"after":2}`, nil)
	c.must(tb.path("end"), tb.tokens[1], "end-1", `{"after":2}`, nil)
	// While it is served.
	copied := filepath.Join(dir, "backup.db")
	if code, said := command("backup", copied); code != 0 || !strings.Contains(said, copied) {
		t.Fatal(said)
	}
	if code, said := command("backup", copied); code != 1 || !strings.Contains(said, "this file exists already") {
		t.Errorf("a second backup: %d %s", code, said)
	}
	want, err := record.Parse(tb.get("/record"))
	if err != nil {
		t.Fatal(err)
	}
	s.stop()
	if code, said := command("check"); code != 0 || !strings.Contains(said, "matches 2\nrolls 2\n") {
		t.Errorf("a sound database: %d %s", code, said)
	}
	folder := filepath.Join(dir, "records")
	for _, words := range []string{"written 1\nthere before 0\n", "written 0\nthere before 1\n"} {
		if code, said := command("export", folder); code != 0 || !strings.Contains(said, words) {
			t.Errorf("export: %d %s, want %s", code, said, words)
		}
	}
	file := filepath.Join(folder, tb.id+".txt")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := record.Parse(text); err != nil || got.Match != want.Match || len(got.Rolls()) != 2 {
		t.Errorf("the exported record: %v, %v", got, err)
	}
	must(t, os.WriteFile(file, append(text, '\n'), 0o600))
	if code, said := command("export", folder); code != 1 || !strings.Contains(said, "another record") {
		t.Errorf("over another record: %d %s", code, said)
	}
	for _, fault := range []struct{ sql, words string }{
		{"UPDATE event SET dice = '1-1' WHERE roll = 2; UPDATE event SET dice = '2-2' WHERE roll = 1", "the record is broken"},
		{"UPDATE event SET roll = 3 WHERE roll = 2", "roll 3 stands where roll 2 should be"},
		{"DELETE FROM event WHERE type = 'rolled' AND roll = 2", "stands where event"},
		{"UPDATE match SET rolls = 1 WHERE rolls = 2", "it counts"},
		{"UPDATE match SET seq = 1", "like the one of match"},
		{"UPDATE numbering SET last = 5", "the next one would get"},
		{"UPDATE entry SET text = x'00' WHERE number = 0", "entry 0 of the log is not the one of its match"},
		{"DELETE FROM entry WHERE number = (SELECT max(number) FROM entry)", "log"},
		{"UPDATE hash SET hash = zeroblob(32) WHERE number = 0", "hash 0 of the log's tree"},
		{"UPDATE match SET seal = zeroblob(32) WHERE state <> 'finished'", "seal"},
	} {
		broken := filepath.Join(t.TempDir(), "broken.db")
		good, err := os.ReadFile(copied)
		must(t, err)
		must(t, os.WriteFile(broken, good, 0o600))
		execute(t, broken, fault.sql)
		var out bytes.Buffer
		code := run(t.Context(), []string{"check", "-db", broken, "-key-file", key}, environment(), &out, &out)
		if code != 1 || !strings.Contains(out.String(), fault.words) {
			t.Errorf("%s: got %d %s, want %q", fault.sql, code, &out, fault.words)
		}
	}
	fails(t, 2, "takes the file", environment(), "backup")
	fails(t, 2, "takes the folder", environment(), "export")
	fails(t, 2, "takes only flags", environment(), "check", "x")
	fails(t, 2, "pg_dump", environment(), "backup", "-db", "postgres:///x", "y")
	fails(t, 1, "every node needs the same", environment(), "-db", "postgres:///x", "-key-file", filepath.Join(dir, "none"))
	fails(t, 1, "no such file", environment(), "check", "-data", filepath.Join(dir, "none"))
	if code, said := command("migrate"); code != 0 || !strings.Contains(said, "is of this version") {
		t.Errorf("migrate: %d %s", code, said)
	}
}

// execute runs statements in a SQLite database.
func execute(t *testing.T, path, sql string) {
	t.Helper()
	c, err := sqlite3.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if err := c.Exec(sql); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
}

// The connection of one of two nodes to the database hangs under load, and stays so: that
// node says that it is busy, in the time that was stated, and goes on by itself as soon as
// new connections come through. The other one does not stop, with the same matches.
func TestFaultsOfAConnectionThatHangs(t *testing.T) {
	t.Parallel()
	p := needs.Postgres(t)
	c := onPostgres(t, 1, p.Create("veridice"))
	cable := p.Cable(t)
	args := slices.Clone(c.args)
	args[slices.Index(args, "-db")+1] = cable.Postgres("veridice") + "&patience=2s"
	behind, direct := launchWith(t, c.binary, args...), c.nodes[0]
	c.nodes = append(c.nodes, behind)
	n := 0
	c.load(2, 40, 1, func() {
		n++
		tb := c.tables[0]
		cable.Hang()
		var all sync.WaitGroup
		busy := func(do func() (*http.Response, error)) {
			all.Go(func() {
				start := time.Now() // the usual patience of a node is ten seconds
				answer, err := do()
				if err != nil {
					t.Error(err)
					return
				}
				defer answer.Body.Close()
				text, err := io.ReadAll(answer.Body)
				if took := time.Since(start); err != nil || answer.StatusCode != 503 || took > 9*time.Second {
					t.Errorf("%s: got %d %s, %v after %v", answer.Request.URL.Path, answer.StatusCode, text, err, took)
				}
				if answer.Request.URL.Path != "/readyz" && !strings.Contains(string(text), `"code":"busy"`) {
					t.Errorf("%s: got %s", answer.Request.URL.Path, text)
				}
			})
		}
		for i := range 20 {
			busy(func() (*http.Response, error) {
				r, err := http.NewRequest("POST", behind.base+tb.path("roll"), strings.NewReader(`{"after":0}`)) // long ago
				if err != nil {
					return nil, err
				}
				r.Header.Set("Content-Type", "application/json")
				r.Header.Set("Idempotency-Key", fmt.Sprint("hangs-", n, "-", i))
				r.Header.Set("Authorization", "Bearer "+tb.tokens[0])
				return c.h.Do(r)
			})
			busy(func() (*http.Response, error) { return c.h.Get(behind.base + "/v1/matches/" + tb.id) })
		}
		busy(func() (*http.Response, error) { return c.h.Get(behind.base + "/readyz") })
		if status, _ := get(t, c.h, behind.base+"/en/"); status != 200 {
			t.Errorf("a page without the database: got %d", status)
		}
		// At the other node a roll falls while this one hangs.
		for end, after := time.Now().Add(patience), uint64(0); ; {
			status, text, err := post(c.h, direct.base+tb.path("roll"), tb.tokens[1], fmt.Sprint("direct-", n, "-", after), fmt.Sprintf(`{"after":%d}`, after))
			if status == 200 {
				break
			}
			var a struct{ Args struct{ Last uint64 } }
			if json.Unmarshal([]byte(text), &a) != nil || time.Now().After(end) {
				t.Errorf("the other node: got %d %s, %v", status, text, err)
				break
			}
			after = a.Args.Last
		}
		all.Wait()
		cable.Heal()
		eventually(t, "the node comes back", func() bool {
			status, _ := get(t, c.h, behind.base+"/readyz")
			return status == 200
		})
	})
}
