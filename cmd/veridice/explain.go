package main

import (
	"encoding/binary"
	"slices"
	"strconv"
	"strings"

	"veridice/draw"
	"veridice/internal/cli"
	"veridice/record"
	"veridice/roll"
	"veridice/scheme"
	"veridice/seed"
	"veridice/verify"
)

func runExplain(c *cli.Call) int {
	for _, f := range betFlags {
		if c.Given(f.Name) {
			return explainBet(c)
		}
	}
	if len(c.Operands) == 2 && isNumber(c.Operands[1]) {
		return c.Misuse("give one INPUT, and the number of the roll as --roll " + c.Operands[1])
	}
	if len(c.Operands) != 1 {
		return c.Misuse("give one INPUT: a share link, a file, or - for standard input")
	}
	wanted := uint64(0)
	if c.Given("roll") {
		n, err := number(c, "roll", 1, 1<<53-1)
		if err != nil {
			return c.Misuse(err.Error())
		}
		wanted = n
	}
	in := (&reader{c: c}).read(c.Operands[0], 1)
	report, o, _ := check(in, notes{})
	if report.Record != nil && report.Record.Chain != nil {
		return explainChain(c, in, report, o, wanted)
	}
	if report.Record == nil || report.Record.Server.IsZero() {
		return notExplained(c, in, report, o)
	}
	if !c.Given("roll") {
		wanted = worth(report)
	}
	made, err := verify.Explain(report.Record, wanted)
	if err != nil && !c.Given("roll") { // no throws, and of yayay/1 only recorded ones have a place
		return notExplained(c, in, report, o)
	}
	if err != nil {
		return c.Fail(c.Words().Text("cli.explain.no-roll", "roll", strconv.FormatUint(wanted, 10)))
	}
	e := explanation{record: report.Record, roll: made, recorded: recordedRoll(report.Record, wanted)}
	if c.Given("json") {
		if code := answerJSON(c, e.view()); code != cli.Proven {
			return code
		}
	} else {
		e.print(c)
	}
	if e.recorded != nil && !slices.Equal(e.recorded, made.Dice) {
		return cli.Broken
	}
	return cli.Proven
}

// notExplained says why there is nothing to explain: what verify would say.
func notExplained(c *cli.Call, in input, r *verify.Report, o verify.Options) int {
	if c.Given("json") {
		answerJSON(c, viewOf(c.Words(), in, r, o))
	} else {
		printReport(c, in, r, o, false)
	}
	return cli.Unknown
}

// worth is the number of the roll that is worth explaining: the first that does
// not fit, else the first.
func worth(r *verify.Report) uint64 {
	for _, one := range r.Compared {
		if !one.Fits {
			return one.Number
		}
	}
	return 1
}

// recordedRoll is what stands at a roll's place in the record, or nil.
func recordedRoll(r *record.Record, number uint64) []uint32 {
	if rolls := r.Rolls(); number <= uint64(len(rolls)) {
		return rolls[number-1].Dice
	}
	return nil
}

// An explanation is one roll with all that it was made of.
type explanation struct {
	record   *record.Record
	roll     roll.Roll
	recorded []uint32 // nil if the roll is not recorded
}

func (e explanation) print(c *cli.Call) {
	p := c.Words()
	c.Answer(p.Text("cli.explain.title", "roll", strconv.FormatUint(e.roll.Number, 10), "scheme", e.record.Scheme))
	rows := [][2]string{}
	row := func(key, text string, pairs ...any) { rows = append(rows, [2]string{p.Text(key, pairs...), text}) }

	row("cli.explain.key", seed.Hex(e.record.Server.Reveal()))
	if e.record.Scheme == scheme.Tavli1 {
		for _, b := range e.roll.Blocks {
			row("cli.explain.message", string(b.Message))
			rows = append(rows, [2]string{"HMAC-SHA-256", seed.Hex(b.Sum[:])})
		}
		rejected, used := e.bytes()
		for _, b := range rejected {
			row("cli.explain.bytes", p.Text("cli.explain.left-out", "byte", int(b)))
		}
		row("cli.explain.bytes", p.Text("cli.explain.used", "byte", int(used), "position", (e.roll.Used-1)%32))
		v := int(used) % 36
		row("cli.explain.number", strconv.Itoa(int(used))+" mod 36 = "+strconv.Itoa(v))
		row("cli.explain.dice", strconv.Itoa(v)+" div 6 + 1 = "+strconv.Itoa(v/6+1)+", "+strconv.Itoa(v)+" mod 6 + 1 = "+strconv.Itoa(v%6+1))
	} else {
		for _, b := range e.roll.Blocks {
			word := binary.BigEndian.Uint32(b.Sum[:])
			row("cli.explain.die", "SHA-256("+p.Text("cli.explain.key")+", "+seed.Hex(b.Message)+") = "+seed.Hex(b.Sum[:]), "die", strconv.FormatUint(uint64(binary.BigEndian.Uint32(b.Message)), 10))
			rows = append(rows, [2]string{"", seed.Hex(b.Sum[:4]) + " = " + strconv.FormatUint(uint64(word), 10) + ", " +
				strconv.FormatUint(uint64(word), 10) + " mod 6 + 1 = " + strconv.FormatUint(uint64(word%6+1), 10)})
		}
	}
	row("cli.explain.roll", written(e.roll.Dice))
	if e.recorded != nil {
		key := "cli.explain.same"
		if !slices.Equal(e.recorded, e.roll.Dice) {
			key = "cli.explain.other"
		}
		row("cli.explain.recorded", p.Text(key, "dice", written(e.recorded)))
	}
	printRows(c, rows)
	printRecipes(c, p.Text("cli.explain.without-us"), e.openssl(), e.python())
}

// printRecipes prints how to come to the same without this program.
func printRecipes(c *cli.Call, what, openssl, python string) {
	for _, recipe := range [][2]string{{"openssl", openssl}, {"python3", python}} {
		c.Answer("\n" + what + ": " + recipe[0])
		c.Answer("  " + strings.ReplaceAll(recipe[1], "\n", "\n  "))
	}
}

// bytes are those of tavli/1 that were left out, and the one that was used.
func (e explanation) bytes() (rejected []byte, used byte) {
	for i := range e.roll.Used {
		b := e.roll.Blocks[i/32].Sum[i%32]
		if b < draw.PairLimit {
			return rejected, b
		}
		rejected = append(rejected, b)
	}
	panic("veridice: internal error: a roll without a byte")
}

// A view of an explanation: docs/json.md.
type explanationView struct {
	Scheme   string       `json:"scheme"`
	Roll     uint64       `json:"roll"`
	Key      string       `json:"key"`
	Blocks   []blockView  `json:"blocks"`
	Rejected []int        `json:"rejected"`
	Dice     []uint32     `json:"dice"`
	Recorded []uint32     `json:"recorded"`
	Openssl  string       `json:"openssl"`
	Python   string       `json:"python"`
	Chain    *chainedView `json:"chain"`
}

type blockView struct {
	Message string `json:"message"`
	Sum     string `json:"sum"`
	Used    string `json:"used"`
}

func (e explanation) view() explanationView {
	v := explanationView{
		Scheme: e.record.Scheme, Roll: e.roll.Number, Key: seed.Hex(e.record.Server.Reveal()),
		Blocks: []blockView{}, Rejected: []int{}, Dice: e.roll.Dice, Recorded: e.recorded,
		Openssl: e.openssl(), Python: e.python(),
	}
	left := e.roll.Used
	for _, b := range e.roll.Blocks {
		n := min(left, b.Width)
		left -= n
		v.Blocks = append(v.Blocks, blockView{seed.Hex(b.Message), seed.Hex(b.Sum[:]), seed.Hex(b.Sum[:n])})
	}
	if e.record.Scheme == scheme.Tavli1 {
		rejected, _ := e.bytes()
		for _, b := range rejected {
			v.Rejected = append(v.Rejected, int(b))
		}
	}
	return v
}
