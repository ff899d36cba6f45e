package roll

import (
	"errors"
	"strconv"

	"veridice/draw"
	"veridice/scheme"
)

// Chain derives a roll of veridice/1 from its context and the links of all roles,
// the server's first: dice in the order of their faces, each drawn from the same
// stream (docs/spec/veridice-1.md, "A roll").
func Chain(number uint64, context [32]byte, links []scheme.Link, faces []uint32) (Roll, error) {
	if len(links) < 2 || len(links) > 1+scheme.MaxSeats {
		return Roll{}, errors.New("veridice/1: a roll has the links of the server and 1 to 16 seats")
	}
	if len(faces) < 1 || len(faces) > draw.MaxDice {
		return Roll{}, errors.New("veridice/1: a roll of " + strconv.Itoa(len(faces)) + " dice")
	}
	stream := scheme.ChainStream(scheme.Key(context, links))
	dice := make([]uint32, len(faces))
	for i, n := range faces {
		if n < 2 {
			return Roll{}, errors.New("veridice/1: a die of " + strconv.FormatUint(uint64(n), 10) + " faces")
		}
		dice[i] = draw.Uniform(stream, n) + 1
	}
	return Roll{Number: number, Dice: dice, Blocks: stream.Blocks(), Used: stream.Used()}, nil
}
