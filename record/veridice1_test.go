package record_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"veridice/record"
	"veridice/seed"
	"veridice/vectors"
	"veridice/vectors/vectortest"
)

const veridice1 = "veridice1.ndjson"

// TestTranscripts follows the heads of matches. The links of their rolls are in
// the vectors of package roll: here a roll gives its head.
func TestTranscripts(t *testing.T) {
	type vector struct {
		Name, Kind, Open, Hash, Start string
		Entries                       []struct {
			Role       uint8
			Roll       int
			Move, Head string
		}
	}
	vectortest.EachKind(t, veridice1, "transcript", func(t *testing.T, v vector) {
		opening := seed.LeafHash([]byte(v.Open))
		head := record.Start(opening)
		if seed.Hex(opening[:]) != v.Hash || head.String() != v.Start {
			t.Fatalf("got %x, %s", opening, head)
		}
		for _, e := range v.Entries {
			if e.Roll > 0 {
				b, _ := seed.ParseHex(e.Head)
				head = record.Head(b)
			} else if head = head.Move(e.Role, e.Move); head.String() != e.Head {
				t.Fatalf("move %q: got %s, want %s", e.Move, head, e.Head)
			}
		}
	})
}

func TestChainViews(t *testing.T) {
	type vector struct{ Name, Kind, Text, View string }
	vectortest.EachKind(t, veridice1, "view", func(t *testing.T, v vector) {
		if got := string(viewOf(t, v.Text)); got != v.View {
			t.Errorf("got\n%s, want\n%s", got, v.View)
		}
		if got, e := textOf(t, v.View); e != nil || got != v.Text {
			t.Errorf("the view gives %q, %v", got, e)
		}
		var tree map[string]any
		if err := json.Unmarshal([]byte(v.View), &tree); err != nil {
			t.Fatal(err)
		}
		sorted, err := json.Marshal(tree)
		if err != nil {
			t.Fatal(err)
		}
		if got, e := textOf(t, string(sorted)); e != nil || got != v.Text {
			t.Errorf("with its members in another order the view gives %q, %v", got, e)
		}
	})
}

var (
	noteGrammar  = regexp.MustCompile(`(?s)^(.*\n)\n((?:\x{2014} [^\n]*\n)+)$`)
	signatureOne = regexp.MustCompile(`^\x{2014} [^\pZ\x00-\x20+\x{85}]+ ((?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{4}|[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=))$`)
	chainGrammar = regexp.MustCompile(`^veridice record 1\nscheme veridice/1\nmatch [0-9a-f]{32}\nseq (0|[1-9][0-9]*)\nrules [0-9a-f]{64}\nlinks (0|[1-9][0-9]*)\n` +
		`((?:role [0-9]+ [0-9a-f]{64} [0-9a-f]{64}\n)+)expires (0|[1-9][0-9]*)\n((?:(?:roll|move) .*\n)*)(?:pending (.*)\n)?` +
		`((?:last [0-9]+ (?:0|[1-9][0-9]*) [0-9a-f]{64}\n)+)rolls (0|[1-9][0-9]*)\nhead [0-9a-f]{64}\nstate (running|finished|aborted (?:-|0|[1-9][0-9]?))\nsum [0-9a-f]{64}\n$`)
	rollGrammar = regexp.MustCompile(`^([1-9][0-9]*) (0|[1-9][0-9]?) ([1-9][0-9]*(?:,[1-9][0-9]*)*)(?: ([1-9][0-9]*(?:,[1-9][0-9]*)*))?$`)
	moveGrammar = regexp.MustCompile(`^(0|[1-9][0-9]?) ([!-~](?:[ -~]{0,998}[!-~])?)$`)
)

// bare gives the text under signatures in their grammar, or the text itself.
func bare(text []byte) ([]byte, bool) {
	m := noteGrammar.FindSubmatch(text)
	if m == nil {
		return text, true
	}
	lines := strings.Split(strings.TrimSuffix(string(m[2]), "\n"), "\n")
	for _, line := range lines {
		s := signatureOne.FindStringSubmatch(line)
		if s == nil {
			return nil, false
		}
		b, err := base64.StdEncoding.DecodeString(s[1])
		if err != nil || len(b) < 5 || base64.StdEncoding.EncodeToString(b) != s[1] {
			return nil, false
		}
	}
	return m[1], utf8.Valid(text) && len(lines) <= 100
}

func upTo(text string, least, most uint64) bool {
	n, err := strconv.ParseUint(text, 10, 64)
	return err == nil && least <= n && n <= most
}

// chainInGrammar holds a text to docs/spec/record.md without the parser.
func chainInGrammar(text string) bool {
	m := chainGrammar.FindStringSubmatch(text)
	if m == nil {
		return false
	}
	seats := strings.Count(m[3], "\n") - 1
	for _, lines := range []string{m[3], m[7]} {
		list := strings.SplitAfter(lines, "\n")
		for i, line := range list[:len(list)-1] {
			if f := strings.Fields(line); f[1] != strconv.Itoa(i) || lines == m[7] && !upTo(f[2], 0, 8192) {
				return false
			}
		}
	}
	links, _ := strconv.ParseUint(m[2], 10, 64)
	for line := range strings.Lines(m[7]) {
		if !upTo(strings.Fields(line)[2], 0, links) {
			return false
		}
	}
	roll := func(text string, dice bool) bool {
		f := rollGrammar.FindStringSubmatch(text)
		if f == nil || (f[4] != "") != dice || !upTo(f[1], 1, 100000) || !upTo(f[2], 0, uint64(seats)) {
			return false
		}
		faces, shown := strings.Split(f[3], ","), strings.Split(f[4], ",")
		for i, n := range faces {
			if !upTo(n, 2, 1<<32-1) || dice && len(shown) != len(faces) {
				return false
			}
			if most, _ := strconv.ParseUint(n, 10, 64); dice && !upTo(shown[i], 1, most) {
				return false
			}
		}
		return len(faces) <= 1024
	}
	for line := range strings.Lines(m[5]) {
		name, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		if name == "roll" && !roll(rest, true) {
			return false
		}
		if f := moveGrammar.FindStringSubmatch(rest); name == "move" && (f == nil || !upTo(f[1], 0, uint64(seats))) {
			return false
		}
	}
	silent := strings.TrimPrefix(m[9], "aborted ")
	return 1 <= seats && seats <= 16 && strings.Count(m[7], "\n") == seats+1 && upTo(m[1], 1, 1<<53-1) && upTo(m[2], 1, 8192) &&
		upTo(m[4], 0, 1<<53-1) && upTo(m[8], 0, 100000) && (m[6] == "" || roll(m[6], false) && m[9] != "finished") &&
		!strings.Contains(text, "\npending \n") &&
		(silent == m[9] || silent == "-" || upTo(silent, 0, uint64(seats)))
}

// chainTexts are the records of the vectors that can be read.
func chainTexts(tb testing.TB) (texts []string) {
	tb.Helper()
	lines, err := vectors.Lines(veridice1)
	if err != nil {
		tb.Fatal(err)
	}
	for _, line := range lines {
		var v struct{ Kind, Text string }
		if err := json.Unmarshal(line, &v); err != nil {
			tb.Fatal(err)
		}
		if v.Kind != "record" {
			continue
		}
		if _, err := record.Parse([]byte(v.Text)); err == nil {
			texts = append(texts, v.Text)
		}
	}
	if len(texts) < 50 {
		tb.Fatalf("only %d records can be read", len(texts))
	}
	return texts
}

// TestChainRecordsBack marshals what was read.
func TestChainRecordsBack(t *testing.T) {
	for _, text := range chainTexts(t) {
		r, err := record.Parse([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if back, err := r.MarshalText(); err != nil || string(back) != text {
			t.Errorf("marshals to other bytes, %v:\n%s", err, text)
		}
		view, err := r.MarshalView()
		if err != nil {
			t.Fatal(err)
		}
		bare, err := r.SignedText()
		if err != nil {
			t.Fatal(err)
		}
		if got, e := textOf(t, string(view)); e != nil || got != string(bare) {
			t.Errorf("the view %s gives %q, %v", view, got, e)
		}
	}
}

func TestChainViewRefuses(t *testing.T) {
	var view string
	vectortest.EachKind(t, veridice1, "view", func(t *testing.T, v struct{ Name, Kind, Text, View string }) {
		if v.Name == "view-running" {
			view = v.View
		}
	})
	if view == "" {
		t.Fatal("no view")
	}
	for _, row := range [][2]string{
		{`"seq":1,`, ``},
		{`"seq":1`, `"seq":1,"seq":1`},
		{`"seq":1`, `"seq":0`},
		{`"seq":1`, `"seq":1,"seal":null`},
		{`"seq":1`, `"seq":9007199254740992`},
		{`"links":64`, `"links":8193`},
		{`"links":64`, `"links":2`},
		{`"role":null`, `"role":1`},
		{`"state":"running"`, `"state":"finished"`},
		{`"state":"running"`, `"state":"aborted -"`},
		{`"pending":{`, `"pending":{"role":1,`},
		{`"actor":2,"faces":[6,6]}`, `"actor":3,"faces":[6,6]}`},
		{`"actor":2,"faces":[6,6]}`, `"actor":258,"faces":[6,6]}`},
		{`"actor":2,"faces":[6,6]}`, `"actor":2,"faces":[]}`},
		{`"actor":2,"faces":[6,6]}`, `"actor":2,"faces":[4294967296]}`},
		{`"actor":2,"faces":[6,6]}`, `"faces":[6,6]}`},
		{`"type":"move",`, `"type":"roll",`},
		{`"type":"move",`, `"type":"game",`},
		{`"type":"move",`, ``},
		{`"move":"24/19 8/7"`, `"move":""`},
		{`"move":"24/19 8/7"`, `"move":"a\nmove 1 b"`},
		{`"move":"24/19 8/7"`, `"move":" a"`},
		{`"move":"24/19 8/7"`, `"move":"\u00e9"`},
		{`"role":0,"index":3`, `"role":1,"index":3`},
		{`"role":0,"index":3`, `"index":3`},
		{`"role":0,"index":3`, `"role":0,"index":65`},
		{`"last":[`, `"last":null,"last":[`},
		{`"anchor":"`, `"anchor":"0`},
		{`"anchor":`, `"Anchor":`},
		{`"roles":[`, `"roles":[{},`},
		{`"match":"`, `"match":"0`},
		{`"scheme":"veridice/1"`, `"scheme":"tavli/1"`},
		{`"head":"`, `"head":"G`},
		{`"roll":1,"actor":1,"faces":[6,6],`, `"roll":1,"actor":1,`},
		{`"roll":1,"actor":1,"faces":[6,6],`, `"roll":1,"faces":[6,6],`},
		{`"roll":1,"actor":1,"faces":[6,6],`, `"roll":1,`},
		{`"roll":1,"actor":1,"faces":[6,6],`, `"roll":1,"role":1,"faces":[6,6],`},
		{`"roll":1,"actor":1,"faces":[6,6],`, `"roll":1,"actor":1,"faces":[6],`},
	} {
		if !strings.Contains(view, row[0]) {
			t.Errorf("the view does not hold %s", row[0])
			continue
		}
		if text, e := textOf(t, strings.Replace(view, row[0], row[1], 1)); e == nil {
			t.Errorf("with %s for %s it is read as\n%s", row[1], row[0], text)
		} else if e.Code != record.Syntax {
			t.Errorf("with %s: %v", row[1], e)
		}
	}
	for _, entry := range []string{
		`{"type":"roll","roll":1,"actor":1,"faces":[6,6],"dice":[1,1]}`, `{"type":"move","role":1,"move":"x"}`,
	} {
		if text, e := textOf(t, strings.Replace(openView, `"entries":[]`, `"entries":[`+entry+`]`, 1)); e == nil {
			t.Errorf("an entry of veridice/1 in a record of tavli/1 is read as\n%s", text)
		}
	}
}

// drawChain draws a record that has a text; whether anything in it fits is for
// package verify.
func drawChain(t *rapid.T) *record.Record {
	digest := func(name string) (b [32]byte) {
		copy(b[:], rapid.SliceOfN(rapid.Byte(), 32, 32).Draw(t, name))
		return b
	}
	c := &record.Chain{
		Seq: rapid.Uint64Range(1, 1<<53-1).Draw(t, "seq"), Rules: digest("rules"), Links: rapid.Uint32Range(1, 8192).Draw(t, "links"),
		Expires: rapid.Uint64Range(0, 1<<53-1).Draw(t, "expires"), Head: digest("head"), Silent: -1,
	}
	copy(c.ID[:], rapid.SliceOfN(rapid.Byte(), 16, 16).Draw(t, "match"))
	r := &record.Record{Scheme: "veridice/1", Match: seed.Hex(c.ID[:]), Chain: c, Sum: digest("sum"), Count: rapid.Uint64Range(0, record.MaxRolls).Draw(t, "count")}
	seats := rapid.IntRange(1, 16).Draw(t, "seats")
	actor := rapid.Custom(func(t *rapid.T) uint8 { return uint8(rapid.IntRange(0, seats).Draw(t, "role")) })
	faces := rapid.SliceOfN(rapid.Uint32Range(2, 1<<32-1), 1, 8)
	for range seats + 1 {
		c.Roles = append(c.Roles, record.Role{Anchor: digest("anchor"), Key: digest("key")})
		c.Last = append(c.Last, record.Last{Index: rapid.Uint32Range(0, c.Links).Draw(t, "index"), Link: digest("link")})
	}
	for range rapid.IntRange(0, 20).Draw(t, "entries") {
		e := record.Entry{Role: actor.Draw(t, "actor")}
		if rapid.Bool().Draw(t, "move") {
			e.Move = rapid.StringMatching(`[!-~]([ -~]{0,998}[!-~])?`).Draw(t, "text")
		} else {
			e.Number = rapid.Uint64Range(1, record.MaxRolls).Draw(t, "number")
			e.Faces = faces.Draw(t, "faces")
			for _, n := range e.Faces {
				e.Dice = append(e.Dice, rapid.Uint32Range(1, n).Draw(t, "die"))
			}
		}
		r.Entries = append(r.Entries, e)
	}
	r.State = rapid.SampledFrom([]record.State{record.Running, record.Finished, record.Aborted}).Draw(t, "state")
	if r.State != record.Finished && rapid.Bool().Draw(t, "pending") {
		c.Pending = &record.Pending{Number: rapid.Uint64Range(1, record.MaxRolls).Draw(t, "number"), Actor: actor.Draw(t, "actor"), Faces: faces.Draw(t, "faces")}
	}
	if r.State == record.Aborted && rapid.Bool().Draw(t, "silent") {
		c.Silent = int(actor.Draw(t, "silent role"))
	}
	name := rapid.StringMatching(`[!-*,-~\x{3b1}-\x{3c9}]{1,40}`)
	for range rapid.IntRange(0, 3).Draw(t, "signatures") {
		s := record.Signature{Name: name.Draw(t, "name"), Bytes: rapid.SliceOfN(rapid.Byte(), 1, 70).Draw(t, "signature")}
		copy(s.KeyID[:], rapid.SliceOfN(rapid.Byte(), 4, 4).Draw(t, "key id"))
		r.Signatures = append(r.Signatures, s)
	}
	return r
}

func TestAnyChainRecord(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := drawChain(t)
		text, err := r.MarshalText()
		if err != nil {
			t.Fatal(err)
		}
		back, err := record.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		sameChain(t, "text", back, r)
		if len(r.Signatures) != len(back.Signatures) || fmt.Sprint(r.Signatures) != fmt.Sprint(back.Signatures) {
			t.Fatalf("signatures: got %v, want %v", back.Signatures, r.Signatures)
		}
		view, err := r.MarshalView()
		if err != nil {
			t.Fatal(err)
		}
		if !json.Valid(view) {
			t.Fatalf("%s is no JSON", view)
		}
		if back, err = record.ParseView(view); err != nil {
			t.Fatal(err)
		}
		sameChain(t, "view", back, r)
	})
}

func sameChain(t *rapid.T, what string, got, want *record.Record) {
	plain := func(r *record.Record) string {
		c := *r.Chain
		pending := fmt.Sprint(c.Pending)
		c.Pending = nil
		return fmt.Sprint(r.Scheme, r.Match, r.Entries, r.Count, r.State, r.Sum, pending, c)
	}
	if plain(got) != plain(want) {
		t.Fatalf("%s: got\n%s, want\n%s", what, plain(got), plain(want))
	}
}

// TestChainMalleable changes every byte of a good text: what is still read is in
// the grammar, and marshals to the changed bytes.
func TestChainMalleable(t *testing.T) {
	text := []byte(chainTexts(t)[0])
	one := func(changed []byte) { checkParse(t, changed) }
	for i := range text {
		one(text[:i])
		one(append(bytes.Clone(text[:i]), text[i+1:]...))
		one(append(append(bytes.Clone(text[:i+1]), text[i]), text[i+1:]...))
		for _, bit := range []byte{1, 0x20, 0x80} {
			changed := bytes.Clone(text)
			changed[i] ^= bit
			one(changed)
		}
	}
}

func FuzzNote(f *testing.F) {
	for _, text := range chainTexts(f)[:40] {
		f.Add([]byte(text))
	}
	f.Add([]byte("a\n\n\u2014 b AAAAAAA=\n"))
	f.Add([]byte("\n\n\u2014 b AAAAAAA=\n"))
	f.Add([]byte("a\n\n\n\u2014 \u03b1 AAAAAAA=\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		checkParse(t, text)
		note, err := record.ParseNote(text)
		if err != nil {
			if note != nil {
				t.Fatal("an error and a note")
			}
			fault(t, err)
			return
		}
		if !bytes.Equal(note.Marshal(), text) {
			t.Fatalf("%q marshals to %q", text, note.Marshal())
		}
		if len(note.Signatures) < 1 || len(note.Signatures) > 100 || !bytes.HasSuffix(note.Text, []byte("\n")) {
			t.Fatalf("%q is no note", text)
		}
	})
}

func TestTooLong(t *testing.T) {
	text := chainTexts(t)[0]
	for _, long := range []string{
		text + strings.Repeat("x", 16<<20+1-len(text)), strings.Repeat("x", 16<<20+1), strings.Repeat("\n", 16<<20+1),
	} {
		if len(long) != 16<<20+1 {
			t.Fatal(len(long))
		}
		for name, read := range map[string]func() error{
			"record": func() error { _, err := record.Parse([]byte(long)); return err },
			"note":   func() error { _, err := record.ParseNote([]byte(long)); return err },
		} {
			if e := fault(t, read()); e.Code != record.TooLong {
				t.Errorf("%s: %v", name, e)
			}
		}
	}
}
