// Package zoo draws three animals, each by a remainder: of the 20 cases the first
// 16 come from one word more than the others. docs/spec/games.md, section 4.19.
package zoo

import "veridice/draw"

// Draw names the three animals in order.
func Draw(src draw.Source) [3]string {
	var animals [3]string
	for i := range animals {
		animals[i] = animal(draw.Modulo(src, 20))
	}
	return animals
}

func animal(n uint32) string {
	switch {
	case n < 1:
		return "lion"
	case n < 2:
		return "cheetah"
	case n < 4:
		return "elephant"
	case n < 6:
		return "crocodile"
	case n < 10:
		return "rhino"
	}
	return "penguin"
}
