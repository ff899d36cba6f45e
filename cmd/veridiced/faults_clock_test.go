package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"veridice/checkpoint"
	"veridice/internal/needs"
	"veridice/internal/witness"
	"veridice/record"
	"veridice/vectors"
	"veridice/verify"
)

// A skewed clock is that of the machine, set.
type skewed struct{ by atomic.Int64 }

func (c *skewed) Now() time.Time { return time.Now().Add(time.Duration(c.by.Load())) }

// The clock of the server and of its witness is set back an hour and forward while tables
// are opened, played and ended. Tables begin, rolls fall, the log grows, every record and
// every receipt is proven, also those whose times stand before the times of older ones.
func TestClockSetBackAndForward(t *testing.T) {
	t.Parallel()
	clock, folder := new(skewed), t.TempDir()
	data := filepath.Join(folder, "data")
	command := func(verb string, args ...string) string {
		t.Helper()
		var out, errs bytes.Buffer
		if code := run(t.Context(), append([]string{verb, "-data", data}, args...), environment(), &out, &errs); code != 0 {
			t.Fatalf("veridiced %s: %s%s", verb, &out, &errs)
		}
		return out.String()
	}
	command("init")
	logLine := command("log", "key")
	key, err := checkpoint.ParseKey(strings.Fields(logLine)[1])
	must(t, err)
	must(t, os.Mkdir(filepath.Join(folder, "witness"), 0o700))
	signer, err := witnessSigner(filepath.Join(folder, "witness"), "w.example")
	must(t, err)
	must(t, witness.Add(filepath.Join(folder, "witness"), key))
	cosigns := httptest.NewServer(witness.New(filepath.Join(folder, "witness"), signer, clock.Now, func(said string) { t.Errorf("the witness says %s", said) }))
	defer cosigns.Close()
	policy := fmt.Sprintf("%switness w.example %s %s/\nquorum w.example\n", logLine, signer.Key(), cosigns.URL)
	pinned, err := checkpoint.ParsePolicy([]byte(policy))
	must(t, err)
	policyFile := filepath.Join(folder, "policy")
	must(t, os.WriteFile(policyFile, []byte(policy), 0o600))

	ctx, cancel := context.WithCancel(t.Context())
	ready, ended := make(chan net.Addr, 1), make(chan error, 1)
	p := &program{
		addr: "localhost:0", data: data, policy: policyFile, level: "warn", stdout: io.Discard, stderr: new(needs.Text), clock: clock, vectors: vectors.Lines,
		ready: func(a net.Addr) { ready <- a },
	}
	go func() { ended <- p.serve(ctx) }()
	var s *started
	select {
	case a := <-ready:
		s = &started{base: "http://" + a.String()}
	case err := <-ended:
		t.Fatal(err)
	}
	set := func(n int) { clock.by.Store(int64([]time.Duration{0, -time.Hour, time.Hour}[n%3])) }
	var tables []*table
	ask := func(tb *table, what string, seat int, key, body string) {
		t.Helper()
		if status, text, err := post(http.DefaultClient, s.base+tb.path(what), tb.tokens[seat], key, body); err != nil || status != 200 {
			t.Fatalf("%s: got %d %s, %v", what, status, text, err)
		}
	}
	for n := range 4 {
		set(n)
		tb := rolling(t, n, s)
		tables = append(tables, tb)
		ask(tb, "roll", 0, "first", `{"after":0}`)
	}
	var times []int64
	for n, tb := range tables {
		set(n + 1)
		ask(tb, "roll", 1, "second", `{"after":1}`)
		set(n + 2)
		ask(tb, "end", 0, "end-0", `{"after":2}`)
		ask(tb, "end", 1, "end-1", `{"after":2}`)
		times = append(times, receiptOf(t, tb, pinned))
	}
	// Table 2 was opened when the clock had been set back, and table 3 when it was ahead.
	if back, forward := times[0]-times[1], times[2]-times[0]; back < 3000 || forward < 3000 {
		t.Errorf("the receipts are of the times %d", times)
	}
	note := func() []byte { _, b := get(t, http.DefaultClient, s.base+"/log/checkpoint"); return b }
	if c, err := pinned.Open(note()); err != nil || c.Size != 8 {
		t.Errorf("the log has %d entries, %v", c.Size, err)
	}
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if said := p.stderr.(*needs.Text).String(); strings.Contains(said, "level=ERROR") {
		t.Errorf("it says %s", said)
	}
	if said := command("check"); !strings.HasPrefix(said, "matches 4\nrolls 8\nopenings 4\nlog entries 8\n") {
		t.Errorf("check: %s", said)
	}
}

// receiptOf holds the proof of a match that is over to the policy, and gives the time of the
// receipt of its seal.
func receiptOf(t *testing.T, tb *table, policy *checkpoint.Policy) (at int64) {
	t.Helper()
	var proof *record.Proof
	for end := time.Now().Add(patience); ; time.Sleep(10 * time.Millisecond) {
		text := tb.get("/proof")
		var err error
		if proof, err = record.ParseProof(text); err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(text, []byte("\nunseal-receipt ")) {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("no receipt of the end:\n%s", text)
		}
	}
	parts := map[string][]byte{}
	for _, p := range proof.Parts {
		parts[p.Name] = p.Text
	}
	if r := verify.Text(parts["record"], verify.Options{}); r.Verdict != verify.Proven || r.Rolls != 2 {
		t.Errorf("the record is %s %s with %d rolls", r.Verdict, r.Code, r.Rolls)
	}
	for _, name := range []string{"unseal", "seal"} {
		logged, err := policy.Receipt(parts[name], parts[name+"-receipt"])
		if err != nil {
			t.Errorf("the receipt of %s: %v", name, err)
		}
		at = logged.Time
	}
	return at
}
