package game_test

import (
	"fmt"

	"veridice/game"
	"veridice/game/gametest"
)

// A game sees a stream and its parameters. Here the stream is written out; package bet
// makes that of a site's seeds.
func ExampleGame_Play() {
	dice, err := game.Lookup("shuffle", "dice")
	if err != nil {
		fmt.Println(err)
		return
	}
	o, err := dice.Play(&gametest.Flat{Bytes: []byte{0x6e, 0x37, 0xd8, 0x5d}}, game.Params{})
	if err != nil {
		fmt.Println(err)
		return
	}
	roll, _ := o.Key("roll")
	fmt.Println(roll.Value, o.Grade)

	_, err = dice.Play(&gametest.Flat{}, game.Params{Args: []game.Arg{{Name: "rows", Value: "8"}}})
	fmt.Println(game.CodeOf(err))
	// Output:
	// 43.05 confirmed 1
	// param-unknown
}
