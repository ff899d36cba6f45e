package record_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"veridice/record"
	"veridice/vectors/vectortest"
)

func TestLogEntries(t *testing.T) {
	type vector struct {
		Name, Kind, Text string
		Valid            bool
	}
	vectortest.EachKind(t, "log.ndjson", "entry", func(t *testing.T, v vector) {
		e, err := record.ParseEntry([]byte(v.Text))
		if (err == nil) != v.Valid {
			t.Fatalf("got %+v, %v, want %t", e, err, v.Valid)
		}
		if err != nil {
			if e != (record.LogEntry{}) {
				t.Errorf("with an error it gives %+v", e)
			}
			return
		}
		if got := written(e); string(got) != v.Text {
			t.Errorf("written again it is %q", got)
		}
	})
}

func written(e record.LogEntry) []byte {
	switch {
	case e.Open != nil:
		return e.Open.Opening()
	case e.Close != nil:
		return e.Close.Marshal()
	case e.Seal != nil:
		return e.Seal.Marshal()
	}
	return e.Unseal.Marshal()
}

func TestTooLongEntry(t *testing.T) {
	_, err := record.ParseEntry([]byte("veridice/1 seal\n" + strings.Repeat("x", record.MaxEntry)))
	if fault := (*record.SyntaxError)(nil); !errors.As(err, &fault) || fault.Code != record.TooLong {
		t.Errorf("got %v", err)
	}
}

// TestTooLongProof wants a part of 16 MiB read and one byte more refused, as the
// whole file is when it is longer than its parts could be.
func TestTooLongProof(t *testing.T) {
	part := append(bytes.Repeat([]byte("x"), record.MaxSize-1), '\n')
	text := (&record.Proof{Parts: []record.Part{{Name: record.PartRecord, Text: part}}}).Marshal()
	if p, err := record.ParseProof(text); err != nil || len(p.Part(record.PartRecord)) != record.MaxSize || p.Part(record.PartSeal) != nil {
		t.Errorf("got %v", err)
	}
	long := (&record.Proof{Parts: []record.Part{{Name: record.PartRecord, Text: append(part, '\n')}}}).Marshal()
	if _, err := record.ParseProof(long); err == nil {
		t.Error("a part of 16 MiB and a byte is read")
	}
	_, err := record.ParseProof(make([]byte, record.MaxProof+1))
	if fault := (*record.SyntaxError)(nil); !errors.As(err, &fault) || fault.Code != record.TooLong {
		t.Errorf("got %v", err)
	}
}

// FuzzProof: what can be split is written again as the same bytes.
func FuzzProof(f *testing.F) {
	for _, text := range []string{"veridice proof 1\n", "veridice proof 1\nrecord 2\nx\n", "veridice proof 1\nrecord 2\nx\nseal 1\n\n", "veridice proof 1\nrecord 02\nx\n"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		p, err := record.ParseProof(text)
		if err != nil {
			if p != nil {
				t.Fatal("a proof file and an error")
			}
			return
		}
		if got := p.Marshal(); !bytes.Equal(got, text) {
			t.Fatalf("got %q", got)
		}
	})
}

// FuzzEntry: what can be read is written again as the same bytes.
func FuzzEntry(f *testing.F) {
	hash := strings.Repeat("ab", 32)
	f.Add([]byte("veridice/1 seal\nmatch m-1\nseq 10\nscheme tavli/1\nseal " + hash + "\nrules " + hash + "\nexpires 5\n"))
	f.Add([]byte("veridice/1 unseal\nmatch m-1\nsealed 12 " + hash + "\nstate finished\nrolls 12\nrecord " + hash + "\n"))
	f.Add([]byte("veridice/1 close\nmatch " + hash[:32] + "\nopen 3 " + hash + "\nstate aborted 1\nrolls 15\nhead " + hash + "\npending 16 " + hash + "\nrecord " + hash + "\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		e, err := record.ParseEntry(text)
		if err == nil && !bytes.Equal(written(e), text) {
			t.Fatalf("got %q", written(e))
		}
	})
}
