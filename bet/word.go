package bet

import (
	"slices"
	"strings"

	"veridice/game/cards"
	"veridice/game/gems"
	"veridice/game/samurai"
)

// letters are those of paths, flips and throws, one for each.
const letters = "LRTHPS"

// words are all other texts that an outcome may have.
var words = slices.Concat(gems.Colours[:], samurai.Symbols[:], deck(),
	[]string{"player", "banker", "tie"},
	[]string{"green", "dark", "light", "orange", "red", "yellow"},
	[]string{"lion", "cheetah", "elephant", "crocodile", "rhino", "penguin"},
	[]string{"forty_eight", "twenty_four", "sixteen", "eight", "four", "two"},
	[]string{"one", "two", "three", "four", "five", "nine", "ten", "jack", "queen", "king", "ace", "wild", "scatter"})

func deck() []string {
	var names []string
	for card := range uint32(52) {
		names = append(names, cards.A.Name(card))
	}
	return names
}

// possible reports whether a text could stand where another was computed: as many hex
// digits, as many letters, or a word.
func possible(own, text string) bool {
	switch {
	case isHex(own):
		return len(text) == len(own) && isHex(text)
	case strings.Trim(own, letters) == "":
		return len(text) == len(own) && strings.Trim(text, letters) == ""
	}
	return slices.Contains(words, text)
}

// spelled writes what a person says as outcomes do, if only case and blanks differ.
func spelled(own, text string) string {
	for _, form := range []string{strings.ToLower(text), strings.ToUpper(strings.Join(strings.Fields(text), ""))} {
		if possible(own, form) {
			return form
		}
	}
	return text
}
