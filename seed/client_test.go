package seed_test

import (
	"strings"
	"testing"

	"veridice/seed"
)

// TestParseClientAlphabet tries every byte and many characters in each place.
func TestParseClientAlphabet(t *testing.T) {
	const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-"
	for r := range rune(0x3000) {
		in := strings.ContainsRune(alphabet, r)
		if got := seed.InClient(r); got != in {
			t.Errorf("%U: got %v, want %v", r, got, in)
		}
		for _, text := range []string{string(r), "a" + string(r), string(r) + "a", "a" + string(r) + "b"} {
			c, err := seed.ParseClient(text)
			if in != (err == nil) || in && string(c) != text || !in && c != "" {
				t.Errorf("%q: got %q, %v", text, c, err)
			}
		}
	}
	for b := 0x80; b < 0x100; b++ {
		text := "ab" + string([]byte{byte(b)})
		if _, err := seed.ParseClient(text); err == nil || err.Error() != "client seed: character 3 is not UTF-8" {
			t.Errorf("byte %x: %v", b, err)
		}
	}
}

func TestParseClientNamesWhatItRefuses(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", "client seed: is empty"},
		{"a b", "client seed: character 2 is U+0020, not one of A-Z a-z 0-9 _ -"},
		{"a:b", "client seed: character 2 is ':', not one of A-Z a-z 0-9 _ -"},
		{"blue\u2013heron", "client seed: character 5 is U+2013, not one of A-Z a-z 0-9 _ -"},
		{"αβ", "client seed: character 1 is U+03B1, not one of A-Z a-z 0-9 _ -"},
		{"a\u200b", "client seed: character 2 is U+200B, not one of A-Z a-z 0-9 _ -"},
		{"\U0001f3b2", "client seed: character 1 is U+1F3B2, not one of A-Z a-z 0-9 _ -"},
		{"a\ufffd", "client seed: character 2 is U+FFFD, not one of A-Z a-z 0-9 _ -"},
		{"a\x00", "client seed: character 2 is U+0000, not one of A-Z a-z 0-9 _ -"},
		{strings.Repeat("_", 129), "client seed: is longer than 128 characters"},
	} {
		if _, err := seed.ParseClient(c.text); err == nil || err.Error() != c.want {
			t.Errorf("%q: got %v, want %s", c.text, err, c.want)
		}
	}
	for _, n := range []int{1, 127, 128} {
		if _, err := seed.ParseClient(strings.Repeat("_", n)); err != nil {
			t.Errorf("%d characters: %v", n, err)
		}
	}
}

// TestParseTextClient: taken byte for byte, blanks and forms included.
func TestParseTextClient(t *testing.T) {
	for _, text := range []string{"", "  lucky  ", "a\r\n", "a:b", "caf\u00e9", "cafe\u0301", "\U0001fae9", "a\x00", strings.Repeat("c", 1024)} {
		if c, err := seed.ParseTextClient(text); err != nil || string(c) != text {
			t.Errorf("%q: got %q, %v", text, c, err)
		}
	}
	for _, text := range []string{strings.Repeat("c", 1025), "\xff", "a\xc3", "\xed\xa0\x80"} {
		if c, err := seed.ParseTextClient(text); err == nil || c != "" {
			t.Errorf("%.20q is taken", text)
		}
	}
}
