package draw

import (
	"errors"
	"slices"
)

// MaxDice is how many dice one roll of veridice/1 may have.
const MaxDice = 1024

// The draws of this file are made of the dice of one roll of veridice/1, by way
// of lists (docs/spec/veridice-1.md, "A roll"): first the faces that must be
// rolled, then what the dice say.

// SampleFaces lists the dice for m of n items without replacement, in order: n,
// n-1, … faces, a die of one face left out. With m = n it is a shuffle.
func SampleFaces(n, m int) ([]uint32, error) {
	switch {
	case n < 1 || int64(n) >= 1<<32:
		return nil, errors.New("draw: a sample is of 1 to 4294967295 items")
	case m < 1 || m > n:
		return nil, errors.New("draw: a sample takes at least one item and no more than there are")
	}
	dice := m
	if m == n {
		dice-- // nothing is left to choose for the last item
	}
	if dice > MaxDice {
		return nil, errors.New("draw: a sample of more than 1024 dice")
	}
	faces := make([]uint32, dice)
	for i := range faces {
		faces[i] = uint32(n - i)
	}
	return faces, nil
}

// Sample takes items 0 to n-1 as the dice of [SampleFaces] say: each face less
// one is a place in the list of the items still there, and the list closes up.
func Sample(n, m int, dice []uint32) ([]uint32, error) {
	faces, err := SampleFaces(n, m)
	if err != nil {
		return nil, err
	}
	if len(dice) != len(faces) {
		return nil, errors.New("draw: the dice of another sample")
	}
	if len(dice) < m {
		dice = append(slices.Clone(dice), 1) // what is left
		faces = append(faces, 1)
	}
	items := make([]uint32, m)
	var taken []uint32 // in rising order; the list itself may be long
	for i, d := range dice {
		if d < 1 || d > faces[i] {
			return nil, errors.New("draw: a die without that face")
		}
		item, at := d-1, 0
		for at < len(taken) && taken[at] <= item {
			item++
			at++
		}
		items[i], taken = item, slices.Insert(taken, at, item)
	}
	return items, nil
}

// ChoiceFaces gives the one die of a weighted choice: the sum of the weights,
// each at least 1, in all 2 to 2^32 - 1.
func ChoiceFaces(weights []uint32) (uint32, error) {
	var sum uint64
	for _, w := range weights {
		if w == 0 {
			return 0, errors.New("draw: a weight of zero")
		}
		sum += uint64(w)
	}
	if sum < 2 || sum >= 1<<32 {
		return 0, errors.New("draw: the weights sum to less than 2 or more than 4294967295")
	}
	return uint32(sum), nil
}

// Choice returns the first item whose running sum of weights is at least the
// face of the die of [ChoiceFaces].
func Choice(weights []uint32, die uint32) (int, error) {
	faces, err := ChoiceFaces(weights)
	if err != nil {
		return 0, err
	}
	if die < 1 || die > faces {
		return 0, errors.New("draw: a die without that face")
	}
	item := 0
	for die > weights[item] {
		die -= weights[item]
		item++
	}
	return item, nil
}
