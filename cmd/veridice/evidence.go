package main

import (
	"strconv"

	"veridice/internal/cli"
	"veridice/record"
	"veridice/seed"
	"veridice/verify"
)

type evidenceView struct {
	Code    *record.Code `json:"code"`
	Message string       `json:"message"`
	Roll    *int         `json:"roll"`
}

func runEvidence(c *cli.Call) int {
	if len(c.Operands) != 2 {
		return c.Misuse("give two NOTEs: files, or - for standard input")
	}
	if !c.Given("key") {
		return c.Misuse("give the --key of who signed them")
	}
	b, err := record.HexField(c.Value("key"))
	if err != nil {
		return c.Misuse("--key: " + reason(err))
	}
	if len(b) != len(seed.Seal{}) {
		return c.Misuse("--key: has " + strconv.Itoa(2*len(b)) + " hex digits, not 64")
	}
	read := &reader{c: c}
	var notes [2][]byte
	for i, name := range c.Operands {
		if notes[i], err = read.noted(name); err != nil {
			return c.Misuse(name + ": " + cli.Reason(err))
		}
	}
	var policy verify.Policy
	if c.Given("policy") {
		text, err := read.noted(c.Value("policy"))
		if err != nil {
			return c.Misuse("--policy: " + c.Value("policy") + ": " + cli.Reason(err))
		}
		var fault *record.SyntaxError
		if policy, fault = readPolicy(text); fault != nil {
			return c.Misuse("--policy: " + c.Value("policy") + ": " + reason(fault))
		}
	}
	code, place := verify.EvidenceUnder(notes[0], notes[1], [32]byte(b), policy)
	words := c.Words().Text("cli.evidence.none")
	exit := cli.Unknown
	v := evidenceView{}
	if code != "" {
		words = c.Words().Text("verify."+string(code), "roll", place.Number)
		exit = cli.Broken
		v.Code, v.Roll = &code, &place.Number
	}
	v.Message = words
	if c.Given("json") {
		if failed := answerJSON(c, v); failed != cli.Proven {
			return failed
		}
		return exit
	}
	if code == "" {
		c.Answer(words)
		return exit
	}
	c.Answer(string(code) + ", " + place.String() + ": " + words)
	c.Hint(c.Words().Text("cli.evidence.hint"))
	return exit
}
