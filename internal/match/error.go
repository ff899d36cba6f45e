package match

import (
	"errors"
	"strconv"
)

// What a caller may test with errors.Is. None of their texts holds a value of
// the request.
var (
	ErrNotFound    = errors.New("match: no such match")
	ErrConflict    = errors.New("match: changed by somebody else meanwhile")
	ErrBusy        = errors.New("match: the store is held by somebody else")
	ErrNotYourSeat = errors.New("match: the token is of no seat of this match")
	ErrKeyReused   = errors.New("match: the idempotency key was used for another request")

	ErrOtherSeal       = errors.New("match: the acknowledged seal is not the match's")
	ErrOtherName       = errors.New("match: the seat was taken under another name")
	ErrNotAcknowledged = errors.New("match: the seat has not acknowledged the seal")
	ErrAlreadySeeded   = errors.New("match: the seat gave another client seed before")
	ErrNoSeeds         = errors.New("match: the scheme has no client seeds")
	ErrNoRolls         = errors.New("match: the current game has no roll yet")
	ErrAlreadyAsked    = errors.New("match: the seat has asked to end already; another one confirms")
	ErrNotAsked        = errors.New("match: nobody has asked to end")
	ErrFull            = errors.New("match: has as many rolls as a record can hold")
	ErrOtherScheme     = errors.New("match: its scheme has no such step")
	ErrNotOffered      = errors.New("match: not all phones are there yet")
	ErrOtherKey        = errors.New("match: the server seed was encrypted under another key")
)

// A StateError says that a match is not in the state that a request needs.
type StateError struct{ State State }

func (e *StateError) Error() string { return "match: is " + string(e.State) }

// A BehindError says that the caller has not seen the last roll.
type BehindError struct{ Last uint64 }

func (e *BehindError) Error() string {
	return "match: the last roll is " + strconv.FormatUint(e.Last, 10)
}

// A FieldError says which field of a request is refused, by a code with numbers
// to fill in. It never holds the field's value.
type FieldError struct {
	Field string
	Code  string
	Args  map[string]any
}

func (e *FieldError) Error() string { return "match: field " + e.Field + ": " + e.Code }
