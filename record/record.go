// Package record holds the evidence of a match as text: the canonical record, of
// which exactly one encoding is valid, and the tolerant readers for what people
// paste: share links and lists of rolls.
//
//	veridice record 1
//	scheme tavli/1
//	match m-1
//	seal 752be61eabe9ccd97644543b438cca1fa8cf52a8351f1e1f6c86a21bc8173269
//	client bc541483be9f0ac9aa71379947c5a6c5
//	roll 1 6 6
//	seed 2d23a7916a1d0d6078c9f2068d7a7049de1e0f2f3faeb181a25e6798af6a8635
//	rolls 1
//	state finished
//	sum <SHA-256 of all lines before this one>
//
// It does not know how dice are made. The format is docs/spec/record.md.
package record

import (
	"crypto/sha256"

	"veridice/seed"
)

// MaxSize is the size in bytes of the largest record, signatures included.
const MaxSize = 16 << 20

// MaxRolls is the number of rolls in the longest list.
const MaxRolls = 100_000

// A State says how far a match has come.
type State string

// States of a match.
const (
	Running  State = "running"
	Finished State = "finished"
	Aborted  State = "aborted"
)

// A Record is one match. Its text is what counts; the fields are a view of it.
type Record struct {
	Scheme  string        // full name, such as tavli/1
	Match   string        // 1 to 64 of A-Z a-z 0-9 . _ -, or "-" for none
	Seal    *seed.Seal    // nil if the record has none
	Clients []seed.Client // in the order of the seats; none for yayay/1
	Entries []Entry       // in the order of events
	Server  seed.Server   // the revealed server seed; zero until then
	Count   uint64        // stated number of rolls
	State   State
	Chain   *Chain   // what only veridice/1 has, else nil
	Sum     [32]byte // as written; [Record.Complete] makes it right

	Signatures []Signature // of the note that carries the record, if one does
}

// An Entry is the beginning of a game, a roll, or, in veridice/1, a move.
type Entry struct {
	Game   bool     // a game line; the rest is zero
	Number uint64   // of the roll, as written: whether it was due is for verify to say
	Dice   []uint32 // in the order recorded

	Role  uint8    // veridice/1: who rolls or moves
	Faces []uint32 // veridice/1: of the dice
	Move  string   // veridice/1: the text of a move, "" for a roll
}

// Rolls lists the entries that are rolls.
func (r *Record) Rolls() []Entry {
	rolls := make([]Entry, 0, len(r.Entries))
	for _, e := range r.Entries {
		if !e.Game && e.Move == "" {
			rolls = append(rolls, e)
		}
	}
	return rolls
}

// Games gives the number of rolls in each game, nil if games are not marked.
func (r *Record) Games() []int {
	var games []int
	for _, e := range r.Entries {
		switch {
		case e.Game:
			games = append(games, 0)
		case len(games) > 0:
			games[len(games)-1]++
		}
	}
	return games
}

// Complete sets the stated number of rolls and the sum to what the record holds.
func (r *Record) Complete() {
	r.Count = uint64(len(r.Rolls()))
	r.Sum = r.RightSum()
}

// RightSum is the SHA-256 of the text before the sum line.
func (r *Record) RightSum() [32]byte { return sha256.Sum256(r.body()) }
