//go:build unix

package main

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	api "veridice/client"
	"veridice/internal/needs"
	"veridice/seed"
)

// spoken starts a node whose words can be read while it runs.
func spoken(t *testing.T, binary string, args ...string) (*process, *needs.Text) {
	t.Helper()
	said := new(needs.Text)
	p := &process{cmd: exec.Command(binary, append([]string{"-addr", "127.0.0.1:0", "-webhooks", "private"}, args...)...)}
	p.cmd.Stderr = said
	out, err := p.cmd.StdoutPipe()
	must(t, err)
	must(t, p.cmd.Start())
	t.Cleanup(p.kill)
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("it does not say where it listens: %v\n%s", err, said)
	}
	p.base = strings.TrimSuffix(strings.TrimSpace(line), "/")
	return p, said
}

// names are the ways in which a dump would show that something is under a key.
func names(key string) []string {
	b, _ := seed.ParseHex(key)
	sum := sha256.Sum256([]byte("veridice vault key\n" + string(b)))
	// JSON has it as base64, whose sixth character depends on what follows.
	return []string{fmt.Sprintf("%x", sum[:4]), `"` + base64.StdEncoding.EncodeToString(sum[:4])[:5]}
}

func TestSecretsAtRest(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	db := filepath.Join(dir, "db", "veridice.db")
	t.Run("SQLite", func(t *testing.T) {
		t.Parallel()
		noSecrets(t, dir, db, func() string { return dumped(t, db) + files(t, filepath.Dir(db)) })
	})
	p := needs.Postgres(t)
	t.Run("Postgres", func(t *testing.T) {
		t.Parallel()
		noSecrets(t, t.TempDir(), p.Create("a"), func() string { return dumpedPostgres(p, "a") })
	})
	t.Run("PostgresRotation", func(t *testing.T) {
		t.Parallel()
		rotateKeys(t, p.Create("b"), func() string { return dumpedPostgres(p, "b") })
	})
}

// The keys are changed on two nodes while everybody plays: nothing stops, and the old key
// opens nothing in the end.
func rotateKeys(t *testing.T, db string, dump func() string) {
	keyFile := filepath.Join(t.TempDir(), "veridice.key")
	args := []string{"-db", db, "-key-file", keyFile}
	c := &cluster{t: t, binary: build(t), args: args, h: &http.Client{Timeout: 20 * time.Second}}
	c.command("init")
	b, err := os.ReadFile(keyFile)
	must(t, err)
	old, fresh := strings.TrimSpace(string(b)), strings.Repeat("5c", 32)
	var words []*needs.Text
	for range 2 {
		p, said := spoken(t, c.binary, args...)
		c.nodes, words = append(c.nodes, p), append(words, said)
	}
	// give puts a key file in place on all nodes, and waits until they say something.
	give := func(said, text string) {
		t.Helper()
		must(t, os.WriteFile(keyFile, []byte(text), 0o600))
		for i, n := range c.nodes {
			before := strings.Count(words[i].String(), said)
			must(t, n.cmd.Process.Signal(syscall.SIGHUP))
			eventually(t, "the node says "+said, func() bool { return strings.Count(words[i].String(), said) > before })
		}
	}
	status := func() string { return c.command("key", "status") }

	signed := make(chan string, 100)
	secret := ""
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		e, err := api.ReadWebhook(secret, r.Header, body, time.Now())
		if err != nil {
			t.Error(err)
		}
		signed <- e.Type
	}))
	defer receiver.Close()
	key := strings.Fields(c.command("key", "create", "op", "pairs", "hooks")) // what is made and what is said of it
	var game *api.Client
	for _, word := range key {
		if strings.HasPrefix(word, "vk_") {
			game = api.New(c.nodes[0].base, word)
		}
	}
	ctx := t.Context()
	h, err := game.CreateHook(ctx, receiver.URL)
	must(t, err)
	secret = h.Secret
	_, err = game.CreatePair(ctx, "u", "shuffle")
	must(t, err)
	_, err = game.SetClient(ctx, "u", 1, "c")
	must(t, err)

	const taken = "took the key file over"
	steps := []func(){
		func() { give(taken, old+"\n"+fresh+"\n") },
		func() {
			give(taken, fresh+"\n"+old+"\n")
			// The old one is needed yet: a node keeps it.
			give("the keys stay those of before", fresh+"\n")
			give("the keys stay those of before", "no key\n")
			must(t, os.WriteFile(keyFile, []byte(fresh+"\n"+old+"\n"), 0o600))
			if out := status(); !strings.Contains(out, names(old)[0]+"  needed for: answer 2, key 2, pair seed 2, server seed 2, webhook answer 1, webhook secret 1\n") {
				t.Errorf("the status is\n%s", out)
			}
		},
		func() {
			out := c.command("key", "rewrap")
			if !strings.HasPrefix(out, "rewrapped 10\n") || !strings.Contains(out, names(old)[0]+"  nothing needs it\n") {
				t.Errorf("rewrap says\n%s", out)
			}
		},
		func() {
			give(taken, fresh+"\n")
			_, err := game.Draw(ctx, "u", "dice", nil)
			must(t, err)
			_, _, err = game.Rotate(ctx, "u", 1, "d")
			must(t, err)
			if got := <-signed; got != "pair.rotated" {
				t.Errorf("heard of %s", got)
			}
		},
	}
	last := -1
	// It is load that checks the rolls, the answers, the events and the records.
	c.load(2, 20, len(steps), func() {
		last++
		steps[last]()
	})
	for _, said := range words {
		if strings.Contains(said.String(), old) || strings.Contains(said.String(), fresh) {
			t.Error("a node says its key")
		}
	}
	all := dump()
	for _, name := range names(old) {
		if strings.Contains(all, name) {
			t.Errorf("the old key is named in the database: %q", name)
		}
	}
	// Two matches, their creations, two keys and an answer; two seeds and a secret in JSON.
	for i, want := range []int{7, 3} {
		if n := strings.Count(all, names(fresh)[i]); n != want {
			t.Errorf("%q stands %d times in the database, want %d", names(fresh)[i], n, want)
		}
	}
	must(t, os.WriteFile(keyFile, []byte(old+"\n"), 0o600))
	var out bytes.Buffer
	if code := run(ctx, append([]string{"check"}, args...), environment(), &out, &out); code != 1 || !strings.Contains(out.String(), "another key") {
		t.Errorf("check with the old key: %d %s", code, &out)
	}
	fails(t, 1, "database needs keys that were not given: "+names(fresh)[0], environment(), append([]string{"key"}, append(args, "status")...)...)
}
