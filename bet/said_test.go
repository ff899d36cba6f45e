package bet_test

import (
	"testing"

	"veridice/bet"
	"veridice/game"
)

func TestReadLike(t *testing.T) {
	ints, rows := game.Ints([]uint32{1}), game.Vals(game.Ints([]uint32{1}))
	for _, c := range []struct {
		like       game.Value
		text, want string // as JSON; "" if it cannot be read
	}{
		{game.Int(0), " 15 ", "15"},
		{game.Int(0), "15.0", ""},
		{game.Int(0), "-1", ""},
		{game.Int(0), "", ""},
		{game.Dec("0"), "28.07", `"28.07"`},
		{game.Dec("0"), "28,07", ""},
		{game.Dec("0"), "", ""},
		{game.Bool(true), "true", "true"},
		{game.Bool(true), "yes", ""},
		{game.Str("LRLR"), "LRLL", `"LRLL"`},
		{game.Str("TTTH"), "h t t t", `"HTTT"`},
		{game.Str("light"), "Dark", `"dark"`},
		{game.Str("light"), "Hell", `"Hell"`}, // for Check to say that it is no field
		{game.Str(""), " ", ""},
		{ints, "20, 21 4", "[20,21,4]"},
		{ints, "20|21", ""},
		{ints, ",", ""},
		{game.Strs([]string{"♠7"}), "♠7 ♥10", `["♠7","♥10"]`},
		{rows, "1 2 0 | 2 3 0; 1 0", "[[1,2,0],[2,3,0],[1,0]]"},
		{rows, "1 2 x", ""},
		{game.Vals(), "1", ""},
	} {
		got, ok := bet.ReadLike(c.like, c.text)
		if text := string(got.AppendJSON(nil)); ok != (c.want != "") || ok && text != c.want {
			t.Errorf("%q: got %s %v, want %s", c.text, text, ok, c.want)
		}
	}
}

// TestParts compares what a form would ask for with what a bet is refused for.
func TestParts(t *testing.T) {
	for _, g := range game.All() {
		if g.Grade.Kind == game.Unknown {
			continue // refused before it looks at a seed
		}
		parts, client, nonce := bet.PartsOf(g), "00112233445566778899aabbccddeeff", uint64(1)
		for _, c := range []struct {
			name string
			has  bool
			want bet.Code
			b    bet.Bet
		}{
			{"client", parts.Client, bet.NoClient, bet.Bet{Nonce: &nonce}},
			{"nonce", parts.Nonce, bet.NoNonce, bet.Bet{Client: &client}},
		} {
			c.b.Site, c.b.Game, c.b.Variant, c.b.Seed = g.Site, g.Name, g.Variants[0], client
			_, err := bet.Explain(c.b)
			asked := false
			if err != nil {
				code, _, _ := bet.CodeOf(err)
				asked = code == c.want
			}
			if asked != c.has {
				t.Errorf("%s %s: refused without its %s: %v, want %v (%v)", g.Site, g.Name, c.name, asked, c.has, err)
			}
		}
	}
}
