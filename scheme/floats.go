package scheme

import (
	"crypto/sha256"
	"strconv"

	"veridice/seed"
)

// shuffle/1: key the text of the seed, never the bytes that its hex digits spell;
// one client seed, any text; a colon, the nonce, a colon and the number of the
// block, from 0. Words are read by [veridice/draw.Index]. The seal covers the
// text, which the operator does not state. docs/spec/floats.md
var shuffle1 = Scheme{
	Name:  Shuffle1,
	First: 0, Last: 1<<53 - 1,
	MinServer: 1, MaxServer: seed.MaxServer, TextServer: true,
	MinClients: 1, MaxClients: 1, TextClients: true,
	width:   sha256.Size,
	mac:     hmacSHA256,
	message: floatMessage,
}

func floatMessage(clients []seed.Client, number uint64, block uint32) []byte {
	m := append([]byte(clients[0]), ':')
	m = strconv.AppendUint(m, number, 10)
	m = append(m, ':')
	return strconv.AppendUint(m, uint64(block), 10)
}
