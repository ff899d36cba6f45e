// Package operator knows whose matches are whose: a match that was opened with an API key
// belongs to the operator of the key, who can list it and hears of its end.
package operator

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"veridice/internal/ledger"
	"veridice/internal/match"
)

// MaxMetadata is the length in bytes of what an operator may say about a match.
const MaxMetadata = 512

// A Match is a match of an operator.
type Match struct {
	Number   uint64    `json:"number"` // among those of the operator, from 1
	Match    string    `json:"match"`
	Metadata string    `json:"metadata"` // the operator's own words
	Created  time.Time `json:"created"`
}

// An Owner says whose a match is.
type Owner struct {
	Operator string `json:"operator"`
	Metadata string `json:"metadata"`
}

const (
	ofOperator = "operator" // one book for each operator, with a line for each match
	ofMatch    = "owner"    // one for each match
	shelf      = "match"
)

var errUnread = errors.New("operator: something stored cannot be read")

// Adopt gives a match to an operator. It must be done before anybody hears of the match;
// doing it again changes nothing.
func Adopt(ctx context.Context, s ledger.Store, operator, id, metadata string, at time.Time) error {
	owner, err := json.Marshal(Owner{operator, metadata})
	if err != nil {
		return err
	}
	// The list comes first: whoever finds the owner finds the match in the list.
	err = ledger.Amend(ctx, s, ofOperator, operator, id, func(b *ledger.Book) error {
		if b.Earlier != nil {
			return nil
		}
		var matches uint64
		if b.Version > 0 {
			if err := json.Unmarshal(b.State, &matches); err != nil {
				return errUnread
			}
		}
		matches++
		line, err := json.Marshal(Match{matches, id, metadata, at})
		if err != nil {
			return err
		}
		b.State, err = json.Marshal(matches)
		b.Lines = append(b.Lines, ledger.Line{Shelf: shelf, Number: matches, Text: line})
		b.Answer = &match.Answer{Key: id}
		return err
	})
	if err != nil {
		return err
	}
	return ledger.Amend(ctx, s, ofMatch, id, "", func(b *ledger.Book) error {
		if b.Version == 0 {
			b.State = owner
		}
		return nil
	})
}

// Of tells whose a match is, or gives [match.ErrNotFound] if it is nobody's.
func Of(ctx context.Context, s ledger.Store, id string) (o Owner, err error) {
	b, err := s.Book(ctx, ofMatch, id)
	if err != nil {
		return o, err
	}
	if json.Unmarshal(b.State, &o) != nil {
		return o, errUnread
	}
	return o, nil
}

// Matches lists an operator's matches after a number, oldest first.
func Matches(ctx context.Context, s ledger.Store, operator string, after uint64, limit int) ([]Match, error) {
	lines, err := s.Lines(ctx, ofOperator, operator, shelf, after, limit)
	if err != nil {
		return nil, err
	}
	matches := make([]Match, len(lines))
	for i, l := range lines {
		if json.Unmarshal(l.Text, &matches[i]) != nil {
			return nil, errUnread
		}
	}
	return matches, nil
}
