package main

import (
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"

	"veridice/bet"
	"veridice/draw"
	"veridice/internal/cli"
	"veridice/internal/locale"
	"veridice/scheme/foreign"
	"veridice/seed"
)

// explainBet shows how a bet's outcome is made, in seven steps.
func explainBet(c *cli.Call) int {
	if len(c.Operands) > 0 || c.Given("roll") {
		return c.Misuse("give either an INPUT or a bet with --site")
	}
	b, err := readBet(c)
	if err != nil {
		return c.Misuse(err.Error())
	}
	made, err := bet.Explain(b)
	if err != nil {
		return refuse(c, b, err)
	}
	e := betExplanation{made}
	if c.Given("json") {
		return answerJSON(c, e.view(c.Words()))
	}
	e.print(c)
	return cli.Proven
}

type betExplanation struct{ *bet.Explained }

// taken are the bytes that the game took, over all blocks.
func (e betExplanation) taken() []byte {
	var all []byte
	for _, b := range e.Stream.Blocks() {
		all = append(all, b.Sum[b.From:b.To]...)
	}
	return all
}

// inWords reports whether the game took words and nothing else: then four bytes
// each are a float.
func (e betExplanation) inWords() bool { return len(e.Words) > 0 && 4*len(e.Words) == len(e.taken()) }

// print follows the seven steps in which operators explain themselves: bytes,
// groups of four, hex, numbers, the sum, the floats, the event.
func (e betExplanation) print(c *cli.Call) {
	p := c.Words()
	step := func(n int, text string) { c.Answer("\n" + strconv.Itoa(n) + ". " + text) }
	c.Answer(p.Text("outcome.explain.title", "outcome", headline(p, e.Outcome), "scheme", e.Stream.Name))

	step(1, p.Text("outcome.explain.bytes", "hash", hashName(e.Stream)))
	key := seed.Hex(e.Stream.Key)
	if e.Stream.TextKey {
		key = string(e.Stream.Key)
	}
	rows := [][2]string{{p.Text("cli.explain.key"), key}}
	for _, b := range e.Stream.Blocks() {
		rows = append(rows, [2]string{p.Text("cli.explain.message"), readable(b.Message)},
			[2]string{p.Text("outcome.explain.block", "block", strconv.FormatUint(b.Number, 10)), marked(b)})
	}
	printRows(c, rows)

	words := e.inWords()
	groups := e.groups(words)
	step(2, p.Text("outcome.explain.groups"))
	for _, g := range groups {
		c.Answer("  " + hex.EncodeToString(g))
	}
	step(3, p.Text("outcome.explain.hex"))
	for _, g := range groups {
		c.Answer("  " + spaced(g, "%02x"))
	}
	step(4, p.Text("outcome.explain.numbers"))
	for _, g := range groups {
		c.Answer("  " + spaced(g, "%d"))
	}
	step(5, p.Text("outcome.explain.sum"))
	if !words {
		c.Answer("  " + p.Text("outcome.explain.no-floats"))
	} else {
		for i, k := range e.Words {
			c.Answer("  " + sum(groups[i]) + " = " + float(k) + " = " + strconv.FormatUint(uint64(k), 10) + "/2^32")
		}
	}
	step(6, p.Text("outcome.explain.floats"))
	if !words {
		c.Answer("  " + p.Text("outcome.explain.no-floats"))
	} else {
		var floats []string
		for _, k := range e.Words {
			floats = append(floats, float(k))
		}
		c.Answer("  [" + strings.Join(floats, ", ") + "]")
	}
	step(7, p.Text("outcome.explain.event"))
	for _, s := range e.Steps {
		c.Answer("  " + s.Name + ": " + s.Values + after(" = ", s.Result))
	}
	c.Answer("  " + headline(p, e.Outcome))
	rows = details(p, e.Outcome)
	rows = append(rows, [2]string{p.Text("outcome.rule"), gradeWords(p, e.Outcome.Grade)})
	for _, l := range e.Outcome.Labels {
		rows = append(rows, [2]string{p.Text("outcome.note"), p.Text("outcome.label."+l.Code, "key", keyWord(p, l.Key))})
	}
	printRows(c, rows)

	what := p.Text("outcome.explain.same-bytes")
	if words {
		what = p.Text("outcome.explain.same-words")
	}
	printRecipes(c, what, e.openssl(), e.python())
}

// groups cuts the bytes that were taken into fours; without floats each block is
// one group.
func (e betExplanation) groups(words bool) [][]byte {
	var groups [][]byte
	if words {
		for all := e.taken(); len(all) > 0; all = all[4:] {
			groups = append(groups, all[:4])
		}
		return groups
	}
	for _, b := range e.Stream.Blocks() {
		if b.To > b.From {
			groups = append(groups, b.Sum[b.From:b.To])
		}
	}
	return groups
}

// hashName is the function of a scheme.
func hashName(s *foreign.Stream) string {
	if s.Name == foreign.Primedice2015 {
		return "HMAC-SHA-512"
	}
	return "HMAC-SHA-256"
}

// readable writes a message as text if it is printable ASCII, else in hex too.
func readable(message []byte) string {
	for _, b := range message {
		if b < 0x20 || b > 0x7e {
			return string(message) + "  (" + seed.Hex(message) + ")"
		}
	}
	return string(message)
}

// marked is a block with the bytes that were taken in brackets.
func marked(b foreign.Block) string {
	return seed.Hex(b.Sum[:b.From]) + "[" + seed.Hex(b.Sum[b.From:b.To]) + "]" + seed.Hex(b.Sum[b.To:])
}

func spaced(bytes []byte, format string) string {
	parts := make([]string, len(bytes))
	for i, b := range bytes {
		parts[i] = fmt.Sprintf(format, b)
	}
	return strings.Join(parts, " ")
}

// sum is the formula that sites print: each byte over a power of 256.
func sum(group []byte) string {
	parts := make([]string, len(group))
	for i, b := range group {
		parts[i] = fmt.Sprintf("%d/256^%d", b, i+1)
	}
	return strings.Join(parts, " + ")
}

func float(k uint32) string { return strconv.FormatFloat(draw.Float(k), 'g', -1, 64) }

// openssl is a command for a POSIX shell that prints the words, one a line, or the
// bytes if the game takes no words.
func (e betExplanation) openssl() string {
	digest := "sha256"
	if hashName(e.Stream) == "HMAC-SHA-512" {
		digest = "sha512"
	}
	one := func(message, begin, length string) string {
		return fmt.Sprintf("printf %s |\nopenssl dgst -%s -mac HMAC -macopt hexkey:%s -binary | tail -c +%s | head -c %s", message, digest, seed.Hex(e.Stream.Key), begin, length)
	}
	var lines []string
	for _, b := range e.Stream.Blocks() {
		if b.To > b.From {
			lines = append(lines, one("'"+octal(b.Message)+"'", strconv.Itoa(b.From+1), strconv.Itoa(b.To-b.From)))
		}
	}
	command := strings.Join(lines, "\n")
	if len(lines) > 1 {
		command = "{ " + strings.Join(lines, "\n") + "\n}"
	}
	command += " |\nod -An -v -tu1 | tr -s ' ' '\\n' | awk '$1 != \"\" "
	if e.inWords() {
		return command + "{ k = k * 256 + $1; if (++n % 4 == 0) { printf \"%.0f\\n\", k; k = 0 } }'"
	}
	return command + "{ print $1 }'"
}

// python is a script for Python 3 that prints the same.
func (e betExplanation) python() string {
	digest := "sha256"
	if hashName(e.Stream) == "HMAC-SHA-512" {
		digest = "sha512"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "import hmac\nkey = bytes.fromhex(%q)\ntaken = b\"\"\nfor message, begin, end in [\n", seed.Hex(e.Stream.Key))
	for _, block := range e.Stream.Blocks() {
		if block.To > block.From {
			fmt.Fprintf(&b, "    (%q, %d, %d),\n", seed.Hex(block.Message), block.From, block.To)
		}
	}
	fmt.Fprintf(&b, "]:\n    taken += hmac.digest(key, bytes.fromhex(message), %q)[begin:end]\n", digest)
	if e.inWords() {
		b.WriteString("for i in range(0, len(taken), 4):\n    print(int.from_bytes(taken[i:i + 4], \"big\"))")
	} else {
		b.WriteString("for byte in taken:\n    print(byte)")
	}
	return b.String()
}

// betExplanationView is what explain --json prints of a bet: docs/json.md.
type betExplanationView struct {
	Scheme  string         `json:"scheme"`
	Hash    string         `json:"hash"`
	Key     string         `json:"key"`
	TextKey bool           `json:"textKey"`
	Blocks  []betBlockView `json:"blocks"`
	Words   []uint32       `json:"words"`
	Floats  []float64      `json:"floats"`
	Steps   []drawView     `json:"steps"`
	Made    outcomeView    `json:"made"`
	Openssl string         `json:"openssl"`
	Python  string         `json:"python"`
}

type betBlockView struct {
	Number  uint64 `json:"number"`
	Message string `json:"message"`
	Sum     string `json:"sum"`
	From    int    `json:"from"`
	To      int    `json:"to"`
}

type drawView struct {
	Name   string `json:"name"`
	Values string `json:"values"`
	Result string `json:"result"`
}

func (e betExplanation) view(p *locale.Printer) betExplanationView {
	v := betExplanationView{Scheme: e.Stream.Name, Hash: hashName(e.Stream), Key: seed.Hex(e.Stream.Key), TextKey: e.Stream.TextKey,
		Blocks: []betBlockView{}, Words: append([]uint32{}, e.Words...), Floats: []float64{}, Steps: []drawView{},
		Made: answer{made: e.Outcome, result: bet.Result{Seal: bet.Absent}}.view(p), Openssl: e.openssl(), Python: e.python()}
	for _, b := range e.Stream.Blocks() {
		v.Blocks = append(v.Blocks, betBlockView{b.Number, seed.Hex(b.Message), seed.Hex(b.Sum), b.From, b.To})
	}
	for _, k := range e.Words {
		v.Floats = append(v.Floats, draw.Float(k))
	}
	for _, s := range e.Steps {
		v.Steps = append(v.Steps, drawView{s.Name, s.Values, s.Result})
	}
	return v
}
