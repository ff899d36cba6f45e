package roll_test

import (
	"encoding/hex"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"testing"

	"veridice/roll"
	"veridice/scheme"
	"veridice/seed"
	"veridice/vectors/vectortest"
)

func inputs(t testing.TB, server string, clients ...string) scheme.Inputs {
	t.Helper()
	b, err := hex.DecodeString(server)
	if err != nil {
		t.Fatal(err)
	}
	s, err := seed.NewServer(b)
	if err != nil {
		t.Fatal(err)
	}
	in := scheme.Inputs{Server: s}
	for _, c := range clients {
		in.Clients = append(in.Clients, seed.Client(c))
	}
	return in
}

func roller(t testing.TB, name, server string, clients ...string) *roll.Roller {
	t.Helper()
	s, err := scheme.Lookup(name)
	if err != nil {
		t.Fatal(err)
	}
	r, err := roll.New(s, inputs(t, server, clients...))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestTavli(t *testing.T) {
	type vector struct {
		Name, Server string
		Clients      []string
		Roll         json.RawMessage
		Blocks       []struct{ Message, MAC string }
		Rejected     []int

		Byte, Position, V int
		Dice              []uint32
		Refused           string
	}
	vectortest.Each(t, "tavli.ndjson", func(t *testing.T, v vector) {
		number, err := strconv.ParseUint(strings.Trim(string(v.Roll), `"`), 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		s, err := scheme.Lookup(scheme.Tavli1)
		if err != nil {
			t.Fatal(err)
		}
		r, err := roll.New(s, inputs(t, v.Server, v.Clients...))
		var got roll.Roll
		if err == nil {
			got, err = r.Roll(roll.Place{Number: number, Dice: 2})
		}
		if v.Refused != "" {
			if err == nil || got.Dice != nil {
				t.Errorf("got %v, %v", got.Dice, err)
			}
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		used := 32*(len(v.Blocks)-1) + v.Position + 1
		if got.Number != number || !slices.Equal(got.Dice, v.Dice) || got.Used != used || len(got.Blocks) != len(v.Blocks) {
			t.Errorf("got %v with %d bytes, want %v with %d", got.Dice, got.Used, v.Dice, used)
		}
	})
}

func TestYayay(t *testing.T) {
	type vector struct {
		Name, Kind, Server string
		Throws             [][]uint32
	}
	vectortest.EachKind(t, "yayay.ndjson", "throws", func(t *testing.T, v vector) {
		r := roller(t, scheme.Yayay1, v.Server)
		place, die := roll.First(len(v.Throws[0])), uint64(0)
		for i, want := range v.Throws {
			if i > 0 {
				place = place.Next(len(want))
			}
			if place.Die != die || place.Number != uint64(i+1) || place.Dice != len(want) {
				t.Errorf("throw %d is at %+v, want die %d", i+1, place, die)
			}
			got, err := r.Roll(place)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(got.Dice, want) || got.Number != uint64(i+1) || got.Used != 4*len(want) || len(got.Blocks) != len(want) {
				t.Errorf("throw %d: got %v, want %v", i+1, got.Dice, want)
			}
			die += uint64(len(want))
		}
	})
	type refused struct {
		Name, Kind, Server string
		Die                uint64
		Size               int
	}
	vectortest.EachKind(t, "yayay.ndjson", "refused", func(t *testing.T, v refused) {
		s, err := scheme.Lookup(scheme.Yayay1)
		if err != nil {
			t.Fatal(err)
		}
		r, err := roll.New(s, inputs(t, v.Server))
		if err == nil {
			_, err = r.Roll(roll.Place{Number: 1, Die: v.Die, Dice: v.Size})
		}
		if err == nil {
			t.Error("taken")
		}
	})
}

const (
	server = "c149c301f8134a320da3e36748bb70c14850c75fc8ab0dc1e36460fa89070300"
	phone1 = "f24279610d6b8b1362d85c3ddec7f24e"
	phone2 = "d60062c1d2fe5d3f376829416b34be90"
)

func TestTavliHasTwoDice(t *testing.T) {
	r := roller(t, scheme.Tavli1, server, phone1, phone2)
	for _, n := range []int{-1, 0, 1, 3, 100} {
		if got, err := r.Roll(roll.Place{Number: 1, Dice: n}); err == nil || got.Dice != nil {
			t.Errorf("a roll of %d dice: %v", n, got.Dice)
		}
	}
}

func TestNewRefuses(t *testing.T) {
	shuffle, err := scheme.Lookup(scheme.Shuffle1)
	if err != nil {
		t.Fatal(err)
	}
	if r, err := roll.New(shuffle, inputs(t, server, "abc")); err == nil || r != nil || err.Error() != "roll: shuffle/1 has no rolls of dice" {
		t.Errorf("shuffle/1 rolls: %v", err)
	}
	yayay, err := scheme.Lookup(scheme.Yayay1)
	if err != nil {
		t.Fatal(err)
	}
	if r, err := roll.New(yayay, inputs(t, server, "abc")); err == nil || r != nil {
		t.Errorf("yayay/1 takes a client seed: %v", err)
	}
}

// TestMatchesDiffer: the same server seed with other client seeds is another
// match, and no roll sequence of one is found in the other.
func TestMatchesDiffer(t *testing.T) {
	const rolls = 400
	dice := func(clients ...string) []string {
		r, place, out := roller(t, scheme.Tavli1, server, clients...), roll.First(2), make([]string, rolls)
		for i := range out {
			got, err := r.Roll(place)
			if err != nil {
				t.Fatal(err)
			}
			out[i] = strconv.Itoa(int(10*got.Dice[0] + got.Dice[1]))
			place = place.Next(2)
		}
		return out
	}
	a := strings.Join(dice(phone1, phone2), " ")
	other := dice(phone1, phone2[1:])
	for i := 0; i+8 <= rolls; i++ {
		if strings.Contains(a, strings.Join(other[i:i+8], " ")) {
			t.Errorf("rolls %d to %d of one match occur in the other", i+1, i+8)
		}
	}
	if again := strings.Join(dice(phone1, phone2), " "); again != a {
		t.Error("the same seeds give other rolls")
	}
}

func BenchmarkRoll(b *testing.B) {
	for _, c := range []struct {
		name string
		r    *roll.Roller
	}{
		{"tavli", roller(b, scheme.Tavli1, server, phone1, phone2)},
		{"yayay", roller(b, scheme.Yayay1, server)},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			place := roll.First(2)
			for b.Loop() {
				if _, err := c.r.Roll(place); err != nil {
					b.Fatal(err)
				}
				place = place.Next(2)
			}
		})
	}
}

// TestLastDie: the dice of yayay/1 are numbered from 0 to 2^32 - 1.
func TestLastDie(t *testing.T) {
	s, err := scheme.Lookup(scheme.Yayay1)
	if err != nil {
		t.Fatal(err)
	}
	r, err := roll.New(s, scheme.Inputs{Server: seed.ServerFromEntropy([32]byte{1})})
	if err != nil {
		t.Fatal(err)
	}
	for die, ok := range map[uint64]bool{1<<32 - 2: true, 1<<32 - 1: false, 1<<64 - 1: false} {
		if _, err := r.Roll(roll.Place{Number: 1, Die: die, Dice: 2}); (err == nil) != ok {
			t.Errorf("two dice from die %d: %v", die, err)
		}
	}
}
