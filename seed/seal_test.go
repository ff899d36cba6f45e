package seed_test

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"testing"

	"veridice/seed"
	"veridice/vectors/vectortest"
)

func unhex(t testing.TB, text string) []byte {
	t.Helper()
	b, err := hex.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestSeal(t *testing.T) {
	type vector struct{ Name, Scheme, Covers, Seed, Seal, Other string }
	vectortest.Each(t, "seal.ndjson", func(t *testing.T, v vector) {
		b := []byte(v.Seed)
		if v.Covers == "bytes" {
			b = unhex(t, v.Seed)
			if got := seed.SealText(v.Seed).String(); got != v.Other {
				t.Errorf("seal of the text: got %s, want %s", got, v.Other)
			}
		} else if got := seed.SealText(v.Seed).String(); got != v.Seal {
			t.Errorf("seal of the text: got %s, want %s", got, v.Seal)
		}
		server, err := seed.NewServer(b)
		if err != nil {
			t.Fatal(err)
		}
		if got := server.Seal().String(); got != v.Seal {
			t.Errorf("got %s, want %s", got, v.Seal)
		}
		want, err := seed.ParseSeal(v.Seal)
		if err != nil {
			t.Fatal(err)
		}
		if opened, err := seed.Open(want, server); err != nil || !opened.Equal(server) {
			t.Errorf("the right seal does not open: %v", err)
		}
		if v.Other == "" {
			return
		}
		wrong, err := seed.ParseSeal(v.Other)
		if err != nil {
			t.Fatal(err)
		}
		if opened, err := seed.Open(wrong, server); !errors.Is(err, seed.ErrSeal) || !opened.IsZero() {
			t.Errorf("the seal of the other reading opens: %v, %v", opened, err)
		}
	})
}

func TestHash(t *testing.T) {
	type vector struct{ Name, Message, Hash string }
	vectortest.Each(t, "sha256.ndjson", func(t *testing.T, v vector) {
		if got := seed.SealText(string(unhex(t, v.Message))).String(); got != v.Hash {
			t.Errorf("got %s, want %s", got, v.Hash)
		}
	})
}

// The seal of the specification's first example and its seed.
const (
	goodSeed = "c149c301f8134a320da3e36748bb70c14850c75fc8ab0dc1e36460fa89070300"
	goodSeal = "76243eb20b5ad494780afead6d49b5f826775834b0b12ddafe12819ca4608a63"
)

// TestParseSealMangled takes a good seal and refuses every text that is not quite it.
func TestParseSealMangled(t *testing.T) {
	seal, err := seed.ParseSeal(goodSeal)
	if err != nil || seal.String() != goodSeal {
		t.Fatalf("got %v, %v", seal, err)
	}
	refuse := func(text string) {
		t.Helper()
		if got, err := seed.ParseSeal(text); err == nil || got != (seed.Seal{}) {
			t.Errorf("%q is read as %v", text, got)
		}
	}
	for i := range len(goodSeal) {
		refuse(goodSeal[:i])
		refuse(goodSeal[:i] + goodSeal[i+1:])
		refuse(goodSeal[:i] + " " + goodSeal[i:])
		for c := range 256 {
			digit := '0' <= c && c <= '9' || 'a' <= c && c <= 'f'
			text := goodSeal[:i] + string([]byte{byte(c)}) + goodSeal[i+1:]
			if !digit {
				refuse(text)
			} else if got, err := seed.ParseSeal(text); err != nil || (got == seal) != (text == goodSeal) {
				t.Errorf("%q: got %v, %v", text, got, err)
			}
		}
	}
	for _, text := range []string{
		goodSeal + "\n", goodSeal + "00", "0x" + goodSeal, "sha256:" + goodSeal,
		"76243EB20B5AD494780AFEAD6D49B5F826775834B0B12DDAFE12819CA4608A63", "-",
	} {
		refuse(text)
	}
}

// TestOpenMangled changes every bit of the seal and of the seed.
func TestOpenMangled(t *testing.T) {
	server := mustServer(t, unhex(t, goodSeed))
	seal := server.Seal()
	for i := range 8 * len(seal) {
		wrong := seal
		wrong[i/8] ^= 1 << (i % 8)
		if _, err := seed.Open(wrong, server); !errors.Is(err, seed.ErrSeal) {
			t.Errorf("bit %d of the seal changed: %v", i, err)
		}
		b := unhex(t, goodSeed)
		b[i/8] ^= 1 << (i % 8)
		if _, err := seed.Open(seal, mustServer(t, b)); !errors.Is(err, seed.ErrSeal) {
			t.Errorf("bit %d of the seed changed: %v", i, err)
		}
	}
}

func TestSealAsText(t *testing.T) {
	seal, err := seed.ParseSeal(goodSeal)
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(map[string]seed.Seal{"seal": seal})
	if want := `{"seal":"` + goodSeal + `"}`; err != nil || string(text) != want {
		t.Errorf("got %s, %v, want %s", text, err, want)
	}
	var back map[string]seed.Seal
	if err := json.Unmarshal(text, &back); err != nil || back["seal"] != seal {
		t.Errorf("got %v, %v", back, err)
	}
	if err := json.Unmarshal([]byte(`{"seal":"`+goodSeal[1:]+`"}`), &back); err == nil {
		t.Error("a seal of 63 digits is read")
	}
}

func TestHex(t *testing.T) {
	for n := range 256 {
		text := seed.Hex([]byte{byte(n)})
		if want := hex.EncodeToString([]byte{byte(n)}); text != want {
			t.Errorf("%d: got %q, want %q", n, text, want)
		}
		if b, ok := seed.ParseHex(text); !ok || len(b) != 1 || b[0] != byte(n) {
			t.Errorf("%q: got %v, %v", text, b, ok)
		}
	}
	for _, text := range []string{"0", "0g", "g0", "0G", "AB", " 00", "00 ", "0x00", "00\n", "\u0660\u0660"} {
		if b, ok := seed.ParseHex(text); ok || b != nil {
			t.Errorf("%q is read as %v", text, b)
		}
	}
	if b, ok := seed.ParseHex(""); !ok || len(b) != 0 {
		t.Errorf("no digits: got %v, %v", b, ok)
	}
}

func mustServer(t testing.TB, b []byte) seed.Server {
	t.Helper()
	s, err := seed.NewServer(b)
	if err != nil {
		t.Fatal(err)
	}
	return s
}
