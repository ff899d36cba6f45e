package main

import (
	"bytes"
	"errors"
	"slices"
	"strconv"

	"veridice/checkpoint"
	"veridice/internal/cli"
	"veridice/record"
	"veridice/scheme"
	"veridice/seed"
	"veridice/verify"
)

// unreadable is the one code that package verify does not have: there was no
// text to check.
const unreadable record.Code = "unreadable"

func runVerify(c *cli.Call) int {
	if len(c.Operands) == 0 {
		return c.Misuse("give an INPUT: a share link, a file, or - for standard input")
	}
	if last := c.Operands[len(c.Operands)-1]; len(c.Operands) > 1 && isNumber(last) {
		return c.Misuse(last + " is no INPUT: every roll is checked; veridice explain --roll " + last + " shows one")
	}
	if c.Given("q") && c.Given("json") {
		return c.Misuse("-q and --json exclude each other")
	}
	if c.Given("seal") && c.Given("opening") {
		return c.Misuse("--seal and --opening are one thing: give one of them")
	}
	notes := notes{}
	for _, flag := range []string{"seal", "opening"} {
		if !c.Given(flag) {
			continue
		}
		b, err := record.HexField(c.Value(flag))
		if err != nil {
			return c.Misuse("--" + flag + ": " + reason(err))
		}
		notes.seal, notes.flag = append([]byte{}, b...), flag // never nil: "" was given, and is no seal
	}
	read := &reader{c: c}
	for _, name := range c.Values("head") {
		text, err := read.noted(name)
		if err != nil {
			return c.Misuse("--head: " + name + ": " + cli.Reason(err))
		}
		notes.heads = append(notes.heads, text)
	}
	if c.Given("policy") {
		text, err := read.noted(c.Value("policy"))
		if err != nil {
			return c.Misuse("--policy: " + c.Value("policy") + ": " + cli.Reason(err))
		}
		notes.policy, notes.policyFault = readPolicy(text)
	}
	if c.Given("rolls") {
		text, err := read.noted(c.Value("rolls"))
		if err != nil {
			return c.Misuse("--rolls: " + c.Value("rolls") + ": " + cli.Reason(err))
		}
		notes.rolls, notes.hasRolls = string(text), true
	}
	worst := cli.Proven
	for i, operand := range c.Operands {
		in := read.read(operand, i+1)
		report, o, err := check(in, notes)
		if err != nil {
			return c.Misuse(err.Error())
		}
		code := report.Verdict.Exit()
		if code == cli.Broken || worst == cli.Proven {
			worst = code
		}
		switch {
		case c.Given("q"):
		case c.Given("json"):
			if code := answerJSON(c, viewOf(c.Words(), in, report, o)); code != cli.Proven {
				return code
			}
		default:
			printReport(c, in, report, o, len(c.Operands) > 1)
		}
	}
	return worst
}

// noted reads a file of --rolls, --head or --policy.
func (r *reader) noted(name string) ([]byte, error) {
	if name == "-" {
		return r.standard()
	}
	return file(name)
}

// readPolicy gives a policy or says why there is none.
func readPolicy(text []byte) (verify.Policy, *record.SyntaxError) {
	p, err := checkpoint.ParsePolicy(text)
	if fault := (*record.SyntaxError)(nil); errors.As(err, &fault) {
		return nil, fault
	}
	return p, nil
}

// notes are what the reader noted.
type notes struct {
	policy      verify.Policy
	policyFault *record.SyntaxError // of a policy that cannot be read

	seal     []byte // as given, nil if it was not
	flag     string // by which it was given
	heads    [][]byte
	rolls    string
	hasRolls bool
}

// check checks one input against the notes. The options are what it checked
// with; the error names the flag whose value cannot be used.
func check(in input, n notes) (*verify.Report, verify.Options, error) {
	o := verify.Options{Heads: n.heads, Policy: n.policy, PolicyFault: n.policyFault}
	if len(n.seal) == len(seed.Seal{}) {
		s := seed.Seal(n.seal)
		o.Seal = &s
	}
	if in.err != nil {
		code := unreadable
		if errors.Is(in.err, errLarge) {
			code = record.TooLong
		}
		return &verify.Report{Verdict: verify.Unknown, Code: code}, o, nil
	}
	report := verify.Text(in.text, o)
	if n.seal != nil && o.Seal == nil {
		// A server seed of another length than a seal's is named as what it is.
		if report.Record == nil || !bytes.Equal(n.seal, report.Record.Server.Reveal()) {
			return nil, o, errors.New("--" + n.flag + ": has " + strconv.Itoa(2*len(n.seal)) + " hex digits, not 64")
		}
		report.Verdict, report.Code, report.Place, report.NotProven = verify.Unknown, verify.SealAsSeed, verify.Place{}, nil
		return report, o, nil
	}
	if report.Record == nil {
		return report, o, nil
	}
	if len(n.heads) > 0 && report.Record.Chain == nil {
		return nil, o, errors.New("--head: " + in.name + ": a record of " + report.Scheme + " has no heads")
	}
	if n.hasRolls {
		dice := 0
		if report.Scheme == scheme.Tavli1 {
			dice = 2
		}
		rolls, err := record.ReadRolls(n.rolls, dice)
		if err == nil && slices.ContainsFunc(report.Record.Rolls(), large) {
			err = &record.SyntaxError{Code: record.BadRolls, Line: 1, Words: "only dice of up to six faces are read from a list"}
		}
		var fault *record.SyntaxError
		if errors.As(err, &fault) {
			place := verify.Place{Kind: "line", Number: fault.Line, Column: fault.Column}
			return &verify.Report{
				Verdict: verify.Unknown, Code: fault.Code, Place: place, Fault: fault,
				Record: report.Record, Scheme: report.Scheme, State: report.State,
			}, o, nil
		}
		o.Rolls = rolls
		report = verify.Text(in.text, o)
	}
	return report, o, nil
}

// large reports whether a die of a roll has more than six faces: its 12 would be read as
// a 1 and a 2.
func large(roll record.Entry) bool {
	return slices.ContainsFunc(roll.Faces, func(n uint32) bool { return n > 6 })
}
