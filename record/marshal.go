package record

import (
	"bytes"
	"errors"
	"slices"
	"strconv"

	"veridice/seed"
)

// MarshalText writes the one valid text of the record, with the sum as it
// stands in r. It fails if r holds what no text can hold.
func (r *Record) MarshalText() ([]byte, error) {
	if err := r.check(); err != nil {
		return nil, err
	}
	text := append(r.body(), "sum "+seed.Hex(r.Sum[:])+"\n"...)
	text = append(text, signatureLines(r.Signatures)...)
	if len(text) > MaxSize {
		return nil, errors.New("record: is larger than 16 MiB")
	}
	return text, nil
}

// SignedText is the text that signatures are over: the record without them.
func (r *Record) SignedText() ([]byte, error) {
	bare := *r
	bare.Signatures = nil
	return bare.MarshalText()
}

// body writes all lines before the sum.
func (r *Record) body() []byte {
	var b bytes.Buffer
	line(&b, "veridice record", "1")
	line(&b, "scheme", r.Scheme)
	if r.Chain != nil {
		r.chainBody(&b)
		return b.Bytes()
	}
	line(&b, "match", r.Match)
	if r.Seal == nil {
		line(&b, "seal", "-")
	} else {
		line(&b, "seal", r.Seal.String())
	}
	for _, c := range r.Clients {
		line(&b, "client", string(c))
	}
	var text []byte
	for _, e := range r.Entries {
		if e.Game {
			b.WriteString("game\n")
			continue
		}
		text = strconv.AppendUint(append(text[:0], "roll "...), e.Number, 10)
		for _, d := range e.Dice {
			text = strconv.AppendUint(append(text, ' '), uint64(d), 10)
		}
		b.Write(append(text, '\n'))
	}
	if r.Server.IsZero() {
		line(&b, "seed", "-")
	} else {
		line(&b, "seed", seed.Hex(r.Server.Reveal()))
	}
	line(&b, "rolls", strconv.FormatUint(r.Count, 10))
	line(&b, "state", string(r.State))
	return b.Bytes()
}

// check returns an error if no text can hold the record. What it lets pass is
// what [Parse] reads.
func (r *Record) check() error {
	if r.Scheme == veridice1 && r.Chain != nil {
		return r.checkChain()
	}
	l, ok := layouts[r.Scheme]
	if !ok || r.Chain != nil {
		return errors.New("record: has no text in scheme " + strconv.Quote(r.Scheme))
	}
	if why := matchName(r.Match); why != "" {
		return errors.New("record: " + why)
	}
	if n := len(r.Clients); l.clients && (n < 1 || n > maxClients) || !l.clients && n > 0 {
		return errors.New("record: " + r.Scheme + " with " + strconv.Itoa(n) + " client seeds")
	}
	for _, c := range r.Clients {
		if _, err := seed.ParseClient(string(c)); err != nil {
			return errors.New("record: " + err.Error())
		}
	}
	if err := r.checkEntries(l); err != nil {
		return err
	}
	if n := r.Server.Len(); !r.Server.IsZero() && (n < l.minSeed || n > l.maxSeed) {
		return errors.New("record: " + r.Scheme + " with a server seed of " + strconv.Itoa(n) + " bytes")
	}
	if r.Count > MaxRolls {
		return errors.New("record: states more than 100000 rolls")
	}
	if !slices.Contains([]State{Running, Finished, Aborted}, r.State) {
		return errors.New("record: state is not running, finished or aborted")
	}
	return nil
}

func (r *Record) checkEntries(l layout) error {
	rolls, marked, due := 0, false, false
	for i, e := range r.Entries {
		where := "record: entry " + strconv.Itoa(i+1) + ": "
		if e.Role != 0 || e.Faces != nil || e.Move != "" {
			return errors.New(where + "a roll of another scheme, or a move")
		}
		if e.Game {
			if !l.clients || due || rolls > 0 && !marked || e.Number != 0 || len(e.Dice) > 0 {
				return errors.New(where + "no game begins here")
			}
			marked, due = true, true
			continue
		}
		rolls++
		due = false
		if e.Number < 1 || e.Number > MaxRolls || rolls > MaxRolls {
			return errors.New(where + "roll number is not 1 to 100000, or there are more rolls")
		}
		if len(e.Dice) < l.minDice || len(e.Dice) > l.maxDice {
			return errors.New(where + "roll of " + strconv.Itoa(len(e.Dice)) + " dice")
		}
		for _, d := range e.Dice {
			if d < 1 || d > 6 {
				return errors.New(where + "die is not 1 to 6")
			}
		}
	}
	if due {
		return errors.New("record: a game has no rolls")
	}
	return nil
}
