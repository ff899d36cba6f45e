package draw

import "strconv"

// A Step is one line of arithmetic: what was done, with which values, and what
// came of it, such as index(10001), 1849153629 × 10001 >> 32, 4305.
type Step struct{ Name, Values, Result string }

// A Trace is a source that writes down what is drawn from it. Outcomes are the
// same with and without.
type Trace struct {
	Source
	Words []uint32 // every word that was taken, rejected ones included
	Steps []Step
}

// NewTrace writes down what is drawn from src.
func NewTrace(src Source) *Trace { return &Trace{Source: src} }

// Note adds a step to src if it is a [Trace]. Otherwise step is not called: its texts
// are made only for those who read them.
func Note(src Source, step func() Step) {
	if t, ok := src.(*Trace); ok {
		t.Steps = append(t.Steps, step())
	}
}

// A Seeker is a source whose blocks have numbers. Sites that take one number of
// each block say which; the bytes after it are not used.
type Seeker interface {
	Source

	// Seek must place the source before the first byte of a block.
	Seek(block uint64)
}

// Seek places src before the first byte of a block, and reports whether it can.
func Seek(src Source, block uint64) bool {
	if t, ok := src.(*Trace); ok {
		src = t.Source
	}
	s, ok := src.(Seeker)
	if ok {
		s.Seek(block)
	}
	return ok
}

func decimal(n uint64) string { return strconv.FormatUint(n, 10) }
