package checkpoint

import (
	"encoding/base64"
	"errors"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/tlog"
)

// maxPath is the number of hashes in the longest path.
const maxPath = 63

const receiptLine = "c2sp.org/tlog-proof@v1"

// A Receipt is the evidence that an entry is in a log: a log proof of
// c2sp.org/tlog-proof. It is self-contained and checked offline, under a [Policy].
//
//	c2sp.org/tlog-proof@v1
//	index 3
//	Hzu0JsPf3cD3ZyqLyA/uOh/cOMx1wDO2y80rzsLaIBU=
//	...
//
//	log.example/veridice
//	...
type Receipt struct {
	Extra []byte // what the extra line says, nil without one; it is not signed
	Index int64
	Path  []tlog.Hash // from the leaf's sibling to the root's child
	Note  []byte      // the signed checkpoint
}

// ParseReceipt reads a receipt in its one encoding. The note is not looked into.
func ParseReceipt(text []byte) (*Receipt, error) {
	line, rest, ok := trimLine(text)
	if !ok || line != receiptLine {
		return nil, errors.New("checkpoint: a receipt begins with the line " + receiptLine)
	}
	r := &Receipt{}
	if line, rest, ok = trimLine(rest); ok && strings.HasPrefix(line, "extra ") {
		if r.Extra, ok = decode(line[len("extra "):]); !ok || len(r.Extra) == 0 {
			return nil, errors.New("checkpoint: the extra line of the receipt is not base64")
		}
		line, rest, ok = trimLine(rest)
	}
	digits, named := strings.CutPrefix(line, "index ")
	index, good := decimal(digits)
	if !ok || !named || !good {
		return nil, errors.New("checkpoint: the receipt has no index up to 2^53 - 1")
	}
	r.Index = index
	for {
		if line, rest, ok = trimLine(rest); !ok {
			return nil, errors.New("checkpoint: the receipt has no empty line before its checkpoint")
		}
		if line == "" {
			r.Note = rest
			return r, nil
		}
		h, good := ParseHash(line)
		if !good || len(r.Path) == maxPath {
			return nil, errors.New("checkpoint: line " + strconv.Itoa(len(r.Path)+1) + " of the path is not 32 bytes of base64, or one of more than 63")
		}
		r.Path = append(r.Path, h)
	}
}

// Marshal writes the receipt.
func (r *Receipt) Marshal() []byte {
	b := []byte(receiptLine + "\n")
	if r.Extra != nil {
		b = append(base64.StdEncoding.AppendEncode(append(b, "extra "...), r.Extra), '\n')
	}
	b = append(strconv.AppendInt(append(b, "index "...), r.Index, 10), '\n')
	for _, h := range r.Path {
		b = append(base64.StdEncoding.AppendEncode(b, h[:]), '\n')
	}
	return append(append(b, '\n'), r.Note...)
}

// Prove makes the receipt of the entry at index under a signed checkpoint, from the
// stored hashes of its log.
func Prove(index int64, note []byte, hashes tlog.HashReader) (*Receipt, error) {
	c, _, err := Open(note)
	if err != nil {
		return nil, err
	}
	path, err := tlog.ProveRecord(c.Size, index, hashes)
	if err != nil {
		return nil, errors.New("checkpoint: " + err.Error())
	}
	return &Receipt{Index: index, Path: path, Note: note}, nil
}

// root follows the path from an entry up (docs/spec/log.md). The last node of a level
// that has no sibling goes up unchanged.
func (r *Receipt) root(entry []byte, size int64) (tlog.Hash, bool) {
	h, path := tlog.RecordHash(entry), r.Path
	for index, width := r.Index, size; width > 1; index, width = index/2, (width+1)/2 {
		if index%2 == 0 && index == width-1 {
			continue
		}
		if len(path) == 0 {
			return h, false
		}
		if index%2 == 1 {
			h = tlog.NodeHash(path[0], h)
		} else {
			h = tlog.NodeHash(h, path[0])
		}
		path = path[1:]
	}
	return h, len(path) == 0
}
