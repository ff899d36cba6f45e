package audit

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"veridice/bet"
	"veridice/internal/needs"
)

func fromDisk(names ...string) []Input {
	var list []Input
	for _, name := range names {
		list = append(list, Input{filepath.Base(name), func() (io.ReadCloser, error) { return os.Open(name) }})
	}
	return list
}

// TestShared runs all bets that are kept beside the repository. The counts are
// those of the README there.
func TestShared(t *testing.T) {
	names, err := filepath.Glob(filepath.Join(needs.Shared(t, "vectors"), "*.ndjson"))
	if err != nil {
		t.Fatal(err)
	}
	for _, workers := range []int{1, 4} {
		r := Run(fromDisk(names...), Options{Workers: workers, Stats: true})
		if r.Bets != 1696 || r.Proven != 1679 || r.Broken != 8 || r.Unknown != 9 || r.Seals.Fit != 607 || r.Verdict() != bet.Broken {
			t.Errorf("got %+v", r)
		}
		for i, b := range r.First {
			if b.File != "misprints.ndjson" || b.Line != i+1 {
				t.Errorf("broken: %v", b)
			}
		}
		for _, why := range r.Reasons {
			if why.Code != "site-unknown" || why.First.File != "other.ndjson" {
				t.Errorf("not checked: %+v", why)
			}
		}
	}
}

func TestOwn(t *testing.T) {
	r := Run(fromDisk("../../vectors/games/bets.ndjson"), Options{Workers: 2, Stats: true})
	if r.Proven != r.Bets || r.Bets < 300 || r.Verdict() != bet.Proven {
		t.Errorf("got %+v", r)
	}
	r = Run(fromDisk("../../vectors/games/recorded.ndjson"), Options{Workers: 1})
	if r.Broken != 8 || r.Unknown != 9 || r.Proven < 200 {
		t.Errorf("got %+v", r)
	}
}

// TestOrder: no count depends on the order of the lines, nor on the workers.
func TestOrder(t *testing.T) {
	var lines []string
	for _, name := range []string{"bets", "recorded"} {
		text, err := os.ReadFile("../../vectors/games/" + name + ".ndjson")
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, strings.Split(strings.TrimSpace(string(text)), "\n")...)
	}
	// Faults of a set: bets again, other bets under their nonces, seals.
	lines = append(lines, lines[:20]...)
	for i := range 40 {
		lines = append(lines, fmt.Sprintf(`{"site":"stake","game":"dice","seed":"pair %d","client":"c","nonce":%d,"want":{"roll":"%d"},"next_sealed_as":"%064d","at":"2026-01-01T00:00:%02dZ","revealed_at":"2026-01-01T00:00:30Z"}`,
			i%3, i*i%17, i%5, i%4, i), "not a bet")
	}
	counts := func(r *Report) any {
		r.First, r.Set.OtherAt = nil, nil
		for i := range r.Reasons {
			r.Reasons[i].First = Place{}
		}
		return *r
	}
	want := counts(Run([]Input{input("a", strings.Join(lines, "\n"))}, Options{Workers: 1}))
	if s := want.(Report).Set; s.Repeated == 0 || s.SameBet == 0 || s.OtherBet == 0 || s.Missing == 0 || s.NeverActive == 0 || s.AfterReveal == 0 {
		t.Fatalf("the lines show too little: %+v", s)
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range 30 {
		random.Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
		got := counts(Run([]Input{input("a", strings.Join(lines, "\n"))}, Options{Workers: 1 + random.IntN(4)}))
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("got  %+v\nwant %+v", got, want)
		}
	}
}

// TestSet has one fault of a set at a time.
func TestSet(t *testing.T) {
	const (
		sealA = "ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb" // SHA-256 of "a"
		sealB = "3e23e8160039594a33894f6564e1b1348bbd7a0088d42c4acb73eeaed59c009d" // of "b"
	)
	line := func(seed string, nonce int, more string) string {
		return fmt.Sprintf(`{"site":"stake","game":"dice","seed":"%s","client":"c","nonce":%d,"params":{},"want":{"roll":"0"}%s}`, seed, nonce, more)
	}
	sealAB := sha256.Sum256(bytes.Repeat([]byte{0xab}, 32))
	duelLine := func(digits string, nonce int) string {
		return strings.Replace(line(strings.Repeat(digits, 32), nonce, fmt.Sprintf(`,"sealed_as":"%x"`, sealAB)), "stake", "duel", 1)
	}
	for name, c := range map[string]struct {
		lines []string
		want  SetReport
	}{
		"nothing":   {[]string{line("a", 1, ""), line("a", 2, ""), line("b", 1, "")}, SetReport{Pairs: 2}},
		"same bet":  {[]string{line("a", 1, ""), line("a", 1, ""), line("a", 1, "")}, SetReport{Pairs: 1, Repeated: 2, SameBet: 1}},
		"other bet": {[]string{line("a", 1, ""), strings.Replace(line("a", 1, ""), `"0"`, `"1"`, 1)}, SetReport{Pairs: 1, Repeated: 1, OtherBet: 1, OtherAt: &Place{"a", 2, 0}}},
		"both":      {[]string{line("a", 1, ""), strings.Replace(line("a", 1, ""), `dice`, `limbo`, 1), line("a", 1, "")}, SetReport{Pairs: 1, Repeated: 2, OtherBet: 1, OtherAt: &Place{"a", 2, 0}}},
		"gaps":      {[]string{line("a", 1, ""), line("a", 100, ""), line("b", 7, "")}, SetReport{Pairs: 2, PairsWithGap: 1, Missing: 98}},
		"all of it": {[]string{line("a", 0, ""), line("a", maxInt, "")}, SetReport{Pairs: 1, PairsWithGap: 1, Missing: maxInt - 1}},
		"wrong seal": {[]string{line("a", 1, `,"sealed_as":"`+sealB+`"`), line("a", 2, `,"sealed_as":"`+strings.ToUpper(sealA)+`"`)},
			SetReport{Pairs: 1, WrongSeals: 1}},
		"two seeds": {[]string{line("a", 1, `,"sealed_as":"`+sealA+`"`), line("b", 1, `,"sealed_as":"`+strings.ToUpper(sealA)+`"`)},
			SetReport{Pairs: 2, WrongSeals: 1, TwoSeeds: 1}},
		"seed in capitals": {[]string{duelLine("ab", 1), duelLine("AB", 2)}, SetReport{Pairs: 2}},
		"next came":        {[]string{line("a", 1, `,"next_sealed_as":"`+strings.ToUpper(sealB)+`"`), line("b", 1, "")}, SetReport{Pairs: 2}},
		"next never":       {[]string{line("a", 1, `,"next_sealed_as":"`+sealB+`"`), line("c", 1, `,"next_sealed_as":"`+sealA+`"`)}, SetReport{Pairs: 2, NeverActive: 1}},
		"revealed": {[]string{line("a", 1, `,"at":"2026-01-01T00:00:00Z","revealed_at":"2026-01-01T01:00:00+01:00"`), line("b", 1, `,"at":"2026-01-01T00:00:01Z"`), line("b", 2, `,"revealed_at":"2026-01-01T00:00:00Z"`)},
			SetReport{Pairs: 2, AfterReveal: 1}},
		"other moments": {[]string{line("a", 1, `,"at":"yesterday","revealed_at":"2026-01-01 00:00:00"`), line("a", 2, `,"at":"2026-01-01T00:00:00Z"`)}, SetReport{Pairs: 1, TimesNotRead: 2}},
		"other cursors": {[]string{line("a", 1, ""), strings.Replace(line("a", 1, `,"cursor":4`), `"0"`, `"1"`, 1), line("a", 2, `,"cursor":0`)}, SetReport{Pairs: 1}},
		"other clients": {[]string{line("a", 1, ""), strings.Replace(line("a", 1, ""), `"c"`, `"d"`, 1)}, SetReport{Pairs: 2}},
	} {
		t.Run(name, func(t *testing.T) {
			r := Run([]Input{input("a", strings.Join(c.lines, "\n"))}, Options{Workers: 1})
			if !reflect.DeepEqual(r.Set, c.want) {
				t.Errorf("got %+v want %+v", r.Set, c.want)
			}
		})
	}
}

// TestSetLimit fills what is remembered and wants it said.
func TestSetLimit(t *testing.T) {
	s := newSet()
	for i := range uint64(MaxStretches + 5) {
		s.add(use{pair: mix(i, 7), counted: true}, nil)
	}
	if r := s.report(); r.NotChecked < 5 || r.NotChecked > 10 {
		t.Errorf("%d bets were beyond the limit", r.NotChecked)
	}
	for i := range uint64(MaxPairs + 1) {
		s.take(i, Place{})
	}
	if r := s.report(); !r.SeedsOut || r.Pairs != MaxPairs {
		t.Errorf("%d pairs", r.Pairs)
	}
}

// endlessFile makes dice bets of one seed pair while it is read.
type endlessFile struct {
	bets, left int
	rest       []byte
}

func (f *endlessFile) Read(b []byte) (int, error) {
	if len(f.rest) == 0 {
		if f.left == 0 {
			return 0, io.EOF
		}
		f.rest = fmt.Appendf(f.rest[:0], `{"site":"stake","game":"dice","seed":"s","client":"c","nonce":%d,"params":{},"want":{"roll":"50.00"}}`+"\n", f.bets-f.left)
		f.left--
	}
	n := copy(b, f.rest)
	f.rest = f.rest[n:]
	return n, nil
}

func (*endlessFile) Close() error { return nil }

// TestMemory: a file ten times as long takes no more, but for what the set holds
// of it, 32 bytes a bet at most while its table grows.
func TestMemory(t *testing.T) {
	peak := func(bets int) uint64 {
		var most uint64
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		before := m.HeapAlloc
		n := 0
		Run([]Input{{"a", func() (io.ReadCloser, error) { return &endlessFile{bets, bets, nil}, nil }}}, Options{Workers: 2, Progress: func(int64, uint64) {
			if n++; n%4 == 1 {
				runtime.GC()
				runtime.ReadMemStats(&m)
				most = max(most, m.HeapAlloc-min(before, m.HeapAlloc))
			}
		}})
		return most
	}
	small, large := peak(20_000), peak(200_000)
	if large > small+32*200_000 {
		t.Errorf("%d bytes for 20,000 bets, %d for 200,000", small, large)
	}
}

// TestNoAllocation: a bet of the fast way takes none, from the line to the set.
// What does is a seed pair, and a run.
func TestNoAllocation(t *testing.T) {
	for name, text := range map[string]func(n, each int) string{"NDJSON": diceLines, "CSV": diceCSV} {
		run := func(bets int) float64 {
			in := []Input{input("a", text(bets, bets))}
			return testing.AllocsPerRun(3, func() {
				if r := Run(in, Options{Workers: 1}); r.Broken+r.Unknown > 0 || r.Proven != uint64(bets) {
					t.Fatalf("got %+v", r)
				}
			})
		}
		if few, many := run(500), run(10_000); many-few > 40 {
			t.Errorf("%s: %v allocations for 500 bets, %v for 10,000", name, few, many)
		}
	}
}

// TestWorkersAgree compares the reports of one and of several workers, the places
// among them.
func TestWorkersAgree(t *testing.T) {
	var text bytes.Buffer
	good := strings.SplitAfter(diceLines(3000, 100), "\n")
	for i, l := range good {
		text.WriteString(l)
		if i%97 == 0 {
			text.WriteString("oops\n")
		}
		if i%89 == 0 {
			text.WriteString(strings.Replace(l, `"want":{"roll":"`, `"want":{"roll":"1`, 1))
		}
	}
	in := []Input{input("a", text.String()), {"none", func() (io.ReadCloser, error) { return nil, os.ErrNotExist }}, input("b", strings.Repeat(text.String(), 3))}
	want := Run(in, Options{Workers: 1})
	if want.Broken != 4*34 || want.Unknown != 4*31+1 || len(want.First) != firstBroken || want.First[1].Line != 93 {
		t.Fatalf("got %+v", want)
	}
	for workers := 2; workers < 6; workers++ {
		if got := Run(in, Options{Workers: workers}); !reflect.DeepEqual(got, want) {
			t.Errorf("%d workers: got %+v want %+v", workers, got, want)
		}
	}
}
