package verify

import (
	"crypto/sha256"
	"encoding/binary"
	"slices"
	"strconv"
	"strings"

	"veridice/record"
	"veridice/roll"
	"veridice/scheme"
	"veridice/seed"
)

// enough is the number of recorded rolls from which on a wrong reading is worth
// naming: two dice fit by chance once in 36, four times in a row never.
const enough = 4

// diagnoses looks for a reading under which everything would fit. They never
// change the verdict (docs/spec/tavli.md and yayay.md, "Diagnoses").
func (c *check) diagnoses() []Finding {
	if c.report.Seal == nil {
		return nil
	}
	var found []Finding
	if c.record.Server.Weak() {
		found = append(found, Finding{Code: WeakSeed})
	}
	if seal := c.seal(); seal != nil && *seal != *c.report.Seal && *seal == seed.SealText(seed.Hex(c.record.Server.Reveal())) {
		found = append(found, Finding{Code: SealOverText})
	}
	if c.firstUnfit < 0 || len(c.rolls) < enough {
		return found
	}
	readings := tavliReadings
	if c.scheme.Name == scheme.Yayay1 {
		readings = yayayReadings
	}
	for _, reading := range readings {
		if f := reading(c); f != nil {
			return append(found, *f) // the first is the diagnosis
		}
	}
	return found
}

var tavliReadings = []func(*check) *Finding{
	func(c *check) *Finding {
		s := c.scheme
		s.MaxServer = seed.MaxServer
		text, err := seed.NewServer([]byte(seed.Hex(c.inputs.Server.Reveal())))
		if err != nil || !c.fits(s, scheme.Inputs{Server: text, Clients: c.inputs.Clients}, 1) {
			return nil
		}
		return &Finding{Code: KeyIsText}
	},
	func(c *check) *Finding {
		n := len(c.inputs.Clients)
		if n < 2 || n > 4 {
			return nil
		}
		var found *Finding
		permutations(n, func(order []int) bool {
			clients, seats := make([]seed.Client, n), make([]string, n)
			for i, from := range order {
				clients[i], seats[i] = c.inputs.Clients[from], strconv.Itoa(from+1)
			}
			if c.fits(c.scheme, scheme.Inputs{Server: c.inputs.Server, Clients: clients}, 1) {
				found = &Finding{ClientsReordered, seats}
			}
			return found != nil
		})
		return found
	},
	func(c *check) *Finding {
		s := c.scheme
		s.First = 0
		if !c.fits(s, c.inputs, 0) {
			return nil
		}
		return &Finding{Code: NumbersFrom0}
	},
	func(c *check) *Finding {
		exchanged := func(dice []uint32) []uint32 {
			dice = slices.Clone(dice)
			slices.Reverse(dice)
			return dice
		}
		for _, one := range c.report.Compared {
			if !one.Fits && !slices.Equal(exchanged(one.Recorded), one.Computed) {
				return nil
			}
		}
		return &Finding{Code: DiceInOtherOrder}
	},
	func(c *check) *Finding {
		for _, change := range []struct {
			name string
			fold func(string) string
		}{{"lower", strings.ToLower}, {"upper", strings.ToUpper}} {
			clients := make([]seed.Client, len(c.inputs.Clients))
			for i, client := range c.inputs.Clients {
				clients[i] = seed.Client(change.fold(string(client)))
			}
			if c.fits(c.scheme, scheme.Inputs{Server: c.inputs.Server, Clients: clients}, 1) {
				return &Finding{CaseOfClientSeed, []string{change.name}}
			}
		}
		return nil
	},
}

var yayayReadings = []func(*check) *Finding{
	littleEndian(LittleEndianNumber, true, false),
	littleEndian(LittleEndianWord, false, true),
	littleEndian(LittleEndianBoth, true, true),
}

// littleEndian reads the number of a die, the word of its hash, or both with the
// least significant byte first.
func littleEndian(code record.Code, number, word bool) func(*check) *Finding {
	return func(c *check) *Finding {
		s := c.scheme.WithMAC(func(key, message []byte) [32]byte {
			message = slices.Clone(message)
			if number {
				slices.Reverse(message)
			}
			sum := sha256.Sum256(append(slices.Clone(key), message...))
			if word {
				binary.BigEndian.PutUint32(sum[:], binary.LittleEndian.Uint32(sum[:]))
			}
			return sum
		})
		if !c.fits(s, c.inputs, 1) {
			return nil
		}
		return &Finding{Code: code}
	}
}

// fits reports whether every recorded roll follows under another reading.
func (c *check) fits(s scheme.Scheme, in scheme.Inputs, first uint64) bool {
	roller, err := roll.New(s, in)
	if err != nil {
		return false
	}
	all := places(c.rolls, first)
	fit := func(i int) bool {
		made, err := roller.Roll(all[i])
		return err == nil && slices.Equal(made.Dice, c.rolls[i].Dice)
	}
	// First the roll that does not fit as recorded: all those before it may fit under
	// many readings, as with client seeds that are alike.
	if !fit(c.firstUnfit) {
		return false
	}
	for i := range all {
		if !fit(i) {
			return false
		}
	}
	return true
}

// places are those of recorded rolls, of which the first has this number.
func places(rolls []record.Entry, first uint64) []roll.Place {
	all := make([]roll.Place, len(rolls))
	for i, e := range rolls {
		if i == 0 {
			all[i] = roll.Place{Number: first, Dice: len(e.Dice)}
		} else {
			all[i] = all[i-1].Next(len(e.Dice))
		}
	}
	return all
}

// permutations calls f with every order of 0..n-1, in lexical order, until f
// says that it has seen enough.
func permutations(n int, f func([]int) bool) {
	order := make([]int, 0, n)
	var extend func() bool
	extend = func() bool {
		if len(order) == n {
			return f(order)
		}
		for i := range n {
			if !slices.Contains(order, i) {
				order = append(order, i)
				if extend() {
					return true
				}
				order = order[:len(order)-1]
			}
		}
		return false
	}
	extend()
}
