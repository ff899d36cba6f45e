package main

import (
	"errors"
	"fmt"

	"veridice/verify"
)

// Two links of docs/spec/tavli.md: one that fits and the same with one die
// changed. A server that cannot tell them apart must not roll.
const (
	goodLink = "#v=1&s=2358017a1aea6933ea34a45b4cf69015699b2a09a69b3d6156210bc45b8d69a7&c=32be00ad90c5f09b7f0a4e22da11124b2d20818dfff89f865e2107b6f1820b3a&p=3d822ef5c3b81bd714d73a2aa91965e2,22d9f50ff028aa01f5a4312ee6b25526&r=132454416332566461661555&g=7,5"
	badLink  = "#v=1&s=2358017a1aea6933ea34a45b4cf69015699b2a09a69b3d6156210bc45b8d69a7&c=32be00ad90c5f09b7f0a4e22da11124b2d20818dfff89f865e2107b6f1820b3a&p=3d822ef5c3b81bd714d73a2aa91965e2,22d9f50ff028aa01f5a4312ee6b25526&r=132454416332566461661556&g=7,5"
)

func selfTest() error {
	if r := verify.Text([]byte(goodLink), verify.Options{}); r.Verdict != verify.Proven {
		return fmt.Errorf("a good match is %s", r.Verdict)
	}
	if r := verify.Text([]byte(badLink), verify.Options{}); r.Verdict != verify.Broken || r.Place.Number != 12 {
		return errors.New("a changed die is not found")
	}
	return nil
}
