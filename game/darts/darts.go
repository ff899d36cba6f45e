// Package darts throws one dart. Where it hits is recorded from the operator;
// rings, wedges and pays are known only from other people's tools, and their
// borders are approximate. docs/spec/games.md, section 4.14.
package darts

import (
	"math"
	"slices"
	"strconv"

	"veridice/draw"
)

// Difficulties are the boards that a player chooses from.
var Difficulties = [...]string{"easy", "medium", "hard", "expert"}

// A Hit is where a dart stuck.
type Hit struct {
	Rotation float64 // of a turn, 0 to 1
	Distance float64 // the second float; the area inside the hit, 1 is the rim
	Radius   float64 // sqrt(Distance) / 2, so that 0.5 is the rim
}

// A board is one difficulty: borders of the rings in thousandths of a board's
// width, colours of the 18 wedges, and pays in hundredths.
type board struct {
	borders     [4]float64
	orange, red []int // wedges; the others are yellow

	green, redPays, orangePays, yellow, light, dark uint32
}

var boards = [len(Difficulties)]board{
	{[4]float64{62.5, 275, 375, 450}, []int{1, 5, 9, 13, 15}, []int{3, 7, 11, 17}, 850, 270, 150, 120, 80, 50},
	{[4]float64{50, 225, 350, 400}, []int{1, 5, 9, 13, 15}, []int{3, 7, 11, 17}, 1600, 600, 310, 130, 60, 40},
	{[4]float64{30, 200, 330, 375}, []int{1, 3, 7, 9, 13, 15}, []int{5, 11, 17}, 6300, 880, 360, 250, 50, 20},
	{[4]float64{10, 250, 355, 375}, []int{1, 7, 10, 16}, []int{4, 13}, 50000, 4200, 960, 480, 50, 10},
}

// Throw draws where the dart hits.
func Throw(src draw.Source) Hit {
	rotation := draw.Word(src)
	distance := draw.Word(src)
	h := Hit{Rotation: draw.Float(rotation), Distance: draw.Float(distance)}
	h.Radius = math.Sqrt(h.Distance) / 2
	for _, s := range [3]struct {
		name   string
		k      uint32
		around [2]string
		v      float64
	}{{"rotation", rotation, [2]string{"", " / 2^32"}, h.Rotation}, {"distance", distance, [2]string{"", " / 2^32"}, h.Distance}, {"radius", distance, [2]string{"sqrt(", " / 2^32) / 2"}, h.Radius}} {
		draw.Note(src, func() draw.Step {
			return draw.Step{Name: s.name, Values: s.around[0] + strconv.FormatUint(uint64(s.k), 10) + s.around[1], Result: strconv.FormatFloat(s.v, 'f', -1, 64)}
		})
	}
	return h
}

// Field names the colour of the field that was hit and what it pays in
// hundredths. Difficulty is an index of [Difficulties].
func (h Hit) Field(difficulty int) (string, uint32) {
	b := boards[difficulty]
	r := float64(h.Radius * 1000)
	switch {
	case r <= b.borders[0]:
		return "green", b.green
	case r <= b.borders[1]:
		return "dark", b.dark
	case r <= b.borders[2]:
		return "light", b.light
	case r >= b.borders[3]:
		return "dark", b.dark
	}
	switch wedge := int(float64(h.Rotation*360) / 20); {
	case slices.Contains(b.orange, wedge):
		return "orange", b.orangePays
	case slices.Contains(b.red, wedge):
		return "red", b.redPays
	}
	return "yellow", b.yellow
}
