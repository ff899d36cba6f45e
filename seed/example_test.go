package seed_test

import (
	"encoding/hex"
	"fmt"

	"veridice/seed"
)

func Example() {
	secret, err := hex.DecodeString("c149c301f8134a320da3e36748bb70c14850c75fc8ab0dc1e36460fa89070300")
	if err != nil {
		panic(err)
	}
	server, err := seed.NewServer(secret)
	if err != nil {
		panic(err)
	}
	fmt.Println("before the first roll:", server.Seal())
	fmt.Println("in a log:", server)
	_, err = seed.Open(server.Seal(), server)
	fmt.Println("when it is over:", err)
	// Output:
	// before the first roll: 76243eb20b5ad494780afead6d49b5f826775834b0b12ddafe12819ca4608a63
	// in a log: seed(sealed)
	// when it is over: <nil>
}
