package main

import (
	"errors"
	"io"
	"strconv"
	"strings"

	"veridice/internal/cli"
	"veridice/record"
	"veridice/scheme"
	"veridice/seed"
)

func runSeal(c *cli.Call) int {
	if len(c.Operands) != 1 {
		return c.Misuse("give one SEED")
	}
	text := c.Operands[0]
	if text == "-" {
		// A line longer than any seed is enough to see that it is too long.
		data, err := io.ReadAll(io.LimitReader(c.In, 8*seed.MaxServer))
		if err != nil {
			return c.Fail("standard input: " + cli.Reason(err))
		}
		text = strings.TrimSuffix(strings.TrimSuffix(string(data), "\n"), "\r")
	}
	server, err := parseServer(text, c.Given("text"), 16, 64)
	if err != nil {
		c.Error(err.Error())
		if !c.Given("text") {
			c.Hint("a server seed is 32 to 128 hex digits; add --text if the seed is text, as in shuffle/1")
		}
		return cli.Usage
	}
	if server.Weak() {
		c.Warning(c.Words().Text("verify.finding.weak-seed"))
	}
	c.Answer(server.Seal().String())
	return cli.Proven
}

// parseServer reads a server seed of least to most bytes, given as hex, or as
// text and then taken byte for byte.
func parseServer(text string, isText bool, least, most int) (seed.Server, error) {
	if isText {
		return seed.NewServer([]byte(text))
	}
	b, err := record.HexField(text)
	if err != nil {
		return seed.Server{}, errors.New("server seed: " + reason(err))
	}
	if len(b) < least || len(b) > most {
		wanted := strconv.Itoa(2 * least)
		if least != most {
			wanted += " to " + strconv.Itoa(2*most)
		}
		return seed.Server{}, errors.New("server seed: has " + strconv.Itoa(2*len(b)) + " hex digits, not " + wanted)
	}
	return seed.NewServer(b)
}

// reason is what the readers of package record say, without that they said it.
func reason(err error) string { return strings.TrimPrefix(err.Error(), "record: ") }

// findScheme takes a name with or without its version.
func findScheme(name string) (scheme.Scheme, error) {
	for _, s := range scheme.All() {
		if name == s.Name || name == short(s.Name) {
			return s, nil
		}
	}
	return scheme.Scheme{}, errors.New("--scheme: no scheme " + name + " to roll with; there are " + strings.Join(schemes(), ", "))
}
