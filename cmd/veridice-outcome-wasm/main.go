//go:build js && wasm

// Command veridice-outcome-wasm hands the games to a page: the object veridice with
// outcome and selftest. It is a program of its own because whoever checks a match of
// dice needs no games. Plain objects go in and come out; there is no file, no socket
// and no clock behind it.
package main

import (
	"strconv"
	"syscall/js"

	"veridice/bet"
	"veridice/game"
	"veridice/seed"
)

func main() {
	js.Global().Set("veridice", map[string]any{
		"outcome":  js.FuncOf(func(_ js.Value, a []js.Value) any { return outcome(a[0]) }),
		"selftest": js.FuncOf(func(js.Value, []js.Value) any { return selftest() }),
	})
	select {} // a page calls as long as it lives
}

// read takes {site, game, variant, seed, sealed, client, nonce, cursor, params}: texts,
// null for a part that is not given, params as pairs of texts. The part that is no
// number of 64 bits comes back.
func read(o js.Value) (b bet.Bet, bad string) {
	b = bet.Bet{Site: o.Get("site").String(), Game: o.Get("game").String(), Variant: o.Get("variant").String(),
		Seed: o.Get("seed").String(), SealedAs: o.Get("sealed").String()}
	if v := o.Get("client"); !v.IsNull() {
		client := v.String()
		b.Client = &client
	}
	for name, to := range map[string]**uint64{"nonce": &b.Nonce, "cursor": &b.Cursor} {
		if v := o.Get(name); !v.IsNull() {
			n, err := strconv.ParseUint(v.String(), 10, 64)
			if err != nil {
				bad = name
			}
			*to = &n
		}
	}
	params := o.Get("params")
	for i := range params.Length() {
		b.Params = append(b.Params, game.Arg{Name: params.Index(i).Index(0).String(), Value: params.Index(i).Index(1).String()})
	}
	return b, bad
}

// outcome gives a bet with everything that its outcome was made of, and what a check
// against {key, text} of said comes to; or a code with what it is about.
func outcome(o js.Value) any {
	b, bad := read(o)
	if bad != "" {
		return map[string]any{"code": string(bet.BadNonce), "about": bad, "allowed": ""}
	}
	made, err := bet.Explain(b)
	if err != nil {
		code, about, allowed := bet.CodeOf(err)
		return map[string]any{"code": string(code), "about": about, "allowed": allowed}
	}
	blocks := make([]any, len(made.Stream.Blocks()))
	for i, block := range made.Stream.Blocks() {
		blocks[i] = map[string]any{"number": strconv.FormatUint(block.Number, 10), "message": seed.Hex(block.Message), "sum": seed.Hex(block.Sum),
			"from": block.From, "to": block.To}
	}
	words := make([]any, len(made.Words))
	for i, w := range made.Words {
		words[i] = w
	}
	steps := make([]any, len(made.Steps))
	for i, s := range made.Steps {
		steps[i] = []any{s.Name, s.Values, s.Result}
	}
	keys := make([]any, len(made.Outcome.Keys))
	for i, k := range made.Outcome.Keys {
		keys[i] = map[string]any{"name": k.Name, "value": value(k.Value), "text": k.Value.String()}
	}
	labels := make([]any, len(made.Outcome.Labels))
	for i, l := range made.Outcome.Labels {
		labels[i] = []any{l.Code, l.Key}
	}
	return map[string]any{
		"code": "", "scheme": made.Stream.Name, "key": seed.Hex(made.Stream.Key), "textKey": made.Stream.TextKey,
		"blocks": blocks, "used": made.Stream.Used(), "words": words, "steps": steps, "keys": keys, "labels": labels,
		"grade": made.Outcome.Grade.Kind, "count": made.Outcome.Grade.N, "check": check(b, made.Outcome, o.Get("said")),
	}
}

// check compares what the site said, if anything, and the seal, if there is one.
func check(b bet.Bet, made *game.Outcome, said js.Value) map[string]any {
	readable := true
	if !said.IsNull() {
		key, ok := made.Key(said.Get("key").String())
		want := game.Value{}
		if ok {
			want, ok = bet.ReadLike(key.Value, said.Get("text").String())
		}
		if readable = ok; ok {
			b.Want = []game.Key{{Name: key.Name, Value: want}}
		}
	}
	r := bet.Check(b)
	findings := make([]any, len(r.Findings))
	for i, f := range r.Findings {
		findings[i] = f
	}
	return map[string]any{"verdict": string(r.Verdict), "code": string(r.Code), "key": r.Key, "expected": r.Expected, "got": r.Got,
		"seal": string(r.Seal), "findings": findings, "readable": readable}
}

// value gives texts and lists of them; a number is a text too, since JavaScript's
// cannot hold all of them.
func value(v game.Value) any {
	if v.Kind != game.List {
		return v.String()
	}
	list := make([]any, len(v.List))
	for i, item := range v.List {
		list[i] = value(item)
	}
	return list
}

// selftest is "" or says what went wrong: examples of docs/spec/games.md, one recorded
// value that is wrong, and a rule that is not published.
func selftest() string {
	abc, stake, one, zero := "abc", "0beeaafc2e5364be411d4b7279923662", uint64(1), uint64(0)
	dice := bet.Bet{Site: "shuffle", Game: "dice", Seed: "def", Client: &abc, Nonce: &one, Want: []game.Key{{Name: "roll", Value: game.Dec("43.05")}}}
	plinko := bet.Bet{Site: "stake", Game: "plinko", Seed: "0c8f48139d81447799a5310edb9e5aac", Client: &stake, Nonce: &zero,
		Params: []game.Arg{{Name: "rows", Value: "8"}, {Name: "risk", Value: "low"}}, Want: []game.Key{{Name: "path", Value: game.Str("LRLLRLRL")}}}
	for _, b := range []bet.Bet{dice, plinko} {
		if bet.Check(b).Verdict != bet.Proven {
			return "an outcome that fits does not: " + b.Site + " " + b.Game
		}
	}
	dice.Want[0].Value = game.Dec("43.06")
	if r := bet.Check(dice); r.Code != bet.WrongOutcome || r.Expected != "43.05" {
		return "a wrong outcome is not found"
	}
	if r := bet.Check(bet.Bet{Site: "shuffle", Game: "crash", Seed: "def"}); r.Code != game.NotPublished {
		return "a rule that is not published is not refused"
	}
	return ""
}
