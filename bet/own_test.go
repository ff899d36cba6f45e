package bet_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"veridice/bet"
	"veridice/game"
	"veridice/seed"
)

const own = "../vectors/games/"

// TestOwn runs the project's own facts: an independent computation for every
// game, and a choice of recorded bets.
func TestOwn(t *testing.T) {
	played, chance, lines := map[string]int{}, 0, 0
	for i, l := range readBets(t, own+"bets.ndjson") {
		lines++
		r := bet.Check(l.Bet)
		if r.Verdict != bet.Proven {
			t.Errorf("line %d: %s %s %s: expected %s, got %s: %s", i+1, r.Verdict, r.Code, r.Key, r.Expected, r.Got, l.text)
		}
		if sealed := l.SealedAs != ""; sealed != (r.Seal == bet.Fits) {
			t.Errorf("line %d: seal: %s", i+1, r.Seal)
		}
		played[l.Site+" "+l.Game]++

		// With one digit of the seed changed a small outcome may still come out.
		other := l.Bet
		other.SealedAs = ""
		last := len(other.Seed) - 1
		other.Seed = other.Seed[:last] + string("fedcba9876543210"[strings.IndexByte("0123456789abcdef", other.Seed[last])])
		if r := bet.Check(other); r.Verdict == bet.Proven {
			chance++
		}
	}
	if chance*20 > lines {
		t.Errorf("%d of %d bets are proven with another seed", chance, lines)
	}
	for _, g := range game.All() {
		if g.Grade.Kind != game.Unknown && g.Name != "floats" && g.Name != "bytes" && played[g.Site+" "+g.Name] == 0 {
			t.Errorf("%s %s has no vector", g.Site, g.Name)
		}
	}
}

func TestRecordedHere(t *testing.T) {
	verdicts := map[bet.Verdict]int{}
	for i, l := range readBets(t, own+"recorded.ndjson") {
		r := bet.Check(l.Bet)
		verdicts[r.Verdict]++
		want := bet.Proven
		if l.grade == "misprint" {
			want = bet.Broken
		} else if _, err := game.Lookup(l.Site, l.Game); game.CodeOf(err) == game.SiteUnknown {
			want = bet.Unknown
		}
		if r.Verdict != want {
			t.Errorf("line %d: %s %s %s: expected %s, got %s: %s", i+1, r.Verdict, r.Code, r.Key, r.Expected, r.Got, l.text)
		}
	}
	if verdicts[bet.Broken] != 8 || verdicts[bet.Unknown] != 9 || verdicts[bet.Proven] < 200 {
		t.Errorf("got %v", verdicts)
	}
}

// TestTheWholeOutcomeIsCompared changes one value of each vector, wherever it
// is, and one seal.
func TestTheWholeOutcomeIsCompared(t *testing.T) {
	changes := 0
	for i, l := range readBets(t, own+"bets.ndjson") {
		for k := range l.Want {
			changed := l.Bet
			changed.Want = append([]game.Key(nil), l.Want...)
			for at := 0; ; at++ {
				v, ok := alter(l.Want[k].Value, &at)
				if !ok {
					break
				}
				changes++
				changed.Want[k].Value = v
				if r := bet.Check(changed); r.Verdict != bet.Broken || r.Code != bet.WrongOutcome || r.Key != l.Want[k].Name {
					t.Fatalf("line %d: %s changed to %s: %s %s %s", i+1, l.Want[k].Name, v, r.Verdict, r.Code, r.Key)
				}
				if at > 3 { // the first values of long lists are enough
					break
				}
			}
		}
	}
	if changes < 1000 {
		t.Errorf("only %d changes", changes)
	}
}

// alter changes the value at a place, counted through all lists.
func alter(v game.Value, at *int) (game.Value, bool) {
	n := *at
	return alterAt(v, &n)
}

func alterAt(v game.Value, n *int) (game.Value, bool) {
	if v.Kind == game.List {
		for i, e := range v.List {
			if changed, ok := alterAt(e, n); ok {
				list := append([]game.Value(nil), v.List...)
				list[i] = changed
				return game.Vals(list...), true
			}
		}
		return v, false
	}
	if *n > 0 {
		*n--
		return v, false
	}
	switch v.Kind {
	case game.Integer:
		return game.Int(v.Int + 1), true
	case game.Boolean:
		return game.Bool(v.Int == 0), true
	}
	return game.Str(other(v.Text)), true
}

// other is another text of the same kind: a hash, letters, a word or a number.
func other(text string) string {
	first := text[:1]
	switch {
	case len(text) >= 64:
		return map[bool]string{true: "1", false: "0"}[first == "0"] + text[1:]
	case strings.Trim(text, "LR") == "" || strings.Trim(text, "TH") == "" || strings.Trim(text, "RPS") == "":
		return map[string]string{"L": "R", "R": "L", "T": "H", "H": "T", "P": "S", "S": "P"}[first] + text[1:]
	case first >= "0" && first <= "9":
		return "1" + text
	case text == "green":
		return "red"
	}
	return "green"
}

// TestWrongReadings reads the dice of Stake as implementers do who get it wrong.
// Times 10001 fits all of them; the others must not.
func TestWrongReadings(t *testing.T) {
	fits := map[string]int{}
	bets := 0
	for _, l := range readBets(t, own+"recorded.ndjson") {
		if l.Site != "stake" || l.Game != "dice" {
			continue
		}
		bets++
		roll := strings.Replace(l.Want[0].Value.Text, ".", "", 1)
		want, err := strconv.Atoi(strings.TrimLeft(roll, "0") + "0")
		if err != nil {
			t.Fatal(err)
		}
		want /= 10
		message := []byte(*l.Client + ":" + strconv.FormatUint(*l.Nonce, 10) + ":0")
		word := func(key, message []byte) uint64 {
			m := hmac.New(sha256.New, key)
			m.Write(message)
			return uint64(binary.BigEndian.Uint32(m.Sum(nil)))
		}
		k := word([]byte(l.Seed), message)
		decoded, _ := seed.ParseHex(l.Seed)
		for name, v := range map[string]uint64{
			"10001":         k * 10001 >> 32,
			"10000":         k * 10000 >> 32,
			"modulo":        k % 10001,
			"decoded key":   word(decoded, message) * 10001 >> 32,
			"exchanged":     word(message, []byte(l.Seed)) * 10001 >> 32,
			"no round":      word([]byte(l.Seed), message[:len(message)-2]) * 10001 >> 32,
			"little endian": uint64(binary.LittleEndian.Uint32(binary.BigEndian.AppendUint32(nil, uint32(k)))) * 10001 >> 32,
		} {
			if int(v) == want {
				fits[name]++
			}
		}
	}
	if bets < 20 || fits["10001"] != bets {
		t.Errorf("of %d bets, %d fit", bets, fits["10001"])
	}
	if n := fits["10000"]; n == 0 || n == bets {
		t.Errorf("times 10000 fits %d of %d bets; it should fit some", n, bets)
	}
	for _, name := range []string{"modulo", "decoded key", "exchanged", "no round", "little endian"} {
		if fits[name] != 0 {
			t.Errorf("%s fits %d bets", name, fits[name])
		}
	}
}

func find(t *testing.T, site, name string) bet.Bet {
	t.Helper()
	for _, l := range readBets(t, own+"bets.ndjson") {
		if l.Site == site && l.Game == name {
			return l.Bet
		}
	}
	t.Fatalf("no bet of %s %s", site, name)
	return bet.Bet{}
}

func TestCodes(t *testing.T) {
	text := func(s string) *string { return &s }
	number := func(n uint64) *uint64 { return &n }
	long := strings.Repeat("x", 1025)
	for name, c := range map[string]struct {
		site, game string
		change     func(*bet.Bet)
		verdict    bet.Verdict
		code       bet.Code
		key        string
	}{
		"site":         {"stake", "dice", func(b *bet.Bet) { b.Site = "casino" }, bet.Unknown, game.SiteUnknown, "casino"},
		"game":         {"stake", "dice", func(b *bet.Bet) { b.Game = "craps" }, bet.Unknown, game.GameUnknown, "craps"},
		"variant":      {"stake", "dice", func(b *bet.Bet) { b.Variant = "2" }, bet.Unknown, game.VariantUnknown, ""},
		"no seed":      {"stake", "dice", func(b *bet.Bet) { b.Seed = "" }, bet.Unknown, bet.BadSeed, "seed"},
		"long seed":    {"stake", "dice", func(b *bet.Bet) { b.Seed = long }, bet.Unknown, bet.BadSeed, "seed"},
		"no client":    {"stake", "dice", func(b *bet.Bet) { b.Client = nil }, bet.Unknown, bet.NoClient, "client"},
		"long client":  {"stake", "dice", func(b *bet.Bet) { b.Client = &long }, bet.Unknown, bet.BadClient, "client"},
		"bad client":   {"stake", "dice", func(b *bet.Bet) { b.Client = text("\xff") }, bet.Unknown, bet.BadClient, "client"},
		"no nonce":     {"stake", "dice", func(b *bet.Bet) { b.Nonce = nil }, bet.Unknown, bet.NoNonce, "nonce"},
		"large nonce":  {"stake", "dice", func(b *bet.Bet) { b.Nonce = number(1 << 63) }, bet.Unknown, bet.BadNonce, "nonce"},
		"large cursor": {"stake", "dice", func(b *bet.Bet) { b.Cursor = number(1 << 60) }, bet.Unknown, bet.BadNonce, "cursor"},
		"no outcome":   {"stake", "dice", func(b *bet.Bet) { b.Want = nil }, bet.Unknown, bet.NothingToSee, ""},
		"other key":    {"stake", "dice", func(b *bet.Bet) { b.Want = append(b.Want[:1:1], game.Key{Name: "paid", Value: game.Str("1")}) }, bet.Unknown, bet.KeyUnknown, "paid"},
		"other key, bad": {"stake", "dice", func(b *bet.Bet) {
			b.Want = []game.Key{{Name: "paid", Value: game.Str("1")}, {Name: "roll", Value: game.Str("1.005")}}
		}, bet.Broken, bet.WrongOutcome, "roll"},
		"another whole number":  {"stake", "dice", func(b *bet.Bet) { b.Want = []game.Key{{Name: "roll", Value: game.Int(101)}} }, bet.Broken, bet.WrongOutcome, "roll"},
		"words for cells":       {"stake", "mines", func(b *bet.Bet) { b.Want = []game.Key{{Name: "set", Value: game.Strs([]string{"a"})}} }, bet.Unknown, bet.BadValue, "set"},
		"no card that was next": {"stake", "blackjack", four, bet.Proven, "", ""},
		"no value, and bad": {"stake", "mines", func(b *bet.Bet) {
			b.Want = []game.Key{{Name: "set", Value: game.Vals()}, {Name: "cells", Value: game.Ints([]uint32{0})}}
		}, bet.Broken, bet.WrongOutcome, "cells"},
		"seal":                   {"stake", "dice", func(b *bet.Bet) { b.SealedAs = strings.Repeat("0", 64) }, bet.Broken, bet.WrongSeal, ""},
		"a value with a sign":    {"stake", "dice", func(b *bet.Bet) { b.Want = []game.Key{{Name: "roll", Value: game.Str("83.21%")}} }, bet.Unknown, bet.BadValue, "roll"},
		"a blank behind a value": {"stake", "dice", func(b *bet.Bet) { b.Want = []game.Key{{Name: "roll", Value: game.Str("83.21 ")}} }, bet.Unknown, bet.BadValue, "roll"},
		"no list":                {"stake", "mines", func(b *bet.Bet) { b.Want = []game.Key{{Name: "set", Value: game.Vals()}} }, bet.Unknown, bet.BadValue, "set"},
		"a word of a language":   {"stake", "darts", func(b *bet.Bet) { b.Want = []game.Key{{Name: "field", Value: game.Str("gelb")}} }, bet.Unknown, bet.BadValue, "field"},
		"a path, cut":            {"shuffle", "plinko", func(b *bet.Bet) { b.Want = []game.Key{{Name: "path", Value: game.Str("LR")}} }, bet.Unknown, bet.BadValue, "path"},
		"another path":           {"shuffle", "plinko", func(b *bet.Bet) { b.Want = []game.Key{{Name: "path", Value: game.Str("LLLLLLLL")}} }, bet.Broken, bet.WrongOutcome, "path"},
		"no value at all":        {"stake", "dice", func(b *bet.Bet) { b.Want = []game.Key{{Name: "roll", Value: game.Vals(game.Int(1))}} }, bet.Unknown, bet.BadValue, "roll"},
		"seal, cut":              {"stake", "dice", func(b *bet.Bet) { b.SealedAs = strings.Repeat("0", 63) }, bet.Unknown, bet.BadSeal, "sealed_as"},
		"seal, name":             {"stake", "dice", func(b *bet.Bet) { b.SealedAs = "sha256:" + strings.Repeat("0", 57) }, bet.Unknown, bet.BadSeal, "sealed_as"},
		"seal, control":          {"stake", "dice", func(b *bet.Bet) { b.SealedAs = strings.Repeat("\x10", 64) }, bet.Unknown, bet.BadSeal, "sealed_as"},
		"seal, none":             {"stake", "dice", func(b *bet.Bet) { b.SealedAs = "-" }, bet.Unknown, bet.BadSeal, "sealed_as"},
		"seal, cut, and another outcome": {"stake", "dice", func(b *bet.Bet) {
			b.SealedAs = "-"
			b.Want = []game.Key{{Name: "roll", Value: game.Str("1.005")}}
		}, bet.Broken, bet.WrongOutcome, "roll"},
		"param":             {"stake", "mines", func(b *bet.Bet) { b.Params = []game.Arg{{Name: "mines", Value: "25"}} }, bet.Unknown, game.ParamValue, "mines"},
		"no param":          {"stake", "mines", func(b *bet.Bet) { b.Params = nil }, bet.Unknown, game.ParamMissing, "mines"},
		"more params":       {"stake", "mines", func(b *bet.Bet) { b.Params = append(b.Params, game.Arg{Name: "risk", Value: "low"}) }, bet.Unknown, game.ParamUnknown, "risk"},
		"twice":             {"stake", "mines", func(b *bet.Bet) { b.Params = append(b.Params, b.Params[0]) }, bet.Unknown, game.ParamTwice, "mines"},
		"no seed of a seal": {"stake", "dice", func(b *bet.Bet) { b.Seed = ""; hashOf(b, "seal", "seal") }, bet.Unknown, bet.KeyUnknown, "seal"},
		"seal of a chain":   {"stake", "dice", func(b *bet.Bet) { hashOf(b, "chain", "seal") }, bet.Unknown, bet.KeyUnknown, "seal"},
		"chain of a seal":   {"stake", "dice", func(b *bet.Bet) { hashOf(b, "seal", "previous") }, bet.Unknown, bet.KeyUnknown, "previous"},
		"chain of no chain": {"duel", "dice", func(b *bet.Bet) { hashOf(b, "chain", "previous") }, bet.Unknown, bet.KeyUnknown, "previous"},
		"chain of a site":   {"bcgame", "dice", func(b *bet.Bet) { hashOf(b, "chain", "previous") }, bet.Unknown, game.SiteUnknown, "bcgame"},
		"other chain":       {"roobet", "crash", func(b *bet.Bet) { hashOf(b, "chain", "previous") }, bet.Broken, bet.WrongOutcome, "previous"},
		"MAC of many":       {"stake", "hilo", func(b *bet.Bet) { b.Want = []game.Key{{Name: "hmac", Value: game.Str(long[:64])}} }, bet.Unknown, bet.KeyUnknown, "hmac"},
		"other seed's seal": {"stake", "dice", func(b *bet.Bet) { hashOf(b, "seal", "seal") }, bet.Broken, bet.WrongOutcome, "seal"},
		"secret":            {"stake", "dice", func(b *bet.Bet) { b.Site, b.Game = "shuffle", "crash" }, bet.Unknown, game.NotPublished, ""},
		"short seed":        {"duel", "dice", func(b *bet.Bet) { b.Seed = b.Seed[2:] }, bet.Unknown, bet.BadSeed, "seed"},
		"not hex":           {"liqd", "dice", func(b *bet.Bet) { b.Seed = strings.Repeat("g", 32) }, bet.Unknown, bet.BadSeed, "seed"},
		"signature":         {"duel", "crash", func(b *bet.Bet) { b.Client = text("00") }, bet.Unknown, bet.BadClient, "client"},
		"same uid":          {"zeroplay", "backgammon", func(b *bet.Bet) { setParam(b, "uid2", "9") }, bet.Unknown, game.ParamValue, "uid"},
		"keyed game":        {"bustabit", "crash", func(b *bet.Bet) { b.Params = []game.Arg{{Name: "game", Value: "12279450"}} }, bet.Unknown, game.NotCovered, ""},
		"next game":         {"bustabit", "crash", func(b *bet.Bet) { b.Params = []game.Arg{{Name: "game", Value: "12279451"}} }, bet.Proven, "", ""},
		"under":             {"duel", "dice", func(b *bet.Bet) { b.Params = []game.Arg{{Name: "side", Value: "under"}, {Name: "target", Value: "5"}} }, bet.Unknown, game.ParamValue, "side"},
	} {
		t.Run(name, func(t *testing.T) {
			b := find(t, c.site, c.game)
			c.change(&b)
			r := bet.Check(b)
			if r.Verdict != c.verdict || r.Code != c.code || r.Key != c.key {
				t.Errorf("got %s %s %q, want %s %s %q", r.Verdict, r.Code, r.Key, c.verdict, c.code, c.key)
			}
		})
	}
}

// four lets a blackjack have four cards, behind which there is none.
func four(b *bet.Bet) {
	b.Params, b.Want = []game.Arg{{Name: "count", Value: "4"}}, []game.Key{{Name: "next", Value: game.Vals()}}
}

// hashOf makes a bet the record of a hash, a wrong one.
func hashOf(b *bet.Bet, name, key string) {
	*b = bet.Bet{Site: b.Site, Game: name, Seed: b.Seed, Want: []game.Key{{Name: key, Value: game.Str(strings.Repeat("0", 64))}}}
}

func setParam(b *bet.Bet, name, value string) {
	b.Params = append([]game.Arg(nil), b.Params...)
	for i := range b.Params {
		if b.Params[i].Name == name {
			b.Params[i].Value = value
		}
	}
}

// TestVersions: a record without a version says that all versions agree. Nonce
// 1942124 of games.md, section 4.2, tells them apart.
func TestVersions(t *testing.T) {
	client, nonce := "83e27f682128eb1852b048203dfd6931", uint64(1942124)
	b := bet.Bet{Site: "stake", Game: "limbo", Seed: "e8df2cc3b9ccb583ce5ea92336842387", Client: &client, Nonce: &nonce}
	for variant, want := range map[string]string{"1e8": "3807692.3", "2^24": "3321888.760", "page": "3940702.15"} {
		b.Variant, b.Want = variant, []game.Key{{Name: "multiplier", Value: game.Str(want)}}
		if r := bet.Check(b); r.Verdict != bet.Proven {
			t.Errorf("%s: %s %s, expected %s", variant, r.Verdict, r.Code, r.Expected)
		}
		b.Variant = ""
		if r := bet.Check(b); r.Verdict != bet.Unknown || r.Code != bet.VersionsPart || r.Allowed != "2^24, 1e8, page" {
			t.Errorf("%s without its name: %s %s %s", variant, r.Verdict, r.Code, r.Allowed)
		}
	}
	b.Want[0].Value = game.Str("3185031.92") // Shuffle's formula
	if r := bet.Check(b); r.Verdict != bet.Broken {
		t.Errorf("the formula of another site: %s", r.Verdict)
	}
	// Stake shows the first two cards of a hand; a record may have the third, too.
	client, nonce = "c", 3
	b = bet.Bet{Site: "stake", Game: "baccarat", Seed: "s", Client: &client, Nonce: &nonce}
	for _, c := range []struct {
		player  []string
		verdict bet.Verdict
		code    bet.Code
	}{
		{[]string{"♥9", "♥4"}, bet.Proven, ""},
		{[]string{"♥9", "♥4", "♠7"}, bet.Unknown, bet.VersionsPart},
		{[]string{"♥9", "♥4", "♠8"}, bet.Broken, bet.WrongOutcome},
	} {
		b.Want = []game.Key{{Name: "player", Value: game.Strs(c.player)}}
		if r := bet.Check(b); r.Verdict != c.verdict || r.Code != c.code {
			t.Errorf("%v without a version: %s %s", c.player, r.Verdict, r.Code)
		}
	}
}

func TestSealOfTheOtherKind(t *testing.T) {
	for site, want := range map[string]string{"stake": bet.SealOverBytes, "liqd": bet.SealOverBytes, "duel": bet.SealOverText, "shuffle": bet.SealOverBytes} {
		b := find(t, site, "dice")
		raw, _ := seed.ParseHex(b.Seed)
		other := sha256.Sum256(raw)
		if site == "duel" {
			other = sha256.Sum256([]byte(b.Seed))
		}
		b.SealedAs = seed.Hex(other[:])
		r := bet.Check(b)
		if r.Verdict != bet.Broken || r.Code != bet.WrongSeal || len(r.Findings) != 1 || r.Findings[0] != want {
			t.Errorf("%s: %s %s %v", site, r.Verdict, r.Code, r.Findings)
		}
		b.SealedAs = strings.ToUpper(r.Expected)
		if r := bet.Check(b); r.Verdict != bet.Proven || r.Seal != bet.Fits {
			t.Errorf("%s: a seal in capitals: %s %s", site, r.Verdict, r.Seal)
		}
	}
}

// TestHashes: of a hash beside an outcome each digit counts, and its case does not.
func TestHashes(t *testing.T) {
	hashes := 0
	for _, l := range readBets(t, own+"recorded.ndjson") {
		for i, k := range l.Want {
			if k.Name != "hmac" && k.Name != "previous" || l.Site == "luckydice" { // which is not known here
				continue
			}
			hashes++
			for text, want := range map[string]bet.Verdict{
				strings.ToUpper(k.Value.Text): bet.Proven, other(k.Value.Text): bet.Broken, k.Value.Text[2:]: bet.Unknown,
			} {
				l.Want[i].Value = game.Str(text)
				if r := bet.Check(l.Bet); r.Verdict != want {
					t.Errorf("%s of %s %s: %s %s", text, l.Site, l.Game, r.Verdict, r.Code)
				}
			}
		}
	}
	if hashes == 0 {
		t.Error("no hash is recorded")
	}
}

// TestSeedInCapitals: where the key is bytes, the same seed may be written in capitals.
func TestSeedInCapitals(t *testing.T) {
	for _, c := range [][2]string{{"duel", "mines"}, {"liqd", "blackjack"}} {
		for _, l := range readBets(t, own+"recorded.ndjson") {
			if l.Site != c[0] || l.Game != c[1] {
				continue
			}
			l.Seed = strings.ToUpper(l.Seed)
			if r := bet.Check(l.Bet); r.Verdict != bet.Proven || r.Seal != bet.Fits {
				t.Errorf("%s: %s %s, seal %s", c, r.Verdict, r.Code, r.Seal)
			}
			l.SealedAs = strings.Repeat("0", 64)
			if r := bet.Check(l.Bet); r.Verdict != bet.Broken || r.Code != bet.WrongSeal || r.Findings != nil {
				t.Errorf("%s, another seal: %s %s, seal %s, %v", c, r.Verdict, r.Code, r.Seal, r.Findings)
			}
		}
	}
}

// TestEveryOutcomeIsReadable computes each game under many seeds and reads back what came
// out, as it stands and in other cases.
func TestEveryOutcomeIsReadable(t *testing.T) {
	seen := map[string]bool{}
	for _, l := range readBets(t, own+"bets.ndjson") {
		if l.Game == "seal" || l.Game == "chain" || seen[l.Site+l.Game+l.Variant] {
			continue
		}
		seen[l.Site+l.Game+l.Variant] = true
		b := l.Bet
		b.SealedAs = ""
		for i := range 60 {
			b.Seed = seed.SealText(strconv.Itoa(i)).String()[:min(len(l.Seed), 64)]
			e, err := bet.Explain(b)
			if err != nil {
				t.Fatalf("%s %s: %v", b.Site, b.Game, err)
			}
			if e.Stream.TextKey == slices.Contains([]string{"duel", "liqd", "zeroplay"}, b.Site) {
				t.Fatalf("%s %s: the key is text: %v", b.Site, b.Game, e.Stream.TextKey)
			}
			b.Want = e.Outcome.Keys
			if r := bet.Check(b); r.Verdict != bet.Proven {
				t.Fatalf("%s %s: %s %s %s %s", b.Site, b.Game, r.Verdict, r.Code, r.Key, r.Got)
			}
			for _, k := range e.Outcome.Keys {
				if k.Value.Kind == game.Boolean {
					continue
				}
				for _, text := range []string{strings.ToUpper(k.Value.String()), strings.ToLower(k.Value.String())} {
					if v, ok := bet.ReadLike(k.Value, text); !ok || v.String() != k.Value.String() {
						t.Fatalf("%s %s: %s is read as %s", b.Site, b.Game, text, v)
					}
				}
			}
		}
	}
	if len(seen) < 60 {
		t.Errorf("only %d games", len(seen))
	}
}

func TestExplain(t *testing.T) {
	client, nonce := "abc", uint64(1)
	b := bet.Bet{Site: "shuffle", Game: "dice", Seed: "def", Client: &client, Nonce: &nonce}
	e, err := bet.Explain(b)
	if err != nil {
		t.Fatal(err)
	}
	blocks := e.Stream.Blocks()
	if len(blocks) != 1 || string(blocks[0].Message) != "abc:1:0" || e.Stream.Used() != 4 ||
		seed.Hex(blocks[0].Sum) != "6e37d85daa228fdf2caeabc192b01502d99bc5e4433994bcabac23403bf407a5" {
		t.Errorf("got blocks %v, %d bytes used", blocks, e.Stream.Used())
	}
	if len(e.Words) != 1 || e.Words[0] != 1849153629 {
		t.Errorf("got words %d", e.Words)
	}
	if len(e.Steps) != 1 || e.Steps[0].Name != "index(10001)" || e.Steps[0].Values != "1849153629 × 10001 >> 32" || e.Steps[0].Result != "4305" {
		t.Errorf("got steps %+v", e.Steps)
	}
	const want = `{"site":"shuffle","game":"dice","variant":"","params":{},"grade":"confirmed 1","outcome":{"roll":"43.05"},"labels":[]}`
	got := string(e.Outcome.AppendJSON(nil))
	if got != want || !json.Valid([]byte(got)) {
		t.Errorf("got %s", got)
	}
	if _, err := bet.Explain(bet.Bet{Site: "shuffle", Game: "slide"}); game.CodeOf(err) != game.NotPublished {
		t.Errorf("shuffle slide: %v", err)
	}
	b.Nonce = nil
	_, err = bet.Explain(b)
	if code, about, _ := bet.CodeOf(err); code != bet.NoNonce || about != "nonce" {
		t.Errorf("without a nonce: %v", err)
	}
}

// TestReadBack allows doubles of darts to be off by what a drawn page loses, and
// no more; with places they are exact.
func TestReadBack(t *testing.T) {
	b := find(t, "stake", "darts")
	rotation, err := strconv.ParseFloat(b.Want[0].Value.Text, 64)
	if err != nil || b.Want[0].Name != "rotation" {
		t.Fatal(b.Want, err)
	}
	for off, want := range map[float64]bet.Verdict{5e-13: bet.Proven, -5e-13: bet.Proven, 2e-12: bet.Broken, -1e-10: bet.Broken} {
		b.Want = []game.Key{{Name: "rotation", Value: game.Str(strconv.FormatFloat(rotation+off, 'f', -1, 64))}}
		if r := bet.Check(b); r.Verdict != want {
			t.Errorf("off by %g: %s", off, r.Verdict)
		}
	}
	b.Params = append(b.Params[:len(b.Params):len(b.Params)], game.Arg{Name: "places", Value: "3"})
	for text, want := range map[string]bet.Verdict{strconv.FormatFloat(rotation, 'f', 3, 64): bet.Proven, strconv.FormatFloat(rotation, 'f', 5, 64): bet.Broken} {
		b.Want = []game.Key{{Name: "rotation", Value: game.Str(text)}}
		if r := bet.Check(b); r.Verdict != want {
			t.Errorf("%s with three places: %s", text, r.Verdict)
		}
	}
}

// TestLongLists draws as many cards as were recorded, though the site shows 52.
func TestLongLists(t *testing.T) {
	b := find(t, "stake", "hilo")
	b.Params = []game.Arg{{Name: "count", Value: "60"}}
	e, err := bet.Explain(b)
	if err != nil {
		t.Fatal(err)
	}
	k, _ := e.Outcome.Key("cards")
	b.Params, b.Want = nil, []game.Key{k}
	for _, n := range []int{1, 52, 53, 60} {
		b.Want[0].Value.List = k.Value.List[:n]
		if r := bet.Check(b); r.Verdict != bet.Proven {
			t.Errorf("%d cards: %s %s", n, r.Verdict, r.Code)
		}
	}
	// No card, or more than were drawn, says nothing.
	b.Params = []game.Arg{{Name: "count", Value: "59"}}
	for _, n := range []int{0, 60} {
		b.Want[0].Value.List = k.Value.List[:n]
		if r := bet.Check(b); r.Verdict != bet.Unknown || r.Code != bet.BadValue {
			t.Errorf("%d cards of 59: %s %s", n, r.Verdict, r.Code)
		}
	}
}

func TestMain(m *testing.M) {
	if _, err := os.Stat(own); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

// TestChainOfBustabit: up to game 10,000,000 the hash of the game before is that of the
// text of this one's, from then on that of its bytes.
func TestChainOfBustabit(t *testing.T) {
	const hash = "c149c301f8134a320da3e36748bb70c14850c75fc8ab0dc1e36460fa89070300"
	bytes, err := hex.DecodeString(hash)
	if err != nil {
		t.Fatal(err)
	}
	for n, sum := range map[string][32]byte{"1": sha256.Sum256([]byte(hash)), "10000000": sha256.Sum256([]byte(hash)), "10000001": sha256.Sum256(bytes)} {
		b := bet.Bet{Site: "bustabit", Game: "chain", Seed: hash, Want: []game.Key{{Name: "previous", Value: game.Str(hex.EncodeToString(sum[:]))}}}
		b.Params = []game.Arg{{Name: "game", Value: n}}
		if r := bet.Check(b); r.Verdict != bet.Proven {
			t.Errorf("game %s: %s %s", n, r.Verdict, r.Code)
		}
		b.Params = nil // then nobody can tell what was hashed
		if r := bet.Check(b); r.Verdict != bet.Unknown || r.Code != bet.KeyUnknown {
			t.Errorf("game %s, not named: %s %s", n, r.Verdict, r.Code)
		}
	}
}
