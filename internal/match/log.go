package match

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"strings"

	"veridice/protocol"
	"veridice/record"
	"veridice/scheme"
	"veridice/verify"
)

// The entries of a match in the public log (docs/spec/log.md). Each is stored in the
// transaction of the step that it tells of; its receipt comes later and is an event of
// the match. With a log no match starts before the receipt of its seal or opening is
// there.

// UseLog makes matches wait for receipts; wake is called when there are new entries in
// the log. logs are those of [Logs]; none if the store has but one. It is called once,
// before the service is used.
func (s *Service) UseLog(wake func(), logs ...LogStart) { s.wake, s.logs = wake, logs }

// logSeal puts the seal of a match of a classic scheme into the log, once, when the
// first phone has taken a seat.
func (s *Service) logSeal(m *Match) error {
	if s.wake == nil || m.Scheme == scheme.Veridice1 || m.Play != nil {
		return nil
	}
	kind, err := protocol.ParseDice(m.Kind)
	if err != nil {
		return err
	}
	salt, err := s.random(16)
	if err != nil {
		return err
	}
	next, err := m.Next()
	if err != nil {
		return err
	}
	rules := string(protocol.Terms{Dice: kind, Wait: protocol.MaxWait, Salt: [16]byte(salt)}.Marshal())
	m.Seq = next.Seq
	sealing := record.Sealing{
		Match: m.ID, Seq: m.Seq, Scheme: m.Scheme, Seal: m.Seal, Rules: sha256.Sum256([]byte(rules)),
		Expires: uint64(s.now().Add(overdueAfter).Unix()),
	}
	p := &play{Terms: rules, Sealing: string(sealing.Marshal()), Index: next.Index}
	m.Logged = append(m.Logged, []byte(p.Sealing))
	_, index := s.place(p.Index)
	err = event(m, Event{Type: SealLogged, At: s.now()}, map[string]any{"text": p.Sealing, "rules": rules, "index": index})
	if err != nil {
		return err
	}
	return p.save(m)
}

// dated reports whether a match need not wait for the receipt of its seal.
func (s *Service) dated(m *Match) bool {
	if s.wake == nil || m.Play == nil {
		return true
	}
	p, err := readPlay(m)
	return err == nil && p.Receipt != ""
}

// logEnd puts the end of a match of a classic scheme into the log, if its seal is
// there.
func (s *Service) logEnd(m *Match) error {
	if m.Play == nil {
		return nil
	}
	p, err := readPlay(m)
	if err != nil {
		return err
	}
	entries, err := m.Entries()
	if err != nil {
		return err
	}
	r, err := Record(m, entries)
	if err != nil {
		return err
	}
	_, index := s.place(p.Index)
	p.Closing = string(verify.Ending(r, index, []byte(p.Sealing)))
	m.Logged = append(m.Logged, []byte(p.Closing))
	return p.save(m)
}

// entryMatch names the match of an entry: its second line.
func entryMatch(entry []byte) (id string, begins bool) {
	first, rest, _ := bytes.Cut(entry, []byte("\n"))
	second, _, _ := bytes.Cut(rest, []byte("\n"))
	id = strings.TrimPrefix(string(second), "match ")
	return id, string(first) == "veridice/1 open" || string(first) == "veridice/1 seal"
}

// Receipt gives a match the receipt of one of its entries, with its index in the log in
// use. The same one again changes nothing, and an entry of a match that is not in the
// store is passed over.
func (s *Service) Receipt(ctx context.Context, entry []byte, index uint64, receipt []byte) error {
	id, begins := entryMatch(entry)
	for range tries {
		err := s.store.Update(ctx, id, "", func(m *Match) error {
			p, err := readPlay(m)
			if err != nil {
				return err
			}
			to, what := &p.CloseReceipt, "end"
			if begins {
				to, what = &p.Receipt, "begin"
			}
			if *to != "" {
				return nil
			}
			if log, at := s.place(p.Index); begins && (log != max(len(s.logs)-1, 0) || at != index) {
				return nil
			}
			*to = string(receipt)
			if !begins {
				p.Elsewhere = s.elsewhere(p)
			} else if m.Scheme == scheme.Veridice1 {
				p.Since = s.now() // only now the seats can say that they are ready
			}
			if err := event(m, Event{Type: Receipted, At: s.now()}, map[string]any{"entry": what, "text": string(entry), "index": index, "receipt": *to}); err != nil {
				return err
			}
			if err := p.save(m); err != nil {
				return err
			}
			if begins && m.Scheme != scheme.Veridice1 {
				s.start(m)
			}
			return nil
		})
		if errors.Is(err, ErrNotFound) {
			return nil
		}
		if !errors.Is(err, ErrConflict) {
			return err
		}
	}
	return ErrConflict
}

// Proof is the proof file of a match (docs/spec/proof.md): its record with the receipts
// that are there.
func (s *Service) Proof(ctx context.Context, id string) ([]byte, error) {
	text, err := s.RecordText(ctx, id)
	if err != nil {
		return nil, err
	}
	m, err := s.store.Match(ctx, id)
	if err != nil {
		return nil, err
	}
	proof := record.Proof{Parts: []record.Part{{Name: "record", Text: text}}}
	add := func(name, text string) {
		proof.Parts = append(proof.Parts, record.Part{Name: name, Text: []byte(text)})
	}
	if m.Play == nil {
		return proof.Marshal(), nil
	}
	p, err := readPlay(m)
	if err != nil {
		return nil, err
	}
	if p.Receipt == "" {
		return proof.Marshal(), nil
	}
	end := "close"
	if p.Sealing != "" {
		add("seal", p.Sealing)
		add("seal-receipt", p.Receipt)
		end = "unseal"
	} else {
		add("open-receipt", p.Receipt)
	}
	if p.CloseReceipt != "" && !p.Elsewhere && m.State.Over() {
		add(end, p.Closing)
		add(end+"-receipt", p.CloseReceipt)
	}
	return proof.Marshal(), nil
}

// LogKeySecret is the secret of the key of the store's first log, made when it is first
// needed and kept in the store, encrypted.
func (s *Service) LogKeySecret(ctx context.Context) ([32]byte, error) {
	return s.secret(ctx, logKeyName)
}

// LaterLogKeySecret is that of a log that came after another one. Each has a key of its
// own, so that a policy can name them all.
func (s *Service) LaterLogKeySecret(ctx context.Context, name string) ([32]byte, error) {
	return s.secret(ctx, logKeyName+" "+name)
}
