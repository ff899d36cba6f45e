package protocol_test

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"golang.org/x/mod/sumdb/tlog"

	"veridice/checkpoint"
	"veridice/protocol"
	"veridice/record"
	"veridice/verify"
)

// seen are the checkpoints that a phone keeps, in memory; with full set it fails.
type seen struct {
	kept map[string]map[int64][]byte
	full bool
}

func (s *seen) Largest(origin string) (note []byte, err error) {
	if s.full {
		return nil, errors.New("seen: full")
	}
	size := int64(-1)
	for n := range s.kept[origin] {
		size = max(size, n)
	}
	return s.kept[origin][size], nil
}

func (s *seen) Once(origin string, size int64, note []byte) ([]byte, error) {
	if s.full {
		return nil, errors.New("seen: full")
	}
	if s.kept[origin] == nil {
		s.kept[origin] = map[int64][]byte{}
	}
	if s.kept[origin][size] == nil {
		s.kept[origin][size] = slices.Clone(note)
	}
	return s.kept[origin][size], nil
}

// A testLog is a log of which a test makes whatever it wants, and its witness.
type testLog struct {
	t            testing.TB
	log, witness checkpoint.Signer
	policy       *checkpoint.Policy
	entries      [][]byte
}

func newTestLog(t testing.TB) *testLog {
	t.Helper()
	l := &testLog{t: t}
	for _, one := range []struct {
		signer    *checkpoint.Signer
		name      string
		algorithm checkpoint.Algorithm
	}{{&l.log, "log.example", checkpoint.Plain}, {&l.witness, "w.example", checkpoint.Cosigning}} {
		var err error
		if *one.signer, err = checkpoint.NewSigner(one.name, one.algorithm, secret32(one.name)); err != nil {
			t.Fatal(err)
		}
	}
	text := "log " + l.log.Key().String() + "\nwitness w " + l.witness.Key().String() + "\nquorum w\n"
	var err error
	if l.policy, err = checkpoint.ParsePolicy([]byte(text)); err != nil {
		t.Fatal(err)
	}
	return l
}

// pinned is what a phone has that asks this log for proofs.
func (l *testLog) pinned() *protocol.PublicLog {
	return &protocol.PublicLog{Policy: l.policy, Seen: &seen{kept: map[string]map[int64][]byte{}}, Growth: l.growth}
}

func (l *testLog) hashes() tlog.HashReader {
	var all []tlog.Hash
	reader := tlog.HashReaderFunc(func(numbers []int64) (out []tlog.Hash, err error) {
		for _, n := range numbers {
			out = append(out, all[n])
		}
		return out, nil
	})
	for i, e := range l.entries {
		more, err := tlog.StoredHashes(int64(i), e, reader)
		if err != nil {
			l.t.Fatal(err)
		}
		all = append(all, more...)
	}
	return reader
}

func (l *testLog) growth(origin string, earlier, later int64) ([]tlog.Hash, error) {
	if origin != "log.example" {
		l.t.Errorf("asked for the growth of %s", origin)
	}
	return checkpoint.ProveGrowth(earlier, later, l.hashes())
}

// receipt is that of an entry under the present head, cosigned at a time; 0 leaves the
// witness out.
func (l *testLog) receipt(index int64, time int64) []byte {
	l.t.Helper()
	size := int64(len(l.entries))
	root, err := tlog.TreeHash(size, l.hashes())
	if err != nil {
		l.t.Fatal(err)
	}
	c := checkpoint.Checkpoint{Origin: "log.example", Size: size, Root: root}
	signatures := []record.Signature{l.log.Sign(c, 0)}
	if time > 0 {
		signatures = append(signatures, l.witness.Sign(c, time))
	}
	r, err := checkpoint.Prove(index, c.Note(signatures...), l.hashes())
	if err != nil {
		l.t.Fatal(err)
	}
	return r.Marshal()
}

// add appends entries and gives the index of the last one.
func (l *testLog) add(entries ...string) int64 {
	for _, e := range entries {
		l.entries = append(l.entries, []byte(e))
	}
	return int64(len(l.entries)) - 1
}

// loggedRig is a match of two seats up to its opening, which is the third entry of a log.
func loggedRig(t testing.TB) (*rig, *testLog) {
	t.Helper()
	l := newTestLog(t)
	r := newRig(t, 2, "2d6", l.pinned(), l.pinned(), l.pinned()).doOffer().doJoin().doOpen()
	l.add("one\n", "two\n", string(r.opening))
	return r, l
}

func (r *rig) logged(receipt []byte, now uint64) func(*protocol.Phone) error {
	return func(p *protocol.Phone) error { return p.Logged(r.opening, receipt, now) }
}

// TestNoReadyWithoutReceipt: nothing leaves a phone before the receipt of the opening
// holds, whatever else is in; with it the match goes its way, also over a reload.
func TestNoReadyWithoutReceipt(t *testing.T) {
	r, l := loggedRig(t)
	for seat := 1; seat <= 2; seat++ {
		r.due(seat, "")
	}
	// The other seat is ready already: it says so to both.
	n1, n2 := r.note(r.makeReady(1).Marshal(), 1), r.note(r.makeReady(2).Marshal(), 2)
	wantFault(t, "a ready", r.phones[1].Readied(n2), "")
	wantFault(t, "a ready", r.phones[2].Readied(n1), "")
	early := &record.Ask{Match: r.match, Number: 1, Actor: 1, Faces: []uint32{6, 6}, Head: r.tr.Head}
	wantFault(t, "a roll without a receipt", r.phones[2].Asked(r.asked(early)), "not-due")
	_, err := r.phones[2].Roll([]uint32{6, 6})
	wantFault(t, "a roll of its own", err, "not-running")
	other := r.phoneOver(0, newShelf(), "onlooker")
	if err := errors.Join(r.again(other), other.Readied(n1), other.Readied(n2)); err != nil || other.Running() {
		t.Errorf("an onlooker runs without a receipt, %v", err)
	}
	wantFault(t, "a roll without a receipt", other.Asked(r.asked(early)), "not-due")
	wantFault(t, "naming a seat while the log is late", r.phones[2].Ended(record.Aborted, 1, 2), "record-differs")
	r.tell(r.logged(l.receipt(2, today), today))
	for i, want := range [][]byte{n1, n2} {
		if m := r.due(i+1, "ready"); string(m.Note) != string(want) {
			t.Errorf("got the ready %s", m.Note)
		}
	}
	r.tell(func(p *protocol.Phone) error { return p.Readied(n1) })
	r.tell(func(p *protocol.Phone) error { return p.Readied(n2) })
	r.doRoll(6, 6)
	onlooker := r.phoneOver(0, newShelf(), "onlooker")
	for _, p := range []*protocol.Phone{r.phone(1), onlooker} {
		if err := r.again(p); err != nil || !p.Running() || p.Transcript().Rolls != 1 {
			t.Errorf("after a reload: %v, %d rolls", err, p.Transcript().Rolls)
		}
	}
	// The closing.
	r.tell(func(p *protocol.Phone) error { return p.Ended(record.Finished, -1, 1) })
	rec, err := r.phones[1].Record()
	if err != nil {
		t.Fatal(err)
	}
	closing := verify.Ending(rec, 2, r.opening)
	at := l.add("three\n", string(closing))
	wantFault(t, "the closing", r.phones[1].Logged(closing, l.receipt(at, today), today), "")
	wrong := []byte(strings.Replace(string(closing), "rolls 1", "rolls 2", 1))
	at = l.add(string(wrong))
	wantFault(t, "another closing", r.phones[1].Logged(wrong, l.receipt(at, today), today), "bad-receipt")
}

// TestReceiptRefused: what is no receipt of this opening leaves the phone as it was.
func TestReceiptRefused(t *testing.T) {
	r, l := loggedRig(t)
	good := string(l.receipt(2, today))
	stranger := newTestLog(t)
	stranger.log, stranger.entries = l.witness, l.entries
	refuse := func(what, code string, message func(*protocol.Phone) error) {
		t.Helper()
		r.refuse(what, code, message)
		for _, p := range r.phones[1:] {
			r.dueOf(p, "")
		}
	}
	for what, receipt := range map[string]string{
		"nothing":                    "",
		"of another entry":           string(l.receipt(1, today)),
		"with another index":         strings.Replace(good, "index 2", "index 1", 1),
		"with an index too high":     strings.Replace(good, "index 2", "index 3", 1),
		"with another size":          strings.Replace(good, "log.example\n3\n", "log.example\n4\n", 1),
		"of a log that nobody knows": strings.ReplaceAll(good, "log.example", "log2.example"),
		"signed by another key":      string(stranger.receipt(2, today)),
		"with a spoilt cosignature":  spoiltCosignature(good),
		"cut":                        good[:len(good)-1],
	} {
		refuse("a receipt "+what, "bad-receipt", r.logged([]byte(receipt), today))
	}
	refuse("a receipt without its witness", "no-quorum", r.logged(l.receipt(2, 0), today))
	refuse("the receipt of something else", "bad-receipt", func(p *protocol.Phone) error { return p.Logged([]byte("two\n"), l.receipt(1, today), today) })
	for _, apart := range []int64{-301, 301} {
		refuse(fmt.Sprint("a receipt ", apart, " seconds apart"), "receipt-time", r.logged(l.receipt(2, today+apart), today))
	}
	early := newRig(t, 2, "2d6", nil, l.pinned(), l.pinned()).doOffer().doJoin()
	wantFault(t, "a receipt before the opening", early.phones[1].Logged(r.opening, []byte(good), today), "bad-receipt")
	for i, apart := range []int64{-300, 300} {
		wantFault(t, fmt.Sprint("a receipt ", apart, " seconds apart"), r.phones[i+1].Logged(r.opening, l.receipt(2, today+apart), today), "")
	}
	r.due(1, "ready")
}

// spoiltCosignature changes the last bit that counts of the last signature.
func spoiltCosignature(receipt string) string {
	at := len(receipt) - 4 // "A==\n" or "xx=\n" in front of the end
	c := byte('A')
	if receipt[at-4] == 'A' {
		c = 'B'
	}
	return receipt[:at-4] + string(c) + receipt[at-3:]
}

// TestOldReceipt: one that was taken in its time stays good after a reload; one that is
// taken for the first time must be of now, and an onlooker needs none of now.
func TestOldReceipt(t *testing.T) {
	r, l := loggedRig(t)
	receipt := l.receipt(2, today)
	onlooker := r.phoneOver(0, newShelf(), "onlooker")
	if err := r.again(onlooker); err != nil {
		t.Fatal(err)
	}
	wantFault(t, "an old receipt, shown to an onlooker", onlooker.Logged(r.opening, receipt, today+86_400), "")
	wantFault(t, "a receipt", r.phones[1].Logged(r.opening, receipt, today), "")
	p := r.phone(1)
	if err := r.again(p); err != nil {
		t.Fatal(err)
	}
	wantFault(t, "the same a day later", p.Logged(r.opening, receipt, today+86_400), "")
	r.dueOf(p, "ready")
	wantFault(t, "an old receipt", r.phones[2].Logged(r.opening, receipt, today+86_400), "receipt-time")
	r.due(2, "")
}

// TestLogMustGrow from what the phone saw in another match; what is not proven is not
// accepted, and what cannot be is kept as evidence.
func TestLogMustGrow(t *testing.T) {
	saw := func(r *rig, size int, forked bool, l *testLog) *testLog {
		t.Helper()
		old := newTestLog(t)
		old.entries = slices.Clone(l.entries)
		for len(old.entries) < size {
			old.add("more\n")
		}
		old.entries = old.entries[:size]
		if forked {
			old.entries[0] = []byte("fork\n")
		}
		receipt, err := checkpoint.ParseReceipt(old.receipt(0, today))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := r.logs[1].Seen.Once("log.example", int64(size), receipt.Note); err != nil {
			t.Fatal(err)
		}
		return old
	}
	for size := 1; size <= 5; size++ {
		r, l := loggedRig(t)
		old := saw(r, size, false, l)
		r.logs[1].Growth = func(origin string, earlier, later int64) ([]tlog.Hash, error) {
			if want := [2]int64{int64(min(size, 3)), int64(max(size, 3))}; [2]int64{earlier, later} != want {
				t.Errorf("asked for the growth from %d to %d, want %v", earlier, later, want)
			}
			if size > 3 {
				return old.growth(origin, earlier, later)
			}
			return l.growth(origin, earlier, later)
		}
		wantFault(t, fmt.Sprint("a log that grew from or to ", size), r.phones[1].Logged(r.opening, l.receipt(2, today), today), "")
		r.due(1, "ready")

		r, l = loggedRig(t)
		saw(r, size, false, l)
		r.logs[1].Growth = func(string, int64, int64) ([]tlog.Hash, error) { return nil, errors.New("no answer") }
		if size != 3 {
			wantFault(t, "a log that proves nothing", r.phones[1].Logged(r.opening, l.receipt(2, today), today), "log-unproven")
			r.due(1, "")
			if r.phones[1].Stopped() != nil || len(r.phones[1].Evidence()) != 0 {
				t.Error("accuses a log that could not be asked")
			}
		}

		r, l = loggedRig(t)
		old = saw(r, size, true, l)
		if size > 3 {
			r.logs[1].Growth = old.growth
		}
		receipt := l.receipt(2, today)
		p := r.phones[1]
		if size != 3 {
			// Between two sizes only a proof shows it, and that has no signature.
			wantFault(t, fmt.Sprint("a log that forked, seen at ", size), p.Logged(r.opening, receipt, today), "log-unproven")
			r.due(1, "")
			if p.Stopped() != nil || len(p.Evidence()) != 0 {
				t.Error("accuses a log of which a proof fails")
			}
			continue
		}
		wantFault(t, "two roots of one size", p.Logged(r.opening, receipt, today), "log-forked")
		wantFault(t, "afterwards", p.Logged(r.opening, receipt, today), "log-forked")
		if _, err := p.Due(); err == nil {
			t.Error("goes on with a log that forked")
		}
		wantFault(t, "after a reload", r.phone(1).Stopped(), "log-forked")
		if got := p.Evidence(); len(got) != 1 || got[0].Code != "log-forked" {
			t.Fatalf("the evidence is %v", got)
		} else {
			for i, of := range []*testLog{old, l} {
				c, err := l.policy.Open(got[0].Notes[i])
				root, _ := tlog.TreeHash(int64(len(of.entries)), of.hashes())
				if err != nil || c.Size != int64(len(of.entries)) || c.Root != root {
					t.Errorf("note %d is %+v, %v", i, c, err)
				}
			}
			if kept := r.phone(1).Evidence(); !reflect.DeepEqual(kept, got) {
				t.Errorf("after a reload the evidence is %v", kept)
			}
		}
	}
}

// TestNoPlaceForCheckpoints: what cannot be kept is not accepted.
func TestNoPlaceForCheckpoints(t *testing.T) {
	r, l := loggedRig(t)
	r.logs[1].Seen.(*seen).full = true
	wantFault(t, "a receipt", r.phones[1].Logged(r.opening, l.receipt(2, today), today), "no-storage")
	r.due(1, "")
	r.logs[1].Seen.(*seen).full, r.shelves[1].full = false, true
	wantFault(t, "a receipt", r.phones[1].Logged(r.opening, l.receipt(2, today), today), "no-storage")
	r.shelves[1].full = false
	r.due(1, "")
	wantFault(t, "a receipt", r.phones[1].Logged(r.opening, l.receipt(2, today), today), "")
	r.due(1, "ready")
}
