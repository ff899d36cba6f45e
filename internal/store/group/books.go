package group

import (
	"slices"

	"veridice/internal/ledger"
	"veridice/internal/match"
)

// A BookSource is a [Source] that reads books too.
type BookSource interface {
	// Book reads a book, or gives one of version 0 if there is none. The plan does not
	// alter it.
	Book(kind, name string) (*ledger.Book, error)

	// Reply reads the answer stored under a key of a book, nil for none.
	Reply(kind, name, key string) (*match.Answer, error)
}

// A BookChange is what becomes of one book.
type BookChange struct {
	Old, New *ledger.Book // Old as stored, of version 0 for a new one
	Lines    []ledger.Line
	Answers  []match.Answer

	listed bool
}

type bookName struct{ kind, name string }

// Amend plans [ledger.Store.Amend], for a store whose source is a [BookSource]. That
// neither a new line nor a new answer is stored yet is for the store to see when it
// writes.
func (p *Plan) Amend(kind, name, key string, change func(*ledger.Book) error) error {
	c := p.books[bookName{kind, name}]
	if c == nil {
		stored, err := p.src.(BookSource).Book(kind, name)
		if err != nil {
			return err
		}
		c = &BookChange{Old: stored, New: stored}
		if p.books == nil {
			p.books = make(map[bookName]*BookChange)
		}
		p.books[bookName{kind, name}] = c
	}
	b := c.New.Clone()
	earlier, err := p.reply(c, key)
	if err != nil {
		return err
	}
	b.Earlier = earlier
	if err := protect(change, b); err != nil {
		return err
	}
	if !b.Changed(c.New) {
		return nil
	}
	if b.Version != c.New.Version {
		return match.ErrConflict
	}
	lines := slices.Clone(c.Lines)
	for _, l := range b.Lines {
		if slices.ContainsFunc(lines, func(o ledger.Line) bool { return o.Shelf == l.Shelf && o.Number == l.Number }) {
			return match.ErrConflict
		}
		lines = append(lines, ledger.Line{Shelf: l.Shelf, Number: l.Number, Text: slices.Clone(l.Text)})
	}
	if a := b.Answer; a != nil {
		if a.Key != key {
			if earlier, err = p.reply(c, a.Key); err != nil {
				return err
			}
		}
		if earlier != nil {
			return match.ErrConflict
		}
		c.Answers = append(c.Answers, *a)
	}
	c.Lines = lines
	for _, text := range b.News {
		p.News = append(p.News, slices.Clone(text))
	}
	c.New = &ledger.Book{Kind: kind, Name: name, Version: b.Version + 1, State: slices.Clone(b.State)}
	if !c.listed {
		c.listed = true
		p.Books = append(p.Books, c)
	}
	return nil
}

func (p *Plan) reply(c *BookChange, key string) (*match.Answer, error) {
	for i := range c.Answers {
		if c.Answers[i].Key == key {
			a := c.Answers[i]
			return &a, nil
		}
	}
	if c.Old.Version == 0 {
		return nil, nil
	}
	return p.src.(BookSource).Reply(c.Old.Kind, c.Old.Name, key)
}
