package publog

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/tlog"

	"veridice/checkpoint"
	"veridice/internal/match"
	"veridice/internal/needs"
	"veridice/record"
)

// A keeper keeps a log in memory; fail, when set, is asked before each change.
type keeper struct {
	mu      sync.Mutex
	entries [][]byte
	tree    match.Tree
	hashes  [][32]byte
	fail    func() error
}

func (k *keeper) Log(_ context.Context, from uint64, limit int) ([][]byte, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if from >= uint64(len(k.entries)) {
		return nil, nil
	}
	return k.entries[from:min(from+uint64(limit), uint64(len(k.entries)))], nil
}

func (k *keeper) Tree(context.Context) (match.Tree, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.tree, nil
}

func (k *keeper) Grow(_ context.Context, next match.Tree, hashes [][32]byte) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.fail != nil {
		if err := k.fail(); err != nil {
			return err
		}
	}
	if next.Version != k.tree.Version+1 {
		return match.ErrConflict
	}
	k.tree = next
	k.hashes = append(k.hashes, hashes...)
	return nil
}

func (k *keeper) Hashes(_ context.Context, numbers []int64) ([][32]byte, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	var out [][32]byte
	for _, n := range numbers {
		if n < 0 || n >= int64(len(k.hashes)) {
			return nil, match.ErrNotFound
		}
		out = append(out, k.hashes[n])
	}
	return out, nil
}

func (k *keeper) add(from, to int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for i := from; i < to; i++ {
		k.entries = append(k.entries, entry(i))
	}
}

func entry(i int) []byte { return []byte("veridice/1 open\nmatch " + strconv.Itoa(i) + "\n") }

// A given keeps receipts as they are handed out.
type given struct {
	mu       sync.Mutex
	receipts map[uint64][]byte
}

func (g *given) take(_ context.Context, entry []byte, index uint64, receipt []byte) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.receipts == nil {
		g.receipts = map[uint64][]byte{}
	}
	g.receipts[index] = receipt
	return nil
}

// A discard counts receipts.
type discard struct{ receipts atomic.Int64 }

func (d *discard) take(context.Context, []byte, uint64, []byte) error {
	d.receipts.Add(1)
	return nil
}

func signer(t testing.TB, name string, algorithm checkpoint.Algorithm, secret byte) checkpoint.Signer {
	t.Helper()
	s, err := checkpoint.NewSigner(name, algorithm, [32]byte{secret})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func open(t testing.TB, k Keeper, policy *checkpoint.Policy, g *given) *Log {
	t.Helper()
	return openFor(t, k, policy, g.take)
}

func openFor(t testing.TB, k Keeper, policy *checkpoint.Policy, receipt func(context.Context, []byte, uint64, []byte) error) *Log {
	t.Helper()
	l, err := New(t.Context(), Options{
		Keeper: k, Signer: signer(t, "log.example", checkpoint.Plain, 1), Policy: policy, Receipt: receipt,
		Logger: slog.New(slog.NewTextHandler(io.Discard, nil)), Timeout: time.Minute, // for which no test waits
	})
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func publish(t *testing.T, l *Log) {
	t.Helper()
	if err := l.Publish(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// checkReceipts holds every receipt to its entry, under the policy.
func checkReceipts(t *testing.T, policy *checkpoint.Policy, g *given, many int) {
	t.Helper()
	for i := range many {
		logged, err := policy.Receipt(entry(i), g.receipts[uint64(i)])
		if err != nil || logged.Index != uint64(i) {
			t.Fatalf("receipt of entry %d: %+v, %v", i, logged, err)
		}
		if _, err := policy.Receipt(entry(i+1), g.receipts[uint64(i)]); err == nil {
			t.Fatalf("the receipt of entry %d holds for the next one", i)
		}
	}
}

// TestPublish: entries of every size of the tree get receipts, the tiles give the
// shown tree to whoever reads them, and the head is the one of RFC 6962.
func TestPublish(t *testing.T) {
	k, g := &keeper{}, &given{}
	l := open(t, k, nil, g)
	if _, err := l.Head(t.Context()); !errors.Is(err, match.ErrNotFound) {
		t.Errorf("head of an empty log: %v", err)
	}
	last := 0
	for _, size := range []int{1, 2, 3, 7, 8, 9, 255, 256, 257, 600} {
		k.add(last, size)
		publish(t, l)
		checkReceipts(t, l.Policy, g, size)
		head, err := l.Head(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		c, err := l.Policy.Open(head)
		if err != nil || c.Size != int64(size) || c.Root != rootOf(k.entries) {
			t.Fatalf("head of %d entries: %+v, %v", size, c, err)
		}
		proof, err := l.Growth(t.Context(), int64(last), int64(size))
		if err != nil {
			t.Fatal(err)
		}
		if last > 0 {
			if err := tlog.CheckTree(proof, c.Size, c.Root, int64(last), rootOf(k.entries[:last])); err != nil {
				t.Fatalf("growth from %d to %d: %v", last, size, err)
			}
		}
		last = size
	}
	files := map[string][]byte{}
	if err := l.Export(t.Context(), func(path string, content []byte) error {
		files[path] = content
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if len(files) != 8 { // 3 tiles of level 0, 1 of level 1, 3 bundles, the checkpoint
		t.Errorf("exported are %d files: %v", len(files), files)
	}
	for path, content := range files {
		if path == "checkpoint" {
			continue
		}
		served, err := l.Tile(t.Context(), path)
		if err != nil || !bytes.Equal(served, content) {
			t.Errorf("%s: served is something else, %v", path, err)
		}
	}
	var read [][]byte
	for _, path := range []string{"tile/entries/000", "tile/entries/001", "tile/entries/002.p/88"} {
		for b := files[path]; len(b) > 0; {
			n := 2 + int(b[0])<<8 + int(b[1])
			read = append(read, b[2:n])
			b = b[n:]
		}
	}
	if rootOf(read) != rootOf(k.entries) || len(read) != 600 {
		t.Errorf("the bundles hold %d entries of another tree", len(read))
	}
	for _, path := range []string{
		"tile/0/002", "tile/0/002.p/89", "tile/entries/002", "tile/entries/003.p/1", "tile/1/000.p/3", "tile/2/000.p/1", "tile/8/0/000", "tile/data/000",
		"tile/0/2.p/88", "tile/0/000.p/0", "tile/0/000.p/256", "tile/-1/000", "tile/0/../0/000", "checkpoint", "", "tile/x/000", "tile/9/000",
		// 2^60: so many times 256 is 0 in 64 bits.
		"tile/0/x001/x152/x921/x504/x606/x846/976", "tile/entries/x001/x152/x921/x504/x606/x846/976", "tile/1/x001/x152/x921/x504/x606/x846/976.p/2",
	} {
		if b, err := l.Tile(t.Context(), path); !errors.Is(err, match.ErrNotFound) {
			t.Errorf("%q: %d bytes, %v", path, len(b), err)
		}
	}
}

// rootOf hashes the tree of RFC 6962, section 2.1, as it is written there.
func rootOf(entries [][]byte) tlog.Hash {
	if len(entries) == 1 {
		return tlog.RecordHash(entries[0])
	}
	half := 1
	for half*2 < len(entries) {
		half *= 2
	}
	return tlog.NodeHash(rootOf(entries[:half]), rootOf(entries[half:]))
}

// TestTwoServers: two publishers on one store neither lose an entry nor fork.
func TestTwoServers(t *testing.T) {
	k, g := &keeper{}, &given{}
	a, b := open(t, k, nil, g), open(t, k, nil, g)
	var both sync.WaitGroup
	for i, l := range []*Log{a, b} {
		both.Go(func() {
			for n := range 40 {
				if i == 0 {
					k.add(n, n+1)
				}
				if err := l.Publish(t.Context()); err != nil {
					t.Error(err)
				}
			}
		})
	}
	both.Wait()
	publish(t, a)
	checkReceipts(t, a.Policy, g, 40)
	if root, err := tlog.TreeHash(40, a.reader(t.Context(), nil)); err != nil || root != rootOf(k.entries) {
		t.Errorf("root %v, %v", root, err)
	}
}

// TestEveryStop: whatever fails between two steps, the next start goes on from there.
func TestEveryStop(t *testing.T) {
	for stop := 1; stop <= 12; stop++ {
		k, g := &keeper{}, &given{}
		steps := 0
		broken := errors.New("stopped")
		k.fail = func() error {
			if steps++; steps == stop {
				return broken
			}
			return nil
		}
		for n := range 4 {
			k.add(n, n+1)
			if err := open(t, k, nil, g).Publish(t.Context()); err != nil && !errors.Is(err, broken) {
				t.Fatal(err)
			}
		}
		l := open(t, k, nil, g)
		publish(t, l)
		checkReceipts(t, l.Policy, g, 4)
	}
}

// TestStored: a log whose stored parts contradict each other is not gone on with.
func TestStored(t *testing.T) {
	for name, spoil := range map[string]func(*keeper){
		"an entry lost":    func(k *keeper) { k.entries = k.entries[:4] },
		"an entry changed": func(k *keeper) { k.entries[4] = []byte("other\n") },
		"a hash changed":   func(k *keeper) { k.hashes[6] = [32]byte{1} },
		"a hash lost":      func(k *keeper) { k.hashes = k.hashes[:6] },
		"a head unsigned": func(k *keeper) {
			k.tree.Checkpoint = bytes.Replace(k.tree.Checkpoint, []byte("\n5\n"), []byte("\n4\n"), 1)
		},
		"a size changed": func(k *keeper) { k.tree.Size = 4 },
	} {
		k, g := &keeper{}, &given{}
		k.add(0, 5)
		publish(t, open(t, k, nil, g))
		spoil(k)
		if _, err := New(t.Context(), Options{Keeper: k, Signer: signer(t, "log.example", checkpoint.Plain, 1), Receipt: g.take}); err == nil {
			t.Errorf("%s: the log is opened", name)
		}
	}
	k, g := &keeper{}, &given{}
	k.add(0, 5)
	publish(t, open(t, k, nil, g))
	if _, err := New(t.Context(), Options{Keeper: k, Signer: signer(t, "log.example", checkpoint.Plain, 2), Receipt: g.take}); err == nil {
		t.Error("another key: the log is opened")
	}
}

// A fake is a witness that follows c2sp.org/tlog-witness as far as its behaviour lets
// it.
type fake struct {
	mu        sync.Mutex
	signer    checkpoint.Signer
	seen      checkpoint.Checkpoint
	behaviour string
	asked     int
	hold      chan struct{} // a slow one answers when it is closed
}

func (f *fake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	if f.hold != nil {
		select {
		case <-f.hold:
		case <-r.Context().Done():
			return
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.asked++
	head, rest, _ := strings.Cut(string(body), "\n\n")
	lines := strings.Split(head, "\n")
	old, err := strconv.ParseInt(strings.TrimPrefix(lines[0], "old "), 10, 64)
	c, _, errNote := checkpoint.Open([]byte(rest))
	var proof []tlog.Hash
	for _, line := range lines[1:] {
		b, _ := base64.StdEncoding.DecodeString(line)
		proof = append(proof, tlog.Hash(b))
	}
	switch {
	case r.URL.Path != "/w/add-checkpoint" || err != nil || errNote != nil:
		http.Error(w, "bad", http.StatusBadRequest)
		return
	case f.behaviour == "ahead":
		w.WriteHeader(http.StatusConflict)
		fmt.Fprintln(w, 1<<40)
		return
	case f.behaviour == "down":
		http.Error(w, "down", http.StatusServiceUnavailable)
		return
	case old != f.seen.Size:
		w.WriteHeader(http.StatusConflict)
		fmt.Fprintf(w, "%d\n", f.seen.Size)
		return
	case f.seen.Size > 0 && checkpoint.CheckGrowth(f.seen, c, proof) != nil:
		http.Error(w, "inconsistent", http.StatusUnprocessableEntity)
		return
	}
	f.seen = c
	signed := c
	if f.behaviour == "lies" {
		signed.Root[0] ^= 1
	}
	note := record.Note{Text: c.Marshal(), Signatures: []record.Signature{f.signer.Sign(signed, 1_700_000_000)}}
	_, line, _ := bytes.Cut(note.Marshal(), []byte("\n\n"))
	w.Write(line)
}

// quorum makes a policy of three of the four witnesses.
func quorum(t *testing.T, fakes []*fake) *checkpoint.Policy {
	t.Helper()
	p := &checkpoint.Policy{Logs: []checkpoint.Log{{Key: signer(t, "log.example", checkpoint.Plain, 1).Key()}}, Quorum: "three"}
	g := checkpoint.Group{Name: "three", Least: 3}
	for i, f := range fakes {
		name := fmt.Sprintf("w%d", i)
		f.signer = signer(t, name+".example", checkpoint.Cosigning, byte(10+i))
		s := httptest.NewServer(f)
		t.Cleanup(s.Close)
		p.Witnesses = append(p.Witnesses, checkpoint.Witness{Name: name, Key: f.signer.Key(), URL: s.URL + "/w"})
		g.Members = append(g.Members, name)
	}
	p.Groups = append(p.Groups, g)
	return p
}

// TestWitnesses: with one that is down, lies, is slow or says that it is ahead the quorum
// of the others is enough, and a cosignature that does not hold is in no receipt.
func TestWitnesses(t *testing.T) {
	for _, behaviour := range []string{"", "down", "lies", "slow", "ahead"} {
		fakes := []*fake{{}, {behaviour: behaviour}, {}, {}}
		if behaviour == "slow" {
			fakes[1].hold = make(chan struct{})
		}
		policy := quorum(t, fakes)
		k, g := &keeper{}, &given{}
		l := open(t, k, policy, g)
		for n := range 5 {
			k.add(2*n, 2*n+2)
			publish(t, l)
		}
		checkReceipts(t, policy, g, 10)
		logged, err := policy.Receipt(entry(9), g.receipts[9])
		if err != nil || logged.Witnesses < 3 || logged.Time != 1_700_000_000 {
			t.Errorf("%q: %+v, %v", behaviour, logged, err)
		}
		if fakes[1].hold != nil {
			close(fakes[1].hold)
		}
	}
}

// A witness that hangs has one request to answer, however often the others cosign meanwhile.
func TestHangingWitness(t *testing.T) {
	fakes := []*fake{{}, {hold: make(chan struct{})}, {}, {}}
	k := &keeper{}
	l := open(t, k, quorum(t, fakes), &given{})
	before := runtime.NumGoroutine()
	for n := range 20 {
		k.add(n, n+1)
		publish(t, l)
	}
	if more := runtime.NumGoroutine() - before; more > 15 { // a request has some of its own, at both ends
		t.Errorf("%d goroutines wait", more)
	}
	close(fakes[1].hold)
	w := l.witnesses[1]
	w.mu.Lock() // the request is answered
	defer w.mu.Unlock()
	if w.old != 1 {
		t.Errorf("it was asked about %d entries, want the first one", w.old)
	}
}

// TestNoQuorum: without enough witnesses nothing is shown and no receipt is handed out;
// the head is sent again, unchanged, when they are back, also by another start.
func TestNoQuorum(t *testing.T) {
	fakes := []*fake{{}, {behaviour: "down"}, {behaviour: "down"}, {}}
	policy := quorum(t, fakes)
	k, g := &keeper{}, &given{}
	l := open(t, k, policy, g)
	k.add(0, 3)
	if err := l.Publish(t.Context()); err == nil {
		t.Error("published without a quorum")
	}
	if _, err := l.Head(t.Context()); !errors.Is(err, match.ErrNotFound) || len(g.receipts) > 0 {
		t.Errorf("shown: %v, %d receipts", err, len(g.receipts))
	}
	if _, err := l.Tile(t.Context(), "tile/0/000.p/3"); !errors.Is(err, match.ErrNotFound) {
		t.Errorf("a tile is shown: %v", err)
	}
	signed := k.tree.Checkpoint
	fakes[1].mu.Lock()
	fakes[1].behaviour = ""
	fakes[1].mu.Unlock()
	publish(t, open(t, k, policy, g)) // a new start, whose witnesses have seen this head
	checkReceipts(t, policy, g, 3)
	if !bytes.Equal(signed, k.tree.Checkpoint) || fakes[0].asked < 2 {
		t.Error("the head was not sent again as it was")
	}
}

// What a witness does again and again is logged once, and that it cosigns again.
func TestWitnessIsLoggedOnce(t *testing.T) {
	fakes := []*fake{{behaviour: "down"}, {behaviour: "down"}, {}, {}}
	k, log := &keeper{}, new(needs.Text)
	l := open(t, k, quorum(t, fakes), &given{})
	l.Logger = slog.New(slog.NewTextHandler(log, nil))
	k.add(0, 3)
	for range 3 {
		if err := l.Publish(t.Context()); err == nil {
			t.Error("published without a quorum")
		}
	}
	for _, f := range fakes {
		f.mu.Lock()
		f.behaviour = ""
		f.mu.Unlock()
	}
	for i := 3; i < 50 && strings.Count(log.String(), "again") < 2; i++ { // the slowest may not be waited for
		k.add(i, i+1)
		publish(t, l)
	}
	for name, want := range map[string][2]int{"w0": {1, 1}, "w1": {1, 1}, "w2": {0, 0}, "w3": {0, 0}} {
		failed := strings.Count(log.String(), `msg="a witness did not cosign" witness=`+name)
		again := strings.Count(log.String(), `msg="a witness cosigns again" witness=`+name)
		if got := [2]int{failed, again}; got != want {
			t.Errorf("%s: got %v, want %v, in %s", name, got, want, log)
		}
	}
}

// TestRestored: a log that was restored from a copy, and goes on differently, is refused
// by every witness that has seen the longer one.
func TestRestored(t *testing.T) {
	fakes := []*fake{{}, {}, {}, {}}
	policy := quorum(t, fakes)
	k, g := &keeper{}, &given{}
	l := open(t, k, policy, g)
	k.add(0, 3)
	publish(t, l)
	copied := &keeper{entries: append([][]byte{}, k.entries...), tree: k.tree, hashes: append([][32]byte{}, k.hashes...)}
	k.add(3, 8)
	publish(t, l)

	restored := open(t, copied, policy, &given{})
	copied.entries = append(copied.entries, []byte("another story\n"))
	if err := restored.Publish(t.Context()); !errors.Is(err, ErrShorter) {
		t.Errorf("shorter than what was shown: %v", err)
	}
	for len(copied.entries) < 9 {
		copied.entries = append(copied.entries, []byte("another story\n"))
	}
	longer := &given{}
	again := open(t, &keeper{entries: copied.entries}, policy, longer)
	if err := again.Publish(t.Context()); err == nil || len(longer.receipts) > 0 {
		t.Errorf("another history: %v, %d receipts", err, len(longer.receipts))
	}
}
