package protocol_test

import (
	"strings"
	"testing"

	"veridice/protocol"
	"veridice/record"
)

// What a phone does once for a match or a roll, where another tab or a lost part of its
// storage would have it do it again.

// TestTwoOpeningsInTwoTabs: each tab is shown another opening before either has answered.
func TestTwoOpeningsInTwoTabs(t *testing.T) {
	r := newRig(t, 2, "2d6").doOffer().doJoin()
	other := r.makeOpening()
	other.Roles[2].Anchor[0]++
	j := r.makeJoin(2) // the opponent joined twice
	j.Role = other.Roles[2]
	tab := r.phone(1)
	for _, err := range []error{
		tab.Offer(r.note(r.offer, 0), []byte(r.terms), today), tab.Joined(r.note(r.makeJoin(1).Marshal(), 1)), tab.Joined(r.note(j.Marshal(), 2)),
		tab.Anchored(other.Opening()),
	} {
		wantFault(t, "the second tab", err, "")
	}
	r.doOpen()
	r.due(1, "ready")
	all, err := tab.Due()
	if wantFault(t, "its ready", err, "ready-differs"); all != nil {
		t.Errorf("the second tab gives %v", all)
	}
}

// TestLostReady: a phone that does not know which opening it signed for gives no link.
func TestLostReady(t *testing.T) {
	r := running(t, 2, "2d6")
	shelf := newShelf()
	for key, value := range r.shelves[2].kept {
		if !strings.HasSuffix(key, "/ready") {
			shelf.kept[key] = value
		}
	}
	p := r.phoneOver(2, shelf, "later")
	wantFault(t, "the story", r.again(p), "")
	wantFault(t, "a roll", p.Asked(r.asked(r.ask(6, 6))), "")
	all, err := p.Due()
	if wantFault(t, "its link", err, "lost-chain"); all != nil {
		t.Errorf("the phone gives %v", all)
	}
}

// TestTwoRollsOverTwoHeads: two tabs are shown two moves of the seat before, and their user
// rolls in both.
func TestTwoRollsOverTwoHeads(t *testing.T) {
	r := newRig(t, 3, "2d6")
	r.terms = strings.Replace(r.terms, "alternate", "free", 1)
	r.doOffer().doJoin().doOpen().doReady()
	tab := r.phone(2)
	wantFault(t, "the story", r.again(tab), "")
	tell := func(p *protocol.Phone, seats ...uint8) {
		for _, to := range seats {
			tr := p.Transcript()
			wantFault(t, "a move", p.Moved(r.note(step(&tr, tr.Turn, protocol.HandOver(to)).Marshal(), int(tr.Turn))), "")
		}
	}
	tell(r.phones[2], 2)
	tell(tab, 3, 2)
	if _, err := r.phones[2].Roll([]uint32{6, 6}); err != nil {
		t.Fatal(err)
	}
	m, err := tab.Roll([]uint32{6, 6})
	if wantFault(t, "the roll in the second tab", err, "two-rolls"); m.Note != nil {
		t.Errorf("the second tab gives %s", m.Note)
	}
}

// TestOneEnd: a phone that has signed an end signs no other after a reload.
func TestOneEnd(t *testing.T) {
	r := running(t, 2, "2d6")
	r.doRoll(6, 6)
	sign := func(p *protocol.Phone, state record.State) error {
		wantFault(t, string(state), p.Ended(state, -1, 2), "")
		rec, err := p.Record()
		if err != nil {
			t.Fatal(err)
		}
		text, err := rec.MarshalText()
		if err != nil {
			t.Fatal(err)
		}
		_, err = p.Sign(r.note(text, 0))
		return err
	}
	wantFault(t, "an end", sign(r.phones[1], record.Finished), "")
	for state, code := range map[record.State]string{record.Aborted: "record-differs", record.Finished: ""} {
		p := r.phone(1)
		wantFault(t, "the story", r.again(p), "")
		wantFault(t, "an end after a reload", sign(p, state), code)
	}
}
