package audit

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"io"
	"strings"
	"testing"
)

// diceLines has n bets of Stake's dice as NDJSON, so many under each seed pair,
// with the outcome by crypto/hmac.
func diceLines(n, each int) string {
	var b strings.Builder
	dice(n, each, func(seed, client, seal string, nonce, value int) {
		fmt.Fprintf(&b, `{"site":"stake","game":"dice","seed":"%s","sealed_as":"%s","client":"%s","nonce":%d,"params":{},"want":{"roll":"%d.%02d"}}`+"\n",
			seed, seal, client, nonce, value/100, value%100)
	})
	return b.String()
}

func diceCSV(n, each int) string {
	var b strings.Builder
	b.WriteString("site,game,seed,sealed_as,client,nonce,want.roll\n")
	dice(n, each, func(seed, client, seal string, nonce, value int) {
		fmt.Fprintf(&b, "stake,dice,%s,%s,%s,%d,%d.%02d\n", seed, seal, client, nonce, value/100, value%100)
	})
	return b.String()
}

func dice(n, under int, each func(seed, client, seal string, nonce, value int)) {
	var seed, client, seal string
	for i := range n {
		if i%under == 0 {
			sum := sha256.Sum256(fmt.Append(nil, "veridice audit ", i))
			seed, client = fmt.Sprintf("%x", sum), fmt.Sprintf("%x", sum[:8])
			seal = fmt.Sprintf("%x", sha256.Sum256([]byte(seed)))
		}
		h := hmac.New(sha256.New, []byte(seed))
		fmt.Fprintf(h, "%s:%d:0", client, i%under+1)
		each(seed, client, seal, i%under+1, int(uint64(binary.BigEndian.Uint32(h.Sum(nil)))*10001>>32))
	}
}

const benchBets = 100_000

func benchmarkRun(b *testing.B, text string, workers int) {
	in := []Input{{"a", func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil }}}
	for b.Loop() {
		if r := Run(in, Options{Workers: workers}); r.Proven != benchBets {
			b.Fatalf("got %+v", r)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/benchBets, "ns/bet")
}

// BenchmarkVerify checks bets that are in memory already: the measure for those
// that are read from a file.
func BenchmarkVerify(b *testing.B) {
	held, err := Hold(diceLines(benchBets, 100))
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if held.Check() != benchBets {
			b.Fatal("not all are proven")
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/benchBets, "ns/bet")
}

func BenchmarkCSV(b *testing.B)       { benchmarkRun(b, diceCSV(benchBets, 100), 1) }
func BenchmarkNDJSON(b *testing.B)    { benchmarkRun(b, diceLines(benchBets, 100), 1) }
func BenchmarkNDJSONTwo(b *testing.B) { benchmarkRun(b, diceLines(benchBets, 100), 2) }
