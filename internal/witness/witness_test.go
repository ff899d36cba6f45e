package witness_test

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/tlog"

	"veridice/checkpoint"
	"veridice/internal/witness"
	"veridice/record"
	"veridice/seed"
)

// A log is one in memory, with the tree that it shows.
type log struct {
	signer checkpoint.Signer
	hashes []tlog.Hash
	size   int64
}

func newLog(t *testing.T, name string) *log {
	t.Helper()
	s, err := checkpoint.NewSigner(name, checkpoint.Plain, seed.LeafHash([]byte("witness test "+name)))
	if err != nil {
		t.Fatal(err)
	}
	return &log{signer: s}
}

func (l *log) ReadHashes(indexes []int64) ([]tlog.Hash, error) {
	out := make([]tlog.Hash, len(indexes))
	for i, at := range indexes {
		out[i] = l.hashes[at]
	}
	return out, nil
}

func (l *log) add(t *testing.T, entries ...string) *log {
	t.Helper()
	for _, e := range entries {
		more, err := tlog.StoredHashes(l.size, []byte(e), l)
		if err != nil {
			t.Fatal(err)
		}
		l.hashes = append(l.hashes, more...)
		l.size++
	}
	return l
}

func (l *log) head(t *testing.T, size int64) checkpoint.Checkpoint {
	t.Helper()
	root, err := tlog.TreeHash(size, l)
	if err != nil {
		t.Fatal(err)
	}
	return checkpoint.Checkpoint{Origin: l.signer.Key().Name, Size: size, Root: root}
}

// request asks for a cosignature of the tree at a size, from an old one.
func (l *log) request(t *testing.T, old, size int64) string {
	t.Helper()
	proof, err := checkpoint.ProveGrowth(old, size, l)
	if err != nil {
		t.Fatal(err)
	}
	head := l.head(t, size)
	text := fmt.Sprintf("old %d\n", old)
	for _, h := range proof {
		text += base64.StdEncoding.EncodeToString(h[:]) + "\n"
	}
	return text + "\n" + string(head.Note(l.signer.Sign(head, 0)))
}

// A served witness is one behind a server, which can be restarted.
type served struct {
	folder string
	key    checkpoint.Key
	server *httptest.Server
	notes  *notes
}

type notes struct {
	mu   sync.Mutex
	said []string
}

func (n *notes) add(text string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.said = append(n.said, text)
}

func (n *notes) all() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return strings.Join(n.said, "\n")
}

var start = time.Unix(1790000000, 0)

func serve(t *testing.T, folder string) served {
	t.Helper()
	signer, err := checkpoint.NewSigner("w1.example", checkpoint.Cosigning, [32]byte{7})
	if err != nil {
		t.Fatal(err)
	}
	n := &notes{}
	s := served{folder, signer.Key(), httptest.NewServer(witness.New(folder, signer, func() time.Time { return start }, n.add)), n}
	t.Cleanup(s.server.Close)
	return s
}

func (s served) post(t *testing.T, body string) (int, string, http.Header) {
	t.Helper()
	answer, err := http.Post(s.server.URL+"/add-checkpoint", "text/plain", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	b, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, string(b), answer.Header
}

// cosigned wants a cosignature that holds.
func (s served) cosigned(t *testing.T, l *log, old, size int64) {
	t.Helper()
	status, answer, _ := s.post(t, l.request(t, old, size))
	if status != http.StatusOK {
		t.Fatalf("%d to %d: got %d %s", old, size, status, answer)
	}
	policy := &checkpoint.Policy{
		Logs: []checkpoint.Log{{Key: l.signer.Key()}}, Witnesses: []checkpoint.Witness{{Name: "w", Key: s.key}}, Quorum: "w",
	}
	head := l.head(t, size)
	got, err := policy.Open(append(head.Note(l.signer.Sign(head, 0)), answer...))
	if err != nil || got.Checkpoint != head || got.Latest() != start.Unix() {
		t.Fatalf("got %+v, %v of %q", got, err, answer)
	}
}

func (s served) refused(t *testing.T, what, body string, want int, says string) {
	t.Helper()
	status, answer, header := s.post(t, body)
	if status != want || says != "" && answer != says {
		t.Errorf("%s: got %d %q, want %d %q", what, status, answer, want, says)
	}
	if want == http.StatusConflict && header.Get("Content-Type") != "text/x.tlog.size" {
		t.Errorf("%s: as %q", what, header.Get("Content-Type"))
	}
}

func TestWitness(t *testing.T) {
	folder := t.TempDir()
	s := serve(t, folder)
	l := newLog(t, "log.example/a").add(t, "1", "2", "3", "4", "5", "6", "7")
	s.refused(t, "unknown log", l.request(t, 0, 3), http.StatusNotFound, "")
	if err := witness.Add(folder, l.signer.Key()); err != nil {
		t.Fatal(err)
	}
	if err := witness.Add(folder, l.signer.Key()); err != nil {
		t.Errorf("added again: %v", err)
	}
	s.refused(t, "not what it has seen", l.request(t, 2, 3), http.StatusConflict, "0\n")
	s.cosigned(t, l, 0, 3)
	s.cosigned(t, l, 3, 3)
	s.refused(t, "from the beginning again", l.request(t, 0, 5), http.StatusConflict, "3\n")
	s.cosigned(t, l, 3, 5)
	s.refused(t, "the old one again", l.request(t, 3, 5), http.StatusConflict, "5\n")
	s.refused(t, "shorter", "old 5\n\n"+strings.SplitN(l.request(t, 3, 3), "\n\n", 2)[1], http.StatusBadRequest, "")
	s.refused(t, "restored", strings.Replace(l.request(t, 3, 4), "old 3", "old 4", 1), http.StatusConflict, "5\n")

	// Another process on the same files knows all of it, and adds logs meanwhile.
	s.server.Close()
	s = serve(t, folder)
	s.cosigned(t, l, 5, 5)
	other := newLog(t, "log.example/b").add(t, "x")
	if err := witness.Add(folder, other.signer.Key()); err != nil {
		t.Fatal(err)
	}
	s.cosigned(t, other, 0, 1)
	s.cosigned(t, l, 5, 7)
	files, err := filepath.Glob(filepath.Join(folder, "*"))
	if err != nil || len(files) != 2 {
		t.Errorf("left behind: %v", files)
	}
	if s.notes.all() != "" {
		t.Errorf("said: %s", s.notes.all())
	}
}

// TestForked: what does not follow is refused, and both checkpoints are kept, however many
// with spoilt proofs came before it.
func TestForked(t *testing.T) {
	folder := t.TempDir()
	s := serve(t, folder)
	l := newLog(t, "log.example/a").add(t, "1", "2", "3", "4")
	fork := newLog(t, "log.example/a").add(t, "1", "2", "another", "4", "5")
	if err := witness.Add(folder, l.signer.Key()); err != nil {
		t.Fatal(err)
	}
	kept := func(pattern string) []string {
		t.Helper()
		files, err := filepath.Glob(filepath.Join(folder, pattern))
		if err != nil {
			t.Fatal(err)
		}
		return files
	}
	spoilt := func(one *log, old, size int64) string {
		hash := base64.StdEncoding.EncodeToString(make([]byte, 32)) + "\n"
		return fmt.Sprintf("old %d\n%s\n%s", old, strings.Repeat(hash, 3), strings.SplitN(one.request(t, size, size), "\n\n", 2)[1])
	}
	s.refused(t, "a spoilt proof from nothing", spoilt(l, 0, 4), http.StatusUnprocessableEntity, "")
	if files := kept("*.refused"); len(files) != 0 || s.notes.all() != "" {
		t.Errorf("accuses a log before it has cosigned for it: %v, %s", files, s.notes.all())
	}
	s.cosigned(t, l, 0, 4)
	grown := newLog(t, "log.example/a").add(t, "1", "2", "3", "4")
	for i := range 20 {
		grown.add(t, fmt.Sprint(i))
		for range 2 {
			s.refused(t, "a spoilt proof", spoilt(grown, 4, grown.size), http.StatusUnprocessableEntity, "")
		}
	}
	if files := kept("*-*.refused"); len(files) != 16 {
		t.Errorf("keeps %d with spoilt proofs", len(files))
	}
	s.refused(t, "another tree of the same size", fork.request(t, 4, 4), http.StatusUnprocessableEntity, "")
	s.refused(t, "the same again", fork.request(t, 4, 4), http.StatusUnprocessableEntity, "")
	s.refused(t, "another tree that grew", fork.request(t, 4, 5), http.StatusUnprocessableEntity, "")
	if strings.Count(s.notes.all(), "does not follow") != 17 {
		t.Errorf("said: %s", s.notes.all())
	}
	files := kept("*[0-9a-f].refused")
	files = slices.DeleteFunc(files, func(name string) bool { return strings.Contains(filepath.Base(name), "-") })
	if len(files) != 1 {
		t.Fatal(files)
	}
	text, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range []*log{l, fork} {
		if !bytes.Contains(text, one.head(t, 4).Marshal()) {
			t.Errorf("%q has not both", text)
		}
	}
	for _, name := range kept("*-*.refused") {
		if err := os.Remove(name); err != nil {
			t.Fatal(err)
		}
	}
	s.refused(t, "another tree that grew", fork.request(t, 4, 5), http.StatusUnprocessableEntity, "")
	if files = kept("*-*.refused"); len(files) != 1 {
		t.Errorf("the grown fork is not kept: %v", files)
	}
	s.cosigned(t, l, 4, 4) // the true log goes on
	l.add(t, "5")
	s.cosigned(t, l, 4, 5)
	l.add(t, "6")
	s.refused(t, "a proof of other hashes", "old 5\n"+strings.Repeat(base64.StdEncoding.EncodeToString(make([]byte, 32))+"\n", 3)+"\n"+
		strings.SplitN(l.request(t, 5, 6), "\n\n", 2)[1], http.StatusUnprocessableEntity, "")
	s.refused(t, "no proof", "old 5\n\n"+strings.SplitN(l.request(t, 5, 6), "\n\n", 2)[1], http.StatusUnprocessableEntity, "")
}

func TestRequests(t *testing.T) {
	folder := t.TempDir()
	s := serve(t, folder)
	l := newLog(t, "log.example/a").add(t, "1", "2", "3")
	if err := witness.Add(folder, l.signer.Key()); err != nil {
		t.Fatal(err)
	}
	good := l.request(t, 0, 3)
	for what, body := range map[string]string{
		"nothing": "", "no old": good[6:], "old with zero": "old 00" + good[5:], "old with sign": "old +0" + good[5:], "old below 0": "old -1" + good[5:],
		"no base64": "old 0\nx\n" + good[6:], "short hash": "old 0\nAAAA\n" + good[6:], "no empty line": strings.Replace(good, "\n\n", "\n", 1),
		"64 hashes":     "old 0\n" + strings.Repeat(base64.StdEncoding.EncodeToString(make([]byte, 32))+"\n", 64) + good[6:],
		"no checkpoint": "old 0\n\nx\n\n" + strings.SplitAfterN(good, "\n\n", 3)[2], "carriage returns": strings.ReplaceAll(good, "\n", "\r\n"),
		"too large": good + strings.Repeat("x", 64<<10), "old above": strings.Replace(good, "old 0", "old 4", 1),
	} {
		s.refused(t, what, body, http.StatusBadRequest, "")
	}
	stranger := newLog(t, "log.example/b").add(t, "1", "2", "3")
	head := l.head(t, 3)
	s.refused(t, "signed by a stranger", "old 0\n\n"+string(head.Note(stranger.signer.Sign(head, 0))), http.StatusForbidden, "")
	own := l.signer.Sign(head, 0)
	own.Bytes = append(own.Bytes[:63:63], own.Bytes[63]^1)
	s.refused(t, "spoilt", "old 0\n\n"+string(head.Note(own)), http.StatusForbidden, "")
	s.refused(t, "a proof from nothing", "old 0\n"+base64.StdEncoding.EncodeToString(make([]byte, 32))+"\n"+good[6:], http.StatusUnprocessableEntity, "")
	// Cosignatures of others on it are passed over, and not stored.
	s.refused(t, "with others", "old 0\n\n"+string(head.Note(record.Signature{Name: "x", Bytes: []byte("y")}, l.signer.Sign(head, 0))), http.StatusOK, "")

	for method, path := range map[string]string{"GET": "/add-checkpoint", "POST": "/", "HEAD": "/checkpoint"} {
		r, err := http.NewRequestWithContext(t.Context(), method, s.server.URL+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		if answer.StatusCode != 404 && answer.StatusCode != 405 {
			t.Errorf("%s %s: got %d", method, path, answer.StatusCode)
		}
	}
}

// TestDamaged: a witness that cannot read what it has signed signs nothing.
func TestDamaged(t *testing.T) {
	folder := t.TempDir()
	s := serve(t, folder)
	l := newLog(t, "log.example/a").add(t, "1", "2", "3")
	if err := witness.Add(folder, l.signer.Key()); err != nil {
		t.Fatal(err)
	}
	s.cosigned(t, l, 0, 3)
	files, err := filepath.Glob(filepath.Join(folder, "*.log"))
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	whole, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	body := l.request(t, 3, 3)
	for i := range whole {
		if err := os.WriteFile(files[0], whole[:i], 0o666); err != nil {
			t.Fatal(err)
		}
		if status, answer, _ := s.post(t, body); status != http.StatusInternalServerError {
			t.Fatalf("cut at %d: got %d %q", i, status, answer)
		}
	}
	if !strings.Contains(s.notes.all(), "is damaged") || witness.Add(folder, l.signer.Key()) == nil {
		t.Errorf("said: %s", s.notes.all())
	}
	if err := os.WriteFile(files[0], whole, 0o666); err != nil {
		t.Fatal(err)
	}
	s.cosigned(t, l, 3, 3)
	if runtime.GOOS != "windows" && os.Getuid() != 0 {
		if err := os.Chmod(folder, 0o500); err != nil {
			t.Fatal(err)
		}
		l.add(t, "4")
		s.refused(t, "what cannot be stored", l.request(t, 3, 4), http.StatusInternalServerError, "")
		if err := os.Chmod(folder, 0o700); err != nil {
			t.Fatal(err)
		}
		s.cosigned(t, l, 3, 4)
	}
}

// TestAtOnce: of two histories that come at the same time one is signed, and no size
// goes back.
func TestAtOnce(t *testing.T) {
	folder := t.TempDir()
	s := serve(t, folder)
	a := newLog(t, "log.example/a").add(t, "1", "2", "3")
	b := newLog(t, "log.example/a").add(t, "1", "2", "another")
	if err := witness.Add(folder, a.signer.Key()); err != nil {
		t.Fatal(err)
	}
	bodies := []string{a.request(t, 0, 3), b.request(t, 0, 3)}
	signed := map[int]int{}
	var mu sync.Mutex
	var all sync.WaitGroup
	for i := range 20 {
		all.Go(func() {
			answer, err := http.Post(s.server.URL+"/add-checkpoint", "text/plain", strings.NewReader(bodies[i%2]))
			if err != nil {
				t.Error(err)
				return
			}
			answer.Body.Close()
			mu.Lock()
			defer mu.Unlock()
			if answer.StatusCode == 200 {
				signed[i%2]++
			}
		})
	}
	all.Wait()
	if len(signed) != 1 || signed[0]+signed[1] != 1 {
		t.Errorf("signed %v", signed)
	}
}

func TestAdd(t *testing.T) {
	folder := t.TempDir()
	l := newLog(t, "log.example/a")
	if err := witness.Add(folder, l.signer.Key()); err != nil {
		t.Fatal(err)
	}
	other, err := checkpoint.NewSigner("log.example/a", checkpoint.Plain, [32]byte{9})
	if err != nil {
		t.Fatal(err)
	}
	if err := witness.Add(folder, other.Key()); !errors.Is(err, witness.ErrKnown) {
		t.Errorf("another key: %v", err)
	}
	w, err := checkpoint.NewSigner("w.example", checkpoint.Cosigning, [32]byte{9})
	if err != nil {
		t.Fatal(err)
	}
	if witness.Add(folder, w.Key()) == nil {
		t.Error("the key of a witness is a log's")
	}
	if runtime.GOOS == "windows" {
		return
	}
	lock, err := witness.Lock(folder)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := witness.Lock(folder); err == nil {
		t.Error("two serve from one folder")
	}
	lock.Close()
	again, err := witness.Lock(folder)
	if err != nil {
		t.Fatal(err)
	}
	again.Close()
}
