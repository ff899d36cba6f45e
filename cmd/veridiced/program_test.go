package main

import (
	"bytes"
	"cmp"
	"context"
	"image"
	"image/color"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/piglig/go-qr"

	"veridice/internal/needs"
	"veridice/vectors"
)

// A server under test runs in this process; its folder is private to the test.
type started struct {
	base   string
	stop   func() int // ends it and gives the exit code
	stderr *needs.Text
	stdout *needs.Text
}

func environment(values ...string) func(string) string {
	return func(name string) string {
		for i := 0; i < len(values); i += 2 {
			if values[i] == name {
				return values[i+1]
			}
		}
		return ""
	}
}

func startWith(t *testing.T, getenv func(string) string, args ...string) *started {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	s := &started{stderr: new(needs.Text), stdout: new(needs.Text)}
	code := make(chan int, 1)
	go func() { code <- run(ctx, args, getenv, s.stdout, s.stderr) }()
	stopped, got := false, 0
	s.stop = func() int {
		if cancel(); !stopped {
			stopped, got = true, <-code
		}
		return got
	}
	t.Cleanup(func() { s.stop() })
	for end := time.Now().Add(patience); ; time.Sleep(time.Millisecond) {
		if line, _, ok := strings.Cut(s.stdout.String(), "\n"); ok {
			s.base = strings.TrimSuffix(line, "/")
			return s
		}
		select {
		case got = <-code:
			stopped = true
			t.Fatalf("it ended with %d: %s", got, s.stderr)
		default:
		}
		if time.Now().After(end) {
			t.Fatalf("it does not say where it listens: %s", s.stderr)
		}
	}
}

func fails(t *testing.T, code int, words string, getenv func(string) string, args ...string) {
	t.Helper()
	var out, errs bytes.Buffer
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if got := run(ctx, args, getenv, &out, &errs); got != code || !strings.Contains(errs.String(), words) {
		t.Errorf("%v: got %d: %s, want %d: %s", args, got, &errs, code, words)
	}
}

func TestFirstStart(t *testing.T) {
	t.Chdir(t.TempDir())
	none := environment()
	s := startWith(t, none, "-addr", "localhost:0")
	if !strings.HasPrefix(s.base, "http://localhost:") {
		t.Errorf("got %s, want an address on localhost", s.base)
	}
	answer, err := http.Get(s.base + "/healthz")
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(answer.Body)
	answer.Body.Close()
	if err != nil || answer.StatusCode != 200 || string(body) != `{"status":"ok"}`+"\n" {
		t.Errorf("healthz: got %s %s, %v", answer.Status, body, err)
	}
	if answer, err = http.Get(s.base + "/en/"); err != nil || answer.StatusCode != 200 {
		t.Errorf("home: got %v, %v", answer, err)
	} else {
		answer.Body.Close()
	}
	for _, words := range []string{"keeping database and key in ./data", "made the key file data/veridice.key", "made the database data/veridice.db"} {
		if !strings.Contains(s.stderr.String(), "veridiced: "+words) {
			t.Errorf("standard error does not say %q: %s", words, s.stderr)
		}
	}
	if code := s.stop(); code != 0 {
		t.Errorf("it ended with %d: %s", code, s.stderr)
	}
	info, err := os.Stat("data/veridice.key")
	if err != nil || info.Mode().Perm() != 0o600 || info.Size() != 65 {
		t.Errorf("the key file: got %v, %v, want 65 bytes with mode 600", info, err)
	}
	if info, err := os.Stat("data"); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("the folder: got %v, %v, want mode 700", info, err)
	}
	key, err := os.ReadFile("data/veridice.key")
	if err != nil || strings.Contains(s.stderr.String()+s.stdout.String(), strings.TrimSpace(string(key))) {
		t.Error("the key was printed")
	}
	s = startWith(t, none, "-addr", "localhost:0")
	if strings.Contains(s.stderr.String(), "made") {
		t.Errorf("the second start made something: %s", s.stderr)
	}
	s.stop()

	// Without its key, or with another, a database is not served.
	must(t, os.Rename("data/veridice.key", "kept.key"))
	fails(t, 1, "key file data/veridice.key is not", none, "-addr", "localhost:0")
	s = startWith(t, none, "-addr", "localhost:0", "-key-file", "kept.key")
	if status, _, err := post(http.DefaultClient, s.base+"/v1/matches", "", "creation", `{"scheme":"tavli/1","seats":1}`); err != nil || status != 201 {
		t.Fatalf("got %d, %v", status, err)
	}
	s.stop()
	fails(t, 1, "does not fit the database", environment("VERIDICE_KEY", strings.Repeat("ab", 32)), "-addr", "localhost:0")
	// A new key in the first line, the old one below it.
	must(t, os.WriteFile("both.key", append([]byte(strings.Repeat("cd", 32)+"\n"), key...), 0o600))
	startWith(t, environment("VERIDICE_KEY_FILE", "both.key", "VERIDICE_ADDR", "localhost:0", "VERIDICE_DATA", "data")).stop()
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestInit(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	db, key := filepath.Join(dir, "a", "x.db"), filepath.Join(dir, "x.key")
	none := environment()
	fails(t, 1, "veridiced init -db "+db, none, "-db", db, "-key-file", key)
	var out, errs bytes.Buffer
	if code := run(t.Context(), []string{"init", "-db", db, "-key-file", key}, none, &out, &errs); code != 0 || out.String() != key+"\n"+db+"\n" {
		t.Fatalf("got %d: %s%s", code, &out, &errs)
	}
	startWith(t, none, "-addr", "localhost:0", "-db", db, "-key-file", key).stop()
	fails(t, 1, "exists already", none, "init", "-db", db, "-key-file", key)
	fails(t, 1, "no key file", none, "-db", db, "-key-file", filepath.Join(dir, "missing.key"))
	for _, bad := range []string{"", "x", strings.Repeat("AB", 32), strings.Repeat("ab", 31), strings.Repeat("ab", 32) + "\n\n" + strings.Repeat("ab", 32)} {
		must(t, os.WriteFile(key, []byte(bad), 0o600))
		fails(t, 1, "is not a key of 64", none, "-db", db, "-key-file", key)
	}
}

func TestCommandLine(t *testing.T) {
	t.Chdir(t.TempDir())
	none := environment()
	fails(t, 2, "hint: veridiced -help", none, "-nothing")
	fails(t, 2, `there is no command "x"`, none, "x")
	fails(t, 2, "the command comes first: veridiced check [flags]", none, "-data", t.TempDir(), "check")
	fails(t, 2, "init takes only flags", none, "init", "x")
	fails(t, 2, "SQLite file", none, "-db", "mysql://localhost/x")
	fails(t, 2, "debug, info, warn or error", none, "-log", "loud")
	for _, origin := range []string{"dice.example", "https://dice.example/", "https://a.example; script-src *", "ftp://dice.example", "https://", "https://a b"} {
		fails(t, 2, "-origin takes an address", none, "-origin", origin)
	}
	for _, contact := range []string{"javascript:alert(1)", "nobody", "a@b", "mailto:a@b.example", "https://a.example/?x=1", "a@b.example\nx"} {
		fails(t, 2, "-contact takes a mail address", none, "-contact", contact)
	}
	fails(t, 2, "-trusted-proxy takes addresses", none, "-trusted-proxy", "127.0.0.1, localhost")
	fails(t, 2, "-trusted-proxy takes addresses", environment("VERIDICE_TRUSTED_PROXY", "10.0.0.0/33"))
	fails(t, 1, "", none, "-addr", "nowhere.invalid:99999")
	for _, asked := range []string{"-help", "help"} {
		var out bytes.Buffer
		if code := run(t.Context(), []string{asked}, none, &out, io.Discard); code != 0 || out.String() != usage {
			t.Errorf("%s: got %d: %s", asked, code, &out)
		}
	}
}

// The operator's page has every flag and every variable of the help, and no other.
func TestOperatorsPage(t *testing.T) {
	page, err := os.ReadFile("../../docs/operator.md")
	must(t, err)
	var named [2][]string
	for i, text := range []string{usage, string(page)} {
		for _, m := range regexp.MustCompile(`(?m)VERIDICE_[A-Z_]+|^  (-[a-z-]+)|^\| `+"`(-[a-z-]+)`").FindAllStringSubmatch(text, -1) {
			named[i] = append(named[i], cmp.Or(m[1], m[2], m[0]))
		}
		slices.Sort(named[i])
		named[i] = slices.Compact(named[i])
	}
	if len(named[0]) < 14 || !slices.Equal(named[0], named[1]) {
		t.Errorf("the help names %q, the page %q", named[0], named[1])
	}
}

// What is printed as a QR code is read back by a decoder.
func TestQRCode(t *testing.T) {
	for _, terminal := range []bool{false, true} {
		const want = "http://192.168.178.21:8080/"
		code, err := go_qr.EncodeText(want, go_qr.Low)
		must(t, err)
		text := draw(code, terminal)
		text = strings.NewReplacer("\x1b[97;40m", "", "\x1b[0m", "").Replace(text)
		lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
		const scale = 4
		picture := image.NewGray(image.Rect(0, 0, scale*len([]rune(lines[0])), 2*scale*len(lines)))
		for y, line := range lines {
			for x, r := range []rune(line) {
				for half, light := range []bool{r == '█' || r == '▀', r == '█' || r == '▄'} {
					for dy := range scale {
						for dx := range scale {
							if light {
								picture.SetGray(scale*x+dx, scale*(2*y+half)+dy, color.Gray{255})
							}
						}
					}
				}
			}
		}
		if got, err := go_qr.Decode(picture); err != nil || got != want {
			t.Errorf("terminal %v: got %q, %v, want %q", terminal, got, err, want)
		}
	}
}

func TestAnnounce(t *testing.T) {
	for _, c := range []struct {
		asked string
		ip    string
		want  string
	}{
		{"localhost:8080", "127.0.0.1", "http://localhost:8080/\n"},
		{"127.0.0.1:0", "127.0.0.1", "http://localhost:8080/\n"},
		{"dice.lan:8080", "192.0.2.1", "http://dice.lan:8080/\n"},
		{"192.0.2.1:8080", "192.0.2.1", "http://192.0.2.1:8080/\n"},
		{"[2001:db8::1]:8080", "2001:db8::1", "http://[2001:db8::1]:8080/\n"},
	} {
		var out bytes.Buffer
		p := &program{stdout: &out, stderr: io.Discard}
		p.announce(c.asked, &net.TCPAddr{IP: net.ParseIP(c.ip), Port: 8080})
		if out.String() != c.want {
			t.Errorf("%s: got %q, want %q", c.asked, &out, c.want)
		}
	}
	var out, errs bytes.Buffer
	p := &program{stdout: &out, stderr: &errs}
	p.announce(":8080", &net.TCPAddr{IP: net.IPv6unspecified, Port: 8080})
	if len(p.others(8080)) > 0 && !strings.Contains(out.String(), "█") || !strings.HasPrefix(out.String(), "http://localhost:8080/\n") {
		t.Errorf("got %s%s, want addresses and a code", &out, &errs)
	}
}

// A build that comes to other dice than the vectors, or to another verdict, does
// not serve.
func TestSelfTestStopsTheStart(t *testing.T) {
	for _, c := range []struct{ file, from, to string }{
		{"tavli.ndjson", `"dice":[2,1]`, `"dice":[1,2]`},
		{"links.ndjson", `"verdict":"proven"`, `"verdict":"broken"`},
		{"links.ndjson", `"place":"roll `, `"place":"roll 1`},
		{"tavli.ndjson", "", ""},
	} {
		changed := 0
		lines := func(file string) ([][]byte, error) {
			all, err := vectors.Lines(file)
			if err != nil || file != c.file {
				return all, err
			}
			if c.from == "" {
				return nil, nil // an empty corpus is no pass
			}
			for i := range all {
				if changed == 0 && bytes.Contains(all[i], []byte(c.from)) {
					all[i] = bytes.Replace(all[i], []byte(c.from), []byte(c.to), 1)
					changed++
				}
			}
			return all, nil
		}
		var errs bytes.Buffer
		p := &program{stdout: io.Discard, stderr: &errs, data: t.TempDir(), addr: "localhost:0", vectors: lines}
		if err := p.serve(t.Context()); err == nil || !strings.Contains(err.Error(), "self-test failed") {
			t.Errorf("%s: got %v, want that the self-test failed", c.file, err)
		}
		if c.from != "" && changed != 1 {
			t.Errorf("%s holds no %s", c.file, c.from)
		}
	}
}
