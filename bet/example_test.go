package bet_test

import (
	"fmt"

	"veridice/bet"
	"veridice/game"
)

// The roll 43.05 of docs/spec/games.md, and the same recorded as 43.06.
func ExampleCheck() {
	client, nonce := "abc", uint64(1)
	b := bet.Bet{Site: "shuffle", Game: "dice", Seed: "def", Client: &client, Nonce: &nonce}
	for _, roll := range []string{"43.05", "43.06"} {
		b.Want = []game.Key{{Name: "roll", Value: game.Dec(roll)}}
		r := bet.Check(b)
		fmt.Println(r.Verdict, r.Code, r.Key, r.Expected, "seal:", r.Seal)
	}
	// Output:
	// proven    seal: absent
	// broken wrong-outcome roll 43.05 seal: absent
}
