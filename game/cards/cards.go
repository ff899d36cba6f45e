// Package cards draws cards. A card is a number 0 to 51 = 4 × rank + suit, ranks
// 2 to ace; which suit a number has is the deck's. A card is written as its suit
// and its rank: ♠7, ♥10, ♦A. docs/spec/games.md, sections 2, 3.9 to 3.11, 4.7
// and 4.8; foreign.md, section 2.
package cards

import (
	"strconv"

	"veridice/draw"
)

// size is how many cards a deck has.
const size = 52

var ranks = [...]string{"2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A"}

// A Deck is an order of suits.
type Deck [4]string

// The decks. A is all of Stake's and Shuffle's blackjack and hilo; B and C are
// what Shuffle's pages of baccarat and blitz give, but no printed card fits them.
var (
	A = Deck{"♦", "♥", "♠", "♣"}
	B = Deck{"♠", "♥", "♦", "♣"}
	C = Deck{"♠", "♥", "♣", "♦"}
)

// Name writes a card.
func (d Deck) Name(card uint32) string { return d[card%4] + ranks[card/4] }

// Names writes cards.
func (d Deck) Names(cards []uint32) []string {
	names := make([]string, len(cards))
	for i, c := range cards {
		names[i] = d.Name(c)
	}
	return names
}

// Draw gives n cards with replacement (hilo, blackjack, baccarat, blitz).
func Draw(src draw.Source, n int) []uint32 {
	cards := make([]uint32, n)
	for i := range cards {
		cards[i] = draw.Index(src, size)
	}
	return cards
}

// Poker gives the ten cards of video poker, without replacement: the hand, and
// the replacements in order.
func Poker(src draw.Source) (hand, next []uint32) {
	_, cards := draw.Take(src, size, 10)
	return cards[:5], cards[5:]
}

// Different reports whether no card comes twice (blitz). That it is the card
// that must differ and not the rank is our reading.
func Different(cards []uint32) bool {
	var seen [size]bool
	for _, c := range cards {
		if seen[c] {
			return false
		}
		seen[c] = true
	}
	return true
}

// A Round is a played round of baccarat.
type Round struct {
	Player, Banker           []uint32 // hands, the third card last
	PlayerTotal, BankerTotal uint32
	Winner                   string // player, banker or tie
}

// RoundCards is how many cards a round of baccarat takes at most.
const RoundCards = 6

// Alternating deals player, banker, player, banker (Shuffle); Paired deals the
// player's two first (Stake).
var (
	Alternating = [4]int{0, 2, 1, 3}
	Paired      = [4]int{0, 1, 2, 3}
)

// Play plays baccarat with six cards. The order says which of the first four
// are the player's two and the banker's two; third cards come as needed.
func Play(cards []uint32, order [4]int) Round {
	r := Round{
		Player: []uint32{cards[order[0]], cards[order[1]]},
		Banker: []uint32{cards[order[2]], cards[order[3]]},
	}
	next := cards[4:]
	p, b := total(r.Player), total(r.Banker)
	if p < 8 && b < 8 {
		draws := b <= 5 // the banker's rule when the player stands
		if p <= 5 {
			r.Player = append(r.Player, next[0])
			t := points(next[0])
			next = next[1:]
			switch b {
			case 0, 1, 2:
				draws = true
			case 3:
				draws = t != 8
			case 4:
				draws = 2 <= t && t <= 7
			case 5:
				draws = 4 <= t && t <= 7
			case 6:
				draws = t == 6 || t == 7
			default:
				draws = false
			}
		}
		if draws {
			r.Banker = append(r.Banker, next[0])
		}
	}
	r.PlayerTotal, r.BankerTotal = total(r.Player), total(r.Banker)
	switch {
	case r.PlayerTotal > r.BankerTotal:
		r.Winner = "player"
	case r.PlayerTotal < r.BankerTotal:
		r.Winner = "banker"
	default:
		r.Winner = "tie"
	}
	return r
}

// points is what a card counts in baccarat: ace 1, ten and pictures 0.
func points(card uint32) uint32 {
	switch rank := card / 4; {
	case rank == 12:
		return 1
	case rank >= 8:
		return 0
	default:
		return rank + 2
	}
}

func total(hand []uint32) uint32 {
	var sum uint32
	for _, c := range hand {
		sum += points(c)
	}
	return sum % 10
}

// Decks is how many decks LIQD's shoe has.
const Decks = 8

// liqdSuits and liqdRanks are the order of LIQD's decks: suit by suit, ranks from
// the ace.
var (
	liqdSuits = [...]string{"♣", "♥", "♠", "♦"}
	liqdRanks = [...]string{"A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K"}
)

// Shoe shuffles LIQD's eight decks by exchanges from the last card to the second,
// card i by the block with number i, and writes the first n cards. It reports
// false if src cannot seek.
func Shoe(src draw.Source, n int) ([]string, bool) {
	shoe := make([]uint32, Decks*size)
	for i := range shoe {
		shoe[i] = uint32(i % size)
	}
	for i := len(shoe) - 1; i >= 1; i-- {
		j, ok := draw.BelowAt(src, uint64(i), uint32(i+1))
		if !ok {
			return nil, false
		}
		shoe[i], shoe[j] = shoe[j], shoe[i]
		draw.Note(src, func() draw.Step {
			return draw.Step{Name: "exchange", Values: "[" + strconv.Itoa(i) + "] <> [" + strconv.Itoa(int(j)) + "]", Result: liqdName(shoe[i])}
		})
	}
	names := make([]string, n)
	for i := range names {
		names[i] = liqdName(shoe[i])
	}
	return names, true
}

func liqdName(card uint32) string { return liqdSuits[card/13] + liqdRanks[card%13] }
