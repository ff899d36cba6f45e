package bet

import (
	"strconv"

	"veridice/draw"
	"veridice/game"
	"veridice/scheme/foreign"
	"veridice/seed"
)

// An Explained bet holds all that its outcome came from.
type Explained struct {
	Stream  *foreign.Stream // its blocks, key and scheme
	Words   []uint32        // as far as the game takes words
	Steps   []draw.Step
	Outcome *game.Outcome
}

// Explain computes a bet and keeps the blocks, words and steps. It does not look at
// what was recorded. The error is a [*game.Error], a [*foreign.InputError] or says that
// a part is missing; [CodeOf] reads all three.
func Explain(b Bet) (*Explained, error) {
	g, err := game.Lookup(b.Site, b.Game)
	if err != nil {
		return nil, err
	}
	return compute(b, g, b.Variant, true)
}

// missing says that a bet lacks a part.
type missing struct {
	code Code
	part string
}

func (m *missing) Error() string { return "bet: " + m.part + " is missing" }

// CodeOf is the code of an error of [Explain], with what it is about and what
// would be accepted.
func CodeOf(err error) (code Code, about, allowed string) {
	r := refused(err)
	return r.Code, r.Key, r.Allowed
}

func compute(b Bet, g *game.Game, variant string, traced bool) (*Explained, error) {
	if g.Grade.Kind == game.Unknown {
		_, err := g.Play(nil, game.Params{Variant: variant, Args: b.Params})
		return nil, err
	}
	stream, args, err := open(b)
	if err != nil {
		return nil, err
	}
	e := &Explained{Stream: stream}
	var src draw.Source = stream
	var trace *draw.Trace
	if traced {
		trace = draw.NewTrace(stream)
		src = trace
	}
	e.Outcome, err = g.Play(src, game.Params{Variant: variant, Args: fill(b, g, args)})
	if err != nil {
		return nil, err
	}
	if traced {
		e.Words, e.Steps = trace.Words, trace.Steps
	}
	return e, nil
}

// fill adds the number of cards that a record holds, so that as many are drawn.
func fill(b Bet, g *game.Game, args []game.Arg) []game.Arg {
	n := 0
	for _, want := range b.Want {
		switch want.Name {
		case "cards", "draws":
			n = max(n, len(want.Value.List))
		case "next":
			n = max(n, len(want.Value.List)+4)
		}
	}
	for _, p := range g.Params {
		if p.Name == "count" && p.Optional && n > 52 && n <= int(p.Max) && !(game.Params{Args: args}).Has("count") {
			return append(args[:len(args):len(args)], game.Arg{Name: "count", Value: strconv.Itoa(n)})
		}
	}
	return args
}

// open makes the stream of a bet and gives the parameters that are left for the
// game.
func open(b Bet) (*foreign.Stream, []game.Arg, error) {
	if b.Site == "zeroplay" {
		return openZeroplay(b)
	}
	if b.Client == nil {
		return nil, nil, &missing{NoClient, "client"}
	}
	client := *b.Client
	if round(b) {
		stream, err := openRound(b, client)
		return stream, b.Params, err
	}
	if b.Nonce == nil {
		return nil, nil, &missing{NoNonce, "nonce"}
	}
	if *b.Nonce > 1<<63-1 {
		return nil, nil, &foreign.InputError{Part: "nonce", Text: "is larger than 2^63 - 1"}
	}
	args := b.Params
	at := uint64(0)
	if b.Cursor != nil {
		at = *b.Cursor
	}
	var stream *foreign.Stream
	var err error
	switch b.Site {
	case "shuffle":
		stream, err = foreign.Floats(foreign.Shuffle1, b.Seed, client, *b.Nonce, at)
	case "stake":
		stream, err = foreign.Floats(foreign.Stake1, b.Seed, client, *b.Nonce, at)
	case "duel":
		if b.Game == "dice" {
			stream, err = foreign.DuelDice(b.Seed, client, *b.Nonce)
		} else {
			stream, err = foreign.Duel(b.Seed, client, *b.Nonce)
		}
	case "liqd":
		stream, err = foreign.LIQD(b.Seed, client, *b.Nonce)
		if b.Cursor != nil {
			args = append(args[:len(args):len(args)], game.Arg{Name: "cursor", Value: strconv.FormatUint(at, 10)})
		}
	case "bcgame":
		stream, err = foreign.BCGame(b.Seed, client, *b.Nonce)
	case "primedice":
		stream, err = foreign.OldPrimedice(b.Seed, client, *b.Nonce)
	}
	return stream, args, err
}

// round reports whether all players share the outcome: there is no nonce.
func round(b Bet) bool {
	switch b.Site + " " + b.Game {
	case "stake crash", "stake slide", "stake zoo", "duel crash", "duel castle-roulette", "bustabit crash", "bcgame crash", "roobet crash":
		return true
	}
	return false
}

func openRound(b Bet, client string) (*foreign.Stream, error) {
	switch b.Site {
	case "stake":
		return foreign.StakeRound(b.Seed, client)
	case "duel":
		return foreign.DuelRound(b.Seed, client)
	case "bustabit":
		return foreign.Bustabit(b.Seed, client)
	case "bcgame":
		return foreign.BCGameCrash(b.Seed, client)
	}
	return foreign.Roobet(b.Seed, client)
}

// openZeroplay takes the players from the parameters uid1, client1, uid2, client2.
func openZeroplay(b Bet) (*foreign.Stream, []game.Arg, error) {
	if b.Nonce == nil {
		return nil, nil, &missing{NoNonce, "nonce"}
	}
	var players [2]foreign.Player
	args := []game.Arg{{Name: "nonce", Value: strconv.FormatUint(*b.Nonce, 10)}}
	for _, a := range b.Params {
		switch a.Name {
		case "uid1":
			players[0].UID = a.Value
		case "uid2":
			players[1].UID = a.Value
		case "client1":
			players[0].Client = a.Value
		case "client2":
			players[1].Client = a.Value
		default:
			args = append(args, a)
		}
	}
	stream, err := foreign.Zeroplay(b.Seed, players)
	return stream, args, err
}

// key finds what a record calls by a name: a key of the outcome, or what the
// stream itself has.
func (e *Explained) key(b Bet, name string) (game.Key, bool) {
	switch name {
	case "previous":
		hash, ok := previous(b)
		return game.Key{Name: name, Value: game.Str(hash)}, ok
	case "hmac":
		blocks := e.Stream.Blocks()
		if len(blocks) != 1 {
			return game.Key{}, false
		}
		return game.Key{Name: name, Value: game.Str(seed.Hex(blocks[0].Sum))}, true
	}
	return e.Outcome.Key(name)
}
