package record

import (
	"bytes"
	"strconv"
)

// Names of the parts of a proof file, in their order (docs/spec/proof.md).
const (
	PartRecord        = "record"
	PartOpenReceipt   = "open-receipt"
	PartClose         = "close"
	PartCloseReceipt  = "close-receipt"
	PartSeal          = "seal"
	PartSealReceipt   = "seal-receipt"
	PartUnseal        = "unseal"
	PartUnsealReceipt = "unseal-receipt"
)

var partNames = map[string]bool{
	PartRecord: true, PartOpenReceipt: true, PartClose: true, PartCloseReceipt: true,
	PartSeal: true, PartSealReceipt: true, PartUnseal: true, PartUnsealReceipt: true,
}

// MaxProof is the size in bytes of the largest proof file: five parts and their
// lines.
const MaxProof = 5*MaxSize + 256

const proofLine = "veridice proof 1\n"

// A Proof is a proof file: everything that an outsider needs to check a match.
// Each part is a line with its name and length in bytes, then the part itself.
//
//	veridice proof 1
//	record 1880
//	veridice record 1
//	...
//	open-receipt 760
//	c2sp.org/tlog-proof@v1
//	...
//
// Which parts belong together depends on the scheme of the record, and is for
// package verify to say.
type Proof struct{ Parts []Part }

// A Part is one text of a proof file; its last byte is LF.
type Part struct {
	Name string
	Text []byte
}

// Part gives the text of the first part with a name, nil if there is none.
func (p *Proof) Part(name string) []byte {
	for _, one := range p.Parts {
		if one.Name == name {
			return one.Text
		}
	}
	return nil
}

// ParseProof splits a proof file into parts with the names above, of which the first
// and no other is the record. The parts are not copies. The error is a [*SyntaxError]
// without a line: lines are those of a part.
func ParseProof(text []byte) (*Proof, error) {
	bad := func(words string) (*Proof, error) { return nil, &SyntaxError{Code: Syntax, Words: words} }
	if len(text) > MaxProof {
		return nil, &SyntaxError{Code: TooLong, Words: "the proof file is larger than five parts of 16 MiB"}
	}
	rest, ok := bytes.CutPrefix(text, []byte(proofLine))
	if !ok {
		return bad("a proof file begins with the line veridice proof 1")
	}
	p := &Proof{}
	for len(rest) > 0 {
		where := "part " + strconv.Itoa(len(p.Parts)+1) + " "
		line, _, ended := bytes.Cut(rest[:min(len(rest), 64)], []byte("\n"))
		if !ended {
			return bad(where + "does not begin with a name and a length")
		}
		after := rest[len(line)+1:]
		name, digits, _ := bytes.Cut(line, []byte(" "))
		length, why := decimal(string(digits), MaxSize)
		switch {
		case !partNames[string(name)]:
			return bad(where + "has a name that no part has")
		case (string(name) == PartRecord) != (len(p.Parts) == 0):
			return bad("the record is not the first part, or there are two")
		case why != "" || length == 0:
			return bad(where + "has a length that is not 1 to 16777216")
		case uint64(len(after)) < length:
			return bad(where + "is shorter than its length")
		case after[length-1] != '\n':
			return bad(where + "does not end with its length, at the end of a line")
		}
		p.Parts = append(p.Parts, Part{string(name), after[:length:length]})
		rest = after[length:]
	}
	if len(p.Parts) == 0 {
		return bad("the record is missing")
	}
	return p, nil
}

// Marshal writes the proof file.
func (p *Proof) Marshal() []byte {
	b := []byte(proofLine)
	for _, one := range p.Parts {
		b = append(append(b, one.Name...), ' ')
		b = append(strconv.AppendInt(b, int64(len(one.Text)), 10), '\n')
		b = append(b, one.Text...)
	}
	return b
}
