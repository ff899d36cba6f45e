package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"veridice/roll"
	"veridice/scheme"
	"veridice/seed"
	"veridice/verify"
)

// selfTest holds this build to the embedded vectors of what a server does: it
// derives rolls of tavli/1 and writes what a check must find proven. "veridice
// selftest" runs all vectors.
func selfTest(lines func(file string) ([][]byte, error)) error {
	type vector struct {
		Name, Server, Refused, Text, Seal string
		Clients                           []seed.Client
		Roll                              json.RawMessage
		Dice                              []uint32
		Noted                             [][]uint32
		Number, Pad                       int
		Kept                              bool
		Want                              struct {
			Verdict verify.Verdict
			Place   string
		}
	}
	for file, check := range map[string]func(v *vector) error{
		"tavli.ndjson": func(v *vector) error {
			if v.Refused != "" {
				return nil // a server makes none of these
			}
			number, err := strconv.ParseUint(string(v.Roll), 10, 64)
			if err != nil {
				return err
			}
			dice, err := derive(v.Server, v.Clients, number)
			if err == nil && !slices.Equal(dice, v.Dice) {
				err = fmt.Errorf("the dice are %v, not %v", dice, v.Dice)
			}
			return err
		},
		"links.ndjson": func(v *vector) error {
			if v.Seal != "" || v.Noted != nil || v.Kept || v.Number != 0 || v.Pad != 0 {
				return nil // about what a reader adds
			}
			r := verify.Text([]byte(v.Text), verify.Options{})
			if r.Verdict != v.Want.Verdict || r.Place.String() != v.Want.Place {
				return fmt.Errorf("is %s at %q, not %s at %q", r.Verdict, r.Place, v.Want.Verdict, v.Want.Place)
			}
			return nil
		},
	} {
		all, err := lines(file)
		if err != nil {
			return err
		}
		if len(all) < 10 {
			return fmt.Errorf("%s holds only %d vectors", file, len(all))
		}
		for _, line := range all {
			v := new(vector)
			if err := json.Unmarshal(line, v); err != nil {
				return fmt.Errorf("%s: %v", file, err)
			}
			if err := check(v); err != nil {
				return fmt.Errorf("%s, %s: %v", file, v.Name, err)
			}
		}
	}
	return nil
}

// derive makes one roll of tavli/1.
func derive(server string, clients []seed.Client, number uint64) ([]uint32, error) {
	s, err := scheme.Lookup(scheme.Tavli1)
	if err != nil {
		return nil, err
	}
	b, ok := seed.ParseHex(server)
	if !ok {
		return nil, errors.New("the server seed is not hex")
	}
	secret, err := seed.NewServer(b)
	if err != nil {
		return nil, err
	}
	roller, err := roll.New(s, scheme.Inputs{Server: secret, Clients: clients})
	if err != nil {
		return nil, err
	}
	made, err := roller.Roll(roll.Place{Number: number, Dice: 2})
	return made.Dice, err
}
