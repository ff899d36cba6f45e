package roll_test

import (
	"slices"
	"testing"

	"veridice/draw"
	"veridice/internal/needs"
	"veridice/record"
	"veridice/roll"
	"veridice/scheme"
	"veridice/seed"
)

func unhex(t *testing.T, text string) (b [32]byte) {
	t.Helper()
	x, ok := seed.ParseHex(text)
	if !ok || len(x) != 32 {
		t.Fatalf("not 32 bytes: %q", text)
	}
	copy(b[:], x)
	return b
}

// words is a source of crafted words, which are counted.
type words struct {
	list []uint32
	at   int
}

func (w *words) Byte() byte {
	b := byte(w.list[w.at/4] >> (24 - 8*(w.at%4)))
	w.at++
	return b
}

// TestChainMatches replays the neighbouring vectors, where they are, from the
// last links of the chains: anchors, contexts, keys, blocks, dice and heads.
func TestChainMatches(t *testing.T) {
	var all struct {
		Frames []struct {
			Tag, Frame, SHA256 string
			Fields             []string
		}
		Die []struct {
			Faces, Face uint32
			Used        int
			Words       []uint32
		}
		Draws []struct {
			Kind                 string
			Items, Take          int
			Weights, Faces, Dice []uint32
			Result               []uint32
		}
		Matches []struct {
			Name, Open, OpenHash, T0 string
			Chains                   []struct {
				Role, Length int
				End, Anchor  string
			}
			Entries []struct {
				Kind, Move, T, Ctx, Request, PRK string
				Role, Actor                      uint8
				Faces, Dice                      []uint32
				Links, Blocks                    []string
			}
		}
	}
	needs.SharedJSON(t, "vectors/veridice-1.json", &all)
	for _, f := range all.Frames {
		var fields [][]byte
		for _, x := range f.Fields {
			b, _ := seed.ParseHex(x)
			fields = append(fields, b)
		}
		hash := seed.Hash(f.Tag, fields...)
		if seed.Hex(seed.Frame(f.Tag, fields...)) != f.Frame || seed.Hex(hash[:]) != f.SHA256 {
			t.Errorf("frame %s: differs", f.Tag)
		}
	}
	for _, d := range all.Die {
		src := &words{list: d.Words}
		if got := draw.Uniform(src, d.Faces) + 1; got != d.Face || src.at != 4*d.Used {
			t.Errorf("die of %d, words %v: got %d after %d words, want %d after %d", d.Faces, d.Words, got, src.at/4, d.Face, d.Used)
		}
	}
	rolls := 0
	for _, m := range all.Matches {
		opening := seed.LeafHash([]byte(m.Open))
		if seed.Hex(opening[:]) != m.OpenHash {
			t.Errorf("%s: opening hash %x", m.Name, opening)
		}
		name := m.Open[len("veridice/1 open\nmatch "):][:32]
		id, _ := seed.ParseHex(name)
		match := scheme.Match(id)
		var chains []scheme.Chain
		for _, c := range m.Chains {
			chain, err := scheme.NewChain(match, uint8(c.Role), unhex(t, c.End), uint32(c.Length))
			if err != nil {
				t.Fatal(err)
			}
			if anchor := chain.Anchor(); seed.Hex(anchor[:]) != c.Anchor {
				t.Errorf("%s, role %d: anchor %x", m.Name, c.Role, anchor)
			}
			chains = append(chains, chain)
		}
		head, number := record.Start(opening), uint32(0)
		if head.String() != m.T0 {
			t.Errorf("%s: T0 %s", m.Name, head)
		}
		for _, e := range m.Entries {
			if e.Kind == "move" {
				head = head.Move(e.Role, e.Move)
			} else {
				number++
				rolls++
				context := scheme.Context(opening, head, number, e.Actor, e.Faces)
				var links []scheme.Link
				var plain [][32]byte
				for i, c := range chains {
					links = append(links, c.Link(number))
					plain = append(plain, c.Link(number))
					if got := seed.Hex(plain[i][:]); got != e.Links[i] {
						t.Errorf("%s, roll %d: link %s of role %d", m.Name, number, got, i)
					}
				}
				key := scheme.Key(context, links)
				made, err := roll.Chain(uint64(number), context, links, e.Faces)
				if err != nil {
					t.Fatal(err)
				}
				var blocks []string
				for _, b := range made.Blocks {
					blocks = append(blocks, seed.Hex(b.Sum[:]))
				}
				if seed.Hex(scheme.Request(e.Actor, e.Faces)) != e.Request || seed.Hex(context[:]) != e.Ctx ||
					seed.Hex(key[:]) != e.PRK || !slices.Equal(blocks, e.Blocks) || !slices.Equal(made.Dice, e.Dice) {
					t.Errorf("%s, roll %d: differs; dice %v want %v", m.Name, number, made.Dice, e.Dice)
				}
				head = head.Rolled(context, plain, made.Dice)
			}
			if head.String() != e.T {
				t.Fatalf("%s, roll %d: head %s want %s", m.Name, number, head, e.T)
			}
		}
	}
	if rolls != 388 {
		t.Errorf("replayed %d rolls, not 388", rolls)
	}
	for _, d := range all.Draws {
		if d.Kind == "sample" {
			faces, err := draw.SampleFaces(d.Items, d.Take)
			if err != nil {
				t.Fatal(err)
			}
			got, err := draw.Sample(d.Items, d.Take, d.Dice)
			if err != nil || !slices.Equal(faces, d.Faces) || !slices.Equal(got, d.Result) {
				t.Errorf("sample %d of %d: got %v want %v (%v)", d.Take, d.Items, got, d.Result, err)
			}
			continue
		}
		faces, err := draw.ChoiceFaces(d.Weights)
		if err != nil || faces != d.Faces[0] {
			t.Errorf("weights %v: a die of %d faces, want %d (%v)", d.Weights, faces, d.Faces[0], err)
		}
		for i, die := range d.Dice {
			if got, err := draw.Choice(d.Weights, die); err != nil || uint32(got) != d.Result[i] {
				t.Errorf("weights %v, die %d: got %d want %d (%v)", d.Weights, die, got, d.Result[i], err)
			}
		}
	}
}
