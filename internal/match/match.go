// Package match is the service behind the live table: it opens a match, seats
// the phones, rolls, reveals and closes. It owns the interfaces [Store], [Clock]
// and [Entropy]; where a match is kept, what time it is and what is random are
// arguments.
//
// A match is one row of state and a numbered list of events, both in the store
// and nowhere else: any process with the same store and key can serve it. The
// server seed is stored encrypted ([Vault]), and [Service.End] is the one place
// where it leaves as plain bytes. The rolls are those of docs/spec/tavli.md.
package match

import (
	"crypto/sha256"
	"crypto/subtle"
	"slices"
	"time"

	"veridice/seed"
)

// MaxSeats is the number of seats at the largest table.
const MaxSeats = 8

// MaxName is the length in characters of the longest name of a seat.
const MaxName = 40

// A State says how far a match has come.
type State string

// States of a match. It never goes back.
const (
	Open     State = "open"     // seats are still to acknowledge the seal or to give their seeds
	Running  State = "running"  // every seat's seed is in
	Finished State = "finished" // ended by its seats; a server seed is public
	Aborted  State = "aborted"  // given up by one of them
)

// Over reports whether nothing more can be rolled.
func (s State) Over() bool { return s == Finished || s == Aborted }

// A Match is the state of a match: what the next step needs to know. The rolls
// that fell are in its events.
type Match struct {
	ID      string // 32 lower-case hex digits
	Scheme  string
	Kind    string    // the dice of a roll in the notation of docs/spec/table.md
	Seal    seed.Seal // of veridice/1 the server's anchor
	Sealed  []byte    // the server seed, of veridice/1 the last link of the server's chain; encrypted by a [Vault] for this ID
	Server  []byte    // the server seed; nil until Finished and always of veridice/1
	State   State
	Seats   []Seat // seat 1 is the first
	Rolls   uint64 // number of the last roll, 0 before the first
	Dice    uint64 // dice that fell so far: the number of the next one, from 0
	Game    int    // number of the current game, 0 until Running
	Marked  uint64 // number of the last roll before the current game
	Asked   int    // the seat that asked to end, 0 for none
	Events  uint64 // number of the last event
	Created time.Time

	// Play is the state of the protocol of veridice/1 (play.go), and of a match's
	// entries in the log (log.go). A store keeps it as it is.
	Play []byte

	// Seq is the number of the opening among all of the server key, 0 if the match
	// has none. A change takes the one that Next gives, or gives it back by setting
	// 0; a store hands it to nobody else meanwhile.
	Seq uint64

	// Version counts the changes. A store compares it when it writes: a change
	// made on an older version than the stored one gets [ErrConflict].
	Version uint64

	// Earlier is the answer that was given before to the idempotency key with
	// which [Store.Update] was called, or nil.
	Earlier *Answer

	// Added are the events that a change appends, numbered on from Events;
	// Answer is what it answers, or nil. Both are for the store to write.
	Added  []Event
	Answer *Answer

	// Logged are texts that a change appends to the log of openings and closings,
	// in the same transaction; the first gets the index that Next gives.
	Logged [][]byte

	// Next and Entries are for the change that [Store.Update] runs, and only while
	// it runs: what number and index come next, and the events of the match that
	// [Store.Entries] gives.
	Next    func() (Next, error)
	Entries func() ([]Event, error)
}

// A Next is what comes next in the store, over all matches.
type Next struct {
	Seq   uint64 // number of an opening, from 1
	Index uint64 // of an entry in the log, from 0
}

// A Seat is a place in a match, taken by one phone.
type Seat struct {
	Token        [32]byte // SHA-256 of the seat token
	Name         string   // 0 to [MaxName] characters
	Acknowledged bool     // the phone has shown the seal
	Client       seed.Client
}

// Seeded reports whether the seat's client seed is in.
func (s Seat) Seeded() bool { return s.Client != "" }

// An Answer is what a request with an idempotency key was answered.
type Answer struct {
	Key     string   // scope and key
	Request [32]byte // SHA-256 of what was asked
	Body    []byte
}

// An EventType names what happened.
type EventType string

// Types of events.
const (
	Opened       EventType = "opened"
	Acknowledged EventType = "acknowledged"
	Seeded       EventType = "seeded"
	Started      EventType = "started"
	Rolled       EventType = "rolled"
	NewGame      EventType = "game"
	EndAsked     EventType = "end-asked"
	EndWithdrawn EventType = "end-withdrawn"
	Ended        EventType = "finished"
)

// Types of events of veridice/1 besides; what they hold is in docs/openapi.json.
const (
	Offered      EventType = "offered"
	Joined       EventType = "joined"
	Anchored     EventType = "anchored"
	Readied      EventType = "readied"
	Asked        EventType = "asked"
	Linked       EventType = "linked"
	Moved        EventType = "moved"
	Wished       EventType = "wished"
	GivenUp      EventType = "aborted"
	RecordSigned EventType = "signed"
	GoesOn       EventType = "next"
)

// Types of events of a match whose seal or opening stands in the log.
const (
	SealLogged EventType = "sealed"
	Receipted  EventType = "logged"
)

// An Event is one thing that happened in a match. A store keeps the first group
// of fields; the second is the match's own and is filled in by [Service.Events].
type Event struct {
	Number uint64
	Type   EventType
	At     time.Time // UTC, whole milliseconds
	Seat   int       // who did it, 0 for nobody in particular
	Name   string    // of acknowledged
	Roll   uint64    // of rolled; of game the last roll before it
	Game   int       // of started, rolled and game
	Dice   []uint32  // of rolled
	Data   []byte    // of veridice/1: a JSON object with what else the event says, or nil

	Scheme  string        // of opened
	Kind    string        // of opened
	Terms   string        // of opened, veridice/1: the rules text
	Seats   int           // of opened
	Seal    *seed.Seal    // of opened and finished
	Clients []seed.Client // of started
	Server  []byte        // of finished
}

// Clone copies a match, so that a change can be thrown away.
func (m *Match) Clone() *Match {
	c := *m
	c.Sealed = slices.Clone(m.Sealed)
	c.Server = slices.Clone(m.Server)
	c.Seats = slices.Clone(m.Seats)
	c.Added = slices.Clone(m.Added)
	c.Logged = slices.Clone(m.Logged)
	c.Play = slices.Clone(m.Play)
	return &c
}

// Clients lists the client seeds in the order of the seats, nil until every one
// is in.
func (m *Match) Clients() []seed.Client {
	if m.State == Open {
		return nil
	}
	clients := make([]seed.Client, len(m.Seats))
	for i, s := range m.Seats {
		clients[i] = s.Client
	}
	return clients
}

// add appends an event.
func (m *Match) add(e Event) {
	m.Events++
	e.Number = m.Events
	m.Added = append(m.Added, e)
}

// seat finds the seat of a token. All tokens are compared, each in constant
// time, so that the time of the answer says nothing about any of them.
func (m *Match) seat(token string) (int, error) {
	sum := sha256.Sum256([]byte(token))
	found := 0
	for i := range m.Seats {
		same := subtle.ConstantTimeCompare(sum[:], m.Seats[i].Token[:])
		found = subtle.ConstantTimeSelect(same, i+1, found)
	}
	if found == 0 {
		return 0, ErrNotYourSeat
	}
	return found, nil
}
