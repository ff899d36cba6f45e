package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"veridice/draw"
	"veridice/internal/cli"
	"veridice/scheme"
	"veridice/seed"
	"veridice/verify"
)

// explainChain shows one roll of a match of veridice/1. Which one was worth it is
// known only after the check, since rolls behind a fault are not computed.
func explainChain(c *cli.Call, in input, report *verify.Report, o verify.Options, wanted uint64) int {
	given := wanted > 0
	if !given {
		wanted = worth(report)
	}
	made, err := verify.ExplainChain(report.Record, wanted)
	if err != nil && !given {
		return notExplained(c, in, report, o)
	}
	if err != nil {
		return c.Fail(c.Words().Text("cli.explain.no-roll", "roll", strconv.FormatUint(wanted, 10)))
	}
	e := chained{made, recordedRoll(report.Record, wanted)}
	if c.Given("json") {
		if code := answerJSON(c, e.view()); code != cli.Proven {
			return code
		}
	} else {
		e.print(c)
	}
	if !slices.Equal(e.recorded, made.Roll.Dice) {
		return cli.Broken
	}
	return cli.Proven
}

// A chained roll is one of veridice/1 beside what was recorded.
type chained struct {
	verify.Chained
	recorded []uint32
}

// A drawn word is one that a die took, or passed over.
type drawn struct {
	Word  uint32  `json:"word"`
	Faces uint32  `json:"faces"`
	Face  *uint32 `json:"face"`
}

// words lists the words of the stream in order, with what came of each.
func (e chained) words() []drawn {
	var words []drawn
	die := 0
	for at := 0; at < e.Roll.Used; at += 4 {
		b := e.Roll.Blocks[at/32].Sum[at%32:]
		w := drawn{Word: uint32(b[0])<<24 | uint32(b[1])<<16 | uint32(b[2])<<8 | uint32(b[3]), Faces: e.Faces[die]}
		if uint64(w.Word) < draw.Limit(w.Faces) {
			w.Face = &e.Roll.Dice[die]
			die++
		}
		words = append(words, w)
	}
	return words
}

func (e chained) print(c *cli.Call) {
	p := c.Words()
	name := sentences{Printer: p}
	c.Answer(p.Text("cli.explain.title", "roll", strconv.FormatUint(e.Roll.Number, 10), "scheme", scheme.Veridice1))
	rows := [][2]string{}
	row := func(key, text string, pairs ...any) { rows = append(rows, [2]string{p.Text(key, pairs...), text}) }
	row("cli.explain.opening", seed.Hex(e.Opening[:]))
	row("cli.explain.head", e.Before.String())
	row("cli.explain.request", seed.Hex(scheme.Request(e.Actor, e.Faces))+" ("+name.role(int(e.Actor))+": "+written(e.Faces)+")")
	row("cli.explain.context", seed.Hex(e.Context[:]))
	for role, link := range e.Links {
		row("cli.explain.link", seed.Hex(link[:]), "role", name.role(role))
	}
	row("cli.explain.key", seed.Hex(e.Key[:]))
	for i, b := range e.Roll.Blocks {
		row("cli.explain.block", seed.Hex(b.Sum[:]), "block", i)
	}
	die := 1
	for _, w := range e.words() {
		word := strconv.FormatUint(uint64(w.Word), 10)
		faces := strconv.FormatUint(uint64(w.Faces), 10)
		text := "[" + p.Text("cli.explain.word-left-out", "word", word, "limit", strconv.FormatUint(draw.Limit(w.Faces), 10)) + "]"
		if w.Face != nil {
			text = word + " mod " + faces + " + 1 = " + strconv.FormatUint(uint64(*w.Face), 10)
		}
		row("cli.explain.die-of", text, "die", die, "faces", faces)
		if w.Face != nil {
			die++
		}
	}
	row("cli.explain.roll", written(e.Roll.Dice))
	key := "cli.explain.same"
	if !slices.Equal(e.recorded, e.Roll.Dice) {
		key = "cli.explain.other"
	}
	row("cli.explain.recorded", p.Text(key, "dice", written(e.recorded)))
	printRows(c, rows)
	printRecipes(c, p.Text("cli.explain.without-us"), e.openssl(), e.python())
}

// A chainedView holds what only a roll of veridice/1 is made of.
type chainedView struct {
	Opening string   `json:"opening"`
	Head    string   `json:"head"`
	Actor   int      `json:"actor"`
	Faces   []uint32 `json:"faces"`
	Request string   `json:"request"`
	Context string   `json:"context"`
	Links   []string `json:"links"`
	Words   []drawn  `json:"words"`
}

func (e chained) view() explanationView {
	v := explanationView{
		Scheme: scheme.Veridice1, Roll: e.Roll.Number, Key: seed.Hex(e.Key[:]), Blocks: []blockView{}, Rejected: []int{},
		Dice: e.Roll.Dice, Recorded: e.recorded, Openssl: e.openssl(), Python: e.python(),
		Chain: &chainedView{
			Opening: seed.Hex(e.Opening[:]), Head: e.Before.String(), Actor: int(e.Actor), Faces: e.Faces,
			Request: seed.Hex(scheme.Request(e.Actor, e.Faces)), Context: seed.Hex(e.Context[:]), Links: e.links(), Words: e.words(),
		},
	}
	left := e.Roll.Used
	for _, b := range e.Roll.Blocks {
		n := min(left, len(b.Sum))
		left -= n
		v.Blocks = append(v.Blocks, blockView{seed.Hex(b.Message), seed.Hex(b.Sum[:]), seed.Hex(b.Sum[:n])})
	}
	for _, w := range v.Chain.Words {
		if w.Face == nil {
			v.Rejected = append(v.Rejected, int(w.Word))
		}
	}
	return v
}

func (e chained) links() []string {
	var links []string
	for _, l := range e.Links {
		links = append(links, seed.Hex(l[:]))
	}
	return links
}

// openssl is a command for a POSIX shell, from the context on.
func (e chained) openssl() string {
	fields := [][]byte{e.Context[:]}
	for _, l := range e.Links[1:] {
		fields = append(fields, l[:])
	}
	var blocks []string
	for _, b := range e.Roll.Blocks {
		blocks = append(blocks, "'"+octal(b.Message)+"'")
	}
	var faces []string
	for _, n := range e.Faces {
		faces = append(faces, strconv.FormatUint(uint64(n), 10))
	}
	return fmt.Sprintf(`key=$(printf '%s' |
openssl dgst -sha256 -mac HMAC -macopt hexkey:%s -r | cut -c 1-64)
for block in %s; do
  printf "$block" | openssl dgst -sha256 -mac HMAC -macopt "hexkey:$key" -binary
done | od -An -v -tu1 | tr -s ' ' '\n' |
awk -v list='%s' 'BEGIN { dice = split(list, faces, " "); at = 1 }
$1 != "" { word = word * 256 + $1; bytes++ }
bytes == 4 && at <= dice { n = faces[at]; if (word < 4294967296 - 4294967296 %% n) { printf "%%.0f\n", word %% n + 1; at++ } }
bytes == 4 { word = 0; bytes = 0 }' | paste -s -d - -`,
		octal(seed.Frame("veridice/1/roll", fields...)), seed.Hex(e.Links[0][:]), strings.Join(blocks, " "), strings.Join(faces, " "))
}

// python is a script for Python 3 without packages, from the opening on.
func (e chained) python() string {
	return fmt.Sprintf(`import hashlib, hmac
def frame(tag, *fields):
    return bytes([len(tag)]) + tag.encode() + b"".join(len(f).to_bytes(4, "big") + f for f in fields)
opening, head, roll, actor = bytes.fromhex("%s"), bytes.fromhex("%s"), %d, %d
faces = [%s]
links = [bytes.fromhex(link) for link in """%s""".split()]
request = bytes([actor]) + len(faces).to_bytes(2, "big") + b"".join(n.to_bytes(4, "big") for n in faces)
context = hashlib.sha256(frame("veridice/1/ctx", opening, head, roll.to_bytes(4, "big"), request)).digest()
key = hmac.new(links[0], frame("veridice/1/roll", context, *links[1:]), hashlib.sha256).digest()
def words(block=0):
    while True:
        mac = hmac.new(key, frame("veridice/1/stream", block.to_bytes(4, "big")), hashlib.sha256).digest()
        yield from (int.from_bytes(mac[i:i + 4], "big") for i in range(0, 32, 4))
        block += 1
stream = words()
print("-".join(str(next(w for w in stream if w < 2**32 // n * n) %% n + 1) for n in faces))`,
		seed.Hex(e.Opening[:]), e.Before.String(), e.Roll.Number, e.Actor,
		strings.ReplaceAll(strings.Trim(fmt.Sprint(e.Faces), "[]"), " ", ", "), strings.Join(e.links(), " "))
}
