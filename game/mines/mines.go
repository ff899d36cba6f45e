// Package mines hides mines under the cells of a board, counted from 0, row by
// row. docs/spec/games.md, sections 3.5 and 4.6; foreign.md, sections 1 and 2.
package mines

import (
	"slices"
	"strconv"

	"veridice/draw"
)

// Cells is the size of the board; one cell stays free at least.
const Cells = 25

// Hide draws the mines by [draw.Take] (Shuffle, Stake).
func Hide(src draw.Source, mines int) (places, cells []uint32) { return draw.Take(src, Cells, mines) }

// HideDuel exchanges the cells of a board of any size from the last to the
// second, one number of each block from block 0, and takes the first; sorted, as
// the site publishes them. It reports false if a block is exhausted or src
// cannot seek.
func HideDuel(src draw.Source, size, mines int) ([]uint32, bool) {
	board := upTo(size)
	for i := size - 1; i >= 1; i-- {
		if !draw.Seek(src, uint64(size-1-i)) {
			return nil, false
		}
		n := uint32(i + 1)
		j, ok := draw.Below(src, n, draw.DuelLimit(n))
		if !ok {
			return nil, false
		}
		exchange(src, board, i, int(j))
	}
	board = board[:mines]
	slices.Sort(board)
	return board, true
}

// HideLIQD exchanges each cell with one of those from it on, one number of each
// block from block 0, and takes the first in this order. It reports false if src
// cannot seek.
func HideLIQD(src draw.Source, mines int) ([]uint32, bool) {
	board := upTo(Cells)
	for c := range mines {
		n := uint32(Cells - c)
		j, ok := draw.BelowAt(src, uint64(c), n)
		if !ok {
			return nil, false
		}
		exchange(src, board, c, c+int(j))
	}
	return board[:mines], true
}

func exchange(src draw.Source, board []uint32, i, j int) {
	board[i], board[j] = board[j], board[i]
	draw.Note(src, func() draw.Step {
		return draw.Step{Name: "exchange", Values: "[" + strconv.Itoa(i) + "] <> [" + strconv.Itoa(j) + "]", Result: strconv.Itoa(int(board[i]))}
	})
}

func upTo(n int) []uint32 {
	list := make([]uint32, n)
	for i := range list {
		list[i] = uint32(i)
	}
	return list
}
