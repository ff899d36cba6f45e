package protocol_test

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"veridice/draw"
	"veridice/protocol"
	"veridice/record"
	"veridice/roll"
	"veridice/scheme"
	"veridice/seed"
)

// What a server in league with other seats can reach: many small matches in which it
// wants one honest seat to roll 1-1. Signatures stand here for what they are: nobody
// makes one of an honest seat. Everything else is the code that phones run.

const (
	matches = 10_000
	chance  = 1.0 / 36

	// What bounds gives, by Python's integers.
	wantFewest, wantMost = 201, 362
)

// dice gives the coalition's and the seats' random bytes: SHA-256 of a name and a
// counter.
type dice struct {
	name string
	n    int
}

func (d *dice) next() [32]byte {
	d.n++
	return sha256.Sum256(fmt.Appendf(nil, "%s %d", d.name, d.n))
}

// bounds are the fewest and the most hits that are taken for chance: those of a binomial
// distribution. Over all names of the random bytes fewer than one run in two million has
// less than the fewest, and fewer than one has more than the most.
func bounds() (fewest, most int) {
	const rate = 5e-7
	lgamma := func(n int) float64 {
		v, _ := math.Lgamma(float64(n + 1))
		return v
	}
	most = matches
	below, above := 0.0, 0.0
	of := func(i int) float64 {
		return math.Exp(lgamma(matches) - lgamma(i) - lgamma(matches-i) + float64(i)*math.Log(chance) + float64(matches-i)*math.Log1p(-chance))
	}
	for below+of(fewest) <= rate {
		below += of(fewest)
		fewest++
	}
	for above+of(most) <= rate {
		above += of(most)
		most--
	}
	return fewest, most
}

func TestBounds(t *testing.T) {
	if fewest, most := bounds(); fewest != wantFewest || most != wantMost {
		t.Errorf("got %d to %d hits", fewest, most)
	}
}

// An honestSeat is what a phone does with its chain and its texts.
type honestSeat struct {
	role   uint8
	chain  []scheme.Link
	ready  bool
	tr     protocol.Transcript
	signed map[uint64]string // its one text for each roll
}

func newSeat(id scheme.Match, role uint8, d *dice) *honestSeat {
	return &honestSeat{role: role, chain: scheme.Links(id, role, 2, d.next()), signed: map[uint64]string{}}
}

// begin is READY for an opening.
func (s *honestSeat) begin(c *record.Chain, terms protocol.Terms) bool {
	if s.ready || c.Roles[s.role].Anchor != s.chain[0] {
		return false
	}
	s.ready, s.tr = true, protocol.Begin(c, terms)
	return true
}

// part is the seat's link for a roll, if it is due and the only text for its number.
func (s *honestSeat) part(a *record.Ask) (scheme.Link, bool) {
	text := string(a.Marshal())
	if before, ok := s.signed[a.Number]; s.tr.Check(a) != nil || ok && before != text {
		return scheme.Link{}, false
	}
	s.signed[a.Number] = text
	return s.chain[a.Number], true
}

// accept takes a complete roll. With signatures every honest seat must have signed its
// text; without them the own text is enough.
func (s *honestSeat) accept(a *record.Ask, links []scheme.Link, signatures bool, honest ...*honestSeat) ([]uint32, bool) {
	text := string(a.Marshal())
	if s.signed[a.Number] != text {
		return nil, false
	}
	for _, other := range honest {
		if signatures && other.signed[a.Number] != text {
			return nil, false
		}
	}
	made, next, err := s.tr.Roll(a, links)
	if err != nil {
		return nil, false
	}
	s.tr = next
	return made, true
}

func (s *honestSeat) move(role uint8, move string) bool {
	next, err := s.tr.Move(&record.Step{Match: s.tr.Match, Role: role, Head: s.tr.Head, Move: move})
	if err == nil {
		s.tr = next
	}
	return err == nil
}

func coalitionTerms(t testing.TB) protocol.Terms {
	t.Helper()
	terms, err := protocol.ParseTerms([]byte("veridice table 1\ndice any\nturn free\nwait 60\nsalt 00000000000000000000000000000000\n"))
	if err != nil {
		t.Fatal(err)
	}
	return terms
}

// an is an opening of these anchors.
func an(id scheme.Match, d *dice, anchors ...scheme.Link) *record.Chain {
	c := &record.Chain{ID: id, Seq: 1, Links: 2, Expires: 1_790_000_000}
	for _, anchor := range anchors {
		c.Roles = append(c.Roles, record.Role{Anchor: anchor, Key: d.next()})
	}
	return c
}

func ones(made []uint32) bool { return slices.Equal(made, []uint32{1, 1}) }

// guess is what the coalition expects of a roll if the honest link were this one: it
// knows everything else.
func guess(opening [32]byte, head record.Head, number uint64, actor uint8, links ...scheme.Link) []uint32 {
	made, err := roll.Chain(number, scheme.Context(opening, head, uint32(number), actor, []uint32{6, 6}), links, []uint32{6, 6})
	if err != nil {
		return nil
	}
	return made.Dice
}

// TestCoalitionGetsChance: server and opponent (seat 1) choose among openings, dice of
// their own roll, moves, texts and contexts, and stop whenever the honest seat 2 is not
// to roll 1-1. Of all matches begun it still rolls 1-1 no more often than by chance:
// stopping is the only thing that they can do, and it gives no other roll.
func TestCoalitionGetsChance(t *testing.T) {
	terms, d := coalitionTerms(t), &dice{name: "coalition against veridice/1"}
	hits, stopped, refused := 0, 0, 0
	for range matches {
		sum := d.next()
		id := scheme.Match(sum[:16])
		server := scheme.Links(id, 0, 2, d.next())
		p := newSeat(id, 2, d)
		// P has joined; the opponent sees P's anchor and chooses its own chain, and with
		// it the opening, by what falls if P's second link were the anchor.
		var opponent []scheme.Link
		var opening *record.Chain
		for range 4 {
			chain := scheme.Links(id, 1, 2, d.next())
			c := an(id, d, server[0], chain[0], p.chain[0])
			if opening == nil || ones(guess(c.OpeningHash(), record.Start(c.OpeningHash()), 1, 1, server[1], chain[1], p.chain[0])) {
				opponent, opening = chain, c
			}
		}
		if !p.begin(opening, terms) {
			t.Fatal("P does not begin")
		}
		other := an(id, d, server[0], scheme.Links(id, 1, 2, d.next())[0], p.chain[0])
		if p.begin(other, terms) {
			t.Fatal("P begins a second opening")
		}
		// The opponent rolls first, dice of its choice.
		faces := [][]uint32{{6, 6}, {2}, {1_000_000}, {6}, {6, 6, 6}}[d.next()[0]%5]
		first, err := p.tr.Ask(1, faces)
		if err != nil {
			t.Fatal(err)
		}
		link, ok := p.part(first)
		if !ok {
			t.Fatal("P does not answer the first roll")
		}
		if _, ok := p.accept(first, []scheme.Link{server[1], opponent[1], link}, true, p); !ok {
			t.Fatal("P does not accept the first roll")
		}
		// Now moves: each way to hand over gives another context of P's roll. The
		// coalition knows P's first link and takes the way that would be best if the
		// second were the same.
		best := 0
		for games := range 2 {
			head := p.tr.Head
			for range games {
				head = head.Move(1, protocol.NewGame)
			}
			if ones(guess(p.tr.Opening, head.Move(1, protocol.HandOver(2)), 2, 2, server[2], opponent[2], link)) {
				best = games
			}
		}
		before := p.tr
		for range best {
			if !p.move(1, protocol.NewGame) {
				t.Fatal("P refuses a game")
			}
		}
		if !p.move(1, protocol.HandOver(2)) {
			t.Fatal("P refuses the turn")
		}
		// P asks for its roll, and gives its link when the server has signed.
		ask, err := p.tr.Ask(2, []uint32{6, 6})
		if err != nil {
			t.Fatal(err)
		}
		if link, ok = p.part(ask); !ok {
			t.Fatal("P does not answer its own roll")
		}
		links := []scheme.Link{server[2], opponent[2], link}
		if ones(guess(p.tr.Opening, p.tr.Head, 2, 2, links...)) {
			if made, ok := p.accept(ask, links, true, p); !ok || !ones(made) {
				t.Fatalf("P does not accept its roll: %v", made)
			}
			hits++
			continue
		}
		// It is not 1-1. Everything else that could be shown to P with the link that is
		// known now: another history, actor, dice, number, link, and all once more.
		for _, change := range []func(*record.Ask, []scheme.Link){
			func(a *record.Ask, _ []scheme.Link) { a.Head = before.Head.Move(1, protocol.HandOver(2)) },
			func(a *record.Ask, _ []scheme.Link) {
				a.Head = before.Head.Move(1, protocol.NewGame).Move(1, protocol.HandOver(2))
			},
			func(a *record.Ask, _ []scheme.Link) { a.Actor = 1 },
			func(a *record.Ask, _ []scheme.Link) { a.Faces = []uint32{6} },
			func(a *record.Ask, _ []scheme.Link) { a.Faces = []uint32{6, 6, 6} },
			func(a *record.Ask, _ []scheme.Link) { a.Number++ },
			func(_ *record.Ask, l []scheme.Link) { l[0] = d.next() },
			func(_ *record.Ask, l []scheme.Link) { l[1] = d.next() },
			func(_ *record.Ask, l []scheme.Link) { l[0], l[1] = server[1], opponent[1] },
			func(_ *record.Ask, l []scheme.Link) { l[2] = p.chain[1] },
		} {
			a, l := *ask, slices.Clone(links)
			change(&a, l)
			if string(a.Marshal()) == string(ask.Marshal()) && slices.Equal(l, links) {
				continue
			}
			if _, ok := p.part(&a); ok && string(a.Marshal()) != string(ask.Marshal()) {
				t.Fatal("P answers a second text")
			}
			if _, ok := p.accept(&a, l, true, p); ok {
				t.Fatal("P accepts another roll")
			}
			refused++
		}
		stopped++
	}
	fewest, most := bounds()
	t.Logf("%d of %d matches begun have 1-1, by chance %.1f, between %d and %d; %d stopped, %d other rolls refused", hits, matches, matches*chance, fewest, most, stopped, refused)
	if hits < fewest || hits > most {
		t.Errorf("%d of %d matches have 1-1, want %d to %d", hits, matches, fewest, most)
	}
	if hits+stopped != matches || refused < 8*stopped {
		t.Errorf("%d stopped with %d tries of another roll: the coalition did not try", stopped, refused)
	}
	inThreats(t, "veridice/1", hits)
}

// TestCoalitionBeatsTavli: the same server and opponent, in tavli/1. The opponent's
// seed comes last, and of a hundred the coalition takes one with which P rolls 1-1.
func TestCoalitionBeatsTavli(t *testing.T) {
	s, err := scheme.Lookup(scheme.Tavli1)
	if err != nil {
		t.Fatal(err)
	}
	d := &dice{name: "coalition against tavli/1"}
	hits := 0
	for range matches {
		server := seed.ServerFromEntropy(d.next())
		sum := d.next()
		p := seed.Client(seed.Hex(sum[:16]))
		for range 100 {
			sum = d.next()
			o, err := s.Open(scheme.Inputs{Server: server, Clients: []seed.Client{p, seed.Client(seed.Hex(sum[:16]))}})
			if err != nil {
				t.Fatal(err)
			}
			stream, err := o.Stream(1)
			if err != nil {
				t.Fatal(err)
			}
			if a, b := draw.Pair(stream); a == 1 && b == 1 {
				hits++
				break
			}
		}
	}
	// By chance one of the hundred does it in 1 - (35/36)^100 of the matches: 94.0 %.
	t.Logf("%d of %d", hits, matches)
	if hits < 9000 {
		t.Errorf("only %d of %d: the coalition should win nearly always", hits, matches)
	}
	inThreats(t, "tavli/1", hits)
}

// TestWithoutRollSignatures leaves out what makes one text of a roll: each seat gives
// its link for what it was told, and takes a result that fits its own text. The server
// tells two honest seats two texts, and completes the one that falls better. With the
// signatures the same server gets chance.
func TestWithoutRollSignatures(t *testing.T) {
	terms := coalitionTerms(t)
	play := func(signatures bool) (hits int) {
		d := &dice{name: "two texts"}
		for range matches {
			sum := d.next()
			id := scheme.Match(sum[:16])
			server, seat3 := scheme.Links(id, 0, 2, d.next()), scheme.Links(id, 3, 2, d.next())
			a, b := newSeat(id, 1, d), newSeat(id, 2, d)
			c := an(id, d, server[0], a.chain[0], b.chain[0], seat3[0])
			if !a.begin(c, terms) || !b.begin(c, terms) {
				t.Fatal("a seat does not begin")
			}
			// Seat 1 asks for two dice. Seat 2 is told that it asked for three: without
			// signatures it cannot know.
			one, err := a.tr.Ask(1, []uint32{6, 6})
			if err != nil {
				t.Fatal(err)
			}
			two, err := b.tr.Ask(1, []uint32{6, 6, 6})
			if err != nil {
				t.Fatal(err)
			}
			if signatures {
				// Seat 2 waits for the actor's signature, and there is one on this text alone.
				two = one
			}
			linkA, okA := a.part(one)
			linkB, okB := b.part(two)
			if !okA || !okB {
				t.Fatal("a seat gives no link")
			}
			links := []scheme.Link{server[1], linkA, linkB, seat3[1]}
			for _, try := range []struct {
				seat *honestSeat
				ask  *record.Ask
			}{{a, one}, {b, two}} {
				made, err := roll.Chain(1, try.seat.tr.Context(try.ask), links, try.ask.Faces)
				if err != nil {
					t.Fatal(err)
				}
				if made.Dice[0] != 1 || made.Dice[1] != 1 {
					continue // the other one may fall better
				}
				if _, ok := try.seat.accept(try.ask, links, signatures, a, b); !ok {
					t.Fatal("a result that fits is refused")
				}
				hits++
				break
			}
		}
		return hits
	}
	_, most := bounds()
	with, without := play(true), play(false)
	t.Logf("%d of %d without signatures, %d with them", without, matches, with)
	if with > most {
		t.Errorf("with signatures %d hits, want at most %d", with, most)
	}
	// Two tries: 1 - (35/36)^2 of the matches, 547.8.
	if without <= most || without < 450 {
		t.Errorf("without signatures only %d hits: this test could not fail", without)
	}
	inThreats(t, "veridice/1 without signatures", without)
}

// inThreats wants a number in the row of the document that explains it.
func inThreats(t *testing.T, row string, hits int) {
	t.Helper()
	text, err := os.ReadFile("../docs/design/threats.md")
	if err != nil {
		t.Fatal(err)
	}
	number := fmt.Sprint(hits)
	if hits >= 1000 {
		number = fmt.Sprintf("%d,%03d", hits/1000, hits%1000)
	}
	if want := "| " + row + " | " + number + " |"; !strings.Contains(string(text), want) {
		t.Errorf("docs/design/threats.md has no row %q", want)
	}
}

// BenchmarkRoll derives a roll, and checks one with its links, as a phone does.
func BenchmarkRoll(b *testing.B) {
	terms, d := coalitionTerms(b), &dice{name: "benchmark"}
	sum := d.next()
	id := scheme.Match(sum[:16])
	chains := make([][]scheme.Link, 3)
	var anchors, links []scheme.Link
	for role := range chains {
		chains[role] = scheme.Links(id, uint8(role), 2, d.next())
		anchors, links = append(anchors, chains[role][0]), append(links, chains[role][1])
	}
	tr := protocol.Begin(an(id, d, anchors...), terms)
	a, err := tr.Ask(1, []uint32{6, 6})
	if err != nil {
		b.Fatal(err)
	}
	context := tr.Context(a)
	b.Run("derive", func(b *testing.B) {
		for b.Loop() {
			if _, err := roll.Chain(1, context, links, a.Faces); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("check", func(b *testing.B) {
		for b.Loop() {
			if _, _, err := tr.Roll(a, links); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkPhone is all that a phone does for one roll of two seats: it checks the
// signatures of three roles and of the receipt, and makes its own.
func BenchmarkPhone(b *testing.B) {
	r := running(b, 2, "2d6")
	a := r.ask(6, 6)
	asked, full := r.asked(a), r.note(a.Marshal(), r.all()...)
	made, next, err := r.tr.Roll(a, r.linksOf(1))
	if err != nil {
		b.Fatal(err)
	}
	links, head := r.linksOf(1), r.head(1, next.Head)
	ready, kept := *r.phones[2], r.shelves[2].kept
	for b.Loop() {
		p := ready
		r.shelves[2].kept = maps.Clone(kept)
		if err := p.Asked(asked); err != nil {
			b.Fatal(err)
		}
		if _, err := p.Due(); err != nil {
			b.Fatal(err)
		}
		if err := p.Rolled(full, links, made, head); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkChain makes a chain from its last link.
func BenchmarkChain(b *testing.B) {
	for _, length := range []uint32{512, 8192} {
		b.Run(fmt.Sprint(length), func(b *testing.B) {
			var last scheme.Link
			for b.Loop() {
				binary.BigEndian.PutUint32(last[:], length)
				if _, err := scheme.NewChain(scheme.Match{}, 1, last, length); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// A league is a server with seat 1, against the phones of seats 2 and 3: it has every
// secret of its own, all that the phones gave out, and may send anything to anybody.
type league struct {
	*rig
	rt    *rapid.T
	asks  []*record.Ask                  // texts that it thought of
	lines map[string]map[int][]byte      // signatures of honest seats by text and seat
	links map[uint64]map[int]scheme.Link // of honest seats by number
}

// take keeps what a phone gave out.
func (l *league) take(seat int, m protocol.Message) {
	n, err := record.ParseNote(m.Note)
	if err != nil {
		l.rt.Fatal(err)
	}
	text := string(n.Text)
	if l.lines[text] == nil {
		l.lines[text] = map[int][]byte{}
	}
	l.lines[text][seat] = m.Note[len(text)+1:]
	if a, err := record.ParseAsk(n.Text); err == nil {
		l.asks = append(l.asks, a)
		if a.Actor > 1 && l.lines[text][int(a.Actor)] == nil {
			l.rt.Fatalf("seat %d gives its part of a roll that seat %d did not ask for", seat, a.Actor)
		}
	}
	if m.Action == "link" {
		if l.links[m.Roll] == nil {
			l.links[m.Roll] = map[int]scheme.Link{}
		}
		if before, ok := l.links[m.Roll][seat]; ok && before != m.Link {
			l.rt.Fatalf("seat %d gives two links for roll %d", seat, m.Roll)
		}
		l.links[m.Roll][seat] = m.Link
	}
}

// sign is a note with all signatures that the league can put under a text.
func (l *league) sign(text []byte) []byte {
	note := l.note(text, 0, 1)
	for _, seat := range []int{2, 3} {
		note = append(note, l.lines[string(text)][seat]...)
	}
	return note
}

// draft is a text of its choice over the transcript of one of the phones.
func (l *league) draft() *record.Ask {
	tr := l.phones[rapid.IntRange(2, 3).Draw(l.rt, "over the head of")].Transcript()
	a := &record.Ask{
		Match: l.match, Number: tr.Rolls + 1, Actor: tr.Turn, Head: tr.Head,
		Faces: rapid.SampledFrom([][]uint32{{6}, {6, 6}, {6, 6, 6}}).Draw(l.rt, "faces"),
	}
	switch rapid.IntRange(0, 5).Draw(l.rt, "draft") {
	case 0:
		a.Actor = uint8(rapid.IntRange(0, 3).Draw(l.rt, "actor"))
	case 1: // in the name of a seat that did not ask
		a.Actor = tr.Turn
	case 2:
		a.Number = uint64(rapid.IntRange(1, 4).Draw(l.rt, "number"))
	}
	return a
}

// TestLeague lets the league send what it likes. Two honest phones never accept two
// rolls for one number, and none accepts a roll that does not follow from the committed
// chains, that its actor's phone did not ask for, or that the other one did not sign.
func TestLeague(t *testing.T) {
	rolls, stopped := 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		l := &league{rig: running(t, 3, "1-3d6"), rt: rt, lines: map[string]map[int][]byte{}, links: map[uint64]map[int]scheme.Link{}}
		begin := l.tr
		pick := func() *record.Ask { return l.asks[max(0, len(l.asks)-rapid.IntRange(1, 3).Draw(rt, "text"))] }
		answer := func(seat int) {
			due, _ := l.phones[seat].Due()
			for _, m := range due {
				l.take(seat, m)
			}
		}
		complete := func(seat int, a *record.Ask) {
			n := uint32(a.Number)
			links := []scheme.Link{l.chains[0].Link(n), l.chains[1].Link(n), l.links[a.Number][2], l.links[a.Number][3]}
			if rapid.IntRange(0, 6).Draw(rt, "another link") == 0 {
				links[rapid.IntRange(0, 3).Draw(rt, "of")] = l.chains[0].Link(n + 1)
			}
			l.tr = l.phones[seat].Transcript()
			made, head := l.made(a, links)
			_ = l.phones[seat].Rolled(l.sign(a.Marshal()), links, made, l.head(a.Number, head))
		}
		for range rapid.IntRange(1, 40).Draw(rt, "steps") {
			seat := rapid.IntRange(2, 3).Draw(rt, "seat")
			p := l.phones[seat]
			step := rapid.IntRange(0, 9).Draw(rt, "step")
			switch {
			case step == 0:
				if m, err := p.Roll([]uint32{6, 6}); err == nil {
					l.take(seat, m)
				}
			case step < 3 || len(l.asks) == 0:
				l.asks = append(l.asks, l.draft())
			case step < 5:
				_ = p.Asked(l.sign(pick().Marshal()))
			case step == 5:
				answer(seat)
			case step < 8:
				complete(seat, pick())
			default: // a text for each phone, perhaps the same; and what then can be made of them
				texts := []*record.Ask{pick(), pick()}
				if rapid.Bool().Draw(rt, "new ones") {
					texts = []*record.Ask{l.draft(), l.draft()}
					l.asks = append(l.asks, texts...)
				}
				for i, seat := range []int{2, 3} {
					_ = l.phones[seat].Asked(l.sign(texts[i].Marshal()))
					answer(seat)
				}
				for i, seat := range []int{2, 3} {
					complete(seat, texts[i])
				}
			}
		}
		first, second := l.phones[2].Entries(), l.phones[3].Entries()
		for i := range min(len(first), len(second)) {
			if !slices.Equal(first[i].Dice, second[i].Dice) || first[i].Role != second[i].Role {
				rt.Fatalf("roll %d is %v and %v", i+1, first[i], second[i])
			}
		}
		for seat, entries := range [][]record.Entry{first, second} {
			tr := begin
			for i, e := range entries {
				a := &record.Ask{Match: tr.Match, Number: e.Number, Actor: e.Role, Faces: e.Faces, Head: tr.Head}
				for _, honest := range []int{2, 3} {
					if l.lines[string(a.Marshal())][honest] == nil {
						rt.Fatalf("seat %d accepted roll %d without the signature of seat %d", seat+2, i+1, honest)
					}
				}
				made, next, err := tr.Roll(a, l.linksOf(e.Number))
				if err != nil || !slices.Equal(made, e.Dice) {
					rt.Fatalf("seat %d accepted %v as roll %d, which is %v (%v)", seat+2, e.Dice, i+1, made, err)
				}
				tr = next
				rolls++
			}
			if l.phones[seat+2].Stopped() != nil {
				stopped++
			}
		}
	})
	t.Logf("%d rolls accepted, %d phones stopped", rolls, stopped)
	if !t.Failed() && !testing.Short() && (rolls == 0 || stopped == 0) {
		t.Errorf("%d rolls were accepted, %d phones stopped: this test could not fail", rolls, stopped)
	}
}
