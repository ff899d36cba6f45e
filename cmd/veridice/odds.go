package main

import (
	"errors"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"veridice/bet"
	"veridice/game"
	"veridice/internal/cli"
	"veridice/internal/locale"
	"veridice/scheme"
	"veridice/stats"
)

// mapped are the schemes whose mapping odds knows, without their versions.
var mapped = []string{"tavli", "yayay", "shuffle", "stake", "veridice"}

const (
	streak = "streak"
	// grouped is how many lines of a distribution people are shown; with more,
	// those that are equally likely are counted.
	grouped = 64
	// maxStreak bounds the rolls of a streak, so that the exact fraction takes a
	// moment and not an hour.
	maxStreak = 10_000
)

func runOdds(c *cli.Call) int {
	switch {
	case c.Given("site") || c.Given("game"):
		if len(c.Operands) > 0 {
			return c.Misuse("give either a SCHEME or a game with --site and --game")
		}
		return oddsOfGame(c)
	case len(c.Operands) != 1:
		return c.Misuse("give one of: " + strings.Join(mapped, ", ") + ", streak; or a game with --site and --game")
	case c.Operands[0] == streak:
		return oddsOfStreak(c)
	}
	for _, name := range []string{"param", "at-least", "rolls", "doubles", "without", "count", "pips"} {
		if c.Given(name) {
			return c.Misuse("--" + name + " does not go with a scheme")
		}
	}
	name := c.Operands[0]
	if slices.Contains(mapped, name) {
		name += "/1"
	}
	faces := uint64(6)
	if c.Given("faces") {
		if name != "veridice/1" {
			return c.Misuse("--faces goes with veridice only")
		}
		n, err := number(c, "faces", 1, 65536)
		if err != nil {
			return c.Misuse(err.Error())
		}
		faces = n
	}
	d, ok := stats.Mapping(name, int(faces))
	if !ok {
		return c.Misuse("no scheme " + c.Operands[0] + "; there are: " + strings.Join(mapped, ", "))
	}
	return showOdds(c, name, []*stats.Distribution{d})
}

func oddsOfGame(c *cli.Call) int {
	b := bet.Bet{Site: c.Value("site"), Game: c.Value("game")}
	if b.Site == "" || b.Game == "" {
		return c.Misuse("give --site and --game, as veridice outcome --list shows them")
	}
	var err error
	if b.Params, b.Variant, err = readParams(c); err != nil {
		return c.Misuse(err.Error())
	}
	p := game.Params{Variant: b.Variant, Args: b.Params}
	if !c.Given("at-least") {
		list, err := stats.Of(b.Site, b.Game, p)
		if err != nil {
			return refuse(c, b, err)
		}
		return showOdds(c, b.Site+" "+b.Game, list)
	}
	h, err := hundredths(c.Value("at-least"))
	if err != nil {
		return c.Misuse(err.Error())
	}
	count, total, err := stats.AtLeast(b.Site, b.Game, p, h)
	if err != nil {
		return refuse(c, b, err)
	}
	w := c.Words()
	return showChances(c, b.Site+" "+b.Game, []chance{{w.Text("odds.at-least", "value", c.Value("at-least")), new(big.Rat).SetFrac(count, total)}})
}

// hundredths reads a multiplier with at most two places.
func hundredths(text string) (uint64, error) {
	whole, part, _ := strings.Cut(text, ".")
	n, err := strconv.ParseUint(whole+(part + "00")[:2], 10, 50)
	if err != nil || len(part) > 2 || strings.HasPrefix(text, "+") {
		return 0, errors.New("--at-least: " + text + " is no multiplier with at most two places, such as 2.5")
	}
	return n, nil
}

// A chance is something that may happen, and its probability.
type chance struct {
	what string
	p    *big.Rat
}

func oddsOfStreak(c *cli.Call) int {
	if !c.Given("rolls") {
		return c.Misuse("give --rolls")
	}
	n, err := number(c, "rolls", 1, maxStreak)
	if err != nil {
		return c.Misuse(err.Error())
	}
	name := scheme.Tavli1
	if c.Given("scheme") {
		name = c.Value("scheme")
		if !strings.Contains(name, "/") {
			name += "/1"
		}
	}
	double, ok := stats.Doubles(name)
	if !ok {
		return c.Misuse("--scheme: " + c.Value("scheme") + " rolls no pairs of dice; there are: tavli, yayay, veridice")
	}
	w := c.Words()
	var chances []chance
	for _, flag := range []string{"doubles", "without", "count", "pips"} {
		if !c.Given(flag) {
			continue
		}
		k, err := number(c, flag, 0, 24*maxStreak)
		if err != nil {
			return c.Misuse(err.Error())
		}
		text := func(key string) string { return w.Text(key, "rolls", n, "number", k) }
		switch flag {
		case "doubles":
			chances = append(chances, chance{text("odds.doubles"), stats.Run(int(n), int(k), double)})
		case "without":
			chances = append(chances, chance{text("odds.without"), stats.Run(int(n), int(k), new(big.Rat).Sub(big.NewRat(1, 1), double))})
		case "count":
			d := stats.Binomial("doubles", int(n), double)
			chances = append(chances, chance{text("odds.count-up"), reach(d, k, true)}, chance{text("odds.count-down"), reach(d, k, false)})
		case "pips":
			if n > 1000 {
				return c.Misuse("--pips: goes with at most 1000 rolls")
			}
			if name == scheme.Yayay1 {
				return c.Misuse("--pips: is counted for fair dice; not for yayay")
			}
			d := stats.Pips(int(n))
			chances = append(chances, chance{text("odds.pips-up"), reach(d, k, true)}, chance{text("odds.pips-down"), reach(d, k, false)})
		}
	}
	if chances == nil {
		return c.Misuse("give one of: --doubles, --without, --count, --pips")
	}
	return showChances(c, name, chances)
}

// reach is the probability of at least k, or of at most k, of a distribution of
// whole numbers.
func reach(d *stats.Distribution, k uint64, above bool) *big.Rat {
	sum := new(big.Int)
	for _, l := range d.Lines {
		n, err := strconv.ParseUint(l.Outcome, 10, 64)
		if err == nil && (above && n >= k || !above && n <= k) {
			sum.Add(sum, l.Count)
		}
	}
	return new(big.Rat).SetFrac(sum, d.Total)
}

// percent writes a probability with six digits.
func percent(p *big.Rat) string {
	x, _ := new(big.Rat).Mul(p, big.NewRat(100, 1)).Float64()
	return strconv.FormatFloat(x, 'g', 6, 64) + " %"
}

func showChances(c *cli.Call, name string, chances []chance) int {
	if c.Given("json") {
		v := chancesView{Of: name, Chances: []chanceView{}}
		for _, one := range chances {
			v.Chances = append(v.Chances, chanceView{one.what, one.p.Num().String(), one.p.Denom().String(), percent(one.p)})
		}
		return answerJSON(c, v)
	}
	for _, one := range chances {
		c.Answer(one.what + ": " + percent(one.p))
		if text := one.p.RatString(); len(text) <= 160 {
			c.Answer("  = " + text)
		}
	}
	return cli.Proven
}

func showOdds(c *cli.Call, name string, list []*stats.Distribution) int {
	if c.Given("json") {
		for _, d := range list {
			v := oddsView{Of: name, Counted: d.Name, Total: d.Total.String(), Each: d.Each, Together: d.Together, Given: given(d.Given), Lines: []oddsLine{}}
			for i, l := range d.Lines {
				v.Lines = append(v.Lines, oddsLine{l.Outcome, l.Count.String(), percent(d.Probability(i))})
			}
			if code := answerJSON(c, v); code != cli.Proven {
				return code
			}
		}
		return cli.Proven
	}
	p := c.Words()
	for i, d := range list {
		if i > 0 {
			c.Answer("")
		}
		printOdds(c, p, name, d)
	}
	return cli.Proven
}

func printOdds(c *cli.Call, p *locale.Printer, name string, d *stats.Distribution) {
	c.Answer(p.Text("odds.title", "of", name, "counted", keyWord(p, d.Name), "total", d.Total.String()))
	if d.Together {
		c.Answer("  " + p.Text("odds.together", "count", d.Each))
	}
	if d.Given != "" {
		c.Answer("  " + p.Text("odds.given"))
	}
	if len(d.Lines) > grouped {
		type group struct{ line, size int }
		var groups []group
		at := map[string]int{}
		for i, l := range d.Lines {
			key := l.Count.String()
			if _, seen := at[key]; !seen {
				at[key] = len(groups)
				groups = append(groups, group{i, 0})
			}
			groups[at[key]].size++
		}
		for _, g := range groups {
			c.Answer("  " + p.Text("odds.group", "count", g.size, "ways", d.Lines[g.line].Count.String(), "percent", percent(d.Probability(g.line))))
		}
		return
	}
	names, counts := make([]string, len(d.Lines)), make([]string, len(d.Lines))
	width := [2]int{}
	for i, l := range d.Lines {
		names[i], counts[i] = shownLine(p, d.Name, l.Outcome), l.Count.String()
		width[0], width[1] = max(width[0], len([]rune(names[i]))), max(width[1], len(counts[i]))
	}
	for i := range d.Lines {
		c.Answer("  " + names[i] + strings.Repeat(" ", width[0]-len([]rune(names[i]))+2+width[1]-len(counts[i])) + counts[i] + "  " + percent(d.Probability(i)))
	}
}

// shownLine writes the outcome of a line to people.
func shownLine(p *locale.Printer, key, text string) string {
	if word := "outcome.value." + text; slices.Contains(words, key) && p.Has(word) {
		return p.Text(word)
	}
	return text
}

// oddsView and chancesView are what odds --json prints: docs/json.md.
type oddsView struct {
	Of       string     `json:"of"`
	Counted  string     `json:"counted"`
	Total    string     `json:"total"`
	Each     int        `json:"each"`
	Together bool       `json:"together"`
	Given    *string    `json:"given"`
	Lines    []oddsLine `json:"lines"`
}

type oddsLine struct {
	Outcome string `json:"outcome"`
	Count   string `json:"count"`
	Percent string `json:"percent"`
}

type chancesView struct {
	Of      string       `json:"of"`
	Chances []chanceView `json:"chances"`
}

type chanceView struct {
	What    string `json:"what"`
	Count   string `json:"count"`
	Total   string `json:"total"`
	Percent string `json:"percent"`
}
