package apikey_test

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"regexp"
	"strings"
	"testing"

	"veridice/internal/apikey"
	"veridice/internal/match"
	"veridice/internal/store/memory"
)

func TestKeys(t *testing.T) {
	store := memory.New()
	s := apikey.New(store, match.System{}, rand.Reader)
	ctx := t.Context()
	text, made, err := s.Create(ctx, "op", "the game server", []apikey.Scope{apikey.Pairs})
	if err != nil {
		t.Fatal(err)
	}
	if !regexp.MustCompile(`^vk_[0-9a-f]{16}_[A-Za-z0-9_-]{43}$`).MatchString(text) {
		t.Errorf("the key is %q", text)
	}
	other, _, err := s.Create(ctx, "other", "", []apikey.Scope{apikey.MatchesRead, apikey.Hooks})
	if err != nil {
		t.Fatal(err)
	}
	got, err := s.Check(ctx, text)
	if err != nil || got.Operator != "op" || got.ID != made.ID || got.Label != "the game server" {
		t.Errorf("got %+v, %v", got, err)
	}
	for scope, want := range map[apikey.Scope]bool{apikey.Pairs: true, apikey.PairsRead: true, apikey.Matches: false, apikey.MatchesRead: false, apikey.Hooks: false, "": false} {
		if got.May(scope) != want {
			t.Errorf("scope %q: %v", scope, !want)
		}
	}
	if k, err := s.Check(ctx, other); err != nil || k.May(apikey.Matches) || !k.May(apikey.MatchesRead) {
		t.Errorf("got %+v, %v", k, err)
	}
	// Wrong in any byte, cut, lengthened, of another: the same answer.
	wrong := []string{"", "vk", "vk__", text + "a", text[:len(text)-1], strings.ToUpper(text), other[:20] + text[20:], "Bearer " + text}
	for i := range text {
		changed := []byte(text)
		changed[i] ^= 1
		wrong = append(wrong, string(changed))
	}
	for _, w := range wrong {
		if _, err := s.Check(ctx, w); err != apikey.ErrRefused {
			t.Errorf("%q: got %v", w, err)
		}
	}
	// What is stored does not give the key.
	b, err := store.Book(ctx, "key", made.ID)
	if err != nil {
		t.Fatal(err)
	}
	secret := text[len("vk_0123456789abcdef_"):]
	raw, err := base64.RawURLEncoding.DecodeString(secret)
	if err != nil || bytes.Contains(b.State, []byte(secret)) || bytes.Contains(b.State, []byte(base64.StdEncoding.EncodeToString(raw))) {
		t.Errorf("stored is %s, %v", b.State, err)
	}
	sum := sha256.Sum256([]byte(text))
	if !bytes.Contains(b.State, []byte(base64.StdEncoding.EncodeToString(sum[:]))) {
		t.Error("the hash is not stored")
	}
	if err := s.Revoke(ctx, made.ID); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Check(ctx, text); err != apikey.ErrRefused {
		t.Errorf("a revoked key: got %v", err)
	}
	if _, err := s.Check(ctx, other); err != nil {
		t.Errorf("another key: got %v", err)
	}
	if err := s.Revoke(ctx, "0000000000000000"); !errors.Is(err, match.ErrNotFound) {
		t.Errorf("an unknown id: got %v", err)
	}
	keys, err := s.List(ctx)
	if err != nil || len(keys) != 2 {
		t.Fatalf("got %v, %v", keys, err)
	}
	for _, k := range keys {
		if k.Revoked.IsZero() != (k.Operator == "other") {
			t.Errorf("got %+v", k)
		}
	}
}

func TestRefused(t *testing.T) {
	s := apikey.New(memory.New(), match.System{}, rand.Reader)
	for _, operator := range []string{"", "a/b", "a b", "ä", strings.Repeat("x", 65)} {
		if _, _, err := s.Create(t.Context(), operator, "", []apikey.Scope{apikey.Pairs}); err != apikey.ErrOperator {
			t.Errorf("%q: got %v", operator, err)
		}
	}
	for _, scopes := range [][]apikey.Scope{nil, {"all"}, {apikey.Pairs, ""}} {
		if _, _, err := s.Create(t.Context(), "op", "", scopes); err != apikey.ErrScope {
			t.Errorf("%q: got %v", scopes, err)
		}
	}
}
