package scheme_test

import (
	"encoding/hex"
	"fmt"

	"veridice/draw"
	"veridice/scheme"
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
	tavli, err := scheme.Lookup("tavli/1")
	if err != nil {
		panic(err)
	}
	match, err := tavli.Open(scheme.Inputs{
		Server:  server,
		Clients: []seed.Client{"f24279610d6b8b1362d85c3ddec7f24e", "d60062c1d2fe5d3f376829416b34be90"},
	})
	if err != nil {
		panic(err)
	}
	stream, err := match.Stream(1)
	if err != nil {
		panic(err)
	}
	a, b := draw.Pair(stream)
	fmt.Printf("%d-%d from %s\n", a, b, stream.Blocks()[0].Message)
	// Output: 2-1 from f24279610d6b8b1362d85c3ddec7f24e:d60062c1d2fe5d3f376829416b34be90:1
}
