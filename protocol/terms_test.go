package protocol_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"veridice/protocol"
)

// wantFault wants a refusal with this code, "" for none.
func wantFault(t testing.TB, what string, err error, code string) {
	t.Helper()
	got, f := "", (*protocol.Fault)(nil)
	if errors.As(err, &f) {
		got = f.Code
	} else if err != nil {
		got = err.Error()
	}
	if got != code {
		t.Errorf("%s: got %q, want %q", what, got, code)
	}
}

func TestDiceNotation(t *testing.T) {
	for _, c := range []struct {
		text  string
		left  int // cards
		allow []uint32
		deny  []uint32
	}{
		{"2d6", 0, []uint32{6, 6}, []uint32{6}},
		{"2d6", 0, []uint32{6, 6}, []uint32{6, 6, 6}},
		{"2d6", 0, []uint32{6, 6}, []uint32{6, 5}},
		{"1d2", 0, []uint32{2}, nil},
		{"100d1000000", 0, slices.Repeat([]uint32{1_000_000}, 100), slices.Repeat([]uint32{1_000_000}, 101)},
		{"3d6+1d20", 0, []uint32{6, 6, 6, 20}, []uint32{20, 6, 6, 6}},
		{"1d6+1d6", 0, []uint32{6, 6}, []uint32{6}},
		{"1-6d6", 0, []uint32{6}, []uint32{5}},
		{"1-6d6", 0, slices.Repeat([]uint32{6}, 6), slices.Repeat([]uint32{6}, 7)},
		{"1-2d100", 0, []uint32{100, 100}, []uint32{}},
		{"deck52", 52, []uint32{52, 51, 50}, []uint32{52, 52}},
		{"deck52", 49, []uint32{49}, []uint32{52}},
		{"deck52", 49, []uint32{49, 48}, []uint32{49, 47}},
		{"deck416", 416, []uint32{416}, nil},
		{"deck2", 2, []uint32{2}, []uint32{2, 1}}, // nothing is left to choose of the last card
		{"deck2", 1, nil, []uint32{1}},
		{"any", 0, []uint32{2, 1_000_000, 7}, []uint32{6, 1}},
		{"any", 0, slices.Repeat([]uint32{6}, 100), slices.Repeat([]uint32{6}, 101)},
		{"any", 0, []uint32{2}, []uint32{1_000_001}},
	} {
		d, err := protocol.ParseDice(c.text)
		if err != nil || d.String() != c.text {
			t.Errorf("%s: got %s, %v", c.text, d, err)
			continue
		}
		if c.allow != nil && !d.Allowed(c.allow, c.left) {
			t.Errorf("%s with %d cards: %v is refused", c.text, c.left, c.allow)
		}
		if c.deny != nil && d.Allowed(c.deny, c.left) {
			t.Errorf("%s with %d cards: %v is allowed", c.text, c.left, c.deny)
		}
	}
	for _, text := range []string{
		"", " ", "d6", "0d6", "1d1", "1d0", "01d6", "1d06", "+1d6", "1d6+", "1d6++1d6", "-1d6", "1d-6", "1D6", "2d6 ", " 2d6", "2 d6", "2d6\n", "2x6",
		"101d6", "1d1000001", "1d4294967296", "1d18446744073709551616", "60d6+41d6", "2d", "2d6d6", "2.0d6", "２d6", "1d6,1d6", "1d6+any", "deck52+1d6",
		"1-1d6", "1-0d6", "1-01d6", "1-101d6", "1-6d1", "1-6d1000001", "1-6", "1-", "1-6d6+1d6", "2-6d6", "0-6d6", "1--6d6",
		"deck", "deck1", "deck0", "deck052", "deck417", "deck-2", "deck 52", "Deck52", "deck52x", "Any", "any ", "anyd6",
	} {
		_, err := protocol.ParseDice(text)
		wantFault(t, "the notation "+text, err, "bad-dice")
	}
}

const goodTerms = "veridice table 1\ndice 2d6\nturn alternate\nwait 120\nsalt 00112233445566778899aabbccddeeff\n"

func TestTerms(t *testing.T) {
	for _, text := range []string{
		goodTerms,
		strings.Replace(goodTerms, "alternate", "free", 1),
		strings.Replace(goodTerms, "wait 120", "wait 10", 1),
		strings.Replace(goodTerms, "wait 120", "wait 86400", 1),
		strings.Replace(goodTerms, "2d6", "deck52", 1),
	} {
		got, err := protocol.ParseTerms([]byte(text))
		if err != nil || string(got.Marshal()) != text {
			t.Errorf("%q: got %q, %v", text, got.Marshal(), err)
		}
	}
	got, err := protocol.ParseTerms([]byte(goodTerms))
	if err != nil || got.Dice.String() != "2d6" || !got.Alternate || got.Wait != 120 || got.Salt[15] != 0xff {
		t.Errorf("got %+v, %v", got, err)
	}
}

// TestTermsRefused spoils the one encoding of a rules text.
func TestTermsRefused(t *testing.T) {
	for _, c := range [][2]string{
		{"table 1", "table 2"}, {"veridice", "Veridice"}, {"dice 2d6", "dice 2d7x"}, {"dice 2d6", "dice  2d6"}, {"dice ", ""}, {"dice 2d6\n", ""},
		{"alternate", "free "}, {"alternate", "Alternate"}, {"alternate", ""}, {"turn", "turns"}, {"wait 120", "wait 9"}, {"wait 120", "wait 86401"},
		{"wait 120", "wait 0120"}, {"wait 120", "wait +120"}, {"wait 120", "wait"}, {"wait 120", "wait 1e2"}, {"salt 00", "salt 0"}, {"eeff", "eeff00"},
		{"aabb", "AABB"}, {"aabb", "zzzz"}, {"\n", "\r\n"}, {"eeff\n", "eeff"}, {"eeff\n", "eeff\n\n"}, {"eeff\n", "eeff\nmore 1\n"}, {"veridice", "\ufeffveridice"},
		{"turn alternate\nwait 120", "wait 120\nturn alternate"},
	} {
		text := strings.Replace(goodTerms, c[0], c[1], 1)
		if text == goodTerms {
			t.Fatalf("%q changes nothing", c)
		}
		_, err := protocol.ParseTerms([]byte(text))
		wantFault(t, text, err, "bad-terms")
	}
	for i := range goodTerms {
		_, err := protocol.ParseTerms([]byte(goodTerms[:i]))
		wantFault(t, "the beginning of a rules text", err, "bad-terms")
	}
}
