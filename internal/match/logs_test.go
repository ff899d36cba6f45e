package match_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"reflect"
	"slices"
	"strings"
	"testing"

	"golang.org/x/mod/sumdb/tlog"

	"veridice/checkpoint"
	"veridice/internal/match"
	"veridice/internal/monitor"
	"veridice/internal/pair"
	"veridice/internal/publog"
	"veridice/internal/recheck"
	"veridice/internal/store/memory"
	"veridice/protocol"
	"veridice/record"
	"veridice/seed"
	"veridice/verify"
)

// seen are the checkpoints that a phone keeps.
type seen map[string][]byte

func (s seen) Largest(origin string) (largest []byte, err error) {
	last := ""
	for key, note := range s {
		if strings.HasPrefix(key, origin+"+") && key > last {
			last, largest = key, note
		}
	}
	return largest, nil
}

func (s seen) Once(origin string, size int64, note []byte) ([]byte, error) {
	key := fmt.Sprintf("%s+%016d", origin, size)
	if s[key] == nil {
		s[key] = slices.Clone(note)
	}
	return s[key], nil
}

// A logs is the logs of a store, of which servers come and go.
type logs struct {
	t       *testing.T
	store   match.Store
	signers map[string]checkpoint.Signer
	policy  *checkpoint.Policy
	open    map[string]*publog.Log
}

func newLogs(t *testing.T, store match.Store, names ...string) *logs {
	t.Helper()
	l := &logs{t: t, store: store, signers: map[string]checkpoint.Signer{}, open: map[string]*publog.Log{}}
	l.policy = &checkpoint.Policy{Quorum: checkpoint.None}
	for i, name := range names {
		s, err := checkpoint.NewSigner(name, checkpoint.Plain, [32]byte{byte(i)})
		if err != nil {
			t.Fatal(err)
		}
		l.signers[name] = s
		l.policy.Logs = append(l.policy.Logs, checkpoint.Log{Key: s.Key()})
	}
	return l
}

// serve opens the log in use, for a service that it gives receipts.
func (l *logs) serve(s *match.Service, first string) *publog.Log {
	l.t.Helper()
	all, err := match.Logs(l.t.Context(), l.store)
	if err != nil {
		l.t.Fatal(err)
	}
	if all == nil {
		all = []match.LogStart{{Name: first}}
	}
	start := all[len(all)-1]
	s.UseLog(func() {}, all...)
	public, err := publog.New(l.t.Context(), publog.Options{
		Keeper: l.store, Signer: l.signers[start.Name], Policy: l.policy, Receipt: s.Receipt, Start: start, Logger: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		l.t.Fatal(err)
	}
	l.open[start.Name] = public
	return public
}

func (l *logs) growth(origin string, earlier, later int64) ([]tlog.Hash, error) {
	if l.open[origin] == nil {
		return nil, errors.New("no such log")
	}
	return l.open[origin].Growth(context.Background(), earlier, later)
}

// pin gives the phones of a room a policy under which they ask for receipts.
func (r *room) pin(l *logs) *room {
	r.t.Helper()
	for seat := range r.phones {
		r.logs = append(r.logs, &protocol.PublicLog{Policy: l.policy, Seen: seen{}, Growth: l.growth})
		r.reload(seat)
	}
	return r
}

func noPairs(t *testing.T, store *memory.Store) *pair.Service {
	return pair.New(store, vault(t), noon, example(t))
}

func publish(t *testing.T, l *publog.Log) {
	t.Helper()
	if err := l.Publish(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func proofOf(t *testing.T, s *match.Service, id string, policy *checkpoint.Policy) (names []string, report *verify.Report) {
	t.Helper()
	text, err := s.Proof(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	proof, err := record.ParseProof(text)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range proof.Parts {
		names = append(names, p.Name)
	}
	return names, verify.Text(text, verify.Options{Policy: policy})
}

// TestLostLog: a log is given up for another one. Matches that began in it go on and end
// in the other, with the place of their opening or seal in the lost one; what the lost one
// never showed stands in the other; nobody goes on with the lost one.
func TestLostLog(t *testing.T) {
	store := memory.New()
	l := newLogs(t, store, "a.example/log", "b.example/log")
	begun := enter(t, store, match.Table{Seats: 2, Kind: "2d6"}).pin(l)
	first := l.serve(begun.service, "a.example/log")
	begun.settle()
	publish(t, first)
	begun.settle()
	begun.roll(6, 6)
	classic := open(t, store, 1)
	classic.Service.UseLog(func() {})
	classic.start()
	publish(t, first)
	classic.roll(1, 0)
	waiting := another(t, "waiting", store).pin(l)
	waiting.service.UseLog(func() {})
	waiting.settle() // to its opening, which is not shown yet

	if err := publog.GiveUp(t.Context(), store, l.signers["a.example/log"]); !errors.Is(err, match.ErrLogName) {
		t.Errorf("the same name: %v", err)
	}
	if err := publog.GiveUp(t.Context(), store, l.signers["b.example/log"]); err != nil {
		t.Fatal(err)
	}
	if err := first.Publish(t.Context()); !errors.Is(err, publog.ErrGivenUp) {
		t.Errorf("a server that goes on with the lost log: %v", err)
	}
	for _, r := range []*room{begun, waiting} {
		r.service = match.New(store, r.vault, r.clock, r.entropy)
	}
	second := l.serve(begun.service, "")
	all, err := match.Logs(t.Context(), store)
	if want := []match.LogStart{{Name: "a.example/log"}, {Name: "b.example/log", Entries: 2, Hashes: 3}}; err != nil || !slices.Equal(all, want) {
		t.Fatalf("the logs are %v, %v", all, err)
	}
	waiting.service.UseLog(func() {}, all...)
	classic.Service.UseLog(func() {}, all...)

	publish(t, second)
	waiting.settle()
	waiting.roll(6, 6)
	begun.roll(6, 6)
	must(t)(waiting.service.End(t.Context(), waiting.call(1), 1))
	must(t)(waiting.service.End(t.Context(), waiting.call(1), 1))
	begun.end()
	must(t)(classic.Service.End(t.Context(), classic.call(1), 1))
	must(t)(classic.Service.End(t.Context(), classic.call(1), 1))
	publish(t, second)
	publish(t, l.serve(begun.service, "")) // once more, after another start
	begun.settle()                         // the phones take the receipts of both logs
	waiting.settle()

	lost, err := store.Log(t.Context(), 0, 3)
	if err != nil {
		t.Fatal(err)
	}
	leaf := func(entry []byte) string { h := seed.LeafHash(entry); return seed.Hex(h[:]) }
	for index, want := range []string{
		string(lost[2]),
		"veridice/1 close\nmatch " + waiting.id + "\nopen 0 " + leaf(lost[2]) + "\n",
		"veridice/1 close\nmatch " + begun.id + "\nopen 0 " + leaf(lost[0]) + "\n",
		"veridice/1 unseal\nmatch " + classic.id + "\nsealed 1 " + leaf(lost[1]) + "\n",
	} {
		entry, _, err := second.Find(t.Context(), uint64(index))
		if err != nil || !strings.HasPrefix(string(entry), want) {
			t.Errorf("entry %d is\n%s%v\nwant\n%s", index, entry, err, want)
		}
	}

	for _, c := range []struct {
		what, id string
		parts    []string
		origin   string
		closed   bool
	}{
		{"a match over two logs", begun.id, []string{"record", "open-receipt"}, "a.example/log", false},
		{"a match of tavli/1 over two logs", classic.id, []string{"record", "seal", "seal-receipt"}, "a.example/log", false},
		{"a match of the other log", waiting.id, []string{"record", "open-receipt", "close", "close-receipt"}, "b.example/log", true},
	} {
		names, report := proofOf(t, begun.service, c.id, l.policy)
		if !slices.Equal(names, c.parts) || report.Verdict != verify.Proven || report.Began.Origin != c.origin || (report.Closed != nil) != c.closed {
			t.Errorf("%s: %v is %s %s, %+v, %v", c.what, names, report.Verdict, report.Code, report.Began, report.Closed)
		}
	}

	follow := monitor.New(second.Fetch, l.policy)
	if err := follow.Update(t.Context()); err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, f := range follow.Report(begun.clock.time).Findings {
		found = append(found, string(f.Kind)+" "+f.Match)
	}
	slices.Sort(found)
	want := []string{"closed-unopened " + begun.id, "closed-unopened " + classic.id, "gap ", "gap "}
	slices.Sort(want)
	if !reflect.DeepEqual(found, want) {
		t.Errorf("the monitor finds %v, want %v", found, want)
	}
	if sum, err := recheck.Store(t.Context(), store, begun.service, noPairs(t, store)); err != nil || sum.Entries != 6 || sum.Hashes != 7 {
		t.Errorf("the check says %+v, %v", sum, err)
	}
}

// TestEndBeforeItsOpeningIsShown: of a match whose opening and end were both not shown,
// both stand in the next log, and the end names the old place: the proof file leaves it
// out, since a reader would find another end than that of the opening he sees.
func TestEndBeforeItsOpeningIsShown(t *testing.T) {
	store := memory.New()
	l := newLogs(t, store, "a.example/log", "b.example/log")
	r := enter(t, store, match.Table{Seats: 1, Kind: "2d6"})
	if err := publog.GiveUp(t.Context(), store, l.signers["b.example/log"]); !errors.Is(err, match.ErrNotFound) {
		t.Errorf("giving up no log: %v", err)
	}
	first := l.serve(r.service, "a.example/log")
	other := open(t, store, 1)
	other.UseLog(func() {})
	other.start()
	publish(t, first)
	r.settleTo(match.Anchored)
	r.clock.time = r.clock.time.Add(1 << 40)
	r.must(r.service.Abort(t.Context(), r.call(1), 0, false))
	// The old log signs both and shows them to nobody: its witness does not answer.
	w, err := checkpoint.NewSigner("w.example", checkpoint.Cosigning, [32]byte{7})
	if err != nil {
		t.Fatal(err)
	}
	l.policy.Witnesses, l.policy.Quorum = []checkpoint.Witness{{Name: "w", Key: w.Key(), URL: "http://localhost:1"}}, "w"
	if err := l.serve(r.service, "").Publish(t.Context()); err == nil {
		t.Error("a head without its witness is shown")
	}
	l.policy.Witnesses, l.policy.Quorum = nil, checkpoint.None
	if err := publog.GiveUp(t.Context(), store, l.signers["b.example/log"]); err != nil {
		t.Fatal(err)
	}
	publish(t, l.serve(r.service, ""))
	entries, err := store.Log(t.Context(), 1, 3)
	if err != nil || len(entries) != 2 || !strings.Contains(string(entries[1]), "\nopen 1 ") {
		t.Fatalf("the log has %q, %v", entries, err)
	}
	if sum, err := recheck.Store(t.Context(), store, r.service, noPairs(t, store)); err != nil || sum.Entries != 3 || sum.Hashes != 3 {
		t.Errorf("the check says %+v, %v", sum, err)
	}
	names, report := proofOf(t, r.service, r.id, l.policy)
	if !slices.Equal(names, []string{"record", "open-receipt"}) || report.Verdict == verify.Broken {
		t.Errorf("%v is %s %s", names, report.Verdict, report.Code)
	}
}

// TestGiveUpTwice: the hashes of several lost logs of every size stay apart, and a server
// that grows the log meanwhile is noticed.
func TestGiveUpTwice(t *testing.T) {
	store := memory.New()
	names := []string{"log0"}
	for i := range 9 {
		names = append(names, fmt.Sprint("log", i+1))
	}
	l := newLogs(t, store, names...)
	var service *match.Service
	entries := 0
	for i, name := range names {
		for n := range i + 1 {
			r := another(t, fmt.Sprint(i, n), store)
			r.settleTo(match.Anchored)
			service = r.service
		}
		public := l.serve(service, name)
		publish(t, public)
		for index := range i + 1 {
			entry, receipt, err := public.Find(t.Context(), uint64(index))
			if err != nil {
				t.Fatal(err)
			}
			logged, err := l.policy.Receipt(entry, receipt)
			if err != nil || logged.Origin != name || logged.Index != uint64(index) || logged.Size != uint64(i+1) {
				t.Errorf("%s, entry %d: %+v, %v", name, index, logged, err)
			}
		}
		entries += i + 1
		if i+1 < len(names) {
			if err := publog.GiveUp(t.Context(), store, l.signers[names[i+1]]); err != nil {
				t.Fatal(err)
			}
		}
	}
	if sum, err := recheck.Store(t.Context(), store, service, noPairs(t, store)); err != nil || sum.Entries != uint64(entries) {
		t.Errorf("the check says %+v, %v", sum, err)
	}
	for _, old := range []string{"log3", "log9"} {
		if err := publog.GiveUp(t.Context(), store, l.signers[old]); !errors.Is(err, match.ErrLogName) {
			t.Errorf("the name %s again: %v", old, err)
		}
	}
	racing := &racing{Store: store}
	extra, err := checkpoint.NewSigner("extra", checkpoint.Plain, [32]byte{99})
	if err != nil {
		t.Fatal(err)
	}
	if err := publog.GiveUp(t.Context(), racing, extra); !errors.Is(err, match.ErrConflict) {
		t.Errorf("beside a server that runs: %v", err)
	}
	if err := publog.GiveUp(t.Context(), store, extra); err != nil {
		t.Errorf("the same name after an attempt that changed nothing: %v", err)
	}
}

// A named test opens another table in the same store.
type named struct {
	*testing.T
	name string
}

func (n named) Name() string { return n.T.Name() + " " + n.name }

func another(t *testing.T, name string, store match.Store) *room {
	t.Helper()
	return enterAs(named{t, name}, vault(t), store, match.Table{Seats: 1, Kind: "2d6"})
}

// racing is a store whose log another server grows at the last moment.
type racing struct{ match.Store }

func (r *racing) Grow(ctx context.Context, next match.Tree, hashes [][32]byte) error {
	return match.ErrConflict
}

// settleTo lets seat 1 send what it owes until there is an event of a type.
func (r *room) settleTo(what match.EventType) {
	r.t.Helper()
	for range 10 {
		events, err := r.service.Events(r.t.Context(), r.id, 0, 1000)
		if err != nil {
			r.t.Fatal(err)
		}
		if slices.ContainsFunc(events, func(e match.Event) bool { return e.Type == what }) {
			return
		}
		r.hear(1)
		due, err := r.phones[1].Due()
		if err != nil {
			r.t.Fatal(err)
		}
		for _, m := range due {
			r.must(r.send(1, m))
		}
	}
	r.t.Fatalf("no event %s", what)
}

func must(t *testing.T) func([]byte, error) {
	return func(body []byte, err error) {
		t.Helper()
		if err != nil || !json.Valid(body) {
			t.Fatal(err)
		}
	}
}
