package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"veridice/checkpoint"
	"veridice/internal/needs"
)

// A door stands before a witness: its address stays when the witness is started again, on
// whatever port is free then.
type door struct {
	url string
	to  atomic.Pointer[url.URL]
}

// launchWitness starts the witness of a folder behind its door.
func launchWitness(t *testing.T, binary, folder string, d *door) *process {
	t.Helper()
	p := start(t, exec.Command(binary, "witness", "-data", folder, "-addr", "127.0.0.1:0"))
	u, err := url.Parse(p.base)
	if err != nil {
		t.Fatal(err)
	}
	d.to.Store(u)
	return p
}

// Four witnesses are processes of the real binary, three of which must cosign. One
// is killed and started again while tables are opened; one stands behind somebody who
// lies for it; one is slow. Then the log is restored from a copy: each of them refuses.
func TestFourWitnesses(t *testing.T) {
	t.Parallel()
	needs.Long(t, "starts five processes")
	binary, folder := build(t), t.TempDir()
	data := filepath.Join(folder, "data")
	first := launch(t, binary, data) // makes the key of the log
	first.kill()
	logLine, err := exec.Command(binary, "log", "-data", data, "key").Output()
	if err != nil {
		t.Fatal(err)
	}
	logKey := strings.Fields(string(logLine))[1]

	policy := string(logLine)
	var witnesses [4]*process
	var folders [4]string
	var doors [4]*door
	var lies atomic.Bool
	var conflicts atomic.Int32
	for i := range witnesses {
		folders[i] = filepath.Join(folder, fmt.Sprint("w", i+1))
		switch i {
		case 2:
			doors[i] = liar(t, &lies, &conflicts)
		case 3:
			doors[i] = slow(t)
		default:
			doors[i] = through(t, func(w http.ResponseWriter, r *http.Request, on http.Handler) { on.ServeHTTP(w, r) })
		}
		line, err := exec.Command(binary, "witness", "-data", folders[i], "-name", fmt.Sprintf("w%d.example", i+1), "key").Output()
		if err != nil {
			t.Fatal(err)
		}
		if out, err := exec.Command(binary, "witness", "-data", folders[i], "add", logKey).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		witnesses[i] = launchWitness(t, binary, folders[i], doors[i])
		policy += strings.TrimSuffix(string(line), "\n") + " " + doors[i].url + "\n"
	}
	policy += "group three 3 w1.example w2.example w3.example w4.example\nquorum three\n"
	policyFile := filepath.Join(folder, "policy")
	if err := os.WriteFile(policyFile, []byte(policy), 0o666); err != nil {
		t.Fatal(err)
	}
	pinned, err := checkpoint.ParsePolicy([]byte(policy))
	if err != nil {
		t.Fatal(err)
	}
	serving := func(data string) *process {
		t.Helper()
		cmd := exec.Command(binary, "-addr", "127.0.0.1:0", "-log", "warn", "-data", data)
		cmd.Env = append(os.Environ(), "VERIDICE_POLICY="+policyFile)
		return start(t, cmd)
	}
	server := serving(data)
	h := &http.Client{Timeout: patience}
	opened := 0
	open := func() {
		t.Helper()
		opened++
		status, text, err := post(h, server.base+"/v1/matches", "", fmt.Sprint("o", opened), `{"scheme":"yayay/1","seats":1}`)
		if err != nil || status != 201 {
			t.Fatalf("%d %s %v", status, text, err)
		}
		var made struct {
			Match, Seal string
			Seats       []struct{ Token string }
		}
		if err := json.Unmarshal([]byte(text), &made); err != nil {
			t.Fatal(err)
		}
		status, text, err = post(h, server.base+"/v1/matches/"+made.Match+"/acknowledge", made.Seats[0].Token, "a", `{"seal":"`+made.Seal+`"}`)
		if err != nil || status != 200 {
			t.Fatalf("%d %s %v", status, text, err)
		}
	}
	// grown waits for a cosigned checkpoint of so many entries.
	grown := func() checkpoint.Cosigned {
		t.Helper()
		var last []byte
		for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
			var status int
			if status, last = get(t, h, server.base+"/log/checkpoint"); status != 200 {
				continue
			}
			if c, err := pinned.Open(last); err == nil && c.Size >= int64(opened) {
				return c
			}
		}
		server.kill()
		t.Fatalf("%d entries are not cosigned: %q\n%s", opened, last, &server.said)
		return checkpoint.Cosigned{}
	}
	open()
	if c := grown(); len(c.Witnesses) < 3 {
		t.Errorf("cosigned by %v", c.Witnesses)
	}
	server.kill()
	backup := filepath.Join(folder, "backup")
	if err := os.CopyFS(backup, os.DirFS(data)); err != nil {
		t.Fatal(err)
	}
	server = serving(data)

	// Killed and started again, it goes on from what it has signed.
	for range 3 {
		witnesses[0].kill()
		open()
		without := grown()
		if without.Witnesses["w1.example"] != 0 {
			t.Errorf("a witness that is dead cosigned: %v", without.Witnesses)
		}
		witnesses[0] = launchWitness(t, binary, folders[0], doors[0])
		open()
		grown()
	}
	// Without the one behind the liar three are left, the slow one among them.
	lies.Store(true)
	open()
	if c := grown(); c.Witnesses["w3.example"] != 0 || c.Witnesses["w4.example"] == 0 {
		t.Errorf("cosigned by %v", c.Witnesses)
	}
	// Without a further one there is no quorum: nothing is shown, and it goes on when he is back.
	witnesses[1].kill()
	before := grown()
	open()
	if _, text := get(t, h, server.base+"/log/checkpoint"); bytes.Contains(text, fmt.Appendf(nil, "\n%d\n", before.Size+1)) {
		t.Errorf("shown without a quorum: %s", text)
	}
	witnesses[1] = launchWitness(t, binary, folders[1], doors[1])
	grown()
	lies.Store(false)
	open()
	grown()

	// A log that was restored from a copy, and goes on from there, is not cosigned.
	server.kill()
	seen := conflicts.Load()
	server = serving(backup)
	open()
	eventually(t, "the restored log asks for cosignatures", func() bool { return conflicts.Load() != seen })
	if status, text := get(t, h, server.base+"/log/checkpoint"); status == 200 {
		if c, err := pinned.Open(text); err != nil || c.Size != 1 {
			t.Errorf("the restored log shows %s, %v", text, err)
		}
	}
	server.kill()
	for _, w := range witnesses {
		w.kill()
		if said := w.said.String(); strings.Contains(said, "error") {
			t.Errorf("a witness says: %s", said)
		}
	}
}

// through opens a door at which somebody stands. Of a witness that is dead nothing is heard.
func through(t *testing.T, answer func(w http.ResponseWriter, r *http.Request, on http.Handler)) *door {
	t.Helper()
	d := new(door)
	on := &httputil.ReverseProxy{
		Rewrite:      func(r *httputil.ProxyRequest) { r.SetURL(d.to.Load()) },
		ErrorHandler: func(http.ResponseWriter, *http.Request, error) { panic(http.ErrAbortHandler) },
	}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { answer(w, r, on) }))
	t.Cleanup(s.Close)
	d.url = s.URL
	return d
}

// liar answers with a cosignature that is spoilt, while it lies, and counts how often
// the witness behind it has seen another log.
func liar(t *testing.T, lies *atomic.Bool, conflicts *atomic.Int32) *door {
	return through(t, func(w http.ResponseWriter, r *http.Request, on http.Handler) {
		kept := httptest.NewRecorder()
		on.ServeHTTP(kept, r)
		if kept.Code == http.StatusConflict {
			conflicts.Add(1)
		}
		b := kept.Body.Bytes()
		if lies.Load() && len(b) > 20 {
			b[len(b)-20] ^= 1
		}
		w.WriteHeader(kept.Code)
		w.Write(b)
	})
}

// slow answers late, but within the time that a log waits.
func slow(t *testing.T) *door {
	return through(t, func(w http.ResponseWriter, r *http.Request, on http.Handler) {
		select {
		case <-time.After(100 * time.Millisecond):
		case <-r.Context().Done():
			return
		}
		on.ServeHTTP(w, r)
	})
}

func TestWitnessCommand(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "w")
	ask := func(want int, args ...string) (string, string) {
		t.Helper()
		var out, errs bytes.Buffer
		if got := run(t.Context(), append([]string{"witness"}, args...), func(string) string { return "" }, &out, &errs); got != want {
			t.Errorf("%v: exit %d, want %d: %s%s", args, got, want, &out, &errs)
		}
		return out.String(), errs.String()
	}
	if out, _ := ask(0, "-help"); !strings.HasPrefix(out, "usage: veridiced witness") {
		t.Error(out)
	}
	if _, errs := ask(2, "-data", folder, "key"); !strings.Contains(errs, "give the witness a -name") {
		t.Error(errs)
	}
	ask(2, "-data", folder, "-name", "a b", "key")
	line, _ := ask(0, "-data", folder, "-name", "club.example/witness", "key")
	again, _ := ask(0, "-data", folder, "key")
	f := strings.Fields(line)
	if line != again || len(f) != 3 || f[0] != "witness" || f[1] != "club.example/witness" {
		t.Errorf("got %q, then %q", line, again)
	}
	if key, err := checkpoint.ParseKey(f[2]); err != nil || key.Algorithm != checkpoint.Cosigning {
		t.Errorf("%+v, %v", key, err)
	}
	if _, errs := ask(1, "-data", folder, "-name", "other.example", "key"); !strings.Contains(errs, "keeps that name") {
		t.Error(errs)
	}
	ask(2, "-data", folder, "add", "nonsense")
	ask(1, "-data", folder, "add", f[2])                                      // not a log's
	for i, add := range [][]string{{"NAME"}, {"log", "NAME"}, {"log NAME"}} { // as veridiced log key prints it
		log, err := checkpoint.NewSigner(fmt.Sprintf("log%d.example", i), checkpoint.Plain, [32]byte{1})
		if err != nil {
			t.Fatal(err)
		}
		add[len(add)-1] = strings.Replace(add[len(add)-1], "NAME", log.Key().String(), 1)
		ask(0, append([]string{"-data", folder, "add"}, add...)...)
	}
	if known, err := filepath.Glob(filepath.Join(folder, "*.log")); err != nil || len(known) != 3 {
		t.Errorf("it knows %d logs, %v", len(known), err)
	}
	ask(2, "-data", folder, "remove")
	ask(2, "-no-such-flag")
	if info, err := os.Stat(filepath.Join(folder, "witness.key")); err != nil || info.Mode().Perm()&0o077 != 0 && os.PathSeparator == '/' {
		t.Errorf("%v, %v", info.Mode(), err)
	}
}
