package main

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"veridice/game/dice"
	"veridice/internal/cli"
	"veridice/record"
	"veridice/roll"
	"veridice/scheme"
	"veridice/seed"
)

// fitting lists which flags of roll go with which scheme.
var fitting = map[string][]string{
	scheme.Tavli1:   {"client-seed", "from", "count"},
	scheme.Yayay1:   {"from", "count", "dice"},
	scheme.Shuffle1: {"client-seed", "nonce"},
}

func runRoll(c *cli.Call) int {
	if !c.Given("scheme") {
		return c.Misuse("give --scheme: " + strings.Join(schemes(), ", "))
	}
	s, err := findScheme(c.Value("scheme"))
	if err != nil {
		return c.Misuse(err.Error())
	}
	for _, name := range []string{"client-seed", "from", "count", "dice", "nonce"} {
		if c.Given(name) && !slices.Contains(fitting[s.Name], name) {
			return c.Misuse("--" + name + " does not go with " + s.Name)
		}
	}
	if !c.Given("server-seed") {
		return c.Misuse("give --server-seed")
	}
	in := scheme.Inputs{}
	if in.Server, err = parseServer(c.Value("server-seed"), s.TextServer, s.MinServer, s.MaxServer); err != nil {
		return c.Misuse(err.Error())
	}
	for _, text := range c.Values("client-seed") {
		in.Clients = append(in.Clients, seed.Client(text))
	}
	if err := s.Check(in); err != nil {
		return c.Misuse(err.Error())
	}
	var lines []string
	if s.Name == scheme.Shuffle1 {
		lines, err = value(c, s, in)
	} else {
		lines, err = rolls(c, s, in)
	}
	if err != nil {
		return c.Misuse(err.Error())
	}
	for _, line := range lines {
		c.Answer(line)
	}
	return cli.Proven
}

// value is the one line of shuffle/1.
func value(c *cli.Call, s scheme.Scheme, in scheme.Inputs) ([]string, error) {
	if !c.Given("nonce") {
		return nil, errors.New("give --nonce")
	}
	nonce, err := number(c, "nonce", s.First, s.Last)
	if err != nil {
		return nil, err
	}
	opened, err := s.Open(in)
	if err != nil {
		return nil, err
	}
	stream, err := opened.Stream(nonce)
	if err != nil {
		return nil, err
	}
	return []string{dice.Hundredths(stream).String()}, nil
}

// rolls are the lines of tavli/1 and yayay/1.
func rolls(c *cli.Call, s scheme.Scheme, in scheme.Inputs) ([]string, error) {
	n, last := 2, s.Last
	if s.Name == scheme.Yayay1 {
		if c.Given("dice") {
			given, err := number(c, "dice", 1, dice.MaxThrow)
			if err != nil {
				return nil, err
			}
			n = int(given)
		}
		last = (s.Last + 1) / uint64(n) // the number of whole throws
	}
	from, count := uint64(1), uint64(1)
	var err error
	if c.Given("from") {
		if from, err = number(c, "from", 1, last); err != nil {
			return nil, err
		}
	}
	if c.Given("count") {
		if count, err = number(c, "count", 1, record.MaxRolls); err != nil {
			return nil, err
		}
	}
	if count > last-from+1 {
		return nil, errors.New("--count: from " + strconv.FormatUint(from, 10) + " on there are only " +
			strconv.FormatUint(last-from+1, 10) + " rolls, the last is " + strconv.FormatUint(last, 10))
	}
	roller, err := roll.New(s, in)
	if err != nil {
		return nil, err
	}
	place := roll.Place{Number: from, Dice: n}
	if s.Name == scheme.Yayay1 {
		place.Die = (from - 1) * uint64(n)
	}
	lines := make([]string, 0, count)
	for range count {
		made, err := roller.Roll(place)
		if err != nil {
			return nil, err
		}
		lines = append(lines, strconv.FormatUint(made.Number, 10)+" "+written(made.Dice))
		place = place.Next(n)
	}
	return lines, nil
}

// number reads a decimal from least to most. There is no other form: no sign, no
// leading zero, no blank.
func number(c *cli.Call, flag string, least, most uint64) (uint64, error) {
	text := c.Value(flag)
	digits := text != "" && strings.Trim(text, "0123456789") == "" && (text == "0" || text[0] != '0')
	n, err := strconv.ParseUint(text, 10, 64)
	switch {
	case !digits:
		return 0, errors.New("--" + flag + ": " + strconv.Quote(text) + " is not a decimal number")
	case err != nil || n < least || n > most:
		return 0, errors.New("--" + flag + ": " + text + " is not from " +
			strconv.FormatUint(least, 10) + " to " + strconv.FormatUint(most, 10))
	}
	return n, nil
}

// written is a roll as people write it: 6-3.
func written(dice []uint32) string {
	texts := make([]string, len(dice))
	for i, d := range dice {
		texts[i] = strconv.FormatUint(uint64(d), 10)
	}
	return strings.Join(texts, "-")
}
