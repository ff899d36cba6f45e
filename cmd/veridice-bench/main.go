// Command veridice-bench measures how fast rolls are derived and bets audited, and
// prints ratios of one run. The unit b is the time of one 64-byte block of
// crypto/sha256 on long input in the same process. It is a tool for whoever works on
// Veridice and stands outside the offline promise, since it starts node to compare.
package main

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"veridice/internal/audit"
	"veridice/internal/bulk"
	"veridice/internal/lanes"
	"veridice/scheme"
	"veridice/seed"
)

// runs is how often each case is timed. The cases take turns, and the fastest run
// counts: whatever else the machine does can only make one slower.
const runs = 150

// rolls is the number of rolls in one timing.
const rolls = 16 * 256

// auditBets is the number of bets in one timing of the audit.
const auditBets = 20_000

// A measure is one case: what it does with a number of units, and its fastest run.
type measure struct {
	name  string
	units int
	do    func()
	ns    float64 // of one unit
}

func main() {
	if len(os.Args) != 1 {
		fmt.Fprintln(os.Stderr, "veridice-bench: error: takes no arguments")
		os.Exit(2)
	}
	if err := run(os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "veridice-bench: error: "+err.Error())
		os.Exit(1)
	}
}

func run(out io.Writer) error {
	server := sha256.Sum256([]byte("veridice bench"))
	sealed, err := seed.NewServer(server[:])
	if err != nil {
		return err
	}
	clients := []seed.Client{seed.Client(seed.Hex(server[:16])), seed.Client(seed.Hex(server[16:]))}
	tavli := func() *bulk.Tavli {
		t, e := bulk.NewTavli(scheme.Inputs{Server: sealed, Clients: clients})
		if e != nil {
			err = e
		}
		return t
	}
	one, two := tavli(), tavli()
	if err != nil {
		return err
	}
	yayay := bulk.NewYayay(server)
	floats := bulk.NewFloats([]byte(seed.Hex(server[:])), []byte(clients[0]))
	long, dst, other, words := make([]byte, 1<<20), make([]byte, rolls), make([]byte, rolls), make([]uint32, rolls)
	message := []byte(string(clients[0]) + ":" + string(clients[1]) + ":")

	lines, table := bets(auditBets)
	held, e := audit.Hold(lines)
	if e != nil {
		return e
	}
	auditOf := func(text string, workers int) func() {
		open := func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil }
		return func() {
			if r := audit.Run([]audit.Input{{Name: "bets", Open: open}}, audit.Options{Workers: workers}); r.Proven != auditBets {
				err = fmt.Errorf("the audit proved %d of %d bets", r.Proven, auditBets)
			}
		}
	}
	cases := []*measure{
		{name: "b: a block of crypto/sha256", units: len(long) / 64, do: func() { sha256.Sum256(long) }},
		{name: "tavli roll, hmac.New", units: rolls, do: func() {
			for n := range rolls {
				h := hmac.New(sha256.New, server[:])
				h.Write(strconv.AppendInt(message[:len(message):len(message)], int64(n), 10))
				h.Sum(nil)
			}
		}},
		{name: "tavli roll, portable", units: rolls, do: func() {
			for n := range dst {
				dst[n] = one.Roll(uint64(n) + 1)
			}
		}},
		{name: "tavli roll", units: rolls, do: func() { one.Rolls(dst, 1) }},
		{name: "tavli roll, two workers", units: 2 * rolls, do: func() {
			var both sync.WaitGroup
			both.Go(func() { one.Rolls(dst, 1) })
			both.Go(func() { two.Rolls(other, 1) })
			both.Wait()
		}},
		{name: "yayay die, portable", units: rolls, do: func() {
			for n := range dst {
				dst[n] = yayay.Die(uint32(n))
			}
		}},
		{name: "yayay die", units: rolls, do: func() { yayay.Dice(dst, 0) }},
		{name: "float, portable", units: rolls, do: func() {
			for n := range words {
				floats.Block(uint64(n), 0)
			}
		}},
		{name: "float", units: rolls, do: func() { floats.FirstWords(words, 0) }},
		{name: "bets in memory, verified", units: auditBets, do: func() {
			if n := held.Check(); n != auditBets {
				err = fmt.Errorf("%d of %d bets are proven", n, auditBets)
			}
		}},
		{name: "audit, CSV", units: auditBets, do: auditOf(table, 1)},
		{name: "audit, NDJSON", units: auditBets, do: auditOf(lines, 1)},
		{name: "audit, CSV, two workers", units: auditBets, do: auditOf(table, 2)},
		{name: "audit, NDJSON, two workers", units: auditBets, do: auditOf(lines, 2)},
	}
	times := make([][]float64, len(cases))
	for range runs {
		for i, m := range cases {
			start := time.Now()
			m.do()
			times[i] = append(times[i], float64(time.Since(start).Nanoseconds())/float64(m.units))
		}
	}
	if err != nil {
		return err
	}
	of := map[string]float64{}
	for i, m := range cases {
		m.ns = slices.Min(times[i])
		of[m.name] = m.ns
	}
	b := cases[0].ns
	fmt.Fprintf(out, "%-34s %8.1f ns\n", cases[0].name, b)
	for _, m := range cases[1:] {
		fmt.Fprintf(out, "%-34s %8.2f b\n", m.name, m.ns/b)
	}
	fmt.Fprintf(out, "%-34s %8.2f times one\n", "two workers, tavli rolls", of["tavli roll"]/of["tavli roll, two workers"])
	for _, format := range []string{"CSV", "NDJSON"} {
		fmt.Fprintf(out, "%-34s %8.2f times verifying alone, with the checks of the set\n", "audit, "+format, of["audit, "+format]/of["bets in memory, verified"])
	}
	fmt.Fprintf(out, "%-34s %8.2f times one\n", "two workers, audit of CSV", of["audit, CSV"]/of["audit, CSV, two workers"])
	fmt.Fprintf(out, "%-34s %8.2f times one\n", "two workers, audit of NDJSON", of["audit, NDJSON"]/of["audit, NDJSON, two workers"])
	if lanes.Wide() {
		fmt.Fprintln(out, "sixteen at once: AVX-512")
	} else {
		fmt.Fprintln(out, "sixteen at once: not on this processor; the portable way is the only one")
	}
	node, err := nodeLoop()
	if err != nil {
		fmt.Fprintf(out, "node: not compared (%v)\n", err)
		return nil
	}
	fmt.Fprintf(out, "%-34s %8.2f b, %.1f times the portable way, %.1f times ours\n", "node, createHmac", node/b, node/of["tavli roll, portable"], node/of["tavli roll"])
	return nil
}

// bets makes bets of Stake's dice, a hundred under each seed pair, as NDJSON and
// as CSV. The outcomes come from crypto/hmac.
func bets(n int) (lines, table string) {
	var j, c strings.Builder
	c.WriteString("site,game,seed,client,nonce,want.roll\n")
	var server, client string
	for i := range n {
		if i%100 == 0 {
			sum := sha256.Sum256(strconv.AppendInt([]byte("veridice bench "), int64(i), 10))
			server, client = seed.Hex(sum[:]), seed.Hex(sum[:8])
		}
		h := hmac.New(sha256.New, []byte(server))
		fmt.Fprintf(h, "%s:%d:0", client, i%100)
		var word uint64
		for _, x := range h.Sum(nil)[:4] {
			word = word<<8 | uint64(x)
		}
		v := word * 10001 >> 32
		fmt.Fprintf(&j, `{"site":"stake","game":"dice","seed":"%s","client":"%s","nonce":%d,"params":{},"want":{"roll":"%d.%02d"}}`+"\n", server, client, i%100, v/100, v%100)
		fmt.Fprintf(&c, "stake,dice,%s,%s,%d,%d.%02d\n", server, client, i%100, v/100, v%100)
	}
	return j.String(), c.String()
}

// loop does the same rolls in Node and prints nanoseconds a roll.
const loop = `
const { createHmac } = require('node:crypto');
const key = Buffer.alloc(32, 7), clients = 'a'.repeat(32) + ':' + 'b'.repeat(32) + ':';
const rolls = 50000, times = [];
for (let run = 0; run < 7; run++) {
  const start = process.hrtime.bigint();
  for (let n = 1; n <= rolls; n++) {
    const mac = createHmac('sha256', key).update(clients + n).digest();
    let at = 0;
    while (mac[at] >= 252) at++;
  }
  times.push(Number(process.hrtime.bigint() - start) / rolls);
}
console.log(Math.min(...times));
`

func nodeLoop() (float64, error) {
	out, err := exec.Command("node", "-e", loop).Output()
	if err != nil {
		return 0, err
	}
	return strconv.ParseFloat(string(bytes.TrimSpace(out)), 64)
}
