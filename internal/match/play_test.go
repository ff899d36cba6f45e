package match_test

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"veridice/internal/match"
	"veridice/internal/needs"
	"veridice/internal/store/memory"
	"veridice/internal/store/sqlite"
	"veridice/protocol"
	"veridice/record"
	"veridice/scheme"
	"veridice/seed"
	"veridice/verify"
)

// shelf is what a phone keeps, in memory.
type shelf map[string][]byte

func (s shelf) Once(key string, value []byte) ([]byte, error) {
	if _, ok := s[key]; !ok {
		s[key] = slices.Clone(value)
	}
	return slices.Clone(s[key]), nil
}

func (s shelf) Get(key string) ([]byte, error) { return slices.Clone(s[key]), nil }

// watched is a source of randomness that notes what it gave.
type watched struct {
	counter
	given [][]byte
}

func (w *watched) Read(p []byte) (int, error) {
	n, err := w.counter.Read(p)
	w.given = append(w.given, slices.Clone(p[:n]))
	return n, err
}

// moving is a clock that a test sets.
type moving struct{ time time.Time }

func (m *moving) Now() time.Time { return m.time }

// tester is a [testing.T] or a [rapid.T].
type tester interface {
	Helper()
	Name() string
	Context() context.Context
	Error(args ...any)
	Errorf(format string, args ...any)
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

// A room is the real service with phones at a table of veridice/1.
type room struct {
	t       tester
	vault   *match.Vault
	service *match.Service
	store   match.Store
	entropy *watched
	clock   *moving
	id      string
	key     [32]byte
	anchor  seed.Seal
	tokens  []string
	shelves []shelf
	phones  []*protocol.Phone // by seat, the first at 1
	taken   []uint64          // by seat: events the phone was given
	loads   int
	calls   int
	answers [][]byte              // everything that the service answered
	logs    []*protocol.PublicLog // by seat; nil where no log is pinned
}

func noonClock() *moving { return &moving{noon.time} }

// enter opens a table and brings a phone to each seat.
func enter(t testing.TB, store match.Store, table match.Table) *room {
	t.Helper()
	return enterAs(t, vault(t), store, table)
}

func enterAs(t tester, v *match.Vault, store match.Store, table match.Table) *room {
	t.Helper()
	r := &room{t: t, vault: v, store: store, clock: noonClock(), entropy: &watched{counter: counter{name: t.Name()}}}
	r.service = match.New(store, v, r.clock, r.entropy)
	table.Scheme = scheme.Veridice1
	body, err := r.service.Create(t.Context(), "home", "creation "+t.Name(), nil, table)
	if err != nil {
		t.Fatal(err)
	}
	r.answers = append(r.answers, body)
	var a match.CreatedAnswer
	if err := json.Unmarshal(body, &a); err != nil {
		t.Fatal(err)
	}
	for _, seat := range a.Seats {
		r.tokens = append(r.tokens, seat.Token)
	}
	return r.sit(a.Match, a.Seal)
}

// sit brings new phones to a match.
func (r *room) sit(id string, anchor seed.Seal) *room {
	r.t.Helper()
	r.id, r.anchor = id, anchor
	var err error
	if r.key, err = r.service.ServerKey(r.t.Context()); err != nil {
		r.t.Fatal(err)
	}
	r.shelves, r.phones, r.taken = make([]shelf, len(r.tokens)+1), make([]*protocol.Phone, len(r.tokens)+1), make([]uint64, len(r.tokens)+1)
	for seat := range r.shelves {
		r.shelves[seat] = shelf{}
		r.reload(seat)
	}
	for seat := range r.tokens {
		r.must(r.service.Acknowledge(r.t.Context(), r.call(seat+1), anchor, ""))
	}
	return r
}

func (r *room) matchID() scheme.Match {
	b, _ := seed.ParseHex(r.id)
	return scheme.Match(b)
}

// reload gives a seat a new phone over what the old one kept; seat 0 looks on.
func (r *room) reload(seat int) {
	r.t.Helper()
	r.loads++
	var log *protocol.PublicLog
	if r.logs != nil {
		log = r.logs[seat]
	}
	p, err := protocol.NewPhone(protocol.Setup{
		Log: log, Match: r.matchID(), Server: r.key, Seat: uint8(seat), Keeper: r.shelves[seat],
		Last: sha256.Sum256(fmt.Appendf(nil, "%s last %d", r.t.Name(), r.loads)), Key: sha256.Sum256(fmt.Appendf(nil, "%s key %d", r.t.Name(), r.loads)),
	})
	if err != nil {
		r.t.Fatal(err)
	}
	r.phones[seat], r.taken[seat] = p, 0
}

func (r *room) call(seat int) match.Call {
	r.calls++
	return match.Call{Match: r.id, Token: r.tokens[seat-1], Key: fmt.Sprint("key ", r.calls), Body: fmt.Append(nil, r.calls)}
}

func (r *room) must(body []byte, err error) []byte {
	r.t.Helper()
	if err != nil {
		r.t.Fatal(err)
	}
	r.answers = append(r.answers, body)
	return body
}

// send is what a phone sends, as a request.
func (r *room) send(seat int, m protocol.Message) ([]byte, error) {
	return r.sendAs(r.call(seat), m)
}

func (r *room) sendAs(c match.Call, m protocol.Message) ([]byte, error) {
	ctx := context.Background()
	switch m.Action {
	case "join":
		return r.service.Join(ctx, c, string(m.Note))
	case "ready":
		return r.service.Ready(ctx, c, string(m.Note))
	case "ask":
		return r.service.Ask(ctx, c, string(m.Note))
	case "link":
		return r.service.Link(ctx, c, m.Roll, m.Link, string(m.Note))
	case "move":
		return r.service.Move(ctx, c, string(m.Note))
	}
	return nil, errors.New("no such message: " + m.Action)
}

// details are what an event of veridice/1 says.
type details struct {
	Note, Text, Rules, Link, Head, Close, Match, Receipt string
	Links                                                []string
	Role                                                 *int
	Faces                                                []uint32
}

func linkOf(t tester, text string) scheme.Link {
	t.Helper()
	b, ok := seed.ParseHex(text)
	if !ok || len(b) != 32 {
		t.Fatalf("no link: %q", text)
	}
	return scheme.Link(b)
}

func detailsOf(t tester, e match.Event) (d details) {
	t.Helper()
	if e.Data != nil {
		if err := json.Unmarshal(e.Data, &d); err != nil {
			t.Fatal(err)
		}
	}
	return d
}

// deliver gives a phone an event.
func deliver(t tester, p *protocol.Phone, e match.Event, now time.Time) error {
	t.Helper()
	return tell(t, p, e, detailsOf(t, e), now)
}

// tell gives a phone an event with these details.
func tell(t tester, p *protocol.Phone, e match.Event, d details, now time.Time) error {
	t.Helper()
	switch e.Type {
	case match.Offered:
		return p.Offer([]byte(d.Note), []byte(d.Rules), uint64(now.Unix()))
	case match.Joined:
		return p.Joined([]byte(d.Note))
	case match.Anchored:
		return p.Anchored([]byte(d.Text))
	case match.Receipted:
		return p.Logged([]byte(d.Text), []byte(d.Receipt), uint64(now.Unix()))
	case match.Readied:
		return p.Readied([]byte(d.Note))
	case match.Asked:
		return p.Asked([]byte(d.Note))
	case match.Linked:
		return p.Linked(uint8(e.Seat), e.Roll, linkOf(t, d.Link))
	case match.Rolled:
		var links []scheme.Link
		for _, l := range d.Links {
			links = append(links, linkOf(t, l))
		}
		return p.Rolled([]byte(d.Note), links, e.Dice, []byte(d.Head))
	case match.Moved:
		return p.Moved([]byte(d.Note))
	case match.Ended:
		return p.Ended(record.Finished, -1, uint8(e.Seat))
	case match.GivenUp:
		silent := -1
		if d.Role != nil {
			silent = *d.Role
		}
		return p.Ended(record.Aborted, silent, uint8(e.Seat))
	}
	return nil
}

// hear gives a phone the events that it does not have.
func (r *room) hear(seat int) {
	r.t.Helper()
	for {
		events, err := r.service.Events(r.t.Context(), r.id, r.taken[seat], 1000)
		if err != nil {
			r.t.Fatal(err)
		}
		if len(events) == 0 {
			return
		}
		for _, e := range events {
			if err := deliver(r.t, r.phones[seat], e, r.clock.time); err != nil {
				r.t.Fatalf("seat %d refuses event %d, %s: %v", seat, e.Number, e.Type, err)
			}
			r.taken[seat] = e.Number
		}
	}
}

// go round until no phone has anything to send; those in silent send nothing.
func (r *room) settle(silent ...int) {
	r.t.Helper()
	for sent := true; sent; {
		sent = false
		for seat := range r.phones {
			r.hear(seat)
			if seat == 0 || slices.Contains(silent, seat) {
				continue
			}
			due, err := r.phones[seat].Due()
			if err != nil {
				r.t.Fatalf("seat %d: %v", seat, err)
			}
			for _, m := range due {
				r.must(r.send(seat, m))
				sent = true
			}
		}
	}
}

// roll is a whole roll by whoever has the turn.
func (r *room) roll(faces ...uint32) []uint32 {
	r.t.Helper()
	r.ask(faces...)
	r.settle()
	entries := r.phones[0].Entries()
	return entries[len(entries)-1].Dice
}

func (r *room) holder() int { return int(r.phones[0].Transcript().Turn) }

// ask begins a roll.
func (r *room) ask(faces ...uint32) {
	r.t.Helper()
	m, err := r.phones[r.holder()].Roll(faces)
	if err != nil {
		r.t.Fatal(err)
	}
	r.must(r.send(r.holder(), m))
	for seat := range r.phones {
		r.hear(seat)
	}
}

func (r *room) move(move string) {
	r.t.Helper()
	m, err := r.phones[r.holder()].Move(move)
	if err != nil {
		r.t.Fatal(err)
	}
	r.must(r.send(r.holder(), m))
	r.settle()
}

func (r *room) rolls() uint64 { return r.phones[0].Transcript().Rolls }

// end has the match ended by its seats.
func (r *room) end() {
	r.t.Helper()
	r.must(r.service.End(r.t.Context(), r.call(1), r.rolls()))
	other := min(2, len(r.tokens))
	r.must(r.service.End(r.t.Context(), r.call(other), r.rolls()))
	r.settle()
}

// signed lets the seats sign the record of a match that is over and gives it, with the
// report on it.
func (r *room) signed(seats ...int) ([]byte, *verify.Report) {
	r.t.Helper()
	text, err := r.service.RecordText(r.t.Context(), r.id)
	if err != nil {
		r.t.Fatal(err)
	}
	for _, seat := range seats {
		line, err := r.phones[seat].Sign(text)
		if err != nil {
			r.t.Fatalf("seat %d does not sign: %v", seat, err)
		}
		r.must(r.service.Sign(r.t.Context(), r.call(seat), string(line)))
	}
	if text, err = r.service.RecordText(r.t.Context(), r.id); err != nil {
		r.t.Fatal(err)
	}
	opening := [32]byte(r.phones[0].Transcript().Opening)
	sealed := seed.Seal(opening)
	return text, verify.Text(text, verify.Options{Seal: &sealed})
}

func (r *room) seats() (all []int) {
	for seat := range r.tokens {
		all = append(all, seat+1)
	}
	return all
}

// closing is the last entry of the log; every phone agrees with it.
func (r *room) closing() *record.Closing {
	r.t.Helper()
	entries, err := r.store.Log(r.t.Context(), 0, 1000)
	if err != nil || len(entries) == 0 {
		r.t.Fatal("no log: ", err)
	}
	last := entries[len(entries)-1]
	c, err := record.ParseClosing(last)
	if err != nil {
		r.t.Fatalf("%v:\n%s", err, last)
	}
	opening := seed.LeafHash(entries[c.Index])
	if c.Opening != opening {
		r.t.Errorf("the closing names entry %d, which is another", c.Index)
	}
	for seat, p := range r.phones {
		if err := p.Holds(last); err != nil {
			r.t.Errorf("seat %d has another end: %v", seat, err)
		}
	}
	return c
}

func wantRoom(t testing.TB, report *verify.Report, rolls int, signed ...int) {
	t.Helper()
	var got []int
	for _, role := range report.Signed {
		got = append(got, int(role))
	}
	if report.Verdict != verify.Proven || report.Rolls != rolls || !slices.Equal(got, signed) {
		t.Errorf("the record is %s %s %s with %d rolls, signed by %v; want proven, %d, %v", report.Verdict, report.Code, report.Place, report.Rolls, got, rolls, signed)
	}
}

// TestHonestMatches plays tables of every kind to the end.
func TestHonestMatches(t *testing.T) {
	repeat := func(n int) []uint32 { return slices.Repeat([]uint32{6}, n) }
	for _, c := range []struct {
		table match.Table
		play  func(r *room)
		rolls int
	}{
		{match.Table{Seats: 1, Kind: "2d6"}, func(r *room) {
			for range 5 {
				r.roll(6, 6)
			}
			r.move("game")
			r.roll(6, 6)
		}, 6},
		{match.Table{Seats: 2, Kind: "2d6", Turn: "alternate", Links: 256}, func(r *room) {
			for i := range 6 {
				if got := r.holder(); got != i%2+1 {
					r.t.Errorf("roll %d is seat %d's", i+1, got)
				}
				r.roll(6, 6)
			}
			r.move("game")
			r.move("turn 2")
			r.roll(6, 6)
		}, 7},
		{match.Table{Seats: 4, Kind: "1-6d6", Turn: "free"}, func(r *room) {
			for i := range 4 {
				for n := 6; n > 0; n -= 2 {
					if got := r.holder(); got != i+1 {
						r.t.Errorf("seat %d has the turn, want %d", got, i+1)
					}
					r.roll(repeat(n)...)
				}
				if i < 3 {
					r.must(r.service.Wish(r.t.Context(), r.call(i+2), r.rolls()))
					r.move(protocol.HandOver(uint8(i + 2)))
				}
			}
		}, 12},
		{match.Table{Seats: 2, Kind: "deck52", Turn: "free"}, func(r *room) {
			for range 2 {
				var items []uint32
				left := uint32(52)
				for left > 1 {
					var faces []uint32
					for range min(left-1, 17) {
						faces = append(faces, left)
						left--
					}
					items = append(items, r.roll(faces...)...)
				}
				if len(items) != 51 {
					r.t.Errorf("%d cards were dealt", len(items))
				}
				r.move("game")
			}
			r.roll(52)
		}, 7},
		{match.Table{Seats: 3, Kind: "any"}, func(r *room) {
			r.roll(2)
			r.roll(1_000_000, 2, 100)
			r.roll(slices.Repeat([]uint32{20}, 100)...)
		}, 3},
		{match.Table{Seats: 2, Kind: "3d6+1d20"}, func(r *room) { r.roll(6, 6, 6, 20) }, 1},
	} {
		t.Run(c.table.Kind, func(t *testing.T) {
			r := enter(t, memory.New(), c.table)
			r.settle()
			c.play(r)
			if report := verify.Text(r.text(), verify.Options{}); report.Verdict != verify.Proven || report.Rolls != c.rolls {
				t.Errorf("so far it is %s %s", report.Verdict, report.Code)
			}
			r.end()
			if got := r.closing(); got.State != record.Finished || int(got.Rolls) != c.rolls || got.Pending != nil {
				t.Errorf("closed as %+v", got)
			}
			_, report := r.signed(r.seats()...)
			wantRoom(t, report, c.rolls, append([]int{0}, r.seats()...)...)
			if report.State != "finished" {
				t.Errorf("the record is %s", report.State)
			}
			// What a phone kept of the last roll vouches for the record without a signature.
			rec, err := r.phones[1].Record()
			if err != nil {
				t.Fatal(err)
			}
			text, err := rec.MarshalText()
			if err != nil {
				t.Fatal(err)
			}
			if got := verify.Text(text, verify.Options{}); got.Code != verify.NotSigned {
				t.Errorf("the phone's own record is %s %s", got.Verdict, got.Code)
			}
			_, head := r.phones[1].Receipts(uint64(c.rolls))
			if got := verify.Text(text, verify.Options{Heads: [][]byte{head}}); got.Verdict != verify.Proven {
				t.Errorf("the phone's own record, with its receipt, is %s %s", got.Verdict, got.Code)
			}
		})
	}
}

func (r *room) text() []byte {
	r.t.Helper()
	text, err := r.service.RecordText(r.t.Context(), r.id)
	if err != nil {
		r.t.Fatal(err)
	}
	return text
}

// TestTwoThousandRolls plays a long match over chains of 2048 links.
func TestTwoThousandRolls(t *testing.T) {
	needs.Long(t, "a long match")
	r := enter(t, memory.New(), match.Table{Seats: 1, Kind: "1d6", Links: 2048})
	r.settle()
	for range 2000 {
		r.roll(6)
	}
	r.end()
	_, report := r.signed(1)
	wantRoom(t, report, 2000, 0, 1)
}

// TestChainIsSpent plays until there are no links.
func TestChainIsSpent(t *testing.T) {
	r := enter(t, memory.New(), match.Table{Seats: 1, Kind: "1d2", Links: 256})
	r.settle()
	for range 256 {
		r.roll(2)
	}
	_, err := r.phones[1].Roll([]uint32{2})
	wantCode(t, "a roll after the last link", err, "chain-spent")
	r.end()
	_, report := r.signed(1)
	wantRoom(t, report, 256, 0, 1)
}

// TestRoomOnDisk plays a short match over SQLite, with a new service for every step,
// as after a restart.
func TestRoomOnDisk(t *testing.T) {
	path := filepath.Join(t.TempDir(), "play.db")
	store, err := sqlite.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	r := enter(t, store, match.Table{Seats: 2, Kind: "2d6", Links: 256})
	restart := func() {
		if err := store.Close(); err != nil {
			t.Fatal(err)
		}
		if store, err = sqlite.Open(path); err != nil {
			t.Fatal(err)
		}
		r.store, r.service = store, match.New(store, vault(t), r.clock, r.entropy)
	}
	for range 4 {
		r.settle(2)
		restart()
		r.settle()
		if r.rolls() == 3 {
			break
		}
		r.ask(6, 6)
		restart()
	}
	r.end()
	restart()
	_, report := r.signed(1, 2)
	wantRoom(t, report, 3, 0, 1, 2)
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	var files []byte
	for _, end := range []string{"", "-wal"} {
		b, err := os.ReadFile(path + end)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
		files = append(files, b...)
	}
	if !bytes.Contains(files, []byte(r.id)) {
		t.Fatal("the files do not hold the match: this test could not fail")
	}
	r.wantNoSecret("the database", files)
}

// secrets finds the server's chain and key among what the random source gave.
func (r *room) secrets() (scheme.Chain, ed25519.PrivateKey, [][]byte) {
	r.t.Helper()
	p := r.phones[0].Transcript()
	var chain *scheme.Chain
	var key ed25519.PrivateKey
	var raw [][]byte
	for _, b := range r.entropy.given {
		if len(b) != 32 {
			continue
		}
		if c, err := scheme.NewChain(r.matchID(), 0, scheme.Link(b), p.Length); err == nil && c.Anchor() == scheme.Link(r.anchor) {
			chain, raw = &c, append(raw, b)
		}
		if k := ed25519.NewKeyFromSeed(b); bytes.Equal(k.Public().(ed25519.PublicKey), r.key[:]) {
			key, raw = k, append(raw, b)
		}
	}
	if chain == nil || key == nil {
		r.t.Fatal("the server's secrets are not what the random source gave")
	}
	return *chain, key, raw
}

// wantNoSecret searches for the server's key, its last link and every link of it that
// no roll has shown.
func (r *room) wantNoSecret(where string, text []byte) {
	r.t.Helper()
	chain, key, raw := r.secrets()
	raw = append(raw, key[:32])
	p := r.phones[0].Transcript()
	for i := uint32(p.Rolls) + 1; i <= p.Length; i++ {
		link := chain.Link(i)
		raw = append(raw, link[:])
	}
	for i, secret := range raw {
		for _, form := range []string{string(secret), seed.Hex(secret), base64.StdEncoding.EncodeToString(secret)[:42], base64.RawURLEncoding.EncodeToString(secret)[:42]} {
			if bytes.Contains(text, []byte(form)) {
				r.t.Errorf("secret %d of %d is in %s", i, len(raw), where)
			}
		}
	}
}

// dump is everything that the store and the service tell.
func (r *room) dump() []byte {
	r.t.Helper()
	m, err := r.store.Match(r.t.Context(), r.id)
	if err != nil {
		r.t.Fatal(err)
	}
	events, err := r.service.Events(r.t.Context(), r.id, 0, 100_000)
	if err != nil {
		r.t.Fatal(err)
	}
	out := fmt.Appendf(nil, "%s %+v %x ", m.Play, m, m.Sealed)
	for _, e := range events {
		out = fmt.Appendf(out, "%s %+v ", e.Data, e)
	}
	entries, err := r.store.Log(r.t.Context(), 0, 1000)
	if err != nil {
		r.t.Fatal(err)
	}
	view, err := m.View()
	if err != nil {
		r.t.Fatal(err)
	}
	shown, err := json.Marshal(view)
	if err != nil {
		r.t.Fatal(err)
	}
	out = append(out, bytes.Join(append(append(entries, shown), r.answers...), nil)...)
	if text, err := r.service.RecordText(r.t.Context(), r.id); err == nil {
		out = append(out, text...)
	}
	return fmt.Appendf(out, "%v %+v %s %v", r.service, r.service, r.vault, r.store)
}

// TestServerSecretsStaySecret looks after every step of a match, in everything that
// anybody can read.
func TestServerSecretsStaySecret(t *testing.T) {
	r := enter(t, memory.New(), match.Table{Seats: 2, Kind: "2d6", Links: 256})
	r.settle()
	r.wantNoSecret("the store before the first roll", r.dump())
	for range 3 {
		r.roll(6, 6)
		r.wantNoSecret("the store after a roll", r.dump())
	}
	chain, _, _ := r.secrets()
	if shown := chain.Link(3); !bytes.Contains(r.dump(), []byte(seed.Hex(shown[:]))) {
		t.Fatal("the link of roll 3 is not found: this test could not fail")
	}
	r.end()
	r.signed(1, 2)
	r.wantNoSecret("the store after the end", r.dump())
}

// TestServerLinkIsLast: the server's link is nowhere to be read before the last seat's
// link and signature are in.
func TestServerLinkIsLast(t *testing.T) {
	r := enter(t, memory.New(), match.Table{Seats: 3, Kind: "2d6"})
	r.settle()
	r.roll(6, 6)
	chain, _, _ := r.secrets()
	next := chain.Link(2)
	shown := func() bool { return bytes.Contains(r.dump(), []byte(seed.Hex(next[:]))) }
	r.ask(6, 6)
	var parts []protocol.Message
	for _, seat := range r.seats() {
		due, err := r.phones[seat].Due()
		if err != nil || len(due) != 1 {
			t.Fatal(due, err)
		}
		parts = append(parts, due[0])
	}
	for i, m := range parts {
		if shown() {
			t.Fatalf("after %d of 3 parts the server has shown its link", i)
		}
		// The link without the signature, and the signature with another link, are no part.
		other := parts[(i+1)%3]
		_, err := r.service.Link(t.Context(), r.call(i+1), 2, m.Link, string(other.Note))
		wantCode(t, "a link with another seat's signature", err, "bad-signature")
		_, err = r.service.Link(t.Context(), r.call(i+1), 2, other.Link, string(m.Note))
		wantCode(t, "a signature with another seat's link", err, "wrong-link")
		if shown() {
			t.Fatal("after a part that is none the server has shown its link")
		}
		r.must(r.send(i+1, m))
	}
	if !shown() {
		t.Error("after all parts the server's link is not there: this test could not fail")
	}
}

// wantCode wants a refusal with this code, "" for none.
func wantCode(t testing.TB, what string, err error, code string) {
	t.Helper()
	got := ""
	var fault *protocol.Fault
	var syntax *record.SyntaxError
	var state *match.StateError
	var behind *match.BehindError
	var early *match.NotOverdueError
	var field *match.FieldError
	switch {
	case err == nil:
	case errors.As(err, &fault):
		got = fault.Code
	case errors.As(err, &syntax):
		got = string(syntax.Code)
	case errors.As(err, &state):
		got = string(state.State)
	case errors.As(err, &behind):
		got = "behind"
	case errors.As(err, &early):
		got = "not-overdue"
	case errors.As(err, &field):
		got = field.Code
	default:
		got = err.Error()
	}
	if got != code {
		t.Errorf("%s: got %q, want %q", what, got, code)
	}
}

// TestTermsOfATable refuses what no table may have.
func TestTermsOfATable(t *testing.T) {
	s := match.New(memory.New(), vault(t), noon, &counter{name: t.Name()})
	for i, c := range []struct {
		table match.Table
		code  string
	}{
		{match.Table{Seats: 2, Links: 255}, "bad-links"},
		{match.Table{Seats: 2, Links: 8193}, "bad-links"},
		{match.Table{Seats: 2, Links: -1}, "bad-links"},
		{match.Table{Seats: 2, Links: 256}, ""},
		{match.Table{Seats: 2, Links: 8192}, ""},
		{match.Table{Seats: 2, Wait: 9}, "bad-wait"},
		{match.Table{Seats: 2, Wait: 86_401}, "bad-wait"},
		{match.Table{Seats: 2, Wait: -1}, "bad-wait"},
		{match.Table{Seats: 2, Turn: "mine"}, "bad-turn"},
		{match.Table{Seats: 2, Kind: "0d6"}, "bad-dice"},
		{match.Table{Seats: 2, Kind: "deck417"}, "bad-dice"},
		{match.Table{Seats: 0}, "bad-seats"},
		{match.Table{Seats: 9}, "bad-seats"},
		{match.Table{Seats: 8, Kind: "any", Turn: "free", Wait: 10, Links: 300}, ""},
	} {
		c.table.Scheme = scheme.Veridice1
		_, err := s.Create(t.Context(), "", fmt.Sprint("table ", i), nil, c.table)
		wantCode(t, fmt.Sprintf("%+v", c.table), err, c.code)
	}
}

// late moves the clock past what the terms give a party.
func (r *room) late() { r.clock.time = r.clock.time.Add(121 * time.Second) }

func (r *room) abort(seat int, leave bool) error {
	body, err := r.service.Abort(r.t.Context(), r.call(seat), r.rolls(), leave)
	r.answers = append(r.answers, body)
	return err
}

// TestAborts: each way in which a match does not go on, and who is named.
func TestAborts(t *testing.T) {
	for _, c := range []struct {
		name   string
		until  func(r *room)
		seat   int
		leave  bool
		silent int
		early  bool // allowed at once
	}{
		{"a READY is missing", func(r *room) { r.settle(2) }, 1, false, 2, false},
		{"two READY are missing", func(r *room) { r.settle(2, 3) }, 1, false, 2, false},
		{"a link is missing", func(r *room) { r.settle(); r.ask(6, 6); r.settle(3) }, 2, false, 3, false},
		{"all links are missing", func(r *room) { r.settle(); r.ask(6, 6) }, 3, false, 1, false},
		{"a wish is not answered", func(r *room) {
			r.settle()
			r.roll(6, 6)
			r.must(r.service.Wish(t.Context(), r.call(1), 1))
		}, 1, false, 2, false},
		{"an end is not confirmed", func(r *room) {
			r.settle()
			r.roll(6, 6)
			r.must(r.service.End(t.Context(), r.call(3), 1))
		}, 3, false, -1, false},
		{"a seat leaves", func(r *room) { r.settle(); r.roll(6, 6) }, 3, true, 3, true},
		{"a seat leaves a roll", func(r *room) { r.settle(); r.roll(6, 6); r.ask(6, 6) }, 2, true, 2, true},
		{"a seat leaves before the start", func(r *room) { r.settle(3) }, 3, true, 3, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := enter(t, memory.New(), match.Table{Seats: 3, Kind: "2d6"})
			for _, seat := range r.seats() {
				r.hear(seat)
				due, err := r.phones[seat].Due()
				if err != nil || len(due) != 1 || due[0].Action != "join" {
					t.Fatal(due, err)
				}
				r.must(r.send(seat, due[0]))
			}
			c.until(r)
			if !c.early {
				wantCode(t, "an abort before anybody is late", r.abort(c.seat, false), "not-overdue")
				r.clock.time = r.clock.time.Add(119 * time.Second)
				wantCode(t, "an abort a second too soon", r.abort(c.seat, false), "not-overdue")
				r.clock.time = r.clock.time.Add(time.Second)
			} else {
				wantCode(t, "an abort without leaving", r.abort(c.seat, false), "not-overdue")
				if err := r.phones[c.seat].Leave(); err != nil {
					t.Fatal(err)
				}
			}
			wantCode(t, "the abort", r.abort(c.seat, c.leave), "")
			for seat := range r.phones {
				r.hear(seat)
			}
			closing := r.closing()
			if closing.State != record.Aborted || closing.Silent != c.silent {
				t.Errorf("closed as %s, silent %d, want aborted, %d", closing.State, closing.Silent, c.silent)
			}
			wantPending := strings.Contains(c.name, "link") || c.name == "a seat leaves a roll"
			if (closing.Pending != nil) != wantPending {
				t.Errorf("pending in the closing: %v", closing.Pending)
			}
			text, report := r.signed(r.seats()...)
			if line := fmt.Sprintf("\nstate aborted %d\n", c.silent); !strings.Contains(strings.Replace(string(text), "aborted -\n", "aborted -1\n", 1), line) {
				t.Errorf("no line %q in\n%s", line, text)
			}
			if strings.Contains(string(text), "\npending ") != wantPending {
				t.Errorf("pending in the record:\n%s", text)
			}
			switch rolls := r.rolls(); {
			case rolls > 0:
				wantRoom(t, report, int(rolls), 0, 1, 2, 3)
			case report.Verdict != verify.Unknown || report.Code != verify.NoRolls:
				t.Errorf("a record without rolls is %s %s", report.Verdict, report.Code)
			}
			// It is over for everybody and everything.
			wantCode(t, "a second abort", r.abort(c.seat, true), "aborted")
			_, err := r.service.End(t.Context(), r.call(1), r.rolls())
			wantCode(t, "an end", err, "aborted")
			for _, seat := range r.seats() {
				if due, err := r.phones[seat].Due(); err != nil || len(due) > 0 {
					t.Errorf("seat %d still sends %v, %v", seat, due, err)
				}
			}
		})
	}
}

// TestPhoneThatComesBack goes on with the same text and link.
func TestPhoneThatComesBack(t *testing.T) {
	r := enter(t, memory.New(), match.Table{Seats: 2, Kind: "2d6"})
	r.settle()
	r.roll(6, 6)
	r.ask(6, 6)
	r.settle(1)
	r.hear(1)
	due, err := r.phones[1].Due()
	if err != nil || len(due) != 1 {
		t.Fatal(due, err)
	}
	r.late() // nobody ends it
	r.reload(1)
	r.hear(1)
	again, err := r.phones[1].Due()
	if err != nil || len(again) != 1 || again[0].Link != due[0].Link || string(again[0].Note) != string(due[0].Note) {
		t.Errorf("another part after the reload: %v", err)
	}
	r.settle()
	if r.rolls() != 2 {
		t.Errorf("%d rolls", r.rolls())
	}
	r.end()
}

// TestWishesNameTheRightSeat: the time for a wish runs for the seat that has the turn.
func TestWishesNameTheRightSeat(t *testing.T) {
	ctx := t.Context()
	minute := func(r *room) { r.clock.time = r.clock.time.Add(time.Minute) }
	r := enter(t, memory.New(), match.Table{Seats: 4, Kind: "1d6"})
	r.settle()
	r.must(r.service.Wish(ctx, r.call(3), 0))
	minute(r)
	r.roll(6)
	minute(r)
	wantCode(t, "an abort against the seat that has had the turn for a minute", r.abort(3, false), "not-overdue")
	// Somebody else's wish does not give the holder more time.
	r.must(r.service.Wish(ctx, r.call(4), 1))
	minute(r)
	r.must(r.service.Wish(ctx, r.call(3), 1))
	wantCode(t, "an abort after two minutes", r.abort(3, false), "")
	for seat := range r.phones {
		r.hear(seat)
	}
	if c := r.closing(); c.Silent != 2 {
		t.Errorf("seat %d is named, want 2", c.Silent)
	}

	// A roll that is going on is not the holder's delay.
	r = enter(t, memory.New(), match.Table{Seats: 2, Kind: "1d6", Turn: "free"})
	r.settle()
	r.must(r.service.Wish(ctx, r.call(2), 0))
	minute(r)
	r.ask(6)
	minute(r)
	r.settle()
	wantCode(t, "an abort after a minute of the holder's own", r.abort(2, false), "not-overdue")
	minute(r)
	wantCode(t, "an abort after two", r.abort(2, false), "")
}

// TestNumbersOfOpenings: one that was given to a match without an opening is given
// again; otherwise they have no gap.
func TestNumbersOfOpenings(t *testing.T) {
	store := memory.New()
	seq := func(r *room) uint64 {
		m, err := store.Match(t.Context(), r.id)
		if err != nil {
			t.Fatal(err)
		}
		return m.Seq
	}
	enterIn := func(name string) (r *room) {
		t.Run(name, func(t *testing.T) {
			r = enter(t, store, match.Table{Seats: 1, Kind: "2d6"})
		})
		r.t = t
		return r
	}
	first, second := enterIn("first"), enterIn("second")
	first.hear(0)
	if seq(first) != 1 || seq(second) != 2 {
		t.Fatalf("got %d and %d", seq(first), seq(second))
	}
	wantCode(t, "an abort before the opening", first.abort(1, false), "")
	if seq(first) != 0 {
		t.Error("the number was not given back")
	}
	first.hear(1)
	if due, err := first.phones[1].Due(); err != nil || len(due) > 0 {
		t.Errorf("after the abort the phone sends %v, %v", due, err)
	}
	_, err := first.service.RecordText(t.Context(), first.id)
	wantCode(t, "the record of a match without an opening", err, "aborted")
	third, fourth := enterIn("third"), enterIn("fourth")
	if seq(third) != 1 || seq(fourth) != 3 {
		t.Errorf("got %d and %d, want 1 and 3", seq(third), seq(fourth))
	}
	if log, err := store.Log(t.Context(), 0, 10); err != nil || len(log) != 0 {
		t.Errorf("%d entries in the log without an opening", len(log))
	}
	third.settle()
	third.roll(6, 6)
	third.end()
	log, err := store.Log(t.Context(), 0, 10)
	if err != nil || len(log) != 2 {
		t.Fatalf("%d entries in the log, %v", len(log), err)
	}
	if o, err := record.ParseOpening(log[0]); err != nil || o.Seq != 1 || seed.Hex(o.ID[:]) != third.id {
		t.Errorf("the opening in the log is\n%s", log[0])
	}
	third.closing()
}

// TestNextMatch: the same seats, tokens and terms.
func TestNextMatch(t *testing.T) {
	r := enter(t, memory.New(), match.Table{Seats: 2, Kind: "deck52", Turn: "free", Wait: 60, Links: 300})
	_, err := r.service.GoOn(t.Context(), r.call(1))
	wantCode(t, "the next match before the end", err, "open")
	r.settle()
	r.roll(52)
	_, err = r.service.GoOn(t.Context(), r.call(1))
	wantCode(t, "the next match of one that is running", err, "running")
	c := r.call(1)
	c.Token = "wrong"
	_, err = r.service.GoOn(t.Context(), c)
	want(t, "a stranger's wish to go on", err, match.ErrNotYourSeat)
	used := r.call(2)
	r.must(r.service.Wish(t.Context(), used, 1))
	r.end()
	for range 3 {
		_, err = r.service.GoOn(t.Context(), used)
		want(t, "going on under a key that was used", err, match.ErrKeyReused)
	}
	if ids, err := r.store.Matches(t.Context(), "", 10); err != nil || len(ids) > 2 {
		t.Errorf("what was refused left %d matches behind: %v", len(ids), err)
	}
	first, second := r.must(r.service.GoOn(t.Context(), r.call(2))), r.must(r.service.GoOn(t.Context(), r.call(1)))
	if string(first) != string(second) {
		t.Errorf("two seats go on in %s and %s", first, second)
	}
	var a match.NextAnswer
	if err := json.Unmarshal(first, &a); err != nil || a.Match == r.id {
		t.Fatalf("%s: %v", first, err)
	}
	m, err := r.store.Match(t.Context(), a.Match)
	if err != nil {
		t.Fatal(err)
	}
	old := r.phones[0].Transcript()
	r.sit(m.ID, m.Seal)
	r.settle()
	now := r.phones[0].Transcript()
	if now.Terms.Dice.String() != "deck52" || now.Terms.Alternate || now.Terms.Wait != 60 || now.Length != 300 || now.Seats() != 2 || now.Terms.Salt == old.Terms.Salt {
		t.Errorf("the next match has the terms %s", now.Terms.Marshal())
	}
	r.roll(52)
	r.end()
	_, report := r.signed(1, 2)
	wantRoom(t, report, 1, 0, 1, 2)
}

// TestRequestsRepeated: the same request gets the same bytes and happens once.
func TestRequestsRepeated(t *testing.T) {
	r := enter(t, memory.New(), match.Table{Seats: 2, Kind: "2d6"})
	repeat := func(what string, c match.Call, f func(match.Call) ([]byte, error)) {
		t.Helper()
		first := r.must(f(c))
		before, err := r.store.Match(t.Context(), r.id)
		if err != nil {
			t.Fatal(err)
		}
		again := r.must(f(c))
		after, err := r.store.Match(t.Context(), r.id)
		if err != nil {
			t.Fatal(err)
		}
		if string(first) != string(again) || before.Version != after.Version {
			t.Errorf("%s: got %s, then %s", what, first, again)
		}
		c.Body = []byte("something else")
		_, err = f(c)
		want(t, what+" under a key that was used", err, match.ErrKeyReused)
	}
	// once sends under another key what happened, as a second tab does.
	once := func(seat int, m protocol.Message) {
		t.Helper()
		before, err := r.store.Match(t.Context(), r.id)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := r.send(seat, m); err != nil {
			t.Errorf("%s again: %v", m.Action, err)
		}
		after, err := r.store.Match(t.Context(), r.id)
		if err != nil || after.Events != before.Events {
			t.Errorf("%s happened twice, %v", m.Action, err)
		}
	}
	step := func(seat int, action string) protocol.Message {
		t.Helper()
		for other := range r.phones {
			r.hear(other)
		}
		due, err := r.phones[seat].Due()
		if err != nil || len(due) != 1 || due[0].Action != action {
			t.Fatalf("seat %d sends %v, %v, want its %s", seat, due, err, action)
		}
		repeat(action, r.call(seat), func(c match.Call) ([]byte, error) { return r.sendAs(c, due[0]) })
		once(seat, due[0])
		return due[0]
	}
	step(1, "join")
	step(2, "join")
	step(1, "ready")
	step(2, "ready")
	r.settle()
	if _, err := r.phones[1].Roll([]uint32{6, 6}); err != nil {
		t.Fatal(err)
	}
	ask := step(1, "ask")
	step(1, "link")
	link := step(2, "link")
	once(1, ask)
	once(2, link)
	r.settle()
	m, err := r.phones[2].Move("turn 1")
	if err != nil {
		t.Fatal(err)
	}
	repeat("move", r.call(2), func(c match.Call) ([]byte, error) { return r.sendAs(c, m) })
	once(2, m)
	if _, err := r.sendAs(r.call(1), m); err == nil {
		t.Error("a seat repeats what another did")
	}
	repeat("wish", r.call(2), func(c match.Call) ([]byte, error) { return r.service.Wish(t.Context(), c, 1) })
	repeat("end", r.call(2), func(c match.Call) ([]byte, error) { return r.service.End(t.Context(), c, 1) })
	repeat("abort", r.call(1), func(c match.Call) ([]byte, error) { return r.service.Abort(t.Context(), c, 1, true) })
	if err := r.phones[1].Leave(); err != nil {
		t.Fatal(err)
	}
	for seat := range r.phones {
		r.hear(seat)
	}
	line, err := r.phones[2].Sign(r.text())
	if err != nil {
		t.Fatal(err)
	}
	repeat("sign", r.call(2), func(c match.Call) ([]byte, error) { return r.service.Sign(t.Context(), c, string(line)) })
	repeat("next", r.call(2), func(c match.Call) ([]byte, error) { return r.service.GoOn(t.Context(), c) })
}

// TestBadPlay plays what the server must refuse, with its code; nothing changes by it.
func TestBadPlay(t *testing.T) {
	r := enter(t, memory.New(), match.Table{Seats: 2, Kind: "2d6", Links: 256})
	ctx := t.Context()
	key := func(name string) ed25519.PrivateKey {
		sum := sha256.Sum256([]byte(name))
		return ed25519.NewKeyFromSeed(sum[:])
	}
	note := func(role int, private ed25519.PrivateKey, text []byte) string {
		s := verify.Role(r.matchID(), uint8(role), [32]byte(private.Public().(ed25519.PublicKey)))
		return string(protocol.Note(text, protocol.Sign(s, private, text)))
	}
	// The test plays seat 2 itself, so that it can sign what no phone would.
	own, mine := key("own"), [32]byte(key("own").Public().(ed25519.PublicKey))
	chain, err := scheme.NewChain(r.matchID(), 2, scheme.Link{1, 2, 3}, 256)
	if err != nil {
		t.Fatal(err)
	}
	refuse := func(what, code string, f func(match.Call) ([]byte, error)) {
		t.Helper()
		before, err := r.store.Match(ctx, r.id)
		if err != nil {
			t.Fatal(err)
		}
		_, err = f(r.call(2))
		wantCode(t, what, err, code)
		if after, err := r.store.Match(ctx, r.id); err != nil || after.Version != before.Version || string(after.Play) != string(before.Play) {
			t.Errorf("%s: something changed", what)
		}
	}
	join := func(note string) func(match.Call) ([]byte, error) {
		return func(c match.Call) ([]byte, error) { return r.service.Join(ctx, c, note) }
	}
	ready := func(note string) func(match.Call) ([]byte, error) {
		return func(c match.Call) ([]byte, error) { return r.service.Ready(ctx, c, note) }
	}
	ask := func(note string) func(match.Call) ([]byte, error) {
		return func(c match.Call) ([]byte, error) { return r.service.Ask(ctx, c, note) }
	}
	move := func(note string) func(match.Call) ([]byte, error) {
		return func(c match.Call) ([]byte, error) { return r.service.Move(ctx, c, note) }
	}
	link := func(n uint64, link scheme.Link, note string) func(match.Call) ([]byte, error) {
		return func(c match.Call) ([]byte, error) { return r.service.Link(ctx, c, n, link, note) }
	}

	var offer []byte
	events, err := r.service.Events(ctx, r.id, 0, 100)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range events {
		if e.Type == match.Offered {
			d := detailsOf(t, e)
			n, err := record.ParseNote([]byte(d.Note))
			if err != nil {
				t.Fatal(err)
			}
			offer = n.Text
		}
	}
	good := record.Join{Match: r.matchID(), Offer: sha256.Sum256(offer), Seat: 2, Role: record.Role{Anchor: chain.Anchor(), Key: mine}}
	joinWith := func(change func(*record.Join), private ed25519.PrivateKey) func(match.Call) ([]byte, error) {
		j := good
		change(&j)
		return join(note(2, private, j.Marshal()))
	}
	refuse("a ready before the opening", "match: not all phones are there yet", ready(note(2, own, []byte("veridice/1 ready\n"))))
	refuse("a roll before the opening", "open", ask(note(2, own, []byte("veridice/1 roll\n"))))
	refuse("a join that is no note", "syntax", join("veridice/1 join\n"))
	refuse("a join for another offer", "other-offer", joinWith(func(j *record.Join) { j.Offer[0]++ }, own))
	refuse("a join of another match", "other-match", joinWith(func(j *record.Join) { j.Match[0]++ }, own))
	refuse("a join in another seat", "other-seat", joinWith(func(j *record.Join) { j.Seat = 1 }, own))
	refuse("a join signed under another key", "bad-signature", joinWith(func(*record.Join) {}, key("other")))
	refuse("a join with the server's anchor", "same-anchor", joinWith(func(j *record.Join) { j.Role.Anchor = [32]byte(r.anchor) }, own))
	refuse("a join under a key of small order", "bad-signature", func(c match.Call) ([]byte, error) {
		j := good
		j.Role.Key = [32]byte{1}
		s := verify.Role(r.matchID(), 2, j.Role.Key)
		sig := record.Signature{Name: s.Name, KeyID: s.KeyID(), Bytes: append([]byte{1}, make([]byte, 63)...)}
		return r.service.Join(ctx, c, string(protocol.Note(j.Marshal(), sig)))
	})
	r.settle(2) // seat 1 joins
	var first record.Role
	events, err = r.service.Events(ctx, r.id, 0, 100)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range events {
		if e.Type == match.Joined {
			d := detailsOf(t, e)
			n, err := record.ParseNote([]byte(d.Note))
			if err != nil {
				t.Fatal(err)
			}
			j, err := record.ParseJoin(n.Text)
			if err != nil {
				t.Fatal(err)
			}
			first = j.Role
		}
	}
	refuse("an anchor copied from another role", "same-anchor", joinWith(func(j *record.Join) { j.Role.Anchor = first.Anchor }, own))
	joined := note(2, own, good.Marshal())
	r.must(r.service.Join(ctx, r.call(2), joined))
	refuse("a second join", "already-joined", joinWith(func(j *record.Join) { j.Role.Anchor[0]++ }, own))
	// The phone in seat 2 is not the one that joined.
	r.phones = r.phones[:2]
	r.settle()
	tr := r.phones[1].Transcript()

	readyWith := func(change func(*record.Ready), private ed25519.PrivateKey) func(match.Call) ([]byte, error) {
		m := record.Ready{Match: r.matchID(), Opening: tr.Opening, Seat: 2}
		change(&m)
		return ready(note(2, private, m.Marshal()))
	}
	refuse("a ready for another opening", "other-opening", readyWith(func(m *record.Ready) { m.Opening[0]++ }, own))
	refuse("a ready of another match", "other-opening", readyWith(func(m *record.Ready) { m.Match[0]++ }, own))
	refuse("a ready of another seat", "other-opening", readyWith(func(m *record.Ready) { m.Seat = 1 }, own))
	refuse("a ready under another key", "bad-signature", readyWith(func(*record.Ready) {}, key("other")))
	early := &record.Ask{Match: r.matchID(), Number: 1, Actor: 1, Faces: []uint32{6, 6}, Head: tr.Head}
	refuse("a roll before everybody is ready", "open", ask(note(2, own, early.Marshal())))
	refuse("a link before everybody is ready", "no-roll", link(1, chain.Link(1), note(2, own, early.Marshal())))
	r.must(readyWith(func(*record.Ready) {}, own)(r.call(2)))
	refuse("a second ready", "running", readyWith(func(m *record.Ready) { m.Opening[0]++ }, own))
	r.settle()

	askWith := func(change func(*record.Ask), private ed25519.PrivateKey) func(match.Call) ([]byte, error) {
		tr := r.phones[1].Transcript()
		a := &record.Ask{Match: r.matchID(), Number: tr.Rolls + 1, Actor: 2, Faces: []uint32{6, 6}, Head: tr.Head}
		change(a)
		return ask(note(2, private, a.Marshal()))
	}
	same := func(*record.Ask) {}
	refuse("a roll out of turn", "not-your-turn", askWith(same, own))
	refuse("a roll in the name of another seat", "not-your-turn", askWith(func(a *record.Ask) { a.Actor = 1 }, own))
	refuse("a link without a roll", "no-roll", link(1, chain.Link(1), note(2, own, early.Marshal())))
	refuse("a link of roll 0", "no-roll", link(0, chain.Link(1), note(2, own, early.Marshal())))

	r.ask(6, 6) // seat 1 rolls
	text := early.Marshal()
	part := note(2, own, text)
	refuse("a roll while another is going on", "roll-pending", askWith(same, own))
	refuse("a move while a roll is going on", "roll-pending", move(note(2, own, []byte("veridice/1 move\n"))))
	refuse("an end while a roll is going on", "roll-pending", func(c match.Call) ([]byte, error) { return r.service.End(ctx, c, 0) })
	foreign := r.matchID()
	foreign[0]++
	strange, err := scheme.NewChain(foreign, 2, scheme.Link{1, 2, 3}, 256)
	if err != nil {
		t.Fatal(err)
	}
	server, _, _ := r.secrets()
	for what, l := range map[string]scheme.Link{
		"of another match": strange.Link(1), "of the server": server.Link(1), "that skips one": chain.Link(2), "that is the anchor": chain.Anchor(), "that is nothing": {},
	} {
		refuse("a link "+what, "wrong-link", link(1, l, part))
	}
	refuse("a link of another roll", "roll-number", link(2, chain.Link(2), part))
	refuse("a link with a forged signature", "bad-signature", link(1, chain.Link(1), note(2, key("other"), text)))
	refuse("a link with a replayed signature", "other-roll", link(1, chain.Link(1), joined))
	other := *early
	other.Faces = []uint32{6}
	refuse("a link with a signature on another text", "other-roll", link(1, chain.Link(1), note(2, own, other.Marshal())))
	other = *early
	other.Head[0]++
	refuse("a link for another context", "other-roll", link(1, chain.Link(1), note(2, own, other.Marshal())))
	r.must(link(1, chain.Link(1), part)(r.call(2)))
	r.settle()
	if r.phones[1].Transcript().Rolls != 1 {
		t.Fatal("roll 1 has not fallen")
	}

	refuse("a roll under a forged signature", "bad-signature", askWith(same, key("other")))
	refuse("a roll of another match", "other-match", askWith(func(a *record.Ask) { a.Match[0]++ }, own))
	refuse("a roll that skips a number", "roll-number", askWith(func(a *record.Ask) { a.Number++ }, own))
	refuse("a roll that repeats a number", "roll-number", askWith(func(a *record.Ask) { a.Number-- }, own))
	refuse("a roll over another head", "other-head", askWith(func(a *record.Ask) { a.Head[0]++ }, own))
	refuse("a roll with other dice", "other-dice", askWith(func(a *record.Ask) { a.Faces = []uint32{6, 6, 6} }, own))
	refuse("a text that is no roll", "syntax", ask(note(2, own, []byte("veridice/1 roll\n\n"))))
	moveWith := func(change func(*record.Step), private ed25519.PrivateKey) func(match.Call) ([]byte, error) {
		s := &record.Step{Match: r.matchID(), Role: 2, Head: r.phones[1].Transcript().Head, Move: "turn 1"}
		change(s)
		return move(note(2, private, s.Marshal()))
	}
	refuse("a move signed by somebody else", "bad-signature", moveWith(func(*record.Step) {}, key("other")))
	refuse("a move in the name of another seat", "not-your-turn", moveWith(func(s *record.Step) { s.Role = 1 }, own))
	refuse("a move of another match", "other-match", moveWith(func(s *record.Step) { s.Match[0]++ }, own))
	refuse("a move over an earlier head", "other-head", moveWith(func(s *record.Step) { s.Head = tr.Head }, own))
	refuse("a move that is none of a table", "bad-move", moveWith(func(s *record.Step) { s.Move = "24/20 13/11" }, own))
	refuse("a turn for nobody", "bad-move", moveWith(func(s *record.Step) { s.Move = "turn 3" }, own))
	r.must(moveWith(func(s *record.Step) { s.Move = "game" }, own)(r.call(2)))
	r.settle()
	refuse("a game without a roll", "no-rolls", moveWith(func(s *record.Step) { s.Move = "game" }, own))
	refuse("a wish of the holder", "your-turn", func(c match.Call) ([]byte, error) { return r.service.Wish(ctx, c, 1) })
	refuse("a wish of a phone that is behind", "behind", func(c match.Call) ([]byte, error) { return r.service.Wish(ctx, c, 0) })
	refuse("an abort of a phone that is behind", "behind", func(c match.Call) ([]byte, error) { return r.service.Abort(ctx, c, 0, true) })
	refuse("a signature on a record that grows", "running", func(c match.Call) ([]byte, error) { return r.service.Sign(ctx, c, "") })
	refuse("a roll of another scheme", match.ErrOtherScheme.Error(), func(c match.Call) ([]byte, error) { return r.service.Roll(ctx, c, 1) })
	refuse("a game of another scheme", match.ErrOtherScheme.Error(), func(c match.Call) ([]byte, error) { return r.service.NewGame(ctx, c, 1) })

	r.must(r.service.End(ctx, r.call(2), 1))
	r.must(r.service.End(ctx, r.call(1), 1))
	refuse("a roll after the end", "finished", askWith(same, own))
	n, err := record.ParseNote(r.text())
	if err != nil {
		t.Fatal(err)
	}
	line := func(role int, private ed25519.PrivateKey, text []byte) func(match.Call) ([]byte, error) {
		signed := note(role, private, text)
		return func(c match.Call) ([]byte, error) { return r.service.Sign(ctx, c, signed[len(text)+1:]) }
	}
	refuse("a signature on another record", "bad-signature", line(2, own, append(slices.Clone(n.Text), '\n')))
	refuse("a forged signature on the record", "bad-signature", line(2, key("other"), n.Text))
	refuse("a signature of another seat", "bad-signature", line(1, own, n.Text))
	refuse("no signature", "bad-signature", func(c match.Call) ([]byte, error) { return r.service.Sign(ctx, c, "") })
	refuse("two signatures", "bad-signature", func(c match.Call) ([]byte, error) {
		one := note(2, own, n.Text)[len(n.Text)+1:]
		return r.service.Sign(ctx, c, one+one)
	})
	refuse("a signature on the record with more behind it", "bad-signature", func(c match.Call) ([]byte, error) {
		longer := slices.Concat(n.Text, []byte("\nmore\n"))
		return r.service.Sign(ctx, c, note(2, own, longer)[len(n.Text)+1:])
	})
	r.must(line(2, own, n.Text)(r.call(2)))
	if report := verify.Text(r.text(), verify.Options{}); report.Verdict != verify.Proven {
		t.Errorf("the record is %s %s", report.Verdict, report.Code)
	}
}

// TestReceiptIsLate: while the log has not answered, no seat is late.
func TestReceiptIsLate(t *testing.T) {
	for _, comes := range []bool{false, true} {
		r := enter(t, memory.New(), match.Table{Seats: 2, Kind: "2d6"})
		r.service.UseLog(func() {})
		for _, seat := range r.seats() {
			r.hear(seat)
			due, err := r.phones[seat].Due()
			if err != nil || len(due) != 1 {
				t.Fatal(due, err)
			}
			r.must(r.send(seat, due[0]))
		}
		r.hear(1)
		due, err := r.phones[1].Due()
		if err != nil || len(due) != 1 {
			t.Fatal(due, err)
		}
		_, err = r.send(1, due[0])
		want(t, "a ready before the receipt", err, match.ErrNotOffered)
		silent := -1
		r.late()
		if comes {
			log, err := r.store.Log(t.Context(), 0, 1)
			if err != nil || len(log) != 1 {
				t.Fatal(log, err)
			}
			if err := r.service.Receipt(t.Context(), log[0], 0, []byte("a receipt\n")); err != nil {
				t.Fatal(err)
			}
			r.must(r.send(1, due[0]))
			wantCode(t, "an abort right after the receipt", r.abort(1, false), "not-overdue")
			r.late()
			silent = 2
		}
		wantCode(t, "an abort", r.abort(1, false), "")
		for seat := range r.phones {
			r.hear(seat)
		}
		if got := r.closing().Silent; got != silent {
			t.Errorf("with a receipt: %v: role %d is named, want %d", comes, got, silent)
		}
	}
}

// TestFullMatchCanEnd: a match with too many changes still takes its end.
func TestFullMatchCanEnd(t *testing.T) {
	r := enter(t, memory.New(), match.Table{Seats: 2, Kind: "2d6"})
	r.settle()
	r.roll(6, 6)
	m, err := r.store.Match(t.Context(), r.id)
	if err != nil {
		t.Fatal(err)
	}
	events, err := r.store.Events(t.Context(), r.id, 0, 1000)
	if err != nil {
		t.Fatal(err)
	}
	log, err := r.store.Log(t.Context(), 0, 10)
	if err != nil {
		t.Fatal(err)
	}
	m.Version, m.Added, m.Logged = 4*record.MaxRolls, events, log
	key, err := r.store.Once(t.Context(), "server key", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.store = memory.New()
	if _, err := r.store.Once(t.Context(), "server key", key); err != nil {
		t.Fatal(err)
	}
	if err := r.store.Create(t.Context(), m); err != nil {
		t.Fatal(err)
	}
	r.service = match.New(r.store, vault(t), r.clock, r.entropy)
	_, err = r.service.Wish(t.Context(), r.call(1), 1)
	want(t, "one more wish", err, match.ErrFull)
	r.must(r.service.Abort(t.Context(), r.call(2), 1, true))
	if err := r.phones[2].Leave(); err != nil {
		t.Fatal(err)
	}
	for seat := range r.phones {
		r.hear(seat)
	}
	_, report := r.signed(1, 2)
	wantRoom(t, report, 1, 0, 1, 2)
	r.must(r.service.GoOn(t.Context(), r.call(1)))
}
