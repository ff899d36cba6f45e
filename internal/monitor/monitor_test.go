package monitor

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/tlog"

	"veridice/checkpoint"
	"veridice/record"
	"veridice/seed"
)

// A made log signs whatever entries it is given.
type made struct {
	t       *testing.T
	signer  checkpoint.Signer
	entries [][]byte
	size    int // that it shows
}

func newLog(t *testing.T) *made {
	s, err := checkpoint.NewSigner("log.example", checkpoint.Plain, [32]byte{1})
	if err != nil {
		t.Fatal(err)
	}
	return &made{t: t, signer: s}
}

func (m *made) policy() *checkpoint.Policy {
	return &checkpoint.Policy{Logs: []checkpoint.Log{{Key: m.signer.Key()}}, Quorum: checkpoint.None}
}

func (m *made) add(entries ...[]byte) {
	m.entries = append(m.entries, entries...)
	m.size = len(m.entries)
}

func (m *made) fetch(_ context.Context, path string) ([]byte, error) {
	if path == "checkpoint" {
		var hashes []tlog.Hash
		read := tlog.HashReaderFunc(func(n []int64) (out []tlog.Hash, _ error) {
			for _, i := range n {
				out = append(out, hashes[i])
			}
			return out, nil
		})
		for i, e := range m.entries[:m.size] {
			added, err := tlog.StoredHashes(int64(i), e, read)
			if err != nil {
				return nil, err
			}
			hashes = append(hashes, added...)
		}
		root, err := tlog.TreeHash(int64(m.size), read)
		if err != nil {
			return nil, err
		}
		c := checkpoint.Checkpoint{Origin: "log.example", Size: int64(m.size), Root: root}
		return c.Note(m.signer.Sign(c, 0)), nil
	}
	rest, ok := strings.CutPrefix(path, "tile/entries/")
	if !ok {
		return nil, fs.ErrNotExist
	}
	t, err := tlog.ParseTilePath("tile/8/data/" + rest)
	if err != nil || int(t.N)*256+t.W > len(m.entries) {
		return nil, fs.ErrNotExist
	}
	var out []byte
	for _, e := range m.entries[t.N*256 : int(t.N)*256+t.W] {
		out = append(append(out, byte(len(e)>>8), byte(len(e))), e...)
	}
	return out, nil
}

const (
	before = 1_700_000_000
	after  = 1_800_000_000
)

func opening(match byte, seq uint64) *record.Chain {
	c := &record.Chain{ID: [16]byte{match}, Seq: seq, Links: 256, Expires: before}
	for i := range byte(3) {
		c.Roles = append(c.Roles, record.Role{Anchor: [32]byte{match, i, 1}, Key: [32]byte{match, i, 2}})
	}
	return c
}

func closing(c *record.Chain, index uint64) *record.Closing {
	return &record.Closing{Match: c.ID, Index: index, Opening: c.OpeningHash(), State: record.Finished, Silent: -1, Rolls: 3, Record: [32]byte{c.ID[0]}}
}

// TestFindings: each kind of finding, in a log that has nothing else.
func TestFindings(t *testing.T) {
	a, b := opening(1, 1), opening(2, 2)
	later := opening(1, 2)
	far := opening(3, 1)
	far.Expires = after + 1
	seal := &record.Sealing{Match: "m-1", Seq: 1, Scheme: "tavli/1", Expires: before}
	unseal := &record.Unsealing{Match: "m-1", Index: 0, Sealed: seed.LeafHash(seal.Marshal()), State: record.Finished, Rolls: 1}
	other := *closing(a, 0)
	other.Opening[0] ^= 1
	elsewhere := *closing(a, 1)
	aborted := *closing(b, 1)
	aborted.State, aborted.Silent = record.Aborted, 2
	pending := aborted
	pending.Pending = &record.PendingContext{Number: 4}
	for _, c := range []struct {
		name    string
		entries [][]byte
		want    string
	}{
		{"nothing", [][]byte{a.Opening(), closing(a, 0).Marshal()}, ""},
		{"a classic match", [][]byte{seal.Marshal(), unseal.Marshal()}, ""},
		{"a number missing", [][]byte{a.Opening(), closing(a, 0).Marshal(), opening(3, 4).Opening(), closing(opening(3, 4), 2).Marshal()}, "gap 2, gap 3"},
		{"one match twice", [][]byte{a.Opening(), later.Opening(), closing(a, 0).Marshal()}, "opened-twice 2 at 1"},
		{"one number twice", [][]byte{a.Opening(), opening(9, 1).Opening(), closing(a, 0).Marshal(), closing(opening(9, 1), 1).Marshal()}, "opened-twice 1 at 1"},
		{"seal and opening under one number", [][]byte{seal.Marshal(), a.Opening(), unseal.Marshal(), closing(a, 1).Marshal()}, "opened-twice 1 at 1"},
		{"dropped", [][]byte{a.Opening(), b.Opening(), closing(b, 1).Marshal()}, "overdue 1 at 0"},
		{"closed twice", [][]byte{a.Opening(), closing(a, 0).Marshal(), closing(a, 0).Marshal()}, "closed-twice 1 at 2"},
		{"closed unopened", [][]byte{a.Opening(), closing(a, 0).Marshal(), closing(b, 1).Marshal()}, "closed-unopened 0 at 2"},
		{"closing of another opening", [][]byte{a.Opening(), other.Marshal(), closing(a, 0).Marshal()}, "close-differs 1 at 1"},
		{"closing at another index", [][]byte{a.Opening(), elsewhere.Marshal(), closing(a, 0).Marshal()}, "close-differs 1 at 1"},
		{"no entry at all", [][]byte{a.Opening(), closing(a, 0).Marshal(), []byte("hello\n"), append(b.Opening(), '\n'), make([]byte, 65_535)}, "unreadable 0 at 2, unreadable 0 at 3, unreadable 0 at 4"},
		{"aborted", [][]byte{a.Opening(), b.Opening(), closing(a, 0).Marshal(), pending.Marshal()}, ""},
	} {
		m := newLog(t)
		m.add(c.entries...)
		l := New(m.fetch, m.policy())
		if err := l.Update(t.Context()); err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		r := l.Report(time.Unix(after, 0))
		if got := words(r); got != c.want {
			t.Errorf("%s: got %s, want %s", c.name, got, c.want)
		}
		if c.name == "aborted" && !slices.Equal(r.Aborts, []Aborts{{2, 1, 1}}) {
			t.Errorf("aborts: %+v", r.Aborts)
		}
		if c.name == "dropped" && (len(r.Open) != 1 || r.Open[0].Match != seed.Hex(a.ID[:])) {
			t.Errorf("open: %+v", r.Open)
		}
		if _, err := json.Marshal(r); err != nil {
			t.Error(err)
		}
	}
}

func words(r Report) string {
	var all []string
	for _, f := range r.Findings {
		text := fmt.Sprintf("%s %d", f.Kind, f.Seq)
		if f.Index != nil {
			text += fmt.Sprintf(" at %d", *f.Index)
		}
		all = append(all, text)
	}
	return strings.Join(all, ", ")
}

// TestFarExpiry: what expires later than its first cosigned checkpoint allows is listed,
// and counts as overdue from that day.
func TestFarExpiry(t *testing.T) {
	m := newLog(t)
	w, err := checkpoint.NewSigner("w.example", checkpoint.Cosigning, [32]byte{2})
	if err != nil {
		t.Fatal(err)
	}
	p := m.policy()
	p.Witnesses, p.Quorum = []checkpoint.Witness{{Name: "w", Key: w.Key()}}, "w"
	cosigned := func(ctx context.Context, path string) ([]byte, error) {
		b, err := m.fetch(ctx, path)
		if path == "checkpoint" && err == nil {
			c, own, _ := checkpoint.Open(b)
			b = c.Note(append(own, w.Sign(c, before))...)
		}
		return b, err
	}
	near, far := opening(1, 1), opening(2, 2)
	near.Expires, far.Expires = before+90*86400, before+90*86400+1
	m.add(near.Opening(), far.Opening())
	l := New(cosigned, p)
	if err := l.Update(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := words(l.Report(time.Unix(before+1, 0))); got != "overdue 2 at 1, far-expiry 2 at 1" {
		t.Error(got)
	}
}

// TestGrowth: a log is followed over bundles, and its size and entries are those shown.
func TestGrowth(t *testing.T) {
	m := newLog(t)
	l := New(m.fetch, m.policy())
	for seq := uint64(1); seq <= 600; seq++ {
		c := opening(1, seq)
		c.ID[1], c.ID[2] = byte(seq), byte(seq>>8)
		m.add(c.Opening())
		if seq == 1 || seq == 255 || seq == 256 || seq == 257 || seq == 600 {
			if err := l.Update(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
	}
	if r := l.Report(time.Unix(before, 0)); r.Size != 600 || len(r.Open) != 600 || len(r.Findings) != 0 {
		t.Errorf("%d entries, %d open, %v", r.Size, len(r.Open), words(r))
	}
}

// TestLongLog: of a log that does not fit into memory all is noted, in whatever pieces it
// comes, and what was noted before a fault is not read again.
func TestLongLog(t *testing.T) {
	defer func(before int64) { maxKept = before }(maxKept)
	maxKept = 2 * bundleSize
	m := newLog(t)
	for seq := uint64(1); seq <= 1000; seq++ {
		c := opening(1, seq)
		c.ID[1], c.ID[2] = byte(seq), byte(seq>>8)
		m.add(c.Opening())
	}
	read := map[string]int{} // how often
	l := New(func(ctx context.Context, path string) ([]byte, error) {
		b, err := m.fetch(ctx, path)
		switch read[path]++; {
		case path == "tile/entries/000" && read[path] == 2:
			b = append([]byte{}, b...)
			b[40] ^= 1 // it was another one the first time
		case path == "tile/entries/001" && read[path] == 3:
			err = fs.ErrClosed
		}
		return b, err
	}, m.policy())
	for _, want := range []int{0, 256, 1000} {
		err := l.Update(t.Context())
		if (err == nil) != (want == 1000) || len(l.begun) != want || int(l.size) != want {
			t.Fatalf("%d entries are noted, want %d: %v", len(l.begun), want, err)
		}
	}
	if read["tile/entries/000"] != 4 { // the first time it was read twice, and the second time
		t.Errorf("read %v", read)
	}
	if r := l.Report(time.Unix(before, 0)); r.Size != 1000 || len(r.Open) != 1000 || len(r.Findings) != 0 {
		t.Errorf("%d entries, %d open, %v", r.Size, len(r.Open), words(r))
	}
	for _, o := range l.Report(time.Unix(before, 0)).Open {
		if o.Seq != o.Index+1 {
			t.Fatalf("opening %d stands in entry %d", o.Seq, o.Index)
		}
	}
}

// TestForks: a log that takes something back is caught, by who followed it and by who
// kept its last checkpoint, and both checkpoints are in the finding.
func TestForks(t *testing.T) {
	for name, change := range map[string]func(*made){
		"shorter":           func(m *made) { m.size = 2 },
		"an entry changed":  func(m *made) { m.entries[1] = opening(7, 2).Opening() },
		"changed and grown": func(m *made) { m.entries[1] = opening(7, 2).Opening(); m.add(opening(8, 4).Opening()) },
	} {
		for _, restarted := range []bool{false, true} {
			m := newLog(t)
			m.add(opening(1, 1).Opening(), opening(2, 2).Opening(), opening(3, 3).Opening())
			l := New(m.fetch, m.policy())
			if err := l.Update(t.Context()); err != nil {
				t.Fatal(err)
			}
			seen := l.Last()
			if restarted {
				l = New(m.fetch, m.policy())
				if err := l.Resume(seen); err != nil {
					t.Fatal(err)
				}
			}
			change(m)
			if err := l.Update(t.Context()); err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			r := l.Report(time.Unix(0, 0))
			now, _ := m.fetch(t.Context(), "checkpoint")
			if len(r.Findings) != 1 || r.Findings[0].Kind != Fork || !slices.Equal(r.Findings[0].Notes, []string{string(seen), string(now)}) {
				t.Errorf("%s, restarted %v: %+v", name, restarted, r.Findings)
			}
			if string(l.Last()) != string(seen) {
				t.Errorf("%s: the checkpoint that was good is forgotten", name)
			}
		}
	}
}

// TestRefused: entries that do not hash into the signed root, and a checkpoint of
// another key, are errors and no findings.
func TestRefused(t *testing.T) {
	m := newLog(t)
	m.add(opening(1, 1).Opening())
	spoilt := func(ctx context.Context, path string) ([]byte, error) {
		b, err := m.fetch(ctx, path)
		if path != "checkpoint" && err == nil {
			b = append([]byte{}, b...)
			b[40] ^= 1
		}
		return b, err
	}
	var differs *rootError
	if err := New(spoilt, m.policy()).Update(t.Context()); !errors.As(err, &differs) {
		t.Errorf("entries spoilt: %v", err)
	}
	stranger, err := checkpoint.NewSigner("log.example", checkpoint.Plain, [32]byte{9})
	if err != nil {
		t.Fatal(err)
	}
	p := &checkpoint.Policy{Logs: []checkpoint.Log{{Key: stranger.Key()}}, Quorum: checkpoint.None}
	if err := New(m.fetch, p).Update(t.Context()); err == nil {
		t.Error("another key: read")
	}
}

// TestNoLog: an address without a checkpoint is told with what it may mean.
func TestNoLog(t *testing.T) {
	empty := httptest.NewServer(http.NotFoundHandler())
	defer empty.Close()
	_, err := Source(empty.URL+"/log/")(t.Context(), "checkpoint")
	if err == nil || !strings.Contains(err.Error(), empty.URL+"/log/checkpoint") || !strings.Contains(err.Error(), "no entry yet") {
		t.Errorf("got %v", err)
	}
}

// TestRecords: a published record is held to the closing of its match.
func TestRecords(t *testing.T) {
	m := newLog(t)
	seal := &record.Sealing{Match: "m-1", Seq: 1, Scheme: "tavli/1", Expires: before}
	r := &record.Record{Scheme: "tavli/1", Match: "m-1", Clients: []seed.Client{"a"}, State: record.Running}
	r.Complete()
	unseal := &record.Unsealing{Match: "m-1", Sealed: seed.LeafHash(seal.Marshal()), State: record.Finished, Record: r.Sum}
	m.add(seal.Marshal(), unseal.Marshal())
	l := New(m.fetch, m.policy())
	if err := l.Update(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, client := range []seed.Client{"a", "b"} {
		r.Clients = []seed.Client{client}
		r.Complete()
		text, err := r.MarshalText()
		if err != nil {
			t.Fatal(err)
		}
		if err := l.Record(text); err != nil {
			t.Fatal(err)
		}
	}
	if got := words(l.Report(time.Unix(before, 0))); got != "record-differs 1 at 1" {
		t.Error(got)
	}
}
