package match_test

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"veridice/internal/match"
	"veridice/internal/store/memory"
	"veridice/protocol"
	"veridice/record"
	"veridice/scheme"
	"veridice/verify"
)

// The specification once more, from its text: what a roll must be.

func modelFrame(tag string, fields ...[]byte) []byte {
	b := append([]byte{byte(len(tag))}, tag...)
	for _, f := range fields {
		b = append(binary.BigEndian.AppendUint32(b, uint32(len(f))), f...)
	}
	return b
}

func modelHash(tag string, fields ...[]byte) []byte {
	sum := sha256.Sum256(modelFrame("veridice/1/"+tag, fields...))
	return sum[:]
}

func modelMAC(key []byte, tag string, fields ...[]byte) []byte {
	h := hmac.New(sha256.New, key)
	h.Write(modelFrame("veridice/1/"+tag, fields...))
	return h.Sum(nil)
}

func big(numbers ...uint32) (b []byte) {
	for _, n := range numbers {
		b = binary.BigEndian.AppendUint32(b, n)
	}
	return b
}

// modelChain is a whole chain from its last link.
func modelChain(id scheme.Match, role uint8, length uint32, last [32]byte) [][]byte {
	chain := make([][]byte, length+1)
	chain[length] = last[:]
	for j := length; j > 0; j-- {
		chain[j-1] = modelHash("link", id[:], []byte{role}, big(j-1), chain[j])
	}
	return chain
}

// modelRoll gives dice and head of a roll.
func modelRoll(opening, head []byte, number uint32, actor uint8, faces []uint32, chains [][][]byte) ([]uint32, []byte) {
	request := append([]byte{actor, byte(len(faces) >> 8), byte(len(faces))}, big(faces...)...)
	context := modelHash("ctx", opening, head, big(number), request)
	fields, all := [][]byte{context}, [][]byte{head, context}
	for role, chain := range chains {
		all = append(all, chain[number])
		if role > 0 {
			fields = append(fields, chain[number])
		}
	}
	key := modelMAC(chains[0][number], "roll", fields...)
	var dice, words []uint32
	block := uint32(0)
	for _, n := range faces {
		for {
			if len(words) == 0 {
				b := modelMAC(key, "stream", big(block))
				for i := range 8 {
					words = append(words, binary.BigEndian.Uint32(b[4*i:]))
				}
				block++
			}
			word := words[0]
			words = words[1:]
			if uint64(word) < 1<<32/uint64(n)*uint64(n) {
				dice = append(dice, 1+word%n)
				break
			}
		}
	}
	return dice, modelHash("rolled", append(all, big(dice...))...)
}

// flaky is a store that crashes when told to.
type flaky struct {
	match.Store
	before, after bool // of the next update
}

var errCrash = errors.New("crashed")

func (f *flaky) Update(ctx context.Context, id, key string, change func(*match.Match) error) error {
	if f.before {
		f.before = false
		return errCrash
	}
	err := f.Store.Update(ctx, id, key, change)
	if f.after {
		f.after = false
		return errCrash
	}
	return err
}

// A model is a room in which an adversary has the network.
type model struct {
	*room
	rt    *rapid.T
	store *flaky

	sent    []sentMessage // all that phones gave out
	strange []match.Event // of another match of this server
	mallory ed25519.PrivateKey

	fixed  []uint64          // by seat: rolls that were ever in its transcript
	links  []uint64          // by seat: the last number of which it gave a link
	texts  map[string]string // by seat and what a text may be signed for once
	heads  map[uint64]string // by number of entries: the head that all phones have
	chains [][][]byte        // by role, once the opening is made
}

type sentMessage struct {
	seat int
	call match.Call
	protocol.Message
}

// events are all of the match so far.
func (m *model) events() []match.Event {
	events, err := m.service.Events(context.Background(), m.id, 0, 100_000)
	if err != nil {
		m.rt.Fatal(err)
	}
	return events
}

// collect takes what a phone gives out, and holds it to what a phone may ever give out.
func (m *model) collect(seat int, all ...protocol.Message) {
	p := m.phones[seat]
	for _, one := range all {
		m.sent = append(m.sent, sentMessage{seat, m.call(seat), one})
		n, err := record.ParseNote(one.Note)
		if err != nil {
			m.rt.Fatal(err)
		}
		once := ""
		switch one.Action {
		case "join", "ready":
			once = one.Action
		case "ask":
			a, err := record.ParseAsk(n.Text)
			if err != nil {
				m.rt.Fatal(err)
			}
			once = fmt.Sprint("roll ", a.Number)
			m.once(seat, "over "+a.Head.String(), n.Text)
		case "move":
			s, err := record.ParseStep(n.Text)
			if err != nil {
				m.rt.Fatal(err)
			}
			once = "over " + s.Head.String()
		case "link":
			once = fmt.Sprint("roll ", one.Roll)
			t := p.Transcript()
			if !p.Running() || one.Roll != t.Rolls+1 || one.Roll > m.fixed[seat]+1 {
				m.rt.Fatalf("seat %d shows link %d with %d rolls in its transcript", seat, one.Roll, m.fixed[seat])
			}
			if !m.signedByBoth(n.Text) {
				m.rt.Fatalf("seat %d shows link %d for a text that actor and server did not sign", seat, one.Roll)
			}
			if !bytes.Equal(one.Link[:], m.chains[seat][one.Roll]) {
				m.rt.Fatalf("seat %d shows another link %d", seat, one.Roll)
			}
			m.links[seat] = max(m.links[seat], one.Roll)
		}
		m.once(seat, once, n.Text)
	}
}

// once wants that a seat signs one text for a thing, ever.
func (m *model) once(seat int, what string, text []byte) {
	key := fmt.Sprint(seat, " ", what)
	if before, ok := m.texts[key]; ok && before != string(text) {
		m.rt.Fatalf("seat %d signs two texts for %s:\n%s\n%s", seat, what, before, text)
	}
	m.texts[key] = string(text)
}

// signedByBoth reports whether the server sent this text as one that it and the actor
// signed: the server of the model is honest.
func (m *model) signedByBoth(text []byte) bool {
	for _, e := range m.events() {
		if e.Type == match.Asked && strings.HasPrefix(detailsOf(m.rt, e).Note, string(text)+"\n") {
			return true
		}
	}
	return false
}

// learn makes the chains of all roles when the opening is there.
func (m *model) learn() {
	if m.chains != nil {
		return
	}
	for _, e := range m.events() {
		if e.Type != match.Anchored {
			continue
		}
		c, err := record.ParseOpening([]byte(detailsOf(m.rt, e).Text))
		if err != nil {
			m.rt.Fatal(err)
		}
		for role, r := range c.Roles {
			candidates := m.entropy.given
			if role > 0 {
				for key, value := range m.shelves[role] {
					if strings.HasSuffix(key, "/join") {
						candidates = [][]byte{value[32:64]}
					}
				}
			}
			for _, last := range candidates {
				if len(last) != 32 {
					continue
				}
				if chain := modelChain(m.matchID(), uint8(role), c.Links, [32]byte(last)); bytes.Equal(chain[0], r.Anchor[:]) {
					m.chains = append(m.chains, chain)
					break
				}
			}
			if len(m.chains) != role+1 {
				m.rt.Fatalf("the anchor of role %d is of no chain that it could know", role)
			}
		}
	}
}

// look holds what the phones accepted to the committed chains, and to each other.
func (m *model) look() {
	m.learn()
	for seat, p := range m.phones {
		entries := p.Entries()
		if len(entries) == 0 {
			continue
		}
		opening := p.Transcript().Opening
		head := modelHash("start", opening[:])
		for i, e := range entries {
			if e.Move != "" {
				head = modelHash("move", head, []byte{e.Role}, []byte(e.Move))
			} else {
				var dice []uint32
				if dice, head = modelRoll(opening[:], head, uint32(e.Number), e.Role, e.Faces, m.chains); !slices.Equal(dice, e.Dice) {
					m.rt.Fatalf("seat %d accepted %v as roll %d, which is %v", seat, e.Dice, e.Number, dice)
				}
				m.fixed[seat] = max(m.fixed[seat], e.Number)
			}
			place := uint64(i)
			if before, ok := m.heads[place]; ok && before != string(head) {
				m.rt.Fatalf("two phones have two heads after entry %d", i+1)
			}
			m.heads[place] = string(head)
		}
		if got := p.Transcript().Head; string(got[:]) != string(head) {
			m.rt.Fatalf("seat %d has the head %s", seat, got)
		}
	}
}

// forge spoils the details of an event in one of the ways of somebody who has the
// network and a key of his own.
func (m *model) forge(d details, from []match.Event) details {
	spoil := func(text string) string {
		if text == "" {
			return text
		}
		b := []byte(text)
		b[rapid.IntRange(0, len(b)-1).Draw(m.rt, "at")] ^= 1 << rapid.IntRange(0, 6).Draw(m.rt, "bit")
		return string(b)
	}
	other := detailsOf(m.rt, from[rapid.IntRange(0, len(from)-1).Draw(m.rt, "other event")])
	switch rapid.IntRange(0, 6).Draw(m.rt, "forgery") {
	case 0:
		d.Note = spoil(d.Note)
	case 1: // the text, or one of another event, under a key of his own
		note := d.Note
		if rapid.Bool().Draw(m.rt, "another text") {
			note = other.Note
		}
		if n, err := record.ParseNote([]byte(note)); err == nil {
			for i := range n.Signatures {
				n.Signatures[i].Bytes = ed25519.Sign(m.mallory, n.Text)
				if rapid.Bool().Draw(m.rt, "his own key id") {
					s := verify.Role(m.matchID(), uint8(i), [32]byte(m.mallory.Public().(ed25519.PublicKey)))
					n.Signatures[i].Name, n.Signatures[i].KeyID = s.Name, s.KeyID()
				}
			}
			d.Note = string(n.Marshal())
		}
	case 2: // signatures of one text under another
		a, errA := record.ParseNote([]byte(d.Note))
		b, errB := record.ParseNote([]byte(other.Note))
		if errA == nil && errB == nil {
			d.Note = string(protocol.Note(a.Text, b.Signatures...))
		}
	case 3:
		d.Note, d.Head = other.Note, other.Head
	case 4:
		if len(d.Links) > 1 {
			d.Links = slices.Clone(d.Links)
			d.Links[0], d.Links[1] = d.Links[1], d.Links[0]
		}
		d.Link = strings.Repeat("00", 32)
	case 5:
		d.Head = spoil(d.Head)
		d.Text = spoil(d.Text)
	case 6:
		d.Rules = spoil(d.Rules)
		d.Links = other.Links
	}
	return d
}

// hand gives a phone something; whatever comes of it, the phone must stay honest.
func (m *model) hand(seat int, e match.Event, d details) {
	if d.Link != "" && len(d.Link) != 64 {
		return
	}
	_ = tell(m.rt, m.phones[seat], e, d, m.clock.time)
	m.look()
}

// post sends a message to the server.
func (m *model) post(s sentMessage) {
	_, _ = m.sendAs(s.call, s.Message)
	m.look()
}

// restart is a new process over the same store.
func (m *model) restart() {
	m.room.service = match.New(m.store, m.vault, m.clock, m.entropy)
}

// loaded is reload, in which nothing may go wrong.
func (m *model) loaded(seat int) {
	m.reload(seat)
	if seat > 0 && len(m.phones[seat].Entries()) > 0 {
		m.rt.Fatal("a phone that was just loaded has seen something")
	}
}

// step is one thing that happens.
func (m *model) step() {
	rt := m.rt
	seat := rapid.IntRange(1, len(m.tokens)).Draw(rt, "seat")
	events := m.events()
	switch rapid.IntRange(0, 22).Draw(rt, "step") {
	case 0, 1, 2, 3, 4: // the next events, in order
		for range rapid.IntRange(1, 12).Draw(rt, "events") {
			if at := m.taken[seat]; at < uint64(len(events)) {
				m.hand(seat, events[at], detailsOf(rt, events[at]))
				m.taken[seat]++
			}
		}
	case 5: // any event, again or too early
		e := events[rapid.IntRange(0, len(events)-1).Draw(rt, "event")]
		m.hand(seat, e, detailsOf(rt, e))
	case 6: // one of another match
		e := m.strange[rapid.IntRange(0, len(m.strange)-1).Draw(rt, "event")]
		m.hand(seat, e, detailsOf(rt, e))
	case 7, 8: // a forged one
		e := events[rapid.IntRange(0, len(events)-1).Draw(rt, "event")]
		if len(e.Dice) > 0 && rapid.Bool().Draw(rt, "other dice") {
			e.Dice = slices.Clone(e.Dice)
			e.Dice[0] = e.Dice[0]%6 + 1
			m.hand(seat, e, detailsOf(rt, e))
			break
		}
		// A join under a key of his own is one: whoever has the wire of a phone, and
		// not only the server's ear, can keep it from playing.
		if e.Type != match.Joined {
			m.hand(seat, e, m.forge(detailsOf(rt, e), append(events, m.strange...)))
		}
	case 9, 10, 11: // what the phone sends by itself
		due, err := m.phones[seat].Due()
		if err != nil {
			rt.Fatalf("seat %d stops: %v", seat, err)
		}
		m.collect(seat, due...)
		if len(due) > 0 && rapid.IntRange(0, 3).Draw(rt, "arrives") > 0 {
			m.post(m.sent[len(m.sent)-1])
		}
	case 12: // a user rolls who may
		for seat := range m.tokens {
			if one, err := m.phones[seat+1].Roll([][]uint32{{6}, {6, 6}, {6, 6, 6}}[rapid.IntRange(0, 2).Draw(rt, "dice")]); err == nil {
				m.collect(seat+1, one)
				m.post(m.sent[len(m.sent)-1])
			}
		}
	case 13:
		if one, err := m.phones[seat].Move([]string{"game", "turn 1", "turn 2"}[rapid.IntRange(0, 2).Draw(rt, "move")]); err == nil {
			m.collect(seat, one)
		}
	case 14, 15, 16: // a message arrives: the latest or any, once or again
		if len(m.sent) > 0 {
			at := len(m.sent) - 1
			if rapid.Bool().Draw(rt, "an old one") {
				at = rapid.IntRange(0, at).Draw(rt, "message")
			}
			s := m.sent[at]
			if rapid.Bool().Draw(rt, "under another key") {
				s.call = m.call(s.seat)
			}
			m.post(s)
		}
	case 17: // a forged message arrives, with the seat's token
		if len(m.sent) > 0 {
			s := m.sent[rapid.IntRange(0, len(m.sent)-1).Draw(rt, "message")]
			s.call = m.call(seat)
			if rapid.Bool().Draw(rt, "another link") {
				s.Link[3] ^= 1
			} else if s.Action != "join" {
				d := m.forge(details{Note: string(s.Note)}, append(events, m.strange...))
				s.Note = []byte(d.Note)
			}
			m.post(s)
		}
	case 18:
		m.loaded(seat)
	case 19:
		m.store.before, m.store.after = rapid.Bool().Draw(rt, "before"), rapid.Bool().Draw(rt, "after")
		if rapid.Bool().Draw(rt, "restart") {
			m.restart()
		}
	default: // a good moment of the network, for all but one perhaps
		without := rapid.IntRange(0, 2*len(m.tokens)).Draw(rt, "without")
		for seat := 1; seat <= len(m.tokens); seat++ {
			if seat == without {
				continue
			}
			for _, e := range m.events()[m.taken[seat]:] {
				m.hand(seat, e, detailsOf(rt, e))
				m.taken[seat]++
			}
			due, err := m.phones[seat].Due()
			if err != nil {
				rt.Fatalf("seat %d stops: %v", seat, err)
			}
			if len(due) == 0 {
				if one, err := m.phones[seat].Roll([]uint32{6, 6}); err == nil {
					due = append(due, one)
				}
			}
			m.collect(seat, due...)
			if len(due) > 0 {
				m.post(m.sent[len(m.sent)-1])
			}
		}
	}
}

// calm brings every event to every phone in its order, and every message to the
// server, until nothing is left to send; phones in silent send nothing.
func (m *model) calm(silent int) {
	m.store.before, m.store.after = false, false
	for seat := range m.phones {
		m.loaded(seat) // what was forged before is forgotten
	}
	for sent := true; sent; {
		sent = false
		for seat, p := range m.phones {
			for _, e := range m.events()[m.taken[seat]:] {
				if err := deliver(m.rt, p, e, m.clock.time); err != nil {
					m.rt.Fatalf("seat %d refuses the true event %d, %s: %v", seat, e.Number, e.Type, err)
				}
				m.taken[seat]++
			}
			m.look()
			due, err := p.Due()
			if err != nil {
				m.rt.Fatalf("seat %d stops: %v", seat, err)
			}
			if seat == silent || len(due) == 0 {
				continue
			}
			m.collect(seat, due...)
			if _, err := m.send(seat, due[0]); err != nil {
				m.rt.Fatalf("the server refuses the true %s of seat %d: %v", due[0].Action, seat, err)
			}
			sent = true
		}
	}
}

// finish ends the match in one of the ways there are and looks at who is named.
func (m *model) finish() {
	rt := m.rt
	ctx := context.Background()
	silent := rapid.IntRange(1, len(m.tokens)).Draw(rt, "silent seat")
	way := rapid.SampledFrom([]string{"finished", "silent", "left", "wish"}).Draw(rt, "end")
	if way == "wish" && len(m.tokens) == 1 {
		way = "left"
	}
	other := silent%len(m.tokens) + 1
	abort := func(seat int, leave bool) error {
		_, err := m.service.Abort(ctx, m.call(seat), m.phones[0].Transcript().Rolls, leave)
		return err
	}
	want, state := -1, record.Aborted
	if way == "silent" {
		m.calm(silent)
		p := m.phones[silent]
		due, err := p.Due()
		if err != nil {
			rt.Fatal(err)
		}
		if len(due) == 0 || due[0].Action != "link" && due[0].Action != "ready" {
			way = "finished" // nothing of this seat is missing
		} else {
			if err := abort(other, false); err == nil {
				rt.Fatal("the match was given up before anybody was late")
			}
			m.clock.time = m.clock.time.Add(time.Hour)
			if err := abort(other, false); err != nil {
				rt.Fatal(err)
			}
			want = silent
		}
	}
	if way != "silent" {
		m.calm(0)
	}
	rolls := m.phones[0].Transcript().Rolls
	switch way {
	case "finished":
		state = record.Finished
		for _, seat := range []int{1, min(2, len(m.tokens))} {
			if _, err := m.service.End(ctx, m.call(seat), rolls); err != nil {
				rt.Fatal(err)
			}
		}
	case "left":
		want = silent
		if err := m.phones[silent].Leave(); err != nil {
			rt.Fatal(err)
		}
		if err := abort(silent, true); err != nil {
			rt.Fatal(err)
		}
	case "wish":
		want = int(m.phones[0].Transcript().Turn)
		if _, err := m.service.Wish(ctx, m.call(want%len(m.tokens)+1), rolls); err != nil {
			rt.Fatal(err)
		}
		m.clock.time = m.clock.time.Add(time.Hour)
		if err := abort(other, false); err != nil {
			rt.Fatal(err)
		}
	}
	m.calm(0)
	text, err := m.service.RecordText(ctx, m.id)
	if err != nil {
		rt.Fatal(err)
	}
	r, err := record.Parse(text)
	if err != nil {
		rt.Fatal(err)
	}
	if r.State != state || r.Chain.Silent != want {
		rt.Fatalf("the match is %s and names role %d, want %s and %d", r.State, r.Chain.Silent, state, want)
	}
	for seat := range m.tokens {
		line, err := m.phones[seat+1].Sign(text)
		if err != nil {
			rt.Fatalf("seat %d does not sign: %v", seat+1, err)
		}
		text = append(text, line...)
	}
	report := verify.Text(text, verify.Options{})
	if report.Verdict != verify.Proven && report.Code != verify.NoRolls || len(report.Signed) != len(m.tokens)+1 || uint64(report.Rolls) != rolls {
		rt.Fatalf("the record is %s %s, with %d rolls, signed by %v", report.Verdict, report.Code, report.Rolls, report.Signed)
	}
}

// strangeEvents are those of another match of the same server.
func (m *model) strangeEvents(table match.Table) {
	other := &model{room: &room{t: m.rt, vault: m.vault, service: m.service, store: m.store, clock: m.clock, entropy: m.entropy}}
	table.Scheme = scheme.Veridice1
	body, err := m.service.Create(context.Background(), "home", "another", nil, table)
	if err != nil {
		m.rt.Fatal(err)
	}
	var a match.CreatedAnswer
	if err := json.Unmarshal(body, &a); err != nil {
		m.rt.Fatal(err)
	}
	for _, seat := range a.Seats {
		other.tokens = append(other.tokens, seat.Token)
	}
	other.sit(a.Match, a.Seal)
	other.settle()
	other.roll(6)
	other.ask(6, 6)
	m.strange, err = m.service.Events(context.Background(), a.Match, 0, 1000)
	if err != nil {
		m.rt.Fatal(err)
	}
}

// TestModel lets an adversary reorder, lose, repeat, replay and forge what honest phones
// and an honest server send each other, while phones are loaded again and the server
// crashes between storing and answering. No phone accepts a roll that does not follow
// from the committed chains, or two phones two stories; none shows a link before the
// roll before it is in its transcript, or signs two texts for one thing; and every
// match ends, with the right role named if it is given up.
func TestModel(t *testing.T) {
	rolled, v := 0, vault(t)
	rapid.Check(t, func(rt *rapid.T) {
		table := match.Table{
			Seats: rapid.IntRange(1, 4).Draw(rt, "seats"), Kind: "1-3d6", Links: 256,
			Turn: rapid.SampledFrom([]string{"alternate", "free"}).Draw(rt, "turn"),
		}
		store := &flaky{Store: memory.New()}
		m := &model{rt: rt, store: store, room: enterAs(rt, v, store, table), texts: map[string]string{}, heads: map[uint64]string{}}
		sum := sha256.Sum256([]byte("mallory"))
		m.mallory = ed25519.NewKeyFromSeed(sum[:])
		m.fixed, m.links = make([]uint64, table.Seats+1), make([]uint64, table.Seats+1)
		m.strangeEvents(table)
		if rapid.Bool().Draw(rt, "begun") {
			m.calm(0)
		}
		for range rapid.IntRange(0, 120).Draw(rt, "steps") {
			m.step()
		}
		m.finish()
		rolled += int(m.phones[0].Transcript().Rolls)
	})
	if rolled == 0 && !t.Failed() {
		t.Error("no roll ever fell: this test could not fail")
	}
	t.Logf("%d rolls", rolled)
}
