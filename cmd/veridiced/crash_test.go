package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// A process is the real binary at work.
type process struct {
	cmd  *exec.Cmd
	base string
	said bytes.Buffer // on standard error; read it when the process has ended
}

// theBinary is built for the first who asks, in a folder that TestMain removes.
var theBinary = sync.OnceValues(func() (string, error) {
	folder, err := os.MkdirTemp("", "veridiced-test-")
	if err != nil {
		return "", err
	}
	theBrowser.Lock()
	theBrowser.end = append(theBrowser.end, func() { os.RemoveAll(folder) })
	theBrowser.Unlock()
	binary := filepath.Join(folder, "veridiced")
	if runtime.GOOS == "windows" {
		binary += ".exe"
	}
	if out, err := exec.Command("go", "build", "-o", binary, ".").CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build: %v\n%s", err, out)
	}
	return binary, nil
})

func build(t testing.TB) string {
	t.Helper()
	binary, err := theBinary()
	if err != nil {
		t.Fatal(err)
	}
	return binary
}

func launch(t testing.TB, binary, data string) *process {
	t.Helper()
	return launchWith(t, binary, "-data", data)
}

// launchWith starts the binary with flags of its own, on a port that is free.
func launchWith(t testing.TB, binary string, flags ...string) *process {
	t.Helper()
	return start(t, exec.Command(binary, append([]string{"-addr", "127.0.0.1:0", "-log", "warn"}, flags...)...))
}

// start runs a server, or a witness, until it says where it listens.
func start(t testing.TB, cmd *exec.Cmd) *process {
	t.Helper()
	p := &process{cmd: cmd}
	p.cmd.Stderr = &p.said
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.kill)
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		p.kill()
		t.Fatalf("it does not say where it listens: %v\n%s", err, &p.said)
	}
	p.base = strings.TrimSuffix(strings.TrimSpace(line), "/")
	return p
}

func (p *process) kill() {
	p.cmd.Process.Kill() // it may have ended
	p.cmd.Wait()
}

// A client holds one seat and the request that it has not heard an answer to.
type client struct {
	match, token string
	name         string
	keys         int
	key, body    string // the request under way, "" if none
	after        uint64
	answered     map[string]string // by key and body, what the server said
}

var errGone = errors.New("the server is gone")

// ask sends the request under way, again if it was sent before, and takes the answer.
func (c *client) ask(h *http.Client, base string) error {
	if c.key == "" {
		c.keys++
		c.key, c.body = fmt.Sprint(c.name, "-", c.keys), fmt.Sprintf(`{"after":%d}`, c.after)
	}
	status, text, err := post(h, base+"/v1/matches/"+c.match+"/roll", c.token, c.key, c.body)
	if err != nil {
		return errGone
	}
	var a struct {
		Roll uint64
		Args struct{ Last uint64 }
	}
	if err := json.Unmarshal([]byte(text), &a); err != nil {
		return fmt.Errorf("%d %s: %v", status, text, err)
	}
	switch status {
	case 200:
		c.answered[c.key+" "+c.body] = text
		c.after, c.key = a.Roll, ""
	case 409: // the other seat was faster; a refused key is free
		c.after, c.key = a.Args.Last, ""
	default:
		return fmt.Errorf("got %d %s", status, text)
	}
	return nil
}

func post(h *http.Client, url, token, key, body string) (int, string, error) {
	r, err := http.NewRequest("POST", url, strings.NewReader(body))
	if err != nil {
		return 0, "", err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Idempotency-Key", key)
	r.Header.Set("Authorization", "Bearer "+token)
	answer, err := h.Do(r)
	if err != nil {
		return 0, "", err
	}
	defer answer.Body.Close()
	b, err := io.ReadAll(answer.Body)
	return answer.StatusCode, string(b), err
}

// The real binary is killed under load, twenty times. Whatever was answered is
// there afterwards, with the same dice; what was under way happened once or not at
// all; numbers have neither doubles nor gaps; the same key has the same answer.
func TestKilledUnderLoad(t *testing.T) {
	t.Parallel()
	const kills, tables, seats, answersBetween = 10, 4, 3, 60
	binary, data := build(t), filepath.Join(t.TempDir(), "data")
	h := &http.Client{Timeout: patience, Transport: &http.Transport{MaxIdleConnsPerHost: tables * seats}}
	p := launch(t, binary, data)
	must := func(url, token, key, body string) (v map[string]any) {
		t.Helper()
		status, text, err := post(h, p.base+url, token, key, body)
		if err != nil || status/100 != 2 {
			t.Fatalf("%s: got %d %s, %v", url, status, text, err)
		}
		if err := json.Unmarshal([]byte(text), &v); err != nil {
			t.Fatal(err)
		}
		return v
	}
	var clients []*client
	for n := range tables {
		made := must("/v1/matches", "", fmt.Sprint("creation-", n), fmt.Sprintf(`{"scheme":"tavli/1","seats":%d}`, seats))
		id := made["match"].(string)
		for i, s := range made["seats"].([]any) {
			c := &client{match: id, token: s.(map[string]any)["token"].(string), name: fmt.Sprint("seat", i+1), answered: map[string]string{}}
			must("/v1/matches/"+id+"/acknowledge", c.token, fmt.Sprint(c.name, "-ack"), fmt.Sprintf(`{"seal":"%s"}`, made["seal"]))
			must("/v1/matches/"+id+"/seed", c.token, fmt.Sprint(c.name, "-seed"), fmt.Sprintf(`{"client":"c%d"}`, i+1))
			clients = append(clients, c)
		}
	}
	interrupted := 0
	for round := range kills {
		var answers atomic.Int64
		var all sync.WaitGroup
		limit := answersBetween + rand.Int64N(answersBetween)
		enough := make(chan struct{})
		for _, c := range clients {
			all.Go(func() {
				for {
					switch err := c.ask(h, p.base); {
					case errors.Is(err, errGone):
						return
					case err != nil:
						t.Error(err)
						return
					}
					if answers.Add(1) == limit {
						close(enough)
					}
				}
			})
		}
		select {
		case <-enough:
		case <-time.After(patience):
			t.Fatalf("round %d: only %d answers", round, answers.Load())
		}
		p.kill()
		all.Wait()
		for _, c := range clients {
			if c.key != "" {
				interrupted++
			}
		}
		p = launch(t, binary, data)
		check(t, h, p.base, clients, round == kills-1)
	}
	rolls := 0
	for _, c := range clients {
		rolls += len(c.answered)
	}
	t.Logf("%d rolls were answered, %d requests cut off", rolls, interrupted)
	if interrupted == 0 {
		t.Error("no request was under way when the server was killed: this test could not fail")
	}
}

// check compares the matches with what was answered; every also asks for every
// answer again, otherwise for the latest of each seat.
func check(t *testing.T, h *http.Client, base string, clients []*client, every bool) {
	t.Helper()
	stored := map[string]map[uint64]string{}
	for _, c := range clients {
		if stored[c.match] == nil {
			answer, err := h.Get(base + "/v1/matches/" + c.match)
			if err != nil {
				t.Fatal(err)
			}
			var s struct {
				Rolls []struct {
					Roll uint64
					Seat int
					Dice [2]int
				}
			}
			err = json.NewDecoder(answer.Body).Decode(&s)
			answer.Body.Close()
			if err != nil {
				t.Fatal(err)
			}
			stored[c.match] = map[uint64]string{}
			for i, r := range s.Rolls {
				if r.Roll != uint64(i+1) {
					t.Fatalf("roll %d stands at place %d", r.Roll, i+1)
				}
				stored[c.match][r.Roll] = fmt.Sprintf(`{"roll":%d,"dice":[%d,%d],"seat":%d,"game":1}`, r.Roll, r.Dice[0], r.Dice[1], r.Seat)
			}
		}
		asked := 0
		seen := map[uint64]bool{}
		for request, text := range c.answered {
			var a struct{ Roll uint64 }
			if err := json.Unmarshal([]byte(text), &a); err != nil {
				t.Fatal(err)
			}
			if stored[c.match][a.Roll] != text || seen[a.Roll] {
				t.Errorf("answered %s, twice: %v; stored is %s", text, seen[a.Roll], stored[c.match][a.Roll])
			}
			seen[a.Roll] = true
			if every || asked < 2 {
				asked++
				key, body, _ := strings.Cut(request, " ")
				if _, again, err := post(h, base+"/v1/matches/"+c.match+"/roll", c.token, key, body); err != nil || again != text {
					t.Errorf("the same key: got %s, %v, want %s", again, err, text)
				}
			}
		}
	}
}
