package stats

import (
	"math/big"
	"slices"
	"strconv"
	"strings"

	"veridice/decimal"
	"veridice/draw"
	"veridice/game"
	"veridice/game/cards"
	"veridice/game/climb"
	"veridice/game/gems"
	"veridice/game/plinko"
	"veridice/game/roulette"
	"veridice/game/samurai"
	"veridice/game/slots"
	"veridice/game/snakes"
	"veridice/game/tiers"
	"veridice/game/tower"
	"veridice/game/wheel"
	"veridice/game/zoo"
)

// params are parameters that the game has accepted.
type params struct{ game.Params }

func (p params) integer(name string) int {
	n, _ := strconv.Atoi(p.Get(name))
	return n
}

// or is a number that need not be given.
func (p params) or(name string, otherwise int) int {
	if p.Has(name) {
		return p.integer(name)
	}
	return otherwise
}

func (p params) choice(name string, list []string) int { return slices.Index(list, p.Get(name)) }

// maxFaces bounds the lines of a distribution.
const maxFaces = 1 << 16

// kinds says how each game is counted. The games that are not here, and those
// whose function gives nothing, have no closed form.
var kinds = map[string]func(p params) []*Distribution{
	"shuffle dice":       dice,
	"stake dice":         dice,
	"stake primedice":    dice,
	"bcgame dice":        dice,
	"shuffle limbo":      multipliers("shuffle limbo", "multiplier", 1),
	"stake limbo":        multipliers("stake limbo", "multiplier", 1),
	"stake crash":        multipliers("stake crash", "multiplier", 1),
	"stake slide":        multipliers("stake slide", "multiplier", 1),
	"duel crash":         multipliers("duel crash", "multiplier", 1),
	"bustabit crash":     multipliers("bustabit crash", "multiplier", 1),
	"bcgame limbo":       multipliers("bcgame limbo", "multiplier", 1),
	"bcgame crash":       multipliers("bcgame crash", "multiplier", 1),
	"roobet crash":       multipliers("roobet crash", "multiplier", 1),
	"stake drill":        multipliers("stake drill", "multipliers", 3),
	"shuffle plinko":     drops,
	"stake plinko":       paidDrops,
	"duel plinko":        drops,
	"liqd plinko":        drops,
	"shuffle roulette":   pockets,
	"stake roulette":     pockets,
	"shuffle wheel":      segments,
	"stake wheel":        segments,
	"shuffle keno":       func(params) []*Distribution { return cells("numbers", members(41, 10, ceiled(40)), 0, 10) },
	"stake keno":         func(params) []*Distribution { return cells("numbers", members(40, 10, floored(40)), 1, 10) },
	"shuffle mines":      mines,
	"stake mines":        mines,
	"shuffle tower":      rows,
	"stake dragon-tower": rows,
	"stake moles":        holes,
	"stake pump":         climbing(25, climb.Pump),
	"stake chicken":      climbing(20, climb.Chicken),
	"shuffle blackjack":  deck("cards", cards.A, 0),
	"stake blackjack":    deck("cards", cards.A, 0),
	"shuffle hilo":       deck("cards", cards.A, 0),
	"stake hilo":         deck("cards", cards.A, 0),
	"shuffle blitz":      blitz,
	"shuffle baccarat":   func(params) []*Distribution { return baccarat() },
	"stake baccarat":     func(params) []*Distribution { return baccarat() },
	"stake video-poker": func(params) []*Distribution {
		d := listed("hand", cards.A.Names(upTo(52)), members(52, 5, floored(52)), power2(32*5), 5)
		d.Together = true
		return []*Distribution{d}
	},
	"stake diamonds":      func(params) []*Distribution { return stones("gems") },
	"stake diamond-poker": func(params) []*Distribution { return stones("dealer", "player") },
	"stake cases": func(p params) []*Distribution {
		level := p.choice("difficulty", tiers.Difficulties[:])
		return []*Distribution{tier("multiplier", 1, func(k uint32) uint64 { return uint64(tiers.Cases(ofWord(0, k), level)) })}
	},
	"stake bars": func(p params) []*Distribution {
		level, tiles := p.choice("difficulty", tiers.Difficulties[:]), p.integer("tiles")
		return []*Distribution{tier("multipliers", tiers.Bars, func(k uint32) uint64 { return uint64(tiers.BarsShown(ofWord(0, k), level, tiles)[0]) })}
	},
	"stake tarot": tarot,
	"stake packs": func(params) []*Distribution {
		numbers, counts := counted(func(k uint32) uint64 {
			cards, _ := tiers.Packs(ofWord(0, k))
			return uint64(cards[0])
		})
		return []*Distribution{listed("numbers", texts(numbers), integers(counts), integer(words), tiers.Pack)}
	},
	"stake snakes": func(params) []*Distribution {
		die := Index(6)
		sums := make([]*big.Int, 11)
		for a, m := range die {
			for b, n := range die {
				add(sums, a+b, times(integer(m), n))
			}
		}
		var names []string
		for s := 2; s <= 12; s++ {
			names = append(names, strconv.Itoa(s))
		}
		return []*Distribution{listed("sums", names, sums, power2(64), snakes.Rolls)}
	},
	"stake flip":           letters("flips", "TH"),
	"stake rps":            letters("throws", "RPS"),
	"stake scarab-spin":    func(params) []*Distribution { return reels() },
	"stake tome-of-life":   func(params) []*Distribution { return reels() },
	"stake blue-samurai":   func(params) []*Distribution { return samurais() },
	"stake zoo":            func(params) []*Distribution { return animals() },
	"duel dice":            func(params) []*Distribution { return given(uniform("result", 0, 10_001, 1)) },
	"duel mines":           func(p params) []*Distribution { return given(exchanged("set", 25, p.integer("mines"))) },
	"duel beef":            func(p params) []*Distribution { return given(exchanged("set", 20, p.integer("deaths"))) },
	"duel castle-roulette": func(params) []*Distribution { return castle() },
	"liqd mines":           func(p params) []*Distribution { return []*Distribution{exchanged("cells", 25, p.integer("mines"))} },
	"liqd dice":            func(params) []*Distribution { return []*Distribution{hundred(10_000, 1)} },
	"primedice dice":       func(params) []*Distribution { return given(hundred(10_000, 100)) },
	"zeroplay backgammon":  func(p params) []*Distribution { return []*Distribution{pairs("dice", 1, p.integer("rolls"))} },
	"liqd draw": func(p params) []*Distribution {
		n := p.integer("range")
		if n > maxFaces {
			return nil
		}
		return []*Distribution{uniform("value", 0, n, 1)}
	},
}

func multipliers(kind, key string, each int) func(params) []*Distribution {
	return func(p params) []*Distribution { return []*Distribution{rise(kind, p).ranges(key, each)} }
}

// values observes a key: a single value, or each of a list.
func values(keys ...string) func(o *game.Outcome) []string {
	return func(o *game.Outcome) []string {
		var list []string
		for _, name := range keys {
			k, ok := o.Key(name)
			if !ok {
				continue
			}
			if k.Value.Kind != game.List {
				list = append(list, k.Value.String())
			}
			for _, v := range k.Value.List {
				list = append(list, v.String())
			}
		}
		return list
	}
}

// whole observes a key as one text even if it is a list.
func whole(key string) func(o *game.Outcome) []string {
	return func(o *game.Outcome) []string {
		k, ok := o.Key(key)
		if !ok {
			return nil
		}
		return []string{k.Value.String()}
	}
}

func listed(key string, names []string, counts []*big.Int, total *big.Int, each int) *Distribution {
	d := &Distribution{Name: key, Total: total, Each: each, observe: values(key)}
	for i, name := range names {
		d.Lines = append(d.Lines, Line{name, counts[i]})
	}
	return d
}

func given(d *Distribution) []*Distribution {
	d.Given = NotExhausted
	return []*Distribution{d}
}

func integers(counts []uint64) []*big.Int {
	list := make([]*big.Int, len(counts))
	for i, c := range counts {
		list[i] = integer(c)
	}
	return list
}

func texts(numbers []uint64) []string {
	list := make([]string, len(numbers))
	for i, n := range numbers {
		list[i] = strconv.FormatUint(n, 10)
	}
	return list
}

func upTo(n uint32) []uint32 {
	list := make([]uint32, n)
	for i := range list {
		list[i] = uint32(i)
	}
	return list
}

// uniform has n numbers from one on, each with a weight.
func uniform(key string, from, n int, weight uint64) *Distribution {
	d := &Distribution{Name: key, Total: integer(uint64(n) * weight), Each: 1, observe: values(key)}
	for i := range n {
		d.Lines = append(d.Lines, Line{strconv.Itoa(from + i), integer(weight)})
	}
	return d
}

// hundred is a dice game of n hundredths, each as likely as another.
func hundred(n int, weight uint64) *Distribution {
	d := uniform("roll", 0, n, weight)
	for i := range d.Lines {
		d.Lines[i].Outcome = written(uint64(i))
	}
	return d
}

func dice(params) []*Distribution {
	d := hundred(10_001, 1)
	d.Total = integer(words)
	for i, c := range Index(10_001) {
		d.Lines[i].Count = integer(c)
	}
	return []*Distribution{d}
}

func pockets(params) []*Distribution { return indexed("pocket", 37) }

func indexed(key string, n uint32) []*Distribution {
	counts := Index(n)
	d := uniform(key, 0, len(counts), 1)
	d.Total = integer(words)
	for i, c := range counts {
		d.Lines[i].Count = integer(c)
	}
	return []*Distribution{d}
}

// drops counts the paths: half of the words go right, exactly.
func drops(p params) []*Distribution {
	n := p.integer("rows")
	d := &Distribution{Name: "slot", Total: power2(n), Each: 1, observe: values("slot")}
	for slot := range n + 1 {
		d.Lines = append(d.Lines, Line{strconv.Itoa(slot), new(big.Int).Binomial(int64(n), int64(slot))})
	}
	return []*Distribution{d}
}

// paidDrops adds what Stake pays for the slots.
func paidDrops(p params) []*Distribution {
	list, n := drops(p), p.integer("rows")
	if risk := p.choice("risk", plinko.Risks[:]); risk >= 0 {
		list = append(list, list[0].paying(func(slot int) string { return hundredth(uint64(plinko.Pays(n, risk, slot))) }))
	}
	return list
}

// paying adds up the lines that pay the same multiplier.
func (d *Distribution) paying(pays func(line int) string) *Distribution {
	sums := map[string]*big.Int{}
	for i, l := range d.Lines {
		text := pays(i)
		if sums[text] == nil {
			sums[text] = new(big.Int)
		}
		sums[text].Add(sums[text], l.Count)
	}
	return ordered("multiplier", sums, d.Total, d.Each)
}

// ordered makes lines of decimal numbers in their order.
func ordered(key string, sums map[string]*big.Int, total *big.Int, each int) *Distribution {
	d := &Distribution{Name: key, Total: total, Each: each, observe: values(key)}
	for text, n := range sums {
		d.Lines = append(d.Lines, Line{text, n})
	}
	slices.SortFunc(d.Lines, func(a, b Line) int {
		x, y := ratio(a.Outcome), ratio(b.Outcome)
		return x.Cmp(y)
	})
	return d
}

func ratio(text string) *big.Rat {
	r, ok := new(big.Rat).SetString(text)
	if !ok {
		panic("veridice: internal error: " + text + " is not a number")
	}
	return r
}

// hundredth writes hundredths without zeros at the end, as games do.
func hundredth(h uint64) string { return decimal.New(h, 2).String() }

// hundredths reads a multiplier, cutting what is finer.
func hundredths(text string) (uint64, bool) {
	whole, part, _ := strings.Cut(text, ".")
	part = (part + "00")[:2]
	n, err := strconv.ParseUint(whole+part, 10, 64)
	return n, err == nil
}

func segments(p params) []*Distribution {
	n := p.integer("segments")
	list := indexed("segment", uint32(n))
	if risk := p.choice("risk", wheel.Risks[:]); risk >= 0 {
		list = append(list, list[0].paying(func(s int) string { return hundredth(uint64(wheel.Pays(n, risk, uint32(s)))) }))
	}
	return list
}

// cells has a line for each cell of a board, numbered from one on.
func cells(key string, counts []*big.Int, from, m int) []*Distribution {
	d := &Distribution{Name: key, Total: power2(32 * m), Each: m, Together: m > 1, observe: values(key)}
	for i, c := range counts {
		d.Lines = append(d.Lines, Line{strconv.Itoa(from + i), c})
	}
	return []*Distribution{d}
}

func mines(p params) []*Distribution {
	m := p.integer("mines")
	return cells("cells", members(25, m, floored(25)), 0, m)
}

// exchanged is a board that was exchanged through with equally likely numbers:
// every cell is as likely as another.
func exchanged(key string, n, m int) *Distribution {
	d := uniform(key, 0, n, uint64(m))
	d.Total, d.Each, d.Together = integer(uint64(n)), m, m > 1
	return d
}

func rows(p params) []*Distribution {
	shape := [...][2]int{{4, 3}, {3, 2}, {2, 1}, {3, 1}, {4, 1}}[p.choice("difficulty", tower.Difficulties[:])]
	return []*Distribution{chosen("sets", shape[0], shape[1], tower.Rows, values("sets"))}
}

func chosen(key string, n, m, each int, observe func(o *game.Outcome) []string) *Distribution {
	names, counts := sets(n, m)
	d := &Distribution{Name: key, Total: power2(32 * m), Each: each, observe: observe}
	for i, set := range names {
		d.Lines = append(d.Lines, Line{joined(set), counts[i]})
	}
	return d
}

func holes(p params) []*Distribution {
	m, each := p.integer("moles"), 9
	if m == 1 {
		each = 8
	}
	return []*Distribution{chosen("rounds", 7, m, each, func(o *game.Outcome) []string {
		k, _ := o.Key("rounds")
		var list []string
		for _, round := range k.Value.List {
			var holes []int
			for _, v := range round.List {
				holes = append(holes, int(v.Int))
			}
			slices.Sort(holes)
			list = append(list, joined(holes))
		}
		return list
	})}
}

func climbing(n int, play func(src draw.Source, difficulty int) (cells []uint32, pays uint32)) func(params) []*Distribution {
	return func(p params) []*Distribution {
		level := p.choice("difficulty", climb.Difficulties[:])
		taken, _ := play(&even{}, level)
		m := len(taken)
		counts := least(n, m)
		d := &Distribution{Name: "safe", Total: power2(32 * m), Each: 1, observe: values("safe")}
		for s, c := range counts {
			d.Lines = append(d.Lines, Line{strconv.Itoa(s), c})
		}
		return []*Distribution{d}
	}
}

func deck(key string, suits cards.Deck, each int) func(params) []*Distribution {
	return func(params) []*Distribution {
		return []*Distribution{listed(key, suits.Names(upTo(52)), integers(Index(52)), integer(words), each)}
	}
}

// blitz is won if all cards differ: each set of n cards in each order.
func blitz(p params) []*Distribution {
	n := p.integer("count")
	ways := make([]*big.Int, n+1) // elementary symmetric sums of the cards' words
	for i := range ways {
		ways[i] = new(big.Int)
	}
	ways[0].SetInt64(1)
	for _, c := range Index(52) {
		for i := n; i > 0; i-- {
			ways[i].Add(ways[i], times(ways[i-1], c))
		}
	}
	won := new(big.Int).Mul(ways[n], new(big.Int).MulRange(1, int64(n)))
	total := power2(32 * n)
	d := &Distribution{Name: "win", Total: total, Each: 1, observe: values("win"),
		Lines: []Line{{"true", won}, {"false", new(big.Int).Sub(total, won)}}}
	return append([]*Distribution{d}, deck("cards", cards.C, n)(p)...)
}

// baccarat plays every pair of totals of two cards with every pair of third cards.
func baccarat() []*Distribution {
	var point [10]uint64 // words of the cards that count so much
	card := [10]uint32{32, 48, 0, 4, 8, 12, 16, 20, 24, 28}
	for c, n := range Index(52) {
		at := 0
		for v, example := range card {
			if uint32(c)/4 == example/4 {
				at = v
			}
		}
		point[at] += n
	}
	var two [10]*big.Int
	for a, m := range point {
		for b, n := range point {
			add(two[:], (a+b)%10, times(integer(m), n))
		}
	}
	winners, totals := map[string]*big.Int{}, map[string]*big.Int{}
	count := func(in map[string]*big.Int, name string, n *big.Int) {
		if in[name] == nil {
			in[name] = new(big.Int)
		}
		in[name].Add(in[name], n)
	}
	for p, pw := range two {
		for b, bw := range two {
			hands := new(big.Int).Mul(pw, bw)
			for x, m := range point {
				for y, n := range point {
					r := cards.Play([]uint32{card[p], card[0], card[b], card[0], card[x], card[y]}, cards.Paired)
					ways := times(times(hands, m), n)
					count(winners, r.Winner, ways)
					count(totals, joined([]int{int(r.PlayerTotal), int(r.BankerTotal)}), ways)
				}
			}
		}
	}
	all := power2(32 * cards.RoundCards)
	d := &Distribution{Name: "winner", Total: all, Each: 1, observe: values("winner")}
	for _, name := range []string{"player", "banker", "tie"} {
		d.Lines = append(d.Lines, Line{name, winners[name]})
	}
	e := &Distribution{Name: "totals", Total: all, Each: 1, observe: whole("totals")}
	for p := range 10 {
		for b := range 10 {
			name := joined([]int{p, b})
			if totals[name] != nil {
				e.Lines = append(e.Lines, Line{name, totals[name]})
			}
		}
	}
	return []*Distribution{e, d}
}

// patterns of five gems: how many there are of each colour that comes.
var patterns = []string{"5", "4 1", "3 2", "3 1 1", "2 2 1", "2 1 1 1", "1 1 1 1 1"}

func stones(keys ...string) []*Distribution {
	counts := Index(uint32(len(gems.Colours)))
	single := listed("gems", gems.Colours[:], integers(counts), integer(words), gems.Diamonds*len(keys))
	single.observe = values(keys...)
	ways := map[string]*big.Int{}
	for _, name := range patterns {
		ways[name] = new(big.Int)
	}
	n := len(counts)
	hands := 1
	for range gems.Diamonds {
		hands *= n
	}
	for hand := range hands {
		product, of := big.NewInt(1), make([]int, n)
		for range gems.Diamonds {
			product = times(product, counts[hand%n])
			of[hand%n]++
			hand /= n
		}
		name := pattern(of)
		ways[name].Add(ways[name], product)
	}
	d := &Distribution{Name: "pattern", Total: power2(32 * gems.Diamonds), Each: len(keys), observe: func(o *game.Outcome) []string {
		var list []string
		for _, key := range keys {
			var of []int
			seen := map[string]int{}
			for _, gem := range values(key)(o) {
				if _, ok := seen[gem]; !ok {
					seen[gem] = len(of)
					of = append(of, 0)
				}
				of[seen[gem]]++
			}
			list = append(list, pattern(of))
		}
		return list
	}}
	for _, name := range patterns {
		d.Lines = append(d.Lines, Line{name, ways[name]})
	}
	return []*Distribution{single, d}
}

func pattern(of []int) string {
	of = slices.DeleteFunc(slices.Clone(of), func(n int) bool { return n == 0 })
	slices.Sort(of)
	slices.Reverse(of)
	return joined(of)
}

// tier is one draw of a table, in hundredths.
func tier(key string, each int, f func(k uint32) uint64) *Distribution {
	pays, counts := counted(f)
	names := make([]string, len(pays))
	for i, h := range pays {
		names[i] = hundredth(h)
	}
	return listed(key, names, integers(counts), integer(words), each)
}

// tarot multiplies three draws.
func tarot(p params) []*Distribution {
	level := p.choice("difficulty", tiers.Difficulties[:])
	sums := map[string]*big.Int{"1": big.NewInt(1)}
	for i := range 3 {
		pays, counts := counted(func(k uint32) uint64 { return uint64(tiers.Tarot(ofWord(i, k), level)[i]) })
		next := map[string]*big.Int{}
		for text, ways := range sums {
			so, _ := decimal.Parse(text)
			for j, h := range pays {
				name := so.Mul(decimal.New(h, 2)).String()
				if next[name] == nil {
					next[name] = new(big.Int)
				}
				next[name].Add(next[name], times(ways, counts[j]))
			}
		}
		sums = next
	}
	return []*Distribution{ordered("multiplier", sums, power2(96), 1)}
}

// letters has a letter for each throw.
func letters(key, alphabet string) func(params) []*Distribution {
	return func(p params) []*Distribution {
		counts := Index(uint32(len(alphabet)))
		d := listed(key, strings.Split(alphabet, ""), integers(counts), integer(words), p.or("count", 20))
		d.observe = func(o *game.Outcome) []string {
			k, _ := o.Key(key)
			return strings.Split(k.Value.Text, "")
		}
		return []*Distribution{d}
	}
}

// reels has the stops of each reel, and how many scatters a spin shows.
func reels() []*Distribution {
	var list []*Distribution
	scatters := []*big.Int{big.NewInt(1)}
	for reel := range len(slots.Spin{}) {
		stops, counts := counted(func(k uint32) uint64 { return uint64(slots.Turn(ofWord(reel, k))[reel]) })
		d := listed("reel "+strconv.Itoa(reel+1), texts(stops), integers(counts), integer(words), 0)
		d.observe = func(o *game.Outcome) []string {
			k, _ := o.Key("stops")
			var seen []string
			for _, spin := range k.Value.List {
				seen = append(seen, spin.List[reel].String())
			}
			return seen
		}
		list = append(list, d)
		next := make([]*big.Int, len(scatters)+3)
		for i := range next {
			next[i] = new(big.Int)
		}
		for i, n := range counts {
			shown := 0
			var spin slots.Spin
			spin[reel] = uint32(stops[i])
			for _, symbol := range spin.Window()[reel] {
				if symbol == "scatter" {
					shown++
				}
			}
			for s, ways := range scatters {
				next[s+shown].Add(next[s+shown], times(ways, n))
			}
		}
		scatters = next
	}
	d := &Distribution{Name: "scatters", Total: power2(160), observe: values("scatters")}
	for s, ways := range scatters {
		d.Lines = append(d.Lines, Line{strconv.Itoa(s), ways})
	}
	return append(list, d)
}

// samurais has the symbols of the outer columns and those of the inner ones.
func samurais() []*Distribution {
	var list []*Distribution
	for _, part := range []struct {
		name    string
		word    int
		columns []int
		each    int
	}{{"outer", 0, []int{0, 4}, 6}, {"inner", 3, []int{1, 2, 3}, 12}} {
		column := part.columns[0]
		symbols, counts := counted(func(k uint32) uint64 { return uint64(samurai.Turn(ofWord(part.word, k))[column][0]) })
		var names []string
		for _, s := range symbols {
			names = append(names, samurai.Symbols[s])
		}
		d := listed(part.name, names, integers(counts), integer(words), part.each)
		d.observe = func(o *game.Outcome) []string {
			k, _ := o.Key("columns")
			var seen []string
			for _, column := range part.columns {
				for _, v := range k.Value.List[column].List {
					seen = append(seen, v.String())
				}
			}
			return seen
		}
		list = append(list, d)
	}
	return list
}

func animals() []*Distribution {
	var names []string
	var sums []uint64
	for n, count := range Modulo(20) {
		name := zoo.Draw(ofWord(0, uint32(n)))[0]
		if at := slices.Index(names, name); at >= 0 {
			sums[at] += count
		} else {
			names, sums = append(names, name), append(sums, count)
		}
	}
	return []*Distribution{listed("animals", names, integers(sums), integer(words), 3)}
}

func castle() []*Distribution {
	counts := Modulo(48)
	places := uniform("pocket", 0, len(counts), 1)
	places.Total = integer(words)
	var names []string
	var sums []uint64
	for i, c := range counts {
		places.Lines[i].Count = integer(c)
		name, _ := roulette.Coin(uint32(i))
		if at := slices.Index(names, name); at >= 0 {
			sums[at] += c
		} else {
			names, sums = append(names, name), append(sums, c)
		}
	}
	return []*Distribution{places, listed("coin", names, integers(sums), integer(words), 1)}
}

// pairs has the 36 ordered rolls of two dice, each with a weight.
func pairs(key string, weight uint64, each int) *Distribution {
	d := &Distribution{Name: key, Total: integer(36 * weight), Each: each, observe: values(key)}
	for a := 1; a <= 6; a++ {
		for b := 1; b <= 6; b++ {
			d.Lines = append(d.Lines, Line{joined([]int{a, b}), integer(weight)})
		}
	}
	return d
}
