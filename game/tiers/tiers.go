// Package tiers holds the games whose tables divide the floats from 0 to 1 into
// tiers: cases, bars, tarot and packs. Multipliers are in hundredths.
// docs/spec/games.md, section 4.12.
package tiers

import (
	"math"
	"strconv"

	"veridice/draw"
)

// Difficulties are the tables that a player chooses from.
var Difficulties = [...]string{"easy", "medium", "hard", "expert"}

const (
	// Bars is how many bars a bet has.
	Bars = 30
	// MaxTiles is how many of them a player can choose.
	MaxTiles = 5
	// Pack is how many cards a bet of packs has.
	Pack = 5
	// Doubtful is the card whose 32 is probably a misprint of 12.
	Doubtful = 31
)

// Cases opens one case.
func Cases(src draw.Source, difficulty int) uint32 {
	t := cases[difficulty]
	return t.pays[draw.Tier(src, t.min)]
}

// BarsShown gives what each bar shows: its multiplier divided by the number of
// tiles chosen, in doubles, cut to hundredths. 1.4 of 5 tiles shows as 0.27.
func BarsShown(src draw.Source, difficulty, tiles int) [Bars]uint32 {
	var shown [Bars]uint32
	t := bars[difficulty]
	for i := range shown {
		pays := t.pays[draw.Tier(src, t.min)]
		shown[i] = share(pays, tiles)
		draw.Note(src, func() draw.Step {
			return draw.Step{Name: "hundredths", Values: "floor(" + strconv.FormatFloat(float64(pays)/100, 'f', -1, 64) + " / " + strconv.Itoa(tiles) + " × 100)",
				Result: strconv.Itoa(int(shown[i]))}
		})
	}
	return shown
}

func share(pays uint32, tiles int) uint32 {
	multiplier := float64(pays) / 100 // the double nearest to the decimal
	return uint32(math.Floor(float64(multiplier/float64(tiles)) * 100))
}

// Tarot draws a minor, the major and a minor card. The bet pays their product.
func Tarot(src draw.Source, difficulty int) [3]uint32 {
	var pays [3]uint32
	for i, t := range [3]table{minor[difficulty], major[difficulty], minor[difficulty]} {
		pays[i] = t.pays[draw.Tier(src, t.min)]
	}
	return pays
}

// Packs opens a pack: cards 1 to 240 in the order drawn, and the sum they pay.
func Packs(src draw.Source) (cards [Pack]uint32, sum uint32) {
	for i := range cards {
		row := draw.Tier(src, packs.min)
		cards[i] = uint32(row) + 1
		sum += packs.pays[row]
	}
	return cards, sum
}
