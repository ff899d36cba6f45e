package bet_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"strconv"
	"testing"

	"veridice/bet"
	"veridice/game"
	"veridice/internal/needs"
)

// A line is one of vectors/README.md, with the order of keys kept.
type line struct {
	bet.Bet
	grade string
	text  string
}

func readBets(t testing.TB, path string) []line {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var lines []line
	scanner := bufio.NewScanner(bytes.NewReader(b))
	scanner.Buffer(nil, 1<<20)
	for scanner.Scan() {
		lines = append(lines, parseLine(t, scanner.Bytes()))
	}
	return lines
}

func parseLine(t testing.TB, text []byte) line {
	t.Helper()
	var in struct {
		Site, Game, Variant, Seed, Grade string
		SealedAs                         string `json:"sealed_as"`
		Client                           *string
		Nonce, Cursor                    *uint64
		Params, Want                     json.RawMessage
	}
	if err := json.Unmarshal(text, &in); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	l := line{grade: in.Grade, text: string(text), Bet: bet.Bet{
		Site: in.Site, Game: in.Game, Variant: in.Variant, Seed: in.Seed, SealedAs: in.SealedAs,
		Client: in.Client, Nonce: in.Nonce, Cursor: in.Cursor,
	}}
	for _, k := range parseObject(t, in.Params) {
		l.Params = append(l.Params, game.Arg{Name: k.Name, Value: k.Value.String()})
	}
	l.Want = parseObject(t, in.Want)
	return l
}

func parseObject(t testing.TB, raw []byte) (keys []game.Key) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	if _, err := d.Token(); err != nil {
		t.Fatal(err)
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			t.Fatal(err)
		}
		var v any
		if err := d.Decode(&v); err != nil {
			t.Fatal(err)
		}
		keys = append(keys, game.Key{Name: name.(string), Value: value(t, v)})
	}
	return keys
}

func value(t testing.TB, v any) game.Value {
	switch v := v.(type) {
	case string:
		return game.Str(v)
	case bool:
		return game.Bool(v)
	case json.Number:
		n, err := strconv.ParseUint(string(v), 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		return game.Int(n)
	case []any:
		list := make([]game.Value, len(v))
		for i, e := range v {
			list[i] = value(t, e)
		}
		return game.Vals(list...)
	}
	t.Fatalf("%T is no value", v)
	return game.Value{}
}

// TestRecorded runs every bet that other people recorded, where those files are. The
// counts are those of the README beside them.
func TestRecorded(t *testing.T) {
	type counts struct{ proven, broken, unknown, seals int }
	for file, want := range map[string]counts{
		"stake.ndjson":     {667, 0, 0, 243},
		"duel.ndjson":      {316, 0, 0, 316},
		"bustabit.ndjson":  {500, 0, 0, 0},
		"liqd.ndjson":      {45, 0, 0, 38},
		"shuffle.ndjson":   {80, 0, 0, 0},
		"edges.ndjson":     {69, 0, 0, 10},
		"other.ndjson":     {2, 0, 9, 0},
		"misprints.ndjson": {0, 8, 0, 0},
	} {
		t.Run(file, func(t *testing.T) {
			var got counts
			for i, l := range readBets(t, needs.Shared(t, "vectors/"+file)) {
				r := bet.Check(l.Bet)
				switch r.Verdict {
				case bet.Proven:
					got.proven++
				case bet.Broken:
					got.broken++
				default:
					got.unknown++
				}
				if r.Seal == bet.Fits {
					got.seals++
				}
				if (r.Verdict == bet.Broken) != (l.grade == "misprint") {
					t.Errorf("line %d: %s %s %s: expected %s, got %s: %s", i+1, r.Verdict, r.Code, r.Key, r.Expected, r.Got, l.text)
				}
				if r.Verdict == bet.Unknown && file != "other.ndjson" {
					t.Errorf("line %d: %s %s (%s): %s", i+1, r.Code, r.Key, r.Allowed, l.text)
				}
			}
			if got != want {
				t.Errorf("got %+v, want %+v", got, want)
			}
		})
	}
}
