// Package selftest holds the running program to the test vectors of package
// vectors, which were computed without it. A program that comes to anything else
// must not be used: the tool says so, and the server does not start.
package selftest

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"veridice/draw"
	"veridice/game/dice"
	"veridice/record"
	"veridice/roll"
	"veridice/scheme"
	"veridice/seed"
	"veridice/vectors"
	"veridice/verify"
)

// Kinds of a self-test: how many cases of an accumulated vector it computes at
// most. Vectors of more cases are left out; the project's own tests run them.
const (
	Full  = 10_000 // takes a moment, not a minute
	Start = 100    // for the start of a server
)

// A Result says how many vectors were run, and the names of those that failed.
type Result struct {
	Vectors int
	Failed  []string
}

// Run computes the vectors that lines gives for each of [vectors.Files]. The error
// is of vectors that cannot be read; a file without any is one.
func Run(lines func(file string) ([][]byte, error), longest int) (Result, error) {
	var r Result
	for _, file := range vectors.Files() {
		all, err := lines(file)
		if err != nil {
			return Result{}, err
		}
		check := checks[file]
		if check == nil {
			return Result{}, fmt.Errorf("selftest: nothing here reads %s", file)
		}
		if len(all) == 0 {
			return Result{}, fmt.Errorf("selftest: %s holds nothing", file)
		}
		for _, line := range all {
			v := new(vector)
			if err := json.Unmarshal(line, v); err != nil {
				return Result{}, fmt.Errorf("selftest: %s: %v", file, err)
			}
			if v.Cases > longest {
				continue
			}
			switch check(v) {
			case failed:
				r.Failed = append(r.Failed, strings.TrimSuffix(file, ".ndjson")+" "+v.Name)
				r.Vectors++
			case passed:
				r.Vectors++
			}
		}
	}
	return r, nil
}

// A vector has the fields of every file, whose meaning is in vectors/README.md.
// Those that are numbers in one file and text in another are read by its check.
type vector struct {
	chainFields
	logFields
	Name, Kind, Scheme, Seed, Seal, Other, Covers, Message, Hash, Key, Mac, Server, Client, Refused string
	Text, Hex, Stream, Sha256, Shown                                                                string
	Clients, Macs, Messages                                                                         []string
	Blocks                                                                                          blocks
	Roll, Nonce, Die                                                                                json.RawMessage
	Byte, Position, Size, Line, Number, Pad, Cases                                                  int
	Cursor                                                                                          uint64
	Word, N, Index, Face, Value                                                                     uint32
	Dice, Bytes                                                                                     []uint32
	Rolls, Throws, Noted, Right                                                                     [][]uint32
	Words                                                                                           json.RawMessage
	Kept                                                                                            bool
	Want                                                                                            struct {
		Verdict verify.Verdict
		Code    record.Code
		Place   string
		Fit     *int
		Signed  []int
		Account []string

		Index, Size  uint64 // of the public log
		Witnesses    int
		Time, Before int64
		Closed       bool
	}
}

// checks has a check for each file of vectors. It says whether this program comes
// to what the vector says; skipped are statements about a whole domain, which
// the project's own tests count out.
var checks = map[string]func(*vector) outcome{
	"sha256.ndjson": func(v *vector) outcome {
		sum := sha256.Sum256(unhex(v.Message))
		return is(seed.Hex(sum[:]) == v.Hash)
	},
	"hmac.ndjson": func(v *vector) outcome {
		h := hmac.New(sha256.New, unhex(v.Key))
		h.Write(unhex(v.Message))
		return is(v.Mac != "" && strings.HasPrefix(seed.Hex(h.Sum(nil)), v.Mac))
	},
	"seal.ndjson": func(v *vector) outcome {
		s, err := server(v.Seed, v.Covers == "text")
		return is(err == nil && s.Seal().String() == v.Seal && v.Seal != v.Other)
	},
	"pair.ndjson": func(v *vector) outcome {
		a, b := draw.Pair(&bytesSource{block: []byte{byte(v.Byte), 0}})
		if v.Dice == nil { // skipped: the byte after it, 0, is used
			return is(v.Byte >= draw.PairLimit && a == 1 && b == 1)
		}
		return is(slices.Equal([]uint32{a, b}, v.Dice))
	},
	"tavli.ndjson":          checkTavli,
	"unlucky.ndjson":        checkUnlucky,
	"yayay.ndjson":          checkYayay,
	"shuffle.ndjson":        checkShuffle,
	"wrong-readings.ndjson": checkRight,
	"accumulated.ndjson":    checkAccumulated,
	"rolls.ndjson": func(v *vector) outcome {
		n := 0
		if v.Scheme == scheme.Tavli1 {
			n = 2
		}
		rolls, err := record.ReadRolls(v.Text, n)
		if fault, ok := err.(*record.SyntaxError); ok {
			return is(v.Line > 0 && fault.Line == v.Line)
		}
		return is(v.Line == 0 && slices.EqualFunc(rolls, v.Rolls, slices.Equal))
	},
	"links.ndjson":     checkReport,
	"records.ndjson":   checkReport,
	"veridice1.ndjson": checkVeridice1,
	"log.ndjson":       checkLog,
}

type outcome int

const (
	failed outcome = iota
	passed
	skipped
)

func is(fits bool) outcome {
	if fits {
		return passed
	}
	return failed
}

func unhex(text string) []byte {
	b, err := hex.DecodeString(text)
	if err != nil {
		return nil
	}
	return b
}

// decimal reads a number or, beyond what JSON readers take, a text of digits.
func decimal(raw json.RawMessage) (uint64, bool) {
	n, err := strconv.ParseUint(strings.Trim(string(raw), `"`), 10, 64)
	return n, err == nil
}

// server reads a server seed: text as it is, else hex.
func server(written string, text bool) (seed.Server, error) {
	if text {
		return seed.NewServer([]byte(written))
	}
	return seed.NewServer(unhex(written))
}

func (v *vector) inputs(text bool) (scheme.Inputs, error) {
	s, err := server(v.Server, text)
	in := scheme.Inputs{Server: s}
	for _, c := range v.Clients {
		in.Clients = append(in.Clients, seed.Client(c))
	}
	return in, err
}

// tavli rolls one roll of tavli/1.
func (v *vector) tavli(s scheme.Scheme, number uint64) (roll.Roll, error) {
	in, err := v.inputs(false)
	if err != nil {
		return roll.Roll{}, err
	}
	roller, err := roll.New(s, in)
	if err != nil {
		return roll.Roll{}, err
	}
	return roller.Roll(roll.Place{Number: number, Dice: 2})
}

func checkTavli(v *vector) outcome {
	s, _ := scheme.Lookup(scheme.Tavli1)
	number, ok := decimal(v.Roll)
	made, err := v.tavli(s, number)
	if v.Refused != "" {
		return is(!ok || err != nil)
	}
	fits := err == nil && slices.Equal(made.Dice, v.Dice) && len(made.Blocks) == len(v.Blocks)
	for i := range v.Blocks {
		fits = fits && string(made.Blocks[i].Message) == v.Blocks[i].Message && seed.Hex(made.Blocks[i].Sum[:]) == v.Blocks[i].Mac
	}
	return is(fits)
}

func checkUnlucky(v *vector) outcome {
	s, _ := scheme.Lookup(scheme.Tavli1)
	var asked []string
	v.Server = strings.Repeat("00", 16)
	made, err := v.tavli(s.WithMAC(func(_, message []byte) (sum [32]byte) {
		if len(asked) < len(v.Macs) {
			copy(sum[:], unhex(v.Macs[len(asked)]))
		}
		asked = append(asked, string(message))
		return sum
	}), mustDecimal(v.Roll))
	return is(err == nil && slices.Equal(made.Dice, v.Dice) && slices.Equal(asked, v.Messages))
}

func mustDecimal(raw json.RawMessage) uint64 {
	n, _ := decimal(raw) // 0 is refused by every scheme that counts from 1
	return n
}

// throws rolls throws of these sizes from the first die on.
func (v *vector) throws(die uint64, sizes ...int) ([][]uint32, error) {
	s, _ := scheme.Lookup(scheme.Yayay1)
	in, err := v.inputs(false)
	if err != nil {
		return nil, err
	}
	roller, err := roll.New(s, in)
	if err != nil {
		return nil, err
	}
	var throws [][]uint32
	for i, n := range sizes {
		made, err := roller.Roll(roll.Place{Number: uint64(i) + 1, Die: die, Dice: n})
		if err != nil {
			return nil, err
		}
		throws = append(throws, made.Dice)
		die += uint64(n)
	}
	return throws, nil
}

func checkYayay(v *vector) outcome {
	switch v.Kind {
	case "die":
		got, err := v.throws(mustDecimal(v.Die), 1)
		return is(err == nil && got[0][0] == v.Face)
	case "throws":
		var sizes []int
		for _, t := range v.Throws {
			sizes = append(sizes, len(t))
		}
		got, err := v.throws(0, sizes...)
		return is(err == nil && slices.EqualFunc(got, v.Throws, slices.Equal))
	case "word":
		word := binary.BigEndian.AppendUint32(nil, v.Word)
		return is(draw.Modulo(&bytesSource{block: word}, 6)+1 == v.Face)
	case "refused":
		die, ok := decimal(v.Die)
		_, err := v.throws(die, v.Size)
		return is(!ok || err != nil)
	}
	return skipped
}

// stream opens shuffle/1.
func (v *vector) stream(nonce, cursor uint64) (*scheme.Stream, error) {
	s, err := scheme.Lookup(scheme.Shuffle1)
	if err != nil {
		return nil, err
	}
	in, err := v.inputs(true)
	if err != nil {
		return nil, err
	}
	opened, err := s.Open(in)
	if err != nil {
		return nil, err
	}
	return opened.StreamAt(nonce, cursor)
}

func checkShuffle(v *vector) outcome {
	switch v.Kind {
	case "stream", "refused":
		v.Clients = []string{v.Client}
		nonce, ok := decimal(v.Nonce)
		stream, err := v.stream(nonce, v.Cursor)
		if v.Kind == "refused" {
			return is(!ok || err != nil)
		}
		if err != nil {
			return failed
		}
		var words []uint32
		if json.Unmarshal(v.Words, &words) != nil || len(words) == 0 {
			return failed
		}
		for i, want := range words {
			word := draw.Word(stream)
			if word != want || i == 0 && draw.IndexOf(word, 10001) != v.Value {
				return failed
			}
		}
		return is(dice.Value(v.Value).String() == v.Shown)
	case "bytes":
		var block []byte
		for _, b := range v.Bytes {
			block = append(block, byte(b))
		}
		value := dice.Hundredths(&bytesSource{block: block})
		return is(uint32(value) == v.Value && value.String() == v.Shown)
	case "index":
		return is(draw.IndexOf(v.Word, v.N) == v.Index)
	}
	return skipped
}

// checkRight wants what the rules give; that the wrong reading differs is the
// vector's own point.
func checkRight(v *vector) outcome {
	s, err := scheme.Lookup(v.Scheme)
	if err != nil {
		return failed
	}
	for i, want := range v.Right {
		var got []uint32
		switch v.Scheme {
		case scheme.Tavli1:
			made, _ := v.tavli(s, uint64(i)+1)
			got = made.Dice
		case scheme.Yayay1:
			if throws, err := v.throws(uint64(i), 1); err == nil {
				got = throws[0]
			}
		case scheme.Shuffle1:
			if stream, err := v.stream(uint64(i)+1, 0); err == nil {
				got = []uint32{uint32(dice.Hundredths(stream))}
			}
		}
		if !slices.Equal(got, want) {
			return failed
		}
	}
	return is(len(v.Right) > 0)
}

// checkReport compares the verdict, its code and its place.
func checkReport(v *vector) outcome {
	text := []byte(v.Text + strings.Repeat("x", v.Pad))
	if v.Hex != "" {
		text = unhex(v.Hex)
	}
	o := verify.Options{Kept: v.Kept, Rolls: v.Noted, Number: v.Number}
	if v.Seal != "" {
		s, err := seed.ParseSeal(v.Seal)
		if err != nil {
			return failed
		}
		o.Seal = &s
	}
	r := verify.Text(text, o)
	return is(r.Verdict == v.Want.Verdict && r.Code == v.Want.Code && r.Place.String() == v.Want.Place &&
		(v.Want.Fit == nil || *v.Want.Fit == r.Fit))
}

func checkAccumulated(v *vector) outcome {
	sum := sha256.New()
	for k := range v.Cases {
		b := sha256.Sum256(binary.BigEndian.AppendUint64([]byte(v.Stream), uint64(k)))
		folded, err := accumulate(v.Scheme, b)
		if err != nil {
			return failed
		}
		sum.Write(folded)
	}
	return is(seed.Hex(sum.Sum(nil)) == v.Sha256)
}

// accumulate is one case as vectors/README.md describes it.
func accumulate(name string, b [32]byte) ([]byte, error) {
	c := &vector{Server: seed.Hex(b[:])}
	first := binary.BigEndian.Uint32(b[:4])
	s, err := scheme.Lookup(name)
	if err != nil {
		return nil, err
	}
	switch name {
	case scheme.Tavli1:
		c.Clients = []string{seed.Hex(b[:16]), seed.Hex(b[16:])}
		made, err := c.tavli(s, uint64(first%100_000)+1)
		if err != nil {
			return nil, err
		}
		return []byte{byte(made.Dice[0]), byte(made.Dice[1])}, nil
	case scheme.Yayay1:
		got, err := c.throws(uint64(first), 1)
		if err != nil {
			return nil, err
		}
		return []byte{byte(got[0][0])}, nil
	}
	c.Clients = []string{seed.Hex(b[:8])}
	stream, err := c.stream(binary.BigEndian.Uint64(b[:8])>>11, uint64(b[31]%64))
	if err != nil {
		return nil, err
	}
	word := draw.Word(stream)
	folded := binary.BigEndian.AppendUint32(nil, word)
	return binary.BigEndian.AppendUint16(folded, uint16(draw.IndexOf(word, 10001))), nil
}

// A bytesSource is a source of the bytes of a block, over and over.
type bytesSource struct {
	block []byte
	at    int
}

func (c *bytesSource) Byte() byte {
	b := c.block[c.at%len(c.block)]
	c.at++
	return b
}
