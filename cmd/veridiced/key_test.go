package main

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	api "veridice/client"
	"veridice/internal/needs"
	"veridice/vectors"
)

func TestKeyCommand(t *testing.T) {
	db := filepath.Join(t.TempDir(), "veridice.db")
	veridiced := func(want int, args ...string) (out, errs string) {
		t.Helper()
		var o, e bytes.Buffer
		if code := run(t.Context(), args, func(string) string { return "" }, &o, &e); code != want {
			t.Fatalf("%v: got %d, want %d: %s", args, code, want, &e)
		}
		return o.String(), e.String()
	}
	flags := []string{"-db", db, "-key-file", db + ".key"}
	key := func(want int, args ...string) (string, string) {
		t.Helper()
		return veridiced(want, append(append([]string{"key"}, flags...), args...)...)
	}
	veridiced(0, append([]string{"init"}, flags...)...)
	text, said := key(0, "create", "op", "pairs", "matches:read")
	m := regexp.MustCompile(`^vk_([0-9a-f]{16})_[A-Za-z0-9_-]{43}\n$`).FindStringSubmatch(text)
	if m == nil || strings.Contains(said, strings.TrimSpace(text)) {
		t.Fatalf("got %q, %q", text, said)
	}
	list, _ := key(0, "list")
	if !regexp.MustCompile(`^` + m[1] + `  op  pairs,matches:read  made \S+\n$`).MatchString(list) {
		t.Errorf("the list is %q", list)
	}
	key(0, "revoke", m[1])
	if list, _ := key(0, "list"); !strings.Contains(list, "  revoked ") {
		t.Errorf("the list is %q", list)
	}
	key(1, "revoke", "0123456789abcdef")
	for _, args := range [][]string{{}, {"create", "op"}, {"create", "op", "all"}, {"create", "o p", "pairs"}, {"list", "x"}, {"revoke"}, {"drop"}} {
		key(2, args...)
	}
}

func TestOperatorFlags(t *testing.T) {
	for _, args := range [][]string{{"-cors", "game.example"}, {"-cors", "https://a.example,x"}, {"-webhooks", "all"}} {
		args = append(args, "-data", t.TempDir(), "-addr", "localhost:0")
		if code := run(t.Context(), args, func(string) string { return "" }, io.Discard, io.Discard); code != 2 {
			t.Errorf("%v: got %d", args, code)
		}
	}
}

// The whole program with what operators use: measures, a key, and a rotation that is told.
func TestOperators(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	var key, errs needs.Text
	flags := []string{"-data", data, "-addr", "localhost:0", "-webhooks", "private"}
	if code := run(t.Context(), append([]string{"key"}, append(flags, "create", "op", "pairs", "hooks")...), func(string) string { return "" }, &key, &errs); code != 0 {
		t.Fatalf("got %d: %s", code, errs.String())
	}
	heard := make(chan string, 100) // a slow answer brings the same once more
	var secret atomic.Value
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		e, err := api.ReadWebhook(secret.Load().(string), r.Header, body, time.Now())
		if err != nil {
			t.Error(err)
		}
		heard <- e.Type
	}))
	defer receiver.Close()
	ready, ended := make(chan net.Addr, 1), make(chan error, 1)
	p := &program{
		addr: "localhost:0", data: data, webhooks: "private", metrics: "localhost:0", level: "info", stdout: io.Discard, stderr: &errs, vectors: vectors.Lines,
		ready: func(a net.Addr) { ready <- a },
	}
	ctx, stop := context.WithCancel(t.Context())
	go func() { ended <- p.serve(ctx) }()
	var addr net.Addr
	select {
	case addr = <-ready:
	case err := <-ended:
		t.Fatal(err)
	}
	c := api.New("http://"+addr.String(), strings.TrimSpace(key.String()))
	h, err := c.CreateHook(ctx, receiver.URL)
	must(t, err)
	secret.Store(h.Secret)
	_, err = c.CreatePair(ctx, "u", "shuffle")
	must(t, err)
	_, err = c.SetClient(ctx, "u", 1, "c")
	must(t, err)
	_, err = c.Draw(ctx, "u", "dice", nil)
	must(t, err)
	_, _, err = c.Rotate(ctx, "u", 1, "d")
	must(t, err)
	if got := <-heard; got != "pair.rotated" {
		t.Errorf("heard %s", got)
	}
	at := regexp.MustCompile(`http://\S+/metrics`).FindString(errs.String())
	answer, err := http.Get(at)
	must(t, err)
	text, err := io.ReadAll(answer.Body)
	answer.Body.Close()
	if err != nil || !strings.Contains(string(text), "veridice_draws_total 1\n") {
		t.Errorf("got %s, %v", text, err)
	}
	stop()
	must(t, <-ended)
}
