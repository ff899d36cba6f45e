package bet_test

import (
	"strings"
	"testing"

	"veridice/bet"
	"veridice/game"
)

// TestExamples has the examples of docs/spec/games.md, in its order.
func TestExamples(t *testing.T) {
	const abc = "def abc"
	for _, c := range []struct {
		site, game, variant string
		seeds               string // server seed, client seed; a bar where a seed has blanks
		nonce               uint64 // 1<<63 for none
		params              string
		want                string // key: value; key: value
	}{
		{"shuffle", "plinko", "", abc, 0, "rows=8", "path: RRLRLRRL; slot: 5"},
		{"shuffle", "plinko", "", abc, 1, "rows=8", "path: LRLRRLRL; slot: 4"},
		{"shuffle", "dice", "", abc, 1, "", "roll: 43.05"},
		{"shuffle", "dice", "", abc, 0, "", "roll: 83.21"},
		{"shuffle", "limbo", "", abc, 1, "", "multiplier: 2.29"},
		{"shuffle", "limbo", "", abc, 0, "", "multiplier: 1.18"},
		{"shuffle", "keno", "", abc, 1, "", "raw: 18 26 7 22 31 10 23 8 24 13; numbers: 18 27 7 24 35 11 28 9 31 16"},
		{"shuffle", "mines", "", abc, 0, "mines=3", "raw: 20 20 4; cells: 20 21 4"},
		{"shuffle", "mines", "", abc, 1, "mines=3", "cells: 10 16 4"},
		{"shuffle", "roulette", "", abc, 1, "", "pocket: 15"},
		{"shuffle", "roulette", "", abc, 0, "", "pocket: 30"},
		{"shuffle", "wheel", "", abc, 1, "segments=20", "segment: 8"},
		{"shuffle", "wheel", "", abc, 1, "segments=10", "segment: 4"},
		{"shuffle", "wheel", "", abc, 1, "segments=30", "segment: 12"},
		{"shuffle", "wheel", "", abc, 1, "segments=40", "segment: 17"},
		{"shuffle", "wheel", "", abc, 1, "segments=50", "segment: 21"},
		{"shuffle", "tower", "", abc, 1, "difficulty=easy", "rows: 1 2 0 | 2 3 0 | 2 0 3 | 1 2 0 | 3 1 0 | 2 1 0 | 1 3 2 | 1 3 0 | 3 0 1"},
		{"shuffle", "tower", "", abc, 1, "difficulty=master", "rows: 1 | 2 | 0 | 2 | 3 | 1 | 2 | 0 | 2"},
		{"shuffle", "blackjack", "", abc, 1, "count=8", "draws: 22 34 9 29 44 13 34 12; cards: ♠7 ♠10 ♥4 ♥9 ♦K ♥5 ♠10 ♦5"},
		{"shuffle", "hilo", "", abc, 1, "count=8", "cards: ♠7 ♠10 ♥4 ♥9 ♦K ♥5 ♠10 ♦5"},
		{"shuffle", "baccarat", "", abc, 1, "", "cards: ♦7 ♦10 ♥4 ♥9 ♠K ♥5; player: ♦7 ♥4; banker: ♦10 ♥9; totals: 1 9; winner: banker"},
		{"shuffle", "blitz", "", abc, 1, "count=8", "cards: ♣7 ♣10 ♥4 ♥9 ♠K ♥5 ♣10 ♠5; win: false"},
		{"shuffle", "blitz", "", abc, 1, "count=5", "draws: 22 34 9 29 44; win: true"},
		{"stake", "dice", "", "f2ac89b608eeb01312d115bce6741b32 86ff027f15c48241af7f54a726690ee7", 0, "", "roll: 28.07"},
		{"stake", "dice", "", "f2ac89b608eeb01312d115bce6741b32 86ff027f15c48241af7f54a726690ee7", 3, "", "roll: 54.86"},
		{"stake", "primedice", "", "f9aa75c7fb39ea34fb6bd43b99357479 6bf42afdf7e5f6ca64c16736c750b24b", 0, "", "roll: 23.22"},
		{"stake", "limbo", "2^24", "5c5c42b55822f994bd955a4416775190 40cea334816e7a68ed62d208ce4a2572", 0, "", "multiplier: 17.41"},
		{"stake", "limbo", "1e8", "e8df2cc3b9ccb583ce5ea92336842387 83e27f682128eb1852b048203dfd6931", 1942124, "", "multiplier: 3807692.30"},
		{"stake", "limbo", "2^24", "e8df2cc3b9ccb583ce5ea92336842387 83e27f682128eb1852b048203dfd6931", 1942124, "", "multiplier: 3321888.76"},
		{"shuffle", "limbo", "", "e8df2cc3b9ccb583ce5ea92336842387 83e27f682128eb1852b048203dfd6931", 1942124, "", "multiplier: 3185031.92"},
		{"stake", "plinko", "", "0c8f48139d81447799a5310edb9e5aac 0beeaafc2e5364be411d4b7279923662", 0, "rows=8 risk=low", "path: LRLLRLRL; slot: 3; multiplier: 1"},
		{"stake", "plinko", "", "0c8f48139d81447799a5310edb9e5aac 0beeaafc2e5364be411d4b7279923662", 20, "rows=10 risk=high", "path: LLRRLLLLLL; slot: 2; multiplier: 3"},
		{"stake", "wheel", "", "734db4b5d75c339f037ba64ac5ecada3 bb0f7423c07974b393e4f03d86c6c6d8", 0, "segments=10 risk=low", "segment: 7; multiplier: 1.2"},
		{"stake", "wheel", "", "734db4b5d75c339f037ba64ac5ecada3 bb0f7423c07974b393e4f03d86c6c6d8", 9, "segments=50 risk=medium", "segment: 45; multiplier: 0"},
		{"stake", "roulette", "", "18e93f4a7b5b58d2569765766d1b6c3296bbd8430d6f20249044d72f14720159 bb62964774", 1, "", "pocket: 28"},
		{"stake", "keno", "", "18e93f4a7b5b58d2569765766d1b6c3296bbd8430d6f20249044d72f14720159 bb62964774", 1, "", "numbers: 31 36 12 32 2 8 20 10 25 17"},
		{"stake", "mines", "", "server seed|client seed", 1, "mines=3", "cells: 18 15 5"},
		{"stake", "video-poker", "", "51b5258b38fef00c9887b7ad6c728035 6ec29c0c4180fd3f802534e6c98810ff", 0, "", "hand: ♠5 ♠A ♠J ♠Q ♥J; next: ♦8 ♥5 ♦J ♠K ♥8"},
		{"stake", "blackjack", "", "28ca8b5734401f5236ccb305e4526d07 b42fa130a68dfe8133fa268d5fb34cbe", 0, "count=8", "player: ♥4 ♥Q; dealer: ♣4 ♣2; next: ♠Q ♥5 ♥9 ♥10"},
		{"stake", "hilo", "", "18e93f4a7b5b58d2569765766d1b6c3296bbd8430d6f20249044d72f14720159 bb62964774", 1, "count=10", "cards: ♦Q ♠K ♦6 ♥Q ♥2 ♠4 ♥8 ♦5 ♣9 ♥7"},
		{"stake", "baccarat", "played", "3c382bcdaa7a266bb839405f8a5c0440 9d1a65292e3273961d48aa30ce87d0e2", 0, "", "cards: ♠Q ♦10 ♠5 ♥J ♥9 ♠K; player: ♠Q ♦10 ♥9; banker: ♠5 ♥J; totals: 9 5; winner: player"},
		{"stake", "baccarat", "played", "some server seed|some client seed", 2, "", "player: ♥Q ♣Q ♣10; banker: ♥4 ♥3; totals: 0 7; winner: banker"},
		{"stake", "diamonds", "", "5f6de4c2f18ecbbfc1919851cd0770b7 7dbf887dbe97259c5e48b76afa459c06", 0, "", "gems: blue yellow green pink yellow"},
		{"stake", "diamond-poker", "", "f19428a59b46edad1f01ecdb37561fc69a6911ab395fe4ee4afce83a9f154372 0IIspHiL", 1, "", "dealer: red yellow red green purple; player: yellow blue cyan red purple"},
		{"stake", "dragon-tower", "", "f0344667883e7628a041d8e500e6d203 2a73709723181740d73e64233275c29c", 0, "difficulty=easy", "rows: 1 2 0 | 0 1 2 | 1 0 2 | 3 2 0 | 0 2 3 | 2 1 3 | 3 0 1 | 2 0 3 | 1 3 0"},
		{"stake", "pump", "", "d027ce5077bd62a2072de5521fcad8b7 b39cea8e183258455750e51667d3aec0", 1, "difficulty=medium", "cells: 16 2 5; multiplier: 1.27"},
		{"stake", "pump", "", "d027ce5077bd62a2072de5521fcad8b7 b39cea8e183258455750e51667d3aec0", 5, "difficulty=medium", "safe: 4; multiplier: 1.69"},
		{"stake", "chicken", "", "b8f031e0928677105e302f4979d58911 beb2f0d281049dd680fa1577861655cb", 5, "difficulty=medium", "cells: 1 5 16; multiplier: 1.15"},
		{"stake", "cases", "", "e89f72064b8e4fbb5dd7f28da282e2a5 15df5f1542e8e79ef16471326c26c471", 4, "difficulty=easy", "multiplier: 0.1"},
		{"stake", "bars", "", "fdf5ba1da695bc3ac930aebc9f48d492 decd704b830421ecbdfcc7ca209ad42d", 9, "difficulty=medium tiles=5", "multipliers: 0.12 0.27 0.06 0.06 0.06 0.06 0.12 0.24 0.12 0.24 0.12 0.12 0.06 0.06 0.06 0.12 0.12 0.24 0.06 0.27 0.06 0.12 0.24 0.24 0.24 0.12 0.12 0.12 0.27 0.06"},
		{"stake", "tarot", "", "0f256f45dab125edf2c213798905c25a 7a34199d71831c82045177b0fc47b8ea", 2, "difficulty=hard", "multipliers: 0.15 2 0.15; multiplier: 0.045"},
		{"stake", "packs", "", "323d470df849d31038224972f224893c 5de0bfa2035f29d4d12042e5118cdb42", 0, "", "numbers: 128 122 205 207 214; multiplier: 0.35"},
		{"stake", "drill", "", "e9d7e56f67bf5ba273a85efea28ade0a af34766105e5036cdc101741e5172420", 0, "", "multipliers: 2.94 1.77 6.1"},
		{"stake", "darts", "", "e1865fe1e308c311d932bb00b2ff3e4b 4543e84c4eb767373f78a35a6dee2787", 0, "difficulty=easy places=6", "rotation: 0.708741; radius: 0.477056; field: dark; multiplier: 0.5"},
		{"stake", "darts", "", "e1865fe1e308c311d932bb00b2ff3e4b 4543e84c4eb767373f78a35a6dee2787", 7, "difficulty=expert places=6", "rotation: 0.213183; radius: 0.201278; field: dark; multiplier: 0.1"},
		{"stake", "snakes", "", "6f2359d994c63b1e32f357379aa2e372 a8530c7a3bb928ac086d7ade9b07de9b", 0, "difficulty=easy", "rolls: 4 5 | 3 3 | 6 3 | 1 3 | 4 4; sums: 9 6 9 4 8"},
		{"stake", "flip", "", "8b9c7cf18c001dfb7ea6f6fe52f3df95 247e90a65d07b3c4d629ada402918f03", 0, "", "flips: HHHHTHHHHTHHTTHHTHHT"},
		{"stake", "rps", "", "b3f276eca635f24d58e8f3822ba1d15c ae8378fe6eadaa711af43746ea6766e0", 0, "", "throws: PRSRPSPRPSSPPRRRPSRR"},
		{"stake", "moles", "", "9ad3b1a17cb0221603ce4e1b84eb54ab d92549aa62e5091371536bf5ee9dfb21", 2, "moles=3", "rounds: 1 2 6 | 2 3 5 | 6 1 4 | 3 0 2 | 1 6 3 | 5 1 0 | 5 0 2 | 4 5 2 | 4 3 5"},
		{"stake", "scarab-spin", "", "a1c0b94f9a5e5ab9c0f08f2982537bd8 d99174a86f29ac19c0b512e04b99461b", 0, "", "stops: 11 23 24 9 15; scatters: 2"},
		{"stake", "blue-samurai", "", "18e93f4a7b5b58d2569765766d1b6c3296bbd8430d6f20249044d72f14720159 bb62964774", 1, "", "columns: s9 samurai s4 | samurai s1 s3 s7 | s3 s8 s6 s2 | s4 wild s6 s5 | s6 s8 s9"},
		{"stake", "crash", "", "9dd9a4ce539a7d11a36a96c71f3d939c46d972b2e56254bc85ea2c0681541dca 23eb7069c6fc5b1369b92f5321af9f63", 1 << 63, "", "multiplier: 7.74"},
		{"stake", "crash", "", "f951df36a7a0781b332493fe5d0fe38f64a0517d9318c20a664ff88142b89699 0000000000000000001b34dc6a1e86083f95500b096231436e9b25cbdd0075c4", 1 << 63, "", "multiplier: 1.21"},
		{"stake", "slide", "", "a60e04bcba668c720ce7d3b70183653181d438a99aa64bb042bdeb23aa9e63bd 015dcda675eb8ec18254ab6f18fd8f47", 1 << 63, "", "multiplier: 1.39"},
		{"stake", "zoo", "", "8c6ccd93221a2e055e669f1950128dd92ff088683ecf116d7d8276820d45b052 1d947e6516c7f0fc10cd17931c69daa9", 1 << 63, "", "animals: crocodile rhino penguin"},
		{"roobet", "crash", "", "ccd66d9f5165a9de2b8d33e65bf97e57aa295b60a9fc844a54acdc0aa9b5fb6f 0xe0fcab987236cb02bba4919f9ea8280d163a58209cd8960a5204d152dbdf4e2d", 1 << 63, "divisor=20", "multiplier: 28.63"},
		{"roobet", "crash", "", "f0469d912c2baa541d382ce99fd8ed555652806ef8b96b289316784ec0e5e982 0xe0fcab987236cb02bba4919f9ea8280d163a58209cd8960a5204d152dbdf4e2d", 1 << 63, "divisor=20", "multiplier: 1.00"},
		{"bcgame", "limbo", "", "server client", 1, "", "multiplier: 1.44"},
		{"bcgame", "dice", "", "server client", 1, "", "roll: 31.25"},
		{"primedice", "dice", "2015", "293d5d2ddd365f54759283a8097ab2640cbe6f8864adc2b1b31e65c14c999f04 ClientSeedForDiceSites.com", 0, "", "roll: 79.69"},
	} {
		seeds := strings.SplitN(c.seeds, "|", 2)
		if len(seeds) == 1 {
			seeds = strings.Fields(c.seeds)
		}
		b := bet.Bet{Site: c.site, Game: c.game, Variant: c.variant, Seed: seeds[0], Client: &seeds[1]}
		if c.nonce < 1<<63 {
			b.Nonce = &c.nonce
		}
		for _, p := range strings.Fields(c.params) {
			name, value, _ := strings.Cut(p, "=")
			b.Params = append(b.Params, game.Arg{Name: name, Value: value})
		}
		e, err := bet.Explain(b)
		if err != nil {
			t.Errorf("%s %s: %v", c.site, c.game, err)
			continue
		}
		for _, part := range strings.Split(c.want, "; ") {
			name, want, _ := strings.Cut(part, ": ")
			k, ok := e.Outcome.Key(name)
			got := k.Value.String()
			if name == "next" || c.game == "blackjack" && k.Open {
				got = got[:min(len(got), len(want))]
			}
			if !ok || got != want {
				t.Errorf("%s %s, nonce %d: %s: got %s, want %s", c.site, c.game, c.nonce, name, got, want)
			}
		}
	}
}

// TestBonusSpins has the round of games.md, section 4.16, with 15 more spins.
func TestBonusSpins(t *testing.T) {
	client, nonce := "AUCox-Us", uint64(138)
	e, err := bet.Explain(bet.Bet{Site: "stake", Game: "scarab-spin", Seed: "accc520a414257281e9259fe5515f56e7f6882a7bfab78707158f95b444a8332", Client: &client, Nonce: &nonce})
	if err != nil {
		t.Fatal(err)
	}
	stops, _ := e.Outcome.Key("stops")
	list := stops.Value.List
	if len(list) != 16 || list[0].String() != "28 20 18 19 14" || list[1].String() != "26 19 12 2 17" || list[15].String() != "1 21 7 27 36" {
		t.Errorf("got %s", stops.Value)
	}
	if len(e.Words) != 80 {
		t.Errorf("took %d words", len(e.Words))
	}
}

// TestOtherRulesDoNotFit reads the examples by the rule of the neighbouring game
// or site: docs/spec/games.md, section 7.
func TestOtherRulesDoNotFit(t *testing.T) {
	value := func(site, name, key, params string) string {
		t.Helper()
		client, nonce := "abc", uint64(1)
		b := bet.Bet{Site: site, Game: name, Seed: "def", Client: &client, Nonce: &nonce}
		for _, p := range strings.Fields(params) {
			n, v, _ := strings.Cut(p, "=")
			b.Params = append(b.Params, game.Arg{Name: n, Value: v})
		}
		e, err := bet.Explain(b)
		if err != nil {
			t.Fatal(err)
		}
		k, _ := e.Outcome.Key(key)
		return k.Value.String()
	}
	// Keno rounds up at Shuffle and down at Stake: one place apart.
	if a, b := value("shuffle", "keno", "raw", ""), value("stake", "keno", "raw", ""); a == b {
		t.Errorf("keno rounds the same way: %s", a)
	}
	// Baccarat is dealt P B P B at Shuffle, P P B B at Stake.
	if a, b := value("shuffle", "baccarat", "totals", ""), value("stake", "baccarat", "totals", ""); a == b {
		t.Errorf("baccarat is dealt the same way: %s", a)
	}
	// Video poker draws without replacement, hilo with.
	if a, b := value("stake", "video-poker", "draws", ""), value("stake", "hilo", "draws", "count=10"); a == b {
		t.Errorf("video poker replaces: %s", a)
	}
	// The tower goes on in the stream: its second row is not its first.
	rows := strings.Split(value("shuffle", "tower", "rows", "difficulty=easy"), " | ")
	if rows[1] == rows[0] && rows[2] == rows[0] {
		t.Errorf("each row begins the stream again: %s", rows)
	}
	// Plinko has the top bit at Shuffle, the lowest at Duel: k mod 2.
	e, err := bet.Explain(find(t, "shuffle", "plinko"))
	if err != nil {
		t.Fatal(err)
	}
	low := ""
	for _, k := range e.Words {
		low += string("LR"[k%2])
	}
	if path, _ := e.Outcome.Key("path"); path.Value.Text == low {
		t.Errorf("the lowest bit fits: %s", low)
	}
}
