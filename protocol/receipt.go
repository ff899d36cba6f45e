package protocol

import (
	"bytes"
	"errors"

	"golang.org/x/mod/sumdb/tlog"

	"veridice/checkpoint"
	"veridice/record"
	"veridice/seed"
)

// maxDrift is how far a witness's clock may be from the phone's, in seconds.
const maxDrift = 5 * 60

// A PublicLog is what a phone knows of the public log beforehand, and where it keeps
// what it has seen of it: a phone is a witness too (docs/spec/log.md, "Witnesses").
type PublicLog struct {
	Policy *checkpoint.Policy // pinned in the app
	Seen   Checkpoints

	// Growth asks a log for the proof that its tree of the later size is that of the
	// earlier one, grown. An error is no proof against anybody.
	Growth func(origin string, earlier, later int64) ([]tlog.Hash, error)
}

// Checkpoints are those that a phone has seen, durable, and the same for all its
// matches and tabs. When they fail, the phone does not accept what it was about to.
type Checkpoints interface {
	// Largest gives the signed checkpoint of a log with the most entries, or nil.
	Largest(origin string) ([]byte, error)

	// Once keeps a signed checkpoint if there is none yet of this log and size, and
	// gives the one that is kept. It must be atomic, and durable before it returns.
	Once(origin string, size int64, note []byte) ([]byte, error)
}

// Logged takes the receipt of an entry of this match in the public log: of its opening,
// without which a phone with a [PublicLog] is not ready, or of its closing. now is Unix
// time in seconds; a receipt that is kept from before need not be of now. Faults:
// bad-receipt, no-quorum, receipt-time, log-unproven (nobody gave a proof that the log
// has grown from what this phone saw), log-forked (two checkpoints of one size have two
// roots, and are evidence).
func (p *Phone) Logged(entry, receipt []byte, now uint64) error {
	switch {
	case p.stopped != nil:
		return p.stopped
	case p.setup.Log == nil:
		return nil // there is nothing that it could be held to
	case p.opening == nil:
		return fault("bad-receipt")
	}
	begins := bytes.Equal(entry, p.opened)
	if !begins && p.Holds(entry) != nil {
		return fault("bad-receipt")
	}
	r, c, err := p.setup.Log.Policy.Check(entry, receipt)
	if bad := (*record.SyntaxError)(nil); errors.As(err, &bad) {
		return fault(string(bad.Code))
	}
	leaf := seed.LeafHash(entry)
	name := "receipt/" + seed.Hex(leaf[:])
	kept, err := p.get(name)
	if err != nil {
		return err
	}
	if kept == nil && p.setup.Seat != 0 {
		for _, time := range c.Witnesses {
			if time > int64(now)+maxDrift || time < int64(now)-maxDrift {
				return fault("receipt-time")
			}
		}
	}
	if err := p.grown(c.Checkpoint, r.Note); err != nil {
		return err
	}
	if _, err := p.once(name, receipt); err != nil {
		return err
	}
	p.dated = p.dated || begins
	return nil
}

// grown holds a checkpoint to the largest that this phone has seen of the log, and keeps
// it.
func (p *Phone) grown(c checkpoint.Checkpoint, note []byte) error {
	last, err := p.setup.Log.Seen.Largest(c.Origin)
	if err != nil {
		return fault("no-storage")
	}
	if last != nil {
		earlier, _, err := checkpoint.Open(last)
		if err != nil {
			return fault("no-storage")
		}
		later := c
		if earlier.Size > later.Size {
			earlier, later = later, earlier
		}
		var proof []tlog.Hash
		if earlier.Size < later.Size {
			if proof, err = p.setup.Log.Growth(c.Origin, earlier.Size, later.Size); err != nil {
				return fault("log-unproven")
			}
		}
		if checkpoint.CheckGrowth(earlier, later, proof) != nil {
			if earlier.Size == later.Size {
				return p.stop("log-forked", 0, last, note)
			}
			return fault("log-unproven") // nobody signed the proof
		}
	}
	kept, err := p.setup.Log.Seen.Once(c.Origin, c.Size, note)
	if err != nil {
		return fault("no-storage")
	}
	if other, _, err := checkpoint.Open(kept); err != nil || other.Root != c.Root { // another tab's
		return p.stop("log-forked", 0, kept, note)
	}
	return nil
}
