package protocol_test

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"veridice/protocol"
	"veridice/record"
	"veridice/roll"
	"veridice/scheme"
	"veridice/seed"
	"veridice/verify"
)

// shelf is a keeper in memory; with full set it fails.
type shelf struct {
	kept map[string][]byte
	full bool
}

func newShelf() *shelf { return &shelf{kept: map[string][]byte{}} }

func (s *shelf) Once(key string, value []byte) ([]byte, error) {
	if s.full {
		return nil, errors.New("shelf: full")
	}
	if _, ok := s.kept[key]; !ok {
		s.kept[key] = slices.Clone(value)
	}
	return slices.Clone(s.kept[key]), nil
}

func (s *shelf) Get(key string) ([]byte, error) {
	if s.full {
		return nil, errors.New("shelf: full")
	}
	return slices.Clone(s.kept[key]), nil
}

const today = 1_780_000_000 // Unix time

func secret32(name string) [32]byte { return sha256.Sum256([]byte(name)) }

// A rig is a server that signs whatever a test wants it to, and the phones at its
// table. It knows every secret.
type rig struct {
	t       testing.TB
	match   scheme.Match
	terms   string
	links   uint32
	expires uint64
	chains  []scheme.Chain       // by role
	keys    []ed25519.PrivateKey // by role
	shelves []*shelf             // by seat, the first at 1
	phones  []*protocol.Phone    // by seat, the first at 1
	offer   []byte               // text
	opening []byte
	tr      protocol.Transcript
	story   []func(*protocol.Phone) error // what was sent to every phone, in order
	logs    []*protocol.PublicLog         // by seat, nil where no log is pinned
}

func newRig(t testing.TB, seats int, dice string, logs ...*protocol.PublicLog) *rig {
	t.Helper()
	sum := secret32("match " + t.Name())
	r := &rig{t: t, match: scheme.Match(sum[:16]), links: 256, expires: today + 86_400, shelves: []*shelf{nil}, phones: []*protocol.Phone{nil}}
	r.logs = logs
	r.terms = strings.Replace(goodTerms, "2d6", dice, 1)
	for role := range seats + 1 {
		r.chains = append(r.chains, r.chain(r.match, uint8(role)))
		key := r.seedOf(role)
		r.keys = append(r.keys, ed25519.NewKeyFromSeed(key[:]))
		if role > 0 {
			r.shelves = append(r.shelves, newShelf())
			r.phones = append(r.phones, r.phone(role))
		}
	}
	return r
}

func (r *rig) lastOf(role int) [32]byte { return secret32(fmt.Sprint(r.t.Name(), " last ", role)) }
func (r *rig) seedOf(role int) [32]byte { return secret32(fmt.Sprint(r.t.Name(), " key ", role)) }

func (r *rig) chain(match scheme.Match, role uint8) scheme.Chain {
	c, err := scheme.NewChain(match, role, r.lastOf(int(role)), r.links)
	if err != nil {
		r.t.Fatal(err)
	}
	return c
}

// phone is a new one over what the seat's phone kept: a reload, or a second tab.
func (r *rig) phone(seat int) *protocol.Phone {
	return r.phoneOver(seat, r.shelves[seat], fmt.Sprint(len(r.story)))
}

func (r *rig) phoneOver(seat int, s *shelf, fresh string) *protocol.Phone {
	last, key := r.lastOf(seat), r.seedOf(seat)
	if fresh != "0" { // a browser draws anew each time
		last, key = secret32(fresh+"last"), secret32(fresh+"key")
	}
	setup := protocol.Setup{Match: r.match, Server: r.public(0), Seat: uint8(seat), Keeper: s, Last: last, Key: key}
	if r.logs != nil {
		setup.Log = r.logs[seat]
	}
	p, err := protocol.NewPhone(setup)
	if err != nil {
		r.t.Fatal(err)
	}
	return p
}

func (r *rig) public(role int) [32]byte {
	return [32]byte(r.keys[role].Public().(ed25519.PublicKey))
}

// note signs a text as these roles.
func (r *rig) note(text []byte, roles ...int) []byte {
	var lines []record.Signature
	for _, role := range roles {
		lines = append(lines, protocol.Sign(verify.Role(r.match, uint8(role), r.public(role)), r.keys[role], text))
	}
	return protocol.Note(text, lines...)
}

// tell sends the same to every phone.
func (r *rig) tell(message func(*protocol.Phone) error) {
	r.t.Helper()
	r.story = append(r.story, message)
	for seat, p := range r.phones[1:] {
		if err := message(p); err != nil {
			r.t.Fatalf("seat %d: %v", seat+1, err)
		}
	}
}

// again tells a phone all that was told before.
func (r *rig) again(p *protocol.Phone) error {
	for _, message := range r.story {
		if err := message(p); err != nil {
			return err
		}
	}
	return nil
}

// due wants one message that a phone sends by itself.
func (r *rig) due(seat int, action string) protocol.Message {
	r.t.Helper()
	return r.dueOf(r.phones[seat], action)
}

func (r *rig) dueOf(p *protocol.Phone, action string) protocol.Message {
	r.t.Helper()
	all, err := p.Due()
	if err != nil {
		r.t.Fatal(err)
	}
	if action == "" {
		if len(all) > 0 {
			r.t.Fatalf("the phone sends its %s", all[0].Action)
		}
		return protocol.Message{}
	}
	if len(all) != 1 || all[0].Action != action {
		r.t.Fatalf("the phone sends %v, want its %s", all, action)
	}
	return all[0]
}

func (r *rig) seats() int { return len(r.keys) - 1 }

func (r *rig) server() record.Role {
	return record.Role{Anchor: r.chains[0].Anchor(), Key: r.public(0)}
}

func (r *rig) makeOffer() *record.Offer {
	return &record.Offer{
		Match: r.match, Seq: 1, Rules: sha256.Sum256([]byte(r.terms)), Links: r.links, Seats: r.seats(), Server: r.server(), Expires: r.expires,
	}
}

func (r *rig) doOffer() *rig {
	r.t.Helper()
	r.offer = r.makeOffer().Marshal()
	n := r.note(r.offer, 0)
	r.tell(func(p *protocol.Phone) error { return p.Offer(n, []byte(r.terms), today) })
	return r
}

func (r *rig) makeJoin(seat int) *record.Join {
	role := record.Role{Anchor: r.chains[seat].Anchor(), Key: r.public(seat)}
	return &record.Join{Match: r.match, Offer: sha256.Sum256(r.offer), Seat: uint8(seat), Role: role}
}

func (r *rig) doJoin() *rig {
	r.t.Helper()
	for seat := 1; seat <= r.seats(); seat++ {
		n := r.due(seat, "join").Note
		if want := r.note(r.makeJoin(seat).Marshal(), seat); string(n) != string(want) {
			r.t.Fatalf("got the join\n%s, want\n%s", n, want)
		}
		r.tell(func(p *protocol.Phone) error { return p.Joined(n) })
	}
	return r
}

func (r *rig) makeOpening() *record.Chain {
	c := &record.Chain{ID: r.match, Seq: 1, Rules: sha256.Sum256([]byte(r.terms)), Links: r.links, Roles: []record.Role{r.server()}, Expires: r.expires}
	for seat := 1; seat <= r.seats(); seat++ {
		c.Roles = append(c.Roles, r.makeJoin(seat).Role)
	}
	return c
}

func (r *rig) doOpen() *rig {
	r.t.Helper()
	c := r.makeOpening()
	r.opening = c.Opening()
	terms, err := protocol.ParseTerms([]byte(r.terms))
	if err != nil {
		r.t.Fatal(err)
	}
	r.tr = protocol.Begin(c, terms)
	r.tell(func(p *protocol.Phone) error { return p.Anchored(r.opening) })
	return r
}

func (r *rig) makeReady(seat int) *record.Ready {
	return &record.Ready{Match: r.match, Opening: seed.LeafHash(r.opening), Seat: uint8(seat)}
}

func (r *rig) doReady() *rig {
	r.t.Helper()
	for seat := 1; seat <= r.seats(); seat++ {
		n := r.due(seat, "ready").Note
		if want := r.note(r.makeReady(seat).Marshal(), seat); string(n) != string(want) {
			r.t.Fatalf("got the ready\n%s, want\n%s", n, want)
		}
		r.tell(func(p *protocol.Phone) error { return p.Readied(n) })
	}
	return r
}

// running is a match of which every seat is ready.
func running(t testing.TB, seats int, dice string) *rig {
	t.Helper()
	return newRig(t, seats, dice).doOffer().doJoin().doOpen().doReady()
}

// ask makes the ROLL text that is due.
func (r *rig) ask(faces ...uint32) *record.Ask {
	r.t.Helper()
	a, err := r.tr.Ask(r.tr.Turn, faces)
	if err != nil {
		r.t.Fatal(err)
	}
	return a
}

// asked is a ROLL note with the signatures of actor and server.
func (r *rig) asked(a *record.Ask) []byte { return r.note(a.Marshal(), int(a.Actor), 0) }

func (r *rig) all() []int {
	var roles []int
	for role := range r.keys {
		roles = append(roles, role)
	}
	return roles
}

func (r *rig) linksOf(number uint64) (links []scheme.Link) {
	for _, c := range r.chains {
		links = append(links, c.Link(uint32(number)))
	}
	return links
}

func (r *rig) head(number uint64, head record.Head) []byte {
	return r.note((&record.Receipt{Match: r.match, Number: number, Head: head}).Marshal(), 0)
}

// doRoll makes the next roll with all phones.
func (r *rig) doRoll(faces ...uint32) []uint32 {
	r.t.Helper()
	a := r.ask(faces...)
	m, err := r.phones[a.Actor].Roll(faces)
	if err != nil {
		r.t.Fatal(err)
	}
	if want := r.note(a.Marshal(), int(a.Actor)); m.Action != "ask" || string(m.Note) != string(want) {
		r.t.Fatalf("got %s\n%s, want\n%s", m.Action, m.Note, want)
	}
	n := r.asked(a)
	r.tell(func(p *protocol.Phone) error { return p.Asked(n) })
	for seat := 1; seat <= r.seats(); seat++ {
		m := r.due(seat, "link")
		if want := r.note(a.Marshal(), seat); string(m.Note) != string(want) || m.Roll != a.Number || m.Link != r.linksOf(a.Number)[seat] {
			r.t.Fatalf("got the link %x of roll %d for\n%s, want for\n%s", m.Link, m.Roll, m.Note, want)
		}
		r.tell(func(p *protocol.Phone) error { return p.Linked(uint8(seat), a.Number, m.Link) })
	}
	return r.complete(a)
}

// made gives the dice and the head of a roll with these links, right or wrong.
func (r *rig) made(a *record.Ask, links []scheme.Link) ([]uint32, record.Head) {
	r.t.Helper()
	context := r.tr.Context(a)
	made, err := roll.Chain(a.Number, context, links, a.Faces)
	if err != nil {
		r.t.Fatal(err)
	}
	var plain [][32]byte
	for _, link := range links {
		plain = append(plain, link)
	}
	return made.Dice, a.Head.Rolled(context, plain, made.Dice)
}

// complete tells the phones a roll that everybody gave a part of.
func (r *rig) complete(a *record.Ask) []uint32 {
	r.t.Helper()
	dice, next, err := r.tr.Roll(a, r.linksOf(a.Number))
	if err != nil {
		r.t.Fatal(err)
	}
	n, links, head := r.note(a.Marshal(), r.all()...), r.linksOf(a.Number), r.head(a.Number, next.Head)
	r.tell(func(p *protocol.Phone) error { return p.Rolled(n, links, dice, head) })
	r.tr = next
	return dice
}

func (r *rig) doMove(move string) {
	r.t.Helper()
	seat := r.tr.Turn
	s := step(&r.tr, seat, move)
	m, err := r.phones[seat].Move(move)
	if want := r.note(s.Marshal(), int(seat)); err != nil || m.Action != "move" || string(m.Note) != string(want) {
		r.t.Fatalf("got %s\n%s, %v, want\n%s", m.Action, m.Note, err, want)
	}
	if r.tr, err = r.tr.Move(s); err != nil {
		r.t.Fatal(err)
	}
	r.tell(func(p *protocol.Phone) error { return p.Moved(m.Note) })
}

// refuse wants that every phone refuses a message, gives nothing out because of it,
// and can go on.
func (r *rig) refuse(what, code string, message func(*protocol.Phone) error) {
	r.t.Helper()
	for _, p := range r.phones[1:] {
		before := p.Transcript().Head
		wantFault(r.t, what, message(p), code)
		if p.Stopped() != nil || p.Transcript().Head != before {
			r.t.Errorf("%s: the phone went on or stopped: %v", what, p.Stopped())
		}
	}
}

func TestPhonesPlay(t *testing.T) {
	for seats := 1; seats <= 4; seats++ {
		r := running(t, seats, "1-3d6")
		for i := range 5 {
			r.doRoll(slices.Repeat([]uint32{6}, i%3+1)...)
		}
		r.doMove("game")
		if seats > 1 {
			r.doMove(protocol.HandOver(r.tr.Turn%uint8(seats) + 1))
		}
		r.doRoll(6, 6)
		end := func(p *protocol.Phone) error { return p.Ended(record.Finished, -1, 1) }
		r.tell(end)
		rec, err := r.phones[1].Record()
		if err != nil {
			t.Fatal(err)
		}
		text, err := rec.MarshalText()
		if err != nil {
			t.Fatal(err)
		}
		signed := r.note(text, 0)
		for seat := 1; seat <= seats; seat++ {
			line, err := r.phones[seat].Sign(r.note(text, 0))
			if err != nil {
				t.Fatal(err)
			}
			signed = append(signed, line...)
		}
		report := verify.Text(signed, verify.Options{})
		if report.Verdict != verify.Proven || report.Rolls != 6 || len(report.Signed) != seats+1 {
			t.Errorf("the record of %d seats is %s %s, signed by %v", seats, report.Verdict, report.Code, report.Signed)
		}
		closing := verify.Ending(rec, 12, r.opening)
		wantFault(t, "the closing", r.phones[1].Holds(closing), "")
		wantFault(t, "another closing", r.phones[1].Holds([]byte(strings.Replace(string(closing), "rolls 6", "rolls 5", 1))), "record-differs")
	}
}

// TestNothingLeavesTooEarly: a phone gives no link before it has the opening and the
// READY of every seat, and before actor and server signed the roll.
func TestNothingLeavesTooEarly(t *testing.T) {
	r := newRig(t, 2, "2d6").doOffer().doJoin().doOpen()
	early := &record.Ask{Match: r.match, Number: 1, Actor: 1, Faces: []uint32{6, 6}, Head: r.tr.Head}
	r.refuse("a roll before anybody is ready", "not-due", func(p *protocol.Phone) error { return p.Asked(r.asked(early)) })
	n := r.due(1, "ready").Note
	r.tell(func(p *protocol.Phone) error { return p.Readied(n) })
	r.refuse("a roll before everybody is ready", "not-due", func(p *protocol.Phone) error { return p.Asked(r.asked(early)) })
	_, err := r.phones[1].Roll([]uint32{6, 6})
	wantFault(t, "a roll of its own before everybody is ready", err, "not-running")
	r.dueOf(r.phones[1], "")
	n = r.due(2, "ready").Note
	r.tell(func(p *protocol.Phone) error { return p.Readied(n) })
	m, err := r.phones[1].Roll([]uint32{6, 6})
	if err != nil {
		t.Fatal(err)
	}
	r.dueOf(r.phones[2], "")
	// The actor's phone, too, waits for the server's signature.
	if again := r.due(1, "ask"); string(again.Note) != string(m.Note) {
		t.Errorf("asks in other words: %s", again.Note)
	}
	r.refuse("the actor's signature alone", "roll-signature", func(p *protocol.Phone) error { return p.Asked(m.Note) })
	r.due(1, "ask")
}

// From here on the cases of the specification that a phone must refuse.

func TestOfferRefused(t *testing.T) {
	r := newRig(t, 2, "2d6")
	send := func(change func(*record.Offer), sign ...int) func(*protocol.Phone) error {
		o := r.makeOffer()
		change(o)
		return func(p *protocol.Phone) error { return p.Offer(r.note(o.Marshal(), sign...), []byte(r.terms), today) }
	}
	same := func(*record.Offer) {}
	r.refuse("an offer signed by a seat", "offer-signature", send(same, 1))
	r.refuse("an offer of another match", "other-match", send(func(o *record.Offer) { o.Match[0]++ }, 0))
	r.refuse("an offer under another server key", "other-key", send(func(o *record.Offer) { o.Server.Key = r.public(1) }, 1))
	r.refuse("other rules", "rules-differ", func(p *protocol.Phone) error {
		return p.Offer(r.note(r.makeOffer().Marshal(), 0), []byte(strings.Replace(r.terms, "wait 120", "wait 121", 1)), today)
	})
	r.refuse("rules that are none", "rules-differ", func(p *protocol.Phone) error {
		o := r.makeOffer()
		o.Rules = sha256.Sum256([]byte("whatever\n"))
		return p.Offer(r.note(o.Marshal(), 0), []byte("whatever\n"), today)
	})
	r.refuse("no note", "offer-signature", func(p *protocol.Phone) error { return p.Offer(r.makeOffer().Marshal(), []byte(r.terms), today) })
	r.refuse("a text that is no offer", "offer-signature", func(p *protocol.Phone) error {
		return p.Offer(r.note([]byte("veridice/1 offer\n"), 0), []byte(r.terms), today)
	})
	wantFault(t, "an offer without the phone's seat", send(func(o *record.Offer) { o.Seats = 1 }, 0)(r.phones[2]), "offer-differs")
	r.doOffer()
}

// TestShortChains: links 255 and 8193.
func TestShortChains(t *testing.T) {
	for _, links := range []uint32{1, 255, 8193, 1 << 20} {
		r := newRig(t, 1, "2d6")
		text := strings.Replace(string(r.makeOffer().Marshal()), "links 256\n", fmt.Sprintf("links %d\n", links), 1)
		r.refuse(fmt.Sprint(links, " links"), "short-chains", func(p *protocol.Phone) error { return p.Offer(r.note([]byte(text), 0), []byte(r.terms), today) })
	}
	for _, links := range []uint32{256, 8192} {
		r := newRig(t, 1, "2d6")
		r.links = links
		r.chains[1] = r.chain(r.match, 1)
		r.doOffer().doJoin()
	}
}

// TestExpiry: an offer that is past, and one 91 days ahead; to the second.
func TestExpiry(t *testing.T) {
	const day = 86_400
	for expires, code := range map[uint64]string{
		today - 1: "expiry", today: "expiry", today + 1: "", today + 90*day: "", today + 90*day + 1: "expiry", today + 91*day: "expiry", 1<<53 - 1: "expiry",
	} {
		r := newRig(t, 1, "2d6")
		r.expires = expires
		wantFault(t, fmt.Sprint("expires ", int64(expires)-today), r.phones[1].Offer(r.note(r.makeOffer().Marshal(), 0), []byte(r.terms), today), code)
	}
	// A phone that has joined goes on: the match may last longer.
	r := running(t, 1, "2d6")
	p := r.phone(1)
	wantFault(t, "an offer joined before", p.Offer(r.note(r.offer, 0), []byte(r.terms), today+1000*day), "")
}

// TestJoinForAnotherOffer, and others that are not the seat's word for this offer.
func TestJoinForAnotherOffer(t *testing.T) {
	r := newRig(t, 2, "2d6").doOffer()
	send := func(seat int, change func(*record.Join), sign ...int) func(*protocol.Phone) error {
		j := r.makeJoin(seat)
		change(j)
		return func(p *protocol.Phone) error { return p.Joined(r.note(j.Marshal(), sign...)) }
	}
	r.refuse("a join for another offer", "join-signature", send(2, func(j *record.Join) { j.Offer[5]++ }, 2))
	r.refuse("a join of another match", "other-match", send(2, func(j *record.Join) { j.Match[5]++ }, 2))
	r.refuse("a join signed by another seat", "join-signature", send(2, func(*record.Join) {}, 1))
	r.refuse("a join of a seat that the table does not have", "join-signature", send(2, func(j *record.Join) { j.Seat = 3 }, 2))
	r.refuse("a join with two signatures", "join-signature", send(2, func(*record.Join) {}, 2, 1))
	r.doJoin()
	wantFault(t, "a second join of a seat", send(2, func(j *record.Join) { j.Role.Anchor[0]++ }, 2)(r.phones[1]), "offer-differs")
}

// TestKeyOfSmallOrder: no signature under such a key verifies, whatever it says.
func TestKeyOfSmallOrder(t *testing.T) {
	r := newRig(t, 2, "2d6").doOffer()
	for _, key := range [][32]byte{{}, {1}, {0: 1, 31: 0x80}, {
		0xec, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
		0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f}} {
		j := r.makeJoin(2)
		j.Role.Key = key
		s := verify.Role(r.match, 2, key)
		// R is the neutral point and S is 0: by the equation alone this signs any text
		// under a key of small order.
		sig := record.Signature{Name: s.Name, KeyID: s.KeyID(), Bytes: append([]byte{1}, make([]byte, 63)...)}
		wantFault(t, fmt.Sprintf("a join under %x", key[:2]), r.phones[1].Joined(protocol.Note(j.Marshal(), sig)), "join-signature")
		p, err := protocol.NewPhone(protocol.Setup{Match: r.match, Server: key, Seat: 1, Keeper: newShelf()})
		if err != nil {
			t.Fatal(err)
		}
		o := r.makeOffer()
		o.Server.Key = key
		s = verify.Role(r.match, 0, key)
		sig.Name, sig.KeyID = s.Name, s.KeyID()
		wantFault(t, fmt.Sprintf("an offer under %x", key[:2]), p.Offer(protocol.Note(o.Marshal(), sig), []byte(r.terms), today), "offer-signature")
	}
}

// TestAnchorCopied: an anchor or key copied from another role.
func TestAnchorCopied(t *testing.T) {
	r := newRig(t, 3, "2d6").doOffer()
	for seat := 1; seat <= 3; seat++ {
		j := r.makeJoin(seat)
		if seat == 3 {
			j.Role.Anchor = r.chains[1].Anchor()
		}
		n := r.note(j.Marshal(), seat)
		for other, p := range r.phones[1:] {
			if other < 2 {
				r.due(other+1, map[bool]string{true: "join", false: ""}[seat <= other+1])
				wantFault(t, "a join", p.Joined(n), "")
			}
		}
	}
	c := r.makeOpening()
	c.Roles[3].Anchor = r.chains[1].Anchor()
	for _, p := range r.phones[1:3] {
		wantFault(t, "an opening with a copied anchor", p.Anchored(c.Opening()), "same-anchor")
		r.dueOf(p, "")
	}
	c = r.makeOpening()
	c.Roles[3].Anchor = r.chains[0].Anchor()
	wantFault(t, "an opening with the server's anchor", r.phones[1].Anchored(c.Opening()), "same-anchor")
	c = r.makeOpening()
	c.Roles[3].Key = r.public(2)
	wantFault(t, "an opening with a copied key", r.phones[1].Anchored(c.Opening()), "same-key")
}

func TestOpeningRefused(t *testing.T) {
	r := newRig(t, 2, "2d6").doOffer().doJoin()
	for what, c := range map[string]struct {
		code   string
		change func(*record.Chain)
	}{
		"of another match":      {"other-match", func(c *record.Chain) { c.ID[0]++ }},
		"with another number":   {"offer-differs", func(c *record.Chain) { c.Seq++ }},
		"with other rules":      {"offer-differs", func(c *record.Chain) { c.Rules[0]++ }},
		"with longer chains":    {"offer-differs", func(c *record.Chain) { c.Links++ }},
		"that expires later":    {"offer-differs", func(c *record.Chain) { c.Expires++ }},
		"with a seat too few":   {"offer-differs", func(c *record.Chain) { c.Roles = c.Roles[:2] }},
		"with a seat too many":  {"offer-differs", func(c *record.Chain) { c.Roles = append(c.Roles, record.Role{Anchor: [32]byte{1}}) }},
		"of another server":     {"other-key", func(c *record.Chain) { c.Roles[0].Key[0]++ }},
		"with another anchor 0": {"offer-differs", func(c *record.Chain) { c.Roles[0].Anchor[0]++ }},
	} {
		o := r.makeOpening()
		c.change(o)
		r.refuse("an opening "+what, c.code, func(p *protocol.Phone) error { return p.Anchored(o.Opening()) })
	}
	for seat := 1; seat <= 2; seat++ {
		for what, change := range map[string]func(*record.Role){"anchor": func(r *record.Role) { r.Anchor[0]++ }, "key": func(r *record.Role) { r.Key[0]++ }} {
			o := r.makeOpening()
			change(&o.Roles[seat])
			for other, p := range r.phones[1:] {
				code := "offer-differs"
				if other+1 == seat {
					code = "own-anchor"
				}
				wantFault(t, fmt.Sprint("an opening with another ", what, " of seat ", seat), p.Anchored(o.Opening()), code)
				r.dueOf(p, "")
			}
		}
	}
	r.doOpen()
}

// TestReadyForAnotherOpening, and other words that are not this seat's for this one.
func TestReadyForAnotherOpening(t *testing.T) {
	r := newRig(t, 2, "2d6").doOffer().doJoin().doOpen()
	send := func(change func(*record.Ready), sign ...int) func(*protocol.Phone) error {
		m := r.makeReady(2)
		change(m)
		return func(p *protocol.Phone) error { return p.Readied(r.note(m.Marshal(), sign...)) }
	}
	r.refuse("a ready for another opening", "ready-differs", send(func(m *record.Ready) { m.Opening[0]++ }, 2))
	r.refuse("a ready of another match", "other-match", send(func(m *record.Ready) { m.Match[0]++ }, 2))
	r.refuse("a ready signed by another seat", "ready-differs", send(func(*record.Ready) {}, 1))
	r.refuse("a ready of no seat", "ready-differs", send(func(m *record.Ready) { m.Seat = 3 }, 2))
	r.doReady()
}

// TestSecondOpening: over one join a phone is ready for one opening, ever.
func TestSecondOpening(t *testing.T) {
	r := newRig(t, 2, "2d6").doOffer().doJoin().doOpen()
	r.due(1, "ready")
	// The opponent gave the server two joins, so that there are two good openings.
	other := r.makeOpening()
	other.Roles[2].Anchor[0]++
	j := r.makeJoin(2)
	j.Role = other.Roles[2]
	wantFault(t, "a second opening", r.phones[1].Anchored(other.Opening()), "ready-differs")
	p := r.phone(1)
	for _, message := range []error{
		p.Offer(r.note(r.offer, 0), []byte(r.terms), today), p.Joined(r.note(r.makeJoin(1).Marshal(), 1)), p.Joined(r.note(j.Marshal(), 2)),
	} {
		wantFault(t, "after a reload", message, "")
	}
	wantFault(t, "a second opening after a reload", p.Anchored(other.Opening()), "ready-differs")
	if _, err := p.Due(); err == nil {
		t.Error("the phone goes on after a second opening")
	}
	wantFault(t, "after another reload", r.phone(1).Stopped(), "ready-differs")
}

// TestSecondOffer: a match id seen before, with other anchors.
func TestSecondOffer(t *testing.T) {
	r := newRig(t, 1, "2d6").doOffer()
	o := r.makeOffer()
	o.Server.Anchor[0]++
	second := r.note(o.Marshal(), 0)
	wantFault(t, "a second offer before the join", r.phones[1].Offer(second, []byte(r.terms), today), "offer-differs")
	r.doJoin()
	wantFault(t, "a second offer", r.phones[1].Offer(second, []byte(r.terms), today), "offer-differs")
	p := r.phone(1)
	wantFault(t, "a second offer after a reload", p.Offer(second, []byte(r.terms), today), "offer-differs")
	r.dueOf(p, "")
	// Two tabs that were there before the join: the second one joins with nothing else.
	r = newRig(t, 1, "2d6")
	tab := r.phone(1)
	r.doOffer()
	wantFault(t, "the second offer in a second tab", tab.Offer(second, []byte(r.terms), today), "")
	r.due(1, "join")
	_, err := tab.Due()
	wantFault(t, "the join of the second tab", err, "offer-differs")
}

// TestLinks: of another match, role or index; skipped; shown twice.
func TestLinks(t *testing.T) {
	begun := func() (*rig, *record.Ask) {
		r := running(t, 2, "2d6")
		r.doRoll(6, 6)
		a := r.ask(6, 6)
		r.tell(func(p *protocol.Phone) error { return p.Asked(r.asked(a)) })
		return r, a
	}
	r, a := begun()
	foreign := r.match
	foreign[0]++
	for what, link := range map[string]scheme.Link{
		"of another match": r.chain(foreign, 2).Link(2), "of another role": r.chains[1].Link(2), "that is skipped": r.chains[2].Link(3),
		"that was shown before": r.chains[2].Link(1), "that is the anchor": r.chains[2].Anchor(), "that is nothing": {},
	} {
		r, a := begun() // a phone notes the HEAD of each
		r.refuse("a link "+what, "wrong-link", func(p *protocol.Phone) error { return p.Linked(2, 2, link) })
		links := r.linksOf(2)
		links[2] = link
		dice, head := r.made(a, links) // all else is as it would be with this link
		r.refuse("a roll with a link "+what, "wrong-link", func(p *protocol.Phone) error {
			return p.Rolled(r.note(a.Marshal(), r.all()...), links, dice, r.head(2, head))
		})
	}
	r.refuse("a link of another roll", "roll-number", func(p *protocol.Phone) error { return p.Linked(2, 1, r.chains[2].Link(1)) })
	r.refuse("a link of no seat", "wrong-link", func(p *protocol.Phone) error { return p.Linked(3, 2, r.chains[2].Link(2)) })
	r.refuse("the server's link before the roll", "wrong-link", func(p *protocol.Phone) error { return p.Linked(0, 2, r.chains[0].Link(2)) })
	r.refuse("a roll with a link too few", "wrong-link", func(p *protocol.Phone) error {
		return p.Rolled(r.note(a.Marshal(), r.all()...), r.linksOf(2)[:2], nil, nil)
	})
	r.complete(a)
}

// TestRollRefused: another head, a number skipped or repeated, not due, and each
// signature that is missing or forged. No link leaves the phones for any of them.
func TestRollRefused(t *testing.T) {
	r := running(t, 2, "2d6")
	r.doRoll(6, 6)
	for what, c := range map[string]struct {
		code   string
		change func(*record.Ask)
	}{
		"of another match":         {"other-match", func(a *record.Ask) { a.Match[0]++ }},
		"over another head":        {"other-head", func(a *record.Ask) { a.Head[0]++ }},
		"that skips a number":      {"roll-number", func(a *record.Ask) { a.Number++ }},
		"of another seat":          {"not-due", func(a *record.Ask) { a.Actor = 1 }},
		"of the house":             {"not-due", func(a *record.Ask) { a.Actor = 0 }},
		"of a seat that is not":    {"not-due", func(a *record.Ask) { a.Actor = 3 }},
		"with dice of other faces": {"not-due", func(a *record.Ask) { a.Faces = []uint32{6, 5} }},
		"with a die more":          {"not-due", func(a *record.Ask) { a.Faces = []uint32{6, 6, 6} }},
	} {
		a := r.ask(6, 6)
		c.change(a)
		r.refuse("a roll "+what, c.code, func(p *protocol.Phone) error { return p.Asked(r.note(a.Marshal(), r.all()...)) })
	}
	for _, p := range r.phones[1:] {
		r.dueOf(p, "")
	}
	a := r.ask(6, 6)
	text := a.Marshal()
	for what, note := range map[string][]byte{
		"without the actor":               r.note(text, 0),
		"without the server":              r.note(text, 2),
		"with another seat for the actor": r.note(text, 0, 1),
		"without signatures":              text,
		"with a forged signature":         forged(r.note(text, 2, 0)),
	} {
		r.refuse("a roll "+what, "roll-signature", func(p *protocol.Phone) error { return p.Asked(note) })
		for _, p := range r.phones[1:] {
			r.dueOf(p, "")
		}
	}
	r.tell(func(p *protocol.Phone) error { return p.Asked(r.asked(a)) })
	dice, next, err := r.tr.Roll(a, r.linksOf(2))
	if err != nil {
		t.Fatal(err)
	}
	for _, roles := range [][]int{{0, 2}, {0, 1}, {1, 2}, {0}} {
		r.refuse(fmt.Sprint("a complete roll signed by ", roles), "roll-signature", func(p *protocol.Phone) error {
			return p.Rolled(r.note(text, roles...), r.linksOf(2), dice, r.head(2, next.Head))
		})
	}
	r.complete(a)
	wrong := slices.Clone(dice)
	wrong[0] = wrong[0]%6 + 1
	a = r.ask(6, 6)
	dice, next, err = r.tr.Roll(a, r.linksOf(3))
	if err != nil {
		t.Fatal(err)
	}
	wrong = slices.Clone(dice)
	wrong[1] = wrong[1]%6 + 1
	full := r.note(a.Marshal(), r.all()...)
	r.refuse("other dice", "wrong-dice", func(p *protocol.Phone) error { return p.Rolled(full, r.linksOf(3), wrong, r.head(3, next.Head)) })
	other := next.Head
	other[0]++
	r.refuse("another head after the roll", "head-differs", func(p *protocol.Phone) error {
		return p.Rolled(full, r.linksOf(3), dice, r.note((&record.Receipt{Match: r.match, Number: 3, Head: other}).Marshal(), 1, 0))
	})
	r.refuse("a head of another roll", "head-differs", func(p *protocol.Phone) error { return p.Rolled(full, r.linksOf(3), dice, r.head(4, next.Head)) })
	r.refuse("a head of another match", "head-differs", func(p *protocol.Phone) error {
		return p.Rolled(full, r.linksOf(3), dice, r.note((&record.Receipt{Number: 3, Head: other}).Marshal(), 0))
	})
	r.refuse("a head signed by a seat", "head-differs", func(p *protocol.Phone) error {
		return p.Rolled(full, r.linksOf(3), dice, r.note((&record.Receipt{Match: r.match, Number: 3, Head: next.Head}).Marshal(), 1))
	})
	r.complete(a)
}

// forged spoils the last signature of a note.
func forged(note []byte) []byte {
	n, err := record.ParseNote(note)
	if err != nil {
		panic(err)
	}
	n.Signatures[len(n.Signatures)-1].Bytes[7] ^= 1
	return n.Marshal()
}

// TestMessagesReplayed: nothing from earlier in the match is taken for the present.
func TestMessagesReplayed(t *testing.T) {
	r := running(t, 2, "2d6")
	r.doRoll(6, 6)
	r.doMove("game")
	first := r.story
	r.doRoll(6, 6)
	r.doRoll(6, 6)
	r.doMove("game")
	for seat := 1; seat <= 2; seat++ {
		p := r.phones[seat]
		head := p.Transcript().Head
		for _, message := range first {
			_ = message(p) // refused, or nothing new
		}
		if p.Transcript().Head != head || p.Stopped() != nil || p.Pending() != nil {
			t.Errorf("seat %d: replayed messages changed something: %v", seat, p.Stopped())
		}
		r.dueOf(p, "")
	}
	old := step(&r.tr, 1, "game")
	old.Head = record.Start(seed.LeafHash(r.opening))
	r.refuse("a move over an earlier head", "other-head", func(p *protocol.Phone) error { return p.Moved(r.note(old.Marshal(), 1)) })
	r.doRoll(6, 6)
}

// TestMoveRefused: a move signed by somebody else, not due, or at another place.
func TestMoveRefused(t *testing.T) {
	r := running(t, 2, "2d6")
	r.doRoll(6, 6)
	good := step(&r.tr, 2, "turn 1")
	send := func(change func(*record.Step), sign ...int) func(*protocol.Phone) error {
		s := *good
		change(&s)
		return func(p *protocol.Phone) error { return p.Moved(r.note(s.Marshal(), sign...)) }
	}
	same := func(*record.Step) {}
	r.refuse("a move signed by another seat", "move-signature", send(same, 1))
	r.refuse("a move signed by the server", "move-signature", send(same, 0))
	r.refuse("a move with a forged signature", "move-signature", func(p *protocol.Phone) error { return p.Moved(forged(r.note(good.Marshal(), 2))) })
	r.refuse("a move of another match", "other-match", send(func(s *record.Step) { s.Match[0]++ }, 2))
	r.refuse("a move over another head", "other-head", send(func(s *record.Step) { s.Head[0]++ }, 2))
	r.refuse("a move of the seat that is not to act", "not-due", send(func(s *record.Step) { s.Role = 1; s.Move = "turn 2" }, 1))
	r.refuse("a move that is none of a table", "not-due", send(func(s *record.Step) { s.Move = "24/20 13/11" }, 2))
	a := r.ask(6, 6)
	r.tell(func(p *protocol.Phone) error { return p.Asked(r.asked(a)) })
	r.refuse("a move while a roll is going on", "not-due", send(same, 2))
	r.complete(a)
}

// TestReload: between the storing of a text and the sending of the link, after it, and
// after the roll. The phone gives the same bytes, and no others.
func TestReload(t *testing.T) {
	r := running(t, 2, "2d6")
	r.doRoll(6, 6)
	m, err := r.phones[2].Roll([]uint32{6, 6})
	if err != nil {
		t.Fatal(err)
	}
	p := r.phone(2)
	if err := r.again(p); err != nil {
		t.Fatal(err)
	}
	if got := r.dueOf(p, "ask"); string(got.Note) != string(m.Note) {
		t.Errorf("asks in other words after a reload:\n%s", got.Note)
	}
	a := r.ask(6, 6)
	r.tell(func(p *protocol.Phone) error { return p.Asked(r.asked(a)) })
	var before []protocol.Message
	for seat := 1; seat <= 2; seat++ {
		before = append(before, r.due(seat, "link"))
	}
	for seat := 1; seat <= 2; seat++ {
		for range 2 {
			p := r.phone(seat)
			if err := r.again(p); err != nil {
				t.Fatal(err)
			}
			got := r.dueOf(p, "link")
			if string(got.Note) != string(before[seat-1].Note) || got.Link != before[seat-1].Link || got.Roll != 2 {
				t.Errorf("seat %d gives another part after a reload", seat)
			}
		}
	}
	r.complete(a)
	p = r.phone(1)
	if err := r.again(p); err != nil {
		t.Fatal(err)
	}
	r.dueOf(p, "")
	if p.Transcript().Head != r.tr.Head {
		t.Error("after a reload the phone has another transcript")
	}
}

// TestAnotherTextAfterReload: the server asks again, with other words.
func TestAnotherTextAfterReload(t *testing.T) {
	r := running(t, 2, "1-3d6")
	a := r.ask(6, 6)
	n := r.asked(a)
	for _, p := range r.phones[1:] {
		wantFault(t, "a roll", p.Asked(n), "")
	}
	r.due(1, "link")
	r.due(2, "link")
	b := r.ask(6)
	p := r.phone(2)
	if err := r.again(p); err != nil {
		t.Fatal(err)
	}
	wantFault(t, "another text after a reload", p.Asked(r.asked(b)), "two-rolls")
	if all, err := p.Due(); err == nil {
		t.Errorf("the phone still gives %v", all)
	}
	wantEvidence(t, p, "two-rolls", 1, r.public(0))
	// In one that was not reloaded, too.
	wantFault(t, "another text", r.phones[1].Asked(r.asked(b)), "two-rolls")
	wantEvidence(t, r.phones[1], "two-rolls", 1, r.public(0))
	// It was only the actor who contradicted himself: no server, no roll.
	wantFault(t, "the phone after one more reload", r.phone(2).Stopped(), "two-rolls")
}

// TestAnotherTextInASecondTab: two tabs are shown two texts before either has answered.
func TestAnotherTextInASecondTab(t *testing.T) {
	r := running(t, 2, "1-3d6")
	tab := r.phone(2)
	wantFault(t, "the story", r.again(tab), "")
	wantFault(t, "a text", r.phones[2].Asked(r.asked(r.ask(6))), "")
	wantFault(t, "another text in the second tab", tab.Asked(r.asked(r.ask(6, 6))), "")
	r.due(2, "link")
	all, err := tab.Due()
	if wantFault(t, "its part", err, "two-rolls"); all != nil {
		t.Errorf("the second tab gives %v", all)
	}
	wantEvidence(t, tab, "two-rolls", 1, r.public(0))
}

// wantEvidence wants two notes that prove to anybody that a key's owner was wrong.
func wantEvidence(t testing.TB, p *protocol.Phone, code string, number uint64, key [32]byte) {
	t.Helper()
	all := p.Evidence()
	if len(all) != 1 || all[0].Code != code || all[0].Roll != number {
		t.Fatalf("got the evidence %v", all)
	}
	got, place := verify.Evidence(all[0].Notes[0], all[0].Notes[1], key)
	if string(got) != code || place.String() != fmt.Sprint("roll ", number) {
		t.Errorf("the notes are evidence of %q at %s", got, place)
	}
}

// TestTwoTextsForOneRoll: two honest phones are asked for one roll under two texts.
// Neither accepts a result; both keep both notes.
func TestTwoTextsForOneRoll(t *testing.T) {
	r := running(t, 3, "1-3d6")
	// Seat 1 and the server are in league: seat 2 is shown another text than seat 3.
	a, b := r.ask(6), r.ask(6, 6)
	wantFault(t, "the first text", r.phones[2].Asked(r.asked(a)), "")
	wantFault(t, "the second text", r.phones[3].Asked(r.asked(b)), "")
	r.due(2, "link")
	r.due(3, "link")
	// All links are known now: each text would have its dice.
	for _, c := range []struct {
		ask   *record.Ask
		other int
	}{{a, 2}, {b, 1}} {
		dice, next, err := r.tr.Roll(c.ask, r.linksOf(1))
		if err != nil {
			t.Fatal(err)
		}
		signed := []int{0, 1, 2}
		if c.ask == b {
			signed = []int{0, 1, 3}
		}
		for _, seat := range []int{2, 3} {
			// A phone over the same keeper, as the first message ends its part.
			p := r.phone(seat)
			if p.Stopped() == nil {
				wantFault(t, "the story", r.again(p), "")
			}
			err := p.Rolled(r.note(c.ask.Marshal(), signed...), r.linksOf(1), dice, r.head(1, next.Head))
			if err == nil {
				t.Fatalf("seat %d accepts a result", seat)
			}
			if p.Transcript().Rolls != 0 {
				t.Errorf("seat %d has a roll", seat)
			}
		}
	}
	for _, seat := range []int{2, 3} {
		p := r.phones[seat]
		for _, c := range []*record.Ask{a, b} {
			_ = p.Asked(r.asked(c))
		}
		wantEvidence(t, p, "two-rolls", 1, r.public(0))
		if all, err := p.Due(); err == nil {
			t.Errorf("seat %d still gives %v", seat, all)
		}
	}
}

// TestTwoHeads: the server tells another story of a roll that the phone has.
func TestTwoHeads(t *testing.T) {
	r := running(t, 1, "2d6")
	r.doRoll(6, 6)
	other := r.tr.Head
	other[0]++
	note, _ := r.phones[1].Receipts(1)
	wantFault(t, "another head of roll 1", r.phones[1].Rolled(note, r.linksOf(1), nil, r.head(1, other)), "two-heads")
	wantEvidence(t, r.phones[1], "two-heads", 1, r.public(0))
	wantEvidence(t, r.phone(1), "two-heads", 1, r.public(0))
}

// TestWrongHeadFirst: the server's HEAD of a roll is wrong, and later there is the right
// one. Whichever message it came with, and after a reload, the phone has both.
func TestWrongHeadFirst(t *testing.T) {
	for _, reload := range []bool{false, true} {
		r := running(t, 1, "2d6")
		a := r.ask(6, 6)
		full, links := r.note(a.Marshal(), r.all()...), r.linksOf(1)
		dice, head := r.made(a, links)
		wrong := head
		wrong[0]++
		r.refuse("a wrong head", "head-differs", func(p *protocol.Phone) error { return p.Rolled(full, links, dice, r.head(1, wrong)) })
		r.refuse("it once more", "head-differs", func(p *protocol.Phone) error { return p.Rolled(full, links, dice, r.head(1, wrong)) })
		r.refuse("one of a roll to come", "wrong-link", func(p *protocol.Phone) error { return p.Rolled(full, nil, dice, r.head(2, wrong)) })
		p := r.phones[1]
		if reload {
			p = r.phone(1)
			wantFault(t, "the story", r.again(p), "")
		}
		number := uint64(1)
		if reload {
			number, head = 2, r.tr.Head
		}
		wantFault(t, "the right head", p.Rolled(full, links, dice, r.head(number, head)), "two-heads")
		wantEvidence(t, p, "two-heads", number, r.public(0))
		wantEvidence(t, r.phone(1), "two-heads", number, r.public(0))
		if p.Transcript().Rolls != 0 {
			t.Error("the roll was taken")
		}
	}
}

// TestSecondTab: two phones over one keeper give one part.
func TestSecondTab(t *testing.T) {
	r := newRig(t, 1, "1-3d6")
	tab := r.phoneOver(1, r.shelves[1], "second tab")
	r.doOffer()
	wantFault(t, "the offer in the second tab", r.again(tab), "")
	first, second := r.due(1, "join"), r.dueOf(tab, "join")
	if string(first.Note) != string(second.Note) {
		t.Error("two tabs join with two anchors")
	}
	third := r.phoneOver(1, r.shelves[1], "third tab")
	r.doJoin().doOpen()
	wantFault(t, "a third tab, which was not asked to join", r.again(third), "")
	r.doReady()
	tab = r.phoneOver(1, r.shelves[1], "second tab")
	wantFault(t, "the story in the second tab", r.again(tab), "")
	one, err := r.phones[1].Roll([]uint32{6})
	if err != nil {
		t.Fatal(err)
	}
	_, err = tab.Roll([]uint32{6, 6})
	wantFault(t, "other dice in the second tab", err, "asked-otherwise")
	_, err = tab.Roll([]uint32{6, 6, 6})
	wantFault(t, "other dice again", err, "asked-otherwise")
	two, err := tab.Roll([]uint32{6})
	if err != nil || string(two.Note) != string(one.Note) {
		t.Errorf("the same dice in the second tab: %v", err)
	}
	if got := r.dueOf(tab, "ask"); string(got.Note) != string(one.Note) {
		t.Error("the second tab asks in other words")
	}
}

// TestCrash: what cannot be kept is not sent.
func TestCrash(t *testing.T) {
	r := newRig(t, 1, "2d6").doOffer()
	full := func(what string, f func() error) {
		t.Helper()
		r.shelves[1].full = true
		wantFault(t, what, f(), "no-storage")
		r.shelves[1].full = false
	}
	due := func() error {
		_, err := r.phones[1].Due()
		return err
	}
	full("a join", due)
	r.doJoin().doOpen()
	full("a ready", due)
	r.doReady()
	full("a roll", func() error {
		_, err := r.phones[1].Roll([]uint32{6, 6})
		return err
	})
	a := r.ask(6, 6)
	r.tell(func(p *protocol.Phone) error { return p.Asked(r.asked(a)) })
	full("a link", due)
	r.complete(a)
	full("a move", func() error {
		_, err := r.phones[1].Move("game")
		return err
	})
	full("a phone", func() error {
		_, err := protocol.NewPhone(protocol.Setup{Match: r.match, Server: r.public(0), Seat: 1, Keeper: r.shelves[1]})
		return err
	})
}

// TestExportedCopy: a phone without what was kept looks on, and answers nothing.
func TestExportedCopy(t *testing.T) {
	r := running(t, 2, "2d6")
	r.doRoll(6, 6)
	copied := r.phoneOver(2, newShelf(), "elsewhere")
	if err := r.again(copied); err != nil {
		t.Fatal(err)
	}
	if copied.Transcript().Head != r.tr.Head {
		t.Error("it cannot look on")
	}
	copied.Transcript().Links[1][0]++
	if !slices.Equal(copied.Transcript().Links, r.tr.Links) {
		t.Error("what it gave out changed what it knows")
	}
	_, err := copied.Roll([]uint32{6, 6})
	wantFault(t, "a roll of the copy", err, "lost-chain")
	a := r.ask(6, 6)
	r.tell(func(p *protocol.Phone) error { return p.Asked(r.asked(a)) })
	wantFault(t, "the roll, told to the copy", copied.Asked(r.asked(a)), "")
	_, err = copied.Due()
	wantFault(t, "the part of the copy", err, "lost-chain")
	r.complete(a)
	// Where somebody else joined in a seat, the phone of that seat says so.
	r = newRig(t, 2, "2d6").doOffer()
	r.due(2, "join")
	j := r.makeJoin(2)
	j.Role.Anchor[0]++
	wantFault(t, "somebody else's join in its seat", r.phones[2].Joined(r.note(j.Marshal(), 2)), "own-anchor")
}

// TestOnlooker: without a seat a phone checks everything and signs nothing.
func TestOnlooker(t *testing.T) {
	r := newRig(t, 2, "2d6")
	p := r.phoneOver(0, newShelf(), "onlooker")
	r.doOffer().doJoin().doOpen().doReady()
	r.doRoll(6, 6)
	if err := r.again(p); err != nil {
		t.Fatal(err)
	}
	a := r.ask(6, 6)
	wantFault(t, "a roll", p.Asked(r.asked(a)), "")
	r.dueOf(p, "")
	_, err := p.Roll([]uint32{6, 6})
	wantFault(t, "a roll of its own", err, "roll-pending")
	if p.Transcript().Head != r.tr.Head || !p.Running() {
		t.Error("it sees another match")
	}
}

// TestRecordRefused: a phone signs no record that is not what it saw.
func TestRecordRefused(t *testing.T) {
	r := running(t, 2, "2d6")
	r.doRoll(6, 6)
	a := r.ask(6, 6)
	r.tell(func(p *protocol.Phone) error { return p.Asked(r.asked(a)) })
	for _, p := range r.phones[1:] {
		wantFault(t, "an end while a roll is going on", p.Ended(record.Finished, -1, 1), "record-differs")
		wantFault(t, "the server as the silent one", p.Ended(record.Aborted, 0, 1), "record-differs")
		_, err := p.Sign(nil)
		wantFault(t, "a record of a match that goes on", err, "record-differs")
	}
	link := r.due(1, "link").Link
	r.tell(func(p *protocol.Phone) error { return p.Linked(1, 2, link) })
	wantFault(t, "an abort in the name of who gave its part", r.phones[2].Ended(record.Aborted, 1, 2), "record-differs")
	wantFault(t, "an abort as if this phone had given up", r.phones[1].Ended(record.Aborted, 1, 1), "record-differs")
	for _, p := range r.phones[1:] {
		wantFault(t, "an abort for the missing part", p.Ended(record.Aborted, 2, 1), "")
		wantFault(t, "another end", p.Ended(record.Aborted, -1, 1), "record-differs")
		wantFault(t, "the same end", p.Ended(record.Aborted, 2, 1), "")
		r.dueOf(p, "")
	}
	rec, err := r.phones[1].Record()
	if err != nil {
		t.Fatal(err)
	}
	sign := func(change func(*record.Record)) error {
		again, err := r.phones[1].Record()
		if err != nil {
			t.Fatal(err)
		}
		change(again)
		again.Complete()
		text, err := again.MarshalText()
		if err != nil {
			t.Fatal(err)
		}
		_, err = r.phones[1].Sign(r.note(text, 0))
		return err
	}
	wantFault(t, "a record without the pending roll", sign(func(r *record.Record) { r.Chain.Pending = nil }), "record-differs")
	wantFault(t, "a record with another die", sign(func(r *record.Record) {
		r.Entries[0].Dice = []uint32{r.Entries[0].Dice[0]%6 + 1, r.Entries[0].Dice[1]}
	}), "record-differs")
	wantFault(t, "a record that names nobody", sign(func(r *record.Record) { r.Chain.Silent = -1 }), "record-differs")
	wantFault(t, "a record that is finished", sign(func(r *record.Record) { r.State, r.Chain.Pending = record.Finished, nil }), "record-differs")
	text, err := rec.MarshalText()
	if err != nil {
		t.Fatal(err)
	}
	_, err = r.phones[1].Sign(r.note(text, 2))
	wantFault(t, "a record without the server's signature", err, "record-differs")
	wantFault(t, "the record", sign(func(*record.Record) {}), "")
}

// TestWhoIsLate: while nobody rolls, only the seat whose turn it is may be named.
func TestWhoIsLate(t *testing.T) {
	r := running(t, 3, "2d6")
	for _, silent := range []int{0, 2, 3} {
		r.refuse(fmt.Sprint("role ", silent, " as the silent one"), "record-differs", func(p *protocol.Phone) error { return p.Ended(record.Aborted, silent, 1) })
	}
	r.tell(func(p *protocol.Phone) error { return p.Ended(record.Aborted, 1, 2) })
}

// TestGivingUp: a seat that leaves agrees to be named, also after a reload.
func TestGivingUp(t *testing.T) {
	r := running(t, 2, "2d6")
	wantFault(t, "leaving", r.phones[2].Leave(), "")
	p := r.phone(2)
	if err := r.again(p); err != nil {
		t.Fatal(err)
	}
	for _, p := range []*protocol.Phone{p, r.phones[1], r.phones[2]} {
		wantFault(t, "seat 2 gave up", p.Ended(record.Aborted, 2, 2), "")
	}
}

// TestSecretsAreNotShown prints phones in every way there is.
func TestSecretsAreNotShown(t *testing.T) {
	r := running(t, 1, "2d6")
	last, key := r.lastOf(1), r.seedOf(1)
	setup := protocol.Setup{Last: last, Key: key}
	for _, one := range []any{setup, &setup, r.phones[1]} {
		if text, err := json.Marshal(one); err == nil {
			t.Errorf("marshals as %s", text)
		}
	}
	for _, text := range []string{
		fmt.Sprintf("%v %+v %#v %s", setup, setup, setup, setup), fmt.Sprintf("%v %+v %#v %s", r.phones[1], r.phones[1], r.phones[1], r.phones[1]),
		fmt.Sprintf("%v %+v %#v", *r.phones[1], *r.phones[1], *r.phones[1]),
	} {
		for _, secret := range [][32]byte{last, key} {
			if strings.Contains(text, seed.Hex(secret[:])) || strings.Contains(text, strings.Trim(fmt.Sprint(secret[:8]), "[]")) {
				t.Errorf("a secret is shown: %s", text)
			}
		}
	}
}
