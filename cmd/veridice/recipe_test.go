package main

import (
	"bytes"
	"encoding/json"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"veridice/internal/needs"
	"veridice/record"
	"veridice/scheme"
	"veridice/seed"
	"veridice/vectors"
	"veridice/verify"
)

// TestRecipes has openssl and Python come to the dice. The dice are those that
// spec/schemes.md prints.
func TestRecipes(t *testing.T) {
	needs.Program(t, "openssl")
	python := needs.Program(t, "python3")
	var inShell, inPython, want []string // one process for all of each: starting one costs more than the recipe
	yayay := "a9d223da0511d4e74a62e5bd9e47f44415e7c233954ec494fa2f91145d42de90"
	throws := func(sizes ...int) []record.Entry {
		var entries []record.Entry
		for i, n := range sizes {
			entries = append(entries, record.Entry{Number: uint64(i) + 1, Dice: make([]uint32, n)})
		}
		return entries
	}
	for _, c := range []struct {
		scheme, server string
		clients        []seed.Client
		entries        []record.Entry
		roll           uint64
		dice           string
	}{
		{scheme.Tavli1, exampleSeed, []seed.Client{exampleA, exampleB}, nil, 1, "2-1"},
		{scheme.Tavli1, exampleSeed, []seed.Client{exampleA, exampleB}, nil, 12, "6-6"},
		{scheme.Tavli1, exampleSeed, []seed.Client{exampleA, exampleB}, nil, 87, "6-6"},
		{scheme.Tavli1, exampleSeed, []seed.Client{exampleA, exampleB}, nil, 1417, "2-2"},
		{scheme.Tavli1, "a6b89e5b0ba9e784755dde1d8d3b9003", []seed.Client{"Lucky_7"}, nil, 2, "3-1"},
		{scheme.Tavli1, "c65679235b999482dcf9ddccae8300ddc827b22b4d636110ccaa8a1c5aa5a6a6d10b7f72b9cd6485a6fb031f585141c99c20a82e981d3b4e2031b952e5353a60",
			[]seed.Client{"a", "B-2", seed.Client(strings.Repeat("_", 128))}, nil, 7, "1-1"},
		{scheme.Yayay1, yayay, nil, throws(2, 2), 2, "2-1"},
		{scheme.Yayay1, yayay, nil, throws(16), 1, "6-1-2-1-3-2-4-1-4-1-3-5-6-5-3-6"},
		{scheme.Yayay1, "3ccbede8757323fb62f038b8f53bfe35e06b6dcec081613f854bff489436249d", nil, throws(5, 1, 5), 2, "1"},
		{scheme.Yayay1, "3ccbede8757323fb62f038b8f53bfe35e06b6dcec081613f854bff489436249d", nil, throws(5, 1, 5), 3, "6-6-6-3-4"},
		{scheme.Yayay1, strings.Repeat("00", 32), nil, throws(100, 100, 55, 1), 4, "3"}, // die 255
	} {
		b, ok := seed.ParseHex(c.server)
		if !ok {
			t.Fatal("bad hex")
		}
		server, err := seed.NewServer(b)
		if err != nil {
			t.Fatal(err)
		}
		r := &record.Record{Scheme: c.scheme, Server: server, Clients: c.clients, Entries: c.entries}
		made, err := verify.Explain(r, c.roll)
		if err != nil {
			t.Fatal(err)
		}
		e := explanation{record: r, roll: made}
		if got := written(made.Dice); got != c.dice {
			t.Errorf("%s roll %d: explained as %s, want %s", c.scheme, c.roll, got, c.dice)
		}
		want = append(want, c.dice)
		inShell = append(inShell, e.openssl())
		inPython = append(inPython, e.python())
	}
	chains := 0
	lines, err := vectors.Lines("veridice1.ndjson")
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range lines {
		var v struct{ Name, Text string }
		if err := json.Unmarshal(line, &v); err != nil {
			t.Fatal(err)
		}
		if v.Name != "record-signed-by-all" && v.Name != "record-sixteen-seats" && v.Name != "record-cards-and-large-dice" {
			continue
		}
		r, err := record.Parse([]byte(v.Text))
		if err != nil {
			t.Fatal(err)
		}
		for i, e := range r.Rolls() {
			made, err := verify.ExplainChain(r, uint64(i)+1)
			if err != nil {
				t.Fatal(err)
			}
			one := chained{made, e.Dice}
			want = append(want, written(e.Dice))
			inShell = append(inShell, one.openssl())
			inPython = append(inPython, one.python())
			chains++
		}
	}
	if chains < 10 {
		t.Errorf("only %d rolls of veridice/1", chains)
	}
	if diff := cmp.Diff(want, strings.Fields(run(t, strings.Join(inShell, "\n"), "sh"))); diff != "" {
		t.Errorf("openssl (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(want, strings.Fields(run(t, strings.Join(inPython, "\n"), python, "-"))); diff != "" {
		t.Errorf("python (-want +got):\n%s", diff)
	}
}

// TestOctal has a shell print every byte by itself, since a seed may hold any: a
// percent sign, a zero, a backslash.
func TestOctal(t *testing.T) {
	all := make([]byte, 256)
	for i := range all {
		all[i] = byte(i)
	}
	if got := run(t, `printf "`+octal(all)+`" | od -An -v -tu1`, "sh"); len(strings.Fields(got)) != len(all) {
		t.Fatalf("got %d bytes, want 256", len(strings.Fields(got)))
	} else {
		for i, text := range strings.Fields(got) {
			if text != strconv.Itoa(i) {
				t.Errorf("byte %d came out as %s", i, text)
			}
		}
	}
}

// run gives a script to a program and returns what it prints.
func run(t *testing.T, script, name string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Stdin = strings.NewReader(script)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil || stderr.Len() > 0 {
		t.Fatalf("%s: %v\n%s\n%s", name, err, stderr.Bytes(), script)
	}
	return strings.TrimSpace(string(out))
}
