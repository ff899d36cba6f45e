package match

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"math/bits"
	"strconv"
	"strings"
)

// A store holds its logs one after the other: the entries and hashes before those of the
// log in use are of logs that were given up (docs/spec/log.md, "Writing", rule 3). A match
// keeps the number of its entry in the store, so that its end names the place in the log
// in which it began, also when the end itself stands in a later one.

// A LogStart is where a log begins in a store.
type LogStart struct {
	Name    string `json:"name"`
	Entries uint64 `json:"entries"` // of the store that stand before its first
	Hashes  uint64 `json:"hashes"`
}

// Logs lists the logs of a store in their order. The last one is in use; none is there
// before its first head is signed.
func Logs(ctx context.Context, s Store) ([]LogStart, error) {
	tree, err := s.Tree(ctx)
	if err != nil || len(tree.Checkpoint) == 0 {
		return nil, err
	}
	name := tree.Log()
	return keptLogs(ctx, s, name, []LogStart{{Name: name}})
}

// keptLogs keeps the list that ends with a log, once.
func keptLogs(ctx context.Context, s Store, name string, logs []LogStart) ([]LogStart, error) {
	text, err := json.Marshal(logs)
	if err != nil {
		return nil, err
	}
	if text, err = s.Once(ctx, "logs to "+name, text); err != nil {
		return nil, err
	}
	var kept []LogStart
	if err := json.Unmarshal(text, &kept); err != nil || len(kept) == 0 {
		return nil, errors.New("match: the stored list of logs cannot be read")
	}
	return kept, nil
}

// ErrLogName says that a log cannot have a name, which is or was another's.
var ErrLogName = errors.New("match: the name is or was another log's")

// GiveUpLog ends the log in use: what was not shown of it and all that comes later goes to
// another one, which begins with an empty head that its key signed. Nobody else may write
// to the store: [ErrConflict] if somebody did. It gives [ErrNotFound] if there is no log
// yet.
func GiveUpLog(ctx context.Context, s Store, name string, head []byte) error {
	logs, err := Logs(ctx, s)
	if err != nil {
		return err
	}
	tree, err := s.Tree(ctx)
	if err != nil {
		return err
	}
	if len(logs) == 0 {
		return ErrNotFound
	}
	for _, l := range logs {
		if l.Name == name {
			return ErrLogName
		}
	}
	last := logs[len(logs)-1]
	// A full tree over n entries has 2n - 1 hashes; the log's is one full tree for each bit.
	hashes := 2*tree.Size - uint64(bits.OnesCount64(tree.Size))
	next := LogStart{name, last.Entries + tree.ShownSize, last.Hashes + hashes}
	kept, err := keptLogs(ctx, s, name, append(logs, next))
	if err != nil {
		return err
	}
	if kept[len(kept)-1] != next {
		return ErrLogName // of an attempt that was cut, after which the old one grew
	}
	return s.Grow(ctx, Tree{Version: tree.Version + 1, Checkpoint: head}, nil)
}

// Log is the name of the log that is in use, "" before there is one.
func (t Tree) Log() string {
	name, _, _ := bytes.Cut(t.Checkpoint, []byte("\n"))
	return string(name)
}

// place gives the log in which an entry of the store stands, and its index there.
func (s *Service) place(entry uint64) (log int, index uint64) {
	index = entry
	for i, l := range s.logs {
		if l.Entries <= entry {
			log, index = i, entry-l.Entries
		}
	}
	return log, index
}

// elsewhere reports whether a match does not end in the log in which it began: a proof
// file has both in one. It may also have begun in a log that was given up before it showed
// its entry, which then stands in the next one, while its end names the old place.
func (s *Service) elsewhere(p *play) bool {
	log, index := s.place(p.Index)
	lines := strings.SplitN(p.Closing, "\n", 4) // the third: open or sealed, INDEX, HASH
	fields := strings.Fields(lines[min(2, len(lines)-1)])
	return log != max(len(s.logs)-1, 0) || len(fields) != 3 || fields[1] != strconv.FormatUint(index, 10)
}
