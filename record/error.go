package record

import "strconv"

// A Code names a fault or a finding. Words for people are made from it elsewhere.
type Code string

// Codes of texts that could not be read; docs/spec/record.md and tavli.md.
const (
	Syntax       Code = "syntax"   // a record that is not a record
	Version      Code = "version"  // made by a later version than this program
	UnknownName  Code = "scheme"   // a scheme that this program does not know
	TooLong      Code = "too-long" // larger than allowed
	NotALink     Code = "not-a-link"
	TwoLinks     Code = "two-links"
	LinkCut      Code = "link-cut"
	BadPercent   Code = "bad-percent"
	MissingPart  Code = "missing-part"
	RepeatedPart Code = "repeated-part"
	BadPart      Code = "bad-part"
	OddRolls     Code = "odd-rolls"
	GamesDiffer  Code = "games-differ"
	BadRolls     Code = "bad-rolls" // pasted rolls that have no one reading
)

// A SyntaxError says what in a text could not be read, and where. Lines, columns
// and positions count from 1, columns and positions in characters; 0 means that
// the place is not known.
type SyntaxError struct {
	Code   Code
	Part   string // of a share link: v, s, c, p, r or g
	Line   int    // of a record or of pasted rolls
	Column int    // in the line, or position in the part's value
	Char   string // the refused character as [seed.CodePoint] names it, or ""
	Words  string // the reason in lower case, without a full stop
}

// Error gives, for example, "record: line 7: roll number has a leading zero".
func (e *SyntaxError) Error() string {
	text := "record: "
	if e.Part != "" {
		text += "part " + e.Part + ": "
	}
	if e.Line > 0 {
		text += "line " + strconv.Itoa(e.Line) + ": "
	}
	if e.Column > 0 {
		what := "column "
		if e.Part != "" {
			what = "position "
		}
		text += what + strconv.Itoa(e.Column) + ": "
	}
	if e.Char != "" {
		text += e.Char + ": "
	}
	return text + e.Words
}
