package audit

import (
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"sync"

	"gonum.org/v1/gonum/stat/distuv"

	"veridice/decimal"
	"veridice/game"
	"veridice/stats"
)

// maxGroups bounds the kinds of bets whose outcomes are counted.
const maxGroups = 500

// groups counts outcomes by site, game, version and parameters.
type groups struct {
	mu   sync.RWMutex
	ids  map[string]int32
	list []*group
	full bool
}

type group struct {
	site, game string
	params     game.Params
	d          *stats.Distribution // nil if there is none
	direct     map[int32]int32     // values of the fast way → lines
	bets       uint64
	counts     []uint64
	off        uint64 // outcomes on no line
}

// A groupKey is the scratch in which a worker writes the name of a group.
type groupKey struct {
	text, last []byte
	id         int32
}

func newGroups() *groups { return &groups{ids: map[string]int32{}} }

// id finds the group of a bet, -1 if its outcomes are not counted.
func (g *groups) id(r *row, k *groupKey) int32 {
	k.text = k.text[:0]
	for _, part := range [...][]byte{r.site, r.game, r.variant} {
		k.text = append(append(k.text, part...), 0)
	}
	for _, f := range r.params {
		k.text = append(append(append(append(k.text, f.name...), '='), f.text...), 0)
	}
	if string(k.text) == string(k.last) && len(k.last) > 0 {
		return k.id
	}
	g.mu.RLock()
	id, ok := g.ids[string(k.text)]
	g.mu.RUnlock()
	if !ok {
		id = g.make(r, string(k.text))
	}
	k.last, k.id = append(k.last[:0], k.text...), id
	return id
}

// apart are parameters that say nothing of the chances.
var apart = []string{"amount", "count", "game", "drand_round", "offset", "round", "places", "cursor"}

func (g *groups) make(r *row, key string) int32 {
	g.mu.Lock()
	defer g.mu.Unlock()
	if id, ok := g.ids[key]; ok {
		return id
	}
	if len(g.ids) >= 16*maxGroups {
		g.full = true
		return -1
	}
	// Bets that differ in an amount are of one kind.
	p := game.Params{Variant: string(r.variant)}
	names := []string{}
	for _, f := range r.params {
		a := game.Arg{Name: string(f.name), Value: f.value().String()}
		if !slices.Contains(apart, a.Name) {
			p.Args = append(p.Args, a)
			names = append(names, a.Name+"="+a.Value)
		}
	}
	slices.Sort(names)
	kind := "\x00" + string(r.site) + "\x00" + string(r.game) + "\x00" + p.Variant + "\x00" + strings.Join(names, "\x00")
	id, ok := g.ids[kind]
	if !ok {
		if len(g.list) >= maxGroups {
			g.full = true
			return -1
		}
		id = int32(len(g.list))
		g.ids[kind] = id
		g.list = append(g.list, newGroup(string(r.site), string(r.game), p))
	}
	g.ids[key] = id
	return id
}

func newGroup(site, name string, p game.Params) *group {
	n := &group{site: site, game: name, params: p}
	list, err := stats.Of(site, name, p)
	if err != nil {
		return n
	}
	n.d = list[0]
	n.counts = make([]uint64, len(n.d.Lines))
	n.direct = map[int32]int32{}
	for i, l := range n.d.Lines {
		v, ok := uint64(0), false
		if n.d.Name == "roll" {
			var d decimal.Decimal
			if d, ok = decimal.Parse(l.Outcome); ok {
				v, ok = d.Scaled(2)
			}
		} else {
			var err error
			v, err = strconv.ParseUint(l.Outcome, 10, 31)
			ok = err == nil
		}
		if ok {
			n.direct[int32(v)] = int32(i)
		}
	}
	return n
}

// observe finds the lines on which the outcome of a bet falls.
func (w *worker) observe(o *game.Outcome) []int32 {
	if o == nil {
		return nil
	}
	id := w.run.groups.id(&w.row, &w.group)
	if id < 0 {
		return nil
	}
	w.run.groups.mu.RLock()
	d := w.run.groups.list[id].d
	w.run.groups.mu.RUnlock()
	if d == nil {
		return nil
	}
	var lines []int32
	for _, at := range d.Observe(o) {
		lines = append(lines, int32(at))
	}
	return lines
}

// count takes a bet into its group. Only the one that merges calls it.
func (g *groups) count(u *noted, many []int32) {
	g.mu.RLock()
	n := g.list[u.group]
	g.mu.RUnlock()
	n.bets++
	if n.d == nil {
		return
	}
	if u.from < 0 {
		if line, ok := n.direct[u.value]; ok {
			n.counts[line]++
		} else {
			n.off++
		}
		return
	}
	for _, line := range many[u.from:u.value] {
		if line < 0 {
			n.off++
		} else {
			n.counts[line]++
		}
	}
}

// FalseAlarms is the rate at which the tests of a report say something of data
// that are as they should be: at most one report in a hundred. Each tail of each
// test gets its share of half of it, by Holm's rule; the other half is left for
// what a continuous distribution does not say about whole numbers.
const FalseAlarms = 0.01

// minExpected is the least that a class of outcomes must be expected to have;
// smaller ones are put together.
const minExpected = 25

// maxClasses bounds the classes of a test and of a plot.
const maxClasses = 60

// A Game is the outcomes of one kind of bet against the exact distribution.
type Game struct {
	Site, Game string
	Params     []game.Arg
	Variant    string
	Key        string // what is counted
	Bets       uint64
	Off        uint64  // outcomes that the distribution does not have
	Classes    []Class // nil if the outcomes have no distribution here
	Tested     bool    // there are enough
	ChiSquare  float64
	Degrees    int
	Upper      float64 // probability of at least so much
	Lower      float64 // probability of at most so much
	Flag       string  // "", TooUneven or TooEven
}

// A Class is outcomes that are counted together.
type Class struct {
	Name     string
	Observed uint64
	Expected float64
}

// What a test may say. It never changes a verdict.
const (
	TooUneven = "too-uneven"
	TooEven   = "too-even"
)

func (g *groups) games() []Game {
	var list []Game
	for _, n := range g.list {
		list = append(list, n.report())
	}
	slices.SortStableFunc(list, func(a, b Game) int {
		return strings.Compare(a.Site+" "+a.Game, b.Site+" "+b.Game)
	})
	flag(list)
	return list
}

// flag applies Holm's rule to both tails of all tests.
func flag(list []Game) {
	type tail struct {
		p    float64
		game int
		flag string
	}
	var tails []tail
	for i := range list {
		if list[i].Tested {
			tails = append(tails, tail{list[i].Upper, i, TooUneven}, tail{list[i].Lower, i, TooEven})
		}
	}
	slices.SortStableFunc(tails, func(a, b tail) int {
		switch {
		case a.p < b.p:
			return -1
		case a.p > b.p:
			return 1
		}
		return 0
	})
	for i, t := range tails {
		if t.p > FalseAlarms/2/float64(len(tails)-i) {
			break
		}
		list[t.game].Flag = t.flag
	}
}

func (n *group) report() Game {
	g := Game{Site: n.site, Game: n.game, Params: n.params.Args, Variant: n.params.Variant, Bets: n.bets, Off: n.off}
	if n.d == nil {
		return g
	}
	g.Key = n.d.Name
	total := uint64(0)
	for _, c := range n.counts {
		total += c
	}
	weight := new(big.Int)
	for _, l := range n.d.Lines {
		weight.Add(weight, l.Count)
	}
	share := func(line int) float64 {
		f, _ := new(big.Rat).SetFrac(n.d.Lines[line].Count, weight).Float64()
		return f
	}
	// Neighbours are put together until they are expected often enough, and so
	// that there are not too many.
	least := math.Max(minExpected, float64(total)/maxClasses)
	pooled := false
	var class Class
	first, last := "", ""
	flush := func() {
		class.Name = first
		if first != last {
			class.Name += " – " + last
			pooled = true
		}
		g.Classes = append(g.Classes, class)
		class, first = Class{}, ""
	}
	for i, l := range n.d.Lines {
		if first == "" {
			first = l.Outcome
		}
		last = l.Outcome
		class.Observed += n.counts[i]
		class.Expected += share(i) * float64(total)
		if class.Expected >= least*(1-1e-9) {
			flush()
		}
	}
	if first != "" {
		if k := len(g.Classes); k > 0 && class.Expected < least/2 {
			c := &g.Classes[k-1]
			c.Observed += class.Observed
			c.Expected += class.Expected
			c.Name, _, _ = strings.Cut(c.Name, " – ")
			c.Name += " – " + last
			pooled = true
		} else {
			flush()
		}
	}
	g.test(n.d, pooled, total)
	return g
}

// test is Pearson's, with both tails.
func (g *Game) test(d *stats.Distribution, pooled bool, total uint64) {
	k := len(g.Classes)
	factor := 1.0
	if d.Together && d.Each > 1 {
		if pooled || len(d.Lines) <= d.Each {
			return
		}
		factor = float64(len(d.Lines)-1) / float64(len(d.Lines)-d.Each)
	}
	if k < 2 || d.Each == 0 || total == 0 {
		return
	}
	most, cell := 0.0, 0.0
	for _, c := range g.Classes {
		if c.Expected < minExpected/2 {
			return
		}
		most = math.Max(most, c.Expected)
		cell += 1 / (4 * c.Expected)
		diff := float64(c.Observed) - c.Expected
		g.ChiSquare += diff * diff / c.Expected
	}
	g.ChiSquare *= factor
	// Counts are whole numbers: a set as even as it can be is not rare when few
	// sets are possible. So what counts as even is all within half a cell of it,
	// the last class taking up what the others leave.
	cell += (float64(k-1)*float64(k-1) - 1) / (4 * most)
	reach := math.Sqrt(g.ChiSquare) + math.Sqrt(cell*factor)
	chi := distuv.ChiSquared{K: float64(k - 1)}
	g.Tested, g.Degrees = true, k-1
	g.Upper = chi.Survival(g.ChiSquare)
	g.Lower = chi.CDF(reach * reach)
}
