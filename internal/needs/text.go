package needs

import (
	"bytes"
	"sync"
)

// A Text is written by some goroutines while others read it: what a program under test says.
type Text struct {
	mu sync.Mutex
	b  bytes.Buffer
}

// Write is [io.Writer].
func (t *Text) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.b.Write(p)
}

// String is what was written so far.
func (t *Text) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.b.String()
}
