package match

import (
	"errors"
	"fmt"
	"slices"

	"veridice/record"
	"veridice/roll"
	"veridice/scheme"
	"veridice/verify"
)

// Recompute makes every roll of a stored match again and holds its record to the check
// that anybody can make, with the entries that [Store.Entries] gives. It needs the key
// of a match that is not over, and gives nothing out but what is wrong.
func (s *Service) Recompute(m *Match, entries []Event) error {
	if m.Scheme == scheme.Veridice1 {
		return s.recomputePlay(m, entries)
	}
	if m.State != Finished {
		return s.derives(m, entries)
	}
	r, err := Record(m, entries)
	if err != nil {
		return err
	}
	return verifies(r)
}

// derives compares the rolls of a match with those of its sealed server seed.
func (s *Service) derives(m *Match, entries []Event) error {
	server, err := s.vault.openSeed(m)
	if err != nil {
		return err
	}
	rules, err := lookup(m.Scheme)
	if err != nil {
		return err
	}
	if m.State == Open || len(entries) == 0 {
		return nil
	}
	how, err := scheme.Lookup(m.Scheme)
	if err != nil {
		return err
	}
	in := scheme.Inputs{Server: server}
	if rules.clients {
		in.Clients = m.Clients()
	}
	roller, err := roll.New(how, in)
	if err != nil {
		return err
	}
	die := uint64(0)
	for _, e := range entries {
		out, err := roller.Roll(roll.Place{Number: e.Roll, Die: die, Dice: len(e.Dice)})
		if err != nil {
			return err
		}
		if !slices.Equal(out.Dice, e.Dice) {
			return fmt.Errorf("roll %d does not follow from the seeds", e.Roll)
		}
		die += uint64(len(e.Dice))
	}
	return nil
}

func (s *Service) recomputePlay(m *Match, entries []Event) error {
	p, err := readPlay(m)
	if err != nil {
		return err
	}
	if !m.State.Over() {
		if _, err := s.vault.openChain(m, p.Links); err != nil {
			return err
		}
	}
	if p.Opening == "" {
		return nil
	}
	r, err := playRecord(m, p, entries)
	if err != nil {
		return err
	}
	return verifies(r)
}

// verifies checks the text of a record as a reader would.
func verifies(r *record.Record) error {
	text, err := r.MarshalText()
	if err != nil {
		return err
	}
	read, err := record.Parse(text)
	if err != nil {
		return err
	}
	if report := verify.Record(read, verify.Options{}); report.Verdict == verify.Broken {
		return errors.New("the record is broken: " + string(report.Code) + " " + report.Place.String())
	}
	return nil
}

// InLog is what a match has in the store's log of openings and closings: the entry that
// begins it with its number there, and the one that ends it; "" for one that is not there.
func (m *Match) InLog() (begins string, number uint64, ends string, err error) {
	if m.Play == nil {
		return "", 0, "", nil
	}
	p, err := readPlay(m)
	if err != nil {
		return "", 0, "", err
	}
	if begins = p.Opening; m.Scheme != scheme.Veridice1 {
		begins = p.Sealing
	}
	return begins, p.Index, p.Closing, nil
}
