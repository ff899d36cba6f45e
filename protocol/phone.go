package protocol

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"errors"
	"slices"
	"strconv"
	"strings"

	"veridice/record"
	"veridice/scheme"
	"veridice/seed"
	"veridice/verify"
)

// maxAhead is how far ahead of a phone's clock, in seconds, a match may expire: a
// farther one would keep a dropped match from ever being overdue.
const maxAhead = 90 * 86_400

// A Keeper is a phone's own durable storage, the same for all its tabs. When it fails,
// the phone does not send what it was about to.
type Keeper interface {
	// Once keeps a value under a key if there is none yet, and gives the one that is
	// kept. It must be atomic, and durable before it returns.
	Once(key string, value []byte) ([]byte, error)

	// Get gives what is kept, or nil.
	Get(key string) ([]byte, error)
}

// A Setup is what a phone begins with.
type Setup struct {
	Match  scheme.Match
	Server [32]byte // the pinned key
	Seat   uint8    // 0 looks on
	Keeper Keeper
	Log    *PublicLog // nil: nothing is pinned, and no receipt is asked for

	// For a join that is still to be made, 32 bytes each from the operating system's
	// generator: the last link of the chain, and the seed of the key.
	Last, Key [32]byte
}

// String shows no secret.
func (Setup) String() string { return "setup(secret)" }

// GoString shows no secret.
func (s Setup) GoString() string { return s.String() }

// MarshalText refuses, so that no encoder writes the secrets.
func (Setup) MarshalText() ([]byte, error) {
	return nil, errors.New("protocol: a setup is not marshalled")
}

// A Message is what a phone sends to the server, which passes it on.
type Message struct {
	Action string // join, ready, ask, link or move
	Note   []byte
	Roll   uint64      // of link
	Link   scheme.Link // of link
}

// An Evidence is two notes, signed under one key, that contradict each other.
type Evidence struct {
	Code  string // two-rolls, two-heads or log-forked
	Roll  uint64 // 0 for log-forked
	Notes [2][]byte
}

// A Phone is a seat's part in a match of veridice/1, or that of somebody who looks
// on. It takes what the others sent, in the order in which it was sent, and checks
// everything against its own copy. A method that gives a [*Fault] has left the phone as
// it was, so that a message from somebody who could not have written it does no harm;
// only what the server signed is kept: a HEAD, even a wrong one, and a ROLL. After two
// notes that contradict each other the phone stops for good.
//
// What it signs and shows is kept before it is given out: one join and one ready for a
// match, one text over one head, and one text and one link for one roll, also for other
// phones over the same [Keeper]. What its methods give out belongs to the phone and must
// not be changed.
type Phone struct {
	setup    Setup
	own      *ownJoin
	lost     bool // the seat has joined, and not with what is kept here
	private  ed25519.PrivateKey
	chain    scheme.Chain
	terms    Terms
	offer    *record.Offer
	offered  []byte         // its text
	joins    []*record.Join // by seat, the first at 1
	opening  *record.Chain
	opened   []byte // its text
	dated    bool   // by its receipt, or nobody asks for one
	readies  []bool // by seat
	t        Transcript
	entries  []record.Entry
	pending  *pendingRoll
	done     [][2][]byte // ROLL and HEAD notes of the rolls, by number from 0
	state    record.State
	silent   int
	left     bool
	stopped  *Fault
	evidence []Evidence
}

// String shows no secret.
func (p Phone) String() string { return "phone(secret)" }

// GoString shows no secret.
func (p Phone) GoString() string { return p.String() }

// MarshalText refuses, as that of [Setup] does.
func (p Phone) MarshalText() ([]byte, error) { return p.setup.MarshalText() }

// An ownJoin is what a phone keeps of its join.
type ownJoin struct {
	offer     [32]byte // SHA-256 of its text
	last, key [32]byte
}

// A pendingRoll is signed by actor and server, and not complete.
type pendingRoll struct {
	ask   *record.Ask
	text  []byte
	note  []byte
	links []*scheme.Link // by role
}

// NewPhone makes the phone of a seat. Over a keeper that was used before it goes on
// with what is there, once it has been given the messages of the match again.
// Fault: no-storage.
func NewPhone(s Setup) (*Phone, error) {
	p := &Phone{setup: s}
	if err := p.remember(); err != nil {
		return nil, err
	}
	left, err := p.get("left")
	if err != nil {
		return nil, err
	}
	stopped, err := p.get("stopped")
	if err != nil {
		return nil, err
	}
	p.left = left != nil
	if stopped != nil {
		p.resume(stopped)
	}
	return p, nil
}

// remember reads the join that is kept, which may be another tab's.
func (p *Phone) remember() error {
	if p.own != nil {
		return nil
	}
	kept, err := p.get("join")
	if err != nil || kept == nil {
		return err
	}
	return p.joinedWith(kept)
}

func (p *Phone) joinedWith(kept []byte) error {
	if len(kept) != 96 {
		return fault("no-storage")
	}
	p.own = &ownJoin{[32]byte(kept), [32]byte(kept[32:]), [32]byte(kept[64:])}
	return nil
}

// key is the place of something in the keeper.
func (p *Phone) key(name string) string {
	return seed.Hex(p.setup.Match[:]) + "/" + strconv.Itoa(int(p.setup.Seat)) + "/" + name
}

func (p *Phone) once(name string, value []byte) ([]byte, error) {
	kept, err := p.setup.Keeper.Once(p.key(name), value)
	if err != nil {
		return nil, fault("no-storage")
	}
	return kept, nil
}

func (p *Phone) get(name string) ([]byte, error) {
	kept, err := p.setup.Keeper.Get(p.key(name))
	if err != nil {
		return nil, fault("no-storage")
	}
	return kept, nil
}

func numbered(name string, number uint64) string { return name + "/" + strconv.FormatUint(number, 10) }

// stop ends a phone's part in the match: it has seen what no honest party signs. Code,
// roll and notes are kept as one value, so that no other tab's note comes between two.
func (p *Phone) stop(code string, roll uint64, notes ...[]byte) error {
	value := []byte(code)
	if len(notes) == 2 {
		p.evidence = append(p.evidence, Evidence{code, roll, [2][]byte{slices.Clone(notes[0]), slices.Clone(notes[1])}})
		value = bytes.Join([][]byte{value, strconv.AppendUint(nil, roll, 10), notes[0], notes[1]}, separator)
	}
	p.stopped = &Fault{code}
	if _, err := p.once("stopped", value); err != nil {
		return err
	}
	return p.stopped
}

// separator stands in no note.
var separator = []byte{0}

// resume reads why a phone over this keeper stopped.
func (p *Phone) resume(stopped []byte) {
	parts := bytes.Split(stopped, separator)
	p.stopped = &Fault{string(parts[0])}
	if len(parts) == 4 {
		roll, _ := strconv.ParseUint(string(parts[1]), 10, 64)
		p.evidence = []Evidence{{p.stopped.Code, roll, [2][]byte{parts[2], parts[3]}}}
	}
}

// Stopped is why the phone takes no further part, or nil.
func (p *Phone) Stopped() error {
	if p.stopped == nil {
		return nil
	}
	return p.stopped
}

// Evidence lists what the phone saw signed that nobody may sign.
func (p *Phone) Evidence() []Evidence { return slices.Clone(p.evidence) }

// Transcript is a copy of what the phone knows of the match; it is of use once the phone
// is running.
func (p *Phone) Transcript() Transcript {
	t := p.t
	t.Links = slices.Clone(t.Links)
	return t
}

// Entries are the rolls and moves that the phone checked.
func (p *Phone) Entries() []record.Entry { return slices.Clone(p.entries) }

// Receipts are the ROLL and HEAD notes of a roll that the phone checked.
func (p *Phone) Receipts(number uint64) (roll, head []byte) {
	if number < 1 || number > uint64(len(p.done)) {
		return nil, nil
	}
	return p.done[number-1][0], p.done[number-1][1]
}

// Pending is the text of the roll that is going on, or nil.
func (p *Phone) Pending() *record.Ask {
	if p.pending == nil {
		return nil
	}
	return p.pending.ask
}

// Running reports whether the phone has the opening, its receipt if one is asked for,
// and the READY of every seat, and knows of no end.
func (p *Phone) Running() bool { return p.started() && p.state == record.Running }

func (p *Phone) over() bool { return p.state == record.Finished || p.state == record.Aborted }

func (p *Phone) started() bool {
	return p.opening != nil && p.dated && !slices.Contains(p.readies[1:], false)
}

// signer is a role of the opening.
func (p *Phone) signer(role uint8) verify.Signer {
	return verify.Role(p.setup.Match, role, p.opening.Roles[role].Key)
}

// open gives the text of a note that a role alone signed.
func (p *Phone) open(role uint8, note []byte) ([]byte, error) { return Open(p.signer(role), note) }

// Offer takes the server's offer with the rules text; now is Unix time in seconds.
// Faults: offer-signature, short-chains, other-match, other-key, rules-differ,
// offer-differs, expiry.
func (p *Phone) Offer(note, rules []byte, now uint64) error {
	if p.stopped != nil {
		return p.stopped
	}
	n, err := record.ParseNote(note)
	if err != nil {
		return fault("offer-signature")
	}
	if p.offered != nil && bytes.Equal(n.Text, p.offered) {
		return nil
	}
	for line := range strings.Lines(string(n.Text)) {
		if links, ok := strings.CutPrefix(line, "links "); ok {
			if _, ok := whole(strings.TrimSuffix(links, "\n"), scheme.MinOffer, scheme.MaxLinks); !ok {
				return fault("short-chains")
			}
		}
	}
	o, err := record.ParseOffer(n.Text)
	if err != nil {
		return fault("offer-signature")
	}
	if err := p.remember(); err != nil {
		return err
	}
	sum := sha256.Sum256(n.Text)
	terms, badTerms := ParseTerms(rules)
	switch {
	case o.Match != p.setup.Match:
		return fault("other-match")
	case o.Server.Key != p.setup.Server:
		return fault("other-key")
	case badTerms != nil || sha256.Sum256(rules) != o.Rules:
		return fault("rules-differ")
	case !verify.Role(p.setup.Match, 0, p.setup.Server).Signed(n.Text, n.Signatures):
		return fault("offer-signature")
	case p.offered != nil, int(p.setup.Seat) > o.Seats, p.own != nil && p.own.offer != sum:
		return fault("offer-differs") // a match has one
	case p.setup.Seat != 0 && p.own == nil && (o.Expires <= now || o.Expires > now+maxAhead):
		return fault("expiry")
	}
	p.offer, p.offered, p.terms = o, slices.Clone(n.Text), terms
	p.joins, p.readies = make([]*record.Join, o.Seats+1), make([]bool, o.Seats+1)
	return p.unlock()
}

// unlock makes chain and key of the join that is kept.
func (p *Phone) unlock() (err error) {
	if p.own == nil || p.private != nil {
		return nil
	}
	if p.chain, err = scheme.NewChain(p.setup.Match, p.setup.Seat, p.own.last, p.offer.Links); err != nil {
		return fault("lost-chain")
	}
	p.private = ed25519.NewKeyFromSeed(p.own.key[:])
	return nil
}

// join is the text of the own one.
func (p *Phone) join() *record.Join {
	key := [32]byte(p.private.Public().(ed25519.PublicKey))
	return &record.Join{Match: p.setup.Match, Offer: p.own.offer, Seat: p.setup.Seat, Role: record.Role{Anchor: p.chain.Anchor(), Key: key}}
}

// Joined takes a seat's join. If it is this phone's seat and nothing of the join is kept
// here, the phone only looks on from now on. Faults: join-signature, other-match,
// offer-differs, own-anchor.
func (p *Phone) Joined(note []byte) error {
	if p.stopped != nil {
		return p.stopped
	}
	n, err := record.ParseNote(note)
	if err != nil || p.offer == nil {
		return fault("join-signature")
	}
	j, err := record.ParseJoin(n.Text)
	if err != nil || int(j.Seat) >= len(p.joins) {
		return fault("join-signature")
	}
	if j.Match != p.setup.Match {
		return fault("other-match")
	}
	if _, err := Open(verify.Role(p.setup.Match, j.Seat, j.Role.Key), note); err != nil || j.Offer != sha256.Sum256(p.offered) {
		return fault("join-signature")
	}
	if before := p.joins[j.Seat]; before != nil && *before != *j {
		return fault("offer-differs")
	}
	if j.Seat == p.setup.Seat {
		if err := p.remember(); err != nil {
			return err
		}
		if err := p.unlock(); err != nil {
			return err
		}
		if p.lost = p.own == nil; !p.lost && *j != *p.join() {
			return fault("own-anchor")
		}
	}
	p.joins[j.Seat] = j
	return nil
}

// Anchored takes the opening. Faults: offer-differs, other-match, other-key,
// own-anchor, same-anchor, same-key, ready-differs.
func (p *Phone) Anchored(text []byte) error {
	if p.stopped != nil {
		return p.stopped
	}
	if p.opened != nil {
		if !bytes.Equal(text, p.opened) {
			return fault("ready-differs")
		}
		return nil
	}
	c, err := record.ParseOpening(text)
	o := p.offer
	switch {
	case err != nil, o == nil:
		return fault("offer-differs")
	case c.ID != p.setup.Match:
		return fault("other-match")
	case c.Roles[0].Key != p.setup.Server:
		return fault("other-key")
	case c.Seq != o.Seq, c.Rules != o.Rules, c.Links != o.Links, c.Expires != o.Expires, len(c.Roles) != o.Seats+1, c.Roles[0] != o.Server:
		return fault("offer-differs")
	}
	for i, role := range c.Roles {
		for _, other := range c.Roles[:i] {
			if other.Anchor == role.Anchor {
				return fault("same-anchor")
			}
			if other.Key == role.Key {
				return fault("same-key")
			}
		}
		if i == int(p.setup.Seat) && i > 0 && !p.lost && (p.private == nil || role != p.join().Role) {
			return fault("own-anchor")
		}
		if i > 0 && (p.joins[i] == nil || p.joins[i].Role != role) {
			return fault("offer-differs")
		}
	}
	leaf := c.OpeningHash()
	kept, err := p.get("ready")
	if err != nil {
		return err
	}
	if kept != nil && !bytes.Equal(kept, leaf[:]) {
		return p.stop("ready-differs", 0)
	}
	p.opening, p.opened, p.dated = c, slices.Clone(text), p.setup.Log == nil
	p.t, p.state = Begin(c, p.terms), record.Running
	return nil
}

// Readied takes a seat's word that it plays this opening. Faults: ready-differs,
// other-match.
func (p *Phone) Readied(note []byte) error {
	if p.stopped != nil {
		return p.stopped
	}
	n, err := record.ParseNote(note)
	if err != nil || p.opening == nil {
		return fault("ready-differs")
	}
	r, err := record.ParseReady(n.Text)
	if err != nil || int(r.Seat) >= len(p.readies) {
		return fault("ready-differs")
	}
	if r.Match != p.setup.Match {
		return fault("other-match")
	}
	if _, err := p.open(r.Seat, note); err != nil || r.Opening != p.t.Opening {
		return fault("ready-differs")
	}
	p.readies[r.Seat] = true
	return nil
}

// due gives a fault of the transcript as the phone's: what is not due is not told
// apart by whose mistake it is.
func due(err error) error {
	var f *Fault
	if errors.As(err, &f) && (f.Code == "other-match" || f.Code == "roll-number" || f.Code == "other-head" || f.Code == "wrong-link") {
		return f
	}
	return fault("not-due")
}

// contradicts stops the phone if one role signed two texts for one roll. No other
// pair of notes is evidence.
func (p *Phone) contradicts(number uint64, first, second []byte) error {
	a, errA := record.ParseNote(first)
	b, errB := record.ParseNote(second)
	if errA != nil || errB != nil || bytes.Equal(a.Text, b.Text) {
		return nil
	}
	for role := range p.opening.Roles {
		s := p.signer(uint8(role))
		if s.Signed(a.Text, a.Signatures) && s.Signed(b.Text, b.Signatures) {
			return p.stop("two-rolls", number, first, second)
		}
	}
	return nil
}

// Asked takes the text of a roll that its actor and the server signed. Faults:
// roll-signature, other-match, roll-number, other-head, not-due, two-rolls.
func (p *Phone) Asked(note []byte) error {
	n, a, err := parseAsked(note)
	if err != nil {
		return err
	}
	return p.asked(note, n, a)
}

func parseAsked(note []byte) (*record.Note, *record.Ask, error) {
	n, err := record.ParseNote(note)
	if err != nil {
		return nil, nil, fault("roll-signature")
	}
	a, err := record.ParseAsk(n.Text)
	if err != nil {
		return nil, nil, fault("roll-signature")
	}
	return n, a, nil
}

func (p *Phone) asked(note []byte, n *record.Note, a *record.Ask) error {
	switch {
	case p.stopped != nil:
		return p.stopped
	case a.Match != p.setup.Match:
		return fault("other-match")
	case !p.started():
		return fault("not-due")
	}
	before, err := p.signedFor(a.Number)
	if err != nil {
		return err
	}
	if before != nil {
		if err := p.contradicts(a.Number, before, note); err != nil {
			return err
		}
	}
	if p.pending != nil && bytes.Equal(p.pending.text, n.Text) {
		return nil
	}
	if a.Number <= p.t.Rolls && before != nil && bytes.HasPrefix(before, append(slices.Clone(n.Text), '\n')) {
		return nil // it is complete
	}
	if p.state != record.Running {
		return fault("not-due")
	}
	if p.pending != nil {
		return fault("roll-number")
	}
	if err := p.t.Check(a); err != nil {
		return due(err)
	}
	if !p.signer(a.Actor).Signed(n.Text, n.Signatures) || !p.signer(0).Signed(n.Text, n.Signatures) {
		return fault("roll-signature")
	}
	p.pending = &pendingRoll{a, slices.Clone(n.Text), slices.Clone(note), make([]*scheme.Link, len(p.opening.Roles))}
	return nil
}

// signedFor is the note of a roll that this phone knows, or knew before it was
// started again, or nil.
func (p *Phone) signedFor(number uint64) ([]byte, error) {
	if p.pending != nil && p.pending.ask.Number == number {
		return p.pending.note, nil
	}
	if roll, _ := p.Receipts(number); roll != nil {
		return roll, nil
	}
	return p.get(numbered("asked", number))
}

// Linked takes a seat's link for the roll that is going on. Faults: roll-number,
// wrong-link.
func (p *Phone) Linked(seat uint8, number uint64, link scheme.Link) error {
	if p.stopped != nil {
		return p.stopped
	}
	if p.pending == nil || p.pending.ask.Number != number {
		return fault("roll-number")
	}
	if seat == 0 {
		return fault("wrong-link") // the server's comes with all others
	}
	if err := p.t.CheckLink(seat, link); err != nil {
		return err
	}
	p.pending.links[seat] = &link
	return nil
}

// Rolled takes a complete roll: its text signed by all roles, their links, the
// server's first, the dice as the server has them, and the HEAD note. Faults: those of
// [Phone.Asked], and wrong-link, wrong-dice, head-differs, two-heads.
func (p *Phone) Rolled(note []byte, links []scheme.Link, dice []uint32, head []byte) error {
	n, a, err := parseAsked(note)
	if err != nil {
		return err
	}
	if err := p.heard(head); err != nil {
		return err
	}
	if err := p.asked(note, n, a); err != nil {
		return err
	}
	if a.Number <= p.t.Rolls {
		return p.sameHead(a.Number, head)
	}
	if p.state != record.Running {
		return fault("not-due")
	}
	for role := range p.opening.Roles {
		if !p.signer(uint8(role)).Signed(n.Text, n.Signatures) {
			return fault("roll-signature")
		}
	}
	made, next, err := p.t.Roll(a, links)
	if err != nil {
		return due(err)
	}
	if !slices.Equal(made, dice) {
		return fault("wrong-dice")
	}
	receipt := record.Receipt{Match: p.setup.Match, Number: a.Number, Head: next.Head}
	if text, err := p.open(0, head); err != nil || !bytes.Equal(text, receipt.Marshal()) {
		return fault("head-differs")
	}
	if _, err := p.once(numbered("rolled", a.Number), note); err != nil {
		return err
	}
	p.done = append(p.done, [2][]byte{slices.Clone(note), slices.Clone(head)})
	p.entries = append(p.entries, record.Entry{Number: a.Number, Role: a.Actor, Faces: a.Faces, Dice: made})
	p.t, p.pending = next, nil
	return nil
}

// heard keeps a HEAD of this match that the server signed, before anything is held
// against it: a wrong one is evidence once there is another for the same roll.
func (p *Phone) heard(head []byte) error {
	if p.stopped != nil {
		return p.stopped
	}
	server := verify.Role(p.setup.Match, 0, p.setup.Server)
	text, err := Open(server, head)
	if err != nil {
		return nil
	}
	r, err := record.ParseReceipt(text)
	if err != nil || r.Match != p.setup.Match {
		return nil
	}
	kept, err := p.once(numbered("head", r.Number), head)
	if err != nil {
		return err
	}
	before, err := Open(server, kept)
	if err != nil {
		return fault("no-storage")
	}
	if !bytes.Equal(before, text) {
		return p.stop("two-heads", r.Number, kept, head)
	}
	return nil
}

// sameHead reports whether a HEAD note says of a complete roll what the one before said.
func (p *Phone) sameHead(number uint64, head []byte) error {
	_, kept := p.Receipts(number)
	before, errBefore := p.open(0, kept)
	text, err := p.open(0, head)
	if errBefore != nil || err != nil || !bytes.Equal(before, text) {
		return fault("head-differs")
	}
	return nil
}

// Moved takes a move. Faults: move-signature, other-match, other-head, not-due.
func (p *Phone) Moved(note []byte) error {
	if p.stopped != nil {
		return p.stopped
	}
	n, err := record.ParseNote(note)
	if err != nil {
		return fault("move-signature")
	}
	s, err := record.ParseStep(n.Text)
	switch {
	case err != nil:
		return fault("move-signature")
	case s.Match != p.setup.Match:
		return fault("other-match")
	case !p.Running() || p.pending != nil || int(s.Role) >= len(p.opening.Roles):
		return fault("not-due")
	}
	next, err := p.t.Move(s)
	if err != nil {
		return due(err)
	}
	if _, err := p.open(s.Role, note); err != nil {
		return fault("move-signature")
	}
	p.entries = append(p.entries, record.Entry{Role: s.Role, Move: s.Move})
	p.t = next
	return nil
}

// Due gives what the phone owes by itself: its join, its word that it is ready, its
// link for the roll that is going on, or what it signed over the present head before
// it was started again. The same call gives the same bytes. Faults: no-storage,
// lost-chain, offer-differs, ready-differs, two-rolls.
func (p *Phone) Due() ([]Message, error) {
	switch {
	case p.stopped != nil:
		return nil, p.stopped
	case p.lost:
		return nil, fault("lost-chain")
	case p.setup.Seat == 0 || p.offer == nil || p.over():
		return nil, nil
	case p.opening == nil:
		if p.joins[p.setup.Seat] != nil {
			return nil, nil
		}
		return p.sendJoin()
	case !p.dated:
		return nil, nil
	case !p.readies[p.setup.Seat]:
		leaf := p.t.Opening
		kept, err := p.once("ready", leaf[:])
		if err != nil {
			return nil, err
		}
		if !bytes.Equal(kept, leaf[:]) {
			return nil, p.stop("ready-differs", 0)
		}
		r := record.Ready{Match: p.setup.Match, Opening: leaf, Seat: p.setup.Seat}
		return []Message{{Action: "ready", Note: p.sign(r.Marshal())}}, nil
	case !p.started():
		return nil, nil
	case p.pending != nil && p.pending.links[p.setup.Seat] == nil:
		return p.sendLink()
	case p.pending == nil && p.t.Turn == p.setup.Seat:
		kept, err := p.get("over/" + p.t.Head.String())
		if err != nil || kept == nil {
			return nil, err
		}
		m, err := p.begun(kept)
		return []Message{m}, err
	}
	return nil, nil
}

func (p *Phone) sendJoin() ([]Message, error) {
	if p.own == nil {
		sum := sha256.Sum256(p.offered)
		kept, err := p.once("join", slices.Concat(sum[:], p.setup.Last[:], p.setup.Key[:]))
		if err != nil {
			return nil, err
		}
		if len(kept) != 96 || !bytes.Equal(kept[:32], sum[:]) {
			return nil, p.stop("offer-differs", 0)
		}
		if err := p.joinedWith(kept); err != nil {
			return nil, err
		}
	}
	if err := p.unlock(); err != nil {
		return nil, err
	}
	return []Message{{Action: "join", Note: p.sign(p.join().Marshal())}}, nil
}

func (p *Phone) sendLink() ([]Message, error) {
	ready, err := p.get("ready")
	if err != nil {
		return nil, err
	}
	if !bytes.Equal(ready, p.t.Opening[:]) {
		return nil, p.stop("lost-chain", 0)
	}
	a := p.pending.ask
	kept, err := p.once(numbered("roll", a.Number), p.pending.text)
	if err != nil {
		return nil, err
	}
	if !bytes.Equal(kept, p.pending.text) {
		// The own signature on the first text is evidence against nobody but oneself,
		// so the note that the server sent with it is wanted.
		if first, err := p.get(numbered("asked", a.Number)); err != nil {
			return nil, err
		} else if first != nil {
			return nil, p.stop("two-rolls", a.Number, first, p.pending.note)
		}
		return nil, p.stop("two-rolls", a.Number)
	}
	if _, err := p.once(numbered("asked", a.Number), p.pending.note); err != nil {
		return nil, err
	}
	return []Message{{Action: "link", Note: p.sign(kept), Roll: a.Number, Link: p.chain.Link(uint32(a.Number))}}, nil
}

func (p *Phone) sign(text []byte) []byte {
	key := [32]byte(p.private.Public().(ed25519.PublicKey))
	return Note(text, Sign(verify.Role(p.setup.Match, p.setup.Seat, key), p.private, text))
}

// mayBegin refuses what the user wants while nobody can sign anything over the present
// head.
func (p *Phone) mayBegin() error {
	switch {
	case p.stopped != nil:
		return p.stopped
	case p.lost:
		return fault("lost-chain")
	case !p.Running():
		return fault("not-running")
	case p.pending != nil:
		return fault("roll-pending")
	}
	return nil
}

// Roll signs what the user of this phone wants to roll. Faults: not-running,
// roll-pending, not-your-turn, other-dice, chain-spent, no-storage, and
// asked-otherwise: this phone has signed another text over the present head, which
// [Phone.Due] gives.
func (p *Phone) Roll(faces []uint32) (Message, error) {
	if err := p.mayBegin(); err != nil {
		return Message{}, err
	}
	a, err := p.t.Ask(p.setup.Seat, faces)
	if err != nil {
		return Message{}, err
	}
	return p.begin(a.Marshal())
}

// Move signs a move of the user of this phone. Faults: those of [Phone.Roll] and
// [Transcript.Move].
func (p *Phone) Move(move string) (Message, error) {
	if err := p.mayBegin(); err != nil {
		return Message{}, err
	}
	s := &record.Step{Match: p.setup.Match, Role: p.setup.Seat, Head: p.t.Head, Move: move}
	if _, err := p.t.Move(s); err != nil {
		return Message{}, err
	}
	return p.begin(s.Marshal())
}

// begin signs one thing over one head.
func (p *Phone) begin(text []byte) (Message, error) {
	kept, err := p.once("over/"+p.t.Head.String(), text)
	if err != nil {
		return Message{}, err
	}
	if !bytes.Equal(kept, text) {
		return Message{}, fault("asked-otherwise")
	}
	return p.begun(text)
}

// begun is the message of a text that is kept over the present head.
func (p *Phone) begun(text []byte) (Message, error) {
	a, err := record.ParseAsk(text)
	if err != nil {
		return Message{Action: "move", Note: p.sign(text)}, nil
	}
	kept, err := p.once(numbered("roll", a.Number), text)
	if err != nil {
		return Message{}, err
	}
	if !bytes.Equal(kept, text) {
		return Message{}, p.stop("two-rolls", a.Number)
	}
	return Message{Action: "ask", Note: p.sign(text)}, nil
}

// Leave notes that the user of this phone gives up: the phone then agrees to be named
// as the role that did not go on. Fault: no-storage.
func (p *Phone) Leave() error {
	p.left = true
	_, err := p.once("left", []byte{1})
	return err
}

// awaits reports whether a role's part is missing, so that it may be named as silent:
// that of the server only when all seats have given theirs.
func (p *Phone) awaits(role int) bool {
	missing := func(seat int) bool {
		switch {
		case !p.dated:
			return false // it is the log's turn
		case !p.started():
			return !p.readies[seat]
		case p.pending != nil:
			return p.pending.links[seat] == nil
		}
		return seat == int(p.t.Turn)
	}
	if role > 0 {
		return role < len(p.readies) && missing(role)
	}
	for seat := range p.readies[1:] {
		if missing(seat + 1) {
			return false
		}
	}
	return true
}

// Ended takes the end of the match: its state, the role that did not go on or -1, and
// the seat that ended it. Fault: record-differs.
func (p *Phone) Ended(state record.State, silent int, by uint8) error {
	if p.stopped != nil {
		return p.stopped
	}
	if p.opening == nil && state == record.Aborted && silent < 0 {
		p.state, p.silent = state, silent // there is no record of it
		return nil
	}
	if p.opening == nil {
		return fault("record-differs")
	}
	if p.over() {
		if p.state != state || p.silent != silent {
			return fault("record-differs")
		}
		return nil
	}
	switch state {
	case record.Finished:
		if !p.started() || p.pending != nil || silent >= 0 {
			return fault("record-differs")
		}
	case record.Aborted:
		gaveUp := silent > 0 && silent == int(by) && (by != p.setup.Seat || p.left)
		if silent >= 0 && !gaveUp && !p.awaits(silent) {
			return fault("record-differs")
		}
	default:
		return fault("record-differs")
	}
	p.state, p.silent = state, silent
	return nil
}

// Record is the record of the match as this phone has it.
func (p *Phone) Record() (*record.Record, error) {
	if p.opening == nil {
		return nil, fault("not-running")
	}
	return p.t.Record(p.opening, slices.Clone(p.entries), p.Pending(), p.state, p.silent), nil
}

// Sign compares the server's record of a match that is over with the phone's own, and
// gives its signature line if they are the same. Fault: record-differs.
func (p *Phone) Sign(note []byte) ([]byte, error) {
	if p.stopped != nil {
		return nil, p.stopped
	}
	if p.opening == nil || !p.over() {
		return nil, fault("record-differs")
	}
	r, err := p.Record()
	if err != nil {
		return nil, err
	}
	text, err := r.MarshalText()
	if err != nil {
		return nil, fault("record-differs")
	}
	n, err := record.ParseNote(note)
	if err != nil || !bytes.Equal(n.Text, text) || !p.signer(0).Signed(n.Text, n.Signatures) {
		return nil, fault("record-differs")
	}
	if p.lost || p.private == nil {
		return nil, fault("lost-chain")
	}
	kept, err := p.once("record", r.Sum[:])
	if err != nil {
		return nil, err
	}
	if !bytes.Equal(kept, r.Sum[:]) {
		return nil, fault("record-differs")
	}
	return p.sign(text)[len(text)+1:], nil
}

// Holds reports whether a closing is the one of this phone's record, so that what the
// log says of the match is what the phone saw.
func (p *Phone) Holds(closing []byte) error {
	c, err := record.ParseClosing(closing)
	if err != nil || p.opening == nil {
		return fault("record-differs")
	}
	r, err := p.Record()
	if err != nil {
		return err
	}
	want := verify.Ending(r, c.Index, p.opened)
	if !bytes.Equal(want, closing) {
		return fault("record-differs")
	}
	return nil
}
