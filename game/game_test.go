package game_test

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"veridice/game"
	"veridice/game/crash"
	"veridice/game/drill"
	"veridice/game/gametest"
	"veridice/game/limbo"
	"veridice/game/tiers"
)

const vectors = "../vectors/games/"

func TestContract(t *testing.T) {
	if len(game.All()) < 60 {
		t.Fatalf("the table has %d games", len(game.All()))
	}
	seen := map[string]bool{}
	for _, g := range game.All() {
		name := g.Site + " " + g.Name
		if seen[name] {
			t.Errorf("%s stands twice", name)
		}
		seen[name] = true
		if found, err := game.Lookup(g.Site, g.Name); found != g || err != nil {
			t.Errorf("%s is not found: %v", name, err)
		}
		t.Run(name, func(t *testing.T) { gametest.Run(t, g) })
	}
	// docs/spec/games.md, section 3, 4 and 9.
	for site, names := range map[string]string{
		"shuffle": "plinko dice limbo keno mines roulette wheel tower blackjack hilo baccarat blitz crash slide",
		"stake": "dice primedice limbo plinko wheel roulette keno mines video-poker blackjack hilo baccarat diamonds diamond-poker dragon-tower pump chicken " +
			"cases bars tarot packs drill darts snakes flip rps moles scarab-spin tome-of-life blue-samurai crash slide zoo",
		"duel": "dice mines beef plinko crash castle-roulette", "liqd": "dice mines plinko blackjack draw",
		"bustabit": "crash", "bcgame": "limbo dice crash", "roobet": "crash", "zeroplay": "backgammon", "primedice": "dice",
	} {
		for _, name := range strings.Fields(names) {
			if !seen[site+" "+name] {
				t.Errorf("%s has no %s", site, name)
			}
		}
	}
	if got := game.Sites(); !slices.Equal(got, []string{"shuffle", "stake", "duel", "liqd", "bustabit", "bcgame", "roobet", "zeroplay", "primedice"}) {
		t.Errorf("sites: %s", got)
	}
}

func TestLookup(t *testing.T) {
	if _, err := game.Lookup("nobody", "dice"); game.CodeOf(err) != game.SiteUnknown {
		t.Errorf("got %v", err)
	}
	if _, err := game.Lookup("shuffle", "darts"); game.CodeOf(err) != game.GameUnknown {
		t.Errorf("got %v", err)
	}
}

func TestErrorSaysTheRange(t *testing.T) {
	g, err := game.Lookup("stake", "plinko")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args []game.Arg
		want string
	}{
		{[]game.Arg{{Name: "rows", Value: "17"}}, "game: stake plinko: rows has another range: 8 to 16"},
		{nil, "game: stake plinko: rows is missing: 8 to 16"},
		{[]game.Arg{{Name: "rows", Value: "8"}, {Name: "risk", Value: "max"}}, "game: stake plinko: risk has another range: low, medium, high, expert"},
		{[]game.Arg{{Name: "row", Value: "8"}}, "game: stake plinko: row is not a parameter of this game: rows, risk"},
	} {
		if _, err := g.Play(nil, game.Params{Args: c.args}); err == nil || err.Error() != c.want {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
}

// read gives each line of a file of vectors to f.
func read[T any](t *testing.T, file string, f func(T)) {
	t.Helper()
	b, err := os.ReadFile(vectors + file)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for s := bufio.NewScanner(bytes.NewReader(b)); s.Scan(); n++ {
		var v T
		d := json.NewDecoder(bytes.NewReader(s.Bytes()))
		d.DisallowUnknownFields()
		d.UseNumber()
		if err := d.Decode(&v); err != nil {
			t.Fatalf("%s: %v: %s", file, err, s.Bytes())
		}
		f(v)
	}
	if n == 0 {
		t.Errorf("%s is empty", file)
	}
}

// repeating is a source that repeats one word, in every block.
type repeating struct {
	word [4]byte
	at   int
}

func repeat(k uint32) *repeating {
	return &repeating{word: [4]byte(binary.BigEndian.AppendUint32(nil, k))}
}

func (r *repeating) Byte() byte {
	r.at++
	return r.word[(r.at-1)%4]
}

func (r *repeating) Seek(uint64) { r.at = 0 }

// TestCorners plays each game with the words that every draw must be tried with.
func TestCorners(t *testing.T) {
	type corner struct {
		Name, Site, Game, Variant string
		Params                    map[string]any
		Word                      uint32
		Want                      map[string]any
	}
	played := map[string]bool{}
	read(t, "corners.ndjson", func(c corner) {
		g, err := game.Lookup(c.Site, c.Game)
		if err != nil {
			t.Fatal(err)
		}
		if c.Site == "liqd" && c.Want == nil {
			return // its rule goes on for ever
		}
		p := game.Params{Variant: c.Variant}
		for name, v := range c.Params {
			text, ok := v.(string)
			if !ok {
				text = v.(json.Number).String()
			}
			p.Args = append(p.Args, game.Arg{Name: name, Value: text})
		}
		played[c.Site+c.Game] = true
		o, err := g.Play(repeat(c.Word), p)
		if c.Want == nil {
			if code := game.CodeOf(err); code != game.Exhausted && code != game.NoNumber {
				t.Errorf("%s: got %v, %v", c.Name, o, err)
			}
			return
		}
		if err != nil {
			t.Errorf("%s: %v", c.Name, err)
			return
		}
		for name, want := range c.Want {
			k, ok := o.Key(name)
			if got := plain(k.Value); !ok || got != plainJSON(want) {
				t.Errorf("%s: %s: got %s, want %s", c.Name, name, got, plainJSON(want))
			}
		}
	})
	for _, g := range game.All() {
		if !played[g.Site+g.Name] && g.Grade.Kind != game.Unknown && g.Name != "floats" && g.Name != "bytes" {
			t.Errorf("%s %s is not played", g.Site, g.Name)
		}
	}
}

// plain writes a value so that it can be compared with plainJSON: decimals
// without zeros that say nothing.
func plain(v game.Value) string {
	if v.Kind == game.List {
		text := "["
		for _, e := range v.List {
			text += plain(e) + " "
		}
		return text + "]"
	}
	return trim(v.String())
}

func plainJSON(v any) string {
	switch v := v.(type) {
	case []any:
		text := "["
		for _, e := range v {
			text += plainJSON(e) + " "
		}
		return text + "]"
	case json.Number:
		return v.String()
	case bool:
		return strconv.FormatBool(v)
	}
	return trim(v.(string))
}

func trim(text string) string {
	if _, err := strconv.ParseFloat(text, 64); err == nil && strings.Contains(text, ".") {
		return strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
	}
	return text
}

// TestEdges has the inputs for which doubles in the written order part from
// exact arithmetic: docs/spec/games.md, section 8.
func TestEdges(t *testing.T) {
	counts := map[string]int{}
	type edge struct {
		Name, Formula string
		Word          uint64
		Double, Exact any
	}
	read(t, "edges.ndjson", func(e edge) {
		counts[e.Formula]++
		if e.Formula == "nine" {
			return // package crash has it
		}
		src := repeat(uint32(e.Word))
		var got uint64
		switch e.Formula {
		case "limbo 2^24":
			h, exact := limbo.Power24(src)
			got = h
			if strconv.FormatUint(exact, 10) != e.Exact.(json.Number).String() {
				t.Errorf("%s: exact: got %d, want %v", e.Name, exact, e.Exact)
			}
		case "crash":
			got = crash.Word(src, crash.StakeCrash).Hundredths
		case "slide":
			got = crash.Word(src, crash.StakeSlide).Hundredths
		case "drill":
			got = uint64(drill.Dig(src)[0])
		case "bars":
			got = uint64(tiers.BarsShown(src, 1, 5)[0])
		case "bustabit":
			got = crash.Bustabit(&gametest.Flat{Bytes: binary.BigEndian.AppendUint64(nil, e.Word<<12)})
		default:
			t.Fatalf("no formula %s", e.Formula)
		}
		if want := e.Double.(json.Number).String(); strconv.FormatUint(got, 10) != want {
			t.Errorf("%s: got %d, want %s", e.Name, got, want)
		}
		if e.Double == e.Exact {
			t.Errorf("%s is no edge", e.Name)
		}
	})
	for formula, want := range map[string]int{"limbo 2^24": 44, "crash": 60, "slide": 57, "drill": 21, "bars": 1, "bustabit": 1, "nine": 8} {
		if counts[formula] != want {
			t.Errorf("%s: read %d edges, want %d", formula, counts[formula], want)
		}
	}
}

// TestThresholds plays the word at each threshold of each tier table, and the
// one before it.
func TestThresholds(t *testing.T) {
	type threshold struct {
		Name, Game, Difficulty, Pays string
		Row                          int
		Word                         uint32
	}
	pays := map[string]string{} // of the row above, by table
	rows := 0
	read(t, "thresholds.ndjson", func(c threshold) {
		rows++
		level := slices.Index(tiers.Difficulties[:], c.Difficulty)
		play := func(k uint32) (string, uint32) {
			var h, card uint32
			switch c.Game {
			case "cases":
				h = tiers.Cases(repeat(k), level)
			case "bars":
				h = tiers.BarsShown(repeat(k), level, 1)[0]
			case "minor":
				h = tiers.Tarot(repeat(k), level)[0]
			case "major":
				h = tiers.Tarot(repeat(k), level)[1]
			case "packs":
				cards, sum := tiers.Packs(repeat(k))
				h, card = sum/tiers.Pack, cards[0]
			}
			return trim(strconv.FormatFloat(float64(h)/100, 'f', 2, 64)), card
		}
		got, card := play(c.Word)
		if got != c.Pays || c.Game == "packs" && int(card) != c.Row+1 {
			t.Errorf("%s: got %s, card %d, want %s", c.Name, got, card, c.Pays)
		}
		// The word before the threshold of a row is in the row below it, which
		// comes next in the file.
		table := c.Game + c.Difficulty
		if before, ok := pays[table]; ok && before != c.Pays {
			t.Errorf("%s: the word before the row above pays %s, want %s", c.Name, before, c.Pays)
		}
		delete(pays, table)
		if c.Word > 0 {
			pays[table], card = play(c.Word - 1)
			if c.Game == "packs" && int(card) != c.Row+2 {
				t.Errorf("%s: the word before is card %d", c.Name, card)
			}
		} else if c.Row == 0 {
			t.Errorf("%s: the table has one row", c.Name)
		}
	})
	if rows != 7+11+15+19+6+7+8+9+8*5+240 {
		t.Errorf("read %d rows", rows)
	}
}
