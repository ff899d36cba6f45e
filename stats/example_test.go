package stats_test

import (
	"fmt"
	"math/big"

	"veridice/game"
	"veridice/stats"
)

// Three doubles in a row somewhere in 60 rolls.
func ExampleRun() {
	fmt.Println(stats.Run(60, 3, big.NewRat(1, 6)).FloatString(3))
	// Output: 0.204
}

func ExampleOf() {
	list, err := stats.Of("shuffle", "roulette", game.Params{})
	if err != nil {
		fmt.Println(err)
		return
	}
	d := list[0]
	fmt.Println(d.Name, len(d.Lines), d.Lines[0].Outcome, d.Lines[0].Count, "of", d.Total)
	// Output: pocket 37 0 116080198 of 4294967296
}
