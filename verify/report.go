package verify

import (
	"strconv"

	"veridice/record"
	"veridice/seed"
)

// A Verdict is what a check comes to.
type Verdict string

// The three verdicts. A check that could not be made is Unknown; it says nothing
// about the dice.
const (
	Proven  Verdict = "proven"
	Broken  Verdict = "broken"
	Unknown Verdict = "unknown"
)

// Exit is the exit code of the command-line tool for a verdict.
func (v Verdict) Exit() int {
	switch v {
	case Proven:
		return 0
	case Broken:
		return 1
	}
	return 3
}

// A Source says where the seal came from that the rolls were checked against.
type Source string

// Sources of a seal, from the strongest to the weakest.
const (
	FromReader Source = "given"  // the reader noted it before the first roll
	FromPhone  Source = "kept"   // this phone kept it when it was shown
	FromRecord Source = "record" // only found in the record or link itself

	// FromLog is stronger still: a receipt of a public log is beside the record.
	FromLog Source = "receipt"
)

// A Place is where a fault is: a roll, a line, a part of a link. The zero Place is
// nowhere in particular.
type Place struct {
	Kind   string // "roll", "line", "part", "role", "head", "entry" or ""
	Number int    // of the roll, line, role or head
	Part   string // name of the part, or of the log's entry: open, close, seal, unseal
	Column int    // in the line or part, 0 if it does not matter

	HasRole bool // of a roll: the place is the part of one role
	Role    int
}

// String gives "roll 37", "roll 6 role 1", "line 8", "part s", "close" or "". The
// column is not in it.
func (p Place) String() string {
	switch p.Kind {
	case "":
		return ""
	case "part":
		return "part " + p.Part
	case "entry":
		return p.Part
	}
	text := p.Kind + " " + strconv.Itoa(p.Number)
	if p.HasRole {
		text += " role " + strconv.Itoa(p.Role)
	}
	return text
}

// A Finding is a diagnosis or a limit. It never changes the verdict.
type Finding struct {
	Code record.Code
	Args []string
}

// A Report is the outcome of a check, in codes. It never holds words for people.
type Report struct {
	Verdict Verdict
	Code    record.Code // "" if proven
	Place   Place
	Fault   *record.SyntaxError // what could not be read, or nil

	Scheme string
	State  record.State
	Rolls  int        // number of recorded rolls
	Fit    int        // how many of them follow from the seeds
	Source Source     // of the seal, if proven
	Seal   *seed.Seal // of the revealed server seed
	Show   int        // rolls to compute and show though none are recorded

	Signed  []int    // veridice/1: the roles that signed this very text, whatever the verdict
	Account []string // veridice/1, if proven: what vouches for the list: "signature", "head", "close"

	Began  *Logged // proof file, if proven: the opening or seal in the log
	Closed *Logged // the same of the closing or unsealing, or nil

	Compared  []Compared // a roll each, in the order recorded
	Steps     []Step
	Findings  []Finding // diagnoses: "matches if", near misses, warnings
	NotProven []Finding // what a proven report does not prove
	Ignored   []string  // unknown keys of a share link

	Record *record.Record // what was read, or nil
}

// Compared holds a recorded roll beside the computed one.
type Compared struct {
	Number   uint64
	Recorded []uint32
	Computed []uint32 // nil if the scheme has no such roll
	Fits     bool
}

// A Step is one of the numbered steps of docs/spec/record.md.
type Step struct {
	Number int
	ID     string
	State  StepState
}

// A StepState says how a step went.
type StepState string

// States of a step. A step behind the first fault was not reached.
const (
	Passed     StepState = "passed"
	Failed     StepState = "failed"
	NotReached StepState = "not-reached"
)
