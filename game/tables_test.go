package game_test

import (
	"bytes"
	"encoding/json"
	"math"
	"math/big"
	"os"
	"strconv"
	"testing"

	"veridice/game/cards"
	"veridice/game/climb"
	"veridice/game/darts"
	"veridice/game/gametest"
	"veridice/game/gems"
	"veridice/game/plinko"
	"veridice/game/samurai"
	"veridice/game/slots"
	"veridice/game/snakes"
	"veridice/game/tower"
	"veridice/game/wheel"
	"veridice/internal/needs"
)

// tables are the facts of vectors/games/tables.json, whose member keys explains
// them.
type tables struct {
	Decks  map[string][]string
	Gems   []string
	Plinko struct {
		Rows map[int]map[string][]json.Number
	}
	Wheel struct {
		Segments map[int]map[string][]json.Number
	}
	Tower struct {
		Levels map[string]struct{ Draw, Columns int }
	}
	Pump, Chicken struct {
		Size   int
		Levels map[string]struct {
			Pops int
			Pays []json.Number
		}
	}
	Darts struct {
		Levels map[string]struct {
			Borders     []float64
			Orange, Red []int
			Pays        map[string]json.Number
		}
	}
	Snakes  struct{ Pays map[string][]json.Number }
	Reels   struct{ Reels [][]string }
	Samurai struct {
		Columns      []int
		Symbols      []string
		Inner, Outer []uint32
	}
}

func readTables(t *testing.T) (v tables) {
	t.Helper()
	b, err := os.ReadFile(vectors + "tables.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

func TestTablesAreTheSpecs(t *testing.T) {
	spec, err := os.ReadFile(needs.Shared(t, "spec/game-tables.json"))
	if err != nil {
		t.Fatal(err)
	}
	own, err := os.ReadFile(vectors + "tables.json")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(bytes.TrimSpace(own), bytes.TrimSpace(spec)) {
		t.Error("vectors/games/tables.json differs from the specification")
	}
}

// hundredths reads a multiplier exactly.
func hundredths(t *testing.T, n json.Number) uint32 {
	t.Helper()
	r, ok := new(big.Rat).SetString(n.String())
	if !ok {
		t.Fatalf("%s is no number", n)
	}
	r.Mul(r, big.NewRat(100, 1))
	if !r.IsInt() {
		t.Fatalf("%s has more than two places", n)
	}
	return uint32(r.Num().Uint64())
}

func TestPlinkoTable(t *testing.T) {
	v := readTables(t)
	n := 0
	for rows, risks := range v.Plinko.Rows {
		for risk, name := range plinko.Risks {
			if len(risks[name]) != rows+1 {
				t.Fatalf("%d rows, %s: %d entries", rows, name, len(risks[name]))
			}
			for slot, pays := range risks[name] {
				n++
				if got := plinko.Pays(rows, risk, slot); got != hundredths(t, pays) {
					t.Errorf("%d rows, %s, slot %d: got %d, want %s", rows, name, slot, got, pays)
				}
			}
		}
	}
	if n != 4*(9+10+11+12+13+14+15+16+17) {
		t.Errorf("read %d entries", n)
	}
}

func TestWheelTable(t *testing.T) {
	v := readTables(t)
	for _, segments := range wheel.Segments {
		for risk, name := range wheel.Risks {
			list := v.Wheel.Segments[segments][name]
			if len(list) != segments {
				t.Fatalf("%d segments, %s: %d entries", segments, name, len(list))
			}
			for segment, pays := range list {
				if got := wheel.Pays(segments, risk, uint32(segment)); got != hundredths(t, pays) {
					t.Errorf("%d segments, %s, segment %d: got %d, want %s", segments, name, segment, got, pays)
				}
			}
		}
	}
}

func TestTowerTable(t *testing.T) {
	v := readTables(t)
	for i, name := range tower.Difficulties {
		level := v.Tower.Levels[name]
		last := uint32(0)
		for _, row := range tower.Build(&gametest.Source{Name: "veridice tower", Size: 32}, i) {
			if len(row) != level.Draw {
				t.Errorf("%s: %d columns drawn, want %d", name, len(row), level.Draw)
			}
			for _, column := range row {
				last = max(last, column)
			}
		}
		if int(last) != level.Columns-1 {
			t.Errorf("%s: the last column drawn is %d of %d", name, last, level.Columns)
		}
	}
}

// places is a source whose words take the given places of shrinking lists.
func places(size int, list ...int) *gametest.Flat {
	f := &gametest.Flat{}
	for i, p := range list {
		n := uint64(size - i)
		k := (uint64(p)<<32 + n - 1) / n
		f.Bytes = append(f.Bytes, byte(k>>24), byte(k>>16), byte(k>>8), byte(k))
	}
	return f
}

// TestClimbTables draws for each entry the cell i and those behind it. The
// closed form of games.md, section 4.11, gives all but one of them.
func TestClimbTables(t *testing.T) {
	v := readTables(t)
	agree, entries := 0, 0
	for name, game := range map[string]struct {
		size   int
		levels map[string]struct {
			Pops int
			Pays []json.Number
		}
		play func(*gametest.Flat, int) ([]uint32, uint32)
	}{
		"pump":    {v.Pump.Size, v.Pump.Levels, func(f *gametest.Flat, d int) ([]uint32, uint32) { return climb.Pump(f, d) }},
		"chicken": {v.Chicken.Size, v.Chicken.Levels, func(f *gametest.Flat, d int) ([]uint32, uint32) { return climb.Chicken(f, d) }},
	} {
		for difficulty, level := range climb.Difficulties {
			l := game.levels[level]
			if len(l.Pays) != game.size-l.Pops+1 {
				t.Fatalf("%s %s: %d entries", name, level, len(l.Pays))
			}
			for i, pays := range l.Pays {
				list := make([]int, l.Pops)
				for j := range list {
					list[j] = i
				}
				cells, got := game.play(places(game.size, list...), difficulty)
				if cells[0] != uint32(i) || len(cells) != l.Pops || got != hundredths(t, pays) {
					t.Errorf("%s %s, index %d: got cells %d, %d, want %s", name, level, i, cells, got, pays)
				}
				entries++
				// 0.98 × C(n, i) / C(n - pops, i), in hundredths, a half upward.
				r := big.NewRat(98, 1)
				r.Mul(r, new(big.Rat).SetFrac(new(big.Int).Binomial(int64(game.size), int64(i)), new(big.Int).Binomial(int64(game.size-l.Pops), int64(i))))
				r.Add(r, big.NewRat(1, 2))
				closed := new(big.Int).Div(r.Num(), r.Denom()).Uint64()
				if i == 0 {
					closed = 100
				}
				if uint64(got) == closed {
					agree++
				} else if name != "pump" || level != "hard" || i != 17 || got != 92977 {
					t.Errorf("%s %s, index %d: %d is not %d", name, level, i, got, closed)
				}
			}
		}
	}
	if entries != 150 || agree != 149 {
		t.Errorf("%d of %d entries agree with the closed form", agree, entries)
	}
}

func TestDartsTable(t *testing.T) {
	v := readTables(t)
	for difficulty, name := range darts.Difficulties {
		level := v.Darts.Levels[name]
		want := func(hit darts.Hit, field string) {
			t.Helper()
			got, pays := hit.Field(difficulty)
			if got != field || pays != hundredths(t, level.Pays[field]) {
				t.Errorf("%s, %+v: got %s, %d, want %s", name, hit, got, pays, field)
			}
		}
		at := func(border, rotation float64) darts.Hit { return darts.Hit{Rotation: rotation, Radius: border / 1000} }
		b := level.Borders
		want(at(0, 0), "green")
		want(at(b[0]-0.5, 0.9), "green")
		want(at(b[0]+0.5, 0), "dark")
		want(at(b[1]-0.5, 0), "dark")
		want(at(b[1]+0.5, 0), "light")
		want(at(b[2]-0.5, 0), "light")
		want(at(b[3]+0.5, 0), "dark")
		want(at(500, 0), "dark")
		for wedge := range 18 {
			field := "yellow"
			for _, w := range level.Orange {
				if w == wedge {
					field = "orange"
				}
			}
			for _, w := range level.Red {
				if w == wedge {
					field = "red"
				}
			}
			for _, inside := range []float64{0.01, 0.99} {
				want(at(b[2]+0.5, (float64(wedge)+inside)/18), field)
				want(at(b[3]-0.5, (float64(wedge)+inside)/18), field)
			}
		}
	}
}

func TestSnakesTable(t *testing.T) {
	v := readTables(t)
	for difficulty, name := range snakes.Difficulties {
		if len(v.Snakes.Pays[name]) != 11 {
			t.Fatalf("%s: %d entries", name, len(v.Snakes.Pays[name]))
		}
		for i, pays := range v.Snakes.Pays[name] {
			if got := snakes.Pays(difficulty, uint32(i+2)); got != hundredths(t, pays) {
				t.Errorf("%s, sum %d: got %d, want %s", name, i+2, got, pays)
			}
		}
	}
}

func TestReels(t *testing.T) {
	v := readTables(t)
	for i, strip := range v.Reels.Reels {
		for stop := range strip {
			var s slots.Spin
			s[i] = uint32(stop)
			n := len(strip)
			if got, want := s.Window()[i], [3]string{strip[(stop+n-1)%n], strip[stop], strip[(stop+1)%n]}; got != want {
				t.Errorf("reel %d, stop %d: got %s, want %s", i, stop, got, want)
			}
		}
	}
	last := slots.Turn(repeat(math.MaxUint32))
	for i, strip := range v.Reels.Reels {
		if int(last[i]) != len(strip)-1 {
			t.Errorf("reel %d ends at stop %d of %d", i, last[i], len(strip))
		}
	}
}

func TestSamuraiTable(t *testing.T) {
	v := readTables(t)
	for column, weights := range [][]uint32{v.Samurai.Outer, v.Samurai.Inner, v.Samurai.Inner, v.Samurai.Inner, v.Samurai.Outer} {
		sum := uint64(0)
		for symbol, weight := range weights {
			if samurai.Symbols[symbol] != v.Samurai.Symbols[symbol] {
				t.Errorf("symbol %d is %s", symbol, samurai.Symbols[symbol])
			}
			from := (sum<<32 + 999) / 1000
			sum += uint64(weight)
			to := (sum<<32 + 999) / 1000
			if weight == 0 {
				continue
			}
			for _, k := range []uint64{from, to - 1} {
				spin := samurai.Turn(repeat(uint32(k)))
				if len(spin[column]) != v.Samurai.Columns[column] || spin[column][0] != symbol {
					t.Errorf("column %d, word %d: got %d, want %d", column, k, spin[column], symbol)
				}
			}
		}
		if sum != 1000 {
			t.Errorf("column %d: the weights add up to %d", column, sum)
		}
	}
}

func TestDecksAndGems(t *testing.T) {
	v := readTables(t)
	for name, deck := range map[string]cards.Deck{"a": cards.A, "b": cards.B, "c": cards.C} {
		if len(v.Decks[name]) != 52 {
			t.Fatalf("deck %s has %d cards", name, len(v.Decks[name]))
		}
		for card, want := range v.Decks[name] {
			if got := deck.Name(uint32(card)); got != want {
				t.Errorf("deck %s, card %d: got %s, want %s", name, card, got, want)
			}
		}
	}
	for i, want := range v.Gems {
		if got := gems.Colours[i]; got != want {
			t.Errorf("gem %d: got %s, want %s", i, got, want)
		}
	}
}

// TestReturns computes what the tables return on average: games.md, section 4.3
// and 4.12. It checks the tables, and promises nothing of a site.
func TestReturns(t *testing.T) {
	for rows := plinko.MinRows; rows <= plinko.MaxRows; rows++ {
		for risk := range plinko.Risks {
			mean := 0.0
			for slot := range rows + 1 {
				ways := new(big.Int).Binomial(int64(rows), int64(slot)).Int64()
				mean += float64(ways) * float64(plinko.Pays(rows, risk, slot)) / 100
			}
			if mean /= math.Pow(2, float64(rows)); mean < 0.98905 || mean > 0.99165 {
				t.Errorf("plinko, %d rows, %s returns %f", rows, plinko.Risks[risk], mean)
			}
		}
	}
	for difficulty, want := range []string{"0.9806", "0.9800", "0.9800", "0.9800", "0.9800"} {
		mean := 0.0
		for a := uint32(1); a <= 6; a++ {
			for b := uint32(1); b <= 6; b++ {
				mean += float64(snakes.Pays(difficulty, a+b)) / 3600
			}
		}
		if got := strconv.FormatFloat(mean, 'f', 4, 64); got != want {
			t.Errorf("snakes, %s returns %s, want %s", snakes.Difficulties[difficulty], got, want)
		}
	}
}
