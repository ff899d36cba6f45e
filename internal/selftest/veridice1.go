package selftest

import (
	"encoding/json"
	"slices"

	"veridice/record"
	"veridice/roll"
	"veridice/scheme"
	"veridice/seed"
	"veridice/verify"
)

// chainFields are those that only vectors of veridice/1 have.
type chainFields struct {
	Opening, Head, Ctx, After, Code, Place, Signature, Match string
	Heads, Notes                                             []string
	Actor, Role                                              uint8
	Length                                                   uint32
	Valid                                                    bool
	Links, Faces, Last                                       json.RawMessage
}

// blocks are those of a classic roll. Those of veridice/1, which lists sums alone,
// are left out: its dice follow from them.
type blocks []struct{ Message, Mac string }

// UnmarshalJSON reads either.
func (b *blocks) UnmarshalJSON(text []byte) error {
	var sums []string
	if json.Unmarshal(text, &sums) == nil {
		return nil
	}
	var list []struct{ Message, Mac string }
	err := json.Unmarshal(text, &list)
	*b = list
	return err
}

// checkVeridice1 runs what a program that checks matches of veridice/1 relies on:
// chains, rolls, signatures, records and evidence.
func checkVeridice1(v *vector) outcome {
	switch v.Kind {
	case "chain":
		return checkChain(v)
	case "roll":
		return checkChainRoll(v)
	case "ed25519":
		return is(verify.Signed(unhex(v.Message), digest(v.Key), unhex(v.Signature)) == v.Valid)
	case "record":
		o := verify.Options{}
		for _, h := range v.Heads {
			o.Heads = append(o.Heads, []byte(h))
		}
		if v.Opening != "" {
			opening := seed.Seal(digest(v.Opening))
			o.Seal = &opening
		}
		got := verify.Text([]byte(v.Text), o)
		return is(got.Verdict == v.Want.Verdict && got.Code == v.Want.Code && got.Place.String() == v.Want.Place &&
			slices.Equal(got.Signed, v.Want.Signed) && slices.Equal(got.Account, v.Want.Account))
	case "evidence":
		if len(v.Notes) != 2 {
			return failed
		}
		code, place := verify.Evidence([]byte(v.Notes[0]), []byte(v.Notes[1]), digest(v.Key))
		return is(string(code) == v.Code && place.String() == v.Place)
	}
	return skipped
}

func digest(text string) (b [32]byte) {
	copy(b[:], unhex(text))
	return b
}

func checkChain(v *vector) outcome {
	var links []struct {
		Index uint32
		Link  string
	}
	var last string
	if json.Unmarshal(v.Links, &links) != nil || json.Unmarshal(v.Last, &last) != nil || len(links) == 0 {
		return failed
	}
	match := scheme.Match(unhex(v.Match))
	chain, err := scheme.NewChain(match, v.Role, digest(last), v.Length)
	if err != nil {
		return failed
	}
	for _, l := range links {
		if chain.Link(l.Index) != digest(l.Link) {
			return failed
		}
	}
	return passed
}

func checkChainRoll(v *vector) outcome {
	var names []string
	var faces []uint32
	if json.Unmarshal(v.Links, &names) != nil || json.Unmarshal(v.Faces, &faces) != nil {
		return failed
	}
	var links []scheme.Link
	var plain [][32]byte
	for _, name := range names {
		links, plain = append(links, digest(name)), append(plain, digest(name))
	}
	number := mustDecimal(v.Roll)
	head := record.Head(digest(v.Head))
	context := scheme.Context(digest(v.Opening), head, uint32(number), v.Actor, faces)
	made, err := roll.Chain(number, context, links, faces)
	return is(err == nil && seed.Hex(context[:]) == v.Ctx && slices.Equal(made.Dice, v.Dice) &&
		head.Rolled(context, plain, made.Dice).String() == v.After)
}
