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
	const kills, openers, perRound = 8, 4, 24
	binary, data := build(t), filepath.Join(t.TempDir(), "data")
	h := &http.Client{Timeout: 20 * time.Second}
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
					if err != nil || status != 201 {
						return // killed
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
					if err != nil || status != 200 {
						return
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
		case <-time.After(time.Minute):
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
		var proof *record.Proof
		for end := time.Now().Add(20 * time.Second); ; time.Sleep(10 * time.Millisecond) {
			if status, text := get(t, h, p.base+"/v1/matches/"+match+"/proof"); status == 200 && bytes.Contains(text, []byte("\nseal-receipt ")) {
				if proof, err = record.ParseProof(text); err != nil {
					t.Fatal(err)
				}
				break
			}
			if time.Now().After(end) {
				t.Fatalf("match %s was acknowledged and has no receipt", match)
			}
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
