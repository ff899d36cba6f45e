// Package witness cosigns the heads of public logs after it has checked that each
// only grew: the service of c2sp.org/tlog-witness, and the small files behind it
// (docs/spec/log.md, "Witnesses").
//
// For each log there is one file with its key and the last checkpoint that was
// cosigned. It is replaced as a whole and is on disk before anybody gets the
// cosignature: a witness that forgot what it signed could sign two histories.
package witness

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/mod/sumdb/tlog"

	"veridice/checkpoint"
	"veridice/record"
)

const (
	maxBody    = 64 << 10 // of a request, in bytes
	maxPath    = 63       // hashes in a proof
	maxRefused = 16       // checkpoints of a log that are kept though they prove nothing by themselves
)

// A Witness cosigns for the logs whose files are in its folder. It looks there at
// each request, so that a log can be added while it serves. Of two witnesses on one
// folder each would sign what the other has not seen: see [Lock].
type Witness struct {
	folder string
	signer checkpoint.Signer
	now    func() time.Time
	note   func(string)

	mu   sync.Mutex
	logs map[string]*sync.Mutex // by origin: who holds it checks and stores
}

// New makes a witness. It tells note, in lower case, what somebody should look at.
func New(folder string, signer checkpoint.Signer, now func() time.Time, note func(string)) *Witness {
	return &Witness{folder: folder, signer: signer, now: now, note: note, logs: map[string]*sync.Mutex{}}
}

// ErrKnown says that a log of this name is known, under another key.
var ErrKnown = errors.New("witness: a log of this name is known under another key")

// Add makes a log known to the witnesses of a folder. It does nothing if the log is.
func Add(folder string, key checkpoint.Key) error {
	if key.Algorithm != checkpoint.Plain {
		return errors.New("witness: this is not the key of a log")
	}
	known, err := read(folder, key.Name)
	if err == nil && known.key == key {
		return nil
	}
	if err == nil {
		return ErrKnown
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return write(folder, state{key: key}, true)
}

// A state is the content of a log's file.
type state struct {
	key  checkpoint.Key
	head checkpoint.Checkpoint // the last that was cosigned; of no entries at first
	note []byte                // the same as the log signed it, nil at first
}

// A file begins with the first line, and the log's key. Where no checkpoint follows
// it says so: what was cut off must not look like a log that is new.
const (
	firstLine = "veridice witness 1\n"
	nothing   = "none\n"
)

// file names the file of a log: names of logs may have any character.
func file(folder, origin string) string {
	sum := sha256.Sum256([]byte(origin))
	return filepath.Join(folder, fmt.Sprintf("%x.log", sum[:16]))
}

// read gives the state of a log, [fs.ErrNotExist] if it is not known. A file that is
// damaged is an error, never a log that is new.
func read(folder, origin string) (state, error) {
	name := file(folder, origin)
	text, err := os.ReadFile(name)
	if err != nil {
		return state{}, err
	}
	damaged := fmt.Errorf("witness: %s is damaged; what it held cannot be made again, and the log needs another witness", name)
	rest, ok := bytes.CutPrefix(text, []byte(firstLine))
	line, note, ended := bytes.Cut(rest, []byte("\n"))
	key, err := checkpoint.ParseKey(string(line))
	if !ok || !ended || err != nil || key.Name != origin {
		return state{}, damaged
	}
	s := state{key: key, head: checkpoint.Checkpoint{Origin: origin, Root: emptyRoot}}
	if string(note) == nothing {
		return s, nil
	}
	if s.head, err = signedBy(key, note); err != nil {
		return state{}, damaged
	}
	s.note = note
	return s, nil
}

// emptyRoot is that of a tree without entries.
var emptyRoot = tlog.Hash(sha256.Sum256(nil))

// write replaces the file of a log, or makes it if it must be new, and returns when
// it is on disk.
func write(folder string, s state, isNew bool) error {
	text := []byte(firstLine + s.key.String() + "\n")
	if s.note == nil {
		text = append(text, nothing...)
	}
	text = append(text, s.note...)
	f, err := os.CreateTemp(folder, "new-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	if _, err = f.Write(text); err == nil {
		err = f.Sync()
	}
	if e := f.Close(); err == nil {
		err = e
	}
	if err != nil {
		return err
	}
	name := file(folder, s.key.Name)
	if isNew {
		err = os.Link(f.Name(), name) // unlike Rename it leaves alone what is there
	} else {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		return err
	}
	return syncFolder(folder)
}

// syncFolder makes a rename durable. Windows cannot, and does it by itself.
func syncFolder(folder string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	d, err := os.Open(folder)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}

// signedBy reads a checkpoint that the log's key must have signed.
func signedBy(key checkpoint.Key, note []byte) (checkpoint.Checkpoint, error) {
	c, err := (&checkpoint.Policy{Logs: []checkpoint.Log{{Key: key}}, Quorum: checkpoint.None}).Open(note)
	return c.Checkpoint, err
}

// ServeHTTP answers POST add-checkpoint, whatever stands before it in the path.
func (w *Witness) ServeHTTP(out http.ResponseWriter, r *http.Request) {
	if !strings.HasSuffix(r.URL.Path, "/add-checkpoint") {
		http.NotFound(out, r)
		return
	}
	if r.Method != http.MethodPost {
		out.Header().Set("Allow", http.MethodPost)
		http.Error(out, "POST a checkpoint", http.StatusMethodNotAllowed)
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(out, r.Body, maxBody))
	if err != nil {
		http.Error(out, "the request cannot be read", http.StatusBadRequest)
		return
	}
	status, answer := w.addCheckpoint(body)
	switch status {
	case http.StatusOK:
		out.Header().Set("Content-Type", "text/plain; charset=utf-8")
	case http.StatusConflict:
		out.Header().Set("Content-Type", "text/x.tlog.size")
	default:
		http.Error(out, strings.TrimSuffix(string(answer), "\n"), status)
		return
	}
	out.WriteHeader(status)
	out.Write(answer) // who does not get it asks again
}

// addCheckpoint is the service: a status, and what to answer with it.
func (w *Witness) addCheckpoint(body []byte) (int, []byte) {
	refuse := func(status int, words string) (int, []byte) { return status, []byte(words + "\n") }
	old, proof, note, err := readRequest(body)
	if err != nil {
		return refuse(http.StatusBadRequest, err.Error())
	}
	claimed, _, err := checkpoint.Open(note)
	if err != nil {
		return refuse(http.StatusBadRequest, strings.TrimPrefix(err.Error(), "checkpoint: "))
	}
	if _, err := os.Stat(file(w.folder, claimed.Origin)); errors.Is(err, fs.ErrNotExist) {
		return refuse(http.StatusNotFound, "this witness does not know the log")
	}
	lock := w.lock(claimed.Origin) // of a log that is known: strangers make no locks
	lock.Lock()
	defer lock.Unlock()
	known, err := read(w.folder, claimed.Origin)
	if err != nil {
		w.note("error: " + err.Error())
		return refuse(http.StatusInternalServerError, "this witness cannot read what it has signed")
	}
	head, err := signedBy(known.key, note)
	switch {
	case err != nil:
		return refuse(http.StatusForbidden, "the log's key has not signed this")
	case old > head.Size:
		return refuse(http.StatusBadRequest, "the old size is above the new one")
	case old != known.head.Size:
		return http.StatusConflict, []byte(strconv.FormatInt(known.head.Size, 10) + "\n")
	}
	if err := checkpoint.CheckGrowth(known.head, head, proof); err != nil {
		w.keep(known, head, note)
		return refuse(http.StatusUnprocessableEntity, "the new tree is not the old one, grown")
	}
	// Equal heads are cosigned again: the log may have lost the answer.
	if head != known.head || known.note == nil {
		own, err := withoutOthers(known.key, note)
		if err == nil {
			err = write(w.folder, state{known.key, head, own}, false)
		}
		if err != nil {
			w.note("error: " + err.Error())
			return refuse(http.StatusInternalServerError, "this witness cannot store what it would sign")
		}
	}
	signed := head.Note(w.signer.Sign(head, w.now().Unix()))
	return http.StatusOK, signed[len(head.Marshal())+1:]
}

func (w *Witness) lock(origin string) *sync.Mutex {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.logs[origin] == nil {
		w.logs[origin] = &sync.Mutex{}
	}
	return w.logs[origin]
}

// keep stores a signed checkpoint that was not shown to follow from the last one, with
// that. Two of one size are proof against the log, and of those the first is enough. Else
// the proof that came may have been spoilt, by whoever sent it, so that such a one must
// not stand in the way of others; so many of them are kept.
func (w *Witness) keep(known state, head checkpoint.Checkpoint, note []byte) {
	if known.note == nil {
		return // it contradicts nothing
	}
	name := strings.TrimSuffix(file(w.folder, head.Origin), ".log")
	words := "they are proof against the log"
	if head.Size != known.head.Size {
		entries, err := os.ReadDir(w.folder)
		before := 0
		for _, e := range entries {
			if strings.HasPrefix(e.Name(), filepath.Base(name)+"-") {
				before++
			}
		}
		if err != nil || before >= maxRefused {
			return
		}
		sum := sha256.Sum256(head.Marshal())
		name += fmt.Sprintf("-%x", sum[:8])
		words = "they are proof against the log unless the proof of growth was spoilt"
	}
	name += ".refused"
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if errors.Is(err, fs.ErrExist) {
		return
	}
	w.note("warning: " + head.Origin + ": a signed checkpoint does not follow from the last one; both are in " + name + ", and " + words)
	if err == nil {
		_, err = f.Write(append(append(bytes.Clone(known.note), '\n'), note...))
		if e := f.Close(); err == nil {
			err = e
		}
	}
	if err != nil {
		w.note("error: " + err.Error())
	}
}

// withoutOthers leaves the signature of the log alone on a note.
func withoutOthers(key checkpoint.Key, note []byte) ([]byte, error) {
	head, signatures, err := checkpoint.Open(note)
	if err != nil {
		return nil, err
	}
	for _, s := range signatures {
		if s.Name == key.Name && s.KeyID == key.ID() {
			return head.Note([]record.Signature{s}...), nil
		}
	}
	return nil, errors.New("witness: the log has not signed")
}

// readRequest splits a request: the old size, the proof, the note.
func readRequest(body []byte) (old int64, proof []tlog.Hash, note []byte, err error) {
	line, rest, ok := bytes.Cut(body, []byte("\n"))
	digits, named := strings.CutPrefix(string(line), "old ")
	old, err = strconv.ParseInt(digits, 10, 64)
	if !ok || !named || err != nil || old < 0 || strconv.FormatInt(old, 10) != digits {
		return 0, nil, nil, errors.New("the first line is not an old size")
	}
	for {
		line, rest, ok = bytes.Cut(rest, []byte("\n"))
		if !ok {
			return 0, nil, nil, errors.New("there is no empty line before the checkpoint")
		}
		if len(line) == 0 {
			return old, proof, rest, nil
		}
		h, ok := checkpoint.ParseHash(string(line))
		if !ok || len(proof) == maxPath {
			return 0, nil, nil, errors.New("the proof is not up to 63 lines of 32 bytes of base64")
		}
		proof = append(proof, h)
	}
}
