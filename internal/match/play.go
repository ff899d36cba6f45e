package match

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"time"

	"golang.org/x/mod/sumdb/note"

	"veridice/protocol"
	"veridice/record"
	"veridice/scheme"
	"veridice/seed"
	"veridice/verify"
)

// The server's part in a match of veridice/1 (docs/spec/veridice-1.md, "Before the
// first roll" to "Silence and the end"). Each step checks what a phone sent, answers,
// and adds the events that tell the other phones. What it sees and what it answers is
// durable in one transaction, so that after a crash it can neither forget a signature
// nor sign another text.

// Limits of what a table of veridice/1 may ask for.
const (
	defaultLinks = 512
	defaultWait  = 120
	overdueAfter = 30 * 24 * time.Hour // of a match without an end
)

// A Table is what is wanted of a new table.
type Table struct {
	Scheme string
	Seats  int    // 1 to [MaxSeats]
	Kind   string // of dice: docs/spec/table.md; "" for 2d6

	// The rest is for veridice/1; 0 and "" take the usual.
	Turn  string // alternate or free
	Wait  int    // seconds
	Links int    // of each chain
}

// hash is a link, key or hash in JSON: 64 hex digits.
type hash [32]byte

// MarshalText writes hex.
func (h hash) MarshalText() ([]byte, error) { return []byte(seed.Hex(h[:])), nil }

// UnmarshalText reads hex.
func (h *hash) UnmarshalText(text []byte) error {
	b, ok := seed.ParseHex(string(text))
	if !ok || len(b) != len(h) {
		return errors.New("match: not 64 hex digits")
	}
	copy(h[:], b)
	return nil
}

// A play is the state of the protocol.
type play struct {
	Terms   string `json:"terms"` // the rules text
	Links   uint32 `json:"links"`
	Expires uint64 `json:"expires,omitempty"`
	Offer   string `json:"offer,omitempty"` // its text

	Joins   []string `json:"joins,omitempty"` // notes by seat, "" until they are in
	Opening string   `json:"opening,omitempty"`
	Index   uint64   `json:"index,omitempty"` // number of the opening, or of the seal's entry, in the store
	Ready   []string `json:"ready,omitempty"` // notes by seat

	Since time.Time `json:"since,omitzero"` // when the part that is awaited before the first roll was asked for

	Head   hash   `json:"head"`
	Last   string `json:"last,omitempty"` // the text of the last roll or move, signed by LastBy
	LastBy int    `json:"lastBy,omitempty"`
	Shown  []hash `json:"shown,omitempty"` // the last link of each role
	Turn   uint8  `json:"turn,omitempty"`
	Fresh  bool   `json:"fresh,omitempty"`
	Left   int    `json:"left,omitempty"`
	Moves  int    `json:"moves,omitempty"`

	Asked  *asked    `json:"asked,omitempty"`
	Wish   int       `json:"wish,omitempty"` // the seat that asks for the turn
	WishAt time.Time `json:"wishAt,omitzero"`
	EndAt  time.Time `json:"endAt,omitzero"` // when somebody asked to end

	Silent int      `json:"silent,omitempty"` // of an aborted match, -1 for nobody in particular
	Signed []string `json:"signed,omitempty"` // signature lines on the record by seat
	Next   string   `json:"next,omitempty"`   // the match that goes on after this one

	Sealing      string `json:"sealing,omitempty"` // of a classic scheme: the seal's entry
	Closing      string `json:"closing,omitempty"` // the entry that ends the match
	Receipt      string `json:"receipt,omitempty"`
	CloseReceipt string `json:"closeReceipt,omitempty"`
	Elsewhere    bool   `json:"elsewhere,omitempty"` // the entry that ends it stands in another log
}

// An asked is the roll that is going on: signed by actor and server, and waiting for
// the parts of the seats.
type asked struct {
	Text       string    `json:"text"`
	Actor      int       `json:"actor"`
	At         time.Time `json:"at"`
	Signatures []string  `json:"signatures"` // lines by role, "" until they are in
	Links      []*hash   `json:"links"`      // by role; the server's stays empty
}

func readPlay(m *Match) (*play, error) {
	p := new(play)
	if err := json.Unmarshal(m.Play, p); err != nil {
		return nil, errors.New("match: the stored state of the protocol cannot be read")
	}
	return p, nil
}

func (p *play) save(m *Match) error {
	b, err := json.Marshal(p)
	m.Play = b
	return err
}

// event adds an event with what only veridice/1 says.
func event(m *Match, e Event, data map[string]any) error {
	b, err := json.Marshal(data)
	if err != nil {
		return err
	}
	e.Data = b
	m.add(e)
	return nil
}

// chain is the opening, once there is one.
func (p *play) chain() (*record.Chain, error) { return record.ParseOpening([]byte(p.Opening)) }

// transcript is the server's T with all that the next entry depends on.
func (p *play) transcript(m *Match) (protocol.Transcript, error) {
	terms, err := protocol.ParseTerms([]byte(p.Terms))
	if err != nil {
		return protocol.Transcript{}, err
	}
	c, err := p.chain()
	if err != nil {
		return protocol.Transcript{}, err
	}
	t := protocol.Begin(c, terms)
	if p.Shown == nil {
		return t, nil
	}
	t.Head, t.Rolls, t.Turn, t.Game = record.Head(p.Head), m.Rolls, p.Turn, m.Game
	t.Fresh, t.Left, t.Moves = p.Fresh, p.Left, p.Moves
	for i := range p.Shown {
		t.Links[i] = scheme.Link(p.Shown[i])
	}
	return t, nil
}

// keep takes a transcript over, whose last entry is a text of a seat. The time in which the holder of the turn may answer a
// wish begins with the turn.
func (p *play) keep(m *Match, t protocol.Transcript, text string, seat int, now time.Time) {
	p.Last, p.LastBy = text, seat
	if p.Wish != 0 && p.Turn != t.Turn {
		p.WishAt = now
	}
	p.Head, p.Turn, p.Fresh, p.Left, p.Moves = hash(t.Head), t.Turn, t.Fresh, t.Left, t.Moves
	p.Shown = p.Shown[:0]
	for _, link := range t.Links {
		p.Shown = append(p.Shown, hash(link))
	}
	m.Rolls, m.Game = t.Rolls, t.Game
	if p.Wish == int(t.Turn) {
		p.Wish, p.WishAt = 0, time.Time{}
	}
}

// A serverKey signs for role 0 of every match.
type serverKey struct {
	public  [32]byte
	private func() ed25519.PrivateKey
}

// String never shows the key.
func (serverKey) String() string { return "server key" }

// ServerKey is the public key under which the server signs in matches of veridice/1.
// It is made when it is first needed and kept in the store, encrypted.
func (s *Service) ServerKey(ctx context.Context) ([32]byte, error) {
	k, err := s.signingKey(ctx)
	if err != nil {
		return [32]byte{}, err
	}
	return k.public, nil
}

func (s *Service) signingKey(ctx context.Context) (*serverKey, error) {
	if k := s.key.Load(); k != nil {
		return k, nil
	}
	kept, err := s.secret(ctx, serverKeyName)
	if err != nil {
		return nil, err
	}
	private := ed25519.NewKeyFromSeed(kept[:])
	k := &serverKey{[32]byte(private.Public().(ed25519.PublicKey)), func() ed25519.PrivateKey { return private }}
	s.key.Store(k)
	return k, nil
}

// secret gives 32 random bytes that are made once for all who use the store, where they
// are encrypted.
func (s *Service) secret(ctx context.Context, name string) ([32]byte, error) {
	fresh, err := s.random(32)
	if err != nil {
		return [32]byte{}, err
	}
	sealed, err := s.vault.Seal(s.entropy, ofKey, name, fresh)
	if err != nil {
		return [32]byte{}, err
	}
	if sealed, err = s.store.Once(ctx, name, sealed); err != nil {
		return [32]byte{}, err
	}
	kept, err := s.vault.Open(ofKey, name, sealed)
	if err != nil || len(kept) != 32 {
		return [32]byte{}, errors.Join(err, ErrOtherKey)
	}
	return [32]byte(kept), nil
}

// noteSigner signs as role 0 of one match, in the way of golang.org/x/mod.
type noteSigner struct {
	role verify.Signer
	key  *serverKey
}

// Name is the one in signature lines.
func (n noteSigner) Name() string { return n.role.Name }

// KeyHash is the key id as x/mod wants it.
func (n noteSigner) KeyHash() uint32 {
	id := n.role.KeyID()
	return binary.BigEndian.Uint32(id[:])
}

// Sign signs a text.
func (n noteSigner) Sign(text []byte) ([]byte, error) {
	return ed25519.Sign(n.key.private(), text), nil
}

// sign gives a text as a note that the server signed.
func (k *serverKey) sign(match scheme.Match, text []byte) ([]byte, error) {
	return note.Sign(&note.Note{Text: string(text)}, noteSigner{verify.Role(match, 0, k.public), k})
}

// signatureLine is the one signature line of a note.
func signatureLine(n []byte, text string) string {
	return string(n[len(text)+1:])
}

func notes(text string, lines ...string) string {
	out := text + "\n"
	for _, line := range lines {
		out += line
	}
	return out
}

// openPlay makes the protocol's state of a new match, and its secret.
func (s *Service) openPlay(m *Match, t Table) error {
	kind, err := protocol.ParseDice(t.Kind)
	if err != nil {
		return &FieldError{Field: "dice", Code: "bad-dice"}
	}
	if t.Links == 0 {
		t.Links = defaultLinks
	}
	if t.Links < scheme.MinOffer || t.Links > scheme.MaxLinks {
		return &FieldError{Field: "links", Code: "bad-links", Args: map[string]any{"min": scheme.MinOffer, "max": scheme.MaxLinks}}
	}
	if t.Wait == 0 {
		t.Wait = defaultWait
	}
	if t.Wait < protocol.MinWait || t.Wait > protocol.MaxWait {
		return &FieldError{Field: "wait", Code: "bad-wait", Args: map[string]any{"min": protocol.MinWait, "max": protocol.MaxWait}}
	}
	if t.Turn != "" && t.Turn != "alternate" && t.Turn != "free" {
		return &FieldError{Field: "turn", Code: "bad-turn"}
	}
	salt, err := s.random(16)
	if err != nil {
		return err
	}
	last, err := s.random(32)
	if err != nil {
		return err
	}
	id, err := matchID(m.ID)
	if err != nil {
		return err
	}
	chain, err := scheme.NewChain(id, 0, scheme.Link(last), uint32(t.Links))
	if err != nil {
		return err
	}
	m.Seal = seed.Seal(chain.Anchor())
	if m.Sealed, err = s.vault.Seal(s.entropy, ofChain, m.ID, last); err != nil {
		return err
	}
	terms := protocol.Terms{Dice: kind, Alternate: t.Turn != "free", Wait: t.Wait, Salt: [16]byte(salt)}
	p := &play{Terms: string(terms.Marshal()), Links: uint32(t.Links)}
	return p.save(m)
}

// offer proposes the match to the phones, all of which are there.
func (s *Service) offer(m *Match, k *serverKey) error {
	p, err := readPlay(m)
	if err != nil {
		return err
	}
	next, err := m.Next()
	if err != nil {
		return err
	}
	id, err := matchID(m.ID)
	if err != nil {
		return err
	}
	now := s.now()
	m.Seq, p.Expires, p.Since = next.Seq, uint64(now.Add(overdueAfter).Unix()), now
	o := record.Offer{
		Match: id, Seq: m.Seq, Rules: sha256.Sum256([]byte(p.Terms)), Links: p.Links, Seats: len(m.Seats),
		Server: record.Role{Anchor: m.Seal, Key: k.public}, Expires: p.Expires,
	}
	p.Offer = string(o.Marshal())
	p.Joins = make([]string, len(m.Seats))
	n, err := k.sign(id, []byte(p.Offer))
	if err != nil {
		return err
	}
	if err := event(m, Event{Type: Offered, At: now}, map[string]any{"note": string(n), "rules": p.Terms}); err != nil {
		return err
	}
	return p.save(m)
}

// A step of a seat in a match of veridice/1: it alters the state, which is stored
// after it.
type playStep func(m *Match, p *play, seat int, k *serverKey) error

// PlayAnswer is what the steps of veridice/1 answer.
type PlayAnswer struct {
	State State  `json:"state"`
	Rolls uint64 `json:"rolls"`
}

// play runs a step under its idempotency key.
func (s *Service) play(ctx context.Context, action string, c Call, step playStep) ([]byte, error) {
	k, err := s.signingKey(ctx)
	if err != nil {
		return nil, err
	}
	return s.do(ctx, action, c, func(m *Match, seat int) (any, error) {
		if m.Scheme != scheme.Veridice1 {
			return nil, ErrOtherScheme
		}
		p, err := readPlay(m)
		if err != nil {
			return nil, err
		}
		if err := step(m, p, seat, k); err != nil {
			return nil, err
		}
		return PlayAnswer{m.State, m.Rolls}, p.save(m)
	})
}

// signed opens a note of a seat under a key and gives its text.
func signed(m *Match, seat int, key hash, n string) ([]byte, error) {
	id, err := matchID(m.ID)
	if err != nil {
		return nil, err
	}
	return protocol.Open(verify.Role(id, uint8(seat), key), []byte(n))
}

// seatSigned is signed under the key in the opening.
func (p *play) seatSigned(m *Match, seat int, n string) ([]byte, error) {
	c, err := p.chain()
	if err != nil {
		return nil, err
	}
	return signed(m, seat, hash(c.Roles[seat].Key), n)
}

// Join takes a seat's anchor and key. With the last one the opening is made, which
// goes to the log in the same transaction.
func (s *Service) Join(ctx context.Context, c Call, n string) ([]byte, error) {
	return s.play(ctx, "join", c, func(m *Match, p *play, seat int, k *serverKey) error {
		if p.Joins != nil && p.Joins[seat-1] == n {
			return nil
		}
		switch {
		case m.State != Open:
			return &StateError{m.State}
		case p.Offer == "":
			return ErrNotOffered
		case p.Joins[seat-1] != "":
			return &protocol.Fault{Code: "already-joined"}
		}
		parsed, err := record.ParseNote([]byte(n))
		if err != nil {
			return err
		}
		j, err := record.ParseJoin(parsed.Text)
		if err != nil {
			return err
		}
		offer := sha256.Sum256([]byte(p.Offer))
		id, err := matchID(m.ID)
		if err != nil {
			return err
		}
		switch {
		case j.Match != id:
			return &protocol.Fault{Code: "other-match"}
		case j.Offer != offer:
			return &protocol.Fault{Code: "other-offer"}
		case int(j.Seat) != seat:
			return &protocol.Fault{Code: "other-seat"}
		}
		if _, err := signed(m, seat, j.Role.Key, n); err != nil {
			return err
		}
		roles := []record.Role{{Anchor: m.Seal, Key: k.public}}
		for _, other := range p.Joins {
			if other == "" {
				continue
			}
			role, err := joinedRole(other)
			if err != nil {
				return err
			}
			roles = append(roles, role)
		}
		for _, role := range roles {
			if role.Anchor == j.Role.Anchor {
				return &protocol.Fault{Code: "same-anchor"}
			}
			if role.Key == j.Role.Key {
				return &protocol.Fault{Code: "same-key"}
			}
		}
		p.Joins[seat-1] = n
		if err := event(m, Event{Type: Joined, At: s.now(), Seat: seat}, map[string]any{"note": n}); err != nil {
			return err
		}
		if slices.Contains(p.Joins, "") {
			return nil
		}
		return s.anchor(m, p)
	})
}

func joinedRole(n string) (record.Role, error) {
	parsed, err := record.ParseNote([]byte(n))
	if err != nil {
		return record.Role{}, err
	}
	j, err := record.ParseJoin(parsed.Text)
	if err != nil {
		return record.Role{}, err
	}
	return j.Role, nil
}

// anchor makes the opening of all anchors.
func (s *Service) anchor(m *Match, p *play) error {
	o, err := record.ParseOffer([]byte(p.Offer))
	if err != nil {
		return err
	}
	c := &record.Chain{ID: o.Match, Seq: o.Seq, Rules: o.Rules, Links: o.Links, Roles: []record.Role{o.Server}, Expires: o.Expires}
	for _, n := range p.Joins {
		role, err := joinedRole(n)
		if err != nil {
			return err
		}
		c.Roles = append(c.Roles, role)
	}
	next, err := m.Next()
	if err != nil {
		return err
	}
	now := s.now()
	p.Opening, p.Index, p.Since = string(c.Opening()), next.Index, now
	p.Ready = make([]string, len(m.Seats))
	m.Logged = append(m.Logged, []byte(p.Opening))
	_, index := s.place(p.Index)
	return event(m, Event{Type: Anchored, At: now}, map[string]any{"text": p.Opening, "index": index})
}

// Ready takes a seat's word that it plays this opening. With the last one the match
// starts.
func (s *Service) Ready(ctx context.Context, c Call, n string) ([]byte, error) {
	return s.play(ctx, "ready", c, func(m *Match, p *play, seat int, k *serverKey) error {
		if p.Ready != nil && p.Ready[seat-1] == n {
			return nil
		}
		switch {
		case m.State != Open:
			return &StateError{m.State}
		case p.Opening == "" || s.wake != nil && p.Receipt == "":
			return ErrNotOffered
		case p.Ready[seat-1] != "":
			return &protocol.Fault{Code: "already-ready"}
		}
		text, err := p.seatSigned(m, seat, n)
		if err != nil {
			return err
		}
		r, err := record.ParseReady(text)
		if err != nil {
			return err
		}
		want := record.Ready{Match: r.Match, Opening: seed.LeafHash([]byte(p.Opening)), Seat: uint8(seat)}
		if want.Match, err = matchID(m.ID); err != nil {
			return err
		}
		if *r != want {
			return &protocol.Fault{Code: "other-opening"}
		}
		p.Ready[seat-1] = n
		if err := event(m, Event{Type: Readied, At: s.now(), Seat: seat}, map[string]any{"note": n}); err != nil {
			return err
		}
		if slices.Contains(p.Ready, "") {
			return nil
		}
		t, err := p.transcript(m)
		if err != nil {
			return err
		}
		p.keep(m, t, "", 0, s.now())
		m.State, p.Since = Running, time.Time{}
		m.add(Event{Type: Started, At: s.now(), Game: 1})
		return nil
	})
}

// playing refuses a step on a match that is not running, or while a roll is going on.
func playing(m *Match, p *play) error {
	if m.State != Running {
		return &StateError{m.State}
	}
	if p.Asked != nil {
		return &protocol.Fault{Code: "roll-pending"}
	}
	return nil
}

// repeated says whether a seat sends once more, as a second tab does, what is going on
// or was done last.
func (p *play) repeated(m *Match, seat int, n string) bool {
	if p.Opening == "" {
		return false
	}
	text, err := p.seatSigned(m, seat, n)
	if err != nil {
		return false
	}
	if p.Asked != nil && seat == p.Asked.Actor && string(text) == p.Asked.Text {
		return true
	}
	return seat == p.LastBy && string(text) == p.Last
}

// begun opens what a seat signed over the present head, a roll or a move, and gives its
// text with the transcript before it; no text if the seat sends it once more.
func (p *play) begun(m *Match, seat int, n string) (text []byte, t protocol.Transcript, err error) {
	if p.repeated(m, seat, n) {
		return nil, t, nil
	}
	if err := playing(m, p); err != nil {
		return nil, t, err
	}
	if text, err = p.seatSigned(m, seat, n); err != nil {
		return nil, t, err
	}
	t, err = p.transcript(m)
	return text, t, err
}

// Ask takes the text of a roll that its actor signed. The server signs it too, if it
// is the roll that is due, and sends it to every seat.
func (s *Service) Ask(ctx context.Context, c Call, n string) ([]byte, error) {
	return s.play(ctx, "ask", c, func(m *Match, p *play, seat int, k *serverKey) error {
		text, t, err := p.begun(m, seat, n)
		if err != nil || text == nil {
			return err
		}
		a, err := record.ParseAsk(text)
		if err != nil {
			return err
		}
		if int(a.Actor) != seat {
			return &protocol.Fault{Code: "not-your-turn"}
		}
		if err := t.Check(a); err != nil {
			return err
		}
		own, err := k.sign(t.Match, text)
		if err != nil {
			return err
		}
		now := s.now()
		p.Asked = &asked{Text: string(text), Actor: seat, At: now, Signatures: make([]string, len(m.Seats)+1), Links: make([]*hash, len(m.Seats)+1)}
		p.Asked.Signatures[0] = signatureLine(own, string(text))
		p.Asked.Signatures[seat] = signatureLine([]byte(n), string(text))
		return event(m, Event{Type: Asked, At: now, Seat: seat, Roll: a.Number}, map[string]any{
			"faces": a.Faces, "note": notes(p.Asked.Text, p.Asked.Signatures[seat], p.Asked.Signatures[0]),
		})
	})
}

// Link takes a seat's link for the roll that is going on, with its signature on the
// roll's text. With the last one the server shows its own, and the roll has fallen.
func (s *Service) Link(ctx context.Context, c Call, number uint64, link [32]byte, n string) ([]byte, error) {
	return s.play(ctx, "link", c, func(m *Match, p *play, seat int, k *serverKey) error {
		switch {
		case number > 0 && number <= m.Rolls:
			return nil // it is complete without this repetition
		case p.Asked == nil:
			return &protocol.Fault{Code: "no-roll"}
		case m.State != Running:
			return &StateError{m.State}
		}
		a, err := record.ParseAsk([]byte(p.Asked.Text))
		if err != nil {
			return err
		}
		if number != a.Number {
			return &protocol.Fault{Code: "roll-number"}
		}
		text, err := p.seatSigned(m, seat, n)
		if err != nil {
			return err
		}
		if string(text) != p.Asked.Text {
			return &protocol.Fault{Code: "other-roll"}
		}
		t, err := p.transcript(m)
		if err != nil {
			return err
		}
		if err := t.CheckLink(uint8(seat), link); err != nil {
			return err
		}
		if p.Asked.Links[seat] != nil {
			return nil // a chain has one link here, so it is the same
		}
		h := hash(link)
		p.Asked.Links[seat] = &h
		p.Asked.Signatures[seat] = signatureLine([]byte(n), p.Asked.Text)
		if err := event(m, Event{Type: Linked, At: s.now(), Seat: seat, Roll: number}, map[string]any{"link": h}); err != nil {
			return err
		}
		if slices.Contains(p.Asked.Links[1:], nil) {
			return nil
		}
		return s.complete(m, p, k, t, a)
	})
}

// complete makes the roll of which every seat has given its part.
func (s *Service) complete(m *Match, p *play, k *serverKey, t protocol.Transcript, a *record.Ask) error {
	chain, err := s.vault.openChain(m, p.Links)
	if err != nil {
		return err
	}
	links := []scheme.Link{chain.Link(uint32(a.Number))}
	for _, link := range p.Asked.Links[1:] {
		links = append(links, scheme.Link(*link))
	}
	dice, next, err := t.Roll(a, links)
	if err != nil {
		return err
	}
	receipt, err := k.sign(t.Match, (&record.Receipt{Match: t.Match, Number: a.Number, Head: next.Head}).Marshal())
	if err != nil {
		return err
	}
	now := s.now()
	if p.Wish != 0 {
		// While a roll is going on its actor cannot hand over.
		since := p.Asked.At
		if p.WishAt.After(since) {
			since = p.WishAt
		}
		p.WishAt = p.WishAt.Add(max(0, now.Sub(since)))
	}
	p.keep(m, next, p.Asked.Text, p.Asked.Actor, now)
	m.Dice += uint64(len(dice))
	shown := p.Shown
	done := notes(p.Asked.Text, p.Asked.Signatures...)
	actor := p.Asked.Actor
	p.Asked = nil
	return event(m, Event{Type: Rolled, At: now, Seat: actor, Roll: a.Number, Game: m.Game, Dice: dice}, map[string]any{
		"faces": a.Faces, "note": done, "links": shown, "head": string(receipt),
	})
}

// Move takes a move that the holder of the turn signed.
func (s *Service) Move(ctx context.Context, c Call, n string) ([]byte, error) {
	return s.play(ctx, "move", c, func(m *Match, p *play, seat int, k *serverKey) error {
		text, t, err := p.begun(m, seat, n)
		if err != nil || text == nil {
			return err
		}
		step, err := record.ParseStep(text)
		if err != nil {
			return err
		}
		if int(step.Role) != seat {
			return &protocol.Fault{Code: "not-your-turn"}
		}
		next, err := t.Move(step)
		if err != nil {
			return err
		}
		if next.Game != t.Game {
			m.Marked = m.Rolls
		}
		now := s.now()
		p.keep(m, next, string(text), seat, now)
		return event(m, Event{Type: Moved, At: now, Seat: seat, Roll: m.Rolls, Game: m.Game}, map[string]any{"note": n, "move": step.Move})
	})
}

// Wish tells the holder of the turn that a seat would like to have it.
func (s *Service) Wish(ctx context.Context, c Call, after uint64) ([]byte, error) {
	return s.play(ctx, "wish", c, func(m *Match, p *play, seat int, k *serverKey) error {
		if err := running(m, after); err != nil {
			return err
		}
		if p.Turn == uint8(seat) {
			return &protocol.Fault{Code: "your-turn"}
		}
		if p.Wish == seat {
			return nil
		}
		now := s.now()
		if p.Wish == 0 {
			p.WishAt = now // a second wish gives the holder no more time
		}
		p.Wish = seat
		m.add(Event{Type: Wished, At: now, Seat: seat})
		return nil
	})
}

// overdue names the role whose part is late by the terms of the table, -1 for nobody
// in particular. until is when the part that is awaited gets late, zero if none is.
func (s *Service) overdue(m *Match, p *play) (silent int, until time.Time, late bool) {
	terms, err := protocol.ParseTerms([]byte(p.Terms))
	if err != nil {
		return 0, until, false
	}
	wait := func(since time.Time) time.Time { return since.Add(time.Duration(terms.Wait) * time.Second) }
	switch {
	case m.State == Open && s.wake != nil && p.Receipt == "":
		silent, until = -1, wait(p.Since) // it is the log's turn
	case m.State == Open:
		silent, until = slices.Index(p.Ready, "")+1, wait(p.Since)
	case p.Asked != nil:
		silent, until = slices.Index(p.Asked.Links[1:], nil)+1, wait(p.Asked.At)
	case p.Wish != 0:
		silent, until = int(p.Turn), wait(p.WishAt)
	case m.Asked != 0:
		silent, until = -1, wait(p.EndAt)
	default:
		return 0, until, false
	}
	return silent, until, !s.now().Before(until)
}

// Abort ends a match that does not go on: one whose opening is not made yet at any
// time; later when somebody's part is late, whose role then stands in the record. With
// leave a seat gives up itself, and its own role stands there.
func (s *Service) Abort(ctx context.Context, c Call, after uint64, leave bool) ([]byte, error) {
	return s.play(ctx, "abort", c, func(m *Match, p *play, seat int, k *serverKey) error {
		if m.State.Over() {
			return &StateError{m.State}
		}
		if after != m.Rolls {
			return &BehindError{m.Rolls}
		}
		if p.Opening == "" {
			m.State, m.Seq, p.Silent = Aborted, 0, -1
			return event(m, Event{Type: GivenUp, At: s.now(), Seat: seat}, map[string]any{"role": nil})
		}
		silent, until, late := s.overdue(m, p)
		if !late {
			if !leave {
				return &NotOverdueError{until}
			}
			silent = seat
		}
		return s.finish(m, p, Aborted, seat, silent)
	})
}

// finish ends a match of which there is a record: its closing goes to the log in the
// same transaction.
func (s *Service) finish(m *Match, p *play, state State, seat, silent int) error {
	m.State, p.Silent = state, silent
	p.Signed = make([]string, len(m.Seats))
	entries, err := m.Entries()
	if err != nil {
		return err
	}
	r, err := playRecord(m, p, entries)
	if err != nil {
		return err
	}
	_, index := s.place(p.Index)
	p.Closing = string(verify.Ending(r, index, []byte(p.Opening)))
	m.Logged = append(m.Logged, []byte(p.Closing))
	e, data := Event{Type: Ended, At: s.now(), Seat: seat}, map[string]any{"close": p.Closing}
	if state == Aborted {
		e.Type, data["role"] = GivenUp, nil
		if silent >= 0 {
			data["role"] = silent
		}
	}
	return event(m, e, data)
}

// endPlay is [Service.End] for a match of veridice/1.
func (s *Service) endPlay(m *Match, seat int) error {
	p, err := readPlay(m)
	if err != nil {
		return err
	}
	if err := playing(m, p); err != nil {
		return err
	}
	if m.Asked == 0 {
		m.Asked, p.EndAt = seat, s.now()
		m.add(Event{Type: EndAsked, At: p.EndAt, Seat: seat})
	} else if m.Asked == seat && len(m.Seats) > 1 {
		return ErrAlreadyAsked
	} else if err := s.finish(m, p, Finished, seat, -1); err != nil {
		return err
	}
	return p.save(m)
}

// playRecord is the record of a match of veridice/1, without signatures.
func playRecord(m *Match, p *play, entries []Event) (*record.Record, error) {
	if p.Opening == "" {
		return nil, &StateError{m.State}
	}
	t, err := p.transcript(m)
	if err != nil {
		return nil, err
	}
	c, err := p.chain()
	if err != nil {
		return nil, err
	}
	var all []record.Entry
	for _, e := range entries {
		if e.Type == Moved {
			var data struct{ Move string }
			if err := json.Unmarshal(e.Data, &data); err != nil {
				return nil, err
			}
			all = append(all, record.Entry{Role: uint8(e.Seat), Move: data.Move})
			continue
		}
		var data struct{ Faces []uint32 }
		if err := json.Unmarshal(e.Data, &data); err != nil {
			return nil, err
		}
		all = append(all, record.Entry{Number: e.Roll, Role: uint8(e.Seat), Faces: data.Faces, Dice: e.Dice})
	}
	var pending *record.Ask
	if p.Asked != nil {
		if pending, err = record.ParseAsk([]byte(p.Asked.Text)); err != nil {
			return nil, err
		}
	}
	state := record.Running
	switch m.State {
	case Finished:
		state = record.Finished
	case Aborted:
		state = record.Aborted
	}
	return t.Record(c, all, pending, state, p.Silent), nil
}

// RecordText is the text of a match's record; of veridice/1 a note with the signature
// of the server and, when the match is over, of the seats that gave theirs.
func (s *Service) RecordText(ctx context.Context, id string) ([]byte, error) {
	m, entries, err := s.Match(ctx, id)
	if err != nil {
		return nil, err
	}
	if m.Scheme != scheme.Veridice1 {
		r, err := Record(m, entries)
		if err != nil {
			return nil, err
		}
		return r.MarshalText()
	}
	p, err := readPlay(m)
	if err != nil {
		return nil, err
	}
	r, err := playRecord(m, p, entries)
	if err != nil {
		return nil, err
	}
	text, err := r.MarshalText()
	if err != nil {
		return nil, err
	}
	k, err := s.signingKey(ctx)
	if err != nil {
		return nil, err
	}
	n, err := k.sign(r.Chain.ID, text)
	if err != nil {
		return nil, err
	}
	for _, line := range p.Signed {
		n = append(n, line...)
	}
	return n, nil
}

// Sign takes a seat's signature line on the record of a match that is over.
func (s *Service) Sign(ctx context.Context, c Call, line string) ([]byte, error) {
	text, err := s.RecordText(ctx, c.Match)
	if errors.Is(err, ErrNotFound) {
		text, err = nil, nil // the token is looked at first
	}
	var state *StateError
	if err != nil && !errors.As(err, &state) {
		return nil, err
	}
	return s.play(ctx, "sign", c, func(m *Match, p *play, seat int, k *serverKey) error {
		if !m.State.Over() || p.Opening == "" {
			return &StateError{m.State}
		}
		parsed, err := record.ParseNote(text)
		if err != nil {
			return err
		}
		signed, err := p.seatSigned(m, seat, string(parsed.Text)+"\n"+line)
		if err != nil {
			return err
		}
		if !bytes.Equal(signed, parsed.Text) { // the line has an end of the text in it
			return &protocol.Fault{Code: "bad-signature"}
		}
		if p.Signed[seat-1] != "" {
			return nil
		}
		p.Signed[seat-1] = line
		m.add(Event{Type: RecordSigned, At: s.now(), Seat: seat})
		return nil
	})
}

// NextAnswer is what [Service.GoOn] answers.
type NextAnswer struct {
	Match string `json:"match"`
}

// GoOn opens a match with the same seats, tokens and terms after one that is over, and
// says so in the old one. It answers a [NextAnswer], the same to every seat.
func (s *Service) GoOn(ctx context.Context, c Call) ([]byte, error) {
	old, err := s.store.Match(ctx, c.Match)
	if errors.Is(err, ErrNotFound) {
		_, err = new(Match).seat(c.Token)
	}
	if err != nil {
		return nil, err
	}
	if _, err := old.seat(c.Token); err != nil {
		return nil, err
	}
	if old.Scheme != scheme.Veridice1 {
		return nil, ErrOtherScheme
	}
	p, err := readPlay(old)
	if err != nil {
		return nil, err
	}
	id := p.Next
	if id == "" && old.State.Over() {
		if id, err = s.after(ctx, old, p); err != nil {
			return nil, err
		}
	}
	return s.do(ctx, "next", c, func(m *Match, seat int) (any, error) {
		if !m.State.Over() {
			return nil, &StateError{m.State}
		}
		p, err := readPlay(m)
		if err != nil {
			return nil, err
		}
		if p.Next == "" {
			p.Next = id
			if err := event(m, Event{Type: GoesOn, At: s.now(), Seat: seat}, map[string]any{"match": id}); err != nil {
				return nil, err
			}
		}
		return NextAnswer{p.Next}, p.save(m)
	})
}

// after gives the match that goes on after an old one, and stores it if it is not there: there
// is one, whichever seats ask for it, and whether what they ask is refused in the end or not.
func (s *Service) after(ctx context.Context, old *Match, p *play) (string, error) {
	sum := sha256.Sum256([]byte("next\n" + old.ID))
	scope := seed.Hex(sum[:])
	stored := func() (string, error) {
		a, err := s.store.Created(ctx, scope)
		if err != nil {
			return "", err
		}
		id, err := s.vault.Open(ofAnswer, scope, a.Body)
		return string(id), err
	}
	if id, err := stored(); !errors.Is(err, ErrNotFound) {
		return id, err
	}
	terms, err := protocol.ParseTerms([]byte(p.Terms))
	if err != nil {
		return "", err
	}
	t := Table{Scheme: old.Scheme, Seats: len(old.Seats), Kind: old.Kind, Turn: "free", Wait: terms.Wait, Links: int(p.Links)}
	if terms.Alternate {
		t.Turn = "alternate"
	}
	m, err := s.newMatch(t)
	if err != nil {
		return "", err
	}
	for _, seat := range old.Seats {
		m.Seats = append(m.Seats, Seat{Token: seat.Token})
	}
	sealed, err := s.vault.Seal(s.entropy, ofAnswer, scope, []byte(m.ID)) // as all answers to creations are
	if err != nil {
		return "", err
	}
	m.Answer = &Answer{Key: scope, Body: sealed}
	if err := s.store.Create(ctx, m); errors.Is(err, ErrConflict) {
		return stored()
	} else if err != nil {
		return "", err
	}
	return m.ID, nil
}

// A PlayView is the state of a match of veridice/1 as everybody may see it.
type PlayView struct {
	Terms   string       `json:"terms"`
	Links   uint32       `json:"links"`
	Opening *seed.Seal   `json:"opening"` // hash of it, once it is made
	Turn    uint8        `json:"turn"`
	Pending *PendingView `json:"pending"`
	Wish    int          `json:"wish,omitempty"`
	Silent  *int         `json:"silent,omitempty"`
	Signed  []int        `json:"signed"`
	Next    string       `json:"next,omitempty"`
}

// A PendingView is a roll that is going on, and the seats that are awaited.
type PendingView struct {
	Roll    uint64   `json:"roll"`
	Seat    int      `json:"seat"`
	Faces   []uint32 `json:"faces"`
	Missing []int    `json:"missing"`
	Since   string   `json:"since"`
}

// View reads it.
func (m *Match) View() (*PlayView, error) {
	p, err := readPlay(m)
	if err != nil {
		return nil, err
	}
	v := &PlayView{Terms: p.Terms, Links: p.Links, Turn: max(p.Turn, 1), Wish: p.Wish, Signed: []int{}, Next: p.Next}
	if p.Opening != "" {
		opening := seed.Seal(seed.LeafHash([]byte(p.Opening)))
		v.Opening = &opening
	}
	if p.Asked != nil {
		a, err := record.ParseAsk([]byte(p.Asked.Text))
		if err != nil {
			return nil, err
		}
		v.Pending = &PendingView{Roll: a.Number, Seat: p.Asked.Actor, Faces: a.Faces, Since: p.Asked.At.Format(time.RFC3339Nano)}
		for i, link := range p.Asked.Links[1:] {
			if link == nil {
				v.Pending.Missing = append(v.Pending.Missing, i+1)
			}
		}
	}
	if m.State == Aborted && p.Silent >= 0 {
		v.Silent = &p.Silent
	}
	for i, line := range p.Signed {
		if line != "" {
			v.Signed = append(v.Signed, i+1)
		}
	}
	return v, nil
}

// Joined and Readied report how far a seat has come, by its number.
func (m *Match) Joined() (joined, ready []bool, err error) {
	p, err := readPlay(m)
	if err != nil {
		return nil, nil, err
	}
	joined, ready = make([]bool, len(m.Seats)), make([]bool, len(m.Seats))
	for i := range m.Seats {
		joined[i] = i < len(p.Joins) && p.Joins[i] != ""
		ready[i] = i < len(p.Ready) && p.Ready[i] != ""
	}
	return joined, ready, nil
}

// NotOverdueError says that nobody's part is late yet; until when is zero if nothing
// is awaited.
type NotOverdueError struct{ Until time.Time }

func (e *NotOverdueError) Error() string {
	return "match: nobody is late before " + strconv.FormatInt(e.Until.Unix(), 10)
}
