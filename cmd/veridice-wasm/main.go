//go:build js && wasm

// Command veridice-wasm hands the core to a page: the object veridice with verify,
// explain and selftest, and for a phone whose browser cannot sign makeKey, sign and
// verifySignature. Texts and plain objects go in and come out; there is no file, no
// socket, no clock and no chance behind it.
package main

import (
	"crypto/ed25519"
	"errors"
	"strconv"
	"syscall/js"

	"veridice/checkpoint"
	"veridice/record"
	"veridice/seed"
	"veridice/verify"
)

func main() {
	js.Global().Set("veridice", map[string]any{
		"verify":   js.FuncOf(func(_ js.Value, a []js.Value) any { return object(verify.Text([]byte(a[0].String()), options(a[1]))) }),
		"explain":  js.FuncOf(func(_ js.Value, a []js.Value) any { return explain(a[0].String(), a[1].Int()) }),
		"selftest": js.FuncOf(func(js.Value, []js.Value) any { return selftest() }),
		"makeKey":  js.FuncOf(func(_ js.Value, a []js.Value) any { return makeKey(a[0].String()) }),
		"sign":     js.FuncOf(func(_ js.Value, a []js.Value) any { return sign(a[0].String(), a[1].String()) }),
		"verifySignature": js.FuncOf(func(_ js.Value, a []js.Value) any {
			return verifySignature(a[0].String(), a[1].String(), a[2].String())
		}),
	})
	select {} // a page calls as long as it lives
}

// options reads {seal, kept, rolls, number, heads, policy}; what is missing is not given.
func options(o js.Value) verify.Options {
	out := verify.Options{Kept: o.Get("kept").Truthy()}
	if v := o.Get("seal"); v.Truthy() {
		if seal, err := seed.ParseSeal(v.String()); err == nil {
			out.Seal = &seal
		}
	}
	if v := o.Get("number"); v.Truthy() {
		out.Number = v.Int()
	}
	if v := o.Get("heads"); v.Truthy() {
		for i := range v.Length() {
			out.Heads = append(out.Heads, []byte(v.Index(i).String()))
		}
	}
	if v := o.Get("policy"); v.Truthy() {
		p, err := checkpoint.ParsePolicy([]byte(v.String()))
		if err == nil {
			out.Policy = p
		} else if !errors.As(err, &out.PolicyFault) {
			panic("veridice: internal error: " + err.Error())
		}
	}
	if v := o.Get("rolls"); v.Truthy() {
		out.Rolls = make([][]uint32, v.Length())
		for i := range out.Rolls {
			for j := range v.Index(i).Length() {
				out.Rolls[i] = append(out.Rolls[i], uint32(v.Index(i).Index(j).Int()))
			}
		}
	}
	return out
}

// object gives what both engines must agree on: the verdict, the computed dice of each
// roll as digits, and of veridice/1 who signed and what vouches.
func object(r *verify.Report) map[string]any {
	computed := make([]any, len(r.Compared))
	for i, c := range r.Compared {
		computed[i] = digits(c.Computed)
	}
	signed, account := make([]any, len(r.Signed)), make([]any, len(r.Account))
	for i, role := range r.Signed {
		signed[i] = role
	}
	for i, by := range r.Account {
		account[i] = by
	}
	return map[string]any{
		"verdict": string(r.Verdict), "code": string(r.Code), "place": r.Place.String(), "scheme": r.Scheme,
		"rolls": r.Rolls, "fit": r.Fit, "source": string(r.Source), "computed": computed,
		"signed": signed, "account": account, "began": logged(r.Began), "closed": logged(r.Closed),
	}
}

// logged gives what a receipt says, or null.
func logged(l *verify.Logged) any {
	if l == nil {
		return nil
	}
	// Numbers of a log stay below 2^53.
	return map[string]any{"origin": l.Origin, "index": float64(l.Index), "size": float64(l.Size), "witnesses": l.Witnesses, "time": float64(l.Time)}
}

func digits(dice []uint32) string {
	var b []byte
	for _, d := range dice {
		b = strconv.AppendUint(b, uint64(d), 10)
	}
	return string(b)
}

// explain gives the blocks of one roll, in hex, and its dice, or null.
func explain(text string, number int) any {
	report := verify.Text([]byte(text), verify.Options{})
	if report.Record == nil || report.Seal == nil {
		return nil
	}
	made, err := verify.Explain(report.Record, uint64(number))
	if err != nil {
		return nil
	}
	blocks := make([]any, len(made.Blocks))
	for i, b := range made.Blocks {
		blocks[i] = seed.Hex(b.Sum[:])
	}
	return map[string]any{"dice": digits(made.Dice), "blocks": blocks, "used": made.Used}
}

// private reads a secret, 32 bytes in hex; nil if it is none.
func private(secret string) ed25519.PrivateKey {
	b, ok := seed.ParseHex(secret)
	if !ok || len(b) != ed25519.SeedSize {
		return nil
	}
	return ed25519.NewKeyFromSeed(b)
}

// makeKey gives the public key of a secret, in hex, or null. The page draws the secret.
func makeKey(secret string) any {
	key := private(secret)
	if key == nil {
		return nil
	}
	return seed.Hex(key[ed25519.SeedSize:])
}

// sign gives the signature of a secret on an ASCII text, in hex, or null.
func sign(secret, text string) any {
	key := private(secret)
	if key == nil {
		return nil
	}
	return seed.Hex(ed25519.Sign(key, []byte(text)))
}

// verifySignature reports whether a signature in hex holds, by the rules of [verify.Signed].
func verifySignature(key, text, signature string) bool {
	k, okKey := seed.ParseHex(key)
	s, okSignature := seed.ParseHex(signature)
	return okKey && okSignature && len(k) == ed25519.PublicKeySize && verify.Signed([]byte(text), [32]byte(k), s)
}

// The opening example of docs/spec/tavli.md.
const (
	example = "#v=1&s=c149c301f8134a320da3e36748bb70c14850c75fc8ab0dc1e36460fa89070300" +
		"&c=76243eb20b5ad494780afead6d49b5f826775834b0b12ddafe12819ca4608a63" +
		"&p=f24279610d6b8b1362d85c3ddec7f24e,d60062c1d2fe5d3f376829416b34be90&r="
	good = "213216213333262333341666"
	bad  = "213216213333262333341665"
)

// selftest is "" or says what went wrong: a match that fits must fit, and one that does
// not must be found out at its very roll.
func selftest() string {
	if r := verify.Text([]byte(example+good+"&g=7,5"), verify.Options{}); r.Verdict != verify.Proven || r.Fit != 12 {
		return "a match that fits does not"
	}
	r := verify.Text([]byte(example+bad+"&g=7,5"), verify.Options{})
	if r.Code != verify.WrongDice || r.Place != (verify.Place{Kind: "roll", Number: 12}) {
		return "a wrong roll is not found"
	}
	if r := verify.Text([]byte(example+bad[1:]+"&g=7,5"), verify.Options{}); r.Code != record.OddRolls {
		return "a cut link is not noticed"
	}
	return ""
}
