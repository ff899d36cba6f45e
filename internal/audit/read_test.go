package audit

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"veridice/bet"
	"veridice/game"
)

// input is a file in memory.
func input(name, text string) Input {
	return Input{name, func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil }}
}

const good = `{"site":"shuffle","game":"plinko","seed":"def","client":"abc","nonce":0,"params":{"rows":8},"want":{"path":"RRLRLRRL","slot":5}}`

// TestFaults has one fault a line, with the column where it stands.
func TestFaults(t *testing.T) {
	with := func(old, new string) string {
		if strings.Count(good, old) != 1 {
			t.Fatalf("%s stands %d times in the line", old, strings.Count(good, old))
		}
		return strings.Replace(good, old, new, 1)
	}
	for name, c := range map[string]struct {
		line, code string
		column     int
	}{
		"nothing":            {`{}`, MissingField, 3},
		"a list":             {`[1]`, BadJSON, 1},
		"cut":                {good[:len(good)-1], BadJSON, len(good)},
		"more behind it":     {good + "}", BadJSON, len(good) + 1},
		"comma at the end":   {with(`"slot":5}`, `"slot":5,}`), BadJSON, strings.Index(good, `"slot":5`) + 10},
		"comma in a list":    {with(`"slot":5`, `"cells":[1,]`), BadJSON, strings.Index(good, `"slot"`) + 12},
		"a field twice":      {with(`"params"`, `"nonce"`), Duplicate, strings.Index(good, `"params"`) + 1},
		"a parameter twice":  {with(`"rows":8`, `"rows":8,"rows":9`), Duplicate, strings.Index(good, `"rows"`) + 10},
		"the same, escaped":  {with(`"rows":8`, `"rows":8,"r\u006fws":9`), Duplicate, strings.Index(good, `"rows"`) + 10},
		"an outcome twice":   {with(`"slot":5`, `"path":"L"`), Duplicate, strings.Index(good, `"slot"`) + 1},
		"unknown twice":      {with(`"nonce":0`, `"nonce":0,"x":1,"x":2`), Duplicate, strings.Index(good, `"params"`) + 7},
		"twice deep inside":  {with(`"nonce":0`, `"nonce":0,"x":[{"y":1,"y":2}]`), Duplicate, strings.Index(good, `"params"`) + 13},
		"escape":             {with(`"abc"`, `"a\xc"`), BadEscape, strings.Index(good, `"abc"`) + 3},
		"hex of an escape":   {with(`"abc"`, `"a\u00gc"`), BadEscape, strings.Index(good, `"abc"`) + 3},
		"lone high":          {with(`"abc"`, `"a\ud800"`), LoneSurrogate, strings.Index(good, `"abc"`) + 3},
		"lone low":           {with(`"abc"`, `"a\udc00b"`), LoneSurrogate, strings.Index(good, `"abc"`) + 3},
		"high and high":      {with(`"abc"`, `"a\ud800\ud800"`), LoneSurrogate, strings.Index(good, `"abc"`) + 3},
		"bytes":              {with(`"abc"`, "\"\u00e9\xff\""), BadUTF8, strings.Index(good, `"abc"`) + 3},
		"bytes in a name":    {with(`"nonce":0`, "\"nonce\":0,\"\xc0\xaf\":1"), BadUTF8, strings.Index(good, `"params"`) + 2},
		"a tab in a text":    {with(`"abc"`, "\"a\tc\""), BadText, strings.Index(good, `"abc"`) + 3},
		"a fraction":         {with(`"nonce":0`, `"nonce":1.0`), BadNumber, strings.Index(good, `"nonce"`) + 9},
		"a power":            {with(`"nonce":0`, `"nonce":1e2`), BadNumber, strings.Index(good, `"nonce"`) + 9},
		"minus":              {with(`"nonce":0`, `"nonce":-0`), BadNumber, strings.Index(good, `"nonce"`) + 9},
		"a zero in front":    {with(`"nonce":0`, `"nonce":01`), BadNumber, strings.Index(good, `"nonce"`) + 9},
		"2^63":               {with(`"nonce":0`, `"nonce":9223372036854775808`), BadNumber, strings.Index(good, `"nonce"`) + 9},
		"2^64":               {with(`"nonce":0`, `"nonce":18446744073709551616`), BadNumber, strings.Index(good, `"nonce"`) + 9},
		"a nonce of text":    {with(`"nonce":0`, `"nonce":"0"`), WrongType, strings.Index(good, `"nonce"`) + 9},
		"a site of null":     {with(`"site":"shuffle"`, `"site":null`), WrongType, 9},
		"a seed of a number": {with(`"seed":"def"`, `"seed":1`), WrongType, strings.Index(good, `"seed"`) + 8},
		"no object":          {with(`{"rows":8}`, `[8]`), WrongType, strings.Index(good, `{"rows"`) + 1},
		"null in it":         {with(`"rows":8`, `"rows":null`), WrongType, strings.Index(good, `"rows"`) + 8},
		"a double":           {with(`"slot":5`, `"slot":5.5`), BadNumber, strings.Index(good, `"slot"`) + 8},
		"brackets":           {with(`"nonce":0`, `"x":`+strings.Repeat("[", 100_000)), TooDeep, strings.Index(good, `"nonce"`) + 22},
		"brackets in want":   {with(`"slot":5`, `"cells":`+strings.Repeat("[", 100_000)), TooDeep, strings.Index(good, `"slot"`) + 25},
	} {
		t.Run(name, func(t *testing.T) {
			r := Run([]Input{input("a", good+"\n"+c.line+"\n"+good)}, Options{Workers: 1})
			if len(r.Reasons) != 1 || r.Proven != 2 || r.Unknown != 1 || r.Bets != 3 {
				t.Fatalf("got %+v", r)
			}
			why := r.Reasons[0]
			if why.Code != c.code || why.First != (Place{"a", 2, c.column}) {
				t.Errorf("got %s at %v, want %s at column %d: %.200s", why.Code, why.First, c.code, c.column, c.line)
			}
		})
	}
}

// TestFilesWithMarks are entries 13 and 35 of the list of hostile inputs.
func TestFilesWithMarks(t *testing.T) {
	zip := func(text string) string {
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		w.Write([]byte(text))
		w.Close()
		return b.String()
	}
	zst := func(text string) string {
		e, err := zstd.NewWriter(nil)
		if err != nil {
			t.Fatal(err)
		}
		return string(e.EncodeAll([]byte(text), nil))
	}
	csv := "site,game,seed,client,nonce,params.rows,want.slot,want.path\nshuffle,plinko,def,abc,0,8,5,RRLRLRRL\n"
	blanks := strings.Repeat(" ", 32<<20)
	for name, c := range map[string]struct {
		text            string
		proven, unknown uint64
		code            string
		line            int
	}{
		"plain":         {good + "\n", 1, 0, "", 0},
		"no line end":   {good, 1, 0, "", 0},
		"blank lines":   {"\n\n  \r\n" + good + "\r\n\r\n", 1, 0, "", 0},
		"mark":          {"\ufeff" + good, 1, 0, "", 0},
		"empty":         {"", 0, 1, NoBets, 0},
		"only blanks":   {"  \n \n", 0, 1, NoBets, 0},
		"UTF-16":        {"\xff\xfe{\x00", 0, 1, UTF16, 1},
		"csv":           {csv, 1, 0, "", 0},
		"csv, mark":     {"\ufeff" + strings.ReplaceAll(csv, "\n", "\r\n"), 1, 0, "", 0},
		"csv, CR":       {strings.ReplaceAll(csv, "\n", "\r"), 0, 1, CROnly, 1},
		"csv, header":   {"site,game,seed,client,nonce\n", 0, 1, NoBets, 0},
		"two columns":   {"site,game,seed,seed\n", 0, 1, BadHeader, 1},
		"no game":       {"site,seed,nonce\n", 0, 1, BadHeader, 1},
		"garbage":       {"hello\n" + good, 1, 1, BadJSON, 1},
		"gzip":          {zip(good + "\n" + good), 2, 0, "", 0},
		"gzip, two":     {zip(good+"\n") + zip(good), 2, 0, "", 0},
		"gzip, cut":     {zip(good + "\n" + good)[:60], 0, 1, Unreadable, 1},
		"gzip, blanks":  {zip(blanks), 0, 1, TooLong, 1},
		"gzip, bomb":    {zip(good + "\n" + blanks + "\n" + good), 2, 1, TooLong, 2},
		"gzip, header":  {"\x1f\x8b\x08", 0, 1, Unreadable, 1},
		"zstd":          {zst(good + "\n" + good), 2, 0, "", 0},
		"zstd, cut":     {zst(good)[:20], 0, 1, Unreadable, 1},
		"zstd, bomb":    {zst(good + "\n" + blanks + "\n" + good), 2, 1, TooLong, 2},
		"long line":     {good + "\n" + blanks[:MaxLine+1] + "x\n" + good, 2, 1, TooLong, 2},
		"longer line":   {good + "\n" + blanks[:MaxLine+MaxLine/2] + "x\n" + good, 2, 1, TooLong, 2},
		"just so long":  {good + "\n" + good + blanks[:MaxLine-len(good)] + "\n" + good, 3, 0, "", 0},
		"zeros":         {strings.Repeat("\x00", 5<<20), 0, 1, TooLong, 1},
		"binary":        {"\x89PNG\r\n\x1a\n" + good, 1, 2, BadJSON, 1},
		"windows-1253":  {strings.Replace(good, "abc", "\xe1\xe2", 1), 0, 1, BadUTF8, 1},
		"csv, bytes":    {strings.Replace(csv, "abc", "\xe1", 1), 0, 1, BadUTF8, 2},
		"csv, fields":   {csv + "shuffle,plinko,def,abc,0,8\n" + csv[strings.Index(csv, "\n")+1:], 2, 1, FieldNumber, 3},
		"csv, quote":    {csv + "shuffle,plinko,\"def,abc,0,8,5,RRLRLRRL\n" + csv[strings.Index(csv, "\n")+1:], 2, 1, BadQuote, 3},
		"csv, in field": {csv + "shuffle,plinko,d\"ef,abc,0,8,5,RRLRLRRL\n" + csv[strings.Index(csv, "\n")+1:], 2, 1, BadQuote, 3},
		"csv, behind":   {csv + "shuffle,plinko,\"def\"x,abc,0,8,5,RRLRLRRL\n" + csv[strings.Index(csv, "\n")+1:], 2, 1, BadQuote, 3},
		"csv, cut":      {"site,game,seed,client,nonce,want.roll\nshuffle,dice,def,abc,1,43.0", 0, 1, NotEnded, 2},
		"csv, no end":   {csv[:len(csv)-1], 1, 0, "", 0},
		"csv, number":   {csv + "shuffle,plinko,def,abc,01,8,5,\n", 1, 1, BadNumber, 3},
	} {
		t.Run(name, func(t *testing.T) {
			for _, workers := range []int{1, 3} {
				r := Run([]Input{input("a", c.text)}, Options{Workers: workers})
				if r.Proven != c.proven || r.Unknown != c.unknown || r.Broken > 0 {
					t.Fatalf("got %d proven, %d broken, %d unknown: %+v", r.Proven, r.Broken, r.Unknown, r.Reasons)
				}
				if c.code == TooLong && r.Bets != c.proven+c.unknown {
					t.Errorf("%d bets", r.Bets)
				}
				if c.code != "" && (r.Reasons[0].Code != c.code || r.Reasons[0].First.Line != c.line) {
					t.Errorf("got %+v", r.Reasons)
				}
			}
		})
	}
}

// TestCSVAsRFC has what RFC 4180 allows, and what an empty field is.
func TestCSVAsRFC(t *testing.T) {
	h, f := newHeader([]byte(`"site",game,seed,client,nonce,want.roll,want.cells,want.win,"params.a,b"`))
	if f != nil {
		t.Fatal(f)
	}
	var d csvReader
	var r row
	if f := d.read(h, []byte("stake,dice,\"a\"\"b,\r\nc\",\"\",3,43.05,\"[1,[\"\"x\"\"]]\",true,7"), true, &r); f != nil {
		t.Fatal(f)
	}
	b := r.bet()
	if b.Site != "stake" || b.Seed != "a\"b,\r\nc" || *b.Client != "" || *b.Nonce != 3 || b.Params[0] != (game.Arg{Name: "a,b", Value: "7"}) {
		t.Errorf("got %+v", b)
	}
	if v := b.Want[1].Value; v.Kind != game.List || v.List[0].Int != 1 || v.List[1].List[0].Text != "x" {
		t.Errorf("list: %+v", v)
	}
	if b.Want[0].Value.Kind != game.Text || b.Want[2].Value.Kind != game.Boolean {
		t.Errorf("got %+v", b.Want)
	}
	if f := d.read(h, []byte("stake,dice,s,,,,,,"), true, &r); f != nil || r.hasClient || r.hasNonce || len(r.want)+len(r.params) > 0 {
		t.Errorf("empty fields: %v %+v", f, r.bet())
	}
	if f := d.read(h, []byte("stake,dice,,,,,,,"), true, &r); f == nil || f.code != MissingField || f.about != "seed" {
		t.Errorf("no seed: %v", f)
	}
}

// TestRecordsOverLines: a client seed with a line end is one record wherever a
// chunk ends, and the lines behind it keep their numbers.
func TestRecordsOverLines(t *testing.T) {
	for _, pad := range []int{0, chunkSize - 400, chunkSize - 300, chunkSize - 200} {
		text := "site,game,seed,client,nonce,want.roll\n" + strings.Repeat("\n", pad) +
			strings.Repeat("stake,dice,seed,\"a\r\nb\",1,5.00\n", 20) + "stake,dice,seed,x\n"
		r := Run([]Input{input("a", text)}, Options{Workers: 2})
		if r.Bets != 21 || r.Broken != 20 || r.Unknown != 1 || r.Reasons[0].First.Line != 2+pad+40 {
			t.Errorf("pad %d: got %+v", pad, r)
		}
	}
}

// TestRecordEnds has texts of three columns and where their first record ends.
func TestRecordEnds(t *testing.T) {
	long := strings.Repeat("x", maxRecord)
	for _, c := range []struct {
		text string
		last bool
		want int
	}{
		{"a,b,c\nd", false, 6}, {"a,b,c", false, 0}, {"a,b,c", true, 5}, {"\n", false, 1},
		{"a,\"b\nc\",d\ne", false, 10}, {"a,\"b\nc\",d\r\ne", false, 11}, {"a,\"b\nc\",d", true, 9}, {"a,\"b\nc\",d", false, 0},
		{"a,b,\"c\nd\"", true, 9}, {"a,b,\"c\nd\"", false, 0}, {"a,b,\"c\n\"\"d\"\ne", false, 12},
		{"a,\"b\nc\"\nd,e,f\n", false, 5},             // two fields: only the first line is bad
		{"a,\"b\nc\",d,e\n", false, 5},                // four
		{"a,\"b\nc\"x,d\n", false, 5},                 // text behind the mark
		{"a,\"b\nc\n", true, 5},                       // no mark
		{"a,\"b\nc\n", false, 0},                      // not yet
		{"a,\"b\n" + long, false, 5},                  // too far
		{"a,\"b\n" + long[9:] + "\",\"c\n", false, 5}, // its mark is, too
		{"a\"b,c,d\n\"", false, 8},
	} {
		if got := record([]byte(c.text), 3, c.last); got != c.want {
			t.Errorf("%.40q, last %v: got %d want %d", c.text, c.last, got, c.want)
		}
	}
}

// encode writes a row as canonical NDJSON, by encoding/json.
func encode(t testing.TB, r *row) []byte {
	object := func(list []field) json.RawMessage {
		var b bytes.Buffer
		b.WriteByte('{')
		for i, f := range list {
			if i > 0 {
				b.WriteByte(',')
			}
			name, _ := json.Marshal(string(f.name))
			b.Write(name)
			b.WriteByte(':')
			b.Write(f.value().AppendJSON(nil))
		}
		b.WriteByte('}')
		return b.Bytes()
	}
	in := map[string]any{
		"site": string(r.site), "game": string(r.game), "seed": string(r.seed), "client": nil, "nonce": nil,
		"params": object(r.params), "want": object(r.want),
	}
	for name, v := range map[string][]byte{"variant": r.variant, "sealed_as": r.sealed, "next_sealed_as": r.next, "at": r.at, "revealed_at": r.revealed} {
		if len(v) > 0 {
			in[name] = string(v)
		}
	}
	if r.hasClient {
		in["client"] = string(r.client)
	}
	if r.hasNonce {
		in["nonce"] = r.nonce
	}
	if r.hasCursor {
		in["cursor"] = r.cursor
	}
	text, err := json.Marshal(in)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func FuzzNDJSON(f *testing.F) {
	f.Add([]byte(good))
	f.Add([]byte(`{"site":"a\u00e9\ud83c\udfb2","game":"b","seed":"\"\\\/\b","client":null,"nonce":9223372036854775807,"params":{"x":[1,"y",[true]]},"want":{},"z":[{"q":-1.5e+3}]}`))
	if text, err := os.ReadFile("../../vectors/games/recorded.ndjson"); err == nil {
		for _, line := range bytes.Split(text, []byte("\n")) {
			f.Add(line)
		}
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		var d, again decoder
		var r, s row
		fault := d.read(line, &r)
		if fault != nil {
			if fault.column < 1 || fault.column > len(line)+1 {
				t.Fatalf("column %d", fault.column)
			}
			return
		}
		if !json.Valid(line) {
			t.Fatal("taken, and not JSON")
		}
		text := encode(t, &r)
		if fault := again.read(text, &s); fault != nil {
			t.Fatalf("%s: %+v", text, fault)
		}
		if twice := encode(t, &s); !bytes.Equal(text, twice) {
			t.Fatalf("%s became %s", text, twice)
		}
		// What encoding/json makes of the texts is the same.
		var want struct{ Site, Seed string }
		if err := json.Unmarshal(line, &want); err == nil && (want.Seed != string(r.seed) || want.Site != string(r.site)) && !strings.Contains(strings.ToLower(string(line)), `\u00`) {
			if !foldsAnother(line) {
				t.Fatalf("seed %q, encoding/json has %q", r.seed, want.Seed)
			}
		}
		c := newChecker()
		b := r.bet()
		if _, proven := c.fast(&r, false); proven && bet.Check(b).Verdict != bet.Proven {
			t.Fatal("the fast way calls it proven, package bet does not")
		}
	})
}

// foldsAnother: encoding/json takes SEED for seed.
func foldsAnother(line []byte) bool {
	folded := strings.ToLower(strings.NewReplacer("ſ", "s", "K", "k").Replace(string(line)))
	return strings.Count(folded, `"seed"`) > 1 || strings.Count(folded, `"site"`) > 1
}

func FuzzCSV(f *testing.F) {
	f.Add([]byte("site,game,seed,client,nonce,want.roll\nstake,dice,\"a\"\"b\",\"\",3,43.05\n"))
	f.Add([]byte("site,game,seed\n\"a,\n\"b\"\n\"\",\"\"\"\"\n"))
	f.Add([]byte("0,\"\n\",\"\""))
	f.Fuzz(func(t *testing.T, text []byte) {
		var whole []string
		columns := 3
		for rest := text; len(rest) > 0; {
			n := record(rest, columns, true)
			if n <= 0 || n > len(rest) {
				t.Fatalf("a record of %d bytes", n)
			}
			whole = append(whole, string(rest[:n]))
			rest = rest[n:]
		}
		// The same records whatever comes in one piece.
		for cut := 0; cut < len(text); cut += 1 + len(text)/16 {
			n := 0
			for i := 0; n < cut; i++ {
				m := record(text[n:cut], columns, false)
				if m == 0 {
					break
				}
				if string(text[n:n+m]) != whole[i] {
					t.Fatalf("cut at %d: record %q, want %q", cut, text[n:n+m], whole[i])
				}
				n += m
			}
		}
		line, rest, _ := bytes.Cut(text, []byte("\n"))
		h, _ := newHeader(line)
		if h == nil {
			return
		}
		var d csvReader
		var r, s row
		for len(rest) > 0 {
			n := record(rest, len(h.columns), true)
			if fault := d.read(h, trimEnd(rest[:n]), true, &r); fault == nil {
				var j decoder
				text := encode(t, &r)
				if fault := j.read(text, &s); fault != nil && fault.code != Duplicate && fault.code != TooMany {
					t.Fatalf("%s: %+v", text, fault)
				} else if fault == nil && !bytes.Equal(text, encode(t, &s)) {
					t.Fatalf("%s became another", text)
				}
			}
			rest = rest[n:]
		}
		Run([]Input{input("a", string(text))}, Options{Workers: 1})
	})
}

// TestFastIsTrue: over all vectors and changed ones, what
// the fast way calls proven is proven.
func TestFastIsTrue(t *testing.T) {
	text, err := os.ReadFile("../../vectors/games/bets.ndjson")
	if err != nil {
		t.Fatal(err)
	}
	var d decoder
	var r row
	c := newChecker()
	taken := map[string]int{}
	for _, line := range bytes.Split(bytes.TrimSpace(text), []byte("\n")) {
		for _, changed := range []string{
			string(line), strings.Replace(string(line), `"client":"`, `"client":"x`, 1), strings.Replace(string(line), `"nonce":`, `"nonce":1`, 1),
			strings.Replace(string(line), `"want":{"`, `"want":{"x":1,"`, 1), strings.Replace(string(line), `"params":{`, `"params":{"y":"1",`, 1),
			strings.Replace(string(line), `"site":"shuffle"`, `"site":"stake"`, 1), strings.Replace(string(line), `"site":"stake"`, `"site":"shuffle"`, 1),
			strings.Replace(string(line), `"seed":"`, `"seed":"0`, 1),
		} {
			if f := d.read([]byte(changed), &r); f != nil {
				continue
			}
			b := r.bet()
			got := bet.Check(b)
			_, proven := c.fast(&r, false)
			if proven && (got.Verdict != bet.Proven || got.Seal != c.fit) {
				t.Errorf("called proven, seal %s: %s", c.fit, changed)
			}
			if proven && changed == string(line) {
				taken[b.Site+" "+b.Game]++
			}
		}
	}
	for _, name := range []string{"stake dice", "stake primedice", "shuffle dice", "shuffle limbo", "shuffle roulette", "stake roulette", "shuffle wheel", "shuffle plinko", "stake plinko"} {
		if taken[name] == 0 {
			t.Errorf("no bet of %s takes the fast way: %v", name, taken)
		}
	}
	for _, c := range []struct {
		text string
		k    kind
		h    uint64
		want bool
	}{
		{"43.05", textKind, 4305, true}, {"43.050", textKind, 4305, true}, {"43.051", textKind, 4305, false}, {"43", intKind, 4300, true}, {"0043.05", textKind, 4305, true},
		{"43.", textKind, 4300, false}, {".5", textKind, 50, false}, {"", textKind, 0, false}, {"4.3.0", textKind, 430, false}, {"-1", textKind, 100, false},
		{"1e2", textKind, 10000, false}, {"0", textKind, 0, true}, {"43.5", boolKind, 4350, false},
	} {
		if got := isHundredths(field{text: []byte(c.text), kind: c.k}, c.h); got != c.want {
			t.Errorf("%q is %d hundredths: %v", c.text, c.h, got)
		}
	}
}

func TestShortNames(t *testing.T) {
	var lines strings.Builder
	for i := range 3 * maxReasons {
		fmt.Fprintf(&lines, `{"site":"%s%d","game":"dice","seed":"s","want":{}}`+"\n", strings.Repeat("é", i%60), i)
	}
	r := Run([]Input{input("a", lines.String())}, Options{Workers: 2})
	if len(r.Reasons) > maxReasons+1 || r.Unknown != 3*maxReasons {
		t.Errorf("%d reasons for %d lines", len(r.Reasons), r.Unknown)
	}
	for _, why := range r.Reasons {
		if len(why.About) > 50 {
			t.Errorf("about %q", why.About)
		}
	}
}
