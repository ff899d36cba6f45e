// Package ledger is where the server keeps what is no match: seed pairs, API keys, the
// addresses that hear of events. Each is a [Book]: a small state, numbered lines that are
// only ever added, and the answers to idempotency keys. What others must hear of goes
// into the news in the transaction of the change that it tells of, so that nothing is
// told that did not happen and nothing that happened stays untold.
//
// The interface is small so that every store can keep it; what a state or a line means is
// the business of the package that writes it.
package ledger

import (
	"context"
	"errors"
	"slices"

	"veridice/internal/match"
)

// A Book is something that changes in steps.
type Book struct {
	Kind, Name string // together they name it

	// Version counts the changes, 0 for a book that is not there yet. A store compares
	// it when it writes.
	Version uint64

	State []byte // JSON; the writer's business

	// Earlier is the answer that was given before to the idempotency key with which
	// [Store.Amend] was called, or nil.
	Earlier *match.Answer

	// Lines, News and Answer are what a change adds, for the store to write.
	Lines  []Line
	News   [][]byte
	Answer *match.Answer
}

// A Line is added once and never changes. Its shelf and number name it in its book.
type Line struct {
	Shelf  string
	Number uint64
	Text   []byte // JSON
}

// News is one thing that others may have to hear of.
type News struct {
	Number uint64 // from 1, without gaps
	Text   []byte // JSON
}

// A Store keeps books. It must be safe for concurrent use, also by several processes on
// one database. Its errors are those of [match.Store]: [match.ErrNotFound],
// [match.ErrConflict], [match.ErrBusy]; every other must be taken as "may or may not have
// happened".
type Store interface {
	// Amend loads a book, or an empty one of version 0 if there is none, with the answer
	// stored under key in Earlier, lets change alter it and stores it with what it added:
	// in one transaction, durable before Amend returns. It gives the error of change as it
	// is, and then nothing is stored; or [match.ErrConflict] if the book was changed
	// meanwhile or has such a line or answer already, and then the caller retries. A change
	// that leaves State as it was and adds nothing stores nothing.
	//
	// change may be called several times and must not call the store.
	Amend(ctx context.Context, kind, name, key string, change func(*Book) error) error

	// Book reads a book, or gives [match.ErrNotFound].
	Book(ctx context.Context, kind, name string) (*Book, error)

	// Books reads the books of a kind whose names come after one, in the order of the
	// bytes of their names, at most limit of them.
	Books(ctx context.Context, kind, after string, limit int) ([]*Book, error)

	// Lines reads the lines of a shelf after a number, in order, at most limit of them; of
	// an unknown book none.
	Lines(ctx context.Context, kind, name, shelf string, after uint64, limit int) ([]Line, error)

	// Answers reads the answers that a book has under keys after one, at most limit of
	// them. The order of keys is the store's own; "" is before all.
	Answers(ctx context.Context, kind, name, after string, limit int) ([]match.Answer, error)

	// Reanswer puts another body in the place of an answer's, if old is the one that is
	// stored, and gives [match.ErrConflict] if it is not. It is durable before it returns,
	// and the book stays as it is.
	Reanswer(ctx context.Context, kind, name, key string, old, body []byte) error

	// News reads the news after a number, in order, at most limit of them. No number that
	// is lower than one that was read is ever added.
	News(ctx context.Context, after uint64, limit int) ([]News, error)
}

// tries is how often a change is made anew after [match.ErrConflict]. Each failure means
// that somebody else's change went in.
const tries = 16

// Amend is [Store.Amend], made anew as long as others are sooner.
func Amend(ctx context.Context, s Store, kind, name, key string, change func(*Book) error) (err error) {
	for range tries {
		if err = s.Amend(ctx, kind, name, key, change); !errors.Is(err, match.ErrConflict) {
			return err
		}
	}
	return err
}

// Clone copies a book, so that a change can be thrown away.
func (b *Book) Clone() *Book {
	c := *b
	c.State = slices.Clone(b.State)
	c.Lines, c.News = slices.Clone(b.Lines), slices.Clone(b.News)
	return &c
}

// Changed reports whether a book differs from what it was made of.
func (b *Book) Changed(before *Book) bool {
	return string(b.State) != string(before.State) || len(b.Lines) > 0 || len(b.News) > 0 || b.Answer != nil
}
