package rules

import (
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"veridice/checkpoint"
	"veridice/draw"
	"veridice/game/dice"
	"veridice/record"
	"veridice/roll"
	"veridice/scheme"
	"veridice/seed"
	"veridice/vectors"
	"veridice/verify"
)

// documents are the specifications whose every example is recomputed here.
var documents = []string{"schemes.md", "tavli.md", "yayay.md", "floats.md", "record.md", "veridice-1.md", "log.md", "proof.md"}

// constants are the numbers of six digits and more in the documents that no
// vector holds, beside what they are computed from.
var constants = map[string]uint64{
	"100000":     record.MaxRolls,
	"262144":     record.MaxLink,
	"4294967296": 1 << 32,
}

var (
	fence      = regexp.MustCompile("(?ms)^```([a-z]+)\n(.*?)^```$")
	longHex    = regexp.MustCompile(`\b[0-9a-f]{32,}\b`)
	longNumber = regexp.MustCompile(`\b[0-9][0-9,]{4,}[0-9]\b`)
	codeCell   = regexp.MustCompile("`([a-z0-9-]+)`")
	vectorFile = regexp.MustCompile(`vectors/([a-z0-9-]+\.ndjson)`)
	vectorName = regexp.MustCompile("`((?:yayay|tavli|two|three|seven|eight)-[a-z0-9-]+)`")
)

func document(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("../../docs/spec", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// everyVector is the text of all vectors.
func everyVector(t *testing.T) string {
	t.Helper()
	var all strings.Builder
	for _, file := range vectors.Files() {
		lines, err := vectors.Lines(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range lines {
			all.Write(line)
			all.WriteByte('\n')
		}
	}
	return all.String()
}

// TestSpecNumbers finds every hash and every large number of the documents in the
// vectors, which an independent program made.
func TestSpecNumbers(t *testing.T) {
	all := everyVector(t)
	for _, name := range documents {
		text, n := document(t, name), 0
		for _, x := range longHex.FindAllString(text, -1) {
			n++
			if !strings.Contains(all, x) {
				t.Errorf("%s: %s is in no vector", name, x)
			}
		}
		for _, x := range longNumber.FindAllString(text, -1) {
			n++
			x = strings.ReplaceAll(x, ",", "")
			if c, ok := constants[x]; ok {
				if strconv.FormatUint(c, 10) != x {
					t.Errorf("%s: %s should be %d", name, x, c)
				}
			} else if !regexp.MustCompile(`\b`+x+`\b`).MatchString(all) && !strings.Contains(all, x) {
				t.Errorf("%s: %s is in no vector", name, x)
			}
		}
		if n == 0 {
			t.Errorf("%s has no number: the test read nothing", name)
		}
		for _, m := range vectorFile.FindAllStringSubmatch(text, -1) {
			if !slices.Contains(vectors.Files(), m[1]) {
				t.Errorf("%s names %s, which does not exist", name, m[1])
			}
		}
		for _, m := range vectorName.FindAllStringSubmatch(text, -1) {
			if !strings.Contains(all, `"name":"`+m[1]+`"`) && !strings.Contains(all, `"code":"`+m[1]+`"`) {
				t.Errorf("%s names the vector %s, which does not exist", name, m[1])
			}
		}
	}
}

// TestSpecExamples recomputes every line of every fenced block.
func TestSpecExamples(t *testing.T) {
	kinds := map[string]int{}
	for _, name := range documents {
		for _, m := range fence.FindAllStringSubmatch(document(t, name), -1) {
			kinds[m[1]]++
			switch kind, text := m[1], m[2]; kind {
			case "link", "record":
				if got := verify.Text([]byte(strings.TrimSuffix(text, map[string]string{"link": "\n"}[kind])), verify.Options{}); got.Verdict != verify.Proven {
					t.Errorf("%s: a %s is %s %s %s", name, kind, got.Verdict, got.Code, got.Place)
				}
			case "view":
				r, err := record.ParseView([]byte(text))
				if err != nil {
					t.Errorf("%s: %v", name, err)
					continue
				}
				if written, err := r.MarshalText(); err != nil || !strings.Contains(document(t, name), string(written)) {
					t.Errorf("%s has a view, but not the record of it: %s%v", name, written, err)
				}
			case "tavli", "yayay", "shuffle":
				e := example{t: t, name: name, scheme: kind + "/1"}
				for line := range strings.Lines(text) {
					e.line(strings.TrimRight(line, "\n"))
				}
				if e.checked == 0 {
					t.Errorf("%s: a block %s in which nothing was checked", name, kind)
				}
			case "veridice":
				chainExample(t, name, text)
			case "message":
				_, ask := record.ParseAsk([]byte(text))
				_, receipt := record.ParseReceipt([]byte(text))
				_, step := record.ParseStep([]byte(text))
				if ask != nil && receipt != nil && step != nil {
					t.Errorf("%s: no message: %s", name, text)
				}
			case "policy", "entry":
				// of a receipt or a proof file
			case "receipt":
				if _, err := policyOf(t).Receipt([]byte(block(t, name, "entry")), []byte(text)); err != nil {
					t.Errorf("%s: %v", name, err)
				}
			case "proof":
				if got := verify.Text([]byte(text), verify.Options{Policy: policyOf(t)}); got.Verdict != verify.Proven {
					t.Errorf("%s: a proof file is %s %s %s", name, got.Verdict, got.Code, got.Place)
				}
			default:
				t.Errorf("%s: a block %q that no test reads", name, kind)
			}
		}
	}
	for _, kind := range []string{"tavli", "yayay", "shuffle", "veridice", "message", "link", "record", "view", "policy", "entry", "receipt", "proof"} {
		if kinds[kind] == 0 {
			t.Errorf("no block %s in any document", kind)
		}
	}
}

// block is the first block of a kind in a document.
func block(t *testing.T, name, kind string) string {
	t.Helper()
	for _, m := range fence.FindAllStringSubmatch(document(t, name), -1) {
		if m[1] == kind {
			return m[2]
		}
	}
	t.Fatalf("%s has no block %s", name, kind)
	return ""
}

// policyOf is the policy of log.md, under which all receipts of the documents hold.
func policyOf(t *testing.T) *checkpoint.Policy {
	t.Helper()
	p, err := checkpoint.ParsePolicy([]byte(block(t, "log.md", "policy")))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// chainExample recomputes the first roll of the record that stands in the same
// document.
func chainExample(t *testing.T, name, text string) {
	var of *record.Record
	for _, m := range fence.FindAllStringSubmatch(document(t, name), -1) {
		if m[1] == "record" {
			var err error
			if of, err = record.Parse([]byte(m[2])); err != nil {
				t.Fatal(err)
			}
			break
		}
	}
	made, err := verify.ExplainChain(of, 1)
	if err != nil {
		t.Fatal(err)
	}
	dashed := func(list []uint32, by string) string {
		return strings.ReplaceAll(strings.Trim(fmt.Sprint(list), "[]"), " ", by)
	}
	var words []uint32
	var plain [][32]byte
	stream := scheme.ChainStream(made.Key)
	for range made.Roll.Used / 4 {
		words = append(words, draw.Word(stream))
	}
	want := map[string]string{
		"opening": hex.EncodeToString(made.Opening[:]), "head 0": made.Before.String(),
		"request": hex.EncodeToString(scheme.Request(made.Actor, made.Faces)), "context": hex.EncodeToString(made.Context[:]),
		"key": hex.EncodeToString(made.Key[:]), "block 0": hex.EncodeToString(made.Roll.Blocks[0].Sum[:]),
		"words": dashed(words, " "), "dice": dashed(made.Roll.Dice, "-"),
	}
	for i, l := range made.Links {
		want["link "+strconv.Itoa(i)] = hex.EncodeToString(l[:])
		plain = append(plain, l)
	}
	want["head 1"] = made.Before.Rolled(made.Context, plain, made.Roll.Dice).String()
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	for _, line := range lines {
		parts := regexp.MustCompile(`\s{2,}`).Split(line, 2)
		if len(parts) != 2 || want[parts[0]] != parts[1] {
			t.Errorf("%s: %q, computed %q", name, line, want[parts[0]])
		}
	}
	if len(lines) != len(want) {
		t.Errorf("%s: %d lines of a roll, want %d", name, len(lines), len(want))
	}
}

// An example is a fenced block on its way through its lines.
type example struct {
	t            *testing.T
	name, scheme string
	in           scheme.Inputs
	nonce        uint64
	cursor       uint64
	stream       *scheme.Stream // of the line before, which indented lines explain
	word         uint32
	taken        int // bytes of the stream before the one that was used
	checked      int
}

// line reads a name and a value with two or more blanks between.
func (e *example) line(line string) {
	parts := regexp.MustCompile(`\s{2,}`).Split(strings.TrimSpace(line), 2)
	key, value := parts[0], ""
	if len(parts) == 2 {
		value = parts[1]
	}
	word, number, _ := strings.Cut(key, " ")
	switch {
	case key == "server seed":
		b := []byte(value)
		if e.scheme != scheme.Shuffle1 {
			var err error
			if b, err = hex.DecodeString(value); err != nil {
				e.t.Fatal(err)
			}
		}
		var err error
		if e.in.Server, err = seed.NewServer(b); err != nil {
			e.t.Fatal(err)
		}
		return
	case key == "client seed":
		e.in.Clients = append(e.in.Clients, seed.Client(value))
		return
	case key == "nonce":
		e.nonce = e.number(value)
		return
	case key == "cursor":
		e.cursor = e.number(value)
		return
	case key == "seal":
		e.same(key, e.in.Server.Seal().String(), value)
	case word == "roll":
		e.open(e.number(number), 0)
		a, b := draw.Pair(e.stream)
		e.taken = e.stream.Used() - 1
		e.same(key, fmt.Sprintf("%d-%d", a, b), value)
	case word == "die":
		e.open(e.number(number), 0)
		e.word = draw.Word(e.stream)
		e.same(key, strconv.Itoa(int(e.word%6)+1), value)
	case word == "word" && number != "":
		e.open(e.nonce, e.cursor)
		for range e.number(number) + 1 {
			e.word = draw.Word(e.stream)
		}
		e.same(key, strconv.FormatUint(uint64(e.word), 10), value)
	case key == "dice":
		e.open(e.nonce, e.cursor)
		e.same(key, dice.Hundredths(e.stream).String(), value)
	case key == "throws":
		e.throws(value)
	case key == "message":
		e.open(e.nonce, e.cursor)
		e.same(key, string(e.block().Message), value)
	case key == "MAC", key == "SHA-256":
		e.open(e.nonce, e.cursor)
		sum := e.block().Sum
		e.same(key, hex.EncodeToString(sum[:]), value)
	case key == "word":
		e.same(key, strconv.FormatUint(uint64(e.word), 10), value)
	case key == "float":
		e.same(key, strconv.FormatFloat(draw.Float(e.word), 'g', -1, 64), value)
	case key == "skipped":
		e.same(key, strings.Trim(fmt.Sprint(e.bytes()[:e.taken]), "[]"), value)
	case key == "byte":
		e.same(key, fmt.Sprintf("%d at position %d", e.bytes()[e.taken], e.taken), value)
	default:
		e.t.Errorf("%s: the line %q is not understood", e.name, line)
	}
	e.checked++
}

// open begins a stream. Lines that explain a roll keep that of the roll.
func (e *example) open(number, cursor uint64) {
	e.t.Helper()
	if e.scheme != scheme.Shuffle1 && number == 0 && e.stream != nil {
		return
	}
	s, err := scheme.Lookup(e.scheme)
	if err != nil {
		e.t.Fatal(err)
	}
	o, err := s.Open(e.in)
	if err != nil {
		e.t.Fatal(err)
	}
	if e.stream, err = o.StreamAt(number, cursor); err != nil {
		e.t.Fatal(err)
	}
}

func (e *example) block() scheme.Block {
	if len(e.stream.Blocks()) == 0 {
		e.stream.Byte()
	}
	return e.stream.Blocks()[0]
}

func (e *example) bytes() []byte {
	b := e.block()
	return b.Sum[:]
}

func (e *example) throws(value string) {
	s, err := scheme.Lookup(e.scheme)
	if err != nil {
		e.t.Fatal(err)
	}
	r, err := roll.New(s, e.in)
	if err != nil {
		e.t.Fatal(err)
	}
	place := roll.Place{}
	for i, want := range strings.Fields(value) {
		n := strings.Count(want, "-") + 1
		if i == 0 {
			place = roll.First(n)
		} else {
			place = place.Next(n)
		}
		got, err := r.Roll(place)
		if err != nil {
			e.t.Fatal(err)
		}
		e.same("throw", strings.ReplaceAll(strings.Trim(fmt.Sprint(got.Dice), "[]"), " ", "-"), want)
	}
}

func (e *example) number(text string) uint64 {
	e.t.Helper()
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		e.t.Fatalf("%s: %q is not a number", e.name, text)
	}
	return n
}

func (e *example) same(what, got, want string) {
	e.t.Helper()
	if got != want {
		e.t.Errorf("%s: %s: computed %s, written %s", e.name, what, got, want)
	}
}

// TestSpecTables recomputes the rows of the tables that have numbers in them.
func TestSpecTables(t *testing.T) {
	rows := 0
	for _, line := range strings.Split(document(t, "yayay.md"), "\n") {
		var k, face uint64
		if n, err := fmt.Sscanf(line, "| %d | %d |", &k, &face); err != nil || n != 2 {
			continue
		}
		rows++
		if k%6+1 != face {
			t.Errorf("yayay.md: %s", line)
		}
	}
	if rows != 8 {
		t.Errorf("yayay.md: %d rows of words, want 8", rows)
	}
	rows = 0
	for _, line := range strings.Split(document(t, "floats.md"), "\n") {
		cells := strings.Split(strings.Trim(line, "| "), " | ")
		if len(cells) != 4 {
			continue
		}
		k, err := strconv.ParseUint(cells[0], 10, 32)
		if err != nil {
			continue
		}
		rows++
		float, err := strconv.ParseFloat(cells[1], 64)
		value := dice.Value(draw.IndexOf(uint32(k), 10001))
		if err != nil || float != draw.Float(uint32(k)) || cells[2] != strconv.Itoa(int(value)) || cells[3] != value.String() {
			t.Errorf("floats.md: %s: computed %v, %d, %s", line, draw.Float(uint32(k)), value, value)
		}
	}
	if rows != 8 {
		t.Errorf("floats.md: %d rows of words, want 8", rows)
	}
	rows = 0
	for _, line := range strings.Split(document(t, "record.md"), "\n") {
		text, want, ok := strings.Cut(strings.Trim(line, "| "), " | ")
		if !ok || !strings.Contains(want, "refused at line") && !regexp.MustCompile(`^[1-6]-[1-6]`).MatchString(want) {
			continue
		}
		rows++
		got, err := record.ReadRolls(strings.ReplaceAll(strings.Trim(text, "`"), `\n`, "\n"), 2)
		read := ""
		for _, d := range got {
			read += fmt.Sprintf(" %d-%d", d[0], d[1])
		}
		if fault := (*record.SyntaxError)(nil); err != nil {
			fault, _ = err.(*record.SyntaxError)
			read = fmt.Sprint(" refused at line ", fault.Line)
		}
		if read != " "+want {
			t.Errorf("record.md: %s is read as%s", line, read)
		}
	}
	if rows != 6 {
		t.Errorf("record.md: %d rows of pasted rolls, want 6", rows)
	}
}

// TestSpecSteps holds the numbered steps and the codes of the documents to those
// of the program.
func TestSpecSteps(t *testing.T) {
	text := document(t, "record.md")
	report := verify.Record(&record.Record{Scheme: scheme.Tavli1}, verify.Options{})
	if len(report.Steps) != 9 {
		t.Errorf("the check has %d steps", len(report.Steps))
	}
	for _, s := range report.Steps {
		if row := fmt.Sprintf("| %d | `%s` |", s.Number, s.ID); !strings.Contains(text, row) {
			t.Errorf("record.md has no row %s", row)
		}
	}
	text = document(t, "veridice-1.md")
	report = verify.Text([]byte(block(t, "veridice-1.md", "record")), verify.Options{})
	if len(report.Steps) != 9 {
		t.Errorf("the check of veridice/1 has %d steps", len(report.Steps))
	}
	for _, s := range report.Steps {
		if row := fmt.Sprintf("| %d | `%s` |", s.Number, s.ID); !strings.Contains(text, row) {
			t.Errorf("veridice-1.md has no row %s", row)
		}
	}
	text = document(t, "proof.md")
	report = verify.Proof(
		&record.Proof{Parts: []record.Part{{Name: record.PartRecord, Text: []byte(block(t, "record.md", "record"))}}},
		verify.Options{Policy: policyOf(t)})
	if len(report.Steps) != 9+6 {
		t.Errorf("the check of a proof file has %d steps", len(report.Steps))
	}
	for _, s := range report.Steps[9:] {
		if row := fmt.Sprintf("| %d | `%s` |", s.Number, s.ID); !strings.Contains(text, row) {
			t.Errorf("proof.md has no row %s", row)
		}
	}
	written := map[string]bool{}
	all, err := filepath.Glob("../../docs/spec/*.md")
	if err != nil || len(all) < len(documents) {
		t.Fatal("the documents are not found: ", err)
	}
	for _, name := range all {
		for _, m := range codeCell.FindAllStringSubmatch(document(t, filepath.Base(name)), -1) {
			written[m[1]] = true
		}
	}
	constant := regexp.MustCompile(`(?m)^\t\w+ +(?:record\.)?Code\s+= "([a-z0-9-]+)"`)
	n := 0
	for _, file := range []string{"../../verify/code.go", "../../record/error.go"} {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range constant.FindAllStringSubmatch(string(source), -1) {
			n++
			if !written[m[1]] {
				t.Errorf("the code %s of %s is in no document", m[1], file)
			}
		}
	}
	if n < 40 {
		t.Errorf("only %d codes found in the sources", n)
	}
}
