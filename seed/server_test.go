package seed_test

import (
	"bytes"
	"encoding/base64"
	"encoding/gob"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"log"
	"log/slog"
	"reflect"
	"strings"
	"testing"

	"veridice/seed"
)

func TestServerLengths(t *testing.T) {
	for _, n := range []int{1, 16, 32, 64, seed.MaxServer} {
		if s, err := seed.NewServer(make([]byte, n)); err != nil || s.Len() != n || s.IsZero() {
			t.Errorf("%d bytes: length %d, %v", n, s.Len(), err)
		}
	}
	for _, n := range []int{0, seed.MaxServer + 1, 1 << 20} {
		if s, err := seed.NewServer(make([]byte, n)); err == nil || !s.IsZero() {
			t.Errorf("%d bytes are taken", n)
		}
	}
}

func TestServerKeepsACopy(t *testing.T) {
	b := []byte("sixteen bytes ab")
	s := mustServer(t, b)
	b[0] = 'S'
	out := s.Reveal()
	if string(out) != "sixteen bytes ab" {
		t.Errorf("the seed changed with the bytes it was made of: %q", out)
	}
	out[0] = 'X'
	if got := s.Reveal(); string(got) != "sixteen bytes ab" {
		t.Errorf("the seed changed with the bytes it gave: %q", got)
	}
}

func TestServerZero(t *testing.T) {
	var s seed.Server
	if !s.IsZero() || s.Len() != 0 || s.Reveal() != nil || s.String() != "seed(none)" || !s.Weak() {
		t.Errorf("the zero seed is %v, %d bytes, %v", s, s.Len(), s.Reveal())
	}
	defer func() {
		if recover() == nil {
			t.Error("no seed was sealed")
		}
	}()
	s.Seal()
}

func TestServerFromEntropy(t *testing.T) {
	var entropy [32]byte
	for i := range entropy {
		entropy[i] = byte(i)
	}
	s := seed.ServerFromEntropy(entropy)
	if !bytes.Equal(s.Reveal(), entropy[:]) {
		t.Errorf("got % x", s.Reveal())
	}
}

func TestServerEqual(t *testing.T) {
	s := mustServer(t, unhex(t, goodSeed))
	if !s.Equal(mustServer(t, unhex(t, goodSeed))) {
		t.Error("a seed is not equal to itself")
	}
	for i := range 32 {
		b := unhex(t, goodSeed)
		b[i] ^= 1
		if s.Equal(mustServer(t, b)) {
			t.Errorf("byte %d does not count", i)
		}
	}
	if s.Equal(mustServer(t, unhex(t, goodSeed)[:31])) || s.Equal(seed.Server{}) {
		t.Error("seeds of two lengths are equal")
	}
}

// TestServerNotComparable: == on seeds would take a time that depends on them.
func TestServerNotComparable(t *testing.T) {
	if reflect.TypeFor[seed.Server]().Comparable() {
		t.Error("seeds can be compared with ==")
	}
	defer func() {
		if recover() == nil {
			t.Error("seeds in interfaces can be compared with ==")
		}
	}()
	a, b := any(mustServer(t, unhex(t, goodSeed))), any(mustServer(t, unhex(t, goodSeed)))
	t.Error("compared: ", a == b)
}

// TestServerNeverShown puts a seed wherever values are printed, logged or
// encoded by accident, and looks for it in every form it could take.
func TestServerNeverShown(t *testing.T) {
	raw := unhex(t, goodSeed)
	s := mustServer(t, raw)
	type holder struct {
		Name   string
		Server seed.Server
		Ptr    *seed.Server
		inner  seed.Server
		Any    any
		List   []seed.Server
		Map    map[string]seed.Server
	}
	h := holder{"table", s, &s, s, s, []seed.Server{s}, map[string]seed.Server{"a": s}}
	forms := secretForms(raw)
	look := func(where, text string) {
		t.Helper()
		for form, secret := range forms {
			if strings.Contains(text, secret) {
				t.Errorf("%s shows the seed as %s: %.200q", where, form, text)
			}
		}
	}
	for _, flags := range []string{"", "+", "#", " ", "0", "-", "+#"} {
		for verb := byte('A'); verb <= 'z'; verb++ {
			format := "%" + flags + string(verb)
			for _, v := range []any{s, &s, h, &h, []any{s}, struct{ S seed.Server }{s}, fmt.Errorf("seed %v", s)} {
				look(format, fmt.Sprintf(format, v))
			}
		}
	}
	look("Sprint", fmt.Sprint(s, &s, h)+fmt.Sprintln(s, h))
	look("String", s.String()+s.GoString())
	if got := fmt.Sprintf("%v %s %+v %#v", s, s, s, s); got != strings.TrimSpace(strings.Repeat("seed(sealed) ", 4)) {
		t.Errorf("a seed prints as %q", got)
	}

	for _, v := range []any{s, &s, h, &h, map[string]any{"s": s}, []seed.Server{s}} {
		text, err := json.Marshal(v)
		look("json", string(text))
		if err == nil {
			t.Errorf("%T is written as JSON: %s", v, text)
		}
		look("json's error", err.Error())
	}
	text, err := xml.Marshal(struct{ S seed.Server }{s})
	look("xml", string(text))
	if err == nil {
		t.Errorf("a seed is written as XML: %s", text)
	}
	var gobs bytes.Buffer
	if err := gob.NewEncoder(&gobs).Encode(struct{ S seed.Server }{s}); err == nil {
		t.Error("a seed is written by gob")
	}
	look("gob", gobs.String())
	for _, marshal := range []func() ([]byte, error){s.MarshalText, s.MarshalBinary} {
		if text, err := marshal(); err == nil || text != nil {
			t.Errorf("a seed is marshalled: %q", text)
		}
	}

	var logs bytes.Buffer
	for _, handler := range []slog.Handler{slog.NewTextHandler(&logs, nil), slog.NewJSONHandler(&logs, nil)} {
		l := slog.New(handler).With("seed", s)
		l.Info("dice", "seed", s, "pointer", &s, "match", h, slog.Group("in", "seed", s), slog.Any("any", []seed.Server{s}))
		l.Error("dice", "err", fmt.Errorf("roll: %v: %w", s, errors.New("x")))
	}
	plain := log.New(&logs, "", 0)
	plain.Print(s, h)
	for _, verb := range []string{"%+v", "%#v", "%x", "%d"} {
		plain.Printf(verb, h)
	}
	if logs.Len() == 0 {
		t.Error("nothing was logged")
	}
	look("log", logs.String())

	func() {
		defer func() { look("panic", fmt.Sprint(recover())) }()
		panic(h)
	}()
	// What DeepEqual compares it can tell; two seeds are never equal to it.
	if reflect.DeepEqual(s, mustServer(t, raw)) {
		t.Error("DeepEqual looks into a seed")
	}
}

// TestSecretFormsAreFound proves that the search would see a seed.
func TestSecretFormsAreFound(t *testing.T) {
	raw := unhex(t, goodSeed)
	forms := secretForms(raw)
	for _, text := range []string{
		fmt.Sprintf("%x", raw), fmt.Sprintf("%X", raw), fmt.Sprintf("% x", raw), fmt.Sprint(raw), fmt.Sprintf("%#v", raw),
		string(raw), base64.StdEncoding.EncodeToString(raw), base64.RawURLEncoding.EncodeToString(raw), fmt.Sprintf("%q", raw),
	} {
		found := false
		for _, secret := range forms {
			found = found || strings.Contains(text, secret)
		}
		if !found {
			t.Errorf("the seed is not seen in %q", text)
		}
	}
}

// secretForms gives the middle of a seed as it would look in a text.
func secretForms(raw []byte) map[string]string {
	part := raw[3:12] // three groups of base64, at its border
	list := strings.Trim(fmt.Sprint(part), "[]")
	forms := map[string]string{
		"raw bytes":     string(part),
		"hex":           fmt.Sprintf("%x", part),
		"HEX":           fmt.Sprintf("%X", part),
		"spaced hex":    fmt.Sprintf("% x", part),
		"base64":        base64.StdEncoding.EncodeToString(part),
		"base64url":     base64.URLEncoding.EncodeToString(part),
		"decimal":       list,
		"decimal, json": strings.ReplaceAll(list, " ", ","),
		"quoted":        strings.Trim(fmt.Sprintf("%q", part), `"`),
	}
	var goSyntax []string
	for _, b := range part {
		goSyntax = append(goSyntax, fmt.Sprintf("0x%x", b))
	}
	forms["Go syntax"] = strings.Join(goSyntax, ", ")
	return forms
}

func TestWeak(t *testing.T) {
	different := func(length, values int) []byte {
		b := make([]byte, length)
		for i := range b {
			b[i] = byte(i % values)
		}
		return b
	}
	for _, c := range []struct {
		name string
		seed []byte
		want bool
	}{
		{"15 bytes", different(15, 15), true},
		{"16 bytes", different(16, 16), false},
		{"32 equal bytes", make([]byte, 32), true},
		{"eight values", different(32, 8), true},
		{"nine values", different(32, 9), false},
		{"a digit and zeros", append([]byte("1234567"), make([]byte, 25)...), true},
		{"a random one", unhex(t, goodSeed), false},
	} {
		if got := mustServer(t, c.seed).Weak(); got != c.want {
			t.Errorf("%s: got %v, want %v", c.name, got, c.want)
		}
	}
}
