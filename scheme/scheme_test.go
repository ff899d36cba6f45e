package scheme_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"strconv"
	"strings"
	"testing"

	"veridice/draw"
	"veridice/scheme"
	"veridice/scheme/schemetest"
	"veridice/seed"
	"veridice/vectors/vectortest"
)

func TestContract(t *testing.T) {
	names := map[string]bool{}
	for _, s := range scheme.All() {
		names[s.Name] = true
		t.Run(s.Name, func(t *testing.T) { schemetest.Run(t, s) })
	}
	for _, name := range []string{scheme.Tavli1, scheme.Yayay1, scheme.Shuffle1} {
		if !names[name] {
			t.Errorf("%s is not in the table", name)
		}
	}
}

func unhex(t testing.TB, text string) []byte {
	t.Helper()
	b, err := hex.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// open joins a scheme with parts written as in the vectors.
func open(t testing.TB, s scheme.Scheme, server []byte, clients ...string) (*scheme.Opened, error) {
	t.Helper()
	in := scheme.Inputs{}
	var err error
	if in.Server, err = seed.NewServer(server); err != nil {
		return nil, err
	}
	for _, c := range clients {
		in.Clients = append(in.Clients, seed.Client(c))
	}
	return s.Open(in)
}

func mustStream(t testing.TB, s scheme.Scheme, server []byte, number, cursor uint64, clients ...string) *scheme.Stream {
	t.Helper()
	o, err := open(t, s, server, clients...)
	if err != nil {
		t.Fatal(err)
	}
	st, err := o.StreamAt(number, cursor)
	if err != nil {
		t.Fatal(err)
	}
	return st
}

func lookup(t testing.TB, name string) scheme.Scheme {
	t.Helper()
	s, err := scheme.Lookup(name)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

type block struct{ Message, MAC string }

// A tavliVector has a roll number that is a string where it must be refused.
type tavliVector struct {
	Name, Server      string
	Clients           []string
	Roll              json.RawMessage
	Blocks            []block
	Rejected          []int
	Byte, Position, V int
	Dice              []uint32
	Refused           string
}

func TestTavli(t *testing.T) {
	s := lookup(t, scheme.Tavli1)
	vectortest.Each(t, "tavli.ndjson", func(t *testing.T, v tavliVector) {
		roll, err := strconv.ParseUint(strings.Trim(string(v.Roll), `"`), 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		if v.Refused != "" {
			tavliRefused(t, s, v, roll)
			return
		}
		st := mustStream(t, s, unhex(t, v.Server), roll, 0, v.Clients...)
		for _, want := range v.Rejected {
			if got := int(st.Byte()); got != want {
				t.Errorf("rejected byte: got %d, want %d", got, want)
			}
		}
		if got := int(st.Byte()); got != v.Byte || st.Used() != 32*(len(v.Blocks)-1)+v.Position+1 {
			t.Errorf("byte: got %d as number %d, want %d at position %d", got, st.Used(), v.Byte, v.Position)
		}
		checkBlocks(t, st.Blocks(), v.Blocks)
	})
}

func tavliRefused(t *testing.T, s scheme.Scheme, v tavliVector, roll uint64) {
	o, err := open(t, s, unhex(t, v.Server), v.Clients...)
	var want string
	switch v.Refused {
	case "server":
		want = "server seed: "
	case "clients":
		want = "tavli/1: there are "
	case "client":
		want = "client seed: "
	case "number":
		want = "tavli/1: number "
		if err != nil {
			t.Fatal(err)
		}
		_, err = o.Stream(roll)
	default:
		t.Fatalf("refused: %q", v.Refused)
	}
	if err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("got %v, want an error that begins with %q", err, want)
	}
}

func checkBlocks(t *testing.T, got []scheme.Block, want []block) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%d blocks, want %d", len(got), len(want))
	}
	for i, b := range got {
		if string(b.Message) != want[i].Message || seed.Hex(b.Sum[:]) != want[i].MAC {
			t.Errorf("block %d: %q gives %x, want %q, %s", i, b.Message, b.Sum, want[i].Message, want[i].MAC)
		}
	}
}

func TestUnlucky(t *testing.T) {
	type vector struct {
		Name                        string
		Clients, MACs, Messages     []string
		Roll                        uint64
		Rejected, Byte, Position, V int
		Dice                        []uint32
	}
	vectortest.Each(t, "unlucky.ndjson", func(t *testing.T, v vector) {
		asked := 0
		s := lookup(t, scheme.Tavli1).WithMAC(func(_, message []byte) (sum [32]byte) {
			if asked == len(v.Messages) {
				t.Fatalf("a block too many: %q", message)
			}
			if string(message) != v.Messages[asked] {
				t.Errorf("asked for %q, want %q", message, v.Messages[asked])
			}
			copy(sum[:], unhex(t, v.MACs[asked]))
			asked++
			return sum
		})
		st := mustStream(t, s, make([]byte, 16), v.Roll, 0, v.Clients...)
		a, b := draw.Pair(st)
		if a != v.Dice[0] || b != v.Dice[1] || len(v.Dice) != 2 {
			t.Errorf("got %d-%d, want %v", a, b, v.Dice)
		}
		last := st.Blocks()[len(st.Blocks())-1]
		if asked != len(v.MACs) || st.Used() != v.Rejected+1 || int(last.Sum[v.Position]) != v.Byte || v.Byte%36 != v.V {
			t.Errorf("asked for %d blocks and used %d bytes, want %d and %d", asked, st.Used(), len(v.MACs), v.Rejected+1)
		}
	})
}

func TestYayay(t *testing.T) {
	s := lookup(t, scheme.Yayay1)
	type vector struct {
		Name, Kind, Server, Input, Hash string
		Die                             uint64
		Word, Face                      uint32
	}
	vectortest.EachKind(t, "yayay.ndjson", "die", func(t *testing.T, v vector) {
		key := unhex(t, v.Server)
		st := mustStream(t, s, key, v.Die, 0)
		if got := draw.Word(st); got != v.Word {
			t.Errorf("word: got %d, want %d", got, v.Word)
		}
		b := st.Blocks()[0]
		if input := append(key, b.Message...); seed.Hex(input) != v.Input || seed.Hex(b.Sum[:]) != v.Hash {
			t.Errorf("%x gives %x, want %s, %s", input, b.Sum, v.Input, v.Hash)
		}
	})
}

type shuffleVector struct {
	Name, Kind, Server, Client string
	Nonce, Cursor              uint64
	Blocks                     []struct {
		Block        uint32
		Message, MAC string
	}
	Words             []uint32
	Fractions, Floats []string
	Value             uint32
	Shown             string
}

func TestShuffle(t *testing.T) {
	s := lookup(t, scheme.Shuffle1)
	vectortest.EachKind(t, "shuffle.ndjson", "stream", func(t *testing.T, v shuffleVector) {
		st := mustStream(t, s, []byte(v.Server), v.Nonce, v.Cursor, v.Client)
		for i, want := range v.Words {
			if got := draw.Word(st); got != want {
				t.Errorf("word %d: got %d, want %d", i, got, want)
			}
		}
		if len(st.Blocks()) != len(v.Blocks) {
			t.Fatalf("%d blocks, want %d", len(st.Blocks()), len(v.Blocks))
		}
		for i, want := range v.Blocks {
			b := st.Blocks()[i]
			if b.Index != want.Block || seed.Hex(b.Message) != want.Message || seed.Hex(b.Sum[:]) != want.MAC {
				t.Errorf("block %d: %x gives %x, want block %d: %s, %s", b.Index, b.Message, b.Sum, want.Block, want.Message, want.MAC)
			}
		}
	})
}

func TestShuffleRefuses(t *testing.T) {
	s := lookup(t, scheme.Shuffle1)
	type vector struct{ Name, Kind, Server, Client, Nonce string }
	vectortest.EachKind(t, "shuffle.ndjson", "refused", func(t *testing.T, v vector) {
		nonce, err := strconv.ParseUint(v.Nonce, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		o, err := open(t, s, []byte(v.Server), v.Client)
		if err == nil {
			_, err = o.Stream(nonce)
		}
		if err == nil {
			t.Error("taken")
		}
	})
}

// dice draws what the rules say for rolls 1 to n, dice 0 to n-1 or nonces 1 to n.
func diceOf(t *testing.T, name, server string, clients []string, n int) [][]uint32 {
	t.Helper()
	s := lookup(t, name)
	key := unhex(t, server)
	if s.TextServer {
		key = []byte(server)
	}
	out := make([][]uint32, n)
	for i := range out {
		number := uint64(i + 1)
		if name == scheme.Yayay1 {
			number = uint64(i)
		}
		st := mustStream(t, s, key, number, 0, clients...)
		switch name {
		case scheme.Tavli1:
			a, b := draw.Pair(st)
			out[i] = []uint32{a, b}
		case scheme.Yayay1:
			out[i] = []uint32{draw.Modulo(st, 6) + 1}
		case scheme.Shuffle1:
			out[i] = []uint32{draw.Index(st, 10001)}
		}
	}
	return out
}

// TestWrongReadings shows that no other reading of the rules is the one here.
func TestWrongReadings(t *testing.T) {
	type vector struct {
		Name, Scheme, Reading, Server string
		Clients                       []string
		Right, Wrong                  [][]uint32
	}
	vectortest.Each(t, "wrong-readings.ndjson", func(t *testing.T, v vector) {
		got := diceOf(t, v.Scheme, v.Server, v.Clients, len(v.Right))
		if !equal(got, v.Right) {
			t.Errorf("got %v, want %v", got, v.Right)
		}
		if equal(got, v.Wrong) {
			t.Errorf("the reading %s", v.Reading)
		}
	})
}

func equal(a, b [][]uint32) bool {
	x, err1 := json.Marshal(a)
	y, err2 := json.Marshal(b)
	return err1 == nil && err2 == nil && bytes.Equal(x, y)
}

// TestAccumulated folds many cases into one hash (vectors/README.md).
func TestAccumulated(t *testing.T) {
	type vector struct {
		Name, Scheme, Stream string
		Cases                uint64
		SHA256               string
	}
	vectortest.Each(t, "accumulated.ndjson", func(t *testing.T, v vector) {
		s, h := lookup(t, v.Scheme), sha256.New()
		for i := range v.Cases {
			b := sha256.Sum256(binary.BigEndian.AppendUint64([]byte(v.Stream), i))
			number := uint64(binary.BigEndian.Uint32(b[:4]))
			switch v.Scheme {
			case scheme.Tavli1:
				x, y := draw.Pair(mustStream(t, s, b[:], number%100_000+1, 0, seed.Hex(b[:16]), seed.Hex(b[16:])))
				h.Write([]byte{byte(x), byte(y)})
			case scheme.Yayay1:
				h.Write([]byte{byte(draw.Modulo(mustStream(t, s, b[:], number, 0), 6) + 1)})
			case scheme.Shuffle1:
				nonce := binary.BigEndian.Uint64(b[:8]) >> 11
				k := draw.Word(mustStream(t, s, []byte(seed.Hex(b[:])), nonce, uint64(b[31]%64), seed.Hex(b[:8])))
				h.Write(binary.BigEndian.AppendUint16(binary.BigEndian.AppendUint32(nil, k), uint16(draw.IndexOf(k, 10001))))
			default:
				t.Fatalf("unknown scheme %s", v.Scheme)
			}
		}
		if got := seed.Hex(h.Sum(nil)); got != v.SHA256 {
			t.Errorf("got %s, want %s", got, v.SHA256)
		}
	})
}

// TestMessagesDoNotCollide: where one client seed ends and the number begins must
// not depend on what they are.
func TestMessagesDoNotCollide(t *testing.T) {
	s := lookup(t, scheme.Tavli1)
	seen := map[string]string{}
	for _, clients := range [][]string{{"1"}, {"12"}, {"1", "2"}, {"1", "23"}, {"12", "3"}, {"1", "2", "3"}, {"-"}, {"_"}} {
		for _, roll := range []uint64{1, 2, 3, 12, 23, 123} {
			st := mustStream(t, s, make([]byte, 16), roll, 0, clients...)
			for range 96 { // three blocks
				st.Byte()
			}
			for _, b := range st.Blocks() {
				what := strings.Join(clients, ",") + " roll " + strconv.FormatUint(roll, 10) + " block " + strconv.Itoa(int(b.Index))
				if other := seen[string(b.Message)]; other != "" {
					t.Errorf("%s and %s have the message %q", what, other, b.Message)
				}
				seen[string(b.Message)] = what
			}
		}
	}
}

func BenchmarkStream(b *testing.B) {
	for _, s := range scheme.All() {
		b.Run(s.Name, func(b *testing.B) {
			o, err := s.Open(schemetest.Inputs(b, s, 1))
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				st, err := o.Stream(s.First)
				if err != nil {
					b.Fatal(err)
				}
				draw.Word(st)
			}
		})
	}
}
