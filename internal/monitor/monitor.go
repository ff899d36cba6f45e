// Package monitor follows public logs of openings and closings and lists what they show
// (docs/spec/log.md, "The monitor"): numbers that are missing, matches that were
// opened and never closed, closings that do not fit, and forks. What it finds are facts
// about a log, not verdicts about people.
package monitor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"golang.org/x/mod/sumdb/tlog"

	"veridice/checkpoint"
	"veridice/record"
	"veridice/seed"
)

// farExpiry is how much later than its first checkpoint an opening may expire.
const farExpiry = 90 * 24 * time.Hour

// bundleSize is that of c2sp.org/tlog-tiles.
const bundleSize = 256

// maxKept is the most entries that are kept until their root is known. More are read a second
// time: a log of years would not fit into memory.
var maxKept int64 = 64 * bundleSize

// A Fetch reads what stands under a path of a log, such as checkpoint or
// tile/entries/000. What is not there gives an error.
type Fetch func(ctx context.Context, path string) ([]byte, error)

// A Kind names a finding.
type Kind string

// Kinds of findings; docs/spec/log.md says what each means.
const (
	Gap            Kind = "gap"
	OpenedTwice    Kind = "opened-twice"
	Overdue        Kind = "overdue"
	ClosedTwice    Kind = "closed-twice"
	ClosedUnopened Kind = "closed-unopened"
	CloseDiffers   Kind = "close-differs"
	RecordDiffers  Kind = "record-differs"
	FarExpiry      Kind = "far-expiry"
	Unreadable     Kind = "unreadable"
	Fork           Kind = "fork"
)

// A Finding is one fact.
type Finding struct {
	Kind  Kind     `json:"kind"`
	Match string   `json:"match,omitempty"`
	Seq   uint64   `json:"seq,omitempty"`   // number of the opening
	Index *uint64  `json:"index,omitempty"` // of the entry in the log
	Since int64    `json:"since,omitempty"` // of overdue and far-expiry: seconds since 1970
	Notes []string `json:"notes,omitempty"` // of a fork: the two checkpoints
	Words string   `json:"words,omitempty"` // what exactly
}

// Aborts counts the matches of a server that were given up, by the role that did not go
// on (-1: nobody in particular).
type Aborts struct {
	Role    int `json:"role"`
	Matches int `json:"matches"`
	Pending int `json:"pending"` // of these, with a roll that somebody may have known
}

// A Report is what a log shows at a moment.
type Report struct {
	Origin   string    `json:"origin"`
	Size     uint64    `json:"size"`
	Before   int64     `json:"before,omitempty"` // the checkpoint was there by then, say its witnesses
	Checked  bool      `json:"checked"`          // its signatures, under a policy
	Findings []Finding `json:"findings"`
	Open     []Unended `json:"open"`   // not closed yet, the oldest first
	Aborts   []Aborts  `json:"aborts"` // by server key, in the order of the roles
}

// An Unended is a match that is opened or sealed and not closed.
type Unended struct {
	Match   string `json:"match"`
	Seq     uint64 `json:"seq"`
	Index   uint64 `json:"index"`
	Expires int64  `json:"expires"`
}

// A Log is followed from its beginning. New makes one.
type Log struct {
	fetch  Fetch
	policy *checkpoint.Policy // nil: signatures are not checked

	head   checkpoint.Checkpoint
	note   []byte // the checkpoint as it was signed
	before int64
	size   int64       // entries that were read
	hashes []tlog.Hash // of them, as tlog stores them
	forks  []Finding

	begun    map[string]*begun // by match
	bySeq    map[uint64]string // who has a number
	seqs     []uint64
	aborts   map[int]*Aborts
	findings []Finding
}

type begun struct {
	index, seq uint64
	expires    int64
	leaf       [32]byte
	opening    bool // else a seal
	links      int
	roles      int

	ended bool
	end   uint64   // index of the closing
	sum   [32]byte // of the record, in the closing
}

// New makes a follower of a log that has read nothing yet.
func New(fetch Fetch, policy *checkpoint.Policy) *Log {
	return &Log{fetch: fetch, policy: policy, begun: map[string]*begun{}, bySeq: map[uint64]string{}, aborts: map[int]*Aborts{}}
}

// Resume takes the checkpoint that was seen last by an earlier run: a log that does not
// grow from it has forked. It comes before the first [Log.Update].
func (l *Log) Resume(note []byte) error {
	head, _, err := l.open(note)
	if err == nil {
		l.head, l.note = head, note
	}
	return err
}

func (l *Log) fork(a, b []byte) {
	l.forks = append(l.forks, Finding{Kind: Fork, Notes: []string{string(a), string(b)}, Words: "the later checkpoint is not the earlier one, grown"})
}

// open reads a checkpoint, and checks its signatures if there is a policy.
func (l *Log) open(note []byte) (checkpoint.Checkpoint, int64, error) {
	if l.policy == nil {
		c, _, err := checkpoint.Open(note)
		return c, 0, err
	}
	c, err := l.policy.Open(note)
	return c.Checkpoint, c.Latest(), err
}

// Last is the checkpoint that was seen last, to be given to [Log.Resume] later.
func (l *Log) Last() []byte { return l.note }

// A rootError says that entries are not those of a signed root.
type rootError struct{ size int64 }

func (e *rootError) Error() string {
	return "monitor: the entries do not hash into the root of the checkpoint of " + strconv.FormatInt(e.size, 10)
}

// Update reads what is new.
func (l *Log) Update(ctx context.Context) error {
	note, err := l.fetch(ctx, "checkpoint")
	if err != nil {
		return err
	}
	head, before, err := l.open(note)
	if err != nil {
		return err
	}
	switch {
	case l.note != nil && head.Origin != l.head.Origin:
		return errors.New("monitor: the log has another name than before: " + head.Origin)
	case l.note != nil && (head.Size < l.head.Size || head.Size == l.head.Size && head.Root != l.head.Root):
		l.fork(l.note, note)
		return nil
	}
	l.before = before
	if err := l.read(ctx, head); err != nil {
		var differs *rootError
		if errors.As(err, &differs) && l.note != nil {
			l.fork(l.note, note)
			return nil
		}
		return err
	}
	if l.note != nil && l.head.Size > 0 {
		root, err := tlog.TreeHash(l.head.Size, reader(l.hashes))
		if err != nil {
			return err
		}
		if root != l.head.Root {
			l.fork(l.note, note)
			return nil
		}
	}
	l.head, l.note = head, note
	return nil
}

// reader gives stored hashes to package tlog.
func reader(hashes []tlog.Hash) tlog.HashReader {
	return tlog.HashReaderFunc(func(numbers []int64) ([]tlog.Hash, error) {
		out := make([]tlog.Hash, len(numbers))
		for i, n := range numbers {
			if n >= int64(len(hashes)) {
				return nil, errors.New("monitor: a hash that is not there")
			}
			out[i] = hashes[n]
		}
		return out, nil
	})
}

// read takes the entries up to a checkpoint. Only if they hash into its root anything
// is kept of them.
func (l *Log) read(ctx context.Context, head checkpoint.Checkpoint) error {
	size := l.size
	hashes := l.hashes   // what is added behind them counts once it is kept
	var entries [][]byte // the last ones
	for at := size; at < head.Size; {
		bundle, err := l.bundle(ctx, at, head.Size)
		if err != nil {
			return err
		}
		if head.Size-at <= maxKept {
			entries = append(entries, bundle...)
		}
		for _, e := range bundle {
			added, err := tlog.StoredHashes(at, e, reader(hashes))
			if err != nil {
				return err
			}
			hashes = append(hashes, added...)
			at++
		}
	}
	if head.Size > 0 {
		root, err := tlog.TreeHash(head.Size, reader(hashes))
		if err != nil {
			return err
		}
		if root != head.Root {
			return &rootError{head.Size}
		}
	}
	for l.size < head.Size-int64(len(entries)) {
		bundle, err := l.bundle(ctx, l.size, head.Size)
		if err != nil {
			return err
		}
		for _, e := range bundle {
			if hashes[tlog.StoredHashIndex(0, l.size)] != tlog.RecordHash(e) {
				return fmt.Errorf("monitor: entry %d changes from one reading to the next", l.size)
			}
			l.take(e, hashes)
		}
	}
	for _, e := range entries {
		l.take(e, hashes)
	}
	return nil
}

// take notes the next entry, with its hashes among those of later ones.
func (l *Log) take(e []byte, hashes []tlog.Hash) {
	l.entry(uint64(l.size), e)
	l.size++
	l.hashes = hashes[:tlog.StoredHashCount(l.size)]
}

// bundle reads the entries from one on, to the end of their bundle or of the log.
func (l *Log) bundle(ctx context.Context, at, size int64) ([][]byte, error) {
	number := at / bundleSize
	width := min(size-number*bundleSize, bundleSize)
	path := tlog.Tile{H: 8, L: -1, N: number, W: int(width)}.Path()
	content, err := l.fetch(ctx, "tile/entries"+path[len("tile/8/data"):])
	if err != nil {
		return nil, err
	}
	var entries [][]byte
	for len(content) > 0 {
		if len(content) < 2 || len(content) < 2+int(content[0])<<8+int(content[1]) {
			return nil, fmt.Errorf("monitor: bundle %d is cut", number)
		}
		n := 2 + int(content[0])<<8 + int(content[1])
		entries = append(entries, content[2:n])
		content = content[n:]
	}
	if int64(len(entries)) != width {
		return nil, fmt.Errorf("monitor: bundle %d has %d entries, not %d", number, len(entries), width)
	}
	return entries[at-number*bundleSize:], nil
}

// entry notes what an entry says.
func (l *Log) entry(index uint64, text []byte) {
	find := func(kind Kind, match string, seq uint64, words string) {
		l.findings = append(l.findings, Finding{Kind: kind, Match: match, Seq: seq, Index: &index, Words: words})
	}
	e, err := record.ParseEntry(text)
	switch {
	case err != nil:
		find(Unreadable, "", 0, err.Error())
	case e.Open != nil:
		c := e.Open
		l.begin(find, seed.Hex(c.ID[:]), &begun{index: index, seq: c.Seq, expires: int64(c.Expires), leaf: seed.LeafHash(text), opening: true, links: int(c.Links), roles: len(c.Roles)})
	case e.Seal != nil:
		l.begin(find, e.Seal.Match, &begun{index: index, seq: e.Seal.Seq, expires: int64(e.Seal.Expires), leaf: seed.LeafHash(text)})
	case e.Close != nil:
		c := e.Close
		fits := func(b *begun) bool {
			return b.opening && b.index == c.Index && b.leaf == c.Opening && c.Rolls <= uint64(b.links) && c.Silent < b.roles
		}
		if l.end(find, seed.Hex(c.Match[:]), index, c.Record, fits) && c.State == record.Aborted {
			a := l.aborts[c.Silent]
			if a == nil {
				a = &Aborts{Role: c.Silent}
				l.aborts[c.Silent] = a
			}
			a.Matches++
			if c.Pending != nil {
				a.Pending++
			}
		}
	case e.Unseal != nil:
		u := e.Unseal
		fits := func(b *begun) bool { return !b.opening && b.index == u.Index && b.leaf == u.Sealed }
		l.end(find, u.Match, index, u.Record, fits)
	}
}

func (l *Log) begin(find func(Kind, string, uint64, string), match string, b *begun) {
	if earlier, ok := l.begun[match]; ok {
		find(OpenedTwice, match, b.seq, "the match was opened in entry "+strconv.FormatUint(earlier.index, 10))
		return
	}
	if other, ok := l.bySeq[b.seq]; ok {
		find(OpenedTwice, match, b.seq, "the number is that of match "+other)
	} else {
		l.bySeq[b.seq] = match
	}
	l.begun[match] = b
	l.seqs = append(l.seqs, b.seq)
	if l.before > 0 && b.expires > l.before+int64(farExpiry/time.Second) {
		find(FarExpiry, match, b.seq, "")
	}
}

func (l *Log) end(find func(Kind, string, uint64, string), match string, index uint64, sum [32]byte, fits func(*begun) bool) bool {
	b := l.begun[match]
	switch {
	case b == nil:
		find(ClosedUnopened, match, 0, "")
		return false
	case !fits(b):
		find(CloseDiffers, match, b.seq, "")
		return false
	}
	if b.ended {
		find(ClosedTwice, match, b.seq, "it was closed in entry "+strconv.FormatUint(b.end, 10))
		return false
	}
	b.ended, b.end, b.sum = true, index, sum
	return true
}

// Record holds a published record to the closing of its match: its sum must be the one
// there. A match that is not closed says nothing.
func (l *Log) Record(text []byte) error {
	r, err := record.Parse(text)
	if err != nil {
		return err
	}
	if b := l.begun[r.Match]; b != nil && b.ended && b.sum != r.Sum {
		index := b.end
		l.findings = append(l.findings, Finding{Kind: RecordDiffers, Match: r.Match, Seq: b.seq, Index: &index})
	}
	return nil
}

// Entries gives the places of a match's entries in the log: of its beginning, and of its
// end if there is one.
func (l *Log) Entries(match string) (begin uint64, end *uint64, ok bool) {
	b, ok := l.begun[match]
	if !ok {
		return 0, nil, false
	}
	if b.ended {
		index := b.end
		end = &index
	}
	return b.index, end, true
}

// Report lists what the log shows, seen at a time.
func (l *Log) Report(now time.Time) Report {
	r := Report{Origin: l.head.Origin, Size: uint64(l.head.Size), Before: l.before, Checked: l.policy != nil, Findings: []Finding{}, Open: []Unended{}, Aborts: []Aborts{}}
	r.Findings = append(r.Findings, l.forks...)
	slices.Sort(l.seqs)
	due := uint64(1)
	for _, seq := range l.seqs {
		for ; due < seq && len(r.Findings) < 1000; due++ {
			r.Findings = append(r.Findings, Finding{Kind: Gap, Seq: due})
		}
		due = max(due, seq+1)
	}
	for match, b := range l.begun {
		if b.ended {
			continue
		}
		r.Open = append(r.Open, Unended{match, b.seq, b.index, b.expires})
	}
	slices.SortFunc(r.Open, func(a, b Unended) int { return cmp.Compare(a.Index, b.Index) })
	far := map[string]bool{}
	for _, f := range l.findings {
		far[f.Match] = far[f.Match] || f.Kind == FarExpiry
	}
	for _, o := range r.Open {
		since := o.Expires
		if far[o.Match] {
			since = l.before
		}
		if now.Unix() > since {
			r.Findings = append(r.Findings, Finding{Kind: Overdue, Match: o.Match, Seq: o.Seq, Index: &o.Index, Since: since})
		}
	}
	r.Findings = append(r.Findings, l.findings...)
	for _, a := range l.aborts {
		r.Aborts = append(r.Aborts, *a)
	}
	slices.SortFunc(r.Aborts, func(a, b Aborts) int { return cmp.Compare(a.Role, b.Role) })
	return r
}
