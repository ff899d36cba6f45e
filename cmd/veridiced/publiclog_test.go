package main

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/tlog"

	"veridice/checkpoint"
	"veridice/record"
	"veridice/verify"
)

func get(t *testing.T, h *http.Client, url string) (int, []byte) {
	t.Helper()
	answer, err := h.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	b, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, b
}

// The real binary is killed while tables are opened. Every seal that was acknowledged is
// in the log afterwards, with a receipt; the log grows from every checkpoint that anybody
// saw; and it is one log, without a gap.
func TestLogKilledUnderLoad(t *testing.T) {
	t.Parallel()
	const kills, openers, perRound = 8, 4, 24
	binary, data := build(t), filepath.Join(t.TempDir(), "data")
	h := &http.Client{Timeout: patience}
	p := launch(t, binary, data)
	var mu sync.Mutex
	var matches []string // whose seal was acknowledged
	var heads [][]byte
	opened := 0
	for range kills {
		var all sync.WaitGroup
		enough, done := make(chan struct{}), 0
		base := p.base
		for range openers {
			all.Go(func() {
				for {
					mu.Lock()
					opened++
					key := fmt.Sprint("o", opened)
					mu.Unlock()
					status, text, err := post(h, base+"/v1/matches", "", key, `{"scheme":"yayay/1","seats":1}`)
					if err != nil {
						return // killed
					}
					if status != 201 {
						continue // busy
					}
					var made struct {
						Match, Seal string
						Seats       []struct{ Token string }
					}
					if err := json.Unmarshal([]byte(text), &made); err != nil {
						t.Error(err)
						return
					}
					status, _, err = post(h, base+"/v1/matches/"+made.Match+"/acknowledge", made.Seats[0].Token, "a", `{"seal":"`+made.Seal+`"}`)
					if err != nil {
						return
					}
					if status != 200 {
						continue
					}
					answer, err := h.Get(base + "/log/checkpoint")
					if err != nil {
						return
					}
					head, err := io.ReadAll(answer.Body)
					answer.Body.Close()
					mu.Lock()
					if err == nil && answer.StatusCode == 200 {
						heads = append(heads, head)
					}
					matches = append(matches, made.Match)
					if done++; done == perRound {
						close(enough)
					}
					mu.Unlock()
				}
			})
		}
		select {
		case <-enough:
		case <-time.After(patience):
			t.Fatal("too few tables were opened")
		}
		p.kill()
		all.Wait()
		p = launch(t, binary, data)
	}

	key, err := exec.Command(binary, "log", "-data", data, "key").Output()
	if err != nil {
		t.Fatal(err)
	}
	policy, err := checkpoint.ParsePolicy(append(key, "quorum none\n"...))
	if err != nil {
		t.Fatal(err)
	}
	var last uint64
	for _, match := range matches {
		var text []byte
		eventually(t, "match "+match+", which was acknowledged, has a receipt", func() bool {
			var status int
			status, text = get(t, h, p.base+"/v1/matches/"+match+"/proof")
			return status == 200 && bytes.Contains(text, []byte("\nseal-receipt "))
		})
		proof, err := record.ParseProof(text)
		if err != nil {
			t.Fatal(err)
		}
		logged, err := policy.Receipt(proof.Part("seal"), proof.Part("seal-receipt"))
		if err != nil {
			t.Fatalf("match %s: %v", match, err)
		}
		last = max(last, logged.Index)
	}
	_, note := get(t, h, p.base+"/log/checkpoint")
	now, err := policy.Open(note)
	if err != nil || uint64(now.Size) <= last {
		t.Fatalf("the checkpoint: %+v, %v", now, err)
	}
	for _, seen := range heads {
		then, err := policy.Open(seen)
		if err != nil {
			t.Fatal(err)
		}
		status, text := get(t, h, fmt.Sprintf("%s/log/growth/%d/%d", p.base, then.Size, now.Size))
		var growth []tlog.Hash
		for line := range strings.Lines(string(text)) {
			b, err := base64.StdEncoding.DecodeString(strings.TrimSuffix(line, "\n"))
			if err != nil || len(b) != 32 {
				t.Fatalf("growth: %d %q", status, text)
			}
			growth = append(growth, tlog.Hash(b))
		}
		if err := checkpoint.CheckGrowth(then.Checkpoint, now.Checkpoint, growth); err != nil {
			t.Errorf("from the checkpoint of %d that was shown: %v", then.Size, err)
		}
	}
	var out bytes.Buffer
	monitor := exec.Command(binary, "monitor", p.base+"/log")
	monitor.Stdout, monitor.Stderr = &out, &out
	if err := monitor.Run(); err != nil {
		t.Errorf("the monitor finds: %v\n%s", err, &out)
	}
	t.Logf("%d seals acknowledged, %d checkpoints seen, %d entries", len(matches), len(heads), now.Size)
}

// TestNewLog gives a log up between two runs of a server: the match that began in it ends
// in the other one, whose key is another, and the phones are told both.
func TestNewLog(t *testing.T) {
	t.Parallel()
	data, h := t.TempDir(), &http.Client{Timeout: patience}
	say := func(args ...string) string {
		t.Helper()
		var out, errs bytes.Buffer
		if code := run(t.Context(), append([]string{"log", "-data", data}, args...), environment(), &out, &errs); code != 0 {
			t.Fatalf("log %v: %d: %s", args, code, &errs)
		}
		return out.String()
	}
	do := func(s *started, path, token, body string, want int) string {
		t.Helper()
		status, text, err := post(h, s.base+path, token, path[strings.LastIndexByte(path, 0x2f)+1:], body)
		if err != nil || status != want {
			t.Fatalf("%s: %d %s %v", path, status, text, err)
		}
		return text
	}
	args := []string{"-addr", "localhost:0", "-data", data}
	s := startWith(t, environment(), append(args, "-log-name", "dice.example/log")...)
	fails(t, 1, "there is no log yet", environment(), "log", "-data", data, "new", "dice.example/log2")
	var made struct {
		Match, Seal string
		Seats       []struct{ Token string }
	}
	if err := json.Unmarshal([]byte(do(s, "/v1/matches", "", `{"scheme":"yayay/1","seats":1}`, 201)), &made); err != nil {
		t.Fatal(err)
	}
	match, token := "/v1/matches/"+made.Match, made.Seats[0].Token
	do(s, match+"/acknowledge", token, `{"seal":"`+made.Seal+`"}`, 200)
	proof := func(part string) []byte {
		t.Helper()
		var text []byte
		eventually(t, "the proof has a "+part, func() bool {
			status, body := get(t, h, s.base+match+"/proof")
			text = body
			return status == 200 && bytes.Contains(body, []byte("\n"+part+" "))
		})
		return text
	}
	proof("seal-receipt")
	do(s, match+"/roll", token, `{"after":0}`, 200)
	s.stop()

	fails(t, 2, "veridiced log new NAME", environment(), "log", "-data", data, "new")
	fails(t, 2, "without blanks", environment(), "log", "-data", data, "new", "dice example")
	fails(t, 1, "has or had the name", environment(), "log", "-data", data, "new", "dice.example/log")
	old, fresh := say("key"), say("new", "dice.example/log2")
	if !strings.HasPrefix(fresh, "log dice.example/log2+") || say("key") != fresh || strings.HasSuffix(strings.TrimSpace(old), fresh[len(fresh)-45:]) {
		t.Errorf("the old line is %safter it %s", old, fresh)
	}
	fails(t, 1, "keeps that name", environment(), append(args, "-log-name", "dice.example/log")...)

	s = startWith(t, environment(), args...)
	do(s, match+"/end", token, `{"after":1}`, 200)
	status, text, err := post(h, s.base+match+"/end", token, "again", `{"after":1}`)
	if err != nil || status != 200 {
		t.Fatal(status, text, err)
	}
	var head []byte
	eventually(t, "the other log shows something", func() bool {
		status, head = get(t, h, s.base+"/log/checkpoint")
		return status == 200
	})
	if !bytes.HasPrefix(head, []byte("dice.example/log2\n1\n")) {
		t.Errorf("the head is %s", head)
	}
	_, entries := get(t, h, s.base+"/log/tile/entries/000.p/1")
	if want := "veridice/1 unseal\nmatch " + made.Match + "\nsealed 0 "; !strings.HasPrefix(string(entries[2:]), want) {
		t.Errorf("its entry is %q", entries)
	}
	policy, err := checkpoint.ParsePolicy([]byte(old + fresh + "quorum none\n"))
	if err != nil {
		t.Fatal(err)
	}
	if report := verify.Text(proof("seal-receipt"), verify.Options{Policy: policy}); report.Verdict != verify.Proven || report.Closed != nil {
		t.Errorf("the proof file is %s %s", report.Verdict, report.Code)
	}
	if _, page := get(t, h, s.base+"/en/table/"); !bytes.Contains(page, []byte("dice.example/log+")) || !bytes.Contains(page, []byte("dice.example/log2+")) {
		t.Error("the page does not pin both logs")
	}
	s.stop()
	var out bytes.Buffer
	if code := run(t.Context(), []string{"check", "-data", data}, environment(), &out, &out); code != 0 {
		t.Errorf("check: %d: %s", code, &out)
	}
}
