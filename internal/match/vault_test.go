package match_test

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/sha256"
	"errors"
	"testing"

	"veridice/internal/match"
)

func keyOf(b byte) []byte { return bytes.Repeat([]byte{b}, match.KeySize) }

func vaultOf(t *testing.T, keys ...[]byte) *match.Vault {
	t.Helper()
	v, err := match.NewVault(keys...)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// opened decrypts by what the vault's description says, with nothing of ours.
func opened(t *testing.T, key []byte, bound string, sealed []byte) (string, error) {
	t.Helper()
	sum := sha256.Sum256([]byte("veridice vault key\n" + string(key)))
	if !bytes.Equal(sealed[:4], sum[:4]) {
		return "", errors.New("another key")
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		t.Fatal(err)
	}
	gcm, err := cipher.NewGCM(block)
	if err != nil {
		t.Fatal(err)
	}
	plain, err := gcm.Open(nil, sealed[4:16], sealed[16:], []byte(bound))
	return string(plain), err
}

func TestVault(t *testing.T) {
	a, b, c := keyOf(1), keyOf(2), keyOf(3)
	entropy := example(t)
	old := vaultOf(t, a)
	sealed, err := old.Seal(entropy, "seed", "id", []byte("secret"))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := opened(t, a, "seed\nid", sealed); err != nil || got != "secret" {
		t.Fatalf("got %q, %v", got, err)
	}
	both := vaultOf(t, b, a, b) // one that comes twice counts once
	if len(both.Keys()) != 2 || both.Keys()[1] != old.Keys()[0] {
		t.Errorf("the keys are %v", both.Keys())
	}
	fresh, err := both.Rewrap(entropy, "seed", "id", sealed)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := opened(t, b, "seed\nid", fresh); err != nil || got != "secret" {
		t.Errorf("rewrapped it is %q, %v", got, err)
	}
	if _, err := opened(t, a, "seed\nid", fresh); err == nil {
		t.Error("the old key opens what was rewrapped")
	}
	if again, err := both.Rewrap(entropy, "seed", "id", fresh); again != nil || err != nil {
		t.Errorf("what is under the first key: got %x, %v", again, err)
	}
	for name, f := range map[string]func() ([]byte, error){
		"another id":      func() ([]byte, error) { return both.Rewrap(entropy, "seed", "other", sealed) },
		"another purpose": func() ([]byte, error) { return both.Rewrap(entropy, "other", "id", sealed) },
		"another key":     func() ([]byte, error) { return vaultOf(t, c).Rewrap(entropy, "seed", "id", sealed) },
		"cut":             func() ([]byte, error) { return both.Rewrap(entropy, "seed", "id", sealed[:31]) },
		"changed": func() ([]byte, error) {
			return both.Open("seed", "id", append(bytes.Clone(sealed[:20]), make([]byte, 20)...))
		},
		"opened with one": func() ([]byte, error) { return old.Open("seed", "id", fresh) },
	} {
		if got, err := f(); got != nil || !errors.Is(err, match.ErrOtherKey) {
			t.Errorf("%s: got %x, %v, want %v", name, got, err, match.ErrOtherKey)
		}
	}
	// All who hold a vault use its new keys.
	old.Use(both)
	if got, err := old.Open("seed", "id", fresh); err != nil || string(got) != "secret" {
		t.Errorf("got %q, %v", got, err)
	}
	for _, keys := range [][][]byte{nil, {a, b[1:]}, {nil}} {
		if _, err := match.NewVault(keys...); err == nil {
			t.Errorf("%d keys were taken", len(keys))
		}
	}
}
