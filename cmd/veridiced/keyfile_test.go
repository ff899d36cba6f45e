package main

import (
	"bytes"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"filippo.io/age"
	"filippo.io/age/armor"
)

func TestEncryptedKeyFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	identity := func(name string) (file string, x *age.X25519Identity) {
		t.Helper()
		x, err := age.GenerateX25519Identity()
		must(t, err)
		file = filepath.Join(dir, name)
		must(t, os.WriteFile(file, []byte("# of a test\n"+x.String()+"\n"), 0o600))
		return file, x
	}
	mine, x := identity("mine")
	other, _ := identity("other")
	db, key := filepath.Join(dir, "veridice.db"), filepath.Join(dir, "veridice.key")
	command := func(want int, getenv func(string) string, words string, args ...string) string {
		t.Helper()
		var o, e bytes.Buffer
		if code := run(t.Context(), args, getenv, &o, &e); code != want || !strings.Contains(o.String()+e.String(), words) {
			t.Errorf("%v: got %d: %s%s, want %d %q", args, code, &o, &e, want, words)
		}
		if strings.Contains(o.String()+e.String(), x.String()) {
			t.Errorf("%v says the identity", args)
		}
		return o.String()
	}
	none := environment()
	command(0, none, db, "init", "-db", db, "-key-file", key)
	plain, err := os.ReadFile(key)
	must(t, err)
	command(2, none, "takes the recipients, or -key-identity", "key", "-key-file", key, "encrypt")
	command(2, none, "a recipient is a text such as age1", "key", "-key-file", key, "encrypt", x.String())
	if out := command(0, none, "the keys are still in plain text", "key", "-key-file", key, "encrypt", x.Recipient().String()); out != key+".age\n" {
		t.Errorf("it wrote %q", out)
	}
	command(1, none, "this file exists already", "key", "-key-file", key, "encrypt", x.Recipient().String())
	command(1, none, "is encrypted already", "key", "-key-file", key+".age", "encrypt", x.Recipient().String())
	info, err := os.Stat(key + ".age")
	must(t, err)
	if info.Mode().Perm() != 0o600 {
		t.Errorf("the mode is %v", info.Mode())
	}
	must(t, os.Remove(key))

	flags := []string{"-db", db, "-key-file", key + ".age"}
	check := func(more ...string) []string { return slices.Concat([]string{"check"}, flags, more) }
	command(0, none, "matches 0", check("-key-identity", mine)...)
	command(0, environment("VERIDICE_KEY_IDENTITY", mine), "matches 0", check()...)
	command(1, none, "-key-identity FILE names the identity", check()...)
	command(1, none, "is encrypted to others than the identities in "+other, check("-key-identity", other)...)
	command(1, none, "no such file", check("-key-identity", mine+"x")...)
	command(1, environment("VERIDICE_KEY", string(plain)), "VERIDICE_KEY is not encrypted", check("-key-identity", mine)...)
	must(t, os.Chmod(mine, 0o644))
	command(0, none, "warning: others than the owner can read the identity file", check("-key-identity", mine)...)
	s := startWith(t, none, append(flags, "-addr", "localhost:0", "-key-identity", mine)...)
	c := &cluster{t: t, h: http.DefaultClient, nodes: []*process{{base: s.base}}}
	c.open(0, 2)
	s.stop()
	command(0, none, "server seed 1", slices.Concat([]string{"key"}, flags, []string{"-key-identity", mine, "status"})...)

	// A key that was never plain.
	data := filepath.Join(dir, "data")
	command(1, none, "no such file", "key", "-data", data, "-key-identity", mine, "status")
	command(0, none, "made the key file", "key", "-data", data, "-key-identity", mine, "list")
	text, err := os.ReadFile(filepath.Join(data, "veridice.key"))
	must(t, err)
	if !bytes.HasPrefix(text, []byte(armor.Header+"\n")) {
		t.Errorf("the key file is %q", text)
	}
	command(0, none, "matches 0", "check", "-data", data, "-key-identity", mine)
}
