// Package gametest is the contract that every game of the table passes.
package gametest

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"strconv"
	"testing"

	"veridice/draw"
	"veridice/game"
)

// A Source is an endless stream of a named SHA-256 counter stream in blocks of
// any size: block n is made of what follows from (name, n).
type Source struct {
	Name  string
	Size  int // bytes of a block, at most 32
	block uint64
	rest  []byte
	Taken int
}

// Byte gives the next byte.
func (s *Source) Byte() byte {
	if len(s.rest) == 0 {
		sum := sha256.Sum256(binary.BigEndian.AppendUint64([]byte(s.Name), s.block))
		s.rest = sum[:s.Size]
		s.block++
	}
	b := s.rest[0]
	s.rest = s.rest[1:]
	s.Taken++
	return b
}

// Seek goes to the beginning of a block.
func (s *Source) Seek(block uint64) { s.block, s.rest = block, nil }

// A Flat source has bytes and no blocks.
type Flat struct {
	Bytes []byte
	Taken int
}

// Byte gives the next byte.
func (f *Flat) Byte() byte {
	f.Taken++
	return f.Bytes[f.Taken-1]
}

// Params gives a choice of good parameters for a game: the least and the
// greatest of each, without and with the optional ones.
func Params(g *game.Game) []game.Params {
	var list []game.Params
	for _, variant := range g.Variants {
		for _, last := range []bool{false, true} {
			for _, optional := range []bool{false, true} {
				p := game.Params{Variant: variant}
				for _, q := range g.Params {
					if !q.Optional || optional {
						p.Args = append(p.Args, game.Arg{Name: q.Name, Value: Value(q, last)})
					}
				}
				list = append(list, p)
			}
		}
	}
	return list
}

// Value is the least or the greatest value of a parameter; lower and upper are
// bounds, so that they must not be the same.
func Value(q game.Param, last bool) string {
	switch {
	case q.Type == game.TypeBoolean:
		return strconv.FormatBool(last)
	case q.Name == "upper":
		return "97.49"
	case q.Type == game.TypeDecimal:
		return "0.01"
	case q.Type == game.TypeChoice && last:
		return q.List[len(q.List)-1]
	case q.Type == game.TypeChoice:
		return q.List[0]
	case last:
		return strconv.FormatUint(min(q.Max, 1000), 10)
	}
	return strconv.FormatUint(q.Min, 10)
}

// Run checks the contract of one game.
func Run(t *testing.T, g *game.Game) {
	if g.Grade.Kind == game.Unknown {
		if o, err := g.Play(&Source{Name: "unknown", Size: 32}, game.Params{}); o != nil || game.CodeOf(err) != game.NotPublished {
			t.Errorf("what is not published gives %v, %v", o, err)
		}
		return
	}
	for i, p := range Params(g) {
		name := "veridice gametest " + g.Site + g.Name + strconv.Itoa(i)
		source := func() *Source { return &Source{Name: name, Size: 32} }
		src := source()
		o, err := g.Play(src, p)
		if err != nil {
			t.Errorf("%v: %v", p, err)
			continue
		}
		text := o.AppendJSON(nil)
		if !json.Valid(text) {
			t.Errorf("%v: no JSON: %s", p, text)
		}
		if o.Site != g.Site || o.Game != g.Name || o.Grade != g.Grade || len(o.Keys) == 0 {
			t.Errorf("%v: %s", p, text)
		}
		seen := map[string]bool{}
		for _, k := range o.Keys {
			if k.Name == "" || seen[k.Name] {
				t.Errorf("%v: key %q stands twice or has no name", p, k.Name)
			}
			seen[k.Name] = true
		}
		for _, l := range o.Labels {
			if !seen[l.Key] || l.Code == "" {
				t.Errorf("%v: label %v is of no key", p, l)
			}
		}

		// The same numbers give the same outcome, traced or not.
		again, err := g.Play(source(), p)
		if err != nil || !bytes.Equal(again.AppendJSON(nil), text) {
			t.Errorf("%v: a second time: %v, %v", p, again, err)
		}
		trace := draw.NewTrace(source())
		traced, err := g.Play(trace, p)
		if err != nil || !bytes.Equal(traced.AppendJSON(nil), text) {
			t.Errorf("%v: traced: %v, %v", p, traced, err)
		}
		if len(trace.Steps) == 0 && g.Name != "bytes" && g.Name != "floats" {
			t.Errorf("%v: no steps", p)
		}
		for _, s := range trace.Steps {
			if s.Name == "" || s.Values == "" {
				t.Errorf("%v: step %+v", p, s)
			}
		}

		// Where no block is sought, only the bytes matter, not the blocks they
		// come in.
		if !seeks(g) {
			flat := &Flat{Bytes: make([]byte, src.Taken)}
			rest := source()
			for i := range flat.Bytes {
				flat.Bytes[i] = rest.Byte()
			}
			other, err := g.Play(flat, p)
			if err != nil || !bytes.Equal(other.AppendJSON(nil), text) || flat.Taken != src.Taken {
				t.Errorf("%v: without blocks: %v, %v", p, other, err)
			}
		} else if _, err := g.Play(&Flat{Bytes: make([]byte, 1<<16)}, p); game.CodeOf(err) == "" {
			t.Errorf("%v: a source without blocks: %v", p, err)
		}
		refusals(t, g, p, src)
	}
}

// seeks reports whether a game takes numbers of numbered blocks.
func seeks(g *game.Game) bool {
	return g.Site == "liqd" || g.Site == "zeroplay" || g.Site == "duel" && (g.Name == "mines" || g.Name == "beef" || g.Name == "plinko")
}

// refusals tries every parameter that must be refused, each with its code.
func refusals(t *testing.T, g *game.Game, good game.Params, src draw.Source) {
	t.Helper()
	want := func(code game.Code, param string, p game.Params) {
		t.Helper()
		o, err := g.Play(src, p)
		e, ok := err.(*game.Error)
		if o != nil || !ok || e.Code != code || e.Param != param || e.Site != g.Site || e.Game != g.Name || e.Error() == "" {
			t.Errorf("%v: got %v, %v, want %s of %q", p, o, err, code, param)
		}
		if ok && (code == game.ParamValue || code == game.ParamMissing) && e.Allowed == "" {
			t.Errorf("%v: %v does not say what is allowed", p, err)
		}
	}
	set := func(name, value string) game.Params {
		p := game.Params{Variant: good.Variant}
		for _, a := range good.Args {
			if a.Name != name {
				p.Args = append(p.Args, a)
			}
		}
		p.Args = append(p.Args, game.Arg{Name: name, Value: value})
		return p
	}
	want(game.VariantUnknown, "", game.Params{Variant: "no such version", Args: good.Args})
	if g.Variants[0] != "" {
		want(game.VariantMissing, "", game.Params{Args: good.Args})
	}
	want(game.ParamUnknown, "colour", set("colour", "red"))
	for i, a := range good.Args {
		want(game.ParamTwice, a.Name, game.Params{Variant: good.Variant, Args: append(good.Args[:len(good.Args):len(good.Args)], a)})
		rest := game.Params{Variant: good.Variant, Args: append(append([]game.Arg(nil), good.Args[:i]...), good.Args[i+1:]...)}
		for _, q := range g.Params {
			if q.Name == a.Name && !q.Optional {
				want(game.ParamMissing, a.Name, rest)
			}
		}
	}
	for _, q := range g.Params {
		bad := []string{" ", "-1", "x", "1e1", "0x1", "١"}
		switch q.Type {
		case game.TypeInteger:
			bad = append(bad, "01", "1.0", strconv.FormatUint(q.Max+1, 10), "99999999999999999999")
			if q.Min > 0 {
				bad = append(bad, strconv.FormatUint(q.Min-1, 10))
			}
		case game.TypeChoice:
			bad = append(bad, q.List[0]+" ", "Low", "0")
		case game.TypeBoolean:
			bad = append(bad, "True", "1")
		}
		for _, value := range bad {
			want(game.ParamValue, q.Name, set(q.Name, value))
		}
	}
}
