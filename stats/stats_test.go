package stats_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"os"
	"slices"
	"strings"
	"testing"

	"veridice/draw"
	"veridice/game"
	"veridice/stats"
)

func params(variant string, pairs ...string) game.Params {
	p := game.Params{Variant: variant}
	for i := 0; i < len(pairs); i += 2 {
		p.Args = append(p.Args, game.Arg{Name: pairs[i], Value: pairs[i+1]})
	}
	return p
}

// grid gives every game with the values of its parameters at both ends.
func grid() []struct {
	g *game.Game
	p game.Params
} {
	var list []struct {
		g *game.Game
		p game.Params
	}
	for _, g := range game.All() {
		for _, variant := range g.Variants {
			for end := range 2 {
				p := game.Params{Variant: variant}
				for _, q := range g.Params {
					value := ""
					switch {
					case q.Optional:
						continue
					case q.Type == game.TypeInteger:
						value = fmt.Sprint([]uint64{q.Min, min(q.Max, 16)}[end])
					default:
						value = []string{q.List[0], q.List[len(q.List)-1]}[end]
					}
					p.Args = append(p.Args, game.Arg{Name: q.Name, Value: value})
				}
				list = append(list, struct {
					g *game.Game
					p game.Params
				}{g, p})
			}
		}
	}
	return list
}

// TestCountsAddUp: the lines of every game sum to the total, and to as many
// totals as there are draws without replacement.
func TestCountsAddUp(t *testing.T) {
	counted := 0
	for _, one := range grid() {
		list, err := stats.Of(one.g.Site, one.g.Name, one.p)
		if err != nil {
			continue
		}
		for _, d := range list {
			counted++
			sum, want := new(big.Int), new(big.Int).Set(d.Total)
			if d.Together {
				want.Mul(want, big.NewInt(int64(d.Each)))
			}
			seen := map[string]bool{}
			for _, l := range d.Lines {
				sum.Add(sum, l.Count)
				if l.Count.Sign() <= 0 || l.Count.Cmp(d.Total) > 0 || seen[l.Outcome] || l.Outcome == "" {
					t.Errorf("%s %s %v: %s: line %q %v", one.g.Site, one.g.Name, one.p, d.Name, l.Outcome, l.Count)
				}
				seen[l.Outcome] = true
			}
			if sum.Cmp(want) != 0 {
				t.Errorf("%s %s %v: %s: the lines sum to %v, want %v", one.g.Site, one.g.Name, one.p, d.Name, sum, want)
			}
		}
	}
	if counted < 80 {
		t.Errorf("only %d distributions", counted)
	}
}

// bits is a source of bytes that a seed of ours makes.
type bits struct{ x, at uint64 }

func (b *bits) Byte() byte {
	b.x ^= b.x << 13
	b.x ^= b.x >> 7
	b.x ^= b.x << 17
	return byte(b.x >> 32)
}

func (b *bits) Seek(n uint64) { b.x = (n+1)*0x9e3779b97f4a7c15 ^ b.at }

// TestObserve: whatever a game gives stands on a line of its distributions, as
// many times as Each says.
func TestObserve(t *testing.T) {
	for _, one := range grid() {
		list, err := stats.Of(one.g.Site, one.g.Name, one.p)
		if err != nil {
			continue
		}
		for n := range 40 {
			o, err := one.g.Play(&bits{uint64(n)*7919 + 88172645463325252, uint64(n)}, one.p)
			if err != nil {
				t.Fatalf("%s %s: %v", one.g.Site, one.g.Name, err)
			}
			for _, d := range list {
				places := d.Observe(o)
				if len(places) == 0 || d.Each > 0 && len(places) != d.Each || slices.Contains(places, -1) {
					t.Errorf("%s %s %v: %s: lines %v, want %d of them; outcome %s", one.g.Site, one.g.Name, one.p, d.Name, places, d.Each, o.AppendJSON(nil))
				}
				if distinct := slices.Compact(slices.Sorted(slices.Values(places))); d.Together && len(distinct) != d.Each {
					t.Errorf("%s %s: %s: not without replacement: %v", one.g.Site, one.g.Name, d.Name, places)
				}
			}
		}
	}
}

// TestWhatIsNotCounted: which games have no closed form is a list that is known.
func TestWhatIsNotCounted(t *testing.T) {
	var got []string
	for _, one := range grid() {
		_, err := stats.Of(one.g.Site, one.g.Name, one.p)
		if name := one.g.Site + " " + one.g.Name; err != nil && !slices.Contains(got, name) {
			got = append(got, name)
			want := stats.NotCounted
			if one.g.Grade.Kind == game.Unknown {
				want = game.NotPublished
			}
			if game.CodeOf(err) != want {
				t.Errorf("%s: %v, want %s", name, err, want)
			}
		}
	}
	want := []string{"shuffle crash", "shuffle slide", "shuffle floats", "shuffle bytes", "stake darts", "stake floats", "stake bytes", "liqd blackjack"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	for _, bad := range []struct {
		site, game string
		p          game.Params
		want       game.Code
	}{
		{"nowhere", "dice", params(""), game.SiteUnknown},
		{"stake", "craps", params(""), game.GameUnknown},
		{"stake", "mines", params(""), game.ParamMissing},
		{"stake", "mines", params("", "mines", "25"), game.ParamValue},
		{"stake", "limbo", params(""), game.VariantMissing},
		{"liqd", "draw", params("", "range", "4294967295"), stats.NotCounted},
	} {
		_, err := stats.Of(bad.site, bad.game, bad.p)
		var e *game.Error
		if !errors.As(err, &e) || e.Code != bad.want {
			t.Errorf("%s %s: got %v, want %s", bad.site, bad.game, err, bad.want)
		}
		_, _, err = stats.AtLeast(bad.site, bad.game, bad.p, 200)
		if err == nil {
			t.Errorf("%s %s: a multiplier of nothing", bad.site, bad.game)
		}
	}
}

// TestFacts holds numbers that docs/spec states.
func TestFacts(t *testing.T) {
	// floats.md: 7843 of the values come from 429454 words.
	d, _ := stats.Mapping("shuffle/1", 0)
	of := map[string]int{}
	for _, l := range d.Lines {
		of[l.Count.String()]++
	}
	if len(of) != 2 || of["429454"] != 7843 || of["429453"] != 2158 {
		t.Errorf("index(10001): %v", of)
	}
	d, _ = stats.Mapping("tavli/1", 0)
	if len(d.Lines) != 36 || d.Total.Int64() != 252 || d.Lines[35].Outcome != "6 6" || d.Lines[35].Count.Int64() != 7 {
		t.Errorf("pairs: %v of %v", d.Lines, d.Total)
	}
	d, _ = stats.Mapping("yayay/1", 0)
	for i, l := range d.Lines {
		want := int64(715827883)
		if i >= 4 {
			want--
		}
		if l.Count.Int64() != want || l.Outcome != fmt.Sprint(i+1) {
			t.Errorf("mod 6: face %s from %v words, want %d", l.Outcome, l.Count, want)
		}
	}
	if _, ok := stats.Mapping("tavli/2", 0); ok {
		t.Error("an unknown scheme has a mapping")
	}
	// games.md, section 3.3: 42,949,928 words give less than 1.00.
	count, total, err := stats.AtLeast("shuffle", "limbo", params(""), 100)
	if err != nil || total.Int64()-count.Int64() != 42_949_928 {
		t.Errorf("limbo below 1.00: %v of %v, %v", count, total, err)
	}
	// games.md, section 4.19, and foreign.md, section 1: 16 cases have one word more.
	for _, n := range []uint32{20, 48} {
		counts := stats.Modulo(n)
		for v, c := range counts {
			want := uint64(1<<32) / uint64(n)
			if v < 16 {
				want++
			}
			if c != want {
				t.Errorf("mod %d: %d has %d words, want %d", n, v, c, want)
			}
		}
	}
	// games.md, section 4.12: the returns of cases, from the thresholds.
	for level, want := range map[string]string{"easy": "0.980000", "medium": "0.979999", "hard": "0.979990", "expert": "0.979898"} {
		if got := returned(t, "cases", "multiplier", params("", "difficulty", level)); got != want {
			t.Errorf("cases %s return %s, want %s", level, got, want)
		}
	}
	for level, want := range map[string]string{"easy": "0.980000", "medium": "0.980000", "hard": "0.980000", "expert": "0.979999"} {
		if got := returned(t, "tarot", "multiplier", params("", "difficulty", level)); got != want {
			t.Errorf("tarot %s returns %s, want %s", level, got, want)
		}
	}
	for level, want := range map[string]string{"easy": "0.980000", "medium": "0.980000", "hard": "0.979993", "expert": "0.979970"} {
		if got := returned(t, "bars", "multipliers", params("", "difficulty", level, "tiles", "1")); got != want {
			t.Errorf("bars %s return %s, want %s", level, got, want)
		}
	}
	for _, n := range []string{"10", "20", "30", "40", "50"} {
		if got := returned(t, "wheel", "multiplier", params("", "segments", n, "risk", "medium")); got != "0.990000" {
			t.Errorf("wheel %s returns %s", n, got)
		}
	}
	for rows := 8; rows <= 16; rows++ {
		for _, risk := range []string{"low", "medium", "high", "expert"} {
			got := returned(t, "plinko", "multiplier", params("", "rows", fmt.Sprint(rows), "risk", risk))
			if got < "0.989050" || got > "0.991650" {
				t.Errorf("plinko %d %s returns %s", rows, risk, got)
			}
		}
	}
}

// returned is what a bet of 1 returns on average, to six places.
func returned(t *testing.T, name, key string, p game.Params) string {
	t.Helper()
	list, err := stats.Of("stake", name, p)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range list {
		if d.Name == key {
			sum := new(big.Rat)
			for i, l := range d.Lines {
				pays, _ := new(big.Rat).SetString(l.Outcome)
				sum.Add(sum, pays.Mul(pays, d.Probability(i)))
			}
			return sum.FloatString(6)
		}
	}
	t.Fatalf("%s has no %s", name, key)
	return ""
}

// TestSmallDomains counts every case of draws from few words by hand: a stream
// of bytes stands for words, which differ in their first byte alone.
func TestSmallDomains(t *testing.T) {
	// Of two throws of plinko's kind, by all four words 0, 2^30, 2^31, 3 × 2^30,
	// eight rows: 4^8 cases, slots as 2^8 paths, each 256 times.
	g, err := game.Lookup("shuffle", "plinko")
	if err != nil {
		t.Fatal(err)
	}
	p := params("", "rows", "8")
	list, err := stats.Of("shuffle", "plinko", p)
	if err != nil {
		t.Fatal(err)
	}
	counts := make([]int64, 9)
	for n := range 1 << 16 {
		var b []byte
		for row := range 8 {
			b = append(b, byte(n>>(2*row)&3)<<6, 0, 0, 0)
		}
		o, err := g.Play(&reader{b}, p)
		if err != nil {
			t.Fatal(err)
		}
		counts[list[0].Observe(o)[0]]++
	}
	for slot, l := range list[0].Lines {
		if got := counts[slot]; got != 256*l.Count.Int64() {
			t.Errorf("slot %d: %d of 4^8 cases, want %d", slot, got, 256*l.Count.Int64())
		}
	}
}

type reader struct{ b []byte }

func (r *reader) Byte() byte {
	b := r.b[0]
	r.b = r.b[1:]
	return b
}

// TestThresholds: the count of every range of a multiplier is where the game
// itself changes, word by word.
func TestThresholds(t *testing.T) {
	for _, name := range []string{"limbo", "crash", "slide"} {
		p := params("")
		if name == "limbo" {
			p.Variant = game.Limbo24
		}
		g, err := game.Lookup("stake", name)
		if err != nil {
			t.Fatal(err)
		}
		list, err := stats.Of("stake", name, p)
		if err != nil {
			t.Fatal(err)
		}
		d := list[0]
		// The multiplier falls as the word rises: the last line has the lowest words.
		at := new(big.Int)
		for line := len(d.Lines) - 1; line >= 0; line-- {
			lowest := at.Uint64()
			at.Add(at, d.Lines[line].Count)
			for _, k := range []uint64{lowest, at.Uint64() - 1} {
				o, err := g.Play(&reader{[]byte{byte(k >> 24), byte(k >> 16), byte(k >> 8), byte(k)}}, p)
				if err != nil {
					t.Fatal(err)
				}
				if got := d.Observe(o); len(got) != 1 || got[0] != line {
					t.Errorf("%s: word %d is on line %v, want %d", name, k, got, line)
				}
			}
		}
	}
}

// TestOtherDice: the other dice are Shuffle's, or exactly even.
func TestOtherDice(t *testing.T) {
	of := func(site, name, variant string) *stats.Distribution {
		list, err := stats.Of(site, name, params(variant))
		if err != nil {
			t.Fatal(err)
		}
		return list[0]
	}
	dice := of("shuffle", "dice", "")
	for _, d := range []*stats.Distribution{of("stake", "dice", ""), of("stake", "primedice", ""), of("bcgame", "dice", "")} {
		for i, l := range dice.Lines {
			if d.Lines[i].Outcome != l.Outcome || d.Lines[i].Count.Cmp(l.Count) != 0 || d.Total.Cmp(dice.Total) != 0 {
				t.Errorf("line %d: %v, want %v", i, d.Lines[i], l)
			}
		}
	}
	for _, one := range []struct {
		d     *stats.Distribution
		faces int
		last  string
		given string
	}{
		{of("duel", "dice", ""), 10_001, "10000", stats.NotExhausted},
		{of("liqd", "dice", ""), 10_000, "99.99", ""},
		{of("primedice", "dice", "2015"), 10_000, "99.99", stats.NotExhausted},
	} {
		if len(one.d.Lines) != one.faces || one.d.Lines[one.faces-1].Outcome != one.last || one.d.Given != one.given {
			t.Errorf("%d lines, the last is %q, given %q", len(one.d.Lines), one.d.Lines[len(one.d.Lines)-1].Outcome, one.d.Given)
		}
		for i := range one.d.Lines {
			if one.d.Probability(i).Cmp(big.NewRat(1, int64(one.faces))) != 0 {
				t.Errorf("line %d has %v", i, one.d.Probability(i))
			}
		}
	}
}

// TestVectors holds the distributions against an independent computation,
// vectors/gen/odds.py.
func TestVectors(t *testing.T) {
	text, err := os.ReadFile("../vectors/games/odds.ndjson")
	if err != nil {
		t.Fatal(err)
	}
	read := 0
	for line := range bytes.Lines(text) {
		var v struct {
			Name, Kind, Site, Game, Variant, Key, Scheme string
			Params                                       map[string]any
			Rolls, Row                                   int
			Of                                           []int64
			Total, Count                                 string
			Hundredths                                   uint64
			Lines                                        [][2]string
		}
		d := json.NewDecoder(bytes.NewReader(line))
		d.DisallowUnknownFields()
		if err := d.Decode(&v); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		read++
		t.Run(v.Name, func(t *testing.T) {
			p := game.Params{Variant: v.Variant}
			for name, value := range v.Params {
				p.Args = append(p.Args, game.Arg{Name: name, Value: fmt.Sprint(value)})
			}
			switch v.Kind {
			case "game":
				list, err := stats.Of(v.Site, v.Game, p)
				if err != nil {
					t.Fatal(err)
				}
				at := slices.IndexFunc(list, func(d *stats.Distribution) bool { return d.Name == v.Key })
				if at < 0 {
					t.Fatalf("no distribution %s", v.Key)
				}
				compare(t, list[at], v.Lines, v.Total)
			case "scheme":
				d, ok := stats.Mapping(v.Scheme, 0)
				if !ok {
					t.Fatal("no mapping")
				}
				compare(t, d, v.Lines, v.Total)
			case "at-least":
				count, total, err := stats.AtLeast(v.Site, v.Game, p, v.Hundredths)
				if err != nil || count.String() != v.Count || total.String() != v.Total {
					t.Errorf("got %v of %v, %v; want %s of %s", count, total, err, v.Count, v.Total)
				}
			case "run":
				got := stats.Run(v.Rolls, v.Row, big.NewRat(v.Of[0], v.Of[1]))
				if want := fraction(v.Count, v.Total); got.Cmp(want) != 0 {
					t.Errorf("got %v, want %v", got, want)
				}
			case "binomial":
				compare(t, stats.Binomial("n", v.Rolls, big.NewRat(v.Of[0], v.Of[1])), v.Lines, v.Total)
			case "longest":
				compare(t, stats.Longest("n", v.Rolls, big.NewRat(v.Of[0], v.Of[1])), v.Lines, v.Total)
			case "pips":
				compare(t, stats.Pips(v.Rolls), v.Lines, v.Total)
			default:
				t.Errorf("unknown kind %q", v.Kind)
			}
		})
	}
	if read < 50 {
		t.Errorf("only %d vectors", read)
	}
}

func fraction(count, total string) *big.Rat {
	r, ok := new(big.Rat).SetString(count + "/" + total)
	if !ok {
		panic(count + "/" + total)
	}
	return r
}

// compare wants the same lines with the same probabilities.
func compare(t *testing.T, d *stats.Distribution, lines [][2]string, total string) {
	t.Helper()
	if len(d.Lines) != len(lines) {
		t.Errorf("%d lines, want %d", len(d.Lines), len(lines))
		return
	}
	for i, want := range lines {
		if d.Lines[i].Outcome != want[0] || d.Probability(i).Cmp(fraction(want[1], total)) != 0 {
			t.Errorf("line %d: %s %v of %v, want %s %s of %s", i, d.Lines[i].Outcome, d.Lines[i].Count, d.Total, want[0], want[1], total)
		}
	}
}

// TestStreaks: what people complain about (the smallest by hand).
func TestStreaks(t *testing.T) {
	sixth := big.NewRat(1, 6)
	for _, v := range []struct {
		n, k int
		want string
	}{{60, 3, "0.204"}, {60, 4, "0.036"}, {3, 3, "0.005"}, {2, 3, "0.000"}, {0, 0, "1.000"}, {5, 0, "1.000"}} {
		if got := stats.Run(v.n, v.k, sixth).FloatString(3); got != v.want {
			t.Errorf("%d in a row in %d: %s, want %s", v.k, v.n, got, v.want)
		}
	}
	// Brute force over all outcomes of up to eight trials.
	third := big.NewRat(1, 3)
	for n := range 9 {
		for k := 1; k <= n+1; k++ {
			sum := new(big.Rat)
			for trials := range 1 << n {
				run, longest, weight := 0, 0, big.NewRat(1, 1)
				for i := range n {
					if trials>>i&1 == 1 {
						run++
						weight.Mul(weight, third)
					} else {
						run = 0
						weight.Mul(weight, big.NewRat(2, 3))
					}
					longest = max(longest, run)
				}
				if longest >= k {
					sum.Add(sum, weight)
				}
			}
			if got := stats.Run(n, k, third); got.Cmp(sum) != 0 {
				t.Errorf("%d in a row in %d: %v, want %v", k, n, got, sum)
			}
		}
	}
	if p, ok := stats.Doubles("tavli/1"); !ok || p.Cmp(sixth) != 0 {
		t.Errorf("doubles of tavli/1: %v", p)
	}
	// 4 × 715827883² + 2 × 715827882² of 2^64.
	p, _ := stats.Doubles("yayay/1")
	want := fraction("3074457345618258604", new(big.Int).Lsh(big.NewInt(1), 64).String())
	if p.Cmp(want) != 0 {
		t.Errorf("doubles of yayay/1: %v, want %v", p, want)
	}
	if _, ok := stats.Doubles("shuffle/1"); ok {
		t.Error("shuffle/1 has no pairs")
	}
	d := stats.Binomial("doubles", 12, sixth)
	if got := d.Probability(0); got.Cmp(fraction("244140625", "2176782336")) != 0 { // (5/6)^12
		t.Errorf("no double in twelve rolls: %v", got)
	}
	// A backgammon roll moves 8 1/6 points on average.
	mean := new(big.Rat)
	pips := stats.Pips(1)
	for i, l := range pips.Lines {
		n, _ := new(big.Rat).SetString(l.Outcome)
		mean.Add(mean, n.Mul(n, pips.Probability(i)))
	}
	if mean.Cmp(big.NewRat(49, 6)) != 0 {
		t.Errorf("a roll moves %v points", mean)
	}
}

// TestErrorsName: an error says what it is about.
func TestErrorsName(t *testing.T) {
	_, err := stats.Of("stake", "darts", params("", "difficulty", "easy"))
	if err == nil || !strings.Contains(err.Error(), "stake darts") {
		t.Errorf("got %v", err)
	}
}

var _ draw.Source = (*reader)(nil)
