package main

import (
	"bytes"
	"io"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
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
