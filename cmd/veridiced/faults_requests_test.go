package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"veridice/internal/needs"
)

// rolling opens a table for two, one for each n, in which the first roll can fall.
func rolling(t *testing.T, n int, nodes ...*started) *table {
	t.Helper()
	c := &cluster{t: t, h: &http.Client{Timeout: 20 * time.Second}}
	for _, node := range nodes {
		c.nodes = append(c.nodes, &process{base: node.base})
	}
	tb := c.open(n, 2)
	eventually(t, "the match is running", func() bool {
		var s struct{ State string }
		return json.Unmarshal(tb.get(""), &s) == nil && s.State == "running"
	})
	return tb
}

// fell are the rolls that are stored, as they are answered.
func (t *table) fell() (all []string) {
	t.c.t.Helper()
	var s struct {
		Rolls []struct {
			Roll uint64
			Seat int
			Dice [2]int
		}
	}
	if err := json.Unmarshal(t.get(""), &s); err != nil {
		t.c.t.Fatal(err)
	}
	for _, r := range s.Rolls {
		all = append(all, fmt.Sprintf(`{"roll":%d,"dice":[%d,%d],"seat":%d,"game":1}`, r.Roll, r.Dice[0], r.Dice[1], r.Seat))
	}
	return all
}

// Requests for one roll meet on two nodes: the same one has one answer on both; of two
// seats one has the roll, and the other hears which one it was.
func TestOneRollOnTwoNodes(t *testing.T) {
	t.Parallel()
	for kind, db := range map[string]func(*testing.T) string{
		"SQLite":     func(t *testing.T) string { return filepath.Join(t.TempDir(), "veridice.db") },
		"PostgreSQL": func(t *testing.T) string { return needs.Postgres(t).Create("veridice") },
	} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			args := []string{"-db", db(t), "-key-file", filepath.Join(t.TempDir(), "veridice.key")}
			if code := run(t.Context(), append([]string{"init"}, args...), environment(), io.Discard, io.Discard); code != 0 {
				t.Fatal("init failed")
			}
			args = append(args, "-addr", "localhost:0", "-log", "warn")
			nodes := []*started{startWith(t, environment(), args...), startWith(t, environment(), args...)}
			tb := rolling(t, 0, nodes...)
			both := func(ask func(node int) (key string, seat int)) (status [2]int, text [2]string, after int) {
				after = len(tb.fell())
				var all sync.WaitGroup
				for i, n := range nodes {
					all.Go(func() {
						key, seat := ask(i)
						var err error
						status[i], text[i], err = post(tb.c.h, n.base+tb.path("roll"), tb.tokens[seat], key, fmt.Sprintf(`{"after":%d}`, after))
						if err != nil {
							t.Error(err)
						}
					})
				}
				all.Wait()
				return status, text, after
			}
			const rounds = 12
			for round := range rounds {
				status, text, _ := both(func(int) (string, int) { return fmt.Sprint("same-", round), 0 })
				if status != [2]int{200, 200} || text[0] != text[1] {
					t.Fatalf("one request: got %v %q", status, text)
				}
				status, text, after := both(func(node int) (string, int) { return fmt.Sprint("two-", round, "-", node), node })
				won := 0
				if status[1] == 200 {
					won = 1
				}
				var refused struct {
					Code string
					Args struct{ Last int }
				}
				if err := json.Unmarshal([]byte(text[1-won]), &refused); err != nil || status[won] != 200 || status[1-won] != 409 || refused.Args.Last != after+1 {
					t.Fatalf("two requests: got %v %q", status, text)
				}
			}
			if n := len(tb.fell()); n != 2*rounds {
				t.Errorf("%d rolls fell, not %d", n, 2*rounds)
			}
		})
	}
}

// A request is cut off somewhere, or nobody waits for its answer; then it is sent again,
// whole. It happened once.
func TestCutRequests(t *testing.T) {
	t.Parallel()
	data := filepath.Join(t.TempDir(), "data")
	s := startWith(t, environment(), "-data", data, "-addr", "localhost:0", "-log", "warn")
	tb := rolling(t, 0, s)
	at := strings.TrimPrefix(s.base, "http://")
	body := func(n int) string { return fmt.Sprintf(`{"after":%d}`, n) }
	whole := func(n int) []byte {
		return fmt.Appendf(nil, "POST %s HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\nAuthorization: Bearer %s\r\nIdempotency-Key: cut-%d\r\nContent-Length: %d\r\n\r\n%s",
			tb.path("roll"), at, tb.tokens[0], n, len(body(n)), body(n))
	}
	full := len(whole(0))
	cuts := []int{1, 20, bytes.Index(whole(0), []byte("Idempotency")) + 5, full - len(body(0)), full - 5, full - 1, full, full, full, full}
	for n, cut := range cuts {
		c, err := net.Dial("tcp", at)
		must(t, err)
		text := whole(n)
		_, err = c.Write(text[:len(text)-(full-cut)])
		must(t, err)
		if n%2 == 0 {
			c.(*net.TCPConn).SetLinger(0) // the other side hears of a reset
		}
		must(t, c.Close())
		status, first, err := post(tb.c.h, s.base+tb.path("roll"), tb.tokens[0], fmt.Sprint("cut-", n), body(n))
		if err != nil || status != 200 {
			t.Fatalf("cut after %d bytes and sent again: got %d %s, %v", cut, status, first, err)
		}
		if rolls := tb.fell(); len(rolls) != n+1 || rolls[n] != first {
			t.Errorf("cut after %d bytes: %d rolls fell, answered was %s", cut, len(rolls), first)
		}
	}
	if said := s.stderr.String(); strings.Contains(said, "level=ERROR") {
		t.Errorf("it says %s", said)
	}
}

// A database file that cannot be written, or not beside, is not served.
func TestReadOnlyFile(t *testing.T) {
	t.Parallel()
	binary := build(t)
	folder, err := os.MkdirTemp("", "veridiced-ro-") // t.TempDir() is closed to others
	must(t, err)
	t.Cleanup(func() { os.Chmod(filepath.Join(folder, "data"), 0o700); os.RemoveAll(folder) })
	data := filepath.Join(folder, "data")
	if code := run(t.Context(), []string{"init", "-data", data}, environment(), io.Discard, io.Discard); code != 0 {
		t.Fatal("init failed")
	}
	for _, modes := range [][2]os.FileMode{{0o444, 0o755}, {0o444, 0o555}, {0o644, 0o555}} {
		must(t, os.Chmod(folder, 0o755))
		must(t, os.Chmod(data, modes[1]))
		must(t, os.Chmod(filepath.Join(data, "veridice.db"), modes[0]))
		for _, args := range [][]string{{"-addr", "127.0.0.1:0"}, {"check"}} {
			cmd := asNobody(t, binary, folder, append(args, "-data", data)...)
			out, err := cmd.CombinedOutput()
			if code := cmd.ProcessState.ExitCode(); code != 1 || !strings.Contains(string(out), "veridiced: error: sqlite: ") {
				t.Errorf("%v %v: got %d, %v: %s", modes, args, code, err, out)
			}
		}
	}
}
