package game_test

import (
	"encoding/binary"
	"slices"
	"testing"

	"veridice/draw"
	"veridice/game"
	"veridice/game/cards"
	"veridice/game/drill"
	"veridice/game/samurai"
	"veridice/game/slots"
)

// cycle is a source that repeats some words, in every block.
type cycle struct {
	bytes []byte
	at    int
}

func ofWords(list ...uint32) *cycle {
	c := &cycle{}
	for _, k := range list {
		c.bytes = binary.BigEndian.AppendUint32(c.bytes, k)
	}
	return c
}

func (c *cycle) Byte() byte {
	c.at++
	return c.bytes[(c.at-1)%len(c.bytes)]
}

func (c *cycle) Seek(uint64) { c.at = 0 }

// at is the least word that index(n) makes i of.
func at(i, n uint64) uint32 { return uint32((i<<32 + n - 1) / n) }

// play plays a game and gives one key of it.
func play(t *testing.T, src draw.Source, site, name, key string, params ...string) (string, []game.Label) {
	t.Helper()
	g, err := game.Lookup(site, name)
	if err != nil {
		t.Fatal(err)
	}
	p := game.Params{}
	for i := 0; i < len(params); i += 2 {
		p.Args = append(p.Args, game.Arg{Name: params[i], Value: params[i+1]})
	}
	o, err := g.Play(src, p)
	if err != nil {
		t.Fatal(err)
	}
	k, ok := o.Key(key)
	if !ok {
		t.Fatalf("%s %s has no key %s", site, name, key)
	}
	return k.Value.String(), o.Labels
}

// TestThirdCards goes through the chart of the banker's third card: rows are his
// total, columns the value of the player's third card.
func TestThirdCards(t *testing.T) {
	chart := [8]string{
		"DDDDDDDDDD", "DDDDDDDDDD", "DDDDDDDDDD", "DDDDDDDDSD",
		"SSDDDDDDSS", "SSSSDDDDSS", "SSSSSSDDSS", "SSSSSSSSSS",
	}
	card := func(points uint32) uint32 { // of this value in baccarat
		switch points {
		case 0:
			return 4 * 11
		case 1:
			return 4 * 12
		}
		return 4 * (points - 2)
	}
	for p := range uint32(10) {
		for b := range uint32(10) {
			for third := range uint32(10) {
				r := cards.Play([]uint32{card(p), card(0), card(b), card(0), card(third), card(3)}, cards.Paired)
				player, banker := 2, 2
				if p < 8 && b < 8 {
					if p <= 5 {
						player = 3
						if chart[b][third] == 'D' {
							banker = 3
						}
					} else if b <= 5 {
						banker = 3
					}
				}
				if len(r.Player) != player || len(r.Banker) != banker {
					t.Errorf("player %d, banker %d, third card %d: hands of %d and %d cards, want %d and %d", p, b, third, len(r.Player), len(r.Banker), player, banker)
				}
				// The banker's third card is the next one, whoever drew before.
				if banker == 3 && r.Banker[2] != []uint32{card(third), card(3)}[player-2] {
					t.Errorf("player %d, banker %d: the banker drew card %d", p, b, r.Banker[2])
				}
			}
		}
	}
}

func TestSpinsAreCapped(t *testing.T) {
	// Stops at which a scatter stands in the middle of each reel.
	src := ofWords(at(12, 30), at(19, 30), at(29, 30), at(18, 30), at(14, 41))
	spins, capped := slots.Round(src)
	if len(spins) != 1+slots.Cap || !capped || spins[0].Scatters() != 5 {
		t.Errorf("%d spins, %v, %d scatters", len(spins), capped, spins[0].Scatters())
	}
	_, labels := play(t, ofWords(at(12, 30), at(19, 30), at(29, 30), at(18, 30), at(14, 41)), "stake", "scarab-spin", "stops")
	if !slices.Contains(labels, game.Label{Code: game.LabelThirdParty, Key: "stops"}) {
		t.Errorf("labels %v", labels)
	}
}

func TestSamuraiFillsAColumn(t *testing.T) {
	samuraiWord, other := uint32(900<<22), uint32(0) // about 0.88 and 0
	for name, c := range map[string]struct {
		column int
		want   bool
	}{"left": {0, true}, "inner": {1, false}, "right": {4, true}} {
		list := make([]uint32, 18)
		first := []int{0, 3, 7, 11, 15, 18}
		for i := range list {
			list[i] = other
			if i >= first[c.column] && i < first[c.column+1] {
				list[i] = samuraiWord
			}
		}
		if got := samurai.Turn(ofWords(list...)).Special(); got != c.want {
			t.Errorf("%s column: got %v", name, got)
		}
		// Two of three are not a full column.
		list[first[c.column]] = other
		if samurai.Turn(ofWords(list...)).Special() {
			t.Errorf("%s column: one cell is missing", name)
		}
	}
}

func TestDuelDiceBorders(t *testing.T) {
	for v, want := range map[uint32]string{4253: "false", 4254: "true"} {
		if got, _ := play(t, ofWords(v), "duel", "dice", "win", "side", "over", "target", "4253"); got != want {
			t.Errorf("result %d over 4253: got %s", v, got)
		}
	}
	// 2.496501499250374813 × 0.5 has its half in the nineteenth place.
	if got, _ := play(t, ofWords(9999), "duel", "dice", "paid", "side", "over", "target", "5998", "amount", "0.5"); got != "1.248250749625187407" {
		t.Errorf("a half upward: got %s", got)
	}
	if got, _ := play(t, ofWords(0), "duel", "dice", "paid", "side", "over", "target", "5998", "amount", "0.5"); got != "0" {
		t.Errorf("a lost bet pays %s", got)
	}
}

func TestLIQDDiceBorders(t *testing.T) {
	for v, want := range map[uint32][2]string{360: {"false", "true"}, 361: {"true", "false"}, 999: {"true", "false"}, 1000: {"false", "true"}} {
		for i, inverted := range []string{"false", "true"} {
			got, _ := play(t, ofWords(v), "liqd", "dice", "win", "lower", "3.61", "upper", "10", "inverted", inverted)
			if got != want[i] {
				t.Errorf("%d from 3.61 to 10, inverted %s: got %s, want %s", v, inverted, got, want[i])
			}
		}
	}
	// 99 / 61.44 = 1.611328125: half to even before the amount counts.
	for amount, want := range map[string]string{"1": "1.61132812", "100": "161.132812"} {
		if got, _ := play(t, ofWords(0), "liqd", "dice", "paid", "lower", "0", "upper", "61.44", "amount", amount); got != want {
			t.Errorf("amount %s: got %s, want %s", amount, got, want)
		}
	}
	g, err := game.Lookup("liqd", "dice")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range [][4]string{{"5", "5", "false", "upper"}, {"6", "5", "false", "upper"}, {"0", "100.01", "false", "upper"}, {"0.005", "5", "false", "lower"}, {"0", "100", "true", "upper"}} {
		_, err := g.Play(ofWords(0), game.Params{Args: []game.Arg{{Name: "lower", Value: c[0]}, {Name: "upper", Value: c[1]}, {Name: "inverted", Value: c[2]}}})
		if e, ok := err.(*game.Error); !ok || e.Code != game.ParamValue || e.Param != c[3] {
			t.Errorf("%s: got %v", c, err)
		}
	}
}

func TestLabels(t *testing.T) {
	for name, c := range map[string]struct {
		site, game, key string
		word            uint32
		code            string
		want            bool
		params          []string
	}{
		"limbo below 1.00":      {"shuffle", "limbo", "multiplier", 1<<32 - 1, game.LabelBelowOne, true, nil},
		"limbo 0.99":            {"shuffle", "limbo", "multiplier", 4252017368, game.LabelBelowOne, true, nil},
		"limbo 1.00":            {"shuffle", "limbo", "multiplier", 4252017367, game.LabelBelowOne, false, nil},
		"keno, the blank":       {"shuffle", "keno", "numbers", 0, game.LabelBlank, true, nil},
		"keno":                  {"shuffle", "keno", "numbers", 1, game.LabelBlank, false, nil},
		"flip at 0.5":           {"stake", "flip", "flips", 1 << 31, game.LabelHalf, true, nil},
		"flip":                  {"stake", "flip", "flips", 1<<31 + 1, game.LabelHalf, false, nil},
		"packs, card 31":        {"stake", "packs", "multiplier", 4287665895, game.LabelMisprint, true, nil},
		"packs, card 30":        {"stake", "packs", "multiplier", 4288524889, game.LabelMisprint, false, nil},
		"drill, the cap":        {"stake", "drill", "multipliers", 1<<32 - 1, game.LabelThirdParty, true, nil},
		"drill":                 {"stake", "drill", "multipliers", 1, game.LabelThirdParty, false, nil},
		"pump medium, index 4":  {"stake", "pump", "multiplier", 816043786, game.LabelOtherRecord, true, []string{"difficulty", "medium"}},
		"pump easy, index 4":    {"stake", "pump", "multiplier", 816043786, game.LabelOtherRecord, false, []string{"difficulty", "easy"}},
		"diamonds, pink":        {"stake", "diamonds", "gems", at(5, 7), game.LabelOtherRecord, true, nil},
		"diamonds, blue":        {"stake", "diamonds", "gems", at(6, 7), game.LabelOtherRecord, false, nil},
		"shuffle's blackjack":   {"shuffle", "blackjack", "cards", 0, game.LabelNoOrder, true, nil},
		"shuffle's baccarat":    {"shuffle", "baccarat", "cards", 0, game.LabelSuits, true, nil},
		"darts":                 {"stake", "darts", "multiplier", 0, game.LabelThirdParty, true, []string{"difficulty", "easy"}},
		"duel's plinko, payout": {"duel", "plinko", "multiplier", 0, game.LabelReading, true, []string{"rows", "8", "risk", "low"}},
	} {
		_, labels := play(t, ofWords(c.word), c.site, c.game, c.key, c.params...)
		if got := slices.Contains(labels, game.Label{Code: c.code, Key: c.key}); got != c.want {
			t.Errorf("%s: labels %v", name, labels)
		}
	}
}

func TestDrillBelowTheBorder(t *testing.T) {
	for k, want := range map[uint32]uint32{0: 100, 85899345: 100, 85899346: 100, 128849018: 101} { // u = 0, 0.02 and 0.03
		if got := drill.Dig(ofWords(k))[0]; got != want {
			t.Errorf("word %d: got %d, want %d", k, got, want)
		}
	}
}
