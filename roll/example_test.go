package roll_test

import (
	"encoding/hex"
	"fmt"

	"veridice/roll"
	"veridice/scheme"
	"veridice/seed"
)

func Example() {
	secret, err := hex.DecodeString("a6b89e5b0ba9e784755dde1d8d3b9003")
	if err != nil {
		panic(err)
	}
	server, err := seed.NewServer(secret)
	if err != nil {
		panic(err)
	}
	tavli, err := scheme.Lookup(scheme.Tavli1)
	if err != nil {
		panic(err)
	}
	match, err := roll.New(tavli, scheme.Inputs{Server: server, Clients: []seed.Client{"Lucky_7"}})
	if err != nil {
		panic(err)
	}
	place := roll.First(2)
	for range 3 {
		r, err := match.Roll(place)
		if err != nil {
			panic(err)
		}
		fmt.Printf("%d %d-%d\n", r.Number, r.Dice[0], r.Dice[1])
		place = place.Next(2)
	}
	// Output:
	// 1 4-5
	// 2 3-1
	// 3 5-1
}
