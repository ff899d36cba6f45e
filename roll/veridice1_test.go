package roll_test

import (
	"slices"
	"strings"
	"testing"

	"veridice/draw"
	"veridice/record"
	"veridice/roll"
	"veridice/scheme"
	"veridice/seed"
	"veridice/vectors/vectortest"
)

const veridice1 = "veridice1.ndjson"

func TestFrames(t *testing.T) {
	type vector struct {
		Name, Kind, Tag, Frame, SHA256 string
		Fields                         []string
	}
	vectortest.EachKind(t, veridice1, "frame", func(t *testing.T, v vector) {
		var fields [][]byte
		for _, x := range v.Fields {
			b, ok := seed.ParseHex(x)
			if !ok && x != "" {
				t.Fatalf("not hex: %q", x)
			}
			fields = append(fields, b)
		}
		hash := seed.Hash(v.Tag, fields...)
		if got := seed.Hex(seed.Frame(v.Tag, fields...)); got != v.Frame || seed.Hex(hash[:]) != v.SHA256 {
			t.Errorf("got %s, %x", got, hash)
		}
	})
}

func TestDice(t *testing.T) {
	type vector struct {
		Name, Kind  string
		Faces, Face uint32
		Words       []uint32
		Used        int
	}
	vectortest.EachKind(t, veridice1, "die", func(t *testing.T, v vector) {
		src := &words{list: v.Words}
		if got := draw.Uniform(src, v.Faces) + 1; got != v.Face || src.at != 4*v.Used {
			t.Errorf("got %d after %d words, want %d after %d", got, src.at/4, v.Face, v.Used)
		}
	})
}

func TestSamples(t *testing.T) {
	type vector struct {
		Name, Kind          string
		Items, Take         int
		Faces, Dice, Result []uint32
	}
	vectortest.EachKind(t, veridice1, "sample", func(t *testing.T, v vector) {
		faces, err := draw.SampleFaces(v.Items, v.Take)
		got, errSample := draw.Sample(v.Items, v.Take, v.Dice)
		if v.Result == nil {
			if err == nil || errSample == nil {
				t.Errorf("got %v, %v, want a refusal", faces, got)
			}
			return
		}
		if err != nil || errSample != nil || !slices.Equal(faces, v.Faces) || !slices.Equal(got, v.Result) {
			t.Errorf("got %v, %v (%v, %v), want %v, %v", faces, got, err, errSample, v.Faces, v.Result)
		}
	})
}

func TestChoices(t *testing.T) {
	type vector struct {
		Name, Kind string
		Weights    []uint32
		Faces, Die uint32
		Item       *int
	}
	vectortest.EachKind(t, veridice1, "choice", func(t *testing.T, v vector) {
		faces, err := draw.ChoiceFaces(v.Weights)
		item, errChoice := draw.Choice(v.Weights, v.Die)
		if v.Item == nil {
			if err == nil || errChoice == nil {
				t.Errorf("got %d, item %d, want a refusal", faces, item)
			}
			return
		}
		if err != nil || errChoice != nil || faces != v.Faces || item != *v.Item {
			t.Errorf("got %d, item %d (%v, %v), want %d, item %d", faces, item, err, errChoice, v.Faces, *v.Item)
		}
	})
}

func TestChains(t *testing.T) {
	type vector struct {
		Name, Kind, Match, Last string
		Role                    uint8
		Length                  uint32
		Links                   []struct {
			Index uint32
			Link  string
		}
	}
	vectortest.EachKind(t, veridice1, "chain", func(t *testing.T, v vector) {
		id, _ := seed.ParseHex(v.Match)
		match, last := scheme.Match(id), scheme.Link(unhex(t, v.Last))
		chain, err := scheme.NewChain(match, v.Role, last, v.Length)
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range v.Links {
			want := scheme.Link(unhex(t, l.Link))
			if got := chain.Link(l.Index); got != want {
				t.Errorf("link %d: got %x, want %x", l.Index, got, want)
			}
			if got := scheme.Anchor(match, v.Role, l.Index, want); got != chain.Anchor() {
				t.Errorf("link %d does not lead to the anchor", l.Index)
			}
			if l.Index > 0 && scheme.Earlier(match, v.Role, l.Index, want) != chain.Link(l.Index-1) {
				t.Errorf("link %d does not give the one before", l.Index)
			}
			// A link serves no other match, role or index.
			other := match
			other[0] ^= 1
			if l.Index > 0 && (scheme.Anchor(other, v.Role, l.Index, want) == chain.Anchor() ||
				scheme.Anchor(match, v.Role+1, l.Index, want) == chain.Anchor() ||
				scheme.Anchor(match, v.Role, l.Index-1, want) == chain.Anchor() ||
				scheme.Anchor(match, v.Role, l.Index+1, want) == chain.Anchor()) {
				t.Errorf("link %d leads to the anchor from another place", l.Index)
			}
		}
	})
}

func TestChainRolls(t *testing.T) {
	type vector struct {
		Name, Kind, Opening, Head string
		Request, Ctx, Key, After  string
		Roll                      uint32
		Actor                     uint8
		Faces, Words, Dice        []uint32
		Links, Blocks             []string
		Rejected                  int
	}
	vectortest.EachKind(t, veridice1, "roll", func(t *testing.T, v vector) {
		var links []scheme.Link
		var plain [][32]byte
		for _, l := range v.Links {
			links, plain = append(links, unhex(t, l)), append(plain, unhex(t, l))
		}
		same := func(what, got, want string) {
			t.Helper()
			if got != want {
				t.Errorf("%s: got %s, want %s", what, got, want)
			}
		}
		same("request", seed.Hex(scheme.Request(v.Actor, v.Faces)), v.Request)
		head := record.Head(unhex(t, v.Head))
		context := scheme.Context(unhex(t, v.Opening), head, v.Roll, v.Actor, v.Faces)
		same("context", seed.Hex(context[:]), v.Ctx)
		key := scheme.Key(context, links)
		same("key", seed.Hex(key[:]), v.Key)
		made, err := roll.Chain(uint64(v.Roll), context, links, v.Faces)
		if err != nil {
			t.Fatal(err)
		}
		var blocks []string
		for _, b := range made.Blocks {
			blocks = append(blocks, seed.Hex(b.Sum[:]))
		}
		same("blocks", strings.Join(blocks, " "), strings.Join(v.Blocks, " "))
		if made.Used != 4*len(v.Words) || made.Used/4-len(v.Dice) != v.Rejected || !slices.Equal(made.Dice, v.Dice) {
			t.Errorf("got %v of %d bytes, want %v of %d words, %d of them rejected", made.Dice, made.Used, v.Dice, len(v.Words), v.Rejected)
		}
		same("head", head.Rolled(context, plain, made.Dice).String(), v.After)
	})
}
