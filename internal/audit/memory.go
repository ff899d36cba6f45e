package audit

import (
	"bytes"
	"errors"
	"strings"
)

// Held are bets of NDJSON in memory, to measure what checking costs without the
// reading.
type Held struct{ rows []row }

// Hold reads the lines of a text. Every one of them must be readable.
func Hold(text string) (*Held, error) {
	h := &Held{}
	for line := range strings.Lines(text) {
		var d decoder // each row keeps its own scratch
		var r row
		if f := d.read([]byte(line), &r); f != nil {
			return nil, errors.New("audit: " + f.code)
		}
		h.rows = append(h.rows, r)
	}
	return h, nil
}

// Check counts the bets that the fast way proves.
func (h *Held) Check() (proven int) {
	c, before := newChecker(), &row{}
	for i := range h.rows {
		r := &h.rows[i]
		if _, ok := c.fast(r, sameSeeds(r, before)); ok {
			proven++
		}
		before = r
	}
	return proven
}

// sameSeeds compares the seed pairs of two bets, and what was published of them.
func sameSeeds(a, b *row) bool {
	return bytes.Equal(a.seed, b.seed) && bytes.Equal(a.client, b.client) && bytes.Equal(a.sealed, b.sealed) && bytes.Equal(a.site, b.site) && a.hasClient == b.hasClient
}
