package record_test

import (
	"errors"
	"strconv"
	"strings"
	"testing"

	"veridice/internal/needs"
	"veridice/record"
)

// TestPublishedChains reads every record of the neighbouring vectors, where they
// are: what is readable marshals to the same bytes, and what is not fails at the
// line that they name.
func TestPublishedChains(t *testing.T) {
	var all struct {
		Checks  []struct{ Name, Note, Code, At string }
		Matches []struct{ Name, Open, OpenHash, Record, SignedRecord string }
	}
	needs.SharedJSON(t, "vectors/veridice-1.json", &all)
	read := 0
	for _, c := range all.Checks {
		r, err := record.Parse([]byte(c.Note))
		if fault := (*record.SyntaxError)(nil); errors.As(err, &fault) {
			at := ""
			if fault.Line > 0 {
				at = "line " + strconv.Itoa(fault.Line)
			}
			if string(fault.Code) != c.Code || at != c.At {
				t.Errorf("%s: got %s %q, want %s %q (%v)", c.Name, fault.Code, at, c.Code, c.At, err)
			}
			continue
		}
		if c.Code == "syntax" || c.Code == "version" || c.Code == "scheme" || c.Code == "too-long" {
			t.Errorf("%s: was read, want %s %s", c.Name, c.Code, c.At)
			continue
		}
		read++
		if back, err := r.MarshalText(); err != nil || string(back) != c.Note {
			t.Errorf("%s: marshals to other bytes (%v)", c.Name, err)
		}
	}
	if read < 100 {
		t.Errorf("only %d records were read", read)
	}
	for _, m := range all.Matches {
		r, err := record.Parse([]byte(m.SignedRecord))
		if err != nil {
			t.Errorf("%s: %v", m.Name, err)
			continue
		}
		if string(r.Chain.Opening()) != m.Open || len(r.Signatures) == 0 || !strings.HasPrefix(m.SignedRecord, m.Record) {
			t.Errorf("%s: the opening is another, or there are no signatures", m.Name)
		}
	}
}
